//! Findings about files and trees, and about the names across the files of a game or a project.

use super::{
    changes::changes,
    configs::Search,
    edits::{self, EditReport},
    files,
    lint_sources::SourceTexts,
    names,
    open::{self, Loaded},
    options::{Filter, Options},
    parallel::in_order as each_in_order,
    paths::{Input, expand},
    progress::Progress,
    project::{Compiled, compile_edited},
    unknown_files::{self, UnknownFiles},
};
use refit_base::{
    format::Format,
    lint::{Finding, Lints, Unjudged, worst_first},
    path::Shown,
    tree::{DirSource, Head, disk, is_project, is_tree, read_head},
    wire::{Error, Result},
};
use refit_files::{
    detect::Detection,
    file::File,
    foreign::FileKind,
    game_files,
    pipeline::{self, Hints},
};
use refit_index::{
    self as index, Cache, File as Indexed, Index, Item,
    lints::{self, Given, GivenFolder, Misfit},
};
use refit_project::{Project, ProjectFile};
use refit_zipper::archive;
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

/// What to lint.
#[derive(Clone, Debug, Default)]
pub struct Lint {
    /// Files, trees, projects, or folders with files at any depth.
    pub paths: Vec<PathBuf>,
    /// Only findings that edits brought in: those that the original of a file or tree does not
    /// have.
    pub new: bool,
    /// Only findings that edits brought in since this project was unpacked.
    pub since: Option<PathBuf>,
    /// Folders and files with what comes from elsewhere: a game, other mods. They are not judged,
    /// but what is in none of them is missing.
    pub with: Vec<PathBuf>,
    /// Where files that configs include are looked for, besides the folders around a config.
    pub search: Search,
    /// Large files first, instead of the order of the paths: so the largest meets no memory that
    /// others left.
    pub largest_first: bool,
}

/// The result for one file or tree.
pub enum Linted {
    /// Its findings, worst first, and what could not be judged.
    Findings(Vec<Finding>, Vec<Unjudged>),
    /// The findings that its edits brought in.
    News(EditReport),
    /// Names in it that are undefined in other files, or have another meaning there, worst first.
    Across(Vec<Misfit>),
    /// A file of another program: why refit does not read it, and its kind, if that is known.
    Skipped(Error, Option<FileKind>),
    /// It could not be read.
    Failed(Error),
}

