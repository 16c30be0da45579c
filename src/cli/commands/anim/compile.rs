//! `refit anim compile` and `check`.

use crate::{events::print_news, session::Session};
use clap::Args;
use refit_anim_source::{self as anim_source, Compiled, Status};
use refit_base::{
    lint::{Finding, Severity},
    path::Shown,
    tree::disk::{self, Replace},
    wire::{Error, Result, count, place},
};
use refit_workbench::{anim, definitions::counts};
use std::path::PathBuf;

/// Compile definitions into an animation file
#[derive(Args, Debug)]
#[command(after_help = include_str!("../../help/anim-compile.txt"))]
pub(super) struct Compile {
    /// Output file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    compile: anim::Compile,
}

/// Prints the result for the entries. An entry that does not fit is an error if a file is `made`,
/// otherwise a finding.
fn print(session: &Session, compiled: &Compiled, against: bool, made: bool) {
    let say = |entry: &str, finding: &Finding| {
        let text = place([&finding.path, entry, &finding.message]);
        if finding.severity == Severity::Unusual {
            session.detail(text);
        } else {
            session.finding(finding.severity, format!("{text} [{}]", finding.code), None);
        }
    };
    let mut failed = 0;
    compiled
        .findings
        .iter()
        .for_each(|finding| say("", finding));
    for entry in &compiled.entries {
        let name = format!("{} ({})", entry.definition, entry.root);
        let is_limit = |finding: &&Finding| finding.code == anim_source::LIMIT.code;
        for finding in entry
            .findings
            .iter()
            .filter(|finding| !made || !is_limit(finding))
        {
            say(&name, finding);
        }
        if let Some(error) = &entry.error
            && (made || !entry.findings.iter().any(|finding| is_limit(&finding)))
        {
            failed += 1;
            if failed <= ERRORS {
                session.error(error);
            }
        }
        if session.global.json {
            session.json(entry);
        } else if against
            && !matches!(
                entry.status,
                Status::Equal | Status::Failed | Status::LeftOut
            )
        {
            let word = match entry.status {
                Status::New => "new",
                Status::Gone => "gone",
                _ => "changed",
            };
            session.tell(format!("{word:8} {name}"));
        }
    }
    if failed > ERRORS {
        session.error(format!(
            "… and {} could not be compiled either",
            count(failed - ERRORS, "definition")
        ));
    }
    if compiled.has_findings() {
        session.found();
    }
}

/// Errors that are printed one by one: a pattern makes thousands of one mistake.
const ERRORS: usize = 20;

/// Prints on one line which definitions have no entry, if that is not a finding: missions share
/// definitions.
fn print_left_out(session: &Session, compiled: &Compiled) {
    let left_out: Vec<&anim_source::EntryReport> = compiled
        .entries
        .iter()
        .filter(|entry| entry.status == Status::LeftOut)
        .collect();
    let Some(first) = left_out.first().and_then(|entry| entry.findings.first()) else {
        return;
    };
    let more = match left_out.len() - 1 {
        0 => String::new(),
        n => format!(", and {} more", count(n, "definition")),
    };
    session.warn(format!(
        "{}: {}{more} (-v lists them, --strict makes them errors)",
        first.path, first.message
    ));
}

impl Compile {
    pub(super) fn run(self, session: &Session) -> Result<()> {
        let may = Replace::new(session.global.force);
        disk::check_file(&self.output, may)?;
        let Compile { output, compile } = self;
        let made = compile.run(&output, session.hints())?;
        print(session, &made.compiled, compile.base.is_some(), true);
        made.notes
            .iter()
            .for_each(|note| session.warn(format!("{}: {note}", output.shown())));
        print_left_out(session, &made.compiled);
        if made.compiled.has_failed() {
            return Err(Error::say(format!(
                "{}: not written, {}",
                output.shown(),
                counts(&made.compiled)
            )));
        }
        if let Some(news) = &made.news {
            print_news(session, news, &output.shown());
        }
        session.write_file(&output, &made.bytes()?, may)?;
        let from = compile
            .sources
            .first()
            .map_or_else(String::new, |path| path.shown());
        session.tell(format!(
            "{from} → {} ({}{})",
            output.shown(),
            counts(&made.compiled),
            session.would()
        ));
        Ok(())
    }
}

/// Check definitions without compiling: what would change, and what would break in the game
#[derive(Args, Debug)]
#[command(after_help = include_str!("../../help/anim-check.txt"))]
pub(super) struct Check {
    #[command(flatten)]
    check: anim::Check,
}

impl Check {
    pub(super) fn run(self, session: &Session) -> Result<()> {
        let made = self.check.run(session.hints())?;
        print(session, &made.compiled, self.check.against.is_some(), false);
        let first = self
            .check
            .sources
            .first()
            .map_or_else(String::new, |path| path.shown());
        if let Some(news) = &made.news {
            print_news(session, news, &first);
        }
        let found = if made.compiled.has_findings() {
            ", with findings"
        } else {
            ""
        };
        session.tell(format!("{first}: {}{found}", counts(&made.compiled)));
        Ok(())
    }
}
