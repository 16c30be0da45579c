//! The forms in which files are read and proved.

pub use crate::wire::scan::Style;

/// The form in which something is read, returned or proved: its stored bytes, or its representation
/// in a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The stored bytes.
    Stored,
    /// The representation in a tree of this style: a text, a WAV, a PNG.
    Document(Style),
}
