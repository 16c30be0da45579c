//! `refit edit`: members in the user's editor.

use crate::{
    change::{print_report, print_written},
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

/// Open members of a file or an unpacked tree in an editor, and put them back on every save
#[derive(Args, Debug)]
pub struct Edit {
    /// The file, or its unpacked tree
    file: PathBuf,
    /// The members' names, or #index as `list` shows it
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
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
        let mut members = Vec::new();
        for (n, name) in self.names.iter().enumerate() {
            // Two members may have one name without its folders.
            let own = match n {
                0 => folder.path().to_owned(),
                n => folder.path().join(n.to_string()),
            };
            std::fs::create_dir_all(&own).map_err(|e| Error::io(&own, e))?;
            let member = TakenOut::new(&self.file, name, style, &own, &options)
                .map_err(|e| e.about(&self.file))?;
            members.push(member);
        }
        let mut edited = Edited {
            file: &self.file,
            members,
            options,
            session,
            reported: None,
        };
        let result = edited.run(self.editor.as_deref());
        let is_pending = edited.members.iter().any(TakenOut::is_pending);
        if !is_pending {
            return result;
        }
        if let Err(e) = &result
            && edited.reported != Some(e.to_string())
        {
            session.error_for_now(e.to_string());
        }
        // The user's work: refit keeps it, and says where.
        let _ = folder.keep();
        for member in edited.members.iter().filter(|member| member.is_pending()) {
            let place = member.keep()?;
            let (file, name, place) = (self.file.shown(), member.name(), place.shown());
            session.warn_always(format!(
                "{place}: what you saved is kept here; when it is right: refit put {file} {name} {place}"
            ));
        }
        session.fail();
        Ok(())
    }
}

/// Members in the editor.
struct Edited<'a> {
    file: &'a Path,
    members: Vec<TakenOut>,
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
            for member in &self.members {
                let place = member.place.shown();
                self.session
                    .tell(format!("{place} (save it to put it back; Ctrl-C to stop)"));
            }
            self.session.flush();
            self.watch(&mut Until::input_ends())?;
            return self.finish().map_err(|(_, e)| e);
        };
        let all = self.members.iter().map(|member| member.place.clone());
        let (mut open, mut line) = (all.collect::<Vec<_>>(), None);
        loop {
            let mut until = Until::Ends(start(&editor, &open, line)?);
            let status = self.watch(&mut until)?;
            let Err((text, e)) = self.finish() else {
                return ended_well(&editor, status);
            };
            let is_pending = self.members.iter().any(TakenOut::is_pending);
            if !is_pending || !again(&text, self.session) {
                return Err(e);
            }
            (open, line) = self.remark(&e)?;
        }
    }

    /// Writes the errors of the members into their files. Returns the files, the one with `error`
    /// first, and its line.
    fn remark(&mut self, error: &Error) -> Result<(Vec<PathBuf>, Option<usize>)> {
        let (mut open, mut at) = (Vec::new(), None);
        for member in self.members.iter_mut().filter(|member| member.is_pending()) {
            // The first error was returned, the others are found again.
            let again = member.finish(&self.options, self.session);
            let of_member = again.err().unwrap_or_else(|| error.clone());
            let line = member.remark(&of_member)?;
            at = at.or(line.filter(|_| open.is_empty()));
            open.push(member.place.clone());
        }
        Ok((open, at))
    }

    /// Puts the member back on every save, until the editor ends. Returns how it ended.
    fn watch(&mut self, until: &mut Until) -> Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = until.is_over()? {
                return Ok(status);
            }
            for n in 0..self.members.len() {
                let Some(member) = self.members.get_mut(n) else {
                    continue;
                };
                match member.put_back(&self.options, self.session) {
                    Ok(save) => self.print(n, save),
                    Err(e) => {
                        let e = e.about(self.file);
                        self.session.error(member.text_of(&e));
                        self.reported = Some(e.to_string());
                    }
                }
            }
            self.session.flush();
            std::thread::sleep(PAUSE);
        }
    }

    /// Puts back what the editor left: as many members as possible. Returns the first error, and
    /// how it is printed; the others are printed here.
    fn finish(&mut self) -> Result<(), (String, Error)> {
        let mut first = None;
        for n in 0..self.members.len() {
            let Some(member) = self.members.get_mut(n) else {
                continue;
            };
            match member.finish(&self.options, self.session) {
                Ok(save) => self.print(n, save),
                Err(e) => {
                    let e = e.about(self.file);
                    let text = member.text_of(&e);
                    match &first {
                        None => first = Some((text, e)),
                        Some(_) => self.session.error_for_now(text),
                    }
                }
            }
        }
        self.session.flush();
        first.map_or(Ok(()), Err)
    }

    fn print(&self, n: usize, save: Save) {
        let (Save::Stored(done), Some(member)) = (save, self.members.get(n)) else {
            return;
        };
        let (report, written) = *done;
        if let Some(report) = report {
            let name = member.place.file_name().unwrap_or_default();
            print_report(
                self.session,
                Path::new(name),
                &report,
                0,
                "`refit add PACKAGE`",
            );
        }
        print_written(self.session, self.file, member.name(), written);
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
fn again(error: &str, session: &Session) -> bool {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return false;
    }
    session.error_for_now(error);
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

/// Starts the editor with files, at the line of an error in the first one.
fn start(editor: &str, open: &[PathBuf], line: Option<usize>) -> Result<Child> {
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
        .args(open)
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
