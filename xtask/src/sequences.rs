//! `cargo xtask sequences`: random sequences of user actions on a game, run until data is lost
//! (roundtrip-tests/src/sequences.rs).

use crate::Args;
use anyhow::{Result, bail};
use roundtrip_tests::{
    sequences::{Model, Saves, sequences},
    verbs::Verbs,
};
use std::time::SystemTime;

/// Number of steps in a sequence.
const STEPS: usize = 52;

/// The task. Without a model, one sequence of each in turn.
pub fn task(mut args: Args) -> Result<()> {
    let seed: Option<u64> = args.value("--seed")?;
    let steps = args.value("--steps")?.unwrap_or(STEPS);
    let model: Option<String> = args.value("--model")?;
    let most: Option<usize> = args.value("--sequences")?;
    args.done()?;
    match model.as_deref() {
        Some(Saves::NAME) => run::<Saves>(seed, steps, most),
        Some(Verbs::NAME) => run::<Verbs>(seed, steps, most),
        Some(other) => bail!(
            "there is no model {other}: {} or {}",
            Saves::NAME,
            Verbs::NAME
        ),
        None => loop {
            run::<Saves>(seed, steps, Some(most.unwrap_or(20)))?;
            run::<Verbs>(seed, steps, Some(most.unwrap_or(20)))?;
            if seed.is_some() || most.is_some() {
                return Ok(());
            }
        },
    }
}

fn run<M: Model>(seed: Option<u64>, steps: usize, most: Option<usize>) -> Result<()> {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    // Start at different seeds each time, far beyond those of the test.
    let from = now << 20;
    let said = |played: usize, runs: usize| {
        if played.is_multiple_of(20) {
            println!(
                "{}: {played} sequences, {} steps, {runs} runs of the program",
                M::NAME,
                played * steps
            );
        }
    };
    let (played, runs, findings) = match seed {
        Some(seed) => sequences::<M>(std::iter::once(seed), steps, &said),
        None => sequences::<M>((from..).take(most.unwrap_or(usize::MAX)), steps, &said),
    };
    if !findings.is_empty() {
        bail!("{}", findings.join("\n\n"));
    }
    println!(
        "{}: {played} sequences of {steps} steps, {runs} runs of the program: no fault",
        M::NAME
    );
    Ok(())
}
