//! Two mods that add the same file. If both made it from the same file of the game, their changes
//! merge as in a file that exists; otherwise the values that differ are the conflict.

use super::{
    apply::{Patch, Patched, patch},
    conflict::{Conflict, Prefer, Wish},
    difference::proved,
};
use bytes::Bytes;
use refit_base::{lint::MOST, tree::Blob, wire::count};
use refit_diff::{
    self as diff, Change, ChangeKind, Difference, PartChange, PlacedItem, Tree, Value, spelled,
};
use refit_files::pipeline::Hints;

/// What one mod adds.
#[derive(Clone, Copy)]
pub(super) struct Added<'a> {
    /// The content.
    pub bytes: &'a Bytes,
    /// The mod's position in the list of mods.
    pub by: usize,
}

/// The file with the changes of both mods to `base`, which both copied. `None` if their changes do
/// not fit together as values.
pub(super) fn merged(
    path: &str,
    hints: Hints,
    base: &Bytes,
    added: [Added<'_>; 2],
    prefer: Prefer,
) -> Option<Patched> {
    let tree = |bytes: &Bytes| Tree::of_file(&Blob::Memory(bytes.clone()), path, hints).ok();
    let base = tree(base)?;
    let [first, second] = added.map(|added| {
        let changes = proved(&base, &tree(added.bytes)?, "new").ok()?;
        Some((added.by, changes))
    });
    let (first, second) = (first?, second?);
    let patches = [&first, &second].map(|(by, (changes, files))| Patch {
        by: *by,
        changes,
        files,
        prefer,
    });
    patch(&base, &patches)
        .ok()
        .filter(|done| done.unplaced.is_empty())
}

/// The values in which two new files differ. Empty if their format is unknown: then only the whole
/// files can be compared.
pub(super) fn differing(
    path: &str,
    hints: Hints,
    [first, second]: [Added<'_>; 2],
    decided: Prefer,
) -> Vec<Conflict> {
    let tree = |added: Added<'_>| {
        let file = Blob::Memory(added.bytes.clone());
        Tree::of_file(&file, path, hints).ok()
    };
    let (Some(a), Some(b)) = (tree(first), tree(second)) else {
        return Vec::new();
    };
    if a.format.is_none() || a.format != b.format {
        return Vec::new();
    }
    let found = diff::trees(&a, &b).unwrap_or_default();
    let conflict = |(part, at, (one, other)): Differing| {
        let [one, other] = [Wish::new(first.by, one), Wish::new(second.by, other)];
        Conflict::new(one, other, decided).at(at).in_part(part)
    };
    let values = found.iter().flat_map(values);
    values.take(MOST).map(conflict).collect()
}

/// A value that differs: its part, its path in the part, and what each file has.
type Differing = (String, String, (String, String));

/// What a file without a value has, for display.
const NOTHING: &str = "nothing";

fn values(difference: &Difference) -> Vec<Differing> {
    let one = |first: String, second: String| {
        vec![(difference.path.clone(), String::new(), (first, second))]
    };
    let bytes = |many: u64| count(usize::try_from(many).unwrap_or(usize::MAX), "byte");
    match &difference.change {
        PartChange::Added(_) => one(NOTHING.into(), "a new part".into()),
        PartChange::Removed(_) => one("a new part".into(), NOTHING.into()),
        PartChange::Renamed { to } => one("this name".into(), format!("the name {to}")),
        PartChange::Fields { changes, .. } => {
            let of = |change: &Change| {
                let at = spelled(&change.at);
                (difference.path.clone(), at, wanted(&change.what))
            };
            changes.iter().map(of).collect()
        }
        PartChange::Lines { old, new } => lines(&difference.path, old, new),
        PartChange::Bytes { old, new } => one(
            format!("{} of its own", bytes(old.len())),
            format!("{} of its own", bytes(new.len())),
        ),
        PartChange::Hidden { old, new, .. } => one(bytes(*old), bytes(*new)),
    }
}

fn wanted(change: &ChangeKind) -> (String, String) {
    match change {
        ChangeKind::Set { old, new } => (old.compact(), new.compact()),
        ChangeKind::Added(new) => (NOTHING.into(), new.compact()),
        ChangeKind::Removed(old) => (old.compact(), NOTHING.into()),
        ChangeKind::Placed { items, .. } => {
            let shown = |item: &PlacedItem| match item {
                PlacedItem::New { value, .. } | PlacedItem::Copy { value, .. } => value.compact(),
                PlacedItem::Moved { from, .. } => format!("{} moved", from.spelled()),
            };
            let items: Vec<String> = items.iter().map(shown).collect();
            (NOTHING.into(), items.join(", "))
        }
    }
}

/// The runs of lines that differ, each by the number of its first line.
fn lines(part: &str, old: &str, new: &str) -> Vec<Differing> {
    let texts = similar::TextDiff::from_lines(old, new);
    let (a, b) = (texts.old_slices(), texts.new_slices());
    let joined = |lines: Option<&[&str]>| match lines.unwrap_or_default() {
        [] => NOTHING.to_owned(),
        lines => Value::from(lines.concat().trim_end()).compact(),
    };
    texts
        .ops()
        .iter()
        .filter(|op| op.tag() != similar::DiffTag::Equal)
        .map(|op| {
            let at = format!("line {}", op.old_range().start.saturating_add(1));
            let wants = (joined(a.get(op.old_range())), joined(b.get(op.new_range())));
            (part.to_owned(), at, wants)
        })
        .collect()
}
