//! Names for indices: what events refer to, and how a reference is spelled.
//!
//! A reference is the bare name of the first entry with this name, `{ "name": …, "nth": 2 }` for a
//! later one, and `{ "index": 99 }` for an index without a name. `INPUT_NODE` (-200) and `OWN_NODE`
//! (-100) are reserved: an entry with such a name is spelled `{ "name": "INPUT_NODE", "nth": 1 }`.

use refit_base::wire::{
    self, Describe, Error, Given, HexBytes, Mark, Result, Role, Str, Text, TextOrRecord,
    decode_1252, did_you_mean, encode_1252, marked,
};
#[cfg(feature = "schemas")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct};
use std::{
    borrow::Cow,
    collections::HashMap,
    fmt,
    sync::{Arc, OnceLock},
};

/// The bytes of a name, cheap to make, copy and compare: nearly all name fields have 32 bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// Up to 32 bytes, padded with zeros.
    Short(u8, [u8; 32]),
    /// More than 32 bytes.
    Long(Box<[u8]>),
}

impl Name {
    /// The bytes of the name.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Name::Short(len, field) => field.get(..usize::from(*len)).unwrap_or_default(),
            Name::Long(bytes) => bytes,
        }
    }

    /// The name, decoded.
    pub fn text(&self) -> Cow<'_, str> {
        decode_1252(self.bytes())
    }
}

impl Default for Name {
    fn default() -> Self {
        Name::Short(0, [0; 32])
    }
}

impl From<&[u8]> for Name {
    fn from(bytes: &[u8]) -> Self {
        let mut short = [0; 32];
        match (short.get_mut(..bytes.len()), u8::try_from(bytes.len())) {
            (Some(slot), Ok(len)) => {
                slot.copy_from_slice(bytes);
                Name::Short(len, short)
            }
            _ => Name::Long(bytes.into()),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text())
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Str::deserialize(d).map(|text| text.0.as_slice().into())
    }
}

#[cfg(feature = "schemas")]
impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        Str::schema_name()
    }
    fn inline_schema() -> bool {
        Str::inline_schema()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Str::json_schema(generator)
    }
}

fn name_of(text: &str) -> Result<Name> {
    if text.is_ascii() {
        return Ok(text.as_bytes().into());
    }
    encode_1252(text).map(|bytes| bytes.as_slice().into())
}

macro_rules! from_text {
    ($($ty:ty: $read:expr,)*) => { $(impl TryFrom<&str> for $ty {
        type Error = Error;
        /// The value of a text of a tree. Returns an error if the text cannot be encoded in
        /// Windows-1252.
        fn try_from(text: &str) -> Result<Self> {
            $read(text)
        }
    })* };
}
from_text! {
    Name: name_of,
    StoredName: <StoredName as TextOrRecord>::from_text,
    Ref: <Ref as TextOrRecord>::from_text,
}

/// The name of -200: the node that the caller passes.
pub const INPUT: &str = "INPUT_NODE";
/// The name of -100: the node that the animation is bound to.
pub const OWN: &str = "OWN_NODE";

/// A reference to an entry of one of the definition's lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ref {
    /// The first entry of this name.
    Name(Name),
    /// The nth entry of this name, from 1.
    Nth(Name, u32),
    /// An index without a name.
    Index(i32),
    /// The node that the caller passes: -200.
    Input,
    /// The node that the animation is bound to: -100.
    Own,
}

impl Default for Ref {
    fn default() -> Self {
        Ref::Index(0)
    }
}

impl Ref {
    /// The nth entry of a name. The plain name stands for the first one, unless the name is
    /// reserved.
    pub fn nth(name: Name, nth: u32) -> Self {
        let is_reserved = [INPUT.as_bytes(), OWN.as_bytes()].contains(&name.bytes());
        if nth == 1 && !is_reserved {
            Ref::Name(name)
        } else {
            Ref::Nth(name, nth)
        }
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ref::Name(name) => write!(f, "{:?}", name.text()),
            Ref::Nth(name, nth) => write!(f, "{:?} number {nth}", name.text()),
            Ref::Index(i) => write!(f, "index {i}"),
            Ref::Input => f.write_str(INPUT),
            Ref::Own => f.write_str(OWN),
        }
    }
}

