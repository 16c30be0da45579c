//! `refit explain`: explains every byte of a file.

use crate::{
    line::{Line, Paint},
    session::Session,
};
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Error, Notation, Result, Role},
};
use refit_workbench::explain::{self, Run, SHOWN};
use std::{fmt::Write, path::PathBuf};

/// Show the meaning of every byte of a file
#[derive(Args, Debug)]
pub struct Explain {
    /// A file
    file: PathBuf,
    /// An offset, a range, a member or a path
    #[arg(value_name = "WHERE")]
    place: Option<String>,
    /// Show long payloads in full
    #[arg(long)]
    full: bool,
    /// Print an ImHex pattern instead
    #[arg(long, conflicts_with_all = ["full", "json"])]
    imhex: bool,
}

impl Explain {
    pub fn run(self, session: &Session) -> Result<()> {
        let json = session.global.json;
        let (mut shown, mut last) = (0, String::new());
        let place = self.place.as_deref();
        let wanted = explain::Explain::new(&self.file, place)?;
        if self.imhex {
            session.text(explain::PATTERN);
        }
        let seen = wanted.run(self.full || json, session.hints(), &mut |run| {
            shown += 1;
            if json {
                session.json(run);
            } else if self.imhex {
                session.line(run.pattern(shown));
            } else {
                print(session, run, self.full, &mut last);
            }
            !session.closed()
        })?;
        if seen == 0 && !json {
            return Err(Error::say(format!(
                "nothing in the file has the path {:?}",
                place.unwrap_or_default()
            ))
            .in_file(self.file.shown())
            .hint("`refit list` shows its members, `refit explain` without WHERE all paths"));
        }
        Ok(())
    }
}

/// Bytes on one line of a run that is shown in full.
const ROW: usize = 16;

/// Prints a run for people, with all its bytes if `full`. `last` is the document of the run before.
fn print(session: &Session, Run { line, size, bytes }: &Run, full: bool, last: &mut String) {
    let (start, size) = (line.range.start, *size);
    let (document, path) = line.path.split_once(" › ").unwrap_or(("", &line.path));
    let same = document == last;
    let document = match (document.is_empty(), same) {
        (true, _) => "",
        (false, true) => "…",
        (false, false) => document,
    };
    let hex = hex(bytes, size);
    let value = match line.kind {
        Notation::Bytes if size > 8 => String::new(),
        _ => line
            .kind
            .value(bytes.get(..size.min(256)).unwrap_or(bytes))
            .to_string(),
    };
    let value: String = if value.chars().count() > 60 {
        value.chars().take(59).chain(['…']).collect()
    } else {
        value
    };
    let shown = match line.role {
        Role::Value => String::new(),
        Role::Derived => "derived: absent in the tree".to_owned(),
        role => role.name().to_owned(),
    };
    let shown = match (&line.meaning, shown.is_empty()) {
        (Some(meaning), true) => meaning.clone(),
        (Some(meaning), false) => format!("{shown}, {meaning}"),
        (None, _) => shown,
    };
    let paint = match line.role {
        Role::Value => None,
        Role::Derived | Role::Constant | Role::Padding | Role::Payload => Some(Paint::Dim),
        Role::Stale | Role::Gap => Some(Paint::Yellow),
        Role::Unknown => Some(Paint::Red),
    };
    let text = format!(
        "{start:#010x} {size:>6}  {hex:<width$}  {document}  {path}  {value}  {shown}",
        width = 3 * SHOWN + 6
    );
    let text = text.trim_end();
    session.line(match paint {
        Some(paint) => Line::new().paint(paint, text),
        None => text.into(),
    });
    if !same {
        last.clear();
        last.push_str(
            line.path
                .split_once(" › ")
                .map_or("", |(document, _)| document),
        );
    }
    if full && size > SHOWN && line.kind == Notation::Bytes {
        for (i, row) in bytes.chunks(ROW).enumerate() {
            let ascii: String = row
                .iter()
                .map(|b| {
                    if (0x20..0x7f).contains(b) {
                        char::from(*b)
                    } else {
                        '.'
                    }
                })
                .collect();
            session.line(format!(
                "  {:#010x}  {:<48} {ascii}",
                start + (i * ROW) as u64,
                spaced(row)
            ));
        }
    }
}

fn spaced(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(3 * bytes.len());
    for (i, byte) in bytes.iter().enumerate() {
        let _ = write!(out, "{}{byte:02x}", if i == 0 { "" } else { " " });
    }
    out
}

fn hex(bytes: &[u8], size: usize) -> String {
    match bytes.get(..SHOWN) {
        Some(shown) if size > SHOWN => format!("{} … ({size})", spaced(shown)),
        _ => spaced(bytes),
    }
}
