//! No work is lost: neither an original, nor an edit, nor a file that refit did not write, whatever
//! happens at whatever moment.

use roundtrip_tests::{
    by_hand, games,
    process::{archive, err, link, list, names, out, program, refit, run, snapshot},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, SystemTime},
};

fn reader(keys: &[u32]) -> Vec<u8> {
    archive(&[("Keys.zrd", &list(keys)), ("axes.zrd", &list(&[7]))])
}

fn pristine() -> Vec<u8> {
    reader(&[156, 30])
}

/// A folder with a game's file and its tree, in which `Keys.zrd` is edited to `[1]`.
fn edited() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("reader.zbd");
    fs::write(&file, pristine()).unwrap();
    run(dir.path(), "unpack reader.zbd").code(0);
    edit(dir.path(), 1);
    (dir, file)
}

fn edit(dir: &Path, key: u32) {
    fs::write(dir.join("reader/Keys.zrd.json"), format!("[{key}]\n")).unwrap();
}

fn leftovers(dir: &Path) -> Vec<String> {
    names(dir)
        .into_iter()
        .filter(|name| name.starts_with(".refit-") && name.ends_with(".tmp"))
        .collect()
}

#[test]
fn an_original_that_is_not_a_file_stops_everything() {
    let (dir, file) = edited();
    let original = dir.path().join("reader.zbd.orig");
    fs::write(dir.path().join("keys.json"), "[5]").unwrap();
    fs::write(dir.path().join("other"), reader(&[9])).unwrap();
    type Make<'a> = &'a dyn Fn() -> bool;
    let ways: [(&str, Make<'_>); 3] = [
        ("a link that leads nowhere", &|| {
            link("/nonexistent/x", &original)
        }),
        ("a link to a file", &|| link("other", &original)),
        ("a folder", &|| fs::create_dir(&original).is_ok()),
    ];
    for (what, make) in ways {
        if !make() {
            continue;
        }
        let before = snapshot(dir.path());
        for line in [
            "repack reader --force",
            "repack reader --force --dry-run",
            "put reader.zbd Keys.zrd keys.json",
            "restore reader.zbd --force",
        ] {
            let said = err(&run(dir.path(), line).code(1));
            assert!(
                said.contains("reader.zbd.orig: not a regular file"),
                "{what}: {line}: {said}"
            );
        }
        run(dir.path(), "restore . --force").code(if what == "a folder" { 0 } else { 1 });
        assert_eq!(snapshot(dir.path()), before, "{what}");
        assert!(leftovers(dir.path()).is_empty());
        let _ = fs::remove_file(&original).or_else(|_| fs::remove_dir(&original));
    }
    assert_eq!(fs::read(file).unwrap(), pristine());
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_a_private_key() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    refit(dir.path())
        .args(["key", "new", "me"])
        .assert()
        .success();
    let mode = |file: &str| {
        fs::metadata(dir.path().join(file))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!((mode("me.biprivatekey"), mode("me.bikey")), (0o600, 0o644));
    assert_eq!(
        fs::metadata(dir.path().join("me.biprivatekey"))
            .unwrap()
            .len(),
        3 + 4 + 12 + 4 + 4 + 9 * 64
    );
}

#[cfg(unix)]
#[test]
fn restore_stays_in_the_folder_and_touches_only_originals() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for folder in ["game/sub", "other"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    for file in ["game/sub/in.zbd", "other/out.zbd", "other/linked.zbd"] {
        fs::write(at(file), pristine()).unwrap();
        refit(dir.path())
            .args(["put", file, "Keys.zrd"])
            .write_stdin("[3]")
            .assert()
            .code(0);
    }
    // Another program's, by name and by content; the last is a file of the game, which refit did not
    // note, either.
    fs::write(at("game/main.c"), "new").unwrap();
    fs::write(at("game/main.c.orig"), "(old)").unwrap();
    fs::write(at("game/copied.zbd"), reader(&[3])).unwrap();
    fs::write(at("game/copied.zbd.orig"), pristine()).unwrap();
    symlink("../other", at("game/link")).unwrap();
    symlink("../other/linked.zbd", at("game/linked.zbd")).unwrap();
    fs::write(at("game/linked.zbd.orig"), reader(&[4])).unwrap();
    let other = snapshot(&at("other"));

    let done = run(dir.path(), "restore game").code(0);
    assert!(
        err(&done).contains("main.c.orig is not an original that refit knows, left alone"),
        "{}",
        err(&done)
    );
    assert!(
        err(&done).contains("linked.zbd: a link, left alone"),
        "{}",
        err(&done)
    );
    assert!(
        out(&done).contains("1 file restored, 3 left alone"),
        "{}",
        out(&done)
    );
    assert_eq!(snapshot(&at("other")), other);
    assert_eq!(fs::read_to_string(at("game/main.c")).unwrap(), "new");
    assert_eq!(fs::read(at("game/sub/in.zbd")).unwrap(), pristine());
    assert_eq!(names(&at("game/sub")), ["in.zbd"]);
    assert_eq!(fs::read(at("game/copied.zbd")).unwrap(), reader(&[3]));
    assert_eq!(fs::read(at("game/copied.zbd.orig")).unwrap(), pristine());
    run(dir.path(), "restore game/copied.zbd --force").code(0);
    assert_eq!(fs::read(at("game/copied.zbd")).unwrap(), pristine());
    // Who wrote the file there is unknown.
    assert_eq!(
        fs::read(at("game/copied.zbd.orig.2")).unwrap(),
        reader(&[3])
    );

    assert!(err(&run(dir.path(), "restore game/main.c").code(1)).contains("--force"));
    run(dir.path(), "restore game/main.c --force").code(0);
    assert_eq!(fs::read_to_string(at("game/main.c")).unwrap(), "(old)");
    assert_eq!(fs::read_to_string(at("game/main.c.orig.2")).unwrap(), "new");
}

#[test]
fn restore_of_a_folder_removes_what_killed_runs_left_in_it() {
    let (dir, _) = edited();
    let sub = dir.path().join("m9");
    fs::create_dir(&sub).unwrap();
    for (name, content) in [
        ("mine.txt", "mine"),
        (".refit-gKsiOU.tmp", "half"),
        ("my.refit-x.tmp", "mine, too"),
    ] {
        fs::write(sub.join(name), content).unwrap();
    }
    // Only looks.
    run(dir.path(), "restore . --dry-run");
    assert_eq!(leftovers(&sub), [".refit-gKsiOU.tmp"]);
    run(dir.path(), "restore .");
    assert_eq!(names(&sub), ["mine.txt", "my.refit-x.tmp"]);
}

#[test]
fn restore_accepts_the_names_that_people_type() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("c1")).unwrap();
    for file in ["a.zbd", "c1/b.zbd"] {
        fs::write(dir.path().join(file), pristine()).unwrap();
    }
    let restored = |options: &str| {
        for file in ["a.zbd", "c1/b.zbd"] {
            refit(dir.path())
                .args(["put", file, "Keys.zrd"])
                .write_stdin("[3]")
                .assert()
                .code(0);
        }
        run(dir.path(), &format!("restore . {options}")).code(0);
        ["a.zbd", "c1/b.zbd"].map(|file| fs::read(dir.path().join(file)).unwrap() == pristine())
    };
    assert_eq!(restored("--include *.zbd"), [true, true]);
    assert_eq!(restored("--include c1/**"), [false, true]);
    assert_eq!(restored("--include *.zbd.orig"), [true, true]);
    assert_eq!(restored("--exclude a.zbd"), [false, true]);
    assert_eq!(
        restored("--include *.zbd --exclude b.zbd.orig"),
        [true, false]
    );
    run(dir.path(), "restore a.zbd.orig").code(1);
    run(dir.path(), "restore c1/b.zbd.orig").code(0);
}

