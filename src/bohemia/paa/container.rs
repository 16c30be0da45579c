//! The parts of a texture as the file stores them: reader and writer.

use bytes::Bytes;
use refit_base::{
    game::Game,
    wire::{
        Error, Hex, HexBytes, Notation, Plain, Raw, Reader, Result, Role, Str, Trace, fit, value_at,
    },
};
use serde::{Deserialize, Serialize};

/// Red, green, blue, alpha.
pub type Rgba = [u8; 4];

refit_base::open_enum! {
    /// The pixel format of a texture.
    pub enum PaaKind: u16 {
        /// Blocks of 4 × 4 pixels in 8 bytes, with an alpha of one bit.
        Dxt1 = 0xff01 "dxt1",
        /// As DXT3, with colours multiplied by their alpha.
        Dxt2 = 0xff02 "dxt2",
        /// Blocks in 16 bytes, with an alpha of four bits.
        Dxt3 = 0xff03 "dxt3",
        /// As DXT5, with colours multiplied by their alpha.
        Dxt4 = 0xff04 "dxt4",
        /// Blocks in 16 bytes, with interpolated alpha.
        Dxt5 = 0xff05 "dxt5",
        Argb1555 = 0x1555 "argb1555",
        Argb4444 = 0x4444 "argb4444",
        Argb8888 = 0x8888 "argb8888",
        /// Brightness and alpha.
        Ai88 = 0x8080 "ai88",
        /// An index into the palette.
        P8 = 0x4747 "p8",
    }
}

impl PaaKind {
    /// The kind of a texture without a type word: the engine decides by the name.
    pub(crate) fn by_file(file: &str) -> Self {
        if file.to_ascii_lowercase().ends_with(".paa") {
            PaaKind::Argb4444
        } else {
            PaaKind::P8
        }
    }

    /// True for pixels in blocks.
    pub(crate) fn is_block(self) -> bool {
        self.unit() >= 8
    }

    /// Bytes per pixel, or per block of 4 × 4 pixels; 0 for an unknown kind.
    pub(crate) fn unit(self) -> usize {
        match self {
            PaaKind::Dxt1 => 8,
            PaaKind::Dxt2 | PaaKind::Dxt3 | PaaKind::Dxt4 | PaaKind::Dxt5 => 16,
            PaaKind::Argb8888 => 4,
            PaaKind::Argb1555 | PaaKind::Argb4444 | PaaKind::Ai88 => 2,
            PaaKind::P8 => 1,
            PaaKind::Other(_) => 0,
        }
    }

    /// Size in bytes of the unpacked data of a level.
    pub(crate) fn bytes(self, [width, height]: [u16; 2]) -> u64 {
        let units = |side: u16| {
            u64::from(if self.is_block() {
                side.div_ceil(4)
            } else {
                side
            })
        };
        units(width) * units(height) * self.unit() as u64
    }
}

/// A tag. Its data must have the length of its kind; other data, and unknown tags, are `other`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PaaTag {
    /// AVGC: the average colour, as blue, green, red, alpha.
    Average(Raw<4>),
    /// MAXC: the brightest colour; ffffffff in known files.
    Brightest(Raw<4>),
    /// FLAG: 1 for an interpolated alpha channel, 2 for transparency.
    Flag(Hex<u32>),
    /// SWIZ: the source of the channels alpha, red, green and blue: 0 alpha, 1 red, 2 green, 3
    /// blue; 4 to 7 the same inverted; 8 is the constant 1, 9 the constant 0.
    Swizzle([u8; 4]),
    /// PROC: the text of a procedural texture.
    Procedure(Str),
    /// OFFS: the positions of the levels, which refit computes.
    Offsets,
    /// Any other tag.
    Other {
        /// Its four letters.
        name: Str,
        /// Its data.
        data: HexBytes,
    },
}

