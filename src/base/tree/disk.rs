//! Writes all files: next to the target first, synced, then renamed.
//!
//! **What may be replaced** is decided here and nowhere else, at the last moment, while refit has
//! the lock of the folder (`disk/turn`):
//!
//! - Nothing that exists is replaced without `force`. Only regular files are replaced; if the path
//!   is a link, the file that it leads to.
//! - A file that already has the new content is left alone.
//! - A file that changed since it was read, or since the work began, is not replaced: another
//!   program wrote it.
//! - Before the first replacement, a file is kept as `NAME.orig`, next to the file and not next to
//!   a link to it, unless refit wrote it (see `disk/own`). `NAME.orig` is a regular file, never a
//!   target and never replaced.
//! - Later, a file is replaced without a copy if refit wrote it or if it equals `NAME.orig`.
//!   Anything else, such as the output of a patch, is kept as `NAME.orig.2`, `.3` and so on. So is
//!   a file that another writer of refit wrote (an edit in place, mods, or a project); see [`By`].
//! - If another program has left a file under the name `NAME.orig`, the first original is kept
//!   under one of these further names, and its note says so: see [`original_path`].
//! - A file that refit added to a game has no `NAME.orig`: `restore` deletes it.
//! - A folder is replaced only if refit made it. If anything in it was edited, added or deleted
//!   since, it is moved aside to `NAME.old`.

mod fault;
mod folder;
mod held;
mod own;
pub mod together;
mod turn;

pub use fault::step;
pub use folder::{DirSink, DirSource};
pub use held::{new_temporary, patiently, patiently_for, persist};
pub use own::{By, Note, are_sums_of, is_sum_of};
pub use together::Together;
pub use turn::{is_left_behind, is_unfinished, note_unfinished, remarks};

pub use super::inside::open_regular;
use super::{
    Sums,
    blob::Blob,
    blob::read_exact_at,
    sums::{FileSum, List},
};
use crate::{
    Sum, Summing, par,
    path::Shown,
    wire::{Error, ErrorKind, Result, count},
};
use own::NoteMark;
use std::{
    collections::{BTreeSet, HashMap},
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    sync::{
        LazyLock, Mutex, MutexGuard, PoisonError,
        mpsc::{SyncSender, sync_channel},
    },
    thread::ScopedJoinHandle,
    time::{Duration, SystemTime},
};
use turn::Turn;

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

fn unread(path: &Path, e: std::io::Error) -> Error {
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
const SHARED: u64 = 8 << 20;

fn read_whole(mut file: fs::File, meta: &fs::Metadata) -> std::io::Result<Vec<u8>> {
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

/// The temporary files and folders that exist at the moment. To put something in place, hold the
/// lock.
static LIVE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn live() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file or folder that [`abandon`] removes while this value lives.
struct Live(PathBuf);

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
    fn know(path: PathBuf) -> Self {
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
fn temporary_file(folder: &Path) -> std::io::Result<(tempfile::NamedTempFile, Live)> {
    step()?;
    let (file, live) = Live::make(|| held::new_temporary(folder))?;
    turn::claim_file(file.as_file());
    Ok((file, live))
}

/// Creates a temporary folder in a folder, in use while the returned file is open. Requires the
/// folder's [`Turn`].
fn temporary_folder(folder: &Path) -> std::io::Result<(tempfile::TempDir, Live, fs::File)> {
    step()?;
    let (temp, live) = Live::make(|| held::new_temporary_folder(folder))?;
    let claim = turn::claim_folder(temp.path())?;
    Ok((temp, live, claim))
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    }
}

/// The path of the pristine copy that is made before a file is first overwritten.
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".orig");
    PathBuf::from(name)
}

/// The name of the `n`th further copy that is kept of a file: `NAME.orig.2`.
fn further_path(file: &Path, n: u32) -> PathBuf {
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
fn first_original(file: &Path, source: Option<Sum>) -> Option<PathBuf> {
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
const FIRST: &str = " first";

/// The note on a copy with this checksum.
fn original_note(sum: Sum, first: bool) -> String {
    format!("{sum}{}", if first { FIRST } else { "" })
}

/// True for the name of a kept file: `NAME.orig`, `NAME.orig.2`. Such files are never written to.
fn is_original(path: &Path) -> bool {
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

/// What to keep of a file that is replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backup {
    /// Keep it unless refit wrote it: for files that can be written again, such as those of a tree.
    #[default]
    Foreign,
    /// Keep it before the first replacement, even if refit wrote it: for edits in place.
    First,
    /// Keep nothing, at the user's request.
    Never,
}

/// Whether and how an existing file may be replaced.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replace<'a> {
    /// True if it may be replaced.
    pub force: bool,
    /// What to keep of the old file.
    pub backup: Backup,
    /// The checksum of the content that was read, for an edit in place: a file with other content is not
    /// replaced.
    pub read: Option<Sum>,
    /// The checksum of the file from which the new one was made. It is kept before the first
    /// replacement, even if refit wrote it.
    pub source: Option<Sum>,
    /// The writer.
    pub by: By<'a>,
    /// For a new file of a game, its path below the game's folder: `restore` deletes it.
    pub adds: Option<&'a Path>,
    /// Only the user may read the new file.
    pub private: bool,
}

impl Replace<'_> {
    /// Replaces a file only with `force`, and keeps it unless refit wrote it.
    pub fn new(force: bool) -> Self {
        Replace {
            force,
            ..Self::default()
        }
    }

    /// True for a file with this checksum that refit wrote and need not keep: it can be written
    /// again, or this writer knows it.
    fn knows(&self, target: &Path, sum: Sum) -> bool {
        let by = own_note(target, sum).map(|note| note.by);
        by.is_some_and(|by| by.is_empty() || self.has_read(target, sum) || by == self.by.word())
    }

    /// True if this content, that of `target`, was read.
    fn has_read(&self, target: &Path, sum: Sum) -> bool {
        self.read
            .is_some_and(|read| own::is_sum_of(target, sum, read))
    }

    /// The note for the new file.
    fn note(&self, target: &Path, sum: Sum) -> String {
        let added = match added_place(target) {
            Some(place) => Some(place),
            None if is_absent(target) && is_absent(&original_path(target)) => self
                .adds
                .map(|path| own::place_of(target, path.iter().count())),
            None => None,
        };
        Note::text(sum, self.by, added.as_deref())
    }
}

/// True for a file that did not exist before refit wrote it, even if it was edited since.
pub fn is_added(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_file()) && added_place(path).is_some()
}

fn added_place(path: &Path) -> Option<String> {
    let note = Note::of(path)?;
    let whole = crate::path::canonical(parent(path))
        .ok()?
        .join(path.file_name()?);
    note.added(&whole).map(str::to_owned)
}

/// True for an empty folder that refit made for its own files.
pub fn is_left_empty(folder: &Path) -> bool {
    let is_left = |entry: std::io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| is_left_behind(&entry.path()))
    };
    own::is_made(folder) && fs::read_dir(folder).is_ok_and(|mut entries| entries.all(is_left))
}

/// Removes what killed runs left in a folder.
pub fn sweep(folder: &Path) {
    // Not critical: another run will remove leftovers.
    let _ = Turn::take_swept(folder);
}

/// Removes a folder that refit made for its own files, and its parents, while they are empty. Does
/// not remove `root`.
pub fn remove_left_empty(folder: &Path, root: &Path) {
    let mut folder = folder.to_owned();
    while folder != root && folder.starts_with(root) && is_left_empty(&folder) {
        if let Ok(_turn) = Turn::take(&folder) {
            turn::sweep(&folder);
        }
        if step().and_then(|()| fs::remove_dir(&folder)).is_err() {
            return;
        }
        own::forget_gone(&folder);
        if !folder.pop() {
            return;
        }
    }
}

/// Notes on a file with this checksum that it was made on this machine. Archives do not preserve the
/// note. False if the disk does not support it.
pub fn note_as_own(path: &Path, sum: Sum) -> bool {
    NoteMark::Written.attach(path, &sum.to_string())
}

