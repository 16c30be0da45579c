//! The names of the formats.

use serde::{Deserialize, Serialize};

/// The first bytes of what git LFS leaves in place of a file whose content it has not fetched.
pub const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Declares [`Format`]: each format with its name.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident $name:literal,)+) => {
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
        #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
        pub enum Format {
            $(
                $(#[$doc])*
                #[serde(rename = $name)]
                #[cfg_attr(feature = "cli", value(name = $name))]
                $format,
            )+
        }

        impl Format {
            /// The name on the command line and in trees.
            pub fn name(self) -> &'static str {
                match self { $(Format::$format => $name,)+ }
            }
        }
    };
}

formats! {
    /// A ZBD archive of no known kind of member.
    Archive "archive",
    /// A ZBD archive of sounds.
    Sounds "sounds",
    /// A ZBD archive of reader files.
    Reader "reader",
    /// A loose binary reader file.
    ZrdBinary "zrd_binary",
    /// A loose text reader file.
    ZrdText "zrd_text",
    /// Interpreter scripts.
    Interp "interp",
    /// A ZBD archive of motions.
    Motion "motion",
    /// A ZBD archive of 'mech models.
    Mechlib "mechlib",
    /// A game world.
    Gamez "gamez",
    /// The planes of Crimson Skies: a world with other rules.
    Planes "planes",
    /// Compiled animation definitions.
    Anim "anim",
    /// A texture package.
    Textures "textures",
    /// A DLL of messages.
    Messages "messages",
    /// A Recoil map.
    Zmap "zmap",
    /// A save game.
    Savegame "savegame",
    /// A ROF archive of Crimson Skies.
    Rof "rof",
    /// A saved aircraft of Crimson Skies.
    Aircraft "aircraft",
    /// A livery of Crimson Skies: the paint of an aircraft.
    Livery "livery",
    /// A Bohemia PBO archive.
    Pbo "pbo",
    /// A key of signatures of PBO archives.
    Bikey "bikey",
    /// A signature of a PBO archive.
    Bisign "bisign",
    /// A binary config of Bohemia's games: raP.
    Rap "rap",
    /// A texture of Bohemia's games: PAA, PAC.
    Paa "paa",
    /// A file that is kept whole because no typed form reproduces it.
    Raw "raw",
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
