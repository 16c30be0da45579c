//! The names of the formats.

use serde::{Deserialize, Serialize};

/// The first bytes of what git LFS leaves in place of a file whose content it has not fetched.
pub const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// A file format, by the name used on the command line and in trees.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Debug,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "snake_case")
)]
pub enum Format {
    /// A ZBD archive of no known kind of member.
    Archive,
    /// A ZBD archive of sounds.
    Sounds,
    /// A ZBD archive of reader files.
    Reader,
    /// A loose binary reader file.
    ZrdBinary,
    /// A loose text reader file.
    ZrdText,
    /// Interpreter scripts.
    Interp,
    /// A ZBD archive of motions.
    Motion,
    /// A ZBD archive of 'mech models.
    Mechlib,
    /// A game world.
    Gamez,
    /// The planes of Crimson Skies: a world with other rules.
    Planes,
    /// Compiled animation definitions.
    Anim,
    /// A texture package.
    Textures,
    /// A DLL of messages.
    Messages,
    /// A Recoil map.
    Zmap,
    /// A save game.
    Savegame,
    /// A ROF archive of Crimson Skies.
    Rof,
    /// A saved aircraft of Crimson Skies.
    Aircraft,
    /// A livery of Crimson Skies: the paint of an aircraft.
    Livery,
    /// A Bohemia PBO archive.
    Pbo,
    /// A key of signatures of PBO archives.
    Bikey,
    /// A signature of a PBO archive.
    Bisign,
    /// A binary config of Bohemia's games: raP.
    Rap,
    /// A texture of Bohemia's games: PAA, PAC.
    Paa,
    /// A file that is kept whole because no typed form reproduces it.
    Raw,
}

impl Format {
    /// The name on the command line and in trees.
    pub fn name(self) -> &'static str {
        match self {
            Format::Archive => "archive",
            Format::Sounds => "sounds",
            Format::Reader => "reader",
            Format::ZrdBinary => "zrd_binary",
            Format::ZrdText => "zrd_text",
            Format::Interp => "interp",
            Format::Motion => "motion",
            Format::Mechlib => "mechlib",
            Format::Gamez => "gamez",
            Format::Planes => "planes",
            Format::Anim => "anim",
            Format::Textures => "textures",
            Format::Messages => "messages",
            Format::Zmap => "zmap",
            Format::Savegame => "savegame",
            Format::Rof => "rof",
            Format::Aircraft => "aircraft",
            Format::Livery => "livery",
            Format::Pbo => "pbo",
            Format::Bikey => "bikey",
            Format::Bisign => "bisign",
            Format::Rap => "rap",
            Format::Paa => "paa",
            Format::Raw => "raw",
        }
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
