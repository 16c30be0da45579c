//! `refit watch`: on every save the file is built, proved and put in place.

use crate::cli::{
    report::{about, size},
    session::Session,
};
use clap::Args;
use notify::{PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use refit::{
    format::Format,
    formats::{Incremental, Model, Renewable},
    mods::AppliedMods,
    path::Shown,
    pipeline,
    project::Project,
    tree::{
        DirSource, Head,
        disk::{self, By, Replace, Written},
        is_project,
    },
    wire::{Error, Result},
    workbench::{
        Progress,
        changes::may_be_edited,
        definitions::{Definitions, OfTree},
        edits, files,
        open::size_and_sum,
        project,
        repack::{Target, finish_above, project_above},
    },
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
    /// The project that the tree is of, by its own name.
    project: Option<String>,
    /// The file below the game's folder, where a project is watched, and whether the game had it.
    file: Option<(PathBuf, bool)>,
}

/// What was built last, so that only what changed is encoded again.
struct Built {
    head: Head,
    model: Box<dyn Model>,
    /// Takes what was edited into the model.
    renew: Option<Box<dyn Incremental>>,
    sha256: String,
    /// Only edited files were taken in since the whole tree was read.
    unproved: bool,
}

impl Built {
    /// Reads the whole tree.
    fn read(tree: &Path) -> Result<Self> {
        let source = DirSource::new(tree);
        let (head, Renewable { model, renew }) = pipeline::assemble_to_renew(&source)?;
        edits::check_format(tree, &source, &head, "refit repack --force packs it so")?;
        pipeline::check_readable(&*model, &head)?;
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
            built.sha256 = size_and_sum(&*built.model)?.1;
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
    backup || name == "4913" || name.starts_with('#') || relative.to_str().is_none() || files::is_hidden(&relative.shown())
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
        Job {
            tree,
            target,
            built: None,
            behind: None,
            definitions: None,
            of_tree: None,
            is_edited: false,
            pending: BTreeSet::new(),
            project: None,
            file: None,
        }
    }

    /// The folders that it is made of: the tree, and the definitions of it.
    fn folders(&self) -> [Option<&Path>; 2] {
        [Some(self.tree.as_path()), self.of_tree.as_ref().map(|of_tree| of_tree.folder.as_path())]
    }

    /// An error where the file may not be written: mods change it, or a project brings what it may not.
    fn check_target(&self, format: Format) -> Result<()> {
        if let Some(held) = AppliedMods::default().of_file(&self.target)? {
            return Err(held.refused(&self.target));
        }
        match &self.file {
            Some((file, _)) if !self.target.exists() => project::check_new(file, format, false),
            _ => Ok(()),
        }
    }

    /// Builds the file. Nothing saved means all. Gives what was written and how.
    fn build(&mut self, saved: &Saved) -> Result<(Written, String)> {
        if let Some(behind) = &mut self.behind {
            behind.late = true;
        }
        if self.definitions.is_some() {
            self.check_target(Format::Anim)?;
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
            return self.write(None).map(|written| (written, how));
        };
        self.is_edited |= !saved.definitions.is_empty();
        if !self.is_edited {
            return self.write(None).map(|written| (written, how));
        }
        let near = [self.target.clone()];
        let (both, told) = of_tree.with_tree(&self.tree, &built.head, &*built.model, &near, &saved.definitions)?;
        pipeline::check_readable(&both, &built.head)?;
        self.write(Some(&both)).map(|written| (written, told))
    }

    /// True where a folder that it is made of, or one above it, was itself made, renamed or removed.
    fn is_replaced(&self, moved: &BTreeSet<PathBuf>) -> bool {
        let mut folders = self.folders().into_iter().flatten();
        folders.any(|folder| folder.is_dir() && folder.ancestors().any(|above| moved.contains(above)))
    }

    /// Takes in what was saved, and nothing else; false where that is not possible. What is wrong with it is told when all is read.
    fn take_in(&mut self, changed: &BTreeSet<String>) -> bool {
        let Some(built) = &mut self.built else { return false };
        // What is put together with definitions cannot be held against the tree alone.
        let Some(renew) = built.renew.as_mut().filter(|_| self.of_tree.is_none()) else { return false };
        built.unproved = true;
        let mut paths = changed.iter().map(String::as_str);
        pipeline::renew(&DirSource::new(&self.tree), &mut **renew, &mut *built.model, &mut paths).unwrap_or(false)
    }

    /// Puts what was built, or another file that it is part of, in place as soon as the game lets go of it.
    fn write(&mut self, other: Option<&dyn Model>) -> Result<Written> {
        let Some(format) = self.built.as_ref().map(|built| built.head.format) else { return Err(Error::say("nothing was built")) };
        self.check_target(format)?;
        let Some(built) = self.built.as_mut() else { return Err(Error::say("nothing was built")) };
        let may = Replace {
            source: Some(built.head.source.sha256.wait()).filter(|sum| !sum.is_empty()),
            by: self.project.as_deref().map_or(By::Tree, By::Project),
            adds: self.file.as_ref().filter(|(_, known)| !known).map(|(file, _)| file.as_path()),
            ..Replace::new(true)
        };
        let model = other.unwrap_or(&*built.model);
        let written = disk::patiently_for(HELD, || disk::write_file_with(&self.target, may, |out| pipeline::write(model, out)))?;
        built.sha256.clone_from(&written.sha256);
        Ok(written)
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
    /// The same, and the name is there, or gone, that was not.
    Moved(PathBuf),
    /// Whoever wrote it closed it.
    Closed(PathBuf),
}

/// Watches a folder. What the system cannot tell is looked for.
fn watcher(folder: &Path, poll: Option<u64>) -> Result<(Box<dyn Watcher>, Receiver<Told>)> {
    use notify::event::{AccessKind::Close, AccessMode, EventKind, ModifyKind};
    let (sender, receiver) = channel();
    let tell = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let told = match event.kind {
            EventKind::Access(Close(AccessMode::Write)) => Told::Closed,
            // The tree itself is read, too.
            EventKind::Access(_) => return,
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => Told::Moved,
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
    pub fn run(self, session: &Session) -> Result<()> {
        let root = refit::path::canonical(&self.tree).map_err(|e| Error::io(&self.tree, e))?;
        // Definitions of a tree of a project are watched with the project.
        let of_project = project_above(&root).filter(|_| Definitions::are_of_a_tree(&root));
        let (root, only) = match of_project {
            Some(project) => (project, Some(root)),
            None => (root, None),
        };
        let mut jobs = self.jobs(session, &root, only.as_deref())?;
        let (mut _watcher, mut events) = watcher(&root, self.poll)?;
        build_edited(session, &mut jobs, false);
        // Whether it is still the folder that is watched.
        let (mut identity, mut is_lost, mut is_told, mut failures) = (Identity::of(&root), false, false, 0);
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
            if is_lost {
                if session.closed() {
                    return Ok(());
                }
                let now = Identity::of(&root);
                if now.is_none() && !std::mem::replace(&mut is_told, true) {
                    session.warn(format!("{} is gone; it is watched again as soon as it is there", self.tree.shown()));
                    session.flush();
                }
                // The new one is watched before it is read, so that nothing is missed; one that is still being written is tried again.
                let again = || -> Result<_> { Ok((watcher(&root, self.poll)?, self.jobs(session, &root, only.as_deref())?)) };
                let (again, found) = match now.is_some().then(again) {
                    Some(Ok(found)) => found,
                    failed => {
                        if let Some(Err(e)) = failed {
                            failures += 1;
                            if failures == PASSING {
                                session.warn(about(&self.tree, &e));
                                session.flush();
                            }
                        }
                        std::thread::sleep(AGAIN);
                        continue;
                    }
                };
                ((_watcher, events), jobs) = (again, found);
                (identity, is_lost, is_told, failures) = (now, false, false, 0);
                session.tell(format!("{} is another folder now: watching it", self.tree.shown()));
                build_edited(session, &mut jobs, true);
                session.flush();
            }
            let first = match events.recv_timeout(IDLE) {
                Ok(first @ (Told::Changed(_) | Told::Moved(_))) => first,
                Ok(Told::Closed(_)) => continue,
                Err(RecvTimeoutError::Timeout) => {
                    is_lost = Identity::of(&root) != identity;
                    if is_lost {
                        continue;
                    }
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
                Err(RecvTimeoutError::Disconnected) => {
                    is_lost = true;
                    continue;
                }
            };
            let began = Instant::now();
            let (mut saved, mut moved) = (BTreeSet::new(), BTreeSet::new());
            let mut see = |told: Told| {
                let (Told::Changed(path) | Told::Moved(path) | Told::Closed(path)) = &told;
                saved.insert(path.clone());
                if let Told::Moved(path) = told {
                    moved.insert(path);
                }
            };
            // What was written and not closed, as far as the system tells it.
            let mut open = BTreeSet::new();
            if let Told::Changed(path) | Told::Moved(path) = &first {
                open.insert(path.clone());
            }
            see(first);
            while began.elapsed() < PATIENCE {
                match events.recv_timeout(if open.is_empty() { CLOSED } else { QUIET }) {
                    Ok(Told::Closed(path)) => _ = open.remove(&path),
                    Ok(told) => {
                        if let Told::Changed(path) | Told::Moved(path) = &told {
                            open.insert(path.clone());
                        }
                        see(told);
                    }
                    Err(_) => break,
                }
            }
            is_lost = moved.contains(&root) || Identity::of(&root) != identity;
            if is_lost {
                continue;
            }
            for job in &mut jobs {
                if job.is_replaced(&moved) {
                    job.built = None;
                    job.behind = None;
                    build_edited(session, std::slice::from_mut(job), true);
                    continue;
                }
                let [tree, definitions] = job.folders().map(|folder| folder.map_or_else(BTreeSet::new, |folder| in_folder(folder, &saved)));
                let saved = Saved { tree, definitions };
                if !saved.is_empty() {
                    build(session, job, &saved, began);
                }
            }
            session.flush();
        }
    }

    /// The trees that are watched, and the files that they are built into; of a project those alone that have the definitions `only`.
    fn jobs(&self, session: &Session, root: &Path, only: Option<&Path>) -> Result<Vec<Job>> {
        if is_project(root) {
            let project = Project::open(root)?;
            let game = match &self.into {
                Some(game) if !game.is_dir() => {
                    let missing = Error::say("the game's folder is not there").in_file(game.shown());
                    return Err(missing.hint("name it with --into"));
                }
                Some(game) => game.clone(),
                None => project.game("--into")?,
            };
            let id = project.own_name();
            let mut jobs = Vec::new();
            for work in project.works()? {
                let of_tree = work.definitions.map(|folder| OfTree::new(root, root.join(folder)));
                let target = game.join(&work.file);
                let file = Some((work.file, work.entry.is_some()));
                jobs.push(Job { of_tree, file, project: Some(id.clone()), ..Job::new(root.join(work.tree), target) });
            }
            if let Some(only) = only {
                jobs.retain(|job| job.of_tree.as_ref().is_some_and(|of_tree| of_tree.folder == only));
                if jobs.is_empty() {
                    return Err(Error::say("definitions of no file of the project").in_file(only.shown()));
                }
            }
            project::report_strays(&project, session)?;
            return Ok(jobs);
        }
        let (_, head) = refit::tree::read_head(&DirSource::new(root))?;
        let definitions = Definitions::open(root)?;
        let target = match (Target::of(self.into.as_deref()), &definitions) {
            (Target::Beside, Some(definitions)) => definitions.path.clone(),
            (target, _) => target.file(&self.tree, &head)?,
        };
        let project = project_above(root).and_then(|project| Some(Project::open(&project).ok()?.own_name()));
        Ok(vec![Job { definitions, project, ..Job::new(root.to_owned(), target) }])
    }
}

/// How often it is looked whether a folder that is gone is there again.
const AGAIN: Duration = Duration::from_millis(100);
/// After so many failures it is said why it is not watched again: by then, it is not merely still being written.
const PASSING: u32 = 20;

/// What tells a folder from another one at its place.
#[derive(PartialEq, Eq)]
struct Identity {
    made: Option<std::time::SystemTime>,
    number: u64,
}

impl Identity {
    /// `None` where there is no folder.
    fn of(folder: &Path) -> Option<Self> {
        let meta = std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&meta);
        #[cfg(not(unix))]
        let number = 0;
        Some(Identity { made: meta.created().ok(), number })
    }
}

/// Builds what was edited while nobody watched; `known` also what was built before and may be another tree now.
fn build_edited(session: &Session, jobs: &mut [Job], known: bool) {
    for job in jobs {
        job.is_edited = job.of_tree.as_ref().is_some_and(|of_tree| may_be_edited(&of_tree.folder));
        let of_refit = || {
            let sum = disk::standing(&job.target).ok().flatten();
            sum.is_some_and(|sum| disk::own_note(&job.target, &sum).is_some())
        };
        if job.is_edited || may_be_edited(&job.tree) || !job.target.exists() || known && of_refit() {
            build(session, job, &Saved::default(), Instant::now());
        }
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

fn build(session: &Session, job: &mut Job, saved: &Saved, began: Instant) {
    let mut done = session.options().and_then(|options| finish_above(&job.target, &options, session)).and_then(|()| job.build(saved));
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
        Ok((Written { bytes, unchanged, kept, .. }, how)) => {
            session.kept(&job.target, kept.as_ref());
            if let Some(of_tree) = job.of_tree.as_ref().filter(|_| job.is_edited) {
                of_tree.report(session);
            }
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
