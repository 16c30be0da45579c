//! Folders that refit makes for its own files, and removes once they are empty.

use super::{
    fault::step,
    held,
    own::{self, By},
    rule::Replace,
    turn::{self, Turn, is_left_behind},
};
use crate::wire::{Error, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// True for an empty folder that refit made for its own files.
pub fn is_left_empty(folder: &Path) -> bool {
    let is_left = |entry: std::io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| is_left_behind(&entry.path()))
    };
    own::is_made(folder) && fs::read_dir(folder).is_ok_and(|mut entries| entries.all(is_left))
}

/// Removes what killed runs left in a folder.
pub fn sweep(folder: &Path) {
    // Not critical: another run will remove leftovers.
    let _ = Turn::take_swept(folder);
}

/// Removes a folder that refit made for its own files, and its parents, while they are empty. Does
/// not remove `root`.
pub fn remove_left_empty(folder: &Path, root: &Path) {
    let mut folder = folder.to_owned();
    while folder != root && folder.starts_with(root) && is_left_empty(&folder) {
        if let Ok(_turn) = Turn::take(&folder) {
            turn::sweep(&folder);
        }
        if step().and_then(|()| fs::remove_dir(&folder)).is_err() {
            return;
        }
        own::forget_gone(&folder);
        if !folder.pop() {
            return;
        }
    }
}

/// Folders created for something that is not in place yet, outermost first.
pub(super) struct NewFolders(pub(super) Vec<PathBuf>);

impl NewFolders {
    pub(super) fn make(folder: &Path) -> Result<Self> {
        // A folder that cannot be examined existed before and is not removed.
        let missing =
            |f: &&Path| !f.as_os_str().is_empty() && f.try_exists().is_ok_and(|exists| !exists);
        let mut missing: Vec<PathBuf> = folder
            .ancestors()
            .take_while(missing)
            .map(Path::to_owned)
            .collect();
        missing.reverse();
        let made = NewFolders(missing);
        step()
            .and_then(|()| fs::create_dir_all(folder))
            .map_err(|e| Error::io(folder, e))?;
        Ok(made)
    }

    /// Like `make`. If the folders are for a file that is added to a game, or for mods, attaches
    /// notes to them.
    pub(super) fn make_for(folder: &Path, may: &Replace<'_>) -> Result<Self> {
        let made = Self::make(folder)?;
        if may.adds.is_some() || may.by == By::Mods {
            made.0.iter().for_each(|folder| own::note_made(folder));
        }
        Ok(made)
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        // `remove_dir` only removes empty folders.
        for folder in self.0.iter().rev() {
            let _ = held::patiently(|| fs::remove_dir(folder));
        }
    }
}
