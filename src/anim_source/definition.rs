//! The keys of a definition, its prerequisites and its sequences, in both directions.

use super::{
    carry_over::{keyless, same_event},
    events::{body, refit, start},
    keys::{Keys, bits_of, choose, put_choice, unknown},
    scope::{Args, REFIT, Scope, located},
    source::{Doc, Item, List},
    values::{root, square},
};
use refit_base::{
    game::Game,
    wire::{
        Derived, Error, ErrorKind, F32, FieldCodec, Hex, Plain, Record, Result, Text, Writer,
        bytes_of_hex, decode_1252,
    },
};
use refit_zipper::anim::{
    definition::{Activation, Definition, always_resets},
    events::{Distance, Squares},
    fields::Bool,
    names::{ListKind, Name, StoredName, Tables},
    prerequisites::{Prerequisite, Reference},
    references::Array,
    sequences::{Body, Care, EVENTS, Event, Sequence, SequenceState, read_events},
};
use std::borrow::Cow;

/// Maximum number of sequences of a definition.
pub const MOST_SEQUENCES: usize = 255;

const ACTIVATIONS: &[(&str, u32)] = &[
    ("WEAPON_HIT", 0),
    ("COLLIDE_HIT", 1),
    ("WEAPON_OR_COLLIDE_HIT", 2),
    ("ON_CALL", 3),
    ("ON_STARTUP", 4),
];
const ON_OFF: &[(&str, u32)] = &[("ON", 1), ("OFF", 0)];

/// The names of a definition, which are enough to find the entry that it was compiled to before.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Called {
    /// The name that calls use.
    pub animation: Vec<u8>,
    /// The node that it is bound to.
    pub name: Vec<u8>,
    /// The node that it is attached to.
    pub root: Vec<u8>,
}

impl Called {
    /// The names in a compiled definition.
    pub fn of(bytes: &[u8], game: Game) -> Self {
        Called {
            animation: Definition::peek_animation_name(bytes, game)
                .bytes()
                .to_vec(),
            name: Definition::peek_name(bytes, game).bytes().to_vec(),
            root: Definition::peek_animation_root_name(bytes, game)
                .bytes()
                .to_vec(),
        }
    }
}

/// The names of a definition that is bound to `bound`, which also replaces missing names.
pub fn called(scope: &mut Scope<'_>, source: List<'_>, bound: &[u8]) -> Result<Called> {
    let mut name = |key: &'static str| {
        let read = |list| {
            let args = Args::new(list, scope.game);
            args.need(0)
                .and_then(|name| scope.name(&name).map(Cow::into_owned))
                .map_err(|e| e.within(key))
        };
        source.find(key.as_bytes()).map(read).transpose()
    };
    let (mut animation, root) = (name("ANIMATION_NAME")?, name("ANIMATION_ROOT_NAME")?);
    let name = bound.to_vec();
    // Of paths to several nodes, the first names the animation (CS).
    if animation.is_none()
        && let Some(Some(list)) = source.find(b"NAME1")
        && let Some((first, _)) = list.keys().next()
    {
        animation = scope
            .name(first.strip_suffix(b"#").unwrap_or(first))
            .ok()
            .map(Cow::into_owned);
    }
    Ok(Called {
        animation: animation.unwrap_or_else(|| name.clone()),
        root: root.unwrap_or_else(|| name.clone()),
        name,
    })
}

/// Pairs of words and values, as in `REFIT ( flags "0x10" )`. The games never read these lists, so
/// anything else is an error.
fn pairs<'i>(list: Option<List<'i>>) -> Result<Vec<(&'i [u8], Item<'i>)>> {
    let mut out = Vec::new();
    let mut items = list.into_iter().flat_map(List::items);
    while let Some(word) = items.next() {
        let error = match (word, items.next()) {
            (Item::Text(word), Some(item)) => {
                out.push((word, item));
                continue;
            }
            (Item::Text(word), None) => {
                Error::say(format!("{:?} without a value", decode_1252(word)))
            }
            _ => Error::say("expected one of refit's words, found a list or a number")
                .hint("REFIT contains words and their values: REFIT ( event \"hexadecimal\" )"),
        };
        return Err(located(error.within("REFIT"), list));
    }
    Ok(out)
}

fn hex_bytes(item: Item<'_>) -> Result<Vec<u8>> {
    match item {
        Item::Text(text) => bytes_of_hex(&decode_1252(text)),
        // Long byte strings are split into several texts.
        Item::List(list) => {
            let mut out = Vec::new();
            for item in list.items() {
                let Item::Text(text) = item else {
                    return Err(Error::say("expected bytes as hexadecimal texts"));
                };
                out.extend(bytes_of_hex(&decode_1252(text))?);
            }
            Ok(out)
        }
        _ => Err(Error::say("expected bytes as hexadecimal text")),
    }
}

fn hex_number(item: Item<'_>) -> Result<u32> {
    let n = match item {
        Item::Text(text) => {
            refit_base::wire::hex_word(&decode_1252(text)).and_then(|n| u32::try_from(n).ok())
        }
        Item::Int(n) => u32::try_from(n).ok(),
        _ => None,
    };
    n.ok_or_else(|| Error::say("expected a word such as \"0x10\""))
}

