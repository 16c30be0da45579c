//! Pairs the items of two lists: by name, then by content, then by likeness, but not by position.

use super::value::Value;
use refit_base::wire::{Items, Within};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};

/// Fields that contain an item's name, in order of preference.
const NAMES: &[&str] = &["name", "id", "file", "path", "title", "key"];

/// The name of a list item, if it has one. `before` is the item before it.
///
/// Reader files are lists in which names and values alternate: a value is named after the name
/// before it, with a colon.
fn name_of(item: &Value, before: Option<&Value>) -> Option<String> {
    let word = |value: &Value| match value {
        Value::Text(text) if !text.is_empty() => Some(text.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let after = || {
        before
            .and_then(Value::text)
            .filter(|name| !name.is_empty())
            .map(|name| format!("{name}:"))
    };
    match item {
        Value::Record(_) => NAMES
            .iter()
            .find_map(|name| item.field(name).map(called))
            .and_then(|value| word(&value)),
        Value::List(items) => match items.first() {
            Some(Value::Text(first)) if !first.is_empty() => Some(first.to_string()),
            _ => after(),
        },
        Value::Text(text) if !text.is_empty() && text.len() <= 64 => Some(text.to_string()),
        Value::Number(_) | Value::Bool(_) => after(),
        _ => None,
    }
}

/// A name may be a structure that contains the text.
fn called(value: &Value) -> Value {
    value
        .field("text")
        .or_else(|| value.field("name"))
        .unwrap_or(value)
        .clone()
}

/// An item's name within its list.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// How many earlier items have the same name.
    pub nth: usize,
}

impl Name {
    /// True for a text that is too long for a name. Mods identify such an item by its hash.
    pub fn is_long(&self) -> bool {
        self.text.len() > 48
    }
}

/// The names of the items of a list.
pub fn names(items: &[Value]) -> Vec<Option<Name>> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut before = None;
    items
        .iter()
        .map(|item| {
            let text = name_of(item, before);
            before = Some(item);
            text.map(|text| {
                let nth = seen.entry(text.clone()).or_default();
                *nth += 1;
                Name {
                    text,
                    nth: *nth - 1,
                }
            })
        })
        .collect()
}

/// A path within a part, for people: in a config, its classes and the property, as in
/// `CfgVehicles › Lab_Hut › model`. All other paths are returned unchanged, as are paths in
/// documents, whose parts end in `.json`.
pub fn readable<'a>(part: &str, at: &'a str) -> Cow<'a, str> {
    match at.strip_prefix("entries") {
        Some(rest) if !part.ends_with(".json") => of_config(rest).map_or(at.into(), Cow::Owned),
        _ => at.into(),
    }
}

