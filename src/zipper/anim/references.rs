//! The references of a definition: its arrays of named things, and the other fields of their
//! entries (FORMAT.md, "Definitions").

use super::{
    fields,
    names::{ListKind, Name, StoredName},
    sequences::Care,
};
use refit_base::{
    game::Game,
    record,
    wire::{
        self, Describe, Error, Extra, FieldCodec, FieldGroup, Hex, Plain, Raw, Reader, Record,
        Result, Role, Within, Writer,
    },
};
use std::{collections::HashMap, ops::Range, sync::LazyLock};

/// Calls a macro with every array of a definition, in the order of the file: name, field of the
/// document, type of the rest of an entry besides the name, and the list that indices point into.
/// Objects are only saved and restored.
macro_rules! each_array {
    ($call:ident) => {
        $call! {
            /// Nodes whose state is saved and restored on reset.
            Objects objects StaleObject None,
            /// Nodes that events use.
            Nodes nodes StaleNode Some(ListKind::Node),
            /// Lights.
            Lights lights StaleLight Some(ListKind::Light),
            /// Puffers (not RC).
            Puffers puffers StalePuffer Some(ListKind::Puffer),
            /// Dynamic sounds.
            DynamicSounds dynamic_sounds StaleLight Some(ListKind::DynamicSound),
            /// Static sounds.
            StaticSounds static_sounds StaleSound Some(ListKind::StaticSound),
            /// Effects (RC).
            Effects effects StaleEffect Some(ListKind::Effect),
        }
    };
}
pub(super) use each_array;

