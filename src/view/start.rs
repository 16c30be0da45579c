//! What `refit view` shows before something is opened: games and projects that were opened before,
//! and the folders of this machine (PROTOCOL.md). The page asks through the same [`Door`], with the
//! same token; nothing is written but the list of what was opened, in refit's cache.

use super::{
    View,
    http::{Answering, Request, Response},
    lock,
    questions::{Answer, PROTOCOL, missing},
    server::{Asks, Door, Guard, Lane, QUIT, answered, path_of, query_of, usual},
};
use bytes::Bytes;
use refit_base::{
    path::Shown,
    tree::{is_project, is_tree},
    wire::{Error, Result},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

/// The start page and its script; the style is that of the page.
const FILES: [(&str, &str, &[u8]); 3] = [
    ("", "text/html; charset=utf-8", refit_page::START),
    (
        "start.js",
        "text/javascript; charset=utf-8",
        refit_page::START_SCRIPT,
    ),
    ("page.css", "text/css; charset=utf-8", refit_page::STYLE),
];

/// The request that opens something.
const OPEN: &str = "api/open";

/// Most bytes of its body: a path.
const MOST: usize = 64 << 10;

/// Most folders and files of a list, and most entries of a folder that are looked at to tell what it
/// is.
const LISTED: usize = 2_000;
const LOOKED_AT: usize = 300;

/// How many games and projects are remembered.
const REMEMBERED: usize = 12;

/// Opens a path that was chosen in the page.
pub type Open = dyn Fn(&Path) -> Result<View> + Send + Sync;

/// Shows the start page until the user has chosen what to open; `None` if the page or `stop` ends
/// it.
///
/// # Errors
/// If the system has no threads left.
pub fn choose(
    door: &Door,
    cache: Option<PathBuf>,
    open: Arc<Open>,
    stop: &dyn Fn() -> bool,
) -> Result<Option<View>> {
    let chosen = Arc::new(Mutex::default());
    let answers = Start {
        guard: door.guard(),
        recent: Recent::new(cache),
        lane: Lane::new()?,
        open,
        chosen: Arc::clone(&chosen),
    };
    door.serve(answers, stop)?;
    let view = lock(&chosen).take();
    Ok(view)
}

/// What answers the requests of the start page.
struct Start {
    guard: Guard,
    recent: Recent,
    lane: Lane,
    open: Arc<Open>,
    chosen: Arc<Mutex<Option<View>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chosen {
    path: PathBuf,
}

impl Start {
    fn found(&self, request: &Request) -> Response {
        let (path, query) = (path_of(&request.target), query_of(&request.target));
        let own = FILES.iter().find(|(name, ..)| *name == path);
        if let Some((_, kind, bytes)) = own {
            return Response::new(200, kind, Bytes::from_static(bytes));
        }
        let folder = || query.get("path").map(PathBuf::from);
        match path {
            QUIT => Response {
                is_last: true,
                ..answered(Ok(Answer::nothing()))
            },
            OPEN => self.opened(&request.body),
            "api/start" => answered(Ok(self.start().into())),
            "api/folder" => answered(
                folder()
                    .map_or_else(|| Ok(roots()), |folder| listed(&folder))
                    .map(Answer::from),
            ),
            _ => answered(Err(missing("nothing here: choose a folder first"))),
        }
    }

    /// Opens what the user has chosen, and ends the start page.
    fn opened(&self, body: &[u8]) -> Response {
        let chosen: std::result::Result<Chosen, _> = serde_json::from_slice(body);
        let path = match chosen {
            Ok(chosen) => chosen.path,
            Err(e) => return answered(Err(Error::say(format!("not a path: {e}")))),
        };
        let (open, at) = (self.open.clone(), path.clone());
        let view = self.lane.run(move || match at.try_exists() {
            Ok(true) => open(&at),
            _ => Err(Error::missing(at.shown())),
        });
        match view {
            Ok(view) => {
                self.recent.add(&path);
                *lock(&self.chosen) = Some(view);
                Response {
                    is_last: true,
                    ..answered(Ok(Answer::nothing()))
                }
            }
            Err(e) => answered(Err(e)),
        }
    }

    fn start(&self) -> Value {
        let here = std::env::current_dir().ok();
        let recent = self.recent.list();
        let row = |path: &PathBuf| json!({ "path": path.shown(), "kind": kind(path) });
        json!({
            "protocol": PROTOCOL,
            "here": here.as_ref().map(row),
            "recent": recent.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

impl Answering for Start {
    fn admit(&self, request: &Request) -> std::result::Result<usize, Response> {
        let (asks, most) = match path_of(&request.target) {
            OPEN => (Asks::Changes, MOST),
            QUIT => (Asks::Ends, 0),
            _ => (Asks::Shows, 0),
        };
        match self.guard.refusal(request, asks) {
            Some((status, why)) => Err(usual(Response::refusal(status, why))),
            None => Ok(most),
        }
    }

    fn answer(&self, request: &Request) -> Response {
        usual(self.found(request))
    }
}

/// What was opened before: a list of absolute paths in refit's cache, the newest first.
pub struct Recent(Option<PathBuf>);

impl Recent {
    /// The list in this folder; without one, nothing is remembered.
    pub fn new(cache: Option<PathBuf>) -> Self {
        Recent(cache.map(|folder| folder.join("recent.json")))
    }

    /// The folders that are still there.
    pub fn list(&self) -> Vec<PathBuf> {
        let text = self.0.as_ref().and_then(|file| fs::read(file).ok());
        let paths: Vec<PathBuf> = text
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default();
        let paths = paths.into_iter().filter(|path| path.is_dir());
        paths.take(REMEMBERED).collect()
    }

    /// Puts a folder first. A list that cannot be written loses nothing but this.
    pub fn add(&self, path: &Path) {
        let (Some(file), true, Ok(path)) = (&self.0, path.is_dir(), std::path::absolute(path))
        else {
            return;
        };
        let mut paths = self.list();
        paths.retain(|other| *other != path);
        paths.insert(0, path);
        paths.truncate(REMEMBERED);
        // A path that is not Unicode has no place in a text.
        paths.retain(|path| path.to_str().is_some());
        if let (Some(folder), Ok(text)) = (file.parent(), serde_json::to_vec_pretty(&paths)) {
            let _ = fs::create_dir_all(folder).and_then(|()| fs::write(file, text));
        }
    }
}

/// What a folder is, for its icon: a project, a tree, a game or an addon; `None` for any other.
fn kind(folder: &Path) -> Option<&'static str> {
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
    fn what_was_opened_is_remembered_once_and_while_it_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let recent = Recent::new(Some(dir.path().join("cache")));
        let folder = |n: usize| dir.path().join(format!("game{n}"));
        for n in (0..20).chain([18]) {
            fs::create_dir_all(folder(n)).unwrap();
            recent.add(&folder(n));
        }
        recent.add(&dir.path().join("nowhere"));
        let list = recent.list();
        assert_eq!(list.len(), REMEMBERED);
        assert_eq!(list[..3], [folder(18), folder(19), folder(17)]);
        fs::remove_dir(folder(19)).unwrap();
        assert_eq!(recent.list()[..2], [folder(18), folder(17)]);
        // A file of another program is no list.
        fs::write(dir.path().join("cache/recent.json"), "{}").unwrap();
        assert!(recent.list().is_empty());
        Recent::new(None).add(&folder(1));
    }

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
}
