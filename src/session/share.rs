//! Mods: of the project that is edited, and those that are applied to its game.

use crate::Session;
use refit_base::{
    path::Shown,
    wire::{Error, Result},
};
use refit_mods::{self as mods, FileOutcome, Mod, ModdedGame, Plan, Prefer};
use refit_workbench::{
    Options, Progress,
    mods::{MakeMod, carry_out},
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What its author says of a mod. All but the name may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AboutMod {
    /// What it is called. A game has only one mod of a name.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// Who made it.
    pub author: String,
    /// What it does, in a sentence.
    pub about: String,
    /// Under which terms it may be passed on.
    pub license: String,
}

/// What is in a mod, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModContents {
    /// What its author says of it.
    #[serde(flatten)]
    pub about: AboutMod,
    /// Number of changes.
    pub changes: usize,
    /// The files that it changes.
    pub files: Vec<ModFile>,
}

/// What a mod does to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModFile {
    /// The file's path below the game's folder.
    pub path: String,
    /// The changes, a line each.
    pub lines: Vec<String>,
}

impl ModContents {
    fn of(a_mod: &Mod) -> Self {
        let about = &a_mod.manifest;
        let files = mods::lines_of(a_mod).into_iter();
        ModContents {
            about: AboutMod {
                name: about.name.clone(),
                version: about.version.clone(),
                author: about.author.clone(),
                about: about.about.clone(),
                license: about.license.clone(),
            },
            changes: a_mod.weight(),
            files: files.map(|(path, lines)| ModFile { path, lines }).collect(),
        }
    }

    /// What is in a `.refitmod` file.
    ///
    /// # Errors
    /// If it is none, or made by a newer refit.
    pub fn of_file(bytes: &[u8]) -> Result<Self> {
        mods::from_zip(bytes).map(|a_mod| Self::of(&a_mod))
    }
}

/// A mod that is applied to a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AppliedMod {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its author.
    pub author: String,
    /// The files that it changes.
    pub files: Vec<String>,
}

/// What applying or removing mods does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModPlan {
    /// The mods that are applied then, in their order.
    pub mods: Vec<String>,
    /// The files that they concern.
    pub files: Vec<PlannedFile>,
    /// Number of conflicts that nobody has decided: with one, nothing is written.
    pub open: usize,
    /// Why it cannot be carried out.
    pub refused: Option<String>,
}

/// What a plan does with one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedFile {
    /// Its path below the game's folder.
    pub path: String,
    /// What happens to it.
    pub outcome: FileOutcome,
    /// The mods that change it.
    pub mods: Vec<String>,
    /// The conflicts between mods, a sentence each.
    pub conflicts: Vec<String>,
    /// The changes that find no place in this file, a sentence each.
    pub unplaced: Vec<String>,
}

impl ModPlan {
    fn of(plan: &Plan, game: &Path) -> Self {
        let files = plan.files.iter().map(|file| {
            let conflicts = file.conflicts.iter();
            let unplaced = file.unplaced.iter();
            PlannedFile {
                path: file.path.clone(),
                outcome: file.outcome,
                mods: plan.names_of(file).into_iter().map(str::to_owned).collect(),
                conflicts: conflicts
                    .map(|conflict| conflict.text(&plan.names, &file.path))
                    .collect(),
                unplaced: unplaced
                    .map(|missed| missed.text(&plan.names, &file.path))
                    .collect(),
            }
        });
        ModPlan {
            mods: plan.names.clone(),
            files: files.collect(),
            open: plan.open_conflicts(),
            refused: plan.check(game, false).err().map(|e| e.to_string()),
        }
    }
}

/// The mods of a game.
#[derive(Clone, Debug)]
pub struct GameMods {
    game: PathBuf,
}

impl GameMods {
    /// The mods of the game in a folder.
    pub fn of(game: &Path) -> Self {
        GameMods {
            game: game.to_owned(),
        }
    }

