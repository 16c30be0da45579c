//! Finds and reads the source files that a root file refers to.

use super::{
    archive_sources::{self, Shelf},
    incremental::{Again, FilePlace, key_of},
    keys::unknown,
    scope::{Scripts, place_of},
    script::{self, Zan},
    source::{Doc, Item, List},
};
use refit_base::{
    lint::Lints,
    par,
    tree::{Document, Source, Style},
    wire::{Error, ErrorKind, F32, Result, decode_1252, utf8},
};
use refit_zipper::anim::Script;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

/// Maximum number of definitions, including those that a world leaves out: a few files that refer
/// to each other can make many. A compiled file cannot count more.
const MOST_DEFINITIONS: usize = 65_534;
/// Limits for files that are referred to repeatedly: the number of values that is always allowed,
/// and the allowed multiple of the values read.
const AGAIN: (usize, usize) = (1 << 22, 16);
/// Maximum number of files to open, counting each reference.
const MOST_FILES: usize = 1 << 16;

/// Lists the names of files and folders in a folder of a root.
pub type Listing<'a> = Box<dyn Fn(&str) -> Vec<String> + Sync + 'a>;

/// A folder that the user named. Nothing outside of such folders is read.
pub struct Root<'a> {
    /// Its absolute path with slashes.
    pub base: String,
    /// The folder to which paths in its files are relative: the folder itself, or for a shelf the
    /// studio's folder.
    work: String,
    /// The archives that it represents.
    shelf: Option<&'a Shelf>,
    /// Its content.
    pub source: &'a dyn Source,
    list: Listing<'a>,
    /// The names in each folder listed so far, by their lower-case form.
    known: Mutex<HashMap<String, Arc<HashMap<String, String>>>>,
}

impl<'a> Root<'a> {
    /// A folder at an absolute path; `list` lists its folders.
    pub fn new(base: impl Into<String>, source: &'a dyn Source, list: Listing<'a>) -> Self {
        // Paths resolved by Windows start with `\\?\`, unlike paths in files.
        let base = refit_base::path::slashed(&base.into())
            .trim_end_matches('/')
            .to_owned();
        Root {
            work: base.clone(),
            base,
            shelf: None,
            source,
            list,
            known: Mutex::default(),
        }
    }

    /// The members of archives, in the studio's folders.
    pub fn of_shelf(shelf: &'a Shelf) -> Self {
        Root {
            work: archive_sources::WORK.to_owned(),
            shelf: Some(shelf),
            ..Root::of_paths(archive_sources::BASE, &shelf.files)
        }
    }

    /// A folder with a complete list of paths.
    pub fn of_paths(base: impl Into<String>, source: &'a dyn Source) -> Self {
        let paths = source.paths();
        let list = move |folder: &str| -> Vec<String> {
            let below = |path: &String| {
                let rest = if folder.is_empty() {
                    path.as_str()
                } else {
                    path.strip_prefix(folder)?.strip_prefix('/')?
                };
                rest.split('/').next().map(str::to_owned)
            };
            paths.iter().filter_map(below).collect()
        };
        Root::new(base, source, Box::new(list))
    }

    /// The path in its spelling on disk; letter case is ignored.
    fn spelled(&self, path: &str) -> Option<String> {
        let mut at = String::new();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let known = self
                .known
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get(&at)
                .cloned();
            let known = known.unwrap_or_else(|| {
                let names = (self.list)(&at)
                    .into_iter()
                    .map(|name| (name.to_lowercase(), name))
                    .collect();
                let names: Arc<HashMap<String, String>> = Arc::new(names);
                self.known
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(at.clone(), names.clone());
                names
            });
            let name = known.get(&part.to_lowercase())?;
            at = if at.is_empty() {
                name.clone()
            } else {
                format!("{at}/{name}")
            };
        }
        Some(at)
    }
}

/// A definition in a file.
#[derive(Clone, Copy, Debug)]
pub struct Defined {
    pub file: usize,
    pub(super) place: (usize, usize),
}

/// An element of a list of animations.
enum ListedItem {
    File(Vec<u8>),
    Definition((usize, usize)),
}

struct File {
    place: FilePlace,
    doc: Arc<Doc>,
    entries: Arc<Vec<ListedItem>>,
}

