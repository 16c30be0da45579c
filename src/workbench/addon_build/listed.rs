//! The files of an addon's folder that belong to its build.

use super::stamps::size_and_time;
use crate::{addon_sources::Addon, options::Filter};
use bytes::Bytes;
use refit_base::{
    path::Shown,
    tree::{disk, is_tree},
    wire::{Error, Result},
};
use std::path::{Path, PathBuf};

/// Sources of other programs, which no game reads.
const SOURCES: [&str; 12] = [
    "psd", "xcf", "kra", "blend", "blend1", "max", "mb", "fbx", "spp", "pew", "dep", "tif",
];
/// Longest picture or text, in bytes.
const LONGEST: u64 = 256 << 20;
/// A file of an addon's folder.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// Its place in the folder, with `/`.
    pub shown: String,
    /// The names of its folders and its own.
    pub below: Vec<Vec<u8>>,
    /// Where it is.
    pub path: PathBuf,
    pub is_regular: bool,
}

impl Listed {
    pub fn ending(&self) -> String {
        let name = self.shown.rsplit('/').next().unwrap_or(&self.shown);
        name.rsplit_once('.')
            .map(|(_, end)| end.to_ascii_lowercase())
            .unwrap_or_default()
    }

    pub fn name(&self) -> String {
        let name = self.shown.rsplit('/').next().unwrap_or(&self.shown);
        name.to_ascii_lowercase()
    }

    pub fn is_at_root(&self) -> bool {
        self.below.len() == 1
    }

    /// The path of this file with another ending, without regard to case.
    pub fn as_ending(&self, end: &str) -> String {
        let stem = self.shown.rsplit_once('.').map_or("", |(stem, _)| stem);
        format!("{stem}.{end}").to_lowercase()
    }

    pub fn bytes(&self) -> Result<Bytes> {
        let long = || size_and_time(&self.path).is_some_and(|(size, _)| size > LONGEST);
        if long() {
            return Err(Error::say("more than 256 MB").in_file(self.path.shown()));
        }
        disk::read(&self.path)
    }
}

/// The files of an addon that belong to its build, in the order of their paths.
pub(super) fn list(addon: &Addon, filter: &Filter) -> Result<Vec<Listed>> {
    let root = &addon.folder;
    if is_tree(root) {
        return Err(
            Error::say("this is an unpacked tree, and no source of an addon")
                .hint("`refit repack` packs it"),
        );
    }
    let is_hidden = |entry: &walkdir::DirEntry| {
        entry.depth() > 0
            && entry.file_type().is_dir()
            && entry.file_name().to_string_lossy().starts_with('.')
    };
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .filter_entry(|entry| !is_hidden(entry))
    {
        let entry = entry.map_err(disk::walk_error)?;
        if entry.file_type().is_dir() {
            continue;
        }
        let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let parts: Vec<_> = below.components().map(|part| part.as_os_str()).collect();
        let shown: Vec<_> = parts.iter().map(|part| part.to_string_lossy()).collect();
        let listed = Listed {
            shown: shown.join("/"),
            below: parts
                .iter()
                .map(|part| part.as_encoded_bytes().to_vec())
                .collect(),
            is_regular: entry.file_type().is_file(),
            path: entry.path().to_owned(),
        };
        if filter.keeps(Path::new(&listed.shown)) && !SOURCES.contains(&&*listed.ending()) {
            found.push(listed);
        }
    }
    found.sort_by(|a, b| a.shown.cmp(&b.shown));
    Ok(found)
}
