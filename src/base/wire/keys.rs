//! The keys of an object, for the derive macro of `record!` that reads one.

use crate::wire::Items;
use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};
use std::fmt;

/// Finds the position of each key among those that an object has. One that was there before is an
/// error.
pub struct Keys {
    keys: &'static [&'static str],
    /// Where the next one is if they are in order, as refit writes them.
    next: usize,
    seen: u128,
}

impl Keys {
    /// For an object that has these keys, at most 128.
    pub const fn new(keys: &'static [&'static str]) -> Self {
        assert!(keys.len() <= 128);
        Keys {
            keys,
            next: 0,
            seen: 0,
        }
    }

    fn find(&mut self, key: &str) -> Option<usize> {
        let (before, after) = self.keys.split_at_checked(self.next).unwrap_or_default();
        let ahead = after
            .iter()
            .position(|known| *known == key)
            .map(|i| self.next + i);
        let at = ahead.or_else(|| before.iter().position(|known| *known == key))?;
        self.next = at + 1;
        Some(at)
    }
}

impl<'de> DeserializeSeed<'de> for &mut Keys {
    type Value = usize;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for &mut Keys {
    type Value = usize;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("field identifier")
    }
    fn visit_str<E: Error>(self, key: &str) -> Result<usize, E> {
        let at = self
            .find(key)
            .ok_or_else(|| E::unknown_field(key, self.keys))?;
        let bit = 1 << at;
        if self.seen & bit != 0 {
            // The position is one of these keys.
            return Err(E::duplicate_field(self.keys.item(at)));
        }
        self.seen |= bit;
        Ok(at)
    }
}

/// The value of a key that an object must have.
pub fn required<T, E: Error>(value: Option<T>, key: &'static str) -> Result<T, E> {
    value.ok_or_else(|| E::missing_field(key))
}

#[cfg(test)]
mod tests {
    #[derive(refit_base::Object, PartialEq, Debug)]
    struct Place {
        name: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        at: Vec<i32>,
        #[serde(rename = "type")]
        kind: Option<u8>,
    }

    #[test]
    fn keys_come_in_any_order_and_once() {
        let read = |text: &str| serde_json::from_str::<Place>(text).map_err(|e| e.to_string());
        let place = Place {
            name: "gate".into(),
            at: vec![1, 2],
            kind: Some(3),
        };
        assert_eq!(
            serde_json::to_string(&place).unwrap(),
            r#"{"name":"gate","at":[1,2],"type":3}"#
        );
        for text in [
            r#"{"name":"gate","at":[1,2],"type":3}"#,
            r#"{"type":3,"at":[1,2],"name":"gate"}"#,
        ] {
            assert_eq!(read(text).as_ref(), Ok(&place));
        }
        assert_eq!(
            read(r#"{"name":"gate"}"#),
            Ok(Place {
                name: "gate".into(),
                at: vec![],
                kind: None
            })
        );
        for (text, error) in [
            (r#"{"at":[1]}"#, "missing field `name`"),
            (r#"{"name":"a","at":[],"at":[]}"#, "duplicate field `at`"),
            (
                r#"{"name":"a","kind":3}"#,
                "unknown field `kind`, expected one of `name`, `at`, `type`",
            ),
            (
                r#"["gate",[1,2],3]"#,
                "invalid type: sequence, expected struct Place",
            ),
        ] {
            assert!(
                read(text).is_err_and(|e| e.starts_with(error)),
                "{text}: {:?}",
                read(text)
            );
        }
    }
}
