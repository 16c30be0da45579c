//! Explains every byte of a file: the lines of `refit explain`.
//!
//! A [`Reader`](super::Reader) may have a [`Trace`]. It receives the place, path and notation of
//! everything that is read by name, from the same calls that read it, so there is no second
//! description of a file. Error paths come from the same calls.

use super::{Notation, decode_1252, fields::hex_of};
use serde::{Serialize, Serializer};
use std::{cell::RefCell, collections::BTreeMap, fmt, ops::Range};

impl Notation {
    /// The name in the column `type` for `size` bytes: `u32`, `f32`, `text`, `bytes`.
    pub fn name(&self, size: usize) -> String {
        match self {
            Notation::Unsigned | Notation::Word => format!("u{}", 8 * size),
            Notation::Signed => format!("i{}", 8 * size),
            Notation::Float => "f32".to_owned(),
            Notation::Text => "text".to_owned(),
            Notation::Bytes => "bytes".to_owned(),
            Notation::List(item, each) => format!(
                "{}[{}]",
                item.name(*each),
                size.checked_div(*each).unwrap_or(0)
            ),
            Notation::Fields(_) => "record".to_owned(),
        }
    }

    /// Decodes bytes.
    pub fn value(&self, bytes: &[u8]) -> Value {
        let unsigned = |bytes: &[u8]| {
            let mut word = [0; 8];
            word.iter_mut()
                .zip(bytes)
                .for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(word)
        };
        match self {
            Notation::Unsigned => Value::Unsigned(unsigned(bytes)),
            Notation::Word => Value::Word(unsigned(bytes), bytes.len()),
            Notation::Signed => {
                let unused = 64_u32
                    .saturating_sub(8 * u32::try_from(bytes.len()).unwrap_or(8))
                    .min(63);
                Value::Signed((unsigned(bytes) << unused).cast_signed() >> unused)
            }
            Notation::Float => Value::Float(f32::from_bits(unsigned(bytes) as u32)),
            Notation::Text => Value::Text(
                decode_1252(bytes.split(|b| *b == 0).next().unwrap_or_default()).into_owned(),
            ),
            Notation::Bytes => Value::Bytes(bytes.to_vec()),
            Notation::List(item, each) => Value::List(
                bytes
                    .chunks((*each).max(1))
                    .map(|bytes| item.value(bytes))
                    .collect(),
            ),
            Notation::Fields(fields) => {
                let mut rest = bytes;
                let value = |(_, size, kind): &(&str, usize, Notation)| {
                    let (head, tail) = rest.split_at_checked(*size).unwrap_or((rest, &[]));
                    rest = tail;
                    kind.value(head)
                };
                Value::List(fields.iter().map(value).collect())
            }
        }
    }
}

/// A decoded value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number.
    Unsigned(u64),
    /// A number shown in hexadecimal, and its size in bytes.
    Word(u64, usize),
    /// A number.
    Signed(i64),
    /// A number. JSON shows the bits of a NaN or infinity.
    Float(f32),
    /// Text up to the first zero.
    Text(String),
    /// Bytes in hexadecimal.
    Bytes(Vec<u8>),
    /// A list of values.
    List(Vec<Value>),
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Unsigned(n) | Value::Word(n, _) => s.serialize_u64(*n),
            Value::Signed(n) => s.serialize_i64(*n),
            Value::Float(n) if n.is_finite() => s.serialize_f32(*n),
            Value::Float(n) => s.collect_str(&format_args!("{:#010x}", n.to_bits())),
            Value::Text(text) => s.serialize_str(text),
            Value::Bytes(bytes) => s.serialize_str(&hex_of(bytes)),
            Value::List(list) => s.collect_seq(list),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Unsigned(n) => write!(f, "{n}"),
            Value::Word(n, size) => write!(f, "{n:#0width$x}", width = 2 + 2 * size),
            Value::Signed(n) => write!(f, "{n}"),
            Value::Float(n) if n.is_finite() => write!(f, "{n:?}"),
            Value::Float(n) => write!(f, "{:#010x}", n.to_bits()),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::Bytes(bytes) => {
                let shown = bytes.get(..16).unwrap_or(bytes);
                write!(
                    f,
                    "{}{}",
                    hex_of(shown),
                    if shown.len() < bytes.len() {
                        " …"
                    } else {
                        ""
                    }
                )
            }
            Value::List(list) => {
                for (i, value) in list.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { " " })?;
                }
                Ok(())
            }
        }
    }
}

