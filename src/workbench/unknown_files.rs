//! Files below a folder that belong to other programs, counted by kind.

use refit_base::{path::Shown, tree::Blob};
use refit_files::foreign::{self, FileKind, Foreign};
use serde::{Serialize, Serializer};
use std::{collections::BTreeMap, path::Path};

pub(crate) use refit_files::pipeline::is_unknown;

/// The kind of an unrecognised file; `None` if unknown, or if the file cannot be read.
pub fn recognise(path: &Path, file: &Blob) -> Option<Foreign> {
    foreign::recognise(&file.bytes().ok()?, &path.shown())
}

/// The number of unknown files of each kind.
#[derive(Default)]
pub struct UnknownFiles {
    kinds: BTreeMap<FileKind, usize>,
    unknown: usize,
}

impl UnknownFiles {
    /// One more.
    pub fn add(&mut self, kind: Option<FileKind>) {
        match kind {
            Some(kind) => *self.kinds.entry(kind).or_default() += 1,
            None => self.unknown += 1,
        }
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.kinds.values().sum::<usize>() + self.unknown
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `33 not recognised and skipped (21 programs without messages, 10 films, 2 of unknown kinds)`;
    /// `None` without any.
    pub fn summary(&self) -> Option<String> {
        let mut parts: Vec<String> = self
            .kinds
            .iter()
            .map(|(kind, n)| format!("{n} {}", if *n == 1 { kind.name() } else { kind.names() }))
            .collect();
        if !parts.is_empty() && self.unknown > 0 {
            parts.push(format!("{} of unknown kind", self.unknown));
        }
        let kinds = if parts.is_empty() {
            String::new()
        } else {
            format!(" ({})", parts.join(", "))
        };
        (!self.is_empty()).then(|| format!("{} not recognised and skipped{kinds}", self.len()))
    }
}

/// The kinds and their numbers, in the order of the kinds' names.
impl Serialize for UnknownFiles {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = serde_json::Map::new();
        for (kind, n) in &self.kinds {
            if let Ok(serde_json::Value::String(kind)) = serde_json::to_value(kind) {
                out.insert(kind, (*n).into());
            }
        }
        if self.unknown > 0 {
            out.insert("unknown".to_owned(), self.unknown.into());
        }
        out.serialize(s)
    }
}
