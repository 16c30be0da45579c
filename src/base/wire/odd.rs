//! Optional fields of a record: a field that only some games have, a derived field, a field with a
//! default.

use super::{Mark, marks::marked};
use crate::game::Game;
#[cfg(feature = "schemas")]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Deref;

/// The input of a derivation rule: the record, the game and the context.
pub struct RuleInput<'a, R, Cx: ?Sized = ()> {
    record: &'a R,
    /// The game whose layout is read or written.
    pub game: Game,
    /// The context that the record is read with, such as tables of names.
    pub cx: &'a Cx,
}

impl<'a, R, Cx: ?Sized> RuleInput<'a, R, Cx> {
    /// The input for the rules of a record.
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
            /// True if the tree omits the field.
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

/// A field that only some games have. In other games it is absent, and writing it is an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InGame<T>(pub Option<T>);
optional!(InGame);

impl<T: Serialize> Serialize for InGame<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(s)
    }
}

/// A constant, or a field that other fields determine. Contains the file's value only if it differs
/// from the rule in any bit.
///
/// A value that is present is a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Derived<T>(pub Option<T>);
optional!(Derived);

/// A field with a default that a rule gives. Contains the file's value only if it differs.
///
/// Unlike with [`Derived`], a different value is not a finding.
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
            /// The value to keep: `stored` if it differs from `rule`.
            pub fn of(stored: T, rule: T) -> Self {
                $name((stored != rule).then_some(stored))
            }

            /// Returns `rule`; gives the rule's value the type of this field.
            pub fn typed(&self, rule: T) -> T {
                rule
            }

            /// Drops the value if it equals the rule's. [`Plain`](super::Plain) values are equal if
            /// their bits are.
            pub fn settle(&mut self, rule: T) {
                if self.0.as_ref() == Some(&rule) {
                    self.0 = None;
                }
            }
        }
        impl<T: Clone> $name<T> {
            /// The file's value if it differs, otherwise the rule's.
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
