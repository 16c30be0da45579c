//! A document as comparable values: the content of its text without the layout.

use compact_str::CompactString;
use refit_base::wire::{Error, Result, Scanner, Style};
#[cfg(feature = "schemas")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, SeqAccess, Visitor},
    ser::{SerializeMap, SerializeSeq},
};
use std::fmt;

/// Maximum depth to parse. Deeper documents are compared as text, because values are walked
/// recursively.
pub const DEEPEST: usize = 400;

/// A value of a document. A document has so many texts that an allocation for each short one would
/// be most of its memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as written: `2` and `2.0` differ.
    Number(CompactString),
    /// A text.
    Text(CompactString),
    /// A list.
    List(Vec<Value>),
    /// Fields in the order of the text. The order has no meaning.
    Record(Vec<(CompactString, Value)>),
}

impl Value {
    /// Parses JSON; `None` if it is invalid or deeper than `DEEPEST`.
    pub fn parse(text: &str) -> Option<Value> {
        if is_deeper(text, DEEPEST) {
            return None;
        }
        let mut json = serde_json::Deserializer::from_str(text);
        json.disable_recursion_limit();
        let value = Value::deserialize(&mut json).ok()?;
        json.end().is_ok().then_some(value)
    }

    /// The value on one line, without blanks.
    pub fn compact(&self) -> String {
        // Writing a value cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Identifies a value without storing it: the first 16 digits of the SHA-256 of its text.
    pub fn sum(&self) -> String {
        let mut sum = refit_base::sha256(self.compact().as_bytes());
        sum.truncate(16);
        sum
    }

    /// A field of a record; `None` for other values.
    pub fn field(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Record(fields) => fields
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// A field of a record; `None` for other values.
    pub fn field_mut(&mut self, key: &str) -> Option<&mut Value> {
        match self {
            Value::Record(fields) => fields
                .iter_mut()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, if the value is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// True for anything but a list or a record.
    pub(crate) fn is_scalar(&self) -> bool {
        !matches!(self, Value::List(_) | Value::Record(_))
    }

    /// True for values of the same type, such as two texts.
    pub(crate) fn is_like(&self, other: &Value) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.into())
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => s.serialize_unit(),
            Value::Bool(value) => s.serialize_bool(*value),
            Value::Number(number) => {
                if let Ok(number) = number.parse::<i64>() {
                    s.serialize_i64(number)
                } else if let Ok(number) = number.parse::<u64>() {
                    s.serialize_u64(number)
                } else {
                    s.serialize_f64(number.parse().unwrap_or_default())
                }
            }
            Value::Text(text) => s.serialize_str(text),
            Value::List(items) => {
                let mut list = s.serialize_seq(Some(items.len()))?;
                items
                    .iter()
                    .try_for_each(|item| list.serialize_element(item))?;
                list.end()
            }
            Value::Record(fields) => {
                let mut map = s.serialize_map(Some(fields.len()))?;
                fields
                    .iter()
                    .try_for_each(|(key, value)| map.serialize_entry(key, value))?;
                map.end()
            }
        }
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.to_string().into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.to_string().into()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(
            ryu::Buffer::new().format_finite(value).into(),
        ))
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.into()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        // What is left free in small lists would be a third of a large document.
        items.shrink_to_fit();
        Ok(Value::List(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        fields.shrink_to_fit();
        Ok(Value::Record(fields))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Any)
    }
}

#[cfg(feature = "schemas")]
impl JsonSchema for Value {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Value".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A value as in a document of a tree." })
    }
}

/// Checks that a text is not nested too deep for a recursive parser.
pub fn check_depth(text: &str) -> Result<()> {
    match is_deeper(text, DEEPEST + 100) {
        true => Err(Error::say(format!(
            "the text is more than {DEEPEST} levels deep"
        ))),
        false => Ok(()),
    }
}

fn is_deeper(text: &str, levels: usize) -> bool {
    Scanner::new(text, Style::Json).any(|token| token.depth > levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_the_round_trip() {
        let text = concat!(
            r#"{"a":[1,-0.0,2.5,1e-45,-2147483648,18446744073709551615],"#,
            r#""b":{"c":"q\"\\\u0001é","d":null},"e":[],"f":{},"g":true}"#,
        );
        let value = Value::parse(text).unwrap();
        assert_eq!(value.compact(), text);
        // And through serde, as mods are read.
        let back: Value = serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap();
        assert_eq!(back, value);
        assert_eq!(
            Value::parse(" [ 1 , 2.0 ] "),
            Some(Value::List(vec![
                Value::Number("1".into()),
                Value::Number("2.0".into())
            ]))
        );
        for bad in ["", "[1", "{\"a\"}", "[1] x", "nul", "\"x", "[1,]"] {
            assert_eq!(Value::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn numbers_of_32_bits_have_one_spelling() {
        for bits in [
            0x0000_0001u32,
            0x7f7f_ffff,
            0x58d7_2df0,
            0x3f80_0000,
            0x8000_0000,
            0x56b5_e621,
            0x4b00_0001,
        ] {
            let text = ryu::Buffer::new().format(f32::from_bits(bits)).to_owned();
            let Some(Value::Number(once)) = Value::parse(&text) else {
                panic!("{text}")
            };
            assert_eq!(
                (once.parse::<f64>().unwrap() as f32).to_bits(),
                bits,
                "{text} {once}"
            );
            assert_eq!(Value::parse(&once), Some(Value::Number(once)));
        }
    }

    #[test]
    fn too_deep_nesting_is_not_a_value() {
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(Value::parse(&deep(300)).is_some());
        assert!(Value::parse(&deep(100_000)).is_none());
        assert!(check_depth(&deep(300)).is_ok() && check_depth(&deep(100_000)).is_err());
    }
}
