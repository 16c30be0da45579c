//! The names of a world, and which of them a definition is bound to.

use super::{
    scope::Args,
    source::{Item, List},
};
use crate::{
    game::Game,
    wire::{Error, Result, decode_1252},
};
use std::collections::HashMap;

/// The names of a world's nodes.
#[derive(Clone, Default, Debug)]
pub struct World {
    /// Each name once, in the order of the bytes.
    names: Vec<Vec<u8>>,
    /// The first position of each name, and how many nodes have it.
    nodes: HashMap<Vec<u8>, (u32, u32)>,
}

impl World {
    /// A world of these nodes.
    pub fn new(nodes: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let mut places: HashMap<Vec<u8>, (u32, u32)> = HashMap::new();
        for (at, name) in (0u32..).zip(nodes).filter(|(_, name)| !name.is_empty()) {
            places.entry(name).or_insert((at, 0)).1 += 1;
        }
        let mut names: Vec<Vec<u8>> = places.keys().cloned().collect();
        names.sort_unstable();
        World { names, nodes: places }
    }

    /// True where some node has the name.
    pub fn has(&self, name: &[u8]) -> bool {
        self.nodes.contains_key(name)
    }

    /// The position of the first node of a name; `None` where no node or several have it.
    pub fn position(&self, name: &[u8]) -> Option<u32> {
        self.nodes.get(name).filter(|(_, count)| *count == 1).map(|(at, _)| *at)
    }

    /// How many nodes have the name.
    fn count(&self, name: &[u8]) -> usize {
        self.nodes.get(name).map_or(0, |(_, count)| *count as usize)
    }

    /// The names that a pattern fits, with the digits that stand for its stars.
    fn matching<'w>(&'w self, pattern: &'w [u8]) -> impl Iterator<Item = (&'w [u8], Vec<u8>)> {
        let literal = pattern.split(|b| *b == b'*').next().unwrap_or_default();
        let from = self.names.partition_point(|name| name.as_slice() < literal);
        let near = self.names.iter().skip(from).take_while(move |name| name.starts_with(literal));
        near.filter_map(|name| digits(pattern, name).map(|digits| (name.as_slice(), digits)))
    }
}

/// The digits that stand for a pattern's stars in a name that it fits.
fn digits(pattern: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let fits = |(p, n): (&u8, &u8)| p == n || *p == b'*' && n.is_ascii_digit();
    (pattern.len() == name.len() && pattern.iter().zip(name).all(fits))
        .then(|| pattern.iter().zip(name).filter(|(p, _)| **p == b'*').map(|(_, n)| *n).collect())
}

/// A node that a definition is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Its name.
    pub name: Vec<u8>,
    /// What stands in the place of stars.
    pub digits: Vec<u8>,
    /// The path to it (CS).
    pub path: Vec<Vec<u8>>,
    /// The world does not have it: an older entry stays as it is, and without one there is none.
    pub left_out: bool,
}

impl Bound {
    fn plain(name: &[u8]) -> Self {
        Bound { name: name.to_vec(), digits: Vec::new(), path: Vec::new(), left_out: false }
    }
}

