//! Games to look at: the installations of `cargo xtask browser`. Each has a first mission that is
//! made to be seen (a house with a door that opens, in `scenery` and `pictures`), a second one with
//! files of the usual size (`typical`), and a file of every other format (`golden`).

pub mod pictures;
pub mod scenery;

use crate::{root, typical};
use anyhow::{Context, Result};
use roundtrip_tests::{
    by_hand,
    games::{self, Names},
};
use scenery::Door;
use serde_json::{Value, json};
use std::{fs, path::Path};

/// A node whose name is markup.
pub const MARKUP: &str = "<script>bad()</script>";

/// Golden files of formats that the installations of the tests lack: a place in the game, and the
/// file.
const MORE: [(&str, &str, &str); 24] = [
    ("rc", "maps/m1.zmap", "zmap/rc_typical_m1.zmap"),
    (
        "rc",
        "SavedGames/slot1.sav",
        "savegame/rc_typical_slot1.sav",
    ),
    ("rc", "zbd/m1/texture8.zbd", ""),
    ("mw", "pilots/one.mw3", "savegame/mw_typical_one.mw3"),
    (
        "mw",
        "DefaultCtlConfig.zrd",
        "zrd_text/DefaultCtlConfig.zrd",
    ),
    ("mw", "loose.zrd", "zrd_binary/mw_loose.zrd"),
    ("mw", "zbd/c1/texture.zbd", ""),
    (
        "pm",
        "DefaultCtlConfig.zrd",
        "zrd_text/DefaultCtlConfig.zrd",
    ),
    ("pm", "zbd/c1/texture.zbd", ""),
    (
        "cs",
        "GOSDATA/ASSETS/crimson.rof",
        "rof/cs_typical_crimson.rof",
    ),
    (
        "cs",
        "GOSDATA/ASSETS/GRAPHICS/AIRPLANES/STRIPE.BM",
        "livery/STRIPE.BM",
    ),
    (
        "cs",
        "SavedGames/Zachary/Mission.102",
        "savegame/cs_typical_Mission.102",
    ),
    ("cs", "Aircraft/Blue Streak", "aircraft/Blue Streak"),
    ("cs", "ZBD/planes.zbd", "planes/cs_planes_small.zbd"),
    ("cs", "ZBD/C1/texture.zbd", ""),
    ("rc", "addons/signed.pbo", "pbo/signed.pbo"),
    (
        "rc",
        "addons/signed.pbo.refit_test.v3.bisign",
        "bisign/signed.pbo.refit_test.v3.bisign",
    ),
    ("rc", "addons/refit_test.bikey", "bikey/refit_test.bikey"),
    ("rc", "addons/config.bin", "rap/config.bin"),
    ("rc", "addons/picture.paa", "paa/dxt1.paa"),
    ("mw", "addons/names.pbo", "pbo/names_escapes.pbo"),
    ("mw", "addons/picture.paa", "paa/argb1555.paa"),
    ("pm", "addons/config.bin", "rap/bases.bin"),
    ("cs", "addons/config.bin", "rap/array_128.bin"),
];

/// A door that creaks and opens, and one that closes.
fn animations(game: &str) -> Vec<(String, Value)> {
    let definition = |name: &str, from: f32, to: f32, calls: &[&str]| {
        let mut events = vec![
            json!({ "SOUND": { "sound": "creak", "at_node": "door01" } }),
            json!({ "OBJECT_MOTION_FROM_TO": {
                "node": "door01", "run_time": 2.0, "rotate": { "from": [0.0, from, 0.0], "to": [0.0, to, 0.0] },
            } }),
        ];
        events.extend(
            calls
                .iter()
                .map(|call| json!({ "at": ["EVENT", 3.0], "CALL_ANIMATION": { "name": call } })),
        );
        let mut definition = json!({
            "name": "door01", "animation_name": name, "animation_root_name": "door01", "activation": "ON_CALL",
            "objects": ["door01"], "nodes": ["door01", "frame"], "static_sounds": ["creak"],
            "sequences": [{ "name": "swing", "activation": "INITIAL", "events": events }],
        });
        if !calls.is_empty() {
            definition["animation_references"] = json!(calls);
        }
        if game == "rc" {
            definition["effects"] = json!(["dust"]);
        }
        definition
    };
    vec![
        (
            "defs/door_open.json".to_owned(),
            definition("door_open", 0.0, 1.6, &["door_close"]),
        ),
        (
            "defs/door_close.json".to_owned(),
            definition("door_close", 1.6, 0.0, &[]),
        ),
    ]
}

