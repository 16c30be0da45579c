//! The names of a world's nodes, and the nodes that a definition is bound to.

use super::{
    scope::Args,
    source::{Item, List},
};
use refit_base::{
    game::Game,
    wire::{Error, Result, decode_1252, did_you_mean},
};
use refit_zipper::gamez::Gamez;
use std::{borrow::Cow, collections::BTreeMap};

/// The nodes of a world: their names and, if the world's file is known, the children of each.
#[derive(Clone, Default, Debug)]
pub struct World {
    /// For each name, the positions of its nodes, in the order of the world.
    nodes: BTreeMap<Vec<u8>, Vec<u32>>,
    /// Each node's name and children, by position; empty if only names are known.
    tree: Vec<(Vec<u8>, Vec<u32>)>,
}

impl World {
    /// A world of nodes with these names, in the order of their positions.
    pub(crate) fn new(nodes: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let mut world = World::default();
        for (at, name) in (0u32..).zip(nodes).filter(|(_, name)| !name.is_empty()) {
            world.nodes.entry(name).or_default().push(at);
        }
        world
    }

    /// A world of nodes with these names and children, in the order of their positions.
    pub(crate) fn of_tree(tree: Vec<(Vec<u8>, Vec<u32>)>) -> Self {
        World {
            tree: tree.clone(),
            ..World::new(tree.into_iter().map(|(name, _)| name))
        }
    }

    /// The nodes of a world's file and of files that continue it: the planes (CS) follow the last
    /// position of the world.
    pub fn of_files(files: &[&Gamez]) -> Self {
        /// No file has more positions; a tree that claims more is ignored.
        const MOST: usize = 1 << 17;
        let mut tree: Vec<(Vec<u8>, Vec<u32>)> = Vec::new();
        for file in files {
            let first = u32::try_from(tree.len()).unwrap_or(u32::MAX);
            let slots = file.node_array.slots.map_or(0, |slots| slots as usize);
            let places = if slots <= MOST {
                slots.max(file.nodes.len())
            } else {
                file.nodes.len()
            };
            tree.extend(file.nodes.iter().map(|node| {
                let Some(node) = node else {
                    return Default::default();
                };
                let places = node.children.iter().filter_map(|link| link.place());
                (
                    node.name.bytes().to_vec(),
                    places
                        .filter_map(|place| u32::try_from(place).ok()?.checked_add(first))
                        .collect(),
                )
            }));
            tree.resize(first as usize + places, Default::default());
        }
        World::of_tree(tree)
    }

    /// True if a node has this name.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        self.nodes.contains_key(name)
    }

    /// A suggestion for a misspelled name: `did you mean "gate"?`.
    pub(crate) fn near(&self, name: &str) -> Option<String> {
        let names: Vec<_> = self.nodes.keys().map(|name| decode_1252(name)).collect();
        did_you_mean(name, names.iter().map(|name| &**name))
    }

    /// The positions of the nodes with this name, in the order of the world.
    fn places(&self, name: &[u8]) -> &[u32] {
        self.nodes.get(name).map_or(&[], Vec::as_slice)
    }

    /// The name of the node at a position.
    #[cfg(test)]
    pub(crate) fn name_at(&self, at: u32) -> Option<&[u8]> {
        self.tree.get(at as usize).map(|(name, _)| name.as_slice())
    }

    /// The first node with this name at or below a node, depth first.
    fn below(&self, top: u32, name: &[u8]) -> Option<u32> {
        // Searching upwards would be faster for rare names, but a node may have several parents.
        if self.places(name).is_empty() {
            return None;
        }
        let mut seen = vec![false; self.tree.len()];
        let mut open = vec![top];
        while let Some(at) = open.pop() {
            let Some((found, children)) = self.tree.get(at as usize) else {
                continue;
            };
            if seen
                .get_mut(at as usize)
                .is_none_or(|seen| std::mem::replace(seen, true))
            {
                continue;
            }
            if found == name {
                return Some(at);
            }
            open.extend(children.iter().rev());
        }
        None
    }

    /// The node that a name means in a definition of Crimson Skies: below the node that the
    /// definition is attached to, below the one that it is bound to, and then (with `anywhere`) the
    /// first in the world. Without the tree, only a unique name is found.
    pub(crate) fn find(&self, name: &[u8], below: &[u32], anywhere: bool) -> Option<u32> {
        match self.places(name) {
            [] => None,
            [only] if anywhere || self.tree.is_empty() => Some(*only),
            _ if self.tree.is_empty() => None,
            places => {
                let near = below.iter().find_map(|top| self.below(*top, name));
                near.or_else(|| places.first().copied().filter(|_| anywhere))
            }
        }
    }

    /// The names that match a pattern, with the digits in place of its stars.
    fn matching<'w>(&'w self, pattern: &'w [u8]) -> impl Iterator<Item = (&'w [u8], Vec<u8>)> {
        let literal = pattern.split(|b| *b == b'*').next().unwrap_or_default();
        let near = self.nodes.range(literal.to_vec()..).map(|(name, _)| name);
        let near = near.take_while(move |name| name.starts_with(literal));
        near.filter_map(|name| digits(pattern, name).map(|digits| (name.as_slice(), digits)))
    }
}

