//! Edits, undos, foreign edits, faults, kills and builds, drawn at random from a seed: nothing is
//! ever lost, and undo of everything gives the bytes of before.
//!
//! `REFIT_SESSION_STEPS` is the number of steps, and `REFIT_SESSION_SEED` the first seed; a failure
//! prints the seed and the steps before it.

use crate::{DOOR, GOALS, NODES, copies, documents, project, set, value};
use refit_base::tree::Style;
use refit_diff::Value;
use refit_session::{Edit, Edited, MemberEdit, NodeMotion, Session, WorldEdit};
use refit_workbench::Quiet;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Steps in a normal run of the tests, and of each project.
const STEPS: usize = 60;
const OF_PROJECT: usize = 30;

/// The values that are followed, for which any number fits: file, part, path, and what comes before
/// them in the text.
const VALUES: [(&str, &str, &str, &str); 6] = [
    (
        DOOR,
        NODES,
        "nodes[2].data.camera.clip_far",
        "\"clip_far\": ",
    ),
    (
        DOOR,
        NODES,
        "nodes[2].data.camera.fov_h_base",
        "\"fov_h_base\": ",
    ),
    (
        DOOR,
        NODES,
        "nodes[2].data.camera.lod_multiplier",
        "\"lod_multiplier\": ",
    ),
    (GOALS, "briefing.zrd.json", "[1]", "\"TITLE\", "),
    (
        "zbd/zrdr.zbd",
        "sounds.zrd.json",
        "[1][0][3]",
        "\"creak.wav\", \"VOLUME\", ",
    ),
    (
        "zbd/zrdr.zbd",
        "sounds.zrd.json",
        "[1][1][3]",
        "\"thud.wav\", \"VOLUME\", ",
    ),
];

/// A generator of numbers (xorshift64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

/// One thing that a user does through the session.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Deed {
    Edit(Edit),
    Undo,
    Redo,
    Revert(u64),
}

fn perform(session: &mut Session, deed: &Deed) -> refit_base::Result<Option<Edited>> {
    match deed {
        Deed::Edit(edit) => session.edit(edit).map(Some),
        Deed::Undo => session.undo(),
        Deed::Redo => session.redo(),
        Deed::Revert(number) => session.revert(*number).map(Some),
    }
}

/// Performs one deed in its own program, so that a fault or a kill can be asked for.
#[test]
fn deed_of_another_program() {
    let Ok(root) = std::env::var("REFIT_SESSION_ROOT") else {
        return;
    };
    let deed = std::env::var("REFIT_SESSION_DEED").unwrap();
    let deed: Deed = serde_json::from_str(&deed).unwrap();
    let done = Session::open(Path::new(&root)).and_then(|mut session| perform(&mut session, &deed));
    std::process::exit(match done {
        Ok(_) => 0,
        Err(_) => 1,
    });
}

/// Runs [`deed_of_another_program`]; `fail_at` is for `REFIT_FAIL_AT`. Returns its exit code.
fn elsewhere(root: &Path, deed: &Deed, fail_at: Option<String>) -> i32 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "model::deed_of_another_program"])
        .env("REFIT_SESSION_ROOT", root)
        .env("REFIT_SESSION_DEED", serde_json::to_string(deed).unwrap());
    if let Some(at) = fail_at {
        command.env("REFIT_FAIL_AT", at);
    }
    command.output().unwrap().status.code().unwrap()
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let to = to.join(entry.path().strip_prefix(from).unwrap());
        match entry.file_type().is_dir() {
            true => fs::create_dir_all(to).unwrap(),
            false => _ = fs::copy(entry.path(), to).unwrap(),
        }
    }
}

/// The followed values of a project.
fn followed(root: &Path) -> Vec<Value> {
    let read = |(file, part, path, _): &(&str, &str, &str, &str)| {
        let text = fs::read_to_string(root.join(file).join(part)).unwrap();
        let document = value(&text);
        // Copies of nodes are behind the camera.
        let at = refit_diff::find(&document, path).unwrap();
        document.at(&at).unwrap().clone()
    };
    VALUES.iter().map(read).collect()
}

