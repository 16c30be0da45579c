//! A game's folder as a project: unpacked whole, packed whole, and never half of it put in place.

use roundtrip_tests::process::{archive, copy_folder, copy_with_notes, err, list, names, out, program, refit, run, snapshot};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

fn reader(key: u32) -> Vec<u8> {
    archive(&[("keys.zrd", &list(&[key])), ("axes.zrd", &list(&[7]))])
}

/// The files of the game, and what `reader` makes of each.
const FILES: [(&str, u32); 4] = [("zbd/a.zbd", 1), ("zbd/c1/b.zbd", 2), ("zbd/c2/c.zbd", 3), ("zbd/c2/same.zbd", 2)];

/// A folder with a game: four files of which two are equal, and one that is none of ours.
fn game() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (file, key) in FILES {
        let path = dir.path().join("game").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, reader(key)).unwrap();
    }
    fs::write(dir.path().join("game/readme.txt"), "no format of ours\u{1}").unwrap();
    dir
}

/// The same, as a project.
fn project() -> tempfile::TempDir {
    let dir = game();
    run(dir.path(), "unpack game -o mod").code(0);
    dir
}

fn edit(dir: &Path, file: &str, key: u32) {
    fs::write(dir.join("mod").join(file).join("keys.zrd.json"), format!("[{key}]\n")).unwrap();
}

/// The keys that the game's files hold now.
fn keys(dir: &Path, game: &str) -> Vec<u32> {
    let key = |(file, _): (&str, u32)| {
        let bytes = fs::read(dir.join(game).join(file)).unwrap();
        (0..1000).find(|key| reader(*key) == bytes).unwrap_or_else(|| panic!("{file} is none that anybody made"))
    };
    FILES.map(key).to_vec()
}

fn json(path: PathBuf) -> serde_json::Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// A tree of a project has the name of its file: it is compared with the file in the game, also after that was replaced.
#[test]
fn a_tree_that_is_named_alone_is_compared_with_its_original() {
    let dir = project();
    edit(dir.path(), "zbd/a.zbd", 5);
    for repacked in [false, true] {
        if repacked {
            run(dir.path(), "repack mod").code(0);
        }
        let said = out(&run(dir.path(), "diff mod/zbd/a.zbd").code(3));
        assert!(said.contains("keys.zrd.json") && said.ends_with("1 difference\n"), "{said}");
    }
    run(dir.path(), "diff mod/zbd/c1/b.zbd").code(0);
    // Without the game there is nothing to compare with.
    fs::remove_dir_all(dir.path().join("game")).unwrap();
    assert!(err(&run(dir.path(), "diff mod/zbd/a.zbd").code(1)).contains("there is nothing to compare it with"));
}

#[test]
fn a_game_is_unpacked_in_its_own_shape_and_equal_files_once() {
    let dir = game();
    let done = run(dir.path(), "unpack game -o mod --git").code(0);
    let said = out(&done);
    assert!(said.contains("game/zbd/c2/same.zbd is equal to zbd/c1/b.zbd, and shares its tree\n"), "{said}");
    assert!(said.contains("\nmod: a project of 4 files, 3 trees (1 equal to another one)\n1 not recognised and skipped"), "{said}");
    assert_eq!(names(&dir.path().join("mod")), [".gitattributes", ".gitignore", ".refit", ".vscode", "refit.json", "zbd"]);
    // Reader documents are lists: editors are told where their schema is.
    let settings = json(dir.path().join("mod/.vscode/settings.json"));
    let schemas = &settings["json.schemas"][0];
    let files = ["/zbd/a.zbd/**/*.json", "/zbd/c1/b.zbd/**/*.json", "/zbd/c2/c.zbd/**/*.json", "!**/refit.json", "!**/.refit/**"];
    assert_eq!(schemas["fileMatch"], serde_json::json!(files));
    assert!(dir.path().join("mod").join(schemas["url"].as_str().unwrap()).is_file(), "{schemas}");
    assert_eq!(names(&dir.path().join("mod/zbd/c2")), ["c.zbd"]);
    assert!(dir.path().join("mod/zbd/c1/b.zbd/keys.zrd.json").is_file());
    let manifest = json(dir.path().join("mod/refit.json"));
    assert_eq!((&manifest["project"], &manifest["others"]), (&1.into(), &1.into()));
    // Where the game is on this machine is no part of what is shared.
    assert!(manifest.get("source").is_none());
    let noted = fs::read_to_string(dir.path().join("mod/.refit/source")).unwrap();
    assert_eq!(Path::new(noted.trim_end()), refit::path::canonical(&dir.path().join("game")).unwrap());
    assert!(fs::read_to_string(dir.path().join("mod/.gitignore")).unwrap().contains("**/.refit/source\n"));
    let rows = manifest["files"].as_array().unwrap();
    for ((file, key), row) in FILES.iter().zip(rows) {
        let bytes = reader(*key);
        assert_eq!(row["file"], *file);
        assert_eq!((&row["bytes"], &row["sha256"]), (&bytes.len().into(), &refit::sha256(&bytes).into()));
        assert_eq!(row["format"], "reader");
    }
    assert_eq!(rows[3]["same_as"], "zbd/c1/b.zbd");
    assert!(rows[1].get("same_as").is_none());
    // The project is what it came from, and the game was not touched.
    assert!(out(&run(dir.path(), "status mod").code(0)).contains("mod: as it was unpacked"));
    assert_eq!(keys(dir.path(), "game"), [1, 2, 3, 2]);
    // It can be written somewhere else whole.
    run(dir.path(), "repack mod -o copy").code(0);
    assert_eq!(keys(dir.path(), "copy"), [1, 2, 3, 2]);
}

