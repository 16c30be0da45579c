//! Sounds: WAVE members are plain files; this module describes and converts them
//! (sounds/FORMAT.md).
//!
//! * `sound`: WAVE files as samples, and back. * `adpcm`: the two kinds of ADPCM. * `resample`:
//!   sample rates. * `banks`: the declarations of `sounds.zrd`, and banks made from it.
//!
//! Recoil plays only PCM of 8 and 16 bits, and takes the times of its reactions from the points of
//! a `cue ` chunk. Crimson Skies has two kinds of ADPCM: Microsoft's in `soundsh.zbd` (2,510 of
//! 2,521 members), Microsoft's and IMA's in `soundsl.zbd` (1,954 and 555 of 2,520). Its `fmt `
//! chunk comes first, with 50 bytes for Microsoft's and 20 for IMA's; it never has a `fact` chunk,
//! which would contain the length. Rates of 22,000 and 9,710 Hz occur in the games and are no
//! errors.

mod adpcm;
pub mod banks;
mod resample;
pub mod sound;

use bytes::Bytes;
use refit_base::{
    game::Game,
    lint::{Lints, codes},
    tree::{Sink, UniquePaths},
    wire::{Reader, Result, Str, value_at},
};
use std::collections::BTreeMap;

/// The lint codes of this module; the members belong to [`crate::archive`].
pub const FAMILY: refit_base::contract::Family = refit_base::contract::Family {
    formats: &[],
    recognise: &[],
    codes: CODES,
    schemas: Vec::new,
};

codes! {
    /// The kinds of findings in sounds.
    pub CODES:
    SOUND_NOT_WAVE "sound-not-wave" Ignores [Rc Mw Pm Cs] "not a complete WAVE file"
        "Members of sound archives are RIFF files with a `fmt ` and a `data` chunk. The game plays nothing else."
        "Recoil's WAVE parser takes the first `fmt ` and `data` chunk. All shipped sounds are complete."
    SOUND_FMT "sound-fmt" Crashes [Rc] "a `fmt ` chunk shorter than 14 bytes"
        "The chunk describes how the samples are stored. Recoil reads 14 bytes of it without checking its length."
        "Recoil's WAVE parser. All shipped sounds have 16 bytes or more."
    SOUND_RIFF_SIZE "sound-riff-size" Unusual [] "the RIFF size does not match the member"
        "The RIFF header gives the size of what follows: the member's length minus 8. The engine looks for chunks only \
        within this size."
        "Recoil walks the chunks by the RIFF size. In Crimson Skies it is correct in all 5,041 sounds."
    SOUND_BEYOND "sound-beyond" Crashes [Rc] "a RIFF size beyond the end of the member"
        "Recoil looks for chunks within the RIFF size without checking the member's length. It reads the next members \
        as chunks of this one and may crash."
        "Recoil walks the chunks by the RIFF size, and does not compare it with the member's length."
    SOUND_CHUNKS "sound-chunks" Unusual [Rc] "a duplicate chunk"
        "The engine takes the first `fmt `, the first `data` and the first `cue ` chunk and ignores the rest."
        "Recoil's WAVE parser."
    SOUND_FORMAT "sound-format" Ignores [Rc Mw Pm Cs] "a format that the game does not play"
        "Recoil, MechWarrior 3 and Pirate's Moon play only 8-bit and 16-bit PCM; Crimson Skies also plays MS ADPCM and \
        IMA ADPCM. The game stays silent, or plays noise. Save the sound as 16-bit PCM, not as 24-bit, 32-bit or \
        float."
        "Recoil and MechWarrior 3 ship only 8-bit and 16-bit PCM; Crimson Skies also ships MS and IMA ADPCM."
}

const PCM: u16 = 1;
const MS_ADPCM: u16 = 2;
const IMA_ADPCM: u16 = 0x11;

/// The header fields of a WAVE file.
#[derive(Default)]
struct Wave {
    riff_size: u32,
    tag: u16,
    channels: u16,
    rate: u32,
    bytes_a_second: u32,
    block: u16,
    /// Absent if the `fmt ` chunk has 14 bytes.
    bits: Option<u16>,
    /// Samples per block and channel, if the `fmt ` chunk contains it.
    samples: Option<u16>,
    data: u32,
    /// The position of the data.
    data_at: usize,
    cues: u32,
    /// Chunks that occur more than once.
    again: Vec<&'static str>,
}

