//! A reader's value as a flat list, to look for keys as the engines do.

use super::{ReaderDoc, WalkStep};
use std::collections::BTreeMap;

/// An item of a value, in the order of the bytes. The items of a list follow it up to `end`.
struct Item<'a> {
    value: WalkStep<'a>,
    end: usize,
    /// The list that it is in, and its position there.
    parent: Option<(usize, usize)>,
}

/// Maximum number of items to check: the files in question have a few hundred.
const MOST: usize = 1 << 16;

/// A whole value as a flat list.
pub struct Items<'a>(Vec<Item<'a>>);

impl<'a> Items<'a> {
    pub fn of(doc: &'a ReaderDoc) -> Option<Self> {
        // Open lists, and how many items of each there were.
        let (mut items, mut open) = (Vec::<Item<'_>>::new(), Vec::<(usize, usize)>::new());
        doc.walk(|value| match value {
            WalkStep::Close => {
                let end = items.len();
                if let Some(list) = open.pop().and_then(|(list, _)| items.get_mut(list)) {
                    list.end = end;
                }
            }
            _ if items.len() > MOST => {}
            value => {
                let parent = open.last().copied();
                if let Some((_, count)) = open.last_mut() {
                    *count = count.saturating_add(1);
                }
                if let WalkStep::Open(_) = value {
                    open.push((items.len(), 0));
                }
                items.push(Item {
                    value,
                    end: items.len() + 1,
                    parent,
                });
            }
        });
        (items.len() <= MOST).then_some(Items(items))
    }

    /// How many values there are, lists and what is in them.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn value(&self, at: usize) -> Option<WalkStep<'a>> {
        self.0.get(at).map(|item| item.value)
    }

    /// Where an item is, as documents have it: `[2][0]`.
    pub fn path(&self, at: usize) -> String {
        let of = |at: usize| self.0.get(at).and_then(|item| item.parent);
        let mut path: Vec<usize> = Vec::new();
        let mut above = of(at);
        while let Some((list, position)) = above {
            path.push(position);
            above = of(list);
        }
        path.iter().rev().map(|n| format!("[{n}]")).collect()
    }

    pub fn text(&self, at: usize) -> Option<&'a [u8]> {
        if let Some(WalkStep::Text(text)) = self.value(at) {
            Some(text)
        } else {
            None
        }
    }

    /// The value itself, or the first item of a list: the games take either for a value.
    pub fn first(&self, at: usize) -> usize {
        match self.value(at) {
            Some(WalkStep::Open(_)) => self.below(at).next().unwrap_or(at),
            _ => at,
        }
    }

    /// The direct items of a list; none for another value.
    pub fn below(&self, list: usize) -> impl Iterator<Item = usize> {
        let end = self.0.get(list).map_or(0, |item| item.end);
        std::iter::successors(Some(list + 1), |at| self.0.get(*at).map(|item| item.end))
            .take_while(move |at| *at < end)
    }

    /// The engine's lookup of a key in a list: the item after the first equal string. `is_deep`
    /// looks in inner lists, too, depth first.
    pub fn find(&self, list: usize, key: &[u8], is_deep: bool) -> Option<usize> {
        let end = self.0.get(list)?.end;
        self.within(list, is_deep)
            .find(|at| self.text(*at) == Some(key))
            .map(|at| at + 1)
            .filter(|at| *at < end)
    }

    /// The items of a list that may be keys, in order.
    fn within(&self, list: usize, is_deep: bool) -> impl Iterator<Item = usize> {
        let end = self.0.get(list).map_or(0, |item| item.end);
        let own = move |at: &usize| {
            is_deep
                || self
                    .0
                    .get(*at)
                    .and_then(|item| item.parent)
                    .is_some_and(|(parent, _)| parent == list)
        };
        (list + 1..end).filter(own)
    }

    /// The items after texts of this prefix and a number, the first of each name. `is_deep` looks in
    /// inner lists, too.
    pub fn numbered(&self, list: usize, stem: &[u8], is_deep: bool) -> BTreeMap<String, usize> {
        let end = self.0.get(list).map_or(0, |item| item.end);
        let mut found = BTreeMap::new();
        for at in self.within(list, is_deep).filter(|at| at + 1 < end) {
            let number = self
                .text(at)
                .and_then(|text| text.strip_prefix(stem))
                .unwrap_or_default();
            if !number.is_empty() && number.iter().all(u8::is_ascii_digit) {
                found
                    .entry(String::from_utf8_lossy(&[stem, number].concat()).into_owned())
                    .or_insert(at + 1);
            }
        }
        found
    }

    /// The lists after texts, with these.
    pub fn named(&self, list: usize) -> Vec<(String, usize)> {
        let all: Vec<usize> = self.below(list).collect();
        let pairs = all.iter().zip(all.iter().skip(1));
        let named = pairs.filter_map(|(name, at)| match (self.text(*name), self.value(*at)) {
            (Some(name), Some(WalkStep::Open(_))) => {
                Some((String::from_utf8_lossy(name).into_owned(), *at))
            }
            _ => None,
        });
        named.collect()
    }

    /// The values in an item that are not lists.
    pub fn leaves(&self, item: usize) -> Vec<usize> {
        let end = self.0.get(item).map_or(0, |item| item.end);
        (item..end)
            .filter(|at| !matches!(self.value(*at), Some(WalkStep::Open(_))))
            .collect()
    }
}
