//! Synthetic installations of the four games: files with the names, paths and references of a game,
//! but none of its content.
//!
//! Archives and packages of textures and sounds are written here byte by byte; worlds, animations
//! and scripts by refit, from texts: these are not golden files, only their names matter.

use crate::{by_hand, golden_file};
use anyhow::{Context, Result, bail};
use refit::{
    pipeline,
    tree::{Folder, Sink},
};
use serde_json::{Value, json};
use std::path::Path;

/// A file of an installation: its place, and its bytes.
pub type File = (String, Vec<u8>);

/// An animation, and the names to which it refers.
#[derive(Clone)]
pub struct Animation {
    /// Its name.
    pub name: &'static str,
    /// The node that it is bound to.
    pub root: &'static str,
    /// Nodes that its events use.
    pub nodes: Vec<&'static str>,
    /// Samples.
    pub sounds: Vec<&'static str>,
    /// Effects; Recoil only.
    pub effects: Vec<&'static str>,
    /// Animations that it calls.
    pub calls: Vec<&'static str>,
    /// Animations that must have run.
    pub needs: Vec<&'static str>,
}

/// The content of an installation, as names.
#[derive(Clone)]
pub struct Names {
    /// Nodes of the world besides its standard nodes.
    pub nodes: Vec<&'static str>,
    /// Textures of the world.
    pub textures: Vec<&'static str>,
    /// Pictures of the world's packages.
    pub pictures: Vec<&'static str>,
    /// Animations.
    pub animations: Vec<Animation>,
    /// Samples of `sounds.zrd`, and their files.
    pub samples: Vec<(&'static str, &'static str)>,
    /// Files of the bank.
    pub bank: Vec<&'static str>,
    /// Effects of `effects.zrd`; Recoil only.
    pub effects: Vec<&'static str>,
    /// Animations that start with the mission.
    pub start: Vec<&'static str>,
    /// Keys of messages that the mission uses.
    pub messages: Vec<&'static str>,
    /// Lines of the mission's script.
    pub script: Vec<&'static str>,
    /// Members of the mission's readers besides those that the game looks for.
    pub members: Vec<&'static str>,
    /// Model files of 'mechs, and their nodes. MechWarrior only, as the following.
    pub mechs: Vec<(&'static str, Vec<&'static str>)>,
    /// Textures of 'mechs.
    pub hulls: Vec<&'static str>,
    /// Pictures of the packages of 'mechs.
    pub mech_pictures: Vec<&'static str>,
    /// Motions, and the parts that they move.
    pub motions: Vec<(&'static str, Vec<&'static str>)>,
}

/// A key that the golden messages of a game have.
pub fn message(game: &str) -> &'static str {
    match game {
        "rc" => "MSG_OBJ_LOAD_9",
        "mw" => "MSG_WPN_ERR",
        "pm" => "MSG_OPT_ERR_GAME_86",
        _ => "MSG_KEY_KEY",
    }
}

/// What fits together.
pub fn names(game: &str) -> Names {
    let animation = |name, calls, needs| Animation {
        name,
        root: "door01",
        nodes: vec!["door01", "frame"],
        sounds: vec!["creak"],
        effects: if game == "rc" {
            vec!["dust"]
        } else {
            Vec::new()
        },
        calls,
        needs,
    };
    Names {
        nodes: vec!["door01", "frame", "wall"],
        textures: vec!["wave01.tif", "bark.tif"],
        pictures: vec!["bark", "wave01"],
        animations: vec![
            animation("door_open", vec!["door_close"], vec![]),
            animation("door_close", vec![], vec!["door_open"]),
        ],
        samples: vec![("creak", "creak.wav"), ("thud", "thud.wav")],
        bank: vec!["creak.wav", "thud.wav"],
        effects: vec!["dust", "spark"],
        start: vec!["door_open"],
        messages: vec![message(game)],
        script: vec!["FindNode wall", "NodeSetActive on", "Quit"],
        members: vec!["briefing.zrd"],
        mechs: vec![("wolf.flt", vec!["hip", "torso"])],
        hulls: vec!["hull.tif"],
        mech_pictures: vec!["hull"],
        motions: vec![("wolf_walk", vec!["hip", "torso"])],
    }
}

fn bytes_of(manifest: Value, documents: &[(&str, String)]) -> Vec<u8> {
    let folder = Folder::new();
    folder
        .put("refit.json", manifest.to_string().as_bytes())
        .expect("a folder in memory takes everything");
    for (path, text) in documents {
        folder
            .put(path, text.as_bytes())
            .expect("a folder in memory takes everything");
    }
    pipeline::repack(&folder)
        .unwrap_or_else(|e| panic!("{manifest}: {e}"))
        .1
}

