//! Who wrote a file that a build would replace.

use refit_base::{
    Sum,
    path::Shown,
    tree::disk::{self, By, Note},
    wire::{Error, Result},
};
use std::path::Path;

/// The origin of the game's file that will be replaced.
pub(crate) enum Writer {
    /// There is no file.
    None,
    /// It is the file that the project or the tree came from, or the result of the last build.
    Known,
    /// refit, but not for this project.
    Other(Note),
    /// Another program.
    Foreign,
}

impl Writer {
    /// The writer of a file, for a build of `by` from the file with the checksum `original`.
    pub(crate) fn of(target: &Path, original: Sum, by: By<'_>) -> Result<Self> {
        match target.metadata() {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Writer::None),
            // A pipe would be waited for. It is refused when it is replaced.
            Ok(meta) if !meta.is_file() => return Ok(Writer::Foreign),
            _ => {}
        }
        let Some(sum) = disk::standing(target)? else {
            return Ok(Writer::None);
        };
        if disk::is_sum_of(target, sum, original) {
            return Ok(Writer::Known);
        }
        Ok(match disk::own_note(target, sum) {
            Some(note) if note.by == by.word() => Writer::Known,
            Some(note) => Writer::Other(note),
            None => Writer::Foreign,
        })
    }

    /// An error if a build with the checksum `new` must not replace the file without force: the same
    /// bytes do not replace it.
    pub(crate) fn check(&self, target: &Path, new: Sum) -> Result<()> {
        let other = || {
            target.metadata().is_ok()
                && disk::standing(target)
                    .is_ok_and(|now| !now.is_some_and(|now| disk::is_sum_of(target, now, new)))
        };
        match self.refusal() {
            Some(refusal) if other() => Err(Error::say(refusal)
                .in_file(target.shown())
                .hint("nothing was written; --force replaces it and keeps a copy beside it")),
            _ => Ok(()),
        }
    }

    /// Why the file is not replaced without force.
    fn refusal(&self) -> Option<&'static str> {
        match self {
            Writer::None | Writer::Known => None,
            Writer::Foreign => Some(
                "this file is neither the original nor what refit wrote: another program changed it, or \
                    the project or tree came from the game with other mods",
            ),
            Writer::Other(note) if note.by == By::Edit.word() => Some(
                "this file was edited in place (refit put, import), and the project or tree does not have that edit",
            ),
            Writer::Other(_) => {
                Some("refit wrote this file for another tree, project or mod, not for this one")
            }
        }
    }
}
