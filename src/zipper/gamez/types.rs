//! Small values of the format: references with names, texture names, zone sets, pointers.

use refit_base::wire::{
    Defaulted, Error, F32, Given, Hex, HexBytes, Mark, Notation, Plain, Refused, Result, Scalar,
    Str, TextOrRecord, Within, decode_1252, encode_1252, marked,
};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, SeqAccess, Visitor},
    ser::SerializeStruct,
};
use std::{borrow::Cow, fmt};

/// An address in the process that wrote the file: arbitrary and meaningless, but preserved.
pub type Ptr = Hex<u32>;

/// The placeholder for a pointer that must not be zero, if the tree does not give its address.
pub const PTR: Ptr = Hex(1);

/// The default pointer of an array: null if and only if the array is empty.
pub fn ptr_if(there: bool) -> Ptr {
    if there { PTR } else { Hex(0) }
}

/// A computed value as a field. NaN gets a fixed bit pattern, because the bits of a computed NaN
/// differ between machines.
pub fn rule(value: f32) -> F32 {
    if value.is_nan() {
        F32::from_bits(0x7fc0_0000)
    } else {
        F32::from(value)
    }
}

/// The engine's approximate square root (FORMAT.md): exact for powers of four, up to 6 % off
/// elsewhere, and stored in files.
pub fn approx_sqrt(value: f32) -> F32 {
    let value = if value.is_nan() {
        f32::from_bits(0x7fc0_0000)
    } else {
        value
    };
    F32::from_bits((((value.to_bits() as i32) >> 1).wrapping_add(0x1FC0_0000)) as u32)
}

/// Declares positions in the lists of a world.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub usize);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "#{}", self.0)
            }
        }
    )+};
}

ids! {
    /// The position of a node in a world, from 0.
    NodeId,
    /// The position of a model in a world, from 0.
    ModelId,
    /// The position of a material in a world, from 0.
    MaterialId,
}

/// True for a stored address that contradicts whether its list has entries.
pub(super) fn contradicts(address: &Defaulted<Ptr>, filled: bool) -> bool {
    address.0.is_some_and(|address| (address.0 != 0) != filled)
}

/// Drops a stored address that contradicts its list.
pub(super) fn follow(address: &mut Defaulted<Ptr>, filled: bool) {
    if contradicts(address, filled) {
        *address = Defaulted(None);
    }
}

/// A position in a table of the file, with the name found there to help readers of the tree:
/// `"31 hangar_door"`.
///
/// The name may be left out, and so may the number if only one thing has the name:
/// [`Link::is_bare`]. If both are given, they must agree when the tree is read. An address
/// (mechlib) is written in hexadecimal.
#[derive(Clone, Debug)]
pub struct Link {
    /// The position; usually −1 for none.
    pub index: i32,
    /// The name of the thing at that position, as text.
    pub name: Option<Box<str>>,
    /// True when the number is an address.
    pub address: bool,
    bare: Bare,
}

/// Whether a link has a name without a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bare {
    /// It has a position.
    No,
    /// The table has yet to provide the position.
    Yes,
    /// The table provided the position.
    Settled,
}

impl Link {
    /// A position without a name.
    pub fn to(index: i32) -> Self {
        Link {
            index,
            name: None,
            address: false,
            bare: Bare::No,
        }
    }
    /// A pointer with this stored address.
    pub fn address(address: u32) -> Self {
        Link {
            address: true,
            ..Link::to(address as i32)
        }
    }
    /// True for a name without a position, which only the table can provide. A bare link must not
    /// be written.
    pub fn is_bare(&self) -> bool {
        self.bare == Bare::Yes
    }
    /// Sets the position of a bare link.
    pub fn settle(&mut self, index: i32) {
        (self.index, self.bare) = (index, Bare::Settled);
    }
    /// Makes the link what its text says, before the table provided its position.
    pub(super) fn unsettle(&mut self) {
        if self.bare == Bare::Settled {
            (self.index, self.bare) = (-1, Bare::Yes);
        }
    }
    /// The position as an index into a list; `None` if it is negative.
    pub fn place(&self) -> Option<usize> {
        usize::try_from(self.index).ok()
    }
}

impl PartialEq for Link {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl Plain for Link {
    const SIZE: usize = 4;
    const KIND: Notation = Notation::Signed;
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        Link::to(i32::get(bytes))
    }
    #[inline]
    fn put(&self, bytes: &mut [u8]) {
        self.index.put(bytes);
    }
}

