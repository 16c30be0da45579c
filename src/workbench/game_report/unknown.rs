//! The values of fields whose meaning is unknown, as ranges and counts.

use super::{
    FieldRange, Number,
    places::{field, is_unknown},
};
use refit_base::{
    tree::Blob,
    wire::{Error, Notation, Role, Trace, Value, join},
};
use std::{
    cell::RefCell,
    collections::{BTreeMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

/// Most different values of a field that are counted.
pub(super) const DISTINCT: usize = 1000;
/// Maximum number of fields of one format.
const FIELDS: usize = 1000;
/// How many bytes of a value to read at a time.
const PIECE: usize = 1 << 16;

/// The values of a field so far.
#[derive(Clone, Default)]
pub(super) struct Seen {
    kind: String,
    values: u64,
    distinct: HashSet<u64>,
    min: Option<Number>,
    max: Option<Number>,
    not_finite: u64,
}

impl Seen {
    /// Adds the values of another file.
    fn merge(&mut self, other: Seen) {
        if self.kind.is_empty() {
            self.kind = other.kind;
        }
        self.values += other.values;
        self.not_finite += other.not_finite;
        for value in other.distinct {
            self.distinguish(value);
        }
        for bound in [other.min, other.max].into_iter().flatten() {
            self.bound(bound);
        }
    }

    fn distinguish(&mut self, value: u64) {
        if self.distinct.len() < DISTINCT {
            self.distinct.insert(value);
        }
    }

    fn bound(&mut self, value: Number) {
        let is = |bound: Option<Number>, beyond: fn(f64, f64) -> bool| {
            bound.is_none_or(|bound| beyond(value.as_f64(), bound.as_f64()))
        };
        if is(self.min, |value, min| value < min) {
            self.min = Some(value);
        }
        if is(self.max, |value, max| value > max) {
            self.max = Some(value);
        }
    }

    /// Adds a number.
    fn add(&mut self, value: &Value) {
        self.values += 1;
        match *value {
            Value::Unsigned(n) | Value::Word(n, _) => {
                self.distinguish(n);
                self.bound(Number::Whole(i64::try_from(n).unwrap_or(i64::MAX)));
            }
            Value::Signed(n) => {
                self.distinguish(n.cast_unsigned());
                self.bound(Number::Whole(n));
            }
            Value::Float(n) => {
                self.distinguish(u64::from(n.to_bits()));
                if n.is_finite() {
                    self.bound(Number::of(n));
                } else {
                    self.not_finite += 1;
                }
            }
            Value::Text(_) | Value::Bytes(_) | Value::List(_) => {}
        }
    }

    /// The range for the report.
    fn range(&self) -> FieldRange {
        FieldRange {
            kind: self.kind.clone(),
            values: self.values,
            distinct: self.distinct.len(),
            min: self.min,
            max: self.max,
            not_finite: self.not_finite,
        }
    }
}

/// The unknown fields of files of one format.
#[derive(Clone, Default)]
pub(super) struct UnknownFields(BTreeMap<String, Seen>);

impl UnknownFields {
    /// Adds the fields of another file.
    pub(super) fn merge(&mut self, other: UnknownFields) {
        for (field, seen) in other.0 {
            if self.0.len() < FIELDS || self.0.contains_key(&field) {
                self.0.entry(field).or_default().merge(seen);
            }
        }
    }

    /// The fields in the order of their names.
    pub(super) fn ranges(&self) -> BTreeMap<String, FieldRange> {
        let range = |(field, seen): (&String, &Seen)| (field.clone(), seen.range());
        self.0.iter().map(range).collect()
    }
}

/// Collects the unknown fields of a file while it is read.
pub(super) struct Collector<'a> {
    file: &'a Blob,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    path: String,
    /// The length of the path before each step.
    lengths: Vec<usize>,
    /// The number of steps around the first one that is an unknown field.
    unknown: Option<usize>,
    fields: UnknownFields,
    /// The path of the last field, with its form without positions: the fields of a list follow
    /// each other.
    buffer: Vec<u8>,
    fault: Option<Error>,
}

impl<'a> Collector<'a> {
    /// A collector for a file.
    pub(super) fn new(file: &'a Blob) -> Self {
        Collector {
            file,
            state: RefCell::default(),
        }
    }

    /// What was found, and the error of the disk that ended the collection.
    pub(super) fn finish(self) -> (UnknownFields, Option<Error>) {
        let state = self.state.into_inner();
        (state.fields, state.fault)
    }

    /// Adds the values at a place; structures and lists of them are taken apart.
    fn take(
        &self,
        state: &mut State,
        start: u64,
        size: u64,
        name: &str,
        kind: Notation,
        known: bool,
    ) {
        match kind {
            Notation::Fields(fields) if fields.iter().map(|f| f.1 as u64).sum::<u64>() == size => {
                let mut at = start;
                for (field, size, kind) in fields {
                    let known = known && !is_unknown(field);
                    if !known || has_unknown(kind) {
                        let mut path = name.to_owned();
                        join(&mut path, field);
                        self.take(state, at, *size as u64, &path, *kind, known);
                    }
                    at = at.saturating_add(*size as u64);
                }
            }
            Notation::List(item @ (Notation::List(..) | Notation::Fields(_)), each)
                if each > 0 && size.is_multiple_of(each as u64) =>
            {
                if known && !has_unknown(item) {
                    return;
                }
                for i in 0..size / each as u64 {
                    let at = start.saturating_add(i.saturating_mul(each as u64));
                    self.take(state, at, each as u64, &format!("{name}[]"), *item, known);
                }
            }
            _ if known => {}
            kind => {
                if let Err(e) = self.add(state, start, size, name, kind) {
                    state.fault.get_or_insert(e);
                }
            }
        }
    }

    /// Adds the values of an unknown field.
    fn add(
        &self,
        state: &mut State,
        start: u64,
        size: u64,
        name: &str,
        kind: Notation,
    ) -> Result<(), Error> {
        let mut path = state.path.clone();
        join(&mut path, name);
        let path = field(&path);
        let fields = &mut state.fields.0;
        if fields.len() >= FIELDS && !fields.contains_key(&path) {
            return Ok(());
        }
        let seen = fields.entry(path).or_default();
        let each = match kind {
            Notation::List(_, each) => each.max(1),
            _ => usize::try_from(size).unwrap_or(usize::MAX).max(1),
        };
        let item = match kind {
            Notation::List(item, _) => *item,
            kind => kind,
        };
        let is_number = matches!(
            item,
            Notation::Unsigned | Notation::Signed | Notation::Word | Notation::Float
        ) && each <= 8;
        if seen.kind.is_empty() {
            seen.kind = if is_number {
                item.name(each)
            } else {
                "bytes".to_owned()
            };
        }
        let piece = if is_number {
            PIECE - PIECE % each
        } else {
            PIECE
        };
        let mut hash = DefaultHasher::new();
        let mut at = 0u64;
        while at < size {
            let length = usize::try_from(size - at).unwrap_or(usize::MAX).min(piece);
            self.file
                .read_into(start.saturating_add(at), length, &mut state.buffer)?;
            if is_number {
                for bytes in state.buffer.chunks(each) {
                    seen.add(&item.value(bytes));
                }
            } else {
                state.buffer.hash(&mut hash);
            }
            at = at.saturating_add(length as u64);
        }
        // Of bytes only the sizes are reported.
        if !is_number {
            seen.values += 1;
            seen.distinguish(hash.finish());
            seen.bound(Number::Whole(i64::try_from(size).unwrap_or(i64::MAX)));
        }
        Ok(())
    }
}

/// True for a structure with an unknown field.
fn has_unknown(kind: &Notation) -> bool {
    match kind {
        Notation::Fields(fields) => fields
            .iter()
            .any(|(name, _, kind)| is_unknown(name) || has_unknown(kind)),
        Notation::List(item, _) => has_unknown(item),
        _ => false,
    }
}

impl Trace for Collector<'_> {
    fn enter(&self, step: &str) {
        let mut state = self.state.borrow_mut();
        let length = state.path.len();
        state.lengths.push(length);
        if state.unknown.is_none() && is_unknown(step) {
            state.unknown = Some(state.lengths.len());
        }
        join(&mut state.path, step);
    }

    fn leave(&self) {
        let mut state = self.state.borrow_mut();
        if state.unknown == Some(state.lengths.len()) {
            state.unknown = None;
        }
        let length = state.lengths.pop().unwrap_or(0);
        state.path.truncate(length);
    }

    fn note_meaning(
        &self,
        start: u64,
        size: u64,
        name: &str,
        kind: Notation,
        role: Role,
        _: Option<String>,
    ) {
        let state = &mut *self.state.borrow_mut();
        let is_one = state.unknown.is_some() || is_unknown(name) || role == Role::Unknown;
        if size > 0 && state.fault.is_none() && (is_one || has_unknown(&kind)) {
            self.take(state, start, size, name, kind, !is_one);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: Notation =
        Notation::Fields(&[("near", 4, Notation::Float), ("unk4", 4, Notation::Signed)]);

    #[test]
    fn ranges_are_those_of_the_values() {
        let mut bytes = Vec::new();
        for (near, unknown) in [(1.5f32, -7i32), (2.5, 3), (0.0, 3)] {
            bytes.extend(near.to_le_bytes());
            bytes.extend(unknown.to_le_bytes());
        }
        bytes.extend(0.1f32.to_le_bytes());
        bytes.extend(f32::NAN.to_le_bytes());
        bytes.extend(*b"secret text");
        let file = Blob::Memory(bytes.into());
        let collector = Collector::new(&file);
        collector.enter("secret.zrd › ");
        collector.note(0, 24, "ranges", Notation::List(&PAIR, 8), Role::Value);
        collector.note(
            24,
            8,
            "unk24",
            Notation::List(&Notation::Float, 4),
            Role::Value,
        );
        collector.enter("unk32");
        collector.note(32, 11, "name", Notation::Text, Role::Value);
        collector.leave();
        collector.note(0, 4, "count", Notation::Unsigned, Role::Value);
        collector.leave();
        let (fields, fault) = collector.finish();
        assert!(fault.is_none());
        let made: Vec<String> = fields
            .ranges()
            .iter()
            .map(|(field, range)| format!("{field} {}", serde_json::to_string(range).unwrap()))
            .collect();
        assert_eq!(
            made,
            [
                r#"*[].unk4 {"kind":"i32","values":3,"distinct":2,"min":-7,"max":3}"#,
                r#"unk24 {"kind":"f32","values":2,"distinct":2,"min":0.1,"max":0.1,"not_finite":1}"#,
                r#"unk32.name {"kind":"bytes","values":1,"distinct":1,"min":11,"max":11}"#,
            ]
        );
    }

    #[test]
    fn many_values_take_little_memory() {
        let bytes: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        let size = bytes.len() as u64;
        let file = Blob::Memory(bytes.into());
        let collector = Collector::new(&file);
        collector.note(
            0,
            size,
            "unk0",
            Notation::List(&Notation::Unsigned, 4),
            Role::Value,
        );
        let (mut fields, _) = collector.finish();
        fields.merge(fields.clone());
        let range = &fields.ranges()["unk0"];
        assert_eq!((range.values, range.distinct), (200_000, DISTINCT));
        assert_eq!(range.max, Some(Number::Whole(99_999)));
    }
}
