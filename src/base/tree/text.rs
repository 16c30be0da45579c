//! Reads and writes JSON and RON: lossless, strict, and laid out for people. What fits in 100
//! columns is on one line.

use super::{Style, explain};
use crate::wire::{Error, Items, Result, Scanner, TokenKind, Within, utf8};
use serde::{Serialize, de::DeserializeOwned};
use std::{cell::Cell, io, ops::Range, rc::Rc};

/// A type that a tree stores as one text file.
pub trait Document: Sized + Send + 'static {
    /// Name of the document type, of its schema, and of the file in `schemas/`.
    const KIND: &'static str;
    /// The text without the schema key; see `with_schema`.
    fn to_text(&self, style: Style) -> Result<String>;
    /// Reads the text. Errors carry line and column.
    fn from_text(text: &str, style: Style) -> Result<Self>;
    /// The JSON schema: the file `schemas/KIND.json`.
    const SCHEMA: Packed;
    /// The JSON schema, made from the type.
    #[cfg(feature = "schemas")]
    fn schema() -> schemars::Schema;
}

/// A [`Document`] of any type, for members whose type is not known in advance. It is an
/// [`Any`](std::any::Any), too.
pub trait AnyDocument: std::any::Any + Send {
    /// [`Document::KIND`].
    fn kind(&self) -> &'static str;
    /// [`Document::to_text`].
    fn text(&self, style: Style) -> Result<String>;
}

impl<T: Document> AnyDocument for T {
    fn kind(&self) -> &'static str {
        T::KIND
    }
    fn text(&self, style: Style) -> Result<String> {
        self.to_text(style)
    }
}

impl dyn AnyDocument {
    /// The document, if it is of this type. The error names its actual type.
    pub fn of<T: Document>(&self) -> Result<&T> {
        let any: &dyn std::any::Any = self;
        any.downcast_ref()
            .ok_or_else(|| other_type(self.kind(), T::KIND))
    }

    /// Like `of`, by value.
    pub fn into<T: Document>(self: Box<Self>) -> Result<T> {
        let kind = self.kind();
        let any: Box<dyn std::any::Any> = self;
        any.downcast()
            .map(|document| *document)
            .map_err(|_| other_type(kind, T::KIND))
    }
}

#[cold]
fn other_type(is: &str, wanted: &str) -> Error {
    Error::say(format!("a document of the type {is:?}, not {wanted:?}"))
}

/// Reads a document from the bytes of a file.
pub fn of_bytes<T: Document>(bytes: &[u8], style: Style) -> Result<T> {
    let text = utf8(bytes)?;
    T::from_text(text.strip_prefix('\u{feff}').unwrap_or(text), style)
}

/// The same for a text that is not needed any more.
pub(crate) fn of_file<T: Document>(text: String, style: Style) -> Result<T> {
    let text = if style == Style::Json {
        blank_schema(text)
    } else {
        text
    };
    T::from_text(text.strip_prefix('\u{feff}').unwrap_or(&text), style)
}

/// A compressed text in the program. Uncompressed, the schemas would be a twentieth of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Packed(&'static [u8]);

impl Packed {
    /// `zlib` is what `refit_schemas::packed` returns.
    pub const fn new(zlib: &'static [u8]) -> Self {
        Packed(zlib)
    }
    /// The text.
    pub fn text(self) -> String {
        // Only `refit_schemas` gives values, and a test reads all of them. No schema has 16 MB.
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(self.0, 1 << 24)
            .unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }
}

/// Implements [`Document`](crate::tree::Document) with the given kind for a serde type.
#[macro_export]
macro_rules! document {
    ($type:ty, $kind:literal) => {
        impl $crate::tree::Document for $type {
            const KIND: &'static str = $kind;
            fn to_text(&self, style: $crate::tree::Style) -> $crate::wire::Result<String> {
                $crate::tree::text::to_text(self, style)
            }
            fn from_text(text: &str, style: $crate::tree::Style) -> $crate::wire::Result<Self> {
                $crate::tree::text::from_text(text, style)
            }
            const SCHEMA: $crate::tree::Packed =
                $crate::tree::Packed::new($crate::packed_schema($kind));
            #[cfg(feature = "schemas")]
            fn schema() -> schemars::Schema {
                $crate::tree::schema::schema_of::<Self>()
            }
        }
    };
}

