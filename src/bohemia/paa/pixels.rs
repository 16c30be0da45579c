//! Pixels of all kinds as red, green, blue, alpha with 8 bits each, and back. Pixels and blocks
//! that do not change keep their bytes.

use super::{
    blocks,
    container::{PaaKind, Rgba},
};
use refit_base::{
    picture::{Picture, Pixels},
    wire::{Error, Result, Within},
};

/// Most pixels of a picture in a tree: 8192 × 8192.
const MOST: usize = 1 << 26;

/// The pixels of a level and how they are stored.
#[derive(Clone, Copy)]
pub struct Form<'a> {
    /// The kind of the texture.
    pub kind: PaaKind,
    /// Width and height.
    pub size: [u16; 2],
    /// The colours of a palette texture, as blue, green, red.
    pub palette: &'a [u8],
}

/// Widens a sample of `bits` bits: 0 stays 0, and the largest becomes 255.
fn widen(value: u16, bits: u32) -> u8 {
    let value = value & ((1 << bits) - 1);
    match bits {
        1 => value as u8 * 255,
        4 => value as u8 * 17,
        _ => (value << 3 | value >> 2) as u8,
    }
}

/// The nearest sample of `bits` bits.
fn narrow(value: u8, bits: u32) -> u16 {
    let most = (1u16 << bits) - 1;
    (u16::from(value) * most + 127) / 255
}

