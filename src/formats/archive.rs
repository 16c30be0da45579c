//! ZBD archives, versions 1 and 2: sounds, reader files, motions, 'mech models, save games, anything
//! (archive/FORMAT.md).
//!
//! The payloads come first, then the table of contents, then the footer. The model has the payloads as ranges of the
//! file, which may stay on disk; a `MemberCodec` interprets them.

mod fresh;
mod toc;

use super::support::layout::FilePart;
pub(crate) use toc::{recognise, recognise_rest};

use super::{
    Codec, Context, Export, Family, Format, Incremental, Info, ManifestLine, Member, Members, Model, Renewable, motion,
    reader, savegame, sounds,
    support::{
        Faults,
        layout::{Holds, Place, Span},
        members::MemberCodec,
    },
};
use crate::tree::plain::PlainFolder;
use crate::{
    game::Game,
    lint::{Lints, codes},
    naming::{NameKind, NameUse, Rule},
    par,
    tree::{AnyDocument, Blob, ByteSink, Form, Head, Sink, Style, TreeReader, TreeWriter, UniquePaths},
    wire::{
        Error, FileTime, Hex, Notation, Reader, Record, Refused, Result, Role, Scalar, ShortText, Str, Text, Trace,
        Writer, fit, hex_word, is_false, utf8,
    },
};
use bytes::Bytes;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, HashMap, VecDeque};
use toc::Toc;

/// The formats, lint codes and schema of this module.
pub(crate) const FAMILY: Family = Family {
    formats: &[Format::Archive, Format::Sounds, Format::Reader, Format::Motion, Format::Mechlib, Format::Savegame],
    codes: CODES,
    schemas: || vec![super::schema::<ArchiveManifest>()],
};

codes! {
    /// The kinds of findings in archives.
    pub CODES:
    ARCHIVE_LAYOUT "archive-layout" Unusual [] "payloads are not stored in the order of the table of contents"
        "There are gaps, shared or overlapping payloads, or another order. The layout is kept in the manifest. To \
        write the payloads one after the other, delete `layout` there."
        "Measured: in all archives of Recoil, MechWarrior 3 and Crimson Skies payloads follow the table's order. The \
        engines seek to each member."
    ARCHIVE_CHECKSUM "archive-checksum" Unusual [] "the stored checksum is wrong"
        "Reader archives of Pirate's Moon have a checksum of their payloads; other archives have zero. A wrong \
        checksum is kept. Delete `checksum` from the manifest, and refit computes it."
        "Measured on reader archives of Pirate's Moon; whether its engine checks it is not known."
    ARCHIVE_SHADOWED "archive-shadowed" Unusual [] "an earlier member has the same name"
        "The engine ignores case and takes the first member of a name, so it cannot reach this one by name."
        "Read in the engines of Recoil, MechWarrior 3 and Crimson Skies. Shipped: 16 sounds in each bank of Recoil, \
        four in MechWarrior 3, 29 names in Crimson Skies."
    ARCHIVE_EMPTY_MEMBER "archive-empty-member" Unusual [] "an empty member"
        "Valid, but no shipped archive is known to have one."
        "Measured: no archive of Crimson Skies has one."
    ARCHIVE_NAME "archive-name" Unusual [] "an unusual name"
        "Names in known archives are ASCII and not empty."
        "Measured on shipped archives."
    ARCHIVE_NAME_END "archive-name-end" Ignores [Rc] "a name without a terminating zero"
        "A name has at most 63 bytes and a zero. The game compares up to the first zero, which is in the fields after \
        the name, so it never finds this member."
        "Recoil compares names up to the first zero, beyond the 64 bytes of the field."
}

const ENTRY: u64 = MemberLine::size(Game::Mw) as u64;

/// Members whose texts are in memory at the same time.
const AT_ONCE: usize = 32;

/// The names and payloads of an archive's members, in the order of its table.
pub fn members(file: &Bytes) -> Result<Vec<(String, Bytes)>> {
    let file = Blob::from(file);
    let toc = Toc::pick(&file)?;
    let payload = |span: &Span| file.slice(span.start, span.len)?.bytes();
    toc.entries().zip(&toc.spans).map(|(entry, span)| Ok((entry?.name.text().into_owned(), payload(span)?))).collect()
}

/// The comments of an archive's members, in the order of its table; `None` for one that was not given. Those of the
/// studios' reader archives are the paths of the files that were packed.
pub fn comments(file: &Bytes) -> Result<Vec<Option<String>>> {
    let toc = Toc::pick(&file.into())?;
    toc.entries().map(|entry| entry.map(|e| (e.flags.0 & 2 != 0).then(|| e.comment.text().into_owned()))).collect()
}