impl Wave {
    fn read(file: &[u8]) -> Result<Self> {
        let mut r = Reader::new(file, Game::Mw);
        let not = |r: &Reader<'_>| r.error("not a RIFF WAVE file");
        if r.take(4)? != b"RIFF" {
            return Err(not(&r));
        }
        let mut wave = Wave {
            riff_size: r.get()?,
            ..Wave::default()
        };
        if r.take(4)? != b"WAVE" {
            return Err(not(&r));
        }
        let (mut format, mut data, mut cue) = (false, false, false);
        while r.left() >= 8 {
            let id = r.take(4)?;
            let size: u32 = r.get()?;
            let at = r.offset();
            let padded = u64::from(size) + u64::from(size & 1);
            let body = r.take(usize::try_from(padded).unwrap_or(usize::MAX).min(r.left()))?;
            let body = body.get(..size as usize).unwrap_or(body);
            let (seen, name) = match id {
                b"fmt " => (&mut format, "fmt "),
                b"data" => (&mut data, "data"),
                b"cue " => (&mut cue, "cue "),
                _ => continue,
            };
            if std::mem::replace(seen, true) {
                wave.again.push(name);
                continue;
            }
            match id {
                b"fmt " => {
                    let mut f = Reader::based(body, at, Game::Mw);
                    (wave.tag, wave.channels, wave.rate, wave.bytes_a_second) =
                        (f.get()?, f.get()?, f.get()?, f.get()?);
                    wave.block = f.get()?;
                    wave.bits = f.get().ok();
                    // After the size of the extension; it has another meaning for PCM.
                    wave.samples = f
                        .get::<u16>()
                        .and_then(|_| f.get())
                        .ok()
                        .filter(|_| wave.tag != PCM);
                }
                b"data" => {
                    wave.data = u32::try_from(body.len()).unwrap_or(u32::MAX);
                    wave.data_at = usize::try_from(at).unwrap_or(usize::MAX);
                }
                _ => wave.cues = value_at(body, 0).unwrap_or(0),
            }
        }
        if format && data {
            Ok(wave)
        } else {
            Err(r.error("no `fmt ` or no `data` chunk"))
        }
    }

    fn is_adpcm(&self) -> bool {
        matches!(self.tag, MS_ADPCM | IMA_ADPCM)
    }

    fn kind(&self) -> &'static str {
        match self.tag {
            PCM => "wav",
            MS_ADPCM => "wav, MS ADPCM",
            IMA_ADPCM => "wav, IMA ADPCM",
            _ => "wav, other",
        }
    }

    /// The properties that all sounds of a kind share: everything but the length.
    fn format(&self) -> String {
        let channels = match self.channels {
            1 => "mono".to_owned(),
            2 => "stereo".to_owned(),
            n => format!("{n} channels"),
        };
        let bits = self
            .bits
            .map_or_else(String::new, |bits| format!(", {bits} bit"));
        let block = if self.is_adpcm() {
            format!(", blocks of {} bytes", self.block)
        } else {
            String::new()
        };
        format!("{} Hz, {channels}{bits}{block}", self.rate)
    }

    /// Number of samples per channel in an ADPCM block of this size: a header for each channel,
    /// which contains the first sample (IMA) or the first two (Microsoft), and half a byte for each
    /// other.
    fn samples_of(&self, bytes: u64) -> u64 {
        let channels = u64::from(self.channels).max(1);
        let (header, first) = if self.tag == MS_ADPCM { (7, 2) } else { (4, 1) };
        match bytes.checked_sub(header * channels) {
            Some(rest) => first + rest * 2 / channels,
            None => 0,
        }
    }

    fn seconds(&self) -> f64 {
        let data = u64::from(self.data);
        if self.is_adpcm() && self.block > 0 && self.rate > 0 {
            let block = u64::from(self.block);
            let each = self
                .samples
                .filter(|n| *n > 0)
                .map_or_else(|| self.samples_of(block), u64::from);
            let samples = data / block * each + self.samples_of(data % block).min(each);
            return samples as f64 / f64::from(self.rate);
        }
        if self.bytes_a_second == 0 {
            0.0
        } else {
            data as f64 / f64::from(self.bytes_a_second)
        }
    }
}

/// Kind and details of a WAVE member; `None` for anything else.
pub fn describe(payload: &[u8]) -> Option<(refit_base::contract::Kind, String)> {
    let w = Wave::read(payload).ok()?;
    let cues = match w.cues {
        0 => String::new(),
        1 => ", 1 cue point".to_owned(),
        n => format!(", {n} cue points"),
    };
    Some((
        w.kind().into(),
        format!("{}, {:.2} s{cues}", w.format(), w.seconds()),
    ))
}

/// The description of a single WAV file for `info`: its format, and its track number on a disc.
pub fn tell_one(file: &[u8]) -> refit_base::contract::Info {
    let Ok(w) = Wave::read(file) else {
        return refit_base::contract::Info::new();
    };
    let kind = w.kind().trim_start_matches("wav, ").replace("wav", "PCM");
    let mut out: refit_base::contract::Info = vec![
        ("sound", format!("{kind}, {}", w.format()).into()),
        ("length", format!("{:.2} s", w.seconds()).into()),
    ];
    if w.cues > 0 {
        out.push(("cue points", w.cues.into()));
    }
    if (w.tag, w.rate, w.channels, w.bits) == (PCM, 44_100, 2, Some(16)) {
        out.extend(crate::tracks::identify(
            file.get(w.data_at..)
                .and_then(|rest| rest.get(..w.data as usize))
                .unwrap_or_default(),
        ));
    }
    out
}