/// True for a file with such a note.
pub fn is_noted_as_own(path: &Path, sum: Sum) -> bool {
    NoteMark::Written.is_attached(path, sum)
}

/// A file that was written.
#[derive(Debug, Default)]
pub struct Written {
    /// Its size.
    pub bytes: u64,
    /// Its checksum, of the same kind as that of its source.
    pub sum: Sum,
    /// True if the file already had this content and was left alone.
    pub unchanged: bool,
    /// The copy of the replaced file.
    pub kept: Option<KeptCopy>,
}

/// A copy of a file that was replaced.
#[derive(Clone, Debug)]
pub struct KeptCopy {
    /// The copy.
    pub path: PathBuf,
    /// True if neither refit nor the known source wrote the replaced file, so the user may not know
    /// about it.
    pub foreign: bool,
    /// True for the original under another name than `NAME.orig`, which another program took.
    first: bool,
}

/// Identifies a version of a file: it differs for any other file, and after a write to the same
/// one.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    id: (u64, u64),
}

impl Stamp {
    /// `None` if the path does not exist.
    fn of(path: &Path) -> Option<Self> {
        let meta = path.symlink_metadata().ok()?;
        let id = held::number_of(path, &meta);
        Some(Stamp {
            len: meta.len(),
            modified: meta.modified().ok(),
            id,
        })
    }
}

/// The place of a file to be written.
struct WriteTarget<'a> {
    /// The path as given.
    path: &'a Path,
    /// The file itself, after following links.
    target: PathBuf,
    /// Its stamp when the work began.
    stamp: Option<Stamp>,
}

/// Follows links to the file itself.
fn behind_links(path: &Path) -> Result<PathBuf> {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => crate::path::canonical(path)
            .map_err(|e| Error::io(path, e).hint("a link that leads nowhere")),
        _ => Ok(path.to_owned()),
    }
}

fn is_absent(path: &Path) -> bool {
    path.symlink_metadata()
        .is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound)
}

/// Refuses anything but a regular file: a pipe would block, and a file cannot replace a device.
fn check_regular(path: &Path, meta: &fs::Metadata) -> Result<()> {
    if meta.is_file() {
        return Ok(());
    }
    Err(
        Error::say("not a regular file, so refit does not replace it")
            .in_file(path.shown())
            .hint("name another file"),
    )
}

/// An error if the path of the original is not a regular file. A file is not replaced before its
/// copy is safe.
fn check_backup(backup: &Path) -> Result<()> {
    match backup.symlink_metadata() {
        Ok(meta) if !meta.is_file() => Err(Error::say(
            "not a regular file, so the original cannot be kept under this name",
        )
        .in_file(backup.shown())
        .hint("nothing was written; move it away first")),
        _ => Ok(()),
    }
}

/// How to make a read-only file writable; files copied from a CD are read-only.
fn writable_hint(windows: bool, file: &Path) -> String {
    match windows {
        true => format!("make it writable first: attrib -r \"{}\"", file.shown()),
        false => "make it writable first".to_owned(),
    }
}

/// Why Windows cannot create this path. Existing components are not checked, but devices always
/// are.
fn unusable_in(path: &Path) -> Option<String> {
    path.ancestors().find_map(|path| {
        let name = path.file_name()?.to_string_lossy();
        let why = crate::path::unusable(&name)?;
        let is_device = crate::path::is_device(name.split('.').next().unwrap_or_default());
        (is_device || path.symlink_metadata().is_err()).then_some(why)
    })
}

fn place<'a>(path: &'a Path, may: &Replace<'_>) -> Result<WriteTarget<'a>> {
    let named = |message: &str| Error::say(message).in_file(path.shown());
    if cfg!(windows)
        && let Some(why) = unusable_in(path)
    {
        return Err(named(&why).hint("name another file"));
    }
    let kept_safe = || {
        named("refit keeps originals under this name and never overwrites them")
            .hint("name another file")
    };
    if is_original(path) {
        return Err(kept_safe());
    }
    if path.symlink_metadata().is_err() {
        let above = path.ancestors().skip(1).find(|above| above.exists());
        return match above.is_none_or(Path::is_dir) {
            true => Ok(WriteTarget {
                path,
                target: path.to_owned(),
                stamp: None,
            }),
            false => Err(named(
                "a file has the name of a folder that refit would create",
            )),
        };
    }
    let target = behind_links(path)?;
    let meta = target.symlink_metadata().map_err(|e| Error::io(path, e))?;
    if meta.is_dir() {
        return Err(named("a folder has this name").hint("name the file with -o"));
    }
    check_regular(path, &meta)?;
    if is_original(&target) {
        return Err(kept_safe());
    }
    if !may.force {
        return Err(named("the file already exists")
            .hint("use --force to replace it; the original is kept as NAME.orig"));
    }
    if meta.permissions().readonly() {
        return Err(named("the file is read-only").hint(writable_hint(cfg!(windows), &target)));
    }
    if may.backup != Backup::Never {
        check_backup(&backup_path(&target))?;
    }
    let stamp =
        Stamp::of(&target).ok_or_else(|| Error::io(path, std::io::ErrorKind::NotFound.into()))?;
    Ok(WriteTarget {
        path,
        target,
        stamp: Some(stamp),
    })
}

/// True if [`write_file`] would replace a file, false if it would create one; an error if it would
/// refuse.
pub fn check_file(path: &Path, may: Replace<'_>) -> Result<bool> {
    place(path, &may).map(|place| place.stamp.is_some())
}

/// Writes a file completely or not at all, and creates its folder. `may` and the rule above decide
/// what happens to an existing file.
pub fn write_file(path: &Path, bytes: &[u8], may: Replace<'_>) -> Result<Written> {
    write_file_with(path, may, |out| {
        out.write_all(bytes).map_err(Error::stopped)
    })
}

/// [`write_file`] for bytes that come in pieces, such as those of
/// [`crate::contract::Model::write_to`].
pub fn write_file_with(
    path: &Path,
    may: Replace<'_>,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
) -> Result<Written> {
    write_file_checked(path, may, write, |_, _| Ok(()))
}

/// Writes a new file while syncing what is already written. Returns its size and its checksum, of the
/// kind of the `source`'s. Errors name `path`.
fn fill(
    file: &fs::File,
    path: &Path,
    source: Option<Sum>,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
) -> Result<(u64, Sum)> {
    let io = |e| Error::io(path, e);
    std::thread::scope(|scope| {
        let mut to = Early {
            file,
            scope,
            since: 0,
            syncing: None,
        };
        // Buffered, because some formats write many small pieces: an entry table, then thousands of
        // files.
        let mut out = std::io::BufWriter::with_capacity(
            AT_ONCE,
            Summed::new(&mut to, source.unwrap_or_default()),
        );
        write(&mut out).map_err(|e| match e.what() {
            crate::wire::Cause::Io(_) => e.in_file(path.shown()),
            _ => e,
        })?;
        let out = out.into_inner().map_err(|e| io(e.into_error()))?;
        let written = out.end();
        to.end().map_err(io)?;
        Ok(written)
    })
}

/// [`write_file_with`] that calls `check` with the new file's size and checksum before putting it in
/// place.
pub fn write_file_checked(
    path: &Path,
    may: Replace<'_>,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
    check: impl FnOnce(u64, Sum) -> Result<()>,
) -> Result<Written> {
    let place = place(path, &may)?;
    let io = |e| Error::io(path, e);
    let mut made = NewFolders::make_for(parent(&place.target), &may)?;
    let (temp, _live) = {
        let _turn = Turn::take_swept(parent(&place.target))?;
        temporary_file(parent(&place.target)).map_err(io)?
    };
    let (bytes, sum) = fill(temp.as_file(), path, may.source, write)?;
    check(bytes, sum)?;
    step()
        .and_then(|()| temp.as_file().sync_all())
        .map_err(io)?;
    let mut written = Written {
        bytes,
        sum,
        unchanged: false,
        kept: None,
    };
    place.put(temp, &may, &mut written)?;
    made.0.clear();
    Ok(written)
}

