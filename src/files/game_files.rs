//! The roles of files in a game: which ones the game always reads, which belong to a world or a
//! mission, and their precedence.
//!
//! A file belongs to its folder. A mission sees the files in its own folder and in the folders
//! above it, up to the game's own: `zbd/m1` sees `zbd`, `zbd/c1/m01` sees `zbd/c1` and `zbd`.

use refit_base::{format::Format, game::Game};
use serde::Serialize;

/// How far a file is seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The whole game.
    Game,
    /// A world, and its missions.
    World,
    /// A part of a mission.
    Mission,
}

/// The role of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// Reader files: the game's own configuration.
    Readers,
    /// A world: nodes, models, materials.
    World,
    /// The planes of Crimson Skies.
    Planes,
    /// The compiled animations.
    Animations,
    /// The cameras' animations of a world of Crimson Skies.
    Cameras,
    /// Textures for a renderer in software.
    SoftwareTextures,
    /// Textures for a graphics card; one package for each size of its memory.
    CardTextures,
    /// Pictures that are there always: menus, the display.
    Pictures,
    /// The textures of the 'mechs.
    MechTextures,
    /// Sounds; one bank for each quality.
    Sounds,
    /// The scripts of the interpreter.
    Scripts,
    /// Texts in the player's language.
    Messages,
    /// Motions of 'mechs.
    Motions,
    /// Models of 'mechs.
    Mechs,
    /// The map of a mission.
    Map,
    /// A saved game.
    Save,
    /// How the controls are set.
    Controls,
    /// Pictures, sounds and scripts of the menus.
    Menus,
    /// An aircraft that a player built.
    Aircraft,
    /// The paint of an aircraft.
    Livery,
    /// An addon of Bohemia's games.
    Addon,
    /// A key that signs addons, or that servers accept.
    Key,
    /// A signature of an addon.
    Signature,
    /// A config, a mission or a material of an addon.
    Config,
    /// A texture of an addon.
    Texture,
}

/// The role of a file, and the game or mission that uses it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RoleInGame {
    /// The role.
    pub role: FileRole,
    /// How far it is seen.
    pub scope: Scope,
    /// The world or the mission: its folder, with `/`. Empty for the whole game.
    #[serde(rename = "of")]
    pub folder: String,
}

impl RoleInGame {
    /// False for files with the same role in any folder, such as saved games.
    pub fn depends_on_place(&self) -> bool {
        !matches!(
            self.role,
            FileRole::Save
                | FileRole::Addon
                | FileRole::Signature
                | FileRole::Key
                | FileRole::Aircraft
                | FileRole::Livery
                | FileRole::Config
                | FileRole::Texture
        )
    }

    /// A description: `readers of mission m1`, `the sounds of the game`.
    pub fn said(&self) -> String {
        let what = match self.role {
            FileRole::Readers => "readers",
            FileRole::World => "world",
            FileRole::Planes => "planes",
            FileRole::Animations => "animations",
            FileRole::Cameras => "animations of the cameras",
            FileRole::SoftwareTextures => "textures for the renderer in software",
            FileRole::CardTextures => "textures for graphics cards",
            FileRole::Pictures => "pictures",
            FileRole::MechTextures => "textures of 'mechs",
            FileRole::Sounds => "sounds",
            FileRole::Scripts => "scripts",
            FileRole::Messages => "messages",
            FileRole::Motions => "motions of 'mechs",
            FileRole::Mechs => "'mechs",
            FileRole::Map => "map",
            FileRole::Save => "saved game",
            FileRole::Controls => "controls",
            FileRole::Menus => "files of the menus",
            FileRole::Aircraft => "saved aircraft",
            FileRole::Livery => "livery",
            FileRole::Addon => "addon",
            FileRole::Signature => "signature",
            FileRole::Key => "key",
            FileRole::Config => "config",
            FileRole::Texture => "texture",
        };
        match self.scope {
            _ if !self.depends_on_place() => what.to_owned(),
            Scope::World if self.role == FileRole::World => format!("world {}", self.folder),
            Scope::Game => format!("{what} of the whole game"),
            Scope::World => format!("{what} of world {}", self.folder),
            Scope::Mission => format!("{what} of mission {}", self.folder),
        }
    }
}

/// A path normalized for comparison: `/`, lower case.
pub fn fold(path: &str) -> String {
    path.replace('\\', "/").to_ascii_lowercase()
}

