//! The bytes of an archive: a block for each folder, and the members' data.

use super::{Entry, File, FilePart, Folder, Node, PieceContent, Rof, below};
use refit_base::{
    game::Game,
    support::layout::{self, Plan, Span},
    tree::{Blob, ByteSink},
    wire::{
        Encode, Error, Hex, HexBytes, Items, Notation, Reader, Result, Role, Str, Trace, Writer,
        fit,
    },
};
use std::{borrow::Cow, collections::BTreeMap};

// Not merged into the model: it contains positions and lengths, which follow from all files
// together when an archive is written.
refit_base::record! {
    /// An entry of a folder's block.
    pub(super) struct EntryRecord [Cs 24] {
        /// Of a folder's block, or of a file's stored bytes; from the beginning of the archive.
        mut start: u32,
        /// Bytes of the file once unpacked; 0 for a folder.
        mut decoded: u32,
        /// Bytes of the file in the archive; 0 for a folder.
        mut stored: u32,
        /// [`FOLDER`], [`ZLIB`].
        mut flags: Hex<u32>,
        /// Bytes of the name, its zero included.
        mut name_len: u32,
        /// Where the name begins in the names of this block.
        mut name_at: u32,
    }
}

/// Size of a block before its records, in bytes.
const HEAD: u64 = 8;
const RECORD: u64 = EntryRecord::size(Game::Cs) as u64;
/// The flag for a folder.
pub(super) const FOLDER: u32 = 1;
/// The flag for a compressed file.
pub(super) const ZLIB: u32 = 2;

/// A folder whose block is being read.
struct OpenFolder {
    start: u64,
    /// The position of its record.
    record: u64,
    parent: usize,
    shown: String,
}

/// True if `folder` is `inner` or one of its parents.
fn holds(places: &[OpenFolder], folder: usize, mut inner: usize) -> bool {
    // Folders are in the order of their blocks, so parents come before their children.
    while inner > folder {
        inner = places.get(inner).map_or(0, |place| place.parent);
    }
    inner == folder
}

/// An archive while its blocks are read.
struct Scan<'a> {
    file: &'a Blob,
    trace: Option<&'a dyn Trace>,
    places: Vec<OpenFolder>,
    /// The blocks read so far: start → end and folder. They never overlap, which limits the time of
    /// reading by the size of the file.
    claimed: BTreeMap<u64, (u64, usize)>,
    /// The ranges of the blocks, by folder.
    spans: Vec<Span>,
    /// Files with data, by folder and entry.
    files: Vec<((usize, usize), Span)>,
    /// Files without data, and their stated offsets.
    empties: Vec<((usize, usize), u64)>,
}

