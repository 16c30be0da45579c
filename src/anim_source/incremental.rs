//! The same sources again and again: what was not edited since the last time is neither read nor compiled once more.

use super::{
    compile::EntryReport,
    definition::Called,
    files::{Defined, FilePlace, Sources},
    source::Doc,
    world::Bound,
};
use crate::wire::F32;
use bytes::Bytes;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// What was read and compiled before. It is of one root, one file that is compiled over, and one set of options: whoever changes one of them
/// begins with a new one.
#[derive(Default)]
pub struct Again {
    /// Files that were edited and not read since.
    edited: HashSet<FilePlace>,
    docs: HashMap<FilePlace, Arc<Doc>>,
    entries: HashMap<EntryKey, CompiledEntry>,
    /// What the root file says for all definitions.
    gravity: Option<F32>,
    folders: Vec<String>,
}

/// A definition: its document, which lives as long as this does, its place there, and the number among the entries that it gives.
pub(super) type EntryKey = (usize, (usize, usize), u32);

/// An entry that was compiled.
pub(super) struct CompiledEntry {
    pub bound: Bound,
    pub called: Called,
    /// The entry that it was compiled over.
    pub before: Option<usize>,
    pub entry: EntryReport,
    pub bytes: Bytes,
    /// The scripts that it was made of, too.
    pub scripts: Vec<FilePlace>,
}

impl Again {
    /// A file was edited: it and what was made of it is made anew. `root` is the number of its root, `path` its path there. False for one that
    /// was not read: it may now be found in the place of any other, so that all must be made anew.
    pub fn edited(&mut self, root: usize, path: &str) -> bool {
        let place = FilePlace { root, path: path.to_owned() };
        let mut known = false;
        if let Some(doc) = self.docs.remove(&place) {
            known = true;
            let of = key_of(&doc);
            self.entries.retain(|(doc, ..), _| *doc != of);
        }
        let before = self.entries.len();
        self.entries.retain(|_, kept| !kept.scripts.contains(&place));
        known |= self.entries.len() < before;
        // What could not be read the last time is edited until it can be.
        known |= self.edited.contains(&place);
        if known {
            self.edited.insert(place);
        }
        known
    }

    /// A file as it was read before.
    pub(super) fn doc(&self, place: &FilePlace) -> Option<Arc<Doc>> {
        self.docs.get(place).cloned()
    }

    /// Keeps what was read. What no file names any more is forgotten.
    pub(super) fn keep_docs<'a>(&mut self, files: impl Iterator<Item = (&'a FilePlace, &'a Arc<Doc>)>) {
        let mut named: HashSet<usize> = HashSet::new();
        for (place, doc) in files {
            named.insert(key_of(doc));
            if !self.docs.contains_key(place) {
                self.docs.insert(place.clone(), doc.clone());
            }
        }
        if self.docs.len() > named.len() {
            self.docs.retain(|_, doc| named.contains(&key_of(doc)));
            self.entries.retain(|(doc, ..), _| named.contains(doc));
        }
    }

    /// Forgets what was compiled where the root file says something else now.
    pub(super) fn begin(&mut self, sources: &Sources<'_>) {
        if self.gravity != sources.gravity || self.folders != sources.folders {
            self.entries.clear();
            (self.gravity, self.folders) = (sources.gravity, sources.folders.clone());
        }
    }

    /// Something was compiled before.
    pub(super) fn has_entries(&self) -> bool {
        !self.entries.is_empty()
    }

    pub(super) fn entry(&self, key: &EntryKey) -> Option<&CompiledEntry> {
        self.entries.get(key)
    }

    pub(super) fn keep(&mut self, key: EntryKey, kept: CompiledEntry) {
        self.entries.insert(key, kept);
    }
}

fn key_of(doc: &Arc<Doc>) -> usize {
    Arc::as_ptr(doc) as usize
}

/// The document of a definition, as keys name it.
pub(super) fn document_of(sources: &Sources<'_>, defined: &Defined) -> usize {
    sources.doc_of(defined).map_or(0, key_of)
}
