//! Reading whole regular files.

use crate::{
    par,
    path::Shown,
    tree::{blob::read_exact_at, inside::open_regular},
    wire::{Error, ErrorKind, Result},
};
use std::{fs, io::Read, path::Path};

/// Reads a whole regular file. Refuses anything else: a pipe from an archive would block, and a
/// device may be endless.
pub fn read(path: &Path) -> Result<bytes::Bytes> {
    open_regular(path)
        .and_then(|(file, meta)| read_whole(file, &meta))
        .map(bytes::Bytes::from)
        .map_err(|e| unread(path, e))
}

/// Converts the error of a walk over folders. It names the file.
pub fn walk_error(error: walkdir::Error) -> Error {
    let path = error.path().map(Path::to_owned);
    match (path, error.to_string(), error.into_io_error()) {
        (Some(path), _, Some(error)) => Error::io(&path, error),
        (_, message, _) => Error::say(message),
    }
}

/// Reads a whole file that the user named, which may be a pipe.
pub fn read_named(path: &Path) -> Result<bytes::Bytes> {
    let opened = || {
        let file = fs::File::open(path)?;
        let meta = file.metadata()?;
        read_whole(file, &meta)
    };
    opened()
        .map(bytes::Bytes::from)
        .map_err(|e| unread(path, e))
}

/// Reads a file that another file names, in that file's folder. Links must not lead out of the
/// folder.
pub fn read_beside(folder: &Path, path: &str) -> Result<bytes::Bytes> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let file = folder.join(path);
    let real = |path: &Path| crate::path::canonical(path).map_err(|e| unread(&file, e));
    let meant = real(&file)?;
    if !meant.starts_with(real(folder)?) {
        return Err(Error::say("a link leads out of the folder")
            .in_file(file.shown())
            .hint("copy the file that it leads to into the folder"));
    }
    open_regular(&meant)
        .and_then(|(open, meta)| read_whole(open, &meta))
        .map(bytes::Bytes::from)
        .map_err(|e| unread(&file, e))
}

pub(super) fn unread(path: &Path, e: std::io::Error) -> Error {
    match e.kind() {
        std::io::ErrorKind::NotFound => Error::say("there is no such file")
            .in_file(path.shown())
            .of_kind(ErrorKind::Io),
        std::io::ErrorKind::IsADirectory => Error::say("this is a folder").in_file(path.shown()),
        std::io::ErrorKind::InvalidInput => Error::say("not a regular file").in_file(path.shown()),
        _ => Error::io(path, e),
    }
}

/// Files of at least this size are read by all cores, because touching fresh memory takes longer
/// than copying into it.
pub(super) const SHARED: u64 = 8 << 20;

pub(super) fn read_whole(mut file: fs::File, meta: &fs::Metadata) -> std::io::Result<Vec<u8>> {
    let size = usize::try_from(meta.len()).map_err(|_| std::io::ErrorKind::OutOfMemory)?;
    if !meta.is_file() || meta.len() < SHARED {
        // A pipe can be opened only once.
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    // `vec![0; size]` always succeeds: the system provides zeroed memory only on first use, and
    // ends the program if there is none. This reservation can fail.
    Vec::<u8>::new().try_reserve_exact(size)?;
    let mut bytes = vec![0; size];
    let chunk = 1 << 20;
    par::try_map_owned(bytes.chunks_mut(chunk).collect(), |i, bytes| {
        read_exact_at(&file, bytes, (i * chunk) as u64)
    })?;
    Ok(bytes)
}
