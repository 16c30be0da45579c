//! The trees that are watched, and how their files are built.

use super::super::{
    changes::may_be_edited,
    definitions::{Definitions, OfTree},
    edits,
    open::size_and_sum,
    options::Options,
    progress::Progress,
    project::check_new,
    repack::{check_secrets, finish_above},
    writer::Writer,
};
use refit_base::{
    Sum,
    contract::{Incremental, Model, Renewable},
    format::Format,
    path::Shown,
    tree::{
        DirSource, Head, Source,
        disk::{self, By, Replace, Written},
    },
    wire::{Error, Result},
};
use refit_files::{file::File, pipeline};
use refit_mods::AppliedMods;
use std::{
    collections::BTreeSet,
    io::Write,
    path::{Path, PathBuf},
    thread::JoinHandle,
    time::Duration,
};

/// How long to retry a file that a game keeps open.
const HELD: Duration = Duration::from_secs(10);

/// A tree and the file that it is built into.
pub struct Job {
    pub tree: PathBuf,
    pub target: PathBuf,
    pub built: Option<Built>,
    /// Background work while nothing is saved.
    pub behind: Option<Behind>,
    /// The tree is a folder of definitions, which is compiled.
    pub definitions: Option<Definitions>,
    /// The tree belongs to a project, which has definitions of it.
    pub of_tree: Option<OfTree>,
    /// Those were edited.
    pub is_edited: bool,
    /// Saved files that could not be used: the model is unchanged until they are fixed.
    pub pending: BTreeSet<String>,
    /// The project that the tree is of, by its own name.
    pub project: Option<String>,
    /// For a project, the file below the game's folder, and whether the game had it.
    pub file: Option<(PathBuf, bool)>,
    /// Also replaces a file that another hand changed.
    pub force: bool,
}

/// The last build, so that only changes are encoded again.
pub struct Built {
    head: Head,
    model: File,
    /// Applies edits to the model.
    renew: Option<Box<dyn Incremental<File>>>,
    sum: Sum,
    /// Only edited files were taken in since the whole tree was read.
    unproved: bool,
}

impl Built {
    /// Reads the whole tree.
    fn read(tree: &Path) -> Result<Self> {
        let source = DirSource::new(tree);
        let (head, Renewable { model, renew }) = pipeline::assemble_to_renew(&source)?;
        if head.format != Format::Pbo {
            check_secrets(&source, &source.paths())?;
        }
        edits::check_format(
            tree,
            &source,
            &head,
            "`refit repack --force` packs it anyway",
        )?;
        pipeline::check_readable(&*model, &head)?;
        Ok(Built {
            head,
            model,
            renew,
            sum: Sum::default(),
            unproved: false,
        })
    }
}

/// The result of background work.
enum Found {
    /// The whole tree.
    Tree(Built),
    /// True if compiling all definitions gives the same file as the last build.
    Same(bool),
}

/// Reads a whole tree, or compiles a whole folder of definitions, in the background.
pub struct Behind {
    work: JoinHandle<Result<Found>>,
    /// Something was saved after it began: its result may be older or newer than the last build.
    late: bool,
}

impl Behind {
    /// Starts the work. Leaves a core for files that are saved in the meantime.
    fn begin(work: impl FnOnce() -> Result<Found> + Send + 'static) -> Option<Self> {
        Self::begin_at_once(move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            pool.map_err(|e| Error::say(format!("cannot start a thread: {e}")))?
                .install(work)
        })
    }

    fn begin_at_once(work: impl FnOnce() -> Result<Found> + Send + 'static) -> Option<Self> {
        std::thread::Builder::new()
            .spawn(work)
            .ok()
            .map(|work| Behind { work, late: false })
    }

    /// Reads a whole tree that was not read before: the first save needs it.
    pub fn read_first(tree: PathBuf) -> Option<Self> {
        Self::begin_at_once(move || Built::read(&tree).map(Found::Tree))
    }

    /// Reads a whole tree and builds its file.
    fn read(tree: PathBuf) -> Option<Self> {
        Self::begin(move || {
            let mut built = Built::read(&tree)?;
            let source = built.head.source.sum.wait();
            built.sum = size_and_sum(&*built.model, source)?.1;
            Ok(Found::Tree(built))
        })
    }

    fn end(self) -> Result<Found> {
        self.work
            .join()
            .unwrap_or_else(|_| Err(Error::say("the thread that reads the tree ended")))
    }
}

