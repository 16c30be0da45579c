//! JSON and RON text: lossless, strict when read, and laid out for people: what fits in 100 columns stands on one line.

use crate::wire::{Error, Result};
use serde::{Serialize, de::DeserializeOwned};

/// The two spellings of a tree's documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
#[value(rename_all = "lowercase")]
pub enum Style {
    /// JSON: editors complete and check it.
    #[default]
    Json,
    /// RON: Rusty Object Notation.
    Ron,
}

impl Style {
    /// The file extension.
    pub fn ext(self) -> &'static str {
        match self {
            Style::Json => "json",
            Style::Ron => "ron",
        }
    }

    /// The style that a file name's extension tells.
    pub fn of(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "json" => Some(Style::Json),
            "ron" => Some(Style::Ron),
            _ => None,
        }
    }
}

/// A thing that stands in a tree as one text file.
pub trait Document: Sized + Send + 'static {
    /// Name of the document type, of its schema, and of the file in `schemas/`.
    const KIND: &'static str;
    /// The text. The schema key is not in it: see [`with_schema`].
    fn to_text(&self, style: Style) -> Result<String>;
    /// Reads the text. Errors carry line and column.
    fn from_text(text: &str, style: Style) -> Result<Self>;
    /// The JSON schema.
    fn schema() -> schemars::Schema;
}

/// Makes a serde model a [`Document`] of the given kind.
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
            fn schema() -> schemars::Schema {
                schemars::generate::SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Self>()
            }
        }
    };
}

fn ron_options() -> ron::Options {
    ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME).without_recursion_limit()
}

/// A serde model as text.
pub fn to_text<T: Serialize + ?Sized>(value: &T, style: Style) -> Result<String> {
    let flat = match style {
        Style::Json => {
            let mut out = Vec::new();
            let mut serializer = serde_json::Serializer::with_formatter(&mut out, Compact);
            value.serialize(&mut serializer).map_err(|e| Error::say(e.to_string()))?;
            String::from_utf8(out).map_err(|e| Error::say(e.to_string()))?
        }
        Style::Ron => ron_options().to_string(value).map_err(|e| Error::say(e.to_string()))?,
    };
    Ok(lay_out(&flat, false))
}

/// A serde model from text.
pub fn from_text<T: DeserializeOwned>(text: &str, style: Style) -> Result<T> {
    match style {
        Style::Json => {
            let hidden = hide_schema(text);
            let mut de = serde_json::Deserializer::from_str(hidden.as_deref().unwrap_or(text));
            de.disable_recursion_limit();
            let json = |e: serde_json::Error| {
                let message = e.to_string();
                let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(m, _)| m);
                Error::text(e.line(), e.column(), message)
            };
            let value = T::deserialize(&mut de).map_err(json)?;
            de.end().map_err(json)?;
            Ok(value)
        }
        Style::Ron => ron_options().from_str(text).map_err(|e| Error::text(e.span.start.line, e.span.start.col, e.code.to_string())),
    }
}

/// Compact JSON with the characters that no editor shows written as escapes.
struct Compact;
impl serde_json::ser::Formatter for Compact {
    fn write_string_fragment<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, fragment: &str) -> std::io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(|c| matches!(c, '\u{7f}'..='\u{9f}')) {
            let (plain, tail) = rest.split_at(at);
            writer.write_all(plain.as_bytes())?;
            let mut chars = tail.chars();
            if let Some(c) = chars.next() {
                write!(writer, "\\u{:04x}", u32::from(c))?;
            }
            rest = chars.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}

/// Puts the schema's address as first key into a JSON object; other texts stay as they are.
pub fn with_schema(text: String, address: &str) -> String {
    let Some(rest) = text.strip_prefix('{') else { return text };
    let address = serde_json::Value::from(address);
    if rest.trim_start() == "}\n" || rest.trim_start() == "}" {
        format!("{{ \"$schema\": {address} }}\n")
    } else if rest.starts_with('\n') {
        format!("{{\n  \"$schema\": {address},{rest}")
    } else {
        // A one-line object would pass the 100 columns: the schema stands on a line of its own.
        format!("{{ \"$schema\": {address},\n {rest}")
    }
}