#[test]
fn what_is_there_already_is_not_replaced_by_a_project() {
    let dir = project();
    assert!(err(&run(dir.path(), "unpack game -o mod").code(1)).contains("use --force"));
    edit(dir.path(), "zbd/a.zbd", 9);
    let done = run(dir.path(), "unpack game -o mod --force").code(0);
    assert!(err(&done).contains("1 file edited since refit wrote it: zbd/a.zbd/keys.zrd.json (modified)"), "{}", err(&done));
    assert_eq!(fs::read_to_string(dir.path().join("mod.old/zbd/a.zbd/keys.zrd.json")).unwrap(), "[9]\n");
    // One that nobody edited is simply replaced.
    assert_eq!(err(&run(dir.path(), "unpack game -o mod --force").code(0)), "");
    fs::create_dir(dir.path().join("other")).unwrap();
    fs::write(dir.path().join("other/mine.txt"), "x").unwrap();
    assert!(err(&run(dir.path(), "unpack game -o other --force").code(1)).contains("holds other things"));
    assert_eq!(names(dir.path()), ["game", "mod", "mod.old", "other"]);
    let before = snapshot(dir.path());
    run(dir.path(), "unpack game -o new --dry-run").code(0);
    assert_eq!(snapshot(dir.path()), before);
}

#[test]
fn a_file_that_cannot_be_read_is_told_and_the_others_are_unpacked() {
    let dir = game();
    let whole = fs::read(roundtrip_tests::root().join("golden/anim/mw_event_01.zbd")).unwrap();
    fs::write(dir.path().join("game/zbd/anim.zbd"), &whole[..whole.len() / 2]).unwrap();
    let done = run(dir.path(), "unpack game -o mod").code(1);
    assert!(err(&done).contains("game/zbd/anim.zbd: "), "{}", err(&done));
    assert!(out(&done).contains("mod: a project of 4 files"), "{}", out(&done));
    run(dir.path(), "status mod").code(0);
}

