//! The context of a definition's keys while they are read or written: its tables of names, the
//! digits of its wildcards, its findings.

use super::source::{Item, List};
use refit_base::{
    game::Game,
    lint::{Code, Lints},
    wire::{Error, ErrorKind, F32, Result, Text, Within, decode_1252},
};
use refit_zipper::anim::{
    definition::Definition,
    names::{Name, NameTable, Ref, StoredName, Tables},
    prerequisites::Reference,
    references::Array,
    scripts::Script,
};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Maximum number of names in a table: indices have one byte, and one entry is blank.
pub const MOST_NAMES: usize = 254;
/// Maximum length of a name in bytes: its field has 32, including the terminator.
pub const MOST_BYTES: usize = 31;
/// The name of the caller's node in sources.
pub const INPUT_NODE: &[u8] = b"INPUT_NODE";
/// The name, in sources, of the node that the animation is bound to.
pub const ROOT_NODE: &[u8] = b"MAIN_ROOT_NODE";

/// A table of names while a definition is compiled.
#[derive(Clone, Default)]
pub struct NameList {
    /// The names, and whether something refers to each.
    names: Vec<(Name, bool)>,
    /// How many of the entries come from an older definition.
    seeded: usize,
    /// True if the table exists, even if it only has its blank entry.
    there: bool,
}

impl NameList {
    /// The first entry with a name. No table that fits its file is longer.
    fn find(&mut self, name: &Name) -> Option<&mut (Name, bool)> {
        self.names
            .iter_mut()
            .take(MOST_NAMES + 1)
            .find(|(other, _)| other == name)
    }

    /// Uses the first entry with this name, or adds one.
    fn put(&mut self, name: &Name, what: &str) -> Result<()> {
        self.there = true;
        if let Some((_, used)) = self.find(name) {
            *used = true;
        } else if self.names.len() >= MOST_NAMES {
            return Err(Error::say(format!(
                "more than {MOST_NAMES} {what}, {:?} is one too many",
                name.text()
            ))
            .hint("a definition has room for no more: split it")
            .of_kind(ErrorKind::Limit));
        } else {
            self.names.push((name.clone(), true));
        }
        Ok(())
    }

    /// The names as in a document; `None` if the table does not exist. With `prune`, only names
    /// that are referred to.
    fn labels(&self, prune: bool) -> Option<Vec<StoredName>> {
        let kept = self.names.iter().filter(|(_, used)| !prune || *used);
        let labels: Vec<StoredName> = kept
            .map(|(text, _)| StoredName {
                text: text.clone(),
                tail: None,
            })
            .collect();
        (self.there && (!prune || !labels.is_empty())).then_some(labels)
    }
}

/// The tables of a definition while it is compiled.
#[derive(Clone, Default)]
pub struct Lists {
    arrays: [NameList; 7],
    /// Animation references, one for each call that needs one.
    pub references: Vec<Reference>,
    /// True if something refers to an entry by its number: then no entry may be removed.
    pub by_number: bool,
    /// True if the tables started from an older definition.
    seeded: bool,
}

/// For each table, which entries of an older definition still exist. They come before the new ones.
#[derive(Clone, Default)]
pub struct KeptNames([Vec<bool>; 7]);

impl KeptNames {
    /// The number of kept entries of a table.
    pub fn count(&self, array: Array) -> usize {
        self.flags(array).iter().filter(|kept| **kept).count()
    }

    /// Removes the data of entries that no longer exist.
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

impl Lists {
    fn list(&mut self, array: Array) -> &mut NameList {
        // There is one list per array.
        let at = (array as usize).min(self.arrays.len() - 1);
        &mut self.arrays[at]
    }

    /// Starts with the tables of a definition, whose entries keep their positions.
    pub fn seed(&mut self, from: &Definition, game: Game) {
        self.seeded = true;
        for array in Array::all(game) {
            let Some(labels) = from.names(array) else {
                continue;
            };
            let names = labels
                .iter()
                .map(|label| (label.text.clone(), false))
                .collect();
            *self.list(array) = NameList {
                names,
                seeded: labels.len(),
                there: true,
            };
        }
    }

