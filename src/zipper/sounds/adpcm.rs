//! Microsoft's and IMA's ADPCM: blocks of 4-bit steps, decoding and encoding (FORMAT.md).
//!
//! Microsoft's is specified by its *Multimedia Data Standards Update* of 1994, IMA's by the IMA's
//! recommendation of 1992, with the block layout that the former defines.

use refit_base::wire::{Error, Result, Within, value_at};

/// The standard pairs of weights for the last two samples in Microsoft's ADPCM, in 256ths.
pub const WEIGHTS: [[i16; 2]; 7] = [
    [256, 0],
    [512, -256],
    [0, 0],
    [192, 64],
    [240, 0],
    [460, -208],
    [392, -232],
];

/// How a 4-bit step changes the width of the next step, in 256ths.
const WIDEN: [i32; 16] = [
    230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230,
];

/// How an IMA step moves the index in [`STEPS`].
const MOVE: [i32; 8] = [-1, -1, -1, -1, 2, 4, 6, 8];

/// The step widths of IMA's ADPCM.
const STEPS: [i32; 89] = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66,
    73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449,
    494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272,
    2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493,
    10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
];

fn clamp(value: i32) -> i32 {
    value.clamp(i16::MIN.into(), i16::MAX.into())
}

/// A channel of Microsoft's ADPCM: weights, step width, and the last two samples.
#[derive(Clone, Copy)]
struct Ms {
    weights: [i32; 2],
    delta: i32,
    last: [i32; 2],
}

impl Ms {
    fn predicted(&self) -> i32 {
        let [a, b] = self.weights;
        // The standard divides towards zero; a shift would round negative numbers down.
        (self.last[0]
            .wrapping_mul(a)
            .wrapping_add(self.last[1].wrapping_mul(b)))
            / 256
    }

    fn step(&mut self, nibble: u8) -> i32 {
        let signed = i32::from((nibble << 4) as i8 >> 4);
        let sample = clamp(
            self.predicted()
                .saturating_add(signed.saturating_mul(self.delta)),
        );
        self.last = [sample, self.last[0]];
        let widen = WIDEN.get(usize::from(nibble & 15)).copied().unwrap_or(256);
        self.delta = (self.delta.saturating_mul(widen) / 256).max(16);
        sample
    }

    /// The step that comes closest to a sample.
    fn nearest(&self, sample: i32) -> u8 {
        let off = sample - self.predicted();
        let half = if off < 0 {
            -self.delta / 2
        } else {
            self.delta / 2
        };
        (((off + half) / self.delta.max(1)).clamp(-8, 7) & 15) as u8
    }
}

/// A channel of IMA's ADPCM.
#[derive(Clone, Copy)]
struct Ima {
    sample: i32,
    index: i32,
}

impl Ima {
    fn width(&self) -> i32 {
        usize::try_from(self.index)
            .ok()
            .and_then(|i| STEPS.get(i))
            .copied()
            .unwrap_or(7)
    }

    fn step(&mut self, nibble: u8) -> i32 {
        let width = self.width();
        let mut off = width >> 3;
        for (bit, shift) in [(4, 0), (2, 1), (1, 2)] {
            off += if nibble & bit != 0 { width >> shift } else { 0 };
        }
        self.sample = clamp(self.sample + if nibble & 8 != 0 { -off } else { off });
        self.index =
            (self.index + MOVE.get(usize::from(nibble & 7)).copied().unwrap_or(0)).clamp(0, 88);
        self.sample
    }

    fn nearest(&self, sample: i32) -> u8 {
        let off = sample - self.sample;
        let sign = if off < 0 { 8 } else { 0 };
        let (mut rest, mut out, width) = (off.abs(), 0u8, self.width());
        for (bit, shift) in [(4, 0), (2, 1), (1, 2)] {
            if rest >= width >> shift {
                (out, rest) = (out | bit, rest - (width >> shift));
            }
        }
        out | sign
    }
}

