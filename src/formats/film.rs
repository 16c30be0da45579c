//! Films of the games, AVI files: there is nothing to unpack, this module only tells what they are.

use crate::{
    game::Game,
    wire::{Reader, Result},
};

/// What the streams of a film say of themselves.
#[derive(Default)]
struct Film {
    width: u32,
    height: u32,
    frames: u32,
    /// Microseconds.
    frame: u32,
    /// The codec of the pictures, four letters.
    codec: Option<[u8; 4]>,
    /// Format tag, channels and rate of the sound.
    sound: Option<(u16, u16, u32)>,
}

impl Film {
    /// Walks the chunks of the header list, whose lists lie in it without nesting that matters.
    fn read(file: &[u8]) -> Result<Self> {
        let mut r = Reader::new(file, Game::Rc);
        r.take(12)?;
        let mut film = Film::default();
        let mut pictures = false;
        while r.left() >= 8 {
            let id = r.take(4)?;
            let size: u32 = r.get()?;
            let mut chunk = r.clone();
            match id {
                // What is in these lists stands in the same walk.
                b"LIST" if matches!(r.peek(4), b"hdrl" | b"strl") => {
                    r.take(4)?;
                    continue;
                }
                b"LIST" if r.peek(4) == b"movi" => break,
                b"avih" => {
                    film.frame = chunk.get()?;
                    chunk.take(12)?;
                    film.frames = chunk.get()?;
                    chunk.take(12)?;
                    (film.width, film.height) = (chunk.get()?, chunk.get()?);
                }
                b"strh" => {
                    pictures = chunk.take(4)? == b"vids";
                    let handler: [u8; 4] = chunk.get()?;
                    if pictures && film.codec.is_none() {
                        film.codec = Some(handler);
                    }
                }
                b"strf" if !pictures && film.sound.is_none() => {
                    film.sound = Some((chunk.get()?, chunk.get()?, chunk.get()?));
                }
                _ => {}
            }
            let padded = u64::from(size) + u64::from(size & 1);
            r.take(usize::try_from(padded).unwrap_or(usize::MAX).min(r.left()))?;
        }
        Ok(film)
    }
}

/// Size, rate, length and codecs of an AVI file; `None` for anything else.
pub fn describe(file: &[u8]) -> Option<String> {
    if !file.starts_with(b"RIFF") || file.get(8..12) != Some(b"AVI ") {
        return None;
    }
    let film = Film::read(file).ok().filter(|film| film.frame != 0)?;
    let codec = film.codec.map_or("unknown codec".into(), |codec| match codec.iter().all(u8::is_ascii_graphic) {
        true => String::from_utf8_lossy(&codec).into_owned(),
        false => format!("codec {:#010x}", u32::from_le_bytes(codec)),
    });
    let rate = 1e6 / f64::from(film.frame);
    let seconds = f64::from(film.frames) * f64::from(film.frame) / 1e6;
    let sound = match film.sound {
        None => "no sound".to_owned(),
        Some((tag, channels, rate)) => {
            let tag = match tag {
                1 => "PCM".to_owned(),
                2 => "MS ADPCM".to_owned(),
                0x11 => "IMA ADPCM".to_owned(),
                other => format!("sound format {other:#x}"),
            };
            let channels = match channels {
                1 => "mono".to_owned(),
                2 => "stereo".to_owned(),
                n => format!("{n} channels"),
            };
            format!("{tag} {rate} Hz {channels}")
        }
    };
    Some(format!("{codec}, {} x {}, {rate:.2} frames a second, {seconds:.1} s, {sound}", film.width, film.height))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(id: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
        let body = parts.concat();
        let mut out = [&id[..], &(body.len() as u32).to_le_bytes(), &body].concat();
        out.resize(out.len() + out.len() % 2, 0);
        out
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn a_film_says_its_codecs_size_rate_and_length() {
        let main = chunk(b"avih", &[&words(&[66_667, 0, 0, 0x10, 450, 0, 2, 0, 320, 240, 0, 0, 0, 0])]);
        let picture = chunk(b"LIST", &[b"strl", &chunk(b"strh", &[b"vidscvid", &[0; 48]]), &chunk(b"strf", &[&[0; 40]])]);
        let format = [&[1, 0, 2, 0][..], &22_050u32.to_le_bytes(), &[0; 8]].concat();
        let sound = chunk(b"LIST", &[b"strl", &chunk(b"strh", &[b"auds", &[0; 52]]), &chunk(b"strf", &[&format])]);
        let list = |parts: &[&[u8]]| {
            let mut header: Vec<&[u8]> = vec![b"hdrl"];
            header.extend(parts);
            chunk(b"RIFF", &[b"AVI ", &chunk(b"LIST", &header), &chunk(b"LIST", &[b"movi"])])
        };
        let film = list(&[&main, &picture, &sound]);
        assert_eq!(describe(&film).unwrap(), "cvid, 320 x 240, 15.00 frames a second, 30.0 s, PCM 22050 Hz stereo");
        assert_eq!(describe(&list(&[&main, &picture])).unwrap(), "cvid, 320 x 240, 15.00 frames a second, 30.0 s, no sound");
        for n in 0..film.len() {
            describe(&film[..n]);
        }
        assert!(describe(b"RIFF\0\0\0\0WAVE").is_none() && describe(b"RIFF\0\0\0\0AVI ").is_none());
    }
}
