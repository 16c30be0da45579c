//! An edit of a source changes exactly the bytes that it should.
//!
//! The files are built here from the tables of the byte reference, offset by offset, and so are the
//! expected results: refit's own reading and writing is not used. Everything that sources do not
//! contain is filled with odd values (bytes after names, addresses, saved transforms), so that an
//! edit that loses any of them is noticed.

use super::*;
use rayon::prelude::*;

/// Offsets in a definition's record.
struct At {
    size: usize,
    name: usize,
    root: usize,
    anim_pointer: usize,
    root_pointer: usize,
    flags: usize,
    activation: usize,
    range: usize,
    reset_time: usize,
    health: usize,
    sequences_pointer: usize,
    counts: usize,
    pointers: usize,
}

fn at(game: Game) -> At {
    let (size, sequences_pointer, counts, pointers) = match game {
        Game::Mw => (316, 196, 264, 276),
        Game::Pm => (268, 204, 216, 228),
        Game::Cs => (272, 204, 216, 228),
        _ => (308, 192, 260, 272),
    };
    let more = if matches!(game, Game::Pm | Game::Cs) {
        8
    } else {
        0
    };
    At {
        size,
        name: 32 + more,
        root: 68 + more,
        anim_pointer: 64 + more,
        root_pointer: 100 + more,
        flags: 148 + more,
        activation: 153 + more,
        range: 156 + more,
        reset_time: 164 + more,
        health: 172 + more,
        sequences_pointer,
        counts,
        pointers,
    }
}

const OBJECTS: usize = 0;
const NODES: usize = 1;
const PUFFERS: usize = 3;
const SOUNDS: usize = 5;

/// refit's value for an address that is not given: the reference requires anything but zero.
pub(super) const NEW: u32 = !0;

pub(super) fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// A text in a field, followed by bytes of old memory.
fn dirty(text: &str, size: usize) -> Vec<u8> {
    let mut field: Vec<u8> = (0..size).map(|i| 0xa0 | i as u8).collect();
    put(&mut field, 0, text.as_bytes());
    field[text.len()] = 0;
    field
}

pub(super) fn clean(text: &str, size: usize) -> Vec<u8> {
    let mut field = vec![0; size];
    put(&mut field, 0, text.as_bytes());
    field
}

/// The field of a node's name, which contained another text before.
pub(super) fn node_name(text: &str) -> Vec<u8> {
    let mut field = clean("Default_node_name", 32);
    put(&mut field, 0, text.as_bytes());
    field[text.len()] = 0;
    field
}