fn head(game: &str, format: &str, file: &str) -> Value {
    json!({ "refit": "0.1.0", "tree": refit::tree::TREE_VERSION, "game": game, "format": format,
        "source": { "file": file } })
}

/// A world with nodes, and materials of textures.
pub fn world(game: &str, nodes: &[&str], textures: &[&str]) -> Vec<u8> {
    let object = |name: &&str| {
        json!({ "name": name, "flags": ["ACTIVE"], "data": { "object3d": { "flags": ["INITIAL",
        "ALWAYS"] } } })
    };
    let children: Vec<usize> = (FIRST..).zip(nodes).map(|(i, _)| i).collect();
    world_of(
        game,
        &[],
        &nodes.iter().map(object).collect::<Vec<_>>(),
        &children,
        textures,
    )
}

/// The position of the first node of [`world_of`].
pub const FIRST: usize = 4;

/// A world with models and nodes, which begin at [`FIRST`]; `children` are children of the world.
/// Each texture has a material.
pub fn world_of(
    game: &str,
    models: &[Value],
    nodes: &[Value],
    children: &[usize],
    textures: &[&str],
) -> Vec<u8> {
    let material = |(i, name): (usize, &&str)| json!({ "texture": format!("{i} {name}") });
    let materials: Vec<Value> = textures.iter().enumerate().map(material).collect();
    world_with(game, models, nodes, children, textures, &materials)
}

/// A world like [`world_of`], with given materials.
pub fn world_with(
    game: &str,
    models: &[Value],
    nodes: &[Value],
    children: &[usize],
    textures: &[&str],
    materials: &[Value],
) -> Vec<u8> {
    let size = if game == "cs" { 1024.0 } else { 256.0 };
    let flags = json!([
        "ACTIVE",
        "ALTITUDE_SURFACE",
        "INTERSECT_SURFACE",
        "SINGLE_PARENT",
        "ZONE_GATE"
    ]);
    let mut all = vec![
        json!({ "name": "world1", "flags": flags, "children": children, "data": { "world": {
            "fog_type": "LINEAR", "left": 0.0, "bottom": size, "right": size, "top": 0.0, "lights": [],
            "cells": [{}] } } }),
        json!({ "name": "window1", "flags": flags, "data": { "window": { "origin": [0, 0], "resolution": [640,
            480] } } }),
        json!({ "name": "camera1", "flags": flags, "data": { "camera": { "world": "0 \
            world1", "window": "1 \
            window1", "clip_near": 1.0,
            "clip_far": 5000.0, "lod_multiplier": 1.0, "fov_h_scale": 1.0, "fov_v_scale": 1.0, "fov_h_base": 1.25,
            "fov_v_base": 0.75 } } }),
        json!({ "name": "display", "flags": flags, "data": { "display": { "origin": [0, 0], "resolution": [640, 480],
            "clear_color": [0.392, 0.392, 1.0] } } }),
    ];
    all.extend(nodes.iter().cloned());
    let mut manifest = head(game, "gamez", "gamez.zbd");
    manifest["models"] =
        json!({ "slots": if models.is_empty() { 4 } else { models.len().max(5) } });
    manifest["nodes"] = if game == "cs" {
        json!({})
    } else {
        json!({ "world_is_no_parent": true })
    };
    if matches!(game, "pm" | "cs") {
        manifest["timestamp"] = json!("2000-08-26T08:15:30Z");
    }
    let slots = if game == "cs" {
        1000
    } else {
        materials.len().max(8)
    };
    let names: Vec<Value> = textures
        .iter()
        .map(|name| json!({ "name": name }))
        .collect();
    let last = all.len().max(8) - 1;
    let mut documents = vec![
        (
            format!("nodes/00000-{last:05}.json"),
            json!({ "nodes": all }).to_string(),
        ),
        (
            "textures.json".to_owned(),
            json!({ "textures": names }).to_string(),
        ),
        (
            "materials.json".to_owned(),
            json!({ "slots": slots, "materials": materials }).to_string(),
        ),
    ];
    documents.extend(
        models
            .iter()
            .enumerate()
            .map(|(i, model)| (format!("models/{i:04}.json"), model.to_string())),
    );
    bytes_of(
        manifest,
        &documents
            .iter()
            .map(|(path, text)| (path.as_str(), text.clone()))
            .collect::<Vec<_>>(),
    )
}

