//! Reader files: binary `.zrd` values, as members of archives and loose (reader.md).
//!
//! The model of a value is its bytes, walked once: text and bytes are made of each other without a tree in between, so that
//! 300,000 nested lists need no stack and no memory beyond the text.

use super::{
    Context, Family, Format, Info,
    members::Typed,
    single::{Single, SingleFile},
};
use crate::{
    game::Game,
    lint::{Code, Lints, Severity},
    tree::{Document, Style, text},
    wire::{Error, F32, Reader, Result, Str, decode_1252, encode_1252, hex_of},
};
use bytes::Bytes;
use std::fmt::Write;

/// What this module contributes: the loose file. Members belong to [`super::archive`].
pub const FAMILY: Family = Family {
    formats: &[Format::ZrdBinary],
    codec: Some(&Single::<ReaderDoc>::CODEC),
    codes: CODES,
    schemas: || vec![super::schema::<ReaderDoc>()],
};

/// The kinds of findings in reader files.
pub const CODES: &[Code] = &[
    Code {
        code: "reader-trailing",
        severity: Severity::Warning,
        title: "bytes stand behind the outermost value",
        explain: "The engine ignores them; they are kept.",
    },
    Code {
        code: "reader-root",
        severity: Severity::Warning,
        title: "the outermost value is not a list",
        explain: "In every known file it is a list.",
    },
    Code {
        code: "reader-string",
        severity: Severity::Note,
        title: "a string that is not plain ASCII",
        explain: "Known strings are ASCII. The engine sees a string only up to its first zero byte.",
    },
];

const INT: u32 = 1;
const FLOAT: u32 = 2;
const STRING: u32 = 3;
const LIST: u32 = 4;

/// One step of a walk over a value.
enum Step<'a> {
    Int(i32),
    Float(F32),
    Text(&'a [u8]),
    /// A list of so many items begins.
    Open(u32),
    /// The list ends.
    Close,
}

/// Walks one outermost value, without recursion. Stops at its end.
fn walk<'a>(r: &mut Reader<'a>, mut see: impl FnMut(Step<'a>)) -> Result<()> {
    // Items left and items in all of every open list.
    let mut open: Vec<(u32, u32)> = Vec::new();
    loop {
        match value(r) {
            Ok(Step::Open(n)) => {
                see(Step::Open(n));
                open.push((n, n));
            }
            Ok(step) => {
                see(step);
                match open.last_mut() {
                    Some((left, _)) => *left -= 1,
                    None => return Ok(()),
                }
            }
            Err(e) => {
                let path: String = open.iter().map(|(left, all)| format!("[{}]", all - left)).collect();
                return Err(if path.is_empty() { e } else { e.within(path) });
            }
        }
        // A finished value closes the lists that it was the last item of.
        while let Some((0, _)) = open.last() {
            open.pop();
            see(Step::Close);
            match open.last_mut() {
                Some((left, _)) => *left -= 1,
                None => return Ok(()),
            }
        }
    }
}

fn value<'a>(r: &mut Reader<'a>) -> Result<Step<'a>> {
    let at = r.offset();
    match r.field::<u32>("tag")? {
        INT => Ok(Step::Int(r.field("integer")?)),
        FLOAT => Ok(Step::Float(r.field("float")?)),
        STRING => {
            let n = r.field::<u32>("length")?;
            let left = r.left();
            r.take_many(n.into(), 1).map(Step::Text).map_err(|_| Error::say(format!("the string says {n} bytes, {left} are left")).at(at))
        }
        LIST => {
            let n = r.field::<u32>("count")?;
            let left = r.left();
            match n.checked_sub(1) {
                None => Err(Error::say("the list says 0; its count includes one for itself").at(at)),
                Some(items) if u64::from(items) * 8 > left as u64 => {
                    Err(Error::say(format!("the list says {items} items, {left} bytes are left")).at(at))
                }
                Some(items) => Ok(Step::Open(items)),
            }
        }
        tag => Err(Error::say(format!("tag {tag} where a value has 1 (integer), 2 (float), 3 (string) or 4 (list)")).at(at)),
    }
}

