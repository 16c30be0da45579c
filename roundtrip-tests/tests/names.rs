//! The names of a whole game: roles, `refs`, `find`, and what `lint` says across files, on synthetic installations.

use roundtrip_tests::{
    games::{self, installation, names, write},
    process::{err, out, refit},
};
use std::path::Path;

const GAMES: [&str; 4] = ["rc", "mw", "pm", "cs"];

fn with(files: &[games::File]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("game"), files);
    dir
}

/// Runs refit with a cache of its own.
fn run(dir: &Path, line: &str, code: i32) -> (String, String) {
    let done = refit(dir).args(line.split(' ')).env("REFIT_CACHE", dir.join("cache")).assert().code(code);
    (out(&done), err(&done))
}

fn rows(dir: &Path, line: &str, code: i32) -> Vec<serde_json::Value> {
    run(dir, &format!("{line} --json"), code).0.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
}

#[test]
fn installations_are_exact_and_know_their_roles() {
    for (game, readers, files) in [
        ("rc", "readers of mission m1", 9),
        ("mw", "readers of mission c1/m1", 12),
        ("pm", "readers of mission c1/m1", 12),
        ("cs", "readers of mission c1/m01", 9),
    ] {
        let dir = with(&installation(game, &names(game)));
        let (verified, said) = run(dir.path(), "verify game", 0);
        assert!(verified.contains(&format!("{files} files exact, 1 not recognised")), "{game}: {verified}{said}");
        let (listed, _) = run(dir.path(), "list game", 0);
        assert_eq!(listed.lines().count(), files, "{listed}");
        let mechs = ["'mechs of the whole game", "motions of 'mechs of the whole game", "textures of 'mechs of the whole game"];
        assert!(files == 9 || mechs.iter().all(|role| listed.contains(role)), "{game}: {listed}");
        for role in [readers, "scripts of the whole game", "sounds of the whole game", "messages of the whole game"] {
            assert!(listed.contains(role), "{game}: {role}: {listed}");
        }
        assert!(run(dir.path(), "info game", 0).0.contains(readers));
        let row = rows(dir.path(), "verify game", 0).into_iter().find(|row| row["role"]["role"] == "world").unwrap();
        assert_eq!((&row["game"], &row["role"]["of"]), (&game.into(), &if game == "rc" { "m1" } else { "c1" }.into()));
        // Recoil's worlds have thousands of free slots; this one is small.
        let mut alone = rows(dir.path(), "lint game", if game == "rc" { 3 } else { 0 });
        alone.retain(|row| row["code"] != "gamez-capacity");
        assert!(alone.is_empty(), "{game}: {alone:?}");
    }
}

/// Every kind of name is found where it is defined and where it is used.
#[test]
fn refs_answers_for_every_kind_of_name() {
    for game in GAMES {
        let dir = with(&installation(game, &names(game)));
        for (name, kind, defined, used) in [
            ("door_close", "animation", 1, 3),
            ("bark.tif", "texture", 1, 1),
            ("BARK", "material", 1, 0),
            ("door01", "node", 1, if game == "pm" { 7 } else { 6 }),
            ("wall", "node", 1, 1),
            ("door_open", "animation", 1, 1),
            ("creak", "sound", 2, 3),
            (games::message(game), "message", 1, 1),
            (r"support\common.gw", "script", 1, 1),
            ("briefing.zrd", "member", 1, 0),
            ("door_open", "prerequisite", 0, 1),
        ] {
            let found = rows(dir.path(), &format!("refs {name} game --kind {kind}"), 0);
            let count = |does: &str| found.iter().filter(|row| row["does"] == does).count();
            assert_eq!((count("defines"), count("uses")), (defined, used), "{game}: {kind} {name}: {found:#?}");
            assert!(found.iter().all(|row| row["kind"] == kind && row["at"].as_str().is_some_and(|at| !at.is_empty())));
        }
        if game == "rc" {
            let found = rows(dir.path(), "refs dust game", 0);
            assert_eq!(found.iter().map(|row| row["does"].as_str().unwrap()).collect::<Vec<_>>(), ["defines", "uses", "uses"]);
        }
        if matches!(game, "mw" | "pm") {
            for (name, kind, defined, used) in [
                ("wolf", "model", 1, 1),
                ("wolf_walk", "motion", 1, 0),
                ("hip", "node", 1, 1),
                ("hull.tif", "texture", 1, 1),
                ("hull", "material", 1, 0),
            ] {
                let found = rows(dir.path(), &format!("refs {name} game --kind {kind}"), 0);
                let count = |does: &str| found.iter().filter(|row| row["does"] == does).count();
                assert_eq!((count("defines"), count("uses")), (defined, used), "{game}: {kind} {name}: {found:#?}");
            }
        }
        if game == "cs" {
            assert_eq!(rows(dir.path(), r"refs ..\data\c1\m01\zrdr\mis_anim.zrd game", 0)[0]["kind"], "source");
        }
        // Without a kind all of them, of one name.
        let (text, _) = run(dir.path(), "refs door_open game", 0);
        assert!(text.contains("defines animation door_open") && text.contains("uses prerequisite door_open"), "{text}");
        assert!(run(dir.path(), "refs nobody game", 1).1.contains("no file says the name"));
        let (_, text) = run(dir.path(), "refs dor_open game", 1);
        assert!(text.contains("did you mean \"door_open\"?") && text.contains("`refit find`"), "{text}");
    }
}

