//! The program as a process: arguments, output, exit codes, and what stands on the disk afterwards, whatever happened in between.

use assert_cmd::assert::Assert;
use roundtrip_tests::process::{archive, err, list, names, out, program, refit, run, snapshot};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

fn objects(assert: &Assert) -> Vec<Value> {
    out(assert).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `plain` with other lists for the first and for the last member.
fn with(keys: &[u32], second_twin: &[u32]) -> Vec<u8> {
    archive(&[("Keys.zrd", &list(keys)), ("axes.zrd", &list(&[7])), ("twin.zrd", &list(&[1])), ("twin.zrd", &list(second_twin))])
}

fn plain() -> Vec<u8> {
    with(&[156, 30], &[2])
}

/// An archive that takes a while: many members of a size that a disk notices.
fn big() -> Vec<u8> {
    let members: Vec<(String, Vec<u8>)> =
        (0..800u32).map(|i| (format!("m{i:04}.zrd"), list(&(0..600).map(|n| n * i).collect::<Vec<_>>()))).collect();
    archive(&members.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect::<Vec<_>>())
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn with_plain() -> (tempfile::TempDir, PathBuf) {
    let dir = folder();
    let file = dir.path().join("reader.zbd");
    fs::write(&file, plain()).unwrap();
    (dir, file)
}

#[test]
fn unpack_and_repack_give_the_same_file_in_both_spellings() {
    let (dir, file) = with_plain();
    for text in ["json", "ron"] {
        let tree = format!("tree-{text}");
        run(dir.path(), &format!("unpack reader.zbd -o {tree} --as {text}")).code(0);
        assert!(dir.path().join(&tree).join(format!("refit.{text}")).is_file());
        let done = run(dir.path(), &format!("repack {tree} -o back.{text}")).code(0);
        assert!(out(&done).contains("identical to the original"), "{}", out(&done));
        assert_eq!(fs::read(dir.path().join(format!("back.{text}"))).unwrap(), fs::read(&file).unwrap());
    }
}

#[test]
fn unpack_without_a_target_stands_beside_the_file() {
    let (dir, _) = with_plain();
    fs::write(dir.path().join("plain"), plain()).unwrap();
    run(dir.path(), "unpack reader.zbd").code(0);
    run(dir.path(), "unpack plain").code(0);
    assert!(dir.path().join("reader/refit.json").is_file());
    assert!(dir.path().join("plain.tree/refit.json").is_file());
    // Another thing is called `sounds`, and another file's tree `reader`.
    fs::create_dir(dir.path().join("sounds")).unwrap();
    fs::write(dir.path().join("sounds/note.txt"), "mine").unwrap();
    fs::write(dir.path().join("sounds.zbd"), plain()).unwrap();
    fs::write(dir.path().join("reader.mw3"), plain()).unwrap();
    run(dir.path(), "unpack sounds.zbd reader.mw3 --force").code(0);
    assert!(dir.path().join("sounds.zbd.tree/refit.json").is_file());
    assert!(dir.path().join("reader.mw3.tree/refit.json").is_file());
    assert_eq!(names(&dir.path().join("sounds")), ["note.txt"]);
}

#[test]
fn several_files_get_a_tree_each() {
    let dir = folder();
    for place in ["c1", "c2"] {
        fs::create_dir(dir.path().join(place)).unwrap();
        fs::write(dir.path().join(place).join("reader.zbd"), plain()).unwrap();
    }
    fs::write(dir.path().join("one.zbd"), plain()).unwrap();
    run(dir.path(), "unpack c1/reader.zbd c2/reader.zbd one.zbd -o trees").code(0);
    for tree in ["c1/reader", "c2/reader", "one"] {
        assert!(dir.path().join("trees").join(tree).join("refit.json").is_file(), "{tree}");
    }
    run(dir.path(), "repack trees/c1/reader trees/one -o back/").code(0);
    assert_eq!(names(&dir.path().join("back")), ["one.zbd", "reader.zbd"]);
    // A folder stands for the files below it, in its own shape.
    run(dir.path(), "unpack . -o all --include c?/reader.zbd").code(0);
    // Equal files have one tree.
    assert_eq!(names(&dir.path().join("all")), [".refit", "c1", "refit.json"]);
    assert!(dir.path().join("all/c1/reader.zbd/refit.json").is_file());
}

#[test]
fn what_exists_is_not_touched_without_force() {
    let (dir, file) = with_plain();
    run(dir.path(), "unpack reader.zbd").code(0);
    fs::write(dir.path().join("reader/Keys.zrd.json"), "[1]\n").unwrap();
    let before = snapshot(dir.path());
    let again = run(dir.path(), "unpack reader.zbd").code(1);
    assert!(err(&again).contains("--force"), "{}", err(&again));
    let over = run(dir.path(), "repack reader").code(1);
    assert!(err(&over).contains("reader.zbd: the file exists already"), "{}", err(&over));
    assert_eq!(snapshot(dir.path()), before);
    // A folder that is not refit's is not replaced even with --force.
    fs::create_dir(dir.path().join("mine")).unwrap();
    fs::write(dir.path().join("mine/diary.txt"), "dear").unwrap();
    run(dir.path(), "unpack reader.zbd -o mine --force").code(1);
    assert_eq!(fs::read_to_string(dir.path().join("mine/diary.txt")).unwrap(), "dear");

    // Nor a tree with a history in it.
    fs::create_dir(dir.path().join("reader/.git")).unwrap();
    run(dir.path(), "unpack reader.zbd --force").code(1);
    fs::remove_dir(dir.path().join("reader/.git")).unwrap();

    run(dir.path(), "repack reader --force").code(0);
    assert_eq!(fs::read(&file).unwrap(), with(&[1], &[2]));
    assert_eq!(fs::read(dir.path().join("reader.zbd.orig")).unwrap(), plain());
    // The original is the first one, however often the file is replaced.
    fs::write(dir.path().join("reader/Keys.zrd.json"), "[2]\n").unwrap();
    run(dir.path(), "repack reader --force").code(0);
    assert_eq!(fs::read(&file).unwrap(), with(&[2], &[2]));
    assert_eq!(fs::read(dir.path().join("reader.zbd.orig")).unwrap(), plain());

    run(dir.path(), "restore reader.zbd --dry-run").code(0);
    assert!(dir.path().join("reader.zbd.orig").exists());
    run(dir.path(), "restore .").code(0);
    assert_eq!(fs::read(&file).unwrap(), plain());
    assert!(!dir.path().join("reader.zbd.orig").exists());
    run(dir.path(), "restore reader.zbd").code(1);
}

#[test]
fn a_read_only_file_stays() {
    let (dir, file) = with_plain();
    run(dir.path(), "unpack reader.zbd").code(0);
    let mut permissions = fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).unwrap();
    fs::write(dir.path().join("reader/axes.zrd.json"), "[8]\n").unwrap();
    for line in ["repack reader --force", "put reader.zbd axes.zrd reader/axes.zrd.json"] {
        let done = run(dir.path(), line).code(1);
        assert!(err(&done).contains("reader.zbd: the file is read-only"), "{}", err(&done));
    }
    assert_eq!(fs::read(&file).unwrap(), plain());
    assert_eq!(names(dir.path()), ["reader", "reader.zbd"]);
}

#[test]
fn what_stands_behind_a_link_is_replaced_where_it_is() {
    let (dir, file) = with_plain();
    fs::create_dir(dir.path().join("game")).unwrap();
    let link = dir.path().join("game/linked.zbd");
    if !roundtrip_tests::process::link("../reader.zbd", &link) {
        return;
    }
    refit(dir.path()).args(["put", "game/linked.zbd", "Keys.zrd"]).write_stdin("[3]").assert().code(0);
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read(&file).unwrap(), with(&[3], &[2]));
    run(dir.path(), "restore game/linked.zbd").code(0);
    assert_eq!(fs::read(&link).unwrap(), plain());
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let dir = folder();
    let mut cut = plain();
    cut.pop();
    fs::write(dir.path().join("cut.zbd"), &cut).unwrap();
    fs::write(dir.path().join("text.txt"), "hello").unwrap();
    let before = snapshot(dir.path());
    for file in ["cut.zbd", "text.txt", "absent.zbd", "text.txt/x.zbd"] {
        let done = run(dir.path(), &format!("unpack {file} -o some/where/deep")).code(1);
        let said = err(&done);
        // Windows says that a path through a file is none, not which part of it is a file.
        assert!(said.starts_with(&format!("error: {file}: ")) && said.lines().count() == 1, "{said}");
        assert_eq!(out(&done), "");
    }
    fs::write(dir.path().join("ok.zbd"), plain()).unwrap();
    let done = run(dir.path(), "unpack ok.zbd -o text.txt/tree").code(1);
    assert!(err(&done).starts_with("error: "));
    fs::remove_file(dir.path().join("ok.zbd")).unwrap();
    assert_eq!(snapshot(dir.path()), before);
    assert_eq!(names(dir.path()), ["cut.zbd", "text.txt"]);
}