/// The digits in place of a pattern's stars, if the name matches.
fn digits(pattern: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let fits = |(p, n): (&u8, &u8)| p == n || *p == b'*' && n.is_ascii_digit();
    (pattern.len() == name.len() && pattern.iter().zip(name).all(fits)).then(|| {
        pattern
            .iter()
            .zip(name)
            .filter(|(p, _)| **p == b'*')
            .map(|(_, n)| *n)
            .collect()
    })
}

/// A node that a definition is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    pub name: Vec<u8>,
    /// The digits in place of stars.
    pub digits: Vec<u8>,
    /// Its position in the world, if known (CS).
    pub node: Option<u32>,
    /// The path to it, each step with its position if known (CS).
    pub path: Vec<(Vec<u8>, Option<u32>)>,
    /// True if the world lacks it: an older entry stays unchanged, and no new entry is made.
    pub left_out: bool,
}

impl Bound {
    /// A node with this name at an unknown position.
    pub fn plain(name: &[u8]) -> Self {
        Bound {
            name: name.to_vec(),
            digits: Vec::new(),
            node: None,
            path: Vec::new(),
            left_out: false,
        }
    }
}

/// The nodes that a definition is bound to, one for each entry that it makes. `older` has the names
/// of the base file, which replace a missing world.
pub fn bind(
    source: List<'_>,
    game: Game,
    world: Option<&World>,
    older: Option<&World>,
) -> Result<Vec<Bound>> {
    let (list, paths) = match (source.find(b"NAME"), source.find(b"NAME1")) {
        (Some(_), Some(_)) => {
            return Err(Error::say("NAME and NAME1 both").hint("a definition has one of them"));
        }
        (Some(list), None) => (list, false),
        (None, Some(list)) => (list, true),
        (None, None) => {
            return Err(Error::say("no NAME").hint("say which node the definition is bound to"));
        }
    };
    let within = |e: Error| e.within(if paths { "NAME1" } else { "NAME" });
    let known = world.or(older);
    if paths {
        return by_path(list, game, world, known).map_err(within);
    }
    let args = Args::new(list, Game::Rc);
    let names: Vec<Vec<u8>> = (0..args.len())
        .map(|i| args.need(i).map(Cow::into_owned))
        .collect::<Result<_>>()
        .map_err(within)?;
    match names.as_slice() {
        [] => Err(within(Error::say("an empty NAME"))),
        [one] => one_name(one, game, world, known).map_err(within),
        several => {
            let known = known.ok_or_else(|| {
                let what = format!(
                    "{} names: the first one that the world has counts",
                    several.len()
                );
                within(Error::say(what).hint("name the world with --world"))
            })?;
            let found = several.iter().find(|name| known.has(name));
            let name = found.or(several.first()).map_or(&[][..], Vec::as_slice);
            Ok(vec![Bound {
                left_out: found.is_none(),
                ..Bound::plain(name)
            }])
        }
    }
}

/// The first name that a definition is bound to.
pub fn wanted(source: List<'_>) -> Vec<u8> {
    let list = source
        .keys()
        .find(|(key, _)| matches!(*key, b"NAME" | b"NAME1"))
        .and_then(|(_, list)| list);
    match list.and_then(|list| list.items().next()) {
        Some(Item::Text(name)) => name.to_vec(),
        _ => Vec::new(),
    }
}

