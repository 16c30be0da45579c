//! The names of a whole game: which files define and use a name, and which definition the game
//! takes if there are several.
//!
//! A file is indexed by the texts that its tree would have. The result is cached by the file's
//! checksum (`cache`), so only changed files are read again. Each thread has one file in memory at a
//! time.
// Parts that only files on disk need.
#![cfg_attr(not(feature = "disk"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

#[cfg(feature = "disk")]
mod cache;
pub mod lints;
#[cfg(feature = "disk")]
mod met;
#[cfg(feature = "disk")]
mod read;

#[cfg(feature = "disk")]
pub use cache::Cache;
#[cfg(feature = "disk")]
pub use met::Met;
#[cfg(feature = "disk")]
pub use read::{file, file_that_meets, opened};

pub use refit_base::naming::Name;

use refit_base::wire::Within;
use refit_base::{
    format::Format,
    game::Game,
    naming::{self, Does, NameKind, NameUse, key},
    tree::{Blob, Options, Pictures, Sink, sums::FileSum},
    wire::Result,
};
use refit_bohemia::pbo;
use refit_files::{detect::Detection, game_files, pipeline, registry};
use refit_zipper::archive;
use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The names in a file, and all its searchable values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The names in it.
    pub names: Vec<Name>,
    /// Texts and values; see [`Content::each`].
    values: String,
    /// True if numbers are included.
    pub is_complete: bool,
}

/// Numbers are omitted from the stored values of files with more than this: a world has millions.
const MOST: usize = 4 << 20;

/// The longest plain text to search, in bytes.
const LONGEST: u64 = 64 << 20;

/// Marks the line that names a document, before the lines of its values.
const DOCUMENT: char = '\u{1}';

/// Before the first value, no document was named.
const NOT_YET: &str = "\u{0}";

impl Content {
    fn new() -> Self {
        Content {
            is_complete: true,
            ..Content::default()
        }
    }

    fn value(&mut self, document: &mut String, path: &str, at: &str, value: &str) {
        if document != path {
            path.clone_into(document);
            let _ = writeln!(self.values, "{DOCUMENT}{}", one_line(path));
        }
        let _ = writeln!(self.values, "{at}\t{}", one_line(value));
    }

    /// Passes the document, path and text of every value to `see` until it returns false.
    pub fn each(&self, see: &mut dyn FnMut(&str, &str, &str) -> bool) {
        let mut document = "";
        for line in self.values.lines() {
            match (line.strip_prefix(DOCUMENT), line.split_once('\t')) {
                (Some(path), _) => document = path,
                (None, Some((at, value))) => {
                    if !see(document, at, value) {
                        return;
                    }
                }
                (None, None) => {}
            }
        }
    }

    /// Drops the values and keeps the names.
    pub fn forget_values(&mut self) {
        self.values = String::new();
    }
}

/// Replaces line ends and tabs by spaces.
fn one_line(text: &str) -> String {
    if !text.contains(['\n', '\r', '\t', DOCUMENT]) {
        return text.to_owned();
    }
    text.replace(['\n', '\r', '\t', DOCUMENT], " ")
}

/// Collects names and values from the texts of a tree while they are written.
struct Indexer<'a> {
    codec: &'a registry::FileCodec,
    format: Format,
    /// Include numbers, however many there are.
    all: bool,
    /// Total size of all values so far, in bytes.
    size: AtomicUsize,
    /// The content of each text with its path, in the order in which threads wrote them.
    found: Mutex<Vec<(String, Content)>>,
    /// The texts of the manifest, by their position: it lists the files of the tree in the order of
    /// the file.
    listed: Mutex<HashMap<String, usize>>,
}