/// The checksum of Pirate's Moon: CRC-32/CKSUM without the final complement; the register starts at 0
/// (archive/FORMAT.md).
///
/// ```
/// assert_eq!(refit::formats::archive::checksum([b"123456789".as_slice()]), 0x89A1897F);
/// ```
pub fn checksum<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> u32 {
    const ALGORITHM: crc::Algorithm<u32> = crc::Algorithm {
        width: 32,
        poly: 0x04c1_1db7,
        init: 0,
        refin: false,
        refout: false,
        xorout: 0,
        check: 0x89a1_897f,
        residue: 0,
    };
    static CRC: crc::Crc<u32, crc::Table<16>> = crc::Crc::<u32, crc::Table<16>>::new(&ALGORITHM);
    let mut digest = CRC.digest();
    for part in parts {
        digest.update(part.as_ref());
    }
    digest.finalize()
}

/// A stored checksum that is not the one of its kind of archive: `"computed"`, or a value that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Checksum {
    /// The CRC of the payloads, in a kind of archive that usually has none.
    Computed,
    /// This value, whatever the payloads are.
    Kept(u32),
}

impl Serialize for Checksum {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Checksum::Computed => s.serialize_str("computed"),
            Checksum::Kept(value) => Hex(*value).serialize(s),
        }
    }
}

crate::text_form!(Checksum: "\"computed\", or a checksum as \"0x89a1897f\"", |value| match value {
    Scalar::Text("computed") => Ok(Checksum::Computed),
    Scalar::Text(text) => {
        let word = hex_word(text).and_then(|word| u32::try_from(word).ok());
        word.map(Checksum::Kept).ok_or(Refused::Value)
    }
    _ => Err(Refused::Type),
});

crate::schema_form!(Checksum: "Checksum", |_| schemars::json_schema!({
    "type": "string", "pattern": "^(computed|0x[0-9a-fA-F]{1,8})$"
}));

crate::manifest! {
    /// The manifest of an archive: its members in the order of the table of contents.
    pub(crate) struct ArchiveManifest, "archive" {
        /// 1, or 2 with a checksum (Pirate's Moon).
        version: u32,
        /// Present only if the stored checksum is not the usual one: the CRC in version 2 reader archives, zero in
        /// others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        checksum: Option<Checksum>,
        /// Every length is stored as 1, as in motion archives of Pirate's Moon.
        #[serde(default, skip_serializing_if = "is_false")]
        lengths_are_one: bool,
        /// True if the comment of every member without one in `members` is its name, as in all archives of Crimson
        /// Skies. It then follows a renamed member.
        #[serde(default, skip_serializing_if = "is_false")]
        comments_are_names: bool,
        /// The members in the order of the table.
        members: Vec<MemberLine>,
        /// Present only if the data do not follow the table: the files and gaps in the order of the data.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        layout: Vec<Box<str>>,
    }
}

crate::record! {
    /// A member: its line in the manifest, and its entry of the table in the file.
    #[derive(Default)]
    pub(crate) struct MemberLine [Rc 148, Mw 148, Pm 148, Cs 148] with Extent {
        /// Offset of the payload in the file.
        let start @0: u32 = |m| m.cx.start,
        /// Bytes of the payload.
        let length: u32 = |m| m.cx.length,
        /// The name in the archive.
        name @8: ShortText<64>,
        /// The file in the tree. Two members may share one.
        file: Box<str> in below,
        /// The time of the packed file, which in Recoil is a temporary file, so roughly when the archive was made. Or
        /// stale memory. Absent for zero.
        time! @140: FileTime,
        /// Bit 1 means that comment and time were set on purpose; other bits are often stale memory. Absent for zero.
        flags! @72: Hex<u32>,
        /// A comment, often the path of a temporary file, or stale memory. Absent if empty, or if it is the name
        /// (`comments_are_names`).
        comment!: ShortText<64>,
        /// Present if the member is only a part of its file, because members overlap.
        part?: FilePart in below,
        /// Why the member is kept as raw bytes. For information only.
        raw?: Box<str> in below,
        /// Of the model: the piece of its data that the member is, or is a part of.
        mut piece: usize in below,
    }
}

/// The range of a payload.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extent {
    /// Its offset in the file.
    pub start: u32,
    /// Its bytes, as counted.
    pub length: u32,
}

impl Extent {
    /// Parses an entry.
    fn of(entry: &[u8]) -> Self {
        Extent { start: MemberLine::peek_start(entry, Game::Mw), length: MemberLine::peek_length(entry, Game::Mw) }
    }
}

/// An archive.
pub struct Archive {
    context: Context,
    version: u32,
    ones: bool,
    checksum: Option<Checksum>,
    /// The data, in order.
    pieces: Vec<Blob>,
    members: Vec<MemberLine>,
    /// False where pieces that no member owns, which are gaps or overlaps, or their order must be kept.
    canonical: bool,
    faults: Faults,
}

