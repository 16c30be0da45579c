//! Typed members of archives: one document each, proved one by one, raw where the proof fails.

use crate::{
    formats::Context,
    game::Game,
    lint::{Lints, RAW_MEMBER},
    tree::{AnyDocument, Document, Style, TreeReader, TreeWriter},
    wire::{Error, Reader, Result, Str},
};
use bytes::Bytes;

/// A kind of archive whose members have a typed form.
pub trait Typed: Sync {
    /// The document that stands in the tree.
    type Doc: Document;
    /// True when a member that does not hold makes the whole file malformed; else it becomes a plain file in the tree.
    const STRICT: bool = false;
    /// Reads a member. `None`: such a member has no typed form and is a plain file. An error: it has one that does not hold.
    fn read(&self, name: &Str, payload: Reader<'_>, context: &Context) -> Option<Result<Self::Doc>>;
    /// The member's bytes.
    fn write(&self, doc: &Self::Doc, context: &Context) -> Result<Vec<u8>>;
    /// True when these are the member's bytes.
    fn gives(&self, doc: &Self::Doc, payload: &[u8], context: &Context) -> Result<bool> {
        Ok(self.write(doc, context)? == payload)
    }
    /// Judges a member.
    fn lint(&self, doc: &Self::Doc, lints: &mut Lints);
    /// Judges what only a comparison with the unedited member shows.
    fn lint_edit(&self, _doc: &Self::Doc, _before: &Self::Doc, _lints: &mut Lints) {}
    /// Judges what a document does not say, of members without one too: the name, and how many bytes there are.
    fn lint_member(&self, _name: &Str, _payload: &[u8], _context: &Context, _lints: &mut Lints) {}
    /// What `list` tells of it: kind and details.
    fn describe(&self, doc: &Self::Doc) -> (String, String);
}

/// Payloads from this size on are spelled in pieces, where their documents know how.
const LARGE: usize = 1 << 20;

/// [`Typed`] without its document type, as an archive uses it.
pub trait MemberCodec: Sync {
    /// An error when the member makes the whole file malformed: see [`Typed::STRICT`].
    fn check(&self, name: &Str, payload: &[u8], context: &Context) -> Result<()>;
    /// Proves a member and, where a style is asked for, gives its text, which is read back with `proof`. `None`: a plain file.
    fn unpack(&self, name: &Str, payload: &[u8], context: &Context, style: Option<Style>, proof: bool) -> Option<Result<String>>;
    /// Writes a text that [`MemberCodec::unpack`] gave into a tree.
    fn store(&self, tree: &TreeWriter<'_>, path: &str, text: String) -> Result<()>;
    /// True where a member's text should not stand in memory as a whole: then [`MemberCodec::prove`] and
    /// [`MemberCodec::store_large`] stand for [`MemberCodec::unpack`] and [`MemberCodec::store`].
    fn is_large(&self, payload: &[u8]) -> bool;
    /// Proves a member by its text, with `proof`, or only by its bytes.
    fn prove(&self, name: &Str, payload: &[u8], context: &Context, style: Style, proof: bool) -> Option<Result<()>>;
    /// Writes the text of a member that was proved into a tree.
    fn store_large(&self, tree: &TreeWriter<'_>, path: &str, name: &Str, payload: &Bytes, context: &Context) -> Result<()>;
    /// Reads a member back from a tree.
    fn load(&self, tree: &TreeReader<'_>, path: &str, context: &Context) -> Result<Bytes>;
    /// A member as a document. `None`: a plain file.
    fn document(&self, name: &Str, payload: &[u8], context: &Context) -> Option<Result<Box<dyn AnyDocument>>>;
    /// A document as a member's bytes.
    fn encode_document(&self, document: &dyn AnyDocument, context: &Context) -> Result<Vec<u8>>;
    /// A member's text as bytes.
    fn encode(&self, text: &str, style: Style, context: &Context) -> Result<Vec<u8>>;
    /// Judges a member.
    fn lint(&self, name: &Str, payload: &[u8], context: &Context, lints: &mut Lints);
    /// Judges what only a comparison with the unedited member shows.
    fn lint_edit(&self, name: &Str, payload: &[u8], before: &[u8], context: &Context, lints: &mut Lints);
    /// What `list` tells of it.
    fn describe(&self, name: &Str, payload: &[u8], context: &Context) -> Option<(String, String)>;
    /// Reads a member whose reader takes note of what it reads. False for one that is a plain file.
    fn explain(&self, name: &Str, payload: Reader<'_>, context: &Context) -> bool;
}

/// A member by itself: the game is set by what reads it.
pub(crate) fn reader(payload: &[u8]) -> Reader<'_> {
    Reader::new(payload, Game::Mw)
}

/// An error unless the document gives these bytes.
fn same<T: Typed>(typed: &T, doc: &T::Doc, payload: &[u8], context: &Context) -> Result<()> {
    match typed.gives(doc, payload, context)? {
        true => Ok(()),
        false => Err(Error::say("the typed form gives other bytes; this is a bug in refit, please report it")),
    }
}

impl<T: Typed> MemberCodec for T {
    fn check(&self, name: &Str, payload: &[u8], context: &Context) -> Result<()> {
        if !T::STRICT {
            return Ok(());
        }
        Typed::read(self, name, reader(payload), context).map_or(Ok(()), |doc| doc.map(|_| ()))
    }
    fn unpack(&self, name: &Str, payload: &[u8], context: &Context, style: Option<Style>, proof: bool) -> Option<Result<String>> {
        let doc = Typed::read(self, name, reader(payload), context)?;
        Some(doc.and_then(|doc| {
            let same = |doc: &T::Doc| same(self, doc, payload, context);
            same(&doc)?;
            let Some(style) = style else { return Ok(String::new()) };
            let text = doc.to_text(style)?;
            drop(doc);
            if proof {
                same(&T::Doc::from_text(&text, style)?)?;
            }
            Ok(text)
        }))
    }
    fn store(&self, tree: &TreeWriter<'_>, path: &str, text: String) -> Result<()> {
        tree.row_text::<T::Doc>(path, text)
    }
    fn is_large(&self, payload: &[u8]) -> bool {
        T::Doc::STREAMED && payload.len() > LARGE
    }
    fn prove(&self, name: &Str, payload: &[u8], context: &Context, style: Style, proof: bool) -> Option<Result<()>> {
        let doc = Typed::read(self, name, reader(payload), context)?;
        Some(doc.and_then(|doc| {
            same(self, &doc, payload, context)?;
            if !proof {
                return Ok(());
            }
            let back = doc.again(style)?;
            drop(doc);
            same(self, &back, payload, context)
        }))
    }
    fn store_large(&self, tree: &TreeWriter<'_>, path: &str, name: &Str, payload: &Bytes, context: &Context) -> Result<()> {
        match Typed::read(self, name, reader(payload), context) {
            Some(doc) => tree.row_pieces(path, &doc?),
            None => tree.row_file(path, payload),
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
            Some(Ok(doc)) => Typed::lint(self, &doc, lints),
            Some(Err(e)) => lints.say(RAW_MEMBER, e.to_string()),
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
        // One that does not hold is bytes from its beginning.
        let untraced = Typed::read(self, name, payload.clone().traced(None), context);
        matches!(untraced, Some(Ok(_))) && Typed::read(self, name, payload, context).is_some()
    }
}