/// An edit of the user that was made, or undone.
struct Known {
    number: u64,
    before: Option<u64>,
    /// The documents before and after it, as it found and left them.
    states: (Documents, Documents),
    /// The followed value that it set: its position, the old and the new one.
    value: Option<(usize, Value, Value)>,
    parts: Vec<String>,
}

type Documents = BTreeMap<String, Vec<u8>>;

struct Play {
    dice: Dice,
    _dir: tempfile::TempDir,
    root: PathBuf,
    initial: Documents,
    session: Session,
    edits: BTreeMap<u64, Known>,
    done: Option<u64>,
    undone: Vec<u64>,
    /// What the followed values must be.
    values: Vec<Value>,
    /// Increases with every value, so that none occurs twice.
    counter: usize,
    /// Parts that other programs changed, with the number of the last edit then.
    told: Vec<String>,
}

impl Play {
    fn new(seed: u64) -> Self {
        let (dir, root) = project(Style::Json);
        Play {
            dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            _dir: dir,
            initial: documents(&root),
            session: Session::open(&root).unwrap(),
            edits: BTreeMap::new(),
            done: None,
            undone: Vec::new(),
            values: followed(&root),
            root,
            counter: 0,
            told: Vec::new(),
        }
    }

    fn next_value(&mut self) -> Value {
        self.counter += 1;
        Value::Number(format!("{}.5", 1000 + self.counter).into())
    }

    /// An edit, and the followed value that it sets.
    fn draw_edit(&mut self) -> (Edit, Option<usize>) {
        let n = self.counter;
        self.counter += 1;
        let member = |change| Edit::Member {
            file: "zbd/soundsh.zbd".into(),
            change,
        };
        let world = |change| Edit::World {
            file: DOOR.into(),
            change,
        };
        let wav = |last: usize| {
            let mut wav = b"RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x11\x2b\0\0\x22\x56\0\0\x02\0\x10\0data\x04\0\0\0"
                .to_vec();
            wav.extend([0, 0, last as u8, (last >> 8) as u8]);
            wav
        };
        match self.dice.below(14) {
            0..=5 => {
                let at = self.dice.below(VALUES.len());
                let (file, part, path, _) = VALUES[at];
                let (new, old) = (self.next_value(), self.values[at].clone());
                let with_old = self.dice.below(2) == 0;
                let edit = Edit::Set {
                    file: file.into(),
                    part: part.into(),
                    path: path.into(),
                    value: new,
                    old: with_old.then_some(old),
                };
                (edit, Some(at))
            }
            6 => {
                let text = format!("new {n}");
                let edit = Edit::Insert {
                    file: GOALS.into(),
                    part: "objectives.zrd.json".into(),
                    path: String::new(),
                    index: self.dice.below(3),
                    value: Value::Text(text.into()),
                };
                (edit, None)
            }
            7 => {
                let edit = Edit::Remove {
                    file: GOALS.into(),
                    part: "objectives.zrd.json".into(),
                    path: format!("[{}]", self.dice.below(3)),
                    old: None,
                };
                (edit, None)
            }
            8 => {
                let edit = Edit::Move {
                    file: GOALS.into(),
                    part: "objectives.zrd.json".into(),
                    path: format!("[{}]", self.dice.below(3)),
                    to: self.dice.below(3),
                    old: None,
                };
                (edit, None)
            }
            9 => {
                let (file, part) = ("zbd/interp.zbd", "m1_zbd.gs");
                let old = fs::read_to_string(self.root.join(file).join(part)).unwrap();
                let edit = Edit::Text {
                    file: file.into(),
                    part: part.into(),
                    text: format!("# {n}\n{old}"),
                    base: Some(old),
                };
                (edit, None)
            }
            10 => (
                Edit::Sound {
                    file: "zbd/soundsh.zbd".into(),
                    member: "creak.wav".into(),
                    bytes: wav(n),
                    everywhere: false,
                },
                None,
            ),
            11 => {
                let name = format!("new{}.wav", self.dice.below(3));
                let change = match self.dice.below(3) {
                    0 => MemberEdit::Remove { name },
                    1 => MemberEdit::Rename {
                        name,
                        to: format!("new{}.wav", self.dice.below(3)),
                    },
                    _ => MemberEdit::Add {
                        name,
                        bytes: wav(n),
                    },
                };
                (member(change), None)
            }
            12 => {
                let by = [n as f32, 0.0, 1.0];
                let motion = NodeMotion {
                    by: Some(by),
                    ..NodeMotion::default()
                };
                (
                    world(WorldEdit::Move {
                        node: "wall".into(),
                        motion,
                    }),
                    None,
                )
            }
            _ => {
                let change = match self.dice.below(2) {
                    0 => WorldEdit::Copy {
                        from: None,
                        node: "frame".into(),
                        under: None,
                        name: Some(format!("copy{n}")),
                        motion: NodeMotion::default(),
                    },
                    _ => WorldEdit::Rename {
                        node: "wall".into(),
                        name: "wall".into(),
                        force: true,
                    },
                };
                (world(change), None)
            }
        }
    }

