//! `refit list`: the members of a file.

use crate::{
    line::{Line, Paint, columns},
    session::Session,
};
use clap::Args;
use refit_base::{
    contract::Member,
    tree::is_tree,
    wire::{Error, Result, count, size, visible},
};
use refit_files::game_files::RoleInGame;
use refit_workbench::{
    listing::{self, Listed},
    open,
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
            return list_folder(&self.file, session);
        }
        let filter = session.options()?.filter;
        let about = |e: Error| e.about(&self.file);
        let members = open::open(&self.file, session.hints())
            .and_then(|opened| opened.model.all_members())
            .map_err(about)?;
        let taken = |member: &Member| filter.takes(Path::new(&member.name.replace('\\', "/")));
        let rows: Vec<(usize, &Member)> = members
            .iter()
            .enumerate()
            .filter(|(_, member)| taken(member))
            .collect();
        if let (true, Some(first)) = (rows.is_empty(), members.first()) {
            let (filter, all) = (filter.description(), members.len());
            return Err(about(Error::say(format!(
                "no member {filter} ({all} checked, such as {})",
                shown(&first.name)
            ))));
        }
        if session.global.json {
            for (
                index,
                Member {
                    name,
                    bytes,
                    kind,
                    detail,
                },
            ) in rows
            {
                let [name, kind, detail] = [name, &**kind, detail].map(serde_json::Value::from);
                let index = ("index", index.into());
                let row = [
                    index,
                    ("name", name),
                    ("bytes", (*bytes).into()),
                    ("kind", kind),
                    ("detail", detail),
                ];
                session.row(&self.file, row);
            }
            return Ok(());
        }
        let cells = |(
            index,
            Member {
                name,
                bytes,
                kind,
                detail,
            },
        ): &(usize, &Member)| {
            [
                format!("#{index}"),
                shown(name),
                bytes.to_string(),
                kind.to_string(),
                detail.replace('\n', " "),
            ]
        };
        columns(&rows, &[0, 2], cells, |_, [index, rest @ ..]| {
            let rest = format!("  {}", rest.join("  "));
            session.line(Line::new().paint(Paint::Dim, index).text(rest.trim_end()));
            !session.closed()
        });
        if session.on_terminal() && !session.closed() {
            let total = rows.iter().map(|(_, member)| member.bytes).sum();
            session.tell(format!("{}, {}", count(rows.len(), "member"), size(total)));
        }
        Ok(())
    }
}

/// Lists the files of a folder or a project, with their roles.
fn list_folder(root: &Path, session: &Session) -> Result<()> {
    let rows = listing::list(root, &session.options()?, session)?;
    if session.global.json {
        rows.iter()
            .take_while(|_| !session.closed())
            .for_each(|row| session.json(row));
        return Ok(());
    }
    let cells = |Listed { file, report }: &Listed| {
        let role = report
            .role
            .as_ref()
            .map(RoleInGame::said)
            .unwrap_or_default();
        [
            shown(file),
            report.bytes.unwrap_or(0).to_string(),
            report.kind(),
            role,
        ]
    };
    columns(&rows, &[1], cells, |_, cells| {
        session.line(cells.join("  ").trim_end());
        !session.closed()
    });
    if session.on_terminal() {
        let total = rows.iter().filter_map(|row| row.report.bytes).sum();
        session.tell(format!("{}, {}", count(rows.len(), "file"), size(total)));
    }
    Ok(())
}

/// A name for display: on one line, and visible if it is empty.
fn shown(name: &str) -> String {
    if name.is_empty() {
        "\"\"".into()
    } else {
        visible(name).into_owned()
    }
}
