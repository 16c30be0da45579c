//! The conditions for a definition to start, and the animations that it calls (FORMAT.md,
//! "Prerequisites" and "Animation references").

use super::{
    fields::{Bool, NameField},
    names::StoredName,
};
use refit_base::{
    game::Game,
    record,
    wire::{
        Derived, Describe, Error, Extra, FieldGroup, Given, Hex, HexBytes, Mark, Notation, Plain,
        Raw, Record, Result, Role, Text, TextOrRecord, Trace, all_zero, marked,
    },
};
use serde::{Deserialize, Serialize, Serializer};
use std::{borrow::Cow, fmt};

record! {
    /// A prerequisite: one of `animation`, `object`, `parent`.
    #[derive(Default)]
    pub struct Prerequisite [Rc 48, Mw 48, Pm 48, Cs 48] {
        /// An animation that is not in its reset state.
        animation?: Text<32> in what,
        /// An object that must be active or not, as in `active`.
        object?: Text<32> in what,
        /// Limits the search for the next entry to the nodes below this one.
        parent?: Text<32> in what,
        /// The object must be active.
        active?: bool in what,
        /// Only the definition's own nodes are searched (PM, CS).
        local?: bool in what,
        /// Further bits of the word that contains both.
        state_bits?: Hex<u32> in what,
        /// Counted, but not required by itself.
        optional? @0: Bool<u32>,
        /// A kind that is not one of those three.
        kind?: u32 in what,
        /// The body of such a kind.
        body?: Raw<40> in what,
        /// Stale address; `0xffffffff` when absent.
        pointer~: Hex<u32> in what,
        /// The kind (1 animation, 2 object, 3 parent), and its body.
        what @4: part PrerequisiteBody,
    } below {
        /// Bytes that no field expresses.
        extra!: Extra,
    }
}

record! {
    /// The body of a prerequisite about an animation.
    pub struct WantedAnimation [Rc 40, Mw 40, Pm 40, Cs 40] {
        /// The animation, by its `animation_name`.
        animation: Text<32>,
        _: pad 8,
    }
}

record! {
    /// The body of a prerequisite about an object.
    pub struct WantedObject [Rc 40, Mw 40, Pm 40, Cs 40] {
        /// 1: active; 2: looked for among the own nodes only (PM, CS).
        state?: u32,
        /// The node.
        object: Text<32>,
        /// Stale address.
        pointer~: Hex<u32> = |_| Hex(!0),
    }
}

record! {
    /// The body of one that narrows the search.
    pub struct WantedParent [Rc 40, Mw 40, Pm 40, Cs 40] {
        /// 1: active; 2: looked for among the own nodes only (PM, CS).
        state?: u32,
        /// The node.
        parent: Text<32>,
        /// Stale address.
        pointer~: Hex<u32> = |_| Hex(!0),
    }
}

/// The kind of a prerequisite and the body that depends on it.
pub struct PrerequisiteBody;

impl PrerequisiteBody {
    const ANIMATION: u32 = 1;
    const OBJECT: u32 = 2;
    const PARENT: u32 = 3;
}

impl Prerequisite {
    const ACTIVE: u32 = 1;
    const LOCAL: u32 = 2;

    /// The word for the required state; `None` for zero.
    fn state(&self) -> Result<Option<u32>> {
        let more = self.state_bits.map_or(0, |bits| bits.0);
        if more & (Self::ACTIVE | Self::LOCAL) != 0 {
            return Err(
                Error::say("the bits 1 and 2 are `active` and `local`").within("state_bits")
            );
        }
        let bit = |on: Option<bool>, bit| if on == Some(true) { bit } else { 0 };
        let state = more | bit(self.active, Self::ACTIVE) | bit(self.local, Self::LOCAL);
        Ok((state != 0).then_some(state))
    }

    fn set_state(&mut self, state: u32) {
        let more = state & !(Self::ACTIVE | Self::LOCAL);
        self.active = (state & Self::ACTIVE != 0).then_some(true);
        self.local = (state & Self::LOCAL != 0).then_some(true);
        self.state_bits = (more != 0).then_some(Hex(more));
    }
}

