//! `refit anim` as a process: files, exit codes, what is printed, and what stands on the disk afterwards.

use roundtrip_tests::{
    process::{archive, err, out, run},
    root,
};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
};

/// A folder with an animation file of Recoil that has residue, addresses and saved transforms.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::copy(root().join("golden/anim/rc_sequences.zbd"), dir.path().join("anim.zbd")).unwrap();
    fs::copy(root().join("golden/anim/mw_values.zbd"), dir.path().join("mw.zbd")).unwrap();
    dir
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write(dir: &Path, path: &str, text: &str) {
    fs::create_dir_all(dir.join(path).parent().unwrap()).unwrap();
    fs::write(dir.join(path), text).unwrap();
}

const GATE: &str = "ANIMATION_DEFINITIONS (
  GRAVITY ( -9.8 )
  ANIMATION_LIST (
    ANIMATION_DEFINITION (
      NAME ( gate ) ANIMATION_NAME ( open_gate ) ACTIVATION ( ON_CALL ) RESET_TIME ( -1 )
      SEQUENCE_DEFINITION ( NAME ( open )
        SOUND ( NAME ( creak ) AT_NODE ( gate 0 1 0 ) )
        OBJECT_MOTION_FROM_TO ( NAME ( gate ) ROTATE_FROM ( 0 0 0 ) ROTATE_TO ( 0 90 0 ) RUN_TIME ( 2 ) ) ) ) ) )
";

#[test]
fn a_decompiled_file_is_compiled_again_byte_for_byte() {
    let dir = folder();
    let dir = dir.path();
    for (file, spelling) in [("anim", "json"), ("mw", "json"), ("anim", "zrd")] {
        run(dir, &format!("anim decompile {file}.zbd -o {file}-{spelling} --as {spelling}")).code(0);
        run(dir, &format!("anim compile {file}-{spelling} -o {file}-{spelling}.new --base {file}.zbd")).code(0);
        let (old, new) = (fs::read(dir.join(format!("{file}.zbd"))), fs::read(dir.join(format!("{file}-{spelling}.new"))));
        assert!(old.unwrap() == new.unwrap(), "{file} {spelling}");
    }
    let manifest: Value = serde_json::from_str(&fs::read_to_string(dir.join("mw-json/refit.json")).unwrap()).unwrap();
    assert_eq!((&manifest["kind"], &manifest["game"]), (&"anim-definitions".into(), &"mw".into()));
    assert_eq!(manifest["base"]["path"], "../mw.zbd");
    assert_eq!(manifest["base"]["sha256"], manifest["source"]["sha256"]);
    // An edited folder is never lost.
    let done = run(dir, "anim decompile anim.zbd -o anim-json").code(1);
    assert!(err(&done).contains("--force"), "{}", err(&done));
    // The folder is no unpacked file.
    let done = run(dir, "repack anim-json -o x.zbd").code(1);
    assert!(err(&done).contains("refit anim compile"), "{}", err(&done));
    assert!(!dir.join("x.zbd").exists());
    // Files of other games need the file that they are of.
    let done = run(dir, "anim compile mw-json -o x.zbd").code(1);
    assert!(err(&done).contains("--base"), "{}", err(&done));
    assert!(!dir.join("x.zbd").exists());
    run(dir, "anim compile mw-json").code(2);
}