/// The codec of all archives.
pub(crate) struct ArchiveCodec;

/// Fields with names. The kind of a member's name depends on the archive: see [`kind_of_member`].
const NAMES: &[Rule] = &[
    Rule::defines("archive", "members[].name", NameKind::Member),
    Rule::uses("motion", "parts[].name", NameKind::Node),
    Rule::defines("mechlib-member", "nodes[].name", NameKind::Node),
    Rule::defines("mechlib-member", "materials[].texture_name", NameKind::Material),
    Rule::uses("savegame", "activation.name", NameKind::Animation),
];

/// The kind of name of the members of an archive.
pub(crate) fn kind_of_member(format: Format) -> NameKind {
    match format {
        Format::Sounds => NameKind::Sound,
        Format::Motion => NameKind::Motion,
        Format::Mechlib => NameKind::Model,
        _ => NameKind::Member,
    }
}

impl Codec for ArchiveCodec {
    type Model = Archive;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<Archive> {
        fresh::archive(folder)
    }
    fn names(&self) -> &'static [Rule] {
        NAMES
    }
    fn names_in_text(&self, path: &str, text: &str, see: &mut dyn FnMut(NameUse)) {
        super::reader::names_in_member(path, text, see);
    }
    fn read(&self, file: &Bytes, context: &Context) -> Result<Archive> {
        self.open(&file.into(), context)
    }

    fn open(&self, file: &Blob, context: &Context) -> Result<Archive> {
        Archive::of(file, &Toc::pick(file)?, context)
    }

    fn leaves_on_disk(&self) -> bool {
        true
    }

    fn explain(&self, file: &Blob, context: &Context, trace: &dyn Trace) -> Result<()> {
        let file = file.bytes()?;
        let blob = Blob::from(&file);
        let version = Toc::pick(&blob)?.version;
        let r = Reader::new(&file, Game::Mw).traced(Some(trace));
        let toc = Toc::read(&blob, version, Some(trace))?;
        let (plan, entries) = (toc.plan(), toc.entries().collect::<Result<Vec<_>>>()?);
        let (typed, mut names, mut gaps) = (member_codec(context.format), UniquePaths::new(), 0);
        for piece in &plan.pieces {
            let (start, bytes) =
                (piece.span.start, file.slice(piece.span.start as usize..(piece.span.start + piece.span.len) as usize));
            // A piece has the name of its first member, as in the tree.
            let first = if let Holds::Part(first) = piece.holds { entries.get(first) } else { None };
            let Some(entry) = first else {
                gaps += 1;
                let role = if piece.holds == Holds::Gap { Role::Gap } else { Role::Payload };
                trace.note(
                    start,
                    piece.span.len,
                    &names.assign(&format!("gaps/{gaps}.bin"), ""),
                    Notation::Bytes,
                    role,
                );
                continue;
            };
            let name = Str(entry.name.bytes().to_vec());
            let member = r.inner(&bytes, start);
            let is_typed = typed.is_some_and(|typed| typed.explain(&name, member.clone().traced(None), context));
            let document = names.assign(&entry.name.text(), if is_typed { ".json" } else { "" });
            match typed.filter(|_| is_typed) {
                Some(typed) => {
                    trace.enter(&format!("{document} › "));
                    typed.explain(&name, member, context);
                    trace.leave();
                }
                None => trace.note(start, piece.span.len, &document, Notation::Bytes, Role::Payload),
            }
        }
        Ok(())
    }

    fn places(&self, tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        let manifest: ArchiveManifest = tree.manifest()?;
        Ok(manifest.members.into_iter().enumerate().map(|(i, line)| (shown(i, &line.name), line.file.into())).collect())
    }

    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Archive> {
        let manifest: ArchiveManifest = tree.manifest()?;
        if !matches!(manifest.version, 1 | 2) {
            return Err(
                Error::say(format!("version {}: archives have version 1 or 2", manifest.version)).in_file("refit")
            );
        }
        let context = Context { game: manifest.game, format: manifest.format, file: manifest.source.file };
        let load = Load { tree, typed: member_codec(context.format), context: &context };
        let canonical = manifest.layout.is_empty();
        let mut members = manifest.members;
        let files = load.files(&mut members, manifest.layout)?;
        let pieces = par::try_map(&files, |_, (file, raw)| load.piece(file, *raw))?;
        drop(files);
        for line in &mut members {
            if let Some(part) = line.part {
                let size = pieces.get(line.piece).map_or(0, Blob::len);
                part.check(size).map_err(|e| e.within(line.name.text()).in_file("refit"))?;
            }
            if manifest.comments_are_names && line.comment.is_blank() {
                line.comment = line.name.clone();
            }
        }
        Ok(Archive {
            context,
            version: manifest.version,
            ones: manifest.lengths_are_one,
            checksum: manifest.checksum,
            pieces,
            members,
            canonical,
            faults: Faults::default(),
        })
    }

    fn assemble_to_renew(&self, tree: &TreeReader<'_>) -> Result<Renewable<Archive>> {
        Ok(Renewable { model: self.assemble(tree)?, renew: Some(Box::new(MembersByPath)) })
    }

    fn line_for(&self, path: &str, head: &Head) -> Option<ManifestLine> {
        // The file of a document has the member's name and the extension of its style.
        let typed = Style::of(path).filter(|_| member_codec(head.format).is_some());
        let name = typed.and_then(|style| path.strip_suffix(style.ext())?.strip_suffix('.')).unwrap_or(path);
        let name = name.replace('/', "\\");
        Some(ManifestLine { list: "members", fields: vec![("name", name), ("file", path.to_owned())] })
    }
}

