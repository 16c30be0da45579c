//! Compiles texts of configs, with the files that they include.

use refit_base::{
    path::Shown,
    tree::disk::open_regular,
    wire::{Error, Result},
};
use refit_bohemia::rap::decoded;
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// Longest included file, in bytes.
const LONGEST: u64 = 16 << 20;

/// Files and folders that only the root of a repository has.
const ROOT_MARKS: [&str; 4] = [".git", ".hg", ".svn", ".hemtt"];

/// Finds the files that one text of a config includes.
pub(super) struct Includes {
    /// Nothing is read outside of this folder: a config from elsewhere must not take files of its
    /// reader along.
    within: PathBuf,
}

impl Includes {
    /// For the text at `path` and what it includes.
    ///
    /// Files are found in the repository of the text. Where there is no repository, they are found
    /// in all folders above the text but the root of the file system, and the user's folder with
    /// those above it.
    pub(super) fn of(path: &Path) -> Self {
        let folder = whole(path.parent().unwrap_or(Path::new("")));
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
            .unwrap_or(&folder)
            .to_owned();
        Includes { within }
    }

    /// Finds an included file and reads it.
    ///
    /// A name is relative to the folder of the including file. With a leading `\` it is a path in
    /// the game, such as `\z\lab\addons\main\script_macros.hpp`: its end is searched in the folders
    /// above the file, so that a repository of addons needs no separate drive.
    pub(super) fn read(&self, from: &Path, name: &str) -> Result<(String, String)> {
        let path = name.replace('\\', "/");
        let folder = from.parent().unwrap_or(Path::new(""));
        let found = match path.strip_prefix('/') {
            None => Some(folder.join(&path)).filter(|path| path.is_file()),
            Some(inside) => self.in_folders_above(folder, inside),
        };
        let Some(found) = found else {
            return Err(Error::say("there is no such file")
                .hint("names are relative to the file, or begin with \\"));
        };
        if !whole(&found).starts_with(&self.within) {
            return Err(Error::say(format!(
                "the file is outside of {}, which refit reads no files from",
                self.within.shown()
            ))
            .hint("copy it into the folder of the addon"));
        }
        text_of(&found)
    }

    fn in_folders_above(&self, folder: &Path, path: &str) -> Option<PathBuf> {
        let parts: Vec<&str> = path
            .split('/')
            .filter(|part| !matches!(*part, "" | "." | ".."))
            .collect();
        whole(folder)
            .ancestors()
            .take_while(|above| above.starts_with(&self.within))
            .find_map(|above| {
                let ends = (0..parts.len()).map(|from| {
                    above.join(
                        parts
                            .get(from..)
                            .unwrap_or_default()
                            .iter()
                            .collect::<PathBuf>(),
                    )
                });
                // The name alone would be found too easily in a folder far above.
                ends.take(parts.len().saturating_sub(1).max(1))
                    .find(|path| path.is_file())
            })
    }
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
