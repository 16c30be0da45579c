//! `refit refs`: who defines a name, and who uses it.

use crate::{
    line::{Line, Paint},
    session::Session,
};
use clap::Args;
use refit_base::{
    naming::{Does, NameKind},
    wire::Result,
};
use refit_workbench::refs::references;
use std::path::PathBuf;

/// Find where a name is defined and used in a whole game
#[derive(Args, Debug)]
pub struct Refs {
    /// The name
    name: String,
    /// A game's folder, a project, files or trees [default: this folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only this kind of thing
    #[arg(long, value_name = "KIND")]
    kind: Option<NameKind>,
}

impl Refs {
    pub fn run(self, session: &Session) -> Result<()> {
        for found in references(
            &self.name,
            self.kind,
            &self.paths,
            &session.options()?,
            session,
        )? {
            if session.global.json {
                found.rows().for_each(|row| session.json(&row));
                continue;
            }
            let paint = if found.name.does == Does::Defines {
                Paint::Green
            } else {
                Paint::Yellow
            };
            let line = Line::new()
                .text(format!("{}: ", found.place))
                .paint(paint, found.does());
            let line = line.text(format!(" {} {}", found.name.kind.name(), found.name.name));
            let rule = found.rule.unwrap_or_default();
            session.line(match (found.hides.first(), &found.hidden_by) {
                (Some(loser), _) => line.text(format!(" (taken, hides {loser}: {rule})")),
                (None, Some(winner)) => line.text(format!(" (hidden by {winner}: {rule})")),
                (None, None) => line,
            });
        }
        Ok(())
    }
}
