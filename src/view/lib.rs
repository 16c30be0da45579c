//! `refit view`: a game, a project or a file as a page in a browser.
//!
//! [`View`] answers the page's questions (PROTOCOL.md) and only reads. It knows nothing about HTTP;
//! a `Storage` provides the files: from disk (`disk`) or memory (`memory`). `server` serves it on
//! the loopback interface, and the crate in `wasm/` runs it in a worker of the page.
// Parts that only the server or files on disk need.
#![cfg_attr(not(feature = "server"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

#[cfg(feature = "disk")]
mod against;
#[cfg(feature = "server")]
mod blender;
#[cfg(feature = "disk")]
mod disk;
#[cfg(feature = "server")]
mod edits;
#[cfg(feature = "server")]
mod export;
#[cfg(feature = "server")]
mod folders;
#[cfg(feature = "server")]
mod http;
mod memory;
mod parts;
mod questions;
mod reading;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server")]
pub mod start;
mod textures;
mod work;
mod zipped;

pub use memory::Given;
pub use questions::{Answer, Query, refusal};
pub use zipped::{Bundle, unzip};

use parts::Parts;
use reading::Reading;
use refit_base::{
    format::Format,
    game::Game,
    lint::Finding,
    path::Shown,
    secret,
    tree::{Blob, Source, read_head},
    wire::{Error, Result},
};
use refit_bohemia::pbo;
use refit_diff::Comparison;
use refit_files::{
    detect::Detection,
    file::File,
    game_files,
    pipeline::{self, Hints},
};
use refit_index::{self as index, Index};
#[cfg(feature = "disk")]
use refit_workbench::kept::KeptTrees;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::{Duration, Instant, SystemTime},
};

/// A file that was found, by its content.
#[derive(Clone, Debug)]
struct Entry {
    path: PathBuf,
    /// Path below the opened folder, with `/`.
    relative: String,
    /// Named itself: then it is listed even if it is not recognised.
    is_named: bool,
    is_tree: bool,
    /// `None` for a file of another program; `why` is the reason.
    format: Option<Format>,
    game: Option<Game>,
    bytes: u64,
    why: Option<String>,
    edited: bool,
    /// It was deleted while the view was open.
    is_gone: bool,
    /// How it calls itself: the prefix of a PBO.
    title: Option<String>,
}

/// The files of a view. Their numbers never change: a deleted file keeps its own, and a new one
/// gets the next.
#[derive(Clone, Default)]
struct Files {
    list: Vec<Arc<Entry>>,
    numbers: HashMap<PathBuf, usize>,
}

impl Files {
    fn new(entries: Vec<Entry>) -> Self {
        let mut files = Files::default();
        entries.into_iter().for_each(|entry| _ = files.put(entry));
        files
    }

    /// Adds a file, or replaces the one at its path. Returns its number.
    fn put(&mut self, entry: Entry) -> usize {
        let next = self.list.len();
        let number = *self.numbers.entry(entry.path.clone()).or_insert(next);
        match self.list.get_mut(number) {
            Some(slot) => *slot = Arc::new(entry),
            None => self.list.push(Arc::new(entry)),
        }
        number
    }

    /// The files that exist, with their numbers.
    fn iter(&self) -> impl Iterator<Item = (usize, &Arc<Entry>)> {
        self.list
            .iter()
            .enumerate()
            .filter(|(_, file)| !file.is_gone)
    }

    /// The number of the file at a path.
    fn number(&self, path: &Path) -> Option<usize> {
        self.numbers.get(path).copied()
    }
}

impl Entry {
    /// The path for display.
    fn name(&self) -> String {
        self.path.shown()
    }

    fn role(&self) -> Option<game_files::RoleInGame> {
        game_files::part(&self.relative, self.format?, self.game)
    }

    /// The file's place in the game, which determines the files that it sees.
    fn place(&self) -> String {
        self.format.map_or_else(String::new, |format| {
            game_files::place(&self.relative, format, self.game)
        })
    }

    /// Recognises a file or a tree; `None` for a file of another program, unless the user named it.
    fn recognised(self, content: Result<Content>, hints: Hints) -> Option<Self> {
        let found = content.and_then(|content| match content {
            Content::Tree(source) => {
                read_head(&*source).map(|(_, head)| (head.format, head.game, None))
            }
            Content::File(file) => {
                let found = pipeline::recognise(file.clone(), &self.name(), hints)?;
                let is_pbo = found.format == Format::Pbo;
                let title = if is_pbo {
                    pbo::prefix_in(&file.slice(0, TITLE)?.bytes()?)
                } else {
                    None
                };
                Ok((found.format, found.game, title))
            }
        });
        match found {
            Ok((format, game, title)) => Some(Entry {
                format: Some(format),
                game,
                title,
                ..self
            }),
            Err(e) if !self.is_named && pipeline::is_unknown(&e) => None,
            Err(e) => Some(Entry {
                why: Some(e.to_string()),
                ..self
            }),
        }
    }
}