impl Serialize for Ref {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Ref::Name(name) => s.serialize_str(&name.text()),
            Ref::Input => s.serialize_str(INPUT),
            Ref::Own => s.serialize_str(OWN),
            Ref::Nth(name, nth) => {
                let mut out = s.serialize_struct("Ref", 2)?;
                out.serialize_field("name", &*name.text())?;
                out.serialize_field("nth", nth)?;
                out.end()
            }
            Ref::Index(index) => {
                #[derive(Serialize)]
                #[serde(rename = "Ref")]
                struct Number {
                    index: i32,
                }
                marked(Mark::UnknownValue, &Number { index: *index }, s)
            }
        }
    }
}

/// A [`Ref`] that needs more than a name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefRecord {
    #[serde(default)]
    name: Given<String>,
    #[serde(default)]
    nth: Given<u32>,
    #[serde(default)]
    index: Given<i32>,
}

impl TextOrRecord for Ref {
    type Record = RefRecord;
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name, { \"name\": …, \"nth\": 2 }, or { \"index\": 3 }")
    }
    fn from_text(text: &str) -> Result<Self> {
        match text {
            INPUT => Ok(Ref::Input),
            OWN => Ok(Ref::Own),
            _ => name_of(text).map(Ref::Name),
        }
    }
    fn from_record(record: RefRecord) -> Result<Self> {
        match (record.name.0, record.nth.0, record.index.0) {
            (Some(_), Some(0), None) => Err(Error::say("`nth` counts from 1")),
            (Some(name), nth, None) => Ok(Ref::Nth(name_of(&name)?, nth.unwrap_or(1))),
            (None, None, Some(index)) => Ok(Ref::Index(index)),
            _ => Err(Error::say("expected `name` with `nth`, or `index` alone")),
        }
    }
}

refit_base::text_form!(Ref);

refit_base::schema_form!(Ref: "Reference", |_| schemars::json_schema!({ "anyOf": [
    { "description": "The first entry of this name; INPUT_NODE is the caller's node, OWN_NODE the \
        animation's.", "type": "string" },
    { "description": "The nth entry of a name that repeats, from 1.", "type": "object", "additionalProperties": false,
      "properties": {
        "name": { "type": "string", "description": "The name that repeats." },
        "nth": { "type": "integer", "minimum": 1, "description": "Which of that name, from 1. The first when \
            absent." } }, "required": ["name"] },
    { "description": "A number without an entry.", "type": "object", "additionalProperties": false,
      "properties": { "index": { "type": "integer", "description": "The number as it is \
          stored." } }, "required": ["index"] },
] }));

/// The lists that indices point into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListKind {
    /// Nodes, from 1.
    Node,
    /// Lights, from 1.
    Light,
    /// Puffers, from 1.
    Puffer,
    /// Dynamic sounds, from 1.
    DynamicSound,
    /// Static sounds, from 1.
    StaticSound,
    /// Effects, from 1.
    Effect,
    /// Animation references, from 0.
    Reference,
    /// The file's script table, from 0 (PM, CS).
    FileScript,
    /// The definition's list of scripts, from 0 (CS).
    Script,
}

impl ListKind {
    /// The first index.
    fn base(self) -> i32 {
        i32::from(!matches!(
            self,
            ListKind::Reference | ListKind::FileScript | ListKind::Script
        ))
    }
    /// The words for an entry and for its list, in messages.
    fn called(self) -> (&'static str, &'static str) {
        match self {
            ListKind::Node => ("node", "`nodes` of this definition"),
            ListKind::Light => ("light", "`lights` of this definition"),
            ListKind::Puffer => ("puffer", "`puffers` of this definition"),
            ListKind::DynamicSound => ("dynamic sound", "`dynamic_sounds` of this definition"),
            ListKind::StaticSound => ("static sound", "`static_sounds` of this definition"),
            ListKind::Effect => ("effect", "`effects` of this definition"),
            ListKind::Reference => (
                "animation reference",
                "`animation_references` of this definition",
            ),
            ListKind::FileScript => ("script", "`scripts` of the manifest"),
            ListKind::Script => ("script", "`scripts` of this definition"),
        }
    }
}

/// A list: the names of its entries, and a lookup by name. An entry without a name can only be
/// referred to by index.
#[derive(Default)]
pub struct NameTable {
    names: Vec<Option<Name>>,
    /// Long lists: the positions of each name, built on the first lookup.
    places: OnceLock<HashMap<Name, Vec<u32>>>,
}

/// Lists of up to this length are searched linearly.
const SHORT: usize = 48;

