//! A folder that appears completely or not at all.

use super::{
    backup::{MOST_NAMES, is_original},
    edited::{Change, edits},
    fault::step,
    folder::DirSink,
    held,
    live::{Live, live, temporary_folder},
    made::NewFolders,
    paths::{looked_at, parent, sync_folder, unusable_in},
    seen::Stamp,
    turn::{self, Turn},
};
use crate::{
    par,
    path::Shown,
    tree::{
        Sums,
        blob::Blob,
        sums::{FileSum, List},
    },
    wire::{Error, Result, count},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// True if [`StagedDir::new`] would replace a folder, false if it would create one; an error if it
/// would refuse.
pub fn check_folder(target: &Path, force: bool) -> Result<bool> {
    let io = |e| Error::io(target, e);
    let named = || target.shown();
    if is_original(target) {
        return Err(Error::say(
            "refit keeps originals under this name, so it does not create a folder there",
        )
        .in_file(named())
        .hint("name another one"));
    }
    if cfg!(windows)
        && let Some(why) = unusable_in(target)
    {
        return Err(Error::say(why)
            .in_file(named())
            .hint("name another folder with -o"));
    }
    let Ok(meta) = target.symlink_metadata() else {
        return Ok(false);
    };
    if !meta.is_dir() {
        return Err(Error::say("a file has this name")
            .in_file(named())
            .hint("name another folder with -o"));
    }
    let empty = fs::read_dir(target).map_err(io)?.next().is_none();
    let ours = ["refit.json", "refit.ron", ".refit/export"]
        .iter()
        .any(|mark| target.join(mark).is_file());
    if !empty && !ours {
        return Err(
            Error::say("the folder contains other files, so refit does not replace it")
                .in_file(named())
                .hint("name another one with -o"),
        );
    }
    if !empty && !force {
        return Err(Error::say("the folder already exists")
            .in_file(named())
            .hint("use --force to replace it, or name another one with -o"));
    }
    if let Some(history) = [".git", ".hg", ".svn"]
        .into_iter()
        .find(|history| target.join(history).exists())
    {
        return Err(Error::say(format!(
            "the folder contains {history}, which would be lost"
        ))
        .in_file(named())
        .hint("name another one with -o and copy the files over"));
    }
    Ok(true)
}

/// Writes the checksums of a folder that has none, so that [`edits`] can find later edits.
pub(super) fn note_sums(folder: &Path) -> Result<()> {
    if List::is_in(&folder.join(".refit")) {
        return Ok(());
    }
    let files: Vec<PathBuf> = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_map(|entry| entry.ok())
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect();
    let found: Vec<(String, FileSum)> = par::try_times(files.len(), |i| {
        let path = files.get(i)?;
        let name = path.strip_prefix(folder).ok()?.to_str()?.replace('\\', "/");
        let sum = || FileSum::of_file(&Blob::of_file(path)?);
        (!name.starts_with(".refit/")).then(|| Ok((name, sum()?)))
    })?;
    let mut sums = Sums::default();
    for (name, sum) in found {
        sums.add(&name, sum);
    }
    sums.put(&DirSink::new(folder))
}

/// A folder that appears completely or not at all.
///
/// It is filled under a temporary name next to its target. Dropping it without
/// [`StagedDir::commit`] removes it and the parent folders created for it.
pub struct StagedDir {
    target: PathBuf,
    /// The stamp of the folder to be replaced.
    replace: Option<Stamp>,
    // Fields are dropped in this order: the lock is released before the folder is removed.
    claim: fs::File,
    temp: tempfile::TempDir,
    _live: Live,
    made: NewFolders,
}

/// What happened to a replaced folder.
#[derive(Debug, Default)]
pub struct Replaced {
    /// Its new path, if it was edited.
    pub aside: Option<PathBuf>,
    /// The edits in it, or an error if they cannot be determined.
    pub edits: Option<Result<Vec<(String, Change)>>>,
    /// The remains that could not be removed, and why.
    pub left: Option<(PathBuf, std::io::Error)>,
}

impl Replaced {
    /// The path of the old folder that was moved aside, which begins as the target's does.
    pub fn aside_of(&self, target: &Path) -> Option<PathBuf> {
        let aside = self.aside.as_ref()?;
        Some(match (target.file_name(), aside.file_name()) {
            (Some(_), Some(name)) => target.with_file_name(name),
            _ => aside.clone(),
        })
    }

    /// `2 files edited since refit wrote it: a.json (modified), b.txt (added)`.
    pub fn describe(edits: &Result<Vec<(String, Change)>>) -> String {
        const SHOWN: usize = 10;
        match edits {
            Err(e) => format!("refit cannot tell what was edited: {e}"),
            Ok(edits) => {
                let shown: Vec<String> = edits
                    .iter()
                    .take(SHOWN)
                    .map(|(path, change)| format!("{path} ({change})"))
                    .collect();
                let more = if edits.len() > SHOWN { ", …" } else { "" };
                format!(
                    "{} edited since refit wrote it: {}{more}",
                    count(edits.len(), "file"),
                    shown.join(", ")
                )
            }
        }
    }
}

impl StagedDir {
    /// Prepares `target`. A folder that is not empty is replaced only with `force`.
    pub fn new(target: &Path, force: bool) -> Result<Self> {
        let io = |e| Error::io(target, e);
        if parent(target).is_dir() {
            // Put back what a killed refit moved away before checking what exists.
            Turn::take_swept(parent(target))?;
        }
        let replace = check_folder(target, force)?;
        // `.` cannot be renamed, but its real path can.
        let target = if replace {
            crate::path::canonical(target).map_err(io)?
        } else {
            target.to_owned()
        };
        let replace = if replace { Stamp::of(&target) } else { None };
        let made = NewFolders::make(parent(&target))?;
        let (temp, live, claim) = {
            let _turn = Turn::take_swept(parent(&target))?;
            temporary_folder(parent(&target)).map_err(|e| Error::io(parent(&target), e))?
        };
        Ok(StagedDir {
            target,
            replace,
            claim,
            temp,
            _live: live,
            made,
        })
    }

    /// A sink into the folder.
    pub fn sink(&self) -> DirSink {
        DirSink::new(self.folder())
    }

    /// The folder to be filled.
    pub fn folder(&self) -> PathBuf {
        self.temp.path().join("tree")
    }

    /// Puts the folder in place. If the old one has edits, it is moved aside as a whole.
    pub fn commit(mut self) -> Result<Replaced> {
        let target = &self.target;
        let io = |e| Error::io(target, e);
        let new = self.temp.path().join("tree");
        step().and_then(|()| fs::create_dir_all(&new)).map_err(io)?;
        note_sums(&new)?;
        sync_folder(&new);
        let _turn = Turn::take(parent(target))?;
        // It must still be the same folder. The checksums below reveal edits inside it.
        let same = match (&self.replace, Stamp::of(target)) {
            (None, now) => now.is_none(),
            (Some(before), now) => now.is_some_and(|now| now.id == before.id),
        };
        if !same {
            return Err(Error::say(
                "the folder changed while refit was at work: another refit or program wrote it",
            )
            .in_file(target.shown())
            .hint("nothing was replaced; try again"));
        }
        let mut done = Replaced::default();
        if self.replace.is_none() {
            let _placing = live();
            step()
                .and_then(|()| held::rename(&new, target))
                .map_err(io)?;
        } else {
            let edits = edits(target);
            if edits.as_ref().is_ok_and(Vec::is_empty) {
                let _placing = live();
                let old = self.temp.path().join("old");
                swap(&new, target, &old).map_err(io)?;
            } else {
                let aside = free_name(target)?;
                let _placing = live();
                set_aside(&new, target, &aside).map_err(io)?;
                done.aside = Some(aside);
                done.edits = Some(edits);
            }
        }
        self.made.0.clear();
        sync_folder(parent(target));
        let StagedDir { claim, temp, .. } = self;
        drop(claim);
        let left = temp.keep();
        if let Err(e) = held::remove_dir_all(&left) {
            done.left = Some((left, e));
        }
        Ok(done)
    }
}

/// Puts `new` at `target`. The old folder ends up somewhere in the folder of `new`.
pub(super) fn swap(new: &Path, target: &Path, old: &Path) -> std::io::Result<()> {
    step()?;
    if exchange(new, target) {
        return Ok(());
    }
    turn::note_replaced(new, target, None);
    held::rename(target, old).inspect_err(|_| turn::forget_replaced(new))?;
    step()
        .and_then(|()| held::rename(new, target))
        .inspect_err(|_| {
            let _ = held::rename(old, target);
            turn::forget_replaced(new);
        })
}

/// Puts `new` at `target`, and the old folder at `aside`. If refit is killed in between, both
/// exist, perhaps with swapped names, and never in a temporary folder that would be removed.
pub(super) fn set_aside(new: &Path, target: &Path, aside: &Path) -> std::io::Result<()> {
    step()?;
    held::rename(new, aside)?;
    if step().is_ok() && exchange(aside, target) {
        return Ok(());
    }
    held::rename(aside, new)?;
    turn::note_replaced(new, target, Some(aside));
    step()
        .and_then(|()| held::rename(target, aside))
        .inspect_err(|_| turn::forget_replaced(new))?;
    step()
        .and_then(|()| held::rename(new, target))
        .inspect_err(|_| {
            let _ = held::rename(aside, target);
            turn::forget_replaced(new);
        })
}

/// The first free name of `NAME.old`, `NAME.old.2` and so on.
pub(super) fn free_name(folder: &Path) -> Result<PathBuf> {
    let name = |n: u32| {
        let mut name = folder.as_os_str().to_owned();
        name.push(".old");
        if n > 1 {
            name.push(format!(".{n}"));
        }
        PathBuf::from(name)
    };
    for path in (1..MOST_NAMES).map(name) {
        if looked_at(&path)?.is_none() {
            return Ok(path);
        }
    }
    Err(Error::say("too many folders were already moved aside")
        .in_file(folder.shown())
        .hint("move NAME.old away"))
}

#[cfg(test)]
thread_local! {
    /// Simulates a system that cannot swap two folders in one step.
    pub(super) static NO_EXCHANGE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

#[cfg(target_os = "linux")]
fn tests_without_exchange() -> bool {
    #[cfg(test)]
    return NO_EXCHANGE.get();
    #[cfg(not(test))]
    return cfg!(debug_assertions) && std::env::var_os("REFIT_NO_EXCHANGE").is_some();
}

/// Swaps two folders in one step, if the system can: then one of them is in place even if refit is
/// killed at the worst moment.
pub(super) fn exchange(a: &Path, b: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return !tests_without_exchange()
        && rustix::fs::renameat_with(
            rustix::fs::CWD,
            a,
            rustix::fs::CWD,
            b,
            rustix::fs::RenameFlags::EXCHANGE,
        )
        .is_ok();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (a, b);
        false
    }
}
