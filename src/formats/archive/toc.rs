//! The table of contents of an archive, and what kind of archive its members make of a file.

use super::{ENTRY, Extent, MemberLine};
use crate::{
    formats::{
        Detection, Format, Suspect, Verdict, motion, reader, savegame,
        support::layout::{Holds, Plan, Span},
    },
    game::Game,
    tree::Blob,
    wire::{Error, Plain, Reader, Record, Result, Role, Trace},
};
use bytes::Bytes;

/// Entries of a table on disk that are read together.
const WINDOW: u64 = 4096;

/// Payloads up to this size are read together, this many bytes at a time.
const SMALL: u64 = 1 << 12;
const TOGETHER: u64 = 1 << 16;

/// A table of contents that fits its file.
pub(super) struct Toc {
    pub version: u32,
    pub checksum: u32,
    /// The entries as stored.
    table: Blob,
    /// The range of each entry's payload.
    pub spans: Vec<Span>,
    /// Every length is stored as 1 (archive/FORMAT.md).
    pub ones: bool,
    table_start: u64,
}

impl Toc {
    /// Reads the file as an archive of `version`, and reports it to `trace`.
    pub fn read(file: &Blob, version: u32, trace: Option<&dyn Trace>) -> Result<Toc> {
        let size = file.len();
        let footer = if version == 2 { 12 } else { 8 };
        let at = size.checked_sub(footer).ok_or_else(|| Error::short(0, footer, size).within("footer"))?;
        let (reader, end) = (Reader::new(&[], Game::Mw), file.slice(at, footer)?.bytes()?);
        let reader = || reader.clone().traced(trace);
        let mut r = reader().inner(&end, at);
        let found: u32 = r.field("version")?;
        if found != version {
            return Err(Error::say(format!("{found} (an archive has {version})")).within("version").at(at));
        }
        let count: u32 = r.hidden("count", Role::Derived)?;
        let checksum: u32 = if version == 2 { r.hidden("checksum", Role::Derived)? } else { 0 };
        let table = u64::from(count) * ENTRY;
        let table_start = at.checked_sub(table).ok_or_else(|| {
            Error::say(format!("{count} entries need a table of {table} bytes, but only {at} precede the footer"))
                .within("count")
                .at(at + 4)
        })?;
        let (table, mut spans) = (file.slice(table_start, table)?, Vec::with_capacity(count as usize));
        for window in windows(&table) {
            let bytes = window?;
            reader().inner(&bytes, table_start + spans.len() as u64 * ENTRY).within("members", |r| {
                while r.left() > 0 {
                    let (i, entry) = (spans.len(), r.offset());
                    let extent = Extent::of(r.peek(ENTRY as usize));
                    let member = r.item(i, |r| MemberLine::take(r, &extent))?;
                    let span = Span { start: extent.start.into(), len: extent.length.into() };
                    if span.start + span.len > table_start {
                        let e = Error::say(format!(
                            "{:?} is at {:#x} and has {} bytes, but the data end at {table_start:#x}",
                            member.name.text(),
                            span.start,
                            span.len
                        ));
                        return Err(e.within(format!("[{i}]")).at(entry));
                    }
                    spans.push(span);
                }
                Ok(())
            })?;
        }
        let ones = count > 0 && spans.iter().all(|span| span.len == 1) && Self::extents(&mut spans, table_start);
        Ok(Toc { version, checksum, table, spans, ones, table_start })
    }

    /// Motion archives of Pirate's Moon store 1 as every length: a payload then reaches to the next larger start.
    fn extents(spans: &mut [Span], table_start: u64) -> bool {
        let mut starts: Vec<u64> = spans.iter().map(|s| s.start).collect();
        starts.sort_unstable();
        starts.dedup();
        let end =
            |start: u64| starts.get(starts.partition_point(|other| *other <= start)).copied().unwrap_or(table_start);
        if spans.iter().all(|s| end(s.start) == s.start + 1) {
            return false;
        }
        for span in spans {
            span.len = end(span.start) - span.start;
        }
        true
    }

    /// The entries, parsed again: recognising a file does not need to keep them.
    pub fn entries(&self) -> impl Iterator<Item = Result<MemberLine>> {
        let load = |entry: &[u8]| Ok(MemberLine::load(entry, Game::Mw, &Extent::default()));
        windows(&self.table).flat_map(move |window| match window {
            Ok(bytes) => bytes.chunks_exact(ENTRY as usize).map(load).collect(),
            Err(e) => vec![Err(e)],
        })
    }

    /// The layout of the payloads.
    pub fn plan(&self) -> Plan {
        Plan::new(&self.spans, 0, self.table_start)
    }

    /// True when each payload follows the one before it, from the beginning of the data to the end.
    pub fn is_in_order(&self) -> bool {
        let mut at = 0;
        self.spans.iter().all(|span| std::mem::replace(&mut at, span.start + span.len) == span.start)
            && at == self.table_start
    }

    /// True when the payloads tile the data region.
    fn tiles(&self) -> bool {
        self.is_in_order() || self.plan().pieces.iter().all(|p| p.holds != Holds::Gap)
    }

