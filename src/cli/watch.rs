//! `refit watch`: on every save the file is built, proved and put in place.

use super::{
    definitions::{Definitions, OfTree},
    paths, project,
    session::{Session, about, size},
    status,
};
use clap::Args;
use notify::{PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use refit::{
    formats::{Model, Renew, Renewable},
    path::Shown,
    project::Project,
    tree::{
        DirSource, Head,
        disk::{self, Replace},
        is_project,
    },
    wire::{Error, Result},
    work,
};
use serde_json::json;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// Build a tree's file again on every save, and put it into the game
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit watch anim                        anim.zbd beside the tree, on every save
  refit watch anim --into C:\\Games\\MW3\\zbd\\c1
  refit watch project                     into the game that the project came from
  refit watch defs                        definitions, compiled over the file they came from

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
/// The same, where the system told that whoever wrote has closed all that was written.
const CLOSED: Duration = Duration::from_millis(3);
/// After so long it is built even if more happens.
const PATIENCE: Duration = Duration::from_millis(300);
/// After so long without a save, what was built of edited files alone is held against the whole tree.
const IDLE: Duration = Duration::from_millis(400);
/// So long a file is tried that a game holds open.
const HELD: Duration = Duration::from_secs(10);

/// A tree and the file that it is built into.
struct Job {
    tree: PathBuf,
    target: PathBuf,
    built: Option<Built>,
    /// What is read or compiled while nothing is saved.
    behind: Option<Behind>,
    /// The tree is a folder of definitions, which is compiled.
    definitions: Option<Definitions>,
    /// The tree is one of a project, which has definitions of it.
    of_tree: Option<OfTree>,
    /// Those were edited.
    is_edited: bool,
    /// What was saved and could not be taken in: the model is that of before, for when it is mended.
    pending: BTreeSet<String>,
}

/// What was built last, so that only what changed is encoded again.
struct Built {
    head: Head,
    model: Box<dyn Model>,
    /// Takes what was edited into the model.
    renew: Option<Box<dyn Renew>>,
    sha256: String,
    /// Only edited files were taken in since the whole tree was read.
    unproved: bool,
}

impl Built {
    /// Reads the whole tree.
    fn read(tree: &Path) -> Result<Self> {
        let (head, Renewable { model, renew }) = work::assemble_to_renew(&DirSource::new(tree))?;
        work::check_readable(&*model, &head)?;
        Ok(Built { head, model, renew, sha256: String::new(), unproved: false })
    }
}

/// What was found behind a save.
enum Found {
    /// The whole tree.
    Tree(Built),
    /// What was compiled last is what all definitions give.
    Same(bool),
}

/// A whole tree that is read, or a whole folder of definitions that is compiled, beside everything else.
struct Behind {
    work: JoinHandle<Result<Found>>,
    /// Something was saved since it began: what is found may be older, or newer, than what was built.
    late: bool,
}

impl Behind {
    /// Begins. A core is left for what is saved meanwhile.
    fn begin(work: impl FnOnce() -> Result<Found> + Send + 'static) -> Option<Self> {
        Self::begin_at_once(move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            pool.map_err(|e| Error::say(format!("no thread to work on: {e}")))?.install(work)
        })
    }

    fn begin_at_once(work: impl FnOnce() -> Result<Found> + Send + 'static) -> Option<Self> {
        std::thread::Builder::new().spawn(work).ok().map(|work| Behind { work, late: false })
    }

    /// Reads a whole tree that was not read before: the first save needs it.
    fn read_first(tree: PathBuf) -> Option<Self> {
        Self::begin_at_once(move || Built::read(&tree).map(Found::Tree))
    }

    /// Reads a whole tree, and what it gives.
    fn read(tree: PathBuf) -> Option<Self> {
        Self::begin(move || {
            let mut built = Built::read(&tree)?;
            let mut nowhere = std::io::sink();
            let mut summed = disk::Summed::new(&mut nowhere);
            work::write(&*built.model, &mut summed)?;
            built.sha256 = summed.end().1;
            Ok(Found::Tree(built))
        })
    }

    fn end(self) -> Result<Found> {
        self.work.join().unwrap_or_else(|_| Err(Error::say("the thread that reads the tree ended")))
    }
}

