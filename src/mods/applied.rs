//! The lists of applied mods, and lookups in them, for commands that write or restore a file.

use refit_base::{
    Sum,
    path::Shown,
    tree::{
        Document, Style, check_inside_path,
        disk::{self, Backup, Replace, Together, standing},
    },
    wire::{Error, Result},
};
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
};

/// The list of applied mods, in the game's folder.
pub const STATE: &str = "refit-mods.json";
/// The folder with copies of the applied mods.
pub(super) const COPIES: &str = "refit-mods";
/// Version of the list of applied mods.
pub(super) const STATE_VERSION: u32 = 1;

/// Which mods are applied to a game.
#[derive(Clone, PartialEq, Debug, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Applied {
    /// Version of this list.
    pub refitmods: u32,
    /// Version of the refit that wrote it.
    #[serde(default)]
    pub refit: String,
    /// The mods, in the order of application.
    pub mods: Vec<AppliedMod>,
    /// The files that they change.
    pub files: Vec<AppliedFile>,
}

refit_base::document!(Applied, "mods-applied");

refit_base::record! {
    /// An applied mod.
    pub struct AppliedMod {
        /// The mod's name.
        name: String,
        /// Its version.
        version!: String,
        /// The mod's author.
        author!: String,
        /// SHA-256 of its content.
        sha256: String,
        /// Its copy, below the game's folder.
        file: String,
        /// Which mod wins a conflict: `first` or `last`.
        prefer?: String,
    }
}

refit_base::record! {
    /// A file that mods change.
    pub struct AppliedFile {
        /// Its path below the game's folder.
        path: String,
        /// The checksum of the pristine file, `blake3:` and hexadecimal digits (earlier versions: a SHA-256); absent
        /// if there was none.
        original?: Sum,
        /// The checksum of what refit wrote; absent if the mods delete it.
        written?: Sum,
        /// The mods that change it.
        mods: Vec<String>,
    }
}

impl Applied {
    /// The list in a folder, or `None` if the folder has no list.
    pub fn of(root: &Path) -> Result<Option<Applied>> {
        let path = root.join(STATE);
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let bytes = disk::read(&path)?;
        let text =
            std::str::from_utf8(&bytes).map_err(|e| Error::say(e.to_string()).in_file(STATE))?;
        let applied = Applied::from_text(text, Style::Json).map_err(|e| e.in_file(STATE))?;
        if applied.refitmods != STATE_VERSION {
            let what = format!(
                "a list of version {}; this refit reads version {STATE_VERSION}",
                applied.refitmods
            );
            return Err(Error::say(what).in_file(STATE));
        }
        Ok(Some(applied))
    }
}

/// A file that mods change.
#[derive(Clone, Debug)]
pub struct HeldFile {
    /// The folder that contains the list.
    pub root: PathBuf,
    /// The file's entry in the list.
    pub file: AppliedFile,
}

impl HeldFile {
    /// The error for a write that would overwrite changes of mods. `both` says how to have these and
    /// what was to be written.
    pub fn refused(&self, target: &Path, both: Option<&str>) -> Error {
        let (mods, changes) = match self.file.mods.as_slice() {
            [one] => (format!("the mod {one} changes"), "its"),
            all => (format!("the mods {} change", all.join(", ")), "their"),
        };
        let both = both.map_or_else(String::new, |both| format!("to have both, {both}; "));
        Error::say(format!("{mods} this file, and this would discard {changes} changes"))
            .in_file(target.shown())
            .hint(format!(
                "nothing was written; {both}to have only this, remove the mod: refit mod remove {} --from {}",
                self.names(),
                self.root.shown()
            ))
    }

    /// The names of its mods, as a command takes them.
    pub fn names(&self) -> String {
        let names = self.file.mods.iter();
        let quoted = names.map(|name| match name.contains(' ') {
            true => format!("{name:?}"),
            false => name.clone(),
        });
        quoted.collect::<Vec<_>>().join(" ")
    }
}

