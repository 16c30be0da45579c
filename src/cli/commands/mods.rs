//! `refit mod`: mods that carry no game data and merge.

use crate::cli::{
    failure::Failure,
    line::{Line, Paint},
    report::{about, size},
    session::Session,
};
use clap::{Args, Subcommand};
use refit::{
    mods::{self, Conflict, FileOutcome, Mod, ModdedGame, Plan, Prefer},
    path::Shown,
    tree::disk::{Replace, check_file},
    wire::{Error, Result, count, shorten},
    workbench::{Progress, mods::MakeMod, paths},
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Make, share, apply and remove mods: what was changed in a game, and nothing of the game itself
#[derive(Args, Debug)]
#[command(
    name = "mod",
    after_help = "\
Examples:
  refit mod make game.orig game -o fast-doors.refitmod --author me
  refit mod make anim.zbd.orig anim.zbd -o doors.refitmod
  refit mod apply doors.refitmod skins.refitmod --to game
  refit mod list game
  refit mod remove doors --from game

A mod is a zip of text: the changes of its author, field by field. It holds no file, member, picture or sound of the \
game, and can be shared: of what was made from one of those, and of values that were copied within a file, it holds \
the name of the original and what is different. Mods are applied to the pristine files, all together and all or \
nothing. Changes of different fields merge; the same field changed twice is a conflict, and nothing is written unless \
--prefer says who wins."
)]
pub struct Mods {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Make(Make),
    Apply(Apply),
    Remove(Remove),
    List(List),
    Show(Show),
    Check(Check),
    Diff(Diff),
    Merge(Merge),
    Unpack(Unpack),
}

/// Make a mod of two states of a file, a tree or a game's folder
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit mod make game.orig game -o doors.refitmod --name doors --version 1.0 --author me
  refit mod make reader.zbd reader/ -o keys.refitmod      a file and its edited tree

The mod is proved: applied to the original it gives the edited files, byte for byte. All files of an original folder \
are looked through for what new files and members were copied from; of a single file there is only that one to compare \
with.")]
struct Make {
    /// The original: a file, or a game's folder
    original: PathBuf,
    /// The edited one: a file, a tree or a folder
    edited: PathBuf,
    /// The mod
    #[arg(short, long, value_name = "NAME.refitmod")]
    output: PathBuf,
    /// What it is called [default: the name of the file]
    #[arg(long)]
    name: Option<String>,
    /// Its own version
    #[arg(long, default_value = "", hide_default_value = true)]
    version: String,
    /// Who made it
    #[arg(long, default_value = "", hide_default_value = true)]
    author: String,
    /// What it does, in a sentence
    #[arg(long, default_value = "", hide_default_value = true)]
    about: String,
    /// Under which terms it may be passed on
    #[arg(long, default_value = "", hide_default_value = true)]
    license: String,
    /// The mod deletes files that EDITED does not have; without this they are left alone
    #[arg(long)]
    delete_missing: bool,
}

/// Apply mods to a game
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit mod apply doors.refitmod skins.refitmod --to game
  refit mod apply doors.refitmod --to game --dry-run      only the report

What is applied already stays applied; a mod of the same name is replaced. GAME/refit-mods.json says what is applied, \
GAME/refit-mods keeps copies, and NAME.orig is the pristine file. Exit code 3 when changes did not find their place in \
another edition of a file.")]
struct Apply {
    /// Mods, in order
    #[arg(required = true, value_name = "MOD")]
    mods: Vec<PathBuf>,
    /// The game's folder, or a single file
    #[arg(long, value_name = "GAME")]
    to: PathBuf,
    /// Who wins where two mods change the same
    #[arg(long, value_name = "WHO")]
    prefer: Option<Prefer>,
    /// Refuse another edition of a file, and changes that do not find their place
    #[arg(long)]
    strict: bool,
}

/// Take mods back: the others are applied anew
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit mod remove doors --from game
  refit mod remove --all --from game       every file is pristine again")]
