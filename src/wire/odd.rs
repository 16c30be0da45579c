//! How a record holds a field that can be absent: one that only some games have, a derived one, one with a default.

use super::{Mark, marks::marked};
use crate::game::Game;
#[cfg(feature = "schemas")]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Deref;

/// A record beside the game it is read or written for: what a derivation rule sees.
pub struct RuleInput<'a, R, Cx: ?Sized = ()> {
    record: &'a R,
    /// The game of the cursor.
    pub game: Game,
    /// What the record is read with: tables of names.
    pub cx: &'a Cx,
}

impl<'a, R, Cx: ?Sized> RuleInput<'a, R, Cx> {
    /// A record beside what its rules may ask for.
    pub fn new(record: &'a R, game: Game, cx: &'a Cx) -> Self {
        RuleInput { record, game, cx }
    }
}

impl<R, Cx: ?Sized> Deref for RuleInput<'_, R, Cx> {
    type Target = R;
    fn deref(&self) -> &R {
        self.record
    }
}

macro_rules! optional {
    ($name:ident) => {
        impl<T> $name<T> {
            /// True when the tree does not show the field.
            pub fn is_none(&self) -> bool {
                self.0.is_none()
            }
        }
        impl<T> Default for $name<T> {
            fn default() -> Self {
                $name(None)
            }
        }
        impl<'de, T: Deserialize<'de>> Deserialize<'de> for $name<T> {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                T::deserialize(d).map(|value| $name(Some(value)))
            }
        }
        #[cfg(feature = "schemas")]
        impl<T: JsonSchema> JsonSchema for $name<T> {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                T::schema_name()
            }
            fn inline_schema() -> bool {
                T::inline_schema()
            }
            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                T::json_schema(generator)
            }
        }
    };
}

/// A field that only some games have. Absent elsewhere; writing it there is an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InGame<T>(pub Option<T>);
optional!(InGame);

impl<T: Serialize> Serialize for InGame<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(s)
    }
}

/// A constant or a field that the rest determines: the file's own value is kept only where it disagrees, bit for bit.
///
/// One that is present is a lint by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Derived<T>(pub Option<T>);
optional!(Derived);

/// A field that usually has the value which a rule gives, and may freely have another one: shown only then.
///
/// Unlike [`Derived`] it is no finding: a default, not an invariant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Defaulted<T>(pub Option<T>);
optional!(Defaulted);

impl<T: Serialize> Serialize for Defaulted<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(s)
    }
}

macro_rules! ruled {
    ($name:ident) => {
        impl<T: PartialEq> $name<T> {
            /// What the tree keeps of `stored` when the rule says `rule`.
            pub fn of(stored: T, rule: T) -> Self {
                $name((stored != rule).then_some(stored))
            }

            /// The rule's value, of this field's type.
            #[doc(hidden)]
            pub fn typed(&self, rule: T) -> T {
                rule
            }

            /// Forgets the value where rule and file agree. Equality of every [`Plain`](super::Plain) type is equality of bits.
            pub fn settle(&mut self, rule: T) {
                if self.0.as_ref() == Some(&rule) {
                    self.0 = None;
                }
            }
        }
        impl<T: Clone> $name<T> {
            /// The file's value where it differs, else the rule's.
            pub fn or(&self, rule: T) -> T {
                self.0.clone().unwrap_or(rule)
            }
        }
    };
}
ruled!(Derived);
ruled!(Defaulted);

impl<T: Serialize> Serialize for Derived<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(value) => marked(Mark::Odd, value, s),
            None => s.serialize_none(),
        }
    }
}
