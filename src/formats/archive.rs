//! ZBD archives, versions 1 and 2: sounds, reader files, motions, 'mech models, save games, anything (archive/FORMAT.md).
//!
//! The payloads lie in the data region, the table behind them, the footer at the end of the file. The model holds the payloads
//! as slices of the file; what they mean is the business of a [`MemberCodec`].

use super::{
    Codec, Context, Detection, Family, Format, Framed, Info, ManifestLine, Member, Model, Suspect, Verdict, motion, reader, savegame,
    sounds,
    support::{
        layout::{Holds, Plan, Span},
        members::MemberCodec,
    },
};
use crate::{
    game::Game,
    lint::{Lints, codes},
    tree::{AnyDocument, Blob, Head, Names, Sink, Style, TreeReader, TreeWriter},
    wire::{Error, FileTime, Hex, Kind, Reader, Result, Role, Str, Text, Trace, Wire, Writer, fit, is_false},
};
use bytes::Bytes;
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::HashMap;

/// What this module contributes.
pub const FAMILY: Family = Family {
    formats: &[Format::Archive, Format::Sounds, Format::Reader, Format::Motion, Format::Mechlib, Format::Savegame],
    codec: Some(&ArchiveCodec),
    codes: CODES,
    schemas: || vec![super::schema::<ArchiveManifest>()],
};

codes! {
    /// The kinds of findings in archives.
    pub CODES:
    ARCHIVE_LAYOUT "archive-layout" Note "payloads do not follow each other in the order of the table"
        "There are gaps, or parts that share bytes, overlap, or lie in another order. The layout is kept in the manifest; \
                  delete `layout` there to write the payloads one after the other."
    ARCHIVE_CHECKSUM "archive-checksum" Warning "the stored checksum is not the one that the rule gives"
        "Reader archives of Pirate's Moon carry a checksum over their payloads, other archives zero. A wrong one is kept; delete \
                  `checksum` from the manifest to have it computed."
    ARCHIVE_SHADOWED "archive-shadowed" Note "another member before it has the same name"
        "The engine compares names without case and takes the first: this member cannot be reached by its name."
    ARCHIVE_EMPTY_MEMBER "archive-empty-member" Note "a member has no bytes"
        "Legal, but unknown in archives that were shipped."
    ARCHIVE_NAME "archive-name" Warning "an unusual name"
        "Names in known archives are ASCII, not empty, and end with a zero inside their 64 bytes."
}

crate::record! {
    /// An entry of the table.
    struct Entry [Rc 148, Mw 148, Pm 148, Cs 148] {
        /// Where the payload begins in the file.
        #[serde(skip)]
        start: u32,
        /// Bytes of the payload.
        #[serde(skip)]
        length: u32,
        /// The name.
        name: Text<64>,
        /// 0x2 says that comment and time count.
        flags: Hex<u32>,
        /// A text, or old memory.
        comment: Text<64>,
        /// When the source was changed, or old memory.
        time: FileTime,
    }
}

const ENTRY: u64 = 148;

/// Bytes of members whose texts stand in memory at the same time.
const AT_ONCE: u64 = 4 << 20;

/// A table of contents that fits its file.
struct Toc {
    version: u32,
    checksum: u32,
    table_start: u64,
    entries: Vec<Entry>,
    /// Where each entry's payload lies.
    spans: Vec<Span>,
    /// Every length is stored as 1 (archive/FORMAT.md).
    ones: bool,
}

impl Toc {
    /// Reads the file as an archive of `version`.
    fn read(file: &[u8], version: u32) -> Result<Toc> {
        Self::read_from(Reader::new(file, Game::Mw), version)
    }

    fn read_from(mut r: Reader<'_>, version: u32) -> Result<Toc> {
        let size = r.left() as u64;
        let footer = if version == 2 { 12 } else { 8 };
        let at = size.checked_sub(footer).ok_or_else(|| Error::short(0, footer, size).within("footer"))?;
        r.seek(at)?;
        let found: u32 = r.field("version")?;
        if found != version {
            return Err(Error::say(format!("{found} where an archive has {version}")).within("version").at(at));
        }
        let count: u32 = r.hidden("count", Role::Derived)?;
        let checksum: u32 = if version == 2 { r.hidden("checksum", Role::Derived)? } else { 0 };
        let table = u64::from(count) * ENTRY;
        let table_start = at.checked_sub(table).ok_or_else(|| {
            Error::say(format!("{count} entries need a table of {table} bytes, {at} are before the footer")).within("count").at(at + 4)
        })?;
        r.seek(table_start)?;
        let entries: Vec<Entry> = r.list(count as usize, "members")?;
        let mut spans = Vec::with_capacity(entries.len());
        for (i, e) in entries.iter().enumerate() {
            let span = Span { start: e.start.into(), len: e.length.into() };
            if span.start + span.len > table_start {
                return Err(Error::say(format!(
                    "{:?} lies at {:#x} and has {} bytes, the data end at {table_start:#x}",
                    e.name.text(),
                    span.start,
                    span.len
                ))
                .within(format!("[{i}]"))
                .within("members")
                .at(table_start + i as u64 * ENTRY));
            }
            spans.push(span);
        }
        let ones = Self::extents(&entries, &mut spans, table_start);
        Ok(Toc { version, checksum, table_start, entries, spans, ones })
    }

