//! `refit verify`: proves the round trip of files, nothing is written.

use super::check;
use crate::cli::{
    proved::{print, prove},
    report::{Status, size},
    session::Session,
};
use clap::Args;
use refit::{
    pipeline::Via,
    wire::{Result, count},
    workbench::{Input, files, unknown_files::UnknownFiles},
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
        let inputs = files::files_and_trees(&self.paths, &session.options()?, session)?;
        let (hints, json, via) = (session.hints(), session.global.json, self.via);
        let mut tally = [0usize; 4];
        let mut others = UnknownFiles::default();
        let mut bytes = 0;
        session.in_order(
            &inputs,
            Input::size,
            Input::name,
            |input| prove(input, hints, via, json),
            |session, _, report| {
                if let Some(n) = tally.get_mut(report.status as usize) {
                    *n += 1;
                }
                if matches!(report.status, Status::Exact | Status::Raw) {
                    bytes += report.bytes.unwrap_or(0);
                }
                match report.status {
                    Status::Error => session.fail(),
                    Status::Unrecognised => others.add(report.other),
                    Status::Exact | Status::Raw => {}
                }
                if json {
                    session.json(&report);
                    session.flush();
                } else {
                    print(session, &report);
                }
            },
        );
        let [exact, raw, other, failed] = tally;
        let mut parts = vec![format!("{} exact", count(exact, "file"))];
        for (n, what) in [(raw, "kept raw"), (failed, "failed")] {
            if n > 0 {
                parts.push(format!("{n} {what}"));
            }
        }
        parts.extend(others.summary());
        if inputs.len() != 1 || other > 0 {
            session.tell(format!(
                "{}; {}, through {}",
                parts.join(", "),
                size(bytes),
                format!("{via:?}").to_lowercase()
            ));
        }
        if exact + raw + failed == 0 && !session.closed() {
            return Err(files::none_known(&self.paths, other));
        }
        Ok(())
    }
}