fn half(bytes: &[u8], at: usize) -> i32 {
    value_at::<i16>(bytes, at).map_or(0, i32::from)
}

/// The block parameters of a file.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    /// Channels: 1 or 2.
    pub channels: usize,
    /// Size of a block in bytes.
    pub block: usize,
    /// Samples per channel in a block.
    pub samples: usize,
    /// Pairs of weights, for Microsoft's ADPCM.
    pub weights: &'a [[i16; 2]],
}

impl Blocks<'_> {
    /// Returns an error if a block is smaller than its header, or if there are more than two
    /// channels or none.
    fn check(&self, header: usize) -> Result<()> {
        if !matches!(self.channels, 1 | 2) {
            return Err(Error::say(format!("ADPCM of {} channels", self.channels)));
        }
        if self.block < header * self.channels {
            return Err(Error::say(format!(
                "ADPCM blocks of {} bytes: their headers have {}",
                self.block,
                header * self.channels
            )));
        }
        Ok(())
    }
}

/// Decodes Microsoft's ADPCM to interleaved samples. The length of an incomplete last block follows
/// from its bytes.
pub fn decode_ms(data: &[u8], blocks: Blocks<'_>) -> Result<Vec<i16>> {
    blocks.check(7)?;
    let n = blocks.channels;
    let mut out = Vec::with_capacity(data.len().saturating_mul(2));
    for block in data.chunks(blocks.block) {
        let Some((head, steps)) = block.split_at_checked(7 * n) else {
            break;
        };
        let mut states: Vec<Ms> = Vec::with_capacity(2);
        for c in 0..n {
            let pair = head
                .get(c)
                .and_then(|i| blocks.weights.get(usize::from(*i)));
            let pair = pair.ok_or_else(|| {
                Error::say("an ADPCM block names weights that the file does not have")
            })?;
            let last = [half(head, n + 2 * n + 2 * c), half(head, n + 4 * n + 2 * c)];
            states.push(Ms {
                weights: pair.map(i32::from),
                delta: half(head, n + 2 * c),
                last,
            });
        }
        let before = out.len();
        for which in [1, 0] {
            out.extend(
                states
                    .iter()
                    .map(|s| s.last.get(which).copied().unwrap_or(0) as i16),
            );
        }
        let nibbles = steps.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        for (i, nibble) in nibbles.enumerate() {
            if let Some(state) = states.get_mut(i % n) {
                out.push(state.step(nibble) as i16);
            }
        }
        out.truncate((before + blocks.samples * n).min(out.len()));
        out.truncate(out.len() / n * n);
    }
    Ok(out)
}

/// Decodes IMA's ADPCM to interleaved samples.
pub fn decode_ima(data: &[u8], blocks: Blocks<'_>) -> Result<Vec<i16>> {
    blocks.check(4)?;
    let n = blocks.channels;
    let mut out = Vec::with_capacity(data.len().saturating_mul(2));
    for block in data.chunks(blocks.block) {
        let Some((head, steps)) = block.split_at_checked(4 * n) else {
            break;
        };
        let mut states: Vec<Ima> = (0..n)
            .map(|c| Ima {
                sample: half(head, 4 * c),
                index: head.get(4 * c + 2).map_or(0, |i| i32::from(*i).min(88)),
            })
            .collect();
        let before = out.len();
        out.extend(states.iter().map(|s| s.sample as i16));
        // Eight steps of a channel are adjacent.
        for group in steps.chunks(4 * n) {
            let each: Vec<Vec<i32>> = states
                .iter_mut()
                .zip(group.chunks(4))
                .map(|(state, bytes)| {
                    bytes
                        .iter()
                        .flat_map(|b| [b & 15, b >> 4])
                        .map(|nibble| state.step(nibble))
                        .collect()
                })
                .collect();
            let frames = if each.len() == n {
                each.iter().map(Vec::len).min().unwrap_or(0)
            } else {
                0
            };
            for i in 0..frames {
                out.extend(
                    each.iter()
                        .filter_map(|channel| channel.get(i))
                        .map(|v| *v as i16),
                );
            }
        }
        out.truncate((before + blocks.samples * n).min(out.len()));
    }
    Ok(out)
}

