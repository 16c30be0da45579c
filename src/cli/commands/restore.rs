//! `refit restore`: puts pristine files back.

use crate::cli::{
    report::{ShownPath, about},
    session::Session,
};
use clap::Args;
use refit::{
    mods::{self, AppliedMods},
    path::Shown,
    pipeline::{self, Hints},
    tree::{
        check_inside_path,
        disk::{self, Original, Together, together},
    },
    wire::{Error, Result, count},
    workbench::{Filter, Progress, files},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// Put the pristine NAME.orig back, over the file that refit changed
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit restore zbd/reader.zbd
  refit restore C:\\Games\\MW3    every file below it that has an original: all of them, or none
  refit restore C:\\Games\\MW3 zbd/c1/anim.zbd    only this one
  refit restore C:\\Games\\MW3 --include '**/c1/**'

What a project or a mod added to the game is deleted, with the folders that were made for it; mods that change nothing any more are no
longer applied.

An original that refit neither noted nor recognises is only put back with --force. Links out of a folder are not followed.
What stood in the place of the original and was not written by refit is kept as NAME.orig.2.")]
pub struct Restore {
    /// Files, or folders with files at any depth; behind one folder, files in it: only those
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

#[derive(serde::Serialize)]
struct Row {
    #[serde(flatten)]
    place: ShownPath,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

/// The file that an original belongs to; `None` when the path is no original.
fn original_of(path: &Path) -> Option<PathBuf> {
    (path.extension()? == "orig").then(|| path.with_extension(""))
}

/// What is to be restored.
#[derive(Default)]
struct Found {
    /// Files that have an original.
    files: Vec<PathBuf>,
    /// Files that refit added to the game.
    added: Vec<PathBuf>,
    /// Folders that it made and that are empty.
    empty: Vec<PathBuf>,
    /// Folders with a list of mods.
    lists: BTreeSet<PathBuf>,
}

/// A file that was added, and where it is kept, if it was edited since.
type Removed = (PathBuf, Option<PathBuf>);

/// The files below a folder that have an original there, or that refit added. Links are not followed: what they lead to is not in the
/// folder.
fn below(folder: &Path, filter: &Filter, known: &mut AppliedMods) -> Result<Found> {
    let mut found = Found::default();
    let inside = |path: &Path| path.strip_prefix(folder).map(Path::to_owned).unwrap_or_default();
    for entry in walkdir::WalkDir::new(folder).min_depth(1).sort_by_file_name().into_iter().filter_map(|entry| entry.ok()) {
        let (path, kind) = (entry.path(), entry.file_type());
        if kind.is_dir() {
            found.empty.extend(disk::is_left_empty(path).then(|| path.to_owned()));
            continue;
        }
        if entry.file_name() == mods::STATE {
            found.lists.extend(path.parent().map(Path::to_owned));
        }
        if let Some(file) = original_of(path) {
            let (file_name, original_name) = (inside(&file), inside(path));
            // People name the game's file as well as the original.
            let meant = filter.takes(&file_name) || filter.takes(&original_name);
            if meant && filter.keeps(&file_name) && filter.keeps(&original_name) {
                found.files.push(file);
            }
        } else if disk::is_added(path) && !disk::backup_path(path).is_file() && filter.takes(&inside(path)) {
            found.added.push(path.to_owned());
        }
    }
    // What mods added is known from their list, too.
    for root in &found.lists {
        for file in known.list(root)?.into_iter().flat_map(|list| &list.files).filter(|file| file.original.is_none()) {
            let path = root.join(check_inside_path(&file.path)?);
            let is_new = !found.added.contains(&path) && path.is_file() && !disk::backup_path(&path).is_file();
            if is_new && path.starts_with(folder) && filter.takes(&inside(&path)) {
                found.added.push(path);
            }
        }
    }
    Ok(found)
}

/// True for a file without an original that refit, or a mod, added to the game.
fn is_added(path: &Path, known: &mut AppliedMods) -> Result<bool> {
    if disk::backup_path(path).symlink_metadata().is_ok() || !path.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
        return Ok(false);
    }
    Ok(disk::is_added(path) || known.of_file(path)?.is_some_and(|held| held.file.original.is_none()))
}

/// True for an original that refit made as far as it knows: it noted that it did, or the content is a game's file of such a name.
/// Other programs keep things under `NAME.orig` too.
fn is_ours(original: &Original) -> bool {
    let name = original.file.shown();
    original.noted
        || pipeline::load(&original.backup).and_then(|file| pipeline::recognise(&file, &name, Hints::default())).is_ok_and(|found| {
            let extension = original.file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
            // Text says little by itself: any list in parentheses could be one.
            found.certain || matches!(extension.as_str(), "zbd" | "zrd" | "cfg" | "pbo")
        })
}

impl Restore {
    /// Runs the command.
    pub fn run(self, session: &Session) -> Result<()> {
        let filter = session.options()?.filter;
        let (mut restored, mut removed, mut left) = (0, 0, 0);
        let paths = files::expand(&self.paths)?;
        let paths = only_in(&paths).unwrap_or(paths);
        for path in paths {
            let named = !path.is_dir();
            if !session.global.dry_run {
                // What was ended here before it was done would otherwise be finished later, over what is restored now.
                let unfinished = together::unfinished_above(&path);
                for folder in unfinished.into_iter().chain(journals(&path)) {
                    match together::recover(&folder) {
                        Ok(recovered) => session.recovered(recovered.as_ref()),
                        Err(e) => {
                            session.error(about(&path, &e));
                            return Ok(());
                        }
                    }
                }
                disk::sweep_below(&path);
            }
            let mut known = AppliedMods::default();
            let found = match original_of(&path) {
                // `restore zbd/*` names the originals too. A folder beside a file of its name is refused.
                Some(file) if named || file.is_file() => Found { files: vec![file], ..Found::default() },
                None if named && is_added(&path, &mut known)? => Found { added: vec![path.clone()], ..Found::default() },
                None if named => Found { files: vec![path.clone()], ..Found::default() },
                _ => {
                    let found = below(&path, &filter, &mut known)?;
                    let none = found.files.is_empty() && found.added.is_empty();
                    if none && filter.is_given() {
                        let what = format!("no file below {} that has an original {}", path.shown(), filter.description());
                        session.error(Error::say(what).hint("a pattern is held against NAME and NAME.orig").to_string());
                    } else if none && std::fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_none()) {
                        // A wrong path, as a rule: where there are files and no originals, all is as it should be.
                        session.error(format!("there is no file below {}", path.shown()));
                    }
                    found
                }
            };
            let alone = match found.files.as_slice() {
                [one] if found.added.is_empty() && found.lists.is_empty() && found.empty.is_empty() => known.of_file(one)?.is_none(),
                _ => false,
            };
            if !alone {
                match self.together(session, &path, named, found, &mut known) {
                    Ok(Some((done, gone, passed))) => (restored, removed, left) = (restored + done, removed + gone, left + passed),
                    Ok(None) => return Ok(()),
                    Err(e) => {
                        session.error(about(&path, &e));
                        return Ok(());
                    }
                }
                continue;
            }
            for file in found.files {
                match self.one(session, &file, named) {
                    Ok(true) => restored += 1,
                    Ok(false) => left += 1,
                    Err(e) => {
                        session.error(about(&file, &e));
                        if !session.global.keep_going {
                            return Ok(());
                        }
                    }
                }
            }
        }
        let would = if session.global.dry_run { "would be restored (dry run)" } else { "restored" };
        if restored != 1 || left > 0 || removed > 0 {
            let gone = if session.global.dry_run { "would be removed" } else { "removed" };
            let removed = if removed > 0 { format!(", {} that refit had added {gone}", count(removed, "file")) } else { String::new() };
            let left = if left > 0 { format!(", {left} left alone (see above; --force restores them)") } else { String::new() };
            session.tell(format!("{} {would}{removed}{left}", count(restored, "file")));
        }
        Ok(())
    }

    /// Restores the files of a folder, all of them or none: how many were restored, how many removed, and how many left alone. `None` after
    /// an error.
    fn together(
        &self,
        session: &Session,
        path: &Path,
        named: bool,
        found: Found,
        known: &mut AppliedMods,
    ) -> Result<Option<(usize, usize, usize)>> {
        let mut originals = Vec::new();
        let mut left = 0;
        for file in &found.files {
            match check(session, file, named) {
                Ok(Some(original)) => originals.push((original, None)),
                Ok(None) => left += 1,
                Err(e) => {
                    session.error(about(file, &e));
                    if !session.global.keep_going {
                        return Ok(None);
                    }
                }
            }
        }
        let mut removed: Vec<Removed> = found.added.into_iter().map(|file| (file, None)).collect();
        // What the lists of mods say of all that.
        let mut lists: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for root in &found.lists {
            lists.entry(refit::path::canonical(root).map_err(|e| Error::io(root, e))?).or_default();
        }
        let mut sums = Vec::new();
        for file in originals.iter().map(|(original, _)| &original.file).chain(removed.iter().map(|(file, _)| file)) {
            let held = known.of_file(file)?;
            sums.push(held.as_ref().and_then(|held| held.file.written.clone()));
            if let Some(held) = held {
                lists.entry(held.root).or_default().insert(held.file.path);
            }
        }
        let mut off = Vec::new();
        if !session.global.dry_run {
            let folder = if path.is_dir() { path.to_owned() } else { files::folder_of(path) };
            let folder = refit::path::canonical(if folder.as_os_str().is_empty() { Path::new(".") } else { &folder });
            let folder = folder.map_err(|e| Error::io(path, e))?;
            // A list of mods may be further up.
            let top = lists.keys().chain([&folder]).min_by_key(|root| root.components().count()).cloned().unwrap_or_else(|| folder.clone());
            let (mut together, recovered) = Together::begin(&top, "restore")?;
            session.recovered(recovered.as_ref());
            for (original, kept) in &mut originals {
                *kept = together.restore(original)?;
            }
            for ((file, kept), sum) in removed.iter_mut().zip(sums.split_off(originals.len())) {
                *kept = together.remove_added(file, sum.as_deref())?;
            }
            for (root, files) in &lists {
                off.extend(mods::forget_restored(root, files, &mut together)?.into_iter().map(|name| (root.clone(), name)));
            }
            together.commit()?;
            lists.keys().for_each(|root| mods::remove_copies(root));
            for empty in found.empty.iter().rev().filter_map(|empty| refit::path::canonical(empty).ok()) {
                disk::remove_left_empty(&empty, &folder);
            }
        }
        for (original, kept) in &originals {
            tell(session, original, kept.as_deref());
        }
        for (file, kept) in &removed {
            tell_removed(session, file, kept.as_deref());
        }
        for (root, name) in off {
            session.tell(format!("{}: {name} is no longer applied", root.shown()));
        }
        Ok(Some((originals.len(), removed.len(), left)))
    }

    /// Restores a file. False when it was left alone: it was not `named` itself, and nobody knows whether its original is one.
    fn one(&self, session: &Session, file: &Path, named: bool) -> Result<bool> {
        let Some(original) = check(session, file, named)? else { return Ok(false) };
        let kept = if session.global.dry_run { None } else { original.restore()? };
        tell(session, &original, kept.as_deref());
        Ok(true)
    }
}

/// The folders below a folder in which work was ended before it was done.
fn journals(folder: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).into_iter().filter_map(|entry| entry.ok());
    let folders = entries.filter(|entry| entry.file_type().is_dir()).map(walkdir::DirEntry::into_path);
    folders.filter(|folder| together::is_begun(folder)).collect()
}