#[test]
fn each_entry_says_how_it_stands_to_the_base() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "defs/anim.zrd", GATE);
    let rows_of = |line: &str, code: i32| rows(&out(&run(dir, line).code(code)));
    let all = rows_of("anim compile defs -o a.zbd --json", 0);
    assert_eq!(all.len(), 1);
    assert_eq!((&all[0]["definition"], &all[0]["root"], &all[0]["status"]), (&"open_gate".into(), &"gate".into(), &"new".into()));
    assert!(all[0]["findings"].as_array().unwrap().is_empty());
    // Compiled by itself, decompiled and compiled again: the same file, without any base.
    run(dir, "anim decompile a.zbd -o back").code(0);
    run(dir, "anim compile back -o b.zbd").code(0);
    assert!(fs::read(dir.join("a.zbd")).unwrap() == fs::read(dir.join("b.zbd")).unwrap());
    assert_eq!(rows_of("anim check defs --against a.zbd --json", 0)[0]["status"], "equal");
    write(
        dir,
        "defs/anim.zrd",
        &GATE
            .replace("90 0", "80 0")
            .replace("\n    ANIMATION_DEFINITION", "\n ANIMATION_DEFINITION ( NAME ( new ) )\n    ANIMATION_DEFINITION"),
    );
    let statuses = |rows: Vec<Value>| rows.iter().map(|row| row["status"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(statuses(rows_of("anim check defs --against a.zbd --json", 0)), ["new", "changed"]);
    write(dir, "defs/anim.zrd", &GATE.replace("NAME ( gate )", "NAME ( door )").replace("open_gate", "open_door"));
    assert_eq!(statuses(rows_of("anim check defs --against a.zbd --json", 0)), ["new", "gone"]);
    // What was not there is dropped and told; what cannot be compiled is told, and nothing is written.
    write(dir, "defs/anim.zrd", &GATE.replace("SOUND (", "SOUNDS ("));
    let row = &rows_of("anim compile defs -o c.zbd --json", 3)[0];
    assert_eq!(row["findings"][0]["code"], "animdef-unknown");
    assert!(dir.join("c.zbd").exists());
    write(dir, "defs/anim.zrd", &GATE.replace("RUN_TIME ( 2 )", "START_TIME ( NOW 1 )"));
    let done = run(dir, "anim compile defs -o d.zbd --json").code(1);
    assert_eq!(rows(&out(&done))[0]["status"], "failed");
    assert!(err(&done).contains("START_TIME") && err(&done).contains("open_gate"), "{}", err(&done));
    assert!(!dir.join("d.zbd").exists());
    // A file that is there is replaced only when that is asked for, and a dry run writes nothing.
    write(dir, "defs/anim.zrd", GATE);
    run(dir, "anim compile defs -o anim.zbd").code(1);
    run(dir, "anim compile defs -o e.zbd --dry-run").code(0);
    assert!(!dir.join("e.zbd").exists());
    run(dir, "anim compile defs -o anim.zbd --force").code(0);
    assert!(dir.join("anim.zbd.orig").exists());
}

#[test]
fn a_world_says_which_nodes_there_are() {
    let dir = folder();
    let dir = dir.path();
    fs::copy(root().join("golden/gamez/rc_full_nodes.gamez.zbd"), dir.join("gamez.zbd")).unwrap();
    let tree = run(dir, "unpack gamez.zbd -o world");
    tree.code(0);
    write(dir, "anim.zrd", GATE);
    for world in ["gamez.zbd", "world"] {
        // Definitions are shared by missions: a node that this world does not have makes no entry.
        let done = run(dir, &format!("anim compile anim.zrd -o {world}.anim --world {world}")).code(0);
        assert!(out(&done).contains("no definitions"), "{}", out(&done));
    }
    run(dir, "anim compile anim.zrd -o base.zbd").code(0);
    let done = run(dir, "anim compile anim.zrd -o kept.zbd --base base.zbd --world gamez.zbd").code(3);
    assert!(err(&done).contains("stays as it is"), "{}", err(&done));
    assert!(fs::read(dir.join("base.zbd")).unwrap() == fs::read(dir.join("kept.zbd")).unwrap());
    run(dir, "anim compile anim.zrd -o x.zbd --base base.zbd --world gamez.zbd --strict").code(1);
    run(dir, "anim check base.zbd --world gamez.zbd").code(3);
    run(dir, "anim compile anim.zrd -o x.zbd --world base.zbd").code(1);
}

/// A slip in the name of the node: said by `compile` in a line, by `check` as a finding, and an error with --strict.
#[test]
fn definitions_that_make_no_entry_are_told() {
    let dir = folder();
    let dir = dir.path();
    fs::copy(root().join("golden/gamez/rc_full_nodes.gamez.zbd"), dir.join("gamez.zbd")).unwrap();
    write(dir, "anim.zrd", &GATE.replace("NAME ( gate )", "NAME ( wrold1 )"));
    let said = "anim.zrd:4:5: the world has no node \"wrold1\": no entry is made (did you mean \"world1\"?)";
    let done = run(dir, "anim compile anim.zrd -o a.zbd --world gamez.zbd").code(0);
    assert!(out(&done).contains("no definitions, 1 left out") && err(&done).contains(said), "{} {}", out(&done), err(&done));
    let done = run(dir, "anim check anim.zrd --world gamez.zbd").code(3);
    assert!(err(&done).contains("[animdef-left-out]") && err(&done).contains("no node \"wrold1\""), "{}", err(&done));
    let done = run(dir, "anim compile anim.zrd -o b.zbd --strict --world gamez.zbd --json").code(1);
    assert!(err(&done).contains("no node \"wrold1\"") && !dir.join("b.zbd").exists(), "{}", err(&done));
    assert_eq!(rows(&out(&done))[0]["status"], "failed");
    let done = run(dir, "anim check anim.zrd --world gamez.zbd --json").code(3);
    assert_eq!(rows(&out(&done))[0]["status"], "left_out");
}

/// What the game trips over in the compiled file is told as `repack` and `put` tell it: once it is new, and not what was there.
#[test]
fn compiling_tells_what_it_brings_in() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "defs/anim.zrd", &GATE.replace("SOUND (", "IF ( RANDOM_WEIGHT ( 0.5 ) ) SOUND ("));
    for line in ["anim compile defs -o a.zbd", "anim check defs"] {
        let done = run(dir, line).code(0);
        assert!(err(&done).contains("1 IF without ENDIF [anim-blocks]"), "{line}: {}", err(&done));
    }
    write(dir, "defs/anim.zrd", &GATE.replace("SOUND (", "IF ( RANDOM_WEIGHT ( 0.25 ) ) SOUND ("));
    let done = run(dir, "anim compile defs -o b.zbd --base a.zbd").code(0);
    assert!(err(&done).is_empty(), "{}", err(&done));
    write(dir, "defs/anim.zrd", GATE);
    let done = run(dir, "anim compile defs -o c.zbd").code(0);
    assert!(err(&done).is_empty(), "{}", err(&done));
    // A misspelt key of an event, with its line.
    write(dir, "defs/anim.zrd", &GATE.replace("AT_NODE", "AT_NOD"));
    let done = run(dir, "anim compile defs -o d.zbd").code(3);
    assert!(err(&done).contains("anim.zrd:7:32: open_gate (gate): AT_NOD is no key of SOUND"), "{}", err(&done));
}

