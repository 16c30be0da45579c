//! New missions: the files of a mission under another name, as a project.
//!
//! The parts of a mission differ from game to game: see `Recipe`. A mission is copied from another
//! one, `like`; the shared files that have entries for each mission, its scripts and its set of
//! sounds, get one for the new mission.

use super::{
    files, open,
    options::Options,
    outcome::Unpacked,
    paths::Input,
    progress::Progress,
    put_tree,
    unpack::{Unpacking, entry, finish_project, project_tree, recognised},
};
use bytes::Bytes;
use refit_base::{
    contract::Members,
    format::Format,
    game::Game,
    path::Shown,
    tree::{
        DirSink, Form, Style,
        disk::{self, StagedDir},
    },
    wire::{Error, Result, Within, utf8},
};
use refit_files::{
    file::File,
    game_files::{FileRole, RoleInGame, Scope, fold, part},
    pipeline::{self, Hints, is_unknown},
};
use refit_zipper::{
    gamez::{Gamez, fresh::Area, nodes::Data},
    reader::{ReaderDoc, Value, View},
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// A new mission.
#[derive(Clone, Debug)]
pub struct NewMission {
    /// Its name: `m14`, or the world and the mission, `c1/m5`.
    pub name: String,
    /// The mission that it is a copy of.
    pub like: String,
    /// With an empty world of the same extent, and without animations.
    pub empty_world: bool,
}

/// The new mission.
#[derive(Debug, Default)]
pub struct MissionOutcome {
    /// The files of the new mission, below the game's folder.
    pub files: Vec<String>,
    /// Additions to files of the whole game: the file, and the addition.
    pub shared: Vec<(String, String)>,
    /// What refit does not know, and what is left to do.
    pub notes: Vec<String>,
}

/// What a game needs for a mission besides its own files.
struct Recipe {
    /// The highest mission number, if the engine has a limit.
    last: Option<u32>,
    /// Names of the scripts that the game runs, with `%` for the mission; if unknown, all scripts
    /// that name the mission.
    scripts: Option<&'static [&'static str]>,
    /// `sounds.zrd` has a set of sounds for each mission, with its name in capitals.
    sounds: bool,
    /// The unproved part.
    unproved: &'static str,
}

/// The recipe of a game.
///
/// Recoil: read in the engine, which derives the names of a mission's files from its number. `m14`
/// works as a multiplayer mission with data alone; for a higher number the engine reads past the
/// end of its table. For the other games, only the places of the shipped missions' files are known.
fn recipe(game: Game) -> Recipe {
    match game {
        Game::Rc | Game::RcDemo => Recipe {
            last: Some(14),
            scripts: Some(&[r"support\init%.gw", "%_zbd.gs"]),
            sounds: true,
            unproved: "the list of the menu is in dialog.zrd: an entry of MP_NEW_GAME is the mission with the number \
                       of its position + 7",
        },
        Game::Mw | Game::Pm | Game::Cs => Recipe {
            last: None,
            scripts: None,
            sounds: false,
            unproved: "whether the game's lists of missions can grow is not known: to be sure, replace an existing \
                       mission with the new one (rename the trees of the project, and repack with --force)",
        },
    }
}

impl Recipe {
    /// An error for a name that the game cannot have.
    fn check(&self, name: &str) -> Result<()> {
        let Some(last) = self.last else { return Ok(()) };
        let number = name
            .strip_prefix('m')
            .and_then(|number| number.parse::<u32>().ok());
        if number.is_some_and(|number| (1..=last).contains(&number) && name == format!("m{number}"))
        {
            return Ok(());
        }
        Err(Error::say(format!(
            "{name} cannot be a mission: the game finds missions by their numbers, m1 to m{last}"
        ))
        .hint("refit can change existing missions: unpack the game as a project"))
    }
}

/// The change of a mission's name in names of files and scripts.
struct Rename {
    /// The world, for missions of a world.
    world: Option<String>,
    from: String,
    to: String,
}

/// Prefixes of a mission's name in file names: `initm1.gw`, `readerm1.zbd`.
const PREFIXES: [&str; 3] = ["init", "reader", "load"];

