//! `refit edit`: one member in the user's editor.

use crate::{
    change::{print_report, print_stored},
    session::{Originals, Session},
};
use clap::Args;
use refit_base::{
    path::Shown,
    tree::Style,
    wire::{Error, Result},
};
use refit_workbench::{
    Options,
    edit::{Save, TakenOut},
};
use std::{
    io::{BufRead as _, IsTerminal as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
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
        let style = if self.glb {
            None
        } else {
            Some(self.style.unwrap_or_default())
        };
        let member = TakenOut::new(&self.file, &self.name, style, folder.path(), &options)
            .map_err(|e| e.about(&self.file))?;
        let mut edited = Edited {
            file: &self.file,
            member,
            options,
            session,
            reported: None,
        };
        let result = edited.run(self.editor.as_deref());
        if edited.member.is_pending() {
            if let Err(e) = &result
                && edited.reported != Some(e.to_string())
            {
                session.error_for_now(e.to_string());
            }
            // The user's work: refit keeps it, and says where.
            let _ = folder.keep();
            let place = edited.member.keep()?;
            let (file, name, place) = (self.file.shown(), &self.name, place.shown());
            session.warn_always(format!(
                "{place}: what you saved is kept here; when it is right: refit put {file} {name} {place}"
            ));
            session.fail();
            return Ok(());
        }
        result
    }
}

/// A member in the editor.
struct Edited<'a> {
    file: &'a Path,
    member: TakenOut,
    options: Options,
    session: &'a Session,
    /// The last error that was printed.
    reported: Option<String>,
}

impl Edited<'_> {
    fn run(&mut self, editor: Option<&str>) -> Result<()> {
        let variable = |name: &str| {
            std::env::var(name)
                .ok()
                .filter(|value| !value.trim().is_empty())
        };
        let editor = editor
            .map(str::to_owned)
            .or_else(|| variable("VISUAL"))
            .or_else(|| variable("EDITOR"));
        let Some(editor) = editor else {
            let place = self.member.place.shown();
            self.session
                .tell(format!("{place} (save it to put it back; Ctrl-C to stop)"));
            self.session.flush();
            self.watch(&mut Until::input_ends())?;
            return self.finish();
        };
        let mut line = None;
        loop {
            let mut until = Until::Ends(start(&editor, &self.member, line)?);
            let status = self.watch(&mut until)?;
            let done = self.finish();
            let Err(e) = done else {
                return ended_well(&editor, status);
            };
            line = e.place().map(|(line, _)| line);
            if !self.member.is_pending() || !again(&e.clone().about(self.file), self.session) {
                return Err(e);
            }
        }
    }

    /// Puts the member back on every save, until the editor ends. Returns how it ended.
    fn watch(&mut self, until: &mut Until) -> Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = until.is_over()? {
                return Ok(status);
            }
            match self.member.put_back(&self.options, self.session) {
                Ok(save) => self.print(save),
                Err(e) => {
                    let text = e.about(self.file).to_string();
                    self.session.error(&text);
                    self.reported = Some(text);
                }
            }
            self.session.flush();
            std::thread::sleep(PAUSE);
        }
    }

    /// Puts back what the editor left.
    fn finish(&mut self) -> Result<()> {
        let save = self
            .member
            .finish(&self.options, self.session)
            .map_err(|e| e.about(self.file))?;
        self.print(save);
        self.session.flush();
        Ok(())
    }

    fn print(&self, save: Save) {
        let Save::Stored(done) = save else { return };
        let (report, stored) = *done;
        if let Some(report) = report {
            let name = self.member.place.file_name().unwrap_or_default();
            print_report(
                self.session,
                Path::new(name),
                &report,
                0,
                "`refit add PACKAGE`",
            );
        }
        print_stored(self.session, stored);
    }
}

/// An error for an editor that failed. What it saved was put back all the same.
fn ended_well(editor: &str, status: Option<ExitStatus>) -> Result<()> {
    match status {
        Some(status) if !status.success() => Err(Error::say(format!(
            "the editor {editor:?} failed: {status}"
        ))),
        _ => Ok(()),
    }
}

/// Asks whether to open the editor again, if there is a user to ask.
fn again(error: &Error, session: &Session) -> bool {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return false;
    }
    session.error_for_now(error.to_string());
    eprint!("Open the editor again? [Y/n] ");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok_and(|bytes| bytes > 0) && !answer.trim().to_lowercase().starts_with('n')
}

/// Editors that open a file at the line that `+LINE` before it names.
const TAKE_LINES: [&str; 10] = [
    "vi",
    "vim",
    "nvim",
    "view",
    "nano",
    "emacs",
    "emacsclient",
    "joe",
    "micro",
    "mcedit",
];

/// Starts the editor with the member, at the line of an error.
fn start(editor: &str, member: &TakenOut, line: Option<usize>) -> Result<Child> {
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let stem = Path::new(program)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let line = line
        .filter(|_| TAKE_LINES.contains(&&*stem))
        .map(|line| format!("+{line}"));
    let child = Command::new(program)
        .args(words)
        .args(line)
        .arg(&member.place)
        .spawn();
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

    /// How the editor ended, or `None` inside for the end of the input; `None` before.
    fn is_over(&mut self) -> Result<Option<Option<ExitStatus>>> {
        match self {
            Until::Ends(child) => {
                let ended = child
                    .try_wait()
                    .map_err(|e| Error::say(format!("cannot wait for the editor: {e}")))?;
                Ok(ended.map(Some))
            }
            Until::Input(wait) => Ok(wait.try_recv().is_ok().then_some(None)),
        }
    }
}
