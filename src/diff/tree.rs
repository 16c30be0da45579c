//! Splits a file into the parts of its tree, in memory.

use super::{config, value::Value};
use bytes::Bytes;
use refit_base::{
    format::Format,
    game::Game,
    tree::{
        Blob, CONFIG, Options, Pictures, Sink, Source, Style, manifest_path, stem, sums::FileSum,
        text,
    },
    wire::{Error, Result},
};
use refit_files::{
    pipeline::{self, Hints, How},
    registry,
};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io::Write,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Files that another tree may have, too, until it has them.
type CommonFiles = Arc<Mutex<HashMap<String, Bytes>>>;

/// The files of a tree, in memory or as references to the disk.
#[derive(Default)]
pub struct TreeFiles {
    files: Mutex<BTreeMap<String, Blob>>,
    kinds: Mutex<BTreeMap<String, &'static str>>,
    /// Paths of parts to skip.
    passed: Arc<HashSet<String>>,
    /// True if the manifest names them nevertheless.
    judges_passed: bool,
    /// If set, the only parts to keep.
    only: Option<HashSet<String>>,
    /// Equal files of two trees are in memory once.
    common: Option<CommonFiles>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TreeFiles {
    /// Replaces or adds a file.
    pub fn set(&self, path: &str, file: Blob) {
        lock(&self.files).insert(path.to_owned(), file);
    }
    /// Removes a file.
    pub fn remove(&self, path: &str) -> Option<Blob> {
        lock(&self.files).remove(path)
    }
    /// A file.
    pub fn file(&self, path: &str) -> Option<Blob> {
        lock(&self.files).get(path).cloned()
    }
    fn clear(&self) {
        lock(&self.files).clear();
        lock(&self.kinds).clear();
    }
}

impl Clone for TreeFiles {
    fn clone(&self) -> Self {
        TreeFiles {
            files: Mutex::new(lock(&self.files).clone()),
            kinds: Mutex::new(lock(&self.kinds).clone()),
            passed: self.passed.clone(),
            judges_passed: self.judges_passed,
            only: self.only.clone(),
            common: self.common.clone(),
        }
    }
}

impl Sink for TreeFiles {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let Some(common) = &self.common else {
            self.set(path, Bytes::copy_from_slice(bytes).into());
            return Ok(());
        };
        let held = lock(common).get(path).cloned();
        let file = match held {
            Some(held) if held == bytes => {
                lock(common).remove(path);
                held
            }
            Some(_) => Bytes::copy_from_slice(bytes),
            None => {
                let new = Bytes::copy_from_slice(bytes);
                lock(common).insert(path.to_owned(), new.clone());
                new
            }
        };
        self.set(path, file.into());
        Ok(())
    }
    fn put_blob(&self, path: &str, blob: &Blob) -> Result<Option<FileSum>> {
        self.set(path, blob.clone());
        Ok(None)
    }
    fn sums(&self) -> bool {
        false
    }
    fn options(&self) -> Options {
        Options {
            pictures: Pictures::OnDemand,
            ..Options::default()
        }
    }
    fn passes_over(&self, stem: &str) -> bool {
        self.only
            .as_ref()
            .map_or_else(|| self.passed.contains(stem), |only| !only.contains(stem))
    }
    fn passes_some_over(&self) -> bool {
        self.only.is_some() || !self.passed.is_empty()
    }
    fn judges_passed_over(&self) -> bool {
        self.judges_passed
    }
    fn document(&self, path: &str, kind: &'static str) {
        lock(&self.kinds).insert(path.to_owned(), kind);
    }
}

impl Source for TreeFiles {
    fn get(&self, path: &str) -> Result<Bytes> {
        self.blob(path)?.bytes()
    }
    fn blob(&self, path: &str) -> Result<Blob> {
        self.file(path).ok_or_else(|| Error::missing(path))
    }
    fn has(&self, path: &str) -> bool {
        lock(&self.files).contains_key(path)
    }
    fn paths(&self) -> Vec<String> {
        lock(&self.files).keys().cloned().collect()
    }
}

/// True if both have the same bytes.
pub fn is_same(a: &Blob, b: &Blob) -> Result<bool> {
    // Both were made from the same bytes: skip them.
    if let (Some(of), Some(other)) = (a.made_of(), b.made_of())
        && a.len() == b.len()
        && is_same(of, other)?
    {
        return Ok(true);
    }
    Ok(match (a, b) {
        (Blob::Memory(bytes), file) | (file, Blob::Memory(bytes)) => file.is(bytes)?,
        _ => a.sum()? == b.sum()?,
    })
}

