//! Bohemia's PBO archives, Operation Flashpoint to Arma 3 and DayZ, with their packing and their
//! signatures (FORMAT.md).
//!
//! One container for all games: an optional start entry with properties, the entry table, the data
//! block, a trailer. The parts: `layout` (bytes ⇄ [`Pbo`]), [`lzss`] (the packing of entries),
//! `manifest` ([`Pbo`] ⇄ tree), `paths` (names ⇄ safe paths), `names` (what the games call the
//! files), `tex_headers` (the list of an addon's textures), `lints` with their `codes`, `litter`
//! (what is no content), [`build`] (a new archive from any folder), [`sign`] (`.bikey` and
//! `.bisign`).
//!
//! Decisions where the reference leaves a choice:
//! - A nameless first entry that is not `Vers` ends the header; everything after it is the trailer.
//! - An entry is packed if its method is `Cprs` and its payload unpacks. Any other payload is
//!   stored, whatever its sizes are. Plain bytes can unpack by chance: a payload does not count as
//!   packed if its checksum is wrong and it is as large as its content or has bytes after the
//!   checksum.
//! - A trailer of 21 bytes with a wrong hash is kept while the bytes that it covers are unchanged.
//!   If they were edited, the hash becomes correct. (The wrong hash of an edited archive is no
//!   evidence of anything.)
//! - Bytes after a correct hash are kept after the new hash of an edited archive.
//! - A distance of zero copies from 4096 bytes back, or blanks if that is before the start.

mod addon;
pub mod build;
mod codes;
mod label;
mod layout;
mod lints;
pub mod litter;
pub mod lzss;
mod manifest;
pub mod names;
mod paths;
pub mod sign;
mod tex_headers;
mod texts;

pub use label::Label;
pub use layout::CPRS;
pub(crate) use layout::VERS;
pub(crate) use manifest::PboManifest;
pub use tex_headers::{
    ListedTexture, explain as explain_tex_headers, listed as list_tex_headers,
    made as tex_headers_of, rewritten as rewrite_tex_headers, summary as describe_tex_headers,
};

use crate::{
    models::model_names,
    paa::member::{self as texture, Texture},
    rap::{ConfigExtras, Rap, member, names as config_names},
};
use bytes::Bytes;
use refit_base::{
    contract::{
        Codec, Context, Detection, Export, Family, Followed, Info, Member, Members, Model, Stage,
        Suspect, Verdict, schema,
    },
    format::Format,
    lint::Lints,
    naming::{NameKind, NameUse, Rule},
    par,
    picture::Picture,
    sheet,
    support::Faults,
    tree::{Blob, ByteSink, Form, Sink, TreeReader, TreeWriter, plain::PlainFolder},
    wire::{Error, Result, Trace, UnixTime, Within, utf8, value_at},
};
use std::{collections::BTreeMap, sync::OnceLock};

/// The format, lint codes and schema of archives.
pub const FAMILY: Family = Family {
    formats: &[Format::Pbo],
    recognise: &[
        (Stage::Signature, recognise_start),
        (Stage::Content, recognise_table),
        (Stage::Name, recognise_named),
    ],
    codes: codes::CODES,
    schemas: || vec![schema::<PboManifest>(), schema::<tex_headers::TexHeaders>()],
};

/// The formats, lint codes and schema of keys and signatures.
pub const KEYS: Family = Family {
    formats: &[Format::Bikey, Format::Bisign],
    recognise: &[(Stage::Signature, sign::recognise)],
    codes: codes::KEY_CODES,
    schemas: || vec![schema::<sign::KeyManifest>()],
};

/// An archive.
#[derive(Clone, Debug)]
pub struct Pbo {
    /// The start entry, which Operation Flashpoint's first archives and Arma 3's own exports do not
    /// have.
    start: Option<Start>,
    /// The files, in order.
    entries: Vec<Entry>,
    /// The five numbers of the end entry. Zeros; but Resistance writes `Cprs`, and anti-extraction
    /// tricks write junk.
    end: [u32; 5],
    ending: Ending,
    /// Added and removed files in the folder of the tree.
    followed: Vec<Followed>,
    /// Notes for the author of the folder.
    notes: Vec<String>,
    faults: Faults,
}

