//! The layout of parts in a data region: in order and without gaps, as every known writer produces
//! it, or irregular.
//!
//! Tables of contents may leave gaps, list their parts in another order, and let parts share bytes
//! or overlap. A plan cuts the region into pieces that do not overlap; each part is a whole piece
//! or a slice of one.

use crate::{
    tree::Blob,
    wire::{Error, Result, fit},
};
use std::collections::HashMap;

/// The range of a part according to a table of contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Offset of its first byte.
    pub start: u64,
    /// Length in bytes.
    pub len: u64,
}

impl Span {
    /// An error if the bytes of the member `name` end after `end`, where "the data end" or "the
    /// file ends".
    pub fn check(self, name: &str, ends: &str, end: u64) -> Result<()> {
        if self.end() <= end {
            return Ok(());
        }
        let Span { start, len } = self;
        Err(Error::say(format!(
            "{name:?} is at {start:#x} and has {len} bytes, but {ends} at {end:#x}"
        )))
    }

    fn end(self) -> u64 {
        self.start.saturating_add(self.len)
    }
}

/// The content of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// One part, or several with the same range; the number is that of the first.
    Part(usize),
    /// Overlapping parts: each is a slice.
    Overlap,
    /// Bytes that no part claims.
    Gap,
}

impl Holds {
    /// The first of the parts that the piece is; `None` if parts are only slices of it, and for a
    /// gap.
    pub fn part(self) -> Option<usize> {
        if let Holds::Part(first) = self {
            Some(first)
        } else {
            None
        }
    }
}

/// The place of a part in the pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The number of the piece.
    pub piece: usize,
    /// The offset within the piece; `None` if the part is the whole piece.
    pub offset: Option<u64>,
}

/// Which part of a file in the tree a member is.
#[derive(Clone, Copy, PartialEq, Debug, Default, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Part")]
pub struct FilePart {
    /// Offset in the file.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
}

impl FilePart {
    /// The part of `len` bytes at a place; `None` if that is a whole piece.
    pub fn of(place: Place, len: u64) -> Result<Option<Self>> {
        let length = fit(len as usize, "a length")?;
        let part = |offset: u64| {
            Ok(FilePart {
                offset: fit(offset as usize, "an offset")?,
                length,
            })
        };
        place.offset.map(part).transpose()
    }

    /// An error if it ends beyond its file.
    pub fn check(self, file: Option<&Blob>) -> Result<()> {
        let size = file.map_or(0, Blob::len);
        match u64::from(self.offset) + u64::from(self.length) > size {
            true => Err(Error::say(format!(
                "the part ends beyond its file, which has {size} bytes"
            ))),
            false => Ok(()),
        }
    }

    /// The bytes of a member that is this part of a piece, or the whole piece.
    pub fn cut(part: Option<Self>, piece: Option<&Blob>) -> Result<Blob> {
        match (part, piece) {
            (Some(part), Some(piece)) => piece.slice(part.offset.into(), part.length.into()),
            _ => Ok(piece.cloned().unwrap_or_default()),
        }
    }

    /// Offset and length in the file of a member that is this part of a piece, or the whole piece,
    /// which begins at `start`.
    pub fn in_file(part: Option<Self>, start: u32, piece: Option<&Blob>) -> Result<Self> {
        let size = piece.map_or(0, Blob::len) as usize;
        let whole = || {
            Ok(FilePart {
                offset: 0,
                length: fit(size, "the length of a member")?,
            })
        };
        let part = part.map_or_else(whole, Ok)?;
        let offset = start.checked_add(part.offset).ok_or_else(too_large)?;
        Ok(FilePart { offset, ..part })
    }
}

#[cold]
fn too_large() -> Error {
    Error::say("the file would exceed 4 GiB")
}

