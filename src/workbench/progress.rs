//! Events that the workbench reports during its work.

use super::outcome::{Repacked, Unpacked};
use refit_base::{
    lint::Severity,
    path::Shown,
    tree::disk::{KeptCopy, Replaced, together::Recovered},
    wire::Error,
};
use std::path::Path;

/// Something to report.
pub enum Event<'a> {
    /// A long task with this number of bytes begins; 0 if the size is unknown.
    Begin(u64),
    /// The task works on this now.
    At(&'a str),
    /// The task finished this number of further bytes.
    Done(u64),
    /// The task is over.
    End,
    /// A detail, such as a skipped or a kept file.
    Detail(&'a str),
    /// Something that the user should know.
    Warning(&'a str),
    /// A finding: a problem in the game, or merely unusual.
    Finding(Severity, &'a str),
    /// One item failed; the work continues with the next.
    Failed(&'a Error),
    /// One tree of a project was built, or could not be.
    Repacked(&'a Repacked),
    /// One file was unpacked, or could not be, or was skipped.
    Unpacked(&'a Unpacked),
}

/// Receives reports, on any thread. A closure is one.
pub trait Progress: Sync {
    /// Receives a report.
    fn report(&self, event: Event<'_>);

    /// Reports something that the user should know.
    fn warn(&self, text: &str) {
        self.report(Event::Warning(text));
    }

    /// Reports notes about a file.
    fn notes(&self, file: &Path, notes: &[String]) {
        notes
            .iter()
            .for_each(|note| self.warn(&format!("{}: {note}", file.shown())));
    }

    /// Reports a detail.
    fn detail(&self, text: &str) {
        self.report(Event::Detail(text));
    }

    /// Reports the copy that was kept of a replaced file: as a warning if the user may not expect
    /// it.
    fn kept(&self, target: &Path, kept: Option<&KeptCopy>) {
        let Some(kept) = kept else { return };
        let text = format!(
            "{}: the old file is kept as {}",
            target.shown(),
            kept.path.shown()
        );
        match kept.foreign {
            true => self.warn(&format!(
                "{text}, because refit did not write it and did not use it for the new file"
            )),
            false => self.detail(&text),
        }
    }

    /// Reports what became of a folder that was replaced, if it is not simply gone.
    fn replaced(&self, target: &Path, replaced: &Replaced) {
        if let (Some(aside), Some(edits)) = (replaced.aside_of(target), &replaced.edits) {
            let edited = Replaced::describe(edits);
            self.warn(&format!(
                "{}: {edited}; the old folder is now {}",
                target.shown(),
                aside.shown()
            ));
        }
        if let Some((path, why)) = &replaced.left {
            let rest = path.shown();
            self.warn(&format!(
                "{}: the old folder could not be removed completely; the rest is {rest}: {why}",
                target.shown()
            ));
        }
    }

    /// Reports how work that an ended run had begun was finished.
    fn recovered(&self, recovered: Option<&Recovered>) {
        if let Some(recovered) = recovered {
            self.warn(&recovered.to_string());
        }
    }
}

impl<F: Fn(Event<'_>) + Sync> Progress for F {
    fn report(&self, event: Event<'_>) {
        self(event);
    }
}

/// Ignores all reports.
pub struct Quiet;

impl Progress for Quiet {
    fn report(&self, _: Event<'_>) {}
}

/// A long task; it is over when this is dropped.
pub struct Task<'a>(&'a dyn Progress);

impl<'a> Task<'a> {
    /// Begins a task of `total` bytes; 0 if that is unknown.
    pub fn new(progress: &'a dyn Progress, total: u64) -> Self {
        progress.report(Event::Begin(total));
        Task(progress)
    }

    /// Reports the current item.
    pub fn at(&self, name: &str) {
        self.0.report(Event::At(name));
    }

    /// Reports the number of bytes finished since the last report.
    pub fn done(&self, bytes: u64) {
        self.0.report(Event::Done(bytes));
    }
}

impl Drop for Task<'_> {
    fn drop(&mut self) {
        self.0.report(Event::End);
    }
}