#[test]
fn dry_runs_write_nothing_and_fail_where_the_real_one_would() {
    let (dir, _) = with_plain();
    let done = run(dir.path(), "unpack reader.zbd --dry-run").code(0);
    assert!(out(&done).contains("dry run"), "{}", out(&done));
    assert_eq!(names(dir.path()), ["reader.zbd"]);
    run(dir.path(), "unpack reader.zbd").code(0);
    fs::write(dir.path().join("new.json"), "[9]").unwrap();
    let before = snapshot(dir.path());
    run(dir.path(), "unpack reader.zbd --dry-run").code(1);
    run(dir.path(), "unpack reader.zbd --dry-run --force").code(0);
    run(dir.path(), "repack reader --dry-run").code(1);
    run(dir.path(), "repack reader --dry-run --force").code(0);
    run(dir.path(), "repack reader --dry-run -o new.zbd").code(0);
    run(dir.path(), "put reader.zbd axes.zrd new.json --dry-run").code(0);
    assert_eq!(snapshot(dir.path()), before);
}

#[test]
fn keep_going_works_on_after_an_error() {
    let (dir, _) = with_plain();
    fs::write(dir.path().join("bad.zbd"), "no").unwrap();
    run(dir.path(), "unpack bad.zbd reader.zbd -o out").code(1);
    assert!(!dir.path().join("out").exists());
    run(dir.path(), "unpack bad.zbd reader.zbd -o out --keep-going").code(1);
    assert_eq!(names(&dir.path().join("out")), ["reader"]);
    run(dir.path(), "repack out out/reader -o back/").code(1);
    assert!(!dir.path().join("back").exists());
    run(dir.path(), "repack out out/reader -o back/ --keep-going").code(1);
    assert_eq!(names(&dir.path().join("back")), ["reader.zbd"]);
}

