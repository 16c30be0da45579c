//! Files on disk for [`View`].

use super::{
    Content, Entry, Files, Found, SeeFinding, Stamp, Storage, View, against::Against, lock,
    reading::Reading,
};
use refit_base::{
    path::Shown,
    tree::{Blob, DirSource, disk, is_project, is_tree},
    wire::{Error, Result},
};
use refit_diff::Comparison;
use refit_files::{detect::Detection, file::File, game_files, pipeline};
use refit_index as index;
use refit_mods::Applied;
use refit_project::Project;
use refit_workbench::{
    Event, Input, Options, Progress, Quiet,
    changes::may_be_edited,
    files, in_order,
    kept::{KeptTree, KeptTrees},
    lint::{Lint, Linted},
    names, open,
    project::Edits,
    sides,
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// A game's folder, a project, a tree or a file.
struct Disk {
    root: PathBuf,
    options: Options,
    against: Option<Against>,
    /// Files of other programs, as they were when they were recognised as such.
    others: Mutex<HashMap<PathBuf, Stamp>>,
    /// Where edits keep the tree that was edited last.
    kept: Mutex<Option<Arc<KeptTrees>>>,
    /// The project of the opened game: a file that has a tree there is shown as that tree.
    project: Mutex<Option<PathBuf>>,
}

fn content(path: &Path) -> Result<Content> {
    match path.is_dir() {
        true => Ok(Content::Tree(Arc::new(DirSource::new(path)))),
        // A pipe or a device that has taken the place of a file would never end.
        false => pipeline::load(path).map(Content::File),
    }
}

/// The content, without reading a file: a few bytes show most formats, and a game is large.
fn unread(path: &Path) -> Result<Content> {
    match Blob::open(path) {
        Ok(Some(file)) => Ok(Content::File(file)),
        _ => content(path),
    }
}

/// The state of a file or a tree; no time for one that does not exist.
fn stamp(path: &Path) -> Stamp {
    let Ok(meta) = path.metadata() else {
        return (0, None);
    };
    if !meta.is_dir() {
        return (meta.len(), meta.modified().ok());
    }
    let files = walkdir::WalkDir::new(path).into_iter().filter_map(|entry| {
        entry
            .ok()
            .and_then(|e| Some((e.metadata().ok()?, e.into_path())))
    });
    files.fold((0_u64, None), |(all, last), (meta, path)| {
        // A file may be replaced by an older one.
        let mut one = DefaultHasher::new();
        let time = meta.modified().ok();
        (path, meta.len(), time).hash(&mut one);
        (all.wrapping_add(one.finish()), last.max(time))
    })
}

fn input(file: &Entry) -> Input {
    Input {
        path: file.path.clone(),
        relative: PathBuf::from(&file.relative),
        explicit: file.is_named,
    }
}

/// A file, or a tree that may be known.
fn entry(input: &Input, known: Option<&KeptTree>) -> Entry {
    let parts = input
        .relative
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    let is_tree = is_tree(&input.path);
    let edited = match is_tree {
        true => may_be_edited(&input.path, known),
        false => game_files::original_of(&input.path).is_some(),
    };
    Entry {
        path: input.path.clone(),
        relative: parts.collect::<Vec<_>>().join("/"),
        is_named: input.explicit,
        is_tree,
        format: None,
        game: None,
        bytes: input.size(),
        why: None,
        edited,
        is_gone: false,
        title: None,
    }
}

impl View {
    /// Opens a game's folder, a project, a tree or a file. Recognises all files, and reads none.
    /// They are compared with their originals, or with another folder, a file, or the result of a
    /// mod.
    ///
    /// # Errors
    /// The path does not exist, refit knows nothing in it, or the mod cannot be read or applied.
    pub fn open(
        path: &Path,
        against: Option<&Path>,
        options: Options,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let arguments = [path.to_owned()];
        let what = match path {
            path if is_project(path) => "project",
            path if path.is_dir() && !is_tree(path) => "folder",
            _ => "file",
        };
        let items = names::items(&arguments, &options, progress)?;
        let (mut found, mut others) = (Vec::new(), HashMap::new());
        in_order(
            &items,
            &options,
            progress,
            (|_: &Input| 0, Input::name),
            |input| entry(input, None).recognised(unread(&input.path), options.hints),
            |input, entry| match entry {
                Some(entry) => found.push(entry),
                None => _ = others.insert(input.path.clone(), stamp(&input.path)),
            },
        );
        if found.is_empty() {
            return Err(files::none_known(&arguments, others.len()));
        }
        let name = path
            .file_name()
            .map_or_else(|| path.shown(), |name| name.to_string_lossy().into_owned());
        let (hints, root) = (options.hints, path.to_owned());
        let against = against
            .map(|other| Against::open(other, path))
            .transpose()?;
        let number = others.len();
        let disk = Disk {
            root,
            options,
            against,
            others: Mutex::new(others),
            kept: Mutex::default(),
            project: Mutex::default(),
        };
        Ok(View::new(
            what,
            (name, path.shown()),
            hints,
            Box::new(disk),
            found,
            number,
        ))
    }
}

impl View {
    /// The texture packages that a file sees, in search order.
    pub fn packages_of(&self, number: usize) -> Result<Vec<PathBuf>> {
        let packages = self.packages_for(&*self.entry(number)?);
        packages
            .into_iter()
            .map(|package| self.path_of(package))
            .collect()
    }

    /// The number of the file with this path below the opened folder, with `/`; `None` if there is
    /// none.
    pub fn number_of(&self, relative: &str) -> Option<usize> {
        let files = self.files();
        files
            .iter()
            .find(|(_, file)| file.relative == relative)
            .map(|(number, _)| number)
    }

    /// The path of a file, or of its tree.
    pub fn path_of(&self, number: usize) -> Result<PathBuf> {
        self.entry(number).map(|entry| entry.path.clone())
    }
}

/// Records the progress of a survey.
fn recorder(reading: &Reading) -> impl Fn(Event<'_>) + Sync {
    |event| match event {
        Event::At(name) => reading.wait(name),
        Event::Done(_) => reading.read(),
        _ => {}
    }
}

impl Disk {
    /// Options for work on all files, which lets questions about single files in between.
    fn by_turns(&self, view: &View) -> Options {
        Options {
            turns: vec![view.turn.clone()],
            ..self.options.clone()
        }
    }

    /// The tree of a file as it is now, if it is the world that was edited last.
    fn kept_tree(&self, entry: &Entry) -> Option<Arc<KeptTree>> {
        let kept = lock(&self.kept).clone()?;
        // Edits name the tree by the whole path of the project.
        let path = refit_base::path::canonical(&self.actual(entry)).ok()?;
        kept.read(&path)
    }

    fn project(&self) -> Option<Result<Project>> {
        is_project(&self.root).then(|| Project::open(&self.root))
    }

    /// The unedited and the edited state of a file.
    fn sides(&self, entry: &Entry) -> Result<(PathBuf, PathBuf)> {
        let actual = self.actual(entry);
        if actual != entry.path {
            let original = game_files::original_of(&entry.path);
            return Ok((original.unwrap_or_else(|| entry.path.clone()), actual));
        }
        if let Some(project) = self.project() {
            let original = project?.source().map(|game| game.join(&entry.relative));
            let original = original.map(|file| game_files::original_of(&file).unwrap_or(file));
            let original = original.filter(|file| file.is_file());
            let original = original
                .ok_or_else(|| Error::say("the game that this project came from is not there"))?;
            return Ok((original, entry.path.clone()));
        }
        sides::counterpart(&entry.path)
    }
}

impl Storage for Disk {
    fn content(&self, entry: &Entry) -> Result<Content> {
        content(&self.actual(entry))
    }

    fn place(&self) -> Option<(&Path, bool)> {
        Some((&self.root, self.against.is_some()))
    }

    fn use_kept(&self, kept: Arc<KeptTrees>) {
        *lock(&self.kept) = Some(kept);
    }

    fn kept(&self, entry: &Entry) -> Option<(Detection, Arc<File>)> {
        let tree = self.kept_tree(entry)?;
        Some((Detection::of_tree(&tree.head), tree.model.clone()))
    }

    fn use_project(&self, project: &Path) {
        // The trees of an opened project are its files themselves.
        if !is_project(&self.root) && self.root.is_dir() {
            *lock(&self.project) = Some(project.to_owned());
        }
    }

    fn actual(&self, entry: &Entry) -> PathBuf {
        let tree = lock(&self.project)
            .as_ref()
            .map(|project| project.join(&entry.relative));
        tree.filter(|tree| is_tree(tree))
            .unwrap_or_else(|| entry.path.clone())
    }

    fn lazily(&self, entry: &Entry) -> Result<Content> {
        // Not for links, which can be read only through the system.
        Blob::of_file(&self.actual(entry))
            .map(Content::File)
            .or_else(|_| self.content(entry))
    }

    fn appeared(&self, known: &Files) -> Vec<Entry> {
        let items = names::items(std::slice::from_ref(&self.root), &self.options, &Quiet)
            .unwrap_or_default();
        let is_known = |path: &Path| {
            let known = known.number(path).and_then(|number| known.list.get(number));
            known.is_some_and(|entry| !entry.is_gone)
        };
        let mut others = lock(&self.others);
        let mut found = Vec::new();
        for input in items.iter().filter(|input| !is_known(&input.path)) {
            let now = stamp(&input.path);
            if others.get(&input.path) == Some(&now) {
                continue;
            }
            match entry(input, None).recognised(unread(&input.path), self.options.hints) {
                Some(entry) => found.push(entry),
                None => _ = others.insert(input.path.clone(), now),
            }
        }
        found
    }

    fn renewed(&self, known: &Entry) -> Entry {
        let input = input(known);
        let actual = self.actual(known);
        let kept = self.kept_tree(known);
        let kept = kept.as_deref();
        let mut now = entry(&input, kept).recognised(unread(&actual), self.options.hints);
        if let Some(now) = now.as_mut().filter(|now| now.path != actual) {
            (now.is_tree, now.edited) = (true, may_be_edited(&actual, kept));
        }
        // Another program may be writing it at this moment.
        now.unwrap_or_else(|| Entry {
            bytes: input.size(),
            is_gone: false,
            ..known.clone()
        })
    }

    fn stamp(&self, entry: &Entry) -> Stamp {
        stamp(&self.actual(entry))
    }

    fn is_live(&self) -> bool {
        true
    }

    fn names(&self, view: &View) -> Vec<index::File> {
        // The smallest first: a person who waits soon sees the names of many files.
        let all = view.files();
        let mut smallest: Vec<&Entry> = all.iter().map(|(_, file)| &**file).collect();
        smallest.sort_by_key(|file| file.bytes);
        // With a project, an edited file has the names of its tree.
        let mut places = HashMap::new();
        let items: Vec<Input> = smallest
            .into_iter()
            .map(|file| {
                let actual = self.actual(file);
                if actual != file.path {
                    places.insert(actual.clone(), file.path.clone());
                }
                Input {
                    path: actual,
                    ..input(file)
                }
            })
            .collect();
        let cache = names::cache(std::slice::from_ref(&self.root), &self.options);
        let _alone = view
            .names_turn
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let reading = &view.names_read;
        reading.begin();
        names::each(
            &items,
            &cache,
            false,
            &self.by_turns(view),
            &recorder(reading),
            |mut file: index::File| {
                if let Some(path) = places.get(&file.path) {
                    file.path.clone_from(path);
                }
                file.content.forget_values();
                // Copied, so that names are contiguous in memory. Between the temporary data of
                // reading they would keep that memory allocated.
                file.content.names = file.content.names.clone();
                reading.found(file);
            },
        );
        let mut files = reading.end();
        files.sort_by_cached_key(|file| all.number(&file.path));
        files
    }

    fn findings(&self, view: &View, see: SeeFinding<'_>) -> Result<()> {
        let lint = Lint {
            paths: vec![self.root.clone()],
            largest_first: true,
            ..Lint::default()
        };
        let files = view.files();
        let mut see = |input: &Input, linted: Linted| {
            let Some(number) = files.number(&input.path) else {
                return;
            };
            match linted {
                Linted::Findings(found, _) => {
                    found
                        .iter()
                        .for_each(|finding| see(number, Found::Finding(finding, None)));
                }
                Linted::Across(found) => found.iter().for_each(|misfit| {
                    see(
                        number,
                        Found::Finding(&misfit.finding, Some((misfit.reaction, &misfit.other))),
                    );
                }),
                Linted::Failed(error) => see(number, Found::Damaged(&error)),
                Linted::News(_) | Linted::Skipped(..) => {}
            }
        };
        // The page asks other questions in the meantime: they are answered in parallel.
        let turns = vec![view.names_turn.clone(), view.turn.clone()];
        let options = Options {
            jobs: NonZeroUsize::new(1),
            turns,
            ..self.options.clone()
        };
        let reading = &view.findings_read;
        reading.begin();
        let done = lint.run(&options, &recorder(reading), &mut see);
        reading.end();
        done.map(|_| ())
    }

    fn against(&self) -> Option<String> {
        self.against.as_ref().map(Against::name)
    }

    fn differs(&self, entry: &Entry) -> Result<bool> {
        self.against
            .as_ref()
            .map_or(Ok(entry.edited), |against| against.differs(entry))
    }

    fn signatures(&self, entry: &Entry) -> Vec<String> {
        let described = open::load(&entry.path)
            .map(|file| pipeline::addon::describe_signatures(&entry.path, &file));
        described.unwrap_or_default()
    }

    fn differences(&self, _: &View, entry: &Entry) -> Result<(String, Comparison)> {
        if let Some(against) = &self.against {
            return against.compared(entry, self.options.hints);
        }
        let (a, b) = self.sides(entry)?;
        Ok((a.shown(), sides::different(&a, &b, self.options.hints)?))
    }

    fn status(&self, view: &View) -> Result<Value> {
        let mut edited = Vec::new();
        match self.project() {
            Some(project) => {
                let edits = Edits::of(&project?, &self.options, &Quiet)?;
                let row = |(path, change): &(String, disk::Change)| json!({ "path": path, "change": change.to_string() });
                edited.extend(edits.files.iter().map(row));
            }
            None => edited = view.edited_rows(),
        }
        let applied = if self.root.is_dir() {
            Applied::of(&self.root)?
        } else {
            None
        };
        let mods: Vec<Value> = applied
            .map(|applied| {
                applied
                    .mods
                    .iter()
                    .map(|m| json!({ "name": m.name, "version": m.version }))
                    .collect()
            })
            .unwrap_or_default();
        Ok(json!({ "edited": edited, "mods": mods }))
    }
}
