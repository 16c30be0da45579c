//! Reads WAVE files as samples and writes them again with another rate, bit depth, number of
//! channels or codec.

use super::{IMA_ADPCM, MS_ADPCM, PCM, Wave, adpcm, resample};
use bytes::Bytes;
use refit_base::wire::{Error, Plain, Result, value_at};

/// The encoding of samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleCodec {
    /// 8 or 16 bits per sample.
    Pcm,
    /// Microsoft's ADPCM.
    MsAdpcm,
    /// IMA's ADPCM.
    ImaAdpcm,
}

/// The properties of a sound except its length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SoundFormat {
    /// The encoding of samples.
    pub codec: SampleCodec,
    /// Frames per second.
    pub rate: u32,
    /// Bits per sample: 8 or 16, or 4 for ADPCM.
    pub bits: u16,
    /// Number of channels.
    pub channels: u16,
}

impl std::fmt::Display for SoundFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let codec = match self.codec {
            SampleCodec::Pcm => "PCM",
            SampleCodec::MsAdpcm => "MS ADPCM",
            SampleCodec::ImaAdpcm => "IMA ADPCM",
        };
        let channels = match self.channels {
            1 => "mono".to_owned(),
            2 => "stereo".to_owned(),
            n => format!("{n} channels"),
        };
        write!(f, "{codec} {} Hz {} bit {channels}", self.rate, self.bits)
    }
}

/// The limits of a bank for a sound, each independent: a sound below a limit is not changed by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ceiling {
    /// Frames per second.
    pub rate: u32,
    /// Bits per sample.
    pub bits: u16,
    /// Number of channels.
    pub channels: u16,
}

/// Supported rates.
const RATES: std::ops::RangeInclusive<u32> = 1000..=384_000;

/// Maximum number of samples: with 16 bits each they must fit a chunk.
const MOST: u64 = (u32::MAX / 2) as u64;

const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xfffe;

/// A cue point: a chunk of 24 bytes, some of which are positions in samples.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Cue {
    stored: [u8; 24],
}

impl Cue {
    fn word(&self, at: usize) -> u32 {
        value_at(&self.stored, at).unwrap_or(0)
    }
    fn scaled(mut self, from: u32, to: u32) -> Self {
        // The position in play order, and that in the data.
        for at in [4, 20] {
            let word = resample::position(self.word(at), from, to).to_le_bytes();
            if let Some(slot) = self.stored.get_mut(at..at + 4) {
                slot.copy_from_slice(&word);
            }
        }
        self
    }
}

/// A sound as samples.
#[derive(Clone, PartialEq, Debug)]
pub struct Sound {
    /// Frames per second.
    pub rate: u32,
    /// Number of channels.
    pub channels: u16,
    /// Interleaved samples, from −32,768 to 32,767.
    samples: Vec<f32>,
    cues: Vec<Cue>,
    /// Chunks that were dropped.
    dropped: Vec<String>,
}

/// The chunks of a RIFF file: their names and contents.
fn chunks(file: &[u8]) -> Vec<([u8; 4], &[u8])> {
    let mut rest = file.get(12..).unwrap_or_default();
    let mut out = Vec::new();
    while let (Some(id), Some(size)) = (rest.first_chunk::<4>(), value_at::<u32>(rest, 4)) {
        let size = size as usize;
        let body = rest.get(8..).unwrap_or_default();
        out.push((*id, body.get(..size).unwrap_or(body)));
        rest = body
            .get(size.saturating_add(size & 1)..)
            .unwrap_or_default();
    }
    out
}

fn first<'a>(chunks: &[([u8; 4], &'a [u8])], id: &[u8; 4]) -> &'a [u8] {
    chunks
        .iter()
        .find(|(other, _)| other == id)
        .map(|(_, body)| *body)
        .unwrap_or_default()
}

impl Wave {
    /// The codec's number, also for the extensible format.
    fn real_tag(&self, format: &[u8]) -> u16 {
        if self.tag == EXTENSIBLE {
            value_at(format, 24).unwrap_or(self.tag)
        } else {
            self.tag
        }
    }
}

/// The format of a WAVE file. Returns an error for other files and for unsupported codecs.
pub fn shape(file: &[u8]) -> Result<SoundFormat> {
    let wave = Wave::read(file)?;
    let all = chunks(file);
    let (rate, channels) = (wave.rate, wave.channels);
    Ok(match wave.real_tag(first(&all, b"fmt ")) {
        PCM => SoundFormat {
            codec: SampleCodec::Pcm,
            rate,
            bits: wave.bits.unwrap_or(8),
            channels,
        },
        FLOAT => SoundFormat {
            codec: SampleCodec::Pcm,
            rate,
            bits: wave.bits.unwrap_or(32),
            channels,
        },
        MS_ADPCM => SoundFormat {
            codec: SampleCodec::MsAdpcm,
            rate,
            bits: 4,
            channels,
        },
        IMA_ADPCM => SoundFormat {
            codec: SampleCodec::ImaAdpcm,
            rate,
            bits: 4,
            channels,
        },
        other => {
            return Err(
                Error::say(format!("a sound in the codec {other:#x}")).hint("save it as PCM")
            );
        }
    })
}

