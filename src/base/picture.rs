//! PNG reading and writing: raw samples, no colour management, palettes preserved (FORMAT.md).

use crate::wire::{Error, Result};
use png::{BitDepth, ColorType};
use std::io::Cursor;
use zune_jpeg::{
    JpegDecoder,
    zune_core::{colorspace::ColorSpace, options::DecoderOptions},
};

/// A picture as in a PNG, with samples of 8 bits.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The pixels, row by row from the top left.
    pub pixels: Pixels,
}

/// Pixels, row by row from the top.
#[derive(Clone, PartialEq, Debug)]
pub enum Pixels {
    /// One index per pixel, the palette, and the alpha of the first palette entries (the others are
    /// opaque).
    Indexed {
        /// For each pixel its position in the palette.
        indices: Vec<u8>,
        /// The colours: red, green, blue.
        palette: Vec<[u8; 3]>,
        /// Alpha of the first colours.
        alpha: Vec<u8>,
    },
    /// One brightness per pixel.
    Grey(Vec<u8>),
    /// Red, green, blue.
    Rgb(Vec<u8>),
    /// Red, green, blue, alpha.
    Rgba(Vec<u8>),
}

impl Pixels {
    /// Red, green, blue and alpha of `n` pixels from `from` on. Colours that a palette lacks are
    /// black.
    pub fn colours(&self, from: usize, n: usize) -> Box<dyn Iterator<Item = [u8; 4]> + '_> {
        match self {
            Pixels::Grey(v) => Box::new(v.iter().skip(from).take(n).map(|v| [*v, *v, *v, 255])),
            Pixels::Rgb(v) => Box::new(
                v.as_chunks()
                    .0
                    .iter()
                    .skip(from)
                    .take(n)
                    .map(|[r, g, b]| [*r, *g, *b, 255]),
            ),
            Pixels::Rgba(v) => Box::new(v.as_chunks().0.iter().skip(from).take(n).copied()),
            Pixels::Indexed {
                indices,
                palette,
                alpha,
            } => Box::new(indices.iter().skip(from).take(n).map(|i| {
                let [r, g, b] = palette.get(usize::from(*i)).copied().unwrap_or_default();
                [r, g, b, alpha.get(usize::from(*i)).copied().unwrap_or(255)]
            })),
        }
    }

    /// Red, green, blue and alpha of all pixels.
    pub fn all(&self) -> Box<dyn Iterator<Item = [u8; 4]> + '_> {
        self.colours(0, usize::MAX)
    }

    /// True if the pixels have an alpha channel, even if all are opaque.
    pub fn has_alpha(&self) -> bool {
        match self {
            Pixels::Rgba(_) => true,
            Pixels::Indexed { alpha, .. } => !alpha.is_empty(),
            _ => false,
        }
    }
}

impl Picture {
    /// Encodes a PNG file. The default is as fast as possible, without compression; `small` takes
    /// time to compress.
    pub fn encode(&self, small: bool) -> Result<Vec<u8>> {
        let (color, samples) = match &self.pixels {
            Pixels::Indexed { indices, .. } => (ColorType::Indexed, indices),
            Pixels::Grey(samples) => (ColorType::Grayscale, samples),
            Pixels::Rgb(samples) => (ColorType::Rgb, samples),
            Pixels::Rgba(samples) => (ColorType::Rgba, samples),
        };
        let mut out = Vec::with_capacity(if small {
            0
        } else {
            samples.len() + samples.len() / 64 + 2048
        });
        let mut encoder = png::Encoder::new(&mut out, self.width, self.height);
        encoder.set_color(color);
        encoder.set_depth(BitDepth::Eight);
        // Without compression, a package of 60 MB takes a third of the time of the fastest
        // compression to write, and a fifth to read.
        encoder.set_compression(if small {
            png::Compression::Balanced
        } else {
            png::Compression::NoCompression
        });
        // PNG filters subtract neighbouring samples, which makes palette indices harder to
        // compress.
        let filter = if small && color != ColorType::Indexed {
            png::Filter::Adaptive
        } else {
            png::Filter::NoFilter
        };
        encoder.set_filter(filter);
        if let Pixels::Indexed { palette, alpha, .. } = &self.pixels {
            encoder.set_palette(palette.as_flattened().to_vec());
            if !alpha.is_empty() {
                encoder.set_trns(alpha.clone());
            }
        }
        let say = |e: png::EncodingError| Error::say(format!("the PNG cannot be written: {e}"));
        let mut writer = encoder.write_header().map_err(say)?;
        writer.write_image_data(samples).map_err(say)?;
        writer.finish().map_err(say)?;
        Ok(out)
    }