#[test]
fn verify_tells_of_every_file() {
    let (dir, _) = with_plain();
    fs::create_dir(dir.path().join("sub")).unwrap();
    fs::write(dir.path().join("sub/notes.txt"), "hello").unwrap();
    fs::write(dir.path().join("sub/other.bin"), [7u8; 40]).unwrap();
    for via in ["bytes", "json", "ron"] {
        run(dir.path(), &format!("verify reader.zbd --via {via}")).code(0);
    }
    let done = run(dir.path(), "verify --json reader.zbd sub/notes.txt sub absent.zbd").code(1);
    let told = objects(&done);
    let status: Vec<_> = told.iter().map(|o| (o["path"].as_str().unwrap(), o["status"].as_str().unwrap())).collect();
    let other = "sub/other.bin";
    // Named itself an unknown file is an error, below a folder it is skipped; in either case it is told once.
    assert_eq!(status, [("reader.zbd", "exact"), ("sub/notes.txt", "error"), (other, "unrecognised"), ("absent.zbd", "error")]);
    let exact = &told[0];
    assert_eq!(exact["format"], "reader");
    assert_eq!(exact["bytes"], plain().len());
    assert_eq!(exact["sha256"], refit::sha256(&plain()));
    assert!(exact["findings"].is_u64());
    for object in &told {
        assert!(object.as_object().unwrap().values().all(|v| !v.is_null()), "{object}");
        assert_eq!(object["error"].is_string(), object["status"] == "error");
        assert_eq!(object["note"].is_string(), object["status"] == "unrecognised");
    }
    let human = run(dir.path(), "verify . -j 2").code(0);
    assert!(out(&human).contains("1 file exact, 2 not recognised and skipped"), "{}", out(&human));
}

#[test]
fn a_wildcard_that_the_shell_left_alone_is_expanded() {
    let (dir, _) = with_plain();
    fs::create_dir_all(dir.path().join("a/b")).unwrap();
    fs::write(dir.path().join("a/b/deep.zbd"), plain()).unwrap();
    fs::write(dir.path().join("a/[odd].zbd"), plain()).unwrap();
    let paths = |line: &str| -> Vec<String> {
        objects(&run(dir.path(), line).code(0)).iter().map(|o| o["path"].as_str().unwrap().replace('\\', "/")).collect()
    };
    assert_eq!(paths("verify --json *.zbd"), ["reader.zbd"]);
    assert_eq!(paths("verify --json ./read?r.*"), ["./reader.zbd"]);
    assert_eq!(paths("verify --json a/**/*.zbd"), ["a/[odd].zbd", "a/b/deep.zbd"]);
    // A name that looks like a pattern, and exists, is a name.
    assert_eq!(paths("verify --json a/[odd].zbd"), ["a/[odd].zbd"]);
    // What the shell has expanded is filtered like what refit finds.
    assert_eq!(paths("verify --json reader.zbd a/b/deep.zbd --exclude deep*"), ["reader.zbd"]);
    assert_eq!(paths("verify --json reader.zbd a/b/deep.zbd --include a/**"), ["a/b/deep.zbd"]);
    let none = run(dir.path(), "verify *.pbo").code(1);
    assert!(err(&none).contains("*.pbo: nothing matches"), "{}", err(&none));
}

#[test]
fn get_and_put_work_on_one_member() {
    let (dir, file) = with_plain();
    let text = out(&run(dir.path(), "get reader.zbd keys.ZRD").code(0));
    assert_eq!(text, "[156, 30]\n");
    let raw = run(dir.path(), "get reader.zbd #0 --raw").code(0);
    assert_eq!(raw.get_output().stdout, list(&[156, 30]));
    run(dir.path(), "get reader.zbd axes.zrd -o axes.json").code(0);
    assert_eq!(fs::read_to_string(dir.path().join("axes.json")).unwrap(), "[7]\n");
    run(dir.path(), "get reader.zbd axes.zrd -o axes.json").code(1);

    for (line, code, said) in [
        ("get reader.zbd twin.zrd", 1, "#2, #3"),
        ("get reader.zbd twin", 1, "twin.zrd"),
        ("get reader.zbd #4", 1, "4 members"),
        ("get reader.zbd", 2, "NAME"),
    ] {
        let done = run(dir.path(), line).code(code);
        assert!(err(&done).contains(said), "{}", err(&done));
    }

    // Through a pipe, as `refit get … | sed … | refit put …`.
    refit(dir.path()).args(["put", "reader.zbd", "Keys.zrd"]).write_stdin(text.replace("156", "157")).assert().code(0);
    assert_eq!(fs::read(&file).unwrap(), with(&[157, 30], &[2]));
    assert_eq!(fs::read(dir.path().join("reader.zbd.orig")).unwrap(), plain());
    fs::write(dir.path().join("longer.bin"), list(&[1, 2, 3])).unwrap();
    run(dir.path(), "put reader.zbd #3 longer.bin --raw").code(0);
    assert_eq!(fs::read(&file).unwrap(), with(&[157, 30], &[1, 2, 3]));

    // What does not parse changes nothing, and the place is named.
    let before = snapshot(dir.path());
    let bad = refit(dir.path()).args(["put", "reader.zbd", "axes.zrd"]).write_stdin("[7,\n oops]").assert().code(1);
    assert!(err(&bad).contains("standard input:2:"), "{}", err(&bad));
    assert_eq!(snapshot(dir.path()), before);

    run(dir.path(), "restore reader.zbd").code(0);
    assert_eq!(fs::read(&file).unwrap(), plain());
}

