//! ZBD archives, versions 1 and 2: sounds, reader files, motions, 'mech models, save games,
//! anything (archive/FORMAT.md).
//!
//! The payloads come first, then the table of contents, then the footer. The model has the payloads
//! as ranges of the file, which may stay on disk; a `MemberCodec` interprets them.

mod fresh;
mod toc;

pub use fresh::build;
use toc::recognise;

use crate::{motion, reader, savegame, sounds};
use bytes::Bytes;
use refit_base::{
    contract::{
        Codec, Context, Documents, Export, Family, Incremental, Info, ManifestLine, Member,
        Members, Model, Renewable, Stage,
    },
    format::Format,
    game::Game,
    lint::{Lints, codes},
    naming::{NameKind, NameUse, Rule},
    par,
    support::{
        Faults,
        layout::{self, FilePart, Holds},
        members::{self, MemberCodec},
    },
    tree::{
        AnyDocument, Blob, ByteSink, Form, Head, Sink, Style, TreeReader, TreeWriter, UniquePaths,
        plain::PlainFolder,
    },
    wire::{
        Error, FileTime, Hex, Items, Reader, Record, Refused, Result, Role, Scalar, ShortText, Str,
        Text, Trace, Writer, fit, hex_word, utf8,
    },
};
use serde::{Serialize, Serializer};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::OnceLock,
};

/// The formats, lint codes and schema of this module.
pub const FAMILY: Family = Family {
    formats: &[
        Format::Archive,
        Format::Sounds,
        Format::Reader,
        Format::Motion,
        Format::Mechlib,
        Format::Savegame,
    ],
    recognise: &[
        (Stage::Table, |suspect| recognise(suspect, false)),
        (Stage::Rest, |suspect| recognise(suspect, true)),
    ],
    codes: CODES,
    schemas: || vec![refit_base::contract::schema::<ArchiveManifest>()],
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
        checksum is kept until the content of a member is edited; then refit writes the right one, and says so. To \
        get it without an edit, delete `checksum` from the manifest."
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

/// Size of an entry of the table.
const ENTRY: usize = MemberLine::size(Game::Mw);

/// Members whose texts are in memory at the same time.
const AT_ONCE: usize = 32;

/// The names and payloads of an archive's members, in the order of its table.
pub fn members(file: &Bytes) -> Result<Vec<(String, Bytes)>> {
    let stored = Archive::pick(&file.into())?.stored()?;
    Ok(stored
        .into_iter()
        .map(|(name, payload)| (name.text().into_owned(), payload))
        .collect())
}

/// The comments of an archive's members, in the order of its table; `None` for one that was not
/// given. Those of the studios' reader archives are the paths of the files that were packed.
pub fn comments(file: &Bytes) -> Result<Vec<Option<String>>> {
    let comment =
        |line: MemberLine| (line.flags.0 & 2 != 0).then(|| line.comment.text().into_owned());
    Ok(Archive::pick(&file.into())?
        .members
        .into_iter()
        .map(comment)
        .collect())
}

/// The checksum of Pirate's Moon: CRC-32/CKSUM without the final complement; the register starts at
/// 0 (archive/FORMAT.md).
///
/// ```
/// assert_eq!(refit_zipper::archive::checksum([b"123456789".as_slice()]), 0x89A1897F);
/// ```
pub fn checksum<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> u32 {
    static CRC: crc::Crc<u32, crc::Table<16>> =
        crc::Crc::<u32, crc::Table<16>>::new(&crc::CRC_32_CKSUM);
    let mut digest = CRC.digest();
    parts
        .into_iter()
        .for_each(|part| digest.update(part.as_ref()));
    !digest.finalize()
}

/// A stored checksum that is not the one of its kind of archive: `"computed"`, or a value that is
/// kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Checksum {
    /// The CRC of the payloads, in a kind of archive that usually has none.
    Computed,
    /// A wrong value, which is kept as long as the payloads are those that it came with.
    Kept {
        /// The value.
        stored: u32,
        /// The CRC of the payloads that it came with; `None` if it is kept whatever they are.
        instead_of: Option<u32>,
    },
}

impl Serialize for Checksum {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Checksum::Computed => s.serialize_str("computed"),
            Checksum::Kept {
                stored,
                instead_of: None,
            } => Hex(*stored).serialize(s),
            Checksum::Kept {
                stored,
                instead_of: Some(right),
            } => s.collect_str(&format_args!("{stored:#010x}{INSTEAD_OF}{right:#010x}")),
        }
    }
}

/// Between a wrong checksum and the right one in a manifest.
const INSTEAD_OF: &str = " instead of ";

refit_base::text_form!(
    Checksum: "\"computed\", or a checksum as \"0x89a1897f\" or \"0x12345678 instead of 0x89a1897f\"",
    |value| match value {
        Scalar::Text("computed") => Ok(Checksum::Computed),
        Scalar::Text(text) => Checksum::of_text(text).ok_or(Refused::Value),
        _ => Err(Refused::Type),
    }
);