#[test]
fn restore_reports_where_it_found_nothing() {
    let (dir, _) = edited();
    run(dir.path(), "repack reader --force").code(0);
    fs::create_dir(dir.path().join("empty")).unwrap();
    let said = err(&run(dir.path(), "restore . --include *.dll").code(1));
    assert!(
        said.contains("no file below . that has an original matches --include *.dll"),
        "{said}"
    );
    assert!(err(&run(dir.path(), "restore empty").code(1)).contains("no file below empty"));
    // A folder with files but nothing to restore is fine.
    run(dir.path(), "restore .").code(0);
    assert!(
        out(&run(dir.path(), "restore .").code(0))
            .contains("nothing to restore: no file there has an original")
    );
    // The folder has the name of the original of a file.
    fs::create_dir(dir.path().join("reader.zbd.orig")).unwrap();
    assert!(
        err(&run(dir.path(), "restore reader.zbd.orig").code(1))
            .contains("reader.zbd.orig: not a regular file")
    );
}

#[test]
fn restore_names_later_copies() {
    let (dir, file) = edited();
    run(dir.path(), "repack reader --force").code(0);
    fs::write(&file, reader(&[77])).unwrap();
    edit(dir.path(), 2);
    run(dir.path(), "repack reader --force").code(0);
    let said = err(&run(dir.path(), "restore reader.zbd --verbose").code(0));
    assert!(said.contains("is kept as reader.zbd.orig.2"), "{said}");
    assert_eq!(
        fs::read(dir.path().join("reader.zbd.orig.2")).unwrap(),
        reader(&[77])
    );
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_replaced() {
    let (dir, _) = edited();
    let at = |name: &str| dir.path().join(name);
    assert!(
        std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    std::os::unix::fs::symlink("pipe", at("link")).unwrap();
    for name in ["pipe", "socket", "link"] {
        for line in [
            format!("repack reader --force -o {name}"),
            format!("get reader.zbd Keys.zrd --force -o {name}"),
        ] {
            // It would wait for ever for somebody who reads the pipe.
            let done = refit(dir.path())
                .args(line.split(' '))
                .timeout(Duration::from_secs(60))
                .assert()
                .code(1);
            assert!(
                err(&done).contains("not a regular file"),
                "{line}: {}",
                err(&done)
            );
        }
        // Nor is it read for an edit in place: that would block until somebody writes into the
        // pipe.
        if name != "socket" {
            let done = refit(dir.path())
                .args(["put", name, "Keys.zrd"])
                .write_stdin("[3]")
                .timeout(Duration::from_secs(60))
                .assert()
                .code(1);
            assert!(err(&done).contains("not a regular file"), "{}", err(&done));
        }
    }
    assert!(leftovers(dir.path()).is_empty());
    assert_eq!(
        names(dir.path()),
        ["link", "pipe", "reader", "reader.zbd", "socket"]
    );
}

/// A pipe among other files does not block refit, wherever it is.
#[cfg(unix)]
#[test]
fn pipes_among_other_files_do_not_block() {
    let pipe = |path: &Path| {
        let _ = fs::remove_file(path);
        assert!(
            std::process::Command::new("mkfifo")
                .arg(path)
                .status()
                .unwrap()
                .success()
        );
    };
    let ends = |dir: &Path, line: &str| {
        let done = refit(dir)
            .args(line.split(' '))
            .timeout(Duration::from_secs(60))
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(
            done.status.code().is_some_and(|code| code != 0),
            "{line}: {printed}"
        );
        printed
    };
    // The game's file of a project.
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("game")).unwrap();
    fs::write(dir.path().join("game/reader.zbd"), pristine()).unwrap();
    run(dir.path(), "unpack game -o mod").code(0);
    fs::write(dir.path().join("mod/reader.zbd/Keys.zrd.json"), "[1]").unwrap();
    pipe(&dir.path().join("game/reader.zbd"));
    for line in ["repack mod", "repack mod --dry-run", "repack mod --force"] {
        assert!(
            ends(dir.path(), line).contains("not a regular file"),
            "{line}"
        );
    }
    // The manifest of a project, and that of definitions.
    for folder in ["project", "defs"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
        pipe(&dir.path().join(folder).join("refit.json"));
    }
    for line in [
        "repack project",
        "status project",
        "info project",
        "anim compile defs -o new.zbd",
        "anim check defs",
    ] {
        ends(dir.path(), line);
    }
}

/// Only regular files next to a glTF file are read for it, and no link out of the folder is
/// followed.
#[cfg(unix)]
#[test]
fn a_gltf_file_reads_nothing_outside_of_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("model")).unwrap();
    fs::write(
        at("gamez.zbd"),
        fs::read(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../golden/gamez/mw_base.gamez.zbd"
        ))
        .unwrap(),
    )
    .unwrap();
    let world = fs::read(at("gamez.zbd")).unwrap();
    fs::write(at("secret"), [0; 36]).unwrap();
    let root = serde_json::json!({
        "asset": { "version": "2.0" }, "nodes": [{ "mesh": 0 }], "buffers": [{ "uri": "b.bin", "byteLength": 36 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
    });
    fs::write(at("model/door.gltf"), root.to_string()).unwrap();
    let buffer = at("model/b.bin");
    let lines = [
        "put gamez.zbd models/0000-torso_00023 model/door.gltf",
        "import model/door.gltf --into gamez.zbd --under world1",
    ];
    let refused = |what: &str| {
        for line in lines {
            let done = refit(dir.path())
                .args(line.split(' '))
                .timeout(Duration::from_secs(60))
                .output()
                .unwrap();
            let printed = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(
                done.status.code() == Some(1) && printed.contains(what),
                "{line}: {printed}"
            );
            assert_eq!(fs::read(at("gamez.zbd")).unwrap(), world);
        }
    };
    std::os::unix::fs::symlink("../secret", &buffer).unwrap();
    refused("a link leads out of the folder");
    fs::remove_file(&buffer).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&buffer)
            .status()
            .unwrap()
            .success()
    );
    refused("not a regular file");
    fs::remove_file(&buffer).unwrap();
    // A link within the folder is the author's own.
    fs::write(at("model/data.bin"), [0; 36]).unwrap();
    std::os::unix::fs::symlink("data.bin", &buffer).unwrap();
    let done = refit(dir.path())
        .args(lines[0].split(' '))
        .output()
        .unwrap();
    assert!(
        !String::from_utf8_lossy(&done.stderr).contains("link"),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

/// A name that leaves no room for that of an original is an error, and not tried for ever.
#[cfg(unix)]
#[test]
fn an_unreadable_copy_ends_the_search() {
    let dir = tempfile::tempdir().unwrap();
    let name = format!("{}.zbd", "x".repeat(248));
    fs::write(dir.path().join(&name), pristine()).unwrap();
    let done = refit(dir.path())
        .args(["put", &name, "Keys.zrd"])
        .write_stdin("[3]")
        .timeout(Duration::from_secs(60))
        .assert()
        .code(1);
    assert!(err(&done).contains("too long"), "{}", err(&done));
    assert_eq!(fs::read(dir.path().join(&name)).unwrap(), pristine());
    assert_eq!(names(dir.path()), [name]);
}

#[cfg(unix)]
#[test]
fn the_original_is_next_to_the_file_and_not_next_to_a_link() {
    let (dir, _) = edited();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("real")).unwrap();
    fs::write(at("real/g.zbd"), pristine()).unwrap();
    if !link("real/g.zbd", &at("g.zbd")) {
        return;
    }
    run(dir.path(), "repack reader --force -o g.zbd").code(0);
    edit(dir.path(), 2);
    run(dir.path(), "repack reader --force -o real/g.zbd").code(0);
    assert_eq!(names(&at("real")), ["g.zbd", "g.zbd.orig"]);
    assert_eq!(fs::read(at("real/g.zbd.orig")).unwrap(), pristine());
    run(dir.path(), "restore g.zbd").code(0);
    assert!(at("g.zbd").is_symlink());
    assert_eq!(fs::read(at("real/g.zbd")).unwrap(), pristine());
    assert_eq!(names(&at("real")), ["g.zbd"]);
    assert!(!at("g.zbd.orig").exists());
}

