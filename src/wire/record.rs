//! The record language: one declaration gives struct, reader, writer, sizes, places, findings of oddity, and the name of every byte.
//!
//! ```
//! use refit::{game::Game, wire::*};
//! refit::record! {
//!     /// One cell of a grid.
//!     pub struct Cell [Mw 28, Pm 32] {
//!         /// Bits in which the file's flags differ from what the fields say.
//!         flags_differ~: flags u16,
//!         _: pad 2,
//!         /// Lowest point, metres.
//!         lo: F32,
//!         hi: F32,
//!         /// Kept only where a file disagrees.
//!         mid~: F32 = |c| F32::from((c.lo.get() + c.hi.get()) * 0.5),
//!         /// Metres; there when its bit is set.
//!         water? @16: F32 on 0x1,
//!         const version @20: u32 = |_| 4,
//!         [Pm] extra: u32,
//!         pointer @[Mw 24, Pm 28]: Hex<u32>,
//!         /// Nobody walks here.
//!         closed!: bit 0x4,
//!     }
//! }
//! let cell = Cell { flags_differ: Odd(None), lo: F32::from(1.0), hi: F32::from(3.0), mid: Odd(None), water: Some(F32::from(2.0)),
//!     extra: Only(None), pointer: Hex(0xdead_beef), closed: true };
//! let mut w = Writer::new(Game::Mw);
//! cell.write(&mut w).unwrap();
//! assert_eq!(w.bytes[..4], [5, 0, 0, 0]);
//! assert_eq!(w.bytes[12..16], 2.0f32.to_le_bytes());
//! assert_eq!(Cell::peek_version(&w.bytes, Game::Mw), 4);
//! assert_eq!(Cell::read(&mut Reader::new(&w.bytes, Game::Mw)).unwrap(), cell);
//! assert_eq!(serde_json::to_string(&cell).unwrap(), r#"{"lo":1.0,"hi":3.0,"water":2.0,"pointer":"0xdeadbeef","closed":true}"#);
//! ```
//!
//! A wrong place does not compile: here a field overlaps the one before it.
//!
//! ```compile_fail,E0080
//! refit::record! {
//!     /// Eight bytes.
//!     pub struct Pair [Mw 8] { a: u32, b @2: u32, _: pad 2 }
//! }
//! Pair::size(refit::game::Game::Mw);
//! ```
//!
//! Nor does a hole (`b` at 4 would be right), or a size that the fields do not fill:
//!
//! ```compile_fail,E0080
//! refit::record! {
//!     /// Twelve bytes, of which four are nobody's.
//!     pub struct Pair [Mw 12] { a: u32, b @8: u32 }
//! }
//! Pair::size(refit::game::Game::Mw);
//! ```
//!
//! ```compile_fail,E0080
//! refit::record! {
//!     /// Eight bytes, or twelve.
//!     pub struct Pair [Mw 8, Pm 12] { a: u32, b @4: u32 }
//! }
//! Pair::size(refit::game::Game::Mw);
//! ```
//!
//! Fields of inner structs, and fields that are there on a condition:
//!
//! ```
//! use refit::{game::Game, wire::*};
//! refit::record! {
//!     /// Stale addresses.
//!     #[derive(Default)]
//!     pub struct Addresses { list~: Hex<u32> in list }
//! }
//! refit::record! {
//!     /// A list that stands behind its record, and the address that it had.
//!     #[derive(Default)]
//!     pub struct List [Mw 8] with u32 {
//!         items*: u8 in below,
//!         let count: u32 = |l| *l.cx,
//!         addresses: Addresses in below,
//!         /// Zero while there are no items.
//!         addresses.list~: Hex<u32> = |_| Hex(!0) when |l| *l.cx > 0,
//!     }
//! }
//! let bytes = [2, 0, 0, 0, 7, 0, 0, 0];
//! assert_eq!(List::peek_count(&bytes, Game::Mw), 2);
//! assert_eq!(List::place_addresses_list(Game::Mw), 4..8);
//! let mut list = List { items: vec![1, 2], ..List::default() };
//! list.fill(&bytes, Game::Mw, &2);
//! assert_eq!((list.items.len(), list.addresses.list), (2, Odd(Some(Hex(7)))));
//! let written = |count: u32| {
//!     let mut w = Writer::new(Game::Mw);
//!     list.append(&mut w, &count).unwrap();
//!     w.bytes
//! };
//! assert_eq!(written(2), bytes);
//! assert_eq!(written(0), [0; 8]);
//! ```
//!
//! The struct has the fields in the order in which they are declared, which is that of the tree. The numbers behind the games are the
//! record's sizes. **Places:** a field stands behind the one before it, or at `@68`, or at `@[Rc 236, _ 316]`. It does not compile when the fields
//! and `_: pad N` leave a hole, overlap, or do not fill the record in any of its games; a field behind `|` lies over others on purpose.
//!
//! | written | means |
//! |---|---|
//! | `f: T` | a value that is always there |
//! | `[Pm Cs] f…` | in these games only; `hint "…"` says what to do in another one |
//! | `f?: T on 0x8` | there when a bit of the flag word is set; else zero, or `off VALUE` |
//! | `f?: T if 0x3` | there when one of the bits is set and it is not zero; sets none of them |
//! | `f?: T none -1i32` | absent when the bytes hold this |
//! | `f?: T else VALUE` | absent when it has this value |
//! | `f?: T` | absent when it is zero; `always`: only trees may leave it out, the bytes hold the default |
//! | `f~: T = \|r\| …` | absent while it has the value that the rule gives; another value is a finding. The rule sees the record, `.game` and `.cx` |
//! | `f^: T = \|r\| …` | the same for a default, from which a file may well differ |
//! | `f!: T` | absent while it is false, zero or empty |
//! | `f!: bit 0x4` | a bit of the flag word |
//! | `f~: flags u32` | the flag word: its bits follow from the fields, and the tree shows in which ones a file differs |
//! | `let f: T = \|r\| …` | stored but not in the tree (`try` for a rule that may fail) |
//! | `const f: T = \|r\| …` | the same for a signature or a version; without a rule the struct holds it |
//! | `mut f: T` | in the struct and the bytes, not in the tree |
//! | `_: pad 4` | zeros |
//! | `f: T as H` | the value is stored as [`H`](As) says: an index for a name; `with g` hands it another field |
//! | `p: part P`, `f?: T in p` | several fields whose bytes a [`P`](FieldGroup) reads and writes together |
//! | `… when \|r\| …` | behind a `~` field: zeros, and nothing in the tree, while this is false |
//! | `outer.f~: T = …` | a field of the struct in the field `outer` |
//! | `f: T in below` | in the tree between the fields; its bytes are elsewhere |
//! | `f*: T in below` | a list, absent while empty |
//! | `… absent "for 5"` | when the field is absent, for its schema; a constant rule says so by itself |
//! | `… with Cx { … }` behind the sizes | reading and writing needs a `Cx`, such as tables of names |
//! | `above { … }`, `below { … }` | what belongs to the record but is stored elsewhere, shown in the tree before or behind the fields |
//!
//! Without sizes it is a part of the tree that has no bytes of its own: a document, or fields `in` another record. There `with Head` gives it
//! `new(head, fields…)`, which takes the fields `above` from the head.
//!
//! `peek_f` reads the field `f` from a record's bytes, `place_f` is its range, `fill` reads all that the bytes say into a record that already
//! holds what is stored elsewhere. What a declaration becomes: `record/TOUR.md`.

