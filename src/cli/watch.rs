//! `refit watch`: on every save the file is built, proved and put in place.

use super::{
    definitions::Definitions,
    paths,
    session::{Session, about, size},
    status,
};
use clap::Args;
use notify::{PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use refit::{
    diff::Value,
    formats::{Format, Model},
    project::Project,
    tree::{
        DirSource, Form, Head, Source, Style,
        disk::{self, Replace},
        is_project, manifest_path,
    },
    wire::{Error, Result, What},
    work,
};
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

/// Build a tree's file again on every save, and put it into the game
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit watch anim                        anim.zbd beside the tree, on every save
  refit watch anim --into C:\\Games\\MW3\\zbd\\c1
  refit watch project                     into the game that the project came from
  refit watch defs                        definitions (refit anim decompile), compiled over the file that they came from

One line for each build. What cannot be built is told with file, line and column, and the file in the game stays the last good one. The \
original is kept as NAME.orig. Ctrl-C ends it.")]
pub struct Watch {
    /// A tree, a project, or a folder of definitions
    tree: PathBuf,
    /// The game's folder, or for a tree, the file itself
    #[arg(long, value_name = "GAME")]
    into: Option<PathBuf>,
    /// Look for saves so often instead of being told by the system: for network drives
    #[arg(long, value_name = "MILLISECONDS")]
    poll: Option<u64>,
}

/// So long nothing must happen before a save counts as done: editors write in several steps.
const QUIET: Duration = Duration::from_millis(15);
/// After so long it is built even if more happens.
const PATIENCE: Duration = Duration::from_millis(300);
/// After so long without a save, what was built of one document alone is held against the whole tree.
const IDLE: Duration = Duration::from_millis(400);
/// How often a file is tried that a game holds open, and how long is waited in between.
const TRIES: (u32, Duration) = (50, Duration::from_millis(200));

/// A tree and the file that it is built into.
struct Job {
    tree: PathBuf,
    target: PathBuf,
    built: Option<Built>,
    /// The tree is a folder of definitions, which is compiled.
    definitions: Option<Definitions>,
}

/// What was built last, so that only what changed is encoded again.
struct Built {
    head: Head,
    style: Style,
    model: Box<dyn Model>,
    /// The members' documents, by their path in the tree.
    members: BTreeMap<String, usize>,
    sha256: String,
    /// Only documents were put in since the whole tree was read.
    unproved: bool,
}

/// The documents of members, in their order.
fn members(source: &DirSource, head: &Head, style: Style) -> BTreeMap<String, usize> {
    let list = match head.format {
        Format::Reader | Format::Motion | Format::Mechlib | Format::Archive => "members",
        Format::Anim => "definitions",
        _ => return BTreeMap::new(),
    };
    if style != Style::Json {
        return BTreeMap::new();
    }
    let text = source.get(&manifest_path(style)).ok().and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
    let Some(Value::List(rows)) = text.and_then(|text| Value::parse(&text)).and_then(|value| value.field(list).cloned()) else {
        return BTreeMap::new();
    };
    let path = |row: &Value| row.text().or_else(|| row.field("file")?.text()).map(str::to_owned);
    let mut out = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        if let Some(path) = path(row).filter(|path| path.ends_with(".json"))
            && out.insert(path.clone(), i).is_some()
        {
            // One document for two members.
            out.remove(&path);
        }
    }
    out
}

/// True for what no tree is made of: backups, swap files, refit's own.
fn is_noise(relative: &Path) -> bool {
    let name = relative.file_name().unwrap_or_default().to_string_lossy();
    let backup = [".bak", ".tmp", ".swp", ".swx", ".orig", "~"].iter().any(|end| name.ends_with(end));
    backup || name == "4913" || name.starts_with('#') || relative.to_str().is_none_or(paths::is_hidden)
}

impl Job {
    /// Builds the file. `changed` are the paths in the tree that were saved; none means all. Gives the size and what was done.
    fn build(&mut self, changed: &BTreeSet<String>) -> Result<(u64, bool, String)> {
        if let Some(definitions) = &self.definitions {
            let mut tries = 0;
            loop {
                match definitions.build(&self.target) {
                    Err(e) if is_held(&e) && tries < TRIES.0 => {
                        tries += 1;
                        std::thread::sleep(TRIES.1);
                    }
                    done => return done,
                }
            }
        }
        if !changed.is_empty()
            && let Some(done) = self.quick(changed)
        {
            return done;
        }
        self.whole().map(|(bytes, unchanged)| (bytes, unchanged, "whole".into()))
    }

