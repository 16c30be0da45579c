//! The contact sheet: images with their names, on one or several pictures.

use super::{
    judge::describe,
    look::pixels,
    package::Package,
    picture::{Picture, Pixels},
};
use crate::{game::Game, tree::Sink, wire::Result};

/// Columns and rows of a sheet.
const COLUMNS: usize = 8;
const ROWS: usize = 8;
/// Side in pixels of the square that shows an image.
const SIDE: usize = 128;
/// Margin around the square, in pixels.
const MARGIN: usize = 6;
/// Size of a character cell, in pixels.
const ADVANCE: usize = 6;
const LINE: usize = 9;
/// A cell: the square, three lines of text, the margin.
const WIDE: usize = SIDE + MARGIN;
const HIGH: usize = SIDE + 3 * LINE + MARGIN;
/// Characters that fit under a square.
const CHARS: usize = SIDE / ADVANCE;

const PAPER: [u8; 3] = [32, 32, 36];
const INK: [u8; 3] = [235, 235, 235];
const DIM: [u8; 3] = [150, 150, 160];
/// A checkerboard, shown through transparent pixels.
const CHECKS: [[u8; 3]; 2] = [[96, 96, 96], [144, 144, 144]];

/// Glyphs of 5 × 7 pixels from space to tilde: five columns each, the lowest bit on top.
#[rustfmt::skip]
const FONT: [[u8; 5]; 95] = [
    [0x00,0x00,0x00,0x00,0x00],[0x00,0x00,0x5f,0x00,0x00],[0x00,0x07,0x00,0x07,0x00],[0x14,0x7f,0x14,0x7f,0x14],
    [0x24,0x2a,0x7f,0x2a,0x12],[0x23,0x13,0x08,0x64,0x62],[0x36,0x49,0x56,0x20,0x50],[0x00,0x08,0x07,0x03,0x00],
    [0x00,0x1c,0x22,0x41,0x00],[0x00,0x41,0x22,0x1c,0x00],[0x2a,0x1c,0x7f,0x1c,0x2a],[0x08,0x08,0x3e,0x08,0x08],
    [0x00,0x80,0x70,0x30,0x00],[0x08,0x08,0x08,0x08,0x08],[0x00,0x00,0x60,0x60,0x00],[0x20,0x10,0x08,0x04,0x02],
    [0x3e,0x51,0x49,0x45,0x3e],[0x00,0x42,0x7f,0x40,0x00],[0x72,0x49,0x49,0x49,0x46],[0x21,0x41,0x49,0x4d,0x33],
    [0x18,0x14,0x12,0x7f,0x10],[0x27,0x45,0x45,0x45,0x39],[0x3c,0x4a,0x49,0x49,0x31],[0x41,0x21,0x11,0x09,0x07],
    [0x36,0x49,0x49,0x49,0x36],[0x46,0x49,0x49,0x29,0x1e],[0x00,0x00,0x14,0x00,0x00],[0x00,0x40,0x34,0x00,0x00],
    [0x00,0x08,0x14,0x22,0x41],[0x14,0x14,0x14,0x14,0x14],[0x00,0x41,0x22,0x14,0x08],[0x02,0x01,0x59,0x09,0x06],
    [0x3e,0x41,0x5d,0x59,0x4e],[0x7c,0x12,0x11,0x12,0x7c],[0x7f,0x49,0x49,0x49,0x36],[0x3e,0x41,0x41,0x41,0x22],
    [0x7f,0x41,0x41,0x41,0x3e],[0x7f,0x49,0x49,0x49,0x41],[0x7f,0x09,0x09,0x09,0x01],[0x3e,0x41,0x41,0x51,0x73],
    [0x7f,0x08,0x08,0x08,0x7f],[0x00,0x41,0x7f,0x41,0x00],[0x20,0x40,0x41,0x3f,0x01],[0x7f,0x08,0x14,0x22,0x41],
    [0x7f,0x40,0x40,0x40,0x40],[0x7f,0x02,0x1c,0x02,0x7f],[0x7f,0x04,0x08,0x10,0x7f],[0x3e,0x41,0x41,0x41,0x3e],
    [0x7f,0x09,0x09,0x09,0x06],[0x3e,0x41,0x51,0x21,0x5e],[0x7f,0x09,0x19,0x29,0x46],[0x26,0x49,0x49,0x49,0x32],
    [0x03,0x01,0x7f,0x01,0x03],[0x3f,0x40,0x40,0x40,0x3f],[0x1f,0x20,0x40,0x20,0x1f],[0x3f,0x40,0x38,0x40,0x3f],
    [0x63,0x14,0x08,0x14,0x63],[0x03,0x04,0x78,0x04,0x03],[0x61,0x59,0x49,0x4d,0x43],[0x00,0x7f,0x41,0x41,0x41],
    [0x02,0x04,0x08,0x10,0x20],[0x00,0x41,0x41,0x41,0x7f],[0x04,0x02,0x01,0x02,0x04],[0x40,0x40,0x40,0x40,0x40],
    [0x00,0x03,0x07,0x08,0x00],[0x20,0x54,0x54,0x78,0x40],[0x7f,0x28,0x44,0x44,0x38],[0x38,0x44,0x44,0x44,0x28],
    [0x38,0x44,0x44,0x28,0x7f],[0x38,0x54,0x54,0x54,0x18],[0x00,0x08,0x7e,0x09,0x02],[0x18,0xa4,0xa4,0x9c,0x78],
    [0x7f,0x08,0x04,0x04,0x78],[0x00,0x44,0x7d,0x40,0x00],[0x20,0x40,0x40,0x3d,0x00],[0x7f,0x10,0x28,0x44,0x00],
    [0x00,0x41,0x7f,0x40,0x00],[0x7c,0x04,0x78,0x04,0x78],[0x7c,0x08,0x04,0x04,0x78],[0x38,0x44,0x44,0x44,0x38],
    [0xfc,0x18,0x24,0x24,0x18],[0x18,0x24,0x24,0x18,0xfc],[0x7c,0x08,0x04,0x04,0x08],[0x48,0x54,0x54,0x54,0x24],
    [0x04,0x04,0x3f,0x44,0x24],[0x3c,0x40,0x40,0x20,0x7c],[0x1c,0x20,0x40,0x20,0x1c],[0x3c,0x40,0x30,0x40,0x3c],
    [0x44,0x28,0x10,0x28,0x44],[0x4c,0x90,0x90,0x90,0x7c],[0x44,0x64,0x54,0x4c,0x44],[0x00,0x08,0x36,0x41,0x00],
    [0x00,0x00,0x77,0x00,0x00],[0x00,0x41,0x36,0x08,0x00],[0x02,0x01,0x02,0x04,0x02],
];