/// `GAME FILE…`: the files in that folder, whether they are named from there or from here. `None` for paths of another kind.
fn only_in(paths: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let (folder, files) = paths.split_first().filter(|(folder, files)| folder.is_dir() && !files.is_empty())?;
    let is_file = |path: &Path| path.symlink_metadata().is_ok_and(|meta| !meta.is_dir()) || disk::backup_path(path).is_file();
    let inside = |file: &PathBuf| {
        let from_there = folder.join(file);
        if file.is_relative() && is_file(&from_there) {
            return Some(from_there);
        }
        let real = |path: &Path| refit::path::canonical(&files::folder_of(&path.join("x"))).ok();
        let above = files::folder_of(file);
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { &above };
        (is_file(file) && real(above)?.starts_with(real(folder)?)).then(|| file.clone())
    };
    files.iter().map(inside).collect()
}

/// The original that may be put back. `None` when it is left alone: it was not `named` itself, and nobody knows whether it is one.
fn check(session: &Session, file: &Path, named: bool) -> Result<Option<Original>> {
    if !named && file.is_symlink() {
        session.warn(format!("{}: a link, left alone; name it to restore the file that it leads to", file.shown()));
        return Ok(None);
    }
    let original = disk::original(file)?;
    if !session.global.force && !is_ours(&original) {
        let what = format!("{} is not an original that refit knows", original.backup.shown());
        if named {
            return Err(Error::say(what).hint("another program may have made it; --force puts it back"));
        }
        session.warn(format!("{what}, left alone"));
        return Ok(None);
    }
    Ok(Some(original))
}