impl Lint {
    /// Lints in the order of the paths; findings across files come last. Returns the files of other
    /// programs.
    ///
    /// # Errors
    /// None of the files is known, a project cannot be read, or a path does not exist. Errors of
    /// single files go to `see`.
    pub fn run(
        &self,
        options: &Options,
        progress: &dyn Progress,
        see: &mut dyn FnMut(&Input, Linted),
    ) -> Result<UnknownFiles> {
        let mut inputs = files::files_and_trees(&self.paths, options, progress)?;
        let new = self.new || self.since.is_some();
        let compiled = Definitions::of(&self.paths, options)?;
        let across = if new {
            brought_in(self, &compiled, options, progress)?
        } else {
            Vec::new()
        };
        let search = Search {
            within: options.within.clone().or(self.search.within.clone()),
            ..self.search.clone()
        };
        let texts = if new {
            SourceTexts::of(&[], &search)?
        } else {
            SourceTexts::of(&inputs, &search)?
        };
        let survey = if !new && (is_wanted(&self.paths) || !self.with.is_empty()) {
            Some(Survey::new(options, &self.paths)?)
        } else {
            None
        };
        if new {
            // Files that were not edited have nothing new.
            let path = |input: &Input| {
                disk::is_added(&input.path) || game_files::original_of(&input.path).is_some()
            };
            let is_named = |input: &Input| input.explicit && self.since.is_none();
            inputs.retain(|input| is_named(input) || is_tree(&input.path) || path(input));
        }
        let places: HashMap<PathBuf, usize> = inputs
            .iter()
            .zip(0..)
            .map(|(own, at)| (own.path.clone(), at))
            .collect();
        if self.largest_first {
            inputs.sort_by_cached_key(|input| std::cmp::Reverse(input.size()));
        }
        let (mut named, mut others) = (Vec::new(), UnknownFiles::default());
        each_in_order(
            &inputs,
            options,
            progress,
            (Input::size, Input::name),
            |input| {
                if !new
                    && texts.is_one(input)
                    && let Some(linted) = lint_text(input, &texts, options.hints)
                {
                    return (linted, Vec::new());
                }
                let lints = Lints::with_outside(texts.outside());
                lint_one(
                    input,
                    options.hints,
                    (new, lints),
                    survey.as_ref(),
                    &compiled,
                )
            },
            |input, (linted, names)| {
                named.extend(names);
                if let Linted::Skipped(_, kind) = &linted {
                    others.add(*kind);
                }
                see(input, linted);
            },
        );
        // A name that compiling reports is not reported again in the file that it gives.
        let known: HashSet<(PathBuf, String)> = compiled
            .0
            .iter()
            .filter_map(|one| Some((&one.tree, &one.made.as_ref().ok()?.2)))
            .flat_map(|(tree, found)| found.iter().map(move |finding| (tree, finding)))
            .filter_map(|(tree, finding)| {
                Some((tree.clone(), finding.name.as_ref()?.to_ascii_lowercase()))
            })
            .collect();
        let is_known_of = |path: &Path, misfit: &Misfit| {
            let name = misfit.finding.name.as_ref();
            name.is_some_and(|name| known.contains(&(path.to_owned(), name.to_ascii_lowercase())))
        };
        for Compiled {
            folder: path, made, ..
        } in compiled.0
        {
            let input = Input {
                relative: path.clone(),
                path,
                explicit: true,
            };
            match made {
                Ok((_, _, found)) if found.is_empty() => {}
                Ok((_, _, found)) => see(&input, Linted::Findings(found, Vec::new())),
                Err(e) => see(&input, Linted::Failed(e)),
            }
        }
        named.sort_by_cached_key(|file: &Indexed| places.get(&file.path).copied());
        let mut see_across = |path: &Path, mut found: Vec<Misfit>| {
            found.retain(|misfit| !is_known_of(path, misfit));
            if found.is_empty() {
                return;
            }
            lints::worst_first(&mut found);
            see(
                &Input {
                    path: path.to_owned(),
                    relative: path.to_owned(),
                    explicit: true,
                },
                Linted::Across(found),
            );
        };
        let is_clean = across.is_empty();
        for (path, found) in by_file(across) {
            see_across(&path, found);
        }
        if let Some(survey) = survey {
            let elsewhere = Elsewhere::of(&self.with, &inputs, options, progress)?;
            survey.judge(named, elsewhere, see_across);
        }
        if others.len() == inputs.len() && is_clean && !new {
            return Err(files::none_known(&self.paths, others.len()));
        }
        Ok(others)
    }
}

/// Lints the text of a config; `None` for a file that is none, or that has another form.
fn lint_text(input: &Input, texts: &SourceTexts, hints: Hints) -> Option<Linted> {
    let linted = || -> Result<Option<Linted>> {
        let file = pipeline::load(&input.path)?;
        match pipeline::recognise(&file, &input.name(), hints) {
            Err(e) if unknown_files::is_unknown(&e) => {}
            _ => return Ok(None),
        }
        Ok(texts.lint(input)?.map(|(mut found, unjudged)| {
            worst_first(&mut found);
            Linted::Findings(found, unjudged)
        }))
    };
    linted().unwrap_or_else(|e| Some(Linted::Failed(e.about(&input.path))))
}

/// Lints one file or tree. Also returns what the survey needs.
fn lint_one(
    input: &Input,
    hints: Hints,
    (new, lints): (bool, Lints),
    survey: Option<&Survey>,
    compiled: &Definitions,
) -> (Linted, Vec<Indexed>) {
    let failed = |e: Error| (Linted::Failed(e.about(&input.path)), Vec::new());
    if !input.path.is_dir() && !input.explicit {
        let file = match pipeline::load(&input.path) {
            Ok(file) => file,
            Err(e) => return failed(e),
        };
        match pipeline::recognise(&file, &input.name(), hints) {
            Err(e) if unknown_files::is_unknown(&e) => {
                let kind = unknown_files::recognise(&input.path, &file).map(|other| other.kind);
                return (Linted::Skipped(e.about(&input.path), kind), Vec::new());
            }
            Err(e) => return failed(e),
            Ok(_) => {}
        }
    }
    // Of a file that refit added to the game, all is new.
    if new && !disk::is_added(&input.path) {
        return match news(&input.path, hints, compiled) {
            Ok(news) => (Linted::News(news), Vec::new()),
            Err(e) if !input.explicit => (Linted::Skipped(e.about(&input.path), None), Vec::new()),
            Err(e) => failed(e),
        };
    }
    let opened = compiled
        .open(&input.path)
        .map_or_else(|| open::open(&input.path, hints), Ok);
    match opened.and_then(|subject| Ok((pipeline::lint_with(&*subject.model, lints)?, subject))) {
        Ok(((mut found, unjudged), subject)) => {
            worst_first(&mut found);
            let cached = !compiled.are_of(&input.path);
            let read = |survey: &Survey| survey.read(input, &subject, hints, cached);
            (
                Linted::Findings(found, unjudged),
                survey.map(read).unwrap_or_default(),
            )
        }
        Err(e) => failed(e),
    }
}