#[test]
fn list_and_info_show_what_is_in_a_file() {
    let (dir, _) = with_plain();
    let rows = objects(&run(dir.path(), "list reader.zbd --json").code(0));
    assert_eq!(rows.len(), 4);
    assert_eq!((&rows[1]["name"], &rows[1]["index"], &rows[1]["bytes"]), (&"axes.zrd".into(), &1.into(), &16.into()));
    let lines = out(&run(dir.path(), "list reader.zbd --include twin*").code(0));
    assert_eq!(lines.lines().count(), 2);
    let info = &objects(&run(dir.path(), "info reader.zbd --json").code(0))[0];
    assert_eq!((&info["format"], &info["status"]), (&"reader".into(), &"exact".into()));
    assert_eq!(info["info"]["members"], 4);
    let human = out(&run(dir.path(), "info reader.zbd").code(0));
    assert!(human.contains("round trip  exact"), "{human}");
    run(dir.path(), "info absent.zbd").code(1);
}

#[test]
fn lint_and_status_end_with_three_when_there_is_something() {
    let (dir, _) = with_plain();
    let found = run(dir.path(), "lint reader.zbd").code(3);
    assert!(out(&found).starts_with("reader.zbd: unusual [archive-shadowed]"), "{}", out(&found));
    let rows = objects(&run(dir.path(), "lint reader.zbd --json").code(3));
    assert_eq!(rows[0]["code"], "archive-shadowed");
    fs::write(dir.path().join("clean.zbd"), archive(&[("a.zrd", &list(&[1]))])).unwrap();
    let clean = run(dir.path(), "lint clean.zbd").code(0);
    assert!(out(&clean).starts_with("nothing unusual in 1 file"), "{}", out(&clean));
    run(dir.path(), "lint --explain archive-shadowed").code(0);
    run(dir.path(), "lint --explain no-such-code").code(1);
    assert!(out(&run(dir.path(), "lint --explain").code(0)).contains("odd-value"));

    run(dir.path(), "unpack reader.zbd").code(0);
    run(dir.path(), "lint reader").code(3);
    run(dir.path(), "status reader").code(0);
    fs::write(dir.path().join("reader/axes.zrd.json"), "[8]\n").unwrap();
    fs::remove_file(dir.path().join("reader/Keys.zrd.json")).unwrap();
    fs::write(dir.path().join("reader/new.txt"), "x").unwrap();
    let rows = objects(&run(dir.path(), "status reader --json").code(3));
    let told: Vec<_> = rows.iter().map(|o| (o["file"].as_str().unwrap(), o["status"].as_str().unwrap())).collect();
    assert_eq!(told, [("Keys.zrd.json", "deleted"), ("axes.zrd.json", "modified"), ("new.txt", "added")]);
    run(dir.path(), "status .").code(1);
    // A file that the manifest names is missing: said plainly, nothing written.
    let gone = run(dir.path(), "repack reader -o x.zbd").code(1);
    assert!(err(&gone).contains("Keys.zrd.json: the tree has no such file"), "{}", err(&gone));
    assert!(!dir.path().join("x.zbd").exists());
}

#[test]
fn export_makes_a_folder_of_views() {
    let dir = folder();
    let golden = |file: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden").join(file);
    for (from, to) in [
        ("mechlib/mw_twins.mechlib.zbd", "mechlib.zbd"),
        ("textures/rc_one.zbd", "texture.zbd"),
        ("motion/motion_mw_plain.zbd", "motion.zbd"),
    ] {
        fs::copy(golden(from), dir.path().join(to)).unwrap();
    }
    let with = "--with texture.zbd --with motion.zbd";
    let dry = run(dir.path(), &format!("export mechlib.zbd -o mechs {with} --dry-run")).code(0);
    assert!(out(&dry).contains("twin.glb, twin~2.glb, not written") && !dir.path().join("mechs").exists(), "{}", out(&dry));
    run(dir.path(), &format!("export mechlib.zbd -o mechs {with}")).code(0);
    let made = fs::read(dir.path().join("mechs/twin~2.glb")).unwrap();
    assert!(made.starts_with(b"glTF\x02\0\0\0"));
    // A tree gives the same views as its file; what exists is not touched without --force.
    run(dir.path(), "unpack mechlib.zbd -o tree").code(0);
    let again = run(dir.path(), &format!("export tree -o mechs {with}")).code(1);
    assert!(err(&again).contains("exists already"), "{}", err(&again));
    run(dir.path(), &format!("export tree -o mechs {with} --force")).code(0);
    assert_eq!(fs::read(dir.path().join("mechs/twin~2.glb")).unwrap(), made);
    let wrong = run(dir.path(), "export mechlib.zbd -o others --with mechlib.zbd").code(1);
    assert!(err(&wrong).contains("--with, file 1") && !dir.path().join("others").exists(), "{}", err(&wrong));
}

