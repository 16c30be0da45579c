//! Several files at once: all of them, or none.
//!
//! What is to be written lies whole in a folder beside, with a journal, before the first file is touched. A fault in between puts back what
//! stood there; a kill leaves the journal, and the next run finishes what was begun.

use super::{
    Backup, Replace, Turn, backup_path, check_file, fault::step, is_absent, keep, keep_further, original, own, parent, read, sync_folder,
    write_file,
};
use crate::{
    tree::Blob,
    wire::{Error, Result},
};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What becomes of a file.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its path below the root, with `/`.
    pub path: String,
    /// SHA-256 of what stands there; `None` for nothing.
    pub old: Option<String>,
    /// What is to stand there; `None` for nothing.
    pub new: Option<bytes::Bytes>,
    /// How it comes about.
    pub how: How,
    /// What stands there is nobody's copy, and is kept as `NAME.orig.2` and so on.
    pub aside: bool,
}

/// How a file comes to be what it should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// It is written, or deleted; what stood there first is kept as `NAME.orig`.
    Game,
    /// `NAME.orig` is put back.
    Restore,
    /// It is refit's own: nothing of it is kept.
    Own,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Journal {
    /// What was being done.
    what: String,
    steps: Vec<Noted>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Noted {
    path: String,
    old: Option<String>,
    new: Option<String>,
    how: How,
    aside: bool,
}

/// The journal's name.
const JOURNAL: &str = "journal.json";
/// The folder that is held while somebody is at work.
const TURN: &str = "turn";

/// The folder of a root in which work that is not finished lies.
pub struct Together {
    root: PathBuf,
    folder: PathBuf,
}

fn named(path: &Path) -> String {
    path.display().to_string()
}

/// SHA-256 of what stands at a path; `None` for nothing.
pub fn standing(path: &Path) -> Result<Option<String>> {
    if is_absent(path) {
        return Ok(None);
    }
    Blob::of_file(&super::behind_links(path)?)?.sha256().map(Some)
}

impl Together {
    /// For the files below `root`; `name` is that of the folder in it.
    pub fn new(root: &Path, name: &str) -> Self {
        Together { root: root.to_owned(), folder: root.join(name) }
    }

    fn saved(&self, kind: &str, n: usize) -> PathBuf {
        self.folder.join(kind).join(n.to_string())
    }

    fn take_turn(&self) -> Result<Turn> {
        // A folder of its own: what is written beside it takes turns too.
        let folder = self.folder.join(TURN);
        step().and_then(|()| fs::create_dir_all(&folder)).map_err(|e| Error::io(&folder, e))?;
        Turn::take(&folder)
    }

    fn clear(&self) -> Result<()> {
        for kind in ["new", "old"] {
            match step().and_then(|()| fs::remove_dir_all(self.folder.join(kind))) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(&self.folder, e)),
                _ => {}
            }
        }
        Ok(())
    }

    /// The folder goes when nothing is in it any more.
    fn leave(&self, turn: Turn) -> Result<()> {
        self.clear()?;
        drop(turn);
        for folder in [self.folder.join(TURN), self.folder.clone()] {
            let _ = step().and_then(|()| fs::remove_dir(folder));
        }
        sync_folder(&self.root);
        Ok(())
    }

    /// Finishes what a run that was ended had begun; says what it was. Nothing where there is nothing to finish.
    pub fn recover(&self) -> Result<Option<String>> {
        if is_absent(&self.folder) {
            return Ok(None);
        }
        let turn = self.take_turn()?;
        let path = self.folder.join(JOURNAL);
        if is_absent(&path) {
            // It was ended before anything was touched.
            self.leave(turn)?;
            return Ok(None);
        }
        let journal: Journal = serde_json::from_slice(&read(&path)?).map_err(|e| Error::say(e.to_string()).in_file(named(&path)))?;
        self.check(&journal)?;
        for (n, noted) in journal.steps.iter().enumerate() {
            self.carry_out(n, noted)?;
        }
        self.end(turn)?;
        Ok(Some(journal.what))
    }

    /// Every file is what it was, or already what it should be.
    fn check(&self, journal: &Journal) -> Result<()> {
        for noted in &journal.steps {
            let path = self.target(noted)?;
            let now = standing(&path)?;
            if now != noted.old && now != noted.new {
                return Err(Error::say(format!("the file changed since `{}` was ended in the middle of its work", journal.what))
                    .in_file(named(&path))
                    .hint(format!("put back what stood there, or delete {} to leave the files as they are", self.folder.display())));
            }
        }
        Ok(())
    }

    fn target(&self, noted: &Noted) -> Result<PathBuf> {
        let bad = |part: &str| matches!(part, "" | "." | "..") || part.contains(['\\', ':']);
        match noted.path.split('/').any(bad) {
            true => Err(Error::say("not a path below the folder").in_file(noted.path.clone())),
            false => Ok(self.root.join(&noted.path)),
        }
    }

    fn end(&self, turn: Turn) -> Result<()> {
        let path = self.folder.join(JOURNAL);
        step().and_then(|()| fs::remove_file(&path)).map_err(|e| Error::io(&path, e))?;
        sync_folder(&self.folder);
        self.leave(turn)
    }

    /// Does it all, or nothing. `what` is told when it is finished later.
    pub fn commit(&self, what: &str, steps: &[Step]) -> Result<()> {
        let turn = self.take_turn()?;
        if !is_absent(&self.folder.join(JOURNAL)) {
            return Err(Error::say("another refit is at work here, or was ended").in_file(named(&self.folder)).hint("try again"));
        }
        let done = self.prepare(what, steps);
        let journal = match done {
            Ok(journal) => journal,
            Err(e) => {
                let _ = fs::remove_file(self.folder.join(JOURNAL));
                let _ = self.leave(turn);
                return Err(e);
            }
        };
        for (n, noted) in journal.steps.iter().enumerate() {
            if let Err(e) = self.carry_out(n, noted) {
                return Err(match self.undo(&journal, n).and_then(|()| self.end(turn)) {
                    Ok(()) => e.hint("every file is what it was before"),
                    Err(also) => e.hint(format!("nor could what stood there be put back ({also}); the next `refit mod` finishes it")),
                });
            }
        }
        self.end(turn)
    }

    fn prepare(&self, what: &str, steps: &[Step]) -> Result<Journal> {
        self.clear()?;
        let mut journal = Journal { what: what.to_owned(), steps: Vec::new() };
        for (n, step_) in steps.iter().enumerate() {
            let noted = Noted {
                path: step_.path.clone(),
                old: step_.old.clone(),
                new: step_.new.as_ref().map(|bytes| crate::sha256(bytes)),
                how: step_.how,
                aside: step_.aside,
            };
            let path = self.target(&noted)?;
            if standing(&path)? != noted.old {
                return Err(Error::say("the file changed while refit was at work").in_file(named(&path)).hint("nothing was written; try again"));
            }
            if noted.how != How::Restore {
                check_file(&path, Replace { backup: backup_of(noted.how), ..Replace::new(true) })?;
            }
            if let (Some(bytes), true) = (&step_.new, noted.how != How::Restore) {
                write_file(&self.saved("new", n), bytes, Replace { backup: Backup::Never, ..Replace::new(true) })?;
            }
            if noted.old.is_some() {
                // For the case that a later file cannot be written.
                write_file(&self.saved("old", n), &read(&path)?, Replace { backup: Backup::Never, ..Replace::new(true) })?;
            }
            journal.steps.push(noted);
        }
        let text = serde_json::to_vec_pretty(&journal).map_err(|e| Error::say(e.to_string()))?;
        write_file(&self.folder.join(JOURNAL), &text, Replace { backup: Backup::Never, ..Replace::new(true) })?;
        Ok(journal)
    }

    fn carry_out(&self, n: usize, noted: &Noted) -> Result<()> {
        let path = self.target(noted)?;
        let now = standing(&path)?;
        if now == noted.new && !(noted.how == How::Restore && original(&path).is_ok()) {
            return Ok(());
        }
        if let (true, Some(sum)) = (noted.aside, &now) {
            keep_further(&super::behind_links(&path)?, sum)?;
        }
        match (noted.how, &noted.new) {
            (How::Restore, _) => original(&path)?.restore().map(|_| ()),
            (how, Some(_)) => {
                let bytes = read(&self.saved("new", n))?;
                // An original is kept even of what refit wrote: it is what the work began with.
                let may = Replace { backup: backup_of(how), read: now.as_deref(), source: now.as_deref(), ..Replace::new(true) };
                write_file(&path, &bytes, may).map(|_| ())
            }
            (how, None) => {
                let Some(sum) = now else { return Ok(()) };
                let file = super::behind_links(&path)?;
                let _turn = Turn::take(parent(&file))?;
                if how == How::Game {
                    keep(&file, &sum, &Replace { backup: Backup::Foreign, source: Some(&sum), ..Replace::new(true) })?;
                }
                step().and_then(|()| fs::remove_file(&file)).map_err(|e| Error::io(&file, e))?;
                sync_folder(parent(&file));
                if how == How::Own || is_absent(&backup_path(&file)) {
                    own::forget(&file, &backup_path(&file));
                }
                Ok(())
            }
        }
    }

    /// Puts back what stood there before the step that failed, and the steps before it.
    fn undo(&self, journal: &Journal, failed: usize) -> Result<()> {
        for (n, noted) in journal.steps.iter().enumerate().take(failed + 1).rev() {
            let path = self.target(noted)?;
            let now = standing(&path)?;
            if now == noted.old {
                continue;
            }
            match &noted.old {
                Some(old) => {
                    // What was pristine is so again, with its original gone as before.
                    if noted.how == How::Game
                        && let Ok(original) = original(&path)
                        && Blob::of_file(&original.backup)?.sha256()? == *old
                    {
                        original.restore()?;
                        continue;
                    }
                    let bytes = read(&self.saved("old", n))?;
                    if noted.how == How::Restore {
                        // The original is an original again.
                        write_file(&path, &bytes, Replace { backup: Backup::First, ..Replace::new(true) })?;
                    } else {
                        write_file(&path, &bytes, Replace { backup: Backup::Never, ..Replace::new(true) })?;
                    }
                }
                None => {
                    step().and_then(|()| fs::remove_file(&path)).map_err(|e| Error::io(&path, e))?;
                    own::forget(&path, &backup_path(&path));
                }
            }
        }
        Ok(())
    }
}

fn backup_of(how: How) -> Backup {
    match how {
        How::Own => Backup::Never,
        _ => Backup::Foreign,
    }
}