/// An image on a sheet.
pub(crate) struct Tile {
    /// Its name.
    pub name: String,
    /// Further lines below it.
    pub lines: [String; 2],
    /// Width and height.
    pub size: [usize; 2],
    /// Red, green, blue and alpha.
    pub pixels: Vec<[u8; 4]>,
}

/// Writes the sheets of a package and returns their names.
pub fn export(package: &Package, game: Option<Game>, out: &dyn Sink) -> Result<Vec<String>> {
    let tile = |i: usize| {
        let image = package
            .images
            .get(i)
            .ok_or_else(|| crate::formats::no_member(i))?;
        let (kind, detail) = describe(image);
        let (size, rest) = detail.split_once(", ").unwrap_or((&detail, ""));
        Ok(Tile {
            name: image.name.text().to_string(),
            lines: [
                format!("{} {kind}", size.replace(" × ", "x")),
                rest.to_owned(),
            ],
            size: [
                usize::from(image.info.width),
                usize::from(image.info.height),
            ],
            pixels: pixels(image, &package.palettes, game)?,
        })
    };
    write(package.images.len(), &tile, out)
}

/// Writes contact sheets of `count` images and returns their names. One image at a time is in
/// memory.
pub(crate) fn write(
    count: usize,
    tile: &dyn Fn(usize) -> Result<Tile>,
    out: &dyn Sink,
) -> Result<Vec<String>> {
    let mut written = Vec::new();
    for from in (0..count).step_by(COLUMNS * ROWS) {
        let path = match count > COLUMNS * ROWS {
            true => format!("contact-{:02}.png", from / (COLUMNS * ROWS) + 1),
            false => "contact.png".to_owned(),
        };
        let to = count.min(from + COLUMNS * ROWS);
        out.put(&path, &sheet(from..to, tile)?.encode(true)?)?;
        written.push(path);
    }
    Ok(written)
}

struct Canvas {
    width: usize,
    pixels: Vec<[u8; 3]>,
}

