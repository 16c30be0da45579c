//! ROF archives of Crimson Skies, `crimson.rof` and `crimptch.rof`: pictures, scripts and tables of
//! the user interface.
//!
//! All numbers are little-endian words of 32 bits. There is no signature and no checksum. The file
//! is a tree of *blocks*, one for each folder; the root's block is at offset 0. A block consists of
//! the number of its entries, the length of its names, a record of 24 bytes for each entry, and the
//! names, each with its zero. A record contains the position of a folder's block or a file's data,
//! the file's unpacked and stored lengths, whether it is a folder (1) or compressed with zlib (2),
//! and the position of its name in the names of this block. Known archives have all blocks first,
//! then all data, without a gap; the root contains one folder, `ASSETS`; pictures and sounds are
//! stored, everything else is compressed.
//!
//! Measured on the files of one English retail installation by the authors of
//! `LinusU/rust-crimson-skies` and `Laeresh/CSVM`, who also analysed `roffile.dll`, which reads
//! these archives. The game looks in `crimptch.rof` first, then in `crimson.rof`, then on disk; it
//! converts the name to upper case, so it never finds a name with a lower-case letter.
//!
//! The parts: `layout` (bytes ⇄ [`Rof`]), `zlib` (compression), `tree` ([`Rof`] ⇄ tree), `lints`.
//!
//! Decisions where the descriptions leave a choice:
//! - A folder within itself, or one whose block overlaps another folder's block or a file's data,
//!   is an error: a tree of files cannot represent it, and following such blocks may never end.
//!   Files may share data, and there may be gaps.
//! - The compressed bytes of an unedited file are kept beside it, because the settings of the
//!   game's compressor are unknown. An edited file is compressed with the fastest level of zlib.
//! - A name ends at its zero, whatever its length field says.

mod fresh;
mod layout;
mod lints;
mod tree;
mod zlib;

pub use refit_base::support::layout::FilePart;
pub use tree::Line;
pub(crate) use tree::RofManifest;

use bytes::Bytes;
use refit_base::{
    contract::{
        Codec, Context, Detection, Family, Info, Member, Members, Model, Stage, Suspect, Verdict,
        schema,
    },
    format::Format,
    game::Game,
    lint::Lints,
    naming::{NameKind, Rule},
    par,
    tree::{Blob, ByteSink, Form, TreeReader, TreeWriter, plain::PlainFolder},
    wire::{Error, Result, Str, Trace, Within, value_at},
};
use std::collections::BTreeMap;

/// The format, lint codes and schema of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Rof],
    recognise: &[
        (Stage::Signature, recognise),
        (Stage::Name, recognise_named),
    ],
    codes: lints::CODES,
    schemas: || vec![schema::<RofManifest>()],
};

/// An archive.
#[derive(Clone, Debug, Default)]
pub struct Rof {
    /// The folders; the first is the root.
    folders: Vec<Folder>,
    /// In the order of the file, without gaps: bytes without an entry are a piece, too.
    pieces: Vec<PieceContent>,
}

#[derive(Clone, Debug, Default)]
struct Folder {
    /// The entries, in the order of the block.
    entries: Vec<Entry>,
    /// Present only if the names are not consecutive in the order of the entries.
    names: Option<layout::NamePool>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// The name up to its zero.
    name: Str,
    /// The bits that [`Entry::node`] does not determine.
    flags: u32,
    /// The unpacked length according to the record.
    decoded: u32,
    node: Node,
}

#[derive(Clone, Debug)]
enum Node {
    Folder {
        index: usize,
        /// The length in the record, 0 in known archives.
        stored: u32,
    },
    File(File),
}

#[derive(Clone, Debug)]
struct File {
    /// The piece with its data.
    piece: usize,
    /// Present only if the data is a part of the piece.
    part: Option<FilePart>,
    zlib: bool,
    /// The recorded position of a file without data, if it is not that of its piece.
    start: Option<u32>,
}

