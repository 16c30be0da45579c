//! A file: its documents, its members, its bytes.

use crate::{
    document,
    error::{closed, of_value, raise},
    findings::{FindingRow, finding_rows},
    gltf, hints, text,
    work::{self, Reporter},
};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyString},
};
use refit::{
    Error, ErrorKind, MemberId, Result,
    formats::Form,
    lint::Finding,
    pipeline,
    tree::{Blob, Head, Origin, Sink, Source, Style, TreeWriter, sums::FileSum},
    wire::Cause,
    workbench::{self, Options, open::Loaded},
};
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Smaller files are read and written directly; larger ones in a thread, so that Ctrl+C is noticed.
const SMALL: u64 = 1 << 20;

const JSON: Form = Form::Document(Style::Json);

/// One part of a tree.
#[derive(Clone)]
struct Part {
    content: Blob,
    /// The kind of document.
    kind: Option<&'static str>,
}

/// The tree of a file, in memory. What need not be there stays in the file.
#[derive(Default)]
struct Tree {
    parts: Mutex<BTreeMap<String, Part>>,
    cancelled: work::Cancelled,
    /// True if everything in it was proved: only then may a part be changed.
    proved: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True for refit's own files in a tree.
fn is_own(path: &str) -> bool {
    path.starts_with(".refit/") || path.starts_with(".vscode/") || path == ".gitattributes"
}

impl Tree {
    fn part(&self, path: &str) -> Result<Part> {
        if let Some(part) = lock(&self.parts).get(path).filter(|_| !is_own(path)) {
            return Ok(part.clone());
        }
        let wanted = path.to_lowercase();
        let is_near =
            |other: &&String| other.to_lowercase().starts_with(&wanted) && !wanted.is_empty();
        let near = lock(&self.parts)
            .keys()
            .filter(|other| !is_own(other))
            .find(is_near)
            .cloned();
        let error = Error::say(format!("there is no document {path:?}"))
            .of_kind(ErrorKind::NoMember)
            .within(path);
        Err(match near {
            Some(near) => error.hint(format!("did you mean {near:?}?")),
            None => error,
        })
    }

    fn add(&self, path: &str, content: Blob) {
        let mut parts = lock(&self.parts);
        match parts.get_mut(path) {
            Some(part) => part.content = content,
            None => {
                _ = parts.insert(
                    path.to_owned(),
                    Part {
                        content,
                        kind: None,
                    },
                )
            }
        }
    }
}

impl Sink for Tree {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.cancelled.check()?;
        self.add(path, Blob::Memory(bytes.to_vec().into()));
        Ok(())
    }
    fn put_blob(&self, path: &str, blob: &Blob) -> Result<Option<FileSum>> {
        self.cancelled.check()?;
        self.add(path, blob.clone());
        Ok(None)
    }
    fn sums(&self) -> bool {
        false
    }
    fn document(&self, path: &str, kind: &'static str) {
        let mut parts = lock(&self.parts);
        let empty = || Part {
            content: Blob::Memory(bytes::Bytes::new()),
            kind: None,
        };
        parts.entry(path.to_owned()).or_insert_with(empty).kind = Some(kind);
    }
}

impl Source for Tree {
    fn get(&self, path: &str) -> Result<bytes::Bytes> {
        self.blob(path)?.bytes()
    }
    fn blob(&self, path: &str) -> Result<Blob> {
        lock(&self.parts)
            .get(path)
            .map(|part| part.content.clone())
            .ok_or_else(|| Error::missing(path))
    }
    fn has(&self, path: &str) -> bool {
        lock(&self.parts).contains_key(path)
    }
    fn paths(&self) -> Vec<String> {
        lock(&self.parts).keys().cloned().collect()
    }
}

