//! PNG in and out: raw samples, no colour management, palettes as they are (textures.md, sections 6.3 and 6.4).

use crate::wire::{Error, Result};
use png::{BitDepth, ColorType};
use std::io::Cursor;

/// A picture as a PNG holds it, with samples of 8 bits.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// What the pixels are.
    pub pixels: Pixels,
}

/// Pixels, row by row from the top.
#[derive(Clone, PartialEq, Debug)]
pub enum Pixels {
    /// One index a pixel, the palette, and the first palette entries' alpha (the others are opaque).
    Indexed {
        /// One a pixel.
        indices: Vec<u8>,
        /// Colours.
        palette: Vec<[u8; 3]>,
        /// Alpha of the first colours.
        alpha: Vec<u8>,
    },
    /// One brightness a pixel.
    Grey(Vec<u8>),
    /// Red, green, blue.
    Rgb(Vec<u8>),
    /// Red, green, blue, alpha.
    Rgba(Vec<u8>),
}

impl Picture {
    /// As a PNG file. By default as fast as possible, which is without compression; `small` takes time for size.
    pub fn encode(&self, small: bool) -> Result<Vec<u8>> {
        let (color, samples) = match &self.pixels {
            Pixels::Indexed { indices, .. } => (ColorType::Indexed, indices),
            Pixels::Grey(samples) => (ColorType::Grayscale, samples),
            Pixels::Rgb(samples) => (ColorType::Rgb, samples),
            Pixels::Rgba(samples) => (ColorType::Rgba, samples),
        };
        let mut out = Vec::with_capacity(if small { 0 } else { samples.len() + samples.len() / 64 + 2048 });
        let mut encoder = png::Encoder::new(&mut out, self.width, self.height);
        encoder.set_color(color);
        encoder.set_depth(BitDepth::Eight);
        // Not compressed at all, a package of 60 MB takes a third of the time of the fastest compression, and a fifth to read.
        encoder.set_compression(if small { png::Compression::Balanced } else { png::Compression::NoCompression });
        // Filters spoil indices, which are no amounts.
        let filter = if small && color != ColorType::Indexed { png::Filter::Adaptive } else { png::Filter::NoFilter };
        encoder.set_filter(filter);
        if let Pixels::Indexed { palette, .. } = &self.pixels {
            encoder.set_palette(palette.as_flattened().to_vec());
        }
        let say = |e: png::EncodingError| Error::say(format!("the PNG cannot be written: {e}"));
        let mut writer = encoder.write_header().map_err(say)?;
        writer.write_image_data(samples).map_err(say)?;
        writer.finish().map_err(say)?;
        Ok(out)
    }

    /// From a PNG file of any colour type and depth. Colour-management chunks are ignored: samples are what counts.
    pub fn decode(file: &[u8]) -> Result<Self> {
        Self::decode_in(file, Vec::new())
    }

    /// [`Picture::decode`] that uses the room of another picture's samples again, whatever is in it.
    pub fn decode_in(file: &[u8], mut samples: Vec<u8>) -> Result<Self> {
        let mut options = png::DecodeOptions::default();
        options.set_ignore_text_chunk(true);
        options.set_ignore_iccp_chunk(true);
        let mut decoder = png::Decoder::new_with_options(Cursor::new(file), options);
        decoder.set_transformations(png::Transformations::IDENTITY);
        decoder.set_limits(png::Limits { bytes: usize::MAX });
        let say = |e: png::DecodingError| match kind_of(file) {
            Some(kind) => {
                Error::say(format!("this is a {kind}, not a PNG file")).hint("open it in a program for pictures and save it as PNG")
            }
            None => Error::say(format!("this is not a whole PNG file: {e}")),
        };
        let mut reader = decoder.read_info().map_err(say)?;
        let (width, height) = (reader.info().width, reader.info().height);
        if width > 65535 || height > 65535 {
            return Err(Error::say(format!("the picture has {width} × {height} pixels, a texture at most 65535 × 65535")));
        }
        let size = reader.output_buffer_size().unwrap_or(usize::MAX);
        // Deflate makes at most 1032 bytes of one.
        if size as u64 > file.len() as u64 * 1032 {
            return Err(Error::say(format!("the file has {} bytes, too few for {width} × {height} pixels", file.len())));
        }
        // The decoder lays the bits of interlaced pixels over what is there; other rows replace it.
        if reader.info().interlaced || reader.info().bit_depth != BitDepth::Eight {
            samples.clear();
        }
        samples
            .try_reserve_exact(size.saturating_sub(samples.len()))
            .map_err(|_| Error::say(format!("no memory for a picture of {width} × {height} pixels")))?;
        samples.resize(size, 0);
        let frame = reader.next_frame(&mut samples).map_err(say)?;
        samples.truncate(frame.buffer_size());
        if (frame.width, frame.height) != (width, height) {
            return Err(Error::say("the PNG is an animation whose first frame is not the whole picture"));
        }
        let info = reader.info();
        let trns = info.trns.as_deref().unwrap_or_default();
        let depth = frame.bit_depth;
        let row = width as usize * frame.color_type.samples();
        // The colour that is transparent, in samples of the file's depth.
        let clear: Vec<u16> = trns.chunks_exact(2).map(|b| u16::from_be_bytes(b.first_chunk().copied().unwrap_or_default())).collect();
        let keyed = frame.color_type != ColorType::Indexed && !clear.is_empty();
        if keyed {
            return Ok(Picture { width, height, pixels: Self::keyed(&samples, frame.line_size, row, frame.color_type, depth, &clear) });
        }
        let samples = match depth {
            BitDepth::Eight => samples,
            _ if frame.color_type == ColorType::Indexed => unpack(&samples, frame.line_size, row, depth).map(|v| v as u8).collect(),
            _ => unpack(&samples, frame.line_size, row, depth).map(|v| to_eight(v, depth)).collect(),
        };
        let pixels = match frame.color_type {
            ColorType::Indexed => Pixels::Indexed {
                indices: samples,
                palette: info.palette.as_deref().unwrap_or_default().as_chunks().0.to_vec(),
                alpha: trns.to_vec(),
            },
            ColorType::Grayscale => Pixels::Grey(samples),
            ColorType::Rgb => Pixels::Rgb(samples),
            ColorType::Rgba => Pixels::Rgba(samples),
            ColorType::GrayscaleAlpha => Pixels::Rgba(samples.as_chunks().0.iter().flat_map(|[v, a]| [*v, *v, *v, *a]).collect()),
        };
        Ok(Picture { width, height, pixels })
    }

