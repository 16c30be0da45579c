//! Selects the files to index, and the place of the cache.

use super::{
    files,
    options::{IndexCache, Options},
    parallel::in_order,
    paths::{Input, expand},
    progress::{Event, Progress},
};
use refit_base::{
    path::Shown,
    tree::is_project,
    wire::{self, Result},
};
use refit_index::{self as index, Cache, File, Item, Met};
use refit_project::Project;
use std::path::{Path, PathBuf};

fn spelled(path: &Path) -> String {
    path.components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

/// Expands paths to files and trees: a project to its trees, a folder to its files, anything else
/// to itself. Without a path, uses the current folder.
pub fn items(
    arguments: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Input>> {
    let here = [PathBuf::from(".")];
    let arguments = expand(if arguments.is_empty() {
        &here
    } else {
        arguments
    })?;
    let filter = &options.filter;
    let mut items = Vec::new();
    let mut nothing = None;
    for argument in &arguments {
        if is_project(argument) {
            let project = Project::open(argument).map_err(|e| e.about(argument))?;
            let works = project.works().map_err(|e| e.about(argument))?;
            let meant = works.into_iter().filter(|work| filter.takes(&work.file));
            items.extend(meant.map(|work| Input {
                path: argument.join(&work.tree),
                relative: work.file,
                explicit: false,
            }));
            continue;
        }
        // One folder may be empty if others are not.
        match files::files_and_trees(std::slice::from_ref(argument), options, progress) {
            Ok(found) => items.extend(found),
            Err(e) => _ = nothing.get_or_insert(e),
        }
    }
    match nothing {
        Some(e) if items.is_empty() => Err(e),
        _ => Ok(items),
    }
}

/// An input for the index. For a single file, the folders in its path show its role in the game.
pub fn item(input: &Input) -> Item {
    let relative = spelled(if input.explicit {
        &input.path
    } else {
        &input.relative
    });
    Item {
        path: input.path.clone(),
        relative,
    }
}

/// The cache for the files of some paths.
pub fn cache(arguments: &[PathBuf], options: &Options) -> Cache {
    let root = arguments.first().map_or(Path::new("."), PathBuf::as_path);
    match &options.index_cache {
        IndexCache::Usual => {}
        IndexCache::In(folder) => return Cache::open(folder.clone(), root),
        IndexCache::None => return Cache::none(),
    }
    if is_project(root) {
        return Cache::open(root.join(".refit/index"), root);
    }
    match cache_folder() {
        Some(folder) => Cache::open(folder.join("index"), root),
        None => Cache::none(),
    }
}

/// The folder of this user for what can be made again: `REFIT_CACHE`, or that of the system. `None`
/// if there is none.
pub fn cache_folder() -> Option<PathBuf> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let own = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Caches"))
    } else {
        set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))
    };
    set("REFIT_CACHE").or_else(|| own.map(|own| own.join("refit")))
}

/// Indexes all files in order, and returns the number of unrecognised ones. An unreadable file is
/// reported with [`Event::Failed`].
pub fn each(
    items: &[Input],
    cache: &Cache,
    all: bool,
    options: &Options,
    progress: &dyn Progress,
    see: impl FnMut(File),
) -> usize {
    let index = |input: &Input| index::file(&item(input), options.hints, cache, all);
    each_of(items, options, progress, index, see)
}

/// Indexes those files that may have one of these names, in order.
pub(crate) fn each_that_meets(
    items: &[Input],
    cache: &Cache,
    met: &Met,
    options: &Options,
    see: impl FnMut(File),
) {
    let index = |input: &Input| index::file_that_meets(&item(input), options.hints, cache, met);
    each_of(items, options, &super::Quiet, index, see);
}

fn each_of(
    items: &[Input],
    options: &Options,
    progress: &dyn Progress,
    index: impl Fn(&Input) -> Result<Option<File>> + Sync,
    mut see: impl FnMut(File),
) -> usize {
    let mut unknown = 0;
    in_order(
        items,
        options,
        progress,
        (Input::size, Input::name),
        index,
        |input, found| match found {
            Ok(Some(file)) => see(file),
            Ok(None) => unknown += 1,
            Err(e) => progress.report(Event::Failed(&e.about(&input.path))),
        },
    );
    unknown
}

/// Indexes all files of these paths, as [`each`] does, and returns their number. Recognising no
/// file is an error.
pub fn search(
    paths: &[PathBuf],
    all: bool,
    options: &Options,
    progress: &dyn Progress,
    mut see: impl FnMut(File),
) -> Result<usize> {
    let items = items(paths, options, progress)?;
    let mut known = 0;
    let unknown = each(
        &items,
        &cache(paths, options),
        all,
        options,
        progress,
        |file| {
            known += 1;
            see(file);
        },
    );
    if unknown == items.len() {
        Err(files::none_known(paths, unknown))
    } else {
        Ok(known)
    }
}

/// The position of something in a file, for display: `FILE: DOCUMENT: PATH`.
pub fn place(file: &File, document: &str, at: &str) -> String {
    wire::place([&file.path.shown(), document, at])
}
