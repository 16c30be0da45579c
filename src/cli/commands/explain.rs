//! `refit explain`: what every byte of a file is.

use crate::cli::{line::Paint, session::Session};
use clap::Args;
use refit::{
    path::Shown,
    pipeline::{self, Explained},
    tree::Blob,
    wire::{Error, Line, Notation, Result, Role, Value},
    workbench::open,
};
use serde::Serialize;
use std::{fmt::Write, ops::Range, path::PathBuf};

/// Tell what every byte of a file is
#[derive(Args, Debug)]
#[command(after_help = "\
WHERE is an offset (0x3f2a4), a range (0x40..0x80), a member (keys.zrd), or a path (sequences[0].events).
A path is the one that errors and findings name; a value of the tree has its path in the tree.

Roles: value (in the tree), derived (follows from the rest), constant, padding, stale (old memory), gap (no table \
claims it), payload (the content of a file), unknown.

Examples:
  refit explain c1/anim.zbd                      every byte; long contents of files are folded
  refit explain c1/anim.zbd 0x3f2a4              which field is this byte?
  refit explain c1/anim.zbd defs/door_open.json  one definition
  refit explain reader.zbd --json | jq -c 'select(.role == \"unknown\")'
  refit explain motion.zbd --imhex > motion.hexpat")]
pub struct Explain {
    /// A file
    file: PathBuf,
    /// An offset, a range, a member or a path
    #[arg(value_name = "WHERE")]
    place: Option<String>,
    /// Show all bytes of long contents
    #[arg(long)]
    full: bool,
    /// An ImHex pattern of the file instead
    #[arg(long, conflicts_with_all = ["full", "json"])]
    imhex: bool,
}

/// Bytes shown of a run that is not shown in full.
const SHOWN: usize = 12;
/// Bytes on one line of a run that is shown in full.
const ROW: usize = 16;

/// Which lines are meant.
enum WantedLines {
    All,
    Bytes(Range<u64>),
    Path(String),
}

impl WantedLines {
    fn parse(text: Option<&str>) -> Result<Self> {
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
    fn bytes(&self) -> Range<u64> {
        match self {
            WantedLines::Bytes(range) => range.clone(),
            _ => 0..u64::MAX,
        }
    }

    fn takes(&self, line: &Line) -> bool {
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

/// A path as findings print it, without the names behind positions: `nodes[13] hangar.data` is `nodes[13].data`.
fn without_names(path: &str) -> String {
    let mut parts = path.split("] ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push(']');
        // A name may have dots; the fields behind it have none of blanks.
        out.push_str(part.find('.').and_then(|at| part.get(at..)).unwrap_or_default());
    }
    out
}

#[derive(Serialize)]
struct Json<'a> {
    start: u64,
    end: u64,
    path: &'a str,
    r#type: String,
    value: Value,
    role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<&'a str>,
}

impl Explain {
    pub fn run(self, session: &Session) -> Result<()> {
        let place = WantedLines::parse(self.place.as_deref())?;
        let name = self.file.shown();
        let about = |e: Error| e.about(&self.file);
        if self.file.is_dir() {
            return Err(about(Error::say("a folder; this command takes a file")));
        }
        let file = open::load(&self.file).map_err(about)?;
        if let WantedLines::Bytes(range) = &place
            && range.start >= file.len()
        {
            return Err(Error::say(format!("{:#x} is behind the end: the file has {} bytes", range.start, file.len()))
                .in_file(name));
        }
        let hints = session.hints();
        let mut shown = 0u64;
        let mut last = String::new();
        if self.imhex {
            session.line("#pragma endian little");
            session.line("#pragma pattern_limit 100000000");
        }
        let mut sink = |line: Line| {
            if !place.takes(&line) {
                return Ok(());
            }
            shown += 1;
            let size = usize::try_from(line.range.end - line.range.start).unwrap_or(usize::MAX);
            let whole = session.global.json || self.full || size <= 1 << 16;
            let bytes = read(&file, line.range.start, if whole { size } else { SHOWN })?;
            if session.global.json {
                session.json(&Json {
                    start: line.range.start,
                    end: line.range.end,
                    path: &line.path,
                    r#type: line.kind.name(size),
                    value: line.kind.value(&bytes),
                    role: line.role,
                    meaning: line.meaning.as_deref(),
                });
            } else if self.imhex {
                session.line(pattern(&line, size, shown));
            } else {
                self.print(session, &line, &bytes, size, &mut last);
            }
            match session.closed() {
                true => Err(std::io::ErrorKind::BrokenPipe.into()),
                false => Ok(()),
            }
        };
        let done = pipeline::explain(&file, &name, hints, place.bytes(), &mut sink);
        match done {
            Err(_) if session.closed() => {}
            Err(e) | Ok(Explained { fault: Some(e) }) => return Err(about(e)),
            Ok(_) if shown == 0 && !session.global.json => {
                let wanted = self.place.as_deref().unwrap_or_default();
                return Err(Error::say(format!("nothing in it has the path {wanted:?}"))
                    .in_file(name)
                    .hint("`refit list` shows its members, `refit explain` without WHERE all paths"));
            }
            Ok(_) => {}
        }
        Ok(())
    }

    fn print(&self, session: &Session, line: &Line, bytes: &[u8], size: usize, last: &mut String) {
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
        let text = format!(
            "{start:#010x} {size:>6}  {hex:<width$}  {document}  {path}  {value}  {shown}",
            width = 3 * SHOWN + 6
        );
        let text = text.trim_end();
        session.line(match paint {
            Some(paint) => crate::cli::line::Line::new().paint(paint, text),
            None => text.into(),
        });
        if !same {
            last.clear();
            last.push_str(line.path.split_once(" › ").map_or("", |(document, _)| document));
        }
        if self.full && size > SHOWN && line.kind == Notation::Bytes {
            for (i, row) in bytes.chunks(ROW).enumerate() {
                let ascii: String =
                    row.iter().map(|b| if (0x20..0x7f).contains(b) { char::from(*b) } else { '.' }).collect();
                session.line(format!("  {:#010x}  {:<48} {ascii}", start + (i * ROW) as u64, spaced(row)));
            }
        }
    }
}

/// Bytes of the file. One that is not there any more is an error of its own.
fn read(file: &Blob, at: u64, size: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.read_into(at, size, &mut bytes).map_err(|e| std::io::Error::other(e.to_string()))?;
    Ok(bytes)
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
fn pattern(line: &Line, size: usize, number: u64) -> String {
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
