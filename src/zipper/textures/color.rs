//! RGB565 ↔ RGB888, exactly invertible for all 65,536 words, and quantization (FORMAT.md).

use std::collections::HashMap;

const fn expand<const N: usize>() -> [u8; N] {
    let mut table = [0; N];
    let top = N - 1;
    let mut i = 0;
    while i < N {
        table[i] = ((510 * i + top) / (2 * top)) as u8;
        i += 1;
    }
    table
}

const fn reduce(top: usize) -> [u8; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = ((top * i + 127) / 255) as u8;
        i += 1;
    }
    table
}

static EXPAND5: [u8; 32] = expand();
static EXPAND6: [u8; 64] = expand();
static REDUCE5: [u8; 256] = reduce(31);
static REDUCE6: [u8; 256] = reduce(63);

/// The colour that a word shows: `R = (510·r + 31) / 62`, `G = (510·g + 63) / 126`.
pub fn rgb(word: u16) -> [u8; 3] {
    [
        EXPAND5[usize::from(word >> 11)],
        EXPAND6[usize::from(word >> 5 & 63)],
        EXPAND5[usize::from(word & 31)],
    ]
}

/// The word of a colour: the exact inverse of [`rgb`], defined for all colours:
/// `r = (31·R + 127) / 255`, `g = (63·G + 127) / 255`.
pub fn word([r, g, b]: [u8; 3]) -> u16 {
    u16::from(REDUCE5[usize::from(r)]) << 11
        | u16::from(REDUCE6[usize::from(g)]) << 5
        | u16::from(REDUCE5[usize::from(b)])
}

/// The word for opaque black in 16-bit images with simple alpha, where word 0 is transparent: the
/// darkest blue.
///
/// The darkest green, 0x0020, is as close to black, but its only bit is the lowest of six. Recoil
/// drops that bit on 15-bit screens, which makes the pixel transparent, and its conversion for
/// Direct3D (1555) shifts it into blue. 0x0001 survives both.
pub const NEAR_BLACK: u16 = 0x0001;

/// Squared distance in RGB888.
pub fn distance(a: u16, b: u16) -> u32 {
    rgb(a)
        .iter()
        .zip(rgb(b))
        .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2))
        .sum()
}

/// The index of the nearest word in a palette; the lowest one on a tie.
pub fn nearest(palette: &[u16], word: u16) -> Option<usize> {
    palette
        .iter()
        .enumerate()
        .min_by_key(|(i, w)| (distance(**w, word), *i))
        .map(|(i, _)| i)
}