/// The bytes of a definition that its source stores as bytes.
pub fn held(source: List<'_>) -> Option<Result<Vec<u8>>> {
    match refit(Some(source)).and_then(pairs) {
        Err(e) => Some(Err(e)),
        Ok(all) => {
            let (_, item) = all.into_iter().find(|(key, _)| *key == b"definition")?;
            Some(hex_bytes(item).map_err(|e| e.within("definition").within("REFIT")))
        }
    }
}

/// The result of compiling a definition's source.
pub struct Compiled {
    pub doc: Definition,
    /// Bits in which the flags differ from the keys, if the source sets them.
    pub flags: Option<u32>,
    /// Keys whose bits in the file are unknown.
    pub bitless: Vec<&'static str>,
}

/// Keys of a definition that are read separately.
const ELSEWHERE: &[&str] = &[
    "NAME",
    "NAME1",
    "ANIMATION_NAME",
    "ANIMATION_ROOT_NAME",
    "REFIT",
    "RESET_STATE",
    "DAMAGE_SEQUENCE",
    "SEQUENCE_DEFINITION",
];
/// The bits of these keys in a compiled file are unknown (CS), so an older entry keeps its own.
const BITLESS: &[&str] = &[
    "EXECUTION_BY_RENDER",
    "EXECUTION",
    "AUTO_ADD_TO_WORLD",
    "COPY_NODE_DATA",
];

/// Compiles a definition. `scope` has the digits of a pattern, and may already have tables.
pub fn compile(scope: &mut Scope<'_>, source: List<'_>, called: &Called) -> Result<Compiled> {
    let mut d = Definition {
        name: Text::new(&called.name)?,
        animation_name: Text::new(&called.animation)?,
        animation_root_name: Text::new(&called.root)?,
        activation: Activation::WeaponHit,
        ..Definition::default()
    };
    let mut flags = None;
    let words = refit(Some(source))?;
    for (key, item) in pairs(words)? {
        read_own(scope, key, item, &mut d, &mut flags).map_err(|e| {
            located(
                e.within(decode_1252(key).into_owned()).within("REFIT"),
                words,
            )
        })?;
    }
    scope.strays(source, "a definition");
    let explicit = scope.explicit;
    let mut k = Keys::read(scope, Some(source));
    head(&mut k, &mut d)?;
    for known in ELSEWHERE.iter().chain(["PERSIST_LOG"].iter()) {
        let _ = k.arg(known);
    }
    let bitless: Vec<&'static str> = BITLESS
        .iter()
        .copied()
        .filter(|key| k.arg(key).is_some())
        .collect();
    let strange: Vec<_> = k.unknown().collect();
    if !strange.is_empty() {
        let asked = Keys::asked(scope, |k| _ = head(k, &mut Definition::default()));
        let known = || {
            asked
                .iter()
                .map(String::as_str)
                .chain(ELSEWHERE.iter().copied())
        };
        for (key, list) in strange {
            scope.say(
                super::UNKNOWN,
                list.or(Some(source)),
                unknown(key, "is not a key of a definition: ignored", known()),
            );
        }
    }
    if let Some(list) = source.find(b"RESET_STATE") {
        let events = list
            .map_or(Ok(Vec::new()), |list| events_of(scope, list, None))
            .map_err(|e| located(e.within("RESET_STATE"), list))?;
        d.reset_state =
            Some(events).filter(|events| !always_resets(scope.game) || !events.is_empty());
    }
    if let Some(list) = source.find(b"DAMAGE_SEQUENCE") {
        let mut sequence = Sequence {
            name: Text::new(b"DAMAGE_SEQUENCE")?,
            ..Sequence::default()
        };
        if let Some(list) = list {
            let named = sequence.name;
            let events = events_of(scope, list, Some(&mut sequence));
            sequence.events =
                events.map_err(|e| located(e.within("DAMAGE_SEQUENCE"), Some(list)))?;
            sequence.name = named;
        }
        if scope.game == Game::Cs {
            d.damage_sequence = Some(sequence);
        } else {
            scope.say(
                super::UNKNOWN,
                list,
                "DAMAGE_SEQUENCE: only Crimson Skies has one; ignored",
            );
        }
    }
    for (_, list) in source
        .keys()
        .filter(|(key, _)| *key == b"SEQUENCE_DEFINITION")
    {
        if d.sequences.len() >= MOST_SEQUENCES {
            return Err(Error::say(format!("more than {MOST_SEQUENCES} sequences"))
                .hint("a definition has room for no more")
                .of_kind(ErrorKind::Limit));
        }
        let mut sequence = Sequence::default();
        if let Some(list) = list {
            let at = d.sequences.len();
            let events = events_of(scope, list, Some(&mut sequence));
            let step = || format!("SEQUENCE_DEFINITION[{at}] {:?}", sequence.name.text());
            sequence.events = events.map_err(|e| located(e.within(step()), Some(list)))?;
        }
        d.sequences.push(sequence);
    }
    scope.explicit = explicit;
    Ok(Compiled {
        doc: d,
        flags,
        bitless,
    })
}