impl Indexer<'_> {
    fn text(&self, path: &str, text: &str) {
        let before = self.size.load(Ordering::Relaxed);
        let (mut content, mut document) = (Content::new(), String::from(NOT_YET));
        let mut uses: Vec<NameUse> = Vec::new();
        if path.ends_with(".json") {
            let mut listed = (path == "refit.json")
                .then(|| self.listed.lock().unwrap_or_else(PoisonError::into_inner));
            let mut kind = String::new();
            let mut with_data: HashSet<String> = HashSet::new();
            let rules = self.codec.names();
            naming::walk(text, &mut |leaf| {
                if leaf.path == "$schema" {
                    let file = leaf.value.rsplit('/').next().unwrap_or_default();
                    file.strip_suffix(".schema.json")
                        .unwrap_or_default()
                        .clone_into(&mut kind);
                    return;
                }
                if kind == NODES
                    && let Some((node, _)) = leaf.path.split_once("].data")
                    && !with_data.contains(node)
                {
                    with_data.insert(node.to_owned());
                }
                if let Some(listed) = listed.as_mut().filter(|_| leaf.is_text) {
                    let position = listed.len();
                    listed.entry(leaf.value.to_string()).or_insert(position);
                }
                if leaf.is_text || self.all || before + content.values.len() < MOST {
                    content.value(&mut document, path, leaf.path, &leaf.value);
                } else {
                    content.is_complete = false;
                }
                for rule in rules.iter().filter(|rule| rule.fits(&kind, leaf.shape)) {
                    let name = if leaf.is_text {
                        without_position(&kind, &leaf.value)
                    } else {
                        &leaf.value
                    };
                    let kind = match rule.kind {
                        // A member of a plain archive has the kind of the archive's content: a
                        // sound, a motion, a 'mech.
                        NameKind::Member if kind == "archive" => {
                            archive::kind_of_member(self.format)
                        }
                        kind => kind,
                    };
                    if !name.is_empty() {
                        uses.push(NameUse {
                            kind,
                            does: rule.does,
                            name: name.to_owned(),
                            at: leaf.path.to_owned(),
                        });
                    }
                }
            });
            if kind == NODES {
                drop_released(text, &mut uses, with_data);
            }
        } else {
            for (n, line) in text
                .lines()
                .enumerate()
                .filter(|(_, line)| !line.trim().is_empty())
            {
                content.value(&mut document, path, &format!("line {}", n + 1), line);
            }
        }
        self.codec
            .names_in_text(path, text, &mut |name| uses.push(name));
        content.names.extend(uses.into_iter().map(|one| Name {
            kind: one.kind,
            does: one.does,
            name: one.name,
            document: path.to_owned(),
            at: one.at,
        }));
        self.keep(path, content);
    }

    /// Keeps the content of a text until all are there, without room for more.
    fn keep(&self, path: &str, mut content: Content) {
        content.names.shrink_to_fit();
        content.values.shrink_to_fit();
        self.size.fetch_add(content.values.len(), Ordering::Relaxed);
        self.found
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((path.to_owned(), content));
    }

    fn bytes(&self, path: &str, bytes: &[u8]) {
        // Files for git and for editors are part of a tree, but not of the game's file.
        if path.starts_with(".refit/") || refit_base::tree::sums::is_of_git(path) {
            return;
        }
        match std::str::from_utf8(bytes) {
            Ok(text) if path.ends_with(".json") || looks_like_text(bytes) => self.text(path, text),
            Err(_) if looks_like_text(bytes) => {
                self.text(path, &refit_base::wire::decode_1252(bytes))
            }
            _ => self.binary(path, bytes),
        }
    }

    /// Takes the names in a file that is no text.
    fn binary(&self, path: &str, bytes: &[u8]) {
        let (mut content, mut document) = (Content::new(), String::from(NOT_YET));
        self.codec.names_in_bytes(path, bytes, &mut |one| {
            content.value(&mut document, path, &one.at, &one.name);
            content.names.push(Name {
                kind: one.kind,
                does: one.does,
                name: one.name,
                document: path.to_owned(),
                at: one.at,
            });
        });
        if content.names.is_empty() {
            return;
        }
        self.keep(path, content);
    }
}

/// The documents of nodes.
const NODES: &str = "gamez-nodes";

/// Drops the names of released records: they keep their name, but no node has it any more.
/// `with_data` has the nodes with a value in their data.
fn drop_released(text: &str, uses: &mut Vec<NameUse>, with_data: HashSet<String>) {
    let node = |name: &NameUse| name.at.split(']').next().unwrap_or_default().to_owned();
    if uses.iter().all(|name| with_data.contains(&node(name))) {
        return;
    }
    let Ok(document) = serde_json::from_str::<serde_json::Value>(text) else {
        return;
    };
    let is_released = |name: &NameUse| {
        let at = node(name);
        let number = at
            .rsplit('[')
            .next()
            .and_then(|digits| digits.parse::<usize>().ok());
        let record = number.and_then(|at| document.get("nodes")?.get(at));
        record.is_some_and(|record| record.get("data").is_none())
    };
    uses.retain(|name| with_data.contains(&node(name)) || !is_released(name));
}

/// True if the only control characters are tabs and line ends.
fn looks_like_text(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|byte| *byte >= 0x20 || matches!(byte, b'\t' | b'\n' | b'\r'))
}

