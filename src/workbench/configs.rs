//! Compiles texts of configs, with the files that they include.

use super::addon_sources::{Sources, project_above};
use refit_base::{
    path::Shown,
    tree::disk::open_regular,
    wire::{Error, Result},
};
use refit_bohemia::rap::decoded;
use refit_files::pipeline::addon;
use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsString,
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Longest included file, in bytes.
const LONGEST: u64 = 16 << 20;

/// Files and folders that only the root of a repository has.
const ROOT_MARKS: [&str; 4] = [".git", ".hg", ".svn", ".hemtt"];

/// Where included files are looked for, besides the folders around a text.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Folders that are laid out as the drive P:, and folders of headers.
    pub folders: Vec<PathBuf>,
    /// The path in the game of the folder of the text.
    pub prefix: Option<String>,
    /// Nothing outside of this folder is read, besides `folders`.
    pub within: Option<PathBuf>,
}

/// Finds the files that one text of a config includes.
pub(super) struct Includes {
    /// Nothing is read outside of this folder and `more`: a config from elsewhere must not take
    /// files of its reader along.
    within: PathBuf,
    /// The folders that the user named.
    more: Vec<PathBuf>,
    /// Folders whose path in the game is known, with it in lower case, the longest path first.
    mounts: Vec<(Vec<String>, PathBuf)>,
    /// The names in folders that were searched.
    folders: Mutex<HashMap<PathBuf, Arc<BTreeMap<String, OsString>>>>,
}

impl Includes {
    /// For the text at `path` and what it includes.
    ///
    /// Files are found in the repository of the text. Where there is no repository, they are found
    /// in all folders above the text but the root of the file system, and the user's folder with
    /// those above it. What is below a folder of `search` is found, too.
    ///
    /// Fails if the file of a project cannot be read.
    pub(super) fn of(path: &Path, search: &Search) -> Result<Self> {
        let folder = whole(path.parent().unwrap_or(Path::new("")));
        let mut includes = Includes::below(&folder, search)?;
        if let Some(prefix) = &search.prefix {
            includes.mount(prefix, &folder);
        }
        let above = folder.ancestors();
        for above in above.take_while(|above| above.starts_with(&includes.within)) {
            if let Some(prefix) = addon::prefix_of(above) {
                includes.mount(&prefix, above);
                break;
            }
        }
        let project = project_above(&folder);
        if let Some(project) = project.filter(|root| root.starts_with(&includes.within)) {
            includes.mount_addons(&Sources::of(&project)?);
        }
        Ok(includes)
    }

    /// For all texts of some sources.
    pub(super) fn of_sources(sources: &Sources, search: &Search) -> Result<Self> {
        let root = whole(&sources.root);
        let mut includes = Includes::below(&root, search)?;
        includes.mount_addons(sources);
        // A part of a project includes from the others.
        let project = project_above(&root);
        if let Some(project) = project.filter(|root| root.starts_with(&includes.within)) {
            includes.mount_addons(&Sources::of(&project)?);
        }
        Ok(includes)
    }

    fn mount(&mut self, prefix: &str, folder: &Path) {
        let mount = (parts_of(prefix), whole(folder));
        if !mount.0.is_empty() && !self.mounts.contains(&mount) {
            self.mounts.push(mount);
            self.mounts
                .sort_by_key(|(parts, _)| std::cmp::Reverse(parts.len()));
        }
    }

    fn mount_addons(&mut self, sources: &Sources) {
        for addon in &sources.addons {
            if let Some(prefix) = &addon.prefix {
                self.mount(prefix, &addon.folder);
            }
        }
    }

    /// For texts in a folder.
    fn below(folder: &Path, search: &Search) -> Result<Self> {
        let is_repository = |above: &&Path| ROOT_MARKS.iter().any(|mark| above.join(mark).exists());
        let home = std::env::home_dir().map(|home| whole(&home));
        let is_private = |above: &Path| {
            above.parent().is_none() || home.as_ref().is_some_and(|h| h.starts_with(above))
        };
        let last = || {
            folder
                .ancestors()
                .take_while(|above| !is_private(above))
                .last()
        };
        let within = folder
            .ancestors()
            .find(is_repository)
            .or_else(last)
            .unwrap_or(folder);
        let most = search.within.as_deref().map(whole);
        let within = most
            .filter(|most| most.starts_with(within))
            .unwrap_or_else(|| within.to_owned());
        let mut includes = Includes {
            within,
            more: search.folders.iter().map(|folder| whole(folder)).collect(),
            mounts: Vec::new(),
            folders: Mutex::default(),
        };
        // Another project: its addons say where they are in the game.
        for named in &search.folders {
            if !named.is_dir() {
                return Err(Error::say("there is no such folder")
                    .in_file(named.shown())
                    .hint("-I takes the folder of included files"));
            }
            if project_above(&whole(named)).is_some_and(|root| root == whole(named)) {
                includes.mount_addons(&Sources::of(named)?);
            }
        }
        Ok(includes)
    }

