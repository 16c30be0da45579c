//! Scales one picture for images of many sizes: in linear light, seamless for images that repeat,
//! with the same result on every machine.

use refit_base::{
    picture::{Picture, Pixels},
    wire::{Error, Items, Result},
};
use resize::{
    Pixel, Type,
    px::{PixelFormat, RGB, RGBA},
};
use std::sync::LazyLock;

/// Linear light, in 65,535ths, of the bytes of an sRGB picture.
static LIGHT: LazyLock<[u16; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| light(byte as f64)));

/// The thresholds between neighbouring bytes: the light of each byte plus one half.
static STEPS: LazyLock<[u16; 255]> =
    LazyLock::new(|| std::array::from_fn(|byte| light(byte as f64 + 0.5)));

/// The transfer function of sRGB. `libm` gives the same bits everywhere.
fn light(byte: f64) -> u16 {
    let shown = byte / 255.0;
    let light = if shown <= 0.04045 {
        shown / 12.92
    } else {
        libm::pow((shown + 0.055) / 1.055, 2.4)
    };
    (light * 65535.0 + 0.5) as u16
}

fn to_light(byte: u8) -> u16 {
    LIGHT.item(usize::from(byte))
}

fn to_byte(light: u16) -> u8 {
    STEPS.partition_point(|step| *step <= light) as u8
}

/// Alpha is linear already.
fn wide(alpha: u8) -> u16 {
    u16::from(alpha) * 257
}

fn narrow(alpha: u16) -> u8 {
    ((u32::from(alpha) + 128) / 257) as u8
}

/// Radius of the filter, in pixels of the smaller of the two pictures.
const REACH: u64 = 2;

/// Limit for a padded picture, in pixels; beyond it, edge pixels are repeated instead.
const MOST: u64 = 1 << 27;

/// Padding for a side that repeats, so that the filter sees its wrapped neighbours: whole pixels
/// both before and after scaling. `(before, after)`.
fn margin(from: u32, to: u32) -> (u32, u32) {
    let common = {
        let (mut a, mut b) = (from, to);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a.max(1)
    };
    let (step, step_to) = (u64::from(from / common), u64::from(to / common));
    let reach = REACH * u64::from(from).div_ceil(u64::from(to).max(1)) + 1;
    let times = reach.div_ceil(step.max(1));
    let whole = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    (whole(step * times), whole(step_to * times))
}

/// A side: its pixels and its padding, in the source and in the result.
#[derive(Clone, Copy)]
struct Side {
    from: u32,
    around: u32,
    to: u32,
    around_to: u32,
}

impl Side {
    fn new(from: u32, to: u32, repeats: bool) -> Self {
        let (around, around_to) = if repeats && from != to {
            margin(from, to)
        } else {
            (0, 0)
        };
        Side {
            from,
            around,
            to,
            around_to,
        }
    }
    fn padded(self) -> u64 {
        u64::from(self.from) + 2 * u64::from(self.around)
    }
    /// For each position of the padded side, the position in the picture.
    fn positions(self) -> Vec<usize> {
        let n = i64::from(self.from).max(1);
        let around = i64::from(self.around);
        (-around..i64::from(self.from) + around)
            .map(|i| i.rem_euclid(n) as usize)
            .collect()
    }
}

/// Limit for a padded picture scaled in one go, in pixels. A larger picture that gets narrower is
/// scaled in bands of rows.
const AT_ONCE: u64 = 1 << 22;

/// The number of rows in a band, at least 1.
fn band(width: u64) -> usize {
    usize::try_from((AT_ONCE >> 2) / width.max(1))
        .unwrap_or(1)
        .max(1)
}