/// Reads one of refit's own words of a definition.
fn read_own(
    scope: &mut Scope<'_>,
    key: &[u8],
    item: Item<'_>,
    d: &mut Definition,
    flags: &mut Option<u32>,
) -> Result<()> {
    match (key, item) {
        (b"flags", item) => *flags = Some(hex_number(item)?),
        // It replaces all keys and was read before.
        (b"definition", _) => {}
        (b"reset_time_off", item) => d.reset_time_off = Derived(Some(bits_of(item)?)),
        (b"range", Item::List(list)) => {
            let mut bits = list.items().map(bits_of);
            let mut next = || {
                bits.next()
                    .unwrap_or_else(|| Err(Error::say("two floats by their bits")))
            };
            d.execution_by_range = Some(stored_range(scope.game, [next()?, next()?]));
        }
        (b"tables", Item::List(list)) => {
            for (name, names) in list.keys() {
                let array = Array::all(scope.game).find(|array| array.key().as_bytes() == name);
                let array = array.ok_or_else(|| {
                    Error::say(format!("there is no table {:?}", decode_1252(name)))
                })?;
                scope.lists.add(array, None);
                for name in names.into_iter().flat_map(List::items) {
                    let Item::Text(name) = name else {
                        return Err(Error::say("a table is a list of names"));
                    };
                    scope.lists.add(array, Some(Name::from(name)));
                }
            }
        }
        (b"unsaved", Item::List(list)) => {
            for item in list.items() {
                let Item::Text(name) = item else {
                    return Err(Error::say("expected a list of names"));
                };
                scope.unsaved.insert(name.to_vec());
            }
        }
        (b"prerequisites", item) => {
            let bytes = hex_bytes(item)?;
            let (n, size) = (bytes.len(), Prerequisite::size(scope.game));
            if n % size != 0 || n / size > 255 {
                let what =
                    format!("{n} bytes (a prerequisite has {size}, and there are at most 255)");
                return Err(Error::say(what));
            }
            for bytes in bytes.chunks_exact(size) {
                let mut it = <Prerequisite as Record>::load(bytes, scope.game, &());
                it.extra = Care::Parts.extra(&it, bytes, scope.game, &());
                d.prerequisites.push(it);
            }
        }
        (b"references", Item::List(list)) => {
            for item in list.items() {
                let Item::List(names) = item else {
                    return Err(Error::say("a reference is a list of one or two names"));
                };
                let mut names = names.items().map(|item| {
                    if let Item::Text(name) = item {
                        Some(StoredName::new(name))
                    } else {
                        None
                    }
                });
                let name = names
                    .next()
                    .flatten()
                    .ok_or_else(|| Error::say("a reference without a name"))?;
                let local_name = names.next().flatten();
                scope.lists.refer(Reference {
                    name,
                    local_name,
                    ..Reference::default()
                })?;
            }
        }
        _ => return Err(Error::say("refit has no such word for a definition")),
    }
    Ok(())
}

/// Converts a stored range to the typed form, which depends on the game.
fn stored_range(game: Game, stored: [F32; 2]) -> [Distance; 2] {
    let mut bytes = [0; 8];
    stored.put(&mut bytes);
    Squares::load(&bytes, game, &(), &())
}

/// The stored form of a range.
fn range_of(game: Game, range: &[Distance; 2]) -> Result<[F32; 2]> {
    let mut bytes = [0; 8];
    Squares::store(range, &mut bytes, game, &(), &())?;
    Ok(Plain::get(&bytes))
}

/// True if a key can express a stored range: both ends are squares.
fn is_square(range: &[F32; 2]) -> bool {
    range.map(|end| square(root(end))) == *range
}

/// A number of one byte; `what` is its name in an error.
fn byte(args: &Args<'_>, what: &str) -> Result<u8> {
    let n = args.integer(0)?;
    u8::try_from(n).map_err(|_| Error::say(format!("a {what} of {n} (expected 0 to 255)")))
}

/// `ON` or `OFF`; without a value it is on.
fn is_on(args: &Args<'_>) -> Result<bool> {
    Ok(args.len() == 0 || choose(args, 0, ON_OFF)? != 0)
}

/// The keys of a definition itself, in the order in which they are written.
fn head(k: &mut Keys<'_, '_, '_>, d: &mut Definition) -> Result<()> {
    let game = k.scope.game;
    let rc = game.itself() == Game::Rc;
    let mut activation = Some(u32::from(d.activation.raw()));
    k.choice("ACTIVATION", ACTIVATIONS, &mut activation)?;
    d.activation = Activation::from_raw(
        activation
            .and_then(|n| u8::try_from(n).ok())
            .unwrap_or_default(),
    );
    range(k, d)?;
    switch(k, "EXECUTION_BY_ZONE", &mut d.execution_by_zone, |_| ());
    let priority = &mut d.execution_priority;
    k.option(
        "EXECUTION_PRIORITY",
        priority,
        |args, _| byte(args, "priority"),
        |doc, n| doc.int((*n).into()),
    )?;
    d.execution_priority = d.execution_priority.filter(|n| *n != 4);
    reset_time(k, d)?;
    k.float("HEALTH", &mut d.health)?;
    d.health = d.health.filter(|health| health.bits() != 0);
    for (key, log) in [
        ("SAVE_LOG", &mut d.save_log),
        ("NETWORK_LOG", &mut d.network_log),
    ] {
        // Recoil logs by default, and its tool wrote nothing for that.
        let is_explicit = |on: &bool| !rc || !on;
        let mut value = log.filter(is_explicit);
        k.option(
            key,
            &mut value,
            |args, _| is_on(args),
            |doc, on| put_choice(doc, ON_OFF, (*on).into()),
        )?;
        *log = value.filter(is_explicit);
    }
    if rc {
        // Recoil's tool did not know the following keys, and its files have none of their bits.
        return if k.reads() {
            prerequisites(k, d)
        } else {
            Ok(())
        };
    }
    on_off(k, "AUTO_RESET_NODE_STATES", &mut d.auto_reset_node_states)?;
    if game != Game::Mw {
        on_off(k, "LOCAL_NODES_ONLY", &mut d.local_nodes_only)?;
    }
    switch(k, "PROXIMITY_DAMAGE", &mut d.proximity_damage, |doc| {
        doc.int(0)
    });
    if k.reads() {
        prerequisites(k, d)
    } else {
        Ok(())
    }
}

