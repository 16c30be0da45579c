//! Bytes and fields: cursor, writer, `record!`, and field types that keep the exact bytes.
//!
//! This layer knows nothing of formats, trees, files on disk, or the command line.

mod cursor;
mod error;
mod explain;
mod fields;
mod marks;
mod names;
mod near;
mod odd;
pub mod record;
mod scan;
mod text;
mod text_or;
mod time;
mod visible;

pub use cursor::{Encode, Reader, Writer, fit};
pub use error::{Cause, Error, ErrorKind, Result, count, shorten, size};
pub use explain::{Explainer, Line, LineSink, Role, Trace, Value, join};
pub use fields::{Extra, F32, Hex, HexBytes, Notation, Plain, Raw, Vec3, bytes_of_hex, hex_of, hex_word};
pub use marks::{Mark, is_false, is_zero, marked, marks};
#[doc(hidden)]
pub use names::{flag_bits, flag_names, name_or_number};
pub use near::{did_you_mean, nearest};
pub use odd::{Defaulted, Derived, InGame, RuleInput};
pub use record::{Describe, FieldCodec, FieldGroup, Record, RecordTable, Row, note_text, tiles, value_at};
#[doc(hidden)]
pub use record::{all_zero, ask, cut, cut_mut, holds, not_in_game, peek, put_plain, wide_flags};
pub use scan::Style;
pub(crate) use scan::{Scanner, Token, TokenKind};
pub use text::{Filler, Str, Text, Zeros, decode_1252, encode_1252, utf8};
pub use text_or::{Given, TextOrRecord, text_or_record};
pub use time::{FileTime, UnixTime};
pub use visible::{Visible, steers, visible};
