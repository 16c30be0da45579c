//! Plans: what a call would write to a game. A game is written only with a plan that is still true.

use crate::{
    pages::Reply,
    place::{Place, options},
};
use refit_base::{
    Sum,
    path::Shown,
    sha256,
    wire::{Error, ErrorKind, Result},
};
use refit_mods::Prefer;
use refit_session::{BuildReport, GameMods, ModPlan, Notes, RestoreReport, Session};
use refit_workbench::{Options, restore};
use serde_json::{Value, json};
use std::{collections::VecDeque, path::Path};

/// How many plans can be carried out; the oldest are forgotten.
const KEPT: usize = 32;

/// Most bytes of the mods of all plans, except for the newest.
const KEPT_BYTES: usize = 256 << 20;

/// What a plan does to the game of a folder.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Builds the edited files of the project.
    Build,
    /// Puts the originals back.
    Restore,
    /// Applies mods.
    Apply(Vec<Vec<u8>>, Prefer),
    /// Takes mods out.
    Remove(Vec<String>),
}

impl Work {
    fn bytes(&self) -> usize {
        match self {
            Work::Apply(mods, _) => mods.iter().map(Vec::len).sum(),
            _ => 0,
        }
    }
}

/// Work that was shown.
pub(crate) struct Planned {
    token: String,
    /// The name of the folder.
    pub folder: String,
    work: Work,
    /// The sum of what was shown.
    sum: String,
}

/// The plans that were shown.
#[derive(Default)]
pub(crate) struct Plans {
    kept: VecDeque<Planned>,
    last: u64,
}

/// What work would do.
struct Effect {
    head: Value,
    rows: Vec<Value>,
    /// Why it cannot be carried out.
    refused: Option<String>,
    /// More than what is shown, for the sum: the new content of files.
    exact: String,
}

/// The rows of paths, each with what happens to it.
fn paths<'a>(
    game: &'a Path,
    what: &'a str,
    paths: &'a [String],
) -> impl Iterator<Item = Value> + 'a {
    let root = format!("{}/", game.shown());
    paths.iter().map(move |path| {
        let file = path.strip_prefix(&root).unwrap_or(path);
        json!({ "file": file, "outcome": what })
    })
}

fn of_build(game: &Path, report: &BuildReport) -> (Value, Vec<Value>) {
    let rows = paths(game, "built", &report.built)
        .chain(paths(game, "restored", &report.restored))
        .chain(paths(game, "as the mods made it", &report.of_mods))
        .chain(paths(game, "removed", &report.removed));
    let head = json!({ "unedited": report.unedited, "notes": report.notes });
    (head, rows.collect())
}

fn of_restore(game: &Path, report: &RestoreReport) -> (Value, Vec<Value>) {
    let rows =
        paths(game, "restored", &report.restored).chain(paths(game, "removed", &report.removed));
    let head = json!({ "left": report.left, "mods_off": report.off, "notes": report.notes });
    (head, rows.collect())
}

fn of_mods(plan: &ModPlan, notes: Vec<String>) -> (Value, Vec<Value>) {
    let rows = plan.files.iter().map(|file| {
        let mut row = json!({ "file": file.path, "outcome": file.outcome, "mods": file.mods });
        for (key, texts) in [("conflicts", &file.conflicts), ("unplaced", &file.unplaced)] {
            if !texts.is_empty() {
                row[key] = texts.as_slice().into();
            }
        }
        row
    });
    let head = json!({ "mods": plan.mods, "open_conflicts": plan.open, "notes": notes });
    (head, rows.collect())
}

/// An error of a build, with the notes before it.
fn with_notes(e: Error, notes: &[String]) -> Error {
    match notes {
        [] => e,
        notes => e.context(notes.join("; ")),
    }
}