#[derive(Clone, Debug)]
enum PieceContent {
    /// The block of a folder.
    Block(usize),
    /// The data of a file, of several files that overlap, or bytes without an entry.
    Data(Blob),
}

/// The content of a file's data.
enum Content {
    /// The data itself.
    Stored,
    /// The decompressed data.
    Packed(zlib::Stream),
    /// Marked as compressed, but invalid; the reason.
    Opaque(String),
}

/// A path for messages. Only the end of a long one, to limit the size of deep paths.
fn below(folder: &str, name: &Str) -> String {
    const MOST: usize = 120;
    let path = if folder.is_empty() {
        name.text().into_owned()
    } else {
        format!("{folder}\\{}", name.text())
    };
    match path.char_indices().rev().nth(MOST) {
        Some((at, _)) => format!("…{}", path.within(at..)),
        None => path,
    }
}

/// The extension, in lower case.
fn extension(name: &Str) -> String {
    match name.0.iter().rposition(|b| *b == b'.') {
        Some(dot) if dot > 0 && name.0.len() - dot <= 12 => {
            Str(name.0.within(dot + 1..).to_vec()).text().to_lowercase()
        }
        _ => "none".to_owned(),
    }
}

impl Rof {
    /// Checks an archive without keeping it: returns an error if a block or a file does not fit.
    pub fn check(file: &Bytes) -> Result<()> {
        layout::read(&file.into(), None).map(|_| ())
    }

    /// True for the beginning of every known archive: one entry in the root, with a name of seven
    /// bytes, `ASSETS`.
    pub(crate) fn is_beginning(bytes: &[u8]) -> bool {
        bytes.starts_with(&[1, 0, 0, 0, 7, 0, 0, 0]) && bytes.get(32..39) == Some(b"ASSETS\0")
    }

    fn file_mut(&mut self, (folder, entry): (usize, usize)) -> Option<&mut File> {
        match &mut self.folders.get_mut(folder)?.entries.get_mut(entry)?.node {
            Node::File(file) => Some(file),
            Node::Folder { .. } => None,
        }
    }

    fn data(&self, piece: usize) -> Option<&Blob> {
        match self.pieces.get(piece)? {
            PieceContent::Data(data) => Some(data),
            PieceContent::Block(_) => None,
        }
    }

    /// The stored bytes of a file.
    fn stored(&self, file: &File) -> Result<Blob> {
        FilePart::cut(file.part, self.data(file.piece))
    }

    fn content(&self, entry: &Entry, file: &File) -> Result<Content> {
        if !file.zlib {
            return Ok(Content::Stored);
        }
        Ok(
            match zlib::inflate(&self.stored(file)?.bytes()?, entry.decoded) {
                Ok(stream) => Content::Packed(stream),
                Err(why) => Content::Opaque(why.to_string()),
            },
        )
    }

