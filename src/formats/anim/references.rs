//! What a definition refers to: its arrays of named things, and what stands in them besides the names (anim.md, section 5).

use super::{
    fields::{self, Beside, Care, Fields, Layout, Side, body},
    names::{Kind, Label, NOTHING, Name},
};
use crate::{
    game::Game,
    wire::{Extra, Hex, Raw, Reader, Result, Writer},
};
use std::{collections::HashMap, sync::LazyLock};

/// An array of a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Array {
    /// Nodes whose state is saved and restored on reset.
    Objects,
    /// Nodes that events use.
    Nodes,
    /// Lights.
    Lights,
    /// Puffers (not RC).
    Puffers,
    /// Dynamic sounds.
    DynamicSounds,
    /// Static sounds.
    StaticSounds,
    /// Effects (RC).
    Effects,
}

/// Layout of an array's entries: bytes, place and bytes of the name, and whether it was filled with `Default_node_name`.
pub struct Shape {
    /// Bytes of an entry.
    pub size: usize,
    name: usize,
    name_size: usize,
    node: bool,
}

impl Shape {
    /// What stands before and behind the name of an entry.
    fn around_name<'a>(&self, entry: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        (entry.get(..self.name).unwrap_or_default(), entry.get(self.name + self.name_size..).unwrap_or_default())
    }
}

fn wide(game: Game) -> bool {
    matches!(game, Game::Pm | Game::Cs)
}

impl Array {
    /// All arrays of a game in file order.
    pub fn all(game: Game) -> impl Iterator<Item = Array> {
        use Array::*;
        [Objects, Nodes, Lights, Puffers, DynamicSounds, StaticSounds, Effects]
            .into_iter()
            .filter(move |a| game != Game::Rc || *a != Puffers)
    }

    /// The layout in a game.
    pub fn shape(self, game: Game) -> Shape {
        let named = |size, name, node| Shape { size, name, name_size: 32, node };
        match self {
            Array::Objects => named(if wide(game) { 92 } else { 96 }, 0, true),
            Array::Nodes if wide(game) => named(44, 4, true),
            Array::Nodes => named(40, 0, true),
            Array::Lights | Array::DynamicSounds => named(44, 0, true),
            Array::Puffers => named(44, 0, false),
            Array::StaticSounds if game == Game::Cs => Shape { size: 40, name: 0, name_size: 40, node: false },
            Array::StaticSounds | Array::Effects => named(36, 0, false),
        }
    }

    /// The list that indices point into; objects are only saved and restored.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Array::Objects => None,
            Array::Nodes => Some(Kind::Node),
            Array::Lights => Some(Kind::Light),
            Array::Puffers => Some(Kind::Puffer),
            Array::DynamicSounds => Some(Kind::DynamicSound),
            Array::StaticSounds => Some(Kind::StaticSound),
            Array::Effects => Some(Kind::Effect),
        }
    }

    /// The field's name in a document.
    pub fn key(self) -> &'static str {
        match self {
            Array::Objects => "objects",
            Array::Nodes => "nodes",
            Array::Lights => "lights",
            Array::Puffers => "puffers",
            Array::DynamicSounds => "dynamic_sounds",
            Array::StaticSounds => "static_sounds",
            Array::Effects => "effects",
        }
    }
}

body! {
    /// What stands in an entry besides its name: stale memory of the program that wrote the file, and what the engine sets
    /// when it loads the file.
    pub struct Stale {
        /// The entry's name: the bytes follow it wherever it moves.
        name: Name,
        /// Stale address, or an id (CS). `0xffffffff` when absent.
        pointer~ Hex<u32>,
        flags? Hex<u32>,
        /// Always 0 in known files (PM, CS).
        root? u16,
        in_world? Hex<u32>,
        /// What the engine finds for it when it loads the file.
        resolved? Hex<u32>,
        /// The saved state of an object: active (RC, MW).
        active? Hex<u32>,
        /// The saved transform is a matrix (RC, MW).
        matrix? Hex<u32>,
        /// The saved transform of an object.
        transform? Raw<48>,
        /// What the typed form cannot say of the entry.
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        extra: Extra,
    }
}

/// Behind the array stands the entry that is read: its name is written elsewhere.
impl Layout for Beside<'_, Stale, (Array, &[u8])> {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        let Beside(me, (array, entry)) = self;
        let (wide, shape) = (wide(f.game), array.shape(f.game));
        match array {
            Array::Objects => {
                f.at(36).odd(&mut me.pointer, Hex(!0));
                if wide {
                    short(f, &mut me.flags);
                    f.some(&mut me.root);
                } else {
                    f.some(&mut me.active);
                    f.some(&mut me.matrix);
                }
                f.some(&mut me.transform);
            }
            Array::Nodes => {
                if wide {
                    short(f, &mut me.flags);
                    f.some(&mut me.root);
                }
                f.at(if wide { 40 } else { 36 }).odd(&mut me.pointer, Hex(!0));
            }
            Array::Lights | Array::Puffers | Array::DynamicSounds => {
                f.at(32).some(&mut me.flags);
                f.odd(&mut me.pointer, Hex(!0));
                f.some(&mut me.in_world);
            }
            Array::StaticSounds | Array::Effects => {
                if f.size() > 32 && shape.name_size == 32 {
                    f.at(32).some(&mut me.resolved);
                }
            }
        }
        f.at(shape.name).same(entry, shape.name_size);
    }
}