struct Remove {
    /// Names of mods, as `list` shows them
    #[arg(required_unless_present = "all", value_name = "NAME")]
    names: Vec<String>,
    /// The game's folder
    #[arg(long, value_name = "GAME")]
    from: PathBuf,
    /// All of them
    #[arg(long)]
    all: bool,
}

/// List the mods that are applied to a game
#[derive(Args, Debug)]
struct List {
    /// The game's folder
    #[arg(value_name = "GAME")]
    folder: PathBuf,
}

/// Show what a mod changes
#[derive(Args, Debug)]
struct Show {
    /// The mod: a zip or a folder
    a_mod: PathBuf,
}

/// Check mods: that they can be read, and with --to, what applying them would come to
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit mod check doors.refitmod
  refit mod check doors.refitmod skins.refitmod --to game

Exit code 1 when they conflict or cannot be read, 3 when changes do not find their place.")]
struct Check {
    /// Mods, in order; none checks what is applied to the game
    #[arg(value_name = "MOD")]
    mods: Vec<PathBuf>,
    /// The game's folder
    #[arg(long, value_name = "GAME")]
    to: Option<PathBuf>,
}

/// Tell what is different between two mods
#[derive(Args, Debug)]
struct Diff {
    /// A mod
    a: PathBuf,
    /// Another one
    b: PathBuf,
}

/// Make one mod of two
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit mod merge doors.refitmod skins.refitmod -o both.refitmod")]
struct Merge {
    /// A mod
    a: PathBuf,
    /// Another one
    b: PathBuf,
    /// The mod that does what both do
    #[arg(short, long, value_name = "NAME.refitmod")]
    output: PathBuf,
    /// What it is called [default: the name of the file]
    #[arg(long)]
    name: Option<String>,
    /// Who wins where both change the same
    #[arg(long, value_name = "WHO")]
    prefer: Option<Prefer>,
}

/// Unpack a mod into a folder, which git can keep and every command takes in its place
#[derive(Args, Debug)]
struct Unpack {
    /// The mod
    a_mod: PathBuf,
    /// The folder [default: the mod's name beside it]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Mods {
    /// Runs the command.
    pub fn run(self, session: &Session) -> Result<(), Failure> {
        match self.command {
            Command::Make(c) => c.run(session)?,
            Command::Apply(c) => c.run(session)?,
            Command::Remove(c) => c.run(session)?,
            Command::List(c) => c.run(session)?,
            Command::Show(c) => c.run(session)?,
            Command::Check(c) => c.run(session)?,
            Command::Diff(c) => c.run(session)?,
            Command::Merge(c) => c.run(session)?,
            Command::Unpack(c) => c.run(session)?,
        }
        Ok(())
    }
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.strip_suffix(".refitmod").map(str::to_owned).unwrap_or(name)
}

fn save(session: &Session, a_mod: &Mod, path: &Path) -> Result<u64> {
    let may = Replace::new(session.global.force);
    if session.global.dry_run {
        check_file(path, may)?;
        return Ok(mods::to_zip(a_mod)?.len() as u64);
    }
    let written = mods::save(a_mod, path, may)?;
    session.kept(path, written.kept.as_ref());
    Ok(written.bytes)
}

impl Make {
    fn run(&self, session: &Session) -> Result<()> {
        check_file(&self.output, Replace::new(session.global.force))?;
        let made = MakeMod {
            original: self.original.clone(),
            edited: self.edited.clone(),
            name: self.name.clone().unwrap_or_else(|| stem(&self.output)),
            version: self.version.clone(),
            author: self.author.clone(),
            about: self.about.clone(),
            license: self.license.clone(),
            delete_missing: self.delete_missing,
        };
        let made = made.run(&session.options()?, session)?;
        let bytes = save(session, &made, &self.output)?;
        let changed = made.weight();
        if session.global.json {
            session.json(&json!({
                "mod": self.output.shown(), "name": made.manifest.name, "bytes": bytes,
                "files": made.manifest.files.iter().map(|file| &file.path).collect::<Vec<_>>(), "changes": changed,
            }));
        }
        let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
        session.tell(format!(
            "{} ({}, {}, {}{would})",
            self.output.shown(),
            count(made.manifest.files.len(), "file"),
            count(changed, "change"),
            size(bytes)
        ));
        Ok(())
    }
}

