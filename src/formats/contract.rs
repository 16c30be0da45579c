//! What a format owes to the rest of refit, and what it may ask of it: a [`Codec`] (bytes → model, tree → model), a [`Model`]
//! (model → bytes, model → tree, and what can be said of it), and the [`Family`] that lists them.

use crate::{
    format::Format,
    game::Game,
    lint::{Code, Lints},
    naming::{NameUse, Rule},
    tree::{AnyDocument, Blob, Document, Form, Head, Sink, Style, TreeReader, TreeWriter},
    wire::{Error, ErrorKind, Result, Trace, value_at},
};
use bytes::Bytes;
use serde::Serialize;

/// What is known of a file before it is read.
#[derive(Clone, Debug)]
pub struct Context {
    /// The game, from the content, from a hint, or unknown. Codecs whose layout depends on it take it from the content.
    pub game: Option<Game>,
    /// The format: archives serve several.
    pub format: Format,
    /// The file's name without its folder, where it is known: some findings depend on what a game uses the file for.
    pub file: String,
}

/// What a file was recognised as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    /// The format.
    pub format: Format,
    /// The game, where content or name tell it.
    pub game: Option<Game>,
    /// Why.
    pub evidence: String,
    /// A signature and its structure, or a full walk; else the bytes are few or the name helped.
    pub certain: bool,
    /// The file's name without its folder.
    pub file: String,
    /// What was read of the file to recognise it: whoever reads the file need not read it again.
    pub framed: Framed,
}

impl Detection {
    /// What a format says of its file.
    pub fn new(format: Format, game: Option<Game>, evidence: impl Into<String>, certain: bool) -> Self {
        Detection { format, game, evidence: evidence.into(), certain, file: String::new(), framed: Framed::default() }
    }
}

/// What a format read of a file when it recognised it, for that format alone. It counts nothing when detections are compared.
#[derive(Clone, Default)]
pub struct Framed(Option<(Blob, std::sync::Arc<dyn std::any::Any + Send + Sync>)>);

impl Framed {
    /// What was read of this file.
    pub fn of<T: Send + Sync + 'static>(file: impl Into<Blob>, read: T) -> Self {
        Framed(Some((file.into(), std::sync::Arc::new(read))))
    }

    /// What was read of this file, and of no other.
    pub fn get<T: Send + Sync + 'static>(&self, file: &Blob) -> Option<&T> {
        self.0.as_ref().filter(|(own, _)| own.is_same(file))?.1.downcast_ref()
    }
}

impl PartialEq for Framed {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Framed {}

impl std::fmt::Debug for Framed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Framed" } else { "-" })
    }
}

/// A file whose format is asked for.
pub struct Suspect<'a> {
    /// Its first bytes, or all.
    pub head: &'a [u8],
    /// Its last bytes, 12 at most.
    pub tail: &'a [u8],
    /// How many bytes it has.
    pub len: u64,
    /// All bytes, where they are in memory.
    pub whole: Option<&'a Bytes>,
    /// The file, where it is on disk and some of its bytes are not in memory.
    pub disk: Option<&'a Blob>,
    /// Its path, or its name, or nothing.
    pub path: &'a str,
}

impl<'a> Suspect<'a> {
    /// All bytes, in memory or on disk, where they are at hand.
    pub fn all(&self) -> Option<Blob> {
        self.whole.map(Blob::from).or_else(|| self.disk.cloned())
    }

    /// A number near the beginning.
    pub fn word(&self, at: usize) -> Option<u32> {
        value_at(self.head, at)
    }

    /// A number so many bytes before the end.
    pub fn word_before_end(&self, back: usize) -> Option<u32> {
        value_at(self.tail, self.tail.len().checked_sub(back)?)
    }

    /// Its name as it is spelled, without folders.
    pub fn name(&self) -> &'a str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(self.path)
    }

    /// True where its name ends so, in either case.
    pub fn ends_with(&self, end: &str) -> bool {
        self.path.to_ascii_lowercase().ends_with(end)
    }
}