/// A file or a tree.
enum Content {
    File(Blob),
    Tree(Arc<dyn Source + Send>),
}

impl Content {
    /// Reads it into a model. `name` is its path.
    fn load(self, name: &str, hints: Hints) -> Result<Loaded> {
        match self {
            Content::Tree(source) => {
                let (head, model) = pipeline::assemble(&*source)?;
                Ok(Loaded {
                    model: Arc::new(model),
                    detection: Detection::of_tree(&head),
                    content: Content::Tree(source),
                })
            }
            Content::File(file) => {
                let opened = pipeline::read(&file, pipeline::recognise(&file, name, hints)?)?;
                Ok(Loaded {
                    model: Arc::new(opened.model),
                    detection: opened.detection,
                    content: Content::File(file),
                })
            }
        }
    }
}

/// A file or a tree as a model.
struct Loaded {
    model: Arc<File>,
    detection: Detection,
    content: Content,
}

/// What a survey finds in a file.
enum Found<'a> {
    /// A finding, and for one across files the game's reaction and the other place.
    Finding(&'a Finding, Option<(&'a str, &'a str)>),
    /// It cannot be read.
    Damaged(&'a Error),
}

/// Receives the number of a file, and what was found in it.
type SeeFinding<'a> = &'a mut dyn FnMut(usize, Found<'_>);

/// Provides the files of a view.
trait Storage: Send + Sync {
    /// The current content of a file or a tree.
    fn content(&self, entry: &Entry) -> Result<Content>;
    /// The same, without reading a file into memory if it can stay on disk.
    fn lazily(&self, entry: &Entry) -> Result<Content> {
        self.content(entry)
    }
    /// Files that are not among the known ones.
    fn appeared(&self, _: &Files) -> Vec<Entry> {
        Vec::new()
    }
    /// A file as it is now.
    fn renewed(&self, entry: &Entry) -> Entry {
        entry.clone()
    }
    /// The state of a file or a tree; no time for one that does not exist.
    fn stamp(&self, entry: &Entry) -> Stamp;
    /// False if nothing can change.
    fn is_live(&self) -> bool;
    /// The names of all files that can be read, in their order.
    fn names(&self, view: &View) -> Vec<index::File>;
    /// The findings of all files, followed by those across files.
    fn findings(&self, view: &View, see: SeeFinding<'_>) -> Result<()>;
    /// The differences of a file from its unedited state, and the name of that.
    fn differences(&self, view: &View, entry: &Entry) -> Result<(String, Comparison)>;
    /// What files are compared with, if not with their unedited states.
    fn against(&self) -> Option<String> {
        None
    }
    /// True if a file differs from the other side of the comparison.
    fn differs(&self, entry: &Entry) -> Result<bool> {
        Ok(entry.edited)
    }
    /// Descriptions of the signatures next to a PBO.
    fn signatures(&self, _: &Entry) -> Vec<String> {
        Vec::new()
    }
    /// Edited files and applied mods.
    fn status(&self, view: &View) -> Result<Value>;
    /// The path of what was opened, and whether it is compared with something; `None` if it is not
    /// on disk.
    fn place(&self) -> Option<(&Path, bool)> {
        None
    }
    /// The tree that was edited last, if it is that of this file.
    fn kept(&self, _: &Entry) -> Option<(Detection, Arc<File>)> {
        None
    }
    /// Where edits keep the tree that was edited last.
    #[cfg(feature = "disk")]
    fn use_kept(&self, _: Arc<KeptTrees>) {}
    /// The project that has the edited trees of the files from now on.
    fn use_project(&self, _: &Path) {}
    /// The path that a file is read from: that of its tree, if a project has one.
    fn actual(&self, entry: &Entry) -> PathBuf {
        entry.path.clone()
    }
}

/// An opened game, project, tree or file.
pub struct View {
    name: String,
    /// The opened path, for display.
    root: String,
    what: &'static str,
    hints: Hints,
    storage: Box<dyn Storage>,
    files: RwLock<Arc<Files>>,
    /// Files of other programs that are not listed.
    others: usize,
    /// The most recently used files, the newest at the end.
    open: Mutex<Vec<Arc<Opened>>>,
    /// The names of all files, with the state of the files that they were read from.
    index: Mutex<Option<(u64, Arc<Index>)>>,
    textures: textures::Packages,
    watched: Mutex<Watched>,
    /// Held during work on a file: exclusively by a question about one file, shared and file by
    /// file by a question about all files. So their memory does not add up, and the page waits for
    /// one file, not for all of them.
    turn: Arc<RwLock<()>>,
    /// Held exclusively while the names of all files are read, and shared and file by file by other
    /// questions about all files: people wait for names.
    names_turn: Arc<RwLock<()>>,
    names_read: Reading,
    findings_read: Reading,
    /// Held by each question about all files.
    surveys: Arc<()>,
}

/// An open file, with its parts once they were needed.
struct Opened {
    number: usize,
    stamp: Stamp,
    loaded: Loaded,
    parts: Mutex<Option<Arc<Parts>>>,
}

/// The size of a file, or a number that the names, sizes and times of a tree's files make, and the
/// time of the last change.
type Stamp = (u64, Option<SystemTime>);

/// The state of all files at the last check.
struct Watched {
    version: u64,
    /// The last search for new files.
    searched: Instant,
    stamps: Vec<Stamp>,
    /// For each file, the version that changed it last.
    changed: Vec<u64>,
}

/// The time between two searches for new files.
const SEARCH: Duration = Duration::from_secs(2);

/// The longest file that the page takes, in bytes.
#[cfg(feature = "server")]
const LONGEST_FILE: usize = 96 << 20;

/// How many bytes of a PBO show its prefix.
const TITLE: u64 = 4096;

/// How many files stay open, and how many bytes they may have; the last one stays open whatever its
/// size.
const OPEN: usize = 3;
const OPEN_BYTES: u64 = 32 << 20;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An error for a private key, whose numbers no page shows.
fn check_shown(entry: &Entry, file: &Blob) -> Result<()> {
    secret::check(&entry.relative, &file.slice(0, secret::HEAD)?.bytes()?)
}

impl View {
    /// A view of recognised files. `what` is explained in PROTOCOL.md; `root` is the name and the
    /// path of what was opened.
    fn new(
        what: &'static str,
        (name, root): (String, String),
        hints: Hints,
        storage: Box<dyn Storage>,
        files: Vec<Entry>,
        others: usize,
    ) -> Self {
        let what = match what {
            "folder" if files.iter().any(|file| file.game.is_some()) => "game",
            what => what,
        };
        let watched = Watched {
            version: 1,
            searched: Instant::now(),
            stamps: files.iter().map(|file| storage.stamp(file)).collect(),
            changed: vec![0; files.len()],
        };
        View {
            name,
            root,
            what,
            hints,
            storage,
            files: RwLock::new(Arc::new(Files::new(files))),
            others,
            open: Mutex::default(),
            index: Mutex::default(),
            textures: textures::Packages::default(),
            watched: Mutex::new(watched),
            turn: Arc::default(),
            names_turn: Arc::default(),
            names_read: Reading::default(),
            findings_read: Reading::default(),
            surveys: Arc::default(),
        }
    }

    /// The files as they were found last.
    fn files(&self) -> Arc<Files> {
        self.files
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn entry(&self, number: usize) -> Result<Arc<Entry>> {
        let missing = |what: String| Err(Error::say(what).of_kind(refit_base::ErrorKind::NoMember));
        match self.files().list.get(number) {
            Some(entry) if entry.is_gone => missing(format!("{} was deleted", entry.name())),
            Some(entry) => Ok(entry.clone()),
            None => missing(format!("there is no file {number}")),
        }
    }

    /// Reads a file, without keeping it open.
    fn load(&self, entry: &Entry) -> Result<Loaded> {
        let loaded = self.storage.content(entry).and_then(|content| {
            match (content, self.storage.kept(entry)) {
                (content @ Content::Tree(_), Some((detection, model))) => Ok(Loaded {
                    model,
                    detection,
                    content,
                }),
                (content, _) => content.load(&entry.name(), self.hints),
            }
        });
        loaded.map_err(|e| e.about(&entry.path))
    }

    /// Opens a file. The most recently used files stay open until they change on disk.
    fn file(&self, number: usize) -> Result<Arc<Opened>> {
        let entry = self.entry(number)?;
        let now = self.storage.stamp(&entry);
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
        self.close(number);
        let loaded = self.load(&entry)?;
        let one = Arc::new(Opened {
            number,
            stamp: now,
            loaded,
            parts: Mutex::default(),
        });
        self.close(number);
        lock(&self.open).push(one.clone());
        Ok(one)
    }

    /// Closes everything, before all files are read.
    fn close_all(&self) {
        lock(&self.open).clear();
        self.close_packages();
    }

    /// Closes all files but one, before something else takes memory.
    fn close_others(&self, number: usize) {
        lock(&self.open).retain(|one| one.number == number);
    }

    /// Closes files until there is room for another one.
    fn close(&self, number: usize) {
        let files = self.files();
        let size = |number: usize| files.list.get(number).map_or(0, |file| file.bytes);
        let mut open = lock(&self.open);
        open.retain(|other| other.number != number);
        while open.len() >= OPEN
            || !open.is_empty()
                && open.iter().map(|one| size(one.number)).sum::<u64>() + size(number) > OPEN_BYTES
        {
            open.remove(0);
        }
    }

    /// The parts of a file's tree.
    fn parts(&self, number: usize) -> Result<Arc<Parts>> {
        let opened = self.file(number)?;
        let mut parts = lock(&opened.parts);
        if let Some(known) = &*parts {
            return Ok(known.clone());
        }
        let made = Arc::new(match &opened.loaded.content {
            Content::Tree(source) => Parts::of_tree(source.clone()),
            Content::File(file) => {
                let entry = self.entry(number)?;
                check_shown(&entry, file)?;
                Parts::of_file(file, &entry.name())?
            }
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
        self.close_all();
        let index = Arc::new(Index::new(self.storage.names(self)));
        *known = Some((version, index.clone()));
        index
    }

    /// The edits of what is opened.
    #[cfg(feature = "server")]
    fn editor(&self) -> edits::Editor {
        match self.storage.place() {
            Some((path, compares)) => {
                let editor = edits::Editor::new(path, compares);
                if let Some(project) = editor.project() {
                    self.storage.use_project(&project);
                }
                self.use_kept(editor.kept());
                editor
            }
            None => edits::Editor::new(Path::new(""), true),
        }
    }

    /// The file that was edited last is shown as edits keep it.
    #[cfg(feature = "server")]
    fn use_kept(&self, kept: Option<Arc<KeptTrees>>) {
        if let Some(kept) = kept {
            self.storage.use_kept(kept);
        }
    }

    /// Looks for changes on disk. `project` is the project that has the edited trees of an opened
    /// game from now on.
    #[cfg(feature = "disk")]
    pub fn edited(&self, project: Option<PathBuf>) {
        if let Some(project) = project {
            self.storage.use_project(&project);
        }
        self.look();
    }

    /// The rows of edited files.
    fn edited_rows(&self) -> Vec<Value> {
        let files = self.files();
        let edited = files.iter().filter(|(_, file)| file.edited);
        edited
            .map(|(_, file)| json!({ "path": file.relative, "change": "modified" }))
            .collect()
    }

    /// Checks for changed, deleted and new files. Returns the version.
    fn look(&self) -> u64 {
        let mut watched = lock(&self.watched);
        let mut files = self.files();
        if self.storage.is_live() && watched.searched.elapsed() > SEARCH {
            let found = self.storage.appeared(&files);
            if !found.is_empty() {
                let files = Arc::make_mut(&mut files);
                for entry in found {
                    let number = files.put(entry);
                    // Of no time: it counts as changed.
                    let len = watched.stamps.len().max(number + 1);
                    watched.stamps.resize(len, (u64::MAX, None));
                    watched.changed.resize(len, 0);
                }
            }
            watched.searched = Instant::now();
        }
        let now: Vec<Stamp> = files
            .list
            .iter()
            .map(|file| self.storage.stamp(file))
            .collect();
        if now == watched.stamps {
            return watched.version;
        }
        let Watched {
            version,
            stamps,
            changed,
            ..
        } = &mut *watched;
        *version += 1;
        let own = Arc::make_mut(&mut files);
        for (((new, old), changed), entry) in now.iter().zip(stamps).zip(changed).zip(&mut own.list)
        {
            if new != old {
                *changed = *version;
                *entry = Arc::new(match new.1 {
                    Some(_) => self.storage.renewed(entry),
                    None => Entry {
                        is_gone: self.storage.is_live(),
                        ..(**entry).clone()
                    },
                });
            }
        }
        watched.stamps = now;
        *self.files.write().unwrap_or_else(PoisonError::into_inner) = files;
        watched.version
    }
}
