//! The document for translators: `messages.json` (FORMAT.md).

use super::{
    dll::{Dll, TableKind, TextEntry, TextTable},
    image::units_of,
    pages::{Language, Page},
};
use refit_base::wire::{Error, Hex, HexBytes, Plain, Result, Str};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

refit_base::manifest! {
    /// The manifest of a message DLL.
    pub(crate) struct MessagesManifest, "messages_manifest" {
        /// The DLL that receives the texts.
        base: Base,
        /// The tables of texts, in the order of the DLL's resources.
        tables: Vec<TableFile>,
    }
}

refit_base::record! {
    /// The original DLL in the tree.
    pub struct Base {
        /// Its file in the tree.
        file: String,
        /// Its required SHA-256. If absent, any DLL with the same tables is accepted.
        sha256?: String,
    }
}

refit_base::record! {
    /// A table of texts in the tree.
    pub(crate) struct TableFile {
        /// Its file in the tree.
        file: String,
        /// The kind of the table.
        kind: TableKind,
        /// The name of the message table's resource, if it is not 1. For information only.
        resource?: String,
    }
}

refit_base::record! {
    /// A table of texts.
    pub struct Texts {
        /// The language of the resource. Changing it changes the resource's language.
        language?: Language,
        /// The Windows code page of edited texts. If absent, it follows from the language. Strings
        /// are stored as UTF-16, but Crimson Skies shows them in a code page: edited ones must fit
        /// it, unless this is 1200 (UTF-16).
        code_page?: u16,
        /// The texts, in the order of the DLL. The order of this list has no meaning.
        messages: Vec<Message>,
        /// Keys without a text in any table. To give one a text, add a message with its id.
        keys_without_text*: KeyOf,
    }
}
refit_base::document!(Texts, "messages");

/// A key and its id.
#[derive(Clone, PartialEq, Debug, refit_base::Object, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyOf {
    /// The id of the text that the key names.
    pub id: u32,
    /// The key, a name by which the game looks the text up.
    pub key: Str,
}

refit_base::record! {
    /// A text: exactly one of `text`, `units` and `bytes`.
    #[derive(Default)]
    pub struct Message {
        /// Number by which the game looks the text up.
        id: u32,
        /// Name by which the game looks the text up. Keys cannot be changed, because the game's
        /// code contains them.
        key?: Str,
        /// The keys, if there are several.
        keys*: Str,
        /// Which of several texts with the same id it is, from 2.
        occurrence?: u32,
        /// The text, without the line end (CR LF) that ends nearly every message.
        text?: String,
        /// A text that is not valid UTF-16, as numbers.
        units?: Vec<u16>,
        /// A text that is not valid in its code page, as bytes.
        bytes?: HexBytes,
        /// How the message ends.
        eol!: Eol,
        /// True for a message that is stored as UTF-16.
        wide!: bool,
        /// Flags of a message other than 0 and 1 (wide).
        flags?: Hex<u16>,
    }
}
refit_base::document!(Message, "message");

/// The line end of a message, which is not part of `text`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Eol {
    /// CR LF, as usual. Does not apply to strings, which have no line end.
    #[default]
    Crlf,
    /// LF alone.
    Lf,
    /// No line end.
    None,
}

impl Eol {
    fn text(self) -> &'static str {
        match self {
            Eol::Crlf => "\r\n",
            Eol::Lf => "\n",
            Eol::None => "",
        }
    }
}

/// The flag of a UTF-16 message.
pub const WIDE: u16 = 1;
/// Size of a message entry's header, in bytes.
pub const ENTRY_HEADER: usize = 4;
/// Maximum size of an entry: the largest multiple of four that fits its length field.
pub const LONGEST_ENTRY: usize = 65_532;

/// The flags of a stored message.
pub fn flags_of(file: &[u8], entry: &TextEntry) -> u16 {
    file.get(entry.at.clone())
        .and_then(|e| e.get(2..ENTRY_HEADER))
        .map(u16::get)
        .unwrap_or_default()
}

/// The bytes of a stored text: a message's text with its line end but without the terminator, or a
/// string's units.
pub fn stored<'a>(file: &'a [u8], kind: TableKind, entry: &TextEntry) -> &'a [u8] {
    let bytes = file.get(entry.at.clone()).unwrap_or_default();
    if kind == TableKind::StringTable {
        return bytes;
    }
    let bytes = bytes.get(ENTRY_HEADER..).unwrap_or_default();
    let end = if flags_of(file, entry) & WIDE != 0 {
        bytes
            .chunks_exact(2)
            .position(|u| u == [0, 0])
            .map_or(bytes.len() & !1, |i| i * 2)
    } else {
        bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len())
    };
    bytes.get(..end).unwrap_or_default()
}