/// True when the bytes are exactly one value.
pub fn is_value(bytes: &[u8]) -> bool {
    let mut r = Reader::new(bytes, Game::Mw);
    !bytes.is_empty() && walk(&mut r, |_| {}).is_ok() && r.is_empty()
}

/// A reader value with what stands behind it. The bytes are known to walk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReaderDoc {
    value: Vec<u8>,
    trailing: Vec<u8>,
}

impl ReaderDoc {
    /// Reads a value; bytes behind it are kept.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes, Game::Mw);
        walk(&mut r, |_| {})?;
        let (value, trailing) = bytes.split_at(r.pos());
        Ok(ReaderDoc { value: value.to_vec(), trailing: trailing.to_vec() })
    }

    /// The bytes again.
    pub fn write(&self) -> Vec<u8> {
        [self.value.as_slice(), &self.trailing].concat()
    }

    fn walk<'a>(&'a self, see: impl FnMut(Step<'a>)) {
        // The bytes walked when the document was made.
        let _ = walk(&mut Reader::new(&self.value, Game::Mw), see);
    }

    fn judge(&self, lints: &mut Lints) {
        lints.check(self.trailing.is_empty(), "reader-trailing", || format!("{} bytes", self.trailing.len()));
        lints.check(self.value.first() == Some(&(LIST as u8)), "reader-root", || "a single value".into());
        self.walk(|step| match step {
            Step::Float(f) => lints.check(f.get().is_finite(), "not-finite", || format!("{f:?}")),
            Step::Text(text) => lints.check(text.is_ascii() && !text.contains(&0), "reader-string", || format!("{:?}", decode_1252(text))),
            _ => {}
        });
    }

    fn count(&self) -> (usize, usize) {
        let (mut values, mut depth, mut deepest) = (0, 0usize, 0);
        self.walk(|step| match step {
            Step::Open(_) => {
                values += 1;
                depth += 1;
                deepest = deepest.max(depth);
            }
            Step::Close => depth -= 1,
            _ => values += 1,
        });
        (values, deepest)
    }
}

impl Document for ReaderDoc {
    const KIND: &'static str = "reader";

    fn to_text(&self, style: Style) -> Result<String> {
        let mut out = String::with_capacity(self.value.len() * 2);
        let mut first = true;
        let wrap = |out: &mut String, key: &str| {
            let _ = match style {
                Style::Json => write!(out, "{{\"{key}\":"),
                Style::Ron => write!(out, "({key}:"),
            };
        };
        let unwrap = match style {
            Style::Json => '}',
            Style::Ron => ')',
        };
        if !self.trailing.is_empty() {
            wrap(&mut out, "value");
        }
        self.walk(|step| {
            if !first && !matches!(step, Step::Close) {
                out.push(',');
            }
            first = false;
            let _ = match step {
                Step::Int(n) => write!(out, "{n}"),
                Step::Float(f) if f.get().is_finite() => {
                    out.push_str(ryu::Buffer::new().format_finite(f.get()));
                    Ok(())
                }
                Step::Float(f) => {
                    wrap(&mut out, "float");
                    write!(out, "\"{:#010x}\"{unwrap}", f.bits())
                }
                Step::Text(text) => {
                    quote(&mut out, text, style);
                    Ok(())
                }
                Step::Open(_) => {
                    first = true;
                    out.push('[');
                    Ok(())
                }
                Step::Close => {
                    out.push(']');
                    Ok(())
                }
            };
        });
        if !self.trailing.is_empty() {
            let key = if style == Style::Json { "\"trailing\"" } else { "trailing" };
            let _ = write!(out, ",{key}:\"{}\"{unwrap}", hex_of(&self.trailing));
        }
        Ok(text::lay_out(&out, true))
    }

