//! `cargo xtask fuzz`: mutations of golden files and of their trees, in this process, with the
//! stable toolchain.
//!
//! Run `n` of a seed is always the same mutation, regardless of the number of threads. `fuzz/` has
//! the coverage-guided targets.

use crate::{Args, golden_folders, root, trip};
use anyhow::{Result, bail, ensure};
use bytes::Bytes;
use indicatif::ProgressBar;
use rayon::prelude::*;
use refit::{
    formats::Format,
    pipeline::{self, Hints, Via},
    tree::{Folder, Source, Style},
};
use std::{
    collections::BTreeMap,
    fs,
    ops::Range,
    path::{Path, PathBuf},
    sync::Mutex,
    time::{Duration, Instant},
};

/// Maximum size of golden files: small files reach more states per second.
const LARGEST: usize = 32 << 10;
/// Time limit for a small file; exceeding it is a finding: work must be bounded by the size of the
/// input.
const SLOW: Duration = Duration::from_secs(5);

/// A file to mutate.
struct Start {
    path: String,
    bytes: Bytes,
    hints: Hints,
}

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let runs: u64 = args.value("--runs")?.unwrap_or(100_000);
    let seed: u64 = args.value("--seed")?.unwrap_or(1);
    // A finding is named SEED-RUN: repeat only that run.
    let runs = args
        .value::<u64>("--run")?
        .map_or(0..runs, |run| run..run.saturating_add(1));
    let only: Option<String> = args.value("--format")?;
    let from: Option<PathBuf> = args.value("--from")?;
    args.done()?;
    let groups = starts(from.as_deref(), only.as_deref())?;
    crate::quiet_panics();
    let findings = Mutex::new(Vec::new());
    for (format, starts) in &groups {
        let start = Instant::now();
        let counts = run(starts, runs.clone(), seed, &findings)?;
        println!(
            "{format:<11} {:>4} files  {:>9} runs of files ({} accepted)  {:>8} through text ({} accepted)  {:>8} of \
            trees ({} accepted)  {:.1} s",
            starts.len(),
            counts.bytes.0,
            counts.bytes.1,
            counts.text.0,
            counts.text.1,
            counts.tree.0,
            counts.tree.1,
            start.elapsed().as_secs_f64()
        );
    }
    let _ = std::panic::take_hook();
    let findings = findings.into_inner().unwrap_or_default();
    if findings.is_empty() {
        println!("no findings");
        return Ok(());
    }
    for finding in &findings {
        println!("{finding}");
    }
    bail!("{} findings", findings.len())
}

/// Golden files (or those below `from`) by format.
fn starts(from: Option<&Path>, only: Option<&str>) -> Result<BTreeMap<Format, Vec<Start>>> {
    let folders = match from {
        Some(from) => vec![from.to_owned()],
        None => golden_folders()?,
    };
    let mut out: BTreeMap<Format, Vec<Start>> = BTreeMap::new();
    for folder in folders {
        for entry in walkdir::WalkDir::new(&folder)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|e| e.file_name() != "trees")
        {
            let entry = entry?;
            if !entry.file_type().is_file() {
                continue;
            }
            let bytes: Bytes = fs::read(entry.path())?.into();
            let path = entry
                .path()
                .strip_prefix(root())
                .unwrap_or(entry.path())
                .display()
                .to_string();
            let Ok(found) = pipeline::recognise(&bytes, &path, Hints::default()) else {
                continue;
            };
            if bytes.len() > LARGEST || only.is_some_and(|only| found.format.name() != only) {
                continue;
            }
            let hints = Hints {
                game: found.game,
                format: Some(found.format),
            };
            out.entry(found.format)
                .or_default()
                .push(Start { path, bytes, hints });
        }
    }
    ensure!(!out.is_empty(), "no files to start from");
    Ok(out)
}

#[derive(Clone, Copy, Default)]
struct Counts {
    /// The number of runs, and how many of them were accepted.
    bytes: (u64, u64),
    text: (u64, u64),
    tree: (u64, u64),
}

impl std::ops::Add for Counts {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let add = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
        Counts {
            bytes: add(self.bytes, o.bytes),
            text: add(self.text, o.text),
            tree: add(self.tree, o.tree),
        }
    }
}

