//! Compares two documents field by field.

use super::{
    pairs::{self, Name},
    value::Value,
};
use std::collections::HashMap;

/// Identifies an item of the old list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ItemRef {
    /// Its position in the old list.
    pub index: usize,
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// [`Value::sum`] of the old item if its name does not identify it; otherwise empty, and always
    /// empty if sums are not requested.
    pub was: String,
    /// True if the item is a text: its name is its whole content.
    pub plain: bool,
}

/// A step of a path to a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathStep {
    /// A field of a record.
    Key(String),
    /// An item of a list.
    Item(ItemRef),
}

/// A difference. Its path refers to the old document.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The path to the value.
    pub at: Vec<PathStep>,
    /// The change.
    pub what: ChangeKind,
}

/// The kinds of difference.
#[derive(Clone, PartialEq, Debug)]
pub enum ChangeKind {
    /// The value changed.
    Set {
        /// The old value.
        old: Value,
        /// The new value.
        new: Value,
    },
    /// A field was added.
    Added(Value),
    /// A field or an item was removed.
    Removed(Value),
    /// Items were added or moved to one place in a list, after an item that stayed.
    Placed {
        /// The item before them; `None` at the start of the list.
        after: Option<ItemRef>,
        /// The item that followed `after` in the old list.
        before: Option<ItemRef>,
        /// The items now at this place, in order.
        items: Vec<PlacedItem>,
    },
}

/// An item at its new place.
#[derive(Clone, PartialEq, Debug)]
pub enum PlacedItem {
    /// The item is new.
    New {
        /// Its position in the new list.
        index: usize,
        /// The item.
        value: Value,
    },
    /// The item was moved.
    Moved {
        /// Its position in the new list.
        index: usize,
        /// The item in the old list.
        from: ItemRef,
    },
    /// The item is new but resembles an old one, which may still be in the list.
    Copy {
        /// Its position in the new list.
        index: usize,
        /// The item.
        value: Value,
        /// The old item.
        of: ItemRef,
        /// The differences between the two; paths start at the item.
        changes: Vec<Change>,
    },
}

/// The differences between two documents. Paths refer to `a`.
pub fn compare(a: &Value, b: &Value) -> Vec<Change> {
    differing(a, b, true)
}

/// Like [`compare`] without sums of the old values, which display does not need.
pub(crate) fn compare_to_show(a: &Value, b: &Value) -> Vec<Change> {
    differing(a, b, false)
}

fn differing(a: &Value, b: &Value, sums: bool) -> Vec<Change> {
    let mut out = Vec::new();
    values(a, b, &mut Vec::new(), &mut out, sums);
    out
}

fn push(out: &mut Vec<Change>, at: &[PathStep], what: ChangeKind) {
    out.push(Change {
        at: at.to_vec(),
        what,
    });
}

fn values(a: &Value, b: &Value, at: &mut Vec<PathStep>, out: &mut Vec<Change>, sums: bool) {
    match (a, b) {
        _ if a == b => {}
        (Value::Record(of_a), Value::Record(of_b))
            if of_a.is_empty() || of_a.iter().any(|(key, _)| b.field(key).is_some()) =>
        {
            for (key, old) in of_a {
                at.push(PathStep::Key(key.to_string()));
                match b.field(key) {
                    Some(new) => values(old, new, at, out, sums),
                    None => push(out, at, ChangeKind::Removed(old.clone())),
                }
                at.pop();
            }
            for (key, new) in of_b.iter().filter(|(key, _)| a.field(key).is_none()) {
                at.push(PathStep::Key(key.to_string()));
                push(out, at, ChangeKind::Added(new.clone()));
                at.pop();
            }
        }
        (Value::List(of_a), Value::List(of_b)) => lists(of_a, of_b, at, out, sums),
        _ => push(
            out,
            at,
            ChangeKind::Set {
                old: a.clone(),
                new: b.clone(),
            },
        ),
    }
}

/// Identifies an item of a list, by name if it has one.
fn reference(items: &[Value], names: &[Option<Name>], index: usize, sums: bool) -> ItemRef {
    let name = names.get(index).cloned().flatten();
    let plain = items.get(index).is_some_and(|item| item.text().is_some());
    // Skip the sum if the name identifies the item. Computing sums of everything that contains a
    // change would dominate the run time.
    let was = if sums && (plain || name.as_ref().is_none_or(Name::is_long)) {
        items.get(index).map(Value::sum).unwrap_or_default()
    } else {
        String::new()
    };
    ItemRef {
        index,
        name,
        was,
        plain,
    }
}

