//! The world that was edited last, as its tree gave it: the next edit reads, judges and proves only
//! what changed since.
//!
//! All files of the tree are read each time, and compared by their checksums: any other program may
//! have changed them.

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
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// The tree of a world, as it was read.
pub struct KeptTree {
    path: PathBuf,
    sums: BTreeMap<String, Sum>,
    /// The head of its manifest.
    pub head: Head,
    /// The world, not changed since it was read.
    pub model: Arc<File>,
    judged: OnceLock<Judged>,
}

/// The files of a tree, as they were read.
pub(crate) struct Texts {
    files: BTreeMap<String, Bytes>,
    sums: BTreeMap<String, Sum>,
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
        self.files
            .get(path)
            .cloned()
            .ok_or_else(|| Error::missing(path))
    }
    fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }
    fn paths(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }
}

impl Texts {
    /// All files of a tree.
    ///
    /// # Errors
    /// One of them cannot be read, for example because it is a link.
    fn of(source: &DirSource) -> Result<Self> {
        let mut paths = Vec::new();
        source.each_readable(&mut |path| {
            paths.push(path);
            Ok(())
        })?;
        // What cannot be listed is an error, and no missing file.
        for folder in ["nodes", "models"] {
            source.below(folder)?;
        }
        let read = par::try_map(&paths, |_, path| -> Result<(Bytes, Sum)> {
            let bytes = source.get(path)?;
            let sum = Sum::of(&bytes);
            Ok((bytes, sum))
        })?;
        let mut texts = Texts {
            files: BTreeMap::new(),
            sums: BTreeMap::new(),
        };
        for (path, (bytes, sum)) in paths.into_iter().zip(read) {
            texts.sums.insert(path.clone(), sum);
            texts.files.insert(path, bytes);
        }
        Ok(texts)
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

    /// The state of the tree after some of its files changed.
    pub(crate) fn after(
        &self,
        files: &BTreeMap<String, Option<Bytes>>,
        head: Head,
        model: File,
        judged: Option<Judged>,
    ) -> KeptTree {
        let mut sums = self.sums.clone();
        for (path, bytes) in files {
            match bytes {
                Some(bytes) => _ = sums.insert(path.clone(), Sum::of(bytes)),
                None => _ = sums.remove(path),
            }
        }
        let known = OnceLock::new();
        if let Some(judged) = judged {
            _ = known.set(judged);
        }
        KeptTree {
            path: self.path.clone(),
            sums,
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
        let texts = Texts::of(&source).ok()?;
        let known = self.known(path);
        if let Some(known) = &known
            && known.sums == texts.sums
        {
            return Some((known.clone(), texts));
        }
        let (head, model) = match &known {
            Some(known) => {
                let is_changed = |path: &str| known.sums.get(path) != texts.sums.get(path);
                pipeline::assemble_again(&known.model, &texts, &is_changed).ok()?
            }
            None => pipeline::assemble(&texts).ok()?,
        };
        let made = Arc::new(KeptTree {
            path: path.to_owned(),
            sums: texts.sums.clone(),
            head,
            model: Arc::new(model),
            judged: OnceLock::new(),
        });
        self.keep(made.clone());
        Some((made, texts))
    }

    fn known(&self, path: &Path) -> Option<Arc<KeptTree>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|kept| kept.path == path).cloned()
    }

    pub(crate) fn keep(&self, tree: Arc<KeptTree>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(tree);
    }
}
