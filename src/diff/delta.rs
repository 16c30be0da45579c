//! Binary deltas: describes new bytes as pieces of old ones and new pieces.

use refit_base::wire::Within;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, OnceCell};

/// A piece of the new version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Piece<T> {
    /// Copies from the old version: offset and number of bytes.
    Old(u64, u64),
    /// New content.
    New(T),
}

/// Length of the runs that the index contains, in bytes.
const WINDOW: usize = 8;
/// Every common run of at least this length is found.
pub const SHORTEST: usize = WINDOW + STEP - 1;
/// Distance between the indexed runs, in bytes.
const STEP: usize = 4;
/// How many places to try for one window.
const TRIED: usize = 32;

fn window(bytes: &[u8], at: usize) -> Option<[u8; WINDOW]> {
    bytes.get(at..)?.first_chunk().copied()
}

fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn common_end(a: &[u8], b: &[u8]) -> usize {
    a.iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count()
}

/// Old bytes that deltas refer to. The index of their windows is built on first use; it takes about
/// three bytes per byte.
pub struct Known<'a> {
    bytes: &'a [u8],
    chains: OnceCell<Chains>,
}

/// A hash table of the windows: `first` has the first window of each slot, `next` the next window
/// of the same slot.
struct Chains {
    first: Vec<u32>,
    next: Vec<u32>,
}

/// End of a chain.
const NONE: u32 = u32::MAX;

impl Chains {
    fn slot(&self, window: [u8; WINDOW]) -> usize {
        let mixed = u64::from_le_bytes(window).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.first.len() - 1)
    }

    fn of(bytes: &[u8]) -> Self {
        let many = (bytes.len() / STEP).min(NONE as usize / STEP);
        let mut out = Chains {
            first: vec![NONE; many.next_power_of_two().max(2)],
            next: vec![NONE; many],
        };
        // Backwards, so that each chain starts with the lowest position.
        for i in (0..many).rev() {
            let Some(window) = window(bytes, i * STEP) else {
                continue;
            };
            let slot = out.slot(window);
            if let (Some(first), Some(next)) = (out.first.get_mut(slot), out.next.get_mut(i)) {
                *next = std::mem::replace(first, i as u32);
            }
        }
        out
    }
}

impl<'a> Known<'a> {
    /// A source with these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Known {
            bytes,
            chains: OnceCell::new(),
        }
    }

    /// The longest match for the start of `new`: its position in these bytes and its length.
    fn longest(&self, new: &[u8]) -> Option<(usize, usize)> {
        let wanted = window(new, 0)?;
        let chains = self.chains.get_or_init(|| Chains::of(self.bytes));
        let mut at = chains.first.get(chains.slot(wanted)).copied()?;
        let mut best: Option<(usize, usize)> = None;
        let mut tried = 0;
        // The chain also contains other windows with the same hash.
        for _ in 0..8 * TRIED {
            let Some(next) = chains.next.get(at as usize) else {
                break;
            };
            let place = at as usize * STEP;
            at = *next;
            let len = common(self.bytes.within(place..), new);
            if len < WINDOW {
                continue;
            }
            if best.is_none_or(|(_, most)| len > most) {
                best = Some((place, len));
            }
            tried += 1;
            if tried == TRIED {
                break;
            }
        }
        best
    }
}

/// Describes `new` as ranges of `old` and ranges of itself, in order. Finds every common run of at
/// least [`SHORTEST`] bytes.
pub fn ranges(old: &[u8], new: &[u8]) -> Vec<Piece<std::ops::Range<usize>>> {
    ranges_of(&[&Known::new(old)], new)
}

