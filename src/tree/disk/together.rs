//! Several files that are put in place together: all of them or none, whatever happens at whatever moment.
//!
//! 1. Each new file is written beside its target, under a name of refit's own, synced and proved. A journal stands in the folder that
//!    all of them are in. What is ended here is undone: nothing was put in place.
//! 2. The journal says that all are there: from now on the new files are the ones that count.
//! 3. What stands in the way is kept, by a second name for the same file where the system has such, and each new file is renamed
//!    into its place. A fault puts everything back. What is ended here is finished by the next run, which has all it needs.
//! 4. What was kept only for the way back goes, and the journal last.
//!
//! What may be replaced, and what is kept of it as `NAME.orig`, follows the rule of the module above.

use super::{
    Backup, KeptCopy, LIVE, Live, NewFolders, Original, Replace, Written, backup_path, behind_links, check_backup, copy_to, fill,
    give_usual_permissions, held, is_absent, is_original, is_same, keep_further_name, own,
    own::NoteMark,
    parent, place, step, sync_folder, temporary_file,
    turn::{self, Turn},
};
use crate::{
    path::Shown,
    path::canonical,
    tree::blob::Blob,
    wire::{Error, Result},
};
use serde::{Deserialize, Serialize};
use std::{
    ffi::OsString,
    fs,
    io::Write,
    path::{Component, Path, PathBuf},
    sync::PoisonError,
    time::SystemTime,
};

/// The journal's name in the folder that all files are in.
pub const JOURNAL: &str = ".refit-journal";

/// The file that tells other refits of one at work here.
const AT_WORK: &str = ".refit-together.tmp";

/// A journal that is longer was not written by refit.
const LONGEST: u64 = 64 << 20;

/// What is to be done with one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// The file, below the journal's folder.
    file: String,
    /// SHA-256 of what stood there; `None` where nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old: Option<String>,
    /// SHA-256 of the new file.
    new: String,
    /// The new file is `NAME.orig`: it is put back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    restore: bool,
    /// The file is removed; `new` says nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
    /// What stood there is kept under this name for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keep: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Journal {
    /// The refit that wrote it.
    refit: String,
    /// What it was about: `repack`, `restore`.
    what: String,
    /// Part of the names of the files on their way.
    id: String,
    /// All new files are written.
    ready: bool,
    files: Vec<Step>,
}

/// What became of work that was ended before it was done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recovered {
    /// The folder.
    pub root: PathBuf,
    /// What it was: `repack`, `restore`.
    pub what: String,
    /// How many files it was about.
    pub files: usize,
    /// It was finished; else it was undone.
    pub finished: bool,
    /// Files that another program changed since: they were left alone.
    pub changed: Vec<PathBuf>,
}

impl std::fmt::Display for Recovered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let files = if self.files == 1 { "1 file".to_owned() } else { format!("{} files", self.files) };
        let (root, what) = (self.root.shown(), &self.what);
        match (self.finished, self.files) {
            (true, _) => write!(f, "{root}: a {what} was ended while it put {files} in place; it has been finished")?,
            (false, 0) => write!(f, "{root}: a {what} was ended before it put anything in place; it has been undone, nothing was changed")?,
            (false, _) => write!(f, "{root}: a {what} was ended while it put {files} in place; it has been undone")?,
        }
        for path in &self.changed {
            write!(f, "; {} was changed by another program since, it was left alone", path.shown())?;
        }
        Ok(())
    }
}

/// Files that are on their way into a folder.
pub struct Together {
    journal: Journal,
    /// The folder, its real name.
    root: PathBuf,
    /// Known to Ctrl-C until they count.
    live: Vec<Live>,
    made: Vec<NewFolders>,
    committed: bool,
    // The last field, and so dropped last: the folder stays locked until everything else is cleaned up.
    _work: AtWork,
}

/// No other refit puts several files in place in this folder.
struct AtWork {
    root: PathBuf,
    file: Option<fs::File>,
}