    /// Decodes a PNG file of any colour type and depth. Colour-management chunks are ignored.
    pub fn decode(file: &[u8]) -> Result<Self> {
        Self::decode_in(file, Vec::new())
    }

    /// [`Picture::decode`] that reuses the buffer of another picture's samples; its content is
    /// ignored.
    pub fn decode_in(file: &[u8], mut samples: Vec<u8>) -> Result<Self> {
        let mut options = png::DecodeOptions::default();
        options.set_ignore_text_chunk(true);
        options.set_ignore_iccp_chunk(true);
        let mut decoder = png::Decoder::new_with_options(Cursor::new(file), options);
        decoder.set_transformations(png::Transformations::IDENTITY);
        decoder.set_limits(png::Limits { bytes: usize::MAX });
        let say = |e: png::DecodingError| match kind_of(file) {
            Some(kind) => Error::say(format!("this is a {kind}, not a PNG file"))
                .hint("open it in an image editor and save it as PNG"),
            None => Error::say(format!("this is not a complete PNG file: {e}")),
        };
        let mut reader = decoder.read_info().map_err(say)?;
        let info = reader.info();
        let (width, height, color, depth) =
            (info.width, info.height, info.color_type, info.bit_depth);
        if width > 65535 || height > 65535 {
            return Err(Error::say(format!(
                "the picture has {width} × {height} pixels (a texture has at most 65535 × 65535)"
            )));
        }
        let interlaced = info.interlaced;
        let trns = info.trns.as_deref().unwrap_or_default().to_vec();
        let palette = info
            .palette
            .as_deref()
            .unwrap_or_default()
            .as_chunks()
            .0
            .to_vec();
        // The transparent colour, in samples of the file's depth.
        let clear: Vec<u16> = trns
            .chunks_exact(2)
            .map(|b| u16::from_be_bytes(b.first_chunk().copied().unwrap_or_default()))
            .collect();
        let keyed = color != ColorType::Indexed && !clear.is_empty();
        let row = Row {
            color,
            depth,
            keyed: keyed.then_some(clear),
            samples: width as usize * color.samples(),
        };
        let wide = u64::from(width) * u64::from(height) * row.width();
        if wide > FREELY.max(file.len() as u64 * DEFLATE) {
            return Err(too_few(file, width, height));
        }
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            return Err(Error::say(format!(
                "{width} × {height} pixels are more than a package of 4 GiB can hold"
            )));
        }
        let packed = reader.output_buffer_size().unwrap_or(usize::MAX);
        let room = |samples: &mut Vec<u8>, size: usize| {
            let more = size.saturating_sub(samples.len());
            samples.try_reserve_exact(more).map_err(|_| {
                Error::say(format!(
                    "no memory for a picture of {width} × {height} pixels"
                ))
            })
        };
        let fits = |w: u32, h: u32| match (w, h) == (width, height) {
            true => Ok(()),
            false => Err(Error::say(
                "the PNG is an animation whose first frame is not the whole picture",
            )),
        };
        if depth == BitDepth::Eight && !keyed && color != ColorType::GrayscaleAlpha {
            // For interlaced pictures the decoder writes into existing pixels; otherwise it
            // replaces them.
            if interlaced {
                samples.clear();
            }
            room(&mut samples, packed)?;
            samples.resize(packed, 0);
            let frame = reader.next_frame(&mut samples).map_err(say)?;
            fits(frame.width, frame.height)?;
            samples.truncate(frame.buffer_size());
        } else {
            samples.clear();
            room(&mut samples, usize::try_from(wide).unwrap_or(usize::MAX))?;
            if interlaced {
                let mut narrow = Vec::new();
                room(&mut narrow, packed)?;
                narrow.resize(packed, 0);
                let frame = reader.next_frame(&mut narrow).map_err(say)?;
                fits(frame.width, frame.height)?;
                narrow
                    .chunks_exact(frame.line_size.max(1))
                    .for_each(|line| row.widen(line, &mut samples));
            } else {
                // Row by row, so that the narrow and the wide samples are not in memory together.
                let line = reader.output_line_size(width);
                let mut rows = 0;
                while let Some(next) = reader.next_row().map_err(say)? {
                    fits(
                        if line == Some(next.data().len()) {
                            width
                        } else {
                            0
                        },
                        height,
                    )?;
                    row.widen(next.data(), &mut samples);
                    rows += 1;
                }
                fits(width, rows)?;
            }
        }
        let pixels = match color {
            _ if keyed => Pixels::Rgba(samples),
            ColorType::Indexed => Pixels::Indexed {
                indices: samples,
                palette,
                alpha: trns,
            },
            ColorType::Grayscale => Pixels::Grey(samples),
            ColorType::Rgb => Pixels::Rgb(samples),
            ColorType::Rgba | ColorType::GrayscaleAlpha => Pixels::Rgba(samples),
        };
        Ok(Picture {
            width,
            height,
            pixels,
        })
    }

    /// True for the first bytes of a PNG or JPEG file.
    pub fn is_one(file: &[u8]) -> bool {
        file.starts_with(b"\x89PNG\r\n") || file.starts_with(b"\xff\xd8\xff")
    }

    /// Decodes a file of any supported kind: PNG as [`Picture::decode`] does, or JPEG.
    pub fn decode_any(file: &[u8]) -> Result<Self> {
        if file.starts_with(b"\xff\xd8\xff") {
            jpeg(file)
        } else {
            Self::decode(file)
        }
    }

    /// Returns the buffer of its samples, for another picture.
    pub fn into_scratch(self) -> Vec<u8> {
        match self.pixels {
            Pixels::Indexed { indices: room, .. }
            | Pixels::Grey(room)
            | Pixels::Rgb(room)
            | Pixels::Rgba(room) => room,
        }
    }
}