/// How the files of a tree are read.
struct Load<'a> {
    tree: &'a TreeReader<'a>,
    typed: Option<&'static dyn MemberCodec>,
    context: &'a Context,
}

impl Load<'_> {
    fn is_raw(&self, line: &MemberLine) -> bool {
        self.typed.is_none() || line.part.is_some() || Style::of(&line.file).is_none() || line.raw.is_some()
    }

    fn piece(&self, file: &str, raw: bool) -> Result<Blob> {
        match self.typed {
            Some(typed) if !raw => typed.load(self.tree, file, self.context),
            _ => self.tree.blob(file),
        }
    }

    /// The files in the order of the data, and whether each is used unchanged: the layout, then files of members that
    /// are missing in it (added ones), in the order of the table. Without a layout each line has its own piece.
    fn files(&self, members: &mut [MemberLine], layout: Vec<Box<str>>) -> Result<Vec<(Box<str>, bool)>> {
        let (canonical, mut pieces) = (layout.is_empty(), HashMap::new());
        for (i, file) in layout.iter().enumerate() {
            if pieces.insert(file.clone(), i).is_some() {
                return Err(Error::say(format!("{file:?} is listed twice")).within("layout").in_file("refit"));
            }
        }
        let mut files: Vec<(Box<str>, bool)> = layout.into_iter().map(|file| (file, true)).collect();
        for line in members {
            let raw = self.is_raw(line);
            let file = std::mem::take(&mut line.file);
            line.piece = if canonical { files.len() } else { *pieces.entry(file.clone()).or_insert(files.len()) };
            match files.get_mut(line.piece) {
                Some((_, flag)) => *flag = raw,
                None => files.push((file, raw)),
            }
        }
        Ok(files)
    }
}

/// Takes the file of members into an archive.
struct MembersByPath;

impl Incremental<Archive> for MembersByPath {
    fn renew(&mut self, tree: &TreeReader<'_>, path: &str, archive: &mut Archive) -> Result<bool> {
        // The positions in a manifest must be checked against the sizes of all files.
        if !archive.canonical {
            return Ok(false);
        }
        let context = archive.context.clone();
        let load = Load { tree, typed: member_codec(context.format), context: &context };
        let lines = tree.manifest::<ArchiveManifest>()?.members;
        let mut taken = false;
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| *line.file == *path) {
            let raw = load.is_raw(line);
            let Some(member) = archive.members.get(at).filter(|member| member.part.is_none()) else {
                return Ok(false);
            };
            let piece = load.piece(path, raw)?;
            if let Some(typed) = load.typed.filter(|_| !raw)
                && let Some(proved) = typed.prove(&member.name(), &piece.bytes()?, &context, Form::Stored, false)
            {
                proved.map_err(|e| e.in_file(path))?;
            }
            let Some(place) = archive.pieces.get_mut(member.piece) else { return Ok(false) };
            *place = piece;
            taken = true;
        }
        Ok(taken)
    }
}

impl MemberLine {
    fn name(&self) -> Str {
        Str(self.name.bytes().to_vec())
    }
}

/// The typed form of an archive's members.
fn member_codec(format: Format) -> Option<&'static dyn MemberCodec> {
    match format {
        Format::Reader => Some(&reader::Members),
        Format::Motion => Some(&motion::Members),
        Format::Savegame => Some(&savegame::Members),
        Format::Mechlib => super::mechlib::MEMBERS,
        _ => None,
    }
}

