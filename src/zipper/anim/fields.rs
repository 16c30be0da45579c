//! Encoding of values in animation files: names for indices, changes and their rates, booleans.

use super::names::{ListKind, Ref, StoredName, Tables};
use refit_base::{
    game::Game,
    wire::{
        self, Derived, Describe, Error, Extra, F32, FieldCodec, Plain, Record, Refused, Result,
        Role, Scalar, Within, Writer,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::marker::PhantomData;

/// Writes a part into its zeroed bytes, then the uncovered bytes over it.
pub fn put<Cx: ?Sized>(
    part: &impl Record<Cx>,
    extra: &Extra,
    bytes: &mut [u8],
    game: Game,
    cx: &Cx,
) -> Result<()> {
    part.store(bytes, game, cx)?;
    extra.lay_over(bytes)
}

/// Appends a part, then writes the uncovered bytes over it.
pub fn append<Cx: ?Sized>(
    part: &impl Record<Cx>,
    extra: &Extra,
    w: &mut Writer,
    cx: &Cx,
) -> Result<()> {
    let at = w.len();
    part.append(w, cx)?;
    extra.lay_over(w.bytes.within_mut(at..))
}

/// The integer types of stored indices.
pub trait Integer: Plain + Into<i32> + TryFrom<i32> {}
impl Integer for i16 {}
impl Integer for i32 {}

/// A list that indices point into, as a type parameter.
pub trait List {
    /// The kind of the list.
    const LIST: ListKind;
}

macro_rules! lists {
    ($($(#[$m:meta])* $name:ident = $kind:ident),* $(,)?) => { $(
        $(#[$m])*
        pub struct $name;
        impl List for $name {
            const LIST: ListKind = ListKind::$kind;
        }
    )* };
}
lists! {
    /// The definition's nodes.
    Node = Node,
    /// Its lights.
    Light = Light,
    /// Its puffers.
    Puffer = Puffer,
    /// Its dynamic sounds.
    DynamicSound = DynamicSound,
    /// Its static sounds.
    StaticSound = StaticSound,
    /// Its effects.
    Effect = Effect,
    /// Its animation references.
    Reference = Reference,
    /// Its list of scripts (CS).
    DefinitionScript = Script,
}

/// An index of type `I` into the list `L`; a name in the tree.
pub struct Index<I, L>(PhantomData<(I, L)>);

impl<I: Integer, L: List> FieldCodec<Ref, Tables> for Index<I, L> {
    type RuleInput = ();
    const SIZE: usize = I::SIZE;
    const KIND: wire::Notation = wire::Notation::Signed;
    #[inline]
    fn load(bytes: &[u8], _: Game, tables: &Tables, (): &()) -> Ref {
        tables.name(L::LIST, I::get(bytes).into())
    }
    #[inline]
    fn store(value: &Ref, bytes: &mut [u8], _: Game, tables: &Tables, (): &()) -> Result<()> {
        let i = tables.index(L::LIST, value)?;
        let fits = I::try_from(i).map(|i| i.put(bytes));
        fits.map_err(|_| {
            Error::say(format!(
                "the index {i} does not fit its {}-byte field",
                I::SIZE
            ))
        })
    }
    fn meaning(bytes: &[u8], _: Game, tables: &Tables) -> Option<String> {
        match tables.name(L::LIST, I::get(bytes).into()) {
            Ref::Index(_) => None,
            name => Some(name.to_string()),
        }
    }
}

/// A change whose from, to and rate follow one another, each as a whole. The rate depends on the
/// run time.
pub struct Rated;

impl<T: Change, Cx: ?Sized> FieldCodec<FromTo<T>, Cx> for Rated {
    type RuleInput = F32;
    const SIZE: usize = 3 * T::SIZE;
    const KIND: wire::Notation = wire::Notation::Fields(&[
        ("from", T::SIZE, T::KIND),
        ("to", T::SIZE, T::KIND),
        ("rate", T::SIZE, T::KIND),
    ]);
    fn load(bytes: &[u8], _: Game, _: &Cx, run_time: &F32) -> FromTo<T> {
        let [from, to, rate] = <[T; 3]>::get(bytes);
        FromTo::of(from, to, rate, *run_time)
    }
    fn store(value: &FromTo<T>, bytes: &mut [u8], _: Game, _: &Cx, run_time: &F32) -> Result<()> {
        value.check()?;
        [
            value.from.clone(),
            value.to.clone(),
            value.stored_rate(*run_time),
        ]
        .put(bytes);
        Ok(())
    }
    fn describe(value: &FromTo<T>, field: &Describe<'_>, name: &str, _: Game, _: &Cx) {
        for (i, (inner, role)) in value.roles().into_iter().enumerate() {
            field.note(
                i * T::SIZE,
                T::SIZE,
                &format!("{name}.{inner}"),
                T::KIND,
                role,
                None,
            );
        }
    }
}

/// A change of several channels, each with its from, to and rate in a row. The rate depends on the
/// run time.
pub struct Channels;

impl Channels {
    /// Reads the values of the channels.
    pub fn split<const N: usize>(bytes: &[u8], run_time: &F32) -> FromTo<[F32; N]>
    where
        [F32; N]: Change,
    {
        let channels = <[[F32; 3]; N]>::get(bytes);
        let [from, to, rate] = std::array::from_fn(|which| channels.map(|channel| channel[which]));
        FromTo::of(from, to, rate, *run_time)
    }

    /// Writes the values of the channels.
    pub fn join<const N: usize>(value: &FromTo<[F32; N]>, bytes: &mut [u8], run_time: &F32)
    where
        [F32; N]: Change,
    {
        let rate = value.stored_rate(*run_time);
        <[[F32; 3]; N]>::put(
            &std::array::from_fn(|i| [value.from[i], value.to[i], rate[i]]),
            bytes,
        );
    }

    /// Reports the fields; `path` is their prefix.
    pub fn note<const N: usize>(value: &FromTo<[F32; N]>, field: &Describe<'_>, path: &str) {
        for (i, (inner, role)) in value.roles().into_iter().cycle().take(3 * N).enumerate() {
            let name = format!("{path}{inner}[{}]", i / 3);
            field.note(
                i * F32::SIZE,
                F32::SIZE,
                &name,
                wire::Notation::Float,
                role,
                None,
            );
        }
    }
}

impl<const N: usize, Cx: ?Sized> FieldCodec<FromTo<[F32; N]>, Cx> for Channels
where
    [F32; N]: Change,
{
    type RuleInput = F32;
    const SIZE: usize = 3 * N * F32::SIZE;
    const KIND: wire::Notation = wire::Notation::List(&wire::Notation::Float, F32::SIZE);
    fn load(bytes: &[u8], _: Game, _: &Cx, run_time: &F32) -> FromTo<[F32; N]> {
        Channels::split(bytes, run_time)
    }
    fn store(
        value: &FromTo<[F32; N]>,
        bytes: &mut [u8],
        _: Game,
        _: &Cx,
        run_time: &F32,
    ) -> Result<()> {
        value.check()?;
        Channels::join(value, bytes, run_time);
        Ok(())
    }
    fn describe(value: &FromTo<[F32; N]>, field: &Describe<'_>, name: &str, _: Game, _: &Cx) {
        Channels::note(value, field, &format!("{name}."));
    }
}

/// A name field: `N` bytes, prefilled with `Default_node_name` if `NODE`.
pub struct NameField<const N: usize, const NODE: bool>;

impl<const N: usize, const NODE: bool, Cx: ?Sized> FieldCodec<StoredName, Cx>
    for NameField<N, NODE>
{
    type RuleInput = ();
    const SIZE: usize = N;
    const KIND: wire::Notation = wire::Notation::Text;
    #[inline]
    fn load(bytes: &[u8], _: Game, _: &Cx, (): &()) -> StoredName {
        StoredName::read(bytes, NODE)
    }
    #[inline]
    fn store(value: &StoredName, bytes: &mut [u8], _: Game, _: &Cx, (): &()) -> Result<()> {
        value.write(bytes, NODE)
    }
    fn describe(value: &StoredName, field: &Describe<'_>, name: &str, _: Game, _: &Cx) {
        value.describe(field, N, name);
    }
}

/// A value that changes at a constant rate.
pub trait Change: Plain + Default {
    /// The change per second, as the games compute it.
    fn rate(from: &Self, to: &Self, run_time: F32, rounding: Option<Rounding>) -> Self;
}

/// How a rate was rounded. Recoil's compiler rounds once, and so do the values of Crimson Skies;
/// other files show the two other ways. The tree does not store the way: after an edit of the ends
/// or of the time, the new rate is rounded in the same way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Rounding {
    /// The difference and the quotient are rounded one after the other.
    Twice,
    /// The difference times the rounded reciprocal of the time.
    Reciprocal,
}

/// `(to - from) / run_time`; zero if nothing changes or no time passes. Rounded once unless
/// `rounding` is given.
pub fn rate(from: F32, to: F32, run_time: F32, rounding: Option<Rounding>) -> F32 {
    let (from, to, time) = (from.get(), to.get(), run_time.get());
    if to == from || time == 0.0 {
        return F32::from(0.0);
    }
    F32::from(match rounding {
        None => ((f64::from(to) - f64::from(from)) / f64::from(time)) as f32,
        Some(Rounding::Twice) => (to - from) / time,
        Some(Rounding::Reciprocal) => (to - from) * (1.0 / time),
    })
}

impl Change for F32 {
    fn rate(from: &Self, to: &Self, run_time: F32, rounding: Option<Rounding>) -> Self {
        rate(*from, *to, run_time, rounding)
    }
}

impl<const N: usize> Change for [F32; N]
where
    [F32; N]: Plain + Default,
{
    fn rate(from: &Self, to: &Self, run_time: F32, rounding: Option<Rounding>) -> Self {
        std::array::from_fn(|i| rate(from[i], to[i], run_time, rounding))
    }
}

/// A change from one value to another over the event's run time.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FromTo<T> {
    /// The value at the start, in the unit of the field that changes.
    pub from: T,
    /// The value at the end, in the unit of the field that changes.
    pub to: T,
    /// Change per second, if it is not `(to - from) / run_time` with any rounding.
    #[serde(default, skip_serializing_if = "Derived::is_none")]
    pub rate: Derived<T>,
    /// How the rate was rounded, if not once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounding: Option<Rounding>,
}

impl<T: Change> FromTo<T> {
    /// Converts from the values in a file.
    pub fn of(from: T, to: T, rate: T, run_time: F32) -> Self {
        let ways = [None, Some(Rounding::Twice), Some(Rounding::Reciprocal)];
        match ways
            .into_iter()
            .find(|rounding| T::rate(&from, &to, run_time, *rounding) == rate)
        {
            Some(rounding) => FromTo {
                from,
                to,
                rate: Derived(None),
                rounding,
            },
            None => FromTo {
                from,
                to,
                rate: Derived(Some(rate)),
                rounding: None,
            },
        }
    }

    /// Returns an error if the tree has both a rate and a rounding.
    pub fn check(&self) -> Result<()> {
        match (self.rate.is_none(), self.rounding) {
            (false, Some(_)) => Err(Error::say("`rate` and `rounding` give the same value")
                .hint("leave one of them out")),
            _ => Ok(()),
        }
    }

    /// The rate in the file.
    pub fn stored_rate(&self, run_time: F32) -> T {
        self.rate
            .clone()
            .or(T::rate(&self.from, &self.to, run_time, self.rounding))
    }
}

impl<T> FromTo<T> {
    /// The fields with their roles.
    fn roles(&self) -> [(&'static str, Role); 3] {
        let rate = if self.rate.is_none() {
            Role::Derived
        } else {
            Role::Value
        };
        [("from", Role::Value), ("to", Role::Value), ("rate", rate)]
    }
}

/// A boolean stored as an integer; values other than 0 and 1 are preserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bool<T>(pub T);

impl<T: Plain> Plain for Bool<T> {
    const SIZE: usize = T::SIZE;
    const KIND: refit_base::wire::Notation = T::KIND;
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
            other => refit_base::wire::marked(refit_base::wire::Mark::UnknownValue, &other, s),
        }
    }
}

refit_base::text_form!([T: TryFrom<u32>] Bool<T>: "true, false, or a number", |value| {
    let number = match value {
        Scalar::Bool(v) => Some(v.into()),
        Scalar::Unsigned(v) => u32::try_from(v).ok(),
        Scalar::Signed(v) => u32::try_from(v).ok(),
        _ => return Err(Refused::Type),
    };
    number.and_then(|v| T::try_from(v).ok()).map(Bool).ok_or(Refused::Value)
});

refit_base::schema_form!([T] Bool<T>: "Bool", |_| schemars::json_schema!({ "description": "A boolean; numbers other than 0 \
    and 1 are kept.", "type": ["boolean", "integer"] }));

#[cfg(test)]
mod tests {
    use super::*;
    use refit_base::wire::{Line, Notation};

    const MW: Game = Game::Mw;

    fn tables() -> Tables {
        let mut tables = Tables::default();
        tables.set(
            ListKind::Node,
            ["door", "arm"]
                .iter()
                .map(|name| Some(name.as_bytes().into())),
        );
        tables
    }

    #[test]
    fn an_index_is_a_name_in_the_tree() {
        type Short = Index<i16, Node>;
        let tables = tables();
        let arm = <Short as FieldCodec<Ref, Tables>>::load(&[2, 0], MW, &tables, &());
        assert_eq!(arm, Ref::Name(b"arm".as_slice().into()));
        assert_eq!(Short::meaning(&[2, 0], MW, &tables).unwrap(), "\"arm\"");
        assert_eq!(
            Short::meaning(&[9, 0], MW, &tables),
            None,
            "no entry stands for it"
        );
        let store = |value: Ref| {
            let mut bytes = [0; 2];
            Short::store(&value, &mut bytes, MW, &tables, &()).map(|()| bytes)
        };
        assert_eq!(store(arm).unwrap(), [2, 0]);
        assert_eq!(store(Ref::Input).unwrap(), (-200i16).to_le_bytes());
        assert!(
            store(Ref::Index(70_000))
                .unwrap_err()
                .to_string()
                .contains("2-byte field")
        );
        assert!(
            store(Ref::Name(b"leg".as_slice().into()))
                .unwrap_err()
                .to_string()
                .contains("no node \"leg\"")
        );
    }

    /// The reports for a value: end, path and role of each field.
    fn reports<T, H: FieldCodec<T>>(value: &T, bytes: &[u8]) -> Vec<(u64, String, Role)> {
        let mut lines = Vec::new();
        let mut out = |line: Line| {
            lines.push((line.range.end, line.path, line.role));
            Ok(())
        };
        let trace = wire::Explainer::new(0..u64::MAX, &mut out);
        H::describe(value, &Describe::new(bytes, bytes, 0, &trace), "x", MW, &());
        trace.finish(bytes.len() as u64, Role::Unknown).unwrap();
        lines
    }

    #[test]
    fn a_derived_rate_is_not_stored() {
        let bytes = |values: &[f32]| {
            values
                .iter()
                .flat_map(|v| v.to_le_bytes())
                .collect::<Vec<u8>>()
        };
        let time = F32::from(2.0);
        let trip = |stored: &[f32]| {
            let value: FromTo<F32> =
                <Rated as FieldCodec<FromTo<F32>>>::load(&bytes(stored), MW, &(), &time);
            let mut out = [0; 12];
            <Rated as FieldCodec<FromTo<F32>>>::store(&value, &mut out, MW, &(), &time).unwrap();
            assert_eq!(out.as_slice(), bytes(stored));
            value
        };
        let (regular, odd) = (trip(&[1.0, 4.0, 1.5]), trip(&[1.0, 4.0, 9.0]));
        assert_eq!(
            (regular.rate, odd.rate),
            (Derived(None), Derived(Some(F32::from(9.0))))
        );
        let lines = reports::<_, Rated>(&regular, &bytes(&[1.0, 4.0, 1.5]));
        let expected = [
            (4, "x.from", Role::Value),
            (8, "x.to", Role::Value),
            (12, "x.rate", Role::Derived),
        ];
        assert_eq!(
            lines,
            expected.map(|(end, path, role)| (end, path.to_owned(), role))
        );
        assert_eq!(
            reports::<_, Rated>(&odd, &bytes(&[1.0, 4.0, 9.0]))[2].2,
            Role::Value
        );
    }

    #[test]
    fn channels_are_interleaved() {
        let stored: Vec<u8> = [0.0f32, 1.0, 0.5, 10.0, 20.0, 5.0]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        let value = Channels::split::<2>(&stored, &F32::from(2.0));
        assert_eq!(value.from.map(F32::get), [0.0, 10.0]);
        assert_eq!(value.to.map(F32::get), [1.0, 20.0]);
        assert_eq!(value.rate, Derived(None));
        let mut out = [0; 24];
        Channels::join(&value, &mut out, &F32::from(2.0));
        assert_eq!(out.as_slice(), stored);
        let paths: Vec<String> = reports::<_, Channels>(&value, &stored)
            .into_iter()
            .map(|(_, path, _)| path)
            .collect();
        assert_eq!(
            paths,
            [
                "x.from[0]",
                "x.to[0]",
                "x.rate[0]",
                "x.from[1]",
                "x.to[1]",
                "x.rate[1]"
            ]
        );
    }

    #[test]
    fn a_name_field_separates_text_and_residue() {
        type Field = NameField<32, true>;
        let mut stored = *b"gun\0ult_node_name\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
        let label: StoredName = <Field as FieldCodec<StoredName>>::load(&stored, MW, &(), &());
        let roles = |label: &StoredName, bytes: &[u8]| {
            reports::<_, Field>(label, bytes)
                .into_iter()
                .map(|(end, _, role)| (end, role))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            roles(&label, &stored),
            [(4, Role::Value), (32, Role::Derived)]
        );
        stored[31] = 1;
        let label: StoredName = <Field as FieldCodec<StoredName>>::load(&stored, MW, &(), &());
        assert_eq!(
            roles(&label, &stored),
            [(4, Role::Value), (32, Role::Stale)]
        );
        assert_eq!(<Field as FieldCodec<StoredName>>::KIND, Notation::Text);
    }
}
