//! Lints every file of a game that refit reads: `cargo run --example lint_game -- FOLDER`.

use refit::{
    Hints,
    lint::Severity,
    pipeline::{lint, load, read, recognise},
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: lint_game FOLDER")?;
    let mut worst = Severity::Unusual;
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.path().to_string_lossy();
        let file = load(entry.path())?;
        // Files of other programs are skipped.
        let Ok(found) = recognise(&file, &path, Hints::default()) else { continue };
        for finding in lint(read(&file, found)?.model.model())? {
            println!("{path}: {}: {} [{}]", finding.path, finding.message, finding.code);
            worst = worst.max(finding.severity);
        }
    }
    println!("the worst finding is {worst:?}");
    Ok(())
}
