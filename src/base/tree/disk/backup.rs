//! The names of originals: `NAME.orig`, or a further one that its note calls the first.

use super::{own::NoteMark, paths::looked_at};
use crate::{
    Sum,
    path::Shown,
    tree::blob::Blob,
    wire::{Error, Result},
};
use std::path::{Path, PathBuf};

/// The path of the pristine copy that is made before a file is first overwritten.
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".orig");
    PathBuf::from(name)
}

/// The name of the `n`th further copy that is kept of a file: `NAME.orig.2`.
pub(super) fn further_path(file: &Path, n: u32) -> PathBuf {
    let mut name = backup_path(file).into_os_string();
    name.push(format!(".{n}"));
    PathBuf::from(name)
}

/// The original of a file, which may not exist: `NAME.orig`, unless another program left a file
/// there before refit kept the original.
pub fn original_path(file: &Path) -> PathBuf {
    first_original(file, None).unwrap_or_else(|| backup_path(file))
}

/// The original that refit kept of a file: the one with a note, or `NAME.orig` with the checksum
/// `source`.
pub(super) fn first_original(file: &Path, source: Option<Sum>) -> Option<PathBuf> {
    let is_file = |path: &Path| path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let backup = backup_path(file);
    let is_source = |source: Sum| {
        Blob::of_file(&backup)
            .and_then(|file| file.has_sum(&source))
            .unwrap_or_default()
    };
    if is_file(&backup) && (NoteMark::Original.is_there(&backup) || source.is_some_and(is_source)) {
        return Some(backup);
    }
    (2..MOST_NAMES)
        .map(|n| further_path(file, n))
        .take_while(|path| is_file(path))
        .find(|path| is_first(path))
}

/// True for a further copy, `NAME.orig.2`, that is the original, because another program took the
/// name `NAME.orig`.
pub fn is_first(path: &Path) -> bool {
    NoteMark::Original
        .noted(path)
        .is_some_and(|note| note.ends_with(FIRST))
}

/// The end of the note on such a copy.
pub(super) const FIRST: &str = " first";

/// The note on a copy with this checksum.
pub(super) fn original_note(sum: Sum, first: bool) -> String {
    format!("{sum}{}", if first { FIRST } else { "" })
}

/// True for the name of a kept file: `NAME.orig`, `NAME.orig.2`. Such files are never written to.
pub(super) fn is_original(path: &Path) -> bool {
    let Some(name) = path.file_name() else {
        return false;
    };
    let name = name.to_string_lossy().to_ascii_lowercase();
    match name.rsplit_once(".orig") {
        Some((stem, "")) => !stem.is_empty(),
        Some((_, number)) => number
            .strip_prefix('.')
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())),
        None => false,
    }
}

/// An error if the path of the original is not a regular file. A file is not replaced before its
/// copy is safe.
pub(super) fn check_backup(backup: &Path) -> Result<()> {
    match backup.symlink_metadata() {
        Ok(meta) if !meta.is_file() => Err(Error::say(
            "not a regular file, so the original cannot be kept under this name",
        )
        .in_file(backup.shown())
        .hint("nothing was written; move it away first")),
        _ => Ok(()),
    }
}

/// True if `other` is a regular file with the content of `file`, whose checksum is `sum`.
pub(super) fn is_same(file: &Path, other: &Path, sum: Sum) -> Result<bool> {
    let (Some(a), Some(b)) = (looked_at(file)?, looked_at(other)?) else {
        return Ok(false);
    };
    Ok(b.is_file() && a.len() == b.len() && Blob::of_file(other)?.sum()? == sum)
}

/// How many names to try for a further copy.
pub(super) const MOST_NAMES: u32 = 10_000;
