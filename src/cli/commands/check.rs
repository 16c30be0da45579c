//! `refit check`: predicts what a server refuses; also the signatures of
//! `refit verify --signatures`.

use crate::{
    line::{Line, Paint},
    session::Session,
};
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Result, count},
};
use refit_workbench::{Input, in_order, sign};
use serde_json::json;
use std::path::{Path, PathBuf};

/// List the PBO archives that a server with these keys would reject, and why
#[derive(Args, Debug)]
pub struct Check {
    /// Archives, or folders that contain archives: a mod, a server
    #[arg(required = true, value_name = "FOLDER")]
    paths: Vec<PathBuf>,
    /// The server's folder of .bikey files
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
}

impl Check {
    pub fn run(self, session: &Session) -> Result<()> {
        archives(&self.paths, &self.keys, session)
    }
}

/// Reports what a server with these keys refuses in a folder.
pub fn folder(keys: &Path, folder: &Path, session: &Session) -> Result<()> {
    archives(&[folder.to_owned()], keys, session)
}

fn archives(paths: &[PathBuf], keys: &Path, session: &Session) -> Result<()> {
    let options = session.options()?;
    let keys = sign::ServerKeys::read(keys)?;
    for wrong in &keys.wrong {
        session.found();
        session.warn(wrong.to_string());
    }
    let archives = sign::archives(paths, &options, session)?;
    let mut accepted = 0;
    let emit = |input: &Input, refusals: Result<Vec<String>>| {
        let refusals = match refusals {
            Ok(refusals) => refusals,
            Err(e) => return session.error(e.about(&input.path)),
        };
        if let Some(original) = sign::original(&input.path) {
            let name = original.shown();
            session.warn(format!(
                "{name}: the original that refit keeps; do not upload it with the mod"
            ));
        }
        let accepts = refusals.is_empty();
        accepted += usize::from(accepts);
        if !accepts {
            session.found();
        }
        if session.global.json {
            session.row(
                &input.path,
                [("accepted", accepts.into()), ("refusals", refusals.into())],
            );
        } else {
            let (paint, word) = if accepts {
                (Paint::Green, "accepts")
            } else {
                (Paint::Red, "refuses")
            };
            print(session, paint, word, &input.name(), &refusals);
        }
    };
    in_order(
        &archives,
        &options,
        session,
        (Input::size, Input::name),
        |input| keys.refusals(&input.path),
        emit,
    );
    session.tell(format!(
        "a server with {} accepts {accepted} of {}",
        count(keys.count(), "key"),
        count(archives.len(), "archive")
    ));
    Ok(())
}

/// Prints a line about an archive with its details: a single one on the same line, several below.
fn print(session: &Session, paint: Paint, word: &str, name: &str, lines: &[String]) {
    let behind = if let [line] = lines {
        format!(": {line}")
    } else {
        String::new()
    };
    session.tell(
        Line::new()
            .paint(paint, word)
            .text(format!("  {name}{behind}")),
    );
    for line in lines.iter().filter(|_| lines.len() > 1) {
        session.tell(format!("{:width$}  {line}", "", width = word.len()));
    }
}

/// Compares archives with the signatures next to them.
pub fn signatures(paths: &[PathBuf], session: &Session) -> Result<()> {
    let options = session.options()?;
    let archives = sign::archives(paths, &options, session)?;
    let (mut fitting, mut unsigned) = (0, 0);
    let emit = |input: &Input, signatures: Result<Vec<sign::Signature>>| {
        let signatures = match signatures {
            Ok(signatures) => signatures,
            Err(e) => return session.error(e.about(&input.path)),
        };
        let fits = !signatures.is_empty() && signatures.iter().all(sign::Signature::fits);
        fitting += usize::from(fits);
        unsigned += usize::from(signatures.is_empty());
        if !fits {
            session.found();
        }
        if session.global.json {
            session.row(
                &input.path,
                [("fits", fits.into()), ("signatures", json!(signatures))],
            );
            return;
        }
        let lines: Vec<String> = signatures
            .iter()
            .map(|signature| format!("{}: {}", signature.name(), signature.text()))
            .collect();
        match (signatures.is_empty(), fits) {
            (true, _) => print(
                session,
                Paint::Yellow,
                "none ",
                &input.name(),
                &["no signature".to_owned()],
            ),
            (_, true) => print(session, Paint::Green, "fits ", &input.name(), &lines),
            (_, false) => print(session, Paint::Red, "wrong", &input.name(), &lines),
        }
    };
    in_order(
        &archives,
        &options,
        session,
        (Input::size, Input::name),
        |input| sign::signatures(&input.path),
        emit,
    );
    if archives.len() > 1 {
        let all = count(archives.len(), "archive");
        session.tell(format!(
            "{fitting} of {all} signed with fitting signatures, {unsigned} without a signature"
        ));
    }
    Ok(())
}