/// The lists of applied mods, one per folder, each read once.
#[derive(Default)]
pub struct AppliedMods {
    lists: HashMap<PathBuf, Option<Applied>>,
}

impl AppliedMods {
    /// The list in a folder.
    pub fn list(&mut self, root: &Path) -> Result<Option<&Applied>> {
        if !self.lists.contains_key(root) {
            self.lists.insert(
                root.to_owned(),
                Applied::of(root).map_err(|e| e.in_file(root.shown()))?,
            );
        }
        Ok(self.lists.get(root).and_then(Option::as_ref))
    }

    /// The entry of a file in the list of the nearest folder above it that lists the file.
    pub fn of_file(&mut self, file: &Path) -> Result<Option<HeldFile>> {
        // Neither the file nor its folder has to exist yet.
        let Some(above) = file
            .ancestors()
            .skip(1)
            .find(|above| above.is_dir() || above.as_os_str().is_empty())
        else {
            return Ok(None);
        };
        let whole = refit_base::path::canonical(if above.as_os_str().is_empty() {
            Path::new(".")
        } else {
            above
        });
        let Ok(whole) = whole.map(|whole| {
            file.strip_prefix(above)
                .map_or(whole.clone(), |rest| whole.join(rest))
        }) else {
            return Ok(None);
        };
        for root in whole
            .ancestors()
            .skip(1)
            .filter(|root| root.join(STATE).is_file())
        {
            let Ok(relative) = whole.strip_prefix(root) else {
                continue;
            };
            let steps: Option<Vec<&str>> = relative
                .components()
                .map(|step| step.as_os_str().to_str())
                .collect();
            let Some(relative) = steps.map(|steps| steps.join("/")) else {
                continue;
            };
            let found = self
                .list(root)?
                .and_then(|list| list.files.iter().find(|known| known.path == relative))
                .cloned();
            if let Some(file) = found {
                return Ok(Some(HeldFile {
                    root: root.to_owned(),
                    file,
                }));
            }
        }
        Ok(None)
    }
}

/// True if the file at a path has the checksum that the list of applied mods has; without one, if
/// there is no file.
pub(super) fn is_standing(path: &Path, listed: Option<Sum>) -> Result<bool> {
    Ok(match (standing(path)?, listed) {
        (Some(now), Some(listed)) => disk::is_sum_of(path, now, listed),
        (now, listed) => now == listed,
    })
}

/// Removes restored files from a folder's list of applied mods, as part of `together`. Mods that no
/// longer change any file count as removed; returns their names.
pub fn forget_restored(
    root: &Path,
    files: &BTreeSet<String>,
    together: &mut Together,
) -> Result<Vec<String>> {
    let Some(before) = Applied::of(root)? else {
        return Ok(Vec::new());
    };
    let mut after = before.clone();
    after.files.retain(|file| {
        !files.contains(&file.path)
            && !is_standing(&root.join(&file.path), file.original).unwrap_or_default()
    });
    let changes =
        |list: &Applied, name: &String| list.files.iter().any(|file| file.mods.contains(name));
    let is_off =
        |name: &String| after.files.is_empty() || changes(&before, name) && !changes(&after, name);
    let (off, on): (Vec<_>, Vec<_>) = before
        .mods
        .iter()
        .cloned()
        .partition(|known| is_off(&known.name));
    let may = Replace {
        backup: Backup::Never,
        ..Replace::new(true)
    };
    for known in &off {
        together.remove(&root.join(check_inside_path(&known.file)?), may)?;
    }
    after.mods = on;
    let path = root.join(STATE);
    if after.mods.is_empty() {
        together.remove(&path, may)?;
    } else if after != before {
        let text = after.to_text(Style::Json)?;
        together.write(
            &path,
            may,
            |out| out.write_all(text.as_bytes()).map_err(Error::stopped),
            |_, _| Ok(()),
        )?;
    }
    Ok(off.into_iter().map(|known| known.name).collect())
}

/// Removes the folder of mod copies if it is empty.
pub fn remove_copies(root: &Path) {
    let _ = std::fs::remove_dir(root.join(COPIES));
}
