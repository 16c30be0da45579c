//! Animations of MechWarrior 3, Pirate's Moon and Crimson Skies: definitions with the events that
//! owners of the games counted, in about the counted proportions, with the addresses, old texts and
//! old memory of shipped files.

use super::{NONE, Out, worlds::Game};
use Game::{Cs, Mw, Pm};

/// An event: type, clock, start time, body.
fn event(number: u8, clock: u8, start: f32, body: &Out) -> Vec<u8> {
    let mut out = Out::default();
    out.raw(&[number, clock, 0, 0])
        .word(body.at() + 12)
        .float(start)
        .raw(&body.0);
    out.0
}

/// A sequence: its record, then its events.
fn sequence(name: &str, state: u8, pointer: u32, events: &[Vec<u8>]) -> Vec<u8> {
    let size: usize = events.iter().map(Vec::len).sum();
    let mut out = Out::default();
    out.text(name, 32, "")
        .raw(&[state, state, 0, 0])
        .zeros(20)
        .words(&[if size == 0 { 0 } else { pointer }, size as u32]);
    out.raw(&events.concat());
    out.0
}

/// The quotient in double precision, rounded once.
fn rate(from: f32, to: f32, time: f32) -> f32 {
    ((f64::from(to) - f64::from(from)) / f64::from(time)) as f32
}

/// The parameters of a definition that its events depend on.
struct Of {
    game: Game,
    i: usize,
}

const OWN: i16 = -100;
const INPUT: i16 = -200;

impl Of {
    fn active(&self, state: u32, node: i16) -> Vec<u8> {
        event(6, 2, 0.5, Out::default().word(state).half(node).half(0))
    }

    fn flow(&self, number: u8) -> Vec<u8> {
        event(number, 1, 0.0, &Out::default())
    }

    fn condition(&self, number: u8, condition: u32, node: u32, value: u32, second: u32) -> Vec<u8> {
        let mut out = Out::default();
        out.words(&[condition, node, value]);
        if self.game != Mw {
            out.word(second);
        }
        event(number, 1, 0.0, &out)
    }

    fn call(&self, name: &str, flags: u16, slot: i16, node: i16) -> Vec<u8> {
        let mut out = Out::default();
        out.text(name, 32, "")
            .half(0)
            .half(flags as i16)
            .half(0)
            .half(slot)
            .half(node)
            .half(0);
        out.floats(&if flags & 2 != 0 {
            [0.0, 2.0, 0.5]
        } else {
            [0.0; 3]
        });
        out.floats(&if flags & 4 != 0 {
            [0.0, 1.5, 0.0]
        } else {
            [0.0; 3]
        });
        event(24, 1, 0.0, &out)
    }

    fn named(&self, number: u8, name: &str, index: u32) -> Vec<u8> {
        event(
            number,
            1,
            0.25,
            Out::default().text(name, 32, "").word(index),
        )
    }

    fn motion_from_to(&self) -> Vec<u8> {
        let (from, to, time) = (
            [0.0f32, 1.25, -3.1],
            [0.0f32, 7.9 + self.i as f32 * 0.13, 4.77],
            0.7f32,
        );
        let turn = 90f32.to_radians();
        let mut out = Out::default();
        out.words(&[3, 2])
            .zeros(12)
            .floats(&from)
            .floats(&to)
            .floats(&[0, 1, 2].map(|k| rate(from[k], to[k], time)));
        out.floats(&[0.0; 3])
            .floats(&[0.0, turn, 0.0])
            .floats(&[0.0, rate(0.0, turn, time), 0.0])
            .zeros(36)
            .float(time);
        event(11, 2, 0.25, &out)
    }

