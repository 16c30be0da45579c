//! The values of a reader that a declaration describes.

use super::{
    Any, Each, Example, Key, Keys, KeysAndNamed, KnownReader, Leaf, Pairs, Row, RowAndEach,
    RowAndKeys, Shape, bounds,
};
use crate::reader::{WalkStep, items::Items};
use refit_base::{game::Game, naming::NameKind};

/// A number or string of a reader that a game reads.
pub(in crate::reader) struct Value {
    /// The keys and names that lead to it.
    pub place: String,
    /// Its position among the items.
    pub at: usize,
    leaf: &'static Leaf,
}

/// How many items a list has, if a game takes only certain numbers of them.
pub(in crate::reader) struct Length {
    pub place: String,
    pub items: usize,
    pub least: usize,
    pub most: usize,
}

/// What is wrong with a value, as the end of a sentence.
pub(in crate::reader) enum Wrong {
    /// It has another type.
    Type(String),
    /// It is outside what the game takes.
    Range(String),
    /// It is longer than the room that the game has.
    Length(String),
}

/// Longest text of a value in a message.
const SHOWN: usize = 60;

impl Value {
    /// The beginning of its description, as the subject of a sentence.
    pub fn subject(&self) -> &'static str {
        match self.leaf.about.split([',', ';', ':']).next() {
            None | Some("") => "it",
            Some(first) => first,
        }
    }

    /// The kind of thing that it names.
    pub fn names(&self) -> Option<NameKind> {
        self.leaf.names
    }

    /// What is wrong with it. `is_strict` for games that take four bytes as the type that they
    /// expect.
    pub fn wrong(&self, items: &Items<'_>, is_strict: bool) -> Option<Wrong> {
        let leaf = self.leaf;
        let wrong_type = |what: String, wanted: &str| {
            Some(Wrong::Type(format!("{what}, but the game reads {wanted}")))
        };
        match (items.value(self.at)?, leaf.example) {
            (WalkStep::Int(n), Example::Float(_)) if is_strict => {
                wrong_type(format!("the integer {n}"), "a float")
            }
            (WalkStep::Float(x), Example::Int(_)) if is_strict => {
                wrong_type(format!("the float {x:?}"), "an integer")
            }
            (WalkStep::Int(n), Example::Text(_)) => {
                wrong_type(format!("the integer {n}"), "a text")
            }
            (WalkStep::Float(x), Example::Text(_)) => {
                wrong_type(format!("the float {x:?}"), "a text")
            }
            (WalkStep::Text(_), Example::Int(_)) => wrong_type("a text".into(), "an integer"),
            (WalkStep::Text(_), Example::Float(_) | Example::Number(_)) => {
                wrong_type("a text".into(), "a float")
            }
            (WalkStep::Int(n), _) => leaf.outside(n.into(), n.to_string()),
            (WalkStep::Float(x), _) => leaf.outside(x.get().into(), format!("{x:?}")),
            (WalkStep::Text(text), _) => leaf.unknown(text),
            (WalkStep::Open(_) | WalkStep::Close, _) => None,
        }
    }
}

impl Leaf {
    fn outside(&self, n: f64, shown: String) -> Option<Wrong> {
        let (least, most) = self
            .range
            .filter(|(least, most)| !(*least..=*most).contains(&n))?;
        Some(Wrong::Range(format!(
            "{shown}, and the game takes {}",
            bounds(least, most)
        )))
    }

    fn unknown(&self, text: &[u8]) -> Option<Wrong> {
        let shown = || -> String { String::from_utf8_lossy(text).chars().take(SHOWN).collect() };
        if self.bytes > 0 && text.len() > self.bytes {
            return Some(Wrong::Length(format!(
                "{} bytes (at most {} fit)",
                text.len(),
                self.bytes
            )));
        }
        let is = |choice: &str| {
            let letters = if self.letters == 0 {
                usize::MAX
            } else {
                self.letters
            };
            let (choice, text) = (choice.as_bytes(), text);
            let choice = choice.get(..letters).unwrap_or(choice);
            let text = text.get(..letters).unwrap_or(text);
            if self.is_any_case {
                choice.eq_ignore_ascii_case(text)
            } else {
                choice == text
            }
        };
        if self.choices.is_empty() || self.choices.iter().any(|(choice, _)| is(choice)) {
            return None;
        }
        let known: Vec<&str> = self.choices.iter().map(|(choice, _)| *choice).collect();
        Some(Wrong::Range(format!(
            "{:?}, and the game knows {}",
            shown(),
            known.join(", ")
        )))
    }
}