/// Removes the position that worlds write before a name.
fn without_position<'a>(kind: &str, name: &'a str) -> &'a str {
    match name.split_once(' ') {
        Some((position, name))
            if kind == "gamez-materials" && position.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => name,
    }
}

impl Sink for Indexer<'_> {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.bytes(path, bytes);
        Ok(())
    }
    fn put_blob(&self, path: &str, blob: &Blob) -> Result<Option<FileSum>> {
        if blob.len() <= LONGEST {
            self.bytes(path, &blob.bytes()?);
        }
        Ok(None)
    }
    fn keeps(&self) -> bool {
        false
    }
    fn options(&self) -> Options {
        Options {
            pictures: Pictures::Never,
            ..Options::default()
        }
    }
}

/// Indexes a model. `all` includes numbers, however many there are.
pub(crate) fn content(
    model: &dyn refit_base::contract::Model,
    detection: &Detection,
    all: bool,
) -> Result<Content> {
    let (format, codec) = (detection.format, registry::codec(detection.format));
    if matches!(format, Format::Textures | Format::Sounds) {
        // The trees of textures and sounds consist of PNG and WAVE files without texts: take the
        // names from the list of members.
        let kind = if format == Format::Textures {
            NameKind::Texture
        } else {
            NameKind::Sound
        };
        let (mut content, mut document) = (Content::new(), String::from(NOT_YET));
        for (n, member) in model.all_members()?.into_iter().enumerate() {
            let at = format!("#{n}");
            content.value(&mut document, "", &at, &member.name);
            content.value(
                &mut document,
                "",
                &at,
                &format!("{} {}", member.kind, member.detail),
            );
            if !member.name.is_empty() {
                content.names.push(Name {
                    kind,
                    does: Does::Defines,
                    name: member.name,
                    document: String::new(),
                    at,
                });
            }
        }
        return Ok(content);
    }
    let indexer = Indexer {
        codec,
        format,
        all,
        size: AtomicUsize::new(0),
        found: Mutex::default(),
        listed: Mutex::default(),
    };
    pipeline::texts(model, detection, &indexer)?;
    let mut texts = indexer
        .found
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let listed = indexer
        .listed
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    texts.sort_by_cached_key(|(path, _)| {
        (
            listed.get(path).copied().unwrap_or(usize::MAX),
            path.clone(),
        )
    });
    let mut content = Content::new();
    content
        .names
        .reserve_exact(texts.iter().map(|(_, text)| text.names.len()).sum());
    content
        .values
        .reserve_exact(texts.iter().map(|(_, text)| text.values.len()).sum());
    for (_, text) in texts {
        content.names.extend(text.names);
        content.values.push_str(&text.values);
        content.is_complete &= text.is_complete;
    }
    Ok(content)
}

/// A file of a game, or its tree.
#[derive(Clone, Debug)]
pub struct Item {
    /// The path of the file or tree.
    pub path: PathBuf,
    /// The path below the folder that the user named, with `/`.
    pub relative: String,
}

/// An indexed file.
#[derive(Clone, Debug)]
pub struct File {
    /// The path of the file or tree.
    pub path: PathBuf,
    /// The path below the folder that the user named, with `/`.
    pub relative: String,
    /// The format.
    pub format: Format,
    /// The game, if known.
    pub game: Option<Game>,
    /// Its folder below the game's archives, which determines which files it sees; see
    /// `game_files::place`.
    pub place: String,
    /// The prefix of an addon, which other files put before the names of its files; empty for
    /// anything else.
    pub prefix: String,
    /// Its names and values.
    pub content: Content,
    /// Its position in the order in which files were added to the [`Index`].
    pub number: usize,
}

impl File {
    fn new(item: &Item, format: Format, game: Option<Game>, mut content: Content) -> Self {
        let place = game_files::place(&item.relative, format, game);
        let mut prefix = String::new();
        if format == Format::Pbo {
            content.each(&mut |_, at, value| {
                if at == "prefix" {
                    prefix = pbo::names::prefix(value);
                }
                prefix.is_empty()
            });
            if prefix.is_empty() {
                prefix = pbo::names::stem(&item.relative).to_owned();
            }
            pbo::names::call(&mut content.names, &prefix);
        }
        File {
            path: item.path.clone(),
            relative: item.relative.clone(),
            format,
            game,
            place,
            prefix,
            content,
            number: 0,
        }
    }

    /// True for the same file.
    fn is(&self, other: &File) -> bool {
        self.relative == other.relative && self.path == other.path
    }

