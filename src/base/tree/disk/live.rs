//! Temporary files and folders, which are removed when refit is interrupted.

use super::{fault::step, held, turn};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The temporary files and folders that exist at the moment. To put something in place, hold the
/// lock.
pub(super) static LIVE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

pub(super) fn live() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file or folder that [`abandon`] removes while this value lives.
pub(super) struct Live(pub(super) PathBuf);

impl Live {
    /// Creates a temporary file or folder. `abandon` cannot run between its creation and its
    /// registration.
    fn make<T: AsRef<Path>>(
        make: impl FnOnce() -> std::io::Result<T>,
    ) -> std::io::Result<(T, Self)> {
        let mut live = live();
        let made = make()?;
        live.insert(made.as_ref().to_owned());
        let known = Live(made.as_ref().to_owned());
        Ok((made, known))
    }

    /// Registers a path that is about to be created.
    pub(super) fn know(path: PathBuf) -> Self {
        live().insert(path.clone());
        Live(path)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        live().remove(&self.0);
    }
}

/// Removes all temporary files and folders before the program ends. Keeps the lock, so nothing can
/// be put in place afterwards: a rename that has started is completed, and any later one blocks
/// forever.
pub fn abandon() {
    let left = live();
    for path in left.iter() {
        // Another thread may still be filling the folder.
        for _ in 0..50 {
            let gone = if path.is_dir() {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            };
            if gone.is_ok() || path.symlink_metadata().is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    std::mem::forget(left);
}

/// Creates a temporary file in a folder, in use while it is open. Requires the folder's [`Turn`].
pub(super) fn temporary_file(folder: &Path) -> std::io::Result<(tempfile::NamedTempFile, Live)> {
    step()?;
    let (file, live) = Live::make(|| held::new_temporary(folder))?;
    turn::claim_file(file.as_file());
    Ok((file, live))
}

/// Creates a temporary folder in a folder, in use while the returned file is open. Requires the
/// folder's [`Turn`].
pub(super) fn temporary_folder(
    folder: &Path,
) -> std::io::Result<(tempfile::TempDir, Live, fs::File)> {
    step()?;
    let (temp, live) = Live::make(|| held::new_temporary_folder(folder))?;
    let claim = turn::claim_folder(temp.path())?;
    Ok((temp, live, claim))
}
