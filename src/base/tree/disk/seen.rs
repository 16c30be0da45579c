//! What is known of a file: its stamp, its checksum, and the note on it.

use super::{
    held,
    own::{self, Note, NoteMark},
    paths::{behind_links, is_absent},
};
use crate::{Sum, tree::blob::Blob, wire::Result};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

/// Notes on a file with this checksum that it was made on this machine. Archives do not preserve the
/// note. False if the disk does not support it.
pub fn note_as_own(path: &Path, sum: Sum) -> bool {
    NoteMark::Written.attach(path, &sum.to_string())
}

/// True for a file with such a note.
pub fn is_noted_as_own(path: &Path, sum: Sum) -> bool {
    NoteMark::Written.is_attached(path, sum)
}

/// Identifies a version of a file: it differs for any other file, and after a write to the same
/// one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    pub(super) id: (u64, u64),
}

impl Stamp {
    /// `None` if the path does not exist.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let meta = path.symlink_metadata().ok()?;
        let id = held::number_of(path, &meta);
        Some(Stamp {
            len: meta.len(),
            modified: meta.modified().ok(),
            id,
        })
    }
}

/// The stamps and checksums of files that this process put in place, so that it need not read them
/// again before it replaces them again.
pub(super) fn own_sums() -> MutexGuard<'static, HashMap<PathBuf, (Stamp, Sum)>> {
    static SUMS: LazyLock<Mutex<HashMap<PathBuf, (Stamp, Sum)>>> = LazyLock::new(Mutex::default);
    SUMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers a file that was just put in place, if its modification time is old enough that any
/// later write changes it, and if its checksum is of the kind that [`standing`] gives.
pub(super) fn remember(file: &Path, sum: Sum) {
    /// Longer than the clock ticks of file systems.
    const TICK: Duration = Duration::from_millis(20);
    let stamp = Stamp::of(file).filter(|stamp| {
        let age = stamp
            .modified
            .and_then(|modified| SystemTime::now().duration_since(modified).ok());
        stamp.id != (0, 0) && age.is_some_and(|age| age > TICK) && !sum.is_sha256()
    });
    match stamp {
        Some(stamp) => own_sums().insert(file.to_owned(), (stamp, sum)),
        None => own_sums().remove(file),
    };
}

/// The checksum of a file that this process put in place, if it has not changed since: a write
/// changes its time, and a replacement its number.
pub(super) fn own_sum(file: &Path, now: &Stamp) -> Option<Sum> {
    own_sums()
        .get(file)
        .filter(|(stamp, _)| stamp == now)
        .map(|(_, sum)| *sum)
}

/// The checksum of the file at a path; `None` if it does not exist.
pub fn standing(path: &Path) -> Result<Option<Sum>> {
    if is_absent(path) {
        return Ok(None);
    }
    let file = behind_links(path)?;
    match Stamp::of(&file).and_then(|stamp| own_sum(&file, &stamp)) {
        Some(sum) => Ok(Some(sum)),
        None => Blob::of_file(&file)?.sum().map(Some),
    }
}

/// The note on a file that refit wrote, and that has this checksum now; `None` for any other file.
pub fn own_note(path: &Path, sum: Sum) -> Option<Note> {
    Note::of(path).filter(|note| own::is_sum_of(path, sum, note.sum))
}

/// The note on a file that refit wrote, if the file is still as it was written.
pub fn current_note(path: &Path) -> Option<Note> {
    own_note(path, standing(path).ok().flatten()?)
}

/// True if a file has this size and checksum. What cannot be read has not.
pub fn has_content(path: &Path, bytes: u64, sum: &Sum) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.len() == bytes)
        && Blob::of_file(path)
            .and_then(|file| file.has_sum(sum))
            .unwrap_or_default()
}
