//! Files made byte by byte, apart from the library's own writers: the expectations of tests, and
//! material of the fixtures of cases.

use serde_json::Value;
use sha1::Digest;

/// A member of an archive: name, payload, flags, comment, FILETIME.
pub type Member<'a> = (&'a str, &'a [u8], u32, &'a [u8], u64);

/// An archive whose payloads follow each other; `ones` stores 1 as every length; a checksum makes
/// it version 2.
pub fn archive(members: &[Member<'_>], ones: bool, checksum: Option<u32>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut table = Vec::new();
    for (name, payload, flags, comment, time) in members {
        table.extend((out.len() as u32).to_le_bytes());
        table.extend(if ones { 1u32 } else { payload.len() as u32 }.to_le_bytes());
        let padded = |text: &[u8]| {
            text.iter()
                .copied()
                .chain(std::iter::repeat(0))
                .take(64)
                .collect::<Vec<u8>>()
        };
        table.extend(padded(name.as_bytes()));
        table.extend(flags.to_le_bytes());
        table.extend(padded(comment));
        table.extend(time.to_le_bytes());
        out.extend_from_slice(payload);
    }
    out.extend(table);
    out.extend(if checksum.is_some() { 2u32 } else { 1 }.to_le_bytes());
    out.extend((members.len() as u32).to_le_bytes());
    out.extend(checksum.map(u32::to_le_bytes).into_iter().flatten());
    out
}

/// A plain member.
pub fn member<'a>(name: &'a str, payload: &'a [u8]) -> Member<'a> {
    (name, payload, 0, b"", 0)
}

/// The checksum of Pirate's Moon, bit by bit.
pub fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0u32, |crc, byte| {
        (0..8).fold(crc ^ (u32::from(*byte) << 24), |crc, _| {
            if crc >> 31 == 1 {
                crc << 1 ^ 0x04c1_1db7
            } else {
                crc << 1
            }
        })
    })
}

/// A reader integer.
pub fn int(n: i32) -> Vec<u8> {
    [1u32.to_le_bytes(), n.to_le_bytes()].concat()
}
/// A reader float.
pub fn float(f: f32) -> Vec<u8> {
    [2u32.to_le_bytes(), f.to_bits().to_le_bytes()].concat()
}
/// A reader string.
pub fn string(s: &str) -> Vec<u8> {
    [
        &3u32.to_le_bytes(),
        &(s.len() as u32).to_le_bytes(),
        s.as_bytes(),
    ]
    .concat()
}
/// A reader list.
pub fn list(items: &[Vec<u8>]) -> Vec<u8> {
    [
        &4u32.to_le_bytes()[..],
        &(items.len() as u32 + 1).to_le_bytes(),
        &items.concat(),
    ]
    .concat()
}

/// The reader value of a JSON value.
pub fn reader_value(value: &Value) -> Option<Vec<u8>> {
    Some(match value {
        Value::Number(n) => n.as_i64().map_or_else(
            || float(n.as_f64().unwrap_or_default() as f32),
            |n| int(n as i32),
        ),
        Value::String(text) => string(text),
        Value::Array(items) => list(&items.iter().map(reader_value).collect::<Option<Vec<_>>>()?),
        _ => return None,
    })
}

/// The reader list of a loose text with a blank between all words.
pub fn reader_words(words: &mut dyn Iterator<Item = &str>) -> Vec<u8> {
    let mut items = Vec::new();
    while let Some(word) = words.next().filter(|word| *word != ")") {
        items.push(match (word, word.parse(), word.parse()) {
            ("(", ..) => reader_words(words),
            (_, Ok(n), _) => int(n),
            (_, _, Ok(f)) => float(f),
            _ => string(word.trim_matches('"')),
        });
    }
    list(&items)
}

/// A WAVE file.
#[derive(Clone, Default)]
pub struct Wave {
    /// Codec, channels, rate, bytes a second, block, bits.
    pub head: (u16, u16, u32, u32, u16, u16),
    /// Further bytes of `fmt `.
    pub more: Vec<u8>,
    /// Cue points: position and offset.
    pub cues: Vec<[u32; 2]>,
    /// The samples.
    pub data: Vec<u8>,
}

impl Wave {
    /// PCM.
    pub fn pcm(channels: u16, rate: u32, bits: u16, data: Vec<u8>) -> Self {
        let block = channels * bits / 8;
        Wave {
            head: (1, channels, rate, rate * u32::from(block), block, bits),
            data,
            ..Wave::default()
        }
    }

    /// The file.
    pub fn file(&self) -> Vec<u8> {
        let (tag, channels, rate, second, block, bits) = self.head;
        let mut format = [tag.to_le_bytes(), channels.to_le_bytes()].concat();
        format.extend([rate.to_le_bytes(), second.to_le_bytes()].concat());
        format.extend([block.to_le_bytes(), bits.to_le_bytes()].concat());
        format.extend(&self.more);
        let mut body = b"WAVE".to_vec();
        let mut chunk = |id: &[u8], bytes: &[u8]| {
            body.extend(id);
            body.extend((bytes.len() as u32).to_le_bytes());
            body.extend(bytes);
            body.resize(body.len().next_multiple_of(2), 0);
        };
        chunk(b"fmt ", &format);
        if !self.cues.is_empty() {
            let mut points = (self.cues.len() as u32).to_le_bytes().to_vec();
            for (id, [position, offset]) in (1u32..).zip(&self.cues) {
                points.extend(
                    [id, *position, u32::from_le_bytes(*b"data"), 0, 0, *offset]
                        .iter()
                        .flat_map(|w| w.to_le_bytes()),
                );
            }
            chunk(b"cue ", &points);
        }
        chunk(b"data", &self.data);
        [&b"RIFF"[..], &(body.len() as u32).to_le_bytes(), &body].concat()
    }
}