fn load_all(paths: &[PathBuf]) -> Result<Vec<Mod>> {
    paths::expand(paths)?.iter().map(|path| mods::load(path)).collect()
}

fn tell_finished(session: &Session, game: &ModdedGame) {
    session.recovered(game.finished.as_ref());
}

fn tell_conflict(session: &Session, names: &[String], file: &str, conflict: &Conflict) {
    let name = |by: usize| names.get(by).map_or("?", String::as_str);
    let (a, b) = (name(conflict.mods.0), name(conflict.mods.1));
    let who = match conflict.decided {
        Prefer::None => "conflict",
        Prefer::First => "the first wins",
        Prefer::Last => "the last wins",
    };
    let text = format!(
        "{}: {who}: {a} wants {}, {b} wants {}",
        mods::place(file, &conflict.part, &shorten(&conflict.at, LONGEST)),
        shorten(&conflict.wants.0, 120),
        shorten(&conflict.wants.1, 120)
    );
    match conflict.is_open() {
        true => session.error(text),
        false => session.warn(text),
    }
}

/// Conflicts, and changes that did not find their place, of one file that are shown one by one: nobody reads thousands
/// of lines.
const SHOWN: usize = 100;

/// Lines of one file that `show` shows.
const LINES: usize = 1000;

/// How much is shown of a path into a document, and of what a mod makes of it.
const LONGEST: usize = 200;

fn conflict_json(names: &[String], conflict: &Conflict) -> serde_json::Value {
    let name = |by: usize| names.get(by).cloned().unwrap_or_default();
    json!({ "part": conflict.part, "at": conflict.at, "mods": [name(conflict.mods.0), name(conflict.mods.1)],
        "wants": [conflict.wants.0, conflict.wants.1] })
}

/// Tells what a plan comes to.
fn tell(session: &Session, plan: &Plan, written: bool, refused: bool) {
    for file in &plan.files {
        let names: Vec<&str> = file.mods.iter().filter_map(|by| plan.names.get(*by)).map(String::as_str).collect();
        // What is not decided comes first.
        let (open, decided): (Vec<&Conflict>, Vec<&Conflict>) =
            file.conflicts.iter().partition(|conflict| conflict.is_open());
        for conflict in open.iter().chain(&decided).take(SHOWN) {
            tell_conflict(session, &plan.names, &file.path, conflict);
        }
        for missed in file.unplaced.iter().take(SHOWN) {
            let name = plan.names.get(missed.by).map_or("?", String::as_str);
            let at = mods::place(&file.path, &missed.part, &shorten(&missed.at, LONGEST));
            session.warn(format!("{at}: not applied: {} ({name})", shorten(&missed.why, LONGEST)));
        }
        let more = [
            (file.conflicts.len(), "further conflict"),
            (file.unplaced.len() + file.more_unplaced, "further unapplied change"),
        ];
        for (all, what) in more.into_iter().filter(|(all, _)| *all > SHOWN) {
            session.warn(format!("{}: and {}", file.path, count(all - SHOWN, what)));
        }
        if file.edition && file.unplaced.is_empty() {
            session.warn(format!(
                "{}: another edition than the mod was made from; every change found its place",
                file.path
            ));
        }
        if session.global.json {
            session.json(&json!({
                "path": file.path, "outcome": file.outcome, "format": file.format.map(|format| format.name()),
                "mods": names, "bytes": file.bytes,
                "edition": if file.edition { "another" } else { "the \
                    same" }, "foreign": file.foreign, "written": written,
                "conflicts": file.conflicts.iter().map(|conflict| conflict_json(&plan.names,
                conflict)).collect::<Vec<_>>(),
                "unplaced": file.unplaced.iter().map(|missed| json!({
                    "mod": plan.names.get(missed.by), "part": missed.part, "at": missed.at, "why": missed.why,
                })).collect::<Vec<_>>(),
                "more_unplaced": file.more_unplaced,
            }));
        }
        let undecided = file.conflicts.iter().any(Conflict::is_open);
        let is_missing = file.outcome == FileOutcome::Unchanged && file.bytes.is_none() && !file.unplaced.is_empty();
        if refused || undecided || is_missing {
            // It was told why.
            continue;
        }
        let (word, paint) = match file.outcome {
            FileOutcome::Changed => ("changed", Paint::Yellow),
            FileOutcome::Added => ("added", Paint::Green),
            FileOutcome::Deleted => ("deleted", Paint::Red),
            FileOutcome::Restored => ("restored", Paint::Green),
            FileOutcome::Unchanged => ("unchanged", Paint::Dim),
        };
        let by = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
        session.tell(Line::new().paint(paint, format!("{word:9}")).text(format!("  {}{by}", file.path)));
    }
}