/// Serializes a serde model as text.
pub fn to_text<T: Serialize + ?Sized>(value: &T, style: Style) -> Result<String> {
    Ok(to_line(value, style)?.lay_out(false))
}

/// Serializes a serde model on one line.
pub(crate) fn to_line<T: Serialize + ?Sized>(value: &T, style: Style) -> Result<Spaced> {
    match style {
        Style::Json => {
            let used = USED.take();
            let mut out = Out {
                text: used.text.into_bytes(),
                at: Rc::default(),
            };
            let mut marks = Marks {
                at: out.at.clone(),
                groups: used.groups,
                ..Marks::default()
            };
            let mut serializer =
                serde_json::Serializer::with_formatter(&mut out, SpacedJson(&mut marks));
            value
                .serialize(&mut serializer)
                .map_err(|e| Error::say(e.to_string()))?;
            let text = String::from_utf8(out.text).map_err(|e| Error::say(e.to_string()))?;
            Ok(Spaced {
                text,
                groups: marks.groups,
            })
        }
        // Type-erased: RON is the rarer style, and a second set of code for every model would
        // double the build time.
        Style::Ron => {
            let options = ron::Options::default()
                .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
            let flat = options
                .with_recursion_limit(super::ron::DEPTH)
                .to_string(&value as &dyn erased_serde::Serialize);
            flat.map(Spaced::of).map_err(|e| Error::say(e.to_string()))
        }
    }
}

/// Parses a serde model.
pub fn from_text<T: DeserializeOwned>(text: &str, style: Style) -> Result<T> {
    match style {
        Style::Json => {
            let hidden = hide_schema(text);
            from_json(hidden.as_deref().unwrap_or(text))
                .map_err(|(line, column, message)| explain::json(text, line, column, &message))
        }
        Style::Ron => {
            let json = super::ron::to_json(text)?;
            // The JSON is on one line, so its column is the offset.
            from_json(&json).map_err(|(_, column, message)| {
                explain::ron(
                    text,
                    super::ron::place(text, column.saturating_sub(1)),
                    &message,
                )
            })
        }
    }
}

/// Converts a value to a serde model. Goes through text, because code to read models from values
/// would double the code that reads them from text.
///
/// # Errors
/// If the value does not fit the model.
pub fn from_value<T: DeserializeOwned>(value: &serde_json::Value) -> Result<T> {
    from_json(&value.to_string()).map_err(|(_, _, message)| Error::say(message))
}

/// Converts a serde model to a value. Type-erased, like RON.
pub fn to_value(model: &dyn erased_serde::Serialize) -> Option<serde_json::Value> {
    erased_serde::serialize(model, serde_json::value::Serializer).ok()
}

/// Parses a serde model from JSON. The error is the parser's line, column and message.
fn from_json<T: DeserializeOwned>(json: &str) -> std::result::Result<T, (usize, usize, String)> {
    let mut de = serde_json::Deserializer::from_str(json);
    de.disable_recursion_limit();
    let value = T::deserialize(&mut de).and_then(|value| de.end().map(|()| value));
    value.map_err(|e| {
        let message = e.to_string();
        (
            e.line(),
            e.column(),
            message
                .rsplit_once(" at line ")
                .map_or(message.as_str(), |(message, _)| message)
                .to_owned(),
        )
    })
}

/// Output that tells the formatter how many bytes it has.
#[derive(Default)]
struct Out {
    text: Vec<u8>,
    at: Rc<Cell<usize>>,
}

impl io::Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }
    // Most writes are one or two bytes of a known length, for which a call costs more than the
    // copy.
    #[inline(always)]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.text.extend_from_slice(bytes);
        self.at.set(self.text.len());
        Ok(())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The groups of a text that is being written.
#[derive(Default)]
struct Marks {
    /// Number of bytes written so far.
    at: Rc<Cell<usize>>,
    /// How many of them continue a character.
    continued: usize,
    groups: Vec<Group>,
    /// Number of values of the innermost open group so far.
    items: u32,
    /// The groups that are open: each one's index, the column of its bracket, and the number of
    /// values around it.
    open: Vec<(usize, usize, u32)>,
}

