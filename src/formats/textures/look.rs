//! Images as the games show them: for the contact sheet, and for the textures of exported models.

use super::{
    convert::{self, Rendered},
    package::{Image, Package, RenderFlags},
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

/// An image as the games show it, as pixels.
pub(crate) struct ShownPixels {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green, blue and alpha of each pixel.
    pub pixels: Vec<[u8; 4]>,
    pub transparency: Transparency,
    pub clamps: [bool; 2],
    pub additive: bool,
}

/// The pixels of the image at a position of a package; `None` if there is none, or if it has no pixels.
pub(crate) fn show_pixels(package: &Package, index: usize, game: Option<Game>) -> Option<ShownPixels> {
    let image = package.images.get(index).filter(|image| !image.info.is_empty())?;
    let pixels = pixels(image, &package.palettes, game);
    let mut transparency = Transparency::Opaque;
    for [.., alpha] in &pixels {
        match alpha {
            255 => {}
            0 if transparency != Transparency::Mixed => transparency = Transparency::Holes,
            _ => transparency = Transparency::Mixed,
        }
    }
    let flags = image.info.render_flags;
    let clamps = [RenderFlags::CLAMP_U, RenderFlags::CLAMP_V].map(|bit| flags.has(bit));
    let size = [image.info.width.into(), image.info.height.into()];
    Some(ShownPixels { size, pixels, transparency, clamps, additive: flags.has(RenderFlags::ADDITIVE) })
}

/// The image at a position of a package; `None` if there is none, or if it has no pixels.
pub fn show(package: &Package, index: usize, game: Option<Game>) -> Result<Option<Shown>> {
    let Some(shown) = show_pixels(package, index, game) else { return Ok(None) };
    let ShownPixels { size: [width, height], pixels, transparency, clamps, additive } = shown;
    let pixels = match transparency {
        Transparency::Opaque => Pixels::Rgb(pixels.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect()),
        _ => Pixels::Rgba(pixels.into_flattened()),
    };
    let png = Picture { width, height, pixels }.encode(true)?;
    Ok(Some(Shown { png, transparency, clamps, additive }))
}

/// Red, green, blue and alpha of each pixel of an image as the game shows it.
pub fn pixels(image: &Image, globals: &[[u16; 256]], game: Option<Game>) -> Vec<[u8; 4]> {
    let Rendered { main, plane, .. } = convert::render(image, globals, game);
    let mut out: Vec<[u8; 4]> = main.pixels.all().collect();
    if let Some(Picture { pixels: Pixels::Grey(alphas), .. }) = plane {
        out.iter_mut().zip(alphas).for_each(|([.., alpha], own)| *alpha = own);
    }
    out
}
