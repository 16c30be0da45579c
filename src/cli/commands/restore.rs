//! `refit restore`: puts pristine files back.

use crate::session::Session;
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Result, count},
};
use refit_workbench::restore::{places, restore};
use std::path::{Path, PathBuf};

/// Put the original (NAME.orig) back in place of a file that refit changed
#[derive(Args, Debug)]
pub struct Restore {
    /// Files or folders; `GAME FILE…` restores only these files of the game
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

impl Restore {
    pub fn run(self, session: &Session) -> Result<()> {
        let options = session.options()?;
        let (mut restored, mut removed, mut left) = (0, 0, 0);
        let (would, gone) = match options.dry_run {
            true => ("would be restored (dry run)", "would be removed"),
            false => ("restored", "removed"),
        };
        for path in places(&self.paths)? {
            let done = restore(&path, &options, session)?;
            for (original, kept) in &done.restored {
                let (target, backup) = (original.file.shown(), original.backup.shown());
                if let Some(kept) = kept {
                    session.warn(format!(
                        "{target}: refit did not write the old file; it is kept as {}",
                        kept.shown()
                    ));
                }
                row(session, &original.file, "restored", kept.as_deref());
                session.tell(format!("{backup} → {target}"));
                for later in if options.dry_run {
                    Vec::new()
                } else {
                    original.later()
                } {
                    session.detail(format!(
                        "{target}: what another program wrote there later is kept as {}",
                        later.shown()
                    ));
                }
            }
            for (file, kept) in &done.removed {
                if let Some(kept) = kept {
                    session.warn(format!(
                        "{}: edited since refit added it; kept as {}",
                        file.shown(),
                        kept.shown()
                    ));
                }
                row(session, file, "removed", kept.as_deref());
                session.tell(format!(
                    "{} {gone}: refit had added it to the game",
                    file.shown()
                ));
            }
            for (root, name) in &done.off {
                session.tell(format!("{}: {name} is no longer applied", root.shown()));
            }
            (restored, removed, left) = (
                restored + done.restored.len(),
                removed + done.removed.len(),
                left + done.left,
            );
        }
        if restored + removed + left == 0 {
            session.tell("nothing to restore: no file there has an original, and refit added none");
        } else if restored != 1 || left > 0 || removed > 0 {
            let removed = if removed > 0 {
                format!(", {} that refit had added {gone}", count(removed, "file"))
            } else {
                String::new()
            };
            let left = if left > 0 {
                format!(", {left} left alone (see above; --force restores them)")
            } else {
                String::new()
            };
            session.tell(format!(
                "{} {would}{removed}{left}",
                count(restored, "file")
            ));
        }
        Ok(())
    }
}

fn row(session: &Session, file: &Path, status: &'static str, kept: Option<&Path>) {
    if session.global.json {
        session.row(
            file,
            [
                ("status", status.into()),
                ("kept", kept.map(|kept| kept.shown()).into()),
            ],
        );
    }
}
