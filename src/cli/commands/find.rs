//! `refit find`: searches names, texts and values of everything.

use crate::{
    line::{Line, Paint},
    session::Session,
};
use clap::Args;
use refit_base::{
    naming::Does,
    wire::{Error, Result, count, shorten},
};
use refit_workbench::{
    find::{self, Found},
    names,
};

/// Search the names, texts and values of a whole game
#[derive(Args, Debug)]
pub struct Find {
    #[command(flatten)]
    find: find::Find,
}

/// Most bytes of a value that are shown.
const LONGEST: usize = 400;

impl Find {
    pub fn run(self, session: &Session) -> Result<()> {
        let mut found = 0;
        let all = self.find.run(&session.options()?, session, &mut |one| {
            found += 1;
            print(session, one);
            !session.closed()
        })?;
        if found == 0 && session.errors() == 0 {
            return Err(Error::say(format!(
                "no match for {:?} in {}",
                self.find.pattern,
                count(all, "file")
            )));
        }
        Ok(())
    }
}

fn print(session: &Session, found: &Found<'_>) {
    if session.global.json {
        return session.json(found);
    }
    let place = names::place(found.file, found.document, found.at);
    let mut line = Line::new()
        .text(format!("{place}: "))
        .paint(Paint::Green, shorten(found.value, LONGEST));
    if let Some(name) = found.name {
        let does = if name.does == Does::Defines {
            "defines"
        } else {
            "uses"
        };
        line = line.text(format!(" ({does} {})", name.kind.name()));
    }
    session.line(line);
}