/// A key that switches something on, whatever its list contains. `write` fills the list.
fn switch(k: &mut Keys<'_, '_, '_>, key: &str, on: &mut bool, write: impl FnOnce(&mut Doc)) {
    *on |= k.arg(key).is_some();
    if *on {
        k.put(key, write);
    }
}

/// A switch with `ON` or `OFF`.
fn on_off(k: &mut Keys<'_, '_, '_>, key: &str, on: &mut bool) -> Result<()> {
    let mut value = on.then_some(true);
    k.option(
        key,
        &mut value,
        |args, _| is_on(args),
        |doc, _| doc.text(b"ON"),
    )?;
    *on = value.unwrap_or(false);
    Ok(())
}

fn range(k: &mut Keys<'_, '_, '_>, d: &mut Definition) -> Result<()> {
    let game = k.scope.game;
    let stored = d
        .execution_by_range
        .filter(|_| !k.reads())
        .map(|range| range_of(game, &range))
        .transpose()?;
    let mut value = stored.filter(is_square);
    let read = |args: &Args<'_>, _: &mut Scope<'_>| {
        let near = if args.len() > 1 {
            args.number(0)?
        } else {
            F32::default()
        };
        Ok([
            square(near),
            square(args.number(usize::from(args.len() > 1))?),
        ])
    };
    k.option(
        "EXECUTION_BY_RANGE",
        &mut value,
        read,
        |doc, [near, far]| {
            if near.bits() != 0 {
                doc.float(root(*near));
            }
            doc.float(root(*far));
        },
    )?;
    if let Some(range) = value {
        d.execution_by_range = Some(stored_range(game, range));
    }
    Ok(())
}

/// With one value the reset time is on; with two the first is stored but the reset is off.
fn reset_time(k: &mut Keys<'_, '_, '_>, d: &mut Definition) -> Result<()> {
    let off = F32::from(-1.0);
    let mut time = (
        if k.reads() {
            Some(F32::default())
        } else {
            d.reset_time
        },
        d.reset_time_off,
    );
    let read = |args: &Args<'_>, _: &mut Scope<'_>| {
        let first = args.number(0)?;
        Ok(if args.len() > 1 {
            (None, Derived((first != off).then_some(first)))
        } else {
            (Some(first), Derived(None))
        })
    };
    k.value("RESET_TIME", &mut time, read, |doc, (time, stored)| {
        doc.float(time.unwrap_or(stored.or(off)));
        if time.is_none() {
            doc.float(off);
        }
    })?;
    (d.reset_time, d.reset_time_off) = time;
    if d.reset_time.is_some() {
        d.reset_time_off = Derived(None);
    }
    Ok(())
}

fn prerequisites(k: &mut Keys<'_, '_, '_>, d: &mut Definition) -> Result<()> {
    let Some(list) = k.arg("ACTIVATION_PREREQUISITE").and_then(|args| args.list) else {
        return Ok(());
    };
    let groups: Vec<(&[u8], Option<List<'_>>)> = list
        .keys()
        .filter(|(key, _)| matches!(*key, b"REQUIRED" | b"OPTIONS"))
        .collect();
    let within = |e: Error| e.within("ACTIVATION_PREREQUISITE");
    if groups.is_empty() {
        return group(k.scope, list, false, d).map_err(within);
    }
    for (word, optional) in [(&b"REQUIRED"[..], false), (b"OPTIONS", true)] {
        for (_, list) in groups.iter().filter(|(key, _)| *key == word) {
            list.iter()
                .try_for_each(|list| group(k.scope, *list, optional, d))
                .map_err(within)?;
        }
    }
    Ok(())
}

fn group(scope: &mut Scope<'_>, list: List<'_>, optional: bool, d: &mut Definition) -> Result<()> {
    let game = scope.game;
    let optional = optional.then_some(Bool(1));
    let mut put = |prerequisite: Prerequisite| {
        d.prerequisites.push(prerequisite);
        if d.prerequisites.len() > 255 {
            Err(Error::say("more than 255 prerequisites").of_kind(ErrorKind::Limit))
        } else {
            Ok(())
        }
    };
    for (key, list) in list.keys() {
        let args = Args::new(list, Game::Rc);
        match key {
            b"MINIMUM_TO_SATISFY" => {
                d.minimum_to_satisfy = Some(byte(&args, "minimum")?).filter(|n| *n != 0);
            }
            b"ANIMATION_LIST" => {
                for i in 0..args.len() {
                    let animation = Some(scope.text(&args.need(i)?)?);
                    put(Prerequisite {
                        animation,
                        optional,
                        ..Prerequisite::default()
                    })?;
                }
            }
            b"OBJECT_ACTIVE_LIST" | b"OBJECT_INACTIVE_LIST" => {
                let active = (key == b"OBJECT_ACTIVE_LIST").then_some(true);
                for item in list.into_iter().flat_map(List::items) {
                    let steps: Vec<&[u8]> = match item {
                        Item::List(path) => path.items().filter_map(step).collect(),
                        other => step(other).into_iter().collect(),
                    };
                    let (local, steps) = match steps.split_first() {
                        Some((&b"LOCAL", rest)) if matches!(game, Game::Pm | Game::Cs) => {
                            (Some(true), rest)
                        }
                        Some((&b"GLOBAL", rest)) if game == Game::Cs => (None, rest),
                        _ => (None, steps.as_slice()),
                    };
                    let Some((last, parents)) = steps.split_last() else {
                        return Err(Error::say("a path without a node"));
                    };
                    for parent in parents {
                        let parent = Some(scope.text(parent)?);
                        put(Prerequisite {
                            parent,
                            local,
                            optional,
                            ..Prerequisite::default()
                        })?;
                    }
                    let object = Some(scope.text(last)?);
                    put(Prerequisite {
                        object,
                        active,
                        local,
                        optional,
                        ..Prerequisite::default()
                    })?;
                }
            }
            other => {
                let known = [
                    "MINIMUM_TO_SATISFY",
                    "ANIMATION_LIST",
                    "OBJECT_ACTIVE_LIST",
                    "OBJECT_INACTIVE_LIST",
                    "REQUIRED",
                    "OPTIONS",
                ];
                scope.say(
                    super::UNKNOWN,
                    args.list,
                    unknown(other, "is not a key of a prerequisite: ignored", known),
                );
            }
        }
    }
    Ok(())
}

/// A step of a path: a text, or a list with one text.
fn step<'i>(item: Item<'i>) -> Option<&'i [u8]> {
    match item {
        Item::Text(text) => Some(text),
        Item::List(list) => list.items().next().and_then(|first| {
            if let Item::Text(text) = first {
                Some(text)
            } else {
                None
            }
        }),
        _ => None,
    }
}