impl Archive {
    /// The archive that a table of contents makes of its file.
    fn of(file: &Blob, toc: &Toc, context: &Context) -> Result<Self> {
        let game = match (context.game, toc.version) {
            (None, 2) => Some(Game::Pm),
            (None, _) if matches!(context.format, Format::Motion | Format::Mechlib) => Some(Game::Mw),
            (game, _) => game,
        };
        // The plan of a large archive takes as much memory as its members, and is rarely needed.
        let plan = (!toc.is_in_order()).then(|| toc.plan());
        let places = plan.as_ref().map(|plan| plan.places.as_slice());
        let mut members = Vec::with_capacity(toc.spans.len());
        for (i, (entry, span)) in toc.entries().zip(&toc.spans).enumerate() {
            let place = places.map_or(Some(Place { piece: i, offset: None }), |places| places.get(i).copied());
            let Some(place) = place else { break };
            members.push(MemberLine { piece: place.piece, part: FilePart::of(place, span.len)?, ..entry? });
        }
        let piece = |span: &Span| file.slice(span.start, span.len);
        let pieces = match &plan {
            Some(plan) => plan.pieces.iter().map(|p| piece(&p.span)).collect::<Result<_>>()?,
            None => toc.spans.iter().map(piece).collect::<Result<_>>()?,
        };
        let mut archive = Archive {
            context: Context { game, format: context.format, file: context.file.clone() },
            version: toc.version,
            ones: toc.ones,
            checksum: None,
            canonical: plan.is_none_or(|plan| plan.is_canonical()),
            pieces,
            members,
            faults: Faults::default(),
        };
        if let Some(typed) = member_codec(context.format).filter(|typed| typed.is_strict()) {
            par::try_map(&archive.members, |_, member| {
                if member.part.is_some() {
                    return Ok(());
                }
                let checked = typed.check(&member.name(), &archive.read(member)?, &archive.context);
                checked.map_err(|e| e.within(format!("{} ›", member.name.text())))
            })?;
        }
        if toc.version == 2 {
            let usual = archive.usual_checksum();
            archive.checksum = if toc.checksum == usual {
                None
            } else if toc.checksum == archive.crc() {
                Some(Checksum::Computed)
            } else {
                Some(Checksum::Kept(toc.checksum))
            };
        }
        archive.check_fault()?;
        Ok(archive)
    }

    /// An error if a read from disk failed since the last call.
    fn check_fault(&self) -> Result<()> {
        self.faults.take().map_or(Ok(()), Err)
    }

    /// Format and game of the file.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// The names and stored bytes of the members, in order.
    pub fn stored(&self) -> Result<Vec<(Str, Bytes)>> {
        self.members.iter().map(|member| Ok((member.name(), self.read(member)?))).collect()
    }

    fn member(&self, index: usize) -> Result<&MemberLine> {
        self.members.get(index).ok_or_else(|| super::no_member(index))
    }

    /// The payload of a member.
    fn read(&self, member: &MemberLine) -> Result<Bytes> {
        let piece = self.pieces.get(member.piece).cloned().unwrap_or_default();
        match member.part {
            Some(FilePart { offset, length }) => piece.slice(offset.into(), length.into())?.bytes(),
            None => piece.bytes(),
        }
    }

    /// The payload of a member; empty if it cannot be read, which is then a [`Model::fault`].
    fn payload(&self, member: &MemberLine) -> Bytes {
        self.faults.or_note(self.read(member)).unwrap_or_default()
    }

    /// A member as a document; `None` if it is a plain file.
    fn typed(&self, member: &MemberLine, payload: &Bytes) -> Option<Result<Box<dyn AnyDocument>>> {
        member_codec(self.context.format)?.document(&member.name(), payload, &self.context)
    }

    /// Adds a member after all others, with only a name and its bytes, and returns its position.
    ///
    /// Fails on a name that is too long or has characters that no game knows.
    pub fn add(&mut self, name: &str, payload: Vec<u8>) -> Result<usize> {
        let name: Text<64> = name.try_into().map_err(|e: Error| e.within(name.to_owned()))?;
        self.members.push(MemberLine { name: name.into(), piece: self.pieces.len(), ..MemberLine::default() });
        self.pieces.push(Bytes::from(payload).into());
        Ok(self.members.len() - 1)
    }

    fn crc(&self) -> u32 {
        checksum(self.members.iter().map(|member| self.payload(member)))
    }

    fn usual_checksum(&self) -> u32 {
        if self.context.format == Format::Reader { self.crc() } else { 0 }
    }

    fn stored_checksum(&self) -> u32 {
        match self.checksum {
            None => self.usual_checksum(),
            Some(Checksum::Computed) => self.crc(),
            Some(Checksum::Kept(value)) => value,
        }
    }

    /// Replaces the piece that a member is.
    fn set(&mut self, index: usize, payload: Vec<u8>) {
        if let Some(piece) = self.members.get(index).and_then(|member| self.pieces.get_mut(member.piece)) {
            *piece = Bytes::from(payload).into();
        }
    }

