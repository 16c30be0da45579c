//! `refit mod apply` and `remove`: what puts mods into a game, and takes them out.

use super::tell_conflict;
use crate::{
    line::{Line, Paint},
    session::Session,
};
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Error, Result, count},
};
use refit_mods::{self as mods, Conflict, FileOutcome, ModdedGame, Plan, Prefer};
use refit_workbench::{Progress, mods::carry_out as carry_out_plan, paths};
use std::path::{Path, PathBuf};

/// Apply mods to a game
#[derive(Args, Debug)]
#[command(after_help = include_str!("../../help/mod-apply.txt"))]
pub(super) struct Apply {
    /// Mods, in order
    #[arg(required = true, value_name = "MOD")]
    mods: Vec<PathBuf>,
    /// The game's folder, or a single file
    #[arg(long, value_name = "GAME")]
    to: PathBuf,
    /// Which mod wins a conflict
    #[arg(long, value_name = "WHO")]
    prefer: Option<Prefer>,
    /// Refuse other editions of a file, and changes that do not fit
    #[arg(long)]
    strict: bool,
}

/// Remove mods, and keep the others applied
#[derive(Args, Debug)]
#[command(after_help = include_str!("../../help/mod-remove.txt"))]
pub(super) struct Remove {
    /// Names of mods, as `list` shows them
    #[arg(required_unless_present = "all", value_name = "NAME")]
    names: Vec<String>,
    /// The game's folder
    #[arg(long, value_name = "GAME")]
    from: PathBuf,
    /// Remove all mods
    #[arg(long)]
    all: bool,
}

/// How many conflicts of one file, and changes that did not find their place, are shown one by one.
const SHOWN: usize = 100;

/// Prints the effects of a plan.
pub(super) fn tell(session: &Session, plan: &Plan, written: bool, refused: bool) {
    for file in &plan.files {
        // Open conflicts come first.
        let (open, decided): (Vec<&Conflict>, Vec<&Conflict>) = file
            .conflicts
            .iter()
            .partition(|conflict| conflict.is_open());
        for conflict in open.iter().chain(&decided).take(SHOWN) {
            tell_conflict(session, &plan.names, &file.path, conflict);
        }
        for missed in file.unplaced.iter().take(SHOWN) {
            session.warn(missed.text(&plan.names, &file.path));
        }
        let more = [
            (file.conflicts.len(), "further conflict"),
            (
                file.unplaced.len() + file.more_unplaced,
                "further unapplied change",
            ),
        ];
        for (all, what) in more.into_iter().filter(|(all, _)| *all > SHOWN) {
            session.warn(format!("{}: and {}", file.path, count(all - SHOWN, what)));
        }
        if file.edition && file.unplaced.is_empty() {
            session.warn(format!(
                "{}: not the edition that the mod was made from, but every change could be applied",
                file.path
            ));
        }
        if session.global.json {
            session.json(&plan.row(file, written));
        }
        let undecided = file.conflicts.iter().any(Conflict::is_open);
        let is_missing = file.outcome == FileOutcome::Unchanged
            && file.bytes.is_none()
            && !file.unplaced.is_empty();
        if refused || undecided || is_missing {
            // The reason was printed already.
            continue;
        }
        let (word, paint) = match file.outcome {
            FileOutcome::Changed => ("changed", Paint::Yellow),
            FileOutcome::Added => ("added", Paint::Green),
            FileOutcome::Deleted => ("deleted", Paint::Red),
            FileOutcome::Restored => ("restored", Paint::Green),
            FileOutcome::Unchanged => ("unchanged", Paint::Dim),
        };
        let names = plan.names_of(file);
        let by = if names.is_empty() {
            String::new()
        } else {
            format!(" ({})", names.join(", "))
        };
        session.tell(
            Line::new()
                .paint(paint, format!("{word:9}"))
                .text(format!("  {}{by}", file.path)),
        );
    }
}

/// Carries out a plan, unless this is a dry run.
fn carry_out(
    session: &Session,
    game: &mut ModdedGame,
    plan: Plan,
    what: &str,
    folder: &Path,
) -> Result<()> {
    if session.global.dry_run {
        session.tell(format!("{}: not written (dry run)", folder.shown()));
        return Ok(());
    }
    carry_out_plan(game, plan, what, session.global.force, session)?;
    session.tell(format!(
        "{}: {} applied",
        folder.shown(),
        count(game.applied().mods.len(), "mod")
    ));
    Ok(())
}

impl Apply {
    pub(super) fn run(&self, session: &Session) -> Result<()> {
        let new = paths::expand(&self.mods)?
            .iter()
            .map(|path| mods::load(path))
            .collect::<Result<_>>()?;
        let prefer = self.prefer.unwrap_or_default();
        let mut game = ModdedGame::open(&self.to, session.global.dry_run)?;
        session.recovered(game.finished.as_ref());
        let plan = game.plan_apply(new, prefer)?;
        let refused = plan.check(&self.to, self.strict);
        tell(
            session,
            &plan,
            refused.is_ok() && !session.global.dry_run,
            refused.is_err(),
        );
        refused?;
        if plan.unplaced() > 0 {
            session.found();
        }
        carry_out(session, &mut game, plan, "mod apply", &self.to)
    }
}

impl Remove {
    pub(super) fn run(&self, session: &Session) -> Result<()> {
        let mut game = ModdedGame::open(&self.from, session.global.dry_run)?;
        session.recovered(game.finished.as_ref());
        let names = if self.all {
            game.applied()
                .mods
                .iter()
                .map(|entry| entry.name.clone())
                .collect()
        } else {
            self.names.clone()
        };
        let plan = game.plan_remove(&names)?;
        let open = plan.open_conflicts();
        tell(
            session,
            &plan,
            open == 0 && !session.global.dry_run,
            open > 0,
        );
        if open > 0 {
            return Err(Error::say(format!(
                "without {}, the others conflict; nothing was written",
                names.join(", ")
            )));
        }
        carry_out(session, &mut game, plan, "mod remove", &self.from)
    }
}