    /// Drops the values, and all names but those that `keep` accepts.
    fn keep_names(&mut self, mut keep: impl FnMut(&File, &Name) -> bool) {
        self.content.forget_values();
        let mut names = std::mem::take(&mut self.content.names);
        names.retain(|name| keep(self, name));
        // `retain` keeps the capacity of the longer list.
        names.shrink_to_fit();
        self.content.names = names;
    }
}

/// Indexes the model of a file or a tree.
pub fn of_model(
    item: &Item,
    model: &dyn refit_base::contract::Model,
    detection: &Detection,
) -> Result<File> {
    Ok(File::new(
        item,
        detection.format,
        detection.game,
        content(model, detection, false)?,
    ))
}

/// A place that has a name: the positions of the file and of the name in it.
pub type Place = (usize, usize);

/// An index over many files.
#[derive(Debug, Default)]
pub struct Index {
    /// The files, sorted by path.
    pub files: Vec<File>,
    /// Positions of the files, sorted by [`File::place`].
    by_place: Vec<usize>,
    /// The places of each name, in that order.
    by_key: HashMap<(NameKind, String), Vec<Place>>,
    /// Addons by their prefixes.
    addons: HashMap<String, Vec<usize>>,
}

/// From a list sorted by place, the items at `place`, above it and below it. The empty place is the
/// whole game and returns everything.
fn around<'a, T: Copy, F: Fn(T) -> &'a str>(
    all: &'a [T],
    place_of: F,
    place: &str,
) -> impl Iterator<Item = T> + use<'a, T, F> {
    let beginning_with = |start: &str, is_in: &dyn Fn(&str) -> bool| {
        let rest = all.within(all.partition_point(|one| place_of(*one) < start)..);
        rest.within(..rest.partition_point(|one| is_in(place_of(*one))))
    };
    let inside = format!("{place}/");
    let above = std::iter::once("").chain(
        inside
            .match_indices('/')
            .filter_map(|(at, _)| inside.get(..at)),
    );
    let found: Vec<&[T]> = match place.is_empty() {
        true => vec![all],
        false => {
            let seen = above.map(|above| beginning_with(above, &|one| one == above));
            seen.chain([beginning_with(&inside, &|one| one.starts_with(&inside))])
                .collect()
        }
    };
    found.into_iter().flatten().copied()
}

impl Index {
    /// Indexes the names of these files.
    pub fn new(mut files: Vec<File>) -> Self {
        files
            .iter_mut()
            .enumerate()
            .for_each(|(number, file)| file.number = number);
        files.sort_by(|a, b| a.relative.cmp(&b.relative));
        let mut by_place: Vec<(&str, usize)> = files
            .iter()
            .enumerate()
            .map(|(f, file)| (file.place.as_str(), f))
            .collect();
        by_place.sort();
        let by_place: Vec<usize> = by_place.into_iter().map(|(_, f)| f).collect();
        let (mut by_key, mut addons): (HashMap<_, Vec<Place>>, HashMap<_, Vec<usize>>) =
            Default::default();
        for (f, file) in by_place.iter().filter_map(|f| Some((*f, files.get(*f)?))) {
            for (n, name) in file.content.names.iter().enumerate() {
                by_key
                    .entry((name.kind, key(name.kind, &name.name)))
                    .or_default()
                    .push((f, n));
            }
            if !file.prefix.is_empty() {
                addons
                    .entry(key(NameKind::File, &file.prefix))
                    .or_default()
                    .push(f);
            }
        }
        Index {
            files,
            by_place,
            by_key,
            addons,
        }
    }

    /// The name at a place, and its file.
    pub fn name(&self, place: Place) -> Option<(&File, &Name)> {
        let file = self.files.get(place.0)?;
        Some((file, file.content.names.get(place.1)?))
    }