impl Apply {
    fn run(&self, session: &Session) -> Result<()> {
        let new = load_all(&self.mods)?;
        let prefer = self.prefer.unwrap_or_default();
        let mut game = ModdedGame::open(&self.to, session.global.dry_run)?;
        tell_finished(session, &game);
        let plan = game.plan_apply(new, prefer)?;
        let open = plan.open_conflicts();
        let unplaced = plan.unplaced();
        let edition = plan.files.iter().any(|file| file.edition);
        let refused = open > 0 || self.strict && (unplaced > 0 || edition);
        let absent = plan.absent();
        let refused = refused || !absent.is_empty();
        tell(session, &plan, !refused && !session.global.dry_run, refused);
        if let (Some(name), 0) = (absent.first(), open) {
            return Err(Error::say(format!(
                "none of the files of {name} are in {}: nothing was written",
                self.to.shown()
            ))
            .hint("is it the folder of the game that the mod is for?"));
        }
        if open > 0 {
            return Err(Error::say(format!("{}: nothing was written", count(open, "conflict")))
                .hint("--prefer first or last says who wins"));
        }
        if refused {
            return Err(Error::say("another edition of a file, and --strict: nothing was written"));
        }
        if unplaced > 0 {
            session.found();
        }
        if session.global.dry_run {
            session.tell(format!("{}: not written (dry run)", self.to.shown()));
            return Ok(());
        }
        game.carry_out(plan, "mod apply", session.global.force)?;
        session.tell(format!("{}: {} applied", self.to.shown(), count(game.applied().mods.len(), "mod")));
        Ok(())
    }
}

impl Remove {
    fn run(&self, session: &Session) -> Result<()> {
        let mut game = ModdedGame::open(&self.from, session.global.dry_run)?;
        tell_finished(session, &game);
        let names = if self.all {
            game.applied().mods.iter().map(|entry| entry.name.clone()).collect()
        } else {
            self.names.clone()
        };
        let plan = game.plan_remove(&names)?;
        let open = plan.open_conflicts();
        tell(session, &plan, open == 0 && !session.global.dry_run, open > 0);
        if open > 0 {
            return Err(Error::say(format!("without {}, the others conflict: nothing was written", names.join(", "))));
        }
        if session.global.dry_run {
            session.tell(format!("{}: not written (dry run)", self.from.shown()));
            return Ok(());
        }
        game.carry_out(plan, "mod remove", session.global.force)?;
        session.tell(format!("{}: {} applied", self.from.shown(), count(game.applied().mods.len(), "mod")));
        Ok(())
    }
}

