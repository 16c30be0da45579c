//! `refit view`: a game, a project or a file as a page in a browser.
//!
//! [`View`] answers what the page asks (PROTOCOL.md): it knows nothing of HTTP, and reads only. [`server`] puts it on
//! the loopback interface.

mod export;
mod parts;
mod questions;
pub(crate) mod server;
mod textures;

use crate::{
    format::Format,
    game::Game,
    game_files,
    index::{self, Index},
    path::Shown,
    pipeline,
    project::Project,
    tree::{DirSource, disk, is_project, is_tree, read_head},
    wire::{Error, Result},
    workbench::{
        Options, Progress,
        changes::may_be_edited,
        in_order, names,
        open::{self, Loaded},
        paths::Input,
        unknown_files,
    },
};
use parts::Parts;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

/// A file that was found, by its content.
#[derive(Clone, Debug)]
struct Entry {
    input: Input,
    /// Below what was opened, with `/`.
    relative: String,
    /// `None` for a file of another program; `why` says so.
    format: Option<Format>,
    game: Option<Game>,
    bytes: u64,
    why: Option<String>,
    edited: bool,
}

impl Entry {
    fn role(&self) -> Option<game_files::RoleInGame> {
        game_files::part(&self.relative, self.format?, self.game)
    }

    /// Where the file is in the game, for what it sees of other files.
    fn place(&self) -> String {
        self.format.map_or_else(String::new, |format| game_files::place(&self.relative, format, self.game))
    }
}

/// What was opened.
pub(crate) struct View {
    root: PathBuf,
    what: &'static str,
    options: Options,
    files: Vec<Entry>,
    /// Files of other programs that are not listed.
    others: usize,
    /// The files that were asked for last, the newest at the end.
    open: Mutex<Vec<Arc<Opened>>>,
    /// The names of all files, with the state of the files that they were read from.
    index: Mutex<Option<(u64, Arc<Index>)>>,
    textures: textures::Packages,
    watched: Mutex<Watched>,
}

/// A file that is open, with its parts once they were asked for.
struct Opened {
    number: usize,
    stamp: Stamp,
    loaded: Loaded,
    parts: Mutex<Option<Arc<Parts>>>,
}

/// The size of a file, or the number of a tree's files, and the time of the last change.
type Stamp = (u64, Option<SystemTime>);

/// The state of all files when they were looked at last.
#[derive(Default)]
struct Watched {
    version: u64,
    stamps: Vec<Stamp>,
    /// For each file, the version that changed it last.
    changed: Vec<u64>,
}

/// How many files stay open.
const OPEN: usize = 3;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stamp(path: &Path) -> Stamp {
    let Ok(meta) = path.metadata() else { return (0, None) };
    if !meta.is_dir() {
        return (meta.len(), meta.modified().ok());
    }
    let files = walkdir::WalkDir::new(path).into_iter().filter_map(|entry| entry.ok()?.metadata().ok());
    files.fold((0, None), |(count, last), meta| (count + 1, last.max(meta.modified().ok())))
}

impl View {
    /// Opens a game's folder, a project, a tree or a file. Recognises all files, and reads none.
    ///
    /// # Errors
    /// There is no such path, or nothing in it that refit knows.
    pub(crate) fn open(path: &Path, options: Options, progress: &dyn Progress) -> Result<Self> {
        let arguments = [path.to_owned()];
        let what = match path {
            path if is_project(path) => "project",
            path if path.is_dir() && !is_tree(path) => "folder",
            _ => "file",
        };
        let items = names::items(&arguments, &options, progress)?;
        let (mut files, mut others) = (Vec::new(), 0);
        in_order(
            &items,
            &options,
            progress,
            (|_: &Input| 0, Input::name),
            |input| recognise(input, &options),
            |_, entry| match entry {
                Some(entry) => files.push(entry),
                None => others += 1,
            },
        );
        if files.is_empty() {
            return Err(crate::workbench::files::none_known(&arguments, others));
        }
        let what = match what {
            "folder" if files.iter().any(|file| file.game.is_some()) => "game",
            what => what,
        };
        let root = path.to_owned();
        let watched = Watched {
            version: 1,
            stamps: files.iter().map(|file| stamp(&file.input.path)).collect(),
            changed: vec![0; files.len()],
        };
        Ok(View {
            root,
            what,
            options,
            files,
            others,
            open: Mutex::default(),
            index: Mutex::default(),
            textures: textures::Packages::default(),
            watched: Mutex::new(watched),
        })
    }