refit_base::schema_form!(Checksum: "Checksum", |_| schemars::json_schema!({
    "type": "string", "pattern": "^(computed|0x[0-9a-fA-F]{1,8}( instead of 0x[0-9a-fA-F]{1,8})?)$"
}));

impl Checksum {
    fn of_text(text: &str) -> Option<Self> {
        let word = |text| hex_word(text).and_then(|word| u32::try_from(word).ok());
        Some(match text.split_once(INSTEAD_OF) {
            Some((stored, right)) => Checksum::Kept {
                stored: word(stored)?,
                instead_of: Some(word(right)?),
            },
            None => Checksum::Kept {
                stored: word(text)?,
                instead_of: None,
            },
        })
    }
}

refit_base::manifest! {
    /// The manifest of an archive: its members in the order of the table of contents.
    pub(crate) struct ArchiveManifest, "archive" {
        /// 1, or 2 with a checksum (Pirate's Moon).
        version: u32,
        /// Present only if the stored checksum is not the usual one: the CRC in version 2 reader
        /// archives, zero in others. A wrong one (`A instead of B`) is kept until an edit changes
        /// the CRC B of the members.
        checksum?: Checksum,
        /// Every length is stored as 1, as in motion archives of Pirate's Moon.
        lengths_are_one!: bool,
        /// True if the comment of every member without one in `members` is its name, as in all
        /// archives of Crimson Skies. It then follows a renamed member.
        comments_are_names!: bool,
        /// The members in the order of the table.
        members: Vec<MemberLine>,
        /// Present only if the data do not follow the table: the files and gaps in the order of the
        /// data.
        layout*: Box<str>,
    }
}

refit_base::record! {
    /// A member: its line in the manifest, and its entry of the table in the file.
    #[derive(Default)]
    pub(crate) struct MemberLine [Rc 148, Mw 148, Pm 148, Cs 148] with FilePart {
        /// Offset of the payload in the file.
        let start @0: u32 = |m| m.cx.offset,
        /// Bytes of the payload.
        let length: u32 = |m| m.cx.length,
        /// The name in the archive.
        name @8: ShortText<64>,
        /// The file in the tree. Two members may share one.
        file: Box<str> in below,
        /// The time of the packed file, which in Recoil is a temporary file, so roughly when the
        /// archive was made. Or stale memory. Absent for zero.
        time! @140: FileTime,
        /// Bit 1 means that comment and time were set on purpose; other bits are often stale
        /// memory. Absent for zero.
        flags! @72: Hex<u32>,
        /// A comment, often the path of a temporary file, or stale memory. Absent if empty, or if
        /// it is the name (`comments_are_names`).
        comment!: ShortText<64>,
        /// Present if the member is only a part of its file, because members overlap.
        part?: FilePart in below,
        /// Why the member is kept as raw bytes. For information only.
        raw?: Box<str> in below,
        /// Of the model: the piece of its data that the member is, or is a part of.
        mut piece: usize in below,
    }
}

/// An archive.
pub struct Archive {
    /// Format and game of the file.
    pub context: Context,
    version: u32,
    ones: bool,
    checksum: Option<Checksum>,
    /// The data, in order.
    pieces: Vec<Blob>,
    members: Vec<MemberLine>,
    /// False where pieces that no member owns, which are gaps or overlaps, or their order must be
    /// kept.
    canonical: bool,
    /// What became of a wrong checksum.
    notes: Vec<String>,
    faults: Faults,
    /// For each piece, whether it is a document in a new tree; empty until needed, and after edits.
    documents: OnceLock<Vec<bool>>,
}

/// The codec of all archives.
pub struct ArchiveCodec;

/// Fields with names. The kind of a member's name depends on the archive: see [`kind_of_member`].
const NAMES: &[Rule] = &[
    Rule::defines("archive", "members[].name", NameKind::Member),
    Rule::uses("motion", "parts[].name", NameKind::Node),
    Rule::defines("mechlib-member", "nodes[].name", NameKind::Node),
    Rule::defines(
        "mechlib-member",
        "materials[].texture_name",
        NameKind::Material,
    ),
    Rule::uses("savegame", "activation.name", NameKind::Animation),
];

