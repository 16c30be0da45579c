//! The bytes of an archive: start entry, properties, entry table, data block, trailer (FORMAT.md).

use super::{
    Ending, Label, Pbo, Start, Trailer,
    table::{Entries, Groups},
};
use crate::{
    game::Game,
    tree::Blob,
    wire::{Error, Hex, Notation, Reader, Result, Role, Trace},
};
use bytes::Bytes;
use sha1::{Digest, Sha1};
use std::{
    io::Write,
    sync::{
        OnceLock,
        mpsc::{Receiver, SyncSender, channel, sync_channel},
    },
    thread::{Scope, ScopedJoinHandle},
};

/// Packing method of an entry that is packed with LZSS: `Cprs`.
pub const CPRS: u32 = 0x4370_7273;
/// Method of the start entry: `Vers`.
pub const VERS: u32 = 0x5665_7273;

/// Reads the numbers of an entry; the size follows from the data.
fn numbers(r: &mut Reader<'_>) -> Result<[u32; 5]> {
    Ok([
        r.hidden::<Hex<u32>>("method", Role::Value)?.0,
        r.field("original")?,
        r.field("reserved")?,
        r.field("time")?,
        r.hidden("size", Role::Derived)?,
    ])
}

/// Reads an entry: its name, which is empty for the one that ends the table, and its numbers.
pub(super) fn entry<'a>(r: &mut Reader<'a>) -> Result<(&'a [u8], [u32; 5])> {
    // An empty name ends the table.
    let role = if r.peek(1) == [0] { Role::Constant } else { Role::Value };
    let name = r.c_text("name", role)?;
    Ok((name, numbers(r)?))
}

/// The entry table of an archive, before its data are looked at.
struct Header {
    start: Option<Start>,
    /// Where the entries begin and end.
    table: std::ops::Range<u64>,
    groups: Groups,
    end: [u32; 5],
    /// Where the data block begins.
    size: u64,
}

/// Reads the entry table at the beginning of an archive. `see` is told the size of the data of each entry.
fn read_header(mut r: Reader<'_>, see: &mut dyn FnMut(u32)) -> Result<Header> {
    let mut header = Beginning::read(&mut r)?;
    let end = header.entries(&mut r, see)?;
    Ok(header.finish(end, r.offset()))
}

/// An entry table that is being read.
struct Beginning {
    start: Option<Start>,
    /// Where the entries begin, and where those end that were read.
    table: std::ops::Range<u64>,
    groups: Groups,
}

impl Beginning {
    /// Reads what stands before the entries.
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let mut start = None;
        // A nameless first entry of another method ends the header: an empty archive.
        if r.peek(5).split_first().is_some_and(|(first, method)| *first == 0 && method == VERS.to_le_bytes()) {
            start = Some(read_start(r)?);
        }
        Ok(Beginning { start, table: r.offset()..r.offset(), groups: Groups::default() })
    }

    /// Reads entries, up to the one that ends the table: its numbers. After an error, those before it were read.
    fn entries(&mut self, r: &mut Reader<'_>, see: &mut dyn FnMut(u32)) -> Result<[u32; 5]> {
        // `.ebo` and `.xbo` have a readable property list, then nothing that makes sense.
        let readable = self.start.as_ref().is_some_and(|s: &Start| !s.properties.is_empty());
        let hint = |e: Error| match readable {
            true => e.hint("the properties are readable: the file is cut here, or encrypted as .ebo and .xbo are"),
            false => e,
        };
        r.within("entries", |r| {
            loop {
                let (name, numbers) = r.item(self.groups.count, entry).map_err(hint)?;
                if name.is_empty() {
                    break Ok(numbers);
                }
                let [.., size] = numbers;
                see(size);
                self.groups.entry(self.table.end - self.table.start, size);
                self.table.end = r.offset();
            }
        })
    }

    fn finish(self, end: [u32; 5], size: u64) -> Header {
        Header { start: self.start, table: self.table, groups: self.groups, end, size }
    }
}

