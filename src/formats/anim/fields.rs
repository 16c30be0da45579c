//! One description, two directions: a body lists its fields once, and the same lines read and write them.
//!
//! A part of a file is `body!` (the typed form) and a function over [`Fields`] (its layout in every game). Reading makes the
//! typed form, writes it again, and keeps what differs as [`Extra`]: exact by construction, whatever the bytes hold.

use super::names::{Kind, Ref, Tables};
use crate::{
    game::Game,
    wire::{Error, Extra, F32, Hex, Odd, Plain, Result, Text},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;

/// Declares a typed form. `a: T` is always there, `a? T` may be absent, `a~ T` is absent while regular, `a! bool` is absent
/// while false, `a* T` is a list that is absent while empty.
macro_rules! body {
    ($(#[$m:meta])* pub struct $n:ident { $($body:tt)* }) => { body!(@ [$(#[$m])* pub struct $n] {} $($body)*); };
    (@ [$($head:tt)*] {$($done:tt)*} $(#[$fm:meta])* $f:ident : $t:ty, $($rest:tt)*) => {
        body!(@ [$($head)*] {$($done)* $(#[$fm])* #[allow(missing_docs)] pub $f: $t,} $($rest)*);
    };
    (@ [$($head:tt)*] {$($done:tt)*} $(#[$fm:meta])* $f:ident ? $t:ty, $($rest:tt)*) => {
        body!(@ [$($head)*] {$($done)* $(#[$fm])* #[serde(default, skip_serializing_if = "Option::is_none")] #[allow(missing_docs)] pub $f: Option<$t>,} $($rest)*);
    };
    (@ [$($head:tt)*] {$($done:tt)*} $(#[$fm:meta])* $f:ident ~ $t:ty, $($rest:tt)*) => {
        body!(@ [$($head)*] {$($done)* $(#[$fm])* #[serde(default, skip_serializing_if = "refit::wire::Odd::is_none")] #[allow(missing_docs)] pub $f: refit::wire::Odd<$t>,} $($rest)*);
    };
    (@ [$($head:tt)*] {$($done:tt)*} $(#[$fm:meta])* $f:ident ! $t:ty, $($rest:tt)*) => {
        body!(@ [$($head)*] {$($done)* $(#[$fm])* #[serde(default, skip_serializing_if = "refit::wire::is_false")] #[allow(missing_docs)] pub $f: $t,} $($rest)*);
    };
    (@ [$($head:tt)*] {$($done:tt)*} $(#[$fm:meta])* $f:ident * $t:ty, $($rest:tt)*) => {
        body!(@ [$($head)*] {$($done)* $(#[$fm])* #[serde(default, skip_serializing_if = "Vec::is_empty")] #[allow(missing_docs)] pub $f: Vec<$t>,} $($rest)*);
    };
    (@ [$($head:tt)*] {$($done:tt)*}) => {
        #[derive(Clone, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        $($head)* { $($done)* }
    };
}
pub(crate) use body;

/// A part with a fixed size.
pub trait Layout {
    /// Reads or writes every field, in any order.
    fn fields(&mut self, f: &mut Fields<'_, impl Side>);
}

impl<T: Layout> Layout for Box<T> {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        (**self).fields(f);
    }
}

/// A part whose layout needs more than the part itself: what it needs stands behind it.
pub struct Beside<'a, T, W>(pub &'a mut T, pub W);

/// The direction of [`Fields`]. Every layout is compiled once for each, so that no field asks which one it is.
pub trait Side {
    /// True when the typed form is made from bytes.
    const READS: bool;
    /// The part's bytes.
    fn bytes(&self) -> &[u8];
    /// The part's bytes, to be written: none when they are read.
    fn slot(&mut self) -> &mut [u8];
}

/// The typed form is made from these bytes.
pub struct Reads<'a>(&'a [u8]);
/// These bytes are made from the typed form.
pub struct Writes<'a>(&'a mut [u8]);

impl Side for Reads<'_> {
    const READS: bool = true;
    fn bytes(&self) -> &[u8] {
        self.0
    }
    fn slot(&mut self) -> &mut [u8] {
        &mut []
    }
}

impl Side for Writes<'_> {
    const READS: bool = false;
    fn bytes(&self) -> &[u8] {
        self.0
    }
    fn slot(&mut self) -> &mut [u8] {
        self.0
    }
}

/// The bytes of one part, being read into its typed form or written from it.
pub struct Fields<'a, S> {
    /// The game whose layout it is.
    pub game: Game,
    /// The names that indices stand for.
    pub tables: &'a Tables,
    side: S,
    pos: usize,
    flags_at: (usize, bool),
    stored: u32,
    implied: u32,
    error: Option<Error>,
}

/// How parts are read, and room that all of them use.
#[derive(Default)]
pub struct Care {
    /// What the typed form cannot say is looked for in no part: the caller holds the whole, written, against its bytes.
    pub trusts: bool,
    image: Vec<u8>,
    /// Empty lists with room in them, for the events of what is read next.
    pub spare: Vec<Vec<super::sequences::Event>>,
}

/// Reads a part and what its typed form cannot say.
pub fn read<T: Layout + Default>(bytes: &[u8], game: Game, tables: &Tables, care: &mut Care) -> (T, Extra) {
    let mut value = T::default();
    let extra = fill(&mut value, bytes, game, tables, care);
    (value, extra)
}

/// [`read`] into what is there already; gives what it cannot say.
pub fn fill(part: &mut impl Layout, bytes: &[u8], game: Game, tables: &Tables, care: &mut Care) -> Extra {
    load(part, bytes, game, tables);
    if care.trusts {
        return Extra::default();
    }
    care.image.clear();
    care.image.resize(bytes.len(), 0);
    part.fields(&mut Fields::new(Writes(&mut care.image), game, tables));
    Extra::of(&care.image, bytes)
}

/// Reads a part whose fields say all of its bytes.
pub fn load(part: &mut impl Layout, bytes: &[u8], game: Game, tables: &Tables) {
    part.fields(&mut Fields::new(Reads(bytes), game, tables));
}

/// Writes a part whose fields say all of its bytes.
pub fn store(part: &mut impl Layout, bytes: &mut [u8], game: Game, tables: &Tables) -> Result<()> {
    let mut f = Fields::new(Writes(bytes), game, tables);
    part.fields(&mut f);
    f.error.map_or(Ok(()), Err)
}

/// Writes a part into its bytes, which are zero before.
pub fn write(part: &mut impl Layout, extra: &Extra, bytes: &mut [u8], game: Game, tables: &Tables) -> Result<()> {
    store(part, bytes, game, tables)?;
    extra.lay_over(bytes)
}

impl<'a, S: Side> Fields<'a, S> {
    fn new(side: S, game: Game, tables: &'a Tables) -> Self {
        Fields { game, tables, side, pos: 0, flags_at: (0, false), stored: 0, implied: 0, error: None }
    }

    /// True while the typed form is made from bytes.
    pub fn reads(&self) -> bool {
        S::READS
    }

    /// Goes on at `pos`: offsets as the reference gives them.
    pub fn at(&mut self, pos: usize) -> &mut Self {
        self.pos = pos;
        self
    }

    /// Where the next field stands.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Bytes of the whole part.
    pub fn size(&self) -> usize {
        self.side.bytes().len()
    }

    /// Leaves `n` bytes zero.
    pub fn skip(&mut self, n: usize) {
        self.pos += n;
    }

    /// Notes what cannot be written.
    pub fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    fn stored<T: Plain>(&self, pos: usize) -> T {
        T::get(self.side.bytes().get(pos..).and_then(|b| b.get(..T::SIZE)).unwrap_or_default())
    }

    fn load<T: Plain>(&mut self) -> T {
        let value = self.stored(self.pos);
        self.pos += T::SIZE;
        value
    }

    /// A value of the typed form.
    pub fn plain<T: Plain>(&mut self, value: &mut T) {
        if self.reads() {
            *value = self.load();
        } else {
            self.put(value);
        }
    }

    /// Writes a value that reading does not need.
    pub fn put<T: Plain>(&mut self, value: &T) {
        if let Some(slot) = self.side.slot().get_mut(self.pos..).and_then(|b| b.get_mut(..T::SIZE)) {
            value.put(slot);
        }
        self.pos += T::SIZE;
    }

    /// Takes `n` bytes from where they stand in `entry`: the part is written elsewhere.
    pub fn same(&mut self, entry: &[u8], n: usize) {
        let range = self.pos..self.pos + n;
        if let (Some(to), Some(from)) = (self.side.slot().get_mut(range.clone()), entry.get(range)) {
            to.copy_from_slice(from);
        }
        self.pos += n;
    }

    /// A value at a place, when reading; the default otherwise.
    pub fn peek<T: Plain + Default>(&mut self, pos: usize) -> T {
        if self.reads() { self.stored(pos) } else { T::default() }
    }

    /// A value that is kept only where it breaks its rule.
    pub fn odd<T: Plain>(&mut self, value: &mut Odd<T>, rule: T) {
        if self.reads() {
            *value = Odd::of(self.load(), rule);
        } else if let Odd(Some(value)) = value {
            self.put(value);
        } else {
            self.put(&rule);
        }
    }

    /// A value that is absent while it is the usual one.
    pub fn usual<T: Plain>(&mut self, value: &mut Option<T>, usual: T) {
        if self.reads() {
            *value = Some(self.load()).filter(|v| *v != usual);
        } else {
            self.put(value.as_ref().unwrap_or(&usual));
        }
    }

    /// A value that is there when `on`; zero bytes otherwise.
    pub fn when<T: Plain>(&mut self, on: bool, value: &mut Option<T>) {
        if self.reads() {
            let stored = self.load();
            *value = on.then_some(stored);
        } else {
            match value {
                Some(value) => self.put(value),
                None => self.skip(T::SIZE),
            }
        }
    }

    /// The flag word: what the present fields imply, changed in the bits of a `differ` that [`Fields::end_flags`] takes.
    pub fn flags(&mut self) {
        self.flags_at = (self.pos, false);
        self.stored = self.peek(self.pos);
        self.implied = 0;
        self.skip(4);
    }

    /// A flag word of 16 bits.
    pub fn flags16(&mut self) {
        self.flags_at = (self.pos, true);
        self.stored = self.peek::<u16>(self.pos).into();
        self.implied = 0;
        self.skip(2);
    }

    /// True when the file sets one of these bits; false when writing.
    pub fn has(&self, bits: u32) -> bool {
        self.stored & bits != 0
    }

    /// The bits that the typed form sets.
    pub fn imply(&mut self, bits: u32, on: bool) {
        if on {
            self.implied |= bits;
        }
    }

    /// A flag without a field.
    pub fn bit(&mut self, bits: u32, value: &mut bool) {
        if self.reads() {
            *value = self.has(bits);
        }
        self.imply(bits, *value);
    }

    /// A field that is there when its flag is set; zero otherwise.
    pub fn on<T: Plain>(&mut self, bits: u32, value: &mut Option<T>) {
        self.when(self.has(bits), value);
        self.imply(bits, value.is_some());
    }

    /// A field that is there when its flag is set, and holds `off` otherwise.
    pub fn on_or<T: Plain>(&mut self, bits: u32, value: &mut Option<T>, off: T) {
        let at = self.pos;
        self.on(bits, value);
        if value.is_none() {
            self.at(at).put(&off);
        }
    }

    /// Several fields that are there when a flag is set; zero otherwise.
    pub fn group<T: Default>(&mut self, bits: u32, value: &mut Option<T>, fields: impl FnOnce(&mut Self, &mut T)) {
        if self.reads() && self.has(bits) {
            *value = Some(T::default());
        }
        if let Some(value) = value {
            self.imply(bits, true);
            fields(self, value);
        }
    }

    /// Ends the flag word: `differ` holds the bits in which the file disagrees with its fields.
    pub fn end_flags(&mut self, differ: &mut Odd<Hex<u32>>) {
        if self.reads() {
            *differ = Odd::of(Hex(self.stored ^ self.implied), Hex(0));
            return;
        }
        let word = self.implied ^ differ.or(Hex(0)).0;
        let ((at, short), pos) = (self.flags_at, self.pos);
        if short {
            match u16::try_from(word) {
                Ok(word) => self.at(at).put(&word),
                Err(_) => self.fail(Error::say(format!("flags {word:#x} do not fit 16 bits"))),
            }
        } else {
            self.at(at).put(&word);
        }
        self.pos = pos;
    }

    /// A reference by name, stored as an index of 16 or 32 bits.
    pub fn index<I: Index>(&mut self, kind: Kind, value: &mut Ref) {
        if self.reads() {
            let i = self.load::<I>().into();
            return self.tables.fill(value, kind, i);
        }
        match self.tables.index(kind, value) {
            Ok(i) => self.put_index::<I>(i),
            Err(e) => self.fail(e),
        }
    }

    fn put_index<I: Index>(&mut self, i: i32) {
        match I::try_from(i) {
            Ok(i) => self.put(&i),
            Err(_) => self.fail(Error::say(format!("the index {i} does not fit its {}-byte field", I::SIZE))),
        }
    }

    /// A reference that may be absent: `none` stands for it.
    pub fn maybe<I: Index>(&mut self, kind: Kind, value: &mut Option<Ref>, none: i32) {
        if self.reads() {
            let i = self.load::<I>().into();
            *value = None;
            if i != none {
                self.tables.fill(value.insert(Ref::default()), kind, i);
            }
        } else if let Some(value) = value {
            self.index::<I>(kind, value);
        } else {
            self.put_index::<I>(none);
        }
    }

    /// A reference that is there when its flag is set; `off` stands for its absence.
    pub fn on_index<I: Index>(&mut self, bits: u32, kind: Kind, value: &mut Option<Ref>, off: i32) {
        if self.reads() {
            *value = None;
            if self.has(bits) {
                self.index::<I>(kind, value.insert(Ref::default()));
            } else {
                self.skip(I::SIZE);
            }
        } else if let Some(value) = value {
            self.index::<I>(kind, value);
        } else {
            self.put_index::<I>(off);
        }
        self.imply(bits, value.is_some());
    }

    /// A name that repeats the one of an entry: kept where it differs.
    pub fn repeated(&mut self, value: &mut Odd<Text<32>>, kind: Kind, entry: &Ref) {
        let rule = self.tables.entry(kind, entry).and_then(|name| Text::new(name.bytes()).ok()).unwrap_or_default();
        self.odd(value, rule);
    }

    /// A change: from, to and rate stand one after the other, whole.
    pub fn change<T: Change>(&mut self, value: &mut FromTo<T>, run_time: F32) {
        self.plain(&mut value.from);
        self.plain(&mut value.to);
        let rate = T::rate(&value.from, &value.to, run_time);
        self.odd(&mut value.rate, rate);
    }

    /// A change of `N` channels: each has its from, to and rate one after the other.
    pub fn channels<const N: usize>(&mut self, value: &mut FromTo<[F32; N]>, run_time: F32)
    where
        [F32; N]: Change,
    {
        let mut rates = value.rate.or(Change::rate(&value.from, &value.to, run_time));
        for ((from, to), rate) in value.from.iter_mut().zip(&mut value.to).zip(&mut rates) {
            self.plain(from);
            self.plain(to);
            self.plain(rate);
        }
        if self.reads() {
            value.rate = Odd::of(rates, Change::rate(&value.from, &value.to, run_time));
        }
    }
}

/// The integers that indices are stored in.
pub trait Index: Plain + Into<i32> + TryFrom<i32> {}
impl Index for i16 {}
impl Index for i32 {}

/// A value that changes at a constant rate.
pub trait Change: Plain + Default {
    /// What is gained per second, as the games compute it (anim.md, section 12).
    fn rate(from: &Self, to: &Self, run_time: F32) -> Self;
}

/// `round32(round32(to - from) / run_time)`; zero when nothing changes or no time passes.
pub fn rate(from: F32, to: F32, run_time: F32) -> F32 {
    let (from, to, time) = (from.get(), to.get(), run_time.get());
    if to == from || time == 0.0 { F32::from(0.0) } else { F32::from((to - from) / time) }
}

impl Change for F32 {
    fn rate(from: &Self, to: &Self, run_time: F32) -> Self {
        rate(*from, *to, run_time)
    }
}

macro_rules! change {
    ($($n:literal)*) => { $(impl Change for [F32; $n] {
        fn rate(from: &Self, to: &Self, run_time: F32) -> Self {
            let mut out = [F32::default(); $n];
            for ((out, from), to) in out.iter_mut().zip(from).zip(to) {
                *out = rate(*from, *to, run_time);
            }
            out
        }
    })* };
}
change!(2 3 4);

/// A change from one value to another over the event's run time.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FromTo<T> {
    /// The value at the start.
    pub from: T,
    /// The value at the end.
    pub to: T,
    /// Change per second, only where it is not `(to - from) / run_time`.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub rate: Odd<T>,
}

/// A truth value in a larger integer: other numbers than 0 and 1 are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bool<T>(pub T);

impl<T: Plain> Plain for Bool<T> {
    const SIZE: usize = T::SIZE;
    const KIND: crate::wire::Kind = T::KIND;
    fn get(bytes: &[u8]) -> Self {
        Bool(T::get(bytes))
    }
    fn put(&self, bytes: &mut [u8]) {
        self.0.put(bytes);
    }
}

impl<T: Copy + Into<u32>> Serialize for Bool<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0.into() {
            0 => s.serialize_bool(false),
            1 => s.serialize_bool(true),
            other => crate::wire::marked(crate::wire::Mark::UnknownValue, &other, s),
        }
    }
}

impl<'de, T: TryFrom<u32>> Deserialize<'de> for Bool<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V<T>(std::marker::PhantomData<T>);
        impl<T: TryFrom<u32>> de::Visitor<'_> for V<T> {
            type Value = Bool<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("true, false, or a number")
            }
            fn visit_bool<E: de::Error>(self, v: bool) -> Result<Bool<T>, E> {
                self.visit_u64(v.into())
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Bool<T>, E> {
                let value = u32::try_from(v).ok().and_then(|v| T::try_from(v).ok());
                value.map(Bool).ok_or_else(|| E::invalid_value(de::Unexpected::Unsigned(v), &self))
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Bool<T>, E> {
                u64::try_from(v).map_err(|_| E::invalid_value(de::Unexpected::Signed(v), &self)).and_then(|v| self.visit_u64(v))
            }
        }
        d.deserialize_any(V(std::marker::PhantomData))
    }
}

impl<T> JsonSchema for Bool<T> {
    fn schema_name() -> Cow<'static, str> {
        "Bool".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A truth value; other numbers than 0 and 1 are kept.", "type": ["boolean", "integer"] })
    }
}

/// True when the bytes of a value are all zero.
pub fn is_zero<T: Plain>(value: &T) -> bool {
    let mut bytes = [0u8; 64];
    match bytes.get_mut(..T::SIZE) {
        Some(slot) => {
            value.put(slot);
            slot.iter().all(|b| *b == 0)
        }
        None => false,
    }
}

impl<S: Side> Fields<'_, S> {
    /// A value that is absent while it is zero.
    pub fn some<T: Plain>(&mut self, value: &mut Option<T>) {
        if self.reads() {
            *value = Some(self.load()).filter(|v| !is_zero(v));
        } else if let Some(value) = value {
            self.put(value);
        } else {
            self.skip(T::SIZE);
        }
    }

    /// A value that is there when `on`, and absent while it is zero.
    pub fn some_when<T: Plain>(&mut self, on: bool, value: &mut Option<T>) {
        if self.reads() && !on {
            *value = None;
            self.skip(T::SIZE);
        } else {
            self.some(value);
        }
    }
}