/// The kind of name of the members of an archive.
pub fn kind_of_member(format: Format) -> NameKind {
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
        crate::reader::names_in_member(path, text, see);
    }
    fn read(&self, file: &Blob, context: &Context) -> Result<Archive> {
        Archive::pick(file)?.settled(context)
    }

    fn leaves_on_disk(&self) -> bool {
        true
    }

    fn explain(&self, file: &Blob, context: &Context, trace: &dyn Trace) -> Result<()> {
        let file = file.bytes()?.into();
        let archive = Archive::pick(&file)?;
        // The table comes last in the file: explained in this order, its lines do not wait for
        // those of the members.
        let members = archive.explain_members(context, trace);
        Archive::read(&file, archive.version, Some(trace))?;
        members
    }

    fn places(&self, tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        let manifest: ArchiveManifest = tree.manifest()?;
        Ok(manifest
            .members
            .into_iter()
            .enumerate()
            .map(|(i, line)| (shown(i, &line.name), line.file.into()))
            .collect())
    }

    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Archive> {
        assemble(tree, &|_, _| None)
    }

    fn assemble_edited(
        &self,
        tree: &TreeReader<'_>,
        before: &Archive,
        is_left_out: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Archive> {
        let mut documents = HashMap::new();
        before.documents_to(&mut |stem, piece| {
            if is_left_out(&stem) {
                documents.insert(stem, piece);
            }
        });
        assemble(tree, &|file, context| {
            let is_same =
                (context.game, context.format) == (before.context.game, before.context.format);
            let stem = document_stem(file, context.format).filter(|_| is_same)?;
            documents.get(stem).map(|piece| Blob::clone(piece))
        })
    }

    fn assemble_to_renew(&self, tree: &TreeReader<'_>) -> Result<Renewable<Archive>> {
        Ok(Renewable {
            model: self.assemble(tree)?,
            renew: Some(Box::new(ArchiveCodec)),
        })
    }

    fn line_for(&self, path: &str, head: &Head) -> Option<ManifestLine> {
        let name = document_stem(path, head.format)
            .unwrap_or(path)
            .replace('/', "\\");
        Some(ManifestLine {
            list: "members",
            fields: vec![("name", name), ("file", path.to_owned())],
        })
    }
}

/// The path of a document without the extension of its style: the name of its member. `None` for a
/// plain file.
fn document_stem(path: &str, format: Format) -> Option<&str> {
    let style = Style::of(path).filter(|_| member_codec(format).is_some())?;
    path.strip_suffix(style.ext())?.strip_suffix('.')
}

/// Reads a tree. `known` has the payloads of documents that the tree lacks.
fn assemble(
    tree: &TreeReader<'_>,
    known: &(dyn Fn(&str, &Context) -> Option<Blob> + Sync),
) -> Result<Archive> {
    let manifest: ArchiveManifest = tree.manifest()?;
    if !matches!(manifest.version, 1 | 2) {
        let why = format!("version {}: archives have version 1 or 2", manifest.version);
        return Err(Error::say(why).in_file("refit"));
    }
    let context = Context {
        game: manifest.game,
        format: manifest.format,
        file: manifest.source.file,
    };
    let (mut members, canonical) = (manifest.members, manifest.layout.is_empty());
    let parts = members
        .iter()
        .map(|line| (&*line.file, line.part.is_none()));
    let files = layout::files(&manifest.layout, parts)?;
    let pieces = par::try_map(&files.list, |_, (file, holds)| {
        let owner = holds.part().and_then(|i| members.get(i));
        let is_document = owner.is_some_and(|line| document_codec(line, context.format).is_some());
        match known(file, &context).filter(|_| is_document) {
            Some(piece) => Ok(piece),
            None => load(tree, file, owner, &context),
        }
    })?;
    let places = files.places;
    for (line, piece) in members.iter_mut().zip(places) {
        line.piece = piece;
        if let Some(part) = line.part {
            part.check(pieces.get(piece))
                .map_err(|e| e.within(line.name.text()).in_file("refit"))?;
        }
        if manifest.comments_are_names && line.comment.is_blank() {
            line.comment = line.name.clone();
        }
    }
    let (ones, checksum) = (manifest.lengths_are_one, manifest.checksum);
    let mut archive = Archive {
        ones,
        checksum,
        pieces,
        members,
        canonical,
        ..Archive::new(context, manifest.version)
    };
    if let Some(Checksum::Kept { stored, .. }) = checksum
        && archive.stored_checksum() != checksum
    {
        archive.right_checksum(stored);
    }
    archive.fault().map_or(Ok(archive), Err)
}

/// Reads the file of a piece from a tree; `owner` is the member that the piece is.
fn load(
    tree: &TreeReader<'_>,
    file: &str,
    owner: Option<&MemberLine>,
    context: &Context,
) -> Result<Blob> {
    match owner.and_then(|line| document_codec(line, context.format)) {
        Some(typed) => typed.load(tree, file, context),
        None => tree.blob(file),
    }
}

impl Incremental<Archive> for ArchiveCodec {
    fn renew(&mut self, tree: &TreeReader<'_>, path: &str, archive: &mut Archive) -> Result<bool> {
        let Archive {
            context,
            pieces,
            members,
            canonical,
            documents,
            ..
        } = archive;
        documents.take();
        let mine = || members.iter().filter(|line| *line.file == *path);
        // The positions in a manifest must be checked against the sizes of all files.
        if !*canonical || mine().any(|line| line.part.is_some()) {
            return Ok(false);
        }
        for line in mine() {
            let piece = load(tree, path, Some(line), context)?;
            if let Some(typed) = document_codec(line, context.format) {
                let proved = typed.prove(
                    line.name.bytes(),
                    &piece.bytes()?,
                    context,
                    Form::Stored,
                    false,
                );
                proved.map_err(|e| e.in_file(path))?;
            }
            let Some(place) = pieces.get_mut(line.piece) else {
                return Ok(false);
            };
            *place = piece;
        }
        Ok(mine().next().is_some())
    }
}

