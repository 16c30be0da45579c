//! `refit lint`: what is unusual.

use crate::cli::{
    events::print_original,
    findings::{explain, print},
    report::Report,
    session::Session,
};
use clap::Args;
use refit::{
    lint::{Finding, Severity},
    wire::{Result, count},
    workbench::{self, Input, edits::EditFinding, lint::Linted},
};
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

impl Lint {
    pub fn run(self, session: &Session) -> Result<()> {
        if let Some(code) = &self.explain {
            return explain(session, code);
        }
        let mut severities = [0usize; Severity::ALL.len()];
        let (mut odd, mut judged, mut failed) = (HashSet::new(), 0, false);
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
        let what = workbench::lint::Lint { paths: self.paths, new: self.new, since: self.since, largest_first: false };
        let others = what.run(&session.options()?, session, &mut |input, linted| match linted {
            Linted::Skipped(error, _) => session.detail(error.to_string()),
            Linted::Failed(error) => {
                let why = error.to_string();
                if session.global.json {
                    session.json(&Report::new(&input.path).failed(&why));
                }
                failed = true;
                session.error(why);
            }
            Linted::Across(found) => {
                let findings: Vec<Finding> = found.iter().map(|misfit| misfit.finding.clone()).collect();
                count_in(input, &findings);
                print(session, input, &findings, &found, self.all);
            }
            Linted::News(news) => {
                print_original(session, &news, &input.name());
                let found: Vec<Finding> = news.found.into_iter().map(EditFinding::finding).collect();
                judged += 1;
                count_in(input, &found);
                print(session, input, &found, &[], self.all);
            }
            Linted::Findings(found) => {
                judged += 1;
                count_in(input, &found);
                print(session, input, &found, &[], self.all);
            }
        })?;
        let odd = odd.len();
        let others = others.summary().map_or_else(String::new, |said| format!("; {said}"));
        let total: usize = severities.iter().sum();
        if total > 0 {
            session.found();
        }
        // Of files that could not be read nothing is known.
        if total == 0 && judged == 0 && failed {
            return Ok(());
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
