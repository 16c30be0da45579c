//! `refit watch`: on every save the file is built, proved and put in place.

use crate::session::Session;
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Result, size},
};
use refit_workbench::watch::{self, Build, WatchEvent};
use serde_json::json;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread::scope,
};

/// Rebuild a tree, project or definitions on every save, and update the game
#[derive(Args, Debug)]
pub struct Watch {
    #[command(flatten)]
    watch: watch::Watch,
    /// Run a command of the system's shell after each build; REFIT_FILE is the file that was built
    #[arg(long, value_name = "COMMAND")]
    run: Option<String>,
}

impl Watch {
    /// Runs the command. It ends with Ctrl-C, or when its output is closed.
    pub fn run(self, session: &Session) -> Result<()> {
        let Some(command) = self.run else {
            return watch(&self.watch, session, &|_| ());
        };
        scope(|scope| {
            let (built, wait) = channel();
            scope.spawn(move || after_builds(&command, &wait, session));
            watch(&self.watch, session, &|file| {
                _ = built.send(file.to_owned())
            })
        })
    }
}

/// Runs a command after builds, until there are no more. Builds during a run are followed by one
/// run for the last of them.
fn after_builds(command: &str, wait: &Receiver<PathBuf>, session: &Session) {
    while let Ok(mut file) = wait.recv() {
        while let Ok(later) = wait.try_recv() {
            file = later;
        }
        let (shell, option) = match cfg!(windows) {
            true => ("cmd", "/C"),
            false => ("sh", "-c"),
        };
        let mut shell = Command::new(shell);
        shell.args([option, command]).env("REFIT_FILE", &file);
        shell.stdin(Stdio::null());
        if session.global.json {
            // Only rows belong there.
            shell.stdout(std::io::stderr());
        }
        match shell.status() {
            Ok(status) if status.success() => {}
            Ok(status) => session.warn(format!("{command}: {status}")),
            Err(e) => session.warn(format!("{command}: {e}")),
        }
        session.flush();
    }
}

/// Watches, and passes each file that a build changed to `built`.
fn watch(what: &watch::Watch, session: &Session, built: &dyn Fn(&Path)) -> Result<()> {
    let name = what.tree.shown();
    let on = |event: WatchEvent<'_>| {
        match event {
            WatchEvent::Watching(files) => {
                if session.global.json {
                    session.json(&json!({ "status": "watching", "tree": name, "files": files }));
                }
                session.tell(format!("watching {name} (Ctrl-C to stop)"));
            }
            WatchEvent::Built(build) => {
                print(session, build);
                if matches!(&build.done, Ok((written, _)) if !written.unchanged) {
                    built(build.file);
                }
            }
            WatchEvent::Rebuilt(file) => {
                session.tell(format!("{}: rebuilt from the whole tree", file.shown()))
            }
            WatchEvent::Unproved(e) | WatchEvent::Unwatchable(e) => session.warn(e.to_string()),
            WatchEvent::Appeared(folder) => {
                session.tell(format!("{} is new, and is watched, too", folder.shown()))
            }
            WatchEvent::Undefined(folder) => session.tell(format!(
                "{} is gone; the file is built from its tree alone",
                folder.shown()
            )),
            WatchEvent::Disappeared(folder) => session.tell(format!(
                "{} is gone; the game keeps its file (refit restore takes it back)",
                folder.shown()
            )),
            WatchEvent::Gone => {
                session.warn(format!("{name} is gone; watching resumes when it is back"))
            }
            WatchEvent::Replaced => session.tell(format!(
                "{name} was replaced by another folder; watching that one"
            )),
        }
        session.flush();
    };
    what.run(&session.options()?, session, &on, &|| session.closed())
}

fn print(session: &Session, build: &Build<'_>) {
    let (file, saved, took) = (build.file.shown(), &build.saved, build.took.as_millis());
    match &build.done {
        Ok((written, how)) => {
            if session.global.json {
                session.json(&json!({
                    "file": file, "status": if written.unchanged { "unchanged" } else { "built" }, "saved": saved,
                    "bytes": written.bytes, "how": how, "milliseconds": took,
                }));
            }
            let same = if written.unchanged { ", unchanged" } else { "" };
            let how = if build.of_definitions {
                format!(", {how}")
            } else {
                String::new()
            };
            let what = match saved.as_slice() {
                [] => "earlier edits".to_owned(),
                [one] => (*one).to_owned(),
                [first, rest @ ..] => format!("{first} and {} more", rest.len()),
            };
            session.tell(format!(
                "{file} ({}, {took} ms{same}{how}): {what}",
                size(written.bytes)
            ));
        }
        Err(e) => {
            let text = e.to_string();
            if session.global.json {
                session.json(
                    &json!({ "file": file, "status": "error", "saved": saved, "error": text, "milliseconds": took }),
                );
            }
            session.error_for_now(format!("{text} ({file} stays unchanged)"));
        }
    }
}
