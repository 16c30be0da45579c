//! Copies the textures and animations of an object that is added to a world.

use super::{
    inside, open,
    options::Options,
    progress::Progress,
    put::{self, Planned},
    world_anims::{self, Copied},
};
use refit_base::{
    format::Format,
    path::Shown,
    wire::{Error, Result},
};
use refit_files::file::File;
use refit_gltf::import::Report;
use refit_zipper::{
    gamez::tree::some,
    textures::{Fitted, TexturesModel, another},
};
use std::path::{Path, PathBuf};

/// Which files receive the textures and animations of an object, and where these come from.
#[derive(Clone, Debug, Default)]
pub struct Along {
    /// The texture packages that receive the pictures: files, trees, and folders with such. An
    /// empty list means those that the game loads with the world.
    pub textures: Option<Vec<PathBuf>>,
    /// The packages of another world; by default, those next to it.
    pub from_textures: Vec<PathBuf>,
    /// The animation file that receives the entries of the copied nodes: a file, a tree, or a
    /// folder with one. `Some(None)` means the one that the game loads with the world.
    pub animations: Option<Option<PathBuf>>,
    /// The animation file of another world; by default, the one next to it.
    pub from_animations: Option<PathBuf>,
}

/// The effects of a change on other files.
pub(super) enum News {
    /// Nothing that other files have to know.
    None,
    /// Objects of a glTF file, which may have pictures.
    Gltf(PathBuf, Report),
    /// A node of another world.
    Of(Copied),
}

impl News {
    /// Changes the given files in memory. Warns about textures without a picture.
    pub(super) fn plan(
        self,
        world: &Path,
        along: &Along,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Vec<Planned>> {
        let into = along
            .textures
            .as_deref()
            .map(|named| put::packages(world, named, options, progress))
            .transpose()?;
        match self {
            News::None => Ok(Vec::new()),
            News::Gltf(from, report) => {
                let has =
                    |name: &String| report.pictures.iter().any(|picture| picture.name == *name);
                let (shown, bare): (Vec<String>, Vec<String>) =
                    report.textures.iter().cloned().partition(has);
                warn(&from, &bare, &Why::NoPicture("the file"), progress);
                let Some(into) = into else {
                    warn(&from, &shown, &Why::NotAsked, progress);
                    return Ok(Vec::new());
                };
                put::add_pictures(&into, &report, options, progress)
            }
            News::Of(copied) => {
                let (to, from) = (&along.animations, along.from_animations.as_deref());
                let plan = |into: &Option<PathBuf>| {
                    world_anims::plan((world, into.as_deref()), from, &copied, options, progress)
                };
                let animations = to.as_ref().map(plan).transpose()?;
                let Copied {
                    other,
                    textures,
                    shared,
                    ..
                } = copied;
                let mut planned = if let Some(into) = into {
                    let source = Source::open(&other, &along.from_textures, options, progress)?;
                    let bare = textures
                        .iter()
                        .filter(|name| source.largest(name).is_none())
                        .cloned();
                    warn(
                        &other,
                        &bare.collect::<Vec<_>>(),
                        &Why::NoPicture("none of its packages"),
                        progress,
                    );
                    let give = |into: &mut TexturesModel, path: &Path| {
                        source.give(into, path, &textures, &shared)
                    };
                    put::fill(&into, &give, options, progress)?
                } else {
                    warn(&other, &textures, &Why::NotAsked, progress);
                    Vec::new()
                };
                planned.extend(animations);
                Ok(planned)
            }
        }
    }
}

/// The reason why textures are not in the packages.
enum Why {
    /// They were not requested.
    NotAsked,
    /// This source has no picture of them.
    NoPicture(&'static str),
}

fn warn(from: &Path, names: &[String], why: &Why, progress: &dyn Progress) {
    let (textures, pictures, it) = match names {
        [] => return,
        [_] => ("texture", "its picture", "it"),
        _ => ("textures", "their pictures", "them"),
    };
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    let names = some(&quoted, 8);
    progress.warn(&match why {
        Why::NotAsked => {
            format!("{}: new {textures}: {names} (--textures puts {pictures} into the packages)", from.shown())
        }
        Why::NoPicture(place) => format!(
            "{}: new {textures}: {names}; {place} has {pictures}: put {it} into the packages (`refit add PACKAGE`)",
            from.shown()
        ),
    });
}

/// The texture packages of another world.
struct Source {
    /// Each with its name, see [`inside::stem`].
    packages: Vec<(String, TexturesModel)>,
}

impl Source {
    fn open(
        other: &Path,
        named: &[PathBuf],
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let paths = if named.is_empty() {
            let found = inside::of_world(other, Format::Textures, options)?;
            if found.is_empty() {
                return Err(inside::none_of_world(
                    other,
                    Format::Textures,
                    "--from-textures PACKAGE",
                ));
            }
            found
        } else {
            put::packages(other, named, options, progress)?
        };
        let one = |path: &PathBuf| match open::open(path, options.hints)
            .map_err(|e| e.about(path))?
            .model
        {
            File::Textures(package) => Ok((inside::stem(path), *package)),
            _ => Err(Error::say("--from-textures takes texture packages").in_file(path.shown())),
        };
        Ok(Source {
            packages: paths.iter().map(one).collect::<Result<_>>()?,
        })
    }

    /// The package with the largest picture of this name.
    fn largest(&self, name: &str) -> Option<&TexturesModel> {
        let area = |package: &TexturesModel| package.image_of(name).map(|image| image.info.area());
        let all = self
            .packages
            .iter()
            .filter_map(|(_, package)| Some((area(package)?, package)));
        // The first of equal ones, which is for graphics cards.
        all.rev()
            .max_by_key(|(area, _)| *area)
            .map(|(_, package)| package)
    }

    /// Puts textures into a package: each from the package of the same name, otherwise its largest
    /// picture. A shared one with a different picture here stays, and a note says so.
    fn give(
        &self,
        into: &mut TexturesModel,
        path: &Path,
        new: &[String],
        shared: &[String],
    ) -> Result<Vec<Fitted>> {
        let own = inside::stem(path);
        let namesake = self
            .packages
            .iter()
            .find(|(name, _)| *name == own)
            .map(|(_, package)| package);
        let mut done = Vec::new();
        for (name, is_new) in new
            .iter()
            .map(|name| (name, true))
            .chain(shared.iter().map(|name| (name, false)))
        {
            let place = |e: Error| e.within(name.clone());
            let here = namesake.filter(|package| package.image_of(name).is_some());
            let given = match (here, self.largest(name)) {
                (Some(package), _) => into.copy_by_name(package, name).map_err(place)?,
                (None, Some(package)) => into
                    .copy_picture(package, name)
                    .map_err(place)?
                    .map(|one| vec![one]),
                (None, None) => continue,
            };
            match given {
                Some(given) => done.extend(given),
                None if is_new => return Err(place(another(name))),
                None => {
                    done.extend(into.left(name, "the other world has another picture of this name"))
                }
            }
        }
        Ok(done)
    }
}
