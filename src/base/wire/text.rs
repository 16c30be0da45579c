//! Strings: bytes shown as Windows-1252 text through a bijection, and text fields of fixed size
//! that keep the bytes after the terminator.

use super::{
    Error, ErrorKind, Given, HexBytes, Mark, Plain, Result, TextOrRecord, marks::marked,
    text_or_record,
};
use crate::wire::{Items, Within};
#[cfg(feature = "schemas")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
    ser::SerializeStruct,
};
use std::{borrow::Cow, fmt, marker::PhantomData};

/// Windows-1252 for 0x80..=0x9F. Its five undefined bytes map to the C1 controls with the same
/// number, so that the mapping of all 256 bytes is a bijection.
const HIGH: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2c6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}',
    '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}', '\u{17e}', '\u{178}',
];

fn char_of(byte: u8) -> char {
    match byte {
        0x80..=0x9f => HIGH
            .get(usize::from(byte & 0x1f))
            .copied()
            .unwrap_or(char::from(byte)),
        _ => char::from(byte),
    }
}

fn byte_of(c: char) -> Option<u8> {
    match u32::from(c) {
        n @ (0..=0x7f | 0xa0..=0xff) => u8::try_from(n).ok(),
        _ => HIGH
            .iter()
            .position(|h| *h == c)
            .and_then(|i| u8::try_from(0x80 + i).ok()),
    }
}

/// Decodes Windows-1252. Every byte has a character.
pub fn decode_1252(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.is_ascii() => Cow::Borrowed(text),
        _ => Cow::Owned(bytes.iter().map(|b| char_of(*b)).collect()),
    }
}

/// Decodes a file that must be UTF-8. The error states the place and the encoding in which an
/// editor probably saved it.
pub fn utf8(bytes: &[u8]) -> Result<&str> {
    let e = match std::str::from_utf8(bytes) {
        // ASCII as UTF-16 is valid UTF-8, but never intended.
        Ok(text) if !is_utf16(bytes) => return Ok(text),
        Ok(_) => None,
        Err(e) => Some(e),
    };
    if is_utf16(bytes) {
        return Err(Error::say("not UTF-8 text: saved as UTF-16").hint("save it as UTF-8"));
    }
    let good = bytes.within(..e.map_or(0, |e| e.valid_up_to()));
    let last = good
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let column = String::from_utf8_lossy(good.within(last..)).chars().count() + 1;
    let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
    let byte = bytes.item(good.len());
    let is_text = !bytes
        .iter()
        .any(|byte| *byte < b' ' && !byte.is_ascii_whitespace());
    Err(
        match is_text && byte_of(char_of(byte)) == Some(byte) && !char_of(byte).is_control() {
            true => Error::text(
                line,
                column,
                format!(
                    "not UTF-8 text: this would be {:?} in Windows-1252",
                    char_of(byte)
                ),
            )
            .hint("save it as UTF-8"),
            false => Error::text(
                line,
                column,
                format!("not UTF-8 text: it has a byte {byte:#04x}"),
            ),
        },
    )
}

/// [`utf8`] without a copy.
pub fn utf8_text(bytes: Vec<u8>) -> Result<String> {
    match String::from_utf8(bytes) {
        Ok(text) if !is_utf16(text.as_bytes()) => Ok(text),
        Ok(text) => utf8(text.as_bytes()).map(str::to_owned),
        Err(e) => utf8(e.as_bytes()).map(str::to_owned),
    }
}

/// True for bytes that start like UTF-16: with a byte order mark, or, like JSON, with an ASCII
/// character.
fn is_utf16(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [a, b, c, d, ..] => {
            matches!(
                [*a != 0, *b != 0, *c != 0, *d != 0],
                [true, false, true, false] | [false, true, false, true]
            )
        }
        _ => false,
    }
}

/// Encodes text as Windows-1252. The error names the first character that has no byte.
pub fn encode_1252(text: &str) -> Result<Vec<u8>> {
    if text.is_ascii() {
        return Ok(text.as_bytes().to_vec());
    }
    text.chars()
        .map(|c| {
            byte_of(c).ok_or_else(|| {
                Error::say(format!(
                    "the character {c:?} is not in Windows-1252, the games' code page"
                ))
            })
        })
        .collect()
}

/// A byte string of any length, shown as Windows-1252 text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Str(pub Vec<u8>);

impl Str {
    /// The text.
    pub fn text(&self) -> Cow<'_, str> {
        decode_1252(&self.0)
    }
    /// True if it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&[u8]> for Str {
    fn from(bytes: &[u8]) -> Self {
        Str(bytes.to_vec())
    }
}

impl From<&str> for Str {
    /// From text that is known to be ASCII. Other characters become their UTF-8 bytes.
    fn from(text: &str) -> Self {
        Str(text.as_bytes().to_vec())
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text())
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Serialize for Str {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Str {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = Str;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Str, E> {
                encode_1252(v).map(Str).map_err(E::custom)
            }
        }
        d.deserialize_str(V)
    }
}

