//! Random sequences of user actions, and a model that says after each step what must not be lost:
//! projects, mods, edits in place, `restore`, files that other programs write or delete, copies by
//! hand, and runs that are killed.
//!
//! A seed always gives the same sequence. Runs are stopped before their k-th disk operation, which
//! is reproducible; in every fourth sequence after a delay, by a real kill, which is not.

use crate::process::{archive, list, program, run, snapshot};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt::Debug,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, OnceLock},
    time::Duration,
};

/// Random steps, and a model that says after each of them what must be true.
pub trait Model {
    /// One action.
    type Step: Clone + Debug;
    /// The name for `cargo xtask sequences --model`.
    const NAME: &'static str;
    /// The steps of a seed.
    fn steps(seed: u64, count: usize) -> Vec<Self::Step>;
    /// Plays steps in an empty folder: the number of runs of the program, or the error and its
    /// step.
    fn play(at: &Path, steps: &[Self::Step]) -> Result<usize, String>;
}

/// Projects, mods, edits in place and `restore` over the files of a game: nothing is lost.
pub struct Saves;

impl Model for Saves {
    type Step = Step;
    const NAME: &'static str = "saves";
    fn steps(seed: u64, count: usize) -> Vec<Step> {
        steps(seed, count)
    }
    fn play(at: &Path, steps: &[Step]) -> Result<usize, String> {
        play(at, steps)
    }
}

/// How often a sequence that fails is tried with fewer steps.
const SHORTER: usize = 80;

/// The files of the game: archives of two lists, and a text.
const GAME: [&str; 4] = ["zbd/a.zbd", "zbd/c1/b.zbd", "zbd/c2/c.zbd", "cfg.ini"];
/// Files that projects and mods add: a tree, which has the place of a new mission, and a text.
const NEW: [&str; 2] = ["zbd/m9/new.zbd", "zbd/n/new.txt"];
/// Files that other programs put next to them.
const STRAY: [&str; 3] = ["zbd/m9/mine.txt", "zbd/n/mine.txt", "zbd/c1/mine.txt"];
/// The text among the files.
const TEXT: usize = 3;
/// The members of an archive, which are two of its fields.
const MEMBERS: [&str; 2] = ["keys.zrd", "axes.zrd"];

/// The values of a file's fields.
type Values = [u32; 3];

fn pristine_values(file: usize) -> Values {
    let n = u32::try_from(file).unwrap_or_default();
    if file == TEXT {
        [1, 2, 3]
    } else {
        [n + 1, 7, 0]
    }
}

fn render(file: usize, values: Values) -> Vec<u8> {
    if file != TEXT {
        return archive(&[
            (MEMBERS[0], &list(&[values[0]])),
            (MEMBERS[1], &list(&[values[1]])),
        ]);
    }
    // Far enough apart that changes of two of them do not touch.
    let block = |(name, value): (&str, u32)| {
        format!("[{name}]\r\nvolume = {value}\r\n; all of {name}\r\n; is above\r\n\r\n")
    };
    ["music", "speech", "effects"]
        .into_iter()
        .zip(values)
        .map(block)
        .collect::<String>()
        .into_bytes()
}

/// The values in a file; `None` for another file.
fn parse(file: usize, bytes: &[u8]) -> Option<Values> {
    let values = if file == TEXT {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut found = text
            .lines()
            .filter_map(|line| line.strip_prefix("volume = ")?.parse().ok());
        [found.next()?, found.next()?, found.next()?]
    } else {
        let at = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        [at(12)?, at(28)?, 0]
    };
    (render(file, values) == bytes).then_some(values)
}

/// Numbers that follow from a seed (splitmix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % below.max(1) as u64).unwrap_or_default()
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.roll(n) == 0
    }

    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.roll(all.len())]
    }
}

/// How a run is ended too early.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Kill {
    /// Before its k-th operation on the disk.
    Operation(usize),
    /// After this number of microseconds.
    Moment(u64),
}

/// The content that a foreign program writes into a file.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Foreign {
    /// A file of the same kind, into the file.
    Same,
    /// The same, renamed into its place.
    Renamed,
    /// Something that no reader knows.
    Other,
}

/// A change that a mod makes: file, field and value.
pub type Change = (usize, usize, u32);

/// A step.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Step {
    /// A list of a tree is edited; 0 takes the edit back.
    Edit {
        project: usize,
        file: &'static str,
        member: usize,
        value: u32,
    },
    /// Adds the tree of a new file to a project, or removes it.
    Tree {
        project: usize,
        there: bool,
        value: u32,
    },
    /// A mod is made, or made again.
    Make {
        name: usize,
        version: u32,
        changes: Vec<Change>,
        text: bool,
        tree: bool,
        kill: Option<Kill>,
    },
    /// refit runs.
    Run { line: String, kill: Option<Kill> },
    /// A list is put into an archive of the game.
    Put {
        file: &'static str,
        member: usize,
        value: u32,
        kill: Option<Kill>,
    },
    /// Another program writes a file.
    Write {
        path: &'static str,
        value: u32,
        how: Foreign,
    },
    /// Somebody deletes a file or a folder.
    Delete { path: String },
    /// Somebody puts an original back by hand: a copy, or the file itself.
    ByHand { file: &'static str, moved: bool },
}

