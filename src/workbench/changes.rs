//! Finds edits in a tree since it was unpacked.

use crate::kept::KeptTree;
use refit_base::{
    path::is_hidden,
    tree::{
        DirSource, Source, Sums,
        disk::Change,
        read_head,
        sums::{self, List},
    },
    wire::{Error, Result},
};
use std::path::Path;

/// True for a link, a pipe and anything else that cannot be a file of a tree.
pub fn is_special(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| !meta.is_file())
}

/// The files that differ from what `unpack` wrote, and how, sorted by path.
pub fn changes(tree: &Path) -> Result<Vec<(String, Change)>> {
    changes_of(tree, None)
}

/// [`changes`] of a tree whose files may be known.
fn changes_of(tree: &Path, known: Option<&KeptTree>) -> Result<Vec<(String, Change)>> {
    if !tree.is_dir() {
        return Err(std::fs::metadata(tree)
            .err()
            .map_or_else(|| Error::say("not a folder"), |e| Error::io(tree, e)));
    }
    let source = DirSource::new(tree);
    read_head(&source)?;
    let list = List::of(&source).and_then(|list| Sums::read(&list));
    let mut before = list.map_err(|e| {
        const SUMS: &str = "the checksums from when the files were unpacked (.refit/blake3)";
        match tree.join(sums::SUMS).symlink_metadata() {
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => {
                Error::say(format!("{SUMS} are missing"))
            }
            _ => e.context(format!("{SUMS} are unreadable")),
        }
        .hint("unpack the original file again")
    })?;
    let mut out = Vec::new();
    source.each_readable(&mut |path| {
        let ours = path.starts_with(".refit/");
        match before.remove(&path) {
            // A link or a pipe replaced it: reading it is refused.
            Some(_) if is_special(&tree.join(&path)) => out.push((path, Change::Modified)),
            Some(sum) if known.is_some_and(|known| known.has(&path, sum.exact())) => {}
            Some(sum) if sum.fits_file(&source.blob(&path)?)? => {}
            Some(_) => out.push((path, Change::Modified)),
            None if ours || is_hidden(&path) => {}
            None => out.push((path, Change::Added)),
        }
        Ok(())
    })?;
    out.extend(before.paths().map(|path| (path, Change::Deleted)));
    out.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(out)
}

/// True for a tree that was edited, or that may have been. Its files may be known.
pub fn may_be_edited(tree: &Path, known: Option<&KeptTree>) -> bool {
    changes_of(tree, known).map_or(true, |changes| !changes.is_empty())
}