impl WriteTarget<'_> {
    fn changed(&self) -> Error {
        Error::say("the file changed while refit was at work: another refit or program wrote it")
            .in_file(self.path.shown())
            .hint("nothing was written; look at it and try again")
    }

    /// Puts the new file in place, and keeps the old one according to the rule.
    fn put(
        &self,
        temp: tempfile::NamedTempFile,
        may: &Replace<'_>,
        written: &mut Written,
    ) -> Result<()> {
        let io = |e| Error::io(self.path, e);
        let target = &self.target;
        let _turn = Turn::take(parent(target))?;
        if Stamp::of(target) != self.stamp {
            return Err(self.changed());
        }
        let mut kept = None;
        if self.stamp.is_some() {
            // A rename only needs write access to the folder. Refuse if the user may not write the
            // file itself.
            held::patiently(|| fs::OpenOptions::new().write(true).open(target)).map_err(io)?;
            let old = match self.stamp.as_ref().and_then(|stamp| own_sum(target, stamp)) {
                Some(sum) => sum,
                None => Blob::of_file(target)?.sum()?,
            };
            if may.read.is_some() && !may.has_read(target, old) {
                return Err(self.changed());
            }
            if own::is_sum_of(target, old, written.sum) {
                written.unchanged = true;
                return Ok(());
            }
            kept = keep(target, old, may)?;
            if let Ok(meta) = fs::metadata(target) {
                let _ = temp.as_file().set_permissions(meta.permissions());
            }
        } else if !may.private {
            // A temporary file is private already.
            give_usual_permissions(temp.as_file());
        }
        let note = may.note(target, written.sum);
        let attached = NoteMark::Written.attach(temp.path(), &note);
        let placing = live();
        let done = match &self.stamp {
            // Check again: copying a large original takes a while, and other programs ignore
            // `Turn`.
            stamp if Stamp::of(target) != *stamp => Err(self.changed()),
            Some(_) => step()
                .and_then(|()| held::persist(temp, target))
                .map_err(io),
            None => step()
                .and_then(|()| held::persist_new(temp, target))
                .map_err(io),
        };
        drop(placing);
        if let Err(e) = done {
            if let Some(kept) = kept {
                // The file itself still exists.
                let _ = held::remove_file(&kept.path);
            }
            return Err(e);
        }
        if !attached {
            NoteMark::list(target, &note);
        }
        remember(target, written.sum);
        sync_folder(parent(target));
        written.kept = kept;
        Ok(())
    }
}

/// The stamps and checksums of files that this process put in place, so that it need not read them
/// again before it replaces them again.
fn own_sums() -> MutexGuard<'static, HashMap<PathBuf, (Stamp, Sum)>> {
    static SUMS: LazyLock<Mutex<HashMap<PathBuf, (Stamp, Sum)>>> = LazyLock::new(Mutex::default);
    SUMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers a file that was just put in place, if its modification time is old enough that any
/// later write changes it, and if its checksum is of the kind that [`standing`] gives.
fn remember(file: &Path, sum: Sum) {
    /// Longer than the clock ticks of file systems.
    const TICK: Duration = Duration::from_millis(20);
    let stamp = Stamp::of(file).filter(|stamp| {
        let age = stamp
            .modified
            .and_then(|modified| SystemTime::now().duration_since(modified).ok());
        stamp.id != (0, 0) && age.is_some_and(|age| age > TICK) && !sum.is_sha256()
    });
    match stamp {
        Some(stamp) => own_sums().insert(file.to_owned(), (stamp, sum)),
        None => own_sums().remove(file),
    };
}

/// The checksum of a file that this process put in place, if it has not changed since: a write
/// changes its time, and a replacement its number.
fn own_sum(file: &Path, now: &Stamp) -> Option<Sum> {
    own_sums()
        .get(file)
        .filter(|(stamp, _)| stamp == now)
        .map(|(_, sum)| *sum)
}

/// Keeps the file that is about to be replaced, if the rule requires it. `sum` is its checksum.
fn keep(file: &Path, sum: Sum, may: &Replace<'_>) -> Result<Option<KeptCopy>> {
    let kept = keep_as(file, sum, may)?;
    kept.map(|kept| copy_to(file, &kept.path, sum, kept.first).map(|()| kept))
        .transpose()
}

/// The name under which to keep the file at `target`, with checksum `sum`, if the rule requires it.
fn keep_as(target: &Path, sum: Sum, may: &Replace<'_>) -> Result<Option<KeptCopy>> {
    if may.backup == Backup::Never {
        return Ok(None);
    }
    let backup = backup_path(target);
    let ours = may.knows(target, sum);
    let source = may
        .source
        .is_some_and(|source| own::is_sum_of(target, sum, source));
    check_backup(&backup)?;
    let original = first_original(target, may.source);
    if let (Some(original), Some(source)) = (&original, may.source)
        && !NoteMark::Original.is_there(original)
    {
        // Another program made this copy of the original: it is as good as refit's own.
        NoteMark::Original.note(original, &original_note(source, false));
    }
    // A file that refit added is not an original.
    if original.is_none() && !is_added(target) {
        if ours && !source && may.backup == Backup::Foreign {
            return Ok(None);
        }
        let foreign = may.source.is_some() && !source && !ours;
        if is_absent(&backup) {
            return Ok(Some(KeptCopy {
                path: backup,
                foreign,
                first: false,
            }));
        }
        // Another program took the name, perhaps for the same content.
        return match further_name(target, sum, 1)? {
            (path, false) => Ok(Some(KeptCopy {
                path,
                foreign,
                first: true,
            })),
            (path, true) => {
                NoteMark::Original.note(&path, &original_note(sum, path != backup));
                Ok(None)
            }
        };
    }
    if ours || is_same(target, &original.unwrap_or(backup), sum)? {
        return Ok(None);
    }
    keep_further_name(target, sum).map(|kept| {
        kept.map(|path| KeptCopy {
            path,
            foreign: true,
            first: false,
        })
    })
}

/// Keeps a copy of a file next to its original and returns the copy's path; `None` if a copy exists
/// already.
pub fn keep_copy(path: &Path) -> Result<Option<PathBuf>> {
    let file = behind_links(path)?;
    let sum = Blob::of_file(&file)?.sum()?;
    let backup = original_path(&file);
    if is_same(&file, &backup, sum)? {
        Ok(None)
    } else {
        keep_further(&file, sum)
    }
}

/// The checksum of the file at a path; `None` if it does not exist.
pub fn standing(path: &Path) -> Result<Option<Sum>> {
    if is_absent(path) {
        return Ok(None);
    }
    let file = behind_links(path)?;
    match Stamp::of(&file).and_then(|stamp| own_sum(&file, &stamp)) {
        Some(sum) => Ok(Some(sum)),
        None => Blob::of_file(&file)?.sum().map(Some),
    }
}

/// Keeps a file next to its original, as `NAME.orig.2` and so on; `None` if such a copy exists
/// already.
fn keep_further(file: &Path, sum: Sum) -> Result<Option<PathBuf>> {
    match keep_further_name(file, sum)? {
        Some(path) => copy_to(file, &path, sum, false).map(|()| Some(path)),
        None => Ok(None),
    }
}

/// The name under which [`keep_further`] keeps a file.
fn keep_further_name(file: &Path, sum: Sum) -> Result<Option<PathBuf>> {
    further_name(file, sum, 2).map(|(path, exists)| (!exists).then_some(path))
}

/// The first free name for a copy of a file from `NAME.orig.FROM` on, or a copy with the same
/// content, and whether it exists.
fn further_name(file: &Path, sum: Sum, from: u32) -> Result<(PathBuf, bool)> {
    for n in from..MOST_NAMES {
        let path = if n == 1 {
            backup_path(file)
        } else {
            further_path(file, n)
        };
        if looked_at(&path)?.is_none() {
            return Ok((path, false));
        }
        if is_same(file, &path, sum)? {
            return Ok((path, true));
        }
    }
    Err(
        Error::say("too many copies of this file are kept beside it")
            .in_file(file.shown())
            .hint("move some of NAME.orig.2, NAME.orig.3 … away"),
    )
}

