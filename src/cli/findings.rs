//! Prints findings, and what their codes mean.

use super::{
    line::{Line, Paint},
    session::Session,
    wrap::fill,
};
use refit_base::{
    lint::{self, Finding, Severity},
    wire::{Error, Result, count, did_you_mean, place},
};
use refit_files::registry;
use refit_index::lints::{CODES, Misfit};
use refit_workbench::Input;
use serde_json::json;

/// Findings of one code in one file that are printed without `--all`.
const SHOWN: usize = 20;

/// Prints findings; for those across files, `across` has the other place and the game's reaction.
pub fn print(session: &Session, input: &Input, found: &[Finding], across: &[Misfit], all: bool) {
    let path = input.name();
    if session.global.json {
        for (i, finding) in found.iter().enumerate() {
            let misfit = across.get(i);
            let row = [
                ("code", finding.code.into()),
                ("severity", json!(finding.severity)),
                ("at", finding.path.as_str().into()),
                ("message", finding.message.as_str().into()),
                ("more", Some(finding.more).filter(|more| *more > 0).into()),
                (
                    "other",
                    misfit
                        .map(|misfit| misfit.other.as_str())
                        .filter(|other| !other.is_empty())
                        .into(),
                ),
                ("reaction", misfit.map(|misfit| misfit.reaction).into()),
            ];
            session.row(&input.path, row);
        }
        session.flush();
        return;
    }
    for group in found.chunk_by(|a, b| a.code == b.code) {
        let shown = if all { group.len() } else { SHOWN };
        for finding in group.iter().take(shown) {
            let (paint, word) = (Paint::of(finding.severity), finding.severity.word());
            let rest = format!(
                " [{}] {}",
                finding.code,
                place([&finding.path, &finding.message])
            );
            session.tell(
                Line::new()
                    .text(format!("{path}: "))
                    .paint(paint, word)
                    .text(rest),
            );
        }
        let unlisted: usize = group
            .iter()
            .skip(shown)
            .map(|finding| 1 + finding.more)
            .sum();
        if let (more @ 1.., Some(first)) = (unlisted, group.first()) {
            session.tell(format!(
                "{path}: … and {} more [{}] (--all shows them)",
                count(more, "finding"),
                first.code
            ));
        }
    }
}

/// Explains the given code, or lists all.
pub fn explain(session: &Session, wanted: &str) -> Result<()> {
    let mut codes: Vec<&lint::Code> = registry::codes()
        .chain(CODES.iter().copied())
        .filter(|code| wanted.is_empty() || code.code.eq_ignore_ascii_case(wanted))
        .collect();
    codes.sort_by_key(|code| code.code);
    if codes.is_empty() {
        let near = did_you_mean(
            wanted,
            registry::codes()
                .chain(CODES.iter().copied())
                .map(|code| code.code),
        );
        return Err(Error::say(format!("no finding has the code {wanted:?}"))
            .hint(near.unwrap_or_else(|| "`refit lint --explain` lists all".into())));
    }
    let width = codes.iter().map(|code| code.code.len()).max().unwrap_or(0);
    for code in codes {
        let severity = code.severity.word();
        if session.global.json {
            session.json(code);
        } else if wanted.is_empty() {
            session.line(format!(
                "{:width$}  {severity:7}  {}",
                code.code, code.title
            ));
        } else {
            session.line(
                Line::new()
                    .paint(Paint::Bold, code.code)
                    .text(format!(" ({severity}): {}", code.title)),
            );
            session.text(&format!("\n{}", fill(code.explain, session.columns())));
            let known: Vec<&str> = code.games.iter().map(|game| game.title()).collect();
            let known = match (known.as_slice(), code.severity) {
                ([], _) => String::new(),
                (known, Severity::Unusual) => format!(" Known for: {}.", known.join(", ")),
                (known, _) => format!(
                    " Known for: {}; one severity lower in the other games.",
                    known.join(", ")
                ),
            };
            session.text(&format!(
                "\n{}",
                fill(
                    &format!("Evidence: {}{known}", code.fact),
                    session.columns()
                )
            ));
        }
    }
    Ok(())
}