/// Scales pixels with a cubic filter, which needs no sines: those differ between machines. `row`
/// appends the pixels of a row.
fn scale<F: PixelFormat<InputPixel = P, OutputPixel = P> + Copy, P: Copy + Default>(
    format: F,
    row: impl Fn(usize, &mut Vec<P>),
    x: Side,
    y: Side,
) -> Result<Vec<P>> {
    let memory = || Error::say("no memory to scale this picture");
    let say = |e: resize::Error| Error::say(format!("the picture cannot be scaled: {e}"));
    let room = |width: usize, height: usize| -> Result<Vec<P>> {
        let mut out = Vec::new();
        out.try_reserve_exact(width.saturating_mul(height))
            .map_err(|_| memory())?;
        Ok(out)
    };
    let (width, height) = (x.padded() as usize, y.padded() as usize);
    let (to_width, to_height) = (
        (x.to + 2 * x.around_to) as usize,
        (y.to + 2 * y.around_to) as usize,
    );
    let (columns, rows) = (x.positions(), y.positions());
    let mut one = Vec::new();
    let mut padded_row = |at: usize, out: &mut Vec<P>| {
        one.clear();
        row(at, &mut one);
        out.extend(
            columns
                .iter()
                .filter_map(|column| one.get(*column))
                .copied(),
        );
    };
    let whole = x.padded().saturating_mul(y.padded()) <= AT_ONCE;
    let mut padded = room(if whole { width } else { to_width.min(width) }, height)?;
    let mut now = width;
    if whole || to_width >= width {
        rows.iter().for_each(|row| padded_row(*row, &mut padded));
    } else {
        // Horizontally first, in bands, so that the full padded picture is never in memory.
        let mut wide = Vec::new();
        for rows in rows.chunks(band(x.padded())) {
            wide.clear();
            rows.iter().for_each(|row| padded_row(*row, &mut wide));
            let mut narrow = room(to_width, rows.len())?;
            narrow.resize(to_width * rows.len(), P::default());
            let mut resizer = resize::new(
                width,
                rows.len(),
                to_width,
                rows.len(),
                format,
                Type::Catrom,
            )
            .map_err(say)?;
            resizer.resize(&wide, &mut narrow).map_err(say)?;
            padded.extend(narrow);
        }
        now = to_width;
    }
    let mut out = room(to_width, to_height)?;
    out.resize(to_width * to_height, P::default());
    resize::new(now, height, to_width, to_height, format, Type::Catrom)
        .map_err(say)?
        .resize(&padded, &mut out)
        .map_err(say)?;
    if x.around_to == 0 && y.around_to == 0 {
        return Ok(out);
    }
    let inner = |row: &[P]| {
        row.get(x.around_to as usize..)
            .and_then(|r| r.get(..x.to as usize))
            .unwrap_or_default()
            .to_vec()
    };
    Ok(out
        .chunks_exact(to_width.max(1))
        .skip(y.around_to as usize)
        .take(y.to as usize)
        .flat_map(inner)
        .collect())
}

