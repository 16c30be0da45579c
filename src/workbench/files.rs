//! The files that paths stand for, and the names of what is written.

use super::{
    options::{Filter, Options},
    progress::Progress,
};
use crate::{
    path::Shown,
    project::Project,
    tree::{DirSource, disk, is_project, is_tree, read_head},
    wire::{Error, Result, count},
};
use globset::GlobBuilder;
use std::{
    collections::HashSet,
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

/// A file to work on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file.
    pub path: PathBuf,
    /// Its place below the folder that was named; the file name alone for a file that was named itself.
    pub relative: PathBuf,
    /// Named itself: then it is an error when it is not recognised.
    pub explicit: bool,
}

impl Input {
    /// The path as it is printed.
    pub fn name(&self) -> String {
        self.path.shown()
    }

    /// How many bytes it has; 0 for a tree.
    pub fn size(&self) -> u64 {
        self.path.metadata().map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 })
    }
}

/// A file that systems and editors leave behind, or that refit itself makes beside others.
pub fn is_litter(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|n| n.to_str()) else { return false };
    let lower = name.to_ascii_lowercase();
    matches!(lower.as_str(), ".ds_store" | "thumbs.db" | "desktop.ini" | ".gitignore" | ".gitattributes")
        || (lower.starts_with(".refit-") && lower.ends_with(".tmp"))
        || lower == ".refit-written"
        || lower.starts_with("._")
        || lower.ends_with('~')
        || lower.ends_with(".swp")
}

/// Replaces wildcards that the shell left alone (Windows) by the paths that match, sorted.
pub fn expand(arguments: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for argument in arguments {
        let wild = argument.to_str().filter(|text| text.contains(['*', '?', '['])).is_some();
        if wild && argument.symlink_metadata().is_err() {
            let found = matching(argument)?;
            if found.is_empty() {
                return Err(Error::say("nothing matches").in_file(argument.shown()));
            }
            out.extend(found);
        } else {
            out.push(argument.clone());
        }
    }
    Ok(out)
}

fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let is_wild = |c: &Component<'_>| c.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    let parts: Vec<Component<'_>> = pattern.components().collect();
    let fixed = parts.iter().position(is_wild).unwrap_or(parts.len());
    let base: PathBuf = parts.iter().take(fixed).collect();
    let rest: Vec<String> = parts.iter().skip(fixed).map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    let depth = if rest.iter().any(|part| part == "**") { usize::MAX } else { rest.len() };
    let glob = GlobBuilder::new(&rest.join("/"))
        .literal_separator(true)
        .backslash_escape(false)
        .case_insensitive(cfg!(windows))
        .build()
        .map_err(|e| Error::say(format!("not a pattern: {}", e.kind())).in_file(pattern.shown()))?
        .compile_matcher();
    let root = if base.as_os_str().is_empty() { Path::new(".") } else { &base };
    let mut found: Vec<PathBuf> = walkdir::WalkDir::new(root)
        .min_depth(1)
        .max_depth(depth)
        .into_iter()
        .filter_map(|entry| entry.ok())
        .filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_owned()))
        .filter(|relative| glob.is_match(relative) && !is_litter(relative))
        .map(|relative| base.join(relative))
        .collect();
    found.sort();
    Ok(found)
}

/// A file of a tree that no manifest needs to name.
pub fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.')) || is_litter(Path::new(path))
}

/// The files that arguments name: files as they are, folders with everything below, in order, each once. None at all is an error.
///
/// What refit itself made is passed over below a folder: unpacked trees, exported views, and originals beside their file.
pub fn files(arguments: &[PathBuf], options: &Options, progress: &dyn Progress) -> Result<Vec<Input>> {
    gather(arguments, options, progress, false)
}

/// The same, where an unpacked tree that is named stands for itself.
pub fn files_and_trees(arguments: &[PathBuf], options: &Options, progress: &dyn Progress) -> Result<Vec<Input>> {
    gather(arguments, options, progress, true)
}

/// What a search for files came upon besides them.
#[derive(Default)]
struct Search {
    found: Vec<Input>,
    /// Their paths: of several arguments, one may be below another.
    seen: HashSet<PathBuf>,
    /// Files that could have been meant.
    looked: usize,
    /// One of them that the filter did not take, as patterns see it.
    other: Option<PathBuf>,
    trees: usize,
    originals: usize,
    folders: Vec<String>,
}

