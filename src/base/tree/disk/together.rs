//! Puts several files in place together: all of them or none, whenever the program ends.
//!
//! 1. Each new file is written next to its target under a name reserved for refit, synced and
//!    proved. A journal is in the folder that contains all of them. If the program ends now, the
//!    next run undoes everything: nothing was put in place.
//! 2. The journal records that all new files are complete: from now on, they are the valid ones.
//! 3. Each old file is kept under a second name (a hard link if possible), and each new file is
//!    renamed to its target. An error restores everything. If the program ends now, the next run
//!    finishes the work.
//! 4. The second names are removed, and the journal last.
//!
//! The rule of the parent module decides what may be replaced, and what is kept as `NAME.orig`.

use super::{
    backup::{backup_path, is_original, is_same, original_note},
    fault::step,
    held,
    live::{LIVE, Live, temporary_file},
    made::{NewFolders, remove_left_empty},
    originals::{KeptCopy, Original, copy_to, keep_as, keep_further_name},
    own::{self, NoteMark},
    paths::{behind_links, give_usual_permissions, is_absent, parent, sync_folder},
    rule::Replace,
    seen::Stamp,
    turn::{self, JOURNAL, Turn},
    write::{Written, fill, place},
};
use crate::{
    Sum,
    path::{Shown, canonical},
    tree::blob::Blob,
    wire::{Error, Result},
};
use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    io::Write,
    path::{Component, Path, PathBuf},
    sync::PoisonError,
    time::{Duration, Instant, SystemTime},
};

/// The lock file that shows other instances that one is working here.
const AT_WORK: &str = ".refit-together.tmp";

/// refit writes no longer journal.
const LONGEST: u64 = 64 << 20;

/// The operation on one file.
#[derive(Clone, Default, Debug, refit_base::Object)]
#[serde(deny_unknown_fields)]
struct Step {
    /// The file, below the journal's folder.
    file: String,
    /// The checksum of the old file; `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old: Option<Sum>,
    /// The checksum of the new file.
    new: Sum,
    /// True if the new file is the original, which is put back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    restore: bool,
    /// The name of that original, if it is not `NAME.orig`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// True if the file is removed; `new` is meaningless.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
    /// The name under which the old file is kept permanently.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keep: Option<String>,
    /// True if this is the original, whose name `NAME.orig` another program took.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    first: bool,
    /// The note on the new file, if it is more than the checksum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, refit_base::Object)]
#[serde(deny_unknown_fields)]
struct Journal {
    /// Version of the refit that wrote it.
    refit: String,
    /// The command: `repack`, `restore`.
    what: String,
    /// Part of the names of the temporary files.
    id: String,
    /// True if all new files are written.
    ready: bool,
    files: Vec<Step>,
    /// True if everything was put in place, or back; only cleanup is left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    done: bool,
    /// The `id` of earlier work whose files could not be removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<String>,
    /// Identifies the folder if no note can be attached to the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

/// The result of recovering interrupted work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recovered {
    /// The folder.
    pub root: PathBuf,
    /// The command: `repack`, `restore`.
    pub what: String,
    /// The number of files.
    pub files: usize,
    /// True if it was finished, false if it was undone.
    pub finished: bool,
    /// Files that another program changed meanwhile, which were left alone.
    pub changed: Vec<PathBuf>,
}

impl std::fmt::Display for Recovered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let files = if self.files == 1 {
            "1 file".to_owned()
        } else {
            format!("{} files", self.files)
        };
        let (root, what) = (self.root.shown(), &self.what);
        match (self.finished, self.files) {
            (true, _) => write!(
                f,
                "{root}: a {what} was interrupted while it put {files} in place; it is now finished"
            )?,
            (false, 0) => write!(
                f,
                "{root}: a {what} was interrupted before it put anything in place; nothing was changed"
            )?,
            (false, _) => write!(
                f,
                "{root}: a {what} was interrupted while it put {files} in place; it is now undone"
            )?,
        }
        for path in &self.changed {
            write!(
                f,
                "; {} has since been changed by another program and was left alone",
                path.shown()
            )?;
        }
        Ok(())
    }
}

/// Files that will be put in place together in a folder.
pub struct Together {
    journal: Journal,
    /// The folder, as its real path.
    root: PathBuf,
    /// Files to remove on Ctrl-C, until they count.
    live: Vec<Live>,
    made: Vec<NewFolders>,
    /// The folders of files that are not synced yet.
    unsynced: BTreeSet<PathBuf>,
    committed: bool,
    // The last field is dropped last: the folder stays locked until everything else is cleaned up.
    _work: AtWork,
}

/// The lock that only one refit has for putting several files in place in a folder.
struct AtWork {
    root: PathBuf,
    file: Option<fs::File>,
}

