//! The record macro: one declaration gives a struct, its reader and writer, sizes, offsets,
//! findings for irregular values, and the name of every byte.
//!
//! ```
//! # // Records derive `schemars::JsonSchema`. This one generates nothing: the feature `schemas` may be off.
//! # extern crate refit_record as schemars;
//! use refit_base::{game::Game, wire::*};
//! refit_base::record! {
//!     /// One cell of a grid.
//!     pub struct Cell [Mw 28, Pm 32] {
//!         /// Bits in which the file's flags differ from the fields.
//!         flags_differ~: flags u16,
//!         _: pad 2,
//!         /// Lowest point, metres.
//!         lo: F32,
//!         hi: F32,
//!         /// Kept only if a file disagrees.
//!         mid~: F32 = |c| F32::from((c.lo.get() + c.hi.get()) * 0.5),
//!         /// Metres; present if its bit is set.
//!         water? @16: F32 on 0x1,
//!         const version @20: u32 = |_| 4,
//!         [Pm] extra: u32,
//!         pointer @[Mw 24, Pm 28]: Hex<u32>,
//!         /// No unit may enter.
//!         closed!: bit 0x4,
//!     }
//! }
//! let cell = Cell { flags_differ: Derived(None), lo: F32::from(1.0), hi: F32::from(3.0), mid: Derived(None),
//!     water: Some(F32::from(2.0)), extra: InGame(None), pointer: Hex(0xdead_beef), closed: true };
//! let mut w = Writer::new(Game::Mw);
//! cell.write(&mut w).unwrap();
//! assert_eq!(w.bytes[..4], [5, 0, 0, 0]);
//! assert_eq!(w.bytes[12..16], 2.0f32.to_le_bytes());
//! assert_eq!(Cell::peek_version(&w.bytes, Game::Mw), 4);
//! assert_eq!(Cell::read(&mut Reader::new(&w.bytes, Game::Mw)).unwrap(), cell);
//! let json = r#"{"lo":1.0,"hi":3.0,"water":2.0,"pointer":"0xdeadbeef","closed":true}"#;
//! assert_eq!(serde_json::to_string(&cell).unwrap(), json);
//! ```
//!
//! A field at a wrong place does not compile: here it overlaps the one before it.
//!
//! ```compile_fail,E0080
//! # extern crate refit_record as schemars;
//! refit_base::record! {
//!     /// Eight bytes.
//!     pub struct Pair [Mw 8] { a: u32, b @2: u32, _: pad 2 }
//! }
//! Pair::size(refit_base::game::Game::Mw);
//! ```
//!
//! Neither does a hole (`b` at 4 would be right), or a size that the fields do not fill:
//!
//! ```compile_fail,E0080
//! # extern crate refit_record as schemars;
//! refit_base::record! {
//!     /// Twelve bytes, four of which belong to no field.
//!     pub struct Pair [Mw 12] { a: u32, b @8: u32 }
//! }
//! Pair::size(refit_base::game::Game::Mw);
//! ```
//!
//! ```compile_fail,E0080
//! # extern crate refit_record as schemars;
//! refit_base::record! {
//!     /// Eight bytes, or twelve.
//!     pub struct Pair [Mw 8, Pm 12] { a: u32, b @4: u32 }
//! }
//! Pair::size(refit_base::game::Game::Mw);
//! ```
//!
//! Fields of inner structs, and conditional fields:
//!
//! ```
//! # extern crate refit_record as schemars;
//! use refit_base::{game::Game, wire::*};
//! refit_base::record! {
//!     /// Stale addresses.
//!     #[derive(Default)]
//!     pub struct Addresses { list~: Hex<u32> in list }
//! }
//! refit_base::record! {
//!     /// A list that is stored after its record, and the address that it had.
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
//! assert_eq!((list.items.len(), list.addresses.list), (2, Derived(Some(Hex(7)))));
//! let written = |count: u32| {
//!     let mut w = Writer::new(Game::Mw);
//!     list.append(&mut w, &count).unwrap();
//!     w.bytes
//! };
//! assert_eq!(written(2), bytes);
//! assert_eq!(written(0), [0; 8]);
//! ```
//!
//! The struct has its fields in the order of declaration, which is also their order in the tree.
//! The numbers after the games are the record's sizes. **Places:** a field follows the one before
//! it, or is at `@68`, or at `@[Rc 236, _ 316]`. The declaration does not compile if the fields and
//! `_: pad N` leave a hole, overlap, or do not fill the record in any of its games. A field after
//! `|` overlaps others on purpose.
//!
//! | written | means |
//! |---|---|
//! | `f: T` | a value that is always present |
//! | `[Pm Cs] f…` | in these games only; `hint "…"` says what to do in another one |
//! | `f?: T on 0x8` | present if a bit of the flag word is set; otherwise zero, or `off VALUE` |
//! | `f?: T if 0x3` | present if one of the bits is set and it is not zero; `on 0x3 if 0x3` also sets them |
//! | `f?: T on 0x8 in below` | present if the bit is set; its bytes are elsewhere, and are read later |
//! | `f?: T none -1i32` | absent if the bytes contain this value |
//! | `f?: T else VALUE` | absent if it has this value |
//! | `f?: T` | absent if it is zero; `always`: only trees may omit it, the bytes contain the default |
//! | `f~: T = \|r\| …` | absent if it has the rule's value; another is a finding. Rules see record, `.game`, `.cx` |
//! | `f^: T = \|r\| …` | the same for a default: another value is not a finding |
//! | `f!: T` | absent if it is false, zero or empty |
//! | `f!: bit 0x4` | a bit of the flag word |
//! | `f~: flags u32` | the flag word: its bits follow from the fields; the tree has the bits in which a file differs |
//! | `let f: T = \|r\| …` | stored but not in the tree (`try` for a rule that may fail) |
//! | `const f: T = \|r\| …` | the same for a signature or a version; without a rule the struct has the value |
//! | `mut f: T` | in the struct and the bytes, not in the tree |
//! | `_: pad 4` | zeros |
//! | `f: T as H` | the value is encoded by [`H`](FieldCodec): an index for a name; `with g` passes it another field |
//! | `p: part P`, `f?: T in p` | several fields whose bytes a [`P`](FieldGroup) reads and writes together |
//! | `… when \|r\| …` | after a `~` or `^` field: zeros, and nothing in the tree, while this is false |
//! | `outer.f~: T = …` | a field of the struct in the field `outer` |
//! | `f: T in below` | between the fields in the tree; its bytes are elsewhere |
//! | `f*: T in below` | a list, absent if empty |
//! | `… absent "for 5"` | for the schema: when the field is absent; a constant rule implies it |
//! | `… key "NAME"`, `… key 2 "NAME"` | its key in sources that people write, and its rank: low ranks come first |
//! | `… with Cx { … }` after the sizes | reading and writing need a `Cx`, such as tables of names |
//! | `above { … }`, `below { … }` | fields that are stored elsewhere; in the tree before or after the others |
//!
//! Without sizes, the record is a part of the tree that has no bytes of its own: a document, or
//! fields `in` another record. There, `with Head` gives it `new(head, fields…)`, which takes the
//! fields `above` from the head.
//!
//! `peek_f` reads the field `f` from a record's bytes, `place_f` is its range, and `fill` reads all
//! fields in the bytes into a record that already has those stored elsewhere. `keys` gives the
//! fields with a `key` to a [`VisitKey`], which reads or writes them. `record/TOUR.md` shows what a
//! declaration expands to.