/// The trailer, as read or as it will be written.
#[derive(Clone, Debug)]
enum Ending {
    /// As read, and its meaning once it was needed: that costs a hash of the whole archive.
    Read(Bytes, OnceLock<Trailer>),
    Stored(Trailer),
}

/// The start entry and the property list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Start {
    /// The numbers after the method: zeros, or junk.
    pub numbers: [u32; 4],
    /// Keys and values, in order. Keys may repeat, values may be empty.
    pub properties: Vec<(Label, Label)>,
}

/// One file of an archive.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Its path below the prefix, with `\` and sometimes `/`.
    pub name: Label,
    /// 0 for stored, [`CPRS`] for packed, or anything.
    pub method: u32,
    /// Unpacked size of a packed entry. For a stored one 0, the data size, or noise.
    pub original: u32,
    /// Zero in every known file of a game. Never used to seek.
    pub reserved: u32,
    /// Seconds since 1970, or 0.
    pub time: u32,
    /// The payload as stored in the data block.
    pub data: Blob,
}

/// The bytes after the data block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trailer {
    /// Nothing: Operation Flashpoint, Resistance.
    None,
    /// A zero byte and the SHA-1 of everything before it: ArmA and later.
    Sha1 {
        /// The hash, if known.
        sum: Option<[u8; 20]>,
        /// Bytes after the hash.
        behind: Bytes,
    },
    /// A zero byte and another hash than that of the bytes before it.
    Wrong {
        /// The hash in the file.
        stored: [u8; 20],
        /// The hash of the bytes that it belongs to.
        instead_of: [u8; 20],
    },
    /// Anything else: Elite's five bytes, a truncated hash, bytes that a server appended.
    Raw(Bytes),
}

/// The content of an entry.
#[derive(Clone, Debug)]
pub enum Content {
    /// The payload itself.
    Stored(Blob),
    /// Unpacked.
    Packed(lzss::Stream),
    /// Marked as packed, but the payload does not unpack; why.
    Opaque(Blob, String),
}

impl Entry {
    /// The content, unpacked if the payload is packed.
    pub fn content(&self) -> Result<Content> {
        if self.method != CPRS {
            return Ok(Content::Stored(self.data.clone()));
        }
        Ok(match lzss::unpack(&self.data, self.original)? {
            Ok(stream) if lzss::is_chance(&stream, self.data.len()) => Content::Opaque(
                self.data.clone(),
                "it unpacks, but its checksum does not match".to_owned(),
            ),
            Ok(stream) => Content::Packed(stream),
            Err(why) => Content::Opaque(self.data.clone(), why.to_string()),
        })
    }

    /// The unpacked content; `None` if it cannot be unpacked.
    fn unpacked(&self) -> Result<Option<Blob>> {
        Ok(match self.content()? {
            Content::Packed(stream) => Some(Bytes::from(stream.content).into()),
            Content::Stored(data) => Some(data),
            Content::Opaque(..) => None,
        })
    }

    /// The content of a packed entry, unpacked each time that it is read.
    fn unpacked_on_demand(&self) -> Blob {
        let again = |packed: &Blob, len: u64| {
            Ok(
                lzss::unpack(packed, u32::try_from(len).unwrap_or(u32::MAX))??
                    .content
                    .into(),
            )
        };
        Blob::made(self.data.clone(), self.original.into(), again)
    }

    /// A binary config, unpacked; `None` for any other content.
    fn config_file(&self) -> Result<Option<Bytes>> {
        let Some(content) = self.unpacked()? else {
            return Ok(None);
        };
        member::has_config(&content)?
            .then(|| content.bytes())
            .transpose()
    }

    /// True for a private key, by its name or its content.
    pub(crate) fn is_private_key(&self) -> Result<bool> {
        if refit_base::secret::is_private_key(&self.name.show(), &[]) {
            return Ok(true);
        }
        match self.unpacked()? {
            Some(content) => litter::is_private_key(&content),
            None => Ok(false),
        }
    }