/// The bytes after the terminator of a stored message; empty if they are all zero.
pub fn residue<'a>(file: &'a [u8], entry: &TextEntry) -> &'a [u8] {
    let bytes = file.get(entry.at.clone()).unwrap_or_default();
    let rest = bytes
        .get(ENTRY_HEADER + stored(file, TableKind::MessageTable, entry).len()..)
        .unwrap_or_default();
    if rest.iter().all(|b| *b == 0) {
        &[]
    } else {
        rest
    }
}

/// Splits the line end off.
fn split_eol<'a, T: PartialEq>(text: &'a [T], cr: &T, lf: &T) -> (&'a [T], Eol) {
    match text {
        [head @ .., a, b] if a == cr && b == lf => (head, Eol::Crlf),
        [head @ .., b] if b == lf => (head, Eol::Lf),
        _ => (text, Eol::None),
    }
}

impl Message {
    /// Converts a stored text to the document, without keys.
    pub(crate) fn read(file: &[u8], table: &TextTable, entry: &TextEntry, page: &Page) -> Message {
        let mut out = Message {
            id: entry.id,
            occurrence: Some(entry.occurrence).filter(|n| *n > 1),
            ..Message::default()
        };
        if table.kind == TableKind::MessageTable {
            match flags_of(file, entry) {
                flags @ 0..=WIDE => out.wide = flags == WIDE,
                other => out.flags = Some(Hex(other)),
            }
        }
        out.set_stored(stored(file, table.kind, entry), table.kind, page);
        out
    }

    /// Sets text and line end from stored bytes, in the form of [`Message::encode`].
    fn set_stored(&mut self, bytes: &[u8], kind: TableKind, page: &Page) {
        let units: Vec<u16> = units_of(bytes).collect();
        let set_units = |out: &mut Message, units: &[u16]| match String::from_utf16(units) {
            Ok(text) => out.text = Some(text),
            Err(_) => out.units = Some(units.to_vec()),
        };
        if kind == TableKind::StringTable {
            set_units(self, &units);
        } else if self.flag_word() & WIDE != 0 {
            let (text, eol) = split_eol(&units, &13, &10);
            self.eol = eol;
            set_units(self, text);
        } else {
            let (text, eol) = split_eol(bytes, &13, &10);
            self.eol = eol;
            match page.decode(text) {
                Some(text) => self.text = Some(text.into_owned()),
                None => self.bytes = Some(HexBytes(text.to_vec())),
            }
        }
    }

    /// The same message with other stored bytes, in the form of [`Message::encode`].
    pub(crate) fn with_stored(
        &self,
        bytes: &[u8],
        kind: TableKind,
        page: &Page,
    ) -> Result<Message> {
        if (kind == TableKind::StringTable || self.flag_word() & WIDE != 0)
            && !bytes.len().is_multiple_of(2)
        {
            return Err(Error::say("UTF-16 text has an even number of bytes"));
        }
        let mut out = Message {
            text: None,
            units: None,
            bytes: None,
            eol: Eol::Crlf,
            ..self.clone()
        };
        out.set_stored(bytes, kind, page);
        Ok(out)
    }

    /// Adds the keys of the message's id.
    pub(crate) fn with_keys(mut self, file: &[u8], dll: &Dll) -> Message {
        let mut keys = dll
            .keys_of(self.id)
            .map(|k| Str::from(file.get(k.name.clone()).unwrap_or_default()));
        if let Some(first) = keys.next() {
            match keys.next() {
                None => self.key = Some(first),
                Some(second) => self.keys = [first, second].into_iter().chain(keys).collect(),
            }
        }
        self
    }

    /// True if both have the same text. Keys are informative only and not compared.
    pub(crate) fn says_the_same(&self, other: &Message) -> bool {
        (self.id, self.occurrence.unwrap_or(1)) == (other.id, other.occurrence.unwrap_or(1))
            && self.text == other.text
            && self.units == other.units
            && self.bytes == other.bytes
            && self.eol == other.eol
            && self.flag_word() == other.flag_word()
    }

    /// The flags of the entry.
    pub(crate) fn flag_word(&self) -> u16 {
        self.flags.map_or(u16::from(self.wide), |f| f.0)
    }

    /// Its key, or the first of several.
    pub(super) fn first_key(&self) -> Option<&Str> {
        self.key.as_ref().or(self.keys.first())
    }

    /// Its designation in errors: `message 1001 (MSG_GAME_NAME)`.
    pub(crate) fn called(&self, kind: TableKind) -> String {
        let what = if kind == TableKind::MessageTable {
            "message"
        } else {
            "string"
        };
        let nth = self
            .occurrence
            .filter(|n| *n > 1)
            .map(|n| format!(", the {n}. of this id"))
            .unwrap_or_default();
        match self.first_key() {
            Some(key) => format!("{what} {} ({key}{nth})", self.id),
            None => format!("{what} {}{nth}", self.id),
        }
    }

