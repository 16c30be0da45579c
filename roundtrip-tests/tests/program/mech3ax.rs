//! mech3ax, on which other tools are based, must be able to read the new files of refit:
//! `roundtrip_tests::mech3ax` checks its requirements. If the program is available,
//! `roundtrip-tests/mech3ax/check.py` runs it.

use refit::game::Game;
use roundtrip_tests::{
    by_hand, mech3ax,
    process::{err, names, run},
    root,
};
use serde_json::{Value, json};
use std::{fs, path::Path};

/// A square with a texture that reaches from one corner to another, in a file `NAME.gltf`.
fn square(folder: &Path, name: &str, from: [f32; 3], to: [f32; 3]) {
    let corners = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(x, z)| {
        [
            [from[0], to[0]][x],
            [from[1], to[1]][(x + z) % 2],
            [from[2], to[2]][z],
        ]
    });
    let uvs = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0f32]];
    let mut data: Vec<u8> = corners
        .iter()
        .flatten()
        .chain(uvs.iter().flatten())
        .flat_map(|n| n.to_le_bytes())
        .collect();
    data.extend([0u16, 1, 2, 2, 1, 3].iter().flat_map(|n| n.to_le_bytes()));
    let sides =
        [f32::min, f32::max].map(|of: fn(f32, f32) -> f32| [0, 1, 2].map(|n| of(from[n], to[n])));
    let view =
        |at: usize, size: usize| json!({ "buffer": 0, "byteOffset": at, "byteLength": size });
    let root = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "name": name, "mesh": 0 }],
        "meshes": [{
            "primitives": [{ "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "indices": 2, "material": 0 }],
        }],
        "materials": [{ "name": "grass", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
        "textures": [{ "source": 0 }], "images": [{ "uri": "grass.png" }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": sides[0], "max": sides[1] },
            { "bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2" },
            { "bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR" },
        ],
        "bufferViews": [view(0, 48), view(48, 32), view(80, 12)],
        "buffers": [{ "byteLength": data.len(), "uri": format!("{name}.bin") }],
    });
    fs::write(folder.join(format!("{name}.gltf")), root.to_string()).unwrap();
    fs::write(folder.join(format!("{name}.bin")), data).unwrap();
}

fn done(folder: &Path, line: &str) {
    run(folder, line).code(0);
}

fn no_faults(what: &str, faults: &[String]) {
    assert!(
        faults.is_empty(),
        "{what}: {} faults: {:?}",
        faults.len(),
        &faults[..faults.len().min(20)]
    );
}

/// A new world, and each change of its objects.
#[test]
fn new_worlds_meet_mech3axs_requirements() {
    for game in Game::ALL {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let side = if game == Game::Cs { 1024.0 } else { 256.0 };
        square(
            dir.path(),
            "hills",
            [-100.0, 0.0, -100.0],
            [side * 4.5, 30.0, side * 4.5],
        );
        square(dir.path(), "tower", [0.0, 0.0, 0.0], [9.0, 30.0, 9.0]);
        let last = side * 4.0;
        done(
            dir.path(),
            &format!(
                "new gamez --game {} --extents 0,0,{last},{last} -o w.zbd",
                game.code()
            ),
        );
        done(
            dir.path(),
            &format!(
                "new gamez --game {} --extents 0,0,{last},{last} -o other.zbd",
                game.code()
            ),
        );
        done(dir.path(), "world add other.zbd tower.gltf");
        for line in [
            "ground w.zbd hills.gltf",
            "add w.zbd tower.gltf --at 300,10,100",
            "copy w.zbd tower --at 600,20,500 --turn 30 --name mast",
            "move w.zbd mast --by 300,0,10 --turn 45",
            "rename w.zbd mast pole",
            "copy w.zbd pole --under tower --name flag",
            "remove w.zbd flag",
            "add w.zbd tower.gltf --under pole --at 40,0,7 --turn 200",
            "remove w.zbd pole",
            "add w.zbd hills.gltf --at 0,100,0",
            "copy w.zbd tower --from other.zbd --under hills --name twin",
            "remove w.zbd tower",
        ] {
            // Only the two older games have free records between others.
            if line == "remove w.zbd tower" && matches!(game, Game::Pm | Game::Cs) {
                run(dir.path(), &format!("world {line}")).code(1);
                continue;
            }
            // A second object of a name is found instead of the first one: 3.
            let said = run(dir.path(), &format!("world {line}"));
            assert!(
                [Some(0), Some(3)].contains(&said.get_output().status.code()),
                "{line}: {}",
                err(&said)
            );
            no_faults(
                &format!("{game}: {line}"),
                &mech3ax::world(&fs::read(at("w.zbd")).unwrap(), game),
            );
        }
    }
}

/// The check finds each fault: this file has its own fog, a yellow sun, and objects without a flag.
#[test]
fn worlds_that_mech3ax_rejects_are_reported() {
    let file = fs::read(root().join("golden/gamez/mw_typical_gamez.zbd")).unwrap();
    let faults = mech3ax::world(&file, Game::Mw);
    for what in ["world: fog", "light: white", "object: flags"] {
        assert!(
            faults.iter().any(|fault| fault.ends_with(what)),
            "{what}: {faults:?}"
        );
    }
}

fn folder(dir: &Path, name: &str, files: &[(&str, &[u8])]) {
    for (file, bytes) in files {
        fs::create_dir_all(dir.join(name).join(file).parent().unwrap()).unwrap();
        fs::write(dir.join(name).join(file), bytes).unwrap();
    }
}

/// The tree of a golden file without refit's notes about the file.
fn plain(dir: &Path, name: &str, golden: &str) {
    let golden = root().join("golden").join(golden);
    done(
        dir,
        &format!("unpack {} -o {name} --quiet", golden.display()),
    );
    fs::remove_file(dir.join(name).join("refit.json")).unwrap();
    let hidden = names(&dir.join(name))
        .into_iter()
        .filter(|file| file.starts_with('.'));
    for file in hidden.map(|file| dir.join(name).join(file)) {
        if file.is_dir() {
            fs::remove_dir_all(file)
        } else {
            fs::remove_file(file)
        }
        .unwrap();
    }
}

#[test]
fn files_of_folders_meet_mech3axs_requirements() {
    for game in Game::ALL {
        let dir = tempfile::tempdir().unwrap();
        let made = |name: &str, format: &str| {
            done(
                dir.path(),
                &format!(
                    "repack {name} --format {format} --game {} -o {name}.zbd",
                    game.code()
                ),
            );
            fs::read(dir.path().join(format!("{name}.zbd"))).unwrap()
        };
        let picture = by_hand::png(4, &[[10, 20, 30], [200, 90, 7]].repeat(8));
        let clear = by_hand::png(4, &[[10, 20, 30, 128], [200, 90, 7, 255]].repeat(8));
        folder(
            dir.path(),
            "pictures",
            &[("grass.png", &picture), ("glass.png", &clear)],
        );
        no_faults(
            &format!("{game}: textures"),
            &mech3ax::textures(&made("pictures", "textures")),
        );
        let wave = by_hand::Wave::pcm(1, 22_050, 16, vec![7; 4000]).file();
        folder(
            dir.path(),
            "bank",
            &[("creak.wav", &wave), ("hum.wav", &wave)],
        );
        no_faults(
            &format!("{game}: sounds"),
            &mech3ax::archive(&made("bank", "sounds"), game, false).0,
        );
        folder(
            dir.path(),
            "keys",
            &[
                (
                    "a.zrd",
                    b"KEYS ( SPEED ( 4 -1.5 ) NAME ( gate ) NONE ( ) )\n",
                ),
                ("b.zrd.json", b"[[\"x\", 1, 2.5, []]]"),
            ],
        );
        let (faults, members) = mech3ax::archive(&made("keys", "reader"), game, true);
        no_faults(&format!("{game}: readers"), &faults);
        assert_eq!(members.len(), 2);
        members.iter().for_each(|(name, bytes)| {
            no_faults(&format!("{game}: {name}"), &mech3ax::reader(bytes))
        });
        folder(
            dir.path(),
            "scripts",
            &[
                ("m1_zbd.gs", b"GameZReadZBDFile zbd\\m1\\gamez.zbd\n"),
                (
                    "support/m1.gw",
                    b"# text\nFindNode gate\nNodeSetActive on\n",
                ),
            ],
        );
        no_faults(
            &format!("{game}: scripts"),
            &mech3ax::interp(&made("scripts", "interp")),
        );
        if game == Game::Rc {
            plain(dir.path(), "map", "zmap/rc_typical_m1.zmap");
            no_faults("map", &mech3ax::zmap(&made("map", "zmap")));
        }
        if matches!(game, Game::Mw | Game::Pm) {
            plain(
                dir.path(),
                "motions",
                &format!("motion/{}_typical_motion.zbd", game.code()),
            );
            for file in names(&dir.path().join("motions")) {
                let file = dir.path().join("motions").join(file);
                let mut motion: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
                // A motion whose last frame equals the first stores no closing frame.
                let parts = motion["parts"].as_array_mut().unwrap().iter_mut();
                parts.for_each(|part| drop(part.as_object_mut().unwrap().remove("last")));
                fs::write(file, motion.to_string()).unwrap();
            }
            let (faults, members) = mech3ax::archive(&made("motions", "motion"), game, false);
            no_faults(&format!("{game}: motions"), &faults);
            assert!(!members.is_empty());
            members.iter().for_each(|(name, bytes)| {
                no_faults(&format!("{game}: {name}"), &mech3ax::motion(bytes))
            });
            plain(
                dir.path(),
                "mechs",
                &format!("mechlib/{}_typical_mechlib.zbd", game.code()),
            );
            let (faults, members) = mech3ax::archive(&made("mechs", "mechlib"), game, false);
            no_faults(&format!("{game}: 'mechs"), &faults);
            let word = |name: &str| {
                members
                    .iter()
                    .find(|(own, _)| own == name)
                    .map(|(_, bytes)| bytes.clone())
            };
            let version: u32 = if game == Game::Mw { 27 } else { 41 };
            assert_eq!(word("format"), Some(1u32.to_le_bytes().to_vec()));
            assert_eq!(word("version"), Some(version.to_le_bytes().to_vec()));
        }
    }
}

/// The files of a new mission: its reader, the scripts, and its world once it has ground.
#[test]
fn a_new_mission_meets_mech3axs_requirements() {
    for (game, words, world, files) in [
        (
            Game::Rc,
            "m14 game --like m1 --empty-world",
            "zbd/m14/gamez.zbd",
            ["zbd/m14/zrdr.zbd", "zbd/interp.zbd"],
        ),
        (
            Game::Mw,
            "c1/m2 game --like c1/m1",
            "",
            ["zbd/c1/readerm2.zbd", ""],
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        for (path, bytes) in
            roundtrip_tests::fixtures::fixture("installation", &[game.code()], &|_| unreachable!())
                .unwrap()
        {
            folder(dir.path(), "game", &[(&path[1..], &bytes)]);
        }
        square(dir.path(), "hills", [0.0; 3], [700.0, 8.0, 700.0]);
        done(dir.path(), &format!("new mission {words} -o arena"));
        let made = |file: &str| fs::read(dir.path().join("game").join(file)).unwrap();
        if world.is_empty() {
            done(dir.path(), "repack arena -o game");
        } else {
            done(
                dir.path(),
                &format!("world ground arena/{world} hills.gltf"),
            );
            done(dir.path(), "repack arena -o game");
            no_faults(world, &mech3ax::world(&made(world), game));
        }
        for file in files.into_iter().filter(|file| !file.is_empty()) {
            let faults = match file.ends_with("interp.zbd") {
                true => mech3ax::interp(&made(file)),
                false => mech3ax::archive(&made(file), game, true).0,
            };
            no_faults(file, &faults);
        }
    }
}

/// Definitions of a door that calls another animation, with a sound, nodes, a condition and a
/// reset.
const DOOR: &str = "ANIMATION_DEFINITIONS ( GRAVITY ( -9.8 ) ANIMATION_LIST (
  ANIMATION_DEFINITION ( NAME ( door ) ANIMATION_NAME ( open_door ) ACTIVATION ( ON_CALL ) RESET_TIME ( -1 )
    RESET_STATE ( OBJECT_ACTIVE_STATE ( NAME ( door ) STATE ( ACTIVE ) ) )
    SEQUENCE_DEFINITION ( NAME ( open ) SOUND ( NAME ( creak ) AT_NODE ( door 0 1 0 ) )
      OBJECT_MOTION_FROM_TO ( NAME ( door ) ROTATE_FROM ( 0 0 0 ) ROTATE_TO ( 0 90 0 ) RUN_TIME ( 2 ) )
      CALL_ANIMATION ( NAME ( lamp_on ) ) ) )
  ANIMATION_DEFINITION ( NAME ( lamp ) ANIMATION_NAME ( lamp_on ) ACTIVATION ( WEAPON_HIT ) HEALTH ( 5 )
    EXECUTION_BY_RANGE ( 0 200 )
    SEQUENCE_DEFINITION ( NAME ( on ) ACTIVATION ( ON_CALL ) OBJECT_ACTIVE_STATE ( NAME ( lamp ) STATE ( ACTIVE ) ) )
    SEQUENCE_DEFINITION ( NAME ( first ) CALL_SEQUENCE ( NAME ( on ) ) ) ) ) )
