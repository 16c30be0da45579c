//! Sequences and the layout of their events (FORMAT.md, "Sequences" and "Events").

use super::{events::*, fields, names::Tables, scripts::Script};
use refit_base::{
    game::Game,
    record,
    wire::{
        Derived, Describe, Error, Extra, F32, Hex, HexBytes, Notation, Plain, Reader, Record,
        Result, Role, Text, Trace, Writer, fit,
    },
};
use schemars::JsonSchema;
#[cfg(feature = "schemas")]
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, Visitor},
    ser::SerializeStruct,
};
use std::{cell::Cell, fmt, ops::Range};

refit_base::open_enum! {
    /// The clock that an event's time is compared with.
    pub enum Start: u8 { Animation = 1 "ANIMATION", Sequence = 2 "SEQUENCE", Event = 3 "EVENT" }
}

/// An event: its start, its body, and the bytes that the typed form does not cover.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// The clock that `time` counts on.
    pub start: Start,
    /// Seconds on the clock.
    pub time: F32,
    /// What happens.
    pub body: Body,
    /// Two header bytes, usually zero.
    pub pad: Derived<Hex<u16>>,
    /// Bytes of the body that no field covers, by offset.
    pub extra: Extra,
}

/// An event kept as bytes: its type is unknown, or its size is not that of its type.
#[derive(Clone, PartialEq, Debug, Default, refit_base::Object, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawEvent {
    /// The event's number.
    pub r#type: u8,
    /// Everything after the header.
    pub body: HexBytes,
}

/// Several scripts at once (CS).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ScriptList(pub Vec<ScriptItem>);

macro_rules! events {
    ($($variant:ident($t:ty) = $number:literal $key:literal $about:literal,)*
        ; $($sized:ident($s:ty) = $sized_number:literal $sized_key:literal $sized_about:literal,)*) => {
        /// The body of an event. The keys are those of the reader files.
        #[derive(Clone, PartialEq, Debug)]
        pub enum Body {
            $(#[doc = $about] $variant($t),)*
            $(#[doc = $sized_about] $sized($s),)*
            /// An event of an unknown type, or of another size than its type has.
            Raw(RawEvent),
        }
        const KEYS: &[&str] = &["at", "pad", "extra", "RAW", $($sized_key,)* $($key),*];
        impl Body {
            /// The default body for a key; `None` for a key that no event has.
            pub fn of_key(key: &[u8]) -> Option<Body> {
                match key {
                    $(key if key == $key.as_bytes() => Some(Body::$variant(Default::default())),)*
                    b"OBJECT_MOTION_SI_SCRIPT" => Some(Body::Script(Box::default())),
                    _ => None,
                }
            }
            /// The event's key.
            pub fn key(&self) -> &'static str {
                match self {
                    $(Body::$variant(_) => $key,)*
                    $(Body::$sized(_) => $sized_key,)*
                    Body::Raw(_) => "RAW",
                }
            }
            /// The event's number.
            pub fn number(&self) -> u8 {
                match self {
                    $(Body::$variant(_) => $number,)*
                    $(Body::$sized(_) => $sized_number,)*
                    Body::Raw(raw) => raw.r#type,
                }
            }
            /// Reads the typed form of these bytes, and the bytes that it does not cover.
            fn read(number: u8, bytes: &[u8], game: Game, tables: &Tables, care: Care) -> (Body, Extra) {
                match number {
                    $($number if <$t as Record<Tables>>::size(game) == Some(bytes.len()) => {
                        let body: $t = Record::load(bytes, game, tables);
                        let extra = care.extra(&body, bytes, game, tables);
                        (Body::$variant(body), extra)
                    })*
                    _ => Body::read_sized(number, bytes, game, tables, care),
                }
            }
            /// Reports the fields of a body, which begins at `at` in the file.
            fn describe(&self, bytes: &[u8], at: u64, tracer: &EventTracer<'_>) {
                match self {
                    $(Body::$variant(body) => body.describe(bytes, at, tracer.game, tracer.tables, tracer.trace),)*
                    _ => self.describe_sized(bytes, at, tracer),
                }
            }
            /// Writes the body.
            fn write(&self, extra: &Extra, w: &mut Writer, tables: &Tables) -> Result<()> {
                match self {
                    $(Body::$variant(body) => fields::append(body, extra, w, tables),)*
                    _ => self.write_sized(extra, w, tables),
                }
            }
            fn serialize<S: SerializeStruct>(&self, out: &mut S) -> Result<(), S::Error> {
                match self {
                    $(Body::$variant(body) => out.serialize_field($key, body),)*
                    $(Body::$sized(body) => out.serialize_field($sized_key, body),)*
                    Body::Raw(body) => out.serialize_field("RAW", body),
                }
            }
            fn deserialize<'de, A: MapAccess<'de>>(key: &str, map: &mut A) -> Result<Body, A::Error> {
                match key {
                    $($key => Ok(Body::$variant(map.next_value()?)),)*
                    $($sized_key => Ok(Body::$sized(map.next_value()?)),)*
                    _ => Ok(Body::Raw(map.next_value()?)),
                }
            }
            #[cfg(feature = "schemas")]
            fn properties(generator: &mut SchemaGenerator) -> serde_json::Map<String, serde_json::Value> {
                let mut out = serde_json::Map::new();
                $(out.insert($key.into(), with_words(generator.subschema_for::<$t>(), $about).into());)*
                $(out.insert($sized_key.into(), with_words(generator.subschema_for::<$s>(), $sized_about).into());)*
                let raw = "An event of an unknown type, or of another size than its type has.";
                out.insert("RAW".into(), with_words(generator.subschema_for::<RawEvent>(), raw).into());
                out
            }
        }
        /// The key of an event's number.
        pub fn key_of(number: u8) -> Option<&'static str> {
            match number {
                $($number => Some($key),)*
                $($sized_number => Some($sized_key),)*
                _ => None,
            }
        }
        /// Number, key and body size in each game of every event of a fixed size.
        pub const EVENTS: &[(u8, &str, fn(Game) -> Option<usize>)] = &[$(($number, $key,
            <$t as Record<Tables>>::size)),*];
    };
}