    /// Every place with this name, of any kind.
    pub fn places(&self, name: &str) -> Vec<Place> {
        let mut found: Vec<Place> = NameKind::ALL
            .iter()
            .filter_map(|kind| self.by_key.get(&(*kind, key(*kind, name))))
            .flatten()
            .copied()
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn seen_from(&self, f: usize) -> &str {
        self.files.get(f).map_or("", |file| &file.place)
    }

    /// The files that are visible from a place, and those that see it.
    fn files_around(&self, place: &str) -> impl Iterator<Item = usize> {
        around(&self.by_place, |f| self.seen_from(f), place)
    }

    /// Definitions of a name in files that are visible from a place or see it.
    fn definitions(&self, kind: NameKind, name: &str, place: &str) -> Vec<Place> {
        let all = self
            .by_key
            .get(&(kind, key(kind, name)))
            .map_or(&[][..], Vec::as_slice);
        let defines = |place: &Place| {
            self.name(*place)
                .is_some_and(|(_, name)| name.does == Does::Defines)
        };
        let mut found: Vec<Place> = around(all, |(f, _)| self.seen_from(f), place)
            .filter(defines)
            .collect();
        found.sort_unstable();
        found
    }

    /// The addons that a path belongs to: those with the longest matching prefix.
    fn addons(&self, name: &str) -> impl Iterator<Item = usize> {
        let whole = key(NameKind::File, name);
        let found = whole
            .rmatch_indices('\\')
            .find_map(|(at, _)| self.addons.get(whole.get(..at)?));
        found.into_iter().flatten().copied()
    }

    /// Pairs of definitions of a name, winner first, in which the game takes the first and ignores
    /// the second, with the rule.
    pub fn hides(&self, kind: NameKind, name: &str) -> Vec<(Place, Place, &'static str)> {
        let all = self.definitions(kind, name, "");
        let mut found = Vec::new();
        for (i, a) in all.iter().enumerate() {
            for b in all.within(i + 1..) {
                let Some((first, second)) = self.files.get(a.0).zip(self.files.get(b.0)) else {
                    continue;
                };
                match taken(kind, (first, a.1), (second, b.1)) {
                    Some((true, rule)) => found.push((*a, *b, rule)),
                    Some((false, rule)) => found.push((*b, *a, rule)),
                    None => {}
                }
            }
        }
        // With three definitions, the winner hides both others: drop pairs whose winner loses to
        // another definition.
        let losers: HashSet<Place> = found.iter().map(|(_, loser, _)| *loser).collect();
        found.retain(|(winner, ..)| !losers.contains(winner));
        found
    }

    /// The definition that the game uses instead of this one, and why; `None` if the game uses this
    /// one.
    fn hidden_by(
        &self,
        kind: NameKind,
        name: &str,
        own: Definition<'_>,
    ) -> Option<(Place, &'static str)> {
        let wins = |place: Place| {
            let other = (self.files.get(place.0)?, place.1);
            let is_own = other.0.is(own.0) && other.1 == own.1;
            let (first, rule) = taken(kind, other, own).filter(|_| !is_own)?;
            first.then_some((place, other, rule))
        };
        let found: Vec<(Place, Definition<'_>, &'static str)> = self
            .definitions(kind, name, &own.0.place)
            .into_iter()
            .filter_map(wins)
            .collect();
        // If several definitions beat this one, the game uses the one that none of the others
        // beats.
        let first = |(place, one, _): &&(Place, Definition<'_>, &'static str)| {
            !found.iter().any(|(other, before, _)| {
                other != place && taken(kind, *before, *one).is_some_and(|(first, _)| first)
            })
        };
        found
            .iter()
            .find(first)
            .map(|(place, _, rule)| (*place, *rule))
    }
}

/// A definition: the file, and the position of the name in it.
type Definition<'a> = (&'a File, usize);

/// Which of two definitions the game uses (true for the first), and why; `None` if both stay
/// visible or the rule is unknown.
fn taken(kind: NameKind, a: Definition<'_>, b: Definition<'_>) -> Option<(bool, &'static str)> {
    let ((first, n), (second, m)) = (a, b);
    if first.is(second) {
        return match (kind, first.format) {
            // Of nodes with the same name, the running game takes the last one. (When it compiles
            // animations, another rule applies.)
            (NameKind::Node, Format::Gamez) if first.game != Some(Game::Cs) => {
                Some((n > m, "the highest slot of its name"))
            }
            (NameKind::Member | NameKind::Sound | NameKind::Texture | NameKind::Script, _) => {
                Some((n < m, "the first of its name in the file"))
            }
            _ => None,
        };
    }
    if first.format != second.format || first.place == second.place {
        return None;
    }
    let is_wide = match (
        game_files::is_seen(&first.place, &second.place),
        game_files::is_seen(&second.place, &first.place),
    ) {
        (true, _) => true,
        (_, true) => false,
        _ => return None,
    };
    match (kind, first.format) {
        (NameKind::Member, Format::Reader) => Some((
            is_wide,
            "the archive that is mounted first, which is that of the whole game or world",
        )),
        (NameKind::Texture, Format::Textures) => Some((
            !is_wide,
            "the package of the mission comes before that of the whole game",
        )),
        _ => None,
    }
}