#[test]
fn only_edited_trees_are_built_and_originals_are_kept() {
    let dir = project();
    edit(dir.path(), "zbd/a.zbd", 11);
    edit(dir.path(), "zbd/c1/b.zbd", 12);
    let status = run(dir.path(), "status mod").code(3);
    assert!(out(&status).contains("modified  mod/zbd/a.zbd/keys.zrd.json\n"), "{}", out(&status));
    assert!(out(&status).contains("mod: 2 files edited, in 2 trees\n"), "{}", out(&status));
    let rows: Vec<serde_json::Value> =
        out(&run(dir.path(), "status mod --json").code(3)).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&rows[1]["path"], &rows[1]["file"]), (&"mod".into(), &"zbd/c1/b.zbd/keys.zrd.json".into()));

    let before = snapshot(dir.path());
    let dry = run(dir.path(), "repack mod --dry-run").code(0);
    assert!(out(&dry).contains("3 would be put in place"), "{}", out(&dry));
    assert_eq!(snapshot(dir.path()), before);
    let done = run(dir.path(), "repack mod").code(0);
    // What is equal shares its tree, so the edit is in both.
    assert_eq!(keys(dir.path(), "game"), [11, 12, 3, 12]);
    assert!(out(&done).ends_with("/game: 3 trees built, 3 put in place, 1 not edited\n"), "{}", out(&done));
    assert_eq!(names(&dir.path().join("game/zbd/c2")), ["c.zbd", "same.zbd", "same.zbd.orig"]);
    assert_eq!(fs::read(dir.path().join("game/zbd/a.zbd.orig")).unwrap(), reader(1));
    assert_eq!(names(&dir.path().join("game")), ["readme.txt", "zbd"]);
    // Again: the same bytes are there already.
    let again = run(dir.path(), "repack mod").code(0);
    assert!(
        out(&again).ends_with("3 trees built, 3 of them as the game has them already, 0 put in place, 1 not edited\n"),
        "{}",
        out(&again)
    );

    // A tree of its own sets an equal file apart.
    copy_folder(&dir.path().join("mod/zbd/c1/b.zbd"), &dir.path().join("mod/zbd/c2/same.zbd"));
    edit(dir.path(), "zbd/c2/same.zbd", 13);
    run(dir.path(), "repack mod").code(0);
    assert_eq!(keys(dir.path(), "game"), [11, 12, 3, 13]);
    // An edit that is taken back is taken back in the game too.
    edit(dir.path(), "zbd/a.zbd", 1);
    let back = run(dir.path(), "repack mod").code(0);
    assert!(out(&back).contains("zbd/a.zbd the original again"), "{}", out(&back));
    assert_eq!(keys(dir.path(), "game"), [1, 12, 3, 13]);
    assert!(!dir.path().join("game/zbd/a.zbd.orig").exists());
    // All originals, or one.
    run(dir.path(), "restore game zbd/c1/b.zbd").code(0);
    assert_eq!(keys(dir.path(), "game"), [1, 2, 3, 13]);
    run(dir.path(), "repack mod").code(0);
    let restored = run(dir.path(), "restore game").code(0);
    assert!(out(&restored).ends_with("2 files restored\n"), "{}", out(&restored));
    assert_eq!(keys(dir.path(), "game"), [1, 2, 3, 2]);
    assert_eq!(names(&dir.path().join("game/zbd/c2")), ["c.zbd", "same.zbd"]);
}

#[test]
fn one_fault_and_nothing_is_put_in_place() {
    let dir = project();
    edit(dir.path(), "zbd/a.zbd", 11);
    fs::write(dir.path().join("mod/zbd/c2/c.zbd/keys.zrd.json"), "[1, {}]\n").unwrap();
    let before = snapshot(dir.path());
    let done = run(dir.path(), "repack mod").code(1);
    assert!(err(&done).contains("keys.zrd.json:1:5") && err(&done).contains("nothing was put in place"), "{}", err(&done));
    assert_eq!(snapshot(dir.path()), before);
    // Where the game is gone, it says so.
    fs::rename(dir.path().join("game"), dir.path().join("moved")).unwrap();
    assert!(err(&run(dir.path(), "repack mod").code(1)).contains("name the game's folder with -o"));
}

#[test]
fn what_another_program_wrote_is_not_replaced_without_force() {
    let dir = project();
    edit(dir.path(), "zbd/a.zbd", 11);
    run(dir.path(), "repack mod").code(0);
    let file = dir.path().join("game/zbd/a.zbd");
    fs::write(&file, reader(99)).unwrap();
    edit(dir.path(), "zbd/a.zbd", 12);
    edit(dir.path(), "zbd/c2/c.zbd", 13);
    let refused = run(dir.path(), "repack mod").code(1);
    assert!(err(&refused).contains("game/zbd/a.zbd") && err(&refused).contains("another program changed this file"), "{}", err(&refused));
    assert_eq!(keys(dir.path(), "game"), [99, 2, 3, 2]);
    let forced = run(dir.path(), "repack mod --force").code(0);
    assert!(err(&forced).contains("a.zbd.orig.2"), "{}", err(&forced));
    assert_eq!(keys(dir.path(), "game"), [12, 2, 13, 2]);
    assert_eq!(fs::read(dir.path().join("game/zbd/a.zbd.orig")).unwrap(), reader(1));
    assert_eq!(fs::read(dir.path().join("game/zbd/a.zbd.orig.2")).unwrap(), reader(99));
}