    fn draw(&mut self) -> (Deed, Option<usize>) {
        match self.dice.below(10) {
            0..=4 => {
                let (edit, at) = self.draw_edit();
                (Deed::Edit(edit), at)
            }
            5..=6 => (Deed::Undo, None),
            7..=8 => (Deed::Redo, None),
            _ => {
                let numbers: Vec<u64> = self.edits.keys().copied().collect();
                let number = match numbers.len() {
                    0 => 7,
                    n => numbers[self.dice.below(n)],
                };
                (Deed::Revert(number), None)
            }
        }
    }

    /// One step: something that the user, another program or the machine does.
    fn step(&mut self) {
        match self.dice.below(12) {
            0 => self.foreign(),
            1 => self.interrupted(),
            2 => {
                // Another program: the session has no state of its own.
                self.session = Session::open(&self.root).unwrap();
            }
            3 if self.dice.below(3) == 0 => self.build(),
            _ => self.deed(),
        }
        assert_eq!(followed(&self.root), self.values);
    }

    /// Another program sets a followed value.
    fn foreign(&mut self) {
        let at = self.dice.below(VALUES.len());
        let new = self.next_value();
        self.told.push(format!(
            "another program: {} = {}",
            VALUES[at].2,
            new.compact()
        ));
        self.write(at, &new);
    }

    fn build(&mut self) {
        self.told.push("build".to_owned());
        let before = documents(&self.root);
        self.session.build(&Quiet).unwrap();
        assert!(documents(&self.root) == before);
    }

    fn deed(&mut self) {
        let (deed, at) = self.draw();
        self.told.push(format!("{deed:?}"));
        let before = documents(&self.root);
        let expected = self.expected(&deed, at);
        let kept = copies(&self.root);
        let done = perform(&mut self.session, &deed);
        assert_eq!(copies(&self.root), kept);
        self.take_note(&deed, at, before, done, expected);
    }