/// A pattern's entries that cannot all be made: nothing is made of them, and the same error is not told a thousand times.
#[test]
fn a_thousand_errors_of_one_mistake_are_told_as_few() {
    let dir = folder();
    let dir = dir.path();
    let list: String = (0..600)
        .map(|i| format!("ANIMATION_DEFINITION ( NAME ( n{i} ) SEQUENCE_DEFINITION ( LOOP ( LOOP_COUNT ( 70000 ) ) ) )\n"))
        .collect();
    write(dir, "anim.zrd", &format!("ANIMATION_DEFINITIONS ( ANIMATION_LIST ( {list} ) )"));
    let done = run(dir, "anim compile anim.zrd -o a.zbd").code(1);
    let lines = err(&done).lines().count();
    assert!(lines < 30 && err(&done).contains("and 580 definitions could not be compiled either"), "{}", err(&done));
}

#[test]
fn files_outside_of_the_named_folders_are_not_read() {
    let dir = folder();
    let dir = dir.path();
    let list = |what: &str| format!("ANIMATION_DEFINITIONS ( {what} ANIMATION_LIST ( ANIMATION_DEFINITION_FILE ( \"gate.zrd\" ) ) )\n");
    write(dir, "m1/anim.zrd", &list("ANIMATION_PATH ( \"..\\common\" )"));
    write(dir, "common/gate.zrd", GATE);
    let done = run(dir, "anim compile m1 -o x.zbd").code(1);
    assert!(err(&done).contains("no folder that the command names"), "{}", err(&done));
    run(dir, "anim compile m1 common -o x.zbd").code(0);
    write(dir, "m1/anim.zrd", &list(""));
    let done = run(dir, "anim compile m1 -o y.zbd").code(3);
    assert!(err(&done).contains("gate.zrd") && err(&done).contains("skipped"), "{}", err(&done));
    write(dir, "m1/anim.zrd", &list("").replace("gate.zrd", "anim.zrd"));
    let done = run(dir, "anim compile m1 -o z.zbd").code(1);
    assert!(err(&done).contains("circle: anim.zrd → anim.zrd"), "{}", err(&done));
}

#[test]
fn a_script_becomes_frames_and_text_again() {
    let dir = folder();
    let dir = dir.path();
    let pose = |frame: u32, x: f32| {
        format!("Frame: {frame}\r\nObject: copter\r\nScaling: 1 1 1\r\nRotation: 0.3 -0.1 0.{frame}\r\nTranslation: {x:.6} 2.5 -3.25\r\n")
    };
    let text = format!("SI Animation Script\r\nFRAMES: 3\r\nOBJECTS: 1\r\n{}{}{}", pose(1, 0.5), pose(11, 1.25), pose(21, 9.0));
    write(dir, "copter.zan", &text);
    run(dir, "anim script copter.zan --rate 10 -o 1.frames.json").code(0);
    let frames: Value = serde_json::from_str(&fs::read_to_string(dir.join("1.frames.json")).unwrap()).unwrap();
    assert_eq!(frames["frames"].as_array().unwrap().len(), 2);
    assert_eq!(frames["frames"][1]["time"], serde_json::json!([1.0, 2.0]));
    run(dir, "anim script 1.frames.json --rate 10 --object copter -o back.zan").code(0);
    run(dir, "anim script back.zan --rate 10 -o 2.frames.json").code(0);
    assert_eq!(fs::read(dir.join("1.frames.json")).unwrap(), fs::read(dir.join("2.frames.json")).unwrap());
    let done = run(dir, "anim script 1.frames.json --rate 0.3 --object copter").code(1);
    assert!(err(&done).contains("at this rate"), "{}", err(&done));
    write(dir, "bad.zan", &text.replace("Frame: 1\r", "Frame: 0\r"));
    assert!(err(&run(dir, "anim script bad.zan").code(1)).contains("count from 1"));
}