impl Marks {
    /// A group's bracket is the next byte.
    fn opens(&mut self) {
        self.open.push((
            self.groups.len(),
            self.at.get() - self.continued,
            std::mem::take(&mut self.items),
        ));
        self.groups.push(Group {
            width: 0,
            items: 0,
            end: 0,
            next: 0,
            record: false,
        });
    }

    /// A group's closing bracket was the last byte.
    fn closed(&mut self, is_object: bool) {
        let (end, next) = (self.at.get(), self.groups.len() as u32);
        if let Some((i, start, around)) = self.open.pop()
            && let Some(group) = self.groups.get_mut(i)
        {
            let (width, items) = (
                end.saturating_sub(self.continued).saturating_sub(start),
                self.items,
            );
            *group = Group {
                width: width as u32,
                items,
                end: end as u32,
                next,
                record: is_object && items > 0,
            };
            self.items = around;
        }
    }
}

/// A spaced text on one line that is written piece by piece.
pub struct Line {
    /// The text so far.
    pub text: String,
    marks: Marks,
}

impl Line {
    /// An empty text, in memory that an earlier one used.
    pub fn begin() -> Self {
        let Spaced { text, groups } = USED.take();
        Line {
            text,
            marks: Marks {
                groups,
                ..Marks::default()
            },
        }
    }

    /// Begins a value of the innermost open group, which may be a group itself.
    pub fn value(&mut self, first: bool) {
        self.marks.items += 1;
        self.text.push_str(if first { "" } else { ", " });
    }

    /// Opens a group: `[`, or `{` and a blank.
    pub fn open(&mut self, bracket: &str) {
        self.marks.at.set(self.text.len());
        self.marks.opens();
        self.text.push_str(bracket);
    }

    /// Closes the innermost open group.
    pub fn close(&mut self, bracket: &str, is_object: bool) {
        self.text.push_str(bracket);
        self.marks.at.set(self.text.len());
        self.marks.closed(is_object);
    }

    /// Takes note of characters of several bytes that were written at `from` or after it.
    pub fn written(&mut self, from: usize) {
        let text = self.text.within(from..);
        self.marks.continued += text.len() - columns(text);
    }

    /// The finished text.
    pub fn end(self) -> Spaced {
        Spaced {
            text: self.text,
            groups: self.marks.groups,
        }
    }
}

/// JSON on one line, spaced for reading, with the characters that no editor shows as escapes. It
/// notes its groups, so that the layout of the many documents of a game need not look for them.
struct SpacedJson<'a>(&'a mut Marks);

impl serde_json::ser::Formatter for SpacedJson<'_> {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.opens();
        writer.write_all(b"[")
    }
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.items += 1;
        if first {
            Ok(())
        } else {
            writer.write_all(b", ")
        }
    }
    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"]")?;
        self.0.closed(false);
        Ok(())
    }
    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.opens();
        writer.write_all(b"{")
    }
    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.items += 1;
        writer.write_all(if first { b" " } else { b", " })
    }
    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(if self.0.items == 0 { b"}" } else { b" }" })?;
        self.0.closed(true);
        Ok(())
    }
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // Nearly all.
        if fragment.bytes().all(|b| b < 0x7f) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, c)) = rest
            .char_indices()
            .find(|(_, c)| matches!(c, '\u{7f}'..='\u{9f}'))
        {
            let plain = rest.within(..at);
            self.0.continued += plain.len() - columns(plain);
            write!(writer, "{plain}\\u{:04x}", u32::from(c))?;
            rest = rest.within(at + c.len_utf8()..);
        }
        self.0.continued += rest.len() - columns(rest);
        writer.write_all(rest.as_bytes())
    }
}

/// Inserts the schema's path as the first key of a JSON object. Other texts stay unchanged.
pub fn with_schema(mut text: String, address: &str) -> String {
    let Some(rest) = text.strip_prefix('{') else {
        return text;
    };
    let address = serde_json::Value::from(address);
    if rest.trim_start() == "}\n" || rest.trim_start() == "}" {
        return format!("{{ \"$schema\": {address} }}\n");
    }
    // A one-line object would exceed 100 columns: put the schema on a separate line.
    let key = if rest.starts_with('\n') {
        format!("\n  \"$schema\": {address},")
    } else {
        format!(" \"$schema\": {address},\n ")
    };
    text.insert_str(1, &key);
    text
}

