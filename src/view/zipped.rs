//! Zips: downloads of a page, and uploads.

use bytes::Bytes;
use refit_base::{
    tree::{Folder, Source, check_inside_path},
    wire::{Error, Result},
};
use std::{
    collections::{BTreeMap, HashSet},
    io::{Cursor, Read, Write},
};
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

/// Most bytes that a zip of `zip` bytes may unpack to: texts and pictures of one colour pack well,
/// but not better.
fn most(zip: u64) -> u64 {
    zip.saturating_mul(256)
        .saturating_add(16 << 20)
        .min(1 << 30)
}

fn bad(e: impl std::fmt::Display) -> Error {
    Error::say(format!("the zip cannot be read: {e}"))
}

/// The files of a zip, by path.
///
/// # Errors
/// The zip is damaged, unpacks to far more than its size explains, or has a path outside of it.
pub fn unzip(bytes: &[u8]) -> Result<BTreeMap<String, Bytes>> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(bad)?;
    let (mut files, mut left) = (BTreeMap::new(), most(bytes.len() as u64));
    for i in 0..zip.len() {
        let mut file = zip.by_index(i).map_err(bad)?;
        // Some programs write Windows' own separators.
        let path = file.name().map_err(bad)?.replace('\\', "/");
        if file.is_dir() {
            continue;
        }
        check_inside_path(&path)?;
        let mut bytes = Vec::new();
        file.by_ref()
            .take(left + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| bad(e).in_file(path.clone()))?;
        left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
            Error::say("the zip unpacks to far more than its size explains").in_file(path.clone())
        })?;
        files.insert(path, Bytes::from(bytes));
    }
    Ok(files)
}

/// Writes a zip of trees and files. The same content gives the same bytes.
pub struct Bundle {
    zip: ZipWriter<Cursor<Vec<u8>>>,
    /// The folders and files at its top and below, so that each is there once.
    taken: HashSet<String>,
}

impl Default for Bundle {
    fn default() -> Self {
        Bundle {
            zip: ZipWriter::new(Cursor::new(Vec::new())),
            taken: HashSet::new(),
        }
    }
}

impl Bundle {
    /// Adds a tree below a folder: the first of some names that is free.
    pub(super) fn tree(
        &mut self,
        names: impl IntoIterator<Item = String>,
        tree: &Folder,
    ) -> Result<String> {
        let free = names.into_iter().find(|name| !self.taken.contains(name));
        let folder =
            free.ok_or_else(|| Error::say("two trees of this zip would be the same folder"))?;
        self.taken.insert(folder.clone());
        for path in tree.paths() {
            self.put(&format!("{folder}/{path}"), &tree.get(&path)?)?;
        }
        Ok(folder)
    }

    /// Adds a file.
    pub(super) fn file(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        match self.taken.insert(path.to_owned()) {
            true => self.put(path, bytes),
            false => Err(Error::say("two files of this zip would be the same").in_file(path)),
        }
    }

    fn put(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644)
            .large_file(bytes.len() as u64 > u64::from(u32::MAX));
        let write = |e: zip::result::ZipError| {
            Error::say(format!("the zip cannot be written: {e}")).in_file(path)
        };
        self.zip.start_file(path, options).map_err(write)?;
        self.zip.write_all(bytes).map_err(Error::stopped)
    }

    /// The bytes of the zip.
    ///
    /// # Errors
    /// It is too large.
    pub fn finish(self) -> Result<Vec<u8>> {
        let written = self
            .zip
            .finish()
            .map_err(|e| Error::say(format!("the zip cannot be written: {e}")))?;
        Ok(written.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A zip must not exhaust the memory or name a path outside of it.
    #[test]
    fn a_hostile_zip_is_refused() {
        let zip = |path: &str, bytes: &[u8]| {
            let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
            zip.start_file(path, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
            zip.finish().unwrap().into_inner()
        };
        let refused = |bytes: &[u8]| unzip(bytes).unwrap_err().to_string();
        assert!(refused(&zip("a", &vec![0; 64 << 20])).contains("far more than its size explains"));
        assert!(unzip(&zip("a", &[1, 2, 3])).unwrap()["a"][..] == [1, 2, 3]);
        for path in ["../a", "/etc/passwd", "a/../../b"] {
            assert!(unzip(&zip(path, b"x")).is_err(), "{path}");
        }
        assert!(refused(b"PK\x03\x04").contains("the zip cannot be read"));
        let whole = zip("a", &[7; 1000]);
        for cut in 0..whole.len() {
            assert!(unzip(&whole[..cut]).is_err(), "{cut}");
        }
    }
}