#[test]
fn trees_come_and_go() {
    let dir = project();
    fs::write(dir.path().join("new.zbd"), reader(50)).unwrap();
    run(dir.path(), "unpack new.zbd -o mod/zbd/c3/new.zbd").code(0);
    fs::remove_dir_all(dir.path().join("mod/zbd/a.zbd")).unwrap();
    let status = out(&run(dir.path(), "status mod").code(3));
    assert!(status.contains("added     mod/zbd/c3/new.zbd/\n") && status.contains("deleted   mod/zbd/a.zbd/ (the whole tree"), "{status}");
    let done = run(dir.path(), "repack mod").code(0);
    assert!(err(&done).contains("mod/zbd/a.zbd: the tree is gone; the game's file is left as it is"), "{}", err(&done));
    assert_eq!(fs::read(dir.path().join("game/zbd/c3/new.zbd")).unwrap(), reader(50));
    assert_eq!(keys(dir.path(), "game"), [1, 2, 3, 2]);
}

#[test]
fn a_project_that_is_none_is_refused() {
    let dir = project();
    let manifest = dir.path().join("mod/refit.json");
    let text = fs::read_to_string(&manifest).unwrap();
    for (from, to, said) in [
        ("\"project\": 1", "\"project\": 2", "a project of version 2"),
        ("\"file\": \"zbd/a.zbd\"", "\"file\": \"../a.zbd\"", "not a path below a folder"),
        ("\"others\": 1", "\"others\": []", "refit.json:"),
    ] {
        fs::write(&manifest, text.replacen(from, to, 1)).unwrap();
        for command in ["status", "repack"] {
            let done = run(dir.path(), &format!("{command} mod")).code(1);
            assert!(err(&done).contains(said), "{command}: {}", err(&done));
        }
    }
    assert_eq!(keys(dir.path(), "game"), [1, 2, 3, 2]);
}

/// The state that a kill may leave: all files as they were, or, for the next run to finish, some of them new.
#[cfg(debug_assertions)]
fn ended_everywhere(line: &str, make: impl Fn() -> tempfile::TempDir, old: &[u32], new: &[u32]) {
    let ended = |dir: &Path, fault: String| refit(dir).args(line.split(' ')).env("REFIT_FAIL_AT", fault).output().unwrap();
    let mut operations = 0;
    let mut told = [0, 0];
    loop {
        let dir = make();
        let done = ended(dir.path(), format!("{}!", operations + 1));
        if done.status.code() != Some(137) {
            assert!(done.status.success());
            break;
        }
        operations += 1;
        let now = keys(dir.path(), "game");
        let again = run(dir.path(), line).code(0);
        assert_eq!(keys(dir.path(), "game"), new, "killed at {operations}: {}", err(&again));
        if now != old && now != new {
            assert!(err(&again).contains("it has been finished"), "killed at {operations}: {}", err(&again));
        }
        told[0] += usize::from(err(&again).contains("it has been finished"));
        told[1] += usize::from(err(&again).contains("nothing was changed"));
        let left: Vec<String> = snapshot(&dir.path().join("game")).into_iter().map(|(name, _)| name).collect();
        assert!(!left.iter().any(|name| name.contains(".refit-")), "killed at {operations}: {left:?}");
        run(dir.path(), "restore game").code(0);
        assert_eq!(keys(dir.path(), "game"), [1, 2, 3, 2], "killed at {operations}");
    }
    assert!(operations > 15 && told[0] > 0 && told[1] > 0, "{operations} operations, {told:?}");
    let mut failed = 0;
    for k in 1..=operations {
        let dir = make();
        let before = snapshot(dir.path());
        let done = ended(dir.path(), k.to_string());
        match done.status.code() {
            Some(0) => assert_eq!(keys(dir.path(), "game"), new, "fault {k} of {operations}"),
            Some(1) => {
                failed += 1;
                let said = String::from_utf8_lossy(&done.stderr).into_owned();
                assert!(said.contains("REFIT_FAIL_AT"), "{said}");
                assert_eq!(snapshot(dir.path()), before, "fault {k} of {operations}: {said}");
            }
            other => panic!("fault {k} of {operations}: {other:?}"),
        }
    }
    assert!(failed > 3, "only {failed} of {operations} faults were told");
}

#[cfg(debug_assertions)]
#[test]
fn a_repack_that_is_ended_anywhere_is_finished_or_undone() {
    let make = || {
        let dir = project();
        edit(dir.path(), "zbd/c2/c.zbd", 21);
        run(dir.path(), "repack mod").code(0);
        edit(dir.path(), "zbd/c2/c.zbd", 22);
        edit(dir.path(), "zbd/c1/b.zbd", 23);
        dir
    };
    ended_everywhere("repack mod", make, &[1, 2, 21, 2], &[1, 23, 22, 23]);
}