/// Compiled animations of documents: definitions, and scripts, each with its path.
pub fn animations_of(
    game: &str,
    definitions: &[(String, Value)],
    scripts: &[(String, Value)],
) -> Vec<u8> {
    let mut manifest = head(game, "anim", "anim.zbd");
    manifest["definitions"] = definitions.iter().map(|(path, _)| path.as_str()).collect();
    let time = "2000-08-26T08:15:30Z";
    manifest["source_files"] = json!([]);
    if matches!(game, "pm" | "cs") {
        manifest["scripts"] = scripts.iter().map(|(path, _)| path.as_str()).collect();
    }
    match game {
        "pm" => manifest["timestamp"] = json!(time),
        "cs" => {
            let base = [r"zbd\c1\gamez.zbd", r"zbd\planes.zbd"]
                .map(|path| json!({ "path": path, "time": time }));
            manifest["base_files"] = json!(base);
            manifest["source_files"] =
                json!([{ "path": r"..\data\c1\m01\zrdr\mis_anim.zrd", "time": time }]);
        }
        _ => {}
    }
    let documents = definitions.iter().chain(scripts);
    bytes_of(
        manifest,
        &documents
            .map(|(path, document)| (path.as_str(), document.to_string()))
            .collect::<Vec<_>>(),
    )
}

/// Compiled animations.
pub fn animations(game: &str, all: &[Animation]) -> Vec<u8> {
    let documents: Vec<(String, Value)> = all
        .iter()
        .map(|animation| {
            let events: Vec<Value> =
                animation.calls.iter().map(|name| json!({ "CALL_ANIMATION": { "name": name } })).collect();
            let stop = json!({ "STOP_ANIMATION": { "name": animation.name } });
            let mut definition = json!({
                "name": animation.root, "animation_name": animation.name, "animation_root_name": animation.root,
                "activation": "ON_CALL",
                "nodes": animation.nodes, "static_sounds": animation.sounds, "effects": animation.effects,
                "sequences": [{ "name": "SEQ_0", "activation": "INITIAL",
                "events": if events.is_empty() { vec![stop] } else { events } }],
            });
            if !animation.calls.is_empty() {
                definition["animation_references"] = json!(animation.calls);
            }
            if !animation.needs.is_empty() {
                definition["minimum_to_satisfy"] = json!(1);
                definition["prerequisites"] = animation.needs.iter().map(|name| json!({ "animation": name })).collect();
            }
            for key in ["nodes", "static_sounds", "effects"] {
                if definition[key].as_array().is_some_and(Vec::is_empty) {
                    definition.as_object_mut().expect("an object").remove(key);
                }
            }
            (format!("defs/{}.json", animation.name), definition)
        })
        .collect();
    let swing =
        json!({ "name": "swing.zan", "object": "door01", "frames": [{ "time": [0.0, 1.0] }] });
    let scripts = if game == "pm" {
        vec![("scripts/swing.json".to_owned(), swing)]
    } else {
        Vec::new()
    };
    animations_of(game, &documents, &scripts)
}

/// Scripts, by their names in the index.
pub fn scripts(all: &[(&str, String)]) -> Vec<u8> {
    let mut manifest = head("rc", "interp", "interp.zbd");
    manifest.as_object_mut().expect("an object").remove("game");
    let file = |name: &str| name.replace('\\', "/");
    manifest["scripts"] = all
        .iter()
        .map(
            |(name, _)| json!({ "name": name, "file": file(name), "time": "1998-10-31T00:00:00Z" }),
        )
        .collect();
    let documents: Vec<(String, String)> = all
        .iter()
        .map(|(name, text)| (file(name), text.clone()))
        .collect();
    bytes_of(
        manifest,
        &documents
            .iter()
            .map(|(path, text)| (path.as_str(), text.clone()))
            .collect::<Vec<_>>(),
    )
}

/// 'Mechs: their nodes, and materials of textures.
pub fn mechs(game: &str, all: &[(&str, Vec<&str>)], textures: &[&str]) -> Vec<u8> {
    let node = |(depth, name): (usize, &&str)| {
        json!({ "depth": depth.min(1), "name": name, "flags": ["ACTIVE"],
        "data": { "object3d": { "flags": ["INITIAL", "ALWAYS"] } } })
    };
    let trees: Vec<(&str, Value)> = all
        .iter()
        .map(|(file, nodes)| {
            (
                *file,
                json!({ "nodes": nodes.iter().enumerate().map(node).collect::<Vec<_>>() }),
            )
        })
        .collect();
    mechlib(game, &trees, textures)
}