impl NameTable {
    /// Builds the table of these entries.
    pub fn new(names: impl Iterator<Item = Option<Name>>) -> Self {
        NameTable {
            names: names.collect(),
            places: OnceLock::new(),
        }
    }

    /// The table with further entries at its end.
    pub fn with(&self, more: impl Iterator<Item = Name>) -> Self {
        Self::new(self.names.iter().cloned().chain(more.map(Some)))
    }

    /// The position of the first entry of a name.
    pub fn position(&self, name: &Name) -> Option<usize> {
        self.names.iter().position(|own| own.as_ref() == Some(name))
    }

    fn get(&self, i: u32) -> Option<&Name> {
        self.names.get(i as usize)?.as_ref()
    }

    /// The positions of all entries of a name, in order.
    fn places(&self, name: &Name) -> &[u32] {
        let places = self.places.get_or_init(|| {
            let mut places: HashMap<Name, Vec<u32>> = HashMap::with_capacity(self.names.len());
            for (i, name) in (0u32..).zip(&self.names) {
                if let Some(name) = name {
                    places.entry(name.clone()).or_default().push(i);
                }
            }
            places
        });
        places.get(name).map_or(&[], Vec::as_slice)
    }

    /// The ordinal of the entry at `i` among those of its name, from 1.
    fn nth(&self, name: &Name, i: u32) -> u32 {
        let n = if self.names.len() > SHORT {
            self.places(name).partition_point(|other| *other <= i)
        } else {
            1 + self
                .names
                .iter()
                .take(i as usize)
                .filter(|other| other.as_ref() == Some(name))
                .count()
        };
        u32::try_from(n).unwrap_or(u32::MAX)
    }

    /// The position of the nth entry of a name.
    fn find(&self, name: &Name, nth: u32) -> Option<u32> {
        let before = nth.checked_sub(1)? as usize;
        if self.names.len() > SHORT {
            return self.places(name).get(before).copied();
        }
        (0u32..)
            .zip(&self.names)
            .filter(|(_, other)| other.as_ref() == Some(name))
            .nth(before)
            .map(|(i, _)| i)
    }
}

/// The lists of a definition, and the file's script table.
#[derive(Default)]
pub struct Tables {
    /// The lists, indexed by [`ListKind`].
    lists: [NameTable; 9],
    /// The file's script table, shared by all definitions.
    scripts: Arc<NameTable>,
    /// Whether each animation reference has a local name.
    pub local_names: Vec<bool>,
}

impl Tables {
    /// Empty lists, with the file's script table.
    pub fn new(scripts: &Arc<NameTable>) -> Self {
        Tables {
            scripts: scripts.clone(),
            ..Tables::default()
        }
    }

    /// True if the animation reference at this index has a local name.
    pub fn has_local_name(&self, i: i32) -> bool {
        let place = i64::from(i) - i64::from(ListKind::Reference.base());
        usize::try_from(place).is_ok_and(|place| self.local_names.get(place) == Some(&true))
    }

    /// The names of one kind.
    pub fn list(&self, kind: ListKind) -> &NameTable {
        if kind == ListKind::FileScript {
            &self.scripts
        } else {
            &self.lists[kind as usize]
        }
    }

    /// Replaces the names of one kind.
    pub fn set(&mut self, kind: ListKind, names: impl Iterator<Item = Option<Name>>) {
        self.lists[kind as usize] = NameTable::new(names);
    }

    /// The reference for a stored index.
    pub fn name(&self, kind: ListKind, i: i32) -> Ref {
        match (kind, i) {
            (ListKind::Node, -200) => return Ref::Input,
            (ListKind::Node, -100) => return Ref::Own,
            _ => {}
        }
        let list = self.list(kind);
        let place = u32::try_from(i64::from(i) - i64::from(kind.base())).ok();
        match place.and_then(|place| Some((place, list.get(place)?))) {
            Some((place, name)) => Ref::nth(name.clone(), list.nth(name, place)),
            None => Ref::Index(i),
        }
    }

