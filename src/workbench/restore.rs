//! Puts the original files of a game back.

use super::{
    options::{Filter, Options},
    paths::{expand, folder_of},
    progress::{Event, Progress},
    repack::signatures,
};
use refit_base::{
    Sum,
    path::{self, Shown},
    tree::{
        check_inside_path,
        disk::{self, Original, Together, together},
    },
    wire::{Error, Result},
};
use refit_mods::{self as mods, AppliedMods};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// The restored files, or those that would be restored.
#[derive(Default)]
pub struct Outcome {
    /// The originals that were restored, and the copies of files that refit did not write.
    pub restored: Vec<(Original, Option<PathBuf>)>,
    /// The removed files that refit had added, and the copies of those that were edited since.
    pub removed: Vec<(PathBuf, Option<PathBuf>)>,
    /// Mods that are no longer applied, and the folders of their lists.
    pub off: Vec<(PathBuf, String)>,
    /// How many files were left alone.
    pub left: usize,
}

/// The files and folders that a user named: wildcards are expanded, and `GAME FILE…` names files of
/// that game only.
pub fn places(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let paths = expand(named)?;
    Ok(only_in(&paths).unwrap_or(paths))
}

/// `GAME FILE…`: the files in that folder, given by paths relative to it or to the current folder.
/// `None` for other combinations of paths.
fn only_in(paths: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let (folder, files) = paths
        .split_first()
        .filter(|(folder, files)| folder.is_dir() && !files.is_empty())?;
    let is_file = |path: &Path| {
        path.symlink_metadata().is_ok_and(|meta| !meta.is_dir())
            || disk::original_path(path).is_file()
    };
    let inside = |file: &PathBuf| {
        let from_there = folder.join(file);
        if file.is_relative() && is_file(&from_there) {
            return Some(from_there);
        }
        let real = |path: &Path| path::canonical(&folder_of(&path.join("x"))).ok();
        let above = folder_of(file);
        let above = if above.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &above
        };
        (is_file(file) && real(above)?.starts_with(real(folder)?)).then(|| file.clone())
    };
    files.iter().map(inside).collect()
}

/// The file of an original; `None` for a path that is not an original.
fn original_of(path: &Path) -> Option<PathBuf> {
    if path.extension()? == "orig" {
        return Some(path.with_extension(""));
    }
    // `NAME.orig.2`, if another program took the name `NAME.orig`.
    let first = path.with_extension("");
    (first.extension()? == "orig" && disk::is_first(path)).then(|| first.with_extension(""))
}

/// The files to restore.
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

/// The files below a folder that have an original there, or that refit added. Links are not
/// followed: their targets are not in the folder.
fn below(folder: &Path, filter: &Filter, known: &mut AppliedMods) -> Result<Found> {
    let mut found = Found::default();
    let inside = |path: &Path| {
        path.strip_prefix(folder)
            .map(Path::to_owned)
            .unwrap_or_default()
    };
    for entry in walkdir::WalkDir::new(folder)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter()
        .filter_map(|entry| entry.ok())
    {
        let (path, kind) = (entry.path(), entry.file_type());
        if kind.is_dir() {
            found
                .empty
                .extend(disk::is_left_empty(path).then(|| path.to_owned()));
            continue;
        }
        if entry.file_name() == mods::STATE {
            found.lists.extend(path.parent().map(Path::to_owned));
        }
        if let Some(file) = original_of(path) {
            let (file_name, original_name) = (inside(&file), inside(path));
            // People name the game's file as well as the original.
            let meant = filter.takes(&file_name) || filter.takes(&original_name);
            let is_new = found.files.last() != Some(&file);
            if meant && filter.keeps(&file_name) && filter.keeps(&original_name) && is_new {
                found.files.push(file);
            }
        } else if disk::is_added(path)
            && !disk::original_path(path).is_file()
            && filter.takes(&inside(path))
        {
            found.added.push(path.to_owned());
        }
    }
    // What mods added is known from their list, too.
    for root in &found.lists {
        for file in known
            .list(root)?
            .into_iter()
            .flat_map(|list| &list.files)
            .filter(|file| file.original.is_none())
        {
            let path = root.join(check_inside_path(&file.path)?);
            let is_new = !found.added.contains(&path)
                && path.is_file()
                && !disk::original_path(&path).is_file();
            if is_new && path.starts_with(folder) && filter.takes(&inside(&path)) {
                found.added.push(path);
            }
        }
    }
    Ok(found)
}

