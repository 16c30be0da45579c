//! Converts reader values to text and back, in pieces.
//!
//! A value of some megabytes can have a text six times as large, and be nested as deeply as it is long. So the text is
//! laid out while the bytes are walked, with one line of lookahead, and parsed through a window: neither needs the
//! whole text in memory, nor recursion.

use super::{FLOAT, INT, LIST, ReaderDoc, STRING};
use crate::{
    tree::{Style, not_json},
    wire::{Error, F32, Plain, Result, decode_1252, encode_1252, hex_of, value_at},
};
use std::{borrow::Cow, fmt::Write};

/// Bytes of text that are written or read at a time.
const PIECE: usize = 1 << 16;
/// Maximum width of a line, in columns.
const COLUMNS: usize = 100;
/// Deeper levels are not indented further, to keep the text of a deep value linear in its size.
const DEEPEST: u8 = 40;

/// A value, or the start of a list with its number of items.
#[derive(Clone, Copy)]
pub(super) enum Token<'a> {
    Int(i32),
    Float(F32),
    Text(&'a [u8]),
    List(u32),
}

impl<'a> Token<'a> {
    /// The token at a position in a valid value, and the position after it.
    pub(super) fn at(value: &'a [u8], at: usize) -> Option<(Self, usize)> {
        let [tag, word] = value_at::<[u32; 2]>(value, at)?;
        let behind = at + 8;
        Some(match tag {
            INT => (Token::Int(word as i32), behind),
            FLOAT => (Token::Float(F32::from_bits(word)), behind),
            STRING => {
                let end = behind.checked_add(word as usize)?;
                (Token::Text(value.get(behind..end)?), end)
            }
            _ => (Token::List(word.saturating_sub(1)), behind),
        })
    }

    /// True for a token written in brackets.
    fn is_group(self) -> bool {
        match self {
            Token::List(_) => true,
            Token::Float(f) => !f.get().is_finite(),
            _ => false,
        }
    }
}

/// The brackets of a record.
fn brackets(style: Style) -> [&'static str; 2] {
    match style {
        Style::Json => ["{ ", " }"],
        Style::Ron => ["(", ")"],
    }
}

fn key(name: &str, style: Style, out: &mut String) {
    let _ = match style {
        Style::Json => write!(out, "\"{name}\": "),
        Style::Ron => write!(out, "{name}: "),
    };
}

/// Appends the characters of a string; those that editors do not show become escapes.
pub(super) fn escape(out: &mut String, bytes: &[u8], style: Style) {
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
}

/// Appends a token on one line; lists are not allowed.
fn scalar(out: &mut String, token: Token<'_>, style: Style) {
    let _ = match token {
        Token::Int(n) => write!(out, "{n}"),
        Token::Float(f) if f.get().is_finite() => out.write_str(ryu::Buffer::new().format_finite(f.get())),
        Token::Float(f) => {
            let [open, close] = brackets(style);
            out.push_str(open);
            key("float", style, out);
            write!(out, "\"{:#010x}\"{close}", f.bits())
        }
        Token::Text(text) => {
            out.push('"');
            escape(out, text, style);
            out.write_char('"')
        }
        Token::List(_) => Ok(()),
    };
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

/// The last thing written in a list.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Nothing,
    Scalar,
    Group,
}

/// A list that does not fit on one line.
struct OpenGroup {
    /// Remaining items.
    left: u32,
    indent: u8,
    /// True if it has one item.
    single: bool,
    last: Last,
}

enum Stage {
    Start,
    Value,
    /// After the value.
    Behind,
    /// This many bytes of `trailing` were written.
    Trailing(usize),
    End,
}

