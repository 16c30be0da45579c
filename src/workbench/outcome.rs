//! What became of files and trees.

use super::{edits::EditReport, paths::Input, unknown_files::is_unknown};
use refit_base::{Sum, format::Format, game::Game, wire::Error};
use refit_files::foreign::FileKind;
use std::path::{Path, PathBuf};

/// The result of repacking a tree: the file, or the reason why there is none.
#[derive(Default)]
pub struct Repacked {
    /// The tree, or the source folder of a new archive.
    pub tree: PathBuf,
    /// The file that was written; none if nothing was.
    pub file: Option<PathBuf>,
    /// The game, if known.
    pub game: Option<Game>,
    /// The format, if known.
    pub format: Option<Format>,
    /// Files that were added to the tree since it was unpacked, if the tree itself is the list of
    /// members.
    pub added: Vec<String>,
    /// Files of the tree that were removed.
    pub removed: Vec<String>,
    /// How the definitions that were edited differ from the original: `3 equal, 1 changed`.
    pub definitions: Option<String>,
    /// Size of the file.
    pub bytes: Option<u64>,
    /// Checksum of the file.
    pub sum: Option<Sum>,
    /// The file equals the unpacked one; `None` for a folder that is not a tree.
    pub identical: Option<bool>,
    /// The file existed already with the same content; `None` if that was not compared.
    pub unchanged: Option<bool>,
    /// The applied mods whose changes it has, too.
    pub mods: Vec<String>,
    /// The copy of the file that was replaced.
    pub kept: Option<PathBuf>,
    /// Descriptions of the signatures next to a PBO.
    pub signatures: Vec<String>,
    /// The effects of the edits; `None` for an unedited tree.
    pub news: Option<EditReport>,
    /// Notes of the model, which were reported already.
    pub notes: Vec<String>,
    /// Choices for a new file that its folder leaves open.
    pub assumed: Vec<String>,
    /// The file is one of several, and not in place yet.
    pub staged: bool,
    /// The reason why there is no file.
    pub error: Option<Error>,
}

impl Repacked {
    /// Nothing is known yet.
    pub fn new(tree: &Path) -> Self {
        Repacked {
            tree: tree.to_owned(),
            ..Self::default()
        }
    }

    /// True if the file existed already, or equals the unpacked one.
    pub fn is_same(&self) -> bool {
        self.identical == Some(true) || self.unchanged == Some(true)
    }
}

/// What became of a file that was unpacked.
#[derive(Default)]
pub struct Unpacked {
    /// The file.
    pub file: PathBuf,
    /// Its tree.
    pub tree: PathBuf,
    /// The game, if known.
    pub game: Option<Game>,
    /// The format, if known.
    pub format: Option<Format>,
    /// The kind of file, if its format was not recognised.
    pub kind: Option<FileKind>,
    /// It was found below a folder, and belongs to another program: it is skipped.
    pub is_unknown: bool,
    /// Size of the file.
    pub bytes: Option<u64>,
    /// Checksum of the file.
    pub sum: Option<Sum>,
    /// What stayed raw, and why: members, or an empty name for the whole file.
    pub raw: Vec<(String, String)>,
    /// The number of files in the tree, without refit's own.
    pub files: usize,
    /// The new path of the edited tree.
    pub aside: Option<PathBuf>,
    /// The file of a project that it is equal to, and whose tree it shares.
    pub same_as: Option<String>,
    /// The reason why there is no tree.
    pub error: Option<Error>,
}

impl Unpacked {
    /// Nothing is known yet.
    pub(super) fn new(file: &Path, tree: &Path) -> Self {
        Unpacked {
            file: file.to_owned(),
            tree: tree.to_owned(),
            ..Self::default()
        }
    }

    /// There is no tree.
    pub(super) fn fail(&mut self, input: &Input, error: &Error) {
        self.is_unknown = !input.explicit && is_unknown(error);
        self.error = Some(error.clone().about(&input.path));
    }
}