/// The edited definitions of projects, and the animation files that `repack` builds from them and
/// their trees.
pub(super) struct Definitions(Vec<Compiled>);

impl Definitions {
    /// Those of the projects among some paths.
    pub(super) fn of(arguments: &[PathBuf], options: &Options) -> Result<Self> {
        let mut all = Vec::new();
        for root in expand(arguments)?.iter().filter(|path| is_project(path)) {
            let is_edited = |folder: &Path| {
                let changes = changes(&root.join(folder));
                changes
                    .map(|changes| !changes.is_empty())
                    .map_err(|e| e.about(&root.join(folder)).elsewhere())
            };
            all.extend(compile_edited(&Project::open(root)?, options, &is_edited)?);
        }
        Ok(Definitions(all))
    }

    /// The file that is built at a tree.
    fn file(&self, tree: &Path) -> Option<(&Head, File)> {
        let (head, anim, _) = self
            .0
            .iter()
            .find(|one| one.tree == tree)?
            .made
            .as_ref()
            .ok()?;
        Some((head, File::from(anim.clone())))
    }

    /// True if definitions of a tree were edited, and can be compiled.
    fn are_of(&self, tree: &Path) -> bool {
        self.0
            .iter()
            .any(|one| one.tree == tree && one.made.is_ok())
    }

    fn open(&self, tree: &Path) -> Option<Loaded> {
        let (head, file) = self.file(tree)?;
        Some(Loaded {
            model: file,
            file: None,
            detection: Detection::of_tree(head),
        })
    }

    /// The names in the file that is built at a tree.
    pub(super) fn names(&self, item: &Item, hints: Hints) -> Option<Indexed> {
        let Loaded {
            model, detection, ..
        } = self.open(&item.path)?;
        index::opened(item, None, &*model, &detection, hints, &Cache::none()).ok()
    }
}

/// The findings that the edits of one file or tree brought in.
fn news(path: &Path, hints: Hints, compiled: &Definitions) -> Result<EditReport> {
    if let Some((head, file)) = compiled.file(path) {
        return edits::of_tree(path, head, &file, &[]);
    }
    if is_tree(path) {
        let (head, model) = pipeline::assemble(&DirSource::new(path))?;
        return edits::of_tree(path, &head, &model, &[]);
    }
    let Some(backup) = game_files::original_of(path) else {
        let none = disk::original_path(path);
        return Err(Error::say(format!(
            "there is nothing to compare it with: no {}",
            none.shown()
        ))
        .hint("--new takes unpacked trees, and files whose original refit kept"));
    };
    let open = |path| Ok(open::open(path, hints)?.model);
    edits::of_file(&open(path)?, &open(&backup)?, &backup)
}

/// Findings across files, file by file in the order of their first one.
fn by_file(across: Vec<Across>) -> Vec<(PathBuf, Vec<Misfit>)> {
    let mut groups: Vec<(PathBuf, Vec<Misfit>)> = Vec::new();
    for one in across {
        match groups.iter_mut().find(|(path, _)| *path == one.path) {
            Some((_, group)) => group.push(one.misfit),
            None => groups.push((one.path, vec![one.misfit])),
        }
    }
    groups
}

/// A finding, and the file that it is about.
struct Across {
    /// The file or the tree.
    path: PathBuf,
    /// The finding.
    misfit: Misfit,
}

/// The subject of a finding, which is independent of its position.
fn about<'a>(index: &'a Index, misfit: &'a Misfit) -> (Option<&'a str>, &'static str, &'a str) {
    let file = index
        .files
        .get(misfit.file)
        .map(|file| file.relative.as_str());
    (file, misfit.finding.code, &misfit.finding.message)
}

/// Indexes a file for its names only. Unreadable files are reported elsewhere.
fn names_of(item: &Item, hints: Hints, cache: &Cache, compiled: &Definitions) -> Option<Indexed> {
    let found = compiled.names(item, hints);
    let mut file = found.or_else(|| index::file(item, hints, cache, false).ok().flatten())?;
    file.content.forget_values();
    Some(file)
}

