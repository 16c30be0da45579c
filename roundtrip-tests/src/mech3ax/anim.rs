//! `anim.zbd` of Recoil, MechWarrior 3 and Pirate's Moon. Of events, what frames them is checked,
//! not their bodies.

use super::{Reader, Record};
use refit::game::Game;

/// The offsets of a definition's fields.
struct Layout {
    size: usize,
    name: usize,
    flags: usize,
    flag_bits: u32,
    /// How many bytes an element of each list has.
    lists: &'static [usize],
    /// The counts of sequences, of each list, of prerequisites, the required number of these, and
    /// of calls: a byte each.
    counts: usize,
    /// The address of the sequences.
    sequences: usize,
    /// The addresses of each list, of prerequisites and of calls.
    addresses: usize,
    most_to_satisfy: u8,
}

impl Layout {
    fn of(game: Game) -> Self {
        fn own<T>(game: Game, [rc, mw, pm]: [T; 3]) -> T {
            match game {
                Game::Mw => mw,
                Game::Pm => pm,
                _ => rc,
            }
        }
        Layout {
            size: own(game, [308, 316, 268]),
            name: own(game, [32, 32, 40]),
            flags: own(game, [148, 148, 156]),
            flag_bits: own(game, [0x143a, 0x11_3c3a, 0x19_3c3a]),
            lists: own(
                game,
                [
                    &[96, 40, 44, 44, 36, 36],
                    &[96, 40, 44, 44, 44, 36, 0],
                    &[92, 44, 44, 44, 44, 36, 0][..],
                ],
            ),
            counts: own(game, [260, 264, 216]),
            sequences: own(game, [192, 196, 204]),
            addresses: own(game, [272, 276, 228]),
            most_to_satisfy: own(game, [5, 2, 4]),
        }
    }

    /// The count and the address of a list, or of prerequisites or calls, which come after the
    /// lists.
    fn table(&self, table: usize) -> (usize, usize) {
        // The required number of prerequisites is between the counts.
        let count = self.counts + 1 + table + usize::from(table > self.lists.len());
        (count, self.addresses + 4 * table)
    }
}

/// The numbers of events. Recoil does not have 42, puffers.
const EVENTS: [u8; 39] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    27, 28, 30, 31, 32, 33, 34, 35, 36, 37, 39, 41, 42,
];

impl Record<'_> {
    fn is_ones(self, at: usize) -> bool {
        self.u(at) == u32::MAX
    }

    /// A name in a field that was filled with `Default_node_name` before.
    fn is_node_name(self, from: usize) -> bool {
        let field = &self.bytes[from..from + 32];
        let mut filled = [0; 32];
        filled[..17].copy_from_slice(b"Default_node_name");
        let end = field.iter().position(|byte| *byte == 0).unwrap_or(31);
        filled[..end].copy_from_slice(&field[..end]);
        filled[end] = 0;
        field[..end].is_ascii() && field == filled || self.padded(from, from + 32).is_some()
    }
}

/// What mech3ax refuses in an animation file.
pub fn anim(bytes: &[u8], game: Game) -> Vec<String> {
    let layout = &Layout::of(game);
    let mut reader = Reader::new(bytes);
    let head = reader.take(if game == Game::Pm { 12 } else { 8 });
    let version = [(Game::Mw, 39), (Game::Pm, 50)]
        .iter()
        .find(|(own, _)| *own == game)
        .map_or(28, |(_, n)| *n);
    reader.need(
        head.u(0) == 0x0817_0616 && head.u(4) == version,
        head,
        "signature and version",
    );
    let sources = reader.words(1)[0];
    reader.take(84 * sources as usize);
    let info = reader.take(match game {
        Game::Mw => 68,
        Game::Pm => 108,
        _ => 60,
    });
    let (count, messages) = (info.h(10), if game == Game::Pm { 24 } else { 16 });
    reader.all(
        info,
        "info",
        &[
            ("zeros", info.is_zero(0, 10)),
            ("definitions", count > 0 && info.u(12) != 0),
            (
                "messages",
                info.u(messages) == 0 && info.u(messages + 4) == 0,
            ),
            ("world", info.u(messages + 8) != 0),
        ],
    );
    let rest = match game {
        Game::Mw => info.is_zero(32, 60) && info.u(60) == 1 && info.u(64) == 0,
        Game::Pm => {
            info.u(40) < 2 && info.is_zero(44, 60) && info.u(60) == 1 && info.is_zero(64, 108)
        }
        _ => info.is_zero(32, 60),
    };
    reader.need(rest, info, "info: the rest");
    if game == Game::Pm {
        reader.need(info.u(16) > 0 && info.u(20) != 0, info, "info: scripts");
    }
    first(&mut reader, layout, game);
    (1..count).for_each(|_| definition(&mut reader, layout, game));
    if game == Game::Pm {
        scripts(&mut reader, info.u(16));
    }
    reader.end()
}