impl Serialize for Link {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match (&self.name, self.address) {
            (_, true) => s.collect_str(&format_args!("{:#010x}", self.index)),
            (Some(name), _) if self.is_bare() => s.serialize_str(name),
            (Some(name), _) => s.collect_str(&format_args!("{} {name}", self.index)),
            (None, _) => s.serialize_i32(self.index),
        }
    }
}

refit_base::text_form!(Link: "a number, alone or followed by a name as in \"31 hangar_door\", or a unique name", |value| {
    let number = match value {
        Scalar::Signed(v) => i32::try_from(v).ok(),
        Scalar::Unsigned(v) => i32::try_from(v).ok(),
        Scalar::Text("") => None,
        Scalar::Text(v) => return Ok(Link::of_text(v)),
        _ => return Err(Refused::Type),
    };
    number.map(Link::to).ok_or(Refused::Value)
});

impl Link {
    fn of_text(text: &str) -> Self {
        let (number, name) = text
            .split_once(' ')
            .map_or((text, None), |(n, name)| (n, Some(name)));
        let link = match number.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok().map(Link::address),
            None => number.parse().ok().map(Link::to),
        };
        match link {
            Some(link) => Link {
                name: name.filter(|name| !name.is_empty()).map(Into::into),
                ..link
            },
            None => Link {
                name: Some(text.into()),
                bare: Bare::Yes,
                ..Link::to(-1)
            },
        }
    }
}

refit_base::schema_form!(Link: "Link", |_| schemars::json_schema!({
    "description": "A position, alone or with the name at that position: \"31 hangar_door\". Both must match. Or the \
        name alone, if it is unique. An address is hexadecimal.",
    "anyOf": [{ "type": "integer" }, { "type": "string", "minLength": 1 }]
}));

/// A texture's name: 20 bytes, in which a zero overwrites the last dot of the file name
/// (FORMAT.md).
///
/// In text: `"rock.tif"` if that spelling reproduces the stored bytes, otherwise stem and suffix as
/// separate values, otherwise the raw bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct TextureName(pub [u8; 20]);

impl TextureName {
    /// Builds the field from stem and suffix. The suffix is cut off at the end of the field, as in
    /// the games.
    fn build(stem: &[u8], suffix: Option<&[u8]>) -> Result<Self> {
        if stem.len() > 20 || stem.contains(&0) {
            let why = format!(
                "a texture's name has at most 20 bytes before its suffix, not {}",
                stem.len()
            );
            return Err(Error::say(why));
        }
        let mut out = [0; 20];
        let suffix = suffix.unwrap_or_default().iter();
        for (slot, byte) in out.iter_mut().zip(stem.iter().chain([&0]).chain(suffix)) {
            *slot = *byte;
        }
        Ok(TextureName(out))
    }

    /// Builds the field from a file name: its last dot separates the suffix.
    pub fn of(name: &[u8]) -> Result<Self> {
        match name.iter().rposition(|b| *b == b'.') {
            Some(dot) => Self::build(name.within(..dot), name.get(dot + 1..)),
            None => Self::build(name, None),
        }
    }

    fn parts(&self) -> (&[u8], &[u8]) {
        let mut parts = self.0.split(|b| *b == 0);
        (
            parts.next().unwrap_or_default(),
            parts.next().unwrap_or_default(),
        )
    }

    /// The name for display: stem and suffix joined by a dot.
    pub fn text(&self) -> String {
        let (stem, suffix) = self.parts();
        match suffix {
            [] => decode_1252(stem).into_owned(),
            _ => format!("{}.{}", decode_1252(stem), decode_1252(suffix)),
        }
    }

    /// The name without its suffix, as in texture packages.
    pub fn stem(&self) -> Cow<'_, str> {
        decode_1252(self.parts().0)
    }

    /// True if the 20 bytes contain a stem, at most one suffix, and zeros.
    pub fn is_regular(&self) -> bool {
        let (stem, suffix) = self.parts();
        Self::build(stem, Some(suffix)).is_ok_and(|n| n == *self)
    }
}

impl fmt::Debug for TextureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text())
    }
}

impl Plain for TextureName {
    const SIZE: usize = 20;
    const KIND: Notation = Notation::Text;
    fn get(bytes: &[u8]) -> Self {
        TextureName(bytes.first_chunk().copied().unwrap_or_default())
    }
    fn put(&self, bytes: &mut [u8]) {
        if let Some(slot) = bytes.first_chunk_mut() {
            *slot = self.0;
        }
    }
}

