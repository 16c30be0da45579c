//! Files of the size of real ones, made byte by byte from the references, without refit's writers.

use refit::formats::pbo::lzss;
use sha1::{Digest, Sha1};

/// The footer of an archive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Footer {
    /// Version 1.
    One,
    /// Version 2 with 0 for a checksum, as Pirate's Moon has in all but reader archives.
    Zero,
    /// Version 2 with the checksum (src/formats/archive/FORMAT.md).
    Sum,
}

/// An archive (src/formats/archive/FORMAT.md) of members with these names and contents.
pub fn archive(footer: Footer, members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(members.iter().map(|(_, m)| m.len() + 148).sum::<usize>() + 12);
    for (_, member) in members {
        out.extend_from_slice(member);
    }
    let mut start = 0;
    for (name, member) in members {
        let mut entry = [0u8; 148];
        put(&mut entry, 0, start);
        put(&mut entry, 4, member.len() as u32);
        for (to, from) in entry.iter_mut().skip(8).take(63).zip(name.bytes()) {
            *to = from;
        }
        out.extend_from_slice(&entry);
        start += member.len() as u32;
    }
    out.extend(if footer == Footer::One { 1u32 } else { 2 }.to_le_bytes());
    out.extend((members.len() as u32).to_le_bytes());
    match footer {
        Footer::One => {}
        Footer::Zero => out.extend([0; 4]),
        Footer::Sum => {
            // CRC-32/CKSUM without its final complement, over each member in order.
            const SUM: crc::Crc<u32, crc::Table<16>> = crc::Crc::<u32, crc::Table<16>>::new(&crc::CRC_32_CKSUM);
            let mut digest = SUM.digest_with_initial(0);
            for (_, member) in members {
                digest.update(member);
            }
            out.extend((!digest.finalize()).to_le_bytes());
        }
    }
    out
}

fn put(bytes: &mut [u8], at: usize, word: u32) {
    for (to, from) in bytes.iter_mut().skip(at).zip(word.to_le_bytes()) {
        *to = from;
    }
}

/// Noise that is the same every time.
pub fn noise(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut out = Vec::with_capacity(bytes + 8);
    while out.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.extend(state.to_le_bytes());
    }
    out.truncate(bytes);
    out
}

/// A sound: 16 bit, one channel, noise of so many bytes.
pub fn wav(bytes: usize, seed: u64) -> Vec<u8> {
    let bytes = bytes & !1;
    let mut wav = Vec::with_capacity(bytes + 44);
    wav.extend(b"RIFF");
    wav.extend((bytes as u32 + 36).to_le_bytes());
    wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wav.extend(22050u32.to_le_bytes());
    wav.extend(44100u32.to_le_bytes());
    wav.extend(b"\x02\0\x10\0data");
    wav.extend((bytes as u32).to_le_bytes());
    wav.extend(noise(bytes, seed));
    wav
}

/// A sound archive of about so many bytes: WAV members of 16 bit, one channel.
pub fn sounds(bytes: usize) -> Vec<u8> {
    const EACH: usize = 200_000;
    let members: Vec<_> = (0..bytes.div_ceil(EACH)).map(|i| (format!("sound{i:04}.wav"), wav(EACH, i as u64 + 1))).collect();
    archive(Footer::One, &members)
}

/// A PBO of these files, stored, with a prefix and a SHA-1.
pub fn pbo_of(prefix: &str, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = b"\0sreV".to_vec();
    out.extend([0; 16]);
    out.extend(format!("prefix\0{prefix}\0\0").bytes());
    for (name, file) in files {
        out.extend(format!("{name}\0").bytes());
        for number in [0, 0, 0, 1_465_000_000, file.len() as u32] {
            out.extend(number.to_le_bytes());
        }
    }
    out.extend([0; 21]);
    files.iter().for_each(|(_, file)| out.extend(file));
    let sum = Sha1::digest(&out);
    out.push(0);
    out.extend(sum);
    out
}

/// A PBO (src/formats/pbo/FORMAT.md) of about so many bytes, with a prefix and a SHA-1: stored noise, or scripts packed with LZSS, as
/// refit packs them.
pub fn pbo(bytes: usize, packed: bool) -> Vec<u8> {
    const EACH: usize = 50_000;
    const CPRS: u32 = 0x4370_7273;
    let count = bytes.div_ceil(EACH);
    let mut out = b"\0sreV".to_vec();
    out.extend([0; 16]);
    out.extend(b"prefix\0x\\synthetic\0\0");
    let mut data = Vec::with_capacity(bytes + EACH);
    for i in 0..count {
        let (method, payload) = match packed {
            false => (0, noise(EACH, i as u64 + 1)),
            true => (CPRS, lzss::pack(lzss::Packer::Tree, &script(EACH, i as u64 + 1))),
        };
        out.extend(format!("folder{:03}\\file{i:05}.sqf\0", i / 100).bytes());
        for number in [method, EACH as u32, 0, 1_465_000_000, payload.len() as u32] {
            out.extend(number.to_le_bytes());
        }
        data.extend(payload);
    }
    out.extend([0; 21]);
    out.extend(data);
    let sum = Sha1::digest(&out);
    out.push(0);
    out.extend(sum);
    out
}