impl Scan<'_> {
    /// The path of a folder for messages.
    fn shown(&self, folder: usize) -> &str {
        let path = self
            .places
            .get(folder)
            .map(|place| place.shown.as_str())
            .unwrap_or_default();
        if path.is_empty() { "the root" } else { path }
    }

    /// The block that overlaps a range.
    fn meets(&self, span: Span) -> Option<(u64, usize)> {
        let (at, (until, folder)) = self.claimed.range(..span.start + span.len).next_back()?;
        (*until > span.start).then_some((*at, *folder))
    }

    /// Claims the block of a folder, which is described by its head. Returns its range.
    fn claim(
        &mut self,
        index: usize,
        start: u64,
        record: u64,
        count: u32,
        names_len: u32,
    ) -> Result<Span> {
        let left = self.file.len().saturating_sub(start);
        let len = HEAD + RECORD * u64::from(count) + u64::from(names_len);
        if len > left {
            return Err(Error::say(format!(
                "{count} entries and {names_len} bytes of names need a block of {len} bytes, but only {left} are left \
                in the file"
            ))
            .at(start));
        }
        let span = Span { start, len };
        if let Some((at, other)) = self.meets(span) {
            let there = self.shown(other);
            let why = if at == start && holds(&self.places, other, index) {
                format!(
                    "it contains itself: its block at {start:#x} is that of {there}, which contains it"
                )
            } else {
                format!("its block at {start:#x} shares bytes with that of {there}")
            };
            return Err(Error::say(why).at(record));
        }
        self.claimed.insert(start, (start + len, index));
        self.spans.push(span);
        Ok(span)
    }

    /// Reads the block of a folder.
    fn folder(&mut self, index: usize, start: u64, record: u64) -> Result<Folder> {
        let size = self.file.len();
        if size.saturating_sub(start) < HEAD {
            let why = format!("its block would be at {start:#x}, but the file ends at {size:#x}");
            return Err(Error::say(why).at(record));
        }
        let head = self.file.slice(start, HEAD)?.bytes()?;
        if let Some(trace) = self.trace {
            trace.enter(&format!("{} › ", self.shown(index)));
        }
        let mut r = Reader::based(&head, start, Game::Cs).traced(self.trace);
        let count: u32 = r.hidden("entry_count", Role::Derived)?;
        let names_len: u32 = r.hidden("names_len", Role::Derived)?;
        let span = self.claim(index, start, record, count, names_len)?;
        let body = self.file.slice(start + HEAD, span.len - HEAD)?.bytes()?;
        let mut r = Reader::based(&body, start + HEAD, Game::Cs).traced(self.trace);
        let records: Vec<EntryRecord> = r.list(count as usize, "entries")?;
        let pool = r.take(names_len as usize).map_err(|e| e.within("names"))?;
        let names = NamePool {
            bytes: HexBytes(pool.to_vec()),
            places: records.iter().map(|r| [r.name_at, r.name_len]).collect(),
        };
        let mut entries = Vec::with_capacity(records.len());
        for (i, record) in records.iter().enumerate() {
            let at = start + HEAD + RECORD * i as u64;
            let step = |e: Error| e.at(at).within(format!("[{i}]")).within("entries");
            let name = names
                .name([record.name_at, record.name_len])
                .ok_or_else(|| {
                    let end = u64::from(record.name_at) + u64::from(record.name_len);
                    step(Error::say(format!(
                        "its name would be bytes {} to {end} of {names_len}",
                        record.name_at
                    )))
                })?;
            if let Some(trace) = self.trace {
                let at = start + HEAD + RECORD * u64::from(count) + u64::from(record.name_at);
                let path = format!("entries[{i}].name");
                trace.note(
                    at,
                    record.name_len.into(),
                    &path,
                    Notation::Text,
                    Role::Value,
                );
            }
            entries.push(
                self.entry((index, i), record, at, Str(name.to_vec()))
                    .map_err(step)?,
            );
        }
        if let Some(trace) = self.trace {
            trace.leave();
        }
        let regular = NamePool::of(&entries).is_ok_and(|usual| usual == names);
        Ok(Folder {
            entries,
            names: (!regular).then_some(names),
        })
    }

    fn entry(
        &mut self,
        owner: (usize, usize),
        record: &EntryRecord,
        at: u64,
        name: Str,
    ) -> Result<Entry> {
        let (flags, start) = (record.flags.0, u64::from(record.start));
        let (node, known) = if flags & FOLDER != 0 {
            let path = self
                .places
                .get(owner.0)
                .map(|place| place.shown.as_str())
                .unwrap_or_default();
            let shown = below(path, &name);
            self.places.push(OpenFolder {
                start,
                record: at,
                parent: owner.0,
                shown,
            });
            (
                Node::Folder {
                    index: self.places.len() - 1,
                    stored: record.stored,
                },
                FOLDER,
            )
        } else {
            let span = Span {
                start,
                len: record.stored.into(),
            };
            if span.len == 0 {
                self.empties.push((owner, start));
            } else {
                span.check(&name.text(), "the file ends", self.file.len())?;
                self.files.push((owner, span));
            }
            (
                Node::File(File {
                    piece: 0,
                    part: None,
                    zlib: flags & ZLIB != 0,
                    start: None,
                }),
                FOLDER | ZLIB,
            )
        };
        Ok(Entry {
            name,
            flags: flags & !known,
            decoded: record.decoded,
            node,
        })
    }

    /// Reports the data of the files. Returns an error if they share bytes with a block.
    fn data(&self, folders: &[Folder]) -> Result<()> {
        for ((folder, i), span) in &self.files {
            if let Some((_, other)) = self.meets(*span) {
                let at = self.spans.get(*folder).map_or(0, |s| s.start) + HEAD + RECORD * *i as u64;
                let there = self.shown(other);
                let e = Error::say(format!(
                    "its data at {:#x} share bytes with the block of {there}",
                    span.start
                ));
                let path = format!("{} ›", self.shown(*folder));
                return Err(e
                    .at(at)
                    .within(format!("[{i}]"))
                    .within("entries")
                    .within(path));
            }
        }
        let Some(trace) = self.trace else {
            return Ok(());
        };
        for ((folder, i), span) in &self.files {
            let entry = folders.get(*folder).and_then(|f| f.entries.get(*i));
            if let Some((place, entry)) = self.places.get(*folder).zip(entry) {
                let path = below(&place.shown, &entry.name);
                trace.note(span.start, span.len, &path, Notation::Bytes, Role::Payload);
            }
        }
        Ok(())
    }

    /// Cuts the archive into pieces, and gives each file its own.
    fn pieces(mut self, folders: Vec<Folder>) -> Result<Rof> {
        self.spans.extend(self.files.iter().map(|(_, span)| *span));
        let size = self.file.len();
        let plan = Plan::new(&self.spans, 0, size);
        let mut rof = Rof {
            folders,
            pieces: Vec::with_capacity(plan.pieces.len() + self.empties.len()),
        };
        // A file without bytes belongs where the next data begin; otherwise it records its
        // position.
        self.empties.sort_by_key(|(_, start)| *start);
        let mut waiting = self.empties.into_iter().peekable();
        let mut elsewhere = Vec::new();
        let mut index = Vec::with_capacity(plan.pieces.len());
        for (piece, holds) in plan.pieces.iter().zip(plan.held()) {
            let block = holds.part().filter(|part| *part < rof.folders.len());
            while let Some((owner, start)) = waiting.next_if(|(_, start)| *start <= piece.start) {
                if start == piece.start && block.is_none() {
                    rof.own_empty(owner, None)
                } else {
                    elsewhere.push((owner, start))
                }
            }
            index.push(rof.pieces.len());
            rof.pieces.push(match block {
                Some(folder) => PieceContent::Block(folder),
                None => PieceContent::Data(self.file.slice(piece.start, piece.len)?),
            });
        }
        for (owner, start) in waiting {
            if start == size {
                rof.own_empty(owner, None)
            } else {
                elsewhere.push((owner, start))
            }
        }
        for (owner, start) in elsewhere {
            rof.own_empty(owner, Some(start as u32));
        }
        for ((owner, span), place) in self
            .files
            .iter()
            .zip(plan.places.iter().skip(rof.folders.len()))
        {
            let part = FilePart::of(*place, span.len)?;
            let piece = index.item(place.piece);
            if let Some(file) = rof.file_mut(*owner) {
                (file.piece, file.part) = (piece, part);
            }
        }
        Ok(rof)
    }
}