events! {
    Sound(Sound) = 1 "SOUND" "Plays a sound once.",
    SoundNode(Box<SoundNode>) = 2 "SOUND_NODE" "Turns a persistent sound on or off, and positions it.",
    Effect(Effect) = 3 "EFFECT" "Shows an effect (Recoil).",
    LightState(Box<LightState>) = 4 "LIGHT_STATE" "Sets properties of a light.",
    LightAnimation(Box<LightAnimation>) = 5 "LIGHT_ANIMATION" "Changes a light's range and colour at constant rates.",
    ObjectActiveState(ObjectActiveState) = 6 "OBJECT_ACTIVE_STATE" "Shows or hides a node.",
    ObjectTranslateState(Box<ObjectTranslateState>) = 7 "OBJECT_TRANSLATE_STATE" "Moves a node at once.",
    ObjectScaleState(ObjectScaleState) = 8 "OBJECT_SCALE_STATE" "Scales a node at once.",
    ObjectRotateState(Box<ObjectRotateState>) = 9 "OBJECT_ROTATE_STATE" "Rotates a node at once.",
    ObjectMotion(Box<ObjectMotion>) = 10 "OBJECT_MOTION" "Makes a node fly, rotate, grow, morph and bounce.",
    ObjectMotionFromTo(Box<ObjectMotionFromTo>) = 11 "OBJECT_MOTION_FROM_TO" "Moves, rotates, scales or morphs a node \
        from one state to another.",
    ObjectOpacityState(ObjectOpacityState) = 13 "OBJECT_OPACITY_STATE" "Sets a node's opacity.",
    ObjectOpacityFromTo(ObjectOpacityFromTo) = 14 "OBJECT_OPACITY_FROM_TO" "Fades a node from one opacity to another.",
    ObjectAddChild(ParentChild) = 15 "OBJECT_ADD_CHILD" "Attaches a node below another one.",
    ObjectDeleteChild(ParentChild) = 16 "OBJECT_DELETE_CHILD" "Detaches a node from another one.",
    ObjectCycleTexture(ObjectCycleTexture) = 17 "OBJECT_CYCLE_TEXTURE" "Starts the animated texture of a node at a \
        frame.",
    ObjectConnector(Box<ObjectConnector>) = 18 "OBJECT_CONNECTOR" "Stretches an object between two points.",
    CallObjectConnector(Box<CallObjectConnector>) = 19 "CALL_OBJECT_CONNECTOR" "Calls an animation that stretches an \
        object between two points.",
    CameraState(CameraState) = 20 "CAMERA_STATE" "Sets properties of a camera.",
    CameraFromTo(Box<CameraFromTo>) = 21 "CAMERA_FROM_TO" "Changes properties of a camera over a time.",
    CallSequence(CallSequence) = 22 "CALL_SEQUENCE" "Starts a sequence of this definition.",
    StopSequence(CallSequence) = 23 "STOP_SEQUENCE" "Stops a sequence of this definition.",
    CallAnimation(Box<CallAnimation>) = 24 "CALL_ANIMATION" "Starts another animation.",
    StopAnimation(StopAnimation) = 25 "STOP_ANIMATION" "Stops another animation.",
    ResetAnimation(OfAnimation) = 26 "RESET_ANIMATION" "Resets another animation.",
    InvalidateAnimation(OfAnimation) = 27 "INVALIDATE_ANIMATION" "Takes another animation out of use.",
    FogState(FogState) = 28 "FOG_STATE" "Sets properties of the fog.",
    Loop(Loop) = 30 "LOOP" "Returns to the beginning of the sequence.",
    If(Condition) = 31 "IF" "Runs the events up to ELSE, ELSEIF or ENDIF only if this holds.",
    Else(Nothing) = 32 "ELSE" "Runs the following events if no condition before it held.",
    Elseif(Condition) = 33 "ELSEIF" "Runs the following events if no condition before it held and this one holds.",
    Endif(Nothing) = 34 "ENDIF" "Ends an IF.",
    Callback(Callback) = 35 "CALLBACK" "Calls the game's code.",
    FbfxColorFromTo(FbfxColorFromTo) = 36 "FBFX_COLOR_FROM_TO" "Colours the whole picture over a time.",
    FbfxCsinwaveFromTo(Box<FbfxCsinwaveFromTo>) = 37 "FBFX_CSINWAVE_FROM_TO" "Sends a wave through the picture.",
    ShowMessage(ShowMessage) = 38 "SHOW_MESSAGE" "Shows a message (Recoil).",
    AnimVerbose(AnimVerbose) = 39 "ANIM_VERBOSE" "Does nothing in the games.",
    DetonateWeapon(DetonateWeapon) = 41 "DETONATE_WEAPON" "Makes a weapon explode.",
    PufferState(Box<PufferState>) = 42 "PUFFER_STATE" "Sets properties of a puffer, a source of smoke or fire.",
    SoundAdjust(Box<SoundAdjust>) = 46 "SOUND_ADJUST" "Changes a sound's volume, frequency and pan over a time (CS).",
    ;
    // Of variable size.
    Script(Box<ObjectMotionSiScript>) = 12 "OBJECT_MOTION_SI_SCRIPT" "Moves a node along the frames of a script.",
    ScriptList(ScriptList) = 47 "OBJECT_MOTION_SI_SCRIPT_LIST" "Several scripts that run at once (CS).",
}