    /// Only the documents that were saved are encoded again; `None` where that is not possible.
    fn quick(&mut self, changed: &BTreeSet<String>) -> Option<Result<(u64, bool, String)>> {
        let built = self.built.as_mut()?;
        let source = DirSource::new(&self.tree);
        for path in changed {
            let index = *built.members.get(path)?;
            let bytes = source.get(path).ok()?;
            // Motions that are documents of their own are put together with the definitions that use them.
            if built.head.format == Format::Anim && memchr(&bytes, b"\"script\"") {
                return None;
            }
            built.model.put(index, &bytes, Form::Document(built.style)).ok()?;
        }
        built.unproved = true;
        Some(self.write().map(|(bytes, unchanged)| (bytes, unchanged, "document".into())))
    }

    fn whole(&mut self) -> Result<(u64, bool)> {
        let source = DirSource::new(&self.tree);
        self.built = None;
        let (head, model) = work::assemble(&source)?;
        work::check_readable(&*model, &head)?;
        let style = if source.has("refit.json") { Style::Json } else { Style::Ron };
        let members = members(&source, &head, style);
        self.built = Some(Built { head, style, model, members, sha256: String::new(), unproved: false });
        self.write()
    }

    /// Puts the file in place, as soon as the game lets go of it.
    fn write(&mut self) -> Result<(u64, bool)> {
        let Some(built) = self.built.as_mut() else { return Err(Error::say("nothing was built")) };
        let mut tries = 0;
        loop {
            let may = Replace { source: Some(built.head.source.sha256.wait()).filter(|sum| !sum.is_empty()), ..Replace::new(true) };
            match disk::write_file_with(&self.target, may, |out| work::write(&*built.model, out)) {
                Err(e) if is_held(&e) && tries < TRIES.0 => {
                    tries += 1;
                    std::thread::sleep(TRIES.1);
                }
                Err(e) => return Err(e),
                Ok(written) => {
                    built.sha256 = written.sha256;
                    return Ok((written.bytes, written.unchanged));
                }
            }
        }
    }

    /// Holds what was built of documents alone against the whole tree. True when another file had to be written.
    fn prove(&mut self) -> Result<bool> {
        let Some(sum) = self.built.as_ref().filter(|built| built.unproved).map(|built| built.sha256.clone()) else { return Ok(false) };
        self.whole()?;
        Ok(self.built.as_ref().is_some_and(|built| built.sha256 != sum))
    }
}

fn memchr(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}

/// A game that runs may hold its files open; Windows does not let them be replaced then.
fn is_held(error: &Error) -> bool {
    cfg!(windows)
        && matches!(error.what(), What::Io(e) if matches!(e.kind(), std::io::ErrorKind::PermissionDenied) || matches!(e.raw_os_error(), Some(5 | 32 | 33)))
}

fn said(e: impl std::fmt::Display) -> Error {
    Error::say(format!("the folder cannot be watched: {e}"))
}

/// Watches a folder. What the system cannot tell is looked for.
fn watcher(folder: &Path, poll: Option<u64>) -> Result<(Box<dyn Watcher>, Receiver<PathBuf>)> {
    let (sender, receiver) = channel();
    let tell = move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            && !event.kind.is_access()
        {
            event.paths.into_iter().for_each(|path| _ = sender.send(path));
        }
    };
    if poll.is_none()
        && let Ok(mut told) = RecommendedWatcher::new(tell.clone(), notify::Config::default())
        && told.watch(folder, RecursiveMode::Recursive).is_ok()
    {
        return Ok((Box::new(told), receiver));
    }
    let every = Duration::from_millis(poll.unwrap_or(500).max(10));
    let config = notify::Config::default().with_poll_interval(every).with_compare_contents(true);
    let mut looked = PollWatcher::new(tell, config).map_err(said)?;
    looked.watch(folder, RecursiveMode::Recursive).map_err(said)?;
    Ok((Box::new(looked), receiver))
}

