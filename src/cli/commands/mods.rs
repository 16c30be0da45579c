//! `refit mod`: mods that carry no game data and merge.

mod apply;
mod make;
mod show;

use crate::cli::{failure::Failure, session::Session};
use clap::{Args, Subcommand};
use refit::{
    mods::{self, Conflict, Prefer},
    wire::{Result, shorten},
};
use serde_json::json;

/// Make, share, apply and remove mods, which hold your changes and nothing of the game
#[derive(Args, Debug)]
#[command(name = "mod")]
pub struct Mods {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Make(make::Make),
    Apply(apply::Apply),
    Remove(apply::Remove),
    List(show::List),
    Show(show::Show),
    Check(apply::Check),
    Diff(show::Diff),
    Merge(make::Merge),
    Unpack(make::Unpack),
}

impl Mods {
    pub fn run(self, session: &Session) -> Result<(), Failure> {
        match self.command {
            Command::Make(c) => c.run(session)?,
            Command::Apply(c) => c.run(session)?,
            Command::Remove(c) => c.run(session)?,
            Command::List(c) => c.run(session)?,
            Command::Show(c) => c.run(session)?,
            Command::Check(c) => c.run(session)?,
            Command::Diff(c) => c.run(session)?,
            Command::Merge(c) => c.run(session)?,
            Command::Unpack(c) => c.run(session)?,
        }
        Ok(())
    }
}

/// Maximum number of characters to show of a path into a document, and of a value.
const LONGEST: usize = 200;

fn tell_conflict(session: &Session, names: &[String], file: &str, conflict: &Conflict) {
    let name = |by: usize| names.get(by).map_or("?", String::as_str);
    let (a, b) = (name(conflict.mods.0), name(conflict.mods.1));
    let who = match conflict.decided {
        Prefer::None => "conflict",
        Prefer::First => "the first wins",
        Prefer::Last => "the last wins",
    };
    let text = format!(
        "{}: {who}: {a} has {}, {b} has {}",
        mods::place(file, &conflict.part, &shorten(&conflict.at, LONGEST)),
        shorten(&conflict.wants.0, 120),
        shorten(&conflict.wants.1, 120)
    );
    match conflict.is_open() {
        true => session.error(text),
        false => session.warn(text),
    }
}

fn conflict_json(names: &[String], conflict: &Conflict) -> serde_json::Value {
    let name = |by: usize| names.get(by).cloned().unwrap_or_default();
    json!({ "part": conflict.part, "at": conflict.at, "mods": [name(conflict.mods.0), name(conflict.mods.1)],
        "wants": [conflict.wants.0, conflict.wants.1] })
}
