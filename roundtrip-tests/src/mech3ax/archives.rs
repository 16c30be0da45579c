//! The other formats that refit makes of folders.

use super::{Reader, Record};
use refit::game::Game;

/// An archive: the payloads follow each other, then the table. Returns the faults and the members.
/// `summed` is for readers: their archives have a checksum in Pirate's Moon.
pub fn archive(bytes: &[u8], game: Game, summed: bool) -> (Vec<String>, Vec<(String, Vec<u8>)>) {
    let is_pm = game == Game::Pm;
    let mut reader = Reader::new(bytes);
    let footer = if is_pm { 12 } else { 8 };
    let foot = Record {
        at: bytes.len() - footer,
        bytes: &bytes[bytes.len() - footer..],
    };
    let (count, is_motion) = (foot.u(4) as usize, is_pm && !summed);
    reader.need(foot.u(0) == if is_pm { 2 } else { 1 }, foot, "version");
    let table = foot.at - 148 * count;
    let entries: Vec<Record<'_>> = (0..count)
        .map(|i| Record {
            at: table + 148 * i,
            bytes: &bytes[table + 148 * i..][..148],
        })
        .collect();
    let mut members = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let (start, end) = (
            entry.u(0) as usize,
            entries.get(i + 1).map_or(table, |next| next.u(0) as usize),
        );
        let size = entry.u(4) as usize;
        reader.need(
            start == reader.at,
            *entry,
            "a payload follows the one before",
        );
        reader.need(
            size > 0 && (start + size == end || is_motion && size == 1),
            *entry,
            "length",
        );
        let name = entry.padded(8, 72);
        reader.need(name.is_some_and(|name| !name.is_empty()), *entry, "name");
        members.push((
            name.unwrap_or_default().to_owned(),
            bytes[start..end].to_vec(),
        ));
        reader.at = end;
    }
    if is_pm {
        let sum = if summed { crc(&bytes[..table]) } else { 0 };
        reader.need(foot.u(8) == sum, foot, "sum");
    }
    reader.at = bytes.len();
    (reader.end(), members)
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32| {
        if crc & 1 << 31 != 0 {
            crc << 1 ^ 0x04C1_1DB7
        } else {
            crc << 1
        }
    };
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte) << 24, |crc, _| step(crc))
    })
}

/// A member of a reader archive: one value.
pub fn reader(bytes: &[u8]) -> Vec<String> {
    fn value(reader: &mut Reader<'_>) {
        let tag = reader.take(4);
        match tag.u(0) {
            1 => drop(reader.words(1)),
            2 => {
                let float = reader.take(4);
                reader.need(float.f(0).is_finite(), float, "number");
            }
            3 => {
                let size = reader.words(1)[0] as usize;
                let text = reader.take(size);
                reader.need(text.bytes.is_ascii(), text, "text");
            }
            4 => {
                let count = reader.words(1)[0];
                reader.need(count > 0, tag, "list");
                (1..count).for_each(|_| value(reader));
            }
            _ => reader.need(false, tag, "tag"),
        }
    }
    let mut reader = Reader::new(bytes);
    value(&mut reader);
    reader.end()
}

/// `interp.zbd`.
pub fn interp(bytes: &[u8]) -> Vec<String> {
    let mut reader = Reader::new(bytes);
    let head = reader.take(12);
    reader.need(
        [head.u(0), head.u(4)] == [0x0897_1119, 7],
        head,
        "signature and version",
    );
    let entries: Vec<Record<'_>> = (0..head.u(8)).map(|_| reader.take(128)).collect();
    for entry in entries {
        let is_named = entry.padded(0, 120).is_some_and(|name| !name.is_empty());
        reader.need(
            is_named && entry.u(124) as usize == reader.at,
            entry,
            "script",
        );
        loop {
            let size = reader.words(1)[0] as usize;
            if size == 0 {
                break;
            }
            let count = reader.words(1)[0] as usize;
            let line = reader.take(size);
            let zeros = line.bytes.iter().filter(|byte| **byte == 0).count();
            let is_line = line.bytes.is_ascii() && line.bytes.ends_with(&[0]) && zeros == count;
            reader.need(is_line, line, "line of a script");
        }
    }
    reader.end()
}