    /// The index to store for a reference. Returns an error if no entry has its name.
    pub fn index(&self, kind: ListKind, value: &Ref) -> Result<i32> {
        let (name, nth) = match value {
            Ref::Index(i) => return Ok(*i),
            Ref::Input if kind == ListKind::Node => return Ok(-200),
            Ref::Own if kind == ListKind::Node => return Ok(-100),
            Ref::Input | Ref::Own => {
                return Err(Error::say(format!(
                    "{value} is a node, not a {}",
                    kind.called().0
                )));
            }
            Ref::Name(name) => (name, 1),
            Ref::Nth(name, nth) => (name, *nth),
        };
        let place = self
            .list(kind)
            .find(name, nth)
            .and_then(|i| i32::try_from(i).ok());
        place.map(|i| i + kind.base()).ok_or_else(|| {
            let (one, list) = kind.called();
            let which = if nth > 1 {
                format!("number {nth} of {:?}", name.text())
            } else {
                format!("{:?}", name.text())
            };
            let names: Vec<Cow<'_, str>> = self
                .list(kind)
                .names
                .iter()
                .flatten()
                .map(Name::text)
                .collect();
            let near = if nth > 1 {
                None
            } else {
                did_you_mean(&name.text(), names.iter().map(|name| &**name))
            };
            Error::say(format!(
                "there is no {one} {which}{}",
                near.map_or(String::new(), |near| format!(": {near}"))
            ))
            .hint(format!("add it to {list}, or name an existing one"))
        })
    }

    /// The name of the referenced entry, which the event repeats.
    pub fn repeated(&self, kind: ListKind, value: &Ref) -> Text<32> {
        self.entry(kind, value)
            .and_then(|name| Text::new(name.bytes()).ok())
            .unwrap_or_default()
    }

    /// The name of the entry that a reference points to.
    pub fn entry(&self, kind: ListKind, value: &Ref) -> Option<&Name> {
        let (name, nth) = match value {
            Ref::Name(name) => (name, 1),
            Ref::Nth(name, nth) => (name, *nth),
            _ => return None,
        };
        self.list(kind).get(self.list(kind).find(name, nth)?)
    }
}

/// A name field of any size: text, a zero, and the rest of the filler. In a tree, a regular field
/// is its bare text, an irregular one `{ "text": …, "tail": … }`: the tail is the end of the field,
/// and a longer text overwrites the beginning of the tail.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StoredName {
    /// The text before the first zero.
    pub text: Name,
    /// The bytes after the terminator, if they are not those of the filler.
    pub tail: Option<Box<[u8]>>,
}

/// A regular field of an empty name, except for its terminator: `Default_node_name` with the
/// beginning overwritten, or zeros.
fn filler(node: bool) -> &'static [u8; 64] {
    static NODE: [u8; 64] = {
        let mut bytes = [0; 64];
        bytes
            .split_at_mut(17)
            .0
            .copy_from_slice(b"Default_node_name");
        bytes
    };
    static OTHER: [u8; 64] = [0; 64];
    if node { &NODE } else { &OTHER }
}

/// Copies as many bytes as fit.
fn copy(to: &mut [u8], at: usize, from: &[u8]) {
    let to = to.get_mut(at..).unwrap_or_default();
    let n = to.len().min(from.len());
    if let (Some(to), Some(from)) = (to.get_mut(..n), from.get(..n)) {
        to.copy_from_slice(from);
    }
}

impl StoredName {
    /// A regular field.
    pub fn new(text: &[u8]) -> Self {
        StoredName {
            text: text.into(),
            tail: None,
        }
    }

    /// Reads a field. `node`: the field was prefilled with `Default_node_name`.
    pub fn read(field: &[u8], node: bool) -> Self {
        let end = memchr::memchr(0, field).unwrap_or(field.len());
        let (text, rest) = field.split_at_checked(end).unwrap_or_default();
        let tail = rest.get(1..).unwrap_or_default();
        let regular = tail.is_empty() || filler(node).get(end + 1..field.len()) == Some(tail);
        StoredName {
            text: text.into(),
            tail: (!regular).then(|| tail.into()),
        }
    }

    /// Reports the `size` bytes of a field. Filler bytes after a text are not in the tree.
    pub(crate) fn describe(&self, field: &Describe<'_>, size: usize, name: &str) {
        let text = (self.text.bytes().len() + 1).min(size);
        field.note(0, text, name, wire::Notation::Text, Role::Value, None);
        let (role, what) = match &self.tail {
            Some(_) => (Role::Stale, "bytes after the end of a text"),
            None if field
                .bytes()
                .get(text..size)
                .is_some_and(|tail| tail.iter().all(|b| *b == 0)) =>
            {
                (Role::Padding, "")
            }
            None => (Role::Derived, "the rest of `Default_node_name`"),
        };
        let meaning = (!what.is_empty()).then(|| what.to_owned());
        field.note(
            text,
            size.saturating_sub(text),
            name,
            wire::Notation::Bytes,
            role,
            meaning,
        );
    }

