//! Keeps files that are replaced, and puts originals back.

use super::{
    backup::{
        MOST_NAMES, backup_path, check_backup, first_original, further_path, is_same,
        original_note, original_path,
    },
    fault::step,
    held,
    live::{live, temporary_file},
    own::{self, NoteMark},
    paths::{behind_links, check_regular, is_absent, looked_at, parent, sync_folder},
    rule::{Backup, Replace, is_added},
    turn::Turn,
};
use crate::{
    Sum,
    path::Shown,
    tree::blob::Blob,
    wire::{Error, Result},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A copy of a file that was replaced.
#[derive(Clone, Debug)]
pub struct KeptCopy {
    /// The copy.
    pub path: PathBuf,
    /// True if neither refit nor the known source wrote the replaced file, so the user may not know
    /// about it.
    pub foreign: bool,
    /// True for the original under another name than `NAME.orig`, which another program took.
    pub(super) first: bool,
}

/// Keeps the file that is about to be replaced, if the rule requires it. `sum` is its checksum.
pub(super) fn keep(file: &Path, sum: Sum, may: &Replace<'_>) -> Result<Option<KeptCopy>> {
    let kept = keep_as(file, sum, may)?;
    kept.map(|kept| copy_to(file, &kept.path, sum, kept.first).map(|()| kept))
        .transpose()
}

/// The name under which to keep the file at `target`, with checksum `sum`, if the rule requires it.
pub(super) fn keep_as(target: &Path, sum: Sum, may: &Replace<'_>) -> Result<Option<KeptCopy>> {
    if may.backup == Backup::Never {
        return Ok(None);
    }
    let backup = backup_path(target);
    let ours = may.knows(target, sum);
    let source = may
        .source
        .is_some_and(|source| own::is_sum_of(target, sum, source));
    check_backup(&backup)?;
    let original = first_original(target, may.source);
    if let (Some(original), Some(source)) = (&original, may.source)
        && !NoteMark::Original.is_there(original)
    {
        // Another program made this copy of the original: it is as good as refit's own.
        NoteMark::Original.note(original, &original_note(source, false));
    }
    // A file that refit added is not an original.
    if original.is_none() && !is_added(target) {
        if ours && !source && may.backup == Backup::Foreign {
            return Ok(None);
        }
        let foreign = may.source.is_some() && !source && !ours;
        if is_absent(&backup) {
            return Ok(Some(KeptCopy {
                path: backup,
                foreign,
                first: false,
            }));
        }
        // Another program took the name, perhaps for the same content.
        return match further_name(target, sum, 1)? {
            (path, false) => Ok(Some(KeptCopy {
                path,
                foreign,
                first: true,
            })),
            (path, true) => {
                NoteMark::Original.note(&path, &original_note(sum, path != backup));
                Ok(None)
            }
        };
    }
    if ours || is_same(target, &original.unwrap_or(backup), sum)? {
        return Ok(None);
    }
    keep_further_name(target, sum).map(|kept| {
        kept.map(|path| KeptCopy {
            path,
            foreign: true,
            first: false,
        })
    })
}

/// Keeps a copy of a file next to its original and returns the copy's path; `None` if a copy exists
/// already.
pub fn keep_copy(path: &Path) -> Result<Option<PathBuf>> {
    let file = behind_links(path)?;
    let sum = Blob::of_file(&file)?.sum()?;
    let backup = original_path(&file);
    if is_same(&file, &backup, sum)? {
        Ok(None)
    } else {
        keep_further(&file, sum)
    }
}

/// Keeps a file next to its original, as `NAME.orig.2` and so on; `None` if such a copy exists
/// already.
pub(super) fn keep_further(file: &Path, sum: Sum) -> Result<Option<PathBuf>> {
    match keep_further_name(file, sum)? {
        Some(path) => copy_to(file, &path, sum, false).map(|()| Some(path)),
        None => Ok(None),
    }
}

/// The name under which [`keep_further`] keeps a file.
pub(super) fn keep_further_name(file: &Path, sum: Sum) -> Result<Option<PathBuf>> {
    further_name(file, sum, 2).map(|(path, exists)| (!exists).then_some(path))
}

/// The first free name for a copy of a file from `NAME.orig.FROM` on, or a copy with the same
/// content, and whether it exists.
pub(super) fn further_name(file: &Path, sum: Sum, from: u32) -> Result<(PathBuf, bool)> {
    for n in from..MOST_NAMES {
        let path = if n == 1 {
            backup_path(file)
        } else {
            further_path(file, n)
        };
        if looked_at(&path)?.is_none() {
            return Ok((path, false));
        }
        if is_same(file, &path, sum)? {
            return Ok((path, true));
        }
    }
    Err(
        Error::say("too many copies of this file are kept beside it")
            .in_file(file.shown())
            .hint("move some of NAME.orig.2, NAME.orig.3 … away"),
    )
}

/// Keeps a copy of a file. Copies instead of renaming, so that the game's file exists at every
/// moment. `first` is for its note.
pub(super) fn copy_to(file: &Path, to: &Path, sum: Sum, first: bool) -> Result<()> {
    let io = |e| Error::io(to, e);
    let (mut temp, _live) = temporary_file(parent(to)).map_err(io)?;
    let mut from = fs::File::open(file).map_err(|e| Error::io(file, e))?;
    step()
        .and_then(|()| std::io::copy(&mut from, temp.as_file_mut()))
        .map_err(io)?;
    // Read through the handle that has the lock: Windows refuses any other.
    if Blob::of_open(temp.as_file(), to)?.sum()? != sum {
        return Err(Error::say("the file changed while it was copied")
            .in_file(file.shown())
            .hint("nothing was written"));
    }
    let note = original_note(sum, first);
    let attached = NoteMark::Original.attach(temp.path(), &note);
    // Give the copy the permissions and time of the original, so that `restore` brings them back.
    // Attach the note first: on Windows it is part of the file and changes the time.
    if let Ok(meta) = from.metadata() {
        let _ = temp.as_file().set_permissions(meta.permissions());
        let _ = meta
            .modified()
            .and_then(|at| temp.as_file().set_modified(at));
    }
    step()
        .and_then(|()| temp.as_file().sync_all())
        .map_err(io)?;
    let placing = live();
    step()
        .and_then(|()| held::persist_new(temp, to))
        .map_err(io)?;
    drop(placing);
    if !attached {
        NoteMark::list(to, &note);
    }
    sync_folder(parent(to));
    Ok(())
}

/// A file and its kept original.
#[derive(Clone, Debug)]
pub struct Original {
    /// The file, after following links. It may be missing.
    pub file: PathBuf,
    /// Its original.
    pub backup: PathBuf,
    /// True if refit noted that it kept this content.
    pub noted: bool,
}

/// Finds the original of a file.
pub fn original(path: &Path) -> Result<Original> {
    let file = behind_links(path)?;
    let backup = original_path(&file);
    let meta = backup.symlink_metadata().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            let error = Error::say(format!("there is no {}", backup.shown()));
            match file != path && backup_path(path).symlink_metadata().is_ok() {
                true => error.hint("the one beside the link belongs there; move it"),
                false => error.hint("refit has not replaced this file"),
            }
        }
        _ => Error::io(&backup, e),
    })?;
    if !meta.is_file() {
        return Err(
            Error::say("not a regular file, so it is not an original").in_file(backup.shown())
        );
    }
    if let Ok(meta) = file.symlink_metadata() {
        check_regular(&file, &meta)?;
    }
    let noted = NoteMark::Original.fits(&backup, Blob::of_file(&backup)?.sum()?);
    Ok(Original {
        file,
        backup,
        noted,
    })
}

