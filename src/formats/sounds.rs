//! Sounds: WAVE members are plain files; this module only tells what is in them (archive.md, section 7).

use crate::{
    game::Game,
    lint::{Lints, codes},
    wire::{Reader, Result},
};

/// What this module contributes: the members belong to [`super::archive`].
pub const FAMILY: super::Family = super::Family { formats: &[], codec: None, codes: CODES, schemas: Vec::new };

codes! {
    /// The kinds of findings in sounds.
    pub CODES:
    SOUND_NOT_WAVE "sound-not-wave" Warning "a sound is not a whole WAVE file"
        "Members of sound archives are RIFF files with a `fmt ` and a `data` chunk."
    SOUND_RIFF_SIZE "sound-riff-size" Note "the RIFF size is not that of the member"
        "The RIFF header gives the size of what follows it: the member's length less 8."
    SOUND_FORMAT "sound-format" Warning "a sound in a format that the game does not play"
        "Recoil, MechWarrior 3 and Pirate's Moon play PCM of 8 or 16 bits only; Crimson Skies also MS ADPCM and IMA ADPCM. The game \
                  stays silent, or plays noise. Save the sound as PCM with 16 bits: not with 24 or 32 bits, and not with floats."
}

/// What a WAVE file says of itself.
struct Wave {
    riff_size: u32,
    tag: u16,
    channels: u16,
    rate: u32,
    bytes_a_second: u32,
    bits: u16,
    data: u32,
}

impl Wave {
    fn read(file: &[u8]) -> Result<Self> {
        let mut r = Reader::new(file, Game::Mw);
        let not = |r: &Reader<'_>| r.error("not a RIFF WAVE file");
        if r.take(4)? != b"RIFF" {
            return Err(not(&r));
        }
        let riff_size = r.get()?;
        if r.take(4)? != b"WAVE" {
            return Err(not(&r));
        }
        let mut wave = Wave { riff_size, tag: 0, channels: 0, rate: 0, bytes_a_second: 0, bits: 0, data: 0 };
        let (mut format, mut data) = (false, false);
        while r.left() >= 8 {
            let id = r.take(4)?;
            let size: u32 = r.get()?;
            match id {
                b"fmt " => {
                    let mut f = r.clone();
                    (wave.tag, wave.channels, wave.rate, wave.bytes_a_second) = (f.get()?, f.get()?, f.get()?, f.get()?);
                    let _block: u16 = f.get()?;
                    wave.bits = f.get()?;
                    format = true;
                }
                b"data" => {
                    wave.data = size.min(u32::try_from(r.left()).unwrap_or(u32::MAX));
                    data = true;
                }
                _ => {}
            }
            let padded = u64::from(size) + u64::from(size & 1);
            r.take(usize::try_from(padded).unwrap_or(usize::MAX).min(r.left()))?;
        }
        if format && data { Ok(wave) } else { Err(r.error("no `fmt ` or no `data` chunk")) }
    }
}

/// Kind and details of a WAVE member; `None` for anything else.
pub fn describe(payload: &[u8]) -> Option<(String, String)> {
    let w = Wave::read(payload).ok()?;
    let kind = match w.tag {
        1 => "wav",
        2 => "wav, MS ADPCM",
        0x11 => "wav, IMA ADPCM",
        _ => "wav, other",
    };
    let seconds = if w.bytes_a_second == 0 { 0.0 } else { f64::from(w.data) / f64::from(w.bytes_a_second) };
    let channels = match w.channels {
        1 => "mono".to_owned(),
        2 => "stereo".to_owned(),
        n => format!("{n} channels"),
    };
    Some((kind.to_owned(), format!("{} Hz, {channels}, {} bit, {seconds:.2} s", w.rate, w.bits)))
}

/// Judges a member of a sound archive.
pub fn lint(payload: &[u8], game: Option<Game>, lints: &mut Lints) {
    let w = match Wave::read(payload) {
        Ok(w) => w,
        Err(e) => {
            let what = looks_like(payload).map_or_else(|| e.to_string(), |what| format!("this is {what}, whatever its name says"));
            lints.say(SOUND_NOT_WAVE, what);
            return;
        }
    };
    lints.check(u64::from(w.riff_size) + 8 == payload.len() as u64, SOUND_RIFF_SIZE, || {
        format!("RIFF says {} bytes, {} are there", u64::from(w.riff_size) + 8, payload.len())
    });
    let packed = matches!(game, None | Some(Game::Cs));
    let ok = match w.tag {
        1 => matches!(w.bits, 8 | 16),
        2 | 0x11 => packed,
        _ => false,
    };
    lints.check(ok, SOUND_FORMAT, || {
        let kind = match w.tag {
            1 => "PCM",
            2 => "MS ADPCM",
            3 => "floats",
            0x11 => "IMA ADPCM",
            0xfffe => "the extensible form of WAVE",
            _ => "format",
        };
        let number = if kind == "format" { format!(" {:#x}", w.tag) } else { String::new() };
        format!("{kind}{number} of {} bits", w.bits)
    });
}

/// What files that are taken for sounds, or named like them, begin with.
fn looks_like(file: &[u8]) -> Option<&'static str> {
    let starts: [(&[u8], &str); 6] = [
        (b"fLaC", "a FLAC file"),
        (b"OggS", "an Ogg file"),
        (b"ID3", "an MP3 file"),
        (b"\x89PNG", "a PNG picture"),
        (b"FORM", "an AIFF file"),
        (b"RF64", "a WAVE file for more than 4 GiB"),
    ];
    starts.iter().find(|(start, _)| file.starts_with(start)).map(|(_, what)| *what)
}
