//! Explains the bytes of a file, all of them or a selection.

use super::open;
use refit_base::{
    path::Shown,
    tree::Blob,
    wire::{Error, Line, Notation, Result, Role, Within},
};
use refit_files::pipeline::{self, Explained, Hints};
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::{ops::Range, path::Path};

/// Bytes of a long run that is not read in full.
pub const SHOWN: usize = 12;
/// The size from which a run is long.
const LONG: usize = 1 << 16;

/// A selection of lines.
enum Wanted {
    All,
    Bytes(Range<u64>),
    Path(String),
}

impl Wanted {
    /// Parses the user's selection.
    fn parse(text: Option<&str>) -> Result<Self> {
        let Some(text) = text else {
            return Ok(Wanted::All);
        };
        let number = |text: &str| match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
        {
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
            return Ok(Wanted::Bytes(from..to));
        }
        Ok(match number(text) {
            Some(at) => Wanted::Bytes(at..at.saturating_add(1)),
            None => Wanted::Path(without_names(text)),
        })
    }

    /// The bytes that can matter.
    fn bytes(&self) -> Range<u64> {
        match self {
            Wanted::Bytes(range) => range.clone(),
            _ => 0..u64::MAX,
        }
    }

    /// True for a selected line.
    fn takes(&self, line: &Line) -> bool {
        let Wanted::Path(wanted) = self else {
            return true;
        };
        // `keys.zrd` also names `keys.zrd.json`, and `events[3]` for `sequences[0].events[3].node`,
        // but not for `events[31]`.
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let starts = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        line.path.match_indices(wanted.as_str()).any(|(at, found)| {
            let (before, after) = (line.path.within(..at), line.path.within(at + found.len()..));
            ends(after) && starts(before)
        })
    }
}

/// A path as findings print it, without the names after positions: `nodes[13] hangar.data` is
/// `nodes[13].data`.
fn without_names(path: &str) -> String {
    let mut parts = path.split("] ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push(']');
        // A name may contain dots; the fields after it contain no blanks.
        out.push_str(
            part.find('.')
                .and_then(|at| part.get(at..))
                .unwrap_or_default(),
        );
    }
    out
}

/// A run of bytes, its explanation, and its content.
pub struct Run {
    /// The explanation.
    pub line: Line,
    /// Its size.
    pub size: usize,
    /// Its bytes, or the first ones.
    pub bytes: Vec<u8>,
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let Run { line, size, bytes } = self;
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("start", &line.range.start)?;
        map.serialize_entry("end", &line.range.end)?;
        map.serialize_entry("path", &line.path)?;
        map.serialize_entry("type", &line.kind.name(*size))?;
        map.serialize_entry("value", &line.kind.value(bytes))?;
        map.serialize_entry("role", &line.role)?;
        if let Some(meaning) = &line.meaning {
            map.serialize_entry("meaning", meaning)?;
        }
        map.end()
    }
}

/// The lines before those of an ImHex pattern.
pub const PATTERN: &str = "#pragma endian little\n#pragma pattern_limit 100000000";

impl Run {
    /// The run as a line of an ImHex pattern; `number` makes its name unique.
    pub fn pattern(&self, number: usize) -> String {
        let Run { line, size, .. } = self;
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
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
        let number_type = |kind: &Notation, size: usize| match (kind, size) {
            (Notation::Unsigned | Notation::Word, 1 | 2 | 4 | 8) => Some(format!("u{}", 8 * size)),
            (Notation::Signed, 1 | 2 | 4 | 8) => Some(format!("s{}", 8 * size)),
            (Notation::Float, 4) => Some("float".to_owned()),
            _ => None,
        };
        let (name, array) = match &line.kind {
            Notation::List(item, each @ (1 | 2 | 4)) => {
                (number_type(item, *each), format!("[{}]", size / each))
            }
            kind => (number_type(kind, *size), String::new()),
        };
        let bytes = if line.kind == Notation::Text {
            "char"
        } else {
            "u8"
        };
        let (name, array) = name.map_or_else(
            || (bytes.to_owned(), format!("[{size}]")),
            |name| (name, array),
        );
        format!(
            "{name} at_{number}{array} @ {:#x} [[name(\"{}\"), color(\"{color}\"), comment(\"{}\")]];",
            line.range.start,
            quoted(&line.path),
            quoted(line.meaning.as_deref().unwrap_or(line.role.name()))
        )
    }
}