    fn from_text(text: &str, style: Style) -> Result<Self> {
        let hidden = if style == Style::Json { text::hide_schema(text) } else { None };
        let mut parser = Parser { text: hidden.as_deref().unwrap_or(text), at: 0, style };
        parser.document()
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({
            "title": "A reader file",
            "description": "Integers and floats are different: 2 is an integer, 2.0 a float. A float that is not finite is written by its bits.",
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "anyOf": [{ "$ref": "#/$defs/value" }, {
                "type": "object", "additionalProperties": false, "required": ["value", "trailing"],
                "properties": {
                    "$schema": { "type": "string" },
                    "value": { "$ref": "#/$defs/value", "description": "The outermost value." },
                    "trailing": { "type": "string", "description": "Bytes behind the value, in hexadecimal." } },
            }, {
                // The float of the definition, at the root of a document.
                "type": "object", "additionalProperties": false, "required": ["float", "$schema"],
                "properties": {
                    "$schema": { "type": "string" },
                    "float": { "$ref": "#/$defs/bits", "description": "The bits of a float that is not finite." } },
            }],
            "$defs": { "value": { "anyOf": [
                { "type": "number" },
                { "type": "string" },
                { "type": "array", "items": { "$ref": "#/$defs/value" } },
                { "type": "object", "additionalProperties": false, "required": ["float"], "properties": {
                    "float": { "$ref": "#/$defs/bits", "description": "The bits of a float that is not finite." } } },
            ] }, "bits": { "type": "string", "pattern": "^0x[0-9a-fA-F]{1,8}$", "description": "The bits of a float." } },
        })
    }
}

fn quote(out: &mut String, bytes: &[u8], style: Style) {
    out.push('"');
    for c in decode_1252(bytes).chars() {
        let _ = match (c, style) {
            ('"' | '\\', _) => write!(out, "\\{c}"),
            ('\n', _) => out.write_str("\\n"),
            ('\r', _) => out.write_str("\\r"),
            ('\t', _) => out.write_str("\\t"),
            ('\0'..='\x1f' | '\x7f'..='\u{9f}', Style::Json) => write!(out, "\\u{:04x}", u32::from(c)),
            ('\0'..='\x1f' | '\x7f'..='\u{9f}', Style::Ron) => write!(out, "\\u{{{:x}}}", u32::from(c)),
            _ => out.write_char(c),
        };
    }
    out.push('"');
}

/// Strict reading of a value's text, without recursion.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    style: Style,
}

