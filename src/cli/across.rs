//! What `refit lint` says of a whole game: names across its files.

use crate::cli::session::Session;
use refit::{
    game_files,
    index::{
        self, Cache, File, Index, Item,
        lints::{self, Misfit},
    },
    path::Shown,
    pipeline::{self, Hints},
    project::{Project, ProjectFile},
    tree::{DirSource, disk, is_project, is_tree, read_head},
    wire::Result,
    workbench::{Input, changes::changes, names, open::Loaded},
};
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

/// A finding, and the file that it is about.
pub struct Across {
    /// The file or the tree.
    pub path: PathBuf,
    /// What was found.
    pub misfit: Misfit,
}

/// What a finding is about, wherever it is now.
fn about<'a>(index: &'a Index, misfit: &'a Misfit) -> (Option<&'a str>, &'static str, &'a str) {
    let file = index.files.get(misfit.file).map(|file| file.relative.as_str());
    (file, misfit.finding.code, &misfit.finding.message)
}

/// Works on files beside each other, and hands over in order what becomes of them.
fn in_order<T: Send>(session: &Session, items: &[Input], work: impl Fn(&Item) -> T + Sync, mut see: impl FnMut(&Input, T)) {
    session.in_order(items, Input::size, Input::name, |input| work(&names::item(input)), |_, input, made| see(input, made));
}

/// Indexes a file of which only the names matter. What cannot be read is told elsewhere.
fn names_of(item: &Item, hints: Hints, cache: &Cache) -> Option<File> {
    let mut file = index::file(item, hints, cache, false).ok().flatten()?;
    file.content.forget_values();
    Some(file)
}

/// What a file was before it was edited.
enum Was {
    /// As it is.
    Same,
    /// What stands elsewhere.
    Other(PathBuf),
    /// It was not there.
    New,
    /// Nobody has it any more.
    Unknown,
}

/// What a project says of its files, by their folded paths.
struct Since<'a> {
    project: &'a Project,
    files: HashMap<String, &'a ProjectFile>,
}

impl<'a> Since<'a> {
    fn new(project: &'a Project) -> Self {
        let files = project.entries().map(|(_, entry)| (game_files::fold(&entry.file), entry));
        Since { project, files: files.collect() }
    }
}

/// What a file was: as the project came from it, or as it is kept as `NAME.orig`.
fn was(item: &Item, since: Option<&Since<'_>>) -> Was {
    let Some(Since { project, files }) = since else {
        let backup = disk::backup_path(&item.path);
        return if backup.is_file() { Was::Other(backup) } else { Was::Same };
    };
    let Some(entry) = files.get(&game_files::fold(&item.relative)) else { return Was::New };
    let is_sum = |sum: &str| sum == entry.sha256;
    let is_original = |path: &Path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() == entry.bytes)
            && pipeline::load(path).and_then(|file| file.sha256()).is_ok_and(|sum| is_sum(&sum))
    };
    let of_it = || read_head(&DirSource::new(&item.path)).is_ok_and(|(_, head)| is_sum(head.source.sha256.wait()));
    let same = if item.path.is_dir() {
        // A tree that nobody edited says what its file does.
        of_it() && changes(&item.path).is_ok_and(|changes| changes.is_empty())
    } else {
        is_original(&item.path)
    };
    if same {
        return Was::Same;
    }
    let source = project.source().map(|game| game.join(&item.relative));
    let of_game = source.into_iter().flat_map(|source| [disk::backup_path(&source), source]);
    [disk::backup_path(&item.path)].into_iter().chain(of_game).find(|path| is_original(path)).map_or(Was::Unknown, Was::Other)
}

/// True where there are files to follow names across: where a folder is named, or a project.
pub fn is_wanted(arguments: &[PathBuf]) -> bool {
    arguments.iter().any(|path| path.is_dir() && !is_tree(path))
}

/// The files that names are followed across, read while they are judged by themselves.
pub struct Survey {
    /// Further files of the trees of projects, by the paths of the trees.
    shared: HashMap<PathBuf, Vec<Input>>,
    /// Loose files are looked for here.
    roots: Vec<PathBuf>,
    projects: Vec<PathBuf>,
    cache: Cache,
}

/// The folders among some paths that are no projects.
fn roots(arguments: &[PathBuf]) -> Vec<PathBuf> {
    arguments.iter().filter(|path| path.is_dir() && !is_project(path)).cloned().collect()
}

