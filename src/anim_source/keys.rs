//! Keys and their fields: one description serves reading a source and writing it.
//!
//! [`Keys`] represents one item, a list of keys, that is either read or written. A method such as [`Keys::float`] works
//! in the current direction, so the description of an event names each key once.

use super::{
    scope::{Args, INPUT_NODE, REFIT, ROOT_NODE, Scope, literal, located},
    source::{Doc, Item, List},
    values::{degrees, rad},
};
use crate::{
    formats::anim::{
        fields::{Bool, Change, FromTo, Rounding},
        names::{Name, Ref},
        references::Array,
    },
    wire::{Derived, Error, F32, Result, Text, Vec3, decode_1252},
};

/// The keys of an item being read.
pub struct Reading<'i> {
    keys: Vec<(&'i [u8], Option<List<'i>>, bool)>,
    list: Option<List<'i>>,
    /// True if the item's own values, which are not keys, were read.
    own: bool,
    /// Records the keys that were requested, if enabled.
    asked: Option<Vec<String>>,
}

/// The source or destination of keys.
pub enum KeySource<'i> {
    /// From an item.
    Read(Reading<'i>),
    /// Into a document.
    Write(&'i mut Doc),
}

/// The keys of one item, and the scope of its names.
pub struct Keys<'s, 'i, 'a> {
    /// Resolves names.
    pub scope: &'s mut Scope<'a>,
    way: KeySource<'i>,
}

/// Whether a number is the same in sources and files, or degrees in sources and radians in files.
#[derive(Clone, Copy, PartialEq)]
pub enum Unit {
    /// The same in both.
    Plain,
    /// Degrees in sources, radians in files.
    Angle,
}

impl Unit {
    fn read(self, f: F32) -> F32 {
        if self == Unit::Angle { rad(f) } else { f }
    }
    fn write(self, f: F32) -> F32 {
        if self == Unit::Angle { degrees(f) } else { f }
    }
}

/// True for a vector of zeros.
pub(crate) fn is_blank(v: &Vec3) -> bool {
    v.iter().all(|f| f.bits() == 0)
}

impl<'s, 'i, 'a> Keys<'s, 'i, 'a> {
    /// Reads the keys of an item.
    pub fn read(scope: &'s mut Scope<'a>, list: Option<List<'i>>) -> Self {
        let keys = list.into_iter().flat_map(List::keys).map(|(key, list)| (key, list, false)).collect();
        Keys { scope, way: KeySource::Read(Reading { keys, list, own: false, asked: None }) }
    }

    /// The keys that a description requests, found by reading an empty item.
    pub fn asked(scope: &'s mut Scope<'a>, describe: impl FnOnce(&mut Keys<'_, 'i, 'a>)) -> Vec<String> {
        let mut me = Keys {
            scope,
            way: KeySource::Read(Reading { keys: Vec::new(), list: None, own: false, asked: Some(Vec::new()) }),
        };
        describe(&mut me);
        match me.way {
            KeySource::Read(reading) => reading.asked.unwrap_or_default(),
            KeySource::Write(_) => Vec::new(),
        }
    }

    /// Appends an item's keys to a document.
    pub fn write(scope: &'s mut Scope<'a>, doc: &'i mut Doc) -> Self {
        Keys { scope, way: KeySource::Write(doc) }
    }

    /// True while reading.
    pub fn reads(&self) -> bool {
        matches!(self.way, KeySource::Read(_))
    }

    /// The document being written; `None` while reading.
    pub fn out(&mut self) -> Option<&mut Doc> {
        match &mut self.way {
            KeySource::Read(_) => None,
            KeySource::Write(doc) => Some(doc),
        }
    }

    /// Reading: the values of a key, the first with this name; `None` if it is missing, and while writing.
    pub fn arg(&mut self, key: &str) -> Option<Args<'i>> {
        let game = self.scope.game;
        match &mut self.way {
            KeySource::Read(reading) => {
                if let Some(asked) = &mut reading.asked {
                    asked.push(key.to_owned());
                }
                let mut found = None;
                for (_, list, used) in reading.keys.iter_mut().filter(|(name, ..)| *name == key.as_bytes()) {
                    *used = true;
                    found = found.or(Some(*list));
                }
                found.map(|list| Args::new(list, game))
            }
            KeySource::Write(_) => None,
        }
    }