impl Rename {
    fn new(like: &str, name: &str) -> Result<Self> {
        let (like, name) = (fold(like), fold(name));
        let (world, from, to) = match (like.rsplit_once('/'), name.rsplit_once('/')) {
            (None, None) => (None, like.as_str(), name.as_str()),
            (Some((a, from)), Some((b, to))) if a == b => (Some(a.to_owned()), from, to),
            (Some((world, _)), Some((_, last))) => {
                return Err(Error::say(
                    "the new mission belongs to another world than the one it copies",
                )
                .hint(format!("{world}/{last} is a mission of the same world")));
            }
            _ => {
                return Err(Error::say(format!("{name} has another form than {like}"))
                    .hint("a mission of a world is WORLD/MISSION"));
            }
        };
        let is_word =
            |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric());
        if like == name {
            return Err(Error::say(format!("{name} is the mission to copy"))
                .hint("give the new one another name"));
        }
        if !is_word(to) {
            return Err(
                Error::say(format!("{name} cannot be the name of the new mission"))
                    .hint("letters and digits, such as m14"),
            );
        }
        Ok(Rename {
            world,
            from: from.to_owned(),
            to: to.to_owned(),
        })
    }

    /// True if the text before the name is the mission's world, and not another part of the name.
    fn fits(&self, before: &str) -> bool {
        let letters = before.len()
            - before
                .bytes()
                .rev()
                .take_while(u8::is_ascii_alphanumeric)
                .count();
        let Some((above, prefix)) = before.split_at_checked(letters) else {
            return false;
        };
        let prefix_fits = prefix.is_empty()
            || PREFIXES
                .iter()
                .any(|known| known.eq_ignore_ascii_case(prefix));
        let is_below = |world: &String| {
            let above = fold(above);
            above
                .strip_suffix('/')
                .and_then(|above| above.strip_suffix(world.as_str()))
                .is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
        };
        prefix_fits && self.world.as_ref().is_none_or(is_below)
    }

    /// The text with the new name wherever it names a file of the mission; `None` if it names none.
    /// A bare `m1` may mean anything, so a point, a slash or an underscore must be next to it.
    fn text(&self, text: &str) -> Option<String> {
        let folded = text.to_ascii_lowercase();
        let (mut out, mut from, mut is_changed) = (String::new(), 0, false);
        while let Some(found) = folded.get(from..).and_then(|rest| rest.find(&self.from)) {
            let (start, end) = (from + found, from + found + self.from.len());
            let (Some(before), Some(own), Some(behind)) =
                (text.get(..start), text.get(start..end), text.get(end..))
            else {
                break;
            };
            let is_whole = !behind.starts_with(|c: char| c.is_ascii_alphanumeric());
            let is_file =
                behind.starts_with(['.', '_', '\\', '/']) || before.ends_with(['\\', '/']);
            out.push_str(text.within(from..start));
            if is_whole && is_file && self.fits(before) {
                is_changed = true;
                let is_upper = own.bytes().any(|b| b.is_ascii_uppercase());
                out.push_str(&if is_upper {
                    self.to.to_ascii_uppercase()
                } else {
                    self.to.clone()
                });
            } else {
                out.push_str(own);
            }
            from = end;
        }
        out.push_str(text.within(from..));
        is_changed.then_some(out)
    }

    /// The path of the new mission's file, for the path of one of the mission that is copied.
    fn path(&self, path: &Path) -> Option<PathBuf> {
        self.text(&path.to_str()?.replace('\\', "/"))
            .map(PathBuf::from)
    }
}

/// A file of the game, recognised.
struct Found {
    input: Input,
    format: Format,
    game: Option<Game>,
    part: Option<RoleInGame>,
}

