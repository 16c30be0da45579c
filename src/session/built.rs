//! What putting edits into a game, or taking them out, did or would do.

use refit_base::path::Shown;
use refit_workbench::{Event, Progress, outcome::Repacked, project, restore};
use serde::Serialize;
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// Collects warnings and errors of single files, for people who read them afterwards.
#[derive(Debug, Default)]
pub struct Notes(Mutex<Vec<String>>);

impl Notes {
    /// The notes so far, which are removed here.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Progress for Notes {
    fn report(&self, event: Event<'_>) {
        let text = match event {
            Event::Warning(text) => text.to_owned(),
            Event::Failed(e) => e.to_string(),
            Event::Repacked(report) => match &report.error {
                Some(e) => e.to_string(),
                None => return,
            },
            _ => return,
        };
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(text);
    }
}

fn shown(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|file| file.shown()).collect()
}

/// The files of a game that a build changed or would change, by their paths on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BuildReport {
    /// Files that were built of their edited trees.
    pub built: Vec<String>,
    /// Files whose edits were taken back: they are the originals again.
    pub restored: Vec<String>,
    /// Files whose edits were taken back: they are what the mods made again.
    pub of_mods: Vec<String>,
    /// Files that the project had added, and that are removed.
    pub removed: Vec<String>,
    /// Number of files that were not edited.
    pub unedited: usize,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl BuildReport {
    /// The report of a build, with the notes of its progress.
    pub fn of(outcome: &project::Outcome, notes: Vec<String>) -> Self {
        let file = |report: &Repacked| report.file.as_ref().map(|file| file.shown());
        BuildReport {
            built: outcome.built.iter().filter_map(file).collect(),
            restored: shown(&outcome.restored),
            of_mods: shown(&outcome.of_mods),
            removed: shown(&outcome.removed),
            unedited: outcome.unedited,
            notes,
        }
    }
}

/// The files of a game that were or would be put back, by their paths on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RestoreReport {
    /// Files that are the originals again.
    pub restored: Vec<String>,
    /// Files that refit had added, and that are removed.
    pub removed: Vec<String>,
    /// Mods that are no longer applied; empty in a plan.
    pub off: Vec<String>,
    /// Number of files that were left alone.
    pub left: usize,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl RestoreReport {
    /// The report of a restoration, with the notes of its progress.
    pub fn of(outcome: &restore::Outcome, notes: Vec<String>) -> Self {
        let restored = outcome.restored.iter();
        let removed = outcome.removed.iter();
        RestoreReport {
            restored: restored
                .map(|(original, _)| original.file.shown())
                .collect(),
            removed: removed.map(|(file, _)| file.shown()).collect(),
            off: outcome.off.iter().map(|(_, name)| name.clone()).collect(),
            left: outcome.left,
            notes,
        }
    }
}
