//! The other side of a comparison: the originals, or another folder, file or mod.

use super::Entry;
use bytes::Bytes;
use refit_base::{
    path::Shown,
    tree::{Blob, DirSource, is_tree},
    wire::{Error, ErrorKind, Result},
};
use refit_diff::{Comparison, Opened};
use refit_files::pipeline::Hints;
use refit_mods::{self as mods, ModdedGame, Prefer};
use refit_workbench::{open, sides};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The other side of the comparison for the page.
pub(super) enum Against {
    /// A folder with files of the same paths, or a project.
    Folder(PathBuf),
    /// A file; one file alone is shown.
    File(PathBuf),
    /// A mod, by its name: the files that it changes, as it would leave them.
    Mod(String, BTreeMap<String, Bytes>),
}

/// True for a mod: a zip, or a folder with a mod's manifest.
fn is_mod(path: &Path) -> bool {
    let zip = path
        .extension()
        .is_some_and(|ext| ext.eq_ignore_ascii_case("refitmod"));
    if path.is_dir() {
        path.join(mods::MANIFEST).is_file()
    } else {
        zip
    }
}

impl Against {
    /// Opens the other side. A mod is applied in memory.
    ///
    /// # Errors
    /// The path does not exist, or the mod cannot be read or applied.
    pub(super) fn open(other: &Path, root: &Path) -> Result<Self> {
        if !other.exists() {
            return Err(Error::missing(other.shown()));
        }
        if !is_mod(other) {
            let is_folder = other.is_dir() && !is_tree(other);
            return Ok(if is_folder {
                Against::Folder(other.to_owned())
            } else {
                Against::File(other.to_owned())
            });
        }
        let a_mod = mods::load(other)?;
        let name = a_mod.manifest.name.clone();
        let plan = ModdedGame::open(root, true)?.plan_apply(vec![a_mod], Prefer::None)?;
        let changed = plan
            .files
            .iter()
            .filter_map(|file| Some((file.path.clone(), file.content()?.clone())));
        Ok(Against::Mod(name, changed.collect()))
    }

    /// The name for the page.
    pub(super) fn name(&self) -> String {
        match self {
            Against::Folder(path) | Against::File(path) => path.shown(),
            Against::Mod(name, _) => format!("with the mod {name}"),
        }
    }
}

fn opened(path: &Path, hints: Hints) -> Result<Opened> {
    if path.is_dir() {
        return Opened::tree(&DirSource::new(path));
    }
    Ok(Opened::file(&open::load(path)?, &path.shown(), hints))
}

impl Against {
    /// True if a file differs from the other side.
    pub(super) fn differs(&self, entry: &Entry) -> Result<bool> {
        Ok(match self {
            Against::File(other) => !sides::same_bytes(other, &entry.path),
            Against::Mod(_, files) => files.contains_key(&entry.relative),
            Against::Folder(folder) => {
                let files = sides::files(folder)?;
                files
                    .get(&entry.relative)
                    .is_some_and(|other| !sides::same_bytes(other, &entry.path))
            }
        })
    }

    /// Both states of a file, and the name of the older one; with a mod, the name of the newer one.
    pub(super) fn compared(&self, entry: &Entry, hints: Hints) -> Result<(String, Comparison)> {
        let own = &entry.path;
        let other = match self {
            Against::File(other) => other.clone(),
            Against::Folder(folder) => {
                let other = sides::files(folder)?
                    .get(&entry.relative)
                    .map(Path::to_owned);
                other.ok_or_else(|| {
                    let missing =
                        Error::say("it has no file of this path").of_kind(ErrorKind::NoMember);
                    missing.in_file(folder.shown())
                })?
            }
            Against::Mod(_, files) => {
                let same =
                    || Error::say("the mod does not change this file").of_kind(ErrorKind::NoMember);
                let new = files.get(&entry.relative).ok_or_else(same)?;
                let new = Opened::file(&Blob::Memory(new.clone()), &own.shown(), hints);
                return Ok((self.name(), Comparison::of(opened(own, hints)?, new)?));
            }
        };
        Ok((
            other.shown(),
            Comparison::of(opened(&other, hints)?, opened(own, hints)?)?,
        ))
    }
}
