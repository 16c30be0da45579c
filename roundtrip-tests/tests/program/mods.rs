//! `refit diff`, `show`, `mod` and `watch` as a person uses them: the files, the words and the exit
//! codes.

use roundtrip_tests::{
    by_hand, golden_file,
    leaks::{self, Original},
    process::{archive, err, list, names, out, program, refit, run, snapshot},
};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

fn reader(keys: &[u32], axes: &[u32]) -> Vec<u8> {
    archive(&[("Keys.zrd", &list(keys)), ("axes.zrd", &list(axes))])
}

/// A game of two files, two edited copies of it, and their mods.
fn game() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, keys, axes) in [
        ("game", [1, 2, 3], [7, 8]),
        ("one", [100, 2, 3], [7, 8]),
        ("two", [1, 2, 300], [7, 8]),
        ("three", [101, 2, 3], [7, 9]),
    ] {
        fs::create_dir_all(dir.path().join(name).join("zbd/c1")).unwrap();
        fs::write(
            dir.path().join(name).join("zbd/reader.zbd"),
            reader(&keys, &axes),
        )
        .unwrap();
        fs::write(
            dir.path().join(name).join("zbd/c1/zrdr.zbd"),
            reader(&[5], &[if name == "two" { 60 } else { 6 }]),
        )
        .unwrap();
    }
    fs::write(dir.path().join("one/new.txt"), "hello\n").unwrap();
    for name in ["one", "two", "three"] {
        run(
            dir.path(),
            &format!("mod make game {name} -o {name}.refitmod --author me"),
        )
        .code(0);
    }
    dir
}

fn at(dir: &tempfile::TempDir, path: &str) -> PathBuf {
    dir.path().join(path)
}

fn keys(dir: &tempfile::TempDir) -> Vec<u8> {
    fs::read(at(dir, "game/zbd/reader.zbd")).unwrap()
}

#[test]
fn mods_are_applied_together_and_removed_one_by_one() {
    let dir = game();
    let before = snapshot(&at(&dir, "game"));
    let printed = out(&run(dir.path(), "mod apply one.refitmod two.refitmod --to game").code(0));
    assert!(
        printed.contains("changed    zbd/reader.zbd (one, two)")
            && printed.contains("added      new.txt (one)"),
        "{printed}"
    );
    assert_eq!(keys(&dir), reader(&[100, 2, 300], &[7, 8]));
    assert_eq!(
        fs::read(at(&dir, "game/zbd/c1/zrdr.zbd")).unwrap(),
        reader(&[5], &[60])
    );
    assert_eq!(
        fs::read_to_string(at(&dir, "game/new.txt")).unwrap(),
        "hello\n"
    );
    assert_eq!(
        fs::read(at(&dir, "game/zbd/reader.zbd.orig")).unwrap(),
        reader(&[1, 2, 3], &[7, 8])
    );
    assert!(
        out(&run(dir.path(), "mod list game").code(0))
            .starts_with("one by me: new.txt, zbd/reader.zbd\ntwo by me: ")
    );
    run(dir.path(), "mod check --to game").code(0);
    // The other order gives the same result.
    let after = keys(&dir);
    run(dir.path(), "mod remove --all --from game").code(0);
    assert_eq!(snapshot(&at(&dir, "game")), before);
    run(dir.path(), "mod apply two.refitmod one.refitmod --to game").code(0);
    assert_eq!(keys(&dir), after);
    run(dir.path(), "mod remove one --from game").code(0);
    assert_eq!(keys(&dir), reader(&[1, 2, 300], &[7, 8]));
    assert!(!at(&dir, "game/new.txt").exists());
    run(dir.path(), "mod remove two --from game").code(0);
    assert_eq!(snapshot(&at(&dir, "game")), before);
    assert!(
        err(&run(dir.path(), "mod remove two --from game").code(1))
            .contains("no mod called \"two\" is applied")
    );
}

#[test]
fn a_conflict_names_both_and_writes_nothing() {
    let dir = game();
    let before = snapshot(&at(&dir, "game"));
    let printed = err(&run(
        dir.path(),
        "mod apply one.refitmod three.refitmod --to game",
    )
    .code(1));
    assert!(
        printed
            .contains("zbd/reader.zbd: Keys.zrd.json: [0]: conflict: one has 100, three has 101"),
        "{printed}"
    );
    assert!(
        printed.contains("nothing was written (use --prefer first or last to choose the winner)"),
        "{printed}"
    );
    assert_eq!(snapshot(&at(&dir, "game")), before);
    run(
        dir.path(),
        "mod apply one.refitmod three.refitmod --to game --prefer last --dry-run",
    )
    .code(0);
    assert_eq!(snapshot(&at(&dir, "game")), before);
    run(
        dir.path(),
        "mod apply one.refitmod three.refitmod --to game --prefer last",
    )
    .code(0);
    assert_eq!(keys(&dir), reader(&[101, 2, 3], &[7, 9]));
    run(dir.path(), "mod remove --all --from game").code(0);
    run(
        dir.path(),
        "mod apply one.refitmod three.refitmod --to game --prefer first",
    )
    .code(0);
    assert_eq!(keys(&dir), reader(&[100, 2, 3], &[7, 9]));
    // As JSON.
    run(dir.path(), "mod remove --all --from game").code(0);
    let lines = out(&run(
        dir.path(),
        "mod apply one.refitmod three.refitmod --to game --json",
    )
    .code(1));
    let objects: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let file = objects
        .iter()
        .find(|file| file["path"] == "zbd/reader.zbd")
        .unwrap();
    assert_eq!(
        file["conflicts"][0]["mods"],
        serde_json::json!(["one", "three"])
    );
    assert_eq!(
        file["conflicts"][0]["wants"],
        serde_json::json!(["100", "101"])
    );
    assert_eq!(file["written"], false);
}

#[test]
fn another_edition_gets_the_changes_that_match() {
    let dir = game();
    // One value differs here, and another one was inserted before it.
    fs::write(at(&dir, "game/zbd/reader.zbd"), reader(&[1, 2, 4], &[7, 8])).unwrap();
    let printed = err(&run(dir.path(), "mod apply one.refitmod --to game").code(0));
    assert!(
        printed
            .contains("zbd/reader.zbd: not the edition that the mod was made from, but every change could be applied"),
        "{printed}"
    );
    assert_eq!(keys(&dir), reader(&[100, 2, 4], &[7, 8]));
    let printed = err(&run(dir.path(), "mod apply two.refitmod --to game").code(3));
    assert!(
        printed.contains("zbd/reader.zbd: Keys.zrd.json: [2]: not applied"),
        "{printed}"
    );
    assert_eq!(keys(&dir), reader(&[100, 2, 4], &[7, 8]));
    run(dir.path(), "mod remove --all --from game").code(0);
    let before = snapshot(&at(&dir, "game"));
    run(dir.path(), "mod apply one.refitmod --to game --strict").code(1);
    assert_eq!(snapshot(&at(&dir, "game")), before);
}