/// All sources that a root file refers to, in order.
pub struct Sources<'a> {
    roots: Vec<Root<'a>>,
    files: Vec<File>,
    /// The definitions, in the order of compilation.
    pub definitions: Vec<Defined>,
    /// The gravity in the root file, if it has one.
    pub gravity: Option<F32>,
    /// Folders in which to search for bare names.
    pub(super) folders: Vec<String>,
    /// True if a path outside of the roots exists.
    outside: &'a (dyn Fn(&str) -> bool + Sync),
    scripts: Mutex<HashMap<FilePlace, Arc<Zan>>>,
    /// Files that were read in advance.
    ahead: HashMap<FilePlace, Result<Arc<Doc>>>,
    /// Findings about the files.
    pub lints: Lints,
}

/// The file names that a reference may mean, including documents.
fn spellings(path: &str) -> Vec<String> {
    let stem = path
        .strip_suffix(".zrd")
        .or_else(|| path.strip_suffix(".zad"));
    let ends = ["", ".json", ".ron"].map(|end| format!("{path}{end}"));
    let stems = stem
        .into_iter()
        .flat_map(|stem| [".json", ".ron"].map(|end| format!("{stem}{end}")));
    ends.into_iter().chain(stems).collect()
}

/// Makes a path absolute and resolves `.` and `..`.
fn whole(base: &str, path: &str) -> String {
    let is_whole = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let mut parts: Vec<&str> = if is_whole {
        Vec::new()
    } else {
        base.split('/').filter(|part| !part.is_empty()).collect()
    };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    // An empty base is the root of all folders.
    let lead = match is_whole {
        // Only if the roots are on a server can a path name a server.
        true if base.starts_with("//") && path.starts_with("//") => "//",
        true if path.starts_with('/') => "/",
        true => "",
        false if base.starts_with("//") => "//",
        false if base.is_empty() || base.starts_with('/') => "/",
        false => "",
    };
    format!("{lead}{}", parts.join("/"))
}

/// The rest of an absolute path below a root, with its leading `/`; empty for the root itself.
/// Windows ignores case.
fn below<'p>(whole: &'p str, base: &str) -> Option<&'p str> {
    let (head, rest) = whole.split_at_checked(base.len())?;
    let of_windows = base.starts_with("//") || base.as_bytes().get(1) == Some(&b':');
    let same = head == base || (of_windows && head.eq_ignore_ascii_case(base));
    (same && (rest.is_empty() || rest.starts_with('/'))).then_some(rest)
}

impl<'a> Sources<'a> {
    /// Reads the files of the roots and all files that they refer to. `start` are the root files,
    /// each as a root and a path in it.
    pub fn read(
        roots: Vec<Root<'a>>,
        start: &[(usize, String)],
        outside: &'a (dyn Fn(&str) -> bool + Sync),
    ) -> Result<Self> {
        Self::read_again(roots, start, outside, &mut Again::default())
    }

