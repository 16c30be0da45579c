//! Paths: inputs of commands, wildcards, and names of outputs.

use globset::GlobBuilder;
use refit_base::{
    path::{Shown, is_litter},
    tree::{DirSource, read_head},
    wire::{Error, Result},
};
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
    /// Its place below the folder that was named; the file name alone for a file that was named
    /// itself.
    pub relative: PathBuf,
    /// Named itself: then it is an error when it is not recognised.
    pub explicit: bool,
}

impl Input {
    /// The path for display.
    pub fn name(&self) -> String {
        self.path.shown()
    }

    /// How many bytes it has; 0 for a tree.
    pub fn size(&self) -> u64 {
        self.path
            .metadata()
            .map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 })
    }
}

/// Replaces wildcards that the shell left alone (Windows) by the paths that match, sorted.
pub fn expand(arguments: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for argument in arguments {
        let wild = argument
            .to_str()
            .filter(|text| text.contains(['*', '?', '[']))
            .is_some();
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
    let rest: Vec<String> = parts
        .iter()
        .skip(fixed)
        .map(|c| c.as_os_str().to_string_lossy().into_owned())
        .collect();
    let depth = if rest.iter().any(|part| part == "**") {
        usize::MAX
    } else {
        rest.len()
    };
    let glob = GlobBuilder::new(&rest.join("/"))
        .literal_separator(true)
        .backslash_escape(false)
        .case_insensitive(cfg!(windows))
        .build()
        .map_err(|e| Error::say(format!("not a pattern: {}", e.kind())).in_file(pattern.shown()))?
        .compile_matcher();
    let root = if base.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &base
    };
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

/// The default folder for a file's tree: the file's name without its extension (`reader.zbd` →
/// `reader`), or the whole name with `.tree` (`reader.zbd.tree`) if the short one exists and is not
/// this file's own tree.
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
            empty
                || read_head(&DirSource::new(&short))
                    .is_ok_and(|(_, head)| name.to_str() == Some(head.source.file.as_str()))
        }
    };
    if file.file_stem() != Some(name) && free && !taken.contains(&short) {
        short
    } else {
        folder.join(long)
    }
}

/// The file that a tree came from, next to the tree. The name in a manifest is not trusted: it may
/// only be a plain name.
pub fn file_for(tree: &Path, source: &str) -> Result<PathBuf> {
    Ok(folder_of(tree).join(plain_name(source)?))
}

/// A file name without any folder in it.
pub fn plain_name(name: &str) -> Result<&str> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(_)), None) if !name.contains(['/', '\\', ':', '\0']) => Ok(name),
        _ => Err(Error::say(format!(
            "the manifest's source file {name:?} is not a plain file name"
        ))
        .hint("name the file with -o")),
    }
}

/// The folder of a path; empty for a bare name.
pub fn folder_of(path: &Path) -> PathBuf {
    match (path.file_name(), path.parent()) {
        (Some(_), Some(parent)) => parent.to_owned(),
        // The folder above `.` or `..` is found by appending `..`.
        _ => path.join(".."),
    }
}

/// One spelling for a path, whether it exists or not.
pub fn same_path(path: &Path) -> PathBuf {
    let path = refit_base::path::whole(path).unwrap_or_else(|_| path.to_owned());
    // These systems take names for equal that differ only in case.
    if cfg!(any(windows, target_os = "macos")) {
        PathBuf::from(path.to_string_lossy().to_lowercase())
    } else {
        path
    }
}