impl<'a> Parser<'a> {
    fn error(&self, at: usize, message: impl Into<String>) -> Error {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Error::text(line, column, message)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\n', '\r', '\t']);
            self.at += rest.len() - trimmed.len();
            let comment = match self.style {
                Style::Ron if trimmed.starts_with("//") => trimmed.find('\n').unwrap_or(trimmed.len()),
                Style::Ron if trimmed.starts_with("/*") => trimmed.find("*/").map_or(trimmed.len(), |n| n + 2),
                _ => return,
            };
            self.at += comment;
        }
    }

    /// Takes `token` if it comes next.
    fn eat(&mut self, token: char) -> bool {
        self.blank();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len_utf8();
        }
        found
    }

    fn expect(&mut self, token: char) -> Result<()> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected(&format!("{token:?}"))) }
    }

    fn unexpected(&self, wanted: &str) -> Error {
        match self.rest().chars().next() {
            Some(c) => self.error(self.at, format!("expected {wanted}, found {c:?}")),
            None => self.error(self.at, format!("expected {wanted}, found the end of the text")),
        }
    }

    fn document(&mut self) -> Result<ReaderDoc> {
        self.blank();
        let start = self.at;
        let mut doc = ReaderDoc { value: Vec::new(), trailing: Vec::new() };
        let wrapped = self.open_record() && self.key("value")?;
        if !wrapped {
            self.at = start;
        }
        self.value(&mut doc.value)?;
        if wrapped {
            self.expect(',')?;
            if !self.key("trailing")? {
                return Err(self.unexpected("`trailing`"));
            }
            let at = self.at;
            doc.trailing = crate::wire::bytes_of_hex(&self.string()?).map_err(|e| self.error(at, e.to_string()))?;
            self.close_record()?;
        }
        self.blank();
        if self.rest().is_empty() { Ok(doc) } else { Err(self.unexpected("the end of the text")) }
    }

    fn open_record(&mut self) -> bool {
        self.eat(if self.style == Style::Json { '{' } else { '(' })
    }

    fn close_record(&mut self) -> Result<()> {
        if self.style == Style::Ron {
            self.eat(',');
        }
        self.expect(if self.style == Style::Json { '}' } else { ')' })
    }

    /// Takes this key and its colon if they come next.
    fn key(&mut self, key: &str) -> Result<bool> {
        self.blank();
        let start = self.at;
        let found = match self.style {
            Style::Json => self.rest().starts_with('"') && self.string()? == key,
            Style::Ron => {
                let word = self.rest().find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest().len());
                let found = self.rest().get(..word) == Some(key);
                self.at += word;
                found
            }
        };
        if found {
            self.expect(':')?;
        } else {
            self.at = start;
        }
        Ok(found)
    }

    /// One value, appended to `out` in the encoding of the file.
    fn value(&mut self, out: &mut Vec<u8>) -> Result<()> {
        // Where each open list's count stands, and its items so far.
        let mut open: Vec<(usize, u32)> = Vec::new();
        loop {
            self.blank();
            let at = self.at;
            let mut opened = false;
            match self.rest().chars().next() {
                Some('[') => {
                    self.at += 1;
                    out.extend(LIST.to_le_bytes());
                    open.push((out.len(), 0));
                    out.extend([0; 4]);
                    opened = true;
                }
                Some('"') => {
                    let text = encode_1252(&self.string()?).map_err(|e| self.error(at, e.to_string()))?;
                    out.extend(STRING.to_le_bytes());
                    out.extend(crate::wire::fit::<u32>(text.len(), "a string's length")?.to_le_bytes());
                    out.extend(text);
                }
                Some('{' | '(') => {
                    if !self.open_record() || !self.key("float")? {
                        return Err(self.error(at, "expected a value; a float by its bits is written { \"float\": \"0x7fc00001\" }"));
                    }
                    let at = self.at;
                    let bits = crate::wire::hex_word(&self.string()?).and_then(|bits| u32::try_from(bits).ok());
                    let bits = bits.ok_or_else(|| self.error(at, "expected the bits of a float as \"0x7fc00001\""))?;
                    self.close_record()?;
                    out.extend(FLOAT.to_le_bytes());
                    out.extend(bits.to_le_bytes());
                }
                Some('-' | '+' | '.' | '0'..='9') => self.number(out)?,
                _ => return Err(self.unexpected("a number, a string or a list")),
            }
            // What may come next: an item, a comma and an item, or the ends of lists.
            loop {
                let Some((count_at, items)) = open.last_mut() else { return Ok(()) };
                let end = if opened {
                    opened = false;
                    self.eat(']')
                } else {
                    *items += 1;
                    let comma = self.eat(',');
                    let end = (!comma || self.style == Style::Ron) && self.eat(']');
                    if !comma && !end {
                        return Err(self.unexpected("',' or ']'"));
                    }
                    end
                };
                if !end {
                    break;
                }
                let count = items.checked_add(1).ok_or_else(|| Error::say("a list of more than 4294967294 items"))?;
                if let Some(slot) = out.get_mut(*count_at..).and_then(|b| b.first_chunk_mut()) {
                    *slot = count.to_le_bytes();
                }
                open.pop();
            }
        }
    }

    fn number(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let at = self.at;
        let rest = self.rest();
        let word = rest
            .get(..rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '+' | '-')).unwrap_or(rest.len()))
            .unwrap_or_default();
        self.at += word.len();
        let digits = word.strip_prefix('-').unwrap_or(word);
        if digits.bytes().all(|b| b.is_ascii_digit()) {
            let n: i32 = word
                .parse()
                .map_err(|_| self.error(at, format!("{word} does not fit an integer of 32 bits; write {word}.0 for a float")))?;
            out.extend(INT.to_le_bytes());
            out.extend(n.to_le_bytes());
            return Ok(());
        }
        let plain = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
        match word.parse::<f32>() {
            Ok(f) if plain && f.is_finite() => {
                out.extend(FLOAT.to_le_bytes());
                out.extend(f.to_bits().to_le_bytes());
                Ok(())
            }
            Ok(_) if plain => Err(self.error(at, format!("{word} does not fit a float of 32 bits"))),
            _ => Err(self.error(at, format!("{word:?} is not a number"))),
        }
    }

    fn string(&mut self) -> Result<String> {
        self.expect('"')?;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find(['"', '\\', '\n']).unwrap_or(rest.len());
            out.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            let at = self.at;
            match self.rest().chars().next() {
                Some('"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some('\\') => {
                    self.at += 1;
                    out.push(self.escape(at)?);
                }
                _ => return Err(self.error(at, "the string has no end on its line")),
            }
        }
    }

    fn escape(&mut self, at: usize) -> Result<char> {
        let c = self.rest().chars().next().ok_or_else(|| self.error(at, "the string has no end"))?;
        self.at += c.len_utf8();
        let known = match (c, self.style) {
            ('"' | '\\' | '/', _) => Some(c),
            ('\'', Style::Ron) => Some(c),
            ('n', _) => Some('\n'),
            ('r', _) => Some('\r'),
            ('t', _) => Some('\t'),
            ('b', Style::Json) => Some('\x08'),
            ('f', Style::Json) => Some('\x0c'),
            ('0', Style::Ron) => Some('\0'),
            ('u', Style::Json) => {
                let first = self.hex(at, 4)?;
                if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
                    self.at += 2;
                    let second = self.hex(at, 4)?;
                    let pair = 0x10000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff);
                    char::from_u32(pair)
                } else {
                    char::from_u32(first)
                }
            }
            ('x', Style::Ron) => char::from_u32(self.hex(at, 2)?),
            ('u', Style::Ron) => {
                self.expect('{')?;
                let n = self.rest().find('}').filter(|n| *n <= 6).ok_or_else(|| self.error(at, "\\u{ has no }"))?;
                let c = char::from_u32(self.hex(at, n)?);
                self.expect('}')?;
                c
            }
            _ => None,
        };
        known.ok_or_else(|| self.error(at, format!("\\{c} is not an escape")))
    }

    fn hex(&mut self, at: usize, n: usize) -> Result<u32> {
        let digits = self.rest().get(..n).filter(|d| !d.starts_with('+')).and_then(|d| u32::from_str_radix(d, 16).ok());
        self.at += n.min(self.rest().len());
        digits.ok_or_else(|| self.error(at, "expected hexadecimal digits"))
    }
}