/// A package of textures.
pub fn textures(bytes: &[u8]) -> Vec<String> {
    let mut reader = Reader::new(bytes);
    let head = reader.take(24);
    let is_usual = [head.u(0), head.u(4), head.u(16), head.u(20)] == [0, 1, 0, 0] && head.u(12) > 0;
    reader.need(is_usual, head, "header");
    let entries: Vec<Record<'_>> = (0..head.u(12)).map(|_| reader.take(40)).collect();
    reader.take(512 * head.u(8) as usize);
    for entry in entries {
        let is_named = entry.padded(0, 32).is_some_and(|name| !name.is_empty());
        reader.need(
            is_named && entry.u(32) as usize == reader.at,
            entry,
            "image",
        );
        let info = reader.take(16);
        let (flags, [width, height, colors, stretch]) =
            (info.u(0), [4, 6, 12, 14].map(|at| info.h(at) as usize));
        let is_global = entry.i(36) >= 0;
        reader.all(
            info,
            "image",
            &[
                (
                    "flags",
                    flags & !0xFF == 0 && flags & 1 == 1 && [4, 2, 10].contains(&(flags & 14)),
                ),
                (
                    "palette of the package",
                    is_global == (flags & 0x10 != 0) && entry.i(36) < head.i(8),
                ),
                ("size", width > 0 && height > 0 && info.u(8) == 0),
                ("colours", colors <= 256 && (colors > 0 || !is_global)),
                ("stretched", [0, 1, 2, 3, 4, 7, 8].contains(&stretch)),
            ],
        );
        let pixels = reader.take(width * height * if colors == 0 { 2 } else { 1 });
        let is_inside = colors == 0
            || pixels
                .bytes
                .iter()
                .all(|index| usize::from(*index) < colors);
        reader.need(is_inside, info, "image: indices");
        reader.take(if flags & 8 == 0 { 0 } else { width * height });
        reader.take(if is_global { 0 } else { 2 * colors });
    }
    reader.end()
}

/// A motion of a 'mech.
pub fn motion(bytes: &[u8]) -> Vec<String> {
    let mut reader = Reader::new(bytes);
    let head = reader.take(24);
    let is_usual =
        head.u(0) == 4 && head.f(4) > 0.0 && head.u(8) > 0 && head.floats(16) == [-1.0, 1.0];
    reader.need(is_usual, head, "header");
    for _ in 0..head.u(12) {
        let length = reader.words(1)[0] as usize;
        let name = reader.take(length);
        let flags = reader.words(1)[0];
        reader.need(name.bytes.is_ascii() && flags == 12, name, "part");
        for size in [12, 16] {
            let last = size * head.u(8) as usize;
            let frames = reader.take(last + size);
            let is_round = (0..size / 4).all(|n| frames.f(4 * n) == frames.f(last + 4 * n));
            reader.need(is_round, frames, "the last frame is the first");
        }
    }
    reader.end()
}

/// A map of Recoil.
pub fn zmap(bytes: &[u8]) -> Vec<String> {
    let mut reader = Reader::new(bytes);
    let head = reader.take(32);
    reader.need(
        head.u(0) == 5 && (1..=31).contains(&head.u(4)),
        head,
        "header",
    );
    while reader.at + 3 <= bytes.len() {
        reader.take(3);
        let points = reader.words(1)[0] as usize;
        let points = reader.take(12 * points);
        let is_finite = (0..points.bytes.len() / 4).all(|n| points.f(4 * n).is_finite());
        reader.need(is_finite, points, "points");
        reader.take(4);
    }
    reader.end()
}
