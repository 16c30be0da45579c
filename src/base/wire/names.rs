//! Open enumerations and flags: known values have names, unknown ones are kept.

/// Declares an enumeration that keeps unknown values: in text, a known value is its name, and any
/// other its number.
///
/// ```
/// refit_base::open_enum! {
///     /// When a definition starts.
///     pub enum Activation: u8 { WeaponHit = 0 "WEAPON_HIT", OnCall = 3 "ON_CALL" }
/// }
/// assert_eq!(serde_json::to_string(&Activation::OnCall).unwrap(), r#""ON_CALL""#);
/// assert_eq!(serde_json::from_str::<Activation>("77").unwrap(), Activation::Other(77));
/// ```
#[macro_export]
macro_rules! open_enum {
    ($(#[$m:meta])* $v:vis enum $name:ident : $t:ty {
        $($(#[$vm:meta])* $variant:ident = $value:literal $text:literal),+ $(,)?
    }) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        $v enum $name { $($(#[$vm])* $variant,)+ Other($t) }
        impl $name {
            /// Converts the number in the file.
            pub fn from_raw(raw: $t) -> Self {
                match raw { $($value => $name::$variant,)+ other => $name::Other(other) }
            }
            /// The number in the file.
            pub fn raw(self) -> $t {
                match self { $($name::$variant => $value,)+ $name::Other(other) => other }
            }
            /// The name of a known value.
            pub fn name(self) -> Option<&'static str> {
                match self { $($name::$variant => Some($text),)+ $name::Other(_) => None }
            }
            /// The known value with this name.
            pub fn by_name(name: &str) -> Option<Self> {
                match name { $($text => Some($name::$variant),)+ _ => None }
            }
        }
        impl $crate::wire::Plain for $name {
            const SIZE: usize = size_of::<$t>();
            const KIND: $crate::wire::Notation = <$t as $crate::wire::Plain>::KIND;
            fn get(bytes: &[u8]) -> Self { Self::from_raw(<$t as $crate::wire::Plain>::get(bytes)) }
            fn put(&self, bytes: &mut [u8]) { self.raw().put(bytes) }
            fn meaning(&self) -> Option<String> { self.name().map(str::to_owned) }
        }
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                match self.name() {
                    Some(name) => s.serialize_str(name),
                    None => $crate::wire::marked($crate::wire::Mark::UnknownValue, &self.raw(), s),
                }
            }
        }
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::wire::name_or_number(d, &[$($text),+], |name| Self::by_name(name),
                    |n| <$t>::try_from(n).ok().map(Self::from_raw))
            }
        }
        $crate::schema_form!($name: stringify!($name), |_| schemars::json_schema!({
            "anyOf": [{ "enum": [$($text),+] }, { "description": "Any other value.", "type": "integer" }]
        }));
    };
}

/// Declares a flag word that keeps unknown bits: in text, a list of names, and the other bits as
/// one hexadecimal number.
///
/// ```
/// refit_base::flags! {
///     /// What a node is.
///     pub struct NodeFlags: u32 { ACTIVE = 0x4 "ACTIVE", MODEL = 0x20 "HAS_MODEL" }
/// }
/// assert_eq!(serde_json::to_string(&NodeFlags(0x84)).unwrap(), r#"["ACTIVE","0x80"]"#);
/// assert_eq!(serde_json::from_str::<NodeFlags>(r#"["ACTIVE","0x80"]"#).unwrap(), NodeFlags(0x84));
/// ```
#[macro_export]
macro_rules! flags {
    ($(#[$m:meta])* $v:vis struct $name:ident : $t:ty {
        $($(#[$fm:meta])* $flag:ident = $value:literal $text:literal),* $(,)?
    }) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        $v struct $name(pub $t);
        #[allow(missing_docs, dead_code)]
        impl $name {
            $($(#[$fm])* pub const $flag: $name = $name($value);)*
            /// True if all bits of `other` are set.
            pub fn has(self, other: Self) -> bool { self.0 & other.0 == other.0 }
            /// The same word with the bits of `other` set or cleared.
            pub fn with(self, other: Self,
                on: bool) -> Self { if on { $name(self.0 | other.0) } else { $name(self.0 & !other.0) } }
            /// True if no bit is set.
            pub fn is_empty(&self) -> bool { self.0 == 0 }
        }
        impl $crate::wire::Plain for $name {
            const SIZE: usize = size_of::<$t>();
            const KIND: $crate::wire::Notation = $crate::wire::Notation::Word;
            fn get(bytes: &[u8]) -> Self { $name(<$t as $crate::wire::Plain>::get(bytes)) }
            fn put(&self, bytes: &mut [u8]) { self.0.put(bytes) }
            fn meaning(&self) -> Option<String> {
                let set: Vec<&str> = [$(($text, $value)),*].into_iter().filter(|(_, mask): &(&str,
                    u64)| u64::from(self.0) & mask == *mask && *mask != 0).map(|(name, _)| name).collect();
                (!set.is_empty()).then(|| set.join(" "))
            }
        }
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                $crate::wire::flag_names(self.0.into(), &[$(($text, $value)),*], s)
            }
        }
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let bits = $crate::wire::flag_bits(d, &[$(($text, $value)),*])?;
                <$t>::try_from(bits).map($name).map_err(|_| serde::de::Error::custom(format!("flags {bits:#x} do not \
                    fit {} bits", <$t>::BITS)))
            }
        }
        $crate::schema_form!($name: stringify!($name), |_| schemars::json_schema!({ "type": "array",
            "items": { "anyOf": [
            { "type": "string", "enum": [$($text),*] },
            { "description": "Bits without a name.", "type": "string", "pattern": "^0x[0-9a-fA-F]+$" },
        ] } }));
    };
}