use super::{Error, Notation, Plain, Reader, Result, Role, RuleInput, Trace, Writer};
use crate::game::Game;
use std::ops::Range;

/// A structure of known places. `Cx` is what its fields need besides the bytes.
pub trait Record<Cx: ?Sized = ()>: Sized {
    /// Bytes in a game's files; `None` where the game has none.
    fn size(game: Game) -> Option<usize>;
    /// From its bytes; missing ones count as zero.
    fn load(bytes: &[u8], game: Game, cx: &Cx) -> Self;
    /// Into its bytes, which are zero before.
    fn store(&self, bytes: &mut [u8], game: Game, cx: &Cx) -> Result<()>;
    /// Tells what each of its bytes is; they begin at `at` in the file.
    fn describe(&self, bytes: &[u8], at: u64, game: Game, cx: &Cx, trace: &dyn Trace);

    /// Reads one at the cursor.
    fn take(r: &mut Reader<'_>, cx: &Cx) -> Result<Self> {
        let game = r.game;
        let size = Self::size(game).ok_or_else(|| r.error(absent(game)))?;
        let (at, bytes) = (r.offset(), r.take(size)?);
        let me = Self::load(bytes, game, cx);
        if let Some(trace) = r.trace() {
            me.describe(bytes, at, game, cx, trace);
        }
        Ok(me)
    }

    /// Appends the bytes of one.
    fn append(&self, w: &mut Writer, cx: &Cx) -> Result<()> {
        let (game, start) = (w.game, w.bytes.len());
        let size = Self::size(game).ok_or_else(|| Error::say(absent(game)))?;
        w.bytes.resize(start.saturating_add(size), 0);
        self.store(w.bytes.get_mut(start..).unwrap_or_default(), game, cx)
    }
}

