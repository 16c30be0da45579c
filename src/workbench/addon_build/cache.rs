//! What a build remembers: the sums of all that went into each archive. Without it everything is
//! built again, so that it may be deleted.

use super::{
    listed::Listed,
    stamps::{Stamp, Stamps, time_of},
};
use crate::{
    addon_sources::{Addon, Sources},
    configs::Includes,
    paths::same_path,
};
use refit_base::{
    Sum,
    tree::disk::{self, Replace},
    wire::{Error, Result},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Changes whenever the same sources give other archives.
const VERSION: &str = concat!("refit ", env!("CARGO_PKG_VERSION"), " build 1");
/// The folder of caches, next to mods.
const FOLDER: &str = ".refit-build";
/// Largest cache that is read.
const LARGEST: u64 = 256 << 20;
/// The cache of a mod.
pub(super) fn place(folder: &Path) -> PathBuf {
    let whole = refit_base::path::whole(folder).unwrap_or_else(|_| folder.to_owned());
    let name = whole
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    whole.with_file_name(FOLDER).join(format!("{name}.json"))
}

/// A question for an included file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Asked {
    /// The file that includes.
    pub from: PathBuf,
    /// The name, with `/`.
    pub name: String,
    /// The file that was found.
    pub found: Option<PathBuf>,
}

/// An archive that was made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Made {
    /// The sum of what decides how it is made, besides the files.
    pub settings: String,
    /// The files of the addon by their places in it, and included files from elsewhere by their
    /// whole paths.
    pub inputs: BTreeMap<String, Stamp>,
    /// Which included files were looked for.
    pub asked: Vec<Asked>,
    /// The archive.
    pub archive: Stamp,
    /// How many files it has, and how many of them were converted.
    pub files: usize,
    pub converted: usize,
    /// The key and version of its signature, and its file.
    pub signature: Option<(String, Stamp)>,
}

impl Made {
    /// True if the same files would be made the same archive, which is there.
    pub fn is_current(
        &self,
        files: &[Listed],
        includes: &Includes,
        archive: &Path,
        stamps: &mut Stamps,
    ) -> Result<bool> {
        if !stamps.same(&self.archive)? || same_path(&self.archive.path) != same_path(archive) {
            return Ok(false);
        }
        let own = self.inputs.keys().filter(|key| !is_elsewhere(key));
        if !files.iter().map(|file| &file.shown).eq(own) {
            return Ok(false);
        }
        for stamp in self.inputs.values() {
            if !stamps.same(stamp)? {
                return Ok(false);
            }
        }
        Ok(self
            .asked
            .iter()
            .all(|asked| includes.find(&asked.from, &asked.name) == asked.found))
    }

    /// Takes the new times of files that were read.
    pub fn restamp(&mut self, stamps: &Stamps) {
        let own = self.inputs.values_mut().chain([&mut self.archive]);
        for stamp in own {
            if let Some(fresh) = stamps.fresh.get(&stamp.path) {
                stamp.clone_from(fresh);
            }
        }
    }
}

/// True for the key of an included file that is not in the addon.
fn is_elsewhere(key: &str) -> bool {
    key.starts_with(ELSEWHERE)
}

/// Begins the keys of included files that are not in the addon: no path in an addon has it.
pub(super) const ELSEWHERE: &str = "//";

/// The sum of what decides how an archive is made, besides files.
pub(super) fn settings(addon: &Addon, sources: &Sources, exclude: &[String]) -> String {
    let all = format!(
        "{VERSION}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}",
        addon, sources.version, sources.exclude, sources.properties, exclude
    );
    Sum::of(all.as_bytes()).to_string()
}

/// The archives of a mod, by their names.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Cache {
    /// The program.
    version: String,
    /// When it was written.
    #[serde(skip)]
    pub saved: u64,
    archives: BTreeMap<String, Made>,
}

impl Cache {
    /// Reads a cache. One that cannot be read is like none.
    pub fn read(file: &Path) -> Self {
        let read = || {
            let (opened, meta) = disk::open_regular(file).ok()?;
            if meta.len() > LARGEST {
                return None;
            }
            let cache: Cache = serde_json::from_reader(std::io::BufReader::new(opened)).ok()?;
            (cache.version == VERSION).then_some(Cache {
                saved: time_of(&meta),
                ..cache
            })
        };
        read().unwrap_or_default()
    }

    pub fn of(&self, archive: &str) -> Option<&Made> {
        self.archives.get(archive)
    }

    /// True if an earlier build wrote a file with this sum.
    pub fn wrote(&self, sum: Sum) -> bool {
        self.archives.values().any(|made| made.archive.sum == sum)
    }

    /// With new archives. Those of addons that were not built stay.
    pub fn with(mut self, made: BTreeMap<String, Made>) -> Self {
        self.archives.extend(made);
        self
    }

    /// Writes the cache, unless it says the same.
    pub fn write(mut self, file: &Path) -> Result<()> {
        VERSION.clone_into(&mut self.version);
        let text = serde_json::to_vec(&self).map_err(|e| Error::say(e.to_string()))?;
        if std::fs::read(file).is_ok_and(|old| old == text) {
            return Ok(());
        }
        let may = Replace {
            backup: disk::Backup::Never,
            ..Replace::new(true)
        };
        let ignore = file.with_file_name(".gitignore");
        if !ignore.exists() {
            disk::write_file(&ignore, b"*\n", may)?;
        }
        disk::write_file(file, &text, may).map(drop)
    }
}
