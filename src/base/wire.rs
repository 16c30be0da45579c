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
mod within;

pub use error::{Cause, place, size};
pub use explain::{Line, Role};
pub use fields::{Extra, F32, Hex, HexBytes, Raw, Vec3, bytes_of_hex, hex_of};
pub use odd::{Defaulted, Derived, InGame};
#[cfg(feature = "schemas")]
pub use record::{RecordTable, Row};
pub use text::{Filler, ShortText, Str, Text, decode_1252, encode_1252};
pub use text_or::{Given, TextOrRecord};
pub use time::{FileTime, UnixTime};
pub use visible::{Visible, escaped, needs_escapes, steers, visible};
pub use within::{Items, Within};

// For `record!` and its examples, which use it like another crate.
pub use cursor::{Encode, Reader, Writer, fit};
pub use error::{Error, ErrorKind, Result, count, shorten};
pub use explain::{Explainer, LineSink, Trace, Value, join};
pub use fields::{Notation, Plain, hex_word};
pub use keys::{Keys, required};
pub use marks::{Mark, is_false, is_zero, marked, marks};
pub use names::{flag_bits, flag_names, name_or_number};
pub use near::{did_you_mean, nearest};
pub use odd::RuleInput;
pub use record::{
    Describe, FieldCodec, FieldGroup, Record, VisitKey, all_zero, ask, cut, cut_mut, holds,
    not_in_game, peek, places, prove, put_plain, tiles, value_at, value_before_end, wide_flags,
};
pub use scan::{Scanner, Style, Token, TokenKind};
pub use text::{utf8, utf8_text};
pub use text_or::{Refused, Scalar, read_scalar, text_or_record};

/// The cases of a test, in JSON.
#[cfg(test)]
pub(crate) fn cases<T: serde::de::DeserializeOwned>(json: &str) -> Vec<T> {
    serde_json::from_str(json).expect("a list of cases")
}
