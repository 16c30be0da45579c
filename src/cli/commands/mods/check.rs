//! `refit mod check`: what applying mods would do.

use super::apply::tell;
use crate::{failure::Failure, session::Session};
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Result, count},
};
use refit_mods::{self as mods, ModdedGame, Prefer};
use refit_workbench::paths;
use std::path::PathBuf;

/// Check that mods can be read, and with --to, that they can be applied
#[derive(Args, Debug)]
#[command(after_help = include_str!("../../help/mod-check.txt"))]
pub(super) struct Check {
    /// Mods, in order; without any, the applied mods are checked
    #[arg(value_name = "MOD")]
    mods: Vec<PathBuf>,
    /// The game's folder
    #[arg(long, value_name = "GAME")]
    to: Option<PathBuf>,
}

impl Check {
    pub(super) fn run(&self, session: &Session) -> Result<(), Failure> {
        let mut loaded = Vec::new();
        for path in paths::expand(&self.mods)? {
            match mods::load(&path) {
                Ok(a_mod) => {
                    let changed = a_mod.weight();
                    session.tell(format!(
                        "{}: {} ({}, {})",
                        path.shown(),
                        a_mod.manifest.name,
                        count(a_mod.manifest.files.len(), "file"),
                        count(changed, "change")
                    ));
                    loaded.push(a_mod);
                }
                Err(e) => session.error(e.about(&path)),
            }
        }
        let Some(to) = &self.to else {
            if self.mods.is_empty() {
                return Failure::usage("name a mod, or a game with --to");
            }
            return Ok(());
        };
        let game = ModdedGame::open(to, true)?;
        for (path, _) in game.changed_since()? {
            session.found();
            session.warn(format!(
                "{path}: changed by another program since refit wrote it"
            ));
        }
        let plan = game.plan_apply(loaded, Prefer::None)?;
        tell(session, &plan, false, false);
        if plan.unplaced() > 0 {
            session.found();
        }
        Ok(())
    }
}
