//! How a folder differs from what refit wrote.

use super::{folder::DirSource, turn};
use crate::{
    par,
    tree::{Sums, blob::Blob, sums::List},
    wire::{Error, Result},
};
use std::path::{Path, PathBuf};

/// How a file in a folder differs from what refit wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Its content differs.
    Modified,
    /// refit did not write it.
    Added,
    /// It is missing.
    Deleted,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Change::Modified => "modified",
            Change::Added => "added",
            Change::Deleted => "deleted",
        })
    }
}

/// All differences between a folder and what refit wrote there, sorted by path: what replacing the
/// folder would lose. Ignores files in which systems store the display of a folder.
pub fn edits(folder: &Path) -> Result<Vec<(String, Change)>> {
    turn::note_unfinished(folder);
    let unknown = |e: Error| e.hint("so refit cannot tell what was edited");
    let list = |folder: &Path| List::of(&DirSource::new(folder)).map_err(unknown);
    let mut lists = vec![(String::new(), list(folder)?)];
    let spelled = |path: &Path| {
        path.components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/")
    };
    // A project consists of trees, each with its own checksums.
    let mut trees = std::collections::HashSet::from([PathBuf::from(".refit")]);
    if crate::tree::is_project(folder) {
        for entry in walkdir::WalkDir::new(folder)
            .min_depth(2)
            .into_iter()
            .filter_map(|entry| entry.ok())
        {
            let tree = entry
                .path()
                .strip_prefix(folder)
                .ok()
                .filter(|_| entry.file_type().is_dir())
                .and_then(|own| {
                    let tree = own
                        .parent()
                        .filter(|_| own.ends_with(".refit") && List::is_in(entry.path()))?;
                    Some((own.to_owned(), tree.to_owned()))
                });
            if let Some((own, tree)) = tree {
                lists.push((spelled(&tree) + "/", list(&folder.join(&tree))?));
                trees.insert(own);
            }
        }
    }
    let mut before = Sums::read_all(lists).map_err(unknown)?;
    let mut out = Vec::new();
    let mut to_sum = Vec::new();
    for entry in walkdir::WalkDir::new(folder).min_depth(1) {
        let entry = entry.map_err(|e| {
            unknown(Error::io(
                e.path().unwrap_or(folder),
                std::io::Error::other(e.to_string()),
            ))
        })?;
        let Ok(relative) = entry.path().strip_prefix(folder) else {
            continue;
        };
        let own = relative
            .ancestors()
            .any(|above| above.ends_with(".refit") && trees.contains(above));
        if entry.file_type().is_dir() || own || is_of_the_system(relative) {
            continue;
        }
        let name = spelled(relative);
        match before.remove(&name) {
            Some(sum) if entry.file_type().is_file() => to_sum.push((name, entry.into_path(), sum)),
            Some(_) => out.push((name, Change::Modified)),
            None => out.push((name, Change::Added)),
        }
    }
    let same = par::try_map(&to_sum, |_, (_, path, sum)| {
        sum.fits_file(&Blob::of_file(path)?)
    })
    .map_err(unknown)?;
    out.extend(
        to_sum
            .into_iter()
            .zip(same)
            .filter(|(_, same)| !same)
            .map(|((name, ..), _)| (name, Change::Modified)),
    );
    out.extend(before.paths().map(|name| (name, Change::Deleted)));
    out.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(out)
}

pub(super) fn is_of_the_system(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    matches!(name.as_str(), ".ds_store" | "thumbs.db" | "desktop.ini") || name.starts_with("._")
}