/// A reader file in the form that archives hold (src/formats/reader/FORMAT.md), of a text with a blank between all words.
fn binary(text: &str) -> Vec<u8> {
    fn items<'t>(words: &mut impl Iterator<Item = &'t str>) -> Vec<u8> {
        let (mut out, mut count) = (Vec::new(), 1u32);
        while let Some(word) = words.next().filter(|word| *word != ")") {
            count += 1;
            let value = |tag: u32, word: [u8; 4]| [tag.to_le_bytes(), word].concat();
            match (word, word.parse::<i32>(), word.parse::<f32>()) {
                ("(", ..) => out.extend(items(words)),
                (_, Ok(n), _) => out.extend(value(1, n.to_le_bytes())),
                (_, _, Ok(f)) => out.extend(value(2, f.to_le_bytes())),
                _ => {
                    let text = word.trim_matches('"');
                    out.extend(value(3, (text.len() as u32).to_le_bytes()));
                    out.extend(text.as_bytes());
                }
            }
        }
        [4u32.to_le_bytes().to_vec(), count.to_le_bytes().to_vec(), out].concat()
    }
    items(&mut text.split_whitespace())
}

/// An archive whose members have the comments of the studio's resource compiler.
fn commented(members: &[(&str, &str, &str)]) -> Vec<u8> {
    let bytes: Vec<Vec<u8>> = members.iter().map(|(.., text)| binary(text)).collect();
    let plain: Vec<(&str, &[u8])> = members.iter().zip(&bytes).map(|((name, ..), bytes)| (*name, bytes.as_slice())).collect();
    let mut file = archive(&plain);
    let table = file.len() - 8 - 148 * members.len();
    for (i, (_, comment, _)) in members.iter().enumerate().filter(|(_, (_, comment, _))| !comment.is_empty()) {
        let at = table + 148 * i + 72;
        file[at] = 2;
        file[at + 4..at + 4 + comment.len()].copy_from_slice(comment.as_bytes());
    }
    file
}

const LAMP: &str = "ANIMATION_DEFINITIONS ( ANIMATION_LIST ( ANIMATION_DEFINITION ( NAME ( lamp1 ) ANIMATION_NAME ( shine ) \
    SEQUENCE_DEFINITION ( NAME ( main ) OBJECT_ACTIVE_STATE ( NAME ( lamp1 ) STATE ( ACTIVE ) ) ) ) ) )";

/// A game whose archives hold the sources: a mission's, another one's, and that of all.
fn game(dir: &Path, comments: bool) {
    let said = |path: &'static str| if comments { path } else { "" };
    let one = "ANIMATION_DEFINITIONS ( GRAVITY ( -9.8 ) ANIMATION_PATH ( \"..\\data\\common\\zrdr\" ) ANIMATION_LIST ( \
        ANIMATION_DEFINITION_FILE ( ..\\data\\m1\\zrdr\\gates\\Gate.zrd ) ANIMATION_DEFINITION_FILE ( lamp.zrd ) ) )";
    let other = "ANIMATION_DEFINITIONS ( ANIMATION_LIST ( ANIMATION_DEFINITION ( NAME ( gate ) ANIMATION_NAME ( open_gate ) ) ) )";
    let archives = [
        (
            "game/zbd/m1/zrdr.zbd",
            commented(&[
                ("ANIM.ZRD", said("D:\\project\\data\\m1\\zrdr\\aniA01.TMP"), one),
                ("gate.zrd", said("D:\\project\\data\\m1\\zrdr\\gates\\gatB02.TMP"), GATE),
            ]),
        ),
        ("game/zbd/m2/zrdr.zbd", commented(&[("anim.zrd", said("D:\\project\\data\\m2\\zrdr\\aniC03.TMP"), other)])),
        ("game/zbd/zrdr.zbd", commented(&[("lamp.zrd", said("E:\\project\\data\\common\\zrdr\\lamD04.TMP"), LAMP)])),
    ];
    for (path, bytes) in archives {
        fs::create_dir_all(dir.join(path).parent().unwrap()).unwrap();
        fs::write(dir.join(path), bytes).unwrap();
    }
}