/// Blanks a leading `"$schema": "…",` so that strict models need not know it. Lines and columns stay.
pub(crate) fn hide_schema(text: &str) -> Option<String> {
    let open = text.trim_start().strip_prefix('{')?.trim_start();
    let value = open.strip_prefix("\"$schema\"")?.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    let end = value.find(|c| {
        let done = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        done
    })?;
    let after = value.get(end + 1..)?;
    let rest = after.trim_start().strip_prefix(',').unwrap_or(after);
    let from = text.len() - open.len();
    let to = text.len() - rest.len();
    let mut out = String::with_capacity(text.len());
    out.push_str(text.get(..from)?);
    out.extend(text.get(from..to)?.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
    out.push_str(rest);
    Some(out)
}

const COLUMNS: usize = 100;
/// Deeper levels are not indented further, so that the text of a deep tree stays linear in its size.
const DEEPEST_INDENT: usize = 40;

struct Group {
    /// Columns when written on one line.
    width: usize,
    /// Values in it.
    items: usize,
}

/// Lays compact JSON or RON out for reading, without recursion.
///
/// A group that fits stands on one line. In a longer list, scalars fill lines and groups stand on lines of their own; in a
/// longer record every field has its line. `tight`: closing brackets follow the last item and a list may open behind its key.
pub fn lay_out(flat: &str, tight: bool) -> String {
    // Almost all texts are ASCII: then bytes are columns.
    let ascii = flat.is_ascii();
    let groups = measure(flat, ascii);
    let mut out = String::with_capacity(flat.len() + flat.len() / 3);
    let mut next_group = 0;
    /// A group that takes several lines.
    struct Frame {
        record: bool,
        single: bool,
        indent: usize,
        /// What was written last in this group: nothing, a scalar, a group, or a key.
        last: Last,
    }
    #[derive(Clone, Copy, PartialEq)]
    enum Last {
        Nothing,
        Scalar,
        Group,
        Key,
    }
    let mut stack: Vec<Frame> = Vec::new();
    let mut line_start = 0;
    let newline = |out: &mut String, indent: usize, line_start: &mut usize| {
        out.push('\n');
        *line_start = out.len();
        for _ in 0..indent.min(DEEPEST_INDENT) {
            out.push(' ');
        }
    };
    let mut rest = flat;
    let mut comma = false;
    while let Some(first) = rest.bytes().next() {
        match first {
            b',' => {
                comma = true;
                rest = rest.get(1..).unwrap_or_default();
            }
            b':' => {
                out.push_str(": ");
                if let Some(frame) = stack.last_mut() {
                    frame.last = Last::Key;
                }
                rest = rest.get(1..).unwrap_or_default();
            }
            b']' | b'}' | b')' => {
                let frame = stack.pop();
                comma = false;
                if let Some(frame) = frame
                    && frame.last != Last::Nothing
                {
                    if !tight && !(frame.single && frame.last == Last::Group) {
                        newline(&mut out, frame.indent, &mut line_start);
                    }
                }
                out.push(char::from(first));
                if let Some(parent) = stack.last_mut() {
                    parent.last = Last::Group;
                }
                rest = rest.get(1..).unwrap_or_default();
            }
            _ => {
                let (word, opens) = token(rest);
                rest = rest.get(word..).unwrap_or_default();
                let text_start = flat.len() - rest.len() - word;
                let text = flat.get(text_start..text_start + word).unwrap_or_default();
                let is_key = !opens && rest.starts_with(':');
                let group = if opens { groups.get(next_group) } else { None };
                let columns = columns_of(text, ascii);
                // The width of what must stand on one line from here: a group without its opening word, or the scalar.
                let width = group.map_or(columns, |g| columns - 1 + g.width);
                if comma {
                    out.push(',');
                    comma = false;
                }
                let mut indent = 0;
                if let Some(frame) = stack.last_mut() {
                    indent = frame.indent + 2;
                    let column = columns_since(&out, line_start, ascii);
                    let fits = column + 1 + width < COLUMNS;
                    match frame.last {
                        Last::Key => {}
                        Last::Nothing if frame.single && group.is_some() => indent = frame.indent,
                        Last::Nothing => newline(&mut out, indent, &mut line_start),
                        _ if frame.record || column > COLUMNS => newline(&mut out, indent, &mut line_start),
                        Last::Scalar if fits || (tight && group.is_some()) => out.push(' '),
                        _ => newline(&mut out, indent, &mut line_start),
                    }
                    if !is_key {
                        frame.last = Last::Scalar;
                    }
                }
                out.push_str(text);
                if let Some(group) = group {
                    next_group += 1;
                    if columns_since(&out, line_start, ascii) + group.width <= COLUMNS {
                        let (bytes, inside) = one_line(&mut out, rest);
                        rest = rest.get(bytes..).unwrap_or_default();
                        next_group += inside;
                        if let Some(parent) = stack.last_mut() {
                            parent.last = Last::Group;
                        }
                        continue;
                    }
                    let record = is_record(text, rest);
                    stack.push(Frame {
                        record,
                        single: group.items == 1 && !record,
                        indent,
                        last: Last::Nothing,
                    });
                }
            }
        }
    }
    out.push('\n');
    out
}

fn columns_of(text: &str, ascii: bool) -> usize {
    if ascii { text.len() } else { text.chars().count() }
}

/// Writes the inside of a group and its closing bracket on one line. Gives the bytes read, and how many groups are inside.
fn one_line(out: &mut String, inside: &str) -> (usize, usize) {
    let bytes = inside.as_bytes();
    let (mut depth, mut groups, mut done) = (1usize, 0, 0);
    if out.ends_with('{') && bytes.first() != Some(&b'}') {
        out.push(' ');
    }
    // What was not written yet begins at `done`: runs of plain bytes are copied at once.
    let mut i = 0;
    while let Some(byte) = bytes.get(i) {
        let after = match byte {
            b'"' => {
                let mut end = i + 1;
                while let Some(b) = bytes.get(end) {
                    match b {
                        b'\\' => end += 2,
                        b'"' => break,
                        _ => end += 1,
                    }
                }
                i = end + 1;
                continue;
            }
            b',' => ", ",
            b':' => ": ",
            b'{' => {
                depth += 1;
                groups += 1;
                if bytes.get(i + 1) == Some(&b'}') { "{" } else { "{ " }
            }
            b'[' | b'(' => {
                depth += 1;
                groups += 1;
                i += 1;
                continue;
            }
            b']' | b')' | b'}' => {
                out.push_str(inside.get(done..i).unwrap_or_default());
                if *byte == b'}' && !out.ends_with('{') {
                    out.push(' ');
                }
                out.push(char::from(*byte));
                i += 1;
                done = i;
                depth -= 1;
                if depth == 0 {
                    return (i, groups);
                }
                continue;
            }
            _ => {
                i += 1;
                continue;
            }
        };
        out.push_str(inside.get(done..i).unwrap_or_default());
        out.push_str(after);
        i += 1;
        done = i;
    }
    out.push_str(inside.get(done..).unwrap_or_default());
    (inside.len(), groups)
}

/// Columns of the line that is being written. A line that is long already is not counted again and again.
fn columns_since(out: &str, line_start: usize, ascii: bool) -> usize {
    match out.len() - line_start {
        long @ 401.. => long,
        bytes if ascii => bytes,
        _ => out.get(line_start..).unwrap_or_default().chars().count(),
    }
}

/// True when the group that `open` opens holds keys.
fn is_record(open: &str, inside: &str) -> bool {
    if open.ends_with('[') {
        return false;
    }
    let (word, opens) = token(inside);
    !opens && inside.get(word..).is_some_and(|after| after.starts_with(':'))
}

/// Length of the word at the start of `text`, and whether it is one that opens a group (with the bracket).
fn token(text: &str) -> (usize, bool) {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'"') {
        let mut i = 1;
        while let Some(b) = bytes.get(i) {
            match b {
                b'\\' => i += 2,
                b'"' => return (i + 1, false),
                _ => i += 1,
            }
        }
        return (bytes.len(), false);
    }
    for (i, b) in bytes.iter().enumerate() {
        match b {
            b'[' | b'{' | b'(' => return (i + 1, true),
            b',' | b':' | b']' | b'}' | b')' => return (i.max(1), false),
            _ => {}
        }
    }
    (bytes.len().max(1), false)
}