impl Original {
    /// Later kept versions of the file, `NAME.orig.2` and so on: what patches and other programs
    /// wrote.
    pub fn later(&self) -> Vec<PathBuf> {
        let numbered = |n: u32| PathBuf::from(format!("{}.{n}", self.backup.shown()));
        (2..)
            .map(numbered)
            .take_while(|path| path.is_file())
            .collect()
    }

    /// Moves the original back to its place, after which there is no `.orig`. Discards what refit
    /// wrote; keeps anything else and returns the path of the copy.
    pub fn restore(&self) -> Result<Option<PathBuf>> {
        let _turn = Turn::take(parent(&self.file))?;
        // Look again with the lock: another refit may have changed the file or its original.
        let again = original(&self.file)?;
        let mut kept = None;
        if !is_absent(&again.file) {
            let sum = Blob::of_file(&again.file)?.sum()?;
            if !NoteMark::Written.fits(&again.file, sum)
                && !is_same(&again.file, &again.backup, sum)?
            {
                kept = keep_further(&again.file, sum)?;
            }
        }
        let placing = live();
        step()
            .and_then(|()| held::rename(&again.backup, &again.file))
            .map_err(|e| {
                if let Some(kept) = &kept {
                    let _ = held::remove_file(kept);
                }
                Error::io(&again.backup, e)
            })?;
        own::forget(&again.file, &again.backup);
        drop(placing);
        sync_folder(parent(&again.file));
        Ok(kept)
    }
}