#[test]
fn sources_come_from_the_archives_of_a_game() {
    for comments in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        game(dir, comments);
        // The same from loose text, with the folders that the names lead through.
        write(dir, "loose/anim.zrd", &GATE.replace("\n    ANIMATION_DEFINITION (", &format!("\n{GATE_FILE} {LAMP_FILE} X ( ")));
        write(dir, "loose/gate.zrd", GATE);
        write(dir, "loose/lamp.zrd", LAMP);
        run(dir, "anim compile loose -o loose.zbd").code(3);
        let loose = fs::read(dir.join("loose.zbd")).unwrap();
        // One archive and what it needs of another; all of a game need to be told which mission is meant.
        run(dir, "anim compile game/zbd/m1/zrdr.zbd game/zbd/zrdr.zbd -o a.zbd").code(0);
        assert!(fs::read(dir.join("a.zbd")).unwrap() == loose);
        let done = run(dir, "anim compile game -o b.zbd").code(1);
        assert!(err(&done).contains("several root files"), "{}", err(&done));
        assert!(!dir.join("b.zbd").exists());
        fs::copy(dir.join("a.zbd"), dir.join("game/zbd/m1/anim.zbd")).unwrap();
        run(dir, "anim compile game -o b.zbd --base game/zbd/m1/anim.zbd").code(0);
        assert!(fs::read(dir.join("b.zbd")).unwrap() == loose);
        // A file of another place is found by what it lists first.
        let mut listed = loose.clone();
        listed[8] = 1;
        let row = [&b"..\\data\\m1\\zrdr\\anim.zrd"[..], &[0; 60][..]].concat();
        listed.splice(12..12, row[..80].iter().copied().chain([1, 2, 3, 4]));
        fs::write(dir.join("elsewhere.zbd"), &listed).unwrap();
        if comments {
            run(dir, "anim compile game -o c.zbd --base elsewhere.zbd").code(0);
            assert!(fs::read(dir.join("c.zbd")).unwrap() == listed);
        }
        // The text of the sources is kept where it gives the entry: numbers as they were written.
        let done = run(dir, "anim decompile game/zbd/m1/anim.zbd -o defs --defs game --as zrd").code(0);
        assert!(out(&done).contains("2 entries as --defs has them"), "{}", out(&done));
        let text = fs::read_to_string(dir.join("defs/gate.zrd")).unwrap();
        assert!(text.contains("ROTATE_TO ( 0 90 0 )"), "{text}");
        run(dir, "anim compile defs -o d.zbd --base game/zbd/m1/anim.zbd").code(0);
        assert!(fs::read(dir.join("d.zbd")).unwrap() == loose);
        // An unpacked archive, and loose binary files.
        run(dir, "unpack game/zbd/m1/zrdr.zbd -o tree").code(0);
        run(dir, "anim compile tree game/zbd/zrdr.zbd -o e.zbd").code(0);
        assert!(fs::read(dir.join("e.zbd")).unwrap() == loose);
        let rows = rows(&out(&run(dir, "anim check tree game/zbd/zrdr.zbd --against a.zbd --json").code(0)));
        assert!(rows.iter().all(|row| row["status"] == "equal") && rows.len() == 2, "{rows:?}");
        fs::write(dir.join("loose/gate.zrd"), binary(GATE)).unwrap();
        run(dir, "anim compile loose -o f.zbd").code(3);
        assert!(fs::read(dir.join("f.zbd")).unwrap() == loose);
        // An archive without definitions is told.
        fs::write(dir.join("x.zbd"), commented(&[("lamp.zrd", "", LAMP)])).unwrap();
        assert!(err(&run(dir, "anim compile x.zbd -o g.zbd").code(1)).contains("no root file"));
    }
}

const GATE_FILE: &str = "ANIMATION_DEFINITION_FILE ( gate.zrd )";
const LAMP_FILE: &str = "ANIMATION_DEFINITION_FILE ( lamp.zrd )";

/// A file of Recoil that lists its sources, one of them by a path of the studio.
fn with_list(dir: &Path) -> Vec<u8> {
    write(dir, "defs/anim.zrd", GATE);
    run(dir, "anim compile defs -o bare.zbd").code(0);
    let mut bytes = fs::read(dir.join("bare.zbd")).unwrap();
    bytes[8] = 2;
    let row = |path: &str, time: u32| {
        let mut row = vec![0xcd; 84];
        row[..path.len()].copy_from_slice(path.as_bytes());
        row[path.len()] = 0;
        row[80..].copy_from_slice(&time.to_le_bytes());
        row
    };
    let rows = [row("..\\data\\m1\\zrdr\\Anim.zrd", 7), row("..\\data\\m1\\zrdr\\copter.zan", 8)].concat();
    bytes.splice(12..12, rows);
    fs::write(dir.join("anim.zbd"), &bytes).unwrap();
    bytes
}

