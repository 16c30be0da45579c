//! Films of the games: this module only describes them, because there is nothing to unpack.
//!
//! Recoil, MechWarrior 3 and Pirate's Moon have AVI files (MechWarrior's: Indeo 5, 640 x 480, 15
//! frames per second, PCM), Crimson Skies ten MPEG-1 files. Current players support MPEG-1, but not
//! the codecs of the AVI files: `ffmpeg` converts them. The games need their own files: MechWarrior
//! 3 and Pirate's Moon exit with an error if one is missing, and crash if the cabinet of the set-up
//! program has replaced it.

use refit_base::{
    contract::Info,
    game::Game,
    wire::{Plain, Reader, Result},
};

/// Converts a film for current players: widely supported codecs, at a quality that is sufficient
/// for these small films.
pub const CONVERT: &str =
    "ffmpeg -i FILM.avi -codec:v libx264 -preset medium -crf 30 -codec:a aac -b:a 64k FILM.mp4";

/// The stream headers of a film.
#[derive(Default)]
struct Film {
    width: u32,
    height: u32,
    frames: u32,
    /// Duration of a frame in microseconds.
    frame: u32,
    /// The video codec, as four letters.
    codec: Option<[u8; 4]>,
    /// Format tag, channels and rate of the sound.
    sound: Option<(u16, u16, u32)>,
}