    /// A thing that flies off: launched at random, turning, falling, and calling a sequence where
    /// it lands.
    fn motion(&self, kind: usize) -> Vec<u8> {
        let mut out = Out::default();
        let empty = |out: &mut Out| {
            out.zeros(32).half(-1).half(0).float(0.0);
        };
        match kind {
            // Falling: with the flag that only camera files of Crimson Skies have.
            0 => {
                let flags = if self.game == Cs { 0x8401 } else { 0x401 };
                out.word(flags)
                    .half(1)
                    .half(0)
                    .float(0.0)
                    .float(-9.8)
                    .zeros(180);
                (0..3).for_each(|_| empty(&mut out));
                out.float(3.5);
            }
            // Launched: with its direction, whose length is 1 - elevation / 90. Only one of the two
            // flags in some files.
            1 => {
                let flags = if self.game == Cs && self.i.is_multiple_of(2) {
                    0x40C
                } else {
                    0x41C
                };
                out.word(flags)
                    .half(2)
                    .half(0)
                    .zeros(12)
                    .floats(&[180.0, 180.0, 0.0, 0.0, 5.0, 10.0, 0.0, 0.0]);
                out.zeros(48).floats(&[8.742278e-8, 0.0, 1.0]).zeros(84);
                (0..3).for_each(|_| empty(&mut out));
                out.float(2.0);
            }
            // Bouncing: on the ground with a sound, on lava without effect.
            _ => {
                out.word(0x1825)
                    .half(2)
                    .half(0)
                    .float(0.0)
                    .float(-9.8)
                    .zeros(36)
                    .floats(&[1.0, 5.0, -2.0, 0.0, 0.1, 0.0])
                    .zeros(48);
                out.floats(&[0.5, 0.0, 0.25, 0.0, 0.0, 0.0]).zeros(48);
                out.text("DUST", 32, "").half(-1).half(1).float(12.0);
                empty(&mut out);
                empty(&mut out);
                out.float(0.0);
            }
        }
        event(10, 1, 0.0, &out)
    }

    fn light(&self) -> Vec<u8> {
        let mut out = Out::default();
        out.text("lamp1", 32, "")
            .word(1)
            .word(0x6A | 0x18)
            .words(&[1, 1]);
        // At a node, with a range (sometimes negative and reversed in Crimson Skies), a colour,
        // ambient and diffuse light.
        let (near, far) = if self.game == Cs && self.i.is_multiple_of(31) {
            (-20.0, -50.0)
        } else {
            (5.0, 50.0)
        };
        let flags = 0x2 | 0x8 | 0x10 | 0x20 | 0x40 | 0x80 | 0x100;
        let at = out.0.len() - 12;
        out.0[at..at + 4].copy_from_slice(&u32::to_le_bytes(flags));
        out.words(&[1, 0]);
        out.zeros(if self.game == Mw { 8 } else { 16 });
        out.word(2)
            .zeros(12)
            .zeros(12)
            .floats(&[near, far, 1.0, 0.9, 0.5]);
        if self.game != Mw {
            out.zeros(12);
        }
        out.floats(&[0.2, 0.8]);
        event(4, 1, 0.0, &out)
    }

    fn puffer(&self, kind: usize) -> Vec<u8> {
        let cs = self.game == Cs;
        let mut out = Out::default();
        out.text("smoke", 32, "").word(1);
        if kind == 0 {
            // Switched off: no further values.
            out.word(4)
                .word(NONE)
                .word(0)
                .zeros(if self.game == Mw { 532 } else { 536 });
            return event(42, 1, 0.0, &out);
        }
        let near = cs && self.i.is_multiple_of(3);
        let age = cs && self.i.is_multiple_of(5);
        let mut flags: u32 = 0x2
            | 0x4
            | 0x10
            | 0x20
            | 0x40
            | 0x200
            | 0x400
            | 0x800
            | 0x2000
            | 0x4000
            | 1 << 16
            | 1 << 17
            | 1 << 18;
        flags |= if near { 1 << 19 | 1 << 12 } else { 0 } | if age { 1 << 15 } else { 0 };
        flags |= if cs { 0 } else { 0x180 }
            | if self.i.is_multiple_of(40) {
                1 << 20 | 1 << 22
            } else {
                0
            };
        out.word(flags)
            .word(if cs && self.i.is_multiple_of(7) {
                OWN as i32 as u32
            } else {
                2
            })
            .word(1 + self.i as u32 % 3);
        out.zeros(24).floats(&[
            0.0, 2.0, 0.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 0.0, 0.5, 0.0,
        ]);
        // The interval has a value although its flags are off, as in all files of Crimson Skies.
        out.word(if kind == 2 { 1 } else { 0 })
            .float(0.05)
            .floats(&[0.5, 1.5, 2.0, 1.0]);
        out.floats(&if age { [-1.0, 0.1] } else { [0.0; 2] })
            .float(0.25);
        out.floats(&if near {
            [[70.0, 20.0], [40.0, 5.0], [70.0, 50.0]][self.i % 3]
        } else {
            [0.0; 2]
        });
        out.floats(&if near { [200.0, 400.0] } else { [0.0; 2] })
            .float(0.1);
        let windy = self.i.is_multiple_of(40);
        out.floats(&if windy { [1.5, 2.0] } else { [0.0; 2] });
        if self.game != Mw {
            out.word(0);
        }
        // Textures with ages; colours: age, red, green, blue, alpha; sizes that become negative.
        out.word(1);
        for (age, name) in [(0.0, "smoke1"), (0.4, "smoke2"), (0.8, "smoke3")] {
            out.float(age).text(name, 32, "");
        }
        out.zeros(108)
            .word(2)
            .floats(&[0.0, 1.0, 0.9, 0.8, 1.0])
            .floats(&[1.0, 0.2, 0.2, 0.2, 0.0])
            .zeros(80);
        out.word(2)
            .floats(&[
                0.0,
                1.0,
                1.0,
                if cs && self.i.is_multiple_of(4) {
                    -0.2
                } else {
                    3.0
                },
            ])
            .zeros(32);
        event(42, 1, 0.0, &out)
    }

