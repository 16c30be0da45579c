//! What a definition's keys are read and written in: its tables of names, the digits of its wildcards, what is said of it.

use super::source::{Item, List};
use crate::{
    formats::anim::{
        definition::Definition,
        names::{INPUT, Name, NameTable, OWN, Ref, StoredName, Tables},
        prerequisites::Reference,
        references::Array,
        scripts::Script,
    },
    game::Game,
    lint::{Code, Lints},
    wire::{Error, ErrorKind, F32, Result, decode_1252},
};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// The most names of a table: indices have one byte, and one entry is blank.
pub const MOST_NAMES: usize = 254;
/// The most bytes of a name: its field has 32, and a zero ends it.
pub const MOST_BYTES: usize = 31;
/// What sources call the node that the caller gives.
pub const INPUT_NODE: &[u8] = b"INPUT_NODE";
/// What sources call the node that the animation is bound to.
pub const ROOT_NODE: &[u8] = b"MAIN_ROOT_NODE";

/// A table of names while a definition is compiled.
#[derive(Clone, Default)]
pub struct NameList {
    names: Vec<Name>,
    /// The first place of each name.
    places: HashMap<Name, usize>,
    /// Which entries something refers to.
    used: Vec<bool>,
    /// How many of them an older definition had.
    seeded: usize,
    /// The table exists, if only with its blank entry.
    there: bool,
}

impl NameList {
    /// Adds an entry, whatever stands there already.
    fn push(&mut self, name: Name) -> usize {
        let at = self.names.len();
        self.places.entry(name.clone()).or_insert(at);
        self.names.push(name);
        self.used.push(false);
        self.there = true;
        at
    }

    /// The first entry of a name, a new one where there is none.
    fn put(&mut self, name: Name, what: &str) -> Result<()> {
        let at = match self.places.get(&name) {
            Some(at) => *at,
            None if self.names.len() >= MOST_NAMES => {
                return Err(Error::say(format!("more than {MOST_NAMES} {what}, {:?} is one too many", name.text()))
                    .hint("a definition has room for no more: split it")
                    .of_kind(ErrorKind::Limit));
            }
            None => self.push(name),
        };
        if let Some(used) = self.used.get_mut(at) {
            *used = true;
        }
        Ok(())
    }

    /// The names as a document has them; `None` for a table that does not exist. With `prune` only those that something refers to.
    fn labels(&self, prune: bool) -> Option<Vec<StoredName>> {
        let kept = self.names.iter().zip(&self.used).filter(|(_, used)| !prune || **used);
        let labels: Vec<StoredName> = kept.map(|(name, _)| StoredName { text: name.clone(), tail: None }).collect();
        (self.there && (!prune || !labels.is_empty())).then_some(labels)
    }
}

/// The tables of a definition while it is compiled.
#[derive(Clone, Default)]
pub struct Lists {
    arrays: [NameList; 7],
    /// Animation references, one for each call that needs one.
    pub references: Vec<Reference>,
    /// How many of them have each name.
    counts: HashMap<Name, u32>,
    /// Something refers to an entry by its number: none can be left out.
    pub by_number: bool,
    /// They began with the tables of an older definition.
    seeded: bool,
}

/// Of each table, which entries of an older definition are still there. They stand before the new ones.
#[derive(Clone, Default)]
pub struct KeptNames([Vec<bool>; 7]);

impl KeptNames {
    /// How many of a table.
    pub fn count(&self, array: Array) -> usize {
        self.flags(array).iter().filter(|kept| **kept).count()
    }

    /// Takes out what belonged to the entries that are gone.
    pub fn retain<T>(&self, array: Array, all: &mut Vec<T>) {
        let flags = self.flags(array);
        if flags.len() == all.len() {
            let mut flags = flags.iter();
            all.retain(|_| flags.next() != Some(&false));
        }
    }

    fn flags(&self, array: Array) -> &[bool] {
        self.0.get(array as usize).map_or(&[], Vec::as_slice)
    }
}

/// What an entry of a table is called, where there are several.
fn plural(array: Array) -> &'static str {
    match array {
        Array::Objects => "objects",
        Array::Nodes => "nodes",
        Array::Lights => "lights",
        Array::Puffers => "puffers",
        Array::DynamicSounds => "dynamic sounds",
        Array::StaticSounds => "static sounds",
        Array::Effects => "effects",
    }
}

impl Lists {
    fn list(&mut self, array: Array) -> &mut NameList {
        // There is one for each array.
        let at = (array as usize).min(self.arrays.len() - 1);
        &mut self.arrays[at]
    }