/// Samples per channel in a block of Microsoft's (`true`) or IMA's ADPCM.
pub fn samples_of(ms: bool, block: usize, channels: usize) -> usize {
    let (header, first) = if ms { (7, 2) } else { (4, 1) };
    block
        .checked_sub(header * channels)
        .map_or(0, |rest| first + rest * 2 / channels.max(1))
}

/// The frames of a block, padded with the last one.
fn frames(samples: &[i16], channels: usize, count: usize) -> Vec<Vec<i32>> {
    let there = samples.len() / channels.max(1);
    let at = |i: usize, c: usize| {
        samples
            .get(i.min(there.saturating_sub(1)) * channels + c)
            .copied()
            .unwrap_or(0)
    };
    (0..channels)
        .map(|c| (0..count).map(|i| i32::from(at(i, c))).collect())
        .collect()
}

/// Encodes Microsoft's ADPCM. Each block uses the best weights. The last block is padded with its
/// last sample, because no chunk of these files contains the length of a sound.
pub fn encode_ms(samples: &[i16], channels: usize, block: usize) -> Vec<u8> {
    let count = samples_of(true, block, channels);
    let mut out = Vec::new();
    let mut widths = vec![16; channels];
    for chunk in samples.chunks((count * channels).max(1)) {
        let each = frames(chunk, channels, count);
        let best: Vec<(u8, Ms, Vec<u8>)> = each
            .iter()
            .zip(&widths)
            .map(|(frames, width)| best_ms(frames, *width))
            .collect();
        out.extend(best.iter().map(|(pair, ..)| *pair));
        for part in [|s: &Ms| s.delta, |s: &Ms| s.last[0], |s: &Ms| s.last[1]] {
            out.extend(
                best.iter()
                    .flat_map(|(_, start, _)| (part(start) as i16).to_le_bytes()),
            );
        }
        // Two channels share each byte.
        let steps = count.saturating_sub(2);
        let nibbles: Vec<u8> = (0..steps)
            .flat_map(|i| {
                best.iter()
                    .map(move |(_, _, steps)| steps.get(i).copied().unwrap_or(0))
            })
            .collect();
        out.extend(nibbles.chunks(2).map(|pair| {
            pair.first().copied().unwrap_or(0) << 4 | pair.get(1).copied().unwrap_or(0)
        }));
        for ((_, start, steps), width) in best.into_iter().zip(&mut widths) {
            let mut state = start;
            steps.iter().for_each(|nibble| _ = state.step(*nibble));
            *width = state.delta;
        }
    }
    out
}

/// The weights, start and steps that approximate a channel best.
fn best_ms(frames: &[i32], width: i32) -> (u8, Ms, Vec<u8>) {
    let first = |i: usize| frames.get(i).copied().unwrap_or(0);
    let mut best: Option<(u64, u8, Ms, Vec<u8>)> = None;
    for (pair, weights) in (0u8..).zip(WEIGHTS) {
        let mut start = Ms {
            weights: weights.map(i32::from),
            delta: width,
            last: [first(1), first(0)],
        };
        // The width for which the first steps can reach the first errors.
        let miss = (first(2) - start.predicted()).abs();
        for delta in [width.clamp(16, 32767), (miss / 4).clamp(16, 32767)] {
            start.delta = delta;
            let (mut state, mut error) = (start, 0u64);
            let mut steps = Vec::with_capacity(frames.len());
            for frame in frames.iter().skip(2) {
                let nibble = state.nearest(*frame);
                error += u64::from((state.step(nibble) - frame).unsigned_abs()).pow(2);
                steps.push(nibble);
            }
            if best.as_ref().is_none_or(|(least, ..)| error < *least) {
                best = Some((error, pair, start, steps));
            }
        }
    }
    best.map_or(
        (
            0,
            Ms {
                weights: [256, 0],
                delta: 16,
                last: [0; 2],
            },
            Vec::new(),
        ),
        |(_, pair, start, steps)| (pair, start, steps),
    )
}

