//! What the server holds between calls: the opened folders, pages and plans.

use crate::{
    folders::Folders,
    pages::Pages,
    place::{Place, options},
    plans::Plans,
};
use refit_base::{
    path::Shown,
    tree::{check_inside_path, disk, disk::together, is_project},
    wire::{Error, ErrorKind, Result},
};
use refit_session::Session;
use refit_view::{Query, View};
use refit_workbench::{IndexCache, Quiet, names};
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

/// Most bytes of a file that an edit takes.
pub(crate) const LARGEST: u64 = 96 << 20;

/// The folders, and what was found in them.
pub(crate) struct Desk {
    pub folders: Folders,
    pub read_only: bool,
    pub pages: Pages,
    pub plans: Plans,
    /// The opened folders, by their paths and the projects whose edits they show.
    views: HashMap<ViewKey, View>,
}

/// The folder of a view, and the project whose edits it shows.
type ViewKey = (PathBuf, Option<PathBuf>);

fn key_of(place: &Place) -> ViewKey {
    match (&place.game, place.is_project) {
        (Some(game), true) => (game.clone(), Some(place.path.clone())),
        _ => (place.path.clone(), None),
    }
}

fn closed() -> Error {
    Error::say("this folder was closed")
}

/// The lists in an answer of the page, which become rows; the other fields stay.
pub(crate) fn split(mut answer: Value, lists: &[&str]) -> (Value, Vec<Value>) {
    let mut rows = Vec::new();
    for list in lists {
        let found = answer
            .as_object_mut()
            .and_then(|fields| fields.remove(*list));
        if let Some(Value::Array(mut found)) = found {
            rows.append(&mut found);
        }
    }
    (answer, rows)
}

/// Replaces the numbers of files by their paths.
pub(crate) fn with_paths(rows: &mut [Value], paths: &[String]) {
    for row in rows {
        let number = row.get("file").and_then(Value::as_u64);
        let path = number.and_then(|number| paths.get(usize::try_from(number).ok()?));
        if let (Some(path), Some(fields)) = (path, row.as_object_mut()) {
            fields.insert("file".to_owned(), path.as_str().into());
        }
    }
}

/// The paths of the files of a view, by their numbers.
pub(crate) fn paths_of(view: &View) -> Result<Vec<String>> {
    let (_, rows) = split(ask(view, "opened", &[])?, &["files"]);
    let mut paths = Vec::new();
    for row in rows {
        let number = row["number"]
            .as_u64()
            .and_then(|number| usize::try_from(number).ok());
        let number = number.ok_or_else(|| Error::say("a file has no number"))?;
        if paths.len() <= number {
            paths.resize(number.saturating_add(1), String::new());
        }
        if let (Some(place), Some(path)) = (paths.get_mut(number), row["path"].as_str()) {
            path.clone_into(place);
        }
    }
    Ok(paths)
}

fn missing(file: &str, place: &Place) -> Error {
    Error::say(format!(
        "there is no such file in the folder {:?}",
        place.name
    ))
    .in_file(file)
    .hint("the tool `list` has the files")
    .of_kind(ErrorKind::NoMember)
}

impl Desk {
    pub fn new(folders: Folders, read_only: bool) -> Self {
        Desk {
            folders,
            read_only,
            pages: Pages::default(),
            plans: Plans::default(),
            views: HashMap::new(),
        }
    }

    /// The folder with this name, or the usual one.
    ///
    /// # Errors
    /// If there is none, or if work on it could leave the named folders.
    pub fn place(&self, name: Option<&str>) -> Result<Place> {
        let folder = self.folders.named(name)?.clone();
        self.folders.check(&folder.path)?;
        let game = match folder.is_project {
            true => self.folders.game_of(&folder.path)?,
            false => Some(folder.path.clone()),
        };
        if let Some(game) = game.as_ref().filter(|game| **game != folder.path) {
            self.folders.check(game)?;
        }
        // Reading the list of edits would finish it.
        if self.read_only && folder.is_project && together::is_begun(&folder.path) {
            return Err(Error::say("an edit of this project was interrupted")
                .in_file(folder.path.shown())
                .hint("`refit changes PROJECT` finishes it"));
        }
        Ok(Place {
            name: folder.name,
            path: folder.path,
            game,
            is_project: folder.is_project,
        })
    }

    /// The same for a call that needs a project.
    pub fn project(&self, name: Option<&str>) -> Result<(Place, Session)> {
        let place = self.place(name)?;
        if !place.is_project {
            return Err(Error::say("not a project, so nothing in it can be edited")
                .in_file(place.path.shown())
                .hint("the tool `begin` makes a project of a game"));
        }
        let session = Session::open(&place.path)?;
        Ok((place, session))
    }

    /// The same for a call that works on a game.
    pub fn game(&self, name: Option<&str>) -> Result<(Place, PathBuf)> {
        let place = self.place(name)?;
        let game = place.game()?.to_owned();
        Ok((place, game))
    }

    /// The files of a folder; of a project those of its game, edited where they are edited.
    pub fn view(&mut self, place: &Place) -> Result<&View> {
        self.opened(key_of(place))
    }

    /// The files of a folder; of a project only those that have a tree there. `None` for a project
    /// without trees.
    pub fn own_view(&mut self, place: &Place) -> Result<Option<&View>> {
        let paths = [place.path.clone()];
        if place.is_project && names::items(&paths, &options(), &Quiet)?.is_empty() {
            return Ok(None);
        }
        self.opened((place.path.clone(), None)).map(Some)
    }