fn steps(seed: u64, count: usize) -> Vec<Step> {
    let mut dice = Dice(seed);
    let archives = [GAME[0], GAME[1], GAME[2], NEW[0]];
    let all = [GAME[0], GAME[1], GAME[2], GAME[3], NEW[0], NEW[1]];
    let mut made = Vec::new();
    for n in 0..count {
        // Every value is written once.
        let value = 2_000 + 10 * u32::try_from(n).unwrap_or_default();
        let kill = dice.one_in(5).then(|| match seed % 4 {
            3 => Kill::Moment(dice.roll(40_000) as u64),
            _ => Kill::Operation(1 + dice.roll(70)),
        });
        let force = if dice.one_in(4) { " --force" } else { "" };
        let dry = if dice.one_in(20) { " --dry-run" } else { "" };
        let project = 1 + dice.roll(10) / 7;
        let name = 1 + dice.roll(3);
        let run = |line: String| Step::Run {
            line: line + dry,
            kill,
        };
        made.push(match dice.roll(100) {
            0..12 => {
                let value = if dice.one_in(4) { 0 } else { value };
                Step::Edit {
                    project,
                    file: dice.of(&archives),
                    member: dice.roll(2),
                    value,
                }
            }
            12..15 => Step::Tree {
                project,
                there: !dice.one_in(3),
                value,
            },
            15..20 => run(format!("unpack game -o p{project}{force}")),
            20..34 => {
                let bare = if dice.one_in(12) { " --no-backup" } else { "" };
                run(format!("repack p{project}{force}{bare}"))
            }
            34..36 => {
                let file = dice.of(&archives);
                run(format!("repack p{project}/{file} -o game/{file}{force}"))
            }
            36..44 => Step::Put {
                file: dice.of(&archives),
                member: dice.roll(2),
                value,
                kill,
            },
            44..49 => {
                let mut changes = Vec::new();
                for i in 0..1 + u32::try_from(dice.roll(3)).unwrap_or_default() {
                    let file = dice.roll(4);
                    let field = dice.roll(if file == TEXT { 3 } else { 2 });
                    if !changes.iter().any(|(f, at, _)| (*f, *at) == (file, field)) {
                        changes.push((file, field, value + i));
                    }
                }
                Step::Make {
                    name,
                    version: value,
                    changes,
                    text: dice.one_in(2),
                    tree: dice.one_in(5),
                    kill,
                }
            }
            49..61 => {
                let prefer = dice.of(&["", " --prefer first", " --prefer last", " --prefer last"]);
                let second = if dice.one_in(4) {
                    format!(" m{}.refitmod", 1 + name % 3)
                } else {
                    String::new()
                };
                run(format!(
                    "mod apply m{name}.refitmod{second} --to game{prefer}{force}"
                ))
            }
            61..66 => run(format!("mod remove m{name} --from game{force}")),
            66..69 => run(format!("mod remove --all --from game{force}")),
            69..75 => run("restore game".into()),
            75..80 => run(format!("restore game/{}", dice.of(&all))),
            80..82 => run(format!(
                "restore game {} {}",
                dice.of(&GAME[..2]),
                dice.of(&GAME[2..])
            )),
            82 => run(format!("status p{project}")),
            83 => run("mod check --to game".into()),
            84..90 => Step::Write {
                path: dice.of(&all),
                value,
                how: dice.of(&[Foreign::Same, Foreign::Renamed, Foreign::Other]),
            },
            90..92 => Step::Write {
                path: dice.of(&STRAY),
                value,
                how: Foreign::Other,
            },
            92..95 => Step::Delete {
                path: format!("game/{}", dice.of(&all)),
            },
            95 => Step::Delete {
                path: format!("game/{}.orig{}", dice.of(&all), dice.of(&["", "", ".2"])),
            },
            96 => Step::Delete {
                path: format!("p{project}/{}", dice.of(&archives)),
            },
            97 => Step::Delete {
                path: format!("p{project}{}", dice.of(&["", ".old"])),
            },
            _ => Step::ByHand {
                file: dice.of(&all),
                moved: dice.one_in(2),
            },
        });
    }
    made
}

/// Whose bytes may not be lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whose {
    /// The game's.
    Game,
    /// Another program's.
    Foreign,
    /// Those of a document in a project that was edited.
    Document,
    /// The original of a file edited in place: the command that restores it reports it.
    InPlace,
}

struct Entry {
    bytes: Vec<u8>,
    whose: Whose,
    /// The file, below the game's folder or the project's.
    file: String,
}

/// Who wrote the content of a file of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    Foreign,
    InPlace,
    Mods,
    Project(usize),
    /// A run that was killed, or one that finished such a run.
    Unknown,
}

type Files = BTreeMap<String, Vec<u8>>;

/// The result of a run of the program.
struct Ran {
    code: Option<i32>,
    killed: bool,
    out: String,
    err: String,
}

impl Ran {
    fn output(&self) -> String {
        format!("{:?}\n{}{}", self.code, self.out, self.err)
    }

    fn names(&self, file: &str) -> bool {
        self.out.contains(file) || self.err.contains(file)
    }

    fn recovered(&self) -> bool {
        ["is now finished", "is now undone", "was interrupted"]
            .iter()
            .any(|text| self.err.contains(text))
    }
}