/// The events of a list. Settings of the sequence are stored in `sequence`.
fn events_of(
    scope: &mut Scope<'_>,
    list: List<'_>,
    mut sequence: Option<&mut Sequence>,
) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    scope.strays(list, "a list of events");
    for (key, values) in list.keys() {
        let args = || Args::new(values, Game::Rc);
        match (key, &mut sequence) {
            // The last name counts, even after events.
            (b"NAME", Some(sequence)) => {
                let name = args().word(0).unwrap_or_default().into_owned();
                sequence.name = Text::new(&scope.name(&name).map_err(|e| e.within("NAME"))?)?;
            }
            (b"ACTIVATION", Some(sequence)) => {
                match args().word(0).unwrap_or_default().as_ref() {
                    b"ON_CALL" => sequence.activation = SequenceState::OnCall,
                    b"ON_STARTUP" => {}
                    // zStudio's compiler takes any other word for the start of the animation.
                    other => {
                        let what = unknown(
                            other,
                            "is not a word of a sequence's ACTIVATION: ignored",
                            ["ON_CALL", "ON_STARTUP"],
                        );
                        scope.say(super::IGNORED, values, what);
                    }
                }
            }
            (b"START_TIME", Some(_)) => {}
            (REFIT, sequence) => {
                if values.is_none() {
                    return Err(located(Error::say("REFIT without a list"), Some(list)));
                }
                for (word, item) in pairs(values)? {
                    match (word, &mut *sequence) {
                        (b"event", _) => events.push(
                            raw_event(scope, &hex_bytes(item)?).map_err(|e| e.within("REFIT"))?,
                        ),
                        (b"state", Some(sequence)) => {
                            sequence.activation = SequenceState::from_raw(
                                u8::try_from(hex_number(item)?).unwrap_or(u8::MAX),
                            );
                        }
                        _ => {
                            return Err(Error::say(format!(
                                "refit has no word {:?} here",
                                decode_1252(word)
                            ))
                            .within("REFIT"));
                        }
                    }
                }
            }
            _ => match Body::of_key(key) {
                Some(body) => {
                    let at = events.len();
                    let event = event_of(scope, body, values);
                    events.push(event.map_err(|e| {
                        located(e.within(format!("[{at}] {}", decode_1252(key))), values)
                    })?);
                }
                None => {
                    let known = EVENTS.iter().map(|(_, key, _)| *key).chain([
                        "OBJECT_MOTION_SI_SCRIPT",
                        "NAME",
                        "ACTIVATION",
                    ]);
                    scope.say(
                        super::UNKNOWN,
                        values.or(Some(list)),
                        unknown(key, "is not an event: dropped", known),
                    );
                }
            },
        }
    }
    Ok(events)
}

/// Parses an event from its bytes, header and body.
fn raw_event(scope: &mut Scope<'_>, bytes: &[u8]) -> Result<Event> {
    scope.lists.by_number = true;
    let tables = scope.lists.tables(scope.game, scope.table);
    match read_events(bytes, scope.game, &tables, Care::Parts) {
        (mut events, []) if events.len() == 1 => Ok(events.remove(0)),
        _ => Err(
            Error::say(format!("these {} bytes are not one event", bytes.len()))
                .hint("the second word is its size"),
        ),
    }
}

/// Size of the header before an event's body.
const HEAD: usize = 12;

