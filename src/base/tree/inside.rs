//! Opens files that a tree names: only regular files below its folder.
//!
//! Trees come from other people. Following their links would pack whatever the links lead to;
//! opening a pipe could block forever, and a device may be endless.

use crate::{
    path::Shown,
    wire::{Error, Result},
};
use std::{
    fs::{File, Metadata},
    io::ErrorKind,
    path::{Component, Path},
};

/// Opens the regular file at `path` below `root`. `root` was named by the user and may be a link;
/// nothing below it may.
///
/// `None` if there is no such file. An error if the path leaves the folder or contains a link, or
/// if it leads to a folder, a pipe or a device.
pub(super) fn open(root: &Path, path: &Path) -> Result<Option<(File, Metadata)>> {
    open_with(root, handle(root).ok().flatten().as_ref(), path)
}

/// [`open`] with the [`handle`] of `root`, for a folder with many files: all are files of the
/// opened folder, even if it is replaced in the meantime.
pub(super) fn open_with(
    root: &Path,
    handle: Option<&File>,
    path: &Path,
) -> Result<Option<(File, Metadata)>> {
    let named = |message: &str| Error::say(message).in_file(path.shown());
    let io = |e| Error::io(path, e);
    let mut parts = path.components().peekable();
    if parts.peek().is_none()
        || !path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
    {
        return Err(named(
            "a path in a tree is relative, uses / and stays inside",
        ));
    }
    // Most files are where they should be: checking each before it is opened costs a tenth of the
    // time for a tree with many files. Opening does not block and follows no link, and anything
    // that is not a file is closed again. Only if a file is not found, the folders are checked one
    // by one to find the reason.
    if let Ok(Some(file)) = open_beneath(handle, path)
        && let Ok(meta) = file.metadata()
        && meta.is_file()
    {
        return Ok(Some((file, meta)));
    }
    let mut full = root.to_owned();
    while let Some(part) = parts.next() {
        full.push(part);
        let kind = match full.symlink_metadata() {
            Ok(meta) => meta.file_type(),
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(e) => return Err(io(e)),
        };
        match parts.peek() {
            _ if kind.is_symlink() => {
                return Err(named(
                    "it is a link, or below one: a tree must contain its files itself",
                )
                .hint("copy the file into the tree"));
            }
            Some(_) if !kind.is_dir() => return Ok(None),
            None if kind.is_dir() => return Err(named("this is a folder")),
            None if !kind.is_file() => return Err(named("not a regular file")),
            _ => {}
        }
    }
    let file = match open_unlinked(root, handle, path, &full) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(io)?,
    };
    let meta = file.metadata().map_err(io)?;
    // The file may have been replaced since the check.
    if meta.is_file() {
        Ok(Some((file, meta)))
    } else {
        Err(named("not a regular file"))
    }
}

/// Opens a regular file that the user did not name. Never blocks on a pipe or reads a device.
pub fn open_regular(path: &Path) -> std::io::Result<(File, Metadata)> {
    // Check before opening: opening alone may already affect a device.
    let refused = |meta: &Metadata| match meta.is_dir() {
        true => std::io::Error::from(ErrorKind::IsADirectory),
        false => std::io::Error::new(ErrorKind::InvalidInput, "not a regular file"),
    };
    let meta = std::fs::metadata(path)?;
    if !meta.is_file() {
        return Err(refused(&meta));
    }
    let file = open_at_once(path)?;
    let meta = file.metadata()?;
    if meta.is_file() {
        Ok((file, meta))
    } else {
        Err(refused(&meta))
    }
}

/// Opens without waiting for the other end of a pipe.
fn open_at_once(path: &Path) -> std::io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
    }
    #[cfg(not(unix))]
    File::open(path)
}

/// An open folder, for [`open_with`]. `None` on systems that cannot use it.
pub(super) fn handle(root: &Path) -> std::io::Result<Option<File>> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Some(rustix::fs::open(root, flags, Mode::empty())?.into()))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = root;
        Ok(None)
    }
}

