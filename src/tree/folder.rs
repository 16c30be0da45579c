//! Trees in memory, what writes a tree and what reads one, and the proof that a text has the same content as what was
//! read.

use super::{
    Blob, Document, Form, Head, Later, Options, Sink, Source, Style, manifest_path,
    source::only_below,
    sums,
    text::{self, Rows, SomeRows},
};
use crate::wire::{Error, Result, utf8};
use bytes::Bytes;
use std::{
    any::Any,
    collections::{BTreeMap, HashMap},
    sync::Mutex,
};

/// A schema on one line, as trees store it for programs. Cached, because the trees of a whole game share a few schemas.
fn on_one_line(kind: &'static str, schema: super::Packed) -> Result<Bytes> {
    static MADE: Mutex<BTreeMap<&'static str, Bytes>> = Mutex::new(BTreeMap::new());
    let mut made = lock(&MADE);
    if let Some(line) = made.get(kind) {
        return Ok(line.clone());
    }
    let schema: serde_json::Value = serde_json::from_str(&schema.text()).map_err(|e| Error::say(e.to_string()))?;
    let line = Bytes::from(schema.to_string());
    made.insert(kind, line.clone());
    Ok(line)
}

/// A tree in memory.
#[derive(Default)]
pub struct Folder(Mutex<BTreeMap<String, Bytes>>);

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Folder {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }
    /// Replaces or adds a file.
    pub fn set(&self, path: &str, bytes: impl Into<Bytes>) {
        lock(&self.0).insert(path.to_owned(), bytes.into());
    }
    /// Removes a file; true if it existed.
    pub fn remove(&self, path: &str) -> bool {
        lock(&self.0).remove(path).is_some()
    }
    /// A file as text; empty if it is missing or not UTF-8.
    pub fn text(&self, path: &str) -> String {
        self.get(path).ok().and_then(|b| String::from_utf8(b.to_vec()).ok()).unwrap_or_default()
    }
}

impl Sink for Folder {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.set(path, Bytes::copy_from_slice(bytes));
        Ok(())
    }
}

impl Source for Folder {
    fn get(&self, path: &str) -> Result<Bytes> {
        lock(&self.0).get(path).cloned().ok_or_else(|| missing(path))
    }
    fn has(&self, path: &str) -> bool {
        lock(&self.0).contains_key(path)
    }
    fn paths(&self) -> Vec<String> {
        lock(&self.0).keys().cloned().collect()
    }
}

#[cold]
fn missing(path: &str) -> Error {
    Error::missing(path)
}

/// The writer through which formats write trees.
///
/// With `proof`, each document is read back from its text at once. `TreeWriter::into_reader` returns these values, so
/// writing a file from them proves the whole round trip with only one text in memory at a time.
pub struct TreeWriter<'a> {
    sink: &'a dyn Sink,
    /// The style of the documents; [`Form::Stored`] if only bytes are proved and no text is made.
    pub form: Form,
    /// The first fields of the manifest.
    pub head: Head,
    /// The user's choices.
    pub options: Options,
    proof: bool,
    kept: Mutex<HashMap<String, KeptPart>>,
    sums: Mutex<sums::Sums>,
    schemas: Mutex<BTreeMap<&'static str, super::Packed>>,
    raw: Mutex<Vec<(String, String)>>,
    by_row: Mutex<Option<ByRow>>,
}

enum KeptPart {
    Document(Box<dyn Any + Send>),
    Blob(Blob),
    /// A document of many rows: the document without the rows, and the rows as read back from their text.
    Rows(Box<dyn Any + Send>),
}

/// The text of a part.
pub enum Spelled<'a, T> {
    /// The text itself.
    Text(String),
    /// A document whose text is too long for memory.
    Document(&'a T),
}

/// Finds a proved part of an archive: by its row in the manifest or another number that the format assigns, and by the
/// path of its file. Must return `None` for unknown paths. See [`TreeWriter::rows`].
pub type ByRow = Box<dyn Fn(usize, &str) -> Option<Blob> + Send + Sync>;

impl<'a> TreeWriter<'a> {
    /// A writer into `sink`.
    pub fn new(sink: &'a dyn Sink, form: Form, head: Head, proof: bool) -> Self {
        TreeWriter {
            sink,
            form,
            head,
            options: sink.options(),
            proof,
            kept: Mutex::default(),
            sums: Mutex::default(),
            schemas: Mutex::default(),
            raw: Mutex::default(),
            by_row: Mutex::default(),
        }
    }