/// Bytes of an entry table on disk that are read at a time. Larger buffers would stay with the process when they are done with.
const WINDOW: u64 = 1 << 16;

/// [`read_header`] of a file that need not stand in memory.
fn read_windows(file: &Blob, see: &mut dyn FnMut(u32)) -> Result<Header> {
    let size = file.len();
    let mut window = if let Blob::Memory(_) = file { size } else { WINDOW };
    let mut header = loop {
        let bytes = file.slice(0, window)?.bytes()?;
        match Beginning::read(&mut Reader::new(&bytes, Game::Cs)) {
            Ok(header) => break header,
            // Longer properties, not broken ones, as long as there is more to read.
            Err(_) if window < size => window = window.saturating_mul(4),
            Err(e) => return Err(e),
        }
    };
    loop {
        let from = header.table.end;
        let bytes = file.slice(from, window)?.bytes()?;
        let mut r = Reader::new(&[], Game::Cs).inner(&bytes, from);
        match header.entries(&mut r, see) {
            Ok(end) => return Ok(header.finish(end, r.offset())),
            Err(e) if from + bytes.len() as u64 >= size => return Err(e),
            // A long name, or one that the window cuts.
            Err(_) if header.table.end == from => window = window.saturating_mul(4),
            Err(_) => {}
        }
    }
}

/// Reads the start entry and the properties behind it.
fn read_start(r: &mut Reader<'_>) -> Result<Start> {
    let numbers = r.within("start entry", |r| {
        r.c_text("name", Role::Constant)?;
        let [_, rest @ ..] = numbers(r)?;
        Ok(rest)
    })?;
    let properties = r.within("properties", |r| {
        let mut properties = Vec::new();
        loop {
            let pair = r.item(properties.len(), |r| {
                // An empty key ends the properties.
                let role = if r.peek(1) == [0] { Role::Constant } else { Role::Value };
                let key = r.c_text("key", role)?;
                Ok(if key.is_empty() { None } else { Some((Label(key.to_vec()), Label(r.c_text("value", Role::Value)?.to_vec()))) })
            })?;
            match pair {
                Some(pair) => properties.push(pair),
                None => break Ok(properties),
            }
        }
    })?;
    Ok(Start { numbers, properties })
}

/// Bytes of a broken table that are explained.
const LONGEST_BROKEN_TABLE: u64 = 16 << 20;

/// Tells what each byte of an archive is.
pub(super) fn explain(file: &Blob, trace: &dyn Trace) -> Result<()> {
    // Read once without `explain`, since an error half way would leave the lines of the table there twice.
    let table = match read(file) {
        Ok(table) => table,
        Err(fault) => {
            // The entries before the fault are explained before the error is given.
            let head = file.slice(0, file.len().min(LONGEST_BROKEN_TABLE))?.bytes()?;
            let _ = read_header(Reader::new(&head, Game::Cs).traced(Some(trace)), &mut |_| ());
            return Err(fault);
        }
    };
    let head = file.slice(0, file.len().saturating_sub(table.ending_bytes() + table.data_bytes()))?.bytes()?;
    let header = read_header(Reader::new(&head, Game::Cs).traced(Some(trace)), &mut |_| ())?;
    let mut paths = super::paths::Paths::new();
    let mut at = header.size;
    for entry in table.entries.iter() {
        let entry = entry?;
        let file = format!("files/{}", paths.assign(&entry.name));
        trace.note(at, entry.data.len(), &file, Notation::Bytes, Role::Payload);
        at += entry.data.len();
    }
    let left = file.len().saturating_sub(at);
    if left >= 21 {
        trace.note(at, 1, "sha1 mark", Notation::Unsigned, Role::Constant);
        trace.note(at + 1, 20, "sha1", Notation::Bytes, Role::Derived);
        trace.note(at + 21, left - 21, "trailer", Notation::Bytes, Role::Stale);
    } else {
        trace.note(at, left, "trailer", Notation::Bytes, Role::Stale);
    }
    Ok(())
}

