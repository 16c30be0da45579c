//! The table of contents of an archive, and what kind of archive its members make of a file.

use super::{Archive, Checksum, ENTRY, MemberLine, game_of_kind};
use crate::{
    formats::{
        Context, Detection, Format, Suspect, Verdict, mechlib, motion, reader, savegame,
        support::layout::{FilePart, Holds, Plan, Span},
    },
    game::Game,
    tree::Blob,
    wire::{Error, Plain, Reader, Record, Result, Role, ShortText, Trace},
};
use bytes::Bytes;

/// Bytes of a table on disk that are read together: 4096 entries.
const WINDOW: u64 = 4096 * ENTRY as u64;

/// Payloads up to this size are read together, this many bytes at a time.
const SMALL: u64 = 1 << 12;
const TOGETHER: u64 = 1 << 16;

/// Motion archives of Pirate's Moon store 1 as every length: a payload then reaches to the next larger start. False if
/// the payloads do have one byte each.
fn stretch(spans: &mut [Span], end: u64) -> bool {
    let mut starts: Vec<u64> = spans.iter().map(|s| s.start).collect();
    starts.sort_unstable();
    starts.dedup();
    let end = |start: u64| starts.get(starts.partition_point(|other| *other <= start)).copied().unwrap_or(end);
    if spans.iter().all(|s| end(s.start) == s.start + 1) {
        return false;
    }
    spans.iter_mut().for_each(|span| span.len = end(span.start) - span.start);
    true
}

/// A table of contents that fits its file. Recognising a file does not keep its entries.
pub(super) struct Toc {
    version: u32,
    checksum: Option<Checksum>,
    /// The range of each payload.
    spans: Vec<Span>,
    ones: bool,
    /// Where the data end.
    end: u64,
}

impl Archive {
    /// Reads the file as an archive of `version`, whatever its kind, and reports it to `trace`.
    pub(super) fn read(file: &Blob, version: u32, trace: Option<&dyn Trace>) -> Result<Archive> {
        let mut members = Vec::new();
        let toc = Toc::read(file, version, trace, &mut |line| members.push(line))?;
        let plan = toc.plan();
        for ((line, place), span) in members.iter_mut().zip(&plan.places).zip(&toc.spans) {
            (line.piece, line.part) = (place.piece, FilePart::of(*place, span.len)?);
        }
        let pieces = plan.pieces.iter().map(|span| file.slice(span.start, span.len)).collect::<Result<_>>()?;
        let context = Context { game: None, format: Format::Archive, file: String::new() };
        let archive = Archive::new(context, version, pieces, members, plan.is_canonical());
        Ok(Archive { ones: toc.ones, checksum: toc.checksum, ..archive })
    }

    /// [`Archive::read`] as the version that fits.
    pub(super) fn pick(file: &Blob) -> Result<Archive> {
        Archive::read(file, Toc::pick(file)?.version, None)
    }
}

impl Toc {
    /// Reads the table as that of an archive of `version`, and reports it to `trace`. Passes each entry to `see`.
    fn read(file: &Blob, version: u32, trace: Option<&dyn Trace>, see: &mut dyn FnMut(MemberLine)) -> Result<Toc> {
        let size = file.len();
        let footer = if version == 2 { 12 } else { 8 };
        let at = size.checked_sub(footer).ok_or_else(|| Error::short(0, footer, size).within("footer"))?;
        let end = file.slice(at, footer)?.bytes()?;
        let mut r = Reader::based(&end, at, Game::Mw).traced(trace);
        let found: u32 = r.field("version")?;
        if found != version {
            return Err(Error::say(format!("{found} (an archive has {version})")).within("version").at(at));
        }
        let count: u32 = r.hidden("count", Role::Derived)?;
        let checksum = if version == 2 { Some(Checksum::Kept(r.hidden("checksum", Role::Derived)?)) } else { None };
        let table = u64::from(count) * ENTRY as u64;
        let end = at.checked_sub(table).ok_or_else(|| {
            Error::say(format!("{count} entries need a table of {table} bytes, but only {at} precede the footer"))
                .within("count")
                .at(at + 4)
        })?;
        let mut spans = Vec::with_capacity(count as usize);
        for at in (end..at).step_by(WINDOW as usize) {
            let window = file.slice(at, WINDOW.min(end + table - at))?.bytes()?;
            Reader::based(&window, at, Game::Mw).traced(trace).within("members", |r| {
                while !r.is_empty() {
                    let (i, at, entry) = (spans.len(), r.offset(), r.peek(ENTRY));
                    let part = FilePart {
                        offset: MemberLine::peek_start(entry, r.game),
                        length: MemberLine::peek_length(entry, r.game),
                    };
                    let line = r.item(i, |r| MemberLine::take(r, &part))?;
                    let span = Span { start: part.offset.into(), len: part.length.into() };
                    if span.start + span.len > end {
                        let why = format!(
                            "{:?} is at {:#x} and has {} bytes, but the data end at {end:#x}",
                            line.name.text(),
                            span.start,
                            span.len
                        );
                        return Err(Error::say(why).within(format!("[{i}]")).at(at));
                    }
                    see(line);
                    spans.push(span);
                }
                Ok(())
            })?;
        }
        let ones = spans.iter().all(|span| span.len == 1) && stretch(&mut spans, end);
        Ok(Toc { version, checksum, spans, ones, end })
    }