    /// The events of the main sequence: nested blocks, calls, motions, lights, sounds, and those
    /// that only this game has.
    fn run(&self) -> Vec<Vec<u8>> {
        let mut events = self.blocks();
        events.extend(self.states());
        if self.game != Mw {
            events.push(event(12, 1, 0.0, &self.script()));
        }
        if self.game == Cs {
            events.extend(self.conditions());
            if self.i == 3 {
                events.extend(self.rare());
            }
        }
        events
    }

    /// Nested blocks, with calls, sounds, a motion and lights in them.
    fn blocks(&self) -> Vec<Vec<u8>> {
        let (cs, i) = (self.game == Cs, self.i);
        let hum = [
            1,
            2,
            1,
            if cs && i.is_multiple_of(4) {
                INPUT as i32 as u32
            } else {
                2
            },
        ];
        let mut lighter = Out::default();
        lighter
            .text("lamp1", 32, "")
            .word(1)
            .floats(&[5.0, -3.0])
            .zeros(16);
        lighter.floats(&[-0.5, 0.5, 0.0]).zeros(24).float(1.5);
        vec![
            self.active(1, 1),
            self.active(1, 2),
            self.condition(31, 2, 0, 22_500f32.to_bits(), 0),
            event(
                1,
                1,
                0.0,
                Out::default()
                    .half(1)
                    .half(if i.is_multiple_of(2) { 1 } else { INPUT })
                    .zeros(12),
            ),
            self.call("DUST_CLOUD", 8, -1, 1),
            self.condition(33, 1, 0, 0.3f32.to_bits(), 0),
            self.condition(31, 4, 0, 2, 0),
            self.motion_from_to(),
            self.flow(34),
            self.call("DUST_CLOUD", 7, -1, INPUT),
            self.flow(32),
            self.call(&format!("anim_{:03}", i % 9), 16, 0, 0),
            event(
                1,
                3,
                0.1,
                Out::default().half(1).half(0).floats(&[10.0, 0.0, -5.0]),
            ),
            self.flow(34),
            self.active(0, if i.is_multiple_of(5) { OWN } else { 2 }),
            self.motion(i % 3),
            event(
                2,
                1,
                0.0,
                Out::default().text("hum", 32, "").words(&hum).zeros(12),
            ),
            self.light(),
            event(5, 2, 1.0, &lighter),
        ]
    }