impl<Cx: ?Sized, T: Record<Cx>> Record<Cx> for Box<T> {
    fn size(game: Game) -> Option<usize> {
        T::size(game)
    }
    fn load(bytes: &[u8], game: Game, cx: &Cx) -> Self {
        Box::new(T::load(bytes, game, cx))
    }
    fn store(&self, bytes: &mut [u8], game: Game, cx: &Cx) -> Result<()> {
        (**self).store(bytes, game, cx)
    }
    fn describe(&self, bytes: &[u8], at: u64, game: Game, cx: &Cx, trace: &dyn Trace) {
        (**self).describe(bytes, at, game, cx, trace);
    }
}

#[cold]
fn absent(game: Game) -> String {
    format!("this record does not exist in {}", game)
}

/// How a value of the tree stands in bytes where it is not simply its own bytes.
pub trait FieldCodec<T, Cx: ?Sized = ()> {
    /// What reading and writing needs of another field of the record.
    type RuleInput: ?Sized;
    /// Bytes in the file.
    const SIZE: usize;
    /// How `explain` shows them.
    const KIND: Notation;
    /// From exactly `SIZE` bytes.
    fn load(bytes: &[u8], game: Game, cx: &Cx, with: &Self::RuleInput) -> T;
    /// Into exactly `SIZE` bytes, which are zero before.
    fn store(value: &T, bytes: &mut [u8], game: Game, cx: &Cx, with: &Self::RuleInput) -> Result<()>;
    /// What else is worth saying of the bytes: the name that an index stands for.
    fn meaning(_bytes: &[u8], _game: Game, _cx: &Cx) -> Option<String> {
        None
    }
    /// Tells what each byte of a value is that stands in the tree as `name`.
    fn describe(_value: &T, field: &Describe<'_>, name: &str, game: Game, cx: &Cx) {
        field.note(0, Self::SIZE, name, Self::KIND, Role::Value, Self::meaning(field.cut(0, Self::SIZE), game, cx));
    }
}

/// Several fields of the record `R` that share their bytes.
pub trait FieldGroup<R, Cx: ?Sized = ()> {
    /// Bytes in the file.
    const SIZE: usize;
    /// Fills the fields. `flags` is the stored flag word.
    fn load(record: &mut R, bytes: &[u8], flags: u32, game: Game, cx: &Cx);
    /// Into exactly `SIZE` bytes, which are zero before.
    fn store(record: &R, bytes: &mut [u8], game: Game, cx: &Cx) -> Result<()>;
    /// The bits of the flag word that follow from the fields.
    fn implied(_record: &R, _game: Game, _cx: &Cx) -> u32 {
        0
    }
    /// Tells what each byte is.
    fn describe(record: &R, bytes: &mut Describe<'_>, game: Game, cx: &Cx);
}

/// The bytes of a record, being told what they are.
pub struct Describe<'a> {
    bytes: &'a [u8],
    /// The same as the typed form gives them.
    image: &'a [u8],
    at: u64,
    trace: &'a dyn Trace,
}

impl<'a> Describe<'a> {
    /// For a record whose bytes begin at `at` in the file; `image` is what its typed form gives.
    pub fn new(bytes: &'a [u8], image: &'a [u8], at: u64, trace: &'a dyn Trace) -> Self {
        Describe { bytes, image, at, trace }
    }

    /// The role of a field with a rule.
    pub fn odd(&self, regular: bool) -> Role {
        if regular { Role::Derived } else { Role::Value }
    }

