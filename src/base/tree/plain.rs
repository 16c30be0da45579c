//! Plain folders: the source of a new file when there is no manifest.

use super::{Blob, Document, Folder, Head, Origin, Sink, Source, Style, TreeReader, manifest_path};
use crate::{
    format::Format,
    game::Game,
    wire::{Error, Result},
};
use bytes::Bytes;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Mutex, PoisonError},
};

/// Finds and reads a file that another one includes: see `Rap::compile`.
pub type Include<'a> = dyn Fn(&str, &str) -> Result<(String, String)> + Sync + 'a;

/// The path in the game of a file; `None` if it is not known.
pub type InGame<'a> = dyn Fn(&str) -> Option<String> + Sync + 'a;

/// The files of a folder without a manifest, or one file.
pub struct PlainFolder<'a> {
    /// The game that the new file is for.
    pub game: Option<Game>,
    /// The format of the new file.
    pub format: Format,
    /// The name of the new file.
    pub file: String,
    /// The tree of a file to take choices from: order, flags, times, comments.
    pub like: Option<&'a Folder>,
    /// Reads the files that the text of a config includes.
    pub include: &'a Include<'a>,
    /// The path in the game of a file, for `__FILE__` in the text of a config.
    pub in_game: &'a InGame<'a>,
    /// True for a text of a tree: refit wrote it, and means each value literally.
    pub is_of_tree: bool,
    source: &'a dyn Source,
    paths: Vec<String>,
    /// Paths that no codec has used.
    unused: Mutex<BTreeSet<String>>,
    assumed: Mutex<Vec<String>>,
}

impl<'a> PlainFolder<'a> {
    /// The files at `paths` of `source`.
    pub fn new(
        format: Format,
        game: Option<Game>,
        file: &str,
        source: &'a dyn Source,
        paths: Vec<String>,
    ) -> Self {
        let unused = Mutex::new(paths.iter().cloned().collect());
        let assumed = Mutex::default();
        PlainFolder {
            game,
            format,
            file: file.to_owned(),
            like: None,
            include: &no_include,
            in_game: &|_| None,
            is_of_tree: false,
            source,
            paths,
            unused,
            assumed,
        }
    }

    /// The paths of the files, sorted without case, so that the order is the same on every system.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = self.paths.iter().map(String::as_str).collect();
        paths.sort_by_cached_key(|path| (path.to_lowercase(), path.to_string()));
        paths
    }

    /// The paths that end with one of `ends`, in lower case.
    pub fn ending(&self, ends: &[&str]) -> Vec<&str> {
        let fits = |path: &&str| ends.iter().any(|end| path.to_lowercase().ends_with(end));
        self.paths().into_iter().filter(fits).collect()
    }

    /// The only file with one of these extensions. Returns an error if there are several, or none.
    pub fn only(&self, ends: &[&str], what: &str) -> Result<&str> {
        match self.ending(ends).as_slice() {
            [one] => Ok(one),
            [] => Err(Error::say(format!("there is no {what}"))
                .hint(format!("its name ends with {}", ends.join(", ")))),
            [first, second, ..] => Err(Error::say(format!(
                "{first} and {second}: a file takes only one {what}"
            ))
            .hint("choose one")),
        }
    }

    /// A file's bytes.
    pub fn get(&self, path: &str) -> Result<Bytes> {
        self.using(path);
        self.source.get(path)
    }

    /// A file that need not be in memory.
    pub fn blob(&self, path: &str) -> Result<Blob> {
        self.using(path);
        self.source.blob(path)
    }

    /// True if there is such a file.
    pub fn has(&self, path: &str) -> bool {
        self.paths.iter().any(|other| other == path)
    }

    fn using(&self, path: &str) {
        self.unused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(path);
    }

    /// The files that are not part of the new file.
    pub fn unused(&self) -> Vec<String> {
        self.unused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect()
    }

    /// Notes a choice that the folder does not make.
    pub fn assume(&self, what: impl Into<String>) {
        let (mut assumed, what) = (
            self.assumed.lock().unwrap_or_else(PoisonError::into_inner),
            what.into(),
        );
        if !assumed.contains(&what) {
            assumed.push(what);
        }
    }

    /// The choices that were made.
    pub fn assumed(&self) -> Vec<String> {
        self.assumed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The head of a manifest of the new file.
    pub fn head(&self) -> Head {
        Head::new(
            self.game,
            self.format,
            Origin {
                file: self.file.clone(),
                ..Origin::default()
            },
        )
    }

    /// The manifest of the file to take choices from.
    pub fn like<T: Document>(&self) -> Result<Option<T>> {
        self.like
            .map(|like| T::from_text(&like.text(&manifest_path(Style::Json)), Style::Json))
            .transpose()
    }

    /// The folder as a tree with this manifest. `made` has files that replace those of the folder.
    pub fn tree<M: Document>(&self, made: Folder, manifest: M) -> Result<PlainTree<'_>> {
        made.put(
            &manifest_path(Style::Json),
            manifest.to_text(Style::Json)?.as_bytes(),
        )?;
        Ok(PlainTree { made, folder: self })
    }
}

