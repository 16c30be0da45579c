//! Images as the games show them: for the contact sheet, and for the textures of exported models.

use super::{
    convert::{self, Rendered},
    package::{Image, Package, RenderFlags},
};
use bytes::Bytes;
pub use convert::has_words;
use refit_base::{
    game::Game,
    picture::{Picture, Pixels},
    wire::Result,
};

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
    /// A PNG file: RGB if it is opaque, otherwise RGBA.
    pub png: Vec<u8>,
    /// Its transparency, from the actual pixels.
    pub transparency: Transparency,
    /// True if edge pixels extend outwards, across and down, instead of the image repeating
    /// ([`RenderFlags`]).
    pub clamps: [bool; 2],
    /// True if its colours are added to the background, as for fire and lamps
    /// ([`RenderFlags::ADDITIVE`]). PNG cannot express that.
    pub additive: bool,
}

/// An image as the games show it, as graphics cards take it.
pub struct Texels {
    /// Width and height.
    pub size: [u32; 2],
    /// Words of RGB565 for an image that [`has_words`], otherwise red, green, blue and alpha.
    pub bytes: Bytes,
    /// How transparent it is.
    pub transparency: Transparency,
    /// True for an axis on which it does not repeat: across, down.
    pub clamps: [bool; 2],
    /// True if its colours are added to what is behind it.
    pub additive: bool,
}

/// The transparency of pixels.
fn transparency(pixels: &[[u8; 4]]) -> Transparency {
    let mut found = Transparency::Opaque;
    for [.., alpha] in pixels {
        match alpha {
            255 => {}
            0 if found != Transparency::Mixed => found = Transparency::Holes,
            _ => found = Transparency::Mixed,
        }
    }
    found
}

/// How an image is drawn: its edges, and whether its colours are added.
fn drawn(image: &Image) -> ([bool; 2], bool) {
    let flags = image.info.render_flags;
    (
        [RenderFlags::CLAMP_U, RenderFlags::CLAMP_V].map(|bit| flags.has(bit)),
        flags.has(RenderFlags::ADDITIVE),
    )
}

/// The texels of an image; `None` if it has no pixels.
pub fn texels(image: &Image, globals: &[[u16; 256]], game: Option<Game>) -> Result<Option<Texels>> {
    if image.info.is_empty() {
        return Ok(None);
    }
    let (bytes, transparency) = if has_words(&image.info) {
        (convert::words(image, globals)?, Transparency::Opaque)
    } else {
        let pixels = pixels(image, globals, game)?;
        let transparency = transparency(&pixels);
        (pixels.into_flattened().into(), transparency)
    };
    let (clamps, additive) = drawn(image);
    let size = [image.info.width.into(), image.info.height.into()];
    Ok(Some(Texels {
        size,
        bytes,
        transparency,
        clamps,
        additive,
    }))
}

/// The image at a position of a package; `None` if there is none, or if it has no pixels.
pub fn show(package: &Package, index: usize, game: Option<Game>) -> Result<Option<Shown>> {
    package
        .images
        .get(index)
        .map_or(Ok(None), |image| show_image(image, &package.palettes, game))
}

/// An image; `None` if it has no pixels.
pub fn show_image(
    image: &Image,
    globals: &[[u16; 256]],
    game: Option<Game>,
) -> Result<Option<Shown>> {
    if image.info.is_empty() {
        return Ok(None);
    }
    let pixels = pixels(image, globals, game)?;
    let transparency = transparency(&pixels);
    let (width, height) = (image.info.width.into(), image.info.height.into());
    let pixels = match transparency {
        Transparency::Opaque => Pixels::Rgb(
            pixels
                .iter()
                .flat_map(|[r, g, b, _]| [*r, *g, *b])
                .collect(),
        ),
        _ => Pixels::Rgba(pixels.into_flattened()),
    };
    let png = Picture {
        width,
        height,
        pixels,
    }
    .encode(true)?;
    let (clamps, additive) = drawn(image);
    Ok(Some(Shown {
        png,
        transparency,
        clamps,
        additive,
    }))
}

/// Red, green, blue and alpha of each pixel of an image as the game shows it.
pub fn pixels(image: &Image, globals: &[[u16; 256]], game: Option<Game>) -> Result<Vec<[u8; 4]>> {
    let Rendered { main, plane, .. } = convert::render(image, globals, game)?;
    let mut out: Vec<[u8; 4]> = main.pixels.all().collect();
    if let Some(Picture {
        pixels: Pixels::Grey(alphas),
        ..
    }) = plane
    {
        out.iter_mut()
            .zip(alphas)
            .for_each(|([.., alpha], own)| *alpha = own);
    }
    Ok(out)
}