/// 'Mechs as documents. A texture without a name is a plain material.
pub fn mechlib(game: &str, trees: &[(&str, Value)], textures: &[&str]) -> Vec<u8> {
    let (archive, version) = if game == "pm" { (2, 41) } else { (1, 27) };
    let mut manifest = head(game, "mechlib", "mechlib.zbd");
    manifest["version"] = json!(archive);
    let names = ["format", "version", "materials"]
        .into_iter()
        .chain(trees.iter().map(|(name, _)| *name));
    manifest["members"] = names
        .map(|name| json!({ "name": name, "file": format!("{name}.json") }))
        .collect();
    let material = |name: &&str| {
        if name.is_empty() {
            json!({})
        } else {
            json!({ "texture": "0x00000000", "texture_name": name })
        }
    };
    let materials: Vec<Value> = textures.iter().map(material).collect();
    let mut documents = vec![
        ("format.json".to_owned(), json!({ "format": 1 }).to_string()),
        (
            "version.json".to_owned(),
            json!({ "version": version }).to_string(),
        ),
        (
            "materials.json".to_owned(),
            json!({ "materials": materials }).to_string(),
        ),
    ];
    documents.extend(
        trees
            .iter()
            .map(|(name, tree)| (format!("{name}.json"), tree.to_string())),
    );
    bytes_of(
        manifest,
        &documents
            .iter()
            .map(|(path, text)| (path.as_str(), text.clone()))
            .collect::<Vec<_>>(),
    )
}

/// Motions of parts.
pub fn motions(game: &str, all: &[(&str, Vec<&str>)]) -> Vec<u8> {
    let part = |name: &&str| json!({ "name": name, "translations": [[0.0, 1.0, 0.0]], "rotations": [[1.0, 0.0, 0.0, 0.0]] });
    let document = |parts: &Vec<&str>| json!({ "loop_time": 1.5, "parts": parts.iter().map(part).collect::<Vec<_>>() });
    let all: Vec<(&str, Value)> = all
        .iter()
        .map(|(name, parts)| (*name, document(parts)))
        .collect();
    motions_of(game, &all)
}

/// Motions as documents.
pub fn motions_of(game: &str, all: &[(&str, Value)]) -> Vec<u8> {
    let mut manifest = head(game, "motion", "motion.zbd");
    manifest["version"] = json!(if game == "pm" { 2 } else { 1 });
    manifest["members"] = all
        .iter()
        .map(|(name, _)| json!({ "name": name, "file": format!("{name}.json") }))
        .collect();
    let documents: Vec<(String, String)> = all
        .iter()
        .map(|(name, document)| (format!("{name}.json"), document.to_string()))
        .collect();
    bytes_of(
        manifest,
        &documents
            .iter()
            .map(|(path, text)| (path.as_str(), text.clone()))
            .collect::<Vec<_>>(),
    )
}

/// A PBO of files, stored, with a prefix if there is one, and with its SHA-1.
pub fn addon<'a>(prefix: &str, files: &[(&'a str, &'a str)]) -> Vec<u8> {
    let file = |(name, text): &(&'a str, &'a str)| -> by_hand::PboFile<'a> {
        (name, 0, 0, 1_465_000_000, text.as_bytes())
    };
    by_hand::hashed(by_hand::pbo(
        &[("prefix", prefix)],
        &files.iter().map(file).collect::<Vec<_>>(),
    ))
}

/// An archive as the game writes it.
pub fn archive(game: &str, members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let cs = game == "cs";
    let time = 126_117_504_540_000_000;
    let rows: Vec<by_hand::Member<'_>> = members
        .iter()
        .map(|(name, bytes)| {
            if cs {
                (*name, &bytes[..], 2, name.as_bytes(), time)
            } else {
                by_hand::member(name, bytes)
            }
        })
        .collect();
    let plain = by_hand::archive(&rows, false, None);
    if game != "pm" {
        return plain;
    }
    // The checksum is over the bytes before the table; those of sounds are zero.
    let data: usize = members.iter().map(|(_, bytes)| bytes.len()).sum();
    let sounds = members.iter().any(|(name, _)| name.ends_with(".wav"));
    by_hand::archive(
        &rows,
        false,
        Some(if sounds {
            0
        } else {
            by_hand::checksum(&plain[..data])
        }),
    )
}