impl Film {
    /// Reads the chunks of the header list, treating nested lists as flat.
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
                // The chunks in these lists are read by the same loop.
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

/// `AVI` and its headers; `None` for other files. Empty if the header is truncated.
pub fn avi(file: &[u8]) -> Option<Info> {
    if !file.starts_with(b"RIFF") || file.get(8..12) != Some(b"AVI ") {
        return None;
    }
    let Some(film) = Film::read(file).ok().filter(|film| film.frame != 0) else {
        return Some(Info::new());
    };
    let codec = film.codec.map_or("unknown".into(), |codec| {
        match codec.iter().all(u8::is_ascii_graphic) {
            true => String::from_utf8_lossy(&codec).into_owned(),
            false => format!("{:#010x}", u32::get(&codec)),
        }
    });
    let sound = match film.sound {
        None => "none".to_owned(),
        Some((tag, channels, rate)) => {
            let tag = match tag {
                1 => "PCM".to_owned(),
                2 => "MS ADPCM".to_owned(),
                0x11 => "IMA ADPCM".to_owned(),
                0x55 => "MP3".to_owned(),
                other => format!("format {other:#x}"),
            };
            let channels = match channels {
                1 => "mono".to_owned(),
                2 => "stereo".to_owned(),
                n => format!("{n} channels"),
            };
            format!("{tag}, {rate} Hz, {channels}")
        }
    };
    Some(vec![
        ("codec", codec.into()),
        (
            "picture",
            format!("{} x {}", film.width, film.height).into(),
        ),
        ("rate", rate(1e6 / f64::from(film.frame))),
        (
            "length",
            length(f64::from(film.frames) * f64::from(film.frame) / 1e6),
        ),
        ("sound", sound.into()),
        ("convert", CONVERT.into()),
    ])
}

fn rate(frames: f64) -> serde_json::Value {
    format!("{frames:.2} frames a second").into()
}

fn length(seconds: f64) -> serde_json::Value {
    format!("{seconds:.1} s").into()
}

/// Size of the search for headers at both ends of an MPEG file, in bytes.
const HEADERS: usize = 1 << 16;

/// The clock of an MPEG-1 pack header in seconds: 33 bits at 90 kHz, spread over five bytes with
/// marker bits between them.
fn clock(pack: &[u8]) -> Option<f64> {
    let b: [u64; 5] = [
        pack.first()?,
        pack.get(1)?,
        pack.get(2)?,
        pack.get(3)?,
        pack.get(4)?,
    ]
    .map(|b| u64::from(*b));
    (b[0] >> 4 == 2).then(|| {
        let ticks = (b[0] >> 1 & 7) << 30 | b[1] << 22 | (b[2] >> 1) << 15 | b[3] << 7 | b[4] >> 1;
        ticks as f64 / 90_000.0
    })
}

/// The description of an MPEG file, with or without sound; `None` for other files.
pub fn mpeg(file: &[u8]) -> Option<Info> {
    const PACK: &[u8] = &[0, 0, 1, 0xba];
    const SEQUENCE: &[u8] = &[0, 0, 1, 0xb3];
    if !file.starts_with(PACK) && !file.starts_with(SEQUENCE) {
        return None;
    }
    let head = file.get(..HEADERS).unwrap_or(file);
    let mut info = Info::new();
    if let Some(at) = memchr::memmem::find(head, SEQUENCE)
        && let Some(&[a, b, c, d, ..]) = head.get(at + 4..)
    {
        let (width, height) = (
            u32::from(a) << 4 | u32::from(b) >> 4,
            u32::from(b & 15) << 8 | u32::from(c),
        );
        info.push(("picture", format!("{width} x {height}").into()));
        const RATES: [f64; 8] = [
            24_000.0 / 1001.0,
            24.0,
            25.0,
            30_000.0 / 1001.0,
            30.0,
            50.0,
            60_000.0 / 1001.0,
            60.0,
        ];
        if let Some(frames) = usize::from(d & 15)
            .checked_sub(1)
            .and_then(|n| RATES.get(n))
        {
            info.push(("rate", rate(*frames)));
        }
    }
    let tail = file
        .get(file.len().saturating_sub(HEADERS)..)
        .unwrap_or(file);
    let at = |found: Option<usize>, of: &[u8]| found.and_then(|at| clock(of.get(at + 4..)?));
    if let (Some(first), Some(last)) = (
        at(memchr::memmem::find(head, PACK), head),
        at(memchr::memmem::rfind(tail, PACK), tail),
    ) && last > first
    {
        info.push(("length", length(last - first)));
    }
    Some(info)
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
    fn an_avi_film_has_codecs_size_rate_and_length() {
        let main = chunk(
            b"avih",
            &[&words(&[
                66_667, 0, 0, 0x10, 450, 0, 2, 0, 320, 240, 0, 0, 0, 0,
            ])],
        );
        let picture = chunk(
            b"LIST",
            &[
                b"strl",
                &chunk(b"strh", &[b"vidscvid", &[0; 48]]),
                &chunk(b"strf", &[&[0; 40]]),
            ],
        );
        let format = [&[1, 0, 2, 0][..], &22_050u32.to_le_bytes(), &[0; 8]].concat();
        let sound = chunk(
            b"LIST",
            &[
                b"strl",
                &chunk(b"strh", &[b"auds", &[0; 52]]),
                &chunk(b"strf", &[&format]),
            ],
        );
        let list = |parts: &[&[u8]]| {
            let mut header: Vec<&[u8]> = vec![b"hdrl"];
            header.extend(parts);
            chunk(
                b"RIFF",
                &[
                    b"AVI ",
                    &chunk(b"LIST", &header),
                    &chunk(b"LIST", &[b"movi"]),
                ],
            )
        };
        let film = list(&[&main, &picture, &sound]);
        let described = |film: &[u8]| -> Vec<String> {
            avi(film)
                .unwrap()
                .into_iter()
                .map(|(key, value)| format!("{key} {}", value.as_str().unwrap()))
                .collect()
        };
        let looks = [
            "codec cvid",
            "picture 320 x 240",
            "rate 15.00 frames a second",
            "length 30.0 s",
        ];
        assert_eq!(
            described(&film)[..5],
            [&looks[..], &["sound PCM, 22050 Hz, stereo"]].concat()
        );
        assert_eq!(
            described(&list(&[&main, &picture]))[..5],
            [&looks[..], &["sound none"]].concat()
        );
        for n in 0..film.len() {
            avi(&film[..n]);
        }
        assert!(avi(b"RIFF\0\0\0\0WAVE").is_none());
        // A film truncated after its signature is still recognised.
        assert_eq!(avi(b"RIFF\0\0\0\0AVI "), Some(Info::new()));
    }

    #[test]
    fn an_mpeg_film_has_size_rate_and_length() {
        // ISO 11172-1: marks `0010`, then 3, 15 and 15 bits of the clock, each followed by a one.
        let pack = |seconds: u64| {
            let t = seconds * 90_000;
            let b = [
                0x21 | (t >> 30 & 7) << 1,
                t >> 22 & 255,
                (t >> 15 & 127) << 1 | 1,
                t >> 7 & 255,
                (t & 127) << 1 | 1,
            ];
            [&[0, 0, 1, 0xba][..], &b.map(|b| b as u8), &[0x80, 0, 1]].concat()
        };
        // 352 x 240, square pixels, 29.97 frames per second.
        let sequence = [
            0, 0, 1, 0xb3, 0x16, 0x00, 0xf0, 0x14, 0xff, 0xff, 0xe0, 0xa0,
        ];
        let film = [
            &pack(1)[..],
            &sequence,
            &[7; 3000],
            &pack(2),
            &[7; 200_000],
            &pack(46),
            &[7; 900],
        ]
        .concat();
        let described: Vec<String> = mpeg(&film)
            .unwrap()
            .into_iter()
            .map(|(key, value)| format!("{key} {}", value.as_str().unwrap()))
            .collect();
        assert_eq!(
            described,
            [
                "picture 352 x 240",
                "rate 29.97 frames a second",
                "length 45.0 s"
            ]
        );
        for n in 0..64 {
            mpeg(&film[..n]);
        }
        assert_eq!(mpeg(&sequence).unwrap().len(), 2);
        assert!(mpeg(b"\0\0\x01\xb9").is_none());
    }
}
