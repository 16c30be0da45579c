//! Random user actions with a game: nothing may be lost. The steps and the model are in `roundtrip_tests::sequences`.
//!
//! A failure prints its seed; `cargo xtask sequences --seed N` repeats it; without a seed it runs for ever.

use roundtrip_tests::sequences::sequences;

/// Sequences, and steps of each.
const SEQUENCES: u64 = 40;
const STEPS: usize = 52;

#[test]
fn no_user_action_loses_work() {
    let began = std::time::Instant::now();
    let (played, runs, findings) = sequences(0..SEQUENCES, STEPS, &|_, _| ());
    println!("{played} sequences of {STEPS} steps, {runs} runs of the program, {:.1} s", began.elapsed().as_secs_f64());
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
    // Many steps find nothing to do: a tree that is not there, a mod that was not made.
    assert!(SEQUENCES as usize * STEPS >= 2_000 && runs > 1_500, "{runs}");
}
