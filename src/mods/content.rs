//! The content of a file's parts: how it is summed, weighed and put together.

use super::format::Pieces;
use bytes::Bytes;
use refit_base::wire::{Error, Result, Within};
use refit_diff::{Content, Part, PartKind, Value, delta};
use std::collections::BTreeMap;

/// Why a part of a mod cannot be made.
pub(super) enum Stop {
    /// It does not fit this edition of the game.
    Misfit(String),
    /// Reading failed, or the mod is damaged.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(e: Error) -> Self {
        Stop::Failed(e)
    }
}

impl From<String> for Stop {
    fn from(why: String) -> Self {
        Stop::Misfit(why)
    }
}

impl From<&str> for Stop {
    fn from(why: &str) -> Self {
        Stop::Misfit(why.to_owned())
    }
}

/// Joins lines into a text.
pub(super) fn joined(value: &Value) -> Option<Bytes> {
    let Value::List(lines) = value else {
        return None;
    };
    let lines: Option<Vec<&str>> = lines.iter().map(Value::text).collect();
    Some(lines?.concat().into())
}

/// The content of an unchanged part.
pub(super) fn content(part: &Part) -> Result<Content> {
    Ok(match (part.kind, part.value()?) {
        (PartKind::Document(_), Some(value)) => Content::Value(value),
        _ => Content::Bytes(part.bytes()?),
    })
}

/// The checksum of a part as mods store it: the first 16 hexadecimal digits of its SHA-256.
pub(super) fn sum(bytes: &[u8]) -> String {
    let mut sum = refit_base::sha256(bytes);
    sum.truncate(16);
    sum
}

/// Approximate size of a value as text, in bytes.
pub(super) fn weight(value: &Value) -> u64 {
    let mut weight = 0u64;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        weight += 4;
        match value {
            Value::Text(text) | Value::Number(text) => weight += text.len() as u64,
            Value::List(items) => open.extend(items),
            Value::Record(fields) => {
                weight += fields.iter().map(|(key, _)| key.len() as u64).sum::<u64>();
                open.extend(fields.iter().map(|(_, value)| value));
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
    weight
}

/// Stores new content as pieces of old content and new bytes. Many new bytes become a file of the
/// mod.
pub(super) fn cut(
    was: String,
    pieces: Vec<delta::Piece<std::ops::Range<usize>>>,
    new: &[u8],
    file: &str,
    files: &mut BTreeMap<String, Bytes>,
) -> Pieces {
    let mut news = Vec::new();
    let pieces = pieces.into_iter().map(|piece| match piece {
        delta::Piece::Old(from, many) => delta::Piece::Old(from, many),
        delta::Piece::New(range) => {
            let bytes = new.within(range);
            news.extend_from_slice(bytes);
            delta::Piece::New(bytes.len() as u64)
        }
    });
    let mut cut = Pieces {
        was,
        pieces: pieces.collect(),
        ..Pieces::default()
    };
    if news.len() <= INLINE {
        cut.bytes = refit_base::lower_hex(&news);
    } else {
        files.insert(file.to_owned(), news.into());
        cut.file = Some(file.to_owned());
    }
    cut
}

/// Up to this number, new bytes are stored in the text of the changes.
const INLINE: usize = 256;

/// Builds a file from pieces of several sources and new bytes.
pub(super) fn made_of(
    old: &[&[u8]],
    pieces: &Pieces,
    files: &BTreeMap<String, Bytes>,
    room: &delta::Room,
) -> Result<Bytes> {
    let bad = || Error::say("the pieces of a file do not fit it");
    let inline: Vec<u8>;
    let mut news: &[u8] = match &pieces.file {
        Some(path) => files.get(path).ok_or_else(|| Error::missing(path))?,
        None => {
            inline = pieces.inline().ok_or_else(bad)?;
            &inline
        }
    };
    let mut parts = Vec::new();
    for piece in &pieces.pieces {
        parts.push(match piece {
            delta::Piece::Old(from, many) => delta::Piece::Old(*from, *many),
            delta::Piece::New(many) => {
                let (bytes, rest) = usize::try_from(*many)
                    .ok()
                    .and_then(|many| news.split_at_checked(many))
                    .ok_or_else(bad)?;
                news = rest;
                delta::Piece::New(bytes)
            }
        });
    }
    delta::joined_of(old, parts.into_iter(), room)
        .map(Bytes::from)
        .map_err(Error::say)
}
