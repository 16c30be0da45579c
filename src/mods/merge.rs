//! Merges the changes of several mods to one document. Changes to different values merge; changes
//! to the same value are a conflict.
//!
//! Each mod's changes are located in the original, never in another mod's result. So the order of
//! the mods matters only for conflicts.

use super::{
    changes::{changes, texts_of},
    conflict::{Conflict, Prefer, Unplaced, Wish},
    content::{sum, weight},
    format::{Item, StoredChange, StoredStep},
};
use refit_diff::{CompactString, ItemRef, PathStep, Pos, Value, delta, pairs};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Receives a conflict: the place, the earlier mod's change, and the later mod's.
type Clashes<'a> = dyn FnMut(&mut Lists, &str, Wish, String) + 'a;

/// The mod whose items are placed into a list, and the list in the original.
struct Placing<'a> {
    base: Option<&'a Value>,
    by: usize,
    prefer: Prefer,
    lists: &'a mut Lists,
    clash: &'a mut Clashes<'a>,
}

impl Placing<'_> {
    /// Reports a conflict with the earlier mod's change. True if this mod wins.
    fn wins(&mut self, at: &str, earlier: Wish, wants: String) -> bool {
        (self.clash)(self.lists, at, earlier, wants);
        self.prefer == Prefer::Last
    }
}

/// A change located in the original.
#[derive(Clone, PartialEq, Debug)]
pub struct Edit {
    at: Vec<Pos>,
    op: Op,
}

#[derive(Clone, PartialEq, Debug)]
enum Op {
    Set(Value),
    Gone,
    Place { gap: usize, items: Vec<PlacedValue> },
}

#[derive(Clone, PartialEq, Debug)]
enum PlacedValue {
    New(Value),
    Moved(usize),
}

/// Merges the changes that `a` and `b` make to one document, `base`. Fails with the values that
/// both change in different ways, or with one conflict over the whole document if their changes cannot be
/// described exactly.
pub fn merged(base: &Value, a: &Value, b: &Value) -> Result<Value, Vec<Conflict>> {
    let both = || {
        let [of_a, of_b] = [Wish::new(0, a.compact()), Wish::new(1, b.compact())];
        vec![Conflict::new(of_a, of_b, Prefer::None)]
    };
    if base == a || a == b {
        return Ok(b.clone());
    }
    if base == b {
        return Ok(a.clone());
    }
    let room = delta::Room::of(
        weight(base)
            .saturating_add(weight(a))
            .saturating_add(weight(b)),
    );
    let (mut lists, mut all, mut conflicts) = (Lists::default(), Merged::default(), Vec::new());
    for (by, side) in [a, b].into_iter().enumerate() {
        let (edits, missed) = resolve(base, &changes(base, side), &mut lists, &room);
        let mut alone = Merged::default();
        for edit in &edits {
            alone.add(base, edit.clone(), by, Prefer::Last, &mut lists);
        }
        // The order of fields has no meaning.
        if !missed.is_empty() || !refit_diff::compare(&alone.made(base.clone()), side).is_empty() {
            return Err(both());
        }
        for edit in edits {
            conflicts.extend(all.add(base, edit, by, Prefer::None, &mut lists));
        }
    }
    match conflicts.is_empty() {
        true => Ok(all.made(base.clone())),
        false => Err(conflicts),
    }
}

/// A stored step, for display.
fn step(place: &StoredStep) -> PathStep {
    let position = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    match place {
        StoredStep::Key(key) => PathStep::Key(key.clone()),
        StoredStep::Named(name, nth) => PathStep::Item(ItemRef {
            name: Some(pairs::Name {
                text: name.clone(),
                nth: position(*nth),
            }),
            ..ItemRef::default()
        }),
        StoredStep::At(at, _) => PathStep::Item(ItemRef {
            index: position(*at),
            ..ItemRef::default()
        }),
    }
}

/// Formats a path for display.
pub fn spelled(at: &[StoredStep]) -> String {
    refit_diff::spelled(&at.iter().map(step).collect::<Vec<_>>())
}

/// Formats an item's place for display.
pub(super) fn spelled_item(place: &StoredStep) -> String {
    match step(place) {
        PathStep::Key(key) => key,
        PathStep::Item(item) => item.spelled(),
    }
}

