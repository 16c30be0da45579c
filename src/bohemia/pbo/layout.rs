//! The bytes of an archive: start entry, properties, entry table, data block, trailer (FORMAT.md).

use super::{Ending, Entry, Label, Pbo, Start, Trailer, member, paths, texture};
use bytes::Bytes;
use refit_base::{
    game::Game,
    tree::{Blob, ByteSink, UniquePaths},
    wire::{Error, Hex, Notation, Reader, Result, Role, Trace},
};
use sha1::{Digest, Sha1};
use std::{
    sync::{OnceLock, mpsc::sync_channel},
    thread,
};

/// Packing method of an entry that is packed with LZSS: `Cprs`.
pub const CPRS: u32 = 0x4370_7273;
/// Method of the start entry: `Vers`.
pub(crate) const VERS: u32 = 0x5665_7273;

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
fn entry<'a>(r: &mut Reader<'a>) -> Result<(&'a [u8], [u32; 5])> {
    // An empty name ends the table.
    let role = if r.peek(1) == [0] {
        Role::Constant
    } else {
        Role::Value
    };
    let name = r.c_text("name", role)?;
    Ok((name, numbers(r)?))
}

/// The entry table of an archive, before the data are read.
struct Header {
    start: Option<Start>,
    /// The entries without their data, and how many bytes these have.
    entries: Vec<(Entry, u32)>,
    end: [u32; 5],
    /// Bytes before the data block.
    size: u64,
}

impl Header {
    /// Reads the entry table at the beginning of an archive.
    fn take(mut r: Reader<'_>) -> Result<Self> {
        let mut header = Self::begin(&mut r)?;
        header.entries(&mut r)?;
        Ok(header)
    }

    /// Reads what is before the entries.
    fn begin(r: &mut Reader<'_>) -> Result<Self> {
        // A nameless first entry of another method ends the header: an empty archive.
        let starts = r
            .peek(5)
            .split_first()
            .is_some_and(|(first, method)| *first == 0 && method == VERS.to_le_bytes());
        let start = if starts { Some(read_start(r)?) } else { None };
        Ok(Header {
            start,
            entries: Vec::new(),
            end: [0; 5],
            size: r.offset(),
        })
    }

    /// Reads entries up to the one that ends the table. After an error, `entries` has those before
    /// it, and `size` is its position.
    fn entries(&mut self, r: &mut Reader<'_>) -> Result<()> {
        // `.ebo` and `.xbo` have a readable property list, then nothing that makes sense.
        let readable = self
            .start
            .as_ref()
            .is_some_and(|s: &Start| !s.properties.is_empty());
        let hint = |e: Error| {
            match readable {
            true => {
                e.hint("the properties are readable: the file is truncated here, or encrypted as .ebo and .xbo are")
            }
            false => e,
        }
        };
        r.within("entries", |r| {
            loop {
                let (name, numbers) = r.item(self.entries.len(), entry).map_err(hint)?;
                self.size = r.offset();
                if name.is_empty() {
                    self.end = numbers;
                    return Ok(());
                }
                let [method, original, reserved, time, size] = numbers;
                let (name, data) = (Label(name.into()), Blob::default());
                self.entries.push((
                    Entry {
                        name,
                        method,
                        original,
                        reserved,
                        time,
                        data,
                    },
                    size,
                ));
            }
        })
    }

    /// Reads the entry table of a file that need not be in memory, piece by piece: larger buffers
    /// would stay with the process when they are freed.
    fn read(file: &Blob) -> Result<Self> {
        let size = file.len();
        let mut window = if let Blob::Memory(_) = file {
            size
        } else {
            1 << 16
        };
        let mut header = loop {
            match Header::begin(&mut Reader::new(&file.slice(0, window)?.bytes()?, Game::Cs)) {
                Ok(header) => break header,
                // Longer properties, not broken ones, as long as there is more to read.
                Err(_) if window < size => window = window.saturating_mul(4),
                Err(e) => return Err(e),
            }
        };
        loop {
            let from = header.size;
            let bytes = file.slice(from, window)?.bytes()?;
            match header.entries(&mut Reader::based(&bytes, from, Game::Cs)) {
                Ok(()) => return Ok(header),
                Err(e) if from + bytes.len() as u64 >= size => return Err(e),
                // A long name, or one that the window cuts.
                Err(_) if header.size == from => window = window.saturating_mul(4),
                Err(_) => {}
            }
        }
    }

    /// Size of the data block. An error if an archive of `size` bytes cannot contain it.
    fn data(&self, size: u64) -> Result<u64> {
        // In 64 bits and before anything is touched: sizes that wrap are an old attack.
        let sizes = || self.entries.iter().map(|(_, size)| u64::from(*size));
        let (need, left) = (sizes().sum(), size.saturating_sub(self.size));
        if need <= left {
            return Ok(need);
        }
        let mut at = 0;
        let fitting = sizes().take_while(|len| {
            at += len;
            at <= left
        });
        let fitting = fitting.count();
        let error = Error::say(format!(
            "the files need {need} bytes, but only {left} follow the entry table"
        ));
        Err(error
            .at(self.size)
            .within(format!("[{fitting}]"))
            .within("entries"))
    }
}