/// What a definition is bound to: a node for each entry that it makes. `older` are the names of the file that is compiled over, which
/// stand for the world where none is given.
pub fn bind(source: List<'_>, game: Game, world: Option<&World>, older: Option<&World>) -> Result<Vec<Bound>> {
    let find = |wanted: &[u8]| source.keys().find(|(key, _)| *key == wanted).map(|(_, list)| list);
    let (plain, pairs) = (find(b"NAME"), find(b"NAME1"));
    let (list, paths) = match (plain, pairs) {
        (Some(_), Some(_)) => return Err(Error::say("NAME and NAME1 both").hint("a definition has one of them")),
        (Some(list), None) => (list, false),
        (None, Some(list)) => (list, true),
        (None, None) => return Err(Error::say("no NAME").hint("say which node the definition is bound to")),
    };
    let within = |e: Error| e.within(if paths { "NAME1" } else { "NAME" });
    let known = world.or(older);
    if paths {
        return by_path(list, game, known).map_err(within);
    }
    let args = Args::new(list, Game::Rc);
    let names: Vec<Vec<u8>> = (0..args.len()).map(|i| args.need(i).map(|name| name.into_owned())).collect::<Result<_>>().map_err(within)?;
    match names.as_slice() {
        [] => Err(within(Error::say("an empty NAME"))),
        [one] => one_name(one, game, world, known).map_err(within),
        several => {
            let known = known.ok_or_else(|| {
                within(
                    Error::say(format!("{} names, of which the first that the world has counts", several.len()))
                        .hint("--world names the world"),
                )
            })?;
            let found = several.iter().find(|name| known.has(name));
            let first = several.first().map_or(&[][..], Vec::as_slice);
            Ok(vec![match found {
                Some(name) => Bound::plain(name),
                None => Bound { left_out: true, ..Bound::plain(first) },
            }])
        }
    }
}

fn one_name(name: &[u8], game: Game, world: Option<&World>, known: Option<&World>) -> Result<Vec<Bound>> {
    // One entry for each node of the name (CS).
    if let (Game::Cs, Some(stem)) = (game, name.strip_suffix(b"#")) {
        let known = known.ok_or_else(|| needs_world(name))?;
        let mut all = Vec::new();
        for bound in one_name(stem, game, Some(known), Some(known))? {
            all.extend(std::iter::repeat_n(bound.clone(), known.count(&bound.name)));
        }
        return Ok(all);
    }
    if !name.contains(&b'*') {
        let left_out = world.is_some_and(|world| !world.has(name));
        return Ok(vec![Bound { left_out, ..Bound::plain(name) }]);
    }
    let known = known.ok_or_else(|| needs_world(name))?;
    Ok(known.matching(name).map(|(name, digits)| Bound { digits, ..Bound::plain(name) }).collect())
}

fn needs_world(name: &[u8]) -> Error {
    Error::say(format!("{:?} stands for nodes of a world", decode_1252(name))).hint("--world names the world")
}

/// Pairs of a name and the path to it.
fn by_path(list: Option<List<'_>>, game: Game, known: Option<&World>) -> Result<Vec<Bound>> {
    if game != Game::Cs {
        return Err(Error::say("only Crimson Skies has it").hint("use NAME"));
    }
    let mut out = Vec::new();
    for (name, path) in list.into_iter().flat_map(List::keys) {
        let steps: Vec<Vec<u8>> = path
            .into_iter()
            .flat_map(List::items)
            .filter_map(|item| if let Item::Text(text) = item { Some(text.to_vec()) } else { None })
            .collect();
        for bound in one_name(name, game, None, known)? {
            let fill = |step: &Vec<u8>| {
                let mut digits = bound.digits.iter();
                step.iter().map(|b| if *b == b'*' { digits.next().copied().unwrap_or(*b) } else { *b }).collect()
            };
            out.push(Bound { path: steps.iter().map(fill).collect(), ..bound.clone() });
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
        let world = World::new(["lamp1", "lamp2", "lampx", "lamp12", "a1b2c", "a1b2"].map(|n| n.as_bytes().to_vec()));
        let names = |pattern: &str| -> Vec<(String, Vec<u8>)> {
            world.matching(pattern.as_bytes()).map(|(name, digits)| (String::from_utf8_lossy(name).into_owned(), digits)).collect()
        };
        assert_eq!(names("lamp*"), [("lamp1".to_owned(), b"1".to_vec()), ("lamp2".to_owned(), b"2".to_vec())]);
        assert_eq!(names("lamp**"), [("lamp12".to_owned(), b"12".to_vec())]);
        assert_eq!(names("a*b*c"), [("a1b2c".to_owned(), b"12".to_vec())]);
        assert!(names("*").is_empty());
        assert!(world.has(b"lampx") && !world.has(b"lamp"));
    }
}
