//! Typed members of archives: one document each, verified one by one, and stored raw if the check fails.

use crate::{
    formats::Context,
    game::Game,
    lint::{Code, Lints, RAW_MEMBER},
    tree::{
        AnyDocument, Document, Form, Spelled, Style, TreeReader, TreeWriter,
        proof::{self, RoundTrip},
    },
    wire::{Error, ErrorKind, Reader, Result, Str},
};
use bytes::Bytes;
use std::any::Any;

/// A kind of archive with typed members.
pub trait Typed: Sync {
    /// The document in the tree.
    type Doc: Document;
    /// True if a damaged member makes the whole file malformed; otherwise it becomes a plain file in the tree.
    const STRICT: bool = false;
    /// The finding for a damaged member.
    const RAW: &Code = RAW_MEMBER;
    /// Reads a member; `None` for a plain file, an error for a damaged member.
    fn read(&self, name: &Str, payload: Reader<'_>, context: &Context) -> Option<Result<Self::Doc>>;
    /// Encodes a member.
    fn write(&self, doc: &Self::Doc, context: &Context) -> Result<Vec<u8>>;
    /// True if the document encodes to these bytes.
    fn gives(&self, doc: &Self::Doc, payload: &[u8], context: &Context) -> Result<bool> {
        Ok(self.write(doc, context)? == payload)
    }
    /// Checks a member.
    fn lint(&self, doc: &Self::Doc, lints: &mut Lints);
    /// Checks what the engine makes of a member with this name.
    fn lint_named(&self, _name: &Str, _doc: &Self::Doc, _context: &Context, _lints: &mut Lints) {}
    /// Checks a member against its unedited form.
    fn lint_edit(&self, _doc: &Self::Doc, _before: &Self::Doc, _lints: &mut Lints) {}
    /// Checks name and size of any member, with or without a document.
    fn lint_member(&self, _name: &Str, _payload: &[u8], _context: &Context, _lints: &mut Lints) {}
    /// Kind and details for `list`.
    fn describe(&self, doc: &Self::Doc) -> (String, String);
}

/// [`Typed`] without its document type, for use in an archive.
pub trait MemberCodec: Sync {
    /// Returns an error if the member makes the whole file malformed: see [`Typed::STRICT`].
    fn check(&self, name: &Str, payload: &[u8], context: &Context) -> Result<()>;
    /// Verifies a member: its bytes, and if `form` is a document also its text, which is parsed again if `reads_back`.
    /// `None`: a plain file.
    fn prove(&self, name: &Str, payload: &[u8], context: &Context, form: Form, reads_back: bool) -> Option<Result<Option<MemberText>>>;
    /// Writes the text of a verified member into a tree. The archive's round-trip check finds its bytes by its row.
    fn store(&self, tree: &TreeWriter<'_>, path: &str, text: MemberText) -> Result<()>;
    /// Reads a member from a tree.
    fn load(&self, tree: &TreeReader<'_>, path: &str, context: &Context) -> Result<Bytes>;
    /// A member as a document. `None`: a plain file.
    fn document(&self, name: &Str, payload: &[u8], context: &Context) -> Option<Result<Box<dyn AnyDocument>>>;
    /// Encodes a document to a member's bytes.
    fn encode_document(&self, document: &dyn AnyDocument, context: &Context) -> Result<Vec<u8>>;
    /// Encodes a member's text.
    fn encode(&self, text: &str, style: Style, context: &Context) -> Result<Vec<u8>>;
    /// Checks a member.
    fn lint(&self, name: &Str, payload: &[u8], context: &Context, lints: &mut Lints);
    /// Checks a member against its unedited form.
    fn lint_edit(&self, name: &Str, payload: &[u8], before: &[u8], context: &Context, lints: &mut Lints);
    /// Kind and details for `list`.
    fn describe(&self, name: &Str, payload: &[u8], context: &Context) -> Option<(String, String)>;
    /// Reads a member with tracing. False for a plain file.
    fn explain(&self, name: &Str, payload: Reader<'_>, context: &Context) -> bool;
}

/// A reader for a single member; its user sets the game.
pub(crate) fn reader(payload: &[u8]) -> Reader<'_> {
    Reader::new(payload, Game::Mw)
}

/// The text of a member of any type.
pub enum MemberText {
    /// Its text.
    Whole(String),
    /// Its document, if the text is too large to be in memory as a whole.
    Large(Box<dyn Any + Send>),
}

/// The round-trip check of a member.
struct MemberTrip<'a, T: Typed> {
    typed: &'a T,
    /// The document that was read to find out that there is a typed form.
    read: Option<Result<T::Doc>>,
    payload: &'a [u8],
    context: &'a Context,
}

/// [`MemberText`] of a type.
enum TextOf<D> {
    Whole(String),
    Large(D),
}

impl<T: Typed> RoundTrip for MemberTrip<'_, T> {
    type Model = T::Doc;
    type Text = TextOf<T::Doc>;
    fn decode(&mut self) -> Result<T::Doc> {
        self.read.take().unwrap_or_else(|| Err(Error::say("a plain file")))
    }
    fn compare(&mut self, doc: &T::Doc) -> Result<()> {
        if self.typed.gives(doc, self.payload, self.context)? { Ok(()) } else { Err(proof::other_bytes()) }
    }
    fn print(&mut self, doc: T::Doc, style: Style) -> Result<TextOf<T::Doc>> {
        Ok(if doc.is_large() { TextOf::Large(doc) } else { TextOf::Whole(doc.to_text(style)?) })
    }
    fn read_back(&mut self, text: &mut TextOf<T::Doc>, style: Style) -> Result<T::Doc> {
        match text {
            TextOf::Whole(text) => T::Doc::from_text(text, style),
            TextOf::Large(doc) => doc.again(style),
        }
    }
}

impl<T: Typed> MemberCodec for T {
    fn check(&self, name: &Str, payload: &[u8], context: &Context) -> Result<()> {
        if !T::STRICT {
            return Ok(());
        }
        Typed::read(self, name, reader(payload), context).map_or(Ok(()), |doc| doc.map(|_| ()))
    }
    fn prove(&self, name: &Str, payload: &[u8], context: &Context, form: Form, reads_back: bool) -> Option<Result<Option<MemberText>>> {
        let read = Some(Typed::read(self, name, reader(payload), context)?);
        let text = MemberTrip { typed: self, read, payload, context }.prove(form, reads_back);
        let of_any = |text| match text {
            TextOf::Whole(text) => MemberText::Whole(text),
            TextOf::Large(doc) => MemberText::Large(Box::new(doc)),
        };
        Some(text.map(|text| text.map(of_any)))
    }
    fn store(&self, tree: &TreeWriter<'_>, path: &str, text: MemberText) -> Result<()> {
        match text {
            MemberText::Whole(text) => tree.part::<T::Doc>(path, Spelled::Text(text), None),
            MemberText::Large(doc) => match doc.downcast_ref::<T::Doc>() {
                Some(doc) => tree.part(path, Spelled::Document(doc), None),
                None => Err(Error::say("a document of another type").of_kind(ErrorKind::Internal)),
            },
        }
    }
    fn load(&self, tree: &TreeReader<'_>, path: &str, context: &Context) -> Result<Bytes> {
        tree.member(path, |doc: T::Doc| Typed::write(self, &doc, context))
    }
    fn document(&self, name: &Str, payload: &[u8], context: &Context) -> Option<Result<Box<dyn AnyDocument>>> {
        Some(Typed::read(self, name, reader(payload), context)?.map(|doc| Box::new(doc) as Box<dyn AnyDocument>))
    }
    fn encode_document(&self, document: &dyn AnyDocument, context: &Context) -> Result<Vec<u8>> {
        Typed::write(self, document.of::<T::Doc>()?, context)
    }
    fn encode(&self, text: &str, style: Style, context: &Context) -> Result<Vec<u8>> {
        Typed::write(self, &T::Doc::from_text(text, style)?, context)
    }
    fn lint(&self, name: &Str, payload: &[u8], context: &Context, lints: &mut Lints) {
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
    fn lint_edit(&self, name: &Str, payload: &[u8], before: &[u8], context: &Context, lints: &mut Lints) {
        let read = |payload: &[u8]| Typed::read(self, name, reader(payload), context)?.ok();
        if let (Some(doc), Some(before)) = (read(payload), read(before)) {
            Typed::lint_edit(self, &doc, &before, lints);
        }
    }
    fn describe(&self, name: &Str, payload: &[u8], context: &Context) -> Option<(String, String)> {
        Some(Typed::describe(self, &Typed::read(self, name, reader(payload), context)?.ok()?))
    }
    fn explain(&self, name: &Str, payload: Reader<'_>, context: &Context) -> bool {
        // A damaged payload is explained as plain bytes from its beginning, so read it without tracing first.
        let untraced = Typed::read(self, name, payload.clone().traced(None), context);
        matches!(untraced, Some(Ok(_))) && Typed::read(self, name, payload, context).is_some()
    }
}