/// What a format says of a file.
pub enum Verdict {
    /// It is none of its files.
    No,
    /// It is one of its files.
    Is(Detection),
    /// It is one, or something else that is known, and cannot be read: why.
    Refused(Error),
    /// Longer a beginning would tell.
    More,
    /// All bytes would tell.
    All,
}

/// How a format recognises its files, of which it may see all or only the beginning and the end. What it says of a beginning must be
/// what it would say of the whole file.
pub type Recognise = fn(&Suspect<'_>) -> Verdict;

/// A format: how its files and its trees become a model.
pub trait Codec: Sync {
    /// Reads a file. Fails on framing only.
    fn read(&self, file: &Bytes, context: &Context) -> Result<Box<dyn Model>>;
    /// [`Codec::read`] for a file that need not stand in memory: a model may leave on disk what is on disk.
    fn open(&self, file: &Blob, context: &Context) -> Result<Box<dyn Model>> {
        self.read(&file.bytes()?, context)
    }
    /// [`Codec::open`] of a file that was recognised: what was read then is not read again.
    fn open_framed(&self, file: &Blob, context: &Context, _framed: &Framed) -> Result<Box<dyn Model>> {
        self.open(file, context)
    }
    /// True when [`Codec::open`] leaves the bulk of a file on disk, so that none should be read whole before.
    fn leaves_on_disk(&self) -> bool {
        false
    }
    /// Tells `trace` what each byte of a file is: reads it by name, with the paths that its values have in a tree.
    fn explain(&self, file: &Blob, context: &Context, trace: &dyn Trace) -> Result<()>;
    /// Reads a tree.
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Box<dyn Model>>;
    /// [`Codec::assemble`] for whoever makes the file again on every save; with what takes an edited file of the tree into the model, where
    /// the format's files are made of parts that do not depend on each other.
    fn assemble_to_renew(&self, tree: &TreeReader<'_>) -> Result<Renewable> {
        Ok(Renewable { model: self.assemble(tree)?, renew: None })
    }
    /// Which file of a tree findings are about: what their paths begin with, and the file, or a folder with its slash. Nothing where
    /// the tree has one document.
    fn places(&self, _tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }
    /// Which fields of this format's documents are names.
    fn names(&self) -> &'static [Rule] {
        &[]
    }
    /// The names in a text of a tree that is no document of [`Codec::names`], by its path in the tree.
    fn names_in_text(&self, _path: &str, _text: &str, _see: &mut dyn FnMut(NameUse)) {}
    /// What to write where into the manifest so that a file of the tree, which it does not name, is packed; `None` where no line
    /// would do.
    fn line_for(&self, _path: &str, _head: &Head) -> Option<ManifestLine> {
        None
    }
}

/// A model that was made of a tree, and what takes edited files into it, where there is such a thing.
pub struct Renewable {
    /// The model.
    pub model: Box<dyn Model>,
    /// What takes edited files into it; `None` where the tree must be read whole each time.
    pub renew: Option<Box<dyn Incremental>>,
}

