//! `refit list`: the members of a file.

use crate::{
    line::{Line, Paint, columns},
    session::Session,
};
use clap::Args;
use refit_base::{
    contract::Member,
    path::Shown,
    tree::is_tree,
    wire::{Error, Result, count, size, visible},
};
use refit_bohemia::{
    models::{ModelName, ModelNames},
    pbo::ListedTexture,
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
        let opened = open::open(&self.file, session.hints());
        let is_other = opened.is_err() && !open::is_standard_input(&self.file);
        if is_other && let Some(found) = listing::textures_in(&self.file).map_err(about)? {
            return list_textures(&self.file, &found, session);
        }
        if is_other && let Some(found) = listing::names_in(&self.file).map_err(about)? {
            return list_names(&self.file, &found, session);
        }
        let members = opened
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

/// Lists the textures that an addon's list of textures describes.
fn list_textures(file: &Path, found: &[ListedTexture], session: &Session) -> Result<()> {
    if session.global.json {
        for (
            n,
            ListedTexture {
                path,
                bytes,
                detail,
            },
        ) in found.iter().enumerate()
        {
            let row = [
                ("index", n.into()),
                ("name", path.as_str().into()),
                ("bytes", (*bytes).into()),
                ("detail", detail.as_str().into()),
            ];
            session.row(file, row);
        }
        return Ok(());
    }
    let rows: Vec<(usize, &ListedTexture)> = found.iter().enumerate().collect();
    let cells = |(n, one): &(usize, &ListedTexture)| {
        let (bytes, detail) = (one.bytes.to_string(), one.detail.clone());
        [format!("#{n}"), shown(&one.path), bytes, detail]
    };
    columns(&rows, &[0, 2], cells, |_, cells| {
        session.line(cells.join("  ").trim_end());
        !session.closed()
    });
    Ok(())
}

/// Lists the names in a model: refit reads nothing else of it.
fn list_names(file: &Path, found: &ModelNames, session: &Session) -> Result<()> {
    if session.global.json {
        for ModelName { kind, name } in &found.names {
            session.row(
                file,
                [("kind", kind.name().into()), ("name", name.as_str().into())],
            );
        }
    } else {
        let cells = |one: &ModelName| [one.kind.name().to_owned(), shown(&one.name)];
        columns(&found.names, &[], cells, |_, cells| {
            session.line(cells.join("  ").trim_end());
            !session.closed()
        });
    }
    if let Some(why) = &found.unread {
        session.tell(format!("{}: {why}", file.shown()));
    }
    Ok(())
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