impl Serialize for TextureName {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let text = self.text();
        if encode_1252(&text)
            .and_then(|t| Self::of(&t))
            .is_ok_and(|n| n == *self)
        {
            return s.serialize_str(&text);
        }
        if !self.is_regular() {
            #[derive(Serialize)]
            #[serde(rename = "TextureName")]
            struct Irregular {
                hex: HexBytes,
            }
            return marked(
                Mark::Tail,
                &Irregular {
                    hex: HexBytes(self.0.to_vec()),
                },
                s,
            );
        }
        let (stem, suffix) = self.parts();
        let mut out = s.serialize_struct("TextureName", 2)?;
        out.serialize_field("stem", &*decode_1252(stem))?;
        out.serialize_field("suffix", &*decode_1252(suffix))?;
        out.end()
    }
}

/// A [`TextureName`] that is not one file name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextureNameRecord {
    #[serde(default)]
    stem: Given<Str>,
    #[serde(default)]
    suffix: Given<Str>,
    #[serde(default)]
    hex: Given<HexBytes>,
}

impl TextOrRecord for TextureName {
    type Record = TextureNameRecord;
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a file name of at most 20 bytes, or { \"stem\", \"suffix\" }, or { \"hex\" }")
    }
    fn from_text(text: &str) -> Result<Self> {
        TextureName::of(&encode_1252(text)?)
    }
    fn from_record(record: TextureNameRecord) -> Result<Self> {
        match (record.stem.0, record.suffix.0, record.hex.0) {
            (None, None, Some(hex)) => {
                let n = hex.0.len();
                hex.0
                    .try_into()
                    .map(TextureName)
                    .map_err(|_| Error::say(format!("{n} bytes (the field has 20)")))
            }
            (Some(stem), suffix, None) => {
                TextureName::build(&stem.0, suffix.as_ref().map(|s| s.0.as_slice()))
            }
            _ => Err(Error::say("expected `stem` with `suffix`, or `hex` alone")),
        }
    }
}

refit_base::text_form!(TextureName);

refit_base::schema_form!(TextureName: "TextureName", |_| schemars::json_schema!({ "anyOf": [
    { "description": "A file name such as rock.tif.", "type": "string" },
    { "description": "The two texts of a field that is not one file \
        name.", "type": "object", "additionalProperties": false, "required": ["stem"],
      "properties": {
        "stem": { "description": "The bytes before the zero.", "type": "string" },
        "suffix": { "description": "The bytes after it.", "type": "string" } } },
    { "description": "The raw field.", "type": "object", "additionalProperties": false, "required": ["hex"],
      "properties": { "hex": { "description": "All 20 bytes in hexadecimal.", "type": "string" } } },
] }));

refit_base::flags! {
    /// The upper bits of a [`Structure`]. `SIBLINGS`, `OVERFLOW`: how the studio's tool filled the
    /// words of a building's parts.
    pub struct StructureFlags: u32 {
        GASBAG = 0x40_0000 "GASBAG", SIBLING0 = 0x80_0000 "SIBLING0", SIBLING1 = 0x100_0000 "SIBLING1",
            SIBLING2 = 0x200_0000 "SIBLING2",
        SIBLING3 = 0x400_0000 "SIBLING3", OVERFLOW0 = 0x800_0000 "OVERFLOW0", OVERFLOW1 = 0x1000_0000 "OVERFLOW1",
        UNK29 = 0x2000_0000 "UNK29", V = 0x4000_0000 "V",
        /// The node counts as a structure of a mission.
        MISSION = 0x8000_0000 "MISSION",
    }
}

refit_base::open_enum! {
    /// Whose a structure is in a mission.
    pub enum Owner: u32 { None = 0 "NONE", Player = 1 "PLAYER", Enemy = 2 "ENEMY", Enemy3 = 3 "ENEMY3" }
}

/// The word of a Crimson Skies node with its owner: two bits for each of the world's eleven
/// missions, M01 first, and flags above them. Read from the engine by the authors of
/// `LinusU/rust-crimson-skies` and `Laeresh/CSVM`.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "StructureRecord", into = "StructureRecord")]
pub struct Structure(pub u32);

/// A [`Structure`] in a tree.
#[derive(Clone, Default, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StructureRecord {
    /// Its owner in the missions M01, M02 and so on; beyond the last listed one it belongs to no
    /// side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    owners: Vec<Owner>,
    /// MISSION: a structure of a mission; GASBAG: a gasbag of a zeppelin.
    #[serde(default, skip_serializing_if = "StructureFlags::is_empty")]
    flags: StructureFlags,
}

/// Number of missions with an owner in a [`Structure`].
const MISSIONS: u32 = 11;