/// The kind of content of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartKind {
    /// A document of this kind.
    Document(&'static str),
    /// A plain file of text.
    Text,
    /// The text of a config.
    Config,
    /// Any other plain file.
    Bytes,
}

/// A part of a tree.
#[derive(Clone)]
pub struct Part {
    /// Its kind.
    pub kind: PartKind,
    /// Its files: one, or several that form one list.
    pub files: Vec<(String, Blob)>,
}

impl Part {
    fn one(path: &str, kind: PartKind, file: Blob) -> Self {
        Part {
            kind,
            files: vec![(path.to_owned(), file)],
        }
    }

    /// The bytes of its first file.
    pub fn bytes(&self) -> Result<Bytes> {
        self.files
            .first()
            .map_or_else(|| Ok(Bytes::new()), |(_, file)| file.bytes())
    }

    /// Its size in bytes.
    pub fn len(&self) -> u64 {
        self.files.iter().map(|(_, file)| file.len()).sum()
    }

    /// True if it has no content.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if both have the same content.
    pub fn is(&self, other: &Part) -> Result<bool> {
        if self.kind != other.kind
            || self.len() != other.len()
            || self.files.len() != other.files.len()
        {
            return Ok(false);
        }
        for ((_, a), (_, b)) in self.files.iter().zip(&other.files) {
            if !is_same(a, b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The content of a document or a config, or the lines of a text with their line endings.
    /// `None` for other parts and for documents that are nested too deep.
    pub fn value(&self) -> Result<Option<Value>> {
        if self.kind == PartKind::Config {
            return Ok(std::str::from_utf8(&self.bytes()?)
                .ok()
                .and_then(config::of_text));
        }
        let PartKind::Document(kind) = self.kind else {
            return Ok(if self.kind == PartKind::Text {
                lines(&self.bytes()?)
            } else {
                None
            });
        };
        let mut whole: Option<Value> = None;
        for (_, file) in &self.files {
            let bytes = file.bytes()?;
            let Some(mut value) = std::str::from_utf8(&bytes).ok().and_then(Value::parse) else {
                return Ok(None);
            };
            plain(&mut value, kind);
            match (&mut whole, value) {
                (Some(whole), mut more) => {
                    if let (Some(Value::List(all)), Some(Value::List(items))) =
                        (whole.field_mut(NODES), more.field_mut(NODES))
                    {
                        all.append(items);
                    }
                }
                (none, value) => *none = Some(value),
            }
        }
        Ok(whole)
    }

    /// True for the manifest.
    pub fn is_manifest(&self) -> bool {
        matches!(self.files.as_slice(), [(path, _)] if *path == manifest_path(Style::Json))
    }
}

/// The lines of a text with their line endings; `None` if the bytes are not text.
pub fn lines(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(Value::List(
        text.split_inclusive('\n').map(Value::from).collect(),
    ))
}

/// The list of a world's nodes, which is split over several documents.
const NODES: &str = "nodes";
/// The path of these documents as one part.
pub const ALL_NODES: &str = "nodes.json";
/// Fields of a manifest that are not part of the file's content.
pub const HEAD: [&str; 3] = ["refit", "tree", "source"];

/// Removes from a document what is not content: the address of its schema, and remarks that are
/// derived from other fields.
fn plain(value: &mut Value, kind: &str) {
    let remarked = kind.starts_with("gamez") || kind.starts_with("mechlib");
    let without = |value: &mut Value, gone: &dyn Fn(&str) -> bool| {
        if let Value::Record(fields) = value {
            fields.retain(|(key, _)| !gone(key));
        }
    };
    without(value, &|key| key == "$schema" || remarked && key == "note");
    if let (true, Some(Value::List(nodes))) = (remarked, value.field_mut(NODES)) {
        nodes
            .iter_mut()
            .for_each(|node| without(node, &|key| key == "note"));
    }
}

/// A file as the parts of its tree.
pub struct Tree {
    /// The format; `None` if it is unknown or the file cannot be read. The file is then one part
    /// with an empty path.
    pub format: Option<Format>,
    /// The game.
    pub game: Option<Game>,
    /// Why the file could not be split although its format was recognised.
    pub fault: Option<Error>,
    /// Its parts, by path.
    pub parts: BTreeMap<String, Part>,
    /// The file itself.
    pub file: Blob,
    /// The files of these parts.
    pub shelf: TreeFiles,
    /// The parts that are left out; `None` if there are none.
    left_out: Option<LeftOut>,
}

/// How many parts a new one is compared with, to find the part that it was copied from.
pub const CANDIDATES: usize = 300;

/// Parts of a file that are not in memory as texts, which would take more room than the file:
/// documents of [`refit_base::contract::Model::documents`], which can be made at any time.
struct LeftOut {
    /// The file; `None` if it is opened again when they are needed.
    opened: Option<pipeline::Opened>,
    again: (Blob, String, Hints),
    /// Their paths without extensions.
    stems: Arc<HashSet<String>>,
}

/// True for text: UTF-8 without control characters except line ends and tabs.
pub fn is_text(bytes: &[u8]) -> bool {
    let control = |b: &u8| matches!(b, 0..=8 | 11 | 12 | 14..=31 | 127);
    !bytes.iter().any(control) && std::str::from_utf8(bytes).is_ok()
}

/// Largest plain file that is examined for text.
const LOOKED_AT: u64 = 16 << 20;

fn plain_kind(path: &str, file: &Blob) -> Result<PartKind> {
    let media = ["png", "wav", "bin", "dll"].iter().any(|ext| {
        path.rsplit_once('.')
            .is_some_and(|(_, own)| own.eq_ignore_ascii_case(ext))
    });
    Ok(
        if !media && file.len() <= LOOKED_AT && is_text(&file.bytes()?) {
            PartKind::Text
        } else {
            PartKind::Bytes
        },
    )
}

impl Tree {
    /// Splits a file. A file that refit does not recognise or cannot read is one part.
    pub fn of_file(file: &Blob, path: &str, hints: Hints) -> Result<Self> {
        Opened::file(file, path, hints).apart(Arc::default())
    }

    fn whole(file: &Blob, path: &str, fault: Option<Error>) -> Result<Self> {
        let part = Part::one("", plain_kind(path, file)?, file.clone());
        let parts = [(String::new(), part)].into();
        Ok(Tree {
            format: None,
            game: None,
            fault,
            parts,
            file: file.clone(),
            shelf: TreeFiles::default(),
            left_out: None,
        })
    }

    /// Splits the file that a tree repacks to.
    pub fn of_tree(source: &dyn Source) -> Result<Self> {
        Opened::tree(source)?.apart(Arc::default())
    }

    /// Splits a file, and leaves out parts that are not `wanted` if the format allows it. To build
    /// the edited file, use [`Tree::repack_to`].
    pub fn of_parts(file: &Blob, path: &str, hints: Hints, wanted: &HashSet<&str>) -> Result<Self> {
        let opened = Opened::file(file, path, hints);
        let Some(documents) = opened.all_documents() else {
            return opened.apart(Arc::default());
        };
        let single = documents.single;
        let all: HashSet<String> = documents.parts.into_iter().map(|(stem, _)| stem).collect();
        let folders: HashSet<&str> = all.iter().map(|stem| folder(stem)).collect();
        // A document in a folder without parts may belong to any of them.
        let is_known =
            |path: &&str| single || !path.contains('/') || folders.contains(folder(path));
        if !wanted.iter().all(is_known) {
            return opened.apart(Arc::default());
        }
        let stems: HashSet<&str> = wanted.iter().map(|path| stem(path)).collect();
        let rest = all.iter().filter(|path| !stems.contains(path.as_str()));
        opened.without(Arc::new(rest.cloned().collect()), None)
    }

    /// Splits two states of a file. Equal parts are left out if the format allows it, except those
    /// that new parts may be copies of; otherwise they are in memory once. To build an edited file
    /// of the first tree, use [`Tree::repack_to`]. The second is only to be compared with it.
    pub fn both(a: Opened, b: Opened) -> Result<(Self, Self)> {
        let equal = a.common(&b).unwrap_or_default().equal;
        let (equal, common) = (Arc::new(equal), Some(Arc::default()));
        let (a, b) = rayon::join(
            || a.without(Arc::clone(&equal), common.clone()),
            || b.without(Arc::clone(&equal), common.clone()),
        );
        let (mut a, mut b) = (a?, b?);
        if a.format.is_none() || a.format != b.format {
            // One of the files could not be split.
            a.complete()?;
            b.complete()?;
            return Ok((a, b));
        }
        b.left_out = None;
        let news = b.parts.iter().filter(|(path, _)| !a.has(path));
        let candidates = a.candidates_for(&news.map(|(_, part)| part).collect::<Vec<_>>())?;
        for tree in [&mut a, &mut b] {
            tree.take(&candidates);
        }
        // The model would keep the bytes of the whole file in memory during the comparison.
        let is_whole = is_read_whole(&a.file, a.format);
        if let Some(rest) = a.left_out.as_mut().filter(|_| is_whole) {
            rest.opened = None;
        }
        Ok((a, b))
    }

    /// The left-out parts that new parts may be copies of: equal ones, and the first [`CANDIDATES`] of
    /// each kind.
    fn candidates_for(&self, news: &[&Part]) -> Result<BTreeMap<String, Part>> {
        /// How many parts are in memory at a time.
        const AT_ONCE: usize = 1000;
        let (Some(rest), Some(format), false) = (&self.left_out, self.format, news.is_empty())
        else {
            return Ok(BTreeMap::new());
        };
        let mut equal: Vec<Option<(String, Part)>> = vec![None; news.len()];
        let mut first: Vec<(PartKind, BTreeMap<String, Part>)> = Vec::new();
        for new in news {
            if first.iter().all(|(kind, _)| *kind != new.kind) {
                first.push((new.kind, BTreeMap::new()));
            }
        }
        let mut stems: Vec<&String> = rest.stems.iter().collect();
        stems.sort_unstable();
        for some in stems.chunks(AT_ONCE) {
            let only = some.iter().map(|stem| (*stem).clone()).collect();
            let made = rest.with(|opened| parts(&files_of(opened, only)?, format))?;
            for (path, part) in made {
                if self.parts.contains_key(&path) {
                    continue;
                }
                for (new, equal) in news.iter().zip(&mut equal) {
                    let is_first = equal.as_ref().is_none_or(|(other, _)| path < *other);
                    if is_first && !new.is_empty() && part.is(new)? {
                        *equal = Some((path.clone(), part.clone()));
                    }
                }
                let mut kinds = first.iter_mut();
                if let Some((_, first)) = kinds.find(|(kind, _)| *kind == part.kind) {
                    first.insert(path, part);
                    if first.len() > CANDIDATES {
                        first.pop_last();
                    }
                }
            }
        }
        let first = first.into_iter().flat_map(|(_, first)| first);
        Ok(first.chain(equal.into_iter().flatten()).collect())
    }

    /// Makes the parts that are left out.
    fn complete(&mut self) -> Result<()> {
        if let (Some(rest), Some(format)) = (self.left_out.take(), self.format) {
            let mut made = parts(&rest.made()?, format)?;
            made.retain(|path, _| !self.parts.contains_key(path));
            self.take(&made);
        }
        Ok(())
    }

    /// Adds parts.
    fn take(&mut self, parts: &BTreeMap<String, Part>) {
        for (path, part) in parts {
            for (file, blob) in &part.files {
                self.shelf.set(file, blob.clone());
            }
            if let PartKind::Document(kind) = part.kind {
                self.shelf.document(path, kind);
            }
            self.parts.insert(path.clone(), part.clone());
        }
    }

    /// The parts of another state of the same tree.
    pub fn with(&self, shelf: TreeFiles) -> Result<BTreeMap<String, Part>> {
        self.format
            .map_or_else(|| Ok(BTreeMap::new()), |format| parts(&shelf, format))
    }

    /// `mw reader`.
    pub fn kind(&self) -> String {
        match (self.game, self.format) {
            (Some(game), Some(format)) => format!("{} {format}", game.code()),
            (None, Some(format)) => format.to_string(),
            _ => "no known format".to_owned(),
        }
    }

    /// The tree's files with some parts replaced: for each path the file that [`Tree::file_of`] makes
    /// of its new content, or `None` to remove it.
    pub fn edited(&self, parts: BTreeMap<String, Option<(String, Bytes)>>) -> TreeFiles {
        let shelf = self.shelf.clone();
        for (path, new) in parts {
            let old = self.parts.get(&path).map(|part| part.files.as_slice());
            for (file, _) in old.unwrap_or_default() {
                shelf.remove(file);
            }
            if let Some((file, bytes)) = new {
                shelf.set(&file, bytes.into());
            }
        }
        shelf
    }

    /// True if the file has this part, in memory or left out.
    pub fn has(&self, path: &str) -> bool {
        let document = path.strip_suffix(".json");
        let is_left_out = |rest: &LeftOut| document.is_some_and(|stem| rest.stems.contains(stem));
        self.parts.contains_key(path) || self.left_out.as_ref().is_some_and(is_left_out)
    }

    /// Builds the file of the `edited` tree (see [`Tree::edited`]), which is read through `source`.
    pub fn repack_to(
        &self,
        edited: &TreeFiles,
        source: &dyn Source,
        out: &mut dyn Write,
    ) -> Result<()> {
        let Some(rest) = &self.left_out else {
            return pipeline::repack_to(source, out).map(drop);
        };
        // Where something is wrong, the whole tree decides what.
        let complete = || -> Result<()> {
            let made = rest.made()?;
            let is_left_out = |path: &String| !self.shelf.has(path);
            for path in made.paths().into_iter().filter(is_left_out) {
                edited.set(&path, made.blob(&path)?);
            }
            Ok(())
        };
        let is_left_out = |stem: &str| rest.stems.contains(stem);
        let assembled =
            rest.with(|opened| pipeline::assemble_edited(source, &opened.model, &is_left_out));
        match assembled {
            Ok(model) => pipeline::write(model.model(), out).map_err(|e| match complete() {
                Ok(()) => pipeline::explained(source, e),
                Err(_) => e,
            }),
            Err(_) => {
                complete()?;
                pipeline::repack_to(source, out).map(drop)
            }
        }
    }

    /// The file for a new content of a part: its path in the tree, and its bytes.
    pub fn file_of(&self, path: &str, content: Content) -> Result<(String, Bytes)> {
        let value = match content {
            Content::Bytes(bytes) => return Ok((path.to_owned(), bytes)),
            Content::Value(value) => value,
        };
        let (path, value) = match self.parts.get(path) {
            Some(part) if part.is_manifest() => (path.to_owned(), self.with_head(value)?),
            _ if path == ALL_NODES => (nodes_path(&value), value),
            _ => (path.to_owned(), value),
        };
        Ok((path, value.compact().into()))
    }

    /// Restores the fields of the manifest's head.
    fn with_head(&self, value: Value) -> Result<Value> {
        let text = self.shelf.get(&manifest_path(Style::Json))?;
        let old = std::str::from_utf8(&text).ok().and_then(Value::parse);
        let (Some(Value::Record(old)), Value::Record(new)) = (old, &value) else {
            return Ok(value);
        };
        let head = old
            .into_iter()
            .filter(|(key, _)| HEAD.contains(&key.as_str()));
        let own = new
            .iter()
            .filter(|(key, _)| !HEAD.contains(&key.as_str()))
            .cloned();
        Ok(Value::Record(head.chain(own).collect()))
    }
}

/// The documents that two files have at the same paths.
#[derive(Default)]
struct Common {
    /// The paths of those that are equal.
    equal: HashSet<String>,
    /// The paths and sizes of the others.
    others: Vec<(String, usize)>,
    /// True if each is all that its part has; see [`refit_base::contract::Documents`].
    single: bool,
}

/// A file that is opened but not yet split.
pub struct Opened {
    file: Blob,
    path: String,
    opened: Result<pipeline::Opened>,
}

impl Opened {
    /// Opens a file.
    pub fn file(file: &Blob, path: &str, hints: Hints) -> Self {
        let opened = pipeline::recognise(file.clone(), path, hints)
            .and_then(|found| pipeline::read(file, found));
        Opened {
            file: file.clone(),
            path: path.to_owned(),
            opened,
        }
    }

    /// Opens the file that a tree repacks to.
    pub fn tree(source: &dyn Source) -> Result<Self> {
        let (head, bytes) = pipeline::repack(source)?;
        Ok(Self::file(
            &Blob::Memory(bytes.into()),
            &head.source.file,
            Hints::of_tree(&head),
        ))
    }

    /// The parts whose documents follow from their bytes.
    fn all_documents(&self) -> Option<refit_base::contract::Documents> {
        self.opened.as_ref().ok()?.model.documents()
    }

    /// The documents that both files have at the same paths: those that are equal, and the sizes of
    /// the others.
    fn common(&self, other: &Opened) -> Option<Common> {
        let (a, b) = rayon::join(|| self.all_documents(), || other.all_documents());
        let (a, b) = (a?, b?);
        if a.of != b.of {
            return None;
        }
        let theirs: HashMap<&str, &Vec<Blob>> = b
            .parts
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes))
            .collect();
        let size = |pieces: &[Blob]| {
            let size = pieces.iter().map(Blob::len).sum::<u64>();
            usize::try_from(size).unwrap_or(usize::MAX)
        };
        let mut common = Common {
            single: a.single,
            ..Common::default()
        };
        for (path, bytes) in &a.parts {
            match theirs.get(path.as_str()) {
                Some(theirs) if *theirs == bytes => _ = common.equal.insert(path.clone()),
                Some(theirs) => common
                    .others
                    .push((path.clone(), size(bytes).saturating_add(size(theirs)))),
                None => {}
            }
        }
        Some(common)
    }

    /// Only the documents at these paths.
    fn documents(&self, only: HashSet<String>) -> Result<BTreeMap<String, Part>> {
        let Ok(opened) = &self.opened else {
            return Ok(BTreeMap::new());
        };
        parts(&files_of(opened, only)?, opened.detection.format)
    }

    /// Splits the file, without these parts.
    fn apart(self, passed: Arc<HashSet<String>>) -> Result<Tree> {
        self.onto(TreeFiles {
            passed,
            ..TreeFiles::default()
        })
    }

    /// Splits the file, and leaves out the documents at these paths, which are without extensions.
    fn without(self, stems: Arc<HashSet<String>>, common: Option<CommonFiles>) -> Result<Tree> {
        let mut shelf = TreeFiles {
            common,
            ..TreeFiles::default()
        };
        let Opened { file, path, opened } = match self {
            Opened { opened: Ok(_), .. } if !stems.is_empty() => self,
            whole => return whole.onto(shelf),
        };
        shelf.passed = Arc::clone(&stems);
        shelf.judges_passed = true;
        let mut again = (file.clone(), path.clone(), Hints::default());
        let split = opened.and_then(|opened| {
            again.2 = Hints {
                game: opened.detection.game,
                format: Some(opened.detection.format),
            };
            if let Some(why) = pipeline::gives_back(&file, &opened)? {
                return Err(why);
            }
            pipeline::texts(&*opened.model, &opened.detection, &shelf)?;
            Ok(opened)
        });
        match split {
            Ok(opened) => {
                shelf.common = None;
                let (format, game) = (opened.detection.format, opened.detection.game);
                Ok(Tree {
                    format: Some(format),
                    game,
                    fault: None,
                    parts: parts(&shelf, format)?,
                    file,
                    shelf,
                    left_out: Some(LeftOut {
                        opened: Some(opened),
                        again,
                        stems,
                    }),
                })
            }
            Err(e) if matches!(e.what(), refit_base::wire::Cause::Io(_)) => Err(e),
            Err(e) => Tree::whole(&file, &path, Some(e)),
        }
    }

    /// Splits the file into an empty shelf.
    fn onto(self, mut shelf: TreeFiles) -> Result<Tree> {
        let Opened { file, path, opened } = self;
        let restart = || {
            shelf.clear();
            Ok(())
        };
        let how = How {
            style: Style::Json,
            proof: false,
        };
        let unpacked = opened.and_then(|opened| {
            pipeline::unpack_opened(&file, &path, opened, how, &shelf, &restart)
        });
        match unpacked {
            Ok(outcome) if outcome.raw.iter().all(|(member, _)| !member.is_empty()) => {
                shelf.common = None;
                let parts = parts(&shelf, outcome.detection.format)?;
                let (format, game) = (Some(outcome.detection.format), outcome.detection.game);
                Ok(Tree {
                    format,
                    game,
                    fault: None,
                    parts,
                    file,
                    shelf,
                    left_out: None,
                })
            }
            Ok(outcome) => Tree::whole(
                &file,
                &path,
                outcome
                    .raw
                    .into_iter()
                    .next()
                    .map(|(_, why)| Error::say(why)),
            ),
            Err(e) if matches!(e.what(), refit_base::wire::Cause::Io(_)) => Err(e),
            Err(e) => Tree::whole(&file, &path, Some(e)),
        }
    }

    /// Splits two files and omits the parts that are equal in both. The results are only meant for
    /// [`super::trees`]; use [`Tree::of_file`] to build a file from a tree.
    pub fn both(a: Opened, b: Opened) -> Result<(Tree, Tree)> {
        let passed = Arc::new(a.common(&b).unwrap_or_default().equal);
        let (a, b) = rayon::join(|| a.apart(passed.clone()), || b.apart(passed.clone()));
        Ok((a?, b?))
    }

    /// What is known about the file.
    fn hints(&self) -> Hints {
        self.opened.as_ref().map_or_else(
            |_| Hints::default(),
            |opened| Hints {
                game: opened.detection.game,
                format: Some(opened.detection.format),
            },
        )
    }

    fn again(&self) -> Self {
        Self::file(&self.file, &self.path, self.hints())
    }
}

/// The files of a tree that are at these paths, and those that every tree of the format has. The
/// paths are without extensions.
fn files_of(opened: &pipeline::Opened, only: HashSet<String>) -> Result<TreeFiles> {
    let shelf = TreeFiles {
        only: Some(only),
        ..TreeFiles::default()
    };
    pipeline::texts(&*opened.model, &opened.detection, &shelf)?;
    Ok(shelf)
}

impl LeftOut {
    /// Calls `work` with the opened file.
    fn with<T>(&self, work: impl FnOnce(&pipeline::Opened) -> Result<T>) -> Result<T> {
        let (file, path, hints) = &self.again;
        match &self.opened {
            Some(opened) => work(opened),
            None => work(&Opened::file(file, path, *hints).opened?),
        }
    }