use super::{Error, Notation, Plain, Reader, Result, Role, RuleInput, Trace, Writer};
use crate::game::Game;
use std::ops::Range;

/// A structure of fields at known places. `Cx` is the context that its fields need besides the
/// bytes.
pub trait Record<Cx: ?Sized = ()>: Sized {
    /// Size in a game's files; `None` if the game does not have this record.
    fn size(game: Game) -> Option<usize>;
    /// Decodes the record; missing bytes count as zero.
    fn load(bytes: &[u8], game: Game, cx: &Cx) -> Self;
    /// Encodes the record into `bytes`, which are zero.
    fn store(&self, bytes: &mut [u8], game: Game, cx: &Cx) -> Result<()>;
    /// Reports the meaning of each byte to `trace`. The bytes start at offset `at` of the file.
    fn describe(&self, bytes: &[u8], at: u64, game: Game, cx: &Cx, trace: &dyn Trace);

    /// Reads a record at the cursor.
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

    /// Appends the record's bytes.
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

/// An encoding of a value, for values whose bytes are not simply their own.
pub trait FieldCodec<T, Cx: ?Sized = ()> {
    /// The type of the other field of the record that reading and writing need.
    type RuleInput: ?Sized;
    /// Size in bytes.
    const SIZE: usize;
    /// How `explain` shows the bytes.
    const KIND: Notation;
    /// Decodes exactly `SIZE` bytes.
    fn load(bytes: &[u8], game: Game, cx: &Cx, with: &Self::RuleInput) -> T;
    /// Encodes into exactly `SIZE` bytes, which are zero.
    fn store(
        value: &T,
        bytes: &mut [u8],
        game: Game,
        cx: &Cx,
        with: &Self::RuleInput,
    ) -> Result<()>;
    /// More about the value for `explain`: the name that an index refers to.
    fn meaning(_bytes: &[u8], _game: Game, _cx: &Cx) -> Option<String> {
        None
    }
    /// Reports the meaning of each byte of a value that the tree calls `name`.
    fn describe(_value: &T, field: &Describe<'_>, name: &str, game: Game, cx: &Cx) {
        field.note(
            0,
            Self::SIZE,
            name,
            Self::KIND,
            Role::Value,
            Self::meaning(field.cut(0, Self::SIZE), game, cx),
        );
    }
}

/// Several fields of the record `R` that share their bytes.
pub trait FieldGroup<R, Cx: ?Sized = ()> {
    /// Size in bytes.
    const SIZE: usize;
    /// Decodes the fields. `flags` is the stored flag word.
    fn load(record: &mut R, bytes: &[u8], flags: u32, game: Game, cx: &Cx);
    /// Encodes into exactly `SIZE` bytes, which are zero.
    fn store(record: &R, bytes: &mut [u8], game: Game, cx: &Cx) -> Result<()>;
    /// The bits of the flag word that follow from the fields.
    fn implied(_record: &R, _game: Game, _cx: &Cx) -> u32 {
        0
    }
    /// Reports the meaning of each byte.
    fn describe(record: &R, bytes: &mut Describe<'_>, game: Game, cx: &Cx);
}

/// A source, read or written, in which a field of type `T` can have a key. `H` is the encoding that
/// the declaration gives for its bytes: it says what an index refers to.
pub trait VisitKey<T, H: ?Sized = ()> {
    /// Reads or writes the value of `key`.
    fn visit(&mut self, key: &'static str, value: &mut T) -> Result<()>;
}

/// A record's bytes while their meaning is reported.
pub struct Describe<'a> {
    bytes: &'a [u8],
    /// The bytes of the typed form.
    image: &'a [u8],
    at: u64,
    trace: &'a dyn Trace,
}

impl<'a> Describe<'a> {
    /// For a record that starts at offset `at` of the file. `image` is the output of its typed
    /// form.
    pub fn new(bytes: &'a [u8], image: &'a [u8], at: u64, trace: &'a dyn Trace) -> Self {
        Describe {
            bytes,
            image,
            at,
            trace,
        }
    }