#[test]
fn the_list_of_source_files_is_kept_updated_or_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let bytes = with_list(dir);
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(0x3344_5566);
    fs::File::options().write(true).open(dir.join("defs/anim.zrd")).unwrap().set_modified(time).unwrap();
    let compiled = |stamps: &str| {
        run(dir, &format!("anim compile defs -o new.zbd --base anim.zbd --force{stamps}")).code(0);
        fs::read(dir.join("new.zbd")).unwrap()
    };
    assert!(compiled("") == bytes && compiled(" --stamps keep") == bytes);
    // The time of the file that is there; what is behind the path, and the time of one that is not there, stay.
    let mut expected = bytes.clone();
    expected[12 + 80..12 + 84].copy_from_slice(&0x3344_5566u32.to_le_bytes());
    assert!(compiled(" --stamps update") == expected);
    let mut expected = bytes.clone();
    expected[8] = 0;
    expected.drain(12..12 + 2 * 84);
    assert!(compiled(" --stamps none") == expected);
}

#[test]
fn names_that_nothing_uses_are_pruned_when_that_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, "defs/anim.zrd", GATE);
    run(dir, "anim compile defs -o anim.zbd").code(0);
    write(dir, "defs/anim.zrd", &GATE.replace("SOUND ( NAME ( creak ) AT_NODE ( gate 0 1 0 ) )", ""));
    run(dir, "anim compile defs -o kept.zbd --base anim.zbd").code(0);
    run(dir, "anim compile defs -o pruned.zbd --base anim.zbd --prune").code(0);
    run(dir, "anim compile defs -o fresh.zbd").code(0);
    let size = |name: &str| fs::metadata(dir.join(name)).unwrap().len();
    // Two entries of 36 bytes: the sound, and the empty one before it.
    assert_eq!(size("kept.zbd"), size("pruned.zbd") + 72);
    assert_eq!(size("pruned.zbd"), size("fresh.zbd"));
}

#[test]
fn effects_that_the_game_does_not_have_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, "anim.zrd", &GATE.replace("SOUND ( NAME ( creak )", "EFFECT ( NAME ( boom )"));
    write(dir, "effects.zrd", "EFFECTS ( ( NAME ( bang ) ) ( NAME ( boom ) ) )\n");
    run(dir, "anim check anim.zrd --effects effects.zrd").code(0);
    write(dir, "effects.zrd", "EFFECTS ( ( NAME ( bang ) ) ( NAME ( bloom ) ) )\n");
    let done = run(dir, "anim check anim.zrd --effects effects.zrd").code(3);
    assert!(err(&done).contains("no effect is called \"boom\"") && err(&done).contains("animdef-missing-effect"), "{}", err(&done));
    fs::write(dir.join("effects.zrd"), binary("EFFECTS ( ( NAME ( boom ) ) )")).unwrap();
    run(dir, "anim compile anim.zrd --effects effects.zrd -o a.zbd").code(0);
    write(dir, "effects.zrd", "SOUNDS ( )\n");
    assert!(err(&run(dir, "anim check anim.zrd --effects effects.zrd").code(1)).contains("no list of EFFECTS"));
}

