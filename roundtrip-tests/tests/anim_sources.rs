//! `refit anim` as a process: files, exit codes, what is printed, and what stands on the disk afterwards.

use roundtrip_tests::{
    process::{err, out, run},
    root,
};
use serde_json::Value;
use std::{fs, path::Path};

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