fn is_temporary(path: &str) -> bool {
    path.split('/')
        .any(|step| step.starts_with(".refit-") && step != ".refit-written")
}

struct Play {
    at: PathBuf,
    /// Everything that is in the game and the projects.
    files: Files,
    entries: Vec<Entry>,
    owners: HashMap<(String, Vec<u8>), Owner>,
    /// The content of files when a project was made from them: the project may replace them.
    sources: HashSet<(usize, Vec<u8>)>,
    /// New files of a project, or files written where the user asked for them: `restore` leaves
    /// them.
    wanted_here: BTreeSet<String>,
    /// The changes of each version of the mods.
    mods: HashMap<(String, String), Vec<Change>>,
    /// Runs that were ended, and that the next one finishes or undoes.
    ended: Vec<String>,
    runs: usize,
    killed: usize,
}

/// The start of every sequence: a game and two mods. Made once.
fn stage() -> &'static Files {
    static STAGE: OnceLock<Files> = OnceLock::new();
    STAGE.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a folder is made");
        for folder in ["game", "base"] {
            write_game(&dir.path().join(folder), &[]);
        }
        for (name, changes) in first_mods() {
            let _ = fs::remove_dir_all(dir.path().join("work"));
            write_game(&dir.path().join("work"), &changes);
            run(
                dir.path(),
                &format!("mod make base work -o {name}.refitmod --version 0 -q"),
            )
            .code(0);
        }
        let _ = fs::remove_dir_all(dir.path().join("work"));
        snapshot(dir.path()).into_iter().collect()
    })
}