/// An error where the data of the entries do not fit into an archive of `size` bytes, whose entry table `again` reads once more.
fn check_sizes(header: &Header, size: u64, again: impl FnOnce(&mut dyn FnMut(u32)) -> Result<Header>) -> Result<()> {
    // In 64 bits and before anything is touched: sizes that wrap are an old attack.
    let (need, left) = (header.groups.data, size.saturating_sub(header.size));
    if need <= left {
        return Ok(());
    }
    let (mut at, mut fitting) = (0, 0);
    again(&mut |len| {
        at += u64::from(len);
        fitting += usize::from(at <= left);
    })?;
    let error = Error::say(format!("the files are {need} bytes together, {left} are left behind the entry table"));
    Err(error.at(header.size).within(format!("[{fitting}]")).within("entries"))
}

/// Reads the entry table of an archive in memory: an error where it is cut, or where the data are.
pub(super) fn read_table(bytes: &[u8]) -> Result<()> {
    let reader = Reader::new(bytes, Game::Cs);
    check_sizes(&read_header(reader.clone(), &mut |_| ())?, bytes.len() as u64, |see| read_header(reader, see))
}

/// Reads an archive. Of a file on disk only the table is read, and not kept.
pub(super) fn read(file: &Blob) -> Result<Pbo> {
    let header = read_windows(file, &mut |_| ())?;
    check_sizes(&header, file.len(), |see| read_windows(file, see))?;
    let table = file.slice(header.table.start, header.table.end - header.table.start)?;
    let behind = header.size + header.groups.data;
    let data = file.slice(header.size, header.groups.data)?;
    let ending = Ending::Read(file.slice(behind, u64::MAX)?.bytes()?, OnceLock::new());
    let entries = Entries::stored(table, header.groups, data);
    Ok(Pbo { start: header.start, entries, end: header.end, ending, followed: Vec::new(), notes: Vec::new() })
}

impl Trailer {
    /// What the bytes behind the data block are, given the SHA-1 of all before them.
    pub(super) fn of(bytes: &Bytes, body_sha1: Option<[u8; 20]>) -> Trailer {
        match (bytes.split_first(), body_sha1) {
            (None, _) => Trailer::None,
            (Some((0, rest)), Some(sum)) => match rest.split_first_chunk() {
                Some((stored, behind)) if *stored == sum => {
                    Trailer::Sha1 { sum: Some(sum), behind: bytes.slice(bytes.len() - behind.len()..) }
                }
                Some((stored, [])) => Trailer::Wrong { stored: *stored, instead_of: sum },
                _ => Trailer::Raw(bytes.clone()),
            },
            _ => Trailer::Raw(bytes.clone()),
        }
    }
}

/// Hashes what is written, in a thread of its own where that is much.
enum Hash<'scope> {
    None,
    Here(Sha1),
    There {
        /// What is collected for the thread.
        piece: Vec<u8>,
        pieces: SyncSender<Vec<u8>>,
        /// Pieces that were hashed, to be filled again.
        empty: Receiver<Vec<u8>>,
        thread: ScopedJoinHandle<'scope, Sha1>,
    },
}

/// Archives from this size on are hashed in a thread.
const MUCH: u64 = 4 << 20;
/// Bytes that are handed over at a time.
const PIECE: usize = 1 << 18;

