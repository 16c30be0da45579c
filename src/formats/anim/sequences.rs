//! Sequences and the framing of their events (anim.md, sections 8 and 9).

use super::{
    events::*,
    fields::{self, Beside, Care, Fields, Layout, Side, body},
    names::{Kind, NOTHING, Tables},
    scripts::Script,
};
use crate::{
    game::Game,
    wire::{Error, Extra, F32, Hex, HexBytes, Odd, Plain, Raw, Reader, Result, Text, Writer, fit},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, Visitor},
    ser::SerializeStruct,
};
use std::fmt;

crate::open_enum! {
    /// The clock that an event's time is compared with.
    pub enum Start: u8 { Animation = 1 "ANIMATION", Sequence = 2 "SEQUENCE", Event = 3 "EVENT" }
}

/// An event: when, what, and what the typed form cannot say.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// The clock.
    pub start: Start,
    /// Seconds on it.
    pub time: F32,
    /// What happens.
    pub body: Body,
    /// Two bytes of the header that are zero.
    pub pad: Odd<Hex<u16>>,
    /// Offsets in the body.
    pub extra: Extra,
}

/// An event without a typed form: a type that no reference knows, or one with another size than it has.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawEvent {
    /// The event's number.
    pub r#type: u8,
    /// Everything behind the header.
    pub body: HexBytes,
}

/// Several scripts at once (CS).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ScriptList(pub Vec<ScriptItem>);

/// An event that Crimson Skies alone has, and nobody knows the fields of.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoundAdjust {
    /// The body.
    pub unk0: Raw<176>,
}

impl Layout for SoundAdjust {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.plain(&mut self.unk0);
    }
}