/// A file, and which of its bytes to explain.
pub struct Explain<'a> {
    path: &'a Path,
    file: Blob,
    place: Wanted,
}

impl<'a> Explain<'a> {
    /// Opens a file; `place` is an offset, a range, a member or a path, or without one all.
    pub fn new(path: &'a Path, place: Option<&str>) -> Result<Self> {
        let place = Wanted::parse(place)?;
        if path.is_dir() {
            return Err(Error::say("a folder; this command takes a file").about(path));
        }
        let file = open::load_to_share(path).map_err(|e| e.about(path))?;
        match &place {
            Wanted::Bytes(range) if range.start >= file.len() => {
                let (start, size) = (range.start, file.len());
                Err(Error::say(format!(
                    "{start:#x} is beyond the end: the file has {size} bytes"
                ))
                .in_file(path.shown()))
            }
            _ => Ok(Explain { path, file, place }),
        }
    }

    /// Passes each run to `see` until it returns false, long ones with all bytes if `full`. Returns
    /// their number.
    pub fn run(
        &self,
        full: bool,
        hints: Hints,
        see: &mut dyn FnMut(&Run) -> bool,
    ) -> Result<usize> {
        let (mut seen, mut goes_on) = (0, true);
        let mut file = Ahead {
            file: &self.file,
            start: 0,
            bytes: Vec::new(),
        };
        let mut sink = |line: Line| {
            if !self.place.takes(&line) {
                return Ok(());
            }
            seen += 1;
            let size = usize::try_from(line.range.end - line.range.start).unwrap_or(usize::MAX);
            let shown = if full || size <= LONG { size } else { SHOWN };
            let bytes = file.read(line.range.start, shown)?;
            goes_on = see(&Run { line, size, bytes });
            if goes_on {
                Ok(())
            } else {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
        };
        match pipeline::explain(
            &self.file,
            &self.path.shown(),
            hints,
            self.place.bytes(),
            &mut sink,
        ) {
            Err(e) | Ok(Explained { fault: Some(e) }) if goes_on => Err(e.about(self.path)),
            _ => Ok(seen),
        }
    }
}

/// Reads the file for one line after the other. Where a line begins at the end of what was read,
/// [`LONG`] bytes are read at once; after a gap, such as a long run of which a little is shown, no
/// more than the line needs.
struct Ahead<'a> {
    file: &'a Blob,
    start: u64,
    bytes: Vec<u8>,
}

impl Ahead<'_> {
    /// Bytes of the file. A file that disappeared is an error.
    fn read(&mut self, at: u64, size: usize) -> std::io::Result<Vec<u8>> {
        let read = |size, bytes: &mut Vec<u8>| {
            self.file
                .read_into(at, size, bytes)
                .map_err(|e| std::io::Error::other(e.to_string()))
        };
        let mut out = Vec::new();
        if size > LONG {
            read(size, &mut out)?;
            return Ok(out);
        }
        let from = at.checked_sub(self.start).map(usize::try_from);
        let is_held = |from: usize| from.saturating_add(size) <= self.bytes.len();
        let from = match from {
            Some(Ok(from)) if is_held(from) => from,
            _ => {
                let follows = at == self.start.saturating_add(self.bytes.len() as u64);
                read(if follows { LONG } else { size }, &mut self.bytes)?;
                self.start = at;
                0
            }
        };
        // Fewer at the end of the file.
        let to = from.saturating_add(size).min(self.bytes.len());
        out.extend_from_slice(self.bytes.within(from..to));
        Ok(out)
    }
}