    /// Begins with the tables of a definition: their entries keep their places.
    pub fn seed(&mut self, from: &Definition, game: Game) {
        self.seeded = true;
        for array in Array::all(game) {
            let Some(labels) = from.names(array) else { continue };
            self.list(array).there = true;
            labels.iter().for_each(|label| {
                self.list(array).push(label.text.clone());
            });
            self.list(array).seeded = labels.len();
        }
    }

    /// Adds an entry that a source asks for by itself. Over a base its tables stand already: only what is not there is added.
    pub fn add(&mut self, array: Array, name: Option<Name>) {
        let seeded = self.seeded;
        let list = self.list(array);
        list.there = true;
        if let Some(name) = name.filter(|name| !seeded || !list.places.contains_key(name)) {
            list.push(name);
        }
    }

    /// The first entry of a name.
    pub fn put(&mut self, array: Array, name: &[u8]) -> Result<Ref> {
        let name = Name::from(name);
        self.list(array).put(name.clone(), plural(array))?;
        Ok(if [INPUT.as_bytes(), OWN.as_bytes()].contains(&name.bytes()) { Ref::Nth(name, 1) } else { Ref::Name(name) })
    }

    /// A new animation reference; gives what refers to it.
    pub fn refer(&mut self, reference: Reference) -> Result<Ref> {
        if self.references.len() >= 255 {
            return Err(Error::say("more than 255 animation references")
                .hint("a definition has room for no more: split it")
                .of_kind(ErrorKind::Limit));
        }
        let name = reference.name.text.clone();
        let count = self.counts.entry(name.clone()).or_default();
        *count += 1;
        self.references.push(reference);
        let plain = *count == 1 && ![INPUT.as_bytes(), OWN.as_bytes()].contains(&name.bytes());
        Ok(if plain { Ref::Name(name) } else { Ref::Nth(name, *count) })
    }

    /// Takes back the last animation references, down to so many.
    pub fn back_to(&mut self, len: usize) {
        while self.references.len() > len {
            if let Some(count) = self.references.pop().and_then(|last| self.counts.get_mut(&last.name.text)) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// What refers to the animation reference in a slot; `None` for the number of no slot.
    pub fn reference_at(&self, slot: i32) -> Option<Ref> {
        if slot == -1 {
            return None;
        }
        let found = usize::try_from(slot).ok().and_then(|at| Some((at, self.references.get(at)?)));
        let Some((at, found)) = found else { return Some(Ref::Index(slot)) };
        let name = &found.name.text;
        let nth = self.references.iter().take(at + 1).filter(|other| other.name.text == *name).count();
        let plain = nth == 1 && ![INPUT.as_bytes(), OWN.as_bytes()].contains(&name.bytes());
        Some(if plain { Ref::Name(name.clone()) } else { Ref::Nth(name.clone(), u32::try_from(nth).unwrap_or(u32::MAX)) })
    }

    /// Puts the tables into a definition; tells which entries of an older one are still there.
    pub fn into(self, d: &mut Definition, prune: bool) -> KeptNames {
        let prune = prune && !self.by_number;
        let kept = |names: &NameList| names.used.iter().take(names.seeded).map(|used| !prune || *used).collect();
        let kept = KeptNames(self.arrays.each_ref().map(kept));
        let [objects, nodes, lights, puffers, dynamic, fixed, effects] = self.arrays;
        d.objects = objects.labels(prune);
        d.nodes = nodes.labels(prune);
        d.lights = lights.labels(prune);
        d.puffers = puffers.labels(prune);
        d.dynamic_sounds = dynamic.labels(prune);
        d.static_sounds = fixed.labels(prune);
        d.effects = effects.labels(prune);
        d.animation_references = self.references;
        kept
    }

    /// The tables as events are read and written with them.
    pub fn tables(&self, game: Game, scripts: &Arc<NameTable>) -> Tables {
        let mut d = Definition::default();
        self.clone().into(&mut d, false);
        d.tables(game, scripts)
    }
}

/// Where scripts come from.
pub trait Scripts: Sync {
    /// The frames of an object's movement in a file of this name.
    fn load(&self, file: &[u8], object: &[u8], rate: F32) -> Result<Script>;
}

/// A script that was written.
#[derive(Clone)]
pub struct ScriptFile {
    /// What the sources call it.
    pub name: String,
    /// Its frames.
    pub script: Script,
    /// Its text, where there is one that gives the frames again.
    pub text: Option<Vec<u8>>,
}

/// An error of a list gets the place of the list in its file, unless a place or another file is known already.
pub fn located(e: Error, list: Option<List<'_>>) -> Error {
    match list.and_then(List::in_text).filter(|_| e.file().is_none()) {
        Some((line, column)) => e.placed(line, column),
        None => e,
    }
}

/// What a definition's keys are read and written in.
pub struct Scope<'a> {
    /// The game.
    pub game: Game,
    /// The file's gravity.
    pub gravity: F32,
    /// What stands in the place of stars, from the left.
    pub digits: &'a [u8],
    /// The tables.
    pub lists: Lists,
    /// Writing: the animation references of the definition.
    pub known: Vec<Reference>,
    /// Where scripts come from; `None` where none may be read.
    pub scripts: Option<&'a dyn Scripts>,
    /// The file's scripts by name (PM, CS).
    pub table: &'a Arc<NameTable>,
    /// Scripts that were written.
    pub written: Vec<ScriptFile>,
    /// Scripts that have a text, by their numbers: frames per second, and the text.
    pub texts: HashMap<usize, (F32, Vec<u8>)>,
    /// The number of the first of them.
    pub first_script: usize,
    /// Nodes that events change, and that are not among the objects all the same.
    pub unsaved: HashSet<Vec<u8>>,
    /// The slot that the next call keeps its animation reference in, where the source says it.
    pub slot: Option<i32>,
    /// Written calls say their slots: the references are not those that the calls would make.
    pub explicit: bool,
    /// What is read was only just written, to see what comes back: scripts are the last ones written.
    pub checks: bool,
    /// What is said.
    pub lints: Lints,
}

impl<'a> Scope<'a> {
    /// A scope without tables, digits or scripts.
    pub fn new(game: Game, gravity: F32, table: &'a Arc<NameTable>) -> Self {
        let mut lints = Lints::new();
        lints.of_game(Some(game));
        Scope {
            game,
            gravity,
            digits: &[],
            lists: Lists::default(),
            known: Vec::new(),
            scripts: None,
            table,
            written: Vec::new(),
            texts: HashMap::new(),
            first_script: 1,
            unsaved: HashSet::new(),
            slot: None,
            explicit: false,
            checks: false,
            lints,
        }
    }