impl FieldGroup<Prerequisite> for PrerequisiteBody {
    const SIZE: usize = u32::SIZE + Raw::<40>::SIZE;
    fn load(p: &mut Prerequisite, bytes: &[u8], _: u32, game: Game, (): &()) {
        let (kind, body) = bytes.split_at_checked(u32::SIZE).unwrap_or_default();
        match u32::get(kind) {
            PrerequisiteBody::ANIMATION => {
                p.animation = Some(WantedAnimation::load(body, game, &()).animation)
            }
            PrerequisiteBody::OBJECT => {
                let WantedObject {
                    state,
                    object,
                    pointer,
                } = WantedObject::load(body, game, &());
                (p.object, p.pointer) = (Some(object), pointer);
                p.set_state(state.unwrap_or(0));
            }
            PrerequisiteBody::PARENT => {
                let WantedParent {
                    state,
                    parent,
                    pointer,
                } = WantedParent::load(body, game, &());
                (p.parent, p.pointer) = (Some(parent), pointer);
                p.set_state(state.unwrap_or(0));
            }
            other => (p.kind, p.body) = (Some(other), (!all_zero(body)).then(|| Raw::get(body))),
        }
    }
    fn store(p: &Prerequisite, bytes: &mut [u8], game: Game, (): &()) -> Result<()> {
        let (kind, body) = bytes.split_at_mut_checked(u32::SIZE).unwrap_or_default();
        let (state, pointer) = (p.state()?, p.pointer);
        let number = match (p.animation, p.object, p.parent, p.kind) {
            (Some(_), None, None, None) if state.is_some() => {
                return Err(Error::say(
                    "a prerequisite about an animation is not active or local",
                ));
            }
            (Some(animation), None, None, None) => {
                WantedAnimation { animation }.store(body, game, &())?;
                PrerequisiteBody::ANIMATION
            }
            (None, Some(object), None, None) => {
                WantedObject {
                    state,
                    object,
                    pointer,
                }
                .store(body, game, &())?;
                PrerequisiteBody::OBJECT
            }
            (None, None, Some(parent), None) => {
                WantedParent {
                    state,
                    parent,
                    pointer,
                }
                .store(body, game, &())?;
                PrerequisiteBody::PARENT
            }
            (None, None, None, Some(other)) => {
                p.body.iter().for_each(|raw| raw.put(body));
                other
            }
            _ => {
                return Err(Error::say(
                    "a prerequisite is one of `animation`, `object`, `parent`, `kind`",
                ));
            }
        };
        number.put(kind);
        Ok(())
    }
    fn describe(p: &Prerequisite, part: &mut Describe<'_>, game: Game, (): &()) {
        let role = |there: bool, or: Role| if there { Role::Value } else { or };
        part.note(
            0,
            u32::SIZE,
            "kind",
            Notation::Unsigned,
            role(p.kind.is_some(), Role::Derived),
            None,
        );
        let body = part.part(u32::SIZE, Raw::<40>::SIZE);
        let (state, pointer) = (p.state().unwrap_or_default(), p.pointer);
        if p.object.is_some() || p.parent.is_some() {
            // Up to three fields share one word: it is named after the first one present.
            let there = [
                ("active", p.active.is_some()),
                ("local", p.local.is_some()),
                ("state_bits", p.state_bits.is_some()),
            ];
            let name = there
                .iter()
                .find(|(_, there)| *there)
                .map(|(name, _)| *name);
            let role = role(name.is_some(), Role::Padding);
            body.note(
                0,
                u32::SIZE,
                name.unwrap_or("active"),
                Notation::Unsigned,
                role,
                None,
            );
        }
        if let Some(animation) = p.animation {
            body.record(&WantedAnimation { animation }, game, &());
        } else if let Some(object) = p.object {
            body.record(
                &WantedObject {
                    state,
                    object,
                    pointer,
                },
                game,
                &(),
            );
        } else if let Some(parent) = p.parent {
            body.record(
                &WantedParent {
                    state,
                    parent,
                    pointer,
                },
                game,
                &(),
            );
        } else {
            body.note(
                0,
                Raw::<40>::SIZE,
                "body",
                Notation::Bytes,
                role(p.body.is_some(), Role::Padding),
                None,
            );
        }
    }
}

/// An animation that events of the definition call. In a tree, the bare name if the other fields
/// have their defaults.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reference {
    /// The animation.
    pub name: StoredName,
    /// A separate name by which later events find this running copy.
    pub local_name: Option<StoredName>,
    /// The type in the file, if it is not the default: 0 for a name alone, 1 with a local name.
    pub kind: Derived<u32>,
    /// The running instance; 0 in files.
    pub instance: Derived<Hex<u32>>,
}

record! {
    /// A reference with one name.
    pub struct WholeReference [Rc 72, Mw 72, Pm 72, Cs 72] {
        /// The animation, by its `animation_name`.
        name: StoredName as NameField<64, false>,
        /// 0.
        r#type~: u32 = |_| 0,
        /// The running instance; 0 in files.
        instance~: Hex<u32> = |_| Hex(0),
    }
}

record! {
    /// A reference whose name field is split in two.
    pub struct SplitReference [Rc 72, Mw 72, Pm 72, Cs 72] {
        /// The animation, by its `animation_name`.
        name: StoredName as NameField<32, false>,
        /// Its own name, by which later events find this running copy.
        local_name: StoredName as NameField<32, false>,
        /// 1.
        r#type~: u32 = |_| 1,
        /// The running instance; 0 in files.
        instance~: Hex<u32> = |_| Hex(0),
    }
}

