//! `refit watch`: on every save the file is built, proved and put in place.

use crate::session::Session;
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Result, size},
};
use refit_workbench::watch::{self, Build, WatchEvent};
use serde_json::json;

/// Rebuild a tree, project or definitions on every save, and update the game
#[derive(Args, Debug)]
pub struct Watch {
    #[command(flatten)]
    watch: watch::Watch,
}

impl Watch {
    /// Runs the command. It ends with Ctrl-C, or when its output is closed.
    pub fn run(self, session: &Session) -> Result<()> {
        let name = self.watch.tree.shown();
        let on = |event: WatchEvent<'_>| {
            match event {
                WatchEvent::Watching(files) => {
                    if session.global.json {
                        session
                            .json(&json!({ "status": "watching", "tree": name, "files": files }));
                    }
                    session.tell(format!("watching {name} (Ctrl-C to stop)"));
                }
                WatchEvent::Built(build) => print(session, build),
                WatchEvent::Rebuilt(file) => {
                    session.tell(format!("{}: rebuilt from the whole tree", file.shown()))
                }
                WatchEvent::Unproved(e) | WatchEvent::Unwatchable(e) => session.warn(e.to_string()),
                WatchEvent::Appeared(folder) => {
                    session.tell(format!("{} is new, and is watched, too", folder.shown()))
                }
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
        self.watch
            .run(&session.options()?, session, &on, &|| session.closed())
    }
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
