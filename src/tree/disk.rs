//! Everything that reaches the disk: beside its target first, synced, then renamed.

use super::{DirSink, blob::read_exact_at};
use crate::wire::{Error, Result};
use rayon::prelude::*;
use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        mpsc::{SyncSender, sync_channel},
    },
    thread::ScopedJoinHandle,
    time::Duration,
};

/// Reads a file whole.
pub fn read(path: &Path) -> Result<bytes::Bytes> {
    read_whole(path).map(bytes::Bytes::from).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Error::say("there is no such file").in_file(path.display().to_string()),
        std::io::ErrorKind::IsADirectory => Error::say("this is a folder").in_file(path.display().to_string()),
        _ => Error::io(path, e),
    })
}

/// Files from this size on are read by all cores: fresh memory takes more time than what is copied into it.
const SHARED: u64 = 8 << 20;

fn read_whole(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = fs::File::open(path)?;
    let meta = file.metadata()?;
    let size = usize::try_from(meta.len()).map_err(|_| std::io::ErrorKind::OutOfMemory)?;
    if !meta.is_file() || meta.len() < SHARED {
        // A pipe can be opened only once.
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    // Asked for first: what is only zeros is memory that is not there yet, and an error comes too late for it.
    Vec::<u8>::new().try_reserve_exact(size)?;
    let mut bytes = vec![0; size];
    let chunk = 1 << 20;
    bytes.par_chunks_mut(chunk).enumerate().try_for_each(|(i, bytes)| read_exact_at(&file, bytes, (i * chunk) as u64))?;
    Ok(bytes)
}

/// What stands on the disk under a temporary name at this moment. Whoever holds the lock is putting something in place.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn live() -> MutexGuard<'static, Vec<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file or folder, known to [`abandon`] while this lives.
struct Live(PathBuf);

impl Live {
    fn new(path: &Path) -> Self {
        live().push(path.to_owned());
        Live(path.to_owned())
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        live().retain(|path| *path != self.0);
    }
}

/// Removes every unfinished file and folder, for a program that is about to end. Nothing can be put in place afterwards:
/// a rename that has begun is waited for, the next one waits for ever.
pub fn abandon() {
    let left = live();
    for path in left.iter() {
        // Another thread may still be filling the folder.
        for _ in 0..50 {
            let gone = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            if gone.is_ok() || path.symlink_metadata().is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    std::mem::forget(left);
}

/// Age at which a temporary thing is surely nobody's any more.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes what a killed refit left in a folder long ago. A folder that holds a tree which was about to be replaced is
/// left alone.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok()) {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(".refit-") && name.ends_with(".tmp"));
        let stale = || entry.metadata().and_then(|m| m.modified()).is_ok_and(|at| at.elapsed().is_ok_and(|age| age > STALE));
        if ours && stale() && !entry.path().join("old").exists() {
            let path = entry.path();
            let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

fn temporary(folder: &Path) -> std::io::Result<(tempfile::NamedTempFile, Live)> {
    sweep(folder);
    let file = tempfile::Builder::new().prefix(".refit-").suffix(".tmp").tempfile_in(folder)?;
    let live = Live::new(file.path());
    Ok((file, live))
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
    let named = |message: &str| Error::say(message).in_file(path.display().to_string());
    if path.symlink_metadata().is_err() {
        let above = path.ancestors().skip(1).find(|above| above.exists());
        return match above.is_none_or(Path::is_dir) {
            true => Ok(false),
            false => Err(named("a file stands where a folder would have to be made")),
        };
    }
    if path.is_dir() {
        return Err(named("there is a folder of this name").hint("name the file with -o"));
    }
    if !force {
        return Err(named("the file exists already").hint("use --force to replace it; the original is kept as NAME.orig"));
    }
    if fs::metadata(path).map_err(|e| Error::io(path, e))?.permissions().readonly() {
        return Err(named("the file is read-only").hint("make it writable first"));
    }
    Ok(true)
}

/// Writes a file whole or not at all, and makes its folder where there is none. An existing file is replaced only with `force`, and
/// kept once as `NAME.orig`.
pub fn write_file(path: &Path, bytes: &[u8], force: bool) -> Result<()> {
    write_file_with(path, force, |out| out.write_all(bytes).map_err(Error::stopped))
}

/// [`write_file`] for bytes that come in pieces, such as those of [`crate::formats::Model::write_to`].
pub fn write_file_with(path: &Path, force: bool, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    let exists = check_file(path, force)?;
    let io = |e| Error::io(path, e);
    // Behind a link stands the file that is meant; it is replaced where it is.
    let target = if exists { fs::canonicalize(path).map_err(io)? } else { path.to_owned() };
    let mut made = Made::make(parent(&target))?;
    let (temp, _live) = temporary(parent(&target)).map_err(io)?;
    std::thread::scope(|scope| {
        // Pieces may be small: an entry table, then thousands of files.
        let mut out = std::io::BufWriter::with_capacity(1 << 15, Early { file: temp.as_file(), scope, since: 0, syncing: None });
        write(&mut out).map_err(|e| match e.what() {
            crate::wire::What::Io(_) => e.in_file(path.display().to_string()),
            _ => e,
        })?;
        out.into_inner().map_err(|e| io(e.into_error()))?.end().map_err(io)
    })?;
    temp.as_file().sync_all().map_err(io)?;
    if exists {
        // Without the right to write the file itself, the right to rename over it is not used.
        fs::OpenOptions::new().write(true).open(&target).map_err(io)?;
        keep_original(path, &target)?;
        if let Ok(meta) = fs::metadata(&target) {
            let _ = temp.as_file().set_permissions(meta.permissions());
        }
        let _placing = live();
        temp.persist(&target).map_err(|e| Error::io(path, e.error))?;
    } else {
        give_usual_permissions(temp.as_file());
        let _placing = live();
        temp.persist_noclobber(path).map_err(|e| Error::io(path, e.error))?;
    }
    made.0.clear();
    sync_folder(parent(&target));
    Ok(())
}

/// Bytes after which what was written goes on to the disk.
const EARLY: usize = 8 << 20;

/// A file that is on its way to the disk while more of it is made, so that the last sync has little left to wait for.
struct Early<'scope, 'env> {
    file: &'scope fs::File,
    scope: &'scope std::thread::Scope<'scope, 'env>,
    since: usize,
    syncing: Option<(SyncSender<()>, ScopedJoinHandle<'scope, std::io::Result<()>>)>,
}

impl Early<'_, '_> {
    /// Waits for what is on its way. The system tells an error of the disk only once: it must not be lost here.
    fn end(self) -> std::io::Result<()> {
        let Some((ask, syncing)) = self.syncing else { return Ok(()) };
        drop(ask);
        syncing.join().unwrap_or_else(|_| Err(std::io::Error::other("the thread that syncs the file ended")))
    }
}

impl Write for Early<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.since += written;
        if self.since >= EARLY {
            self.since = 0;
            if self.syncing.is_none() {
                let (file, (ask, asked)) = (self.file, sync_channel(1));
                let sync = move || asked.iter().try_for_each(|()| file.sync_data());
                // Without the thread the sync at the end does it all.
                self.syncing = std::thread::Builder::new().spawn_scoped(self.scope, sync).ok().map(|thread| (ask, thread));
            }
            if let Some((ask, _)) = &self.syncing {
                // One that is asked for already will do.
                let _ = ask.try_send(());
            }
        }
        Ok(written)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
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

/// Keeps `file` as it is beside `path`, the name by which it was called.
fn keep_original(path: &Path, file: &Path) -> Result<()> {
    let backup = backup_path(path);
    if backup.symlink_metadata().is_ok() {
        return Ok(());
    }
    let io = |e| Error::io(&backup, e);
    // Copied, not renamed: at every moment there is a file of the game's name.
    let (mut temp, _live) = temporary(parent(path)).map_err(io)?;
    let mut from = fs::File::open(file).map_err(|e| Error::io(path, e))?;
    std::io::copy(&mut from, temp.as_file_mut()).map_err(io)?;
    temp.as_file().sync_all().map_err(io)?;
    give_usual_permissions(temp.as_file());
    let _placing = live();
    match temp.persist_noclobber(&backup) {
        Ok(_) => Ok(()),
        Err(e) if e.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(io(e.error)),
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
    let ours = ["refit.json", "refit.ron", ".refit/export"].iter().any(|mark| target.join(mark).is_file());
    if !empty && !ours {
        return Err(Error::say("the folder holds other things, it will not be replaced").in_file(named()).hint("name another one with -o"));
    }
    if !empty && !force {
        return Err(Error::say("the folder exists already")
            .in_file(named())
            .hint("use --force to replace it, or name another one with -o"));
    }
    if let Some(history) = [".git", ".hg", ".svn"].into_iter().find(|history| target.join(history).exists()) {
        return Err(Error::say(format!("the folder holds {history}, which would be lost with it"))
            .in_file(named())
            .hint("name another one with -o and copy the files over"));
    }
    Ok(true)
}

/// A folder that appears whole or not at all.
///
/// It is filled under a temporary name beside its target; dropping it without [`StagedDir::commit`] removes it, and the
/// folders above it that were made for it.
pub struct StagedDir {
    target: PathBuf,
    replace: bool,
    // Dropped in this order.
    temp: tempfile::TempDir,
    _live: Live,
    made: Made,
}

/// Folders that were made for something that is not there yet, outermost first.
struct Made(Vec<PathBuf>);

impl Made {
    fn make(folder: &Path) -> Result<Self> {
        let mut missing: Vec<PathBuf> =
            folder.ancestors().take_while(|f| !f.as_os_str().is_empty() && !f.exists()).map(Path::to_owned).collect();
        missing.reverse();
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        Ok(Made(missing))
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // Only empty ones go.
        for folder in self.0.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

impl StagedDir {
    /// Prepares `target`. An existing folder with anything in it is replaced only with `force`.
    pub fn new(target: &Path, force: bool) -> Result<Self> {
        let io = |e| Error::io(target, e);
        let replace = check_folder(target, force)?;
        // `.` cannot be renamed, its true name can.
        let target = if replace { fs::canonicalize(target).map_err(io)? } else { target.to_owned() };
        let folder = parent(&target);
        let made = Made::make(folder)?;
        sweep(folder);
        let temp = tempfile::Builder::new().prefix(".refit-").suffix(".tmp").tempdir_in(folder).map_err(|e| Error::io(folder, e))?;
        let live = Live::new(temp.path());
        Ok(StagedDir { target, replace, temp, _live: live, made })
    }

    /// Where the folder is filled.
    pub fn sink(&self) -> DirSink {
        DirSink::new(self.temp.path().join("tree"))
    }

    /// Puts the folder in place.
    pub fn commit(mut self) -> Result<()> {
        let io = |e| Error::io(&self.target, e);
        let new = self.temp.path().join("tree");
        fs::create_dir_all(&new).map_err(io)?;
        sync_folder(&new);
        let placing = live();
        if !self.replace {
            fs::rename(&new, &self.target).map_err(io)?;
        } else if !exchange(&new, &self.target) {
            let old = self.temp.path().join("old");
            fs::rename(&self.target, &old).map_err(io)?;
            if let Err(e) = fs::rename(&new, &self.target) {
                let _ = fs::rename(&old, &self.target);
                return Err(io(e));
            }
        }
        drop(placing);
        self.made.0.clear();
        sync_folder(parent(&self.target));
        Ok(())
    }
}

/// Swaps two folders in one step, where the system can: then even a kill at the worst moment leaves one of them in place.
fn exchange(a: &Path, b: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return rustix::fs::renameat_with(rustix::fs::CWD, a, rustix::fs::CWD, b, rustix::fs::RenameFlags::EXCHANGE).is_ok();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (a, b);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_read_whole() {
        let dir = tempfile::tempdir().unwrap();
        for more in [0, 1, 70_001] {
            let content: Vec<u8> = (0..SHARED as u32 + more).map(|i| (i ^ i >> 11) as u8).collect();
            let path = dir.path().join(more.to_string());
            fs::write(&path, &content).unwrap();
            assert!(read(&path).unwrap() == content);
        }
        assert!(read(&dir.path().join("none")).unwrap_err().to_string().contains("no such file"));
        assert!(read(dir.path()).is_err());
    }

    #[test]
    fn large_files_are_written_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/file");
        let piece: Vec<u8> = (0..1_000_003u32).map(|i| (i ^ i >> 7) as u8).collect();
        let pieces = |out: &mut (dyn Write + Send)| (0..20).try_for_each(|_| out.write_all(&piece).map_err(Error::stopped));
        let stopped = |out: &mut (dyn Write + Send)| pieces(out).and_then(|()| Err(Error::say("no more")));
        assert!(write_file_with(&path, false, stopped).unwrap_err().to_string().contains("no more"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        write_file_with(&path, false, pieces).unwrap();
        assert!(fs::read(&path).unwrap() == piece.repeat(20));
    }
}