/// A reader member: in Recoil its keys are items of the outermost list, in the other games of a
/// list in it.
pub fn reader(game: &str, items: &[Vec<u8>]) -> Vec<u8> {
    let list = by_hand::list(items);
    if game == "rc" {
        list
    } else {
        by_hand::list(&[list])
    }
}

/// A sound: a few samples of silence, 16 bits, 11025 Hz, one channel.
pub fn wav() -> Vec<u8> {
    by_hand::Wave::pcm(1, 11_025, 16, vec![0; 64]).file()
}

/// A package of pictures of eight by eight pixels, sixteen bits each.
pub fn package<'a>(pictures: &[&'a str]) -> Vec<u8> {
    let image = |(i, name): (usize, &&'a str)| {
        by_hand::Image::plain(name, (8, 8), [0x21 + i as u8, 0x10].repeat(64))
    };
    by_hand::package(
        &pictures.iter().enumerate().map(image).collect::<Vec<_>>(),
        &[],
    )
}

/// A JPEG file of 8 × 8 pixels of red 16, green 4, blue 16, by hand: one number per component,
/// 128ths of the brightness times 8, each announced by two codes of two bits, and one bit for the
/// end of the block.
pub fn jpeg() -> Vec<u8> {
    // Brightness, blue and red difference: 9, 132 and 133 of 255. As differences from 128, times 8:
    // −952, 32, 40.
    let bits = concat!(
        "00",
        "0001000111",
        "0",
        "01",
        "100000",
        "0",
        "01",
        "101000",
        "0",
        "11111"
    );
    let data = bits
        .as_bytes()
        .chunks(8)
        .map(|byte| byte.iter().fold(0, |sum, bit| sum * 2 + (bit - b'0')));
    let mut out = vec![0xff, 0xd8, 0xff, 0xdb, 0, 67, 0];
    out.extend([1; 64]);
    out.extend([
        0xff, 0xc0, 0, 17, 8, 0, 8, 0, 8, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0,
    ]);
    out.extend([
        0xff, 0xc4, 0, 21, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 6,
    ]);
    out.extend([
        0xff, 0xc4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]);
    out.extend([0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0]);
    out.extend(data);
    out.extend([0xff, 0xd9]);
    out
}