/// An installation in which everything is wrong that can be wrong across files, and what is to be said of it: code, file, place, where the
/// game looks, and what it does.
fn faulty(game: &str) -> (Vec<games::File>, Vec<[&'static str; 5]>) {
    let mut names = names(game);
    names.animations[0].nodes.push("gone_node");
    names.animations[0].sounds.push("gone_sound");
    names.animations[0].calls.push("gone_call");
    names.animations[1].needs.push("gone_need");
    names.start.push("gone_start");
    names.textures.push("gone_tex.tif");
    names.samples.push(("lost", "lost.wav"));
    names.messages.push("MSG_GONE");
    names.script.insert(0, "FindNode gone_for_script");
    names.script.insert(1, r"source support\gone.gw");
    names.members.push("sounds.zrd");
    names.hulls.push("gone_hull.tif");
    names.motions[0].1.push("gone_part");
    if game == "rc" {
        names.animations[0].effects.push("gone_effect");
    }
    let [anim, world, readers, common, pack, bank] = match game {
        "rc" => ["zbd/m1/anim.zbd", "zbd/m1/gamez.zbd", "zbd/m1/zrdr.zbd", "zbd/zrdr.zbd", "zbd/m1/rtexture4.zbd", "zbd/soundsh.zbd"],
        "cs" => [
            "ZBD/C1/M01/mis_anim.zbd",
            "ZBD/C1/gamez.zbd",
            "ZBD/C1/M01/zrdr.zbd",
            "ZBD/zrdr.zbd",
            "ZBD/C1/rtexture8.zbd",
            "ZBD/soundsh.zbd",
        ],
        _ => ["zbd/c1/anim.zbd", "zbd/c1/gamez.zbd", "zbd/c1/readerm1.zbd", "zbd/reader.zbd", "zbd/c1/rtexture.zbd", "zbd/soundsH.zbd"],
    };
    let script = if game == "cs" { "ZBD/interp.zbd" } else { "zbd/interp.zbd" };
    let dll = match game {
        "rc" => "Messages.dll",
        "cs" => "strings.dll",
        _ => "Mech3Msg.dll",
    };
    let refuses = if game == "rc" { "refuses" } else { "not known for this game" };
    let mut expected = vec![
        ["anim-call-missing", anim, "defs/door_open.json", anim, "does nothing"],
        ["anim-node-missing", anim, "defs/door_open.json: nodes[2]", world, refuses],
        ["anim-prerequisite-missing", anim, "defs/door_close.json: prerequisites[1]", anim, "runs without"],
        ["anim-sound-missing", anim, "defs/door_open.json: static_sounds[1]", bank, "plays nothing"],
        ["archive-hidden", readers, "members[3].name", common, "ignores it"],
        ["message-missing", readers, "objectives.zrd.json", dll, "shows nothing"],
        ["script-loose", script, "scripts[0].name", "support/common.gw", "refuses all scripts"],
        ["script-missing", script, "line 3", script, "goes on without it"],
        ["script-node-missing", script, "line 2", world, "ignores the line"],
        ["sound-file-missing", common, "sounds.zrd.json", bank, "plays nothing"],
        ["start-animation-missing", readers, "startanims.zrd.json", anim, "skips it"],
        ["texture-missing", world, "textures.json: textures[2].name", pack, "default texture"],
    ];
    if game == "rc" {
        expected.insert(1, ["anim-effect-missing", anim, "defs/door_open.json: effects[1]", common, "refuses"]);
    }
    if matches!(game, "mw" | "pm") {
        let library = "zbd/mechlib.zbd";
        expected.push(["motion-node-missing", "zbd/motion.zbd", "wolf_walk.json: parts[2].name", library, "moves nothing"]);
        expected.push(["texture-missing", library, "materials.json: materials[1].texture_name", "zbd/rmechtex16.zbd", "default texture"]);
        expected.sort_by_key(|fault| (fault[0], !fault[1].contains("gamez")));
    }
    let mut files = installation(game, &names);
    files.push(("support/common.gw".into(), b"Quit\n".to_vec()));
    (files, expected)
}

#[test]
fn every_fault_across_files_is_told_once_with_both_places_and_the_reaction() {
    for game in GAMES {
        let (files, expected) = faulty(game);
        let dir = with(&files);
        let mut found: Vec<serde_json::Value> =
            rows(dir.path(), "lint game", 3).into_iter().filter(|row| row.get("other").is_some()).collect();
        let is_world = |row: &serde_json::Value| row["path"].as_str().is_some_and(|path| path.contains("gamez"));
        found.sort_by_key(|row| (row["code"].as_str().unwrap().to_owned(), !is_world(row)));
        let codes: Vec<&str> = found.iter().map(|row| row["code"].as_str().unwrap()).collect();
        assert_eq!(codes, expected.iter().map(|fault| fault[0]).collect::<Vec<_>>(), "{game}");
        for (row, [code, file, at, other, reaction]) in found.iter().zip(expected) {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            assert!(text("path").ends_with(file) && text("at").contains(at), "{game}: {code}: {row}");
            assert!(text("other").contains(other) && text("message").contains(other), "{game}: {code}: {row}");
            assert!(text("reaction").contains(reaction) && text("message").contains(reaction), "{game}: {code}: {row}");
            // What it means can be asked for.
            assert!(run(dir.path(), &format!("lint --explain {code}"), 0).0.contains(code));
        }
    }
}

#[test]
fn a_sound_installation_has_nothing_to_tell_across_files() {
    for game in GAMES {
        let dir = with(&installation(game, &names(game)));
        // Recoil's worlds have thousands of free slots; this one is small, and that is all there is to tell.
        let (code, said) = match game {
            "rc" => (3, "3 findings (ignores 3) in 1 of 9 files"),
            "cs" => (0, "nothing unusual in 9 files"),
            _ => (0, "nothing unusual in 12 files"),
        };
        let told = |line: &str| run(dir.path(), line, code).0.lines().filter(|line| !line.contains("[gamez-capacity]")).collect::<String>();
        assert_eq!(told("lint game"), format!("{said}; 1 not recognised and skipped"), "{game}");
        // Nor has its project.
        run(dir.path(), "unpack game -o mod", 0);
        assert_eq!(told("lint mod"), said, "{game}");
        assert_eq!(rows(dir.path(), "refs bark mod", 0).len(), rows(dir.path(), "refs bark game", 0).len());
    }
}

/// A name that an edit brings in, and one that it makes mean something else.
#[test]
fn what_an_edit_of_a_project_brought_in_is_told() {
    let mut names = names("rc");
    names.script.insert(0, "FindNode not_there_yet");
    let dir = with(&installation("rc", &names));
    run(dir.path(), "unpack game -o mod", 0);
    for line in ["lint game --since mod", "lint mod --since mod"] {
        let (said, errors) = run(dir.path(), line, 0);
        assert!(said.starts_with("nothing unusual") && errors.is_empty(), "{line}: {said}{errors}");
    }
    let nodes = dir.path().join("mod/zbd/m1/gamez.zbd/nodes/00000-00006.json");
    let text = std::fs::read_to_string(&nodes).unwrap();
    assert_eq!(text.matches("\"wall\"").count(), 1);
    std::fs::write(&nodes, text.replace("\"wall\"", "\"not_there_yet\"").replace("6 wall", "6 not_there_yet")).unwrap();
    let check = |line: &str| {
        let found = rows(dir.path(), line, 3);
        let found: Vec<(&str, &str)> = found.iter().map(|row| (row["code"].as_str().unwrap(), row["message"].as_str().unwrap())).collect();
        assert!(found.iter().any(|(code, said)| *code == "script-node-missing" && said.contains("\"wall\"")), "{line}: {found:?}");
        let bound = found.iter().find(|(code, _)| *code == "binding-changed").unwrap_or_else(|| panic!("{line}: {found:?}"));
        assert!(bound.1.contains("\"not_there_yet\"") && bound.1.contains("meant nothing before"), "{line}: {}", bound.1);
        assert!(bound.1.contains("zbd/m1/gamez.zbd: nodes/"), "{line}: {}", bound.1);
    };
    check("lint mod --since mod");
    let done = refit(dir.path()).args(["repack", "mod"]).env("REFIT_CACHE", dir.path().join("cache")).assert();
    assert!(err(&done).is_empty() || done.get_output().status.code() == Some(3), "{}", err(&done));
    check("lint game --since mod");
    check("lint game --new");
}

/// Positions that move and a mission that is copied change no name's meaning.
#[test]
fn what_only_moved_is_no_changed_binding() {
    let dir = with(&installation("rc", &names("rc")));
    run(dir.path(), "unpack game -o mod", 0);
    let bound = |line: &str| -> Vec<String> {
        let done = refit(dir.path()).args(line.split(' ')).env("REFIT_CACHE", dir.path().join("cache")).assert();
        let rows = out(&done).lines().map(|row| serde_json::from_str::<serde_json::Value>(row).unwrap()).collect::<Vec<_>>();
        let changed = rows.iter().filter(|row| row["code"] == "binding-changed");
        changed.map(|row| row["message"].as_str().unwrap().to_owned()).collect()
    };
    let bank = dir.path().join("mod/zbd/soundsh.zbd");
    let manifest = bank.join("refit.json");
    let mut head: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&manifest).unwrap()).unwrap();
    std::fs::copy(bank.join("creak.wav"), bank.join("boom.wav")).unwrap();
    head["members"].as_array_mut().unwrap().insert(0, serde_json::json!({ "file": "boom.wav", "name": "boom.wav" }));
    std::fs::write(&manifest, head.to_string()).unwrap();
    assert_eq!(bound("lint mod --since mod --json"), [""; 0]);
    // Another order does change it: two things of one name.
    std::fs::copy(bank.join("boom.wav"), bank.join("twin.wav")).unwrap();
    head["members"].as_array_mut().unwrap().insert(0, serde_json::json!({ "file": "twin.wav", "name": "creak.wav" }));
    std::fs::write(&manifest, head.to_string()).unwrap();
    assert!(bound("lint mod --since mod --json").iter().any(|said| said.contains("\"creak")));
    head["members"].as_array_mut().unwrap().remove(0);
    std::fs::write(&manifest, head.to_string()).unwrap();
    let (from, to) = (dir.path().join("mod/zbd/m1"), dir.path().join("mod/zbd/m2"));
    for entry in walkdir::WalkDir::new(&from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(&from).unwrap());
        match entry.file_type().is_dir() {
            true => std::fs::create_dir_all(target).unwrap(),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
    let wall = bound("lint mod --since mod --json");
    assert!(!wall.iter().any(|said| said.contains("\"wall\"")), "{wall:?}");
}

