//! Trees in memory, their writer and reader, and the proof that a text has the same content as the
//! original.

use super::{
    Blob, Document, Form, Head, Options, Sink, Source, Style, manifest_path,
    proof::RoundTrip,
    source::only_below,
    sums::{self, FileSum},
    text,
};
use crate::wire::{Cause, Error, Items, Result, Within, utf8_text};
use bytes::Bytes;
use serde::Serialize;
use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Mutex,
};

/// A schema on one line, as trees store it for programs. Cached, because the trees of a whole game
/// share a few schemas.
fn on_one_line(kind: &'static str, schema: super::Packed) -> Result<Bytes> {
    static MADE: Mutex<BTreeMap<&'static str, Bytes>> = Mutex::new(BTreeMap::new());
    let mut made = lock(&MADE);
    if let Some(line) = made.get(kind) {
        return Ok(line.clone());
    }
    let schema: serde_json::Value =
        serde_json::from_str(&schema.text()).map_err(|e| Error::say(e.to_string()))?;
    let line = Bytes::from(schema.to_string());
    made.insert(kind, line.clone());
    Ok(line)
}

/// The kind for the text of a config in [`Sink::document`]; it has no schema.
pub const CONFIG: &str = "config";

/// A tree in memory.
#[derive(Default)]
pub struct Folder(Mutex<BTreeMap<String, Bytes>>);

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
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
        self.get(path)
            .ok()
            .and_then(|b| String::from_utf8(b.to_vec()).ok())
            .unwrap_or_default()
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
        lock(&self.0)
            .get(path)
            .cloned()
            .ok_or_else(|| missing(path))
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
/// With `proof`, each document is read back from its text at once. `TreeWriter::into_reader`
/// returns these values, so writing a file from them proves the whole round trip with only one text
/// in memory at a time.
pub struct TreeWriter<'a> {
    sink: &'a dyn Sink,
    /// The style of the documents; [`Form::Stored`] if only bytes are proved and no text is made.
    pub form: Form,
    /// The first fields of the manifest.
    pub head: Head,
    /// The user's choices.
    pub options: Options,
    proof: bool,
    written: Mutex<Written>,
    documents: Documents,
    /// The text of the manifest, in a proof.
    manifest: Mutex<String>,
    schemas: Mutex<BTreeMap<&'static str, super::Packed>>,
    raw: Mutex<Vec<(String, String)>>,
    /// The files with private keys.
    secrets: Mutex<BTreeSet<String>>,
}

/// Documents as read back from their texts, by path.
type Documents = Mutex<HashMap<String, Box<dyn Any + Send>>>;

/// The files of a tree except documents that were read back.
#[derive(Default)]
struct Written {
    /// All paths in one text: an archive has hundreds of thousands, and separate strings would need
    /// more memory than its members.
    paths: String,
    /// The end of each path.
    ends: Vec<usize>,
    /// The index of a file's path, and its checksum.
    sums: Vec<(u32, FileSum)>,
    /// The index of a part's path, and its proved bytes.
    parts: Vec<(u32, Blob)>,
}

impl Written {
    fn add(&mut self, path: &str, sum: Option<FileSum>, part: Option<Blob>) {
        let number = self.ends.len() as u32;
        self.paths.push_str(path);
        self.ends.push(self.paths.len());
        self.sums.extend(sum.map(|sum| (number, sum)));
        self.parts.extend(part.map(|part| (number, part)));
    }

    fn path(&self, number: u32) -> &str {
        let end = |number: usize| self.ends.item(number);
        let from = (number as usize).checked_sub(1).map_or(0, end);
        self.paths.within(from..end(number as usize))
    }

    /// Takes the checksums, sorted by path.
    fn take_sums(&mut self) -> Vec<(u32, FileSum)> {
        let mut sums = std::mem::take(&mut self.sums);
        sums.sort_by_cached_key(|(number, _)| self.path(*number));
        sums
    }

    /// Sorts the parts by path, for [`Written::part`].
    fn sort_parts(&mut self) {
        let mut parts = std::mem::take(&mut self.parts);
        parts.sort_by_cached_key(|(number, _)| self.path(*number));
        self.parts = parts;
    }

    /// The proved bytes of a part. The parts must be sorted.
    fn part(&self, path: &str) -> Option<&Blob> {
        let found = self
            .parts
            .binary_search_by_key(&path, |(number, _)| self.path(*number))
            .ok()?;
        self.parts.get(found).map(|(_, part)| part)
    }
}

impl<'a> TreeWriter<'a> {
    /// A writer into `sink`.
    pub fn new(sink: &'a dyn Sink, form: Form, head: Head, proof: bool) -> Self {
        TreeWriter {
            sink,
            form,
            head,
            options: sink.options(),
            // Nothing is read back where no text is made.
            proof: proof && form != Form::Stored,
            written: Mutex::default(),
            documents: Mutex::default(),
            manifest: Mutex::default(),
            schemas: Mutex::default(),
            raw: Mutex::default(),
            secrets: Mutex::default(),
        }
    }