#[cfg(debug_assertions)]
#[test]
fn a_restore_that_is_ended_anywhere_is_finished_or_undone() {
    let make = || {
        let dir = project();
        edit(dir.path(), "zbd/a.zbd", 20);
        edit(dir.path(), "zbd/c1/b.zbd", 23);
        run(dir.path(), "repack mod").code(0);
        dir
    };
    ended_everywhere("restore game", make, &[20, 23, 3, 23], &[1, 2, 3, 2]);
}

/// Kills from outside, at moments that nobody chose.
#[test]
fn kills_at_random_moments_leave_the_old_game_or_the_new_one() {
    let dir = project();
    let (old, new) = ([1, 2, 3, 2], [31, 32, 33, 32]);
    for (file, key) in [("zbd/a.zbd", 31), ("zbd/c1/b.zbd", 32), ("zbd/c2/c.zbd", 33)] {
        edit(dir.path(), file, key);
    }
    // On Windows, a program takes longer to start.
    let (rounds, slower) = if cfg!(windows) { (25, 40) } else { (200, 1) };
    let mut between = 0;
    for round in 0..rounds {
        for (line, from, to) in [("repack mod", old, new), ("restore game", new, old)] {
            assert_eq!(keys(dir.path(), "game"), from, "round {round}");
            let mut child = Command::new(program())
                .args(line.split(' '))
                .current_dir(dir.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_micros(2_000 + round * 7_919 % 23_000) * slower);
            child.kill().unwrap();
            child.wait().unwrap();
            let now = keys(dir.path(), "game");
            let again = run(dir.path(), line).code(0);
            if now != from && now != to {
                between += 1;
                assert!(err(&again).contains("it has been finished"), "{}", err(&again));
            }
            assert_eq!(keys(dir.path(), "game"), to, "round {round}: {line}");
        }
    }
    println!("{between} of {} kills, {rounds} of each, came while files were put in place", 2 * rounds);
    assert!(!snapshot(&dir.path().join("game")).iter().any(|(name, _)| name.contains(".refit-")));
}

fn copy_dir(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().map(Result::unwrap) {
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        match entry.file_type().is_dir() {
            true => fs::create_dir_all(target).unwrap(),
            false => _ = fs::write(target, fs::read(entry.path()).unwrap()),
        }
    }
}

/// A mod that gives `zbd/a.zbd` another key, and adds a file in a folder of its own.
fn with_mod() -> tempfile::TempDir {
    let dir = project();
    copy_dir(&dir.path().join("game"), &dir.path().join("other"));
    fs::write(dir.path().join("other/zbd/a.zbd"), reader(41)).unwrap();
    fs::create_dir(dir.path().join("other/zbd/n")).unwrap();
    fs::write(dir.path().join("other/zbd/n/new.txt"), "new\n").unwrap();
    run(dir.path(), "mod make game other -o loud.refitmod").code(0);
    dir
}

#[test]
fn a_repack_does_not_take_away_what_mods_changed() {
    let dir = with_mod();
    let at = dir.path();
    run(at, "mod apply loud.refitmod --to game").code(0);
    edit(at, "zbd/c1/b.zbd", 12);
    run(at, "repack mod").code(0);
    assert_eq!(keys(at, "game"), [41, 12, 3, 12]);
    assert_eq!(err(&run(at, "mod list game").code(0)), "");
    edit(at, "zbd/a.zbd", 11);
    edit(at, "zbd/c2/c.zbd", 13);
    for line in ["repack mod", "repack mod --force", "repack mod --dry-run"] {
        let before = snapshot(&at.join("game"));
        let told = err(&run(at, line).code(1));
        assert!(told.contains("game/zbd/a.zbd: a mod changes this file, which would be lost from it: loud"), "{line}: {told}");
        assert!(told.contains("refit mod remove loud --from") && told.contains("refit mod make"), "{line}: {told}");
        assert_eq!(snapshot(&at.join("game")), before, "{line}");
    }
    run(at, "mod remove loud --from game").code(0);
    assert!(!at.join("game/zbd/n").exists(), "the folder that the mod brought");
    run(at, "repack mod").code(0);
    assert_eq!(keys(at, "game"), [11, 12, 13, 12]);
    // The other way round: what the project built is not another program's.
    let told = err(&run(at, "mod apply loud.refitmod --to game").code(1));
    assert!(told.contains("refit itself wrote it since") && !told.contains("somebody"), "{told}");
    run(at, "mod apply loud.refitmod --to game --force").code(0);
    assert_eq!(fs::read(at.join("game/zbd/a.zbd.orig.2")).unwrap(), reader(11));
}

