//! Writes a file that a program changed in memory.

use super::{options::Options, progress::Progress, repack::signatures};
use refit_base::{
    Sum,
    path::Shown,
    tree::disk::{self, Backup, By, Replace, Written},
    wire::Result,
};
use refit_files::pipeline;
use std::path::Path;

/// Writes the bytes of a file. `read` is the checksum of the file at `target` when it was read, for
/// an edit in place: its first version is kept as `NAME.orig`, and it is not replaced if another
/// program changed it since. Another target is replaced only with [`Options::force`].
///
/// # Errors
/// refit could not read these bytes again; then nothing is written.
pub fn save(
    target: &Path,
    bytes: &[u8],
    read: Option<Sum>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Written> {
    let again = bytes::Bytes::copy_from_slice(bytes);
    pipeline::open(&again, &target.shown(), options.hints).map_err(|e| {
        e.context("refit could not read the new file")
            .in_file(target.shown())
            .hint("nothing was written")
    })?;
    drop(again);
    let default = if read.is_some() {
        Backup::First
    } else {
        Backup::Foreign
    };
    let may = Replace {
        force: read.is_some() || options.force,
        backup: options.backup_or(default),
        read,
        by: By::Edit,
        ..Replace::default()
    };
    let Some(written) = write(target, bytes, may, options.dry_run, progress)? else {
        return Ok(Written {
            bytes: bytes.len() as u64,
            sum: Sum::of(bytes),
            unchanged: false,
            kept: None,
        });
    };
    if !written.unchanged {
        signatures(target, false, progress);
    }
    Ok(written)
}

/// Writes a file as it is, unless this is a dry run, and reports a kept original.
pub fn write(
    path: &Path,
    bytes: &[u8],
    may: Replace<'_>,
    dry_run: bool,
    progress: &dyn Progress,
) -> Result<Option<Written>> {
    if dry_run {
        return disk::check_file(path, may).map(|_| None);
    }
    let written = disk::write_file(path, bytes, may)?;
    progress.kept(path, written.kept.as_ref());
    Ok(Some(written))
}
