//! `refit list`: the members of a file.

mod folder;

use crate::cli::{
    line::{Line, Paint},
    report::size,
    session::Session,
};
use clap::Args;
use refit::{
    formats::Member,
    tree::is_tree,
    wire::{Error, Result, count, visible},
    workbench::open,
};
use std::path::{Path, PathBuf};

/// List the members of a file, or the files of a game
#[derive(Args, Debug)]
pub struct List {
    /// A file, a tree, a folder, or `-` for standard input
    file: PathBuf,
}

impl List {
    pub fn run(self, session: &Session) -> Result<()> {
        if self.file.is_dir() && !is_tree(&self.file) {
            return folder::list(&self.file, session);
        }
        let filter = session.options()?.filter;
        let about = |e: Error| e.about(&self.file);
        let members =
            open::open(&self.file, session.hints()).and_then(|opened| opened.model.all_members()).map_err(about)?;
        let taken = |member: &Member| filter.takes(Path::new(&member.name.replace('\\', "/")));
        let rows: Vec<(usize, &Member)> = members.iter().enumerate().filter(|(_, member)| taken(member)).collect();
        if let (true, Some(first)) = (rows.is_empty(), members.first()) {
            let (filter, all) = (filter.description(), members.len());
            return Err(about(Error::say(format!(
                "no member {filter} ({all} checked, such as {})",
                shown(&first.name)
            ))));
        }
        if session.global.json {
            for (index, Member { name, bytes, kind, detail }) in rows {
                let [name, kind, detail] = [name, &**kind, detail].map(serde_json::Value::from);
                let index = ("index", index.into());
                let row = [index, ("name", name), ("bytes", (*bytes).into()), ("kind", kind), ("detail", detail)];
                session.row(&self.file, &row);
            }
            return Ok(());
        }
        let mut most = Widths::default();
        rows.iter().for_each(|(index, member)| most.add(*index, member));
        let Widths { number, name, bytes, kind, total, .. } = most;
        let name = name.min(60);
        for (index, member) in &rows {
            if session.closed() {
                break;
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
        }
        if session.on_terminal() && !session.closed() {
            session.tell(format!("{}, {}", count(rows.len(), "member"), size(total)));
        }
        Ok(())
    }
}

/// The widths of the columns, and the totals.
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
    fn add(&mut self, index: usize, member: &Member) {
        self.number = self.number.max(index.to_string().len() + 1);
        self.name = self.name.max(shown(&member.name).chars().count());
        self.bytes = self.bytes.max(member.bytes.to_string().len());
        self.kind = self.kind.max(member.kind.chars().count());
        self.rows += 1;
        self.total += member.bytes;
    }
}

/// A name for display: on one line, and visible if it is empty.
fn shown(name: &str) -> String {
    if name.is_empty() { "\"\"".into() } else { visible(name).into_owned() }
}