    fn entry(&self, number: usize) -> Result<&Entry> {
        self.files
            .get(number)
            .ok_or_else(|| Error::say(format!("there is no file {number}")).of_kind(crate::ErrorKind::NoMember))
    }

    /// A file, opened. Those that were asked for last stay open until they change on disk.
    fn file(&self, number: usize) -> Result<Arc<Opened>> {
        let entry = self.entry(number)?;
        let now = stamp(&entry.input.path);
        {
            let mut open = lock(&self.open);
            if let Some(at) = open.iter().position(|one| one.number == number) {
                let one = open.remove(at);
                if one.stamp == now {
                    open.push(one.clone());
                    return Ok(one);
                }
            }
        }
        let loaded = open::open(&entry.input.path, self.options.hints).map_err(|e| e.about(&entry.input.path))?;
        let one = Arc::new(Opened { number, stamp: now, loaded, parts: Mutex::default() });
        let mut open = lock(&self.open);
        open.retain(|other| other.number != number);
        let more = (open.len() + 1).saturating_sub(OPEN);
        open.drain(..more);
        open.push(one.clone());
        Ok(one)
    }

    /// The parts of a file's tree.
    fn parts(&self, number: usize) -> Result<Arc<Parts>> {
        let opened = self.file(number)?;
        let mut parts = lock(&opened.parts);
        if let Some(known) = &*parts {
            return Ok(known.clone());
        }
        let entry = self.entry(number)?;
        let made = Arc::new(match is_tree(&entry.input.path) {
            true => Parts::of_tree(&entry.input.path)?,
            false => Parts::of_file(&opened.loaded, &entry.input.name())?,
        });
        *parts = Some(made.clone());
        Ok(made)
    }

    /// The names of all files.
    fn index(&self) -> Arc<Index> {
        self.look();
        let version = lock(&self.watched).version;
        let mut known = lock(&self.index);
        if let Some((of, index)) = &*known
            && *of == version
        {
            return index.clone();
        }
        let items: Vec<Input> = self.files.iter().map(|file| file.input.clone()).collect();
        let cache = names::cache(std::slice::from_ref(&self.root));
        let mut files = Vec::new();
        names::each(&items, &cache, false, &self.options, &crate::workbench::Quiet, |mut file: index::File| {
            file.content.forget_values();
            files.push(file);
        });
        let index = Arc::new(Index::new(files));
        *known = Some((version, index.clone()));
        index
    }

    /// Looks for changes on disk. Gives the version, and the files that changed since `since`.
    fn look(&self) -> u64 {
        let mut watched = lock(&self.watched);
        let now: Vec<Stamp> = self.files.iter().map(|file| stamp(&file.input.path)).collect();
        if now != watched.stamps {
            watched.version += 1;
            let Watched { version, stamps, changed } = &mut *watched;
            for ((new, old), changed) in now.iter().zip(stamps.iter()).zip(changed.iter_mut()) {
                if new != old {
                    *changed = *version;
                }
            }
            *stamps = now;
        }
        watched.version
    }
}

/// Recognises a file or a tree; `None` for a file of another program that nobody named.
fn recognise(input: &Input, options: &Options) -> Option<Entry> {
    let spelled =
        |path: &Path| path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    let relative = spelled(&input.relative);
    let mut entry = Entry {
        input: input.clone(),
        relative,
        format: None,
        game: None,
        bytes: input.size(),
        why: None,
        edited: disk::backup_path(&input.path).is_file(),
    };
    let failed = |entry: Entry, e: &Error| Entry { why: Some(e.to_string()), ..entry };
    if is_tree(&input.path) {
        let source = DirSource::new(&input.path);
        return Some(match read_head(&source) {
            Ok((_, head)) => {
                Entry { format: Some(head.format), game: head.game, edited: may_be_edited(&input.path), ..entry }
            }
            Err(e) => failed(entry, &e),
        });
    }
    let file = match pipeline::load(&input.path) {
        Ok(file) => file,
        Err(e) => return Some(failed(entry, &e)),
    };
    match pipeline::recognise(&file, &input.path.shown(), options.hints) {
        Ok(detection) => {
            (entry.format, entry.game) = (Some(detection.format), detection.game);
            Some(entry)
        }
        Err(e) if !input.explicit && unknown_files::is_unknown(&e) => None,
        Err(e) => Some(failed(entry, &e)),
    }
}

/// The projects and applied mods of what was opened.
impl View {
    fn project(&self) -> Option<Result<Project>> {
        (self.what == "project").then(|| Project::open(&self.root))
    }
}