    /// Makes them.
    fn made(&self) -> Result<TreeFiles> {
        self.with(|opened| files_of(opened, HashSet::clone(&self.stems)))
    }
}

/// True for a file on disk whose model has its bytes in memory.
fn is_read_whole(file: &Blob, format: Option<Format>) -> bool {
    matches!(file, Blob::Lazy(_))
        && !format.is_some_and(|format| registry::codec(format).leaves_on_disk())
}

/// The folder of a path; empty without one.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// If the differing parts have more bytes than this, they are compared in batches: texts and values
/// take forty times as much memory.
const AT_ONCE: usize = 1 << 20;

/// Two files to compare. If large files differ in many parts, only some of these are in memory as
/// text at a time.
pub struct Comparison {
    /// The first file, without equal parts and those of later batches.
    pub a: Tree,
    /// The second file, without these parts.
    pub b: Tree,
    later: Option<Later>,
}

/// The parts of two files that are compared later.
struct Later {
    a: Opened,
    b: Opened,
    /// The paths of the parts, some at a time.
    batches: Vec<HashSet<String>>,
    /// True if their differences come among those of the other parts, by path.
    single: bool,
}

impl Comparison {
    /// Compares two files.
    pub fn of(a: Opened, b: Opened) -> Result<Self> {
        Self::at_once(a, b, AT_ONCE)
    }