fn gather(arguments: &[PathBuf], options: &Options, progress: &dyn Progress, trees: bool) -> Result<Vec<Input>> {
    let filter = &options.filter;
    let arguments = expand(arguments)?;
    let mut search = Search::default();
    let mut named_trees = Vec::new();
    for path in arguments {
        if path.is_dir() && is_project(&path) {
            if !trees {
                let error = Error::say("a project; this command takes files or the game's folder").in_file(path.shown());
                return Err(error.hint("`refit repack` puts what was edited into the game, `refit verify` proves its trees"));
            }
            let trees = Project::open(&path).and_then(|project| project.trees());
            for relative in trees.map_err(|e| e.about(&path))? {
                let meant = filter.takes(&relative);
                search.add(Input { path: path.join(&relative), relative, explicit: true }, meant);
            }
        } else if path.is_dir() && is_tree(&path) && !trees {
            named_trees.push(path);
        } else if !path.is_dir() || is_tree(&path) {
            let relative = path.file_name().map(PathBuf::from).unwrap_or_else(|| path.clone());
            let meant = filter.keeps(&relative) && filter.keeps(&path) && (filter.takes(&relative) || filter.takes(&path));
            search.add(Input { path, relative, explicit: true }, meant);
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
        (named, _) => named.iter().for_each(|path| progress.warn(&tree(path).to_string())),
    }
    if search.found.is_empty() { Err(search.nothing(filter)) } else { Ok(search.found) }
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

    fn walk(&mut self, folder: &Path, filter: &Filter, progress: &dyn Progress) {
        let mut below = walkdir::WalkDir::new(folder).min_depth(1).follow_links(true).sort_by_file_name().into_iter();
        while let Some(entry) = below.next() {
            let entry = match entry {
                Ok(entry) => entry,
                // A folder that nobody may read is no empty folder.
                Err(e) => {
                    progress.warn(&e.to_string());
                    continue;
                }
            };
            let path = entry.path();
            let Ok(relative) = path.strip_prefix(folder) else { continue };
            let pass = |why: &str| progress.detail(&format!("{}: {why}, passed over", path.shown()));
            if disk::is_unfinished(path) {
                if disk::is_left_behind(path) {
                    progress.warn(&format!("{}: left by a refit that was ended; it can be deleted", path.shown()));
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
            } else if !entry.file_type().is_file() || is_litter(relative) {
                // Nothing that anybody asked for.
            } else if original_of(path).is_some_and(|file| file.is_file()) {
                self.originals += 1;
                pass("the original of the file beside it");
            } else {
                let input = Input { path: path.to_owned(), relative: relative.to_owned(), explicit: false };
                self.add(input, filter.takes(relative));
            }
        }
    }

    /// Why there is nothing to do.
    fn nothing(&self, filter: &Filter) -> Error {
        let (below, them) = match self.folders.as_slice() {
            [] => (String::new(), "their names"),
            [one] => (format!(" below {one}"), "it"),
            several => (format!(" below {}", several.join(", ")), "them"),
        };
        if let Some(other) = &self.other {
            let relative = if self.folders.is_empty() { "a pattern is held against" } else { "paths are relative to" };
            return Error::say(format!(
                "no file{below} {} ({} looked at; {relative} {them}: {})",
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
        let passed = if passed.is_empty() { String::new() } else { format!(" ({} passed over)", passed.join(" and ")) };
        let error = Error::say(format!("there is no file{below}{passed}"));
        if self.trees > 0 { error.hint("name a tree itself") } else { error }
    }
}

/// The error of a command that found files below folders, and knew none of them.
pub fn none_known(arguments: &[PathBuf], looked: usize) -> Error {
    let names: Vec<String> = arguments.iter().map(|path| path.shown()).collect();
    Error::say(format!("no file of a known format below {} ({looked} looked at)", names.join(", ")))
        .hint("--verbose says why, --format overrides it")
}

/// True for a folder that `refit export` made.
fn is_view(path: &Path) -> bool {
    path.join(".refit/export").is_file()
}

/// The file that an original belongs to: `a.zbd` for `a.zbd.orig` and `a.zbd.orig.2`; `None` when the path is no original's.
fn original_of(path: &Path) -> Option<PathBuf> {
    let extension = path.extension()?;
    let numbered = !extension.is_empty() && extension.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let path = if numbered { path.with_extension("") } else { path.to_owned() };
    (path.extension()? == "orig").then(|| path.with_extension(""))
}

/// The folder that `unpack` makes for a file where none is named: the file's name without its extension (`reader.zbd` →
/// `reader`), or with `.tree` behind the whole name (`reader.zbd.tree`) where the short one is taken by something that is
/// not this file's own tree.
pub fn tree_for(file: &Path, folder: &Path, taken: &HashSet<PathBuf>) -> PathBuf {
    let name = file.file_name().unwrap_or(file.as_os_str());
    let short = folder.join(file.file_stem().unwrap_or(name));
    let mut long = OsString::from(name);
    long.push(".tree");
    let free = match short.symlink_metadata() {
        Err(_) => true,
        Ok(meta) if !meta.is_dir() => false,
        Ok(_) => {
            let empty = std::fs::read_dir(&short).is_ok_and(|mut entries| entries.next().is_none());
            empty || read_head(&DirSource::new(&short)).is_ok_and(|(_, head)| name.to_str() == Some(head.source.file.as_str()))
        }
    };
    if file.file_stem() != Some(name) && free && !taken.contains(&short) { short } else { folder.join(long) }
}

/// The file that a tree came from, beside the tree. What a manifest says is not trusted: it may only be a plain name.
pub fn file_for(tree: &Path, source: &str) -> Result<PathBuf> {
    Ok(folder_of(tree).join(plain_name(source)?))
}

/// A file name without any folder in it.
pub fn plain_name(name: &str) -> Result<&str> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(_)), None) if !name.contains(['/', '\\', ':', '\0']) => Ok(name),
        _ => Err(Error::say(format!("the manifest's source file {name:?} is not a plain file name")).hint("name the file with -o")),
    }
}

/// The folder that a path stands in; empty for a bare name.
pub fn folder_of(path: &Path) -> PathBuf {
    match (path.file_name(), path.parent()) {
        (Some(_), Some(parent)) => parent.to_owned(),
        // `.` and `..` stand in the folder above them.
        _ => path.join(".."),
    }
}

/// One spelling for a path, whether it exists or not.
pub fn same_path(path: &Path) -> PathBuf {
    let path = crate::path::whole(path).unwrap_or_else(|_| path.to_owned());
    // These systems take names for equal that differ only in case.
    if cfg!(any(windows, target_os = "macos")) { PathBuf::from(path.to_string_lossy().to_lowercase()) } else { path }
}