/// Indices of the original's lists, each built when the first change in the list is located.
#[derive(Default)]
pub struct Lists(HashMap<(usize, usize), List>);

/// Lookup of a list's items by name and by content.
#[derive(Default)]
struct List {
    names: Vec<Option<pairs::Name>>,
    named: HashMap<pairs::Name, usize>,
    sums: Option<HashMap<String, Vec<usize>>>,
    titles: Option<HashSet<String>>,
    texts: Option<HashSet<String>>,
}

impl Lists {
    /// The index of a list, identified by the address of its items. The original must outlive
    /// `self`.
    fn of(&mut self, items: &[Value]) -> &mut List {
        self.0
            .entry((items.as_ptr() as usize, items.len()))
            .or_insert_with(|| {
                let names = pairs::names(items);
                let mut named = HashMap::new();
                for (i, name) in names.iter().enumerate() {
                    if let Some(name) = name {
                        named.entry(name.clone()).or_insert(i);
                    }
                }
                List {
                    names,
                    named,
                    ..List::default()
                }
            })
    }

    /// The position of an item.
    fn find(&mut self, items: &[Value], place: &StoredStep) -> Result<usize, String> {
        match place {
            StoredStep::Key(_) => Err("a field name, but the value is a list".into()),
            StoredStep::Named(name, nth) => {
                let name = pairs::Name {
                    text: name.clone(),
                    nth: usize::try_from(*nth).unwrap_or(usize::MAX),
                };
                self.of(items)
                    .named
                    .get(&name)
                    .copied()
                    .ok_or_else(|| format!("there is no {}", spelled_item(place)))
            }
            StoredStep::At(at, sum) => {
                let at = usize::try_from(*at).unwrap_or(usize::MAX);
                if items.get(at).is_some_and(|item| item.sum() == *sum) {
                    return Ok(at);
                }
                // In another edition of the game's file the item may be elsewhere: use the nearest
                // equal one.
                let sums = self.of(items).sums.get_or_insert_with(|| {
                    let mut sums: HashMap<String, Vec<usize>> = HashMap::new();
                    items
                        .iter()
                        .enumerate()
                        .for_each(|(i, item)| sums.entry(item.sum()).or_default().push(i));
                    sums
                });
                let same = sums.get(sum).map(Vec::as_slice).unwrap_or_default();
                let behind = same.partition_point(|i| *i < at);
                let near = [behind.checked_sub(1), Some(behind)]
                    .into_iter()
                    .flatten()
                    .filter_map(|i| same.get(i).copied());
                near.min_by_key(|i| (i.abs_diff(at), *i))
                    .ok_or_else(|| "every item there has changed".to_owned())
            }
        }
    }

    /// True if an item of the list has this name by itself, without the item before it.
    fn has_title(&mut self, base: Option<&Value>, name: &str) -> bool {
        let Some(Value::List(items)) = base else {
            return false;
        };
        self.of(items)
            .titles
            .get_or_insert_with(|| items.iter().filter_map(title).collect())
            .contains(name)
    }

    /// True if the list contains this text as an item.
    fn has_text(&mut self, base: Option<&Value>, text: &str) -> bool {
        let Some(Value::List(items)) = base else {
            return false;
        };
        let texts = || {
            items
                .iter()
                .filter_map(|item| item.text().map(str::to_owned))
                .collect()
        };
        self.of(items)
            .texts
            .get_or_insert_with(texts)
            .contains(text)
    }

    /// Formats a path in the original for display.
    fn spelled(&mut self, base: &Value, at: &[Pos]) -> String {
        let mut steps = Vec::new();
        let mut here = Some(base);
        for pos in at {
            match (pos, here) {
                (Pos::Key(key), value) => {
                    steps.push(PathStep::Key(key.clone()));
                    here = value.and_then(|value| value.field(key));
                }
                (Pos::Index(index), Some(Value::List(items))) => {
                    // If an item is a text, its name is the whole text, too long for a path: show
                    // its position instead.
                    let plain = items.get(*index).is_some_and(|item| item.text().is_some());
                    let name = self
                        .of(items)
                        .names
                        .get(*index)
                        .cloned()
                        .flatten()
                        .filter(|_| !plain);
                    steps.push(PathStep::Item(ItemRef {
                        index: *index,
                        name,
                        ..ItemRef::default()
                    }));
                    here = items.get(*index);
                }
                (Pos::Index(index), _) => steps.push(PathStep::Item(ItemRef {
                    index: *index,
                    ..ItemRef::default()
                })),
            }
        }
        refit_diff::spelled(&steps)
    }
}