/// A flag word of 16 bits where other records have 32.
fn short(f: &mut Fields<'_, impl Side>, value: &mut Option<Hex<u32>>) {
    let mut half = value.and_then(|v| u16::try_from(v.0).ok()).map(Hex);
    if !f.reads() && value.is_some() && half.is_none() {
        f.fail(crate::wire::Error::say("these flags have 16 bits"));
    }
    f.some(&mut half);
    *value = half.map(|h| Hex(h.0.into()));
}

/// An array: names, and what else stands in the entries. `names` is `None` for an array that is not there; an array of no names
/// still has its zero element.
#[derive(Default)]
pub struct Entries {
    /// The names, without the zero element.
    pub names: Option<Vec<Label>>,
    /// What else; empty when all of it is regular.
    pub stale: Vec<Stale>,
    /// The zero element, where it is not regular.
    pub zero: Extra,
}

/// Bytes of the longest entry.
const ENTRY: usize = 96;

/// The regular zero element, made of zeros: in PM and CS an object's or node's pointer is all ones.
fn zero_element(array: Array, game: Game, zeros: &mut [u8; ENTRY]) -> &mut [u8] {
    let pointer = match array {
        Array::Objects if wide(game) => 36..40,
        Array::Nodes if wide(game) => 40..44,
        _ => 0..0,
    };
    zeros.get_mut(pointer).unwrap_or_default().fill(0xff);
    zeros.get_mut(..array.shape(game).size).unwrap_or_default()
}

/// An entry of an empty name beside which everything is regular: what a regular [`Stale`] writes.
fn regular(array: Array, game: Game) -> &'static [u8] {
    static ALL: LazyLock<[[[u8; ENTRY]; 7]; 4]> = LazyLock::new(|| {
        let mut all = [[[0; ENTRY]; 7]; 4];
        for game in Game::ALL {
            for array in Array::all(game) {
                let entry = all[game as usize][array as usize].get_mut(..array.shape(game).size).unwrap_or_default();
                // A regular one has no field that could fail.
                let written = fields::store(&mut Beside(&mut Stale::default(), (array, [].as_slice())), entry, game, &NOTHING);
                debug_assert!(written.is_ok());
            }
        }
        all
    });
    ALL[game as usize][array as usize].get(..array.shape(game).size).unwrap_or_default()
}

impl Entries {
    /// Reads `count` entries, the zero element among them.
    pub fn read(r: &mut Reader<'_>, array: Array, count: u8, care: &mut Care) -> Result<Self> {
        let (game, shape) = (r.game, array.shape(r.game));
        let bytes = r.take_many(count.into(), shape.size as u64).map_err(|e| e.within(array.key()))?;
        let mut entries = bytes.chunks_exact(shape.size);
        let Some(first) = entries.next() else { return Ok(Entries::default()) };
        let mut zero = [0; ENTRY];
        let zero = Extra::of(zero_element(array, game, &mut zero), first);
        let (mut names, mut stale) = (Vec::new(), Vec::new());
        names.resize_with(entries.len(), Label::default);
        let regular = shape.around_name(regular(array, game));
        for (i, (entry, label)) in entries.zip(&mut names).enumerate() {
            label.fill(entry.get(shape.name..shape.name + shape.name_size).unwrap_or_default(), shape.node);
            // The name's bytes are what the label writes: only the rest is looked at.
            if shape.around_name(entry) == regular {
                continue;
            }
            stale.resize_with(i + 1, Stale::default);
            let Some(it) = stale.last_mut() else { continue };
            it.extra = fields::fill(&mut Beside(it, (array, entry)), entry, game, &NOTHING, care);
        }
        if !stale.is_empty() {
            stale.resize_with(names.len(), Stale::default);
            for (stale, label) in stale.iter_mut().zip(&names) {
                stale.name = label.text.clone();
            }
        }
        Ok(Entries { names: Some(names), stale, zero })
    }