/// Size of an event's header, in bytes.
const HEAD: usize = Head::size(Game::Mw);
/// Size of an item of a script list, in bytes: a whole script event.
const ITEM: usize = ScriptItem::size(Game::Cs);
/// Size of the item count before them, in bytes.
const LIST: usize = u32::SIZE;

impl Body {
    fn raw(number: u8, bytes: &[u8]) -> Body {
        Body::Raw(RawEvent {
            r#type: number,
            body: HexBytes(bytes.to_vec()),
        })
    }

    /// The part of [`Body::read`] for bodies of variable or unexpected size.
    fn read_sized(
        number: u8,
        bytes: &[u8],
        game: Game,
        tables: &Tables,
        care: Care,
    ) -> (Body, Extra) {
        if number == 12 && ObjectMotionSiScript::fits(bytes.len(), game) {
            let (head, frames) = bytes
                .split_at_checked(ObjectMotionSiScript::size(game))
                .unwrap_or_default();
            let count = ObjectMotionSiScript::peek_frames(head, game);
            let mut script: ObjectMotionSiScript = Record::load(head, game, tables);
            script.inline = Script::is_inline(game)
                .then(|| Script::inline(&mut Reader::new(frames, game), count));
            let extra = care.extra(&script, head, game, tables);
            return (Body::Script(Box::new(script)), extra);
        }
        let (count, items) = bytes.split_at_checked(LIST).unwrap_or_default();
        // Only a count that matches the size makes a list; otherwise the body stays bytes.
        let is_list = number == 47 && game == Game::Cs && bytes.len() % ITEM == LIST;
        if is_list && u32::get(count) as usize == items.len() / ITEM {
            let read = |bytes: &[u8]| {
                let mut item = <ScriptItem as Record<Tables>>::load(bytes, game, tables);
                item.extra = care.extra(&item, bytes, game, tables);
                item
            };
            return (
                Body::ScriptList(ScriptList(items.chunks_exact(ITEM).map(read).collect())),
                Extra::default(),
            );
        }
        (Body::raw(number, bytes), Extra::default())
    }