#[cfg(feature = "schemas")]
impl JsonSchema for Str {
    fn schema_name() -> Cow<'static, str> {
        "Str".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// The content of a text field before a name is written into it.
pub trait Filler: Copy + 'static {
    /// The first bytes of the field; the rest is zero.
    const FILL: &'static [u8];
}

/// A field of zeros.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Zeros;
impl Filler for Zeros {
    const FILL: &'static [u8] = b"";
}

/// A text field of `N` bytes: the text, a zero, and the rest of the filler. A text of `N` bytes has
/// no terminator.
///
/// In a tree it is a bare string if the field is regular, `{ "text": …, "tail": "…" }` if other
/// bytes follow the terminator, and `{ "hex": "…" }` if the field is irregular and its text has
/// control characters, like stale memory. The tail is aligned to the end of the field: a longer
/// text overwrites its start.
#[derive(Clone, Copy)]
pub struct Text<const N: usize, F = Zeros>(pub [u8; N], PhantomData<F>);

impl<const N: usize, F: Filler> TryFrom<&str> for Text<N, F> {
    type Error = Error;
    /// An error if the text does not fit or is not in Windows-1252.
    fn try_from(text: &str) -> Result<Self> {
        Text::new(&encode_1252(text)?)
    }
}

impl<const N: usize, F> PartialEq for Text<N, F> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<const N: usize, F> Eq for Text<N, F> {}

impl<const N: usize, F: Filler> Default for Text<N, F> {
    /// A field with an empty text.
    fn default() -> Self {
        Text(Self::regular(b""), PhantomData)
    }
}

impl<const N: usize, F: Filler> Text<N, F> {
    /// A field with these bytes.
    pub fn from_raw(bytes: [u8; N]) -> Self {
        Text(bytes, PhantomData)
    }

    /// A regular field; an error if the text is too long. A text of exactly `N` bytes has no
    /// terminator.
    pub fn new(text: &[u8]) -> Result<Self> {
        if text.len() > N {
            return Err(Error::say(format!(
                "the text has {} bytes, but its field has {N}",
                text.len()
            ))
            .of_kind(ErrorKind::Limit));
        }
        if memchr::memchr(0, text).is_some() {
            return Err(Error::say("a zero byte ends the text of this field"));
        }
        Ok(Text(Self::regular(text), PhantomData))
    }

    fn regular(text: &[u8]) -> [u8; N] {
        let mut bytes = [0; N];
        Self::overlay(&mut bytes, F::FILL);
        Self::overlay(&mut bytes, text);
        if let Some(end) = bytes.get_mut(text.len()) {
            *end = 0;
        }
        bytes
    }

    fn overlay(bytes: &mut [u8; N], from: &[u8]) {
        let n = from.len().min(N);
        if let (Some(slot), Some(from)) = (bytes.get_mut(..n), from.get(..n)) {
            slot.copy_from_slice(from);
        }
    }

    /// The text before the first zero, as bytes.
    pub fn bytes(&self) -> &[u8] {
        self.0.split(|b| *b == 0).next().unwrap_or_default()
    }

    /// The text.
    pub fn text(&self) -> Cow<'_, str> {
        decode_1252(self.bytes())
    }

    /// True if a zero byte ends the text.
    pub fn is_terminated(&self) -> bool {
        self.bytes().len() < N
    }

    /// True if the field is what [`Text::new`] would create from its text.
    pub fn is_regular(&self) -> bool {
        self.0 == Self::regular(self.bytes())
    }
}

impl<const N: usize, F: Filler> fmt::Debug for Text<N, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_regular() {
            write!(f, "{:?}", self.text())
        } else {
            write!(f, "{:?} + tail", self.text())
        }
    }
}

impl<const N: usize, F: Filler> fmt::Display for Text<N, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl<const N: usize, F: Filler> Plain for Text<N, F> {
    const SIZE: usize = N;
    const KIND: super::Notation = super::Notation::Text;
    fn get(bytes: &[u8]) -> Self {
        Text(bytes.first_chunk().copied().unwrap_or([0; N]), PhantomData)
    }
    fn put(&self, bytes: &mut [u8]) {
        if let Some(slot) = bytes.first_chunk_mut() {
            *slot = self.0;
        }
    }
}