/// Lines of words that repeat as those of scripts do.
pub fn script(bytes: usize, seed: u64) -> Vec<u8> {
    const WORDS: &[&str] =
        &["private ", "_unit ", "= ", "player;\r\n", "    ", "if (", "alive ", ") then {\r\n", "setDamage ", "0.", "1", "};\r\n"];
    let mut out = Vec::with_capacity(bytes + 16);
    for word in noise(bytes, seed) {
        out.extend(WORDS.get(usize::from(word) % WORDS.len()).copied().unwrap_or_default().bytes());
        if word > 200 {
            out.extend(format!("_v{word}").bytes());
        }
        if out.len() >= bytes {
            break;
        }
    }
    out.truncate(bytes);
    out
}

/// A reader archive of about so many bytes.
pub fn reader(bytes: usize, footer: Footer) -> Vec<u8> {
    archive(footer, &reader_members(bytes))
}

/// Members of a reader archive: lists of keys with integers, floats and strings.
pub fn reader_members(bytes: usize) -> Vec<(String, Vec<u8>)> {
    fn string(out: &mut Vec<u8>, text: &str) {
        out.extend(3u32.to_le_bytes());
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text.bytes());
    }
    fn list(out: &mut Vec<u8>, items: u32) {
        out.extend(4u32.to_le_bytes());
        out.extend((items + 1).to_le_bytes());
    }
    const EACH: usize = 8_000;
    (0..bytes.div_ceil(EACH))
        .map(|i| {
            let mut out = Vec::with_capacity(EACH);
            let rows = (EACH / 90) as u32;
            list(&mut out, rows * 2);
            for row in 0..rows {
                string(&mut out, &format!("KEY_{row}"));
                list(&mut out, 6);
                string(&mut out, "position");
                for axis in 0..3u32 {
                    out.extend(2u32.to_le_bytes());
                    out.extend(((i as u32 * 31 + row * 7 + axis) as f32 * 0.37 - 100.0).to_le_bytes());
                }
                string(&mut out, "flags");
                list(&mut out, 1);
                out.extend(1u32.to_le_bytes());
                out.extend((row * 13).to_le_bytes());
            }
            (format!("member{i:04}.zrd"), out)
        })
        .collect()
}

/// A motion archive of about so many bytes (src/formats/motion/FORMAT.md): 20 parts with 60 frames and the closing one.
pub fn motion(bytes: usize, footer: Footer) -> Vec<u8> {
    const PARTS: u32 = 20;
    const FRAMES: u32 = 60;
    let each = 24 + PARTS as usize * (16 + (FRAMES as usize + 1) * 28);
    let members: Vec<_> = (0..bytes.div_ceil(each))
        .map(|i| {
            let mut out = Vec::with_capacity(each);
            out.extend(4u32.to_le_bytes());
            out.extend(1.3333334f32.to_le_bytes());
            out.extend(FRAMES.to_le_bytes());
            out.extend(PARTS.to_le_bytes());
            out.extend((-1f32).to_le_bytes());
            out.extend(1f32.to_le_bytes());
            for part in 0..PARTS {
                let name = format!("part_{part:03}");
                out.extend((name.len() as u32).to_le_bytes());
                out.extend(name.bytes());
                out.extend(12u32.to_le_bytes());
                for width in [3u32, 4] {
                    for frame in (0..FRAMES).chain([0]) {
                        for axis in 0..width {
                            let angle = (i as u32 * 17 + part * 5 + frame * 3 + axis) as f32 * 0.013;
                            out.extend(angle.sin().to_le_bytes());
                        }
                    }
                }
            }
            (format!("mech_{i:03}_walk"), out)
        })
        .collect();
    archive(footer, &members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use refit::{
        formats::Format,
        pipeline::{self, Hints, Via},
    };

    #[test]
    fn synthetic_files_are_what_they_claim() {
        for (format, file) in [
            (Format::Sounds, sounds(500_000)),
            (Format::Reader, reader(50_000, Footer::One)),
            (Format::Reader, reader(50_000, Footer::Sum)),
            (Format::Motion, motion(100_000, Footer::One)),
            (Format::Motion, motion(100_000, Footer::Zero)),
            (Format::Pbo, pbo(300_000, false)),
            (Format::Pbo, pbo(300_000, true)),
        ] {
            let outcome = pipeline::verify(&file.into(), "x.zbd", Hints::default(), Via::Json).unwrap();
            assert_eq!(outcome.detection.format, format);
            assert!(outcome.raw.is_empty(), "{format}: {:?}", outcome.raw);
        }
    }

    #[test]
    fn checksums_are_the_usual_ones() {
        for file in [reader(50_000, Footer::Sum), motion(100_000, Footer::Zero)] {
            let model = pipeline::open(&file.into(), "x.zbd", Hints::default()).unwrap().model;
            let findings = pipeline::lint(&*model).unwrap();
            assert!(findings.iter().all(|f| !f.code.contains("checksum")), "{findings:?}");
        }
    }
}