    fn put(&self, path: &str, bytes: &[u8], text: bool) -> Result<()> {
        self.sink.put(path, bytes)?;
        if self.sink.sums() {
            let sum = crate::sha256(bytes);
            lock(&self.sums).add(path, &sum, text);
        }
        Ok(())
    }

    /// The style of the documents; the default if there are none.
    fn style(&self) -> Style {
        match self.form {
            Form::Stored => Style::default(),
            Form::Document(style) => style,
        }
    }

    /// True for a part that need not be written; see [`Sink::passes_over`].
    pub fn passes_over(&self, stem: &str) -> bool {
        !self.proof && self.form != Form::Stored && self.sink.passes_over(stem)
    }

    /// True if documents are read back and kept for the proof.
    pub fn proves(&self) -> bool {
        self.proof
    }

    /// The extension of documents, with its dot.
    pub fn ext(&self) -> String {
        format!(".{}", self.style().ext())
    }

    /// Writes a document and returns its path. `stem` is the path without the extension.
    pub fn doc<T: Document>(&self, stem: &str, doc: &T) -> Result<String> {
        let path = format!("{stem}{}", self.ext());
        let style = self.style();
        if doc.is_large() {
            if self.proof {
                let back = doc.again(style).map_err(|e| e.in_file(path.clone()))?;
                lock(&self.kept).insert(path.clone(), KeptPart::Document(Box::new(back)));
            }
            self.put_pieces(&path, doc)?;
            return Ok(path);
        }
        let text = doc.to_text(style).map_err(|e| e.in_file(path.clone()))?;
        if self.proof {
            let back = T::from_text(&text, style).map_err(|e| e.in_file(path.clone()))?;
            lock(&self.kept).insert(path.clone(), KeptPart::Document(Box::new(back)));
        }
        self.put_text::<T>(&path, text)?;
        Ok(path)
    }

    /// Writes a part that has already been proved (see `proof`). In the proof of the whole file,
    /// [`TreeReader::part`] returns `proved`, the bytes that the part was compared with.
    ///
    /// If `proved` is `None`, nothing is kept, and the format finds the part by its row; see [`TreeWriter::rows`].
    pub fn part<T: Document>(&self, path: &str, text: Spelled<'_, T>, proved: Option<&Bytes>) -> Result<()> {
        if let Some(proved) = proved {
            self.proved(path, Blob::Memory(proved.clone()));
        }
        match text {
            Spelled::Text(text) => self.put_text::<T>(path, text),
            Spelled::Document(document) => self.put_pieces(path, document),
        }
    }

    /// [`TreeWriter::part`] for a plain file: a picture, unpacked content, or the stored payload of a member. Neither
    /// blob needs to be in memory.
    pub(crate) fn part_file(&self, path: &str, content: &Blob, proved: Option<Blob>) -> Result<()> {
        if let Some(proved) = proved {
            self.proved(path, proved);
        }
        let sum = self.sink.put_blob(path, content)?;
        if self.sink.sums() {
            lock(&self.sums).add(path, &sum, false);
        }
        Ok(())
    }

    /// Sets the bytes that [`TreeReader::part`] returns in the proof of the whole file: those that the part was
    /// compared with.
    pub fn proved(&self, path: &str, bytes: Blob) {
        if self.proof {
            lock(&self.kept).insert(path.to_owned(), KeptPart::Blob(bytes));
        }
    }

    /// The relative path from a document to its schema; `None` for RON.
    fn schema_address<T: Document>(&self, path: &str) -> Option<String> {
        if self.form != Form::Document(Style::Json) {
            return None;
        }
        lock(&self.schemas).entry(T::KIND).or_insert(T::SCHEMA);
        Some(format!("{}.refit/{}.schema.json", "../".repeat(path.matches('/').count()), T::KIND))
    }

    fn put_text<T: Document>(&self, path: &str, text: String) -> Result<()> {
        self.sink.document(path, T::KIND);
        let text = match self.schema_address::<T>(path) {
            Some(address) => text::with_schema(text, &address),
            None => text,
        };
        self.put(path, text.as_bytes(), true)
    }