    /// The part of [`Body::describe`] for bodies of variable or unexpected size.
    fn describe_sized(&self, bytes: &[u8], at: u64, tracer: &EventTracer<'_>) {
        let EventTracer {
            game,
            tables,
            trace,
            ..
        } = *tracer;
        match self {
            Body::Script(script) => {
                let (head, frames) = bytes
                    .split_at_checked(ObjectMotionSiScript::size(game))
                    .unwrap_or_default();
                script.describe(head, at, game, tables, trace);
                if Script::is_inline(game) {
                    // In a tree the frames are a separate document. Decode them again to report
                    // their fields.
                    let mut r =
                        Reader::based(frames, at + head.len() as u64, game).traced(Some(trace));
                    let count = ObjectMotionSiScript::peek_frames(head, game);
                    r.note_within(format_args!("{}.json › ", tracer.next_script()), |r| {
                        Script::inline(r, count)
                    });
                }
            }
            Body::ScriptList(list) => {
                trace.note(at, LIST as u64, "count", Notation::Unsigned, Role::Derived);
                let items = bytes.get(LIST..).unwrap_or_default().chunks_exact(ITEM);
                for (i, (item, bytes)) in list.0.iter().zip(items).enumerate() {
                    trace.enter(&format!("[{i}]"));
                    item.describe(bytes, at + (LIST + i * ITEM) as u64, game, tables, trace);
                    trace.leave();
                }
            }
            _ => trace.note(at, bytes.len() as u64, "body", Notation::Bytes, Role::Value),
        }
    }

    /// The part of [`Body::write`] for bodies of variable or unexpected size.
    fn write_sized(&self, extra: &Extra, w: &mut Writer, tables: &Tables) -> Result<()> {
        match self {
            Body::Raw(raw) => {
                let at = w.len();
                w.raw(&raw.body.0);
                extra.lay_over(w.bytes.get_mut(at..).unwrap_or_default())
            }
            Body::Script(body) => {
                fields::append(&**body, extra, w, tables)?;
                match (Script::is_inline(w.game), &body.inline) {
                    (true, Some(script)) => script.write_inline(w).map_err(|e| e.within("inline")),
                    (true, None) => {
                        Err(Error::say("this event needs a `script` or an `inline` one"))
                    }
                    (false, Some(_)) => Err(Error::say(
                        "scripts of this game are in the file's table, not in events",
                    )
                    .within("inline")),
                    (false, None) => Ok(()),
                }
            }
            Body::ScriptList(list) => {
                w.u32(fit(list.0.len(), "the number of scripts")?);
                let write = |(i, item): (usize, &ScriptItem)| {
                    fields::append(item, &item.extra, w, tables)
                        .map_err(|e| e.within(format!("[{i}]")))
                };
                list.0.iter().enumerate().try_for_each(write)
            }
            _ => Ok(()),
        }
    }
}