    fn put(&self, path: &str, bytes: &[u8], text: bool, proved: Option<Blob>) -> Result<()> {
        self.sink.put(path, bytes)?;
        let sum = self.sink.sums().then(|| FileSum::new(bytes, text));
        self.note(path, sum, proved);
        Ok(())
    }

    /// Records a file: its checksum, and what the proof of the whole reads instead.
    fn note(&self, path: &str, sum: Option<FileSum>, proved: Option<Blob>) {
        let proved = proved.filter(|_| self.proof);
        if sum.is_some() || proved.is_some() {
            lock(&self.written).add(path, sum, proved);
        }
    }

    /// The style of the documents; the default if there are none.
    pub fn style(&self) -> Style {
        match self.form {
            Form::Stored => Style::default(),
            Form::Document(style) => style,
        }
    }

    /// True for a part that need not be written; see [`Sink::passes_over`].
    pub fn passes_over(&self, stem: &str) -> bool {
        !self.proof && self.form != Form::Stored && self.sink.passes_over(stem)
    }

    /// True if not all parts need be written; see [`Sink::passes_some_over`].
    pub fn passes_some_over(&self) -> bool {
        !self.proof && self.form != Form::Stored && self.sink.passes_some_over()
    }

    /// True if documents are read back and kept for the proof.
    pub fn proves(&self) -> bool {
        self.proof
    }

    /// True if a part must be shown to survive as its text or picture, or else stay raw: in a proof,
    /// and where only the bytes are proved, so that the verdict on a file is always the same.
    pub fn judges_parts(&self) -> bool {
        self.proof || self.form == Form::Stored
    }

    /// The extension of documents, with its dot.
    pub fn ext(&self) -> String {
        format!(".{}", self.style().ext())
    }

    /// Writes a document and returns its path. `stem` is the path without the extension.
    pub fn doc<T: Document>(&self, stem: &str, doc: &T) -> Result<String> {
        let path = format!("{stem}{}", self.ext());
        let text = doc
            .to_text(self.style())
            .map_err(|e| e.in_file(path.clone()))?;
        if self.proof {
            let back = T::from_text(&text, self.style()).map_err(|e| e.in_file(path.clone()))?;
            lock(&self.documents).insert(path.clone(), Box::new(back));
        }
        self.put_text::<T>(&path, text, None)?;
        Ok(path)
    }

    /// Writes the manifest, which can be as large as the table of an archive. Therefore a proof
    /// keeps its text, and reads it when the model of the file is gone.
    pub fn manifest<T: Document + Serialize>(&self, manifest: T) -> Result<()> {
        let path = manifest_path(self.style());
        let line = text::to_line(&manifest, self.style()).map_err(|e| e.in_file(path.clone()))?;
        drop(manifest);
        let text = line.lay_out(false);
        let text = self.put_text::<T>(&path, text, None)?;
        if self.proof {
            *lock(&self.manifest) = text;
        }
        Ok(())
    }

    /// Writes the text of a part that has already been proved (see `proof`). In the proof of the
    /// whole file, [`TreeReader::part`] returns `proved`, the bytes that the part was compared
    /// with.
    pub fn part<T: Document>(
        &self,
        path: &str,
        text: String,
        proved: impl Into<Blob>,
    ) -> Result<()> {
        self.put_text::<T>(path, text, Some(proved.into()))
            .map(drop)
    }

    /// Proves a part and writes it: `write` gets the path of its document and the text. If the part
    /// does not survive the round trip, its bytes are written, and the reason is noted. Returns the
    /// path; empty if only bytes are checked.
    pub fn prove_part<P: RoundTrip>(
        &self,
        stem: impl Fn() -> String,
        mut part: P,
        write: impl FnOnce(&str, P::Text) -> Result<()>,
        bytes: impl FnOnce() -> Bytes,
    ) -> Result<String> {
        let path = || format!("{}{}", stem(), self.ext());
        // Names are made only for a tree.
        if self.form != Form::Stored && self.passes_over(&stem()) {
            let is_raw = self.sink.judges_passed_over() && part.prove(Form::Stored, false).is_err();
            return Ok(if is_raw {
                format!("{}.bin", stem())
            } else {
                path()
            });
        }
        let done = part
            .prove(self.form, self.proof)
            .and_then(|text| match text {
                None => Ok(String::new()),
                Some(text) => {
                    let path = path();
                    write(&path, text).map(|()| path)
                }
            });
        done.or_else(|why| {
            if matches!(why.what(), Cause::Io(_)) {
                return Err(why);
            }
            let stem = stem();
            self.keep_raw(&stem, why.to_string());
            let path = format!("{stem}.bin");
            self.file(&path, &bytes()).map(|()| path)
        })
    }

