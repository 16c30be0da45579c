//! The interface between formats and the rest of refit: a [`Codec`] (bytes → model, tree → model),
//! a [`Model`] (model → bytes, model → tree, lint, info), and the [`Family`] that lists them.

use crate::{
    format::Format,
    game::Game,
    lint::{Code, Lints},
    naming::{NameUse, Rule},
    tree::{
        AnyDocument, Blob, ByteSink, Document, Form, Head, Sink, Style, TreeReader, TreeWriter,
        plain::PlainFolder,
    },
    wire::{Error, ErrorKind, Result, Trace, value_at, value_before_end},
};
use bytes::Bytes;
use serde::Serialize;
use std::{
    any::Any,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// Information about a file before it is read.
#[derive(Clone, Debug)]
pub struct Context {
    /// The game from the content or from a hint, if known. Codecs whose layout depends on it take
    /// it from the content.
    pub game: Option<Game>,
    /// The format: the archive codec handles several.
    pub format: Format,
    /// The file's name without its folder, if known: some findings depend on how a game uses the
    /// file.
    pub file: String,
}

/// The result of recognising a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    /// The format.
    pub format: Format,
    /// The game, if content or name shows it.
    pub game: Option<Game>,
    /// What shows it, for people.
    pub evidence: String,
    /// True for a signature with its structure, or a full parse; false if few bytes or the name
    /// decided.
    pub certain: bool,
    /// The file's name without its folder.
    pub file: String,
    /// What was read of it.
    pub begun: Begun,
}

impl Detection {
    /// The result of a format's recogniser.
    pub fn new(
        format: Format,
        game: Option<Game>,
        evidence: impl Into<String>,
        certain: bool,
    ) -> Self {
        Detection {
            format,
            game,
            evidence: evidence.into(),
            certain,
            file: String::new(),
            begun: Begun::default(),
        }
    }

    /// That of a tree: its manifest says what it is of.
    pub fn of_tree(head: &Head) -> Self {
        Detection {
            file: head.source.file.clone(),
            ..Detection::new(head.format, head.game, "a tree", true)
        }
    }
}

/// A model that was built while its file was recognised. Opening the file takes it, so a large
/// table is read only once. Clones share it: the first to open the file gets the model, the others
/// read the file.
#[derive(Clone, Default)]
pub struct Begun(Arc<Mutex<Option<ModelOf>>>);

/// A file and its model.
type ModelOf = (Blob, Box<dyn Any + Send>);

impl Begun {
    /// The model of a file, as far as it was read when the file was recognised.
    pub fn new(file: &Blob, model: impl Any + Send) -> Self {
        Begun(Arc::new(Mutex::new(Some((file.clone(), Box::new(model))))))
    }

    /// Takes the model if it is that of this file.
    pub fn take(&self, file: &Blob) -> Option<Box<dyn Any + Send>> {
        let (of, model) = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()?;
        of.is_same(file).then_some(model)
    }
}

impl fmt::Debug for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Begun")
    }
}

/// What was found does not depend on it.
impl PartialEq for Begun {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Begun {}

/// A file to recognise.
pub struct Suspect<'a> {
    /// Its first bytes, or all bytes.
    pub head: &'a [u8],
    /// Its last bytes, 12 at most.
    pub tail: &'a [u8],
    /// Its length.
    pub len: u64,
    /// All bytes, if they are in memory.
    pub whole: Option<&'a Bytes>,
    /// The file, if it is on disk and only partly in memory.
    pub disk: Option<&'a Blob>,
    /// Its path, or its name, or empty.
    pub path: &'a str,
    /// True if only the codec matters, not the kind of archive: its table need not be read.
    pub roughly: bool,
}

impl<'a> Suspect<'a> {
    /// The whole file, in memory or on disk, if available.
    pub fn all(&self) -> Option<Blob> {
        self.whole.map(Blob::from).or_else(|| self.disk.cloned())
    }

    /// The word at an offset near the beginning.
    pub fn word(&self, at: usize) -> Option<u32> {
        value_at(self.head, at)
    }