impl Sound {
    /// Reads a WAVE file: PCM of 8 to 32 bits, floats, and both kinds of ADPCM.
    pub fn read(file: &[u8]) -> Result<Self> {
        let wave = Wave::read(file)?;
        let all = chunks(file);
        let format = first(&all, b"fmt ");
        let data = first(&all, b"data");
        if !RATES.contains(&wave.rate) {
            return Err(Error::say(format!("{} samples a second", wave.rate))
                .hint("supported rates are 1000 to 384000"));
        }
        if !(1..=8).contains(&wave.channels) {
            return Err(Error::say(format!("a sound of {} channels", wave.channels)));
        }
        let channels = usize::from(wave.channels);
        let pairs: Vec<[i16; 2]>;
        let blocks = |weights| {
            let (ms, block) = (wave.tag == MS_ADPCM, usize::from(wave.block));
            let usual = adpcm::samples_of(ms, block, channels);
            let samples = wave
                .samples
                .filter(|n| *n > 0)
                .map_or(usual, |n| usual.min(n.into()));
            adpcm::Blocks {
                channels,
                block: block.max(1),
                samples,
                weights,
            }
        };
        let whole = |samples: Vec<i16>| samples.into_iter().map(f32::from).collect();
        let bits = shape(file)?.bits;
        let samples: Vec<f32> = match (wave.real_tag(format), bits) {
            (PCM, 8) => data
                .iter()
                .map(|b| (f32::from(*b) - 128.0) * 256.0)
                .collect(),
            (PCM, 16) => data
                .as_chunks()
                .0
                .iter()
                .map(|b| f32::from(i16::from_le_bytes(*b)))
                .collect(),
            (PCM, 24) => data
                .as_chunks::<3>()
                .0
                .iter()
                .map(|[a, b, c]| i32::from_le_bytes([0, *a, *b, *c]) as f32 / 65536.0)
                .collect(),
            (PCM, 32) => data
                .as_chunks()
                .0
                .iter()
                .map(|b| i32::from_le_bytes(*b) as f32 / 65536.0)
                .collect(),
            (FLOAT, 32) => data
                .as_chunks()
                .0
                .iter()
                .map(|b| finite(f32::from_le_bytes(*b) * 32768.0))
                .collect(),
            (FLOAT, 64) => data
                .as_chunks()
                .0
                .iter()
                .map(|b| finite((f64::from_le_bytes(*b) * 32768.0) as f32))
                .collect(),
            (MS_ADPCM, _) => {
                let count = value_at::<u16>(format, 20).map_or(0, usize::from);
                let stored = format
                    .get(22..)
                    .unwrap_or_default()
                    .chunks_exact(4)
                    .take(count);
                pairs = stored.map(Plain::get).collect();
                whole(adpcm::decode_ms(
                    data,
                    blocks(if pairs.is_empty() {
                        &adpcm::WEIGHTS
                    } else {
                        &pairs
                    }),
                )?)
            }
            (IMA_ADPCM, _) => whole(adpcm::decode_ima(data, blocks(&[]))?),
            (_, bits) => {
                return Err(Error::say(format!("samples of {bits} bits"))
                    .hint("save it as PCM with 16 bits"));
            }
        };
        let cue = first(&all, b"cue ");
        let count = value_at::<u32>(cue, 0).unwrap_or(0) as usize;
        let cues = cue
            .get(4..)
            .unwrap_or_default()
            .as_chunks()
            .0
            .iter()
            .take(count)
            .map(|stored| Cue { stored: *stored })
            .collect();
        let kept = [b"fmt ", b"data", b"cue ", b"fact"];
        let dropped = all
            .iter()
            .filter(|(id, _)| !kept.contains(&id))
            .map(|(id, _)| String::from_utf8_lossy(id).trim().to_owned());
        Ok(Sound {
            rate: wave.rate,
            channels: wave.channels,
            samples,
            cues,
            dropped: dropped.collect(),
        })
    }

    /// Number of frames: samples per channel.
    pub fn frames(&self) -> usize {
        self.samples.len() / usize::from(self.channels.max(1))
    }

