//! ZBD archives, versions 1 and 2: sounds, reader files, motions, 'mech models, save games, anything (archive/FORMAT.md).
//!
//! The payloads lie in the data region, the table behind them, the footer at the end of the file. The model holds the payloads
//! as parts of the file, which may stay on disk; what they mean is the business of a `MemberCodec`.

mod table;

use super::{
    Codec, Context, Detection, Export, Family, Format, Incremental, Info, ManifestLine, Member, Members, Model, Renewable, Suspect,
    Verdict, motion, reader, savegame, sounds,
    support::{
        Faults,
        layout::{Holds, Plan, Span},
        members::{MemberCodec, MemberText},
    },
};
use crate::{
    game::Game,
    lint::{Lints, codes},
    naming::{NameKind, NameUse, Rule},
    par,
    tree::{AnyDocument, Blob, ByRow, Form, Head, Rows, Sink, Style, TreeReader, TreeWriter, UniquePaths},
    wire::{Error, FileTime, Hex, Notation, Reader, Record, Result, Role, Str, Text, Trace, Writer, fit, is_false, utf8},
};
use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{
    collections::{BTreeMap, HashMap},
    hash::{BuildHasher, RandomState},
    sync::Arc,
};
use table::{Blocks, Files, Owners, Packed, Paths, Pieces, StoredMembers};

/// What this module contributes.
pub(crate) const FAMILY: Family = Family {
    formats: &[Format::Archive, Format::Sounds, Format::Reader, Format::Motion, Format::Mechlib, Format::Savegame],
    codes: CODES,
    schemas: || vec![super::schema::<ArchiveManifest>()],
};

codes! {
    /// The kinds of findings in archives.
    pub CODES:
    ARCHIVE_LAYOUT "archive-layout" Unusual [] "payloads do not follow each other in the order of the table"
        "There are gaps, or parts that share bytes, overlap, or lie in another order. The layout is kept in the manifest; \
                  delete `layout` there to write the payloads one after the other."
        "Measured: in all archives of Recoil, MechWarrior 3 and Crimson Skies payloads follow in table order. The engines seek to each member."
    ARCHIVE_CHECKSUM "archive-checksum" Unusual [] "the stored checksum is not the one that the rule gives"
        "Reader archives of Pirate's Moon carry a checksum over their payloads, other archives zero. A wrong one is kept; delete \
                  `checksum` from the manifest to have it computed."
        "Measured on reader archives of Pirate's Moon; whether its engine checks the sum is not known."
    ARCHIVE_SHADOWED "archive-shadowed" Unusual [] "another member before it has the same name"
        "The engine compares names without case and takes the first: this member cannot be reached by its name."
        "Read in the engines of Recoil, MechWarrior 3 and Crimson Skies. Shipped: 16 sounds in each bank of Recoil, four in MechWarrior 3, 29 names in Crimson Skies."
    ARCHIVE_EMPTY_MEMBER "archive-empty-member" Unusual [] "a member has no bytes"
        "Legal, but unknown in archives that were shipped."
        "Measured: no archive of Crimson Skies has one."
    ARCHIVE_NAME "archive-name" Unusual [] "an unusual name"
        "Names in known archives are ASCII and not empty."
        "Measured on shipped archives."
    ARCHIVE_NAME_END "archive-name-end" Ignores [Rc] "a name without its final zero"
        "A name has at most 63 bytes and a zero. The game compares up to the first zero, which stands in the fields behind the name: it \
                  finds this member under no name."
        "Recoil compares names up to their first zero, beyond the field's 64 bytes."
}

const ENTRY: u64 = MemberLine::size(Game::Mw) as u64;

/// Bytes of members whose texts stand in memory at the same time.
const AT_ONCE: u64 = 4 << 20;

/// Members that are worked on at the same time, however small they are.
const MOST_AT_ONCE: usize = 1024;

/// Payloads up to this size are looked at together, so many bytes at a time.
const SMALL: u64 = 1 << 12;
const TOGETHER: u64 = 1 << 16;

/// A table of contents that fits its file.
struct Toc {
    version: u32,
    checksum: u32,
    /// The entries, as they stand in the file.
    table: Blob,
    table_start: u64,
    /// Where each entry's payload lies.
    spans: Vec<Span>,
    /// Every length is stored as 1 (archive/FORMAT.md).
    ones: bool,
}

impl Toc {
    /// Reads the file as an archive of `version`, and tells `trace` of it.
    fn read(file: &Blob, version: u32, trace: Option<&dyn Trace>) -> Result<Toc> {
        let size = file.len();
        let footer = if version == 2 { 12 } else { 8 };
        let at = size.checked_sub(footer).ok_or_else(|| Error::short(0, footer, size).within("footer"))?;
        let (reader, end) = (Reader::new(&[], Game::Mw), file.slice(at, footer)?.bytes()?);
        let reader = || reader.clone().traced(trace);
        let mut r = reader().inner(&end, at);
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
        let table = file.slice(table_start, table)?;
        let mut spans = Vec::with_capacity(count as usize);
        let mut all_one = count > 0;
        for window in table::windows(&table) {
            let (first, bytes) = window?;
            reader().inner(&bytes, table_start + first as u64 * ENTRY).within("members", |r| {
                for i in first..first + bytes.len() / ENTRY as usize {
                    let extent = Extent::of(r.peek(ENTRY as usize));
                    let e = r.item(i, |r| MemberLine::take(r, &extent))?;
                    let span = Span { start: extent.start.into(), len: extent.length.into() };
                    if span.start + span.len > table_start {
                        let e = Error::say(format!(
                            "{:?} lies at {:#x} and has {} bytes, the data end at {table_start:#x}",
                            e.name.text(),
                            span.start,
                            span.len
                        ));
                        return Err(e.within(format!("[{i}]")).at(table_start + i as u64 * ENTRY));
                    }
                    all_one &= extent.length == 1;
                    spans.push(span);
                }
                Ok(())
            })?;
        }
        let ones = all_one && Self::extents(&mut spans, table_start);
        Ok(Toc { version, checksum, table, table_start, spans, ones })
    }

    /// Motion archives of Pirate's Moon store 1 as every length: a payload then reaches to the next larger start.
    fn extents(spans: &mut [Span], table_start: u64) -> bool {
        let mut starts: Vec<u64> = spans.iter().map(|s| s.start).collect();
        starts.sort_unstable();
        starts.dedup();
        let end = |start: u64| starts.get(starts.partition_point(|other| *other <= start)).copied().unwrap_or(table_start);
        if spans.iter().all(|s| end(s.start) == s.start + 1) {
            return false;
        }
        for span in spans {
            span.len = end(span.start) - span.start;
        }
        true
    }