impl Canvas {
    fn dot(&mut self, x: usize, y: usize, colour: [u8; 3]) {
        if x < self.width
            && let Some(slot) = self.pixels.get_mut(y * self.width + x)
        {
            *slot = colour;
        }
    }

    fn text(&mut self, x: usize, y: usize, text: &str, colour: [u8; 3]) {
        for (i, c) in text.chars().take(CHARS).enumerate() {
            let code = u8::try_from(c).unwrap_or(b'?').wrapping_sub(b' ');
            let glyph = FONT
                .get(usize::from(code))
                .or(FONT.get(usize::from(b'?' - b' ')))
                .copied()
                .unwrap_or_default();
            for (dx, column) in glyph.iter().enumerate() {
                for dy in (0..8).filter(|dy| column >> dy & 1 == 1) {
                    self.dot(x + i * ADVANCE + dx, y + dy, colour);
                }
            }
        }
    }
}

fn sheet(images: std::ops::Range<usize>, tile: &dyn Fn(usize) -> Result<Tile>) -> Result<Picture> {
    let columns = images.len().clamp(1, COLUMNS);
    let rows = images.len().div_ceil(COLUMNS).max(1);
    let (width, height) = (MARGIN + columns * WIDE, MARGIN + rows * HIGH);
    let mut canvas = Canvas {
        width,
        pixels: vec![PAPER; width * height],
    };
    for (i, image) in images.enumerate() {
        let (x, y) = (MARGIN + i % COLUMNS * WIDE, MARGIN + i / COLUMNS * HIGH);
        let tile = tile(image)?;
        show(&mut canvas, x, y, &tile);
        let [size, rest] = &tile.lines;
        canvas.text(x, y + SIDE + 2, &tile.name, INK);
        canvas.text(x, y + SIDE + 2 + LINE, size, DIM);
        canvas.text(x, y + SIDE + 2 + 2 * LINE, rest, DIM);
    }
    let pixels = Pixels::Rgb(canvas.pixels.into_flattened());
    Ok(Picture {
        width: width as u32,
        height: height as u32,
        pixels,
    })
}

/// Draws an image in the square at (x, y): reduced by averaging, or enlarged by a whole factor.
fn show(canvas: &mut Canvas, x: usize, y: usize, tile: &Tile) {
    let Tile {
        size: [w, h],
        pixels,
        ..
    } = tile;
    let (w, h) = (*w, *h);
    let largest = w.max(h);
    if w == 0 || h == 0 {
        return;
    }
    let (out_w, out_h) = match largest {
        0..=SIDE => {
            let zoom = (SIDE / largest).min(4);
            (w * zoom, h * zoom)
        }
        _ => ((w * SIDE / largest).max(1), (h * SIDE / largest).max(1)),
    };
    let (left, top) = (x + (SIDE - out_w) / 2, y + (SIDE - out_h) / 2);
    for oy in 0..out_h {
        for ox in 0..out_w {
            // The source pixels of this one; at most 8 × 8 of them are sampled.
            let (x0, x1) = (ox * w / out_w, ((ox + 1) * w).div_ceil(out_w));
            let (y0, y1) = (oy * h / out_h, ((oy + 1) * h).div_ceil(out_h));
            let (step_x, step_y) = ((x1 - x0).div_ceil(8).max(1), (y1 - y0).div_ceil(8).max(1));
            let mut sum = [0u32; 4];
            for sy in (y0..y1.max(y0 + 1)).step_by(step_y) {
                for sx in (x0..x1.max(x0 + 1)).step_by(step_x) {
                    let [r, g, b, a] = pixels
                        .get(sy * w + sx)
                        .copied()
                        .unwrap_or_default()
                        .map(u32::from);
                    sum = [sum[0] + r * a, sum[1] + g * a, sum[2] + b * a, sum[3] + a];
                }
            }
            let samples = ((y1.max(y0 + 1) - y0).div_ceil(step_y)
                * (x1.max(x0 + 1) - x0).div_ceil(step_x)) as u32;
            let [r, g, b, a] = sum;
            let back = CHECKS[((left + ox) / 8 + (top + oy) / 8) % 2];
            let clear = 255 * samples - a;
            let mix = |c: u32, back: u8| ((c + u32::from(back) * clear) / (255 * samples)) as u8;
            canvas.dot(
                left + ox,
                top + oy,
                [mix(r, back[0]), mix(g, back[1]), mix(b, back[2])],
            );
        }
    }
}