/// Reduces words (word → count) to at most `most` by median cut. Returns the palette, and the
/// palette index for each given word.
pub fn quantise(counts: &HashMap<u16, u32>, most: usize) -> (Vec<u16>, HashMap<u16, u8>) {
    let mut all: Vec<(u16, u32)> = counts.iter().map(|(w, n)| (*w, *n)).collect();
    all.sort_unstable();
    let channel = |w: u16, c: usize| rgb(w).get(c).copied().unwrap_or(0);
    // The widest channel of a box, and its width.
    let widest = |words: &[(u16, u32)]| {
        (0..3)
            .map(|c| {
                let low = words.iter().map(|(w, _)| channel(*w, c)).min().unwrap_or(0);
                let high = words.iter().map(|(w, _)| channel(*w, c)).max().unwrap_or(0);
                (high - low, c)
            })
            .max_by_key(|(range, c)| (*range, 2 - *c))
            .unwrap_or((0, 0))
    };
    let weight = |words: &[(u16, u32)]| words.iter().map(|(_, n)| u64::from(*n)).sum::<u64>();
    let mut boxes = vec![all];
    while boxes.len() < most.min(256) {
        let worst = boxes
            .iter()
            .enumerate()
            .filter(|(_, b)| b.len() > 1)
            .max_by_key(|(i, b)| {
                let (range, _) = widest(b);
                (
                    u64::from(range).pow(2).saturating_mul(weight(b)),
                    usize::MAX - i,
                )
            });
        let Some((worst, _)) = worst else { break };
        let mut words = boxes.swap_remove(worst);
        let (_, c) = widest(&words);
        words.sort_unstable_by_key(|(w, _)| (channel(*w, c), *w));
        let half = weight(&words) / 2;
        let mut seen = 0;
        let cut = words.iter().position(|(_, n)| {
            seen += u64::from(*n);
            seen > half
        });
        let upper = words.split_off(
            cut.unwrap_or(0)
                .clamp(1, words.len().saturating_sub(1).max(1)),
        );
        boxes.push(words);
        boxes.push(upper);
    }
    let mut palette: Vec<u16> = boxes
        .iter()
        .map(|words| {
            let total = weight(words).max(1);
            let mean = |c| {
                ((words
                    .iter()
                    .map(|(w, n)| u64::from(channel(*w, c)) * u64::from(*n))
                    .sum::<u64>()
                    + total / 2)
                    / total) as u8
            };
            word([mean(0), mean(1), mean(2)])
        })
        .collect();
    palette.sort_unstable();
    palette.dedup();
    let index = counts
        .keys()
        .map(|w| (*w, nearest(&palette, *w).unwrap_or(0) as u8))
        .collect();
    (palette, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_the_reference() {
        let five = [
            0, 8, 16, 25, 33, 41, 49, 58, 66, 74, 82, 90, 99, 107, 115, 123, 132, 140, 148, 156,
            165, 173, 181, 189, 197, 206, 214, 222, 230, 239, 247, 255,
        ];
        assert_eq!(EXPAND5, five);
        assert_eq!(&EXPAND6[8..16], [32, 36, 40, 45, 49, 53, 57, 61]);
        assert_eq!(
            &EXPAND6[48..],
            [
                194, 198, 202, 206, 210, 215, 219, 223, 227, 231, 235, 239, 243, 247, 251, 255
            ]
        );
        assert!(
            (0..256).all(|v| usize::from(REDUCE5[v]) == (v as f64 * 31.0 / 255.0 + 0.5) as usize)
        );
        assert!(
            (0..256).all(|v| usize::from(REDUCE6[v]) == (v as f64 * 63.0 / 255.0 + 0.5) as usize)
        );
    }

    #[test]
    fn every_word_survives_even_with_the_drift_that_the_reference_allows() {
        for w in 0..=u16::MAX {
            let [r, g, b] = rgb(w);
            assert_eq!(word([r, g, b]), w);
            for d in -3i16..=3 {
                let near = |v: u8, d: i16| (i16::from(v) + d).clamp(0, 255) as u8;
                assert_eq!(word([near(r, d), near(g, d.signum()), near(b, -d)]), w);
            }
            // Other programs expand 5 and 6 bits by bit replication: the word is the same.
            let five = |v: u16| (v << 3 | v >> 2) as u8;
            let six = |v: u16| (v << 2 | v >> 4) as u8;
            assert_eq!(word([five(w >> 11), six(w >> 5 & 63), five(w & 31)]), w);
        }
        let black = (0..=255u8)
            .flat_map(|r| (0..=8u8).map(move |g| (r, g)))
            .flat_map(|(r, g)| (0..=8u8).map(move |b| [r, g, b]));
        assert_eq!(black.filter(|c| word(*c) == 0).count(), 75);
    }

    #[test]
    fn quantising_keeps_few_colours_and_merges_near_ones() {
        let few: HashMap<u16, u32> = [(0, 1), (0xffff, 5), (0xf800, 2)].into();
        let (palette, index) = quantise(&few, 256);
        assert_eq!(palette, [0, 0xf800, 0xffff]);
        assert!(few.keys().all(|w| palette[usize::from(index[w])] == *w));
        let many: HashMap<u16, u32> = (0..4096).map(|i| (i * 16, 1)).collect();
        let (palette, index) = quantise(&many, 256);
        assert!(palette.len() > 200 && palette.len() <= 256);
        let mean = many
            .keys()
            .map(|w| u64::from(distance(*w, palette[usize::from(index[w])])))
            .sum::<u64>()
            / 4096;
        assert!(mean < 600, "{mean}");
    }
}