    fn put_pieces<T: Document>(&self, path: &str, doc: &T) -> Result<()> {
        self.sink.document(path, T::KIND);
        // The path of the schema belongs at the start of the text, which is in the first piece.
        let mut address = self.schema_address::<T>(path);
        let mut write = |out: &mut dyn FnMut(&[u8]) -> Result<()>| {
            doc.pieces(self.style(), &mut |piece| match address.take() {
                Some(address) => out(text::with_schema(piece.to_owned(), &address).as_bytes()),
                None => out(piece.as_bytes()),
            })
        };
        let sum = self.sink.put_pieces(path, &mut write)?;
        if self.sink.sums() {
            lock(&self.sums).add(path, &sum, true);
        }
        Ok(())
    }

    /// Writes a plain file.
    pub fn file(&self, path: &str, bytes: &Bytes) -> Result<()> {
        self.blob(path, &bytes.into())
    }

    /// Writes a text file for which line endings do not matter.
    pub fn text(&self, path: &str, text: String) -> Result<()> {
        let bytes = Bytes::from(text);
        self.proved(path, Blob::Memory(bytes.clone()));
        self.put(path, &bytes, true)
    }

    /// Writes a plain file that need not be in memory.
    pub fn blob(&self, path: &str, blob: &Blob) -> Result<()> {
        self.part_file(path, blob, Some(blob.clone()))
    }

    /// Writes the manifest of an archive: `document` without its rows, then the rows one by one. Each row is built more
    /// than once.
    ///
    /// Archives have hundreds of thousands of members, so keeping a path and content for each would take many times the
    /// size of the archive. For the proof, `contents` finds parts that were written without their
    /// [proved](TreeWriter::part) bytes.
    pub fn rows<T: Rows>(
        &self,
        mut document: T,
        count: usize,
        row: impl Fn(usize) -> Result<T::Row> + Send + 'static,
        contents: ByRow,
    ) -> Result<()> {
        if self.proof {
            *lock(&self.by_row) = Some(contents);
        }
        if count < 2 * text::ROWS {
            *document.rows() = (0..count).map(row).collect::<Result<_>>()?;
            return self.manifest(&document);
        }
        let style = self.style();
        let path = format!("refit{}", self.ext());
        let some = |from: usize| (from..end_of_rows(from, count)).map(&row).collect::<Result<Vec<T::Row>>>();
        let first = some(0)?;
        let many = first.len();
        let (before, behind) = text::around_rows(document, first, style).map_err(|e| e.in_file(path.clone()))?;
        let whole = format!("{before}{behind}");
        let mut address = self.schema_address::<T>(&path);
        // The checksum is that of the first writing. Later ones, for the proof, do not count.
        let mut wrote = None;
        let mut write = |out: &mut dyn FnMut(&[u8]) -> Result<()>| {
            match address.take() {
                Some(address) => out(text::with_schema(before.clone(), &address).as_bytes())?,
                None => out(before.as_bytes())?,
            }
            let mut sum = crate::Sha256::default();
            let mut at = many;
            while at < count {
                let rows = some(at)?;
                at += rows.len();
                let rows = text::rows_text::<T>(&rows, style)?;
                sum.update(rows.as_bytes());
                out(b",\n")?;
                out(rows.as_bytes())?;
            }
            wrote = Some(sum.hex());
            out(behind.as_bytes())
        };
        self.sink.document(&path, T::KIND);
        let sum = self.sink.put_pieces(&path, &mut write)?;
        if self.sink.sums() {
            lock(&self.sums).add(&path, &sum, true);
        }
        if self.proof {
            let mut back = T::from_text(&whole, style).map_err(|e| e.in_file(path.clone()))?;
            let mut first = Some(std::mem::take(back.rows()));
            let mut at = many;
            let mut sum = crate::Sha256::default();
            let next = move || {
                if let Some(first) = first.take() {
                    return Some(Ok(first));
                }
                if at >= count {
                    let proved = std::mem::take(&mut sum).hex();
                    let other = wrote.take().is_some_and(|wrote| wrote != proved);
                    return other.then(|| Err(Error::say("internal error: the manifest says other rows than those that were proved")));
                }
                let (from, to) = (at, end_of_rows(at, count));
                at = to;
                let text = || {
                    let rows = (from..to).map(&row).collect::<Result<Vec<T::Row>>>()?;
                    text::rows_text::<T>(&rows, style)
                };
                Some(text().and_then(|text| {
                    sum.update(text.as_bytes());
                    text::from_text(&format!("[{text}]"), style)
                }))
            };
            let kept: (T, SomeRows<T::Row>) = (back, Box::new(next));
            lock(&self.kept).insert(path, KeptPart::Rows(Box::new(kept)));
        }
        Ok(())
    }