    /// Compares two files with at most `at_once` bytes of their parts at a time.
    pub fn at_once(a: Opened, b: Opened, at_once: usize) -> Result<Self> {
        let Common {
            equal: mut passed,
            others: differ,
            single,
        } = a.common(&b).unwrap_or_default();
        let mut later = None;
        if differ.iter().map(|(_, size)| size).sum::<usize>() > at_once {
            let mut batches: Vec<HashSet<String>> = Vec::new();
            let mut left = 0;
            for (path, size) in differ {
                if size > left || batches.is_empty() {
                    batches.push(HashSet::new());
                    left = at_once;
                }
                left = left.saturating_sub(size);
                passed.insert(path.clone());
                batches.last_mut().map(|batch| batch.insert(path));
            }
            later = Some(Later {
                a: a.again(),
                b: b.again(),
                batches,
                single,
            });
        }
        let passed = Arc::new(passed);
        let (a, b) = rayon::join(|| a.apart(passed.clone()), || b.apart(passed.clone()));
        let (a, b) = (a?, b?);
        if a.format.is_none() || a.format != b.format {
            // One of the files could not be split: compare them as bytes.
            later = None;
        }
        Ok(Comparison { a, b, later })
    }

    /// Passes the differences to `take`, some parts at a time, until it returns false. Always
    /// passes something if the files differ.
    pub fn each(&self, take: &mut dyn FnMut(Vec<super::Difference>) -> Result<bool>) -> Result<()> {
        let Some(later) = &self.later else {
            let found = super::trees(&self.a, &self.b)?;
            if !found.is_empty() {
                take(found)?;
            }
            return Ok(());
        };
        let mut any = false;
        let mut hand = |found: Vec<super::Difference>| {
            any |= !found.is_empty();
            if found.is_empty() {
                Ok(true)
            } else {
                take(found)
            }
        };
        // What is only in one of the files, or has another path, always comes first.
        let mut alone = super::of_parts_alone(&self.a, &self.b)?;
        let changed = alone.partition_point(|found| found.change.is_of_one());
        let mut rest = match later.single {
            true => alone.split_off(changed).into_iter().peekable(),
            false => Vec::new().into_iter().peekable(),
        };
        if !hand(alone)? {
            return Ok(());
        }
        for batch in &later.batches {
            let (x, y) = rayon::join(
                || later.a.documents(batch.clone()),
                || later.b.documents(batch.clone()),
            );
            let (mut x, mut y) = (x?, y?);
            x.retain(|path, _| !self.a.parts.contains_key(path));
            y.retain(|path, _| !self.b.parts.contains_key(path));
            let mut found = Vec::new();
            for one in super::of_parts(&x, &y)? {
                while let Some(before) = rest.next_if(|before| before.path < one.path) {
                    found.push(before);
                }
                found.push(one);
            }
            if !hand(found)? {
                return Ok(());
            }
        }
        if !hand(rest.collect())? {
            return Ok(());
        }
        if !any {
            take(super::trees_of_bytes(&self.a, &self.b)?)?;
        }
        Ok(())
    }
}

/// The content of a part.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// A document.
    Value(Value),
    /// A plain file.
    Bytes(Bytes),
}