/// Follows a path in the original. The last step may be a missing field.
pub(super) fn follow<'a>(
    base: &'a Value,
    at: &[StoredStep],
    lists: &mut Lists,
) -> Result<(Vec<Pos>, Option<&'a Value>), String> {
    let mut here = Some(base);
    let mut out = Vec::new();
    for place in at {
        let Some(value) = here else {
            return Err("there is no such field".into());
        };
        match (value, place) {
            (Value::Record(_), StoredStep::Key(key)) => {
                here = value.field(key);
                out.push(Pos::Key(key.clone()));
            }
            (Value::List(items), StoredStep::Named(..) | StoredStep::At(..)) => {
                let index = lists.find(items, place)?;
                here = items.get(index);
                out.push(Pos::Index(index));
            }
            _ => return Err(format!("{} is missing", spelled_item(place))),
        }
    }
    Ok((out, here))
}

/// Locates the changes of one mod in the original.
pub fn resolve(
    base: &Value,
    entries: &[StoredChange],
    lists: &mut Lists,
    room: &delta::Room,
) -> (Vec<Edit>, Vec<Unplaced>) {
    let (mut edits, mut missed) = (Vec::new(), Vec::new());
    let mut texts = None;
    for entry in entries {
        match one(base, entry, lists, &mut texts, room) {
            Ok(edit) => edits.push(edit),
            Err(why) => missed.push(Unplaced::new(spelled(&entry.at), why)),
        }
    }
    (edits, missed)
}

/// The reason for a value whose pieces are not resolved yet.
const UNMADE: &str = "it contains pieces of documents that are not available here";

/// Locates one change. `all` caches the document's texts and their checksum.
fn one(
    base: &Value,
    entry: &StoredChange,
    lists: &mut Lists,
    all: &mut Option<(String, String)>,
    room: &delta::Room,
) -> Result<Edit, String> {
    let (at, here) = follow(base, &entry.at, lists)?;
    if !entry.place.is_empty() {
        let Some(Value::List(items)) = here else {
            return Err("there is no list".into());
        };
        let gap = match (&entry.after, &entry.before) {
            // No item before them: they are the first of the list, regardless of the position of
            // `before`.
            (None, _) => 0,
            (Some(after), before) => {
                match (
                    lists.find(items, after),
                    before.as_ref().map(|before| lists.find(items, before)),
                ) {
                    (Ok(i), _) => i + 1,
                    (Err(_), Some(Ok(i))) => i,
                    (Err(why), _) => return Err(why),
                }
            }
        };
        let mut made = |item: &Item| -> Result<PlacedValue, String> {
            Ok(match item {
                Item::New(value) => PlacedValue::New(value.clone()),
                Item::Made(_) => return Err(UNMADE.into()),
                Item::Move(place) => PlacedValue::Moved(lists.find(items, place)?),
                Item::Copy { of, was, changes } => {
                    let original = items.get(lists.find(items, of)?).ok_or("it is gone")?;
                    if original.sum() != *was {
                        return Err(format!(
                            "it is a copy of {}, which has changed",
                            spelled_item(of)
                        ));
                    }
                    room.take(weight(original))?;
                    let (edits, missed) = resolve(original, changes, lists, room);
                    if let Some(missed) = missed.first() {
                        return Err(missed.why.clone());
                    }
                    let mut merged = Merged::default();
                    edits
                        .into_iter()
                        .for_each(|edit| _ = merged.add(original, edit, 0, Prefer::Last, lists));
                    PlacedValue::New(merged.made(original.clone()))
                }
            })
        };
        let items = entry
            .place
            .iter()
            .map(&mut made)
            .collect::<Result<Vec<_>, _>>()?;
        return Ok(Edit {
            at,
            op: Op::Place { gap, items },
        });
    }
    match (&entry.was, here) {
        (None, Some(value)) if entry.to.as_ref() != Some(value) => {
            return Err("the field already exists".into());
        }
        (Some(_), None) => return Err("it is missing".into()),
        (Some(was), Some(value)) if value.sum() != *was => return Err("it has changed".into()),
        _ => {}
    }
    let op = match (&entry.to, entry.gone, here) {
        (None, ..) if entry.made.is_some() => return Err(UNMADE.into()),
        (_, true, _) => Op::Gone,
        (Some(value), ..) => Op::Set(value.clone()),
        (None, false, Some(Value::Text(old))) if !entry.text.is_empty() => {
            let all = match &entry.texts {
                None => "",
                Some(sum_of_all) => {
                    let (all, is) = all.get_or_insert_with(|| {
                        let all = texts_of(base);
                        let is = sum(all.as_bytes());
                        (all, is)
                    });
                    if is != sum_of_all {
                        return Err("it contains pieces of other texts, which have changed".into());
                    }
                    all.as_str()
                }
            };
            Op::Set(Value::Text(
                delta::text(&[old, all], &entry.text, room)?.into(),
            ))
        }
        _ => return Err("the change is empty".into()),
    };
    Ok(Edit { at, op })
}