    /// The followed values after a deed, if it must work; `None` if it must be refused. `Err` if
    /// the model does not know.
    fn expected(&self, deed: &Deed, at: Option<usize>) -> Result<Option<Vec<Value>>, ()> {
        let mut values = self.values.clone();
        let mut turn = |number: Option<u64>, is_undo: bool| {
            let known = number.and_then(|number| self.edits.get(&number));
            let Some(known) = known else {
                return Ok(Some(self.values.clone()));
            };
            let Some((at, old, new)) = &known.value else {
                return Err(());
            };
            let (from, to) = if is_undo { (new, old) } else { (old, new) };
            if values[*at] == *from || values[*at] == *to {
                values[*at] = to.clone();
                return Ok(Some(values.clone()));
            }
            Ok(None)
        };
        match deed {
            Deed::Edit(Edit::Set { value, .. }) => {
                if let Some(at) = at {
                    values[at] = value.clone();
                }
                Ok(Some(values))
            }
            Deed::Edit(_) => Err(()),
            Deed::Undo => turn(self.done, true),
            Deed::Redo => turn(self.undone.last().copied(), false),
            Deed::Revert(number) => match self.edits.get(number) {
                Some(known) if !self.undone.contains(&known.number) => turn(Some(*number), true),
                _ => Ok(None),
            },
        }
    }

    /// Compares what a deed did with the model, and brings the model up to date.
    fn take_note(
        &mut self,
        deed: &Deed,
        at: Option<usize>,
        before: Documents,
        done: refit_base::Result<Option<Edited>>,
        expected: Result<Option<Vec<Value>>, ()>,
    ) {
        let now = documents(&self.root);
        let done = match (done, &expected) {
            (Err(e), Ok(Some(_))) => panic!("refused: {e}"),
            (Ok(Some(_)), Ok(None)) => panic!("not refused"),
            (Err(_), _) => {
                assert!(now == before, "a refused deed changed something");
                return;
            }
            (Ok(done), _) => done,
        };
        let Some(done) = done else {
            assert!(now == before);
            let is_none = match deed {
                Deed::Undo => self.done.is_none(),
                Deed::Redo => self.undone.is_empty(),
                _ => false,
            };
            assert!(is_none, "nothing was done, but there is something to do");
            return;
        };
        let changed: Vec<String> = before
            .keys()
            .chain(now.keys())
            .filter(|name| before.get(*name) != now.get(*name))
            .cloned()
            .collect();
        for name in &changed {
            let told = |part: &refit_session::ChangedPart| format!("{}/{}", part.file, part.part);
            assert!(
                done.changed.iter().any(|part| told(part) == *name),
                "{name}"
            );
        }
        if let Ok(Some(values)) = expected {
            self.values = values;
        }
        match deed {
            Deed::Edit(_) | Deed::Revert(_) => {
                let Some(number) = done.number else {
                    assert!(now == before);
                    return;
                };
                let value = match deed {
                    Deed::Edit(Edit::Set { value, .. }) => {
                        let old = |at: usize| {
                            let (file, part, path, _) = VALUES[at];
                            let text = &before[&format!("{file}/{part}")];
                            let document = self::value(std::str::from_utf8(text).unwrap());
                            let place = refit_diff::find(&document, path).unwrap();
                            document.at(&place).unwrap().clone()
                        };
                        at.map(|at| (at, old(at), value.clone()))
                    }
                    // The reverse of the edit.
                    Deed::Revert(number) => self.edits[number]
                        .value
                        .clone()
                        .map(|(at, old, new)| (at, new, old)),
                    _ => None,
                };
                for gone in std::mem::take(&mut self.undone) {
                    self.edits.remove(&gone);
                }
                let known = Known {
                    number,
                    before: self.done,
                    states: (before, now),
                    value,
                    parts: changed,
                };
                assert!(self.edits.insert(number, known).is_none(), "a number twice");
                self.done = Some(number);
            }
            Deed::Undo | Deed::Redo => {
                let is_undo = matches!(deed, Deed::Undo);
                let number = match is_undo {
                    true => self.done.unwrap(),
                    false => self.undone.pop().unwrap(),
                };
                assert_eq!(done.number, Some(number));
                let known = &self.edits[&number];
                let (from, to) = match is_undo {
                    true => (&known.states.1, &known.states.0),
                    false => (&known.states.0, &known.states.1),
                };
                for part in &known.parts {
                    // As the edit left it, it becomes again what it was.
                    if before.get(part) == from.get(part) {
                        assert!(now.get(part) == to.get(part), "{part}");
                    }
                }
                match is_undo {
                    true => {
                        self.done = known.before;
                        self.undone.push(number);
                    }
                    false => self.done = Some(number),
                }
            }
        }
    }