    /// The bytes as they are stored.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes of a field.
    pub fn cut(&self, at: usize, size: usize) -> &'a [u8] {
        cut(self.bytes, at, size)
    }

    /// Bytes of the record that several fields share.
    pub fn part(&self, at: usize, size: usize) -> Describe<'a> {
        Describe { bytes: cut(self.bytes, at, size), image: cut(self.image, at, size), at: self.at + at as u64, trace: self.trace }
    }

    /// Bytes that are a record of their own.
    pub fn record<Cx: ?Sized>(&self, record: &impl Record<Cx>, game: Game, cx: &Cx) {
        record.describe(self.bytes, self.at, game, cx, self.trace);
    }

    /// Tells what a field's bytes are. What the typed form does not give stands in `extra`: it is stale.
    pub fn note(&self, at: usize, size: usize, name: &str, kind: Notation, role: Role, meaning: Option<String>) {
        let bytes = cut(self.bytes, at, size);
        let regular = bytes == cut(self.image, at, size);
        let role = if regular || role == Role::Value { role } else { Role::Stale };
        self.tell(at, size, if name == "_" { "padding" } else { name }, kind, role, meaning);
    }

    /// [`Describe::note`] for a field that follows from what is read later: it is not held against the typed form.
    pub fn hidden(&self, at: usize, size: usize, name: &str, kind: Notation, role: Role) {
        self.tell(at, size, name, kind, role, None);
    }

    /// Notes a plain value.
    pub fn plain<T: Plain>(&self, at: usize, name: &str, role: Role) {
        self.note(at, T::SIZE, name, T::KIND, role, T::get(self.cut(at, T::SIZE)).meaning());
    }

    /// Notes a value in the encoding `H`.
    pub fn coded<H: FieldCodec<T, Cx>, T, Cx: ?Sized>(&self, at: usize, name: &str, role: Role, game: Game, cx: &Cx) {
        self.note(at, H::SIZE, name, H::KIND, role, H::meaning(self.cut(at, H::SIZE), game, cx));
    }

    fn tell(&self, at: usize, size: usize, name: &str, kind: Notation, role: Role, meaning: Option<String>) {
        let (bytes, start) = (cut(self.bytes, at, size), self.at.saturating_add(at as u64));
        match kind {
            Notation::Text => note_text(self.trace, start, bytes, name, role),
            _ => self.trace.note_meaning(start, bytes.len() as u64, name, kind, role, meaning),
        }
    }
}

/// Notes a text field; what stands behind its end is a line of its own where it is not zero.
pub fn note_text(trace: &dyn Trace, start: u64, bytes: &[u8], name: &str, role: Role) {
    let end = bytes.iter().position(|b| *b == 0).map_or(bytes.len(), |zero| zero + 1);
    let tail = bytes.get(end..).unwrap_or_default();
    if all_zero(tail) {
        return trace.note(start, bytes.len() as u64, name, Notation::Text, role);
    }
    trace.note(start, end as u64, name, Notation::Text, role);
    let meaning = Some("bytes behind the end of a text".to_owned());
    trace.note_meaning(start + end as u64, tail.len() as u64, name, Notation::Bytes, Role::Stale, meaning);
}

/// A declaration as data: what `cargo xtask formats` writes into the references beside the code.
#[derive(Clone, Debug)]
pub struct RecordTable {
    /// The struct's name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The games that have it, and its bytes there; none where it is the same in all of them.
    pub games: Vec<(Game, usize)>,
    /// Its fields.
    pub rows: Vec<Row>,
}

/// A field of a [`RecordTable`].
#[derive(Clone, Debug)]
pub struct Row {
    /// The name.
    pub name: &'static str,
    /// Offset and size in each game of the table; `None` where it has none. A bit of the flag word has no places.
    pub places: Vec<Option<(usize, usize)>>,
    /// The type.
    pub kind: &'static str,
    /// The bits that switch it on.
    pub on: &'static str,
    /// Whether it is in the tree.
    pub rule: &'static str,
    /// What it means.
    pub about: &'static str,
}

/// True when spans of offset, size and "lies over others" follow each other without hole or overlap and fill `size` bytes.
pub const fn tiles(spans: &[(usize, usize, bool)], size: usize) -> bool {
    let mut end = 0;
    // The fields may be declared in any order: each step looks for the span that begins where the last one ended.
    let mut steps = 0;
    while end < size && steps <= spans.len() {
        let (mut i, mut found) = (0, 0);
        while i < spans.len() {
            let (at, n, over) = spans[i];
            if !over && n > 0 && at == end {
                found += 1;
                end = at + n;
                break;
            }
            i += 1;
        }
        if found == 0 {
            return false;
        }
        steps += 1;
    }
    // The chain above passes over a span that starts inside another one. Then the sizes add up to more than the record.
    let (mut i, mut sum) = (0, 0);
    while i < spans.len() {
        let (at, n, over) = spans[i];
        if at + n > size {
            return false;
        }
        if !over {
            sum += n;
        }
        i += 1;
    }
    end == size && sum == size
}

/// The bytes of a field; none when the record is cut short.
#[doc(hidden)]
#[inline(always)]
pub fn cut(bytes: &[u8], at: usize, size: usize) -> &[u8] {
    bytes.get(at..).and_then(|rest| rest.get(..size)).unwrap_or_default()
}

#[doc(hidden)]
#[inline(always)]
pub fn cut_mut(bytes: &mut [u8], at: usize, size: usize) -> &mut [u8] {
    bytes.get_mut(at..).and_then(|rest| rest.get_mut(..size)).unwrap_or_default()
}