pub(super) fn words(all: &[u32]) -> Vec<u8> {
    all.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn floats(all: &[f32]) -> Vec<u8> {
    all.iter().flat_map(|f| f.to_le_bytes()).collect()
}

/// A sequence or the reset: its record, and its events.
#[derive(Clone)]
pub(super) struct Block {
    record: Vec<u8>,
    events: Vec<Vec<u8>>,
}

impl Block {
    fn new(name: Vec<u8>, state: u8, pointer: u32, events: Vec<Vec<u8>>) -> Block {
        let mut record = name;
        record.resize(64, 0);
        (record[32], record[33]) = (state, state);
        put(&mut record, 56, &pointer.to_le_bytes());
        Block { record, events }
    }

    /// The record with the size of the events.
    fn head(&self) -> Vec<u8> {
        let size: usize = self.events.iter().map(Vec::len).sum();
        let mut record = self.record.clone();
        put(&mut record, 60, &(size as u32).to_le_bytes());
        record
    }

    fn bytes(&self) -> Vec<u8> {
        [self.head(), self.events.concat()].concat()
    }
}

/// A definition: its record without counts, and what follows it.
#[derive(Clone, Default)]
pub(super) struct Def {
    pub record: Vec<u8>,
    pub path: Vec<Vec<u8>>,
    /// Objects, nodes, lights, puffers, dynamic sounds, static sounds, effects; each with its
    /// element 0.
    pub arrays: [Vec<Vec<u8>>; 7],
    pub prerequisites: Vec<Vec<u8>>,
    pub references: Vec<Vec<u8>>,
    pub reset: Option<Block>,
    pub damage: Option<Block>,
    pub sequences: Vec<Block>,
}

#[derive(Clone)]
pub(super) struct Hand {
    game: Game,
    gravity: f32,
    pub definitions: Vec<Def>,
}

impl Hand {
    fn def(&mut self, i: usize) -> &mut Def {
        &mut self.definitions[i]
    }

    /// Sets a byte of a record.
    fn set(&mut self, i: usize, at: usize, value: &[u8]) {
        put(&mut self.definitions[i].record, at, value);
    }

    fn flags(&mut self, i: usize, on: u32, off: u32) {
        let at = at(self.game).flags;
        let old = u32::from_le_bytes(self.definitions[i].record[at..at + 4].try_into().unwrap());
        self.set(i, at, &(old & !off | on).to_le_bytes());
    }

    pub fn bytes(&self) -> Vec<u8> {
        let game = self.game;
        let modern = matches!(game, Game::Pm | Game::Cs);
        let listed = [dirty("..\\data\\m1\\anim.zrd", 80), words(&[0x3333_3333])].concat();
        let mut out = words(&[0x0817_0616, game.anim_version()]);
        match game {
            Game::Cs => {
                out.extend(words(&[2, 1]));
                out.extend(
                    [
                        dirty("zbd\\c1\\gamez.zbd", 128),
                        words(&[7]),
                        dirty("zbd\\planes.zbd", 128),
                        words(&[8]),
                    ]
                    .concat(),
                );
            }
            Game::Pm => out.extend(words(&[0x3988_0000, 1])),
            _ => out.extend(words(&[1])),
        }
        out.extend(listed);
        let mut info = vec![
            0;
            if modern {
                108
            } else {
                60 + if game == Game::Mw { 8 } else { 0 }
            }
        ];
        put(
            &mut info,
            10,
            &(self.definitions.len() as u16 + 1).to_le_bytes(),
        );
        put(&mut info, 12, &words(&[0x1234_5678]));
        put(
            &mut info,
            if modern { 32 } else { 24 },
            &words(&[0x0260_000c]),
        );
        put(
            &mut info,
            if modern { 36 } else { 28 },
            &self.gravity.to_le_bytes(),
        );
        if game != Game::Rc {
            put(&mut info, 60, &words(&[1]));
        }
        out.extend(info);
        let at = at(game);
        let mut zero = vec![0; at.size + if modern { 0 } else { 64 }];
        zero[at.activation] = 3;
        if modern {
            put(&mut zero, at.anim_pointer, &words(&[!0]));
            put(&mut zero, at.root_pointer, &words(&[!0]));
        }
        if game == Game::Cs {
            put(&mut zero, 0, b"reserved_anim_0");
        }
        out.extend(zero);
        self.definitions
            .iter()
            .for_each(|d| out.extend(self.definition(d)));
        out
    }

    fn definition(&self, d: &Def) -> Vec<u8> {
        let (game, at) = (self.game, at(self.game));
        let modern = matches!(game, Game::Pm | Game::Cs);
        let mut record = d.record.clone();
        let mut counts = vec![d.sequences.len() as u8];
        let arrays: Vec<usize> = (0..7)
            .filter(|array| *array != PUFFERS || game != Game::Rc)
            .collect();
        counts.extend(arrays.iter().map(|array| d.arrays[*array].len() as u8));
        counts.push(d.prerequisites.len() as u8);
        let minimum = counts.len();
        counts.push(record[at.counts + minimum]);
        counts.push(d.references.len() as u8);
        put(&mut record, at.counts, &counts);
        if game == Game::Cs {
            put(&mut record, 36, &words(&[d.path.len() as u32]));
        }
        if !modern {
            let copy = d.reset.as_ref().unwrap().head();
            put(&mut record, if game == Game::Mw { 200 } else { 196 }, &copy);
        }
        let mut out = record;
        out.extend(d.path.concat());
        arrays
            .iter()
            .for_each(|array| out.extend(d.arrays[*array].concat()));
        out.extend([d.prerequisites.concat(), d.references.concat()].concat());
        d.reset
            .iter()
            .chain(&d.damage)
            .chain(&d.sequences)
            .for_each(|block| out.extend(block.bytes()));
        out
    }

    /// The offset of the address of a table: an array, or 7 for the prerequisites, 8 for the
    /// animation references.
    fn pointer(&self, table: usize) -> usize {
        let before = if self.game == Game::Rc && table > PUFFERS {
            table - 1
        } else {
            table
        };
        at(self.game).pointers + 4 * before
    }
}

/// An event: number, clock, time and body.
fn event(number: u8, start: u8, time: f32, body: Vec<u8>) -> Vec<u8> {
    let size = 12 + body.len() as u32;
    [
        vec![number, start, 0, 0],
        words(&[size]),
        floats(&[time]),
        body,
    ]
    .concat()
}

fn half(n: i16) -> Vec<u8> {
    n.to_le_bytes().to_vec()
}

fn sound(sample: i16, node: i16, offset: [f32; 3]) -> Vec<u8> {
    event(
        1,
        1,
        0.0,
        [half(sample), half(node), floats(&offset)].concat(),
    )
}

fn active(state: u32, node: i16) -> Vec<u8> {
    event(6, 1, 0.0, [words(&[state]), half(node), half(0)].concat())
}

/// OBJECT_MOTION_FROM_TO with turns about y.
fn turn(node: u32, to: f32, rate: f32, time: f32) -> Vec<u8> {
    let mut body = vec![0; 132];
    put(&mut body, 0, &words(&[2, node]));
    put(&mut body, 72, &to.to_le_bytes());
    put(&mut body, 84, &rate.to_le_bytes());
    put(&mut body, 128, &time.to_le_bytes());
    event(11, 1, 0.0, body)
}

fn call(name: Vec<u8>, flags: i16, slot: i16, node: i16) -> Vec<u8> {
    let tail = [
        half(0),
        half(flags),
        half(0),
        half(slot),
        half(node),
        half(0),
        vec![0; 24],
    ]
    .concat();
    event(24, 1, 0.0, [name, tail].concat())
}

fn stop(game: Game, name: Vec<u8>) -> Vec<u8> {
    event(
        25,
        1,
        0.0,
        [name, words(&[if game == Game::Pm { !0 } else { 0 }])].concat(),
    )
}

fn forever() -> Vec<u8> {
    event(30, 1, 0.0, words(&[1, 0xffff]))
}

/// An entry of the table of objects; an odd one has a saved state.
pub(super) fn object(game: Game, name: Vec<u8>, pointer: u32, odd: bool) -> Vec<u8> {
    let mut rest = match game {
        Game::Pm | Game::Cs => [words(&[0, pointer]), vec![0; 4 + 48]].concat(),
        _ => [words(&[0, pointer, 0, 0]), vec![0; 48]].concat(),
    };
    if odd {
        let end = rest.len();
        rest[8..end]
            .iter_mut()
            .enumerate()
            .for_each(|(i, b)| *b = 0x41 + i as u8);
    }
    [name, rest].concat()
}

pub(super) fn node(game: Game, name: Vec<u8>, pointer: u32, flags: u16) -> Vec<u8> {
    match game {
        Game::Pm | Game::Cs => [
            flags.to_le_bytes().to_vec(),
            vec![0; 2],
            name,
            words(&[0, pointer]),
        ]
        .concat(),
        _ => [name, words(&[0, pointer])].concat(),
    }
}

fn sample(game: Game, name: &str, odd: bool) -> Vec<u8> {
    let field = |size: usize| {
        if odd {
            dirty(name, size)
        } else {
            clean(name, size)
        }
    };
    if game == Game::Cs {
        field(40)
    } else {
        [field(32), words(&[0])].concat()
    }
}

/// An entry of a light, a puffer or a dynamic sound.
fn thing(name: Vec<u8>, pointer: u32) -> Vec<u8> {
    [name, words(&[0, pointer, 0])].concat()
}

/// The element 0 of an array.
fn zero(game: Game, array: usize) -> Vec<u8> {
    match array {
        OBJECTS | NODES => {
            let pointer = if matches!(game, Game::Pm | Game::Cs) {
                !0
            } else {
                0
            };
            let name = vec![0; 32];
            if array == OBJECTS {
                object(game, name, pointer, false)
            } else {
                node(game, name, pointer, 0)
            }
        }
        SOUNDS => sample(game, "", false),
        _ => thing(vec![0; 32], 0),
    }
}

fn reset_name() -> Vec<u8> {
    clean("RESET_SEQUENCE", 32)
}

/// The record of a definition that is called on demand and never resets itself, with the addresses
/// of a new one.
fn record(game: Game, anim: Vec<u8>, name: Vec<u8>, root: Vec<u8>) -> Vec<u8> {
    let at = at(game);
    let mut record = vec![0; at.size];
    put(&mut record, 0, &anim);
    put(&mut record, at.name, &name);
    put(&mut record, at.root, &root);
    put(&mut record, at.anim_pointer, &words(&[NEW]));
    put(&mut record, at.root_pointer, &words(&[NEW]));
    put(&mut record, at.flags, &words(&[0x20]));
    put(&mut record, at.activation, &[3, 4, 2]);
    put(&mut record, at.reset_time, &floats(&[-1.0]));
    put(&mut record, at.sequences_pointer, &words(&[NEW]));
    record
}

/// The name of a new entry, written over the filler in every game (kind N of the byte reference),
/// and its address. Crimson Skies stores the position in the world.
fn new_name(game: Game, name: &str, place: u32) -> (Vec<u8>, u32) {
    match game {
        Game::Cs => (node_name(name), place),
        _ => (node_name(name), NEW),
    }
}

/// A definition with one sequence that shows a node, as compiled from a source without a base.
pub(super) fn lamp(game: Game, anim: &str, name: &str, place: u32) -> Def {
    let text = |text: &str| clean(text, 32);
    let hand = Hand {
        game,
        gravity: 0.0,
        definitions: Vec::new(),
    };
    let mut record = record(game, text(anim), text(name), text(name));
    put(&mut record, hand.pointer(OBJECTS), &words(&[NEW]));
    put(&mut record, hand.pointer(NODES), &words(&[NEW]));
    let (field, pointer) = new_name(game, name, place);
    if game == Game::Cs {
        put(&mut record, 72, &words(&[place]));
        put(&mut record, 108, &words(&[place]));
    }
    let mut arrays: [Vec<Vec<u8>>; 7] = Default::default();
    arrays[OBJECTS] = vec![
        zero(game, OBJECTS),
        object(game, field.clone(), pointer, false),
    ];
    arrays[NODES] = vec![zero(game, NODES), node(game, field, pointer, 0)];
    let reset =
        (!matches!(game, Game::Pm | Game::Cs)).then(|| Block::new(reset_name(), 0, 0, Vec::new()));
    let sequences = vec![Block::new(clean("main", 32), 0, NEW, vec![active(1, 1)])];
    Def {
        record,
        arrays,
        reset,
        sequences,
        ..Def::default()
    }
}

/// A definition with data in nearly every table, and odd values in everything that sources do not
/// contain.
fn gate_def(game: Game) -> Def {
    let hand = Hand {
        game,
        gravity: 0.0,
        definitions: Vec::new(),
    };
    let at = at(game);
    let mut record = record(
        game,
        dirty("open_gate", 32),
        dirty("gate", 32),
        dirty("yard", 32),
    );
    put(&mut record, at.anim_pointer, &words(&[0x0101_0101]));
    put(&mut record, at.root_pointer, &words(&[0x0202_0202]));
    put(&mut record, at.sequences_pointer, &words(&[0x0303_0303]));
    put(&mut record, at.health, &floats(&[6.0, 6.0]));
    for (table, n) in [(OBJECTS, 1), (NODES, 2), (SOUNDS, 3), (7, 4), (8, 5)] {
        put(&mut record, hand.pointer(table), &words(&[0x0404_0400 + n]));
    }
    if matches!(game, Game::Pm | Game::Cs) {
        put(&mut record, 208, &words(&[0x0505_0505]));
    }
    let mut arrays: [Vec<Vec<u8>>; 7] = Default::default();
    arrays[OBJECTS] = vec![
        zero(game, OBJECTS),
        object(game, dirty("door", 32), 41, true),
        object(game, node_name("lamp1"), 44, true),
    ];
    arrays[NODES] = vec![
        zero(game, NODES),
        node(game, dirty("door", 32), 42, 9),
        node(game, node_name("lamp1"), 43, 9),
    ];
    arrays[SOUNDS] = vec![zero(game, SOUNDS), sample(game, "creak", true)];
    let prerequisites = vec![[words(&[0, 1]), clean("power_on", 32), words(&[0, 0])].concat()];
    let references = vec![[dirty("ring_bell", 64), words(&[0, 0])].concat()];
    let reset = Block::new(reset_name(), 0, 0x0606_0606, vec![active(0, 1)]);
    let sequences = vec![
        Block::new(
            clean("open", 32),
            0,
            0x0707_0707,
            vec![
                sound(1, 1, [0.0, 1.0, 0.0]),
                turn(
                    1,
                    std::f32::consts::FRAC_PI_2,
                    std::f32::consts::FRAC_PI_4,
                    2.0,
                ),
                call(dirty("ring_bell", 32), 0x11, 0, 1),
            ],
        ),
        Block::new(
            clean("close", 32),
            3,
            0x0808_0808,
            vec![active(0, 2), stop(game, dirty("ring_bell", 32)), forever()],
        ),
    ];
    Def {
        record,
        arrays,
        prerequisites,
        references,
        reset: Some(reset),
        sequences,
        ..Def::default()
    }
}

/// The nodes of the world of Crimson Skies, by position.
const YARD: [&str; 8] = [
    "world1", "yard", "gate", "door", "lamp1", "lamp2", "lamp3", "post",
];

fn place(name: &str) -> u32 {
    YARD.iter().position(|known| *known == name).unwrap() as u32
}

pub(super) fn base_of(game: Game) -> Hand {
    let mut other = lamp(game, "glow", "lamp2", 99);
    // An entry that no edit affects.
    put(&mut other.record, 24, b"residue!");
    Hand {
        game,
        gravity: -9.8,
        definitions: vec![gate_def(game), other],
    }
}

struct Edit {
    what: &'static str,
    /// The text in the sources, on one line.
    from: &'static str,
    to: &'static str,
    /// The expected change of the file.
    expected: fn(&mut Hand),
}

const fn edit(
    what: &'static str,
    from: &'static str,
    to: &'static str,
    expected: fn(&mut Hand),
) -> Edit {
    Edit {
        what,
        from,
        to,
        expected,
    }
}

fn new_node(hand: &Hand, name: &str) -> Vec<u8> {
    let (field, pointer) = new_name(hand.game, name, place(name));
    node(hand.game, field, pointer, 0)
}

fn new_object(hand: &Hand, name: &str) -> Vec<u8> {
    let (field, pointer) = new_name(hand.game, name, place(name));
    object(hand.game, field, pointer, false)
}

/// Edits that are the same in all games.
const EVERYWHERE: &[Edit] = &[
    edit(
        "a value of the definition",
        "HEALTH ( 6.0 )",
        "HEALTH ( 7.5 )",
        |h| h.set(0, at(h.game).health, &floats(&[7.5, 7.5])),
    ),
    edit(
        "the reset time",
        "RESET_TIME ( -1.0 ) HEALTH",
        "RESET_TIME ( 4.0 ) HEALTH",
        |h| h.set(0, at(h.game).reset_time, &floats(&[4.0])),
    ),
    edit(
        "a reset time of two values",
        "RESET_TIME ( -1.0 ) HEALTH",
        "RESET_TIME ( 0 -1 ) HEALTH",
        |h| {
            h.set(0, at(h.game).reset_time, &floats(&[0.0]));
            h.flags(0, 0, 0x20);
        },
    ),
    edit(
        "a range",
        "HEALTH ( 6.0 )",
        "HEALTH ( 6.0 ) EXECUTION_BY_RANGE ( 50 )",
        |h| {
            h.flags(0, 0x2, 0);
            h.set(0, at(h.game).range, &floats(&[0.0, 2500.0]));
        },
    ),
    edit(
        "who starts it, and the priority",
        "ACTIVATION ( ON_CALL ) RESET_TIME ( -1.0 ) HEALTH",
        "EXECUTION_PRIORITY ( 1 ) RESET_TIME ( -1.0 ) HEALTH",
        |h| h.set(0, at(h.game).activation, &[0, 1]),
    ),
    edit(
        "a log",
        "HEALTH ( 6.0 )",
        "HEALTH ( 6.0 ) SAVE_LOG ( OFF )",
        |h| h.flags(0, 0x1000, 0),
    ),
    edit(
        "a run time, which its rate follows",
        "RUN_TIME ( 2.0 )",
        "RUN_TIME ( 4.0 )",
        |h| {
            h.def(0).sequences[0].events[1] = turn(
                1,
                std::f32::consts::FRAC_PI_2,
                std::f32::consts::FRAC_PI_8,
                4.0,
            );
        },
    ),
    edit(
        "when an event starts",
        "SOUND (",
        "SOUND ( START_TIME ( EVENT_OFFSET 0.5 )",
        |h| {
            put(&mut h.def(0).sequences[0].events[0], 1, &[3]);
            put(&mut h.def(0).sequences[0].events[0], 8, &floats(&[0.5]));
        },
    ),
    edit(
        "an event of names that are there",
        "OBJECT_MOTION_FROM_TO (",
        "SOUND ( NAME ( creak ) AT_NODE ( INPUT_NODE ) ) OBJECT_MOTION_FROM_TO (",
        |h| {
            h.def(0).sequences[0]
                .events
                .insert(1, sound(1, -200, [0.0; 3]));
        },
    ),
    edit(
        "an event of new names",
        "OBJECT_MOTION_FROM_TO (",
        "SOUND ( NAME ( bang ) AT_NODE ( post 1 2 3 ) ) OBJECT_MOTION_FROM_TO (",
        |h| {
            let (game, entry) = (h.game, new_node(h, "post"));
            let d = h.def(0);
            d.arrays[SOUNDS].push(sample(game, "bang", false));
            d.arrays[NODES].push(entry);
            d.sequences[0]
                .events
                .insert(1, sound(2, 3, [1.0, 2.0, 3.0]));
        },
    ),
    edit(
        "another node of an event",
        "STATE ( INACTIVE ) NAME ( lamp1 )",
        "STATE ( INACTIVE ) NAME ( post )",
        |h| {
            let (object, entry) = (new_object(h, "post"), new_node(h, "post"));
            let d = h.def(0);
            d.arrays[OBJECTS].push(object);
            d.arrays[NODES].push(entry);
            d.sequences[1].events[0] = active(0, 3);
        },
    ),
    edit("an event less", "LOOP ( LOOP_COUNT ( -1 ) )", "", |h| {
        _ = h.def(0).sequences[1].events.pop()
    }),
    edit(
        "two events in another order",
        "STOP_ANIMATION ( NAME ( ring_bell ) ) LOOP ( LOOP_COUNT ( -1 ) )",
        "LOOP ( LOOP_COUNT ( -1 ) ) STOP_ANIMATION ( NAME ( ring_bell ) )",
        |h| h.def(0).sequences[1].events.swap(1, 2),
    ),
    edit(
        "a sequence more",
        "SEQUENCE_DEFINITION ( NAME ( close )",
        "SEQUENCE_DEFINITION ( NAME ( wait ) ACTIVATION ( ON_CALL ) CALL_SEQUENCE ( NAME ( close ) ) ) \
        SEQUENCE_DEFINITION ( NAME ( close )",
        |h| {
            let body = [clean("close", 32), words(&[!0])].concat();
            h.def(0).sequences.insert(
                1,
                Block::new(clean("wait", 32), 3, NEW, vec![event(22, 1, 0.0, body)]),
            );
        },
    ),
    edit(
        "the name of a sequence",
        "SEQUENCE_DEFINITION ( NAME ( close )",
        "SEQUENCE_DEFINITION ( NAME ( shut )",
        |h| put(&mut h.def(0).sequences[1].record, 0, &clean("shut", 32)),
    ),
    edit(
        "a call that no longer waits",
        "WAIT_FOR_COMPLETION",
        "",
        |h| {
            let pointer = h.pointer(8);
            h.def(0).references.clear();
            h.set(0, pointer, &words(&[0]));
            h.def(0).sequences[0].events[2] = call(dirty("ring_bell", 32), 1, -1, 1);
        },
    ),
    edit(
        "a call that waits, too",
        "STOP_ANIMATION ( NAME ( ring_bell ) )",
        "CALL_ANIMATION ( NAME ( ring_bell ) WAIT_FOR_COMPLETION )",
        |h| {
            h.def(0)
                .references
                .push([clean("ring_bell", 64), words(&[0, 0])].concat());
            h.def(0).sequences[1].events[1] = call(clean("ring_bell", 32), 0x10, 1, 0);
        },
    ),
    edit(
        "a prerequisite more",
        "ANIMATION_LIST ( power_on )",
        "ANIMATION_LIST ( power_on key_found )",
        |h| {
            h.def(0)
                .prerequisites
                .push([words(&[0, 1]), clean("key_found", 32), words(&[0, 0])].concat());
        },
    ),
    edit(
        "no prerequisite any more",
        "ACTIVATION_PREREQUISITE ( REQUIRED ( ANIMATION_LIST ( power_on ) ) )",
        "",
        |h| {
            let pointer = h.pointer(7);
            h.def(0).prerequisites.clear();
            h.set(0, pointer, &words(&[0]));
        },
    ),
    edit(
        "an event of the reset",
        "RESET_STATE ( OBJECT_ACTIVE_STATE ( STATE ( INACTIVE )",
        "RESET_STATE ( OBJECT_ACTIVE_STATE ( STATE ( ACTIVE )",
        |h| h.def(0).reset.as_mut().unwrap().events[0] = active(1, 1),
    ),
    edit(
        "no reset any more",
        "RESET_STATE ( OBJECT_ACTIVE_STATE ( STATE ( INACTIVE ) NAME ( door ) ) )",
        "",
        |h| {
            if matches!(h.game, Game::Pm | Game::Cs) {
                h.def(0).reset = None;
                h.set(0, 208, &words(&[0]));
            } else {
                h.def(0).reset = Some(Block::new(reset_name(), 0, 0, Vec::new()));
            }
        },
    ),
    edit(
        "a callback, and the flag that tells of it",
        "STOP_ANIMATION ( NAME ( ring_bell ) )",
        "STOP_ANIMATION ( NAME ( ring_bell ) ) CALLBACK ( VALUE ( 12 ) )",
        |h| {
            h.def(0).sequences[1]
                .events
                .insert(2, event(35, 1, 0.0, words(&[12])));
            h.flags(0, 0x10, 0);
        },
    ),
    edit(
        "the gravity of the file",
        "GRAVITY ( -9.8 )",
        "GRAVITY ( -3.5 )",
        |h| h.gravity = -3.5,
    ),
    edit(
        "a definition less",
        "ANIMATION_DEFINITION_FILE ( lamp2.zrd )",
        "",
        |h| _ = h.definitions.pop(),
    ),
    edit(
        "a definition more",
        "ANIMATION_DEFINITION_FILE ( lamp2.zrd )",
        "ANIMATION_DEFINITION_FILE ( lamp2.zrd ) ANIMATION_DEFINITION ( NAME ( lamp1 ) ANIMATION_NAME ( shine ) \
        ACTIVATION ( ON_CALL ) RESET_TIME ( -1 ) SEQUENCE_DEFINITION ( NAME ( main ) OBJECT_ACTIVE_STATE ( STATE ( \
        ACTIVE ) NAME ( lamp1 ) ) ) )",
        |h| {
            let new = lamp(h.game, "shine", "lamp1", place("lamp1"));
            h.definitions.push(new);
        },
    ),
];

/// The last event of the second sequence.
const LOOP: &str = "LOOP ( LOOP_COUNT ( -1 ) )";

/// Replaces that event.
fn replace_loop(h: &mut Hand, events: impl IntoIterator<Item = Vec<u8>>) {
    let all = &mut h.def(0).sequences[1].events;
    all.pop();
    all.extend(events);
}

fn condition(words_: &[u32]) -> Vec<u8> {
    event(31, 1, 0.0, words(words_))
}

fn endif() -> Vec<u8> {
    event(34, 1, 0.0, Vec::new())
}

/// Edits of features that not all games have.
const OWN: &[(&[Game], &[Edit])] = &[
    (
        &[Game::Mw, Game::Pm, Game::Cs],
        &[
            edit(
                "a log that is on",
                "HEALTH ( 6.0 )",
                "HEALTH ( 6.0 ) NETWORK_LOG ( ON )",
                |h| h.flags(0, 0xc00, 0),
            ),
            edit(
                "damage from what explodes near by",
                "HEALTH ( 6.0 )",
                "HEALTH ( 6.0 ) PROXIMITY_DAMAGE ( 0 )",
                |h| h.flags(0, 0x10_0000, 0),
            ),
            edit(
                "a source of smoke",
                LOOP,
                "PUFFER_STATE ( NAME ( smoke ) ACTIVE_STATE ( ACTIVE ) AT_NODE ( door ) \
            LIFETIME_RANGE ( 1 2 ) GROWTH_FACTOR ( 3 ) FRICTION ( 0.5 ) )",
                |h| {
                    let game = h.game;
                    let pointer = h.pointer(PUFFERS);
                    h.set(0, pointer, &words(&[NEW]));
                    h.def(0).arrays[PUFFERS] =
                        vec![zero(game, PUFFERS), thing(clean("smoke", 32), NEW)];
                    // After `priority`, PM and CS have one more field.
                    let more = if game == Game::Mw { 0 } else { 4 };
                    let mut body = vec![0; 580 + more];
                    put(&mut body, 0, b"smoke");
                    put(
                        &mut body,
                        32,
                        &words(&[1, 1 << 1 | 1 << 2 | 1 << 10 | 1 << 13 | 1 << 17, 1, 1]),
                    );
                    put(&mut body, 136, &floats(&[1.0, 2.0]));
                    put(&mut body, 172, &floats(&[0.5]));
                    put(&mut body, 528 + more, &words(&[2]));
                    put(&mut body, 532 + more, &floats(&[0.0, 1.0, 1.0, 3.0]));
                    replace_loop(h, [event(42, 1, 0.0, body)]);
                },
            ),
        ],
    ),
    (
        &[Game::Rc],
        &[
            edit(
                "an effect",
                LOOP,
                "EFFECT ( NAME ( boom ) AT_NODE ( door ) )",
                |h| {
                    let pointer = h.pointer(6);
                    h.set(0, pointer, &words(&[NEW]));
                    h.def(0).arrays[6] =
                        vec![vec![0; 36], [clean("boom", 32), words(&[0])].concat()];
                    replace_loop(
                        h,
                        [event(
                            3,
                            1,
                            0.0,
                            [half(1), half(1), floats(&[0.0; 3])].concat(),
                        )],
                    );
                },
            ),
            edit(
                "a condition",
                LOOP,
                "IF ( PLAYER_RANGE ( 12 ) ) LOOP ( LOOP_COUNT ( 3 ) ) ENDIF ( )",
                |h| {
                    let range = condition(&[2, 0, 144f32.to_bits()]);
                    replace_loop(h, [range, event(30, 1, 0.0, words(&[1, 3])), endif()]);
                },
            ),
        ],
    ),
    (
        &[Game::Pm, Game::Cs],
        &[
            edit("a condition", LOOP, "IF ( HW_RENDER ) ENDIF ( )", |h| {
                replace_loop(h, [condition(&[0x20, 0, 0, 0]), endif()])
            }),
            edit(
                "names of its own",
                "HEALTH ( 6.0 )",
                "HEALTH ( 6.0 ) LOCAL_NODES_ONLY ( ON )",
                |h| {
                    // Bit 21 in CS: bit 19 is the game's own.
                    h.flags(
                        0,
                        if h.game == Game::Cs {
                            0x20_0000
                        } else {
                            0x8_0000
                        },
                        0,
                    )
                },
            ),
        ],
    ),
    (
        &[Game::Cs],
        &[
            edit(
                "a height above the ground",
                LOOP,
                "IF ( NODE_NEAR_GROUND ( door 4 ) ) ENDIF ( )",
                |h| replace_loop(h, [condition(&[0x10, 1, 0xc080_0000, 0]), endif()]),
            ),
            edit(
                "what happens at a hit",
                "SEQUENCE_DEFINITION ( NAME ( open )",
                "DAMAGE_SEQUENCE ( OBJECT_ACTIVE_STATE ( STATE ( ACTIVE ) \
            NAME ( door ) ) ) SEQUENCE_DEFINITION ( NAME ( open )",
                |h| {
                    h.set(0, 212, &words(&[NEW]));
                    h.def(0).damage = Some(Block::new(
                        clean("DAMAGE_SEQUENCE", 32),
                        0,
                        NEW,
                        vec![active(1, 1)],
                    ));
                },
            ),
        ],
    ),
];

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Compiles the edited sources of a file over the file.
fn edited(base: &Base, from: &str, to: &str, options: &Options) -> (Vec<u8>, Compiled) {
    let made = decompile(
        base,
        head(base.anim.game),
        "../anim.zbd",
        Spelling::Zrd,
        None,
    )
    .unwrap();
    assert_eq!(made.raw, 0, "no keys say an entry");
    let files = Folder::new();
    let (mut found, mut all) = (0, String::new());
    for (path, bytes) in &made.files {
        let text = one_line(&String::from_utf8_lossy(bytes));
        found += text.matches(from).count();
        all += &text;
        files.set(
            path,
            if path == "refit.json" {
                bytes.clone()
            } else {
                text.replace(from, to).into()
            },
        );
    }
    assert_eq!(found, 1, "{from:?} in {all}");
    let compiled = good(compile_files(&files, Some(base), options).unwrap());
    (compiled.anim.as_ref().unwrap().write().unwrap(), compiled)
}

fn options_of(game: Game) -> Options {
    let world = (game == Game::Cs).then(|| world(&YARD));
    Options {
        world,
        ..Options::default()
    }
}

/// Describes the first difference between two files.
pub(super) fn differ(a: &[u8], b: &[u8]) -> String {
    let at = a
        .iter()
        .zip(b)
        .position(|(a, b)| a != b)
        .unwrap_or(a.len().min(b.len()));
    let near = |bytes: &[u8]| {
        bytes[at.saturating_sub(8).min(bytes.len())..(at + 24).min(bytes.len())].to_vec()
    };
    let all: Vec<usize> = a
        .iter()
        .zip(b)
        .enumerate()
        .filter(|(_, (a, b))| a != b)
        .map(|(at, _)| at)
        .take(12)
        .collect();
    format!(
        "{} and {} bytes, first at {at} ({all:?}): {:02x?} is {:02x?}",
        a.len(),
        b.len(),
        near(a),
        near(b)
    )
}

fn all_edits(game: Game) {
    let hand = base_of(game);
    let bytes = hand.bytes();
    let base = base_file(&bytes);
    assert_eq!(base.anim.write().unwrap(), bytes);
    let mut wrong = Vec::new();
    let mut count = 0;
    let own = OWN
        .iter()
        .filter(|(games, _)| games.contains(&game))
        .flat_map(|(_, edits)| *edits);
    for edit in EVERYWHERE.iter().chain(own) {
        let mut expected = hand.clone();
        (edit.expected)(&mut expected);
        let expected = expected.bytes();
        assert_ne!(expected, bytes, "{}", edit.what);
        let (made, _) = edited(&base, edit.from, edit.to, &options_of(game));
        if made != expected {
            wrong.push(format!(
                "{}: expected, made: {}",
                edit.what,
                differ(&expected, &made)
            ));
        }
        // And back: decompiling the edited file gives sources that reproduce it.
        let same = "ANIMATION_LIST ( ANIMATION_DEFINITION_FILE";
        let (back, _) = edited(&base_file(&made), same, same, &options_of(game));
        if back != made {
            wrong.push(format!(
                "{}: not its own fixed point: {}",
                edit.what,
                differ(&made, &back)
            ));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{game:?}\n{}", wrong.join("\n"));
    assert!(count >= 25);
}

#[test]
fn edits_change_what_they_should_in_each_game() {
    Game::ALL.into_par_iter().for_each(all_edits);
}

/// A time that is kept although the reset is off: shipped files of the games except Recoil have -1
/// there.
#[test]
fn a_reset_time_that_is_off_is_noted() {
    for (game, time, noted) in [
        (Game::Mw, "-0.75", true),
        (Game::Mw, "-1", false),
        (Game::Rc, "-0.75", false),
    ] {
        let to = format!("RESET_TIME ( {time} -1 ) HEALTH");
        let base = base_file(&base_of(game).bytes());
        let (_, compiled) = edited(&base, "RESET_TIME ( -1.0 ) HEALTH", &to, &options_of(game));
        let found: Vec<&str> = compiled.entries.iter().flat_map(codes).collect();
        assert_eq!(
            found.contains(&"animdef-reset-time"),
            noted,
            "{game:?} {time}: {found:?}"
        );
        assert!(!compiled.has_findings());
    }
}

/// One more lamp in the world makes one more entry of a pattern, and changes nothing else.
#[test]
fn a_pattern_that_fits_one_node_more_makes_one_entry_more() {
    let source = "ANIMATION_DEFINITION ( NAME ( \"lamp*\" ) ANIMATION_NAME ( \"glow*\" ) ACTIVATION ( ON_CALL ) \
        RESET_TIME ( -1 ) SEQUENCE_DEFINITION ( NAME ( main ) OBJECT_ACTIVE_STATE ( STATE ( ACTIVE ) NAME ( \"lamp*\" \
        ) ) ) )";
    for game in [Game::Rc, Game::Mw, Game::Pm, Game::Cs] {
        let lamp_of = |n: u32| {
            lamp(
                game,
                &format!("glow{n}"),
                &format!("lamp{n}"),
                place(&format!("lamp{n}")),
            )
        };
        let mut hand = Hand {
            game,
            gravity: -9.8,
            definitions: vec![lamp_of(1), lamp_of(2), gate_def(game)],
        };
        // Data that only the older file has.
        hand.set(0, 24, b"residue!");
        let base = base_file(&hand.bytes());
        let files = sources_of(&base);
        files.set(
            "anim.zrd",
            root(&format!("{source} ANIMATION_DEFINITION_FILE ( gate.zrd )")),
        );
        let compile_with = |names: &[&str]| {
            let options = Options {
                world: Some(world(names)),
                ..Options::default()
            };
            good(compile_files(&files, Some(&base), &options).unwrap())
                .anim
                .unwrap()
                .write()
                .unwrap()
        };
        let mut fewer = YARD;
        fewer[6] = "other";
        assert_eq!(compile_with(&fewer), hand.bytes(), "{game:?}");
        hand.definitions.insert(2, lamp_of(3));
        let made = compile_with(&YARD);
        assert!(
            made == hand.bytes(),
            "{game:?}: {}",
            differ(&hand.bytes(), &made)
        );
    }
}

/// `--prune` removes names that nothing refers to any more, and renumbers the others.
#[test]
fn unreferenced_entries_are_left_out_on_request() {
    for game in [Game::Rc, Game::Mw, Game::Pm, Game::Cs] {
        let hand = base_of(game);
        let base = base_file(&hand.bytes());
        let options = Options {
            prune: true,
            ..options_of(game)
        };
        let (from, to) = ("SOUND ( NAME ( creak ) AT_NODE ( door 0.0 1.0 0.0 ) )", "");
        let (made, _) = edited(&base, from, to, &options);
        let mut expected = hand.clone();
        let pointer = expected.pointer(SOUNDS);
        expected.set(0, pointer, &words(&[0]));
        expected.def(0).arrays[SOUNDS].clear();
        expected.def(0).sequences[0].events.remove(0);
        assert!(
            made == expected.bytes(),
            "{game:?}: {}",
            differ(&expected.bytes(), &made)
        );
        // Without it, the name stays.
        let (made, _) = edited(&base, from, to, &options_of(game));
        let mut expected = hand.clone();
        expected.def(0).sequences[0].events.remove(0);
        assert!(
            made == expected.bytes(),
            "{game:?}: {}",
            differ(&expected.bytes(), &made)
        );
    }
}