/// Scales the picture to the given size. `clamps` says for each axis (across, down) that edge
/// pixels extend outwards; otherwise the image repeats. A picture of this size is returned
/// unchanged.
///
/// Colours are mixed in linear light, weighted by alpha, so that transparent pixels do not bleed
/// into edges. Invisible pixels keep their hidden colours. If every pixel is either opaque or
/// invisible, so is every pixel of the result.
pub fn fit(picture: &Picture, width: u32, height: u32, clamps: [bool; 2]) -> Result<Picture> {
    if (picture.width, picture.height) == (width, height) {
        return Ok(picture.clone());
    }
    if picture.width == 0 || picture.height == 0 || width == 0 || height == 0 {
        return Err(Error::say("a picture without pixels cannot be scaled"));
    }
    let (across, down) = (
        Side::new(picture.width, width, !clamps[0]),
        Side::new(picture.height, height, !clamps[1]),
    );
    let fits = across.padded() * down.padded() <= MOST;
    let (x, y) = if fits {
        (across, down)
    } else {
        (
            Side::new(picture.width, width, false),
            Side::new(picture.height, height, false),
        )
    };
    // Whether any pixel is not opaque, and whether each is either opaque or invisible.
    let (mut clear, mut hard) = (false, true);
    for [.., a] in picture.pixels.all() {
        clear |= a != 255;
        hard &= matches!(a, 0 | 255);
    }
    let colours = |row: usize| {
        picture
            .pixels
            .colours(row * picture.width as usize, picture.width as usize)
    };
    let pixels_out = if clear {
        let light =
            |[r, g, b, a]: [u8; 4]| RGBA::new(to_light(r), to_light(g), to_light(b), wide(a));
        let row = |at: usize, out: &mut Vec<RGBA<u16>>| out.extend(colours(at).map(light));
        let seen = scale(Pixel::RGBA16P, row, x, y)?;
        let hidden = scale(Pixel::RGBA16, row, x, y)?;
        let one = |(seen, hidden): (RGBA<u16>, RGBA<u16>)| {
            let alpha = match (hard, narrow(seen.a)) {
                (true, 0..128) => 0,
                (true, _) => 255,
                (false, a) => a,
            };
            let colour = if alpha == 0 { hidden } else { seen };
            [
                to_byte(colour.r),
                to_byte(colour.g),
                to_byte(colour.b),
                alpha,
            ]
        };
        Pixels::Rgba(seen.into_iter().zip(hidden).flat_map(one).collect())
    } else {
        let light = |[r, g, b, _]: [u8; 4]| RGB::new(to_light(r), to_light(g), to_light(b));
        let done = scale(
            Pixel::RGB16,
            |at, out: &mut Vec<_>| out.extend(colours(at).map(light)),
            x,
            y,
        )?;
        let done = Pixels::Rgb(
            done.into_iter()
                .flat_map(|c| [to_byte(c.r), to_byte(c.g), to_byte(c.b)])
                .collect(),
        );
        // Keep an explicit alpha channel, even if it is all opaque.
        if picture.pixels.has_alpha() {
            Pixels::Rgba(done.all().flatten().collect())
        } else {
            done
        }
    };
    Ok(Picture {
        width,
        height,
        pixels: pixels_out,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rgb(width: u32, height: u32, pixels: &[[u8; 3]]) -> Picture {
        Picture {
            width,
            height,
            pixels: Pixels::Rgb(pixels.as_flattened().to_vec()),
        }
    }

    #[test]
    fn every_byte_survives_the_conversion_to_light() {
        assert!((0..=255).all(|byte| to_byte(to_light(byte)) == byte));
        assert!((0..=255).all(|alpha| narrow(wide(alpha)) == alpha));
        // Points of the transfer function from IEC 61966-2-1: half of the light is shown as 188.
        assert_eq!(
            (to_byte(32768), to_light(188), to_light(10)),
            (188, 32957, 199)
        );
    }

    #[test]
    fn averages_use_linear_light() {
        // A checkerboard seen from afar: half of the light, which is 188 and not 128.
        let board: Vec<[u8; 3]> = (0..64)
            .map(|i| {
                if (i + i / 8) % 2 == 0 {
                    [0; 3]
                } else {
                    [255; 3]
                }
            })
            .collect();
        let small = fit(&rgb(8, 8, &board), 4, 4, [false; 2]).unwrap();
        assert_eq!(small, rgb(4, 4, &[[188; 3]; 16]));
    }

    #[test]
    fn one_colour_stays_one_colour_at_any_size() {
        for (width, height) in [(1, 1), (3, 5), (16, 8), (7, 64)] {
            let plain = fit(
                &rgb(6, 4, &[[200, 100, 7]; 24]),
                width,
                height,
                [false, true],
            )
            .unwrap();
            assert_eq!(
                plain,
                rgb(
                    width,
                    height,
                    &vec![[200, 100, 7]; (width * height) as usize]
                )
            );
        }
    }

    #[test]
    fn a_large_picture_gives_the_same_result_as_a_small_one() {
        // Stripes two thousand pixels wide, larger than a band. Each pixel of the result is a
        // stripe.
        let stripe = |i: u32| [[250, 10, 30], [20, 240, 60]][(i / 1024 % 2) as usize];
        let row: Vec<[u8; 3]> = (0..4096).map(stripe).collect();
        let large = fit(&rgb(4096, 2048, &row.repeat(2048)), 64, 8, [true; 2]).unwrap();
        let small: Vec<[u8; 3]> = (0..256).map(|i| stripe(i * 16)).collect();
        let small = fit(&rgb(256, 128, &small.repeat(128)), 64, 8, [true; 2]).unwrap();
        let middle = |picture: &Picture| match &picture.pixels {
            Pixels::Rgb(v) => [4, 8, 20, 40, 60].map(|i| v.as_chunks::<3>().0[3 * 64 + i]),
            other => panic!("{other:?}"),
        };
        assert_eq!(middle(&large), middle(&small));
        assert_eq!(middle(&large), [4, 8, 20, 40, 60].map(|i| stripe(i * 64)));
        // A repeating picture is not cut at its edges, and invisible pixels stay invisible.
        let half: Vec<[u8; 4]> = (0..4096)
            .map(|i| {
                if i < 2048 {
                    [255, 0, 0, 255]
                } else {
                    [0, 255, 0, 0]
                }
            })
            .collect();
        let from = Picture {
            width: 4096,
            height: 2048,
            pixels: Pixels::Rgba(half.repeat(2048).into_flattened()),
        };
        let Pixels::Rgba(v) = fit(&from, 8, 8, [false; 2]).unwrap().pixels else {
            panic!()
        };
        assert_eq!(
            (v.as_chunks::<4>().0[2], v.as_chunks::<4>().0[6]),
            ([255, 0, 0, 255], [0, 255, 0, 0])
        );
    }

    #[test]
    fn repeating_images_have_no_seam() {
        // A white column at the left edge brightens the right edge of a repeating image, but not of
        // a clamped one.
        let column: Vec<[u8; 3]> = (0..64)
            .map(|i| if i % 8 == 0 { [255; 3] } else { [0; 3] })
            .collect();
        let right = |clamps| match fit(&rgb(8, 8, &column), 16, 16, clamps).unwrap().pixels {
            Pixels::Rgb(v) => v.as_chunks::<3>().0[15][0],
            other => panic!("{other:?}"),
        };
        assert!(right([false, false]) > 100, "{}", right([false, false]));
        assert_eq!(right([true, false]), 0);
        // Scaling commutes with shifting a repeating picture by half its width.
        let noise: Vec<[u8; 3]> = (0..64u32)
            .map(|i| {
                [
                    (i * 37 % 256) as u8,
                    (i * i % 251) as u8,
                    (i * 91 % 256) as u8,
                ]
            })
            .collect();
        let turned: Vec<[u8; 3]> = (0..64).map(|i| noise[i / 8 * 8 + (i + 4) % 8]).collect();
        let turn = |picture: Picture| match picture.pixels {
            Pixels::Rgb(v) => v
                .chunks(3 * picture.width as usize)
                .flat_map(|row| [&row[row.len() / 2..], &row[..row.len() / 2]].concat())
                .collect::<Vec<u8>>(),
            other => panic!("{other:?}"),
        };
        for to in [4, 2, 16, 6] {
            let whole = fit(&rgb(8, 8, &turned), to, to, [false; 2]).unwrap();
            assert_eq!(
                whole.pixels,
                Pixels::Rgb(turn(fit(&rgb(8, 8, &noise), to, to, [false; 2]).unwrap())),
                "{to}"
            );
        }
    }

    #[test]
    fn invisible_pixels_do_not_bleed() {
        // Red, and invisible green: the edge is only red, and invisible pixels stay green.
        let half: Vec<u8> = (0..64)
            .flat_map(|i| {
                if i % 8 < 4 {
                    [255, 0, 0, 255]
                } else {
                    [0, 255, 0, 0]
                }
            })
            .collect();
        let from = Picture {
            width: 8,
            height: 8,
            pixels: Pixels::Rgba(half),
        };
        let Pixels::Rgba(v) = fit(&from, 4, 4, [true; 2]).unwrap().pixels else {
            panic!()
        };
        let row: Vec<[u8; 4]> = v.as_chunks().0[..4].to_vec();
        assert!(
            row.iter().all(|[r, g, b, a]| if *a == 255 {
                [*r, *g, *b] == [255, 0, 0]
            } else {
                *a == 0
            }),
            "{row:?}"
        );
        assert_eq!(row[3], [0, 255, 0, 0]);
    }
}
