//! `refit diff`: compares two trees or folders.

use crate::{
    differences::Differences,
    line::{Line, Paint},
    session::Session,
};
use clap::Args;
use refit_base::{
    path::Shown,
    tree::is_tree,
    wire::{Result, count},
};
use refit_workbench::{
    originals::{self, Before},
    sides::{self, Files, Renames, Sides},
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Compare two files, trees or folders field by field
#[derive(Args, Debug)]
pub struct Diff {
    /// A file, tree or folder. If it is the only one, refit compares a file with its NAME.orig, a
    /// tree with its file, a game with all of its NAME.orig files, and a project with the game that
    /// it came from
    a: PathBuf,
    /// What to compare it with
    b: Option<PathBuf>,
    /// Print only the number of differences, one line per file and part
    #[arg(long)]
    stat: bool,
    /// Accepted for scripts that use `git diff`; refit always sets the exit code
    #[arg(long)]
    exit_code: bool,
    /// Write an image of the differences in each picture to this folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Diff {
    fn print(&self) -> Differences<'_> {
        Differences {
            stat: self.stat,
            output: self.output.as_deref(),
        }
    }

    pub fn run(self, session: &Session) -> Result<()> {
        let (a, b) = match &self.b {
            Some(b) => (self.a.clone(), b.clone()),
            None if self.a.is_dir() && !is_tree(&self.a) => {
                let Before { was, now, .. } = originals::of(&self.a)?;
                return self.folders(session, &was, &now);
            }
            None => sides::counterpart(&self.a)?,
        };
        match sides::sides(&a, &b, &session.options()?, session)? {
            Sides::Files(both) => {
                if !self
                    .print()
                    .file(session, &b.shown(), Some((&a, &b)), &both)?
                {
                    session.tell(format!("{} and {} are equal", a.shown(), b.shown()));
                }
            }
            Sides::Folders(both) => self.folders(session, &both.0, &both.1)?,
            Sides::Inside(files) => self.inside(session, &a, &b, &files, false)?,
            Sides::Around(files) => self.inside(session, &b, &a, &files, true)?,
        }
        Ok(())
    }

    /// A file against the file of its name in a folder.
    fn inside(
        &self,
        session: &Session,
        file: &Path,
        folder: &Path,
        files: &Files,
        turned: bool,
    ) -> Result<()> {
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let Some(other) = files
            .iter()
            .find(|(path, _)| path.rsplit('/').next() == Some(&name))
            .map(|(_, path)| path.clone())
        else {
            return Err(
                refit_base::wire::Error::say(format!("no {name} in {}", folder.shown()))
                    .hint("name two files or two folders"),
            );
        };
        let (a, b) = if turned {
            (other, file.to_owned())
        } else {
            (file.to_owned(), other)
        };
        let both = sides::different(&a, &b, session.hints())?;
        self.print()
            .file(session, &b.shown(), Some((&a, &b)), &both)
            .map(|_| ())
    }

    fn folders(&self, session: &Session, a: &Files, b: &Files) -> Result<()> {
        let filter = session.options()?.filter;
        let Renames { gone, new, renamed } = Renames::of(a, b, &filter);
        let mut differ = gone.len() + new.len() + renamed.len();
        let added = new.iter().map(|path| (path, "added", "+", Paint::Green));
        let lines = added.chain(gone.iter().map(|path| (path, "removed", "-", Paint::Red)));
        for (path, status, sign, paint) in lines {
            session.found();
            match session.global.json {
                true => session.json(&json!({ "path": path, "status": status })),
                false => session.tell(Line::new().paint(paint, sign).text(format!(" {path}"))),
            }
        }
        for (from, to) in &renamed {
            session.found();
            match session.global.json {
                true => session.json(&json!({ "path": from, "to": to, "status": "renamed" })),
                false => session.tell(
                    Line::new()
                        .paint(Paint::Yellow, ">")
                        .text(format!(" {from} → {to}")),
                ),
            }
        }
        let (mut equal, mut failed) = (0usize, 0usize);
        for (path, x) in a.iter().filter(|(path, _)| filter.takes(Path::new(path))) {
            let Some(y) = b.get(path) else { continue };
            if sides::same_bytes(x, y) {
                equal += 1;
                continue;
            }
            let described = sides::different(x, y, session.hints())
                .and_then(|both| self.print().file(session, path, None, &both));
            match described {
                Ok(false) => equal += 1,
                Ok(true) => differ += 1,
                Err(e) => {
                    failed += 1;
                    session.error(e.about(Path::new(path)));
                }
            }
        }
        let failed = if failed > 0 {
            format!(", {} could not be compared", count(failed, "file"))
        } else {
            String::new()
        };
        let differs = if differ == 1 { "differs" } else { "differ" };
        session.tell(format!(
            "{} {differs}, {equal} equal{failed}",
            count(differ, "file")
        ));
        Ok(())
    }
}