impl<'scope> Hash<'scope> {
    fn new<'env>(scope: &'scope Scope<'scope, 'env>, size: u64) -> Self {
        if size < MUCH {
            return Hash::Here(Sha1::new());
        }
        let (pieces, receiver) = sync_channel::<Vec<u8>>(4);
        let (back, empty) = channel();
        let thread = std::thread::Builder::new().spawn_scoped(scope, move || {
            let mut sum = Sha1::new();
            for mut piece in receiver {
                sum.update(&piece);
                piece.clear();
                let _ = back.send(piece);
            }
            sum
        });
        match thread {
            Ok(thread) => Hash::There { piece: Vec::with_capacity(PIECE), pieces, empty, thread },
            Err(_) => Hash::Here(Sha1::new()),
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Hash::None => {}
            Hash::Here(sum) => sum.update(bytes),
            Hash::There { piece, pieces, empty, .. } => {
                for part in bytes.chunks(PIECE) {
                    if piece.len() + part.len() > PIECE {
                        let next = empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(PIECE));
                        // The thread ends only after this sender.
                        let _ = pieces.send(std::mem::replace(piece, next));
                    }
                    piece.extend_from_slice(part);
                }
            }
        }
    }

    fn finish(self) -> Result<[u8; 20]> {
        Ok(match self {
            Hash::None => [0; 20],
            Hash::Here(sum) => sum.finalize().into(),
            Hash::There { piece, pieces, thread, .. } => {
                let _ = pieces.send(piece);
                drop(pieces);
                thread.join().map_err(|_| Error::say("internal error: the thread that hashes ended"))?.finalize().into()
            }
        })
    }
}

/// Hands out the bytes of start entry, properties, entry table and end entry, in pieces.
pub(super) fn header_pieces(pbo: &Pbo, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut out = Vec::with_capacity(256);
    let numbers = |out: &mut Vec<u8>, numbers: &[u32]| numbers.iter().for_each(|n| out.extend(n.to_le_bytes()));
    let text = |out: &mut Vec<u8>, label: &Label, what: &str| {
        label.check(what)?;
        out.extend(&label.0);
        out.push(0);
        Ok(())
    };
    if let Some(start) = &pbo.start {
        out.push(0);
        numbers(&mut out, &[VERS]);
        numbers(&mut out, &start.numbers);
        for (key, value) in &start.properties {
            if key.0.is_empty() {
                return Err(Error::say("a property has an empty key, which would end the list").within("properties"));
            }
            text(&mut out, key, "the key")?;
            text(&mut out, value, "the value")?;
        }
        out.push(0);
    }
    put(&out)?;
    pbo.entries.put(put)?;
    out.clear();
    out.push(0);
    numbers(&mut out, &pbo.end);
    put(&out)
}

/// Writes an archive, piece by piece.
pub(super) fn write(pbo: &Pbo, out: &mut dyn Write) -> Result<()> {
    let size = pbo.entries.data_len();
    let sum = std::thread::scope(|scope| {
        let mut hash = match pbo.ending {
            Ending::Stored(Trailer::Sha1 { sum: None, .. } | Trailer::Wrong { .. }) => Hash::new(scope, size),
            _ => Hash::None,
        };
        let mut put = |bytes: &[u8]| {
            hash.update(bytes);
            out.write_all(bytes).map_err(Error::stopped)
        };
        header_pieces(pbo, &mut put)?;
        pbo.entries.put_data(&mut put)?;
        hash.finish()
    })?;
    match &pbo.ending {
        // Nothing was edited, so that the trailer that was read still fits.
        Ending::Read(bytes, _) => out.write_all(bytes),
        Ending::Stored(Trailer::None) => Ok(()),
        Ending::Stored(Trailer::Raw(bytes)) => out.write_all(bytes),
        Ending::Stored(Trailer::Sha1 { sum: known, behind }) => {
            out.write_all(&[0]).and_then(|()| out.write_all(known.as_ref().unwrap_or(&sum))).and_then(|()| out.write_all(behind))
        }
        // A wrong hash is kept while it stands for the same bytes; an edited archive gets the right one.
        Ending::Stored(Trailer::Wrong { stored, instead_of }) => {
            out.write_all(&[0]).and_then(|()| out.write_all(if sum == *instead_of { stored } else { &sum }))
        }
    }
    .map_err(Error::stopped)
}