/// Like [`ranges`] with several sources. Positions refer to the concatenation of the sources.
pub fn ranges_of(sources: &[&Known<'_>], new: &[u8]) -> Vec<Piece<std::ops::Range<usize>>> {
    let mut out: Vec<Piece<std::ops::Range<usize>>> = Vec::new();
    let copy = |out: &mut Vec<_>, from: usize, len: usize| {
        if let Some(Piece::Old(start, many)) = out.last_mut()
            && *start + *many == from as u64
        {
            *many += len as u64;
        } else if len > 0 {
            out.push(Piece::Old(from as u64, len as u64));
        }
    };
    let old = sources
        .first()
        .map(|source| source.bytes)
        .unwrap_or_default();
    // In a file of the same size, or with one change, most bytes did not move.
    let before = common(old, new);
    let (old_rest, new_rest) = (old.within(before..), new.within(before..));
    let behind = common_end(old_rest, new_rest);
    let end = new.len() - behind;
    copy(&mut out, 0, before);
    let mut at = before;
    let mut from = at;
    while at < end {
        let rest = new.within(at..end);
        // Try the same position first: it matches if bytes were only replaced.
        let (mut source, mut begin) = (old, 0);
        let (mut place, mut len) = (at, common(old.get(at..).unwrap_or_default(), rest));
        if len < SHORTEST {
            let mut base = 0;
            for known in sources {
                if let Some(found) = known.longest(rest)
                    && found.1 > len
                {
                    (place, len) = found;
                    (source, begin) = (known.bytes, base);
                }
                base += known.bytes.len();
            }
        }
        if len < WINDOW {
            at += 1;
            continue;
        }
        // Extend the match backwards into the bytes skipped so far.
        let back = common_end(source.within(..place), new.within(from..at));
        let start = at - back;
        (place, len) = (place - back, len + back);
        if len < SHORTEST {
            at += 1;
            continue;
        }
        if start > from {
            out.push(Piece::New(from..start));
        }
        copy(&mut out, begin + place, len);
        at = start + len;
        from = at;
    }
    if end > from {
        out.push(Piece::New(from..end));
    }
    copy(&mut out, old.len() - behind, behind);
    out
}

/// Limit for the bytes that pieces may produce. Without it, a few numbers could request any number
/// of copies.
#[derive(Debug)]
pub struct Room(Cell<u64>);

impl Room {
    /// Number of bytes allowed regardless of the input's size: four empty worlds, which a few
    /// numbers make.
    const FREE: u64 = 16 << 20;
    /// How many times the input's size the output may have.
    pub const TIMES: u64 = 8;
    /// The error when the limit is reached.
    pub const NONE_LEFT: &'static str =
        "it asks for many more bytes than the file and the mod have";

    /// A limit for an input of `bytes` bytes, old and new ones.
    pub fn of(bytes: u64) -> Self {
        let room = Room(Cell::new(Self::FREE));
        room.grow(bytes);
        room
    }

    /// Raises the limit for further input.
    pub fn grow(&self, bytes: u64) {
        self.0.set(
            bytes
                .saturating_mul(Self::TIMES)
                .saturating_add(self.0.get()),
        );
    }

    /// Uses up part of the limit.
    pub fn take(&self, bytes: u64) -> Result<(), &'static str> {
        let left = self.0.get().checked_sub(bytes).ok_or(Self::NONE_LEFT)?;
        self.0.set(left);
        Ok(())
    }
}

const MISFIT: &str = "its pieces do not fit the file here";

/// Applies pieces to the concatenation of several sources, or returns why they do not fit.
pub fn joined_of<'a>(
    sources: &[&[u8]],
    pieces: impl Iterator<Item = Piece<&'a [u8]>> + Clone,
    room: &Room,
) -> Result<Vec<u8>, &'static str> {
    let mut len = 0u64;
    for piece in pieces.clone() {
        let many = match piece {
            Piece::New(bytes) => bytes.len() as u64,
            Piece::Old(_, many) => many,
        };
        len = len.checked_add(many).ok_or(MISFIT)?;
    }
    room.take(len)?;
    let mut out = Vec::new();
    out.try_reserve_exact(usize::try_from(len).map_err(|_| MISFIT)?)
        .map_err(|_| "there is not enough memory for it")?;
    for piece in pieces {
        let (from, many) = match piece {
            Piece::New(bytes) => {
                out.extend_from_slice(bytes);
                continue;
            }
            Piece::Old(from, many) => (
                usize::try_from(from).map_err(|_| MISFIT)?,
                usize::try_from(many).map_err(|_| MISFIT)?,
            ),
        };
        let (mut at, mut left) = (from, many);
        for source in sources {
            if left == 0 {
                break;
            }
            if at >= source.len() {
                at -= source.len();
                continue;
            }
            let here = left.min(source.len() - at);
            out.extend_from_slice(source.get(at..at + here).ok_or(MISFIT)?);
            (at, left) = (0, left - here);
        }
        if left > 0 {
            return Err(MISFIT);
        }
    }
    Ok(out)
}

/// Describes the text `new` as pieces of the text `old`.
pub fn of_text(old: &str, new: &str) -> Vec<Piece<String>> {
    of_texts(&[&Known::new(old.as_bytes())], new)
}

/// Like [`of_text`] with several sources. Positions refer to the concatenation of the sources.
pub fn of_texts(sources: &[&Known<'_>], new: &str) -> Vec<Piece<String>> {
    let mut out: Vec<Piece<String>> = Vec::new();
    let put = |out: &mut Vec<Piece<String>>, text: &str| match out.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::New(last)) => last.push_str(text),
        _ => out.push(Piece::New(text.to_owned())),
    };
    let boundary = |at: &usize| new.is_char_boundary(*at);
    let mut at = 0;
    for piece in ranges_of(sources, new.as_bytes()) {
        let (from, to, old_from) = match &piece {
            Piece::New(range) => (range.start, range.end, None),
            Piece::Old(from, many) => (at, at + *many as usize, Some(*from as usize)),
        };
        at = to;
        // Cut pieces at character boundaries. Equal bytes are equal characters in both texts.
        let mut first = (from..).find(boundary).unwrap_or(from);
        let last = (0..=to).rfind(boundary).unwrap_or(to);
        if let Some(old_from) = old_from.filter(|_| last > first) {
            out.push(Piece::Old(
                (old_from + first - from) as u64,
                (last - first) as u64,
            ));
            first = last;
        }
        // The start of a character that continues in the next piece belongs to this one.
        put(
            &mut out,
            new.within(first..(to..).find(boundary).unwrap_or(to)),
        );
    }
    out
}