macro_rules! events {
    ($($(#[$m:meta])* $variant:ident($t:ty) = $number:literal $key:literal [$rc:literal $mw:literal $pm:literal $cs:literal]),* $(,)?) => {
        /// What happens. The keys are those of the reader files.
        #[derive(Clone, PartialEq, Debug)]
        #[allow(missing_docs)]
        pub enum Body {
            $($(#[$m])* $variant($t),)*
            /// OBJECT_MOTION_SI_SCRIPT: its size depends on its frames.
            Script(Box<ObjectMotionSiScript>),
            /// Several of them (CS).
            ScriptList(ScriptList),
            /// Without a typed form.
            Raw(RawEvent),
        }
        const KEYS: &[&str] = &["at", "pad", "extra", "RAW", "OBJECT_MOTION_SI_SCRIPT", "OBJECT_MOTION_SI_SCRIPT_LIST", $($key),*];
        impl Body {
            /// The event's key.
            pub fn key(&self) -> &'static str {
                match self {
                    $(Body::$variant(_) => $key,)*
                    Body::Script(_) => "OBJECT_MOTION_SI_SCRIPT",
                    Body::ScriptList(_) => "OBJECT_MOTION_SI_SCRIPT_LIST",
                    Body::Raw(_) => "RAW",
                }
            }
            /// The event's number.
            pub fn number(&self) -> u8 {
                match self {
                    $(Body::$variant(_) => $number,)*
                    Body::Script(_) => 12,
                    Body::ScriptList(_) => 47,
                    Body::Raw(raw) => raw.r#type,
                }
            }
            /// Becomes the typed form of these bytes; gives what it cannot say.
            fn read(&mut self, number: u8, bytes: &[u8], game: Game, tables: &Tables, care: &mut Care) -> Extra {
                match number {
                    $($number if bytes.len() == size_of_body(game, [$rc, $mw, $pm, $cs]) => {
                        *self = Body::$variant(<$t>::default());
                        if let Body::$variant(body) = self {
                            return fields::fill(body, bytes, game, tables, care);
                        }
                    })*
                    _ => return self.read_sized(number, bytes, game, tables, care),
                }
                Extra::default()
            }
            /// Writes what [`Body::read`] reads; gives its number.
            fn write(&mut self, extra: &Extra, w: &mut Writer, tables: &Tables) -> Result<u8> {
                let (game, at) = (w.game, w.len());
                match self {
                    $(Body::$variant(body) => {
                        w.bytes.resize(at + size_of_body(game, [$rc, $mw, $pm, $cs]), 0);
                        fields::write(body, extra, w.bytes.get_mut(at..).unwrap_or_default(), game, tables)?;
                        Ok($number)
                    })*
                    Body::Script(_) | Body::ScriptList(_) | Body::Raw(_) => {
                        self.write_sized(extra, w, tables)?;
                        Ok(self.number())
                    }
                }
            }
            fn serialize<S: SerializeStruct>(&self, out: &mut S) -> Result<(), S::Error> {
                match self {
                    $(Body::$variant(body) => out.serialize_field($key, body),)*
                    Body::Script(body) => out.serialize_field("OBJECT_MOTION_SI_SCRIPT", body),
                    Body::ScriptList(body) => out.serialize_field("OBJECT_MOTION_SI_SCRIPT_LIST", body),
                    Body::Raw(body) => out.serialize_field("RAW", body),
                }
            }
            fn deserialize<'de, A: MapAccess<'de>>(key: usize, map: &mut A) -> Result<Body, A::Error> {
                match KEYS.get(key).copied().unwrap_or_default() {
                    $($key => Ok(Body::$variant(map.next_value()?)),)*
                    "OBJECT_MOTION_SI_SCRIPT" => Ok(Body::Script(map.next_value()?)),
                    "OBJECT_MOTION_SI_SCRIPT_LIST" => Ok(Body::ScriptList(map.next_value()?)),
                    _ => Ok(Body::Raw(map.next_value()?)),
                }
            }
            fn properties(generator: &mut SchemaGenerator) -> serde_json::Map<String, serde_json::Value> {
                let mut out = serde_json::Map::new();
                $(out.insert($key.into(), generator.subschema_for::<$t>().into());)*
                out.insert("OBJECT_MOTION_SI_SCRIPT".into(), generator.subschema_for::<ObjectMotionSiScript>().into());
                out.insert("OBJECT_MOTION_SI_SCRIPT_LIST".into(), generator.subschema_for::<ScriptList>().into());
                out.insert("RAW".into(), generator.subschema_for::<RawEvent>().into());
                out
            }
        }
        /// The key of an event's number.
        pub fn key_of(number: u8) -> Option<&'static str> {
            match number {
                $($number => Some($key),)*
                12 => Some("OBJECT_MOTION_SI_SCRIPT"),
                47 => Some("OBJECT_MOTION_SI_SCRIPT_LIST"),
                _ => None,
            }
        }
        /// Number, key and body size in RC, MW, PM, CS of every event of a fixed size.
        pub const EVENTS: &[(u8, &str, [usize; 4])] = &[$(($number, $key, [$rc, $mw, $pm, $cs])),*];
    };
}

/// The size that a body has in a game.
fn size_of_body(game: Game, sizes: [usize; 4]) -> usize {
    let [rc, mw, pm, cs] = sizes;
    match game {
        Game::Rc | Game::RcDemo => rc,
        Game::Mw => mw,
        Game::Pm => pm,
        Game::Cs => cs,
    }
}

events! {
    Sound(Sound) = 1 "SOUND" [16 16 16 16],
    SoundNode(Box<SoundNode>) = 2 "SOUND_NODE" [60 60 60 60],
    Effect(Effect) = 3 "EFFECT" [16 16 16 16],
    LightState(Box<LightState>) = 4 "LIGHT_STATE" [112 120 140 140],
    LightAnimation(Box<LightAnimation>) = 5 "LIGHT_ANIMATION" [100 100 100 100],
    ObjectActiveState(ObjectActiveState) = 6 "OBJECT_ACTIVE_STATE" [8 8 8 8],
    ObjectTranslateState(Box<ObjectTranslateState>) = 7 "OBJECT_TRANSLATE_STATE" [20 20 20 20],
    ObjectScaleState(ObjectScaleState) = 8 "OBJECT_SCALE_STATE" [16 16 16 16],
    ObjectRotateState(Box<ObjectRotateState>) = 9 "OBJECT_ROTATE_STATE" [20 20 20 20],
    ObjectMotion(Box<ObjectMotion>) = 10 "OBJECT_MOTION" [240 320 320 320],
    ObjectMotionFromTo(Box<ObjectMotionFromTo>) = 11 "OBJECT_MOTION_FROM_TO" [132 132 132 132],
    ObjectOpacityState(ObjectOpacityState) = 13 "OBJECT_OPACITY_STATE" [12 12 12 12],
    ObjectOpacityFromTo(ObjectOpacityFromTo) = 14 "OBJECT_OPACITY_FROM_TO" [24 24 24 24],
    ObjectAddChild(ParentChild) = 15 "OBJECT_ADD_CHILD" [4 4 4 4],
    ObjectDeleteChild(ParentChild) = 16 "OBJECT_DELETE_CHILD" [4 4 4 4],
    ObjectCycleTexture(ObjectCycleTexture) = 17 "OBJECT_CYCLE_TEXTURE" [8 8 8 8],
    ObjectConnector(Box<ObjectConnector>) = 18 "OBJECT_CONNECTOR" [76 76 76 76],
    CallObjectConnector(Box<CallObjectConnector>) = 19 "CALL_OBJECT_CONNECTOR" [68 68 68 68],
    CameraState(CameraState) = 20 "CAMERA_STATE" [36 36 36 36],
    CameraFromTo(Box<CameraFromTo>) = 21 "CAMERA_FROM_TO" [96 96 96 96],
    CallSequence(CallSequence) = 22 "CALL_SEQUENCE" [36 36 36 36],
    StopSequence(CallSequence) = 23 "STOP_SEQUENCE" [36 36 36 36],
    CallAnimation(Box<CallAnimation>) = 24 "CALL_ANIMATION" [68 68 68 68],
    StopAnimation(StopAnimation) = 25 "STOP_ANIMATION" [36 36 36 36],
    ResetAnimation(OfAnimation) = 26 "RESET_ANIMATION" [36 36 36 36],
    InvalidateAnimation(OfAnimation) = 27 "INVALIDATE_ANIMATION" [36 36 36 36],
    FogState(FogState) = 28 "FOG_STATE" [68 68 68 68],
    Loop(Loop) = 30 "LOOP" [8 8 8 8],
    If(Condition) = 31 "IF" [12 12 16 16],
    Else(Nothing) = 32 "ELSE" [0 0 0 0],
    Elseif(Condition) = 33 "ELSEIF" [12 12 16 16],
    Endif(Nothing) = 34 "ENDIF" [0 0 0 0],
    Callback(Callback) = 35 "CALLBACK" [4 4 4 4],
    FbfxColorFromTo(FbfxColorFromTo) = 36 "FBFX_COLOR_FROM_TO" [52 52 52 52],
    FbfxCsinwaveFromTo(Box<FbfxCsinwaveFromTo>) = 37 "FBFX_CSINWAVE_FROM_TO" [100 100 100 100],
    ShowMessage(ShowMessage) = 38 "SHOW_MESSAGE" [4 4 4 4],
    AnimVerbose(AnimVerbose) = 39 "ANIM_VERBOSE" [4 4 4 4],
    DetonateWeapon(DetonateWeapon) = 41 "DETONATE_WEAPON" [24 24 24 24],
    PufferState(Box<PufferState>) = 42 "PUFFER_STATE" [580 580 584 584],
    SoundAdjust(Box<SoundAdjust>) = 46 "SOUND_ADJUST" [176 176 176 176],
}

/// Bytes of an event's header.
const HEAD: usize = 12;
/// Bytes of an event of a script list: a whole script event.
const ITEM: usize = 76;
/// Bytes before them: how many there are.
const LIST: usize = 4;

impl Body {
    fn raw(number: u8, bytes: &[u8]) -> Body {
        Body::Raw(RawEvent { r#type: number, body: HexBytes(bytes.to_vec()) })
    }

    /// [`Body::read`] of what has no fixed size, or another one.
    fn read_sized(&mut self, number: u8, bytes: &[u8], game: Game, tables: &Tables, care: &mut Care) -> Extra {
        *self = match number {
            12 if ObjectMotionSiScript::fits(bytes.len(), game) => Body::Script(Box::default()),
            47 if game == Game::Cs && bytes.len() % ITEM == LIST => Body::ScriptList(ScriptList::default()),
            _ => Body::raw(number, bytes),
        };
        match self {
            Body::Script(script) => {
                let (head, frames) = bytes.split_at_checked(ObjectMotionSiScript::size(game)).unwrap_or_default();
                let count = u32::get(head.get(4..8).unwrap_or_default());
                script.inline = Script::is_inline(game).then(|| Script::inline(frames, count, game));
                fields::fill(script, head, game, tables, care)
            }
            Body::ScriptList(list) => {
                let (count, items) = bytes.split_at_checked(LIST).unwrap_or_default();
                // A wrong count frames no list.
                if u32::get(count) as usize == items.len() / ITEM {
                    let items = items.chunks_exact(ITEM).map(|item| fields::read(item, game, tables, care));
                    list.0 = items.map(|(item, extra): (ScriptItem, _)| ScriptItem { extra, ..item }).collect();
                } else {
                    *self = Body::raw(number, bytes);
                }
                Extra::default()
            }
            _ => Extra::default(),
        }
    }

    /// [`Body::write`] of what has no fixed size.
    fn write_sized(&mut self, extra: &Extra, w: &mut Writer, tables: &Tables) -> Result<()> {
        let (game, at) = (w.game, w.len());
        match self {
            Body::Raw(raw) => {
                w.raw(&raw.body.0);
                extra.lay_over(w.bytes.get_mut(at..).unwrap_or_default())
            }
            Body::Script(body) => {
                w.bytes.resize(at + ObjectMotionSiScript::size(game), 0);
                fields::write(body, extra, w.bytes.get_mut(at..).unwrap_or_default(), game, tables)?;
                match (game, &body.inline) {
                    (Game::Rc | Game::Mw, Some(script)) => script.write_inline(w).map_err(|e| e.within("inline")),
                    (Game::Rc | Game::Mw, None) => Err(Error::say("this event needs a `script` or an `inline` one")),
                    (_, Some(_)) => Err(Error::say("scripts of this game stand in the file's table, not in events").within("inline")),
                    (_, None) => Ok(()),
                }
            }
            Body::ScriptList(list) => {
                w.u32(fit(list.0.len(), "the number of scripts")?);
                for (i, item) in list.0.iter_mut().enumerate() {
                    let at = w.len();
                    w.bytes.resize(at + ITEM, 0);
                    let extra = std::mem::take(&mut item.extra);
                    let done = fields::write(item, &extra, w.bytes.get_mut(at..).unwrap_or_default(), game, tables);
                    item.extra = extra;
                    done.map_err(|e| e.within(format!("[{i}]")))?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Layout for ScriptItem {
    /// A whole event: type 12, at once, with its size.
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.put(&12u8);
        f.put(&1u8);
        f.skip(2);
        f.put(&(ITEM as u32));
        f.at(16).index::<i32>(Kind::Node, &mut self.node);
        let mut there = self.script.take().unwrap_or_default();
        f.index::<i32>(Kind::Script, &mut there);
        self.script = Some(there);
    }
}

/// What stands before every body, with the event's number and size.
impl Layout for Beside<'_, Event, (u8, u32)> {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        let Beside(me, (number, size)) = self;
        f.put(number);
        f.plain(&mut me.start);
        f.odd(&mut me.pad, Hex(0));
        f.put(size);
        f.plain(&mut me.time);
    }
}

impl Event {
    /// An event at once.
    pub fn new(body: Body) -> Self {
        Event { start: Start::Animation, time: F32::default(), body, pad: Odd(None), extra: Extra::default() }
    }

    fn read(&mut self, number: u8, header: &[u8], body: &[u8], game: Game, tables: &Tables, care: &mut Care) {
        self.extra = self.body.read(number, body, game, tables, care);
        // A body that is mostly not what its type says is no such body.
        if !self.extra.is_empty() && self.extra.bytes() * 2 > body.len() {
            self.body = Body::raw(number, body);
            self.extra = Extra::default();
        }
        // Its fields say all of a header.
        fields::load(&mut Beside(self, (number, (HEAD + body.len()) as u32)), header, game, &NOTHING);
    }

    fn write(&mut self, w: &mut Writer, tables: &Tables) -> Result<()> {
        let at = w.len();
        w.bytes.resize(at + HEAD, 0);
        let number = self.body.write(&self.extra, w, tables).map_err(|e| e.within(self.body.key()))?;
        let size: u32 = fit(w.len() - at, "the size of the event")?;
        let head = w.bytes.get_mut(at..at + HEAD).unwrap_or_default();
        fields::store(&mut Beside(self, (number, size)), head, w.game, &NOTHING)
    }
}

/// Reads events while they are framed; the second is what is left.
pub fn read_events<'a>(bytes: &'a [u8], game: Game, tables: &Tables, care: &mut Care) -> (Vec<Event>, &'a [u8]) {
    let mut rest = bytes;
    // Counted first: a list that grows is copied.
    let count = std::iter::from_fn(|| frame(rest).map(|(.., tail)| rest = tail)).count();
    let mut events = care.spare.pop().unwrap_or_default();
    events.reserve_exact(count);
    rest = bytes;
    while let Some((number, header, body, tail)) = frame(rest) {
        rest = tail;
        // Any event, filled where it stands: copies of what was only just written are slow.
        events.push(Event::new(Body::Endif(Nothing {})));
        if let Some(event) = events.last_mut() {
            event.read(number, header, body, game, tables, care);
        }
    }
    (events, rest)
}

/// An event's number, header and body, and what follows it.
type Framed<'a> = (u8, &'a [u8], &'a [u8], &'a [u8]);

/// The next event: number, header, body, and what follows. `None` when no event is framed here.
pub fn frame(bytes: &[u8]) -> Option<Framed<'_>> {
    let header = bytes.get(..HEAD)?;
    let size = u32::get(header.get(4..8)?) as usize;
    let (event, tail) = bytes.split_at_checked(size)?;
    Some((*header.first()?, header, event.get(HEAD..)?, tail))
}

/// Writes events.
pub fn write_events(events: &mut [Event], w: &mut Writer, tables: &Tables) -> Result<()> {
    for (i, event) in events.iter_mut().enumerate() {
        event.write(w, tables).map_err(|e| e.within(format!("[{i}]")).within("events"))?;
    }
    Ok(())
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let at = self.start != Start::Animation || self.time != F32::default();
        let n = 1 + usize::from(at) + usize::from(!self.pad.is_none()) + usize::from(!self.extra.is_empty());
        let mut out = s.serialize_struct("Event", n)?;
        if at {
            out.serialize_field("at", &(self.start, self.time))?;
        }
        self.body.serialize(&mut out)?;
        if !self.pad.is_none() {
            out.serialize_field("pad", &self.pad)?;
        }
        if !self.extra.is_empty() {
            out.serialize_field("extra", &self.extra)?;
        }
        out.end()
    }
}

/// The index of a key in [`KEYS`].
struct Key(usize);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = Key;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an event's key")
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Key, E> {
                KEYS.iter().position(|k| *k == v).map(Key).ok_or_else(|| E::unknown_field(v, KEYS))
            }
        }
        d.deserialize_identifier(V)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Event;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an event: one key such as SOUND, and `at` where it is not at once")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event, A::Error> {
                let (mut at, mut pad, mut extra, mut body) = (None, None, None, None::<Body>);
                while let Some(Key(key)) = map.next_key()? {
                    let again = match key {
                        0 => at.replace(map.next_value::<(Start, F32)>()?).is_some(),
                        1 => pad.replace(map.next_value::<Odd<Hex<u16>>>()?).is_some(),
                        2 => extra.replace(map.next_value::<Extra>()?).is_some(),
                        _ => match body {
                            None => {
                                body = Some(Body::deserialize(key, &mut map)?);
                                false
                            }
                            Some(first) => {
                                let second = KEYS.get(key).copied().unwrap_or_default();
                                return Err(de::Error::custom(format!("one event is both {} and {second}", first.key())));
                            }
                        },
                    };
                    if again {
                        return Err(de::Error::custom(format!("duplicate field `{}`", KEYS.get(key).copied().unwrap_or_default())));
                    }
                }
                let body = body.ok_or_else(|| de::Error::custom("an event without a key such as SOUND"))?;
                let (start, time) = at.unwrap_or((Start::Animation, F32::default()));
                Ok(Event { start, time, body, pad: pad.unwrap_or_default(), extra: extra.unwrap_or_default() })
            }
        }
        d.deserialize_struct("Event", KEYS, V)
    }
}

