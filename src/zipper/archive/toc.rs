//! The table of contents of an archive, and what kind of archive its members make of a file.

use super::{Archive, Checksum, ENTRY, MemberLine, game_of_kind};
use crate::{mechlib, motion, reader, savegame};
use bytes::Bytes;
use refit_base::{
    contract::{Begun, Context, Detection, Suspect, Verdict},
    format::Format,
    game::Game,
    support::layout::{FilePart, Holds, Plan, Span},
    tree::Blob,
    wire::{Error, Reader, Record, Result, Role, Trace, value_before_end},
};
use std::collections::BTreeSet;

/// Bytes of a table on disk that are read together: 4096 entries.
const WINDOW: u64 = 4096 * ENTRY as u64;

/// Payloads up to this size are read together, this many bytes at a time.
const SMALL: u64 = 1 << 12;
const TOGETHER: u64 = 1 << 16;

/// Motion archives of Pirate's Moon store 1 as every length: a payload then reaches to the next
/// larger start. False if the payloads do have one byte each.
fn stretch(spans: &mut [Span], end: u64) -> bool {
    let starts: BTreeSet<u64> = spans.iter().map(|span| span.start).collect();
    let next = |start: u64| starts.range(start + 1..).next().copied().unwrap_or(end);
    spans
        .iter_mut()
        .for_each(|span| span.len = next(span.start) - span.start);
    spans.iter().any(|span| span.len != 1)
}

impl Archive {
    /// Reads the file as an archive of `version`, whatever its kind, and reports its table to
    /// `trace`.
    pub(super) fn read(file: &Blob, version: u32, trace: Option<&dyn Trace>) -> Result<Archive> {
        let size = file.len();
        let footer = if version == 2 { 12 } else { 8 };
        let at = size
            .checked_sub(footer)
            .ok_or_else(|| Error::short(0, footer, size).within("footer"))?;
        let end = file.slice(at, footer)?.bytes()?;
        let mut r = Reader::based(&end, at, Game::Mw).traced(trace);
        let found: u32 = r.field("version")?;
        if found != version {
            return Err(Error::say(format!("{found} (an archive has {version})"))
                .within("version")
                .at(at));
        }
        let count: u32 = r.hidden("count", Role::Derived)?;
        let checksum = if version == 2 {
            Some(Checksum::Kept {
                stored: r.hidden("checksum", Role::Derived)?,
                instead_of: None,
            })
        } else {
            None
        };
        let table = u64::from(count) * ENTRY as u64;
        let end = at.checked_sub(table).ok_or_else(|| {
            Error::say(format!(
                "{count} entries need a table of {table} bytes, but only {at} precede the footer"
            ))
            .within("count")
            .at(at + 4)
        })?;
        let mut members: Vec<MemberLine> = Vec::with_capacity(count as usize);
        let mut spans = Vec::with_capacity(count as usize);
        for at in (end..at).step_by(WINDOW as usize) {
            let window = file.slice(at, WINDOW.min(end + table - at))?.bytes()?;
            Reader::based(&window, at, Game::Mw)
                .traced(trace)
                .within("members", |r| {
                    while !r.is_empty() {
                        let (i, at, entry) = (spans.len(), r.offset(), r.peek(ENTRY));
                        let part = FilePart {
                            offset: MemberLine::peek_start(entry, r.game),
                            length: MemberLine::peek_length(entry, r.game),
                        };
                        let span = Span {
                            start: part.offset.into(),
                            len: part.length.into(),
                        };
                        spans.push(span);
                        members.push(r.item(i, |r| {
                            let line = MemberLine::take(r, &part)?;
                            span.check(&line.name.text(), "the data end", end)
                                .map_err(|e| e.at(at))?;
                            Ok(line)
                        })?);
                    }
                    Ok(())
                })?;
        }
        let ones = spans.iter().all(|span| span.len == 1) && stretch(&mut spans, end);
        let plan = Plan::new(&spans, 0, end);
        for ((line, place), span) in members.iter_mut().zip(&plan.places).zip(&spans) {
            (line.piece, line.part) = (place.piece, FilePart::of(*place, span.len)?);
        }
        let pieces = plan
            .pieces
            .iter()
            .map(|span| file.slice(span.start, span.len))
            .collect::<Result<_>>()?;
        let context = Context {
            game: None,
            format: Format::Archive,
            file: String::new(),
        };
        let canonical = plan.is_canonical();
        Ok(Archive {
            ones,
            checksum,
            pieces,
            members,
            canonical,
            ..Archive::new(context, version)
        })
    }

