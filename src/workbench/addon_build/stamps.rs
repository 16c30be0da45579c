//! The size, time and checksum of files, to see which of them changed.

use refit_base::{
    Sum,
    path::Shown,
    tree::Blob,
    wire::{Error, Result},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// A file that changed within this time before the cache was written may have changed again without
/// another time: it is read.
const CLOSE: Duration = Duration::from_secs(2);

/// A file at a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Stamp {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was changed, in nanoseconds since 1970.
    pub time: u64,
    /// Its checksum.
    pub sum: Sum,
}

/// The size and the time of a file on disk.
pub(super) fn size_and_time(file: &Path) -> Option<(u64, u64)> {
    let meta = std::fs::metadata(file).ok()?;
    Some((meta.len(), time_of(&meta)))
}

pub(super) fn time_of(meta: &std::fs::Metadata) -> u64 {
    let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).ok();
    let time = meta.modified().ok().and_then(since).unwrap_or_default();
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Stamp {
    /// The stamp of a file that was just written.
    pub fn of(file: &Path, bytes: u64, sum: Sum) -> Self {
        Stamp {
            path: file.to_owned(),
            bytes,
            time: size_and_time(file).map_or(0, |(_, time)| time),
            sum,
        }
    }

    /// True if the file at a path is still this one, as far as its size and time say.
    pub fn fits(&self, file: &Path) -> bool {
        size_and_time(file) == Some((self.bytes, self.time))
    }
}

/// Compares files with their stamps, and reads those whose stamp says too little.
pub(super) struct Stamps {
    /// When the cache was written, in nanoseconds since 1970.
    saved: u64,
    /// Sums of files that were read now, by their paths.
    pub(super) fresh: HashMap<PathBuf, Stamp>,
}

impl Stamps {
    pub fn new(saved: u64) -> Self {
        Stamps {
            saved,
            fresh: HashMap::new(),
        }
    }

    /// The stamp of a file. `known` is an older one.
    pub fn of(&mut self, file: &Path, known: Option<&Stamp>) -> Result<Stamp> {
        let (bytes, time) = size_and_time(file)
            .ok_or_else(|| Error::say("the file is gone").in_file(file.shown()))?;
        let close = u64::try_from(CLOSE.as_nanos()).unwrap_or(u64::MAX);
        if let Some(known) = known
            && (known.bytes, known.time) == (bytes, time)
            && time.saturating_add(close) < self.saved
        {
            return Ok(known.clone());
        }
        if let Some(fresh) = self.fresh.get(file)
            && (fresh.bytes, fresh.time) == (bytes, time)
        {
            return Ok(fresh.clone());
        }
        let stamp = Stamp {
            path: file.to_owned(),
            bytes,
            time,
            sum: Blob::of_file(file)?.sum()?,
        };
        self.fresh.insert(file.to_owned(), stamp.clone());
        Ok(stamp)
    }

    /// True if a file has the content of its stamp.
    pub fn same(&mut self, known: &Stamp) -> Result<bool> {
        match size_and_time(&known.path) {
            Some((bytes, _)) if bytes == known.bytes => {}
            _ => return Ok(false),
        }
        Ok(self.of(&known.path, Some(known))?.sum == known.sum)
    }
}
