//! Making a mod of two states of a file, a tree, or a game's folder.

use super::{
    open,
    options::Options,
    originals::{self, Before},
    progress::{Progress, Task},
    repack::signatures,
    sides::{self, Files},
};
use refit_base::{
    format::Format,
    path::Shown,
    secret,
    tree::{Blob, DirSource, check_foreign_path, is_tree, read_head},
    wire::{Error, Result, count},
};
use refit_files::pipeline::Hints;
use refit_mods::{FileEntry, FileOutcome, Maker, Mod, ModdedGame, Originals, Plan, Planned};
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// A mod to make. The texts may be empty.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct MakeMod {
    /// The original: a file, or a game's folder. Without EDITED a project, or a game's folder with
    /// its kept originals
    pub original: PathBuf,
    /// The edited one: a file, a tree or a folder
    pub edited: Option<PathBuf>,
    /// What it is called [default: the name of the file]
    #[cfg_attr(
        feature = "cli",
        arg(long, default_value = "", hide_default_value = true)
    )]
    pub name: String,
    /// Its own version
    #[cfg_attr(
        feature = "cli",
        arg(long, default_value = "", hide_default_value = true)
    )]
    pub version: String,
    /// Who made it
    #[cfg_attr(
        feature = "cli",
        arg(long, default_value = "", hide_default_value = true)
    )]
    pub author: String,
    /// What it does, in a sentence
    #[cfg_attr(
        feature = "cli",
        arg(long, default_value = "", hide_default_value = true)
    )]
    pub about: String,
    /// Under which terms it may be passed on
    #[cfg_attr(
        feature = "cli",
        arg(long, default_value = "", hide_default_value = true)
    )]
    pub license: String,
    /// The mod deletes files that EDITED does not have; without this they are left alone
    #[cfg_attr(feature = "cli", arg(long))]
    pub delete_missing: bool,
    /// Store the added file NEW as changes of the game's file OLD, instead of the one that is most
    /// like it; may be repeated
    #[cfg_attr(feature = "cli", arg(long = "base", value_name = "NEW=OLD", value_parser = pair))]
    pub bases: Vec<(String, String)>,
}

/// Two paths below the game's folder, `NEW=OLD`.
#[cfg(feature = "cli")]
fn pair(text: &str) -> std::result::Result<(String, String), String> {
    let spelled = |path: &str| path.replace('\\', "/");
    match text.split_once('=') {
        Some((new, old)) if !new.is_empty() && !old.is_empty() => Ok((spelled(new), spelled(old))),
        _ => Err("a base is NEW=OLD, two paths below the game's folder: zbd/m14/gamez.zbd=zbd/m1/gamez.zbd".to_owned()),
    }
}

/// A file's name in a game: the name of a kept original is that of its file.
fn name_in_game(path: &Path) -> String {
    if is_tree(path)
        && let Ok((_, head)) = read_head(&DirSource::new(path))
    {
        return head.source.file;
    }
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    name.strip_suffix(".orig")
        .map(str::to_owned)
        .unwrap_or(name)
}

/// The path, if mods may name it.
fn checked(path: &str) -> Result<&str> {
    check_foreign_path(path).map_err(|e| e.hint("leave it out with --exclude"))
}

/// True for a private key; a tree of a key counts, too.
fn is_secret(path: &Path) -> Result<bool> {
    if path.is_dir() {
        Ok(secret::is_private_key(&path.shown(), &[]))
    } else {
        open::is_private_key(path, &open::load(path)?)
    }
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() && !is_tree(path)
}

/// The most differences between two files for a mod.
const MOST: usize = 500_000;

fn one_file(original: &Path, edited: &Path, maker: &mut Maker, hints: Hints) -> Result<()> {
    let (a, b) = sides::both(original, edited, hints)?;
    maker.changed(checked(&name_in_game(original))?, &a, &b)?;
    Ok(())
}