#[test]
fn find_looks_into_everything() {
    let dir = with(&installation("rc", &names("rc")));
    let at = |path: &str| dir.path().join(path);
    std::fs::create_dir_all(at("addon/scripts")).unwrap();
    std::fs::write(at("addon/$PBOPREFIX$"), "x\\addon").unwrap();
    std::fs::write(
        at("addon/scripts/init.sqf"),
        "hint \"wave to zebra\";\ncall compile preprocessFile \"\\x\\addon\\scripts\\next.sqf\";\n",
    )
    .unwrap();
    std::fs::write(at("addon/scripts/next.sqf"), "exit 1;\n").unwrap();
    run(dir.path(), "repack addon --format pbo -o game/addons/addon.pbo", 0);
    let found = |line: &str| -> Vec<String> {
        rows(dir.path(), &format!("find {line}"), 0)
            .iter()
            .map(|row| ["file", "document", "at", "value"].map(|key| row[key].as_str().unwrap()).join("|"))
            .collect()
    };
    let cold = found("nodesetactive game");
    assert_eq!(cold, ["zbd/interp.zbd|m1_zbd.gs|line 3|NodeSetActive on"]);
    // Warm, with files that are old enough for it: the same.
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    for entry in walkdir::WalkDir::new(at("game")).into_iter().filter_map(|entry| entry.ok()).filter(|entry| entry.file_type().is_file()) {
        std::fs::File::options().write(true).open(entry.path()).unwrap().set_modified(old).unwrap();
    }
    for _ in 0..2 {
        assert_eq!(found("nodesetactive game"), cold);
    }
    assert_eq!(found("--fixed briefing.zrd game --field *.name"), ["zbd/m1/zrdr.zbd|refit.json|members[2].name|briefing.zrd"]);
    run(dir.path(), "find --fixed briefing?zrd game", 1);
    // Pointers in hexadecimal are searched for a pattern that asks for them.
    let hex = |row: &String| row.rsplit('|').next().unwrap().starts_with("0x");
    assert!(!found("0 game").iter().any(hex));
    assert_eq!(found("^briefing\\.zrd$ game --field *.name"), ["zbd/m1/zrdr.zbd|refit.json|members[2].name|briefing.zrd"]);
    assert_eq!(found("^TITLE$ game"), ["zbd/m1/zrdr.zbd|briefing.zrd.json|[0]|TITLE"]);
    assert_eq!(found("door_cl.* game --field animation_name"), ["zbd/m1/anim.zbd|defs/door_close.json|animation_name|door_close"]);
    assert!(found("objective game --kind messages").iter().any(|row| row.contains("Messages.dll|messages.json|messages[")));
    assert_eq!(found("zebra game"), ["addons/addon.pbo|files/scripts/init.sqf|line 1|hint \"wave to zebra\";"]);
    assert_eq!(found("^door_open$ game --kind animation").len(), 2);
    assert!(found("MSG_OBJ_LOAD_9 game --kind message").iter().any(|row| row.starts_with("zbd/m1/zrdr.zbd|objectives.zrd.json|")));
    assert_eq!(found("^creak game --field *static_sounds[]").len(), 2);
    assert_eq!(found("^5000 game --field *.clip_far"), ["zbd/m1/gamez.zbd|nodes/00000-00006.json|nodes[2].data.camera.clip_far|5000.0"]);
    assert_eq!(found("bark game --kind texture").len(), 2);
    // In an addon, too, it is known who uses what.
    let used = rows(dir.path(), r"refs x\addon\scripts\next.sqf game", 0);
    assert_eq!(used.iter().map(|row| row["does"].as_str().unwrap()).collect::<Vec<_>>(), ["defines", "uses"]);
    assert!(run(dir.path(), "find nobody_says_this game", 1).1.contains("is found nowhere in 10 files"));
    assert!(run(dir.path(), "find ( game", 1).1.contains("no regular expression"));
    assert!(run(dir.path(), "find x game --kind gizmo", 1).1.contains("neither a kind of thing nor a format"));
}