impl PaaTag {
    fn of(name: [u8; 4], data: &[u8]) -> Self {
        let four = || <[u8; 4]>::try_from(data);
        match (&name, four()) {
            (b"AVGC", Ok(color)) => PaaTag::Average(Raw(color)),
            (b"MAXC", Ok(color)) => PaaTag::Brightest(Raw(color)),
            (b"FLAG", Ok(flag)) => PaaTag::Flag(Hex(u32::get(&flag))),
            (b"SWIZ", Ok(channels)) => PaaTag::Swizzle(channels),
            (b"PROC", _) => PaaTag::Procedure(data.into()),
            _ => PaaTag::Other {
                name: Str(name.to_vec()),
                data: HexBytes(data.to_vec()),
            },
        }
    }

    /// Its four letters.
    pub fn name(&self) -> &[u8] {
        match self {
            PaaTag::Average(_) => b"AVGC",
            PaaTag::Brightest(_) => b"MAXC",
            PaaTag::Flag(_) => b"FLAG",
            PaaTag::Swizzle(_) => b"SWIZ",
            PaaTag::Procedure(_) => b"PROC",
            PaaTag::Offsets => OFFSETS,
            PaaTag::Other { name, .. } => &name.0,
        }
    }

    fn data(&self, offsets: &[u8]) -> Vec<u8> {
        match self {
            PaaTag::Average(color) | PaaTag::Brightest(color) => color.0.to_vec(),
            PaaTag::Flag(flag) => flag.0.to_le_bytes().to_vec(),
            PaaTag::Swizzle(channels) => channels.to_vec(),
            PaaTag::Procedure(text) => text.0.clone(),
            PaaTag::Offsets => offsets.to_vec(),
            PaaTag::Other { data, .. } => data.0.clone(),
        }
    }

    fn len(&self) -> usize {
        match self {
            PaaTag::Offsets => OFFSETS_LEN,
            PaaTag::Procedure(text) => text.0.len(),
            PaaTag::Other { data, .. } => data.0.len(),
            _ => 4,
        }
    }
}

const OFFSETS: &[u8] = b"OFFS";
/// Bytes of the offsets of 16 levels.
const OFFSETS_LEN: usize = 64;
/// The beginning of each tag.
pub const TAG: &[u8; 4] = b"GGAT";
/// Marks the end of the levels.
pub const END: [u8; 6] = [0; 6];
/// Width and height that announce an LZSS stream in palette textures; the true ones follow.
pub const SPECIAL: [u16; 2] = [1234, 8765];
/// Marks a packed level in its width.
const PACKED: u16 = 0x8000;

/// A level of a texture in its stored form.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Level {
    /// Width and height in pixels.
    pub size: [u16; 2],
    /// The width has the mark of LZO.
    pub is_packed: bool,
    /// The record begins with [`SPECIAL`].
    pub is_special: bool,
    /// The stored bytes.
    pub data: Bytes,
}

impl Level {
    /// Size of its record.
    fn bytes(&self) -> usize {
        7 + if self.is_special { 4 } else { 0 } + self.data.len()
    }
}

/// A texture in its stored form.
#[derive(Clone, PartialEq, Debug)]
pub struct Container {
    /// The type word; palette textures of Operation Flashpoint have none.
    pub kind: Option<PaaKind>,
    /// Tags, in the order of the file.
    pub tags: Vec<PaaTag>,
    /// Colours as blue, green, red.
    pub palette: Bytes,
    /// Levels, the largest first.
    pub levels: Vec<Level>,
    /// The end mark and the bytes after it.
    pub end: Bytes,
}

/// A part of the file that shares its memory.
fn share(file: &Bytes, part: &[u8]) -> Bytes {
    if part.is_empty() {
        Bytes::new()
    } else {
        file.slice_ref(part)
    }
}