    /// The role of a field with a rule.
    pub fn odd(&self, regular: bool) -> Role {
        if regular { Role::Derived } else { Role::Value }
    }

    /// The stored bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes of a field.
    pub fn cut(&self, at: usize, size: usize) -> &'a [u8] {
        cut(self.bytes, at, size)
    }

    /// Bytes of the record that several fields share.
    pub fn part(&self, at: usize, size: usize) -> Describe<'a> {
        Describe {
            bytes: cut(self.bytes, at, size),
            image: cut(self.image, at, size),
            at: self.at + at as u64,
            trace: self.trace,
        }
    }

    /// Reports bytes that are a separate record.
    pub fn record<Cx: ?Sized>(&self, record: &impl Record<Cx>, game: Game, cx: &Cx) {
        record.describe(self.bytes, self.at, game, cx, self.trace);
    }

    /// Reports a field. Bytes that the typed form does not give are in `extra`, and therefore
    /// stale.
    pub fn note(
        &self,
        at: usize,
        size: usize,
        name: &str,
        kind: Notation,
        role: Role,
        meaning: Option<String>,
    ) {
        let bytes = cut(self.bytes, at, size);
        let regular = bytes == cut(self.image, at, size);
        let role = if regular || role == Role::Value {
            role
        } else {
            Role::Stale
        };
        self.tell(
            at,
            size,
            if name == "_" { "padding" } else { name },
            kind,
            role,
            meaning,
        );
    }