    /// Finds an included file and reads it.
    ///
    /// A name is relative to the folder of the including file. With a leading `\` it is a path in
    /// the game, such as `\z\lab\addons\main\script_macros.hpp`: see
    /// [`in_folders_above`](Self::in_folders_above). The case of letters does not matter, on any
    /// system.
    pub(super) fn read(&self, from: &Path, name: &str) -> Result<(String, String)> {
        let path = name.replace('\\', "/");
        let folder = from.parent().unwrap_or(Path::new(""));
        let found = self.find(from, &path);
        let Some(found) = found else {
            let hint = match path.starts_with('/') {
                false => "names are relative to the file, or begin with \\".to_owned(),
                true => format!(
                    "looked for in {}, in the folders above it up to {}, and in their folders \
                    `include`{}; -I DIR names a folder that has it",
                    whole(folder).shown(),
                    self.within.shown(),
                    self.more
                        .iter()
                        .map(|folder| format!(", in {}", folder.shown()))
                        .collect::<String>()
                ),
            };
            return Err(Error::say("there is no such file").hint(hint));
        };
        let real = whole(&found);
        let mut readable = self.more.iter().chain([&self.within]);
        if !readable.any(|folder| real.starts_with(folder)) {
            return Err(Error::say(format!(
                "the file is outside of {}, which refit reads no files from",
                self.within.shown()
            ))
            .hint("copy it into the folder of the addon, or name its folder with -I DIR"));
        }
        text_of(&found)
    }

    /// Where an included file is, if there is one. `path` has `/` between its parts.
    pub(super) fn find(&self, from: &Path, path: &str) -> Option<PathBuf> {
        let folder = from.parent().unwrap_or(Path::new(""));
        let below = |folder: &PathBuf| {
            let parts = path
                .split('/')
                .filter(|part| !matches!(*part, "" | "." | ".."));
            self.in_any_case(folder, parts)
        };
        let named = || self.more.iter().find_map(below);
        match path.strip_prefix('/') {
            None => self.in_any_case(folder, path.split('/')).or_else(named),
            Some(inside) => self
                .mounted(inside)
                .or_else(|| self.in_folders_above(from, inside, named)),
        }
    }

    /// Only what is in the folders that the user named: for texts in archives, which have no place
    /// on disk.
    pub(super) fn named(search: &Search) -> Result<Self> {
        Includes::below(Path::new(""), search)
    }

    /// Finds and reads a file in the folders that the user named, by its path in the game.
    pub(super) fn read_named(&self, name: &str) -> Option<(String, String)> {
        let path = name.replace('\\', "/");
        let inside = path.strip_prefix('/')?;
        let parts = || {
            inside
                .split('/')
                .filter(|part| !matches!(*part, "" | "." | ".."))
        };
        let below = || {
            self.more
                .iter()
                .find_map(|folder| self.in_any_case(folder, parts()))
        };
        let found = self.mounted(inside).or_else(below)?;
        let real = whole(&found);
        let is_below = self.more.iter().any(|folder| real.starts_with(folder));
        is_below.then(|| text_of(&found).ok()).flatten()
    }

    /// The path in the game of a file, as far as a prefix, a folder `include` or a folder that the
    /// user named gives one.
    pub(super) fn in_game(&self, file: &Path) -> Option<String> {
        let real = whole(file);
        let below = |folder: &Path| {
            let below = real.strip_prefix(folder).ok()?;
            let parts = below
                .components()
                .map(|part| part.as_os_str().to_string_lossy());
            Some(parts.collect::<Vec<_>>().join("\\"))
        };
        let mounted = self
            .mounts
            .iter()
            .find_map(|(parts, folder)| Some(format!("{}\\{}", parts.join("\\"), below(folder)?)));
        let included = || {
            let headers = real
                .ancestors()
                .find(|above| above.ends_with("include") && above.starts_with(&self.within))?;
            below(headers)
        };
        let named = || self.more.iter().find_map(|folder| below(folder));
        mounted.or_else(included).or_else(named)
    }

    /// Finds a path in the game below the folders whose path in the game is known.
    fn mounted(&self, path: &str) -> Option<PathBuf> {
        let parts: Vec<&str> = path
            .split('/')
            .filter(|part| !matches!(*part, "" | "." | ".."))
            .collect();
        let lower: Vec<String> = parts.iter().map(|part| part.to_lowercase()).collect();
        self.mounts
            .iter()
            .filter(|(prefix, _)| lower.starts_with(prefix))
            .find_map(|(prefix, folder)| {
                self.in_any_case(folder, parts.get(prefix.len()..)?.iter().copied())
            })
    }

