//! `refit lint`: reports unusual values.

use crate::{
    events::print_original,
    findings::{explain, print},
    session::Session,
};
use clap::Args;
use refit_base::{
    lint::{Finding, Severity, Unjudged},
    wire::{Result, count, place},
};
use refit_workbench::{
    self as workbench, Input, configs::Search, edits::EditFinding, lint::Linted, report::Report,
};
use std::{
    collections::{BTreeMap, HashSet},
    path::PathBuf,
};

/// Report unusual and wrong values, and what the game does with them
#[derive(Args, Debug)]
pub struct Lint {
    /// Files, trees, or folders that contain them
    #[arg(required_unless_present = "explain", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Explain a code, or list all codes
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "")]
    explain: Option<String>,
    /// Only new findings: compare a tree with the file that it came from, and a file with its
    /// NAME.orig
    #[arg(long)]
    new: bool,
    /// Only findings that the edits of this project introduced, such as names that no longer
    /// resolve
    #[arg(long, value_name = "PROJECT")]
    since: Option<PathBuf>,
    /// What comes from elsewhere: the folder of a game or of a mod. What addons name and is neither
    /// there nor among PATH is reported; repeatable
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["new", "since"])]
    with: Vec<PathBuf>,
    /// A folder that has files which configs include: laid out as the drive P:, another project, or
    /// headers; repeatable
    #[arg(short = 'I', value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Print all findings, even hundreds of one kind
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
        let mut open = Open::default();
        let what = workbench::lint::Lint {
            paths: self.paths,
            new: self.new,
            since: self.since,
            with: self.with,
            search: Search {
                folders: self.folders,
                prefix: None,
                within: None,
            },
            largest_first: false,
        };
        let others = what.run(&session.options()?, session, &mut |input, linted| {
            judged += usize::from(matches!(linted, Linted::News(_) | Linted::Findings(..)));
            let (found, across): (Vec<Finding>, _) = match linted {
                Linted::Skipped(error, _) => return session.detail(error.to_string()),
                Linted::Failed(error) => {
                    if session.global.json {
                        session.json(&Report::new(&input.path).failed(&error));
                    }
                    failed = true;
                    return session.error(error);
                }
                Linted::Across(found) => (
                    found.iter().map(|misfit| misfit.finding.clone()).collect(),
                    found,
                ),
                Linted::News(news) => {
                    print_original(session, &news, &input.name());
                    (
                        news.found.into_iter().map(EditFinding::finding).collect(),
                        Vec::new(),
                    )
                }
                Linted::Findings(found, unjudged) => {
                    open.add(session, input, unjudged);
                    (found, Vec::new())
                }
            };
            if !found.is_empty() {
                odd.insert(input.path.clone());
            }
            for finding in &found {
                if let Some(n) = severities.get_mut(finding.severity as usize) {
                    *n += 1 + finding.more;
                }
            }
            print(session, input, &found, &across, self.all);
        })?;
        open.print(session);
        let odd = odd.len();
        let others = others
            .summary()
            .map_or_else(String::new, |summary| format!("; {summary}"));
        let total: usize = severities.iter().sum();
        if total > 0 {
            session.found();
        }
        // Of files that could not be read nothing is known.
        if total == 0 && judged == 0 && failed {
            return Ok(());
        }
        if total == 0 {
            session.tell(format!(
                "nothing unusual in {}{others}",
                count(judged, "file")
            ));
            return Ok(());
        }
        let total = count(total, "finding");
        let all = severities
            .iter()
            .zip(Severity::ALL)
            .rev()
            .filter(|(n, _)| **n > 0);
        let parts = all
            .map(|(n, severity)| format!("{} {n}", severity.word()))
            .collect::<Vec<_>>()
            .join(", ");
        session.tell(format!(
            "{total} ({parts}) in {odd} of {}{others}",
            count(judged, "file")
        ));
        Ok(())
    }
}

/// The parts of files that could not be judged, by the reason.
#[derive(Default)]
struct Open(BTreeMap<String, (String, usize)>);

impl Open {
    fn add(&mut self, session: &Session, input: &Input, unjudged: Vec<Unjudged>) {
        for Unjudged { path, why } in unjudged {
            if session.global.json {
                let row = [
                    ("at", path.as_str().into()),
                    ("unjudged", why.as_str().into()),
                ];
                session.row(&input.path, row);
            }
            let (_, more) = self
                .0
                .entry(why)
                .or_insert_with(|| (place([&input.name(), &path]), 0));
            *more += 1;
        }
    }

    /// Prints each reason with the first of its files.
    fn print(&self, session: &Session) {
        if session.global.json {
            return;
        }
        for (why, (first, n)) in &self.0 {
            let more = match n {
                1 => String::new(),
                n => format!(" and {} more", n - 1),
            };
            session.tell(format!("not judged: {first}{more}: {why}"));
        }
    }
}
