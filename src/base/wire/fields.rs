//! Field types: numbers, exact floats, hexadecimal words, byte strings, and the overlay for what a
//! typed form cannot express.

use super::{Error, Mark, Refused, Result, Scalar, marks::marked};
#[cfg(feature = "schemas")]
use schemars::json_schema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{collections::BTreeMap, fmt};

/// How `explain` shows bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// An unsigned integer of 1, 2, 4 or 8 bytes, little-endian.
    Unsigned,
    /// A signed integer of 1, 2, 4 or 8 bytes, little-endian.
    Signed,
    /// A word shown in hexadecimal: an address, flags, a checksum.
    Word,
    /// An IEEE 754 binary32, little-endian.
    Float,
    /// Windows-1252 text up to the first zero.
    Text,
    /// Anything else.
    Bytes,
    /// Items of one notation, with the size of each in bytes.
    List(&'static Notation, usize),
    /// Consecutive fields: name, size in bytes, notation.
    Fields(&'static [(&'static str, usize, Notation)]),
}

/// A value of fixed size. Values are equal if their bits are.
pub trait Plain: Sized + Clone + PartialEq {
    /// Size in bytes.
    const SIZE: usize;
    /// How `explain` shows it.
    const KIND: Notation = Notation::Bytes;
    /// Decodes exactly `SIZE` bytes.
    fn get(bytes: &[u8]) -> Self;
    /// Encodes into exactly `SIZE` bytes.
    fn put(&self, bytes: &mut [u8]);
    /// More about the value for `explain`: the name of a number, the names of flags.
    fn meaning(&self) -> Option<String> {
        None
    }
}

macro_rules! scalars {
    ($kind:ident: $($t:ty)*) => { $(impl Plain for $t {
        const SIZE: usize = size_of::<$t>();
        const KIND: Notation = Notation::$kind;
        #[inline]
        fn get(bytes: &[u8]) -> Self {
            <$t>::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default())
        }
        #[inline]
        fn put(&self, bytes: &mut [u8]) {
            if let Some(slot) = bytes.first_chunk_mut() {
                *slot = self.to_le_bytes();
            }
        }
    })* };
}
scalars!(Unsigned: u8 u16 u32 u64);
scalars!(Signed: i8 i16 i32 i64);

impl<T: Plain, const N: usize> Plain for [T; N] {
    const SIZE: usize = T::SIZE * N;
    const KIND: Notation = Notation::List(&T::KIND, T::SIZE);
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        let mut chunks = bytes.chunks_exact(T::SIZE);
        std::array::from_fn(|_| T::get(chunks.next().unwrap_or_default()))
    }
    #[inline]
    fn put(&self, bytes: &mut [u8]) {
        let mut slots = bytes.chunks_exact_mut(T::SIZE);
        for value in self {
            value.put(slots.next().unwrap_or_default());
        }
    }
}

/// An IEEE 754 binary32, stored as its bits.
///
/// In text it is the shortest decimal that gives the same bits, and keeps `-0.0`. NaN and
/// infinities are written as `"0x7fc00001"`. Reading also accepts a whole number without a point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct F32(u32);

/// Three floats: x, y, z.
pub type Vec3 = [F32; 3];

impl F32 {
    /// From the bits in the file.
    pub const fn from_bits(bits: u32) -> Self {
        F32(bits)
    }
    /// The bits in the file.
    pub const fn bits(self) -> u32 {
        self.0
    }
    /// The number.
    pub const fn get(self) -> f32 {
        f32::from_bits(self.0)
    }
}

impl From<f32> for F32 {
    fn from(value: f32) -> Self {
        F32(value.to_bits())
    }
}

impl fmt::Debug for F32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.get().is_finite() {
            write!(f, "{:?}", self.get())
        } else {
            write!(f, "{:#010x}", self.0)
        }
    }
}

impl Plain for F32 {
    const SIZE: usize = 4;
    const KIND: Notation = Notation::Float;
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        F32(u32::get(bytes))
    }
    #[inline]
    fn put(&self, bytes: &mut [u8]) {
        self.0.put(bytes);
    }
}

impl Serialize for F32 {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.get().is_finite() {
            s.serialize_f32(self.get())
        } else if s.is_human_readable() {
            s.collect_str(&format_args!("{:#010x}", self.0))
        } else {
            marked(Mark::NotFinite, &Hex(self.0), s)
        }
    }
}