    /// Says something of a list: its path is `:LINE:COLUMN` where they are known. The name of the file is put before it later.
    pub fn say(&mut self, code: &'static Code, list: Option<List<'_>>, message: impl Into<String>) {
        let path = list.and_then(List::in_text).map_or_else(String::new, |(line, column)| format!(":{line}:{column}"));
        self.lints.at(path, |lints| lints.say(code, message));
    }

    /// Tells of what is no key and belongs to none.
    pub fn strays(&mut self, list: List<'_>, place: &str) {
        for what in list.strays() {
            self.say(super::UNKNOWN, Some(list), format!("{what} in {place} where a key belongs: dropped"));
        }
    }

    /// The entry of the animation references that a call refers to.
    pub fn reference(&self, value: &Ref) -> Option<Reference> {
        let (name, nth) = match value {
            Ref::Name(name) => (name, 1),
            Ref::Nth(name, nth) => (name, *nth),
            _ => return None,
        };
        let mut same = self.known.iter().filter(|reference| reference.name.text == *name);
        same.nth(usize::try_from(nth).ok()?.checked_sub(1)?).cloned()
    }

    /// A name with digits in the place of its stars. One that is too long is cut where the game's own tool cuts it (CS).
    pub fn name<'t>(&mut self, text: &'t [u8]) -> Result<Cow<'t, [u8]>> {
        let mut text = Cow::Borrowed(text);
        if memchr::memchr(b'*', &text).is_some() {
            let mut digits = self.digits.iter();
            for byte in text.to_mut().iter_mut().filter(|byte| **byte == b'*') {
                *byte = *digits.next().ok_or_else(|| {
                    Error::say(format!("a star without a digit: the NAME of the definition has {} of them", self.digits.len()))
                        .hint("each star stands for a digit of the name that the definition is bound to")
                })?;
            }
        }
        if text.len() > MOST_BYTES {
            let shown = decode_1252(&text).into_owned();
            if self.game != Game::Cs {
                let what = format!("the name {shown:?} has {} bytes, at most {MOST_BYTES} fit", text.len());
                return Err(Error::say(what).of_kind(ErrorKind::Limit));
            }
            self.lints.say(super::CUT, format!("the name {shown:?} has {} bytes: it is cut to {MOST_BYTES}", text.len()));
            text = text.get(..MOST_BYTES).unwrap_or_default().to_vec().into();
        }
        match memchr::memchr(0, &text) {
            Some(_) => Err(Error::say(format!("a zero byte ends the name {:?}", decode_1252(&text)))),
            None => Ok(text),
        }
    }
}