impl AtWork {
    /// Takes the lock. Waits for another refit that has it, at most for `patience`.
    fn begin(root: &Path, patience: Duration) -> Result<Self> {
        let end = Instant::now() + patience;
        loop {
            if let Some(work) = Self::try_begin(root)? {
                return Ok(work);
            }
            if Instant::now() >= end {
                return Err(Error::say("another refit is putting files in place here")
                    .in_file(root.shown())
                    .hint("nothing was written; try again when it has finished"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Takes the lock; `None` if another refit has it.
    fn try_begin(root: &Path) -> Result<Option<Self>> {
        let _turn = Turn::take_swept(root)?;
        let path = root.join(AT_WORK);
        let open = || {
            fs::OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)
        };
        let file = held::patiently(open).map_err(|e| Error::io(root, e))?;
        Ok(turn::try_claim(&file).then(|| AtWork {
            root: root.to_owned(),
            file: Some(file),
        }))
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        // With the turn taken, no other refit opens the lock file between closing and removing it.
        let _turn = Turn::take(&self.root);
        drop(self.file.take());
        let _ = held::remove_file(&self.root.join(AT_WORK));
    }
}

/// A path below the root in the spelling of the journal. Components that are not Unicode are
/// hexadecimal.
fn spell(path: &Path) -> String {
    let parts = path
        .components()
        .map(|part| match part.as_os_str().to_str() {
            Some(name) if !name.starts_with("hex:") => name.to_owned(),
            _ => format!(
                "hex:{}",
                crate::lower_hex(part.as_os_str().as_encoded_bytes())
            ),
        });
    parts.collect::<Vec<_>>().join("/")
}

/// The name under which a file is kept, in the spelling of the journal.
fn keep_name(kept: Option<&Path>) -> Option<String> {
    kept?.file_name().map(|name| spell(Path::new(name)))
}

/// Decodes a path of the journal; `None` unless it is relative and below the root.
fn unspell(text: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in text.split('/') {
        let name: OsString = match part.strip_prefix("hex:") {
            Some(hex) => from_hex(hex)?,
            None => part.into(),
        };
        let mut inside = Path::new(&name).components();
        match (inside.next(), inside.next()) {
            (Some(Component::Normal(only)), None) if only == name => path.push(&name),
            _ => return None,
        }
    }
    Some(path)
}

#[cfg(unix)]
fn from_hex(hex: &str) -> Option<OsString> {
    let pair = |i: usize| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok();
    let bytes = (0..hex.len())
        .step_by(2)
        .map(pair)
        .collect::<Option<Vec<u8>>>()?;
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn from_hex(_: &str) -> Option<OsString> {
    None
}

fn sum_of(path: &Path) -> Result<Option<Sum>> {
    if is_absent(path) {
        Ok(None)
    } else {
        Blob::of_file(path)?.sum().map(Some)
    }
}

impl Step {
    /// The checksum of the wanted file; `None` if the file is to be removed.
    fn wanted(&self) -> Option<Sum> {
        if self.gone { None } else { Some(self.new) }
    }

    fn target(&self, root: &Path) -> Result<PathBuf> {
        let relative = unspell(&self.file).ok_or_else(|| damaged(root))?;
        let target = root.join(relative);
        // A folder may have been replaced by a link or removed since.
        let there = target
            .ancestors()
            .skip(1)
            .find(|above| above.symlink_metadata().is_ok());
        let inside = there
            .is_some_and(|above| canonical(above).is_ok_and(|folder| folder.starts_with(root)));
        if inside {
            Ok(target)
        } else {
            Err(damaged(root))
        }
    }

    /// The new file before it is in place.
    fn staged(&self, target: &Path, id: &str, n: usize) -> PathBuf {
        if self.restore {
            self.original(target)
        } else {
            target.with_file_name(format!(".refit-{id}-{n}.new"))
        }
    }

    /// The original that is put back.
    fn original(&self, target: &Path) -> PathBuf {
        let name = self.from.as_deref().and_then(unspell);
        let path = name
            .map(|name| target.with_file_name(name))
            .filter(|path| is_original(path));
        path.unwrap_or_else(|| backup_path(target))
    }

    /// The second name of the old file, for undoing.
    fn aside(target: &Path, id: &str, n: usize) -> PathBuf {
        target.with_file_name(format!(".refit-{id}-{n}.old"))
    }

    fn kept(&self, target: &Path) -> Option<PathBuf> {
        let name = self.keep.as_deref()?;
        let path = target.with_file_name(unspell(name)?);
        is_original(&path).then_some(path)
    }
}

/// Identifies a folder by something that an archive cannot know before it is unpacked: its creation
/// time, or else its number.
fn place_of(root: &Path) -> Option<String> {
    let meta = fs::metadata(root).ok()?;
    let made = meta
        .created()
        .ok()
        .and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    made.map(|made| format!("made {}", made.as_nanos()))
        .or_else(|| {
            let number = Stamp::of(root)?.id;
            (number != Default::default()).then(|| format!("number {number:?}"))
        })
}

fn damaged(root: &Path) -> Error {
    Error::say("the journal of an earlier refit is damaged")
        .in_file(root.join(JOURNAL).shown())
        .hint("look at the files beside it, and delete it")
}

/// Keeps the file at a target before it is removed or replaced, unless refit wrote it or it equals
/// its original. Even a journal from elsewhere must not lose a file.
fn keep_foreign(target: &Path, sum: Sum) -> Result<()> {
    match foreign_name(target, sum)? {
        Some(kept) => copy_to(target, &kept, sum, false),
        None => Ok(()),
    }
}

/// The name under which [`keep_foreign`] keeps a file.
fn foreign_name(target: &Path, sum: Sum) -> Result<Option<PathBuf>> {
    let backup = backup_path(target);
    if NoteMark::Written.fits(target, sum) || is_same(target, &backup, sum)? {
        return Ok(None);
    }
    if is_absent(&backup) {
        Ok(Some(backup))
    } else {
        keep_further_name(target, sum)
    }
}

/// Creates a hard link, or a copy if links are not supported.
fn link(from: &Path, to: &Path, sum: Sum) -> Result<()> {
    if !is_absent(to) {
        // An interrupted run may have made this copy already.
        if is_same(from, to, sum)? {
            return Ok(());
        }
        return Err(
            Error::say("another file has the name under which the old file is kept")
                .in_file(to.shown()),
        );
    }
    let linked = step().and_then(|()| fs::hard_link(from, to));
    match linked {
        Ok(()) => Ok(()),
        // Fault injection made this step fail: a copy must not hide that.
        Err(e) if e.kind() == std::io::ErrorKind::Other => Err(Error::io(to, e)),
        Err(_) => copy_to(from, to, sum, false),
    }
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    step()
        .and_then(|()| held::rename(from, to))
        .map_err(|e| Error::io(to, e))
}

impl Journal {
    fn new(what: &str) -> Self {
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos());
        let id = format!("{:x}{:x}", std::process::id(), since & 0xffff_ffff);
        Journal {
            refit: env!("CARGO_PKG_VERSION").to_owned(),
            what: what.to_owned(),
            id,
            ready: false,
            files: Vec::new(),
            done: false,
            left: Vec::new(),
            place: None,
        }
    }

    /// Writes the journal to a temporary file and syncs it.
    fn prepare(&mut self, root: &Path) -> Result<(tempfile::NamedTempFile, Live)> {
        let path = root.join(JOURNAL);
        let io = |e: std::io::Error| Error::io(&path, e);
        let (mut temp, live) = {
            let _turn = Turn::take(root)?;
            temporary_file(root).map_err(io)?
        };
        self.place = None;
        let mut text = serde_json::to_vec(self).map_err(|e| io(e.into()))?;
        if !NoteMark::Journal.attach(temp.path(), &Sum::of(&text).to_string()) {
            self.place = place_of(root);
            text = serde_json::to_vec(self).map_err(|e| io(e.into()))?;
        }
        temp.write_all(&text).map_err(io)?;
        step()
            .and_then(|()| temp.as_file().sync_all())
            .map_err(io)?;
        Ok((temp, live))
    }

    /// Puts the journal in place.
    fn put(temp: tempfile::NamedTempFile, root: &Path) -> Result<()> {
        let path = root.join(JOURNAL);
        step()
            .and_then(|()| held::persist(temp, &path))
            .map_err(|e| Error::io(&path, e))?;
        sync_folder(root);
        Ok(())
    }

    fn read(root: &Path) -> Result<Option<Self>> {
        let path = root.join(JOURNAL);
        let Ok(meta) = path.symlink_metadata() else {
            return Ok(None);
        };
        if !meta.is_file() || meta.len() > LONGEST {
            return Err(damaged(root));
        }
        let bytes = super::read(&path)?;
        let text = str::from_utf8(&bytes).map_err(|_| damaged(root))?;
        let journal: Journal = serde_json::from_str(text).map_err(|_| damaged(root))?;
        let plain =
            |id: &String| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !plain(&journal.id) || !journal.left.iter().all(plain) {
            return Err(damaged(root));
        }
        let noted = NoteMark::Journal
            .attached(&path)
            .is_some_and(|sum| Sum::parse(&sum).fits(&bytes));
        if !noted && (journal.place.is_none() || journal.place != place_of(root)) {
            return Err(Error::say(
                "this journal was not written by refit in this folder: it came with other files, and refit ignores it",
            )
            .in_file(path.shown())
            .hint("look at the files beside it, and delete it"));
        }
        Ok(Some(journal))
    }

    fn remove(root: &Path) -> Result<()> {
        let path = root.join(JOURNAL);
        step()
            .and_then(|()| held::remove_file(&path))
            .map_err(|e| Error::io(&path, e))?;
        sync_folder(root);
        Ok(())
    }

    /// Puts all files in place. After an error, everything is back as it was, unless there is a
    /// second error, which explains why not. `again` means that the journal was found on disk: then
    /// every replaced file is kept, whatever the journal says.
    fn forward(&self, root: &Path, again: bool) -> Result<(), (Error, Option<Error>)> {
        self.place(root, again).map_err(|e| {
            let back = self.back(root, again).err();
            (e, back)
        })
    }

    fn place(&self, root: &Path, again: bool) -> Result<()> {
        let mut targets = Vec::new();
        for (n, step) in self.files.iter().enumerate() {
            let target = step.target(root)?;
            let staged = step.staged(&target, &self.id, n);
            // Files that a killed run has already put in place stay there.
            let done = sum_of(&target)? == step.wanted() && (is_absent(&staged) || !step.restore);
            targets.push((target, staged, done));
        }
        let keep = || -> Result<()> {
            for (n, (step, (target, _, done))) in self.files.iter().zip(&targets).enumerate() {
                let Some(old) = step.old.filter(|_| !*done) else {
                    continue;
                };
                let _turn = Turn::take(parent(target))?;
                let kept = match step.kept(target) {
                    None if again => foreign_name(target, old)?,
                    kept => kept,
                };
                link(
                    target,
                    &kept.unwrap_or_else(|| Step::aside(target, &self.id, n)),
                    old,
                )?;
            }
            Ok(())
        };
        keep()?;
        {
            // Ctrl-C waits until all files are in place.
            let _placing = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
            for (step, (target, staged, _)) in self
                .files
                .iter()
                .zip(&targets)
                .filter(|(_, (_, _, done))| !*done)
            {
                // With the lock, no other refit can change the file between the check and the
                // rename.
                let _turn = Turn::take(parent(target))?;
                if sum_of(target)? != step.old {
                    return Err(Error::say(
                        "the file changed while refit was at work: another refit or program wrote it",
                    )
                    .in_file(target.shown())
                    .hint("nothing was changed; look at it and try again"));
                }
                match step.gone {
                    true => super::step()
                        .and_then(|()| held::remove_file(target))
                        .map_err(|e| Error::io(target, e))?,
                    false => rename(staged, target)?,
                }
            }
        }
        let mut folders = BTreeSet::new();
        for (step, (target, ..)) in self.files.iter().zip(&targets) {
            match step.restore {
                true => own::forget(target, &step.original(target)),
                false if step.gone => own::forget_gone(target),
                false if !NoteMark::Written.fits(target, step.new) => {
                    let note = step.note.clone();
                    NoteMark::list(target, &note.unwrap_or_else(|| step.new.to_string()));
                }
                false => {}
            }
            if let Some(kept) = step.kept(target) {
                let note = original_note(step.old.unwrap_or_default(), step.first);
                NoteMark::Original.note(&kept, &note);
            }
            folders.insert(parent(target));
        }
        folders.into_iter().for_each(sync_folder);
        Ok(())
    }

    /// The files that changed since all files were in place, or `None` if that was never reached.
    /// It was reached if no old file is left under its second name, because only the end of the
    /// work removes those.
    fn is_over(&self, root: &Path) -> Result<Option<Vec<PathBuf>>> {
        let (mut over, mut changed) = (false, Vec::new());
        for (n, step) in self.files.iter().enumerate() {
            let target = step.target(root)?;
            if !step.restore && !step.gone && !is_absent(&step.staged(&target, &self.id, n)) {
                return Ok(None);
            }
            let is_new = sum_of(&target)? == step.wanted();
            let was_aside =
                step.keep.is_none() && step.old.is_some_and(|old| step.wanted() != Some(old));
            over |= is_new && was_aside && is_absent(&Step::aside(&target, &self.id, n));
            if !is_new {
                changed.push(target);
            }
        }
        Ok(over.then_some(changed))
    }

    /// Removes empty folders of removed files. Call this only after removing the journal, which
    /// names files in them.
    fn remove_folders(&self, root: &Path) {
        for target in self
            .files
            .iter()
            .filter(|step| step.gone)
            .filter_map(|step| step.target(root).ok())
        {
            remove_left_empty(parent(&target), root);
        }
    }

    /// Puts the replaced files back. Returns the files that have neither the old nor the new
    /// content, which are left alone.
    fn back(&self, root: &Path, again: bool) -> Result<Vec<PathBuf>> {
        let mut changed = Vec::new();
        let mut first = Ok(());
        for (n, step) in self.files.iter().enumerate() {
            let target = step.target(root)?;
            let staged = step.staged(&target, &self.id, n);
            let now = sum_of(&target)?;
            let kept = step.kept(&target);
            let old = [Some(Step::aside(&target, &self.id, n)), kept.clone()]
                .into_iter()
                .flatten()
                .find(|path| !is_absent(path));
            let mut one = || -> Result<()> {
                if step.restore && now == Some(step.new) && is_absent(&staged) {
                    link(&target, &staged, step.new)?;
                    NoteMark::Original
                        .attach(&staged, &original_note(step.new, step.from.is_some()));
                }
                if now == step.old {
                    // The old file is still in place, so its copy is not needed.
                    if let (Some(kept), Some(old)) = (&kept, step.old)
                        && is_same(&target, kept, old)?
                    {
                        held::remove_file(kept).map_err(|e| Error::io(kept, e))?;
                    }
                    return Ok(());
                }
                if now != step.wanted() {
                    changed.push(target.clone());
                    return Ok(());
                }
                if let (true, Some(now), false) = (again, now, step.old.is_some() && old.is_none())
                {
                    keep_foreign(&target, now)?;
                }
                match (&step.old, &old) {
                    (Some(_), Some(old)) if step.gone && kept.as_ref() == Some(old) => {
                        link(old, &target, step.old.unwrap_or_default())?;
                        held::remove_file(old).map_err(|e| Error::io(old, e))
                    }
                    (Some(_), Some(old)) => rename(old, &target),
                    (None, _) => held::remove_file(&target).map_err(|e| Error::io(&target, e)),
                    (Some(_), None) => {
                        changed.push(target.clone());
                        Ok(())
                    }
                }
            };
            if let Err(e) = one() {
                first = first.and(Err(e));
            }
        }
        first?;
        Ok(changed)
    }

    /// Removes temporary files and the journal. Reports what cannot be removed and leaves it to the
    /// next run. A journal written before all new files existed does not have their names: with
    /// `again`, searches for them.
    fn end(&self, root: &Path, again: bool) -> Result<()> {
        let mut left = Vec::new();
        for (n, step) in self.files.iter().enumerate() {
            let Ok(target) = step.target(root) else {
                continue;
            };
            let staged = step.staged(&target, &self.id, n);
            for path in [
                Some(Step::aside(&target, &self.id, n)),
                (!step.restore).then_some(staged),
            ]
            .into_iter()
            .flatten()
            {
                if !is_absent(&path) {
                    remove(&path, &mut left);
                }
            }
        }
        let mut ids = self.left.clone();
        if again && !self.ready {
            ids.push(self.id.clone());
        }
        if !ids.is_empty() {
            sweep(root, &ids, &mut left);
        }
        if left.is_empty() {
            return Journal::remove(root);
        }
        for (path, e) in left {
            turn::remark(format!(
                "{}: cannot be removed, so the next run tries again: {e}",
                path.shown()
            ));
        }
        let mut rest = Journal {
            done: true,
            left: self.left.clone(),
            ..Journal::new(&self.what)
        };
        rest.left.push(self.id.clone());
        let (temp, _live) = rest.prepare(root)?;
        Journal::put(temp, root)
    }
}

fn remove(path: &Path, left: &mut Vec<(PathBuf, std::io::Error)>) {
    if let Err(e) = step().and_then(|()| held::remove_file(path)) {
        left.push((path.to_owned(), e));
    }
}

/// Removes the temporary files of work with these ids.
fn sweep(root: &Path, ids: &[String], left: &mut Vec<(PathBuf, std::io::Error)>) {
    let prefixes: Vec<String> = ids.iter().map(|id| format!(".refit-{id}-")).collect();
    for entry in walkdir::WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .filter_map(|entry| entry.ok())
    {
        let name = entry.file_name().to_str().unwrap_or_default();
        if entry.file_type().is_file() && prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            remove(entry.path(), left);
        }
    }
}

/// True for a folder with work that is in progress or was interrupted.
pub fn is_begun(root: &Path) -> bool {
    [JOURNAL, AT_WORK]
        .iter()
        .any(|name| !is_absent(&root.join(name)))
}

/// The folder at or above a path that contains interrupted work.
pub fn unfinished_above(path: &Path) -> Option<PathBuf> {
    let path = canonical(path).or_else(|_| canonical(parent(path))).ok()?;
    path.ancestors()
        .find(|folder| folder.join(JOURNAL).is_file())
        .map(Path::to_owned)
}

/// Finishes or undoes interrupted work in this folder; `None` if there is none.
pub fn recover(root: &Path) -> Result<Option<Recovered>> {
    let root = canonical(root).map_err(|e| Error::io(root, e))?;
    if !is_begun(&root) {
        return Ok(None);
    }
    let _work = AtWork::begin(&root, Duration::ZERO)?;
    recover_at(&root)
}

fn recover_at(root: &Path) -> Result<Option<Recovered>> {
    let Some(journal) = Journal::read(root)? else {
        return Ok(None);
    };
    if journal.done {
        journal.end(root, true)?;
        return Ok(None);
    }
    let mut done = Recovered {
        root: root.to_owned(),
        what: journal.what.clone(),
        files: journal.files.len(),
        finished: false,
        changed: Vec::new(),
    };
    if !journal.ready {
        done.files = 0;
        journal.end(root, true)?;
        return Ok(Some(done));
    }
    // All new files must exist or be in place already.
    let mut whole = true;
    for (n, step) in journal.files.iter().enumerate() {
        let target = step.target(root)?;
        let now = sum_of(&target)?;
        let staged = sum_of(&step.staged(&target, &journal.id, n))?;
        whole &= now == step.wanted() || (now == step.old && staged == step.wanted());
    }
    if whole {
        journal.forward(root, true).map_err(|(e, _)| e)?;
        done.finished = true;
    } else if let Some(changed) = journal.is_over(root)? {
        (done.finished, done.changed) = (true, changed);
    } else {
        done.changed = journal.back(root, true)?;
    }
    journal.end(root, true)?;
    if done.finished {
        journal.remove_folders(root);
    }
    Ok(Some(done))
}

impl Together {
    /// Starts work in a folder. `what` is the command, for reports after an interruption. Recovers
    /// interrupted work first.
    pub fn begin(root: &Path, what: &str) -> Result<(Self, Option<Recovered>)> {
        Self::begin_waiting(root, what, Duration::ZERO)
    }

    /// Like [`Together::begin`], but waits for another refit that is at work in the folder, at most
    /// for `patience`.
    pub fn begin_waiting(
        root: &Path,
        what: &str,
        patience: Duration,
    ) -> Result<(Self, Option<Recovered>)> {
        let made = NewFolders::make(root)?;
        let root = canonical(root).map_err(|e| Error::io(root, e))?;
        let work = AtWork::begin(&root, patience)?;
        let recovered = recover_at(&root)?;
        // Files of earlier work that could not be removed are tried again when this work ends.
        let left = Journal::read(root.as_path())?
            .map(|rest| rest.left)
            .unwrap_or_default();
        let journal = Journal {
            left,
            ..Journal::new(what)
        };
        Ok((
            Together {
                journal,
                root,
                live: Vec::new(),
                made: vec![made],
                unsynced: BTreeSet::new(),
                committed: false,
                _work: work,
            },
            recovered,
        ))
    }

    /// True if the journal is on disk.
    fn is_open(&self) -> bool {
        !self.live.is_empty() || !self.journal.files.is_empty()
    }

    /// Creates the journal before the first file is written.
    fn open(&mut self) -> Result<()> {
        if !self.is_open() {
            let (root, path) = (&self.root, self.root.join(JOURNAL));
            let (temp, _live) = self.journal.prepare(root)?;
            Journal::put(temp, root)?;
            self.live.push(Live::know(path));
        }
        Ok(())
    }

    /// The file after following links, and its path below the folder.
    fn inside(&self, path: &Path) -> Result<(PathBuf, String)> {
        let target = behind_links(path)?;
        let folder = canonical(parent(&target)).map_err(|e| Error::io(path, e))?;
        let target = target
            .file_name()
            .map(|name| folder.join(name))
            .unwrap_or(target);
        let below = target.strip_prefix(&self.root).map(spell).map_err(|_| {
            Error::say("a link leads out of the folder that is written to")
                .in_file(path.shown())
                .hint("nothing was written; write this file by itself")
        })?;
        Ok((target, below))
    }

    /// Writes a new file next to its target, and calls `check` with its size and checksum. `may`
    /// decides what happens to an existing file, which is not replaced before [`Together::commit`].
    pub fn write(
        &mut self,
        path: &Path,
        may: Replace<'_>,
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
        check: impl FnOnce(u64, Sum) -> Result<()>,
    ) -> Result<Written> {
        let found = place(path, &may)?;
        self.open()?;
        self.made
            .push(NewFolders::make_for(parent(&found.target), &may)?);
        let (target, file) = self.inside(&found.target)?;
        let n = self.journal.files.len();
        let staged = target.with_file_name(format!(".refit-{}-{n}.new", self.journal.id));
        let io = |e| Error::io(path, e);
        let (new, live) = {
            let _turn = Turn::take_swept(parent(&target))?;
            step().map_err(io)?;
            let live = Live::know(staged.clone());
            (
                fs::OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .open(&staged)
                    .map_err(io)?,
                live,
            )
        };
        let filled = (|| {
            let (bytes, sum) = fill(&new, path, may.source, write)?;
            check(bytes, sum)?;
            let old = sum_of(&target)?;
            if old.is_some() {
                // Refuse if the user may not write the file itself, even though a rename would
                // work.
                held::patiently(|| fs::OpenOptions::new().write(true).open(&target)).map_err(io)?;
            }
            match fs::metadata(&target) {
                Ok(meta) => _ = new.set_permissions(meta.permissions()),
                Err(_) => give_usual_permissions(&new),
            }
            if old.is_some_and(|old| may.read.is_some() && !may.has_read(&target, old)) {
                return Err(found.changed());
            }
            // The file is fine without a note.
            let note = may.note(&target, sum);
            let _ = NoteMark::Written.attach(&staged, &note);
            // Syncing each of thousands of files would be slow: sync them together.
            if n < SYNCED_EACH || !CAN_SYNC_ALL {
                step().and_then(|()| new.sync_all()).map_err(io)?;
            } else {
                self.unsynced.insert(parent(&target).to_owned());
            }
            let mut written = Written {
                bytes,
                sum,
                unchanged: false,
                kept: None,
            };
            written.unchanged = old.is_some_and(|old| own::is_sum_of(&target, old, written.sum));
            if written.unchanged && NoteMark::Written.fits(&target, written.sum) {
                // refit wrote the file, and this writer can write it again: update the note.
                let _ = NoteMark::Written.attach(&target, &note);
            }
            let mut keep = None;
            if let Some(old) = old.filter(|_| !written.unchanged) {
                keep = keep_as(&target, old, &may)?;
                written.kept = keep.clone();
            }
            Ok((written, old, keep, note))
        })();
        let (written, old, keep, note) = match filled {
            Ok((written, ..)) if written.unchanged => {
                drop(new);
                let _ = held::remove_file(&staged);
                return Ok(written);
            }
            Ok(done) => done,
            Err(e) => {
                drop(new);
                let _ = held::remove_file(&staged);
                return Err(e);
            }
        };
        self.live.push(live);
        // The journal compares sums of one kind.
        let new = match written.sum.is_sha256() {
            true => Blob::of_file(&staged)?.sum()?,
            false => written.sum,
        };
        let note = Some(note).filter(|note| *note != written.sum.to_string());
        let first = keep.as_ref().is_some_and(|kept| kept.first);
        let keep = keep_name(keep.map(|kept| kept.path).as_deref());
        self.journal.files.push(Step {
            file,
            old,
            new,
            keep,
            first,
            note,
            ..Step::default()
        });
        Ok(written)
    }

    /// Plans the removal of a file. `may` decides what is kept of it, as for a replacement.
    pub fn remove(&mut self, path: &Path, may: Replace<'_>) -> Result<Option<KeptCopy>> {
        let found = place(path, &may)?;
        self.open()?;
        let (target, file) = self.inside(&found.target)?;
        let Some(old) = sum_of(&target)? else {
            return Ok(None);
        };
        if may.read.is_some() && !may.has_read(&target, old) {
            return Err(found.changed());
        }
        let kept = keep_as(&target, old, &may)?;
        let keep = keep_name(kept.as_ref().map(|kept| kept.path.as_path()));
        let first = kept.as_ref().is_some_and(|kept| kept.first);
        self.journal.files.push(Step {
            file,
            old: Some(old),
            gone: true,
            keep,
            first,
            ..Step::default()
        });
        Ok(kept)
    }

    /// Plans the removal of a file that refit added. If its checksum is not `known` and refit did
    /// not write it, the file is kept; returns its new path.
    pub fn remove_added(&mut self, path: &Path, known: Option<Sum>) -> Result<Option<PathBuf>> {
        self.open()?;
        let (target, file) = self.inside(path)?;
        let Some(old) = sum_of(&target)? else {
            return Ok(None);
        };
        let mut kept = None;
        let is_known = known.is_some_and(|known| own::is_sum_of(&target, old, known));
        if !is_known && !NoteMark::Written.fits(&target, old) {
            kept = keep_further_name(&target, old)?;
        }
        let keep = keep_name(kept.as_deref());
        self.journal.files.push(Step {
            file,
            old: Some(old),
            gone: true,
            keep,
            ..Step::default()
        });
        Ok(kept)
    }

    /// Plans to put an original back. If refit did not write the current file, it is kept; returns
    /// its new path.
    pub fn restore(&mut self, original: &Original) -> Result<Option<PathBuf>> {
        self.open()?;
        let (target, file) = self.inside(&original.file)?;
        let new = Blob::of_file(&original.backup)?.sum()?;
        let old = sum_of(&target)?;
        let mut kept = None;
        if let Some(old) = old
            && !NoteMark::Written.fits(&target, old)
            && !is_same(&target, &original.backup, old)?
        {
            kept = keep_further_name(&target, old)?;
        }
        let keep = keep_name(kept.as_deref());
        let from = keep_name(
            Some(&original.backup)
                .filter(|from| **from != backup_path(&target))
                .map(PathBuf::as_path),
        );
        self.journal.files.push(Step {
            file,
            old,
            new,
            restore: true,
            from,
            keep,
            ..Step::default()
        });
        Ok(kept)
    }

    /// Puts all files in place. An error leaves everything as it was.
    pub fn commit(mut self) -> Result<()> {
        if self.journal.files.is_empty() {
            return Ok(());
        }
        sync_all(&self.unsynced)?;
        self.journal.ready = true;
        let (temp, _journal) = self.journal.prepare(&self.root)?;
        {
            // With the journal in place, the next run finishes the work, so Ctrl-C must no longer
            // remove the new files.
            let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
            Journal::put(temp, &self.root)?;
            for mine in &self.live {
                live.remove(&mine.0);
            }
        }
        self.committed = true;
        let done = match self.journal.forward(&self.root, false) {
            // The journal stays.
            Err((e, Some(back))) => {
                return Err(e
                    .context(format!(
                        "the files already in place could not be taken back ({back})"
                    ))
                    .hint("the next run of this command finishes or undoes it"));
            }
            Err((e, None)) => Err(e),
            Ok(()) => {
                self.made.iter_mut().for_each(|made| made.0.clear());
                Ok(())
            }
        };
        // Everything is in place. If the journal cannot be removed, the next run finds nothing left
        // to do and removes it.
        let _ = self
            .journal
            .end(&self.root, false)
            .or_else(|_| Journal::remove(&self.root));
        if done.is_ok() {
            self.journal.remove_folders(&self.root);
        }
        done
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        if !self.committed && self.is_open() {
            let _ = self
                .journal
                .end(&self.root, false)
                .or_else(|_| Journal::remove(&self.root));
        }
    }
}

/// Up to this number, files are synced one by one.
const SYNCED_EACH: usize = 64;

/// True if a whole file system can be synced at once.
const CAN_SYNC_ALL: bool = cfg!(target_os = "linux");

/// Syncs the file systems of these folders.
fn sync_all(folders: &BTreeSet<PathBuf>) -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        let mut done = BTreeSet::new();
        for folder in folders {
            let io = |e| Error::io(folder, e);
            let open = fs::File::open(folder).map_err(io)?;
            if done.insert(std::os::unix::fs::MetadataExt::dev(
                &open.metadata().map_err(io)?,
            )) {
                step()
                    .and_then(|()| Ok(rustix::fs::syncfs(&open)?))
                    .map_err(io)?;
            }
        }
    }
    let _ = folders;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a journal of refit's own that contains these steps, with or without
    /// attributes.
    fn with_journal(files: Vec<Step>, without: bool) -> tempfile::TempDir {
        own::WITHOUT.set(without);
        let dir = tempfile::tempdir().unwrap();
        let root = canonical(dir.path()).unwrap();
        let mut journal = Journal {
            ready: true,
            files,
            ..Journal::new("repack")
        };
        let (temp, _live) = journal.prepare(&root).unwrap();
        Journal::put(temp, &root).unwrap();
        assert_eq!(journal.place.is_some(), without);
        dir
    }

    fn step_of(old: Option<&str>, new: &str, gone: bool) -> Step {
        let sum = |text: &str| Sum::of(text.as_bytes());
        Step {
            file: "a".into(),
            old: old.map(sum),
            new: sum(new),
            gone,
            ..Step::default()
        }
    }

    #[test]
    fn no_journal_causes_the_loss_of_a_file() {
        for without in [false, true] {
            // The journal deletes a file that refit did not write.
            let dir = with_journal(vec![step_of(Some("mine"), "", true)], without);
            let at = |name: &str| dir.path().join(name);
            fs::write(at("a"), "mine").unwrap();
            assert!(recover(dir.path()).unwrap().unwrap().finished);
            assert!(!at("a").exists() && !at(JOURNAL).exists());
            assert_eq!(fs::read_to_string(at("a.orig")).unwrap(), "mine");
            // The journal undoes a file that it claims is new.
            let other = Step {
                file: "b".into(),
                ..step_of(None, "missing", false)
            };
            let dir = with_journal(vec![step_of(None, "mine", false), other], without);
            let at = |name: &str| dir.path().join(name);
            fs::write(at("a"), "mine").unwrap();
            assert!(!recover(dir.path()).unwrap().unwrap().finished);
            assert_eq!(fs::read_to_string(at("a.orig")).unwrap(), "mine");
        }
        own::WITHOUT.set(false);
    }

    #[test]
    fn later_changes_do_not_undo_finished_work() {
        // The run was killed while it removed the second names; then `b` was changed.
        let other = Step {
            file: "b".into(),
            ..step_of(Some("old"), "new", false)
        };
        let dir = with_journal(vec![step_of(Some("old"), "new", false), other], false);
        let at = |name: &str| dir.path().join(name);
        fs::write(at("a"), "new").unwrap();
        fs::write(at("b"), "later").unwrap();
        let done = recover(dir.path()).unwrap().unwrap();
        assert!(
            done.finished && done.changed == [canonical(dir.path()).unwrap().join("b")],
            "{done}"
        );
        assert_eq!(
            ["a", "b"].map(|name| fs::read_to_string(at(name)).unwrap()),
            ["new", "later"]
        );
        assert!(!at(JOURNAL).exists());
        // While a second name is left, the work is undone: the other file may not have been in
        // place.
        let other = Step {
            file: "b".into(),
            ..step_of(Some("old"), "new", false)
        };
        let dir = with_journal(vec![step_of(Some("old"), "new", false), other], false);
        let at = |name: &str| dir.path().join(name);
        let id = Journal::read(&canonical(dir.path()).unwrap())
            .unwrap()
            .unwrap()
            .id;
        fs::write(at("a"), "new").unwrap();
        fs::write(at("b"), "later").unwrap();
        fs::write(Step::aside(&at("a"), &id, 0), "old").unwrap();
        assert!(!recover(dir.path()).unwrap().unwrap().finished);
        assert_eq!(fs::read_to_string(at("a")).unwrap(), "old");
    }

    #[test]
    fn a_journal_is_bound_to_its_folder() {
        for without in [false, true] {
            let dir = with_journal(vec![step_of(Some("mine"), "", true)], without);
            // Longer than the clock ticks of file systems.
            std::thread::sleep(std::time::Duration::from_millis(20));
            let elsewhere = tempfile::tempdir().unwrap();
            for folder in [&dir, &elsewhere] {
                fs::write(folder.path().join("a"), "mine").unwrap();
            }
            // Only the bytes, as from an archive.
            fs::write(
                elsewhere.path().join(JOURNAL),
                fs::read(dir.path().join(JOURNAL)).unwrap(),
            )
            .unwrap();
            assert!(
                recover(elsewhere.path())
                    .unwrap_err()
                    .to_string()
                    .contains("refit ignores it")
            );
            assert_eq!(
                fs::read_to_string(elsewhere.path().join("a")).unwrap(),
                "mine"
            );
            assert!(recover(dir.path()).unwrap().unwrap().finished);
        }
        own::WITHOUT.set(false);
    }
}
