//! Tools for mods, and for what is written to a game.

use super::Tool;
use crate::{desk::Desk, pages::Reply, plans::Work};
use refit_base::{
    path::Shown,
    tree::disk::{self, Backup, Replace},
    wire::{Error, Result},
};
use refit_mods::Prefer;
use refit_session::{AboutMod, ModContents, Notes};
use serde::Deserialize;
use serde_json::{Value, json};

/// The end of the name of a mod.
const MOD: &str = ".refitmod";

fn contents(contents: &ModContents) -> impl Iterator<Item = Value> + '_ {
    let files = contents.files.iter();
    files.map(|file| json!({ "file": file.path, "changes": file.lines }))
}

/// Plans work on the game of a folder.
fn planned(desk: &mut Desk, folder: Option<&str>, work: Work) -> Result<Reply> {
    let place = desk.place(folder)?;
    desk.plans.plan(&place, work)
}

/// Makes a mod of the edits of a project: a new `.refitmod` file, which never replaces another one.
/// It holds changes, not the game's content.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MakeMod {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The new file, in one of the folders: `FOLDER/door.refitmod`.
    to: String,
    /// What the mod is called. A game has only one mod of a name.
    name: String,
    /// Its own version.
    #[serde(default)]
    version: String,
    /// Who made it.
    #[serde(default)]
    author: String,
    /// What it does, in a sentence.
    #[serde(default)]
    about: String,
    /// Under which terms it may be passed on.
    #[serde(default)]
    license: String,
    /// Report what would be in it, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for MakeMod {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let (_, session) = desk.project(self.folder.as_deref())?;
        if !self.to.to_ascii_lowercase().ends_with(MOD) {
            return Err(Error::say("the name of a mod ends with .refitmod").in_file(self.to));
        }
        let path = desk.new_place(&self.to)?;
        if path.symlink_metadata().is_ok() {
            return Err(Error::say("it exists already").in_file(self.to));
        }
        let about = AboutMod {
            name: self.name,
            version: self.version,
            author: self.author,
            about: self.about,
            license: self.license,
        };
        let notes = Notes::default();
        let (bytes, made) = session.make_mod(&about, &notes)?;
        if !self.dry_run {
            let may = Replace {
                backup: Backup::Never,
                ..Replace::default()
            };
            disk::write_file(&path, &bytes, may)?;
        }
        let head = json!({
            "mod": made.about.name, "path": path.shown(), "bytes": bytes.len(), "changes": made.changes,
            "dry_run": self.dry_run.then_some(true), "notes": notes.take(),
        });
        Ok(Reply::rows(head, contents(&made)))
    }
}

/// Plans to put the edited files of a project into its game: which files would be built, restored or
/// removed. Returns a plan for `carry_out`. The originals are kept.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanBuild {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
}

impl Tool for PlanBuild {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        // The error of a folder that is no project.
        desk.project(self.folder.as_deref())?;
        planned(desk, self.folder.as_deref(), Work::Build)
    }
}

/// Plans to put the originals of a game back. A project keeps its edits. Returns a plan for
/// `carry_out`.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanRestore {
    /// The game, or a project of it. May be left out if there is only one folder or project.
    folder: Option<String>,
}

impl Tool for PlanRestore {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        planned(desk, self.folder.as_deref(), Work::Restore)
    }
}

/// Which mod wins a conflict.
#[derive(Clone, Copy, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Wins {
    /// None: a conflict is named, and nothing can be written.
    #[default]
    None,
    /// The first one.
    First,
    /// The last one.
    Last,
}

/// Plans to apply mods to a game, after those that are applied, or to take mods out of it. Conflicts
/// are named. Returns a plan for `carry_out` unless it is refused.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanMods {
    /// The game, or a project of it. May be left out if there is only one folder or project.
    folder: Option<String>,
    /// The mods to apply, files in the folders: `FOLDER/door.refitmod`.
    #[serde(default)]
    apply: Vec<String>,
    /// The names of mods to take out, as `mods` has them, instead of `apply`.
    #[serde(default)]
    remove: Vec<String>,
    /// Which mod wins a conflict.
    #[serde(default)]
    prefer: Wins,
}

/// Most mods in one call.
const MOST: usize = 64;

impl Tool for PlanMods {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        if self.apply.len().max(self.remove.len()) > MOST {
            return Err(Error::say("more than 64 mods at a time"));
        }
        let work = match (self.apply.as_slice(), self.remove.as_slice()) {
            ([], [_, ..]) => Work::Remove(self.remove),
            ([_, ..], []) => {
                let files = self.apply.iter().map(|file| desk.content(file));
                let prefer = match self.prefer {
                    Wins::None => Prefer::None,
                    Wins::First => Prefer::First,
                    Wins::Last => Prefer::Last,
                };
                Work::Apply(files.collect::<Result<_>>()?, prefer)
            }
            _ => return Err(Error::say("name mods either to `apply` or to `remove`")),
        };
        planned(desk, self.folder.as_deref(), work)
    }
}

/// Writes to a game what a plan says, all or nothing. Each plan is carried out once; if something
/// changed since, it is refused.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CarryOut {
    /// The `plan` that `plan_build`, `plan_restore` or `plan_mods` returned.
    plan: String,
}

impl Tool for CarryOut {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let plan = desk.plans.take(&self.plan)?;
        let place = desk.place(Some(&plan.folder))?;
        let reply = plan.carry_out(&place)?;
        desk.close(place.game()?);
        Ok(reply)
    }
}
