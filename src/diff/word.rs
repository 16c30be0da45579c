//! Texts of values without an allocation for each short one.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Visitor};
use std::{
    fmt,
    hash::{Hash, Hasher},
    ops::Deref,
};

/// How many bytes are stored without an allocation.
const SHORT: usize = 22;

/// A text: the key of a field, a number as written, or any other text. A document has so many that
/// an allocation for each would be most of its memory.
#[derive(Clone)]
pub struct Word(Held);

#[derive(Clone)]
enum Held {
    /// The length, and as many bytes.
    Short(u8, [u8; SHORT]),
    Long(Box<str>),
}

impl Word {
    /// The text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            // It was made of a text.
            Held::Short(len, bytes) => bytes
                .get(..usize::from(*len))
                .and_then(|bytes| std::str::from_utf8(bytes).ok())
                .unwrap_or_default(),
            Held::Long(text) => text,
        }
    }

    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Held::Short(len, bytes) => bytes.get(..usize::from(*len)).unwrap_or_default(),
            Held::Long(text) => text.as_bytes(),
        }
    }
}

impl Default for Word {
    fn default() -> Self {
        Word(Held::Short(0, [0; SHORT]))
    }
}

impl Deref for Word {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(room), Ok(len)) => {
                room.copy_from_slice(text.as_bytes());
                Word(Held::Short(len, bytes))
            }
            _ => Word(Held::Long(text.into())),
        }
    }
}

impl From<String> for Word {
    fn from(text: String) -> Self {
        if text.len() <= SHORT {
            text.as_str().into()
        } else {
            Word(Held::Long(text.into()))
        }
    }
}

impl From<&String> for Word {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<Word> for String {
    fn from(word: Word) -> Self {
        match word.0 {
            Held::Long(text) => text.into(),
            Held::Short(..) => word.as_str().to_owned(),
        }
    }
}

impl PartialEq for Word {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Word {}

impl PartialEq<str> for Word {
    fn eq(&self, other: &str) -> bool {
        self.bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Word {
    fn eq(&self, other: &&str) -> bool {
        self.bytes() == other.as_bytes()
    }
}

impl PartialEq<String> for Word {
    fn eq(&self, other: &String) -> bool {
        self.bytes() == other.as_bytes()
    }
}

impl Hash for Word {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // As texts do.
        state.write(self.bytes());
        state.write_u8(0xff);
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self)
    }
}

struct AnyText;

impl Visitor<'_> for AnyText {
    type Value = Word;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Word, E> {
        Ok(text.into())
    }
    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Word, E> {
        let text = std::str::from_utf8(bytes).map_err(E::custom)?;
        Ok(text.into())
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_str(AnyText)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_their_texts() {
        for len in [0, 1, 21, 22, 23, 300] {
            for text in ["x".repeat(len), format!("{}é", "y".repeat(len))] {
                let word = Word::from(text.as_str());
                assert_eq!(word.as_str(), text);
                assert_eq!(word, Word::from(text.clone()));
                assert_ne!(word, Word::from(format!("{text}z")));
                assert_eq!(String::from(word.clone()), text);
                let json = serde_json::to_string(&word).unwrap();
                assert_eq!(serde_json::from_str::<Word>(&json).unwrap(), word);
            }
        }
        assert_eq!(size_of::<Word>(), 24);
    }
}
