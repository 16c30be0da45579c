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
        let model = &subject.model;
        // The members come twice, one by one: there may be hundreds of thousands.
        let each = |see: &mut dyn FnMut(usize, refit::formats::Member)| {
            let mut index = 0;
            model.each_member(&mut |member| {
                if filter.takes(Path::new(&member.name.replace('\\', "/"))) {
                    see(index, member);
                }
                index += 1;
            })
        };
        let mut most = Widths::default();
        let mut first = None;
        let mut all = 0;
        let looked = model.each_member(&mut |member| {
            first.get_or_insert_with(|| shown(&member.name));
            all += 1;
        });
        if let Err(e) = looked.and_then(|()| each(&mut |index, member| most.add(index, &member))) {
            session.error(about(&self.file, &e));
            return Ok(());
        }
        if most.rows == 0 && all > 0 {
            let error = Error::say(format!("no member {} ({all} looked at, such as {})", filter.said(), first.unwrap_or_default()));
            session.error(about(&self.file, &error));
            return Ok(());
        }
        if session.global.json {
            let place = &Place::of(&self.file);
            if let Err(e) = each(&mut |index, member| session.json(&Row { place, index, member: &member })) {
                session.error(about(&self.file, &e));
            }
            return Ok(());
        }
        let Widths { number, name, bytes, kind, rows, total } = most;
        let name = name.min(60);
        let listed = each(&mut |index, member| {
            if session.closed() {
                return;
            }
            let index = format!("{:>number$}", format!("#{index}"));
            let rest = format!(
                "  {:name$}  {:>bytes$}  {:kind$}  {}",
                shown(&member.name),
                member.bytes,
                member.kind,
                member.detail.replace('\n', " ")
            );
            session.line(Line::new().paint(Paint::Dim, index).text(rest.trim_end()));
        });
        if let Err(e) = listed {
            session.error(about(&self.file, &e));
        } else if session.on_terminal() && !session.closed() {
            session.tell(format!("{}, {}", count(rows, "member"), size(total)));
        }
        Ok(())
    }
}

/// How wide the columns are, and what is in them together.
#[derive(Default)]
struct Widths {
    number: usize,
    name: usize,
    bytes: usize,
    kind: usize,
    rows: usize,
    total: u64,
}

impl Widths {
    fn add(&mut self, index: usize, member: &refit::formats::Member) {
        self.number = self.number.max(index.to_string().len() + 1);
        self.name = self.name.max(shown(&member.name).chars().count());
        self.bytes = self.bytes.max(member.bytes.to_string().len());
        self.kind = self.kind.max(member.kind.chars().count());
        self.rows += 1;
        self.total += member.bytes;
    }
}

/// A name as it is shown: on one line, and visible when it is empty.
fn shown(name: &str) -> String {
    if name.is_empty() { "\"\"".into() } else { visible(name).into_owned() }
}
