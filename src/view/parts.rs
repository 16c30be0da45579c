//! The parts of a file's tree, for the page: listed once, and given one by one.

use bytes::Bytes;
use refit_base::{
    format::Format,
    tree::{Blob, Sink, Source, Style, check_inside_path, read_head, sums::FileSum},
    wire::{Error, Result},
};
use refit_files::pipeline::{self, How, Opened};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use super::lock;

/// Most bytes of texts and pictures that are kept in memory of one file.
const IN_MEMORY: u64 = 4 << 20;

/// Maximum total size of parts to keep; beyond it only the sizes are kept, and a part is created
/// again on demand.
const MOST: u64 = if cfg!(feature = "disk") {
    1 << 30
} else {
    96 << 20
};

/// Larger files are texts only by their names.
const LARGEST_TEXT: u64 = 1 << 20;

/// The parts of a file's tree.
pub(super) struct Parts {
    /// Sizes and kinds of documents, by path.
    pub list: BTreeMap<String, Part>,
    from: From,
}

/// Facts about a part without its content.
#[derive(Clone, Default)]
pub(super) struct Part {
    pub bytes: u64,
    /// The kind of document.
    pub document: Option<&'static str>,
    /// True for a text, whatever its name ends with.
    pub is_text: bool,
}

enum From {
    Tree(Arc<dyn Source + Send>),
    Kept(BTreeMap<String, Blob>),
    /// Too much: made again from the file.
    Again(Blob, String),
}

impl Part {
    /// How the page shows it.
    pub fn kind(&self, path: &str) -> &'static str {
        if self.is_text { "text" } else { kind_of(path) }
    }
}

/// How the page shows a part, by its file extension.
pub(super) fn kind_of(path: &str) -> &'static str {
    match path
        .rsplit_once('.')
        .map(|(_, ext)| ext.to_ascii_lowercase())
        .as_deref()
    {
        Some("json") => "json",
        Some("png") => "picture",
        Some("wav") => "sound",
        Some(
            "txt" | "zrd" | "gw" | "gs" | "cpp" | "hpp" | "sqf" | "sqs" | "sqm" | "ext" | "rvmat"
            | "po" | "csv",
        ) => "text",
        Some("xml") => "text",
        _ => "bytes",
    }
}

/// Collects the parts.
#[derive(Default)]
struct Collector {
    list: Mutex<BTreeMap<String, Part>>,
    kept: Mutex<Kept>,
    /// Only this part is kept.
    only: Option<String>,
}

/// The parts that are kept.
#[derive(Default)]
struct Kept {
    parts: BTreeMap<String, Blob>,
    /// Size of the parts that are stored nowhere else.
    size: u64,
    spill: Option<Spill>,
    /// It was more than can be kept.
    is_over: bool,
}

impl Kept {
    fn put(&mut self, path: &str, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        if self.size > MOST {
            self.is_over = true;
        }
        if self.size > IN_MEMORY && self.spill.is_none() {
            self.spill = Spill::new();
        }
        match &mut self.spill {
            _ if self.is_over => self.parts.clear(),
            Some(spill) if self.size > IN_MEMORY => self.is_over = spill.add(path, bytes).is_err(),
            _ => {
                self.parts
                    .insert(path.to_owned(), Blob::Memory(Bytes::copy_from_slice(bytes)));
            }
        }
    }

    /// All parts; `None` if there was too much data.
    fn finish(self) -> Option<BTreeMap<String, Blob>> {
        let mut parts = self.parts;
        if let Some(spill) = self.spill {
            parts.extend(spill.finish().ok()?);
        }
        (!self.is_over).then_some(parts)
    }
}

/// Parts in a file without a name, which ends with this process.
#[cfg(feature = "disk")]
struct Spill {
    file: std::fs::File,
    places: Vec<(String, u64, u64)>,
}

#[cfg(feature = "disk")]
impl Spill {
    /// `None` if the system has no room for such files.
    fn new() -> Option<Self> {
        Some(Spill {
            file: tempfile::tempfile().ok()?,
            places: Vec::new(),
        })
    }

    fn add(&mut self, path: &str, bytes: &[u8]) -> std::io::Result<()> {
        let at = self.places.last().map_or(0, |(_, at, length)| at + length);
        std::io::Write::write_all(&mut self.file, bytes)?;
        self.places.push((path.to_owned(), at, bytes.len() as u64));
        Ok(())
    }

    fn finish(self) -> Result<Vec<(String, Blob)>> {
        let whole = Blob::of_open(&self.file, std::path::Path::new("a file without a name"))?;
        let part = |(path, at, length)| Ok((path, whole.slice(at, length)?));
        self.places.into_iter().map(part).collect()
    }
}

/// Without a disk, memory is the only place.
#[cfg(not(feature = "disk"))]
enum Spill {}

#[cfg(not(feature = "disk"))]
impl Spill {
    fn new() -> Option<Self> {
        None
    }
    fn add(&mut self, _: &str, _: &[u8]) -> std::io::Result<()> {
        match *self {}
    }
    fn finish(self) -> Result<Vec<(String, Blob)>> {
        match self {}
    }
}

impl Collector {
    /// Notes the size of a part; true if the part should be kept.
    fn note(&self, path: &str, size: u64) -> bool {
        lock(&self.list).entry(path.to_owned()).or_default().bytes = size;
        self.only.as_ref().is_none_or(|only| only == path)
    }
}

impl Collector {
    fn judge(&self, path: &str, bytes: &[u8]) {
        let is_text =
            kind_of(path) == "bytes" && !bytes.is_empty() && bytes.len() as u64 <= LARGEST_TEXT;
        if is_text && refit_diff::is_text(bytes) {
            lock(&self.list).entry(path.to_owned()).or_default().is_text = true;
        }
    }
}