    /// Finds a path in the game, in each folder above the including file: as a whole (the layout of
    /// the drive P:), then in its folder `include` (HEMTT's layout), then by its end, so that a
    /// repository of addons needs no separate drive. The end fits only if no prefix file says that
    /// this is another place in the game, and a file never includes itself.
    /// The folders that the user `named` come before that guess.
    fn in_folders_above(
        &self,
        from: &Path,
        path: &str,
        named: impl Fn() -> Option<PathBuf>,
    ) -> Option<PathBuf> {
        let parts: Vec<&str> = path
            .split('/')
            .filter(|part| !matches!(*part, "" | "." | ".."))
            .collect();
        let this = whole(from);
        let folder = this.parent()?;
        let above = || {
            let above = folder.ancestors();
            above.take_while(|above| above.starts_with(&self.within))
        };
        let exact = above().find_map(|above| {
            let entire = self.in_any_case(above, parts.iter().copied());
            entire.or_else(|| {
                let parts = parts.iter().copied();
                self.in_any_case(above, std::iter::once("include").chain(parts))
            })
        });
        let by_end = || {
            above().find_map(|above| {
                // The name alone would be found too easily in a folder far above.
                let ends = 1..parts.len().saturating_sub(1);
                ends.filter_map(|at| self.in_any_case(above, parts.get(at..)?.iter().copied()))
                    .find(|found| whole(found) != this && self.may_be(found, &parts))
            })
        };
        exact.or_else(named).or_else(by_end)
    }

    /// False if the prefix of the addon that a file is in gives the file another path in the game.
    fn may_be(&self, found: &Path, parts: &[&str]) -> bool {
        let found = whole(found);
        if let Some((prefix, folder)) = self
            .mounts
            .iter()
            .find(|(_, folder)| found.starts_with(folder))
        {
            let below = parts_of(&found.strip_prefix(folder).unwrap_or(&found).shown());
            let place = prefix.iter().chain(&below);
            return place.eq(parts
                .iter()
                .map(|part| part.to_lowercase())
                .collect::<Vec<_>>()
                .iter());
        }
        let addon = found
            .ancestors()
            .skip(1)
            .take_while(|above| above.starts_with(&self.within))
            .find_map(|above| Some((above, addon::prefix_of(above)?)));
        let Some((folder, prefix)) = addon else {
            return true;
        };
        let below = found.strip_prefix(folder).unwrap_or(&found);
        let below = below
            .components()
            .map(|part| part.as_os_str().to_string_lossy());
        let place: Vec<String> = prefix
            .split(['\\', '/'])
            .filter(|part| !part.is_empty())
            .map(str::to_lowercase)
            .chain(below.map(|part| part.to_lowercase()))
            .collect();
        place.iter().eq(parts
            .iter()
            .map(|part| part.to_lowercase())
            .collect::<Vec<_>>()
            .iter())
    }

    /// A file below a folder, whatever the case of the letters in its path. The exact name comes
    /// first, then the first one in the order of the alphabet.
    fn in_any_case<'p>(
        &self,
        folder: &Path,
        parts: impl Iterator<Item = &'p str>,
    ) -> Option<PathBuf> {
        let mut at = folder.to_owned();
        for part in parts {
            let next = at.join(part);
            at = match matches!(part, "" | "." | "..") || next.symlink_metadata().is_ok() {
                true => next,
                false => {
                    let name = self.names(&at).get(&part.to_lowercase())?.clone();
                    at.join(name)
                }
            };
        }
        at.is_file().then_some(at)
    }

    /// The names in a folder, by their lower case.
    fn names(&self, folder: &Path) -> Arc<BTreeMap<String, OsString>> {
        let read = || {
            let entries = std::fs::read_dir(match folder.as_os_str().is_empty() {
                true => Path::new("."),
                false => folder,
            });
            let mut names = BTreeMap::new();
            for entry in entries.into_iter().flatten().flatten() {
                let name = entry.file_name();
                let lower = name.to_string_lossy().to_lowercase();
                let first = names.entry(lower).or_insert_with(|| name.clone());
                if name < *first {
                    *first = name;
                }
            }
            Arc::new(names)
        };
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders
            .entry(folder.to_owned())
            .or_insert_with(read)
            .clone()
    }
}

/// The parts of a path in the game, in lower case.
fn parts_of(path: &str) -> Vec<String> {
    path.split(['\\', '/'])
        .filter(|part| !part.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The whole path of a file or folder, without links; the path itself if there is none.
fn whole(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    refit_base::path::canonical(path).unwrap_or_else(|_| path.to_owned())
}

/// True for the name of a text of a config that the games, or their tools, read without a compiler.
pub(super) fn is_text_config(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(
        &*name,
        "config.cpp" | "model.cfg" | "mission.sqm" | "description.ext"
    ) || [".rvmat", ".bisurf", ".bikb", ".fsm"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Reads the text of an included file.
fn text_of(found: &Path) -> Result<(String, String)> {
    let read = || {
        let (file, _) = open_regular(found)?;
        let mut bytes = Vec::new();
        file.take(LONGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|e| Error::io(found, e))?;
    if bytes.len() as u64 > LONGEST {
        return Err(Error::say("more than 16 MB: not the text of a config").in_file(found.shown()));
    }
    let text = decoded(&bytes)
        .map_err(|e| e.in_file(found.shown()))?
        .into_owned();
    Ok((found.shown(), text))
}
