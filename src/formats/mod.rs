//! The formats: one module each, all games in it, reader and writer side by side.
//!
//! A format is a [`Codec`] (bytes → model, tree → model) and a [`Model`] (model → bytes, model → tree, and what can be said of
//! it). Formats know nothing of the disk or the command line, and of each other only through [`archive`]'s members.

pub mod aircraft;
pub mod anim;
pub mod archive;
pub mod film;
pub mod foreign;
pub mod gamez;
mod gltf;
pub mod interp;
pub mod layout;
pub mod livery;
pub mod mechlib;
pub mod members;
pub mod messages;
pub mod motion;
pub mod pbo;
pub mod raw;
pub mod reader;
pub mod rof;
pub mod savegame;
pub mod single;
pub mod sounds;
pub mod textures;
pub mod tracks;
pub mod zmap;
pub mod zrd_text;

use crate::{
    game::Game,
    lint::{Code, Lints},
    tree::{Blob, Document, Head, Sink, Style, TreeReader, TreeWriter},
    wire::{Error, Result, Trace},
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// A file format, by the name used on the command line and in trees.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize, schemars::JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Format {
    /// A ZBD archive of no known kind of member.
    Archive,
    /// A ZBD archive of sounds.
    Sounds,
    /// A ZBD archive of reader files.
    Reader,
    /// A loose binary reader file.
    ZrdBinary,
    /// A loose text reader file.
    ZrdText,
    /// Interpreter scripts.
    Interp,
    /// A ZBD archive of motions.
    Motion,
    /// A ZBD archive of 'mech models.
    Mechlib,
    /// A game world.
    Gamez,
    /// The planes of Crimson Skies: a game world of its own kind.
    Planes,
    /// Compiled animation definitions.
    Anim,
    /// A texture package.
    Textures,
    /// A DLL of messages.
    Messages,
    /// A Recoil map.
    Zmap,
    /// A save game.
    Savegame,
    /// A ROF archive of Crimson Skies.
    Rof,
    /// A saved aircraft of Crimson Skies.
    Aircraft,
    /// A livery of Crimson Skies: the paint of an aircraft.
    Livery,
    /// A Bohemia PBO archive.
    Pbo,
    /// A key of signatures of PBO archives.
    Bikey,
    /// A signature of a PBO archive.
    Bisign,
    /// A file that is kept whole because no typed form proved itself on it.
    Raw,
}

