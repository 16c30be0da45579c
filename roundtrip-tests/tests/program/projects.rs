//! A game's folder as a project: unpacked, repacked, and never half put in place.

use roundtrip_tests::process::{archive, err, list, program, refit, run, snapshot};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

fn reader(key: u32) -> Vec<u8> {
    archive(&[("keys.zrd", &list(&[key])), ("axes.zrd", &list(&[7]))])
}

/// The files of the game, and the argument of `reader` for each.
const FILES: [(&str, u32); 4] = [
    ("zbd/a.zbd", 1),
    ("zbd/c1/b.zbd", 2),
    ("zbd/c2/c.zbd", 3),
    ("zbd/c2/same.zbd", 2),
];

/// The folder of a game with four files, including two equal ones, and a foreign file.
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
    fs::write(
        dir.join("mod").join(file).join("keys.zrd.json"),
        format!("[{key}]\n"),
    )
    .unwrap();
}

/// The current keys in the game's files.
fn keys(dir: &Path, game: &str) -> Vec<u32> {
    let key = |(file, _): (&str, u32)| {
        let bytes = fs::read(dir.join(game).join(file)).unwrap();
        (0..1000)
            .find(|key| reader(*key) == bytes)
            .unwrap_or_else(|| panic!("{file} is none that anybody made"))
    };
    FILES.map(key).to_vec()
}

/// The allowed state after a kill: all files old, or some of them new, for the next run to finish.
#[cfg(debug_assertions)]
fn ended_everywhere(line: &str, make: impl Fn() -> tempfile::TempDir, old: &[u32], new: &[u32]) {
    let ended = |dir: &Path, fault: String| {
        refit(dir)
            .args(line.split(' '))
            .env("REFIT_FAIL_AT", fault)
            .output()
            .unwrap()
    };
    let mut operations = 0;
    let mut printed = [0, 0];
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
        assert_eq!(
            keys(dir.path(), "game"),
            new,
            "killed at {operations}: {}",
            err(&again)
        );
        if now != old && now != new {
            assert!(
                err(&again).contains("it is now finished"),
                "killed at {operations}: {}",
                err(&again)
            );
        }
        printed[0] += usize::from(err(&again).contains("it is now finished"));
        printed[1] += usize::from(err(&again).contains("nothing was changed"));
        let left: Vec<String> = snapshot(&dir.path().join("game"))
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert!(
            !left.iter().any(|name| name.contains(".refit-")),
            "killed at {operations}: {left:?}"
        );
        run(dir.path(), "restore game").code(0);
        assert_eq!(
            keys(dir.path(), "game"),
            [1, 2, 3, 2],
            "killed at {operations}"
        );
    }
    assert!(
        operations > 15 && printed[0] > 0 && printed[1] > 0,
        "{operations} operations, {printed:?}"
    );
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
                assert_eq!(
                    snapshot(dir.path()),
                    before,
                    "fault {k} of {operations}: {said}"
                );
            }
            other => panic!("fault {k} of {operations}: {other:?}"),
        }
    }
    assert!(
        failed > 3,
        "only {failed} of {operations} faults were reported"
    );
}

#[cfg(debug_assertions)]
#[test]
fn a_repack_that_is_killed_anywhere_is_finished_or_undone() {
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
fn a_restore_that_is_killed_anywhere_is_finished_or_undone() {
    let make = || {
        let dir = project();
        edit(dir.path(), "zbd/a.zbd", 20);
        edit(dir.path(), "zbd/c1/b.zbd", 23);
        run(dir.path(), "repack mod").code(0);
        dir
    };
    ended_everywhere("restore game", make, &[20, 23, 3, 23], &[1, 2, 3, 2]);
}

/// Kills from outside, at any moment.
#[test]
fn kills_at_random_moments_leave_the_old_game_or_the_new_one() {
    let dir = project();
    let (old, new) = ([1, 2, 3, 2], [31, 32, 33, 32]);
    for (file, key) in [
        ("zbd/a.zbd", 31),
        ("zbd/c1/b.zbd", 32),
        ("zbd/c2/c.zbd", 33),
    ] {
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
                assert!(
                    err(&again).contains("it is now finished"),
                    "{}",
                    err(&again)
                );
            }
            assert_eq!(keys(dir.path(), "game"), to, "round {round}: {line}");
        }
    }
    println!(
        "{between} of {} kills, {rounds} of each, came while files were put in place",
        2 * rounds
    );
    assert!(
        !snapshot(&dir.path().join("game"))
            .iter()
            .any(|(name, _)| name.contains(".refit-"))
    );
}

/// A game's path that is not Unicode is found again, too.
#[cfg(target_os = "linux")]
#[test]
fn a_game_at_a_path_that_is_not_unicode_is_found_again() {
    use std::os::unix::ffi::OsStrExt;
    let dir = game();
    let at = dir.path();
    let odd = std::ffi::OsStr::from_bytes(b"g\xe4me");
    fs::rename(at.join("game"), at.join(odd)).unwrap();
    refit(at)
        .arg("unpack")
        .arg(odd)
        .args(["-o", "mod"])
        .assert()
        .code(0);
    edit(at, "zbd/a.zbd", 11);
    run(at, "repack mod").code(0);
    assert_eq!(
        fs::read(at.join(odd).join("zbd/a.zbd")).unwrap(),
        reader(11)
    );
}

/// A pipe in the place of a manifest, or of the game's file, is not waited for.
#[cfg(target_os = "linux")]
#[test]
fn pipes_do_not_block() {
    let dir = project();
    let at = dir.path();
    let pipe = |path: &str| {
        fs::remove_file(at.join(path)).ok();
        assert!(
            Command::new("mkfifo")
                .arg(at.join(path))
                .status()
                .unwrap()
                .success()
        );
    };
    edit(at, "zbd/a.zbd", 11);
    pipe("game/zbd/a.zbd");
    for line in ["repack mod", "repack mod --dry-run", "repack mod --force"] {
        let printed = err(&run(at, line).code(1));
        assert!(printed.contains("not a regular file"), "{line}: {printed}");
    }
    pipe("mod/refit.json");
    for line in ["status mod", "repack mod"] {
        run(at, line).code(1);
    }
}