#[test]
fn files_of_other_programs_are_not_lost() {
    let dir = game();
    run(dir.path(), "mod apply one.refitmod --to game").code(0);
    // By another program, and by refit itself.
    for edit in ["patch", "put"] {
        let foreign = reader(&[55, 2, 3], &[7, 8]);
        match edit {
            "patch" => fs::write(at(&dir, "game/zbd/reader.zbd"), &foreign).unwrap(),
            _ => {
                _ = refit(dir.path())
                    .args(["put", "game/zbd/reader.zbd", "Keys.zrd"])
                    .write_stdin("[55, 2, 3]")
                    .assert()
                    .code(0)
            }
        }
        assert_eq!(keys(&dir), foreign);
        let (listed, refused) = match edit {
            "patch" => (
                "changed by another program",
                "nor what refit wrote; another program changed it",
            ),
            _ => (
                "rewritten since by other refit commands",
                "nor the mods' result: refit itself has written it since",
            ),
        };
        assert!(
            err(&run(dir.path(), "mod list game").code(3)).contains(listed),
            "{edit}"
        );
        let printed = err(&run(dir.path(), "mod apply two.refitmod --to game").code(1));
        assert!(
            printed.contains("zbd/reader.zbd: the file is neither the original")
                && printed.contains(refused),
            "{printed}"
        );
        assert_eq!(keys(&dir), foreign);
        run(dir.path(), "mod apply two.refitmod --to game --force").code(0);
        assert_eq!(
            fs::read(at(&dir, "game/zbd/reader.zbd.orig.2")).unwrap(),
            foreign,
            "{edit}"
        );
        run(dir.path(), "mod remove two --from game").code(0);
        fs::remove_file(at(&dir, "game/zbd/reader.zbd.orig.2")).unwrap();
    }
}

#[test]
fn mods_are_merged_shown_unpacked_and_compared() {
    let dir = game();
    run(
        dir.path(),
        "mod merge one.refitmod two.refitmod -o both.refitmod",
    )
    .code(0);
    run(dir.path(), "mod apply both.refitmod --to game").code(0);
    assert_eq!(keys(&dir), reader(&[100, 2, 300], &[7, 8]));
    assert!(
        err(&run(
            dir.path(),
            "mod merge one.refitmod three.refitmod -o no.refitmod"
        )
        .code(1))
        .contains("conflict: one has 100, three has 101")
    );
    assert!(!at(&dir, "no.refitmod").exists());
    let printed = out(&run(dir.path(), "mod show one.refitmod").code(0));
    assert!(
        printed.contains("author: me") && printed.contains("  Keys.zrd.json: [0] → 100\n"),
        "{printed}"
    );
    // A folder does as well as a zip.
    run(dir.path(), "mod unpack one.refitmod -o folder").code(0);
    assert_eq!(names(&at(&dir, "folder")), ["changes", "mod.json", "new"]);
    run(dir.path(), "mod diff one.refitmod folder").code(0);
    assert_eq!(
        run(dir.path(), "mod diff one.refitmod three.refitmod")
            .code(3)
            .get_output()
            .status
            .code(),
        Some(3)
    );
    let text = fs::read_to_string(at(&dir, "folder/changes/zbd/reader.zbd.json")).unwrap();
    fs::write(
        at(&dir, "folder/changes/zbd/reader.zbd.json"),
        text.replace("100", "77"),
    )
    .unwrap();
    let printed = out(&run(dir.path(), "mod diff one.refitmod folder").code(3));
    assert!(
        printed.contains("- zbd/reader.zbd: Keys.zrd.json: [0] → 100")
            && printed.contains("+ zbd/reader.zbd: Keys.zrd.json: [0] → 77"),
        "{printed}"
    );
}

#[test]
fn a_mod_is_small_and_reproducible_and_an_invalid_one_is_refused() {
    let dir = game();
    assert!(fs::metadata(at(&dir, "two.refitmod")).unwrap().len() < 2048);
    let first = fs::read(at(&dir, "two.refitmod")).unwrap();
    run(dir.path(), "mod make game two -o two.refitmod --author me").code(1);
    run(
        dir.path(),
        "mod make game two -o two.refitmod --author me --force",
    )
    .code(0);
    assert_eq!(fs::read(at(&dir, "two.refitmod")).unwrap(), first);
    assert!(
        err(&run(dir.path(), "mod make game game -o no.refitmod").code(1))
            .contains("both are equal")
    );
    fs::write(at(&dir, "bad.refitmod"), b"PK no").unwrap();
    run(dir.path(), "mod check bad.refitmod").code(1);
    // A mod that would write outside of the game.
    fs::create_dir(at(&dir, "evil")).unwrap();
    for path in [
        "../out.txt",
        "/out.txt",
        "a/../../out.txt",
        "C:/out.txt",
        "a\\\\b",
    ] {
        let manifest = format!(
            r#"{{ "refitmod": 1, "name": "evil", "files": [{{ "path": "{path}", "new": "new/x" }}] }}"#
        );
        fs::create_dir_all(at(&dir, "evil/new")).unwrap();
        fs::write(at(&dir, "evil/mod.json"), manifest).unwrap();
        fs::write(at(&dir, "evil/new/x"), "x").unwrap();
        let printed = err(&run(dir.path(), "mod apply evil --to game").code(1));
        assert!(
            printed.contains("is not a path below the game's folder"),
            "{path}: {printed}"
        );
    }
    fs::write(
        at(&dir, "evil/mod.json"),
        r#"{ "refitmod": 2, "name": "new" }"#,
    )
    .unwrap();
    assert!(
        err(&run(dir.path(), "mod check evil").code(1))
            .contains("a mod of version 2; this refit reads version 1")
    );
}