    /// Where the payloads lie; `None` where each follows the one before it, from the beginning to the table.
    fn plan(&self) -> Option<Plan> {
        let mut at = 0;
        let follows = self.spans.iter().all(|span| std::mem::replace(&mut at, span.start + span.len) == span.start);
        if follows && at == self.table_start { None } else { Some(Plan::new(&self.spans, 0, self.table_start)) }
    }

    /// True when the payloads tile the data region.
    fn tiles(&self) -> bool {
        self.plan().is_none_or(|plan| plan.pieces.iter().all(|p| p.holds != Holds::Gap))
    }

    /// Reads the file as the version that fits better; a file can look like both (archive/FORMAT.md).
    fn pick(file: &Blob) -> Result<Toc> {
        let tail = file.slice(file.len().saturating_sub(12), 12)?.bytes()?;
        let word = |back: usize| tail.len().checked_sub(back).and_then(|at| tail.get(at..)?.first_chunk().copied()).map(u32::from_le_bytes);
        match (Toc::read(file, 1, None), Toc::read(file, 2, None)) {
            (Ok(one), Ok(two)) => Ok(if one.is_hollow() || (!one.tiles() && two.tiles()) { two } else { one }),
            // Read as version 1 the archive would have no entries and yet a body, while the word before says version 2: the error of
            // reading it so is given.
            (Ok(one), Err(two)) if one.is_hollow() && word(12) == Some(2) => Err(two),
            (Ok(one), Err(_)) => Ok(one),
            (Err(_), Ok(two)) => Ok(two),
            (Err(one), Err(two)) => Err(if word(8) == Some(1) || word(12) != Some(2) { one } else { two }),
        }
    }

    /// No entries over a body: any file that ends in these eight bytes reads so.
    fn is_hollow(&self) -> bool {
        self.spans.is_empty() && self.table_start > 0
    }

    fn payload(&self, file: &Blob, i: usize) -> Result<Bytes> {
        self.spans.get(i).map_or(Ok(Bytes::new()), |span| file.slice(span.start, span.len)?.bytes())
    }

