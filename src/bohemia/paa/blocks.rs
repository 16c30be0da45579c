//! Blocks of 4 × 4 pixels (DXT1 to DXT5, also called BC1 to BC3): decoder and encoder.

use super::container::{PaaKind, Rgba};
use refit_base::wire::{Items, Within};

type Block = [Rgba; 16];
/// Red, green, blue.
type Color = [i32; 3];

fn expand(word: u16) -> Color {
    let word = i32::from(word);
    let (r, g, b) = (word >> 11, word >> 5 & 63, word & 31);
    [r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2]
}

fn quantise(color: Color) -> u16 {
    let [r, g, b] = color.map(|v| v.clamp(0, 255));
    let nearest = |v: i32, most: i32| ((v * most + 127) / 255) as u16;
    nearest(r, 31) << 11 | nearest(g, 63) << 5 | nearest(b, 31)
}

/// The colours of a block; with `three`, the last one is not used.
fn colors(first: u16, second: u16, three: bool) -> [Color; 4] {
    let (a, b) = (expand(first), expand(second));
    let mix = |one: i32, other: i32| {
        let sum = one + other;
        let at = |color: &Color, i: usize| color.get(i).copied().unwrap_or(0);
        std::array::from_fn(|i| (one * at(&a, i) + other * at(&b, i) + sum / 2) / sum)
    };
    match three {
        true => [a, b, mix(1, 1), [0; 3]],
        false => [a, b, mix(2, 1), mix(1, 2)],
    }
}

/// The eight alphas of a block with interpolated alpha.
fn alphas(first: u8, second: u8) -> [u8; 8] {
    let (a, b) = (u32::from(first), u32::from(second));
    let steps = if first > second { 7 } else { 5 };
    let mut all = [first, second, 0, 0, 0, 0, 0, 255];
    for (i, slot) in (1..).zip(all.iter_mut().skip(2).take(steps as usize - 1)) {
        *slot = (((steps - i) * a + i * b + steps / 2) / steps) as u8;
    }
    all
}

/// Decodes a block of 8 or 16 bytes.
pub fn decode(kind: PaaKind, block: &[u8]) -> Block {
    let (alpha, color) = if kind == PaaKind::Dxt1 {
        (0, block)
    } else {
        let (alpha, color) = block.split_at_checked(8).unwrap_or_default();
        (word(alpha), color)
    };
    let color = word(color);
    let (first, second, indices) = (color as u16, (color >> 16) as u16, color >> 32);
    let three = kind == PaaKind::Dxt1 && first <= second;
    // All pixels of a block have four colours.
    let mut four = colors(first, second, three).map(|[r, g, b]| [r as u8, g as u8, b as u8, 255]);
    if let [.., last] = &mut four
        && three
    {
        last[3] = 0;
    }
    let mut block: Block = std::array::from_fn(|i| four.item((indices >> (2 * i) & 3) as usize));
    match kind {
        PaaKind::Dxt1 => {}
        PaaKind::Dxt2 | PaaKind::Dxt3 => {
            block
                .iter_mut()
                .enumerate()
                .for_each(|(i, pixel)| pixel[3] = (alpha >> (4 * i) & 15) as u8 * 17);
        }
        _ => {
            let eight = alphas(alpha as u8, (alpha >> 8) as u8);
            for (i, pixel) in block.iter_mut().enumerate() {
                pixel[3] = eight.item((alpha >> (16 + 3 * i) & 7) as usize);
            }
        }
    }
    block
}

fn word(bytes: &[u8]) -> u64 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Encodes a block.
pub fn encode(kind: PaaKind, block: &Block, out: &mut Vec<u8>) {
    match kind {
        PaaKind::Dxt1 => {}
        PaaKind::Dxt2 | PaaKind::Dxt3 => {
            let alpha = |sum: u64, (i, pixel): (usize, &Rgba)| {
                sum | (((u64::from(pixel[3]) * 15 + 127) / 255) << (4 * i))
            };
            out.extend(block.iter().enumerate().fold(0, alpha).to_le_bytes());
        }
        _ => out.extend(encode_alpha(block).to_le_bytes()),
    }
    out.extend(encode_color(block, kind == PaaKind::Dxt1).to_le_bytes());
}

/// The index of the nearest value, and how far it is.
fn nearest<T>(values: &[T], far: impl Fn(&T) -> i32) -> (u64, i32) {
    (0..)
        .zip(values)
        .map(|(i, value)| (i, far(value)))
        .min_by_key(|(_, far)| *far)
        .unwrap_or_default()
}

fn encode_alpha(block: &Block) -> u64 {
    let alpha = || block.iter().map(|pixel| pixel[3]);
    let (low, high) = (alpha().min().unwrap_or(0), alpha().max().unwrap_or(0));
    let between = || alpha().filter(|a| !matches!(a, 0 | 255));
    // Eight steps from the highest to the lowest; or six, with 0 and 255 added.
    let inner = (between().min().unwrap_or(0), between().max().unwrap_or(0));
    let candidate = |(first, second): (u8, u8)| {
        let values = alphas(first, second);
        let mut error = 0;
        let mut word = u64::from(first) | u64::from(second) << 8;
        for (i, a) in alpha().enumerate() {
            let (index, far) = nearest(&values, |v| (i32::from(*v) - i32::from(a)).pow(2));
            word |= index << (16 + 3 * i);
            error += far;
        }
        (error, word)
    };
    let (eight, six) = (candidate((high, low)), candidate(inner));
    if six.0 < eight.0 { six.1 } else { eight.1 }
}

