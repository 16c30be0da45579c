//! A game's folder or a project, and what works on whole folders.

use crate::{
    document,
    error::raise,
    work::{self, Reporter},
};
use pyo3::{prelude::*, types::PyBytes};
use refit::{
    Error, ErrorKind, Result,
    mods::{self, ModdedGame, Prefer},
    project::Project,
    tree::Replace,
    view::{Query, View},
    workbench::{self, Options, mods::MakeMod, unpack::Unpacking},
};
use std::{path::PathBuf, sync::Arc};

/// See `refit.Game`. It answers the questions of the page of `refit view` (`src/view/PROTOCOL.md`).
#[pyclass(frozen, module = "pyrefit._refit")]
pub struct Game {
    view: Arc<View>,
    #[pyo3(get)]
    path: PathBuf,
}

fn prefer(word: Option<&str>) -> Result<Prefer> {
    match word {
        None => Ok(Prefer::None),
        Some("first") => Ok(Prefer::First),
        Some("last") => Ok(Prefer::Last),
        Some(other) => Err(Error::say(format!(
            "prefer is \"first\" or \"last\", not {other:?}"
        ))),
    }
}

#[pymethods]
impl Game {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        let reporter = Reporter::new(progress);
        let (folder, to) = (path.clone(), reporter.clone());
        let view = work::run(py, move |_| {
            View::open(&folder, None, Options::default(), &*to).map_err(|e| e.about(&folder))
        });
        let view = reporter.end(py, view)?;
        Ok(Game {
            view: Arc::new(view),
            path,
        })
    }

    /// The answer to a question: objects, or bytes.
    fn ask<'py>(
        &self,
        py: Python<'py>,
        question: String,
        query: Option<Query>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let view = self.view.clone();
        let answer = work::run(py, move |_| {
            view.answer(&question, &query.unwrap_or_default())
        })?;
        match std::str::from_utf8(&answer.body) {
            Ok(text) if answer.kind == "application/json" => document::objects(py, text),
            _ => Ok(PyBytes::new(py, &answer.body).into_any()),
        }
    }

    /// The texture packages that a file sees.
    fn packages_of(&self, py: Python<'_>, number: usize) -> PyResult<Vec<PathBuf>> {
        let found = self.view.packages_of(number).map_err(|e| raise(py, &e))?;
        Ok(found.into_iter().map(PathBuf::from).collect())
    }

    /// The path of a file, or of its tree.
    fn path_of(&self, py: Python<'_>, number: usize) -> PyResult<PathBuf> {
        self.view
            .path_of(number)
            .map(PathBuf::from)
            .map_err(|e| raise(py, &e))
    }

    /// Applies mods; returns the result for each file.
    fn apply(
        &self,
        py: Python<'_>,
        paths: Vec<PathBuf>,
        prefer: Option<&str>,
        force: bool,
    ) -> PyResult<Vec<(String, String)>> {
        let prefer = self::prefer(prefer).map_err(|e| raise(py, &e))?;
        let root = self.path.clone();
        work::write(py, move || {
            let new = paths
                .iter()
                .map(|path| mods::load(path).map_err(|e| e.about(path)))
                .collect::<Result<_>>()?;
            let mut game = ModdedGame::open(&root, false)?;
            let plan = game.plan_apply(new, prefer)?;
            let open = plan.open_conflicts();
            if open > 0 || plan.unplaced() > 0 {
                let first = plan
                    .files
                    .iter()
                    .find(|file| !file.conflicts.is_empty() || !file.unplaced.is_empty());
                let first = first.map_or_else(String::new, |file| {
                    format!(" (the first one in {})", file.path)
                });
                let what = format!(
                    "{open} conflicts, and {} changes without a place{first}",
                    plan.unplaced()
                );
                return Err(
                    Error::say(what).hint("`refit mod apply` shows them; nothing was written")
                );
            }
            carry_out(&mut game, plan, "apply", force)
        })
    }

    /// Removes applied mods by their names.
    fn remove(
        &self,
        py: Python<'_>,
        names: Vec<String>,
        force: bool,
    ) -> PyResult<Vec<(String, String)>> {
        let root = self.path.clone();
        work::write(py, move || {
            let mut game = ModdedGame::open(&root, false)?;
            let plan = game.plan_remove(&names)?;
            carry_out(&mut game, plan, "remove", force)
        })
    }

    /// Puts the edits of this project into a game's folder; returns the new files.
    fn repack(
        &self,
        py: Python<'_>,
        game: PathBuf,
        force: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<PathBuf>> {
        let reporter = Reporter::new(progress);
        let (root, to) = (self.path.clone(), reporter.clone());
        let done = work::write(py, move || {
            let project = Project::open(&root)?;
            let options = Options {
                force,
                ..Options::default()
            };
            let done = workbench::project::repack(&project, &game, &options, &*to)?;
            Ok(done
                .built
                .into_iter()
                .filter_map(|built| built.file)
                .collect())
        });
        reporter.end(py, done)
    }
}

