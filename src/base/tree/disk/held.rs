//! Files that other programs have open. Windows refuses to replace, rename or remove a file that
//! another program has open, and virus scanners, indexers and the Explorer open most new files for
//! a moment.
//!
//! So every rename and removal is retried for a while. If the file is still held then, the error
//! says so; see [`Error::io`].
//!
//! [`Error::io`]: crate::wire::Error::io

use crate::path::{is_held, reachable};
use std::{
    fs,
    io::{Error, Result},
    path::Path,
    time::{Duration, Instant},
};

/// Milliseconds to wait before each retry: a bit more than a second in total.
const PAUSES: [u64; 7] = [10, 20, 40, 80, 160, 320, 640];

/// Retries an operation while another program holds the file or folder.
pub fn patiently<T>(work: impl FnMut() -> Result<T>) -> Result<T> {
    patiently_on(cfg!(windows), std::thread::sleep, work)
}

fn patiently_on<T>(
    windows: bool,
    mut pause: impl FnMut(Duration),
    mut work: impl FnMut() -> Result<T>,
) -> Result<T> {
    for wait in PAUSES {
        match work() {
            Err(e) if is_held(e.raw_os_error(), windows) => pause(Duration::from_millis(wait)),
            done => return done,
        }
    }
    work()
}

/// Like [`patiently`] for longer operations, and for as long as `patience`, because a game may have
/// its files open.
pub fn patiently_for<T>(
    patience: Duration,
    work: impl FnMut() -> crate::wire::Result<T>,
) -> crate::wire::Result<T> {
    patiently_for_on(cfg!(windows), patience, std::thread::sleep, work)
}

fn patiently_for_on<T>(
    windows: bool,
    patience: Duration,
    mut pause: impl FnMut(Duration),
    mut work: impl FnMut() -> crate::wire::Result<T>,
) -> crate::wire::Result<T> {
    let (began, each) = (Instant::now(), Duration::from_millis(200));
    let mut paused = Duration::ZERO;
    loop {
        match work() {
            Err(e) if e.is_held_on(windows) && began.elapsed().max(paused) < patience => {
                pause(each);
                paused += each;
            }
            done => return done,
        }
    }
}

/// Renames a file or folder. Replaces an existing file, even one that another program has open if
/// the system allows it.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    patiently(|| fs::rename(from, to))?;
    // If both names are the same file, POSIX rename keeps both. Names that differ only in case may
    // be one name.
    let name = |path: &Path| path.file_name().map(std::ffi::OsStr::to_ascii_lowercase);
    let number = |path: &Path| {
        path.symlink_metadata()
            .ok()
            .map(|meta| number_of(path, &meta))
            .filter(|number| *number != (0, 0))
    };
    if name(from) != name(to) && number(from).is_some_and(|one| number(to) == Some(one)) {
        return remove_file(from);
    }
    Ok(())
}

/// The system's identifiers of a file or folder: its volume and its number there. Zeros if there
/// are none.
pub fn number_of(path: &Path, meta: &fs::Metadata) -> (u64, u64) {
    #[cfg(unix)]
    let number = {
        let _ = path;
        (
            std::os::unix::fs::MetadataExt::dev(meta),
            std::os::unix::fs::MetadataExt::ino(meta),
        )
    };
    #[cfg(windows)]
    let number = {
        use std::os::windows::fs::OpenOptionsExt;
        // Also opens folders. Without read access it disturbs no other program.
        const BACKUP_SEMANTICS: u32 = 0x0200_0000;
        let _ = meta;
        let opened = fs::OpenOptions::new()
            .access_mode(0)
            .custom_flags(BACKUP_SEMANTICS)
            .open(path);
        let found = opened
            .and_then(|file| winapi_util::file::information(winapi_util::Handle::from_file(file)));
        found.map_or((0, 0), |found| {
            (found.volume_serial_number(), found.file_index())
        })
    };
    #[cfg(not(any(unix, windows)))]
    let number = {
        let _ = (path, meta);
        (0, 0)
    };
    number
}

/// Removes a file. If it is missing on a retry, the first try removed it.
pub fn remove_file(path: &Path) -> Result<()> {
    let mut is_first = true;
    patiently(|| match fs::remove_file(path) {
        Err(e) if !std::mem::take(&mut is_first) && e.kind() == std::io::ErrorKind::NotFound => {
            Ok(())
        }
        done => done,
    })
}

/// Removes a folder with everything in it.
pub fn remove_dir_all(path: &Path) -> Result<()> {
    patiently(|| fs::remove_dir_all(path))
}

/// Removes a file or a folder.
pub fn remove(path: &Path, is_folder: bool) -> Result<()> {
    if is_folder {
        remove_dir_all(path)
    } else {
        remove_file(path)
    }
}

/// A new temporary file in a folder, deleted when dropped.
pub fn new_temporary(folder: &Path) -> Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix(".refit-").suffix(".tmp");
    // On Windows the crate marks its files as temporary, and the mark would stay on the final file.
    #[cfg(windows)]
    return builder
        .make_in(reachable(folder), |path| {
            fs::OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .open(path)
        })
        .map_err(unnamed);
    #[cfg(not(windows))]
    builder.tempfile_in(reachable(folder)).map_err(unnamed)
}