crate::text_form!(F32: "a number, or the bits of one as \"0x7fc00001\"", |value| match value {
    Scalar::Float(v) => finite(narrow(v)),
    Scalar::Signed(v) => finite(v as f32),
    Scalar::Unsigned(v) => finite(v as f32),
    Scalar::Text(v) => hex_word(v).and_then(|bits| u32::try_from(bits).ok()).map(F32).ok_or(Refused::Value),
    Scalar::Bool(_) => Err(Refused::Type),
});

fn finite(v: f32) -> std::result::Result<F32, Refused> {
    let infinite = || {
        Refused::Because("the number does not fit 32 bits; write its bits as \"0x7f800000\"".into())
    };
    v.is_finite().then(|| F32::from(v)).ok_or_else(infinite)
}

/// The f32 whose decimal text was parsed as this f64.
///
/// Rounding twice, from text to f64 and to f32, is wrong if the first step lands halfway between
/// two f32, as with `7.038531e-26`. Then the right neighbour is the one whose own shortest text
/// parses as this f64. (`cargo xtask floats` tries all of them.)
fn narrow(v: f64) -> f32 {
    let near = v as f32;
    // The midpoint of two normal f32 ends in a 1 and 28 zeros; that of subnormal ones ends in more
    // zeros.
    if v.to_bits() & 0x0fff_ffff != 0 || !near.is_finite() || f64::from(near) == v {
        return near;
    }
    let other = if f64::from(near) < v {
        near.next_up()
    } else {
        near.next_down()
    };
    let written = |f: f32| ryu::Buffer::new().format_finite(f).parse() == Ok(v);
    if other.is_finite() && !written(near) && written(other) {
        other
    } else {
        near
    }
}

crate::schema_form!(F32: "Float", |_| schemars::json_schema!({
    "description": "A 32-bit float; NaN and infinity are written as their bits.",
    "anyOf": [{ "type": "number" }, { "type": "string", "pattern": "^0x[0-9a-fA-F]{1,8}$" }]
}));

/// Parses a number such as `0x1f`. Rejects decimals: `"10"` for a float would be read as its bits.
pub fn hex_word(text: &str) -> Option<u64> {
    let digits = text
        .strip_prefix("0x")
        .filter(|digits| !digits.starts_with('+'))?;
    u64::from_str_radix(digits, 16).ok()
}

/// A word shown in hexadecimal: a pointer, a checksum, or a word of unknown meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hex<T>(pub T);

impl<T: fmt::LowerHex> fmt::Debug for Hex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#0width$x}", self.0, width = 2 + 2 * size_of::<T>())
    }
}

impl<T: Plain> Plain for Hex<T> {
    const SIZE: usize = T::SIZE;
    const KIND: Notation = match T::KIND {
        Notation::Unsigned => Notation::Word,
        other => other,
    };
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        Hex(T::get(bytes))
    }
    #[inline]
    fn put(&self, bytes: &mut [u8]) {
        self.0.put(bytes);
    }
}

impl<T: fmt::LowerHex> Serialize for Hex<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(&format_args!("{self:?}"))
    }
}

crate::text_form!([T: TryFrom<u64>] Hex<T>:
    format_args!("a hexadecimal number of at most {} digits as \"0x1f\"", 2 * size_of::<T>()),
    |value| {
        let number = match value {
            Scalar::Unsigned(v) => Some(v),
            Scalar::Signed(v) => u64::try_from(v).ok(),
            Scalar::Text(v) => hex_word(v),
            _ => return Err(Refused::Type),
        };
        number.and_then(|n| T::try_from(n).ok()).map(Hex).ok_or(Refused::Value)
    }
);

crate::schema_form!([T] Hex<T>: format!("Hex{}", 8 * size_of::<T>()), |_| schemars::json_schema!({
    "description": "A number in hexadecimal as \"0x1f\", or a decimal one without quotes.",
    "anyOf": [
        { "type": "string", "pattern": format!("^0x[0-9a-fA-F]{{1,{}}}$", 2 * size_of::<T>()) },
        { "type": "integer", "minimum": 0 },
    ]
}));

/// Bytes without a known structure, as hexadecimal text in groups of four.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct HexBytes(pub Vec<u8>);

/// A fixed number of bytes without a known structure, as hexadecimal text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Raw<const N: usize>(pub [u8; N]);