macro_rules! declare {
    ($($(#[$m:meta])* $array:ident $key:ident $entry:ident $kind:expr,)*) => {
        /// An array of a definition.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Array { $($(#[$m])* $array),* }

        impl Array {
            /// All arrays in file order.
            pub const ALL: [Array; 7] = [$(Array::$array),*];

            /// All arrays of a game in file order.
            pub fn all(game: Game) -> impl Iterator<Item = Array> {
                Array::ALL.into_iter().filter(move |array| array.size(game) > 0)
            }

            /// Size of an entry in bytes; 0 if the game has no such array.
            pub fn size(self, game: Game) -> usize {
                match self { $(Array::$array => $entry::size(game)),* }
            }

            /// The list that indices point into.
            pub fn kind(self) -> Option<ListKind> {
                match self { $(Array::$array => $kind),* }
            }

            /// The field's name in a document.
            pub fn key(self) -> &'static str {
                match self { $(Array::$array => stringify!($key)),* }
            }
        }

        record! {
            /// The contents of the arrays besides the names: stale memory, by entry.
            #[derive(Default)]
            pub struct StaleEntries { $($(#[$m])* $key*: $entry in entries),* }
        }

        record! {
            /// The zero elements of the arrays, if irregular.
            #[derive(Default)]
            pub struct ZeroElements { $($(#[$m])* $key!: Extra in entries),* }
        }
    };
}
each_array!(declare);

/// The rest of an entry besides its name: stale memory of the program that wrote the file, and
/// fields that the engine sets when it loads the file. It is read and written together with the
/// name.
pub trait Stale: Record<StoredName> + Default {
    /// True if the name fields were prefilled with `Default_node_name`.
    const NODE: bool;
    /// The range of the name within an entry.
    fn place(game: Game) -> Range<usize>;
    /// The entry's name, by which the rest follows it to another position.
    fn name(&mut self) -> &mut Name;
    /// Bytes of the entry that the typed form does not cover.
    fn extra(&mut self) -> &mut Extra;
    /// Shared access to [`Stale::name`] and [`Stale::extra`].
    fn beside(&self) -> (&Name, &Extra);
    /// The range of an address in the zero element that is all ones: objects and nodes of PM and CS
    /// have it.
    fn zero_pointer(_game: Game) -> Range<usize> {
        0..0
    }
    /// Two default entries of each game: the zero element, and an entry with an empty name.
    fn regular(game: Game) -> &'static [[u8; ENTRY]; 2];
}

/// Size of the longest entry, in bytes.
pub const ENTRY: usize = 96;

/// Computes [`Stale::regular`].
fn regular<S: Stale>(game: Game) -> [[u8; ENTRY]; 2] {
    let Some(size) = S::size(game) else {
        return [[0; ENTRY]; 2];
    };
    let (mut zero, mut entry) = ([0; ENTRY], [0; ENTRY]);
    let written = S::default().store(entry.within_mut(..size), game, &StoredName::default());
    // Without a default form, every entry is kept as bytes.
    if written.is_err() {
        return [[0; ENTRY]; 2];
    }
    let pointer = zero.within_mut(S::zero_pointer(game));
    pointer.fill(0xff);
    [zero, entry]
}

/// The name of an entry, which is in a separate list: `N` bytes, prefilled with `Default_node_name`
/// if `NODE`.
pub struct EntryName<const N: usize, const NODE: bool>;

impl<R, const N: usize, const NODE: bool> FieldGroup<R, StoredName> for EntryName<N, NODE> {
    const SIZE: usize = N;
    fn load(_: &mut R, _: &[u8], _: u32, _: Game, _: &StoredName) {}
    fn store(_: &R, bytes: &mut [u8], _: Game, label: &StoredName) -> Result<()> {
        label.write(bytes, NODE)
    }
    fn describe(_: &R, _: &mut Describe<'_>, _: Game, _: &StoredName) {}
}

/// A 32-bit word in the tree, stored in 16 bits.
pub struct Half;

impl<Cx: ?Sized> FieldCodec<Hex<u32>, Cx> for Half {
    type RuleInput = ();
    const SIZE: usize = u16::SIZE;
    const KIND: wire::Notation = wire::Notation::Word;
    fn load(bytes: &[u8], _: Game, _: &Cx, (): &()) -> Hex<u32> {
        Hex(u16::get(bytes).into())
    }
    fn store(value: &Hex<u32>, bytes: &mut [u8], _: Game, _: &Cx, (): &()) -> Result<()> {
        u16::try_from(value.0)
            .map_err(|_| Error::say("these flags have only 16 bits"))?
            .put(bytes);
        Ok(())
    }
}

/// Declares the rest of entries: the record without what all of them have, whether the name is
/// prefilled, the fields of the name, and the address of the zero element.
macro_rules! stale {
    ($($(#[$m:meta])* $entry:ident [$($sizes:tt)*] $node:literal $($label:ident)* $(; $pointer:ident)? {
        $($fields:tt)*
    })*) => { $(
        record! {
            $(#[$m])*
            #[derive(Default)]
            pub struct $entry [$($sizes)*] with StoredName above {
                /// The entry's name; the bytes stay with it when it moves.
                name: Name,
            } {
                $($fields)*
            } below {
                /// Bytes of the entry that no field expresses.
                extra!: Extra,
            }
        }

        impl Stale for $entry {
            const NODE: bool = $node;
            fn place(game: Game) -> Range<usize> {
                [$($entry::$label(game)),*].into_iter().find(|place| !place.is_empty()).unwrap_or_default()
            }
            $(fn zero_pointer(game: Game) -> Range<usize> {
                if matches!(game, Game::Pm | Game::Cs) { $entry::$pointer(game) } else { 0..0 }
            })?
            fn name(&mut self) -> &mut Name {
                &mut self.name
            }
            fn extra(&mut self) -> &mut Extra {
                &mut self.extra
            }
            fn beside(&self) -> (&Name, &Extra) {
                (&self.name, &self.extra)
            }
            fn regular(game: Game) -> &'static [[u8; ENTRY]; 2] {
                static ALL: LazyLock<[[[u8; ENTRY]; 2]; 5]> = LazyLock::new(|| Game::LAYOUTS.map(regular::<$entry>));
                &ALL[game as usize]
            }
        }
    )* };
}
stale! {
    /// What the entry of an object contains besides its name.
    StaleObject [Rc 96, Mw 96, Pm 92, Cs 92] true place_label; place_pointer {
        /// The name.
        label @0: part EntryName<32, true>,
        _: pad 4,
        /// Stale address, or an id (CS). `0xffffffff` when absent.
        pointer~: Hex<u32> = |_| Hex(!0),
        /// Stale bits (PM, CS).
        [Pm Cs] flags?: Hex<u32> as Half,
        /// Always 0 in known files.
        [Pm Cs] root?: u16,
        /// The saved state: active.
        [Rc Mw] active?: Hex<u32>,
        /// The saved transform is a matrix.
        [Rc Mw] matrix?: Hex<u32>,
        /// The saved transform.
        transform?: Raw<48>,
    }

    /// What the entry of a node contains besides its name.
    StaleNode [Rc 40, Mw 40, Pm 44, Cs 44] true place_label; place_pointer {
        /// The name.
        label @[Rc 0, Mw 0, _ 4]: part EntryName<32, true>,
        _: pad 4,
        /// Stale address, or an id (CS). `0xffffffff` when absent.
        pointer~: Hex<u32> = |_| Hex(!0),
        /// Stale bits (PM, CS).
        [Pm Cs] flags? @0: Hex<u32> as Half,
        /// Always 0 in known files.
        [Pm Cs] root?: u16,
    }

    /// What the entry of a light or dynamic sound contains besides its name.
    StaleLight [Rc 44, Mw 44, Pm 44, Cs 44] true place_label {
        /// The name.
        label @0: part EntryName<32, true>,
        /// Stale address. `0xffffffff` when absent.
        pointer~ @36: Hex<u32> = |_| Hex(!0),
        /// Stale bits; zero in known files.
        flags? @32: Hex<u32>,
        /// Set when the engine has put it into the world; zero in known files.
        in_world? @40: Hex<u32>,
    }

    /// What the entry of a puffer contains besides its name.
    StalePuffer [Mw 44, Pm 44, Cs 44] false place_label {
        /// The name.
        label @0: part EntryName<32, false>,
        /// Stale address. `0xffffffff` when absent.
        pointer~ @36: Hex<u32> = |_| Hex(!0),
        /// Stale bits; the low 24 are zero in known files.
        flags? @32: Hex<u32>,
        /// Set when the engine has put it into the world; zero in known files.
        in_world? @40: Hex<u32>,
    }

    /// What the entry of a static sound contains besides its name.
    StaleSound [Rc 36, Mw 36, Pm 36, Cs 40] false place_label place_long_label {
        /// The name.
        [Rc Mw Pm] label @0: part EntryName<32, false>,
        /// The name.
        [Cs] long_label @0: part EntryName<40, false>,
        /// What the engine resolves it to while it loads the file.
        [Rc Mw Pm] resolved?: Hex<u32>,
    }

    /// What the entry of an effect contains besides its name.
    StaleEffect [Rc 36, Mw 36, Pm 36, Cs 36] false place_label {
        /// The name.
        label @0: part EntryName<32, false>,
        /// What the engine resolves it to while it loads the file.
        resolved?: Hex<u32>,
    }
}

/// An array: names, and the rest of each entry. `names` is `None` if the array is absent; an array
/// without names still has its zero element.
pub struct NamedArray<S> {
    /// The names, without the zero element.
    pub names: Option<Vec<StoredName>>,
    /// The rest of each entry; empty if all of them are the default.
    pub stale: Vec<S>,
    /// The zero element, if it is not the default.
    pub zero: Extra,
}

/// The bytes before and after the name of an entry.
fn around<'a>(entry: &'a [u8], name: &Range<usize>) -> (&'a [u8], &'a [u8]) {
    (entry.within(..name.start), entry.within(name.end..))
}

impl<S: Stale> NamedArray<S> {
    /// Reads `count` entries including the zero element.
    pub(crate) fn read(r: &mut Reader<'_>, key: &str, count: u8, care: Care) -> Result<Self> {
        let game = r.game;
        let (size, place) = (S::size(game).unwrap_or(0), S::place(game));
        let bytes = r
            .take_many(count.into(), size as u64)
            .map_err(|e| e.within(key))?;
        let mut entries = bytes.chunks_exact(size.max(1));
        let (mut names, mut stale) = (Vec::new(), Vec::new());
        let Some(first) = entries.next() else {
            return Ok(NamedArray {
                names: None,
                stale,
                zero: Extra::default(),
            });
        };
        let [zero, regular] = S::regular(game);
        let zero = Extra::of(zero.within(..size), first);
        let regular = around(regular.within(..size), &place);
        for (i, entry) in entries.enumerate() {
            let label = StoredName::read(entry.within(place.clone()), S::NODE);
            // The label reproduces the name's bytes: compare only the rest.
            if around(entry, &place) != regular {
                stale.resize_with(i, S::default);
                let mut it = S::load(entry, game, &label);
                *it.extra() = care.extra(&it, entry, game, &label);
                stale.push(it);
            }
            names.push(label);
        }
        if !stale.is_empty() {
            stale.resize_with(names.len(), S::default);
            for (stale, label) in stale.iter_mut().zip(&names) {
                *stale.name() = label.text.clone();
            }
        }
        Ok(NamedArray {
            names: Some(names),
            stale,
            zero,
        })
    }

    /// Writes the array. Returns the number of entries.
    pub(crate) fn write(
        w: &mut Writer,
        key: &str,
        names: Option<&[StoredName]>,
        stale: &[S],
        zero: &Extra,
    ) -> Result<u8> {
        let Some(names) = names else { return Ok(0) };
        let game = w.game;
        let (size, place) = (S::size(game).unwrap_or(0), S::place(game));
        let [mut element, regular] = *S::regular(game);
        let (element, regular) = (element.within_mut(..size), regular.within(..size));
        zero.lay_over(element).map_err(|e| e.within(key))?;
        w.raw(element);
        let moved = (!is_aligned(names, stale)).then(|| follow(names, stale));
        for (i, label) in names.iter().enumerate() {
            let from = moved
                .as_ref()
                .map_or(Some(i), |moved| moved.get(i).copied().flatten());
            let done = match from.and_then(|from| stale.get(from)) {
                Some(stale) => fields::append(stale, stale.beside().1, w, label),
                None => {
                    let at = w.len();
                    w.raw(regular);
                    label.write(
                        w.bytes.within_mut(at + place.start..at + place.end),
                        S::NODE,
                    )
                }
            };
            done.map_err(|e| e.within(format!("[{i}]")).within(key))?;
        }
        wire::fit(
            names.len() + 1,
            "the number of entries, with the empty first one,",
        )
        .map_err(|e| e.within(key))
    }

    /// Reports the fields of `count` entries.
    pub(crate) fn describe(
        r: &mut Reader<'_>,
        key: &str,
        count: u8,
        names: Option<&[StoredName]>,
        stale: &[S],
    ) -> Result<()> {
        let game = r.game;
        let (size, place) = (S::size(game).unwrap_or(0), S::place(game));
        let regular = S::default();
        for i in 0..usize::from(count) {
            let (at, entry) = (r.offset(), r.take(size)?);
            let Some(trace) = r.trace() else { continue };
            let Some(i) = i.checked_sub(1) else {
                let usual = S::regular(game)[0].get(..size) == Some(entry);
                let role = if usual { Role::Constant } else { Role::Stale };
                trace.note(
                    at,
                    size as u64,
                    &format!("zero_elements.{key}"),
                    wire::Notation::Bytes,
                    role,
                );
                continue;
            };
            let Some(label) = names.and_then(|names| names.get(i)) else {
                continue;
            };
            let field = entry.within(place.clone());
            label.describe(
                &Describe::new(field, field, at + place.start as u64, trace),
                field.len(),
                &format!("{key}[{i}]"),
            );
            trace.enter(&format!("stale.{key}[{i}]"));
            stale
                .get(i)
                .unwrap_or(&regular)
                .describe(entry, at, game, label, trace);
            trace.leave();
        }
        Ok(())
    }
}

/// True if each entry's rest is at the position of its name, or if all of them are the default.
fn is_aligned<S: Stale>(names: &[StoredName], stale: &[S]) -> bool {
    stale.is_empty()
        || names.len() == stale.len()
            && names
                .iter()
                .zip(stale)
                .all(|(n, s)| n.text == *s.beside().0)
}

/// Finds the former position of the rest for each name. If the length is unchanged, a name at its
/// former position keeps its rest. Otherwise the nth occurrence of a name gets the rest of its
/// former nth occurrence. A new name in a list of unchanged length gets the rest that remains at
/// its position.
fn follow<S: Stale>(names: &[StoredName], stale: &[S]) -> Vec<Option<usize>> {
    let same_length = names.len() == stale.len();
    let mut found: Vec<Option<usize>> = vec![None; names.len()];
    let mut taken = vec![false; stale.len()];
    if same_length {
        for (i, ((name, s), (slot, taken))) in names
            .iter()
            .zip(stale)
            .zip(found.iter_mut().zip(&mut taken))
            .enumerate()
        {
            *taken = name.text == *s.beside().0;
            *slot = taken.then_some(i);
        }
    }
    let mut by_name: HashMap<&Name, Vec<usize>> = HashMap::new();
    for (i, s) in stale
        .iter()
        .enumerate()
        .rev()
        .filter(|(i, _)| taken.get(*i) == Some(&false))
    {
        by_name.entry(s.beside().0).or_default().push(i);
    }
    for (name, slot) in names
        .iter()
        .zip(&mut found)
        .filter(|(_, slot)| slot.is_none())
    {
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

    fn what_is_regular<S: Stale + PartialEq + std::fmt::Debug>() {
        for game in Game::ALL {
            let Some(size) = S::size(game) else { continue };
            let write = |stale: Vec<S>| {
                let mut w = Writer::new(game);
                assert_eq!(
                    NamedArray::write(
                        &mut w,
                        "x",
                        Some(&[StoredName::new(b"gun")]),
                        &stale,
                        &Extra::default()
                    )
                    .unwrap(),
                    2
                );
                w.bytes
            };
            let bytes = write(Vec::new());
            let mut stale = S::default();
            *stale.name() = b"gun".as_slice().into();
            assert_eq!(bytes, write(vec![stale]));
            let read = |bytes: &[u8]| {
                NamedArray::<S>::read(&mut Reader::new(bytes, game), "x", 2, Care::Parts).unwrap()
            };
            assert!(read(&bytes).stale.is_empty(), "{size} {game:?}");
            for at in (0..size).filter(|at| !S::place(game).contains(at)) {
                let mut other = bytes.clone();
                other[size + at] ^= 1;
                let NamedArray { stale, .. } = read(&other);
                assert_eq!(stale.len(), 1, "{size} {game:?} {at}");
                assert_eq!(write(stale), other);
            }
        }
    }

    #[test]
    fn regular_values_are_written_although_the_tree_lacks_them() {
        what_is_regular::<StaleObject>();
        what_is_regular::<StaleNode>();
        what_is_regular::<StaleLight>();
        what_is_regular::<StalePuffer>();
        what_is_regular::<StaleSound>();
        what_is_regular::<StaleEffect>();
    }

    #[test]
    fn stale_memory_follows_its_name() {
        let stale: Vec<StaleEffect> = ["a", "b", "b", "c"]
            .iter()
            .zip(0u32..)
            .map(|(n, i)| StaleEffect {
                name: n.as_bytes().into(),
                resolved: Some(Hex(i)),
                ..StaleEffect::default()
            })
            .collect();
        let find = |names: &[&str]| -> Vec<Option<u32>> {
            let names: Vec<StoredName> = names
                .iter()
                .map(|n| StoredName::new(n.as_bytes()))
                .collect();
            follow(&names, &stale)
                .iter()
                .map(|i| stale.get((*i)?)?.resolved.map(|r| r.0))
                .collect()
        };
        assert_eq!(
            find(&["a", "b", "b", "c"]),
            [Some(0), Some(1), Some(2), Some(3)]
        );
        assert_eq!(find(&["a", "b", "c"]), [Some(0), Some(1), Some(3)]);
        assert_eq!(
            find(&["c", "a", "new", "b", "b"]),
            [Some(3), Some(0), None, Some(1), Some(2)]
        );
        // If one of two equal names is renamed, each entry keeps the rest at its position.
        assert_eq!(
            find(&["a", "renamed", "b", "c"]),
            [Some(0), Some(1), Some(2), Some(3)]
        );
        assert_eq!(
            find(&["a", "b", "b", "renamed"]),
            [Some(0), Some(1), Some(2), Some(3)]
        );
    }
}