    /// Motion archives of Pirate's Moon store 1 as every length: a payload then reaches to the next larger start.
    fn extents(entries: &[Entry], spans: &mut [Span], table_start: u64) -> bool {
        if entries.is_empty() || entries.iter().any(|e| e.length != 1) {
            return false;
        }
        let mut starts: Vec<u64> = spans.iter().map(|s| s.start).collect();
        starts.sort_unstable();
        starts.dedup();
        let mut ends: HashMap<u64, u64> = starts.iter().copied().zip(starts.iter().copied().skip(1)).collect();
        if let Some(last) = starts.last() {
            ends.insert(*last, table_start);
        }
        if spans.iter().all(|s| ends.get(&s.start) == Some(&(s.start + 1))) {
            return false;
        }
        for span in spans {
            span.len = ends.get(&span.start).map_or(span.len, |end| end - span.start);
        }
        true
    }

    /// True when the payloads tile the data region.
    fn tiles(&self) -> bool {
        Plan::new(&self.spans, 0, self.table_start).pieces.iter().all(|p| p.holds != Holds::Gap)
    }

    /// Reads the file as the version that fits better; a file can look like both (archive/FORMAT.md).
    fn pick(file: &[u8]) -> Result<Toc> {
        let word = |back: usize| file.len().checked_sub(back).and_then(|at| file.get(at..)?.first_chunk().copied()).map(u32::from_le_bytes);
        match (Toc::read(file, 1), Toc::read(file, 2)) {
            (Ok(one), Ok(two)) => Ok(if one.is_hollow() || (!one.tiles() && two.tiles()) { two } else { one }),
            // No entries over a body is no reading, where the version before says 2: the error is that of the other one.
            (Ok(one), Err(two)) if one.is_hollow() && word(12) == Some(2) => Err(two),
            (Ok(one), Err(_)) => Ok(one),
            (Err(_), Ok(two)) => Ok(two),
            (Err(one), Err(two)) => {
                let word = |back: usize| {
                    file.len().checked_sub(back).and_then(|at| file.get(at..)?.first_chunk().copied()).map(u32::from_le_bytes)
                };
                Err(if word(8) == Some(1) || word(12) != Some(2) { one } else { two })
            }
        }
    }

    /// No entries over a body: any file that ends in these eight bytes reads so.
    fn is_hollow(&self) -> bool {
        self.entries.is_empty() && self.table_start > 0
    }

    fn payload<'a>(&self, file: &'a [u8], i: usize) -> &'a [u8] {
        self.spans.get(i).and_then(|s| file.get(s.start as usize..(s.start + s.len) as usize)).unwrap_or_default()
    }

    /// What kind of archive the members make of it.
    fn kind(&self, file: &[u8]) -> Format {
        let n = self.entries.len();
        let count =
            |test: &dyn Fn(&Entry, &[u8]) -> bool| self.entries.iter().enumerate().filter(|(i, e)| test(e, self.payload(file, *i))).count();
        let named = |name: &str| self.entries.iter().any(|e| e.name.bytes() == name.as_bytes());
        if n == 0 {
            Format::Archive
        } else if self.entries.first().is_some_and(|e| e.name.bytes() == b"zSaveHeader")
            || savegame::is_recoil(self.entries.iter().map(|e| e.name.bytes()))
        {
            Format::Savegame
        } else if named("format") && named("version") && named("materials") {
            Format::Mechlib
        } else if 2 * count(&|_, payload| payload.starts_with(b"RIFF")) > n {
            Format::Sounds
        } else if 2 * count(&|e, _| e.name.bytes().to_ascii_lowercase().ends_with(b".zrd")) > n {
            Format::Reader
        } else if 2 * count(&|_, payload| motion::is_motion(payload)) > n {
            Format::Motion
        } else if 2 * count(&|_, payload| reader::is_value(payload)) > n {
            Format::Reader
        } else {
            Format::Archive
        }
    }
}