/// Reader files as members of an archive.
pub struct Members;

impl Typed for Members {
    type Doc = ReaderDoc;
    fn read(&self, _: &Str, payload: &[u8], _: &Context) -> Option<Result<ReaderDoc>> {
        Some(ReaderDoc::read(payload))
    }
    fn write(&self, doc: &ReaderDoc, _: &Context) -> Result<Vec<u8>> {
        Ok(doc.write())
    }
    fn lint(&self, doc: &ReaderDoc, lints: &mut Lints) {
        doc.judge(lints);
    }
    fn describe(&self, doc: &ReaderDoc) -> (String, String) {
        let (values, depth) = doc.count();
        ("reader".into(), format!("{values} values, depth {depth}"))
    }
}

impl SingleFile for ReaderDoc {
    const FORMAT: Format = Format::ZrdBinary;
    fn read_file(file: &Bytes, _: &Context) -> Result<Self> {
        ReaderDoc::read(file)
    }
    fn write_file(&self, _: &Context) -> Result<Vec<u8>> {
        Ok(self.write())
    }
    fn judge(&self, lints: &mut Lints) {
        ReaderDoc::judge(self, lints);
    }
    fn tell(&self) -> Info {
        let (values, depth) = self.count();
        vec![("values", values.into()), ("depth", depth.into())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: &[&[u8]]) -> Vec<u8> {
        let mut out = [4u32.to_le_bytes(), (items.len() as u32 + 1).to_le_bytes()].concat();
        items.iter().for_each(|i| out.extend_from_slice(i));
        out
    }
    fn int(n: i32) -> Vec<u8> {
        [1u32.to_le_bytes(), n.to_le_bytes()].concat()
    }
    fn float(bits: u32) -> Vec<u8> {
        [2u32.to_le_bytes(), bits.to_le_bytes()].concat()
    }
    fn string(s: &[u8]) -> Vec<u8> {
        [&3u32.to_le_bytes(), &(s.len() as u32).to_le_bytes()[..], s].concat()
    }

    fn trip(bytes: &[u8]) -> String {
        let doc = ReaderDoc::read(bytes).unwrap();
        for style in [Style::Ron, Style::Json] {
            let text = doc.to_text(style).unwrap();
            assert_eq!(ReaderDoc::from_text(&text, style).unwrap().write(), bytes, "{text}");
        }
        doc.to_text(Style::Json).unwrap()
    }

    #[test]
    fn every_kind_of_value_comes_back_and_reads_well() {
        let bytes = list(&[
            &string(b"KEYS"),
            &list(&[&int(156), &float(0.5f32.to_bits()), &float(0x8000_0000), &float(2f32.to_bits())]),
            &list(&[]),
        ]);
        assert_eq!(trip(&bytes), "[\"KEYS\", [156, 0.5, -0.0, 2.0], []]\n");
        assert_eq!(trip(&float(0x7fc0_0001)), "{\"float\": \"0x7fc00001\"}\n".replace("{", "{ ").replace("}", " }"));
        assert_eq!(trip(&string(b"a\"\\\n\0\x81\xe4")), "\"a\\\"\\\\\\n\\u0000\\u0081ä\"\n");
        trip(&string(&(0..=255).collect::<Vec<u8>>()));
        trip(&int(i32::MIN));
        trip(&list(&[]));
        assert_eq!(trip(&[int(1), vec![9]].concat()), "{ \"value\": 1, \"trailing\": \"09\" }\n");
    }

    #[test]
    fn three_hundred_thousand_nested_lists_need_no_stack() {
        let deep = [4u32.to_le_bytes(), 2u32.to_le_bytes()].concat().repeat(300_000);
        trip(&[deep, list(&[])].concat());
    }

    #[test]
    fn errors_say_where_and_what() {
        let e = ReaderDoc::read(&list(&[&int(1), &string(b"abcd")])[..26]).unwrap_err().to_string();
        assert_eq!(e, "[1] at 0x10: the string says 4 bytes, 2 are left");
        let e = ReaderDoc::read(&[4, 0, 0, 0, 255, 255, 255, 255]).unwrap_err().to_string();
        assert_eq!(e, "at 0x0: the list says 4294967294 items, 0 bytes are left");
        for (text, word) in [
            ("[1, 2", "end"),
            ("[1,]", "']'"),
            ("2147483648", "2147483648.0"),
            ("[1] 2", "end"),
            ("3.5e38", "fit"),
            ("\"ж\"", "1252"),
            ("NaN", "'N'"),
        ] {
            let e = ReaderDoc::from_text(text, Style::Json).unwrap_err().to_string();
            assert!(e.contains("line 1") && e.contains(word), "{text}: {e}");
        }
    }
}
