//! The changes that turn one document into another, as a mod stores them.

use super::{
    content::sum,
    format::{Item, StoredChange, StoredStep},
};
use refit_diff::{self as diff, Change, ChangeKind, ItemRef, PathStep, PlacedItem, Value, delta};
use std::{cell::OnceCell, collections::HashSet};

fn place(item: &ItemRef) -> StoredStep {
    match &item.name {
        Some(name) if !item.plain && !name.is_long() => {
            StoredStep::Named(name.text.clone(), name.nth as u64)
        }
        _ => StoredStep::At(item.index as u64, item.was.clone()),
    }
}

fn places(at: &[PathStep]) -> Vec<StoredStep> {
    at.iter()
        .map(|step| match step {
            PathStep::Key(key) => StoredStep::Key(key.clone()),
            PathStep::Item(item) => place(item),
        })
        .collect()
}

/// Describes a text as pieces of the old one. Runs that are too short to be more than coincidence
/// belong to the author, so that the mod has them and `mod show` can show them.
fn own_text(old: &str, new: &str) -> Vec<delta::Piece<String>> {
    let mut out: Vec<delta::Piece<String>> = Vec::new();
    let mut at = 0;
    for piece in delta::of_text(old, new) {
        let (end, piece) = match piece {
            delta::Piece::New(text) => (at + text.len(), delta::Piece::New(text)),
            delta::Piece::Old(from, many) => {
                let end = at + usize::try_from(many).unwrap_or(usize::MAX - at);
                match new.get(at..end) {
                    Some(text) if text.len() < delta::SHORTEST => {
                        (end, delta::Piece::New(text.to_owned()))
                    }
                    _ => (end, delta::Piece::Old(from, many)),
                }
            }
        };
        at = end;
        match (out.last_mut(), piece) {
            (Some(delta::Piece::New(last)), delta::Piece::New(more)) => last.push_str(&more),
            (_, piece) => out.push(piece),
        }
    }
    out
}

/// A change in its stored form.
pub(super) fn entry(change: &Change) -> StoredChange {
    let at = places(&change.at);
    match &change.what {
        ChangeKind::Set { old, new } => {
            let was = Some(old.sum());
            if let (Value::Text(old), Value::Text(new)) = (old, new) {
                let text = own_text(old, new);
                if text
                    .iter()
                    .any(|piece| matches!(piece, delta::Piece::Old(..)))
                {
                    return StoredChange {
                        at,
                        was,
                        text,
                        ..StoredChange::default()
                    };
                }
            }
            StoredChange {
                at,
                was,
                to: Some(new.clone()),
                ..StoredChange::default()
            }
        }
        ChangeKind::Added(value) => StoredChange {
            at,
            to: Some(value.clone()),
            ..StoredChange::default()
        },
        ChangeKind::Removed(old) => StoredChange {
            at,
            was: Some(old.sum()),
            gone: true,
            ..StoredChange::default()
        },
        ChangeKind::Placed {
            after,
            before,
            items,
        } => {
            let items = items.iter().map(|item| match item {
                PlacedItem::New { value, .. } => Item::New(value.clone()),
                PlacedItem::Moved { from, .. } => Item::Move(place(from)),
                PlacedItem::Copy { of, changes, .. } => Item::Copy {
                    of: place(of),
                    was: of.was.clone(),
                    changes: changes.iter().map(entry).collect(),
                },
            });
            let after = after.as_ref().map(place);
            StoredChange {
                at,
                place: items.collect(),
                after,
                before: before.as_ref().map(place),
                ..StoredChange::default()
            }
        }
    }
}

/// The changes that turn one document into another.
pub(super) fn changes(a: &Value, b: &Value) -> Vec<StoredChange> {
    let changes = diff::compare(a, b);
    let texts = OnceCell::new();
    let mut others = Others {
        texts: &|| texts.get_or_init(|| texts_of(a)).as_str(),
        known: None,
    };
    let entries = changes.iter().map(|change| match &change.what {
        ChangeKind::Set {
            old: Value::Text(old),
            new: Value::Text(new),
        } => others.take(old, new, entry(change)),
        _ => entry(change),
    });
    entries.collect()
}

/// The other texts of the document. Content copied from them is not the author's.
struct Others<'a> {
    /// Returns all texts, concatenated; computed on first use.
    texts: &'a dyn Fn() -> &'a str,
    known: Option<OtherTexts<'a>>,
}

/// All texts, and all windows of [`COPIED`] bytes in them.
struct OtherTexts<'a> {
    texts: delta::Known<'a>,
    sum: String,
    windows: HashSet<&'a [u8]>,
}

/// Equal runs of this many bytes are copies, not coincidence.
const COPIED: usize = 12;

impl Others<'_> {
    /// Describes a changed text with pieces of the other texts, if it contains any.
    fn take(&mut self, old: &str, new: &str, entry: StoredChange) -> StoredChange {
        let own = [delta::Piece::New(new.to_owned())];
        let pieces = if entry.text.is_empty() {
            &own[..]
        } else {
            &entry.text
        };
        let fresh: Vec<&str> = pieces
            .iter()
            .filter_map(|piece| {
                if let delta::Piece::New(text) = piece {
                    Some(text.as_str())
                } else {
                    None
                }
            })
            .collect();
        if fresh.iter().all(|text| text.len() < COPIED) {
            return entry;
        }
        let known = self.known.get_or_insert_with(|| {
            let texts = (self.texts)().as_bytes();
            // A run of printable characters without blanks is a name, and a mod may contain names.
            // Only other text counts as copied from the game.
            let windows = texts
                .windows(COPIED)
                .filter(|window| !window.iter().all(u8::is_ascii_graphic))
                .collect();
            OtherTexts {
                texts: delta::Known::new(texts),
                sum: sum(texts),
                windows,
            }
        });
        let is_copied = |text: &&str| {
            text.as_bytes()
                .windows(COPIED)
                .any(|window| known.windows.contains(window))
        };
        if !fresh.iter().any(is_copied) {
            return entry;
        }
        let text = delta::of_texts(&[&delta::Known::new(old.as_bytes()), &known.texts], new);
        StoredChange {
            to: None,
            text,
            texts: Some(known.sum.clone()),
            ..entry
        }
    }
}

/// All texts of a document, concatenated.
pub(super) fn texts_of(value: &Value) -> String {
    let mut out = String::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Text(text) => out.push_str(text),
            Value::List(items) => open.extend(items.iter().rev()),
            Value::Record(fields) => open.extend(fields.iter().rev().map(|(_, value)| value)),
            _ => {}
        }
    }
    out
}