    /// Reading: the values of the item itself, without keys and their values.
    pub fn own(&mut self) -> Option<Args<'i>> {
        match &mut self.way {
            KeySource::Read(reading) => {
                reading.keys.iter_mut().for_each(|(.., used)| *used = true);
                reading.own = true;
                Some(Args::of_item(reading.list))
            }
            KeySource::Write(_) => None,
        }
    }

    /// Reading: the keys that were not requested, with their lists.
    pub fn unknown(&self) -> impl Iterator<Item = (&'i [u8], Option<List<'i>>)> + '_ {
        let keys = match &self.way {
            KeySource::Read(reading) => reading.keys.as_slice(),
            KeySource::Write(_) => &[],
        };
        keys.iter().filter(|(.., used)| !used).map(|(key, list, _)| (*key, *list))
    }

    /// Reading: the item, unless it has values that are not keys.
    pub fn only_keys(&self) -> Option<List<'i>> {
        match &self.way {
            KeySource::Read(reading) if !reading.own => reading.list,
            _ => None,
        }
    }

    /// Writing: a key with its values.
    pub fn put(&mut self, key: &str, values: impl FnOnce(&mut Doc)) {
        if let KeySource::Write(doc) = &mut self.way {
            doc.with(key, values);
        }
    }

    /// Reading: stores the values of a key, and returns true if it is present. Errors name the key.
    pub fn take<T>(
        &mut self,
        key: &str,
        to: &mut T,
        read: impl FnOnce(&Args<'i>, &mut Scope<'a>) -> Result<T>,
    ) -> Result<bool> {
        let Some(args) = self.arg(key) else { return Ok(false) };
        *to = read(&args, self.scope).map_err(|e| located(e.within(key.to_owned()), args.list))?;
        Ok(true)
    }

    /// An optional number.
    pub fn float(&mut self, key: &str, value: &mut Option<F32>) -> Result<()> {
        self.floats_in(key, &mut value.map(|f| [f]), Unit::Plain).map(|v| *value = v.map(|[f]| f))
    }

    /// A required number.
    pub fn number(&mut self, key: &str, value: &mut F32) -> Result<()> {
        let mut some = Some(*value);
        self.float(key, &mut some)?;
        *value = some.unwrap_or(*value);
        Ok(())
    }

    /// `N` numbers, or none.
    pub fn floats<const N: usize>(&mut self, key: &str, value: &mut Option<[F32; N]>) -> Result<()> {
        self.floats_in(key, value, Unit::Plain).map(|v| *value = v)
    }

    /// `N` required numbers.
    pub fn numbers<const N: usize>(&mut self, key: &str, value: &mut [F32; N]) -> Result<()> {
        let mut some = Some(*value);
        self.floats(key, &mut some)?;
        *value = some.unwrap_or(*value);
        Ok(())
    }

    fn floats_in<const N: usize>(
        &mut self,
        key: &str,
        value: &mut Option<[F32; N]>,
        unit: Unit,
    ) -> Result<Option<[F32; N]>> {
        let mut out = *value;
        if self.reads() {
            self.take(key, &mut out, |args, _| Ok(Some(args.numbers(0)?.map(|f| unit.read(f)))))?;
        } else if let Some(v) = value {
            self.put(key, |doc| v.iter().for_each(|f| doc.float(unit.write(*f))));
        }
        Ok(out)
    }

    /// An optional integer.
    pub fn count(&mut self, key: &str, value: &mut Option<u32>) -> Result<()> {
        if self.reads() {
            self.take(key, value, |args, _| whole(args).map(Some))?;
        } else if let Some(n) = value {
            let n = n.cast_signed();
            self.put(key, |doc| doc.int(n));
        }
        Ok(())
    }

    /// A keyword such as `ACTIVE` that represents a number. Any other word becomes `other`, or an error if that is
    /// `None`.
    pub fn choice(
        &mut self,
        key: &str,
        words: &[(&str, u32)],
        other: Option<u32>,
        value: &mut Option<u32>,
    ) -> Result<()> {
        if self.reads() {
            self.take(key, value, |args, _| choose(args, 0, words, other).map(Some))?;
        } else if let Some(n) = *value {
            self.put(key, |doc| put_choice(doc, words, n));
        }
        Ok(())
    }

    /// A boolean stored in a larger integer.
    pub fn state<T: Copy + Default + PartialEq + TryFrom<u32> + Into<u32>>(
        &mut self,
        key: &str,
        value: &mut Bool<T>,
        on: &str,
        off: &str,
    ) -> Result<()> {
        let mut n = Some(value.0.into());
        self.choice(key, &[(on, 1), (off, 0)], Some(0), &mut n)?;
        value.0 = n.and_then(|n| T::try_from(n).ok()).unwrap_or_default();
        Ok(())
    }

    /// An optional boolean.
    pub fn truth(&mut self, key: &str, value: &mut Option<Bool<u32>>) -> Result<()> {
        let mut n = value.map(|b| b.0);
        self.choice(key, &[("TRUE", 1), ("FALSE", 0), ("ON", 1), ("OFF", 0)], Some(0), &mut n)?;
        *value = n.map(Bool);
        Ok(())
    }

    /// A key without values that switches something on.
    pub fn bare(&mut self, key: &str, value: &mut bool) {
        match &mut self.way {
            KeySource::Read(_) => *value |= self.arg(key).is_some(),
            KeySource::Write(doc) if *value => doc.text(key.as_bytes()),
            KeySource::Write(_) => {}
        }
    }

    /// A name in a text field.
    pub fn text<const N: usize>(&mut self, key: &str, value: &mut Text<N>) -> Result<bool> {
        if self.reads() {
            return self.take(key, value, |args, scope| Text::new(&scope.name(&args.need(0)?)?));
        }
        let bytes = value.bytes();
        self.put(key, |doc| doc.text(bytes));
        Ok(true)
    }

    /// An optional name.
    pub fn text_in<const N: usize>(&mut self, key: &str, value: &mut Option<Text<N>>) -> Result<()> {
        if self.reads() {
            return self.take(key, value, |args, scope| Text::new(&scope.name(&args.need(0)?)?).map(Some)).map(|_| ());
        }
        if let Some(text) = value {
            self.text(key, text)?;
        }
        Ok(())
    }

    /// A required reference to a table entry.
    pub fn entry(&mut self, key: &str, array: Array, value: &mut Ref) -> Result<()> {
        if self.reads() {
            self.take(key, value, |args, scope| entry_of(args, scope, array))?;
        } else {
            self.put(key, |doc| put_ref(doc, value));
        }
        Ok(())
    }

    /// A required node. A target is also added to the table of objects, because its state is saved.
    pub fn node(&mut self, key: &str, target: bool, value: &mut Ref) -> Result<()> {
        if self.reads() {
            self.take(key, value, |args, scope| {
                // The value may be a path (CS): its last step is the node.
                let is_path = scope.game == crate::game::Game::Cs
                    && (0..args.len()).all(|i| matches!(args.get(i), Some(Item::Text(_))));
                node_of(args, if is_path { args.len().saturating_sub(1) } else { 0 }, scope, target)
            })?;
        } else {
            self.put(key, |doc| put_ref(doc, value));
        }
        Ok(())
    }

    /// An optional node.
    pub fn node_in(&mut self, key: &str, value: &mut Option<Ref>) -> Result<()> {
        if self.reads() {
            self.take(key, value, |args, scope| node_of(args, 0, scope, false).map(Some))?;
        } else if let Some(node) = value {
            self.put(key, |doc| put_ref(doc, node));
        }
        Ok(())
    }

    /// An optional node and an offset from it, which needs three numbers. With `zero`, an offset of zeros becomes
    /// `None`.
    pub fn at_node(&mut self, key: &str, node: &mut Option<Ref>, offset: &mut Option<Vec3>, zero: bool) -> Result<()> {
        if self.reads() {
            let mut both = (node.take(), offset.take());
            self.take(key, &mut both, |args, scope| {
                let node = node_of(args, 0, scope, false)?;
                let offset: Option<Vec3> = if args.len() >= 4 { Some(args.numbers(1)?) } else { None };
                Ok((Some(node), offset.filter(|offset| !zero || !is_blank(offset))))
            })?;
            (*node, *offset) = both;
        } else if let Some(node) = node {
            self.put(key, |doc| {
                put_ref(doc, node);
                offset.iter().flatten().for_each(|f| doc.float(*f));
            });
        }
        Ok(())
    }

    /// A change of several numbers, with a key for each end or one for both. The rate follows from the run time.
    pub fn change<T: Numbers>(
        &mut self,
        from: &str,
        to: &str,
        unit: Unit,
        value: &mut Option<FromTo<T>>,
    ) -> Result<()> {
        let (first, second) = (from, to);
        if self.reads() {
            let (start, end) = (self.arg(first), self.arg(second));
            if start.is_none() && end.is_none() {
                return Ok(());
            }
            let read = |key: &str, args: &Option<Args<'i>>| match args {
                Some(args) => T::read(args, unit).map_err(|e| e.within(key.to_owned())),
                None => Ok(T::default()),
            };
            let mut change =
                FromTo { from: read(first, &start)?, to: read(second, &end)?, rate: Derived(None), rounding: None };
            if let Some(item) = end.as_ref().and_then(|args| args.get(T::COUNT)).filter(|item| literal(*item).is_some())
            {
                (change.rate, change.rounding) = how_of(item).map_err(|e| e.within(second.to_owned()))?;
            }
            *value = Some(change);
        } else if let Some(change) = value {
            self.put(first, |doc| change.from.parts().iter().for_each(|f| doc.float(unit.write(*f))));
            self.put(second, |doc| {
                change.to.parts().iter().for_each(|f| doc.float(unit.write(*f)));
                put_how(doc, change);
            });
        }
        Ok(())
    }
}