/// All files of the game that refit knows, and the others.
fn survey(
    game: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(Vec<Found>, Vec<Input>)> {
    let (mut known, mut others) = (Vec::new(), Vec::new());
    for input in files::files(&[game.to_owned()], options, progress)? {
        let recognised = open::load(&input.path)
            .and_then(|file| pipeline::recognise(&file, &input.name(), options.hints));
        match recognised {
            Ok(found) => {
                let part = part(
                    &input.relative.shown(),
                    found.format,
                    found.game.or(options.hints.game),
                );
                known.push(Found {
                    input,
                    format: found.format,
                    game: found.game,
                    part,
                });
            }
            Err(e) if is_unknown(&e) => others.push(input),
            Err(e) => return Err(e.about(&input.path)),
        }
    }
    Ok((known, others))
}

/// A file of the mission that is copied, as the new mission has it.
fn own_file(file: &Found, new: &NewMission, rename: &Rename, options: &Options) -> Result<Bytes> {
    let is_changed = file.format == Format::Reader
        || new.empty_world && matches!(file.format, Format::Gamez | Format::Anim);
    if !is_changed {
        return open::load(&file.input.path)?.bytes();
    }
    let mut model = open::open(&file.input.path, options.hints)?.model;
    match &mut model {
        File::Archive(archive) => {
            for (index, member) in archive.members().into_iter().enumerate() {
                let mut doc = match ReaderDoc::read(&archive.get(index, Form::Stored)?) {
                    Ok(doc) => doc,
                    // Kept unchanged.
                    Err(_) => continue,
                };
                let starts = member.name.eq_ignore_ascii_case("startanims.zrd");
                if starts && new.empty_world {
                    doc = Value::list([])?.into();
                } else if doc.replace_texts(&mut |text| rename.text(text))? == 0 {
                    continue;
                }
                archive.put(index, &doc.write(), Form::Stored)?;
            }
        }
        File::World(world) => **world = empty_like(world)?,
        File::Anim(anim) => {
            // They are of nodes that the empty world does not have.
            anim.definitions.clear();
            anim.scripts.clear();
            anim.messages.clear();
            anim.header.source_files.clear();
        }
        _ => {}
    }
    model.write().map(Bytes::from)
}

/// An empty world of the extent of another.
fn empty_like(world: &Gamez) -> Result<Gamez> {
    let extent = world.nodes().find_map(|(_, node)| match &node.data {
        Data::World(data) => {
            Some([data.left, data.top, data.right, data.bottom].map(|edge| edge.get() as i32))
        }
        _ => None,
    });
    let [left, top, right, bottom] =
        extent.ok_or_else(|| Error::say("the world has no world node"))?;
    Gamez::empty(
        world.game.itself(),
        Area {
            left,
            top,
            right,
            bottom,
        },
    )
}

/// Adds the scripts that the game runs for the mission. Returns the additions.
fn add_scripts(file: &mut File, recipe: &Recipe, rename: &Rename) -> Result<Vec<String>> {
    let File::Interp(scripts) = file else {
        return Ok(Vec::new());
    };
    let is_run = |name: &str| match recipe.scripts {
        Some(known) => known
            .iter()
            .any(|known| known.replace('%', &rename.from).eq_ignore_ascii_case(name)),
        None => true,
    };
    let mut added = Vec::new();
    for (index, member) in scripts.members().into_iter().enumerate() {
        let Some(name) = rename.text(&member.name).filter(|_| is_run(&member.name)) else {
            continue;
        };
        let text = scripts.get(index, Form::Document(Style::Json))?;
        let text = utf8(&text)?;
        let text = rename.text(text).unwrap_or_else(|| text.to_owned());
        scripts.add_member(&name, text.as_bytes(), Form::Document(Style::Json))?;
        added.push(format!("script {name}, a copy of {}", member.name));
    }
    Ok(added)
}

/// Adds the mission's set of sounds: `SETS` of `sounds.zrd` is a list of names and lists of
/// samples. Returns the additions.
fn add_sounds(file: &mut File, _: &Recipe, rename: &Rename) -> Result<Vec<String>> {
    let File::Archive(readers) = file else {
        return Ok(Vec::new());
    };
    let member = readers
        .members()
        .iter()
        .position(|member| member.name.eq_ignore_ascii_case("sounds.zrd"));
    let Some(index) = member else {
        return Ok(Vec::new());
    };
    let Ok(mut doc) = ReaderDoc::read(&readers.get(index, Form::Stored)?) else {
        return Ok(Vec::new());
    };
    let Some(sets) = doc.find("SETS").and_then(View::items) else {
        return Ok(Vec::new());
    };
    let mut sets: Vec<Value> = sets.map(Value::from).collect();
    let is = |set: &Value, name: &str| {
        set.view()
            .text()
            .is_some_and(|text| text.eq_ignore_ascii_case(name))
    };
    let own = sets
        .iter()
        .position(|set| is(set, &rename.from))
        .and_then(|at| sets.get(at + 1))
        .cloned();
    let Some(own) = own.filter(|_| !sets.iter().any(|set| is(set, &rename.to))) else {
        return Ok(Vec::new());
    };
    let name = rename.to.to_ascii_uppercase();
    sets.extend([Value::text(&name)?, own]);
    doc.set("SETS", Value::list(sets)?)?;
    readers.put(index, &doc.write(), Form::Stored)?;
    Ok(vec![format!(
        "set of sounds {name} in sounds.zrd, a copy of {}",
        rename.from.to_ascii_uppercase()
    )])
}

/// An addition to a file of the whole game. Returns the additions; if there are none, nothing was
/// changed.
type Addition = fn(&mut File, &Recipe, &Rename) -> Result<Vec<String>>;

/// The addition to a file, if it needs one.
fn addition(found: &Found, recipe: &Recipe) -> Option<Addition> {
    let part = found
        .part
        .as_ref()
        .filter(|part| part.scope == Scope::Game)?;
    match part.role {
        FileRole::Scripts => Some(add_scripts),
        FileRole::Readers if recipe.sounds => Some(add_sounds),
        _ => None,
    }
}

/// The parts that a new mission needs from a game.
struct Plan<'a> {
    game: Game,
    recipe: Recipe,
    rename: Rename,
    /// The files of the mission that is copied, and the paths of the new ones.
    own: Vec<(&'a Found, PathBuf)>,
}

fn plan<'a>(found: &'a [Found], new: &NewMission, options: &Options) -> Result<Plan<'a>> {
    let rename = Rename::new(&new.like, &new.name)?;
    let mission = |found: &'a Found| {
        found
            .part
            .as_ref()
            .filter(|part| part.scope == Scope::Mission)
    };
    let missions: BTreeSet<&str> = found
        .iter()
        .filter_map(mission)
        .map(|part| part.folder.as_str())
        .collect();
    let (like, name) = (fold(&new.like), fold(&new.name));
    if !missions.contains(&*like) {
        let known = Vec::from_iter(missions).join(", ");
        let hint = if known.is_empty() {
            "it has none".to_owned()
        } else {
            format!("it has {known}")
        };
        return Err(Error::say(format!("the game has no mission {like}")).hint(hint));
    }
    if missions.contains(&*name) {
        return Err(Error::say(format!("the game already has a mission {name}")));
    }
    let own = found
        .iter()
        .filter(|found| mission(found).is_some_and(|part| part.folder == like));
    let target = |found: &'a Found| match rename.path(&found.input.relative) {
        Some(target) => Ok((found, target)),
        None => Err(
            Error::say("a file of the mission whose path does not name it")
                .in_file(found.input.name()),
        ),
    };
    let own = own.map(target).collect::<Result<Vec<_>>>()?;
    let game = own
        .iter()
        .find_map(|(found, _)| found.game)
        .or(options.hints.game);
    let game =
        game.ok_or_else(|| Error::say("which game is it?").hint("--game rc, mw, pm or cs"))?;
    if new.empty_world && !own.iter().any(|(found, _)| found.format == Format::Gamez) {
        return Err(Error::say(format!(
            "the mission {like} has no world of its own, which could be empty"
        ))
        .hint("missions of a world share it"));
    }
    let recipe = recipe(game);
    recipe.check(&rename.to)?;
    Ok(Plan {
        game,
        recipe,
        rename,
        own,
    })
}