    /// The word at this distance from the end.
    pub fn word_before_end(&self, back: usize) -> Option<u32> {
        value_before_end(self.tail, back)
    }

    /// Its name in the original spelling, without folders.
    pub fn name(&self) -> &'a str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(self.path)
    }

    /// True if its name ends with `end`, ignoring case.
    pub fn ends_with(&self, end: &str) -> bool {
        self.path.to_ascii_lowercase().ends_with(end)
    }
}

/// The answer of a recogniser.
pub enum Verdict {
    /// Not a file of this format.
    No,
    /// A file of this format.
    Is(Detection),
    /// A file of this or another known format that cannot be read; the reason.
    Refused(Error),
    /// A longer beginning is needed.
    More,
    /// All bytes are needed.
    All,
}

/// Recognises the files of a format from all bytes, or from the beginning and the end. The answer
/// for a beginning must be the same as for the whole file.
pub type Recognise = fn(&Suspect<'_>) -> Verdict;

/// How much a recogniser relies on: those of an earlier stage are asked first. Within a stage, the
/// order is that of the registry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// A signature at the beginning.
    Signature,
    /// A footer or a table that must fit.
    Table,
    /// The whole content, which must fit to the last byte: the file has no signature.
    Content,
    /// The first words of a text.
    Text,
    /// The name of the file, and a content that fits it.
    Name,
    /// What remains: files that are damaged, or that refit does not read.
    Rest,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 6] = [
        Stage::Signature,
        Stage::Table,
        Stage::Content,
        Stage::Text,
        Stage::Name,
        Stage::Rest,
    ];
}

/// A format: converts files and trees to models.
pub trait Codec: Sync {
    /// The parsed form of a file.
    type Model;

    /// Reads a file. Only invalid framing is an error. The model may leave data in a file on disk.
    fn read(&self, file: &Blob, context: &Context) -> Result<Self::Model>;
    /// True if [`Codec::read`] leaves most of a file on disk, so that callers should not read it
    /// into memory.
    fn leaves_on_disk(&self) -> bool {
        false
    }
    /// Reports the meaning of every byte of a file to `trace`, with the paths of the values in a
    /// tree.
    fn explain(&self, file: &Blob, context: &Context, trace: &dyn Trace) -> Result<()>;
    /// Reads a tree.
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Self::Model>;
    /// [`Codec::assemble`] for the tree of an edited file that lacks some documents of
    /// [`Model::documents`]: `is_left_out` gets their paths without extensions, and `before` is the
    /// file as it was read. The result is that of the whole tree. Returns an error if that needs
    /// the documents.
    fn assemble_edited(
        &self,
        tree: &TreeReader<'_>,
        _before: &Self::Model,
        _is_left_out: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Self::Model> {
        self.assemble(tree)
    }
    /// Makes a new file from a folder without a manifest. Notes what the folder leaves open
    /// ([`PlainFolder::assume`]).
    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<Self::Model>;
    /// [`Codec::assemble`] for repeated builds of the same tree. If the format's files consist of
    /// independent parts, also returns an object that takes edited files of the tree into the
    /// model.
    fn assemble_to_renew(&self, tree: &TreeReader<'_>) -> Result<Renewable<Self::Model>> {
        Ok(Renewable {
            model: self.assemble(tree)?,
            renew: None,
        })
    }
    /// Maps the beginnings of finding paths to files of the tree, or to folders with a trailing
    /// slash. Empty if the tree has one document.
    fn places(&self, _tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }
    /// The fields of this format's documents that are names.
    fn names(&self) -> &'static [Rule] {
        &[]
    }
    /// Reports the names in a text of a tree that is not a document of [`Codec::names`], given its
    /// path in the tree.
    fn names_in_text(&self, _path: &str, _text: &str, _see: &mut dyn FnMut(NameUse)) {}
    /// Reports the names in a file of a tree that is no text, given its path in the tree.
    fn names_in_bytes(&self, _path: &str, _bytes: &[u8], _see: &mut dyn FnMut(NameUse)) {}
    /// The manifest line for a file of the tree that the manifest lacks; `None` if no line would
    /// include it.
    fn line_for(&self, _path: &str, _head: &Head) -> Option<ManifestLine> {
        None
    }
}