    /// The room of its samples, for another picture.
    pub fn into_room(self) -> Vec<u8> {
        match self.pixels {
            Pixels::Indexed { indices: room, .. } | Pixels::Grey(room) | Pixels::Rgb(room) | Pixels::Rgba(room) => room,
        }
    }

    /// Pixels of a picture one colour of which is transparent (`tRNS`), compared at the file's own depth.
    fn keyed(samples: &[u8], line: usize, row: usize, color: ColorType, depth: BitDepth, clear: &[u16]) -> Pixels {
        let values: Vec<u16> = unpack(samples, line, row, depth).collect();
        let mut out = Vec::with_capacity(values.len() / color.samples().max(1) * 4);
        for pixel in values.chunks_exact(color.samples().max(1)) {
            let alpha = if clear.get(..pixel.len()) == Some(pixel) { 0 } else { 255 };
            match pixel {
                [r, g, b] => out.extend([to_eight(*r, depth), to_eight(*g, depth), to_eight(*b, depth), alpha]),
                _ => out.extend([to_eight(pixel.first().copied().unwrap_or(0), depth); 3].into_iter().chain([alpha])),
            }
        }
        Pixels::Rgba(out)
    }
}

/// What a file is that is no PNG, by its first bytes.
fn kind_of(file: &[u8]) -> Option<&'static str> {
    let starts: [(&[u8], &str); 9] = [
        (b"\xff\xd8\xff", "JPEG file"),
        (b"GIF8", "GIF file"),
        (b"BM", "BMP file"),
        (b"II*\0", "TIFF file"),
        (b"MM\0*", "TIFF file"),
        (b"DDS ", "DDS texture"),
        (b"8BPS", "Photoshop file"),
        (b"gimp xcf", "GIMP file"),
        (b"<svg", "SVG drawing"),
    ];
    match (file.get(..4), file.get(8..12)) {
        (Some(b"RIFF"), Some(b"WEBP")) => Some("WebP file"),
        (Some(b"RIFF"), Some(b"WAVE")) => Some("WAV sound"),
        _ => starts.into_iter().find(|(start, _)| file.starts_with(start)).map(|(_, kind)| kind),
    }
}

/// Samples of any depth, row by row; each row begins at a whole byte.
fn unpack(samples: &[u8], line: usize, row: usize, depth: BitDepth) -> impl Iterator<Item = u16> {
    let bits = depth as usize;
    samples.chunks_exact(line.max(1)).flat_map(move |bytes| {
        (0..row).map(move |i| match bits {
            16 => u16::from_be_bytes([bytes.get(2 * i).copied().unwrap_or(0), bytes.get(2 * i + 1).copied().unwrap_or(0)]),
            8 => bytes.get(i).copied().unwrap_or(0).into(),
            _ => {
                let byte = bytes.get(i * bits / 8).copied().unwrap_or(0);
                (u16::from(byte) >> (8 - bits - i * bits % 8)) & ((1 << bits) - 1)
            }
        })
    })
}

/// A sample scaled to 8 bits, rounded to the nearest.
fn to_eight(value: u16, depth: BitDepth) -> u8 {
    let top = (1u32 << (depth as u32)) - 1;
    ((255 * u32::from(value) + top / 2) / top) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 × 8 pixels of one bit, interlaced: written with Python's zlib.
    const INTERLACED: &str = "89504e470d0a1a0a0000000d49484452000000080000000801000000019b73b3b00000001e4944415478da6360606860000110a9c090c0\
             f081e102905461f004f255003aeb04323d7dc67a0000000049454e44ae426082";

    #[test]
    fn a_used_room_leaves_no_trace() {
        let digits = INTERLACED.as_bytes().as_chunks::<2>().0;
        let file: Vec<u8> = digits.iter().map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap()).collect();
        let rows = ["00011100", "00100100", "01010101", "01001001", "01110001", "00000000", "00011100", "00100100"];
        let pixels = rows.concat().bytes().map(|b| if b == b'1' { 255 } else { 0 }).collect();
        let expected = Picture { width: 8, height: 8, pixels: Pixels::Grey(pixels) };
        assert_eq!(Picture::decode(&file).unwrap(), expected);
        assert_eq!(Picture::decode_in(&file, vec![0xff; 1000]).unwrap(), expected);
        let eight = Picture { width: 3, height: 2, pixels: Pixels::Rgb((1..=18).collect()) };
        for small in [false, true] {
            assert_eq!(Picture::decode_in(&eight.encode(small).unwrap(), vec![0xff; 1000]).unwrap(), eight);
        }
    }
}