/// How many names to try for a further copy.
const MOST_NAMES: u32 = 10_000;

/// Metadata of the file at a path; `None` if it does not exist; an error if it cannot be read.
fn looked_at(path: &Path) -> Result<Option<fs::Metadata>> {
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

/// True if `other` is a regular file with the content of `file`, whose checksum is `sum`.
fn is_same(file: &Path, other: &Path, sum: Sum) -> Result<bool> {
    let (Some(a), Some(b)) = (looked_at(file)?, looked_at(other)?) else {
        return Ok(false);
    };
    Ok(b.is_file() && a.len() == b.len() && Blob::of_file(other)?.sum()? == sum)
}

/// Keeps a copy of a file. Copies instead of renaming, so that the game's file exists at every
/// moment. `first` is for its note.
fn copy_to(file: &Path, to: &Path, sum: Sum, first: bool) -> Result<()> {
    let io = |e| Error::io(to, e);
    let (mut temp, _live) = temporary_file(parent(to)).map_err(io)?;
    let mut from = fs::File::open(file).map_err(|e| Error::io(file, e))?;
    step()
        .and_then(|()| std::io::copy(&mut from, temp.as_file_mut()))
        .map_err(io)?;
    // Read through the handle that has the lock: Windows refuses any other.
    if Blob::of_open(temp.as_file(), to)?.sum()? != sum {
        return Err(Error::say("the file changed while it was copied")
            .in_file(file.shown())
            .hint("nothing was written"));
    }
    let note = original_note(sum, first);
    let attached = NoteMark::Original.attach(temp.path(), &note);
    // Give the copy the permissions and time of the original, so that `restore` brings them back.
    // Attach the note first: on Windows it is part of the file and changes the time.
    if let Ok(meta) = from.metadata() {
        let _ = temp.as_file().set_permissions(meta.permissions());
        let _ = meta
            .modified()
            .and_then(|at| temp.as_file().set_modified(at));
    }
    step()
        .and_then(|()| temp.as_file().sync_all())
        .map_err(io)?;
    let placing = live();
    step()
        .and_then(|()| held::persist_new(temp, to))
        .map_err(io)?;
    drop(placing);
    if !attached {
        NoteMark::list(to, &note);
    }
    sync_folder(parent(to));
    Ok(())
}

/// A writer that counts and hashes what passes through it.
pub struct Summed<'a> {
    to: &'a mut (dyn Write + Send),
    bytes: u64,
    sum: Summing,
}

impl<'a> Summed<'a> {
    /// Passes everything on to `to`. The checksum is to be compared with `like`.
    pub fn new(to: &'a mut (dyn Write + Send), like: Sum) -> Self {
        Summed {
            to,
            bytes: 0,
            sum: Summing::like(like),
        }
    }
    /// The number of bytes and their checksum.
    pub fn end(self) -> (u64, Sum) {
        (self.bytes, self.sum.end())
    }
}

impl Write for Summed<'_> {
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        self.to.write_all(piece)?;
        self.sum.update(piece);
        self.bytes += piece.len() as u64;
        Ok(piece.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}

/// How many bytes are written and hashed at a time.
const AT_ONCE: usize = 1 << 18;

/// How many bytes to write before syncing them.
const EARLY: usize = 8 << 20;

/// A file that is synced while more of it is written, so that the final sync is short.
struct Early<'scope, 'env> {
    file: &'scope fs::File,
    scope: &'scope std::thread::Scope<'scope, 'env>,
    since: usize,
    syncing: Option<(
        SyncSender<()>,
        ScopedJoinHandle<'scope, std::io::Result<()>>,
    )>,
}

impl Early<'_, '_> {
    /// Waits for the sync in progress. The system reports a disk error only once, so it must not be
    /// lost here.
    fn end(self) -> std::io::Result<()> {
        let Some((ask, syncing)) = self.syncing else {
            return Ok(());
        };
        drop(ask);
        syncing.join().unwrap_or_else(|_| {
            Err(std::io::Error::other(
                "the thread that syncs the file ended",
            ))
        })
    }
}

impl Write for Early<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        step()?;
        let written = self.file.write(bytes)?;
        self.since += written;
        if self.since >= EARLY {
            self.since = 0;
            if self.syncing.is_none() {
                let (file, (ask, asked)) = (self.file, sync_channel(1));
                let sync = move || asked.iter().try_for_each(|()| file.sync_data());
                // If no thread can be started, the final sync writes everything.
                self.syncing = std::thread::Builder::new()
                    .spawn_scoped(self.scope, sync)
                    .ok()
                    .map(|thread| (ask, thread));
            }
            if let Some((ask, _)) = &self.syncing {
                // If a sync is requested already, the channel is full, and that sync covers both.
                let _ = ask.try_send(());
            }
        }
        Ok(written)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Temporary files are private; gives the file ordinary permissions.
fn give_usual_permissions(file: &fs::File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = file.set_permissions(fs::Permissions::from_mode(0o644));
    }
    #[cfg(not(unix))]
    let _ = file;
}

/// A file and its kept original.
#[derive(Clone, Debug)]
pub struct Original {
    /// The file, after following links. It may be missing.
    pub file: PathBuf,
    /// Its original.
    pub backup: PathBuf,
    /// True if refit noted that it kept this content.
    pub noted: bool,
}

/// Finds the original of a file.
pub fn original(path: &Path) -> Result<Original> {
    let file = behind_links(path)?;
    let backup = original_path(&file);
    let meta = backup.symlink_metadata().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            let error = Error::say(format!("there is no {}", backup.shown()));
            match file != path && backup_path(path).symlink_metadata().is_ok() {
                true => error.hint("the one beside the link belongs there; move it"),
                false => error.hint("refit has not replaced this file"),
            }
        }
        _ => Error::io(&backup, e),
    })?;
    if !meta.is_file() {
        return Err(
            Error::say("not a regular file, so it is not an original").in_file(backup.shown())
        );
    }
    if let Ok(meta) = file.symlink_metadata() {
        check_regular(&file, &meta)?;
    }
    let noted = NoteMark::Original.fits(&backup, Blob::of_file(&backup)?.sum()?);
    Ok(Original {
        file,
        backup,
        noted,
    })
}

impl Original {
    /// Later kept versions of the file, `NAME.orig.2` and so on: what patches and other programs
    /// wrote.
    pub fn later(&self) -> Vec<PathBuf> {
        let numbered = |n: u32| PathBuf::from(format!("{}.{n}", self.backup.shown()));
        (2..)
            .map(numbered)
            .take_while(|path| path.is_file())
            .collect()
    }

    /// Moves the original back to its place, after which there is no `.orig`. Discards what refit
    /// wrote; keeps anything else and returns the path of the copy.
    pub fn restore(&self) -> Result<Option<PathBuf>> {
        let _turn = Turn::take(parent(&self.file))?;
        // Look again with the lock: another refit may have changed the file or its original.
        let again = original(&self.file)?;
        let mut kept = None;
        if !is_absent(&again.file) {
            let sum = Blob::of_file(&again.file)?.sum()?;
            if !NoteMark::Written.fits(&again.file, sum)
                && !is_same(&again.file, &again.backup, sum)?
            {
                kept = keep_further(&again.file, sum)?;
            }
        }
        let placing = live();
        step()
            .and_then(|()| held::rename(&again.backup, &again.file))
            .map_err(|e| {
                if let Some(kept) = &kept {
                    let _ = held::remove_file(kept);
                }
                Error::io(&again.backup, e)
            })?;
        own::forget(&again.file, &again.backup);
        drop(placing);
        sync_folder(parent(&again.file));
        Ok(kept)
    }
}

/// Makes a rename durable, if the system can sync folders.
fn sync_folder(path: &Path) {
    if step().is_ok()
        && let Ok(folder) = fs::File::open(path)
    {
        let _ = folder.sync_all();
    }
}

