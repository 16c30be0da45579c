//! `cargo xtask floats`: sends every pattern of 32 bits, as a float, through the texts of trees and
//! back.
//!
//! `json` and `ron` use arrays of [`F32`] and the same functions as every document; `reader` uses
//! the text of reader documents, which has its own writer and parser.

use crate::Args;
use anyhow::{Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use refit::{
    formats::reader::ReaderDoc,
    tree::{self, Document, Style},
    wire::F32,
};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

/// Floats in one text.
const CHUNK: u64 = 1 << 14;
const ALL: u64 = 1 << 32;

/// The kind of text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Text {
    /// Arrays in JSON.
    Json,
    /// Arrays in RON.
    Ron,
    /// Reader documents, in JSON.
    Reader,
}

impl std::str::FromStr for Text {
    type Err = anyhow::Error;
    fn from_str(s: &str) -> Result<Self> {
        match s {
            "json" => Ok(Text::Json),
            "ron" => Ok(Text::Ron),
            "reader" => Ok(Text::Reader),
            _ => bail!("one of json, ron, reader"),
        }
    }
}

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let only: Option<Text> = args.value("--text")?;
    let sample: Option<u64> = args.value("--sample")?;
    let jobs: Option<usize> = args.value("--jobs")?;
    args.done()?;
    if let Some(jobs) = jobs {
        rayon::ThreadPoolBuilder::new()
            .num_threads(jobs)
            .build_global()?;
    }
    for text in [Text::Json, Text::Ron, Text::Reader] {
        if only.is_some_and(|only| only != text) {
            continue;
        }
        let begin = Instant::now();
        let count = prove(text, sample)?;
        let seconds = begin.elapsed().as_secs_f64();
        println!(
            "{text:?}: {count} patterns, 0 differences, {seconds:.0} s, {:.1} million a second",
            count as f64 / seconds / 1e6
        );
    }
    Ok(())
}

/// Sends all patterns, or about `sample` of them spread evenly over the whole range, through a
/// text; returns their number.
pub fn prove(text: Text, sample: Option<u64>) -> Result<u64> {
    // An odd step visits different low bits in every chunk.
    let step = sample.map_or(1, |n| ALL.div_ceil(n.max(1)) | 1);
    let count = ALL.div_ceil(step);
    let bar = ProgressBar::new(count);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent}% {eta} left") {
        bar.set_style(style);
    }
    let done = AtomicU64::new(0);
    (0..count.div_ceil(CHUNK))
        .into_par_iter()
        .try_for_each(|chunk| {
            let patterns =
                (chunk * CHUNK..((chunk + 1) * CHUNK).min(count)).map(|i| (i * step) as u32);
            let n = match text {
                Text::Json => array(patterns, Style::Json),
                Text::Ron => array(patterns, Style::Ron),
                Text::Reader => reader(patterns),
            }?;
            bar.inc(n);
            done.fetch_add(n, Ordering::Relaxed);
            anyhow::Ok(())
        })?;
    bar.finish_and_clear();
    let done = done.into_inner();
    ensure!(done == count, "{done} of {count} patterns were tried");
    Ok(done)
}

fn array(patterns: impl Iterator<Item = u32>, style: Style) -> Result<u64> {
    let floats: Vec<F32> = patterns.map(F32::from_bits).collect();
    let written = tree::to_text(&floats, style)?;
    let read: Vec<F32> = tree::from_text(&written, style)?;
    let same = |(a, b): (&F32, &F32)| a.bits() == b.bits();
    if floats.len() != read.len() || !floats.iter().zip(&read).all(same) {
        let first = floats.iter().zip(&read).find(|(a, b)| a.bits() != b.bits());
        bail!(
            "{style:?}: {first:?} differ, or {} became {}",
            floats.len(),
            read.len()
        );
    }
    Ok(floats.len() as u64)
}

/// A list of floats as a reader file: tag 4 and count + 1, then for each float tag 2 and its bits.
fn reader(patterns: impl Iterator<Item = u32>) -> Result<u64> {
    let mut bytes = Vec::with_capacity(8 + 8 * CHUNK as usize);
    bytes.extend([4, 0, 0, 0, 0, 0, 0, 0]);
    for bits in patterns {
        bytes.extend(2u32.to_le_bytes());
        bytes.extend(bits.to_le_bytes());
    }
    let count = bytes.len() / 8 - 1;
    bytes.splice(4..8, (count as u32 + 1).to_le_bytes());
    let written = ReaderDoc::read(&bytes)?.to_text(Style::Json)?;
    let read = ReaderDoc::from_text(&written, Style::Json)?.write();
    if read != bytes {
        let at = read
            .iter()
            .zip(&bytes)
            .position(|(a, b)| a != b)
            .unwrap_or(0)
            & !7;
        bail!(
            "reader: {:x?} became {:x?}",
            bytes.get(at..at + 8),
            read.get(at..at + 8)
        );
    }
    Ok(count as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_all_floats_keeps_its_bits() {
        for text in [Text::Json, Text::Ron, Text::Reader] {
            assert!(prove(text, Some(200_000)).unwrap() >= 190_000, "{text:?}");
        }
    }

    #[test]
    fn every_kind_of_special_pattern_keeps_its_bits() {
        let around = |bits: u32| (0..64).map(move |i| bits.wrapping_add(i).wrapping_sub(32));
        let special = [
            0,
            0x8000_0000,
            0x0080_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0xffc0_0000,
            0x3f80_0000,
            0x4b80_0000,
        ];
        for bits in special {
            array(around(bits), Style::Json).unwrap();
            array(around(bits), Style::Ron).unwrap();
            reader(around(bits)).unwrap();
        }
    }
}
