//! Builds the file of a tree again on every save, and puts it in place.
//!
//! `watch` keeps the model of a tree. `Codec::assemble_to_renew` also returns an object that takes
//! one edited file into the model: a definition with the scripts that it names, or a member. refit
//! reads the result back as that part of the file, and it must give the same bytes. If the edit
//! affects more than one file (the manifest), or after an error, refit reads the whole tree.
//! Definitions are compiled in the same way: `Again` keeps the documents and entries of the last
//! build. While nothing is saved, a thread reads the whole tree; if the result ever differed, that
//! file would replace the first.
//!
//! In a project, definitions are a second view of a tree's file. Both are edits of the same
//! original: an entry that only one of them changed comes from there (`Anim::with_both`), and
//! otherwise they are merged as two mods are.

mod job;
mod saves;

use super::{
    definitions::{Definitions, OfTree},
    options::Options,
    progress::Progress,
    project::report_strays,
    repack::{Target, project_above, signatures},
};
use job::{Behind, Job, Saved};
use refit_base::{
    path::Shown,
    tree::{DirSource, disk::Written, is_project, read_head},
    wire::{Error, Result},
};
use refit_project::Project;
use saves::{Next, Save, Saves, in_folder};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

/// What to watch.
#[derive(Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args), group(skip))]
pub struct Watch {
    /// A tree, a project, or a folder of definitions
    pub tree: PathBuf,
    /// The game's folder, or for a tree, the file itself
    #[cfg_attr(feature = "cli", arg(long, value_name = "GAME"))]
    pub into: Option<PathBuf>,
    /// Look for saves at this interval instead of asking the system to report them: for network
    /// drives
    #[cfg_attr(feature = "cli", arg(long, value_name = "MILLISECONDS"))]
    pub poll: Option<u64>,
}

