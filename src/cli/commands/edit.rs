//! `refit edit`: one member in the user's editor.

use crate::cli::{
    change::{print_report, print_stored},
    session::{Originals, Session},
};
use clap::Args;
use refit::{
    path::Shown,
    tree::Style,
    wire::{Error, Result},
    workbench::edit::TakenOut,
};
use std::{
    path::{Path, PathBuf},
    process::{Child, Command},
    time::Duration,
};

/// How often refit looks for a save.
const PAUSE: Duration = Duration::from_millis(200);

/// Open one member of a file in an editor, and put it back on every save
#[derive(Args, Debug)]
pub struct Edit {
    /// The file
    file: PathBuf,
    /// The member's name, or #index as `list` shows it
    name: String,
    /// The editor, with its options
    #[arg(long, value_name = "COMMAND")]
    editor: Option<String>,
    /// Format of a document
    #[arg(long = "as", value_name = "TEXT")]
    style: Option<Style>,
    /// As glTF; NAME is a model, a 'mech or `world`
    #[arg(long, conflicts_with = "style")]
    glb: bool,
    #[command(flatten)]
    originals: Originals,
}

impl Edit {
    /// Runs the command.
    pub fn run(self, session: &Session) -> Result<()> {
        let options = self.originals.options(session)?;
        let folder = tempfile::tempdir().map_err(|e| Error::io(&std::env::temp_dir(), e))?;
        let style = if self.glb { None } else { Some(self.style.unwrap_or_default()) };
        let mut member =
            TakenOut::new(&self.file, &self.name, style, folder.path(), &options).map_err(|e| e.about(&self.file))?;
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let editor = self.editor.clone().or_else(|| variable("VISUAL")).or_else(|| variable("EDITOR"));
        let mut until = match editor {
            Some(editor) => Until::Ends(start(&editor, &member)?),
            None => {
                session.tell(format!("{} (save it to put it back; Ctrl-C to stop)", member.place.shown()));
                session.flush();
                Until::input_ends()
            }
        };
        loop {
            let over = until.is_over()?;
            match member.put_back(&options, session) {
                Ok(Some((report, stored))) => {
                    if let Some(report) = report {
                        let name = member.place.file_name().unwrap_or_default();
                        print_report(session, Path::new(name), &report, 0, "`refit add PACKAGE`");
                    }
                    print_stored(session, stored);
                }
                Ok(None) => {}
                Err(e) => session.error(e.about(&self.file)),
            }
            session.flush();
            if over {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Starts the editor with the member.
fn start(editor: &str, member: &TakenOut) -> Result<Child> {
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let child = Command::new(program).args(words).arg(&member.place).spawn();
    child.map_err(|e| {
        Error::say(format!("the editor {program:?} does not start: {e}"))
            .hint("name one with --editor or the variable EDITOR")
    })
}

/// How long refit waits for saves.
enum Until {
    /// The editor ends.
    Ends(Child),
    /// Standard input ends.
    Input(std::sync::mpsc::Receiver<()>),
}

impl Until {
    fn input_ends() -> Self {
        let (over, wait) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
            let _ = over.send(());
        });
        Until::Input(wait)
    }

    fn is_over(&mut self) -> Result<bool> {
        match self {
            Until::Ends(child) => {
                let ended = child.try_wait().map_err(|e| Error::say(format!("cannot wait for the editor: {e}")))?;
                Ok(ended.is_some())
            }
            Until::Input(wait) => Ok(wait.try_recv().is_ok()),
        }
    }
}
