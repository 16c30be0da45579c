//! The bytes of an archive: a block for each folder, and the members' data.

use super::{Entry, File, FilePart, Folder, NamePool, Node, PieceContent, Rof, below};
use crate::{
    formats::support::layout::{Holds, Plan, Span},
    game::Game,
    tree::Blob,
    wire::{Encode, Error, Hex, Notation, Reader, Result, Role, Str, Trace, Writer, fit},
};
use std::{collections::BTreeMap, io::Write};

// Not merged into the model: it contains positions and lengths, which follow from all files together when an archive is
// written.
crate::record! {
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

/// The blocks read so far: start → end and folder. They never overlap, which limits the time of reading by the size of
/// the file.
#[derive(Default)]
struct Claimed(BTreeMap<u64, (u64, usize)>);

impl Claimed {
    /// The block that overlaps a range.
    fn meets(&self, start: u64, end: u64) -> Option<(u64, usize)> {
        let (at, (until, folder)) = self.0.range(..end).next_back()?;
        (*until > start).then_some((*at, *folder))
    }
}

/// True if `folder` is `inner` or one of its parents.
fn holds(places: &[OpenFolder], folder: usize, mut inner: usize) -> bool {
    // Folders are in the order of their blocks, so parents come before their children.
    while inner > folder {
        inner = places.get(inner).map_or(0, |place| place.parent);
    }
    inner == folder
}

fn shown(name: &str) -> &str {
    if name.is_empty() { "the root" } else { name }
}

/// Reads an archive. From a file on disk only the blocks are read.
pub(super) fn read(file: &Blob, trace: Option<&dyn Trace>) -> Result<Rof> {
    let size = file.len();
    let mut folders: Vec<Folder> = Vec::new();
    let mut places = vec![OpenFolder { start: 0, record: 0, parent: 0, shown: String::new() }];
    let mut claimed = Claimed::default();
    let mut spans: Vec<Span> = Vec::new();
    // Files with data, and files without.
    let mut files: Vec<((usize, usize), Span)> = Vec::new();
    let mut empties: Vec<((usize, usize), u64)> = Vec::new();
    while let Some(place) = places.get(folders.len()) {
        let index = folders.len();
        let (start, record, path) = (place.start, place.record, place.shown.clone());
        let step = |e: Error| e.within(format!("{} ›", shown(&path)));
        let left = size.saturating_sub(start);
        if left < HEAD {
            return Err(step(
                Error::say(format!("its block would lie at {start:#x}, the file ends at {size:#x}")).at(record),
            ));
        }
        let head = file.slice(start, HEAD)?.bytes()?;
        if let Some(trace) = trace {
            trace.enter(&format!("{} › ", shown(&path)));
        }
        let mut r = Reader::based(&head, start, Game::Cs).traced(trace);
        let count: u32 = r.hidden("entry_count", Role::Derived).map_err(step)?;
        let names_len: u32 = r.hidden("names_len", Role::Derived).map_err(step)?;
        let len = HEAD + RECORD * u64::from(count) + u64::from(names_len);
        if len > left {
            return Err(step(
                Error::say(format!(
                    "{count} entries and {names_len} bytes of names need a block of {len} bytes, {left} are left in \
                    the file"
                ))
                .at(start),
            ));
        }
        if let Some((at, other)) = claimed.meets(start, start + len) {
            let there = places.get(other).map(|p| p.shown.as_str()).unwrap_or_default();
            let why = if at == start && holds(&places, other, index) {
                format!("it stands in itself: its block at {start:#x} is that of {}, which holds it", shown(there))
            } else {
                format!("its block at {start:#x} shares bytes with that of {}", shown(there))
            };
            return Err(step(Error::say(why).at(record)));
        }
        claimed.0.insert(start, (start + len, index));
        spans.push(Span { start, len });
        let body = file.slice(start + HEAD, len - HEAD)?.bytes()?;
        let mut r = Reader::based(&body, start + HEAD, Game::Cs).traced(trace);
        let records: Vec<EntryRecord> = r.list(count as usize, "entries").map_err(step)?;
        let pool = r.take(names_len as usize).map_err(|e| step(e.within("names")))?;
        let mut entries = Vec::with_capacity(records.len());
        for (i, record) in records.iter().enumerate() {
            let at = start + HEAD + RECORD * i as u64;
            let step = |e: Error| step(e.within(format!("[{i}]")).within("entries"));
            let (from, name_len) = (record.name_at as usize, record.name_len as usize);
            let name = from.checked_add(name_len).and_then(|to| pool.get(from..to)).ok_or_else(|| {
                step(
                    Error::say(format!(
                        "its name would be bytes {from} to {} of {names_len}",
                        u64::from(record.name_at) + u64::from(record.name_len)
                    ))
                    .at(at),
                )
            })?;
            if let Some(trace) = trace {
                let pool = start + HEAD + RECORD * u64::from(count);
                trace.note(
                    pool + u64::from(record.name_at),
                    record.name_len.into(),
                    &format!("entries[{i}].name"),
                    Notation::Text,
                    Role::Value,
                );
            }
            let name = Str(name.split(|b| *b == 0).next().unwrap_or_default().to_vec());
            let node = if record.flags.0 & FOLDER != 0 {
                let shown = below(&path, &name);
                places.push(OpenFolder { start: record.start.into(), record: at, parent: index, shown });
                Node::Folder { index: places.len() - 1, stored: record.stored }
            } else {
                let span = Span { start: record.start.into(), len: record.stored.into() };
                if span.len == 0 {
                    empties.push(((index, i), span.start));
                } else if span.start + span.len > size {
                    let e = Error::say(format!(
                        "{:?} lies at {:#x} and has {} bytes, the file ends at {size:#x}",
                        name.text(),
                        span.start,
                        span.len
                    ));
                    return Err(step(e.at(at)));
                } else {
                    files.push(((index, i), span));
                }
                Node::File(File { piece: 0, part: None, zlib: record.flags.0 & ZLIB != 0, start: None })
            };
            let known = if matches!(node, Node::Folder { .. }) { FOLDER } else { FOLDER | ZLIB };
            entries.push(Entry { name, flags: record.flags.0 & !known, decoded: record.decoded, node });
        }
        if let Some(trace) = trace {
            trace.leave();
        }
        let names =
            NamePool { bytes: pool.to_vec(), places: records.iter().map(|r| [r.name_at, r.name_len]).collect() };
        let regular = NamePool::of(&entries).is_ok_and(|usual| usual == names);
        folders.push(Folder { entries, names: (!regular).then_some(names) });
    }
    for ((folder, i), span) in &files {
        if let Some((_, other)) = claimed.meets(span.start, span.start + span.len) {
            let path = places.get(*folder).map(|p| p.shown.as_str()).unwrap_or_default();
            let there = places.get(other).map(|p| p.shown.as_str()).unwrap_or_default();
            let at = spans.get(*folder).map_or(0, |s| s.start) + HEAD + RECORD * *i as u64;
            let e = Error::say(format!("its data at {:#x} share bytes with the block of {}", span.start, shown(there)));
            return Err(e.at(at).within(format!("[{i}]")).within("entries").within(format!("{} ›", shown(path))));
        }
    }
    if let Some(trace) = trace {
        for ((folder, i), span) in &files {
            let path = places.get(*folder).map(|p| p.shown.as_str()).unwrap_or_default();
            if let Some(entry) = folders.get(*folder).and_then(|f| f.entries.get(*i)) {
                trace.note(span.start, span.len, &below(path, &entry.name), Notation::Bytes, Role::Payload);
            }
        }
    }
    spans.extend(files.iter().map(|(_, span)| *span));
    let plan = Plan::new(&spans, 0, size);
    let mut rof = Rof { folders, pieces: Vec::with_capacity(plan.pieces.len() + empties.len()) };
    // A file without bytes belongs where the next data begin; otherwise it records its position.
    empties.sort_by_key(|(_, start)| *start);
    let mut waiting = empties.into_iter().peekable();
    let mut elsewhere = Vec::new();
    let mut index = Vec::with_capacity(plan.pieces.len());
    for piece in &plan.pieces {
        let block = match piece.holds {
            Holds::Part(part) if part < rof.folders.len() => Some(part),
            _ => None,
        };
        while let Some((owner, start)) = waiting.next_if(|(_, start)| *start <= piece.span.start) {
            if start == piece.span.start && block.is_none() {
                rof.own_empty(owner, None)
            } else {
                elsewhere.push((owner, start))
            }
        }
        index.push(rof.pieces.len());
        rof.pieces.push(match block {
            Some(folder) => PieceContent::Block(folder),
            None => PieceContent::Data(file.slice(piece.span.start, piece.span.len)?),
        });
    }
    for (owner, start) in waiting {
        if start == size { rof.own_empty(owner, None) } else { elsewhere.push((owner, start)) }
    }
    for (owner, start) in elsewhere {
        rof.own_empty(owner, Some(start as u32));
    }
    for ((owner, span), place) in files.iter().zip(plan.places.iter().skip(rof.folders.len())) {
        let part = match place.offset {
            Some(offset) => Some(FilePart {
                offset: fit(offset as usize, "an offset")?,
                length: fit(span.len as usize, "a length")?,
            }),
            None => None,
        };
        let piece = index.get(place.piece).copied().unwrap_or_default();
        if let Some(file) = rof.file_mut(*owner) {
            (file.piece, file.part) = (piece, part);
        }
    }
    Ok(rof)
}

impl Rof {
    /// Gives a file without bytes a piece of its own, after the existing ones.
    fn own_empty(&mut self, owner: (usize, usize), start: Option<u32>) {
        let piece = self.pieces.len();
        self.pieces.push(PieceContent::Data(Blob::default()));
        if let Some(file) = self.file_mut(owner) {
            (file.piece, file.start) = (piece, start);
        }
    }
}

impl NamePool {
    /// The names as in every known archive: consecutive, each with its zero, in the order of the entries.
    pub(super) fn of(entries: &[Entry]) -> Result<Self> {
        let mut pool = NamePool { bytes: Vec::new(), places: Vec::with_capacity(entries.len()) };
        for entry in entries {
            let name = &entry.name.0;
            if name.contains(&0) {
                return Err(Error::say("the name holds a zero byte, which would end it").within(entry.name.text()));
            }
            pool.places.push([fit(pool.bytes.len(), "an offset")?, fit(name.len() + 1, "the length of a name")?]);
            pool.bytes.extend(name);
            pool.bytes.push(0);
        }
        Ok(pool)
    }

    /// The name at a range, up to its zero; `None` if the range is out of bounds.
    pub(super) fn name(&self, place: [u32; 2]) -> Option<&[u8]> {
        let [at, len] = place;
        let name = self.bytes.get(at as usize..(at as usize).checked_add(len as usize)?)?;
        name.split(|b| *b == 0).next()
    }
}

/// Size of a folder's block, in bytes.
fn block_len(folder: &Folder) -> u64 {
    let names = match &folder.names {
        Some(pool) => pool.bytes.len() as u64,
        None => folder.entries.iter().map(|e| e.name.0.len() as u64 + 1).sum(),
    };
    HEAD + RECORD * folder.entries.len() as u64 + names
}

/// Writes an archive in pieces.
pub(super) fn write(rof: &Rof, out: &mut dyn Write) -> Result<()> {
    let mut starts = Vec::with_capacity(rof.pieces.len());
    let mut blocks = vec![0; rof.folders.len()];
    let mut at = 0u64;
    for piece in &rof.pieces {
        let start = u32::try_from(at).map_err(|_| Error::say("the archive grows above 4 GiB"))?;
        starts.push(start);
        at += match piece {
            PieceContent::Block(folder) => {
                if let Some(slot) = blocks.get_mut(*folder) {
                    *slot = start;
                }
                rof.folders.get(*folder).map_or(0, block_len)
            }
            PieceContent::Data(data) => data.len(),
        };
    }
    for piece in &rof.pieces {
        match piece {
            PieceContent::Block(folder) => {
                let Some(folder) = rof.folders.get(*folder) else { continue };
                out.write_all(&block(rof, folder, &starts, &blocks)?).map_err(Error::stopped)?;
            }
            PieceContent::Data(data) => {
                let mut len = 0;
                data.each(&mut |chunk| {
                    len += chunk.len() as u64;
                    out.write_all(chunk).map_err(Error::stopped)
                })?;
                if len != data.len() {
                    return Err(Error::say("a file changed while it was read"));
                }
            }
        }
    }
    Ok(())
}

/// The bytes of a folder's block. `starts` are the positions of the pieces, `blocks` those of the folders.
fn block(rof: &Rof, folder: &Folder, starts: &[u32], blocks: &[u32]) -> Result<Vec<u8>> {
    let usual;
    let names = match &folder.names {
        Some(names) => names,
        None => {
            usual = NamePool::of(&folder.entries)?;
            &usual
        }
    };
    let mut w = Writer::with_capacity(Game::Cs, usize::try_from(block_len(folder)).unwrap_or_default());
    w.u32(fit(folder.entries.len(), "the number of entries")?);
    w.u32(fit(names.bytes.len(), "the length of the names")?);
    for (entry, [name_at, name_len]) in folder.entries.iter().zip(&names.places) {
        let step = |e: Error| e.within(entry.name.text());
        let (start, stored, kind) = match &entry.node {
            Node::Folder { index, stored } => (blocks.get(*index).copied().unwrap_or_default(), *stored, FOLDER),
            Node::File(file) => {
                let (offset, stored) = match file.part {
                    Some(part) => (part.offset, part.length),
                    None => {
                        let len = rof.data(file.piece).map_or(0, Blob::len);
                        (
                            0,
                            u32::try_from(len).map_err(|_| {
                                step(Error::say(format!(
                                    "the file has {len} bytes; an archive holds files below 4 GiB"
                                )))
                            })?,
                        )
                    }
                };
                let start = starts.get(file.piece).copied().unwrap_or_default().checked_add(offset);
                let start = start.ok_or_else(|| step(Error::say("the archive grows above 4 GiB")))?;
                (file.start.unwrap_or(start), stored, if file.zlib { ZLIB } else { 0 })
            }
        };
        let flags = Hex(entry.flags | kind);
        EntryRecord { start, decoded: entry.decoded, stored, flags, name_len: *name_len, name_at: *name_at }
            .write(&mut w)?;
    }
    w.raw(&names.bytes);
    Ok(w.bytes)
}
