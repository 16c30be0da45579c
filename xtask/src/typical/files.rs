//! Archives of readers, sounds, motions and 'mechs, saved games, texture packages, scripts, maps,
//! texts and resource archives, as measured by owners of the games.

use super::{NONE, Out};
use roundtrip_tests::by_hand;

/// A value of a reader file.
enum Value {
    Int(i32),
    Float(f32),
    Text(String),
    List(Vec<Value>),
}
use Value::{Float, Int};

fn text(text: &str) -> Value {
    Value::Text(text.into())
}
fn list(items: Vec<Value>) -> Value {
    Value::List(items)
}

impl Value {
    fn save(&self, out: &mut Out) {
        match self {
            Int(n) => out.words(&[1, *n as u32]),
            Float(x) => out.word(2).float(*x),
            Value::Text(text) => out.words(&[3, text.len() as u32]).raw(text.as_bytes()),
            Value::List(items) => {
                out.words(&[4, items.len() as u32 + 1]);
                items.iter().for_each(|item| item.save(out));
                out
            }
        };
    }
    fn bytes(&self) -> Vec<u8> {
        let mut out = Out::default();
        self.save(&mut out);
        out.0
    }
}

/// The fields after the name of a member in a table.
#[derive(Clone)]
enum Behind {
    /// A deliberate comment, and the time of packing.
    Told {
        flags: u32,
        comment: String,
        time: u64,
    },
    /// No comment was given: old stack memory.
    Memory(u32),
}

/// A member of an archive: name, payload, and the fields after the name.
type Member = (String, Vec<u8>, Behind);

/// An archive: payloads one after the other, then the table. `version` 2 has a checksum, for
/// readers only, and may hide the lengths.
fn archive(members: &[Member], version: u32, checked: bool, ones: bool) -> Vec<u8> {
    let behind = |(i, (.., behind)): (usize, &Member)| match behind {
        Behind::Told {
            flags,
            comment,
            time,
        } => (*flags, comment.clone().into_bytes(), *time),
        Behind::Memory(seed) => {
            let word = |k: u32| {
                (seed
                    .wrapping_mul(2_654_435_761)
                    .wrapping_add(k.wrapping_mul(0x0101_3F07)))
                    & !2
            };
            let words: Vec<u32> = (0..19)
                .map(|k| if k % 5 == 4 { 0 } else { word(k + i as u32) })
                .collect();
            let comment = words[1..17]
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect();
            (
                words[0],
                comment,
                u64::from(words[18]) << 32 | u64::from(words[17]),
            )
        }
    };
    let behind: Vec<(u32, Vec<u8>, u64)> = members.iter().enumerate().map(behind).collect();
    let rows = members.iter().zip(&behind);
    let rows = rows.map(|((name, payload, _), (flags, comment, time))| {
        (name.as_str(), &payload[..], *flags, &comment[..], *time)
    });
    let data: Vec<u8> = members
        .iter()
        .flat_map(|(_, payload, _)| payload.iter().copied())
        .collect();
    let sum = (version == 2).then(|| if checked { by_hand::checksum(&data) } else { 0 });
    by_hand::archive(&rows.collect::<Vec<_>>(), ones, sum)
}

/// 26 August 2000, 08:00:54, as Windows file time, plus `later` tenths of a second.
fn crimson_time(later: u64) -> u64 {
    126_117_504_540_000_000 + later * 1_000_000
}

/// Readers of a Recoil mission: keys in the outermost list, comments with the compiler's temporary
/// files, in the order of their folders. The game never loads 100 of its members `net_01` to
/// `net_99`; the members that the engine knows contain what it expects.
pub fn recoil_readers() -> Vec<u8> {
    let mut members: Vec<(String, Value)> = Vec::new();
    let float = |x: f32| Float(x);
    let place = |x: f32| list(vec![float(x), float(0.5), float(-x)]);
    members.push((
        "ai.zrd".into(),
        list(
            (0..12)
                .flat_map(|i| {
                    let parts = list((0..2 + i % 3).map(|k| text(&format!("part{k}"))).collect());
                    let targets = list(
                        (0..1 + i % 8)
                            .map(|k| text(&format!("bft_{k:02}")))
                            .collect(),
                    );
                    let weapon = list(vec![text("NAME"), text("laser"), text("RATE"), float(0.5)]);
                    [
                        text(&format!("turret{i:02}")),
                        list(vec![
                            text("PARTS"),
                            parts,
                            text("TARGETS"),
                            targets,
                            text("WEAPON"),
                            weapon,
                        ]),
                    ]
                })
                .collect(),
        ),
    ));
    for suffix in ["", "_easy", "_hard"] {
        let entries = (0..40).flat_map(|i| {
            let name = if i == 0 || i == 39 {
                "bft_00".into()
            } else {
                format!("vtank_{i:02}")
            };
            [
                text(&name),
                list(vec![Int(i % 25 + 1), place(i as f32 * 10.0), float(90.0)]),
            ]
        });
        members.push((format!("aiv{suffix}.zrd"), list(entries.collect())));
    }
    // Never read at run time: the animations are compiled.
    members.push((
        "anim.zrd".into(),
        list(vec![
            text("ANIMATION_LIST"),
            list(vec![text("gate.flt"), text("gate_open")]),
        ]),
    ));
    for n in 1..=25 {
        let nodes = 3 + n % 7;
        let mut items = vec![
            text("version"),
            Int(105),
            text("name"),
            text(&format!("path_{n:02}")),
        ];
        if n % 4 == 0 {
            items.drain(..2);
        }
        for i in 0..nodes {
            items.push(text(&format!("node_{i:02}")));
            let to = |k: i32| Int(if i + k < nodes { i + k } else { -1 });
            items.push(list(vec![
                Int(1),
                place(i as f32 * 40.0),
                to(1),
                to(2),
                Int(-1),
            ]));
        }
        items.extend([
            text("attack_strategy"),
            text(["FOLLOW", "CIRCLE", "HEADON", "BACK", "ZIGZAG", "SIT"][n as usize % 6]),
        ]);
        members.push((format!("net_{n:02}.zrd"), list(items)));
    }
    members.push((
        "objectives.zrd".into(),
        list(
            (1..=5)
                .flat_map(|n| {
                    let mut items = vec![
                        text("TEXT"),
                        text(&format!("MSG_OBJ_{n}")),
                        text("READ_TIME"),
                        Int(8),
                        text("REVIEW_DELAY"),
                        Int(20),
                    ];
                    // The fifth objective of the third mission cannot be completed.
                    if n < 5 {
                        items.extend([
                            text("COMPLETE"),
                            list(vec![text("DESTROY"), text("bridge")]),
                        ]);
                    }
                    [text(&format!("OBJECTIVE{n}")), list(items)]
                })
                .collect(),
        ),
    ));
    let pups = (0..40).flat_map(|i| {
        [
            text(&format!("pu{i:03}")),
            list(vec![place(i as f32), place(0.1)]),
        ]
    });
    members.push(("puppies.zrd".into(), list(pups.collect())));
    members.push((
        "startanims.zrd".into(),
        list(vec![text("waves"), text("flag_wave")]),
    ));
    let readers = members.iter().enumerate().map(|(i, (name, value))| {
        let stem: String = name.chars().take(3).collect();
        let comment = format!("D:\\battlesportdev\\data\\m1\\zrdr\\envmodels\\{stem}E3{i:02X}.TMP");
        (
            name.clone(),
            value.bytes(),
            Behind::Told {
                flags: 2,
                comment,
                time: 125_500_000_000_000_000 + i as u64 * 5_000_000,
            },
        )
    });
    archive(&readers.collect::<Vec<_>>(), 1, false, false)
}