#[test]
fn what_was_edited_in_place_is_kept() {
    let dir = project();
    let at = dir.path();
    edit(at, "zbd/a.zbd", 11);
    run(at, "repack mod").code(0);
    fs::write(at.join("keys.json"), "[77]\n").unwrap();
    run(at, "put game/zbd/a.zbd keys.zrd keys.json").code(0);
    assert_eq!(keys(at, "game"), [77, 2, 3, 2]);
    edit(at, "zbd/a.zbd", 12);
    let told = err(&run(at, "repack mod").code(1));
    assert!(told.contains("edited in place") && told.contains("--force replaces it"), "{told}");
    assert_eq!(keys(at, "game"), [77, 2, 3, 2]);
    let told = err(&run(at, "repack mod --force").code(0));
    assert!(told.contains("a.zbd.orig.2"), "{told}");
    assert_eq!(fs::read(at.join("game/zbd/a.zbd.orig.2")).unwrap(), reader(77));
    // A tree taken back does not take an edit in place with it, either.
    run(at, "put game/zbd/a.zbd keys.zrd keys.json").code(0);
    edit(at, "zbd/a.zbd", 1);
    run(at, "repack mod").code(0);
    assert_eq!(keys(at, "game"), [77, 2, 3, 2]);
    // Nor does another project.
    run(at, "restore game").code(0);
    run(at, "unpack game -o second").code(0);
    edit(at, "zbd/a.zbd", 21);
    run(at, "repack mod").code(0);
    fs::write(at.join("second/zbd/a.zbd/keys.zrd.json"), "[22]\n").unwrap();
    let told = err(&run(at, "repack second").code(1));
    assert!(told.contains("not for this project"), "{told}");
    assert_eq!(keys(at, "game"), [21, 2, 3, 2]);
    // Its own tree by itself is of the project.
    edit(at, "zbd/a.zbd", 23);
    run(at, "repack mod/zbd/a.zbd -o game/zbd/a.zbd --force").code(0);
    edit(at, "zbd/a.zbd", 24);
    run(at, "repack mod").code(0);
    assert_eq!(keys(at, "game"), [24, 2, 3, 2]);
}

#[test]
fn restore_deletes_what_a_project_added() {
    let dir = project();
    let at = dir.path();
    let before = snapshot(&at.join("game"));
    copy_dir(&at.join("mod/zbd/c1/b.zbd"), &at.join("mod/zbd/m9/deep/b.zbd"));
    for key in [2, 51, 52] {
        edit(at, "zbd/m9/deep/b.zbd", key);
        run(at, "repack mod").code(0);
        assert_eq!(fs::read(at.join("game/zbd/m9/deep/b.zbd")).unwrap(), reader(key));
        assert_eq!(names(&at.join("game/zbd/m9/deep")), ["b.zbd"], "it is the original of nothing");
    }
    edit(at, "zbd/a.zbd", 11);
    run(at, "repack mod").code(0);
    let dry = out(&run(at, "restore game --dry-run").code(0));
    assert!(dry.contains("b.zbd would be removed"), "{dry}");
    let said = out(&run(at, "restore game").code(0));
    assert!(said.contains("game/zbd/m9/deep/b.zbd removed: the game did not have it"), "{said}");
    assert!(said.ends_with("1 file restored, 1 file that refit had added removed\n"), "{said}");
    assert_eq!(snapshot(&at.join("game")), before);
    assert!(!at.join("game/zbd/m9").exists());
    // It can be put there again, and is not lost where somebody edited it.
    run(at, "repack mod").code(0);
    fs::write(at.join("game/zbd/m9/deep/b.zbd"), reader(99)).unwrap();
    let told = err(&run(at, "restore game").code(0));
    assert!(told.contains("it was edited since refit added it, it is kept as") && told.contains("b.zbd.orig.2"), "{told}");
    assert_eq!(names(&at.join("game/zbd/m9/deep")), ["b.zbd.orig.2"]);
    assert_eq!(fs::read(at.join("game/zbd/m9/deep/b.zbd.orig.2")).unwrap(), reader(99));
    // A copy of it elsewhere, and what was packed elsewhere, is nothing that was added to a game.
    run(at, "repack mod").code(0);
    fs::create_dir(at.join("safe")).unwrap();
    // With its note, as the usual copy on Windows.
    copy_with_notes(&at.join("game/zbd/m9/deep/b.zbd"), &at.join("safe/b.zbd"));
    run(at, "repack mod/zbd/a.zbd -o safe/a.zbd").code(0);
    run(at, "restore safe").code(0);
    assert_eq!(names(&at.join("safe")), ["a.zbd", "b.zbd"]);
    // One file.
    run(at, "restore game/zbd/m9/deep/b.zbd").code(0);
    assert!(!at.join("game/zbd/m9/deep/b.zbd").exists());
}

