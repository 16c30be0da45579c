//! The games and the facts that differ between them.

use serde::{Deserialize, Serialize};

/// One of Zipper Interactive's four games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize, schemars::JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lowercase")]
pub enum Game {
    /// Recoil (1999).
    Rc,
    /// MechWarrior 3 (1999).
    Mw,
    /// MechWarrior 3: Pirate's Moon (1999).
    Pm,
    /// Crimson Skies (2000).
    Cs,
}

impl Game {
    /// All games, in order of release.
    pub const ALL: [Game; 4] = [Game::Rc, Game::Mw, Game::Pm, Game::Cs];

    /// The two letters used on the command line and in trees.
    pub fn code(self) -> &'static str {
        match self {
            Game::Rc => "rc",
            Game::Mw => "mw",
            Game::Pm => "pm",
            Game::Cs => "cs",
        }
    }

    /// The title as a person writes it.
    pub fn title(self) -> &'static str {
        match self {
            Game::Rc => "Recoil",
            Game::Mw => "MechWarrior 3",
            Game::Pm => "Pirate's Moon",
            Game::Cs => "Crimson Skies",
        }
    }

    /// Version word of this game's `gamez.zbd` (detection.md, section 2).
    pub fn gamez_version(self) -> u32 {
        match self {
            Game::Rc => 15,
            Game::Mw => 27,
            Game::Pm => 41,
            Game::Cs => 42,
        }
    }

    /// Version word of this game's animation files (detection.md, section 2).
    pub fn anim_version(self) -> u32 {
        match self {
            Game::Rc => 28,
            Game::Mw => 39,
            Game::Pm => 50,
            Game::Cs => 53,
        }
    }

    /// Version of this game's archives: the Pirate's Moon footer has a checksum.
    pub fn archive_version(self) -> u32 {
        if self == Game::Pm { 2 } else { 1 }
    }
}

impl std::fmt::Display for Game {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.title())
    }
}