/// Opens a file below a folder without following a link. `None` if the system cannot do it in one
/// step: Linux before 5.6, sandboxes that do not allow the call, other systems.
fn open_beneath(folder: Option<&File>, path: &Path) -> std::io::Result<Option<File>> {
    let Some(folder) = folder else {
        return Ok(None);
    };
    #[cfg(target_os = "linux")]
    {
        use rustix::{
            fs::{Mode, OFlags, ResolveFlags},
            io::Errno,
        };
        let flags =
            OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(folder, path, flags, Mode::empty(), resolve) {
            Err(Errno::NOSYS | Errno::PERM) => Ok(None),
            opened => Ok(Some(opened?.into())),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (folder, path);
        Ok(None)
    }
}

/// Opens without waiting for the other end of a pipe, and without following a link at the end of
/// the path.
#[cfg(unix)]
fn open_unlinked(
    root: &Path,
    folder: Option<&File>,
    path: &Path,
    full: &Path,
) -> std::io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let opened = if folder.is_none() {
        handle(root)?
    } else {
        None
    };
    if let Some(file) = open_beneath(folder.or(opened.as_ref()), path)? {
        return Ok(file);
    }
    let flags =
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    Ok(rustix::fs::open(full, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open_unlinked(_: &Path, _: Option<&File>, _: &Path, full: &Path) -> std::io::Result<File> {
    File::open(full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_below_the_folder_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("tree");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(dir.path().join("secret"), "x").unwrap();
        std::fs::write(root.join("sub/file"), "y").unwrap();
        let open = |path: &str| open(&root, Path::new(path));
        let (_, meta) = open("sub/file").unwrap().unwrap();
        assert_eq!(meta.len(), 1);
        for missing in ["none", "sub/none", "none/file", "sub/file/file"] {
            assert!(open(missing).unwrap().is_none(), "{missing}");
        }
        for outside in [
            "../secret",
            "sub/../../secret",
            "/etc/passwd",
            "",
            ".",
            "./sub/file",
        ] {
            assert!(
                open(outside)
                    .unwrap_err()
                    .to_string()
                    .contains("stays inside"),
                "{outside}"
            );
        }
        assert!(open("sub").unwrap_err().to_string().contains("folder"));
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("file"), "y").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        assert_eq!(open_regular(&at("file")).unwrap().1.len(), 1);
        assert_eq!(open_regular(&at("link")).unwrap().1.len(), 1);
        assert_eq!(
            open_regular(&at("none")).unwrap_err().kind(),
            ErrorKind::NotFound
        );
        assert_eq!(
            open_regular(dir.path()).unwrap_err().kind(),
            ErrorKind::IsADirectory
        );
        assert!(
            open_regular(Path::new("/dev/zero"))
                .unwrap_err()
                .to_string()
                .contains("not a regular file")
        );
        assert!(
            std::process::Command::new("mkfifo")
                .arg(at("pipe"))
                .status()
                .unwrap()
                .success()
        );
        assert!(
            open_regular(&at("pipe"))
                .unwrap_err()
                .to_string()
                .contains("not a regular file")
        );
        // The file may have been replaced since the check.
        open_at_once(&at("pipe")).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("tree");
        std::fs::create_dir_all(dir.path().join("outside")).unwrap();
        std::fs::create_dir(&root).unwrap();
        std::fs::write(dir.path().join("outside/secret"), "x").unwrap();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, root.join(name)).unwrap();
        link("../outside/secret", "file");
        link("../outside", "folder");
        link("/dev/zero", "endless");
        link("nowhere", "dangling");
        for linked in ["file", "folder/secret", "endless", "dangling"] {
            let e = open(&root, Path::new(linked)).unwrap_err().to_string();
            assert!(e.contains(linked) && e.contains("link"), "{e}");
            // A link may be created after the check: then the system must refuse to follow it.
            assert!(
                open_unlinked(&root, None, Path::new(linked), &root.join(linked)).is_err()
                    || cfg!(not(target_os = "linux")),
                "{linked}"
            );
        }
        let made = std::process::Command::new("mkfifo")
            .arg(root.join("pipe"))
            .status();
        if made.is_ok_and(|status| status.success()) {
            assert!(
                open(&root, Path::new("pipe"))
                    .unwrap_err()
                    .to_string()
                    .contains("not a regular file")
            );
            assert!(open_unlinked(&root, None, Path::new("pipe"), &root.join("pipe")).is_ok());
        }
        // The folder that the user names may be a link.
        std::fs::write(root.join("plain"), "y").unwrap();
        std::os::unix::fs::symlink(&root, dir.path().join("called")).unwrap();
        assert!(
            open(&dir.path().join("called"), Path::new("plain"))
                .unwrap()
                .is_some()
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_is_replaced_is_not_mixed_with_the_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let (root, aside) = (dir.path().join("tree"), dir.path().join("aside"));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("file"), "old").unwrap();
        let handle = handle(&root).unwrap();
        let text = |name: &str| {
            let opened = open_with(&root, handle.as_ref(), Path::new(name)).unwrap();
            opened.map(|(file, _)| std::io::read_to_string(file).unwrap())
        };
        assert_eq!(text("file").as_deref(), Some("old"));
        std::fs::rename(&root, &aside).unwrap();
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("file"), "new").unwrap();
        std::fs::write(root.join("more"), "new").unwrap();
        assert_eq!(text("file").as_deref(), Some("old"));
        assert_eq!(text("more"), None, "of the other folder");
        std::fs::remove_dir_all(&aside).unwrap();
        assert_eq!(text("file"), None);
    }
}
