//! Expands paths to files.

use super::{
    options::{Filter, Options},
    paths::{Input, expand},
    progress::Progress,
};
use refit_base::{
    path::{Shown, is_litter, original_of},
    tree::{disk, is_project, is_tree},
    wire::{Error, Result, count},
};
use refit_project::Project;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// Expands arguments to files: files directly, folders recursively, in order, each once. Finding no
/// file is an error.
///
/// Below a folder, skips everything that refit made: unpacked trees, exported views, and originals
/// next to their file. file.
pub fn files(
    arguments: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Input>> {
    gather(arguments, options, progress, false)
}

/// The same, but an unpacked tree counts as one file if it is an argument.
pub fn files_and_trees(
    arguments: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Input>> {
    gather(arguments, options, progress, true)
}

/// The state of a search for files.
#[derive(Default)]
struct Search {
    found: Vec<Input>,
    /// Their paths: one argument may be below another.
    seen: HashSet<PathBuf>,
    /// Number of candidate files.
    looked: usize,
    /// A candidate that the filter rejected, in the form that patterns match.
    other: Option<PathBuf>,
    trees: usize,
    originals: usize,
    folders: Vec<String>,
}

fn gather(
    arguments: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
    trees: bool,
) -> Result<Vec<Input>> {
    let filter = &options.filter;
    let arguments = expand(arguments)?;
    let mut search = Search::default();
    let mut named_trees = Vec::new();
    for path in arguments {
        if path.is_dir() && is_project(&path) {
            if !trees {
                let error = Error::say("a project; this command takes files or the game's folder")
                    .in_file(path.shown());
                return Err(error.hint(
                    "`refit repack` puts the edits into the game, `refit verify` proves its trees",
                ));
            }
            let trees = Project::open(&path).and_then(|project| project.trees());
            for relative in trees.map_err(|e| e.about(&path))? {
                let meant = filter.takes(&relative);
                search.add(
                    Input {
                        path: path.join(&relative),
                        relative,
                        explicit: true,
                    },
                    meant,
                );
            }
        } else if path.is_dir() && is_tree(&path) && !trees {
            named_trees.push(path);
        } else if !path.is_dir() || is_tree(&path) {
            let relative = path
                .file_name()
                .map(PathBuf::from)
                .unwrap_or_else(|| path.clone());
            let meant = filter.keeps(&relative)
                && filter.keeps(&path)
                && (filter.takes(&relative) || filter.takes(&path));
            search.add(
                Input {
                    path,
                    relative,
                    explicit: true,
                },
                meant,
            );
        } else {
            search.folders.push(path.shown());
            search.walk(&path, filter, progress);
        }
    }
    let tree = |path: &Path| {
        Error::say("an unpacked tree; this command takes files")
            .in_file(path.shown())
            .hint("`refit repack` makes its file, `refit verify` proves it, `refit list` shows its members")
    };
    match (named_trees.as_slice(), search.found.is_empty()) {
        ([first, ..], true) => return Err(tree(first)),
        (named, _) => named
            .iter()
            .for_each(|path| progress.warn(&tree(path).to_string())),
    }
    if search.found.is_empty() {
        Err(search.nothing(filter))
    } else {
        Ok(search.found)
    }
}

impl Search {
    fn add(&mut self, input: Input, meant: bool) {
        if !self.seen.insert(input.path.clone()) {
            return;
        }
        self.looked += 1;
        match meant {
            true => self.found.push(input),
            false => self.other = Some(input.relative),
        }
    }

    /// Adds the files below a folder. Each folder is walked once, however many links lead to it,
    /// and a link to a file of the folder is not another file.
    fn walk(&mut self, folder: &Path, filter: &Filter, progress: &dyn Progress) {
        let first = self.found.len();
        let root = refit_base::path::canonical(folder).unwrap_or_else(|_| folder.to_owned());
        let mut walked = vec![root.clone()];
        let mut links = self.walk_one(folder, folder, filter, progress);
        links.reverse();
        while let Some(link) = links.pop() {
            let Ok(target) = refit_base::path::canonical(&link) else {
                continue;
            };
            let pass =
                |why: &str| progress.detail(&format!("{}: {why}, passed over", link.shown()));
            if root.starts_with(&target) {
                progress.warn(&format!(
                    "{}: a link to a folder above, not followed",
                    link.shown()
                ));
            } else if walked.iter().any(|walked| target.starts_with(walked)) {
                pass("a link to a folder that is read already");
            } else {
                progress.warn(&format!(
                    "{}: a link that leads out of {}",
                    link.shown(),
                    folder.shown()
                ));
                walked.push(target);
                links.extend(
                    self.walk_one(folder, &link, filter, progress)
                        .into_iter()
                        .rev(),
                );
            }
        }
        if let Some(new) = self.found.get_mut(first..) {
            new.sort_by(|a, b| a.relative.cmp(&b.relative));
        }
    }

    /// Adds the files below `start`, and returns the links to folders there. Paths are relative to
    /// `folder`.
    fn walk_one(
        &mut self,
        folder: &Path,
        start: &Path,
        filter: &Filter,
        progress: &dyn Progress,
    ) -> Vec<PathBuf> {
        let root = refit_base::path::canonical(folder).unwrap_or_else(|_| folder.to_owned());
        let mut links = Vec::new();
        let mut below = walkdir::WalkDir::new(start)
            .min_depth(1)
            .sort_by_file_name()
            .into_iter();
        while let Some(entry) = below.next() {
            let entry = match entry {
                Ok(entry) => entry,
                // An unreadable folder is not an empty folder.
                Err(e) => {
                    progress.warn(&e.to_string());
                    continue;
                }
            };
            let path = entry.path();
            let Ok(relative) = path.strip_prefix(folder) else {
                continue;
            };
            let pass =
                |why: &str| progress.detail(&format!("{}: {why}, passed over", path.shown()));
            if disk::is_unfinished(path) {
                if disk::is_left_behind(path) {
                    progress.warn(&format!(
                        "{}: left by an interrupted refit; it can be deleted",
                        path.shown()
                    ));
                }
                // After a file this would leave its whole folder.
                if entry.file_type().is_dir() {
                    below.skip_current_dir();
                }
            } else if entry.file_type().is_dir() {
                if is_project(path) {
                    self.trees += 1;
                    pass("a project");
                    below.skip_current_dir();
                } else if is_tree(path) {
                    self.trees += 1;
                    pass("an unpacked tree");
                    below.skip_current_dir();
                } else if is_view(path) {
                    pass("views that refit exported");
                    below.skip_current_dir();
                }
            } else if entry.path_is_symlink() && path.is_dir() {
                links.push(path.to_owned());
            } else if entry.path_is_symlink()
                && refit_base::path::canonical(path).is_ok_and(|file| file.starts_with(&root))
            {
                pass("a link to a file that is read itself");
            } else if !path.is_file() || is_litter(relative) {
                // Not something that the user asked for.
            } else if original_of(path).is_some_and(|file| file.is_file()) {
                self.originals += 1;
                pass("the original of the file beside it");
            } else {
                let input = Input {
                    path: path.to_owned(),
                    relative: relative.to_owned(),
                    explicit: false,
                };
                self.add(input, filter.takes(relative));
            }
        }
        links
    }

    /// The reason why there is nothing to do.
    fn nothing(&self, filter: &Filter) -> Error {
        let (below, them) = match self.folders.as_slice() {
            [] => (String::new(), "their names"),
            [one] => (format!(" below {one}"), "it"),
            several => (format!(" below {}", several.join(", ")), "them"),
        };
        if let Some(other) = &self.other {
            let relative = if self.folders.is_empty() {
                "a pattern is compared with"
            } else {
                "paths are relative to"
            };
            return Error::say(format!(
                "no file{below} {} ({} checked; {relative} {them}: {})",
                filter.description(),
                self.looked,
                other.shown()
            ));
        }
        let passed: Vec<String> = [(self.trees, "unpacked tree"), (self.originals, "original")]
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| count(*n, what))
            .collect();
        let passed = if passed.is_empty() {
            String::new()
        } else {
            format!(" ({} passed over)", passed.join(" and "))
        };
        let error = Error::say(format!("there is no file{below}{passed}"));
        if self.trees > 0 {
            error.hint("name a tree itself")
        } else {
            error
        }
    }
}

/// The error of a command that found files below folders, and recognised none.
pub fn none_known(arguments: &[PathBuf], looked: usize) -> Error {
    let names: Vec<String> = arguments.iter().map(|path| path.shown()).collect();
    Error::say(format!(
        "no file of a known format in {} ({looked} checked)",
        names.join(", ")
    ))
    .hint("--verbose says why, --format overrides it")
}

/// True for a folder that `refit export` made.
fn is_view(path: &Path) -> bool {
    path.join(".refit/export").is_file()
}