impl Sink for Collector {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        if self.note(path, bytes.len() as u64) {
            lock(&self.kept).put(path, bytes);
        }
        self.judge(path, bytes);
        Ok(())
    }
    fn put_blob(&self, path: &str, blob: &Blob) -> Result<Option<FileSum>> {
        if self.note(path, blob.len()) {
            match blob {
                Blob::Memory(bytes) => lock(&self.kept).put(path, bytes),
                // It stays in the file.
                lazy => {
                    lock(&self.kept).parts.insert(path.to_owned(), lazy.clone());
                }
            }
        }
        if kind_of(path) == "bytes" && blob.len() <= LARGEST_TEXT {
            self.judge(path, &blob.bytes()?);
        }
        Ok(None)
    }
    fn sums(&self) -> bool {
        false
    }
    fn document(&self, path: &str, kind: &'static str) {
        lock(&self.list)
            .entry(path.to_owned())
            .or_default()
            .document = Some(kind);
    }
}

/// Unpacks a file into a collector.
fn collect(file: &Blob, name: &str, opened: Opened, only: Option<&str>) -> Result<Collector> {
    let collector = Collector {
        only: only.map(str::to_owned),
        ..Collector::default()
    };
    let restart = || {
        lock(&collector.list).clear();
        *lock(&collector.kept) = Default::default();
        Ok(())
    };
    let how = How {
        style: Style::Json,
        proof: false,
    };
    pipeline::unpack_opened(file, name, opened, how, &collector, &restart)?;
    Ok(collector)
}

fn again(file: &Blob, name: &str) -> Result<Opened> {
    pipeline::read(file, pipeline::recognise(file, name, Default::default())?)
}

/// How many bytes of a document show which schema it names.
const HEAD: u64 = 256;

/// The kind of document that the beginning of a JSON text names in its first key.
fn schema_of(head: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    let (_, rest) = text.split_once("\"$schema\"")?;
    let address = rest.split('"').nth(1)?;
    let file = address.rsplit('/').next()?;
    file.strip_suffix(".schema.json").map(str::to_owned)
}

/// True for refit's own lists and for schemas: the page hides them.
fn is_own(path: &str) -> bool {
    path.starts_with(".refit/") || path.starts_with(".vscode/") || path == ".gitattributes"
}

/// True for a path that a list of parts may have.
pub(super) fn is_listed(path: &str) -> bool {
    check_inside_path(path).is_ok() && !is_own(path)
}

impl Parts {
    /// The parts of a tree.
    pub fn of_tree(tree: Arc<dyn Source + Send>) -> Self {
        // Links and other special files cannot be read.
        let size = |path: &String| tree.blob(path).map_or(0, |file| file.len());
        let paths = tree.paths().into_iter().filter(|path| !is_own(path));
        let kinds: Vec<&'static str> = refit_project::schemas()
            .iter()
            .map(|schema| schema.kind)
            .collect();
        let format = read_head(&*tree).map(|(_, head)| head.format).ok();
        let document = |path: &str| {
            let head = tree.blob(path).ok()?.slice(0, HEAD).ok()?.bytes().ok()?;
            match schema_of(&head) {
                Some(own) => kinds.iter().find(|kind| **kind == own).copied(),
                // Lists cannot name their schema.
                None => (format == Some(Format::Reader)).then_some("reader"),
            }
        };
        let list = paths
            .map(|path| {
                let part = Part {
                    bytes: size(&path),
                    document: document(&path).filter(|_| path.ends_with(".json")),
                    ..Part::default()
                };
                (path, part)
            })
            .collect();
        Parts {
            list,
            from: From::Tree(tree),
        }
    }

    /// The parts that a file's tree would have.
    pub fn of_file(file: &Blob, name: &str) -> Result<Self> {
        let collector = collect(file, name, again(file, name)?, None)?;
        let mut list = collector.list.into_inner().unwrap_or_default();
        list.retain(|path, _| !is_own(path));
        let kept = collector.kept.into_inner().unwrap_or_default().finish();
        let from = kept.map_or_else(|| From::Again(file.clone(), name.to_owned()), From::Kept);
        Ok(Parts { list, from })
    }

    /// The path of a part. A tree may have a document of nodes or a model under a name that it had
    /// before an edit: only the number at its start counts.
    fn own_path<'a>(&'a self, path: &'a str) -> Option<&'a str> {
        if self.list.contains_key(path) {
            return Some(path);
        }
        let number = |path: &str| -> Option<(String, u64)> {
            let (folder, name) = path.rsplit_once('/')?;
            let digits = name.split(['-', '.']).next()?;
            let is_numbered = matches!(folder, "nodes" | "models");
            Some((folder.to_owned(), digits.parse().ok()?)).filter(|_| is_numbered)
        };
        let wanted = number(path)?;
        let own = self
            .list
            .keys()
            .find(|own| number(own).as_ref() == Some(&wanted));
        own.map(String::as_str)
    }

    /// One part.
    pub fn get(&self, path: &str) -> Result<Bytes> {
        let missing = || {
            Error::say("there is no such part")
                .in_file(path)
                .of_kind(refit_base::ErrorKind::NoMember)
        };
        let path = self.own_path(path).ok_or_else(missing)?;
        match &self.from {
            From::Tree(tree) => tree.get(path),
            From::Kept(kept) => kept.get(path).ok_or_else(missing)?.bytes(),
            From::Again(file, name) => {
                let collector = collect(file, name, again(file, name)?, Some(path))?;
                let kept = collector.kept.into_inner().unwrap_or_default().finish();
                kept.and_then(|mut kept| kept.remove(path))
                    .ok_or_else(missing)?
                    .bytes()
            }
        }
    }
}
