//! Sequences of what people do with a game, drawn at random: projects, mods, edits in place, restore, files that other programs write or
//! delete, and runs that are ended in the middle. A model of the game says after each step what may not be lost.
//!
//! `cargo xtask sequences` goes on without end. A failure prints its seed and the shortest part of the sequence that still fails; the
//! environment variable `REFIT_SEQUENCE` takes a seed, to play one again.

use roundtrip_tests::process::{archive, list, program, run, snapshot};
use std::{
    collections::BTreeSet,
    fs,
    path::PathBuf,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Sequences of the test, and steps of each.
const SEQUENCES: u64 = 60;
const STEPS: usize = 35;
/// At the same time, to use all processors.
const AT_ONCE: u64 = 4;
/// How often a failing sequence is tried with fewer steps.
const SHORTER: usize = 60;

fn reader(key: u32) -> Vec<u8> {
    archive(&[("keys.zrd", &list(&[key])), ("axes.zrd", &list(&[7]))])
}

/// The files of the game.
const FILES: [&str; 3] = ["zbd/a.zbd", "zbd/c1/b.zbd", "zbd/c2/c.zbd"];
/// Files that projects and mods add.
const NEW: [&str; 2] = ["zbd/x1/new.zbd", "zbd/n/new.txt"];

fn original(file: usize) -> Vec<u8> {
    reader(u32::try_from(file).unwrap() + 1)
}

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % below as u64).unwrap()
    }
}

/// A step.
#[derive(Clone, Debug)]
enum Step {
    /// A tree of the project gets a key.
    Edit { file: usize, key: u32 },
    /// A tree is added to the project, or taken out of it.
    Tree { there: bool },
    /// refit runs, and is ended before its k-th operation on the disk.
    Run { line: String, kill: Option<usize> },
    /// A member is put into a file of the game.
    Put { file: &'static str, key: u32, kill: Option<usize> },
    /// Another program writes a file, into it or in its place.
    Foreign { file: &'static str, key: u32, renamed: bool },
    /// Somebody deletes a file.
    Delete { file: &'static str },
}

fn steps(seed: u64) -> Vec<Step> {
    let mut dice = Dice(seed);
    let (all, mut made) = ([FILES[0], FILES[1], FILES[2], NEW[0]], Vec::new());
    for n in 0..STEPS {
        let key = 2_000 + u32::try_from(n).unwrap();
        let kill = (dice.roll(5) == 0).then(|| 1 + dice.roll(60));
        let force = if dice.roll(3) == 0 { " --force" } else { "" };
        let line = |line: String| Step::Run { line, kill };
        let one = 1 + dice.roll(2);
        made.push(match dice.roll(20) {
            0..3 => Step::Edit { file: dice.roll(3), key: if dice.roll(4) == 0 { 0 } else { key } },
            3 => Step::Tree { there: dice.roll(3) > 0 },
            4..8 => line(format!("repack mod{force}")),
            8..10 => Step::Put { file: all[dice.roll(4)], key, kill },
            10..12 => line(format!("mod apply m{one}.refitmod --to game --prefer last{force}")),
            12 => line(format!("mod remove m{one} --from game{force}")),
            13 => line(format!("mod remove --all --from game{force}")),
            14 | 15 => line("restore game".into()),
            16 => line(format!("restore game/{}", all[dice.roll(4)])),
            17 | 18 => Step::Foreign { file: all[dice.roll(4)], key, renamed: dice.roll(2) == 0 },
            _ => Step::Delete { file: all[dice.roll(4)] },
        });
    }
    made
}

/// Whose bytes may not be lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whose {
    Game,
    OtherProgram,
    EditInPlace,
}

struct Entry {
    bytes: Vec<u8>,
    whose: Whose,
    file: String,
}

type Files = Vec<(String, Vec<u8>)>;

struct Play {
    _dir: tempfile::TempDir,
    at: PathBuf,
    entries: Vec<Entry>,
    /// Files that others wrote since refit did.
    foreign: BTreeSet<String>,
    /// What a restore that was ended may still take back.
    taken_back: Option<String>,
    runs: usize,
}

fn bytes_of<'f>(files: &'f Files, name: &str) -> Option<&'f Vec<u8>> {
    files.iter().find(|(other, _)| other == name).map(|(_, bytes)| bytes)
}

