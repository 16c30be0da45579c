//! Whether and how a file may be replaced.

use super::{
    backup::original_path,
    own::{self, By, Note},
    paths::{is_absent, parent},
    seen::own_note,
};
use crate::Sum;
use std::path::Path;

/// What to keep of a file that is replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backup {
    /// Keep it unless refit wrote it: for files that can be written again, such as those of a tree.
    #[default]
    Foreign,
    /// Keep it before the first replacement, even if refit wrote it: for edits in place.
    First,
    /// Keep nothing, at the user's request.
    Never,
}

/// Whether and how an existing file may be replaced.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replace<'a> {
    /// True if it may be replaced.
    pub force: bool,
    /// What to keep of the old file.
    pub backup: Backup,
    /// The checksum of the content that was read, for an edit in place: a file with other content is not
    /// replaced.
    pub read: Option<Sum>,
    /// The checksum of the file from which the new one was made. It is kept before the first
    /// replacement, even if refit wrote it.
    pub source: Option<Sum>,
    /// The writer.
    pub by: By<'a>,
    /// For a new file of a game, its path below the game's folder: `restore` deletes it.
    pub adds: Option<&'a Path>,
    /// Only the user may read the new file.
    pub private: bool,
}

impl Replace<'_> {
    /// Replaces a file only with `force`, and keeps it unless refit wrote it.
    pub fn new(force: bool) -> Self {
        Replace {
            force,
            ..Self::default()
        }
    }

    /// True for a file with this checksum that refit wrote and need not keep: it can be written
    /// again, or this writer knows it.
    pub(super) fn knows(&self, target: &Path, sum: Sum) -> bool {
        let by = own_note(target, sum).map(|note| note.by);
        by.is_some_and(|by| by.is_empty() || self.has_read(target, sum) || by == self.by.word())
    }

    /// True if this content, that of `target`, was read.
    pub(super) fn has_read(&self, target: &Path, sum: Sum) -> bool {
        self.read
            .is_some_and(|read| own::is_sum_of(target, sum, read))
    }

    /// The note for the new file.
    pub(super) fn note(&self, target: &Path, sum: Sum) -> String {
        let added = match added_place(target) {
            Some(place) => Some(place),
            None if is_absent(target) && is_absent(&original_path(target)) => self
                .adds
                .map(|path| own::place_of(target, path.iter().count())),
            None => None,
        };
        Note::text(sum, self.by, added.as_deref())
    }
}

/// True for a file that did not exist before refit wrote it, even if it was edited since.
pub fn is_added(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_file()) && added_place(path).is_some()
}

pub(super) fn added_place(path: &Path) -> Option<String> {
    let note = Note::of(path)?;
    let whole = crate::path::canonical(parent(path))
        .ok()?
        .join(path.file_name()?);
    note.added(&whole).map(str::to_owned)
}