    /// Converts to another rate, including cue points.
    fn at_rate(&mut self, rate: u32) -> Result<()> {
        if rate == self.rate {
            return Ok(());
        }
        let channels = usize::from(self.channels);
        let frames = resample::frames(self.frames() as u64, self.rate, rate);
        if frames.saturating_mul(channels as u64) > MOST {
            return Err(Error::say(format!(
                "{frames} samples at {rate} Hz are more than a sound can have"
            )));
        }
        self.samples = resample::resample(&self.samples, channels, self.rate, rate);
        self.cues = self
            .cues
            .iter()
            .map(|cue| cue.scaled(self.rate, rate))
            .collect();
        self.rate = rate;
        Ok(())
    }

    /// Converts to another number of channels: fewer are the mean of several, more are copies.
    fn mixed(&mut self, channels: u16) {
        let (from, to) = (
            usize::from(self.channels.max(1)),
            usize::from(channels.max(1)),
        );
        if from == to {
            return;
        }
        let mut out = Vec::with_capacity(self.frames().saturating_mul(to));
        if (from, to) == (2, 1) {
            out.extend(
                self.samples
                    .as_chunks::<2>()
                    .0
                    .iter()
                    .map(|[left, right]| (left + right) / 2.0),
            );
        } else {
            for frame in self.samples.chunks_exact(from) {
                for c in 0..to {
                    // The mean of the channels that are mapped to the same one.
                    let (sum, n) = frame
                        .iter()
                        .skip(c)
                        .step_by(to)
                        .fold((0.0, 0.0), |(sum, n), v| (sum + v, n + 1.0));
                    out.push(if to < from && n > 0.0 {
                        sum / n
                    } else {
                        frame.get(c % from).copied().unwrap_or(0.0)
                    });
                }
            }
        }
        self.samples = out;
        self.channels = channels;
    }

    /// Writes a WAVE file in a codec. `bits` applies to PCM: 8 or 16.
    pub fn write(&self, codec: SampleCodec, bits: u16) -> Result<Vec<u8>> {
        let channels = usize::from(self.channels);
        if codec != SampleCodec::Pcm && channels > 2 {
            return Err(Error::say(format!("ADPCM of {channels} channels")));
        }
        let whole = || -> Vec<i16> {
            self.samples
                .iter()
                .map(|v| v.round().clamp(-32768.0, 32767.0) as i16)
                .collect()
        };
        // Blocks have about the same duration at any rate, as in Crimson Skies.
        let block = 256 * channels * (self.rate as usize / 11_025).clamp(1, 8);
        let samples = |ms| adpcm::samples_of(ms, block, channels);
        let (tag, data, align, bits, extra): (u16, Vec<u8>, usize, u16, Vec<u8>) = match codec {
            SampleCodec::Pcm if bits == 8 => {
                let one = |v: &f32| ((v / 256.0).round() + 128.0).clamp(0.0, 255.0) as u8;
                (
                    PCM,
                    self.samples.iter().map(one).collect(),
                    channels,
                    8,
                    Vec::new(),
                )
            }
            SampleCodec::Pcm => (
                PCM,
                whole().iter().flat_map(|v| v.to_le_bytes()).collect(),
                2 * channels,
                16,
                Vec::new(),
            ),
            SampleCodec::MsAdpcm => {
                let pairs = adpcm::WEIGHTS
                    .as_flattened()
                    .iter()
                    .flat_map(|w| w.to_le_bytes());
                let head = [32u16, samples(true) as u16, 7]
                    .into_iter()
                    .flat_map(u16::to_le_bytes);
                (
                    MS_ADPCM,
                    adpcm::encode_ms(&whole(), channels, block),
                    block,
                    4,
                    head.chain(pairs).collect(),
                )
            }
            SampleCodec::ImaAdpcm => {
                let head = [2u16, samples(false) as u16]
                    .into_iter()
                    .flat_map(u16::to_le_bytes);
                (
                    IMA_ADPCM,
                    adpcm::encode_ima(&whole(), channels, block),
                    block,
                    4,
                    head.collect(),
                )
            }
        };
        let each = match codec {
            SampleCodec::Pcm => 1,
            SampleCodec::MsAdpcm => samples(true),
            SampleCodec::ImaAdpcm => samples(false),
        };
        let a_second = u64::from(self.rate) * align as u64 / each.max(1) as u64;
        let mut format: Vec<u8> = Vec::new();
        format.extend(tag.to_le_bytes());
        format.extend(self.channels.to_le_bytes());
        format.extend(self.rate.to_le_bytes());
        format.extend(u32::try_from(a_second).unwrap_or(u32::MAX).to_le_bytes());
        format.extend((align as u16).to_le_bytes());
        format.extend(bits.to_le_bytes());
        format.extend(extra);
        let mut out = b"WAVE".to_vec();
        let mut chunk = |id: &[u8; 4], body: &[u8]| -> Result<()> {
            let size =
                u32::try_from(body.len()).map_err(|_| Error::say("a sound of more than 4 GiB"))?;
            out.extend(id);
            out.extend(size.to_le_bytes());
            out.extend(body);
            out.resize(out.len().next_multiple_of(2), 0);
            Ok(())
        };
        chunk(b"fmt ", &format)?;
        if !self.cues.is_empty() {
            let points = self.cues.iter().flat_map(|cue| cue.stored);
            chunk(
                b"cue ",
                &(self.cues.len() as u32)
                    .to_le_bytes()
                    .into_iter()
                    .chain(points)
                    .collect::<Vec<u8>>(),
            )?;
        }
        chunk(b"data", &data)?;
        let size =
            u32::try_from(out.len()).map_err(|_| Error::say("a sound of more than 4 GiB"))?;
        Ok([b"RIFF".to_vec(), size.to_le_bytes().to_vec(), out].concat())
    }
}

fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

/// A converted sound.
#[derive(Clone, PartialEq, Debug)]
pub struct Shaped {
    /// The WAVE file.
    pub file: Bytes,
    /// The former format.
    pub was: SoundFormat,
    /// The new format.
    pub now: SoundFormat,
    /// Notes on what was left out.
    pub notes: Vec<String>,
}

/// Converts a WAVE file to exactly this format. If it has the format already, its bytes are kept.
pub fn shaped(file: &Bytes, want: SoundFormat) -> Result<Shaped> {
    let was = shape(file)?;
    if was == want && is_playable(file, was) {
        return Ok(Shaped {
            file: file.clone(),
            was,
            now: was,
            notes: Vec::new(),
        });
    }
    let mut sound = Sound::read(file)?;
    // Reduce channels first, so that the other steps have less to do.
    sound.mixed(want.channels);
    sound.at_rate(want.rate)?;
    let out = sound.write(want.codec, want.bits)?;
    let mut notes = Vec::new();
    if !sound.dropped.is_empty() {
        notes.push(format!(
            "chunks that no game reads were left out: {}",
            sound.dropped.join(", ")
        ));
    }
    Ok(Shaped {
        file: out.into(),
        was,
        now: want,
        notes,
    })
}

/// True for plain PCM of 8 or 16 bits, and for ADPCM: a bank may contain it unchanged.
fn is_playable(file: &[u8], shape: SoundFormat) -> bool {
    let tag = Wave::read(file).map(|wave| wave.tag);
    match shape.codec {
        SampleCodec::Pcm => matches!(tag, Ok(PCM)) && matches!(shape.bits, 8 | 16),
        _ => true,
    }
}

/// Converts a WAVE file for a bank with these limits: PCM, with the smaller of the file's and the
/// limit's rate, bits and channels. A file within the limits is kept. ADPCM becomes PCM, unless
/// `packed` (Crimson Skies plays it) and it is within the limits.
pub fn below(file: &Bytes, ceiling: Ceiling, packed: bool) -> Result<Shaped> {
    let was = shape(file)?;
    let fits = was.rate <= ceiling.rate && was.channels <= ceiling.channels;
    if packed && was.codec != SampleCodec::Pcm && fits {
        return Ok(Shaped {
            file: file.clone(),
            was,
            now: was,
            notes: Vec::new(),
        });
    }
    // Decoded ADPCM has 16 bits.
    let bits = if was.codec == SampleCodec::Pcm {
        was.bits
    } else {
        16
    };
    let bits = if bits.min(ceiling.bits) < 16 { 8 } else { 16 };
    let want = SoundFormat {
        codec: SampleCodec::Pcm,
        rate: was.rate.min(ceiling.rate),
        bits,
        channels: was.channels.min(ceiling.channels),
    };
    shaped(file, want)
}

/// Converts a WAVE file to the format of another one, which it will replace.
pub fn like(file: &Bytes, other: &[u8]) -> Result<Shaped> {
    let mut want = shape(other)?;
    if want.codec == SampleCodec::Pcm && !matches!(want.bits, 8 | 16) {
        want.bits = 16;
    }
    shaped(file, want)
}

/// Converts a WAVE file to PCM, which all programs read. PCM is kept unchanged.
pub fn unpacked(file: &Bytes) -> Result<Bytes> {
    let was = shape(file)?;
    if was.codec == SampleCodec::Pcm {
        return Ok(file.clone());
    }
    shaped(
        file,
        SoundFormat {
            codec: SampleCodec::Pcm,
            bits: 16,
            ..was
        },
    )
    .map(|shaped| shaped.file)
}