    /// Bytes of the data.
    fn data_len(&self) -> u64 {
        self.pieces.iter().map(Blob::len).sum()
    }

    /// The first member of each piece; `None` if members are only parts of it.
    fn owners(&self) -> Vec<Option<&MemberLine>> {
        let mut owners = vec![None; self.pieces.len()];
        let parts = self.members.iter().filter(|member| member.part.is_some()).map(|member| (member.piece, None));
        for (piece, first) in self.members.iter().rev().map(|member| (member.piece, Some(member))).chain(parts) {
            if let Some(owner) = owners.get_mut(piece) {
                *owner = first;
            }
        }
        owners
    }
}

fn shown(i: usize, name: &ShortText<64>) -> String {
    match name.text() {
        name if name.is_empty() => format!("#{i}"),
        name => name.into_owned(),
    }
}

impl Model for Archive {
    fn write(&self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.data_len() as usize + self.members.len() * ENTRY as usize + 12);
        self.write_to(&mut out)?;
        Ok(out)
    }

    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        let mut starts = Vec::with_capacity(self.pieces.len());
        let mut at = 0usize;
        for piece in &self.pieces {
            starts.push(fit::<u32>(at, "an offset")?);
            at += piece.len() as usize;
        }
        let extent = |i: usize, member: &MemberLine| -> Result<Extent> {
            let start = starts.get(member.piece).copied().unwrap_or_default();
            let (offset, length) = match member.part {
                Some(part) => (part.offset, part.length),
                None => (0, fit(self.pieces.get(member.piece).map_or(0, Blob::len) as usize, "a length")?),
            };
            let start = start
                .checked_add(offset)
                .ok_or_else(|| Error::say("the archive would exceed 4 GiB").within(shown(i, &member.name)))?;
            Ok(Extent { start, length: if self.ones { 1 } else { length } })
        };
        // An error before anything is written.
        self.members.iter().enumerate().try_for_each(|(i, member)| extent(i, member).map(|_| ()))?;
        let mut w = Writer::new(Game::Mw);
        w.u32(self.version);
        w.u32(fit(self.members.len(), "the number of members")?);
        if self.version == 2 {
            w.u32(self.stored_checksum());
        }
        let footer = std::mem::take(&mut w.bytes);
        out.put_blobs(&mut self.pieces.iter())?;
        for (i, member) in self.members.iter().enumerate() {
            member.append(&mut w, &extent(i, member)?)?;
            if w.bytes.len() >= 1 << 18 {
                out.put(&w.bytes)?;
                w.bytes.clear();
            }
        }
        out.put(&w.bytes)?;
        out.put(&footer)?;
        self.check_fault()
    }

    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let typed = member_codec(self.context.format);
        let owners = self.owners();
        let (ext, mut names, mut gaps) = (tree.ext(), UniquePaths::new(), 0);
        let mut files: Vec<Box<str>> = Vec::with_capacity(self.pieces.len());
        let mut why: HashMap<usize, Box<str>> = HashMap::new();
        for (n, (pieces, owners)) in self.pieces.chunks(AT_ONCE).zip(owners.chunks(AT_ONCE)).enumerate() {
            let first = n * AT_ONCE;
            let some: Vec<_> = pieces.iter().zip(owners).collect();
            let proved = par::try_map(&some, |_, (piece, owner)| {
                let Some((owner, typed)) = owner.zip(typed) else { return Ok(None) };
                Ok::<_, Error>(typed.prove(&owner.name(), &piece.bytes()?, &self.context, tree.form, tree.proves()))
            })?;
            let mut texts = Vec::with_capacity(some.len());
            for (i, (proved, (piece, owner))) in (first..).zip(proved.into_iter().zip(&some)) {
                let text = match proved {
                    Some(Err(e)) => {
                        why.insert(i, e.to_string().into());
                        None
                    }
                    Some(Ok(text)) => text,
                    None => None,
                };
                if tree.form == Form::Stored {
                    continue;
                }
                let mut file = match owner {
                    Some(owner) => names.assign(&owner.name.text(), if text.is_some() { &ext } else { "" }),
                    None => {
                        gaps += 1;
                        names.assign(&format!("gaps/{gaps}.bin"), "")
                    }
                };
                // A plain file must not look like a document: its name gets another ending.
                if text.is_none() && typed.is_some() && Style::of(&file).is_some() {
                    file = names.assign(&file, ".bin");
                }
                files.push(file.into());
                texts.push((*piece, text));
            }
            par::try_map_owned(texts, |i, (piece, text)| {
                let file = files.get(first + i).map_or("", |file| &**file);
                match (text, typed) {
                    (Some(text), Some(typed)) => typed.store(tree, file, text, piece.clone()),
                    _ => tree.blob(file, piece),
                }
            })?;
        }
        if !why.is_empty() {
            for (i, member) in self.members.iter().enumerate() {
                if let Some(why) = why.get(&member.piece) {
                    tree.keep_raw(&shown(i, &member.name), &**why);
                }
            }
        }
        if tree.form == Form::Stored {
            return Ok(());
        }
        drop((names, owners));
        let doubled = self.members.iter().all(|member| member.comment == member.name);
        let comments_are_names = doubled && self.members.iter().any(|member| !member.name.is_blank());
        let mut line = |member: &MemberLine| {
            let mut line = member.clone();
            line.raw = why.get(&member.piece).cloned();
            if let Some(file) = files.get_mut(member.piece) {
                line.file = if self.canonical { std::mem::take(file) } else { file.clone() };
            }
            if comments_are_names {
                line.comment = ShortText::default();
            }
            line
        };
        let lines = self.members.iter().map(&mut line).collect();
        let layout = if self.canonical { Vec::new() } else { files };
        tree.manifest(ArchiveManifest::new(
            tree.head.clone(),
            self.version,
            self.checksum,
            self.ones,
            comments_are_names,
            lines,
            layout,
        ))
    }

    fn proves_parts(&self) -> bool {
        member_codec(self.context.format).is_some()
    }

    fn lint(&self, lints: &mut Lints) {
        lints.of_game(self.context.game);
        lints.check(self.canonical, ARCHIVE_LAYOUT, || {
            format!("{} members are stored in {} pieces", self.members.len(), self.pieces.len())
        });
        if self.version == 2 {
            lints.check(self.checksum.is_none(), ARCHIVE_CHECKSUM, || {
                format!("{:#010x} is stored, but {:#010x} is usual here", self.stored_checksum(), self.usual_checksum())
            });
        }
        let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
        for (i, member) in self.members.iter().enumerate() {
            let (name, shown) = (member.name.bytes(), shown(i, &member.name));
            let first = Some(*seen.entry(name.to_ascii_lowercase()).or_insert(i)).filter(|first| *first < i);
            // If several members have one name, only the position identifies one.
            let again = !name.is_empty() && first.is_some();
            lints.at(if again { format!("#{i} {shown}") } else { shown }, |lints| {
                lints.check(name.is_ascii() && !name.is_empty() && member.name.is_regular(), ARCHIVE_NAME, || {
                    format!("{:?}", member.name)
                });
                lints.check(member.name.is_terminated(), ARCHIVE_NAME_END, || "64 characters".into());
                if let Some(first) = first {
                    lints.say(ARCHIVE_SHADOWED, format!("member #{first} has the same name"));
                }
                let payload = self.payload(member);
                lints.check(!payload.is_empty(), ARCHIVE_EMPTY_MEMBER, || "0 bytes".into());
                if let Some(typed) = member_codec(self.context.format) {
                    typed.lint(&member.name(), &payload, &self.context, lints);
                } else if self.context.format == Format::Sounds {
                    sounds::lint(&payload, self.context.game, lints);
                }
            });
        }
    }

    fn lint_edit(&self, before: &Archive, lints: &mut Lints) {
        let Some(typed) = member_codec(self.context.format) else { return };
        // The n-th member of a name is compared with the n-th that had it.
        let mut olds: HashMap<&[u8], VecDeque<&MemberLine>> = HashMap::new();
        before.members.iter().for_each(|old| olds.entry(old.name.bytes()).or_default().push_back(old));
        for (i, member) in self.members.iter().enumerate() {
            let Some(old) = olds.get_mut(member.name.bytes()).and_then(VecDeque::pop_front) else { continue };
            let (now, before) = (self.payload(member), before.payload(old));
            if now != before {
                let name = member.name();
                lints.at(shown(i, &member.name), |lints| typed.lint_edit(&name, &now, &before, &self.context, lints));
            }
        }
    }

    fn fault(&self) -> Option<Error> {
        self.faults.take()
    }

    fn info(&self) -> Info {
        let mut info: Info = vec![
            ("version", self.version.into()),
            ("members", self.members.len().into()),
            ("data", self.data_len().into()),
        ];
        if self.version == 2 {
            let state = match self.checksum {
                None if self.context.format == Format::Reader => "correct",
                None => "none, as usual",
                Some(Checksum::Computed) => "correct, though usually absent here",
                Some(Checksum::Kept(_)) => "wrong",
            };
            info.push(("checksum", format!("{:#010x}, {state}", self.stored_checksum()).into()));
        }
        if !self.canonical {
            info.push(("layout", "not in the order of the table, or with gaps".into()));
        }
        let mut kinds: BTreeMap<super::Kind, usize> = BTreeMap::new();
        self.members().into_iter().for_each(|member| *kinds.entry(member.kind).or_default() += 1);
        info.push(("kinds", serde_json::json!(kinds)));
        if self.context.format == Format::Sounds {
            info.extend(sounds::tell(self.members.iter().map(|member| self.payload(member))));
        }
        info
    }

    crate::offers!(Members, Export);
}