/// The error without the name of a temporary file, which says nothing to anybody.
fn unnamed(error: Error) -> Error {
    let inner = error.get_ref().and_then(std::error::Error::source);
    let system = inner
        .and_then(|inner| inner.downcast_ref::<Error>())
        .and_then(Error::raw_os_error);
    system.map_or(error, Error::from_raw_os_error)
}

/// A new temporary folder in a folder, deleted when dropped.
pub fn new_temporary_folder(folder: &Path) -> Result<tempfile::TempDir> {
    tempfile::Builder::new()
        .prefix(".refit-")
        .suffix(".tmp")
        .tempdir_in(reachable(folder))
        .map_err(unnamed)
}

/// Moves a temporary file to its final name and replaces an existing file.
pub fn persist(mut temp: tempfile::NamedTempFile, to: &Path) -> Result<()> {
    rename(temp.path(), to)?;
    temp.disable_cleanup(true);
    Ok(())
}

/// Moves a temporary file to its final name; an error if a file exists there.
pub fn persist_new(temp: tempfile::NamedTempFile, to: &Path) -> Result<()> {
    let (to, mut left) = (reachable(to), Some(temp));
    patiently(|| {
        let Some(temp) = left.take() else {
            return Ok(());
        };
        temp.persist_noclobber(&to).map(drop).map_err(|e| {
            left = Some(e.file);
            e.error
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    #[test]
    fn renaming_one_hard_link_to_another_leaves_the_new_name() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("a.orig"), dir.path().join("a"));
        fs::write(&to, "x").unwrap();
        fs::hard_link(&to, &from).unwrap();
        rename(&from, &to).unwrap();
        assert!(!from.exists() && fs::read(&to).unwrap() == b"x");
        // Another path with the same name may be the same file, which must not be removed.
        fs::create_dir(dir.path().join("sub")).unwrap();
        let alias = dir.path().join("sub/../a");
        rename(&alias, &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"x");
    }

    /// Runs an operation that fails `fails` times with this error. Returns the number of tries, the
    /// total wait, and the success.
    fn tries(windows: bool, code: i32, fails: usize) -> (usize, Duration, bool) {
        let (mut done, mut waited) = (0, Duration::ZERO);
        let work = || {
            done += 1;
            if done <= fails {
                Err(Error::from_raw_os_error(code))
            } else {
                Ok(())
            }
        };
        let end = patiently_on(windows, |pause| waited += pause, work).is_ok();
        (done, waited, end)
    }

    #[test]
    fn files_held_for_a_moment_are_retried() {
        for code in [5, 32, 33] {
            assert_eq!(tries(true, code, 0), (1, Duration::ZERO, true));
            assert_eq!(tries(true, code, 3), (4, Duration::from_millis(70), true));
            let (done, waited, end) = tries(true, code, usize::MAX);
            assert!(
                done == 8
                    && !end
                    && waited > Duration::from_secs(1)
                    && waited < Duration::from_secs(2)
            );
            // On other systems these codes mean something else.
            assert_eq!(tries(false, code, 3), (1, Duration::ZERO, false));
        }
        // No such file, exists already.
        for code in [2, 183] {
            assert_eq!(tries(true, code, 3), (1, Duration::ZERO, false));
        }
    }

    #[test]
    fn files_held_by_a_game_are_retried_for_longer() {
        let run = |windows, code, fails| {
            let mut done = 0;
            let work = || {
                done += 1;
                let held =
                    || crate::wire::Error::io(Path::new("a"), Error::from_raw_os_error(code));
                if done <= fails { Err(held()) } else { Ok(()) }
            };
            let end = patiently_for_on(windows, Duration::from_secs(2), |_| (), work).is_ok();
            (done, end)
        };
        assert_eq!(
            (run(true, 32, 4), run(true, 32, 99)),
            ((5, true), (11, false))
        );
        assert_eq!(
            (run(false, 32, 4), run(true, 2, 4)),
            ((1, false), (1, false))
        );
    }

    #[test]
    fn a_file_is_put_in_place_of_another_or_of_none() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("a.zbd");
        let new = |text: &str| {
            let temp = new_temporary(dir.path()).unwrap();
            fs::write(temp.path(), text).unwrap();
            temp
        };
        let there = || {
            (
                fs::read_to_string(&target).unwrap(),
                fs::read_dir(dir.path()).unwrap().count(),
            )
        };
        persist_new(new("one"), &target).unwrap();
        assert_eq!(there(), ("one".to_owned(), 1));
        assert_eq!(
            persist_new(new("two"), &target).unwrap_err().kind(),
            ErrorKind::AlreadyExists
        );
        assert_eq!(there(), ("one".to_owned(), 1));
        // A reader of the old file still sees its content.
        #[cfg(unix)]
        let reading = fs::File::open(&target).unwrap();
        persist(new("three"), &target).unwrap();
        #[cfg(unix)]
        assert_eq!(std::io::read_to_string(reading).unwrap(), "one");
        assert_eq!(there(), ("three".to_owned(), 1));
    }
}