/// The place of a leading `"$schema": "…",`.
fn schema_place(text: &str) -> Option<Range<usize>> {
    let mut tokens = Scanner::new(text, Style::Json);
    let [open, key] = [tokens.next()?, tokens.next()?];
    if open.text != "{" || key.text != "\"$schema\"" {
        return None;
    }
    let [colon, value] = [tokens.next()?, tokens.next()?];
    if colon.kind != TokenKind::Colon || value.kind != TokenKind::Text {
        return None;
    }
    Some(
        key.at
            ..tokens
                .peek()
                .filter(|token| token.kind == TokenKind::Comma)
                .unwrap_or(value)
                .end(),
    )
}

/// Blanks a leading `"$schema": "…",`, which strict models do not know. Lines and columns do not
/// change.
fn hide_schema(text: &str) -> Option<String> {
    schema_place(text)
        .map(|_| text.to_owned())
        .map(blank_schema)
}

/// The same without a copy: a manifest can be as large as the table of an archive.
fn blank_schema(mut text: String) -> String {
    if let Some(place) = schema_place(&text) {
        let blank = |line: &str| " ".repeat(line.chars().count());
        let lines = text.within(place.clone()).split('\n').map(blank);
        let blanks = lines.collect::<Vec<_>>().join("\n");
        text.replace_range(place, &blanks);
    }
    text
}
const COLUMNS: usize = 100;

/// A bracketed group of a one-line text.
struct Group {
    /// Width in columns, including the brackets.
    width: u32,
    /// Number of values.
    items: u32,
    /// The offset after its closing bracket.
    end: u32,
    /// The index of the next group that starts after its end.
    next: u32,
    /// True if it has keys.
    record: bool,
}

/// The last thing written in a group.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Nothing,
    Scalar,
    Group,
    Key,
}

/// A group that does not fit on one line.
struct OpenGroup {
    record: bool,
    single: bool,
    indent: usize,
    last: Last,
}

thread_local! {
    /// The memory of the last text that was laid out, for the next one: 3 % of the time of many
    /// documents.
    static USED: Cell<Spaced> = Cell::default();
}

/// Maximum number of bytes of it that each thread keeps.
const MOST_USED: usize = 1 << 18;

/// A text on one line, with blanks after commas and colons and inside of braces, and its groups in
/// the order in which they open.
#[derive(Default)]
pub struct Spaced {
    text: String,
    groups: Vec<Group>,
}

impl Spaced {
    /// Lays the text out for reading, without recursion.
    ///
    /// A group that fits is on one line. In a longer list, scalars fill lines, and each group has
    /// its own lines; in a longer record, each field has its own line. `tight`: closing brackets
    /// follow the last item, and a list may start on the line of its key.
    pub fn lay_out(self, tight: bool) -> String {
        // No line of 4 GiB is for reading, and the groups know 32 bits.
        if u32::try_from(self.text.len()).is_err() {
            return self.text + "\n";
        }
        let laid_out = break_lines(&self.text, &self.groups, tight);
        let Spaced {
            mut text,
            mut groups,
        } = self;
        if text.capacity() <= MOST_USED && groups.capacity() <= MOST_USED / size_of::<Group>() {
            text.clear();
            groups.clear();
            USED.set(Spaced { text, groups });
        }
        laid_out
    }
}