impl Members for Archive {
    fn members(&self) -> Vec<Member> {
        par::map(&self.members, |_, member| {
            let payload = self.payload(member);
            let described = match member_codec(self.context.format) {
                Some(typed) => typed.describe(&member.name(), &payload, &self.context),
                None => sounds::describe(&payload),
            };
            let (kind, detail) = described.unwrap_or_else(|| ("raw".into(), String::new()));
            Member { name: member.name.text().into_owned(), bytes: payload.len() as u64, kind, detail }
        })
    }

    fn document(&self, index: usize) -> Result<Box<dyn AnyDocument>> {
        let member = self.member(index)?;
        self.typed(member, &self.read(member)?).unwrap_or_else(|| Err(super::no_document()))
    }

    fn put_document(&mut self, index: usize, document: &dyn AnyDocument) -> Result<()> {
        let member = self.member(index)?;
        let typed = member_codec(self.context.format).ok_or_else(super::no_document)?;
        let payload = typed.encode_document(document, &self.context)?;
        match member.part {
            // The result of `document` can always be put back.
            Some(_) if payload == self.read(member)? => {}
            Some(_) => return Err(overlaps()),
            None => self.set(index, payload),
        }
        Ok(())
    }

    fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        let member = self.member(index)?;
        let payload = self.read(member)?;
        match (form, self.typed(member, &payload)) {
            (Form::Document(style), Some(Ok(document))) => Ok(document.text(style)?.into()),
            _ => Ok(payload),
        }
    }

    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        let member = self.member(index)?;
        if member.part.is_some() {
            // The result of `get` can always be put back.
            return if self.get(index, form)? == bytes { Ok(()) } else { Err(overlaps()) };
        }
        // A member that cannot be read has neither bytes nor a document to offer.
        let before = self.read(member)?;
        let payload = match (form, member_codec(self.context.format)) {
            // A plain file is put back as bytes.
            (Form::Document(style), Some(typed)) if matches!(self.typed(member, &before), Some(Ok(_))) => {
                let text = utf8(bytes)
                    .map_err(|e| e.hint("this member is put as JSON or RON; use --raw for its stored bytes"))?;
                typed.encode(text, style, &self.context)?
            }
            _ => bytes.to_vec(),
        };
        self.set(index, payload);
        Ok(())
    }

    fn add_member(&mut self, name: &str, bytes: &[u8], form: Form) -> Result<usize> {
        fresh::add(self, name, bytes, form)
    }
}

