//! Differences as rows of JSON, for `diff --json` and for programs.

use super::{Change, ChangeKind, Difference, ItemRef, Part, PartChange, PlacedItem, picture, sound, spelled};
use crate::wire::{count, hex_of, size};
use serde_json::json;
use similar::TextDiff;

/// What happened to a part, in a word.
pub(crate) fn word(change: &PartChange) -> &'static str {
    match change {
        PartChange::Added(_) => "added",
        PartChange::Removed(_) => "removed",
        PartChange::Renamed { .. } => "renamed",
        PartChange::Fields { .. } | PartChange::Lines { .. } | PartChange::Bytes { .. } => "different",
        PartChange::Hidden { .. } => "bytes",
    }
}

/// A row for each change of a part.
pub(crate) fn of(difference: &Difference) -> Vec<serde_json::Value> {
    let part = &difference.path;
    match &difference.change {
        PartChange::Added(new) => vec![json!({ "part": part, "change": "added", "bytes": new.len() })],
        PartChange::Removed(old) => vec![json!({ "part": part, "change": "removed", "bytes": old.len() })],
        PartChange::Renamed { to } => vec![json!({ "part": part, "change": "renamed", "to": to })],
        PartChange::Fields { changes, .. } => changes.iter().flat_map(|change| field_json(part, change)).collect(),
        PartChange::Lines { old, new } => {
            let text = TextDiff::from_lines(old.as_str(), new.as_str()).unified_diff().context_radius(0).to_string();
            vec![json!({ "part": part, "change": "text", "diff": text })]
        }
        PartChange::Bytes { old, new } => {
            let (a, b) = (old.bytes().unwrap_or_default(), new.bytes().unwrap_or_default());
            let state = |bytes: &[u8]| json!({ "bytes": bytes.len(), "sha256": crate::sha256(bytes) });
            let (old_state, new_state, described) = (state(&a), state(&b), bytes(old, new));
            let mut object =
                json!({ "part": part, "change": "bytes", "old": old_state, "new": new_state, "told": described });
            if let (Some(a), Some(b), Some(object)) = (picture(&a), picture(&b), object.as_object_mut()) {
                object.insert("change".into(), "picture".into());
                object.insert("pixels".into(), a.differing(&b).into());
            }
            vec![object]
        }
        PartChange::Hidden { runs, .. } => runs
            .iter()
            .map(|run| {
                json!({ "part": part, "change": "bytes", "offset": run.at, "old": hex_of(&run.old),
                "new": hex_of(&run.new) })
            })
            .collect(),
    }
}

fn field_json(part: &str, change: &Change) -> Vec<serde_json::Value> {
    let at = spelled(&change.at);
    match &change.what {
        ChangeKind::Set { old, new } => {
            vec![json!({ "part": part, "at": at, "change": "set", "old": old, "new": new })]
        }
        ChangeKind::Added(new) => vec![json!({ "part": part, "at": at, "change": "added", "new": new })],
        ChangeKind::Removed(old) => vec![json!({ "part": part, "at": at, "change": "removed", "old": old })],
        ChangeKind::Placed { after, items, .. } => {
            let behind = after.as_ref().map(ItemRef::spelled);
            items
                .iter()
                .map(|item| match item {
                    PlacedItem::New { index, value } | PlacedItem::Copy { index, value, .. } => {
                        json!({ "part": part, "at": at, "change": "added", "behind": behind, "index": index,
                            "new": value })
                    }
                    PlacedItem::Moved { index, from } => {
                        json!({ "part": part, "at": at, "change": "moved", "item": from.spelled(), "behind": behind,
                            "from": from.index, "index": index })
                    }
                })
                .collect()
        }
    }
}

/// What differs in a plain file, in sentences.
pub(crate) fn bytes(old: &Part, new: &Part) -> Vec<String> {
    let (Ok(a), Ok(b)) = (old.bytes(), new.bytes()) else { return vec!["bytes differ".into()] };
    if let (Some(a), Some(b)) = (picture(&a), picture(&b)) {
        let mut out = Vec::new();
        if a.summary() != b.summary() {
            out.push(format!("picture: {} → {}", a.summary(), b.summary()));
        }
        match a.differing(&b) {
            Some(0) if out.is_empty() => out.push("picture: the same pixels, stored differently".into()),
            Some(0) | None => {}
            Some(n) => {
                out.push(format!("picture: {} of {} differ", count(n, "pixel"), count(a.rgba.len() / 4, "pixel")))
            }
        }
        return out;
    }
    if let (Some(a), Some(b)) = (sound(&a), sound(&b)) {
        return vec![match a == b {
            true => format!("sound: other samples ({}, {})", a.kind, a.detail),
            false => format!("sound: {}, {} → {}, {}", a.kind, a.detail, b.kind, b.detail),
        }];
    }
    let mut out =
        vec![format!("{} → {}, sha256 {} → {}", size(a.len() as u64), size(b.len() as u64), sum(&a), sum(&b))];
    if let Some(at) = a.iter().zip(b.iter()).position(|(a, b)| a != b) {
        let show = |bytes: &[u8]| hex_of(bytes.get(at..(at + 16).min(bytes.len())).unwrap_or_default());
        out.push(format!("from 0x{at:x}: {} → {}", show(&a), show(&b)));
    }
    out
}

fn sum(bytes: &[u8]) -> String {
    crate::sha256(bytes).chars().take(16).collect()
}