/// The file before its edit.
enum Was {
    Same,
    /// What other files define.
    Other(PathBuf),
    /// It was not there.
    New,
    /// No file has it any more.
    Unknown,
}

/// The original files of a project, by their folded paths.
struct Since<'a> {
    project: &'a Project,
    files: HashMap<String, &'a ProjectFile>,
}

impl<'a> Since<'a> {
    fn new(project: &'a Project) -> Self {
        let files = project
            .entries()
            .map(|(_, entry)| (game_files::fold(&entry.file), entry));
        Since {
            project,
            files: files.collect(),
        }
    }
}

/// The file before its edit: the project's original, or the kept `NAME.orig`.
fn was(item: &Item, since: Option<&Since<'_>>, compiled: &Definitions) -> Was {
    let Some(Since { project, files }) = since else {
        return match game_files::original_of(&item.path) {
            Some(backup) => Was::Other(backup),
            None if disk::is_added(&item.path) => Was::New,
            None => Was::Same,
        };
    };
    let Some(entry) = files.get(&game_files::fold(&item.relative)) else {
        return Was::New;
    };
    let is_original = |path: &Path| disk::has_content(path, entry.bytes, &entry.sum);
    let of_it = || {
        read_head(&DirSource::new(&item.path))
            .is_ok_and(|(_, head)| head.source.sum.wait() == entry.sum)
    };
    let same = if item.path.is_dir() {
        // An unedited tree equals its file.
        of_it()
            && changes(&item.path).is_ok_and(|changes| changes.is_empty())
            && !compiled.are_of(&item.path)
    } else {
        is_original(&item.path)
    };
    if same {
        return Was::Same;
    }
    let source = project.source().map(|game| game.join(&item.relative));
    let of_game = source
        .into_iter()
        .flat_map(|source| [disk::original_path(&source), source]);
    [disk::original_path(&item.path)]
        .into_iter()
        .chain(of_game)
        .find(|path| is_original(path))
        .map_or(Was::Unknown, Was::Other)
}

/// True if names are followed across files: if a folder or a project is among the paths.
fn is_wanted(arguments: &[PathBuf]) -> bool {
    arguments.iter().any(|path| path.is_dir() && !is_tree(path))
}

/// The files that names are followed across, read while they are linted by themselves.
struct Survey {
    /// Further files of the trees of projects, by the paths of the trees.
    shared: HashMap<PathBuf, Vec<Input>>,
    /// Loose files are looked for here.
    roots: Vec<PathBuf>,
    projects: Vec<PathBuf>,
    cache: Cache,
}

/// The folders among some paths that are not projects.
fn roots(arguments: &[PathBuf]) -> Vec<PathBuf> {
    arguments
        .iter()
        .filter(|path| path.is_dir() && !is_project(path))
        .cloned()
        .collect()
}

/// True for a path of a file below one of some folders.
fn is_below(roots: &[PathBuf]) -> impl Fn(&str) -> bool {
    move |path| roots.iter().any(|root| root.join(path).is_file())
}

impl Survey {
    /// The survey of the files of some paths.
    fn new(options: &Options, arguments: &[PathBuf]) -> Result<Self> {
        let filter = &options.filter;
        let mut shared: HashMap<PathBuf, Vec<Input>> = HashMap::new();
        let projects: Vec<PathBuf> = arguments
            .iter()
            .filter(|path| is_project(path))
            .cloned()
            .collect();
        for root in &projects {
            for work in Project::open(root)?
                .works()?
                .into_iter()
                .filter(|work| work.file != work.tree && filter.takes(&work.file))
            {
                let path = root.join(&work.tree);
                shared.entry(path.clone()).or_default().push(Input {
                    path,
                    relative: work.file,
                    explicit: false,
                });
            }
        }
        Ok(Survey {
            shared,
            roots: roots(arguments),
            projects,
            cache: names::cache(arguments, options),
        })
    }

