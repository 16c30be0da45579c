//! What must hold before a definition starts, and the animations that it calls (anim.md, sections 6 and 7).

use super::{
    fields::{Bool, Fields, Layout, Side, body},
    names::Label,
};
use crate::wire::{Error, Extra, Given, Hex, HexBytes, Mark, Odd, Raw, Result, Text, TextOrRecord, marked, text_or_record};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct};
use std::fmt;

body! {
    /// A prerequisite: one of `animation`, `object`, `parent`.
    pub struct Prerequisite {
        /// An animation that is not in its reset state.
        animation? Text<32>,
        /// An object whose active bit is `state`.
        object? Text<32>,
        /// Narrows the search for the next entry to what hangs below this node.
        parent? Text<32>,
        /// RC, MW: 0 or 1. PM: 0 or 3, of a parent 0 or 2.
        state? u32,
        /// Counted, but not needed by itself.
        optional? Bool<u32>,
        /// A kind that is not one of those three.
        kind? u32,
        /// The body of such a kind.
        body? Raw<40>,
        /// Stale address; `0xffffffff` when absent.
        pointer~ Hex<u32>,
        /// What the typed form cannot say.
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        extra: Extra,
    }
}

/// Bytes of a prerequisite.
pub const PREREQUISITE: usize = 48;

impl Layout for Prerequisite {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.some(&mut self.optional);
        let keys = [self.animation.is_some(), self.object.is_some(), self.parent.is_some(), self.kind.is_some()];
        if !f.reads() && keys.iter().filter(|k| **k).count() != 1 {
            f.fail(Error::say("a prerequisite is one of `animation`, `object`, `parent`, `kind`"));
        }
        let kind = match keys {
            _ if f.reads() => f.peek(4),
            [true, ..] => 1,
            [_, true, ..] => 2,
            [_, _, true, _] => 3,
            _ => self.kind.unwrap_or_default(),
        };
        f.put(&kind);
        match kind {
            1 => f.plain(self.animation.get_or_insert_default()),
            2 | 3 => {
                f.some(&mut self.state);
                f.plain(if kind == 2 { self.object.get_or_insert_default() } else { self.parent.get_or_insert_default() });
                f.odd(&mut self.pointer, Hex(!0));
            }
            other => {
                self.kind = Some(other);
                f.some(&mut self.body);
            }
        }
    }
}

/// An animation that events of the definition call. In a tree its bare name, as long as there is nothing else to say.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reference {
    /// The animation.
    pub name: Label,
    /// The local name of a connector.
    pub local: Option<Label>,
    /// The file's type, where it is not 0 for a name alone and 1 for one with a local name.
    pub kind: Odd<u32>,
    /// The running instance, which is 0 in files.
    pub instance: Odd<Hex<u32>>,
}

/// Bytes of an animation reference.
pub const REFERENCE: usize = 72;

impl Reference {
    /// Becomes the one of these [`REFERENCE`] bytes.
    pub fn fill(&mut self, bytes: &[u8]) {
        let word = |at: usize| bytes.get(at..at + 4).and_then(|b| b.first_chunk()).copied().map_or(0, u32::from_le_bytes);
        let field = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default();
        let split = word(64) == 1;
        self.name.fill(field(0, if split { 32 } else { 64 }), false);
        self.local = split.then(|| Label::read(field(32, 64), false));
        self.kind = Odd::of(word(64), u32::from(split));
        self.instance = Odd::of(Hex(word(68)), Hex(0));
    }

    /// Writes the bytes that [`Reference::fill`] reads.
    pub fn write(&self) -> crate::wire::Result<[u8; REFERENCE]> {
        let mut bytes = [0; REFERENCE];
        {
            let (names, words) = bytes.split_at_mut(64);
            let (first, second) = names.split_at_mut(32);
            match &self.local {
                Some(local) => {
                    self.name.write(first, false)?;
                    local.write(second, false)?;
                }
                None => self.name.write(names, false)?,
            }
            let (kind, instance) = words.split_at_mut(4);
            kind.copy_from_slice(&self.kind.or(u32::from(self.local.is_some())).to_le_bytes());
            instance.copy_from_slice(&self.instance.or(Hex(0)).0.to_le_bytes());
        }
        Ok(bytes)
    }

    fn is_plain(&self) -> bool {
        self.local.is_none() && self.kind.is_none() && self.instance.is_none()
    }
}

impl Serialize for Reference {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.is_plain() && self.name.tail.is_none() {
            return self.name.serialize(s);
        }
        let n = 1 + usize::from(self.local.is_some()) + usize::from(!self.kind.is_none()) + usize::from(!self.instance.is_none());
        let n = n + usize::from(self.name.tail.is_some());
        let mut out = s.serialize_struct("Reference", n)?;
        out.serialize_field("name", &*self.name.text.text())?;
        if let Some(local) = &self.local {
            out.serialize_field("local", local)?;
        }
        if !self.kind.is_none() {
            out.serialize_field("type", &self.kind)?;
        }
        if !self.instance.is_none() {
            out.serialize_field("instance", &self.instance)?;
        }
        if let Some(tail) = &self.name.tail {
            struct Tail<'a>(&'a [u8]);
            impl Serialize for Tail<'_> {
                fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                    marked(Mark::Tail, &HexBytes(self.0.to_vec()), s)
                }
            }
            out.serialize_field("tail", &Tail(tail))?;
        }
        out.end()
    }
}

/// A [`Reference`] that a name alone does not say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceRecord {
    name: Label,
    #[serde(default)]
    local: Given<Label>,
    #[serde(default, rename = "type")]
    kind: Given<u32>,
    #[serde(default)]
    instance: Given<Hex<u32>>,
    #[serde(default)]
    tail: Given<HexBytes>,
}

impl TextOrRecord for Reference {
    type Record = ReferenceRecord;
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an animation's name, or { \"name\", \"local\", … }")
    }
    fn from_text(text: &str) -> Result<Self> {
        Ok(Reference { name: Label::from_text(text)?, ..Reference::default() })
    }
    fn from_record(record: ReferenceRecord) -> Result<Self> {
        let ReferenceRecord { name, local, kind, instance, tail } = record;
        let tail = tail.0.map(|t| t.0.into()).or(name.tail);
        Ok(Reference { name: Label { text: name.text, tail }, local: local.0, kind: Odd(kind.0), instance: Odd(instance.0) })
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        text_or_record(d)
    }
}

impl JsonSchema for Reference {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AnimationReference".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (label, hex, bytes) =
            (generator.subschema_for::<Label>(), generator.subschema_for::<Hex<u32>>(), generator.subschema_for::<HexBytes>());
        schemars::json_schema!({ "anyOf": [
            { "description": "An animation's name.", "type": "string" },
            { "description": "An animation's name, and the words beside it that are not the usual ones.",
              "type": "object", "additionalProperties": false, "required": ["name"], "properties": {
                "name": label, "local": label, "type": { "type": "integer" }, "instance": hex, "tail": bytes } },
        ] })
    }
}