    /// A texture; `None` for any other content.
    fn texture(&self) -> Result<Option<Texture>> {
        if !texture::is_name(&self.name.0) {
            return Ok(None);
        }
        let Some(content) = self.unpacked()? else {
            return Ok(None);
        };
        Ok(Texture::read(&content, &self.name.show()).ok().flatten())
    }

    /// The text of a binary config, and what the text does not express. `None` if the entry is not
    /// a config, or if the text would not produce the same bytes.
    fn config(&self) -> Result<Option<(String, ConfigExtras)>> {
        Ok(self
            .config_file()?
            .and_then(|file| member::member(&file, true).ok()))
    }

    /// The packers that reproduce the payload; `None` if it is not packed.
    fn packers(&self) -> Option<Vec<lzss::Packer>> {
        match self.content() {
            Ok(Content::Packed(stream)) => Some(lzss::identify(&stream)),
            _ => None,
        }
    }

    /// Replaces the content of the entry, packed as before; `usual` is the archive's usual packer.
    pub(crate) fn set_content(
        &mut self,
        content: &[u8],
        usual: Option<lzss::Packer>,
    ) -> Result<()> {
        let len = u32::try_from(content.len())
            .map_err(|_| Error::say("a file in an archive has at most 4 GiB"))?;
        match self.content()? {
            Content::Packed(stream) => {
                let packer = lzss::choose(&lzss::identify(&stream), usual);
                self.data = Blob::Memory(lzss::pack(packer, content).into());
                self.original = len;
            }
            Content::Stored(_) | Content::Opaque(..) => {
                // A stored entry has its size twice, or 0: both forms follow the new content. Any
                // other number stays.
                if u64::from(self.original) == self.data.len() && self.original != 0 {
                    self.original = len;
                }
                self.data = Blob::Memory(Bytes::copy_from_slice(content));
            }
        }
        Ok(())
    }
}

impl Pbo {
    /// An archive without files and trailer.
    fn new(start: Option<Start>, end: [u32; 5]) -> Self {
        let (entries, ending) = (Vec::new(), Ending::Stored(Trailer::None));
        Pbo {
            start,
            entries,
            end,
            ending,
            followed: Vec::new(),
            notes: Vec::new(),
            faults: Faults::default(),
        }
    }

    /// Reads an archive from memory. Fails on framing only.
    pub fn read(file: &Bytes) -> Result<Self> {
        layout::read(&file.into())
    }

    /// Reads an archive's table and leaves the data on disk, for archives that are larger than
    /// memory. Members are read on demand; [`Model::write_to`] and [`Model::unpack`] copy them
    /// through a bounded buffer.
    pub fn of(file: &Blob) -> Result<Self> {
        layout::read(file)
    }

    /// The start entry.
    pub fn start(&self) -> Option<&Start> {
        self.start.as_ref()
    }

    /// The files, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The files, to be edited; what ends the archive will follow.
    pub fn edit(&mut self) -> Result<&mut Vec<Entry>> {
        let mut trailer = self.trailer()?.clone();
        if let Trailer::Sha1 { sum, .. } = &mut trailer {
            *sum = None;
        }
        self.ending = Ending::Stored(trailer);
        Ok(&mut self.entries)
    }

    /// The bytes after the data block. The first call hashes the archive if necessary.
    pub fn trailer(&self) -> Result<&Trailer> {
        match &self.ending {
            Ending::Stored(trailer) => Ok(trailer),
            Ending::Read(bytes, known) => {
                if let Some(trailer) = known.get() {
                    return Ok(trailer);
                }
                // Archives from before 2006 have no hash, and computing one would cost time for
                // nothing.
                let sum = if bytes.len() >= 21 && bytes.first() == Some(&0) {
                    Some(self.body_sha1()?)
                } else {
                    None
                };
                Ok(known.get_or_init(|| Trailer::of(bytes, sum)))
            }
        }
    }

