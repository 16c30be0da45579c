//! `refit find`: searches names, texts and values of everything.

use crate::cli::{
    line::{Line, Paint},
    session::Session,
    wanted::{Wanted, is_hex},
};
use clap::Args;
use refit::{
    index::File,
    wire::{Error, Result, count, shorten},
    workbench::names,
};
use serde_json::json;
use std::path::PathBuf;

/// Search the names, texts and values of a whole game
#[derive(Args, Debug)]
pub struct Find {
    /// A regular expression, or plain text with --fixed
    pattern: String,
    /// A game's folder, a project, files or trees [default: this folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only fields that match
    #[arg(long, value_name = "GLOB")]
    field: Option<String>,
    /// Only names of one kind (`texture`, `node` …), or only files of one format (`anim`, `reader` …)
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Match case
    #[arg(long)]
    case: bool,
    /// Treat PATTERN as plain text
    #[arg(long, short = 'F')]
    fixed: bool,
}

/// Most bytes of a value that are shown.
const LONGEST: usize = 400;

impl Find {
    pub fn run(self, session: &Session) -> Result<()> {
        let wanted = Wanted::new(&self.pattern, (self.fixed, self.case), self.field.as_deref(), self.kind.as_deref())?;
        // Numbers of large files are not cached: if the pattern may match one, these files are read again.
        let numbers = wanted.kind.is_none()
            && (self.pattern.contains(|c: char| c.is_ascii_digit()) || self.pattern.contains("\\d"));
        let mut found = 0;
        let see = |file| found += search(session, &wanted, &file);
        let all = names::search(&self.paths, numbers, &session.options()?, session, see)?;
        if found == 0 && session.errors() == 0 {
            return Err(Error::say(format!("no match for {:?} in {}", self.pattern, count(all, "file"))));
        }
        Ok(())
    }
}

fn search(session: &Session, wanted: &Wanted, file: &File) -> usize {
    if wanted.kind.is_none() && wanted.format.is_some_and(|format| format != file.format) {
        return 0;
    }
    let mut found = 0;
    let mut tell = |session: &Session, document: &str, at: &str, value: &str, name: Option<&refit::index::Name>| {
        found += 1;
        if session.global.json {
            let row = [
                ("file", file.relative.as_str().into()),
                ("document", document.into()),
                ("at", at.into()),
                ("value", value.into()),
                ("kind", json!(name.map(|name| name.kind))),
                ("does", json!(name.map(|name| name.does))),
                ("format", file.format.name().into()),
            ];
            return session.row(&file.path, &row);
        }
        let place = names::place(file, document, at);
        let mut line = Line::new().text(format!("{place}: ")).paint(Paint::Green, shorten(value, LONGEST));
        if let Some(name) = name {
            let does = if name.does == refit::naming::Does::Defines { "defines" } else { "uses" };
            line = line.text(format!(" ({does} {})", name.kind.name()));
        }
        session.line(line);
    };
    if wanted.kind.is_some() && wanted.format.is_none()
        || wanted.kind.is_some_and(|_| wanted.format != Some(file.format))
    {
        let names =
            file.content.names.iter().filter(|name| wanted.kind == Some(name.kind) && wanted.is_field(&name.at));
        for name in names.filter(|name| wanted.pattern.is_match(&name.name)) {
            tell(session, &name.document, &name.at, &name.name, Some(name));
        }
        return found;
    }
    file.content.each(&mut |document, at, value| {
        let is_meant = wanted.pattern.is_match(value) && wanted.is_field(at);
        if is_meant && !(wanted.skips_hex && is_hex(value)) {
            tell(session, document, at, value, None);
        }
        !session.closed()
    });
    found
}