/// Where the sounds of a game are told: a list, an archive with one, packed or not, a bank, a whole game, the archives of the sources.
#[test]
fn sounds_that_the_game_does_not_have_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, "anim.zrd", GATE);
    let list = |name: &str| format!("SETS ( M1 ( ( {name} {name}_2.wav 3D ) ) )");
    let missing = |line: &str| {
        let done = run(dir, line).code(3);
        assert!(err(&done).contains("no sound is called \"creak\": nothing is played [animdef-missing-sound]"), "{line}: {}", err(&done));
    };
    run(dir, "anim check anim.zrd").code(0);
    write(dir, "sounds.zrd", &list("thud"));
    missing("anim check anim.zrd --sounds sounds.zrd");
    missing("anim compile anim.zrd --sounds sounds.zrd -o told.zbd");
    assert!(dir.join("told.zbd").exists());
    write(dir, "sounds.zrd", &list("Creak"));
    run(dir, "anim check anim.zrd --sounds sounds.zrd").code(0);
    let archive = |name: &str| commented(&[("sounds.zrd", "", &list(name))]);
    write(dir, "game/zbd/m1/readme.txt", "no file of the game");
    fs::write(dir.join("game/zbd/zrdr.zbd"), archive("thud")).unwrap();
    missing("anim check anim.zrd --sounds game");
    missing("anim check anim.zrd --sounds game/zbd/zrdr.zbd");
    // Its bank has it, under the name of its file.
    let bank = roundtrip_tests::games::archive("rc", &[("creak.wav", b"RIFF\x04\0\0\0WAVE".to_vec())]);
    fs::write(dir.join("game/zbd/soundsL.zbd"), bank).unwrap();
    run(dir, "anim check anim.zrd --sounds game").code(0);
    run(dir, "anim check anim.zrd --sounds game/zbd/soundsL.zbd").code(0);
    run(dir, "unpack game/zbd/zrdr.zbd -o tree").code(0);
    missing("anim check anim.zrd --sounds tree");
    assert!(err(&run(dir, "anim check anim.zrd --sounds game/zbd/m1").code(1)).contains("no sound in it"));
    // Sources that come from an archive bring the list of sounds along, and that of effects.
    let packed =
        |list: &str| commented(&[("anim.zrd", "", GATE), ("sounds.zrd", "", list), ("effects.zrd", "", "EFFECTS ( ( NAME ( x ) ) )")]);
    fs::write(dir.join("zrdr.zbd"), packed(&list("thud"))).unwrap();
    missing("anim check zrdr.zbd");
    fs::write(dir.join("zrdr.zbd"), packed(&list("creak"))).unwrap();
    run(dir, "anim check zrdr.zbd").code(0);
}

/// What has no room is a finding of `check`, and an error where a file is to be made.
#[test]
fn limits_are_told_by_check_and_refused_by_compile() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, "anim.zrd", &GATE.replace("NAME ( creak )", "NAME ( a_name_of_thirty_two_letters_xxx )"));
    let done = run(dir, "anim check anim.zrd").code(3);
    assert!(
        err(&done).contains("at most 31 fit") && err(&done).contains("[animdef-limit]") && !err(&done).contains("error:"),
        "{}",
        err(&done)
    );
    let found = rows(&out(&run(dir, "anim check anim.zrd --json").code(3)));
    assert_eq!((&found[0]["status"], &found[0]["findings"][0]["code"]), (&"failed".into(), &"animdef-limit".into()), "{found:?}");
    assert!(found[0]["error"].as_str().unwrap().contains("open_gate"));
    let done = run(dir, "anim compile anim.zrd -o a.zbd").code(1);
    assert_eq!(err(&done).matches("at most 31 fit").count(), 1, "{}", err(&done));
    assert!(!dir.join("a.zbd").exists());
    // Any other error stays one.
    write(dir, "anim.zrd", &GATE.replace("ON_CALL", "NEVER"));
    run(dir, "anim check anim.zrd").code(1);
}

#[test]
fn planes_stand_behind_the_world() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (from, to) in [
        ("golden/gamez/cs_c1.gamez.zbd", "gamez.zbd"),
        ("golden/planes/cs_planes_small.zbd", "planes.zbd"),
        ("golden/anim/cs_c1_m01_mis_anim.zbd", "mis_anim.zbd"),
    ] {
        fs::copy(root().join(from), dir.join(to)).unwrap();
    }
    run(dir, "unpack planes.zbd -o planes").code(0);
    let refit::File::World(planes) = refit::File::read(fs::read(dir.join("planes.zbd")).unwrap(), "planes.zbd").unwrap() else {
        panic!("no world");
    };
    let plane = planes.nodes().next().expect("planes have nodes").1.name.text().into_owned();
    run(dir, "anim decompile mis_anim.zbd -o defs --as zrd").code(0);
    let whole = fs::read_to_string(dir.join("defs/anim.zrd")).unwrap();
    let new = format!("ANIMATION_LIST ( ANIMATION_DEFINITION ( NAME ( \"{plane}\" ) ANIMATION_NAME ( fly ) )");
    write(dir, "defs/anim.zrd", &whole.replacen("ANIMATION_LIST (", &new, 1));
    // The place of a new node is stored: without the planes nobody knows it.
    let done = run(dir, "anim compile defs -o a.zbd --base mis_anim.zbd").code(1);
    assert!(err(&done).contains("--world"), "{}", err(&done));
    let statuses = |line: &str, code: i32| {
        let rows = rows(&out(&run(dir, line).code(code)));
        rows.iter().any(|row| row["definition"] == "fly" && row["status"] == "new")
    };
    assert!(!statuses("anim check defs --against mis_anim.zbd --world gamez.zbd --json", 3));
    for planes in ["planes.zbd", "planes"] {
        assert!(statuses(&format!("anim check defs --against mis_anim.zbd --world gamez.zbd --planes {planes} --json"), 3));
    }
    assert!(err(&run(dir, "anim check defs --against mis_anim.zbd --planes planes.zbd").code(1)).contains("--planes without --world"));
}