/// A change's rate if it does not follow from the other values, and its rounding if it was not rounded once.
pub type How<T> = (Derived<T>, Option<Rounding>);

/// Reads `( REFIT TWICE )`, `( REFIT RECIPROCAL )` or `( REFIT rate … )`.
pub fn how_of<T: Numbers>(item: Item<'_>) -> Result<How<T>> {
    let mut items = literal(item).ok_or_else(|| Error::say("no list that begins with REFIT"))?;
    match items.next() {
        Some(Item::Text(b"TWICE")) => Ok((Derived(None), Some(Rounding::Twice))),
        Some(Item::Text(b"RECIPROCAL")) => Ok((Derived(None), Some(Rounding::Reciprocal))),
        Some(Item::Text(b"rate")) => {
            let rate = items.map(bits_of).collect::<Result<Vec<F32>>>()?;
            let rate = T::of(&rate)
                .ok_or_else(|| Error::say(format!("a rate of {} numbers, {} are needed", rate.len(), T::COUNT)))?;
            Ok((Derived(Some(rate)), None))
        }
        _ => Err(Error::say("expected TWICE, RECIPROCAL or rate behind REFIT")),
    }
}

/// Writes what [`how_of`] reads, unless it is the default.
pub fn put_how<T: Numbers>(doc: &mut Doc, change: &FromTo<T>) {
    let word = match (change.rounding, &change.rate) {
        (None, Derived(None)) => return,
        (_, Derived(Some(_))) => "rate",
        (Some(Rounding::Twice), _) => "TWICE",
        (Some(Rounding::Reciprocal), _) => "RECIPROCAL",
    };
    doc.open();
    doc.text(REFIT);
    doc.text(word.as_bytes());
    for f in change.rate.0.iter().flat_map(Numbers::parts) {
        doc.text(format!("0x{:08x}", f.bits()).as_bytes());
    }
    doc.close();
}