#[test]
fn repack_warns_of_files_that_nothing_names() {
    let (dir, _) = with_plain();
    run(dir.path(), "unpack reader.zbd").code(0);
    fs::write(dir.path().join("reader/new.zrd.json"), "[1]").unwrap();
    fs::write(dir.path().join("reader/.DS_Store"), "x").unwrap();
    let done = run(dir.path(), "repack reader -o x.zbd").code(0);
    let said = err(&done);
    assert!(said.contains("new.zrd.json") && said.lines().count() == 1, "{said}");
}

#[test]
fn a_manifest_cannot_send_the_file_elsewhere() {
    let (dir, _) = with_plain();
    run(dir.path(), "unpack reader.zbd -o in/tree").code(0);
    let manifest = dir.path().join("in/tree/refit.json");
    let text = fs::read_to_string(&manifest).unwrap();
    for name in ["../evil.zbd", "/tmp/evil.zbd", "..\\\\evil.zbd", "..", "", "C:evil"] {
        fs::write(&manifest, text.replace("\"reader.zbd\"", &format!("\"{name}\""))).unwrap();
        let before = snapshot(dir.path());
        for line in ["repack in/tree", "repack in/tree -o in", "in/tree"] {
            let done = run(dir.path(), line).code(1);
            assert!(err(&done).contains("not a plain file name"), "{}", err(&done));
        }
        assert_eq!(snapshot(dir.path()), before);
    }
    // With a name from the user it works.
    run(dir.path(), "repack in/tree -o ok.zbd").code(0);
}

#[test]
fn without_a_command_files_and_trees_are_told_apart() {
    let (dir, file) = with_plain();
    run(dir.path(), "reader.zbd").code(0);
    assert!(dir.path().join("reader/refit.json").is_file());
    run(dir.path(), "reader").code(1);
    fs::remove_file(&file).unwrap();
    run(dir.path(), "reader").code(0);
    assert_eq!(fs::read(&file).unwrap(), plain());
    run(dir.path(), ".").code(1);
}

#[test]
fn wrong_usage_is_told_apart_from_failure() {
    let (dir, _) = with_plain();
    for line in
        ["verify", "unpack", "verify --via morse reader.zbd", "--no-such-option", "get reader.zbd x --raw --as json", "repack a b -o c"]
    {
        run(dir.path(), line).code(2);
    }
    refit(dir.path()).assert().code(2);
    for line in ["--help", "--version", "help unpack", "schema", "schema motion", "completions fish", "man", "man unpack"] {
        let done = run(dir.path(), line).code(0);
        assert!(!out(&done).is_empty());
    }
    run(dir.path(), "man nothing").code(1);
    run(dir.path(), "schema nothing").code(1);
    for command in ["unpack", "repack", "verify", "info", "list", "get", "put", "lint", "status", "restore", "export", "schema", "man"] {
        let help = out(&run(dir.path(), &format!("{command} --help")).code(0));
        assert!(help.contains("Examples:"), "{command}");
    }
}

#[test]
fn names_in_files_do_not_steer_the_terminal() {
    let dir = folder();
    fs::write(dir.path().join("evil.zbd"), archive(&[("a\u{1b}]0;title\u{7}.zrd", &list(&[1])), ("a\u{1b}]0;title\u{7}.zrd", &[9, 9])]))
        .unwrap();
    for line in ["list evil.zbd", "lint evil.zbd", "info evil.zbd", "get evil.zbd a", "unpack evil.zbd", "verify evil.zbd"] {
        let done = run(dir.path(), line);
        let said = out(&done) + &err(&done);
        assert!(!said.contains(['\u{1b}', '\u{7}']), "{line}: {said:?}");
    }
}