/// An installation of a game with these names.
pub fn installation(game: &str, names: &Names) -> Vec<File> {
    let text = |name: &str| by_hand::string(name);
    let sample = |(name, file): &(&str, &str)| {
        by_hand::list(&[text(name), text(file), text("VOLUME"), by_hand::float(1.0)])
    };
    let sounds = reader(
        game,
        &[
            text("SAMPLES"),
            by_hand::list(&names.samples.iter().map(sample).collect::<Vec<_>>()),
        ],
    );
    let effect = |name: &&str| [text(name), by_hand::list(&[by_hand::float(1.0)])];
    let effects = reader(
        game,
        &names.effects.iter().flat_map(effect).collect::<Vec<_>>(),
    );
    let start = reader(
        game,
        &names
            .start
            .iter()
            .map(|name| text(name))
            .collect::<Vec<_>>(),
    );
    let objective = |(i, key): (usize, &&str)| {
        [
            text(&format!("OBJECTIVE{}", i + 1)),
            by_hand::list(&[text("TEXT"), text(key)]),
        ]
    };
    let objectives = reader(
        game,
        &names
            .messages
            .iter()
            .enumerate()
            .flat_map(objective)
            .collect::<Vec<_>>(),
    );
    let mut common = vec![("sounds.zrd", sounds)];
    if game == "rc" {
        common.push(("effects.zrd", effects));
    }
    let mut mission = vec![("objectives.zrd", objectives), ("startanims.zrd", start)];
    mission.extend(
        names
            .members
            .iter()
            .map(|name| (*name, reader(game, &[text("TITLE"), by_hand::int(1)]))),
    );
    let bank: Vec<(&str, Vec<u8>)> = names.bank.iter().map(|name| (*name, wav())).collect();
    let models: Vec<Vec<u8>> = names.mechs.iter().map(|(file, _)| text(file)).collect();
    if matches!(game, "mw" | "pm") {
        common.push(("mechs.zrd", reader(game, &models)));
    }
    let script = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let mission_script = if game == "rc" { "m1_zbd.gs" } else { "c1.gs" };
    let scripts = scripts(&[
        (r"support\common.gw", script(&["Verbose off", "Quit"])),
        (
            mission_script,
            script(&[&[r"source support\common.gw"][..], &names.script].concat()),
        ),
    ]);
    let world = world(game, &names.nodes, &names.textures);
    let animations = animations(game, &names.animations);
    let package = package(&names.pictures);
    let pictures = self::package(&["panel"]);
    let dll = |name| golden_file("messages", name).bytes.to_vec();
    let files = match game {
        "rc" => vec![
            ("zbd/interp.zbd", scripts),
            ("zbd/zrdr.zbd", archive(game, &common)),
            ("zbd/soundsh.zbd", archive(game, &bank)),
            ("zbd/image.zbd", pictures),
            ("zbd/m1/zrdr.zbd", archive(game, &mission)),
            ("zbd/m1/gamez.zbd", world),
            ("zbd/m1/anim.zbd", animations),
            ("zbd/m1/rtexture4.zbd", package),
            ("Messages.dll", dll("rc_basic_en.dll")),
        ],
        "mw" | "pm" => vec![
            ("zbd/interp.zbd", scripts),
            ("zbd/reader.zbd", archive(game, &common)),
            ("zbd/soundsH.zbd", archive(game, &bank)),
            ("zbd/rimage.zbd", pictures),
            ("zbd/c1/readerm1.zbd", archive(game, &mission)),
            ("zbd/c1/gamez.zbd", world),
            ("zbd/c1/anim.zbd", animations),
            ("zbd/c1/rtexture.zbd", package),
            (
                "Mech3Msg.dll",
                dll(if game == "mw" {
                    "mw_basic_en.dll"
                } else {
                    "pm_basic_de.dll"
                }),
            ),
        ],
        _ => vec![
            ("ZBD/interp.zbd", scripts),
            ("ZBD/zrdr.zbd", archive(game, &common)),
            ("ZBD/soundsh.zbd", archive(game, &bank)),
            ("ZBD/rimage.zbd", pictures),
            ("ZBD/C1/gamez.zbd", world),
            ("ZBD/C1/rtexture8.zbd", package),
            ("ZBD/C1/M01/zrdr.zbd", archive(game, &mission)),
            ("ZBD/C1/M01/mis_anim.zbd", animations),
            ("strings.dll", dll("cs_basic.dll")),
        ],
    };
    let mut files: Vec<File> = files
        .into_iter()
        .map(|(path, bytes)| (path.to_owned(), bytes))
        .collect();
    if matches!(game, "mw" | "pm") {
        files.push((
            "zbd/mechlib.zbd".to_owned(),
            mechs(game, &names.mechs, &names.hulls),
        ));
        files.push(("zbd/motion.zbd".to_owned(), motions(game, &names.motions)));
        files.push((
            "zbd/rmechtex16.zbd".to_owned(),
            self::package(&names.mech_pictures),
        ));
    }
    // Nothing that refit reads.
    files.push(("readme.txt".to_owned(), b"made by hand\x01".to_vec()));
    files
}

/// An installation with other names than those that fit together: `nodes=wall` adds a name, for the
/// kinds below.
pub fn edited(game: &str, edits: &[&str]) -> Result<Vec<File>> {
    let mut names = names(game);
    for edit in edits {
        let (kind, name) = edit
            .split_once('=')
            .with_context(|| format!("{edit} is not KIND=NAME"))?;
        let name: &'static str = name.to_owned().leak();
        let [open, close] = &mut names.animations[..] else {
            bail!("there are two animations")
        };
        match kind {
            "nodes" => names.nodes.push(name),
            "textures" => names.textures.push(name),
            "samples" => names
                .samples
                .push(name.split_once(',').context("a sample has a file")?),
            "start" => names.start.push(name),
            "messages" => names.messages.push(name),
            "members" => names.members.push(name),
            "hulls" => names.hulls.push(name),
            "parts" => names.motions[0].1.push(name),
            "script" => names.script.insert(0, name),
            "open.nodes" => open.nodes.push(name),
            "open.sounds" => open.sounds.push(name),
            "open.effects" => open.effects.push(name),
            "open.calls" => open.calls.push(name),
            "close.needs" => close.needs.push(name),
            _ => bail!("there is no kind {kind}"),
        }
    }
    Ok(installation(game, &names))
}

/// Writes an installation below a folder.
pub fn write(root: &Path, files: &[File]) {
    for (path, bytes) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .expect("a folder is made");
        std::fs::write(path, bytes).expect("a file is written");
    }
}
