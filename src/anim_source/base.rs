//! The base file that sources are compiled over, and how its entries match those of the sources.

use super::{definition::Called, world::World};
use refit_base::{
    par,
    wire::{Hex, Result},
};
use refit_zipper::anim::{
    Anim, Definition,
    definition::PathNode,
    names::{Name, NameTable},
};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, OnceLock},
};

/// A compiled file. Its definitions are read one by one: all together take several times the memory
/// of the file.
pub struct Base {
    /// The file.
    pub anim: Anim,
    /// Its script table, by name.
    pub table: Arc<NameTable>,
    /// The names of each definition.
    pub called: Vec<Called>,
    /// The nodes that the definitions are bound to, for use without a world.
    pub names: World,
    places: OnceLock<HashMap<Vec<u8>, Vec<Seen>>>,
    bound: OnceLock<HashMap<BoundTo, usize>>,
}

/// The name and the path of the node that a definition is bound to.
type BoundTo = (Vec<u8>, Vec<Name>);

/// A node's position in the world, and the node that the definition is bound to (CS).
#[derive(Clone, Copy, PartialEq, Eq)]
struct Seen {
    place: u32,
    below: u32,
}

impl Base {
    /// Reads the names of a file's definitions.
    pub fn new(anim: Anim) -> Result<Base> {
        // Without folders.
        let stems = anim.script_stems();
        let name =
            |stem: &String| Name::from(stem.strip_prefix("scripts/").unwrap_or(stem).as_bytes());
        let table = Arc::new(NameTable::new(stems.iter().map(|stem| Some(name(stem)))));
        let game = anim.game;
        let called: Vec<Called> = anim
            .definitions
            .iter()
            .map(|bytes| Called::of(bytes, game))
            .collect();
        let names = World::new(called.iter().map(|called| called.name.clone()));
        Ok(Base {
            anim,
            table,
            called,
            names,
            places: OnceLock::new(),
            bound: OnceLock::new(),
        })
    }

    /// Reads a definition; `None` if there is none, or its typed form does not reproduce its bytes.
    pub fn definition(&self, at: usize) -> Option<Definition> {
        let bytes = self.anim.definitions.get(at)?;
        Definition::read(bytes, self.anim.game, &self.table).ok()
    }

    /// The position in the world that the definitions use for a name (CS). Prefers definitions
    /// bound to one of the nodes in `below`; otherwise the position must be the same everywhere.
    pub(crate) fn place(&self, name: &[u8], below: &[u32]) -> Option<u32> {
        let seen = self.places.get_or_init(|| self.all_places()).get(name)?;
        let only = |is_near: &dyn Fn(&Seen) -> bool| {
            let mut all = seen
                .iter()
                .filter(|seen| is_near(seen))
                .map(|seen| seen.place);
            let first = all.next()?;
            all.all(|other| other == first).then_some(first)
        };
        below
            .iter()
            .find_map(|top| only(&|seen| seen.below == *top))
            .or_else(|| only(&|_| true))
    }

    /// The first definition that is bound to a node with this name and path (CS).
    pub(crate) fn bound_to(&self, name: &[u8], path: &[PathNode]) -> Option<Definition> {
        let key = |name: &[u8], path: &[PathNode]| -> BoundTo {
            let steps = path.iter().map(|step| step.name.text.clone());
            (name.to_vec(), steps.collect())
        };
        let known = self.bound.get_or_init(|| {
            let all = par::map(&self.anim.definitions, |at, _| {
                let d = self.definition(at)?;
                Some((key(d.name.bytes(), &d.path), at))
            });
            // The first of several is the last to be put in.
            all.into_iter().rev().flatten().collect()
        });
        self.definition(*known.get(&key(name, path))?)
    }

    /// All positions that definitions use, by name.
    fn all_places(&self) -> HashMap<Vec<u8>, Vec<Seen>> {
        let mut out: HashMap<Vec<u8>, Vec<Seen>> = HashMap::new();
        let all = par::map(&self.anim.definitions, |at, _| {
            self.definition(at).map(|d| places(&d)).unwrap_or_default()
        });
        for (name, seen) in all.into_iter().flatten() {
            let all = out.entry(name).or_default();
            if seen.place != !0 && !all.contains(&seen) {
                all.push(seen);
            }
        }
        out
    }

    /// For each of the new entries, its old position: matched by all three names, then by two, then
    /// by the name that calls use; each in the order of the file.
    pub(crate) fn matches(&self, new: &[Called]) -> Vec<Option<usize>> {
        let mut found: Vec<Option<usize>> = vec![None; new.len()];
        let mut taken = vec![false; self.called.len()];
        type Part = fn(&Called) -> [&[u8]; 3];
        let parts: [Part; 3] = [
            |c| [&c.animation, &c.name, &c.root],
            |c| [&c.animation, &c.name, b""],
            |c| [&c.animation, b"", b""],
        ];
        for part in parts {
            let mut free: HashMap<[&[u8]; 3], VecDeque<usize>> = HashMap::new();
            for (at, called) in self
                .called
                .iter()
                .enumerate()
                .filter(|(at, _)| taken.get(*at) == Some(&false))
            {
                free.entry(part(called)).or_default().push_back(at);
            }
            for (new, found) in new
                .iter()
                .zip(&mut found)
                .filter(|(_, found)| found.is_none())
            {
                *found = free.get_mut(&part(new)).and_then(VecDeque::pop_front);
                if let Some(taken) = found.and_then(|at| taken.get_mut(at)) {
                    *taken = true;
                }
            }
        }
        found
    }
}

/// The positions that a definition uses, each with its name.
fn places(d: &Definition) -> Vec<(Vec<u8>, Seen)> {
    let mut out = Vec::new();
    let below = d.pointers.anim.or(Hex(!0)).0;
    let mut add = |name: &[u8], place: Hex<u32>| {
        let place = place.0;
        out.push((name.to_vec(), Seen { place, below }));
    };
    add(d.name.bytes(), Hex(below));
    add(
        d.animation_root_name.bytes(),
        d.pointers.root.or(Hex(below)),
    );
    d.path
        .iter()
        .for_each(|step| add(step.name.text.bytes(), step.id));
    d.stale
        .objects
        .iter()
        .for_each(|object| add(object.name.bytes(), object.pointer.or(Hex(!0))));
    d.stale
        .nodes
        .iter()
        .for_each(|node| add(node.name.bytes(), node.pointer.or(Hex(!0))));
    out
}