impl Container {
    /// Reads a file.
    pub fn read(file: &Bytes, trace: Option<&dyn Trace>) -> Result<Container> {
        // Whether the offsets are derived is known at the end.
        let derived = trace.is_some_and(|_| {
            Container::read(file, None).is_ok_and(|read| {
                read.tags
                    .iter()
                    .all(|tag| tag.len() != OFFSETS_LEN || *tag == PaaTag::Offsets)
            })
        });
        // Nothing depends on the game.
        let mut r = Reader::new(file, Game::Mw).traced(trace);
        let kind = kind(&mut r)?;
        let mut tags = Vec::new();
        while r.peek(4) == TAG {
            let at = tags.len();
            tags.push(r.within("tags", |r| r.item(at, |r| tag(r, derived)))?);
        }
        let has_palette = matches!(kind, None | Some(PaaKind::P8));
        let count: u16 = r.hidden("palette_count", Role::Derived)?;
        let palette = share(
            file,
            r.bytes(
                3 * u64::from(count),
                "palette",
                Notation::Bytes,
                Role::Value,
            )?,
        );
        let mut levels = Vec::new();
        // Less than a size, or a width of zero, is the end.
        while r.left() >= 4 && !r.peek(2).iter().all(|b| *b == 0) {
            let at = levels.len();
            levels.push(r.within("levels", |r| r.item(at, |r| level(r, file, has_palette)))?);
        }
        let end = r.peek(r.left());
        if end.len() < 4 && end.iter().any(|b| *b != 0) {
            return Err(Error::short(r.offset(), 4, end.len() as u64).within("end"));
        }
        r.rest_as(
            "end",
            if end == END {
                Role::Constant
            } else {
                Role::Value
            },
        );
        let mut container = Container {
            kind,
            tags,
            palette,
            levels,
            end: share(file, end),
        };
        let offsets = container.offsets();
        for tag in &mut container.tags {
            if matches!(tag, PaaTag::Other { name, data } if name.0 == OFFSETS && data.0 == offsets)
            {
                *tag = PaaTag::Offsets;
            }
        }
        Ok(container)
    }

    /// The positions of the levels in the file.
    pub fn positions(&self) -> impl Iterator<Item = u32> {
        let head = if self.kind.is_some() { 2 } else { 0 };
        let tags: usize = self.tags.iter().map(|tag| 12 + tag.len()).sum();
        let mut at = head + tags + 2 + self.palette.len();
        self.levels.iter().map(move |level| {
            let position = u32::try_from(at).unwrap_or(u32::MAX);
            at += level.bytes();
            position
        })
    }

    /// The data of the tag with the positions of the levels.
    fn offsets(&self) -> Vec<u8> {
        let mut out: Vec<u8> = self
            .positions()
            .take(OFFSETS_LEN / 4)
            .flat_map(u32::to_le_bytes)
            .collect();
        out.resize(OFFSETS_LEN, 0);
        out
    }

    /// Encodes the file.
    pub fn write(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        out.extend(
            self.kind
                .map(|kind| kind.raw().to_le_bytes())
                .into_iter()
                .flatten(),
        );
        let offsets = self.offsets();
        for (i, tag) in self.tags.iter().enumerate() {
            let wrong = |e: Error| e.within(format!("[{i}]")).within("tags");
            let name = <[u8; 4]>::try_from(tag.name()).map_err(|_| {
                wrong(Error::say("the name of a tag has four letters").within("name"))
            })?;
            out.extend(TAG);
            out.extend(name.iter().rev());
            let data = tag.data(&offsets);
            out.extend(
                fit::<u32>(data.len(), "the length")
                    .map_err(wrong)?
                    .to_le_bytes(),
            );
            out.extend(data);
        }
        if !self.palette.len().is_multiple_of(3) {
            return Err(Error::say("a colour of a palette has three bytes").within("palette"));
        }
        out.extend(fit::<u16>(self.palette.len() / 3, "the number of colours")?.to_le_bytes());
        out.extend_from_slice(&self.palette);
        for (i, level) in self.levels.iter().enumerate() {
            put_level(&mut out, level).map_err(|e| e.within(format!("[{i}]")).within("levels"))?;
        }
        out.extend_from_slice(&self.end);
        Ok(out)
    }
}