/// The description of all sounds for `info`: their number by format, total length, and cue points.
pub(crate) fn tell(payloads: impl Iterator<Item = Bytes>) -> refit_base::contract::Info {
    let mut formats: BTreeMap<String, usize> = BTreeMap::new();
    let (mut seconds, mut with_cues, mut cues) = (0.0, 0usize, 0u64);
    for wave in payloads.filter_map(|payload| Wave::read(&payload).ok()) {
        *formats
            .entry(format!(
                "{}, {}",
                wave.kind()
                    .trim_start_matches("wav, ")
                    .replace("wav", "PCM"),
                wave.format()
            ))
            .or_default() += 1;
        seconds += wave.seconds();
        with_cues += usize::from(wave.cues > 0);
        cues += u64::from(wave.cues);
    }
    let mut out: refit_base::contract::Info = vec![
        ("formats", serde_json::json!(formats)),
        ("playing time", format!("{seconds:.1} s").into()),
    ];
    if cues > 0 {
        out.push(("cue points", format!("{cues} in {with_cues} sounds").into()));
    }
    out
}

/// Exports the sounds of an archive as WAV files that all programs read: ADPCM is decoded to PCM,
/// the others are copied.
pub(crate) fn export(members: &[(Str, Bytes)], out: &dyn Sink) -> Result<Vec<String>> {
    let mut names = UniquePaths::new();
    let mut written = Vec::new();
    for (name, payload) in members {
        let name = name.text();
        let stem = match name.to_ascii_lowercase().ends_with(".wav") {
            true => name.get(..name.len() - 4).unwrap_or(&name),
            false => &name,
        };
        let path = names.assign(stem, ".wav");
        match sound::unpacked(payload) {
            Ok(file) => out.put(&path, &file)?,
            Err(e) => {
                out.note(format!("{name}: {e}; its bytes stay unchanged"));
                out.put(&path, payload)?;
            }
        }
        written.push(path);
    }
    Ok(written)
}

/// Checks a member of a sound archive.
pub(crate) fn lint(payload: &[u8], game: Option<Game>, lints: &mut Lints) {
    let w = match Wave::read(payload) {
        Ok(w) => w,
        Err(e) => {
            let what = looks_like(payload).map_or_else(
                || e.to_string(),
                |what| format!("this is {what}, whatever its name says"),
            );
            lints.say(
                if has_short_format(payload) {
                    SOUND_FMT
                } else {
                    SOUND_NOT_WAVE
                },
                what,
            );
            return;
        }
    };
    let (says, there) = (u64::from(w.riff_size) + 8, payload.len() as u64);
    if says != there {
        let code = if says > there {
            SOUND_BEYOND
        } else {
            SOUND_RIFF_SIZE
        };
        lints.say(
            code,
            format!("RIFF says {says} bytes, but there are {there}"),
        );
    }
    let packed = matches!(game, None | Some(Game::Cs));
    let ok = match w.tag {
        // A `fmt ` chunk of 14 bytes has no bit depth.
        PCM => matches!(w.bits, None | Some(8 | 16)),
        MS_ADPCM | IMA_ADPCM => packed,
        _ => false,
    };
    lints.check(ok, SOUND_FORMAT, || {
        let kind = match w.tag {
            PCM => "PCM",
            MS_ADPCM => "MS ADPCM",
            3 => "floats",
            IMA_ADPCM => "IMA ADPCM",
            0xfffe => "the extensible form of WAVE",
            _ => "format",
        };
        let number = if kind == "format" {
            format!(" {:#x}", w.tag)
        } else {
            String::new()
        };
        let bits = w
            .bits
            .map_or_else(String::new, |bits| format!(" of {bits} bits"));
        format!("{kind}{number}{bits}")
    });
    for name in &w.again {
        lints.say(
            SOUND_CHUNKS,
            format!("another {name:?} chunk, which the engine ignores"),
        );
    }
}

/// True if the first `fmt ` chunk of a RIFF file is too short to describe a sound.
fn has_short_format(file: &[u8]) -> bool {
    let mut rest = file
        .strip_prefix(b"RIFF")
        .and_then(|f| f.get(8..))
        .unwrap_or_default();
    while let (Some(id), Some(size)) = (rest.first_chunk::<4>(), value_at::<u32>(rest, 4)) {
        let size = size as usize;
        if id == b"fmt " {
            return size < 14;
        }
        rest = rest.get(8 + size + (size & 1)..).unwrap_or_default();
    }
    false
}

/// The kind of a file that is mistaken for a sound, by its first bytes.
fn looks_like(file: &[u8]) -> Option<&'static str> {
    let starts: [(&[u8], &str); 6] = [
        (b"fLaC", "a FLAC file"),
        (b"OggS", "an Ogg file"),
        (b"ID3", "an MP3 file"),
        (b"\x89PNG", "a PNG picture"),
        (b"FORM", "an AIFF file"),
        (b"RF64", "a WAVE file for more than 4 GiB"),
    ];
    starts
        .iter()
        .find(|(start, _)| file.starts_with(start))
        .map(|(_, what)| *what)
}
