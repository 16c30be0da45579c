//! Names and properties: bytes without an encoding (FORMAT.md).

use refit_base::wire::{Error, Result, TextOrRecord};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct};
use std::{borrow::Cow, fmt};

/// A byte string of an archive: a name, a property's key or its value.
///
/// In a tree: a bare string if the bytes are UTF-8 text without control or invisible characters,
/// otherwise `{ "escaped": "caf%E9" }`, where `%XX` is a byte and `%25` a per cent sign.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Label(pub Box<[u8]>);

/// Characters that do not show, or that turn the direction of the text: format and control
/// characters, separators of lines.
pub(super) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

impl Label {
    /// The bytes as text, if a tree shows them unchanged.
    pub fn plain(&self) -> Option<&str> {
        std::str::from_utf8(&self.0)
            .ok()
            .filter(|text| !text.contains(is_invisible))
    }

    /// For people: plain text, or escaped.
    pub fn show(&self) -> Cow<'_, str> {
        self.plain()
            .map_or_else(|| escape(&self.0, |_| false).into(), Cow::Borrowed)
    }

    /// Lower case as the engine and the signature tools fold it: ASCII only.
    pub fn folded(&self) -> Vec<u8> {
        self.0.to_ascii_lowercase()
    }

    /// [`Label::folded`] with one kind of separator.
    pub(super) fn looked_up(&self) -> Vec<u8> {
        self.folded()
            .iter()
            .map(|b| if *b == b'/' { b'\\' } else { *b })
            .collect()
    }

    /// The parts between separators.
    pub(super) fn parts(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.0.split(|b| matches!(b, b'\\' | b'/'))
    }

    /// An error if an archive cannot store the bytes: a zero ends a string.
    pub fn check(&self, what: &str) -> Result<()> {
        match self.0.iter().position(|b| *b == 0) {
            Some(at) => Err(Error::say(format!(
                "{what} {:?} contains a zero byte at {at}, which would end it",
                self.show()
            ))),
            None => Ok(()),
        }
    }
}

/// Bytes as text, with `%XX` for anything that is not visible text, for the per cent sign, and for
/// characters that `also` selects.
pub(super) fn escape(bytes: &[u8], also: impl Fn(char) -> bool) -> String {
    use fmt::Write;
    let mut out = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '%' || is_invisible(c) || also(c) {
                let mut buffer = [0; 4];
                for byte in c.encode_utf8(&mut buffer).bytes() {
                    let _ = write!(out, "%{byte:02X}");
                }
            } else {
                out.push(c);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The bytes of an escaped text.
fn unescape(text: &str) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut digit = || bytes.next().and_then(|b| char::from(b).to_digit(16));
        match (digit(), digit()) {
            (Some(high), Some(low)) => out.push((high << 4 | low) as u8),
            _ => {
                return Err(Error::say(
                    "a per cent sign must be followed by two hexadecimal digits; write %25 for the sign itself",
                ));
            }
        }
    }
    Ok(out)
}

impl From<&str> for Label {
    fn from(text: &str) -> Self {
        Label(text.as_bytes().into())
    }
}

impl fmt::Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.show())
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.plain() {
            Some(text) => s.serialize_str(text),
            None => {
                let mut out = s.serialize_struct("Label", 1)?;
                out.serialize_field("escaped", &escape(&self.0, |_| false))?;
                out.end()
            }
        }
    }
}

/// A [`Label`] that is not plain text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelRecord {
    escaped: String,
}

impl TextOrRecord for Label {
    type Record = LabelRecord;
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or { \"escaped\": \"caf%E9\" }")
    }
    fn from_text(text: &str) -> Result<Self> {
        Ok(Label::from(text))
    }
    fn from_record(record: LabelRecord) -> Result<Self> {
        unescape(&record.escaped).map(|bytes| Label(bytes.into()))
    }
}

refit_base::text_form!(Label);

refit_base::schema_form!(Label: "Label", |_| schemars::json_schema!({ "anyOf": [
    { "type": "string" },
    { "description": "Bytes that are not plain text: %XX is a byte, %25 a per cent sign.", "type": "object",
      "additionalProperties": false, "properties": {
        "escaped": { "description": "The bytes: plain text as it is, the rest as \
            %XX.", "type": "string" } }, "required": ["escaped"] },
] }));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_survive_json_and_ron() {
        let all: Vec<u8> = (1..=255).collect();
        for bytes in [
            &b"plain\\name.sqf"[..],
            b"",
            b"caf\xe9",
            "žluť".as_bytes(),
            b"a\r\nb",
            "\u{202e}x".as_bytes(),
            b"100%",
            b"100%\x01",
            &all,
        ] {
            let label = Label(bytes.into());
            let json = serde_json::to_string(&label).unwrap();
            assert_eq!(
                serde_json::from_str::<Label>(&json).unwrap(),
                label,
                "{json}"
            );
            let ron = ron::to_string(&label).unwrap();
            assert_eq!(ron::from_str::<Label>(&ron).unwrap(), label, "{ron}");
            assert!(!json.contains(|c: char| is_invisible(c)), "{json}");
        }
        assert_eq!(
            serde_json::to_string(&Label((*b"caf\xe9%").into())).unwrap(),
            r#"{"escaped":"caf%E9%25"}"#
        );
        assert!(serde_json::from_str::<Label>(r#"{"escaped":"%4"}"#).is_err());
    }
}