impl<const N: usize, F: Filler> Serialize for Text<N, F> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.is_regular() {
            return s.serialize_str(&self.text());
        }
        struct Irregular<'a>(&'a [u8], &'a [u8]);
        impl Serialize for Irregular<'_> {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                let Irregular(text, field) = self;
                if text.iter().any(|b| matches!(b, 0..=0x1f | 0x7f..=0x9f)) {
                    let mut out = s.serialize_struct("Text", 1)?;
                    out.serialize_field("hex", &HexBytes(field.to_vec()))?;
                    return out.end();
                }
                let mut out = s.serialize_struct("Text", 2)?;
                out.serialize_field("text", &*decode_1252(text))?;
                out.serialize_field("tail", &HexBytes(field.within(text.len() + 1..).to_vec()))?;
                out.end()
            }
        }
        marked(Mark::Tail, &Irregular(self.bytes(), &self.0), s)
    }
}

/// The form of an irregular [`Text`] in a tree.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextRecord {
    #[serde(default)]
    text: Given<Str>,
    #[serde(default)]
    tail: Given<HexBytes>,
    #[serde(default)]
    hex: Given<HexBytes>,
}

impl<const N: usize, F: Filler> TextOrRecord for Text<N, F> {
    type Record = TextRecord;
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a string of at most {N} bytes, or {{ \"text\", \"tail\" }}, or {{ \"hex\" }}"
        )
    }
    fn from_text(text: &str) -> Result<Self> {
        Text::new(&encode_1252(text)?)
    }
    fn from_record(record: TextRecord) -> Result<Self> {
        match (record.text.0, record.tail.0, record.hex.0) {
            (None, None, Some(hex)) => {
                let n = hex.0.len();
                hex.0
                    .try_into()
                    .map(Text::from_raw)
                    .map_err(|_| Error::say(format!("{n} bytes (the field has {N})")))
            }
            (Some(text), Some(tail), None) => {
                if text.0.len() > N || tail.0.len() >= N.max(1) || text.0.contains(&0) {
                    return Err(Error::say(format!(
                        "text and tail do not fit a field of {N} bytes"
                    )));
                }
                let mut bytes = Text::<N, F>::regular(&text.0);
                let free = text.0.len() + 1;
                let start = N - tail.0.len();
                for (i, byte) in tail.0.iter().enumerate() {
                    if start + i >= free
                        && let Some(slot) = bytes.get_mut(start + i)
                    {
                        *slot = *byte;
                    }
                }
                Ok(Text::from_raw(bytes))
            }
            (Some(text), None, None) => Text::new(&text.0),
            _ => Err(Error::say("expected `text` with `tail`, or `hex` alone")),
        }
    }
}

impl<'de, const N: usize, F: Filler> Deserialize<'de> for Text<N, F> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        text_or_record(d)
    }
}

crate::schema_form!([const N: usize, F] Text<N, F>: format!("Text{N}"), |generator| {
    let bytes = generator.subschema_for::<HexBytes>();
    json_schema!({ "anyOf": [
        { "type": "string", "maxLength": N },
        { "description": "A text with bytes after its terminator.", "type": "object", "additionalProperties": false,
          "properties": {
            "text": { "description": "The text before the terminating zero.", "type": "string" },
            "tail": { "description": "The bytes after the terminating zero, in hexadecimal.", "allOf": [bytes.clone()] }
          }, "required": ["text"] },
        { "description": "The raw field.", "type": "object", "additionalProperties": false, "properties": {
            "hex": { "description": "All bytes of the field, in hexadecimal.", "allOf": [bytes] }
          }, "required": ["hex"] },
    ] })
});

/// A [`Text`] that takes no more memory than its bytes, for the names in long tables: the field
/// without the zeros at its end.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct ShortText<const N: usize>(Box<[u8]>);

impl<const N: usize> ShortText<N> {
    /// The whole field.
    pub fn field(&self) -> Text<N> {
        let mut field = [0; N];
        Text::<N>::overlay(&mut field, &self.0);
        Text::from_raw(field)
    }

    /// [`Text::bytes`].
    pub fn bytes(&self) -> &[u8] {
        self.0.split(|b| *b == 0).next().unwrap_or_default()
    }

    /// The text, as Windows-1252 decodes it.
    pub fn text(&self) -> Cow<'_, str> {
        decode_1252(self.bytes())
    }

    /// [`Text::is_terminated`].
    pub fn is_terminated(&self) -> bool {
        self.bytes().len() < N
    }

    /// [`Text::is_regular`].
    pub fn is_regular(&self) -> bool {
        !self.0.contains(&0)
    }

    /// True for an empty text.
    pub fn is_blank(&self) -> bool {
        self.0.is_empty()
    }
}

impl<const N: usize> From<Text<N>> for ShortText<N> {
    fn from(text: Text<N>) -> Self {
        Self::get(&text.0)
    }
}

impl<const N: usize> fmt::Debug for ShortText<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.field().fmt(f)
    }
}

