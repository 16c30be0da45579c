//! The progress of a question about all files, and the results so far.

use super::{View, lock};
use refit_index as index;
use serde_json::{Value, json};
use std::sync::{Mutex, MutexGuard};

/// How far a survey of all files is.
#[derive(Default)]
pub(super) struct Reading(Mutex<State>);

/// The state of a survey.
#[derive(Default)]
pub(super) struct State {
    is_running: bool,
    /// The file that it works on, for display.
    at: String,
    /// How many files it read.
    done: usize,
    /// The names in them, if it collects names.
    pub names: Vec<index::File>,
}

impl Reading {
    /// The survey begins.
    pub fn begin(&self) {
        *self.state() = State {
            is_running: true,
            ..State::default()
        };
    }

    /// Ends the survey. Returns the names that it collected.
    pub fn end(&self) -> Vec<index::File> {
        std::mem::take(&mut *self.state()).names
    }

    /// The survey waits for a file.
    pub fn wait(&self, name: &str) {
        name.clone_into(&mut self.state().at);
    }

    /// The survey has read one file more.
    pub fn read(&self) {
        self.state().done += 1;
    }

    /// The survey found the names of a file.
    pub fn found(&self, file: index::File) {
        self.state().names.push(file);
    }

    /// The state now.
    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

impl View {
    /// The progress of a survey; null if none is running.
    pub(super) fn progress(&self, state: &State) -> Value {
        if !state.is_running {
            return Value::Null;
        }
        let at = state
            .at
            .strip_prefix(&self.root)
            .unwrap_or(&state.at)
            .trim_start_matches(['/', '\\']);
        let of = self.files().list.len() + self.others;
        json!({ "done": state.done.min(of), "of": of, "at": at })
    }
}