/// Applies pieces to the concatenation of several texts, or returns why they do not fit.
pub fn text(old: &[&str], pieces: &[Piece<String>], room: &Room) -> Result<String, &'static str> {
    let pieces = pieces.iter().map(|piece| match piece {
        Piece::Old(from, many) => Piece::Old(*from, *many),
        Piece::New(text) => Piece::New(text.as_bytes()),
    });
    let old: Vec<&[u8]> = old.iter().map(|old| old.as_bytes()).collect();
    String::from_utf8(joined_of(&old, pieces, room)?).map_err(|_| "its pieces are not text")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(old: &[u8], new: &[u8]) -> Vec<Piece<std::ops::Range<usize>>> {
        let pieces = ranges(old, new);
        let borrowed = pieces.iter().map(|piece| match piece {
            Piece::Old(from, many) => Piece::Old(*from, *many),
            Piece::New(range) => Piece::New(&new[range.clone()]),
        });
        assert_eq!(
            joined_of(&[old], borrowed, &Room::of(1 << 20)).unwrap(),
            new
        );
        // New pieces contain no run of the old bytes.
        for piece in &pieces {
            if let Piece::New(range) = piece {
                for window in new[range.clone()].windows(12) {
                    assert!(!old.windows(12).any(|old| old == window), "{window:?}");
                }
            }
        }
        pieces
    }

    fn noise(seed: u32, len: usize) -> Vec<u8> {
        let mut x = seed.wrapping_mul(747_796_405).wrapping_add(1);
        (0..len)
            .map(|_| {
                x ^= x << 13;
                x ^= x >> 17;
                x ^= x << 5;
                x as u8
            })
            .collect()
    }

    #[test]
    fn pieces_rebuild_the_new_text_and_contain_nothing_of_the_old() {
        let old = noise(1, 3000);
        let mut edits: Vec<Vec<u8>> = vec![old.clone(), Vec::new(), noise(2, 500)];
        for (i, at) in [0, 7, 100, 1501, 2999].into_iter().enumerate() {
            let mut one = old.clone();
            one[at] ^= 1;
            edits.push(one);
            edits.push([&old[..at], &noise(i as u32, 20), &old[at..]].concat());
            edits.push([&old[..at], &old[(at + 30).min(3000)..]].concat());
        }
        edits.push([&old[1500..], &old[..1500]].concat());
        edits.push(
            [
                &old[1500..1520],
                &noise(9, 5),
                &old[3..99],
                &[0; 40],
                &old[5..30],
            ]
            .concat(),
        );
        for new in &edits {
            back(&old, new);
            back(new, &old);
        }
        assert_eq!(back(&old, &old), [Piece::Old(0, 3000)]);
        back(&[0; 100], &[0; 333]);
        back(b"", b"abc");
    }

    #[test]
    fn pieces_are_bounded_by_the_sizes() {
        let old = vec![7; 1 << 20];
        let many = |times: usize| {
            joined_of(
                &[&old],
                vec![Piece::Old(0, 1 << 20); times].into_iter(),
                &Room::of(1 << 20),
            )
        };
        assert_eq!(many(8).unwrap().len(), 8 << 20);
        for (times, size) in [(1000, 1 << 20), (100_000, 1 << 20), (3, u64::MAX)] {
            let error = joined_of(
                &[&old],
                vec![Piece::Old(0, size); times].into_iter(),
                &Room::of(1 << 20),
            )
            .unwrap_err();
            assert!(
                error.contains("many more bytes") || error.contains("do not fit"),
                "{error}"
            );
        }
        // A used-up limit stays used up.
        let room = Room::of(0);
        let take = || joined_of(&[&old], vec![Piece::Old(0, 1 << 20); 16].into_iter(), &room);
        assert!(take().is_ok() && take().is_err());
        assert!(
            joined_of(
                &[&old],
                [Piece::Old(1, 1 << 20)].into_iter(),
                &Room::of(1 << 20)
            )
            .unwrap_err()
            .contains("do not fit")
        );
        assert!(text(&["abc"], &[Piece::Old(0, 3)], &Room::of(3)).is_ok());
    }

    #[test]
    fn texts_keep_their_characters_whole() {
        let (old, new) = (
            "Die Tür ist zu. Öffne sie nicht, bitte sehr, mein Schatz!",
            "Die Tôr ist zu. Öffne sie nicht, danke sehr, mein Schätz!",
        );
        let pieces = of_text(old, new);
        let room = Room::of(1 << 20);
        assert_eq!(text(&[old], &pieces, &room).unwrap(), new);
        for (old, new) in [
            ("ééééééééééééééééé", "éééééééééèéééééééé"),
            ("äöüäöüäöüäöüäöü", "öüäöüäöüäöüäöüä"),
            ("", "ü"),
            ("ü", ""),
        ] {
            assert_eq!(text(&[old], &of_text(old, new), &room).unwrap(), new);
        }
    }
}