impl Form<'_> {
    fn sides(&self) -> [usize; 2] {
        self.size.map(usize::from)
    }

    /// True if a picture of this size is allowed in a tree.
    pub fn is_drawn(&self) -> bool {
        let [width, height] = self.sides();
        (1..=MOST).contains(&(width * height))
    }

    /// Decodes unpacked data.
    pub fn decode(&self, content: &[u8]) -> Result<Vec<Rgba>> {
        let [width, height] = self.sides();
        if !self.is_drawn() {
            return Err(Error::say(format!(
                "{width} × {height} pixels cannot be a picture of a tree"
            )));
        }
        if self.kind.is_block() {
            let mut out = vec![[0; 4]; width * height];
            let across = width.div_ceil(4) * self.kind.unit();
            for (rows, blocks) in out.chunks_mut(4 * width).zip(content.chunks_exact(across)) {
                if rows.len() == 4 * width && width.is_multiple_of(4) {
                    self.decode_whole(rows, width, blocks);
                    continue;
                }
                for (column, block) in blocks.chunks_exact(self.kind.unit()).enumerate() {
                    let pixels = blocks::decode(self.kind, block);
                    for (row, pixels) in rows.chunks_exact_mut(width).zip(pixels.chunks_exact(4)) {
                        let row = row.within_mut(4 * column..);
                        row.iter_mut()
                            .zip(pixels)
                            .for_each(|(slot, pixel)| *slot = *pixel);
                    }
                }
            }
            return Ok(out);
        }
        Ok(content
            .chunks_exact(self.kind.unit().max(1))
            .map(|unit| self.pixel(unit))
            .collect())
    }

    /// Decodes a row of blocks that are completely inside the picture.
    fn decode_whole(&self, rows: &mut [Rgba], width: usize, blocks: &[u8]) {
        let (upper, lower) = rows.split_at_mut(2 * width);
        let ((first, second), (third, fourth)) =
            (upper.split_at_mut(width), lower.split_at_mut(width));
        let cells = |row| <[Rgba]>::as_chunks_mut::<4>(row).0.iter_mut();
        let (upper, lower) = (
            cells(first).zip(cells(second)),
            cells(third).zip(cells(fourth)),
        );
        for (block, ((a, b), (c, d))) in blocks.chunks_exact(self.kind.unit()).zip(upper.zip(lower))
        {
            if let [first, second, third, fourth] = blocks::decode(self.kind, block).as_chunks().0 {
                (*a, *b, *c, *d) = (*first, *second, *third, *fourth);
            }
        }
    }

    /// The positions of the 16 pixels of a block; `None` for those outside of the picture.
    fn places(&self, block: usize) -> [Option<usize>; 16] {
        let [width, height] = self.sides();
        let across = width.div_ceil(4).max(1);
        let (left, top) = (block % across * 4, block / across * 4);
        std::array::from_fn(|i| {
            let (x, y) = (left + i % 4, top + i / 4);
            (x < width && y < height).then(|| y * width + x)
        })
    }

    fn pixel(&self, unit: &[u8]) -> Rgba {
        let word = unit
            .first_chunk()
            .map_or(0, |word| u16::from_le_bytes(*word));
        match (self.kind, unit) {
            (PaaKind::Argb8888, &[b, g, r, a]) => [r, g, b, a],
            (PaaKind::Ai88, &[i, a]) => [i, i, i, a],
            (PaaKind::Argb4444, _) => [8, 4, 0, 12].map(|shift| widen(word >> shift, 4)),
            (PaaKind::Argb1555, _) => {
                let [r, g, b] = [10, 5, 0].map(|shift| widen(word >> shift, 5));
                [r, g, b, widen(word >> 15, 1)]
            }
            (PaaKind::P8, &[index]) => {
                let [b, g, r] = self
                    .palette
                    .as_chunks()
                    .0
                    .get(usize::from(index))
                    .copied()
                    .unwrap_or_default();
                [r, g, b, 255]
            }
            _ => [0; 4],
        }
    }

    fn unit(&self, [r, g, b, a]: Rgba, out: &mut Vec<u8>) {
        match self.kind {
            PaaKind::Argb8888 => out.extend([b, g, r, a]),
            // Rec. 601, which leaves grey unchanged.
            PaaKind::Ai88 => {
                let sum = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
                out.extend([((sum + 500) / 1000) as u8, a]);
            }
            PaaKind::Argb4444 => {
                let word =
                    narrow(a, 4) << 12 | narrow(r, 4) << 8 | narrow(g, 4) << 4 | narrow(b, 4);
                out.extend(word.to_le_bytes());
            }
            PaaKind::Argb1555 => {
                let word =
                    narrow(a, 1) << 15 | narrow(r, 5) << 10 | narrow(g, 5) << 5 | narrow(b, 5);
                out.extend(word.to_le_bytes());
            }
            _ => {
                let far = |color: &[u8; 3]| {
                    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
                    square(color[0], b) + square(color[1], g) + square(color[2], r)
                };
                let colors = self.palette.as_chunks().0.iter().take(256).enumerate();
                out.push(
                    colors
                        .min_by_key(|(_, color)| far(color))
                        .map_or(0, |(i, _)| i as u8),
                );
            }
        }
    }

    /// Encodes pixels. `old` is data and the pixels that they decode to: parts with equal pixels
    /// keep their bytes.
    pub fn encode(&self, pixels: &[Rgba], old: Option<(&[u8], &[Rgba])>) -> Vec<u8> {
        let each = self.kind.unit().max(1);
        let kept = |at: usize| old.and_then(|(content, _)| content.get(at * each..(at + 1) * each));
        let was = |i: usize| old.and_then(|(_, pixels)| pixels.get(i));
        let mut out = Vec::with_capacity(usize::try_from(self.kind.bytes(self.size)).unwrap_or(0));
        if !self.kind.is_block() {
            for (i, pixel) in pixels.iter().enumerate() {
                match kept(i).filter(|_| was(i) == Some(pixel)) {
                    Some(kept) => out.extend_from_slice(kept),
                    None => self.unit(*pixel, &mut out),
                }
            }
            return out;
        }
        let [width, height] = self.sides();
        for at in 0..width.div_ceil(4) * height.div_ceil(4) {
            let places = self.places(at);
            let same = places
                .iter()
                .flatten()
                .all(|i| was(*i).is_some_and(|was| Some(was) == pixels.get(*i)));
            match kept(at).filter(|_| same) {
                Some(kept) => out.extend_from_slice(kept),
                None => {
                    // Pixels outside of the picture repeat its first ones.
                    let first = places[0]
                        .and_then(|i| pixels.get(i))
                        .copied()
                        .unwrap_or_default();
                    let block =
                        places.map(|i| i.and_then(|i| pixels.get(i)).copied().unwrap_or(first));
                    blocks::encode(self.kind, &block, &mut out);
                }
            }
        }
        out
    }
}