#[test]
fn any_folder_becomes_a_pbo() {
    let dir = folder();
    let addon = dir.path().join("addon");
    fs::create_dir_all(addon.join("scripts")).unwrap();
    fs::write(addon.join("config.cpp"), "class CfgPatches {};\n").unwrap();
    fs::write(addon.join("scripts/init.sqf"), "hint \"hello\";\n".repeat(200)).unwrap();
    fs::write(addon.join("notes.psd"), "not for the game").unwrap();
    run(dir.path(), "repack addon --format pbo --prefix x\\addon --property author=me --compress *.sqf --exclude *.psd").code(0);
    let rows = objects(&run(dir.path(), "list addon.pbo --json").code(0));
    let files: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(files, ["config.cpp", "scripts\\init.sqf"]);
    assert_eq!(out(&run(dir.path(), "get addon.pbo scripts/init.sqf").code(0)), "hint \"hello\";\n".repeat(200));
    run(dir.path(), "verify addon.pbo").code(0);
    run(dir.path(), "unpack addon.pbo -o tree").code(0);
    run(dir.path(), "repack tree -o again.pbo").code(0);
    assert_eq!(fs::read(dir.path().join("again.pbo")).unwrap(), fs::read(dir.path().join("addon.pbo")).unwrap());

    // The same folder, the same archive; nothing is replaced unasked.
    run(dir.path(), "repack addon --format pbo").code(1);
    let done = run(dir.path(), "repack addon").code(1);
    assert!(err(&done).contains("--format pbo"), "{}", err(&done));
    run(dir.path(), "repack addon --prefix x").code(2);
    run(dir.path(), "repack addon --format pbo --property nothing").code(2);
}

/// Archives above 8 MiB are left on disk while they are worked on.
#[test]
fn a_large_pbo_is_worked_on_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("addon")).unwrap();
    let noise: Vec<u8> = (0..1_500_000u32).flat_map(|i| i.wrapping_mul(0x9e37_79b9).to_be_bytes()).collect();
    fs::write(at("addon/a.paa"), &noise).unwrap();
    fs::write(at("addon/b.paa"), &noise[..5_000_000]).unwrap();
    fs::write(at("addon/c.sqf"), "hint \"c\";\n".repeat(9)).unwrap();
    run(dir.path(), "repack addon --format pbo --compress *.sqf --prefix x").code(0);
    let bytes = fs::read(at("addon.pbo")).unwrap();
    assert!(bytes.len() > 11_000_000);
    run(dir.path(), "verify addon.pbo").code(0);
    run(dir.path(), "lint addon.pbo").code(0);
    let info = objects(&run(dir.path(), "info --json addon.pbo").code(0));
    assert_eq!((&info[0]["status"], &info[0]["info"]["trailer"]), (&"exact".into(), &"SHA-1, right".into()));
    assert_eq!(out(&run(dir.path(), "get addon.pbo c.sqf").code(0)), "hint \"c\";\n".repeat(9));
    let unpacked = objects(&run(dir.path(), "unpack addon.pbo -o tree --json").code(0));
    assert_eq!(unpacked[0]["sha256"].as_str(), Some(refit::sha256(&bytes).as_str()));
    assert!(fs::read(at("tree/files/b.paa")).unwrap() == noise[..5_000_000]);
    run(dir.path(), "status tree").code(0);
    run(dir.path(), "repack tree --force -o addon.pbo").code(0);
    assert!(fs::read(at("addon.pbo")).unwrap() == bytes);
    // In place, while it is open.
    fs::write(at("new"), "new").unwrap();
    run(dir.path(), "put addon.pbo b.paa new").code(0);
    assert!(fs::read(at("addon.pbo")).unwrap().len() < 7_000_000 && fs::read(at("addon.pbo.orig")).unwrap() == bytes);
    run(dir.path(), "restore addon.pbo").code(0);
    assert!(fs::read(at("addon.pbo")).unwrap() == bytes);
    // Damaged, it is refused or kept, as a small one is.
    fs::write(at("cut.pbo"), &bytes[..bytes.len() - 100]).unwrap();
    assert!(err(&run(dir.path(), "verify cut.pbo").code(1)).contains("cut.pbo: entries"));
    fs::write(at("wrong.pbo"), [&bytes[..bytes.len() - 1], b"?"].concat()).unwrap();
    run(dir.path(), "unpack wrong.pbo").code(0);
    run(dir.path(), "repack wrong -o same.pbo").code(0);
    assert!(fs::read(at("same.pbo")).unwrap() == fs::read(at("wrong.pbo")).unwrap());
}

#[test]
fn an_edit_of_a_signed_pbo_is_told() {
    let dir = tempfile::tempdir().unwrap();
    for (from, to) in [("pbo/signed.pbo", "signed.pbo"), ("bisign/signed.pbo.refit_test.v3.bisign", "signed.pbo.refit_test.bisign")] {
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden").join(from), dir.path().join(to)).unwrap();
    }
    let info = out(&run(dir.path(), "info signed.pbo").code(0));
    assert!(info.contains("fits; any change to the archive makes it worthless"), "{info}");
    fs::write(dir.path().join("new"), "hint 'changed';").unwrap();
    let put = err(&run(dir.path(), "put signed.pbo fnc_init.sqf new").code(0));
    assert!(put.contains("signed.pbo.refit_test.bisign") && put.contains("does not fit"), "{put}");
    run(dir.path(), "restore signed.pbo").code(0);
    run(dir.path(), "unpack signed.pbo -o tree").code(0);
    fs::write(dir.path().join("tree/files/fnc_init.sqf"), "hint 'changed';").unwrap();
    let repack = err(&run(dir.path(), "repack tree -o signed.pbo --force").code(0));
    assert_eq!(repack, put);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("x.pbo");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../golden/pbo/signed.pbo");
    let writer = std::thread::spawn(move || fs::copy(golden, pipe));
    assert!(out(&run(dir.path(), "list x.pbo").code(0)).contains("fnc_init.sqf"));
    writer.join().unwrap().unwrap();
}