/// Encodes IMA's ADPCM; the last block is padded as in [`encode_ms`].
pub fn encode_ima(samples: &[i16], channels: usize, block: usize) -> Vec<u8> {
    let count = samples_of(false, block, channels);
    let mut out = Vec::new();
    let mut indices: Option<Vec<i32>> = None;
    for chunk in samples.chunks((count * channels).max(1)) {
        let each = frames(chunk, channels, count);
        let run = |frames: &[i32], index: i32| {
            let mut state = Ima {
                sample: frames.first().copied().unwrap_or(0),
                index,
            };
            let mut error = 0u64;
            let mut steps = Vec::with_capacity(frames.len());
            for frame in frames.iter().skip(1) {
                let nibble = state.nearest(*frame);
                error += u64::from((state.step(nibble) - frame).unsigned_abs()).pow(2);
                steps.push(nibble);
            }
            (error, state.index, steps)
        };
        // The first block starts with the best width, the others continue.
        let starts = indices.take().unwrap_or_else(|| {
            each.iter()
                .map(|frames| {
                    (0..89)
                        .min_by_key(|index| run(frames, *index).0)
                        .unwrap_or(0)
                })
                .collect()
        });
        let done: Vec<(u64, i32, Vec<u8>)> = each
            .iter()
            .zip(&starts)
            .map(|(frames, index)| run(frames, *index))
            .collect();
        for (frames, index) in each.iter().zip(&starts) {
            out.extend((frames.first().copied().unwrap_or(0) as i16).to_le_bytes());
            out.extend([*index as u8, 0]);
        }
        let groups = count.saturating_sub(1) / 8;
        for group in 0..groups {
            for (_, _, steps) in &done {
                let eight = steps.within(8 * group..8 * group + 8);
                out.extend(eight.chunks(2).map(|pair| {
                    pair.first().copied().unwrap_or(0) | pair.get(1).copied().unwrap_or(0) << 4
                }));
            }
        }
        indices = Some(done.iter().map(|(_, index, _)| *index).collect());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tone that gets louder, with a click in it.
    fn tone(n: usize) -> Vec<i16> {
        (0..n)
            .map(|i| {
                ((i as f64 * 0.21).sin() * (i as f64 * 20.0).min(24000.0)) as i16
                    + if i == n / 2 { 4000 } else { 0 }
            })
            .collect()
    }

    fn off(a: &[i16], b: &[i16]) -> f64 {
        let sum: f64 = a
            .iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a - *b).powi(2))
            .sum();
        let own: f64 = a.iter().map(|a| f64::from(*a).powi(2)).sum();
        10.0 * (own / sum.max(1e-9)).log10()
    }

    #[test]
    fn microsoft_blocks_are_decoded_by_the_standard() {
        // Weights 1 (512, −256), width 16, samples 100 and 80; then the steps 1, 15 (−1), 7, 8
        // (−8).
        let block = [1, 16, 0, 100, 0, 80, 0, 0x1f, 0x78];
        // 2·100 − 80 + 16 = 136, width 16·230/256 → 16; 2·136 − 100 − 16 = 156, 16; 2·156 − 136 +
        // 7·16 = 288, 16·614/256 = 38; 2·288 − 156 − 8·38 = 116.
        let blocks = Blocks {
            channels: 1,
            block: 9,
            samples: 6,
            weights: &WEIGHTS,
        };
        assert_eq!(
            decode_ms(&block, blocks).unwrap(),
            [80, 100, 136, 156, 288, 116]
        );
        // Two channels share the bytes, the left one in the high bits. Weights 3 (192, 64) and 2
        // (0, 0).
        let block = [3, 2, 16, 0, 32, 0, 0x9c, 0xff, 8, 0, 0xce, 0xff, 4, 0, 0x2e];
        // (192·−100 + 64·−50)/256 = −87 (towards zero), + 2·16 = −55; the right one 0 − 2·32 = −64.
        let blocks = Blocks {
            channels: 2,
            block: 15,
            samples: 3,
            weights: &WEIGHTS,
        };
        assert_eq!(
            decode_ms(&block, blocks).unwrap(),
            [-50, 4, -100, 8, -55, -64]
        );
        assert!(
            decode_ms(
                &[9, 16, 0, 0, 0, 0, 0],
                Blocks {
                    channels: 1,
                    block: 7,
                    samples: 2,
                    weights: &WEIGHTS
                }
            )
            .is_err()
        );
        assert!(
            decode_ms(
                &[],
                Blocks {
                    channels: 3,
                    block: 70,
                    samples: 2,
                    weights: &WEIGHTS
                }
            )
            .is_err()
        );
    }

    /// Made with Python's `audioop.adpcm2lin` from the same steps, state (1000, 20).
    #[test]
    fn ima_blocks_are_decoded_like_by_another_program() {
        let block = [
            0xe8, 3, 20, 0, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe,
        ];
        let blocks = Blocks {
            channels: 1,
            block: 12,
            samples: 17,
            weights: &[],
        };
        assert_eq!(decode_ima(&block, blocks).unwrap(), IMA);
        // Two channels alternate in groups of four bytes: both the same.
        let both: Vec<u8> = [
            &block[..4],
            &block[..4],
            &block[4..8],
            &block[4..8],
            &block[8..],
            &block[8..],
        ]
        .concat();
        let blocks = Blocks {
            channels: 2,
            block: 24,
            samples: 17,
            weights: &[],
        };
        let twice: Vec<i16> = IMA.iter().flat_map(|v| [*v, *v]).collect();
        assert_eq!(decode_ima(&both, blocks).unwrap(), twice);
    }

    const IMA: [i16; 17] = [
        1000, 1006, 1022, 1047, 1078, 1116, 1172, 1269, 1468, 1440, 1362, 1244, 1094, 918, 658,
        206, -719,
    ];

    #[test]
    fn encoded_sounds_are_close_to_the_original_and_have_whole_blocks() {
        let mono = tone(3000);
        let stereo: Vec<i16> = tone(3000)
            .into_iter()
            .zip(tone(3000).into_iter().rev())
            .flat_map(|(a, b)| [a, b])
            .collect();
        for (channels, samples) in [(1, &mono), (2, &stereo)] {
            for ms in [true, false] {
                let block = 256 * channels;
                let each = samples_of(ms, block, channels);
                let data = if ms {
                    encode_ms(samples, channels, block)
                } else {
                    encode_ima(samples, channels, block)
                };
                assert_eq!(
                    data.len(),
                    block * 3000usize.div_ceil(each),
                    "{channels} {ms}"
                );
                let blocks = Blocks {
                    channels,
                    block,
                    samples: each,
                    weights: &WEIGHTS,
                };
                let back = if ms {
                    decode_ms(&data, blocks)
                } else {
                    decode_ima(&data, blocks)
                }
                .unwrap();
                assert_eq!(back.len() / channels, each * 3000usize.div_ceil(each));
                let near = off(samples, &back);
                assert!(near > 22.0, "{channels} channels, {ms}: {near} dB");
                // The last block is padded with the last sample.
                let (last, fill) = (samples[samples.len() - 1], back[back.len() - channels]);
                assert!(channels == 2 || (last - fill).abs() < 300, "{last} {fill}");
            }
        }
        // Silence stays silence.
        let silence = encode_ms(&[0; 500], 1, 256);
        let blocks = Blocks {
            channels: 1,
            block: 256,
            samples: 500,
            weights: &WEIGHTS,
        };
        assert_eq!(decode_ms(&silence, blocks).unwrap(), [0; 500]);
    }
}