/// Width on one line and number of items of every group, in the order in which they open.
fn measure(flat: &str, ascii: bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut stack: Vec<(usize, usize)> = Vec::new();
    let mut rest = flat;
    let mut columns = 0;
    while let Some(first) = rest.bytes().next() {
        let step = match first {
            b',' | b':' => {
                columns += 2;
                if first == b','
                    && let Some(group) = stack.last().and_then(|(i, _)| groups.get_mut(*i))
                {
                    group.items += 1;
                }
                1
            }
            b']' | b'}' | b')' => {
                columns += 1;
                if let Some((i, start)) = stack.pop()
                    && let Some(group) = groups.get_mut(i)
                {
                    if group.items > 0 && first == b'}' {
                        columns += 2;
                    }
                    group.width = columns - start;
                }
                1
            }
            _ => {
                let (word, opens) = token(rest);
                let text = rest.get(..word).unwrap_or_default();
                columns += columns_of(text, ascii);
                if let Some(group) = stack.last().and_then(|(i, _)| groups.get_mut(*i))
                    && group.items == 0
                {
                    group.items = 1;
                }
                if opens {
                    stack.push((groups.len(), columns - 1));
                    groups.push(Group { width: 0, items: 0 });
                }
                word
            }
        };
        rest = rest.get(step..).unwrap_or_default();
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{F32, Str};
    use serde::Deserialize;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
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
        assert_eq!(lay_out(r#"{"a":[1,2],"b":{}}"#, false), "{ \"a\": [1, 2], \"b\": {} }\n");
    }

    #[test]
    fn both_styles_give_the_value_back() {
        for event in [Event::Move { by: (-0.0f32).into() }, Event::Call(Str((0..=255).collect())), Event::End {}] {
            let value = Part { event, ..part() };
            for style in [Style::Json, Style::Ron] {
                let text = to_text(&value, style).unwrap();
                assert_eq!(from_text::<Part>(&text, style).unwrap(), value, "{text}");
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
        let flat = format!(r#"[["KEYS",[["CMD_ALPHASTRIKE","keya",[156]],["{}",[30]]],"AXES",[["Throttle",[-0.5]]]]]"#, "x".repeat(80));
        let expected = format!(
            "[[\n  \"KEYS\", [\n    [\"CMD_ALPHASTRIKE\", \"keya\", [156]],\n    [\"{}\", [30]]],\n  \"AXES\", [[\"Throttle\", [-0.5]]]]]\n",
            "x".repeat(80)
        );
        assert_eq!(lay_out(&flat, true), expected);
    }

    #[test]
    fn strictness_has_a_line_and_a_column() {
        let error = from_text::<Part>("{ \"name\": \"a\",\n  \"nmae\": 1 }", Style::Json).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("nmae"), "{error}");
        let error = from_text::<Part>("(name: \"a\",\n name: \"b\")", Style::Ron).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("name"), "{error}");
        assert!(from_text::<Vec<u8>>("[1] x", Style::Json).is_err());
    }

    #[test]
    fn the_schema_key_comes_and_goes() {
        let text = with_schema(to_text(&part(), Style::Json).unwrap(), ".refit/x.json");
        assert!(text.starts_with("{\n  \"$schema\": \".refit/x.json\",\n  \"name\""), "{text}");
        assert_eq!(from_text::<Part>(&text, Style::Json).unwrap(), part());
        let short = with_schema("{ \"by\": 1 }\n".into(), "x");
        assert_eq!(hide_schema(&short).unwrap().replace(['\n', ' '], ""), "{\"by\":1}");
    }

    #[test]
    fn deep_nesting_is_laid_out_without_recursion() {
        let deep = "[".repeat(300_000) + &"]".repeat(300_000);
        assert_eq!(lay_out(&deep, true).replace(['\n', ' '], ""), deep);
        let deep = "[1,".repeat(300_000) + "1" + &"]".repeat(300_000);
        assert_eq!(lay_out(&deep, true).replace(['\n', ' '], ""), deep);
    }
}
