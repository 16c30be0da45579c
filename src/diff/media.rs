//! Describes and compares pictures and sounds.

use refit_base::{
    picture::{Picture as Decoded, Pixels},
    wire::Result,
};
use refit_zipper::sounds;
use std::io::Cursor;

/// A decoded picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The pixel format of the file: `indexed 8`, `rgba 8`.
    pub format: String,
    /// Red, green, blue and alpha of each pixel.
    pub rgba: Vec<u8>,
}

/// Maximum number of pixels to decode. No game has larger pictures.
const MOST: u64 = 1 << 26;

/// Reads a PNG; `None` for anything else.
pub fn picture(file: &[u8]) -> Option<Picture> {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    let info = decoder.read_header_info().ok()?;
    if u64::from(info.width) * u64::from(info.height) > MOST {
        return None;
    }
    let color = match info.color_type {
        png::ColorType::Grayscale => "gray",
        png::ColorType::Rgb => "rgb",
        png::ColorType::Indexed => "indexed",
        png::ColorType::GrayscaleAlpha => "gray and alpha",
        png::ColorType::Rgba => "rgba",
    };
    let format = format!("{color} {}", info.bit_depth as u8);
    let Decoded {
        width,
        height,
        pixels,
    } = Decoded::decode(file).ok()?;
    Some(Picture {
        width,
        height,
        format,
        rgba: pixels.all().flatten().collect(),
    })
}

impl Picture {
    /// `64 × 32, indexed 8`.
    pub fn summary(&self) -> String {
        format!("{} × {}, {}", self.width, self.height, self.format)
    }

    /// Number of pixels that differ, or `None` if the sizes differ.
    pub(crate) fn differing(&self, other: &Picture) -> Option<usize> {
        let same = (self.width, self.height) == (other.width, other.height);
        same.then(|| {
            self.rgba
                .chunks(4)
                .zip(other.rgba.chunks(4))
                .filter(|(a, b)| a != b)
                .count()
        })
    }
}

/// A PNG that shows where two pictures differ: red pixels on a dimmed copy of the old one.
pub fn difference(old: &Picture, new: &Picture) -> Result<Vec<u8>> {
    let (width, height) = (old.width.max(new.width), old.height.max(new.height));
    let at = |picture: &Picture, x: u32, y: u32| -> Option<[u8; 4]> {
        if x >= picture.width || y >= picture.height {
            return None;
        }
        let from = (y as usize * picture.width as usize + x as usize) * 4;
        picture.rgba.get(from..)?.first_chunk().copied()
    };
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 3);
    for y in 0..height {
        for x in 0..width {
            let (was, is) = (at(old, x, y), at(new, x, y));
            if was == is {
                let [r, g, b, _] = was.unwrap_or_default();
                let gray = ((u32::from(r) + u32::from(g) + u32::from(b)) / 6) as u8;
                pixels.extend([gray; 3]);
            } else {
                pixels.extend([255, 0, 0]);
            }
        }
    }
    Decoded {
        width,
        height,
        pixels: Pixels::Rgb(pixels),
    }
    .encode(true)
}

/// A sound's properties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sound {
    /// Its format: `wav`, …
    pub kind: String,
    /// `22050 Hz, 1 channel, 16 bit, 3.20 s`
    pub detail: String,
}

/// Describes a sound; `None` for anything else.
pub fn sound(file: &[u8]) -> Option<Sound> {
    sounds::describe(file).map(|(kind, detail)| Sound {
        kind: kind.into_owned(),
        detail,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(pixels: &[[u8; 3]], width: u32) -> Vec<u8> {
        let height = pixels.len() as u32 / width;
        Decoded {
            width,
            height,
            pixels: Pixels::Rgb(pixels.concat()),
        }
        .encode(true)
        .unwrap()
    }

    #[test]
    fn pictures_are_compared() {
        let a = picture(&one(&[[0, 0, 0], [60, 60, 60], [9, 9, 9], [1, 2, 3]], 2)).unwrap();
        let b = picture(&one(&[[0, 0, 0], [60, 60, 61], [9, 9, 9], [1, 2, 3]], 2)).unwrap();
        assert_eq!(a.summary(), "2 × 2, rgb 8");
        assert_eq!((a.differing(&a), a.differing(&b)), (Some(0), Some(1)));
        let shown = picture(&difference(&a, &b).unwrap()).unwrap();
        assert_eq!(
            shown.rgba,
            [
                [0, 0, 0, 255],
                [255, 0, 0, 255],
                [4, 4, 4, 255],
                [1, 1, 1, 255]
            ]
            .concat()
        );
        let wide = picture(&one(&[[0; 3]; 3], 3)).unwrap();
        assert_eq!(a.differing(&wide), None);
        assert_eq!(
            picture(&difference(&a, &wide).unwrap()).unwrap().summary(),
            "3 × 2, rgb 8"
        );
        assert_eq!(picture(b"no picture"), None);
    }
}