/// True for what no tree is made of: backups, swap files, refit's own.
fn is_noise(relative: &Path) -> bool {
    let name = relative.file_name().unwrap_or_default().to_string_lossy();
    let backup = [".bak", ".tmp", ".swp", ".swx", ".orig", "~"].iter().any(|end| name.ends_with(end));
    backup || name == "4913" || name.starts_with('#') || relative.to_str().is_none() || paths::is_hidden(&relative.shown())
}

/// What was saved for a job, by paths in its folders.
#[derive(Default)]
struct Saved {
    tree: BTreeSet<String>,
    definitions: BTreeSet<String>,
}

impl Saved {
    fn is_empty(&self) -> bool {
        self.tree.is_empty() && self.definitions.is_empty()
    }

    fn names(&self) -> Vec<&str> {
        self.tree.iter().chain(&self.definitions).map(String::as_str).collect()
    }
}

impl Job {
    fn new(tree: PathBuf, target: PathBuf) -> Self {
        Job { tree, target, built: None, behind: None, definitions: None, of_tree: None, is_edited: false, pending: BTreeSet::new() }
    }

    /// The folders that it is made of: the tree, and the definitions of it.
    fn folders(&self) -> [Option<&Path>; 2] {
        [Some(self.tree.as_path()), self.of_tree.as_ref().map(|of_tree| of_tree.folder.as_path())]
    }

    /// Builds the file. Nothing saved means all. Gives the size and what was done.
    fn build(&mut self, saved: &Saved) -> Result<(u64, bool, String)> {
        if let Some(behind) = &mut self.behind {
            behind.late = true;
        }
        if let Some(definitions) = &mut self.definitions {
            return disk::patiently_for(HELD, || definitions.build(&self.target, &saved.tree));
        }
        if self.built.is_none()
            && let Some(Ok(Found::Tree(read))) = self.behind.take().map(Behind::end)
        {
            // It need not be read again: what was saved since it began is taken in now.
            self.built = Some(read).filter(|read| read.renew.is_some());
        }
        let mut how = "document".to_owned();
        let tree_stays = self.built.is_some() && saved.tree.is_empty() && !saved.definitions.is_empty();
        let edited: BTreeSet<String> = saved.tree.union(&self.pending).cloned().collect();
        if !(tree_stays && self.pending.is_empty() || !saved.tree.is_empty() && self.take_in(&edited)) {
            let read = Built::read(&self.tree).inspect_err(|_| self.pending.clone_from(&edited))?;
            self.built = Some(read);
            how = "whole".into();
        }
        self.pending.clear();
        let (Some(of_tree), Some(built)) = (&mut self.of_tree, &self.built) else {
            return self.write(None).map(|(bytes, unchanged)| (bytes, unchanged, how));
        };
        self.is_edited |= !saved.definitions.is_empty();
        if !self.is_edited {
            return self.write(None).map(|(bytes, unchanged)| (bytes, unchanged, how));
        }
        let near = [self.target.clone()];
        let (both, told) = of_tree.with_tree(&self.tree, &built.head, &*built.model, &near, &saved.definitions)?;
        work::check_readable(&both, &built.head)?;
        self.write(Some(&both)).map(|(bytes, unchanged)| (bytes, unchanged, told))
    }

    /// Takes in what was saved, and nothing else; false where that is not possible. What is wrong with it is told when all is read.
    fn take_in(&mut self, changed: &BTreeSet<String>) -> bool {
        let Some(built) = &mut self.built else { return false };
        // What is put together with definitions cannot be held against the tree alone.
        let Some(renew) = built.renew.as_mut().filter(|_| self.of_tree.is_none()) else { return false };
        built.unproved = true;
        let mut paths = changed.iter().map(String::as_str);
        work::renew(&DirSource::new(&self.tree), &mut **renew, &mut *built.model, &mut paths).unwrap_or(false)
    }

    /// Puts what was built, or another file that it is part of, in place as soon as the game lets go of it.
    fn write(&mut self, other: Option<&dyn Model>) -> Result<(u64, bool)> {
        let Some(built) = self.built.as_mut() else { return Err(Error::say("nothing was built")) };
        let may = Replace { source: Some(built.head.source.sha256.wait()).filter(|sum| !sum.is_empty()), ..Replace::new(true) };
        let model = other.unwrap_or(&*built.model);
        let written = disk::patiently_for(HELD, || disk::write_file_with(&self.target, may, |out| work::write(model, out)))?;
        built.sha256 = written.sha256;
        Ok((written.bytes, written.unchanged))
    }

