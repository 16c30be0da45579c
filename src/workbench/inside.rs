//! The files of one format below a folder.

use super::{files, options::Options, progress::Progress, put_tree};
use crate::{
    formats::{Format, gamez::tree::some},
    game::Game,
    game_files::{FileRole, fold, part, place},
    path::Shown,
    pipeline,
    tree::{DirSource, is_project, is_tree, read_head},
    wire::{Error, Result},
};
use std::path::{Path, PathBuf};

/// The files of a format below a folder, and the trees of such files.
pub(crate) fn of_format(
    folder: &Path,
    format: Format,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<PathBuf>> {
    let trees = trees(folder, format);
    if is_project(folder) {
        return Ok(trees);
    }
    let files = match files::files(&[folder.to_owned()], options, progress) {
        Ok(files) => files,
        Err(_) if !trees.is_empty() => Vec::new(),
        Err(e) => return Err(e),
    };
    let files = files.into_iter().map(|input| input.path).filter(|path| is_of(path, format, options));
    Ok(files.chain(trees).collect())
}

/// The files of a format that a path means, and the trees of such files: itself, all in a folder or a project, or those
/// of a mission of a project (`PROJECT/m1`).
pub(crate) fn meant(path: &Path, format: Format, options: &Options, progress: &dyn Progress) -> Result<Vec<PathBuf>> {
    match path.ancestors().skip(1).find(|above| is_project(above)) {
        Some(root) if !path.exists() => {
            put_tree::check_own(path)?;
            let rest = fold(&path.strip_prefix(root).unwrap_or(path).shown());
            let is_of_it = |tree: &PathBuf| {
                let below = tree.strip_prefix(root).unwrap_or(tree).shown();
                [None, Some(Game::Mw)].iter().any(|game| place(&below, format, *game) == rest)
            };
            Ok(trees(root, format).into_iter().filter(is_of_it).collect())
        }
        _ if !path.is_dir() || is_tree(path) => Ok(vec![path.to_owned()]),
        _ => of_format(path, format, options, progress),
    }
}

/// The only file of a format that a path [means](meant).
pub(crate) fn only(path: &Path, format: Format, options: &Options, progress: &dyn Progress) -> Result<PathBuf> {
    let found = meant(path, format, options, progress)?;
    if let [own] = found.as_slice()
        && own == path
    {
        return Ok(own.clone());
    }
    let is_of_cameras =
        |file: &&PathBuf| part(&file.shown(), format, None).is_some_and(|part| part.role == FileRole::Cameras);
    let found: Vec<PathBuf> = found.iter().filter(|file| !is_of_cameras(file)).cloned().collect();
    let (one, several) = match format {
        Format::Gamez => ("world", "worlds"),
        Format::Anim => ("animation file", "animation files"),
        other => (other.name(), other.name()),
    };
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Error::say(format!("there is no {one} here")).in_file(path.shown())),
        all => {
            let names: Vec<String> = all.iter().map(|file| file.shown()).collect();
            let error = Error::say(format!("there are {} {several} here: {}", all.len(), some(&names, 6)));
            Err(error.in_file(path.shown()).hint("name one of them"))
        }
    }
}

/// True for a file or a tree of a format.
pub(crate) fn is_of(path: &Path, format: Format, options: &Options) -> bool {
    if path.is_dir() {
        return read_head(&DirSource::new(path)).is_ok_and(|(_, head)| head.format == format);
    }
    let found = pipeline::load(path).and_then(|blob| pipeline::recognise(&blob, &path.shown(), options.hints));
    found.is_ok_and(|found| found.format == format)
}

/// The trees below a folder of files of a format.
pub(crate) fn trees(folder: &Path, format: Format) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut below = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    while let Some(entry) = below.next() {
        let Ok(entry) = entry else { continue };
        if entry.file_type().is_dir() && is_tree(entry.path()) {
            if read_head(&DirSource::new(entry.path())).is_ok_and(|(_, head)| head.format == format) {
                out.push(entry.into_path());
            }
            below.skip_current_dir();
        }
    }
    out
}