    /// The text as UTF-16 units.
    fn utf16(&self) -> Result<Vec<u16>> {
        match (&self.text, &self.units, &self.bytes) {
            (Some(text), None, None) => Ok(text.encode_utf16().collect()),
            (None, Some(units), None) => Ok(units.clone()),
            (None, None, Some(_)) => Err(Error::say(
                "`bytes` is for texts of a code page; this one is UTF-16: use `units`",
            )),
            _ => Err(Error::say("one of `text`, `units` and `bytes` is expected")),
        }
    }

    fn ansi(&self, page: &Page) -> Result<Vec<u8>> {
        match (&self.text, &self.units, &self.bytes) {
            (Some(text), None, None) => page.encode(text).map_err(|c| {
                outside(c, page).hint("`\"wide\": true` stores the message as UTF-16")
            }),
            (None, None, Some(bytes)) => Ok(bytes.0.clone()),
            (None, Some(_), None) => Err(Error::say(
                "`units` is for UTF-16 texts; this one has a code page: use `bytes`",
            )),
            _ => Err(Error::say("one of `text`, `units` and `bytes` is expected")),
        }
    }

    /// The bytes that the table stores: for a message with its line end, but without terminator and
    /// padding.
    pub(crate) fn encode(&self, kind: TableKind, page: &Page) -> Result<Vec<u8>> {
        let wide = |units: Vec<u16>| {
            units
                .into_iter()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<u8>>()
        };
        if kind == TableKind::StringTable {
            if self.eol != Eol::Crlf || self.wide || self.flags.is_some() {
                return Err(Error::say("strings have no `eol`, `wide` or `flags`"));
            }
            let units = self.utf16()?;
            if units.len() > usize::from(u16::MAX) {
                let (n, most) = (units.len(), u16::MAX);
                return Err(Error::say(format!(
                    "the string has {n} UTF-16 units (at most {most} are possible)"
                )));
            }
            return Ok(wide(units));
        }
        if self.wide && self.flags.is_some_and(|f| f.0 & WIDE == 0) {
            return Err(Error::say("`wide` and `flags` contradict each other"));
        }
        let eol = self.eol.text();
        if self.flag_word() & WIDE != 0 {
            let mut units = self.utf16()?;
            if units.contains(&0) {
                return Err(Error::say("a zero character would end the message"));
            }
            units.extend(eol.encode_utf16());
            return Ok(wide(units));
        }
        let mut bytes = self.ansi(page)?;
        if bytes.contains(&0) {
            return Err(Error::say("a zero character would end the message"));
        }
        bytes.extend(eol.bytes());
        Ok(bytes)
    }

    /// A new entry of a message table: header, text, line end, and padding to a multiple of four
    /// (FORMAT.md).
    pub(crate) fn entry(&self, page: &Page) -> Result<Vec<u8>> {
        let text = self.encode(TableKind::MessageTable, page)?;
        // A one-byte text gets one to four zeros, UTF-16 one or two units: in both cases the rest
        // up to the next multiple of four.
        let length = ENTRY_HEADER + text.len() + (4 - text.len() % 4);
        if length > LONGEST_ENTRY {
            let most =
                LONGEST_ENTRY - ENTRY_HEADER - if self.flag_word() & WIDE != 0 { 2 } else { 1 };
            let n = text.len();
            return Err(Error::say(format!(
                "the text has {n} bytes with its line end (at most {most} are possible)"
            )));
        }
        let mut out = Vec::with_capacity(length);
        out.extend((length as u16).to_le_bytes());
        out.extend(self.flag_word().to_le_bytes());
        out.extend(text);
        out.resize(length, 0);
        Ok(out)
    }
}

/// The error for a character that a code page lacks.
pub fn outside(c: char, page: &Page) -> Error {
    Error::say(format!(
        "the character {c:?} (U+{:04X}) is not in code page {}",
        u32::from(c),
        page.number
    ))
}

/// Converts the texts of a table to the document.
pub fn texts_of(file: &[u8], dll: &Dll, table: &TextTable) -> Result<Texts> {
    let page = Page::new(table.page)?;
    let messages = table
        .entries
        .iter()
        .map(|e| Message::read(file, table, e, &page).with_keys(file, dll))
        .collect();
    let first = dll.tables.first().is_some_and(|t| std::ptr::eq(t, table));
    let keys_without_text = if first {
        keys_without_text(file, dll)
    } else {
        Vec::new()
    };
    Ok(Texts {
        language: table.language.map(Language),
        code_page: Some(table.page),
        messages,
        keys_without_text,
    })
}

/// The keys whose id has no text in any table.
pub fn keys_without_text(file: &[u8], dll: &Dll) -> Vec<KeyOf> {
    let mut ids: Vec<u32> = dll
        .tables
        .iter()
        .flat_map(|t| t.entries.iter().map(|e| e.id))
        .collect();
    ids.sort_unstable();
    let missing = dll
        .keys
        .iter()
        .filter(|k| ids.binary_search(&k.id).is_err());
    missing
        .map(|k| KeyOf {
            id: k.id,
            key: Str::from(file.get(k.name.clone()).unwrap_or_default()),
        })
        .collect()
}
