//! `refit verify`: proves the round trip of files, nothing is written.

use super::check;
use crate::{
    line::{Line, Paint},
    session::Session,
};
use clap::Args;
use refit_base::wire::{Result, count, size};
use refit_files::pipeline::Via;
use refit_workbench::{
    files,
    report::{Report, Status},
    verify::{Verified, verify},
};
use std::path::PathBuf;

/// Prove that files survive unpacking and repacking bit for bit, without writing anything
#[derive(Args, Debug)]
pub struct Verify {
    /// Files, folders, unpacked trees, or `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The form that the proof goes through
    #[arg(long, value_name = "FORM", default_value = "json")]
    via: Via,
    /// Check each PBO against the signatures next to it (NAME.pbo.AUTHORITY.bisign) instead
    #[arg(long, conflicts_with = "via")]
    signatures: bool,
}

impl Verify {
    pub fn run(self, session: &Session) -> Result<()> {
        if self.signatures {
            return check::signatures(&self.paths, session);
        }
        let (json, via) = (session.global.json, self.via);
        let done = verify(
            &self.paths,
            (via, json),
            &session.options()?,
            session,
            |report| {
                if report.status == Status::Error {
                    session.fail();
                }
                if json {
                    session.json(&report);
                    session.flush();
                } else {
                    print(session, &report);
                }
            },
        )?;
        let Verified {
            exact,
            raw,
            failed,
            others,
            bytes,
        } = done;
        let mut parts = vec![format!("{} exact", count(exact, "file"))];
        for (n, what) in [(raw, "kept raw"), (failed, "failed")] {
            if n > 0 {
                parts.push(format!("{n} {what}"));
            }
        }
        parts.extend(others.summary());
        let (known, other) = (exact + raw + failed, others.len());
        if known + other != 1 || other > 0 {
            let via = format!("{via:?}").to_lowercase();
            session.tell(format!(
                "{}; {}, through {via}",
                parts.join(", "),
                size(bytes)
            ));
        }
        if known == 0 && !session.closed() {
            return Err(files::none_known(&self.paths, other));
        }
        Ok(())
    }
}

/// Prints a report for people.
fn print(session: &Session, report: &Report) {
    let named = format!("  {} ({}", report.path, report.kind());
    match report.status {
        Status::Exact => {
            let tree = report.more.get("source").and_then(|file| file.as_str());
            let tree = tree.map_or(String::new(), |file| {
                match report.more.get("identical") == Some(&true.into()) {
                    true => format!(", a tree: packs to {file}, bit for bit"),
                    false => format!(", a tree: packs to {file}, with edits"),
                }
            });
            session.tell(
                Line::new()
                    .paint(Paint::Green, "exact")
                    .text(format!("{named}{tree})")),
            );
        }
        Status::Raw => {
            session.tell(
                Line::new()
                    .paint(Paint::Yellow, "raw  ")
                    .text(format!("{named})")),
            );
            for raw in &report.raw {
                let member = if raw.member.is_empty() {
                    "the whole file"
                } else {
                    &raw.member
                };
                session.tell(format!("         {member}: {}", raw.why));
            }
        }
        Status::Unrecognised => session.detail(report.note.as_deref().unwrap_or_default()),
        Status::Error => session.error(report.error.as_deref().unwrap_or_default()),
    }
}
