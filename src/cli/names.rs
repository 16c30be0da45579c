//! What `refs`, `find` and `lint` share: the files that are indexed, and where the index is kept.

use crate::cli::{report::about, session::Session};
use refit::{
    index::{self, Cache, File, Item},
    project::Project,
    tree::is_project,
    wire::Result,
    workbench::{Input, files, paths},
};
use std::path::{Path, PathBuf};

fn spelled(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The files and trees that paths stand for: a project its trees, a folder its files, anything else itself. Without a path, what is here.
pub fn items(arguments: &[PathBuf], session: &Session) -> Result<Vec<Input>> {
    let here = [PathBuf::from(".")];
    let arguments = paths::expand(if arguments.is_empty() { &here } else { arguments })?;
    let filter = session.options()?.filter;
    let mut items = Vec::new();
    let mut nothing = None;
    for argument in &arguments {
        if is_project(argument) {
            let project = Project::open(argument).map_err(|e| e.about(argument))?;
            let works = project.works().map_err(|e| e.about(argument))?;
            let meant = works.into_iter().filter(|work| filter.takes(&work.file));
            items.extend(meant.map(|work| Input { path: argument.join(&work.tree), relative: work.file, explicit: false }));
            continue;
        }
        // One folder may be empty beside others.
        match files::files_and_trees(std::slice::from_ref(argument), &session.options()?, session) {
            Ok(found) => items.extend(found),
            Err(e) => _ = nothing.get_or_insert(e),
        }
    }
    match nothing {
        Some(e) if items.is_empty() => Err(e),
        _ => Ok(items),
    }
}

/// An input as the index takes it. Of one file alone, the folders that it was named by say what it is for.
pub fn item(input: &Input) -> Item {
    let relative = spelled(if input.explicit { &input.path } else { &input.relative });
    Item { path: input.path.clone(), relative }
}

/// Where what was read is kept: in a project, or in the user's own folder for such things.
pub fn cache(arguments: &[PathBuf]) -> Cache {
    let root = arguments.first().map_or(Path::new("."), PathBuf::as_path);
    if is_project(root) {
        return Cache::open(root.join(".refit/index"), root);
    }
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Caches"))
    } else {
        set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))
    };
    match set("REFIT_CACHE").or_else(|| own.map(|own| own.join("refit"))) {
        Some(folder) => Cache::open(folder.join("index"), root),
        None => Cache::none(),
    }
}

/// Indexes all files, in order. What cannot be read is told, and fails the run; what is not recognised is passed over below a folder.
pub fn each(session: &Session, items: &[Input], cache: &Cache, all: bool, mut see: impl FnMut(&Session, File)) -> usize {
    let hints = session.hints();
    let mut others = 0;
    session.in_order(
        items,
        Input::size,
        Input::name,
        |input| index::file(&item(input), hints, cache, all),
        |session, input, found| match found {
            Ok(Some(file)) => see(session, file),
            Ok(None) => others += 1,
            Err(e) => session.error(about(&input.path, &e)),
        },
    );
    others
}
