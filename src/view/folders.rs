//! The folders of this machine, in which the page lets a person choose: what to open, and the file
//! of a key.

use super::questions::Query;
use refit_base::{
    path::Shown,
    tree::{is_project, is_tree},
    wire::{Error, Result},
};
use serde_json::{Value, json};
use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

/// Most folders and files of a list, and most entries of a folder that are looked at to tell what
/// it is.
const LISTED: usize = 2_000;
const LOOKED_AT: usize = 300;

/// Answers `api/folder`: a folder, or where the folders of this machine begin.
pub(super) fn answer(query: &Query) -> Result<Value> {
    match query.get("path") {
        Some(path) => listed(Path::new(path)),
        None => Ok(roots()),
    }
}

/// The nearest folder above a path that is not there; `None` for a path that is there.
pub(super) fn near(path: &Path) -> Option<&Path> {
    let is_missing = path.is_absolute() && !path.try_exists().unwrap_or(true);
    let mut above = path.ancestors().skip(1).filter(|_| is_missing);
    above.find(|above| above.is_dir())
}

/// What a folder is, for its icon: a project, a tree, a game or an addon; `None` for any other.
pub(super) fn kind(folder: &Path) -> Option<&'static str> {
    if is_project(folder) {
        return Some("project");
    }
    if is_tree(folder) {
        return Some("tree");
    }
    let entries = || {
        let entries = fs::read_dir(folder).ok().into_iter().flatten();
        entries.filter_map(|entry| entry.ok()).take(LOOKED_AT)
    };
    let is = |name: &OsStr, wanted: &[&str]| {
        let name = name.to_string_lossy().to_ascii_lowercase();
        wanted.iter().any(|end| name.ends_with(end))
    };
    let has_archives = entries().any(|entry| is(&entry.file_name(), &[".zbd", ".pbo"]));
    let is_zbd =
        |name: &OsStr| name.eq_ignore_ascii_case("zbd") || name.eq_ignore_ascii_case("addons");
    let has_folder = || entries().any(|entry| is_zbd(&entry.file_name()) && entry.path().is_dir());
    (has_archives || has_folder()).then_some("game")
}

/// The folders and the files of a folder that refit may open.
fn listed(folder: &Path) -> Result<Value> {
    let unreadable = |e: std::io::Error| Error::say(e.to_string()).in_file(folder.shown());
    let folder = std::path::absolute(folder).map_err(unreadable)?;
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(&folder).map_err(unreadable)?.take(LISTED) {
        let Ok(entry) = entry else { continue };
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        // Paths in a text are Unicode; hidden folders are not games.
        if path.to_str().is_none() || name.starts_with('.') {
            continue;
        }
        let row = |kind| json!({ "name": name, "path": path.shown(), "kind": kind });
        match path.is_dir() {
            true => folders.push((name.to_lowercase(), row(kind(&path)))),
            false => files.push((name.to_lowercase(), row(None))),
        }
    }
    let sorted = |mut rows: Vec<(String, Value)>| {
        rows.sort_by(|(a, _), (b, _)| a.cmp(b));
        rows.into_iter().map(|(_, row)| row).collect::<Vec<_>>()
    };
    Ok(json!({
        "path": folder.shown(),
        "parent": folder.parent().map(|parent| parent.shown()),
        "kind": kind(&folder),
        "folders": sorted(folders),
        "files": sorted(files),
    }))
}

/// Where the folders of this machine begin: the user's own, and the drives.
fn roots() -> Value {
    let home = ["HOME", "USERPROFILE"]
        .into_iter()
        .find_map(std::env::var_os);
    let drives: Vec<PathBuf> = match cfg!(windows) {
        true => ('A'..='Z')
            .map(|letter| format!("{letter}:\\").into())
            .collect(),
        false => vec!["/".into()],
    };
    let all = home.map(PathBuf::from).into_iter().chain(drives);
    let row = |path: PathBuf| json!({ "name": path.shown(), "path": path.shown(), "kind": null });
    let folders: Vec<Value> = all.filter(|path| path.is_dir()).map(row).collect();
    json!({ "path": null, "parent": null, "kind": null, "folders": folders, "files": [] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_say_what_they_are() {
        let dir = tempfile::tempdir().unwrap();
        for made in ["game/ZBD", "mods/Addons", "archives", "other", ".hidden"] {
            fs::create_dir_all(dir.path().join(made)).unwrap();
        }
        fs::write(dir.path().join("archives/A.ZBD"), "").unwrap();
        fs::write(dir.path().join("a.zbd"), "").unwrap();
        let list = listed(dir.path()).unwrap();
        let rows = |key: &str| {
            let rows = list[key].as_array().unwrap().iter();
            rows.map(|row| (row["name"].as_str().unwrap(), row["kind"].as_str()))
                .collect::<Vec<_>>()
        };
        let game = Some("game");
        assert_eq!(
            rows("folders"),
            [
                ("archives", game),
                ("game", game),
                ("mods", game),
                ("other", None)
            ]
        );
        assert_eq!(rows("files"), [("a.zbd", None)]);
        assert_eq!(list["kind"], "game");
        assert!(listed(&dir.path().join("nowhere")).is_err());
        assert!(!roots()["folders"].as_array().unwrap().is_empty());
    }

    #[test]
    fn the_nearest_folder_of_a_misspelt_path_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let there = dir.path().join("game");
        fs::create_dir_all(&there).unwrap();
        assert_eq!(near(&there.join("zdb/m1")), Some(&*there));
        assert_eq!(near(&dir.path().join("gmae")), Some(dir.path()));
        assert_eq!(near(&there), None);
        assert_eq!(near(Path::new("zbd/m1")), None);
    }
}