fn first_mods() -> [(&'static str, Vec<Change>); 2] {
    [
        ("m1", vec![(0, 0, 1001), (TEXT, 0, 1002)]),
        ("m2", vec![(0, 1, 1003), (1, 0, 1004), (TEXT, 0, 1005)]),
    ]
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder is made");
    fs::write(path, bytes).expect("a file is written");
}

/// True if a project was built on top of the mods: the run says so, and each change of the mods
/// is in the new file.
fn kept_mods(file: &str, old: Option<&Vec<u8>>, new: Option<&Vec<u8>>, ran: &Ran) -> bool {
    let says = |line: &str| line.contains(file) && line.contains("with the changes of");
    let Some(n) = GAME.iter().position(|name| *name == file) else {
        return false;
    };
    let [old, new] = [old, new].map(|bytes| parse(n, bytes?));
    let (Some(old), Some(new)) = (old, new) else {
        return false;
    };
    let keeps = |((old, new), first)| old == first || old == new;
    ran.out.lines().any(says) && old.into_iter().zip(new).zip(pristine_values(n)).all(keeps)
}

/// The pristine game with changes.
fn write_game(root: &Path, changes: &[Change]) {
    for (file, name) in GAME.iter().enumerate() {
        let mut values = pristine_values(file);
        changes
            .iter()
            .filter(|(of, ..)| *of == file)
            .for_each(|(_, field, value)| values[*field] = *value);
        write(&root.join(name), &render(file, values));
    }
}

impl Play {
    fn new(at: &Path) -> Result<Self, String> {
        for (name, bytes) in stage() {
            write(&at.join(name), bytes);
        }
        let game = |file: usize| Entry {
            bytes: render(file, pristine_values(file)),
            whose: Whose::Game,
            file: GAME[file].to_owned(),
        };
        let mods = first_mods()
            .into_iter()
            .map(|(name, changes)| ((name.to_owned(), "0".to_owned()), changes))
            .collect();
        let mut play = Play {
            at: at.to_owned(),
            files: Files::new(),
            entries: (0..GAME.len()).map(game).collect(),
            owners: HashMap::new(),
            sources: HashSet::new(),
            wanted_here: BTreeSet::new(),
            mods,
            ended: Vec::new(),
            runs: 0,
            killed: 0,
        };
        let ran = play.refit("unpack game -o p1 -q", None);
        play.files = play.scan();
        if ran.code == Some(0) {
            Ok(play)
        } else {
            Err(format!("the game is not unpacked: {}", ran.output()))
        }
    }

    fn scan(&self) -> Files {
        let mut files = Files::new();
        for entry in fs::read_dir(&self.at)
            .expect("a folder can be read")
            .filter_map(|entry| entry.ok())
        {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() && !matches!(name.as_str(), "base" | "work") {
                files.extend(
                    snapshot(&entry.path())
                        .into_iter()
                        .map(|(path, bytes)| (format!("{name}/{path}"), bytes)),
                );
            }
        }
        files
    }

    fn refit(&mut self, line: &str, kill: Option<Kill>) -> Ran {
        self.runs += 1;
        let mut command = Command::new(program());
        command
            .current_dir(&self.at)
            .args(line.split(' '))
            .env_remove("REFIT_FAIL_AT")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        if let Some(Kill::Operation(kill)) = kill {
            command.env("REFIT_FAIL_AT", format!("{kill}!"));
        }
        let done = if let Some(Kill::Moment(moment)) = kill {
            let mut child = command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("refit starts");
            std::thread::sleep(Duration::from_micros(moment));
            let _ = child.kill();
            child.wait_with_output()
        } else {
            command.output()
        }
        .expect("refit runs");
        let [out, err] =
            [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        let code = done.status.code();
        // A run that is killed from outside may have finished already. On Windows a killed program
        // ends with 1; refit gives a reason when it does.
        let ended = matches!(kill, Some(Kill::Moment(_))) && code == Some(1) && err.is_empty();
        let killed = kill.is_some() && (ended || !matches!(code, Some(0 | 1 | 3)));
        Ran {
            code,
            killed,
            out,
            err,
        }
    }

    fn of_game(&self, file: &str) -> Option<&Vec<u8>> {
        self.files.get(&format!("game/{file}"))
    }

    fn is_tracked(&self, whose: Whose, bytes: &[u8]) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.whose == whose && entry.bytes == bytes)
    }

    /// Updates the model after the sequence itself changed files: what it deleted is not refit's
    /// loss.
    fn did(&mut self) {
        let now = self.scan();
        let before = std::mem::replace(&mut self.files, now);
        let gone: HashSet<&Vec<u8>> = before
            .iter()
            .filter(|(path, bytes)| self.files.get(*path) != Some(*bytes))
            .map(|(_, bytes)| bytes)
            .collect();
        // Staging files of a killed run do not count as copies.
        let kept: HashSet<&Vec<u8>> = self
            .files
            .iter()
            .filter(|(path, _)| !is_temporary(path))
            .map(|(_, bytes)| bytes)
            .collect();
        self.entries
            .retain(|entry| !gone.contains(&entry.bytes) || kept.contains(&entry.bytes));
    }

    fn track(&mut self, bytes: Vec<u8>, whose: Whose, file: &str) {
        self.entries.push(Entry {
            bytes,
            whose,
            file: file.to_owned(),
        });
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Edit {
                project,
                file,
                member,
                value,
            } => self.edit(&format!("p{project}/{file}"), file, *member, *value),
            Step::Tree {
                project,
                there,
                value,
            } => self.tree(*project, *there, *value),
            Step::Make {
                name,
                version,
                changes,
                text,
                tree,
                kill,
            } => {
                self.make(*name, *version, changes, (*text, *tree), *kill)?;
            }
            Step::Run { line, kill } => {
                let is_there =
                    |word: &str| !word.ends_with(".refitmod") || self.at.join(word).is_file();
                if line.split(' ').all(is_there) {
                    let ran = self.refit(line, *kill);
                    self.ran(line, &ran)?;
                }
            }
            Step::Put {
                file,
                member,
                value,
                kill,
            } => self.put(file, *member, *value, *kill)?,
            Step::Write { path, value, how } => self.write_as_another(path, *value, *how),
            Step::Delete { path } => {
                let path = self.at.join(path);
                if path.is_dir() {
                    fs::remove_dir_all(path).expect("a folder is deleted");
                } else {
                    let _ = fs::remove_file(path);
                }
                self.did();
            }
            Step::ByHand { file, moved } => {
                let [place, original] = [(*file).to_owned(), format!("{file}.orig")]
                    .map(|name| self.at.join("game").join(name));
                if original.is_file() {
                    if *moved {
                        fs::rename(original, place).expect("a file is renamed");
                    } else {
                        let bytes = fs::read(original).expect("a file can be read");
                        fs::write(place, bytes).expect("a file is written");
                    }
                    self.did();
                }
            }
        }
        self.all_kept("the sequence itself did it", None)
    }

    /// Edits a document of a tree; 0 restores the original value.
    fn edit(&mut self, tree: &str, file: &str, member: usize, value: u32) {
        let path = self.at.join(tree).join(format!("{}.json", MEMBERS[member]));
        if !path.is_file() {
            return;
        }
        let first = GAME
            .iter()
            .position(|name| *name == file)
            .map_or([9, 7, 0], pristine_values);
        let text = format!("[{}]\n", if value == 0 { first[member] } else { value });
        fs::write(path, &text).expect("a document is written");
        self.did();
        if value != 0 {
            self.track(text.into_bytes(), Whose::Document, tree);
        }
    }

    /// Adds a tree of a new file to a project, or removes it.
    fn tree(&mut self, project: usize, there: bool, value: u32) {
        let [from, to] = [GAME[1], NEW[0]].map(|file| self.at.join(format!("p{project}/{file}")));
        let _ = fs::remove_dir_all(&to);
        let text = format!("[{value}]\n");
        if there && from.is_dir() {
            snapshot(&from)
                .into_iter()
                .for_each(|(name, bytes)| write(&to.join(name), &bytes));
            write(&to.join(format!("{}.json", MEMBERS[0])), text.as_bytes());
            self.track(
                text.into_bytes(),
                Whose::Document,
                &format!("p{project}/{}", NEW[0]),
            );
        }
        self.did();
    }

    /// Makes a mod of a game with these changes, and with a new text and a new tree.
    fn make(
        &mut self,
        name: usize,
        version: u32,
        changes: &[Change],
        (text, tree): (bool, bool),
        kill: Option<Kill>,
    ) -> Result<(), String> {
        let work = self.at.join("work");
        let _ = fs::remove_dir_all(&work);
        write_game(&work, changes);
        if text {
            write(
                &work.join(NEW[1]),
                format!("new text {version}\n").as_bytes(),
            );
        }
        if tree {
            write(&work.join(NEW[0]), &render(0, [version, version + 5, 0]));
        }
        let line = format!(
            "mod make base work -o m{name}.refitmod --name m{name} --version {version} --force"
        );
        let ran = self.refit(&line, kill);
        // A run that was ended may have been done already.
        self.mods
            .insert((format!("m{name}"), version.to_string()), changes.to_vec());
        self.ran(&line, &ran)?;
        if !ran.killed && ran.code != Some(0) {
            return Err(format!("no mod is made: {}", ran.output()));
        }
        Ok(())
    }

    fn put(
        &mut self,
        file: &str,
        member: usize,
        value: u32,
        kill: Option<Kill>,
    ) -> Result<(), String> {
        fs::write(self.at.join("new.json"), format!("[{value}]\n")).expect("a document is written");
        let line = format!("put game/{file} {} new.json", MEMBERS[member]);
        let old = self.of_game(file).cloned();
        let ran = self.refit(&line, kill);
        self.ran(&line, &ran)?;
        // A run that was ended before may have been finished by this one.
        let is_it = |new: &&Vec<u8>| {
            Some(*new) != old.as_ref()
                && parse(0, new).is_some_and(|values| values[member] == value)
        };
        if let Some(new) = self.of_game(file).filter(is_it).cloned() {
            self.track(new, Whose::InPlace, file);
        }
        Ok(())
    }

    /// Writes a file of the game as another program does.
    fn write_as_another(&mut self, path: &str, value: u32, how: Foreign) {
        let place = self.at.join("game").join(path);
        if !place.parent().is_some_and(Path::is_dir) {
            return;
        }
        let known = GAME
            .iter()
            .chain(&NEW[..1])
            .position(|name| *name == path)
            .filter(|_| how != Foreign::Other);
        let bytes = match known {
            Some(file) => {
                let end = if file == TEXT { 5 } else { 0 };
                render(
                    if file == GAME.len() { 0 } else { file },
                    [value, value + 1, end],
                )
            }
            None => format!("written by another program {value}\u{1}").into_bytes(),
        };
        if how == Foreign::Renamed {
            write(&self.at.join("patch"), &bytes);
            fs::rename(self.at.join("patch"), place).expect("a file is renamed");
        } else {
            fs::write(place, &bytes).expect("a file is written");
        }
        self.did();
        self.owners
            .insert((path.to_owned(), bytes.clone()), Owner::Foreign);
        self.track(bytes, Whose::Foreign, path);
    }

    /// Invariants after every run.
    fn ran(&mut self, line: &str, ran: &Ran) -> Result<(), String> {
        let now = self.scan();
        let before = std::mem::replace(&mut self.files, now);
        let good = ran.killed || matches!(ran.code, Some(0 | 1 | 3));
        if !good
            || [
                "panicked",
                "a fault of refit",
                "internal error",
                "bug in refit",
            ]
            .iter()
            .any(|text| ran.names(text))
        {
            return Err(format!("it ended with {}", ran.output()));
        }
        let has_temporary = |files: &Files| {
            files
                .keys()
                .any(|path| path.starts_with("game/") && is_temporary(path))
        };
        let word = |n: usize| line.split(' ').nth(n).unwrap_or_default();
        let is_together = matches!(word(0), "mod" if matches!(word(1), "apply" | "remove"))
            || word(0) == "repack" && !word(1).contains('/')
            || line == "restore game";
        let dry = line.ends_with("--dry-run");
        let only_looks =
            dry || matches!(word(0), "status") || word(1) == "check" || word(1) == "make";
        if (only_looks || word(0) == "unpack")
            && before.iter().any(|(path, bytes)| {
                path.starts_with("game/") && self.files.get(path) != Some(bytes)
            })
        {
            return Err(format!("it changed the game: {}", ran.output()));
        }
        if dry && before != self.files {
            return Err(format!("a dry run changed something: {}", ran.output()));
        }
        self.own(line, ran, &before)?;
        let is_game = |files: &Files| -> Files {
            files
                .iter()
                .filter(|(path, _)| path.starts_with("game/") && !is_temporary(path))
                .map(|(path, bytes)| (path.clone(), bytes.clone()))
                .collect()
        };
        // Files that are named one by one are restored one by one.
        let one_by_one = word(0) == "restore" && !word(3).is_empty();
        if ran.code == Some(1)
            && !one_by_one
            && !ran.recovered()
            && self.ended.is_empty()
            && is_game(&before) != is_game(&self.files)
        {
            return Err(format!(
                "it failed, and the game is another one: {}",
                ran.output()
            ));
        }
        self.all_kept(line, Some(ran))?;
        if ran.killed {
            self.killed += 1;
            self.ended.push(line.to_owned());
        } else if is_together && !dry && (ran.code != Some(1) || ran.recovered()) {
            // A folder that killed runs left is swept when something is written there.
            let journal = self.files.keys().find(|path| {
                path.ends_with("/.refit-journal")
                    || path.ends_with(".new")
                    || path.contains(".old") && is_temporary(path)
            });
            if let Some(path) = journal.filter(|path| path.starts_with("game/")) {
                return Err(format!("{path} is left: {}", ran.output()));
            }
            self.ended.clear();
        } else if !has_temporary(&self.files) {
            self.ended.clear();
        }
        if !ran.killed && !only_looks {
            self.list(line)
        } else {
            Ok(())
        }
    }

    /// Without --force and without a message, nothing replaces a file of somebody else.
    fn own(&mut self, line: &str, ran: &Ran, before: &Files) -> Result<(), String> {
        let word = line.split(' ').next().unwrap_or_default();
        let project = line
            .split([' ', '/'])
            .nth(1)
            .and_then(|name| name.strip_prefix('p')?.parse().ok());
        if let ("unpack", Some(project)) = (
            word,
            line.rsplit(" p")
                .next()
                .and_then(|name| name.get(..1)?.parse().ok()),
        ) {
            let game = before.iter().filter(|(path, _)| path.starts_with("game/"));
            self.sources
                .extend(game.clone().map(|(_, bytes)| (project, bytes.clone())));
            let new = |path: &&String| {
                NEW.iter()
                    .any(|file| path.strip_prefix("game/") == Some(file))
            };
            self.wanted_here
                .extend(game.map(|(path, _)| path).filter(new).cloned());
        }
        if let Some((_, target)) = line.split_once(" -o ").filter(|_| word == "repack") {
            self.wanted_here
                .extend(target.split(' ').next().map(str::to_owned));
        }
        let me = match word {
            _ if ran.killed || ran.recovered() || !self.ended.is_empty() => Owner::Unknown,
            "put" => Owner::InPlace,
            "mod" => Owner::Mods,
            "repack" => project.map_or(Owner::Unknown, Owner::Project),
            _ => Owner::Unknown,
        };
        let may_all =
            line.contains("--force") || word == "put" || word == "restore" || me == Owner::Unknown;
        for file in GAME.iter().chain(&NEW) {
            let place = format!("game/{file}");
            let (old, new) = (before.get(&place), self.files.get(&place));
            if old == new {
                continue;
            }
            let is_source = |old: &Vec<u8>| {
                project.is_some_and(|project| self.sources.contains(&(project, old.clone())))
            };
            let was = old
                .filter(|old| !self.is_pristine(file, old) && !is_source(old))
                .and_then(|old| self.owners.get(&((*file).to_owned(), old.clone())));
            if let Some(was) = was.filter(|was| !may_all && **was != me && **was != Owner::Unknown)
                && !ran.err.contains(file)
                && !(*was == Owner::Mods && kept_mods(file, old, new, ran))
            {
                return Err(format!(
                    "{file}, which {was:?} wrote, is replaced by {me:?} without a word: {}",
                    ran.output()
                ));
            }
            if let Some(new) = new {
                let key = ((*file).to_owned(), new.clone());
                let is_of_mods = |line: &str| {
                    line.contains(file) && line.contains("the result of the mods again")
                };
                match word {
                    // A restored file belongs to its former owner.
                    "restore" => _ = self.owners.entry(key).or_insert(Owner::Unknown),
                    "repack" if ran.out.lines().any(is_of_mods) => {
                        _ = self.owners.insert(key, Owner::Mods);
                    }
                    _ => _ = self.owners.insert(key, me),
                }
            }
        }
        Ok(())
    }

    fn is_pristine(&self, file: &str, bytes: &[u8]) -> bool {
        GAME.iter()
            .position(|name| *name == file)
            .is_some_and(|n| render(n, pristine_values(n)) == bytes)
    }

    /// Everything that may not be lost is somewhere in the game or in a project.
    fn all_kept(&mut self, line: &str, ran: Option<&Ran>) -> Result<(), String> {
        let ended = !self.ended.is_empty() || ran.is_some_and(|ran| ran.killed);
        // Until a killed run is finished, files that it moved aside are among its own files.
        let kept: HashSet<&Vec<u8>> = self
            .files
            .iter()
            .filter(|(path, _)| ended || !is_temporary(path))
            .map(|(_, bytes)| bytes)
            .collect();
        let (kept, gone): (Vec<Entry>, Vec<Entry>) = self
            .entries
            .drain(..)
            .partition(|entry| kept.contains(&entry.bytes));
        self.entries = kept;
        let lines: Vec<&str> = self
            .ended
            .iter()
            .map(String::as_str)
            .chain([line])
            .collect();
        for entry in gone {
            let documented = lines.iter().any(|line| line.contains("--no-backup"))
                && matches!(entry.whose, Whose::InPlace | Whose::Foreign | Whose::Game);
            let named = ran.is_some_and(|ran| ran.names(&entry.file));
            let takes_back = |line: &&str| {
                let mut words = line.split(' ');
                let is_of = |word: &str| {
                    word == "game"
                        || word == entry.file
                        || word.strip_prefix("game/") == Some(&entry.file)
                };
                match words.next() {
                    Some("restore") => words.any(is_of) && (named || ended),
                    Some("put") => words.any(is_of),
                    // The project was made from it, and contains it.
                    Some("repack")
                        if self.sources.iter().any(|(_, bytes)| *bytes == entry.bytes) =>
                    {
                        true
                    }
                    _ => line.contains("--force") && (named || ended),
                }
            };
            if documented || entry.whose == Whose::InPlace && lines.iter().any(takes_back) {
                continue;
            }
            let what = String::from_utf8_lossy(&entry.bytes)
                .chars()
                .filter(|c| !c.is_control())
                .take(60)
                .collect::<String>();
            let said = ran.map(Ran::output).unwrap_or_default();
            return Err(format!(
                "lost: {:?} of {} ({what}): {said}",
                entry.whose, entry.file
            ));
        }
        Ok(())
    }

    /// The list of mods is correct, and `mod list` agrees with the files.
    fn list(&mut self, line: &str) -> Result<(), String> {
        let Some(text) = self.files.get("game/refit-mods.json") else {
            let copies: Vec<&String> = self
                .files
                .keys()
                .filter(|path| path.starts_with("game/refit-mods/"))
                .collect();
            return if copies.is_empty() || !self.ended.is_empty() {
                Ok(())
            } else {
                Err(format!("copies of mods are left: {copies:?}"))
            };
        };
        if self.files.contains_key("game/.refit-journal") {
            return Ok(());
        }
        let state: serde_json::Value =
            serde_json::from_slice(text).map_err(|e| format!("refit-mods.json: {e}"))?;
        let rows = |key: &str| state[key].as_array().cloned().unwrap_or_default();
        let mut others = BTreeSet::new();
        for file in rows("files") {
            let path = file["path"].as_str().unwrap_or_default();
            let now = self.of_game(path);
            if now
                .map(|bytes| refit::Sum::of(bytes).to_string())
                .as_deref()
                != file["written"].as_str()
            {
                others.insert(path.to_owned());
                let owner = now.and_then(|now| self.owners.get(&(path.to_owned(), now.clone())));
                if owner == Some(&Owner::Mods)
                    && !now.is_some_and(|now| self.is_pristine(path, now))
                {
                    return Err(format!(
                        "refit-mods.json does not say what the mods made of {path}"
                    ));
                }
                continue;
            }
            let Some(n) = GAME.iter().position(|name| *name == path) else {
                continue;
            };
            let first = render(n, pristine_values(n));
            if file["original"].as_str() != Some(&refit::Sum::of(&first).to_string()) {
                continue;
            }
            let wanted = self.wanted(n, &rows("mods"), &file["mods"]);
            let found = now.and_then(|now| parse(n, now));
            if found != Some(wanted) {
                return Err(format!(
                    "{path}: the mods {} want {wanted:?}, it holds {found:?} ({:?})",
                    file["mods"],
                    rows("mods")
                ));
            }
        }
        // The program must agree; that takes as long as a step, so not every time.
        if self.runs.is_multiple_of(3) {
            let ran = self.refit("mod list game", None);
            let expected = if others.is_empty() { 0 } else { 3 };
            let warned = |path: &&str| {
                ran.err
                    .lines()
                    .any(|line| line.contains(&format!("{path}: ")))
            };
            let named: BTreeSet<String> = GAME
                .iter()
                .chain(&NEW)
                .filter(|path| warned(path))
                .map(|path| (*path).to_owned())
                .collect();
            if ran.code != Some(expected) || named != others {
                return Err(format!(
                    "after {line}, {others:?} are not what the mods made of them, and mod list says {}",
                    ran.output()
                ));
            }
        }
        Ok(())
    }

    /// What applied mods make of a file of the game together.
    fn wanted(&self, file: usize, mods: &[serde_json::Value], names: &serde_json::Value) -> Values {
        let mut wanted: [Option<u32>; 3] = [None; 3];
        let of_file = |applied: &&serde_json::Value| {
            names
                .as_array()
                .is_some_and(|names| names.contains(&applied["name"]))
        };
        for applied in mods.iter().filter(of_file) {
            let text = |key: &str| applied[key].as_str().unwrap_or_default().to_owned();
            for (_, field, value) in self
                .mods
                .get(&(text("name"), text("version")))
                .into_iter()
                .flatten()
                .filter(|(of, ..)| *of == file)
            {
                if wanted[*field].is_none() || text("prefer") == "last" {
                    wanted[*field] = Some(*value);
                }
            }
        }
        let mut values = pristine_values(file);
        values
            .iter_mut()
            .zip(wanted)
            .for_each(|(value, wanted)| *value = wanted.unwrap_or(*value));
        values
    }

    /// After everything is undone, the game is pristine, except for changes by others.
    fn end(&mut self) -> Result<(), String> {
        for line in ["mod remove --all --from game --force", "restore game"] {
            // One command may have to finish another one first.
            for _ in 0..3 {
                let ran = self.refit(line, None);
                self.ran(line, &ran)?;
                if ran.code != Some(1) {
                    break;
                }
            }
        }
        for (path, bytes) in self
            .files
            .iter()
            .filter_map(|(path, bytes)| Some((path.strip_prefix("game/")?, bytes)))
        {
            let is_wanted = self.wanted_here.contains(&format!("game/{path}"));
            if !GAME.contains(&path)
                && !is_wanted
                && !is_temporary(path)
                && !self.is_tracked(Whose::Foreign, bytes)
                && !path.contains(".orig.")
            {
                // Without its original, refit cannot take it back.
                return Err(format!(
                    "left behind: {path} of {:?}",
                    self.files
                        .keys()
                        .filter(|path| path.starts_with("game/"))
                        .collect::<Vec<_>>()
                ));
            }
        }
        for (n, file) in GAME.iter().enumerate() {
            let original = render(n, pristine_values(n));
            let current = self.of_game(file);
            let by_others = current.is_none_or(|bytes| self.is_tracked(Whose::Foreign, bytes));
            if self.is_tracked(Whose::Game, &original) && current != Some(&original) && !by_others {
                return Err(format!(
                    "{file} is not the original again, which is still there"
                ));
            }
        }
        // A folder that a killed run made, but did not record yet, may remain.
        for folder in ["zbd/m9", "zbd/n", "refit-mods"] {
            if self.killed == 0
                && fs::read_dir(self.at.join("game").join(folder))
                    .is_ok_and(|mut entries| entries.next().is_none())
            {
                return Err(format!("{folder} is left, empty"));
            }
        }
        let ran = self.refit("mod list game", None);
        if ran.code != Some(0) || !ran.names("no mods are applied") {
            return Err(format!(
                "mod list after all is taken back: {}",
                ran.output()
            ));
        }
        self.swept()
    }

    /// Leftovers of killed runs are removed by the next run that writes there.
    fn swept(&mut self) -> Result<(), String> {
        let left = |files: &Files| {
            files
                .keys()
                .filter(|path| is_temporary(path))
                .cloned()
                .collect::<Vec<_>>()
        };
        if left(&self.files).is_empty() {
            return Ok(());
        }
        fs::write(self.at.join("new.json"), "[999]\n").expect("a document is written");
        for (n, file) in GAME.iter().enumerate().take(TEXT) {
            write(
                &self.at.join("game").join(file),
                &render(n, pristine_values(n)),
            );
            self.refit(&format!("put game/{file} keys.zrd new.json"), None);
        }
        self.refit("restore game", None);
        self.refit("unpack game -o p3", None);
        match left(&self.scan()).as_slice() {
            [] => Ok(()),
            left => Err(format!("left for good: {left:?}")),
        }
    }
}