fn event_of(scope: &mut Scope<'_>, new: Body, list: Option<List<'_>>) -> Result<Event> {
    let mut event = Event::new(new);
    let mut patches: Vec<(usize, Vec<u8>)> = Vec::new();
    scope.slot = None;
    for (word, item) in pairs(refit(list)?)? {
        match (word, item) {
            (b"slot", Item::Int(slot)) => scope.slot = Some(slot),
            (b"bits", Item::List(bits)) => {
                let mut items = bits.items();
                while let Some(at) = items.next() {
                    let (Item::Int(at), Some(bytes)) = (at, items.next()) else {
                        return Err(located(
                            Error::say("expected offsets and bytes").within("bits"),
                            Some(bits),
                        ));
                    };
                    let at = usize::try_from(at)
                        .map_err(|_| Error::say("a negative offset").within("bits"))?;
                    patches.push((at, hex_bytes(bytes).map_err(|e| e.within("bits"))?));
                }
            }
            _ => {
                return Err(Error::say(format!(
                    "refit has no word {:?} for an event",
                    decode_1252(word)
                ))
                .within("REFIT"));
            }
        }
    }
    let mut k = Keys::read(scope, list);
    start(&mut k, &mut event)?;
    let known = body(&mut k, &mut event.body)?;
    let _ = k.arg("REFIT");
    let strange: Vec<_> = k.unknown().collect();
    let only_keys = k.only_keys();
    if !known {
        return Err(Error::say("the keys of this event are not known")
            .hint("refit spells it REFIT ( event \"hexadecimal\" )"));
    }
    if !strange.is_empty() {
        let key = event.body.key();
        let asked = Keys::asked(scope, |k| {
            let _ = start(k, &mut event.clone());
            // It fails if a required key is missing, but by then it has asked for that key.
            let _ = Body::of_key(key.as_bytes()).map(|mut empty| body(k, &mut empty));
        });
        for (other, values) in strange {
            let what = match asked.iter().find(|asked| asked.as_bytes() == other) {
                Some(other) => {
                    format!("{other} means nothing beside the other keys of this {key}: ignored")
                }
                None => unknown(
                    other,
                    &format!("is not a key of {key}: ignored"),
                    asked.iter().map(String::as_str),
                ),
            };
            scope.say(super::IGNORED, values.or(list), what);
        }
    }
    if let Some(list) = only_keys {
        scope.strays(list, event.body.key());
    }
    if !patches.is_empty() {
        let tables = scope.lists.tables(scope.game, scope.table);
        let keys = event_bytes(&event, scope.game, &tables)?;
        let mut bytes = keys.clone();
        for (at, patch) in &patches {
            let slot = bytes
                .get_mut(at.saturating_add(HEAD)..)
                .and_then(|rest| rest.get_mut(..patch.len()));
            slot.ok_or_else(|| Error::say(format!("the event has no byte {at}")).within("bits"))?
                .copy_from_slice(patch);
        }
        event = raw_event(scope, &bytes)?;
        // `bits` express what no key can. If the keys of the same event give different bytes there,
        // a key was edited since.
        if !scope.checks
            && let Some(usual) = keys_of(scope, &event)
                .and_then(|event| event_bytes(&event, scope.game, &tables).ok())
        {
            for (at, patch) in patches {
                let part = |bytes: &[u8]| {
                    Some(
                        bytes
                            .get(at.checked_add(HEAD)?..)?
                            .get(..patch.len())?
                            .to_vec(),
                    )
                };
                if part(&usual) != part(&keys) {
                    let what = format!(
                        "`bits` at {at} overrides the keys: delete the bits to use the keys"
                    );
                    scope.say(super::BITS, list, what);
                }
            }
        }
    }
    Ok(event)
}

/// The event that the keys give without refit's own settings; `None` if they give none.
fn keys_of(scope: &mut Scope<'_>, event: &Event) -> Option<Event> {
    let mut doc = Doc::default();
    let references = std::mem::replace(&mut scope.known, scope.lists.references.clone());
    let (slot, explicit, lists) = (scope.slot, scope.explicit, scope.lists.clone());
    let (written, lints) = (scope.written.len(), std::mem::take(&mut scope.lints));
    scope.checks = true;
    let mut copy = event.clone();
    let mut k = Keys::write(scope, &mut doc);
    let known = start(&mut k, &mut copy).and_then(|()| body(&mut k, &mut copy.body));
    let again = match (known, Body::of_key(event.body.key().as_bytes())) {
        (Ok(true), Some(body)) => event_of(scope, body, Some(doc.root())).ok(),
        _ => None,
    };
    scope.checks = false;
    scope.written.truncate(written);
    (
        scope.known,
        scope.slot,
        scope.explicit,
        scope.lists,
        scope.lints,
    ) = (references, slot, explicit, lists, lints);
    again
}

fn event_bytes(event: &Event, game: Game, tables: &Tables) -> Result<Vec<u8>> {
    let mut w = Writer::new(game);
    event.write(&mut w, tables)?;
    Ok(w.bytes)
}

/// How to write a definition.
#[derive(Clone, Default)]
pub struct DefinitionForm {
    /// Tables whose order does not follow from the events.
    pub tables: Vec<Array>,
    /// Nodes that events change but that are not in the table of objects.
    pub unsaved: Vec<Name>,
    /// True if the prerequisites differ from those that paths and lists give.
    pub prerequisites: bool,
    /// True if the animation references differ from those that the calls give.
    pub explicit: bool,
}