/// Recognises an archive by its footer and a table that fits, its kind by its members.
pub fn recognise(suspect: &Suspect<'_>) -> Verdict {
    if suspect.word_before_end(8) != Some(1) && suspect.word_before_end(12) != Some(2) {
        return Verdict::No;
    }
    let Some(file) = suspect.whole else { return Verdict::All };
    match Toc::pick(file) {
        Ok(toc) if !toc.is_hollow() => Verdict::Is(detection(file, toc)),
        _ => Verdict::No,
    }
}

/// Recognises an archive without entries over a body, as any file reads that ends in these eight bytes; and tells of a damaged one.
pub fn recognise_rest(suspect: &Suspect<'_>) -> Verdict {
    if suspect.word_before_end(8) != Some(1) && suspect.word_before_end(12) != Some(2) {
        return Verdict::No;
    }
    let Some(file) = suspect.whole else { return Verdict::All };
    match Toc::pick(file) {
        Ok(toc) => Verdict::Is(detection(file, toc)),
        // A footer that names a version, a table that does not fit: damaged rather than unknown.
        Err(e) => Verdict::Refused(Error::say(format!("a damaged ZBD archive: {e}")).hint("was the file cut?")),
    }
}

fn detection(file: &Bytes, toc: Toc) -> Detection {
    let kind = toc.kind(file);
    // The other bits are memory that was not set: 555 sounds of the game's own archive have other values each.
    let cs = !toc.entries.is_empty() && toc.entries.iter().all(|e| e.comment == e.name && e.flags.0 & 2 != 0);
    let header = toc.entries.first().is_some_and(|e| e.name.bytes() == b"zSaveHeader");
    let game = match (toc.version, kind) {
        (2, _) => Some(Game::Pm),
        (_, Format::Motion | Format::Mechlib) => Some(Game::Mw),
        (_, Format::Savegame) if !header => Some(Game::Rc),
        (_, Format::Savegame) => savegame::game_by_header(toc.payload(file, 0)),
        _ if cs => Some(Game::Cs),
        _ => None,
    };
    let evidence = format!("a version {} archive footer whose table fits", toc.version);
    Detection { framed: Framed::of(file, toc), ..Detection::new(kind, game, evidence, file.len() > 12) }
}

/// The names and payloads of an archive's members, in the order of its table.
pub fn members(file: &Bytes) -> Result<Vec<(String, Bytes)>> {
    let toc = Toc::pick(file)?;
    let one = |(entry, span): (&Entry, &Span)| {
        let payload = file.slice(span.start as usize..(span.start + span.len) as usize);
        (entry.name.text().into_owned(), payload)
    };
    Ok(toc.entries.iter().zip(&toc.spans).map(one).collect())
}

/// The checksum of Pirate's Moon: CRC-32/CKSUM without the final complement; the register starts at 0 (archive/FORMAT.md).
///
/// ```
/// assert_eq!(refit::formats::archive::checksum([b"123456789".as_slice()]), 0x89A1897F);
/// ```
pub fn checksum<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u32 {
    const ALGORITHM: crc::Algorithm<u32> =
        crc::Algorithm { width: 32, poly: 0x04c1_1db7, init: 0, refin: false, refout: false, xorout: 0, check: 0x89a1_897f, residue: 0 };
    static CRC: crc::Crc<u32, crc::Table<16>> = crc::Crc::<u32, crc::Table<16>>::new(&ALGORITHM);
    let mut digest = CRC.digest();
    for part in parts {
        digest.update(part);
    }
    digest.finalize()
}

/// A stored checksum that is not the one of its kind of archive: `"computed"`, or a value that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checksum {
    /// The CRC of the payloads, in an archive that usually has none.
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

impl<'de> Deserialize<'de> for Checksum {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        match crate::wire::hex_word(&text) {
            _ if text == "computed" => Ok(Checksum::Computed),
            Some(value) => u32::try_from(value).map(Checksum::Kept).map_err(|_| de::Error::custom("a checksum has 32 bits")),
            None => Err(de::Error::custom("expected \"computed\" or a checksum as \"0x89a1897f\"")),
        }
    }
}

impl schemars::JsonSchema for Checksum {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Checksum".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^(computed|0x[0-9a-fA-F]{1,8})$" })
    }
}

crate::manifest! {
    /// The manifest of an archive: its members in the order of the table.
    pub struct ArchiveManifest, "archive" {
        /// 1, or 2 with a checksum (Pirate's Moon).
        version: u32,
        /// Present only when the stored checksum is not the usual one: the CRC in version 2 reader archives, else zero.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        checksum: Option<Checksum>,
        /// Every length is stored as 1, as motion archives of Pirate's Moon have it.
        #[serde(default, skip_serializing_if = "is_false")]
        lengths_are_one: bool,
        /// The members in the order of the table.
        members: Vec<MemberLine>,
        /// Present only when the data do not follow the table: the files in the order of the data, gaps among them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        layout: Vec<String>,
    }
}