    fn plan(&self) -> Plan {
        Plan::new(&self.spans, 0, self.end)
    }

    /// Reads the file as the version that fits better; a file can look like both (archive/FORMAT.md).
    fn pick(file: &Blob) -> Result<Toc> {
        let tail = file.slice(file.len().saturating_sub(12), 12)?.bytes()?;
        let word = |back: usize| tail.len().checked_sub(back).and_then(|at| tail.get(at..at + 4)).map(u32::get);
        let tiles = |toc: &Toc| !toc.plan().held().contains(&Holds::Gap);
        let read = |version| Toc::read(file, version, None, &mut |_| ());
        match (read(1), read(2)) {
            (Ok(one), Ok(two)) => Ok(if one.is_hollow() || (!tiles(&one) && tiles(&two)) { two } else { one }),
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
        self.spans.is_empty() && self.end > 0
    }

    /// True if most payloads, or their first `len` bytes, pass a test.
    fn most(&self, file: &Blob, len: u64, test: impl Fn(&[u8]) -> bool) -> Result<bool> {
        let (all, mut count, mut window, mut begin) = (self.spans.len(), 0, Bytes::new(), 0);
        for (i, span) in self.spans.iter().enumerate() {
            // Decided, whatever the others are.
            if 2 * count > all || 2 * (count + all - i) <= all {
                break;
            }
            let len = len.min(span.len);
            // Many small payloads that follow each other are read together.
            if span.start < begin || span.start + len > begin + window.len() as u64 {
                begin = span.start;
                window = file.slice(begin, if span.len <= SMALL { TOGETHER } else { len })?.bytes()?;
            }
            let from = (span.start - begin) as usize;
            count += usize::from(test(window.get(from..from + len as usize).unwrap_or_default()));
        }
        Ok(2 * count > all)
    }

    /// The kind of archive according to its members, and the game.
    fn detection(&self, file: &Blob) -> Result<Detection> {
        let (mut first, mut names, mut missing) =
            (None, savegame::RecoilNames::default(), mechlib::DESCRIPTION.to_vec());
        let (mut scripts, mut is_of_cs, mut is_of_recoil) = (0, !self.spans.is_empty(), false);
        Toc::read(file, self.version, None, &mut |line| {
            let name = line.name.bytes();
            names.see(name);
            missing.retain(|known| known.as_bytes() != name);
            scripts += usize::from(name.to_ascii_lowercase().ends_with(b".zrd"));
            // The other bits are memory that was not set: 555 sounds of the game's own archive have other values each.
            is_of_cs &= line.comment == line.name && line.flags.0 & 2 != 0;
            // The folders of the project, in the names of the resource compiler's temporary files.
            is_of_recoil |= reader::is_of_recoil(line.comment.bytes());
            first.get_or_insert(line.name);
        })?;
        let first = first.as_ref().map_or(&[][..], |name: &ShortText<64>| name.bytes());
        let kind = if self.spans.is_empty() {
            Format::Archive
        } else if first == savegame::HEADER || names.are_all() {
            Format::Savegame
        } else if missing.is_empty() {
            Format::Mechlib
        } else if self.most(file, 4, |payload| payload == b"RIFF")? {
            Format::Sounds
        } else if 2 * scripts > self.spans.len() {
            Format::Reader
        } else if self.most(file, u64::MAX, motion::is_motion)? {
            Format::Motion
        } else if self.most(file, u64::MAX, reader::is_value)? {
            Format::Reader
        } else {
            Format::Archive
        };
        let game = match (game_of_kind(self.version, kind), kind, self.spans.first()) {
            (Some(game), ..) => Some(game),
            (_, Format::Savegame, Some(span)) => savegame::game(first, &file.slice(span.start, span.len)?.bytes()?),
            _ if is_of_cs => Some(Game::Cs),
            (_, Format::Reader, _) if is_of_recoil => Some(Game::Rc),
            _ => None,
        };
        let evidence = format!("a version {} archive footer whose table fits", self.version);
        Ok(Detection::new(kind, game, evidence, file.len() > 12))
    }
}

/// Recognises an archive by its footer and a table that fits, its kind by its members. As the last one (`rest`) also an
/// archive without entries after a body, like any file that ends in these eight bytes; it reports a damaged one.
pub(crate) fn recognise(suspect: &Suspect<'_>, rest: bool) -> Verdict {
    if suspect.word_before_end(8) != Some(1) && suspect.word_before_end(12) != Some(2) {
        return Verdict::No;
    }
    let Some(file) = suspect.all() else { return Verdict::All };
    let detection = match Toc::pick(&file) {
        Ok(toc) if toc.is_hollow() && !rest => return Verdict::No,
        Ok(_) if suspect.roughly => Ok(Detection::new(Format::Archive, None, String::new(), true)),
        Ok(toc) => toc.detection(&file),
        // A footer that names a version, a table that does not fit: damaged rather than unknown.
        Err(e) if rest => Err(e.context("a damaged ZBD archive").hint("was the file cut?")),
        Err(_) => return Verdict::No,
    };
    detection.map_or_else(Verdict::Refused, Verdict::Is)
}