fn one_name(
    name: &[u8],
    game: Game,
    world: Option<&World>,
    known: Option<&World>,
) -> Result<Vec<Bound>> {
    // One entry for each node with this name (CS), in the order of the world.
    if let (Game::Cs, Some(stem)) = (game, name.strip_suffix(b"#")) {
        let known = known.ok_or_else(|| needs_world(name))?;
        let mut all = Vec::new();
        for bound in one_name(stem, game, Some(known), Some(known))? {
            let place = |place: &u32| Bound {
                node: world.map(|_| *place),
                ..bound.clone()
            };
            all.extend(known.places(&bound.name).iter().map(place));
        }
        return Ok(all);
    }
    let node = |name: &[u8]| world.and_then(|world| world.places(name).first().copied());
    if !name.contains(&b'*') {
        let left_out = world.is_some_and(|world| !world.has(name));
        return Ok(vec![Bound {
            left_out,
            node: node(name),
            ..Bound::plain(name)
        }]);
    }
    let known = known.ok_or_else(|| needs_world(name))?;
    Ok(known
        .matching(name)
        .map(|(name, digits)| Bound {
            digits,
            node: node(name),
            ..Bound::plain(name)
        })
        .collect())
}

fn needs_world(name: &[u8]) -> Error {
    Error::say(format!("{:?} means nodes of a world", decode_1252(name)))
        .hint("name the world with --world")
}

/// Binds nodes by pairs of a name and a path.
fn by_path(
    list: Option<List<'_>>,
    game: Game,
    world: Option<&World>,
    known: Option<&World>,
) -> Result<Vec<Bound>> {
    if game != Game::Cs {
        return Err(Error::say("only Crimson Skies has it").hint("use NAME"));
    }
    let mut out = Vec::new();
    for (name, path) in list.into_iter().flat_map(List::keys) {
        let steps: Vec<&[u8]> = path.into_iter().flat_map(List::texts).collect();
        for bound in one_name(name, game, None, known)? {
            let mut top: Option<u32> = None;
            let mut path = Vec::with_capacity(steps.len());
            for step in &steps {
                let mut digits = bound.digits.iter();
                let step: Vec<u8> = step
                    .iter()
                    .map(|b| {
                        if *b == b'*' {
                            digits.next().copied().unwrap_or(*b)
                        } else {
                            *b
                        }
                    })
                    .collect();
                // Each step is searched for below the previous one.
                top = world.and_then(|world| match (path.is_empty(), top) {
                    (true, _) => world.places(&step).first().copied(),
                    (false, Some(top)) => world.find(&step, &[top], false),
                    (false, None) => None,
                });
                path.push((step, top));
            }
            let node = match path.is_empty() {
                true => world.and_then(|world| world.places(&bound.name).first().copied()),
                false => world
                    .zip(top)
                    .and_then(|(world, top)| world.find(&bound.name, &[top], false)),
            };
            let left_out = world.is_some() && node.is_none();
            out.push(Bound {
                path,
                node,
                left_out,
                ..bound.clone()
            });
        }
    }
    match out.is_empty() && list.is_none_or(|list| list.items().next().is_none()) {
        true => Err(Error::say("an empty NAME1")),
        false => Ok(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_one_digit_anywhere() {
        let world = World::new(
            ["lamp1", "lamp2", "lampx", "lamp12", "a1b2c", "a1b2"].map(|n| n.as_bytes().to_vec()),
        );
        let names = |pattern: &str| -> Vec<(String, Vec<u8>)> {
            world
                .matching(pattern.as_bytes())
                .map(|(name, digits)| (String::from_utf8_lossy(name).into_owned(), digits))
                .collect()
        };
        assert_eq!(
            names("lamp*"),
            [
                ("lamp1".to_owned(), b"1".to_vec()),
                ("lamp2".to_owned(), b"2".to_vec())
            ]
        );
        assert_eq!(names("lamp**"), [("lamp12".to_owned(), b"12".to_vec())]);
        assert_eq!(names("a*b*c"), [("a1b2c".to_owned(), b"12".to_vec())]);
        assert!(names("*").is_empty());
        assert!(world.has(b"lampx") && !world.has(b"lamp"));
    }
}
