//! `refit status`: lists edits in a tree since it was unpacked.

use crate::{
    line::{Line, Paint},
    session::Session,
};
use clap::Args;
use refit_base::{
    path::Shown,
    tree::{disk::Change, is_project},
    wire::{Result, count},
};
use refit_project::Project;
use refit_workbench::{
    changes::{changes, is_special},
    definitions,
    paths::expand,
    project::Edits,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// List the edits in a tree or a project since it was unpacked
#[derive(Args, Debug)]
pub struct Status {
    /// Trees or projects
    #[arg(required = true, value_name = "TREE|PROJECT")]
    trees: Vec<PathBuf>,
}

impl Status {
    pub fn run(self, session: &Session) -> Result<()> {
        for path in expand(&self.trees)? {
            let done = if is_project(&path) {
                project(&path, session)
            } else {
                tree(&path, session)
            };
            if let Err(e) = done {
                session.error(e.about(&path));
            }
        }
        Ok(())
    }
}

fn tree(tree: &Path, session: &Session) -> Result<()> {
    let changes = changes(tree)?;
    print(tree, &changes, &BTreeSet::new(), session);
    match changes.len() {
        0 => session.tell(format!("{}: not edited", tree.shown())),
        n => session.tell(format!("{}: {} edited", tree.shown(), count(n, "file"))),
    }
    Ok(())
}

fn project(root: &Path, session: &Session) -> Result<()> {
    let project = Project::open(root)?;
    let edits = Edits::of(&project, &session.options()?, session)?;
    print(root, &edits.files, &edits.left, session);
    match edits.files.len() {
        0 => session.tell(format!("{}: not edited", root.shown())),
        n => session.tell(format!(
            "{}: {} edited, in {}",
            root.shown(),
            count(n, "file"),
            count(edits.trees, "tree")
        )),
    }
    for (folder, made) in edits.definitions {
        match made {
            Ok(findings) => definitions::report(session, &folder, &findings),
            Err(e) => session.error(e),
        }
    }
    Ok(())
}

fn print(root: &Path, changes: &[(String, Change)], left: &BTreeSet<String>, session: &Session) {
    if !changes.is_empty() {
        session.found();
    }
    for (file, change) in changes {
        if session.global.json {
            session.row(
                root,
                [
                    ("file", file.as_str().into()),
                    ("status", change.to_string().into()),
                ],
            );
            continue;
        }
        let paint = if *change == Change::Deleted {
            Paint::Red
        } else {
            Paint::Yellow
        };
        let whole = file.ends_with('/');
        let why = if is_special(&root.join(file)) && !whole {
            " (a link, a pipe or a device, not a file: repack refuses it)"
        } else if left.contains(file) {
            " (the whole tree: repack removes the file that it added to the game)"
        } else if *change == Change::Deleted && whole {
            " (the whole tree: repack leaves the game's file unchanged)"
        } else {
            ""
        };
        session.tell(
            Line::new()
                .paint(paint, format!("{:8}", change.to_string()))
                .text(format!("  {}{why}", root.join(file).shown())),
        );
    }
}