    /// The part of an open file that the survey needs, also for each file of the game that shares
    /// its tree.
    fn read(&self, input: &Input, subject: &Loaded, hints: Hints, cached: bool) -> Vec<Indexed> {
        // A project's tree has the path of its file.
        let of_project = self
            .projects
            .iter()
            .any(|root| root.join(&input.relative) == input.path);
        let own = Input {
            explicit: input.explicit && !of_project,
            ..input.clone()
        };
        let others = self.shared.get(&input.path).into_iter().flatten();
        let none = Cache::none();
        let cache = if cached { &self.cache } else { &none };
        let read = |input| {
            let item = names::item(input);
            let file = index::opened(
                &item,
                subject.file.as_ref(),
                &*subject.model,
                &subject.detection,
                hints,
                cache,
            );
            let mut file = file.ok()?;
            file.keep_judged();
            Some(file)
        };
        std::iter::once(&own)
            .chain(others)
            .filter_map(read)
            .collect()
    }

    /// Passes on the findings across the files that were read, file by file in their order.
    fn judge(
        &self,
        mut files: Vec<Indexed>,
        elsewhere: Option<Elsewhere>,
        mut see: impl FnMut(&Path, Vec<Misfit>),
    ) {
        let own = files.len();
        let given = elsewhere.map(|elsewhere| {
            let mut folders: Vec<GivenFolder<'_>> = elsewhere
                .0
                .iter()
                .map(|one| GivenFolder {
                    files: one.files.iter().collect(),
                    encrypted: one.encrypted.clone(),
                    is_game: one.is_game,
                })
                .collect();
            // A folder that is judged is there as a whole. Of a single file nothing is known.
            if !self.roots.is_empty() {
                folders.push(GivenFolder {
                    files: files.iter().collect(),
                    ..GivenFolder::default()
                });
            }
            let given = Given::new(&folders);
            drop(folders);
            let found = elsewhere.0.into_iter().flat_map(|one| one.files);
            files.extend(found);
            given
        });
        let index = Index::new(files);
        for (file, found) in index.judge(own, given.as_ref(), &is_below(&self.roots)) {
            see(&file.path, found);
        }
    }
}

/// What comes from elsewhere: see [`Lint::with`].
struct Elsewhere(Vec<OtherFolder>);

/// One of the folders or files that were named.
struct OtherFolder {
    files: Vec<Indexed>,
    /// The names of archives that only their game can read.
    encrypted: Vec<String>,
    is_game: bool,
}

/// Endings of encrypted archives.
const ENCRYPTED: [&str; 3] = ["ebo", "xbo", "ifa"];

/// True for the folder of a game: it has a program, or the folder with the engine's own files.
fn is_game(folder: &Path) -> bool {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    names
        .map(|entry| entry.file_name().to_string_lossy().to_ascii_lowercase())
        .any(|name| name.ends_with(".exe") || name == "dta")
}

impl Elsewhere {
    /// Reads the names of the addons in these folders; `None` without any. What is judged itself
    /// is left out.
    fn of(
        with: &[PathBuf],
        judged: &[Input],
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Option<Self>> {
        if with.is_empty() {
            return Ok(None);
        }
        let place = |path: &Path| refit_base::path::canonical(path).unwrap_or(path.to_owned());
        let mut known: HashSet<PathBuf> = judged.iter().map(|input| place(&input.path)).collect();
        // What the user leaves out of the files to judge is there all the same.
        let options = Options {
            filter: Filter::default(),
            ..options.clone()
        };
        let mut all = Vec::new();
        for path in with {
            if !path.exists() {
                let error = Error::say("there is no such file or folder").in_file(path.shown());
                return Err(error.hint("--with takes the folder of a game or of a mod"));
            }
            let mut items = names::items(std::slice::from_ref(path), &options, progress)?;
            let end = |input: &Input| {
                let end = input.path.extension().unwrap_or_default();
                end.to_string_lossy().to_ascii_lowercase()
            };
            let is_encrypted = |input: &&Input| ENCRYPTED.contains(&&*end(input));
            let encrypted: Vec<String> = items
                .iter()
                .filter(is_encrypted)
                .filter_map(|input| input.path.file_name())
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            if let [first, rest @ ..] = encrypted.as_slice() {
                let more = match rest.len() {
                    0 => String::new(),
                    n => format!(" and {n} more"),
                };
                progress.warn(&format!(
                    "{}: {first}{more}: encrypted, so names like theirs are not judged",
                    path.shown()
                ));
            }
            items.retain(|input| {
                (input.path.is_dir() || end(input) == "pbo") && known.insert(place(&input.path))
            });
            let mut files = Vec::new();
            let cache = names::cache(std::slice::from_ref(path), &options);
            names::each(&items, &cache, false, &options, progress, |mut file| {
                if file.format == Format::Pbo {
                    file.keep_judged();
                    files.push(file);
                }
            });
            all.push(OtherFolder {
                files,
                encrypted,
                is_game: path.is_dir() && is_game(path),
            });
        }
        Ok(Some(Elsewhere(all)))
    }
}

/// The documents of a reader archive that an edit changed.
enum Edited {
    All,
    Some(HashSet<String>),
}

impl Edited {
    fn of(item: &Item, was: &Was) -> Self {
        let documents = match was {
            _ if item.path.is_dir() => changes(&item.path)
                .map(|changes| changes.into_iter().map(|(file, _)| file).collect()),
            Was::Other(before) => members_that_differ(&item.path, before),
            Was::Same | Was::New | Was::Unknown => return Edited::All,
        };
        documents.map_or(Edited::All, Edited::Some)
    }