record! {
    /// The fields before every body.
    pub struct Head [Rc 12, Mw 12, Pm 12, Cs 12] {
        /// The number of what follows.
        mut r#type: u8,
        start: Start,
        pad~: Hex<u16> = |_| Hex(0),
        /// Of the whole event.
        mut size: u32,
        /// Seconds.
        time: F32,
    }
}

impl Event {
    /// An event that starts at once.
    pub fn new(body: Body) -> Self {
        Event {
            start: Start::Animation,
            time: F32::default(),
            body,
            pad: Derived(None),
            extra: Extra::default(),
        }
    }

    fn read(
        number: u8,
        header: &[u8],
        bytes: &[u8],
        game: Game,
        tables: &Tables,
        care: Care,
    ) -> Self {
        let (mut body, mut extra) = Body::read(number, bytes, game, tables, care);
        // If more than half of a body does not match its type, keep it as bytes.
        if !extra.is_empty() && extra.bytes() * 2 > bytes.len() {
            (body, extra) = (Body::raw(number, bytes), Extra::default());
        }
        // The fields cover every byte of the header, so no extra bytes are needed.
        let Head {
            start, pad, time, ..
        } = Head::load(header, game, &());
        Event {
            start,
            time,
            body,
            pad,
            extra,
        }
    }

    /// Reports the fields of a header. The tree spells clock and time as one value.
    fn describe_head(&self, header: &[u8], at: u64, game: Game, trace: &dyn Trace) {
        let field = Describe::new(header, header, at, trace);
        let (shown, odd) = (
            if self.is_at_once() {
                Role::Derived
            } else {
                Role::Value
            },
            field.odd(self.pad.is_none()),
        );
        let note = |place: Range<usize>,
                    name: &str,
                    kind: Notation,
                    role: Role,
                    meaning: Option<String>| {
            field.note(place.start, place.len(), name, kind, role, meaning);
        };
        note(
            Head::place_type(game),
            "type",
            Notation::Unsigned,
            Role::Derived,
            Some(self.body.key().to_owned()),
        );
        note(
            Head::place_start(game),
            "at[0]",
            Notation::Unsigned,
            shown,
            self.start.meaning(),
        );
        note(Head::place_pad(game), "pad", Notation::Word, odd, None);
        note(
            Head::place_size(game),
            "size",
            Notation::Unsigned,
            Role::Derived,
            None,
        );
        note(
            Head::place_time(game),
            "at[1]",
            Notation::Float,
            shown,
            None,
        );
    }

    /// True for the default start, which the tree omits.
    fn is_at_once(&self) -> bool {
        self.start == Start::Animation && self.time == F32::default()
    }

    /// Writes header and body.
    pub fn write(&self, w: &mut Writer, tables: &Tables) -> Result<()> {
        let at = w.len();
        w.bytes.resize(at + HEAD, 0);
        self.body
            .write(&self.extra, w, tables)
            .map_err(|e| e.within(self.body.key()))?;
        let size: u32 = fit(w.len() - at, "the size of the event")?;
        let head = Head {
            r#type: self.body.number(),
            start: self.start,
            pad: self.pad,
            size,
            time: self.time,
        };
        head.store(
            w.bytes.get_mut(at..at + HEAD).unwrap_or_default(),
            w.game,
            &(),
        )
    }
}

