//! The world that was edited last, as its tree gave it: the next edit reads, judges and proves only
//! what changed since.
//!
//! Other programs may change files of the tree at any time. A file is read again, and compared by
//! its checksum, unless its inode and its change time show that it was not written since.

use bytes::Bytes;
use refit_base::{
    Sum,
    format::Format,
    par,
    tree::{DirSource, Head, Source, read_head},
    wire::{Error, Result},
};
use refit_files::{
    file::File,
    pipeline::{self, Judged},
};
use std::{
    collections::BTreeMap,
    fs::Metadata,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

/// The tree of a world, as it was read.
pub struct KeptTree {
    path: PathBuf,
    files: BTreeMap<String, Seen>,
    /// The head of its manifest.
    pub head: Head,
    /// The world, not changed since it was read.
    pub model: Arc<File>,
    judged: OnceLock<Judged>,
}

/// A file of a tree when it was read.
#[derive(Clone, Copy)]
struct Seen {
    sum: Sum,
    /// `None` if it must be read again to know that it is the same.
    stamp: Option<Stamp>,
}

/// What changes whenever a file is written: its place on the disk, its size, and when it was
/// changed, which no program can set.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    place: (u64, u64),
    size: u64,
    /// Seconds and nanoseconds.
    changed: (i64, i64),
}

/// Clocks of file systems are coarse: what was written so many seconds before it was read, or later,
/// may have been written again without another time.
const SETTLED: i64 = 2;

impl Stamp {
    /// Of a file that is there. `None` on a system that does not know when it was changed.
    #[cfg(unix)]
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let meta = path.symlink_metadata().ok().filter(Metadata::is_file)?;
        Some(Stamp {
            place: (meta.dev(), meta.ino()),
            size: meta.len(),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })
    }
    #[cfg(not(unix))]
    fn of(_: &Path) -> Option<Self> {
        None
    }

    /// True if each later change gets another stamp.
    fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| i64::try_from(now.as_secs()).unwrap_or(i64::MAX));
        self.changed.0.saturating_add(SETTLED) < now
    }
}

/// The files of a tree as they are now.
pub(crate) struct Texts {
    source: DirSource,
    /// Those that had to be read.
    read: BTreeMap<String, Bytes>,
    files: BTreeMap<String, Seen>,
}

/// Keeps the tree of one world.
#[derive(Default)]
pub struct KeptTrees(Mutex<Option<Arc<KeptTree>>>);

impl std::fmt::Debug for KeptTrees {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeptTrees")
    }
}

impl Source for Texts {
    fn get(&self, path: &str) -> Result<Bytes> {
        match (self.read.get(path), self.files.get(path)) {
            (Some(bytes), _) => Ok(bytes.clone()),
            (None, Some(_)) => self.source.get(path),
            (None, None) => Err(Error::missing(path)),
        }
    }
    fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }
    fn paths(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }
}

impl Texts {
    /// Reads the files of a tree, except those that have not changed since an earlier state of it.
    ///
    /// # Errors
    /// One of them cannot be read, for example because it is a link.
    fn of(tree: &Path, known: Option<&KeptTree>) -> Result<Self> {
        let source = DirSource::new(tree);
        let mut paths = Vec::new();
        source.each_readable(&mut |path| {
            paths.push(path);
            Ok(())
        })?;
        // What cannot be listed is an error, and no missing file.
        for folder in ["nodes", "models"] {
            source.below(folder)?;
        }
        let seen = par::try_map(&paths, |_, path| -> Result<(Seen, Option<Bytes>)> {
            // Before it is read: a change while it is read is noticed the next time.
            let stamp = Stamp::of(&tree.join(path));
            let before = known.and_then(|known| known.files.get(path));
            if let Some(before) = before.filter(|before| stamp.is_some() && before.stamp == stamp) {
                return Ok((*before, None));
            }
            let stamp = stamp.filter(Stamp::is_settled);
            let bytes = source.get(path)?;
            let sum = Sum::of(&bytes);
            Ok((Seen { sum, stamp }, Some(bytes)))
        })?;
        let (mut read, mut files) = (BTreeMap::new(), BTreeMap::new());
        for (path, (seen, bytes)) in paths.into_iter().zip(seen) {
            files.insert(path.clone(), seen);
            if let Some(bytes) = bytes {
                read.insert(path, bytes);
            }
        }
        Ok(Texts {
            source,
            read,
            files,
        })
    }