    /// True when `test` holds for the number and the entry of any.
    fn any(&self, mut test: impl FnMut(usize, &MemberLine) -> Result<bool>) -> Result<bool> {
        for (i, entry) in table::entries(&self.table).enumerate() {
            if test(i, &entry?)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The name of the first entry.
    fn first_name(&self) -> Result<Option<Text<64>>> {
        table::entries(&self.table).next().map(|entry| Ok(entry?.name)).transpose()
    }

    /// What kind of archive the members make of it.
    fn kind(&self, file: &Blob) -> Result<Format> {
        // The first bytes of a payload are enough to recognise it; only reader values have to be walked to their end.
        let most = |len: Option<u64>, test: &dyn Fn(&[u8]) -> bool| {
            let (mut count, mut window, mut begin) = (0, Bytes::new(), 0);
            for span in &self.spans {
                let len = len.unwrap_or(span.len).min(span.len);
                // Many small payloads that follow each other are read together.
                if span.start < begin || span.start + len > begin + window.len() as u64 {
                    begin = span.start;
                    window = file.slice(begin, if span.len <= SMALL { TOGETHER } else { len })?.bytes()?;
                }
                let from = (span.start - begin) as usize;
                count += usize::from(test(window.get(from..from + len as usize).unwrap_or_default()));
            }
            Ok::<_, Error>(2 * count > self.spans.len())
        };
        let (mut has, mut scripts) = ([false; 3], 0);
        let mut recoil = savegame::RecoilNames::default();
        self.any(|_, entry| {
            let name = entry.name.bytes();
            for (has, known) in has.iter_mut().zip([&b"format"[..], b"version", b"materials"]) {
                *has |= name == known;
            }
            scripts += usize::from(name.to_ascii_lowercase().ends_with(b".zrd"));
            recoil.see(name);
            Ok(false)
        })?;
        Ok(if self.spans.is_empty() {
            Format::Archive
        } else if self.first_name()?.is_some_and(|name| name.bytes() == b"zSaveHeader") || recoil.are_all() {
            Format::Savegame
        } else if has == [true; 3] {
            Format::Mechlib
        } else if most(Some(4), &|payload| payload == b"RIFF")? {
            Format::Sounds
        } else if 2 * scripts > self.spans.len() {
            Format::Reader
        } else if most(None, &motion::is_motion)? {
            Format::Motion
        } else if most(None, &reader::is_value)? {
            Format::Reader
        } else {
            Format::Archive
        })
    }
}

/// Recognises an archive by its footer and a table that fits, its kind by its members.
pub(crate) fn recognise(suspect: &Suspect<'_>) -> Verdict {
    if suspect.word_before_end(8) != Some(1) && suspect.word_before_end(12) != Some(2) {
        return Verdict::No;
    }
    let Some(file) = suspect.all() else { return Verdict::All };
    match Toc::pick(&file) {
        Ok(toc) if !toc.is_hollow() => verdict(&file, toc),
        _ => Verdict::No,
    }
}

/// Recognises an archive without entries over a body, as any file reads that ends in these eight bytes; and tells of a damaged one.
pub(crate) fn recognise_rest(suspect: &Suspect<'_>) -> Verdict {
    if suspect.word_before_end(8) != Some(1) && suspect.word_before_end(12) != Some(2) {
        return Verdict::No;
    }
    let Some(file) = suspect.all() else { return Verdict::All };
    match Toc::pick(&file) {
        Ok(toc) => verdict(&file, toc),
        // A footer that names a version, a table that does not fit: damaged rather than unknown.
        Err(e) => Verdict::Refused(e.context("a damaged ZBD archive").hint("was the file cut?")),
    }
}

fn verdict(file: &Blob, toc: Toc) -> Verdict {
    match detection(file, toc) {
        Ok(detection) => Verdict::Is(detection),
        Err(unread) => Verdict::Refused(unread),
    }
}

fn detection(file: &Blob, toc: Toc) -> Result<Detection> {
    let kind = toc.kind(file)?;
    // The other bits are memory that was not set: 555 sounds of the game's own archive have other values each.
    let cs = !toc.spans.is_empty() && !toc.any(|_, e| Ok(e.comment != e.name || e.flags.0 & 2 == 0))?;
    let header = toc.first_name()?.is_some_and(|name| name.bytes() == b"zSaveHeader");
    let game = match (toc.version, kind) {
        (2, _) => Some(Game::Pm),
        (_, Format::Motion | Format::Mechlib) => Some(Game::Mw),
        (_, Format::Savegame) if !header => Some(Game::Rc),
        (_, Format::Savegame) => savegame::game_by_header(&toc.payload(file, 0)?),
        _ if cs => Some(Game::Cs),
        // The folders of the project, in the names of the resource compiler's temporary files.
        (_, Format::Reader) if toc.any(|_, e| Ok(is_of_recoil(e.comment.bytes())))? => Some(Game::Rc),
        _ => None,
    };
    let evidence = format!("a version {} archive footer whose table fits", toc.version);
    Ok(Detection::new(kind, game, evidence, file.len() > 12))
}

/// True for the path of a temporary file of Recoil's resource compiler.
fn is_of_recoil(comment: &[u8]) -> bool {
    let comment = comment.to_ascii_lowercase();
    let has = |folder: &[u8]| comment.windows(folder.len()).any(|part| part == folder);
    comment.get(1..3) == Some(b":\\") && (has(b"\\battlesportdev\\") || has(b"\\recoilfull\\"))
}

/// The names and payloads of an archive's members, in the order of its table.
pub fn members(file: &Bytes) -> Result<Vec<(String, Bytes)>> {
    let file = Blob::from(file);
    let toc = Toc::pick(&file)?;
    let one = |(i, entry): (usize, Result<MemberLine>)| Ok((entry?.name.text().into_owned(), toc.payload(&file, i)?));
    table::entries(&toc.table).enumerate().map(one).collect()
}

/// The comments of an archive's members, in the order of its table; `None` for one that was not given. Those of the studios' reader archives
/// are the paths of the files that were packed.
pub fn comments(file: &Bytes) -> Result<Vec<Option<String>>> {
    let toc = Toc::pick(&file.into())?;
    table::entries(&toc.table).map(|entry| entry.map(|e| (e.flags.0 & 2 != 0).then(|| e.comment.text().into_owned()))).collect()
}

/// The checksum of Pirate's Moon: CRC-32/CKSUM without the final complement; the register starts at 0 (archive/FORMAT.md).
///
/// ```
/// assert_eq!(refit::formats::archive::checksum([b"123456789".as_slice()]), 0x89A1897F);
/// ```
pub fn checksum<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> u32 {
    const ALGORITHM: crc::Algorithm<u32> =
        crc::Algorithm { width: 32, poly: 0x04c1_1db7, init: 0, refin: false, refout: false, xorout: 0, check: 0x89a1_897f, residue: 0 };
    static CRC: crc::Crc<u32, crc::Table<16>> = crc::Crc::<u32, crc::Table<16>>::new(&ALGORITHM);
    let mut digest = CRC.digest();
    for part in parts {
        digest.update(part.as_ref());
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

#[cfg(feature = "schemas")]
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
        /// True when the comment of every member without one in `members` is its name, as in all archives of Crimson Skies: it follows
        /// when a member is renamed.
        #[serde(default, skip_serializing_if = "is_false")]
        comments_are_names: bool,
        /// The members in the order of the table.
        members: Vec<MemberLine>,
        /// Present only when the data do not follow the table: the files in the order of the data, gaps among them.
        #[serde(default, skip_serializing_if = "Files::is_empty")]
        layout: Files,
    }
}

impl Rows for ArchiveManifest {
    type Row = MemberLine;
    const LIST: &'static str = "members";
    fn rows(&mut self) -> &mut Vec<MemberLine> {
        &mut self.members
    }
}

crate::record! {
    /// A member: its line in the manifest, and its entry of the table in the file.
    #[derive(Default)]
    pub struct MemberLine [Rc 148, Mw 148, Pm 148, Cs 148] with Extent {
        /// Where the payload begins in the file.
        let start @0: u32 = |m| m.cx.start,
        /// Bytes of the payload.
        let length: u32 = |m| m.cx.length,
        /// The name in the archive.
        name @8: Text<64>,
        /// The file in the tree. Two members may share one.
        file: String in below,
        /// The time of the file that was packed, which in Recoil is a temporary one: about when the archive was made. Or stale memory. Absent
        /// for zero.
        time! @140: FileTime,
        /// Bit 1 says that comment and time were set on purpose; other bits are often stale memory. Absent for zero.
        #[serde(default = "zero_hex", skip_serializing_if = "is_zero_hex")]
        flags @72: Hex<u32>,
        /// A comment, often the path of a temporary file, or stale memory. Absent when empty, and when it is the name (`comments_are_names`).
        comment!: Text<64>,
        /// Present when the member is only a part of its file, because members overlap.
        part?: FilePart in below,
        /// Why the member is kept as raw bytes. Only for reading.
        raw?: String in below,
        /// Of the model: the piece of its data that the member is, or is a part of.
        mut piece: usize in below,
    }
}

/// Where a payload lies.
#[derive(Clone, Copy, Default)]
pub struct Extent {
    /// Its offset in the file.
    pub start: u32,
    /// Its bytes, as they are counted.
    pub length: u32,
}

impl Extent {
    /// What an entry says.
    fn of(entry: &[u8]) -> Self {
        Extent { start: MemberLine::peek_start(entry, Game::Mw), length: MemberLine::peek_length(entry, Game::Mw) }
    }
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
#[schemars(rename = "Part")]
pub struct FilePart {
    /// Offset in the file.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
}

/// An archive.
pub struct Archive {
    context: Context,
    version: u32,
    ones: bool,
    checksum: Option<Checksum>,
    /// In the order of the data.
    pieces: Pieces,
    slots: StoredMembers,
    /// Pieces that no member owns are gaps or overlaps; this says whether the layout must be kept.
    canonical: bool,
}

/// The codec of all archives.
pub(crate) struct ArchiveCodec;

/// Which fields are names. What a member is called is what its kind of archive holds: see [`kind_of_member`].
const NAMES: &[Rule] = &[
    Rule::defines("archive", "members[].name", NameKind::Member),
    Rule::uses("motion", "parts[].name", NameKind::Node),
    Rule::defines("mechlib-member", "nodes[].name", NameKind::Node),
    Rule::defines("mechlib-member", "materials[].texture_name", NameKind::Material),
    Rule::uses("savegame", "activation.name", NameKind::Animation),
];

/// What the members of a kind of archive are, as others name them.
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
        let plan = Plan::new(&toc.spans, 0, toc.table_start);
        let (typed, mut names, mut gaps) = (member_codec(context.format), UniquePaths::new(), 0);
        let table = toc.table.bytes()?;
        // A piece is called like its first owner, as in the tree.
        let mut owners = vec![None; plan.pieces.len()];
        for (i, place) in plan.places.iter().enumerate() {
            if let Some(owner) = owners.get_mut(place.piece) {
                owner.get_or_insert(i);
            }
        }
        for (piece, owner) in plan.pieces.iter().zip(owners) {
            let (start, bytes) = (piece.span.start, file.slice(piece.span.start as usize..(piece.span.start + piece.span.len) as usize));
            let Some(entry) = owner.filter(|_| piece.holds != Holds::Overlap).and_then(|owner| table::entry(&table, owner)) else {
                gaps += 1;
                let role = if piece.holds == Holds::Gap { Role::Gap } else { Role::Payload };
                trace.note(start, piece.span.len, &names.assign(&format!("gaps/{gaps}.bin"), ""), Notation::Bytes, role);
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
        let (_, mut rows) = tree.rows::<ArchiveManifest>()?;
        let mut places = Vec::new();
        while let Some(lines) = rows() {
            for line in lines? {
                places.push((shown(places.len(), &line.name), line.file));
            }
        }
        Ok(places)
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Archive> {
        let (manifest, mut rows) = tree.rows::<ArchiveManifest>()?;
        if !matches!(manifest.version, 1 | 2) {
            return Err(Error::say(format!("version {}: archives are of version 1 or 2", manifest.version)).in_file("refit"));
        }
        let context = Context { game: manifest.game, format: manifest.format, file: manifest.source.file };
        let comments_are_names = manifest.comments_are_names;
        let canonical = manifest.layout.is_empty();
        let mut order = Order::of(manifest.layout)?;
        let load = Load { tree, typed: member_codec(context.format), context: &context, by_row: tree.take_by_row() };
        let (mut slots, mut blocks, mut members) = (Packed::default(), Blocks::default(), 0);
        while let Some(lines) = rows() {
            let lines = lines?;
            // Without a layout each line has a piece of its own, and nothing that stands behind it changes that.
            let pieces: Vec<Bytes> = match canonical {
                true => par::try_map(&lines, |i, line| load.piece(members + i, &line.file, load.is_raw(line)))?,
                false => Vec::new(),
            };
            for (i, mut line) in lines.into_iter().enumerate() {
                line.piece = if canonical { members } else { order.piece(&line, load.is_raw(&line))? };
                members += 1;
                if let Some(piece) = pieces.get(i) {
                    line.check(piece.len() as u64)?;
                }
                if comments_are_names && line.comment.is_blank() {
                    line.comment = line.name;
                }
                slots.push(&line);
            }
            pieces.into_iter().try_for_each(|piece| blocks.push(piece))?;
        }
        let slots = StoredMembers::Packed(Arc::new(slots));
        // A number of payloads at a time; small ones are joined, so that they need no memory of their own.
        for from in (0..order.files.len()).step_by(MOST_AT_ONCE) {
            let piece = |i: usize| Some(load.piece(from + i, order.files.get(from + i)?, *order.raw.get(from + i)?));
            let pieces = par::try_times(MOST_AT_ONCE.min(order.files.len() - from), piece)?;
            pieces.into_iter().try_for_each(|piece| blocks.push(piece))?;
        }
        let pieces = blocks.finish();
        if !canonical {
            slots.iter().try_for_each(|slot| check_part(&slot.name, slot.part, pieces.len_of(slot.piece)))?;
        }
        Ok(Archive {
            context,
            version: manifest.version,
            ones: manifest.lengths_are_one,
            checksum: manifest.checksum,
            pieces,
            slots,
            canonical,
        })
    }

    fn assemble_to_renew(&self, tree: &TreeReader<'_>) -> Result<Renewable<Archive>> {
        Ok(Renewable { model: self.assemble(tree)?, renew: Some(Box::new(MembersByPath::default())) })
    }

    fn line_for(&self, path: &str, head: &Head) -> Option<ManifestLine> {
        // A document is called as its member, and by its spelling.
        let typed = Style::of(path).filter(|_| member_codec(head.format).is_some());
        let name = typed.and_then(|style| path.strip_suffix(style.ext())?.strip_suffix('.')).unwrap_or(path);
        let name = name.replace('/', "\\");
        Some(ManifestLine { list: "members", fields: vec![("name", name), ("file", path.to_owned())] })
    }
}

/// The files of a manifest with a layout, in the order of the data: the layout, then those of members that it does not name (added
/// ones), in the order of the table.
#[derive(Default)]
struct Order {
    files: Files,
    /// Which of them are taken as they are.
    raw: Vec<bool>,
    /// The numbers of those of the layout, in the order of their paths.
    sorted: Vec<u32>,
    added: HashMap<String, usize>,
}

impl Order {
    fn of(layout: Files) -> Result<Self> {
        let path = |i: &u32| layout.get(*i as usize);
        let mut sorted: Vec<u32> = (0..fit(layout.len(), "the number of files")?).collect();
        sorted.sort_unstable_by_key(path);
        for pair in sorted.windows(2) {
            if let [one, two] = pair
                && path(one) == path(two)
            {
                return Err(Error::say(format!("{:?} stands twice", path(one).unwrap_or_default())).within("layout").in_file("refit"));
            }
        }
        Ok(Order { raw: vec![true; layout.len()], files: layout, sorted, added: HashMap::new() })
    }

    /// The piece of a member.
    fn piece(&mut self, line: &MemberLine, raw: bool) -> Result<usize> {
        let path = Some(line.file.as_str());
        let piece = match self.sorted.binary_search_by_key(&path, |i| self.files.get(*i as usize)) {
            Ok(found) => self.sorted.get(found).map_or(0, |i| *i as usize),
            Err(_) => match self.added.get(&line.file) {
                Some(added) => *added,
                None => {
                    self.files.push(&line.file)?;
                    self.raw.push(true);
                    self.added.insert(line.file.clone(), self.files.len() - 1);
                    self.files.len() - 1
                }
            },
        };
        if let Some(flag) = self.raw.get_mut(piece) {
            *flag = raw;
        }
        Ok(piece)
    }
}

/// How the files of a tree are read.
struct Load<'a> {
    tree: &'a TreeReader<'a>,
    typed: Option<&'static dyn MemberCodec>,
    context: &'a Context,
    /// In a proof: what each file gives was found when it was written.
    by_row: Option<ByRow>,
}

impl Load<'_> {
    fn is_raw(&self, line: &MemberLine) -> bool {
        self.typed.is_none() || line.part.is_some() || Style::of(&line.file).is_none() || line.raw.is_some()
    }

    fn piece(&self, index: usize, file: &str, raw: bool) -> Result<Bytes> {
        match (&self.by_row, self.typed) {
            (Some(find), _) => find(index, file).ok_or_else(|| Error::missing(file))?.bytes(),
            (None, Some(typed)) if !raw => typed.load(self.tree, file, self.context),
            (None, _) => self.tree.file(file),
        }
    }
}

/// Which members the files of a tree are: found when the first one was edited, for there may be hundreds of thousands.
#[derive(Default)]
struct MembersByPath(Option<HashMap<String, Vec<(usize, bool)>>>);

impl MembersByPath {
    /// The members of each file, and whether the file is their bytes.
    fn of(tree: &TreeReader<'_>, load: &Load<'_>) -> Result<HashMap<String, Vec<(usize, bool)>>> {
        let (_, mut rows) = tree.rows::<ArchiveManifest>()?;
        let (mut files, mut members): (HashMap<String, Vec<_>>, _) = (HashMap::new(), 0);
        while let Some(lines) = rows() {
            for line in lines? {
                let raw = load.is_raw(&line);
                files.entry(line.file).or_default().push((members, raw));
                members += 1;
            }
        }
        Ok(files)
    }
}

impl Incremental<Archive> for MembersByPath {
    fn renew(&mut self, tree: &TreeReader<'_>, path: &str, archive: &mut Archive) -> Result<bool> {
        // Where the manifest says where payloads lie, it must be held against them.
        if !archive.canonical {
            return Ok(false);
        }
        let context = archive.context.clone();
        let load = Load { tree, typed: member_codec(context.format), context: &context, by_row: None };
        let files = match &self.0 {
            Some(files) => files,
            None => self.0.insert(Self::of(tree, &load)?),
        };
        let Some(members) = files.get(path) else { return Ok(false) };
        for (at, raw) in members {
            let Some(slot) = archive.slots.get(*at).filter(|slot| slot.part.is_none()) else { return Ok(false) };
            let piece = load.piece(*at, path, *raw)?;
            if let Some(typed) = load.typed.filter(|_| !raw)
                && let Some(proved) = typed.prove(&Str(slot.name.bytes().to_vec()), &piece, &context, Form::Stored, false)
            {
                proved.map_err(|e| e.in_file(path))?;
            }
            archive.pieces.set(slot.piece, piece);
        }
        Ok(true)
    }
}

impl MemberLine {
    fn check(&self, size: u64) -> Result<()> {
        check_part(&self.name, self.part, size)
    }
}

/// An error where a part is none of its file, which has so many bytes.
fn check_part(name: &Text<64>, part: Option<FilePart>, size: u64) -> Result<()> {
    match part {
        Some(part) if u64::from(part.offset) + u64::from(part.length) > size => {
            Err(Error::say(format!("the part ends behind its file, which has {size} bytes")).within(name.text()).in_file("refit"))
        }
        _ => Ok(()),
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
        let plan = toc.plan();
        let end = |span: &Span| span.start + span.len;
        let ends = match &plan {
            Some(plan) => plan.pieces.iter().map(|piece| end(&piece.span)).collect(),
            None => toc.spans.iter().map(end).collect(),
        };
        let faults = Faults::default();
        let slots = StoredMembers::stored(&toc.table, plan.as_ref(), toc.spans.iter().map(|span| span.len), faults.clone())?;
        let mut archive = Archive {
            context: Context { game, format: context.format, file: context.file.clone() },
            version: toc.version,
            ones: toc.ones,
            checksum: None,
            canonical: plan.is_none_or(|plan| plan.is_canonical()),
            pieces: Pieces::region(file.slice(0, toc.table_start)?, ends, faults),
            slots,
        };
        if let Some(typed) = member_codec(context.format) {
            par::try_times(archive.slots.len(), |i| {
                let slot = archive.slots.get(i).filter(|slot| slot.part.is_none())?;
                let piece = archive.pieces.get(slot.piece)?;
                let checked = typed.check(&Str(slot.name.bytes().to_vec()), &piece, &archive.context);
                Some(checked.map_err(|e| e.within(format!("{} ›", slot.name.text()))))
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
        archive.sound()?;
        Ok(archive)
    }

    /// An error where something on disk could not be read since this was asked last.
    fn sound(&self) -> Result<()> {
        self.pieces.fault().map_or(Ok(()), Err)
    }

    /// What it is.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// The names and stored bytes of the members, in order.
    pub fn stored(&self) -> Result<Vec<(Str, Bytes)>> {
        let stored = self.slots.iter().map(|slot| (Str(slot.name.bytes().to_vec()), self.payload(&slot))).collect();
        self.sound()?;
        Ok(stored)
    }

    /// The payload of a member, or why it cannot be read.
    fn read(&self, slot: &MemberLine) -> Result<Bytes> {
        let payload = self.payload(slot);
        self.sound().map(|()| payload)
    }

    /// What a member says as a document; `None` where it has no typed form.
    fn typed(&self, slot: &MemberLine, payload: &Bytes) -> Option<Result<Box<dyn AnyDocument>>> {
        member_codec(self.context.format)?.document(&Str(slot.name.bytes().to_vec()), payload, &self.context)
    }

    /// Adds a member behind all others, which says no more than its name and its bytes. Tells its position.
    ///
    /// Fails on a name that is too long or has characters that no game knows, and where something on disk cannot be read.
    pub fn add(&mut self, name: &str, payload: Vec<u8>) -> Result<usize> {
        let name: Text<64> = name.try_into().map_err(|e: Error| e.within(name.to_owned()))?;
        let (mut slots, mut blocks) = (table::Packed::default(), table::Blocks::default());
        self.slots.iter().for_each(|slot| slots.push(&slot));
        self.pieces.iter().try_for_each(|piece| blocks.push(piece))?;
        self.sound()?;
        let (at, piece) = (self.slots.len(), self.pieces.len());
        slots.push(&MemberLine { name, piece, ..MemberLine::default() });
        blocks.push(payload.into())?;
        (self.slots, self.pieces) = (StoredMembers::Packed(slots.into()), blocks.finish());
        Ok(at)
    }

    /// The payload of a member; nothing where it cannot be read, which [`Archive::sound`] tells.
    fn payload(&self, slot: &MemberLine) -> Bytes {
        let piece = self.pieces.get(slot.piece).unwrap_or_default();
        match slot.part {
            Some(FilePart { offset, length }) => {
                let (from, to) = (offset as usize, offset as usize + length as usize);
                if to <= piece.len() { piece.slice(from..to) } else { Bytes::new() }
            }
            None => piece,
        }
    }

    fn crc(&self) -> u32 {
        checksum(self.slots.iter().map(|slot| self.payload(&slot)))
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

    /// Hands out what `list` tells of each member, some of which are looked at together.
    fn each_told(&self, see: &mut dyn FnMut(Member)) {
        let typed = member_codec(self.context.format);
        let told = |slot: &MemberLine| {
            let payload = self.payload(slot);
            let told = match typed {
                Some(typed) => typed.describe(&Str(slot.name.bytes().to_vec()), &payload, &self.context),
                None => sounds::describe(&payload),
            };
            let (kind, detail) = told.unwrap_or_else(|| ("raw".into(), String::new()));
            Member { name: slot.name.text().into_owned(), bytes: payload.len() as u64, kind, detail }
        };
        let mut slots = self.slots.iter().peekable();
        while slots.peek().is_some() {
            let some: Vec<MemberLine> = slots.by_ref().take(MOST_AT_ONCE).collect();
            par::map(&some, |_, slot| told(slot)).into_iter().for_each(&mut *see);
        }
    }
}

/// What an archive was unpacked to.
struct UnpackedTo {
    slots: StoredMembers,
    pieces: Pieces,
    owners: Owners,
    paths: table::Assigned,
    /// Why pieces stay raw.
    why: BTreeMap<usize, String>,
    /// The manifest says so once.
    comments_are_names: bool,
}

impl UnpackedTo {
    fn path(&self, piece: usize) -> String {
        let owner = self.owners.get(piece).and_then(|i| self.slots.get(i));
        self.paths.of(piece, owner.as_ref().map(|slot| &slot.name))
    }

    fn row(&self, index: usize) -> Result<MemberLine> {
        let mut line = self.slots.get(index).ok_or_else(|| Error::say(format!("internal error: no member {index}")))?;
        (line.file, line.raw) = (self.path(line.piece), self.why.get(&line.piece).cloned());
        if self.comments_are_names {
            line.comment = Text::default();
        }
        Ok(line)
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
        let mut out = Vec::with_capacity(self.pieces.data_len() as usize + self.slots.len() * ENTRY as usize + 12);
        self.write_to(&mut out)?;
        Ok(out)
    }

    fn write_to(&self, out: &mut dyn std::io::Write) -> Result<()> {
        let mut starts = Vec::with_capacity(self.pieces.len());
        let mut at = 0usize;
        for piece in 0..self.pieces.len() {
            starts.push(fit::<u32>(at, "an offset")?);
            at += self.pieces.len_of(piece) as usize;
        }
        let extent = |i: usize, slot: &MemberLine| -> Result<Extent> {
            let start = starts.get(slot.piece).copied().unwrap_or_default();
            let (offset, length) = match slot.part {
                Some(part) => (part.offset, part.length),
                None => (0, fit(self.pieces.len_of(slot.piece) as usize, "a length")?),
            };
            let start =
                start.checked_add(offset).ok_or_else(|| Error::say("the archive grows above 4 GiB").within(shown(i, &slot.name)))?;
            Ok(Extent { start, length: if self.ones { 1 } else { length } })
        };
        // What cannot be written is told before anything is.
        self.slots.iter().enumerate().try_for_each(|(i, slot)| extent(i, &slot).map(|_| ()))?;
        let mut w = Writer::new(Game::Mw);
        w.u32(self.version);
        w.u32(fit(self.slots.len(), "the number of members")?);
        if self.version == 2 {
            w.u32(self.stored_checksum());
        }
        let footer = std::mem::take(&mut w.bytes);
        let put = |out: &mut dyn std::io::Write, bytes: &[u8]| out.write_all(bytes).map_err(Error::stopped);
        self.pieces.each(&mut |bytes| put(out, bytes))?;
        for (i, slot) in self.slots.iter().enumerate() {
            slot.append(&mut w, &extent(i, &slot)?)?;
            if w.bytes.len() >= 1 << 18 {
                put(out, &w.bytes)?;
                w.bytes.clear();
            }
        }
        put(out, &w.bytes)?;
        put(out, &footer)?;
        self.sound()
    }

    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let typed = member_codec(self.context.format);
        let owners = Owners::of(&self.slots, self.pieces.len());
        let slot_of = |piece: usize| owners.get(piece).and_then(|i| self.slots.get(i));
        // What most files are called like behind the names of their members.
        let usual = if typed.is_some() { tree.ext() } else { String::new() };
        let mut paths = Paths::new();
        let mut why: BTreeMap<usize, String> = BTreeMap::new();
        // Some megabytes of pieces at a time, so that only their texts stand in memory.
        let mut first = 0;
        while first < self.pieces.len() {
            let pieces = self.pieces.some(first, MOST_AT_ONCE, AT_ONCE)?;
            let slots: Vec<Option<MemberLine>> = (first..first + pieces.len()).map(slot_of).collect();
            let proved: Vec<Option<Result<Option<MemberText>>>> = par::map(&slots, |i, slot| {
                let (slot, typed) = slot.as_ref().zip(typed)?;
                typed.prove(&Str(slot.name.bytes().to_vec()), pieces.get(i)?, &self.context, tree.form, tree.proves())
            });
            let (mut files, mut texts) = (Vec::new(), Vec::new());
            for (i, (proved, slot)) in (first..).zip(proved.into_iter().zip(&slots)) {
                let text = match proved {
                    Some(Ok(text)) => text,
                    Some(Err(e)) => {
                        why.insert(i, e.to_string());
                        None
                    }
                    None => None,
                };
                if tree.form == Form::Stored {
                    continue;
                }
                let kind = match (&text, typed) {
                    (Some(_), _) => table::PieceForm::Typed,
                    (None, typed) => table::PieceForm::Plain { among_documents: typed.is_some() },
                };
                files.push(paths.assign(i, slot.as_ref().map(|slot| &slot.name), kind, &tree.ext(), &usual));
                texts.push(text);
            }
            par::try_map_owned(pieces.iter().zip(texts).zip(&files).collect(), |_, ((piece, text), file)| match (text, typed) {
                (Some(text), Some(typed)) => typed.store(tree, file, text),
                _ => tree.part_file(file, &piece.into(), None),
            })?;
            first += pieces.len();
        }
        if !why.is_empty() {
            for (i, slot) in self.slots.iter().enumerate() {
                if let Some(why) = why.get(&slot.piece) {
                    tree.keep_raw(&shown(i, &slot.name), why.clone());
                }
            }
        }
        if tree.form == Form::Stored {
            return Ok(());
        }
        self.sound()?;
        let doubled = self.slots.iter().all(|slot| slot.comment == slot.name);
        let comments_are_names = doubled && self.slots.iter().any(|slot| !slot.name.is_blank());
        let (slots, pieces, paths) = (self.slots.clone(), self.pieces.clone(), paths.finish(usual));
        let made = Arc::new(UnpackedTo { slots, pieces, owners, paths, why, comments_are_names });
        let mut layout = Files::default();
        if !self.canonical {
            (0..self.pieces.len()).try_for_each(|piece| layout.push(&made.path(piece)))?;
        }
        let comments_are_names = made.comments_are_names;
        let manifest =
            ArchiveManifest::new(tree.head.clone(), self.version, self.checksum, self.ones, comments_are_names, Vec::new(), layout);
        let same = Arc::clone(&made);
        let contents = Box::new(move |piece, path: &str| made.pieces.get(piece).filter(|_| made.path(piece) == path).map(Blob::Memory));
        tree.rows(manifest, self.slots.len(), move |i| same.row(i), contents)
    }

    fn proves_parts(&self) -> bool {
        member_codec(self.context.format).is_some()
    }

    fn lint(&self, lints: &mut Lints) {
        lints.of_game(self.context.game);
        lints.check(self.canonical, ARCHIVE_LAYOUT, || format!("{} members lie in {} pieces", self.slots.len(), self.pieces.len()));
        if self.version == 2 {
            lints.check(self.checksum.is_none(), ARCHIVE_CHECKSUM, || {
                format!("{:#010x} is stored, {:#010x} is usual here", self.stored_checksum(), self.usual_checksum())
            });
        }
        // By their hashes: there may be hundreds of thousands of names.
        let (mut seen, hasher): (HashMap<u64, usize>, _) = (HashMap::new(), RandomState::new());
        for (i, slot) in self.slots.iter().enumerate() {
            let shown = shown(i, &slot.name);
            let same = |first: &usize| self.slots.get(*first).is_some_and(|s| s.name.bytes().eq_ignore_ascii_case(slot.name.bytes()));
            let first = *seen.entry(hasher.hash_one(slot.name.bytes().to_ascii_lowercase())).or_insert(i);
            let first = Some(first).filter(|first| *first < i && same(first));
            // Of several members of one name, only the position tells which one is meant.
            let again = !slot.name.bytes().is_empty() && first.is_some();
            lints.at(if again { format!("#{i} {shown}") } else { shown }, |lints| {
                let name = slot.name.bytes();
                lints.check(name.is_ascii() && !name.is_empty() && slot.name.is_regular(), ARCHIVE_NAME, || format!("{:?}", slot.name));
                lints.check(slot.name.is_terminated(), ARCHIVE_NAME_END, || "64 characters".into());
                if let Some(first) = first {
                    lints.say(ARCHIVE_SHADOWED, format!("member #{first} has the same name"));
                }
                let payload = self.payload(&slot);
                lints.check(!payload.is_empty(), ARCHIVE_EMPTY_MEMBER, || "0 bytes".into());
                if let Some(typed) = member_codec(self.context.format) {
                    typed.lint(&Str(name.to_vec()), &payload, &self.context, lints);
                } else if self.context.format == Format::Sounds {
                    sounds::lint(&payload, self.context.game, lints);
                }
            });
        }
    }

    fn lint_edit(&self, before: &Archive, lints: &mut Lints) {
        let Some(typed) = member_codec(self.context.format) else { return };
        // The n-th member of a name is held against the n-th that had it. By their hashes: there may be hundreds of thousands of names.
        let hasher = RandomState::new();
        let nth = |seen: &mut HashMap<u64, usize>, name: &Text<64>| {
            let n = seen.entry(hasher.hash_one(name.bytes())).or_default();
            *n += 1;
            hasher.hash_one((name.bytes(), *n))
        };
        let (mut seen, mut olds) = (HashMap::new(), HashMap::new());
        for (i, slot) in before.slots.iter().enumerate() {
            olds.insert(nth(&mut seen, &slot.name), i);
        }
        seen.clear();
        for (i, slot) in self.slots.iter().enumerate() {
            let old = olds.get(&nth(&mut seen, &slot.name)).and_then(|i| before.slots.get(*i));
            let Some(old) = old.filter(|old| old.name.bytes() == slot.name.bytes()) else { continue };
            let (now, before) = (self.payload(&slot), before.payload(&old));
            if now != before {
                let name = Str(slot.name.bytes().to_vec());
                lints.at(shown(i, &slot.name), |lints| typed.lint_edit(&name, &now, &before, &self.context, lints));
            }
        }
    }

    fn fault(&self) -> Option<Error> {
        self.pieces.fault()
    }

    fn info(&self) -> Info {
        let mut info: Info =
            vec![("version", self.version.into()), ("members", self.slots.len().into()), ("data", self.pieces.data_len().into())];
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
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        self.each_told(&mut |member| *kinds.entry(member.kind).or_default() += 1);
        info.push(("kinds", serde_json::json!(kinds)));
        if self.context.format == Format::Sounds {
            info.extend(sounds::tell(self.slots.iter().map(|slot| self.payload(&slot))));
        }
        info
    }

    crate::offers!(Members, Export);
}

impl Members for Archive {
    fn members(&self) -> Vec<Member> {
        let mut members = Vec::with_capacity(self.slots.len());
        self.each_told(&mut |member| members.push(member));
        members
    }

    fn each_member(&self, see: &mut dyn FnMut(Member)) -> Result<()> {
        self.each_told(see);
        self.sound()
    }

    fn document(&self, index: usize) -> Result<Box<dyn AnyDocument>> {
        let slot = self.slots.get(index).ok_or_else(|| super::no_member(index))?;
        self.typed(&slot, &self.read(&slot)?).unwrap_or_else(|| Err(super::no_document()))
    }

    fn put_document(&mut self, index: usize, document: &dyn AnyDocument) -> Result<()> {
        let slot = self.slots.get(index).ok_or_else(|| super::no_member(index))?;
        let typed = member_codec(self.context.format).ok_or_else(super::no_document)?;
        let payload = typed.encode_document(document, &self.context)?;
        match slot.part {
            // What `document` gave may always be put back.
            Some(_) if payload == self.read(&slot)? => {}
            Some(_) => return Err(overlaps()),
            None => self.pieces.set(slot.piece, payload.into()),
        }
        Ok(())
    }

    fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        let slot = self.slots.get(index).ok_or_else(|| super::no_member(index))?;
        let payload = self.read(&slot)?;
        match (form, self.typed(&slot, &payload)) {
            (Form::Document(style), Some(Ok(document))) => Ok(document.text(style)?.into()),
            _ => Ok(payload),
        }
    }

    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        let slot = self.slots.get(index).ok_or_else(|| super::no_member(index))?;
        if slot.part.is_some() {
            // What `get` gave may always be put back.
            return if self.get(index, form)? == bytes { Ok(()) } else { Err(overlaps()) };
        }
        // A member that cannot be read has neither bytes nor a document to offer.
        let before = self.read(&slot)?;
        let payload = match (form, member_codec(self.context.format)) {
            // What has no typed form is put back as bytes.
            (Form::Document(style), Some(typed)) if matches!(self.typed(&slot, &before), Some(Ok(_))) => {
                let text = utf8(bytes).map_err(|e| e.hint("this member is put as JSON or RON; use --raw for its stored bytes"))?;
                typed.encode(text, style, &self.context)?
            }
            _ => bytes.to_vec(),
        };
        self.pieces.set(slot.piece, payload.into());
        Ok(())
    }
}

impl Export for Archive {
    fn export(&self, out: &dyn Sink) -> Result<Vec<String>> {
        match self.context.format {
            Format::Sounds => {
                let members: Vec<_> = self.slots.iter().map(|slot| (slot.name.text().into_owned(), self.payload(&slot))).collect();
                self.sound()?;
                sounds::export(&members, out)
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

/// The bytes of a new archive of version 1 with these members. In Crimson Skies each entry repeats its name, with the bits that its own
/// archives have; in the other games an entry says no more than name, place and length.
///
/// Fails on a name that is too long or has characters that no game knows, and beyond 4 GiB.
pub fn build(game: Option<Game>, members: &[(String, Bytes)]) -> Result<Vec<u8>> {
    let mut w = Writer::new(Game::Mw);
    for (_, payload) in members {
        w.raw(payload);
    }
    let mut start = 0u32;
    for (i, (name, payload)) in members.iter().enumerate() {
        let place = |e: Error| e.within(format!("[{i}] {name}")).within("members");
        let length: u32 = fit(payload.len(), "bytes of a member").map_err(place)?;
        let text: Text<64> = name.as_str().try_into().map_err(place)?;
        let cs = game == Some(Game::Cs);
        let (flags, comment) = if cs { (Hex(62), text) } else { (Hex(0), Text::default()) };
        let line = MemberLine { name: text, flags, comment, ..MemberLine::default() };
        line.append(&mut w, &Extent { start, length }).map_err(place)?;
        start = start.checked_add(length).ok_or_else(|| place(Error::say("an archive holds at most 4 GiB")))?;
    }
    w.put(&1u32);
    w.put(&fit::<u32>(members.len(), "members")?);
    Ok(w.bytes)
}

/// The declarations, for `FORMAT.md`.
pub fn tables() -> Vec<crate::wire::RecordTable> {
    vec![MemberLine::table()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Opened;
    use std::fs;

    /// More members than a table has that is read whole, some of one byte, some of thousands.
    fn many() -> Vec<u8> {
        let payloads: Vec<Vec<u8>> = (0..8000usize).map(|i| vec![i as u8; if i.is_multiple_of(1000) { 9000 } else { i % 7 }]).collect();
        let (mut data, mut w) = (Vec::new(), Writer::new(Game::Mw));
        for (i, payload) in payloads.iter().enumerate() {
            let name = Text::new(format!("member{i}").as_bytes()).unwrap();
            let (start, length) = (data.len() as u32, payload.len() as u32);
            MemberLine { name, ..MemberLine::default() }.append(&mut w, &Extent { start, length }).unwrap();
            data.extend_from_slice(payload);
        }
        w.u32(1);
        w.u32(payloads.len() as u32);
        [data, w.bytes].concat()
    }

    fn open(path: &std::path::Path) -> Result<Opened> {
        let file = Blob::open(path)?.unwrap();
        let name = crate::path::shown(path);
        let detection = crate::pipeline::recognise(file.clone(), &name, Default::default())?;
        crate::pipeline::read(file, detection)
    }

    #[test]
    fn an_archive_on_disk_is_the_same_as_in_memory() {
        let dir = tempfile::tempdir().unwrap();
        let (path, bytes) = (dir.path().join("x.zbd"), many());
        fs::write(&path, &bytes).unwrap();
        let disk = open(&path).unwrap();
        let memory = crate::pipeline::open(&bytes.clone().into(), "x.zbd", Default::default()).unwrap();
        assert_eq!(disk.detection, memory.detection);
        assert_eq!(disk.model.info(), memory.model.info());
        assert!(disk.model.write().unwrap() == bytes);
        let (disk, memory) = (disk.model.as_members().unwrap(), memory.model.as_members().unwrap());
        let shown = |members: &dyn Members| members.members().into_iter().map(|m| (m.name, m.bytes, m.kind, m.detail)).collect::<Vec<_>>();
        assert_eq!(shown(disk), shown(memory));
        for i in [0, 1, 1000, 7999] {
            assert_eq!(disk.get(i, Form::Stored).unwrap(), memory.get(i, Form::Stored).unwrap());
        }
        assert!(disk.get(8000, Form::Stored).is_err());
    }

    /// What cannot be read any more is told, and no member takes the place of another.
    #[test]
    fn an_archive_that_becomes_shorter_is_no_archive_of_fewer_members() {
        let dir = tempfile::tempdir().unwrap();
        let (path, bytes) = (dir.path().join("x.zbd"), many());
        fs::write(&path, &bytes).unwrap();
        let Opened { model, .. } = open(&path).unwrap();
        assert!(model.fault().is_none());
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let members = model.as_members().unwrap();
        let mut names = Vec::new();
        let told = members.each_member(&mut |member| names.push(member.name));
        assert!(told.unwrap_err().to_string().contains("shorter"));
        assert!(names.len() < 8000 && names.iter().enumerate().all(|(i, name)| *name == format!("member{i}")));
        assert!(model.fault().is_none(), "it was told");
        model.model().lint(&mut Lints::new());
        assert!(model.fault().unwrap().to_string().contains("shorter"));
        model.info();
        assert!(model.fault().unwrap().to_string().contains("shorter"));
        assert!(members.get(7999, Form::Stored).is_err());
        assert!(members.document(7999).is_err());
        assert!(model.write_to(&mut Vec::new()).is_err());
        // Unpacking must end with an error as well, also when the file became so short that nothing more can be read.
        for left in [bytes.len() / 2, 10_000, 0] {
            fs::write(&path, &bytes).unwrap();
            let Opened { model, .. } = open(&path).unwrap();
            fs::write(&path, &bytes[..left]).unwrap();
            let (folder, head) = (crate::tree::Folder::new(), Head::new(None, Format::Archive, crate::tree::Origin::default()));
            let told = model.unpack(&TreeWriter::new(&folder, Form::Document(Style::Json), head, false));
            assert!(told.is_err_and(|e| e.to_string().contains("shorter")), "{left}");
        }
    }
}