/// Takes edited files of a tree into the model that was made of it, without reading the others.
pub trait Incremental: Send {
    /// Takes one file: the model is then what [`Codec::assemble`] would make of the tree, if nothing else was edited. What was made of
    /// the file is read again as a part of the format's file, and proved.
    ///
    /// False where more than this file decides, such as the manifest: nothing was changed then, and the tree must be read whole. After an
    /// error it must be, too.
    fn renew(&mut self, tree: &TreeReader<'_>, path: &str, model: &mut dyn Model) -> Result<bool>;
}

/// What a manifest must say of a new file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManifestLine {
    /// The list in the manifest.
    pub list: &'static str,
    /// The fields of the new item: names and values; without a name, the item is the value itself.
    pub fields: Vec<(&'static str, String)>,
}

impl ManifestLine {
    /// The item as it stands in a manifest of this style.
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

/// One row of `list`.
#[derive(Clone, Debug, Serialize)]
pub struct Member {
    /// Its name as shown.
    pub name: String,
    /// Bytes stored in the file.
    pub bytes: u64,
    /// What it is: `wav`, `reader`, `raw`, an image kind, …
    pub kind: String,
    /// What else is worth a column: `22050 Hz, 1 channel, 16 bit, 3.20 s`.
    pub detail: String,
}

/// A file of a tree that the manifest does not know as it is. Paths are below the folder of the archive's files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Followed {
    /// It is there, and the manifest does not name it: it goes into the archive.
    Added(String),
    /// The manifest names it, and it is gone: it leaves the archive.
    Removed(String),
}

/// Lines of `info`: key and value, in order.
pub type Info = Vec<(&'static str, serde_json::Value)>;

/// Parts of a file by the paths of their documents.
pub struct Documents {
    /// What the documents follow from beside the parts' bytes.
    pub of: Vec<String>,
    /// The paths, without extensions, and the bytes.
    pub parts: Vec<(String, Bytes)>,
}

/// A file as a model: what every format owes.
pub trait Model: std::any::Any + Send + Sync {
    /// The file's bytes.
    fn write(&self) -> Result<Vec<u8>>;
    /// The file's bytes, piece by piece: what need not stand in memory never does. An error of `out` is [`Error::stopped`].
    fn write_to(&self, out: &mut dyn std::io::Write) -> Result<()> {
        out.write_all(&self.write()?).map_err(Error::stopped)
    }
    /// The parts of the file whose documents follow from their bytes. Whoever holds two files against each other needs no documents of those
    /// that are equal.
    fn documents(&self) -> Option<Documents> {
        None
    }
    /// Writes the tree: documents, plain files, and the manifest. With [`Form::Stored`] only members are proved.
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()>;
    /// What had to be decided when the model was made of a tree, or by `put`: sentences for the person who edited it.
    fn notes(&self) -> &[String] {
        &[]
    }
    /// Files that came into a tree, or went, without a word in its manifest, where the content of a folder is what counts.
    fn followed(&self) -> &[Followed] {
        &[]
    }
    /// Judges what is unusual.
    fn lint(&self, lints: &mut Lints);
    /// Judges what only a comparison with the unedited file shows.
    fn lint_edit(&self, _before: &(dyn Model + 'static), _lints: &mut Lints) {}
    /// What `info` tells: version, counts, checksum state.
    fn info(&self) -> Info;
    /// Why [`Members::members`], [`Model::info`] or [`Model::lint`] did not say all: something on disk could not be read.
    fn fault(&self) -> Option<Error> {
        None
    }
    /// Members that must be proved apart when only bytes are (`verify --via bytes`): see [`Model::unpack`].
    fn proves_parts(&self) -> bool {
        false
    }
    /// What it is made of, for `list`, `get` and `put`.
    fn as_members(&self) -> Option<&dyn Members> {
        None
    }
    /// [`Model::as_members`], to be changed.
    fn as_members_mut(&mut self) -> Option<&mut dyn Members> {
        None
    }
    /// What `export` writes of it.
    fn as_export(&self) -> Option<&dyn Export> {
        None
    }
}

/// Inside of an `impl Model`: says that the type is [`Members`], or [`Export`], or both.
#[macro_export]
macro_rules! offers {
    (Members) => {
        fn as_members(&self) -> Option<&dyn $crate::formats::Members> {
            Some(self)
        }
        fn as_members_mut(&mut self) -> Option<&mut dyn $crate::formats::Members> {
            Some(self)
        }
    };
    (Export) => {
        fn as_export(&self) -> Option<&dyn $crate::formats::Export> {
            Some(self)
        }
    };
    (Members, Export) => {
        $crate::offers!(Members);
        $crate::offers!(Export);
    };
}

/// A file that is made of members, by their positions.
pub trait Members {
    /// All of them.
    fn members(&self) -> Vec<Member>;
    /// Hands out [`Members::members`] one by one: there may be hundreds of thousands. Fails where the file is on disk and cannot be read.
    fn each_member(&self, see: &mut dyn FnMut(Member)) -> Result<()> {
        self.members().into_iter().for_each(see);
        Ok(())
    }
    /// A member by another name than `list` shows: the id of a text.
    fn alias(&self, _name: &str) -> Option<usize> {
        None
    }
    /// One member.
    fn get(&self, index: usize, form: Form) -> Result<Bytes>;
    /// Replaces one member.
    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()>;
    /// One member as a document: what [`Members::get`] spells.
    fn document(&self, _index: usize) -> Result<Box<dyn AnyDocument>> {
        Err(no_document())
    }
    /// Replaces one member by a document of its type.
    fn put_document(&mut self, _index: usize, _document: &dyn AnyDocument) -> Result<()> {
        Err(no_document())
    }
}

/// A file of which there are one-way views for people and other programs, such as a contact sheet or a table. Views of several formats
/// together are [`crate::gltf`].
pub trait Export {
    /// Writes them into `out`; tells what was written.
    fn export(&self, out: &dyn Sink) -> Result<Vec<String>>;
}

/// What members and views a file has, whether it has any or not.
impl dyn Model {
    /// [`Members::members`]; none where it has none.
    pub fn members(&self) -> Vec<Member> {
        self.as_members().map_or_else(Vec::new, Members::members)
    }
    /// [`Members::each_member`].
    pub fn each_member(&self, see: &mut dyn FnMut(Member)) -> Result<()> {
        self.as_members().map_or(Ok(()), |members| members.each_member(see))
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
        self.as_members_mut().ok_or_else(no_members)?.put(index, bytes, form)
    }
    /// [`Members::document`].
    pub fn document(&self, index: usize) -> Result<Box<dyn AnyDocument>> {
        self.as_members().ok_or_else(no_members)?.document(index)
    }
    /// [`Members::put_document`].
    pub fn put_document(&mut self, index: usize, document: &dyn AnyDocument) -> Result<()> {
        self.as_members_mut().ok_or_else(no_members)?.put_document(index, document)
    }
    /// [`Export::export`].
    pub fn export(&self, out: &dyn Sink) -> Result<Vec<String>> {
        self.as_export().ok_or_else(no_export)?.export(out)
    }
}

/// What `export` says of a format without views.
#[cold]
pub(crate) fn no_export() -> Error {
    Error::say(
        "there is no export of this format: worlds (gamez, planes) and 'mechs (mechlib) have one as glTF, texture packages as a \
                contact sheet, message DLLs as .po and tables, banks of sounds as PCM",
    )
    .hint("`refit unpack` gives its contents as plain files: sounds as WAV, the rest as text")
}

#[cold]
fn no_members() -> Error {
    Error::say("this format has no members").hint("unpack it instead").of_kind(ErrorKind::NoMember)
}

/// What is said of a member that is no document.
#[cold]
pub(crate) fn no_document() -> Error {
    Error::say("this member is no document").hint("take its bytes").of_kind(ErrorKind::NoMember)
}

/// What is said of a position at which no member stands.
#[cold]
pub(crate) fn no_member(index: usize) -> Error {
    Error::say(format!("there is no member #{index}")).of_kind(ErrorKind::NoMember)
}

/// What one module contributes: the formats that it reads and writes, its lints, and its document types.
pub struct Family {
    /// The formats.
    pub formats: &'static [Format],
    /// Their codec; `None` while the format is only named.
    pub codec: Option<&'static dyn Codec>,
    /// Kinds of findings.
    pub codes: &'static [&'static Code],
    /// Document types.
    pub schemas: fn() -> Vec<Schema>,
}

impl Family {
    /// Formats that this version recognises and refuses politely.
    pub const fn planned(formats: &'static [Format]) -> Self {
        Family { formats, codec: None, codes: &[], schemas: Vec::new }
    }
}

/// A document type and its schema.
#[derive(Clone, Copy)]
pub struct Schema {
    /// Its name: [`Document::KIND`].
    pub kind: &'static str,
    /// The file in `schemas/`.
    pub text: crate::tree::Packed,
    /// What that file should be.
    #[cfg(feature = "schemas")]
    pub made: fn() -> schemars::Schema,
}

/// The entry of a document type in [`Family::schemas`].
pub fn schema<T: Document>() -> Schema {
    Schema {
        kind: T::KIND,
        text: T::SCHEMA,
        #[cfg(feature = "schemas")]
        made: T::schema,
    }
}