/// A mod as a folder: its manifest's files, its texts of changes and its plain files.
fn mod_folder(
    dir: &tempfile::TempDir,
    name: &str,
    files: &serde_json::Value,
    texts: &[(&str, &str)],
) {
    let manifest = serde_json::json!({ "refitmod": 1, "name": name, "files": files });
    fs::create_dir_all(at(dir, name)).unwrap();
    fs::write(at(dir, name).join("mod.json"), manifest.to_string()).unwrap();
    for (path, text) in texts {
        let path = at(dir, name).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn state(bytes: &[u8]) -> serde_json::Value {
    serde_json::json!({ "bytes": bytes.len(), "sha256": refit::sha256(bytes) })
}

/// A game with a text of lines, and mods that each change some of them.
fn lines(mods: &[(&str, &[usize])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let text = |name: &str, changed: &[usize]| -> String {
        (1..=7)
            .map(|n| {
                if changed.contains(&n) {
                    format!("line {n} of {name}\n")
                } else {
                    format!("line {n}\n")
                }
            })
            .collect()
    };
    fs::create_dir(at(&dir, "game")).unwrap();
    fs::write(at(&dir, "game/cfg.ini"), text("", &[])).unwrap();
    for (name, changed) in mods {
        fs::write(at(&dir, "edited.ini"), text(name, changed)).unwrap();
        fs::create_dir_all(at(&dir, name)).unwrap();
        fs::copy(at(&dir, "edited.ini"), at(&dir, name).join("cfg.ini")).unwrap();
        run(
            dir.path(),
            &format!("mod make game {name} -o {name}.refitmod"),
        )
        .code(0);
    }
    dir
}

fn cfg(dir: &tempfile::TempDir) -> String {
    fs::read_to_string(at(dir, "game/cfg.ini")).unwrap()
}

#[test]
fn a_mod_contains_nothing_that_refit_or_git_trust() {
    let dir = game();
    let before = snapshot(&at(&dir, "game"));
    let paths = [
        "zbd/.refit-journal",
        ".refit-journal",
        "zbd/.refit-written",
        "refit-mods/one-1234.refitmod",
        "Refit-Mods.json",
        ".git/hooks/post-checkout",
        ".gitattributes",
        "zbd/reader.zbd.orig",
        "zbd/reader.zbd.orig.2",
        "con",
        "zbd/aux.txt",
        "com1",
        "a\nb",
    ];
    for path in paths {
        let _ = fs::remove_dir_all(at(&dir, "evil"));
        mod_folder(
            &dir,
            "evil",
            &serde_json::json!([{ "path": path, "result": state(b"x"), "new": "new/x" }]),
            &[("new/x", "x")],
        );
        for line in [
            "mod apply evil --to game",
            "mod check evil",
            "mod unpack evil -o out",
        ] {
            let printed = err(&run(dir.path(), line).code(1));
            assert!(
                printed.contains("is not allowed here"),
                "{path:?}: {line}: {printed}"
            );
        }
        assert_eq!(snapshot(&at(&dir, "game")), before, "{path:?}");
        assert!(!at(&dir, "out").exists());
    }
    // A file where another one needs a folder, and one twice.
    for (paths, what) in [
        (["n", "n/x"], "needs a folder, but n is a file"),
        (["n", "N"], "occurs twice"),
    ] {
        let _ = fs::remove_dir_all(at(&dir, "evil"));
        let files: Vec<_> = paths
            .iter()
            .map(|path| serde_json::json!({ "path": path, "result": state(b"x"), "new": "new/x" }))
            .collect();
        mod_folder(&dir, "evil", &files.into(), &[("new/x", "x")]);
        let printed = err(&run(dir.path(), "mod apply evil --to game").code(1));
        assert!(printed.contains(what), "{printed}");
        assert_eq!(snapshot(&at(&dir, "game")), before);
    }
    // Nor can such a mod be made, on systems that allow such a file name.
    if cfg!(not(windows)) {
        fs::create_dir_all(at(&dir, "edited/.git")).unwrap();
        fs::write(at(&dir, "edited/nul.txt"), "x").unwrap();
        let errors = err(&run(dir.path(), "mod make game edited -o evil.refitmod").code(1));
        assert!(
            errors.contains("is not allowed here") && errors.contains("--exclude"),
            "{errors}"
        );
    }
}

#[test]
fn a_journal_that_came_with_other_files_is_not_followed() {
    let dir = game();
    let shipped = keys(&dir);
    let step = serde_json::json!({ "file": "reader.zbd", "old": refit::Sum::of(&shipped), "new": "", "gone": true });
    for ready in [true, false] {
        let journal = serde_json::json!({ "refit": "0.1.0", "what": "repack", "id": "abc", "ready": ready, "files": [step] });
        fs::write(at(&dir, "game/zbd/.refit-journal"), journal.to_string()).unwrap();
        fs::write(at(&dir, "game/zbd/.refit-abc-0.old"), "mine").unwrap();
        for line in [
            "restore game/zbd",
            "restore game/zbd/reader.zbd",
            "mod apply one.refitmod --to game/zbd",
        ] {
            let printed = err(&run(dir.path(), line).code(1));
            assert!(
                printed.contains(".refit-journal") && printed.contains("refit ignores it"),
                "{line}: {printed}"
            );
            assert_eq!(keys(&dir), shipped);
            assert!(at(&dir, "game/zbd/.refit-abc-0.old").exists());
        }
    }
}

#[test]
fn a_further_mod_removes_nothing() {
    let dir = lines(&[("a", &[1]), ("b", &[1]), ("c", &[5])]);
    run(dir.path(), "mod apply a.refitmod --to game").code(0);
    run(dir.path(), "mod apply b.refitmod --to game --prefer last").code(0);
    // The conflict of the first two is decided, and the third mod has none.
    let done = run(dir.path(), "mod apply c.refitmod --to game").code(0);
    assert!(
        cfg(&dir).starts_with("line 1 of b\nline 2\n") && cfg(&dir).contains("line 5 of c\n"),
        "{}",
        cfg(&dir)
    );
    assert!(
        !err(&done).contains("error") && err(&done).contains("the last wins"),
        "{}",
        err(&done)
    );
    // Each conflict by its own later mod, whatever the last of all prefers.
    for (third, first, second) in [
        ("first", "line 1 of b", "line 5"),
        ("last", "line 1 of b", "line 5"),
    ] {
        let dir = lines(&[("a", &[1, 5]), ("b", &[1]), ("c", &[5])]);
        run(dir.path(), "mod apply a.refitmod --to game").code(0);
        run(dir.path(), "mod apply b.refitmod --to game --prefer last").code(0);
        run(
            dir.path(),
            &format!("mod apply c.refitmod --to game --prefer {third}"),
        )
        .code(0);
        let who = if third == "first" { "a" } else { "c" };
        assert!(
            cfg(&dir).starts_with(first) && cfg(&dir).contains(&format!("{second} of {who}\n")),
            "{third}: {}",
            cfg(&dir)
        );
    }
}

#[test]
fn a_decided_conflict_is_not_an_error_later() {
    let dir = lines(&[("a", &[1]), ("b", &[1]), ("c", &[7])]);
    run(
        dir.path(),
        "mod apply a.refitmod b.refitmod c.refitmod --to game --prefer first",
    )
    .code(0);
    for line in [
        "mod check --to game",
        "mod apply c.refitmod --to game",
        "mod remove c --from game",
    ] {
        let printed = err(&run(dir.path(), line).code(0));
        assert!(
            !printed.contains("error") && printed.contains("the first wins"),
            "{line}: {printed}"
        );
    }
    assert!(cfg(&dir).starts_with("line 1 of a\n"), "{}", cfg(&dir));
    // One that is not decided is.
    let printed = err(&run(dir.path(), "mod check b.refitmod --to game").code(1));
    assert!(
        printed.contains("error: cfg.ini: [0]: conflict: a has"),
        "{printed}"
    );
}

#[test]
fn a_changed_file_that_was_deleted_blocks_nothing() {
    let pristine = cfg(&lines(&[]));
    for line in [
        "mod remove a --from game",
        "mod remove a --from game --force",
        "mod remove --all --from game",
        "mod apply b.refitmod --to game",
        "mod apply b.refitmod --to game --force",
    ] {
        let dir = lines(&[("a", &[1]), ("b", &[5])]);
        run(dir.path(), "mod apply a.refitmod --to game").code(0);
        fs::remove_file(at(&dir, "game/cfg.ini")).unwrap();
        run(dir.path(), line).code(0);
        match line.contains("apply") {
            true => assert!(
                cfg(&dir).starts_with("line 1 of a\n") && cfg(&dir).contains("line 5 of b\n"),
                "{line}: {}",
                cfg(&dir)
            ),
            false => assert_eq!(cfg(&dir), pristine, "{line}"),
        }
        run(dir.path(), "mod remove --all --from game").code(0);
        assert_eq!(names(&at(&dir, "game")), ["cfg.ini"], "{line}");
    }
}

#[test]
fn thousands_of_mismatches_are_reported_in_a_few_lines() {
    let dir = game();
    let shipped = keys(&dir);
    let step = serde_json::json!("x".repeat(6));
    let change = serde_json::json!({ "at": vec![step; 30], "was": "0", "to": 1 });
    let changes = serde_json::json!({ "parts": [{ "part": "Keys.zrd.json", "changes": vec![change; 20_000] }] });
    let file = serde_json::json!({ "path": "zbd/reader.zbd", "original": state(&shipped), "changes": "changes.json" });
    mod_folder(
        &dir,
        "long",
        &serde_json::json!([file]),
        &[("changes.json", &changes.to_string())],
    );
    let printed = err(&run(dir.path(), "mod apply long --to game").code(3));
    assert!(
        printed.len() < 60_000 && printed.contains("and 19,900 further unapplied changes"),
        "{} bytes: {}",
        printed.len(),
        &printed[printed.len() - 300..]
    );
    let shown = out(&run(dir.path(), "mod show long").code(0));
    assert!(
        shown.len() < 400_000 && shown.contains("19,000 further lines"),
        "{} bytes",
        shown.len()
    );
    assert_eq!(keys(&dir), shipped);
}

#[test]
fn a_new_part_that_no_manifest_lists_is_reported() {
    let dir = game();
    let shipped = keys(&dir);
    let new = serde_json::json!({ "part": "New.zrd.json", "new": { "document": [1, 2] } });
    let edit = serde_json::json!({ "part": "Keys.zrd.json", "changes": [{ "at": [[0, sum_of("1")]], "was": sum_of("1"),
        "to": 9 }] });
    let file = serde_json::json!({ "path": "zbd/reader.zbd", "changes": "changes.json" });
    for parts in [vec![new.clone()], vec![edit, new]] {
        let changes = serde_json::json!({ "parts": parts }).to_string();
        mod_folder(
            &dir,
            "more",
            &serde_json::json!([file]),
            &[("changes.json", &changes)],
        );
        let printed = err(&run(dir.path(), "mod apply more --to game").code(3));
        assert!(
            printed.contains("New.zrd.json: not applied: it is new, but no manifest lists it"),
            "{printed}"
        );
        run(dir.path(), "mod remove more --from game").code(0);
        assert_eq!(keys(&dir), shipped);
    }
}

/// The sum of a value that is spelled so, as mods note it.
fn sum_of(text: &str) -> String {
    refit::diff::Value::parse(text).unwrap().sum()
}

/// Many new files in one folder take linear time, not quadratic.
#[test]
fn thousands_of_new_files_are_applied_and_unpacked_one_by_one() {
    let time = |count: usize| {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(at(&dir, "game")).unwrap();
        fs::create_dir_all(at(&dir, "edited/many")).unwrap();
        for i in 0..count {
            fs::write(
                at(&dir, &format!("edited/many/f{i:05}.txt")),
                format!("file {i}\n"),
            )
            .unwrap();
        }
        run(dir.path(), "mod make game edited -o many.refitmod").code(0);
        let began = Instant::now();
        run(dir.path(), "mod apply many.refitmod --to game").code(0);
        let applied = began.elapsed();
        run(dir.path(), "mod unpack many.refitmod -o folder").code(0);
        let unpacked = began.elapsed() - applied;
        assert_eq!(names(&at(&dir, "game/many")).len(), count);
        assert_eq!(names(&at(&dir, "folder/new/many")).len(), count);
        [applied, unpacked]
    };
    // Sixteen would be the square. Other programs take time too, but not always from the same run.
    let few = if cfg!(windows) { 100 } else { 750 };
    let mut seen = Vec::new();
    let fits = (0..3).any(|_| {
        let (few, many) = (time(few), time(4 * few));
        seen.push((few, many));
        few.into_iter()
            .zip(many)
            .all(|(few, many)| many < 9 * few + Duration::from_secs(1))
    });
    assert!(
        fits,
        "for these files, and for four times as many: {seen:?}"
    );
}

#[test]
fn differences_have_exit_code_3() {
    let dir = game();
    run(dir.path(), "diff game game").code(0);
    run(
        dir.path(),
        "diff game/zbd/reader.zbd game/zbd/reader.zbd --exit-code",
    )
    .code(0);
    let printed = out(&run(dir.path(), "diff game one").code(3));
    assert!(
        printed.starts_with("+ new.txt\nzbd/reader.zbd (mw reader, 360 bytes → 360 bytes)\n")
            && printed.contains("-[1, 2, 3]")
            && printed.contains("+[100, 2, 3]"),
        "{printed}"
    );
    let printed = out(&run(dir.path(), "diff game one --stat").code(3));
    assert!(
        printed.contains("  ~ Keys.zrd.json: 1 difference"),
        "{printed}"
    );
    let lines = out(&run(dir.path(), "diff game two --json").code(3));
    let objects: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects.len(), 2);
    assert_eq!(
        objects[1]["changes"][0],
        serde_json::json!({ "part": "Keys.zrd.json", "at": "[2]", "change": "set", "old": 3, "new": 300 })
    );
    // A file and its tree, before and after an edit.
    run(dir.path(), "unpack game/zbd/reader.zbd -o tree").code(0);
    run(dir.path(), "diff game/zbd/reader.zbd tree").code(0);
    fs::write(at(&dir, "tree/Keys.zrd.json"), "[1, 2, 4]").unwrap();
    assert!(out(&run(dir.path(), "diff game/zbd/reader.zbd tree").code(3)).contains("+[1, 2, 4]"));
    // Bytes that no format knows.
    fs::write(at(&dir, "a.bin"), [0, 1, 2, 3]).unwrap();
    fs::write(at(&dir, "b.bin"), [0, 1, 9, 3]).unwrap();
    assert!(out(&run(dir.path(), "diff a.bin b.bin").code(3)).contains("from 0x2: 0203 → 0903"));
    let shown = out(&run(dir.path(), "show game/zbd/reader.zbd").code(0));
    assert!(
        shown.starts_with("refit: ") && shown.contains("=== Keys.zrd.json\n[1, 2, 3]\n"),
        "{shown}"
    );
    assert_eq!(
        out(&run(dir.path(), "show game/zbd/reader.zbd Keys.zrd").code(0)),
        "[1, 2, 3]\n"
    );
    assert!(out(&run(dir.path(), "git").code(0)).contains("*.zbd -text diff=refit"));
}

/// `refit git --install` appends lines, once; originals of replaced files stay out of git.
#[test]
fn git_is_configured_to_show_files_and_ignore_originals() {
    let dir = tempfile::tempdir().unwrap();
    assert!(
        Command::new("git")
            .arg("init")
            .arg("-q")
            .current_dir(dir.path())
            .status()
            .unwrap()
            .success()
    );
    fs::write(dir.path().join(".gitignore"), "*.tmp").unwrap();
    for _ in 0..2 {
        run(dir.path(), "git --install").code(0);
        let ignored = fs::read_to_string(dir.path().join(".gitignore")).unwrap();
        assert_eq!(
            ignored,
            "*.tmp\n*.orig\n*.orig.[0-9]*\n*.[bB][iI][pP][rR][iI][vV][aA][tT][eE][kK][eE][yY]*\n"
        );
        assert!(
            fs::read_to_string(dir.path().join(".gitattributes"))
                .unwrap()
                .starts_with("*.zbd -text diff=refit\n")
        );
    }
    let set = Command::new("git")
        .args(["config", "diff.refit.textconv"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(set.stdout).unwrap().trim(), "refit show");
}

/// A program that is ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn until(what: &str, done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn watch_builds_on_every_save_and_keeps_the_last_good_file() {
    for poll in [false, true] {
        let dir = game();
        run(dir.path(), "unpack game/zbd/reader.zbd -o tree").code(0);
        let mut command = Command::new(program());
        command
            .current_dir(dir.path())
            .args(["watch", "tree", "--into", "game/zbd"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if poll {
            command.args(["--poll", "20"]);
        }
        let mut running = Running(command.spawn().unwrap());
        let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
        let mut errors = BufReader::new(running.0.stderr.take().unwrap()).lines();
        assert!(lines.next().unwrap().unwrap().starts_with("watching tree"));
        let file = at(&dir, "tree/Keys.zrd.json");
        fs::write(&file, "[9]").unwrap();
        until("a save", || keys(&dir) == reader(&[9], &[7, 8]));
        assert!(lines.next().unwrap().unwrap().contains("Keys.zrd.json"));
        // As many editors save: a new file, then a rename; and a backup of the old one.
        fs::copy(&file, at(&dir, "tree/Keys.zrd.json~")).unwrap();
        fs::write(at(&dir, "tree/.Keys.zrd.json.swp"), "x").unwrap();
        fs::write(at(&dir, "tree/4913"), "x").unwrap();
        fs::remove_file(at(&dir, "tree/4913")).unwrap();
        fs::write(at(&dir, "tree/new.tmp"), "[10, 11]").unwrap();
        fs::rename(at(&dir, "tree/new.tmp"), &file).unwrap();
        until("a rename", || keys(&dir) == reader(&[10, 11], &[7, 8]));
        // Invalid text leaves the last good file.
        fs::write(&file, "[10, 11,, 12]").unwrap();
        let printed = errors.next().unwrap().unwrap();
        assert!(
            printed.contains("Keys.zrd.json:1:") && printed.contains("stays unchanged"),
            "{printed}"
        );
        assert_eq!(keys(&dir), reader(&[10, 11], &[7, 8]));
        fs::write(at(&dir, "tree/axes.zrd.json"), "[1]").unwrap();
        fs::write(&file, "[13]").unwrap();
        until("two at once", || keys(&dir) == reader(&[13], &[1]));
        assert_eq!(
            fs::read(at(&dir, "game/zbd/reader.zbd.orig")).unwrap(),
            reader(&[1, 2, 3], &[7, 8])
        );
        drop(running);
        let left: Vec<String> = names(&at(&dir, "game/zbd"))
            .into_iter()
            .filter(|name| name.starts_with(".refit-") && name.ends_with(".tmp"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// Kills the program before each of its disk operations: after the next run the game is the old one
/// or the new one, and no file is anything else in between.
#[cfg(debug_assertions)]
fn at_every_operation(line: &str, make: impl Fn() -> tempfile::TempDir) -> usize {
    let files = |dir: &Path| -> Vec<(String, Vec<u8>)> {
        snapshot(&dir.join("game"))
            .into_iter()
            .filter(|(name, _)| {
                !name
                    .rsplit('/')
                    .next()
                    .unwrap_or(name)
                    .starts_with(".refit-")
            })
            .collect()
    };
    let old = files(make().path());
    let new = {
        let dir = make();
        run(dir.path(), line).code(0);
        files(dir.path())
    };
    assert_ne!(old, new);
    let mut operations = 0;
    loop {
        let dir = make();
        let done = refit(dir.path())
            .args(line.split(' '))
            .env("REFIT_FAIL_AT", format!("{}!", operations + 1))
            .output()
            .unwrap();
        if done.status.code() != Some(137) {
            assert!(done.status.success());
            assert_eq!(files(dir.path()), new);
            break;
        }
        operations += 1;
        // The file is the old one or the new one.
        for (name, bytes) in files(dir.path())
            .iter()
            .filter(|(name, _)| name.ends_with(".zbd"))
        {
            let known = |state: &[(String, Vec<u8>)]| {
                state
                    .iter()
                    .any(|(other, same)| other == name && same == bytes)
            };
            assert!(known(&old) || known(&new), "killed at {operations}: {name}");
        }
        // The next run finishes or undoes it: here one that changes nothing itself.
        let _ = refit(dir.path())
            .args(["mod", "remove", "nothing", "--from", "game"])
            .output()
            .unwrap();
        let now = files(dir.path());
        assert!(
            now == old || now == new,
            "killed at {operations}: {:?}",
            now.iter().map(|(name, _)| name).collect::<Vec<_>>()
        );
    }
    let mut printed = 0;
    for k in 1..=operations {
        let dir = make();
        let done = refit(dir.path())
            .args(line.split(' '))
            .env("REFIT_FAIL_AT", k.to_string())
            .output()
            .unwrap();
        let now = files(dir.path());
        match done.status.code() {
            Some(0) => assert!(now == new, "fault {k}"),
            _ => {
                printed += 1;
                assert!(
                    now == old,
                    "fault {k} of {operations}: {}",
                    String::from_utf8_lossy(&done.stderr)
                );
            }
        }
        // A file that could not be removed is reported, and the next run removes it.
        let left = |dir: &Path| -> Vec<String> {
            let all = snapshot(&dir.join("game"))
                .into_iter()
                .map(|(name, _)| name);
            all.filter(|name| name.contains(".refit-") && !name.ends_with(".refit-written"))
                .collect()
        };
        if !left(dir.path()).is_empty() {
            let printed = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(
                printed.contains("cannot be removed") || !done.status.success(),
                "fault {k}: {:?}: {printed}",
                left(dir.path())
            );
            let _ = refit(dir.path())
                .args(["mod", "remove", "nothing", "--from", "game"])
                .output()
                .unwrap();
            assert_eq!(left(dir.path()), [""; 0], "fault {k}: {printed}");
            assert!(files(dir.path()) == now, "fault {k}");
        }
    }
    assert!(printed > 0 && operations > 10, "{printed} of {operations}");
    2 * operations
}

#[cfg(debug_assertions)]
#[test]
fn a_kill_leaves_the_old_game_or_the_new_one() {
    let applied = || {
        let dir = game();
        run(dir.path(), "mod apply one.refitmod two.refitmod --to game").code(0);
        dir
    };
    let faults = at_every_operation("mod apply one.refitmod two.refitmod --to game", game)
        + at_every_operation("mod remove one --from game", applied)
        + at_every_operation("mod remove --all --from game", applied);
    assert!(faults >= 200, "only {faults} faults");
}

/// Bytes like those of sounds and pictures.
fn noise(seed: u32, len: usize) -> Vec<u8> {
    let mut x = seed.wrapping_mul(747_796_405).wrapping_add(1);
    let next = |_| {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x as u8
    };
    (0..len).map(next).collect()
}

fn wav(samples: &[u8]) -> Vec<u8> {
    by_hand::Wave::pcm(1, 11_025, 16, samples.to_vec()).file()
}

/// A package of pictures of sixteen by sixteen pixels, sixteen bits each.
fn package(pictures: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let images: Vec<_> = pictures
        .iter()
        .map(|(name, pixels)| by_hand::Image::plain(name, (16, 16), pixels.clone()))
        .collect();
    by_hand::package(&images, &[])
}

fn put(root: &Path, files: &[(&str, Vec<u8>)]) {
    for (path, bytes) in files {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), bytes).unwrap();
    }
}

/// A game, and an edited copy of it in which nearly everything new comes from the game.
fn copies() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let many: Vec<u32> = (0..400).map(|i| i * i * 7919).collect();
    let (world, raw) = (
        golden_file("gamez", "rc_odd_displays.gamez.zbd")
            .bytes
            .to_vec(),
        noise(1, 3000),
    );
    let readers = |keys: &[u32], more: &[(&str, &[u8])]| {
        let (keys, axes) = (list(keys), list(&[7, 8]));
        archive(&[&[("Keys.zrd", &keys[..]), ("axes.zrd", &axes)], more].concat())
    };
    let bank = |first: &[u8]| archive(&[("boom.wav", first), ("hit.wav", &wav(&noise(3, 800)))]);
    let text: String = (0..60)
        .map(|i| {
            format!(
                "line {i} says what line {} of the game's text says, and {i} more\n",
                i * 31 % 60
            )
        })
        .collect();
    let game: &[(&str, Vec<u8>)] = &[
        ("zbd/m1/gamez.zbd", world.clone()),
        ("zbd/m1/zrdr.zbd", readers(&many, &[("raw.dat", &raw)])),
        ("zbd/m3/zrdr.zbd", readers(&[4, 5], &[])),
        ("zbd/soundsh.zbd", bank(&wav(&noise(2, 900)))),
        ("zbd/soundsl.zbd", bank(&wav(&noise(4, 900)))),
        ("zbd/m1/rtexture4.zbd", package(&[("wall", noise(5, 512))])),
        (
            "zbd/m3/rtexture4.zbd",
            package(&[("door", noise(6, 512)), ("gate", noise(7, 512))]),
        ),
        ("notes.txt", text.clone().into_bytes()),
        ("data.bin", noise(8, 9000)),
        ("tiny.txt", b"ok".to_vec()),
    ];
    put(&dir.path().join("game"), game);
    put(&dir.path().join("edited"), game);
    let mut near = raw.clone();
    near[1500] ^= 0xff;
    let mixed = [
        &noise(8, 9000)[1000..4000],
        b"what the author wrote, which is in no file of the game at all",
        &noise(2, 900)[100..700],
    ]
    .concat();
    let edited: &[(&str, Vec<u8>)] = &[
        // An unchanged mission, another one with an edit.
        ("zbd/m2/gamez.zbd", world),
        ("zbd/m2/zrdr.zbd", readers(&many, &[("raw.dat", &raw)])),
        (
            "zbd/m4/zrdr.zbd",
            readers(&[&[77], &many[1..]].concat(), &[("raw.dat", &raw)]),
        ),
        // A reader and a plain member of another archive; a sound of another bank; a picture of
        // another package.
        (
            "zbd/m3/zrdr.zbd",
            readers(&[4, 5], &[("near.dat", &near), ("other.zrd", &list(&many))]),
        ),
        ("zbd/soundsl.zbd", bank(&wav(&noise(2, 900)))),
        (
            "zbd/m3/rtexture4.zbd",
            package(&[("door", noise(6, 512)), ("gate", noise(5, 512))]),
        ),
        // Plain files: a text with an edit, pieces of several files, a tiny one.
        (
            "more/notes.txt",
            text.replace("line 30 says", "line 30 shouts").into_bytes(),
        ),
        ("mixed.bin", mixed),
        ("more/tiny.txt", b"ok".to_vec()),
    ];
    put(&dir.path().join("edited"), edited);
    dir
}

/// The search in the mods of all tests finds the game's bytes in a mod that contains them, plain or
/// as digits.
#[test]
fn the_mods_of_tests_are_searched_for_game_data() {
    let dir = copies();
    let words = ["refit", "mod", "make", "game", "edited", "-o", "m.refitmod"];
    run(dir.path(), &words[1..].join(" ")).code(0);
    let made = refit::mods::load(&at(&dir, "m.refitmod")).unwrap();
    let wave = fs::read(at(&dir, "game/zbd/soundsl.zbd")).unwrap();
    for held in [
        wave.clone(),
        format!("{{\"bytes\": \"{}\"}}", lower_hex(&wave)).into(),
    ] {
        let files = [("changes/0.json".to_owned(), held.into())].into();
        let whole = refit::mods::to_zip(&refit::mods::Mod {
            files,
            ..made.clone()
        })
        .unwrap();
        fs::write(at(&dir, "m.refitmod"), whole).unwrap();
        let found = std::panic::catch_unwind(|| leaks::check(dir.path(), &words)).unwrap_err();
        assert!(
            found
                .downcast_ref::<String>()
                .unwrap()
                .contains("bytes of zbd/soundsl.zbd at ")
        );
    }
}

fn lower_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn content_copied_from_the_game_is_not_in_the_mod() {
    let dir = copies();
    let printed = out(&run(dir.path(), "mod make game edited -o m.refitmod").code(0));
    assert!(printed.starts_with("m.refitmod (9 files, "), "{printed}");
    let made = refit::mods::load(&at(&dir, "m.refitmod")).unwrap();
    let original = Original::below(&at(&dir, "game"));
    assert_eq!(original.in_mod(&made), Vec::<String>::new());
    // The detector finds game data: a mod of the same files that contains them.
    let whole = made.manifest.files.iter().map(|entry| {
        (
            format!("new/{}", entry.path),
            fs::read(at(&dir, "edited").join(&entry.path)).unwrap(),
        )
    });
    let whole = refit::mods::Mod {
        files: whole.map(|(path, bytes)| (path, bytes.into())).collect(),
        ..made.clone()
    };
    let found = original.in_mod(&whole);
    assert_eq!(found.len(), 8, "{found:?}");
    // Besides references to the game, it contains the author's text.
    let held: usize = made.files.values().map(|bytes| bytes.len()).sum();
    assert!(held < 100, "{held}");
    let shown = out(&run(dir.path(), "mod show m.refitmod").code(0));
    for line in [
        "zbd/m2/gamez.zbd:\n  new: a copy of zbd/m1/gamez.zbd\n",
        "zbd/m2/zrdr.zbd:\n  new: a copy of zbd/m1/zrdr.zbd\n",
        "zbd/m4/zrdr.zbd:\n  new, from zbd/m1/zrdr.zbd with 1 change\n  Keys.zrd.json: [0] → 77\n",
        "  other.zrd.json: new: a copy of zbd/m1/zrdr.zbd: Keys.zrd.json\n",
        "  near.dat: new, with parts of zbd/m1/zrdr.zbd\n",
        "more/notes.txt:\n  new, from notes.txt with 1 change\n",
        "more/tiny.txt:\n  new: a copy of tiny.txt\n",
        "mixed.bin:\n  new, from data.bin with 1 change\n  with parts of data.bin, zbd/soundsh.zbd; 61 bytes of it are \
        new\n",
        "  boom.wav: with parts of zbd/soundsl.zbd: boom.wav, zbd/soundsh.zbd; 0 bytes of it are new\n",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(
        shown.contains(
            "gate.png: with parts of zbd/m3/rtexture4.zbd: images/gate.png, zbd/m1/rtexture4.zbd: images/wall.png;"
        ),
        "{shown}"
    );
    // It produces the author's files, from a zip and from a folder, and can be removed.
    let before = snapshot(&at(&dir, "game"));
    run(dir.path(), "mod unpack m.refitmod -o folder").code(0);
    for form in ["m.refitmod", "folder"] {
        run(dir.path(), &format!("mod check {form} --to game")).code(0);
        run(dir.path(), &format!("mod apply {form} --to game")).code(0);
        for (path, bytes) in snapshot(&at(&dir, "edited")) {
            assert!(
                fs::read(at(&dir, "game").join(&path)).unwrap() == bytes,
                "{form}: {path}"
            );
        }
        // The applied mod is kept in its original form.
        let kept = snapshot(&at(&dir, "game/refit-mods"));
        assert_eq!(refit::mods::from_zip(&kept[0].1).unwrap(), made);
        run(dir.path(), "mod apply m.refitmod --to game").code(0);
        run(dir.path(), "mod remove m --from game").code(0);
        assert_eq!(snapshot(&at(&dir, "game")), before);
    }
    run(dir.path(), "mod diff m.refitmod folder").code(0);
}

/// A mod that repeats a little content many times is refused when it is applied: so no such mod is
/// made.
#[test]
fn a_file_that_only_repeats_the_game_is_refused_by_name() {
    for new in ["data.bin", "more.bin"] {
        let dir = tempfile::tempdir().unwrap();
        for game in ["game", "edited"] {
            put(&at(&dir, game), &[("data.bin", noise(1, 200_000))]);
        }
        put(&at(&dir, "edited"), &[(new, noise(1, 200_000).repeat(120))]);
        let errors = err(&run(dir.path(), "mod make game edited -o m.refitmod").code(1));
        assert!(
            errors.contains(&format!("{new}: this repeats the game's bytes so often"))
                && errors.contains("--exclude"),
            "{errors}"
        );
        assert!(
            !errors.contains("internal") && !at(&dir, "m.refitmod").exists(),
            "{errors}"
        );
        put(&at(&dir, "edited"), &[(new, noise(1, 200_000).repeat(7))]);
        run(dir.path(), "mod make game edited -o m.refitmod").code(0);
        run(dir.path(), "mod apply m.refitmod --to game").code(0);
        assert!(fs::read(at(&dir, &format!("game/{new}"))).unwrap() == noise(1, 200_000).repeat(7));
    }
}

#[test]
fn a_mod_of_a_copy_reports_missing_parts_and_merges() {
    let dir = copies();
    run(dir.path(), "mod make game edited -o m.refitmod").code(0);
    // With a mod that changes the files that the copies are from: these are copies of the pristine
    // ones.
    fs::create_dir_all(at(&dir, "other")).unwrap();
    put(
        &at(&dir, "other"),
        &snapshot(&at(&dir, "game"))
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.clone()))
            .collect::<Vec<_>>(),
    );
    fs::write(at(&dir, "other/zbd/m1/zrdr.zbd"), reader(&[1], &[2])).unwrap();
    fs::write(
        at(&dir, "other/zbd/soundsh.zbd"),
        archive(&[("hit.wav", &wav(&noise(3, 800)))]),
    )
    .unwrap();
    run(dir.path(), "mod make game other -o other.refitmod").code(0);
    run(dir.path(), "mod apply other.refitmod --to game").code(0);
    run(dir.path(), "mod apply m.refitmod --to game").code(0);
    let is = |path: &str, like: &str| {
        assert!(
            fs::read(at(&dir, path)).unwrap() == fs::read(at(&dir, like)).unwrap(),
            "{path}"
        )
    };
    is("game/zbd/m2/zrdr.zbd", "edited/zbd/m2/zrdr.zbd");
    is("game/zbd/m1/zrdr.zbd", "other/zbd/m1/zrdr.zbd");
    is("game/mixed.bin", "edited/mixed.bin");
    run(dir.path(), "mod remove --all --from game").code(0);
    // One mod of both.
    run(
        dir.path(),
        "mod merge m.refitmod other.refitmod -o both.refitmod",
    )
    .code(0);
    run(dir.path(), "mod apply both.refitmod --to game").code(0);
    is("game/zbd/m4/zrdr.zbd", "edited/zbd/m4/zrdr.zbd");
    is("game/mixed.bin", "edited/mixed.bin");
    is("game/zbd/m1/zrdr.zbd", "other/zbd/m1/zrdr.zbd");
    run(dir.path(), "mod remove --all --from game").code(0);
    run(
        dir.path(),
        "mod merge m.refitmod m.refitmod -o twice.refitmod",
    )
    .code(0);
    run(
        dir.path(),
        "mod merge other.refitmod m.refitmod -o turned.refitmod",
    )
    .code(0);
    // A missing file, and one of another edition: the parts that need them are reported, the rest
    // is done.
    fs::remove_file(at(&dir, "game/zbd/m1/gamez.zbd")).unwrap();
    fs::write(at(&dir, "game/zbd/soundsh.zbd"), b"another edition").unwrap();
    let printed = err(&run(dir.path(), "mod apply m.refitmod --to game").code(3));
    let lacks = "zbd/m2/gamez.zbd: not applied: it is made from zbd/m1/gamez.zbd, which the game does not have (m)";
    assert!(printed.contains(lacks), "{printed}");
    let edition = "mixed.bin: not applied: it is made from zbd/soundsh.zbd, which is another edition here (m)";
    assert!(
        printed.contains(edition)
            && printed.contains("zbd/soundsl.zbd: boom.wav: not applied: it is made from"),
        "{printed}"
    );
    assert!(!at(&dir, "game/zbd/m2/gamez.zbd").exists() && !at(&dir, "game/mixed.bin").exists());
    is("game/zbd/m2/zrdr.zbd", "edited/zbd/m2/zrdr.zbd");
    run(dir.path(), "mod remove --all --from game").code(0);
    // A mod that would read outside of the game.
    let text = r#"{ "refitmod": 1, "name": "evil", "files": [{ "path": "x", "base": { "path": "../y",
    "original": { "bytes": 1, "sha256": "" } } }] }"#;
    fs::create_dir(at(&dir, "evil")).unwrap();
    fs::write(at(&dir, "evil/mod.json"), text).unwrap();
    assert!(
        err(&run(dir.path(), "mod apply evil --to game").code(1))
            .contains("is not a path below the game's folder")
    );
}