/// What every sequence begins with: a game, its project and two mods. Made once.
fn stage() -> &'static Files {
    static STAGE: std::sync::OnceLock<Files> = std::sync::OnceLock::new();
    STAGE.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path();
        let write = |game: &str, files: [Vec<u8>; 3]| {
            for (file, bytes) in FILES.iter().zip(files) {
                let path = at.join(game).join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
        };
        write("game", [0, 1, 2].map(original));
        let axes = archive(&[("keys.zrd", &list(&[1])), ("axes.zrd", &list(&[70]))]);
        write("one", [reader(1001), original(1), original(2)]);
        write("two", [axes, reader(1002), original(2)]);
        fs::create_dir_all(at.join("one/zbd/n")).unwrap();
        fs::write(at.join("one").join(NEW[1]), "new\n").unwrap();
        for (mod_, game) in [("m1", "one"), ("m2", "two")] {
            run(at, &format!("mod make game {game} -o {mod_}.refitmod")).code(0);
        }
        snapshot(at).into_iter().filter(|(name, _)| name.starts_with("game/") || name.ends_with(".refitmod")).collect()
    })
}

impl Play {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().to_owned();
        for (name, bytes) in stage() {
            fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
            fs::write(at.join(name), bytes).unwrap();
        }
        run(&at, "unpack game -o mod -q").code(0);
        let game = |file: usize| Entry { bytes: original(file), whose: Whose::Game, file: FILES[file].to_owned() };
        let entries = (0..FILES.len()).map(game).collect();
        Play { _dir: dir, at, entries, foreign: BTreeSet::new(), taken_back: None, runs: 0 }
    }

    /// The files of the game. What a run that was ended left under a temporary name goes with the next one in that folder.
    fn game(&self) -> Files {
        let is_left = |name: &str| name.rsplit('/').next().is_some_and(|name| name.starts_with(".refit-") && name.ends_with(".tmp"));
        snapshot(&self.at.join("game")).into_iter().filter(|(name, _)| !is_left(name)).collect()
    }

    fn refit(&mut self, line: &str, kill: Option<usize>) -> (Option<i32>, String) {
        self.runs += 1;
        let mut command = Command::new(program());
        command.current_dir(&self.at).args(line.split(' ')).env_remove("REFIT_FAIL_AT");
        if let Some(kill) = kill {
            command.env("REFIT_FAIL_AT", format!("{kill}!"));
        }
        let done = command.output().unwrap();
        (done.status.code(), [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat())
    }

    /// What stood in a file is gone because somebody, not refit, wrote over it.
    fn forget(&mut self, before: Option<Vec<u8>>) {
        let (Some(before), now) = (before, self.game()) else { return };
        // What is on its way in a run that was ended is no copy.
        let is_left = now.iter().any(|(name, bytes)| *bytes == before && !name.contains("/.refit-"));
        self.entries.retain(|entry| is_left || entry.bytes != before);
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        let before = self.game();
        match step {
            Step::Edit { file, key } => {
                let key = if *key == 0 { u32::try_from(*file).unwrap() + 1 } else { *key };
                fs::write(self.at.join("mod").join(FILES[*file]).join("keys.zrd.json"), format!("[{key}]\n")).unwrap();
            }
            Step::Tree { there } => {
                let (from, to) = (self.at.join("mod").join(FILES[1]), self.at.join("mod").join(NEW[0]));
                let _ = fs::remove_dir_all(&to);
                if *there {
                    for (name, bytes) in snapshot(&from) {
                        fs::create_dir_all(to.join(&name).parent().unwrap()).unwrap();
                        fs::write(to.join(&name), bytes).unwrap();
                    }
                    // Not the bytes of another file.
                    fs::write(to.join("keys.zrd.json"), "[9]\n").unwrap();
                }
            }
            Step::Foreign { file, key, renamed } => {
                let path = self.at.join("game").join(file);
                if !path.parent().unwrap().is_dir() {
                    return Ok(());
                }
                if *renamed {
                    fs::write(self.at.join("patch"), reader(*key)).unwrap();
                    fs::rename(self.at.join("patch"), path).unwrap();
                } else {
                    fs::write(path, reader(*key)).unwrap();
                }
                self.foreign.insert((*file).to_owned());
                self.forget(bytes_of(&before, file).cloned());
                self.entries.push(Entry { bytes: reader(*key), whose: Whose::OtherProgram, file: (*file).to_owned() });
            }
            Step::Delete { file } => {
                if fs::remove_file(self.at.join("game").join(file)).is_ok() {
                    self.foreign.insert((*file).to_owned());
                    self.forget(bytes_of(&before, file).cloned());
                }
            }
            Step::Put { file, key, kill } => {
                fs::write(self.at.join("keys.json"), format!("[{key}]\n")).unwrap();
                let (code, said) = self.refit(&format!("put game/{file} keys.zrd keys.json"), *kill);
                self.check(&before, code, &said, kill.is_some(), false)?;
                let (old, new) = (bytes_of(&before, file), self.game());
                let new = bytes_of(&new, file);
                if let Some(new) = new.filter(|new| Some(*new) != old) {
                    self.foreign.remove(*file);
                    let of_edit = |entry: &Entry| entry.whose == Whose::EditInPlace && Some(&entry.bytes) == old;
                    self.entries.retain(|entry| !of_edit(entry));
                    self.entries.push(Entry { bytes: new.clone(), whose: Whose::EditInPlace, file: (*file).to_owned() });
                }
            }
            Step::Run { line, kill } => {
                let (code, said) = self.refit(line, *kill);
                let is_together = !line.starts_with("restore game/");
                if let Some(place) = line.strip_prefix("restore game") {
                    self.taken_back = Some(place.trim_start_matches('/').to_owned());
                }
                // What was edited in place is taken back by `restore`, which says so.
                if let Some(place) = &self.taken_back {
                    let now = self.game();
                    let is_gone = |entry: &Entry| {
                        entry.whose == Whose::EditInPlace
                            && (place.is_empty() || *place == entry.file)
                            && bytes_of(&before, &entry.file) == Some(&entry.bytes)
                            && !now.iter().any(|(_, bytes)| *bytes == entry.bytes)
                    };
                    self.entries.retain(|entry| !is_gone(entry));
                }
                if code != Some(137) && is_together {
                    self.taken_back = None;
                }
                self.check(&before, code, &said, kill.is_some(), true)?;
            }
        }
        self.check_kept()
    }

    /// What is always so after a run.
    fn check(&mut self, before: &Files, code: Option<i32>, said: &str, killed: bool, recovers: bool) -> Result<(), String> {
        let now = self.game();
        for (name, bytes) in &now {
            if bytes_of(before, name) != Some(bytes) {
                self.foreign.remove(name);
            }
        }
        let gone: Vec<String> = self.foreign.iter().filter(|name| bytes_of(&now, name) != bytes_of(before, name)).cloned().collect();
        gone.iter().for_each(|name| _ = self.foreign.remove(name));
        let good = matches!(code, Some(0 | 1 | 3)) || killed && code == Some(137);
        if !good || said.contains("panicked") || said.contains("a fault of refit") {
            return Err(format!("it ended with {code:?}: {said}"));
        }
        let recovered = recovers && ["has been finished", "has been undone"].iter().any(|text| said.contains(text));
        if code == Some(1) && !recovered && now != *before {
            let names = |files: &Files| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
            return Err(format!("it failed, and the game is another one: {:?}, {:?}: {said}", names(before), names(&now)));
        }
        Ok(())
    }

    /// Everything that may not be lost is somewhere in the game.
    fn check_kept(&mut self) -> Result<(), String> {
        let now = self.game();
        for entry in &self.entries {
            if !now.iter().any(|(_, bytes)| *bytes == entry.bytes) {
                return Err(format!("lost: {:?} of {}", entry.whose, entry.file));
            }
        }
        // The list of mods is true.
        if bytes_of(&now, "refit-mods.json").is_none() || bytes_of(&now, ".refit-journal").is_some() {
            return Ok(());
        }
        let (code, said) = self.refit("mod list game", None);
        let changed: Vec<&str> = said.lines().filter(|line| line.contains("somebody changed it")).collect();
        let mine = |line: &&&str| !self.foreign.iter().any(|file| line.contains(file.as_str()));
        if let Some(line) = changed.iter().find(mine) {
            return Err(format!("nobody else wrote that: {line}"));
        }
        if !matches!((code, said.contains("warning")), (Some(0), false) | (Some(3), true)) {
            return Err(format!("mod list ended with {code:?}: {said}"));
        }
        Ok(())
    }

    /// Everything is taken back: the game is pristine, but for what others did to it.
    fn end(&mut self, with_mods: bool) -> Result<(), String> {
        if with_mods && self.at.join("game/refit-mods.json").is_file() {
            self.step(&Step::Run { line: "mod remove --all --from game --force".into(), kill: None })?;
        }
        self.step(&Step::Run { line: "restore game".into(), kill: None })?;
        let now = self.game();
        for (name, bytes) in &now {
            let is_kept = name.contains(".orig.");
            let of_others = self.entries.iter().any(|entry| entry.whose == Whose::OtherProgram && entry.bytes == *bytes);
            if !FILES.contains(&name.as_str()) && !is_kept && !of_others {
                return Err(format!("left behind: {name} in {:?}", now.iter().map(|(name, _)| name).collect::<Vec<_>>()));
            }
        }
        for (i, file) in FILES.iter().enumerate() {
            let has_original = self.entries.iter().any(|entry| entry.whose == Whose::Game && entry.file == *file);
            // Somebody deleted it, or wrote in its place, where refit had put nothing: that is what it was to refit.
            let of_others = |bytes: &Vec<u8>| self.entries.iter().any(|entry| entry.whose == Whose::OtherProgram && entry.bytes == *bytes);
            let stands = bytes_of(&now, file);
            if has_original && stands != Some(&original(i)) && !stands.is_none_or(of_others) {
                return Err(format!("{file} is not the original again"));
            }
        }
        for folder in ["zbd/x1", "zbd/n", "refit-mods"] {
            let path = self.at.join("game").join(folder);
            if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()) {
                return Err(format!("{folder} is left, empty"));
            }
        }
        let (code, said) = self.refit("mod list game", None);
        if code != Some(0) || !said.contains("no mods are applied") {
            return Err(format!("mod list after all is taken back: {code:?}: {said}"));
        }
        Ok(())
    }
}