/// What work would do now.
fn shown(place: &Place, work: &Work) -> Result<Effect> {
    let game = place.game()?;
    let notes = Notes::default();
    Ok(match work {
        Work::Build => {
            let outcome = Session::open(&place.path)?.plan_build(&notes);
            let notes = notes.take();
            let outcome = outcome.map_err(|e| with_notes(e, &notes))?;
            let sums = outcome.built.iter().map(|file| {
                let now = file.file.as_deref().and_then(content_sum);
                json!([file.sum, now])
            });
            let exact = Value::from_iter(sums).to_string();
            let (head, rows) = of_build(game, &BuildReport::of(&outcome, notes));
            Effect {
                head,
                rows,
                refused: None,
                exact,
            }
        }
        Work::Restore => {
            let dry = Options {
                dry_run: true,
                ..options()
            };
            let outcome = restore::restore(game, &dry, &notes)?;
            let files = outcome.restored.iter().map(|(original, _)| &original.file);
            let all = files.chain(outcome.removed.iter().map(|(file, _)| file));
            let sums = all.map(|file| json!(content_sum(file)));
            let exact = Value::from_iter(sums).to_string();
            let (head, rows) = of_restore(game, &RestoreReport::of(&outcome, notes.take()));
            Effect {
                head,
                rows,
                refused: None,
                exact,
            }
        }
        Work::Apply(files, prefer) => {
            let plan = GameMods::of(game).plan(files, *prefer)?;
            let sums: Vec<String> = files.iter().map(|file| sha256(file)).collect();
            let exact = format!("{} {}", sums.join(" "), state_of(game, &plan));
            let (head, rows) = of_mods(&plan, notes.take());
            Effect {
                head,
                rows,
                refused: plan.refused,
                exact,
            }
        }
        Work::Remove(names) => {
            let plan = GameMods::of(game).plan_remove(names)?;
            let exact = state_of(game, &plan);
            let (head, rows) = of_mods(&plan, notes.take());
            Effect {
                head,
                rows,
                refused: plan.refused,
                exact,
            }
        }
    })
}

/// The checksum of a file as it is now; `None` if it is not there.
fn content_sum(file: &Path) -> Option<Sum> {
    refit_base::tree::disk::standing(file).ok().flatten()
}

/// The files of a plan as they are now.
fn state_of(game: &Path, plan: &ModPlan) -> String {
    let sums = plan
        .files
        .iter()
        .map(|file| json!(content_sum(&game.join(&file.path))));
    Value::from_iter(sums).to_string()
}

impl Effect {
    fn sum(&self) -> String {
        let rows = Value::from(self.rows.clone());
        sha256(format!("{}\n{rows}\n{}", self.head, self.exact).as_bytes())
    }
}

impl Plans {
    /// Plans work on the game of a folder.
    pub fn plan(&mut self, place: &Place, work: Work) -> Result<Reply> {
        let shown = shown(place, &work)?;
        let mut head = shown.head.clone();
        head["game"] = place.game()?.shown().into();
        match &shown.refused {
            Some(why) => head["refused"] = why.as_str().into(),
            None if shown.rows.is_empty() => head["nothing_to_do"] = true.into(),
            None => {
                let sum = shown.sum();
                self.last = self.last.saturating_add(1);
                let short = sum.get(..12).unwrap_or_default();
                let token = format!("plan-{}-{short}", self.last);
                head["plan"] = token.as_str().into();
                let folder = place.name.clone();
                self.kept.push_back(Planned {
                    token,
                    folder,
                    work,
                    sum,
                });
                let total = |kept: &VecDeque<Planned>| -> usize {
                    kept.iter().map(|plan| plan.work.bytes()).sum()
                };
                while self.kept.len() > KEPT
                    || self.kept.len() > 1 && total(&self.kept) > KEPT_BYTES
                {
                    self.kept.pop_front();
                }
            }
        }
        Ok(Reply::rows(head, shown.rows))
    }

    /// Takes a plan out: it is carried out once.
    pub fn take(&mut self, token: &str) -> Result<Planned> {
        let at = self.kept.iter().position(|plan| plan.token == token);
        let plan = at.and_then(|at| self.kept.remove(at));
        plan.ok_or_else(|| {
            Error::say(format!("there is no plan {token:?}"))
                .hint("plan_build, plan_restore and plan_mods make one; each is carried out once")
                .of_kind(ErrorKind::NoMember)
        })
    }
}

impl Planned {
    /// Carries out the plan in its folder, if it would still do the same.
    pub fn carry_out(&self, place: &Place) -> Result<Reply> {
        let game = place.game()?;
        if shown(place, &self.work)?.sum() != self.sum {
            return Err(Error::say("the plan is no longer what would happen")
                .in_file(game.shown())
                .hint("nothing was written; plan again"));
        }
        let notes = Notes::default();
        let (head, rows) = match &self.work {
            Work::Build => {
                let outcome = Session::open(&place.path)?.build(&notes);
                let notes = notes.take();
                let outcome = outcome.map_err(|e| with_notes(e, &notes))?;
                of_build(game, &BuildReport::of(&outcome, notes))
            }
            Work::Restore => {
                let outcome = restore::restore(game, &options(), &notes)?;
                of_restore(game, &RestoreReport::of(&outcome, notes.take()))
            }
            Work::Apply(files, prefer) => {
                let done = GameMods::of(game).apply(files, *prefer, &notes)?;
                of_mods(&done, notes.take())
            }
            Work::Remove(names) => {
                let done = GameMods::of(game).remove(names, &notes)?;
                of_mods(&done, notes.take())
            }
        };
        Ok(Reply::rows(head, rows))
    }
}
