//! The names of a whole game: which file defines what, which one uses it, and which one the game takes where several define it.
//!
//! A file is indexed by the texts that its tree would hold; what it says is kept by its SHA-256 (`cache`), so that only what changed is
//! read again. One file is in memory at a time for each thread.

mod addon;
mod cache;
pub mod lints;

pub use cache::Cache;

use crate::{
    detect::Detection,
    format::Format,
    formats::{Codec, archive},
    game::Game,
    game_files,
    naming::{self, Does, NameKind, NameUse},
    path::Shown,
    pipeline::{self, Hints},
    registry,
    tree::{Blob, DirSource, Options, Pieces, Sink, read_head},
    wire::{Error, Result},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// A name in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Name {
    /// What bears it.
    pub kind: NameKind,
    /// What the place does with it.
    pub does: Does,
    /// The name.
    pub name: String,
    /// The text of the tree in which it stands; empty where the file has no tree of texts.
    pub document: String,
    /// The place in that text.
    pub at: String,
}

/// What a file says: its names, and everything that can be searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The names.
    pub names: Vec<Name>,
    /// Texts and values, see [`Content::each`].
    values: String,
    /// All values are in it, numbers too.
    pub is_complete: bool,
}

/// Values of a file beyond which numbers are left out of what is kept: a world has millions of them.
const MOST: usize = 4 << 20;

/// The longest plain text that is searched, in bytes.
const LONGEST: u64 = 64 << 20;

/// Marks the line of a document before the lines of its values.
const DOCUMENT: char = '\u{1}';

impl Content {
    fn value(&mut self, document: &mut String, path: &str, at: &str, value: &str) {
        if document != path {
            path.clone_into(document);
            let _ = writeln!(self.values, "{DOCUMENT}{}", one_line(path));
        }
        let _ = writeln!(self.values, "{at}\t{}", one_line(value));
    }

    /// Hands out every value: its text, its place there, and what it says, until `see` has seen enough.
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

    /// Keeps only the names.
    pub fn forget_values(&mut self) {
        self.values = String::new();
    }

    /// The values as one text, for a quick look whether any of them may be meant.
    pub fn text(&self) -> &str {
        &self.values
    }
}

/// A text on one line.
fn one_line(text: &str) -> String {
    if !text.contains(['\n', '\r', '\t', DOCUMENT]) {
        return text.to_owned();
    }
    text.replace(['\n', '\r', '\t', DOCUMENT], " ")
}

/// Reads names and values out of the texts of a tree as they are written.
struct Indexer<'a> {
    codec: &'a dyn Codec,
    format: Format,
    /// Numbers too, however many.
    all: bool,
    found: Mutex<(Content, String)>,
}

impl Indexer<'_> {
    fn text(&self, path: &str, text: &str) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let (content, document) = &mut *found;
        let mut said: Vec<NameUse> = Vec::new();
        if path.ends_with(".json") {
            let mut kind = String::new();
            let rules = self.codec.names();
            naming::walk(text, &mut |leaf| {
                if leaf.path == "$schema" {
                    let file = leaf.value.rsplit('/').next().unwrap_or_default();
                    file.strip_suffix(".schema.json").unwrap_or_default().clone_into(&mut kind);
                    return;
                }
                if leaf.is_text || self.all || content.values.len() < MOST {
                    content.value(document, path, leaf.path, &leaf.value);
                } else {
                    content.is_complete = false;
                }
                for rule in rules.iter().filter(|rule| rule.fits(&kind, leaf.shape)) {
                    let name = if leaf.is_text { without_position(&kind, &leaf.value) } else { &leaf.value };
                    let kind = match rule.kind {
                        // A member of a plain archive is named as what the archive holds: a sound, a motion, a 'mech.
                        NameKind::Member if kind == "archive" => archive::kind_of_member(self.format),
                        kind => kind,
                    };
                    if !name.is_empty() {
                        said.push(NameUse { kind, does: rule.does, name: name.to_owned(), at: leaf.path.to_owned() });
                    }
                }
            });
        } else {
            for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                content.value(document, path, &format!("line {}", n + 1), line);
            }
        }
        self.codec.names_in_text(path, text, &mut |name| said.push(name));
        content.names.extend(said.into_iter().map(|said| Name {
            kind: said.kind,
            does: said.does,
            name: said.name,
            document: path.to_owned(),
            at: said.at,
        }));
    }

    fn bytes(&self, path: &str, bytes: &[u8]) {
        // Files for git and for editors are part of a tree, not of the game's file.
        if path.starts_with(".refit/") || path == crate::tree::sums::GIT_ATTRIBUTES.0 {
            return;
        }
        match std::str::from_utf8(bytes) {
            Ok(text) if path.ends_with(".json") || looks_like_text(bytes) => self.text(path, text),
            Err(_) if looks_like_text(bytes) => self.text(path, &crate::wire::decode_1252(bytes)),
            _ => {}
        }
    }
}