/// Plays a sequence: how many runs of the program it took.
fn play(steps: &[Step], with_mods: bool) -> Result<usize, String> {
    let mut play = Play::new();
    for (n, step) in steps.iter().enumerate() {
        play.step(step).map_err(|e| format!("step {n}, {step:?}: {e}"))?;
    }
    play.end(with_mods).map_err(|e| format!("at the end: {e}"))?;
    Ok(play.runs)
}

/// The sequence of a seed; what went wrong, with the fewest steps that were found to do so.
fn sequence(seed: u64) -> Result<usize, String> {
    let (mut steps, with_mods) = (steps(seed), seed.is_multiple_of(2));
    let mut error = match play(&steps, with_mods) {
        Ok(runs) => return Ok(runs),
        Err(error) => error,
    };
    let mut tries = 0;
    let mut size = steps.len() / 2;
    while size > 0 && tries < SHORTER {
        let mut from = 0;
        while from < steps.len() && tries < SHORTER {
            let shorter: Vec<Step> =
                steps.iter().enumerate().filter(|(i, _)| !(from..from + size).contains(i)).map(|(_, step)| step.clone()).collect();
            tries += 1;
            match play(&shorter, with_mods) {
                Err(e) => (steps, error) = (shorter, e),
                Ok(_) => from += size,
            }
        }
        size /= 2;
    }
    let told: Vec<String> = steps.iter().enumerate().map(|(n, step)| format!("  {n}: {step:?}")).collect();
    Err(format!("REFIT_SEQUENCE={seed}: {error}\n{}", told.join("\n")))
}