impl AtWork {
    fn begin(root: &Path) -> Result<Self> {
        let _turn = Turn::take_swept(root)?;
        let path = root.join(AT_WORK);
        let busy = || {
            Error::say("another refit is putting files in place here")
                .in_file(root.shown())
                .hint("nothing was written; try again when it has ended")
        };
        let open = || fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = held::patiently(open).map_err(|e| Error::io(root, e))?;
        match turn::try_claim(&file) {
            true => Ok(AtWork { root: root.to_owned(), file: Some(file) }),
            false => Err(busy()),
        }
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

/// A path below the root as the journal spells it; what is not Unicode, in hexadecimal.
fn spell(path: &Path) -> String {
    let parts = path.components().map(|part| match part.as_os_str().to_str() {
        Some(name) if !name.starts_with("hex:") => name.to_owned(),
        _ => format!("hex:{}", crate::lower_hex(part.as_os_str().as_encoded_bytes())),
    });
    parts.collect::<Vec<_>>().join("/")
}

/// The path that the journal means: relative, and below the root.
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
    let bytes = (0..hex.len()).step_by(2).map(pair).collect::<Option<Vec<u8>>>()?;
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn from_hex(_: &str) -> Option<OsString> {
    None
}

fn sum_of(path: &Path) -> Result<Option<String>> {
    if is_absent(path) { Ok(None) } else { Blob::of_file(path)?.sha256().map(Some) }
}

impl Step {
    /// SHA-256 of what is to stand there; `None` for nothing.
    fn wanted(&self) -> Option<&str> {
        if self.gone { None } else { Some(&self.new) }
    }

    fn target(&self, root: &Path) -> Result<PathBuf> {
        let relative = unspell(&self.file).ok_or_else(|| damaged(root))?;
        let target = root.join(relative);
        // A folder may have been replaced by a link since.
        let inside = canonical(parent(&target)).is_ok_and(|folder| folder.starts_with(root));
        if inside { Ok(target) } else { Err(damaged(root)) }
    }

    /// The new file, while it is not in place.
    fn staged(&self, target: &Path, id: &str, n: usize) -> PathBuf {
        if self.restore { backup_path(target) } else { target.with_file_name(format!(".refit-{id}-{n}.new")) }
    }

    /// What stood there, for the way back.
    fn aside(target: &Path, id: &str, n: usize) -> PathBuf {
        target.with_file_name(format!(".refit-{id}-{n}.old"))
    }

    fn kept(&self, target: &Path) -> Option<PathBuf> {
        let name = self.keep.as_deref()?;
        let path = target.with_file_name(unspell(name)?);
        is_original(&path).then_some(path)
    }
}

fn damaged(root: &Path) -> Error {
    Error::say("the journal of an earlier refit is damaged")
        .in_file(root.join(JOURNAL).shown())
        .hint("look at the files beside it, and delete it")
}

/// Another name for the same file, or a copy where there are no such.
fn link(from: &Path, to: &Path, sum: &str) -> Result<()> {
    if !is_absent(to) {
        // An earlier run that was ended may have made this copy already.
        if is_same(from, to, sum)? {
            return Ok(());
        }
        return Err(Error::say("something stands where the old file is to be kept").in_file(to.shown()));
    }
    let linked = step().and_then(|()| fs::hard_link(from, to));
    match linked {
        Ok(()) => Ok(()),
        // A test made this step fail on purpose: it must not be mended by a copy.
        Err(e) if e.kind() == std::io::ErrorKind::Other => Err(Error::io(to, e)),
        Err(_) => copy_to(from, to, sum),
    }
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    step().and_then(|()| held::rename(from, to)).map_err(|e| Error::io(to, e))
}

impl Journal {
    fn new(what: &str) -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let id = format!("{:x}{:x}", std::process::id(), since & 0xffff_ffff);
        Journal { refit: env!("CARGO_PKG_VERSION").to_owned(), what: what.to_owned(), id, ready: false, files: Vec::new() }
    }

    /// The journal under a temporary name, synced.
    fn prepare(&self, root: &Path) -> Result<(tempfile::NamedTempFile, Live)> {
        let path = root.join(JOURNAL);
        let io = |e: std::io::Error| Error::io(&path, e);
        let text = serde_json::to_vec(self).map_err(|e| io(e.into()))?;
        let (mut temp, live) = {
            let _turn = Turn::take(root)?;
            temporary_file(root).map_err(io)?
        };
        temp.write_all(&text).map_err(io)?;
        step().and_then(|()| temp.as_file().sync_all()).map_err(io)?;
        Ok((temp, live))
    }

    /// Puts it in place, whole.
    fn put(temp: tempfile::NamedTempFile, root: &Path) -> Result<()> {
        let path = root.join(JOURNAL);
        step().and_then(|()| held::persist(temp, &path)).map_err(|e| Error::io(&path, e))?;
        sync_folder(root);
        Ok(())
    }

    fn read(root: &Path) -> Result<Option<Self>> {
        let path = root.join(JOURNAL);
        let Ok(meta) = path.symlink_metadata() else { return Ok(None) };
        if !meta.is_file() || meta.len() > LONGEST {
            return Err(damaged(root));
        }
        let bytes = fs::read(&path).map_err(|e| Error::io(&path, e))?;
        let text = str::from_utf8(&bytes).map_err(|_| damaged(root))?;
        let journal: Journal = serde_json::from_str(text).map_err(|_| damaged(root))?;
        let plain = !journal.id.is_empty() && journal.id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if plain { Ok(Some(journal)) } else { Err(damaged(root)) }
    }

    fn remove(root: &Path) -> Result<()> {
        let path = root.join(JOURNAL);
        step().and_then(|()| held::remove_file(&path)).map_err(|e| Error::io(&path, e))?;
        sync_folder(root);
        Ok(())
    }

    /// Puts all files in place. An error has put everything back, unless the second of it, which says why not, is there too.
    fn forward(&self, root: &Path) -> Result<(), (Error, Option<Error>)> {
        self.place(root).map_err(|e| {
            let back = self.back(root).err();
            (e, back)
        })
    }

    fn place(&self, root: &Path) -> Result<()> {
        let mut targets = Vec::new();
        for (n, step) in self.files.iter().enumerate() {
            let target = step.target(root)?;
            let staged = step.staged(&target, &self.id, n);
            // What a killed run has put in place already stays there.
            let done = sum_of(&target)?.as_deref() == step.wanted() && (is_absent(&staged) || !step.restore);
            targets.push((target, staged, done));
        }
        let keep = || -> Result<()> {
            for (n, (step, (target, _, done))) in self.files.iter().zip(&targets).enumerate() {
                let Some(old) = step.old.as_deref().filter(|_| !*done) else { continue };
                let kept = step.kept(target).unwrap_or_else(|| Step::aside(target, &self.id, n));
                let _turn = Turn::take(parent(target))?;
                link(target, &kept, old)?;
            }
            Ok(())
        };
        keep()?;
        {
            // Ctrl-C waits until all of them are there.
            let _placing = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
            for (step, (target, staged, _)) in self.files.iter().zip(&targets).filter(|(_, (_, _, done))| !*done) {
                // Nobody else may put anything there between the look and the rename.
                let _turn = Turn::take(parent(target))?;
                if sum_of(target)? != step.old {
                    return Err(Error::say("the file changed while refit was at work: another refit or program wrote it")
                        .in_file(target.shown())
                        .hint("nothing was changed; look at it and try again"));
                }
                match step.gone {
                    true => super::step().and_then(|()| held::remove_file(target)).map_err(|e| Error::io(target, e))?,
                    false => rename(staged, target)?,
                }
            }
        }
        for (step, (target, ..)) in self.files.iter().zip(&targets) {
            match step.restore {
                true => own::forget(target, &backup_path(target)),
                false if step.gone => {}
                false if !NoteMark::Written.fits(target, &step.new) => NoteMark::list(target, &step.new),
                false => {}
            }
            if let Some(kept) = step.kept(target)
                && !NoteMark::Original.attach(&kept, step.old.as_deref().unwrap_or_default())
            {
                NoteMark::list(&kept, step.old.as_deref().unwrap_or_default());
            }
            sync_folder(parent(target));
        }
        self.clear(root);
        Ok(())
    }

    /// Puts back what was replaced. Files that are neither what they were nor what they were to be stay as they are: given back.
    fn back(&self, root: &Path) -> Result<Vec<PathBuf>> {
        let mut changed = Vec::new();
        let mut first = Ok(());
        for (n, step) in self.files.iter().enumerate() {
            let target = step.target(root)?;
            let staged = step.staged(&target, &self.id, n);
            let now = sum_of(&target)?;
            let kept = step.kept(&target);
            let old = [Some(Step::aside(&target, &self.id, n)), kept.clone()].into_iter().flatten().find(|path| !is_absent(path));
            let mut one = || -> Result<()> {
                if step.restore && now.as_deref() == Some(&step.new) && is_absent(&staged) {
                    link(&target, &staged, &step.new)?;
                    NoteMark::Original.attach(&staged, &step.new);
                }
                if now == step.old {
                    // The old file is still in its place, so that the copy kept of it is not needed.
                    if let (Some(kept), Some(old)) = (&kept, &step.old)
                        && is_same(&target, kept, old)?
                    {
                        held::remove_file(kept).map_err(|e| Error::io(kept, e))?;
                    }
                    return Ok(());
                }
                if now.as_deref() != step.wanted() {
                    changed.push(target.clone());
                    return Ok(());
                }
                match (&step.old, &old) {
                    (Some(_), Some(old)) if step.gone && kept.as_ref() == Some(old) => {
                        link(old, &target, step.old.as_deref().unwrap_or_default())?;
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
        self.clear(root);
        Ok(changed)
    }

    /// Removes what was only on the way.
    fn clear(&self, root: &Path) {
        for (n, step) in self.files.iter().enumerate() {
            let Ok(target) = step.target(root) else { continue };
            let staged = step.staged(&target, &self.id, n);
            for path in [Some(Step::aside(&target, &self.id, n)), (!step.restore).then_some(staged)].into_iter().flatten() {
                if !is_absent(&path) {
                    let _ = held::remove_file(&path);
                }
            }
        }
    }

    /// Removes the new files of work that was ended before all of them were there: their names are not in the journal yet.
    fn sweep(&self, root: &Path) {
        let prefix = format!(".refit-{}-", self.id);
        for entry in walkdir::WalkDir::new(root).min_depth(1).into_iter().filter_map(|entry| entry.ok()) {
            if entry.file_type().is_file() && entry.file_name().to_str().is_some_and(|name| name.starts_with(&prefix)) {
                let _ = held::remove_file(entry.path());
            }
        }
    }
}

/// True for a folder in which work was begun, and perhaps ended before it was done.
pub fn is_begun(root: &Path) -> bool {
    [JOURNAL, AT_WORK].iter().any(|name| !is_absent(&root.join(name)))
}

/// The folder at or above a path in which work was ended before it was done.
pub fn unfinished_above(path: &Path) -> Option<PathBuf> {
    let path = canonical(path).or_else(|_| canonical(parent(path))).ok()?;
    path.ancestors().find(|folder| folder.join(JOURNAL).is_file()).map(Path::to_owned)
}

/// Finishes or undoes work that was ended before it was done in this folder; `None` where there is none.
pub fn recover(root: &Path) -> Result<Option<Recovered>> {
    let root = canonical(root).map_err(|e| Error::io(root, e))?;
    if !is_begun(&root) {
        return Ok(None);
    }
    let _work = AtWork::begin(&root)?;
    recover_at(&root)
}

fn recover_at(root: &Path) -> Result<Option<Recovered>> {
    let Some(journal) = Journal::read(root)? else { return Ok(None) };
    let mut done =
        Recovered { root: root.to_owned(), what: journal.what.clone(), files: journal.files.len(), finished: false, changed: Vec::new() };
    if !journal.ready {
        done.files = 0;
        journal.sweep(root);
        Journal::remove(root)?;
        return Ok(Some(done));
    }
    // All new files must be there, or in place already.
    let mut whole = true;
    for (n, step) in journal.files.iter().enumerate() {
        let target = step.target(root)?;
        let now = sum_of(&target)?;
        let staged = sum_of(&step.staged(&target, &journal.id, n))?;
        whole &= now.as_deref() == step.wanted() || (now == step.old && staged.as_deref() == step.wanted());
    }
    if whole {
        journal.forward(root).map_err(|(e, _)| e)?;
        done.finished = true;
    } else {
        done.changed = journal.back(root)?;
    }
    Journal::remove(root)?;
    Ok(Some(done))
}

impl Together {
    /// Begins with a folder; `what` is said of it when it is ended too early. What was ended there before is finished or undone first.
    pub fn begin(root: &Path, what: &str) -> Result<(Self, Option<Recovered>)> {
        let made = NewFolders::make(root)?;
        let root = canonical(root).map_err(|e| Error::io(root, e))?;
        let work = AtWork::begin(&root)?;
        let recovered = recover_at(&root)?;
        let journal = Journal::new(what);
        Ok((Together { journal, root, live: Vec::new(), made: vec![made], committed: false, _work: work }, recovered))
    }

    /// How many files are on their way.
    pub fn len(&self) -> usize {
        self.journal.files.len()
    }

    /// True when nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.journal.files.is_empty()
    }

    /// Before the first file is written.
    fn open(&mut self) -> Result<()> {
        if self.live.is_empty() && self.journal.files.is_empty() {
            let (root, path) = (&self.root, self.root.join(JOURNAL));
            let (temp, _live) = self.journal.prepare(root)?;
            Journal::put(temp, root)?;
            self.live.push(Live::know(path));
        }
        Ok(())
    }

    /// The file that is meant, behind links, and its place below the folder.
    fn inside(&self, path: &Path) -> Result<(PathBuf, String)> {
        let target = behind_links(path)?;
        let folder = canonical(parent(&target)).map_err(|e| Error::io(path, e))?;
        let target = target.file_name().map(|name| folder.join(name)).unwrap_or(target);
        let below = target.strip_prefix(&self.root).map(spell).map_err(|_| {
            Error::say("a link leads out of the folder that is written to")
                .in_file(path.shown())
                .hint("nothing was written; write this file by itself")
        })?;
        Ok((target, below))
    }

    /// Writes a new file beside its target, and asks `check` of it, with its size and its SHA-256. What becomes of the one that stands
    /// there is said by `may`; it is not replaced before [`Together::commit`].
    pub fn write(
        &mut self,
        path: &Path,
        may: Replace<'_>,
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
        check: impl FnOnce(u64, &str) -> Result<()>,
    ) -> Result<Written> {
        let found = place(path, &may)?;
        self.open()?;
        self.made.push(NewFolders::make(parent(&found.target))?);
        let (target, file) = self.inside(&found.target)?;
        let n = self.journal.files.len();
        let staged = target.with_file_name(format!(".refit-{}-{n}.new", self.journal.id));
        let io = |e| Error::io(path, e);
        let (new, live) = {
            let _turn = Turn::take_swept(parent(&target))?;
            step().map_err(io)?;
            let live = Live::know(staged.clone());
            (fs::OpenOptions::new().write(true).create_new(true).open(&staged).map_err(io)?, live)
        };
        let filled = (|| {
            let (bytes, sha256) = fill(&new, path, write)?;
            check(bytes, &sha256)?;
            let old = sum_of(&target)?;
            if old.is_some() {
                // Without the right to write the file itself, the right to rename over it is not used.
                held::patiently(|| fs::OpenOptions::new().write(true).open(&target)).map_err(io)?;
            }
            match fs::metadata(&target) {
                Ok(meta) => _ = new.set_permissions(meta.permissions()),
                Err(_) => give_usual_permissions(&new),
            }
            if let (Some(old), Some(read)) = (&old, may.read)
                && old != read
            {
                return Err(found.changed());
            }
            // Where the note cannot be attached, the file is good all the same.
            let _ = NoteMark::Written.attach(&staged, &sha256);
            step().and_then(|()| new.sync_all()).map_err(io)?;
            let mut written = Written { bytes, sha256, unchanged: false, kept: None };
            written.unchanged = old.as_deref() == Some(&written.sha256);
            let mut keep = None;
            if let Some(old) = old.as_deref().filter(|_| !written.unchanged) {
                keep = keep_as(&target, old, &may)?;
                written.kept = keep.clone();
            }
            Ok((written, old, keep))
        })();
        let (written, old, keep) = match filled {
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
        let keep = keep.and_then(|kept| kept.path.file_name().map(|name| spell(Path::new(name))));
        self.journal.files.push(Step { file, old, new: written.sha256.clone(), restore: false, gone: false, keep });
        Ok(written)
    }

    /// A file is to be removed. What becomes of it is said by `may`, as if it were replaced.
    pub fn remove(&mut self, path: &Path, may: Replace<'_>) -> Result<Option<KeptCopy>> {
        let found = place(path, &may)?;
        self.open()?;
        let (target, file) = self.inside(&found.target)?;
        let Some(old) = sum_of(&target)? else { return Ok(None) };
        if may.read.is_some_and(|read| read != old) {
            return Err(found.changed());
        }
        let kept = keep_as(&target, &old, &may)?;
        let keep = kept.as_ref().and_then(|kept| kept.path.file_name()).map(|name| spell(Path::new(name)));
        self.journal.files.push(Step { file, old: Some(old), new: String::new(), restore: false, gone: true, keep });
        Ok(kept)
    }

    /// An original is to be put back. What stood in its place and was not written by refit is kept: under the name that is given back.
    pub fn restore(&mut self, original: &Original) -> Result<Option<PathBuf>> {
        self.open()?;
        let (target, file) = self.inside(&original.file)?;
        let new = Blob::of_file(&original.backup)?.sha256()?;
        let old = sum_of(&target)?;
        let mut kept = None;
        if let Some(old) = &old
            && !NoteMark::Written.fits(&target, old)
            && !is_same(&target, &original.backup, old)?
        {
            kept = keep_further_name(&target, old)?;
        }
        let keep = kept.as_ref().and_then(|path| path.file_name()).map(|name| spell(Path::new(name)));
        self.journal.files.push(Step { file, old, new, restore: true, gone: false, keep });
        Ok(kept)
    }

    /// Puts all files in place. An error leaves everything as it was.
    pub fn commit(mut self) -> Result<()> {
        if self.journal.files.is_empty() {
            return Ok(());
        }
        self.journal.ready = true;
        let (temp, _journal) = self.journal.prepare(&self.root)?;
        {
            // Once the journal is there, the next run finishes the work: the new files are no longer removed on Ctrl-C.
            let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
            Journal::put(temp, &self.root)?;
            live.retain(|path| !self.live.iter().any(|mine| mine.is(path)));
        }
        self.committed = true;
        let done = match self.journal.forward(&self.root) {
            // The journal stays.
            Err((e, Some(back))) => {
                return Err(Error::say(format!("{e}; and what was in place already could not be taken back: {back}"))
                    .hint("the next run of this command finishes or undoes it"));
            }
            Err((e, None)) => Err(e),
            Ok(()) => {
                self.made.iter_mut().for_each(|made| made.0.clear());
                Ok(())
            }
        };
        // Everything is in place. Should the journal stay, the next run finds nothing left to do and removes it.
        let _ = Journal::remove(&self.root).or_else(|_| Journal::remove(&self.root));
        done
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        if !self.committed {
            self.journal.clear(&self.root);
            let _ = held::remove_file(&self.root.join(JOURNAL));
        }
    }
}

/// Under which name what stands at a target is to be kept, where the rule asks for it.
fn keep_as(target: &Path, sum: &str, may: &Replace<'_>) -> Result<Option<KeptCopy>> {
    let backup = backup_path(target);
    let ours = NoteMark::Written.fits(target, sum);
    let source = may.source.is_some_and(|source| source == sum);
    if may.backup == Backup::Never {
        return Ok(None);
    }
    check_backup(&backup)?;
    if is_absent(&backup) {
        let needed = !ours || source || may.backup == Backup::First;
        return Ok(needed.then(|| KeptCopy { path: backup, foreign: may.source.is_some() && !source && !ours }));
    }
    if ours || is_same(target, &backup, sum)? {
        return Ok(None);
    }
    keep_further_name(target, sum).map(|kept| kept.map(|path| KeptCopy { path, foreign: true }))
}
