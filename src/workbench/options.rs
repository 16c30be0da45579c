//! The user's choices: which files, and what may be written.

use super::{kept::KeptTrees, paths::same_path, writes::Writes};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use refit_base::{
    path::Shown,
    tree::disk::Backup,
    wire::{Error, Result},
};
use refit_bohemia::pbo::build::Pattern;
use refit_files::pipeline::Hints;
use std::{
    collections::HashSet,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

/// How to work: which files, what they are, and what may be written.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Game and format of the files, which override the detected ones.
    pub hints: Hints,
    /// Selects files in folders, or members in lists.
    pub filter: Filter,
    /// Replace what exists already.
    pub force: bool,
    /// Do everything except writing.
    pub dry_run: bool,
    /// In a dry run, receives the files that a change of a file or a tree would write.
    pub writes: Option<Arc<Writes>>,
    /// Keeps the tree of a world between two changes of it.
    pub kept: Option<Arc<KeptTrees>>,
    /// Refuse a tree of a PBO with files that its manifest does not name, or without files that it
    /// names.
    pub strict: bool,
    /// Continue with the next file after an error.
    pub keep_going: bool,
    /// What to keep of a file that is replaced; `None` for the default of the task.
    pub backup: Option<Backup>,
    /// How many files to work on at the same time; `None` for one per processor.
    pub jobs: Option<NonZeroUsize>,
    /// The files and trees written so far, shared by several tasks.
    pub outputs: Option<Arc<Outputs>>,
    /// Locks to hold, shared and in this order, during work on one file of many. A thread that
    /// locks one of them exclusively waits only for the current files, and does not share the
    /// memory with them.
    pub turns: Vec<Arc<RwLock<()>>>,
    /// Where the names in files are cached.
    pub index_cache: IndexCache,
    /// Texts include no files outside of this folder.
    pub within: Option<PathBuf>,
}

/// Where the names in files are cached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IndexCache {
    /// In a project, or in the user's cache folder.
    #[default]
    Usual,
    /// In this folder.
    In(PathBuf),
    /// Nowhere: every file is read.
    None,
}

/// Files and trees that were written: none of them is written twice.
#[derive(Debug, Default)]
pub struct Outputs(Mutex<HashSet<PathBuf>>);

impl Outputs {
    /// An error if the path was claimed before: one of two outputs would be lost.
    pub(crate) fn claim(&self, target: &Path) -> Result<()> {
        match self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(same_path(target))
        {
            true => Ok(()),
            false => Err(Error::say("two outputs of this run would be the same file")
                .in_file(target.shown())
                .hint("give one of them another name with -o")),
        }
    }
}

impl Options {
    /// How many threads work on files. More than a few for each processor would only wait for each
    /// other.
    pub fn threads(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.jobs
            .map_or(processors, |jobs| jobs.get().min(4 * processors))
    }

    /// The outputs of a task that begins.
    pub(super) fn outputs(&self) -> Arc<Outputs> {
        self.outputs.clone().unwrap_or_default()
    }

    /// The backup mode for a file to replace, with `default` for tasks that keep the default.
    pub(crate) fn backup_or(&self, default: Backup) -> Backup {
        self.backup.unwrap_or(default)
    }
}

/// Selects files below a folder, or members of a list: `--include` and `--exclude`.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    include: Option<GlobSet>,
    exclude: GlobSet,
    description: String,
}

impl Filter {
    /// Patterns without a slash match the last component, others the whole relative path.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self> {
        let description = match (include, exclude) {
            ([], _) => format!("remains after --exclude {}", exclude.join(", ")),
            (_, []) => format!("matches --include {}", include.join(", ")),
            _ => {
                format!(
                    "matches --include {} and remains after --exclude {}",
                    include.join(", "),
                    exclude.join(", ")
                )
            }
        };
        let include = if include.is_empty() {
            None
        } else {
            Some(globs(include)?)
        };
        Ok(Filter {
            include,
            exclude: globs(exclude)?,
            description,
        })
    }

    /// True if there are patterns.
    pub(crate) fn is_given(&self) -> bool {
        self.include.is_some() || !self.exclude.is_empty()
    }

    /// The condition that no file meets, for messages: `matches --include *.wav`.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// True if the path is selected.
    pub fn takes(&self, path: &Path) -> bool {
        self.include.as_ref().is_none_or(|set| set.is_match(path)) && self.keeps(path)
    }

    /// True for a path that is not excluded.
    pub fn keeps(&self, path: &Path) -> bool {
        !self.exclude.is_match(path)
    }
}

/// Paths that a glob selects, for a new PBO: `*` also crosses folders; upper and lower case are
/// one.
///
/// # Errors
/// If it is not a glob.
pub fn glob(pattern: &str) -> Result<Pattern> {
    let glob = GlobBuilder::new(&pattern.replace('\\', "/"))
        .case_insensitive(true)
        .build();
    let matcher = glob
        .map_err(|e| Error::say(format!("not a glob: {e}")))?
        .compile_matcher();
    Ok(Pattern::new(pattern, move |path| matcher.is_match(path)))
}

fn globs(patterns: &[String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let bad =
            |e: globset::Error| Error::say(format!("{pattern:?} is not a pattern: {}", e.kind()));
        let everywhere = if pattern.contains('/') {
            pattern.clone()
        } else {
            format!("**/{pattern}")
        };
        set.add(
            GlobBuilder::new(&everywhere)
                .literal_separator(true)
                .case_insensitive(true)
                .build()
                .map_err(bad)?,
        );
    }
    set.build().map_err(|e| Error::say(e.to_string()))
}