    /// [`Sources::read`] with the results of an earlier run: unedited files are not read again.
    pub fn read_again(
        roots: Vec<Root<'a>>,
        start: &[(usize, String)],
        outside: &'a (dyn Fn(&str) -> bool + Sync),
        again: &mut Again,
    ) -> Result<Self> {
        let mut me = Sources {
            roots,
            files: Vec::new(),
            definitions: Vec::new(),
            gravity: None,
            folders: Vec::new(),
            outside,
            scripts: Mutex::default(),
            ahead: HashMap::new(),
            lints: Lints::new(),
        };
        let mut known: HashMap<FilePlace, usize> = HashMap::new();
        let mut counted = 0;
        let mut opened = 0usize;
        // The number of values in all files, and in all definitions, counting a file for each
        // reference.
        let (mut read, mut named_again) = (0usize, 0usize);
        for (i, (root, path)) in start.iter().enumerate() {
            let place = FilePlace {
                root: *root,
                path: path.clone(),
            };
            let first = me.open(place, &mut known, i == 0, again)?;
            // The files being processed, each with the position of its next entry.
            let mut open: Vec<(usize, usize)> = vec![(first, 0)];
            while let Some((file, next)) = open.last_mut() {
                let file = *file;
                let entries = me
                    .files
                    .get(file)
                    .map(|file| file.entries.clone())
                    .unwrap_or_default();
                let Some(entry) = entries.get(*next) else {
                    open.pop();
                    continue;
                };
                *next += 1;
                match entry {
                    ListedItem::Definition(place) => {
                        named_again = named_again.saturating_add(place.1.saturating_sub(place.0));
                        me.definitions.push(Defined {
                            file,
                            place: *place,
                        });
                    }
                    ListedItem::File(name) => {
                        let Some(place) = me.find(name, file, false)? else {
                            let what = format!("no file {:?}: skipped", decode_1252(name));
                            let at = me.path(file);
                            me.lints
                                .at(at, |lints| lints.say(super::MISSING_FILE, what));
                            continue;
                        };
                        let named = me.open(place, &mut known, false, again);
                        let named =
                            named.map_err(|e| e.hint(format!("named in {}", me.path(file))))?;
                        if let Some(at) = open.iter().position(|(file, _)| *file == named) {
                            let circle = open.iter().skip(at).map(|(file, _)| *file).chain([named]);
                            let circle: Vec<String> = circle.map(|file| me.path(file)).collect();
                            let what = format!(
                                "definition files name each other in a circle: {}",
                                circle.join(" → ")
                            );
                            return Err(Error::say(what));
                        }
                        opened += 1;
                        read = me
                            .files
                            .iter()
                            .skip(counted)
                            .fold(read, |all, file| all.saturating_add(file.doc.count()));
                        counted = me.files.len();
                        open.push((named, 0));
                    }
                }
                if me.definitions.len() > MOST_DEFINITIONS || opened > MOST_FILES {
                    return Err(Error::say(format!(
                        "files that name files make more than {MOST_DEFINITIONS} definitions or open more than \
                        {MOST_FILES} files"
                    ))
                    .of_kind(ErrorKind::Limit));
                }
                let (most, times) = AGAIN;
                if named_again > most.saturating_add(read.saturating_mul(times)) {
                    let what = format!(
                        "files that are named repeatedly make more than {times} times their own content"
                    );
                    return Err(Error::say(what).of_kind(ErrorKind::Limit));
                }
            }
        }
        me.report_unlisted(again);
        again.keep_docs(me.files.iter().map(|file| (&file.place, &file.doc)));
        Ok(me)
    }

    /// Reports definition files in decompiled folders that no list names.
    fn report_unlisted(&mut self, again: &Again) {
        let mut unlisted = Vec::new();
        let listed: HashSet<FilePlace> = self.files.iter().map(|file| file.place.clone()).collect();
        for (root, folder) in self.roots.iter().enumerate() {
            // Other folders may contain sources of several animation files, and anything else.
            if folder.shelf.is_some() || !folder.source.has("refit.json") {
                continue;
            }
            let ends = [".zrd", ".zrd.json", ".zrd.ron"];
            for path in folder.source.paths() {
                let place = FilePlace { root, path };
                let is_hidden = place.path.split('/').any(|part| part.starts_with('.'));
                let is_meant = !is_hidden
                    && ends
                        .iter()
                        .any(|end| place.path.to_lowercase().ends_with(end));
                if !is_meant || listed.contains(&place) {
                    continue;
                }
                let is_source = |doc: Arc<Doc>| {
                    doc.root()
                        .unwrapped()
                        .find(b"ANIMATION_DEFINITIONS")
                        .is_some()
                };
                if self.doc(&place, again).is_ok_and(is_source) {
                    unlisted.push(place.path);
                }
            }
        }
        for path in unlisted {
            let what = "no ANIMATION_DEFINITION_FILE names this file, so it is not compiled";
            self.lints
                .at(path, |lints| lints.say(super::UNLISTED, what));
        }
    }

    /// The path of a file, for messages.
    pub(crate) fn path(&self, file: usize) -> String {
        self.files
            .get(file)
            .map_or_else(String::new, |file| file.place.path.clone())
    }

