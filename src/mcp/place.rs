//! A folder that a call works on, and the options of this work.

use refit_base::{
    path::Shown,
    wire::{Error, Result},
};
use refit_workbench::{IndexCache, Options};
use std::path::{Path, PathBuf};

/// A folder that a call works on. It was checked that the work does not leave the named folders.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// The game of a project, or the folder itself; `None` for a project without one.
    pub game: Option<PathBuf>,
    pub is_project: bool,
}

impl Place {
    /// The folder of the game.
    ///
    /// # Errors
    /// For a project whose game is not known on this machine.
    pub fn game(&self) -> Result<&Path> {
        let missing = || {
            Error::say("the game of this project is not known on this machine")
                .in_file(self.path.shown())
        };
        self.game.as_deref().ok_or_else(missing)
    }
}

/// The options of all work: nothing is read or written in the user's cache folder.
pub(crate) fn options() -> Options {
    Options {
        index_cache: IndexCache::None,
        ..Options::default()
    }
}
