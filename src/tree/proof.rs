//! The one way in which everything is proved: bytes → model → bytes, and bytes → model → text → model → bytes.

use super::{Form, Style};
use crate::wire::{Error, Result};

/// A part of a file, or a whole file, that is to be proved: what its bytes are read as, how that is spelled, and the way back.
pub trait RoundTrip {
    /// What the bytes say.
    type Model;
    /// What stands for it in a tree.
    type Text;
    /// True where [`RoundTrip::decode`] cannot but compare what the model writes with the bytes: it need not be done once more.
    const DECODE_COMPARES: bool = false;

    /// Bytes → model.
    fn decode(&mut self) -> Result<Self::Model>;
    /// Model → bytes: an error unless they are the stored ones.
    fn compare(&mut self, model: &Self::Model) -> Result<()>;
    /// Model → text. The model goes: one form at a time stands in memory.
    fn print(&mut self, model: Self::Model, style: Style) -> Result<Self::Text>;
    /// Text → model.
    fn read_back(&mut self, text: &mut Self::Text, style: Style) -> Result<Self::Model>;
    /// Takes a model of which the bytes alone were wanted: its lists may serve the next one.
    fn done(&mut self, _model: Self::Model) {}

    /// Goes the way that `form` asks for. Gives the text, where that is a document; `reads_back` proves that it says the same bytes. An
    /// error is why it must be kept as bytes.
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

/// What [`RoundTrip::compare`] says of other bytes.
#[cold]
pub fn other_bytes() -> Error {
    Error::say("the typed form gives other bytes; this is a bug in refit, please report it")
}

/// Nothing where two runs of bytes are the same, else [`other_bytes`].
pub fn same(written: &[u8], stored: &[u8]) -> Result<()> {
    if std::ptr::eq(written, stored) || written == stored { Ok(()) } else { Err(other_bytes()) }
}
