//! Lints a game, a folder or a project, also across its files:
//! `cargo run --example lint_game -- FOLDER`.

use refit::{
    lint::Severity,
    workbench::{
        Options, Quiet,
        lint::{Lint, Linted},
    },
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: lint_game FOLDER")?;
    let mut worst = Severity::Unusual;
    let lint = Lint {
        paths: vec![folder.into()],
        ..Lint::default()
    };
    lint.run(&Options::default(), &Quiet, &mut |input, linted| {
        let found = match linted {
            Linted::Findings(found, _) => found,
            Linted::Across(found) => found.into_iter().map(|misfit| misfit.finding).collect(),
            Linted::Failed(error) => return eprintln!("{error}"),
            _ => return,
        };
        for finding in found {
            println!(
                "{}: {}: {} [{}]",
                input.path.display(),
                finding.path,
                finding.message,
                finding.code
            );
            worst = worst.max(finding.severity);
        }
    })?;
    println!("the worst finding is {worst:?}");
    Ok(())
}