impl Export for Archive {
    fn export(&self, out: &dyn Sink) -> Result<Vec<String>> {
        match self.context.format {
            Format::Sounds => {
                let named = |member: &MemberLine| Ok((member.name.text().into_owned(), self.read(member)?));
                sounds::export(&self.members.iter().map(named).collect::<Result<Vec<_>>>()?, out)
            }
            Format::Motion => Err(Error::say("motions move 'mechs, which are in mechlib.zbd")
                .hint("refit export mechlib.zbd --with motion.zbd -o DIR shows them")),
            _ => Err(super::no_export()),
        }
    }
}

#[cold]
fn overlaps() -> Error {
    Error::say("the member overlaps another one").hint("unpack the archive and edit the file that both are parts of")
}

/// The bytes of a new archive of version 1 with these members. In Crimson Skies each entry repeats its name, with the
/// bits of the game's own archives; in the other games an entry contains only name, offset and length.
///
/// Fails on a name that is too long or has characters that no game supports, and beyond 4 GiB.
pub fn build(game: Option<Game>, members: &[(String, Bytes)]) -> Result<Vec<u8>> {
    let line = |(i, (name, _)): (usize, &(String, Bytes))| {
        let text: Text<64> =
            name.as_str().try_into().map_err(|e: Error| e.within(format!("[{i}] {name}")).within("members"))?;
        let (flags, comment) =
            if game == Some(Game::Cs) { (Hex(62), text.into()) } else { (Hex(0), ShortText::default()) };
        Ok(MemberLine { name: text.into(), flags, comment, piece: i, ..MemberLine::default() })
    };
    let archive = Archive {
        context: Context { game, format: Format::Archive, file: String::new() },
        version: 1,
        ones: false,
        checksum: None,
        pieces: members.iter().map(|(_, payload)| payload.into()).collect(),
        members: members.iter().enumerate().map(line).collect::<Result<_>>()?,
        canonical: true,
        faults: Faults::default(),
    };
    archive.write()
}

crate::tables! { MemberLine }