impl JsonSchema for Event {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Event".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Body::properties(generator);
        properties.insert("at".into(), generator.subschema_for::<(Start, F32)>().into());
        properties.insert("pad".into(), generator.subschema_for::<Hex<u16>>().into());
        properties.insert("extra".into(), generator.subschema_for::<Extra>().into());
        json_schema!({
            "description": "When (`at`: clock and seconds; at once when absent) and what: one key.",
            "type": "object", "additionalProperties": false, "properties": properties, "minProperties": 1, "maxProperties": 4
        })
    }
}

crate::open_enum! {
    /// When a sequence runs.
    pub enum SequenceState: u8 { Initial = 0 "INITIAL", Running = 1 "RUNNING", Done = 2 "DONE", OnCall = 3 "ON_CALL" }
}

// The macro above owns the derives.
#[allow(clippy::derivable_impls)]
impl Default for SequenceState {
    fn default() -> Self {
        SequenceState::Initial
    }
}

body! {
    /// A list of events that run one after the other, beside the other sequences.
    pub struct Sequence {
        name: Text<32>,
        activation: SequenceState,
        /// The state that it returns to, where it is another.
        reset_activation~ SequenceState,
        events: Vec<Event>,
        /// Bytes behind the last event that is framed.
        tail? HexBytes,
        /// The file's size of the events, where it is none: the engine reads nothing then.
        size~ i32,
        /// Stale address of the events; `0xffffffff` when absent.
        pointer~ Hex<u32>,
        /// What the typed form cannot say of the sequence's record.
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        extra: Extra,
    }
}