impl Watch {
    /// Runs the command. It ends with Ctrl-C, or when nobody reads its output any more.
    pub fn run(self, session: &mut Session) -> Result<()> {
        let root = std::fs::canonicalize(&self.tree).map_err(|e| Error::io(&self.tree, e))?;
        let mut jobs = self.jobs(&root)?;
        let (_watcher, events) = watcher(&root, self.poll)?;
        for job in &mut jobs {
            // What was edited while nobody watched.
            if status::changes(&job.tree).map_or(true, |changes| !changes.is_empty()) || !job.target.exists() {
                build(session, job, &BTreeSet::new(), Instant::now());
            }
        }
        if session.global.json {
            session.json(&json!({ "status": "watching", "tree": self.tree.display().to_string(), "files": jobs.len() }));
        }
        session.tell(format!("watching {} (Ctrl-C ends it)", self.tree.display()));
        session.flush();
        loop {
            let first = match events.recv_timeout(IDLE) {
                Ok(path) => path,
                Err(RecvTimeoutError::Timeout) => {
                    for job in &mut jobs {
                        match job.prove() {
                            Ok(false) => {}
                            Ok(true) => session.tell(format!("{}: built anew of the whole tree", job.target.display())),
                            Err(e) => session.warn(about(&job.tree, &e)),
                        }
                    }
                    if session.closed() {
                        return Ok(());
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return Err(Error::say("the folder is no longer watched")),
            };
            let began = Instant::now();
            let mut saved = BTreeSet::from([first]);
            while began.elapsed() < PATIENCE {
                match events.recv_timeout(QUIET) {
                    Ok(path) => _ = saved.insert(path),
                    Err(_) => break,
                }
            }
            for job in &mut jobs {
                let mut changed = BTreeSet::new();
                for path in &saved {
                    if let Ok(relative) = path.strip_prefix(&job.tree)
                        && !relative.as_os_str().is_empty()
                        && !is_noise(relative)
                        && !path.is_dir()
                    {
                        changed.insert(relative.to_string_lossy().replace('\\', "/"));
                    }
                }
                // What editors only leave for a moment is no part of a save.
                if changed.iter().any(|path| job.tree.join(path).exists()) {
                    changed.retain(|path| job.tree.join(path).exists());
                }
                if !changed.is_empty() {
                    build(session, job, &changed, began);
                }
            }
            session.flush();
        }
    }

    /// The trees that are watched, and the files that they are built into.
    fn jobs(&self, root: &Path) -> Result<Vec<Job>> {
        if is_project(root) {
            let project = Project::open(root)?;
            let game = self.into.clone().unwrap_or_else(|| project.source());
            if !game.is_dir() {
                return Err(Error::say("the game's folder is not there").in_file(game.display().to_string()).hint("name it with --into"));
            }
            let (work, _) = project.work()?;
            return Ok(work
                .into_iter()
                .map(|work| Job { tree: root.join(work.tree), target: game.join(work.file), built: None, definitions: None })
                .collect());
        }
        let (_, head) = refit::tree::read_head(&DirSource::new(root))?;
        let definitions = Definitions::open(root)?;
        let target = match &self.into {
            Some(folder) if folder.is_dir() || folder.display().to_string().ends_with(std::path::is_separator) => {
                folder.join(paths::plain_name(&head.source.file)?)
            }
            Some(file) => file.clone(),
            None => match &definitions {
                Some(definitions) => definitions.path.clone(),
                None => paths::file_for(&self.tree, &head.source.file)?,
            },
        };
        Ok(vec![Job { tree: root.to_owned(), target, built: None, definitions }])
    }
}

fn build(session: &mut Session, job: &mut Job, changed: &BTreeSet<String>, began: Instant) {
    let mut done = job.build(changed);
    // Between deleting a file and writing it anew some editors take a while.
    if done.is_err() && changed.iter().any(|path| !job.tree.join(path).exists()) {
        std::thread::sleep(Duration::from_millis(100));
        done = job.build(changed);
    }
    let took = began.elapsed().as_millis();
    let names: Vec<&str> = changed.iter().map(String::as_str).collect();
    let what = match names.as_slice() {
        [] => "edits from before".to_owned(),
        [one] => (*one).to_owned(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    };
    match done {
        Ok((bytes, unchanged, how)) => {
            if session.global.json {
                session.json(&json!({
                    "file": job.target.display().to_string(), "status": if unchanged { "unchanged" } else { "built" }, "saved": names,
                    "bytes": bytes, "how": how, "milliseconds": took,
                }));
            }
            let same = if unchanged { ", unchanged" } else { "" };
            let stands = if job.definitions.is_some() { format!(", {how}") } else { String::new() };
            session.tell(format!("{} ({}, {took} ms{same}{stands}): {what}", job.target.display(), size(bytes)));
        }
        Err(e) => {
            let text = about(&job.tree, &e);
            if session.global.json {
                session.json(&json!({ "file": job.target.display().to_string(), "status": "error", "saved": names, "error": text, "milliseconds": took }));
            }
            session.error_for_now(format!("{text} ({} stays as it is)", job.target.display()));
        }
    }
    session.flush();
}
