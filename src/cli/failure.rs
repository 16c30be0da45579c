//! Why a command ended without its work done.

use refit_base::wire::Error;

/// Why a command ended.
pub enum Failure {
    /// The arguments do not fit together.
    Usage(String),
    /// Something went wrong.
    Error(Error),
}

impl Failure {
    /// Arguments that do not fit together.
    pub fn usage<T>(message: impl Into<String>) -> Result<T, Failure> {
        Err(Failure::Usage(message.into()))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}
