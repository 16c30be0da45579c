//! Images as the games show them: for the contact sheet, and for the textures of exported models.

use super::{
    color, convert,
    package::{Image, Package, RenderFlags, flag},
    picture::{Picture, Pixels},
};
use crate::{game::Game, wire::Result};

/// How transparent an image is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transparency {
    /// All pixels are opaque.
    Opaque,
    /// Each pixel is opaque or invisible.
    Holes,
    /// Some pixels are translucent.
    Mixed,
}

/// An image as the games show it.
pub struct Shown {
    /// A PNG file: RGBA if it is not opaque, else RGB.
    pub png: Vec<u8>,
    /// Its transparency, from the actual pixels.
    pub transparency: Transparency,
    /// True if edge pixels extend outwards, across and down, instead of the image repeating ([`RenderFlags`]).
    pub clamps: [bool; 2],
    /// True if its colours are added to the background, as for fire and lamps ([`RenderFlags::ADDITIVE`]). PNG cannot
    /// express that.
    pub additive: bool,
}

/// The image at a position of a package; `None` if there is none, or if it has no pixels.
pub fn show(package: &Package, index: usize, game: Option<Game>) -> Result<Option<Shown>> {
    let Some(image) = package.images.get(index).filter(|image| !image.info.is_empty()) else { return Ok(None) };
    let look = Look::new(image, &package.palettes, game);
    let pixels = (0..image.info.area() as usize).map(|i| look.pixel(i));
    let mut transparency = Transparency::Opaque;
    for [_, _, _, alpha] in pixels.clone() {
        match alpha {
            255 => {}
            0 if transparency != Transparency::Mixed => transparency = Transparency::Holes,
            _ => transparency = Transparency::Mixed,
        }
    }
    let pixels = match transparency {
        Transparency::Opaque => Pixels::Rgb(pixels.flat_map(|[r, g, b, _]| [r, g, b]).collect()),
        _ => Pixels::Rgba(pixels.flatten().collect()),
    };
    let picture = Picture { width: image.info.width.into(), height: image.info.height.into(), pixels };
    let flags = image.info.render_flags;
    let clamps = [RenderFlags::CLAMP_U, RenderFlags::CLAMP_V].map(|bit| flags.has(bit));
    let png = picture.encode(true)?;
    Ok(Some(Shown { png, transparency, clamps, additive: flags.has(RenderFlags::ADDITIVE) }))
}

/// Access to the pixels of an image as the game shows them.
pub struct Look<'a> {
    pixels: &'a [u8],
    plane: &'a [u8],
    table: Vec<[u8; 3]>,
    unit: u64,
    indexed: bool,
    full: bool,
    simple: bool,
    /// Index 0 is transparent.
    keyed: bool,
}

impl<'a> Look<'a> {
    /// Prepares an image.
    pub fn new(image: &'a Image, globals: &[[u16; 256]], game: Option<Game>) -> Self {
        let info = &image.info;
        let [pixels, plane, _] = image.parts();
        let words = convert::shown(info, &image.local_palette(), globals, image.global_palette);
        let keyed = convert::keyed(info, &words, game);
        let table = words.into_iter().map(color::rgb).collect();
        let simple = info.flags.0 & flag::ALPHA == 2 && !info.indexed();
        Look { pixels, plane, table, unit: info.unit(), indexed: info.indexed(), full: info.has_plane(), simple, keyed }
    }

    /// Red, green, blue, alpha of a pixel.
    pub fn pixel(&self, i: usize) -> [u8; 4] {
        let byte = |i: usize| self.pixels.get(i).copied().unwrap_or(0);
        let (rgb, clear) = if self.indexed {
            (self.table.get(usize::from(byte(i))).copied().unwrap_or([255, 0, 255]), self.keyed && byte(i) == 0)
        } else if self.unit == 1 {
            ([byte(i); 3], false)
        } else {
            let word = u16::from_le_bytes([byte(2 * i), byte(2 * i + 1)]);
            (color::rgb(word), self.simple && word == 0)
        };
        let alpha = if self.full {
            self.plane.get(i).copied().unwrap_or(255)
        } else if clear {
            0
        } else {
            255
        };
        let [r, g, b] = rgb;
        [r, g, b, alpha]
    }
}