fn run(
    starts: &[Start],
    runs: Range<u64>,
    seed: u64,
    findings: &Mutex<Vec<String>>,
) -> Result<Counts> {
    let bar = ProgressBar::new(runs.end - runs.start);
    let folder = root().join("target/fuzz-findings");
    let report = |name: String, what: String, content: &[(String, Bytes)]| {
        for (file, bytes) in content {
            let path = folder.join(&name).join(file);
            let _ = path.parent().map(fs::create_dir_all);
            let _ = fs::write(path, bytes);
        }
        if let Ok(mut findings) = findings.lock() {
            findings.push(format!("target/fuzz-findings/{name}: {what}"));
        }
    };
    let trees: Vec<[Option<Folder>; 2]> = starts
        .iter()
        .map(|s| {
            [Style::Json, Style::Ron].map(|style| trip::tree(&s.bytes, &s.path, s.hints, style))
        })
        .collect();
    let counts = runs
        .into_par_iter()
        .map(|n| {
            let mut random = Random::new(seed, n);
            let which = random.below(starts.len());
            let Some(start) = starts.get(which) else {
                return Counts::default();
            };
            let mut counts = Counts::default();
            let begin = Instant::now();
            // Of eight runs, six mutate bytes, one goes through text, and one edits a tree.
            let (slot, result, content) = if n % 8 == 7 {
                let style = random.below(2);
                let Some(Some(tree)) = trees.get(which).and_then(|t| t.get(style)) else {
                    return counts;
                };
                let tree = edited(tree, &mut random);
                let result = trip::check_tree(&tree);
                let found = result.is_err() || begin.elapsed() > SLOW;
                let paths = if found { tree.paths() } else { Vec::new() };
                let content = paths
                    .into_iter()
                    .map(|p| (p.clone(), tree.get(&p).unwrap_or_default()))
                    .collect();
                (&mut counts.tree, result, content)
            } else {
                let other = starts
                    .get(random.below(starts.len()))
                    .map_or(&start.bytes, |s| &s.bytes);
                let bytes: Bytes = mutate(&start.bytes, other, &mut random).into();
                // Without hints the detection is fuzzed, too; with them every codec gets even
                // unrecognised files.
                let hints = if random.below(4) == 0 {
                    Hints::default()
                } else {
                    start.hints
                };
                let via = if n % 8 == 6 {
                    [Via::Json, Via::Ron][random.below(2)]
                } else {
                    Via::Bytes
                };
                let result = trip::check(&bytes, &start.path, hints, via);
                let slot = if via == Via::Bytes {
                    &mut counts.bytes
                } else {
                    &mut counts.text
                };
                (slot, result, vec![(trip_name(&start.path), bytes)])
            };
            slot.0 += 1;
            let name = format!("{seed}-{n}");
            match result {
                Ok(accepted) => slot.1 += u64::from(accepted),
                Err(what) => report(name.clone(), format!("{} {what}", start.path), &content),
            }
            if begin.elapsed() > SLOW {
                report(
                    name,
                    format!("{} took {:?}", start.path, begin.elapsed()),
                    &content,
                );
            }
            if n % 1024 == 0 {
                bar.inc(1024);
            }
            counts
        })
        .reduce(Counts::default, |a, b| a + b);
    bar.finish_and_clear();
    Ok(counts)
}

fn trip_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