/// `[CfgVehicles].entries[Lab_Hut].entries[model].value` as classes and property.
fn of_config(mut rest: &str) -> Option<String> {
    let mut names = Vec::new();
    loop {
        let (name, behind) = match rest.strip_prefix('[') {
            Some(open) => open.split_once(']')?,
            // The entries of the file, or of the class before.
            None => {
                return (rest.is_empty() && !names.is_empty()).then(|| names.join(" › "));
            }
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_ #".contains(&byte);
        if !name.bytes().all(is_name) || name.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        names.push(name);
        rest = match behind.strip_prefix(".entries") {
            Some(deeper) => deeper,
            None if behind.is_empty() => "",
            None => {
                let item = behind
                    .strip_prefix(".value")
                    .or_else(|| behind.strip_prefix(".array"))?;
                let is_item = item.is_empty() || item.starts_with('[');
                return is_item.then(|| format!("{}{item}", names.join(" › ")));
            }
        };
    }
}

fn key(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Similarity of two items, from 0 (nothing in common) to 100 (nearly equal).
pub fn likeness(a: &Value, b: &Value) -> u32 {
    fn leaves(value: &Value, path: u64, depth: usize, out: &mut Vec<u64>) {
        let below = |step: u64| path.wrapping_mul(0x0100_0000_01b3) ^ step;
        match value {
            _ if out.len() > 400 => {}
            Value::Record(fields) if depth < 6 => {
                fields.iter().for_each(|(name, value)| {
                    leaves(
                        value,
                        below(key(&Value::Text(name.clone()))),
                        depth + 1,
                        out,
                    )
                });
            }
            Value::List(items) if depth < 6 => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(i, value)| leaves(value, below(i as u64 + 1), depth + 1, out));
            }
            _ => out.push(below(key(value))),
        }
    }
    if !a.is_like(b) {
        return 0;
    }
    if let (Value::Text(a), Value::Text(b)) = (a, b) {
        let (a, b) = (a.as_bytes(), b.as_bytes());
        let before = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let behind = a
            .iter()
            .rev()
            .zip(b.iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        let shorter = a.len().min(b.len());
        return 10 + (80 * (before + behind).min(shorter) / a.len().max(b.len()).max(1)) as u32;
    }
    if a.is_scalar() {
        return 10;
    }
    let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
    leaves(a, 0, 0, &mut of_a);
    leaves(b, 0, 0, &mut of_b);
    let most = of_a.len().max(of_b.len());
    let shape = match (a, b) {
        // The kind of an event is its only key.
        (Value::Record(a), Value::Record(b)) => {
            let shared = a
                .iter()
                .filter(|(name, _)| b.iter().any(|(other, _)| name == other))
                .count();
            if shared == 0 {
                return 0;
            }
            30 * shared / a.len().max(b.len()).max(1)
        }
        _ => 10,
    };
    let of_a: HashSet<u64> = of_a.into_iter().collect();
    let same = of_b.iter().filter(|leaf| of_a.contains(leaf)).count();
    (shape + 60 * same / most.max(1)) as u32 + 1
}

/// Pairs two lists: for each item of `b`, its partner in `a`.
pub fn pairs(a: &[Value], b: &[Value]) -> Vec<Option<usize>> {
    let mut partner: Vec<Option<usize>> = vec![None; b.len()];
    // Lists of numbers (points, colours, bytes) have no names: pair by position.
    if a.len() == b.len()
        && a.iter()
            .chain(b)
            .all(|item| matches!(item, Value::Number(_) | Value::Bool(_) | Value::Null))
    {
        return (0..a.len()).map(Some).collect();
    }
    let mut taken = vec![false; a.len()];
    let pair = |partner: &mut Vec<Option<usize>>, taken: &mut Vec<bool>, i: usize, j: usize| {
        if let (Some(slot @ None), Some(free @ false)) = (partner.get_mut(j), taken.get_mut(i)) {
            (*slot, *free) = (Some(i), true);
        }
    };
    // By name, if it is unique on each side.
    let (names_a, names_b) = (names(a), names(b));
    let alone = |names: &[Option<Name>]| {
        let mut count: HashMap<String, (usize, usize)> = HashMap::new();
        for (i, name) in names.iter().enumerate() {
            if let Some(name) = name {
                let entry = count.entry(name.text.clone()).or_insert((i, 0));
                entry.1 += 1;
            }
        }
        count
    };
    let (alone_a, alone_b) = (alone(&names_a), alone(&names_b));
    for (name, (i, many)) in &alone_a {
        if let (1, Some((j, 1))) = (many, alone_b.get(name)) {
            pair(&mut partner, &mut taken, *i, *j);
        }
    }
    // By content, in the same order.
    let (keys_a, keys_b): (Vec<u64>, Vec<u64>) =
        (a.iter().map(key).collect(), b.iter().map(key).collect());
    for (i, j) in in_order(&keys_a, &keys_b) {
        pair(&mut partner, &mut taken, i, j);
    }
    // By content, in any order.
    let mut free: HashMap<u64, Vec<usize>> = HashMap::new();
    for (i, key) in keys_a.iter().enumerate().rev() {
        if taken.get(i) == Some(&false) {
            free.entry(*key).or_default().push(i);
        }
    }
    for (j, key) in keys_b.iter().enumerate() {
        if partner.get(j) == Some(&None)
            && let Some(i) = free.get_mut(key).and_then(Vec::pop)
        {
            pair(&mut partner, &mut taken, i, j);
        }
    }
    // By a repeated name, in order.
    let mut free: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, name) in names_a.iter().enumerate().rev() {
        if let (Some(name), Some(false)) = (name, taken.get(i)) {
            free.entry(&name.text).or_default().push(i);
        }
    }
    for (j, name) in names_b.iter().enumerate() {
        if let (Some(name), Some(None)) = (name, partner.get(j))
            && let Some(i) = free.get_mut(name.text.as_str()).and_then(Vec::pop)
        {
            pair(&mut partner, &mut taken, i, j);
        }
    }
    alike(a, b, &mut partner, &mut taken);
    partner
}

/// Maximum number of steps of the exact search for a common subsequence.
const STEPS: usize = 4_000_000;

