//! Programs that are killed at any moment: applying and removing mods, and `watch`. The game
//! contains the old or the new state, never a mixture that the next run does not repair, and
//! nothing is left over.

use roundtrip_tests::process::{
    archive, copy_folder, copy_with_notes, err, list, names, program, refit, run, snapshot,
};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// Number of kills for each command. On Windows, a program takes longer to start.
const KILLS: u32 = if cfg!(windows) { 40 } else { 200 };
/// At the same time, to use all processors.
const AT_ONCE: u32 = 4;

fn reader(key: u32) -> Vec<u8> {
    archive(&[("keys.zrd", &list(&[key])), ("axes.zrd", &list(&[7]))])
}

/// The files of the game.
const FILES: [&str; 3] = ["zbd/reader.zbd", "zbd/c1/zrdr.zbd", "zbd/c2/zrdr.zbd"];

fn write_game(dir: &Path, name: &str, keys: [u32; 3]) {
    for (file, key) in FILES.iter().zip(keys) {
        let path = dir.join(name).join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, reader(key)).unwrap();
    }
}

/// A program that is ended with the test.
struct Running(Child);

impl Running {
    fn start(dir: &Path, line: &str, output: impl Fn() -> Stdio) -> Self {
        Running(
            Command::new(program())
                .current_dir(dir)
                .args(line.split(' '))
                .stdout(output())
                .stderr(output())
                .spawn()
                .unwrap(),
        )
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Moments between nothing and a while, each another one.
fn moment(round: u32, most: Duration) -> Duration {
    most.mul_f64(f64::from(round * 7_919 % 1_009) / 1_009.0)
}

/// When the files of the game were written: another time as soon as another file is put in place.
fn modified_times(dir: &Path) -> Vec<Option<std::time::SystemTime>> {
    FILES
        .iter()
        .map(|file| {
            fs::metadata(dir.join("game").join(file))
                .and_then(|meta| meta.modified())
                .ok()
        })
        .collect()
}

/// The game's state: its files, and its list of mods, without refit's own files.
fn made(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let own = |name: &str| name.split('/').any(|part| part.starts_with(".refit-"));
    snapshot(&dir.join("game"))
        .into_iter()
        .filter(|(name, _)| !own(name))
        .collect()
}

fn is_left(dir: &Path) -> bool {
    snapshot(dir).iter().any(|(name, _)| {
        name.split('/')
            .any(|part| part.starts_with(".refit-") && part.ends_with(".tmp"))
    })
}

/// Applies and removes mods, and kills every run. Returns the number of kills while files were put
/// in place.
fn mods(first: u32) -> u32 {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_game(dir, "game", [1, 2, 3]);
    write_game(dir, "one", [11, 2, 3]);
    write_game(dir, "two", [1, 12, 13]);
    fs::write(dir.join("two/new.txt"), "new\n").unwrap();
    for name in ["one", "two"] {
        run(dir, &format!("mod make game {name} -o {name}.refitmod")).code(0);
    }
    let (apply, remove) = (
        "mod apply one.refitmod two.refitmod --to game",
        "mod remove --all --from game",
    );
    let old = made(dir);
    let began = Instant::now();
    run(dir, apply).code(0);
    let took = began.elapsed().max(Duration::from_millis(20));
    let new = made(dir);
    run(dir, remove).code(0);
    assert_eq!(made(dir), old);
    let mut between = 0;
    for round in 0..KILLS / AT_ONCE {
        for (line, from, to) in [(apply, &old, &new), (remove, &new, &old)] {
            let before = modified_times(dir);
            let running = Running::start(dir, line, Stdio::null);
            // Every other one is ended as soon as the first file is in place.
            match round % 2 {
                0 => std::thread::sleep(moment(first + round * AT_ONCE, took.mul_f64(1.2))),
                _ => {
                    let began = Instant::now();
                    while modified_times(dir) == before && began.elapsed() < took.mul_f64(4.0) {
                        std::thread::yield_now();
                    }
                }
            }
            running.kill();
            let now = made(dir);
            for (name, bytes) in &now {
                let known = |state: &[(String, Vec<u8>)]| {
                    state
                        .iter()
                        .any(|(other, same)| other == name && same == bytes)
                };
                assert!(
                    known(from) || known(to),
                    "round {round}: {line}: {name} is neither the old nor the new"
                );
            }
            // The next run finishes it or starts over, and reports it if the kill came between two
            // files.
            let again = refit(dir).args(line.split(' ')).output().unwrap();
            let said = String::from_utf8_lossy(&again.stderr);
            let reported = said.contains("it is now finished") || said.contains("it is now undone");
            if now != *from && now != *to {
                between += 1;
                assert!(reported, "round {round}: {line}: {said}");
            }
            let gone = line == remove && (now == *to || reported);
            assert!(
                again.status.success() || gone,
                "round {round}: {line}: {said}"
            );
            assert!(made(dir) == *to, "round {round}: {line}: {said}");
        }
    }
    assert!(!is_left(dir));
    run(dir, apply).code(0);
    assert!(made(dir) == new);
    between
}

#[test]
fn killed_runs_of_mods_are_finished_or_undone() {
    let between: u32 = std::thread::scope(|scope| {
        let all: Vec<_> = (0..AT_ONCE).map(|n| scope.spawn(move || mods(n))).collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    println!(
        "{between} of {} kills came while files were put in place",
        2 * KILLS
    );
    assert!(between > 0);
}

fn until(what: &str, done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Starts `watch` and waits until it watches.
fn watching(
    dir: &Path,
    line: &str,
) -> (
    Running,
    std::io::Lines<BufReader<std::process::ChildStdout>>,
) {
    let mut running = Running::start(dir, line, Stdio::piped);
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    loop {
        let line = lines.next().expect("it watches").unwrap();
        if line.starts_with("watching") {
            return (running, lines);
        }
    }
}

/// Kills a `watch` after each save; the next one builds what is missing. Returns the number of
/// saves that were in the game at the kill.
fn watch(first: u32, project: bool) -> u32 {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_game(dir, "game", [1, 2, 3]);
    let (line, text): (_, PathBuf) = if project {
        run(dir, "unpack game -o project").code(0);
        (
            "watch project",
            dir.join("project/zbd/reader.zbd/keys.zrd.json"),
        )
    } else {
        run(dir, "unpack game/zbd/reader.zbd -o tree").code(0);
        ("watch tree --into game/zbd", dir.join("tree/keys.zrd.json"))
    };
    let file = dir.join("game/zbd/reader.zbd");
    let (mut saved, mut built) = (1, 0);
    for round in 0..KILLS / AT_ONCE {
        let (running, _lines) = watching(dir, line);
        // Edits from before the kill are built by the next run.
        assert!(fs::read(&file).unwrap() == reader(saved), "round {round}");
        let (old, new) = (saved, 100 + round);
        fs::write(&text, format!("[{new}]")).unwrap();
        saved = new;
        std::thread::sleep(moment(first + round * AT_ONCE, Duration::from_millis(90)));
        running.kill();
        let now = fs::read(&file).unwrap();
        assert!(
            now == reader(old) || now == reader(new),
            "round {round}: the file is neither the old nor the new"
        );
        built += u32::from(now == reader(new));
    }
    let (running, _lines) = watching(dir, line);
    assert!(fs::read(&file).unwrap() == reader(saved));
    assert_eq!(
        fs::read(dir.join("game/zbd/reader.zbd.orig")).unwrap(),
        reader(1)
    );
    running.kill();
    assert!(
        !is_left(&dir.join("game")),
        "{:?}",
        names(&dir.join("game/zbd"))
    );
    built
}

#[test]
fn a_killed_watch_is_continued_by_the_next() {
    let built: u32 = std::thread::scope(|scope| {
        let all: Vec<_> = (0..AT_ONCE)
            .map(|n| scope.spawn(move || watch(n, n % 2 == 1)))
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    println!("{built} of {KILLS} saves were built before the end");
    // Some kills came before the file was put in place, some after.
    assert!(built > 0 && built < KILLS, "{built}");
}

/// Interrupted work in a game is finished before one of its files is replaced, as the next `repack`
/// of the project would do.
#[test]
#[cfg(debug_assertions)]
fn a_killed_repack_is_finished_before_one_of_its_files_is_replaced() {
    let ended = |operation: u32| {
        let dir = tempfile::tempdir().unwrap();
        write_game(dir.path(), "game", [1, 2, 3]);
        run(dir.path(), "unpack game -o project").code(0);
        for (tree, key) in [("zbd/reader.zbd", 4), ("zbd/c1/zrdr.zbd", 5)] {
            fs::write(
                dir.path().join("project").join(tree).join("keys.zrd.json"),
                format!("[{key}]"),
            )
            .unwrap();
        }
        refit(dir.path())
            .args(["repack", "project"])
            .env("REFIT_FAIL_AT", format!("{operation}!"))
            .assert()
            .code(137);
        dir
    };
    let journal = |dir: &Path| dir.join("game/.refit-journal");
    let is_ready = |dir: &Path| {
        let text = fs::read(journal(dir)).unwrap_or_default();
        serde_json::from_slice(&text)
            .is_ok_and(|journal: serde_json::Value| journal["ready"] == true)
    };
    let operation = (1..)
        .find(|operation| is_ready(ended(*operation).path()))
        .unwrap();
    // Whoever reads meanwhile is told, and only once.
    let dir = ended(operation);
    fs::write(dir.path().join("new.json"), "[9]").unwrap();
    for line in [
        "lint game",
        "lint game/zbd/c1/zrdr.zbd",
        "diff game project",
        "diff project",
        "status project",
        "show game/zbd/reader.zbd",
        "list game/zbd/reader.zbd",
        "info game",
        "refs wall game",
        "verify game",
        "mod make game project -o a.refitmod",
        "unpack game -o other",
        "put game/zbd/reader.zbd keys.zrd new.json --dry-run",
    ] {
        let errors = err(&run(dir.path(), line));
        let told = errors
            .matches("was interrupted while it put files in place")
            .count();
        assert_eq!(told, 1, "{line}: {errors}");
    }
    assert!(is_ready(dir.path()));
    for line in [
        "put game/zbd/reader.zbd keys.zrd new.json",
        "repack tree -o game/zbd/reader.zbd --force",
        // The project's repack changed the file, which is not replaced without force.
        "watch tree --into game/zbd --force",
    ] {
        let dir = ended(operation);
        let dir = dir.path();
        assert!(is_ready(dir) && fs::read(dir.join("game/zbd/c1/zrdr.zbd")).unwrap() == reader(2));
        fs::write(dir.join("new.json"), "[9]").unwrap();
        fs::write(dir.join("original.zbd"), reader(1)).unwrap();
        run(dir, "unpack original.zbd -o tree").code(0);
        fs::write(dir.join("tree/keys.zrd.json"), "[9]").unwrap();
        if line.starts_with("watch") {
            fs::write(
                dir.join("tree/refit.json"),
                fs::read_to_string(dir.join("tree/refit.json"))
                    .unwrap()
                    .replace("original", "reader"),
            )
            .unwrap();
            watching(dir, line).0.kill();
        } else {
            let errors = err(&run(dir, line).code(0));
            assert!(errors.contains("it is now finished"), "{line}: {errors}");
        }
        assert!(!journal(dir).exists(), "{line}");
        assert!(
            fs::read(dir.join("game/zbd/c1/zrdr.zbd")).unwrap() == reader(5),
            "{line}"
        );
        assert!(
            fs::read(dir.join("game/zbd/reader.zbd")).unwrap() == reader(9),
            "{line}"
        );
    }
}

#[test]
fn a_project_is_watched_as_a_whole() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    // Two files are equal: they share a tree.
    write_game(dir, "game", [1, 2, 2]);
    write_game(dir, "copy", [1, 2, 2]);
    run(dir, "unpack game -o project").code(0);
    fs::write(dir.join("project/zbd/c1/zrdr.zbd/axes.zrd.json"), "[70]").unwrap();
    let both = archive(&[("keys.zrd", &list(&[2])), ("axes.zrd", &list(&[70]))]);
    let is = |game: &str, file: usize, bytes: &[u8]| {
        fs::read(dir.join(game).join(FILES[file])).unwrap() == bytes
    };
    let mut running = Running::start(dir, "watch project --json", Stdio::piped);
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    let mut next =
        || serde_json::from_str::<serde_json::Value>(&lines.next().unwrap().unwrap()).unwrap();
    // Edits made before the watch are built first, in both places.
    let first = [next(), next()];
    assert!(
        first
            .iter()
            .all(|row| row["status"] == "built" && row["saved"] == serde_json::json!([])),
        "{first:?}"
    );
    assert!(is("game", 1, &both) && is("game", 2, &both) && is("game", 0, &reader(1)));
    let row = next();
    assert_eq!(
        (&row["status"], &row["files"]),
        (&"watching".into(), &3.into())
    );
    // Two trees are saved at the same time, one of them twice, and one with an error.
    let keys = |tree: &str| dir.join("project").join(tree).join("keys.zrd.json");
    fs::write(keys("zbd/reader.zbd"), "[4]").unwrap();
    let row = next();
    assert_eq!(
        (&row["status"], &row["saved"]),
        (&"built".into(), &serde_json::json!(["keys.zrd.json"])),
        "{row}"
    );
    assert!(
        row["file"]
            .as_str()
            .unwrap()
            .replace('\\', "/")
            .ends_with("game/zbd/reader.zbd"),
        "{row}"
    );
    assert!(is("game", 0, &reader(4)));
    fs::write(keys("zbd/c1/zrdr.zbd"), "[5,,]").unwrap();
    fs::write(keys("zbd/reader.zbd"), "[6]").unwrap();
    until("the good one", || is("game", 0, &reader(6)));
    let rows = [next(), next(), next()];
    let errors: Vec<&str> = rows
        .iter()
        .filter(|row| row["status"] == "error")
        .map(|row| row["error"].as_str().unwrap())
        .collect();
    assert!(
        errors.len() == 2
            && errors
                .iter()
                .all(|error| error.contains("zrdr.zbd/keys.zrd.json:1:4")),
        "{rows:?}"
    );
    assert!(
        is("game", 1, &both) && is("game", 2, &both),
        "the last good file is kept"
    );
    fs::write(keys("zbd/c1/zrdr.zbd"), "[5]").unwrap();
    let both = archive(&[("keys.zrd", &list(&[5])), ("axes.zrd", &list(&[70]))]);
    until("both places", || {
        is("game", 1, &both) && is("game", 2, &both)
    });
    running.kill();
    // Into another copy of the game.
    let (running, _lines) = watching(dir, "watch project --into copy");
    assert!(is("copy", 0, &reader(6)) && is("copy", 1, &both) && is("copy", 2, &both));
    running.kill();
    assert!(!is_left(&dir.join("game")) && !is_left(&dir.join("copy")));
}

/// A watched tree, and the output of the program.
fn watched(dir: &Path, line: &str) -> (Running, std::sync::mpsc::Receiver<String>) {
    let mut running = Running::start(dir, line, Stdio::piped);
    let (sender, receiver) = std::sync::mpsc::channel();
    let out = running.0.stdout.take().unwrap();
    let err = running.0.stderr.take().unwrap();
    let streams: [Box<dyn std::io::Read + Send>; 2] = [Box::new(out), Box::new(err)];
    for stream in streams {
        let sender = sender.clone();
        std::thread::spawn(move || {
            BufReader::new(stream)
                .lines()
                .map_while(Result::ok)
                .for_each(|line| _ = sender.send(line))
        });
    }
    // Earlier edits are built first.
    while !receiver
        .recv_timeout(Duration::from_secs(60))
        .unwrap()
        .starts_with("watching")
    {}
    (running, receiver)
}

fn save(dir: &Path, tree: &str, key: u32) {
    fs::write(dir.join(tree).join("keys.zrd.json"), format!("[{key}]\n")).unwrap();
}

/// A folder that is created again, or renamed and back, is still watched.
#[test]
fn watch_follows_a_recreated_folder() {
    for poll in ["", " --poll 20"] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        write_game(dir, "game", [1, 2, 3]);
        run(dir, "unpack game -o mod").code(0);
        run(dir, "unpack game/zbd/reader.zbd -o tree").code(0);
        for (line, root, tree, file) in [
            (
                "watch tree --into game/zbd/reader.zbd",
                "tree",
                "tree",
                FILES[0],
            ),
            ("watch mod", "mod", "mod/zbd/c1/zrdr.zbd", FILES[1]),
            (
                "watch mod",
                "mod/zbd/c2/zrdr.zbd",
                "mod/zbd/c2/zrdr.zbd",
                FILES[2],
            ),
        ] {
            let (_running, _said) = watched(dir, &format!("{line}{poll}"));
            let made = |key: u32| {
                let is = || fs::read(dir.join("game").join(file)).unwrap() == reader(key);
                until(&format!("{line}{poll}: {root}: {key}"), is);
            };
            save(dir, tree, 21);
            made(21);
            let away = dir.join("away");
            fs::rename(dir.join(root), &away).unwrap();
            fs::rename(&away, dir.join(root)).unwrap();
            save(dir, tree, 22);
            made(22);
            fs::rename(dir.join(root), &away).unwrap();
            std::thread::sleep(Duration::from_millis(700));
            fs::rename(&away, dir.join(root)).unwrap();
            save(dir, tree, 23);
            made(23);
            // Made again of a copy.
            let copy = dir.join("copy");
            copy_with_notes(&dir.join(root), &copy);
            fs::remove_dir_all(dir.join(root)).unwrap();
            copy_with_notes(&copy, &dir.join(root));
            fs::remove_dir_all(&copy).unwrap();
            save(dir, tree, 24);
            made(24);
            std::thread::sleep(Duration::from_millis(600));
            save(dir, tree, 25);
            made(25);
        }
    }
}

/// A tree that is copied into a project, and one that returns later than its project.
#[test]
fn watch_finds_trees_that_are_added_later() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_game(dir, "game", [1, 2, 3]);
    run(dir, "unpack game -o mod").code(0);
    let (_running, _said) = watched(dir, "watch mod");
    let made = |tree: &str, key: u32| {
        save(dir, &format!("mod/{tree}"), key);
        until(&format!("{tree}: {key}"), || {
            fs::read(dir.join("game").join(tree)).is_ok_and(|now| now == reader(key))
        });
    };
    made(FILES[0], 21);
    fs::create_dir(dir.join("mod/zbd/c3")).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    copy_with_notes(
        &dir.join("mod").join(FILES[1]),
        &dir.join("mod/zbd/c3/zrdr.zbd"),
    );
    made("zbd/c3/zrdr.zbd", 22);
    // A late tree does not delay the rest.
    copy_with_notes(&dir.join("mod"), &dir.join("copy"));
    fs::rename(dir.join("copy/zbd/c1"), dir.join("late")).unwrap();
    fs::remove_dir_all(dir.join("mod")).unwrap();
    copy_with_notes(&dir.join("copy"), &dir.join("mod"));
    made(FILES[2], 23);
    std::thread::sleep(Duration::from_millis(700));
    copy_with_notes(&dir.join("late"), &dir.join("mod/zbd/c1"));
    made(FILES[1], 24);
}

/// Waits until the program prints a line with this text. Returns the lines before it.
fn printed(said: &std::sync::mpsc::Receiver<String>, text: &str) -> Vec<String> {
    let mut before = Vec::new();
    loop {
        match said.recv_timeout(Duration::from_secs(60)) {
            Ok(line) if line.contains(text) => return before,
            Ok(line) => before.push(line),
            Err(e) => panic!("{text}: {e}: {before:?}"),
        }
    }
}

/// A file that another hand changed is left alone, as by `repack`; with force it is kept, which is
/// reported.
#[test]
fn watch_replaces_what_another_hand_wrote_only_with_force() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_game(dir, "game", [1, 2, 3]);
    run(dir, "unpack game -o mod").code(0);
    run(dir, "unpack game/zbd/reader.zbd -o tree").code(0);
    fs::write(dir.join("new.json"), "[98]").unwrap();
    let file = dir.join("game").join(FILES[0]);
    for (line, tree, foreign) in [
        ("watch mod", "mod/zbd/reader.zbd", 97),
        ("watch tree --into game/zbd/reader.zbd", "tree", 99),
    ] {
        run(dir, "restore game").code(0);
        {
            let (_running, said) = watched(dir, line);
            save(dir, tree, 21);
            until("the first save", || fs::read(&file).unwrap() == reader(21));
            for (n, refused) in [
                (98, "this file was edited in place (refit put, import)"),
                (
                    foreign,
                    "this file is neither the original nor what refit wrote",
                ),
            ] {
                if n == 98 {
                    run(dir, "put game/zbd/reader.zbd keys.zrd new.json").code(0);
                } else {
                    fs::write(&file, reader(foreign)).unwrap();
                }
                save(dir, tree, 22 + n);
                printed(&said, refused);
                assert_eq!(fs::read(&file).unwrap(), reader(n), "{line}");
            }
            // The same bytes replace nothing, and belong to the tree from now on.
            fs::write(&file, reader(23)).unwrap();
            save(dir, tree, 23);
            printed(&said, ", unchanged");
        }
        let (_running, said) = watched(dir, &format!("{line} --force"));
        fs::write(&file, reader(foreign)).unwrap();
        save(dir, tree, 24);
        until("the save with force", || {
            fs::read(&file).unwrap() == reader(24)
        });
        printed(&said, "reader.zbd.orig.");
        let kept = names(&dir.join("game/zbd"))
            .into_iter()
            .filter(|name| name.starts_with("reader.zbd.orig."))
            .any(|name| fs::read(dir.join("game/zbd").join(name)).unwrap() == reader(foreign));
        assert!(kept, "{line}");
    }
}

/// A project that returns from elsewhere does not know the game's folder: an error says so, instead
/// of waiting for ever.
#[cfg(unix)] // Windows does not remove a folder that is watched.
#[test]
fn watch_reports_why_it_cannot_continue() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_game(dir, "game", [1, 2, 3]);
    run(dir, "unpack game -o mod").code(0);
    copy_folder(&dir.join("mod"), &dir.join("copy"));
    fs::remove_dir_all(dir.join("copy/.refit")).unwrap();
    let (_running, said) = watched(dir, "watch mod");
    fs::remove_dir_all(dir.join("mod")).unwrap();
    fs::rename(dir.join("copy"), dir.join("mod")).unwrap();
    until("it is said", || {
        said.try_iter().any(|line| {
            line.contains("the game folder of this project is not known on this machine (name the")
        })
    });
}