/// True when bytes hold a value.
#[doc(hidden)]
#[inline(always)]
pub fn holds<T: Plain>(bytes: &[u8], value: &T) -> bool {
    T::get(bytes) == *value
}

#[doc(hidden)]
#[inline(always)]
pub fn put_plain<T: Plain>(value: &T, bytes: &mut [u8]) {
    value.put(bytes);
}

/// The value at an offset; `None` where the bytes end before it does.
pub fn value_at<T: Plain>(bytes: &[u8], at: usize) -> Option<T> {
    bytes.get(at..)?.get(..T::SIZE).map(T::get)
}

/// What a rule says of a record.
#[doc(hidden)]
#[inline(always)]
pub fn ask<R, Cx: ?Sized, T>(record: &R, game: Game, cx: &Cx, rule: fn(&RuleInput<'_, R, Cx>) -> T) -> T {
    rule(&RuleInput::new(record, game, cx))
}

/// The value in a record's bytes.
#[doc(hidden)]
#[inline]
pub fn peek<T: Plain>(bytes: &[u8], place: Range<usize>) -> T {
    T::get(bytes.get(place).unwrap_or_default())
}

/// The error for a field that the game does not have.
#[doc(hidden)]
#[cold]
pub fn not_in_game(field: &'static str, hint: Option<&'static str>) -> Error {
    let error = Error::say("this field does not exist in this game");
    match hint {
        Some(hint) => error.hint(hint).within(field),
        None => error.within(field),
    }
}

/// The error for a flag word that is too wide.
#[doc(hidden)]
#[cold]
pub fn wide_flags(word: u32, bits: u32, field: &'static str) -> Error {
    Error::say(format!("flags {word:#x} do not fit {bits} bits")).within(field)
}

/// True when all bytes are zero.
#[doc(hidden)]
#[inline(always)]
pub fn all_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| *b == 0)
}

/// Declares a small value made of plain values, the same in every game: usable as a field of a record.
///
/// ```
/// use refit::wire::*;
/// refit::plain! {
///     /// A range of distances.
///     pub struct Range { near: F32, far: F32 }
/// }
/// assert_eq!(<Range as Plain>::SIZE, 8);
/// ```
#[macro_export]
macro_rules! plain {
    ($(#[doc = $d:literal])* $(#[derive($more:ident)])? $v:vis struct $name:ident { $($(#[doc = $fd:literal])* $f:ident : $t:ty),* $(,)? }) => {
        $(#[doc = $d])*
        #[derive(Clone, Copy, PartialEq, Debug, $($more,)? serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        $v struct $name { $($(#[doc = $fd])* #[allow(missing_docs)] pub $f: $t),* }
        impl $name {
            /// The declaration as a table.
            #[allow(dead_code)]
            pub fn table() -> $crate::wire::RecordTable {
                let mut rows = Vec::new();
                let mut at = 0;
                $(
                    let size = <$t as $crate::wire::Plain>::SIZE;
                    rows.push($crate::wire::Row {
                        name: stringify!($f),
                        places: vec![Some((at, size))],
                        kind: stringify!($t),
                        on: "",
                        rule: "",
                        about: concat!($($fd,)* ""),
                    });
                    at += size;
                )*
                let _ = at;
                $crate::wire::RecordTable { name: stringify!($name), about: concat!($($d,)* ""), games: Vec::new(), rows }
            }
        }
        impl $crate::wire::Plain for $name {
            const SIZE: usize = 0 $(+ <$t as $crate::wire::Plain>::SIZE)*;
            const KIND: $crate::wire::Notation = $crate::wire::Notation::Fields(&[
                $((stringify!($f), <$t as $crate::wire::Plain>::SIZE, <$t as $crate::wire::Plain>::KIND)),*
            ]);
            #[allow(unused_assignments)]
            fn get(bytes: &[u8]) -> Self {
                let mut rest = bytes;
                $(
                    let (head, tail) = rest.split_at_checked(<$t as $crate::wire::Plain>::SIZE).unwrap_or_default();
                    rest = tail;
                    let $f = <$t as $crate::wire::Plain>::get(head);
                )*
                $name { $($f),* }
            }
            #[allow(unused_assignments)]
            fn put(&self, bytes: &mut [u8]) {
                let mut rest = bytes;
                $(
                    let (head, tail) = std::mem::take(&mut rest).split_at_mut_checked(<$t as $crate::wire::Plain>::SIZE).unwrap_or_default();
                    rest = tail;
                    $crate::wire::Plain::put(&self.$f, head);
                )*
            }
        }
    };
}