fn nodes_path(value: &Value) -> String {
    let count = match value.field(NODES) {
        Some(Value::List(nodes)) => nodes.len(),
        _ => 0,
    };
    format!("nodes/{:05}-{:05}.json", 0, count.saturating_sub(1))
}

/// The parts of a tree, without refit's own files.
fn parts(shelf: &TreeFiles, format: Format) -> Result<BTreeMap<String, Part>> {
    let kinds = lock(&shelf.kinds).clone();
    let files = lock(&shelf.files).clone();
    let mut out: BTreeMap<String, Part> = BTreeMap::new();
    let mut nodes = Vec::new();
    for (path, file) in files {
        if path.starts_with(".refit/") || refit_base::tree::sums::is_of_git(&path) {
            continue;
        }
        let number = || {
            path.strip_prefix("nodes/")?
                .split(['-', '.'])
                .next()?
                .parse::<u64>()
                .ok()
        };
        match kinds.get(&path) {
            Some(_) if matches!(format, Format::Gamez | Format::Planes) && number().is_some() => {
                nodes.push((number(), (path.clone(), file)));
            }
            Some(&CONFIG) => _ = out.insert(path.clone(), Part::one(&path, PartKind::Config, file)),
            Some(kind) => {
                _ = out.insert(
                    path.clone(),
                    Part::one(&path, PartKind::Document(kind), file),
                )
            }
            None => {
                _ = out.insert(
                    path.clone(),
                    Part::one(&path, plain_kind(&path, &file)?, file),
                )
            }
        }
    }
    nodes.sort_by_key(|(number, _)| *number);
    if let Some((_, (first, _))) = nodes.first() {
        let kind = PartKind::Document(kinds.get(first).copied().unwrap_or_default());
        out.insert(
            ALL_NODES.to_owned(),
            Part {
                kind,
                files: nodes.into_iter().map(|(_, file)| file).collect(),
            },
        );
    }
    if let Some(manifest) = out.get_mut(&manifest_path(Style::Json)) {
        strip_head(manifest)?;
    }
    Ok(out)
}

/// Removes the head of a manifest, so that manifests with equal content are equal.
fn strip_head(manifest: &mut Part) -> Result<()> {
    let Some((_, file)) = manifest.files.first_mut() else {
        return Ok(());
    };
    let bytes = file.bytes()?;
    if let Some(Value::Record(mut fields)) = std::str::from_utf8(&bytes).ok().and_then(Value::parse)
    {
        fields.retain(|(key, _)| !HEAD.contains(&key.as_str()));
        *file = Blob::Memory(Value::Record(fields).compact().into());
    }
    Ok(())
}

/// Formats a value as the text of a document in a tree.
pub fn laid_out(value: &Value) -> String {
    let mut flat = String::new();
    flat.push_str(&value.compact());
    text::Spaced::of(flat).lay_out(matches!(value, Value::List(_)))
}