    /// Adds an entry that a source lists explicitly. Over a base file, whose tables already exist,
    /// adds it only if it is missing.
    pub fn add(&mut self, array: Array, name: Option<Name>) {
        let seeded = self.seeded;
        let list = self.list(array);
        list.there = true;
        if let Some(name) = name.filter(|name| !seeded || list.find(name).is_none()) {
            list.names.push((name, false));
        }
    }

    /// A reference to the first entry with this name, which is added if necessary.
    pub fn put(&mut self, array: Array, name: &[u8]) -> Result<Ref> {
        let name = Name::from(name);
        self.list(array)
            .put(&name, &array.key().replace('_', " "))?;
        Ok(Ref::nth(name, 1))
    }

    /// Adds an animation reference and returns a reference to it.
    pub fn refer(&mut self, reference: Reference) -> Result<Ref> {
        if self.references.len() >= 255 {
            return Err(Error::say("more than 255 animation references")
                .hint("a definition has room for no more: split it")
                .of_kind(ErrorKind::Limit));
        }
        self.references.push(reference);
        Ok(self
            .reference(self.references.len() - 1)
            .unwrap_or_default())
    }

    /// A reference to the animation reference at a position.
    fn reference(&self, at: usize) -> Option<Ref> {
        let name = &self.references.get(at)?.name.text;
        let nth = self
            .references
            .iter()
            .take(at + 1)
            .filter(|other| other.name.text == *name)
            .count();
        Some(Ref::nth(
            name.clone(),
            u32::try_from(nth).unwrap_or(u32::MAX),
        ))
    }

    /// A reference to the animation reference in a slot; `None` for -1.
    pub fn reference_at(&self, slot: i32) -> Option<Ref> {
        let found = usize::try_from(slot).ok().and_then(|at| self.reference(at));
        if slot == -1 {
            None
        } else {
            Some(found.unwrap_or(Ref::Index(slot)))
        }
    }

    /// Moves the tables into a definition. Returns which entries of an older definition still
    /// exist.
    pub fn into(self, d: &mut Definition, prune: bool) -> KeptNames {
        let prune = prune && !self.by_number;
        let kept = |list: &NameList| {
            list.names
                .iter()
                .take(list.seeded)
                .map(|(_, used)| !prune || *used)
                .collect()
        };
        let kept = KeptNames(self.arrays.each_ref().map(kept));
        for (array, list) in Array::ALL.into_iter().zip(&self.arrays) {
            *d.names_mut(array) = list.labels(prune);
        }
        d.animation_references = self.references;
        kept
    }

