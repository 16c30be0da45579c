//! `refit mod make`, `merge` and `unpack`: what writes mods.

use super::tell_conflict;
use crate::session::Session;
use clap::Args;
use refit_base::{
    path::Shown,
    tree::disk::{Replace, check_file},
    wire::{Error, Result, count, size},
};
use refit_mods::{self as mods, Mod, Prefer};
use refit_workbench::mods::MakeMod;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Make a mod from the differences between two files, trees, projects or folders
#[derive(Args, Debug)]
#[command(after_help = include_str!("../../help/mod-make.txt"))]
pub(super) struct Make {
    /// The mod
    #[arg(short, long, value_name = "NAME.refitmod")]
    output: PathBuf,
    #[command(flatten)]
    make: MakeMod,
}

/// Merge two mods into one
#[derive(Args, Debug)]
#[command(after_help = include_str!("../../help/mod-merge.txt"))]
pub(super) struct Merge {
    /// The first mod
    a: PathBuf,
    /// The second mod
    b: PathBuf,
    /// Output file
    #[arg(short, long, value_name = "NAME.refitmod")]
    output: PathBuf,
    /// The name of the merged mod [default: the file's name]
    #[arg(long)]
    name: Option<String>,
    /// Which mod wins a conflict
    #[arg(long, value_name = "WHO")]
    prefer: Option<Prefer>,
}

/// Unpack a mod into a folder, for git; every command accepts the folder as well
#[derive(Args, Debug)]
pub(super) struct Unpack {
    /// The mod
    a_mod: PathBuf,
    /// Output folder [default: the mod's name, next to it]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

fn stem(path: &Path) -> String {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    name.strip_suffix(".refitmod")
        .map(str::to_owned)
        .unwrap_or(name)
}

fn save(session: &Session, a_mod: &Mod, path: &Path) -> Result<u64> {
    let zip = mods::to_zip(a_mod)?;
    session.write_file(path, &zip, Replace::new(session.global.force))?;
    Ok(zip.len() as u64)
}

impl Make {
    pub(super) fn run(&self, session: &Session) -> Result<()> {
        check_file(&self.output, Replace::new(session.global.force))?;
        let mut make = self.make.clone();
        if make.name.is_empty() {
            make.name = stem(&self.output);
        }
        let made = make.run(&session.options()?, session)?;
        let bytes = save(session, &made, &self.output)?;
        let changed = made.weight();
        if session.global.json {
            session.json(&json!({
                "mod": self.output.shown(), "name": made.manifest.name, "bytes": bytes,
                "files": made.manifest.files.iter().map(|file| &file.path).collect::<Vec<_>>(), "changes": changed,
            }));
        }
        session.tell(format!(
            "{} ({}, {}, {}{})",
            self.output.shown(),
            count(made.manifest.files.len(), "file"),
            count(changed, "change"),
            size(bytes),
            session.would()
        ));
        Ok(())
    }
}

impl Merge {
    pub(super) fn run(&self, session: &Session) -> Result<()> {
        check_file(&self.output, Replace::new(session.global.force))?;
        let (a, b) = (mods::load(&self.a)?, mods::load(&self.b)?);
        let prefer = self.prefer.unwrap_or_default();
        let names = [a.manifest.name.clone(), b.manifest.name.clone()];
        let mut done = mods::union(&a, &b, prefer)?;
        for (file, conflict) in &done.conflicts {
            tell_conflict(session, &names, file, conflict);
        }
        if session.global.json {
            let conflicts: Vec<serde_json::Value> = done
                .conflicts
                .iter()
                .map(|(file, conflict)| json!({ "path": file, "conflict": conflict.row(&names) }))
                .collect();
            session.json(&json!({ "mods": names, "conflicts": conflicts }));
        }
        if !done.conflicts.is_empty() && prefer == Prefer::None {
            let error = Error::say(format!(
                "{}: nothing was written",
                count(done.conflicts.len(), "conflict")
            ));
            return Err(error.hint("use --prefer first or last to choose the winner"));
        }
        done.made.manifest.name = self.name.clone().unwrap_or_else(|| stem(&self.output));
        let bytes = save(session, &done.made, &self.output)?;
        session.tell(format!(
            "{} ({}, {})",
            self.output.shown(),
            count(done.made.manifest.files.len(), "file"),
            size(bytes)
        ));
        Ok(())
    }
}

impl Unpack {
    pub(super) fn run(&self, session: &Session) -> Result<()> {
        let a_mod = mods::load(&self.a_mod)?;
        let folder = self
            .output
            .clone()
            .unwrap_or_else(|| self.a_mod.with_extension(""));
        if session.global.dry_run {
            session.tell(format!("{}: not written (dry run)", folder.shown()));
            return Ok(());
        }
        let files = mods::unpack(&a_mod, &folder)?;
        session.tell(format!(
            "{} → {} ({})",
            self.a_mod.shown(),
            folder.shown(),
            count(files, "file")
        ));
        Ok(())
    }
}