/// The values of a key: those that are not lists. A list that begins with `REFIT` is a value, too.
pub struct Args<'a> {
    values: Vec<Item<'a>>,
    /// The whole list.
    pub list: Option<List<'a>>,
}

/// The word that begins what only refit reads.
pub const REFIT: &[u8] = b"REFIT";

/// What stands behind the word in a list that begins with `REFIT`.
pub fn literal(item: Item<'_>) -> Option<super::source::Items<'_>> {
    let Item::List(list) = item else { return None };
    let mut items = list.items();
    matches!(items.next(), Some(Item::Text(REFIT))).then_some(items)
}

impl<'a> Args<'a> {
    /// Of a key's list.
    pub fn new(list: Option<List<'a>>, game: Game) -> Self {
        let mut values: Vec<Item<'a>> = Vec::new();
        for item in list.into_iter().flat_map(List::items) {
            match item {
                Item::List(path) if literal(item).is_none() => {
                    // A node may be given as a path (CS): its last step names it.
                    let last = path.items().last();
                    if let (true, Game::Cs, Some(Item::Text(_))) = (values.is_empty(), game, last) {
                        values.extend(last);
                    }
                }
                _ => values.push(item),
            }
        }
        Args { values, list }
    }

    /// Of an item that is no key's list, but holds keys itself: these are left out with their lists.
    pub fn of_item(list: Option<List<'a>>) -> Self {
        let mut values: Vec<Item<'a>> = Vec::new();
        for item in list.into_iter().flat_map(List::items) {
            match item {
                Item::List(_) if matches!(values.last(), Some(Item::Text(_))) => _ = values.pop(),
                Item::List(_) => {}
                _ => values.push(item),
            }
        }
        Args { values, list }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The nth value.
    pub fn get(&self, i: usize) -> Option<Item<'a>> {
        self.values.get(i).copied()
    }

    /// The nth value is no number, or there is none.
    pub fn is_number(&self, i: usize) -> bool {
        matches!(self.get(i), Some(Item::Int(_) | Item::Float(_)))
    }

    /// The nth value as a number.
    pub fn number(&self, i: usize) -> Result<F32> {
        let number = match self.get(i) {
            Some(Item::Int(n)) => F32::from(n as f32),
            Some(Item::Float(f)) => f,
            Some(Item::Text(text)) => return Err(Error::say(format!("{:?} stands where a number belongs", decode_1252(text)))),
            Some(Item::List(_)) => return Err(Error::say("a list stands where a number belongs")),
            None => return Err(Error::say(format!("{} where at least {} belong", numbers(self.len()), i + 1))),
        };
        if number.get().is_finite() { Ok(number) } else { Err(Error::say("a number that is not finite")) }
    }

    /// The nth value as an integer: what is behind the point is cut off.
    pub fn integer(&self, i: usize) -> Result<i64> {
        match self.get(i) {
            Some(Item::Int(n)) => Ok(n.into()),
            _ => self.number(i).map(|f| f.get() as i64),
        }
    }

    /// So many numbers.
    pub fn numbers<const N: usize>(&self, from: usize) -> Result<[F32; N]> {
        let mut out = [F32::default(); N];
        for (i, slot) in out.iter_mut().enumerate() {
            *slot = self.number(from + i)?;
        }
        Ok(out)
    }

    /// The nth value as text. A number that stands where a name belongs is one.
    pub fn word(&self, i: usize) -> Option<Cow<'a, [u8]>> {
        match self.get(i)? {
            Item::Text(text) => Some(Cow::Borrowed(text)),
            Item::Int(n) => Some(n.to_string().into_bytes().into()),
            _ => None,
        }
    }

    /// The nth value, which must be a text.
    pub fn need(&self, i: usize) -> Result<Cow<'a, [u8]>> {
        self.word(i).filter(|word| !word.is_empty()).ok_or_else(|| Error::say("a name is missing"))
    }
}

fn numbers(n: usize) -> String {
    match n {
        0 => "no number".into(),
        1 => "one value".into(),
        n => format!("{n} values"),
    }
}
