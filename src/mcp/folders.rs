//! The folders that the server was started with, and the proof that a call stays in them.

use refit_base::{
    path::{self, Shown},
    tree::{check_inside_path, disk::together, is_project, is_tree},
    wire::{Error, Result},
};
use refit_mods as mods;
use refit_session::Session;
use std::path::{Path, PathBuf};

/// A folder that tools may use.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    /// The name for arguments.
    pub name: String,
    /// Its absolute path, without links.
    pub path: PathBuf,
    /// True for a project.
    pub is_project: bool,
}

/// The folders that tools may use: games, projects, and folders of files.
#[derive(Clone, Debug)]
pub struct Folders(Vec<Folder>);

impl Folders {
    /// The folders at these paths.
    ///
    /// # Errors
    /// If one of them is missing, is no folder, belongs to a project or a game with mods around it,
    /// or is a project whose game is not in one of them.
    pub fn open(paths: &[PathBuf]) -> Result<Self> {
        let mut folders = Folders(Vec::new());
        for path in paths {
            if !path.exists() {
                return Err(Error::missing(path.shown()));
            }
            let whole = path::canonical(path).map_err(|e| Error::io(path, e))?;
            if !whole.is_dir() {
                return Err(Error::say("not a folder")
                    .in_file(path.shown())
                    .hint("name the folder of the file"));
            }
            folders.add(&whole);
        }
        for folder in &folders.0 {
            folders.check(&folder.path)?;
            if folder.is_project {
                folders.game_of(&folder.path)?;
            }
        }
        Ok(folders)
    }

    /// Adds a folder, with a name that no other one has. Returns the name.
    pub(crate) fn add(&mut self, whole: &Path) -> String {
        if let Some(known) = self.0.iter().find(|folder| folder.path == whole) {
            return known.name.clone();
        }
        let own = whole.file_name().map_or_else(
            || "root".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        let is_free = |name: &String| self.0.iter().all(|folder| folder.name != *name);
        let numbered = (2_usize..).map(|number| format!("{own}-{number}"));
        let mut names = std::iter::once(own.clone()).chain(numbered);
        let name = names.find(is_free).unwrap_or(own);
        self.0.push(Folder {
            name: name.clone(),
            path: whole.to_owned(),
            is_project: is_project(whole),
        });
        name
    }

    /// All folders, in the order in which they were named.
    pub(crate) fn all(&self) -> &[Folder] {
        &self.0
    }

    /// The folder with this name. Without a name: the only project, or else the only folder.
    ///
    /// # Errors
    /// If there is no such folder, or several for no name.
    pub(crate) fn named(&self, name: Option<&str>) -> Result<&Folder> {
        let names = || {
            let all: Vec<&str> = self.0.iter().map(|folder| folder.name.as_str()).collect();
            all.join(", ")
        };
        let Some(name) = name else {
            let mut projects = self.0.iter().filter(|folder| folder.is_project);
            return match (projects.next(), projects.next(), self.0.as_slice()) {
                (Some(one), None, _) | (None, _, [one]) => Ok(one),
                _ => Err(Error::say("`folder` is missing").hint(format!("one of {}", names()))),
            };
        };
        let found = self.0.iter().find(|folder| folder.name == name);
        found.ok_or_else(|| {
            Error::say(format!("there is no folder {name:?}"))
                .hint(format!("the folders are {}", names()))
        })
    }

    /// True for a path in one of the folders, after all links.
    pub(crate) fn contain(&self, path: &Path) -> bool {
        path::whole(path)
            .is_ok_and(|whole| self.0.iter().any(|folder| whole.starts_with(&folder.path)))
    }

    /// An error if work on this folder could leave the named folders: by a link in it, or because
    /// refit treats it as a part of something above it.
    pub(crate) fn check(&self, root: &Path) -> Result<()> {
        for above in root.ancestors().skip(1) {
            let what = if is_project(above) {
                "a project"
            } else if is_tree(above) {
                "an unpacked tree"
            } else if above.join(mods::STATE).exists() {
                "a game with mods"
            } else if together::is_begun(above) {
                "a folder in which a refit is at work, or was interrupted"
            } else {
                continue;
            };
            if !self.contain(above) {
                return Err(Error::say(format!("inside of {what}, which is not named"))
                    .in_file(root.shown())
                    .hint(format!("start the server with {}", above.shown())));
            }
        }
        let entries = walkdir::WalkDir::new(root).into_iter();
        for entry in entries.filter_map(std::result::Result::ok) {
            if entry.path_is_symlink() && !self.contain(entry.path()) {
                return Err(Error::say("a link that leads out of the named folders")
                    .in_file(entry.path().shown())
                    .hint("remove it, or start the server with its target, too"));
            }
        }
        Ok(())
    }

    /// The game of a project; `None` if this machine does not have it.
    ///
    /// # Errors
    /// If the game is not in the named folders.
    pub(crate) fn game_of(&self, project: &Path) -> Result<Option<PathBuf>> {
        let Ok(game) = Session::open(project)?.game() else {
            return Ok(None);
        };
        let whole = path::canonical(&game).map_err(|e| Error::io(&game, e))?;
        match self.contain(&whole) {
            true => Ok(Some(whole)),
            false => Err(Error::say("the game of this project is not named")
                .in_file(project.shown())
                .hint(format!("start the server with {}, too", whole.shown()))),
        }
    }

    /// The path for `FOLDER/PATH`, an existing or a new file in one of the folders.
    ///
    /// # Errors
    /// If it is anything else, or leads out of the folder.
    pub(crate) fn place(&self, spelled: &str) -> Result<PathBuf> {
        let split = spelled.split_once('/');
        let (name, below) = split.ok_or_else(|| {
            Error::say(format!("{spelled:?} is no file of a folder"))
                .hint("FOLDER/PATH, with a folder of the tool `folders`")
        })?;
        let folder = self.named(Some(name))?;
        let path = folder.path.join(check_inside_path(below)?);
        match self.contain(&path) {
            true => Ok(path),
            false => Err(Error::say("this path leads out of the named folders").in_file(spelled)),
        }
    }
}
