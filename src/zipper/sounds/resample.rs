//! Sample rate conversion by a windowed sinc, with the same result on every machine.

use refit_base::wire::Within;

/// Zero crossings of the filter on each side.
const REACH: f64 = 32.0;

/// Pass band, as a fraction of the lower Nyquist frequency.
const BAND: f64 = 0.95;

/// The shape of the Kaiser window, for 100 dB of stop-band attenuation.
const BETA: f64 = 10.0;

/// Maximum number of cached filters: rates with a small common divisor need one for nearly every
/// sample.
const MOST: u64 = 4096;

fn bessel(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..64 {
        let half = x / (2.0 * f64::from(k));
        term *= half * half;
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    sum
}

/// The filter weights for a position between two samples: `phase` is the fraction of the way from
/// the first to the second.
fn weights(phase: f64, reach: usize, cutoff: f64) -> Vec<f64> {
    let width = reach as f64;
    let one = |k: usize| {
        let x = k as f64 - (width - 1.0) - phase;
        let at = std::f64::consts::PI * x * cutoff;
        let sinc = if x.abs() < 1e-12 {
            1.0
        } else {
            libm::sin(at) / at
        };
        let edge = 1.0 - (x / width).powi(2);
        if edge <= 0.0 {
            0.0
        } else {
            sinc * bessel(BETA * libm::sqrt(edge))
        }
    };
    let mut out: Vec<f64> = (0..2 * reach).map(one).collect();
    let sum: f64 = out.iter().sum();
    out.iter_mut().for_each(|w| *w /= sum);
    out
}

fn common(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// The number of frames after conversion: those with a time before the end.
pub fn frames(count: u64, from: u32, to: u32) -> u64 {
    u64::try_from((u128::from(count) * u128::from(to)).div_ceil(u128::from(from.max(1))))
        .unwrap_or(u64::MAX)
}

/// A position converted to another rate, rounded to the nearest frame.
pub fn position(at: u32, from: u32, to: u32) -> u32 {
    let from = u64::from(from.max(1));
    u32::try_from((u64::from(at) * u64::from(to) + from / 2) / from).unwrap_or(u32::MAX)
}

/// Converts interleaved samples to another rate. The first and the last sample are repeated beyond
/// the ends.
pub fn resample(samples: &[f32], channels: usize, from: u32, to: u32) -> Vec<f32> {
    let channels = channels.max(1);
    let count = samples.len() / channels;
    if from == to || from == 0 || to == 0 || count == 0 {
        return samples.to_vec();
    }
    let g = common(from.into(), to.into());
    let (phases, step) = (u64::from(to) / g, u64::from(from) / g);
    let cutoff = BAND * (f64::from(to) / f64::from(from)).min(1.0);
    let reach = (REACH / cutoff).ceil() as usize;
    let filter = |phase: u64| weights(phase as f64 / phases as f64, reach, cutoff);
    let known: Vec<Vec<f64>> = if phases <= MOST {
        (0..phases).map(filter).collect()
    } else {
        Vec::new()
    };
    let total = usize::try_from(frames(count as u64, from, to)).unwrap_or(usize::MAX);
    let mut out = vec![0.0; total.saturating_mul(channels)];
    for c in 0..channels {
        // One channel, padded at both ends so that each window is a slice of it.
        let own = || {
            samples
                .iter()
                .skip(c)
                .step_by(channels)
                .copied()
                .map(f64::from)
                .take(count)
        };
        let (first, last) = (
            own().next().unwrap_or(0.0),
            own().next_back().unwrap_or(0.0),
        );
        let edge = |value: f64| std::iter::repeat_n(value, reach);
        let line: Vec<f64> = edge(first).chain(own()).chain(edge(last)).collect();
        let slots = out.iter_mut().skip(c).step_by(channels);
        for (k, slot) in (0u64..).zip(slots) {
            let at = k * step;
            let (whole, phase) = ((at / phases) as usize, at % phases);
            let made;
            let weights = match known.get(phase as usize) {
                Some(known) => known,
                None => {
                    made = filter(phase);
                    &made
                }
            };
            // The window starts `reach` − 1 frames before the current one; the padding shifts it by
            // `reach`.
            *slot = dot(weights, line.within(whole + 1..)) as f32;
        }
    }
    out
}

/// The dot product over the length of `weights`. Eight separate sums allow SIMD, and always add in
/// the same order.
fn dot(weights: &[f64], samples: &[f64]) -> f64 {
    let samples = samples.get(..weights.len()).unwrap_or(samples);
    let ((many, rest), (own, own_rest)) = (weights.as_chunks::<8>(), samples.as_chunks::<8>());
    let mut sums = [0.0f64; 8];
    for (weights, samples) in many.iter().zip(own) {
        // By index: in `release`, iterator adapters are not always inlined, and then this loop
        // takes three times as long.
        for i in 0..8 {
            sums[i] += weights[i] * samples[i];
        }
    }
    let rest: f64 = rest
        .iter()
        .zip(own_rest)
        .map(|(weight, sample)| weight * sample)
        .sum();
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h)) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(hertz: f64, rate: u32, n: usize) -> Vec<f32> {
        (0..n)
            .map(|i| {
                (10000.0 * libm::sin(std::f64::consts::TAU * hertz * i as f64 / f64::from(rate)))
                    as f32
            })
            .collect()
    }

    #[test]
    fn a_tone_is_kept_and_tones_above_the_new_rate_vanish() {
        for (from, to) in [
            (44100, 22050),
            (44100, 11025),
            (48000, 22050),
            (22050, 9710),
            (11025, 44100),
        ] {
            let n = 8000;
            let out = resample(&tone(1000.0, from, n), 1, from, to);
            assert_eq!(out.len() as u64, frames(n as u64, from, to));
            let want = tone(1000.0, to, out.len());
            // Except the ends, where the filter extends beyond the sound.
            let worst = out
                .iter()
                .zip(&want)
                .skip(400)
                .take(out.len() - 800)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f32::max);
            assert!(worst < 1.0, "{from} → {to}: {worst} of 10000");
        }
        let out = resample(&tone(15000.0, 44100, 8000), 1, 44100, 22050);
        let worst = out
            .iter()
            .skip(400)
            .take(out.len() - 800)
            .map(|v| v.abs())
            .fold(0.0, f32::max);
        assert!(worst < 1.0, "15 kHz at 22,050: {worst} of 10000");
    }

    #[test]
    fn a_constant_stays_constant_and_channels_stay_separate() {
        let both: Vec<f32> = (0..1000).flat_map(|_| [300.0, -20.0]).collect();
        let out = resample(&both, 2, 44100, 11025);
        assert_eq!(out.len(), 500);
        assert!(
            out.as_chunks::<2>()
                .0
                .iter()
                .all(|[l, r]| (l - 300.0).abs() < 1e-3 && (r + 20.0).abs() < 1e-3)
        );
        assert_eq!(resample(&both, 2, 22050, 22050), both);
        assert_eq!(
            (
                position(1000, 44100, 22050),
                position(999, 44100, 22050),
                position(3, 44100, 11025)
            ),
            (500, 500, 1)
        );
    }
}