    /// The keys of a definition.
    pub(crate) fn list(&self, defined: &Defined) -> Option<List<'_>> {
        self.files
            .get(defined.file)
            .map(|file| file.doc.list(defined.place))
    }

    /// The document of a definition, as keys name it.
    pub(super) fn document_of(&self, defined: &Defined) -> usize {
        self.files
            .get(defined.file)
            .map_or(0, |file| key_of(&file.doc))
    }

    fn open(
        &mut self,
        place: FilePlace,
        known: &mut HashMap<FilePlace, usize>,
        is_root: bool,
        again: &Again,
    ) -> Result<usize> {
        if let Some(at) = known.get(&place) {
            return Ok(*at);
        }
        let doc = self
            .ahead
            .remove(&place)
            .unwrap_or_else(|| self.doc(&place, again))?;
        let entries = self
            .entries(&doc, &place.path, is_root)
            .map_err(|e| e.in_file(place.path.clone()))?;
        let at = self.files.len();
        known.insert(place.clone(), at);
        self.files.push(File {
            place,
            doc,
            entries: Arc::new(entries),
        });
        self.read_ahead(at, known, again);
        Ok(at)
    }

    fn doc(&self, place: &FilePlace, again: &Again) -> Result<Arc<Doc>> {
        if let Some(doc) = again.docs.get(place) {
            return Ok(doc.clone());
        }
        let root = self
            .roots
            .get(place.root)
            .ok_or_else(|| Error::say("no such root"))?;
        let bytes = root.source.get(&place.path)?;
        Doc::read(&bytes, &place.path)
            .map(Arc::new)
            .map_err(|e| e.in_file(place.path.clone()))
    }

    /// Reads the files that a file lists in parallel. Errors are reported when the file is
    /// processed.
    fn read_ahead(&mut self, file: usize, known: &HashMap<FilePlace, usize>, again: &Again) {
        let mut seen: HashSet<FilePlace> = HashSet::new();
        let entries = self
            .files
            .get(file)
            .map(|file| file.entries.clone())
            .unwrap_or_default();
        let names = entries.iter().filter_map(|entry| {
            if let ListedItem::File(name) = entry {
                Some(name)
            } else {
                None
            }
        });
        let places = names.filter_map(|name| self.find(name, file, false).ok().flatten());
        let new = |place: &FilePlace| !known.contains_key(place) && !self.ahead.contains_key(place);
        let places: Vec<FilePlace> = places
            .filter(|place| new(place) && seen.insert(place.clone()))
            .collect();
        let docs: Vec<Result<Arc<Doc>>> = par::map(&places, |_, place| self.doc(place, again));
        self.ahead.extend(places.into_iter().zip(docs));
    }

    /// The entries of a file's list. For the root file, also reads gravity and folders.
    fn entries(&mut self, doc: &Doc, path: &str, is_root: bool) -> Result<Vec<ListedItem>> {
        let top = doc.root().unwrapped();
        let definitions = top
            .find(b"ANIMATION_DEFINITIONS")
            .flatten()
            .map(List::unwrapped)
            .ok_or_else(|| {
                Error::say("no ANIMATION_DEFINITIONS list")
                    .hint("definition files begin with this word")
            })?;
        let mut entries = Vec::new();
        let mut seen: Vec<&[u8]> = Vec::new();
        let say = |lints: &mut Lints, list: Option<List<'_>>, what: String| {
            lints.at(format!("{path}{}", place_of(list)), |lints| {
                lints.say(super::UNKNOWN, what)
            });
        };
        for (key, list) in definitions.keys() {
            // The first one is used.
            if seen.contains(&key) {
                let name = decode_1252(key);
                if key == b"ANIMATION_LIST" {
                    let error = Error::say("a second ANIMATION_LIST: only the first one counts")
                        .hint("put all entries into one list");
                    return Err(match list.and_then(List::in_text) {
                        Some((line, column)) => error.placed(line, column),
                        None => error,
                    });
                }
                say(
                    &mut self.lints,
                    list.or(Some(definitions)),
                    format!("a second {name}: only the first one counts"),
                );
                continue;
            }
            match (key, list.and_then(|list| list.items().next())) {
                (b"GRAVITY", Some(Item::Float(f))) if is_root && f.get().is_finite() => {
                    self.gravity = Some(f)
                }
                (b"GRAVITY", Some(Item::Int(n))) if is_root => {
                    self.gravity = Some(F32::from(n as f32))
                }
                (b"GRAVITY", _) if is_root => {
                    return Err(Error::say("expected a finite number").within("GRAVITY"));
                }
                (b"GRAVITY", _) => {}
                (b"ANIMATION_PATH", Some(Item::Text(text))) if is_root => {
                    let text = decode_1252(text).replace('\\', "/");
                    self.folders = text
                        .split(';')
                        .map(str::trim)
                        .filter(|folder| !folder.is_empty())
                        .map(str::to_owned)
                        .collect();
                }
                (b"ANIMATION_PATH", _) => {}
                (b"ANIMATION_LIST", _) => {
                    for what in list.into_iter().flat_map(|list| list.unwrapped().strays()) {
                        say(
                            &mut self.lints,
                            list,
                            format!("{what} in ANIMATION_LIST instead of a key: dropped"),
                        );
                    }
                    for (key, list) in list.into_iter().flat_map(|list| list.unwrapped().keys()) {
                        match (key, list.and_then(|list| list.items().next())) {
                            (b"ANIMATION_DEFINITION_FILE", Some(Item::Text(name))) => {
                                entries.push(ListedItem::File(name.to_vec()))
                            }
                            (b"ANIMATION_DEFINITION_FILE", _) => {
                                return Err(Error::say("a file name is missing")
                                    .within("ANIMATION_DEFINITION_FILE"));
                            }
                            (b"ANIMATION_DEFINITION", _) => {
                                let place = list.map_or((0, 0), |list| list.unwrapped().place());
                                entries.push(ListedItem::Definition(place));
                            }
                            (other, _) => {
                                let known = ["ANIMATION_DEFINITION_FILE", "ANIMATION_DEFINITION"];
                                let what = unknown(
                                    other,
                                    "is not an entry of a list of animations: ignored",
                                    known,
                                );
                                say(&mut self.lints, list, what);
                            }
                        }
                    }
                }
                (other, _) => {
                    let known = ["GRAVITY", "ANIMATION_PATH", "ANIMATION_LIST"];
                    let what = unknown(other, "is not a key of a definition file: ignored", known);
                    say(&mut self.lints, list.or(Some(definitions)), what);
                    continue;
                }
            }
            seen.push(key);
        }
        Ok(entries)
    }

    /// The file that a name in another file refers to; `None` if it does not exist. An error if it
    /// is outside of the roots.
    fn find(&self, name: &[u8], from: usize, is_script: bool) -> Result<Option<FilePlace>> {
        let name = decode_1252(name).replace('\\', "/");
        let Some(beside) = self.files.get(from).map(|file| &file.place) else {
            return Ok(None);
        };
        let mut outside = None;
        let is_inside = |whole: &str| {
            self.roots
                .iter()
                .any(|root| below(whole, &root.base).is_some())
        };
        let mut look = |whole: String| {
            let found = self.inside(&whole);
            // A file must not make refit contact another server.
            let near = !whole.starts_with("//");
            if found.is_none()
                && outside.is_none()
                && near
                && !is_inside(&whole)
                && (self.outside)(&whole)
            {
                outside = Some(whole);
            }
            found
        };
        let bare = name.rsplit('/').next().unwrap_or_default();
        let mut folders: Vec<String> = Vec::new();
        let (base, work) = self
            .roots
            .get(beside.root)
            .map_or(("", ""), |root| (root.base.as_str(), root.work.as_str()));
        // Paths in loose files are relative to the first root.
        let first = self.roots.first().map_or("", |root| root.work.as_str());
        let work = if work == base { first } else { work };
        let folder = beside
            .path
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        folders.push(whole(base, folder));
        folders.extend(self.folders.iter().map(|folder| whole(work, folder)));
        folders.extend(self.roots.iter().map(|root| root.base.clone()));
        let scripts = if is_script {
            folders
                .iter()
                .map(|folder| format!("{folder}/scripts"))
                .collect()
        } else {
            Vec::new()
        };
        let direct = name.contains('/').then(|| whole(work, &name));
        let all = direct.into_iter().chain(
            folders
                .iter()
                .chain(&scripts)
                .map(|folder| whole(folder, bare)),
        );
        for path in all {
            if let Some(place) = look(path) {
                return Ok(Some(place));
            }
        }
        let on_shelf = |(root, it): (usize, &Root<'_>)| {
            let path = it.shelf?.by_name(bare, &beside.path)?;
            Some(FilePlace {
                root,
                path: path.to_owned(),
            })
        };
        if let (false, Some(place)) = (
            bare.is_empty(),
            self.roots.iter().enumerate().find_map(on_shelf),
        ) {
            return Ok(Some(place));
        }
        match outside {
            None => Ok(None),
            Some(path) => Err(Error::say(format!(
                "{name:?} leads to {path}, which is outside the folders of this command"
            ))
            .hint("name that folder after the root")
            .in_file(beside.path.clone())),
        }
    }

    fn inside(&self, whole: &str) -> Option<FilePlace> {
        self.roots.iter().enumerate().find_map(|(at, root)| {
            let rest = below(whole, &root.base)?.strip_prefix('/')?;
            let path = spellings(rest).iter().find_map(|path| root.spelled(path))?;
            Some(FilePlace { root: at, path })
        })
    }

    /// The paths of all files that contain definitions, with their numbers.
    pub fn paths(&self) -> BTreeMap<String, usize> {
        self.files
            .iter()
            .enumerate()
            .map(|(at, file)| (file.place.path.clone(), at))
            .collect()
    }
}