/// An image of a texture package.
#[derive(Clone)]
pub struct Image<'a> {
    /// Its name.
    pub name: &'a str,
    /// How it is stored.
    pub flags: u32,
    /// Width and height.
    pub size: (u16, u16),
    /// Colours of its palette.
    pub count: u16,
    /// How it is drawn.
    pub render_flags: u16,
    /// The global palette, or -1.
    pub global: i32,
    /// The bytes after its record: pixels, alpha, palette.
    pub data: Vec<u8>,
}

impl<'a> Image<'a> {
    /// An image of two bytes a pixel, without alpha.
    pub fn plain(name: &'a str, size: (u16, u16), data: Vec<u8>) -> Self {
        Image {
            name,
            flags: 5,
            size,
            count: 0,
            render_flags: 0,
            global: -1,
            data,
        }
    }

    /// Its record and its data.
    pub fn info(&self) -> Vec<u8> {
        let words = [
            self.size.0,
            self.size.1,
            0,
            0,
            self.count,
            self.render_flags,
        ];
        [
            &self.flags.to_le_bytes(),
            &words.map(u16::to_le_bytes).concat()[..],
            &self.data,
        ]
        .concat()
    }
}

/// The head of a texture package.
pub fn package_header(images: usize, palettes: usize) -> Vec<u8> {
    [0u32, 1, palettes as u32, images as u32, 0, 0]
        .map(u32::to_le_bytes)
        .concat()
}

/// An entry of the table of a texture package.
pub fn package_entry(name: &str, start: usize, global: i32) -> Vec<u8> {
    let mut out = name.as_bytes().to_vec();
    out.resize(32, 0);
    [
        out,
        (start as u32).to_le_bytes().to_vec(),
        global.to_le_bytes().to_vec(),
    ]
    .concat()
}

/// A texture package (src/zipper/textures/FORMAT.md): head, table, global palettes, images.
pub fn package(images: &[Image<'_>], palettes: &[Vec<u16>]) -> Vec<u8> {
    let mut out = package_header(images.len(), palettes.len());
    let mut at = 24 + 40 * images.len() + 512 * palettes.len();
    for image in images {
        out.extend(package_entry(image.name, at, image.global));
        at += image.info().len();
    }
    out.extend(
        palettes
            .iter()
            .flatten()
            .flat_map(|word| word.to_le_bytes()),
    );
    images.iter().for_each(|image| out.extend(image.info()));
    out
}

/// A PNG of red, green, blue, and alpha where pixels have four samples.
pub fn png<const N: usize>(width: u32, pixels: &[[u8; N]]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, pixels.len() as u32 / width);
    encoder.set_color(if N == 4 {
        png::ColorType::Rgba
    } else {
        png::ColorType::Rgb
    });
    let mut writer = encoder.write_header().expect("a head");
    writer
        .write_image_data(pixels.as_flattened())
        .expect("the number of pixels that the header states");
    writer.finish().expect("an end");
    out
}

/// A file of a PBO: its name, how it is packed, its unpacked size, its time, and its bytes.
pub type PboFile<'a> = (&'a str, u32, u32, u32, &'a [u8]);

/// A PBO without its trailer (src/bohemia/pbo/FORMAT.md): a start entry with properties, the
/// table, the data.
pub fn pbo(properties: &[(&str, &str)], files: &[PboFile<'_>]) -> Vec<u8> {
    let mut out = b"\0sreV".to_vec();
    out.extend([0; 16]);
    for (key, value) in properties {
        out.extend(format!("{key}\0{value}\0").bytes());
    }
    out.push(0);
    for (name, method, original, time, data) in files {
        out.extend(name.bytes());
        out.push(0);
        out.extend(
            [*method, *original, 0, *time, data.len() as u32]
                .iter()
                .flat_map(|number| number.to_le_bytes()),
        );
    }
    out.extend([0; 21]);
    files.iter().for_each(|file| out.extend(file.4));
    out
}

/// A PBO with its SHA-1.
pub fn hashed(mut pbo: Vec<u8>) -> Vec<u8> {
    let sum = sha1::Sha1::digest(&pbo);
    pbo.push(0);
    pbo.extend(sum);
    pbo
}

/// An AVI file as MechWarrior 3 has them, with its headers alone.
pub fn film() -> Vec<u8> {
    let chunk = |id: &[u8], body: &[u8]| [id, &(body.len() as u32).to_le_bytes(), body].concat();
    let words = |words: &[u32]| {
        words
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let main = chunk(
        b"avih",
        &words(&[66_667, 0, 0, 0x10, 3064, 0, 2, 0, 640, 480, 0, 0, 0, 0]),
    );
    let picture = chunk(
        b"LIST",
        &[
            b"strl".to_vec(),
            chunk(b"strh", &[&b"vidsIV50"[..], &[0; 48]].concat()),
        ]
        .concat(),
    );
    let format = [&[1, 0, 1, 0][..], &22_050u32.to_le_bytes(), &[0; 8]].concat();
    let sound = [
        b"strl".to_vec(),
        chunk(b"strh", &[&b"auds"[..], &[0; 52]].concat()),
        chunk(b"strf", &format),
    ]
    .concat();
    let header = [b"hdrl".to_vec(), main, picture, chunk(b"LIST", &sound)].concat();
    chunk(
        b"RIFF",
        &[
            b"AVI ".to_vec(),
            chunk(b"LIST", &header),
            chunk(b"LIST", b"movi"),
        ]
        .concat(),
    )
}
