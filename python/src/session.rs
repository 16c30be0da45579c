//! Edits of a project, with undo: `refit::session`.

use crate::{document, work};
use pyo3::prelude::*;
use refit::{
    Error, ErrorKind, Result,
    session::{Edit, Session},
    workbench::Quiet,
};
use serde::Serialize;
use std::path::PathBuf;

/// Does what a session of a project is asked for. `what` is `edit` (`text` is the edit as JSON, as
/// PROTOCOL.md describes it), `undo`, `redo`, `revert` (of the edit `number`), `changes` (at most
/// `number`, the last one first), `build` or `restore`. The answer is that of the page.
#[pyfunction]
pub fn session<'py>(
    py: Python<'py>,
    project: PathBuf,
    what: &str,
    text: &str,
    number: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let (what, text) = (what.to_owned(), text.to_owned());
    let answer = work::write(py, move || {
        let mut session = Session::open(&project)?;
        match what.as_str() {
            "edit" => json(&session.edit(&edit(&text)?)?),
            "undo" => json(&session.undo()?),
            "redo" => json(&session.redo()?),
            "revert" => json(&session.revert(number)?),
            "changes" => json(&session.changes(usize::try_from(number).unwrap_or(usize::MAX))?),
            "build" => {
                let built = session.build(&Quiet)?.built.into_iter();
                json(&built.filter_map(|built| built.file).collect::<Vec<_>>())
            }
            "restore" => {
                let done = session.restore(&Quiet)?;
                let restored = done.restored.into_iter().map(|(original, _)| original.file);
                let removed = done.removed.into_iter().map(|(file, _)| file);
                json(&restored.chain(removed).collect::<Vec<_>>())
            }
            other => Err(Error::say(format!("a session does not know {other:?}"))),
        }
    })?;
    document::objects(py, &answer)
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::say(e.to_string()))
}

fn edit(text: &str) -> Result<Edit> {
    serde_json::from_str(text).map_err(|e| {
        Error::say(format!("not an edit that refit knows: {e}")).of_kind(ErrorKind::Invalid)
    })
}