/// A folder of addons: what one names of another is followed by the prefixes.
#[test]
fn a_folder_of_addons_knows_what_depends_on_what() {
    let main = games::addon(
        "x\\mod\\addons\\main",
        &[
            ("script_macros.hpp", "#define A 1\n"),
            ("data\\hull.paa", "picture"),
            ("config.bin", "raP"),
            ("fnc\\start.sqf", "hint \"start\";\n"),
        ],
    );
    let config = "#include \"\\x\\mod\\addons\\main\\script_macros.hpp\"\n\
                  #include \"..\\main\\config.cpp\"\n\
                  class CfgVehicles { class car {\n\
                    picture = \"\\x\\mod\\addons\\main\\data\\hull.tga\";\n\
                    model = \"\\x\\mod\\addons\\car\\data\\my car.p3d\";\n\
                    icon = \"\\x\\mod\\addons\\main\\data\\gone icon.paa\";\n\
                    sound = \"\\a3\\sounds\\horn.wss\"; // \\x\\mod\\addons\\main\\old.wss\n\
                  }; };\n";
    let car = games::addon(
        "x\\mod\\addons\\car",
        &[("config.cpp", config), ("data\\my car.p3d", "ODOL"), ("init.sqf", "execVM \"data\\lost.sqf\"; execVM \"\\old\\run.sqf\";\n")],
    );
    // Without a prefix an addon is called by its file's name.
    let old = games::addon("", &[("run.sqs", "exit\n"), ("again.sqs", "[] exec \"\\old\\run.sqs\"\n")]);
    let dir = with(&[("addons/main.pbo".into(), main), ("addons/car.pbo".into(), car), ("addons/Old.pbo".into(), old)]);
    let found = rows(dir.path(), "lint game/addons", 3);
    let across: Vec<&serde_json::Value> = found.iter().filter(|row| row.get("other").is_some()).collect();
    let told: Vec<[&str; 5]> =
        across.iter().map(|row| ["code", "path", "at", "other", "reaction"].map(|key| row[key].as_str().unwrap())).collect();
    assert_eq!(
        told,
        [
            ["addon-file-missing", "game/addons/car.pbo", "files/config.cpp: line 6", "main.pbo", "finds nothing there"],
            ["addon-file-missing", "game/addons/car.pbo", "files/init.sqf: line 1", "Old.pbo", "finds nothing there"],
        ]
    );
    assert!(
        across[0]["message"].as_str().unwrap().contains("file \"x\\\\mod\\\\addons\\\\main\\\\data\\\\gone icon.paa\" is not in main.pbo"),
        "{}",
        across[0]
    );
    // Who needs a file, wherever and however it is named.
    for (name, does) in [
        (r"x\mod\addons\main\script_macros.hpp", vec!["uses", "defines"]),
        (r"X\MOD\addons\car\config.cpp", vec!["defines"]),
        (r"x\mod\addons\main\config.cpp", vec!["uses"]),
        (r"old\run.sqs", vec!["defines", "uses"]),
        (r"a3\sounds\horn.wss", vec!["uses"]),
    ] {
        let found = rows(dir.path(), &format!("refs {name} game/addons --kind file"), 0);
        let mut is: Vec<&str> = found.iter().map(|row| row["does"].as_str().unwrap()).collect();
        let mut does = does;
        is.sort_unstable();
        does.sort_unstable();
        assert_eq!(is, does, "{name}: {found:#?}");
    }
    // In a project, too.
    run(dir.path(), "unpack game/addons -o mod", 0);
    let found = rows(dir.path(), "lint mod", 3);
    assert_eq!(found.iter().filter(|row| row["code"] == "addon-file-missing").count(), 2, "{found:#?}");
}