impl From<Structure> for StructureRecord {
    fn from(Structure(word): Structure) -> Self {
        let mut owners: Vec<Owner> = (0..MISSIONS)
            .map(|i| Owner::from_raw(word >> (2 * i) & 3))
            .collect();
        owners.truncate(
            owners
                .iter()
                .rposition(|o| o.raw() != 0)
                .map_or(0, |last| last + 1),
        );
        StructureRecord {
            owners,
            flags: StructureFlags(word & !((1 << (2 * MISSIONS)) - 1)),
        }
    }
}

impl TryFrom<StructureRecord> for Structure {
    type Error = Error;
    fn try_from(record: StructureRecord) -> Result<Self> {
        let low = (1u32 << (2 * MISSIONS)) - 1;
        if record.owners.len() > MISSIONS as usize {
            return Err(Error::say(format!(
                "{} owners; a world has at most {MISSIONS} missions",
                record.owners.len()
            ))
            .within("owners"));
        }
        if record.flags.0 & low != 0 {
            return Err(Error::say("the lower 22 bits are those of the owners").within("flags"));
        }
        let mut word = record.flags.0;
        for (i, owner) in (0u32..).zip(&record.owners) {
            if owner.raw() > 3 {
                return Err(
                    Error::say(format!("an owner is 0 to 3, not {}", owner.raw())).within("owners"),
                );
            }
            word |= owner.raw() << (2 * i);
        }
        Ok(Structure(word))
    }
}

/// Stores types of one word as the word.
macro_rules! words {
    ($($name:ident),+) => {$(
        impl Plain for $name {
            const SIZE: usize = 4;
            const KIND: Notation = Notation::Word;
            fn get(bytes: &[u8]) -> Self {
                $name(u32::get(bytes))
            }
            fn put(&self, bytes: &mut [u8]) {
                self.0.put(bytes);
            }
        }
    )+};
}
words!(Structure, ZoneSet);

/// Zones in which a thing is drawn: a count and up to three zone bytes, unused ones 0xFF
/// (FORMAT.md).
///
/// In text a list of zones; an irregular word is written in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ZoneSet(pub u32);

impl ZoneSet {
    /// No zones.
    pub const NONE: ZoneSet = ZoneSet(0xFFFF_FF00);

    /// The set of these zones; `None` for more than three.
    pub fn build(zones: &[u8]) -> Option<Self> {
        let mut bytes = [0xFF; 4];
        let (count, slots) = bytes.split_first_mut()?;
        slots.get_mut(..zones.len())?.copy_from_slice(zones);
        *count = u8::try_from(zones.len()).ok()?;
        Some(ZoneSet(u32::get(&bytes)))
    }

    /// The zones; `None` if the word is not a regular set.
    pub fn zones(self) -> Option<Vec<u8>> {
        let bytes = self.0.to_le_bytes();
        let (count, zones) = bytes.split_first()?;
        let zones = zones.get(..usize::from(*count))?;
        (Self::build(zones) == Some(self)).then(|| zones.to_vec())
    }
}

impl Serialize for ZoneSet {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.zones() {
            Some(zones) => zones.serialize(s),
            None => marked(Mark::UnknownValue, &Hex(self.0), s),
        }
    }
}

impl<'de> Deserialize<'de> for ZoneSet {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = ZoneSet;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of at most three zones, or the word as \"0xffffff00\"")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ZoneSet, A::Error> {
                let mut zones = Vec::new();
                while let Some(zone) = seq.next_element()? {
                    zones.push(zone);
                }
                ZoneSet::build(&zones).ok_or_else(|| de::Error::invalid_length(zones.len(), &self))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<ZoneSet, E> {
                let digits = v
                    .strip_prefix("0x")
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(v), &self))?;
                u32::from_str_radix(digits, 16)
                    .map(ZoneSet)
                    .map_err(E::custom)
            }
        }
        d.deserialize_any(V)
    }
}

refit_base::schema_form!(ZoneSet: "ZoneSet", |_| schemars::json_schema!({ "anyOf": [
    { "description": "At most three \
        zones.", "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
    { "description": "A word that is not a regular set.", "type": "string", "pattern": "^0x[0-9a-fA-F]{1,8}$" },
] }));

/// The stale pointers of a polygon, as one compact text: hexadecimal words without trailing zeros.
///
/// In order: vertex indices, normal indices, UVs, colours, material references (unknown in MW),
/// material indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pointers(pub [u32; 6]);

impl Serialize for Pointers {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let shown = self.0.iter().rposition(|p| *p != 0).map_or(0, |i| i + 1);
        let mut text = String::with_capacity(54);
        for (i, p) in self.0.iter().take(shown).enumerate() {
            use fmt::Write;
            let _ = write!(text, "{}{p:x}", if i > 0 { " " } else { "" });
        }
        s.serialize_str(&text)
    }
}

