//! Typed members of archives: one document each, verified one by one, and stored raw if the check
//! fails.

use crate::{
    contract::Context,
    game::Game,
    lint::{Code, Lints, RAW_MEMBER},
    tree::{
        AnyDocument, Blob, Document, Form, Style, TreeReader, TreeWriter,
        proof::{self, RoundTrip},
    },
    wire::{Error, Reader, Result},
};

/// A kind of archive with typed members.
pub trait Typed: Sync {
    /// The document in the tree.
    type Doc: Document;
    /// True if a damaged member makes the whole file malformed; otherwise it becomes a plain file
    /// in the tree.
    const STRICT: bool = false;
    /// The finding for a damaged member.
    const RAW: &Code = RAW_MEMBER;
    /// Reads a member; `None` for a plain file, an error for a damaged member.
    fn read(
        &self,
        name: &[u8],
        payload: Reader<'_>,
        context: &Context,
    ) -> Option<Result<Self::Doc>>;
    /// Encodes a member.
    fn write(&self, doc: &Self::Doc, context: &Context) -> Result<Vec<u8>>;
    /// True if the document encodes to these bytes.
    fn gives(&self, doc: &Self::Doc, payload: &[u8], context: &Context) -> Result<bool> {
        Ok(self.write(doc, context)? == payload)
    }
    /// Checks a member.
    fn lint(&self, doc: &Self::Doc, lints: &mut Lints);
    /// Checks how the engine reacts to a member with this name.
    fn lint_named(&self, _name: &[u8], _doc: &Self::Doc, _context: &Context, _lints: &mut Lints) {}
    /// Checks a member against its unedited form.
    fn lint_edit(&self, _doc: &Self::Doc, _before: &Self::Doc, _lints: &mut Lints) {}
    /// Checks name and size of any member, with or without a document.
    fn lint_member(&self, _name: &[u8], _payload: &[u8], _context: &Context, _lints: &mut Lints) {}
    /// Kind and details for `list`.
    fn describe(&self, doc: &Self::Doc) -> (crate::contract::Kind, String);
}

/// [`Typed`] without its document type, for use in an archive.
pub trait MemberCodec: Sync {
    /// See [`Typed::STRICT`].
    fn is_strict(&self) -> bool;
    /// Reads a member, and reports it to the trace of `payload`. Returns an error if the member is
    /// damaged.
    fn check(&self, name: &[u8], payload: Reader<'_>, context: &Context) -> Result<()>;
    /// True if a member is a document in a tree.
    fn is_document(&self, name: &[u8], payload: &[u8], context: &Context) -> bool;
    /// Verifies a member: its bytes, and if `form` is a document also its text, which `proof`
    /// parses again. Returns the text; `None` without one, and for a plain file.
    fn prove(
        &self,
        name: &[u8],
        payload: &[u8],
        context: &Context,
        form: Form,
        proof: bool,
    ) -> Result<Option<String>>;
    /// Writes the text of a verified member into a tree; `proved` are its bytes.
    fn store(&self, tree: &TreeWriter<'_>, path: &str, text: String, proved: Blob) -> Result<()>;
    /// Reads a member from a tree.
    fn load(&self, tree: &TreeReader<'_>, path: &str, context: &Context) -> Result<Blob>;
    /// A member as a document. `None`: a plain file.
    fn document(
        &self,
        name: &[u8],
        payload: &[u8],
        context: &Context,
    ) -> Option<Result<Box<dyn AnyDocument>>>;
    /// Encodes a document to a member's bytes.
    fn encode_document(&self, document: &dyn AnyDocument, context: &Context) -> Result<Vec<u8>>;
    /// Encodes a member's text.
    fn encode(&self, text: &str, style: Style, context: &Context) -> Result<Vec<u8>>;
    /// Checks a member.
    fn lint(&self, name: &[u8], payload: &[u8], context: &Context, lints: &mut Lints);
    /// Checks a member against its unedited form.
    fn lint_edit(
        &self,
        name: &[u8],
        payload: &[u8],
        before: &[u8],
        context: &Context,
        lints: &mut Lints,
    );
    /// Kind and details for `list`.
    fn describe(
        &self,
        name: &[u8],
        payload: &[u8],
        context: &Context,
    ) -> Option<(crate::contract::Kind, String)>;
}

/// A reader for a single member; its user sets the game.
pub fn reader(payload: &[u8]) -> Reader<'_> {
    Reader::new(payload, Game::Mw)
}

/// The round-trip check of a member.
struct MemberTrip<'a, T: Typed> {
    typed: &'a T,
    /// The document that was read to find out that there is a typed form.
    read: Option<Result<T::Doc>>,
    payload: &'a [u8],
    context: &'a Context,
}

impl<T: Typed> RoundTrip for MemberTrip<'_, T> {
    type Model = T::Doc;
    type Text = String;
    fn decode(&mut self) -> Result<T::Doc> {
        self.read
            .take()
            .unwrap_or_else(|| Err(Error::say("a plain file")))
    }
    fn compare(&mut self, doc: &T::Doc) -> Result<()> {
        if self.typed.gives(doc, self.payload, self.context)? {
            Ok(())
        } else {
            Err(proof::other_bytes())
        }
    }
    fn print(&mut self, doc: T::Doc, style: Style) -> Result<String> {
        doc.to_text(style)
    }
    fn read_back(&mut self, text: &mut String, style: Style) -> Result<T::Doc> {
        T::Doc::from_text(text, style)
    }
}