/// Reads the type word, if the file has one.
fn kind(r: &mut Reader<'_>) -> Result<Option<PaaKind>> {
    let start = r.peek(6);
    let word = value_at(start, 0).map(PaaKind::from_raw);
    match word {
        _ if start.starts_with(TAG) => Ok(None),
        Some(PaaKind::Other(_)) if start.get(2..) != Some(TAG) => match is_palette(r) {
            true => Ok(None),
            false => Err(Error::say("not a texture: neither a known type nor a tag")
                .within("kind")
                .at(0)),
        },
        _ => Ok(Some(r.field("kind")?)),
    }
}

/// True if the file begins with a palette, and a level follows it.
fn is_palette(r: &Reader<'_>) -> bool {
    let mut r = r.clone().traced(None);
    let palette = r.u32().is_ok() && r.seek(0).is_ok();
    let count = r.get::<u16>().unwrap_or(0);
    let level = r
        .take_many(count.into(), 3)
        .and_then(|_| r.get::<[u16; 2]>());
    palette && count > 0 && level.is_ok_and(|[width, height]| width != 0 && height != 0)
}

fn tag(r: &mut Reader<'_>, derived: bool) -> Result<PaaTag> {
    r.hidden::<[u8; 4]>("magic", Role::Constant)?;
    let mut name: [u8; 4] = r.field("name")?;
    name.reverse();
    let length: u32 = r.hidden("length", Role::Derived)?;
    let role = if derived && name == OFFSETS {
        Role::Derived
    } else {
        Role::Value
    };
    let is_list = name == OFFSETS && length as usize == OFFSETS_LEN;
    let notation = if is_list {
        Notation::List(&Notation::Word, 4)
    } else {
        Notation::Bytes
    };
    Ok(PaaTag::of(
        name,
        r.bytes(length.into(), "data", notation, role)?,
    ))
}

fn level(r: &mut Reader<'_>, file: &Bytes, has_palette: bool) -> Result<Level> {
    let sized = |r: &mut Reader<'_>| Ok::<_, Error>([r.field::<u16>("width")?, r.field("height")?]);
    let mut size @ [mut width, _] = sized(r)?;
    let is_special = has_palette && size == SPECIAL;
    if is_special {
        size = sized(r)?;
        width = size[0];
    }
    let is_packed = width & PACKED != 0;
    size[0] = width & !PACKED;
    let [a, b, c]: [u8; 3] = r.get().map_err(|e| e.within("length"))?;
    r.note(3, "length", Notation::Unsigned, Role::Derived);
    let length = u32::get(&[a, b, c, 0]);
    let data = share(
        file,
        r.bytes(length.into(), "data", Notation::Bytes, Role::Payload)?,
    );
    Ok(Level {
        size,
        is_packed,
        is_special,
        data,
    })
}

fn put_level(out: &mut Vec<u8>, level: &Level) -> Result<()> {
    let Level {
        size: [width, height],
        is_packed,
        is_special,
        data,
    } = level;
    // A width of zero without a mark ends the levels.
    if (*width == 0 && !is_packed && !is_special) || width & PACKED != 0 {
        return Err(Error::say(format!("a level of {width} × {height} pixels")).within("size"));
    }
    if *is_special {
        SPECIAL
            .iter()
            .for_each(|word| out.extend(word.to_le_bytes()));
    }
    out.extend((width | if *is_packed { PACKED } else { 0 }).to_le_bytes());
    out.extend(height.to_le_bytes());
    let length = fit::<u32>(data.len(), "the length")?.to_le_bytes();
    let [a, b, c, 0] = length else {
        return Err(Error::say(format!(
            "the data have {} bytes (a level has at most 16,777,215)",
            data.len()
        )));
    };
    out.extend([a, b, c]);
    out.extend_from_slice(data);
    Ok(())
}
