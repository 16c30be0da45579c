//! What animation definitions live in: the world, the sounds and the effects.

use super::{
    anim_places::{Places, archive_bytes, archives_below, names_in, reader_archive},
    open,
};
use refit_anim_source::{self as anim_source, Options, Sounds, World, source::Doc};
use refit_base::{
    format::Format,
    game::Game,
    path::Shown,
    tree::{disk, is_tree},
    wire::{Error, Result},
};
use refit_files::{file::File, pipeline::Hints};
use refit_zipper::{anim::header::BaseFile, archive, gamez::Gamez};
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// The files that definitions are compiled with.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Surroundings {
    /// The world: a gamez.zbd, or its unpacked tree
    #[cfg_attr(feature = "cli", arg(long, value_name = "GAMEZ"))]
    pub world: Option<PathBuf>,
    /// The planes, whose nodes follow those of the world (Crimson Skies)
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub planes: Option<PathBuf>,
    /// The list of effects (effects.zrd of Recoil)
    #[cfg_attr(feature = "cli", arg(long, value_name = "READER"))]
    pub effects: Option<PathBuf>,
    /// The sounds: sounds.zrd, reader archives with one, banks, or a game's folder with all of them
    #[cfg_attr(feature = "cli", arg(long, value_name = "PATH", num_args = 1..))]
    pub sounds: Vec<PathBuf>,
}

impl Surroundings {
    /// Adds the declarations in the archives of the sources, unless others are given.
    pub(crate) fn of_shelf(&self, options: &mut Options, places: &Places) -> Result<()> {
        let doc = |bare| {
            places
                .shelf
                .as_ref()
                .map_or(Ok(None), |shelf| shelf.doc(bare))
        };
        if self.effects.is_none()
            && let Some(doc) = doc("effects.zrd")?
        {
            options.effects = Some(anim_source::effects(&doc).into_iter().collect())
                .filter(|all: &HashSet<_>| !all.is_empty());
        }
        if self.sounds.is_empty()
            && let Some(doc) = doc("sounds.zrd")?
        {
            let mut sounds = Sounds::default();
            anim_source::sounds(&doc)
                .iter()
                .for_each(|name| sounds.add(name));
            options.sounds = Some(sounds).filter(|all| !all.is_empty());
        }
        Ok(())
    }

    /// Reads them.
    pub fn options(&self, game: Option<Game>) -> Result<Options> {
        let mut options = Options {
            game,
            ..Options::default()
        };
        match (&self.world, &self.planes) {
            (Some(path), planes) => {
                let world = WorldFiles::open(path, planes.as_deref())?;
                (options.world, options.base_files) = (Some(world.nodes()), world.base_files());
            }
            (None, Some(_)) => {
                return Err(Error::say("--planes without --world")
                    .hint("the planes' nodes follow those of a world"));
            }
            (None, None) => {}
        }
        if let Some(path) = &self.effects {
            let doc = Doc::read(&disk::read_named(path)?, &path.shown())
                .map_err(|e| e.in_file(path.shown()))?;
            let names = anim_source::effects(&doc);
            if names.is_empty() {
                return Err(Error::say("no EFFECTS list in it").in_file(path.shown()));
            }
            options.effects = Some(names.into_iter().collect());
        }
        if !self.sounds.is_empty() {
            let mut all = Sounds::default();
            self.sounds
                .iter()
                .try_for_each(|path| add_sounds(path, &mut all))?;
            options.sounds = Some(all);
        }
        Ok(options)
    }
}

/// The surroundings of the definitions of a tree in a project: the world of the tree's folder, or
/// of one of the folders of the files `near`, and the sounds and effects of the project. Unreadable
/// trees are reported when they are packed.
pub fn of_project(project: &Path, tree: &Path, near: &[PathBuf]) -> Options {
    let world = world_beside(tree, near);
    let mut sounds = Sounds::default();
    let _ = add_sounds(project, &mut sounds);
    let mut archives = Vec::new();
    archives_below(project, 0, &["zrdr", "reader"], &mut archives);
    let effects = |archive: &PathBuf| {
        let members = archive::members(&reader_archive(archive).ok()??).ok()?;
        let (name, bytes) = members
            .into_iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("effects.zrd"))?;
        Some(anim_source::effects(&Doc::read(&bytes, &name).ok()?))
    };
    let effects: HashSet<Vec<u8>> = archives.iter().filter_map(effects).flatten().collect();
    Options {
        world,
        sounds: Some(sounds).filter(|all| !all.is_empty()),
        effects: Some(effects).filter(|all| !all.is_empty()),
        ..Options::default()
    }
}