    /// Writes what [`Entries::read`] reads.
    pub fn write(&mut self, w: &mut Writer, array: Array) -> Result<()> {
        let Some(names) = &self.names else { return Ok(()) };
        let (game, shape) = (w.game, array.shape(w.game));
        let mut zero = [0; ENTRY];
        let zero = zero_element(array, game, &mut zero);
        self.zero.lay_over(zero).map_err(|e| e.within(array.key()))?;
        w.raw(zero);
        let moved = (!stands(names, &self.stale)).then(|| follow(names, &self.stale));
        let regular = regular(array, game);
        for (i, label) in names.iter().enumerate() {
            let at = w.len();
            let place = moved.as_ref().map_or(Some(i), |moved| moved.get(i).copied().flatten());
            let mut done = Ok(());
            if let Some(stale) = place.and_then(|place| self.stale.get_mut(place)) {
                w.bytes.resize(at + shape.size, 0);
                let extra = std::mem::take(&mut stale.extra);
                let entry = w.bytes.get_mut(at..).unwrap_or_default();
                done = fields::write(&mut Beside(stale, (array, [].as_slice())), &extra, entry, game, &NOTHING);
                stale.extra = extra;
            } else {
                w.raw(regular);
            }
            let entry = w.bytes.get_mut(at..).unwrap_or_default();
            let field = entry.get_mut(shape.name..shape.name + shape.name_size).unwrap_or_default();
            done.and_then(|()| label.write(field, shape.node)).map_err(|e| e.within(array.key()))?;
        }
        Ok(())
    }
}

/// True when what belongs to each name stands in its place, or all of it is regular.
fn stands(names: &[Label], stale: &[Stale]) -> bool {
    stale.is_empty() || names.len() == stale.len() && names.iter().zip(stale).all(|(n, s)| n.text == s.name)
}

/// Finds the place of what belongs to each name. In a list of the same length a name that stands where it stood keeps its own;
/// else the nth of a name has what belonged to the nth of that name; a new name in a list of the same length has what is left in
/// its place.
fn follow(names: &[Label], stale: &[Stale]) -> Vec<Option<usize>> {
    let same_length = names.len() == stale.len();
    let mut found: Vec<Option<usize>> = vec![None; names.len()];
    let mut taken = vec![false; stale.len()];
    if same_length {
        for (i, ((name, s), (slot, taken))) in names.iter().zip(stale).zip(found.iter_mut().zip(&mut taken)).enumerate() {
            *taken = name.text == s.name;
            *slot = taken.then_some(i);
        }
    }
    let mut by_name: HashMap<&Name, Vec<usize>> = HashMap::new();
    for (i, s) in stale.iter().enumerate().rev().filter(|(i, _)| taken.get(*i) == Some(&false)) {
        by_name.entry(&s.name).or_default().push(i);
    }
    for (name, slot) in names.iter().zip(&mut found).filter(|(_, slot)| slot.is_none()) {
        *slot = by_name.get_mut(&name.text).and_then(Vec::pop);
        if let Some(taken) = slot.and_then(|i| taken.get_mut(i)) {
            *taken = true;
        }
    }
    if same_length {
        for (i, slot) in found.iter_mut().enumerate() {
            if slot.is_none() && taken.get(i) == Some(&false) {
                *slot = Some(i);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_regular_is_written_without_being_there() {
        for game in Game::ALL {
            for array in Array::all(game) {
                let write = |stale: Vec<Stale>| {
                    let mut w = Writer::new(game);
                    Entries { names: Some(vec![Label::new(b"gun")]), stale, zero: Extra::default() }.write(&mut w, array).unwrap();
                    w.bytes
                };
                let bytes = write(Vec::new());
                assert_eq!(bytes, write(vec![Stale { name: b"gun".as_slice().into(), ..Stale::default() }]));
                let read = |bytes: &[u8]| Entries::read(&mut Reader::new(bytes, game), array, 2, &mut Care::default()).unwrap();
                assert!(read(&bytes).stale.is_empty(), "{array:?} {game:?}");
                let (size, shape) = (array.shape(game).size, array.shape(game));
                for at in (0..size).filter(|at| !(shape.name..shape.name + shape.name_size).contains(at)) {
                    let mut other = bytes.clone();
                    other[size + at] ^= 1;
                    assert_eq!(read(&other).stale.len(), 1, "{array:?} {game:?} {at}");
                }
            }
        }
    }

    #[test]
    fn stale_memory_follows_its_name() {
        let stale: Vec<Stale> = ["a", "b", "b", "c"]
            .iter()
            .zip(0u32..)
            .map(|(n, i)| Stale { name: n.as_bytes().into(), resolved: Some(Hex(i)), ..Stale::default() })
            .collect();
        let find = |names: &[&str]| -> Vec<Option<u32>> {
            let names: Vec<Label> = names.iter().map(|n| Label::new(n.as_bytes())).collect();
            follow(&names, &stale).iter().map(|i| stale.get((*i)?)?.resolved.map(|r| r.0)).collect()
        };
        assert_eq!(find(&["a", "b", "b", "c"]), [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(find(&["a", "b", "c"]), [Some(0), Some(1), Some(3)]);
        assert_eq!(find(&["c", "a", "new", "b", "b"]), [Some(3), Some(0), None, Some(1), Some(2)]);
        // One of two equal names is renamed: each keeps what stands in its own place.
        assert_eq!(find(&["a", "renamed", "b", "c"]), [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(find(&["a", "b", "b", "renamed"]), [Some(0), Some(1), Some(2), Some(3)]);
    }
}
