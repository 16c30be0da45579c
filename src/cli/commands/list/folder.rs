//! The files of a folder.

use super::{Widths, shown};
use crate::cli::{
    report::{Report, Status, size},
    session::Session,
};
use refit::{
    format::Format,
    game::Game,
    pipeline,
    tree::{DirSource, read_head},
    wire::{Result, count},
    workbench::{Input, files, names},
};
use std::path::{Path, PathBuf};

/// Lists the files of a folder or a project, with their roles.
pub fn list(root: &Path, session: &Session) -> Result<()> {
    let items = names::items(&[root.to_owned()], &session.options()?, session)?;
    let hints = session.hints();
    // Size, format and game of each file; `None` for an unrecognised file.
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
            // The state of a file is not part of this list.
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