impl Survey {
    /// Of the files of some paths.
    pub fn new(session: &Session, arguments: &[PathBuf]) -> Result<Self> {
        let filter = session.options()?.filter;
        let mut shared: HashMap<PathBuf, Vec<Input>> = HashMap::new();
        let projects: Vec<PathBuf> = arguments.iter().filter(|path| is_project(path)).cloned().collect();
        for root in &projects {
            for work in Project::open(root)?.works()?.into_iter().filter(|work| work.file != work.tree && filter.takes(&work.file)) {
                let path = root.join(&work.tree);
                shared.entry(path.clone()).or_default().push(Input { path, relative: work.file, explicit: false });
            }
        }
        Ok(Survey { shared, roots: roots(arguments), projects, cache: names::cache(arguments) })
    }

    /// What is judged of a file that is open, and of each file of the game that it is the tree of.
    pub fn read(&self, input: &Input, subject: &Loaded, hints: Hints) -> Vec<File> {
        // A tree of a project stands where its file does.
        let of_project = self.projects.iter().any(|root| root.join(&input.relative) == input.path);
        let own = Input { explicit: input.explicit && !of_project, ..input.clone() };
        let others = self.shared.get(&input.path).into_iter().flatten();
        let read = |input| {
            let item = names::item(input);
            let file = index::opened(&item, subject.file.as_ref(), &*subject.model, &subject.detection, hints, &self.cache);
            let mut file = file.ok()?;
            file.keep_judged();
            Some(file)
        };
        std::iter::once(&own).chain(others).filter_map(read).collect()
    }

    /// Tells what does not fit across files that were read, file by file in their order.
    pub fn judge(&self, files: Vec<File>, mut tell: impl FnMut(&Path, Vec<Misfit>)) {
        let index = Index::new(files);
        let mut in_order: Vec<(usize, &File)> = index.files.iter().enumerate().collect();
        in_order.sort_by_key(|(_, file)| file.number);
        for (f, file) in in_order {
            let mut found = index.misfits_of(f);
            found.extend(index.loose_scripts_of(f, &self.roots));
            if !found.is_empty() {
                tell(&file.path, found);
            }
        }
    }
}

/// What edits of the files of some paths brought in that does not fit across them.
pub fn brought_in(session: &Session, arguments: &[PathBuf], since: Option<&Path>) -> Result<Vec<Across>> {
    if !is_wanted(arguments) {
        return Ok(Vec::new());
    }
    let items = names::items(arguments, &session.options()?, session)?;
    let cache = names::cache(arguments);
    let hints = session.hints();
    let project = since.map(Project::open).transpose()?;
    // A project that is judged by itself is compared with what it came from.
    let project = match (project, arguments) {
        (None, [root]) if is_project(root) => Some(Project::open(root)?),
        (project, _) => project,
    };
    let since = project.as_ref().map(Since::new);
    let (mut unedited, mut edited) = (Vec::new(), Vec::new());
    let mut unknown = Vec::new();
    in_order(
        session,
        &items,
        |item| was(item, since.as_ref()),
        |input, was| match was {
            Was::Same => unedited.push(input.clone()),
            Was::Unknown => {
                unknown.push(input.path.clone());
                unedited.push(input.clone());
            }
            was => edited.push((names::item(input), was)),
        },
    );
    for path in unknown {
        session.warn(format!("{}: what it was before is not at hand, it is taken for unedited", path.shown()));
    }
    let (mut new, mut old) = (Vec::new(), Vec::new());
    for (item, was) in &edited {
        new.extend(names_of(item, hints, &cache));
        if let Was::Other(path) = was {
            let before = Item { path: path.clone(), relative: item.relative.clone() };
            old.extend(names_of(&before, hints, &cache));
        }
    }
    // Of all other files only what an edited one may have to do with matters.
    let all = new.iter().chain(&old).flat_map(|file| &file.content.names);
    let met: HashSet<String> = all.map(|name| lints::coarse(&name.name)).collect();
    in_order(
        session,
        &unedited,
        |item| {
            let mut file = names_of(item, hints, &cache)?;
            file.keep_met(&met);
            Some(file)
        },
        |_, file| {
            old.extend(file.clone());
            new.extend(file);
        },
    );
    let (before, index) = (Index::new(old), Index::new(new));
    let mut found = index.misfits();
    let roots = roots(arguments);
    found.extend((0..index.files.len()).flat_map(|f| index.loose_scripts_of(f, &roots)));
    let were = before.misfits();
    let known: HashSet<_> = were.iter().map(|misfit| about(&before, misfit)).collect();
    found.retain(|misfit| !known.contains(&about(&index, misfit)));
    found.extend(index.changed_bindings(&before));
    let path = |misfit: &Misfit| index.files.get(misfit.file).map(|file| file.path.clone());
    Ok(found.into_iter().filter_map(|misfit| Some(Across { path: path(&misfit)?, misfit })).collect())
}