/// Readers of MechWarrior 3 or Pirate's Moon: the outermost list contains one list; old stack
/// memory follows the names.
pub fn mech_readers(version: u32) -> Vec<u8> {
    let members: Vec<Member> = (0..40)
        .map(|i| {
            let rows = (0..i % 9 + 2).map(|k| {
                list(vec![
                    text(&format!("KEY_{k}")),
                    if k % 2 == 0 {
                        Int(k)
                    } else {
                        Float(k as f32 * 0.5)
                    },
                ])
            });
            let value = list(vec![list(vec![
                text("TABLE"),
                list(rows.collect()),
                text("NAME"),
                text("mech"),
                text("EMPTY"),
                list(vec![]),
            ])]);
            (
                format!("member{i:02}.zrd"),
                value.bytes(),
                Behind::Memory(i as u32 + 7),
            )
        })
        .collect();
    archive(&members, version, version == 2, false)
}

/// Readers of Crimson Skies: those of the root, in which 29 names occur twice with different
/// content, or those of a mission.
pub fn crimson_readers(root: bool) -> Vec<u8> {
    let record = |i: i32, k: i32| {
        // The same key has an integer in one record and a float in the next, a flag has no value,
        // and keys repeat.
        let speed = if (i + k) % 2 == 0 {
            Int(120)
        } else {
            Float(120.0)
        };
        let mut items = vec![
            text("NAME"),
            text(&format!("plane{i}_{k}")),
            text("SPEED"),
            speed,
            text("INVINCIBLE"),
        ];
        items.extend([
            text("GUN"),
            Int(30),
            text("GUN"),
            Int(40),
            text("RESET_TIME"),
            Int(-1),
        ]);
        list(items)
    };
    let names: Vec<String> = match root {
        true => (0..221)
            .map(|i| {
                if i == 22 || i == 100 {
                    "player.zrd".into()
                } else {
                    format!("r{:03}.zrd", if i >= 192 { i - 192 } else { i })
                }
            })
            .collect(),
        false => [
            "aiv",
            "dzones",
            "egen",
            "location",
            "map",
            "mis_anim",
            "net",
            "objectives",
            "startanims",
            "targets",
            "weather",
            "zeppelins",
        ]
        .iter()
        .map(|name| format!("{name}.zrd"))
        .collect(),
    };
    let members: Vec<Member> = names
        .into_iter()
        .enumerate()
        .map(|(i, name)| {
            let value = match name.as_str() {
                // 12 of 50 are an empty list.
                "zeppelins.zrd" => list(vec![list(vec![])]),
                _ => list(vec![list(
                    (0..1 + i as i32 % 7).map(|k| record(i as i32, k)).collect(),
                )]),
            };
            let behind = Behind::Told {
                flags: 2,
                comment: name.clone(),
                time: crimson_time(i as u64 % 42 * 88),
            };
            (name, value.bytes(), behind)
        })
        .collect();
    archive(&members, 1, false, false)
}

/// Two members `player.zrd`, of 3,414 and of 34,711 bytes, as in the root archive of Crimson Skies.
pub fn two_players() -> Vec<u8> {
    let member = |length: usize| {
        let value = list(vec![text(&"x".repeat(length - 16))]).bytes();
        (
            "player.zrd".to_owned(),
            value,
            Behind::Told {
                flags: 2,
                comment: "player.zrd".into(),
                time: crimson_time(0),
            },
        )
    };
    archive(&[member(3414), member(34_711)], 1, false, false)
}