/// Where pieces of these lengths begin, if the first one begins at `at`.
pub fn starts(at: u64, lengths: impl Iterator<Item = u64>) -> Result<Vec<u32>> {
    let start = |next: &mut u64, len| {
        Some(u32::try_from(std::mem::replace(next, *next + len)).map_err(|_| too_large()))
    };
    lengths.scan(at, start).collect()
}

/// The content of `count` pieces, each part given by its piece and whether it is a whole one.
pub fn held(count: usize, parts: impl Iterator<Item = (usize, bool)>) -> Vec<Holds> {
    let mut held = vec![Holds::Gap; count];
    for (part, (piece, whole)) in parts.enumerate() {
        match held.get_mut(piece) {
            Some(holds) if !whole => *holds = Holds::Overlap,
            Some(holds @ Holds::Gap) => *holds = Holds::Part(part),
            _ => {}
        }
    }
    held
}

/// The files of a tree in the order of the data.
pub struct Files<'a> {
    /// Their paths, and what they hold.
    pub list: Vec<(&'a str, Holds)>,
    /// The position of each part's file.
    pub places: Vec<usize>,
}

/// The files of a layout, then those that are missing there, such as added ones. A part is given by
/// its file, and whether it is the whole file. Without a layout each part has its own.
pub fn files<'a>(
    layout: &'a [Box<str>],
    parts: impl Iterator<Item = (&'a str, bool)>,
) -> Result<Files<'a>> {
    let mut files: Vec<&str> = Vec::with_capacity(layout.len().max(parts.size_hint().0));
    let mut known: HashMap<&str, usize> = HashMap::with_capacity(layout.len());
    for file in layout {
        if known.insert(file, files.len()).is_some() {
            return Err(Error::say(format!("{file:?} is listed twice"))
                .within("layout")
                .in_file("refit"));
        }
        files.push(file);
    }
    let place = |(file, whole)| {
        let place = if layout.is_empty() {
            files.len()
        } else {
            *known.entry(file).or_insert(files.len())
        };
        if place == files.len() {
            files.push(file);
        }
        (place, whole)
    };
    let places: Vec<(usize, bool)> = parts.map(place).collect();
    let held = held(files.len(), places.iter().copied());
    let places = places.into_iter().map(|(place, _)| place).collect();
    Ok(Files {
        list: files.into_iter().zip(held).collect(),
        places,
    })
}

/// Pieces in the order of the data, and the place of every part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// In the order of the data, without gaps or overlaps.
    pub pieces: Vec<Span>,
    /// One for every part.
    pub places: Vec<Place>,
}

impl Plan {
    /// Plans a region from `begin` to `end`. Spans are cut to the region.
    pub fn new(spans: &[Span], begin: u64, end: u64) -> Self {
        let mut order: Vec<usize> = (0..spans.len()).collect();
        // A part without bytes comes before the one that begins at the same position, and after the
        // one that ends there.
        order.sort_by_cached_key(|i| spans.get(*i).map(|s| (s.start, s.len)));
        let mut pieces: Vec<Span> = Vec::new();
        let mut places = vec![
            Place {
                piece: 0,
                offset: None
            };
            spans.len()
        ];
        let mut at = begin;
        let mut rest = order.as_slice();
        while let Some((&first, _)) = rest.split_first() {
            let Some(&span) = spans.get(first) else { break };
            if span.start > at {
                pieces.push(Span {
                    start: at,
                    len: span.start - at,
                });
                at = span.start;
            }
            // A cluster: all parts connected by overlaps. A part without bytes covers nothing.
            let mut until = span.end();
            let mut n = 1;
            let mut same = true;
            while let Some(next) = rest.get(n).and_then(|i| spans.get(*i)) {
                if next.start >= until {
                    break;
                }
                same &= *next == span;
                until = until.max(next.end());
                n += 1;
            }
            let (cluster, tail) = rest.split_at(n);
            rest = tail;
            let until = until.min(end.max(at));
            for &part in cluster {
                let offset = match spans.get(part) {
                    Some(s) if !same => Some(s.start.saturating_sub(at)),
                    _ => None,
                };
                if let Some(place) = places.get_mut(part) {
                    *place = Place {
                        piece: pieces.len(),
                        offset,
                    };
                }
            }
            pieces.push(Span {
                start: at,
                len: until.saturating_sub(at),
            });
            at = at.max(until);
        }
        if at < end {
            pieces.push(Span {
                start: at,
                len: end - at,
            });
        }
        Plan { pieces, places }
    }

