//! `refit report`: a report on a game that can be sent without the game.

use crate::{
    line::{Line, Paint},
    session::{Originals, Session},
};
use clap::Args;
use refit_base::{
    path::Shown,
    tree::disk::{Backup, By, Replace},
    wire::{Result, count, size},
};
use refit_workbench::game_report::{
    FieldRange, GameReport, ReportDifference, ReportVerdict, compare,
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Report on a game's files, without anything that they contain
#[derive(Args, Debug)]
pub struct Report {
    /// The game's folder, or files
    #[arg(required_unless_present = "compare", value_name = "GAME")]
    paths: Vec<PathBuf>,
    /// Save the report as a file
    #[arg(short, long, value_name = "FILE", conflicts_with = "compare")]
    output: Option<PathBuf>,
    /// Show how two saved reports differ, for example those of two editions
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with = "paths")]
    compare: Vec<PathBuf>,
    #[command(flatten)]
    originals: Originals,
}

impl Report {
    pub fn run(self, session: &Session) -> Result<()> {
        if let [a, b] = self.compare.as_slice() {
            return differences(a, b, session);
        }
        let report = GameReport::of(&self.paths, &session.options()?, session)?;
        let text = report.to_json()?;
        if session.global.json {
            session.text(text.trim_end());
        } else {
            print(&report, session);
        }
        let Some(output) = &self.output else {
            session.tell(format!(
                "the report has {}; -o FILE saves it",
                size(text.len() as u64)
            ));
            return Ok(());
        };
        let may = Replace {
            force: session.global.force,
            backup: self.originals.chosen().unwrap_or(Backup::Foreign),
            by: By::Edit,
            ..Replace::default()
        };
        session.write_file(output, text.as_bytes(), may)?;
        session.tell(format!(
            "{} ({}){}",
            output.shown(),
            size(text.len() as u64),
            session.would()
        ));
        Ok(())
    }
}

/// Prints what a report says, in short.
fn print(report: &GameReport, session: &Session) {
    let bytes = report.files.iter().map(|file| file.bytes).sum();
    let verdicts = [
        ReportVerdict::Exact,
        ReportVerdict::Raw,
        ReportVerdict::Failed,
        ReportVerdict::Other,
    ];
    let parts: Vec<String> = verdicts
        .into_iter()
        .map(|verdict| (verdict.word(), report.with(verdict)))
        .filter(|(_, n)| *n > 0)
        .map(|(word, n)| format!("{word} {n}"))
        .collect();
    session.tell(format!(
        "{}, {}: {}",
        count(report.files.len(), "file"),
        size(bytes),
        parts.join(", ")
    ));
    for file in &report.files {
        if let Some(error) = &file.error {
            session.tell(
                Line::new()
                    .paint(Paint::Red, "failed")
                    .text(format!(" {}: {}", file.name, error.kind)),
            );
        }
    }
    let findings = report.findings();
    let width = findings.iter().map(|(code, ..)| code.len()).max();
    for (code, severity, n, files) in &findings {
        session.tell(format!(
            "  {severity:7}  {code:width$}  {} in {}",
            count(*n, "finding"),
            count(*files, "file"),
            width = width.unwrap_or_default()
        ));
    }
    for (kind, fields) in &report.unknown {
        let values = |range: &FieldRange| range.values;
        let values: u64 = fields.values().map(values).sum();
        session.tell(format!(
            "  unknown  {kind}: {} of {}",
            count(usize::try_from(values).unwrap_or(usize::MAX), "value"),
            count(fields.len(), "field")
        ));
    }
    session.tell("it has names, sizes and sums of files, codes and places of findings, ranges of unknown numbers;");
    session
        .tell("no text, picture, sound or vertex of the game, and no name except those of files");
}

/// Prints the differences of two reports.
fn differences(a: &Path, b: &Path, session: &Session) -> Result<()> {
    let (first, second) = (GameReport::load(a)?, GameReport::load(b)?);
    if first.refit != second.refit {
        session.warn(format!(
            "refit {} made the first report, refit {} the second: findings may differ for that reason",
            first.refit, second.refit
        ));
    }
    let rows = compare(&first, &second);
    for row in &rows {
        session.found();
        if session.global.json {
            session.json(&json!(row));
        } else {
            session.tell(line(row));
        }
    }
    session.tell(match rows.len() {
        0 => format!("{} and {} are equal", a.shown(), b.shown()),
        n => count(n, "difference"),
    });
    Ok(())
}

/// A difference for people.
fn line(ReportDifference { path, what, a, b }: &ReportDifference) -> Line {
    let place = if path.is_empty() {
        what.clone()
    } else {
        format!("{path}: {what}")
    };
    match (a, b) {
        (Some(a), None) if what == "file" => Line::new()
            .paint(Paint::Red, "-")
            .text(format!(" {path} ({a})")),
        (None, Some(b)) if what == "file" => Line::new()
            .paint(Paint::Green, "+")
            .text(format!(" {path} ({b})")),
        (a, b) => {
            let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "none".to_owned());
            Line::new().text(format!("  {place}: {} → {}", side(a), side(b)))
        }
    }
}