    /// All entries in depth-first order, each once: folder and index in it.
    fn walk(&self) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        let mut stack = vec![(0usize, 0usize)];
        while let Some((folder, entry)) = stack.pop() {
            let Some(found) = self.folders.get(folder).and_then(|f| f.entries.get(entry)) else {
                continue;
            };
            out.push((folder, entry));
            stack.push((folder, entry + 1));
            if let Node::Folder { index, .. } = found.node {
                stack.push((index, 0));
            }
        }
        out
    }

    fn entry(&self, (folder, entry): (usize, usize)) -> Option<&Entry> {
        self.folders.get(folder)?.entries.get(entry)
    }

    /// The files in depth-first order, with their paths for messages.
    fn files(&self) -> Vec<((usize, usize), String, &Entry, &File)> {
        let mut paths = vec![String::new(); self.folders.len()];
        let mut out = Vec::new();
        for at in self.walk() {
            let Some(entry) = self.entry(at) else {
                continue;
            };
            let path = below(
                paths.get(at.0).map(String::as_str).unwrap_or_default(),
                &entry.name,
            );
            match &entry.node {
                Node::Folder { index, .. } => {
                    if let Some(slot) = paths.get_mut(*index) {
                        *slot = path;
                    }
                }
                Node::File(file) => out.push((at, path, entry, file)),
            }
        }
        out
    }

    /// The number of files in each piece.
    fn owners(&self) -> Vec<usize> {
        let mut owners = vec![0; self.pieces.len()];
        for entry in self.folders.iter().flat_map(|f| &f.entries) {
            if let Node::File(file) = &entry.node
                && let Some(n) = owners.get_mut(file.piece)
            {
                *n += 1;
            }
        }
        owners
    }

    /// True if all blocks come first, the root's before the others, then all data, and every piece
    /// belongs to an entry.
    fn is_regular(&self) -> bool {
        let blocks = self
            .pieces
            .iter()
            .take_while(|p| matches!(p, PieceContent::Block(_)))
            .count();
        let owners = self.owners();
        blocks == self.folders.len() && owners.iter().skip(blocks).all(|n| *n > 0)
    }

    fn nth(&self, index: usize) -> Result<((usize, usize), &Entry, &File)> {
        let files = self.files();
        let n = files.len();
        let found = files
            .into_iter()
            .nth(index)
            .map(|(at, _, entry, file)| (at, entry, file));
        found.ok_or_else(|| Error::say(format!("there is no member {index}; the archive has {n}")))
    }
}

/// The codec of [`Rof`].
pub struct RofCodec;

/// Recognises the game's own archive by its first block.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    match Rof::is_beginning(suspect.head) {
        true => Verdict::Is(Detection::new(
            Format::Rof,
            Some(Game::Cs),
            "a ROF block with one entry, ASSETS",
            true,
        )),
        false => Verdict::No,
    }
}

/// Recognises archives with another root than the game's: only by extension, and by reading all
/// folders.
fn recognise_named(suspect: &Suspect<'_>) -> Verdict {
    if !suspect.ends_with(".rof") {
        return Verdict::No;
    }
    let Some(file) = suspect.whole else {
        return Verdict::All;
    };
    match Rof::check(file) {
        Ok(()) => Verdict::Is(Detection::new(
            Format::Rof,
            Some(Game::Cs),
            "the name, and ROF blocks that fit",
            false,
        )),
        Err(e) => Verdict::Refused(e.context("a damaged ROF archive, or not one")),
    }
}

impl Codec for RofCodec {
    type Model = Rof;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<Rof> {
        fresh::archive(folder)
    }
    fn names(&self) -> &'static [Rule] {
        const { &[Rule::defines("rof", "entries[].file", NameKind::Member)] }
    }
    fn read(&self, file: &Blob, _: &Context) -> Result<Rof> {
        layout::read(file, None)
    }
    fn leaves_on_disk(&self) -> bool {
        true
    }
    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        layout::read(file, Some(trace)).map(|_| ())
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Rof> {
        tree::assemble(tree)
    }
}

impl Model for Rof {
    fn game(&self) -> Option<Game> {
        Some(Game::Cs)
    }
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        layout::write(self, out)
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        tree::unpack(self, tree)
    }
    fn lint(&self, lints: &mut Lints) {
        lints::lint(self, lints);
    }
    fn info(&self) -> Info {
        let files = self.files();
        let empty = self
            .folders
            .iter()
            .skip(1)
            .filter(|f| f.entries.is_empty())
            .count();
        let mut kinds: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        let (mut packed, mut stored, mut decoded) = (0u64, 0u64, 0u64);
        for (_, _, entry, file) in &files {
            let kind = kinds.entry(extension(&entry.name)).or_default();
            kind.0 += 1;
            kind.1 += u64::from(entry.decoded);
            packed += u64::from(file.zlib);
            stored += self.stored(file).map_or(0, |data| data.len());
            decoded += u64::from(entry.decoded);
        }
        let kinds: serde_json::Map<_, _> = kinds
            .into_iter()
            .map(|(k, (n, bytes))| (k, format!("{n} ({bytes} bytes)").into()))
            .collect();
        let mut info: Info = vec![
            ("folders", (self.folders.len().saturating_sub(1)).into()),
            ("empty_folders", empty.into()),
            ("files", files.len().into()),
            ("kinds", kinds.into()),
            ("stored", (files.len() as u64 - packed).into()),
            ("packed", packed.into()),
            ("data", stored.into()),
            ("unpacked", decoded.into()),
        ];
        if !self.is_regular() {
            info.push(("layout", "not all blocks first, or with gaps".into()));
        }
        info
    }
    refit_base::offers!(Members);
}

