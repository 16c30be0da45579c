//! Addons: signed with a key of the user, and checked as a server does it.

use super::{Session, plan::spelling};
use refit_base::{
    path::Shown,
    tree::is_tree,
    wire::{Error, Result},
};
use refit_workbench::{
    Input, Options, Progress,
    sign::{self, ServerKeys},
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The signature of an addon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signed {
    /// Its file, by its path below the game's folder.
    pub signature: String,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// A signature beside an addon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SignatureCheck {
    /// The name of its file.
    pub name: String,
    /// True if the games accept the addon with it.
    pub fits: bool,
    /// The result in words.
    pub text: String,
}

/// The signatures of an addon, and what a server thinks of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AddonCheck {
    /// The signatures beside it.
    pub signatures: Vec<SignatureCheck>,
    /// Why a server with the given keys refuses it: a line for each signature, empty if it accepts
    /// one. `None` without keys.
    pub refusals: Option<Vec<String>>,
    /// True if the project has edits of the addon that are not in the game yet.
    pub is_old: bool,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl Session {
    /// The file of the game, which is what a server checks.
    fn addon(&self, file: &str) -> Result<PathBuf> {
        refit_base::tree::check_inside_path(file).map_err(|e| e.in_file(file))?;
        Ok(self.game()?.join(file))
    }

    /// True if building the project would change the file of the game.
    fn is_old(&self, file: &str) -> Result<bool> {
        if !is_tree(&self.root().join(file)) {
            return Ok(false);
        }
        Ok(self.not_in_game()?.contains(file))
    }

    /// Signs an addon of the game with a private key, whose file stays where it is. The signature is
    /// written beside the addon; another program's of this name is kept as `NAME.orig`.
    ///
    /// # Errors
    /// If the project has edits of the addon that are not in the game, if the file is no addon or
    /// contains a private key, or if the key cannot be read.
    pub fn sign(
        &self,
        file: &str,
        key: &Path,
        version: u32,
        progress: &dyn Progress,
    ) -> Result<String> {
        let path = self.addon(file)?;
        if !matches!(version, 2 | 3) {
            return Err(Error::say(format!(
                "version {version} of signatures is unknown; 2 and 3 are the ones of the games"
            )));
        }
        let key = sign::private_key(key)?;
        if self.is_old(file)? {
            return Err(
                Error::say("the game has this addon without your latest edits")
                    .in_file(file)
                    .hint("put your edits into the game first, then sign it"),
            );
        }
        let relative = path.file_name().map(PathBuf::from).unwrap_or_default();
        let input = Input {
            path: path.clone(),
            relative,
            explicit: true,
        };
        let options = Options {
            force: true,
            ..self.options.clone()
        };
        let signature = sign::sign(&input, &key, version, &options, progress)?;
        let game = self.game()?;
        Ok(match signature.strip_prefix(&game) {
            Ok(below) => spelling(below),
            Err(_) => signature.shown(),
        })
    }

    /// Checks the signatures beside an addon of the game, and, with the folder of a server's keys,
    /// whether that server accepts it.
    ///
    /// # Errors
    /// If the file is no addon, or if the folder has no keys.
    pub fn check_addon(&self, file: &str, keys: Option<&Path>) -> Result<AddonCheck> {
        let path = self.addon(file)?;
        let one = |signature: &sign::Signature| SignatureCheck {
            name: signature.name(),
            fits: signature.fits(),
            text: signature.text(),
        };
        let signatures = sign::signatures(&path)?.iter().map(one).collect();
        let mut notes = Vec::new();
        let refusals = match keys {
            Some(folder) => {
                let keys = ServerKeys::read(folder)?;
                notes.extend(keys.wrong.iter().map(ToString::to_string));
                Some(keys.refusals(&path)?)
            }
            None => None,
        };
        Ok(AddonCheck {
            signatures,
            refusals,
            is_old: self.is_old(file)?,
            notes,
        })
    }
}
