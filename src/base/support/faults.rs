//! Keeps errors of reads from disk for callers that cannot return them.

use crate::wire::{Error, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// The first error of a read whose caller could not return it: see
/// [`crate::contract::Model::fault`]. Clones share it.
#[derive(Clone, Default, Debug)]
pub struct Faults(Arc<Mutex<Option<Error>>>);

impl Faults {
    /// Returns the value; the first error is kept.
    pub fn or_note<T>(&self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.0
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(error);
                None
            }
        }
    }

    /// Takes the error, leaving none.
    pub fn take(&self) -> Option<Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