impl List {
    fn run(&self, session: &Session) -> Result<()> {
        let game = ModdedGame::open(&self.folder, true)?;
        let changed = game.changed_since()?;
        let applied = game.applied().clone();
        for entry in &applied.mods {
            let files: Vec<&str> = applied
                .files
                .iter()
                .filter(|file| file.mods.contains(&entry.name))
                .map(|file| file.path.as_str())
                .collect();
            if session.global.json {
                session.json(&json!({ "name": entry.name, "version": entry.version, "author": entry.author,
                    "sha256": entry.sha256, "files": files }));
            }
            let version = if entry.version.is_empty() { String::new() } else { format!(" {}", entry.version) };
            let author = if entry.author.is_empty() { String::new() } else { format!(" by {}", entry.author) };
            session.tell(format!("{}{version}{author}: {}", entry.name, files.join(", ")));
        }
        if applied.mods.is_empty() {
            session.tell(format!("{}: no mods are applied", self.folder.shown()));
        }
        for (path, own) in changed {
            session.found();
            session.warn(match own {
                true => format!("{path}: refit wrote it since, with other commands (put, repack or watch)"),
                false => format!("{path}: somebody changed it since refit wrote it"),
            });
        }
        Ok(())
    }
}

fn head(session: &Session, a_mod: &Mod) {
    let about = &a_mod.manifest;
    let version = if about.version.is_empty() { String::new() } else { format!(" {}", about.version) };
    session.tell(Line::new().paint(Paint::Bold, &about.name).text(version));
    for (key, value) in [("author", &about.author), ("about", &about.about), ("license", &about.license)] {
        if !value.is_empty() {
            session.tell(format!("{key}: {value}"));
        }
    }
}

impl Show {
    fn run(&self, session: &Session) -> Result<()> {
        let a_mod = mods::load(&self.a_mod)?;
        if session.global.json {
            let files: Vec<serde_json::Value> = a_mod
                .manifest
                .files
                .iter()
                .zip(&a_mod.changes)
                .map(|(entry, changes)| json!({ "file": entry, "changes": changes }))
                .collect();
            session.json(&json!({ "mod": a_mod.manifest, "sha256": a_mod.sha256()?, "files": files }));
            return Ok(());
        }
        head(session, &a_mod);
        for (path, lines) in mods::lines_of(&a_mod) {
            session.tell(format!("{path}:"));
            for line in lines.iter().take(LINES) {
                session.tell(format!("  {line}"));
            }
            if lines.len() > LINES {
                session.tell(format!("  and {} (--json shows all)", count(lines.len() - LINES, "further line")));
            }
        }
        Ok(())
    }
}

impl Check {
    fn run(&self, session: &Session) -> Result<(), Failure> {
        let mut loaded = Vec::new();
        for path in paths::expand(&self.mods)? {
            match mods::load(&path) {
                Ok(a_mod) => {
                    let changed = a_mod.weight();
                    session.tell(format!(
                        "{}: {} ({}, {})",
                        path.shown(),
                        a_mod.manifest.name,
                        count(a_mod.manifest.files.len(), "file"),
                        count(changed, "change")
                    ));
                    loaded.push(a_mod);
                }
                Err(e) => session.error(about(&path, &e)),
            }
        }
        let Some(to) = &self.to else {
            if self.mods.is_empty() {
                return Failure::usage("name a mod, or a game with --to");
            }
            return Ok(());
        };
        let game = ModdedGame::open(to, true)?;
        for (path, _) in game.changed_since()? {
            session.found();
            session.warn(format!("{path}: somebody changed it since refit wrote it"));
        }
        let plan = game.plan_apply(loaded, Prefer::None)?;
        tell(session, &plan, false, false);
        if plan.unplaced() > 0 {
            session.found();
        }
        Ok(())
    }
}