/// Definition 0: zeros, but for what starts it.
fn first(reader: &mut Reader<'_>, layout: &Layout, game: Game) {
    let record = reader.take(layout.size);
    let mut wanted = vec![0; layout.size];
    wanted[layout.flags + 5] = 3;
    if game == Game::Pm {
        wanted[72..76].fill(0xff);
        wanted[108..112].fill(0xff);
    }
    reader.need(record.bytes == wanted, record, "definition 0");
    if game != Game::Pm {
        let reset = reader.take(64);
        reader.need(reset.is_zero(0, 64), reset, "definition 0: reset");
    }
}

fn definition(reader: &mut Reader<'_>, layout: &Layout, game: Game) {
    let it = reader.take(layout.size);
    let (name, flags) = (layout.name, it.u(layout.flags));
    let at = |offset: usize| layout.flags + offset;
    let names = [0, name, name + 36].map(|from| it.padded(from, from + 32));
    let is_same_node = names[1] == names[2];
    let pointers = match game {
        Game::Pm => it.is_ones(name + 32) && it.is_ones(name + 68),
        _ => it.u(name + 32) != 0 && (it.u(name + 32) == it.u(name + 68)) == is_same_node,
    };
    let on = |bit: u32| flags & 1 << bit != 0;
    let range: [f32; 2] = it.floats(at(8));
    let priority = it.bytes[at(6)];
    reader.all(
        it,
        "definition",
        &[
            ("names", names.iter().all(Option::is_some)),
            ("addresses of nodes", pointers),
            ("zeros", it.is_zero(name + 72, name + 116)),
            (
                "flags",
                flags & !layout.flag_bits == 0 && (on(10) || !on(11)) && (on(12) || !on(13)),
            ),
            (
                "status",
                it.bytes[at(4)] == 0 || game == Game::Pm && it.bytes[at(4)] == 5,
            ),
            ("what starts it", it.bytes[at(5)] < 5),
            (
                "priority",
                priority == 4 || priority == 1 && game == Game::Rc,
            ),
            ("two", it.bytes[at(7)] == 2),
            ("zone and range", !(on(1) && on(3))),
            (
                "range",
                if on(1) {
                    0.0 <= range[0] && range[0] <= range[1]
                } else {
                    range == [0.0; 2]
                },
            ),
            ("reset time", on(5) || it.f(at(16)) == -1.0),
            (
                "health",
                it.u(at(20)) == 0 && it.f(at(24)) >= 0.0 && it.f(at(28)) == it.f(at(24)),
            ),
            (
                "zeros behind the health",
                it.is_zero(layout.flags + 32, layout.sequences),
            ),
            (
                "sequences",
                it.bytes[layout.counts] > 0 && it.u(layout.sequences) != 0,
            ),
            ("the last word", it.is_zero(layout.size - 4, layout.size)),
        ],
    );
    if game == Game::Rc {
        reader.need(it.is_zero(270, 272), it, "definition: padding");
    } else if game == Game::Mw {
        reader.need(it.bytes[275] == 0, it, "definition: padding");
    } else {
        reader.need(
            it.is_zero(32, 40) && it.u(212) == 0,
            it,
            "definition: damage",
        );
    }
    for (i, size) in layout.lists.iter().enumerate() {
        let (count, address) = layout.table(i);
        let count = it.bytes[count];
        reader.need(
            (count > 0) == (it.u(address) != 0) && (*size > 0 || count == 0),
            it,
            "definition: a list",
        );
        (0..count).for_each(|n| element(reader, game, *size, i, n == 0));
    }
    let (count, address) = layout.table(layout.lists.len());
    let least = it.bytes[count + 1];
    let (is_any, needed) = (
        it.bytes[count] > 0,
        if it.bytes[count] > 0 {
            layout.most_to_satisfy
        } else {
            0
        },
    );
    reader.need(
        is_any == (it.u(address) != 0) && least <= needed,
        it,
        "definition: prerequisites",
    );
    (0..it.bytes[count]).for_each(|_| prerequisite(reader, game));
    let (count, address) = layout.table(layout.lists.len() + 1);
    reader.need(
        (it.bytes[count] > 0) == (it.u(address) != 0),
        it,
        "definition: calls",
    );
    for _ in 0..it.bytes[count] {
        let call = reader.take(72);
        reader.need(call.u(64) < 2 && call.u(68) == 0, call, "call");
    }
    if game != Game::Pm || it.u(208) != 0 {
        let reset = reader.take(64);
        let is_it = reset.padded(0, 32) == Some("RESET_SEQUENCE") && reset.is_zero(32, 56);
        reader.need(
            is_it && (reset.u(56) != 0) == (reset.u(60) > 0),
            reset,
            "reset",
        );
        if game != Game::Pm {
            let from = layout.sequences + 4;
            reader.need(
                it.bytes[from..from + 64] == *reset.bytes,
                reset,
                "reset: as in the definition",
            );
        } else {
            reader.need(reset.u(60) > 0, reset, "reset: events");
        }
        events(reader, game, reset.u(60) as usize);
    }
    for _ in 0..it.bytes[layout.counts] {
        let sequence = reader.take(64);
        let is_it = sequence.padded(0, 32).is_some() && [0, 0x303].contains(&sequence.u(32));
        let is_it = is_it && sequence.is_zero(36, 56) && sequence.u(56) != 0 && sequence.u(60) > 0;
        reader.need(is_it, sequence, "sequence");
        events(reader, game, sequence.u(60) as usize);
    }
}