/// No control characters but those of lines and columns.
fn looks_like_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte >= 0x20 || matches!(byte, b'\t' | b'\n' | b'\r'))
}

/// Worlds say a name with its position before it.
fn without_position<'a>(kind: &str, name: &'a str) -> &'a str {
    match name.split_once(' ') {
        Some((position, name)) if kind == "gamez-materials" && position.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

impl Sink for Indexer<'_> {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.bytes(path, bytes);
        Ok(())
    }
    fn put_blob(&self, path: &str, blob: &Blob) -> Result<String> {
        if blob.len() <= LONGEST {
            self.bytes(path, &blob.bytes()?);
        }
        Ok(String::new())
    }
    fn put_pieces(&self, path: &str, write: Pieces<'_>) -> Result<String> {
        let mut bytes = Vec::new();
        write(&mut |piece| {
            if (bytes.len() as u64) < LONGEST {
                bytes.extend_from_slice(piece);
            }
            Ok(())
        })?;
        self.bytes(path, &bytes);
        Ok(String::new())
    }
    fn keeps(&self) -> bool {
        false
    }
    fn options(&self) -> Options {
        Options::default()
    }
}

/// What a model says. `all`: numbers too, however many there are.
pub fn content(model: &dyn crate::formats::Model, detection: &Detection, all: bool) -> Result<Content> {
    let format = detection.format;
    let codec = registry::codec(format).ok_or_else(|| Error::say(format!("{format} files are not read")))?;
    let start = Content { is_complete: true, ..Content::default() };
    if matches!(format, Format::Textures | Format::Sounds) {
        // The trees of textures and sounds are PNG and WAVE files. Their names are in no text and are taken from the list of members.
        let kind = if format == Format::Textures { NameKind::Texture } else { NameKind::Sound };
        let (mut content, mut document, mut n) = (start, "\u{0}".to_owned(), 0);
        model.each_member(&mut |member| {
            let at = format!("#{n}");
            n += 1;
            content.value(&mut document, "", &at, &member.name);
            content.value(&mut document, "", &at, &format!("{} {}", member.kind, member.detail));
            if !member.name.is_empty() {
                content.names.push(Name { kind, does: Does::Defines, name: member.name, document: String::new(), at });
            }
        })?;
        return Ok(content);
    }
    let indexer = Indexer { codec, format, all, found: Mutex::new((start, String::new())) };
    pipeline::texts(model, detection, &indexer)?;
    let (content, _) = indexer.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(content)
}

/// A file of a game, or a tree of one.
#[derive(Clone, Debug)]
pub struct Item {
    /// The file or the tree.
    pub path: PathBuf,
    /// Its place below the folder that was named, with `/`.
    pub relative: String,
}

/// A file that was indexed.
#[derive(Clone, Debug)]
pub struct File {
    /// The file or the tree.
    pub path: PathBuf,
    /// Its place below the folder that was named, with `/`.
    pub relative: String,
    /// Its format.
    pub format: Format,
    /// Its game.
    pub game: Option<Game>,
    /// Where it is seen from: see [`game_files::place`].
    pub place: String,
    /// Of an addon, what stands before the names of its files when somebody else calls them; empty for all else.
    pub prefix: String,
    /// What it says.
    pub content: Content,
    /// Its number in an [`Index`], in the order in which the files came.
    pub number: usize,
}

impl File {
    fn new(item: &Item, format: Format, game: Option<Game>, mut content: Content) -> Self {
        let place = game_files::place(&item.relative, format, game);
        let prefix = if format == Format::Pbo { addon::call(&mut content, &item.relative) } else { String::new() };
        File { path: item.path.clone(), relative: item.relative.clone(), format, game, place, prefix, content, number: 0 }
    }

    /// True for the same file.
    fn is(&self, other: &File) -> bool {
        self.relative == other.relative && self.path == other.path
    }