impl Format {
    /// The name on the command line and in trees.
    pub fn name(self) -> &'static str {
        match self {
            Format::Archive => "archive",
            Format::Sounds => "sounds",
            Format::Reader => "reader",
            Format::ZrdBinary => "zrd_binary",
            Format::ZrdText => "zrd_text",
            Format::Interp => "interp",
            Format::Motion => "motion",
            Format::Mechlib => "mechlib",
            Format::Gamez => "gamez",
            Format::Planes => "planes",
            Format::Anim => "anim",
            Format::Textures => "textures",
            Format::Messages => "messages",
            Format::Zmap => "zmap",
            Format::Savegame => "savegame",
            Format::Rof => "rof",
            Format::Aircraft => "aircraft",
            Format::Livery => "livery",
            Format::Pbo => "pbo",
            Format::Bikey => "bikey",
            Format::Bisign => "bisign",
            Format::Raw => "raw",
        }
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known of a file before it is read.
#[derive(Clone, Debug)]
pub struct Context {
    /// The game, from the content, from a hint, or unknown. Codecs whose layout depends on it take it from the content.
    pub game: Option<Game>,
    /// The format: archives serve several.
    pub format: Format,
}

/// A format: how its files and its trees become a model.
pub trait Codec: Sync {
    /// Reads a file. Fails on framing only.
    fn read(&self, file: &Bytes, context: &Context) -> Result<Box<dyn Model>>;
    /// [`Codec::read`] for a file that need not stand in memory: a model may leave on disk what is on disk.
    fn open(&self, file: &Blob, context: &Context) -> Result<Box<dyn Model>> {
        self.read(&file.bytes()?, context)
    }
    /// True when [`Codec::open`] leaves the bulk of a file on disk, so that none should be read whole before.
    fn leaves_on_disk(&self) -> bool {
        false
    }
    /// Tells `trace` what each byte of a file is: reads it by name, with the paths that its values have in a tree.
    fn explain(&self, file: &Blob, context: &Context, trace: &dyn Trace) -> Result<()>;
    /// Reads a tree.
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Box<dyn Model>>;
    /// Which file of a tree findings are about: what their paths begin with, and the file, or a folder with its slash. Nothing where
    /// the tree has one document.
    fn places(&self, _tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }
    /// What to write where into the manifest so that a file of the tree, which it does not name, is packed; `None` where no line
    /// would do.
    fn line_for(&self, _path: &str, _head: &Head) -> Option<ManifestLine> {
        None
    }
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

/// A file as a model.
pub trait Model: std::any::Any + Send + Sync {
    /// The file's bytes.
    fn write(&self) -> Result<Vec<u8>>;
    /// The file's bytes, piece by piece: what need not stand in memory never does. An error of `out` is [`Error::stopped`].
    fn write_to(&self, out: &mut dyn std::io::Write) -> Result<()> {
        out.write_all(&self.write()?).map_err(Error::stopped)
    }
    /// Writes the tree: documents, plain files, and the manifest. With `tree.style` `None` only members are proved.
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
    /// The members that `list`, `get` and `put` know.
    fn members(&self) -> Vec<Member> {
        Vec::new()
    }
    /// Hands out [`Model::members`] one by one: there may be hundreds of thousands. Fails where the file is on disk and cannot be read.
    fn each_member(&self, see: &mut dyn FnMut(Member)) -> Result<()> {
        self.members().into_iter().for_each(see);
        Ok(())
    }
    /// Why [`Model::members`], [`Model::info`] or [`Model::lint`] did not say all: something on disk could not be read.
    fn fault(&self) -> Option<Error> {
        None
    }
    /// A member by another name than `list` shows: the id of a text.
    fn alias(&self, _name: &str) -> Option<usize> {
        None
    }
    /// One member: as it stands in a tree (`Some` style), or its stored bytes (`None`).
    fn get(&self, _index: usize, _style: Option<Style>) -> Result<Bytes> {
        Err(no_members())
    }
    /// Replaces one member by its form in a tree, or by its stored bytes (`None`).
    fn put(&mut self, _index: usize, _bytes: &[u8], _style: Option<Style>) -> Result<()> {
        Err(no_members())
    }
    /// One-way views for people and other programs (glTF, contact sheet, CSV) into `out`; tells what was written.
    fn export(&self, _with: &[Bytes], _out: &dyn Sink) -> Result<Vec<String>> {
        Err(no_export())
    }
    /// Members that must be proved apart when only bytes are (`verify --via bytes`): see [`Model::unpack`].
    fn has_typed_members(&self) -> bool {
        false
    }
}

/// What `export` says of a format without views.
#[cold]
pub(crate) fn no_export() -> Error {
    Error::say(
        "there is no export of this format: worlds (gamez, planes) and 'mechs (mechlib) have one as glTF, texture packages as a \
                contact sheet, message DLLs as .po and tables",
    )
    .hint("`refit unpack` gives its contents as plain files: sounds as WAV, the rest as text")
}

#[cold]
fn no_members() -> Error {
    Error::say("this format has no members").hint("unpack it instead")
}

/// What one module contributes: the formats that it reads and writes, its lints, and its document types.
pub struct Family {
    /// The formats.
    pub formats: &'static [Format],
    /// Their codec; `None` while the format is only named.
    pub codec: Option<&'static dyn Codec>,
    /// Kinds of findings.
    pub codes: &'static [Code],
    /// Document types.
    pub schemas: fn() -> Vec<Schema>,
}

impl Family {
    /// Formats that this version recognises and refuses politely.
    pub const fn planned(formats: &'static [Format]) -> Self {
        Family { formats, codec: None, codes: &[], schemas: Vec::new }
    }
}

/// All families. A new format adds its module and one line here.
const FAMILIES: &[&Family] = &[
    &archive::FAMILY,
    &sounds::FAMILY,
    &reader::FAMILY,
    &motion::FAMILY,
    &savegame::FAMILY,
    &aircraft::FAMILY,
    &livery::FAMILY,
    &zmap::FAMILY,
    &interp::FAMILY,
    &zrd_text::FAMILY,
    &raw::FAMILY,
    &anim::FAMILY,
    &gamez::FAMILY,
    &mechlib::FAMILY,
    &textures::FAMILY,
    &messages::FAMILY,
    &rof::FAMILY,
    &pbo::FAMILY,
    &pbo::KEYS,
];

/// The codec of a format; `None` for one that this version names but does not read.
pub fn codec(format: Format) -> Option<&'static dyn Codec> {
    FAMILIES.iter().find(|f| f.formats.contains(&format))?.codec
}

/// The kinds of findings of all formats.
pub fn lint_codes() -> impl Iterator<Item = &'static Code> {
    FAMILIES.iter().flat_map(|f| f.codes)
}

/// A document type: its name and its schema.
pub type Schema = (&'static str, fn() -> schemars::Schema);

/// All document types of all formats, for `schemas/`.
pub fn schemas() -> Vec<Schema> {
    FAMILIES.iter().flat_map(|f| (f.schemas)()).collect()
}

/// The document types of one format.
pub fn schemas_of(format: Format) -> Vec<Schema> {
    FAMILIES.iter().filter(|f| f.formats.contains(&format)).flat_map(|f| (f.schemas)()).collect()
}

/// The entry of a document type in [`Family::schemas`].
pub fn schema<T: Document>() -> Schema {
    (T::KIND, T::schema)
}