    /// What is done while nothing is saved: what was built of edited files alone is held against the whole. True when another file had to be
    /// written.
    fn rest(&mut self) -> Result<bool> {
        if self.behind.as_ref().is_some_and(|behind| !behind.work.is_finished()) {
            return Ok(false);
        }
        let Some(behind) = self.behind.take() else {
            self.begin_behind();
            return Ok(false);
        };
        let late = behind.late;
        match (behind.end(), &mut self.built) {
            _ if late => Ok(false),
            (Ok(Found::Same(true)), _) => Ok(false),
            // What was read before the first save.
            (Ok(Found::Tree(read)), built @ None) => {
                *built = Some(read).filter(|read| read.renew.is_some());
                Ok(false)
            }
            (Err(_), None) if self.definitions.is_none() => Ok(false),
            (Ok(Found::Tree(read)), Some(built)) if read.sha256 == built.sha256 => {
                built.unproved = false;
                Ok(false)
            }
            _ => self.build(&Saved::default()).map(|_| true),
        }
    }

    fn begin_behind(&mut self) {
        let of_tree = self.of_tree.as_mut().and_then(OfTree::proof);
        if let Some(proof) = of_tree {
            self.behind = Behind::begin(move || proof().map(Found::Same));
        } else if let Some(proof) = self.definitions.as_mut().and_then(Definitions::proof) {
            self.behind = Behind::begin(move || proof().map(Found::Same));
        } else if self.pending.is_empty() && self.built.as_ref().is_some_and(|built| built.unproved) {
            self.behind = Behind::read(self.tree.clone());
        }
    }
}

fn said(e: impl std::fmt::Display) -> Error {
    Error::say(format!("the folder cannot be watched: {e}"))
}

/// What happened to a file of the folder.
enum Told {
    /// It was written, made, renamed or removed.
    Changed(PathBuf),
    /// Whoever wrote it closed it.
    Closed(PathBuf),
}