/// Defines the schema of a type with hand-written serialization:
/// `schema_form!(TYPE: NAME, |generator| SCHEMA)`. Generics precede the type in brackets.
#[macro_export]
macro_rules! schema_form {
    ([$($generics:tt)*] $ty:ty: $name:expr, |$generator:pat_param| $schema:expr) => {
        #[cfg(feature = "schemas")]
        impl<$($generics)*> schemars::JsonSchema for $ty {
            fn schema_name() -> std::borrow::Cow<'static, str> { $name.into() }
            fn json_schema($generator: &mut schemars::SchemaGenerator) -> schemars::Schema { $schema }
        }
    };
    ($ty:ty: $name:expr, |$generator:pat_param| $schema:expr) => {
        $crate::schema_form!([] $ty: $name, |$generator| $schema);
    };
}

use super::{Hex, Mark, Refused, Scalar, fields::hex_word, marks::marked, read_scalar};
use serde::{
    Deserializer, Serialize, Serializer,
    de::{self, DeserializeSeed, SeqAccess, Visitor},
    ser::SerializeSeq,
};
use std::fmt;

/// Names with commas between them, joined only if an error needs them.
struct Listed(&'static [&'static str]);

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

/// Deserializes a name from a list or a number, also in hexadecimal digits: the reading half of
/// `open_enum!`.
pub fn name_or_number<'de, T, D: Deserializer<'de>>(
    d: D,
    names: &'static [&'static str],
    by_name: impl Fn(&str) -> Option<T>,
    by_number: impl Fn(i128) -> Option<T>,
) -> Result<T, D::Error> {
    let mut value = None;
    let mut take = |scalar: Scalar<'_>| {
        value = match scalar {
            Scalar::Signed(v) => by_number(v.into()),
            Scalar::Unsigned(v) => by_number(v.into()),
            Scalar::Text(v) => by_name(v).or_else(|| by_number(hex_word(v)?.into())),
            _ => None,
        };
        value.is_some()
    };
    take_scalar(d, names, &mut take)?;
    // Taken, or an error.
    value.ok_or_else(|| de::Error::custom("no name"))
}

/// [`name_or_number`] without its type: compiled once and not for each enum. `take` is false for
/// what it does not know.
fn take_scalar<'de, D: Deserializer<'de>>(
    d: D,
    names: &'static [&'static str],
    take: &mut dyn FnMut(Scalar<'_>) -> bool,
) -> Result<(), D::Error> {
    read_scalar(
        d,
        &format_args!("one of {}, or a number", Listed(names)),
        |value| match value {
            value if take(value) => Ok(()),
            // A number in quotes is probably not a misspelled name: report the quotes and suggest
            // no name.
            Scalar::Text(v) if v.parse::<f64>().is_err() => Err(Refused::Because(
                <de::value::Error as de::Error>::unknown_variant(v, names).to_string(),
            )),
            Scalar::Signed(_) | Scalar::Unsigned(_) | Scalar::Text(_) => Err(Refused::Value),
            _ => Err(Refused::Type),
        },
    )
}

/// Serializes flags: the names, then all other bits as one number.
pub fn flag_names<S: Serializer>(
    bits: u64,
    names: &[(&'static str, u64)],
    s: S,
) -> Result<S::Ok, S::Error> {
    let mut rest = bits;
    let mut seq = s.serialize_seq(None)?;
    for (name, mask) in names {
        if *mask != 0 && rest & mask == *mask {
            rest &= !mask;
            seq.serialize_element(name)?;
        }
    }
    if rest != 0 {
        struct Rest(u64);
        impl Serialize for Rest {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                if s.is_human_readable() {
                    s.collect_str(&format_args!("{:#x}", self.0))
                } else {
                    marked(Mark::UnknownFlag, &Hex(self.0), s)
                }
            }
        }
        seq.serialize_element(&Rest(rest))?;
    }
    seq.end()
}

/// Deserializes what [`flag_names`] serializes.
pub fn flag_bits<'de, D: Deserializer<'de>>(
    d: D,
    names: &[(&'static str, u64)],
) -> Result<u64, D::Error> {
    struct V<'n>(&'n [(&'static str, u64)]);
    impl<'de> Visitor<'de> for V<'_> {
        type Value = u64;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of flag names: ")?;
            self.0.iter().try_for_each(|(name, _)| write!(f, "{name} "))
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<u64, A::Error> {
            let mut bits = 0;
            while let Some(mask) = seq.next_element_seed(Flag(self.0))? {
                bits |= mask.map_err(<A::Error as de::Error>::custom)?;
            }
            Ok(bits)
        }
    }
    d.deserialize_seq(V(names))
}

/// The bits of one flag, or the error about its name. There are too many flags to make a `String`
/// of each.
struct Flag<'n>(&'n [(&'static str, u64)]);

impl<'de> DeserializeSeed<'de> for Flag<'_> {
    type Value = Result<u64, String>;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_str(self)
    }
}

impl Visitor<'_> for Flag<'_> {
    type Value = Result<u64, String>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }
    fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
        let known = self
            .0
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, mask)| *mask);
        Ok(known
            .or_else(|| hex_word(name))
            .ok_or_else(|| unknown_flag(name, self.0)))
    }
}

/// The same words that serde uses for an unknown variant, so that both errors get the same help.
#[cold]
fn unknown_flag(name: &str, names: &[(&'static str, u64)]) -> String {
    let known: Vec<String> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
    format!(
        "unknown flag `{name}`, expected one of {}",
        known.join(", ")
    )
}