/// A sound: tag, channels, rate, bits, block, extra bytes of `fmt `, whether there is a cue, and
/// the size of the data.
fn wave(
    (tag, channels, rate, bits, block): (u16, u16, u32, u16, u16),
    more: &[u8],
    cue: bool,
    length: usize,
) -> Vec<u8> {
    let second = if tag == 1 {
        rate * u32::from(block)
    } else {
        rate * u32::from(block) / 500
    };
    let length = length / usize::from(block) * usize::from(block);
    by_hand::Wave {
        head: (tag, channels, rate, second, block, bits),
        more: more.to_vec(),
        cues: if cue { vec![[400, 400]] } else { Vec::new() },
        data: (0..length).map(|i| (i * 37 % 251) as u8).collect(),
    }
    .file()
}

/// The 34 extra bytes of Microsoft's ADPCM: their size, samples per block, and the seven pairs of
/// coefficients.
fn ms_adpcm(samples: u16) -> Vec<u8> {
    let mut out = Out::default();
    out.half(32).half(samples as i16).half(7);
    for n in [
        256, 0, 512, -256, 0, 0, 192, 64, 240, 0, 460, -208, 392, -232,
    ] {
        out.half(n);
    }
    out.0
}

/// A bank of Recoil: 265 declared sounds and 16 more with the names and bytes of others, plain PCM,
/// some with a cue; no source, no time.
pub fn recoil_sounds() -> Vec<u8> {
    let mut members: Vec<Member> = (0..265u32)
        .map(|i| {
            let (bits, rate) = if i % 3 == 0 {
                (16, 22_050)
            } else {
                (8, 11_025)
            };
            let wave = wave(
                (1, 1, rate, bits, bits / 8),
                &[],
                i % 20 == 0,
                40 + i as usize,
            );
            (format!("sound{i:03}.wav"), wave, Behind::Memory(i))
        })
        .collect();
    (0..16).for_each(|i| members.push(members[i * 9].clone()));
    archive(&members, 1, false, false)
}

/// A bank of MechWarrior 3 or Pirate's Moon: PCM, in which four sounds have one name.
pub fn mech_sounds(version: u32) -> Vec<u8> {
    let name = |i: u32| {
        if (10..14).contains(&i) {
            "wep_ac10_fire.wav".to_owned()
        } else {
            format!("wep_{i:02}.wav")
        }
    };
    let members: Vec<Member> = (0..60)
        .map(|i| {
            (
                name(i),
                wave(
                    (1, 1 + i as u16 % 2, 22_050, 16, 2 + 2 * (i as u16 % 2)),
                    &[],
                    false,
                    64,
                ),
                Behind::Memory(i),
            )
        })
        .collect();
    archive(&members, version, false, false)
}

/// `soundsl.zbd` (low) or `soundsh.zbd` of Crimson Skies with their proportions: every eighth
/// member.
pub fn crimson_sounds(low: bool) -> Vec<u8> {
    let ima = |i: u32| {
        wave(
            (0x11, 1, 11_025, 4, 256),
            &[2, 0, 0xF9, 1],
            i.is_multiple_of(30),
            512,
        )
    };
    let ms = |i: u32, channels: u16, rate: u32, block: u16| {
        wave(
            (2, channels, rate, 4, block),
            &ms_adpcm(500),
            i.is_multiple_of(70),
            1024,
        )
    };
    let pcm = |rate: u32, bits: u16, channels: u16| {
        wave(
            (1, channels, rate, bits, channels * bits / 8),
            &[],
            false,
            300,
        )
    };
    let sound = |i: u32| match (low, i) {
        (true, 0..69) => ima(i),
        (true, 69..71) => pcm(11_025, 8, 1),
        (true, _) => ms(i, 1, 11_025, 256),
        (false, 0..60) => ms(i, 1, 22_050, 512),
        (false, 60..67) => ms(i, 2, 22_050, 1024),
        (false, 67..70) => ms(i, 1, 44_100, 1024),
        (false, 70) => ms(i, 1, 22_000, 512),
        (false, 71) => ms(i, 2, 9710, 512),
        (false, 72) => pcm(22_050, 16, 1),
        (false, 73) => pcm(22_050, 16, 2),
        (false, 74) => pcm(22_050, 8, 2),
        (false, _) => ms(i, 1, 11_025, 256),
    };
    let members: Vec<Member> = (0..315)
        .map(|i| {
            let name = format!("snd{i:03}.wav");
            // The others of the low-quality bank have old memory in all bits except bit 1, with
            // values that rise along the table.
            let flags = if low && i < 69 {
                (29_688_754 + i * 5855) & !3 | 2
            } else if low && i % 150 == 100 {
                2
            } else {
                62
            };
            let time = crimson_time(if low { 36_260 } else { 33_800 });
            (
                name.clone(),
                sound(i),
                Behind::Told {
                    flags,
                    comment: name,
                    time,
                },
            )
        })
        .collect();
    archive(&members, 1, false, false)
}

/// Motions whose closing frame is the first one again, or another one.
pub fn motions(version: u32) -> Vec<u8> {
    let motion = |i: u32| {
        let (frames, parts) = (6 + i % 9, ["head", "torso", "lleg", "rleg", "", "gun"]);
        let mut out = Out::default();
        out.word(4)
            .float(frames as f32 / 30.0)
            .words(&[frames, parts.len() as u32])
            .floats(&[-1.0, 1.0]);
        for (k, part) in parts.iter().enumerate() {
            out.word(part.len() as u32).raw(part.as_bytes()).word(12);
            // In every third motion the last sample is not the first one again.
            let at = |frame: u32| {
                if frame == frames && !i.is_multiple_of(3) {
                    0
                } else {
                    frame
                }
            };
            (0..=frames).for_each(|frame| {
                out.floats(&[at(frame) as f32 * 0.1, -0.0, k as f32]);
            });
            (0..=frames).for_each(|frame| {
                let turn = at(frame) as f32 * 0.01;
                out.floats(&[(1.0 - turn * turn).sqrt(), turn, 0.0, 0.0]);
            });
        }
        out.0
    };
    let members: Vec<Member> = (0..24)
        .map(|i| (format!("madcat_m{i:02}"), motion(i), Behind::Memory(i)))
        .collect();
    archive(&members, version, false, version == 2)
}

