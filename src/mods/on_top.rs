//! Edits of a project on top of the mods of a game: a merge of three files, the pristine one, the
//! result of the mods, and the project's.

use super::{Maker, ModdedGame, applied::HeldFile};
use bytes::Bytes;
use refit_base::{
    tree::Blob,
    wire::{Error, Result},
};
use refit_diff::{Opened, Tree};
use refit_files::pipeline::Hints;

/// The result of a merge.
pub enum OnTop {
    /// The file with all changes.
    File(Bytes),
    /// The changes that do not go together, in sentences.
    Conflicts(Vec<String>),
}

impl HeldFile {
    /// The file with the changes of the mods alone.
    pub fn of_mods(&self) -> Result<Bytes> {
        let made = ModdedGame::open(&self.root, true)?.made(&self.file.path, None)?;
        let is_it = |bytes: &Bytes| self.file.written.is_some_and(|sum| sum.fits(bytes));
        made.bytes.filter(is_it).ok_or_else(|| {
            Error::say("the mods no longer give the file that they gave")
                .in_file(self.file.path.clone())
                .hint("apply them again: refit mod apply")
        })
    }

    /// Merges the changes of the mods with those between the pristine file and `edited`, which
    /// `name` made.
    pub fn on_top(&self, name: &str, edited: &Bytes, hints: Hints) -> Result<OnTop> {
        let game = ModdedGame::open(&self.root, true)?;
        let path = &self.file.path;
        let Some(pristine) = game.original(path)? else {
            return Err(Error::say("the original is gone").in_file(path.clone()));
        };
        let opened = |bytes: &Bytes| Opened::file(&Blob::Memory(bytes.clone()), path, hints);
        let (pristine, edited) = Tree::both(opened(&pristine), opened(edited))?;
        let mut maker = Maker::new(&free_name(name, &game));
        if !maker.changed(path, &pristine, &edited)? {
            return self.of_mods().map(OnTop::File);
        }
        let made = game.made(path, Some(maker.finish()?))?;
        if !made.conflicts.is_empty() {
            return Ok(OnTop::Conflicts(made.conflicts));
        }
        if !made.unplaced.is_empty() || made.more > 0 {
            // Changes of the mods that never had a place are not the edit's fault.
            let own = game.mods().count();
            let before = game.made(path, None)?;
            let is_worse = made.unplaced.len() + made.more > before.unplaced.len() + before.more;
            if is_worse || made.unplaced.iter().any(|(by, _)| *by == own) {
                let texts = made.unplaced.into_iter().map(|(_, text)| text);
                return Ok(OnTop::Conflicts(texts.collect()));
            }
        }
        match made.bytes {
            Some(bytes) => Ok(OnTop::File(bytes)),
            None => Ok(OnTop::Conflicts(vec!["the mods delete this file".into()])),
        }
    }
}

/// A name that no applied mod has.
fn free_name(name: &str, game: &ModdedGame) -> String {
    let is_taken = |name: &str| game.mods().any(|a_mod| a_mod.manifest.name == name);
    let mut free = name.to_owned();
    while free.is_empty() || is_taken(&free) {
        free.push_str(" (project)");
    }
    free
}