/// Breaks a spaced text into lines.
fn break_lines(flat: &str, groups: &[Group], tight: bool) -> String {
    let bytes = flat.as_bytes();
    // Lists of vectors grow by a fifth, and a text that outgrows its memory is copied.
    let mut out = Lines {
        text: String::with_capacity(flat.len() + flat.len() / 4),
        column: 0,
    };
    let (mut at, mut next_group, mut comma) = (0, 0, false);
    let mut stack: Vec<OpenGroup> = Vec::new();
    while let Some(first) = bytes.get(at) {
        let start = at;
        at += 1;
        match first {
            b' ' => {}
            b',' => comma = true,
            b':' => {
                out.push(": ", 2);
                if let Some(frame) = stack.last_mut() {
                    frame.last = Last::Key;
                }
            }
            b']' | b')' | b'}' => {
                comma = false;
                if let Some(frame) = stack.pop()
                    && frame.last != Last::Nothing
                    && !tight
                    && !(frame.single && frame.last == Last::Group)
                {
                    out.newline(frame.indent);
                }
                out.push(flat.within(start..at), 1);
                if let Some(parent) = stack.last_mut() {
                    parent.last = Last::Group;
                }
            }
            _ => {
                let opens;
                (at, opens) = value_end(bytes, start);
                let text = flat.within(start..at);
                let group = if opens { groups.get(next_group) } else { None };
                let columns = columns(text);
                // The width from here to the next possible line break.
                let width = group.map_or(columns, |g| columns - 1 + g.width as usize);
                if std::mem::take(&mut comma) {
                    out.push(",", 1);
                }
                let mut indent = 0;
                if let Some(frame) = stack.last_mut() {
                    indent = frame.indent + 2;
                    let fits = out.column + 1 + width < COLUMNS;
                    match frame.last {
                        Last::Key => {}
                        Last::Nothing if frame.single && group.is_some() => indent = frame.indent,
                        Last::Nothing => out.newline(indent),
                        _ if frame.record || out.column > COLUMNS => out.newline(indent),
                        Last::Scalar if fits || (tight && group.is_some()) => out.push(" ", 1),
                        _ => out.newline(indent),
                    }
                    if opens || bytes.get(at) != Some(&b':') {
                        frame.last = if opens { Last::Group } else { Last::Scalar };
                    }
                }
                match group {
                    Some(group) if out.column + width <= COLUMNS => {
                        at = group.end as usize;
                        out.push(flat.within(start..at), width);
                        next_group = group.next as usize;
                    }
                    Some(group) => {
                        out.push(text, columns);
                        next_group += 1;
                        let (record, single) = (group.record, group.items == 1 && !group.record);
                        stack.push(OpenGroup {
                            record,
                            single,
                            indent,
                            last: Last::Nothing,
                        });
                    }
                    None => out.push(text, columns),
                }
            }
        }
    }
    out.text.push('\n');
    out.text
}

/// A text that tracks the column of its last line.
struct Lines {
    text: String,
    column: usize,
}

impl Lines {
    fn push(&mut self, text: &str, columns: usize) {
        self.text.push_str(text);
        self.column += columns;
    }

    fn newline(&mut self, indent: usize) {
        // Limit the indentation, so that the text of a deep tree stays linear in its size.
        const BLANKS: &str = "                                        ";
        let blanks = BLANKS.get(..indent).unwrap_or(BLANKS);
        self.text.push('\n');
        self.text.push_str(blanks);
        self.column = blanks.len();
    }
}

/// Number of columns of a text, which is its number of characters.
fn columns(text: &str) -> usize {
    text.as_bytes()
        .iter()
        .filter(|byte| **byte & 0xc0 != 0x80)
        .count()
}

impl Spaced {
    /// Spaces compact JSON or RON that was just printed: it has no blanks, comments or raw texts.
    pub fn of(flat: String) -> Self {
        let (text, groups) = space(&flat);
        Spaced { text, groups }
    }
}

fn space(flat: &str) -> (String, Vec<Group>) {
    let bytes = flat.as_bytes();
    let mut out = String::with_capacity(flat.len() + flat.len() / 4);
    let mut groups: Vec<Group> = Vec::new();
    // The open groups, with the column of each bracket, and the number of bytes so far that
    // continue a character.
    let (mut open, mut continued): (Vec<(usize, usize)>, _) = (Vec::new(), 0);
    // Everything before `from` is in `out`; the last bracket was opened before `opened`.
    let (mut from, mut at, mut opened) = (0, 0, 0);
    while let Some(run) = bytes
        .get(at..)
        .and_then(|rest| rest.iter().position(|b| is_special(*b)))
    {
        at += run + 1;
        let byte = bytes.item(at - 1);
        match byte {
            b',' | b':' => {
                out.push_str(flat.within(from..at));
                out.push(' ');
                from = at;
                if let Some(group) = open.last().and_then(|(i, _)| groups.get_mut(*i)) {
                    group.items += u32::from(byte == b',');
                    group.record |= byte == b':';
                }
            }
            b'[' | b'(' | b'{' => {
                out.push_str(flat.within(from..at));
                (from, opened) = (at, at);
                open.push((groups.len(), out.len() - 1 - continued));
                groups.push(Group {
                    width: 0,
                    items: 0,
                    end: 0,
                    next: 0,
                    record: false,
                });
                if byte == b'{' && bytes.get(at) != Some(&b'}') {
                    out.push(' ');
                }
            }
            b']' | b')' | b'}' => {
                let is_empty = opened == at - 1;
                if byte == b'}' && !is_empty {
                    out.push_str(flat.within(from..at - 1));
                    out.push(' ');
                    from = at - 1;
                }
                out.push_str(flat.within(from..at));
                from = at;
                let next = groups.len() as u32;
                if let Some((i, column)) = open.pop()
                    && let Some(group) = groups.get_mut(i)
                {
                    group.items += u32::from(!is_empty);
                    group.width = (out.len() - continued - column) as u32;
                    (group.end, group.next) = (out.len() as u32, next);
                }
            }
            b'"' | b'\'' => {
                let start = at;
                at = quoted_end(bytes, at - 1);
                continued += bytes
                    .within(start..at)
                    .iter()
                    .filter(|b| **b & 0xc0 == 0x80)
                    .count();
            }
            128.. => continued += usize::from(byte & 0xc0 == 0x80),
            _ => {}
        }
    }
    out.push_str(flat.within(from..));
    (out, groups)
}