/// The codec of a member's document in the tree; `None` if its file is a plain one.
fn document_codec(line: &MemberLine, format: Format) -> Option<&'static dyn MemberCodec> {
    let is_document = line.part.is_none() && line.raw.is_none() && Style::of(&line.file).is_some();
    member_codec(format).filter(|_| is_document)
}

/// The typed form of an archive's members.
fn member_codec(format: Format) -> Option<&'static dyn MemberCodec> {
    match format {
        Format::Reader => Some(&reader::Members),
        Format::Motion => Some(&motion::Members),
        Format::Savegame => Some(&savegame::Members),
        Format::Mechlib => crate::mechlib::MEMBERS,
        _ => None,
    }
}

/// The game that alone has archives of this version and kind.
fn game_of_kind(version: u32, format: Format) -> Option<Game> {
    match (version, format) {
        (2, _) => Some(Game::Pm),
        (_, Format::Motion | Format::Mechlib) => Some(Game::Mw),
        _ => None,
    }
}

impl Archive {
    /// An archive without members.
    fn new(context: Context, version: u32) -> Self {
        let (checksum, pieces, members, notes, faults, documents) = Default::default();
        Archive {
            context,
            version,
            ones: false,
            checksum,
            pieces,
            members,
            canonical: true,
            notes,
            faults,
            documents,
        }
    }

    /// The archive as one of a kind: its checksum gets its meaning, and members that cannot be
    /// damaged are checked.
    pub fn settled(mut self, context: &Context) -> Result<Self> {
        let game = context.game.or(game_of_kind(self.version, context.format));
        self.context = Context {
            game,
            ..context.clone()
        };
        if let Some(typed) = member_codec(context.format).filter(|typed| typed.is_strict()) {
            par::try_map(&self.members, |_, member| {
                if member.part.is_some() {
                    return Ok(());
                }
                let payload = self.bytes(member)?;
                let checked = typed.check(
                    member.name.bytes(),
                    members::reader(&payload),
                    &self.context,
                );
                checked.map_err(|e| e.within(format!("{} ›", member.name.text())))
            })?;
        }
        if let Some(Checksum::Kept { stored, .. }) = self.checksum {
            let crc = self.crc();
            let usual = match self.context.format {
                Format::Reader => crc,
                _ => 0,
            };
            self.checksum = match stored {
                stored if stored == usual => None,
                stored if stored == crc => Some(Checksum::Computed),
                stored => Some(Checksum::Kept {
                    stored,
                    instead_of: Some(crc),
                }),
            };
        }
        self.fault().map_or(Ok(self), Err)
    }

    /// Its format: what its members are.
    pub fn format(&self) -> Format {
        self.context.format
    }

    /// The names and stored bytes of the members, in order.
    pub fn stored(&self) -> Result<Vec<(Str, Bytes)>> {
        self.members
            .iter()
            .map(|member| Ok((member.name.bytes().into(), self.bytes(member)?)))
            .collect()
    }

    fn member(&self, index: usize) -> Result<&MemberLine> {
        self.members
            .get(index)
            .ok_or_else(|| refit_base::contract::no_member(index))
    }

    /// The payload of a member.
    fn bytes(&self, member: &MemberLine) -> Result<Bytes> {
        FilePart::cut(member.part, self.pieces.get(member.piece))?.bytes()
    }

    /// Where the members are in the file.
    fn places(&self) -> Result<Vec<FilePart>> {
        let starts = layout::starts(0, self.pieces.iter().map(Blob::len))?;
        let place = |(i, member): (usize, &MemberLine)| {
            let start = starts.item(member.piece);
            let part = FilePart::in_file(member.part, start, self.pieces.get(member.piece));
            part.map_err(|e| e.within(shown(i, &member.name)))
        };
        self.members.iter().enumerate().map(place).collect()
    }

    /// The payload of a member; empty if it cannot be read, which is then a [`Model::fault`].
    fn payload(&self, member: &MemberLine) -> Bytes {
        self.faults.or_note(self.bytes(member)).unwrap_or_default()
    }