fn too_few(file: &[u8], width: impl std::fmt::Display, height: impl std::fmt::Display) -> Error {
    Error::say(format!(
        "the file has only {} bytes for {width} × {height} pixels",
        file.len()
    ))
}

/// Decodes a JPEG file to red, green, blue.
fn jpeg(file: &[u8]) -> Result<Picture> {
    let say = |e: zune_jpeg::errors::DecodeErrors| {
        Error::say(format!("this is not a complete JPEG file: {e}"))
            .hint("open it in an image editor and save it as PNG")
    };
    // For a truncated file the decoder would return a picture with a grey rest.
    if !ends(file) {
        return Err(Error::say(
            "this is not a complete JPEG file: its end is missing",
        ));
    }
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(65535)
        .set_max_height(65535);
    let mut decoder = JpegDecoder::new_with_options(
        Cursor::new(file),
        options.jpeg_set_out_colorspace(ColorSpace::RGB),
    );
    decoder.decode_headers().map_err(say)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    let size = (width as u64)
        .saturating_mul(height as u64)
        .saturating_mul(3);
    // A block of 8 × 8 pixels takes at least a few bits, so the limit for deflate works here, too.
    if size > FREELY.max((file.len() as u64).saturating_mul(DEFLATE)) {
        return Err(too_few(file, width, height));
    }
    let samples = decoder.decode().map_err(say)?;
    if samples.len() as u64 != size {
        return Err(
            Error::say("this JPEG file does not give red, green and blue").hint("save it as PNG"),
        );
    }
    let side =
        |n: usize| u32::try_from(n).map_err(|_| Error::say(format!("{n} pixels are too many")));
    Ok(Picture {
        width: side(width)?,
        height: side(height)?,
        pixels: Pixels::Rgb(samples),
    })
}

