//! The proof for everything that refit unpacks: bytes → model → bytes, and bytes → model → text →
//! model → bytes.

use super::{Form, Style};
use crate::wire::{Error, Result};

/// The steps of a round trip for a file or a part of one.
pub trait RoundTrip {
    /// The decoded form of the bytes.
    type Model;
    /// The printed form in a tree.
    type Text;
    /// `decode` already verifies the bytes, so `prove` skips the first comparison.
    const DECODE_COMPARES: bool = false;

    /// Bytes → model.
    fn decode(&mut self) -> Result<Self::Model>;
    /// Model → bytes. An error unless they equal the stored bytes.
    fn compare(&mut self, model: &Self::Model) -> Result<()>;
    /// Model → text. Takes the model, so that only one form at a time is in memory.
    fn print(&mut self, model: Self::Model, style: Style) -> Result<Self::Text>;
    /// Reads the text of a document back into a model.
    fn read_back(&mut self, text: &mut Self::Text, style: Style) -> Result<Self::Model>;
    /// Receives a model that is no longer needed, so that its allocations can be reused.
    fn done(&mut self, _model: Self::Model) {}

    /// Runs the round trip. Returns the text if `form` is `Document`; `reads_back` includes reading
    /// it again. An error is the reason why the part must be kept as bytes.
    fn prove(&mut self, form: Form, reads_back: bool) -> Result<Option<Self::Text>> {
        let model = self.decode()?;
        if !Self::DECODE_COMPARES {
            self.compare(&model)?;
        }
        let Form::Document(style) = form else {
            self.done(model);
            return Ok(None);
        };
        let mut text = self.print(model, style)?;
        if reads_back {
            let back = self.read_back(&mut text, style)?;
            self.compare(&back)?;
        }
        Ok(Some(text))
    }
}

/// The error of [`RoundTrip::compare`] for different bytes.
#[cold]
pub fn other_bytes() -> Error {
    Error::say("the typed form gives other bytes; this is a bug in refit, please report it")
}

/// An [`other_bytes`] error unless both are equal.
pub fn same(written: &[u8], stored: &[u8]) -> Result<()> {
    if std::ptr::eq(written, stored) || written == stored {
        Ok(())
    } else {
        Err(other_bytes())
    }
}
