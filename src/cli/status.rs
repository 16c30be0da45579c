//! `refit status`: what was edited in a tree since it was unpacked.

use super::{
    paths, project,
    session::{Line, Paint, Session, ShownPath, about, count},
};
use clap::Args;
use refit::{
    path::Shown,
    tree::{DirSource, Source, Sums, is_project, read_head, sums},
    wire::{Error, Result},
};
use std::path::{Path, PathBuf};

/// Tell what was edited in a tree, or in a project, since it was unpacked
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit status reader
  refit status mymod       every edited file of a project

Exit code 3 when something was edited, 0 when not.")]
pub struct Status {
    /// Trees, or projects
    #[arg(required = true, value_name = "TREE|PROJECT")]
    trees: Vec<PathBuf>,
}

/// A row of `--json`: a file of a tree or of a project, and what became of it.
#[derive(serde::Serialize)]
pub struct Row<'a> {
    #[serde(flatten)]
    pub place: &'a ShownPath,
    pub file: &'a str,
    pub status: &'a str,
}

/// True for a link, a pipe and whatever else is no file of a tree.
pub fn is_special(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| !meta.is_file())
}

/// The files that differ from what `unpack` wrote, and how.
pub fn changes(tree: &Path) -> Result<Vec<(String, &'static str)>> {
    if !tree.is_dir() {
        return Err(std::fs::metadata(tree).err().map_or_else(|| Error::say("not a folder"), |e| Error::io(tree, e)));
    }
    let source = DirSource::new(tree);
    read_head(&source)?;
    let list = source.blob(sums::SUMS).and_then(|list| Sums::read(&list));
    let mut before = list.map_err(|e| {
        const SUMS: &str = "the sums of the files when they were unpacked (.refit/sha256)";
        match tree.join(sums::SUMS).symlink_metadata() {
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => Error::say(format!("{SUMS} are missing")),
            _ => e.context(format!("{SUMS} are unreadable")),
        }
        .hint("unpack the original file again")
    })?;
    let mut out = Vec::new();
    source.each_readable(&mut |path| {
        let ours = path.starts_with(".refit/");
        match before.remove(&path) {
            // A link or a pipe in its place: reading it is refused.
            Some(_) if is_special(&tree.join(&path)) => out.push((path, "modified")),
            Some(sum) if sum.fits_file(&source.blob(&path)?)? => {}
            Some(_) => out.push((path, "modified")),
            None if ours || paths::is_hidden(&path) => {}
            None => out.push((path, "added")),
        }
        Ok(())
    })?;
    out.extend(before.paths().map(|path| (path, "deleted")));
    out.sort();
    Ok(out)
}

impl Status {
    /// Runs the command.
    pub fn run(self, session: &mut Session) -> Result<()> {
        for tree in paths::expand(&self.trees)? {
            if is_project(&tree) {
                if let Err(e) = project::status(session, &tree) {
                    session.error(about(&tree, &e));
                }
                continue;
            }
            let changes = match changes(&tree) {
                Ok(changes) => changes,
                Err(e) => {
                    session.error(about(&tree, &e));
                    continue;
                }
            };
            let name = tree.shown();
            let place = ShownPath::of(&tree);
            if !changes.is_empty() {
                session.found();
            }
            for (path, status) in &changes {
                if session.global.json {
                    session.json(&Row { place: &place, file: path, status });
                    continue;
                }
                let paint = if *status == "deleted" { Paint::Red } else { Paint::Yellow };
                let file = tree.join(path);
                let why = if is_special(&file) { " (a link, a pipe or a device, not a file: repack refuses it)" } else { "" };
                session.tell(Line::new().paint(paint, format!("{status:8}")).text(format!("  {}{why}", file.shown())));
            }
            match changes.len() {
                0 => session.tell(format!("{name}: as it was unpacked")),
                n => session.tell(format!("{name}: {} edited", count(n, "file"))),
            }
        }
        Ok(())
    }
}
