//! Bytes and fields: cursor, writer, `record!`, and field types that keep the exact bytes.
//!
//! This layer knows nothing of formats, trees, files on disk, or the command line.

mod cursor;
pub(crate) mod error;
mod explain;
mod fields;
mod keys;
mod marks;
mod names;
mod near;
mod odd;
pub(crate) mod record;
pub(crate) mod scan;
mod text;
mod text_or;
mod time;
mod visible;

pub use error::Cause;
#[doc(hidden)]
pub use error::{place, size};
pub use explain::{Line, Role};
#[doc(hidden)]
pub use fields::{Extra, HexBytes, Raw};
pub use fields::{F32, Hex, Vec3, bytes_of_hex, hex_of};
pub use odd::{Defaulted, Derived, InGame};
#[cfg(feature = "schemas")]
pub use record::{RecordTable, Row};
pub(crate) use text::Filler;
pub(crate) use text::ShortText;
#[doc(hidden)]
pub use text::encode_1252;
pub use text::{Str, Text, decode_1252};
#[doc(hidden)]
pub use text_or::{Given, TextOrRecord};
pub use time::{FileTime, UnixTime};
pub use visible::steers;
#[doc(hidden)]
pub use visible::{Visible, escaped, needs_escapes, visible};

// For `record!` and its examples, which use it like another crate.
#[doc(hidden)]
pub use cursor::{Encode, Reader, Writer, fit};
#[doc(hidden)]
pub use error::{Error, ErrorKind, Result, count, shorten};
#[doc(hidden)]
pub use explain::{Explainer, LineSink, Trace, Value};
#[doc(hidden)]
pub use fields::{Notation, Plain, hex_word};
#[doc(hidden)]
pub use keys::{Keys, required};
#[doc(hidden)]
pub use marks::{Mark, is_false, is_zero, marked, marks};
#[doc(hidden)]
pub use names::{flag_bits, flag_names, name_or_number};
#[doc(hidden)]
pub use near::{did_you_mean, nearest};
#[doc(hidden)]
pub use odd::RuleInput;
pub(crate) use record::value_before_end;
#[doc(hidden)]
pub use record::{
    Describe, FieldCodec, FieldGroup, Record, all_zero, ask, cut, cut_mut, holds, not_in_game,
    peek, places, prove, put_plain, tiles, value_at, wide_flags,
};
#[doc(hidden)]
pub use scan::{Scanner, Style, Token, TokenKind};
#[doc(hidden)]
pub use text::{utf8, utf8_text};
#[doc(hidden)]
pub use text_or::{Refused, Scalar, read_scalar, text_or_record};

/// The cases of a test, in JSON.
#[cfg(test)]
pub(crate) fn cases<T: serde::de::DeserializeOwned>(json: &str) -> Vec<T> {
    serde_json::from_str(json).expect("a list of cases")
}