/// The purpose of a run of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The tree has it under this path.
    Value,
    /// It follows from other values as it should, so the tree omits it.
    Derived,
    /// A signature or another word that no edit changes.
    Constant,
    /// Zeros as padding.
    Padding,
    /// Bytes that no program reads but the tree keeps: old memory, bytes after the end of a text.
    Stale,
    /// Bytes that no table claims.
    Gap,
    /// The content of a file, in another format or without one.
    Payload,
    /// Unknown.
    Unknown,
}

impl Role {
    /// The role's name, as in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Role::Value => "value",
            Role::Derived => "derived",
            Role::Constant => "constant",
            Role::Padding => "padding",
            Role::Stale => "stale",
            Role::Gap => "gap",
            Role::Payload => "payload",
            Role::Unknown => "unknown",
        }
    }
}

/// A run of bytes and its explanation.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Its range in the file.
    pub range: Range<u64>,
    /// Its path, outermost step first, as in errors.
    pub path: String,
    /// How it is shown.
    pub kind: Notation,
    /// Its purpose.
    pub role: Role,
    /// More about the value: the name that an index refers to, the names of flags.
    pub meaning: Option<String>,
}

/// Appends a step to a path with a dot; without one before `[3]` and after a step that ends in a
/// space (`reader.zrd › `).
pub fn join(path: &mut String, step: &str) {
    if !path.is_empty() && !step.is_empty() && !step.starts_with('[') && !path.ends_with(' ') {
        path.push('.');
    }
    path.push_str(step);
}

/// Separates the name of a document from the rest of a path.
const DOCUMENT: &str = " › ";

/// Receives the lines of a file, each byte once, in the order of the file.
pub trait LineSink {
    /// Receives the next line. An error, such as a closed pipe, stops the explanation.
    fn line(&mut self, line: Line) -> std::io::Result<()>;
}

impl<F: FnMut(Line) -> std::io::Result<()>> LineSink for F {
    fn line(&mut self, line: Line) -> std::io::Result<()> {
        self(line)
    }
}

/// Receives everything that a reader reads by name. See [`Explainer`].
pub trait Trace {
    /// Adds a step to the path.
    fn enter(&self, step: &str);
    /// Removes the last step from the path.
    fn leave(&self);
    /// Records `size` bytes at `start`, with more about their value.
    fn note_meaning(
        &self,
        start: u64,
        size: u64,
        name: &str,
        kind: Notation,
        role: Role,
        meaning: Option<String>,
    );
    /// Records `size` bytes at `start`.
    fn note(&self, start: u64, size: u64, name: &str, kind: Notation, role: Role) {
        self.note_meaning(start, size, name, kind, role, None);
    }
}

/// Collects what is read and passes it on in the order of the file.
///
/// Formats read almost everything in order, so only few lines wait for earlier ones.
pub struct Explainer<'a>(RefCell<State<'a>>);

struct State<'a> {
    out: &'a mut dyn LineSink,
    /// The path, and its length before each step.
    path: String,
    lengths: Vec<usize>,
    /// Paths around documents that are nested in another document.
    outside: Vec<String>,
    /// The offset at which the next line must start.
    next: u64,
    /// Only lines that overlap these bytes are passed on.
    want: Range<u64>,
    waiting: BTreeMap<u64, Line>,
    failed: Option<std::io::Error>,
}

impl<'a> Explainer<'a> {
    /// An explainer that passes on only lines that overlap `want`.
    pub fn new(want: Range<u64>, out: &'a mut dyn LineSink) -> Self {
        Explainer(RefCell::new(State {
            out,
            path: String::new(),
            lengths: Vec::new(),
            outside: Vec::new(),
            next: 0,
            want,
            waiting: BTreeMap::new(),
            failed: None,
        }))
    }

    /// Passes on all waiting lines. Bytes up to `end` that were never read get the role `rest`.
    pub fn finish(self, end: u64, rest: Role) -> std::io::Result<()> {
        let mut state = self.0.into_inner();
        while let Some((start, line)) = state.waiting.pop_first() {
            state.fill(start, Role::Gap);
            state.hand_on(line);
        }
        state.fill(end, rest);
        state.failed.map_or(Ok(()), Err)
    }
}