    /// The name of the first file that is a private key.
    pub fn private_key(&self) -> Result<Option<String>> {
        for entry in &self.entries {
            if entry.is_private_key()? {
                return Ok(Some(entry.name.show().into_owned()));
            }
        }
        Ok(None)
    }

    /// The value of the first property of this name, in any case of its letters.
    pub fn property(&self, key: &str) -> Option<&Label> {
        let pairs = &self.start.as_ref()?.properties;
        pairs
            .iter()
            .find(|(k, _)| k.0.eq_ignore_ascii_case(key.as_bytes()))
            .map(|(_, value)| value)
    }

    /// SHA-1 of all bytes before the trailer.
    pub(crate) fn body_sha1(&self) -> Result<[u8; 20]> {
        use sha1::{Digest, Sha1};
        if let Ending::Read(_, known) = &self.ending
            && let Some(
                Trailer::Sha1 { sum: Some(sum), .. }
                | Trailer::Wrong {
                    instead_of: sum, ..
                },
            ) = known.get()
        {
            return Ok(*sum);
        }
        let mut sum = Sha1::new();
        layout::header(self, &mut |piece| {
            sum.update(piece);
            Ok(())
        })?;
        Blob::each_of(self.data(), &mut |piece| {
            sum.update(piece);
            Ok(())
        })?;
        Ok(sum.finalize().into())
    }

    /// The payloads.
    fn data(&self) -> impl Iterator<Item = &Blob> {
        self.entries.iter().map(|entry| &entry.data)
    }

    /// Bytes of all payloads.
    fn data_len(&self) -> u64 {
        self.data().map(Blob::len).sum()
    }

    /// Which games' tools write such archives.
    pub(crate) fn era(&self) -> &'static str {
        let Ok(trailer) = self.trailer() else {
            return "unknown";
        };
        match (&self.start, trailer) {
            (_, Trailer::Sha1 { .. } | Trailer::Wrong { .. }) => "ArmA and later",
            (Some(_), Trailer::Raw(bytes)) if bytes.len() == 5 => "Operation Flashpoint: Elite",
            (Some(_), Trailer::None) if self.property("product").is_some() => {
                "Operation Flashpoint: Resistance"
            }
            (None, Trailer::None) => "Operation Flashpoint: Cold War Crisis",
            _ => "unknown",
        }
    }

    /// The usual packer of the archive's packed files. It only inspects the streams and packs
    /// nothing.
    pub(crate) fn usual_packer(&self) -> Option<lzss::Packer> {
        lzss::usual(
            par::map(&self.entries, |_, entry| entry.packers())
                .iter()
                .flatten(),
        )
    }

    /// A new file in the form that its name asks for: a picture as a texture, the text of a config
    /// as a binary one. `None` for any other.
    fn converted(&mut self, name: &str, bytes: &[u8]) -> Result<Option<Bytes>> {
        let as_it_is = |e: Error| e.hint("--raw stores the file as it is");
        if texture::is_name(name.as_bytes()) && Picture::is_one(bytes) {
            let (file, notes) = texture::of_picture(bytes, name).map_err(as_it_is)?;
            self.notes
                .extend(notes.into_iter().map(|note| format!("{name}: {note}")));
            return Ok(Some(file));
        }
        let is_binary = name.len().checked_sub(4).and_then(|at| name.get(at..));
        let is_text = || !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok();
        if is_binary.is_some_and(|end| end.eq_ignore_ascii_case(".bin"))
            && !bytes.is_empty()
            && is_text()
        {
            let include = |_: &str, _: &str| {
                Err(Error::say(
                    "`refit repack FILE --format rap` compiles included files",
                ))
            };
            let text = crate::rap::decoded(bytes)?;
            let config = Rap::compile(name, &text, &include).map_err(as_it_is)?;
            return Ok(Some(config.write()?.into()));
        }
        Ok(None)
    }

    /// Lists of textures follow the new content of a texture.
    fn renew_lists(&mut self, index: usize, content: &[u8]) -> Result<()> {
        let entry = self.entry(index)?;
        let lists: Vec<usize> = match texture::is_name(&entry.name.0) {
            true => (0..)
                .zip(&self.entries)
                .filter(|(_, e)| tex_headers::is_name(&e.name))
                .map(|(i, _)| i)
                .collect(),
            false => Vec::new(),
        };
        for i in lists {
            let (entry, list) = (self.entry(index)?, self.entry(i)?);
            let (Some(before), Some(file)) = (entry.unpacked()?, list.unpacked()?) else {
                continue;
            };
            let after = Bytes::copy_from_slice(content).into();
            let renewed =
                tex_headers::renewed(&list.name, &file.bytes()?, &entry.name, &before, &after);
            let usual = self.usual_packer();
            if let (Some(renewed), Some(list)) = (renewed, self.edit()?.get_mut(i)) {
                list.set_content(&renewed, usual)?;
            }
        }
        Ok(())
    }

    fn entry(&self, index: usize) -> Result<&Entry> {
        self.entries.get(index).ok_or_else(|| {
            Error::say(format!(
                "there is no member {index}; the archive has {}",
                self.entries.len()
            ))
        })
    }
}