/// Watches a folder. What the system cannot tell is looked for.
fn watcher(folder: &Path, poll: Option<u64>) -> Result<(Box<dyn Watcher>, Receiver<Told>)> {
    use notify::event::{AccessKind::Close, AccessMode, EventKind};
    let (sender, receiver) = channel();
    let tell = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let told = match event.kind {
            EventKind::Access(Close(AccessMode::Write)) => Told::Closed,
            // The tree itself is read, too.
            EventKind::Access(_) => return,
            _ => Told::Changed,
        };
        event.paths.into_iter().for_each(|path| _ = sender.send(told(path)));
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
        let root = refit::path::canonical(&self.tree).map_err(|e| Error::io(&self.tree, e))?;
        let mut jobs = self.jobs(session, &root)?;
        let (_watcher, events) = watcher(&root, self.poll)?;
        for job in &mut jobs {
            // What was edited while nobody watched.
            let is_edited = |folder: &Path| status::changes(folder).map_or(true, |changes| !changes.is_empty());
            job.is_edited = job.of_tree.as_ref().is_some_and(|of_tree| is_edited(&of_tree.folder));
            if job.is_edited || is_edited(&job.tree) || !job.target.exists() {
                build(session, job, &Saved::default(), Instant::now());
            }
        }
        if session.global.json {
            session.json(&json!({ "status": "watching", "tree": self.tree.shown(), "files": jobs.len() }));
        }
        session.tell(format!("watching {} (Ctrl-C ends it)", self.tree.shown()));
        session.flush();
        // One tree is read before the first save; of a whole game only what is edited is kept in memory.
        if let [job] = jobs.as_mut_slice()
            && job.built.is_none()
            && job.definitions.is_none()
        {
            job.behind = Behind::read_first(job.tree.clone());
        }
        loop {
            let first = match events.recv_timeout(IDLE) {
                Ok(Told::Changed(path)) => path,
                Ok(Told::Closed(_)) => continue,
                Err(RecvTimeoutError::Timeout) => {
                    for job in &mut jobs {
                        match job.rest() {
                            Ok(false) => {}
                            Ok(true) => session.tell(format!("{}: built anew of the whole tree", job.target.shown())),
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
            // What was written and not closed, as far as the system tells it.
            let mut open = saved.clone();
            while began.elapsed() < PATIENCE {
                match events.recv_timeout(if open.is_empty() { CLOSED } else { QUIET }) {
                    Ok(Told::Changed(path)) => {
                        saved.insert(path.clone());
                        open.insert(path);
                    }
                    Ok(Told::Closed(path)) => _ = open.remove(&path),
                    Err(_) => break,
                }
            }
            for job in &mut jobs {
                let [tree, definitions] = job.folders().map(|folder| folder.map_or_else(BTreeSet::new, |folder| in_folder(folder, &saved)));
                let saved = Saved { tree, definitions };
                if !saved.is_empty() {
                    build(session, job, &saved, began);
                }
            }
            session.flush();
        }
    }

    /// The trees that are watched, and the files that they are built into.
    fn jobs(&self, session: &Session, root: &Path) -> Result<Vec<Job>> {
        if is_project(root) {
            let project = Project::open(root)?;
            let game = self.into.clone().unwrap_or_else(|| project.source());
            if !game.is_dir() {
                return Err(Error::say("the game's folder is not there").in_file(game.shown()).hint("name it with --into"));
            }
            let mut jobs = Vec::new();
            project.each_work(&mut |work| {
                let of_tree = work.definitions.map(|folder| OfTree::new(root.join(folder)));
                jobs.push(Job { of_tree, ..Job::new(root.join(work.tree), game.join(work.file)) });
                Ok(())
            })?;
            project::tell_strays(session, &project)?;
            return Ok(jobs);
        }
        let (_, head) = refit::tree::read_head(&DirSource::new(root))?;
        let definitions = Definitions::open(root)?;
        let target = match &self.into {
            Some(folder) if folder.is_dir() || folder.shown().ends_with(std::path::is_separator) => {
                folder.join(paths::plain_name(&head.source.file)?)
            }
            Some(file) => file.clone(),
            None => match &definitions {
                Some(definitions) => definitions.path.clone(),
                None => paths::file_for(&self.tree, &head.source.file)?,
            },
        };
        Ok(vec![Job { definitions, ..Job::new(root.to_owned(), target) }])
    }
}

/// What was saved in a folder, by paths there.
fn in_folder(folder: &Path, saved: &BTreeSet<PathBuf>) -> BTreeSet<String> {
    let relative = |path: &PathBuf| {
        let relative = path.strip_prefix(folder).ok().filter(|relative| !relative.as_os_str().is_empty() && !is_noise(relative))?;
        (!path.is_dir()).then(|| relative.to_string_lossy().replace('\\', "/"))
    };
    let mut changed: BTreeSet<String> = saved.iter().filter_map(relative).collect();
    // What editors only leave for a moment is no part of a save.
    if changed.iter().any(|path| folder.join(path).exists()) {
        changed.retain(|path| folder.join(path).exists());
    }
    changed
}

fn build(session: &mut Session, job: &mut Job, saved: &Saved, began: Instant) {
    let mut done = job.build(saved);
    // Between deleting a file and writing it anew some editors take a while.
    let folders = job.folders();
    let is_gone =
        |(folder, paths): (&Option<&Path>, &BTreeSet<String>)| paths.iter().any(|path| folder.is_some_and(|f| !f.join(path).exists()));
    if done.is_err() && folders.iter().zip([&saved.tree, &saved.definitions]).any(is_gone) {
        std::thread::sleep(Duration::from_millis(100));
        done = job.build(saved);
    }
    let took = began.elapsed().as_millis();
    let names = saved.names();
    let what = match names.as_slice() {
        [] => "edits from before".to_owned(),
        [one] => (*one).to_owned(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    };
    match done {
        Ok((bytes, unchanged, how)) => {
            if session.global.json {
                session.json(&json!({
                    "file": job.target.shown(), "status": if unchanged { "unchanged" } else { "built" }, "saved": names,
                    "bytes": bytes, "how": how, "milliseconds": took,
                }));
            }
            let same = if unchanged { ", unchanged" } else { "" };
            let stands = if job.definitions.is_some() || job.is_edited { format!(", {how}") } else { String::new() };
            session.tell(format!("{} ({}, {took} ms{same}{stands}): {what}", job.target.shown(), size(bytes)));
        }
        Err(e) => {
            let text = about(&job.tree, &e);
            if session.global.json {
                session
                    .json(&json!({ "file": job.target.shown(), "status": "error", "saved": names, "error": text, "milliseconds": took }));
            }
            session.error_for_now(format!("{text} ({} stays as it is)", job.target.shown()));
        }
    }
    session.flush();
}
