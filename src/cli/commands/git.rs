//! `refit git`: makes `git diff` and `git log -p` readable for the files of games.

use crate::session::Session;
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Result, count},
};
use refit_workbench::git;

/// Set up git so that `git diff` and `git log -p` show game files as text
#[derive(Args, Debug)]
pub struct Git {
    /// Add the lines to .gitattributes and .gitignore, and configure the repository
    #[arg(long)]
    install: bool,
}

impl Git {
    pub fn run(self, session: &Session) -> Result<()> {
        if !self.install {
            for (name, lines) in git::files() {
                session.line(format!("# {name}"));
                lines.into_iter().for_each(|line| session.line(line));
            }
            session.line("# once in each clone:");
            session.line("# git config diff.refit.textconv \"refit show\"");
            return Ok(());
        }
        let dry = session.global.dry_run;
        for (path, added) in git::install(dry)? {
            let n = count(added, "line");
            session.tell(format!(
                "{}: {n} {}",
                path.shown(),
                if dry { "to add (dry run)" } else { "added" }
            ));
        }
        if !dry {
            session.tell("diff.refit.textconv is \"refit show\"");
        }
        Ok(())
    }
}