#[test]
fn the_list_of_mods_is_true_after_restore() {
    let dir = with_mod();
    let at = dir.path();
    let before = snapshot(&at.join("game"));
    run(at, "mod apply loud.refitmod --to game").code(0);
    let said = out(&run(at, "restore game").code(0));
    assert!(said.contains("loud is no longer applied"), "{said}");
    assert_eq!(snapshot(&at.join("game")), before);
    assert_eq!(names(&at.join("game")), ["readme.txt", "zbd"]);
    assert!(!at.join("game/zbd/n").exists());
    assert!(out(&run(at, "mod list game").code(0)).contains("no mods are applied"));
    // A part of it, from a folder below the list.
    run(at, "mod apply loud.refitmod --to game").code(0);
    run(at, "restore game/zbd/a.zbd").code(0);
    assert_eq!(keys(at, "game"), [1, 2, 3, 2]);
    let list = run(at, "mod list game").code(0);
    assert!(out(&list).contains("loud: zbd/n/new.txt\n") && err(&list).is_empty(), "{}{}", out(&list), err(&list));
    run(at, "restore game/zbd").code(0);
    assert_eq!(snapshot(&at.join("game")), before);
    // What other commands wrote since is not said to be somebody's.
    run(at, "mod apply loud.refitmod --to game").code(0);
    fs::write(at.join("keys.json"), "[77]\n").unwrap();
    run(at, "put game/zbd/a.zbd keys.zrd keys.json").code(0);
    let told = err(&run(at, "mod list game").code(3));
    assert!(told.contains("zbd/a.zbd: refit wrote it since") && !told.contains("somebody"), "{told}");
    run(at, "restore game").code(0);
    assert_eq!(snapshot(&at.join("game")), before);
}

#[test]
fn a_project_from_elsewhere_writes_only_where_the_user_says() {
    let dir = project();
    let at = dir.path();
    edit(at, "zbd/a.zbd", 11);
    // As it comes from the net: without what was noted on the machine.
    copy_dir(&at.join("mod"), &at.join("down"));
    copy_dir(&at.join("game"), &at.join("home"));
    let home = fs::canonicalize(at.join("home")).unwrap();
    let before = snapshot(&at.join("home"));
    let text = fs::read_to_string(at.join("down/refit.json")).unwrap();
    let with_source = text.replacen("\"others\"", &format!("\"source\": {:?},\n  \"others\"", home.to_str().unwrap()), 1);
    assert_ne!(text, with_source);
    fs::write(at.join("down/refit.json"), with_source).unwrap();
    for noted in [false, true] {
        fs::remove_file(at.join("down/.refit/source")).ok();
        if noted {
            fs::write(at.join("down/.refit/source"), format!("{}\n", home.display())).unwrap();
        }
        for (line, option) in [("repack down", "-o"), ("repack down --force", "-o"), ("watch down", "--into")] {
            let told = err(&run(at, line).code(1));
            assert!(told.contains(&format!("name the game's folder with {option}")) && told.contains("is not known"), "{line}: {told}");
        }
        run(at, "status down").code(3);
    }
    assert_eq!(snapshot(&at.join("home")), before);
    run(at, "repack down -o home").code(0);
    assert_eq!(keys(at, "home"), [11, 2, 3, 2]);
    // What it brings that the game does not have is of a known format, and has no name that means something to others.
    fs::write(at.join("note.bin"), b"a\x01b").unwrap();
    run(at, "unpack note.bin --format raw -o down/zbd/note.bin").code(0);
    let told = err(&run(at, "repack down -o home").code(1));
    assert!(told.contains("zbd/note.bin") && told.contains("no known format"), "{told}");
    run(at, "repack down -o home --force").code(0);
    assert_eq!(fs::read(at.join("home/zbd/note.bin")).unwrap(), b"a\x01b");
    fs::write(at.join("new.zbd"), reader(50)).unwrap();
    run(at, "unpack new.zbd -o down/.bashrc").code(0);
    let told = err(&run(at, "repack down -o home --force").code(1));
    assert!(told.contains(".bashrc") && told.contains("may not be named"), "{told}");
    assert!(!at.join("home/.bashrc").exists());
}

