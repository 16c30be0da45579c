//! Files, trees and folders to compare.

use super::{
    changes::changes,
    edits,
    open::{self, is_standard_input},
    options::{Filter, Options},
    paths,
    progress::Progress,
};
use refit_base::{
    Sum,
    path::Shown,
    tree::{Blob, DirSource, disk, is_project, is_tree, read_head},
    wire::{Error, Result},
};
use refit_diff::{Comparison, Opened, Tree};
use refit_files::{game_files, pipeline::Hints};
use refit_project::Project;
use std::{
    cmp::Ordering,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// One side of a comparison.
pub enum Side {
    /// A file, or the file of a tree.
    File(Box<Tree>),
    /// A folder.
    Folder,
}

/// Both sides of a comparison.
pub enum Sides {
    /// Two files, or the files that trees give.
    Files(Box<Comparison>),
    /// Files and trees below two folders.
    Folders(Box<(Files, Files)>),
    /// A file, and those below a folder.
    Inside(Files),
    /// Those below a folder, and a file.
    Around(Files),
}

/// Files and trees below a folder: their paths from there, with `/`, and their paths on disk, in
/// the order of folders and of the names in them.
#[derive(Default)]
pub struct Files(Vec<(String, PathBuf)>);

fn by_folders(a: &str, b: &str) -> Ordering {
    a.split('/').cmp(b.split('/'))
}

impl Files {
    pub(super) fn new(mut files: Vec<(String, PathBuf)>) -> Self {
        files.sort_by(|a, b| by_folders(&a.0, &b.0).then(a.1.cmp(&b.1)));
        files.dedup_by(|a, b| a.0 == b.0);
        Files(files)
    }

    /// The file of this name, or its tree.
    pub fn get(&self, name: &str) -> Option<&Path> {
        let at = self
            .0
            .binary_search_by(|(other, _)| by_folders(other, name))
            .ok()?;
        self.0.get(at).map(|(_, path)| path.as_path())
    }

    /// All files.
    pub fn iter(&self) -> std::slice::Iter<'_, (String, PathBuf)> {
        self.0.iter()
    }
}

/// Opens a file, a tree, standard input or a folder.
pub fn side(path: &Path, hints: Hints) -> Result<Side> {
    if !is_standard_input(path) && path.is_dir() && !is_tree(path) {
        return Ok(Side::Folder);
    }
    open(path, hints).map(Box::new).map(Side::File)
}

/// Opens a file, or the file of a tree.
pub fn open(path: &Path, hints: Hints) -> Result<Tree> {
    if !is_standard_input(path) && path.is_dir() {
        return Tree::of_tree(&DirSource::new(path));
    }
    let file = open::load_to_share(path)?;
    Tree::of_file(&file, &path.shown(), hints)
}

/// Does the same with two files at the same time: each takes as long as the other.
fn at_once<T: Send>(
    a: &Path,
    b: &Path,
    open: impl Fn(&Path) -> Result<T> + Sync,
) -> Result<(T, T)> {
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new()
            .stack_size(16 << 20)
            .spawn_scoped(scope, || open(b));
        let a = open(a);
        let b = match other {
            Ok(other) => other
                .join()
                .unwrap_or_else(|_| Err(Error::say("internal error: a thread ended early"))),
            Err(_) => open(b),
        };
        Ok((a?, b?))
    })
}

/// Opens two files.
pub fn both(a: &Path, b: &Path, hints: Hints) -> Result<(Tree, Tree)> {
    let (a, b) = opened(a, b, hints, open::load_once_to_share)?;
    Tree::both(a, b)
}

/// Opens two files to compare them: equal parts are not parsed.
pub fn different(a: &Path, b: &Path, hints: Hints) -> Result<Comparison> {
    let (a, b) = opened(a, b, hints, open::load_to_share)?;
    Comparison::of(a, b)
}

/// Opens two files, which `file` loads, but does not split them yet.
fn opened(
    a: &Path,
    b: &Path,
    hints: Hints,
    file: fn(&Path) -> Result<Blob>,
) -> Result<(Opened, Opened)> {
    at_once(a, b, |path| {
        if !is_standard_input(path) && path.is_dir() {
            return Opened::tree(&DirSource::new(path));
        }
        Ok(Opened::file(&file(path)?, &path.shown(), hints))
    })
}

/// The folders of edited definitions in a project. Their results are in the game's files only after
/// `repack`: a comparison uses the files of the project's trees.
pub fn edited_definitions(folder: &Path) -> Result<Vec<PathBuf>> {
    if !is_project(folder) {
        return Ok(Vec::new());
    }
    let of_trees = Project::open(folder)?
        .definitions()?
        .into_iter()
        .filter(|definitions| definitions.tree.is_some());
    let mut found: Vec<PathBuf> = of_trees
        .map(|definitions| folder.join(definitions.folder))
        .collect();
    found.sort();
    found.dedup();
    found.retain(|folder| changes(folder).map_or(true, |changes| !changes.is_empty()));
    Ok(found)
}

/// Opens two files, trees or folders for a comparison.
pub fn sides(a: &Path, b: &Path, options: &Options, progress: &dyn Progress) -> Result<Sides> {
    let is_folder = |path: &Path| !is_standard_input(path) && path.is_dir() && !is_tree(path);
    if is_folder(a) || is_folder(b) {
        for folder in [a, b].into_iter().filter(|path| is_folder(path)) {
            for definitions in edited_definitions(folder)? {
                progress.warn(&format!(
                    "{}: these definitions were edited, but only trees are compared; `refit repack {} -o FOLDER` \
                    writes files with both",
                    definitions.shown(),
                    folder.shown()
                ));
            }
        }
        return Ok(match (is_folder(a), is_folder(b)) {
            (true, true) => Sides::Folders(Box::new((files(a)?, files(b)?))),
            (true, false) => Sides::Around(files(a)?),
            _ => Sides::Inside(files(b)?),
        });
    }
    Ok(Sides::Files(Box::new(different(a, b, options.hints)?)))
}

