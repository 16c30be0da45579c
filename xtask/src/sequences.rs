//! `cargo xtask sequences`: random sequences of user actions on a game, run until data is lost
//! (roundtrip-tests/src/sequences.rs).

use crate::Args;
use anyhow::{Result, bail};
use roundtrip_tests::sequences::sequences;
use std::time::SystemTime;

/// Number of steps in a sequence.
const STEPS: usize = 52;

/// The task.
pub fn task(mut args: Args) -> Result<()> {
    let seed: Option<u64> = args.value("--seed")?;
    let steps = args.value("--steps")?.unwrap_or(STEPS);
    args.done()?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    // Start at different seeds each time, far beyond those of the test.
    let from = now << 20;
    let said = |played: usize, runs: usize| {
        if played.is_multiple_of(20) {
            println!("{played} sequences, {} steps, {runs} runs of the program", played * steps);
        }
    };
    let (played, runs, findings) = match seed {
        Some(seed) => sequences(std::iter::once(seed), steps, &said),
        None => sequences(from.., steps, &said),
    };
    if !findings.is_empty() {
        bail!("{}", findings.join("\n\n"));
    }
    println!("{played} sequences of {steps} steps, {runs} runs of the program: nothing is lost");
    Ok(())
}