    /// Adds a member after all others, with only a name and its bytes, and returns its position.
    ///
    /// Fails on a name that is too long or has characters that no game knows.
    pub fn add(&mut self, name: &str, payload: impl Into<Bytes>) -> Result<usize> {
        self.documents.take();
        let name: Text<64> = name
            .try_into()
            .map_err(|e: Error| e.within(name.to_owned()))?;
        if let Some(Checksum::Kept {
            stored,
            instead_of: Some(_),
        }) = self.checksum
        {
            self.right_checksum(stored);
        }
        self.members.push(MemberLine {
            name: name.into(),
            piece: self.pieces.len(),
            ..MemberLine::default()
        });
        self.pieces.push(payload.into().into());
        Ok(self.members.len() - 1)
    }

    /// The CRC of the payloads.
    fn crc(&self) -> u32 {
        checksum(self.members.iter().map(|member| self.payload(member)))
    }

    /// The state of the checksum: a wrong one counts only for the payloads that it came with.
    fn stored_checksum(&self) -> Option<Checksum> {
        match self.checksum {
            Some(Checksum::Kept {
                instead_of: Some(right),
                ..
            }) if self.crc() != right => None,
            state => state,
        }
    }

    /// Drops a wrong checksum, because the members were edited.
    fn right_checksum(&mut self, stored: u32) {
        self.checksum = None;
        self.notes.push(format!(
            "the checksum {stored:#010x} was wrong before the edit; the archive gets the right one"
        ));
    }

    /// The checksum that is stored in an archive of this kind; `None` is the usual one.
    fn checksum_of(&self, state: Option<Checksum>) -> u32 {
        match state {
            Some(Checksum::Kept { stored, .. }) => stored,
            None if self.context.format != Format::Reader => 0,
            None | Some(Checksum::Computed) => self.crc(),
        }
    }

    /// Replaces the piece that a member is. The content of a part can only stay as it is.
    fn set(&mut self, index: usize, payload: Vec<u8>) -> Result<()> {
        self.documents.take();
        let member = self.member(index)?;
        let (piece, is_part) = (member.piece, member.part.is_some());
        let same = self.bytes(member)? == payload;
        if is_part && !same {
            return Err(Error::say("the member overlaps another one")
                .hint("unpack the archive and edit the file that both are parts of"));
        }
        if let Some(Checksum::Kept {
            stored,
            instead_of: Some(_),
        }) = self.checksum
            && !same
        {
            self.right_checksum(stored);
        }
        if let Some(piece) = self.pieces.get_mut(piece).filter(|_| !is_part) {
            *piece = Bytes::from(payload).into();
        }
        Ok(())
    }

    /// Reports the bytes of all pieces.
    fn explain_members(&self, context: &Context, trace: &dyn Trace) -> Result<()> {
        let typed = member_codec(context.format);
        let (mut paths, mut start) = (Paths::default(), 0);
        for (piece, holds, owner) in self.owned() {
            let bytes = piece.bytes()?;
            let document = typed.zip(owner).filter(|(typed, owner)| {
                typed
                    .document(owner.name.bytes(), &bytes, context)
                    .is_some_and(|document| document.is_ok())
            });
            let path = paths.next(owner, document.is_some(), ".json", typed.is_some());
            let mut r = Reader::based(&bytes, start, Game::Mw).traced(Some(trace));
            match document {
                Some((typed, owner)) => r.document(&path, |r| {
                    typed.check(owner.name.bytes(), r.clone(), context)
                })?,
                None => {
                    _ = r.rest_as(
                        &path,
                        if holds == Holds::Gap {
                            Role::Gap
                        } else {
                            Role::Payload
                        },
                    )
                }
            }
            start += piece.len();
        }
        Ok(())
    }

    /// Passes on each piece that is a document in a new tree, with the path of the document without
    /// its extension.
    fn documents_to<'a>(&'a self, take: &mut dyn FnMut(String, &'a Blob)) {
        if member_codec(self.context.format).is_none() {
            return;
        }
        let mut paths = Paths::default();
        for ((piece, _, owner), is_document) in self.owned().zip(self.are_documents()) {
            let path = paths.next(owner, *is_document, ".json", true);
            if let Some(stem) = path.strip_suffix(".json").filter(|_| *is_document) {
                take(stem.to_owned(), piece);
            }
        }
    }

    /// For each piece, whether it is a document in a new tree.
    fn are_documents(&self) -> &[bool] {
        self.documents.get_or_init(|| {
            let typed = member_codec(self.context.format);
            let owned: Vec<_> = self.owned().collect();
            par::map(&owned, |_, (piece, _, owner)| {
                let Some((owner, typed)) = owner.zip(typed) else {
                    return false;
                };
                let payload = self.faults.or_note(piece.bytes());
                payload.is_some_and(|payload| {
                    typed.is_document(owner.name.bytes(), &payload, &self.context)
                })
            })
        })
    }