    /// What changes one state of an object, puffers, a flash, and names of other animations.
    fn states(&self) -> Vec<Vec<u8>> {
        let (cs, i) = (self.game == Cs, self.i);
        let turn = [0.0, if cs && i.is_multiple_of(9) { 6.5 } else { 1.5 }, 0.0];
        let own = if cs { OWN } else { 1 };
        let (opaque, opacity) = (i16::from(i % 3 != 0), if i % 3 == 2 { 0.4 } else { 1.0 });
        let mut flash = Out::default();
        for (from, to) in [(1.0f32, 0.0f32), (0.5, 0.1), (0.25, 0.0), (0.6, 0.0)] {
            flash.floats(&[from, to, rate(from, to, 0.45)]);
        }
        flash.float(0.45);
        let other = format!("anim_{:03}", i % 9);
        vec![
            event(
                9,
                1,
                0.0,
                Out::default().word(1).floats(&turn).half(2).half(0),
            ),
            event(
                7,
                1,
                0.0,
                Out::default()
                    .word(0)
                    .floats(&[1.0, 2.0, 3.0])
                    .half(2)
                    .half(0),
            ),
            event(8, 1, 0.0, Out::default().floats(&[1.0, 2.0, 1.0]).word(2)),
            event(
                14,
                3,
                0.0,
                Out::default().word(1).half(-1).half(0).floats(&[
                    1.0,
                    0.35,
                    rate(1.0, 0.35, 1.3),
                    1.3,
                ]),
            ),
            event(
                13,
                1,
                0.0,
                Out::default()
                    .half(opaque)
                    .half(1)
                    .float(opacity)
                    .half(own)
                    .half(0),
            ),
            event(15, 1, 0.0, Out::default().half(1).half(2)),
            event(16, 1, 2.0, Out::default().half(1).half(2)),
            event(
                17,
                1,
                0.0,
                Out::default().word(1).half(2).half(i as i16 % 6),
            ),
            self.puffer(0),
            self.puffer(1 + i % 2),
            event(36, 1, 0.0, &flash),
            self.named(22, "DUST", NONE),
            self.named(25, &other, if self.game == Mw { 0 } else { NONE }),
            self.named(27, &other, 0),
            event(35, 1, 0.0, Out::default().word([0, 3, 15, 16][i % 4])),
        ]
    }

    /// Conditions of Crimson Skies: signed heights, health with one value and two, whether a node
    /// is active. They are followed by a slot without its flag, and a reset of an animation by its
    /// own number.
    fn conditions(&self) -> Vec<Vec<u8>> {
        const CONDITIONS: [(u32, u32, f32, f32); 4] = [
            (16, 2, -50.0, 0.0),
            (0x100, 2, 30.0, 0.0),
            (0x800, 0, 0.5, 0.0),
            (0x1000, 0, 0.25, 0.75),
        ];
        let values = CONDITIONS.map(|(condition, node, value, second)| {
            (condition, node, value.to_bits(), second.to_bits())
        });
        let mut events = Vec::new();
        for (k, (condition, node, value, second)) in
            values.into_iter().chain([(0x2000, 2, 1, 0)]).enumerate()
        {
            events.push(self.condition(
                if k == 0 { 31 } else { 33 },
                condition,
                node,
                value,
                second,
            ));
            events.push(self.active(1, 2));
        }
        events.push(self.flow(34));
        events.push(self.call("DUST_CLOUD", 0, 3, 0));
        events.push(self.named(27, "anim_001", -100i32 as u32));
        events
    }

    /// Events that few animations of Crimson Skies have: fog, a camera, ramps of colours, a list of
    /// scripts.
    fn rare(&self) -> Vec<Vec<u8>> {
        let mut fog = Out::default();
        fog.text("drop_fog", 32, "")
            .words(&[0xE, 1])
            .floats(&[0.69; 3])
            .floats(&[10_000.0, 11_000.0, 1000.0, 1500.0]);
        let mut list = Out::default();
        list.word(15);
        for _ in 0..15 {
            list.raw(&event(12, 1, 0.0, &self.script()));
        }
        vec![
            event(28, 1, 0.0, &fog),
            event(
                20,
                1,
                0.0,
                Out::default().words(&[8, 2]).zeros(12).float(1.2).zeros(12),
            ),
            event(46, 1, 0.0, Out::default().zeros(172).float(4.0)),
            event(47, 1, 0.0, &list),
        ]
    }

    fn script(&self) -> Out {
        let mut out = Out::default();
        match self.game {
            Cs => out.words(&[0, 2, 0]).zeros(52),
            _ => out.words(&[2, self.i as u32 % 8]).zeros(16),
        };
        out
    }
}