/// A file of a game's folder that was edited elsewhere.
fn one_of_folder(
    original: &Path,
    edited_path: &Path,
    maker: &mut Maker,
    hints: Hints,
) -> Result<Files> {
    let files = sides::files(original)?;
    let edited = sides::open(edited_path, hints)?;
    let name = name_in_game(edited_path);
    let alike: Vec<_> = files
        .iter()
        .filter(|(path, _)| path.rsplit('/').next() == Some(&name))
        .cloned()
        .collect();
    let [(path, file)] = alike.as_slice() else {
        return Err(Error::say(format!(
            "{} of {} are called {name}",
            count(alike.len(), "file"),
            original.shown()
        ))
        .hint("name the original file itself"));
    };
    maker.changed(path, &sides::open(file, hints)?, &edited)?;
    Ok(files)
}

/// Warns of new files that are in the mod whole, because the original folder has nothing to compare
/// them with: they may be files of the game.
fn warn_of_whole(made: &Mod, files: &Files, original: &Path, progress: &dyn Progress) {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let known: HashSet<String> = files.iter().map(|(path, _)| name(path)).collect();
    let is_whole = |entry: &&FileEntry| {
        let is_known = entry.format.is_some_and(|format| format != Format::Raw);
        is_known
            && entry.original.is_none()
            && entry.new.is_some()
            && !known.contains(&name(&entry.path))
    };
    let whole: Vec<&FileEntry> = made.manifest.files.iter().filter(is_whole).collect();
    let Some(first) = whole.first() else { return };
    let more = match whole.len() {
        1 => "is".to_owned(),
        n => format!("and {} are", count(n - 1, "more new file")),
    };
    progress.warn(&format!(
        "{} {more} in the mod whole, because {} has no file of such a name; if it comes from the game, the mod \
        must not contain it; compare whole folders of the game",
        first.path,
        original.shown()
    ));
}

impl MakeMod {
    /// Compares both states, makes the mod and proves it: applied to the original it gives the
    /// edited files, byte for byte.
    ///
    /// # Errors
    /// Both states are equal, one is a file and the other a folder, or a file cannot be read or is
    /// not an edit of the other one.
    pub fn run(&self, options: &Options, progress: &dyn Progress) -> Result<Mod> {
        let mut maker = Maker::new(&self.name).at_most(MOST);
        let about = maker.about();
        about.version.clone_from(&self.version);
        about.author.clone_from(&self.author);
        about.about.clone_from(&self.about);
        about.license.clone_from(&self.license);
        self.bases
            .iter()
            .for_each(|(new, old)| maker.base(new, old));
        let hints = options.hints;
        let mut originals = None;
        let original = self.original.as_path();
        match (
            is_folder(original),
            self.edited
                .as_deref()
                .map(|edited| (edited, is_folder(edited))),
        ) {
            (true, None) => {
                self.check_definitions(original)?;
                let Before { game, was, now } = originals::of(original)?;
                self.folders(&was, &now, options, progress, &mut maker)?;
                originals = Some(game);
            }
            (false, None) => {
                let (original, edited) = sides::counterpart(original)?;
                one_file(&original, &edited, &mut maker, hints)?;
            }
            (false, Some((edited, false))) => one_file(original, edited, &mut maker, hints)?,
            (true, Some((edited, true))) => {
                [original, edited]
                    .into_iter()
                    .try_for_each(|folder| self.check_definitions(folder))?;
                let (was, taken) = originals::for_edited(original, edited)?;
                if taken {
                    progress.warn(&format!(
                        "{}: files here are edited, or changed by mods; compared with their originals",
                        original.shown()
                    ));
                }
                self.folders(&was, &sides::files(edited)?, options, progress, &mut maker)?;
                originals = Some(was);
            }
            (true, Some((edited, false))) => {
                originals = Some(one_of_folder(original, edited, &mut maker, hints)?)
            }
            (false, Some((_, true))) => {
                return Err(Error::say("ORIGINAL is a file and EDITED is a folder")
                    .hint("name two files, two folders, or a file and its tree"));
            }
        }
        let made = match &originals {
            Some(files) => {
                let task = Task::new(progress, 0);
                task.at("looking for content of the game");
                maker.finish_with(&Game { files, hints })?
            }
            None => maker.finish()?,
        };
        for (path, file) in &made.files {
            secret::check(path, file).map_err(|e| {
                e.context("the mod would hold it")
                    .hint("leave the file out with --exclude")
            })?;
        }
        if let Some(files) = &originals {
            warn_of_whole(&made, files, original, progress);
        }
        if made.manifest.files.is_empty() {
            return Err(Error::say(
                "both are equal, so there is nothing to make a mod of",
            ));
        }
        Ok(made)
    }