/// Makes a project with a new mission, from a game's folder.
///
/// Returns an error if the game has no mission [`NewMission::like`], has the new one already, or
/// cannot have it.
pub fn make(
    game: &Path,
    root: &Path,
    new: &NewMission,
    options: &Options,
    progress: &dyn Progress,
) -> Result<MissionOutcome> {
    let (found, others) = survey(game, options, progress)?;
    let Plan {
        game: which,
        recipe,
        rename,
        own,
    } = plan(&found, new, options)?;
    disk::check_folder(root, options.force)?;
    options.outputs().claim(root)?;
    let staged = if options.dry_run {
        None
    } else {
        Some(StagedDir::new(root, options.force)?)
    };
    let folder = staged.as_ref().map(StagedDir::folder);
    let mut out = MissionOutcome::default();
    for (file, target) in own {
        let bytes = own_file(file, new, &rename, options).map_err(|e| e.about(&file.input.path))?;
        if let Some(folder) = &folder {
            let sink = DirSink::new(folder.join(&target));
            let hints = Hints {
                game: file.game,
                format: Some(file.format),
            };
            pipeline::unpack(
                &bytes,
                &target.shown(),
                hints,
                Style::Json,
                true,
                &sink,
                &|| sink.clear(),
            )
            .map_err(|e| e.about(&file.input.path))?;
        }
        out.files.push(target.shown());
    }
    let mut entries = Vec::new();
    for (file, add) in found
        .iter()
        .filter_map(|found| Some((found, addition(found, &recipe)?)))
    {
        let input = &file.input;
        let mut model = open::open(&input.path, options.hints)?.model;
        let added = add(&mut model, &recipe, &rename).map_err(|e| e.about(&input.path))?;
        if added.is_empty() {
            continue;
        }
        let place = input.relative.shown();
        if let Some(folder) = &folder {
            let mut report = Unpacked::new(&input.path, &input.relative);
            let (blob, detection) = recognised(input, options, &mut report)?;
            let trees = (Some(folder.as_path()), root);
            project_tree(
                (input, &blob, detection),
                trees,
                Unpacking::default(),
                &mut report,
            )?;
            entries.extend(entry(input, &report));
            let tree = folder.join(&input.relative);
            put_tree::change(&tree, options, progress, |file| add(file, &recipe, &rename))?;
        }
        out.shared
            .extend(added.into_iter().map(|what| (place.clone(), what)));
    }
    if !out
        .shared
        .iter()
        .any(|(_, what)| what.starts_with("script"))
    {
        out.notes.push(
            "no script that the game runs names the copied mission, so none was added".into(),
        );
    }
    out.notes.push(recipe.unproved.to_owned());
    for other in others
        .iter()
        .filter(|other| rename.path(&other.relative).is_some())
    {
        out.notes.push(format!(
            "{}: refit does not know what it is, and left it out",
            other.name()
        ));
    }
    if let Some(staged) = staged {
        let source = refit_base::path::canonical(game).map_err(|e| Error::io(game, e))?;
        finish_project(
            staged,
            (root, &source),
            (Some(which), 0, entries),
            None,
            progress,
        )?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_change_and_nothing_else() {
        let rc = Rename::new("m1", "m14").unwrap();
        for (text, expected) in [
            (r"zbd\m1\gamez.zbd", Some(r"zbd\m14\gamez.zbd")),
            (
                "GameZReadZBDFile zbd\\M1\\GAMEZ.ZBD",
                Some("GameZReadZBDFile zbd\\M14\\GAMEZ.ZBD"),
            ),
            ("m1_zbd.gs", Some("m14_zbd.gs")),
            (r"support\initm1.gw", Some(r"support\initm14.gw")),
            ("maps/m1.zmap", Some("maps/m14.zmap")),
            ("zbd/m1", Some("zbd/m14")),
            // Another mission, other words, and a bare name, which is ambiguous.
            ("zbd/m13/gamez.zbd", None),
            ("farm1.gw", None),
            ("FindNode m1", None),
        ] {
            assert_eq!(rc.text(text).as_deref(), expected, "{text}");
        }
        let mw = Rename::new("c1/m1", "C1/m5").unwrap();
        assert_eq!(
            mw.text("zbd/c1/readerm1.zbd").as_deref(),
            Some("zbd/c1/readerm5.zbd")
        );
        assert_eq!(
            mw.text("ZBD/C1/M1/zrdr.zbd").as_deref(),
            Some("ZBD/C1/M5/zrdr.zbd")
        );
        assert_eq!(mw.text("zbd/c2/readerm1.zbd"), None);
        assert_eq!(mw.text("zbd/c1/gamez.zbd"), None);
    }

    #[test]
    fn an_invalid_name_is_refused() {
        for (like, name) in [
            ("m1", "c1/m2"),
            ("c1/m1", "c2/m1"),
            ("m1", "m1"),
            ("m1", "m 2"),
            ("m1", "../m2"),
        ] {
            assert!(Rename::new(like, name).is_err(), "{like} {name}");
        }
        let recoil = recipe(Game::Rc);
        assert!(recoil.check("m14").is_ok());
        assert!(
            recoil.check("m15").is_err()
                && recoil.check("m0").is_err()
                && recoil.check("arena").is_err()
        );
        assert!(recipe(Game::Cs).check("m06").is_ok());
    }
}