/// Where several things bear a name, the one that the game takes is marked.
#[test]
fn who_wins_is_said_with_the_rule() {
    let mut twice = names("rc");
    twice.nodes.push("wall");
    twice.members.push("sounds.zrd");
    let dir = with(&installation("rc", &twice));
    let nodes = rows(dir.path(), "refs wall game --kind node", 0);
    let taken: Vec<&serde_json::Value> = nodes.iter().filter(|row| row["taken"] == true && row["does"] == "defines").collect();
    assert_eq!(taken.len(), 1);
    assert!(taken[0]["at"] == "nodes[7].name" && taken[0]["rule"] == "the highest slot of its name", "{nodes:#?}");
    assert_eq!(nodes.iter().filter(|row| row["does"] == "hides").count(), 1);
    let (text, _) = run(dir.path(), "refs sounds.zrd game", 0);
    assert!(
        text.contains("game/zbd/zrdr.zbd: refit.json: members[0].name: defines member sounds.zrd (taken, hides game/zbd/m1/zrdr.zbd"),
        "{text}"
    );
    assert!(text.contains("(hidden by game/zbd/zrdr.zbd"), "{text}");
}

/// A field that was renamed must not take its names along silently: every rule still finds something in the golden files.
#[test]
fn every_rule_of_names_finds_something() {
    use refit::{naming, pipeline::Hints, registry, tree::Source, tree::Style};
    let mut rules: Vec<(naming::Rule, bool)> = Vec::new();
    for folder in roundtrip_tests::folders("golden") {
        for case in roundtrip_tests::listed(&folder) {
            let Ok(found) = refit::detect::detect(&case.bytes, &case.path) else { continue };
            let own = registry::codec(found.format).map(|codec| codec.names()).unwrap_or_default();
            if own.is_empty() {
                continue;
            }
            for rule in own {
                if !rules.iter().any(|(known, _)| (known.document, known.field) == (rule.document, rule.field)) {
                    rules.push((*rule, false));
                }
            }
            let tree = roundtrip_tests::unpack(&case, Hints::default(), Style::Json);
            for path in tree.paths().into_iter().filter(|path| path.ends_with(".json") && !path.starts_with(".refit/")) {
                let mut kind = String::new();
                naming::walk(&tree.text(&path), &mut |leaf| {
                    if leaf.path == "$schema" {
                        let file = leaf.value.rsplit('/').next().unwrap_or_default().to_owned();
                        kind = file.trim_end_matches(".schema.json").to_owned();
                    }
                    rules.iter_mut().filter(|(rule, _)| rule.fits(&kind, leaf.shape)).for_each(|(_, found)| *found = true);
                });
            }
        }
    }
    let dead: Vec<String> =
        rules.iter().filter(|(_, found)| !found).map(|(rule, _)| format!("{}: {}", rule.document, rule.field)).collect();
    assert!(rules.len() > 25 && dead.is_empty(), "{dead:?}");
}