/// A model made from a tree, and an updater for edited files if the format has one.
pub struct Renewable<M> {
    /// The model.
    pub model: M,
    /// Takes edited files into the model; `None` if the tree must be read completely each time.
    pub renew: Option<Box<dyn Incremental<M>>>,
}

/// Takes edited files of a tree into its model without reading the other files.
pub trait Incremental<M>: Send {
    /// Takes one file: the model then equals what [`Codec::assemble`] would return if nothing else
    /// was edited. The result is read back as a part of the format's file, and verified.
    ///
    /// Returns false if more than this file matters, such as the manifest: then nothing was
    /// changed, and the tree must be read completely. The same holds after an error.
    fn renew(&mut self, tree: &TreeReader<'_>, path: &str, model: &mut M) -> Result<bool>;
}

/// The manifest line for a new file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManifestLine {
    /// The list in the manifest.
    pub list: &'static str,
    /// The fields of the new item: names and values; without a name, the item is the value itself.
    pub fields: Vec<(&'static str, String)>,
}

impl ManifestLine {
    /// The item in the notation of a style.
    pub fn spell(&self, style: Style) -> String {
        let spell = |(name, value): &(&str, String)| match (name.is_empty(), style) {
            (true, _) => format!("{value:?}"),
            (_, Style::Json) => format!("{name:?}: {value:?}"),
            (_, Style::Ron) => format!("{name}: {value:?}"),
        };
        let fields = self.fields.iter().map(spell).collect::<Vec<_>>().join(", ");
        match (self.fields.as_slice(), style) {
            ([("", _)], _) => fields,
            (_, Style::Json) => format!("{{ {fields} }}"),
            (_, Style::Ron) => format!("({fields})"),
        }
    }
}

/// The kind of a member, for a column of a list.
pub type Kind = std::borrow::Cow<'static, str>;

/// One row of `list`.
#[derive(Clone, Debug, Serialize)]
pub struct Member {
    /// Its name as shown.
    pub name: String,
    /// Bytes stored in the file.
    pub bytes: u64,
    /// `wav`, `reader`, `raw`, an image kind, …
    pub kind: Kind,
    /// Further details for a column: `22050 Hz, 1 channel, 16 bit, 3.20 s`.
    pub detail: String,
}

/// A difference between the files of a tree and its manifest. Paths are relative to the folder of
/// the archive's files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Followed {
    /// A file that the manifest lacks: it is added to the archive.
    Added(String),
    /// A file of the manifest that no longer exists: it is removed from the archive.
    Removed(String),
}