/// Writes the text of a value, piece by piece. Whatever fits in 100 columns goes on one line. In a longer list, scalars
/// fill lines and groups get lines of their own; closing brackets follow the last item.
pub(super) struct Layout<'a> {
    value: &'a [u8],
    trailing: &'a [u8],
    style: Style,
    stage: Stage,
    /// The position of the next token.
    at: usize,
    open: Vec<OpenGroup>,
    /// The rest of a long string.
    string: Option<&'a [u8]>,
    column: usize,
    /// A candidate line, and the remaining items of its lists.
    line: String,
    lists: Vec<u32>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(doc: &'a ReaderDoc, style: Style) -> Self {
        Layout {
            value: &doc.value,
            trailing: &doc.trailing,
            style,
            stage: Stage::Start,
            at: 0,
            open: Vec::new(),
            string: None,
            column: 0,
            line: String::new(),
            lists: Vec::new(),
        }
    }

    /// Appends some of the text; false at the end.
    pub(super) fn more(&mut self, out: &mut String) -> bool {
        let full = out.len() + PIECE;
        while out.len() < full {
            match self.stage {
                Stage::Start if self.trailing.is_empty() => self.stage = Stage::Value,
                Stage::Start => self.wrapper(out),
                Stage::Value if self.string.is_some() => self.string_goes_on(out),
                Stage::Value => self.step(out),
                Stage::Behind if self.trailing.is_empty() => {
                    out.push('\n');
                    self.stage = Stage::End;
                }
                Stage::Behind => {
                    out.push(',');
                    self.newline(out, 2);
                    key("trailing", self.style, out);
                    out.push('"');
                    self.stage = Stage::Trailing(0);
                }
                Stage::Trailing(at) => {
                    let rest = self.trailing.get(at..).unwrap_or_default();
                    // In groups of four bytes.
                    let piece = rest.get(..PIECE / 4).unwrap_or(rest);
                    out.push_str(if at > 0 && !piece.is_empty() { " " } else { "" });
                    out.push_str(&hex_of(piece));
                    self.stage = Stage::Trailing(at + piece.len());
                    if piece.len() == rest.len() {
                        out.push('"');
                        out.push_str(brackets(self.style)[1].trim());
                        out.push('\n');
                        self.stage = Stage::End;
                    }
                }
                Stage::End => return false,
            }
        }
        true
    }

    fn newline(&mut self, out: &mut String, indent: u8) {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', indent.into()));
        self.column = indent.into();
    }

    /// Writes the record around a value that is followed by more bytes.
    fn wrapper(&mut self, out: &mut String) {
        let [open, close] = brackets(self.style);
        let mut whole = open.to_owned();
        key("value", self.style, &mut whole);
        if self.trailing.len() < COLUMNS && self.fits(0, COLUMNS).is_some() {
            whole.push_str(&self.line);
            whole.push_str(", ");
            key("trailing", self.style, &mut whole);
            let _ = write!(whole, "\"{}\"{close}", hex_of(self.trailing));
            if columns(&whole) <= COLUMNS {
                let _ = writeln!(out, "{whole}");
                self.stage = Stage::End;
                return;
            }
        }
        out.push_str(open.trim());
        self.newline(out, 2);
        let before = out.len();
        key("value", self.style, out);
        self.column += out.len() - before;
        self.stage = Stage::Value;
    }

    /// Tries to put the token at a position on one line, in `self.line`, within `most` columns. Returns the position
    /// after it and its width.
    fn fits(&mut self, mut at: usize, most: usize) -> Option<(usize, usize)> {
        self.line.clear();
        self.lists.clear();
        let (mut width, mut first) = (0, true);
        loop {
            while let Some(0) = self.lists.last() {
                self.lists.pop();
                self.line.push(']');
                width += 1;
                first = false;
                if self.lists.is_empty() {
                    return (width <= most).then_some((at, width));
                }
            }
            if let Some(left) = self.lists.last_mut() {
                *left -= 1;
                if !first {
                    self.line.push_str(", ");
                    width += 2;
                }
            }
            let (token, behind) = Token::at(self.value, at)?;
            at = behind;
            match token {
                // Each item takes at least one column, and the comma and blank before the next one two more.
                Token::List(n) if n as usize > most => return None,
                Token::List(n) => {
                    self.line.push('[');
                    width += 1;
                    self.lists.push(n);
                    first = true;
                }
                Token::Text(text) if text.len() > most => return None,
                _ => {
                    let before = self.line.len();
                    scalar(&mut self.line, token, self.style);
                    width += columns(self.line.get(before..).unwrap_or_default());
                    first = false;
                }
            }
            if width > most {
                return None;
            }
            if self.lists.is_empty() {
                return Some((at, width));
            }
        }
    }

    /// Writes the closing bracket of a finished list, or the next token with its separator.
    fn step(&mut self, out: &mut String) {
        let ended = match self.open.last() {
            Some(frame) => frame.left == 0,
            None => self.at > 0,
        };
        if ended {
            if self.open.pop().is_none() {
                self.stage = Stage::Behind;
                return;
            }
            out.push(']');
            self.column += 1;
            if let Some(parent) = self.open.last_mut() {
                parent.last = Last::Group;
            }
            return;
        }
        let Some((token, behind)) = Token::at(self.value, self.at) else {
            self.stage = Stage::Behind;
            return;
        };
        let group = token.is_group();
        // Scalars are placed by their width; for a group it only matters whether it fits on the line.
        let one_line = if group { None } else { self.fits(self.at, COLUMNS) };
        let mut indent = if self.trailing.is_empty() { 0 } else { 2 };
        let mut breaks = None;
        if let Some(frame) = self.open.last_mut() {
            if frame.last != Last::Nothing {
                out.push(',');
                self.column += 1;
            }
            indent = DEEPEST.min(frame.indent + 2);
            let fits = one_line.is_some_and(|(_, width)| self.column + 1 + width < COLUMNS);
            breaks = match frame.last {
                Last::Nothing if frame.single && group => {
                    indent = frame.indent;
                    None
                }
                Last::Nothing => Some(true),
                _ if self.column > COLUMNS => Some(true),
                Last::Scalar if group || fits => Some(false),
                _ => Some(true),
            };
            frame.left -= 1;
            frame.last = if group { Last::Group } else { Last::Scalar };
        }
        match breaks {
            Some(true) => self.newline(out, indent),
            Some(false) => {
                out.push(' ');
                self.column += 1;
            }
            None => {}
        }
        let one_line = if group { self.fits(self.at, COLUMNS.saturating_sub(self.column)) } else { one_line };
        self.at = behind;
        match (one_line, token) {
            (Some((behind, width)), _) => {
                out.push_str(&self.line);
                self.column += width;
                self.at = behind;
            }
            (None, Token::List(n)) => {
                out.push('[');
                self.column += 1;
                self.open.push(OpenGroup { left: n, indent, single: n == 1, last: Last::Nothing });
            }
            (None, Token::Text(text)) => {
                // Its exact width does not matter: it is wider than a line.
                self.column += COLUMNS + 1;
                out.push('"');
                self.string = Some(text);
            }
            (None, _) => {
                let [open, close] = brackets(self.style);
                out.push_str(open.trim());
                self.newline(out, DEEPEST.min(indent + 2));
                self.line.clear();
                scalar(&mut self.line, token, self.style);
                let inner = self.line.strip_prefix(open).and_then(|line| line.strip_suffix(close)).unwrap_or_default();
                out.push_str(inner);
                out.push_str(close.trim());
                self.column += inner.len() + 1;
            }
        }
    }

    fn string_goes_on(&mut self, out: &mut String) {
        let rest = self.string.take().unwrap_or_default();
        let (now, later) = rest.split_at(rest.len().min(PIECE / 8));
        escape(out, now, self.style);
        if later.is_empty() {
            out.push('"');
        } else {
            self.string = Some(later);
        }
    }
}