/// Reads the start entry and the properties after it.
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
                let role = if r.peek(1) == [0] {
                    Role::Constant
                } else {
                    Role::Value
                };
                let key = r.c_text("key", role)?;
                Ok(if key.is_empty() {
                    None
                } else {
                    Some((
                        Label(key.into()),
                        Label(r.c_text("value", Role::Value)?.into()),
                    ))
                })
            })?;
            match pair {
                Some(pair) => properties.push(pair),
                None => break Ok(properties),
            }
        }
    })?;
    Ok(Start {
        numbers,
        properties,
    })
}

/// Reports what each byte of an archive is.
pub(super) fn explain(file: &Blob, trace: &dyn Trace) -> Result<()> {
    // Read once without `explain`, since an error half way would leave the lines of the table there
    // twice.
    let table = read(file);
    let mut size = 0;
    match &table {
        Ok(table) => header(table, &mut |bytes| {
            size += bytes.len() as u64;
            Ok(())
        })?,
        // The entries before the fault are explained before the error is given.
        Err(_) => size = 16 << 20,
    }
    let header =
        Header::take(Reader::new(&file.slice(0, size)?.bytes()?, Game::Cs).traced(Some(trace)));
    let (table, header) = (table?, header?);
    let mut paths = UniquePaths::default();
    let mut at = header.size;
    for entry in &table.entries {
        let file = format!("files/{}", paths::assign(&mut paths, &entry.name));
        trace.enter(&file);
        let is_explained = explain_member(entry, &Inside { trace, at })?;
        trace.leave();
        if !is_explained {
            trace.note(at, entry.data.len(), &file, Notation::Bytes, Role::Payload);
        }
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

/// What reads a member at its place in the archive.
struct Inside<'a> {
    trace: &'a dyn Trace,
    at: u64,
}

impl Trace for Inside<'_> {
    fn enter(&self, step: &str) {
        self.trace.enter(step);
    }
    fn leave(&self) {
        self.trace.leave();
    }
    fn note_meaning(
        &self,
        start: u64,
        size: u64,
        name: &str,
        kind: Notation,
        role: Role,
        meaning: Option<String>,
    ) {
        self.trace
            .note_meaning(self.at + start, size, name, kind, role, meaning);
    }
}

/// Explains a config or a texture that is stored unpacked. False for any other file.
fn explain_member(entry: &Entry, trace: &dyn Trace) -> Result<bool> {
    if entry.method == CPRS {
        return Ok(false);
    }
    if member::has_config(&entry.data)? {
        return Ok(member::explain(&entry.data.bytes()?, trace));
    }
    texture::explain(&entry.data, &entry.name.show(), trace)
}

/// Reads the entry table of an archive in memory. An error if the table or the data are truncated.
pub(super) fn read_table(bytes: &[u8]) -> Result<()> {
    Header::take(Reader::new(bytes, Game::Cs))?
        .data(bytes.len() as u64)
        .map(|_| ())
}

/// Reads an archive. For a file on disk, reads only the table.
pub(super) fn read(file: &Blob) -> Result<Pbo> {
    let header = Header::read(file)?;
    let behind = header.size + header.data(file.len())?;
    let mut at = header.size;
    let with_data = |(entry, size): (Entry, u32)| {
        let data = file.slice(at, size.into())?;
        at += u64::from(size);
        Ok(Entry { data, ..entry })
    };
    let entries = header
        .entries
        .into_iter()
        .map(with_data)
        .collect::<Result<_>>()?;
    let ending = Ending::Read(file.slice(behind, u64::MAX)?.bytes()?, OnceLock::new());
    Ok(Pbo {
        entries,
        ending,
        ..Pbo::new(header.start, header.end)
    })
}

impl Trailer {
    /// Classifies the bytes after the data block, given the SHA-1 of everything before them.
    pub(super) fn of(bytes: &Bytes, body_sha1: Option<[u8; 20]>) -> Trailer {
        match (bytes.split_first(), body_sha1) {
            (None, _) => Trailer::None,
            (Some((0, rest)), Some(sum)) => match rest.split_first_chunk() {
                Some((stored, behind)) if *stored == sum => Trailer::Sha1 {
                    sum: Some(sum),
                    behind: bytes.slice(bytes.len() - behind.len()..),
                },
                Some((stored, [])) => Trailer::Wrong {
                    stored: *stored,
                    instead_of: sum,
                },
                _ => Trailer::Raw(bytes.clone()),
            },
            _ => Trailer::Raw(bytes.clone()),
        }
    }
}

