//! Game and format from the bytes (detection.md). The name of a file is only a tie-break.

use crate::{
    formats::Format,
    game::Game,
    wire::{Error, Result},
};

/// What a file was recognised as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    /// The format.
    pub format: Format,
    /// The game, where content or name tell it.
    pub game: Option<Game>,
    /// Why.
    pub evidence: String,
    /// A signature and its structure, or a full walk.
    pub certain: bool,
}

/// Recognises a file; the error says what was tried.
pub fn detect(file: &[u8], path: &str) -> Result<Detection> {
    let _ = (file, path);
    Err(Error::say("not a file of a known format"))
}
