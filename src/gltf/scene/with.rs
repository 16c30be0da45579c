//! Additional sources of an export: texture packages and motions given with `--with`.

use bytes::Bytes;
use refit_base::{
    format::Format,
    game::Game,
    tree::Sink,
    wire::{Error, Reader, Result},
};
use refit_files::detect;
use refit_zipper::{archive, gamez::tree::some, motion::Motion, textures};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

/// The files given with `--with`.
#[derive(Default)]
pub struct With {
    game: Option<Game>,
    packages: Vec<textures::Package>,
    /// Lower-case name → package, image. As in the games, the first image of a name wins
    /// (../textures/FORMAT.md).
    names: HashMap<String, (usize, usize)>,
    pictures: Vec<Vec<OnceLock<Option<textures::Shown>>>>,
    /// Names and bytes of motions.
    motions: Vec<(String, Bytes)>,
    /// The textures that were looked up, and whether they were found.
    asked: Mutex<BTreeMap<String, bool>>,
    /// How many times a motion matched a 'mech.
    moved: AtomicUsize,
}

/// Maximum number of names in the note on missing textures.
const NAMED: usize = 5;

impl With {
    /// Recognises and reads the files; the game determines which colour of a palette is
    /// transparent.
    pub fn open(files: &[Bytes], game: Option<Game>) -> Result<Self> {
        let mut with = With {
            game,
            ..With::default()
        };
        for (i, file) in files.iter().enumerate() {
            with.add(file)
                .map_err(|e| e.within(format!("--with, file {}", i + 1)))?;
        }
        Ok(with)
    }

    fn add(&mut self, file: &Bytes) -> Result<()> {
        match detect::detect(file, "")?.format {
            Format::Textures => {
                let package = textures::Package::read(file)?;
                for (i, image) in package.images.iter().enumerate() {
                    self.names
                        .entry(image.name.text().to_lowercase())
                        .or_insert((self.packages.len(), i));
                }
                self.pictures.push(
                    std::iter::repeat_with(OnceLock::new)
                        .take(package.images.len())
                        .collect(),
                );
                self.packages.push(package);
            }
            Format::Motion => self.motions.extend(archive::members(file)?),
            other => {
                return Err(
                    Error::say(format!("a file of the format {other}: not used"))
                        .hint("models and worlds take texture packages, 'mechs also motion.zbd"),
                );
            }
        }
        Ok(())
    }

    /// True if there is a texture package.
    pub fn has_textures(&self) -> bool {
        !self.packages.is_empty()
    }

    /// Records which textures were looked up, and whether they were found.
    pub fn asked<'a>(&self, textures: impl Iterator<Item = (&'a str, bool)>) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.extend(textures.map(|(name, found)| (name.to_owned(), found)));
    }

    /// Reports which of the given files were not used.
    pub fn tell(&self, out: &dyn Sink) {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<&str> = asked
            .iter()
            .filter(|(_, found)| !**found)
            .map(|(name, _)| name.as_str())
            .collect();
        if self.has_textures() && !missing.is_empty() {
            let (found, names) = (asked.len() - missing.len(), some(&missing, NAMED));
            out.note(format!(
                "{found} of {} textures found in the packages; not there: {names}",
                asked.len()
            ));
        }
        if !self.motions.is_empty() && self.moved.load(Relaxed) == 0 {
            out.note(format!(
                "0 of {} motions belong to a 'mech in the file",
                self.motions.len()
            ));
        }
    }

    /// The image of a texture, by name with or without extension.
    pub fn picture(&self, name: &str) -> Option<&textures::Shown> {
        let name = name.to_lowercase();
        let stem = name.rsplit_once('.').map(|(stem, _)| stem);
        let (package, image) = [Some(name.as_str()), stem]
            .into_iter()
            .flatten()
            .find_map(|name| self.names.get(name))
            .copied()?;
        let slot = self.pictures.get(package)?.get(image)?;
        slot.get_or_init(|| textures::show(self.packages.get(package)?, image, self.game).ok()?)
            .as_ref()
    }

    /// The motions of a 'mech, by name: its own name, `_` and more (../motion/FORMAT.md). If `bw`
    /// and `bw_x` are both 'mechs, `bw_x_walk` belongs only to the second.
    pub fn motions<'a>(
        &'a self,
        mech: &str,
        mechs: &'a [String],
    ) -> impl Iterator<Item = (&'a str, Result<Motion>)> {
        let mech = mech.to_lowercase();
        let fits = |name: &str, mech: &str| {
            name.to_lowercase()
                .strip_prefix(mech)
                .is_some_and(|rest| rest.starts_with('_'))
        };
        let own = move |name: &str| {
            fits(name, &mech)
                && !mechs
                    .iter()
                    .any(|m| m.len() > mech.len() && fits(name, &m.to_lowercase()))
        };
        let found = self.motions.iter().filter(move |(name, _)| own(name));
        let found = found.inspect(move |_| _ = self.moved.fetch_add(1, Relaxed));
        found.map(|(name, bytes)| {
            (
                name.as_str(),
                Motion::read_member(&mut Reader::new(bytes, Game::Mw)),
            )
        })
    }
}
