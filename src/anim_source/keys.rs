//! Keys and their fields: one description serves reading a source and writing it.
//!
//! [`Keys`] represents one item, a list of keys, that is either read or written. A method such as
//! [`Keys::float`] works in the current direction, so the description of an event names each key
//! once. Most fields of events declare their key in `record!`: [`VisitKey`] says how the values of
//! each type are spelled.

use super::{
    IGNORED,
    scope::{Args, INPUT_NODE, REFIT, ROOT_NODE, Scope, literal, located},
    source::{Doc, Item, List},
    values::{degrees, rad},
};
use refit_base::{
    game::Game,
    wire::{Derived, Error, F32, Plain, Result, Text, Vec3, VisitKey, decode_1252},
};
use refit_zipper::anim::{
    fields::{self, Bool, Change, FromTo, Index, Rated, Rounding},
    names::{Name, Ref},
    references::Array,
};

/// The keys of an item being read.
pub struct Reading<'i> {
    keys: Vec<(&'i [u8], Option<List<'i>>, bool)>,
    list: Option<List<'i>>,
    /// True if the item's own values, which are not keys, were read.
    own: bool,
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
    /// Records the keys that were requested, if enabled.
    asked: Option<Vec<String>>,
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
    /// Converts a number of a source.
    pub fn read(self, f: F32) -> F32 {
        if self == Unit::Angle { rad(f) } else { f }
    }

    /// Converts a number of a file.
    pub fn write(self, f: F32) -> F32 {
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
        let keys = list
            .into_iter()
            .flat_map(List::keys)
            .map(|(key, list)| (key, list, false))
            .collect();
        Keys {
            scope,
            way: KeySource::Read(Reading {
                keys,
                list,
                own: false,
            }),
            asked: None,
        }
    }

    /// The keys that a description requests, found by reading an empty item.
    pub fn asked(
        scope: &'s mut Scope<'a>,
        describe: impl FnOnce(&mut Keys<'_, 'i, 'a>),
    ) -> Vec<String> {
        let mut me = Keys {
            asked: Some(Vec::new()),
            ..Keys::read(scope, None)
        };
        describe(&mut me);
        me.asked.unwrap_or_default()
    }

    /// Appends an item's keys to a document.
    pub fn write(scope: &'s mut Scope<'a>, doc: &'i mut Doc) -> Self {
        Keys {
            scope,
            way: KeySource::Write(doc),
            asked: None,
        }
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

    /// Reading: the values of a key, the first with this name; `None` if it is missing, and while
    /// writing.
    pub fn arg(&mut self, key: &str) -> Option<Args<'i>> {
        let game = self.scope.game;
        self.asked
            .iter_mut()
            .for_each(|asked| asked.push(key.to_owned()));
        match &mut self.way {
            KeySource::Read(reading) => {
                let mut found = None;
                for (_, list, used) in reading
                    .keys
                    .iter_mut()
                    .filter(|(name, ..)| *name == key.as_bytes())
                {
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
        keys.iter()
            .filter(|(.., used)| !used)
            .map(|(key, list, _)| (*key, *list))
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
        let Some(args) = self.arg(key) else {
            return Ok(false);
        };
        *to = read(&args, self.scope).map_err(|e| located(e.within(key.to_owned()), args.list))?;
        Ok(true)
    }

    /// A required value, by functions that read and write it.
    pub fn value<T>(
        &mut self,
        key: &str,
        value: &mut T,
        read: impl FnOnce(&Args<'i>, &mut Scope<'a>) -> Result<T>,
        write: impl FnOnce(&mut Doc, &T),
    ) -> Result<()> {
        match &mut self.way {
            KeySource::Read(_) => self.take(key, value, read).map(|_| ()),
            KeySource::Write(doc) => {
                doc.with(key, |doc| write(doc, value));
                Ok(())
            }
        }
    }

    /// An optional value, by functions that read and write it.
    pub fn option<T>(
        &mut self,
        key: &str,
        value: &mut Option<T>,
        read: impl FnOnce(&Args<'i>, &mut Scope<'a>) -> Result<T>,
        write: impl FnOnce(&mut Doc, &T),
    ) -> Result<()> {
        if self.reads() {
            self.take(key, value, |args, scope| read(args, scope).map(Some))?;
        } else if let Some(value) = value {
            self.put(key, |doc| write(doc, value));
        }
        Ok(())
    }

    /// An optional number.
    pub fn float(&mut self, key: &str, value: &mut Option<F32>) -> Result<()> {
        self.option(key, value, |args, _| args.number(0), |doc, f| doc.float(*f))
    }

    /// A required number.
    pub fn number(&mut self, key: &str, value: &mut F32) -> Result<()> {
        self.value(key, value, |args, _| args.number(0), |doc, f| doc.float(*f))
    }

    /// `N` numbers, or none.
    pub fn floats<const N: usize>(
        &mut self,
        key: &str,
        value: &mut Option<[F32; N]>,
    ) -> Result<()> {
        self.option(
            key,
            value,
            |args, _| args.numbers(0),
            |doc, v| doc.floats(v),
        )
    }

    /// `N` required numbers.
    pub fn numbers<const N: usize>(&mut self, key: &str, value: &mut [F32; N]) -> Result<()> {
        self.value(
            key,
            value,
            |args, _| args.numbers(0),
            |doc, v| doc.floats(v),
        )
    }

    /// An optional integer.
    pub fn count(&mut self, key: &str, value: &mut Option<u32>) -> Result<()> {
        self.option(
            key,
            value,
            |args, _| whole(args),
            |doc, n| doc.int(n.cast_signed()),
        )
    }

    /// A keyword such as `ACTIVE` that represents a number.
    pub fn choice(
        &mut self,
        key: &str,
        words: &[(&str, u32)],
        value: &mut Option<u32>,
    ) -> Result<()> {
        self.option(
            key,
            value,
            |args, _| choose(args, 0, words),
            |doc, n| put_choice(doc, words, *n),
        )
    }

    /// `ACTIVE` or `INACTIVE`. With `lenient`, any other word is `INACTIVE`, and a finding says so.
    pub fn state(&mut self, key: &str, lenient: bool, value: &mut Bool<u32>) -> Result<()> {
        let read = |args: &Args<'i>, scope: &mut Scope<'a>| match choose(args, 0, STATES) {
            Err(e) if lenient => {
                scope.say(IGNORED, args.list, format!("{key}: {e}: it means INACTIVE"));
                Ok(Bool(0))
            }
            found => found.map(Bool),
        };
        self.value(key, value, read, |doc, on| put_choice(doc, STATES, on.0))
    }

    /// An optional boolean.
    pub fn truth(&mut self, key: &str, value: &mut Option<Bool<u32>>) -> Result<()> {
        const WORDS: &[(&str, u32)] = &[("TRUE", 1), ("FALSE", 0), ("ON", 1), ("OFF", 0)];
        let read = |args: &Args<'i>, _: &mut Scope<'a>| choose(args, 0, WORDS).map(Bool);
        self.option(key, value, read, |doc, on| put_choice(doc, WORDS, on.0))
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
    pub fn text<const N: usize>(&mut self, key: &str, value: &mut Text<N>) -> Result<()> {
        self.value(
            key,
            value,
            |args, scope| scope.text(&args.need(0)?),
            |doc, text| doc.text(text.bytes()),
        )
    }

    /// An optional name.
    pub fn text_in<const N: usize>(
        &mut self,
        key: &str,
        value: &mut Option<Text<N>>,
    ) -> Result<()> {
        self.option(
            key,
            value,
            |args, scope| scope.text(&args.need(0)?),
            |doc, text| doc.text(text.bytes()),
        )
    }

    /// A required reference to a table entry.
    pub fn entry(&mut self, key: &str, array: Array, value: &mut Ref) -> Result<()> {
        self.value(
            key,
            value,
            |args, scope| entry_of(args, scope, array),
            put_ref,
        )
    }

    /// A required node. A target is also added to the table of objects, because its state is saved.
    pub fn node(&mut self, key: &str, target: bool, value: &mut Ref) -> Result<()> {
        let read = |args: &Args<'i>, scope: &mut Scope<'a>| {
            // The value may be a path (CS): its last step is the node.
            let is_path = scope.game == Game::Cs
                && (0..args.len()).all(|i| matches!(args.get(i), Some(Item::Text(_))));
            node_of(
                args,
                if is_path {
                    args.len().saturating_sub(1)
                } else {
                    0
                },
                scope,
                target,
            )
        };
        self.value(key, value, read, put_ref)
    }

    /// An optional node.
    pub fn node_in(&mut self, key: &str, value: &mut Option<Ref>) -> Result<()> {
        self.option(
            key,
            value,
            |args, scope| node_of(args, 0, scope, false),
            put_ref,
        )
    }

    /// An optional node and an offset from it, which needs three numbers. With `zero`, an offset of
    /// zeros becomes `None`.
    pub fn at_node(
        &mut self,
        key: &str,
        node: &mut Option<Ref>,
        offset: &mut Option<Vec3>,
        zero: bool,
    ) -> Result<()> {
        let mut both = node.take().map(|node| (node, *offset));
        let read = |args: &Args<'i>, scope: &mut Scope<'a>| {
            let node = node_of(args, 0, scope, false)?;
            Ok((
                node,
                args.more_numbers(1)?
                    .filter(|offset| !zero || !is_blank(offset)),
            ))
        };
        self.option(key, &mut both, read, |doc, (node, offset)| {
            put_ref(doc, node);
            doc.floats(offset.iter().flatten());
        })?;
        if let Some(both) = both {
            (*node, *offset) = (Some(both.0), both.1);
        }
        Ok(())
    }

    /// A change with both ends in one key.
    fn both_ends(&mut self, key: &str, value: &mut Option<FromTo<F32>>) -> Result<()> {
        let mut ends = value.as_ref().map(|change| [change.from, change.to]);
        self.floats(key, &mut ends)?;
        if self.reads() {
            *value = ends.map(|[from, to]| FromTo {
                from,
                to,
                rate: Derived(None),
                rounding: None,
            });
        }
        Ok(())
    }

    /// A change of several numbers, with a key for each end. The rate follows from
    /// the run time.
    pub fn change<T: Change>(
        &mut self,
        from: &str,
        to: &str,
        unit: Unit,
        value: &mut Option<FromTo<T>>,
    ) -> Result<()> {
        if self.reads() {
            let (start, end) = (self.arg(from), self.arg(to));
            if start.is_none() && end.is_none() {
                return Ok(());
            }
            let read = |key: &str, args: &Option<Args<'i>>| match args {
                Some(args) => read_parts(args, unit).map_err(|e| e.within(key.to_owned())),
                None => Ok(T::default()),
            };
            let mut change = FromTo {
                from: read(from, &start)?,
                to: read(to, &end)?,
                rate: Derived(None),
                rounding: None,
            };
            if let Some(item) = end
                .as_ref()
                .and_then(|args| args.get(T::SIZE / F32::SIZE))
                .filter(|item| literal(*item).is_some())
            {
                (change.rate, change.rounding) =
                    how_of(item).map_err(|e| e.within(to.to_owned()))?;
            }
            *value = Some(change);
        } else if let Some(change) = value {
            self.put(from, |doc| {
                parts(&change.from)
                    .iter()
                    .for_each(|f| doc.float(unit.write(*f)))
            });
            self.put(to, |doc| {
                parts(&change.to)
                    .iter()
                    .for_each(|f| doc.float(unit.write(*f)));
                put_how(doc, &(change.rate.clone(), change.rounding));
            });
        }
        Ok(())
    }
}

/// Declares how the values of each type are spelled. The encoding of a reference says in which table
/// its name belongs.
macro_rules! spelled {
    ($([$($params:tt)*] $ty:ty $(as $how:ty)?: $keys:ident, $key:ident, $value:ident => $code:expr;)*) => { $(
        impl<$($params)*> VisitKey<$ty $(, $how)?> for Keys<'_, '_, '_> {
            fn visit(&mut self, $key: &'static str, $value: &mut $ty) -> Result<()> {
                let $keys = self;
                $code
            }
        }
    )* };
}
spelled! {
    [] F32: k, key, value => k.number(key, value);
    [] Option<F32>: k, key, value => k.float(key, value);
    [const N: usize] [F32; N]: k, key, value => k.numbers(key, value);
    [const N: usize] Option<[F32; N]>: k, key, value => k.floats(key, value);
    [] u32: k, key, value => {
        let mut count = Some(*value);
        k.count(key, &mut count)?;
        *value = count.unwrap_or_default();
        Ok(())
    };
    [] Option<u32>: k, key, value => k.count(key, value);
    [] bool: k, key, value => {
        k.bare(key, value);
        Ok(())
    };
    [] Bool<u32>: k, key, value => k.state(key, false, value);
    [] Option<Bool<u32>>: k, key, value => k.truth(key, value);
    [const N: usize] Text<N>: k, key, value => k.text(key, value);
    [const N: usize] Option<Text<N>>: k, key, value => k.text_in(key, value);
    [I] Ref as Index<I, fields::Node>: k, key, value => k.node(key, true, value);
    [I] Option<Ref> as Index<I, fields::Node>: k, key, value => k.node_in(key, value);
    [I] Ref as Index<I, fields::Light>: k, key, value => k.entry(key, Array::Lights, value);
    [I] Ref as Index<I, fields::Puffer>: k, key, value => k.entry(key, Array::Puffers, value);
    [I] Ref as Index<I, fields::DynamicSound>: k, key, value => {
        k.entry(key, Array::DynamicSounds, value)
    };
    [I] Ref as Index<I, fields::StaticSound>: k, key, value => {
        k.entry(key, Array::StaticSounds, value)
    };
    [I] Ref as Index<I, fields::Effect>: k, key, value => k.entry(key, Array::Effects, value);
    [] Option<FromTo<F32>> as Rated: k, key, value => k.both_ends(key, value);
}

/// A change's rate if it does not follow from the other values, and its rounding if it was not
/// rounded once.
pub type How<T> = (Derived<T>, Option<Rounding>);

/// Reads `( REFIT TWICE )`, `( REFIT RECIPROCAL )` or `( REFIT rate … )`.
pub fn how_of<T: Change>(item: Item<'_>) -> Result<How<T>> {
    let mut items = literal(item).ok_or_else(|| Error::say("no list that begins with REFIT"))?;
    match items.next() {
        Some(Item::Text(b"TWICE")) => Ok((Derived(None), Some(Rounding::Twice))),
        Some(Item::Text(b"RECIPROCAL")) => Ok((Derived(None), Some(Rounding::Reciprocal))),
        Some(Item::Text(b"rate")) => {
            let rate = items.map(bits_of).collect::<Result<Vec<F32>>>()?;
            let (n, needed) = (rate.len(), T::SIZE / F32::SIZE);
            if n != needed {
                return Err(Error::say(format!(
                    "a rate of {n} numbers (expected {needed})"
                )));
            }
            Ok((Derived(Some(of_parts(&rate))), None))
        }
        _ => Err(Error::say("expected TWICE, RECIPROCAL or rate after REFIT")),
    }
}

/// Writes what [`how_of`] reads, unless it is the default.
pub fn put_how<T: Change>(doc: &mut Doc, (rate, rounding): &How<T>) {
    let word = match (rounding, rate) {
        (None, Derived(None)) => return,
        (_, Derived(Some(_))) => "rate",
        (Some(Rounding::Twice), _) => "TWICE",
        (Some(Rounding::Reciprocal), _) => "RECIPROCAL",
    };
    doc.open();
    doc.text(REFIT);
    doc.text(word.as_bytes());
    rate.0.iter().flat_map(parts).for_each(|f| doc.bits(f));
    doc.close();
}

/// The numbers that a value consists of.
pub fn parts<T: Plain>(value: &T) -> Vec<F32> {
    let mut bytes = vec![0; T::SIZE];
    value.put(&mut bytes);
    bytes
        .chunks_exact(F32::SIZE)
        .map(<F32 as Plain>::get)
        .collect()
}

/// The value that consists of these numbers.
fn of_parts<T: Plain>(parts: &[F32]) -> T {
    let mut bytes = vec![0; T::SIZE];
    bytes
        .chunks_exact_mut(F32::SIZE)
        .zip(parts)
        .for_each(|(bytes, f)| f.put(bytes));
    T::get(&bytes)
}

/// Reads the numbers of a value from the values of a key.
pub fn read_parts<T: Plain>(args: &Args<'_>, unit: Unit) -> Result<T> {
    let parts = (0..T::SIZE / F32::SIZE).map(|i| args.number(i).map(|f| unit.read(f)));
    parts
        .collect::<Result<Vec<F32>>>()
        .map(|parts| of_parts(&parts))
}

/// The message for a key that has no meaning in its place, with the most similar key that has.
pub fn unknown<'k>(key: &[u8], what: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let key = decode_1252(key);
    match refit_base::wire::did_you_mean(&key, known) {
        Some(near) => format!("{key} {what} ({near})"),
        None => format!("{key} {what}"),
    }
}

/// A float by its bits, as eight hexadecimal digits.
pub fn bits_of(item: Item<'_>) -> Result<F32> {
    let wrong = || Error::say("expected the bits of a float as eight hexadecimal digits");
    let Item::Text(text) = item else {
        return Err(wrong());
    };
    let text = decode_1252(text);
    u32::from_str_radix(text.strip_prefix("0x").unwrap_or(&text), 16)
        .map(F32::from_bits)
        .map_err(|_| wrong())
}

fn whole(args: &Args<'_>) -> Result<u32> {
    let n = args.integer(0)?;
    // A 32-bit number, signed or unsigned.
    u32::try_from(n)
        .or_else(|_| i32::try_from(n).map(i32::cast_unsigned))
        .map_err(|_| Error::say(format!("{n} has more than 32 bits")))
}

/// The words of a node's state, of an effect's and of a light's.
pub const STATES: &[(&str, u32)] = &[("ACTIVE", 1), ("INACTIVE", 0)];

/// The number for the keyword at position `at`. A word that is none of them is an error: what it
/// was to mean, only its author knows.
pub fn choose(args: &Args<'_>, at: usize, words: &[(&str, u32)]) -> Result<u32> {
    if args.is_number(at) {
        return u32::try_from(args.integer(at)?).map_err(|_| Error::say("a negative number"));
    }
    let word = args.word(at).unwrap_or_default();
    words
        .iter()
        .find(|(name, _)| name.as_bytes() == &*word)
        .map(|(_, n)| *n)
        .ok_or_else(|| {
            let known: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
            Error::say(format!(
                "{:?} is not one of {}",
                decode_1252(&word),
                known.join(", ")
            ))
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
fn explicit(args: &Args<'_>, at: usize, scope: &mut Scope<'_>) -> Option<Result<Ref>> {
    let mut items = args.get(at).and_then(literal)?;
    scope.lists.by_number = true;
    Some(match (items.next(), items.next()) {
        (Some(Item::Text(name)), Some(Item::Int(nth))) => u32::try_from(nth)
            .map(|nth| Ref::Nth(Name::from(name), nth))
            .map_err(|_| Error::say("entries are counted from 1")),
        (Some(Item::Int(index)), None) => Ok(Ref::Index(index)),
        _ => Err(Error::say(
            "expected ( REFIT name number ) or ( REFIT index )",
        )),
    })
}

/// Looks up the node at position `at` and adds it to the tables.
pub fn node_of(args: &Args<'_>, at: usize, scope: &mut Scope<'_>, target: bool) -> Result<Ref> {
    if let Some(reference) = explicit(args, at, scope) {
        return reference;
    }
    let name = scope.name(&args.need(at)?)?.into_owned();
    match name.as_slice() {
        INPUT_NODE => return Ok(Ref::Input),
        ROOT_NODE => return Ok(Ref::Own),
        _ => {}
    }
    if target && !scope.unsaved.contains(&name) {
        scope.lists.put(Array::Objects, &name)?;
    }
    scope.lists.put(Array::Nodes, &name)
}

fn entry_of(args: &Args<'_>, scope: &mut Scope<'_>, array: Array) -> Result<Ref> {
    if let Some(reference) = explicit(args, 0, scope) {
        return reference;
    }
    let name = scope.name(&args.need(0)?)?.into_owned();
    scope.lists.put(array, &name)
}

/// Writes a reference.
pub fn put_ref(doc: &mut Doc, value: &Ref) {
    match value {
        Ref::Input => doc.text(INPUT_NODE),
        Ref::Own => doc.text(ROOT_NODE),
        Ref::Name(name) if is_plain(name) => doc.text(name.bytes()),
        Ref::Name(name) => put_literal(doc, Some(name), 1),
        Ref::Nth(name, nth) => put_literal(doc, Some(name), nth.cast_signed()),
        Ref::Index(i) => put_literal(doc, None, *i),
    }
}

/// True for a name that can be written as plain text instead of a `REFIT` reference.
fn is_plain(name: &Name) -> bool {
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