    /// Writes the files of the pieces into a tree. Returns for each piece its file, and why it is
    /// not a document.
    fn store(&self, tree: &TreeWriter<'_>) -> Result<Vec<StoredPiece>> {
        let typed = member_codec(self.context.format);
        let (ext, mut paths) = (tree.ext(), Paths::of(tree, &self.members));
        let mut owned = self.owned();
        let mut files: Vec<StoredPiece> = Vec::with_capacity(self.pieces.len());
        while files.len() < self.pieces.len() {
            let some: Vec<_> = owned.by_ref().take(AT_ONCE).collect();
            let name = |(_, _, owner): &(&Blob, Holds, Option<&MemberLine>),
                        proved: Result<Option<String>>| {
                let (text, why) = match proved {
                    Ok(text) => (text, None),
                    Err(e) => (None, Some(e.to_string().into())),
                };
                let file: Box<str> = paths
                    .next(*owner, text.is_some(), &ext, typed.is_some())
                    .into();
                files.push((file.clone(), why));
                (file, text)
            };
            par::try_in_order(
                &some,
                |(piece, _, owner)| self.prove(tree, piece, *owner),
                name,
                |(piece, ..), (file, text)| match text.zip(typed) {
                    Some((text, typed)) => typed.store(tree, &file, text, (*piece).clone()),
                    None => tree.blob(&file, piece),
                },
            )?;
        }
        Ok(files)
    }

    /// [`Archive::store`] for a tree of some documents: the others cost no text.
    fn store_some(&self, tree: &TreeWriter<'_>) -> Result<Vec<StoredPiece>> {
        let typed = member_codec(self.context.format);
        let (ext, mut paths) = (tree.ext(), Paths::of(tree, &self.members));
        let named: Vec<_> = self
            .owned()
            .zip(self.are_documents())
            .map(|((piece, _, owner), is_document)| {
                let file = paths.next(owner, *is_document, &ext, typed.is_some());
                (piece, owner, file, *is_document)
            })
            .collect();
        par::try_map(&named, |_, (piece, owner, file, is_document)| {
            let stem = file.strip_suffix(&ext).filter(|_| *is_document);
            if stem.is_some_and(|stem| tree.passes_over(stem)) {
                return Ok((file.as_str().into(), None));
            }
            let why = match (self.prove(tree, piece, *owner)?, typed) {
                (Ok(Some(text)), Some(typed)) => {
                    typed.store(tree, file, text, Blob::clone(piece))?;
                    None
                }
                (proved, _) => {
                    tree.blob(file, piece)?;
                    proved.err().map(|e| e.to_string().into())
                }
            };
            Ok((file.as_str().into(), why))
        })
    }

    /// Verifies a piece, and makes its text if it is a document. The outer error is of the disk.
    fn prove(
        &self,
        tree: &TreeWriter<'_>,
        piece: &Blob,
        owner: Option<&MemberLine>,
    ) -> Result<Result<Option<String>>> {
        let Some((owner, typed)) = owner.zip(member_codec(self.context.format)) else {
            return Ok(Ok(None));
        };
        let (name, payload) = (owner.name.bytes(), piece.bytes()?);
        Ok(typed.prove(name, &payload, &self.context, tree.form, tree.proves()))
    }

    /// The pieces, what they hold, and the first of the members that each is; `None` if members are
    /// only parts of it.
    fn owned(&self) -> impl Iterator<Item = (&Blob, Holds, Option<&MemberLine>)> {
        let parts = self
            .members
            .iter()
            .map(|member| (member.piece, member.part.is_none()));
        let held = layout::held(self.pieces.len(), parts);
        let owner = |holds: Holds| self.members.get(holds.part()?);
        self.pieces
            .iter()
            .zip(held)
            .map(move |(piece, holds)| (piece, holds, owner(holds)))
    }
}

/// The file of a piece in a tree, and why it is not a document.
type StoredPiece = (Box<str>, Option<Box<str>>);

/// The paths of an archive's pieces in a tree.
#[derive(Default)]
struct Paths {
    taken: UniquePaths,
    gaps: usize,
    /// Members that came from a tree keep their files.
    keeps: bool,
}

impl Paths {
    /// Paths for a tree, in which members may have files already.
    fn of(tree: &TreeWriter<'_>, members: &[MemberLine]) -> Paths {
        let mut paths = Paths {
            keeps: tree.options.keep_paths,
            ..Paths::default()
        };
        if paths.keeps {
            members.iter().for_each(|line| paths.taken.take(&line.file));
        }
        paths
    }

    /// The path of the next piece: of a document, or of a plain file. In a tree with documents
    /// (`typed`) the name of a plain file does not look like that of one.
    fn next(
        &mut self,
        owner: Option<&MemberLine>,
        document: bool,
        ext: &str,
        typed: bool,
    ) -> String {
        self.gaps += usize::from(owner.is_none());
        let is_document = |file: &str| typed && Style::of(file).is_some();
        let may_be = |file: &str| match document {
            true => file.ends_with(ext),
            false => !file.is_empty() && !is_document(file),
        };
        let own = owner.map(|owner| &*owner.file).filter(|_| self.keeps);
        if let Some(own) = own.filter(|own| may_be(own)) {
            return own.to_owned();
        }
        let name = owner.map_or_else(
            || format!("gaps/{}.bin", self.gaps).into(),
            |owner| owner.name.text(),
        );
        let path = self.taken.assign(&name, if document { ext } else { "" });
        if !document && is_document(&path) {
            self.taken.assign(&path, ".bin")
        } else {
            path
        }
    }
}

