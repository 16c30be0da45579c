//! Random user actions with a game: nothing may be lost, no secret leaves, no command brings a
//! finding of its own. The steps and the models are in `roundtrip_tests::sequences` and
//! `roundtrip_tests::verbs`.
//!
//! A failure prints its seed; `cargo xtask sequences --seed N` repeats it; without a seed it runs
//! for ever.

use roundtrip_tests::{
    sequences::{Saves, sequences},
    verbs::Verbs,
};

/// Sequences, and steps of each.
const SEQUENCES: u64 = 40;
const STEPS: usize = 52;

/// Under Wine a run of the program takes a second: `xtask windows` sets this to play one in so many
/// sequences.
const ONE_IN: &str = "REFIT_ONE_SEQUENCE_IN";

fn one_in() -> usize {
    let set = std::env::var(ONE_IN).ok();
    set.and_then(|set| set.parse().ok()).unwrap_or(1)
}

#[test]
fn no_user_action_loses_work() {
    let (began, part) = (std::time::Instant::now(), one_in());
    let (played, runs, findings) =
        sequences::<Saves>((0..SEQUENCES).step_by(part), STEPS, &|_, _| ());
    println!(
        "{played} sequences of {STEPS} steps, {runs} runs of the program, {:.1} s",
        began.elapsed().as_secs_f64()
    );
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
    // Many steps find nothing to do: a tree that is not there, a mod that was not made.
    assert!(
        played * part * STEPS >= 2_000 && (runs > 1_500 || part > 1),
        "{runs}"
    );
}

#[test]
fn no_verb_loses_work_leaks_a_secret_or_makes_a_finding() {
    let part = one_in();
    let (played, runs, findings) = sequences::<Verbs>((0..12).step_by(part), 40, &|_, _| ());
    println!("{played} sequences of 40 steps, {runs} runs of the program");
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
    assert!(runs * part > 600, "{runs}");
}