    fn opened(&mut self, key: ViewKey) -> Result<&View> {
        if !self.views.contains_key(&key) {
            let mut options = options();
            options.within = Some(key.0.clone());
            let is_whole = is_project(&key.0).then_some(&key.0);
            if let Some(project) = key.1.as_ref().or(is_whole).filter(|_| !self.read_only) {
                options.index_cache = IndexCache::In(project.join(".refit/index"));
            }
            let view = View::open(&key.0, None, options, &Quiet)?;
            self.views.insert(key.clone(), view);
        }
        let view = self.views.get(&key).ok_or_else(closed)?;
        view.edited(key.1);
        Ok(view)
    }

    /// A view with a file, and the number of the file there.
    pub fn file(&mut self, place: &Place, file: &str) -> Result<(&View, usize)> {
        let mut key = key_of(place);
        let mut number = self.view(place)?.number_of(file);
        if number.is_none() && place.is_project {
            // A file that the project adds to the game.
            key = (place.path.clone(), None);
            number = self.own_view(place)?.and_then(|view| view.number_of(file));
        }
        let number = number.ok_or_else(|| missing(file, place))?;
        Ok((self.views.get(&key).ok_or_else(closed)?, number))
    }

    /// The answer of the page to `question` of the number of a file.
    pub fn ask_of(
        &mut self,
        folder: Option<&str>,
        file: &str,
        question: impl Fn(usize) -> String,
    ) -> Result<Value> {
        let place = self.place(folder)?;
        let (view, number) = self.file(&place, file)?;
        ask(view, &question(number), &[])
    }

    /// The view with the bytes of a file, which for a project are those in its game, and the number
    /// of the file there.
    pub fn stored(&mut self, place: &Place, file: &str) -> Result<(&View, usize)> {
        let root = place.game.as_ref().unwrap_or(&place.path);
        let view = self.opened((root.clone(), None))?;
        let number = view.number_of(file).ok_or_else(|| missing(file, place))?;
        Ok((view, number))
    }

    /// Rows of a question about all files of a folder, with the paths of the files at `key`; for a
    /// project those of its game, and then those of the files that it adds.
    pub fn of_all(
        &mut self,
        place: &Place,
        (question, query): (&str, &[(&str, Option<&str>)]),
        lists: &[&str],
        key: &str,
    ) -> Result<(Value, Vec<Value>)> {
        let view = self.view(place)?;
        let paths = paths_of(view)?;
        let (head, mut rows) = split(ask(view, question, query)?, lists);
        with_paths(&mut rows, &paths);
        if place.is_project
            && place.game.is_some()
            && let Some(own) = self.own_view(place)?
        {
            let known: HashSet<&String> = paths.iter().collect();
            let own_paths = paths_of(own)?;
            let (_, mut more) = split(ask(own, question, query)?, lists);
            with_paths(&mut more, &own_paths);
            more.retain(|row| {
                row[key]
                    .as_str()
                    .is_some_and(|path| !known.contains(&path.to_owned()))
            });
            rows.append(&mut more);
        }
        Ok((head, rows))
    }

    /// The content of a file in one of the folders, `FOLDER/PATH`.
    ///
    /// # Errors
    /// If it is not there, too large, or no regular file.
    pub fn content(&self, spelled: &str) -> Result<Vec<u8>> {
        let path = self.folders.place(spelled)?;
        let meta = path.metadata().map_err(|e| Error::io(&path, e))?;
        if meta.len() > LARGEST {
            return Err(Error::say("larger than 96 MiB").in_file(spelled));
        }
        Ok(disk::read(&path)?.to_vec())
    }

    /// The path for a new file or folder, `FOLDER/PATH`.
    ///
    /// # Errors
    /// If it is in no folder, or among the files of a game, which only plans change.
    pub fn new_place(&mut self, spelled: &str) -> Result<PathBuf> {
        let path = self.folders.place(spelled)?;
        let name = spelled.split('/').next();
        let folder = self.place(name)?;
        let is_game = !folder.is_project
            && match self.view(&folder) {
                Ok(view) => ask(view, "opened", &[])?["what"] == "game",
                // It has no files that refit knows.
                Err(_) => false,
            };
        match is_game {
            true => Err(Error::say("this folder has the files of a game")
                .in_file(spelled)
                .hint("name a place in another folder")),
            false => Ok(path),
        }
    }

    /// Forgets the files of a folder that changed beyond what its view would notice.
    pub fn close(&mut self, root: &Path) {
        self.views.retain(|(own, _), _| own != root);
    }
}

/// A question of the page about a file or a folder, with its answer as JSON.
pub(crate) fn ask(view: &View, question: &str, query: &[(&str, Option<&str>)]) -> Result<Value> {
    let answer = view.answer(question, &query_of(query))?;
    serde_json::from_slice(&answer.body).map_err(|e| Error::say(format!("internal error: {e}")))
}

/// The query of a question; what is `None` is left out.
pub(crate) fn query_of(pairs: &[(&str, Option<&str>)]) -> Query {
    let given = pairs
        .iter()
        .filter_map(|(key, value)| Some(((*key).to_owned(), (*value)?.to_owned())));
    given.collect()
}

/// Fails for a path that is not below a folder.
pub(crate) fn inside(path: &str) -> Result<()> {
    check_inside_path(path).map(drop)
}