/// Makes steps in their order. An error names its step.
pub(crate) fn each<S: Debug>(
    steps: &[S],
    mut make: impl FnMut(&S) -> Result<(), String>,
) -> Result<(), String> {
    steps
        .iter()
        .enumerate()
        .try_for_each(|(n, step)| make(step).map_err(|e| format!("step {n}, {step:?}: {e}")))
}

/// Plays steps in an empty folder: the number of runs of the program, or the error and its step.
fn play(at: &Path, steps: &[Step]) -> Result<usize, String> {
    let mut play = Play::new(at)?;
    each(steps, |step| play.step(step))?;
    play.end().map_err(|e| format!("at the end: {e}"))?;
    Ok(play.runs)
}

fn folder(seed: u64) -> tempfile::TempDir {
    tempfile::Builder::new()
        .prefix(&format!("refit-sequence-{seed}-"))
        .tempdir()
        .expect("a folder is made")
}

/// Plays the sequence of a seed: the number of runs of the program, or the error, with a minimal
/// list of steps and the folder in which it can be inspected.
pub fn sequence<M: Model>(seed: u64, count: usize) -> Result<usize, String> {
    let mut steps = M::steps(seed, count);
    let dir = folder(seed);
    let mut error = match M::play(dir.path(), &steps) {
        Ok(runs) => return Ok(runs),
        Err(error) => error,
    };
    drop(dir);
    let (mut tries, mut size) = (0, steps.len() / 2);
    while size > 0 && tries < SHORTER {
        let mut from = 0;
        while from < steps.len() && tries < SHORTER {
            let without = |i: &usize| !(from..from + size).contains(i);
            let shorter: Vec<M::Step> = (0..steps.len())
                .filter(without)
                .map(|i| steps[i].clone())
                .collect();
            tries += 1;
            match M::play(folder(seed).path(), &shorter) {
                Err(e) => (steps, error) = (shorter, e),
                Ok(_) => from += size,
            }
        }
        size /= 2;
    }
    // Once more, for inspection.
    let at = folder(seed).keep();
    let again = M::play(&at, &steps).is_err();
    let steps_shown: Vec<String> = steps
        .iter()
        .enumerate()
        .map(|(n, step)| format!("  {n}: {step:?}"))
        .collect();
    let sure = if again {
        ""
    } else {
        " (not when it was played once more)"
    };
    Err(format!(
        "seed {seed}, {count} steps{sure}: {error}\n{}\nit can be seen in {}; again: cargo xtask sequences --model {} \
        --seed {seed} --steps {count}",
        steps_shown.join("\n"),
        at.display(),
        M::NAME
    ))
}

/// Plays the sequences of seeds on all processors until there is a finding: how many were played,
/// with how many runs of the program, and the findings.
pub fn sequences<M: Model>(
    seeds: impl Iterator<Item = u64> + Send,
    count: usize,
    said: &(dyn Fn(usize, usize) + Sync),
) -> (usize, usize, Vec<String>) {
    program();
    let (seeds, done) = (Mutex::new(seeds), Mutex::new((0, 0, Vec::new())));
    // A run waits for the disk as well.
    let threads = 2 * std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let failed = !done.lock().expect("no thread panics").2.is_empty();
                    let next = if failed {
                        None
                    } else {
                        seeds.lock().expect("no thread panics").next()
                    };
                    let Some(seed) = next else { break };
                    let one = sequence::<M>(seed, count);
                    let mut done = done.lock().expect("no thread panics");
                    done.0 += 1;
                    match one {
                        Ok(runs) => done.1 += runs,
                        Err(e) => done.2.push(e),
                    }
                    said(done.0, done.1);
                }
            });
        }
    });
    done.into_inner().expect("no thread panics")
}