/// The note on a file that refit wrote, and that has this checksum now; `None` for any other file.
pub fn own_note(path: &Path, sum: Sum) -> Option<Note> {
    Note::of(path).filter(|note| own::is_sum_of(path, sum, note.sum))
}

/// The note on a file that refit wrote, if the file is still as it was written.
pub fn current_note(path: &Path) -> Option<Note> {
    own_note(path, standing(path).ok().flatten()?)
}

/// True if a file has this size and checksum. What cannot be read has not.
pub fn has_content(path: &Path, bytes: u64, sum: &Sum) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.len() == bytes)
        && Blob::of_file(path)
            .and_then(|file| file.has_sum(sum))
            .unwrap_or_default()
}

/// True if [`StagedDir::new`] would replace a folder, false if it would create one; an error if it
/// would refuse.
pub fn check_folder(target: &Path, force: bool) -> Result<bool> {
    let io = |e| Error::io(target, e);
    let named = || target.shown();
    if is_original(target) {
        return Err(Error::say(
            "refit keeps originals under this name, so it does not create a folder there",
        )
        .in_file(named())
        .hint("name another one"));
    }
    if cfg!(windows)
        && let Some(why) = unusable_in(target)
    {
        return Err(Error::say(why)
            .in_file(named())
            .hint("name another folder with -o"));
    }
    let Ok(meta) = target.symlink_metadata() else {
        return Ok(false);
    };
    if !meta.is_dir() {
        return Err(Error::say("a file has this name")
            .in_file(named())
            .hint("name another folder with -o"));
    }
    let empty = fs::read_dir(target).map_err(io)?.next().is_none();
    let ours = ["refit.json", "refit.ron", ".refit/export"]
        .iter()
        .any(|mark| target.join(mark).is_file());
    if !empty && !ours {
        return Err(
            Error::say("the folder contains other files, so refit does not replace it")
                .in_file(named())
                .hint("name another one with -o"),
        );
    }
    if !empty && !force {
        return Err(Error::say("the folder already exists")
            .in_file(named())
            .hint("use --force to replace it, or name another one with -o"));
    }
    if let Some(history) = [".git", ".hg", ".svn"]
        .into_iter()
        .find(|history| target.join(history).exists())
    {
        return Err(Error::say(format!(
            "the folder contains {history}, which would be lost"
        ))
        .in_file(named())
        .hint("name another one with -o and copy the files over"));
    }
    Ok(true)
}

/// How a file in a folder differs from what refit wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Its content differs.
    Modified,
    /// refit did not write it.
    Added,
    /// It is missing.
    Deleted,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Change::Modified => "modified",
            Change::Added => "added",
            Change::Deleted => "deleted",
        })
    }
}

/// All differences between a folder and what refit wrote there, sorted by path: what replacing the
/// folder would lose. Ignores files in which systems store the display of a folder.
pub fn edits(folder: &Path) -> Result<Vec<(String, Change)>> {
    note_unfinished(folder);
    let unknown = |e: Error| e.hint("so refit cannot tell what was edited");
    let list = |folder: &Path| List::of(&DirSource::new(folder)).map_err(unknown);
    let mut lists = vec![(String::new(), list(folder)?)];
    let spelled = |path: &Path| {
        path.components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/")
    };
    // A project consists of trees, each with its own checksums.
    let mut trees = std::collections::HashSet::from([PathBuf::from(".refit")]);
    if super::is_project(folder) {
        for entry in walkdir::WalkDir::new(folder)
            .min_depth(2)
            .into_iter()
            .filter_map(|entry| entry.ok())
        {
            let tree = entry
                .path()
                .strip_prefix(folder)
                .ok()
                .filter(|_| entry.file_type().is_dir())
                .and_then(|own| {
                    let tree = own
                        .parent()
                        .filter(|_| own.ends_with(".refit") && List::is_in(entry.path()))?;
                    Some((own.to_owned(), tree.to_owned()))
                });
            if let Some((own, tree)) = tree {
                lists.push((spelled(&tree) + "/", list(&folder.join(&tree))?));
                trees.insert(own);
            }
        }
    }
    let mut before = Sums::read_all(lists).map_err(unknown)?;
    let mut out = Vec::new();
    let mut to_sum = Vec::new();
    for entry in walkdir::WalkDir::new(folder).min_depth(1) {
        let entry = entry.map_err(|e| {
            unknown(Error::io(
                e.path().unwrap_or(folder),
                std::io::Error::other(e.to_string()),
            ))
        })?;
        let Ok(relative) = entry.path().strip_prefix(folder) else {
            continue;
        };
        let own = relative
            .ancestors()
            .any(|above| above.ends_with(".refit") && trees.contains(above));
        if entry.file_type().is_dir() || own || is_of_the_system(relative) {
            continue;
        }
        let name = spelled(relative);
        match before.remove(&name) {
            Some(sum) if entry.file_type().is_file() => to_sum.push((name, entry.into_path(), sum)),
            Some(_) => out.push((name, Change::Modified)),
            None => out.push((name, Change::Added)),
        }
    }
    let same = par::try_map(&to_sum, |_, (_, path, sum)| {
        sum.fits_file(&Blob::of_file(path)?)
    })
    .map_err(unknown)?;
    out.extend(
        to_sum
            .into_iter()
            .zip(same)
            .filter(|(_, same)| !same)
            .map(|((name, ..), _)| (name, Change::Modified)),
    );
    out.extend(before.paths().map(|name| (name, Change::Deleted)));
    out.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(out)
}

fn is_of_the_system(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    matches!(name.as_str(), ".ds_store" | "thumbs.db" | "desktop.ini") || name.starts_with("._")
}

/// Writes the checksums of a folder that has none, so that [`edits`] can find later edits.
fn note_sums(folder: &Path) -> Result<()> {
    if List::is_in(&folder.join(".refit")) {
        return Ok(());
    }
    let files: Vec<PathBuf> = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_map(|entry| entry.ok())
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect();
    let found: Vec<(String, FileSum)> = par::try_times(files.len(), |i| {
        let path = files.get(i)?;
        let name = path.strip_prefix(folder).ok()?.to_str()?.replace('\\', "/");
        let sum = || FileSum::of_file(&Blob::of_file(path)?);
        (!name.starts_with(".refit/")).then(|| Ok((name, sum()?)))
    })?;
    let mut sums = Sums::default();
    for (name, sum) in found {
        sums.add(&name, sum);
    }
    sums.put(&DirSink::new(folder))
}

/// A folder that appears completely or not at all.
///
/// It is filled under a temporary name next to its target. Dropping it without
/// [`StagedDir::commit`] removes it and the parent folders created for it.
pub struct StagedDir {
    target: PathBuf,
    /// The stamp of the folder to be replaced.
    replace: Option<Stamp>,
    // Fields are dropped in this order: the lock is released before the folder is removed.
    claim: fs::File,
    temp: tempfile::TempDir,
    _live: Live,
    made: NewFolders,
}

/// What happened to a replaced folder.
#[derive(Debug, Default)]
pub struct Replaced {
    /// Its new path, if it was edited.
    pub aside: Option<PathBuf>,
    /// The edits in it, or an error if they cannot be determined.
    pub edits: Option<Result<Vec<(String, Change)>>>,
    /// The remains that could not be removed, and why.
    pub left: Option<(PathBuf, std::io::Error)>,
}

impl Replaced {
    /// The path of the old folder that was moved aside, which begins as the target's does.
    pub fn aside_of(&self, target: &Path) -> Option<PathBuf> {
        let aside = self.aside.as_ref()?;
        Some(match (target.file_name(), aside.file_name()) {
            (Some(_), Some(name)) => target.with_file_name(name),
            _ => aside.clone(),
        })
    }