/// Writes a definition's keys. `tables` are the definition's own, and `scope` has the same tables
/// and references.
pub(crate) fn decompile(
    scope: &mut Scope<'_>,
    doc: &mut Doc,
    d: &Definition,
    tables: &Tables,
    form: &DefinitionForm,
) -> Result<()> {
    name(doc, d, scope.game);
    head(&mut Keys::write(scope, doc), &mut d.clone())?;
    scope.unsaved = form
        .unsaved
        .iter()
        .map(|name| name.bytes().to_vec())
        .collect();
    write_own(scope, doc, d, form)?;
    let plain = Definition {
        minimum_to_satisfy: d.minimum_to_satisfy,
        ..Definition::default()
    };
    write_prerequisites(doc, if form.prerequisites { &plain } else { d });
    scope.explicit = form.explicit;
    if let Some(events) = d
        .reset_state
        .as_deref()
        .filter(|e| !always_resets(scope.game) || !e.is_empty())
    {
        doc.key("RESET_STATE");
        events
            .iter()
            .try_for_each(|event| write_event(scope, doc, event, tables))?;
        doc.close();
    }
    if let Some(damage) = &d.damage_sequence {
        doc.key("DAMAGE_SEQUENCE");
        write_state(doc, damage);
        damage
            .events
            .iter()
            .try_for_each(|event| write_event(scope, doc, event, tables))?;
        doc.close();
    }
    for sequence in &d.sequences {
        doc.key("SEQUENCE_DEFINITION");
        if !sequence.name.bytes().is_empty() {
            doc.with("NAME", |doc| doc.text(sequence.name.bytes()));
        }
        write_state(doc, sequence);
        sequence
            .events
            .iter()
            .try_for_each(|event| write_event(scope, doc, event, tables))?;
        doc.close();
    }
    Ok(())
}

/// The names of a definition.
pub fn name(doc: &mut Doc, d: &Definition, game: Game) {
    let name = d.name.bytes();
    if game == Game::Cs && !d.path.is_empty() {
        doc.key("NAME1");
        doc.text(name);
        doc.open();
        d.path
            .iter()
            .for_each(|step| doc.text(step.name.text.bytes()));
        doc.close();
        doc.close();
    } else {
        doc.with("NAME", |doc| doc.text(name));
    }
    for (key, text) in [
        ("ANIMATION_NAME", &d.animation_name),
        ("ANIMATION_ROOT_NAME", &d.animation_root_name),
    ] {
        if text.bytes() != name {
            doc.with(key, |doc| doc.text(text.bytes()));
        }
    }
}

fn write_own(
    scope: &Scope<'_>,
    doc: &mut Doc,
    d: &Definition,
    form: &DefinitionForm,
) -> Result<()> {
    let game = scope.game;
    let mut flags = d.flags_differ.or(Hex(0)).0;
    if game.itself() == Game::Rc {
        for (log, bits) in [(d.save_log, 0x3000), (d.network_log, 0xc00)] {
            flags |= if log == Some(true) { bits } else { 0 };
        }
    }
    flags ^= keyless(d, game);
    let odd_range = d
        .execution_by_range
        .map(|range| range_of(game, &range))
        .transpose()?
        .filter(|range| !is_square(range));
    let odd_off = d
        .reset_time_off
        .0
        .filter(|time| d.reset_time.is_some() || !time.get().is_finite());
    let lists =
        form.tables.is_empty() && form.unsaved.is_empty() && !form.prerequisites && !form.explicit;
    if flags == 0 && odd_range.is_none() && odd_off.is_none() && lists {
        return Ok(());
    }
    doc.key("REFIT");
    if flags != 0 {
        doc.text(b"flags");
        doc.text(format!("{flags:#x}").as_bytes());
    }
    if let Some(range) = odd_range {
        doc.with("range", |doc| range.iter().for_each(|f| doc.bits(*f)));
    }
    if let Some(time) = odd_off {
        doc.text(b"reset_time_off");
        doc.bits(time);
    }
    if !form.tables.is_empty() {
        doc.with("tables", |doc| {
            for array in &form.tables {
                let names = d.names(*array).iter().flatten();
                doc.with(array.key(), |doc| {
                    names.for_each(|label| doc.text(label.text.bytes()))
                });
            }
        });
    }
    if !form.unsaved.is_empty() {
        doc.with("unsaved", |doc| {
            form.unsaved.iter().for_each(|name| doc.text(name.bytes()))
        });
    }
    if form.prerequisites {
        let mut w = Writer::new(game);
        for prerequisite in &d.prerequisites {
            refit_zipper::anim::fields::append(prerequisite, &prerequisite.extra, &mut w, &())?;
        }
        doc.text(b"prerequisites");
        doc.hex(&w.bytes);
    }
    if form.explicit {
        doc.with("references", |doc| {
            for reference in &d.animation_references {
                doc.open();
                doc.text(reference.name.text.bytes());
                reference
                    .local_name
                    .iter()
                    .for_each(|local| doc.text(local.text.bytes()));
                doc.close();
            }
        });
    }
    doc.close();
    Ok(())
}