impl<const N: usize> Plain for ShortText<N> {
    const SIZE: usize = N;
    const KIND: super::Notation = super::Notation::Text;
    fn get(bytes: &[u8]) -> Self {
        let end = bytes
            .iter()
            .rposition(|b| *b != 0)
            .map_or(0, |last| last + 1);
        ShortText(bytes.within(..end).into())
    }
    fn put(&self, bytes: &mut [u8]) {
        self.field().put(bytes);
    }
}

impl<const N: usize> Serialize for ShortText<N> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.field().serialize(s)
    }
}

impl<'de, const N: usize> Deserialize<'de> for ShortText<N> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Text::deserialize(d).map(Self::from)
    }
}

crate::schema_form!([const N: usize] ShortText<N>: <Text<N> as schemars::JsonSchema>::schema_name(), |generator| {
    <Text<N> as schemars::JsonSchema>::json_schema(generator)
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_utf_8_is_reported_with_its_likely_encoding() {
        let error = |bytes: &[u8]| utf8(bytes).unwrap_err().in_file("a.json").to_string();
        assert_eq!(utf8("\u{feff}größe".as_bytes()).unwrap(), "\u{feff}größe");
        let wide = |big: bool, text: &str| -> Vec<u8> {
            text.encode_utf16()
                .flat_map(|unit| {
                    if big {
                        unit.to_be_bytes()
                    } else {
                        unit.to_le_bytes()
                    }
                })
                .collect()
        };
        for text in ["\u{feff}{ \"a\": 1 }", "\u{feff}ä", "{ }"] {
            for big in [false, true] {
                assert_eq!(
                    error(&wide(big, text)),
                    "a.json: not UTF-8 text: saved as UTF-16 (save it as UTF-8)"
                );
            }
        }
        // Latin-1, with the line of the character.
        assert_eq!(
            error(b"{\n  \"name\": \"gr\xfc\xdfe\"\n}"),
            "a.json:2:14: not UTF-8 text: this would be 'ü' in Windows-1252 (save it as UTF-8)"
        );
        assert_eq!(
            error(b"\x00\x01\x02\xff"),
            "a.json:1:4: not UTF-8 text: it has a byte 0xff"
        );
        assert_eq!(
            error(b"ab\xc3"),
            "a.json:1:3: not UTF-8 text: this would be 'Ã' in Windows-1252 (save it as UTF-8)"
        );
    }

    #[test]
    fn windows_1252_is_a_bijection() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(encode_1252(&decode_1252(&all)).unwrap(), all);
        assert_eq!(decode_1252(b"\x80\xe4"), "€ä");
        assert!(encode_1252("ж").unwrap_err().to_string().contains('ж'));
    }

    #[test]
    fn text_fields_show_only_what_is_irregular() {
        let show = |bytes: [u8; 8]| serde_json::to_string(&Text::<8>::from_raw(bytes)).unwrap();
        assert_eq!(show(*b"abc\0\0\0\0\0"), r#""abc""#);
        assert_eq!(show(*b"abcdefgh"), r#""abcdefgh""#);
        assert_eq!(
            show(*b"abc\0\0\0\0x"),
            r#"{"text":"abc","tail":"00000078"}"#
        );
        assert_eq!(show(*b"\x01bc\0\0\0\0x"), r#"{"hex":"01626300 00000078"}"#);
        for bytes in [
            *b"abc\0\0\0\0\0",
            *b"abcdefgh",
            *b"abc\0\0\0\0x",
            *b"\x01bc\0\0\0\0x",
            *b"\0\0\0\0\0\0\0\xff",
            *b"\x81\0\0\0\0\0\0\0",
        ] {
            assert_eq!(
                serde_json::from_str::<Text<8>>(&show(bytes)).unwrap().0,
                bytes
            );
            let (text, short) = (Text::<8>::from_raw(bytes), ShortText::<8>::get(&bytes));
            assert_eq!(
                (
                    short.field(),
                    serde_json::to_string(&short).unwrap(),
                    format!("{short:?}")
                ),
                (text, show(bytes), format!("{text:?}"))
            );
            assert_eq!(
                (short.bytes(), short.is_regular(), short.is_terminated()),
                (text.bytes(), text.is_regular(), text.is_terminated())
            );
        }
        assert!(
            ShortText::<8>::default().is_blank()
                && ShortText::<8>::default().field() == Text::default()
        );
        // A longer text is written over the beginning of the tail.
        let edited: Text<8> =
            serde_json::from_str(r#"{"text":"abcde","tail":"00000078"}"#).unwrap();
        assert_eq!(&edited.0, b"abcde\0\0x");
        assert!(serde_json::from_str::<Text<8>>(r#""abcdefghi""#).is_err());

        #[derive(Clone, Copy)]
        struct Template;
        impl Filler for Template {
            const FILL: &'static [u8] = b"Default_name";
        }
        assert_eq!(
            &Text::<16, Template>::new(b"gun").unwrap().0,
            b"gun\0ult_name\0\0\0\0"
        );
    }
}
