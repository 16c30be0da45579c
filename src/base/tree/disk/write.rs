//! Writes a file completely or not at all.

use super::{
    backup::{backup_path, check_backup, is_original},
    fault::step,
    held,
    live::{live, temporary_file},
    made::NewFolders,
    originals::{KeptCopy, keep},
    own::{self, NoteMark},
    paths::{
        behind_links, check_regular, give_usual_permissions, parent, sync_folder, unusable_in,
        writable_hint,
    },
    rule::{Backup, Replace},
    seen::{Stamp, own_sum, remember},
    turn::Turn,
};
use crate::{
    Sum, Summing,
    path::Shown,
    tree::blob::Blob,
    wire::{Error, Result},
};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::mpsc::{SyncSender, sync_channel},
    thread::ScopedJoinHandle,
};

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

/// The place of a file to be written.
pub(super) struct WriteTarget<'a> {
    /// The path as given.
    path: &'a Path,
    /// The file itself, after following links.
    pub(super) target: PathBuf,
    /// Its stamp when the work began.
    pub(super) stamp: Option<Stamp>,
}

pub(super) fn place<'a>(path: &'a Path, may: &Replace<'_>) -> Result<WriteTarget<'a>> {
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
pub(super) fn fill(
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
    pub(super) fn changed(&self) -> Error {
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
pub(super) const AT_ONCE: usize = 1 << 18;

/// How many bytes to write before syncing them.
pub(super) const EARLY: usize = 8 << 20;

/// A file that is synced while more of it is written, so that the final sync is short.
pub(super) struct Early<'scope, 'env> {
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
