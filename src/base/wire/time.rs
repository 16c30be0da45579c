//! Times, shown as text if the text gives the same integer.

use super::{Plain, Refused, Scalar, fields::hex_word};
use jiff::{SignedDuration, Timestamp};
use serde::{Serialize, Serializer};
use std::fmt;

/// Seconds since 1970-01-01 UTC as an unsigned 32-bit number, shown as RFC 3339 text. Every value
/// has a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct UnixTime(pub u32);

/// A Windows FILETIME: 100 ns since 1601-01-01 UTC. Shown as RFC 3339 text up to the year 9999,
/// otherwise as `"0x…"`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FileTime(pub u64);

/// Ticks of 100 ns from 1601 to 1970.
const EPOCH_1601: i128 = 116_444_736_000_000_000;

impl UnixTime {
    fn text(self) -> Option<String> {
        Timestamp::from_second(self.0.into())
            .ok()
            .map(|t| t.to_string())
    }
    fn parse(text: &str) -> Option<Self> {
        if let Some(n) = hex_word(text) {
            return u32::try_from(n).ok().map(UnixTime);
        }
        let t: Timestamp = text.parse().ok()?;
        (t.subsec_nanosecond() == 0)
            .then(|| u32::try_from(t.as_second()).ok().map(UnixTime))
            .flatten()
    }
}

impl FileTime {
    fn text(self) -> Option<String> {
        let ns = (i128::from(self.0) - EPOCH_1601).checked_mul(100)?;
        let text = Timestamp::from_nanosecond(ns).ok()?.to_string();
        (!text.starts_with('-') && FileTime::parse(&text) == Some(self)).then_some(text)
    }
    fn parse(text: &str) -> Option<Self> {
        if let Some(n) = hex_word(text) {
            return Some(FileTime(n));
        }
        let t: Timestamp = text.parse().ok()?;
        let ns = t.as_nanosecond();
        (ns % 100 == 0)
            .then(|| u64::try_from(ns / 100 + EPOCH_1601).ok().map(FileTime))
            .flatten()
    }

    /// The FILETIME of a modification time.
    pub fn of(time: std::time::SystemTime) -> Self {
        let d = SignedDuration::system_until(std::time::UNIX_EPOCH, time).unwrap_or_default();
        u64::try_from(d.as_nanos() / 100 + EPOCH_1601)
            .map(FileTime)
            .unwrap_or_default()
    }
}

macro_rules! time {
    ($name:ident $inner:ty, $expect:literal) => {
        impl Plain for $name {
            const SIZE: usize = size_of::<$inner>();
            const KIND: super::Notation = super::Notation::Unsigned;
            fn get(bytes: &[u8]) -> Self {
                $name(<$inner>::get(bytes))
            }
            fn put(&self, bytes: &mut [u8]) {
                self.0.put(bytes);
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.text() {
                    Some(text) => f.write_str(&text),
                    None => write!(f, "{:#0width$x}", self.0, width = 2 + 2 * size_of::<$inner>()),
                }
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
        impl $name {
            /// True for zero: the usual `skip_serializing_if`.
            pub fn is_zero(&self) -> bool {
                self.0 == 0
            }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        crate::text_form!($name: $expect, |value| match value {
            Scalar::Unsigned(v) => <$inner>::try_from(v).ok().map($name).ok_or(Refused::Value),
            Scalar::Text(v) => $name::parse(v).ok_or(Refused::Value),
            _ => Err(Refused::Type),
        });
        crate::schema_form!($name: stringify!($name), |_| schemars::json_schema!({ "description": $expect, "anyOf": [
            { "type": "string", "pattern": "^(0x[0-9a-fA-F]{1,16}|[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ].+)$" },
            { "type": "integer", "minimum": 0 },
        ] }));
    };
}
time!(UnixTime u32, "a time from 1970 to 2106 as \"1999-05-04T17:03:11Z\", or whole seconds since 1970");
time!(FileTime u64, "a time as \"1999-05-04T17:03:11.52Z\" in steps of 100 ns, or a FILETIME as \
    \"0x01be9652c4b5e000\"");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_survives_the_round_trip() {
        for n in [
            0u64,
            1,
            9,
            116_444_736_000_000_000,
            125703109915200001,
            2_650_467_743_999_999_999,
            2_650_467_744_000_000_000,
            1 << 63,
            u64::MAX,
        ] {
            let text = FileTime(n).to_string();
            assert_eq!(FileTime::parse(&text), Some(FileTime(n)), "{text}");
        }
        assert_eq!(
            FileTime(125703109915200000).to_string(),
            "1999-05-04T17:03:11.52Z"
        );
        for n in [0u32, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            let text = UnixTime(n).to_string();
            assert_eq!(UnixTime::parse(&text), Some(UnixTime(n)), "{text}");
        }
        assert_eq!(UnixTime(u32::MAX).to_string(), "2106-02-07T06:28:15Z");
        assert_eq!(UnixTime::parse("1999-05-04T17:03:11.5Z"), None);
    }
}