/// SplitMix64: small, and identical on all platforms.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64, run: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ run.wrapping_mul(0xd134_2543_de82_ef95))
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `n`; 0 if `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % (n.max(1) as u64)).unwrap_or_default()
    }
}

/// Words that are critical as counts, offsets, tags and floats.
pub(crate) const WORDS: &[u32] = &[
    0,
    1,
    2,
    3,
    4,
    5,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0x0000_0094,
    0x3f80_0000,
    0xbf80_0000,
];

/// One to six changes of a file; half of the runs keep its length.
fn mutate(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let kinds = if random.below(2) == 0 { 6 } else { 11 };
    for _ in 0..1 + random.below(6) {
        let n = out.len();
        // Half of the changes are near either end, where headers and tables of contents are.
        let at = match random.below(4) {
            0 => random.below(n.min(64)),
            1 => n - random.below(n.min(192)).min(n),
            _ => random.below(n),
        };
        let end = at + random.below((n - at.min(n)).min(64) + 1);
        match random.below(kinds) {
            0 => set(&mut out, at, &[random.next() as u8]),
            1 => {
                let bit = 1 << random.below(8);
                if let Some(b) = out.get_mut(at) {
                    *b ^= bit;
                }
            }
            2 | 3 => set(
                &mut out,
                at & !3,
                &WORDS[random.below(WORDS.len())].to_le_bytes(),
            ),
            4 => {
                let at = at & !3;
                let old = out
                    .get(at..)
                    .and_then(|b| b.first_chunk().copied())
                    .map_or(0, u32::from_le_bytes);
                let step = [1, 2, 4, u32::MAX, u32::MAX - 1][random.below(5)];
                set(&mut out, at, &old.wrapping_add(step).to_le_bytes());
            }
            5 => {
                let from = random.below(n);
                let part = out
                    .get(from..(from + (end - at)).min(n))
                    .unwrap_or_default()
                    .to_vec();
                set(&mut out, at, &part);
            }
            6 => out.truncate(at),
            7 => drop(out.drain(at.min(n)..end.min(n))),
            8 => {
                let part = out.get(at..end).unwrap_or_default().to_vec();
                out.splice(at.min(n)..at.min(n), part);
            }
            9 => {
                let from = random.below(other.len());
                let part = other
                    .get(from..(from + random.below(200)).min(other.len()))
                    .unwrap_or_default()
                    .to_vec();
                out.splice(at.min(n)..at.min(n), part);
            }
            _ => out.extend((0..random.below(12)).map(|_| random.next() as u8)),
        }
    }
    out
}

fn set(out: &mut [u8], at: usize, bytes: &[u8]) {
    for (place, byte) in out.get_mut(at..).unwrap_or_default().iter_mut().zip(bytes) {
        *place = *byte;
    }
}

/// Values that someone might write in place of another one.
const TOKENS: &[&str] = &[
    "0",
    "-1",
    "1.5",
    "-0.0",
    "4294967296",
    "1e39",
    "null",
    "true",
    "\"\"",
    "\"0xffffffff\"",
    "[]",
    "{}",
    "()",
    "\"../x\"",
    "None",
];

/// A tree with one to three changes: a value replaced, a line repeated or deleted, a bracket lost,
/// a file deleted, bytes changed.
fn edited(tree: &Folder, random: &mut Random) -> Folder {
    let out = Folder::new();
    let paths = tree.paths();
    for path in &paths {
        out.set(path, tree.get(path).unwrap_or_default());
    }
    for _ in 0..1 + random.below(3) {
        let Some(path) = paths
            .get(random.below(paths.len()))
            .filter(|p| !p.starts_with(".refit"))
        else {
            continue;
        };
        let Ok(bytes) = out.get(path) else { continue };
        let Ok(text) = String::from_utf8(bytes.to_vec()) else {
            out.set(path, mutate(&bytes, &bytes, random));
            continue;
        };
        match random.below(10) {
            0 => drop(out.remove(path)),
            1..=3 => {
                let mut lines: Vec<&str> = text.lines().collect();
                let at = random.below(lines.len());
                let line = lines.get(at).copied().unwrap_or_default();
                match random.below(3) {
                    0 => lines.insert(at, line),
                    1 if !lines.is_empty() => drop(lines.remove(at)),
                    _ => {
                        let other = random.below(lines.len());
                        if !lines.is_empty() {
                            lines.swap(at, other);
                        }
                    }
                }
                out.set(path, lines.join("\n").into_bytes());
            }
            4..=8 => out.set(path, retoken(&text, random).into_bytes()),
            _ => out.set(path, mutate(text.as_bytes(), text.as_bytes(), random)),
        }
    }
    out
}

/// Replaces one word, number or string of a text.
fn retoken(text: &str, random: &mut Random) -> String {
    let break_at = |c: char| c.is_whitespace() || "[]{}(),:".contains(c);
    let spans: Vec<(usize, &str)> = text
        .split(break_at)
        .filter(|t| !t.is_empty())
        .map(|t| (t.as_ptr() as usize - text.as_ptr() as usize, t))
        .collect();
    let Some((at, token)) = spans.get(random.below(spans.len())).copied() else {
        return text.to_owned();
    };
    let new = match random.below(3) {
        0 => spans.get(random.below(spans.len())).map_or("0", |(_, t)| t),
        _ => TOKENS[random.below(TOKENS.len())],
    };
    format!(
        "{}{new}{}",
        text.get(..at).unwrap_or_default(),
        text.get(at + token.len()..).unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_finds_nothing() {
        let findings = Mutex::new(Vec::new());
        for starts in starts(None, None).unwrap().values() {
            let counts = run(starts, 0..400, 7, &findings).unwrap();
            assert!(counts.bytes.0 > 0 && counts.text.0 > 0);
        }
        assert_eq!(findings.into_inner().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_run_is_reproducible() {
        let bytes: Vec<u8> = (0..200).collect();
        let again = |n| mutate(&bytes, &bytes, &mut Random::new(3, n));
        assert_eq!(again(5), again(5));
        assert!((0..20).any(|n| again(n) != again(n + 1)));
    }
}