/// An open file.
struct State {
    name: String,
    /// Its path on disk; `None` if it is a tree or was given as bytes.
    path: Option<PathBuf>,
    /// The model, and the bytes that were read; no bytes for a tree.
    loaded: Loaded,
    tree: Option<Tree>,
    /// Documents of `tree` were set, and the model does not have them yet.
    is_behind: bool,
    /// True if it may differ from the file that was read.
    is_edited: bool,
}

impl State {
    fn size(&self) -> u64 {
        self.loaded.file.as_ref().map_or(u64::MAX, Blob::len)
    }

    /// The current tree.
    fn tree(&mut self, prove: bool, cancelled: &work::Cancelled) -> Result<&Tree> {
        if self.tree.as_ref().is_none_or(|tree| prove && !tree.proved) {
            let tree = Tree {
                cancelled: cancelled.clone(),
                proved: prove,
                ..Tree::default()
            };
            let origin = Origin {
                file: self.loaded.detection.file.clone(),
                ..Origin::default()
            };
            let head = Head::new(
                self.loaded.detection.game,
                self.loaded.model.format(),
                origin,
            );
            let writer = TreeWriter::new(&tree, JSON, head, prove);
            self.loaded.model.unpack(&writer)?;
            if prove {
                writer.finish()?;
            }
            drop(writer);
            if prove {
                self.prove(&tree)?;
            }
            self.tree = Some(Tree {
                cancelled: work::Cancelled::default(),
                ..tree
            });
        }
        self.tree
            .as_ref()
            .ok_or_else(|| Error::say("internal error: no tree").of_kind(ErrorKind::Internal))
    }

    /// An error unless the tree gives the current file: otherwise an edit would change more than
    /// intended.
    fn prove(&self, tree: &Tree) -> Result<()> {
        let unproved = |why: String| {
            Error::say(format!(
                "the documents of this file do not give it back: {why}"
            ))
            .hint("`put` replaces members as they are stored; please report the file")
            .of_kind(ErrorKind::Unsupported)
        };
        let back = refit::File::from_tree(tree)
            .and_then(|file| file.to_bytes())
            .map_err(|e| unproved(e.to_string()))?;
        let same = match self.loaded.file.as_ref().filter(|_| !self.is_edited) {
            Some(stored) => stored.len() == back.len() as u64 && stored.bytes()? == back,
            None => self.loaded.model.to_bytes()? == back,
        };
        if same {
            Ok(())
        } else {
            Err(unproved("they give other bytes".to_owned()))
        }
    }

    /// Sets a part of the tree.
    fn set(&mut self, path: &str, content: Vec<u8>, cancelled: &work::Cancelled) -> Result<()> {
        let part = self.tree(true, cancelled)?.part(path)?;
        if let Some(kind) = part.kind
            && let Some(schema) = refit::schemas().iter().find(|schema| schema.kind == kind)
        {
            let text = std::str::from_utf8(&content).map_err(|e| Error::say(e.to_string()))?;
            (schema.check)(text, Style::Json).map_err(|e| misfit(path, text, e))?;
        }
        if let Some(tree) = &self.tree {
            tree.add(path, Blob::Memory(content.into()));
        }
        (self.is_behind, self.is_edited) = (true, true);
        Ok(())
    }

    /// The model with all documents that were set.
    fn settled(&mut self) -> Result<&mut refit::File> {
        if self.is_behind
            && let Some(tree) = &self.tree
        {
            self.loaded.model = refit::File::from_tree(tree)?;
            self.is_behind = false;
        }
        Ok(&mut self.loaded.model)
    }

    /// Changes the model itself: its tree is another one then.
    fn change<T>(&mut self, change: impl FnOnce(&mut refit::File) -> Result<T>) -> Result<T> {
        let changed = change(self.settled()?)?;
        self.tree = None;
        self.is_edited = true;
        Ok(changed)
    }

    fn bytes(&mut self) -> Result<bytes::Bytes> {
        match (&self.loaded.file, self.is_edited) {
            (Some(stored), false) => stored.bytes(),
            _ => Ok(self.settled()?.to_bytes()?.into()),
        }
    }