/// A member in the manifest.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberLine {
    /// The name in the archive.
    pub name: Text<64>,
    /// The file in the tree. Two members may share one.
    pub file: String,
    /// When the source was modified, or stale memory; absent for zero.
    #[serde(default, skip_serializing_if = "FileTime::is_zero")]
    pub time: FileTime,
    /// Bit 1 says that comment and time were set on purpose; other bits are often stale memory. Absent for zero.
    #[serde(default = "zero_hex", skip_serializing_if = "is_zero_hex")]
    pub flags: Hex<u32>,
    /// A comment, often the path of a temporary file, or stale memory. Absent when empty.
    #[serde(default, skip_serializing_if = "Text::is_blank")]
    pub comment: Text<64>,
    /// Present when the member is only a part of its file, because members overlap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// Why the member is kept as raw bytes. Only for reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
}

fn zero_hex() -> Hex<u32> {
    Hex(0)
}
fn is_zero_hex(value: &Hex<u32>) -> bool {
    value.0 == 0
}

/// Which part of a file a member is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Offset in the file.
    pub offset: u32,
    /// Bytes.
    pub length: u32,
}

/// An archive.
pub struct Archive {
    context: Context,
    version: u32,
    ones: bool,
    checksum: Option<Checksum>,
    /// In the order of the data.
    pieces: Vec<Bytes>,
    entries: Vec<Slot>,
    /// Pieces that no member owns are gaps or overlaps; this says whether the layout must be kept.
    canonical: bool,
}

/// A member of the model.
struct Slot {
    name: Text<64>,
    flags: Hex<u32>,
    comment: Text<64>,
    time: FileTime,
    piece: usize,
    part: Option<Part>,
}

/// The codec of all archives.
pub struct ArchiveCodec;

impl Codec for ArchiveCodec {
    fn read(&self, file: &Bytes, context: &Context) -> Result<Box<dyn Model>> {
        Ok(Box::new(Archive::of(file, &Toc::pick(file)?, context)?))
    }

    fn open_framed(&self, file: &Blob, context: &Context, framed: &Framed) -> Result<Box<dyn Model>> {
        let file = file.bytes()?;
        match framed.get(&file) {
            Some(toc) => Ok(Box::new(Archive::of(&file, toc, context)?)),
            None => self.read(&file, context),
        }
    }

    fn explain(&self, file: &Blob, context: &Context, trace: &dyn Trace) -> Result<()> {
        let file = file.bytes()?;
        let version = Toc::pick(&file)?.version;
        let r = Reader::new(&file, Game::Mw).traced(Some(trace));
        let toc = Toc::read_from(r.clone(), version)?;
        let plan = Plan::new(&toc.spans, 0, toc.table_start);
        let (typed, mut names, mut gaps) = (member_codec(context.format), Names::new(), 0);
        for (i, piece) in plan.pieces.iter().enumerate() {
            // A piece is called like its first owner, as in the tree.
            let owner = plan.places.iter().position(|place| place.piece == i);
            let (start, bytes) = (piece.span.start, file.slice(piece.span.start as usize..(piece.span.start + piece.span.len) as usize));
            let Some(entry) = owner.filter(|_| piece.holds != Holds::Overlap).and_then(|owner| toc.entries.get(owner)) else {
                gaps += 1;
                let role = if piece.holds == Holds::Gap { Role::Gap } else { Role::Payload };
                trace.note(start, piece.span.len, &names.assign(&format!("gaps/{gaps}.bin"), ""), Kind::Bytes, role);
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
                None => trace.note(start, piece.span.len, &document, Kind::Bytes, Role::Payload),
            }
        }
        Ok(())
    }