/// Formats bytes as hexadecimal text in groups of four.
pub fn hex_of(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from(if n < 10 { b'0' + n } else { b'a' + n - 10 });
    let mut out = String::with_capacity(bytes.len() * 9 / 4);
    for (i, byte) in bytes.iter().enumerate() {
        if i > 0 && i % 4 == 0 {
            out.push(' ');
        }
        out.push(digit(byte >> 4));
        out.push(digit(byte & 15));
    }
    out
}

/// Parses hexadecimal text; blanks between bytes are allowed.
pub fn bytes_of_hex(text: &str) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 2);
    let mut digits = text.chars().filter(|c| !c.is_whitespace());
    while let Some(high) = digits.next() {
        match (
            high.to_digit(16),
            digits.next().map(|c| (c, c.to_digit(16))),
        ) {
            (Some(high), Some((_, Some(low)))) => out.push((high << 4 | low) as u8),
            (None, _) => return Err(Error::say(format!("{high:?} is not a hexadecimal digit"))),
            (_, Some((c, None))) => {
                return Err(Error::say(format!("{c:?} is not a hexadecimal digit")));
            }
            (_, None) => return Err(Error::say("an odd number of hexadecimal digits")),
        }
    }
    Ok(out)
}

impl fmt::Debug for HexBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex_of(&self.0))
    }
}

impl HexBytes {
    /// True if there are no bytes: the usual `skip_serializing_if`.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for HexBytes {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&hex_of(&self.0))
    }
}

crate::text_form!(HexBytes: "bytes in hexadecimal as \"0000803f 01\"", |value| match value {
    Scalar::Text(v) => bytes_of_hex(v).map(HexBytes).map_err(|e| Refused::Because(e.to_string())),
    _ => Err(Refused::Type),
});

crate::schema_form!(HexBytes: "Bytes", |_| schemars::json_schema!({ "description": "Bytes in hexadecimal; blanks are \
    free.", "type": "string", "pattern": "^([0-9a-fA-F]{2}| \
    )*$" }));

impl<const N: usize> Default for Raw<N> {
    fn default() -> Self {
        Raw([0; N])
    }
}

impl<const N: usize> fmt::Debug for Raw<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex_of(&self.0))
    }
}

impl<const N: usize> Plain for Raw<N> {
    const SIZE: usize = N;
    fn get(bytes: &[u8]) -> Self {
        Raw(bytes.first_chunk().copied().unwrap_or([0; N]))
    }
    fn put(&self, bytes: &mut [u8]) {
        if let Some(slot) = bytes.first_chunk_mut() {
            *slot = self.0;
        }
    }
}

impl<const N: usize> Serialize for Raw<N> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&hex_of(&self.0))
    }
}

impl<'de, const N: usize> Deserialize<'de> for Raw<N> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let bytes = HexBytes::deserialize(d)?.0;
        let n = bytes.len();
        bytes
            .try_into()
            .map(Raw)
            .map_err(|_| de::Error::custom(format!("{n} bytes (the field has {N})")))
    }
}

crate::schema_form!([const N: usize] Raw<N>: format!("Bytes{N}"),
    |_| schemars::json_schema!({ "description": format!("{N} \
    bytes in hexadecimal; blanks are free."), "type": "string", "pattern": "^([0-9a-fA-F]{2}| \
    )*$" }));

/// Bytes of a record that its typed form cannot express: offset → bytes, written over the canonical
/// bytes.
///
/// This makes every record exact, while the typed form stays readable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extra(Option<Box<Runs>>);

/// Offset → bytes.
type Runs = BTreeMap<u32, Vec<u8>>;

impl Extra {
    fn new(runs: Runs) -> Self {
        Extra((!runs.is_empty()).then(|| Box::new(runs)))
    }

    fn runs(&self) -> impl Iterator<Item = (u32, &Vec<u8>)> {
        self.0
            .iter()
            .flat_map(|runs| runs.iter().map(|(at, run)| (*at, run)))
    }

    /// The difference between the canonical bytes and the stored ones. Both have the same length.
    pub fn of(canonical: &[u8], stored: &[u8]) -> Self {
        if canonical == stored {
            return Extra::default();
        }
        let mut runs = Runs::new();
        let mut open: Option<(u32, Vec<u8>)> = None;
        for (at, (a, b)) in (0u32..).zip(canonical.iter().zip(stored)) {
            match (&mut open, a == b) {
                (Some((_, run)), false) => run.push(*b),
                (None, false) => open = Some((at, vec![*b])),
                (Some(_), true) => runs.extend(open.take()),
                (None, true) => {}
            }
        }
        runs.extend(open);
        Extra::new(runs)
    }