";

#[test]
fn new_animations_meet_mech3axs_requirements() {
    for game in [Game::Rc, Game::Mw, Game::Pm] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("anim.zrd"), DOOR).unwrap();
        let said = run(
            dir.path(),
            &format!("anim compile anim.zrd -o anim.zbd --game {}", game.code()),
        );
        assert!(
            [Some(0), Some(3)].contains(&said.get_output().status.code()),
            "{game}: {}",
            err(&said)
        );
        let mut faults = mech3ax::anim(&fs::read(dir.path().join("anim.zbd")).unwrap(), game);
        // A file of Pirate's Moon without scripts is one that mech3ax has not seen.
        if game == Game::Pm {
            faults.retain(|fault| !fault.ends_with("info: scripts"));
        }
        no_faults(&format!("{game}: animations"), &faults);
    }
}

/// The check accepts the output of the studio's compiler, and finds errors: a status, and a list
/// with bytes in its element 0.
#[test]
fn animations_that_mech3ax_rejects_are_reported() {
    for (golden, game) in [
        ("rc_door", Game::Rc),
        ("mw_door", Game::Mw),
        ("pm_door", Game::Pm),
    ] {
        let Ok(file) = fs::read(root().join(format!("golden/anim/{golden}.zbd"))) else {
            continue;
        };
        no_faults(golden, &mech3ax::anim(&file, game));
    }
    let mut file = fs::read(root().join("golden/anim/mw_door.zbd")).unwrap();
    let at = file
        .windows(4)
        .position(|four| four == [0, 3, 4, 2] || four == [0, 0, 4, 2])
        .unwrap();
    file[at] = 9;
    let faults = mech3ax::anim(&file, Game::Mw);
    assert!(
        faults
            .iter()
            .any(|fault| fault.ends_with("definition: status")),
        "{faults:?}"
    );
}