    /// A fault of the disk, or the end of the program, at some step of a deed.
    fn interrupted(&mut self) {
        let (deed, at) = self.draw();
        let before = documents(&self.root);
        let expected = self.expected(&deed, at);
        // What it does when nothing happens.
        let copied = tempfile::tempdir().unwrap();
        copy(&self.root, copied.path());
        let mut other = Session::open(copied.path()).unwrap();
        let alone = perform(&mut other, &deed);
        let after = documents(copied.path());
        let is_kill = self.dice.below(2) == 0;
        let fail_at = format!(
            "{}{}",
            1 + self.dice.below(40),
            if is_kill { "!" } else { "" }
        );
        self.told
            .push(format!("{deed:?} with a fault at {fail_at}"));
        let code = elsewhere(&self.root, &deed, Some(fail_at));
        // The next program finishes it, or takes it back.
        self.session = Session::open(&self.root).unwrap();
        let _ = self.session.changes(1).unwrap();
        let now = documents(&self.root);
        if now == before && (code != 0 || after == before) {
            // It was not done, unless nothing is to be seen of it.
            let (can_undo, redo) = self.session.can_undo_and_redo().unwrap();
            assert_eq!(can_undo, self.done.is_some(), "{code}");
            assert_eq!(redo, self.undone.len(), "{code}");
            return;
        }
        assert!(now == after, "neither the old nor the new state: {code}");
        self.take_note(&deed, at, before, alone, expected);
    }

    /// Undoes everything: the bytes of before.
    fn end(mut self) {
        // What other programs wrote is taken back by them.
        while self.done.is_some() {
            let before = documents(&self.root);
            let expected = self.expected(&Deed::Undo, None);
            if let Ok(None) = expected {
                let number = self.done.unwrap();
                let (at, _, new) = self.edits[&number].value.clone().unwrap();
                self.write(at, &new);
                continue;
            }
            let done = self.session.undo().map_err(|e| panic!("{e}"));
            self.take_note(&Deed::Undo, None, before, done, expected);
        }
        for (at, (file, part, path, _)) in VALUES.iter().enumerate() {
            let text = &self.initial[&format!("{file}/{part}")];
            let document = value(std::str::from_utf8(text).unwrap());
            let place = refit_diff::find(&document, path).unwrap();
            self.write(at, &document.at(&place).unwrap().clone());
        }
        let now = documents(&self.root);
        for name in now.keys().chain(self.initial.keys()) {
            assert!(
                now.get(name) == self.initial.get(name),
                "{name} is not as it was"
            );
        }
    }

    /// Another program writes a followed value, as a text editor does.
    fn write(&mut self, at: usize, new: &Value) {
        let (file, part, _, before) = VALUES[at];
        let document = self.root.join(file).join(part);
        let text = fs::read_to_string(&document).unwrap();
        let from = text.find(before).unwrap() + before.len();
        let end = from + text[from..].find([',', ']', '}', ' ', '\n']).unwrap();
        assert_eq!(text[from..end], self.values[at].compact());
        fs::write(
            &document,
            [&text[..from], &new.compact(), &text[end..]].concat(),
        )
        .unwrap();
        self.values[at] = new.clone();
    }
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn no_sequence_of_edits_loses_anything() {
    let steps = number("REFIT_SESSION_STEPS", STEPS);
    let first = number("REFIT_SESSION_SEED", 1);
    let mut edits = 0;
    for seed in first..first + steps.div_ceil(OF_PROJECT) {
        let mut play = Play::new(seed as u64);
        let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..OF_PROJECT {
                play.step();
            }
        }));
        if let Err(e) = told {
            eprintln!("seed {seed}:\n  {}", play.told.join("\n  "));
            std::panic::resume_unwind(e);
        }
        edits += play.counter;
        let steps = play.told.join("\n  ");
        if let Err(e) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| play.end())) {
            eprintln!("seed {seed}, at the end:\n  {steps}");
            std::panic::resume_unwind(e);
        }
    }
    assert!(edits * 3 > steps, "{edits}");
}

