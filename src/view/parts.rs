//! The parts of a file's tree, for the page: listed once, and given one by one.

use crate::{
    pipeline::{self, How, Opened},
    tree::{Blob, Sink, Source, Style},
    wire::{Error, Result},
};
use bytes::Bytes;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use super::lock;

/// Most bytes of texts that are kept of one file; of more only the sizes are, and a part is made again when it is asked
/// for.
const MOST: u64 = 96 << 20;

/// Larger files are texts only by their names.
const LARGEST_TEXT: u64 = 1 << 20;

/// The parts of a file's tree.
pub(super) struct Parts {
    /// Sizes and kinds of documents, by path.
    pub list: BTreeMap<String, Part>,
    from: From,
}

/// What is known of a part without its content.
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
    Memory(BTreeMap<String, Bytes>),
    /// Too much for memory: made again from the file.
    Again(Blob, String),
}

impl Part {
    /// What the page shows of it.
    pub fn kind(&self, path: &str) -> &'static str {
        if self.is_text { "text" } else { kind_of(path) }
    }
}

/// What the page shows of a part, by the ending of its path.
pub(super) fn kind_of(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ext)| ext.to_ascii_lowercase()).as_deref() {
        Some("json") => "json",
        Some("png") => "picture",
        Some("wav") => "sound",
        Some("txt" | "zrd" | "gw" | "gs" | "cpp" | "hpp" | "sqf" | "sqs" | "sqm" | "ext" | "rvmat" | "po" | "csv") => {
            "text"
        }
        Some("xml") => "text",
        _ => "bytes",
    }
}

/// Collects the parts.
#[derive(Default)]
struct Collector {
    list: Mutex<BTreeMap<String, Part>>,
    kept: Mutex<(u64, BTreeMap<String, Bytes>)>,
    /// Only this part is kept.
    only: Option<String>,
}

impl Collector {
    fn take(&self, path: &str, size: u64, bytes: impl FnOnce() -> Result<Bytes>) -> Result<()> {
        lock(&self.list).entry(path.to_owned()).or_default().bytes = size;
        let mut kept = lock(&self.kept);
        match &self.only {
            Some(only) if only != path => return Ok(()),
            Some(_) => {}
            None => {
                kept.0 += size;
                if kept.0 > MOST {
                    kept.1.clear();
                    return Ok(());
                }
            }
        }
        kept.1.insert(path.to_owned(), bytes()?);
        Ok(())
    }
}

impl Collector {
    fn judge(&self, path: &str, bytes: &[u8]) {
        let is_text = kind_of(path) == "bytes" && !bytes.is_empty() && bytes.len() as u64 <= LARGEST_TEXT;
        if is_text && crate::diff::is_text(bytes) {
            lock(&self.list).entry(path.to_owned()).or_default().is_text = true;
        }
    }
}

impl Sink for Collector {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.take(path, bytes.len() as u64, || Ok(Bytes::copy_from_slice(bytes)))?;
        self.judge(path, bytes);
        Ok(())
    }
    fn put_blob(&self, path: &str, blob: &Blob) -> Result<String> {
        self.take(path, blob.len(), || blob.bytes())?;
        if kind_of(path) == "bytes" && blob.len() <= LARGEST_TEXT {
            self.judge(path, &blob.bytes()?);
        }
        Ok(String::new())
    }
    fn sums(&self) -> bool {
        false
    }
    fn document(&self, path: &str, kind: &'static str) {
        lock(&self.list).entry(path.to_owned()).or_default().document = Some(kind);
    }
}

/// Unpacks a file into a collector.
fn collect(file: &Blob, name: &str, opened: Opened, only: Option<&str>) -> Result<Collector> {
    let collector = Collector { only: only.map(str::to_owned), ..Collector::default() };
    let restart = || {
        lock(&collector.list).clear();
        *lock(&collector.kept) = Default::default();
        Ok(())
    };
    let how = How { style: Style::Json, proof: false };
    pipeline::unpack_opened(file, name, opened, how, &collector, &restart)?;
    Ok(collector)
}

fn again(file: &Blob, name: &str) -> Result<Opened> {
    pipeline::read(file, pipeline::recognise(file, name, Default::default())?)
}

/// What a person never asks for: refit's own lists, and the schemas.
fn is_own(path: &str) -> bool {
    path.starts_with(".refit/") || path.starts_with(".vscode/") || path == ".gitattributes"
}

impl Parts {
    /// The parts of a tree.
    pub fn of_tree(tree: Arc<dyn Source + Send>) -> Self {
        // Links and other special files cannot be read.
        let size = |path: &String| tree.blob(path).map_or(0, |file| file.len());
        let paths = tree.paths().into_iter().filter(|path| !is_own(path));
        let list = paths.map(|path| (path.clone(), Part { bytes: size(&path), ..Part::default() })).collect();
        Parts { list, from: From::Tree(tree) }
    }

    /// The parts that a file's tree would have.
    pub fn of_file(file: &Blob, name: &str) -> Result<Self> {
        let collector = collect(file, name, again(file, name)?, None)?;
        let mut list = collector.list.into_inner().unwrap_or_default();
        list.retain(|path, _| !is_own(path));
        let (size, kept) = collector.kept.into_inner().unwrap_or_default();
        let from = if size > MOST { From::Again(file.clone(), name.to_owned()) } else { From::Memory(kept) };
        Ok(Parts { list, from })
    }

    /// One part.
    pub fn get(&self, path: &str) -> Result<Bytes> {
        let missing = || Error::say("there is no such part").in_file(path).of_kind(crate::ErrorKind::NoMember);
        if !self.list.contains_key(path) {
            return Err(missing());
        }
        match &self.from {
            From::Tree(tree) => tree.get(path),
            From::Memory(kept) => kept.get(path).cloned().ok_or_else(missing),
            From::Again(file, name) => {
                let collector = collect(file, name, again(file, name)?, Some(path))?;
                collector.kept.into_inner().unwrap_or_default().1.remove(path).ok_or_else(missing)
            }
        }
    }
}
