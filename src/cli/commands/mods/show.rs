//! `refit mod list`, `show` and `diff`: the commands that only read.

use crate::{
    line::{Line, Paint},
    session::Session,
};
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Result, count},
};
use refit_mods::{self as mods, Mod, ModdedGame};
use serde_json::json;
use std::path::PathBuf;

/// List the mods that are applied to a game
#[derive(Args, Debug)]
pub(super) struct List {
    /// The game's folder
    #[arg(value_name = "GAME")]
    folder: PathBuf,
}

/// Show what a mod changes
#[derive(Args, Debug)]
pub(super) struct Show {
    /// The mod, as a zip file or a folder
    a_mod: PathBuf,
}

/// Compare two mods
#[derive(Args, Debug)]
pub(super) struct Diff {
    /// The first mod
    a: PathBuf,
    /// The second mod
    b: PathBuf,
}

/// Lines of one file that `show` shows.
const LINES: usize = 1000;

fn head(session: &Session, a_mod: &Mod) {
    let about = &a_mod.manifest;
    let version = if about.version.is_empty() {
        String::new()
    } else {
        format!(" {}", about.version)
    };
    session.tell(Line::new().paint(Paint::Bold, &about.name).text(version));
    for (key, value) in [
        ("author", &about.author),
        ("about", &about.about),
        ("license", &about.license),
    ] {
        if !value.is_empty() {
            session.tell(format!("{key}: {value}"));
        }
    }
}

impl List {
    pub(super) fn run(&self, session: &Session) -> Result<()> {
        let game = ModdedGame::open(&self.folder, true)?;
        let changed = game.changed_since()?;
        let applied = game.applied().clone();
        for entry in &applied.mods {
            let files: Vec<&str> = applied
                .files
                .iter()
                .filter(|file| file.mods.contains(&entry.name))
                .map(|file| file.path.as_str())
                .collect();
            if session.global.json {
                session.json(
                    &json!({ "name": entry.name, "version": entry.version, "author": entry.author,
                    "sha256": entry.sha256, "files": files }),
                );
            }
            let version = if entry.version.is_empty() {
                String::new()
            } else {
                format!(" {}", entry.version)
            };
            let author = if entry.author.is_empty() {
                String::new()
            } else {
                format!(" by {}", entry.author)
            };
            session.tell(format!(
                "{}{version}{author}: {}",
                entry.name,
                files.join(", ")
            ));
        }
        if applied.mods.is_empty() {
            session.tell(format!("{}: no mods are applied", self.folder.shown()));
        }
        for (path, own) in changed {
            session.found();
            session.warn(match own {
                true => format!(
                    "{path}: rewritten since by other refit commands (put, repack or watch)"
                ),
                false => format!("{path}: changed by another program since refit wrote it"),
            });
        }
        Ok(())
    }
}

impl Show {
    pub(super) fn run(&self, session: &Session) -> Result<()> {
        let a_mod = mods::load(&self.a_mod)?;
        if session.global.json {
            let files: Vec<serde_json::Value> = a_mod
                .manifest
                .files
                .iter()
                .zip(&a_mod.changes)
                .map(|(entry, changes)| json!({ "file": entry, "changes": changes }))
                .collect();
            session
                .json(&json!({ "mod": a_mod.manifest, "sha256": a_mod.sha256()?, "files": files }));
            return Ok(());
        }
        head(session, &a_mod);
        for (path, lines) in mods::lines_of(&a_mod) {
            session.tell(format!("{path}:"));
            for line in lines.iter().take(LINES) {
                session.tell(format!("  {line}"));
            }
            if lines.len() > LINES {
                session.tell(format!(
                    "  and {} (--json shows all)",
                    count(lines.len() - LINES, "further line")
                ));
            }
        }
        Ok(())
    }
}

impl Diff {
    pub(super) fn run(&self, session: &Session) -> Result<()> {
        let changes = mods::compare(&mods::load(&self.a)?, &mods::load(&self.b)?)?;
        if changes.is_empty() {
            session.tell(format!(
                "{} and {} are equal",
                self.a.shown(),
                self.b.shown()
            ));
        } else {
            session.found();
        }
        let signed = changes
            .into_iter()
            .map(|(new, line)| (if new { "+" } else { "-" }, line));
        let mut lines = Vec::new();
        for (sign, line) in signed {
            let paint = if sign == "+" {
                Paint::Green
            } else {
                Paint::Red
            };
            session.tell(Line::new().paint(paint, sign).text(format!(" {line}")));
            lines.push(format!("{sign} {line}"));
        }
        if session.global.json {
            session.json(&match lines.is_empty() {
                true => json!({ "status": "equal" }),
                false => json!({ "status": "different", "changes": lines }),
            });
        }
        Ok(())
    }
}