refit_base::text_form!(Pointers: "at most six hexadecimal words, separated by blanks", |value| {
    let Scalar::Text(text) = value else { return Err(Refused::Type) };
    let mut out = Pointers::default();
    let mut slots = out.0.iter_mut();
    for word in text.split_ascii_whitespace() {
        let bits = u32::from_str_radix(word, 16).map_err(|_| Refused::Value)?;
        *slots.next().ok_or(Refused::Value)? = bits;
    }
    Ok(out)
});

refit_base::schema_form!(Pointers: "Pointers", |_| schemars::json_schema!({ "description": "Addresses of the writing \
    process, meaningless: hexadecimal words.", "type": "string" }));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texture_names_of_every_shape_survive_the_round_trip() {
        let shapes: [(&[u8; 20], &str); 10] = [
            (b"rock\0tif\0\0\0\0\0\0\0\0\0\0\0\0", r#""rock.tif""#),
            (b"sixteen_chars_xx\0tif", r#""sixteen_chars_xx.tif""#),
            (b"seventeen_chars_x\0ti", r#""seventeen_chars_x.ti""#),
            (b"nineteen_chars_xxxx\0", r#""nineteen_chars_xxxx""#),
            (b"twenty_characters_xx", r#""twenty_characters_xx""#),
            (&[0; 20], r#""""#),
            (
                b"a.b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                r#"{"stem":"a.b","suffix":""}"#,
            ),
            (
                b"rock\0.tif\0\0\0\0\0\0\0\0\0\0\0",
                r#"{"stem":"rock","suffix":".tif"}"#,
            ),
            (b"a.b\0tif\0\0\0\0\0\0\0\0\0\0\0\0\0", r#""a.b.tif""#),
            (
                b"rock\0tif\0x\0\0\0\0\0\0\0\0\0\0",
                r#"{"hex":"726f636b 00746966 00780000 00000000 00000000"}"#,
            ),
        ];
        for (bytes, text) in shapes {
            assert_eq!(serde_json::to_string(&TextureName(*bytes)).unwrap(), text);
            assert_eq!(
                serde_json::from_str::<TextureName>(text).unwrap().0,
                *bytes,
                "{text}"
            );
        }
        // If the name is too long for its suffix, the suffix is cut off, as in the games.
        assert_eq!(
            &TextureName::of(b"eighteen_chars_xxx.tif").unwrap().0,
            b"eighteen_chars_xxx\0t"
        );
        assert!(TextureName::of(b"more_than_twenty_chars.tif").is_err());
    }

    #[test]
    fn zone_sets_of_every_word_survive_the_round_trip() {
        for (word, text) in [
            (0xFFFF_FF00u32, "[]"),
            (0xFF05_8102, "[129,5]"),
            (0x0302_0103, "[1,2,3]"),
            (0xFFFF_FF04, r#""0xffffff04""#),
            (0x0000_0001, r#""0x00000001""#),
            (0, r#""0x00000000""#),
        ] {
            assert_eq!(serde_json::to_string(&ZoneSet(word)).unwrap(), text);
            assert_eq!(
                serde_json::from_str::<ZoneSet>(text).unwrap(),
                ZoneSet(word)
            );
        }
        assert!(serde_json::from_str::<ZoneSet>("[1,2,3,4]").is_err());
    }

    #[test]
    fn links_are_numbers_names_or_both() {
        let link: Link = serde_json::from_str(r#""31 hangar door""#).unwrap();
        assert_eq!(
            (link.index, link.name.as_deref()),
            (31, Some("hangar door"))
        );
        assert_eq!(serde_json::to_string(&link).unwrap(), r#""31 hangar door""#);
        assert_eq!(serde_json::from_str::<Link>("-1").unwrap(), Link::to(-1));
        assert_eq!(
            serde_json::to_string(&Link::address(0xdead_beef)).unwrap(),
            r#""0xdeadbeef""#
        );
        assert_eq!(
            serde_json::from_str::<Link>(r#""0xdeadbeef""#)
                .unwrap()
                .index as u32,
            0xdead_beef
        );
        let bare: Link = serde_json::from_str(r#""door""#).unwrap();
        assert!(bare.is_bare() && bare.name.as_deref() == Some("door"));
        assert!(!link.is_bare() && serde_json::from_str::<Link>(r#""""#).is_err());
    }

    #[test]
    fn the_approx_sqrt_is_the_engines() {
        // Half the diagonal of a cell: −192 for 256 · 256, −768 for 1024 · 1024.
        assert_eq!(approx_sqrt(131_072.0).get() * -0.5, -192.0);
        assert_eq!(approx_sqrt(2_097_152.0).get() * -0.5, -768.0);
    }
}