    /// The tables for reading and writing events.
    pub(crate) fn tables(&self, game: Game, scripts: &Arc<NameTable>) -> Tables {
        let mut d = Definition::default();
        self.clone().into(&mut d, false);
        d.tables(game, scripts)
    }
}

/// Provides scripts.
pub trait Scripts: Sync {
    /// The frames of an object's movement in the script file `file`.
    fn load(&self, file: &[u8], object: &[u8], rate: F32) -> Result<Script>;
}

/// A script that was written.
#[derive(Clone)]
pub struct ScriptFile {
    /// Its name in the sources.
    pub name: String,
    /// Its frames.
    pub script: Script,
    /// Its text, if one reproduces the frames.
    pub text: Option<Vec<u8>>,
}

/// Adds the place of a list in its file to an error, unless the error has a place or names another
/// file.
pub fn located(e: Error, list: Option<List<'_>>) -> Error {
    match list.and_then(List::in_text).filter(|_| e.file().is_none()) {
        Some((line, column)) => e.placed(line, column),
        None => e,
    }
}

/// The place of a list in its file as `:LINE:COLUMN`; empty if it is unknown.
pub fn place_of(list: Option<List<'_>>) -> String {
    list.and_then(List::in_text)
        .map_or_else(String::new, |(line, column)| format!(":{line}:{column}"))
}

/// The context of a definition's keys while they are read or written.
pub struct Scope<'a> {
    pub game: Game,
    /// The file's gravity.
    pub gravity: F32,
    /// The digits that replace stars, from the left.
    pub digits: &'a [u8],
    /// The tables.
    pub lists: Lists,
    /// Writing: the animation references of the definition.
    pub known: Vec<Reference>,
    /// Provides scripts; `None` if none may be read.
    pub scripts: Option<&'a dyn Scripts>,
    /// The file's scripts by name (PM, CS).
    pub table: &'a Arc<NameTable>,
    pub written: Vec<ScriptFile>,
    /// Reading: the scripts that were compiled from text, by their names in the file's table (PM,
    /// CS).
    pub made: Vec<(Name, Script)>,
    /// Scripts that have a text, by number: frames per second, and the text.
    pub texts: HashMap<usize, (F32, Vec<u8>)>,
    /// The number of the first of them.
    pub first_script: usize,
    /// Nodes that events change but that are not in the table of objects.
    pub unsaved: HashSet<Vec<u8>>,
    /// The slot of the next call's animation reference, if the source states it.
    pub slot: Option<i32>,
    /// If set, written calls state their slots, because the references differ from those that the
    /// calls give.
    pub explicit: bool,
    /// True while the keys that were just written are read back as a check: scripts are those
    /// written last.
    pub checks: bool,
    /// The findings.
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
            made: Vec::new(),
            texts: HashMap::new(),
            first_script: 1,
            unsaved: HashSet::new(),
            slot: None,
            explicit: false,
            checks: false,
            lints,
        }
    }

    /// Reports a finding about a list. Its path is `:LINE:COLUMN` if they are known; the name of
    /// the file is added later.
    pub fn say(&mut self, code: &'static Code, list: Option<List<'_>>, message: impl Into<String>) {
        self.lints
            .at(place_of(list), |lints| lints.say(code, message));
    }

    /// Reports values that are not keys and belong to none.
    pub fn strays(&mut self, list: List<'_>, place: &str) {
        for what in list.strays() {
            self.say(
                super::UNKNOWN,
                Some(list),
                format!("{what} in {place} instead of a key: dropped"),
            );
        }
    }

    /// The animation reference that a call refers to.
    pub fn reference(&self, value: &Ref) -> Option<Reference> {
        let (name, nth) = match value {
            Ref::Name(name) => (name, 1),
            Ref::Nth(name, nth) => (name, *nth),
            _ => return None,
        };
        let mut same = self
            .known
            .iter()
            .filter(|reference| reference.name.text == *name);
        same.nth(usize::try_from(nth).ok()?.checked_sub(1)?)
            .cloned()
    }

    /// A name for a text field.
    pub fn text<const N: usize>(&mut self, name: &[u8]) -> Result<Text<N>> {
        Text::new(&self.name(name)?)
    }

    /// A text with its stars replaced by digits; `None` if there are more stars than digits.
    pub fn starred<'t>(&self, text: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        let mut text = Cow::Borrowed(text);
        if text.contains(&b'*') {
            let mut digits = self.digits.iter();
            for byte in text.to_mut().iter_mut().filter(|byte| **byte == b'*') {
                *byte = *digits.next()?;
            }
        }
        Some(text)
    }

    /// A name with its stars replaced by digits. A name that is too long is truncated like in the
    /// game's own tool (CS).
    pub fn name<'t>(&mut self, text: &'t [u8]) -> Result<Cow<'t, [u8]>> {
        let mut text = self.starred(text).ok_or_else(|| {
            let n = self.digits.len();
            Error::say(format!(
                "a star without a digit: the NAME of the definition has {n} of them"
            ))
            .hint("each star means a digit of the name that the definition is bound to")
        })?;
        if text.len() > MOST_BYTES {
            let shown = decode_1252(&text).into_owned();
            if self.game != Game::Cs {
                let what = format!(
                    "the name {shown:?} has {} bytes (at most {MOST_BYTES} fit)",
                    text.len()
                );
                return Err(Error::say(what).of_kind(ErrorKind::Limit));
            }
            self.lints.say(
                super::CUT,
                format!(
                    "the name {shown:?} has {} bytes: it is cut to {MOST_BYTES}",
                    text.len()
                ),
            );
            text = text.within(..MOST_BYTES).to_vec().into();
        }
        match memchr::memchr(0, &text) {
            Some(_) => Err(Error::say(format!(
                "a zero byte ends the name {:?}",
                decode_1252(&text)
            ))),
            None => Ok(text),
        }
    }
}