/// Pixels as a picture, with alpha only if a pixel is not opaque.
pub fn picture([width, height]: [u16; 2], pixels: &[Rgba]) -> Picture {
    let pixels = match pixels.iter().all(|pixel| pixel[3] == 255) {
        true => {
            let mut samples = vec![0; pixels.len() * 3];
            for (to, [r, g, b, _]) in samples.as_chunks_mut().0.iter_mut().zip(pixels) {
                *to = [*r, *g, *b];
            }
            Pixels::Rgb(samples)
        }
        false => Pixels::Rgba(pixels.as_flattened().to_vec()),
    };
    Picture {
        width: width.into(),
        height: height.into(),
        pixels,
    }
}

/// The pixels of a picture, and its size.
pub fn of_picture(picture: Picture) -> Result<([u16; 2], Vec<Rgba>)> {
    let side = |n: u32| match u16::try_from(n) {
        Ok(n @ 1..0x8000) => Ok(n),
        _ => Err(Error::say(format!(
            "{n} pixels: a texture has 1 to 32767 in a row"
        ))),
    };
    let size = [side(picture.width)?, side(picture.height)?];
    if picture.width as usize * picture.height as usize > MOST {
        return Err(Error::say(format!(
            "{} × {} pixels are too many for a texture",
            size[0], size[1]
        )));
    }
    let pixels = match picture.pixels {
        Pixels::Grey(v) => v.iter().map(|v| [*v, *v, *v, 255]).collect(),
        Pixels::Rgb(v) => v
            .as_chunks()
            .0
            .iter()
            .map(|[r, g, b]| [*r, *g, *b, 255])
            .collect(),
        Pixels::Rgba(v) => v.as_chunks().0.to_vec(),
        Pixels::Indexed {
            indices,
            palette,
            alpha,
        } => {
            let color = |i: &u8| {
                let [r, g, b] = palette
                    .get(usize::from(*i))
                    .copied()
                    .ok_or_else(|| Error::say(format!("the palette has no colour {i}")))?;
                Ok([r, g, b, alpha.get(usize::from(*i)).copied().unwrap_or(255)])
            };
            indices.iter().map(color).collect::<Result<_>>()?
        }
    };
    Ok((size, pixels))
}

/// The average of pixels.
pub fn average<'a>(pixels: impl IntoIterator<Item = &'a Rgba>) -> Rgba {
    let mut sums = [0u64; 5];
    for pixel in pixels {
        sums.iter_mut()
            .zip(pixel.iter().map(|v| u64::from(*v)).chain([1]))
            .for_each(|(sum, v)| *sum += v);
    }
    let [r, g, b, a, n] = sums;
    [r, g, b, a].map(|sum| ((sum + n / 2) / n.max(1)) as u8)
}

/// A smaller level: each pixel is the average of the pixels below it. With `old`, the former pixels
/// of the level, and `changed`, which marks the changed pixels of the larger level, the other
/// pixels stay.
pub fn smaller(
    larger: &[Rgba],
    from: [u16; 2],
    to: [u16; 2],
    old: Option<(&[Rgba], &[bool])>,
) -> Vec<Rgba> {
    let [[width, height], [across, down]] = [from, to].map(|size| size.map(usize::from));
    let range = |i: usize, small: usize, large: usize| {
        let start = i * large / small.max(1);
        start..((i + 1) * large / small.max(1)).max(start + 1)
    };
    let mut out = Vec::with_capacity(across * down);
    for y in 0..down {
        for x in 0..across {
            let (columns, rows) = (range(x, across, width), range(y, down, height));
            let cells = || {
                rows.clone()
                    .flat_map(|y| columns.clone().map(move |x| y * width + x))
            };
            let kept = old.filter(|(_, changed)| !cells().any(|i| changed.get(i) == Some(&true)));
            out.push(match kept.and_then(|(old, _)| old.get(y * across + x)) {
                Some(kept) => *kept,
                None => average(cells().filter_map(|i| larger.get(i))),
            });
        }
    }
    out
}