    /// True if a tree that was read before is the same now.
    fn is(&self, known: &KeptTree) -> bool {
        self.files.len() == known.files.len()
            && self
                .files
                .iter()
                .all(|(path, seen)| known.has(path, &seen.sum))
    }
}

impl KeptTree {
    /// The findings of the world.
    pub(crate) fn judged(&self) -> Result<&Judged> {
        if let Some(judged) = self.judged.get() {
            return Ok(judged);
        }
        let judged = Judged::of(&self.model)?;
        Ok(self.judged.get_or_init(|| judged))
    }

    /// True if a file has this checksum.
    pub(crate) fn has(&self, path: &str, sum: &Sum) -> bool {
        self.files.get(path).is_some_and(|seen| seen.sum == *sum)
    }

    /// The state of the tree after some of its files changed.
    pub(crate) fn after(
        &self,
        files: &BTreeMap<String, Option<Bytes>>,
        head: Head,
        model: File,
        judged: Option<Judged>,
    ) -> KeptTree {
        let mut now = self.files.clone();
        for (path, bytes) in files {
            let seen = bytes.as_ref().map(|bytes| Seen {
                sum: Sum::of(bytes),
                stamp: None,
            });
            match seen {
                Some(seen) => _ = now.insert(path.clone(), seen),
                None => _ = now.remove(path),
            }
        }
        let known = OnceLock::new();
        if let Some(judged) = judged {
            _ = known.set(judged);
        }
        KeptTree {
            path: self.path.clone(),
            files: now,
            head,
            model: Arc::new(model),
            judged: known,
        }
    }
}

impl KeptTrees {
    /// The tree that is kept, as it is now; `None` for another one.
    pub fn read(&self, path: &Path) -> Option<Arc<KeptTree>> {
        self.known(path)?;
        self.read_with_texts(path).map(|(tree, _)| tree)
    }

    /// The tree of a world as it is now, and its files; `None` for another file, and for a tree that
    /// cannot be read: reading it as usual gives the error.
    pub(crate) fn read_with_texts(&self, path: &Path) -> Option<(Arc<KeptTree>, Texts)> {
        let source = DirSource::new(path);
        let (_, head) = read_head(&source).ok()?;
        if !matches!(head.format, Format::Gamez | Format::Planes) {
            return None;
        }
        let known = self.known(path);
        let texts = Texts::of(path, known.as_deref()).ok()?;
        let files = texts.files.clone();
        if let Some(known) = known.clone().filter(|known| texts.is(known)) {
            // The next time, less has to be read.
            let same = Arc::new(KeptTree {
                path: known.path.clone(),
                files,
                head: known.head.clone(),
                model: known.model.clone(),
                judged: known.judged.clone(),
            });
            self.replace(Some(&known), &same);
            return Some((same, texts));
        }
        let (head, model) = match &known {
            Some(known) => {
                let is_changed = |path: &str| match texts.files.get(path) {
                    Some(seen) => !known.has(path, &seen.sum),
                    None => known.files.contains_key(path),
                };
                pipeline::assemble_again(&known.model, &texts, &is_changed).ok()?
            }
            None => pipeline::assemble(&texts).ok()?,
        };
        let made = Arc::new(KeptTree {
            path: path.to_owned(),
            files,
            head,
            model: Arc::new(model),
            judged: OnceLock::new(),
        });
        self.replace(known.as_ref(), &made);
        Some((made, texts))
    }

    fn known(&self, path: &Path) -> Option<Arc<KeptTree>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|kept| kept.path == path).cloned()
    }

    /// Keeps a tree instead of another one, unless an edit has put a later state there meanwhile.
    fn replace(&self, before: Option<&Arc<KeptTree>>, tree: &Arc<KeptTree>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same_tree = |now: &&Arc<KeptTree>| now.path == tree.path;
        let now = kept.as_ref().filter(is_same_tree);
        if now.map(Arc::as_ptr) == before.map(Arc::as_ptr) {
            *kept = Some(tree.clone());
        }
    }

    pub(crate) fn keep(&self, tree: Arc<KeptTree>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(tree);
    }
}