/// Lines of `info`: key and value, in order.
pub type Info = Vec<(&'static str, serde_json::Value)>;

/// Parts of a file, with the paths of their documents.
pub struct Documents {
    /// Other data that the documents depend on, besides the parts' bytes.
    pub of: Vec<String>,
    /// The paths, without extensions, and the bytes in pieces.
    pub parts: Vec<(String, Vec<Blob>)>,
    /// True if each part is a single document, and differences come among those of other documents,
    /// by path. Otherwise a part may have more documents, and differences come last, in the order of
    /// `parts`.
    pub single: bool,
}

/// A file as a model; every format implements this.
pub trait Model: Send + Sync {
    /// Writes the file, in pieces to limit memory. An error of `out` is returned with its kind.
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()>;
    /// The file in memory.
    fn write(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.write_to(&mut out)?;
        Ok(out)
    }
    /// The parts of the file whose documents follow from their bytes. A comparison of two files can
    /// skip the documents of equal parts.
    fn documents(&self) -> Option<Documents> {
        None
    }
    /// Writes the tree: documents, plain files, and the manifest. With [`Form::Stored`] only
    /// verifies the members.
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()>;
    /// Decisions made when the model was built from a tree, or by `put`: sentences for the user.
    fn notes(&self) -> &[String] {
        &[]
    }
    /// Files that were added or removed because the content of a folder counts, not the manifest.
    fn followed(&self) -> &[Followed] {
        &[]
    }
    /// Runs the lints.
    fn lint(&self, lints: &mut Lints);
    /// Runs the lints that compare with the unedited file.
    fn lint_edit(&self, _before: &Self, _lints: &mut Lints)
    where
        Self: Sized,
    {
    }
    /// The information for `info`: version, counts, checksum state.
    fn info(&self) -> Info;
    /// Its game, if the content or the name decide it.
    fn game(&self) -> Option<Game> {
        None
    }
    /// The disk error that made [`Members::members`], [`Model::info`] or [`Model::lint`]
    /// incomplete.
    fn fault(&self) -> Option<Error> {
        None
    }
    /// True if members must be verified separately even if only bytes are checked
    /// (`verify --via bytes`): see [`Model::unpack`].
    fn proves_parts(&self) -> bool {
        false
    }
    /// Its members, for `list`, `get` and `put`.
    fn as_members(&self) -> Option<&dyn Members> {
        None
    }
    /// The mutable [`Model::as_members`].
    fn as_members_mut(&mut self) -> Option<&mut dyn Members> {
        None
    }
    /// Its exports, for `export`.
    fn as_export(&self) -> Option<&dyn Export> {
        None
    }
}

/// Inside of an `impl Model`: declares that the type implements [`Members`], or [`Export`], or
/// both.
#[macro_export]
macro_rules! offers {
    (Members) => {
        fn as_members(&self) -> Option<&dyn $crate::contract::Members> {
            Some(self)
        }
        fn as_members_mut(&mut self) -> Option<&mut dyn $crate::contract::Members> {
            Some(self)
        }
    };
    (Export) => {
        fn as_export(&self) -> Option<&dyn $crate::contract::Export> {
            Some(self)
        }
    };
    (Members, Export) => {
        $crate::offers!(Members);
        $crate::offers!(Export);
    };
}

/// A file that consists of members, addressed by position.
pub trait Members {
    /// All members.
    fn members(&self) -> Vec<Member>;
    /// Finds a member by a name other than the one in `list`: the id of a text.
    fn alias(&self, _name: &str) -> Option<usize> {
        None
    }
    /// One member.
    fn get(&self, index: usize, form: Form) -> Result<Bytes>;
    /// Replaces one member.
    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()>;
    /// Adds a member and returns its position: after all others, unless the game needs another
    /// order.
    fn add_member(&mut self, _name: &str, _bytes: &[u8], _form: Form) -> Result<usize> {
        Err(no_new_member())
    }
    /// A member as a document, whose text [`Members::get`] returns.
    fn document(&self, _index: usize) -> Result<Box<dyn AnyDocument>> {
        Err(no_document())
    }
    /// Replaces a member with a document of its type.
    fn put_document(&mut self, _index: usize, _document: &dyn AnyDocument) -> Result<()> {
        Err(no_document())
    }
}

/// A file with exports for other programs, such as a contact sheet or a table. Exports that combine
/// several formats are in `refit_gltf`.
pub trait Export {
    /// Writes the exports to `out` and returns their paths.
    fn export(&self, out: &dyn Sink) -> Result<Vec<String>>;
}

/// Members and exports of any model, even if it has none.
impl dyn Model + '_ {
    /// [`Members::members`]; empty if the model has none.
    pub fn members(&self) -> Vec<Member> {
        self.as_members().map_or_else(Vec::new, Members::members)
    }
    /// [`Members::members`]. Returns an error if the file is on disk and cannot be read.
    pub fn all_members(&self) -> Result<Vec<Member>> {
        let members = self.members();
        self.fault().map_or(Ok(members), Err)
    }
    /// [`Members::alias`].
    pub fn alias(&self, name: &str) -> Option<usize> {
        self.as_members()?.alias(name)
    }
    /// [`Members::get`].
    pub fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        self.as_members().ok_or_else(no_members)?.get(index, form)
    }
    /// [`Members::put`].
    pub fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        self.as_members_mut()
            .ok_or_else(no_members)?
            .put(index, bytes, form)
    }
    /// [`Members::add_member`]. Returns an error if a member has this name already: games compare
    /// names without case.
    pub fn add_member(&mut self, name: &str, bytes: &[u8], form: Form) -> Result<usize> {
        let fold = |name: &str| name.replace('\\', "/").to_lowercase();
        if let Some(other) = self
            .all_members()?
            .iter()
            .find(|member| fold(&member.name) == fold(name))
        {
            return Err(
                Error::say(format!("a member is already called {:?}", other.name))
                    .hint("`refit put` replaces a member"),
            );
        }
        self.as_members_mut()
            .ok_or_else(no_members)?
            .add_member(name, bytes, form)
    }
    /// [`Members::document`].
    pub fn document(&self, index: usize) -> Result<Box<dyn AnyDocument>> {
        self.as_members().ok_or_else(no_members)?.document(index)
    }
    /// [`Members::put_document`].
    pub fn put_document(&mut self, index: usize, document: &dyn AnyDocument) -> Result<()> {
        self.as_members_mut()
            .ok_or_else(no_members)?
            .put_document(index, document)
    }
    /// [`Export::export`].
    pub fn export(&self, out: &dyn Sink) -> Result<Vec<String>> {
        self.as_export().ok_or_else(no_export)?.export(out)
    }
}

