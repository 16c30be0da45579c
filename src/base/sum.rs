//! [`Sum`]: the checksum that refit's own records have of a file.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, io};

/// The checksum of bytes in refit's own records: of what it read, what it wrote, and what was
/// edited since. As a text `blake3:` and 64 lower-case hexadecimal digits.
///
/// It is BLAKE3, because SHA-256 without SHA instructions in the processor takes longer than all
/// else that refit does with a sound or a picture. Records of earlier versions have the digits of a
/// SHA-256 alone; such a sum still fits its file, but equals no sum of the other kind:
/// [`Sum::fits`] and [`Blob::has_sum`](crate::tree::Blob::has_sum) compare with either.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Sum {
    kind: SumKind,
    sum: [u8; SUM],
}

/// Size of a checksum in bytes: BLAKE3 and SHA-256 have the same.
const SUM: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
enum SumKind {
    /// The record has none, or none that refit knows.
    #[default]
    Missing,
    Blake3,
    Sha256,
}

/// What begins the text of a BLAKE3 sum.
const BLAKE3: &str = "blake3:";

impl Sum {
    /// Of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Sum {
            kind: SumKind::Blake3,
            sum: blake3::hash(bytes).into(),
        }
    }

    /// Reads the text of a sum. Any other text becomes the default, which fits no file.
    pub fn parse(text: &str) -> Self {
        let (kind, digits) = match text.strip_prefix(BLAKE3) {
            Some(digits) => (SumKind::Blake3, digits),
            None => (SumKind::Sha256, text),
        };
        digits_of(digits).map_or_else(Self::default, |sum| Sum { kind, sum })
    }

    /// The BLAKE3 sum with these digits, without what begins its text.
    pub(crate) fn from_blake3(digits: &str) -> Self {
        digits_of(digits).map_or_else(Self::default, |sum| Sum {
            kind: SumKind::Blake3,
            sum,
        })
    }

    /// The digits alone.
    pub fn hex(&self) -> String {
        crate::lower_hex(&self.sum)
    }

    /// True if the record has no sum.
    pub fn is_missing(&self) -> bool {
        self.kind == SumKind::Missing
    }

    /// True for a SHA-256, from a record of an earlier version: only the content can be compared with it.
    pub(crate) fn is_sha256(&self) -> bool {
        self.kind == SumKind::Sha256
    }

    /// True if these bytes have this sum.
    pub fn fits(&self, bytes: &[u8]) -> bool {
        match self.kind {
            SumKind::Missing => false,
            SumKind::Blake3 => *blake3::hash(bytes).as_bytes() == self.sum,
            SumKind::Sha256 => crate::sha256(bytes) == self.hex(),
        }
    }
}

/// Decodes the digits of a checksum.
fn digits_of(text: &str) -> Option<[u8; SUM]> {
    let digit = |digit: Option<&u8>| char::from(*digit?).to_digit(16).map(|digit| digit as u8);
    if text.len() != 2 * SUM {
        return None;
    }
    let mut sum = [0; SUM];
    for (byte, pair) in sum.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = digit(pair.first())? << 4 | digit(pair.get(1))?;
    }
    Some(sum)
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            SumKind::Missing => Ok(()),
            SumKind::Blake3 => write!(f, "{BLAKE3}{}", self.hex()),
            SumKind::Sha256 => f.write_str(&self.hex()),
        }
    }
}

impl fmt::Debug for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sum {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d).map(|text| Sum::parse(&text))
    }
}

#[cfg(feature = "schemas")]
impl schemars::JsonSchema for Sum {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sum".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

/// A [`Sum`] that is computed from pieces.
#[derive(Clone)]
pub struct Summing(Hasher);

#[derive(Clone)]
enum Hasher {
    Blake3(Box<blake3::Hasher>),
    /// For comparing with a record of an earlier version.
    Sha256(crate::Sha256),
}

impl Default for Summing {
    fn default() -> Self {
        Summing(Hasher::Blake3(Box::default()))
    }
}

impl io::Write for Summing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Summing {
    /// A sum to compare with this one.
    pub fn like(other: Sum) -> Self {
        match other.is_sha256() {
            true => Summing(Hasher::Sha256(crate::Sha256::default())),
            false => Self::default(),
        }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Hasher::Blake3(hasher) => _ = hasher.update(bytes),
            Hasher::Sha256(hasher) => hasher.update(bytes),
        }
    }

    /// The sum.
    pub fn end(self) -> Sum {
        let (kind, sum) = match self.0 {
            Hasher::Blake3(hasher) => (SumKind::Blake3, hasher.finalize().into()),
            Hasher::Sha256(hasher) => (SumKind::Sha256, hasher.bytes()),
        };
        Sum { kind, sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of three bytes as the authors of BLAKE3 give it (`test_vectors.json`, input of length 3:
    /// the bytes 0, 1, 2).
    const OF_THREE: &str =
        "blake3:e1be4d7a8ab5560aa4199eea339849ba8e293d55ca0a81006726d184519e647f";

    #[test]
    fn a_sum_is_blake3_and_survives_its_text() {
        let sum = Sum::of(&[0, 1, 2]);
        assert_eq!(sum.to_string(), OF_THREE);
        assert_eq!(Sum::parse(OF_THREE), sum);
        let mut pieces = Summing::default();
        pieces.update(&[0]);
        pieces.update(&[1, 2]);
        assert_eq!(pieces.end(), sum);
        assert!(sum.fits(&[0, 1, 2]));
        assert!(!sum.fits(&[0, 1]));
    }

    #[test]
    fn a_sum_of_an_earlier_version_fits_its_bytes_and_keeps_its_text() {
        let text = crate::sha256(b"x");
        let sum = Sum::parse(&text);
        assert_eq!(sum.to_string(), text);
        assert!(sum.fits(b"x"));
        assert!(!sum.fits(b"y"));
        assert_ne!(sum, Sum::of(b"x"));
    }

    #[test]
    fn what_is_no_sum_fits_nothing() {
        for text in ["", "x", "blake3:", "sha1:00", &"é".repeat(32)] {
            let sum = Sum::parse(text);
            assert!(sum.is_missing(), "{text}");
            assert!(!sum.fits(b""), "{text}");
        }
    }
}