    /// Writes the kept bytes over the canonical ones; an error if they are outside.
    pub fn lay_over(&self, bytes: &mut [u8]) -> Result<()> {
        if self.is_empty() {
            Ok(())
        } else {
            self.lay_runs_over(bytes)
        }
    }

    #[cold]
    fn lay_runs_over(&self, bytes: &mut [u8]) -> Result<()> {
        let len = bytes.len();
        for (at, run) in self.runs() {
            let end = (at as usize).saturating_add(run.len());
            match bytes.get_mut(at as usize..end) {
                Some(slot) => slot.copy_from_slice(run),
                None => {
                    return Err(Error::say(format!(
                        "extra bytes at {at} do not fit in {len} bytes"
                    ))
                    .within("extra"));
                }
            }
        }
        Ok(())
    }

    /// True if the typed form expresses everything: the usual `skip_serializing_if`.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Number of bytes kept.
    pub fn bytes(&self) -> usize {
        self.runs().map(|(_, run)| run.len()).sum()
    }
}

impl Serialize for Extra {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        struct Map<'a>(&'a Extra);
        impl Serialize for Map<'_> {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_map(self.0.runs().map(|(at, run)| (at.to_string(), hex_of(run))))
            }
        }
        marked(Mark::Extra, &Map(self), s)
    }
}

impl<'de> Deserialize<'de> for Extra {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let mut out = Runs::new();
        for (at, run) in BTreeMap::<String, HexBytes>::deserialize(d)? {
            out.insert(
                at.parse()
                    .map_err(|_| de::Error::custom(format!("{at:?} is not an offset")))?,
                run.0,
            );
        }
        Ok(Extra::new(out))
    }
}

crate::schema_form!(Extra: "Extra", |generator| {
    let bytes = generator.subschema_for::<HexBytes>();
    json_schema!({ "description": "Offset → bytes that no field expresses.", "type": "object",
        "patternProperties": { "^[0-9]+$": bytes }, "additionalProperties": false })
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_stores_and_restores_the_difference() {
        let canonical = [0u8; 10];
        let stored = [0, 0, 1, 2, 0, 0, 0, 0, 0, 9];
        let extra = Extra::of(&canonical, &stored);
        assert_eq!(
            serde_json::to_string(&extra).unwrap(),
            r#"{"2":"0102","9":"09"}"#
        );
        let mut bytes = canonical;
        extra.lay_over(&mut bytes).unwrap();
        assert_eq!(bytes, stored);
        assert!(extra.lay_over(&mut [0; 9]).is_err());
    }

    #[test]
    fn hex_requires_digits_and_ignores_blanks() {
        assert_eq!(bytes_of_hex("0000 80bf").unwrap(), [0, 0, 0x80, 0xbf]);
        assert!(bytes_of_hex("000").is_err());
        assert!(bytes_of_hex("0g").is_err());
        assert_eq!(hex_of(&[1, 2, 3, 4, 5]), "01020304 05");
    }

    #[test]
    fn floats_keep_their_bits_in_json() {
        for bits in [
            0u32,
            0x8000_0000,
            1,
            0x7f80_0001,
            0xffc0_0001,
            0x7f80_0000,
            0x7f7f_ffff,
            0x3f80_0000,
        ] {
            let text = serde_json::to_string(&F32::from_bits(bits)).unwrap();
            assert_eq!(
                serde_json::from_str::<F32>(&text).unwrap().bits(),
                bits,
                "{text}"
            );
        }
        assert!(serde_json::from_str::<F32>("3.5e38").is_err());
        // Found by the exhaustive proof: the midpoint of two floats as an f64.
        for bits in [0x15ae_43fd_u32, 0x95ae_43fd] {
            let text = format!("{:?}", f32::from_bits(bits));
            assert_ne!(
                (text.parse::<f64>().unwrap() as f32).to_bits(),
                bits,
                "no longer a case of rounding twice"
            );
            assert_eq!(serde_json::from_str::<F32>(&text).unwrap().bits(), bits);
        }
    }
}
