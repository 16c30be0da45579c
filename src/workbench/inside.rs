//! The files of one format below a folder, or of a world.

use super::{files, options::Options, progress::Progress, put_tree};
use refit_base::{
    format::Format,
    game::Game,
    path::{Shown, is_litter, original_of},
    tree::{DirSource, is_project, is_tree, read_head},
    wire::{Error, Result},
};
use refit_files::{
    game_files::{FileRole, fold, part, place},
    pipeline,
};
use refit_project::Project;
use refit_zipper::gamez::tree::some;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

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
    let files = files
        .into_iter()
        .map(|input| input.path)
        .filter(|path| is_of(path, format, options));
    Ok(files.chain(trees).collect())
}

/// The files of a format for a path, and the trees of such files: the path itself, all in a folder
/// or a project, or those of a mission of a project (`PROJECT/m1`).
pub(crate) fn meant(
    path: &Path,
    format: Format,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<PathBuf>> {
    match path.ancestors().skip(1).find(|above| is_project(above)) {
        Some(root) if !path.exists() => {
            put_tree::check_own(path)?;
            let rest = fold(&path.strip_prefix(root).unwrap_or(path).shown());
            let is_of_it = |tree: &PathBuf| {
                let below = tree.strip_prefix(root).unwrap_or(tree).shown();
                [None, Some(Game::Mw)]
                    .iter()
                    .any(|game| place(&below, format, *game) == rest)
            };
            Ok(trees(root, format).into_iter().filter(is_of_it).collect())
        }
        _ if !path.is_dir() || is_tree(path) => Ok(vec![path.to_owned()]),
        _ => of_format(path, format, options, progress),
    }
}

/// The only file of a format for a path, as in [`meant`].
pub(crate) fn only(
    path: &Path,
    format: Format,
    options: &Options,
    progress: &dyn Progress,
) -> Result<PathBuf> {
    let found = meant(path, format, options, progress)?;
    if let [own] = found.as_slice()
        && own == path
    {
        return Ok(own.clone());
    }
    let is_of_cameras = |file: &&PathBuf| {
        part(&file.shown(), format, None).is_some_and(|part| part.role == FileRole::Cameras)
    };
    let found: Vec<PathBuf> = found
        .iter()
        .filter(|file| !is_of_cameras(file))
        .cloned()
        .collect();
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
            let error = Error::say(format!(
                "there are {} {several} here: {}",
                all.len(),
                some(&names, 6)
            ));
            Err(error.in_file(path.shown()).hint("name one of them"))
        }
    }
}

/// The key for comparing files of several worlds: the file name without its extension, in lower
/// case.
pub(crate) fn stem(path: &Path) -> String {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// The files of a format that a game loads with a world, by their roles: its texture packages, or
/// its animation file. They are next to the world, otherwise in the nearest folder above, up to
/// that of the game's archives. If a file also exists as a tree there, the one in the world's form
/// is used: a file for a file, a tree for a tree.
///
/// # Errors
/// In a project, a file shares the tree of an equal one.
pub(crate) fn of_world(world: &Path, format: Format, options: &Options) -> Result<Vec<PathBuf>> {
    let has_role = |name: &Path| {
        let role = part(&name.shown(), format, None).map(|part| part.role);
        matches!(
            role,
            Some(FileRole::SoftwareTextures | FileRole::CardTextures | FileRole::Animations)
        )
    };
    let is_loaded = |path: &Path| match path.is_dir() {
        true => true,
        false => {
            path.extension()
                .is_some_and(|end| end.eq_ignore_ascii_case("zbd"))
                && original_of(path).is_none()
        }
    };
    let is_tree = world.is_dir();
    for folder in folders_of_world(world) {
        let here = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let Ok(entries) = std::fs::read_dir(here) else {
            continue;
        };
        let names = entries.filter_map(|entry| Some(PathBuf::from(entry.ok()?.file_name())));
        let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
        for name in names.filter(|name| !is_litter(name) && has_role(name)) {
            let path = folder.join(&name);
            let is_new = found
                .get(&stem(&name))
                .is_none_or(|_| path.is_dir() == is_tree);
            if is_new && is_loaded(&path) && is_of(&path, format, options) {
                found.insert(stem(&name), path);
            }
        }
        shared_in(folder, |entry, name| entry == format && has_role(name))?;
        if !found.is_empty() {
            return Ok(found.into_values().collect());
        }
    }
    Ok(Vec::new())
}

/// The folders in which a game looks for the files of a world, the nearest first. A mission is at
/// most two folders below the archives of its game.
fn folders_of_world(world: &Path) -> impl Iterator<Item = &Path> {
    let mut is_above = false;
    world.ancestors().skip(1).take(3).take_while(move |folder| {
        let was_above = is_above;
        is_above = is_project(folder)
            || folder
                .file_name()
                .is_some_and(|name| name.eq_ignore_ascii_case("zbd"));
        !was_above
    })
}

/// An error if a file of a project in this folder has no own tree.
fn shared_in(folder: &Path, is_wanted: impl Fn(Format, &Path) -> bool) -> Result<()> {
    let Some(root) = folder.ancestors().find(|root| is_project(root)) else {
        return Ok(());
    };
    let project = Project::open(root)?;
    for (path, entry) in project
        .entries()
        .filter(|(_, entry)| entry.same_as.is_some())
    {
        let path = root.join(path);
        if path.parent() == Some(folder)
            && is_wanted(
                entry.format,
                Path::new(path.file_name().unwrap_or_default()),
            )
        {
            put_tree::check_own(&path)?;
        }
    }
    Ok(())
}

/// An error for a world without files of a format; `option` names them.
pub(crate) fn none_of_world(world: &Path, format: Format, option: &str) -> Error {
    let what = match format {
        Format::Textures => "no texture package (texture*.zbd, rtexture*.zbd or a tree of one)",
        _ => "no animation file (anim.zbd or its tree)",
    };
    let folders: Vec<String> = folders_of_world(world)
        .map(|folder| {
            if folder.as_os_str().is_empty() {
                ".".to_owned()
            } else {
                folder.shown()
            }
        })
        .collect();
    let error = Error::say(format!(
        "{what} belongs to this world: refit looked in {}",
        folders.join(", ")
    ));
    error
        .in_file(world.shown())
        .hint(format!("name it: {option}"))
}

/// True for a file or a tree of a format.
pub(crate) fn is_of(path: &Path, format: Format, options: &Options) -> bool {
    if path.is_dir() {
        return read_head(&DirSource::new(path)).is_ok_and(|(_, head)| head.format == format);
    }
    let found = pipeline::load(path)
        .and_then(|blob| pipeline::recognise(&blob, &path.shown(), options.hints));
    found.is_ok_and(|found| found.format == format)
}

/// The trees below a folder of files of a format.
pub(crate) fn trees(folder: &Path, format: Format) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut below = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter();
    while let Some(entry) = below.next() {
        let Ok(entry) = entry else { continue };
        if entry.file_type().is_dir() && is_tree(entry.path()) {
            if read_head(&DirSource::new(entry.path())).is_ok_and(|(_, head)| head.format == format)
            {
                out.push(entry.into_path());
            }
            below.skip_current_dir();
        }
    }
    out
}