/// A path that is not Unicode is where the game is, too.
#[cfg(target_os = "linux")]
#[test]
fn a_game_at_a_path_that_is_not_unicode_is_found_again() {
    use std::os::unix::ffi::OsStrExt;
    let dir = game();
    let at = dir.path();
    let odd = std::ffi::OsStr::from_bytes(b"g\xe4me");
    fs::rename(at.join("game"), at.join(odd)).unwrap();
    refit(at).arg("unpack").arg(odd).args(["-o", "mod"]).assert().code(0);
    edit(at, "zbd/a.zbd", 11);
    run(at, "repack mod").code(0);
    assert_eq!(fs::read(at.join(odd).join("zbd/a.zbd")).unwrap(), reader(11));
}

#[test]
fn a_deleted_file_of_the_game_is_in_nobodys_way() {
    let dir = with_mod();
    let at = dir.path();
    edit(at, "zbd/a.zbd", 11);
    edit(at, "zbd/c2/c.zbd", 13);
    run(at, "repack mod").code(0);
    fs::remove_file(at.join("game/zbd/a.zbd")).unwrap();
    fs::remove_file(at.join("game/zbd/c1/b.zbd")).unwrap();
    assert_eq!(err(&run(at, "status mod").code(3)), "");
    run(at, "repack mod").code(0);
    assert_eq!(keys(at, "game"), [11, 2, 13, 2]);
    fs::remove_file(at.join("game/zbd/a.zbd")).unwrap();
    fs::remove_file(at.join("game/zbd/c2/c.zbd")).unwrap();
    run(at, "restore game").code(0);
    assert_eq!(keys(at, "game"), [1, 2, 3, 2]);
    run(at, "mod apply loud.refitmod --to game").code(0);
    fs::remove_file(at.join("game/zbd/n/new.txt")).unwrap();
    fs::remove_file(at.join("game/zbd/a.zbd")).unwrap();
    run(at, "restore game").code(0);
    assert_eq!(keys(at, "game"), [1, 2, 3, 2]);
    assert!(out(&run(at, "mod list game").code(0)).contains("no mods are applied"));
}

#[test]
fn a_file_that_a_manifest_lists_twice_is_told() {
    let dir = project();
    let manifest = dir.path().join("mod/refit.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let name = text.find("\"zbd/a.zbd\"").unwrap();
    let (from, to) = (text[..name].rfind('{').unwrap(), name + text[name..].find('}').unwrap() + 1);
    fs::write(&manifest, format!("{},\n{}", &text[..to], &text[from..])).unwrap();
    for line in ["status mod", "repack mod"] {
        let told = err(&run(dir.path(), line).code(1));
        assert!(told.contains("the manifest lists \"zbd/a.zbd\" twice"), "{told}");
    }
}

#[test]
fn a_tree_is_not_packed_as_another_format_by_a_slip() {
    let dir = project();
    let at = dir.path();
    let manifest = at.join("mod/zbd/a.zbd/refit.json");
    let text = fs::read_to_string(&manifest).unwrap();
    // With another edit of the manifest, the game's file tells.
    for text in [text.clone(), text.replacen("\"refit\": \"", "\"refit\": \"9", 1)] {
        fs::write(&manifest, text.replacen("\"reader\"", "\"sounds\"", 1)).unwrap();
        for line in ["repack mod", "repack mod/zbd/a.zbd -o x.zbd"] {
            let told = err(&run(at, line).code(1));
            assert!(
                told.contains("the manifest says \"format\": \"sounds\", but the tree was made of a file of the format reader"),
                "{told}"
            );
            assert!(told.contains("write \"reader\" again") && told.contains("--force"), "{told}");
        }
    }
    assert!(!at.join("x.zbd").exists());
    run(at, "repack mod/zbd/a.zbd -o x.zbd --force").code(0);
}

/// A pipe in the place of a manifest, or of the game's file, is not waited for.
#[cfg(target_os = "linux")]
#[test]
fn pipes_are_not_waited_for() {
    let dir = project();
    let at = dir.path();
    let pipe = |path: &str| {
        fs::remove_file(at.join(path)).ok();
        assert!(Command::new("mkfifo").arg(at.join(path)).status().unwrap().success());
    };
    edit(at, "zbd/a.zbd", 11);
    pipe("game/zbd/a.zbd");
    for line in ["repack mod", "repack mod --dry-run", "repack mod --force"] {
        let told = err(&run(at, line).code(1));
        assert!(told.contains("not a regular file"), "{line}: {told}");
    }
    pipe("mod/refit.json");
    for line in ["status mod", "repack mod"] {
        run(at, line).code(1);
    }
}