/// True for a file without an original that refit, or a mod, added to the game.
fn is_added(path: &Path, known: &mut AppliedMods) -> Result<bool> {
    if disk::original_path(path).symlink_metadata().is_ok()
        || !path.symlink_metadata().is_ok_and(|meta| meta.is_file())
    {
        return Ok(false);
    }
    Ok(disk::is_added(path)
        || known
            .of_file(path)?
            .is_some_and(|held| held.file.original.is_none()))
}

/// The changes to a file or a folder.
struct Plan {
    /// The folder that is worked on.
    folder: PathBuf,
    originals: Vec<Original>,
    /// Files to remove, and their checksums after the mods were applied.
    added: Vec<(PathBuf, Option<Sum>)>,
    empty: Vec<PathBuf>,
    /// Lists of mods, and the paths in them that are restored.
    lists: BTreeMap<PathBuf, BTreeSet<String>>,
    left: usize,
    /// One file, which needs no journal.
    is_alone: bool,
}

/// Restores a file, or all files of a folder: all or none. A file that cannot be restored is
/// reported with [`Event::Failed`] if [`Options::keep_going`] is set.
pub fn restore(path: &Path, options: &Options, progress: &dyn Progress) -> Result<Outcome> {
    finish(path, options, progress).map_err(|e| e.about(path))?;
    let plan = plan(path, options, progress)?;
    let done = match (options.dry_run, plan.is_alone) {
        (true, _) => return Ok(plan.expected()),
        (false, true) => plan.carry_out_alone(options, progress)?,
        (false, false) => plan.carry_out(progress).map_err(|e| e.about(path))?,
    };
    for (original, _) in &done.restored {
        signatures(&original.file, false, progress);
    }
    Ok(done)
}

/// Finishes interrupted work: otherwise it would be finished later, over the restored files.
fn finish(path: &Path, options: &Options, progress: &dyn Progress) -> Result<()> {
    if options.dry_run {
        return Ok(());
    }
    let mut begun = Vec::from_iter(together::unfinished_above(path));
    let mut left = BTreeSet::new();
    for entry in walkdir::WalkDir::new(path)
        .into_iter()
        .filter_map(|entry| entry.ok())
    {
        if disk::is_left_behind(entry.path()) {
            left.extend(entry.path().parent().map(Path::to_owned));
        }
        if entry.file_type().is_dir() && together::is_begun(entry.path()) {
            begun.push(entry.into_path());
        }
    }
    for folder in begun {
        progress.recovered(together::recover(&folder)?.as_ref());
    }
    left.iter().for_each(|folder| disk::sweep(folder));
    Ok(())
}

fn find(
    path: &Path,
    options: &Options,
    progress: &dyn Progress,
    known: &mut AppliedMods,
) -> Result<Found> {
    let named = !path.is_dir();
    match original_of(path) {
        // `restore zbd/*` also names the originals. A folder next to a file with its name is
        // refused.
        Some(file) if named || file.is_file() => {
            return Ok(Found {
                files: vec![file],
                ..Found::default()
            });
        }
        None if named && is_added(path, known)? => {
            return Ok(Found {
                added: vec![path.to_owned()],
                ..Found::default()
            });
        }
        None if named => {
            return Ok(Found {
                files: vec![path.to_owned()],
                ..Found::default()
            });
        }
        _ => {}
    }
    let filter = &options.filter;
    let found = below(path, filter, known)?;
    let none = found.files.is_empty() && found.added.is_empty();
    if none && filter.is_given() {
        let what = format!(
            "no file below {} that has an original {}",
            path.shown(),
            filter.description()
        );
        progress.report(Event::Failed(
            &Error::say(what).hint("a pattern is compared with NAME and NAME.orig"),
        ));
    } else if none && std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()) {
        // Usually a wrong path: a folder with files but without originals is fine.
        progress.report(Event::Failed(&Error::say(format!(
            "there is no file below {}",
            path.shown()
        ))));
    }
    Ok(found)
}