impl Members for Rof {
    fn members(&self) -> Vec<Member> {
        let row = |_, (_, path, entry, file): &((usize, usize), String, &Entry, &File)| {
            let stored = self.stored(file).unwrap_or_default();
            let mut detail = Vec::new();
            if file.zlib {
                detail.push(format!("packed from {} bytes", entry.decoded));
            }
            let kind = extension(&entry.name);
            if kind == "bm" {
                detail.extend(self.livery(&stored, entry, file));
            }
            Member {
                name: path.clone(),
                bytes: stored.len(),
                kind: kind.into(),
                detail: detail.join(", "),
            }
        };
        par::map(&self.files(), row)
    }
    fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        let (_, entry, file) = self.nth(index)?;
        match (self.content(entry, file)?, form) {
            (Content::Packed(stream), Form::Document(_)) => Ok(stream.content.into()),
            _ => self.stored(file)?.bytes(),
        }
    }
    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        let (at, entry, file) = self.nth(index)?;
        if file.part.is_some() || self.owners().get(file.piece).is_some_and(|n| *n > 1) {
            return Err(Error::say("the member shares bytes with another one")
                .hint("unpack the archive and edit it there"));
        }
        let len = |bytes: &[u8]| {
            u32::try_from(bytes.len())
                .map_err(|_| Error::say("a file in an archive has at most 4 GiB"))
        };
        let was = entry.decoded;
        let (data, decoded) = match (self.content(entry, file)?, form) {
            (Content::Packed(_), Form::Document(_)) => (zlib::deflate(bytes), len(bytes)?),
            (Content::Stored, _) => (bytes.to_vec(), len(bytes)?),
            // The stored bytes of a compressed file determine its unpacked length, if they can be
            // decompressed.
            _ => {
                let decoded =
                    zlib::inflate(bytes, was).map_or(Ok(was), |stream| len(&stream.content))?;
                (bytes.to_vec(), decoded)
            }
        };
        let piece = file.piece;
        if let Some(slot) = self.pieces.get_mut(piece) {
            *slot = PieceContent::Data(Blob::Memory(data.into()));
        }
        if let Some(file) = self.file_mut(at) {
            file.start = None;
        }
        if let Some(entry) = self
            .folders
            .get_mut(at.0)
            .and_then(|f| f.entries.get_mut(at.1))
        {
            entry.decoded = decoded;
        }
        Ok(())
    }
    fn add_member(&mut self, name: &str, bytes: &[u8], _: Form) -> Result<usize> {
        fresh::add(self, name, bytes)
    }
}

impl Rof {
    /// The header of a `.BM`: height and width, then ten bytes per pixel (three of shading, the
    /// masks of three paint colours, an overlay of four).
    fn livery(&self, stored: &Blob, entry: &Entry, file: &File) -> Option<String> {
        let head = match file.zlib {
            true => zlib::head(&stored.bytes().ok()?, 4),
            false => stored.slice(0, 4).ok()?.bytes().ok()?.to_vec(),
        };
        let [height, width] = value_at::<[u16; 2]>(&head, 0)?.map(u64::from);
        Some(match u64::from(entry.decoded) == 4 + 10 * width * height {
            true => format!("livery, {width} x {height}"),
            false => format!(
                "not a livery: {width} x {height} need {} bytes",
                4 + 10 * width * height
            ),
        })
    }
}

refit_base::tables! { layout::EntryRecord }