/// True for the bytes that [`space`] does something about: most are digits, which must go by
/// quickly.
fn is_special(byte: u8) -> bool {
    const SPECIAL: [bool; 256] = {
        let (mut known, mut byte) = ([false; 256], 0);
        while byte < 256 {
            known[byte] = byte >= 128
                || matches!(
                    byte as u8,
                    b',' | b':' | b'[' | b'(' | b'{' | b']' | b')' | b'}' | b'"' | b'\''
                );
            byte += 1;
        }
        known
    };
    SPECIAL.item(usize::from(byte))
}

/// The byte after the text, or the character of RON, whose opening quote is at `start`.
fn quoted_end(bytes: &[u8], start: usize) -> usize {
    let (quote, mut at) = (bytes.get(start), start + 1);
    loop {
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'\\') => at += 2,
            byte if byte == quote => return at + 1,
            Some(_) => at += 1,
        }
    }
}

/// The byte after the value at `start`, and true if it is a bracket, with the name of its variant
/// before it.
fn value_end(bytes: &[u8], start: usize) -> (usize, bool) {
    if let Some(b'"' | b'\'') = bytes.get(start) {
        return (quoted_end(bytes, start), false);
    }
    let rest = bytes.within(start..);
    let end = rest
        .iter()
        .position(|byte| is_special(*byte) && *byte < 128 || *byte == b' ')
        .unwrap_or(rest.len());
    let opens = matches!(rest.get(end), Some(b'[' | b'(' | b'{'));
    (start + end + usize::from(opens), opens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{F32, Str};
    use serde::Deserialize;

    #[derive(refit_base::Object, PartialEq, Debug)]
    #[serde(deny_unknown_fields)]
    struct Part {
        name: Str,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last: Option<[F32; 3]>,
        frames: Vec<[F32; 3]>,
        event: Event,
    }

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum Event {
        Move { by: F32 },
        Call(Str),
        End {},
    }

    fn part() -> Part {
        let frame = |x: f32| [x.into(), (x + 0.5).into(), F32::from_bits(0x7fc0_0001)];
        Part {
            name: "hips".into(),
            last: Some(frame(-0.0)),
            frames: (0..4).map(|i| frame(i as f32)).collect(),
            event: Event::Call("x".into()),
        }
    }

    #[test]
    fn a_short_line_stays_one_and_a_long_list_has_a_line_for_each_group() {
        let text = to_text(&part(), Style::Json).unwrap();
        let expected = r#"{
  "name": "hips",
  "last": [-0.0, 0.5, "0x7fc00001"],
  "frames": [
    [0.0, 0.5, "0x7fc00001"],
    [1.0, 1.5, "0x7fc00001"],
    [2.0, 2.5, "0x7fc00001"],
    [3.0, 3.5, "0x7fc00001"]
  ],
  "event": { "Call": "x" }
}
"#;
        assert_eq!(text, expected);
        assert_eq!(
            Spaced::of(r#"{"a":[1,2],"b":{}}"#.into()).lay_out(false),
            "{ \"a\": [1, 2], \"b\": {} }\n"
        );
    }

    #[test]
    fn both_styles_give_the_value_back() {
        for event in [
            Event::Move {
                by: (-0.0f32).into(),
            },
            Event::Call(Str((0..=255).collect())),
            Event::End {},
        ] {
            let value = Part { event, ..part() };
            for style in [Style::Json, Style::Ron] {
                let text = to_text(&value, style).unwrap();
                assert_eq!(from_text::<Part>(&text, style).unwrap(), value, "{text}");
                // RON must also be accepted by its own parser.
                if style == Style::Ron {
                    let options = ron::Options::default()
                        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
                    assert_eq!(options.from_str::<Part>(&text).unwrap(), value, "{text}");
                }
            }
        }
    }

    #[test]
    fn lists_of_scalars_fill_lines() {
        let numbers: Vec<u32> = (1000..1050).collect();
        let text = to_text(&numbers, Style::Json).unwrap();
        assert!(text.lines().all(|l| l.len() <= COLUMNS), "{text}");
        assert_eq!(text.lines().count(), 6, "{text}");
    }

    #[test]
    fn tight_lists_look_like_lisp() {
        let flat = format!(
            r#"[["KEYS",[["CMD_ALPHASTRIKE","keya",[156]],["{}",[30]]],"AXES",[["Throttle",[-0.5]]]]]"#,
            "x".repeat(80)
        );
        let expected = format!(
            "[[\n  \"KEYS\", [\n    [\"CMD_ALPHASTRIKE\", \"keya\", [156]],\n    [\"{}\", [30]]],\n  \"AXES\", \
            [[\"Throttle\", [-0.5]]]]]\n",
            "x".repeat(80)
        );
        assert_eq!(Spaced::of(flat).lay_out(true), expected);
    }

    #[test]
    fn strictness_has_a_line_and_a_column() {
        let error = from_text::<Part>("{ \"name\": \"a\",\n  \"nmae\": 1 }", Style::Json)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("line 2") && error.contains("nmae"),
            "{error}"
        );
        let error = from_text::<Part>("(name: \"a\",\n name: \"b\")", Style::Ron)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("line 2") && error.contains("name"),
            "{error}"
        );
        assert!(from_text::<Vec<u8>>("[1] x", Style::Json).is_err());
    }

    #[test]
    fn the_schema_key_comes_and_goes() {
        let text = with_schema(to_text(&part(), Style::Json).unwrap(), ".refit/x.json");
        assert!(
            text.starts_with("{\n  \"$schema\": \".refit/x.json\",\n  \"name\""),
            "{text}"
        );
        assert_eq!(from_text::<Part>(&text, Style::Json).unwrap(), part());
        let short = with_schema("{ \"by\": 1 }\n".into(), "x");
        assert_eq!(
            hide_schema(&short).unwrap().replace(['\n', ' '], ""),
            "{\"by\":1}"
        );
    }

    #[test]
    fn brackets_and_quotes_inside_of_texts_are_no_groups() {
        let spaced = |flat: &str| Spaced::of(flat.into()).lay_out(false);
        assert_eq!(
            spaced(r#"(a:'[',b:'\'',c:"x\\",d:"(,\":")"#),
            "(a: '[', b: '\\'', c: \"x\\\\\", d: \"(,\\\":\")\n"
        );
        let long = format!(
            r#"(a:'}}',name:"{},[",b:Move(by:-1.5),c:[])"#,
            "x".repeat(90)
        );
        let expected = format!(
            "(\n  a: '}}',\n  name: \"{},[\",\n  b: Move(by: -1.5),\n  c: []\n)\n",
            "x".repeat(90)
        );
        assert_eq!(spaced(&long), expected);
    }

    #[test]
    fn deep_nesting_is_laid_out_without_recursion() {
        let deep = "[".repeat(300_000) + &"]".repeat(300_000);
        assert_eq!(
            Spaced::of(deep.clone())
                .lay_out(true)
                .replace(['\n', ' '], ""),
            deep
        );
        let deep = "[1,".repeat(300_000) + "1" + &"]".repeat(300_000);
        assert_eq!(
            Spaced::of(deep.clone())
                .lay_out(true)
                .replace(['\n', ' '], ""),
            deep
        );
    }
}