    /// Leaves some of the names, and nothing else of what it says.
    fn keep_names(&mut self, mut keep: impl FnMut(&File, &Name) -> bool) {
        self.content.forget_values();
        let mut names = std::mem::take(&mut self.content.names);
        names.retain(|name| keep(self, name));
        // A list collected from another one keeps the whole capacity of that one.
        names.shrink_to_fit();
        self.content.names = names;
    }
}

/// Indexes a file or a tree. `None` for what is not recognised; an error for what cannot be read.
pub fn file(item: &Item, hints: Hints, cache: &Cache, all: bool) -> Result<Option<File>> {
    let fits = |kept: &Content| !all || kept.is_complete;
    if item.path.is_dir() {
        let source = DirSource::new(&item.path);
        let sum = cache.is_open().then(|| tree_sum(&item.path)).flatten();
        if let Some(sum) = &sum
            && let Ok((_, head)) = read_head(&source)
            && let Some(kept) = cache.of_sum(sum, head.format, head.game).filter(fits)
        {
            return Ok(Some(File::new(item, head.format, head.game, kept)));
        }
        let (head, model) = pipeline::assemble(&source)?;
        let mut detection = Detection::new(head.format, head.game, "a tree", true);
        detection.file.clone_from(&head.source.file);
        return of_model(item, &*model, &detection, (None, sum), cache, all).map(Some);
    }
    let stamp = cache.stamp(&item.path, hints);
    if let Some((format, game, content)) = stamp.as_ref().and_then(|stamp| cache.get(stamp)).filter(|(_, _, kept)| fits(kept)) {
        return Ok(Some(File::new(item, format, game, content)));
    }
    let blob = pipeline::load(&item.path)?;
    let Ok(detection) = pipeline::recognise(&blob, &item.path.shown(), hints) else { return Ok(None) };
    let sum = cache.is_open().then(|| blob.sha256()).transpose()?;
    if let Some(kept) = sum.as_deref().and_then(|sum| cache.of_sum(sum, detection.format, detection.game)).filter(fits) {
        cache.note(stamp, sum.as_deref().unwrap_or_default(), detection.format, detection.game);
        return Ok(Some(File::new(item, detection.format, detection.game, kept)));
    }
    let opened = pipeline::read(&blob, detection)?;
    of_model(item, &*opened.model, &opened.detection, (stamp, sum), cache, all).map(Some)
}

/// Indexes a file, or a tree where there is no `blob`, that was opened for something else: it is not read once more.
pub fn opened(
    item: &Item,
    blob: Option<&Blob>,
    model: &dyn crate::formats::Model,
    detection: &Detection,
    hints: Hints,
    cache: &Cache,
) -> Result<File> {
    let stamp = blob.and_then(|_| cache.stamp(&item.path, hints));
    let sum = match blob {
        _ if !cache.is_open() => None,
        Some(blob) => Some(blob.sha256()?),
        None => tree_sum(&item.path),
    };
    if let Some((sum, kept)) = sum.as_ref().and_then(|sum| Some((sum, cache.of_sum(sum, detection.format, detection.game)?))) {
        cache.note(stamp, sum, detection.format, detection.game);
        return Ok(File::new(item, detection.format, detection.game, kept));
    }
    of_model(item, model, detection, (stamp, sum), cache, false)
}

/// Reads what a model says, and keeps it under its sum.
fn of_model(
    item: &Item,
    model: &dyn crate::formats::Model,
    detection: &Detection,
    (stamp, sum): (Option<cache::Stamp>, Option<String>),
    cache: &Cache,
    all: bool,
) -> Result<File> {
    let (format, game) = (detection.format, detection.game);
    let found = content(model, detection, all)?;
    if let Some(sum) = sum {
        cache.put(&sum, format, game, &found);
        cache.note(stamp, &sum, format, game);
    }
    Ok(File::new(item, format, game, found))
}

/// A sum over what the files of a tree are called, how large they are, and when they were changed; `None` where one was changed so
/// shortly before that it could change again without a trace.
fn tree_sum(tree: &Path) -> Option<String> {
    let mut sum = crate::Sha256::default();
    sum.update(b"tree\n");
    for entry in walkdir::WalkDir::new(tree).min_depth(1).sort_by_file_name() {
        let entry = entry.ok()?;
        if entry.file_type().is_dir() {
            continue;
        }
        let meta = entry.metadata().ok()?;
        let modified = meta.modified().ok()?;
        let age = std::time::SystemTime::now().duration_since(modified).ok()?;
        if age < std::time::Duration::from_secs(2) {
            return None;
        }
        let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos();
        sum.update(entry.path().strip_prefix(tree).ok()?.as_os_str().as_encoded_bytes());
        sum.update(format!("\n{} {since}\n", meta.len()).as_bytes());
    }
    Some(sum.hex())
}

