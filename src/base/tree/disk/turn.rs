//! Coordinates several running instances of refit: a lock per folder, and cleanup after instances
//! that were killed.

use super::{fault, held};
use crate::{
    path::{Shown, shown},
    wire::{Error, Result},
};
use fs4::{FileExt, TryLockError};
use std::{
    collections::BTreeSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

/// The lock for putting files in place in a folder. One refit has it at a time, only briefly, and
/// it is released when the program ends for any reason.
pub struct Turn(#[allow(dead_code, reason = "the lock ends with the file")] Option<fs::File>);

/// How long another refit may take to put something in place, such as a copy of a large original.
const PATIENCE: Duration = Duration::from_secs(120);

/// The lock file, on systems that cannot lock folders.
const TURN: &str = ".refit-turn.tmp";

impl Turn {
    /// Waits for the lock. On a file system without locks, returns at once.
    pub fn take(folder: &Path) -> Result<Self> {
        let began = Instant::now();
        loop {
            match try_take(folder, began.elapsed()) {
                Ok(file) => return Ok(Turn(file)),
                Err(Busy) if began.elapsed() > PATIENCE => {
                    return Err(Error::say(
                        "another refit has been at work in this folder for two minutes",
                    )
                    .in_file(folder.shown())
                    .hint("nothing was replaced; try again when it has finished"));
                }
                Err(Busy) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Like [`Turn::take`], and also cleans up after killed instances, once per folder and run: a
    /// folder may have thousands of files, and this may be called before each is written.
    pub fn take_swept(folder: &Path) -> Result<Self> {
        /// Hashes of the folders that were already cleaned.
        static SWEPT: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
        let turn = Self::take(folder)?;
        let mut hasher = DefaultHasher::new();
        folder.hash(&mut hasher);
        if SWEPT
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(hasher.finish())
        {
            sweep(folder);
        }
        Ok(turn)
    }
}

struct Busy;

#[cfg(unix)]
fn try_take(folder: &Path, _: Duration) -> Result<Option<fs::File>, Busy> {
    let Ok(file) = fs::File::open(folder) else {
        return Ok(None);
    };
    match FileExt::try_lock(&file) {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(Busy),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Windows does not lock folders. A file that no other process may open works as a lock, and is
/// deleted with its last handle.
#[cfg(not(unix))]
fn try_take(folder: &Path, waited: Duration) -> Result<Option<fs::File>, Busy> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        const DELETE_ON_CLOSE: u32 = 0x0400_0000;
        options.share_mode(0).custom_flags(DELETE_ON_CLOSE);
    }
    match options.open(folder.join(TURN)) {
        Ok(file) => Ok(Some(file)),
        Err(e) if is_anothers_turn(e.raw_os_error(), waited) => Err(Busy),
        Err(_) => Ok(None),
    }
}

/// True for the error that Windows reports while another refit has the lock file. Access denied can
/// mean that the file is being deleted, but also that the folder is read-only, so it only counts
/// for the time that a deletion may take.
#[cfg(any(not(unix), test))]
fn is_anothers_turn(code: Option<i32>, waited: Duration) -> bool {
    const SHARING_VIOLATION: i32 = 32;
    const GOING: Duration = Duration::from_millis(500);
    code == Some(SHARING_VIOLATION) || (code == Some(crate::path::ACCESS_DENIED) && waited < GOING)
}

/// The file inside a temporary folder whose lock marks the folder as in use.
const IN_USE: &str = "in-use";

/// Marks a temporary file as in use while it is open.
pub fn claim_file(file: &fs::File) {
    let _ = FileExt::try_lock(file);
}

/// Marks a file as in use while it is open; false if another refit uses it.
pub fn try_claim(file: &fs::File) -> bool {
    !matches!(FileExt::try_lock(file), Err(TryLockError::WouldBlock))
}

/// Marks a temporary folder as in use while the returned file is open.
pub fn claim_folder(folder: &Path) -> std::io::Result<fs::File> {
    let file = fs::File::create(folder.join(IN_USE))?;
    claim_file(&file);
    Ok(file)
}

/// Age at which a temporary file counts as abandoned if locks do not work.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Reports about events besides the requested operation.
static REMARKS: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// The folders with interrupted work that was seen.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// The folders that were looked at for it.
static LOOKED_AT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Takes the reports about what else happened on the disk.
pub fn remarks() -> Vec<String> {
    let mut out = std::mem::take(&mut *REMARKS.lock().unwrap_or_else(PoisonError::into_inner));
    let unfinished =
        std::mem::take(&mut *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner));
    // What this run finished needs no words.
    let still = unfinished
        .iter()
        .filter(|folder| folder.join(JOURNAL).is_file());
    out.extend(still.map(|folder| {
        format!(
            "{}: refit was interrupted while it put files in place, so some may be old and others new; the next \
            repack, put or restore finishes or undoes that",
            shown(folder)
        )
    }));
    out
}

/// Notes interrupted work in a folder that is going to be read, or above it. If the work is still
/// there when this run ends, it is a remark.
pub fn note_unfinished(folder: &Path) {
    // A folder is looked at once: a game has thousands of files in few folders.
    let mut seen = LOOKED_AT.lock().unwrap_or_else(PoisonError::into_inner);
    if !seen.insert(folder.to_owned()) {
        return;
    }
    let Ok(whole) = crate::path::canonical(folder) else {
        return;
    };
    for folder in whole.ancestors() {
        if folder != whole && !seen.insert(folder.to_owned()) {
            return;
        }
        if folder.join(JOURNAL).is_file() {
            UNFINISHED
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(folder.to_owned());
        }
    }
}

pub(super) fn remark(text: String) {
    REMARKS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(text);
}

/// True for the name of a temporary file or folder of refit.
pub fn is_temporary(name: &std::ffi::OsStr) -> bool {
    name.to_str()
        .is_some_and(|name| name.starts_with(".refit-") && name.ends_with(".tmp"))
}

/// The journal's name, in the folder that contains all files.
pub const JOURNAL: &str = ".refit-journal";

/// True for a name used by a group of files until all are in place. The next run finishes or undoes
/// their work; nothing else removes them.
fn is_together(name: &std::ffi::OsStr) -> bool {
    let on_its_way = |name: &str| {
        name.starts_with(".refit-") && (name.ends_with(".new") || name.ends_with(".old"))
    };
    name == JOURNAL || name.to_str().is_some_and(on_its_way)
}

/// True for unfinished files, and the lock file of a `Turn`: only refit makes them.
pub fn is_unfinished(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| is_temporary(name) || is_together(name))
}

/// True for a file or folder that a killed refit left: nothing uses it, and `sweep` will remove it.
pub fn is_left_behind(path: &Path) -> bool {
    let named = path
        .file_name()
        .is_some_and(|name| is_temporary(name) && name != TURN);
    named
        && path
            .symlink_metadata()
            .is_ok_and(|meta| (meta.is_dir() || meta.is_file()) && is_left(path, &meta))
}

/// Removes what killed instances left in a folder. Requires the folder's `Turn`, because a file
/// being created is not locked yet.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok())
    {
        let (name, path) = (entry.file_name(), entry.path());
        let Ok(meta) = path.symlink_metadata() else {
            continue;
        };
        if !is_temporary(&name) || name == TURN || !(meta.is_dir() || meta.is_file()) {
            continue;
        }
        let old = path.join("old");
        if let Some(back) = put_back(folder, &path, &meta) {
            remark(format!(
                "{}: put back, because refit was interrupted while it replaced it",
                shown(&back)
            ));
        } else if old.symlink_metadata().is_ok() && !is_replaced(&path) {
            remark(format!(
                "{} contains a folder that an interrupted refit was replacing",
                old.shown()
            ));
            continue;
        }
        if !is_left(&path, &meta) {
            continue;
        }
        let removed = fault::step().and_then(|()| held::remove(&path, meta.is_dir()));
        remark(match removed {
            Ok(()) => format!("{}: left by an interrupted refit, removed", path.shown()),
            Err(e) => format!(
                "{}: left by an interrupted refit, and cannot be removed: {e}",
                path.shown()
            ),
        });
    }
}

/// A file in the temporary folder of a replacement: the name of the folder being replaced, and the
/// name that it is moved to, one per line.
const REPLACES: &str = "replaces";

/// Records which folder is about to be moved and where to (by default `old` next to the new one),
/// so that [`sweep`] can undo it after a kill.
pub fn note_replaced(new: &Path, target: &Path, aside: Option<&Path>) {
    let name = |path: &Path| path.file_name()?.to_str().map(str::to_owned);
    if let (Some(folder), Some(target)) = (new.parent(), name(target)) {
        // Without this record, `sweep` only reports what is left.
        let _ = fs::write(
            folder.join(REPLACES),
            format!("{target}\n{}\n", aside.and_then(name).unwrap_or_default()),
        );
    }
}

/// Deletes the record: the folder is back in its place.
pub fn forget_replaced(new: &Path) {
    if let Some(folder) = new.parent() {
        let _ = held::remove_file(&folder.join(REPLACES));
    }
}

/// True for the remains of a completed replacement: the new folder is in place, and the old one had
/// no edits.
fn is_replaced(temp: &Path) -> bool {
    temp.join(REPLACES).is_file() && temp.join("tree").symlink_metadata().is_err()
}

/// Puts back a folder that a killed refit had moved away before its replacement was in place, and
/// returns its path. Does nothing if the path exists now.
fn put_back(folder: &Path, temp: &Path, meta: &fs::Metadata) -> Option<PathBuf> {
    let note = temp.join(REPLACES);
    let is_note = |meta: fs::Metadata| meta.is_file() && meta.len() < 4096;
    if !meta.is_dir()
        || !note.symlink_metadata().is_ok_and(is_note)
        || is_replaced(temp)
        || !is_left(temp, meta)
    {
        return None;
    }
    let text = fs::read_to_string(note).ok()?;
    let mut lines = text.lines();
    let (target, aside) = (lines.next()?, lines.next().unwrap_or_default());
    let is_name = |name: &str| {
        Path::new(name)
            .components()
            .eq([std::path::Component::Normal(name.as_ref())])
    };
    if !is_name(target)
        || !(aside.is_empty() || is_name(aside) && aside.starts_with(&format!("{target}.old")))
    {
        return None;
    }
    let to = folder.join(target);
    let from = if aside.is_empty() {
        temp.join("old")
    } else {
        folder.join(aside)
    };
    let gone = to
        .symlink_metadata()
        .is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound);
    let there = from.symlink_metadata().is_ok_and(|meta| meta.is_dir());
    (gone && there)
        .then(|| fault::step().and_then(|()| held::rename(&from, &to)).ok())?
        .map(|()| to)
}

/// True if no running refit uses a temporary file or folder.
fn is_left(path: &Path, meta: &fs::Metadata) -> bool {
    let lock = if meta.is_dir() {
        path.join(IN_USE)
    } else {
        path.to_owned()
    };
    let claimed = fs::OpenOptions::new()
        .write(true)
        .open(lock)
        .map_err(TryLockError::Error)
        .and_then(|file| FileExt::try_lock(&file));
    match claimed {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        // The distance in either direction, because the clock may have been set back.
        Err(TryLockError::Error(_)) => meta.modified().is_ok_and(|at| {
            let now = SystemTime::now();
            now.duration_since(at)
                .or_else(|_| at.duration_since(now))
                .is_ok_and(|age| age > STALE)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_being_released_is_awaited() {
        let is = |code, waited| is_anothers_turn(Some(code), Duration::from_millis(waited));
        assert!(is(32, 0) && is(32, 60_000) && is(5, 0) && is(5, 400));
        assert!(!is(5, 600) && !is(2, 0) && !is(19, 0) && !is_anothers_turn(None, Duration::ZERO));
    }
}