#[cfg(unix)]
#[test]
fn one_of_two_simultaneous_puts_is_refused() {
    let (dir, file) = edited();
    let pipe = dir.path().join("keys.json");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let first = std::process::Command::new(program())
        .current_dir(dir.path())
        .args(["put", "reader.zbd", "Keys.zrd", "keys.json"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A pipe opens when its reader has opened it too: then the first one has read the file, and
    // waits for the new member.
    let mut pipe = fs::OpenOptions::new().write(true).open(pipe).unwrap();
    refit(dir.path())
        .args(["put", "reader.zbd", "axes.zrd"])
        .write_stdin("[8]")
        .assert()
        .code(0);
    std::io::Write::write_all(&mut pipe, b"[3]").unwrap();
    drop(pipe);
    let first = first.wait_with_output().unwrap();
    assert_eq!(first.status.code(), Some(1));
    let said = String::from_utf8_lossy(&first.stderr);
    assert!(said.contains("changed while refit was at work"), "{said}");
    assert_eq!(
        fs::read(file).unwrap(),
        archive(&[("Keys.zrd", &list(&[156, 30])), ("axes.zrd", &list(&[8]))])
    );
    assert_eq!(
        fs::read(dir.path().join("reader.zbd.orig")).unwrap(),
        pristine()
    );
    assert!(leftovers(dir.path()).is_empty());
}

#[test]
fn repack_and_restore_at_once_keep_the_original() {
    for round in 0..12u64 {
        let (dir, file) = edited();
        run(dir.path(), "repack reader --force").code(0);
        edit(dir.path(), 2);
        let start = |line: &str| {
            let mut command = std::process::Command::new(program());
            command
                .args(line.split(' '))
                .current_dir(dir.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        let lines = if round % 2 == 0 {
            ["repack reader --force", "restore reader.zbd"]
        } else {
            ["restore reader.zbd", "repack reader --force"]
        };
        let first = start(lines[0]);
        std::thread::sleep(Duration::from_micros(400 * round));
        for mut child in [first, start(lines[1])] {
            assert!(
                child.wait().unwrap().code().is_some_and(|code| code < 2),
                "round {round}"
            );
        }
        let originals = [file.clone(), dir.path().join("reader.zbd.orig")];
        assert!(
            originals
                .iter()
                .any(|path| fs::read(path).is_ok_and(|bytes| bytes == pristine())),
            "round {round}: {:?}",
            names(dir.path())
        );
        assert!(
            [pristine(), reader(&[1]), reader(&[2])].contains(&fs::read(&file).unwrap()),
            "round {round}"
        );
        assert!(leftovers(dir.path()).is_empty());
    }
}

#[test]
fn files_of_a_patch_are_kept_too() {
    let (dir, file) = edited();
    run(dir.path(), "repack reader --force").code(0);
    fs::write(&file, reader(&[77])).unwrap();
    edit(dir.path(), 2);
    let done = run(dir.path(), "repack reader --force").code(0);
    assert!(err(&done).contains("reader.zbd.orig.2"), "{}", err(&done));
    let patched = dir.path().join("reader.zbd.orig.2");
    assert_eq!(fs::read(&patched).unwrap(), reader(&[77]));
    assert_eq!(
        fs::read(dir.path().join("reader.zbd.orig")).unwrap(),
        pristine()
    );
    // refit's own last output is not kept again.
    edit(dir.path(), 3);
    assert_eq!(err(&run(dir.path(), "repack reader --force").code(0)), "");
    assert_eq!(
        names(dir.path()),
        [
            "reader",
            "reader.zbd",
            "reader.zbd.orig",
            "reader.zbd.orig.2"
        ]
    );

    // A file of another kind is not replaced without a word.
    let motion = dir.path().join("motion.zbd");
    fs::write(&motion, "another game's file").unwrap();
    let done = run(dir.path(), "repack reader --force -o motion.zbd").code(0);
    assert!(err(&done).contains("motion.zbd.orig"), "{}", err(&done));
    assert_eq!(
        fs::read(dir.path().join("motion.zbd.orig")).unwrap(),
        b"another game's file"
    );
}

#[test]
fn two_outputs_with_one_path_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    for place in ["c1", "c2"] {
        fs::create_dir(dir.path().join(place)).unwrap();
        fs::write(dir.path().join(place).join("reader.zbd"), pristine()).unwrap();
        run(
            dir.path(),
            &format!("unpack {place}/reader.zbd -o trees/{place}"),
        )
        .code(0);
    }
    let before = snapshot(dir.path());
    for line in [
        "repack trees/c1 trees/c2 -o out/ --force",
        "repack trees/c1 trees/c2 -o out/ --keep-going",
        "repack trees/c1 trees/c2 --force",
    ] {
        let done = run(dir.path(), line).code(1);
        let said = err(&done);
        assert!(
            said.contains("trees/c1")
                && said.contains("trees/c2")
                && said.contains("would be packed into it"),
            "{said}"
        );
        assert_eq!(snapshot(dir.path()), before, "{line}");
    }
    // Without a command, too.
    assert!(
        err(&run(dir.path(), "trees/c1 trees/c2 --force").code(1))
            .contains("two outputs of this run")
    );
    run(dir.path(), "repack trees/c1 -o one/").code(0);
}

#[test]
fn an_edited_tree_is_moved_aside_and_not_deleted() {
    let (dir, _) = edited();
    fs::write(dir.path().join("reader/mynotes.txt"), "mine").unwrap();
    let edits = "Keys.zrd.json (modified), mynotes.txt (added)";
    let before = snapshot(dir.path());
    let dry = run(dir.path(), "unpack reader.zbd --force --dry-run").code(0);
    assert!(err(&dry).contains(edits), "{}", err(&dry));
    assert_eq!(snapshot(dir.path()), before);
    let done = run(dir.path(), "unpack reader.zbd --force").code(0);
    // The message uses a path that begins like the typed one.
    assert!(
        err(&done).contains(edits) && err(&done).contains("the old folder is now reader.old\n"),
        "{}",
        err(&done)
    );
    assert_eq!(
        fs::read_to_string(dir.path().join("reader.old/mynotes.txt")).unwrap(),
        "mine"
    );
    assert_eq!(
        fs::read_to_string(dir.path().join("reader.old/Keys.zrd.json")).unwrap(),
        "[1]\n"
    );
    assert_eq!(
        fs::read_to_string(dir.path().join("reader/Keys.zrd.json")).unwrap(),
        "[156, 30]\n"
    );
    // An unedited tree is simply replaced.
    assert_eq!(
        err(&run(dir.path(), "unpack reader.zbd --force").code(0)),
        ""
    );
    assert_eq!(names(dir.path()), ["reader", "reader.old", "reader.zbd"]);
}

#[test]
fn edited_views_are_moved_aside_too() {
    let dir = tempfile::tempdir().unwrap();
    let golden = roundtrip_tests::root().join("golden/textures/rc_one.zbd");
    fs::copy(golden, dir.path().join("texture.zbd")).unwrap();
    run(dir.path(), "export texture.zbd -o views").code(0);
    assert_eq!(
        err(&run(dir.path(), "export texture.zbd -o views --force").code(0)),
        ""
    );
    fs::write(dir.path().join("views/scene.blend"), "mine").unwrap();
    assert!(
        err(&run(dir.path(), "export texture.zbd -o views --force").code(0))
            .contains("scene.blend (added)")
    );
    assert_eq!(
        fs::read_to_string(dir.path().join("views.old/scene.blend")).unwrap(),
        "mine"
    );
}

#[test]
fn an_original_is_never_a_target() {
    let (dir, file) = edited();
    run(dir.path(), "repack reader --force").code(0);
    fs::write(dir.path().join("keys.json"), "[5]").unwrap();
    let manifest = dir.path().join("reader/refit.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let before = snapshot(dir.path());
    let refused = |line: &str| {
        let done = run(dir.path(), line).code(1);
        assert!(
            err(&done).contains("refit keeps originals"),
            "{line}: {}",
            err(&done)
        );
    };
    for line in [
        "repack reader -o reader.zbd.orig --force",
        "repack reader -o new.orig",
        "put reader.zbd.orig Keys.zrd keys.json",
        "get reader.zbd Keys.zrd -o reader.zbd.orig --force",
        "unpack reader.zbd -o other.zbd.orig",
    ] {
        refused(line);
        assert_eq!(snapshot(dir.path()), before, "{line}");
    }
    fs::write(
        &manifest,
        text.replace("\"reader.zbd\"", "\"reader.zbd.orig\""),
    )
    .unwrap();
    refused("repack reader --force");
    assert_eq!(
        fs::read(dir.path().join("reader.zbd.orig")).unwrap(),
        pristine()
    );
    assert_eq!(fs::read(&file).unwrap(), reader(&[1]));
}

#[test]
fn refits_own_output_needs_no_original() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("addon")).unwrap();
    for text in ["one", "two", "three"] {
        fs::write(dir.path().join("addon/a.sqf"), text).unwrap();
        run(dir.path(), "repack addon --format pbo --force").code(0);
        run(dir.path(), "get addon.pbo a.sqf -o out.txt --force").code(0);
        assert_eq!(
            fs::read_to_string(dir.path().join("out.txt")).unwrap(),
            text
        );
    }
    // The same bytes are not written again.
    let modified = || {
        fs::metadata(dir.path().join("addon.pbo"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = modified();
    for line in [
        "repack addon --format pbo --force",
        "get addon.pbo a.sqf -o out.txt --force",
        "put addon.pbo a.sqf out.txt",
    ] {
        let said = out(&run(dir.path(), line).code(0));
        assert!(said.contains("unchanged"), "{line}: {said}");
    }
    assert_eq!(modified(), before);
    assert!(
        !names(dir.path()).iter().any(|name| name.contains(".orig")),
        "{:?}",
        names(dir.path())
    );

    // A file of somebody else is kept, unless the user says otherwise.
    fs::write(dir.path().join("out.txt"), "mine").unwrap();
    run(
        dir.path(),
        "get addon.pbo a.sqf -o out.txt --force --no-backup",
    )
    .code(0);
    assert!(!dir.path().join("out.txt.orig").exists());
    fs::write(dir.path().join("out.txt"), "mine").unwrap();
    run(dir.path(), "get addon.pbo a.sqf -o out.txt --force").code(0);
    assert_eq!(
        fs::read_to_string(dir.path().join("out.txt.orig")).unwrap(),
        "mine"
    );
    fs::write(dir.path().join("new.sqf"), "four").unwrap();
    run(dir.path(), "put addon.pbo a.sqf new.sqf --no-backup").code(0);
    assert!(!dir.path().join("addon.pbo.orig").exists());
    // An edit in place cannot be made again from anything: the first state is kept.
    fs::write(dir.path().join("new.sqf"), "five").unwrap();
    run(dir.path(), "put addon.pbo a.sqf new.sqf").code(0);
    assert!(dir.path().join("addon.pbo.orig").exists());
}

#[test]
fn an_identical_file_is_left_alone() {
    let (dir, file) = edited();
    edit(dir.path(), 1);
    fs::write(dir.path().join("reader/Keys.zrd.json"), "[156, 30]\n").unwrap();
    let before = SystemTime::now() - Duration::from_secs(5000);
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_modified(before)
        .unwrap();
    let done = run(dir.path(), "repack reader --force").code(0);
    assert!(
        out(&done).contains("identical to the original, unchanged"),
        "{}",
        out(&done)
    );
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before);
    assert_eq!(names(dir.path()), ["reader", "reader.zbd"]);
    // The time of the original is restored, too.
    edit(dir.path(), 1);
    run(dir.path(), "repack reader --force").code(0);
    run(dir.path(), "restore reader.zbd").code(0);
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before);
}

#[test]
fn leftovers_of_a_killed_run_are_removed_by_the_next_one() {
    let (dir, _) = edited();
    let left = dir.path().join(".refit-q1w2e3.tmp");
    // As after the clock was set back.
    fs::File::create(&left)
        .unwrap()
        .set_modified(SystemTime::now() + Duration::from_secs(400_000))
        .unwrap();
    let done = run(dir.path(), "repack reader -o new.zbd").code(0);
    assert!(
        err(&done).contains(".refit-q1w2e3.tmp: left by an interrupted refit, removed"),
        "{}",
        err(&done)
    );
    assert!(leftovers(dir.path()).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_file_sizes_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("reader.zbd");
    let keys: Vec<u32> = (0..5000).collect();
    fs::write(&file, reader(&keys)).unwrap();
    run(dir.path(), "unpack reader.zbd").code(0);
    edit(dir.path(), 1);
    fs::write(dir.path().join("reader/axes.zrd.json"), format!("{keys:?}")).unwrap();
    let before = snapshot(dir.path());
    for line in ["repack reader --force", "unpack reader.zbd -o again"] {
        let limited = format!("ulimit -f 4; exec \"$0\" {line}");
        let done = std::process::Command::new("sh")
            .arg("-c")
            .arg(limited)
            .arg(program())
            .current_dir(dir.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{line}: {said}");
        assert!(
            !said.contains(".refit-"),
            "a temporary name says nothing: {said}"
        );
        assert!(
            said.starts_with("error: ")
                && said.contains("File too large")
                && said.contains("ulimit"),
            "{line}: {said}"
        );
        assert!(leftovers(dir.path()).is_empty());
        assert_eq!(snapshot(dir.path()), before);
    }
}

#[test]
fn unreadable_is_not_missing() {
    let (dir, _) = edited();
    let sums = dir.path().join("reader/.refit/blake3");
    fs::remove_file(&sums).unwrap();
    assert!(err(&run(dir.path(), "status reader").code(1)).contains("are missing"));
    fs::create_dir(&sums).unwrap();
    let said = err(&run(dir.path(), "status reader").code(1));
    assert!(
        said.contains("unreadable") && !said.contains("missing"),
        "{said}"
    );
}

#[test]
fn an_empty_input_is_not_put_by_mistake() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("addon")).unwrap();
    fs::write(dir.path().join("addon/a.sqf"), "hint 1;").unwrap();
    fs::write(dir.path().join("empty"), "").unwrap();
    run(dir.path(), "repack addon --format pbo").code(0);
    let before = snapshot(dir.path());
    for line in ["put addon.pbo a.sqf", "put addon.pbo a.sqf -"] {
        let done = refit(dir.path())
            .args(line.split(' '))
            .write_stdin("")
            .assert()
            .code(1);
        assert!(
            err(&done).contains("standard input is empty"),
            "{}",
            err(&done)
        );
    }
    #[cfg(target_os = "linux")]
    {
        let done = refit(dir.path())
            .args(["put", "addon.pbo", "a.sqf", "/dev/stdin"])
            .write_stdin("")
            .assert()
            .code(1);
        assert!(err(&done).contains("/dev/stdin is empty"), "{}", err(&done));
    }
    assert_eq!(snapshot(dir.path()), before);
    run(dir.path(), "put addon.pbo a.sqf empty").code(0);
    assert_eq!(out(&run(dir.path(), "get addon.pbo a.sqf").code(0)), "");
    refit(dir.path())
        .args(["put", "addon.pbo", "a.sqf"])
        .write_stdin("x")
        .assert()
        .code(0);
    refit(dir.path())
        .args(["put", "addon.pbo", "a.sqf", "--force"])
        .write_stdin("")
        .assert()
        .code(0);
    assert_eq!(out(&run(dir.path(), "get addon.pbo a.sqf").code(0)), "");
}

/// A folder's files without the temporary ones.
fn lasting(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = snapshot(root);
    // If the note about the writer of a file cannot be attached to the file, it is a separate file.
    all.retain(|(name, _)| {
        !name
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .starts_with(".refit-")
    });
    all
}

/// Makes every disk operation fail once, and kills the program before each one once. `make`
/// prepares a folder; `line` is the command. An error must leave everything unchanged, success
/// everything as expected; after a kill, `check` inspects the folder, and the same command (or
/// nothing, if it has nothing to do) completes the work.
#[cfg(debug_assertions)]
fn at_every_operation(line: &str, make: impl Fn() -> tempfile::TempDir, check: impl Fn(&Path)) {
    at_every_operation_of(&|dir| refit(dir), line, make, check);
}

/// The same of a program that is started in another way.
#[cfg(debug_assertions)]
fn at_every_operation_of(
    refit: &dyn Fn(&Path) -> assert_cmd::Command,
    line: &str,
    make: impl Fn() -> tempfile::TempDir,
    check: impl Fn(&Path),
) {
    let run = |dir: &Path, line: &str| refit(dir).args(line.split(' ')).assert();
    let with_fault = |dir: &Path, fault: String| {
        let mut command = refit(dir);
        command.args(line.split(' ')).env("REFIT_FAIL_AT", fault);
        command.output().unwrap()
    };
    let expected = {
        let dir = make();
        run(dir.path(), line).code(0);
        lasting(dir.path())
    };
    let mut operations = 0;
    loop {
        let dir = make();
        let done = with_fault(dir.path(), format!("{}!", operations + 1));
        check(dir.path());
        if done.status.code() != Some(137) {
            assert!(done.status.success());
            assert_eq!(lasting(dir.path()), expected);
            break;
        }
        operations += 1;
        // Leftovers of the killed run do not disturb the next one.
        let again = run(dir.path(), line);
        check(dir.path());
        // The next one that writes removes it.
        run(dir.path(), "get reader.zbd Keys.zrd -o keys.txt");
        assert!(
            leftovers(dir.path()).is_empty(),
            "killed at {operations}: {:?}, {}",
            leftovers(dir.path()),
            err(&again)
        );
    }
    assert!(operations > 1, "only {operations} operations");
    let mut failed = 0;
    for k in 1..=operations {
        let dir = make();
        let before = snapshot(dir.path());
        let done = with_fault(dir.path(), k.to_string());
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        match done.status.code() {
            Some(0) => assert_eq!(
                lasting(dir.path()),
                expected,
                "fault {k} of {operations}: {said}"
            ),
            Some(1) => {
                failed += 1;
                assert!(said.contains("REFIT_FAIL_AT"), "{said}");
                assert_eq!(
                    snapshot(dir.path()),
                    before,
                    "fault {k} of {operations}: {said}"
                );
            }
            other => panic!("fault {k} of {operations}: {other:?}, {said}"),
        }
        check(dir.path());
        assert!(
            leftovers(dir.path()).is_empty(),
            "fault {k}: {:?}",
            leftovers(dir.path())
        );
    }
    assert!(
        failed > 0,
        "only {failed} of {operations} faults were reported"
    );
}

#[cfg(debug_assertions)]
fn one_of(path: &Path, contents: &[Vec<u8>]) {
    let now =
        fs::read(path).unwrap_or_else(|e| panic!("neither old nor new: {}: {e}", path.display()));
    assert!(
        contents.contains(&now),
        "neither old nor new: {}",
        path.display()
    );
}

/// The file is the original or the edited one, and the original is there.
#[cfg(debug_assertions)]
fn nothing_lost(dir: &Path) {
    let (file, original) = (dir.join("reader.zbd"), dir.join("reader.zbd.orig"));
    one_of(&file, &[pristine(), reader(&[1])]);
    if fs::read(file).unwrap() != pristine() || original.exists() {
        one_of(&original, &[pristine()]);
    }
}

#[cfg(debug_assertions)]
#[test]
fn faults_in_repack_cost_nothing() {
    at_every_operation("repack reader --force", || edited().0, nothing_lost);
    // Into a folder that is not there yet.
    at_every_operation(
        "repack reader -o a/b/new.zbd",
        || edited().0,
        |dir| {
            let new = dir.join("a/b/new.zbd");
            assert!(!new.exists() || fs::read(new).unwrap() == reader(&[1]));
        },
    );
}

#[cfg(debug_assertions)]
#[test]
fn faults_while_a_patched_file_is_kept_cost_nothing() {
    let make = || {
        let (dir, file) = edited();
        run(dir.path(), "repack reader --force").code(0);
        fs::write(file, reader(&[77])).unwrap();
        dir
    };
    at_every_operation("repack reader --force", make, |dir| {
        one_of(&dir.join("reader.zbd.orig"), &[pristine()]);
        one_of(&dir.join("reader.zbd"), &[reader(&[77]), reader(&[1])]);
        if fs::read(dir.join("reader.zbd")).unwrap() != reader(&[77]) {
            one_of(&dir.join("reader.zbd.orig.2"), &[reader(&[77])]);
        }
    });
}

#[cfg(debug_assertions)]
#[test]
fn faults_in_put_cost_nothing() {
    let make = || {
        let dir = edited().0;
        fs::write(dir.path().join("keys.json"), "[1]").unwrap();
        dir
    };
    at_every_operation("put reader.zbd Keys.zrd keys.json", make, nothing_lost);
}

/// A world and its package beside each other, and a tower with a picture for them.
#[cfg(debug_assertions)]
fn with_tower() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    write("c1/gamez.zbd", &games::world("mw", &["door"], &["grass"]));
    write("c1/rtexture4.zbd", &games::package(&["grass"]));
    write(
        "wood.png",
        &by_hand::png(2, &[[9u8, 20, 30], [40, 50, 60], [7, 8, 9], [1, 2, 3]]),
    );
    let points: Vec<u8> = [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    write("points.bin", &points);
    let gltf = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "tower", "mesh": 0}],
        "materials": [{"name": "wood", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}], "images": [{"uri": "wood.png"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
            "min": [0, 0, 0], "max": [1, 2, 0]}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": "points.bin"}]}"#;
    write("tower.gltf", gltf.as_bytes());
    dir
}

#[cfg(debug_assertions)]
#[test]
fn a_fault_leaves_no_world_without_its_pictures() {
    // A killed run may have put one of two files in place; the journal says so, and the next run
    // goes on.
    let both_or_none = |line: &str, make: &dyn Fn() -> tempfile::TempDir, files: [&str; 2]| {
        let old = make();
        let is_old = |dir: &Path, file: &str| match file.ends_with(".zbd") {
            true => fs::read(dir.join(file)).unwrap() == fs::read(old.path().join(file)).unwrap(),
            false => snapshot(&dir.join(file)) == snapshot(&old.path().join(file)),
        };
        at_every_operation(line, make, |dir| {
            let is_begun = || dir.join("c1/.refit-journal").exists();
            if is_begun() && dir.join(files[0]).is_dir() {
                run(dir, &format!("repack {} -o c1/new.zbd", files[0])).code(0);
                assert!(
                    !is_begun(),
                    "a tree is read before the work on it is finished"
                );
            }
            if !is_begun() {
                let [world, package] = files.map(|file| is_old(dir, file));
                assert_eq!(world, package, "the world or its package alone");
            }
        });
    };
    both_or_none(
        "world add c1/gamez.zbd tower.gltf --textures",
        &with_tower,
        ["c1/gamez.zbd", "c1/rtexture4.zbd"],
    );
    let trees = || {
        let dir = with_tower();
        run(dir.path(), "unpack c1/gamez.zbd -o c1/gamez").code(0);
        run(dir.path(), "unpack c1/rtexture4.zbd -o c1/rtexture4").code(0);
        dir
    };
    both_or_none(
        "world add c1/gamez tower.gltf --textures",
        &trees,
        ["c1/gamez", "c1/rtexture4"],
    );
}

#[cfg(debug_assertions)]
#[test]
fn faults_in_restore_cost_nothing() {
    let make = || {
        let dir = edited().0;
        run(dir.path(), "repack reader --force").code(0);
        dir
    };
    at_every_operation("restore reader.zbd", make, nothing_lost);
}

#[cfg(debug_assertions)]
#[test]
fn faults_in_unpack_cost_nothing() {
    faults_in_unpack(cfg!(target_os = "linux"));
}

/// As on Windows, where a kill may come between two renames: the next run that writes restores the
/// old folder.
#[cfg(all(debug_assertions, target_os = "linux"))]
#[test]
fn faults_in_unpack_cost_nothing_where_folders_cannot_be_swapped() {
    faults_in_unpack(false);
}

#[cfg(debug_assertions)]
fn faults_in_unpack(swaps: bool) {
    let program = |dir: &Path| {
        let mut command = refit(dir);
        if !swaps {
            command.env("REFIT_NO_EXCHANGE", "1");
        }
        command
    };
    let at_every_operation =
        |line: &str, make: &dyn Fn() -> tempfile::TempDir, check: &dyn Fn(&Path)| {
            at_every_operation_of(&program, line, make, check)
        };
    // The tree is always in its place, or where the next run finds it.
    let tree = |dir: &Path| {
        let place = dir.join("reader");
        let mut away = leftovers(dir)
            .into_iter()
            .map(|name| dir.join(name).join("old"))
            .chain([dir.join("reader.old")]);
        if swaps || place.exists() {
            place
        } else {
            away.find(|path| path.is_dir()).unwrap_or(place)
        }
    };
    let old = {
        let dir = edited().0;
        snapshot(&dir.path().join("reader"))
    };
    let new = {
        let dir = edited().0;
        run(dir.path(), "unpack reader.zbd -o new").code(0);
        snapshot(&dir.path().join("new"))
    };
    let same = |dir: &Path| {
        let now = snapshot(&tree(dir));
        assert!(
            now == old || now == new,
            "neither the old tree nor the new one"
        );
        // The edits are in a place that is not swept.
        let kept = ["reader", "reader.old", "reader.old.2"]
            .iter()
            .any(|name| dir.join(name).is_dir() && snapshot(&dir.join(name)) == old);
        assert!(kept || snapshot(&tree(dir)) == old, "{:?}", names(dir));
        assert_eq!(fs::read(dir.join("reader.zbd")).unwrap(), pristine());
    };
    at_every_operation("unpack reader.zbd --force", &|| edited().0, &same);
    // Without a tree, and with an unedited one.
    let whole = |dir: &Path| {
        let tree = dir.join("reader");
        assert!(
            !tree.exists() || snapshot(&tree) == new,
            "an incomplete tree"
        );
    };
    let fresh = || {
        let dir = edited().0;
        fs::remove_dir_all(dir.path().join("reader")).unwrap();
        dir
    };
    at_every_operation("unpack reader.zbd", &fresh, &whole);
    let unedited = || {
        let dir = fresh();
        run(dir.path(), "unpack reader.zbd").code(0);
        dir
    };
    at_every_operation("unpack reader.zbd --force", &unedited, &|dir| {
        assert_eq!(snapshot(&tree(dir)), new)
    });
}