/// Reads an archive. From a file on disk only the blocks are read.
pub(super) fn read(file: &Blob, trace: Option<&dyn Trace>) -> Result<Rof> {
    let mut scan = Scan {
        file,
        trace,
        places: vec![OpenFolder {
            start: 0,
            record: 0,
            parent: 0,
            shown: String::new(),
        }],
        claimed: BTreeMap::new(),
        spans: Vec::new(),
        files: Vec::new(),
        empties: Vec::new(),
    };
    let mut folders: Vec<Folder> = Vec::new();
    while let Some(OpenFolder { start, record, .. }) = scan.places.get(folders.len()) {
        let (start, record, path) = (*start, *record, format!("{} ›", scan.shown(folders.len())));
        folders.push(
            scan.folder(folders.len(), start, record)
                .map_err(|e| e.within(path))?,
        );
    }
    scan.data(&folders)?;
    scan.pieces(folders)
}

impl Rof {
    /// Gives a file without bytes its own piece, after the existing ones.
    fn own_empty(&mut self, owner: (usize, usize), start: Option<u32>) {
        let piece = self.pieces.len();
        self.pieces.push(PieceContent::Data(Blob::default()));
        if let Some(file) = self.file_mut(owner) {
            (file.piece, file.start) = (piece, start);
        }
    }
}

/// The names of a folder's entries, as stored in its block.
#[derive(Clone, PartialEq, Debug, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NamesDoc")]
pub struct NamePool {
    /// The bytes of all names, each with its terminating zero.
    pub(super) bytes: HexBytes,
    /// Offset and length of each entry's name, in the order of the entries.
    pub(super) places: Vec<[u32; 2]>,
}