/// Hands out the bytes of start entry, properties, entry table and end entry, in pieces.
pub(super) fn header(pbo: &Pbo, put_out: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut out = Vec::new();
    let numbers = |out: &mut Vec<u8>, numbers: &[u32]| {
        numbers.iter().for_each(|n| out.extend(n.to_le_bytes()))
    };
    let text = |out: &mut Vec<u8>, label: &Label, what: &str| {
        label.check(what)?;
        out.extend_from_slice(&label.0);
        out.push(0);
        Ok(())
    };
    if let Some(start) = &pbo.start {
        out.push(0);
        numbers(&mut out, &[VERS]);
        numbers(&mut out, &start.numbers);
        for (key, value) in &start.properties {
            if key.0.is_empty() {
                return Err(
                    Error::say("a property has an empty key, which would end the list")
                        .within("properties"),
                );
            }
            text(&mut out, key, "the key")?;
            text(&mut out, value, "the value")?;
        }
        out.push(0);
    }
    for (
        i,
        Entry {
            name,
            method,
            original,
            reserved,
            time,
            data,
        },
    ) in pbo.entries.iter().enumerate()
    {
        if out.len() >= PIECE {
            put_out(&out)?;
            out.clear();
        }
        let mut put = || {
            if name.0.is_empty() {
                return Err(Error::say(
                    "the name is empty, which would end the entry table",
                ));
            }
            text(&mut out, name, "the name")?;
            let size = u32::try_from(data.len()).map_err(|_| {
                Error::say(format!(
                    "the file has {} bytes; an archive holds files of up to 4 GiB",
                    data.len()
                ))
            })?;
            numbers(&mut out, &[*method, *original, *reserved, *time, size]);
            Ok(())
        };
        put().map_err(|e: Error| e.within(format!("[{i}]")).within("entries"))?;
    }
    out.push(0);
    numbers(&mut out, &pbo.end);
    put_out(&out)
}

/// Bytes that are handed over at a time.
const PIECE: usize = 1 << 18;

/// Writes everything before the trailer. With `hashes`, returns its SHA-1, computed in another
/// thread because it takes as long as writing.
fn write_body(pbo: &Pbo, hashes: bool, out: &mut dyn ByteSink) -> Result<[u8; 20]> {
    if !hashes || cfg!(target_family = "wasm") {
        return write_body_alone(pbo, hashes, out);
    }
    thread::scope(|scope| {
        let (pieces, received) = sync_channel::<Vec<u8>>(4);
        // Memory of hashed pieces, for the next ones.
        let (back, empty) = sync_channel::<Vec<u8>>(6);
        let hash = move || {
            let mut sum = Sha1::new();
            for mut piece in received {
                sum.update(&piece);
                piece.clear();
                let _ = back.try_send(piece);
            }
            sum.finalize().into()
        };
        let hash = thread::Builder::new()
            .spawn_scoped(scope, hash)
            .map_err(Error::stopped)?;
        let mut piece = Vec::with_capacity(PIECE);
        let mut put = |mut bytes: &[u8]| {
            out.put(bytes)?;
            while let Some((part, rest)) = bytes.split_at_checked(PIECE - piece.len()) {
                piece.extend_from_slice(part);
                let next = empty.try_recv();
                let next = next.unwrap_or_else(|_| Vec::with_capacity(PIECE));
                // The thread ends only after this sender.
                let _ = pieces.send(std::mem::replace(&mut piece, next));
                bytes = rest;
            }
            piece.extend_from_slice(bytes);
            Ok(())
        };
        header(pbo, &mut put)?;
        Blob::each_of(pbo.data(), &mut put)?;
        let _ = pieces.send(piece);
        drop(pieces);
        hash.join()
            .map_err(|_| Error::say("internal error: the thread that hashes ended"))
    })
}

/// [`write_body`] without another thread: if no hash is needed, or if the system has no threads.
fn write_body_alone(pbo: &Pbo, hashes: bool, out: &mut dyn ByteSink) -> Result<[u8; 20]> {
    if !hashes {
        header(pbo, &mut |bytes| out.put(bytes))?;
        return out.put_blobs(&mut pbo.data()).map(|()| Default::default());
    }
    let mut sum = Sha1::new();
    let mut put = |bytes: &[u8]| {
        sum.update(bytes);
        out.put(bytes)
    };
    header(pbo, &mut put)?;
    Blob::each_of(pbo.data(), &mut put)?;
    Ok(sum.finalize().into())
}

/// Writes an archive, piece by piece.
pub(super) fn write(pbo: &Pbo, out: &mut dyn ByteSink) -> Result<()> {
    let hashes = matches!(
        pbo.ending,
        Ending::Stored(Trailer::Sha1 { sum: None, .. } | Trailer::Wrong { .. })
    );
    let sum = write_body(pbo, hashes, out)?;
    match &pbo.ending {
        // Nothing was edited, so that the trailer that was read still fits.
        Ending::Read(bytes, _) => out.put(bytes),
        Ending::Stored(Trailer::None) => Ok(()),
        Ending::Stored(Trailer::Raw(bytes)) => out.put(bytes),
        Ending::Stored(Trailer::Sha1 { sum: known, behind }) => {
            out.put(&[&[0], &known.as_ref().unwrap_or(&sum)[..], behind].concat())
        }
        // A wrong hash is kept while the bytes are the same; an edited archive gets the right one.
        Ending::Stored(Trailer::Wrong { stored, instead_of }) => out
            .put(&[0])
            .and_then(|()| out.put(if sum == *instead_of { stored } else { &sum })),
    }
}
