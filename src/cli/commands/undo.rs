//! `refit undo`, `refit redo`, `refit changes` and `refit set`: edits of a project, with undo.

use crate::{
    events::print_news,
    line::{Line, Paint},
    session::Session,
};
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Error, Result, count},
};
use refit_diff::Value;
use refit_session::{Edit, Edited, Session as Edits};
use refit_workbench::edits::EditReport;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Take back the last edit of a project, or one of them
#[derive(Args, Debug)]
pub struct Undo {
    /// The project
    project: PathBuf,
    /// The number of an edit, as `changes` lists it: only this one is taken back
    #[arg(long, value_name = "NUMBER")]
    edit: Option<u64>,
}

/// Make the edit again that was taken back last
#[derive(Args, Debug)]
pub struct Redo {
    /// The project
    project: PathBuf,
}

/// List the edits of a project that can be taken back
#[derive(Args, Debug)]
pub struct Changes {
    /// The project
    project: PathBuf,
    /// List at most this many, the last ones first
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    limit: usize,
}

/// Set a value of a document of a project
#[derive(Args, Debug)]
pub struct Set {
    /// The document, in the tree of a project
    document: PathBuf,
    /// The path of the value, as `diff`, `show` and `lint` print it
    #[arg(allow_hyphen_values = true)]
    path: String,
    /// The new value, as JSON; anything else is a text
    #[arg(required_unless_present = "remove", allow_hyphen_values = true)]
    value: Option<String>,
    /// Insert the value into the list at the path, at this position
    #[arg(long, value_name = "POSITION", conflicts_with = "remove")]
    insert: Option<usize>,
    /// Remove the field or item
    #[arg(long, conflicts_with = "value")]
    remove: bool,
}

impl Undo {
    pub fn run(self, session: &Session) -> Result<()> {
        let mut edits = open(&self.project)?;
        let done = match self.edit {
            Some(number) => edits.revert(number).map(Some),
            None => edits.undo(),
        };
        match done.map_err(|e| e.about(&self.project))? {
            Some(done) => print(&edits, &done, session),
            None => nothing(&self.project, "undo", session),
        }
        Ok(())
    }
}

impl Redo {
    pub fn run(self, session: &Session) -> Result<()> {
        let mut edits = open(&self.project)?;
        match edits.redo().map_err(|e| e.about(&self.project))? {
            Some(done) => print(&edits, &done, session),
            None => nothing(&self.project, "redo", session),
        }
        Ok(())
    }
}

impl Changes {
    pub fn run(self, session: &Session) -> Result<()> {
        let edits = open(&self.project)?;
        let all = edits.changes(self.limit);
        let all = all.map_err(|e| e.about(&self.project))?;
        for edit in &all {
            if session.global.json {
                session.json(edit);
                continue;
            }
            session.tell(
                Line::new()
                    .paint(Paint::Yellow, format!("{:4}", edit.number))
                    .text(format!("  {}", edit.label)),
            );
            for part in edit.parts.iter().filter(|part| part.changed_since) {
                session.tell(format!(
                    "      {}/{}: another program changed it since",
                    part.file, part.part
                ));
            }
        }
        session.tell(format!(
            "{}: {}",
            self.project.shown(),
            count(all.len(), "edit")
        ));
        Ok(())
    }
}

impl Set {
    pub fn run(self, session: &Session) -> Result<()> {
        // The document itself may be the one list of several: only its folder must exist.
        let near = self
            .document
            .ancestors()
            .skip(1)
            .find(|above| above.is_dir());
        let mut edits = open(near.unwrap_or(Path::new(".")))?;
        let (file, part) = edits.part_of(&self.document)?;
        let value = self
            .value
            .map(|text| Value::parse(&text).unwrap_or_else(|| Value::from(text.as_str())));
        let path = self.path;
        let edit = match (value, self.insert) {
            (Some(value), Some(index)) => Edit::Insert {
                file,
                part,
                path,
                index,
                value,
            },
            (Some(value), None) => Edit::Set {
                file,
                part,
                path,
                value,
                old: None,
            },
            (None, _) => Edit::Remove {
                file,
                part,
                path,
                old: None,
            },
        };
        let done = edits.edit(&edit)?;
        print(&edits, &done, session);
        Ok(())
    }
}

fn open(project: &Path) -> Result<Edits> {
    match project.symlink_metadata() {
        Err(e) => Err(Error::io(project, e)),
        Ok(_) => Edits::open(project),
    }
}

fn nothing(project: &Path, what: &str, session: &Session) {
    session.tell(format!("{}: nothing to {what}", project.shown()));
}

fn print(edits: &Edits, done: &Edited, session: &Session) {
    if session.global.json {
        session.json(done);
    }
    done.notes.iter().for_each(|note| session.warn(note));
    session.tell(done.label.clone());
    let files: BTreeSet<&str> = done
        .brought_in
        .iter()
        .map(|found| found.of.as_str())
        .collect();
    for file in files {
        let own = done.brought_in.iter().filter(|found| found.of == file);
        let news = EditReport {
            found: own.map(|found| found.finding.clone()).collect(),
            original: Some(edits.root().join(file)),
            games: None,
        };
        print_news(session, &news, file);
    }
}