fn write_prerequisites(doc: &mut Doc, d: &Definition) {
    if d.prerequisites.is_empty() && d.minimum_to_satisfy.is_none() {
        return;
    }
    let is_optional = |p: &&Prerequisite| p.optional.is_some();
    let (optional, required): (Vec<&Prerequisite>, Vec<&Prerequisite>) =
        d.prerequisites.iter().partition(is_optional);
    doc.key("ACTIVATION_PREREQUISITE");
    for (key, group) in [("REQUIRED", &required), ("OPTIONS", &optional)] {
        let minimum = d
            .minimum_to_satisfy
            .filter(|_| (key == "OPTIONS") != optional.is_empty());
        if group.is_empty() && minimum.is_none() {
            continue;
        }
        doc.key(key);
        if let Some(n) = minimum {
            doc.with("MINIMUM_TO_SATISFY", |doc| doc.int(n.into()));
        }
        // The list being written, whose elements share it.
        let mut open: Option<&str> = None;
        let mut path: Vec<&[u8]> = Vec::new();
        for prerequisite in group {
            let Prerequisite {
                animation,
                object,
                parent,
                ..
            } = prerequisite;
            if let Some(parent) = parent {
                path.push(parent.bytes());
                continue;
            }
            let list = match (animation, prerequisite.active) {
                (Some(_), _) => "ANIMATION_LIST",
                (None, Some(true)) => "OBJECT_ACTIVE_LIST",
                (None, _) => "OBJECT_INACTIVE_LIST",
            };
            if open != Some(list) {
                if open.is_some() {
                    doc.close();
                }
                doc.key(list);
                open = Some(list);
            }
            if let Some(name) = animation {
                doc.text(name.bytes());
            } else if let Some(object) = object {
                doc.open();
                if prerequisite.local == Some(true) {
                    doc.text(b"LOCAL");
                }
                path.drain(..).for_each(|step| doc.text(step));
                doc.text(object.bytes());
                doc.close();
            }
        }
        if open.is_some() {
            doc.close();
        }
        doc.close();
    }
    doc.close();
}

fn write_state(doc: &mut Doc, sequence: &Sequence) {
    match sequence.activation {
        SequenceState::Initial => {}
        SequenceState::OnCall => doc.with("ACTIVATION", |doc| doc.text(b"ON_CALL")),
        other => doc.with("REFIT", |doc| {
            doc.text(b"state");
            doc.int(other.raw().into());
        }),
    }
}

/// Writes an event so that it is read back exactly: as keys, if necessary with the bits that keys
/// cannot express, otherwise as bytes.
fn write_event(scope: &mut Scope<'_>, doc: &mut Doc, event: &Event, tables: &Tables) -> Result<()> {
    let mark = doc.mark();
    let scripts = scope.written.len();
    let references = scope.lists.references.len();
    let mut patches: Vec<(usize, Vec<u8>)> = Vec::new();
    for _ in 0..2 {
        scope.lists.references.truncate(references);
        scope.written.truncate(scripts);
        doc.back(mark);
        let mut copy = event.clone();
        doc.key(event.body.key());
        let mut k = Keys::write(scope, doc);
        let known = start(&mut k, &mut copy).and_then(|()| body(&mut k, &mut copy.body));
        if !known.unwrap_or(false) {
            break;
        }
        write_refit(scope, doc, event, tables, &patches);
        doc.close();
        scope.checks = true;
        let inner = doc.since(mark).keys().next().and_then(|(_, list)| list);
        let again =
            Body::of_key(event.body.key().as_bytes()).map(|body| event_of(scope, body, inner));
        scope.checks = false;
        let Some(Ok(again)) = again else { break };
        if same_event(&again, event) {
            return Ok(());
        }
        let (Ok(a), Ok(b)) = (
            event_bytes(&again, scope.game, tables),
            event_bytes(event, scope.game, tables),
        ) else {
            break;
        };
        let words = || a.chunks(4).zip(b.chunks(4)).enumerate().skip(HEAD / 4);
        let differ = words().filter(|(_, (a, b))| a != b).count();
        if !patches.is_empty()
            || a.len() != b.len()
            || again.pad != event.pad
            || differ > 4 + a.len() / 16
        {
            break;
        }
        patches = words()
            .filter(|(_, (a, b))| a != b)
            .map(|(at, (_, b))| (4 * at - HEAD, b.to_vec()))
            .collect();
    }
    scope.lists.references.truncate(references);
    scope.written.truncate(scripts);
    doc.back(mark);
    let bytes = event_bytes(event, scope.game, tables)?;
    doc.with("REFIT", |doc| {
        doc.text(b"event");
        doc.hex(&bytes);
    });
    Ok(())
}

fn write_refit(
    scope: &Scope<'_>,
    doc: &mut Doc,
    event: &Event,
    tables: &Tables,
    patches: &[(usize, Vec<u8>)],
) {
    let (reference, waits) = match &event.body {
        Body::CallAnimation(e) => (&e.reference, e.wait_for_completion),
        Body::CallObjectConnector(e) => (&e.reference, false),
        _ => (&None, false),
    };
    let slot = match reference {
        _ if !scope.explicit => None,
        Some(reference) => tables.index(ListKind::Reference, reference).ok(),
        None => waits.then_some(-1),
    };
    if slot.is_none() && patches.is_empty() {
        return;
    }
    doc.with("REFIT", |doc| {
        if let Some(slot) = slot {
            doc.text(b"slot");
            doc.int(slot);
        }
        if !patches.is_empty() {
            doc.with("bits", |doc| {
                for (at, bytes) in patches {
                    doc.int(i32::try_from(*at).unwrap_or(i32::MAX));
                    doc.hex(bytes);
                }
            });
        }
    });
}