    /// The mods that are applied, in their order.
    ///
    /// # Errors
    /// If the game's list of mods cannot be read.
    pub fn applied(&self) -> Result<Vec<AppliedMod>> {
        let game = ModdedGame::open(&self.game, true)?;
        let applied = game.applied();
        let files_of = |name: &String| {
            let files = applied.files.iter();
            files
                .filter(|file| file.mods.contains(name))
                .map(|file| file.path.clone())
                .collect()
        };
        let of = |entry: &mods::AppliedEntry| AppliedMod {
            name: entry.name.clone(),
            version: entry.version.clone(),
            author: entry.author.clone(),
            files: files_of(&entry.name),
        };
        Ok(applied.mods.iter().map(of).collect())
    }

    /// What applying these `.refitmod` files after the applied mods does. A mod replaces an applied
    /// one of the same name. Nothing is written.
    ///
    /// # Errors
    /// If a file is no mod, or if the game cannot be read.
    pub fn plan(&self, files: &[Vec<u8>], prefer: Prefer) -> Result<ModPlan> {
        let game = ModdedGame::open(&self.game, true)?;
        let plan = game.plan_apply(read(files)?, prefer)?;
        Ok(ModPlan::of(&plan, &self.game))
    }

    /// Applies `.refitmod` files: all of them or none.
    ///
    /// # Errors
    /// With an open conflict, if a file is no mod, if none of its files are in the game, or if the
    /// game cannot be written.
    pub fn apply(
        &self,
        files: &[Vec<u8>],
        prefer: Prefer,
        progress: &dyn Progress,
    ) -> Result<ModPlan> {
        let mut game = ModdedGame::open(&self.game, false)?;
        let plan = game.plan_apply(read(files)?, prefer)?;
        plan.check(&self.game, false)?;
        let done = ModPlan::of(&plan, &self.game);
        carry_out(&mut game, plan, "mod apply", false, progress)?;
        Ok(done)
    }

    /// What taking mods out of the game would do. Nothing is written.
    ///
    /// # Errors
    /// If no mod of such a name is applied, or the game cannot be read.
    pub fn plan_remove(&self, names: &[String]) -> Result<ModPlan> {
        let game = ModdedGame::open(&self.game, true)?;
        let plan = game.plan_remove(names)?;
        Ok(ModPlan::of(&plan, &self.game))
    }

    /// Takes mods out of the game, and keeps the others applied.
    ///
    /// # Errors
    /// If no mod of such a name is applied, if the others conflict without it, or if the game
    /// cannot be written.
    pub fn remove(&self, names: &[String], progress: &dyn Progress) -> Result<ModPlan> {
        let mut game = ModdedGame::open(&self.game, false)?;
        let plan = game.plan_remove(names)?;
        if plan.open_conflicts() > 0 {
            return Err(Error::say(format!(
                "without {}, the others conflict; nothing was written",
                names.join(", ")
            ))
            .in_file(self.game.shown()));
        }
        let done = ModPlan::of(&plan, &self.game);
        carry_out(&mut game, plan, "mod remove", false, progress)?;
        Ok(done)
    }
}

fn read(files: &[Vec<u8>]) -> Result<Vec<Mod>> {
    files.iter().map(|bytes| mods::from_zip(bytes)).collect()
}

impl Session {
    /// The mods of the project's game.
    ///
    /// # Errors
    /// If the game is not on this machine.
    pub fn mods(&self) -> Result<GameMods> {
        self.game().map(|game| GameMods::of(&game))
    }

    /// Makes a mod of the project's edits: a `.refitmod` file, and what is in it. Applied to the
    /// original game it gives the edited files, byte for byte.
    ///
    /// # Errors
    /// If the mod has no name, if nothing is edited, or if the game is not on this machine.
    pub fn make_mod(
        &self,
        about: &AboutMod,
        progress: &dyn Progress,
    ) -> Result<(Vec<u8>, ModContents)> {
        if about.name.trim().is_empty() {
            return Err(Error::say("a mod needs a name"));
        }
        let make = MakeMod {
            original: self.root().to_owned(),
            name: about.name.clone(),
            version: about.version.clone(),
            author: about.author.clone(),
            about: about.about.clone(),
            license: about.license.clone(),
            ..MakeMod::default()
        };
        let made = make.run(&Options::default(), progress)?;
        Ok((mods::to_zip(&made)?, ModContents::of(&made)))
    }
}