/// What happened while a tree is watched.
pub enum WatchEvent<'a> {
    /// This many files are watched.
    Watching(usize),
    /// A file was built, or could not be.
    Built(&'a Build<'a>),
    /// A file was built again from the whole tree, because the partial build gave another file.
    Rebuilt(&'a Path),
    /// A partial build could not be compared with the whole tree.
    Unproved(&'a Error),
    /// The folder disappeared; watching continues as soon as it returns.
    Gone,
    /// The folder is there again, and cannot be watched.
    Unwatchable(&'a Error),
    /// Another folder is there now, and is watched.
    Replaced,
    /// A tree or a folder of definitions appeared in the project, and is watched, too.
    Appeared(&'a Path),
    /// A tree disappeared from the project.
    Disappeared(&'a Path),
    /// A folder of definitions disappeared from the project: its file is built from its tree.
    Undefined(&'a Path),
}

/// A file that was built.
pub struct Build<'a> {
    /// The file.
    pub file: &'a Path,
    /// The files that were saved.
    pub saved: Vec<&'a str>,
    /// What was written and how it was built, or the error.
    pub done: Result<(Written, String)>,
    /// How it was built is how the definitions differ from the original.
    pub of_definitions: bool,
    /// How long it took, from the save on.
    pub took: Duration,
}

impl Watch {
    /// Builds edited files now and after every save, until `is_over`, which is called while nothing
    /// happens.
    pub fn run(
        &self,
        options: &Options,
        progress: &dyn Progress,
        on: &dyn Fn(WatchEvent<'_>),
        is_over: &dyn Fn() -> bool,
    ) -> Result<()> {
        let root = refit_base::path::canonical(&self.tree).map_err(|e| Error::io(&self.tree, e))?;
        // Definitions of a tree of a project are watched with the project.
        let of_project = project_above(&root).filter(|_| Definitions::are_of_a_tree(&root));
        let (root, only) = match of_project {
            Some(project) => (project, Some(root)),
            None => (root, None),
        };
        let run = Run {
            watch: self,
            root,
            only,
            options,
            progress,
            on,
        };
        let mut jobs = run.jobs()?;
        let mut saves = Saves::of(&run.root, self.poll)?;
        run.build_edited(&mut jobs, false);
        // Whether it is still the folder that is watched.
        let mut identity = Identity::of(&run.root);
        // Whether folders appeared or disappeared that could not be looked at yet.
        let mut unsettled = false;
        on(WatchEvent::Watching(jobs.len()));
        // A single tree is read before the first save; for a whole game only edited files are kept
        // in memory.
        if let [job] = jobs.as_mut_slice()
            && job.built.is_none()
            && job.definitions.is_none()
        {
            job.behind = Behind::read_first(job.tree.clone());
        }
        loop {
            let is_lost = match saves.next() {
                Next::Lost => true,
                Next::Idle => {
                    let is_lost = Identity::of(&run.root) != identity;
                    if !is_lost {
                        if std::mem::take(&mut unsettled)
                            && let Err(e) = run.follow(&mut jobs)
                        {
                            on(WatchEvent::Unwatchable(&e.about(&self.tree)));
                        }
                        run.rest(&mut jobs);
                        if is_over() {
                            return Ok(());
                        }
                    }
                    is_lost
                }
                Next::Saved(save) => {
                    let is_lost =
                        save.moved.contains(&run.root) || Identity::of(&run.root) != identity;
                    if !is_lost {
                        let mut built = BTreeSet::new();
                        if unsettled || run.is_to_follow(&jobs, &save) {
                            // A copy may still be running.
                            let followed = run.follow(&mut jobs);
                            unsettled = followed.is_err();
                            built = followed.unwrap_or_default();
                        }
                        run.build_saved(&mut jobs, &save, &built);
                    }
                    is_lost
                }
            };
            if is_lost {
                let Some(found) = run.find_again(is_over) else {
                    return Ok(());
                };
                (saves, jobs, identity) = found;
                on(WatchEvent::Replaced);
                run.build_edited(&mut jobs, true);
            }
        }
    }
}

/// How often to look whether a folder that is gone is there again.
const AGAIN: Duration = Duration::from_millis(100);
/// After this number of failures the reason is reported: by then, the folder is not merely still
/// being written.
const PASSING: u32 = 20;

/// Distinguishes a folder from another one with the same path.
#[derive(PartialEq, Eq)]
struct Identity {
    made: Option<SystemTime>,
    number: u64,
}

impl Identity {
    /// `None` without a folder.
    fn of(folder: &Path) -> Option<Self> {
        let meta = std::fs::metadata(folder)
            .ok()
            .filter(std::fs::Metadata::is_dir)?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&meta);
        #[cfg(not(unix))]
        let number = 0;
        Some(Identity {
            made: meta.created().ok(),
            number,
        })
    }
}

/// A tree, a project or definitions that are watched.
struct Run<'a> {
    watch: &'a Watch,
    root: PathBuf,
    /// Of a project, the definitions that alone are watched.
    only: Option<PathBuf>,
    options: &'a Options,
    progress: &'a dyn Progress,
    on: &'a dyn Fn(WatchEvent<'_>),
}

impl Run<'_> {
    /// The trees that are watched, and the files that they are built into.
    fn jobs(&self) -> Result<Vec<Job>> {
        let (root, into) = (self.root.as_path(), self.watch.into.as_ref());
        if is_project(root) {
            let project = Project::open(root)?;
            let game = match into {
                Some(game) if !game.is_dir() => {
                    let missing = Error::say("the game's folder is missing").in_file(game.shown());
                    return Err(missing.hint("give it with --into"));
                }
                Some(game) => game.clone(),
                None => project.game("--into")?,
            };
            let id = project.own_name();
            let mut jobs = Vec::new();
            for work in project.works()? {
                let of_tree = work
                    .definitions
                    .map(|folder| OfTree::new(root, root.join(folder)));
                let target = game.join(&work.file);
                let file = Some((work.file, work.entry.is_some()));
                jobs.push(Job {
                    of_tree,
                    file,
                    project: Some(id.clone()),
                    force: self.options.force,
                    ..Job::new(root.join(work.tree), target)
                });
            }
            if let Some(only) = &self.only {
                jobs.retain(|job| {
                    job.of_tree
                        .as_ref()
                        .is_some_and(|of_tree| of_tree.folder == *only)
                });
                if jobs.is_empty() {
                    return Err(
                        Error::say("definitions of no file of the project").in_file(only.shown())
                    );
                }
            }
            report_strays(&project, self.progress)?;
            return Ok(jobs);
        }
        let (_, head) = read_head(&DirSource::new(root))?;
        let definitions = Definitions::open(root)?;
        let target = match (Target::of(into.map(PathBuf::as_path)), &definitions) {
            (Target::Beside, Some(definitions)) => definitions.path.clone(),
            (target, _) => target.file(&self.watch.tree, &head)?,
        };
        let project =
            project_above(root).and_then(|project| Some(Project::open(&project).ok()?.own_name()));
        Ok(vec![Job {
            definitions,
            project,
            force: self.options.force,
            ..Job::new(root.to_owned(), target)
        }])
    }

    /// True if folders of the project may have appeared that are not watched yet, or disappeared.
    fn is_to_follow(&self, jobs: &[Job], save: &Save) -> bool {
        let folders = || jobs.iter().flat_map(Job::folders).flatten();
        let is_known = |path: &PathBuf| folders().any(|own| path.starts_with(own));
        is_project(&self.root)
            && !save.moved.is_empty()
            && (save.moved.iter().any(|path| !is_known(path))
                || folders().any(|folder| !folder.is_dir()))
    }

    /// Watches the folders that appeared in the project, and no longer those that disappeared.
    /// Returns the trees that it built.
    fn follow(&self, jobs: &mut Vec<Job>) -> Result<BTreeSet<PathBuf>> {
        let mut built = BTreeSet::new();
        let mut now = self.jobs()?;
        let is = |a: &Job, b: &Job| (&a.tree, &a.target) == (&b.tree, &b.target);
        jobs.retain(|job| {
            let stays = now.iter().any(|other| is(job, other));
            if !stays {
                (self.on)(WatchEvent::Disappeared(&job.tree));
            }
            stays
        });
        for new in now.drain(..) {
            let Some(job) = jobs.iter_mut().find(|job| is(job, &new)) else {
                (self.on)(WatchEvent::Appeared(&new.tree));
                built.insert(new.tree.clone());
                jobs.push(new);
                if let Some(job) = jobs.last_mut() {
                    self.build_edited(std::slice::from_mut(job), false);
                }
                continue;
            };
            let folder = |job: &Job| job.of_tree.as_ref().map(|of_tree| of_tree.folder.clone());
            let (was, is) = (folder(job), folder(&new));
            if was == is {
                continue;
            }
            was.iter()
                .for_each(|folder| (self.on)(WatchEvent::Undefined(folder)));
            is.iter()
                .for_each(|folder| (self.on)(WatchEvent::Appeared(folder)));
            let was_edited = job.is_edited;
            (job.of_tree, job.built, job.behind) = (new.of_tree, None, None);
            if job.needs_build(false) || was_edited {
                built.insert(job.tree.clone());
                self.build(job, &Saved::default(), Instant::now());
            }
        }
        Ok(built)
    }

    /// Waits until the folder returns; `None` when watching ends.
    fn find_again(
        &self,
        is_over: &dyn Fn() -> bool,
    ) -> Option<(Saves, Vec<Job>, Option<Identity>)> {
        let (mut is_reported, mut failures) = (false, 0);
        while !is_over() {
            let now = Identity::of(&self.root);
            if now.is_none() && !std::mem::replace(&mut is_reported, true) {
                (self.on)(WatchEvent::Gone);
            }
            // The new one is watched before it is read, so that nothing is missed; one that is
            // still being written is tried again.
            let again =
                || -> Result<_> { Ok((Saves::of(&self.root, self.watch.poll)?, self.jobs()?)) };
            match now.is_some().then(again) {
                Some(Ok((saves, jobs))) => return Some((saves, jobs, now)),
                Some(Err(e)) => {
                    failures += 1;
                    if failures == PASSING {
                        (self.on)(WatchEvent::Unwatchable(&e.about(&self.watch.tree)));
                    }
                }
                None => {}
            }
            std::thread::sleep(AGAIN);
        }
        None
    }

    /// Compares partial builds with the whole trees.
    fn rest(&self, jobs: &mut [Job]) {
        for job in jobs {
            match job.rest() {
                Ok(false) => {}
                Ok(true) => (self.on)(WatchEvent::Rebuilt(&job.target)),
                Err(e) => (self.on)(WatchEvent::Unproved(&e.about(&job.tree))),
            }
        }
    }

    /// Builds trees with earlier edits; with `again`, also trees that were built before and may
    /// have been replaced.
    fn build_edited(&self, jobs: &mut [Job], again: bool) {
        for job in jobs {
            if job.needs_build(again) {
                self.build(job, &Saved::default(), Instant::now());
            }
        }
    }

    /// Builds what was saved, except for `built` trees.
    fn build_saved(&self, jobs: &mut [Job], save: &Save, built: &BTreeSet<PathBuf>) {
        for job in jobs
            .iter_mut()
            .filter(|job| !built.contains(&job.tree) && job.tree.is_dir())
        {
            if job.is_replaced(&save.moved) {
                job.built = None;
                job.behind = None;
                self.build_edited(std::slice::from_mut(job), true);
                continue;
            }
            let [tree, definitions] = job.folders().map(|folder| {
                folder.map_or_else(Default::default, |folder| in_folder(folder, &save.saved))
            });
            let saved = Saved { tree, definitions };
            if !saved.is_empty() {
                self.build(job, &saved, save.began);
            }
        }
    }

    fn build(&self, job: &mut Job, saved: &Saved, began: Instant) {
        let done = job
            .build_patiently(saved, self.options, self.progress)
            .map_err(|e| e.about(&job.tree));
        if let Ok((written, _)) = &done {
            self.progress.kept(&job.target, written.kept.as_ref());
            signatures(&job.target, written.unchanged, self.progress);
            job.report(self.progress);
        }
        let of_definitions = job.is_of_definitions();
        let took = began.elapsed();
        (self.on)(WatchEvent::Built(&Build {
            file: &job.target,
            saved: saved.names(),
            done,
            of_definitions,
            took,
        }));
    }
}