    /// The findings of the edits.
    fn news(&mut self) -> Result<Vec<Finding>> {
        if !self.is_edited {
            return Ok(Vec::new());
        }
        let Some(stored) = self.loaded.file.clone() else {
            return Err(Error::say("an edited tree has no file to compare with")
                .of_kind(ErrorKind::Unsupported));
        };
        let before = pipeline::read(&stored, self.loaded.detection.clone())?.model;
        pipeline::lint_edit(self.settled()?, &before)
    }

    fn save(
        &mut self,
        to: Option<PathBuf>,
        force: bool,
        progress: &dyn workbench::Progress,
    ) -> Result<Option<PathBuf>> {
        let in_place = to.is_none();
        let target = to.or_else(|| self.path.clone()).ok_or_else(|| {
            Error::say("no path to save to")
                .of_kind(ErrorKind::Invalid)
                .hint("only a file that was opened has one")
        })?;
        let bytes = self.bytes()?;
        let read = self
            .loaded
            .file
            .as_ref()
            .filter(|_| in_place)
            .map(Blob::sum)
            .transpose()?;
        let options = Options {
            force,
            hints: self.hints(),
            ..Options::default()
        };
        let written = workbench::save::save(&target, &bytes, read, &options, progress)?;
        if in_place {
            self.loaded.file = Some(Blob::Memory(bytes));
            self.is_edited = false;
        }
        Ok(written.kept.map(|kept| kept.path))
    }

    fn hints(&self) -> refit::Hints {
        refit::Hints {
            game: self.loaded.detection.game,
            format: Some(self.loaded.detection.format),
        }
    }
}

/// The error for a document that does not fit its type. Users never see its text: the path to the
/// field shows the place.
fn misfit(document: &str, text: &str, e: Error) -> Error {
    match (e.what(), e.place()) {
        (Cause::Text { message, .. }, Some((1, column))) => {
            let at = crate::text::path_at(text, column.saturating_sub(1));
            Error::say(message.clone())
                .within(at)
                .in_file(document)
                .of_kind(ErrorKind::Syntax)
        }
        _ => e.in_file(document),
    }
}

/// See `refit.File`.
#[pyclass(frozen, module = "pyrefit._refit")]
pub struct File {
    state: Arc<Mutex<Option<State>>>,
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    path: Option<PathBuf>,
    #[pyo3(get)]
    format: &'static str,
    #[pyo3(get)]
    game: Option<&'static str>,
    #[pyo3(get)]
    evidence: String,
    is_small: bool,
}

/// A row of `members`: name, stored bytes, kind, detail.
type Row = (String, u64, String, String);
fn form(stored: bool) -> Form {
    if stored { Form::Stored } else { JSON }
}

impl File {
    fn of(state: State) -> Self {
        File {
            name: state.name.clone(),
            path: state.path.clone(),
            format: state.loaded.model.format().name(),
            game: state
                .loaded
                .model
                .game()
                .or(state.loaded.detection.game)
                .map(refit::game::Game::code),
            evidence: state.loaded.detection.evidence.clone(),
            is_small: state.size() < SMALL,
            state: Arc::new(Mutex::new(Some(state))),
        }
    }

    /// Works on the open file, without Python's lock. `None` if it is closed.
    fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State, &work::Cancelled) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (state, about) = (self.state.clone(), self.path.clone());
        let job = move |cancelled: &work::Cancelled| {
            let mut state = lock(&state);
            let Some(state) = state.as_mut() else {
                return Ok(None);
            };
            let done = work(state, cancelled).map(Some);
            done.map_err(|e| {
                about.map_or(e.clone(), |path| {
                    if e.file().is_some() {
                        e
                    } else {
                        e.about(&path)
                    }
                })
            })
        };
        let done = match self.is_small {
            true => work::quick(py, move || job(&work::Cancelled::default())),
            false => work::run(py, job),
        };
        done?.ok_or_else(|| closed(py))
    }
}