fn sequences(seeds: impl Iterator<Item = u64> + Send) -> (usize, Vec<String>) {
    let (seeds, done) = (Mutex::new(seeds), Mutex::new((0, Vec::new())));
    program();
    stage();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(seed) = seeds.lock().unwrap().next() else { break };
                    let one = sequence(seed);
                    let mut done = done.lock().unwrap();
                    match one {
                        Ok(runs) => done.0 += runs,
                        Err(e) => {
                            println!("{e}");
                            done.1.push(e);
                        }
                    }
                    if done.1.len() > 3 {
                        break;
                    }
                }
            });
        }
    });
    done.into_inner().unwrap()
}

#[test]
fn whatever_people_do_nothing_is_lost() {
    let given: Option<u64> = std::env::var("REFIT_SEQUENCE").ok().map(|seed| seed.parse().unwrap());
    let seeds: Box<dyn Iterator<Item = u64> + Send> = match given {
        Some(seed) => Box::new(std::iter::once(seed)),
        None => Box::new(0..SEQUENCES),
    };
    let (runs, failed) = sequences(seeds);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    println!("{runs} runs of the program");
    assert!(given.is_some() || SEQUENCES as usize * STEPS >= 2_000 && runs > 1_000, "{runs}");
}

/// Without end; `cargo xtask sequences` runs it.
#[test]
#[ignore = "it does not end"]
fn sequences_without_end() {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let first = std::env::var("REFIT_SEQUENCE").ok().map_or(SEQUENCES, |seed| seed.parse().unwrap());
    NEXT.store(first, Relaxed);
    let next = || {
        let seed = NEXT.fetch_add(1, Relaxed);
        if seed % 100 == 0 {
            println!("from seed {seed} on");
        }
        Some(seed)
    };
    let (_, failed) = sequences(std::iter::from_fn(next));
    panic!("{}", failed.join("\n"));
}