/// A step of the 'mech: legs swing, the hip sinks between steps.
fn walk() -> Value {
    const FRAMES: usize = 24;
    let angle = |n: usize| (n as f32 / FRAMES as f32) * std::f32::consts::TAU;
    let turned = |x: f32| [(x / 2.0).cos(), (x / 2.0).sin(), 0.0, 0.0];
    let part = |name: &str, at: [f32; 3], sink: f32, swing: f32, offset: f32| {
        let frames = 0..=FRAMES;
        let place = |n: usize| [at[0], at[1] + sink * (angle(n) * 2.0).cos(), at[2]];
        json!({
            "name": name,
            "translations": frames.clone().map(place).collect::<Vec<_>>(),
            "rotations": frames.map(|n| turned(swing * (angle(n) + offset).sin())).collect::<Vec<_>>(),
        })
    };
    let half = std::f32::consts::PI;
    json!({ "loop_time": 1.2, "parts": [
        part("hip", [0.0, 4.4, 0.0], 0.15, 0.0, 0.0),
        part("torso", [0.0, 0.6, 0.0], 0.0, 0.06, 0.0),
        part("lthigh", [-1.1, -0.3, 0.0], 0.0, 0.5, 0.0),
        part("rthigh", [1.1, -0.3, 0.0], 0.0, 0.5, half),
        part("lshin", [0.0, -2.0, 0.0], 0.0, 0.35, 1.2),
        part("rshin", [0.0, -2.0, 0.0], 0.0, 0.35, half + 1.2),
    ] })
}