/// A common subsequence of two lists, as pairs of positions.
fn in_order(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let before = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let rest = a.len().min(b.len()) - before;
    let behind = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    let mut out: Vec<(usize, usize)> = (0..before).map(|k| (k, k)).collect();
    // Items that only one list has cannot be common.
    let middle = |keys: &[u64], others: &[u64]| -> Vec<(usize, u64)> {
        let others: HashSet<u64> = others
            .within(before..others.len() - behind)
            .iter()
            .copied()
            .collect();
        let own = keys
            .iter()
            .copied()
            .enumerate()
            .take(keys.len() - behind)
            .skip(before);
        own.filter(|(_, key)| others.contains(key)).collect()
    };
    let (mid_a, mid_b) = (middle(a, b), middle(b, a));
    let keys =
        |middle: &[(usize, u64)]| -> Vec<u64> { middle.iter().map(|(_, key)| *key).collect() };
    let at = |i: usize, j: usize| Some((mid_a.get(i)?.0, mid_b.get(j)?.0));
    if mid_a.len().saturating_mul(mid_b.len()) <= STEPS {
        for op in capture_diff_slices(Algorithm::Myers, &keys(&mid_a), &keys(&mid_b)) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
            {
                out.extend((0..len).filter_map(|k| at(old_index + k, new_index + k)));
            }
        }
    } else {
        // Too long for the exact search: the longest increasing sequence of the items that are
        // unique in both.
        let once = |middle: &[(usize, u64)]| -> HashMap<u64, Option<usize>> {
            let mut out = HashMap::new();
            middle.iter().for_each(|(i, key)| {
                _ = out
                    .entry(*key)
                    .and_modify(|at| *at = None)
                    .or_insert(Some(*i))
            });
            out
        };
        let (once_a, once_b) = (once(&mid_a), once(&mid_b));
        let alone = |(j, key): &(usize, u64)| {
            Some((
                once_a.get(key).copied().flatten()?,
                once_b.get(key).copied().flatten().map(|_| *j)?,
            ))
        };
        let found: Vec<(usize, usize)> = mid_b.iter().filter_map(alone).collect();
        let stays = rising(&found.iter().map(|(i, _)| *i).collect::<Vec<_>>());
        out.extend(
            found
                .into_iter()
                .zip(stays)
                .filter_map(|(pair, stays)| stays.then_some(pair)),
        );
    }
    out.extend(
        (0..behind)
            .rev()
            .map(|k| (a.len() - 1 - k, b.len() - 1 - k)),
    );
    out
}

/// Maximum number of items in a gap to compare with each other.
const GAP: usize = 60;

/// Pairs the remaining items between two paired neighbours: an edited or renamed item is still at
/// its place.
fn alike(a: &[Value], b: &[Value], partner: &mut [Option<usize>], taken: &mut [bool]) {
    let mut at = 0;
    let mut from = 0;
    while at < b.len() {
        if let Some(Some(i)) = partner.get(at) {
            from = i + 1;
            at += 1;
            continue;
        }
        let begin = at;
        while partner.get(at) == Some(&None) {
            at += 1;
        }
        let open: Vec<usize> = (from..a.len())
            .take_while(|i| taken.get(*i) == Some(&false))
            .collect();
        let news: Vec<usize> = (begin..at).collect();
        let mut found = Vec::new();
        if open.len() == news.len() || open.len() > GAP || news.len() > GAP {
            for (i, j) in open.iter().zip(&news) {
                if let (Some(x), Some(y)) = (a.get(*i), b.get(*j))
                    && likeness(x, y) > 0
                {
                    found.push((*i, *j));
                }
            }
        } else {
            found = best(a, b, &open, &news);
        }
        for (i, j) in found {
            if let (Some(slot), Some(free)) = (partner.get_mut(j), taken.get_mut(i)) {
                (*slot, *free) = (Some(i), true);
            }
        }
    }
}