fn carry_out(
    game: &mut ModdedGame,
    plan: mods::Plan,
    what: &str,
    force: bool,
) -> Result<Vec<(String, String)>> {
    let rows = plan
        .files
        .iter()
        .map(|file| {
            (
                file.path.clone(),
                format!("{:?}", file.outcome).to_lowercase(),
            )
        })
        .collect();
    game.carry_out(plan, what, force)?;
    Ok(rows)
}

/// Unpacks a game into a project; returns the number of trees.
#[pyfunction]
pub fn unpack(
    py: Python<'_>,
    game: PathBuf,
    project: PathBuf,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<usize> {
    let reporter = Reporter::new(progress);
    let to = reporter.clone();
    let done = work::write(py, move || {
        let options = Options {
            force,
            ..Options::default()
        };
        let done = workbench::unpack::project(
            &game,
            &project,
            Unpacking::default(),
            false,
            &options,
            &*to,
        )?;
        Ok(done.trees)
    });
    reporter.end(py, done)
}

/// Restores the originals of a game's folder or of a file; returns the files.
#[pyfunction]
pub fn restore(
    py: Python<'_>,
    path: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<PathBuf>> {
    let reporter = Reporter::new(progress);
    let to = reporter.clone();
    let done = work::write(py, move || {
        let done = workbench::restore::restore(&path, &Options::default(), &*to)?;
        let removed = done.removed.into_iter().map(|(file, _)| file);
        Ok(done
            .restored
            .into_iter()
            .map(|(original, _)| original.file)
            .chain(removed)
            .collect())
    });
    reporter.end(py, done)
}

/// Makes a mod from two states of a file, a tree or a folder; returns the number of changes.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each is an argument in Python")]
pub fn make_mod(
    py: Python<'_>,
    output: PathBuf,
    original: PathBuf,
    edited: Option<PathBuf>,
    name: &str,
    version: &str,
    author: &str,
    about: &str,
    license: &str,
    force: bool,
) -> PyResult<usize> {
    let stem = output
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    let make = MakeMod {
        original,
        edited,
        name: if name.is_empty() {
            stem
        } else {
            name.to_owned()
        },
        version: version.to_owned(),
        author: author.to_owned(),
        about: about.to_owned(),
        license: license.to_owned(),
        delete_missing: false,
        bases: Vec::new(),
    };
    let reporter = Reporter::new(None);
    let to = reporter.clone();
    let done = work::write(py, move || {
        if output.extension().is_none() {
            return Err(Error::say("a mod is called NAME.refitmod")
                .of_kind(ErrorKind::Invalid)
                .about(&output));
        }
        let made = make.run(&Options::default(), &*to)?;
        mods::save(&made, &output, Replace::new(force))?;
        Ok(made.weight())
    });
    reporter.end(py, done)
}