/// Values that consist of numbers.
pub trait Numbers: Change {
    /// How many numbers.
    const COUNT: usize;
    /// From `COUNT` numbers.
    fn of(parts: &[F32]) -> Option<Self>;
    /// The numbers.
    fn parts(&self) -> &[F32];
    /// From the values of a key.
    fn read(args: &Args<'_>, unit: Unit) -> Result<Self> {
        let parts: Vec<F32> = (0..Self::COUNT).map(|i| args.number(i).map(|f| unit.read(f))).collect::<Result<_>>()?;
        Ok(Self::of(&parts).unwrap_or_default())
    }
}

impl Numbers for F32 {
    const COUNT: usize = 1;
    fn of(parts: &[F32]) -> Option<Self> {
        parts.first().copied().filter(|_| parts.len() == 1)
    }
    fn parts(&self) -> &[F32] {
        std::slice::from_ref(self)
    }
}

macro_rules! arrays {
    ($($n:literal)*) => { $(impl Numbers for [F32; $n] {
        const COUNT: usize = $n;
        fn of(parts: &[F32]) -> Option<Self> {
            parts.try_into().ok()
        }
        fn parts(&self) -> &[F32] {
            self
        }
    })* };
}
arrays!(2 3 4);

/// The message for a key that has no meaning in its place, with the most similar key that has.
pub fn unknown<'k>(key: &[u8], what: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let key = decode_1252(key);
    match crate::wire::did_you_mean(&key, known) {
        Some(near) => format!("{key} {what} ({near})"),
        None => format!("{key} {what}"),
    }
}