/// What a session keeps between edits changes nothing: each edit, undo and fault is that of a new
/// session, also after other programs wrote the same documents.
#[test]
fn a_kept_world_is_judged_as_a_new_one() {
    let (dir, root) = project(Style::Json);
    let mut session = Session::open(&root).unwrap();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let world = |change: WorldEdit| {
        Deed::Edit(Edit::World {
            file: DOOR.into(),
            change,
        })
    };
    let (mut made, mut refused, mut found) = (0, 0, 0);
    for turn in 0..60 {
        // Another program: another value, a name without its position, a fault, and back.
        let path = root.join(DOOR).join(NODES);
        let text = fs::read_to_string(&path).unwrap();
        let foreign = match dice.below(8) {
            0 => text.replacen("\"clip_near\": 1", "\"clip_near\": 3", 1),
            1 => text.replacen("\"model\": \"0 ", "\"model\": \"", 1),
            2 => text.replacen("\"zone\": 255", "\"zone\": 254", 1),
            3 => text.replacen("\"nodes\"", "\"nodez\"", 1),
            _ => text.replacen("\"nodez\"", "\"nodes\"", 1),
        };
        if foreign != text {
            fs::write(&path, foreign).unwrap();
        }
        let node = ["wall", "frame", "wall2", "frame2", "nothing"][dice.below(5)].to_owned();
        let number = dice.below(9_000) as f32 - 1_000.0;
        let motion = NodeMotion {
            at: Some([number, 1.0, number / 2.0]),
            turn: (turn % 3 == 0).then_some(45.0),
            ..NodeMotion::default()
        };
        let deed = match dice.below(9) {
            0 | 1 => world(WorldEdit::Move { node, motion }),
            2 => world(WorldEdit::Copy {
                name: Some(format!("{node}2")),
                node,
                from: None,
                under: None,
                motion,
            }),
            3 => world(WorldEdit::Rename {
                name: format!("{node}{turn}"),
                node,
                force: true,
            }),
            4 => world(WorldEdit::Remove { node, force: true }),
            5 => Deed::Edit(set(DOOR, NODES, "nodes[camera1].data.camera.clip_far", "1")),
            // A finding, and what cannot be built.
            6 => Deed::Edit(set(DOOR, "materials.json", "materials[0].texture", "77")),
            7 => Deed::Undo,
            _ => Deed::Redo,
        };
        let other = dir.path().join(format!("other{turn}"));
        copy(&root, &other);
        let fresh = Session::open(&other).and_then(|mut new| perform(&mut new, &deed));
        let kept = perform(&mut session, &deed);
        let described = |done: refit_base::Result<Option<Edited>>| match done {
            Ok(done) => serde_json::to_string(&done).unwrap(),
            Err(e) => format!("refused: {e}"),
        };
        let places = |text: String| text.replace(&format!("other{turn}"), "project");
        let kept = places(described(kept));
        let fresh = places(described(fresh));
        assert_eq!(kept, fresh, "turn {turn}: {deed:?}");
        assert!(
            documents(&root) == documents(&other),
            "turn {turn}: {deed:?}"
        );
        fs::remove_dir_all(other).unwrap();
        made += usize::from(!kept.starts_with("refused"));
        refused += usize::from(kept.starts_with("refused"));
        found += usize::from(kept.contains("\"severity\""));
    }
    assert!(
        made > 15 && refused > 5 && found > 0,
        "{made}, {refused}, {found}"
    );
}