/// The name for unpacked files in [`Model::info`].
const STORED: &str = "stored";
const PACKED: &str = "packed";
const WRONG: &str = "packed files with a wrong checksum";
const OPAQUE: &str = "marked as packed, not readable";
const OTHER: &str = "of another method";

/// The codec of [`Pbo`].
pub struct PboCodec;

/// A nameless entry with the method `Vers`.
const START: &[u8] = b"\0sreV";

/// The prefix of an archive, from its first bytes. `None` if it has none, or if they end before it.
pub fn prefix_in(head: &[u8]) -> Option<String> {
    // The start entry is a nameless entry of 21 bytes; pairs of texts follow, and an empty text.
    let mut texts = head
        .strip_prefix(START)
        .and_then(|_| head.get(21..))?
        .split(|b| *b == 0);
    let last = head
        .len()
        .checked_sub(1)
        .filter(|at| head.get(*at) != Some(&0));
    loop {
        let (key, value) = (texts.next().filter(|key| !key.is_empty())?, texts.next()?);
        if key.eq_ignore_ascii_case(b"prefix") {
            // The text at the end of the bytes may go on.
            let is_whole = last.is_none() || texts.next().is_some();
            return Some(Label(value.into()).show().into_owned()).filter(|_| is_whole);
        }
    }
}

/// Recognises an archive with properties by its beginning.
fn recognise_start(suspect: &Suspect<'_>) -> Verdict {
    match suspect.head.starts_with(START) {
        true => Verdict::Is(Detection::new(
            Format::Pbo,
            None,
            "a PBO with properties",
            true,
        )),
        false => Verdict::No,
    }
}

/// Recognises an archive without properties by the walk through its table.
fn recognise_table(suspect: &Suspect<'_>) -> Verdict {
    match is_pbo(suspect.head, suspect.len) {
        Some(true) => Verdict::Is(Detection::new(
            Format::Pbo,
            None,
            "a PBO entry table that fits",
            true,
        )),
        Some(false) => Verdict::No,
        None => Verdict::More,
    }
}

/// Recognises an obfuscated archive. It begins with names and methods that no weak test would
/// believe: the file's name decides that the walk is tried.
fn recognise_named(suspect: &Suspect<'_>) -> Verdict {
    if !suspect.ends_with(".pbo") {
        return Verdict::No;
    }
    let Some(file) = suspect.whole else {
        return Verdict::All;
    };
    match layout::read_table(file) {
        Ok(()) => Verdict::Is(Detection::new(
            Format::Pbo,
            None,
            "the name, and an entry table that fits",
            false,
        )),
        Err(e) => Verdict::Refused(e.context("a damaged PBO, or not a PBO")),
    }
}

