//! What a change would write, for a caller that writes it.

use super::edits::EditFinding;
use bytes::Bytes;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// A file that a change would write.
#[derive(Clone, Debug)]
pub struct FileWrite {
    /// Its path.
    pub path: PathBuf,
    /// Its new content; `None` if it is removed.
    pub bytes: Option<Bytes>,
}

/// Receives the files that a change would write, so that the caller writes them: see
/// [`Options::writes`](super::Options::writes).
#[derive(Debug, Default)]
pub struct Writes {
    files: Mutex<Vec<FileWrite>>,
    /// The findings by tree; `None` for a tree that was planned more than once.
    judged: Mutex<BTreeMap<PathBuf, Option<Vec<EditFinding>>>>,
}

impl Writes {
    /// Takes the files received so far, in order.
    pub fn take(&self) -> Vec<FileWrite> {
        std::mem::take(&mut *self.files.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the findings that the new files bring in, for each tree that was planned once. What a
    /// second plan for the same tree brings in is not known from either.
    pub fn take_judged(&self) -> impl Iterator<Item = (PathBuf, Vec<EditFinding>)> {
        let all = std::mem::take(&mut *self.judged.lock().unwrap_or_else(PoisonError::into_inner));
        all.into_iter()
            .filter_map(|(tree, found)| Some((tree, found?)))
    }

    pub(crate) fn judged(&self, tree: &Path, found: Vec<EditFinding>) {
        let mut judged = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        judged
            .entry(tree.to_owned())
            .and_modify(|found| *found = None)
            .or_insert(Some(found));
    }

    pub(super) fn add(&self, writes: impl Iterator<Item = FileWrite>) {
        self.files
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(writes);
    }
}