    fn has(&self, document: &str) -> bool {
        match self {
            Edited::All => true,
            Edited::Some(documents) => documents.contains(document),
        }
    }
}

/// The documents of the members of an archive that another one has otherwise, or not at all.
fn members_that_differ(archive: &Path, before: &Path) -> Result<HashSet<String>> {
    let members = |path: &Path| archive::members(&pipeline::load(path)?.bytes()?);
    let was: HashSet<_> = members(before)?.into_iter().collect();
    let now = members(archive)?.into_iter();
    Ok(now
        .filter(|member| !was.contains(member))
        .map(|(name, _)| format!("{name}.json"))
        .collect())
}

/// Findings across files that edits of the files of some paths brought in.
fn brought_in(
    what: &Lint,
    compiled: &Definitions,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Across>> {
    let arguments = &what.paths;
    if !is_wanted(arguments) {
        return Ok(Vec::new());
    }
    let items = names::items(arguments, options, progress)?;
    let cache = names::cache(arguments, options);
    let hints = options.hints;
    let project = what.since.as_deref().map(Project::open).transpose()?;
    // A project that is linted alone is compared with the game that it came from.
    let project = match (project, arguments.as_slice()) {
        (None, [root]) if is_project(root) => Some(Project::open(root)?),
        (project, _) => project,
    };
    let since = project.as_ref().map(Since::new);
    let (mut unedited, mut edited) = (Vec::new(), Vec::new());
    let mut unknown = Vec::new();
    each_in_order(
        &items,
        options,
        progress,
        (Input::size, Input::name),
        |input| was(&names::item(input), since.as_ref(), compiled),
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
        progress.warn(&format!(
            "{}: its unedited state is missing, so refit takes it as unedited",
            path.shown()
        ));
    }
    let (mut new, mut old) = (Vec::new(), Vec::new());
    let mut documents: HashMap<PathBuf, Edited> = HashMap::new();
    for (item, was) in &edited {
        let names = names_of(item, hints, &cache, compiled);
        if names
            .as_ref()
            .is_some_and(|file| file.format == Format::Reader)
        {
            documents.insert(item.path.clone(), Edited::of(item, was));
        }
        new.extend(names);
        if let Was::Other(path) = was {
            let before = Item {
                path: path.clone(),
                relative: item.relative.clone(),
            };
            old.extend(names_of(&before, hints, &cache, compiled));
        }
    }
    // From all other files, only names that an edited file may affect are needed.
    let all = new.iter().chain(&old).flat_map(|file| &file.content.names);
    let met: HashSet<String> = all
        .map(|name| refit_base::naming::coarse(&name.name))
        .collect();
    each_in_order(
        &unedited,
        options,
        progress,
        (Input::size, Input::name),
        |input| {
            let mut file = names_of(&names::item(input), hints, &cache, compiled)?;
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
    found.extend((0..index.files.len()).flat_map(|f| index.loose_scripts_of(f, &is_below(&roots))));
    let were = before.misfits();
    let known: HashSet<_> = were.iter().map(|misfit| about(&before, misfit)).collect();
    found.retain(|misfit| !known.contains(&about(&index, misfit)));
    found.extend(index.changed_bindings(&before));
    for (f, file) in index.files.iter().enumerate() {
        if let Some(edited) = documents.get(&file.path) {
            found.extend(index.compiled_definitions(f, &|document| edited.has(document)));
        }
    }
    let path = |misfit: &Misfit| index.files.get(misfit.file).map(|file| file.path.clone());
    Ok(found
        .into_iter()
        .filter_map(|misfit| {
            Some(Across {
                path: path(&misfit)?,
                misfit,
            })
        })
        .collect())
}