/// How a name is compared: the games mind no case, and take textures and sounds without the endings of their files.
pub fn key(kind: NameKind, name: &str) -> String {
    let lower = name.to_ascii_lowercase().replace('/', "\\");
    let stem = |ends: &[&str]| ends.iter().find_map(|end| lower.strip_suffix(end)).map(str::to_owned);
    match kind {
        NameKind::Texture | NameKind::Material => stem(&[".tif", ".tga", ".bmp", ".pcx", ".jpg"]),
        NameKind::Sound => stem(&[".wav"]),
        NameKind::Node | NameKind::Model => stem(&[".flt"]),
        _ => None,
    }
    .unwrap_or(lower)
}

/// Where a name stands: the file, and which of its names.
pub type Place = (usize, usize);

/// An index over many files.
#[derive(Debug, Default)]
pub struct Index {
    /// The files, by their paths.
    pub files: Vec<File>,
    /// The same by the places that they are seen from.
    by_place: Vec<usize>,
    /// Where names are, in that order.
    by_key: HashMap<(NameKind, String), Vec<Place>>,
    /// Addons by their prefixes.
    addons: HashMap<String, Vec<usize>>,
}

/// Of what is sorted by the place that it is seen from: what a place sees, and what sees it. The place of the whole game is empty: this
/// is everything.
fn around<'a, T: Copy, F: Fn(T) -> &'a str>(all: &'a [T], place_of: F, place: &str) -> impl Iterator<Item = T> + use<'a, T, F> {
    let beginning_with = |start: &str, is_in: &dyn Fn(&str) -> bool| {
        let rest = all.get(all.partition_point(|one| place_of(*one) < start)..).unwrap_or_default();
        rest.get(..rest.partition_point(|one| is_in(place_of(*one)))).unwrap_or_default()
    };
    let inside = format!("{place}/");
    let above = std::iter::once("").chain(inside.match_indices('/').filter_map(|(at, _)| inside.get(..at)));
    let found: Vec<&[T]> = match place.is_empty() {
        true => vec![all],
        false => {
            let seen = above.map(|above| beginning_with(above, &|one| one == above));
            seen.chain([beginning_with(&inside, &|one| one.starts_with(&inside))]).collect()
        }
    };
    found.into_iter().flatten().copied()
}

impl Index {
    /// Of files.
    pub fn new(mut files: Vec<File>) -> Self {
        files.iter_mut().enumerate().for_each(|(number, file)| file.number = number);
        files.sort_by(|a, b| a.relative.cmp(&b.relative));
        let mut by_place: Vec<(&str, usize)> = files.iter().enumerate().map(|(f, file)| (file.place.as_str(), f)).collect();
        by_place.sort_unstable();
        let by_place: Vec<usize> = by_place.into_iter().map(|(_, f)| f).collect();
        let (mut by_key, mut addons): (HashMap<_, Vec<Place>>, HashMap<_, Vec<usize>>) = Default::default();
        for (f, file) in by_place.iter().filter_map(|f| Some((*f, files.get(*f)?))) {
            for (n, name) in file.content.names.iter().enumerate() {
                by_key.entry((name.kind, key(name.kind, &name.name))).or_default().push((f, n));
            }
            if !file.prefix.is_empty() {
                addons.entry(key(NameKind::File, &file.prefix)).or_default().push(f);
            }
        }
        Index { files, by_place, by_key, addons }
    }

    /// The name at a place.
    pub fn name(&self, place: Place) -> Option<(&File, &Name)> {
        let file = self.files.get(place.0)?;
        Some((file, file.content.names.get(place.1)?))
    }

    /// Every place that says a name, of any kind.
    pub fn places(&self, name: &str) -> Vec<Place> {
        let mut found: Vec<Place> =
            NameKind::ALL.iter().filter_map(|kind| self.by_key.get(&(*kind, key(*kind, name)))).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn seen_from(&self, f: usize) -> &str {
        self.files.get(f).map_or("", |file| &file.place)
    }

    /// The files that a place sees, and those that see it.
    fn files_around(&self, place: &str) -> impl Iterator<Item = usize> {
        around(&self.by_place, |f| self.seen_from(f), place)
    }

    /// The places that define a name of a kind, in files that a place sees or that see it.
    fn definitions(&self, kind: NameKind, name: &str, place: &str) -> Vec<Place> {
        let all = self.by_key.get(&(kind, key(kind, name))).map_or(&[][..], Vec::as_slice);
        let defines = |place: &Place| self.name(*place).is_some_and(|(_, name)| name.does == Does::Defines);
        let mut found: Vec<Place> = around(all, |(f, _)| self.seen_from(f), place).filter(defines).collect();
        found.sort_unstable();
        found
    }

    /// The addons that a path belongs to: those whose prefixes cover most of it.
    fn addons(&self, name: &str) -> impl Iterator<Item = usize> {
        let whole = key(NameKind::File, name);
        let found = whole.rmatch_indices('\\').find_map(|(at, _)| self.addons.get(whole.get(..at)?));
        found.into_iter().flatten().copied()
    }

    /// Where several things of a kind bear a name: which one the game takes in whose place, and why.
    pub fn hides(&self, kind: NameKind, name: &str) -> Vec<(Place, Place, &'static str)> {
        let all = self.definitions(kind, name, "");
        let mut found = Vec::new();
        for (i, a) in all.iter().enumerate() {
            for b in all.get(i + 1..).unwrap_or_default() {
                let Some((first, second)) = self.files.get(a.0).zip(self.files.get(b.0)) else { continue };
                match taken(kind, (first, a.1), (second, b.1)) {
                    Some((true, rule)) => found.push((*a, *b, rule)),
                    Some((false, rule)) => found.push((*b, *a, rule)),
                    None => {}
                }
            }
        }
        // Where three files define a name, both losers are hidden by the winner: pairs whose winner loses to another one are dropped.
        let losers: HashSet<Place> = found.iter().map(|(_, loser, _)| *loser).collect();
        found.retain(|(winner, ..)| !losers.contains(winner));
        found
    }

    /// What the game takes in the place of a definition, and why; `None` where it takes that one.
    fn hidden_by(&self, kind: NameKind, name: &str, own: Definition<'_>) -> Option<(Place, &'static str)> {
        let wins = |place: Place| {
            let other = (self.files.get(place.0)?, place.1);
            let is_own = other.0.is(own.0) && other.1 == own.1;
            let (first, rule) = taken(kind, other, own).filter(|_| !is_own)?;
            first.then_some((place, other, rule))
        };
        let found: Vec<(Place, Definition<'_>, &'static str)> =
            self.definitions(kind, name, &own.0.place).into_iter().filter_map(wins).collect();
        // Several definitions may come before this one: the game takes the one before which none comes.
        let first = |(place, one, _): &&(Place, Definition<'_>, &'static str)| {
            !found.iter().any(|(other, before, _)| other != place && taken(kind, *before, *one).is_some_and(|(first, _)| first))
        };
        found.iter().find(first).map(|(place, _, rule)| (*place, *rule))
    }
}

/// A name of a file that defines it, by its position among the file's names.
type Definition<'a> = (&'a File, usize);

/// Of two things of one kind and name, whether the game takes the first, and the rule; `None` where both are there, each for whoever
/// sees it, or where the rule is not known.
fn taken(kind: NameKind, a: Definition<'_>, b: Definition<'_>) -> Option<(bool, &'static str)> {
    let ((first, n), (second, m)) = (a, b);
    if first.is(second) {
        return match (kind, first.format) {
            // Of nodes of one name the game takes the last one while it runs. (What it binds when it compiles animations follows
            // another rule.)
            (NameKind::Node, Format::Gamez) if first.game != Some(Game::Cs) => Some((n > m, "the highest slot of its name")),
            (NameKind::Member | NameKind::Sound | NameKind::Texture | NameKind::Script, _) => {
                Some((n < m, "the first of its name in the file"))
            }
            _ => None,
        };
    }
    if first.format != second.format || first.place == second.place {
        return None;
    }
    let is_wide = match (game_files::is_seen(&first.place, &second.place), game_files::is_seen(&second.place, &first.place)) {
        (true, _) => true,
        (_, true) => false,
        _ => return None,
    };
    match (kind, first.format) {
        (NameKind::Member, Format::Reader) => Some((is_wide, "the archive that is mounted first: that of the whole game or world")),
        (NameKind::Texture, Format::Textures) => Some((!is_wide, "the package of the mission comes before that of the whole game")),
        _ => None,
    }
}