    /// `2 files edited since refit wrote it: a.json (modified), b.txt (added)`.
    pub fn describe(edits: &Result<Vec<(String, Change)>>) -> String {
        const SHOWN: usize = 10;
        match edits {
            Err(e) => format!("refit cannot tell what was edited: {e}"),
            Ok(edits) => {
                let shown: Vec<String> = edits
                    .iter()
                    .take(SHOWN)
                    .map(|(path, change)| format!("{path} ({change})"))
                    .collect();
                let more = if edits.len() > SHOWN { ", …" } else { "" };
                format!(
                    "{} edited since refit wrote it: {}{more}",
                    count(edits.len(), "file"),
                    shown.join(", ")
                )
            }
        }
    }
}

/// Folders created for something that is not in place yet, outermost first.
struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    fn make(folder: &Path) -> Result<Self> {
        // A folder that cannot be examined existed before and is not removed.
        let missing =
            |f: &&Path| !f.as_os_str().is_empty() && f.try_exists().is_ok_and(|exists| !exists);
        let mut missing: Vec<PathBuf> = folder
            .ancestors()
            .take_while(missing)
            .map(Path::to_owned)
            .collect();
        missing.reverse();
        let made = NewFolders(missing);
        step()
            .and_then(|()| fs::create_dir_all(folder))
            .map_err(|e| Error::io(folder, e))?;
        Ok(made)
    }

    /// Like `make`. If the folders are for a file that is added to a game, or for mods, attaches
    /// notes to them.
    fn make_for(folder: &Path, may: &Replace<'_>) -> Result<Self> {
        let made = Self::make(folder)?;
        if may.adds.is_some() || may.by == By::Mods {
            made.0.iter().for_each(|folder| own::note_made(folder));
        }
        Ok(made)
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        // `remove_dir` only removes empty folders.
        for folder in self.0.iter().rev() {
            let _ = held::patiently(|| fs::remove_dir(folder));
        }
    }
}

impl StagedDir {
    /// Prepares `target`. A folder that is not empty is replaced only with `force`.
    pub fn new(target: &Path, force: bool) -> Result<Self> {
        let io = |e| Error::io(target, e);
        if parent(target).is_dir() {
            // Put back what a killed refit moved away before checking what exists.
            Turn::take_swept(parent(target))?;
        }
        let replace = check_folder(target, force)?;
        // `.` cannot be renamed, but its real path can.
        let target = if replace {
            crate::path::canonical(target).map_err(io)?
        } else {
            target.to_owned()
        };
        let replace = if replace { Stamp::of(&target) } else { None };
        let made = NewFolders::make(parent(&target))?;
        let (temp, live, claim) = {
            let _turn = Turn::take_swept(parent(&target))?;
            temporary_folder(parent(&target)).map_err(|e| Error::io(parent(&target), e))?
        };
        Ok(StagedDir {
            target,
            replace,
            claim,
            temp,
            _live: live,
            made,
        })
    }

    /// A sink into the folder.
    pub fn sink(&self) -> DirSink {
        DirSink::new(self.folder())
    }

    /// The folder to be filled.
    pub fn folder(&self) -> PathBuf {
        self.temp.path().join("tree")
    }

    /// Puts the folder in place. If the old one has edits, it is moved aside as a whole.
    pub fn commit(mut self) -> Result<Replaced> {
        let target = &self.target;
        let io = |e| Error::io(target, e);
        let new = self.temp.path().join("tree");
        step().and_then(|()| fs::create_dir_all(&new)).map_err(io)?;
        note_sums(&new)?;
        sync_folder(&new);
        let _turn = Turn::take(parent(target))?;
        // It must still be the same folder. The checksums below reveal edits inside it.
        let same = match (&self.replace, Stamp::of(target)) {
            (None, now) => now.is_none(),
            (Some(before), now) => now.is_some_and(|now| now.id == before.id),
        };
        if !same {
            return Err(Error::say(
                "the folder changed while refit was at work: another refit or program wrote it",
            )
            .in_file(target.shown())
            .hint("nothing was replaced; try again"));
        }
        let mut done = Replaced::default();
        if self.replace.is_none() {
            let _placing = live();
            step()
                .and_then(|()| held::rename(&new, target))
                .map_err(io)?;
        } else {
            let edits = edits(target);
            if edits.as_ref().is_ok_and(Vec::is_empty) {
                let _placing = live();
                let old = self.temp.path().join("old");
                swap(&new, target, &old).map_err(io)?;
            } else {
                let aside = free_name(target)?;
                let _placing = live();
                set_aside(&new, target, &aside).map_err(io)?;
                done.aside = Some(aside);
                done.edits = Some(edits);
            }
        }
        self.made.0.clear();
        sync_folder(parent(target));
        let StagedDir { claim, temp, .. } = self;
        drop(claim);
        let left = temp.keep();
        if let Err(e) = held::remove_dir_all(&left) {
            done.left = Some((left, e));
        }
        Ok(done)
    }
}

/// Puts `new` at `target`. The old folder ends up somewhere in the folder of `new`.
fn swap(new: &Path, target: &Path, old: &Path) -> std::io::Result<()> {
    step()?;
    if exchange(new, target) {
        return Ok(());
    }
    turn::note_replaced(new, target, None);
    held::rename(target, old).inspect_err(|_| turn::forget_replaced(new))?;
    step()
        .and_then(|()| held::rename(new, target))
        .inspect_err(|_| {
            let _ = held::rename(old, target);
            turn::forget_replaced(new);
        })
}

/// Puts `new` at `target`, and the old folder at `aside`. If refit is killed in between, both
/// exist, perhaps with swapped names, and never in a temporary folder that would be removed.
fn set_aside(new: &Path, target: &Path, aside: &Path) -> std::io::Result<()> {
    step()?;
    held::rename(new, aside)?;
    if step().is_ok() && exchange(aside, target) {
        return Ok(());
    }
    held::rename(aside, new)?;
    turn::note_replaced(new, target, Some(aside));
    step()
        .and_then(|()| held::rename(target, aside))
        .inspect_err(|_| turn::forget_replaced(new))?;
    step()
        .and_then(|()| held::rename(new, target))
        .inspect_err(|_| {
            let _ = held::rename(aside, target);
            turn::forget_replaced(new);
        })
}

/// The first free name of `NAME.old`, `NAME.old.2` and so on.
fn free_name(folder: &Path) -> Result<PathBuf> {
    let name = |n: u32| {
        let mut name = folder.as_os_str().to_owned();
        name.push(".old");
        if n > 1 {
            name.push(format!(".{n}"));
        }
        PathBuf::from(name)
    };
    for path in (1..MOST_NAMES).map(name) {
        if looked_at(&path)?.is_none() {
            return Ok(path);
        }
    }
    Err(Error::say("too many folders were already moved aside")
        .in_file(folder.shown())
        .hint("move NAME.old away"))
}

