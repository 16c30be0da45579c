//! Errors of what is read from disk for those who cannot be told at once.

use crate::wire::{Error, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// What could not be read for somebody who has no use for an error, and why: see [`crate::formats::Model::fault`]. A clone is the same one.
#[derive(Clone, Default, Debug)]
pub struct Faults(Arc<Mutex<Option<Error>>>);

impl Faults {
    /// The value; of errors the first is kept.
    pub fn or_note<T>(&self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                None
            }
        }
    }

    /// Takes the error out.
    pub fn take(&self) -> Option<Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