fn plan(path: &Path, options: &Options, progress: &dyn Progress) -> Result<Plan> {
    let mut known = AppliedMods::default();
    let found = find(path, options, progress, &mut known)?;
    let is_alone = match found.files.as_slice() {
        [one] if found.added.is_empty() && found.lists.is_empty() && found.empty.is_empty() => {
            known.of_file(one)?.is_none()
        }
        _ => false,
    };
    let folder = if path.is_dir() {
        path.to_owned()
    } else {
        folder_of(path)
    };
    let mut plan = Plan {
        folder: if folder.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            folder
        },
        originals: Vec::new(),
        added: Vec::new(),
        empty: found.empty,
        lists: BTreeMap::new(),
        left: 0,
        is_alone,
    };
    for file in &found.files {
        match check(file, !path.is_dir(), options, &mut known, progress) {
            Ok(Some(original)) => plan.originals.push(original),
            Ok(None) => plan.left += 1,
            Err(e) if options.keep_going => progress.report(Event::Failed(&e.about(file))),
            Err(e) => return Err(e.about(file)),
        }
    }
    let about = |e: Error| e.about(path);
    for root in &found.lists {
        plan.lists
            .entry(path::canonical(root).map_err(|e| about(Error::io(root, e)))?)
            .or_default();
    }
    for file in plan
        .originals
        .iter()
        .map(|original| &original.file)
        .chain(&found.added)
    {
        if let Some(held) = known.of_file(file).map_err(about)? {
            plan.lists
                .entry(held.root)
                .or_default()
                .insert(held.file.path);
        }
    }
    for file in found.added {
        let written = known
            .of_file(&file)
            .map_err(about)?
            .and_then(|held| held.file.written);
        plan.added.push((file, written));
    }
    Ok(plan)
}

impl Plan {
    /// What would be restored.
    fn expected(self) -> Outcome {
        Outcome {
            restored: self
                .originals
                .into_iter()
                .map(|original| (original, None))
                .collect(),
            removed: self
                .added
                .into_iter()
                .map(|(file, _)| (file, None))
                .collect(),
            off: Vec::new(),
            left: self.left,
        }
    }

    fn carry_out_alone(self, options: &Options, progress: &dyn Progress) -> Result<Outcome> {
        let mut out = Outcome {
            left: self.left,
            ..Outcome::default()
        };
        for original in self.originals {
            match original.restore() {
                Ok(kept) => out.restored.push((original, kept)),
                Err(e) if options.keep_going => {
                    progress.report(Event::Failed(&e.about(&original.file)))
                }
                Err(e) => return Err(e.about(&original.file)),
            }
        }
        Ok(out)
    }

    fn carry_out(self, progress: &dyn Progress) -> Result<Outcome> {
        let mut out = Outcome {
            left: self.left,
            ..Outcome::default()
        };
        let folder = path::canonical(&self.folder).map_err(|e| Error::io(&self.folder, e))?;
        // A list of mods may be in a folder above.
        let top = self
            .lists
            .keys()
            .chain([&folder])
            .min_by_key(|root| root.components().count())
            .unwrap_or(&folder);
        let (mut together, recovered) = Together::begin(top, "restore")?;
        progress.recovered(recovered.as_ref());
        for original in self.originals {
            let kept = together.restore(&original)?;
            out.restored.push((original, kept));
        }
        for (file, written) in self.added {
            let kept = together.remove_added(&file, written)?;
            out.removed.push((file, kept));
        }
        for (root, files) in &self.lists {
            out.off.extend(
                mods::forget_restored(root, files, &mut together)?
                    .into_iter()
                    .map(|name| (root.clone(), name)),
            );
        }
        together.commit()?;
        self.lists.keys().for_each(|root| mods::remove_copies(root));
        for empty in self
            .empty
            .iter()
            .rev()
            .filter_map(|empty| path::canonical(empty).ok())
        {
            disk::remove_left_empty(&empty, &folder);
        }
        Ok(out)
    }
}

/// True if refit kept this original: it noted its checksum, or the list of mods has it. Other
/// programs use the name `NAME.orig`, too, also for files of the game.
fn is_kept(original: &Original, known: &mut AppliedMods) -> Result<bool> {
    if original.noted {
        return Ok(true);
    }
    let of_mods = known
        .of_file(&original.file)?
        .and_then(|held| held.file.original);
    match (of_mods, disk::standing(&original.backup)?) {
        (Some(listed), Some(now)) => Ok(disk::is_sum_of(&original.backup, now, listed)),
        _ => Ok(false),
    }
}

/// The original, if it may be restored. `None` to leave it alone: it was not `named` as an
/// argument, and refit does not know it.
fn check(
    file: &Path,
    named: bool,
    options: &Options,
    known: &mut AppliedMods,
    progress: &dyn Progress,
) -> Result<Option<Original>> {
    if !named && file.is_symlink() {
        progress.warn(&format!(
            "{}: a link, left alone; give it by name to restore its target",
            file.shown()
        ));
        return Ok(None);
    }
    let original = disk::original(file)?;
    if !options.force && !is_kept(&original, known)? {
        let what = format!(
            "{} is not an original that refit knows",
            original.backup.shown()
        );
        if named {
            return Err(
                Error::say(what).hint(
                    "another program may have made it; --force puts it back, and keeps the file that it replaces",
                )
            );
        }
        progress.warn(&format!("{what}, left alone"));
        return Ok(None);
    }
    Ok(Some(original))
}