    /// [`Describe::note`] for a field that depends on values read later: it is not compared with
    /// the typed form.
    pub fn hidden(&self, at: usize, size: usize, name: &str, kind: Notation, role: Role) {
        self.tell(at, size, name, kind, role, None);
    }

    /// Reports a plain value.
    pub fn plain<T: Plain>(&self, at: usize, name: &str, role: Role) {
        self.note(
            at,
            T::SIZE,
            name,
            T::KIND,
            role,
            T::get(self.cut(at, T::SIZE)).meaning(),
        );
    }

    /// Reports a value in the encoding `H`.
    pub fn coded<H: FieldCodec<T, Cx>, T, Cx: ?Sized>(
        &self,
        at: usize,
        name: &str,
        role: Role,
        game: Game,
        cx: &Cx,
    ) {
        self.note(
            at,
            H::SIZE,
            name,
            H::KIND,
            role,
            H::meaning(self.cut(at, H::SIZE), game, cx),
        );
    }

    fn tell(
        &self,
        at: usize,
        size: usize,
        name: &str,
        kind: Notation,
        role: Role,
        meaning: Option<String>,
    ) {
        let (bytes, start) = (cut(self.bytes, at, size), self.at.saturating_add(at as u64));
        match kind {
            Notation::Text => note_text(self.trace, start, bytes, name, role),
            _ => self
                .trace
                .note_meaning(start, bytes.len() as u64, name, kind, role, meaning),
        }
    }
}

/// Reports a text field. Non-zero bytes after its end get a separate line.
pub fn note_text(trace: &dyn Trace, start: u64, bytes: &[u8], name: &str, role: Role) {
    let end = bytes
        .iter()
        .position(|b| *b == 0)
        .map_or(bytes.len(), |zero| zero + 1);
    let tail = bytes.get(end..).unwrap_or_default();
    if all_zero(tail) {
        return trace.note(start, bytes.len() as u64, name, Notation::Text, role);
    }
    trace.note(start, end as u64, name, Notation::Text, role);
    let meaning = Some("bytes after the end of a text".to_owned());
    trace.note_meaning(
        start + end as u64,
        tail.len() as u64,
        name,
        Notation::Bytes,
        Role::Stale,
        meaning,
    );
}

/// A declaration as data, from which `cargo xtask formats` writes the reference next to the code.
#[cfg(feature = "schemas")]
#[derive(Clone, Debug)]
pub struct RecordTable {
    /// The struct's name.
    pub name: &'static str,
    /// The struct's description.
    pub about: &'static str,
    /// The games that have the record, with its size in each; empty if it is the same in all games.
    pub games: Vec<(Game, usize)>,
    /// Its fields.
    pub rows: Vec<Row>,
}

/// A field of a [`RecordTable`].
#[cfg(feature = "schemas")]
#[derive(Clone, Debug)]
pub struct Row {
    /// The name.
    pub name: &'static str,
    /// Offset and size in each game of the table; `None` if the game lacks the field. A bit of the
    /// flag word has no places.
    pub places: Vec<Option<(usize, usize)>>,
    /// The type.
    pub kind: &'static str,
    /// The bits that enable it.
    pub on: &'static str,
    /// Whether the tree has it.
    pub rule: &'static str,
    /// Its description.
    pub about: &'static str,
}