/// What a declaration says of a reader.
#[derive(Default)]
pub(in crate::reader) struct Described {
    pub values: Vec<Value>,
    pub lengths: Vec<Length>,
    /// Keys are found in inner lists, too, as Recoil does. Of the other games that is not known:
    /// there only the keys of a list itself count, so that nothing else is taken for one.
    is_deep: bool,
}

impl KnownReader {
    /// True if its games have such an outermost list: one that contains only a list, or another.
    pub(in crate::reader) fn may_be(&self, items: &Items<'_>) -> bool {
        let mut inner = items.below(0);
        let is_wrapped =
            matches!((inner.next(), inner.next()), (Some(first), None) if is_open(items, first));
        self.is_wrapped == is_wrapped
    }

    /// The values that are described, and the lists whose lengths are.
    pub(in crate::reader) fn described(
        &'static self,
        items: &Items<'_>,
        game: Option<Game>,
    ) -> Described {
        let mut found = Described {
            is_deep: matches!(game, None | Some(Game::Rc | Game::RcDemo)),
            ..Described::default()
        };
        let mut at = 0;
        // A list of keys is found in an outer list, too: a list that contains only it is no key.
        let may_be_wrapped =
            game.is_none() || self.is_wrapped || matches!(self.content, Keys(_) | KeysAndNamed(..));
        let mut inner = items.below(0);
        if let (true, Some(first), None) = (may_be_wrapped, inner.next(), inner.next())
            && matches!(items.value(first), Some(WalkStep::Open(_)))
        {
            at = first;
        }
        find(&self.content, items, at, "", &mut found);
        found
    }
}

fn below(place: &str, name: &str) -> String {
    match (place.is_empty(), name.starts_with('[')) {
        (true, _) | (false, true) => format!("{place}{name}"),
        (false, false) => format!("{place}.{name}"),
    }
}

/// The leaves of a shape in order, up to the first list whose length varies.
fn leaves(shape: &'static Shape, out: &mut Vec<&'static Leaf>) -> bool {
    match shape {
        Shape::Leaf(leaf) => out.push(leaf),
        Row(row) => return row.iter().all(|shape| leaves(shape, out)),
        _ => return false,
    }
    true
}

fn is_open(items: &Items<'_>, at: usize) -> bool {
    matches!(items.value(at), Some(WalkStep::Open(_)))
}

/// Finds the described values of the item at `at`.
fn find(shape: &'static Shape, items: &Items<'_>, at: usize, place: &str, out: &mut Described) {
    match shape {
        Shape::Leaf(leaf) => {
            // The engines take the first item of a list where they expect a value.
            let at = if is_open(items, at) {
                items.below(at).next()
            } else {
                Some(at)
            };
            if let Some(at) = at.filter(|at| !is_open(items, *at)) {
                out.values.push(Value {
                    place: place.to_owned(),
                    at,
                    leaf,
                });
            }
        }
        Any(_) => {}
        Row(row) => find_row(row, items, at, place, out),
        Keys(keys) => find_keys(keys, items, at, out.is_deep, place, out),
        // Each key is in a list of its own.
        Pairs(keys) => find_keys(keys, items, at, true, place, out),
        RowAndKeys(row, keys) => {
            let name = items
                .text(at + 1)
                .map(|name| String::from_utf8_lossy(name))
                .unwrap_or_default();
            let place = below(place, &name);
            let first: Vec<_> = row.iter().zip(items.below(at)).collect();
            // Without the first values the keys begin at once.
            let is_there = first.iter().all(|(shape, at)| match shape {
                Shape::Leaf(leaf) => !is_open(items, *at) && !is_other(leaf, items, *at),
                _ => true,
            });
            for (shape, at) in first {
                if is_there && shape.is_list() == is_open(items, at) {
                    find(shape, items, at, &place, out);
                }
            }
            find_keys(keys, items, at, out.is_deep, &place, out);
        }
        Each(row) => find_each(row, items, &items.below(at).collect::<Vec<_>>(), place, out),
        RowAndEach(first, row) => {
            let all: Vec<usize> = items.below(at).collect();
            for (shape, at) in first.iter().zip(&all) {
                find(shape, items, *at, place, out);
            }
            find_each(
                row,
                items,
                all.get(first.len()..).unwrap_or_default(),
                place,
                out,
            );
        }
        KeysAndNamed(keys, [_, value]) => {
            find_keys(keys, items, at, out.is_deep, place, out);
            for (name, at) in items.named(at) {
                if keys.iter().all(|key| key.name != name) {
                    find(value, items, at, &below(place, &name), out);
                }
            }
        }
    }
}