/// The saved files of a job, by paths in its folders.
#[derive(Default)]
pub struct Saved {
    pub tree: BTreeSet<String>,
    pub definitions: BTreeSet<String>,
}

impl Saved {
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty() && self.definitions.is_empty()
    }

    pub fn names(&self) -> Vec<&str> {
        self.tree
            .iter()
            .chain(&self.definitions)
            .map(String::as_str)
            .collect()
    }
}

impl Job {
    pub fn new(tree: PathBuf, target: PathBuf) -> Self {
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
            force: false,
        }
    }

    /// Its folders: the tree, and the definitions of it.
    pub fn folders(&self) -> [Option<&Path>; 2] {
        [
            Some(self.tree.as_path()),
            self.of_tree
                .as_ref()
                .map(|of_tree| of_tree.folder.as_path()),
        ]
    }

    /// An error if the file must not be written: mods change it, or a project contains something
    /// forbidden.
    fn check_target(&self, format: Format) -> Result<()> {
        if let Some(held) = AppliedMods::default().of_file(&self.target)? {
            let project = super::super::repack::project_above(&self.tree);
            let both = project.map(|project| format!("use refit repack {}", project.shown()));
            return Err(held.refused(&self.target, both.as_deref()));
        }
        match &self.file {
            Some((file, _)) if !self.target.exists() => check_new(file, format, false),
            _ => Ok(()),
        }
    }

    /// Builds the file. No saved files means all. Returns what was written and how.
    fn build(&mut self, saved: &Saved) -> Result<(Written, String)> {
        if let Some(behind) = &mut self.behind {
            behind.late = true;
        }
        if self.definitions.is_some() {
            self.check_target(Format::Anim)?;
        }
        if let Some(definitions) = &mut self.definitions {
            return disk::patiently_for(HELD, || {
                definitions.build(&self.target, &saved.tree, self.force)
            });
        }
        if self.built.is_none()
            && let Some(Ok(Found::Tree(read))) = self.behind.take().map(Behind::end)
        {
            // No need to read it again: files saved since it began are applied now.
            self.built = Some(read).filter(|read| read.renew.is_some());
        }
        let is_addon = |built: &Built| built.head.format == Format::Pbo;
        if !self.built.as_ref().is_some_and(is_addon) {
            let source = DirSource::new(&self.tree);
            // A manifest may name a file that was there before.
            match saved.tree.iter().any(|path| path.starts_with("refit.")) {
                true => check_secrets(&source, &source.paths())?,
                false => check_secrets(&source, &saved.tree)?,
            }
        }
        let mut how = "document".to_owned();
        let tree_stays =
            self.built.is_some() && saved.tree.is_empty() && !saved.definitions.is_empty();
        let edited: BTreeSet<String> = saved.tree.union(&self.pending).cloned().collect();
        if !(tree_stays && self.pending.is_empty()
            || !saved.tree.is_empty() && self.take_in(&edited))
        {
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
        let (both, counts) = of_tree.with_tree(
            &self.tree,
            &built.head,
            &built.model,
            &near,
            &saved.definitions,
        )?;
        pipeline::check_readable(&both, &built.head)?;
        self.write(Some(&both)).map(|written| (written, counts))
    }

    /// True if one of its folders, or one above it, was created, renamed or removed.
    pub fn is_replaced(&self, moved: &BTreeSet<PathBuf>) -> bool {
        let mut folders = self.folders().into_iter().flatten();
        folders
            .any(|folder| folder.is_dir() && folder.ancestors().any(|above| moved.contains(above)))
    }

    /// Applies the saved files only; false if that is not possible. Errors in them are reported
    /// when everything is read.
    fn take_in(&mut self, changed: &BTreeSet<String>) -> bool {
        let Some(built) = &mut self.built else {
            return false;
        };
        // A tree merged with definitions cannot be updated by the tree alone.
        let Some(renew) = built.renew.as_mut().filter(|_| self.of_tree.is_none()) else {
            return false;
        };
        built.unproved = true;
        let mut paths = changed.iter().map(String::as_str);
        pipeline::renew(
            &DirSource::new(&self.tree),
            &mut **renew,
            &mut built.model,
            &mut paths,
        )
        .unwrap_or(false)
    }

    /// Writes the last build, or another file of it, as soon as the game releases the file.
    fn write(&mut self, other: Option<&dyn Model>) -> Result<Written> {
        let Some(format) = self.built.as_ref().map(|built| built.head.format) else {
            return Err(Error::say("nothing was built"));
        };
        self.check_target(format)?;
        let Some(built) = self.built.as_mut() else {
            return Err(Error::say("nothing was built"));
        };
        let may = Replace {
            source: Some(built.head.source.sum.wait()).filter(|sum| !sum.is_missing()),
            by: self.project.as_deref().map_or(By::Tree, By::Project),
            adds: self
                .file
                .as_ref()
                .filter(|(_, known)| !known)
                .map(|(file, _)| file.as_path()),
            ..Replace::new(true)
        };
        let model = other.unwrap_or(&*built.model);
        let original = built.head.source.sum.wait();
        let check = |_: u64, sum: Sum| match self.force {
            true => Ok(()),
            false => Writer::of(&self.target, original, may.by)?.check(&self.target, sum),
        };
        let written = disk::patiently_for(HELD, || {
            let write = |out: &mut (dyn Write + Send)| pipeline::write(model, out);
            disk::write_file_checked(&self.target, may, write, check)
        });
        match &written {
            Ok(written) => built.sum = written.sum,
            // The build is not the game's file: it is neither continued nor compared.
            Err(_) => self.built = None,
        }
        written
    }

    /// Runs while nothing is saved: compares a partial build with a full one. True if another file
    /// had to be written.
    pub fn rest(&mut self) -> Result<bool> {
        if self
            .behind
            .as_ref()
            .is_some_and(|behind| !behind.work.is_finished())
        {
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
            // Read before the first save.
            (Ok(Found::Tree(read)), built @ None) => {
                *built = Some(read).filter(|read| read.renew.is_some());
                Ok(false)
            }
            (Err(_), None) if self.definitions.is_none() => Ok(false),
            (Ok(Found::Tree(read)), Some(built)) if read.sum == built.sum => {
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
        } else if self.pending.is_empty() && self.built.as_ref().is_some_and(|built| built.unproved)
        {
            self.behind = Behind::read(self.tree.clone());
        }
    }

    /// True if the tree or its definitions were edited, or if there is no file; with `again`, also
    /// if the file is refit's own.
    pub fn needs_build(&mut self, again: bool) -> bool {
        self.is_edited = self
            .of_tree
            .as_ref()
            .is_some_and(|of_tree| may_be_edited(&of_tree.folder, None));
        let of_refit = || disk::current_note(&self.target).is_some();
        self.is_edited
            || may_be_edited(&self.tree, None)
            || !self.target.exists()
            || again && of_refit()
    }

    /// Builds the file; tries once more if a saved file is missing, because some editors take a
    /// while between deleting a file and writing it again.
    pub fn build_patiently(
        &mut self,
        saved: &Saved,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<(Written, String)> {
        let done = finish_above(&self.target, options, progress).and_then(|()| self.build(saved));
        let is_gone = |(folder, paths): (Option<&Path>, &BTreeSet<String>)| {
            paths
                .iter()
                .any(|path| folder.is_some_and(|folder| !folder.join(path).exists()))
        };
        if done.is_err()
            && self
                .folders()
                .into_iter()
                .zip([&saved.tree, &saved.definitions])
                .any(is_gone)
        {
            std::thread::sleep(Duration::from_millis(100));
            return self.build(saved);
        }
        done
    }

    /// True if the file was built from definitions.
    pub fn is_of_definitions(&self) -> bool {
        self.definitions.is_some() || self.is_edited
    }

    /// Reports the findings of the compiled definitions.
    pub fn report(&self, progress: &dyn Progress) {
        if let Some(of_tree) = self.of_tree.as_ref().filter(|_| self.is_edited) {
            of_tree.report(progress);
        }
    }
}
