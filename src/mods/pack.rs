//! A mod on disk: a zip that ends with `.refitmod`, or a folder.

use super::format::{MANIFEST, Mod, safe_path};
use crate::{
    path::Shown,
    tree::disk::{self, Replace, Written},
    wire::{Error, Result},
};
use bytes::Bytes;
use std::{
    collections::BTreeMap,
    io::{Cursor, Read, Write},
    path::Path,
};
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

/// Most bytes that a mod unpacks to.
const MOST: u64 = 2 << 30;

fn bad(e: zip::result::ZipError) -> Error {
    Error::say(format!("the zip cannot be read: {e}"))
}

/// A mod as a zip. The same mod gives the same bytes everywhere.
pub fn to_zip(a_mod: &Mod) -> Result<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in a_mod.to_files()? {
        zip.start_file(path.as_str(), options.large_file(bytes.len() as u64 > u64::from(u32::MAX))).map_err(bad)?;
        zip.write_all(&bytes).map_err(Error::stopped)?;
    }
    Ok(zip.finish().map_err(bad)?.into_inner())
}

/// Reads a mod out of a zip.
pub fn from_zip(bytes: &[u8]) -> Result<Mod> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(bad)?;
    let mut files = BTreeMap::new();
    let mut left = MOST;
    for i in 0..zip.len() {
        let mut file = zip.by_index(i).map_err(bad)?;
        if file.is_dir() {
            continue;
        }
        let path = file.name().map_err(bad)?.into_owned();
        safe_path(&path)?;
        let mut bytes = Vec::new();
        file.by_ref()
            .take(left + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| Error::say(format!("the zip cannot be read: {e}")).in_file(path.clone()))?;
        left = left.checked_sub(bytes.len() as u64).ok_or_else(|| Error::say("the mod would unpack to more than 2 GB"))?;
        if files.insert(path.clone(), Bytes::from(bytes)).is_some() {
            return Err(Error::say("it is in the zip twice").in_file(path));
        }
    }
    Mod::from_files(files)
}

/// True for a folder that is an unpacked mod.
pub fn is_mod(path: &Path) -> bool {
    path.join(MANIFEST).is_file()
}

/// Reads a mod: a zip, or a folder.
pub fn load(path: &Path) -> Result<Mod> {
    let named = |e: Error| Error::say(format!("{}: {e}", path.shown()));
    if !path.is_dir() {
        return from_zip(&disk::read(path)?).map_err(named);
    }
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(path).min_depth(1).sort_by_file_name() {
        let entry = entry.map_err(|e| Error::say(e.to_string()))?;
        let Ok(relative) = entry.path().strip_prefix(path) else { continue };
        let parts: Option<Vec<&str>> = relative.components().map(|part| part.as_os_str().to_str()).collect();
        // What git and systems leave is no part of it.
        if !entry.file_type().is_file() || parts.as_ref().is_none_or(|parts| parts.iter().any(|part| part.starts_with('.'))) {
            continue;
        }
        files.insert(parts.unwrap_or_default().join("/"), disk::read(entry.path())?);
    }
    Mod::from_files(files).map_err(named)
}

/// Writes a mod as a zip.
pub fn save(a_mod: &Mod, path: &Path, may: Replace<'_>) -> Result<Written> {
    disk::write_file(path, &to_zip(a_mod)?, may)
}

/// Writes a mod as a folder, which must not be there yet.
pub fn unpack(a_mod: &Mod, folder: &Path) -> Result<usize> {
    if folder.symlink_metadata().is_ok()
        && !(folder.is_dir() && std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none()))
    {
        return Err(Error::say("it is there already").in_file(folder.shown()).hint("name another folder with -o"));
    }
    let files = a_mod.to_files()?;
    for (path, bytes) in &files {
        disk::write_file(&folder.join(safe_path(path)?), bytes, Replace::default())?;
    }
    Ok(files.len())
}
