//! `cargo xtask damage`: cuts every golden file at every length, and changes each of its bytes.
//!
//! The tests do this for files of up to 4,096 bytes with one change per byte, and at 200 positions
//! in larger files; here nothing is left out.

use crate::{Args, golden_folders, root, trip};
use anyhow::{Result, bail, ensure};
use bytes::Bytes;
use rayon::prelude::*;
use refit::pipeline::{Hints, Via};
use std::{fs, str::FromStr, time::Instant};

/// The changes of a byte: its lowest bit, its highest bit, all bits, one in the middle. `--all`
/// makes all 255.
const CHANGES: [u8; 4] = [0x01, 0x80, 0xff, 0x10];

/// The round trip that the damaged file goes through.
#[derive(Clone, Copy)]
struct Through(Via);

impl FromStr for Through {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "bytes" => Ok(Through(Via::Bytes)),
            "json" => Ok(Through(Via::Json)),
            "ron" => Ok(Through(Via::Ron)),
            _ => Err("expected bytes, json or ron".to_owned()),
        }
    }
}

/// The changes of a byte: four, or all 255.
fn changes(all: bool) -> Vec<u8> {
    if all {
        (1..=255).collect()
    } else {
        CHANGES.to_vec()
    }
}

/// Checks every cut and every change of a file at every `every`-th position; returns the number of
/// checks, and the findings.
fn file(path: &str, bytes: &Bytes, via: Via, every: usize, changes: &[u8]) -> (u64, Vec<String>) {
    let places: Vec<usize> = (0..bytes.len()).step_by(every).collect();
    let findings = places.par_iter().flat_map_iter(|at| {
        let check = |bytes: Bytes, what: &str| {
            trip::check(&bytes, path, Hints::default(), via)
                .err()
                .map(|why| format!("{path}: {what}: {why}"))
        };
        let mut findings: Vec<String> = check(bytes.slice(..*at), &format!("cut to {at} bytes"))
            .into_iter()
            .collect();
        let mut damaged = bytes.to_vec();
        for change in changes {
            let Some(byte) = damaged.get_mut(*at) else {
                break;
            };
            *byte ^= change;
            findings.extend(check(
                damaged.clone().into(),
                &format!("byte {at:#x} xor {change:#04x}"),
            ));
            if let Some(byte) = damaged.get_mut(*at) {
                *byte ^= change;
            }
        }
        findings
    });
    let findings = findings.collect();
    (places.len() as u64 * (1 + changes.len() as u64), findings)
}

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let only: Option<String> = args.value("--format")?;
    let Through(via) = args.value("--via")?.unwrap_or(Through(Via::Bytes));
    let every = args.value("--every")?.unwrap_or(1usize).max(1);
    let changes = changes(args.flag("--all"));
    args.done()?;
    crate::quiet_panics();
    let (mut all, mut files) = (Vec::new(), 0);
    for folder in golden_folders()? {
        let format = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if only.as_ref().is_some_and(|only| *only != format) {
            continue;
        }
        let (start, mut runs, mut count) = (Instant::now(), 0, 0);
        let sums = fs::read_to_string(folder.join("SHA256SUMS"))?;
        for name in sums
            .lines()
            .filter_map(|line| line.split_once("  "))
            .map(|(_, name)| name)
        {
            let path = folder.join(name);
            let bytes: Bytes = fs::read(&path)?.into();
            let shown = path
                .strip_prefix(root())
                .unwrap_or(&path)
                .display()
                .to_string();
            let (done, findings) = file(&shown, &bytes, via, every, &changes);
            (runs, count) = (runs + done, count + 1);
            all.extend(findings);
        }
        files += count;
        println!(
            "{format:<11} {count:>4} files  {runs:>10} damaged files  {:.1} s",
            start.elapsed().as_secs_f64()
        );
    }
    let _ = std::panic::take_hook();
    ensure!(files > 0, "no files to damage");
    if all.is_empty() {
        println!("no findings");
        return Ok(());
    }
    for finding in &all {
        println!("{finding}");
    }
    bail!("{} findings", all.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_and_every_change_is_tried() {
        let path = "golden/motion/motion_mw_no_parts.zbd";
        let bytes: Bytes = fs::read(root().join(path)).unwrap().into();
        let (runs, findings) = file(path, &bytes, Via::Bytes, 1, &changes(false));
        assert_eq!(runs, 5 * bytes.len() as u64);
        assert_eq!(findings, [""; 0]);
        assert_eq!(
            file(path, &bytes, Via::Json, 100, &changes(true)).0,
            bytes.len().div_ceil(100) as u64 * 256
        );
    }
}
