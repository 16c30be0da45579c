//! `refit verify`: proves the round trip of files, nothing is written.

use super::{
    paths::{self, Input},
    session::{Line, Paint, Report, Session, Status, about, count, size},
};
use clap::Args;
use refit::{
    wire::Result,
    work::{self, Hints, Via},
};
use std::path::PathBuf;

/// Prove that files survive unpacking and repacking bit for bit; nothing is written
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit verify reader.zbd
  refit verify C:\\Games\\MW3             every recognised file below the folder
  refit verify --via ron --json zbd     through RON text, one JSON object per line

Every file is `exact` (structured and identical), `raw` (identical, but something stayed plain bytes: please report it)
or an error. Below a folder, files of other kinds are skipped and counted.")]
pub struct Verify {
    /// Files, or folders with files at any depth
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What the proof goes through
    #[arg(long, value_name = "FORM", default_value = "json")]
    via: Via,
}

/// Proves one file. `full` adds what `--json` prints and a person does not ask for.
fn prove(input: &Input, hints: Hints, via: Via, full: bool) -> Report {
    let mut report = Report::new(&input.path);
    let name = input.name();
    let file = match work::load(&input.path) {
        Ok(file) => file,
        Err(e) => return report.failed(about(&input.path, &e)),
    };
    report.bytes = Some(file.len());
    if full {
        report.sha256 = file.sha256().ok();
    }
    let detection = match work::recognise(&file, &name, hints) {
        Ok(detection) => detection,
        Err(e) if input.explicit => return report.failed(about(&input.path, &e)),
        Err(e) => {
            report.status = Status::Unrecognised;
            report.error = Some(about(&input.path, &e));
            return report;
        }
    };
    report.detected(&detection);
    let done = work::read(&file, detection).and_then(|opened| {
        if full {
            report.findings = Some(work::lint(&*opened.model).len());
        }
        work::prove(&file, &name, &opened, via)
    });
    match done {
        Ok(outcome) => report.outcome(outcome.raw),
        Err(e) => return report.failed(about(&input.path, &e)),
    }
    report
}

impl Verify {
    /// Runs the command.
    pub fn run(self, session: &mut Session) -> Result<()> {
        let inputs = paths::files(&self.paths, &session.filter()?)?;
        let (hints, json, via) = (session.hints(), session.global.json, self.via);
        let mut tally = [0usize; 4];
        let mut bytes = 0;
        session.in_order(
            &inputs,
            |input| input.path.metadata().map_or(0, |m| m.len()),
            Input::name,
            |input| prove(input, hints, via, json),
            |session, _, report| {
                if let Some(n) = tally.get_mut(report.status as usize) {
                    *n += 1;
                }
                if matches!(report.status, Status::Exact | Status::Raw) {
                    bytes += report.bytes.unwrap_or(0);
                }
                if report.status == Status::Error {
                    session.fail();
                }
                if json {
                    session.json(&report);
                    session.flush();
                } else {
                    tell(session, &report);
                }
            },
        );
        let [exact, raw, other, failed] = tally;
        let mut parts = vec![format!("{} exact", count(exact, "file"))];
        for (n, what) in [(raw, "kept raw"), (failed, "failed"), (other, "not recognised and skipped")] {
            if n > 0 {
                parts.push(format!("{n} {what}"));
            }
        }
        if inputs.len() != 1 || other > 0 {
            session.tell(format!("{}; {}, through {}", parts.join(", "), size(bytes), format!("{via:?}").to_lowercase()));
        }
        Ok(())
    }
}

fn tell(session: &mut Session, report: &Report) {
    match report.status {
        Status::Exact => {
            session.tell(Line::new().paint(Paint::Green, "exact").text(format!("  {} ({})", report.path, report.kind())));
        }
        Status::Raw => {
            session.tell(Line::new().paint(Paint::Yellow, "raw  ").text(format!("  {} ({})", report.path, report.kind())));
            for raw in &report.raw {
                let member = if raw.member.is_empty() { "the whole file" } else { &raw.member };
                session.tell(format!("         {member}: {}", raw.why));
            }
        }
        // By its name it is one of ours: somebody will want to know.
        Status::Unrecognised if is_ours(&report.path) => session.warn(report.error.as_deref().unwrap_or_default()),
        Status::Unrecognised => session.detail(report.error.as_deref().unwrap_or_default()),
        Status::Error => session.error(report.error.as_deref().unwrap_or_default()),
    }
}

/// A name that only files of the formats here have.
fn is_ours(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    [".zbd", ".zrd", ".zmap", ".pbo"].iter().any(|extension| lower.ends_with(extension))
}