/// Appends some text to a window; false at the end.
pub(super) type More<'a> = dyn FnMut(&mut String) -> Result<bool> + 'a;

/// A strict parser for a value's text, not recursive, which reads through a window.
pub(super) struct Parser<'a> {
    window: Cow<'a, str>,
    /// The position in the window.
    at: usize,
    style: Style,
    more: Option<&'a mut More<'a>>,
    /// Lines and columns before the window.
    begins: (usize, usize),
    /// True if the parser may return to an earlier position: nothing is dropped.
    held: bool,
}

impl<'a> Parser<'a> {
    /// Parses a text.
    pub(super) fn new(text: &'a str, style: Style) -> Self {
        Parser { window: text.into(), at: 0, style, more: None, begins: (0, 0), held: false }
    }

    /// Parses a text that comes in pieces.
    pub(super) fn of_pieces(more: &'a mut More<'a>, style: Style) -> Self {
        Parser { more: Some(more), ..Parser::new("", style) }
    }

    /// Extends the window to at least `n` bytes, if the text has as many. Invalidates positions in the window.
    fn fill(&mut self, n: usize) -> Result<()> {
        while self.window.len() - self.at < n
            && let Some(more) = &mut self.more
        {
            let window = self.window.to_mut();
            if !self.held && self.at > PIECE {
                let (lines, columns) = position(window.get(..self.at).unwrap_or_default());
                self.begins = if lines == 0 { (self.begins.0, self.begins.1 + columns) } else { (self.begins.0 + lines, columns) };
                window.drain(..self.at);
                self.at = 0;
            }
            if !more(window)? {
                self.more = None;
            }
        }
        Ok(())
    }