impl Trace for Explainer<'_> {
    fn enter(&self, step: &str) {
        let mut state = self.0.borrow_mut();
        // A member's document can contain a second one (a script inside a definition). In the tree
        // both are separate files, so the path starts over.
        if step.ends_with(DOCUMENT) && state.path.contains(DOCUMENT) {
            let outside = std::mem::replace(&mut state.path, step.to_owned());
            state.outside.push(outside);
            state.lengths.push(usize::MAX);
            return;
        }
        let length = state.path.len();
        state.lengths.push(length);
        join(&mut state.path, step);
    }

    fn leave(&self) {
        let mut state = self.0.borrow_mut();
        match state.lengths.pop() {
            Some(usize::MAX) => state.path = state.outside.pop().unwrap_or_default(),
            length => state.path.truncate(length.unwrap_or(0)),
        }
    }

    fn note_meaning(
        &self,
        start: u64,
        size: u64,
        name: &str,
        kind: Notation,
        role: Role,
        meaning: Option<String>,
    ) {
        let state = &mut *self.0.borrow_mut();
        let end = start.saturating_add(size);
        if size == 0 || end <= state.next {
            return;
        }
        state.split(start, size, name, kind, role, meaning);
    }
}

impl State<'_> {
    /// Splits structures and lists of structures into one line per field.
    fn split(
        &mut self,
        start: u64,
        size: u64,
        name: &str,
        kind: Notation,
        role: Role,
        meaning: Option<String>,
    ) {
        match kind {
            Notation::Fields(fields) if fields.iter().map(|f| f.1 as u64).sum::<u64>() == size => {
                let mut at = start;
                for (field, size, kind) in fields {
                    let mut path = name.to_owned();
                    join(&mut path, field);
                    self.split(at, *size as u64, &path, *kind, role, None);
                    at += *size as u64;
                }
            }
            Notation::List(
                item @ (Notation::List(..) | Notation::Fields(_) | Notation::Text),
                each,
            ) if each > 0 && size.is_multiple_of(each as u64) => {
                for i in 0..size / each as u64 {
                    self.split(
                        start + i * each as u64,
                        each as u64,
                        &format!("{name}[{i}]"),
                        *item,
                        role,
                        None,
                    );
                }
            }
            _ => self.take(start, size, name, kind, role, meaning),
        }
    }

    fn take(
        &mut self,
        start: u64,
        size: u64,
        name: &str,
        kind: Notation,
        role: Role,
        meaning: Option<String>,
    ) {
        let end = start.saturating_add(size);
        if end <= self.next || self.failed.is_some() {
            return;
        }
        let wanted = end > self.want.start && start < self.want.end;
        let mut path = String::new();
        if wanted {
            path.reserve(self.path.len() + name.len() + 1);
            path.push_str(&self.path);
            join(&mut path, name);
        }
        let line = Line {
            range: start..end,
            path,
            kind,
            role,
            meaning,
        };
        if start > self.next {
            self.wait(line);
            return;
        }
        self.hand_on(line);
        while self
            .waiting
            .first_key_value()
            .is_some_and(|(start, _)| *start <= self.next)
        {
            if let Some((_, line)) = self.waiting.pop_first() {
                self.hand_on(line);
            }
        }
    }

    /// Keeps a line until all earlier ones were passed on. If two lines overlap, the first one
    /// wins, and only the rest of the second remains.
    fn wait(&mut self, mut line: Line) {
        while let Some(first) = self.waiting.get(&line.range.start) {
            if first.range.end >= line.range.end {
                return;
            }
            line.range.start = first.range.end;
            line.kind = Notation::Bytes;
        }
        self.waiting.insert(line.range.start, line);
    }

    /// Passes on a line that starts at the next byte, or earlier: then the part that was already
    /// passed on is cut off.
    fn hand_on(&mut self, mut line: Line) {
        if line.range.end <= self.next {
            return;
        }
        if line.range.start < self.next {
            line.range.start = self.next;
            line.kind = Notation::Bytes;
        }
        // A shorter line waits that explains some of the same bytes in more detail: cut this line
        // in two around it.
        if let Some((start, _)) = self.waiting.first_key_value()
            && *start < line.range.end
        {
            let (start, end) = (*start, line.range.end);
            let mut rest = line.clone();
            line.range.end = start;
            rest.range.start = self
                .waiting
                .first_key_value()
                .map_or(end, |(_, inner)| inner.range.end)
                .min(end);
            line.kind = Notation::Bytes;
            rest.kind = Notation::Bytes;
            if rest.range.start < end {
                self.wait(rest);
            }
        }
        if line.range.is_empty() {
            return;
        }
        self.next = line.range.end;
        if line.range.end > self.want.start
            && line.range.start < self.want.end
            && self.failed.is_none()
            && let Err(e) = self.out.line(line)
        {
            self.failed = Some(e);
        }
    }

    fn fill(&mut self, end: u64, role: Role) {
        if self.next < end {
            let name = if role == Role::Gap { "gap" } else { "rest" };
            self.hand_on(Line {
                range: self.next..end,
                path: name.to_owned(),
                kind: Notation::Bytes,
                role,
                meaning: None,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(
        want: Range<u64>,
        end: u64,
        note: impl FnOnce(&dyn Trace),
    ) -> Vec<(Range<u64>, String)> {
        let mut out = Vec::new();
        let mut sink = |line: Line| {
            out.push((line.range, line.path));
            Ok(())
        };
        let trace = Explainer::new(want, &mut sink);
        note(&trace);
        trace.finish(end, Role::Unknown).unwrap();
        out
    }

    #[test]
    fn every_byte_is_explained_once_and_in_order() {
        let mut seed = 11u64;
        let mut next = |n: u64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) % n
        };
        for _ in 0..2000 {
            let spans: Vec<(u64, u64)> = (0..next(8)).map(|_| (next(30), next(9))).collect();
            let out = lines(0..u64::MAX, 40, |trace| {
                for (i, (start, size)) in spans.iter().enumerate() {
                    trace.enter(&format!("[{i}]"));
                    trace.note(*start, *size, "it", Notation::Bytes, Role::Value);
                    trace.leave();
                }
            });
            let mut at = 0;
            for (range, path) in out {
                assert_eq!(range.start, at, "{spans:?}");
                assert!(range.end > at && !path.is_empty());
                let explained = spans.iter().any(|(start, size)| {
                    *size > 0 && *start < range.end && start + size > range.start
                });
                assert_eq!(
                    path == "gap" || path == "rest",
                    !explained,
                    "{spans:?} {range:?}"
                );
                at = range.end;
            }
            assert_eq!(at, 40, "{spans:?}");
        }
    }

    #[test]
    fn paths_are_those_of_errors_and_records_fall_into_fields() {
        const PAIR: Notation =
            Notation::Fields(&[("near", 4, Notation::Float), ("far", 4, Notation::Float)]);
        let out = lines(0..u64::MAX, 20, |trace| {
            trace.enter("a.zrd › ");
            trace.enter("list");
            trace.enter("[2]");
            trace.note(0, 8, "range", PAIR, Role::Value);
            trace.leave();
            trace.leave();
            trace.note(8, 12, "count", Notation::Bytes, Role::Derived);
        });
        let paths: Vec<&str> = out.iter().map(|(_, path)| path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "a.zrd › list[2].range.near",
                "a.zrd › list[2].range.far",
                "a.zrd › count"
            ]
        );
    }

    #[test]
    fn only_requested_lines_are_passed_on() {
        let out = lines(5..6, 12, |trace| {
            (0..3).for_each(|i| trace.note(4 * i, 4, "word", Notation::Unsigned, Role::Value))
        });
        assert_eq!(out, [(4..8, "word".to_owned())]);
    }

    #[test]
    fn values_are_those_of_the_bytes() {
        let value =
            |kind: Notation, bytes: &[u8]| serde_json::to_string(&kind.value(bytes)).unwrap();
        assert_eq!(value(Notation::Signed, &[0xfe, 0xff]), "-2");
        assert_eq!(value(Notation::Signed, &[0xff; 8]), "-1");
        assert_eq!(value(Notation::Unsigned, &[1, 2, 0, 0]), "513");
        assert_eq!(value(Notation::Float, &1.5f32.to_le_bytes()), "1.5");
        assert_eq!(
            value(Notation::Float, &f32::NAN.to_le_bytes()),
            "\"0x7fc00000\""
        );
        assert_eq!(value(Notation::Text, b"ab\0cd"), "\"ab\"");
        assert_eq!(
            value(Notation::List(&Notation::Float, 4), &[0; 8]),
            "[0.0,0.0]"
        );
        assert_eq!(Notation::Word.value(&[0x12, 0]).to_string(), "0x0012");
        assert_eq!(
            (
                Notation::List(&Notation::Float, 4).name(12),
                Notation::Signed.name(2)
            ),
            ("f32[3]".to_owned(), "i16".to_owned())
        );
    }
}
