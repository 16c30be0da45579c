//! What programs do with a file: read it, write it, take its members, show it.

use super::Hints;
use crate::file::File;
use bytes::Bytes;
use refit_base::{
    contract::Member,
    lint::Finding,
    tree::{Blob, Document, Folder, Form, Head, Origin, Source, Style, TreeWriter},
    wire::{Line, Result},
};

/// A member of a file: its position among [`File::members`]. It stays valid while members are
/// replaced, until members are added or removed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MemberId(usize);

impl MemberId {
    /// The member at a position, counted from 0.
    pub fn new(index: usize) -> Self {
        MemberId(index)
    }

    /// Its position, counted from 0.
    pub fn index(self) -> usize {
        self.0
    }
}

impl File {
    /// Reads a file. The name helps if the bytes leave the format or the game open; it may be
    /// empty.
    pub fn read(bytes: impl Into<Bytes>, name: &str) -> Result<Self> {
        Self::read_as(bytes, name, Hints::default())
    }

    /// [`File::read`] with more information about the file.
    pub fn read_as(bytes: impl Into<Bytes>, name: &str, hints: Hints) -> Result<Self> {
        Ok(super::open(&bytes.into(), name, hints)?.model)
    }

    /// Reads a tree: a [`Folder`] in memory, or a folder on disk.
    pub fn from_tree(tree: &dyn Source) -> Result<Self> {
        Ok(super::assemble(tree)?.1)
    }

    /// Unpacks the current content of the file as `refit unpack` does, including the round-trip
    /// check of every document. `name` is the name of the file.
    pub fn to_tree(&self, name: &str, style: Style) -> Result<Folder> {
        let folder = Folder::new();
        let origin = Origin {
            file: super::file_name(name),
            ..Origin::default()
        };
        let tree = TreeWriter::new(
            &folder,
            Form::Document(style),
            Head::new(self.game(), self.format(), origin),
            true,
        );
        self.model().unpack(&tree)?;
        tree.finish()?;
        drop(tree);
        Ok(folder)
    }

    /// Encodes the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        super::write(self.model(), &mut bytes)?;
        Ok(bytes)
    }

    /// Runs the lints. Returns an error if a part that was left on disk cannot be read.
    pub fn lint(&self) -> Result<Vec<Finding>> {
        super::lint(self.model())
    }

    /// The meaning of every byte of the current file: each byte once, in order.
    pub fn explain(&self) -> Result<Vec<Line>> {
        explain(
            self.to_bytes()?,
            "",
            Hints {
                game: self.game(),
                format: Some(self.format()),
            },
        )
    }

    /// The members, in the order of the file. Returns an error if the file is on disk and cannot be
    /// read.
    pub fn members(&self) -> Result<Vec<(MemberId, Member)>> {
        let members = self.model().all_members()?;
        Ok(members
            .into_iter()
            .enumerate()
            .map(|(index, member)| (MemberId(index), member))
            .collect())
    }

    /// The member with this name, ignoring case, or at this position, written `#12`.
    pub fn member(&self, name: &str) -> Result<MemberId> {
        super::find_member(self.model(), name).map(MemberId)
    }

    /// The bytes of a member, as stored or as in a tree.
    pub fn get(&self, id: MemberId, form: Form) -> Result<Bytes> {
        self.model().get(id.0, form)
    }

    /// Replaces a member with bytes in a form.
    pub fn put(&mut self, id: MemberId, bytes: &[u8], form: Form) -> Result<()> {
        self.model_mut().put(id.0, bytes, form)
    }

    /// A member as a document: a [`ReaderDoc`](refit_zipper::reader::ReaderDoc), a
    /// [`Motion`](refit_zipper::motion::Motion), a
    /// [`Definition`](refit_zipper::anim::Definition), a
    /// [`Model`](refit_zipper::gamez::models::Model), …
    pub fn document<T: Document>(&self, id: MemberId) -> Result<T> {
        self.model().document(id.0)?.into()
    }

    /// Replaces a member with a document of its type.
    pub fn put_document<T: Document>(&mut self, id: MemberId, document: &T) -> Result<()> {
        self.model_mut().put_document(id.0, document)
    }
}

/// The meaning of every byte of a file: each byte once, in order. If reading fails, the error gives
/// the reason.
pub fn explain(bytes: impl Into<Bytes>, name: &str, hints: Hints) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let mut out = |line: Line| {
        lines.push(line);
        Ok(())
    };
    match super::explain(
        &Blob::Memory(bytes.into()),
        name,
        hints,
        0..u64::MAX,
        &mut out,
    )?
    .fault
    {
        Some(fault) => Err(fault),
        None => Ok(lines),
    }
}