    /// An error for a project with edited definitions: a mod without them would be incomplete.
    fn check_definitions(&self, folder: &Path) -> Result<()> {
        match sides::edited_definitions(folder)?.first() {
            None => Ok(()),
            Some(definitions) => Err(Error::say(
                "these definitions were edited, but a mod contains only the edits of trees",
            )
            .in_file(definitions.shown())
            .hint(format!(
                "`refit repack {} -o FOLDER` writes files with both: make the mod from that folder",
                folder.shown()
            ))),
        }
    }

    fn folders(
        &self,
        a: &Files,
        b: &Files,
        options: &Options,
        progress: &dyn Progress,
        maker: &mut Maker,
    ) -> Result<()> {
        let hints = options.hints;
        let is_meant = |path: &str| options.filter.takes(Path::new(path));
        let task = Task::new(progress, 0);
        let (mut missing, mut secrets) = (0, Vec::new());
        for (path, old) in a.iter().filter(|(path, _)| is_meant(path)) {
            task.at(path);
            match b.get(path) {
                Some(new) if sides::same_bytes(old, new) => {}
                Some(new) if is_secret(new)? => secrets.push(path.as_str()),
                Some(new) => {
                    let (old, new) = sides::both(old, new, hints)?;
                    maker.changed(checked(path)?, &old, &new)?;
                }
                None if self.delete_missing => maker.removed(path, &sides::open(old, hints)?)?,
                None => missing += 1,
            }
        }
        for (path, new) in b
            .iter()
            .filter(|(path, _)| is_meant(path) && a.get(path).is_none())
        {
            if is_secret(new)? {
                secrets.push(path);
                continue;
            }
            maker.added(checked(path)?, &sides::open(new, hints)?)?;
        }
        drop(task);
        for path in secrets {
            progress.warn(&format!(
                "{path}: a private key, which is left out of the mod"
            ));
        }
        if missing > 0 {
            progress.detail(&format!(
                "{} of the original are not in {}; the mod leaves them alone",
                count(missing, "file"),
                self.edited.as_ref().unwrap_or(&self.original).shown()
            ));
        }
        Ok(())
    }
}

/// Carries out a plan in a game's folder, and reports the signatures that it breaks.
///
/// # Errors
/// See [`ModdedGame::carry_out`]; then nothing is changed.
pub fn carry_out(
    game: &mut ModdedGame,
    plan: Plan,
    what: &str,
    force: bool,
    progress: &dyn Progress,
) -> Result<()> {
    let is_changed = |file: &&Planned| file.outcome != FileOutcome::Unchanged;
    let changed: Vec<PathBuf> = plan
        .files
        .iter()
        .filter(is_changed)
        .map(|file| game.path(&file.path))
        .collect();
    game.carry_out(plan, what, force)?;
    changed
        .iter()
        .filter(|file| file.is_file())
        .for_each(|file| _ = signatures(file, false, progress));
    Ok(())
}

/// The files of the original game.
struct Game<'a> {
    files: &'a Files,
    hints: Hints,
}

impl Originals for Game<'_> {
    fn paths(&self) -> Vec<String> {
        self.files.iter().map(|(path, _)| path.clone()).collect()
    }
    fn file(&self, path: &str) -> Result<Blob> {
        let place = self.files.get(path).ok_or_else(|| Error::missing(path))?;
        if place.is_dir() {
            sides::open(place, self.hints).map(|tree| tree.file)
        } else {
            Blob::of_file(place)
        }
    }
}