    /// Writes the field into `field`, which must be zeroed.
    pub fn write(&self, field: &mut [u8], node: bool) -> Result<()> {
        let (text, size) = (self.text.bytes(), field.len());
        let too_long = |what: &str, n: usize| {
            Error::say(format!(
                "the {what} {:?} has {n} bytes, but its field has {size}",
                self.text.text()
            ))
        };
        if text.len() > size {
            return Err(too_long("name", text.len()));
        }
        if memchr::memchr(0, text).is_some() {
            return Err(Error::say(format!(
                "a zero byte ends the name {:?}",
                self.text.text()
            )));
        }
        if node {
            copy(field, 0, filler(node));
        }
        if let Some(tail) = &self.tail {
            let start = size
                .checked_sub(tail.len())
                .ok_or_else(|| too_long("tail of", tail.len()))?;
            copy(field, start, tail);
        }
        copy(field, 0, text);
        copy(field, text.len(), &[0]);
        Ok(())
    }
}

impl Serialize for StoredName {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename = "Label")]
        struct Irregular<'a> {
            text: Cow<'a, str>,
            tail: HexBytes,
        }
        match &self.tail {
            None => s.serialize_str(&self.text.text()),
            Some(tail) => marked(
                Mark::Tail,
                &Irregular {
                    text: self.text.text(),
                    tail: HexBytes(tail.to_vec()),
                },
                s,
            ),
        }
    }
}

/// A [`StoredName`] with bytes after its terminator.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredNameRecord {
    text: String,
    #[serde(default)]
    tail: Given<HexBytes>,
}

impl TextOrRecord for StoredName {
    type Record = StoredNameRecord;
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name, or { \"text\", \"tail\" }")
    }
    fn from_text(text: &str) -> Result<Self> {
        Ok(StoredName {
            text: name_of(text)?,
            tail: None,
        })
    }
    fn from_record(record: StoredNameRecord) -> Result<Self> {
        Ok(StoredName {
            text: name_of(&record.text)?,
            tail: record
                .tail
                .0
                .filter(|t| !t.0.is_empty())
                .map(|t| t.0.into()),
        })
    }
}

refit_base::text_form!(StoredName);