fn lists(a: &[Value], b: &[Value], at: &mut Vec<PathStep>, out: &mut Vec<Change>, sums: bool) {
    let partner = pairs::pairs(a, b);
    let names = pairs::names(a);
    let item = |index: usize| reference(a, &names, index, sums);
    let mut likes = Likes {
        items: a,
        same: None,
    };
    let paired: Vec<usize> = partner.iter().flatten().copied().collect();
    let mut stays = pairs::rising(&paired).into_iter();
    let mut is_there = vec![false; a.len()];
    for i in &paired {
        if let Some(there) = is_there.get_mut(*i) {
            *there = true;
        }
    }
    for (i, old) in a
        .iter()
        .enumerate()
        .filter(|(i, _)| is_there.get(*i) == Some(&false))
    {
        at.push(PathStep::Item(item(i)));
        push(out, at, ChangeKind::Removed(old.clone()));
        at.pop();
    }
    let mut after: Option<usize> = None;
    let mut run: Vec<PlacedItem> = Vec::new();
    let place = |out: &mut Vec<Change>,
                 at: &[PathStep],
                 after: Option<usize>,
                 run: &mut Vec<PlacedItem>| {
        if !run.is_empty() {
            let before = after.map_or(0, |i| i + 1);
            let before = (before < a.len()).then(|| item(before));
            push(
                out,
                at,
                ChangeKind::Placed {
                    after: after.map(item),
                    before,
                    items: std::mem::take(run),
                },
            );
        }
    };
    for (j, new) in b.iter().enumerate() {
        match partner.get(j).copied().flatten() {
            Some(i) => {
                if stays.next() == Some(true) {
                    place(out, at, after, &mut run);
                    after = Some(i);
                } else {
                    run.push(PlacedItem::Moved {
                        index: j,
                        from: item(i),
                    });
                }
                if let Some(old) = a.get(i)
                    && old != new
                {
                    at.push(PathStep::Item(item(i)));
                    values(old, new, at, out, sums);
                    at.pop();
                }
            }
            None => run.push(match likes.like(new) {
                Some(i) => {
                    let changes = a
                        .get(i)
                        .map(|old| differing(old, new, sums))
                        .unwrap_or_default();
                    let mut of = item(i);
                    if let (true, true, Some(old)) = (sums, of.was.is_empty(), a.get(i)) {
                        of.was = old.sum();
                    }
                    PlacedItem::Copy {
                        index: j,
                        value: new.clone(),
                        of,
                        changes,
                    }
                }
                None => PlacedItem::New {
                    index: j,
                    value: new.clone(),
                },
            }),
        }
    }
    place(out, at, after, &mut run);
}

/// Maximum number of items to compare a new one with.
const HELD: usize = 2000;
/// Minimum similarity for a new item to count as an edited copy.
const COPIED: u32 = 55;

/// The items that new ones may have been copied from.
struct Likes<'a> {
    items: &'a [Value],
    /// For each content, the first item that has it.
    same: Option<HashMap<&'a Value, usize>>,
}

impl Likes<'_> {
    /// The item that a new one was probably copied from.
    fn like(&mut self, new: &Value) -> Option<usize> {
        let items = self.items;
        // A line of text may be a copy, too. A short name is not worth a reference.
        if new.is_scalar()
            && new
                .text()
                .is_none_or(|text| text.len() < super::delta::SHORTEST)
        {
            return None;
        }
        let same = self.same.get_or_insert_with(|| {
            items
                .iter()
                .enumerate()
                .rev()
                .map(|(i, item)| (item, i))
                .collect()
        });
        if let Some(same) = same.get(new) {
            return Some(*same);
        }
        let small = |value: &Value| match value {
            Value::List(items) => items.len() < 2,
            Value::Record(fields) => {
                fields.len() < 2 && fields.iter().all(|(_, value)| value.is_scalar())
            }
            Value::Text(_) => false,
            _ => true,
        };
        if small(new) {
            return None;
        }
        let alike = |(i, item): (usize, &Value)| {
            Some((pairs::likeness(item, new), std::cmp::Reverse(i)))
                .filter(|(alike, _)| *alike >= COPIED)
        };
        items
            .iter()
            .take(HELD)
            .enumerate()
            .filter_map(alike)
            .max()
            .map(|(_, i)| i.0)
    }
}