#[pymethods]
impl File {
    #[staticmethod]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        game: Option<&str>,
        format: Option<&str>,
    ) -> PyResult<Self> {
        let hints = hints(game, format).map_err(|e| raise(py, &e))?;
        let is_small = path
            .metadata()
            .is_ok_and(|meta| meta.is_file() && meta.len() < SMALL);
        let open = move || {
            let loaded = workbench::open::open(&path, hints).map_err(|e| e.about(&path))?;
            let name = path.to_string_lossy().into_owned();
            let path = loaded.file.is_some().then_some(path);
            Ok(State {
                name,
                path,
                loaded,
                tree: None,
                is_behind: false,
                is_edited: false,
            })
        };
        let state = if is_small {
            work::quick(py, open)
        } else {
            work::run(py, |_| open())
        };
        state.map(File::of)
    }

    #[staticmethod]
    fn read(
        py: Python<'_>,
        data: &[u8],
        name: &str,
        game: Option<&str>,
        format: Option<&str>,
    ) -> PyResult<Self> {
        let hints = hints(game, format).map_err(|e| raise(py, &e))?;
        let (stored, name) = (bytes::Bytes::copy_from_slice(data), name.to_owned());
        let is_small = (data.len() as u64) < SMALL;
        let open = move || {
            let about = |e: Error| {
                if name.is_empty() {
                    e
                } else {
                    e.in_file(name.clone())
                }
            };
            let opened = pipeline::open(&stored, &name, hints).map_err(about)?;
            let loaded = Loaded {
                model: opened.model,
                file: Some(Blob::Memory(stored)),
                detection: opened.detection,
            };
            Ok(State {
                name,
                path: None,
                loaded,
                tree: None,
                is_behind: false,
                is_edited: false,
            })
        };
        let state = if is_small {
            work::quick(py, open)
        } else {
            work::run(py, |_| open())
        };
        state.map(File::of)
    }

    fn close(&self, py: Python<'_>) {
        let state = self.state.clone();
        py.detach(|| *lock(&state) = None);
    }

    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        let state = self.state.clone();
        py.detach(|| lock(&state).is_none())
    }

    /// The paths of all parts, each with the kind of its document.
    fn parts(&self, py: Python<'_>) -> PyResult<Vec<(String, Option<&'static str>)>> {
        self.with(py, |state, cancelled| {
            let parts = lock(&state.tree(false, cancelled)?.parts);
            Ok(parts
                .iter()
                .filter(|(path, _)| !is_own(path))
                .map(|(path, part)| (path.clone(), part.kind))
                .collect())
        })
    }

    fn get_part<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        // A file has tens of thousands of documents: a thread is only for the first, which makes
        // the tree.
        let ready = work::quick(py, || {
            let state = lock(&self.state);
            state
                .as_ref()
                .and_then(|state| state.tree.as_ref())
                .map(|tree| tree.part(path))
                .transpose()
        });
        let part = match ready? {
            Some(part) => part,
            None => {
                let wanted = path.to_owned();
                self.with(py, move |state, cancelled| {
                    state.tree(false, cancelled)?.part(&wanted)
                })?
            }
        };
        let is_text = part.kind.is_some() && path.ends_with(".json");
        let content = work::quick(py, || part.content.bytes())?;
        match std::str::from_utf8(&content) {
            Ok(text) if is_text => document::objects(py, text),
            _ => Ok(PyBytes::new(py, &content).into_any()),
        }
    }

    fn set_part(&self, py: Python<'_>, path: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let content = match value.cast::<PyBytes>() {
            Ok(bytes) => bytes.as_bytes().to_vec(),
            Err(_) if path.ends_with(".json") => text::of(value)?.into_bytes(),
            Err(_) => match value.cast::<PyString>() {
                Ok(text) => text.to_cow()?.into_owned().into_bytes(),
                Err(_) => {
                    return Err(of_value(
                        py,
                        path.to_owned(),
                        "this part is bytes or text, and no document",
                    ));
                }
            },
        };
        let path = path.to_owned();
        self.with(py, move |state, cancelled| {
            state.set(&path, content, cancelled)
        })
    }

    fn members(&self, py: Python<'_>) -> PyResult<Vec<Row>> {
        self.with(py, |state, _| {
            let members = state.settled()?.members()?;
            Ok(members
                .into_iter()
                .map(|(_, m)| (m.name, m.bytes, m.kind.into_owned(), m.detail))
                .collect())
        })
    }

    fn get<'py>(&self, py: Python<'py>, name: &str, stored: bool) -> PyResult<Bound<'py, PyBytes>> {
        let name = name.to_owned();
        let bytes = self.with(py, move |state, _| {
            let file = state.settled()?;
            let id: MemberId = file.member(&name)?;
            file.get(id, form(stored)).map_err(|e| e.within(name))
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn put(&self, py: Python<'_>, name: &str, data: &[u8], stored: bool) -> PyResult<()> {
        let (name, data) = (name.to_owned(), data.to_vec());
        self.with(py, move |state, _| {
            state.change(|file| {
                let id = file.member(&name)?;
                file.put(id, &data, form(stored))
                    .map_err(|e| e.within(name))
            })
        })
    }

    fn add(&self, py: Python<'_>, name: &str, data: &[u8], stored: bool) -> PyResult<()> {
        let (name, data) = (name.to_owned(), data.to_vec());
        self.with(py, move |state, _| {
            state.change(|file| {
                file.model_mut()
                    .add_member(&name, &data, form(stored))
                    .map(drop)
            })
        })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, |state, _| state.bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn save(
        &self,
        py: Python<'_>,
        path: Option<PathBuf>,
        force: bool,
    ) -> PyResult<Option<PathBuf>> {
        let state = self.state.clone();
        let reporter = Reporter::new(None);
        let progress = reporter.clone();
        let saved = work::write(py, move || {
            let mut state = lock(&state);
            state
                .as_mut()
                .map(|state| state.save(path, force, &*progress))
                .transpose()
        });
        reporter.end(py, saved)?.ok_or_else(|| closed(py))
    }

    fn lint(&self, py: Python<'_>) -> PyResult<Vec<FindingRow>> {
        self.with(py, |state, _| Ok(finding_rows(state.settled()?.lint()?)))
    }

    fn news(&self, py: Python<'_>) -> PyResult<Vec<FindingRow>> {
        self.with(py, |state, _| Ok(finding_rows(state.news()?)))
    }

    fn info<'py>(&self, py: Python<'py>) -> PyResult<Vec<(&'static str, Bound<'py, PyAny>)>> {
        let rows = self.with(py, |state, _| {
            let info = state.settled()?.info();
            Ok(info
                .into_iter()
                .map(|(key, value)| (key, value.to_string()))
                .collect::<Vec<_>>())
        })?;
        rows.into_iter()
            .map(|(key, text)| Ok((key, document::objects(py, &text)?)))
            .collect()
    }

    /// The names of possible glTF exports.
    fn glb_names(&self, py: Python<'_>, using: Vec<PathBuf>) -> PyResult<Vec<String>> {
        self.with(py, move |state, _| {
            refit::gltf::views(state.settled()?, &gltf::files(&using)?)
        })
    }

    /// One glTF export.
    fn glb<'py>(
        &self,
        py: Python<'py>,
        name: String,
        using: Vec<PathBuf>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, move |state, _| {
            refit::gltf::view(state.settled()?, &name, &gltf::files(&using)?)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The packed scene: see `src/view/PROTOCOL.md`.
    fn scene<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let scene = self.with(py, |state, _| {
            let name = state.name.clone();
            refit::gltf::packed_scene(state.settled()?, &name)
        })?;
        Ok(PyBytes::new(py, &scene))
    }
}