/// Whether to look for bytes that the typed form of each part does not cover.
#[derive(Clone, Copy, PartialEq)]
pub enum Care {
    /// Look for them.
    Parts,
    /// Skip the search: the caller compares the whole.
    Whole,
}

impl Care {
    /// The bytes that the typed form does not cover.
    pub fn extra<Cx: ?Sized>(
        self,
        part: &impl Record<Cx>,
        bytes: &[u8],
        game: Game,
        cx: &Cx,
    ) -> Extra {
        if self == Care::Whole {
            return Extra::default();
        }
        let mut image = vec![0; bytes.len()];
        // A field that cannot be written makes no difference here: writing the whole will report
        // it.
        let _ = part.store(&mut image, game, cx);
        Extra::of(&image, bytes)
    }
}

/// Reads events as long as headers are valid. The second value is the remaining bytes.
pub fn read_events<'a>(
    bytes: &'a [u8],
    game: Game,
    tables: &Tables,
    care: Care,
) -> (Vec<Event>, &'a [u8]) {
    let (mut events, mut rest) = (Vec::new(), bytes);
    while let Some((number, header, body, tail)) = frame(rest) {
        events.push(Event::read(number, header, body, game, tables, care));
        rest = tail;
    }
    (events, rest)
}

/// The bytes after the last event, if there are any.
pub(crate) fn rest_of(tail: &[u8]) -> Option<HexBytes> {
    (!tail.is_empty()).then(|| HexBytes(tail.to_vec()))
}

/// The context for reporting the fields of a definition's events.
pub struct EventTracer<'a> {
    /// The game of the file.
    pub game: Game,
    /// The definition's tables.
    pub tables: &'a Tables,
    /// Receives the reports.
    pub trace: &'a dyn Trace,
    /// The definition's document, without its extension.
    pub stem: &'a str,
    /// Number of scripts in the events so far.
    pub scripts: Cell<usize>,
}

impl EventTracer<'_> {
    /// The path of the next script's document, without its extension.
    fn next_script(&self) -> String {
        self.scripts.set(self.scripts.get() + 1);
        script_stem(self.stem, self.scripts.get())
    }

    /// Reports the fields of some events, starting at `at` in the file. `name` is the name of the
    /// list, `tail` that of the bytes left after it.
    pub fn events(&self, events: &[Event], bytes: &[u8], mut at: u64, (name, tail): (&str, &str)) {
        let mut rest = bytes;
        for (i, event) in events.iter().enumerate() {
            let Some((_, header, body, behind)) = frame(rest) else {
                break;
            };
            self.trace.enter(&format!("{name}[{i}]"));
            event.describe_head(header, at, self.game, self.trace);
            self.trace.enter(event.body.key());
            event.body.describe(body, at + header.len() as u64, self);
            self.trace.leave();
            self.trace.leave();
            at += (header.len() + body.len()) as u64;
            rest = behind;
        }
        self.trace
            .note(at, rest.len() as u64, tail, Notation::Bytes, Role::Stale);
    }
}

/// The document of the nth script in a definition's events; both paths are without extensions.
pub fn script_stem(definition: &str, nth: usize) -> String {
    format!(
        "scripts/{}-{nth}",
        definition.strip_prefix("defs/").unwrap_or(definition)
    )
}

/// Number of events that contain a script.
pub fn count_scripts(events: &[Event]) -> usize {
    events
        .iter()
        .filter(|event| matches!(event.body, Body::Script(_)))
        .count()
}

/// An event's number, header and body, and what follows it.
type Framed<'a> = (u8, &'a [u8], &'a [u8], &'a [u8]);

/// Splits off the next event: number, header, body, and the bytes after it. `None` if the bytes are
/// not an event.
pub fn frame(bytes: &[u8]) -> Option<Framed<'_>> {
    // A header is the same in every game.
    let header = bytes.get(..HEAD)?;
    let game = Game::Mw;
    let size = Head::peek_size(header, game) as usize;
    let (event, tail) = bytes.split_at_checked(size)?;
    Some((
        Head::peek_type(header, game),
        header,
        event.get(HEAD..)?,
        tail,
    ))
}