/// True if the spans (offset, size, overlaps others on purpose) tile `size` bytes without hole or
/// overlap.
pub const fn tiles(spans: &[(usize, usize, bool)], size: usize) -> bool {
    let mut end = 0;
    // The fields may be declared in any order: each step finds the span that starts where the last
    // one ended.
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
    // The chain above misses a span that starts inside another one, but then the sizes add up to
    // more than the record.
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

/// Proves at compile time that the fields of a record tile it.
pub const fn prove(spans: &[(usize, usize, bool)], size: usize, what: &str) {
    assert!(tiles(spans, size), "{}", what);
}

/// Offset and size of a field in some games; `None` if it has no bytes.
pub fn places<const N: usize>(
    games: &[Game],
    spans: &[[(usize, usize, bool); N]],
    field: usize,
) -> Vec<Option<(usize, usize)>> {
    let span = |game: &Game| {
        spans
            .get(*game as usize)?
            .get(field)
            .copied()
            .filter(|(_, size, _)| *size > 0)
    };
    games
        .iter()
        .map(|game| span(game).map(|(at, size, _)| (at, size)))
        .collect()
}

/// The bytes of a field; empty if the record is truncated.
#[inline(always)]
pub fn cut(bytes: &[u8], at: usize, size: usize) -> &[u8] {
    bytes
        .get(at..)
        .and_then(|rest| rest.get(..size))
        .unwrap_or_default()
}

/// The mutable bytes of a field; none if they are not all there.
#[inline(always)]
pub fn cut_mut(bytes: &mut [u8], at: usize, size: usize) -> &mut [u8] {
    bytes
        .get_mut(at..)
        .and_then(|rest| rest.get_mut(..size))
        .unwrap_or_default()
}

/// True if the bytes contain this value.
#[inline(always)]
pub fn holds<T: Plain>(bytes: &[u8], value: &T) -> bool {
    T::get(bytes) == *value
}

/// Stores a value at the beginning of bytes that have at least its size.
#[inline(always)]
pub fn put_plain<T: Plain>(value: &T, bytes: &mut [u8]) {
    value.put(bytes);
}

/// The value at an offset; `None` if the bytes end too early.
pub fn value_at<T: Plain>(bytes: &[u8], at: usize) -> Option<T> {
    bytes.get(at..)?.get(..T::SIZE).map(T::get)
}

/// The value at this distance from the end.
pub fn value_before_end<T: Plain>(bytes: &[u8], back: usize) -> Option<T> {
    value_at(bytes, bytes.len().checked_sub(back)?)
}

/// Evaluates a rule.
#[inline(always)]
pub fn ask<R, Cx: ?Sized, T>(
    record: &R,
    game: Game,
    cx: &Cx,
    rule: fn(&RuleInput<'_, R, Cx>) -> T,
) -> T {
    rule(&RuleInput::new(record, game, cx))
}

/// The value at a place in a record's bytes.
#[inline]
pub fn peek<T: Plain>(bytes: &[u8], place: Range<usize>) -> T {
    T::get(bytes.get(place).unwrap_or_default())
}

/// The error for a field that the game does not have.
#[cold]
pub fn not_in_game(field: &'static str, hint: Option<&'static str>) -> Error {
    let error = Error::say("this field does not exist in this game");
    match hint {
        Some(hint) => error.hint(hint).within(field),
        None => error.within(field),
    }
}

/// The error for a flag word that is too wide.
#[cold]
pub fn wide_flags(word: u32, bits: u32, field: &'static str) -> Error {
    Error::say(format!("flags {word:#x} do not fit {bits} bits")).within(field)
}

/// True if all bytes are zero.
#[inline(always)]
pub fn all_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| *b == 0)
}

/// Declares a small structure of plain values with the same layout in every game, for use as a
/// field of a record.
///
/// ```
/// # extern crate refit_record as schemars;
/// use refit_base::wire::*;
/// refit_base::plain! {
///     /// A range of distances.
///     pub struct Range { near: F32, far: F32 }
/// }
/// assert_eq!(<Range as Plain>::SIZE, 8);
/// ```
#[macro_export]
macro_rules! plain {
    ($(#[doc = $d:literal])* $(#[derive($more:ident)])? $v:vis struct $name:ident {
        $($(#[doc = $fd:literal])* $f:ident : $t:ty),* $(,)?
    }) => {
        $(#[doc = $d])*
        #[derive(Clone, Copy, PartialEq, Debug, $($more,)? $crate::Object, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        $v struct $name { $($(#[doc = $fd])* #[allow(missing_docs)] pub $f: $t),* }
        impl $name {
            /// The declaration as a table.
            #[cfg(feature = "schemas")]
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
                $crate::wire::RecordTable { name: stringify!($name), about: concat!($($d,)* ""), games: Vec::new(),
                    rows }
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
                    let size = <$t as $crate::wire::Plain>::SIZE;
                    let (head, tail) = std::mem::take(&mut rest).split_at_mut_checked(size).unwrap_or_default();
                    rest = tail;
                    $crate::wire::Plain::put(&self.$f, head);
                )*
            }
        }
    };
}