    fn places(&self, tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        let manifest: ArchiveManifest = tree.manifest()?;
        Ok(manifest.members.into_iter().enumerate().map(|(i, line)| (shown(i, &line.name), line.file)).collect())
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Box<dyn Model>> {
        let manifest: ArchiveManifest = tree.manifest()?;
        if !matches!(manifest.version, 1 | 2) {
            return Err(Error::say(format!("version {}: archives are of version 1 or 2", manifest.version)).in_file("refit"));
        }
        let context = Context { game: manifest.game, format: manifest.format, file: manifest.source.file.clone() };
        let typed = member_codec(context.format);
        // The order of the pieces: the layout, then members that it does not name (added ones) in the order of the table.
        let mut order: Vec<String> = manifest.layout.clone();
        let mut index: HashMap<&str, usize> = HashMap::new();
        for (i, file) in manifest.layout.iter().enumerate() {
            if index.insert(file, i).is_some() {
                return Err(Error::say(format!("{file:?} stands twice")).within("layout").in_file("refit"));
            }
        }
        let mut entries = Vec::with_capacity(manifest.members.len());
        for line in &manifest.members {
            let known = index.get(line.file.as_str()).copied();
            let piece = match known {
                Some(piece) => piece,
                None => {
                    if !manifest.layout.is_empty() {
                        index.insert(&line.file, order.len());
                    }
                    order.push(line.file.clone());
                    order.len() - 1
                }
            };
            entries.push(Slot { name: line.name, flags: line.flags, comment: line.comment, time: line.time, piece, part: line.part });
        }
        let mut raw: Vec<bool> = vec![true; order.len()];
        for (slot, line) in entries.iter().zip(&manifest.members) {
            if let Some(flag) = raw.get_mut(slot.piece) {
                *flag = typed.is_none() || line.part.is_some() || Style::of(&line.file).is_none() || line.raw.is_some();
            }
        }
        let pieces = order
            .par_iter()
            .zip(&raw)
            .map(|(file, raw)| match typed {
                Some(typed) if !raw => typed.load(tree, file, &context),
                _ => tree.file(file),
            })
            .collect::<Result<Vec<Bytes>>>()?;
        for (slot, line) in entries.iter().zip(&manifest.members) {
            let size = pieces.get(slot.piece).map_or(0, Bytes::len) as u64;
            if let Some(part) = line.part
                && u64::from(part.offset) + u64::from(part.length) > size
            {
                return Err(Error::say(format!("the part ends behind its file, which has {size} bytes"))
                    .within(line.name.text())
                    .in_file("refit"));
            }
        }
        let canonical = manifest.layout.is_empty();
        Ok(Box::new(Archive {
            context,
            version: manifest.version,
            ones: manifest.lengths_are_one,
            checksum: manifest.checksum,
            pieces,
            entries,
            canonical,
        }))
    }

    fn line_for(&self, path: &str, head: &Head) -> Option<ManifestLine> {
        // A document is called as its member, and by its spelling.
        let typed = Style::of(path).filter(|_| member_codec(head.format).is_some());
        let name = typed.and_then(|style| path.strip_suffix(style.ext())?.strip_suffix('.')).unwrap_or(path);
        let name = name.replace('/', "\\");
        Some(ManifestLine { list: "members", fields: vec![("name", name), ("file", path.to_owned())] })
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
    fn of(file: &Bytes, toc: &Toc, context: &Context) -> Result<Self> {
        let game = match (context.game, toc.version) {
            (None, 2) => Some(Game::Pm),
            (None, _) if matches!(context.format, Format::Motion | Format::Mechlib) => Some(Game::Mw),
            (game, _) => game,
        };
        let plan = Plan::new(&toc.spans, 0, toc.table_start);
        let slice = |span: Span| file.slice(span.start as usize..(span.start + span.len) as usize);
        let mut archive = Archive {
            context: Context { game, format: context.format, file: context.file.clone() },
            version: toc.version,
            ones: toc.ones,
            checksum: None,
            canonical: plan.is_canonical(),
            pieces: plan.pieces.iter().map(|p| slice(p.span)).collect(),
            entries: Vec::with_capacity(toc.entries.len()),
        };
        for ((entry, span), place) in toc.entries.iter().zip(&toc.spans).zip(&plan.places) {
            let part = match place.offset {
                Some(offset) => Some(Part { offset: fit(offset as usize, "an offset")?, length: fit(span.len as usize, "a length")? }),
                None => None,
            };
            archive.entries.push(Slot {
                name: entry.name,
                flags: entry.flags,
                comment: entry.comment,
                time: entry.time,
                piece: place.piece,
                part,
            });
        }
        if let Some(typed) = member_codec(context.format) {
            archive.entries.par_iter().filter(|slot| slot.part.is_none()).try_for_each(|slot| {
                let Some(piece) = archive.pieces.get(slot.piece) else { return Ok(()) };
                typed
                    .check(&Str(slot.name.bytes().to_vec()), piece, &archive.context)
                    .map_err(|e| e.within(format!("{} ›", slot.name.text())))
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
        Ok(archive)
    }

    /// What it is.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The names and stored bytes of the members, in order.
    pub fn stored(&self) -> Vec<(Str, Bytes)> {
        self.entries.iter().map(|slot| (Str(slot.name.bytes().to_vec()), self.payload(slot))).collect()
    }

    fn payload(&self, slot: &Slot) -> Bytes {
        let piece = self.pieces.get(slot.piece).cloned().unwrap_or_default();
        match slot.part {
            Some(Part { offset, length }) => {
                let (from, to) = (offset as usize, offset as usize + length as usize);
                if to <= piece.len() { piece.slice(from..to) } else { Bytes::new() }
            }
            None => piece,
        }
    }

    fn crc(&self) -> u32 {
        let payloads: Vec<Bytes> = self.entries.iter().map(|slot| self.payload(slot)).collect();
        checksum(payloads.iter().map(|b| &**b))
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

    fn shown(&self, i: usize, slot: &Slot) -> String {
        shown(i, &slot.name)
    }
}

fn shown(i: usize, name: &Text<64>) -> String {
    match name.text() {
        name if name.is_empty() => format!("#{i}"),
        name => name.into_owned(),
    }
}

impl Model for Archive {
    fn write(&self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.pieces.iter().map(Bytes::len).sum::<usize>() + self.entries.len() * ENTRY as usize + 12);
        self.write_to(&mut out)?;
        Ok(out)
    }

    fn write_to(&self, out: &mut dyn std::io::Write) -> Result<()> {
        let mut starts = Vec::with_capacity(self.pieces.len());
        let mut at = 0usize;
        for piece in &self.pieces {
            starts.push(fit::<u32>(at, "an offset")?);
            at += piece.len();
        }
        let mut w = Writer::with_capacity(Game::Mw, self.entries.len() * ENTRY as usize + 12);
        for (i, slot) in self.entries.iter().enumerate() {
            let size = self.pieces.get(slot.piece).map_or(0, Bytes::len);
            let start = starts.get(slot.piece).copied().unwrap_or_default();
            let (offset, length) = match slot.part {
                Some(part) => (part.offset, part.length),
                None => (0, fit(size, "a length")?),
            };
            let start = start.checked_add(offset).ok_or_else(|| Error::say("the archive grows above 4 GiB").within(self.shown(i, slot)))?;
            let length = if self.ones { 1 } else { length };
            Entry { start, length, name: slot.name, flags: slot.flags, comment: slot.comment, time: slot.time }.write(&mut w)?;
        }
        w.u32(self.version);
        w.u32(fit(self.entries.len(), "the number of members")?);
        if self.version == 2 {
            w.u32(self.stored_checksum());
        }
        let put = |out: &mut dyn std::io::Write, bytes: &[u8]| out.write_all(bytes).map_err(Error::stopped);
        for piece in &self.pieces {
            put(out, piece)?;
        }
        put(out, &w.bytes)
    }

    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let typed = member_codec(self.context.format);
        // What each piece's first owner is called, and whether it may be typed: only a piece that is one member as a whole.
        let mut owner: Vec<Option<usize>> = vec![None; self.pieces.len()];
        let mut whole = vec![true; self.pieces.len()];
        for (i, slot) in self.entries.iter().enumerate() {
            if let (Some(owner), Some(whole)) = (owner.get_mut(slot.piece), whole.get_mut(slot.piece)) {
                owner.get_or_insert(i);
                *whole &= slot.part.is_none();
            }
        }
        let mut names = Names::new();
        let mut files = Vec::with_capacity(self.pieces.len());
        let mut why: Vec<Option<String>> = Vec::with_capacity(self.pieces.len());
        let mut gaps = 0;
        // Some megabytes of pieces at a time, so that only their texts stand in memory.
        let mut first = 0;
        while first < self.pieces.len() {
            let mut bytes = 0;
            let rest = self.pieces.get(first..).unwrap_or_default();
            let many = rest.iter().take_while(|p| (bytes < AT_ONCE, bytes += p.len() as u64).0).count();
            let pieces = rest.get(..many.max(1)).unwrap_or_default();
            let slot_of = |i: usize| {
                let whole = whole.get(i).copied().unwrap_or(false);
                owner.get(i).copied().flatten().filter(|_| whole).and_then(|i| self.entries.get(i))
            };
            let proved: Vec<Option<Result<String>>> = pieces
                .par_iter()
                .enumerate()
                .map(|(i, piece)| {
                    let (slot, typed) = slot_of(first + i).zip(typed)?;
                    let name = Str(slot.name.bytes().to_vec());
                    match tree.style.filter(|_| typed.is_large(piece)) {
                        Some(style) => typed.prove(&name, piece, &self.context, style, tree.proves()).map(|p| p.map(|()| String::new())),
                        None => typed.unpack(&name, piece, &self.context, tree.style, tree.proves()),
                    }
                })
                .collect();
            let mut texts = Vec::with_capacity(proved.len());
            for (i, proved) in proved.into_iter().enumerate() {
                let (text, error) = match proved {
                    Some(Ok(text)) => (Some(text), None),
                    Some(Err(e)) => (None, Some(e.to_string())),
                    None => (None, None),
                };
                why.push(error);
                if tree.style.is_none() {
                    continue;
                }
                let mut file = match slot_of(first + i) {
                    Some(slot) => names.assign(&slot.name.text(), if text.is_some() { tree.ext() } else { String::new() }.as_str()),
                    None => {
                        gaps += 1;
                        names.assign(&format!("gaps/{gaps}.bin"), "")
                    }
                };
                // A plain file must not look like a document: its name gets another ending.
                if text.is_none() && Style::of(&file).is_some() && typed.is_some() {
                    file = names.assign(&file, ".bin");
                }
                files.push(file);
                texts.push(text);
            }
            let stored = files.get(first..).unwrap_or_default();
            pieces.par_iter().zip(texts).zip(stored).enumerate().try_for_each(|(i, ((piece, text), file))| match (text, typed) {
                (Some(text), Some(typed)) => match slot_of(first + i).filter(|_| typed.is_large(piece)) {
                    Some(slot) => typed.store_large(tree, file, &Str(slot.name.bytes().to_vec()), piece, &self.context),
                    None => typed.store(tree, file, text, piece),
                },
                _ => tree.file(file, piece),
            })?;
            first += pieces.len();
        }
        for (i, slot) in self.entries.iter().enumerate() {
            if let Some(Some(why)) = why.get(slot.piece) {
                tree.keep_raw(&self.shown(i, slot), why.clone());
            }
        }
        if tree.style.is_none() {
            return Ok(());
        }
        let members = self
            .entries
            .iter()
            .map(|slot| MemberLine {
                name: slot.name,
                file: files.get(slot.piece).cloned().unwrap_or_default(),
                time: slot.time,
                flags: slot.flags,
                comment: slot.comment,
                part: slot.part,
                raw: why.get(slot.piece).cloned().flatten(),
            })
            .collect();
        let layout = if self.canonical { Vec::new() } else { files };
        tree.manifest(&ArchiveManifest::new(tree.head.clone(), self.version, self.checksum, self.ones, members, layout))
    }

    fn has_typed_members(&self) -> bool {
        member_codec(self.context.format).is_some()
    }

    fn lint(&self, lints: &mut Lints) {
        lints.check(self.canonical, ARCHIVE_LAYOUT, || format!("{} members lie in {} pieces", self.entries.len(), self.pieces.len()));
        if self.version == 2 {
            lints.check(self.checksum.is_none(), ARCHIVE_CHECKSUM, || {
                format!("{:#010x} is stored, {:#010x} is usual here", self.stored_checksum(), self.usual_checksum())
            });
        }
        let mut seen = HashMap::new();
        for (i, slot) in self.entries.iter().enumerate() {
            let shown = self.shown(i, slot);
            // A name alone does not tell which of several members is meant.
            let again = !slot.name.bytes().is_empty() && seen.contains_key(&slot.name.bytes().to_ascii_lowercase());
            lints.at(if again { format!("#{i} {shown}") } else { shown }, |lints| {
                let name = slot.name.bytes();
                lints.check(
                    name.is_ascii() && !name.is_empty() && slot.name.is_terminated() && slot.name.is_regular(),
                    ARCHIVE_NAME,
                    || format!("{:?}", slot.name),
                );
                if let Some(first) = seen.insert(name.to_ascii_lowercase(), i) {
                    lints.say(ARCHIVE_SHADOWED, format!("member #{first} has the same name"));
                    seen.insert(name.to_ascii_lowercase(), first);
                }
                let payload = self.payload(slot);
                lints.check(!payload.is_empty(), ARCHIVE_EMPTY_MEMBER, || "0 bytes".into());
                if let Some(typed) = member_codec(self.context.format) {
                    typed.lint(&Str(name.to_vec()), &payload, &self.context, lints);
                } else if self.context.format == Format::Sounds {
                    sounds::lint(&payload, self.context.game, lints);
                }
            });
        }
    }

    fn lint_edit(&self, before: &(dyn Model + 'static), lints: &mut Lints) {
        let Some(before) = (before as &dyn std::any::Any).downcast_ref::<Archive>() else { return };
        let Some(typed) = member_codec(self.context.format) else { return };
        // The n-th member of a name is held against the n-th that had it.
        let mut nth: HashMap<&[u8], usize> = HashMap::new();
        let mut named: HashMap<&[u8], Vec<&Slot>> = HashMap::new();
        for slot in &before.entries {
            named.entry(slot.name.bytes()).or_default().push(slot);
        }
        for (i, slot) in self.entries.iter().enumerate() {
            let name = slot.name.bytes();
            let n = nth.entry(name).or_default();
            let old = named.get(name).and_then(|slots| slots.get(*n));
            *n += 1;
            let Some(old) = old else { continue };
            let (now, before) = (self.payload(slot), before.payload(old));
            if now != before {
                let name = Str(name.to_vec());
                lints.at(self.shown(i, slot), |lints| typed.lint_edit(&name, &now, &before, &self.context, lints));
            }
        }
    }

    fn info(&self) -> Info {
        let mut info: Info = vec![
            ("version", self.version.into()),
            ("members", self.entries.len().into()),
            ("data", self.pieces.iter().map(Bytes::len).sum::<usize>().into()),
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
        let mut kinds: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
        for member in self.members() {
            *kinds.entry(member.kind).or_default() += 1;
        }
        info.push(("kinds", serde_json::json!(kinds)));
        if self.context.format == Format::Sounds {
            info.extend(sounds::tell(self.entries.iter().map(|slot| self.payload(slot))));
        }
        info
    }

    fn members(&self) -> Vec<Member> {
        let typed = member_codec(self.context.format);
        self.entries
            .par_iter()
            .map(|slot| {
                let payload = self.payload(slot);
                let told = match typed {
                    Some(typed) => typed.describe(&Str(slot.name.bytes().to_vec()), &payload, &self.context),
                    None => sounds::describe(&payload),
                };
                let (kind, detail) = told.unwrap_or_else(|| ("raw".into(), String::new()));
                Member { name: slot.name.text().into_owned(), bytes: payload.len() as u64, kind, detail }
            })
            .collect()
    }

    fn export(&self, _: &dyn Sink) -> Result<Vec<String>> {
        match self.context.format {
            Format::Motion => Err(Error::say("motions move 'mechs, which are in mechlib.zbd")
                .hint("refit export mechlib.zbd --with motion.zbd -o DIR shows them")),
            _ => Err(super::no_export()),
        }
    }

    fn document(&self, index: usize) -> Result<Box<dyn AnyDocument>> {
        let slot = self.entries.get(index).ok_or_else(|| super::no_member(index))?;
        let name = Str(slot.name.bytes().to_vec());
        let typed = member_codec(self.context.format).and_then(|typed| typed.document(&name, &self.payload(slot), &self.context));
        typed.unwrap_or_else(|| Err(super::no_document()))
    }

    fn put_document(&mut self, index: usize, document: &dyn AnyDocument) -> Result<()> {
        let slot = self.entries.get(index).ok_or_else(|| super::no_member(index))?;
        let typed = member_codec(self.context.format).ok_or_else(super::no_document)?;
        let payload = typed.encode_document(document, &self.context)?;
        match (slot.part, self.pieces.get_mut(slot.piece)) {
            (None, Some(piece)) => *piece = payload.into(),
            _ => return Err(overlaps()),
        }
        Ok(())
    }

    fn get(&self, index: usize, style: Option<Style>) -> Result<Bytes> {
        let slot = self.entries.get(index).ok_or_else(|| super::no_member(index))?;
        let payload = self.payload(slot);
        if style.is_some()
            && let Some(typed) = member_codec(self.context.format)
            && let Some(Ok(text)) = typed.unpack(&Str(slot.name.bytes().to_vec()), &payload, &self.context, style, true)
        {
            return Ok(text.into());
        }
        Ok(payload)
    }

    fn put(&mut self, index: usize, bytes: &[u8], style: Option<Style>) -> Result<()> {
        let slot = self.entries.get(index).ok_or_else(|| super::no_member(index))?;
        if slot.part.is_some() {
            // What `get` gave may always be put back.
            if self.get(index, style).is_ok_and(|same| same == bytes) {
                return Ok(());
            }
            return Err(overlaps());
        }
        let typed = member_codec(self.context.format).zip(style);
        let payload = match typed {
            // What was kept raw before is put back raw.
            Some((typed, style))
                if matches!(
                    typed.unpack(&Str(slot.name.bytes().to_vec()), &self.payload(slot), &self.context, Some(style), true),
                    Some(Ok(_))
                ) =>
            {
                let text = std::str::from_utf8(bytes).map_err(|e| {
                    Error::say(format!("not UTF-8 text: {e}")).hint("this member is put as JSON or RON; use --raw for its stored bytes")
                })?;
                typed.encode(text, style, &self.context)?
            }
            _ => bytes.to_vec(),
        };
        if let Some(piece) = self.pieces.get_mut(slot.piece) {
            *piece = payload.into();
        }
        Ok(())
    }
}

#[cold]
fn overlaps() -> Error {
    Error::say("the member overlaps another one").hint("unpack the archive and edit the file that both are parts of")
}

/// The declarations, for `FORMAT.md`.
pub fn tables() -> Vec<crate::wire::Table> {
    vec![Entry::table()]
}