/// 'Mechs: the materials once, then a tree for each, in which nodes follow their parents. A part
/// has `faces` triangles.
pub fn mechs(version: u32, count: u32, faces: u32) -> Vec<u8> {
    let mw = version == 1;
    let mut materials = Out::default();
    materials.word(24);
    for i in 0..24 {
        let textured = i % 6 != 5;
        materials
            .raw(&[255, if textured { 0x11 } else { 0x10 }])
            .half(if textured { 0x7FFF } else { 0 });
        materials.floats(&if textured {
            [255.0; 3]
        } else {
            [96.0, 32.5, 255.0]
        });
        materials
            .word(if textured { 0x02F5_0010 + i * 64 } else { 0 })
            .floats(&[0.0, 0.5, 0.5])
            .words(&[0, 0]);
        if textured {
            let name = format!("mech_skin_{i:02}");
            materials.word(name.len() as u32).raw(name.as_bytes());
        }
    }
    let mut members: Vec<Member> = vec![
        (
            "format".into(),
            1u32.to_le_bytes().to_vec(),
            Behind::Memory(1),
        ),
        ("materials".into(), materials.0, Behind::Memory(2)),
        (
            "version".into(),
            (if mw { 27u32 } else { 41 }).to_le_bytes().to_vec(),
            Behind::Memory(3),
        ),
    ];
    for mech in 0..count {
        let mut out = Out::default();
        let bounds = [-1.0f32, 0.0, -1.0, 1.0, 2.0, 1.0];
        // A root with parts, each with a model and one of the materials.
        let node = |out: &mut Out, name: &str, root: bool, children: u32, model: u32| {
            out.text(name, 36, "Default_node_name").words(&[
                0x0308_0014 | if model != 0 { 0x300 } else { 0x500 },
                0,
                0,
                255,
                5,
                0x0312_0010,
                model,
                0,
                1,
                0,
            ]);
            let address = |n: u32| if n > 0 { 0x0313_0010 } else { 0 };
            let parents = u32::from(!root);
            match mw {
                true => out
                    .words(&[
                        NONE,
                        NONE,
                        parents,
                        address(parents),
                        children,
                        address(children),
                    ])
                    .zeros(16),
                false => {
                    out.half(-1)
                        .half(-1)
                        .half(0)
                        .half(0)
                        .half(parents as i16)
                        .half(children as i16);
                    out.words(&[address(parents), address(children)])
                        .zeros(16)
                        .word(if model != 0 { 1 } else { 2 })
                }
            };
            let (own, below) = if model != 0 {
                (bounds, [0.0; 6])
            } else {
                ([0.0; 6], bounds)
            };
            out.floats(&bounds)
                .floats(&own)
                .floats(&below)
                .words(&[0, 0, 160, 0, 0]);
            out.word(40)
                .zeros(20)
                .zeros(12)
                .floats(&[1.0; 3])
                .floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
                .zeros(12 + 48);
        };
        node(&mut out, &format!("mech{mech:02}.flt"), true, 6, 0);
        for part in 0..6u32 {
            node(
                &mut out,
                ["head", "torso", "lleg", "rleg", "larm", "rarm"][part as usize],
                false,
                0,
                0x02F0_0010 + part * 256,
            );
            out.words(&[0, 0, if mw { 3 } else { 0x83 }, 1, faces, 4, 0, 0, 0])
                .zeros(16)
                .words(&[0x02F1_0010, 0x02F1_2000, 0, 0, 0]);
            let half = 3f64;
            out.floats(&[0.0, 1.0, 0.0])
                .float(super::root(half as f32))
                .word(0);
            if !mw {
                out.words(&[1, 0x02F4_0010]);
            }
            for point in [
                [-1.0, 0.0, -1.0],
                [1.0, 0.0, -1.0],
                [1.0, 2.0, 1.0],
                [-1.0, 2.0, 1.0],
            ] {
                out.floats(&point);
            }
            let material = (mech + part) % 5;
            for _ in 0..faces {
                out.words(&[3, 0, 0x02F2_0010, 0]);
                if !mw {
                    out.words(&[1, 0x02F2_0300]);
                }
                out.words(&[0x02F2_0200, 0x02F2_0400, 0x02F2_0500]);
                if mw {
                    out.word(material);
                }
                out.word(0xFFFF_FF00);
            }
            for face in 0..faces {
                out.words(if face % 2 == 0 {
                    &[0, 1, 2]
                } else {
                    &[0, 2, 3]
                });
                if !mw {
                    out.word(material);
                }
                out.floats(&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0])
                    .floats(&[255.0; 9]);
            }
            if !mw {
                out.words(&[material, faces, 0]);
            }
        }
        members.push((
            format!("mech{mech:02}.flt"),
            out.0,
            Behind::Memory(mech + 9),
        ));
    }
    archive(&members, version, false, false)
}

