//! Paths of files that may be replaced.

use super::fault::step;
use crate::{
    path::Shown,
    wire::{Error, Result},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    }
}

/// Follows links to the file itself.
pub(super) fn behind_links(path: &Path) -> Result<PathBuf> {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => crate::path::canonical(path)
            .map_err(|e| Error::io(path, e).hint("a link that leads nowhere")),
        _ => Ok(path.to_owned()),
    }
}

pub(super) fn is_absent(path: &Path) -> bool {
    path.symlink_metadata()
        .is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound)
}

/// Refuses anything but a regular file: a pipe would block, and a file cannot replace a device.
pub(super) fn check_regular(path: &Path, meta: &fs::Metadata) -> Result<()> {
    if meta.is_file() {
        return Ok(());
    }
    Err(
        Error::say("not a regular file, so refit does not replace it")
            .in_file(path.shown())
            .hint("name another file"),
    )
}

/// How to make a read-only file writable; files copied from a CD are read-only.
pub(super) fn writable_hint(windows: bool, file: &Path) -> String {
    match windows {
        true => format!("make it writable first: attrib -r \"{}\"", file.shown()),
        false => "make it writable first".to_owned(),
    }
}

/// Why Windows cannot create this path. Existing components are not checked, but devices always
/// are.
pub(super) fn unusable_in(path: &Path) -> Option<String> {
    path.ancestors().find_map(|path| {
        let name = path.file_name()?.to_string_lossy();
        let why = crate::path::unusable(&name)?;
        let is_device = crate::path::is_device(name.split('.').next().unwrap_or_default());
        (is_device || path.symlink_metadata().is_err()).then_some(why)
    })
}

/// Metadata of the file at a path; `None` if it does not exist; an error if it cannot be read.
pub(super) fn looked_at(path: &Path) -> Result<Option<fs::Metadata>> {
    match path.symlink_metadata() {
        Ok(meta) => Ok(Some(meta)),
        Err(e)
            if matches!(
                e.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(e) => Err(Error::io(path, e)),
    }
}

/// Temporary files are private; gives the file ordinary permissions.
pub(super) fn give_usual_permissions(file: &fs::File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = file.set_permissions(fs::Permissions::from_mode(0o644));
    }
    #[cfg(not(unix))]
    let _ = file;
}

/// Makes a rename durable, if the system can sync folders.
pub(super) fn sync_folder(path: &Path) {
    if step().is_ok()
        && let Ok(folder) = fs::File::open(path)
    {
        let _ = folder.sync_all();
    }
}