/// True if a value is a text and should be a number, or the other way round.
fn is_other(leaf: &Leaf, items: &Items<'_>, at: usize) -> bool {
    match items.value(items.first(at)) {
        Some(WalkStep::Text(_)) => !matches!(leaf.example, Example::Text(_) | Example::Either(_)),
        Some(WalkStep::Int(_) | WalkStep::Float(_)) => matches!(leaf.example, Example::Text(_)),
        _ => false,
    }
}

/// True if values in a fixed order are the declared ones: the first is of its kind, and at most one
/// other is not. Otherwise the list has another structure, of which nothing is known. `all` counts
/// lists, too: one value alone is what its key says.
fn is_such(row: &[(&'static Leaf, usize)], all: usize, items: &Items<'_>) -> bool {
    let others = row
        .iter()
        .filter(|(leaf, at)| is_other(leaf, items, *at))
        .count();
    let first = row
        .first()
        .is_some_and(|(leaf, at)| is_other(leaf, items, *at));
    all < 2 || others <= 1 && !first
}

/// Values in a fixed order. How lists group them matters only where it is as declared: in older
/// files and other games the same values are in one list, and the meaning is the same.
fn find_row(row: &'static [Shape], items: &Items<'_>, at: usize, place: &str, out: &mut Described) {
    let children: Vec<usize> = items.below(at).collect();
    if is_open(items, at)
        && row
            .iter()
            .zip(&children)
            .all(|(shape, at)| matches!(shape, Any(_)) || shape.is_list() == is_open(items, *at))
    {
        let own = |(shape, at): (&'static Shape, &usize)| match shape {
            Shape::Leaf(leaf) => Some((leaf, *at)),
            _ => None,
        };
        let leaves: Vec<_> = row.iter().zip(&children).filter_map(own).collect();
        if is_such(&leaves, row.len(), items) {
            for (shape, at) in row.iter().zip(children) {
                find(shape, items, at, place, out);
            }
        }
        return;
    }
    let mut wanted = Vec::new();
    let _ = row.iter().all(|shape| leaves(shape, &mut wanted));
    let found: Vec<_> = wanted.into_iter().zip(items.leaves(at)).collect();
    if is_such(&found, found.len(), items) {
        out.values.extend(found.into_iter().map(|(leaf, at)| Value {
            place: place.to_owned(),
            at,
            leaf,
        }));
    }
}

fn find_each(
    row: &'static [Shape],
    items: &Items<'_>,
    children: &[usize],
    place: &str,
    out: &mut Described,
) {
    match row {
        [value] => {
            for (n, at) in children.iter().enumerate() {
                // A text before a list is a key that this game does not have.
                let is_key = !value.is_list()
                    && items.text(*at).is_some()
                    && children
                        .get(n + 1)
                        .is_some_and(|next| is_open(items, *next));
                match value {
                    _ if is_key => {}
                    RowAndKeys(..) => find(value, items, *at, place, out),
                    _ => find(value, items, *at, &below(place, &format!("[{n}]")), out),
                }
            }
        }
        [name @ Shape::Leaf(leaf), value] if matches!(leaf.example, Example::Text(_)) => {
            for (at, next) in children.iter().zip(children.iter().skip(1)) {
                if let Some(text) = items.text(*at)
                    && value.is_list() == is_open(items, *next)
                {
                    let place = below(place, &String::from_utf8_lossy(text));
                    find(name, items, *at, &place, out);
                    find(value, items, *next, &place, out);
                }
            }
        }
        _ => {
            for (n, group) in children.chunks(row.len().max(1)).enumerate() {
                for (shape, at) in row.iter().zip(group) {
                    find(shape, items, *at, &below(place, &format!("[{n}]")), out);
                }
            }
        }
    }
}

fn find_keys(
    keys: &'static [Key],
    items: &Items<'_>,
    at: usize,
    is_deep: bool,
    place: &str,
    out: &mut Described,
) {
    // A key with a number in its name repeats with other numbers.
    let stem = |key: &Key| key.name.trim_end_matches(|c: char| c.is_ascii_digit());
    for (i, key) in keys.iter().enumerate() {
        let Some(value) = &key.value else { continue };
        let found = match stem(key) {
            name if name.len() == key.name.len() => items
                .find(at, name.as_bytes(), is_deep)
                .map(|at| (name.to_owned(), at))
                .into_iter()
                .collect(),
            name if keys.iter().take(i).any(|other| stem(other) == name) => continue,
            name => items.numbered(at, name.as_bytes(), is_deep),
        };
        for (name, at) in found {
            let place = below(place, &name);
            if let Some((least, most)) = key.items.filter(|_| is_open(items, at)) {
                let items = items.below(at).count();
                if !(least..=most).contains(&items) {
                    out.lengths.push(Length {
                        place: place.clone(),
                        items,
                        least,
                        most,
                    });
                }
            }
            find(value, items, at, &place, out);
        }
    }
}