    /// Writes a file into the tree's `.refit` folder: it helps to read the tree but is not part of it.
    pub fn beside(&self, name: &str, text: impl FnOnce() -> String) -> Result<()> {
        if self.sink.keeps() { self.sink.put(&format!(".refit/{name}"), text().as_bytes()) } else { Ok(()) }
    }

    /// Writes the manifest.
    pub fn manifest<T: Document>(&self, manifest: &T) -> Result<()> {
        self.doc("refit", manifest).map(|_| ())
    }

    /// Records that a member stays raw, and why.
    pub(crate) fn keep_raw(&self, member: &str, why: impl Into<String>) {
        lock(&self.raw).push((member.to_owned(), why.into()));
    }

    /// The members that stayed raw with the reasons, sorted by name.
    pub fn raw_members(&self) -> Vec<(String, String)> {
        let mut raw = lock(&self.raw).clone();
        raw.sort();
        raw
    }

    /// Finishes the tree: writes checksums and schemas into `.refit`, and the attributes for git.
    pub fn finish(&self) -> Result<()> {
        let (path, text) = sums::GIT_ATTRIBUTES;
        self.put(path, text.as_bytes(), true)?;
        let sums = std::mem::take(&mut *lock(&self.sums));
        sums.put(self.sink)?;
        if self.sink.keeps() {
            for (kind, schema) in lock(&self.schemas).iter() {
                self.sink.put(&format!(".refit/{kind}.schema.json"), &on_one_line(kind, *schema)?)?;
            }
        }
        Ok(())
    }

    /// A reader of the values that were read back. Requires `proof`.
    pub(crate) fn into_reader(self) -> TreeReader<'static> {
        let style = self.style();
        TreeReader { head: self.head, style, from: From::Proof(self.kept), by_row: self.by_row, manifest: Mutex::default() }
    }
}

/// The reader through which formats read trees.
pub struct TreeReader<'a> {
    /// The first fields of the manifest.
    pub head: Head,
    /// The style of the tree.
    pub style: Style,
    from: From<'a>,
    by_row: Mutex<Option<ByRow>>,
    /// The manifest when its rows were first read; later reads must find the same.
    manifest: Mutex<Option<Blob>>,
}

enum From<'a> {
    Source(&'a dyn Source),
    Proof(Mutex<HashMap<String, KeptPart>>),
}

impl<'a> TreeReader<'a> {
    /// A reader of the tree in `source`.
    pub fn new(source: &'a dyn Source) -> Result<Self> {
        let (style, head) = super::read_head(source)?;
        Ok(TreeReader { head, style, from: From::Source(source), by_row: Mutex::default(), manifest: Mutex::default() })
    }

    /// Reads a document. `path` may omit the extension of the tree's style.
    pub fn doc<T: Document>(&self, path: &str) -> Result<T> {
        let (path, style) = match Style::of(path) {
            Some(style) => (path.to_owned(), style),
            None => (format!("{path}.{}", self.style.ext()), self.style),
        };
        match &self.from {
            From::Source(source) => read_doc(*source, &path, style),
            From::Proof(kept) => match lock(kept).remove(&path) {
                Some(KeptPart::Document(doc)) => {
                    doc.downcast().map(|doc| *doc).map_err(|_| Error::say("a document of another type").in_file(path))
                }
                _ => Err(missing(&path)),
            },
        }
    }

    /// Reads a part of the file with `read`. In the proof of the whole file, the part has already been read and proved:
    /// passes its bytes to `proved` instead.
    pub fn part<T>(&self, path: &str, proved: impl FnOnce(Bytes) -> Result<T>, read: impl FnOnce() -> Result<T>) -> Result<T> {
        match &self.from {
            From::Source(_) => read(),
            From::Proof(_) => proved(self.file(path)?),
        }
    }

    /// [`TreeReader::part`] for a document: `encode` turns it into bytes.
    pub fn member<T: Document>(&self, path: &str, encode: impl FnOnce(T) -> Result<Vec<u8>>) -> Result<Bytes> {
        self.part(path, Ok, || encode(self.doc(path)?).map(Bytes::from).map_err(|e| e.in_file(path)))
    }

    /// Reads a plain file.
    pub fn file(&self, path: &str) -> Result<Bytes> {
        match &self.from {
            From::Source(source) => source.get(path),
            From::Proof(_) => self.blob(path)?.bytes(),
        }
    }