/// Formats a path for display: `sequences[SEQ_0].events[3].node`, or `TABLE › SPEED` for a document
/// that contains only lists.
///
/// In such documents names and values alternate. A list is named after its first item, and a value
/// after the name before it.
pub fn spelled(at: &[PathStep]) -> String {
    let is_key = |step: &PathStep| matches!(step, PathStep::Key(_));
    let is_named = |step: &PathStep| matches!(step, PathStep::Item(item) if item.name.is_some());
    let all_lists = !at.iter().any(is_key) && at.iter().any(is_named);
    let mut out = String::new();
    let mut before = None;
    for step in at {
        let text = match step {
            PathStep::Key(key) => key.clone(),
            PathStep::Item(item) => match &item.name {
                Some(name) if all_lists => {
                    let plain = name.text.strip_suffix(':').unwrap_or(&name.text);
                    let is_value = name.text.ends_with(':');
                    let repeats = is_value && name.nth == 0 && before == Some(plain);
                    before = Some(name.text.as_str());
                    if repeats {
                        continue;
                    }
                    format!("{plain}{}", name.turn())
                }
                Some(_) => item.spelled(),
                None => {
                    before = None;
                    item.spelled()
                }
            },
        };
        if !out.is_empty() {
            match (all_lists, step) {
                (true, _) => out.push_str(" › "),
                (false, PathStep::Key(_)) => out.push('.'),
                _ => {}
            }
        }
        out.push_str(&text);
    }
    out
}

impl Name {
    /// ` #2` for the second item of a name; nothing for the first.
    fn turn(&self) -> String {
        match self.nth {
            0 => String::new(),
            nth => format!(" #{}", nth.saturating_add(1)),
        }
    }
}

impl ItemRef {
    /// `[SEQ_0]`, `[SEQ_0 #2]`, `[3]`.
    pub fn spelled(&self) -> String {
        match &self.name {
            Some(name) => format!("[{}{}]", name.text, name.turn()),
            None => format!("[{}]", self.index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(a: &str, b: &str) -> Vec<String> {
        let (a, b) = (Value::parse(a).unwrap(), Value::parse(b).unwrap());
        assert_eq!(compare(&a, &a), []);
        assert_eq!(compare(&a, &b).is_empty(), a == b);
        compare(&a, &b)
            .iter()
            .map(|change| {
                let at = spelled(&change.at);
                match &change.what {
                    ChangeKind::Set { old, new } => {
                        format!("{at}: {} -> {}", old.compact(), new.compact())
                    }
                    ChangeKind::Added(value) => format!("{at}: + {}", value.compact()),
                    ChangeKind::Removed(value) => format!("{at}: - {}", value.compact()),
                    ChangeKind::Placed { after, items, .. } => {
                        let items: Vec<String> = items
                            .iter()
                            .map(|item| match item {
                                PlacedItem::New { value, .. } => value.compact(),
                                PlacedItem::Moved { from, .. } => {
                                    format!("moved {}", from.spelled())
                                }
                                PlacedItem::Copy { of, changes, .. } => {
                                    format!("like {} but {}", of.spelled(), changes.len())
                                }
                            })
                            .collect();
                        format!(
                            "{at} after {}: {}",
                            after.as_ref().map_or("start".into(), ItemRef::spelled),
                            items.join(", ")
                        )
                    }
                }
            })
            .collect()
    }

    #[test]
    fn differences_are_named_by_field() {
        assert_eq!(
            shown(
                r#"{"a":1,"b":{"c":[1,2]}}"#,
                r#"{"b":{"c":[1,3]},"d":true}"#
            ),
            ["a: - 1", "b.c[1]: 2 -> 3", "d: + true"]
        );
        let a = r#"{"l":[{"name":"a","x":1},{"name":"b","x":2},{"name":"c","x":[]}]}"#;
        assert_eq!(
            shown(
                a,
                r#"{"l":[{"name":"c","x":[]},{"name":"a","x":5},{"other":7}]}"#
            ),
            [
                "l[b]: - {\"name\":\"b\",\"x\":2}",
                "l after start: moved [c]",
                "l[a].x: 1 -> 5",
                "l after [a]: {\"other\":7}",
            ]
        );
        // An item at the same place with the same fields was renamed.
        assert_eq!(
            shown(
                a,
                r#"{"l":[{"name":"a","x":1},{"name":"d","x":2},{"name":"c","x":[]}]}"#
            ),
            ["l[b].name: \"b\" -> \"d\""]
        );
        let a = r#"{"e":[{"S":{"n":"x","s":false,"t":[1,2,3]}},{"R":{}}]}"#;
        assert_eq!(
            shown(
                a,
                r#"{"e":[{"S":{"n":"x","s":false,"t":[1,2,3]}},{"R":{}},{"S":{"n":"x","s":true,"t":[1,2,3]}}]}"#
            ),
            ["e after [1]: like [0] but 1"]
        );
        assert_eq!(shown("[1]", "{\"a\":1}"), [": [1] -> {\"a\":1}"]);
        assert_eq!(
            shown(r#"{"A":{"x":1}}"#, r#"{"B":{"x":1}}"#),
            [": {\"A\":{\"x\":1}} -> {\"B\":{\"x\":1}}"]
        );
    }
}