/// A creak that becomes louder and ends, with cue points; and a thud in 8 bits.
fn sounds() -> [(&'static str, Vec<u8>); 2] {
    const RATE: u32 = 11_025;
    let creak = (0..RATE * 3 / 2).flat_map(|n| {
        let t = n as f32 / RATE as f32;
        let envelope = (t / 1.5 * std::f32::consts::PI).sin() * (0.6 + 0.4 * (t * 31.0).sin());
        let tone = (t * (180.0 + 60.0 * (t * 9.0).sin()) * std::f32::consts::TAU).sin();
        ((tone * envelope * 24_000.0) as i16).to_le_bytes()
    });
    let thud = (0..RATE / 2).map(|n| {
        let t = n as f32 / RATE as f32;
        (128.0 + 120.0 * (-t * 9.0).exp() * (t * 70.0 * std::f32::consts::TAU).sin()) as u8
    });
    let cues = vec![[2_000, 2_000], [11_025, 11_025]];
    let creak = by_hand::Wave {
        cues,
        ..by_hand::Wave::pcm(1, RATE, 16, creak.collect())
    };
    [
        ("creak.wav", creak.file()),
        (
            "thud.wav",
            by_hand::Wave::pcm(1, RATE, 8, thud.collect()).file(),
        ),
    ]
}

fn names(game: &str) -> Names {
    let mut names = games::names(game);
    names.textures = scenery::TEXTURES.to_vec();
    names.members.push("<b>bold</b>.zrd");
    names
}

/// The files of a game, by their paths.
fn files(game: &str) -> Result<Vec<games::File>> {
    let names = names(game);
    let mut files = games::installation(game, &names);
    let bank = sounds();
    let bank: Vec<(&str, Vec<u8>)> = bank
        .iter()
        .map(|(name, bytes)| (*name, bytes.clone()))
        .collect();
    let animations = animations(game);
    for (path, bytes) in &mut files {
        let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        match name.as_str() {
            "gamez.zbd" => *bytes = scenery::world(game, Door::Old),
            "anim.zbd" | "mis_anim.zbd" => *bytes = games::animations_of(game, &animations, &[]),
            "soundsh.zbd" => *bytes = games::archive(game, &bank),
            "rtexture4.zbd" | "rtexture.zbd" | "rtexture8.zbd" => *bytes = pictures::package(),
            "rmechtex16.zbd" => *bytes = pictures::hulls(),
            "mechlib.zbd" => {
                *bytes = games::mechlib(game, &[("wolf.flt", scenery::mech(game))], &["hull.tif"])
            }
            "motion.zbd" => *bytes = games::motions_of(game, &[("wolf_walk", walk())]),
            _ => {}
        }
    }
    for (of, path, golden) in MORE {
        if of == game {
            let bytes = match golden {
                "" => pictures::small_package(),
                golden => fs::read(root().join("golden").join(golden))
                    .with_context(|| golden.to_owned())?,
            };
            files.push((path.to_owned(), bytes));
        }
    }
    let script = "// The door opens when the player comes near.\nprivate [\"_door\"];\n_door = _this select 0;\n\
        if (alive player) then { _door animate [\"open\", 1]; };\n";
    let config = "class CfgPatches { class door { units[] = {\"door01\"}; }; };\n";
    let readme = [
        ("scripts\\door.sqf", script),
        ("scripts\\fence.sqf", "hint \"<b>fence</b>\";\n"),
        ("config.cpp", config),
    ];
    files.push((
        "addons/door.pbo".to_owned(),
        games::addon("x\\refit\\door", &readme),
    ));
    second_mission(game, &mut files);
    // Half of a world, and a world of nothing.
    let world = scenery::world(game, Door::Old);
    files.push((
        "broken/half.zbd".to_owned(),
        world[..world.len() / 2].to_vec(),
    ));
    files.push(("broken/empty.zbd".to_owned(), Vec::new()));
    Ok(files)
}

/// Files of the usual size, in the place of another mission.
fn second_mission(game: &str, files: &mut Vec<games::File>) {
    for typical in typical::ALL {
        let Some(path) = typical
            .path
            .strip_prefix(game)
            .and_then(|path| path.strip_prefix('/'))
        else {
            continue;
        };
        let mission = |from: &str, to: &str| path.replace(&format!("/{from}/"), &format!("/{to}/"));
        let mut path = match game {
            "rc" => mission("m1", "m2"),
            "cs" => mission("C1", "C2"),
            _ => mission("c1", "c2"),
        };
        if files
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(&path))
        {
            path = format!("typical/{path}");
        }
        files.push((path, typical.bytes(4)));
    }
}

/// [`write_hostile`] skips files larger than this.
const LARGEST: usize = 300_000;

/// Writes halves of a game's files, and the files with noise in them, like a bad copy or an attack.
pub fn write_hostile(folder: &Path, game: &str) -> Result<()> {
    let usual =
        |(path, bytes): &games::File| bytes.len() <= LARGEST && !path.starts_with("typical/");
    let mut made = Vec::new();
    for (path, bytes) in files(game)?.into_iter().filter(usual) {
        made.push((
            format!("half/{path}"),
            bytes.iter().take(bytes.len() / 2).copied().collect(),
        ));
        let noise = |(at, byte): (usize, u8)| {
            if at > 64 && at.is_multiple_of(61) {
                0xff
            } else {
                byte
            }
        };
        made.push((
            format!("noise/{path}"),
            bytes.into_iter().enumerate().map(noise).collect(),
        ));
    }
    games::write(folder, &made);
    Ok(())
}

/// Writes a game into a new folder.
pub fn write(folder: &Path, game: &str) -> Result<()> {
    games::write(folder, &files(game)?);
    Ok(())
}

/// The place of the first mission's world.
pub fn world_path(game: &str) -> &'static str {
    match game {
        "rc" => "zbd/m1/gamez.zbd",
        "cs" => "ZBD/C1/gamez.zbd",
        _ => "zbd/c1/gamez.zbd",
    }
}