/// An element of the list at this position: objects, nodes, lights, puffers (not RC), dynamic
/// sounds, static sounds, effects (RC).
fn element(reader: &mut Reader<'_>, game: Game, size: usize, list: usize, is_first: bool) {
    let it = reader.take(size);
    let is_pm = game == Game::Pm;
    // The address of objects and nodes.
    let address = if is_pm && list == 1 { 40 } else { 36 };
    if is_first {
        let is_zero = match list < 2 && is_pm {
            true => it.is_ones(address) && it.is_zero(0, address) && it.is_zero(address + 4, size),
            false => it.is_zero(0, size),
        };
        return reader.need(is_zero, it, &format!("list {list}: element 0"));
    }
    let kind = if game == Game::Rc && list > 2 {
        list + 1
    } else {
        list
    };
    let is_it = match (kind, is_pm) {
        (0, false) => it.is_node_name(0) && it.u(32) == 0,
        (0, true) => it.is_node_name(0) && it.u(32) == 0 && it.is_ones(36) && it.h(42) == 0,
        (1, false) => it.is_node_name(0) && it.u(32) == 0 && it.u(36) != 0,
        (1, true) => it.h(2) == 0 && it.is_node_name(4) && it.u(36) == 0 && it.is_ones(40),
        (2 | 4, _) => it.is_node_name(0) && it.u(32) == 0 && it.u(36) != 0 && it.u(40) == 0,
        (3, _) => {
            it.padded(0, 32).is_some()
                && it.u(32) & 0xff_ffff == 0
                && it.u(36) != 0
                && it.u(40) == 0
        }
        (5, _) => it.bytes[..32].contains(&0) && it.u(32) == 0,
        _ => it.bytes[..32].contains(&0) && it.u(32) < 20,
    };
    reader.need(is_it, it, &format!("list {list}: an element"));
}

fn prerequisite(reader: &mut Reader<'_>, game: Game) {
    let it = reader.take(48);
    let (kind, state) = (it.u(4), it.u(8));
    let node = if game == Game::Pm {
        it.is_ones(44)
    } else {
        it.u(44) != 0
    } && it.padded(12, 44).is_some();
    let is_it = match kind {
        1 => it.padded(8, 40).is_some() && it.is_zero(40, 48),
        2 => node && [0, if game == Game::Pm { 3 } else { 1 }].contains(&state),
        3 => node && [0, if game == Game::Pm { 2 } else { 0 }].contains(&state),
        _ => false,
    };
    reader.need(it.u(0) < 2 && is_it, it, "prerequisite");
}

fn events(reader: &mut Reader<'_>, game: Game, size: usize) {
    let end = reader.at + size;
    while reader.at < end {
        let head = reader.take(12);
        let (kind, start) = (head.bytes[0], head.bytes[1]);
        let is_known = EVENTS.contains(&kind) && (kind != 42 || game != Game::Rc);
        let is_it = is_known && (1..4).contains(&start) && head.h(2) == 0 && head.u(4) >= 12;
        reader.need(is_it, head, &format!("event {kind}"));
        reader.take((head.u(4) as usize).saturating_sub(12));
    }
    let at = Record {
        at: reader.at,
        bytes: &[],
    };
    reader.need(reader.at == end, at, "events: the end");
}

/// The table of scripts of Pirate's Moon.
fn scripts(reader: &mut Reader<'_>, count: u32) {
    let entries: Vec<Record<'_>> = (0..count).map(|_| reader.take(28)).collect();
    for it in entries {
        let is_it =
            it.u(0) != 0 && it.u(4) != 0 && it.bytes[8] > 0 && it.bytes[9] > 0 && it.h(10) == 0;
        let is_it = is_it && it.u(12) < 2 && it.u(16) > 0 && it.u(20) > 0 && it.u(24) != 0;
        reader.need(is_it, it, "script");
        for length in [it.bytes[8], it.bytes[9]] {
            let name = reader.take(length.into());
            let is_name = name
                .bytes
                .split_last()
                .is_some_and(|(last, name)| *last == 0 && name.is_ascii());
            reader.need(is_name, name, "name of a script");
        }
        reader.take(it.u(20) as usize);
    }
}