/// Writes a record and the events that follow it, with their size in the record.
pub(crate) fn write_block(
    record: &impl Record<EventsSize>,
    extra: &Extra,
    events: &[Event],
    tail: Option<&HexBytes>,
    w: &mut Writer,
    tables: &Tables,
) -> Result<()> {
    let at = w.len();
    let size = Sequence::size(w.game);
    w.bytes.resize(at + size, 0);
    for (i, event) in events.iter().enumerate() {
        event
            .write(w, tables)
            .map_err(|e| e.within(format!("[{i}]")).within("events"))?;
    }
    w.raw(tail.map_or(&[], |tail| &tail.0));
    let behind = EventsSize(fit(w.len() - at - size, "the size of the events")?);
    let game = w.game;
    fields::put(
        record,
        extra,
        w.bytes.get_mut(at..at + size).unwrap_or_default(),
        game,
        &behind,
    )
}

/// A schema with its own description, because the one of the referenced type does not mention this
/// use.
#[cfg(feature = "schemas")]
fn with_words(mut schema: Schema, words: &str) -> Schema {
    schema.insert("description".to_owned(), words.into());
    schema
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let at = !self.is_at_once();
        let n = 1
            + usize::from(at)
            + usize::from(!self.pad.is_none())
            + usize::from(!self.extra.is_empty());
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

struct KeyIndex(usize);

impl<'de> Deserialize<'de> for KeyIndex {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = KeyIndex;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an event's key")
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<KeyIndex, E> {
                KEYS.iter()
                    .position(|k| *k == v)
                    .map(KeyIndex)
                    .ok_or_else(|| E::unknown_field(v, KEYS))
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
                f.write_str("an event: one key such as SOUND, and `at` unless it starts at once")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event, A::Error> {
                let (mut at, mut pad, mut extra, mut body) = (None, None, None, None::<Body>);
                while let Some(KeyIndex(key)) = map.next_key()? {
                    let name = KEYS.get(key).copied().unwrap_or_default();
                    let again = match (key, &body) {
                        (0, _) => at.replace(map.next_value::<(Start, F32)>()?).is_some(),
                        (1, _) => pad
                            .replace(map.next_value::<Derived<Hex<u16>>>()?)
                            .is_some(),
                        (2, _) => extra.replace(map.next_value::<Extra>()?).is_some(),
                        (_, None) => body.replace(Body::deserialize(name, &mut map)?).is_some(),
                        (_, Some(first)) => {
                            return Err(de::Error::custom(format!(
                                "one event is both {} and {name}",
                                first.key()
                            )));
                        }
                    };
                    if again {
                        return Err(de::Error::custom(format!("duplicate field `{name}`")));
                    }
                }
                let body =
                    body.ok_or_else(|| de::Error::custom("an event without a key such as SOUND"))?;
                let (start, time) = at.unwrap_or((Start::Animation, F32::default()));
                Ok(Event {
                    start,
                    time,
                    body,
                    pad: pad.unwrap_or_default(),
                    extra: extra.unwrap_or_default(),
                })
            }
        }
        d.deserialize_struct("Event", KEYS, V)
    }
}

refit_base::schema_form!(Event: "Event", |generator| {
    let mut properties = Body::properties(generator);
    let mut more = |name: &str, schema: Schema, words| properties.insert(name.to_owned(), with_words(schema,
        words).into());
    let at = "The clock and the time on it in seconds. Starts at once if absent.";
    more("at", generator.subschema_for::<(Start, F32)>(), at);
    more("pad", generator.subschema_for::<Hex<u16>>(), "Two bytes of the event's header, if not zero.");
    more("extra", generator.subschema_for::<Extra>(), "Bytes of the event that no field expresses, by their offset.");
    json_schema!({
        "description": "When (`at`: clock and seconds; at once when absent) and what: one key.",
        "type": "object", "additionalProperties": false, "properties": properties, "minProperties": 1,
        "maxProperties": 4
    })
});