/// Recognises a PBO. Without properties it has no signature: its first entry must be plausible, and
/// the sizes must fit. `file` is the beginning of `len` bytes; `None` if it is too short to decide.
fn is_pbo(file: &[u8], len: u64) -> Option<bool> {
    let mut at = 0usize;
    let mut data = 0u64;
    let mut entries = 0;
    loop {
        let rest = file.get(at..)?;
        let n = rest.iter().position(|b| *b == 0)?;
        let word = |at: usize| value_at::<u32>(rest, at);
        let size = word(n + 17)?;
        at += n + 21;
        if n == 0 {
            // An archive without entries is nothing but its end entry and a trailer.
            let empty =
                entries == 0 && file.get(..21) == Some(&[0; 21]) && matches!(len, 21 | 26 | 42);
            return Some(at as u64 + data <= len && (entries > 0 || empty));
        }
        let name = rest.within(..n);
        let known = word(n + 1).is_some_and(|m| {
            matches!(m, 0 | 0x4370_7273 | 0x5665_7273 | 0x456e_6372 | 0x456e_636f)
        });
        if entries == 0 && (!known || n > 255 || name.iter().any(|b| *b < 0x20)) {
            return Some(false);
        }
        entries += 1;
        data += u64::from(size);
    }
}

/// Fields with names. Games and other addons refer to a file by its name with the prefix before it.
const NAMES: &[Rule] = &[
    Rule::defines("pbo", "entries[].file", NameKind::File),
    Rule::defines("pbo", "entries[].name", NameKind::File),
];

impl Codec for PboCodec {
    type Model = Pbo;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<Pbo> {
        let files = folder.paths().into_iter().map(|path| {
            let below = path
                .split('/')
                .map(|part| part.as_bytes().to_vec())
                .collect();
            Ok(build::Found {
                below,
                regular: true,
                place: path,
            })
        });
        let built = build::from_files(
            files,
            |path| folder.blob(path),
            &build::Options::default(),
            None,
        )?;
        built.notes.into_iter().for_each(|note| folder.assume(note));
        Ok(built.pbo)
    }

    fn names(&self) -> &'static [Rule] {
        NAMES
    }
    fn names_in_text(&self, path: &str, text: &str, see: &mut dyn FnMut(NameUse)) {
        if path.starts_with("files/") {
            config_names::paths(text, see);
            if config_names::has_classes(path) {
                config_names::classes(text, see);
            }
        }
    }
    fn names_in_bytes(&self, path: &str, bytes: &[u8], see: &mut dyn FnMut(NameUse)) {
        if path.starts_with("files/")
            && let Some(found) = model_names(bytes)
        {
            found.names.iter().for_each(|name| see(name.as_use()));
        }
    }
    fn read(&self, file: &Blob, _: &Context) -> Result<Pbo> {
        Pbo::of(file)
    }
    fn leaves_on_disk(&self) -> bool {
        true
    }
    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        layout::explain(file, trace)
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Pbo> {
        manifest::assemble(tree)
    }
    fn places(&self, tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        manifest::places(tree)
    }
}

