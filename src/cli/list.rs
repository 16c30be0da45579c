//! `refit list`: the members of a file.

use super::{
    session::{Line, Paint, Place, Session, about, count, size},
    subject,
};
use clap::Args;
use refit::wire::{Error, Result, visible};
use std::path::{Path, PathBuf};

/// List the members of a file
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit list soundsL.zbd
  refit list soundsL.zbd --include 'mech*.wav'
  refit list --json reader.zbd")]
pub struct List {
    /// A file, `-` for standard input, or a tree
    file: PathBuf,
}

#[derive(serde::Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    place: &'a Place,
    index: usize,
    #[serde(flatten)]
    member: &'a refit::formats::Member,
}

impl List {
    /// Runs the command.
    pub fn run(self, session: &mut Session) -> Result<()> {
        let filter = session.filter()?;
        let subject = match subject::open(&self.file, session.hints()) {
            Ok(subject) => subject,
            Err(e) => {
                session.error(about(&self.file, &e));
                return Ok(());
            }
        };
        let members = subject.model.members();
        let rows: Vec<(usize, &refit::formats::Member)> =
            members.iter().enumerate().filter(|(_, member)| filter.takes(Path::new(&member.name.replace('\\', "/")))).collect();
        if rows.is_empty() && !members.is_empty() {
            let first = members.first().map(|member| shown(&member.name)).unwrap_or_default();
            let error = Error::say(format!("no member {} ({} looked at, such as {first})", filter.said(), members.len()));
            session.error(about(&self.file, &error));
            return Ok(());
        }
        if session.global.json {
            let place = &Place::of(&self.file);
            for (index, member) in &rows {
                session.json(&Row { place, index: *index, member });
            }
            return Ok(());
        }
        let widest = |width: &dyn Fn(usize, &refit::formats::Member) -> usize| rows.iter().map(|(i, m)| width(*i, m)).max().unwrap_or(0);
        let number = widest(&|i, _| i.to_string().len() + 1);
        let name = widest(&|_, m| shown(&m.name).chars().count()).min(60);
        let bytes = widest(&|_, m| m.bytes.to_string().len());
        let kind = widest(&|_, m| m.kind.chars().count());
        for (index, member) in &rows {
            let index = format!("{:>number$}", format!("#{index}"));
            let rest = format!(
                "  {:name$}  {:>bytes$}  {:kind$}  {}",
                shown(&member.name),
                member.bytes,
                member.kind,
                member.detail.replace('\n', " ")
            );
            session.line(Line::new().paint(Paint::Dim, index).text(rest.trim_end()));
            if session.closed() {
                return Ok(());
            }
        }
        if session.on_terminal() {
            let total = rows.iter().map(|(_, member)| member.bytes).sum();
            session.tell(format!("{}, {}", count(rows.len(), "member"), size(total)));
        }
        Ok(())
    }
}

/// A name as it is shown: on one line, and visible when it is empty.
fn shown(name: &str) -> String {
    if name.is_empty() { "\"\"".into() } else { visible(name).into_owned() }
}