/// All changes of one value and of the values inside it.
#[derive(Default, Debug)]
pub struct Merged {
    inside: BTreeMap<Pos, Merged>,
    set: Option<(Value, usize)>,
    gone: Option<usize>,
    moved: Option<(usize, usize)>,
    placed: BTreeMap<usize, Vec<Run>>,
    /// Mods that add an item of this name, including additions that lost a conflict.
    titled: HashMap<String, BTreeSet<usize>>,
    /// Mods that add this key, including additions that lost a conflict.
    keyed: HashMap<String, BTreeSet<usize>>,
}

#[derive(Debug)]
struct Run {
    by: usize,
    items: Vec<PlacedValue>,
}

impl Run {
    /// Sort key for the runs of several mods at one place, so that the order of the mods does not
    /// matter.
    fn order(&self) -> String {
        self.items
            .iter()
            .map(PlacedValue::shown)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

impl PlacedValue {
    fn shown(&self) -> String {
        match self {
            PlacedValue::New(value) => value.compact(),
            PlacedValue::Moved(index) => format!("the item at {index}, moved"),
        }
    }
}

/// The keys and values among added items: in reader files, names and values alternate.
fn keyed(items: &[PlacedValue]) -> impl Iterator<Item = (usize, &str, &Value)> {
    items
        .windows(2)
        .enumerate()
        .filter_map(|(at, pair)| match pair {
            [PlacedValue::New(Value::Text(key)), PlacedValue::New(value)]
                if value.text().is_none() && !key.is_empty() =>
            {
                Some((at, key.as_str(), value))
            }
            _ => None,
        })
}

/// Removes a key and its value.
fn take_key(items: &mut Vec<PlacedValue>, key: &str) {
    loop {
        let at = keyed(items)
            .find(|(_, other, _)| *other == key)
            .map(|(at, ..)| at);
        let Some(at) = at else { return };
        items.drain(at..at + 2);
    }
}

/// The name of an item.
pub(super) fn title(value: &Value) -> Option<String> {
    let is_group = matches!(value, Value::Record(_) | Value::List(_));
    let names = is_group.then(|| pairs::names(std::slice::from_ref(value)));
    names?.pop().flatten().map(|name| name.text)
}

impl Merged {
    /// True if nothing changes.
    pub fn is_empty(&self) -> bool {
        self.inside.is_empty()
            && self.set.is_none()
            && self.gone.is_none()
            && self.moved.is_none()
            && self.placed.is_empty()
    }

    /// What another mod puts in the place of this value.
    fn whole(&self, by: usize) -> Option<Wish> {
        let set = self.set.as_ref().filter(|(_, other)| *other != by);
        let gone = self.gone.filter(|other| *other != by);
        set.map(|(value, other)| Wish::new(*other, value.compact()))
            .or(gone.map(|other| Wish::new(other, "removed")))
    }

    /// A change of another mod to this value or to something inside it.
    fn other(&self, by: usize) -> Option<Wish> {
        if let Some(whole) = self.whole(by) {
            return Some(whole);
        }
        if let Some((_, other)) = self.moved.filter(|(_, other)| *other != by) {
            return Some(Wish::new(other, "moved"));
        }
        if let Some(run) = self.placed.values().flatten().find(|run| run.by != by) {
            return Some(Wish::new(run.by, format!("adds {}", run.order())));
        }
        self.inside.values().find_map(|inside| inside.other(by))
    }

    /// Drops the changes of all other mods.
    fn only(&mut self, by: usize) {
        self.set.take_if(|(_, other)| *other != by);
        self.gone.take_if(|other| *other != by);
        self.moved.take_if(|(_, other)| *other != by);
        self.placed
            .values_mut()
            .for_each(|runs| runs.retain(|run| run.by == by));
        self.placed.retain(|_, runs| !runs.is_empty());
        self.inside.values_mut().for_each(|inside| inside.only(by));
    }

    /// Adds a change of a mod and returns its conflicts. `prefer` decides them; with `Prefer::None`
    /// the earlier change stays.
    pub fn add(
        &mut self,
        base: &Value,
        edit: Edit,
        by: usize,
        prefer: Prefer,
        lists: &mut Lists,
    ) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        let Edit { at, op } = edit;
        // Format paths and changes only for conflicts, which are rare.
        let wants = |op: &Op| match op {
            Op::Set(value) => value.compact(),
            Op::Gone => "removed".to_owned(),
            Op::Place { items, .. } => items
                .iter()
                .map(PlacedValue::shown)
                .collect::<Vec<_>>()
                .join(", "),
        };
        let mut clash = |lists: &mut Lists, below: &str, other: Wish, wants: String| {
            let place = format!("{}{below}", lists.spelled(base, &at));
            conflicts.push(Conflict::new(other, Wish::new(by, wants), prefer).at(place));
        };
        let mut node = &mut *self;
        for pos in &at {
            // Another mod replaced or removed a value around this place, so this change cannot be
            // applied.
            if let Some(other) = node.whole(by) {
                clash(lists, "", other, wants(&op));
                match prefer {
                    Prefer::Last => (node.set, node.gone) = (None, None),
                    _ => return conflicts,
                }
            }
            node = node.inside.entry(pos.clone()).or_default();
        }
        match op {
            Op::Set(value) => {
                if node.set.as_ref().is_some_and(|(other, _)| *other == value) {
                    return conflicts;
                }
                // A moved item may be changed.
                let moved = node.moved.take();
                if let Some(other) = node.other(by) {
                    clash(lists, "", other, value.compact());
                    if prefer != Prefer::Last {
                        node.moved = moved;
                        return conflicts;
                    }
                    node.only(by);
                }
                node.moved = moved;
                node.set = Some((value, by));
            }
            Op::Gone => {
                if node.gone.is_some() {
                    return conflicts;
                }
                if let Some(other) = node.other(by) {
                    clash(lists, "", other, "removed".to_owned());
                    if prefer != Prefer::Last {
                        return conflicts;
                    }
                    node.only(by);
                }
                node.gone = Some(by);
            }
            Op::Place { gap, items } => {
                if let Some(other) = node.whole(by) {
                    let items = items.clone();
                    clash(lists, "", other, wants(&Op::Place { gap, items }));
                    if prefer != Prefer::Last {
                        return conflicts;
                    }
                    (node.set, node.gone) = (None, None);
                }
                let base = base.at(&at);
                node.place(
                    gap,
                    items,
                    &mut Placing {
                        base,
                        by,
                        prefer,
                        lists,
                        clash: &mut clash,
                    },
                );
            }
        }
        conflicts
    }

    fn place(&mut self, gap: usize, items: Vec<PlacedValue>, placing: &mut Placing<'_>) {
        // Two mods that add the same items at the same place agree.
        if self
            .placed
            .get(&gap)
            .is_some_and(|runs| runs.iter().any(|run| run.items == items))
        {
            return;
        }
        let mut items = self.without_keys_of_others(items, placing);
        items.retain(|item| match item {
            PlacedValue::Moved(index) => self.place_moved(*index, gap, placing),
            PlacedValue::New(value) => self.place_new(value, placing),
        });
        let runs = self.placed.entry(gap).or_default();
        if !items.is_empty() {
            runs.push(Run {
                by: placing.by,
                items,
            });
        }
    }

    /// True if an item of the original moves to `gap`.
    fn place_moved(&mut self, index: usize, gap: usize, placing: &mut Placing<'_>) -> bool {
        let inside = self.inside.entry(Pos::Index(index)).or_default();
        let here = format!("[{index}]");
        if let Some((old, other)) = inside.moved {
            if old == gap {
                // Both mods move the item to the same place: no conflict, and the list contains it
                // once.
                return true;
            }
            let was = format!("moved after position {old}");
            if !placing.wins(
                &here,
                Wish::new(other, was),
                format!("moved after position {gap}"),
            ) {
                return false;
            }
            let item = PlacedValue::Moved(index);
            for run in self.placed.values_mut().flatten() {
                run.items.retain(|made| *made != item);
            }
        } else if let Some(other) = inside.gone.filter(|other| *other != placing.by) {
            if !placing.wins(&here, Wish::new(other, "removed"), "moved".into()) {
                return false;
            }
            inside.gone = None;
        }
        if let Some(inside) = self.inside.get_mut(&Pos::Index(index)) {
            inside.moved = Some((gap, placing.by));
        }
        true
    }

    /// True if a new item is added. Names that repeat in the original or within one mod repeat on
    /// purpose: only the same name from two mods is a conflict.
    fn place_new(&mut self, value: &Value, placing: &mut Placing<'_>) -> bool {
        let Some(name) = title(value) else {
            return true;
        };
        let by_name = self.titled.entry(name.clone()).or_default();
        by_name.insert(placing.by);
        if by_name.iter().all(|other| *other == placing.by) {
            return true;
        }
        let same = |made: &PlacedValue| match made {
            PlacedValue::New(other) if title(other).as_ref() == Some(&name) => Some(other.clone()),
            _ => None,
        };
        let mut others = self
            .placed
            .values()
            .flatten()
            .filter(|run| run.by != placing.by);
        let other = others.find_map(|run| Some((run.by, run.items.iter().find_map(same)?)));
        let Some((by, other)) = other.filter(|(_, other)| other != value) else {
            return true;
        };
        if placing.lists.has_title(placing.base, &name) {
            return true;
        }
        if !placing.wins(
            &format!("[{name}]"),
            Wish::new(by, other.compact()),
            value.compact(),
        ) {
            return false;
        }
        let other = PlacedValue::New(other);
        for run in self
            .placed
            .values_mut()
            .flatten()
            .filter(|run| run.by == by)
        {
            run.items.retain(|made| *made != other);
        }
        true
    }

    /// Reports keys that another mod adds to the same list with another value. A key that the list
    /// already has may repeat.
    fn without_keys_of_others(
        &mut self,
        mut items: Vec<PlacedValue>,
        placing: &mut Placing<'_>,
    ) -> Vec<PlacedValue> {
        let mut new: Vec<(String, Value)> = keyed(&items)
            .map(|(_, key, value)| (key.to_owned(), value.clone()))
            .collect();
        new.retain(|(key, _)| !placing.lists.has_text(placing.base, key));
        for (key, value) in new {
            let by_key = self.keyed.entry(key.clone()).or_default();
            by_key.insert(placing.by);
            if by_key.iter().all(|other| *other == placing.by) {
                continue;
            }
            let runs = self
                .placed
                .values_mut()
                .flatten()
                .filter(|run| run.by != placing.by);
            let other = runs.filter_map(|run| {
                let value = keyed(&run.items)
                    .find(|(_, other, _)| *other == key)
                    .map(|(.., value)| value.clone())?;
                Some((run, value))
            });
            let Some((run, was)) = other.into_iter().next() else {
                continue;
            };
            if was == value {
                continue;
            }
            if placing.wins(
                &format!("[{key}]"),
                Wish::new(run.by, was.compact()),
                value.compact(),
            ) {
                take_key(&mut run.items, &key);
            } else {
                take_key(&mut items, &key);
            }
        }
        items
    }

    /// The original with all changes. What does not change is moved, not copied: a world's list of
    /// nodes is larger than the world.
    pub fn made(&self, base: Value) -> Value {
        if let Some((value, _)) = &self.set {
            return value.clone();
        }
        match base {
            Value::Record(fields) => Value::Record(self.made_record(fields)),
            Value::List(items) => Value::List(self.made_list(items)),
            other => other,
        }
    }

    fn made_record(&self, fields: Vec<(CompactString, Value)>) -> Vec<(CompactString, Value)> {
        let is_new = |pos: &Pos| match pos {
            Pos::Key(key) => !fields.iter().any(|(name, _)| *name == **key),
            Pos::Index(_) => false,
        };
        let new = self.inside.iter().filter(|(pos, _)| is_new(pos));
        let new: Vec<(CompactString, Value)> = new
            .filter_map(|(pos, inside)| match (pos, &inside.set) {
                (Pos::Key(key), Some((value, _))) => Some((key.into(), value.clone())),
                _ => None,
            })
            .collect();
        let mut out = Vec::with_capacity(fields.len() + new.len());
        for (key, value) in fields {
            match self.inside.get(&Pos::Key(key.to_string())) {
                Some(inside) if inside.gone.is_some() => {}
                Some(inside) => out.push((key, inside.made(value))),
                None => out.push((key, value)),
            }
        }
        out.extend(new);
        out
    }

    fn made_list(&self, items: Vec<Value>) -> Vec<Value> {
        let count = items.len();
        let mut out = Vec::with_capacity(count);
        let stays = |index: usize| {
            let inside = self.inside.get(&Pos::Index(index));
            inside.is_none_or(|inside| inside.gone.is_none() && inside.moved.is_none())
        };
        // Items that stay where they are and are placed elsewhere, too.
        let copied: BTreeSet<usize> = self
            .placed
            .values()
            .flatten()
            .flat_map(|run| &run.items)
            .filter_map(|made| match made {
                PlacedValue::Moved(index) => Some(*index),
                PlacedValue::New(_) => None,
            })
            .filter(|index| stays(*index))
            .collect();
        // If several mods add the same item at a place, the list contains it once, and the
        // order of the mods does not matter.
        let mut moved: BTreeSet<usize> = BTreeSet::new();
        let mut named: BTreeMap<String, Vec<(usize, Value)>> = BTreeMap::new();
        let mut keys: BTreeMap<String, (usize, Value)> = BTreeMap::new();
        let old: HashSet<String> = match self.keyed.is_empty() {
            true => HashSet::new(),
            false => items
                .iter()
                .filter_map(|item| item.text().map(str::to_owned))
                .collect(),
        };
        let mut items: Vec<Option<Value>> = items.into_iter().map(Some).collect();
        let mut item = |index: usize| {
            let slot = items.get_mut(index)?;
            let value = match copied.contains(&index) {
                true => slot.clone(),
                false => slot.take(),
            }?;
            Some(match self.inside.get(&Pos::Index(index)) {
                Some(inside) => inside.made(value),
                None => value,
            })
        };
        for gap in 0..=count {
            let mut runs: Vec<&Run> = self
                .placed
                .get(&gap)
                .map(|runs| runs.iter().collect())
                .unwrap_or_default();
            runs.sort_by_key(|run| run.order());
            for run in runs {
                let mut twice = BTreeSet::new();
                for (at, key, value) in keyed(&run.items).filter(|(_, key, _)| !old.contains(*key))
                {
                    let (by, first) = keys
                        .entry(key.to_owned())
                        .or_insert_with(|| (run.by, value.clone()));
                    if *by != run.by && first == value {
                        twice.extend([at, at + 1]);
                    }
                }
                let once = run.items.iter().enumerate();
                for (_, made) in once.filter(|(at, _)| !twice.contains(at)) {
                    match made {
                        PlacedValue::New(value) => {
                            let known = title(value).map(|name| named.entry(name).or_default());
                            let known_twice = |known: &Vec<(usize, Value)>| {
                                known
                                    .iter()
                                    .any(|(other, same)| *other != run.by && same == value)
                            };
                            if known.as_deref().is_some_and(known_twice) {
                                continue;
                            }
                            known
                                .into_iter()
                                .for_each(|known| known.push((run.by, value.clone())));
                            out.push(value.clone());
                        }
                        PlacedValue::Moved(index) if moved.insert(*index) => {
                            out.extend(item(*index))
                        }
                        PlacedValue::Moved(_) => {}
                    }
                }
            }
            if stays(gap) {
                out.extend(item(gap));
            }
        }
        out
    }
}
