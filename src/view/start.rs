//! What `refit view` shows before something is opened: games and projects that were opened before,
//! and the folders of this machine (PROTOCOL.md). The page asks through the same [`Door`], with the
//! same token; nothing is written but the list of what was opened, in refit's cache.

use super::{
    View,
    folders::{self, kind},
    http::{Answering, Request, Response},
    lock,
    questions::{Answer, PROTOCOL, missing, refusal},
    server::{Asks, Door, Guard, Lane, QUIT, answered, path_of, query_of, usual},
};
use bytes::Bytes;
use refit_base::{
    path::Shown,
    wire::{Error, Result},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
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
        match path {
            QUIT => Response {
                is_last: true,
                ..answered(Ok(Answer::nothing()))
            },
            OPEN => self.opened(&request.body),
            "api/start" => answered(Ok(self.start().into())),
            "api/folder" => answered(folders::answer(&query).map(Answer::from)),
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
            _ => Err(Error::say("there is no such folder or file").in_file(at.shown())),
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
            Err(e) => {
                let (status, mut error) = refusal(&e);
                // A misspelt path: the page offers the folder that is there.
                if let Some(near) = folders::near(&path) {
                    error["error"]["near"] = near.shown().into();
                }
                Response::new(status, "application/json", error.to_string().into_bytes())
            }
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
}