/// A folder with a manifest, and with files that replace some of its own.
pub struct PlainTree<'a> {
    made: Folder,
    folder: &'a PlainFolder<'a>,
}

impl PlainTree<'_> {
    /// Its reader.
    pub fn reader(&self) -> Result<TreeReader<'_>> {
        TreeReader::new(self)
    }
}

impl Source for PlainTree<'_> {
    fn get(&self, path: &str) -> Result<Bytes> {
        if self.made.has(path) {
            self.folder.using(path);
            return self.made.get(path);
        }
        self.folder.get(path)
    }
    fn blob(&self, path: &str) -> Result<Blob> {
        if self.made.has(path) {
            self.get(path).map(Blob::Memory)
        } else {
            self.folder.blob(path)
        }
    }
    fn has(&self, path: &str) -> bool {
        self.made.has(path) || self.folder.has(path)
    }
    fn paths(&self) -> Vec<String> {
        let mut paths = self.made.paths();
        paths.extend(self.folder.paths.iter().cloned());
        paths.sort();
        paths.dedup();
        paths
    }
    fn strict(&self) -> bool {
        true
    }
}

fn no_include(_: &str, name: &str) -> Result<(String, String)> {
    Err(Error::say("there is no such file").in_file(name))
}

/// Puts items into the order that they have in another file: known ones as there, then the others
/// as they come.
pub fn in_order_of<T>(
    items: Vec<T>,
    key: impl Fn(&T) -> String,
    order: impl Iterator<Item = String>,
) -> Vec<T> {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (place, name) in order.enumerate() {
        places.entry(name.to_lowercase()).or_insert(place);
    }
    let mut sorted: BTreeMap<usize, Vec<T>> = BTreeMap::new();
    for item in items {
        let place = places
            .get(&key(&item).to_lowercase())
            .copied()
            .unwrap_or(usize::MAX);
        sorted.entry(place).or_default().push(item);
    }
    sorted.into_values().flatten().collect()
}

/// [`in_order_of`] for items that also take from the old item of their name what a folder lacks;
/// `None` for a new one. Of several old ones with a name it is the first, as in the games.
pub fn as_in<T>(
    items: Vec<T>,
    old: &[T],
    key: impl Fn(&T) -> String,
    take: impl Fn(&mut T, Option<&T>),
) -> Vec<T> {
    let mut known: HashMap<String, &T> = HashMap::new();
    old.iter()
        .for_each(|item| _ = known.entry(key(item)).or_insert(item));
    let mut items = in_order_of(items, &key, old.iter().map(&key));
    items
        .iter_mut()
        .for_each(|item| take(item, known.get(&key(item)).copied()));
    items
}

/// An error if two items have the same name to the games, which ignore case. Each is given by its
/// name and its file; `what` they are is for the message.
pub fn check_names<'a>(what: &str, items: impl Iterator<Item = (String, &'a str)>) -> Result<()> {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for (name, file) in items {
        if let Some(first) = seen.insert(name.to_ascii_lowercase(), file) {
            let message = format!("{first} and {file} would both be the {what} {name:?}");
            return Err(Error::say(message).hint("rename one of them"));
        }
    }
    Ok(())
}

/// The error for a format that refit makes no new files in.
#[cold]
pub fn nothing_new(format: Format, hint: &str) -> Error {
    Error::say(format!(
        "a file of the format {format} cannot be made from a folder"
    ))
    .hint(hint.to_owned())
}
