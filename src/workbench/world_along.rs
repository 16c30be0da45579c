//! Copies the textures and animations of an object that is added to a world.

use super::{
    inside, open,
    options::Options,
    progress::Progress,
    put::{self, Give, Prepared},
    world_anims::{self, Copied},
};
use crate::{
    file::File,
    formats::{
        Format,
        gamez::tree::some,
        textures::{Fitted, TexturesModel, another},
    },
    game_files::{FileRole, part},
    gltf::import::Report,
    path::{Shown, is_litter},
    wire::{Error, Result},
};
use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

/// Which files receive the textures and animations of an object, and where these come from.
#[derive(Clone, Debug, Default)]
pub struct Along {
    /// The texture packages that take the pictures: files, trees, and folders with such.
    pub textures: Vec<PathBuf>,
    /// The packages of another world; without any, those beside it.
    pub from_textures: Vec<PathBuf>,
    /// The animation file that takes the entries of the copied nodes: a file, a tree, or a folder with one.
    pub animations: Option<PathBuf>,
    /// The animation file of another world; without one, that beside it.
    pub from_animations: Option<PathBuf>,
}

/// What a change brought into a world.
pub(super) enum News {
    /// Nothing that other files have to know.
    None,
    /// The objects of a glTF file, which may have pictures.
    Gltf(PathBuf, Report),
    /// A node of another world.
    Of(Copied),
}

impl News {
    /// Changes the named files in memory. Warns about textures without a picture.
    pub(super) fn prepare(
        self,
        world: &Path,
        along: &Along,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Vec<Prepared>> {
        let into = &along.textures;
        match self {
            News::None => Ok(Vec::new()),
            News::Gltf(from, report) => {
                let has = |name: &String| report.pictures.iter().any(|picture| picture.name == *name);
                let (shown, bare): (Vec<String>, Vec<String>) = report.textures.iter().cloned().partition(has);
                warn(&from, &bare, &Why::NoPicture("the file"), progress);
                if into.is_empty() {
                    warn(&from, &shown, &Why::Option(option(world, options)), progress);
                }
                put::add_pictures(into, &report, options, progress)
            }
            News::Of(copied) => {
                let animations = match &along.animations {
                    Some(into) => Some(world_anims::prepare(into, &along.from_animations, &copied, options, progress)?),
                    None => None,
                };
                let Copied { other, textures, shared, .. } = copied;
                let mut prepared = if into.is_empty() {
                    warn(&other, &textures, &Why::Option(option(world, options)), progress);
                    Vec::new()
                } else {
                    let source = Source::open(&other, &along.from_textures, options, progress)?;
                    let bare = textures.iter().filter(|name| source.largest(name).is_none()).cloned();
                    warn(&other, &bare.collect::<Vec<_>>(), &Why::NoPicture("none of its packages"), progress);
                    let give: Rc<Give> = Rc::new(move |into, path| source.give(into, path, &textures, &shared));
                    put::fill(into, &give, options, progress)?
                };
                prepared.extend(animations);
                Ok(prepared)
            }
        }
    }
}

/// Why textures are not in the packages.
enum Why {
    /// They were not asked for: this option does it.
    Option(String),
    /// This has no picture of them.
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
        Why::Option(option) => {
            format!("{}: new {textures}: {names} (--textures {option} puts {pictures} into the packages)", from.shown())
        }
        Why::NoPicture(place) => format!(
            "{}: new {textures}: {names}; {place} has {pictures}: put {it} into the packages (`refit add PACKAGE`)",
            from.shown()
        ),
    });
}

/// The arguments that `--textures` needs: each package of a world.
fn option(world: &Path, options: &Options) -> String {
    let packages = beside(world, options);
    let named: Vec<String> = packages.iter().map(|path| path.shown()).collect();
    if named.is_empty() { "PACKAGE".to_owned() } else { named.join(" --textures ") }
}

/// The texture packages of a world by their roles: those beside it, or else in the nearest folder above.
fn beside(world: &Path, options: &Options) -> Vec<PathBuf> {
    let is_package = |path: &PathBuf| {
        let role = part(&path.shown(), Format::Textures, None).map(|part| part.role);
        matches!(role, Some(FileRole::SoftwareTextures | FileRole::CardTextures))
            && inside::is_of(path, Format::Textures, options)
    };
    // A mission is at most two folders below the archives of its game.
    for folder in world.ancestors().skip(1).take(3) {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(entries) = std::fs::read_dir(here) else { continue };
        let names = entries.filter_map(|entry| Some(PathBuf::from(entry.ok()?.file_name())));
        let mut found: Vec<PathBuf> =
            names.filter(|name| !is_litter(name)).map(|name| folder.join(name)).filter(is_package).collect();
        if !found.is_empty() {
            found.sort();
            return found;
        }
    }
    Vec::new()
}

/// The texture packages of another world.
struct Source {
    /// Each with its name, see [`name_of`].
    packages: Vec<(String, TexturesModel)>,
}

/// What packages of several worlds are compared by: the file name without its ending, in lower case.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.split('.').next().unwrap_or_default().to_owned()
}

impl Source {
    fn open(other: &Path, named: &[PathBuf], options: &Options, progress: &dyn Progress) -> Result<Self> {
        let paths = if named.is_empty() { beside(other, options) } else { put::packages(named, options, progress)? };
        if paths.is_empty() {
            return Err(Error::say("there is no texture package beside this world")
                .in_file(other.shown())
                .hint("--from-textures names its packages"));
        }
        let one = |path: &PathBuf| match open::open(path, options.hints).map_err(|e| e.about(path))?.model {
            File::Textures(package) => Ok((name_of(path), *package)),
            _ => Err(Error::say("--from-textures takes texture packages").in_file(path.shown())),
        };
        Ok(Source { packages: paths.iter().map(one).collect::<Result<_>>()? })
    }

    /// The package with the largest picture of this name.
    fn largest(&self, name: &str) -> Option<&TexturesModel> {
        let area = |package: &TexturesModel| package.image_of(name).map(|image| image.info.area());
        let all = self.packages.iter().filter_map(|(_, package)| Some((area(package)?, package)));
        // Of equal ones the first, which is for cards.
        all.rev().max_by_key(|(area, _)| *area).map(|(_, package)| package)
    }

    /// Puts textures into a package: each as it is in the package of the same name, or else as the largest picture of
    /// it. A shared one that is another picture here stays, and a note says so.
    fn give(&self, into: &mut TexturesModel, path: &Path, new: &[String], shared: &[String]) -> Result<Vec<Fitted>> {
        let own = name_of(path);
        let namesake = self.packages.iter().find(|(name, _)| *name == own).map(|(_, package)| package);
        let mut done = Vec::new();
        for (name, is_new) in new.iter().map(|name| (name, true)).chain(shared.iter().map(|name| (name, false))) {
            let place = |e: Error| e.within(name.clone());
            let here = namesake.filter(|package| package.image_of(name).is_some());
            let given = match (here, self.largest(name)) {
                (Some(package), _) => into.copy_by_name(package, name).map_err(place)?,
                (None, Some(package)) => into.copy_picture(package, name).map_err(place)?.map(|one| vec![one]),
                (None, None) => continue,
            };
            match given {
                Some(given) => done.extend(given),
                None if is_new => return Err(place(another(name))),
                None => done.extend(into.left(name, "the other world has another picture of this name")),
            }
        }
        Ok(done)
    }
}