    /// Reads the file as the version that fits better; a file can look like both
    /// (archive/FORMAT.md).
    pub(super) fn pick(file: &Blob) -> Result<Archive> {
        let tail = file.slice(file.len().saturating_sub(12), 12)?.bytes()?;
        let says = |back, version: u32| value_before_end(&tail, back) == Some(version);
        let tiles = |archive: &Archive| archive.owned().all(|(_, holds, _)| holds != Holds::Gap);
        let read = |version| Archive::read(file, version, None);
        match (read(1), read(2)) {
            // As version 1 the archive would have no entries and yet a body, while the word before
            // says version 2.
            (Ok(one), two) if one.is_hollow() && says(12, 2) => two,
            (Ok(one), Ok(two)) if !tiles(&one) && tiles(&two) => Ok(two),
            (Err(_), two) if two.is_ok() || (says(12, 2) && !says(8, 1)) => two,
            (one, _) => one,
        }
    }

    /// No entries over a body: any file that ends in these eight bytes reads so.
    fn is_hollow(&self) -> bool {
        self.members.is_empty() && !self.pieces.is_empty()
    }

    /// True if most payloads, or their first `len` bytes, pass a test.
    fn most(
        &self,
        file: &Blob,
        places: &[FilePart],
        len: u64,
        test: impl Fn(&[u8]) -> bool,
    ) -> Result<bool> {
        let (all, mut count, mut window, mut begin) = (places.len(), 0, Bytes::new(), 0);
        for (i, place) in places.iter().enumerate() {
            // Decided, whatever the others are.
            if 2 * count > all || 2 * (count + all - i) <= all {
                break;
            }
            let (start, size) = (u64::from(place.offset), u64::from(place.length));
            let len = len.min(size);
            // Many small payloads that follow each other are read together.
            if start < begin || start + len > begin + window.len() as u64 {
                begin = start;
                window = file
                    .slice(begin, if size <= SMALL { TOGETHER } else { len })?
                    .bytes()?;
            }
            let from = (start - begin) as usize;
            count += usize::from(test(
                window.get(from..from + len as usize).unwrap_or_default(),
            ));
        }
        Ok(2 * count > all)
    }

    /// The kind of archive according to its members, and the game.
    fn detection(&self, file: &Blob) -> Result<Detection> {
        let places = self.places()?;
        let names = || self.members.iter().map(|member| member.name.bytes());
        let first = names().next().unwrap_or_default();
        let is_script = |name: &&[u8]| name.to_ascii_lowercase().ends_with(b".zrd");
        let kind = if first == savegame::HEADER || savegame::are_of_recoil(names()) {
            Format::Savegame
        } else if mechlib::DESCRIPTION
            .iter()
            .all(|known| names().any(|name| name == known.as_bytes()))
        {
            Format::Mechlib
        } else if self.most(file, &places, 4, |payload| payload == b"RIFF")? {
            Format::Sounds
        } else if 2 * names().filter(is_script).count() > self.members.len() {
            Format::Reader
        } else if self.most(file, &places, u64::MAX, motion::is_motion)? {
            Format::Motion
        } else if self.most(file, &places, u64::MAX, reader::is_value)? {
            Format::Reader
        } else {
            Format::Archive
        };
        // The other bits are memory that was not set: 555 sounds of the game's own archive have
        // other values each.
        let is_of_cs =
            |member: &MemberLine| member.comment == member.name && member.flags.0 & 2 != 0;
        // The folders of the project, in the names of the resource compiler's temporary files.
        let is_of_rc = |member: &MemberLine| reader::is_of_recoil(member.comment.bytes());
        let game = match (game_of_kind(self.version, kind), kind, self.members.first()) {
            (Some(game), ..) => Some(game),
            (_, Format::Savegame, Some(header)) => savegame::game(first, &self.bytes(header)?),
            (.., Some(_)) if self.members.iter().all(is_of_cs) => Some(Game::Cs),
            (_, Format::Reader, _) if self.members.iter().any(is_of_rc) => Some(Game::Rc),
            _ => None,
        };
        let evidence = format!("a version {} archive footer whose table fits", self.version);
        Ok(Detection::new(kind, game, evidence, file.len() > 12))
    }
}

/// Recognises an archive by its footer and a table that fits, its kind by its members. As the last
/// one (`rest`) also an archive without entries after a body, like any file that ends in these
/// eight bytes; it reports a damaged one.
pub(super) fn recognise(suspect: &Suspect<'_>, rest: bool) -> Verdict {
    if suspect.word_before_end(8) != Some(1) && suspect.word_before_end(12) != Some(2) {
        return Verdict::No;
    }
    // At worst a file of another format stays on disk.
    if suspect.roughly {
        return Verdict::Is(Detection::new(Format::Archive, None, String::new(), true));
    }
    let Some(file) = suspect.all() else {
        return Verdict::All;
    };
    let detection = match Archive::pick(&file) {
        Ok(archive) if archive.is_hollow() && !rest => return Verdict::No,
        Ok(archive) => archive.detection(&file).map(|found| Detection {
            begun: Begun::new(&file, archive),
            ..found
        }),
        // A footer that names a version, a table that does not fit: damaged rather than unknown.
        Err(e) if rest => Err(e.context("a damaged ZBD archive").hint("was the file cut?")),
        Err(_) => return Verdict::No,
    };
    detection.map_or_else(Verdict::Refused, Verdict::Is)
}