    /// Reads the file as the version that fits better; a file can look like both (archive/FORMAT.md).
    pub fn pick(file: &Blob) -> Result<Toc> {
        let tail = file.slice(file.len().saturating_sub(12), 12)?.bytes()?;
        let word = |back: usize| tail.len().checked_sub(back).and_then(|at| tail.get(at..at + 4)).map(u32::get);
        match (Toc::read(file, 1, None), Toc::read(file, 2, None)) {
            (Ok(one), Ok(two)) => Ok(if one.is_hollow() || (!one.tiles() && two.tiles()) { two } else { one }),
            // As version 1 the archive would have no entries and yet a body, while the word before says version 2:
            // return the error of version 2.
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

    /// The kind of archive according to its members. `facts` are about their entries.
    fn kind(&self, file: &Blob, facts: &Facts) -> Result<Format> {
        // The first bytes of a payload are enough to recognise it; only reader values have to be walked to their end.
        let most = |len: Option<u64>, test: &dyn Fn(&[u8]) -> bool| {
            let (mut count, mut window, mut begin) = (0, Bytes::new(), 0);
            for (i, span) in self.spans.iter().enumerate() {
                // Decided, whatever the others are.
                if 2 * count > self.spans.len() || 2 * (count + self.spans.len() - i) <= self.spans.len() {
                    break;
                }
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
        Ok(if self.spans.is_empty() {
            Format::Archive
        } else if facts.has_header || facts.recoil.are_all() {
            Format::Savegame
        } else if facts.mechlib == [true; 3] {
            Format::Mechlib
        } else if most(Some(4), &|payload| payload == b"RIFF")? {
            Format::Sounds
        } else if 2 * facts.scripts > self.spans.len() {
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

/// Facts about the entries that show the kind of an archive and its game.
#[derive(Default)]
struct Facts {
    /// The first one is the header of a saved game.
    has_header: bool,
    recoil: savegame::RecoilNames,
    /// There are these members of mechlib.
    mechlib: [bool; 3],
    /// Members with the names of scripts.
    scripts: usize,
    /// Entries that are not as in Crimson Skies.
    not_cs: usize,
    /// One has a comment of Recoil's resource compiler.
    of_recoil: bool,
}

impl Facts {
    fn of(toc: &Toc) -> Result<Self> {
        let mut facts = Facts::default();
        for (i, entry) in toc.entries().enumerate() {
            let entry = entry?;
            let name = entry.name.bytes();
            facts.has_header |= i == 0 && name == b"zSaveHeader";
            facts.recoil.see(name);
            for (has, known) in facts.mechlib.iter_mut().zip([&b"format"[..], b"version", b"materials"]) {
                *has |= name == known;
            }
            facts.scripts += usize::from(name.to_ascii_lowercase().ends_with(b".zrd"));
            // The other bits are memory that was not set: 555 sounds of the game's own archive have other values each.
            facts.not_cs += usize::from(entry.comment != entry.name || entry.flags.0 & 2 == 0);
            facts.of_recoil |= reader::is_of_recoil(entry.comment.bytes());
        }
        Ok(facts)
    }
}

/// The bytes of a table, some entries at a time.
fn windows(table: &Blob) -> impl Iterator<Item = Result<Bytes>> {
    (0..table.len()).step_by((WINDOW * ENTRY) as usize).map(move |at| table.slice(at, WINDOW * ENTRY)?.bytes())
}

/// Recognises an archive by its footer and a table that fits, its kind by its members.
pub(crate) fn recognise(suspect: &Suspect<'_>) -> Verdict {
    if suspect.word_before_end(8) != Some(1) && suspect.word_before_end(12) != Some(2) {
        return Verdict::No;
    }
    let Some(file) = suspect.all() else { return Verdict::All };
    match Toc::pick(&file) {
        Ok(toc) if !toc.is_hollow() => verdict(suspect, &file, &toc),
        _ => Verdict::No,
    }
}

/// Recognises an archive without entries after a body, like any file that ends in these eight bytes, and reports a
/// damaged one.
pub(crate) fn recognise_rest(suspect: &Suspect<'_>) -> Verdict {
    if suspect.word_before_end(8) != Some(1) && suspect.word_before_end(12) != Some(2) {
        return Verdict::No;
    }
    let Some(file) = suspect.all() else { return Verdict::All };
    match Toc::pick(&file) {
        Ok(toc) => verdict(suspect, &file, &toc),
        // A footer that names a version, a table that does not fit: damaged rather than unknown.
        Err(e) => Verdict::Refused(e.context("a damaged ZBD archive").hint("was the file cut?")),
    }
}

fn verdict(suspect: &Suspect<'_>, file: &Blob, toc: &Toc) -> Verdict {
    if suspect.roughly {
        return Verdict::Is(Detection::new(Format::Archive, None, String::new(), true));
    }
    match detection(file, toc) {
        Ok(detection) => Verdict::Is(detection),
        Err(unread) => Verdict::Refused(unread),
    }
}

fn detection(file: &Blob, toc: &Toc) -> Result<Detection> {
    let facts = Facts::of(toc)?;
    let kind = toc.kind(file, &facts)?;
    let game = match (toc.version, kind) {
        (2, _) => Some(Game::Pm),
        (_, Format::Motion | Format::Mechlib) => Some(Game::Mw),
        (_, Format::Savegame) if !facts.has_header => Some(Game::Rc),
        (_, Format::Savegame) => {
            let payload = toc.spans.first().map(|span| file.slice(span.start, span.len)?.bytes()).transpose()?;
            savegame::game_by_header(&payload.unwrap_or_default())
        }
        _ if facts.not_cs == 0 && !toc.spans.is_empty() => Some(Game::Cs),
        // The folders of the project, in the names of the resource compiler's temporary files.
        (_, Format::Reader) if facts.of_recoil => Some(Game::Rc),
        _ => None,
    };
    let evidence = format!("a version {} archive footer whose table fits", toc.version);
    Ok(Detection::new(kind, game, evidence, file.len() > 12))
}