/// A frame of a script: its parts, its time, and whether its curves are valid.
fn frame(out: &mut Out, at: usize, mask: u32, curved: bool) {
    out.word(mask)
        .floats(&[at as f32 * 3.64, (at + 1) as f32 * 3.64]);
    for part in [1, 2, 4] {
        if mask & part == 0 {
            continue;
        }
        let turn = part == 2;
        match turn {
            true => out.floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.01, 0.0]),
            false => out.floats(&[at as f32, 2.0, -1.0, 0.0, 0.5, 0.0, 0.25]),
        };
        // Curves: value, c1, c2, c3; old memory if their flag is off.
        for axis in 0..3 {
            match curved {
                true if turn => out.floats(&[0.0, 0.01, 0.0, 0.0]),
                true => out.floats(&[at as f32 + axis as f32, 0.5, 0.0, 0.0]),
                false => out.floats(&[4.6e27, -1.5e-30, 0.0, 3.0]),
            };
        }
    }
}

/// A file of animations: for a mission of Crimson Skies (`mis_anim.zbd`), for a world in the other
/// games.
pub fn animations(game: Game, count: usize) -> Vec<u8> {
    const OLD: &str = "..\\data\\common\\zrdr\\anim\\some_much_longer_name.zrd";
    let mut out = Out::default();
    out.words(&[
        0x0817_0616,
        if game == Mw {
            39
        } else if game == Pm {
            50
        } else {
            53
        },
    ]);
    if game == Pm {
        out.word(942_371_914);
    }
    if game == Cs {
        out.word(2);
    }
    let rows = 1 + count / 8;
    out.word(rows as u32);
    if game == Cs {
        out.text("zbd\\c1\\gamez.zbd", 128, "")
            .word(967_277_730)
            .text("zbd\\planes.zbd", 128, "")
            .word(967_277_477);
    }
    for i in 0..rows {
        let path = match i {
            0 if game == Cs => "..\\\\data\\\\c1\\\\zrdr\\cam_anim.zrd".to_owned(),
            0 => "..\\data\\c1\\zrdr\\anim.zrd".into(),
            1..6 => "..\\data\\common\\zrdr\\climbladder.zan".into(),
            _ => format!("..\\data\\common\\zrdr\\gate{i}.zrd"),
        };
        out.text(&path, 80, if i % 5 < 2 { OLD } else { "" })
            .word(967_275_656 + i as u32 * 9);
    }
    let scripts: u32 = if game == Mw { 0 } else { 8 };
    out.words(&[0, 0])
        .half(0)
        .half(count as i16 + 1)
        .word(0x03F5_000C);
    if game != Mw {
        out.words(&[scripts, 0x06A6_A008]);
    }
    out.words(&[0, 0, 0x0532_0020]).float(-9.8);
    match game {
        Mw => out.zeros(28).words(&[1, 0]),
        _ => out.word(1).zeros(16).word(1).zeros(44),
    };
    // Definition 0.
    match game {
        Mw => out.zeros(153).raw(&[3]).zeros(316 - 154 + 64),
        Pm => out
            .zeros(72)
            .word(NONE)
            .zeros(32)
            .word(NONE)
            .zeros(49)
            .raw(&[3])
            .zeros(106),
        Cs => {
            out.text("reserved_anim_0", 32, "")
                .zeros(40)
                .word(NONE)
                .zeros(32)
                .word(NONE)
                .zeros(44)
                .word(0x20_0000);
            out.raw(&[0, 3, 0, 0]).zeros(108)
        }
    };
    for i in 0..count {
        definition(game, i, &mut out);
    }
    if scripts > 0 {
        let length = if count < 20 { 12usize } else { 90 };
        let mut data = Out::default();
        for i in 0..scripts {
            let (name, object) = (
                format!("..\\data\\common\\zrdr\\train{i}.zan\0"),
                format!("train{i}\0"),
            );
            let curved = game == Cs && i % 8 != 7;
            let mut frames = Out::default();
            // Some frames have no part, and a few have a scale.
            (0..length).for_each(|at| {
                let mask = if game == Cs && at % 9 == 8 {
                    0
                } else {
                    3 | if at == length / 2 { 4 } else { 0 }
                };
                frame(&mut frames, at, mask, curved);
            });
            out.words(&[0x0A5B_F008, 0x0A5B_F108]).raw(&[
                name.len() as u8,
                object.len() as u8,
                0,
                0,
            ]);
            out.words(&[u32::from(curved), length as u32, frames.at(), 0x0A5C_0008]);
            data.raw(name.as_bytes())
                .raw(object.as_bytes())
                .raw(&frames.0);
        }
        out.raw(&data.0);
    }
    out.0
}