/// Tells that a file was removed which refit had added.
fn tell_removed(session: &Session, file: &Path, kept: Option<&Path>) {
    if let Some(kept) = kept {
        session.warn(format!("{}: it was edited since refit added it, it is kept as {}", file.shown(), kept.shown()));
    }
    if session.global.json {
        let kept = kept.map(|kept| kept.shown());
        session.json(&Row { place: ShownPath::of(file), status: "removed", kept });
    }
    let would = if session.global.dry_run { "would be removed" } else { "removed" };
    session.tell(format!("{} {would}: the game did not have it, refit added it", file.shown()));
}

/// Tells that an original was put back.
fn tell(session: &Session, original: &Original, kept: Option<&Path>) {
    let target = original.file.shown();
    if let Some(kept) = kept {
        session.warn(format!("{target}: what stood there was not written by refit, it is kept as {}", kept.shown()));
    }
    if session.global.json {
        let kept = kept.map(|kept| kept.shown());
        session.json(&Row { place: ShownPath::of(&original.file), status: "restored", kept });
    }
    session.tell(format!("{} → {target}", original.backup.shown()));
    for later in if session.global.dry_run { Vec::new() } else { original.later() } {
        session.detail(format!("{target}: {} is kept too, of what another program wrote there later", later.shown()));
    }
}
