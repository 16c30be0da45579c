//! What became of a tree that was repacked.

use super::edits::EditReport;
use crate::{format::Format, game::Game, wire::Error};
use std::path::{Path, PathBuf};

/// What became of a tree: the file that was made of it, or why none was.
#[derive(Default)]
pub struct Repacked {
    /// The tree, or the folder that a new archive is made of.
    pub tree: PathBuf,
    /// The file.
    pub file: Option<PathBuf>,
    /// Its game.
    pub game: Option<Game>,
    /// Its format.
    pub format: Option<Format>,
    /// Files of the tree that were added since it was unpacked, where the tree itself is the list.
    pub added: Vec<String>,
    /// Files of the tree that were removed.
    pub removed: Vec<String>,
    /// How the definitions that were edited differ from the original: `3 equal, 1 changed`.
    pub definitions: Option<String>,
    /// Size of the file.
    pub bytes: Option<u64>,
    /// SHA-256 of the file.
    pub sha256: Option<String>,
    /// The file is the one that was unpacked; `None` for a folder that is no tree.
    pub identical: Option<bool>,
    /// The file was there already; `None` if that was not compared.
    pub unchanged: Option<bool>,
    /// The copy of the file that was replaced.
    pub kept: Option<PathBuf>,
    /// What is known of the signatures beside a PBO.
    pub signatures: Vec<String>,
    /// What the edits brought in; `None` for an unedited tree.
    pub news: Option<EditReport>,
    /// Notes of the model, which were reported already.
    pub notes: Vec<String>,
    /// The file is one of several, and not in place yet.
    pub staged: bool,
    /// Why there is no file.
    pub error: Option<Error>,
}

impl Repacked {
    /// Nothing is known yet.
    pub fn new(tree: &Path) -> Self {
        Repacked { tree: tree.to_owned(), ..Self::default() }
    }

    /// True if the file was there already, or is the one that was unpacked.
    pub fn is_same(&self) -> bool {
        self.identical == Some(true) || self.unchanged == Some(true)
    }
}