refit_base::schema_form!(StoredName: "Label", |generator| {
    let mut bytes = generator.subschema_for::<HexBytes>();
    bytes.insert(
        "description".to_owned(),
        "The bytes after the terminator, in hexadecimal. If absent, the usual filler of the field.".into(),
    );
    json_schema!({ "anyOf": [
        { "type": "string" },
        { "description": "A name with bytes after its terminator.", "type": "object", "additionalProperties": false,
          "properties": { "text": { "type": "string", "description": "The \
              name." }, "tail": bytes }, "required": ["text"] },
    ] })
});

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(names: &[&str]) -> Tables {
        let mut tables = Tables::default();
        tables.set(
            ListKind::Node,
            names.iter().map(|n| Some(Name::from(n.as_bytes()))),
        );
        tables
    }

    #[test]
    fn every_index_survives_the_round_trip() {
        let tables = tables(&["door", "arm", "arm", "INPUT_NODE", "", "arm"]);
        for i in [-32768, -200, -100, -1, 0, 1, 2, 3, 4, 5, 6, 7, 99, 70000] {
            let spelled = tables.name(ListKind::Node, i);
            let text = serde_json::to_string(&spelled).unwrap();
            let back: Ref = serde_json::from_str(&text).unwrap();
            assert_eq!(tables.index(ListKind::Node, &back).unwrap(), i, "{text}");
            let text = ron::to_string(&spelled).unwrap();
            assert_eq!(
                tables
                    .index(ListKind::Node, &ron::from_str(&text).unwrap())
                    .unwrap(),
                i,
                "{text}"
            );
        }
        let show = |i| serde_json::to_string(&tables.name(ListKind::Node, i)).unwrap();
        assert_eq!(show(2), r#""arm""#);
        assert_eq!(show(6), r#"{"name":"arm","nth":3}"#);
        assert_eq!(show(4), r#"{"name":"INPUT_NODE","nth":1}"#);
        assert_eq!(show(-200), r#""INPUT_NODE""#);
        assert_eq!(show(99), r#"{"index":99}"#);
        let error = tables
            .index(ListKind::Node, &Ref::Name(Name::from(&b"leg"[..])))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("no node \"leg\"") && error.contains("`nodes`"),
            "{error}"
        );
    }

    #[test]
    fn short_and_long_lists_agree() {
        // Every name occurs three times; some are longer than a name field.
        let name = |i: usize| {
            format!(
                "{}{}",
                "n".repeat(if i.is_multiple_of(5) { 36 } else { 3 }),
                i % (SHORT / 3 - 1)
            )
        };
        for n in [SHORT - 1, SHORT, SHORT + 1, 3 * SHORT] {
            let names: Vec<String> = (0..n).map(name).collect();
            let tables = tables(&names.iter().map(String::as_str).collect::<Vec<_>>());
            let mut seen = std::collections::HashMap::new();
            for (i, text) in (1i32..).zip(&names) {
                let nth = *seen.entry(text).and_modify(|n| *n += 1).or_insert(1);
                let name = Name::from(text.as_bytes());
                let expected = if nth == 1 {
                    Ref::Name(name.clone())
                } else {
                    Ref::Nth(name.clone(), nth)
                };
                assert_eq!(tables.name(ListKind::Node, i), expected);
                assert_eq!(tables.index(ListKind::Node, &expected).unwrap(), i);
                assert_eq!(tables.entry(ListKind::Node, &expected), Some(&name));
                assert!(tables.index(ListKind::Node, &Ref::Nth(name, 99)).is_err());
            }
        }
    }

    /// A byte-by-byte reference implementation of [`StoredName::fill`] for every size.
    fn slowly(field: &[u8], node: bool) -> StoredName {
        let end = field.iter().position(|b| *b == 0).unwrap_or(field.len());
        let tail = field.get(end + 1..).unwrap_or_default();
        let regular = (end + 1..)
            .zip(tail)
            .all(|(i, b)| filler(node).get(i) == Some(b));
        StoredName {
            text: Name::from(&field[..end]),
            tail: (!regular).then(|| tail.into()),
        }
    }

    #[test]
    fn every_length_and_residue_of_a_name_field() {
        for node in [false, true] {
            for len in 0..=32usize {
                let mut field = *filler(node).first_chunk::<32>().unwrap();
                field[..len]
                    .iter_mut()
                    .zip(1u8..)
                    .for_each(|(b, n)| *b = n.wrapping_mul(29) | 1);
                field
                    .get_mut(len..)
                    .unwrap()
                    .iter_mut()
                    .take(1)
                    .for_each(|b| *b = 0);
                assert_eq!(StoredName::read(&field, node).tail, None);
                for at in 0..=32 {
                    for byte in [0, 1, 0x7f, 0x80, 0xff] {
                        let mut field = field;
                        field.get_mut(at).into_iter().for_each(|b| *b = byte);
                        let label = StoredName::read(&field, node);
                        assert_eq!(label, slowly(&field, node), "{field:x?}");
                        let mut out = [0; 32];
                        label.write(&mut out, node).unwrap();
                        assert_eq!(out, field);
                    }
                }
            }
        }
        for text in ["a\0b", "\0", "thirty-one letters and an end a\0"] {
            assert!(
                StoredName::new(text.as_bytes())
                    .write(&mut [0; 32], false)
                    .is_err(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn labels_recognise_the_residue_of_the_filler() {
        let field = *b"gun\0ult_node_name\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
        let label = StoredName::read(&field, true);
        assert_eq!(label, StoredName::new(b"gun"));
        for (field, node) in [
            (&field[..], true),
            (&field[..], false),
            (b"ab\0x", false),
            (b"abcd", true),
            (b"abc\0", false),
            (b"\0\0\0\0", true),
        ] {
            let mut out = vec![0; field.len()];
            let label = StoredName::read(field, node);
            label.write(&mut out, node).unwrap();
            assert_eq!(out, field, "{label:?}");
            let text = serde_json::to_string(&label).unwrap();
            assert_eq!(serde_json::from_str::<StoredName>(&text).unwrap(), label);
        }
        let mut out = [0; 6];
        serde_json::from_str::<StoredName>(r#"{"text":"abc","tail":"000078"}"#)
            .unwrap()
            .write(&mut out, false)
            .unwrap();
        assert_eq!(&out, b"abc\0\0x");
    }
}