#[test]
fn many_changes_take_linear_time() {
    // Before, twice as many took four times as long, and these more than an hour.
    let dir = tempfile::tempdir().unwrap();
    let text = |word: &str| {
        (0..20_000)
            .map(|i| format!("{word} {i} of a text with many lines\n"))
            .collect::<String>()
    };
    for (name, word) in [("game", "line"), ("edited", "row")] {
        fs::create_dir_all(at(&dir, name)).unwrap();
        fs::write(at(&dir, name).join("lines.txt"), text(word)).unwrap();
    }
    let began = Instant::now();
    run(dir.path(), "mod make game edited -o m.refitmod").code(0);
    run(dir.path(), "mod check m.refitmod --to game").code(0);
    run(dir.path(), "mod apply m.refitmod --to game").code(0);
    assert!(
        began.elapsed() < Duration::from_secs(120),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(
        fs::read_to_string(at(&dir, "game/lines.txt")).unwrap(),
        text("row")
    );
}

#[test]
fn an_old_mod_with_a_whole_new_file_still_applies() {
    let dir = copies();
    fs::create_dir_all(at(&dir, "old/new")).unwrap();
    let bytes = fs::read(at(&dir, "game/zbd/m1/gamez.zbd")).unwrap();
    fs::write(at(&dir, "old/new/gamez.zbd"), &bytes).unwrap();
    let sum = refit::sha256(&bytes);
    let state = format!(r#"{{ "bytes": {}, "sha256": "{sum}" }}"#, bytes.len());
    let entry =
        format!(r#"{{ "path": "zbd/m2/gamez.zbd", "result": {state}, "new": "new/gamez.zbd" }}"#);
    fs::write(
        at(&dir, "old/mod.json"),
        format!(r#"{{ "refitmod": 1, "name": "old", "files": [{entry}] }}"#),
    )
    .unwrap();
    run(dir.path(), "mod apply old --to game").code(0);
    assert_eq!(fs::read(at(&dir, "game/zbd/m2/gamez.zbd")).unwrap(), bytes);
}

#[test]
fn a_mod_for_another_game_is_not_applied() {
    let dir = game();
    fs::create_dir_all(at(&dir, "elsewhere")).unwrap();
    fs::write(at(&dir, "elsewhere/readme.txt"), "x").unwrap();
    let done = run(dir.path(), "mod apply two.refitmod --to elsewhere").code(1);
    assert_eq!(out(&done), "");
    assert!(
        err(&done).contains("none of the files of two are in elsewhere; nothing was written"),
        "{}",
        err(&done)
    );
    assert_eq!(names(&at(&dir, "elsewhere")), ["readme.txt"]);
    // A conflict is reported once, and nothing is reported as changed.
    let done = run(
        dir.path(),
        "mod apply one.refitmod three.refitmod --to game",
    )
    .code(1);
    assert!(
        out(&done).is_empty() && err(&done).matches("conflict: one has").count() == 1,
        "{}{}",
        out(&done),
        err(&done)
    );
}

#[test]
fn places_in_readers_are_spelled_by_their_names() {
    let dir = tempfile::tempdir().unwrap();
    let text = |speed: &str| format!("[[\"TABLE\", [\"KEY_1\", {speed}], [\"KEY_2\", 2]]]");
    for (name, speed) in [("a", "1"), ("b", "5"), ("c", "6")] {
        fs::write(
            dir.path().join(format!("{name}.zbd")),
            archive(&[("t.zrd", &list(&[1]))]),
        )
        .unwrap();
        refit(dir.path())
            .args(["put", &format!("{name}.zbd"), "t.zrd", "--no-backup"])
            .write_stdin(text(speed))
            .assert()
            .code(0);
    }
    for name in ["b", "c"] {
        run(
            dir.path(),
            &format!("mod make a.zbd {name}.zbd -o {name}.refitmod"),
        )
        .code(0);
    }
    let shown = out(&run(dir.path(), "mod show b.refitmod").code(0));
    assert!(
        shown.contains("  t.zrd.json: TABLE › KEY_1 → 5\n"),
        "{shown}"
    );
    let printed = err(&run(dir.path(), "mod apply b.refitmod c.refitmod --to a.zbd").code(1));
    assert!(
        printed.contains("t.zrd.json: TABLE › KEY_1: conflict: b has 5, c has 6"),
        "{printed}"
    );
}

#[test]
fn differences_are_those_of_the_edit() {
    // The same file in the folders of two games; two libraries of messages with one changed text.
    let dir = game();
    fs::create_dir_all(at(&dir, "x/zbd/c1")).unwrap();
    fs::write(at(&dir, "x/a.zbd"), reader(&[1, 2], &[3])).unwrap();
    fs::write(at(&dir, "x/zbd/c1/reader.zbd"), reader(&[1, 9], &[3])).unwrap();
    let printed = out(&run(dir.path(), "diff x/a.zbd x/zbd/c1/reader.zbd").code(3));
    assert!(
        printed.ends_with("  1 difference\n") && !printed.contains("refit.json"),
        "{printed}"
    );
    let dll = golden_file("messages", "mw_basic_en.dll");
    fs::write(at(&dir, "Mech3Msg.dll"), &dll.bytes).unwrap();
    fs::create_dir(at(&dir, "y")).unwrap();
    run(dir.path(), "unpack Mech3Msg.dll -o tree").code(0);
    let (name, text) = {
        let text = fs::read_to_string(at(&dir, "tree/messages.json")).unwrap();
        let from = text.find("\"text\": \"").unwrap() + 9;
        (
            "messages.json",
            format!("{}Longer {}", &text[..from], &text[from..]),
        )
    };
    fs::write(at(&dir, "tree").join(name), text).unwrap();
    run(dir.path(), "repack tree -o y/Mech3Msg.dll").code(0);
    let printed = out(&run(dir.path(), "diff Mech3Msg.dll y/Mech3Msg.dll").code(3));
    assert!(
        printed.ends_with("  1 difference\n") && !printed.contains("base"),
        "{printed}"
    );
}
