//! Differences as rows of JSON, for `diff --json` and for programs, and as sentences.

use super::{
    Change, ChangeKind, Difference, ItemRef, Part, PartChange, PlacedItem, Run, Value, picture,
    sound, spelled,
};
use refit_base::wire::{Within, count, hex_of, shorten, size};
use serde_json::json;
use similar::TextDiff;

/// What happened to a part, in a word.
pub fn word(change: &PartChange) -> &'static str {
    match change {
        PartChange::Added(_) => "added",
        PartChange::Removed(_) => "removed",
        PartChange::Renamed { .. } => "renamed",
        PartChange::Fields { .. } | PartChange::Lines { .. } | PartChange::Bytes { .. } => {
            "different"
        }
        PartChange::Hidden { .. } => "bytes",
    }
}

/// A row for each change of a part.
pub fn of(difference: &Difference) -> Vec<serde_json::Value> {
    let part = &difference.path;
    match &difference.change {
        PartChange::Added(new) => {
            vec![json!({ "part": part, "change": "added", "bytes": new.len() })]
        }
        PartChange::Removed(old) => {
            vec![json!({ "part": part, "change": "removed", "bytes": old.len() })]
        }
        PartChange::Renamed { to } => vec![json!({ "part": part, "change": "renamed", "to": to })],
        PartChange::Fields { changes, .. } => changes
            .iter()
            .flat_map(|change| field_json(part, change))
            .collect(),
        PartChange::Lines { old, new } => {
            let text = TextDiff::from_lines(old.as_str(), new.as_str())
                .unified_diff()
                .context_radius(0)
                .to_string();
            vec![json!({ "part": part, "change": "text", "diff": text })]
        }
        PartChange::Bytes { old, new } => {
            let (a, b) = (
                old.bytes().unwrap_or_default(),
                new.bytes().unwrap_or_default(),
            );
            let state =
                |bytes: &[u8]| json!({ "bytes": bytes.len(), "sha256": refit_base::sha256(bytes) });
            let (old_state, new_state, described) = (state(&a), state(&b), bytes(old, new));
            let mut object = json!({ "part": part, "change": "bytes", "old": old_state, "new": new_state, "told": described });
            if let (Some(a), Some(b), Some(object)) =
                (picture(&a), picture(&b), object.as_object_mut())
            {
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
        ChangeKind::Added(new) => {
            vec![json!({ "part": part, "at": at, "change": "added", "new": new })]
        }
        ChangeKind::Removed(old) => {
            vec![json!({ "part": part, "at": at, "change": "removed", "old": old })]
        }
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

/// Longest value that is shown whole.
const LONGEST: usize = 200;
/// Most runs of bytes that are shown.
const RUNS: usize = 20;

fn short(value: &Value) -> String {
    shorten(&value.compact(), LONGEST).into_owned()
}

/// The changes of the content of a part, in sentences.
pub fn lines(difference: &Difference) -> Vec<String> {
    match &difference.change {
        PartChange::Fields {
            old,
            new,
            changes,
            kind,
        } => shapes(kind, old, new)
            .into_iter()
            .chain(changes.iter().flat_map(field_lines))
            .collect(),
        PartChange::Bytes { old, new } => bytes(old, new),
        PartChange::Hidden { runs, old, new } => {
            let shown = |bytes: &[u8]| {
                if bytes.is_empty() {
                    "nothing".to_owned()
                } else {
                    hex_of(bytes)
                }
            };
            let mut out = vec![format!("bytes that no field shows differ ({old} → {new})")];
            let run =
                |run: &Run| format!("0x{:x}: {} → {}", run.at, shown(&run.old), shown(&run.new));
            out.extend(runs.iter().take(RUNS).map(run));
            let more = runs.len().saturating_sub(RUNS);
            out.extend((more > 0).then(|| format!("… and {} more", count(more, "place"))));
            out
        }
        _ => Vec::new(),
    }
}

/// A line for each difference in a field.
fn field_lines(change: &Change) -> Vec<String> {
    let at = spelled(&change.at);
    let at = if at.is_empty() {
        String::new()
    } else {
        format!("{at}: ")
    };
    match &change.what {
        ChangeKind::Set { old, new } => vec![format!("{at}{} → {}", short(old), short(new))],
        ChangeKind::Added(value) => vec![format!("{at}added {}", short(value))],
        ChangeKind::Removed(value) => vec![format!("{at}removed {}", short(value))],
        ChangeKind::Placed { after, items, .. } => {
            let behind = after
                .as_ref()
                .map_or("at the beginning".to_owned(), |after| {
                    format!("behind {}", after.spelled())
                });
            items
                .iter()
                .map(|item| match item {
                    PlacedItem::New { index, value } | PlacedItem::Copy { index, value, .. } => {
                        format!("{at}[{index}] added {behind}: {}", short(value))
                    }
                    PlacedItem::Moved { index, from } => {
                        format!(
                            "{at}{} moved {behind}, from [{}] to [{index}]",
                            from.spelled(),
                            from.index
                        )
                    }
                })
                .collect()
        }
    }
}

/// How the shape of a model changed: how many of each, and its box.
fn shapes(kind: &str, old: &Value, new: &Value) -> Vec<String> {
    if !kind.contains("model") && !kind.contains("mechlib") {
        return Vec::new();
    }
    let mut out = Vec::new();
    for key in ["vertices", "normals", "polygons", "lights", "morphs"] {
        let many = |value: &Value| match value.field(key) {
            Some(Value::List(items)) => items.len(),
            _ => 0,
        };
        if many(old) != many(new) {
            out.push(format!("{} → {} {key}", many(old), many(new)));
        }
    }
    let (was, is) = (extent(old), extent(new));
    if was != is
        && let (Some(was), Some(is)) = (was, is)
    {
        out.push(format!("the box of its vertices: {was} → {is}"));
    }
    out
}

fn extent(model: &Value) -> Option<String> {
    let Some(Value::List(vertices)) = model.field("vertices") else {
        return None;
    };
    let mut box_: Option<([f64; 3], [f64; 3])> = None;
    for vertex in vertices {
        let Value::List(numbers) = vertex else {
            return None;
        };
        let mut point = [0.0; 3];
        for (slot, number) in point.iter_mut().zip(numbers) {
            let Value::Number(number) = number else {
                return None;
            };
            *slot = number.parse().ok()?;
        }
        let (min, max) = box_.get_or_insert((point, point));
        for ((low, high), at) in min.iter_mut().zip(max.iter_mut()).zip(point) {
            (*low, *high) = (low.min(at), high.max(at));
        }
    }
    box_.map(|(min, max)| format!("{min:?} to {max:?}"))
}

/// What a picture or a sound is.
pub fn media(bytes: &[u8]) -> Option<String> {
    let sound = || sound(bytes).map(|sound| format!("{}, {}", sound.kind, sound.detail));
    picture(bytes)
        .map(|picture| picture.summary())
        .or_else(sound)
}

/// What differs in a plain file, in sentences.
fn bytes(old: &Part, new: &Part) -> Vec<String> {
    let (Ok(a), Ok(b)) = (old.bytes(), new.bytes()) else {
        return vec!["bytes differ".into()];
    };
    if let (Some(a), Some(b)) = (picture(&a), picture(&b)) {
        let mut out = Vec::new();
        if a.summary() != b.summary() {
            out.push(format!("picture: {} → {}", a.summary(), b.summary()));
        }
        match a.differing(&b) {
            Some(0) if out.is_empty() => {
                out.push("picture: the same pixels, stored differently".into())
            }
            Some(0) | None => {}
            Some(n) => out.push(format!(
                "picture: {} of {} differ",
                count(n, "pixel"),
                count(a.rgba.len() / 4, "pixel")
            )),
        }
        return out;
    }
    if let (Some(a), Some(b)) = (sound(&a), sound(&b)) {
        return vec![match a == b {
            true => format!("sound: other samples ({}, {})", a.kind, a.detail),
            false => format!("sound: {}, {} → {}, {}", a.kind, a.detail, b.kind, b.detail),
        }];
    }
    let mut out = vec![format!(
        "{} → {}, sha256 {} → {}",
        size(a.len() as u64),
        size(b.len() as u64),
        sum(&a),
        sum(&b)
    )];
    if let Some(at) = a.iter().zip(b.iter()).position(|(a, b)| a != b) {
        let show = |bytes: &[u8]| hex_of(bytes.within(at..(at + 16).min(bytes.len())));
        out.push(format!("from 0x{at:x}: {} → {}", show(&a), show(&b)));
    }
    out
}

fn sum(bytes: &[u8]) -> String {
    refit_base::sha256(bytes).chars().take(16).collect()
}