impl Model for Pbo {
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        layout::write(self, out)
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        manifest::unpack(self, tree)
    }
    fn proves_parts(&self) -> bool {
        true
    }
    fn notes(&self) -> &[String] {
        &self.notes
    }
    fn followed(&self) -> &[Followed] {
        &self.followed
    }
    fn lint(&self, lints: &mut Lints) {
        lints::lint(self, lints);
    }
    fn info(&self) -> Info {
        let mut info: Info = vec![("era", self.era().into())];
        if let Some(start) = &self.start {
            let pairs: Vec<String> = start
                .properties
                .iter()
                .map(|(k, v)| format!("{} = {}", k.show(), v.show()))
                .collect();
            info.push(("properties", pairs.into()));
        } else {
            info.push(("properties", "none: no start entry".into()));
        }
        info.push(("files", self.entries.len().into()));
        let mut kinds: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for entry in &self.entries {
            let (n, bytes) = kinds.entry(extension(&entry.name)).or_default();
            (*n, *bytes) = (*n + 1, *bytes + entry.data.len());
        }
        let kinds: serde_json::Map<_, _> = kinds
            .into_iter()
            .map(|(k, (n, bytes))| (k, format!("{n} ({bytes} bytes)").into()))
            .collect();
        info.push(("kinds", kinds.into()));
        let stored = par::map(&self.entries, |_, entry| {
            match self.faults.or_note(entry.content()) {
                Some(Content::Packed(stream))
                    if stream
                        .check
                        .is_some_and(|c| c != lzss::check_value(&stream.content)) =>
                {
                    WRONG
                }
                Some(Content::Packed(_)) => PACKED,
                Some(Content::Opaque(..)) => OPAQUE,
                _ if entry.method != 0 && entry.method != CPRS => OTHER,
                _ => STORED,
            }
        });
        let count = |how: &str| stored.iter().filter(|other| **other == how).count();
        let packed = count(PACKED) + count(WRONG);
        info.push((STORED, count(STORED).into()));
        for (key, n) in [
            (PACKED, packed),
            (OPAQUE, count(OPAQUE)),
            (OTHER, count(OTHER)),
        ] {
            if n > 0 {
                info.push((key, n.into()));
            }
        }
        if packed > 0 {
            info.push((WRONG, count(WRONG).into()));
        }
        let trailer = match self
            .faults
            .or_note(self.trailer())
            .unwrap_or(&Trailer::None)
        {
            Trailer::None => "none".to_owned(),
            Trailer::Sha1 { behind, .. } if behind.is_empty() => "SHA-1, right".to_owned(),
            Trailer::Sha1 { behind, .. } => {
                format!("SHA-1, correct, followed by {} bytes", behind.len())
            }
            Trailer::Wrong { stored, instead_of } => {
                format!(
                    "SHA-1, wrong: {}, the archive's is {}",
                    hex20(stored),
                    hex20(instead_of)
                )
            }
            Trailer::Raw(bytes) if bytes.len() == 5 => {
                format!("5 bytes as in Elite: {}", refit_base::wire::hex_of(bytes))
            }
            Trailer::Raw(bytes) => format!("{} bytes of unknown meaning", bytes.len()),
        };
        info.push(("trailer", trailer.into()));
        if let Ok(
            Trailer::Sha1 { sum: Some(sum), .. }
            | Trailer::Wrong {
                instead_of: sum, ..
            },
        ) = self.trailer()
        {
            info.push(("sha1", hex20(sum).into()));
        }
        info
    }
    fn fault(&self) -> Option<Error> {
        self.faults.take()
    }
    refit_base::offers!(Members, Export);
}

impl Export for Pbo {
    /// Sheets with the textures.
    fn export(&self, out: &dyn Sink) -> Result<Vec<String>> {
        let named: Vec<&Entry> = self
            .entries
            .iter()
            .filter(|entry| texture::is_name(&entry.name.0))
            .collect();
        let is_texture = par::try_map(&named, |_, entry| {
            entry.texture().map(|texture| texture.is_some())
        })?;
        let textures: Vec<&Entry> = named
            .into_iter()
            .zip(is_texture)
            .filter(|(_, is)| *is)
            .map(|(entry, _)| entry)
            .collect();
        if textures.is_empty() {
            return Err(Error::say("the archive has no textures to export"));
        }
        let tile = |i: usize| {
            let entry = textures
                .get(i)
                .ok_or_else(|| refit_base::contract::no_member(i))?;
            let texture = entry
                .texture()?
                .ok_or_else(|| refit_base::contract::no_member(i))?;
            let file = entry.name.parts().next_back().unwrap_or_default();
            let name = Label(file.into()).show().into_owned();
            texture.into_paa().tile(0, name)
        };
        sheet::write(textures.len(), &tile, out)
    }
}