/// Addresses of the program that wrote a file, each after the last one.
struct Pointers(u32);

impl Pointers {
    fn next(&mut self) -> u32 {
        self.0 += 0x40;
        self.0
    }

    /// An address, or 0 for something that is not there.
    fn next_if(&mut self, there: bool) -> u32 {
        let next = self.next();
        if there { next } else { 0 }
    }
}

/// A definition of an animation.
struct Definition {
    of: Of,
    name: String,
    attach: String,
    pointers: Pointers,
    /// Its sequence of damage, its path, and the number of its prerequisites.
    damage: bool,
    path: bool,
    prerequisites: u8,
}

fn definition(game: Game, i: usize, out: &mut Out) {
    let name = format!("gate{:02}.flt", i % 40);
    let mut definition = Definition {
        of: Of { game, i },
        attach: if i.is_multiple_of(3) {
            format!("wall{}", i % 9)
        } else {
            name.clone()
        },
        name,
        pointers: Pointers(0x02F2_0010 + i as u32 * 0x1000),
        damage: game == Cs && i.is_multiple_of(10),
        path: game == Cs && i.is_multiple_of(2),
        prerequisites: if i.is_multiple_of(4) { 2 } else { 0 },
    };
    let reset = definition.record(out);
    definition.objects(out);
    definition.references(out);
    out.raw(&reset);
    definition.sequences(out);
}

impl Definition {
    /// The record. Returns that of the reset sequence, which is stored again after the lists.
    fn record(&mut self, out: &mut Out) -> Vec<u8> {
        let Of { game, i } = self.of;
        let (ranged, quiet, by_reset) = (
            i.is_multiple_of(2),
            i.is_multiple_of(4),
            i.is_multiple_of(3),
        );
        let bit = |set: bool, bits: u32| if set { bits } else { 0 };
        let mut flags = bit(ranged, 0x2) | bit(by_reset, 0x20) | bit(quiet, 0x1400) | 0x10;
        if game == Cs {
            // Flags without a known meaning: two that occur together on buildings, and two that
            // nearly all definitions have.
            flags |=
                bit(i.is_multiple_of(6), 0xC000) | 0x44_0000 | bit(i.is_multiple_of(20), 0x20_0000);
        }
        let (node, hit) = (self.pointers.next(), self.pointers.next());
        let [own, other] = match game {
            Mw => [node, hit],
            Pm => [NONE; 2],
            Cs => [i as u32 * 7, 0x3DAD],
        };
        out.text(&format!("anim_{i:03}"), 32, "some_longer_name");
        if game != Mw {
            out.words(&[self.pointers.next_if(self.path), u32::from(self.path)]);
        }
        out.text(&self.name, 32, "").word(own);
        out.text(&self.attach, 32, "another_old_name_here")
            .word(if self.attach == self.name { own } else { other });
        let priority = if game != Mw && i.is_multiple_of(11) {
            5
        } else {
            0
        };
        out.zeros(44)
            .word(flags)
            .raw(&[priority, 4 - u8::from(i.is_multiple_of(5)), 4, 2]);
        let range = if ranged { 150.0f32 * 150.0 } else { 0.0 };
        out.floats(&[
            0.0,
            range,
            if by_reset && ranged { 2.5 } else { -1.0 },
            0.0,
            i as f32,
            i as f32,
        ]);
        let reset = sequence(
            "RESET_SEQUENCE",
            0,
            self.pointers.next(),
            &[self.of.active(1, 1)],
        );
        match game {
            Mw => out.zeros(16).word(self.pointers.next()).raw(&reset[..64]),
            _ => {
                let events = [
                    self.pointers.next(),
                    self.pointers.next(),
                    self.pointers.next_if(self.damage),
                ];
                out.zeros(16).words(&events)
            }
        };
        let (required, scripts) = (u8::from(self.prerequisites > 0), u8::from(game == Cs));
        out.raw(&[
            2,
            2,
            3,
            2,
            2,
            2,
            2,
            0,
            self.prerequisites,
            required,
            4,
            scripts,
        ]);
        (0..6).for_each(|_| _ = out.word(self.pointers.next()));
        out.words(&[
            0,
            self.pointers.next_if(self.prerequisites > 0),
            self.pointers.next(),
        ]);
        match game {
            Cs => out.words(&[self.pointers.next(), 0]),
            _ => out.word(0),
        };
        reset
    }