#[test]
fn a_script_may_be_written_as_keys() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(
        dir,
        "door.zan",
        "# a door that swings, and jumps back\nOBJECT door\nFRAME 0 POSITION 0 0 0\nFRAME 5 POSITION 1 0 0\n\
        FRAME 5 POSITION 9 0 0 VELOCITY 0.5 0 0\nFRAME 10\n",
    );
    run(dir, "anim script door.zan --rate 10 -o 1.frames.json").code(0);
    let frames: Value = serde_json::from_str(&fs::read_to_string(dir.join("1.frames.json")).unwrap()).unwrap();
    let times: Vec<&Value> = frames["frames"].as_array().unwrap().iter().map(|frame| &frame["time"]).collect();
    assert_eq!(times, [&serde_json::json!([0.0, 0.5]), &serde_json::json!([0.5, 0.5]), &serde_json::json!([0.5, 1.0])]);
    // No text of poses jumps: it comes back as keys.
    run(dir, "anim script 1.frames.json --rate 10 --object door -o back.zan").code(0);
    let text = fs::read_to_string(dir.join("back.zan")).unwrap();
    assert!(text.starts_with("OBJECT door\r\nFRAME 0 POSITION 0.0 0.0 0.0\r\nFRAME 5"), "{text}");
    run(dir, "anim script back.zan --rate 10 -o 2.frames.json").code(0);
    assert_eq!(fs::read(dir.join("1.frames.json")).unwrap(), fs::read(dir.join("2.frames.json")).unwrap());
}

/// A program that is ended when the test is over.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_watched_folder_of_definitions_is_compiled_on_every_save() {
    let dir = folder();
    let dir = dir.path();
    fs::create_dir_all(dir.join("game/m1")).unwrap();
    fs::copy(dir.join("anim.zbd"), dir.join("game/m1/anim.zbd")).unwrap();
    let original = fs::read(dir.join("anim.zbd")).unwrap();
    run(dir, "anim decompile game/m1/anim.zbd -o defs").code(0);
    // One value of one definition, as `anim compile` writes it.
    let (path, text) = fs::read_dir(dir.join("defs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && !path.ends_with("refit.json") && !path.ends_with("anim.zrd.json"))
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .find(|(_, text)| text.contains("\"RESET_TIME\""))
        .unwrap();
    let edited = text.replacen("\"RESET_TIME\"", "\"HEALTH\", [77.5], \"RESET_TIME\"", 1);
    let mut command = std::process::Command::new(roundtrip_tests::process::program());
    command
        .current_dir(dir)
        .args(["watch", "defs", "--poll", "20"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    let mut errors = BufReader::new(running.0.stderr.take().unwrap()).lines();
    let watching = lines.next().unwrap().unwrap();
    assert!(watching.starts_with("watching defs"), "{watching}");
    fs::write(&path, &edited).unwrap();
    let built = lines.next().unwrap().unwrap();
    assert!(built.contains("1 changed") && built.contains("anim.zbd"), "{built}");
    let game = || fs::read(dir.join("game/m1/anim.zbd")).unwrap();
    run(dir, "anim compile defs -o expected.zbd --base anim.zbd").code(3);
    let expected = fs::read(dir.join("expected.zbd")).unwrap();
    assert!(expected != original && game() == expected);
    assert!(fs::read(dir.join("game/m1/anim.zbd.orig")).unwrap() == original);
    // What cannot be compiled leaves the last good file.
    fs::write(&path, edited.replace("\"HEALTH\", [77.5]", "\"HEALTH\", [\"much\"]")).unwrap();
    let told = errors.next().unwrap().unwrap();
    assert!(told.contains("HEALTH") && told.contains("stays as it is"), "{told}");
    assert!(game() == expected);
    // Undone: the original again, byte for byte.
    fs::write(&path, &text).unwrap();
    let began = std::time::Instant::now();
    while game() != original {
        assert!(began.elapsed() < std::time::Duration::from_secs(30));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(running);
    // Started again, it compiles over the original, which is kept beside the file.
    fs::write(&path, &edited).unwrap();
    let mut command = std::process::Command::new(roundtrip_tests::process::program());
    command.current_dir(dir).args(["watch", "defs", "--poll", "20"]).stdout(std::process::Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let first = BufReader::new(running.0.stdout.take().unwrap()).lines().next().unwrap().unwrap();
    assert!(first.contains("edits from before") && game() == expected, "{first}");
}