impl<T: Typed> MemberCodec for T {
    fn is_strict(&self) -> bool {
        T::STRICT
    }
    fn check(&self, name: &[u8], payload: Reader<'_>, context: &Context) -> Result<()> {
        Typed::read(self, name, payload, context).map_or(Ok(()), |doc| doc.map(|_| ()))
    }
    fn is_document(&self, name: &[u8], payload: &[u8], context: &Context) -> bool {
        Typed::read(self, name, reader(payload), context)
            .and_then(Result::ok)
            .is_some_and(|doc| matches!(self.gives(&doc, payload, context), Ok(true)))
    }
    fn prove(
        &self,
        name: &[u8],
        payload: &[u8],
        context: &Context,
        form: Form,
        proof: bool,
    ) -> Result<Option<String>> {
        let Some(read) = Typed::read(self, name, reader(payload), context) else {
            return Ok(None);
        };
        MemberTrip {
            typed: self,
            read: Some(read),
            payload,
            context,
        }
        .prove(form, proof)
    }
    fn store(&self, tree: &TreeWriter<'_>, path: &str, text: String, proved: Blob) -> Result<()> {
        tree.part::<T::Doc>(path, text, proved)
    }
    fn load(&self, tree: &TreeReader<'_>, path: &str, context: &Context) -> Result<Blob> {
        tree.member(path, |doc: T::Doc| Typed::write(self, &doc, context))
    }
    fn document(
        &self,
        name: &[u8],
        payload: &[u8],
        context: &Context,
    ) -> Option<Result<Box<dyn AnyDocument>>> {
        Some(
            Typed::read(self, name, reader(payload), context)?
                .map(|doc| Box::new(doc) as Box<dyn AnyDocument>),
        )
    }
    fn encode_document(&self, document: &dyn AnyDocument, context: &Context) -> Result<Vec<u8>> {
        Typed::write(self, document.of::<T::Doc>()?, context)
    }
    fn encode(&self, text: &str, style: Style, context: &Context) -> Result<Vec<u8>> {
        Typed::write(self, &T::Doc::from_text(text, style)?, context)
    }
    fn lint(&self, name: &[u8], payload: &[u8], context: &Context, lints: &mut Lints) {
        self.lint_member(name, payload, context, lints);
        match Typed::read(self, name, reader(payload), context) {
            Some(Ok(doc)) => {
                Typed::lint(self, &doc, lints);
                self.lint_named(name, &doc, context, lints);
            }
            Some(Err(e)) => lints.say(T::RAW, e.to_string()),
            None => {}
        }
    }
    fn lint_edit(
        &self,
        name: &[u8],
        payload: &[u8],
        before: &[u8],
        context: &Context,
        lints: &mut Lints,
    ) {
        let read = |payload: &[u8]| Typed::read(self, name, reader(payload), context)?.ok();
        if let (Some(doc), Some(before)) = (read(payload), read(before)) {
            Typed::lint_edit(self, &doc, &before, lints);
        }
    }
    fn describe(
        &self,
        name: &[u8],
        payload: &[u8],
        context: &Context,
    ) -> Option<(crate::contract::Kind, String)> {
        Some(Typed::describe(
            self,
            &Typed::read(self, name, reader(payload), context)?.ok()?,
        ))
    }
}