/// The folder of a folded path; empty at the top.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder of a folded path after `zbd`, or the whole folder without `zbd` in it.
fn below_archives(path: &str) -> &str {
    let folder = folder(path);
    match folder.split('/').position(|part| part == "zbd") {
        Some(n) => folder.splitn(n + 2, '/').nth(n + 1).unwrap_or_default(),
        None => folder,
    }
}

/// `m1`, `mp3`, `ia1`, `M01`: a mission; `c1`, `c4b`, `t1`: a world.
fn is_mission(part: &str) -> bool {
    let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
    stem.len() < part.len() && matches!(stem, "m" | "mp" | "ia")
}

/// The role of a file, by its path in the game's folder, its format and the game.
pub fn part(path: &str, format: Format, game: Option<Game>) -> Option<RoleInGame> {
    let path = fold(path);
    let name = path.rsplit('/').next().unwrap_or(&path);
    let stem = name.split('.').next().unwrap_or(name);
    let role = match format {
        Format::Reader | Format::ZrdBinary => FileRole::Readers,
        Format::Gamez => FileRole::World,
        Format::Planes => FileRole::Planes,
        Format::Anim if stem.starts_with("cam_anim") => FileRole::Cameras,
        Format::Anim => FileRole::Animations,
        Format::Textures if stem.contains("mechtex") => FileRole::MechTextures,
        Format::Textures if stem.ends_with("image") => FileRole::Pictures,
        Format::Textures if stem.starts_with('r') => FileRole::CardTextures,
        Format::Textures => FileRole::SoftwareTextures,
        Format::Sounds => FileRole::Sounds,
        Format::Interp => FileRole::Scripts,
        Format::Messages => FileRole::Messages,
        Format::Motion => FileRole::Motions,
        Format::Mechlib => FileRole::Mechs,
        Format::Zmap => FileRole::Map,
        Format::Savegame => FileRole::Save,
        Format::ZrdText => FileRole::Controls,
        Format::Rof => FileRole::Menus,
        Format::Aircraft => FileRole::Aircraft,
        Format::Livery => FileRole::Livery,
        Format::Pbo => FileRole::Addon,
        Format::Bikey => FileRole::Key,
        Format::Bisign => FileRole::Signature,
        Format::Rap => FileRole::Config,
        Format::Paa => FileRole::Texture,
        Format::Archive | Format::Raw => return None,
    };
    let mut place = below_archives(&path).to_owned();
    let (mut scope, mut parts) = (
        Scope::Game,
        place.split('/').filter(|part| !part.is_empty()),
    );
    let last = parts.clone().next_back().unwrap_or_default();
    let depth = parts.by_ref().count();
    if game == Some(Game::Rc) || (game.is_none() && is_mission(last) && depth == 1) {
        scope = if is_mission(last) {
            Scope::Mission
        } else {
            Scope::Game
        };
        // `maps/m1.zmap` belongs to the mission of its name.
        if role == FileRole::Map && is_mission(stem) {
            (scope, place) = (Scope::Mission, stem.to_owned());
        }
    } else if depth >= 2 && is_mission(last) {
        scope = Scope::Mission;
    } else if depth >= 1
        && matches!(
            format,
            Format::Reader | Format::Gamez | Format::Anim | Format::Textures
        )
    {
        // MechWarrior 3 has the readers of missions next to their world.
        let mission = stem
            .strip_prefix("reader")
            .filter(|mission| is_mission(mission));
        scope = if mission.is_some() {
            Scope::Mission
        } else {
            Scope::World
        };
        if let Some(mission) = mission {
            place = format!("{place}/{mission}");
        }
    }
    if scope == Scope::Game {
        place.clear();
    }
    Some(RoleInGame {
        role,
        scope,
        folder: place,
    })
}