/// True if the end marker follows the image data; anything may follow it.
fn ends(jpeg: &[u8]) -> bool {
    let mut at = 2usize;
    loop {
        let (Some(0xff), Some(marker)) = (jpeg.get(at), jpeg.get(at.saturating_add(1))) else {
            return false;
        };
        at = match marker {
            0xff => at.saturating_add(1),
            // The image data: an 0xff byte there starts a marker only for this one and for restart
            // markers.
            0xda => {
                return memchr::memmem::find(jpeg.get(at..).unwrap_or_default(), &[0xff, 0xd9])
                    .is_some();
            }
            0x01 | 0xd0..=0xd7 => at.saturating_add(2),
            _ => {
                let length = jpeg
                    .get(at.saturating_add(2)..)
                    .and_then(|rest| rest.first_chunk())
                    .map(|b| u16::from_be_bytes(*b));
                at.saturating_add(2)
                    .saturating_add(usize::from(length.unwrap_or_default()))
            }
        };
    }
}

/// Maximum number of pixels: a package has 32-bit positions, and most kinds of images use two bytes
/// per pixel.
const MOST_PIXELS: u64 = (u32::MAX as u64 - (1 << 16)) / 2;

/// Maximum number of bytes that deflate makes of one byte.
const DEFLATE: u64 = 1032;

/// Size of samples in bytes that any file may have, however small: a mask of 8192 × 8192 pixels, or
/// 4096 × 4096 RGBA. Narrow samples are widened, so a flat picture of few bits can exceed the limit
/// for its file size.
const FREELY: u64 = 1 << 26;

/// Converts the rows of a PNG to samples of 8 bits.
struct Row {
    color: ColorType,
    depth: BitDepth,
    /// The transparent colour (`tRNS`), compared at the file's own depth.
    keyed: Option<Vec<u16>>,
    /// Samples per row of the file.
    samples: usize,
}

impl Row {
    /// Bytes per pixel.
    fn width(&self) -> u64 {
        match self.color {
            _ if self.keyed.is_some() => 4,
            ColorType::Indexed | ColorType::Grayscale => 1,
            ColorType::Rgb => 3,
            ColorType::Rgba | ColorType::GrayscaleAlpha => 4,
        }
    }

    /// Appends a row.
    fn widen(&self, line: &[u8], out: &mut Vec<u8>) {
        let eight = |value: u16| to_eight(value, self.depth);
        let values = unpack(line, self.samples, self.depth);
        if let Some(clear) = &self.keyed {
            let values: Vec<u16> = values.collect();
            for pixel in values.chunks_exact(self.color.samples().max(1)) {
                let alpha = if clear.get(..pixel.len()) == Some(pixel) {
                    0
                } else {
                    255
                };
                match pixel {
                    [r, g, b] => out.extend([eight(*r), eight(*g), eight(*b), alpha]),
                    _ => out.extend(
                        [eight(pixel.first().copied().unwrap_or(0)); 3]
                            .into_iter()
                            .chain([alpha]),
                    ),
                }
            }
            return;
        }
        match self.color {
            ColorType::Indexed => out.extend(values.map(|v| v as u8)),
            ColorType::GrayscaleAlpha => {
                let values: Vec<u8> = values.map(eight).collect();
                out.extend(
                    values
                        .as_chunks()
                        .0
                        .iter()
                        .flat_map(|[v, a]| [*v, *v, *v, *a]),
                );
            }
            _ => out.extend(values.map(eight)),
        }
    }
}

/// The kind of a file that is not a PNG, by its first bytes.
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
        _ => starts
            .into_iter()
            .find(|(start, _)| file.starts_with(start))
            .map(|(_, kind)| kind),
    }
}