impl Diff {
    fn run(&self, session: &Session) -> Result<()> {
        let (a, b) = (mods::load(&self.a)?, mods::load(&self.b)?);
        let text = |a_mod: &Mod| -> Result<String> {
            let mut out = String::new();
            for (path, bytes) in a_mod.to_files()? {
                match std::str::from_utf8(&bytes) {
                    Ok(text) if path.ends_with(".json") => {
                        text.lines().for_each(|line| out.push_str(&format!("{path}: {line}\n")))
                    }
                    _ => out.push_str(&format!("{path}: {} bytes, sha256 {}\n", bytes.len(), refit::sha256(&bytes))),
                }
            }
            Ok(out)
        };
        let (x, y) = (text(&a)?, text(&b)?);
        if a == b {
            session.tell(format!("{} and {} are equal", self.a.shown(), self.b.shown()));
            if session.global.json {
                session.json(&json!({ "status": "equal" }));
            }
            return Ok(());
        }
        session.found();
        let lines = |a_mod: &Mod| -> String {
            let lines = mods::lines_of(a_mod)
                .into_iter()
                .flat_map(|(path, lines)| lines.into_iter().map(move |line| format!("{path}: {line}\n")));
            let about = &a_mod.manifest;
            let head = [
                ("name", &about.name),
                ("version", &about.version),
                ("author", &about.author),
                ("about", &about.about),
                ("license", &about.license),
            ];
            head.into_iter().map(|(key, value)| format!("{key}: {value}\n")).chain(lines).collect()
        };
        let (mut old, mut new) = (lines(&a), lines(&b));
        if old == new {
            // What these lines do not show.
            (old, new) = (x, y);
        }
        let texts = similar::TextDiff::from_lines(&old, &new);
        let mut changes = Vec::new();
        for change in texts.iter_all_changes() {
            let line = change.value().trim_end_matches('\n');
            let (sign, paint) = match change.tag() {
                similar::ChangeTag::Delete => ("-", Paint::Red),
                similar::ChangeTag::Insert => ("+", Paint::Green),
                similar::ChangeTag::Equal => continue,
            };
            changes.push(format!("{sign} {line}"));
            session.tell(Line::new().paint(paint, sign).text(format!(" {line}")));
        }
        if session.global.json {
            session.json(&json!({ "status": "different", "changes": changes }));
        }
        Ok(())
    }
}

impl Merge {
    fn run(&self, session: &Session) -> Result<()> {
        check_file(&self.output, Replace::new(session.global.force))?;
        let (a, b) = (mods::load(&self.a)?, mods::load(&self.b)?);
        let prefer = self.prefer.unwrap_or_default();
        let names = [a.manifest.name.clone(), b.manifest.name.clone()];
        let mut done = mods::union(&a, &b, prefer)?;
        for (file, conflict) in &done.conflicts {
            tell_conflict(session, &names, file, conflict);
        }
        if session.global.json {
            let conflicts: Vec<serde_json::Value> = done
                .conflicts
                .iter()
                .map(|(file, conflict)| json!({ "path": file, "conflict": conflict_json(&names, conflict) }))
                .collect();
            session.json(&json!({ "mods": names, "conflicts": conflicts }));
        }
        if !done.conflicts.is_empty() && prefer == Prefer::None {
            let error = Error::say(format!("{}: nothing was written", count(done.conflicts.len(), "conflict")));
            return Err(error.hint("--prefer first or last says who wins"));
        }
        done.made.manifest.name = self.name.clone().unwrap_or_else(|| stem(&self.output));
        let bytes = save(session, &done.made, &self.output)?;
        session.tell(format!(
            "{} ({}, {})",
            self.output.shown(),
            count(done.made.manifest.files.len(), "file"),
            size(bytes)
        ));
        Ok(())
    }
}

impl Unpack {
    fn run(&self, session: &Session) -> Result<()> {
        let a_mod = mods::load(&self.a_mod)?;
        let folder = self.output.clone().unwrap_or_else(|| self.a_mod.with_extension(""));
        if session.global.dry_run {
            session.tell(format!("{}: not written (dry run)", folder.shown()));
            return Ok(());
        }
        let files = mods::unpack(&a_mod, &folder)?;
        session.tell(format!("{} → {} ({})", self.a_mod.shown(), folder.shown(), count(files, "file")));
        Ok(())
    }
}