/// True if files in the folder `of` are visible from the folder `from`: it is the same or a parent.
/// Both are folders of folded paths below the game's archives.
pub fn is_seen(of: &str, from: &str) -> bool {
    of.is_empty()
        || of == from
        || from
            .strip_prefix(of)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// The folder of a file for [`is_seen`]: below the game's archives, folded.
pub fn place(path: &str, format: Format, game: Option<Game>) -> String {
    match part(path, format, game) {
        Some(part) => part.folder,
        None => below_archives(&fold(path)).to_owned(),
    }
}

/// The original that refit keeps of a file of a game; `None` if there is none, or only a file of
/// another program with such a name.
#[cfg(feature = "disk")]
pub fn original_of(file: &std::path::Path) -> Option<std::path::PathBuf> {
    let backup = refit_base::tree::disk::original_path(file);
    let is_ours = || {
        let original = refit_base::tree::disk::original(file);
        original.is_ok_and(|original| is_original(&original))
    };
    (backup.is_file() && is_ours()).then_some(backup)
}

/// True if refit probably made the original: it recorded that it did, or the content is a game's
/// file with such a name. Other programs also use the name `NAME.orig`.
#[cfg(feature = "disk")]
pub fn is_original(original: &refit_base::tree::disk::Original) -> bool {
    use crate::pipeline::{self, Hints};
    let name = refit_base::path::Shown::shown(original.file.as_path());
    original.noted
        || pipeline::load(&original.backup)
            .and_then(|file| pipeline::recognise(&file, &name, Hints::default()))
            .is_ok_and(|found| {
                let extension = original
                    .file
                    .extension()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .to_ascii_lowercase();
                // Text is weak evidence: any list in parentheses could be one.
                found.certain || matches!(extension.as_str(), "zbd" | "zrd" | "cfg" | "pbo")
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_all_games_have_their_roles() {
        use Format::*;
        for (path, format, game, said) in [
            (
                "zbd/zrdr.zbd",
                Reader,
                Game::Rc,
                "readers of the whole game",
            ),
            ("zbd/m1/zrdr.zbd", Reader, Game::Rc, "readers of mission m1"),
            (
                "ZBD\\M13\\GAMEZ.ZBD",
                Gamez,
                Game::Rc,
                "world of mission m13",
            ),
            (
                "zbd/m1/rtexture4.zbd",
                Textures,
                Game::Rc,
                "textures for graphics cards of mission m1",
            ),
            (
                "zbd/m1/texture8.zbd",
                Textures,
                Game::Rc,
                "textures for the renderer in software of mission m1",
            ),
            (
                "zbd/image.zbd",
                Textures,
                Game::Rc,
                "pictures of the whole game",
            ),
            ("maps/m3.zmap", Zmap, Game::Rc, "map of mission m3"),
            (
                "zbd/reader.zbd",
                Reader,
                Game::Mw,
                "readers of the whole game",
            ),
            (
                "zbd/c1/readerm2.zbd",
                Reader,
                Game::Mw,
                "readers of mission c1/m2",
            ),
            ("zbd/c4b/gamez.zbd", Gamez, Game::Pm, "world c4b"),
            (
                "zbd/rmechtex16.zbd",
                Textures,
                Game::Mw,
                "textures of 'mechs of the whole game",
            ),
            (
                "zbd/motion.zbd",
                Motion,
                Game::Mw,
                "motions of 'mechs of the whole game",
            ),
            (
                "ZBD/C1/cam_anim.zbd",
                Anim,
                Game::Cs,
                "animations of the cameras of world c1",
            ),
            (
                "ZBD/C1/M01/mis_anim.zbd",
                Anim,
                Game::Cs,
                "animations of mission c1/m01",
            ),
            (
                "ZBD/C1C/IA1/zrdr.zbd",
                Reader,
                Game::Cs,
                "readers of mission c1c/ia1",
            ),
            (
                "ZBD/planes.zbd",
                Planes,
                Game::Cs,
                "planes of the whole game",
            ),
            (
                "GOSDATA/ASSETS/crimson.rof",
                Rof,
                Game::Cs,
                "files of the menus of the whole game",
            ),
            (
                "strings.dll",
                Messages,
                Game::Cs,
                "messages of the whole game",
            ),
        ] {
            assert_eq!(
                part(path, format, Some(game)).unwrap().said(),
                said,
                "{path}"
            );
        }
        assert_eq!(part("addons/x.pbo", Pbo, None).unwrap().said(), "addon");
        assert_eq!(part("a/b.zbd", Archive, None), None);
    }

    #[test]
    fn missions_see_their_own_files_and_those_above() {
        for (of, from, seen) in [
            ("", "m1", true),
            ("m1", "m1", true),
            ("m1", "m2", false),
            ("c1", "c1/m01", true),
            ("c1", "c1b", false),
        ] {
            assert_eq!(is_seen(of, from), seen, "{of} from {from}");
        }
    }
}