/// The samples of a row, of any depth.
fn unpack(bytes: &[u8], row: usize, depth: BitDepth) -> impl Iterator<Item = u16> {
    let bits = depth as usize;
    (0..row).map(move |i| match bits {
        16 => u16::from_be_bytes([
            bytes.get(2 * i).copied().unwrap_or(0),
            bytes.get(2 * i + 1).copied().unwrap_or(0),
        ]),
        8 => bytes.get(i).copied().unwrap_or(0).into(),
        _ => {
            let byte = bytes.get(i * bits / 8).copied().unwrap_or(0);
            (u16::from(byte) >> (8 - bits - i * bits % 8)) & ((1 << bits) - 1)
        }
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

    /// 8 × 8 pixels of one bit, interlaced; written with Python's zlib.
    const INTERLACED: &str = "89504e470d0a1a0a0000000d49484452000000080000000801000000019b73b3b0000000\
        1e4944415478da6360606860000110a9c090c0f081e102905461f004f255003aeb04323d\
        7dc67a0000000049454e44ae426082";

    #[test]
    fn a_reused_buffer_leaves_no_trace() {
        let digits = INTERLACED.as_bytes().as_chunks::<2>().0;
        let file: Vec<u8> = digits
            .iter()
            .map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap())
            .collect();
        let rows = [
            "00011100", "00100100", "01010101", "01001001", "01110001", "00000000", "00011100",
            "00100100",
        ];
        let pixels = rows
            .concat()
            .bytes()
            .map(|b| if b == b'1' { 255 } else { 0 })
            .collect();
        let expected = Picture {
            width: 8,
            height: 8,
            pixels: Pixels::Grey(pixels),
        };
        assert_eq!(Picture::decode(&file).unwrap(), expected);
        assert_eq!(
            Picture::decode_in(&file, vec![0xff; 1000]).unwrap(),
            expected
        );
        let eight = Picture {
            width: 3,
            height: 2,
            pixels: Pixels::Rgb((1..=18).collect()),
        };
        for small in [false, true] {
            assert_eq!(
                Picture::decode_in(&eight.encode(small).unwrap(), vec![0xff; 1000]).unwrap(),
                eight
            );
        }
    }
    /// A flat picture with one bit per pixel, as small as deflate makes it.
    fn flat(width: u32, height: u32) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, width, height);
        encoder.set_color(ColorType::Grayscale);
        encoder.set_depth(BitDepth::One);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().unwrap();
        let row = vec![0xff; width.div_ceil(8) as usize];
        let mut rows = writer.stream_writer().unwrap();
        (0..height).for_each(|_| std::io::Write::write_all(&mut rows, &row).unwrap());
        rows.finish().unwrap();
        writer.finish().unwrap();
        out
    }

    #[test]
    fn a_small_file_cannot_claim_many_pixels() {
        let mask = flat(3001, 2000);
        assert!(mask.len() < 3000, "{}", mask.len());
        let expected = Picture {
            width: 3001,
            height: 2000,
            pixels: Pixels::Grey(vec![255; 3001 * 2000]),
        };
        assert!(Picture::decode(&mask).unwrap() == expected);
        let bomb = flat(9000, 9000);
        let e = Picture::decode(&bomb).unwrap_err().to_string();
        assert!(e.contains("bytes for 9000 × 9000"), "{e}");
        // The size alone decides: no pixel is decoded.
        let mut huge = flat(8, 8);
        huge.get_mut(16..24)
            .unwrap()
            .copy_from_slice(&[0, 0, 255, 255, 0, 0, 255, 255]);
        let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&huge[12..29]);
        huge.get_mut(29..33)
            .unwrap()
            .copy_from_slice(&crc.to_be_bytes());
        let e = Picture::decode(&huge).unwrap_err().to_string();
        assert!(e.contains("bytes for 65535 × 65535"), "{e}");
        huge.resize(5_000_000, 0);
        let e = Picture::decode(&huge).unwrap_err().to_string();
        assert!(e.contains("65535 × 65535") && e.contains("package"), "{e}");
    }
}