/// True for refit's own files next to those of a game.
fn is_own(relative: &Path) -> bool {
    let name = relative.file_name().unwrap_or_default().to_string_lossy();
    let original = name.ends_with(".orig")
        || name
            .rsplit_once(".orig.")
            .is_some_and(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()));
    original
        || name == "refit-mods.json"
        || relative.starts_with("refit-mods")
        || refit_base::path::is_litter(relative)
}

/// The files and trees below a folder. Those of a project are the files that its trees are for.
pub fn files(folder: &Path) -> Result<Files> {
    if is_project(folder) {
        let project = Project::open(folder)?;
        let works = project.works()?;
        let named = works.iter().filter_map(|work| {
            Some((
                work.file.to_str()?.replace('\\', "/"),
                folder.join(&work.tree),
            ))
        });
        return Ok(Files::new(named.collect()));
    }
    let mut out = Vec::new();
    let mut walk = walkdir::WalkDir::new(folder)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter();
    while let Some(entry) = walk.next() {
        let entry = entry.map_err(disk::walk_error)?;
        let path = entry.path();
        let Ok(relative) = path.strip_prefix(folder) else {
            continue;
        };
        let name = || {
            let parts: Option<Vec<&str>> = relative
                .components()
                .map(|part| part.as_os_str().to_str())
                .collect();
            parts
                .map(|parts| parts.join("/"))
                .ok_or_else(|| Error::say("the name is not Unicode").in_file(path.shown()))
        };
        if entry.file_type().is_dir() {
            if relative.components().next().is_some_and(|first| {
                matches!(
                    first.as_os_str().to_str(),
                    Some(".git" | ".refit" | "refit-mods")
                )
            }) || disk::is_unfinished(path)
            {
                walk.skip_current_dir();
            } else if is_tree(path) {
                out.push((name()?, path.to_owned()));
                walk.skip_current_dir();
            }
        } else if entry.file_type().is_file() && !is_own(relative) && !disk::is_unfinished(path) {
            out.push((name()?, path.to_owned()));
        }
    }
    Ok(Files::new(out))
}

/// How many bytes of two files are compared at a time.
const AT_ONCE: usize = 1 << 18;

/// True if two regular files have the same content.
pub fn same_bytes(a: &Path, b: &Path) -> bool {
    let same = || {
        let (a, b) = match (Blob::open(a)?, Blob::open(b)?) {
            (Some(a), Some(b)) if a.len() == b.len() => (a, b),
            _ => return Ok(false),
        };
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for at in (0..a.len()).step_by(AT_ONCE) {
            a.read_into(at, AT_ONCE, &mut own)?;
            b.read_into(at, AT_ONCE, &mut other)?;
            if own != other {
                return Ok(false);
            }
        }
        Ok::<_, Error>(true)
    };
    a == b || same().is_ok_and(|same| same)
}

/// The files that only one of two folders has.
pub struct Renames {
    /// Files that only the first folder has.
    pub gone: Vec<String>,
    /// Files that only the second folder has.
    pub new: Vec<String>,
    /// Files of the first folder that have another name in the second one.
    pub renamed: Vec<(String, String)>,
}

impl Renames {
    /// Compares the names in two folders. A file with the content of a missing one is the same file
    /// with another name.
    pub fn of(a: &Files, b: &Files, filter: &Filter) -> Self {
        let only_in = |a: &Files, b: &Files| -> Vec<(String, PathBuf)> {
            a.iter()
                .filter(|(path, _)| filter.takes(Path::new(path)) && b.get(path).is_none())
                .cloned()
                .collect()
        };
        let (mut gone, mut new, mut renamed) = (only_in(a, b), only_in(b, a), Vec::new());
        let sum = |path: &Path| {
            path.is_file()
                .then(|| disk::read(path).ok())
                .flatten()
                .map(|bytes| Sum::of(&bytes))
        };
        if !gone.is_empty() && !new.is_empty() {
            let mut sums: BTreeMap<Sum, &String> = new
                .iter()
                .filter_map(|(name, path)| Some((sum(path)?, name)))
                .collect();
            for (name, path) in &gone {
                if let Some(to) = sum(path).and_then(|sum| sums.remove(&sum)) {
                    renamed.push((name.clone(), to.clone()));
                }
            }
            gone.retain(|(path, _)| !renamed.iter().any(|(from, _)| from == path));
            new.retain(|(path, _)| !renamed.iter().any(|(_, to)| to == path));
        }
        let names =
            |files: Vec<(String, PathBuf)>| files.into_iter().map(|(name, _)| name).collect();
        Renames {
            gone: names(gone),
            new: names(new),
            renamed,
        }
    }
}

/// The two files to compare if only one file or tree is given: the original comes first.
pub fn counterpart(path: &Path) -> Result<(PathBuf, PathBuf)> {
    if is_tree(path) {
        let source = DirSource::new(path);
        let (_, head) = read_head(&source)?;
        if let Some((original, _)) = edits::original(path, &source, &head, &[]) {
            return Ok((original, path.to_owned()));
        }
        let file = paths::file_for(path, &head.source.file)?;
        if let Some(older) =
            game_files::original_of(&file).or(Some(file).filter(|file| file.is_file()))
        {
            return Ok((older, path.to_owned()));
        }
    }
    if let Some(original) = game_files::original_of(path) {
        return Ok((original, path.to_owned()));
    }
    Err(Error::say("there is nothing to compare it with")
        .in_file(path.shown())
        .hint("name two files, trees or folders"))
}
