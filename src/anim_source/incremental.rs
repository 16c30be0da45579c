//! Incremental compilation: reads and compiles only what was edited since the last time.

use super::{definition::Called, report::EntryReport, source::Doc, world::Bound};
use bytes::Bytes;
use refit_base::wire::F32;
use refit_zipper::anim::{Script, names::Name};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// A file: its root, and its path there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct FilePlace {
    pub root: usize,
    pub path: String,
}

/// The results of earlier reading and compiling. They are only valid for the same roots, base file
/// and options; start with a new value if any of these change.
#[derive(Default)]
pub struct Again {
    /// Edited files that were not read since.
    edited: HashSet<FilePlace>,
    /// The parsed files.
    pub(super) docs: HashMap<FilePlace, Arc<Doc>>,
    /// The compiled entries.
    pub(super) entries: HashMap<EntryKey, CompiledEntry>,
    /// The names that the table of scripts had in addition to those of the base (PM, CS): entries
    /// hold positions in it.
    names: Vec<Name>,
    /// Settings of the root file that affect all definitions.
    gravity: Option<F32>,
    folders: Vec<String>,
}

/// A definition: the address of its document (which lives as long as this value), its place in it,
/// and the number of the entry among those that it makes.
pub(super) type EntryKey = (usize, (usize, usize), u32);

pub(super) struct CompiledEntry {
    pub bound: Bound,
    pub called: Called,
    /// The base entry that it was compiled over.
    pub before: Option<usize>,
    pub entry: EntryReport,
    pub bytes: Bytes,
    /// The scripts that it uses.
    pub scripts: Vec<FilePlace>,
    /// Those that are made for the file's table, with their names there (PM, CS).
    pub made: Vec<(Name, Script)>,
}

impl Again {
    /// Marks a file as edited, so that it and everything made from it is redone. `root` is the
    /// number of its root, `path` its path in it. Returns false for an unknown file: it may now
    /// take the place of any other, so everything must be redone.
    pub fn edited(&mut self, root: usize, path: &str) -> bool {
        let place = FilePlace {
            root,
            path: path.to_owned(),
        };
        let mut known = false;
        if let Some(doc) = self.docs.remove(&place) {
            known = true;
            let of = key_of(&doc);
            self.entries.retain(|(doc, ..), _| *doc != of);
        }
        let before = self.entries.len();
        self.entries
            .retain(|_, kept| !kept.scripts.contains(&place));
        known |= self.entries.len() < before;
        // A file that could not be read counts as edited until it can.
        known |= self.edited.contains(&place);
        if known {
            self.edited.insert(place);
        }
        known
    }

    /// Keeps documents that were read. Forgets documents that no file refers to any more.
    pub(super) fn keep_docs<'a>(
        &mut self,
        files: impl Iterator<Item = (&'a FilePlace, &'a Arc<Doc>)>,
    ) {
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

    /// Forgets compiled entries if the table of scripts has other new names.
    pub(super) fn with_names(&mut self, names: &[Name]) {
        if self.names != names {
            self.entries.clear();
            self.names = names.to_vec();
        }
    }

    /// Forgets compiled entries if the settings of the root file changed.
    pub(super) fn begin(&mut self, gravity: Option<F32>, folders: &[String]) {
        if self.gravity != gravity || self.folders != folders {
            self.entries.clear();
            (self.gravity, self.folders) = (gravity, folders.to_vec());
        }
    }
}

/// A document, as keys name it.
pub(super) fn key_of(doc: &Arc<Doc>) -> usize {
    Arc::as_ptr(doc) as usize
}
