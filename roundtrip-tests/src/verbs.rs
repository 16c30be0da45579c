//! Random sequences of the verbs that change worlds, readers and addons, and of what people do
//! around them: editors that fail, private keys that lie where they must not, projects, mods,
//! `watch`.
//!
//! After each step: the originals are still there, what an editor wrote is in the file or where
//! refit says, no output has a piece of the private key, and no file has a kind of finding that
//! refit did not tell of, nor any that only a fault of refit can bring.

use crate::{
    process::{copy_folder, program, snapshot},
    root,
    sequences::{Dice, Model, each},
};
use refit::mods;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// The verbs over a game, its project, a tree, and a server's addons.
pub struct Verbs;

/// How an editor ends.
#[derive(Clone, Copy, Debug)]
pub enum Editor {
    /// It saves the text, and ends well.
    Saves,
    /// It saves the text, and fails.
    Fails,
    /// It deletes the file.
    Deletes,
    /// It changes nothing.
    Quits,
}

/// A step.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Step {
    /// refit runs.
    Run(String),
    /// An editor opens a member.
    Edit {
        file: &'static str,
        member: &'static str,
        text: String,
        editor: Editor,
    },
    /// Somebody writes a text, if the folder is there.
    Text { path: &'static str, text: String },
    /// Somebody copies the private key into a folder that is there.
    Leak { path: &'static str },
    /// `watch` sees a save.
    Watch { text: String },
    /// Another program renames a tree of the project away, or back.
    Away,
}

/// Where the world is: a file, a tree in a project, a tree alone.
const WORLDS: [&str; 3] = ["game/zbd/m1/gamez.zbd", "p/zbd/m1/gamez.zbd", "tree"];
/// Names that a node may have.
const NODES: [&str; 8] = [
    "door01",
    "frame",
    "wall",
    "tower",
    "shed",
    "mast",
    "gate",
    "ground_0_0",
];
/// Where a private key does not belong.
const LEAKS: [&str; 4] = [
    "p/leak.biprivatekey",
    "game/leak.biprivatekey",
    "hut/leak.biprivatekey",
    "game/notes.txt",
];
/// Files whose findings are compared.
const JUDGED: [&str; 6] = [
    "game/zbd/m1/gamez.zbd",
    "game/zbd/m1/anim.zbd",
    "game/zbd/zrdr.zbd",
    "game/zbd/interp.zbd",
    "tree",
    "server/@lab/addons/hut.pbo",
];
/// Findings that no edit of these steps asks for: only a fault of refit brings them.
const NEVER: [&str; 8] = [
    "gamez-free-list",
    "gamez-pointer",
    "gamez-dangling",
    "gamez-loop",
    "gamez-family",
    "pbo-hash",
    "extra-bytes",
    "odd-value",
];

/// What `sounds.zrd` contains, with a volume that is unique.
fn sounds(value: usize) -> String {
    format!("[\"SAMPLES\", [[\"creak\", \"creak.wav\", \"VOLUME\", 0.{value:05}1]]]\n")
}

impl Model for Verbs {
    type Step = Step;
    const NAME: &'static str = "verbs";

    fn steps(seed: u64, count: usize) -> Vec<Step> {
        let mut dice = Dice(seed);
        (0..count).map(|n| step(&mut dice, 1 + n)).collect()
    }

    fn play(at: &Path, steps: &[Step]) -> Result<usize, String> {
        let mut play = Play::new(at)?;
        each(steps, |step| play.step(step))?;
        play.end().map_err(|e| format!("at the end: {e}"))?;
        Ok(play.runs)
    }
}

fn step(dice: &mut Dice, n: usize) -> Step {
    let world = dice.of(&WORLDS);
    let (node, name) = (dice.of(&NODES), dice.of(&NODES));
    let force = if dice.one_in(4) { " --force" } else { "" };
    let dry = if dice.one_in(15) { " --dry-run" } else { "" };
    let run = |line: String| Step::Run(line + dry);
    let (x, z) = (dice.roll(40), dice.roll(40));
    match dice.roll(100) {
        0..8 => run(format!(
            "world add {world} models/tower.gltf --at {x},0,{z}{force}"
        )),
        8..11 => run(format!("world ground {world} models/hills.gltf{force}")),
        11..18 => run(format!(
            "world copy {world} {node} --name {name} --by {x},0,{z}{force}"
        )),
        18..24 => run(format!("world move {world} {node} --by {x},0,{z}{force}")),
        24..30 => run(format!("world rename {world} {node} {name}{force}")),
        30..37 => run(format!("world remove {world} {node}{force}")),
        37 => run(format!(
            "world copy {world} {node} --from other/gamez.zbd --name {name}{force}"
        )),
        38 => {
            let local = if dice.one_in(3) { " --local" } else { "" };
            run(format!("world reparent {world} {node} {name}{local}"))
        }
        39..42 => run(format!("unpack game -o p{force}")),
        42..45 => run(format!("unpack game/zbd/m1/gamez.zbd -o tree{force}")),
        45..51 => run(format!("repack p{force}")),
        51..54 => run(format!("repack tree -o game/zbd/m1/gamez.zbd{force}")),
        54..57 => {
            let empty = if dice.one_in(2) { " --empty-world" } else { "" };
            run(format!("new mission m2 game --like m1{empty} -o p2{force}"))
        }
        57..59 => run("repack p2".into()),
        59..68 => {
            let text = if dice.one_in(3) {
                sounds(n).replace(']', "")
            } else {
                sounds(n)
            };
            let editor = dice.of(&[
                Editor::Saves,
                Editor::Saves,
                Editor::Fails,
                Editor::Deletes,
                Editor::Quits,
            ]);
            Step::Edit {
                file: "game/zbd/zrdr.zbd",
                member: "sounds.zrd",
                text,
                editor,
            }
        }
        68..71 => run(format!(
            "add game/zbd/zrdr.zbd new{}.zrd new.json",
            dice.roll(4)
        )),
        71..73 => run("put game/zbd/zrdr.zbd effects.zrd new.json".into()),
        73..75 => Step::Text {
            path: "p/zbd/zrdr.zbd/sounds.zrd.json",
            text: sounds(n),
        },
        75 => Step::Text {
            path: "hut/config.cpp",
            text: format!("class CfgPatches {{ class hut {{ x = {n}; }}; }};\n"),
        },
        76..78 => run(format!(
            "repack hut --format pbo -o server/@lab/addons/hut.pbo{force}"
        )),
        78 => run("add server/@lab/addons/hut.pbo a.paa tower.png".into()),
        79..81 => run("sign server/@lab --key secret/team.biprivatekey".into()),
        81 => run(format!(
            "add server/@lab/addons/hut.pbo secret/team.biprivatekey{force}"
        )),
        82 => run("unpack server -o s --force".into()),
        83..85 => Step::Leak {
            path: dice.of(&LEAKS),
        },
        85..87 => run(format!(
            "mod make pristine game -o w.refitmod --name w{force}"
        )),
        87 => run(format!("mod make p -o w.refitmod --name w{force}")),
        88..90 => run(format!("mod apply w.refitmod --to game{force}")),
        90 => run("mod remove --all --from game".into()),
        91..94 => run("restore game".into()),
        94 => run(format!(
            "restore {}",
            dice.of(&["game/zbd/zrdr.zbd", WORLDS[0], "server/@lab/addons/hut.pbo"])
        )),
        95 => run("status p".into()),
        96..98 => Step::Watch { text: sounds(n) },
        98 => Step::Away,
        _ => run("show secret/team.biprivatekey".into()),
    }
}

/// The result of a run.
struct Ran {
    code: Option<i32>,
    said: String,
}

struct Play {
    at: PathBuf,
    /// The files of the game before anything was changed.
    pristine: Vec<(String, Vec<u8>)>,
    /// A piece of the secret half of the key, and as hexadecimal digits.
    secret: (Vec<u8>, String),
    /// Codes of the findings that a file may have: its original had them, or refit reported them.
    expected: BTreeSet<String>,
    /// The sizes of files whose findings were looked at.
    judged: BTreeMap<String, Vec<u8>>,
    runs: usize,
}

impl Play {
    fn new(at: &Path) -> Result<Self, String> {
        let example = root().join("docs/example");
        copy_folder(&example.join("recoil"), &at.join("game"));
        copy_folder(&example.join("recoil"), &at.join("pristine"));
        copy_folder(&example.join("models"), &at.join("models"));
        fs::create_dir_all(at.join("other")).expect("a folder is made");
        fs::copy(
            example.join("recoil/zbd/m1/gamez.zbd"),
            at.join("other/gamez.zbd"),
        )
        .expect("a file is copied");
        for folder in ["hut", "server/@lab/addons", "secret"] {
            fs::create_dir_all(at.join(folder)).expect("a folder is made");
        }
        fs::write(
            at.join("hut/config.cpp"),
            "class CfgPatches { class hut {}; };\n",
        )
        .expect("a file is written");
        fs::write(at.join("new.json"), "[\"A\", 1]\n").expect("a file is written");
        let mut play = Play {
            at: at.to_owned(),
            pristine: snapshot(&at.join("pristine")),
            secret: Default::default(),
            expected: BTreeSet::new(),
            judged: BTreeMap::new(),
            runs: 0,
        };
        for line in [
            "key new team -o secret",
            "repack hut --format pbo -o server/@lab/addons/hut.pbo",
            "get game/zbd/m1/rtexture4.zbd #0 -o tower.png",
            "unpack game -o p",
            "unpack game/zbd/m1/gamez.zbd -o tree",
        ] {
            let ran = play.refit(line);
            if ran.code != Some(0) {
                return Err(format!("{line}: {}", ran.said));
            }
        }
        let key = fs::read(at.join("secret/team.biprivatekey")).expect("the key is there");
        // Behind the name, the head and the modulus: the first prime.
        let piece = key[key.len() - 300..key.len() - 284].to_vec();
        let digits = piece.iter().map(|b| format!("{b:02x}")).collect();
        play.secret = (piece, digits);
        for file in JUDGED {
            let found = play.findings(file);
            play.expected.extend(found);
        }
        Ok(play)
    }

    fn refit(&mut self, line: &str) -> Ran {
        self.refit_with(&line.split(' ').collect::<Vec<_>>())
    }

    fn refit_with(&mut self, words: &[&str]) -> Ran {
        self.runs += 1;
        let done = Command::new(program())
            .current_dir(&self.at)
            .args(words)
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .output()
            .expect("refit runs");
        let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        Ran {
            code: done.status.code(),
            said,
        }
    }

    /// The kinds of findings of a file or a tree; none if it is not there.
    fn findings(&mut self, file: &str) -> BTreeSet<String> {
        if !self.at.join(file).exists() {
            return BTreeSet::new();
        }
        let ran = self.refit_with(&["lint", file, "--json", "--all"]);
        let rows = ran
            .said
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        rows.filter_map(|row| row["code"].as_str().map(str::to_owned))
            .collect()
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        let ran = match step {
            Step::Run(line) => self.refit(line),
            Step::Edit {
                file,
                member,
                text,
                editor,
            } => self.edit(file, member, text, *editor)?,
            Step::Text { path, text } => {
                let path = self.at.join(path);
                if path.parent().is_some_and(Path::is_dir) {
                    fs::write(path, text).expect("a text is written");
                }
                return Ok(());
            }
            Step::Leak { path } => {
                let path = self.at.join(path);
                if path.parent().is_some_and(Path::is_dir) {
                    fs::copy(self.at.join("secret/team.biprivatekey"), path)
                        .expect("the key is copied");
                }
                return Ok(());
            }
            Step::Watch { text } => self.watch(text)?,
            Step::Away => {
                let [there, away] = ["p/zbd/zrdr.zbd", "away"].map(|name| self.at.join(name));
                let _ = if away.is_dir() {
                    fs::rename(&away, &there)
                } else {
                    fs::rename(&there, &away)
                };
                return Ok(());
            }
        };
        self.ran(&ran)
    }

    /// What must be true after a run.
    fn ran(&mut self, ran: &Ran) -> Result<(), String> {
        if ran.said.contains("internal error") || !matches!(ran.code, Some(0..=3)) {
            return Err(format!("ended with {:?}: {}", ran.code, ran.said));
        }
        for word in ran.said.split('[').skip(1) {
            let code = word.split(']').next().unwrap_or_default();
            if code.contains('-')
                && code
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            {
                self.expected.insert(code.to_owned());
            }
        }
        self.is_kept()?;
        self.is_secret(&ran.said)?;
        self.judge(&ran.said)
    }

    /// Each file of the game is there as it was, or beside its place.
    fn is_kept(&self) -> Result<(), String> {
        let now = snapshot(&self.at.join("game"));
        for (path, bytes) in &self.pristine {
            let kept = now
                .iter()
                .any(|(other, content)| other.starts_with(path.as_str()) && content == bytes);
            if !kept {
                return Err(format!("lost: the original of {path}"));
            }
        }
        Ok(())
    }

    /// No file and no output has a piece of the private key.
    fn is_secret(&self, said: &str) -> Result<(), String> {
        let (piece, digits) = &self.secret;
        let has = |bytes: &[u8]| {
            let text: String = String::from_utf8_lossy(bytes)
                .chars()
                .filter(char::is_ascii_hexdigit)
                .collect::<String>()
                .to_lowercase();
            bytes.windows(piece.len()).any(|window| window == piece) || text.contains(digits)
        };
        if has(said.as_bytes()) {
            return Err(format!("the private key is in the output: {said}"));
        }
        for (path, bytes) in snapshot(&self.at) {
            let is_own = path.starts_with("secret/") || LEAKS.contains(&path.as_str());
            // A project that is replaced is kept with what somebody put into it.
            let is_kept =
                path.contains(".old") && LEAKS.iter().any(|leak| path.ends_with(&leak[1..]));
            if !is_own && !is_kept && has(&bytes) {
                return Err(format!("the private key is in {path}"));
            }
            if path.ends_with(".refitmod") {
                let a_mod = mods::load(&self.at.join(&path)).map_err(|e| e.to_string())?;
                if let Some((name, _)) = a_mod.files.iter().find(|(_, bytes)| has(bytes)) {
                    return Err(format!("the private key is in {name} of {path}"));
                }
            }
        }
        Ok(())
    }

    /// No file has a kind of finding that refit did not tell of, or that only a fault of refit
    /// brings.
    fn judge(&mut self, said: &str) -> Result<(), String> {
        for file in JUDGED {
            let path = self.at.join(file);
            let content = if path.is_dir() {
                snapshot(&path).concat_bytes()
            } else {
                fs::read(&path).unwrap_or_default()
            };
            if self.judged.get(file) == Some(&content) {
                continue;
            }
            self.judged.insert(file.to_owned(), content);
            let found = self.findings(file);
            if let Some(code) = found.iter().find(|code| NEVER.contains(&code.as_str())) {
                return Err(format!("{file} has [{code}]: {said}"));
            }
            if let Some(code) = found.iter().find(|code| !self.expected.contains(*code)) {
                return Err(format!(
                    "{file} has [{code}], which refit did not report: {said}"
                ));
            }
        }
        Ok(())
    }

    /// An editor writes a text: it is in the file afterwards, or where refit says.
    fn edit(
        &mut self,
        file: &str,
        member: &str,
        text: &str,
        editor: Editor,
    ) -> Result<Ran, String> {
        if cfg!(windows) {
            return Ok(self.refit("status p"));
        }
        fs::write(self.at.join("text"), text).expect("a text is written");
        let script = match editor {
            Editor::Saves => "cp text \"$1\"",
            Editor::Fails => "cp text \"$1\"; exit 1",
            Editor::Deletes => "rm \"$1\"",
            Editor::Quits => "true",
        };
        fs::write(self.at.join("editor.sh"), format!("{script}\n")).expect("a script is written");
        let ran = self.refit_with(&["edit", file, member, "--editor", "sh editor.sh"]);
        fs::remove_file(self.at.join("text")).expect("a text is deleted");
        if !matches!(editor, Editor::Saves | Editor::Fails) {
            if matches!(editor, Editor::Deletes) && ran.said.trim().is_empty() {
                return Err("the text is gone, and refit says nothing".to_owned());
            }
            return Ok(ran);
        }
        let number = text
            .split("VOLUME\", ")
            .nth(1)
            .and_then(|rest| rest.split(']').next())
            .unwrap_or_default()
            .trim();
        let member = self.refit_with(&["get", file, member]).said;
        let is_saved = member.contains(number);
        // A path in what refit says, up to the next blank or bracket.
        let words = ran
            .said
            .split(|c: char| c.is_whitespace() || "()`\"'".contains(c));
        let places = words.map(|word| word.trim_end_matches([':', ',', '.', ';']));
        let is_kept = places
            .filter(|word| word.contains(['/', '\\']))
            .any(|place| {
                let place =
                    place
                        .split(".json:")
                        .next()
                        .map_or(place.to_owned(), |stem| match place.contains(".json:") {
                            true => format!("{stem}.json"),
                            false => place.to_owned(),
                        });
                fs::read_to_string(self.at.join(place)).is_ok_and(|kept| kept == text)
            });
        match (is_saved, is_kept) {
            (false, false) => Err(format!("the text {number} is lost: {}", ran.said)),
            _ => Ok(ran),
        }
    }

    /// `watch` builds what is saved while it runs.
    fn watch(&mut self, text: &str) -> Result<Ran, String> {
        let tree = self.at.join("p/zbd/zrdr.zbd/sounds.zrd.json");
        if !tree.is_file() {
            return Ok(self.refit("status p"));
        }
        self.runs += 1;
        let output = fs::File::create(self.at.join("watch.txt")).expect("a file is made");
        let mut child = Command::new(program())
            .current_dir(&self.at)
            .args(["watch", "p", "--poll", "50"])
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("a handle is copied"))
            .stderr(output)
            .spawn()
            .expect("refit starts");
        let said = || fs::read_to_string(self.at.join("watch.txt")).unwrap_or_default();
        let wait = |what: &dyn Fn(&str) -> bool, child: &mut std::process::Child| {
            let end = Instant::now() + Duration::from_secs(30);
            while Instant::now() < end
                && !what(&said())
                && child.try_wait().is_ok_and(|done| done.is_none())
            {
                std::thread::sleep(Duration::from_millis(20));
            }
        };
        wait(&|said| said.contains("watching"), &mut child);
        let before = said().lines().count();
        fs::write(&tree, text).expect("a text is written");
        wait(&|said| said.lines().count() > before, &mut child);
        let _ = child.kill();
        let _ = child.wait();
        let said = said();
        fs::remove_file(self.at.join("watch.txt")).expect("a file is deleted");
        if said.lines().count() <= before && said.contains("watching") {
            return Err(format!("watch saw no save: {said}"));
        }
        Ok(Ran {
            code: Some(0),
            said,
        })
    }

    /// When all is taken back, the game is as it was.
    fn end(&mut self) -> Result<(), String> {
        for line in [
            "mod remove --all --from game --force",
            "restore game --force",
        ] {
            let ran = self.refit(line);
            self.ran(&ran)?;
        }
        let now: BTreeMap<String, Vec<u8>> = snapshot(&self.at.join("game")).into_iter().collect();
        for (path, bytes) in &self.pristine {
            if now.get(path) != Some(bytes) {
                return Err(format!("{path} is not as it was"));
            }
        }
        let is_leak = |path: &str| LEAKS.contains(&format!("game/{path}").as_str());
        let left = now.keys().find(|path| {
            let is_own =
                self.pristine.iter().any(|(own, _)| own == *path) || path.contains(".orig");
            !is_own && !is_leak(path) && !path.starts_with(".refit-")
        });
        match left {
            Some(path) => Err(format!("{path} is left")),
            None => Ok(()),
        }
    }
}

trait ConcatBytes {
    fn concat_bytes(&self) -> Vec<u8>;
}

impl ConcatBytes for Vec<(String, Vec<u8>)> {
    fn concat_bytes(&self) -> Vec<u8> {
        self.iter()
            .flat_map(|(path, bytes)| [path.as_bytes(), bytes].concat())
            .collect()
    }
}