    /// The content of each piece.
    pub fn held(&self) -> Vec<Holds> {
        held(
            self.pieces.len(),
            self.places
                .iter()
                .map(|place| (place.piece, place.offset.is_none())),
        )
    }

    /// True if every part has a separate piece, in the order of the table and without gaps: the
    /// plan need not be stored.
    pub fn is_canonical(&self) -> bool {
        self.pieces.len() == self.places.len()
            && self
                .places
                .iter()
                .enumerate()
                .all(|(i, p)| p.piece == i && p.offset.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(spans: &[(u64, u64)], end: u64) -> Plan {
        Plan::new(
            &spans
                .iter()
                .map(|&(start, len)| Span { start, len })
                .collect::<Vec<_>>(),
            0,
            end,
        )
    }

    #[test]
    fn plain_tables_are_canonical() {
        assert!(plan(&[(0, 4), (4, 0), (4, 6), (10, 0)], 10).is_canonical());
        assert!(plan(&[], 0).is_canonical());
        assert!(plan(&[(0, 0)], 0).is_canonical());
        assert!(!plan(&[], 3).is_canonical());
    }

    #[test]
    fn gaps_order_shared_and_overlapping_parts() {
        use Holds::*;
        assert_eq!(
            plan(&[(6, 2), (1, 3)], 9).held(),
            [Gap, Part(1), Gap, Part(0), Gap]
        );
        let shared = plan(&[(0, 4), (0, 4), (4, 4)], 8);
        assert_eq!(shared.held(), [Part(0), Part(2)]);
        assert!(!shared.is_canonical());
        let nested = plan(&[(0, 8), (2, 3), (8, 1)], 9);
        assert_eq!(nested.held(), [Overlap, Part(2)]);
        assert_eq!(
            nested.places[1],
            Place {
                piece: 0,
                offset: Some(2)
            }
        );
        // A part without bytes inside another one is a slice of it.
        assert_eq!(
            plan(&[(0, 8), (2, 0)], 8).places[1],
            Place {
                piece: 0,
                offset: Some(2)
            }
        );
        // Two without bytes at the same position get a piece each.
        assert_eq!(
            plan(&[(0, 0), (0, 0), (0, 4)], 4).held(),
            [Part(0), Part(1), Part(2)]
        );
    }

    #[test]
    fn pieces_tile_the_region_whatever_the_spans() {
        let mut seed = 1u64;
        let mut next = move |n: u64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) % n
        };
        for _ in 0..2000 {
            let spans: Vec<(u64, u64)> = (0..next(6))
                .map(|_| next(12))
                .map(|s| (s, 0))
                .map(|(s, _)| (s, 0))
                .collect();
            let spans: Vec<(u64, u64)> =
                spans.into_iter().map(|(s, _)| (s, next(13 - s))).collect();
            let plan = plan(&spans, 12);
            let mut at = 0;
            for piece in &plan.pieces {
                assert_eq!(piece.start, at, "{spans:?}");
                at += piece.len;
            }
            assert_eq!(at, 12, "{spans:?}");
            for (place, (start, len)) in plan.places.iter().zip(&spans) {
                let piece = &plan.pieces[place.piece];
                match place.offset {
                    None => assert_eq!((piece.start, piece.len), (*start, *len), "{spans:?}"),
                    Some(offset) => {
                        assert!(
                            piece.start + offset == *start && offset + len <= piece.len,
                            "{spans:?}"
                        )
                    }
                }
            }
        }
    }
}