/// The layout of the names depends on the type.
impl Record for Reference {
    fn size(game: Game) -> Option<usize> {
        <WholeReference as Record>::size(game)
    }
    fn load(bytes: &[u8], game: Game, (): &()) -> Self {
        let SplitReference {
            name,
            local_name: local,
            r#type: kind,
            instance,
        } = SplitReference::load(bytes, game, &());
        if kind.is_none() {
            return Reference {
                name,
                local_name: Some(local),
                kind,
                instance,
            };
        }
        let WholeReference {
            name,
            r#type: kind,
            instance,
        } = WholeReference::load(bytes, game, &());
        Reference {
            name,
            local_name: None,
            kind,
            instance,
        }
    }
    fn store(&self, bytes: &mut [u8], game: Game, (): &()) -> Result<()> {
        let (name, kind, instance) = (self.name.clone(), self.kind, self.instance);
        match self.local_name.clone() {
            Some(local) => SplitReference {
                name,
                local_name: local,
                r#type: kind,
                instance,
            }
            .store(bytes, game, &()),
            None => WholeReference {
                name,
                r#type: kind,
                instance,
            }
            .store(bytes, game, &()),
        }
    }
    fn describe(&self, bytes: &[u8], at: u64, game: Game, (): &(), trace: &dyn Trace) {
        let place = if self.local_name.is_some() {
            SplitReference::place_name(game)
        } else {
            WholeReference::place_name(game)
        };
        // In the tree the name is a plain text or a field of a record. Report it first: the first
        // report for a byte wins.
        let name = if self.is_text() { "" } else { "name" };
        let field = Describe::new(bytes, bytes, at, trace).part(place.start, place.len());
        self.name.describe(&field, place.len(), name);
        match self.local_name {
            Some(_) => SplitReference::load(bytes, game, &()).describe(bytes, at, game, &(), trace),
            None => WholeReference::load(bytes, game, &()).describe(bytes, at, game, &(), trace),
        }
    }
}

impl Reference {
    /// True if the tree shows the bare name.
    fn is_text(&self) -> bool {
        self.local_name.is_none()
            && self.kind.is_none()
            && self.instance.is_none()
            && self.name.tail.is_none()
    }
}

impl Serialize for Reference {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.is_text() {
            return self.name.serialize(s);
        }
        #[derive(Serialize)]
        #[serde(rename = "Reference")]
        struct Record<'a> {
            name: Cow<'a, str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            local_name: &'a Option<StoredName>,
            #[serde(rename = "type", skip_serializing_if = "Derived::is_none")]
            kind: Derived<u32>,
            #[serde(skip_serializing_if = "Derived::is_none")]
            instance: Derived<Hex<u32>>,
            #[serde(skip_serializing_if = "Option::is_none", serialize_with = "tail")]
            tail: Option<HexBytes>,
        }
        fn tail<S: Serializer>(tail: &Option<HexBytes>, s: S) -> Result<S::Ok, S::Error> {
            marked(
                Mark::Tail,
                tail.as_ref().unwrap_or(&HexBytes(Vec::new())),
                s,
            )
        }
        let Reference {
            name,
            local_name,
            kind,
            instance,
        } = self;
        let tail = name.tail.as_ref().map(|tail| HexBytes(tail.to_vec()));
        Record {
            name: name.text.text(),
            local_name,
            kind: *kind,
            instance: *instance,
            tail,
        }
        .serialize(s)
    }
}

/// A [`Reference`] that needs more than a name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceRecord {
    name: StoredName,
    #[serde(default)]
    local_name: Given<StoredName>,
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
        f.write_str("an animation's name, or { \"name\", \"local_name\", … }")
    }
    fn from_text(text: &str) -> Result<Self> {
        Ok(Reference {
            name: StoredName::from_text(text)?,
            ..Reference::default()
        })
    }
    fn from_record(record: ReferenceRecord) -> Result<Self> {
        let ReferenceRecord {
            name,
            local_name,
            kind,
            instance,
            tail,
        } = record;
        let tail = tail.0.map(|t| t.0.into()).or(name.tail);
        Ok(Reference {
            name: StoredName {
                text: name.text,
                tail,
            },
            local_name: local_name.0,
            kind: Derived(kind.0),
            instance: Derived(instance.0),
        })
    }
}

refit_base::text_form!(Reference);

refit_base::schema_form!(Reference: "AnimationReference", |generator| {
    let with = |mut schema: schemars::Schema, words: &str| {
        schema.insert("description".to_owned(), words.into());
        schema
    };
    let (label, hex, bytes) = (
        generator.subschema_for::<StoredName>(),
        with(generator.subschema_for::<Hex<u32>>(), "The running instance. 0 when absent."),
        with(generator.subschema_for::<HexBytes>(), "Bytes after the terminator of the name, in hexadecimal. Zeros if \
            absent."),
    );
    let (name, local) = (
        with(label.clone(), "The animation, by its `animation_name`."),
        with(label, "A name of its own, by which later events find this running copy."),
    );
    schemars::json_schema!({ "anyOf": [
        { "description": "An animation's name.", "type": "string" },
        { "description": "An animation's name, and those fields beside it that differ from the default.",
          "type": "object", "additionalProperties": false, "required": ["name"], "properties": {
            "name": name, "local_name": local, "instance": hex, "tail": bytes,
            "type": { "type": "integer", "description": "The stored type. 0 for a name alone and 1 with a local name, \
                when absent." } } },
    ] })
});
