//! Values that are written as a bare text, or as a record if a text cannot express them.

use super::Result;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error, MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::{fmt, marker::PhantomData};

/// A value that is usually a bare text, such as `"rock.tif"`, and otherwise a record, such as `{ "text": "rock",
/// "tail": "00ff" }`. [`text_or_record`] reads both, from JSON and RON.
pub trait TextOrRecord: Sized {
    /// The record: a struct that denies unknown fields.
    type Record: DeserializeOwned;
    /// Describes both forms, for an error about any other.
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// The value of a bare text.
    fn from_text(text: &str) -> Result<Self>;
    /// The value of a record.
    fn from_record(record: Self::Record) -> Result<Self>;
}

/// An optional field of a record. If present, it is the value itself: neither `null` nor `Some(…)`.
#[derive(Debug)]
pub struct Given<T>(pub Option<T>);

impl<T> Default for Given<T> {
    fn default() -> Self {
        Given(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        T::deserialize(d).map(|value| Given(Some(value)))
    }
}

/// Deserializes a [`TextOrRecord`].
pub fn text_or_record<'de, T: TextOrRecord, D: Deserializer<'de>>(d: D) -> Result<T, D::Error> {
    struct Either<T>(PhantomData<T>);
    impl<'de, T: TextOrRecord> Visitor<'de> for Either<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            T::expecting(f)
        }
        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            T::from_text(text).map_err(E::custom)
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::from_record(T::Record::deserialize(MapAccessDeserializer::new(map))?).map_err(A::Error::custom)
        }
    }
    d.deserialize_any(Either(PhantomData))
}

#[cfg(test)]
mod tests {
    use crate::wire::Text;

    /// Both languages are read equally strictly, with serde's own messages.
    #[test]
    fn records_are_read_strictly() {
        let json = |text: &str| serde_json::from_str::<Text<8>>(text).map(|t| t.0).map_err(|e| e.to_string());
        assert_eq!(json(r#"{ "tail": "0078", "text": "abc" }"#), Ok(*b"abc\0\0\0\0x"));
        assert_eq!(ron::from_str::<Text<8>>(r#"(tail: "0078", text: "abc")"#).unwrap().0, *b"abc\0\0\0\0x");
        assert_eq!(ron::from_str::<Text<8>>(r#""abc""#).unwrap().0, *b"abc\0\0\0\0\0");
        for (text, expected) in [
            (r#"{ "text": "abc", "text": "b" }"#, "duplicate field `text`"),
            (r#"{ "text": "abc", "tall": "00" }"#, "unknown field `tall`, expected one of `text`, `tail`, `hex`"),
            (r#"{ "text": "abc", "tail": null }"#, "invalid type: null"),
            (r#"{ "tail": "00" }"#, "expected `text` with `tail`, or `hex` alone"),
            (r#"{ "hex": "00" }"#, "1 bytes where the field has 8"),
            ("7", "expected a string of at most 8 bytes"),
            (r#""abcdefghi""#, "9"),
        ] {
            let error = json(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
