//! The files of a game or a project before they were edited.

use super::sides::{self, Files};
use refit_base::{
    path::Shown,
    tree::{disk, is_project},
    wire::{Error, Result},
};
use refit_files::game_files;
use refit_mods::Applied;
use refit_project::Project;
use std::path::{Path, PathBuf};

/// The files of a game or a project, before and after.
pub struct Before {
    /// All original files of the game.
    pub game: Files,
    /// The originals of the compared files.
    pub was: Files,
    /// The current files and trees.
    pub now: Files,
}

/// The files of a game's folder before refit changed them: the kept originals where they exist,
/// without the files that refit added.
pub fn of_game(folder: &Path) -> Result<Files> {
    let mut all: Vec<(String, PathBuf)> = Vec::new();
    for (name, path) in sides::files(folder)?.iter() {
        if path.is_file() && disk::is_added(path) {
            continue;
        }
        all.push((
            name.clone(),
            game_files::original_of(path).unwrap_or_else(|| path.clone()),
        ));
    }
    Ok(Files::new(all))
}

/// The files of a game's folder that `edited`, a project or another folder, was made from, and
/// whether these are originals that are not the current files. An edited folder with the same mods
/// was made from the current files; a project notes what each file was.
pub(crate) fn for_edited(game: &Path, edited: &Path) -> Result<(Files, bool)> {
    let now = sides::files(game)?;
    let mods = |folder: &Path| {
        Applied::of(folder).map(|list| list.map_or_else(Vec::new, |list| list.mods))
    };
    let project = is_project(edited)
        .then(|| Project::open(edited))
        .transpose()?;
    if is_project(game)
        || project.is_none() && !mods(game)?.is_empty() && mods(game)? == mods(edited)?
    {
        return Ok((now, false));
    }
    let before = of_game(game)?;
    let mut taken = false;
    let mut all = Vec::new();
    for (name, path) in now.iter() {
        let entry = project
            .as_ref()
            .and_then(|project| project.entry(Path::new(name)));
        let is_current =
            entry.is_some_and(|entry| disk::has_content(path, entry.bytes, &entry.sum));
        let was = if is_current {
            Some(path.as_path())
        } else {
            before.get(name)
        };
        taken |= was != Some(path);
        all.extend(was.map(|was| (name.clone(), was.to_owned())));
    }
    Ok((Files::new(all), taken))
}

/// The comparison for a game's folder or a project that is the only argument. A project is compared
/// with the originals of the game that it came from.
///
/// Returns an error if the game of a project is not available, and for a folder in which refit
/// changed nothing.
pub fn of(folder: &Path) -> Result<Before> {
    let now = sides::files(folder)?;
    if is_project(folder) {
        let project = Project::open(folder)?;
        let game = of_game(&project.game("the first argument")?)?;
        let named = project
            .entries()
            .filter_map(|(file, _)| file.to_str().map(|file| file.replace('\\', "/")));
        let was = named
            .filter_map(|name| game.get(&name).map(|path| (name.clone(), path.to_owned())))
            .collect();
        return Ok(Before {
            game,
            was: Files::new(was),
            now,
        });
    }
    let game = of_game(folder)?;
    let is_changed =
        |(name, path): &(String, PathBuf)| game.get(name).is_none_or(|was| was != path);
    if !now.iter().any(is_changed) {
        return Err(Error::say(
            "there is nothing to compare it with: no file in it has a NAME.orig",
        )
        .in_file(folder.shown())
        .hint("name two files, trees or folders"));
    }
    let was = game.iter().cloned().collect();
    Ok(Before {
        game,
        was: Files::new(was),
        now,
    })
}