/// A float by its bits, as eight hexadecimal digits.
pub fn bits_of(item: Item<'_>) -> Result<F32> {
    let wrong = || Error::say("expected the bits of a float as eight hexadecimal digits");
    match item {
        Item::Text(text) => {
            let text = decode_1252(text);
            u32::from_str_radix(text.strip_prefix("0x").unwrap_or(&text), 16).map(F32::from_bits).map_err(|_| wrong())
        }
        _ => Err(wrong()),
    }
}

fn whole(args: &Args<'_>) -> Result<u32> {
    let n = args.integer(0)?;
    // A 32-bit number, signed or unsigned.
    u32::try_from(n)
        .or_else(|_| i32::try_from(n).map(i32::cast_unsigned))
        .map_err(|_| Error::say(format!("{n} has more than 32 bits")))
}

/// The number for the keyword at position `at`.
pub fn choose(args: &Args<'_>, at: usize, words: &[(&str, u32)], other: Option<u32>) -> Result<u32> {
    if args.is_number(at) {
        return u32::try_from(args.integer(at)?).map_err(|_| Error::say("a negative number"));
    }
    let word = args.word(at).unwrap_or_default();
    words.iter().find(|(name, _)| name.as_bytes() == &*word).map(|(_, n)| *n).or(other).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        Error::say(format!("{:?} is none of {}", decode_1252(&word), known.join(", ")))
    })
}

/// Writes the keyword for a number.
pub fn put_choice(doc: &mut Doc, words: &[(&str, u32)], n: u32) {
    match words.iter().find(|(_, value)| *value == n) {
        Some((word, _)) => doc.text(word.as_bytes()),
        None => doc.int(n.cast_signed()),
    }
}

/// An explicit reference: `( REFIT name nth )` or `( REFIT index )`.
fn said(args: &Args<'_>, at: usize, scope: &mut Scope<'_>) -> Option<Result<Ref>> {
    let mut items = args.get(at).and_then(literal)?;
    scope.lists.by_number = true;
    Some(match (items.next(), items.next()) {
        (Some(Item::Text(name)), Some(Item::Int(nth))) => u32::try_from(nth)
            .map(|nth| Ref::Nth(Name::from(name), nth))
            .map_err(|_| Error::say("entries are counted from 1")),
        (Some(Item::Int(index)), None) => Ok(Ref::Index(index)),
        _ => Err(Error::say("expected ( REFIT name number ) or ( REFIT index )")),
    })
}

/// Looks up the node at position `at` and adds it to the tables.
pub fn node_of(args: &Args<'_>, at: usize, scope: &mut Scope<'_>, target: bool) -> Result<Ref> {
    if let Some(said) = said(args, at, scope) {
        return said;
    }
    let word = args.need(at)?;
    let name = scope.name(&word)?;
    match &*name {
        INPUT_NODE => return Ok(Ref::Input),
        ROOT_NODE => return Ok(Ref::Own),
        _ => {}
    }
    if target && !scope.unsaved.contains(&*name) {
        scope.lists.put(Array::Objects, &name)?;
    }
    scope.lists.put(Array::Nodes, &name)
}

fn entry_of(args: &Args<'_>, scope: &mut Scope<'_>, array: Array) -> Result<Ref> {
    if let Some(said) = said(args, 0, scope) {
        return said;
    }
    let word = args.need(0)?;
    let name = scope.name(&word)?;
    scope.lists.put(array, &name)
}

/// Writes a reference.
pub fn put_ref(doc: &mut Doc, value: &Ref) {
    match value {
        Ref::Input => doc.text(INPUT_NODE),
        Ref::Own => doc.text(ROOT_NODE),
        Ref::Name(name) if plain(name) => doc.text(name.bytes()),
        Ref::Name(name) => put_literal(doc, Some(name), 1),
        Ref::Nth(name, nth) => put_literal(doc, Some(name), nth.cast_signed()),
        Ref::Index(i) => put_literal(doc, None, *i),
    }
}

/// True for a name that can be written as plain text instead of a `REFIT` reference.
fn plain(name: &Name) -> bool {
    let bytes = name.bytes();
    !bytes.is_empty() && bytes != INPUT_NODE && bytes != ROOT_NODE && !bytes.contains(&b'*')
}

fn put_literal(doc: &mut Doc, name: Option<&Name>, n: i32) {
    doc.open();
    doc.text(REFIT);
    name.iter().for_each(|name| doc.text(name.bytes()));
    doc.int(n);
    doc.close();
}