    /// [`TreeWriter::part`] for a plain file: a picture, unpacked content, or the stored payload of
    /// a member. Neither blob needs to be in memory.
    pub fn part_file(&self, path: &str, content: &Blob, proved: impl Into<Blob>) -> Result<()> {
        let sum = self.sink.put_blob(path, content)?;
        // A tree is made for git, which would publish a private key.
        if self.sink.keeps() && crate::secret::is_in(path, content)? {
            self.secret(path);
        }
        let sum = sum.filter(|_| self.sink.sums());
        self.note(path, sum, Some(proved.into()));
        Ok(())
    }

    /// Tells git to leave out a file, because it is a private key, packed or not.
    pub fn secret(&self, path: &str) {
        lock(&self.secrets).insert(path.to_owned());
    }

    /// [`TreeWriter::part`] for the text of a config, for which line endings do not matter.
    pub fn config(&self, path: &str, text: &[u8], proved: impl Into<Blob>) -> Result<()> {
        self.sink.document(path, CONFIG);
        self.put(path, text, true, Some(proved.into()))
    }

    /// Sets the bytes that [`TreeReader::part`] returns in the proof of the whole file: those that
    /// the part was compared with.
    pub fn proved(&self, path: &str, bytes: Blob) {
        self.note(path, None, Some(bytes));
    }

    /// The relative path from a document to its schema; `None` for RON.
    fn schema_address<T: Document>(&self, path: &str) -> Option<String> {
        if self.form != Form::Document(Style::Json) {
            return None;
        }
        lock(&self.schemas).entry(T::KIND).or_insert(T::SCHEMA);
        Some(format!(
            "{}.refit/{}.schema.json",
            "../".repeat(path.matches('/').count()),
            T::KIND
        ))
    }

    fn put_text<T: Document>(
        &self,
        path: &str,
        text: String,
        proved: Option<Blob>,
    ) -> Result<String> {
        self.sink.document(path, T::KIND);
        let text = match self.schema_address::<T>(path) {
            Some(address) => text::with_schema(text, &address),
            None => text,
        };
        self.put(path, text.as_bytes(), true, proved)?;
        Ok(text)
    }

    /// Writes a plain file.
    pub fn file(&self, path: &str, bytes: &Bytes) -> Result<()> {
        self.blob(path, &bytes.into())
    }

    /// Writes a text file for which line endings do not matter.
    pub fn text(&self, path: &str, text: String) -> Result<()> {
        let bytes = Bytes::from(text);
        self.put(path, &bytes, true, Some((&bytes).into()))
    }

    /// Writes a plain file that need not be in memory.
    pub fn blob(&self, path: &str, blob: &Blob) -> Result<()> {
        self.part_file(path, blob, blob)
    }

    /// Writes a file into the tree's `.refit` folder: it helps to read the tree but is not part of
    /// it.
    pub fn beside(&self, name: &str, text: impl FnOnce() -> String) -> Result<()> {
        if self.sink.keeps() {
            self.sink.put(&format!(".refit/{name}"), text().as_bytes())
        } else {
            Ok(())
        }
    }

    /// Records that a member stays raw, and why.
    pub fn keep_raw(&self, member: &str, why: impl Into<String>) {
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
        self.put(path, text.as_bytes(), true, None)?;
        let secrets = std::mem::take(&mut *lock(&self.secrets));
        if !secrets.is_empty() {
            let text = crate::secret::git_ignore(&secrets);
            self.put(sums::GIT_IGNORE, text.as_bytes(), true, None)?;
        }
        let sums = lock(&self.written).take_sums();
        let written = lock(&self.written);
        sums::put(
            sums.iter()
                .map(|(number, sum)| (written.path(*number), sum)),
            self.sink,
        )?;
        drop(written);
        if self.sink.sums() {
            for (kind, schema) in lock(&self.schemas).iter() {
                self.sink.put(
                    &format!(".refit/{kind}.schema.json"),
                    &on_one_line(kind, *schema)?,
                )?;
            }
        }
        Ok(())
    }

    /// A reader of the values that were read back. Requires `proof`.
    pub fn into_reader(self) -> TreeReader<'static> {
        let style = self.style();
        let mut written = self
            .written
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        written.sort_parts();
        TreeReader {
            head: self.head,
            style,
            from: From::Proof(Proof {
                written,
                documents: self.documents,
                manifest: self.manifest,
            }),
        }
    }
}

/// The reader through which formats read trees.
pub struct TreeReader<'a> {
    /// The first fields of the manifest.
    pub head: Head,
    /// The style of the tree.
    pub style: Style,
    from: From<'a>,
}

enum From<'a> {
    Source(&'a dyn Source),
    Proof(Proof),
}