/// How far two colours are from each other.
fn far(a: &Color, b: &Color) -> i32 {
    a.iter().zip(b).map(|(a, b)| (a - b).pow(2)).sum()
}

fn encode_color(block: &Block, has_clear: bool) -> u64 {
    let is_clear = |pixel: &Rgba| has_clear && pixel[3] < 128;
    let color = |pixel: &Rgba| [pixel[0], pixel[1], pixel[2]].map(i32::from);
    let solid: Vec<Color> = block
        .iter()
        .filter(|pixel| !is_clear(pixel))
        .map(color)
        .collect();
    let three = solid.len() < 16;
    // Two colours with an index for each pixel, and the error.
    let candidate = |(a, b): (u16, u16)| {
        // With four colours the first word is the larger one; in a block of one colour only it is
        // used.
        let (first, second) = if (a > b) == three { (b, a) } else { (a, b) };
        let values = colors(first, second, three || has_clear && first == second);
        let usable = values.within(..if three || first == second { 3 } else { 4 });
        let mut word = u64::from(first) | u64::from(second) << 16;
        let mut error = 0;
        for (i, pixel) in block.iter().enumerate() {
            let (index, distance) = if is_clear(pixel) {
                (3, 0)
            } else {
                nearest(usable, |value| far(value, &color(pixel)))
            };
            word |= index << (32 + 2 * i);
            error += distance;
        }
        (error, word)
    };
    let mut best = candidate(ends(&solid));
    // Ends that fit the chosen indices better.
    for _ in 0..3 {
        let next = candidate(refit(&solid, best.1, three));
        if next.0 >= best.0 {
            break;
        }
        best = next;
    }
    best.1
}

/// The ends of the line through the colours.
fn ends(colors: &[Color]) -> (u16, u16) {
    let n = i32::try_from(colors.len()).unwrap_or(1).max(1);
    let mut mean = [0; 3];
    colors
        .iter()
        .for_each(|color| mean.iter_mut().zip(color).for_each(|(sum, v)| *sum += v));
    let mean = mean.map(|sum| sum / n);
    let centred = || {
        colors
            .iter()
            .map(|[r, g, b]| [r - mean[0], g - mean[1], b - mean[2]])
    };
    let dot =
        |a: &Color, b: &[i64; 3]| a.iter().zip(b).map(|(a, b)| i64::from(*a) * b).sum::<i64>();
    // The direction in which the colours differ most: power iteration, scaled to stay small.
    let mut axis = centred()
        .max_by_key(|color| far(color, &[0; 3]))
        .unwrap_or_default()
        .map(i64::from);
    for _ in 0..4 {
        let mut next = [0i64; 3];
        for color in centred() {
            let along = dot(&color, &axis);
            next.iter_mut()
                .zip(color)
                .for_each(|(sum, v)| *sum += along * i64::from(v));
        }
        let largest = next.iter().map(|v| v.abs()).max().unwrap_or(0);
        if largest == 0 {
            break;
        }
        axis = next.map(|v| v * 4096 / largest);
    }
    let along = |color: &&Color| {
        let centred = [color[0] - mean[0], color[1] - mean[1], color[2] - mean[2]];
        dot(&centred, &axis)
    };
    let end = |color: Option<&Color>| quantise(color.copied().unwrap_or_default());
    (
        end(colors.iter().max_by_key(along)),
        end(colors.iter().min_by_key(along)),
    )
}

/// The two colours with the least error for the indices of a block: least squares.
fn refit(solid: &[Color], word: u64, three: bool) -> (u16, u16) {
    // The share of the first colour, in sixths.
    let shares = if three { [6, 0, 3, 0] } else { [6, 0, 4, 2] };
    let indices = (0..16)
        .map(|i| (word >> (32 + 2 * i) & 3) as usize)
        .filter(|i| !three || *i != 3);
    let (mut aa, mut ab, mut bb) = (0i64, 0i64, 0i64);
    let (mut at, mut bt) = ([0i64; 3], [0i64; 3]);
    for (color, index) in solid.iter().zip(indices) {
        let a: i64 = shares.get(index).copied().unwrap_or(0);
        let b = 6 - a;
        (aa, ab, bb) = (aa + a * a, ab + a * b, bb + b * b);
        for ((at, bt), v) in at.iter_mut().zip(&mut bt).zip(color) {
            *at += a * i64::from(*v);
            *bt += b * i64::from(*v);
        }
    }
    let determinant = aa * bb - ab * ab;
    if determinant == 0 {
        return (word as u16, (word >> 16) as u16);
    }
    let solve = |x: i64, y: i64, own: i64| (6 * (x * own - y * ab) / determinant) as i32;
    let (mut first, mut second) = ([0; 3], [0; 3]);
    for ((first, second), (x, y)) in first
        .iter_mut()
        .zip(&mut second)
        .zip(at.into_iter().zip(bt))
    {
        (*first, *second) = (solve(x, y, bb), solve(y, x, aa));
    }
    (quantise(first), quantise(second))
}