/// Loads the scripts that a file's definitions refer to.
pub struct FileScripts<'s, 'a> {
    pub sources: &'s Sources<'a>,
    pub file: usize,
    used: Mutex<Vec<FilePlace>>,
}

impl<'s, 'a> FileScripts<'s, 'a> {
    /// Loads scripts for this file.
    pub fn new(sources: &'s Sources<'a>, file: usize) -> Self {
        FileScripts {
            sources,
            file,
            used: Mutex::default(),
        }
    }

    /// The script files that were read.
    pub(super) fn used(self) -> Vec<FilePlace> {
        self.used
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scripts for FileScripts<'_, '_> {
    fn load(&self, file: &[u8], object: &[u8], rate: F32) -> Result<Script> {
        let me = self.sources;
        let none = || Error::say(format!("there is no script {:?}", decode_1252(file)));
        let place = me.find(file, self.file, true)?.ok_or_else(none)?;
        let root = me.roots.get(place.root).ok_or_else(none)?;
        self.used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(place.clone());
        if let Some(style) = Style::of(&place.path) {
            let bytes = root.source.get(&place.path)?;
            let text = utf8(&bytes).map_err(|e| e.in_file(place.path.clone()))?;
            return Script::from_text(text, style).map_err(|e| e.in_file(place.path.clone()));
        }
        let cached = me
            .scripts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&place)
            .cloned();
        let zan = match cached {
            Some(zan) => zan,
            None => {
                let zan = Zan::read(&root.source.get(&place.path)?)
                    .map_err(|e| e.in_file(place.path.clone()))?;
                let zan = Arc::new(zan);
                me.scripts
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(place.clone(), zan.clone());
                zan
            }
        };
        script::compile(&zan, object, rate).map_err(|e| e.in_file(place.path.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refit_base::tree::Folder;

    /// On each system, files below a root are found in that system's spelling.
    #[test]
    fn roots_of_windows_and_of_servers_are_roots() {
        let folder = Folder::default();
        let root = |base: &str| Root::new(base, &folder, Box::new(|_| Vec::new())).base;
        assert_eq!(root(r"\\?\C:\Games\MW3\"), "C:/Games/MW3");
        assert_eq!(root(r"\\?\UNC\server\share\mod"), "//server/share/mod");
        assert_eq!(root(r"\\server\share\mod"), "//server/share/mod");
        assert_eq!(root("/home/x/"), "/home/x");
        for base in ["C:/Games/MW3", "//server/share", "/home/x"] {
            let found = whole(base, "zbd/../anim/./gate.zrd");
            assert_eq!(
                (found.as_str(), below(&found, base)),
                (
                    format!("{base}/anim/gate.zrd").as_str(),
                    Some("/anim/gate.zrd")
                )
            );
            assert_eq!(
                (below(base, base), below(&format!("{base}x/y"), base)),
                (Some(""), None)
            );
        }
        assert_eq!(whole("C:/mod", "D:/x/y"), "D:/x/y");
        assert_eq!(
            whole("//server/share", "//server/share/x"),
            "//server/share/x"
        );
        // A server is ignored unless the roots are on a server.
        assert_eq!(whole("C:/mod", "//server/share/x"), "/server/share/x");
        assert_eq!(whole("", "x"), "/x");
        assert_eq!(below("c:/games/mw3/x", "C:/Games/MW3"), Some("/x"));
        assert_eq!(below("/home/X/y", "/home/x"), None);
        assert_eq!(below("C:/ä", "C:/a"), None);
    }
}
