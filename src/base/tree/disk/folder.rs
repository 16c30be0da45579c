//! Trees on disk: [`DirSink`] fills a folder, [`DirSource`] reads one.

use super::{note_unfinished, patiently, step};
use crate::{
    Summing,
    path::Shown,
    tree::{Blob, Sink, Source, inside, sums::FileSum},
    wire::{Error, Result},
};
use bytes::Bytes;
use std::{
    collections::HashSet,
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

/// A folder on disk that is filled before it replaces its target.
pub struct DirSink {
    root: PathBuf,
    made: Mutex<HashSet<PathBuf>>,
}

impl DirSink {
    /// A sink into `root`, which must exist.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        DirSink {
            root: root.into(),
            made: Mutex::default(),
        }
    }

    /// Deletes everything stored so far.
    pub fn clear(&self) -> Result<()> {
        self.made().clear();
        match patiently(|| std::fs::remove_dir_all(&self.root)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&self.root, e)),
            _ => Ok(()),
        }
    }
}

impl DirSink {
    fn made(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The path on disk. Creates its folder.
    fn full(&self, path: &str) -> Result<PathBuf> {
        if path.split('/').any(|p| matches!(p, "" | "." | "..")) || path.contains('\\') {
            return Err(Error::say(format!(
                "{path:?} is not a safe path; this is a bug in refit, please report it"
            )));
        }
        let full = self.root.join(path);
        if let Some(parent) = full.parent()
            && !self.made().contains(parent)
        {
            std::fs::create_dir_all(parent).map_err(|e| Error::io(parent, e))?;
            self.made().insert(parent.to_owned());
        }
        Ok(full)
    }
}

impl Sink for DirSink {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let full = self.full(path)?;
        // The tree is still in a temporary folder whose name means nothing to the user: errors show
        // the path inside the tree.
        let io = |e| Error::io(Path::new(path), e);
        let mut file = step()
            .and_then(|()| std::fs::File::create(&full))
            .map_err(io)?;
        std::io::Write::write_all(&mut file, bytes).map_err(io)
    }
    fn put_blob(&self, path: &str, blob: &Blob) -> Result<Option<FileSum>> {
        let full = self.full(path)?;
        let io = |e| Error::io(Path::new(path), e);
        let mut file = step()
            .and_then(|()| std::fs::File::create(&full))
            .map_err(io)?;
        let mut sum = Summing::default();
        blob.each(&mut |piece| {
            sum.update(piece);
            std::io::Write::write_all(&mut file, piece).map_err(io)
        })?;
        Ok(Some(sum.end().into()))
    }
}

/// A tree on disk.
pub struct DirSource {
    root: Arc<Path>,
    handle: OnceLock<Option<std::fs::File>>,
}

impl DirSource {
    /// The tree at `root`.
    pub fn new(root: impl AsRef<Path>) -> Self {
        note_unfinished(root.as_ref());
        DirSource {
            root: root.as_ref().into(),
            handle: OnceLock::new(),
        }
    }
    /// Checks the spelling of a tree's path: a backslash separates folders on one system only.
    /// [`inside::open`] checks the rest.
    fn spelled(path: &str) -> Result<&Path> {
        match path.contains('\\') {
            true => Err(
                Error::say("a path in a tree is relative, uses / and stays inside").in_file(path),
            ),
            false => Ok(Path::new(path)),
        }
    }
    /// Passes the paths to `see` one by one, with an error for a folder that cannot be read:
    /// otherwise its files would seem to be deleted.
    pub fn each_readable(&self, see: &mut dyn FnMut(String) -> Result<()>) -> Result<()> {
        walk(&self.root).try_for_each(|path| self.relative(&path?).map_or(Ok(()), &mut *see))
    }
    /// A path on disk in the spelling of trees; `None` if it is not Unicode.
    fn relative(&self, path: &Path) -> Option<String> {
        Some(
            path.strip_prefix(&self.root)
                .ok()?
                .to_str()?
                .replace('\\', "/"),
        )
    }
}

/// All files and links below a folder. Links are not followed.
fn walk(top: &Path) -> impl Iterator<Item = Result<PathBuf>> + '_ {
    walkdir::WalkDir::new(top)
        .min_depth(1)
        .into_iter()
        .filter_map(move |entry| match entry {
            Ok(entry) => (!entry.file_type().is_dir()).then(|| Ok(entry.into_path())),
            Err(e) => {
                let path = e.path().unwrap_or(top).to_owned();
                Some(Err(Error::io(
                    &path,
                    e.into_io_error()
                        .unwrap_or_else(|| std::io::Error::other("a folder contains itself")),
                )))
            }
        })
}

impl Source for DirSource {
    fn get(&self, path: &str) -> Result<Bytes> {
        let handle = self
            .handle
            .get_or_init(|| inside::handle(&self.root).ok().flatten())
            .as_ref();
        let opened = inside::open_with(&self.root, handle, Self::spelled(path)?)?;
        let (file, meta) = opened.ok_or_else(|| Error::missing(path))?;
        // Leaves room to detect the end of the file: its size may be out of date on a network disk.
        // Without the room, the file would ask the system for its size again.
        let mut bytes = Vec::new();
        let _ = bytes.try_reserve_exact(
            usize::try_from(meta.len())
                .unwrap_or_default()
                .saturating_add(64),
        );
        file.take(u64::MAX)
            .read_to_end(&mut bytes)
            .map_err(|e| Error::io(Path::new(path), e))?;
        Ok(bytes.into())
    }
    fn blob(&self, path: &str) -> Result<Blob> {
        Blob::below(&self.root, Self::spelled(path)?)?.ok_or_else(|| Error::missing(path))
    }
    fn has(&self, path: &str) -> bool {
        // Anything but a folder counts as present: reading reports what may not be opened, so it
        // must not seem to be missing.
        Self::spelled(path).is_ok_and(|path| {
            self.root
                .join(path)
                .symlink_metadata()
                .is_ok_and(|meta| !meta.is_dir())
        })
    }
    fn paths(&self) -> Vec<String> {
        let mut out: Vec<String> = walk(&self.root)
            .filter_map(|path| self.relative(&path.ok()?))
            .collect();
        out.sort();
        out
    }
    fn below(&self, folder: &str) -> Result<Vec<String>> {
        let top = self.root.join(Self::spelled(folder)?);
        match top.symlink_metadata() {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Ok(meta) if meta.is_dir() => {}
            // Not a folder: reading it as a file gives the right error.
            _ => return self.get(folder).map(|_| Vec::new()),
        }
        let relative = |path: Result<PathBuf>| {
            let path = path?;
            let named = || Error::say("the name is not Unicode").in_file(path.shown());
            self.relative(&path)
                .ok_or_else(|| named().hint("give the file another name"))
        };
        let mut out = walk(&top).map(relative).collect::<Result<Vec<_>>>()?;
        out.sort();
        Ok(out)
    }
}
