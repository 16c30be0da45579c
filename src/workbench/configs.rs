//! Compiles texts of configs, with the files that they include.

use crate::{
    path::Shown,
    tree::disk::open_regular,
    wire::{Error, Result, utf8},
};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// Longest included file, in bytes.
const LONGEST: u64 = 16 << 20;

/// Finds an included file and reads it.
///
/// A name is relative to the folder of the including file. With a leading `\` it is a path in the game, such as
/// `\z\lab\addons\main\script_macros.hpp`: its end is searched in the folders above the file, so that a repository of
/// addons needs no separate drive.
pub(super) fn include(from: &Path, name: &str) -> Result<(String, String)> {
    let path = name.replace('\\', "/");
    let folder = from.parent().unwrap_or(Path::new(""));
    let found = match path.strip_prefix('/') {
        None => Some(folder.join(&path)).filter(|path| path.is_file()),
        Some(inside) => in_folders_above(folder, inside),
    };
    let Some(found) = found else {
        return Err(Error::say("there is no such file").hint("names are relative to the file, or begin with \\"));
    };
    let read = || {
        let (file, _) = open_regular(&found)?;
        let mut bytes = Vec::new();
        file.take(LONGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|e| Error::io(&found, e))?;
    if bytes.len() as u64 > LONGEST {
        return Err(Error::say("more than 16 MB: not the text of a config").in_file(found.shown()));
    }
    let text = utf8(&bytes).map_err(|e| e.in_file(found.shown()))?.to_owned();
    Ok((found.shown(), text))
}

fn in_folders_above(folder: &Path, path: &str) -> Option<PathBuf> {
    let whole = crate::path::canonical(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }).ok()?;
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    whole.ancestors().find_map(|above| {
        let ends =
            (0..parts.len()).map(|from| above.join(parts.get(from..).unwrap_or_default().iter().collect::<PathBuf>()));
        // The name alone would be found too easily in a folder far above.
        ends.take(parts.len().saturating_sub(1).max(1)).find(|path| path.is_file())
    })
}
