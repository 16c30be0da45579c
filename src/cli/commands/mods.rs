//! `refit mod`: mods that carry no game data and merge.

mod apply;
mod check;
mod make;
mod show;

use crate::{failure::Failure, session::Session};
use clap::Args;
use refit_base::wire::Result;
use refit_mods::Conflict;

/// Make, share, apply and remove mods, which hold your changes and nothing of the game
#[derive(Args, Debug)]
#[command(name = "mod")]
pub struct Mods {
    #[command(subcommand)]
    command: Command,
}

group!(Command {
    Make(make::Make),
    Apply(apply::Apply),
    Remove(apply::Remove),
    List(show::List),
    Show(show::Show),
    Check(check::Check),
    Diff(show::Diff),
    Merge(make::Merge),
    Unpack(make::Unpack),
});

impl Mods {
    pub fn run(self, session: &Session) -> Result<(), Failure> {
        self.command.run(session)
    }
}

/// Reports a conflict between mods: one that is open is an error.
fn tell_conflict(session: &Session, names: &[String], file: &str, conflict: &Conflict) {
    let text = conflict.text(names, file);
    if conflict.is_open() {
        session.error(text)
    } else {
        session.warn(text)
    }
}