fn shown(i: usize, name: &ShortText<64>) -> String {
    if name.bytes().is_empty() {
        format!("#{i}")
    } else {
        name.text().into_owned()
    }
}

impl Model for Archive {
    fn game(&self) -> Option<Game> {
        self.context.game
    }
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        let places = self.places()?;
        let count = fit(self.members.len(), "the number of members")?;
        out.put_blobs(&mut self.pieces.iter())?;
        let mut w = Writer::new(Game::Mw);
        for (member, place) in self.members.iter().zip(&places) {
            member.append(
                &mut w,
                &FilePart {
                    length: if self.ones { 1 } else { place.length },
                    ..*place
                },
            )?;
            if w.len() >= 1 << 18 {
                out.put(&w.bytes)?;
                w.bytes.clear();
            }
        }
        w.u32(self.version);
        w.u32(count);
        if self.version == 2 {
            w.u32(self.checksum_of(self.stored_checksum()));
        }
        out.put(&w.bytes)?;
        self.fault().map_or(Ok(()), Err)
    }

    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let mut files = match tree.passes_some_over() {
            true => self.store_some(tree)?,
            false => self.store(tree)?,
        };
        for (i, member) in self.members.iter().enumerate() {
            if let Some((_, Some(why))) = files.get(member.piece) {
                tree.keep_raw(&shown(i, &member.name), &**why);
            }
        }
        if tree.form == Form::Stored {
            return Ok(());
        }
        let comments_are_names = self
            .members
            .iter()
            .all(|member| member.comment == member.name)
            && self.members.iter().any(|member| !member.name.is_blank());
        let line = |member: &MemberLine| {
            let mut line = member.clone();
            if let Some((file, why)) = files.get_mut(member.piece) {
                line.file = if self.canonical {
                    std::mem::take(file)
                } else {
                    file.clone()
                };
                line.raw = why.clone();
            }
            if comments_are_names {
                line.comment = ShortText::default();
            }
            line
        };
        let lines = self.members.iter().map(line).collect();
        let layout = if self.canonical {
            Vec::new()
        } else {
            files.into_iter().map(|(file, _)| file).collect()
        };
        let (head, &Archive { version, ones, .. }) = (tree.head.clone(), self);
        let checksum = self.stored_checksum();
        tree.manifest(ArchiveManifest::new(
            head,
            version,
            checksum,
            ones,
            comments_are_names,
            lines,
            layout,
        ))
    }

    fn documents(&self) -> Option<Documents> {
        let Context { game, format, .. } = &self.context;
        let mut parts = Vec::new();
        self.documents_to(&mut |stem, piece| parts.push((stem, vec![piece.clone()])));
        parts.sort_by(|(a, _), (b, _)| a.cmp(b));
        (!parts.is_empty()).then(|| Documents {
            of: vec![format!("{game:?} {format}")],
            parts,
            single: true,
        })
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn proves_parts(&self) -> bool {
        member_codec(self.context.format).is_some()
    }

    fn lint(&self, lints: &mut Lints) {
        lints.of_game(self.context.game);
        lints.check(self.canonical, ARCHIVE_LAYOUT, || {
            format!(
                "{} members are stored in {} pieces",
                self.members.len(),
                self.pieces.len()
            )
        });
        let state = self.stored_checksum();
        lints.check(state.is_none(), ARCHIVE_CHECKSUM, || {
            let (stored, usual) = (self.checksum_of(state), self.checksum_of(None));
            format!("{stored:#010x} is stored, but {usual:#010x} is usual here")
        });
        let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
        for (i, member) in self.members.iter().enumerate() {
            let (name, shown) = (member.name.bytes(), shown(i, &member.name));
            let first = *seen.entry(name.to_ascii_lowercase()).or_insert(i);
            // If several members have one name, only the position identifies one.
            lints.at(
                if first == i || name.is_empty() {
                    shown
                } else {
                    format!("#{i} {shown}")
                },
                |lints| {
                    lints.check(
                        name.is_ascii() && !name.is_empty() && member.name.is_regular(),
                        ARCHIVE_NAME,
                        || format!("{:?}", member.name),
                    );
                    lints.check(member.name.is_terminated(), ARCHIVE_NAME_END, || {
                        "64 characters".into()
                    });
                    lints.check(first == i, ARCHIVE_SHADOWED, || {
                        format!("member #{first} has the same name")
                    });
                    let payload = self.payload(member);
                    lints.check(!payload.is_empty(), ARCHIVE_EMPTY_MEMBER, || {
                        "0 bytes".into()
                    });
                    if let Some(typed) = member_codec(self.context.format) {
                        typed.lint(member.name.bytes(), &payload, &self.context, lints);
                    } else if self.context.format == Format::Sounds {
                        sounds::lint(&payload, self.context.game, lints);
                    }
                },
            );
        }
    }

    fn lint_edit(&self, before: &Archive, lints: &mut Lints) {
        let Some(typed) = member_codec(self.context.format) else {
            return;
        };
        // The n-th member of a name is compared with the n-th that had it.
        let mut olds: HashMap<&[u8], VecDeque<&MemberLine>> = HashMap::new();
        before
            .members
            .iter()
            .for_each(|old| olds.entry(old.name.bytes()).or_default().push_back(old));
        for (i, member) in self.members.iter().enumerate() {
            let Some(old) = olds
                .get_mut(member.name.bytes())
                .and_then(VecDeque::pop_front)
            else {
                continue;
            };
            let (now, before) = (self.payload(member), before.payload(old));
            if now != before {
                lints.at(shown(i, &member.name), |lints| {
                    typed.lint_edit(member.name.bytes(), &now, &before, &self.context, lints);
                });
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
            (
                "data",
                self.pieces.iter().map(Blob::len).sum::<u64>().into(),
            ),
        ];
        if self.version == 2 {
            let stored = self.stored_checksum();
            let state = match stored {
                None if self.context.format == Format::Reader => "correct",
                None => "none, as usual",
                Some(Checksum::Computed) => "correct, though usually absent here",
                Some(Checksum::Kept { .. }) => "wrong",
            };
            info.push((
                "checksum",
                format!("{:#010x}, {state}", self.checksum_of(stored)).into(),
            ));
        }
        if !self.canonical {
            info.push((
                "layout",
                "not in the order of the table, or with gaps".into(),
            ));
        }
        let mut kinds: BTreeMap<refit_base::contract::Kind, usize> = BTreeMap::new();
        self.members()
            .into_iter()
            .for_each(|member| *kinds.entry(member.kind).or_default() += 1);
        info.push(("kinds", serde_json::json!(kinds)));
        if self.context.format == Format::Sounds {
            info.extend(sounds::tell(
                self.members.iter().map(|member| self.payload(member)),
            ));
        }
        info
    }

    refit_base::offers!(Members, Export);
}

impl Members for Archive {
    fn members(&self) -> Vec<Member> {
        par::map(&self.members, |_, member| {
            let payload = self.payload(member);
            let described = match member_codec(self.context.format) {
                Some(typed) => typed.describe(member.name.bytes(), &payload, &self.context),
                None => sounds::describe(&payload),
            };
            let (kind, detail) = described.unwrap_or_else(|| ("raw".into(), String::new()));
            Member {
                name: member.name.text().into_owned(),
                bytes: payload.len() as u64,
                kind,
                detail,
            }
        })
    }

    fn document(&self, index: usize) -> Result<Box<dyn AnyDocument>> {
        let member = self.member(index)?;
        let typed =
            member_codec(self.context.format).ok_or_else(refit_base::contract::no_document)?;
        let document = typed.document(member.name.bytes(), &self.bytes(member)?, &self.context);
        document.unwrap_or_else(|| Err(refit_base::contract::no_document()))
    }

    fn put_document(&mut self, index: usize, document: &dyn AnyDocument) -> Result<()> {
        let typed =
            member_codec(self.context.format).ok_or_else(refit_base::contract::no_document)?;
        self.set(index, typed.encode_document(document, &self.context)?)
    }

    fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        match (form, self.document(index)) {
            (Form::Document(style), Ok(document)) => Ok(document.text(style)?.into()),
            _ => self.bytes(self.member(index)?),
        }
    }

    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        // A member that cannot be read has neither bytes nor a document to offer.
        self.bytes(self.member(index)?)?;
        let payload = match (form, member_codec(self.context.format)) {
            // A plain file is put back as bytes.
            (Form::Document(style), Some(typed)) if self.document(index).is_ok() => {
                let text = utf8(bytes).map_err(|e| {
                    e.hint("this member is put as JSON or RON; use --raw for its stored bytes")
                })?;
                typed.encode(text, style, &self.context)?
            }
            _ => bytes.to_vec(),
        };
        self.set(index, payload)
    }

    fn add_member(&mut self, name: &str, bytes: &[u8], form: Form) -> Result<usize> {
        fresh::add(self, name, bytes, form)
    }
}

impl Export for Archive {
    fn export(&self, out: &dyn Sink) -> Result<Vec<String>> {
        match self.context.format {
            Format::Sounds => sounds::export(&self.stored()?, out),
            Format::Motion => Err(Error::say("motions move 'mechs, which are in mechlib.zbd")
                .hint("refit export mechlib.zbd --with motion.zbd -o DIR shows them")),
            _ => Err(refit_base::contract::no_export()),
        }
    }
}

refit_base::tables! { MemberLine }
