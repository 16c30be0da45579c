//! What `refit lint` says of a whole game: names across its files.

use super::{names, paths, session::Session, subject::Subject};
use refit::{
    index::{self, Cache, File, Index, Item, lints::Misfit},
    project::Project,
    tree::{disk, is_project},
    wire::Result,
    work::Hints,
};
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

/// A finding, the file that it is about, and whether that was named itself.
pub struct Across {
    /// The file or the tree.
    pub path: PathBuf,
    /// What was found.
    pub misfit: Misfit,
}

/// What a finding is about, wherever it stands now.
fn about(index: &Index, misfit: &Misfit) -> (String, &'static str, String) {
    let file = index.files.get(misfit.file).map(|file| file.relative.clone()).unwrap_or_default();
    (file, misfit.finding.code, misfit.finding.message.clone())
}

/// Indexes files of which only the names matter. What cannot be read is told elsewhere.
fn read(session: &mut Session, items: &[Item], cache: &Cache) -> Vec<File> {
    let hints = session.hints();
    let mut files = Vec::new();
    session.in_order(
        items,
        |item| item.path.metadata().map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 }),
        |item| item.path.display().to_string(),
        |item| names_of(item, hints, cache),
        |_, _, file| files.extend(file),
    );
    files
}

fn names_of(item: &Item, hints: Hints, cache: &Cache) -> Option<File> {
    let mut file = index::file(item, hints, cache, false).ok().flatten()?;
    file.content.forget_values();
    Some(file)
}

/// What every file was before it was edited: as the project came from it, or as it is kept as `NAME.orig`.
fn before(session: &Session, items: &[Item], files: &[File], since: Option<&Project>, cache: &Cache) -> Vec<File> {
    let entries: HashMap<String, _> =
        since.iter().flat_map(|project| &project.manifest.files).map(|entry| (refit::roles::fold(&entry.file), entry)).collect();
    let by_path: HashMap<&Path, &File> = files.iter().map(|file| (file.path.as_path(), file)).collect();
    let hints = session.hints();
    let mut out = Vec::new();
    for item in items {
        let now = by_path.get(item.path.as_path()).map(|file| (*file).clone());
        let at = |path: PathBuf| Item { path, relative: item.relative.clone() };
        let was = match (since, entries.get(&refit::roles::fold(&item.relative))) {
            (Some(project), Some(entry)) => {
                let source = project.source().join(&entry.file);
                let places = [disk::backup_path(&item.path), disk::backup_path(&source), source, item.path.clone()];
                let original = places.into_iter().find(|path| {
                    path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() == entry.bytes)
                        && refit::work::load(path).and_then(|file| file.sha256()).is_ok_and(|sum| sum == entry.sha256)
                });
                match original {
                    Some(original) => names_of(&at(original), hints, cache),
                    None => {
                        session.warn(format!("{}: what it was before is not at hand, it is taken for unedited", item.path.display()));
                        now
                    }
                }
            }
            // What is in no project is new.
            (Some(_), None) => None,
            (None, _) => {
                let backup = disk::backup_path(&item.path);
                if backup.is_file() { names_of(&at(backup), hints, cache) } else { now }
            }
        };
        out.extend(was);
    }
    out
}

/// True where there are files to follow names across: where a folder is named, or a project.
pub fn is_wanted(arguments: &[PathBuf]) -> bool {
    arguments.iter().any(|path| path.is_dir() && !paths::is_tree(path))
}

/// The files that names are followed across, read while they are judged by themselves.
pub struct Survey {
    items: HashMap<PathBuf, Vec<Item>>,
    cache: Cache,
}

impl Survey {
    /// Of the files of some paths.
    pub fn new(session: &Session, arguments: &[PathBuf]) -> Result<Self> {
        let mut items: HashMap<PathBuf, Vec<Item>> = HashMap::new();
        for item in names::items(arguments, session)? {
            items.entry(item.path.clone()).or_default().push(item);
        }
        Ok(Survey { items, cache: names::cache(arguments) })
    }

    /// The names of a file that is open; of each file of the game that it stands for.
    pub fn read(&self, path: &Path, subject: &Subject, hints: Hints) -> Vec<File> {
        let read = |item| index::opened(item, subject.file.as_ref(), &*subject.model, &subject.detection, hints, &self.cache);
        let files = self.items.get(path).into_iter().flatten().filter_map(|item| read(item).ok());
        files
            .map(|mut file| {
                file.content.forget_values();
                file
            })
            .collect()
    }
}

/// What does not fit across files that were read.
pub fn of_files(files: Vec<File>, arguments: &[PathBuf]) -> Vec<Across> {
    let index = Index::new(files);
    let found = misfits(&index, arguments);
    placed(&index, found)
}

fn misfits(index: &Index, arguments: &[PathBuf]) -> Vec<Misfit> {
    let mut found = index.misfits();
    for root in arguments.iter().filter(|path| path.is_dir() && !is_project(path)) {
        found.extend(index.loose_scripts(root));
    }
    found
}

fn placed(index: &Index, found: Vec<Misfit>) -> Vec<Across> {
    let path = |misfit: &Misfit| index.files.get(misfit.file).map(|file| file.path.clone());
    found.into_iter().filter_map(|misfit| Some(Across { path: path(&misfit)?, misfit })).collect()
}

/// What edits of the files of some paths brought in that does not fit across them.
pub fn brought_in(session: &mut Session, arguments: &[PathBuf], since: Option<&Path>) -> Result<Vec<Across>> {
    if !is_wanted(arguments) {
        return Ok(Vec::new());
    }
    let items = names::items(arguments, session)?;
    let cache = names::cache(arguments);
    let files = read(session, &items, &cache);
    let project = since.map(Project::open).transpose()?;
    // A project that is judged by itself is compared with what it came from.
    let project = match (project, arguments) {
        (None, [root]) if is_project(root) => Some(Project::open(root)?),
        (project, _) => project,
    };
    let old = Index::new(before(session, &items, &files, project.as_ref(), &cache));
    let index = Index::new(files);
    let mut found = misfits(&index, arguments);
    let known: HashSet<_> = old.misfits().iter().map(|misfit| about(&old, misfit)).collect();
    found.retain(|misfit| !known.contains(&about(&index, misfit)));
    found.extend(index.changed_bindings(&old));
    Ok(placed(&index, found))
}
