//! `refit list`: the members of a file.

use crate::cli::{
    line::{Line, Paint},
    report::{Report, Status, size},
    session::Session,
};
use clap::Args;
use refit::{
    format::Format,
    formats::Member,
    game::Game,
    pipeline,
    tree::{DirSource, is_tree, read_head},
    wire::{Error, Result, count, visible},
    workbench::{Input, files, names, open},
};
use std::path::{Path, PathBuf};

/// List the members of a file
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit list soundsL.zbd
  refit list soundsL.zbd --include 'mech*.wav'
  refit list --json reader.zbd
  refit list C:\\Games\\MW3         its files, and what each is for")]
pub struct List {
    /// A file, `-` for standard input, or a tree; of a folder, its files and what they are for
    file: PathBuf,
}

impl List {
    pub fn run(self, session: &Session) -> Result<()> {
        if self.file.is_dir() && !is_tree(&self.file) {
            return folder(&self.file, session);
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
                "no member {filter} ({all} looked at, such as {})",
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

/// Lists the files of a folder or a project, and what they are for.
fn folder(root: &Path, session: &Session) -> Result<()> {
    let items = names::items(&[root.to_owned()], &session.options()?, session)?;
    let hints = session.hints();
    // Of each file its size and what it is; nothing of one that is not recognised.
    let mut known: Vec<Option<(u64, Format, Option<Game>)>> = Vec::new();
    session.in_order(
        &items,
        |_| 1,
        Input::name,
        |item| {
            if item.path.is_dir() {
                let (_, head) = read_head(&DirSource::new(&item.path)).ok()?;
                return Some((head.source.bytes, head.format, head.game));
            }
            let file = pipeline::load(&item.path).ok()?;
            let found = pipeline::recognise(&file, &item.name(), hints).ok()?;
            Some((file.len(), found.format, found.game))
        },
        |_, _, row| known.push(row),
    );
    let rows = || {
        items.iter().zip(&known).filter_map(|(item, known)| {
            let (bytes, format, game) = (*known)?;
            let mut report = Report::new(&item.path);
            report.status = Status::Exact;
            (report.game, report.format, report.bytes) = (game.map(Game::code), Some(format), Some(bytes));
            let name = names::item(item).relative;
            let part = report.part(&Input { relative: PathBuf::from(&name), explicit: false, ..item.clone() });
            Some((name, report, part.unwrap_or_default()))
        })
    };
    let mut most = Widths::default();
    for (name, report, _) in rows() {
        most.name = most.name.max(shown(&name).chars().count());
        most.kind = most.kind.max(report.kind().len());
        most.bytes = most.bytes.max(report.bytes.unwrap_or(0).to_string().len());
        most.rows += 1;
        most.total += report.bytes.unwrap_or(0);
    }
    if most.rows == 0 {
        return Err(files::none_known(&[root.to_owned()], items.len()));
    }
    let [name, kind, bytes] = [most.name, most.kind, most.bytes].map(|width| width.min(60));
    for (path, report, part) in rows() {
        if session.closed() {
            return Ok(());
        }
        if session.global.json {
            // How a file fares is for others to say.
            let mut row = serde_json::to_value(report).unwrap_or_default();
            if let Some(row) = row.as_object_mut() {
                row.remove("status");
                row.insert("file".into(), path.as_str().into());
            }
            session.json(&row);
            continue;
        }
        let line =
            format!("{:name$}  {:>bytes$}  {:kind$}  {part}", shown(&path), report.bytes.unwrap_or(0), report.kind());
        session.line(line.trim_end());
    }
    if session.on_terminal() {
        session.tell(format!("{}, {}", count(most.rows, "file"), size(most.total)));
    }
    Ok(())
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
    fn add(&mut self, index: usize, member: &Member) {
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