impl Members for Pbo {
    fn members(&self) -> Vec<Member> {
        let member = |entry: &Entry| {
            let mut detail = match entry.method {
                0 => Vec::new(),
                CPRS => vec![format!("packed from {} bytes", entry.original)],
                other => vec![format!("method {other:#010x}")],
            };
            if entry.time != 0 {
                detail.push(UnixTime(entry.time).to_string());
            }
            Member {
                name: entry.name.show().into_owned(),
                bytes: entry.data.len(),
                kind: extension(&entry.name).into(),
                detail: detail.join(", "),
            }
        };
        self.entries.iter().map(member).collect()
    }
    fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        let entry = self.entry(index)?;
        if form == Form::Stored {
            return entry.data.bytes();
        }
        if let Some((text, _)) = entry.config()? {
            return Ok(text.into());
        }
        if let Some(picture) = entry
            .texture()?
            .and_then(|texture| texture.picture(true, false).ok())
        {
            return Ok(picture.into());
        }
        match entry.content()? {
            Content::Packed(stream) => Ok(stream.content.into()),
            Content::Stored(data) | Content::Opaque(data, _) => data.bytes(),
        }
    }
    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        // The content is unchanged: keep the packed bytes and the hash.
        if self.get(index, form)? == bytes {
            return Ok(());
        }
        let usual = if form == Form::Stored {
            None
        } else {
            self.usual_packer()
        };
        // A config can be given as text or as a binary file.
        let config = match form {
            Form::Document(_) if !member::is_config(bytes) => self.entry(index)?.config()?,
            _ => None,
        };
        let mut compiled: Option<Bytes> = config
            .map(|(_, extras)| extras.compile(utf8(bytes)?.to_owned()).map(Bytes::from))
            .transpose()?;
        // So does a texture.
        if let (Form::Document(_), false, Some(texture)) = (
            form,
            texture::is_texture(bytes),
            self.entry(index)?.texture()?,
        ) {
            let (file, notes) = texture.with_picture(bytes)?;
            let name = self.entry(index)?.name.show().into_owned();
            self.notes
                .extend(notes.into_iter().map(|note| format!("{name}: {note}")));
            compiled = Some(file);
        }
        let bytes = compiled.as_deref().unwrap_or(bytes);
        if let Form::Document(_) = form {
            if let Some(content) = self.entry(index)?.unpacked()?
                && content.is(bytes)?
            {
                return Ok(());
            }
            self.renew_lists(index, bytes)?;
        }
        if let Some(entry) = self.edit()?.get_mut(index) {
            match form {
                Form::Document(_) => entry.set_content(bytes, usual)?,
                Form::Stored => entry.data = Blob::Memory(Bytes::copy_from_slice(bytes)),
            }
        }
        Ok(())
    }
    fn add_member(&mut self, name: &str, bytes: &[u8], form: Form) -> Result<usize> {
        let usual = self.usual_packer();
        let converted = if form == Form::Stored {
            None
        } else {
            self.converted(name, bytes)?
        };
        let bytes = converted.as_deref().unwrap_or(bytes);
        let mut entry = Entry {
            name: Label(name.replace('/', "\\").into_bytes().into()),
            ..Entry::default()
        };
        entry.set_content(bytes, usual)?;
        let entries = self.edit()?;
        // A sorted archive stays sorted.
        let folded = |entry: &Entry| entry.name.folded();
        let at = match entries.is_sorted_by_key(folded) {
            true => {
                let own = entry.name.folded();
                entries.partition_point(|other| other.name.folded() <= own)
            }
            false => entries.len(),
        };
        entries.insert(at, entry);
        Ok(at)
    }
}

/// The extension in lower case, which identifies the kind of file in these games.
fn extension(name: &Label) -> String {
    let file = name.parts().next_back().unwrap_or_default();
    match file.iter().rposition(|b| *b == b'.') {
        Some(dot) if dot > 0 && file.len() - dot <= 12 => {
            Label(file.within(dot + 1..).to_ascii_lowercase().into())
                .show()
                .into_owned()
        }
        _ => "none".to_owned(),
    }
}

/// A hash without blanks.
fn hex20(sum: &[u8]) -> String {
    refit_base::wire::hex_of(sum).replace(' ', "")
}

refit_base::tables! { tex_headers::TextureHead, tex_headers::LevelHead }