/// The values of a key, without its lists. A list that starts with `REFIT` counts as a value.
pub struct Args<'a> {
    values: Vec<Item<'a>>,
    /// The whole list.
    pub list: Option<List<'a>>,
}

/// The first word of a list that only refit reads.
pub const REFIT: &[u8] = b"REFIT";

/// The values after the word in a list that starts with `REFIT`.
pub fn literal(item: Item<'_>) -> Option<super::source::Items<'_>> {
    let Item::List(list) = item else { return None };
    let mut items = list.items();
    matches!(items.next(), Some(Item::Text(REFIT))).then_some(items)
}

impl<'a> Args<'a> {
    /// The values in a key's list.
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

    /// The values of an item that also has keys, without the keys and their lists.
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

    /// Number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The value at position `i`.
    pub fn get(&self, i: usize) -> Option<Item<'a>> {
        self.values.get(i).copied()
    }

    /// True if the value at position `i` is a number.
    pub fn is_number(&self, i: usize) -> bool {
        matches!(self.get(i), Some(Item::Int(_) | Item::Float(_)))
    }

    /// The value at position `i` as a number.
    pub fn number(&self, i: usize) -> Result<F32> {
        let number = match self.get(i) {
            Some(Item::Int(n)) => F32::from(n as f32),
            Some(Item::Float(f)) => f,
            Some(Item::Text(text)) => {
                return Err(Error::say(format!(
                    "expected a number, found {:?}",
                    decode_1252(text)
                )));
            }
            Some(Item::List(_)) => return Err(Error::say("expected a number, found a list")),
            None => {
                return Err(Error::say(format!(
                    "{} (expected at least {})",
                    numbers(self.len()),
                    i + 1
                )));
            }
        };
        if number.get().is_finite() {
            Ok(number)
        } else {
            Err(Error::say("a number that is not finite"))
        }
    }

    /// The value at position `i` as an integer, truncated.
    pub fn integer(&self, i: usize) -> Result<i64> {
        match self.get(i) {
            Some(Item::Int(n)) => Ok(n.into()),
            _ => self.number(i).map(|f| f.get() as i64),
        }
    }

    /// `N` numbers, starting at position `from`.
    pub fn numbers<const N: usize>(&self, from: usize) -> Result<[F32; N]> {
        let mut out = [F32::default(); N];
        for (i, slot) in out.iter_mut().enumerate() {
            *slot = self.number(from + i)?;
        }
        Ok(out)
    }

    /// The numbers from a position on, if there are as many.
    pub fn more_numbers<const N: usize>(&self, from: usize) -> Result<Option<[F32; N]>> {
        if self.len() >= from + N {
            self.numbers(from).map(Some)
        } else {
            Ok(None)
        }
    }

    /// The value at position `i` as text. An integer is accepted as a name.
    pub fn word(&self, i: usize) -> Option<Cow<'a, [u8]>> {
        match self.get(i)? {
            Item::Text(text) => Some(Cow::Borrowed(text)),
            Item::Int(n) => Some(n.to_string().into_bytes().into()),
            _ => None,
        }
    }

    /// The value at position `i`, which must be a non-empty text.
    pub fn need(&self, i: usize) -> Result<Cow<'a, [u8]>> {
        self.word(i)
            .filter(|word| !word.is_empty())
            .ok_or_else(|| Error::say("a name is missing"))
    }
}

fn numbers(n: usize) -> String {
    match n {
        0 => "no number".into(),
        1 => "one value".into(),
        n => format!("{n} values"),
    }
}