    /// A plain file that need not be in memory.
    pub fn blob(&self, path: &str) -> Result<Blob> {
        match &self.from {
            From::Source(source) => source.blob(path),
            From::Proof(kept) => match lock(kept).get(path) {
                Some(KeptPart::Blob(blob)) => Ok(blob.clone()),
                _ => Err(missing(path)),
            },
        }
    }

    /// Reads a UTF-8 text file.
    pub fn text(&self, path: &str) -> Result<String> {
        utf8(&self.file(path)?).map(str::to_owned).map_err(|e| e.in_file(path))
    }

    /// True if the tree has this file.
    pub fn has(&self, path: &str) -> bool {
        match &self.from {
            From::Source(source) => source.has(path),
            From::Proof(kept) => lock(kept).contains_key(path),
        }
    }

    /// All paths, sorted.
    pub fn paths(&self) -> Vec<String> {
        match &self.from {
            From::Source(source) => source.paths(),
            From::Proof(kept) => {
                let mut paths: Vec<String> = lock(kept).keys().cloned().collect();
                paths.sort();
                paths
            }
        }
    }

    /// See [`Source::below`].
    pub fn below(&self, folder: &str) -> Result<Vec<String>> {
        let mut paths = Vec::new();
        self.each_below(folder, &mut |path| paths.push(path))?;
        paths.sort();
        Ok(paths)
    }

    /// See [`Source::each_below`].
    pub(crate) fn each_below(&self, folder: &str, see: &mut dyn FnMut(String)) -> Result<()> {
        match &self.from {
            From::Source(source) => source.each_below(folder, see),
            From::Proof(_) => {
                only_below(self.paths(), folder).into_iter().for_each(see);
                Ok(())
            }
        }
    }

    /// See [`Source::later`].
    pub fn later(&self) -> Option<Later> {
        match &self.from {
            From::Source(source) => source.later(),
            From::Proof(_) => None,
        }
    }

    /// See [`Source::strict`].
    pub fn strict(&self) -> bool {
        match &self.from {
            From::Source(source) => source.strict(),
            From::Proof(_) => true,
        }
    }

    /// Reads the manifest of an archive: the document without its rows, and the rows in portions.
    pub fn rows<T: Rows>(&self) -> Result<(T, SomeRows<T::Row>)> {
        let path = manifest_path(self.style);
        let other = || Error::say("a document of another type").in_file(path.clone());
        match &self.from {
            From::Source(source) => {
                let mut manifest = lock(&self.manifest);
                let file = match &*manifest {
                    Some(file) => file.clone(),
                    None => manifest.insert(source.blob(&path)?).clone(),
                };
                drop(manifest);
                let (document, mut rows) = text::read_rows::<T>(file, self.style).map_err(|e| e.in_file(path.clone()))?;
                Ok((document, Box::new(move || rows().map(|rows| rows.map_err(|e| e.in_file(path.clone()))))))
            }
            From::Proof(kept) => match lock(kept).remove(&path) {
                Some(KeptPart::Rows(kept)) => kept.downcast().map(|kept| *kept).map_err(|_| other()),
                Some(KeptPart::Document(document)) => {
                    let mut document: T = *document.downcast().map_err(|_| other())?;
                    let mut rows = Some(std::mem::take(document.rows()));
                    Ok((document, Box::new(move || rows.take().map(Ok))))
                }
                _ => Err(missing(&path)),
            },
        }
    }

    /// Removes and returns the function that finds parts of an archive in a proof (see [`TreeWriter::rows`]).
    pub(crate) fn take_by_row(&self) -> Option<ByRow> {
        lock(&self.by_row).take()
    }

    /// Reads the manifest.
    pub fn manifest<T: Document>(&self) -> Result<T> {
        self.doc(&manifest_path(self.style))
    }
}

/// The end of the portion of rows that starts at `from`, of `count` rows.
fn end_of_rows(from: usize, count: usize) -> usize {
    let most = (from + text::ROWS).min(count);
    if count - most < text::FEWEST { count } else { most }
}

fn read_doc<T: Document>(source: &dyn Source, path: &str, style: Style) -> Result<T> {
    match T::STREAMED {
        true => T::from_blob(&source.blob(path)?, style),
        false => text::of_bytes(&source.get(path)?, style),
    }
    .map_err(|e| e.in_file(path))
}