/// Bytes of a sequence's record.
pub const RECORD: usize = 64;

/// The record, with the size of the events.
impl Layout for Beside<'_, Sequence, i32> {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        let Beside(me, size) = self;
        f.plain(&mut me.name);
        f.plain(&mut me.activation);
        f.odd(&mut me.reset_activation, me.activation);
        f.at(56).odd(&mut me.pointer, Hex(if *size == 0 { 0 } else { !0 }));
        f.odd(&mut me.size, *size);
    }
}

impl Sequence {
    /// Bytes of events that follow a record.
    pub fn events_size(record: &[u8]) -> usize {
        record.get(60..64).map(i32::get).and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
    }

    /// Reads a record and the events behind it into an empty one.
    pub fn read(&mut self, r: &mut Reader<'_>, tables: &Tables, care: &mut Care) -> Result<()> {
        let record = r.take(RECORD)?;
        let bytes = r.take(Self::events_size(record)).map_err(|e| e.within("events"))?;
        let (events, tail) = read_events(bytes, r.game, tables, care);
        self.events = events;
        self.tail = (!tail.is_empty()).then(|| HexBytes(tail.to_vec()));
        let size = i32::try_from(bytes.len()).unwrap_or(0);
        self.extra = fields::fill(&mut Beside(self, size), record, r.game, tables, care);
        Ok(())
    }

    /// Writes what [`Sequence::read`] reads; gives the record's place.
    pub fn write(&mut self, w: &mut Writer, tables: &Tables) -> Result<()> {
        let at = w.len();
        w.bytes.resize(at + RECORD, 0);
        write_events(&mut self.events, w, tables)?;
        w.raw(self.tail.as_ref().map_or(&[], |t| &t.0));
        let size = fit(w.len() - at - RECORD, "the size of the events")?;
        let (game, extra) = (w.game, std::mem::take(&mut self.extra));
        let record = w.bytes.get_mut(at..at + RECORD).unwrap_or_default();
        let done = fields::write(&mut Beside(self, size), &extra, record, game, tables);
        self.extra = extra;
        done
    }

    /// True when some event calls the game's code.
    pub fn has_callback(&self) -> bool {
        self.events.iter().any(|e| e.body.number() == 35)
    }
}
