//! Lines of `refit explain`: selects and prints them.

use super::{line::Paint, session::Session};
use refit::wire::{Error, Line, Notation, Result, Role, Value};
use serde::Serialize;
use std::{fmt::Write, ops::Range};

/// Bytes shown of a run that is not shown in full.
pub const SHOWN: usize = 12;
/// Bytes on one line of a run that is shown in full.
const ROW: usize = 16;

/// A selection of lines.
pub enum WantedLines {
    All,
    Bytes(Range<u64>),
    Path(String),
}

impl WantedLines {
    /// Parses the user's selection.
    pub fn parse(text: Option<&str>) -> Result<Self> {
        let Some(text) = text else { return Ok(WantedLines::All) };
        let number = |text: &str| match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        if let Some((from, to)) = text.split_once("..")
            && let (Some(from), Some(to)) = (number(from), number(to))
        {
            if from >= to {
                return Err(Error::say(format!("the range {text} is empty"))
                    .hint("write it as 0x40..0x80, without the last byte"));
            }
            return Ok(WantedLines::Bytes(from..to));
        }
        Ok(match number(text) {
            Some(at) => WantedLines::Bytes(at..at.saturating_add(1)),
            None => WantedLines::Path(without_names(text)),
        })
    }

    /// The bytes that can matter.
    pub fn bytes(&self) -> Range<u64> {
        match self {
            WantedLines::Bytes(range) => range.clone(),
            _ => 0..u64::MAX,
        }
    }

    /// True for a selected line.
    pub fn takes(&self, line: &Line) -> bool {
        let WantedLines::Path(wanted) = self else { return true };
        // `keys.zrd` also names `keys.zrd.json`, and `events[3]` for `sequences[0].events[3].node`, but not for
        // `events[31]`.
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let starts = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        line.path.match_indices(wanted.as_str()).any(|(at, found)| {
            let (before, after) =
                (line.path.get(..at).unwrap_or_default(), line.path.get(at + found.len()..).unwrap_or_default());
            ends(after) && starts(before)
        })
    }
}

/// A path as findings print it, without the names after positions: `nodes[13] hangar.data` is `nodes[13].data`.
fn without_names(path: &str) -> String {
    let mut parts = path.split("] ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push(']');
        // A name may contain dots; the fields after it contain no blanks.
        out.push_str(part.find('.').and_then(|at| part.get(at..)).unwrap_or_default());
    }
    out
}

/// A line as JSON.
#[derive(Serialize)]
pub struct JsonLine<'a> {
    start: u64,
    end: u64,
    path: &'a str,
    r#type: String,
    value: Value,
    role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<&'a str>,
}

impl<'a> JsonLine<'a> {
    /// A line of `size` bytes.
    pub fn new(line: &'a Line, size: usize, bytes: &[u8]) -> Self {
        JsonLine {
            start: line.range.start,
            end: line.range.end,
            path: &line.path,
            r#type: line.kind.name(size),
            value: line.kind.value(bytes),
            role: line.role,
            meaning: line.meaning.as_deref(),
        }
    }
}

/// Prints a line for people; `full` shows all bytes of a long run. `last` is the document of the line before.
pub fn print(session: &Session, line: &Line, bytes: &[u8], size: usize, full: bool, last: &mut String) {
    let start = line.range.start;
    let (document, path) = line.path.split_once(" › ").unwrap_or(("", &line.path));
    let same = document == last;
    let document = match (document.is_empty(), same) {
        (true, _) => "",
        (false, true) => "…",
        (false, false) => document,
    };
    let hex = hex(bytes, size);
    let value = match line.kind {
        Notation::Bytes if size > 8 => String::new(),
        _ => line.kind.value(bytes.get(..size.min(256)).unwrap_or(bytes)).to_string(),
    };
    let value: String =
        if value.chars().count() > 60 { value.chars().take(59).chain(['…']).collect() } else { value };
    let shown = match line.role {
        Role::Value => String::new(),
        Role::Derived => "derived: absent in the tree".to_owned(),
        role => role.name().to_owned(),
    };
    let shown = match (&line.meaning, shown.is_empty()) {
        (Some(meaning), true) => meaning.clone(),
        (Some(meaning), false) => format!("{shown}, {meaning}"),
        (None, _) => shown,
    };
    let paint = match line.role {
        Role::Value => None,
        Role::Derived | Role::Constant | Role::Padding | Role::Payload => Some(Paint::Dim),
        Role::Stale | Role::Gap => Some(Paint::Yellow),
        Role::Unknown => Some(Paint::Red),
    };
    let text =
        format!("{start:#010x} {size:>6}  {hex:<width$}  {document}  {path}  {value}  {shown}", width = 3 * SHOWN + 6);
    let text = text.trim_end();
    session.line(match paint {
        Some(paint) => super::line::Line::new().paint(paint, text),
        None => text.into(),
    });
    if !same {
        last.clear();
        last.push_str(line.path.split_once(" › ").map_or("", |(document, _)| document));
    }
    if full && size > SHOWN && line.kind == Notation::Bytes {
        for (i, row) in bytes.chunks(ROW).enumerate() {
            let ascii: String =
                row.iter().map(|b| if (0x20..0x7f).contains(b) { char::from(*b) } else { '.' }).collect();
            session.line(format!("  {:#010x}  {:<48} {ascii}", start + (i * ROW) as u64, spaced(row)));
        }
    }
}

fn spaced(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(3 * bytes.len());
    for (i, byte) in bytes.iter().enumerate() {
        let _ = write!(out, "{}{byte:02x}", if i == 0 { "" } else { " " });
    }
    out
}

fn hex(bytes: &[u8], size: usize) -> String {
    match bytes.get(..SHOWN) {
        Some(shown) if size > SHOWN => format!("{} … ({size})", spaced(shown)),
        _ => spaced(bytes),
    }
}

/// A line of an ImHex pattern.
pub fn pattern(line: &Line, size: usize, number: u64) -> String {
    let quoted = line.path.replace('\\', "\\\\").replace('"', "\\\"");
    let color = match line.role {
        Role::Value => "4CAF50",
        Role::Derived => "2196F3",
        Role::Constant => "9C27B0",
        Role::Padding => "9E9E9E",
        Role::Stale => "FF9800",
        Role::Gap => "795548",
        Role::Payload => "607D8B",
        Role::Unknown => "F44336",
    };
    let (ty, array) = match (line.kind, size) {
        (Notation::Unsigned | Notation::Word, 1 | 2 | 4 | 8) => (format!("u{}", 8 * size), String::new()),
        (Notation::Signed, 1 | 2 | 4 | 8) => (format!("s{}", 8 * size), String::new()),
        (Notation::Float, 4) => ("float".to_owned(), String::new()),
        (Notation::Text, _) => ("char".to_owned(), format!("[{size}]")),
        (Notation::List(Notation::Float, 4), _) => ("float".to_owned(), format!("[{}]", size / 4)),
        (Notation::List(Notation::Unsigned | Notation::Word, each @ (1 | 2 | 4)), _) => {
            (format!("u{}", 8 * each), format!("[{}]", size / each))
        }
        (Notation::List(Notation::Signed, each @ (1 | 2 | 4)), _) => {
            (format!("s{}", 8 * each), format!("[{}]", size / each))
        }
        _ => ("u8".to_owned(), format!("[{size}]")),
    };
    let comment = line.meaning.as_deref().unwrap_or(line.role.name()).replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "{ty} at_{number}{array} @ {:#x} [[name(\"{quoted}\"), color(\"{color}\"), comment(\"{comment}\")]];",
        line.range.start
    )
}
