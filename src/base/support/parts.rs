//! Files whose members are documents of several types: each kind of part says how many a file has,
//! and how a part is read and replaced. `list`, `get` and `put` follow.

use crate::{
    contract::{ManifestLine, Member, Members, no_member, no_new_member},
    tree::{AnyDocument, Document, Form, Style, UniquePaths, text::of_bytes},
    wire::{Error, ErrorKind, Result},
};
use bytes::Bytes;

/// A kind of part of a file `F`. Positions count the parts of this kind only.
pub trait PartKind<F>: Sync {
    /// The document of a part.
    type Doc: Document;
    /// How many a file has.
    fn count(&self, file: &F) -> usize;
    /// Their rows of `list`.
    fn rows(&self, file: &F) -> Vec<Member>;
    /// A part as a document.
    fn document(&self, file: &F, at: usize) -> Result<Self::Doc>;
    /// Replaces a part.
    fn set(&self, file: &mut F, at: usize, document: &Self::Doc) -> Result<()>;
    /// The bytes of a part, if they are one range of the file.
    fn bytes(&self, _file: &F, _at: usize) -> Result<Bytes> {
        Err(scattered())
    }
    /// Replaces the bytes of a part. Returns an error unless they can be read.
    fn set_bytes(&self, _file: &mut F, _at: usize, _bytes: &[u8]) -> Result<()> {
        Err(scattered())
    }
}

/// A list of documents in a manifest: all parts of a kind, in one folder of the tree.
#[derive(Clone, Copy)]
pub struct PartList {
    /// Its key, also in the paths of findings.
    pub key: &'static str,
    /// The folder.
    pub folder: &'static str,
    /// The number of the first part in paths.
    pub first: usize,
}

impl PartList {
    /// Unique, safe paths for parts with these names, without extensions.
    pub fn stems(&self, names: impl Iterator<Item = String>) -> Vec<String> {
        let mut paths = UniquePaths::new();
        let flat = |name: String| name.replace(['/', '\\'], "_");
        names
            .map(|name| paths.assign(&format!("{}/{}", self.folder, flat(name)), ""))
            .collect()
    }

    /// [`Codec::places`](crate::contract::Codec::places) for the files of the list.
    pub fn places(self, files: Vec<String>) -> impl Iterator<Item = (String, String)> {
        let place = move |(i, file)| (format!("{}[{i}]", self.key), file);
        (self.first..).zip(files).map(place)
    }

    /// [`Codec::line_for`](crate::contract::Codec::line_for) for a file in the folder.
    pub fn line_for(&self, path: &str) -> Option<ManifestLine> {
        path.strip_prefix(self.folder)?.strip_prefix('/')?;
        Some(ManifestLine {
            list: self.key,
            fields: vec![("", path.to_owned())],
        })
    }
}

/// The error of `get` and `put` for a member that is not one range of bytes in the file.
#[cold]
pub fn scattered() -> Error {
    Error::say("this member has no bytes of its own in the file")
        .hint("get it as JSON or RON")
        .of_kind(ErrorKind::NoMember)
}

/// [`PartKind`] without its document type.
pub trait AnyPart<F>: Sync {
    /// [`PartKind::count`].
    fn count(&self, file: &F) -> usize;
    /// [`PartKind::rows`].
    fn rows(&self, file: &F) -> Vec<Member>;
    /// [`PartKind::document`].
    fn document(&self, file: &F, at: usize) -> Result<Box<dyn AnyDocument>>;
    /// [`PartKind::set`].
    fn set(&self, file: &mut F, at: usize, document: &dyn AnyDocument) -> Result<()>;
    /// [`PartKind::set`] with the text of a document.
    fn set_text(&self, file: &mut F, at: usize, text: &[u8], style: Style) -> Result<()>;
    /// [`PartKind::bytes`].
    fn bytes(&self, file: &F, at: usize) -> Result<Bytes>;
    /// [`PartKind::set_bytes`].
    fn set_bytes(&self, file: &mut F, at: usize, bytes: &[u8]) -> Result<()>;
}

impl<F, K: PartKind<F>> AnyPart<F> for K {
    fn count(&self, file: &F) -> usize {
        PartKind::count(self, file)
    }
    fn rows(&self, file: &F) -> Vec<Member> {
        PartKind::rows(self, file)
    }
    fn document(&self, file: &F, at: usize) -> Result<Box<dyn AnyDocument>> {
        Ok(Box::new(PartKind::document(self, file, at)?))
    }
    fn set(&self, file: &mut F, at: usize, document: &dyn AnyDocument) -> Result<()> {
        PartKind::set(self, file, at, document.of()?)
    }
    fn set_text(&self, file: &mut F, at: usize, text: &[u8], style: Style) -> Result<()> {
        PartKind::set(self, file, at, &of_bytes(text, style)?)
    }
    fn bytes(&self, file: &F, at: usize) -> Result<Bytes> {
        PartKind::bytes(self, file, at)
    }
    fn set_bytes(&self, file: &mut F, at: usize, bytes: &[u8]) -> Result<()> {
        PartKind::set_bytes(self, file, at, bytes)
    }
}

/// A file of parts. Its members are the parts of all kinds, one kind after the other.
pub trait Parts: Sized + 'static {
    /// The kinds, in the order of `list`.
    const KINDS: &'static [&'static dyn AnyPart<Self>];

    /// [`Members::add_member`].
    fn add_part(&mut self, _name: &str, _bytes: &[u8], _form: Form) -> Result<usize> {
        Err(no_new_member())
    }
}

/// The kind of a member, and its position among the parts of this kind.
fn find<F: Parts>(file: &F, index: usize) -> Result<(&'static dyn AnyPart<F>, usize)> {
    let mut at = index;
    for kind in F::KINDS {
        let count = kind.count(file);
        if at < count {
            return Ok((*kind, at));
        }
        at -= count;
    }
    Err(no_member(index))
}

impl<F: Parts> Members for F {
    fn members(&self) -> Vec<Member> {
        F::KINDS.iter().flat_map(|kind| kind.rows(self)).collect()
    }
    fn document(&self, index: usize) -> Result<Box<dyn AnyDocument>> {
        let (kind, at) = find(self, index)?;
        kind.document(self, at)
    }
    fn put_document(&mut self, index: usize, document: &dyn AnyDocument) -> Result<()> {
        let (kind, at) = find(self, index)?;
        kind.set(self, at, document)
    }
    fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        let (kind, at) = find(self, index)?;
        match form {
            Form::Document(style) => Ok(kind.document(self, at)?.text(style)?.into()),
            Form::Stored => kind.bytes(self, at),
        }
    }
    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        let (kind, at) = find(self, index)?;
        match form {
            Form::Document(style) => kind.set_text(self, at, bytes, style),
            Form::Stored => kind.set_bytes(self, at, bytes),
        }
    }
    fn add_member(&mut self, name: &str, bytes: &[u8], form: Form) -> Result<usize> {
        self.add_part(name, bytes, form)
    }
}
