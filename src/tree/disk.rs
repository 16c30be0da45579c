//! Everything that reaches the disk: beside its target first, synced, then renamed.

use super::DirSink;
use crate::wire::{Error, Result};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// Reads a file whole.
pub fn read(path: &Path) -> Result<bytes::Bytes> {
    fs::read(path).map(bytes::Bytes::from).map_err(|e| Error::io(path, e))
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    }
}

/// The pristine copy that is kept of a file before it is overwritten the first time.
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".orig");
    PathBuf::from(name)
}

/// True when [`write_file`] would replace a file, false when it would make one, an error when it would refuse.
pub fn check_file(path: &Path, force: bool) -> Result<bool> {
    let exists = path.symlink_metadata().is_ok();
    if exists {
        if path.is_dir() {
            return Err(Error::say("there is a folder of this name").in_file(path.display().to_string()).hint("name the file with -o"));
        }
        if !force {
            return Err(Error::say("the file exists already")
                .in_file(path.display().to_string())
                .hint("use --force to replace it; the original is kept as NAME.orig"));
        }
    }
    Ok(exists)
}

/// Writes a file whole or not at all. An existing one is replaced only with `force`, and kept once as `NAME.orig`.
pub fn write_file(path: &Path, bytes: &[u8], force: bool) -> Result<()> {
    write_file_with(path, force, |out| out.write_all(bytes).map_err(Error::stopped))
}

/// [`write_file`] for bytes that come in pieces, such as those of [`crate::formats::Model::write_to`].
pub fn write_file_with(path: &Path, force: bool, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let exists = check_file(path, force)?;
    let io = |e| Error::io(path, e);
    let mut temp = tempfile::Builder::new().prefix(".refit-").suffix(".tmp").tempfile_in(parent(path)).map_err(io)?;
    // Pieces may be small: an entry table, then thousands of files.
    let mut out = std::io::BufWriter::with_capacity(1 << 17, temp.as_file_mut());
    write(&mut out).map_err(|e| e.in_file(path.display().to_string()))?;
    out.flush().map_err(io)?;
    drop(out);
    temp.as_file().sync_all().map_err(io)?;
    if exists {
        // The target may be a link or read-only: check that it may be written before anything changes.
        fs::OpenOptions::new().write(true).open(path).map_err(io)?;
        keep_original(path)?;
        if let Ok(meta) = fs::metadata(path) {
            let _ = temp.as_file().set_permissions(meta.permissions());
        }
        let target = fs::canonicalize(path).map_err(io)?;
        temp.persist(&target).map_err(|e| Error::io(path, e.error))?;
    } else {
        give_usual_permissions(temp.as_file());
        temp.persist_noclobber(path).map_err(|e| Error::io(path, e.error))?;
    }
    sync_folder(parent(path));
    Ok(())
}

/// Temporary files are private; what replaces them is an ordinary file.
fn give_usual_permissions(file: &fs::File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = file.set_permissions(fs::Permissions::from_mode(0o644));
    }
    #[cfg(not(unix))]
    let _ = file;
}

fn keep_original(path: &Path) -> Result<()> {
    let backup = backup_path(path);
    if backup.symlink_metadata().is_ok() {
        return Ok(());
    }
    // Copied, not renamed: at every moment there is a file of the game's name.
    let mut temp =
        tempfile::Builder::new().prefix(".refit-").suffix(".tmp").tempfile_in(parent(path)).map_err(|e| Error::io(&backup, e))?;
    let mut from = fs::File::open(path).map_err(|e| Error::io(path, e))?;
    std::io::copy(&mut from, temp.as_file_mut()).map_err(|e| Error::io(&backup, e))?;
    temp.as_file().sync_all().map_err(|e| Error::io(&backup, e))?;
    give_usual_permissions(temp.as_file());
    match temp.persist_noclobber(&backup) {
        Ok(_) => Ok(()),
        Err(e) if e.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(Error::io(&backup, e.error)),
    }
}

/// Puts `NAME.orig` back. The edited file is gone afterwards; the backup too, for the file is pristine again.
pub fn restore(path: &Path) -> Result<()> {
    let backup = backup_path(path);
    fs::rename(&backup, path).map_err(|e| Error::io(&backup, e))?;
    sync_folder(parent(path));
    Ok(())
}

/// Makes a rename durable where the system lets a folder be synced.
fn sync_folder(path: &Path) {
    if let Ok(folder) = fs::File::open(path) {
        let _ = folder.sync_all();
    }
}

/// True when [`StagedDir::new`] would replace a folder, false when it would make one, an error when it would refuse.
pub fn check_folder(target: &Path, force: bool) -> Result<bool> {
    let io = |e| Error::io(target, e);
    let Ok(meta) = target.symlink_metadata() else { return Ok(false) };
    let named = || target.display().to_string();
    if !meta.is_dir() {
        return Err(Error::say("there is a file of this name").in_file(named()).hint("name another folder with -o"));
    }
    let empty = fs::read_dir(target).map_err(io)?.next().is_none();
    if !empty && !force {
        return Err(Error::say("the folder exists already")
            .in_file(named())
            .hint("use --force to replace it, or name another one with -o"));
    }
    let ours = ["refit.json", "refit.ron", ".refit/export"].iter().any(|mark| target.join(mark).is_file());
    if !empty && !ours {
        return Err(Error::say("the folder is not refit's own, it will not be replaced").in_file(named()).hint("name another one with -o"));
    }
    Ok(true)
}

/// A folder that appears whole or not at all.
///
/// It is filled under a temporary name beside its target; dropping it without [`StagedDir::commit`] removes it.
pub struct StagedDir {
    target: PathBuf,
    temp: tempfile::TempDir,
    replace: bool,
}

impl StagedDir {
    /// Prepares `target`. An existing folder with anything in it is replaced only with `force`.
    pub fn new(target: &Path, force: bool) -> Result<Self> {
        let io = |e| Error::io(target, e);
        let replace = check_folder(target, force)?;
        fs::create_dir_all(parent(target)).map_err(|e| Error::io(parent(target), e))?;
        let temp = tempfile::Builder::new().prefix(".refit-").suffix(".tmp").tempdir_in(parent(target)).map_err(io)?;
        Ok(StagedDir { target: target.to_owned(), temp, replace })
    }

    /// Where the folder is filled.
    pub fn sink(&self) -> DirSink {
        DirSink::new(self.temp.path().join("tree"))
    }

    /// Puts the folder in place.
    pub fn commit(self) -> Result<()> {
        let io = |e| Error::io(&self.target, e);
        let new = self.temp.path().join("tree");
        fs::create_dir_all(&new).map_err(io)?;
        sync_folder(&new);
        if self.replace {
            let old = self.temp.path().join("old");
            fs::rename(&self.target, &old).map_err(io)?;
            if let Err(e) = fs::rename(&new, &self.target) {
                let _ = fs::rename(&old, &self.target);
                return Err(io(e));
            }
        } else {
            fs::rename(&new, &self.target).map_err(io)?;
        }
        sync_folder(parent(&self.target));
        Ok(())
    }
}