refit_base::open_enum! {
    /// When a sequence runs.
    pub enum SequenceState: u8 { Initial = 0 "INITIAL", Running = 1 "RUNNING", Done = 2 "DONE", OnCall = 3 "ON_CALL" }
}

// Not derived: the macro above writes all derives itself.
#[allow(clippy::derivable_impls)]
impl Default for SequenceState {
    fn default() -> Self {
        SequenceState::Initial
    }
}

record! {
    /// A list of events that run one after the other, in parallel with the other sequences.
    #[derive(Default)]
    pub struct Sequence [Rc 64, Mw 64, Pm 64, Cs 64] with EventsSize {
        /// The name for CALL_SEQUENCE and STOP_SEQUENCE. May be empty, and may repeat.
        name @0: Text<32>,
        /// Whether it starts with the definition, or when it is called.
        activation: SequenceState,
        /// The state that it returns to, if different.
        reset_activation~: SequenceState = |s| s.activation absent "if it follows from the rest",
        _: pad 22,
        /// The events, in the order of time.
        events: Vec<Event> in below,
        /// Bytes after the last complete event.
        tail?: HexBytes in below,
        /// The file's size of the events, if it is not valid: the engine then reads nothing.
        size~ @60: i32 = |s| s.cx.0 absent "if it follows from the rest",
        /// Stale address of the events; `0xffffffff` when absent.
        pointer~ @56: Hex<u32> = |s| s.cx.address() absent "if it follows from the rest",
    } below {
        /// Bytes of the sequence's record that no field expresses.
        extra!: Extra,
    }
}

/// The size of the events that follow a record.
#[derive(Clone, Copy, Debug)]
pub struct EventsSize(pub i32);

impl EventsSize {
    /// The size of events that were read.
    pub fn of(events: &[u8]) -> Self {
        EventsSize(i32::try_from(events.len()).unwrap_or(0))
    }

    /// The default address of the events.
    pub fn address(self) -> Hex<u32> {
        Hex(if self.0 == 0 { 0 } else { !0 })
    }

    /// Takes a record and the events that follow it from the cursor; a negative size means no
    /// events.
    pub(crate) fn take<'a>(r: &mut Reader<'a>) -> Result<(&'a [u8], &'a [u8])> {
        let record = r.take(Sequence::size(r.game))?;
        let size = usize::try_from(Sequence::peek_size(record, r.game)).unwrap_or(0);
        Ok((record, r.take(size).map_err(|e| e.within("events"))?))
    }
}

impl Sequence {
    /// Reads a record and its events.
    pub(crate) fn read(r: &mut Reader<'_>, tables: &Tables, care: Care) -> Result<Self> {
        let (record, bytes) = EventsSize::take(r)?;
        let size = EventsSize::of(bytes);
        let mut sequence: Sequence = Record::load(record, r.game, &size);
        sequence.extra = care.extra(&sequence, record, r.game, &size);
        let (events, tail) = read_events(bytes, r.game, tables, care);
        (sequence.events, sequence.tail) = (events, rest_of(tail));
        Ok(sequence)
    }

    /// Writes what [`Sequence::read`] reads.
    pub(crate) fn write(&self, w: &mut Writer, tables: &Tables) -> Result<()> {
        write_block(
            self,
            &self.extra,
            &self.events,
            self.tail.as_ref(),
            w,
            tables,
        )
    }

    /// Reports the fields of a record and of its events.
    pub(crate) fn describe_all(&self, r: &mut Reader<'_>, tracer: &EventTracer<'_>) -> Result<()> {
        let at = r.offset();
        let (record, bytes) = EventsSize::take(r)?;
        self.describe(record, at, r.game, &EventsSize::of(bytes), tracer.trace);
        tracer.events(
            &self.events,
            bytes,
            at + record.len() as u64,
            ("events", "tail"),
        );
        Ok(())
    }
}