/// The error of `export` for a format without exports.
#[cold]
pub fn no_export() -> Error {
    Error::say(
        "there is no export of this format: worlds (gamez, planes) and 'mechs (mechlib) have one as glTF, texture \
        packages and archives as a contact sheet, message DLLs as .po and tables, banks of sounds as PCM",
    )
    .hint("`refit unpack` gives its contents as plain files: sounds as WAV, the rest as text")
}

#[cold]
fn no_members() -> Error {
    Error::say("this format has no members")
        .hint("unpack it instead")
        .of_kind(ErrorKind::NoMember)
}

/// The error for a format to which no member can be added.
#[cold]
pub fn no_new_member() -> Error {
    Error::say("no member can be added to a file of this format by name")
}

/// The error for a member that is not a document.
#[cold]
pub fn no_document() -> Error {
    Error::say("this member is not a document")
        .hint("use its bytes")
        .of_kind(ErrorKind::NoMember)
}

/// The error for a position without a member.
#[cold]
pub fn no_member(index: usize) -> Error {
    Error::say(format!("there is no member #{index}")).of_kind(ErrorKind::NoMember)
}

/// Defines the function that gives a module's record tables.
#[macro_export]
macro_rules! tables {
    ($($record:ty),*) => {
        /// The record tables, for `FORMAT.md`.
        #[cfg(feature = "schemas")]
        pub fn tables() -> Vec<$crate::wire::RecordTable> {
            vec![$(<$record>::table()),*]
        }
    };
}

/// The contribution of a module: the formats that it reads and writes, how their files are
/// recognised, its lints, and its document types.
pub struct Family {
    /// The formats.
    pub formats: &'static [Format],
    /// Recognise its files.
    pub recognise: &'static [(Stage, Recognise)],
    /// Kinds of findings.
    pub codes: &'static [&'static Code],
    /// Document types.
    pub schemas: fn() -> Vec<Schema>,
}

/// A document type and its schema.
#[derive(Clone, Copy)]
pub struct Schema {
    /// Its name: [`Document::KIND`].
    pub kind: &'static str,
    /// The file in `schemas/`.
    pub text: crate::tree::Packed,
    /// Reads a text as this type, to find out whether it is one.
    pub check: fn(&str, Style) -> Result<()>,
    /// Reads a text of the first style as this type and prints it in the second one, as a tree has
    /// it, without the schema key.
    pub print: fn(&str, Style, Style) -> Result<String>,
    /// The schema generated from the type.
    #[cfg(feature = "schemas")]
    pub made: fn() -> schemars::Schema,
}

/// The entry of a document type in `Family::schemas`.
pub fn schema<T: Document>() -> Schema {
    Schema {
        kind: T::KIND,
        text: T::SCHEMA,
        check: |text, style| T::from_text(text, style).map(drop),
        print: |text, from, to| T::from_text(text, from)?.to_text(to),
        #[cfg(feature = "schemas")]
        made: T::schema,
    }
}