/// The pairs, in order, with the highest total likeness.
fn best(a: &[Value], b: &[Value], open: &[usize], news: &[usize]) -> Vec<(usize, usize)> {
    let (n, m) = (open.len(), news.len());
    let alike: Vec<Vec<u32>> = open
        .iter()
        .map(|i| {
            news.iter()
                .map(|j| {
                    a.get(*i)
                        .zip(b.get(*j))
                        .map_or(0, |(x, y)| likeness(x, y).saturating_sub(20))
                })
                .collect()
        })
        .collect();
    let of = |i: usize, j: usize| {
        alike
            .get(i)
            .and_then(|row| row.get(j))
            .copied()
            .unwrap_or(0)
    };
    let mut sum = vec![vec![0u32; m + 1]; n + 1];
    let at = |sum: &Vec<Vec<u32>>, i: usize, j: usize| {
        sum.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0)
    };
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let with = if of(i, j) > 0 {
                of(i, j) + at(&sum, i + 1, j + 1)
            } else {
                0
            };
            let most = with.max(at(&sum, i + 1, j)).max(at(&sum, i, j + 1));
            if let Some(cell) = sum.get_mut(i).and_then(|row| row.get_mut(j)) {
                *cell = most;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    while i < n && j < m {
        let here = at(&sum, i, j);
        if of(i, j) > 0 && here == of(i, j) + at(&sum, i + 1, j + 1) {
            if let (Some(x), Some(y)) = (open.get(i), news.get(j)) {
                out.push((*x, *y));
            }
            (i, j) = (i + 1, j + 1);
        } else if here == at(&sum, i + 1, j) {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

/// Marks the positions that stay: the longest increasing subsequence. The other items were moved.
pub fn rising(positions: &[usize]) -> Vec<bool> {
    // For each length, the last item of the best run; for each item, its predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(positions.len());
    let value = |i: &usize| positions.item(*i);
    for (i, position) in positions.iter().enumerate() {
        let length = ends.partition_point(|end| value(end) < *position);
        before.push(
            length
                .checked_sub(1)
                .and_then(|last| ends.get(last).copied()),
        );
        match ends.get_mut(length) {
            Some(end) => *end = i,
            None => ends.push(i),
        }
    }
    let mut stays = vec![false; positions.len()];
    let mut at = ends.last().copied();
    while let Some(i) = at {
        if let Some(stay) = stays.get_mut(i) {
            *stay = true;
        }
        at = before.get(i).copied().flatten();
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<Value> {
        match Value::parse(text) {
            Some(Value::List(items)) => items,
            other => panic!("{other:?}"),
        }
    }

    fn paired(a: &str, b: &str) -> Vec<Option<usize>> {
        pairs(&list(a), &list(b))
    }

    #[test]
    fn a_path_in_a_config_is_shown_by_its_classes() {
        let hut = "entries[CfgVehicles].entries[Lab_Hut]";
        for (at, shown) in [
            (
                format!("{hut}.entries[model].value"),
                "CfgVehicles › Lab_Hut › model",
            ),
            (
                format!("{hut}.entries[parts].array[1]"),
                "CfgVehicles › Lab_Hut › parts[1]",
            ),
            (format!("{hut}.entries"), "CfgVehicles › Lab_Hut"),
            ("entries[a #2]".into(), "a #2"),
            // Not the path of a class or of a property.
            (
                format!("{hut}.class"),
                "entries[CfgVehicles].entries[Lab_Hut].class",
            ),
            ("entries[3].file".into(), "entries[3].file"),
            ("entries".into(), "entries"),
            ("entries[a].valued".into(), "entries[a].valued"),
            ("entries[a".into(), "entries[a"),
            ("[12]".into(), "[12]"),
        ] {
            assert_eq!(readable("files/config.cpp", &at), shown);
            assert_eq!(readable("refit.json", &at), at);
        }
    }

    #[test]
    fn items_are_the_same_by_name_content_and_likeness() {
        // Renamed in place, moved, added.
        let a = r#"[{"name":"a","x":1},{"name":"b","x":2,"y":3},{"name":"c"}]"#;
        assert_eq!(
            paired(
                a,
                r#"[{"name":"c"},{"name":"a","x":9},{"name":"new"},{"name":"b","x":2,"y":3}]"#
            ),
            [Some(2), Some(0), None, Some(1)]
        );
        assert_eq!(
            paired(
                a,
                r#"[{"name":"a","x":1},{"name":"bb","x":2,"y":3},{"name":"c"}]"#
            ),
            [Some(0), Some(1), Some(2)]
        );
        // Events have no names: equal ones pair in order, and an edited one pairs with the one at
        // its place.
        let a = r#"[{"S":{"n":1}},{"T":{"n":1}},{"S":{"n":1}},{"S":{"n":2}}]"#;
        assert_eq!(
            paired(
                a,
                r#"[{"S":{"n":1}},{"T":{"n":7}},{"S":{"n":1}},{"S":{"n":2}}]"#
            ),
            [Some(0), Some(1), Some(2), Some(3)]
        );
        assert_eq!(
            paired(a, r#"[{"S":{"n":1}},{"S":{"n":1}},{"S":{"n":2}}]"#),
            [Some(0), Some(2), Some(3)]
        );
        // Names and values of reader files.
        let a = r#"["KEYS",[[1],[2]],"AXES",[[3]],"SPEED",4]"#;
        assert_eq!(
            paired(a, r#"["SPEED",5,"KEYS",[[1],[9]],"AXES",[[3]]]"#),
            [Some(4), Some(5), Some(0), Some(1), Some(2), Some(3)]
        );
        // Numbers pair by position.
        assert_eq!(paired("[1,2,3]", "[3,1,2]"), [Some(0), Some(1), Some(2)]);
        assert_eq!(paired("[1,2,3]", "[1,3]"), [Some(0), Some(2)]);
    }

    #[test]
    fn ascending_pairs_are_kept() {
        assert_eq!(rising(&[0, 1, 2]), [true; 3]);
        assert_eq!(rising(&[3, 0, 1, 2]), [false, true, true, true]);
        assert_eq!(rising(&[1, 2, 3, 0]), [true, true, true, false]);
        assert_eq!(rising(&[]), [false; 0]);
    }
}