    /// The path, and the lists of things. The positions of objects are old memory, possibly NaN.
    fn objects(&mut self, out: &mut Out) {
        let Of { game, i } = self.of;
        if self.path {
            out.text("player_plane", 32, "").word(i as u32);
        }
        let tail = "Default_node_name";
        let number = if game == Cs { i as u32 } else { NONE };
        match game {
            Mw => {
                out.zeros(96)
                    .text(&self.name, 32, tail)
                    .words(&[0, self.pointers.next(), 1, 1])
                    .floats(&[1.5; 12]);
                out.zeros(40);
                for node in [self.name.as_str(), "dust_1"] {
                    out.text(node, 32, tail).words(&[0, self.pointers.next()]);
                }
            }
            _ => {
                out.zeros(36).word(NONE).zeros(52);
                out.text(&self.name, 32, tail)
                    .words(&[0, number, 0])
                    .floats(&[1.5; 11])
                    .word(0x7FC0_0000);
                out.zeros(40).word(NONE);
                for node in [self.name.as_str(), "dust_1"] {
                    out.word(0).text(node, 32, tail).words(&[0, number]);
                }
            }
        }
        let high = if i.is_multiple_of(3) { 0x0300_0000 } else { 0 };
        for (name, filler, high) in [("lamp1", tail, 0), ("smoke", "", high), ("hum", tail, 0)] {
            out.zeros(44)
                .text(name, 32, filler)
                .words(&[high, self.pointers.next(), 0]);
        }
        let wide = if game == Cs { 40 } else { 36 };
        out.zeros(wide)
            .text("gate_open.wav", 32, "a_much_longer_sound_name.wav")
            .zeros(wide - 32);
    }

    /// Prerequisites, and the animations that it calls.
    fn references(&mut self, out: &mut Out) {
        let Of { game, i } = self.of;
        if self.prerequisites > 0 {
            out.words(&[1, 1])
                .text(&format!("anim_{:03}", (i + 1) % 9), 32, "")
                .zeros(8);
            let (state, node) = match game {
                Mw => (1, self.pointers.next()),
                Pm => (3, NONE),
                Cs => (2, NONE),
            };
            out.words(&[0, 2, state]).text("dust_1", 32, "").word(node);
        }
        for _ in 0..3 {
            out.text("DUST_CLOUD", 32, "an_old_name_of_animation")
                .zeros(32)
                .words(&[0, 0]);
        }
        match game {
            // A call with a local name.
            Cs => {
                out.text("anim_001", 32, "an_old_name_of_animation").text(
                    &format!("local{i}"),
                    32,
                    "",
                );
                out.words(&[1, 0, i as u32 % 8])
            }
            _ => out
                .text("anim_001", 64, "an_old_name_of_animation")
                .words(&[0, 0]),
        };
    }

    fn sequences(&mut self, out: &mut Out) {
        let Definition { of, pointers, .. } = self;
        if self.damage {
            out.raw(&sequence(
                "DAMAGE_SEQUENCE",
                0,
                pointers.next(),
                &[of.active(0, 1)],
            ));
        }
        let ends = of.game == Cs && of.i.is_multiple_of(7);
        let forever = event(
            30,
            1,
            0.0,
            Out::default()
                .word(1)
                .half(if ends { 0 } else { -1 })
                .half(0),
        );
        out.raw(&sequence("", 0, pointers.next(), &of.run()));
        out.raw(&sequence(
            "DUST",
            3,
            pointers.next(),
            &[of.active(1, 2), forever],
        ));
    }
}