    fn error(&self, at: usize, message: impl Into<String>) -> Error {
        let (lines, columns) = position(self.window.get(..at).unwrap_or(&self.window));
        let columns = if lines == 0 { self.begins.1 + columns } else { columns };
        Error::text(self.begins.0 + lines + 1, columns + 1, message)
    }

    fn rest(&self) -> &str {
        self.window.get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Result<Option<char>> {
        self.fill(4)?;
        Ok(self.rest().chars().next())
    }

    fn blank(&mut self) -> Result<()> {
        loop {
            self.fill(2)?;
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\n', '\r', '\t']);
            let blanks = rest.len() - trimmed.len();
            let comment = match self.style {
                Style::Ron if trimmed.starts_with("//") => Some("\n"),
                Style::Ron if trimmed.starts_with("/*") => Some("*/"),
                _ => None,
            };
            let again = blanks > 0 && trimmed.len() < 2;
            self.at += blanks;
            match comment {
                Some(end) => self.comment(end)?,
                None if again => {}
                None => return Ok(()),
            }
        }
    }

    fn comment(&mut self, end: &str) -> Result<()> {
        self.at += 2;
        loop {
            let rest = self.rest();
            if let Some(n) = rest.find(end) {
                self.at += n + end.len();
                return Ok(());
            }
            // A `*` at the end of this piece may be the first half of the comment's end.
            let keep = usize::from(rest.ends_with('*'));
            self.at += rest.len() - keep;
            if self.more.is_none() {
                self.at += keep;
                return Ok(());
            }
            self.fill(keep + 1)?;
        }
    }

    /// Consumes `token` if it comes next.
    fn eat(&mut self, token: char) -> Result<bool> {
        self.blank()?;
        let found = self.next()? == Some(token);
        if found {
            self.at += token.len_utf8();
        }
        Ok(found)
    }

    fn expect(&mut self, token: char) -> Result<()> {
        if self.eat(token)? { Ok(()) } else { Err(self.unexpected(&format!("{token:?}"))) }
    }

    fn unexpected(&self, wanted: &str) -> Error {
        if let Some((message, hint)) = not_json(self.rest()).filter(|_| self.style == Style::Json) {
            let error = self.error(self.at, message);
            return match hint {
                Some(hint) => error.hint(hint),
                None => error,
            };
        }
        match self.rest().chars().next() {
            Some(c) if c.is_alphabetic() => {
                self.error(self.at, format!("expected {wanted}, found {c:?}")).hint("is a quote missing before it, or one too many?")
            }
            Some(c) => self.error(self.at, format!("expected {wanted}, found {c:?}")),
            None => self.error(self.at, format!("expected {wanted}, found the end of the text")),
        }
    }

    /// Parses the whole text. `size` is its expected size in bytes.
    pub(super) fn document(mut self, size: usize) -> Result<ReaderDoc> {
        self.fill(4)?;
        if self.rest().starts_with('\u{feff}') {
            self.at += 3;
        }
        self.blank()?;
        let mut doc = ReaderDoc { value: Vec::with_capacity(size), trailing: Vec::new() };
        self.held = true;
        let start = self.at;
        let wrapped = self.open_record()? && self.root_key("value")?;
        if !wrapped {
            self.at = start;
        }
        self.held = false;
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
        self.blank()?;
        if self.rest().is_empty() { Ok(doc) } else { Err(self.unexpected("the end of the text")) }
    }

    fn open_record(&mut self) -> Result<bool> {
        self.eat(if self.style == Style::Json { '{' } else { '(' })
    }

    fn close_record(&mut self) -> Result<()> {
        if self.style == Style::Ron {
            self.eat(',')?;
        }
        self.expect(if self.style == Style::Json { '}' } else { ')' })
    }

    /// Consumes this key and its colon if they come next.
    fn key(&mut self, key: &str) -> Result<bool> {
        self.blank()?;
        let held = std::mem::replace(&mut self.held, true);
        let start = self.at;
        let found = match self.style {
            Style::Json => self.next()? == Some('"') && self.string()? == key,
            Style::Ron => {
                self.fill(key.len() + 4)?;
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
        self.held = held;
        Ok(found)
    }

    /// [`Parser::key`] in the outermost record, which may begin with its schema.
    fn root_key(&mut self, key: &str) -> Result<bool> {
        if self.style == Style::Json && self.key("$schema")? {
            self.string()?;
            self.eat(',')?;
        }
        self.key(key)
    }

    /// Parses a value, and appends its stored bytes to `out`.
    fn value(&mut self, out: &mut Vec<u8>) -> Result<()> {
        // The position of each open list's count.
        let mut open: Vec<u32> = Vec::new();
        loop {
            self.blank()?;
            let next = self.next()?;
            let at = self.at;
            let mut opened = false;
            match next {
                Some('[') => {
                    self.at += 1;
                    out.extend(LIST.to_le_bytes());
                    open.push(crate::wire::fit(out.len(), "the place of a list")?);
                    // The stored count of a list includes the count itself.
                    out.extend([1, 0, 0, 0]);
                    opened = true;
                }
                Some('"') => {
                    out.extend(STRING.to_le_bytes());
                    let length_at = out.len();
                    out.extend([0; 4]);
                    self.characters(&mut |text| {
                        if text.is_ascii() {
                            out.extend_from_slice(text.as_bytes());
                        } else {
                            out.extend(encode_1252(text)?);
                        }
                        Ok(())
                    })?;
                    let length: u32 = crate::wire::fit(out.len() - length_at - 4, "a string's length")?;
                    if let Some(slot) = out.get_mut(length_at..).and_then(|b| b.first_chunk_mut()) {
                        *slot = length.to_le_bytes();
                    }
                }
                Some('{' | '(') => {
                    let float = self.open_record()? && if open.is_empty() { self.root_key("float")? } else { self.key("float")? };
                    if !float {
                        return Err(self.error(at, "expected a value; a float by its bits is written { \"float\": \"0x7fc00001\" }"));
                    }
                    let at = self.at;
                    // The 0x is required: "10" would be ambiguous.
                    let text = self.string()?;
                    let bits = text.starts_with("0x").then(|| crate::wire::hex_word(&text)).flatten();
                    let bits = bits.and_then(|bits| u32::try_from(bits).ok());
                    let bits = bits.ok_or_else(|| self.error(at, "expected the bits of a float as \"0x7fc00001\""))?;
                    self.close_record()?;
                    out.extend(FLOAT.to_le_bytes());
                    out.extend(bits.to_le_bytes());
                }
                Some('-' | '+' | '.' | '0'..='9') => self.number(out)?,
                _ => return Err(self.unexpected("a number, a string or a list")),
            }
            // What may follow: an item, a comma and an item, or the ends of lists.
            loop {
                let Some(count_at) = open.last() else { return Ok(()) };
                let end = if opened {
                    opened = false;
                    self.eat(']')?
                } else {
                    if let Some(slot) = out.get_mut(*count_at as usize..).and_then(|b| b.first_chunk_mut()) {
                        let count = u32::get(slot).checked_add(1);
                        let count = count.ok_or_else(|| self.error(self.at, "a list of more than 4294967294 items"))?;
                        *slot = count.to_le_bytes();
                    }
                    let comma = self.eat(',')?;
                    let end = (!comma || self.style == Style::Ron) && self.eat(']')?;
                    if !comma && !end {
                        return Err(self.unexpected("',' or ']'"));
                    }
                    end
                };
                if !end {
                    break;
                }
                open.pop();
            }
        }
    }

    fn number(&mut self, out: &mut Vec<u8>) -> Result<()> {
        // No number that fits 32 bits has more than 200 characters.
        self.fill(200)?;
        let at = self.at;
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '+' | '-')).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        let digits = word.strip_prefix('-').unwrap_or(word);
        let word = if digits.bytes().all(|b| b.is_ascii_digit()) {
            let n: i32 = word
                .parse()
                .map_err(|_| self.error(at, format!("{word} does not fit an integer of 32 bits; write {word}.0 for a float")))?;
            [INT, n as u32]
        } else {
            let plain = digits.starts_with(|c: char| c.is_ascii_digit())
                && digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
            match word.parse::<f32>() {
                Ok(f) if plain && f.is_finite() => [FLOAT, f.to_bits()],
                Ok(_) if plain => return Err(self.error(at, format!("{word} does not fit a float of 32 bits"))),
                _ => return Err(self.error(at, format!("{word:?} is not a number"))),
            }
        };
        self.at += end;
        out.extend(word.into_iter().flat_map(u32::to_le_bytes));
        Ok(())
    }

    fn string(&mut self) -> Result<String> {
        let mut out = String::new();
        self.characters(&mut |text| {
            out.push_str(text);
            Ok(())
        })?;
        Ok(out)
    }

    /// Parses a string and passes its content to `take`, in pieces.
    fn characters(&mut self, take: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        self.expect('"')?;
        loop {
            self.fill(1)?;
            let rest = self.rest();
            let plain = rest.find(['"', '\\', '\n']).unwrap_or(rest.len());
            take(rest.get(..plain).unwrap_or_default()).map_err(|e| self.error(self.at, e.to_string()))?;
            self.at += plain;
            let at = self.at;
            match self.rest().chars().next() {
                Some('"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some('\\') => {
                    self.at += 1;
                    let c = self.escape()?;
                    take(c.encode_utf8(&mut [0; 4])).map_err(|e| self.error(at, e.to_string()))?;
                }
                None if self.more.is_some() => {}
                _ => return Err(self.error(at, "the closing quote is missing on this line")),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        // The length of the longest escape.
        self.fill(16)?;
        let at = self.at.saturating_sub(1);
        let c = self.next()?.ok_or_else(|| self.error(at, "the text ends inside a string: the closing quote is missing"))?;
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
                if !self.rest().starts_with('{') {
                    return Err(self.error(at, "\\u has no {"));
                }
                self.at += 1;
                let n = self.rest().find('}').filter(|n| *n <= 6).ok_or_else(|| self.error(at, "\\u{ has no }"))?;
                let c = char::from_u32(self.hex(at, n)?);
                self.at += 1;
                c
            }
            _ => None,
        };
        known.ok_or_else(|| self.error(at, format!("\\{c} is not an escape")))
    }

    fn hex(&mut self, at: usize, n: usize) -> Result<u32> {
        let digits = self.rest().get(..n).filter(|d| !d.starts_with('+')).and_then(|d| u32::from_str_radix(d, 16).ok());
        match digits {
            Some(digits) => {
                self.at += n;
                Ok(digits)
            }
            None => Err(self.error(at, "expected hexadecimal digits")),
        }
    }
}

/// The number of line ends in a text, and of columns after the last one.
fn position(text: &str) -> (usize, usize) {
    let lines = text.bytes().filter(|b| *b == b'\n').count();
    (lines, text.rsplit('\n').next().unwrap_or_default().chars().count())
}
