//! `refit lint`: what is unusual.

use crate::cli::{
    events::print_original,
    line::{Line, Paint},
    report::Report,
    session::Session,
    wrap::fill,
};
use clap::Args;
use refit::{
    index::lints::{CODES, Misfit},
    lint::{self, Finding, Severity},
    registry,
    wire::{Error, Result, count, did_you_mean},
    workbench::{self, Input, edits::EditFinding, lint::Linted},
};
use serde_json::json;
use std::{collections::HashSet, path::PathBuf};

/// Tell what is unusual in files or trees
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit lint reader.zbd
  refit lint C:\\Games\\MW3 --json
  refit lint reader --new          what the edits of a tree brought in
  refit lint C:\\Games\\MW3 --since mymod    what the edits of a project brought in
  refit lint --explain odd-value   what a code means, and what it rests on
  refit lint --explain             all codes

What the game does with the value: refuses the file, crashes, ignores the value, behaves differently, or the value is \
merely unusual, which is all that shipped files have.

In a game's folder or a project, names are followed across files, too: such a finding says what the game does and \
where it looks.

Exit code 3 if there are findings, else 0.")]
pub struct Lint {
    /// Files, trees, or folders with files at any depth
    #[arg(required_unless_present = "explain", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Explain a code, or list all codes
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "")]
    explain: Option<String>,
    /// Only what the file that a tree was unpacked from (or that is kept as NAME.orig beside a file) does not have
    #[arg(long)]
    new: bool,
    /// Only what edits brought in since a project was unpacked: names that mean nothing now, or something else
    #[arg(long, value_name = "PROJECT")]
    since: Option<PathBuf>,
    /// All findings, also when there are hundreds of one kind
    #[arg(long)]
    all: bool,
}

/// Findings of one code in one file that are printed without `--all`.
const SHOWN: usize = 20;

impl Lint {
    pub fn run(self, session: &Session) -> Result<()> {
        if let Some(code) = &self.explain {
            return explain(session, code);
        }
        let mut severities = [0usize; Severity::ALL.len()];
        let (mut odd, mut judged) = (HashSet::new(), 0);
        let mut count_in = |input: &Input, found: &[Finding]| {
            if !found.is_empty() {
                odd.insert(input.path.clone());
            }
            for finding in found {
                if let Some(n) = severities.get_mut(finding.severity as usize) {
                    *n += 1 + finding.more;
                }
            }
        };
        let what = workbench::lint::Lint { paths: self.paths, new: self.new, since: self.since };
        let others = what.run(&session.options()?, session, &mut |input, linted| match linted {
            Linted::Skipped(error, _) => session.detail(error.to_string()),
            Linted::Failed(error) => {
                let why = error.to_string();
                if session.global.json {
                    session.json(&Report::new(&input.path).failed(&why));
                }
                session.error(why);
            }
            Linted::Across(found) => {
                let findings: Vec<Finding> = found.iter().map(|misfit| misfit.finding.clone()).collect();
                count_in(input, &findings);
                tell(session, input, &findings, &found, self.all);
            }
            Linted::News(news) => {
                print_original(session, &news, &input.name());
                let found: Vec<Finding> = news.found.into_iter().map(EditFinding::finding).collect();
                judged += 1;
                count_in(input, &found);
                tell(session, input, &found, &[], self.all);
            }
            Linted::Findings(found) => {
                judged += 1;
                count_in(input, &found);
                tell(session, input, &found, &[], self.all);
            }
        })?;
        let odd = odd.len();
        let others = others.summary().map_or_else(String::new, |said| format!("; {said}"));
        let total: usize = severities.iter().sum();
        if total > 0 {
            session.found();
        }
        if total == 0 {
            session.tell(format!("nothing unusual in {}{others}", count(judged, "file")));
            return Ok(());
        }
        let total = count(total, "finding");
        let all = severities.iter().zip(Severity::ALL).rev().filter(|(n, _)| **n > 0);
        let parts = all.map(|(n, severity)| format!("{} {n}", severity.word())).collect::<Vec<_>>().join(", ");
        session.tell(format!("{total} ({parts}) in {odd} of {}{others}", count(judged, "file")));
        Ok(())
    }
}

/// Prints findings; of those across files, `across` says the other place and what the game does.
fn tell(session: &Session, input: &Input, found: &[Finding], across: &[Misfit], all: bool) {
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
                ("other", misfit.map(|misfit| misfit.other.as_str()).into()),
                ("reaction", misfit.map(|misfit| misfit.reaction).into()),
            ];
            session.row(&input.path, &row);
        }
        session.flush();
        return;
    }
    for group in found.chunk_by(|a, b| a.code == b.code) {
        let shown = if all { group.len() } else { SHOWN };
        for finding in group.iter().take(shown) {
            let (paint, word) = (Paint::of(finding.severity), finding.severity.word());
            let place = if finding.path.is_empty() { String::new() } else { format!("{}: ", finding.path) };
            let rest = format!(" [{}] {place}{}", finding.code, finding.message);
            session.tell(Line::new().text(format!("{path}: ")).paint(paint, word).text(rest));
        }
        let unlisted: usize = group.iter().skip(shown).map(|finding| 1 + finding.more).sum();
        if let (more @ 1.., Some(first)) = (unlisted, group.first()) {
            session.tell(format!("{path}: … and {} more [{}] (--all shows them)", count(more, "finding"), first.code));
        }
    }
}

fn explain(session: &Session, wanted: &str) -> Result<()> {
    let mut codes: Vec<&lint::Code> = registry::codes()
        .chain(CODES.iter().copied())
        .filter(|code| wanted.is_empty() || code.code.eq_ignore_ascii_case(wanted))
        .collect();
    codes.sort_by_key(|code| code.code);
    if codes.is_empty() {
        let near = did_you_mean(wanted, registry::codes().chain(CODES.iter().copied()).map(|code| code.code));
        return Err(Error::say(format!("no finding has the code {wanted:?}"))
            .hint(near.unwrap_or_else(|| "`refit lint --explain` lists all".into())));
    }
    let width = codes.iter().map(|code| code.code.len()).max().unwrap_or(0);
    for code in codes {
        let severity = code.severity.word();
        let games: Vec<&str> = code.games.iter().map(|game| game.code()).collect();
        if session.global.json {
            session.json(&json!({
                "code": code.code, "severity": code.severity, "games": games, "title": code.title,
                "explain": code.explain, "fact": code.fact,
            }));
        } else if wanted.is_empty() {
            session.line(format!("{:width$}  {severity:7}  {}", code.code, code.title));
        } else {
            session.line(Line::new().paint(Paint::Bold, code.code).text(format!(" ({severity}): {}", code.title)));
            session.text(&format!("\n{}", fill(code.explain, session.columns())));
            let known: Vec<&str> = code.games.iter().map(|game| game.title()).collect();
            let known = match (known.as_slice(), code.severity) {
                ([], _) => String::new(),
                (known, Severity::Unusual) => format!(" Known of: {}.", known.join(", ")),
                (known, _) => format!(" Known of: {}; told one step milder in the other games.", known.join(", ")),
            };
            session.text(&format!("\n{}", fill(&format!("Rests on: {}{known}", code.fact), session.columns())));
        }
    }
    Ok(())
}