/// An activation of a saved game: 88 bytes, and 68 for each of its nodes.
fn activation(i: u32, nodes: u8) -> Vec<u8> {
    let mut out = Out::default();
    out.words(&[1 + i % 2, 0])
        .text(&format!("gate_{i:03}"), 32, "")
        .word(4000 + i)
        .zeros(36);
    out.words(&[i])
        .raw(&[[1, 2, 3, 6][i as usize % 4], nodes, 0, 0]);
    for n in 0..u32::from(nodes) {
        out.words(&[4000 + n, 1, n % 2])
            .floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 10.0, 2.0, -5.0])
            .words(&[0x1C, 0]);
    }
    out.0
}

/// A saved game of Recoil, with the owners and sizes of its engine.
pub fn recoil_save() -> Vec<u8> {
    let mut out: Vec<(String, Vec<u8>)> = Vec::new();
    let floats = |n: usize| {
        (0..n)
            .flat_map(|i| (i as f32 * 1.5).to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let mut mission = Out::default();
    mission
        .words(&[3, 0, 1, 1, 0, 2])
        .float(12.5)
        .words(&[4, 5, 90, 6, 3])
        .words(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        .word(1);
    out.push(("Mission/MissionData".into(), mission.0));
    (0..30).for_each(|i| {
        out.push((
            format!("AnimActivation/Activation{i:04}"),
            activation(i, (i % 6) as u8),
        ))
    });
    (0..20).for_each(|i| out.push((format!("Anim/Anim{i:04}"), activation(i, (i % 3) as u8))));
    for i in 0..6 {
        let mut vehicle = Out::default();
        vehicle
            .word(128)
            .floats(&[0.0, 1.5, 0.0, 100.0, 5.0, -20.0])
            .words(&[3, 0, 1, 1])
            .floats(&[2500.0, 100.0])
            .zeros(24)
            .float(90_000.0)
            .zeros(48);
        out.push((format!("VehicleList/vtank_{i:02}"), vehicle.0));
    }
    out.push(("HUDTimer/TimerData".into(), floats(1)));
    out.push(("Weapons/WeaponData".into(), 2u32.to_le_bytes().to_vec()));
    let mut mine = Out::default();
    mine.text("mine", 32, "")
        .floats(&[1.0, 2.0, 3.0, 1.0, 1.0, 1.0])
        .zeros(4)
        .text("bft_00", 36, "");
    mine.0.truncate(96);
    out.push(("Mines/DummyMineData".into(), Vec::new()));
    out.push(("Mines/MineData000".into(), mine.0));
    let mut pickup = Out::default();
    pickup
        .words(&[0, 4, 12, 50])
        .floats(&[10.0, 0.5, 4.0, 0.0, 0.0, 0.0])
        .words(&[0, 0]);
    out.push(("Pickup/pu004".into(), pickup.0));
    out.push(("GWWorld/world1".into(), floats(9)));
    out.push(("zDEClient/Crater0".into(), vec![1; 52]));
    out.push((
        "MissionLate/LateMissionData".into(),
        1u32.to_le_bytes().to_vec(),
    ));
    let members: Vec<Member> = out
        .into_iter()
        .enumerate()
        .map(|(i, (name, bytes))| (name, bytes, Behind::Memory(i as u32)))
        .collect();
    archive(&members, 1, false, false)
}

/// A saved game of MechWarrior 3.
pub fn mech_save() -> Vec<u8> {
    let mut members: Vec<Member> = vec![(
        "zSaveHeader".into(),
        [8u32.to_le_bytes(), 2u32.to_le_bytes()].concat(),
        Behind::Memory(0),
    )];
    (0..40).for_each(|i| {
        let mut bytes = activation(i, (i % 4) as u8);
        bytes[80..84].fill(0);
        bytes[84] = [1, 3, 4][i as usize % 3];
        bytes[..4].copy_from_slice(&1u32.to_le_bytes());
        members.push((
            format!("AnimActivation/Activation{i:04}"),
            bytes,
            Behind::Memory(i),
        ));
    });
    archive(&members, 1, false, false)
}

/// `Mission.102` of Crimson Skies: section names that occur six and four times; activations of
/// several sizes.
pub fn crimson_save() -> Vec<u8> {
    let mut out: Vec<(String, Vec<u8>)> = vec![(
        "zSaveHeader".into(),
        [12u32, 2, 0x2_0000]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect(),
    )];
    for i in 0..60u32 {
        let mut bytes = activation(i, 0);
        let size = [88, 88, 88, 328, 568, 628, 700][i as usize % 7];
        bytes[85] = [0, 0, 0, 4, 8, 9, 9][i as usize % 7];
        bytes.resize(size, 7);
        out.push((format!("AnimActivation/Activation{i:04}"), bytes));
    }
    (0..6).for_each(|i| out.push(("TurretList/ctur1".into(), vec![i; 280])));
    (0..4).for_each(|i| out.push(("TurretList/rtur1".into(), vec![i; 280])));
    let mut vehicle = Out::default();
    vehicle.word(0x198).zeros(404);
    out.push(("VehicleList/player".into(), vehicle.0));
    let members: Vec<Member> = out
        .into_iter()
        .enumerate()
        .map(|(i, (name, bytes))| (name, bytes, Behind::Memory(i as u32 + 1)))
        .collect();
    archive(&members, 1, false, false)
}

/// An image of a package: name, storage flags, sides, number of palette colours, drawing bits,
/// global palette.
struct Image {
    name: String,
    flags: u32,
    sides: (u16, u16),
    colours: u16,
    bits: u16,
    page: i32,
}

fn package(images: &[Image], pages: &[Vec<u16>]) -> Vec<u8> {
    let stored = |(i, image): (usize, &Image)| {
        let n = usize::from(image.sides.0) * usize::from(image.sides.1);
        let keyed = image.flags & 0xA == 2;
        let edge = |at: usize| keyed && at.is_multiple_of(5);
        let mut data: Vec<u8> = match image.colours {
            0 => (0..n)
                .flat_map(|at| {
                    if edge(at) {
                        [0; 2]
                    } else {
                        ((at * 1237 + i + 1) as u16 | 1).to_le_bytes()
                    }
                })
                .collect(),
            colours => (0..n)
                .map(|at| {
                    if edge(at) {
                        0
                    } else {
                        (at * 7 % usize::from(colours)) as u8
                    }
                })
                .collect(),
        };
        if image.flags & 8 != 0 {
            data.extend((0..n).map(|at| (at * 255 / n.max(1)) as u8));
        }
        if image.flags & 0x10 == 0 {
            data.extend((0..image.colours).flat_map(|at| {
                if keyed && at == 0 {
                    0
                } else {
                    at.wrapping_mul(251) + 33
                }
                .to_le_bytes()
            }));
        }
        data
    };
    let data: Vec<Vec<u8>> = images.iter().enumerate().map(stored).collect();
    let images = images.iter().zip(data).map(|(image, data)| by_hand::Image {
        name: &image.name,
        flags: image.flags,
        size: image.sides,
        count: image.colours,
        render_flags: image.bits,
        global: image.page,
        data,
    });
    by_hand::package(&images.collect::<Vec<_>>(), pages)
}

/// Packages of Recoil: for the software renderer, on 16 shared palettes; for 3D cards, in 16-bit
/// colours.
pub fn recoil_textures(software: bool) -> Vec<u8> {
    let pages: Vec<Vec<u16>> = (0..16u16)
        .map(|page| {
            (0..256u16)
                .map(|i| {
                    if i == 0 {
                        0xF81F
                    } else {
                        page.wrapping_mul(997).wrapping_add(i.wrapping_mul(251))
                    }
                })
                .collect()
        })
        .collect();
    let images: Vec<Image> = (0..120usize)
        .map(|i| {
            // In the order of the source folders, so that the names are not sorted.
            let stem = ["water", "rock", "Sand", "fence", "palm", "antenna"][i % 6];
            let kind = if i % 6 == 3 || i % 6 == 5 {
                3
            } else if i % 6 == 4 {
                11
            } else {
                5
            };
            let side = [8, 16, 32][i % 3];
            Image {
                name: format!("{stem}{}", 200 - i),
                flags: kind | if software { 0x10 } else { 0 },
                sides: (side, side),
                colours: if software { 256 } else { 0 },
                bits: i as u16 % 4,
                page: if software { (i % 16) as i32 } else { -1 },
            }
        })
        .collect();
    package(&images, if software { &pages } else { &[] })
}

/// Packages of MechWarrior 3 (own palettes, or colours) and Pirate's Moon (some images with shared
/// palettes). `size` multiplies the sides.
pub fn mech_textures(moon: bool, count: usize, size: u16) -> Vec<u8> {
    let pages: Vec<Vec<u16>> = (0..if moon { 3u16 } else { 0 })
        .map(|page| {
            (0..256u16)
                .map(|i| page.wrapping_mul(997).wrapping_add(i.wrapping_mul(251)))
                .collect()
        })
        .collect();
    let images: Vec<Image> = (0..count)
        .map(|i| {
            let (colours, page, flag) = match i % 3 {
                0 if moon => (200, (i % 3) as i32, 0x10),
                0 | 1 => (64 + i as u16 % 60, -1, 0),
                _ => (0, -1, 0),
            };
            Image {
                name: format!("tex{i:02}"),
                flags: [5, 11][i % 2] | flag,
                sides: (16 * size, (8 << (i % 3)) * size),
                colours,
                bits: i as u16 % 4,
                page,
            }
        })
        .collect();
    package(&images, &pages)
}

/// Packages of a world of Crimson Skies: palettes for the software renderer, colours for 3D cards;
/// sorted names, smaller versions, decals whose names begin with a digit, 3 images in 900 with
/// simple alpha.
pub fn crimson_textures(software: bool) -> Vec<u8> {
    let mut names: Vec<String> = (0..49)
        .flat_map(|i| [format!("{i:02}decal"), format!("{i:02}decal_1")])
        .chain(["49decal".to_owned()])
        .collect();
    names.extend((0..60).flat_map(|i| {
        [
            format!("wall{i:02}"),
            format!("wall{i:02}_1"),
            format!("wall{i:02}_2"),
        ]
    }));
    names.extend((101..=112).map(|i| format!("fire{i}")));
    names.extend(
        [
            "cloud1",
            "cloud2",
            "rotorblur",
            "netting",
            "gauge",
            "sign_long",
        ]
        .map(str::to_owned),
    );
    names.sort();
    let images: Vec<Image> = names
        .into_iter()
        .enumerate()
        .map(|(i, name)| {
            let small = name.ends_with("_1") || name.ends_with("_2");
            let full = name.contains("decal") || i % 2 == 0;
            let kind = match name.as_str() {
                "netting" | "gauge" => 3,
                _ if full => 11,
                _ => 5,
            };
            let bits = match name.as_str() {
                name if name.starts_with("fire") => 7,
                "cloud1" | "cloud2" | "rotorblur" => 8,
                "gauge" => 4,
                _ => [0, 0, 0, 0, 1, 2, 3][i % 7],
            };
            Image {
                sides: if name == "sign_long" {
                    (20, 6)
                } else if small {
                    (4, 4)
                } else {
                    (8, 8)
                },
                name,
                flags: if software { 0xA0 | kind } else { kind },
                colours: if software { 17 + i as u16 % 200 } else { 0 },
                bits,
                page: -1,
            }
        })
        .collect();
    package(&images, &[])
}

/// Scripts: name, lines.
fn scripts(scripts: &[(String, Vec<String>)], time: u32) -> Vec<u8> {
    let mut out = Out::default();
    out.words(&[0x0897_1119, 7, scripts.len() as u32]);
    let mut data = Out::default();
    let first = 12 + 128 * scripts.len() as u32;
    for (i, (name, lines)) in scripts.iter().enumerate() {
        out.text(name, 120, "")
            .words(&[time + i as u32 * 61, first + data.at()]);
        for line in lines {
            let tokens: Vec<&str> = line.split(' ').collect();
            data.words(&[line.len() as u32 + 1, tokens.len() as u32]);
            tokens.iter().for_each(|token| {
                data.raw(token.as_bytes()).raw(&[0]);
            });
        }
        data.word(0);
    }
    out.raw(&data.0);
    out.0
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// Scripts of Recoil: those that built the worlds, and those that the game runs.
pub fn recoil_scripts() -> Vec<u8> {
    let mut all = Vec::new();
    all.push((
        "support\\world.gw".to_owned(),
        lines(&[
            "NewWorld world1",
            "WorldOrigin 0 0",
            "WorldExtents 4096 4352",
            "WorldPartition 256 256",
            "WorldPartitionInclusionTolerance 3 3",
            "WorldPartitionMaxDECFeatureCount 16",
            "WorldSetFogState linear",
            "WorldSetFogColor 176 196 214",
            "WorldSetFogRange 400 1400",
            "NewCamera camera1",
            "CameraSetFOV 72 45",
            "CameraSetNearFarClip 1 5000",
            "LightNew sunlight",
            "LightSetColor 1 1 0.9",
            "LightSetDirectional on",
        ]),
    ));
    for i in 0..40 {
        all.push((
            format!("support\\load{i:02}.gw"),
            lines(&[
                "SetModelDirectory ..\\data\\common\\models;..\\data\\m1\\models",
                "ifdef NO_MODELS",
                "Quit",
                "endif",
                "LoadGameGen bridge.flt bridge",
                "FindNode bridge",
                "SetAltitudeSurface on",
                "SetIntersectSurface on",
                "NodeSetCanModify off",
                "Object3DTranslate 100.0 2.5 -40",
                "Object3DRotate 0 90 0",
                ";;;;;;;;;;;;;;;;;;;;",
                "Quit",
            ]),
        ));
    }
    for i in 1..=13 {
        all.push((
            format!("m{i}.gs"),
            lines(&[
                "set MISSION m1",
                "SetMission m1",
                "source support\\world.gw",
                "GameZWriteZBDFile zbd\\m1\\gamez.zbd",
            ]),
        ));
        all.push((
            format!("m{i}_zbd.gs"),
            lines(&[
                "set TEXTURES TRUE",
                "ifdef TEXTURES",
                "SetTextureDirectory zbd\\m1;zbd",
                "endif",
                "GameZReadZBDFile zbd\\m1\\gamez.zbd",
                "AnimSetZBDFile zbd\\m1\\anim.zbd",
                "source support\\tex_fx.gw",
                "who",
                "Quit",
            ]),
        ));
        all.push((
            format!("support\\initm{i}.gw"),
            lines(&[
                "SetGameZNodeArraySize 16000",
                "SetMaterialArraySize 5000",
                "SetModel3DArraySize 6000",
            ]),
        ));
    }
    // Sources a script that the file does not contain.
    all.push((
        "testdb.gs".to_owned(),
        lines(&["source support\\bft.gw", "echo done"]),
    ));
    all.push((
        "support\\tex_fx.gw".to_owned(),
        lines(&[
            "FindNode water",
            "CycleTextureSetOn 3",
            "CycleTextureSetMap water1",
            "CycleTextureSetMap water2",
            "CycleTextureSetMap water3",
            "CycleTextureSetSpeed 15",
            "CycleTextureSetLooping on",
            "FindNode flag",
            "Object3DSetScroll on 0.1 0",
            "Quit",
        ]),
    ));
    scripts(&all, 910_000_000)
}

/// Scripts of Crimson Skies: missions use only ten commands.
pub fn crimson_scripts() -> Vec<u8> {
    let mut all = Vec::new();
    for world in ["c1", "c1b", "c1c", "c2", "c2b", "c3", "c4", "c5"] {
        for name in ["init", "load", "adjust", "tex_fx"] {
            all.push((
                format!("{world}\\{name}.gw"),
                lines(&["FindNode sky", "Object3DSetScroll on 0.01 0", "Quit"]),
            ));
        }
        for mission in 1..=6 {
            all.push((
                format!("{world}\\m{mission:02}.gs"),
                lines(&[
                    "FindNode pzep_interior",
                    "NodeSetActive off",
                    "FindNode hangar",
                    "FindSubNode door",
                    "Object3DRotate 0 1.5707 0",
                    "Object3DTranslate 0 10 0",
                    "FindSubNodeNode door hinge",
                    "DeleteTree debris",
                    "WorldPartitionSetActive 3 4 off",
                    "Object3DRotate 0 90 0",
                    "Quit",
                ]),
            ));
        }
    }
    scripts(&all, 967_276_800)
}

/// A map of Recoil.
pub fn map() -> Vec<u8> {
    let mut out = Out::default();
    out.words(&[5, 7])
        .floats(&[0.0, -5.0, 0.0, 4096.0, 60.0, 4352.0]);
    for i in 0..60u32 {
        let points = 2 + i % 12;
        out.raw(&[40, 90 + i as u8, 20]).word(points);
        (0..points).for_each(|k| {
            out.floats(&[(k * 64) as f32, 0.0, (i * 64) as f32]);
        });
        out.word(if i % 9 == 0 { i / 9 } else { NONE });
    }
    out.0
}

/// A control configuration of MechWarrior 3: a text.
pub fn controls() -> Vec<u8> {
    let mut out = String::from("; Default controls.\r\n(\r\n");
    for (i, command) in [
        "TorsoLeft",
        "TorsoRight",
        "Throttle",
        "JumpJets",
        "FireGroup",
        "NextTarget",
        "ZoomIn",
        "ZoomOut",
    ]
    .iter()
    .enumerate()
    {
        out += &format!(
            "\t( {command}\t( keya {} )\t( keyb {} )\t( joybtn {} ) )\t; {i}\r\n",
            16 + i,
            256 + 30 + i,
            i
        );
    }
    (out + ")\r\n").into_bytes()
}

fn adler(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    b << 16 | a
}

/// A resource archive of Crimson Skies: all folders first, then the files; pictures and sounds are
/// stored and the others compressed (here in uncompressed blocks, which the fastest level may also
/// produce); two folders are empty.
pub fn resources() -> Vec<u8> {
    let packed = |bytes: &[u8]| {
        let mut out = Out::default();
        out.raw(&[0x78, 0x01, 1])
            .half(bytes.len() as i16)
            .half(!(bytes.len() as i16))
            .raw(bytes)
            .raw(&adler(bytes).to_be_bytes());
        out.0
    };
    let file = |name: &str, n: usize| {
        let bytes: Vec<u8> = (0..n).map(|i| (i * 31 % 256) as u8).collect();
        let stored = [".PNG", ".JPG", ".WAV"]
            .iter()
            .any(|end| name.ends_with(end));
        let kept = if stored {
            bytes.clone()
        } else {
            packed(&bytes)
        };
        (
            name.to_owned(),
            bytes.len(),
            kept,
            if stored { 0 } else { 2 },
        )
    };
    let graphics: Vec<_> = (0..30)
        .map(|i| {
            file(
                &format!("ART{i:02}.{}", ["PNG", "JPG", "TGA", "BM", "TIF"][i % 5]),
                if i % 5 == 3 { 4 + 160 } else { 200 + i },
            )
        })
        .collect();
    let scripts: Vec<_> = (0..10)
        .map(|i| file(&format!("ART{i:02}.SCRIPT"), 300))
        .chain([file("ART00.PNG", 99)])
        .collect();
    let top: Vec<_> = vec![
        file("LAYOUT.CSV", 900),
        file("RESOURCE.H", 400),
        file("CLICK.WAV", 120),
    ];
    // Root, ASSETS, GRAPHICS, SCRIPTS, BINARIES, GRAPHICS\MPG: a block each.
    type File = (String, usize, Vec<u8>, u32);
    let block = |files: &[File], folders: &[&str]| {
        8 + 24 * (files.len() + folders.len())
            + files
                .iter()
                .map(|f| f.0.len() + 1)
                .chain(folders.iter().map(|f| f.len() + 1))
                .sum::<usize>()
    };
    let shapes: [(&[File], &[&str]); 6] = [
        (&[], &["ASSETS"]),
        (&top, &["BINARIES", "GRAPHICS", "SCRIPTS"]),
        (&[], &[]),
        (&graphics, &["MPG"]),
        (&[], &[]),
        (&scripts, &[]),
    ];
    let children: [&[usize]; 6] = [&[1], &[2, 3, 5], &[], &[4], &[], &[]];
    let mut places = Vec::new();
    let mut end = 0;
    for (files, folders) in &shapes {
        places.push(end);
        end += block(files, folders);
    }
    let mut out = Out::default();
    let mut data = Out::default();
    for (k, (files, folders)) in shapes.iter().enumerate() {
        let names: Vec<&str> = folders
            .iter()
            .copied()
            .chain(files.iter().map(|f| f.0.as_str()))
            .collect();
        out.words(&[
            names.len() as u32,
            names.iter().map(|n| n.len() as u32 + 1).sum(),
        ]);
        let mut at = 0;
        for (i, name) in names.iter().enumerate() {
            let length = name.len() as u32 + 1;
            match i.checked_sub(folders.len()) {
                None => out.words(&[places[children[k][i]] as u32, 0, 0, 1, length, at]),
                Some(i) => {
                    let (_, size, kept, flags) = &files[i];
                    out.words(&[
                        end as u32 + data.at(),
                        *size as u32,
                        kept.len() as u32,
                        *flags,
                        length,
                        at,
                    ]);
                    data.raw(kept);
                    &mut out
                }
            };
            at += length;
        }
        names.iter().for_each(|name| {
            out.raw(name.as_bytes()).raw(&[0]);
        });
    }
    out.raw(&data.0);
    out.0
}

/// An addon's archive as made by Bohemia's tools: a prefix, sorted names, times, and no checksum
/// (before 2006).
pub fn addon() -> Vec<u8> {
    let file = |i: usize| {
        (
            format!("data\\file{i:02}.paa"),
            (0..100 + i)
                .map(|k| (k * 7 % 256) as u8)
                .collect::<Vec<u8>>(),
        )
    };
    let files: Vec<_> = (0..50).map(file).collect();
    let rows = (1_000_000_000..)
        .zip(&files)
        .map(|(time, (name, bytes))| (name.as_str(), 0, 0, time, bytes.as_slice()));
    by_hand::pbo(&[("prefix", "x\\addons\\test")], &rows.collect::<Vec<_>>())
}
