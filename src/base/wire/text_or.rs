//! Values that are written as a bare text, or as a record if a text cannot express them.

use super::Result;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error, MapAccess, Unexpected, Visitor, value::MapAccessDeserializer},
};
use std::{fmt, marker::PhantomData};

/// Implements `Deserialize` for a small type: `text_form!(TYPE)` for a `TextOrRecord`, and
/// `text_form!(TYPE: EXPECTED, |scalar| RESULT)` for a `Scalar`. `EXPECTED` names the accepted
/// forms, for errors. Generics come first, in brackets.
#[macro_export]
macro_rules! text_form {
    ([$($generics:tt)*] $ty:ty) => {
        impl<'de, $($generics)*> serde::Deserialize<'de> for $ty {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
                $crate::wire::text_or_record(d)
            }
        }
    };
    ([$($generics:tt)*] $ty:ty: $expected:expr, |$scalar:pat_param| $read:expr) => {
        impl<'de, $($generics)*> serde::Deserialize<'de> for $ty {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
                $crate::wire::read_scalar(d, &$expected, |$scalar| $read)
            }
        }
    };
    ($ty:ty $(: $expected:expr, |$scalar:pat_param| $read:expr)?) => {
        $crate::text_form!([] $ty $(: $expected, |$scalar| $read)?);
    };
}

/// A value of a document that is neither a list nor a record.
#[derive(Clone, Copy, Debug)]
pub enum Scalar<'a> {
    /// `true` or `false`
    Bool(bool),
    /// A number below zero.
    Signed(i64),
    /// A whole number.
    Unsigned(u64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(&'a str),
}

/// Why a [`Scalar`] is not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// It is of the wrong type, such as a text in place of a number.
    Type,
    /// It is of the right type, but has no meaning.
    Value,
    /// For this reason.
    Because(String),
}

#[cold]
fn error<E: Error>(refused: Refused, found: Unexpected<'_>, expected: &dyn fmt::Display) -> E {
    match refused {
        Refused::Type => E::invalid_type(found, &expected.to_string().as_str()),
        Refused::Value => E::invalid_value(found, &expected.to_string().as_str()),
        Refused::Because(message) => E::custom(message),
    }
}

/// Reads a [`Scalar`]: see [`text_form!`](crate::text_form).
pub fn read_scalar<'de, T, D: Deserializer<'de>>(
    d: D,
    expected: &dyn fmt::Display,
    read: impl FnOnce(Scalar<'_>) -> std::result::Result<T, Refused>,
) -> std::result::Result<T, D::Error> {
    struct V<'e, F>(&'e dyn fmt::Display, F);
    impl<T, F: FnOnce(Scalar<'_>) -> std::result::Result<T, Refused>> V<'_, F> {
        // Every number of every document passes through here.
        #[inline(always)]
        fn read<E: Error>(
            self,
            scalar: Scalar<'_>,
            found: Unexpected<'_>,
        ) -> std::result::Result<T, E> {
            (self.1)(scalar).map_err(|refused| error(refused, found, self.0))
        }
    }
    impl<T, F: FnOnce(Scalar<'_>) -> std::result::Result<T, Refused>> Visitor<'_> for V<'_, F> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.fmt(f)
        }
        fn visit_bool<E: Error>(self, v: bool) -> std::result::Result<T, E> {
            self.read(Scalar::Bool(v), Unexpected::Bool(v))
        }
        fn visit_i64<E: Error>(self, v: i64) -> std::result::Result<T, E> {
            self.read(Scalar::Signed(v), Unexpected::Signed(v))
        }
        fn visit_u64<E: Error>(self, v: u64) -> std::result::Result<T, E> {
            self.read(Scalar::Unsigned(v), Unexpected::Unsigned(v))
        }
        fn visit_f64<E: Error>(self, v: f64) -> std::result::Result<T, E> {
            self.read(Scalar::Float(v), Unexpected::Float(v))
        }
        fn visit_str<E: Error>(self, v: &str) -> std::result::Result<T, E> {
            self.read(Scalar::Text(v), Unexpected::Str(v))
        }
    }
    d.deserialize_any(V(expected, read))
}

/// A value that is usually a bare text, such as `"rock.tif"`, and otherwise a record, such as
/// `{ "text": "rock", "tail": "00ff" }`. [`text_or_record`] reads both, from JSON and RON.
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

/// Deserializes a `TextOrRecord`.
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
            T::from_record(T::Record::deserialize(MapAccessDeserializer::new(map))?)
                .map_err(A::Error::custom)
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
        let json = |text: &str| {
            serde_json::from_str::<Text<8>>(text)
                .map(|t| t.0)
                .map_err(|e| e.to_string())
        };
        assert_eq!(
            json(r#"{ "tail": "0078", "text": "abc" }"#),
            Ok(*b"abc\0\0\0\0x")
        );
        assert_eq!(
            ron::from_str::<Text<8>>(r#"(tail: "0078", text: "abc")"#)
                .unwrap()
                .0,
            *b"abc\0\0\0\0x"
        );
        assert_eq!(
            ron::from_str::<Text<8>>(r#""abc""#).unwrap().0,
            *b"abc\0\0\0\0\0"
        );
        for (text, expected) in [
            (
                r#"{ "text": "abc", "text": "b" }"#,
                "duplicate field `text`",
            ),
            (
                r#"{ "text": "abc", "tall": "00" }"#,
                "unknown field `tall`, expected one of `text`, `tail`, `hex`",
            ),
            (r#"{ "text": "abc", "tail": null }"#, "invalid type: null"),
            (
                r#"{ "tail": "00" }"#,
                "expected `text` with `tail`, or `hex` alone",
            ),
            (r#"{ "hex": "00" }"#, "1 bytes (the field has 8)"),
            ("7", "expected a string of at most 8 bytes"),
            (r#""abcdefghi""#, "9"),
        ] {
            let error = json(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