impl NamePool {
    /// The names as in every known archive: consecutive, each with its zero, in the order of the
    /// entries.
    pub(super) fn of(entries: &[Entry]) -> Result<Self> {
        let mut pool = NamePool {
            bytes: HexBytes(Vec::new()),
            places: Vec::with_capacity(entries.len()),
        };
        for entry in entries {
            let name = &entry.name.0;
            if name.contains(&0) {
                return Err(
                    Error::say("the name contains a zero byte, which would end it")
                        .within(entry.name.text()),
                );
            }
            pool.places.push([
                fit(pool.bytes.0.len(), "an offset")?,
                fit(name.len() + 1, "the length of a name")?,
            ]);
            pool.bytes.0.extend(name);
            pool.bytes.0.push(0);
        }
        Ok(pool)
    }

    /// The name at a range, up to its zero; `None` if the range is out of bounds.
    pub(super) fn name(&self, place: [u32; 2]) -> Option<&[u8]> {
        let [at, len] = place;
        let name = self
            .bytes
            .0
            .get(at as usize..(at as usize).checked_add(len as usize)?)?;
        name.split(|b| *b == 0).next()
    }
}

/// Size of a folder's block, in bytes.
fn block_len(folder: &Folder) -> u64 {
    let names = match &folder.names {
        Some(pool) => pool.bytes.0.len() as u64,
        None => folder
            .entries
            .iter()
            .map(|e| e.name.0.len() as u64 + 1)
            .sum(),
    };
    HEAD + RECORD * folder.entries.len() as u64 + names
}

/// Writes an archive in pieces.
pub(super) fn write(rof: &Rof, out: &mut dyn ByteSink) -> Result<()> {
    let len = |piece: &PieceContent| match piece {
        PieceContent::Block(folder) => rof.folders.get(*folder).map_or(0, block_len),
        PieceContent::Data(data) => data.len(),
    };
    let starts = layout::starts(0, rof.pieces.iter().map(len))?;
    let mut blocks = vec![0; rof.folders.len()];
    for (piece, start) in rof.pieces.iter().zip(&starts) {
        if let PieceContent::Block(folder) = piece
            && let Some(slot) = blocks.get_mut(*folder)
        {
            *slot = *start;
        }
    }
    for piece in &rof.pieces {
        match piece {
            PieceContent::Block(folder) => {
                let Some(folder) = rof.folders.get(*folder) else {
                    continue;
                };
                out.put(&block(rof, folder, &starts, &blocks)?)?;
            }
            PieceContent::Data(data) => out.put_blobs(&mut std::iter::once(data))?,
        }
    }
    Ok(())
}

/// The bytes of a folder's block. `starts` are the positions of the pieces, `blocks` those of the
/// folders.
fn block(rof: &Rof, folder: &Folder, starts: &[u32], blocks: &[u32]) -> Result<Vec<u8>> {
    let names = match &folder.names {
        Some(names) => Cow::Borrowed(names),
        None => Cow::Owned(NamePool::of(&folder.entries)?),
    };
    let mut w = Writer::with_capacity(
        Game::Cs,
        usize::try_from(block_len(folder)).unwrap_or_default(),
    );
    w.u32(fit(folder.entries.len(), "the number of entries")?);
    w.u32(fit(names.bytes.0.len(), "the length of the names")?);
    for (entry, [name_at, name_len]) in folder.entries.iter().zip(&names.places) {
        let step = |e: Error| e.within(entry.name.text());
        let (start, stored, kind) = match &entry.node {
            Node::Folder { index, stored } => (blocks.item(*index), *stored, FOLDER),
            Node::File(file) => {
                let start = starts.item(file.piece);
                let part =
                    FilePart::in_file(file.part, start, rof.data(file.piece)).map_err(step)?;
                (
                    file.start.unwrap_or(part.offset),
                    part.length,
                    if file.zlib { ZLIB } else { 0 },
                )
            }
        };
        let flags = Hex(entry.flags | kind);
        EntryRecord {
            start,
            decoded: entry.decoded,
            stored,
            flags,
            name_len: *name_len,
            name_at: *name_at,
        }
        .write(&mut w)?;
    }
    w.raw(&names.bytes.0);
    Ok(w.bytes)
}