/// The inputs for the proof of a whole file.
struct Proof {
    written: Written,
    documents: Documents,
    manifest: Mutex<String>,
}

impl<'a> TreeReader<'a> {
    /// A reader of the tree in `source`.
    pub fn new(source: &'a dyn Source) -> Result<Self> {
        let (style, head) = super::read_head(source)?;
        Ok(TreeReader {
            head,
            style,
            from: From::Source(source),
        })
    }

    /// True in the proof of the whole file.
    pub fn is_proof(&self) -> bool {
        matches!(self.from, From::Proof(..))
    }

    /// Reads a document. `path` may omit the extension of the tree's style.
    pub fn doc<T: Document>(&self, path: &str) -> Result<T> {
        let (path, style) = match Style::of(path) {
            Some(style) => (path.to_owned(), style),
            None => (format!("{path}.{}", self.style.ext()), self.style),
        };
        match &self.from {
            From::Source(source) => read_doc(*source, &path, style),
            From::Proof(proof) => match lock(&proof.documents).remove(&path) {
                Some(doc) => doc
                    .downcast()
                    .map(|doc| *doc)
                    .map_err(|_| Error::say("a document of another type").in_file(path)),
                None => Err(missing(&path)),
            },
        }
    }

    /// Reads a part of the file with `read`. In the proof of the whole file, the part has already
    /// been read and proved: passes its bytes to `proved` instead.
    pub fn part<T>(
        &self,
        path: &str,
        proved: impl FnOnce(Blob) -> Result<T>,
        read: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        match &self.from {
            From::Source(_) => read(),
            From::Proof(..) => proved(self.blob(path)?),
        }
    }

    /// [`TreeReader::part`] for a document: `encode` turns it into bytes.
    pub fn member<T: Document>(
        &self,
        path: &str,
        encode: impl FnOnce(T) -> Result<Vec<u8>>,
    ) -> Result<Blob> {
        match &self.from {
            From::Source(_) => encode(self.doc(path)?)
                // Without the room for more: a file has many members.
                .map(|bytes| Bytes::from(bytes.into_boxed_slice()).into())
                .map_err(|e| e.in_file(path)),
            From::Proof(..) => self.blob(path),
        }
    }

    /// Reads a plain file.
    pub fn file(&self, path: &str) -> Result<Bytes> {
        match &self.from {
            From::Source(source) => source.get(path),
            From::Proof(..) => self.blob(path)?.bytes(),
        }
    }

    /// A plain file that need not be in memory.
    pub fn blob(&self, path: &str) -> Result<Blob> {
        match &self.from {
            From::Source(source) => source.blob(path),
            From::Proof(proof) => proof
                .written
                .part(path)
                .cloned()
                .ok_or_else(|| missing(path)),
        }
    }

    /// Reads a UTF-8 text file.
    pub fn text(&self, path: &str) -> Result<String> {
        utf8_text(self.file(path)?.into()).map_err(|e| e.in_file(path))
    }

    /// True if the tree has this file.
    pub fn has(&self, path: &str) -> bool {
        match &self.from {
            From::Source(source) => source.has(path),
            From::Proof(proof) => {
                proof.written.part(path).is_some() || lock(&proof.documents).contains_key(path)
            }
        }
    }

    /// All paths, sorted.
    pub fn paths(&self) -> Vec<String> {
        match &self.from {
            From::Source(source) => source.paths(),
            From::Proof(Proof {
                written, documents, ..
            }) => {
                let parts = written
                    .parts
                    .iter()
                    .map(|(number, _)| written.path(*number).to_owned());
                let mut paths: Vec<String> = lock(documents).keys().cloned().chain(parts).collect();
                paths.sort();
                paths
            }
        }
    }

    /// See [`Source::below`].
    pub fn below(&self, folder: &str) -> Result<Vec<String>> {
        match &self.from {
            From::Source(source) => source.below(folder),
            From::Proof(..) => Ok(only_below(self.paths(), folder)),
        }
    }

    /// See [`Source::strict`].
    pub fn strict(&self) -> bool {
        match &self.from {
            From::Source(source) => source.strict(),
            From::Proof(..) => true,
        }
    }

    /// Reads the manifest.
    pub fn manifest<T: Document>(&self) -> Result<T> {
        let path = manifest_path(self.style);
        match &self.from {
            From::Source(source) => read_doc(*source, &path, self.style),
            From::Proof(proof) => {
                T::from_text(&std::mem::take(&mut *lock(&proof.manifest)), self.style)
                    .map_err(|e| e.in_file(path))
            }
        }
    }
}

fn read_doc<T: Document>(source: &dyn Source, path: &str, style: Style) -> Result<T> {
    let bytes = source.get(path)?;
    utf8_text(bytes.into())
        .and_then(|text| text::of_file(text, style))
        .map_err(|e| e.in_file(path))
}