#[test]
fn output_is_plain_in_a_pipe_and_coloured_when_asked() {
    let (dir, _) = with_plain();
    let plain = run(dir.path(), "verify reader.zbd absent.zbd");
    assert!(!out(&plain).contains('\u{1b}') && !err(&plain).contains('\u{1b}'));
    let coloured = run(dir.path(), "verify reader.zbd absent.zbd --color always");
    assert!(out(&coloured).contains('\u{1b}') && err(&coloured).contains('\u{1b}'));
    assert_eq!(out(&run(dir.path(), "verify reader.zbd -q").code(0)), "");
}

#[test]
fn a_reader_that_goes_away_is_a_quiet_end() {
    let dir = folder();
    fs::write(dir.path().join("big.zbd"), big()).unwrap();
    for line in ["list big.zbd", "get big.zbd #0", "verify big.zbd", "info big.zbd --json"] {
        let mut child = std::process::Command::new(program())
            .current_dir(dir.path())
            .args(line.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
        assert_eq!(output.status.code(), Some(0), "{line}");
    }
}

/// G5: what writes files goes on, and the exit code is that of the whole work.
#[test]
fn a_closed_pipe_does_not_end_the_work() {
    let dir = folder();
    for n in 0..40 {
        fs::create_dir_all(dir.path().join(format!("game/c{n}"))).unwrap();
        fs::write(dir.path().join(format!("game/c{n}/reader.zbd")), plain()).unwrap();
    }
    let closed = |line: &str| {
        let mut command = std::process::Command::new(program());
        command.current_dir(dir.path()).args(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        child.wait_with_output().unwrap().status.code()
    };
    fs::write(dir.path().join("game/c0/other.zbd"), "").unwrap();
    for option in ["", " --json"] {
        assert_eq!(closed(&format!("unpack game -o mod --force{option}")), Some(1));
        let manifest: serde_json::Value = serde_json::from_slice(&fs::read(dir.path().join("mod/refit.json")).unwrap()).unwrap();
        assert_eq!(manifest["files"].as_array().unwrap().len(), 40, "{option}");
        fs::remove_dir_all(dir.path().join("mod")).unwrap();
    }
    // The last file is the bad one.
    fs::rename(dir.path().join("game/c0/other.zbd"), dir.path().join("game/other.zbd")).unwrap();
    for line in ["verify game --json", "info game --json", "lint game --json"] {
        assert_eq!(closed(line), Some(1), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let (dir, _) = with_plain();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(program()).current_dir(dir.path()).args(["list", "reader.zbd"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard output"));
}

/// Runs a command and ends it after a moment, again and again with later moments; `check` judges what is left each time.
/// The number of runs that were ended before they were done is given back.
fn ended_at_all_times(folder: &Path, line: &str, end: impl Fn(&mut std::process::Child), mut check: impl FnMut()) -> usize {
    let start = || std::process::Command::new(program()).current_dir(folder).args(line.split(' ')).stdout(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    assert!(start().wait().unwrap().success());
    let whole = began.elapsed();
    check();
    let mut ended = 0;
    for step in 0..18u32 {
        let mut child = start();
        // Denser towards the end, where things are put in place.
        let part = if step < 8 { step * 11 } else { 82 + 2 * step };
        std::thread::sleep(whole * part / 100);
        end(&mut child);
        ended += usize::from(!child.wait().unwrap().success());
        check();
    }
    ended
}

fn kill(child: &mut std::process::Child) {
    let _ = child.kill();
}

#[test]
fn a_kill_during_unpack_leaves_the_old_tree_or_the_new_one() {
    let dir = folder();
    fs::write(dir.path().join("big.zbd"), big()).unwrap();
    run(dir.path(), "unpack big.zbd").code(0);
    let tree = dir.path().join("big");
    let new = snapshot(&tree);
    let edit = || fs::write(tree.join("m0000.zrd.json"), "[1]\n").unwrap();
    edit();
    let old = snapshot(&tree);
    let ended = ended_at_all_times(dir.path(), "unpack big.zbd --force", kill, || {
        let now = snapshot(&tree);
        assert!(now == old || now == new, "neither the old tree nor the new one");
        // The edited tree again, so that the next run has something to replace.
        edit();
    });
    assert!(ended > 3, "only {ended} runs were killed");
    assert_eq!(fs::read(dir.path().join("big.zbd")).unwrap(), big());
}

#[test]
fn a_kill_during_the_first_unpack_leaves_no_tree_or_a_whole_one() {
    let dir = folder();
    fs::write(dir.path().join("big.zbd"), big()).unwrap();
    run(dir.path(), "unpack big.zbd -o whole").code(0);
    let whole = snapshot(&dir.path().join("whole"));
    let tree = dir.path().join("big");
    let ended = ended_at_all_times(dir.path(), "unpack big.zbd", kill, || {
        if tree.exists() {
            assert!(snapshot(&tree) == whole, "a tree that is not whole");
            fs::remove_dir_all(&tree).unwrap();
        }
    });
    assert!(ended > 3, "only {ended} runs were killed");
}

#[test]
fn a_kill_during_repack_leaves_the_old_file_or_the_new_one() {
    let dir = folder();
    let file = dir.path().join("big.zbd");
    fs::write(&file, big()).unwrap();
    run(dir.path(), "unpack big.zbd").code(0);
    fs::write(dir.path().join("big/m0000.zrd.json"), "[1]\n").unwrap();
    run(dir.path(), "repack big -o new.zbd").code(0);
    let (old, new) = (big(), fs::read(dir.path().join("new.zbd")).unwrap());
    assert_ne!(old, new);
    let ended = ended_at_all_times(dir.path(), "repack big --force", kill, || {
        let now = fs::read(&file).unwrap();
        assert!(now == old || now == new, "neither the old file nor the new one");
        let backup = dir.path().join("big.zbd.orig");
        assert!(now == old || backup.exists(), "replaced without a copy of the original");
        if backup.exists() {
            assert!(fs::read(&backup).unwrap() == old, "the original is not whole");
            fs::remove_file(&backup).unwrap();
        }
        fs::write(&file, &old).unwrap();
    });
    assert!(ended > 3, "only {ended} runs were killed");
}

#[cfg(unix)]
#[test]
fn ctrl_c_takes_the_unfinished_files_along() {
    let dir = folder();
    fs::write(dir.path().join("big.zbd"), big()).unwrap();
    let interrupt = |child: &mut std::process::Child| {
        // Not before the program could install its handler.
        std::thread::sleep(Duration::from_millis(20));
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
    };
    let ended = ended_at_all_times(dir.path(), "unpack big.zbd", interrupt, || {
        let left = names(dir.path());
        assert!(left == ["big.zbd"] || left == ["big", "big.zbd"], "{left:?}");
        let _ = fs::remove_dir_all(dir.path().join("big"));
    });
    assert!(ended > 3, "only {ended} runs were interrupted");
}

#[test]
fn threads_are_as_many_as_help() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.zbd"), archive(&[("a.zrd", &list(&[1, 2]))])).unwrap();
    let begun = Instant::now();
    let asserted = run(dir.path(), "-j 100000 verify a.zbd").success();
    assert!(out(&asserted).contains("exact"), "{}", out(&asserted));
    assert!(begun.elapsed() < Duration::from_secs(30));
}

/// A window that Explorer opened for refit closes with it: what was said must be read first, whatever the end.
#[cfg(debug_assertions)]
#[test]
fn a_window_that_closes_waits_at_every_end() {
    let (dir, _) = with_plain();
    let cases: [(&[&str], i32); 7] = [
        (&[], 2),
        (&["--help"], 0),
        (&["--bogus"], 2),
        (&["reader.zbd"], 0),
        (&["absent.zbd"], 1),
        (&["nothing-*.zbd"], 1),
        (&["reader.zbd", "verify"], 1),
    ];
    for (arguments, code) in cases {
        let done = refit(dir.path()).args(arguments).env("REFIT_AS_IF_WINDOW_CLOSES", "1").write_stdin("\n").assert().code(code);
        assert_eq!(err(&done).matches("Press Enter to close this window.").count(), 1, "{arguments:?}: {}", err(&done));
        let done = refit(dir.path()).args(arguments).write_stdin("\n").output().unwrap();
        assert!(!String::from_utf8_lossy(&done.stderr).contains("Press Enter"), "{arguments:?}");
    }
    // A command in a window of its own is one of somebody who sees to it.
    let done = refit(dir.path()).args(["verify", "reader.zbd"]).env("REFIT_AS_IF_WINDOW_CLOSES", "1").write_stdin("").assert().code(0);
    assert!(!err(&done).contains("Press Enter"));
}

/// PowerShell 5 writes UTF-16, old editors Latin-1.
#[test]
fn what_is_not_utf_8_is_named() {
    let (dir, _) = with_plain();
    run(dir.path(), "unpack reader.zbd").code(0);
    let file = dir.path().join("reader/axes.zrd.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()).unwrap();
    let said = err(&run(dir.path(), "repack reader -o new.zbd").code(1));
    assert!(said.contains("reader/axes.zrd.json: not UTF-8 text: saved as UTF-16 (save it as UTF-8)"), "{said}");
    fs::write(&file, b"[\n\"gr\xfcn\"]\n").unwrap();
    let said = err(&run(dir.path(), "repack reader -o new.zbd").code(1));
    assert!(said.contains("axes.zrd.json:2:4: not UTF-8 text: this would be 'ü' in Windows-1252"), "{said}");
    let manifest = dir.path().join("reader/refit.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, [vec![0xff, 0xfe], text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()].concat()).unwrap();
    let said = err(&run(dir.path(), "repack reader -o new.zbd").code(1));
    assert!(said.contains("refit.json: not UTF-8 text: saved as UTF-16"), "{said}");
}