/// The world of the folder of an animation file's tree, or of one of the folders of the files
/// `near`, with the planes; `None` if there is none, or if it cannot be read.
pub fn world_beside(tree: &Path, near: &[PathBuf]) -> Option<World> {
    let beside = |file: &Path, wanted: &str| {
        let folder = file.parent()?;
        let mut names = names_in(folder).into_iter();
        Some(folder.join(names.find(|name| name.eq_ignore_ascii_case(wanted))?))
    };
    let mut files = std::iter::once(tree).chain(near.iter().map(PathBuf::as_path));
    let (file, path) = files.find_map(|file| Some((file, beside(file, "gamez.zbd")?)))?;
    // They are in the folder above.
    let planes = file
        .parent()
        .and_then(|folder| beside(folder, "planes.zbd"));
    world(&path, planes.as_deref())
        .or_else(|_| world(&path, None))
        .ok()
}

/// Adds the samples that a list declares, the members of a bank, or those of all lists and banks
/// below a folder.
fn add_sounds(path: &Path, all: &mut Sounds) -> Result<()> {
    let named = |e: Error| e.about(path);
    let mut files = vec![path.to_owned()];
    let is_folder = path.is_dir() && !is_tree(path);
    if is_folder {
        files.clear();
        archives_below(path, 0, &["zrdr", "reader", "sounds"], &mut files);
    }
    let mut found = 0;
    for file in &files {
        let names = sounds_of(file)?;
        found += names.len();
        names.iter().for_each(|name| all.add(name));
    }
    match found {
        0 => Err(named(Error::say("no sound in it").hint(
            "sounds.zrd, an archive with one, a bank, or a game's folder",
        ))),
        _ => Ok(()),
    }
}

/// The sounds that one file has.
fn sounds_of(path: &Path) -> Result<Vec<Vec<u8>>> {
    let named = |e: Error| e.about(path);
    let is_archive = path.is_dir()
        || path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("zbd"));
    if !is_archive {
        let doc = Doc::read(&disk::read(path)?, &path.shown()).map_err(named)?;
        return Ok(anim_source::sounds(&doc));
    }
    let loaded = open::open(path, Hints::default()).map_err(named)?;
    let File::Archive(archive) = &loaded.model else {
        return Ok(Vec::new());
    };
    match archive.context.format {
        Format::Sounds => {
            let members = loaded.model.all_members().map_err(named)?;
            Ok(members
                .into_iter()
                .map(|member| member.name.into_bytes())
                .collect())
        }
        Format::Reader => {
            let members =
                archive::members(&archive_bytes(&loaded).map_err(named)?).map_err(named)?;
            let list = members
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case("sounds.zrd"));
            list.map_or(Ok(Vec::new()), |(name, bytes)| {
                Ok(anim_source::sounds(&Doc::read(bytes, name).map_err(named)?))
            })
        }
        _ => Ok(Vec::new()),
    }
}

/// A world's nodes, followed by those of the planes.
pub fn world(path: &Path, planes: Option<&Path>) -> Result<World> {
    Ok(WorldFiles::open(path, planes)?.nodes())
}

/// A world and the planes, with their paths.
struct WorldFiles<'p> {
    files: Vec<(&'p Path, Box<Gamez>)>,
}

impl<'p> WorldFiles<'p> {
    fn open(path: &'p Path, planes: Option<&'p Path>) -> Result<Self> {
        let one = |path: &'p Path| -> Result<(&'p Path, Box<Gamez>)> {
            let named = |e: Error| e.about(path);
            // The game given by the user is that of the animations; a world shows its own.
            let loaded = open::open(path, Hints::default()).map_err(named)?;
            match loaded.model {
                File::World(world) => Ok((path, world)),
                _ => Err(named(
                    Error::say("no world").hint("a gamez.zbd, or its unpacked tree"),
                )),
            }
        };
        Ok(WorldFiles {
            files: std::iter::once(path)
                .chain(planes)
                .map(one)
                .collect::<Result<_>>()?,
        })
    }

    fn nodes(&self) -> World {
        World::of_files(
            &self
                .files
                .iter()
                .map(|(_, world)| &**world)
                .collect::<Vec<_>>(),
        )
    }

    /// How an animation file of Crimson Skies names them: the path in the game, and the time in
    /// their heads.
    fn base_files(&self) -> Vec<BaseFile> {
        let one = |(path, world): &(&Path, Box<Gamez>)| {
            let name = |path: &Path| {
                path.file_name()
                    .map(|name| name.to_string_lossy().to_lowercase())
            };
            let folder = path
                .parent()
                .and_then(name)
                .filter(|folder| folder != "zbd");
            let parts = [Some("zbd".to_owned()), folder, name(path)];
            let path = parts.into_iter().flatten().collect::<Vec<_>>().join("\\");
            Some(BaseFile {
                path: path.as_str().try_into().ok()?,
                time: world.timestamp?,
            })
        };
        self.files.iter().filter_map(one).collect()
    }
}