#[cfg(test)]
thread_local! {
    /// Simulates a system that cannot swap two folders in one step.
    static NO_EXCHANGE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

#[cfg(target_os = "linux")]
fn tests_without_exchange() -> bool {
    #[cfg(test)]
    return NO_EXCHANGE.get();
    #[cfg(not(test))]
    return cfg!(debug_assertions) && std::env::var_os("REFIT_NO_EXCHANGE").is_some();
}

/// Swaps two folders in one step, if the system can: then one of them is in place even if refit is
/// killed at the worst moment.
fn exchange(a: &Path, b: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return !tests_without_exchange()
        && rustix::fs::renameat_with(
            rustix::fs::CWD,
            a,
            rustix::fs::CWD,
            b,
            rustix::fs::RenameFlags::EXCHANGE,
        )
        .is_ok();
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
            let content: Vec<u8> = (0..SHARED as u32 + more)
                .map(|i| (i ^ i >> 11) as u8)
                .collect();
            let path = dir.path().join(more.to_string());
            fs::write(&path, &content).unwrap();
            assert!(read(&path).unwrap() == content);
        }
        assert!(
            read(&dir.path().join("none"))
                .unwrap_err()
                .to_string()
                .contains("no such file")
        );
        assert!(read(dir.path()).is_err());
    }

    #[test]
    fn large_files_are_written_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/file");
        let piece: Vec<u8> = (0..1_000_003u32).map(|i| (i ^ i >> 7) as u8).collect();
        let pieces = |out: &mut (dyn Write + Send)| {
            (0..20).try_for_each(|_| out.write_all(&piece).map_err(Error::stopped))
        };
        let stopped =
            |out: &mut (dyn Write + Send)| pieces(out).and_then(|()| Err(Error::say("no more")));
        assert!(
            write_file_with(&path, Replace::default(), stopped)
                .unwrap_err()
                .to_string()
                .contains("no more")
        );
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        write_file_with(&path, Replace::default(), pieces).unwrap();
        assert!(fs::read(&path).unwrap() == piece.repeat(20));
    }

    /// A folder with a file that refit did not write.
    fn with_file() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.zbd");
        fs::write(&path, "pristine").unwrap();
        (dir, path)
    }

    fn names(dir: &tempfile::TempDir) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn over(path: &Path, bytes: &str) -> Written {
        write_file(path, bytes.as_bytes(), Replace::new(true)).unwrap()
    }

    #[test]
    fn names_of_originals() {
        for (name, is) in [
            ("a.orig", true),
            ("a.zbd.ORIG", true),
            ("a.orig.2", true),
            ("a.orig.x", false),
            (".orig", false),
            ("orig", false),
        ] {
            assert_eq!(is_original(Path::new(name)), is, "{name}");
        }
    }

    #[test]
    fn names_that_windows_refuses_are_refused_with_the_reason() {
        let (dir, path) = with_file();
        for (below, why) in [
            ("con", "device"),
            ("sub/nul.txt", "device"),
            ("a?b", "'?'"),
            ("new./x", "dot"),
            ("xx:y", "':'"),
        ] {
            assert!(
                unusable_in(&dir.path().join(below)).is_some_and(|said| said.contains(why)),
                "{below}"
            );
        }
        assert!(
            unusable_in(&path).is_none() && unusable_in(&dir.path().join("new/file.zbd")).is_none()
        );
        assert!(
            writable_hint(true, &path).contains("attrib -r \"")
                && !writable_hint(false, &path).contains("attrib")
        );
    }

    /// If the system cannot swap two folders in one step, there is a moment when neither is in
    /// place.
    #[test]
    fn a_folder_is_restored_after_an_interrupted_replacement() {
        for aside in [None, Some("tree.old")] {
            let dir = tempfile::tempdir().unwrap();
            let (target, temp) = (dir.path().join("tree"), dir.path().join(".refit-x.tmp"));
            fs::create_dir_all(temp.join("tree")).unwrap();
            fs::create_dir(&target).unwrap();
            fs::write(target.join("file"), "old").unwrap();
            let to = aside.map_or(temp.join("old"), |name| dir.path().join(name));
            turn::note_replaced(&temp.join("tree"), &target, aside.map(|_| to.as_path()));
            fs::write(temp.join("in-use"), "").unwrap();
            fs::rename(&target, &to).unwrap();
            turn::sweep(dir.path());
            assert_eq!(names(&dir), ["tree"], "{:?}", remarks());
            assert_eq!(fs::read_to_string(target.join("file")).unwrap(), "old");
            assert!(
                remarks()
                    .iter()
                    .any(|remark| remark.contains("tree: put back"))
            );
        }
        // Existing folders are left alone, and only names inside the folder are followed.
        let dir = tempfile::tempdir().unwrap();
        let temp = dir.path().join("sub/.refit-x.tmp");
        for folder in ["old", "tree"] {
            fs::create_dir_all(temp.join(folder)).unwrap();
        }
        for name in ["../tree", "..", "", "/tree", "there"] {
            fs::create_dir_all(dir.path().join("sub/there")).unwrap();
            fs::write(temp.join("replaces"), name).unwrap();
            fs::write(temp.join("in-use"), "").unwrap();
            turn::sweep(&dir.path().join("sub"));
            assert!(
                temp.join("old").is_dir() && names(&dir) == ["sub"],
                "{name}"
            );
        }
    }

    /// The whole procedure on systems that cannot swap.
    #[test]
    fn folders_are_replaced_where_they_cannot_be_swapped() {
        NO_EXCHANGE.set(true);
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("tree");
        let put = |text: &str| {
            let staged = StagedDir::new(&target, true).unwrap();
            fs::create_dir_all(staged.folder()).unwrap();
            fs::write(staged.folder().join("refit.json"), text).unwrap();
            staged.commit().unwrap()
        };
        put("one");
        assert!(put("two").aside.is_none());
        assert_eq!(names(&dir), ["tree"]);
        fs::write(target.join("edited"), "x").unwrap();
        assert_eq!(
            put("three")
                .aside
                .map(|aside| aside.file_name().unwrap().to_owned()),
            Some("tree.old".into())
        );
        assert_eq!(
            (
                names(&dir),
                fs::read_to_string(target.join("refit.json")).unwrap()
            ),
            (vec!["tree".into(), "tree.old".into()], "three".into())
        );
        NO_EXCHANGE.set(false);
    }

    /// What is kept of a file depends on its writer, with and without attributes.
    #[test]
    fn only_files_of_other_programs_are_kept() {
        for without in [false, true] {
            own::WITHOUT.set(without);
            let (dir, path) = with_file();
            let kept = over(&path, "one").kept.unwrap();
            assert!(kept.path.ends_with("a.zbd.orig") && !kept.foreign);
            assert!(over(&path, "two").kept.is_none());
            assert!(over(&path, "two").unchanged);
            // A patch changes the file.
            fs::write(&path, "patched").unwrap();
            let kept = over(&path, "three").kept.unwrap();
            assert!(kept.path.ends_with("a.zbd.orig.2") && kept.foreign);
            assert_eq!(fs::read_to_string(&kept.path).unwrap(), "patched");
            fs::write(&path, "pristine").unwrap();
            assert!(over(&path, "four").kept.is_none());
            // refit's own file is kept only if it is edited in place or is the source of the new
            // file.
            let made = dir.path().join("made");
            assert!(
                write_file(&made, b"x", Replace::default())
                    .unwrap()
                    .kept
                    .is_none()
            );
            assert!(over(&made, "y").kept.is_none());
            let may = Replace {
                source: Some(Sum::of(b"y")),
                ..Replace::new(true)
            };
            assert!(!write_file(&made, b"z", may).unwrap().kept.unwrap().foreign);
            let other = dir.path().join("other");
            over(&other, "x");
            assert!(
                write_file(
                    &other,
                    b"y",
                    Replace {
                        backup: Backup::First,
                        ..Replace::new(true)
                    }
                )
                .unwrap()
                .kept
                .is_some()
            );

            assert_eq!(original(&path).unwrap().restore().unwrap(), None);
            assert_eq!(fs::read_to_string(&path).unwrap(), "pristine");
            let list = without.then_some(own::LIST);
            let expected = list.into_iter().chain([
                "a.zbd",
                "a.zbd.orig.2",
                "made",
                "made.orig",
                "other",
                "other.orig",
            ]);
            assert_eq!(names(&dir), expected.collect::<Vec<_>>());
            // The file is the original again, so it is kept again.
            assert!(over(&path, "five").kept.is_some());
            original(&path).unwrap().restore().unwrap();
            for other in ["made", "other"] {
                original(&dir.path().join(other))
                    .unwrap()
                    .restore()
                    .unwrap();
            }
            assert_eq!(names(&dir).contains(&own::LIST.to_owned()), without);
        }
        own::WITHOUT.set(false);
    }

    #[test]
    fn an_empty_list_of_checksums_is_deleted() {
        own::WITHOUT.set(true);
        let (dir, path) = with_file();
        over(&path, "one");
        let list = fs::read_to_string(dir.path().join(own::LIST)).unwrap();
        assert_eq!(
            list,
            format!(
                "{}  a.zbd.orig\n{}  a.zbd\n",
                Sum::of(b"pristine"),
                Sum::of(b"one")
            )
        );
        assert!(original(&path).unwrap().noted);
        original(&path).unwrap().restore().unwrap();
        own::WITHOUT.set(false);
        assert_eq!(names(&dir), ["a.zbd"]);
    }

    #[test]
    fn a_file_that_is_gone_is_not_listed() {
        own::WITHOUT.set(true);
        let (dir, path) = with_file();
        NoteMark::Original.note(&original_path(&path), "a sum");
        own::WITHOUT.set(false);
        assert_eq!(names(&dir), ["a.zbd"]);
    }

    /// Two instances at once, each about to replace a file that the other did not see.
    #[test]
    fn files_that_changed_in_the_meantime_are_not_replaced() {
        let (dir, path) = with_file();
        let meanwhile = |inside: &dyn Fn()| {
            let work = |out: &mut (dyn Write + Send)| {
                inside();
                out.write_all(b"mine").map_err(Error::stopped)
            };
            let error = write_file_with(&path, Replace::new(true), work)
                .unwrap_err()
                .to_string();
            assert!(error.contains("changed while refit was at work"), "{error}");
        };
        meanwhile(&|| drop(over(&path, "theirs")));
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        meanwhile(&|| drop(original(&path).unwrap().restore().unwrap()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "pristine");
        meanwhile(&|| fs::remove_file(&path).unwrap());
        assert_eq!(names(&dir), [""; 0]);
        // An edit in place replaces only the content that was read, regardless of timestamps.
        fs::write(&path, "second").unwrap();
        assert!(
            write_file(
                &path,
                b"mine",
                Replace {
                    read: Some(Sum::of(b"first!")),
                    ..Replace::new(true)
                }
            )
            .is_err()
        );
        assert_eq!(names(&dir), ["a.zbd"]);

        let target = dir.path().join("tree");
        let (one, two) = (
            StagedDir::new(&target, true).unwrap(),
            StagedDir::new(&target, true).unwrap(),
        );
        for (staged, text) in [(&one, "1"), (&two, "2")] {
            super::super::Sink::put(&staged.sink(), "refit.json", text.as_bytes()).unwrap();
        }
        one.commit().unwrap();
        assert!(
            two.commit()
                .unwrap_err()
                .to_string()
                .contains("changed while refit was at work")
        );
        assert_eq!(fs::read_to_string(target.join("refit.json")).unwrap(), "1");
        assert_eq!(names(&dir), ["a.zbd", "tree"]);
    }

    #[test]
    fn turns_wait_for_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let turn = Turn::take(dir.path()).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _turn = Turn::take(dir.path()).unwrap();
                sender.send(()).unwrap();
            });
            assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
            drop(turn);
            receiver.recv().unwrap();
        });
    }

    #[test]
    fn leftovers_are_removed_once_they_are_unlocked() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| fs::File::create(dir.path().join(name)).unwrap();
        let hour = Duration::from_secs(3600);
        file(".refit-left.tmp");
        // The clock was set back since.
        file(".refit-future.tmp")
            .set_modified(SystemTime::now() + 48 * hour)
            .unwrap();
        let held = file(".refit-held.tmp");
        held.set_modified(SystemTime::now() - 48 * hour).unwrap();
        turn::claim_file(&held);
        file(".refit-written");
        let folder = |name: &str| {
            fs::create_dir_all(dir.path().join(name).join("tree")).unwrap();
            dir.path().join(name)
        };
        let lived = turn::claim_folder(&folder(".refit-lives.tmp")).unwrap();
        drop(turn::claim_folder(&folder(".refit-ended.tmp")).unwrap());
        folder(".refit-replaces.tmp/old");
        turn::sweep(dir.path());
        drop((held, lived));
        assert_eq!(
            names(&dir),
            [
                ".refit-held.tmp",
                ".refit-lives.tmp",
                ".refit-replaces.tmp",
                ".refit-written"
            ]
        );
        let remarks = remarks().join("\n");
        for expected in [
            ".refit-left.tmp: left by",
            ".refit-future.tmp: left by",
            ".refit-ended.tmp: left by",
            "old contains a folder",
        ] {
            assert!(remarks.contains(expected), "{remarks}");
        }
    }

    #[test]
    fn edits_of_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("tree");
        let make = || {
            let staged = StagedDir::new(&target, true).unwrap();
            for name in ["refit.json", "a/same", "a/edited", "gone"] {
                super::super::Sink::put(&staged.sink(), name, b"x").unwrap();
            }
            staged.commit().unwrap()
        };
        assert!(make().aside.is_none());
        fs::write(target.join("a/.DS_Store"), "").unwrap();
        fs::create_dir(target.join("empty")).unwrap();
        assert_eq!(edits(&target).unwrap(), []);
        assert!(make().aside.is_none());
        fs::write(target.join("a/edited"), "y").unwrap();
        fs::write(target.join("a/.new"), "z").unwrap();
        fs::remove_file(target.join("gone")).unwrap();
        let all = [
            ("a/.new", Change::Added),
            ("a/edited", Change::Modified),
            ("gone", Change::Deleted),
        ];
        assert_eq!(
            edits(&target).unwrap(),
            all.map(|(path, change)| (path.to_owned(), change))
        );
        let done = make();
        let aside = done.aside.unwrap();
        assert!(aside.ends_with("tree.old") && done.edits.unwrap().unwrap().len() == 3);
        assert_eq!(fs::read_to_string(aside.join("a/.new")).unwrap(), "z");
        // Without checksums, edits are unknown, so nothing is discarded.
        fs::remove_file(target.join(super::super::sums::SUMS)).unwrap();
        let done = make();
        assert!(done.aside.unwrap().ends_with("tree.old.2") && done.edits.unwrap().is_err());
        assert_eq!(names(&dir), ["tree", "tree.old", "tree.old.2"]);
    }

    /// Where folders cannot be swapped, they are renamed one after the other.
    /// Notes, trees and lists of earlier versions have SHA-256.
    #[test]
    fn records_of_an_earlier_version_are_recognised() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let old = |bytes: &[u8]| Sum::parse(&crate::sha256(bytes));
        fs::write(&path, "first").unwrap();
        NoteMark::Written.note(&path, &old(b"first").to_string());
        assert!(current_note(&path).is_some());
        assert!(has_content(&path, 5, &old(b"first")) && !has_content(&path, 5, &old(b"other")));
        // refit wrote it: no copy is kept.
        let may = Replace {
            read: Some(old(b"first")),
            ..Replace::new(true)
        };
        assert!(write_file(&path, b"second", may).unwrap().kept.is_none());
        assert!(write_file(&path, b"third", may).is_err());
        // The source of the new file is kept.
        let may = Replace {
            source: Some(old(b"second")),
            ..Replace::new(true)
        };
        let later = |out: &mut (dyn Write + Send)| {
            out.write_all(b"third").map_err(Error::stopped)?;
            out.flush().map_err(Error::stopped)?;
            // Files that are older than a tick of the clock are remembered.
            std::thread::sleep(Duration::from_millis(60));
            Ok(())
        };
        let written = write_file_with(&path, may, later).unwrap();
        assert!(!written.kept.unwrap().foreign);
        assert_eq!(written.sum, old(b"third"));
        assert_eq!(standing(&path).unwrap(), Some(Sum::of(b"third")));
        assert!(write_file(&path, b"third", may).unwrap().unchanged);
        let mut together = Together::begin(dir.path(), "repack").unwrap().0;
        let put = |out: &mut (dyn Write + Send)| out.write_all(b"fourth").map_err(Error::stopped);
        together.write(&path, may, put, |_, _| Ok(())).unwrap();
        together.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"fourth");
        assert!(current_note(&path).is_some());
        assert!(original(&path).unwrap().noted);
    }

    #[test]
    fn a_folder_that_cannot_be_put_in_place_leaves_the_old_one() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["target", "keep"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("old"), name).unwrap();
        }
        assert!(swap(&at("missing"), &at("target"), &at("aside")).is_err());
        assert!(set_aside(&at("missing"), &at("keep"), &at("keep.old")).is_err());
        assert_eq!(names(&dir), ["keep", "target"]);
        assert_eq!(fs::read_to_string(at("keep").join("old")).unwrap(), "keep");
    }
}
