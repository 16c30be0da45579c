//! Files into trees, and a game into a project.

use super::{
    edits,
    files::{self, none_known},
    open::{self, is_private_key},
    options::{Options, Outputs},
    outcome::Unpacked,
    parallel::in_order,
    paths::{Input, folder_of, tree_for},
    progress::{Event, Progress, Task},
    unknown_files::{self, UnknownFiles},
};
use refit_base::{
    format::Format,
    game::Game,
    path::Shown,
    secret,
    tree::{
        self, Blob, DirSink, Document, Sink, Style, check_foreign_path,
        disk::{self, Replaced, StagedDir},
        manifest_path,
        sums::{self, FileSum},
    },
    wire::{Cause, Error, Result},
};
use refit_files::{
    detect::Detection,
    foreign::FileKind,
    pipeline::{self, Hints, How, Opened},
};
use refit_project::{self as project, Manifest, PROJECT_VERSION, Project, ProjectFile};
use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    io::ErrorKind,
    path::{Component, Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

/// How files are unpacked.
#[derive(Clone, Copy, Debug)]
pub struct Unpacking {
    /// Style of the documents, and extent of the proof.
    pub how: How,
    /// Take time to make the PNGs of texture packages small.
    pub small_png: bool,
    /// Keep binary configs in PBO archives unconverted.
    pub raw_members: bool,
}

impl Default for Unpacking {
    /// JSON, proved.
    fn default() -> Self {
        Unpacking {
            how: How {
                style: Style::Json,
                proof: true,
            },
            small_png: false,
            raw_members: false,
        }
    }
}

impl Unpacking {
    fn options(self) -> tree::Options {
        tree::Options {
            small_png: self.small_png,
            raw_members: self.raw_members,
            ..tree::Options::default()
        }
    }
}

/// A sink that counts files, and optionally writes them.
struct Counted<'a> {
    to: Option<&'a dyn Sink>,
    options: tree::Options,
    files: AtomicUsize,
}

impl Counted<'_> {
    /// Counts files that are not refit's own.
    fn count(&self, path: &str) {
        if !path.starts_with(".refit/") && !sums::is_of_git(path) {
            self.files.fetch_add(1, Relaxed);
        }
    }
}

impl Sink for Counted<'_> {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.count(path);
        self.to.map_or(Ok(()), |to| to.put(path, bytes))
    }
    fn put_blob(&self, path: &str, blob: &Blob) -> Result<Option<FileSum>> {
        self.count(path);
        self.to.map_or(Ok(None), |to| to.put_blob(path, blob))
    }
    fn keeps(&self) -> bool {
        self.to.is_some()
    }
    fn options(&self) -> tree::Options {
        self.options
    }
}

/// Loads and recognises a file; `report` receives its format. Fails for a private key, which gets
/// into no tree.
pub(super) fn recognised(
    input: &Input,
    options: &Options,
    report: &mut Unpacked,
) -> Result<(Blob, Detection)> {
    let file = open::load(&input.path)?;
    report.bytes = Some(file.len());
    let found = pipeline::recognise(&file, &name_of(input), options.hints).inspect_err(|_| {
        report.kind = unknown_files::recognise(&input.path, &file).map(|other| other.kind);
    })?;
    if found.format == Format::Bikey && is_private_key(&input.path, &file)? {
        report.kind = Some(FileKind::PrivateKey);
        return Err(secret::error());
    }
    (report.game, report.format) = (found.game, Some(found.format));
    Ok((file, found))
}

fn name_of(input: &Input) -> String {
    if open::is_standard_input(&input.path) {
        open::STDIN.to_owned()
    } else {
        input.name()
    }
}

/// Unpacks a recognised file; `restart` empties the sink. `report` receives what was written.
fn fill(
    (input, file, opened): (&Input, &Blob, Opened),
    unpacking: Unpacking,
    to: Option<&dyn Sink>,
    restart: &dyn Fn() -> Result<()>,
    report: &mut Unpacked,
) -> Result<()> {
    let counted = Counted {
        to,
        options: unpacking.options(),
        files: AtomicUsize::new(0),
    };
    let restart = || {
        counted.files.store(0, Relaxed);
        restart()
    };
    let outcome = pipeline::unpack_opened(
        file,
        &name_of(input),
        opened,
        unpacking.how,
        &counted,
        &restart,
    )?;
    report.sum = Some(outcome.sum);
    report.raw = outcome.raw;
    report.files = counted.files.into_inner();
    Ok(())
}

/// Unpacks files, each into a tree: next to it, or in the folder `output`, which is the tree itself
/// if there is only one file. Reports each with [`Event::Unpacked`], and returns the files of other
/// programs.
///
/// # Errors
/// No file has a known format. An error in a file given as an argument ends the work, unless
/// [`Options::keep_going`] is set.
pub fn files(
    paths: &[PathBuf],
    output: Option<&Path>,
    unpacking: Unpacking,
    options: &Options,
    progress: &dyn Progress,
) -> Result<UnknownFiles> {
    let inputs = files::files(paths, options, progress)?;
    let mut unpack = Files {
        targets: Targets::new(&inputs, output, paths),
        unpacking,
        outputs: options.outputs(),
        options,
        progress,
        is_unwritable: false,
    };
    let (mut known, mut unknown) = (0, UnknownFiles::default());
    let task = Task::new(
        progress,
        if inputs.len() > 1 {
            inputs.iter().map(Input::size).sum()
        } else {
            0
        },
    );
    for input in &inputs {
        task.at(&input.name());
        let report = unpack.one(input);
        task.done(input.size());
        progress.report(Event::Unpacked(&report));
        match report.is_unknown {
            true => unknown.add(report.kind),
            false => known += 1,
        }
        let is_last = input.explicit || unpack.is_unwritable;
        if report.error.is_some() && is_last && !options.keep_going {
            break;
        }
    }
    if known == 0 {
        Err(none_known(paths, inputs.len()))
    } else {
        Ok(unknown)
    }
}

struct Files<'a> {
    targets: Targets<'a>,
    unpacking: Unpacking,
    outputs: Arc<Outputs>,
    options: &'a Options,
    progress: &'a dyn Progress,
    /// True if trees cannot be written beside their files, as on a disc: one line says so, not one
    /// for each file.
    is_unwritable: bool,
}

impl Files<'_> {
    fn one(&mut self, input: &Input) -> Unpacked {
        let target = self.targets.of(input);
        let mut report = Unpacked::new(&input.path, &target);
        let of_target = Cell::new(false);
        match self.write(input, &target, &of_target, &mut report) {
            Err(e) if of_target.get() => report.error = Some(e),
            Err(e) => report.fail(input, &e),
            Ok(()) => {}
        }
        report
    }

    /// `is_of_target` becomes true for an error that is not about the file.
    fn write(
        &mut self,
        input: &Input,
        target: &Path,
        is_of_target: &Cell<bool>,
        report: &mut Unpacked,
    ) -> Result<()> {
        let of_target = |e: Error| {
            is_of_target.set(true);
            e
        };
        let (file, found) = recognised(input, self.options, report)?;
        self.progress
            .detail(&format!("{}: {}", name_of(input), found.evidence));
        // Games are read from discs too.
        let is_beside = self.targets.output.is_none();
        let mut is_unwritable = false;
        let mut elsewhere = |e: Error| match e.what() {
            Cause::Io(io)
                if is_beside
                    && matches!(
                        io.kind(),
                        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied
                    ) =>
            {
                is_unwritable = true;
                of_target(e.hint("-o DIR puts the trees elsewhere"))
            }
            _ => of_target(e),
        };
        let force = self.options.force;
        let exists = disk::check_folder(target, force).map_err(of_target)?;
        self.outputs.claim(target).map_err(of_target)?;
        let opened = pipeline::read(&file, found)?;
        let staged = if self.options.dry_run {
            None
        } else {
            let staged = StagedDir::new(target, force).map_err(&mut elsewhere);
            self.is_unwritable |= is_unwritable;
            Some(staged?)
        };
        let sink = staged.as_ref().map(StagedDir::sink);
        let to = sink.as_ref().map(|sink| sink as &dyn Sink);
        let restart = || sink.as_ref().map_or(Ok(()), DirSink::clear);
        fill((input, &file, opened), self.unpacking, to, &restart, report)?;
        if let Some(sink) = to {
            edits::note_source(sink, &input.path, target).map_err(of_target)?;
        }
        if let Some(staged) = staged {
            let replaced = staged.commit().map_err(of_target)?;
            report.aside = replaced.aside_of(target);
            self.progress.replaced(target, &replaced);
        } else if exists {
            let edits = disk::edits(target);
            if !edits.as_ref().is_ok_and(Vec::is_empty) {
                self.progress.warn(&format!(
                    "{}: {}; the folder would be moved aside",
                    target.shown(),
                    Replaced::describe(&edits)
                ));
            }
        }
        Ok(())
    }
}

/// The tree for each file.
struct Targets<'a> {
    output: Option<&'a Path>,
    /// There is one file, and the output is its tree.
    alone: bool,
    taken: HashSet<PathBuf>,
    /// The places below the folders that were named, and how many files have them.
    places: HashMap<PathBuf, usize>,
}

impl<'a> Targets<'a> {
    fn new(inputs: &[Input], output: Option<&'a Path>, arguments: &[PathBuf]) -> Self {
        let alone = inputs.len() == 1 && !arguments.iter().any(|path| path.is_dir());
        let mut places = HashMap::new();
        // Only files of several arguments may have one place.
        for input in inputs
            .iter()
            .filter(|_| output.is_some() && arguments.len() > 1)
        {
            *places.entry(input.relative.clone()).or_default() += 1;
        }
        Targets {
            output,
            alone,
            taken: HashSet::new(),
            places,
        }
    }

    fn of(&mut self, input: &Input) -> PathBuf {
        let folder = match self.output {
            None => folder_of(&input.path),
            Some(output) if self.alone => return output.to_owned(),
            Some(output) => {
                // `c1/reader.zbd c2/reader.zbd` keep the folders in which they differ.
                let unique = self.places.get(&input.relative).is_none_or(|n| *n == 1);
                let place = match unique {
                    true => input.relative.clone(),
                    false => input
                        .path
                        .components()
                        .filter(|c| matches!(c, Component::Normal(_)))
                        .collect(),
                };
                output.join(folder_of(&place))
            }
        };
        let target = tree_for(&input.path, &folder, &self.taken);
        self.taken.insert(target.clone());
        target
    }
}

/// A file with its number.
type Numbered<'a> = (usize, &'a Input);

/// For each file that is equal to an earlier one and is read the same way, the first such file:
/// they share a tree.
fn equal<'a>(
    inputs: &[Numbered<'a>],
    options: &Options,
    progress: &dyn Progress,
) -> HashMap<usize, &'a Input> {
    let mut sizes: HashMap<u64, usize> = HashMap::new();
    let sized: Vec<u64> = inputs.iter().map(|(_, input)| input.size()).collect();
    sized
        .iter()
        .for_each(|size| *sizes.entry(*size).or_default() += 1);
    let candidates = inputs
        .iter()
        .zip(sized)
        .filter(|(_, size)| sizes.get(size).is_some_and(|many| *many > 1));
    let candidates: Vec<Numbered<'a>> = candidates.map(|(input, _)| *input).collect();
    let (mut firsts, mut same) = (HashMap::new(), HashMap::new());
    let content = |(_, input): &Numbered<'_>| {
        let file = pipeline::load(&input.path).ok()?;
        let Detection { format, game, .. } =
            pipeline::recognise(&file, &input.name(), options.hints).ok()?;
        Some((file.sum().ok()?, format, game))
    };
    in_order(
        &candidates,
        options,
        progress,
        (size_of_input, name_of_input),
        content,
        |(number, input), content| {
            let Some(content) = content else { return };
            match firsts.get(&content) {
                Some(first) => _ = same.insert(*number, *first),
                None => _ = firsts.insert(content, *input),
            }
        },
    );
    same
}

fn size_of_input((_, input): &Numbered<'_>) -> u64 {
    input.size()
}

fn name_of_input((_, input): &Numbered<'_>) -> String {
    input.name()
}

/// The contents of a new project.
pub struct ProjectOutcome {
    /// The number of files of the game that the project has.
    pub files: usize,
    /// The number of its trees: equal files share one.
    pub trees: usize,
    /// Files of the game that belong to other programs.
    pub unknown: UnknownFiles,
}

/// Makes a project of a game's folder: a tree for each file, all in one folder that appears whole.
/// Reports each file with [`Event::Unpacked`]. With `git`, the project also has what git and
/// editors must know.
pub fn project(
    game: &Path,
    root: &Path,
    unpacking: Unpacking,
    git: bool,
    options: &Options,
    progress: &dyn Progress,
) -> Result<ProjectOutcome> {
    let paths = [game.to_owned()];
    let inputs = files::files(&paths, options, progress)?;
    let exists = disk::check_folder(root, options.force)?;
    options.outputs().claim(root)?;
    // What repack could not put into a game is refused now, before anybody edits it.
    let refusal = |input: &Input| check_foreign_path(&project::spelled(&input.relative).0).err();
    let (inputs, refused): (Vec<Input>, Vec<Input>) = inputs
        .into_iter()
        .partition(|input| refusal(input).is_none());
    let numbered: Vec<Numbered<'_>> = inputs.iter().enumerate().collect();
    let same = equal(&numbered, options, progress);
    let staged = if options.dry_run {
        None
    } else {
        Some(StagedDir::new(root, options.force)?)
    };
    let folder = staged.as_ref().map(StagedDir::folder);
    let one = |(number, input): &Numbered<'_>| -> Unpacked {
        let target = root.join(&input.relative);
        let mut report = Unpacked::new(&input.path, &target);
        let done = recognised(input, options, &mut report).and_then(|(file, found)| {
            if let Some(first) = same.get(number) {
                report.sum = Some(file.sum()?);
                report.same_as = Some(project::spelled(&first.relative).0);
                return Ok(());
            }
            project_tree(
                (input, &file, found),
                (folder.as_deref(), root),
                unpacking,
                &mut report,
            )
        });
        if let Err(e) = done {
            report.fail(input, &e);
        }
        report
    };
    let mut out = ProjectOutcome {
        files: 0,
        trees: 0,
        unknown: UnknownFiles::default(),
    };
    let (mut files, mut games, mut failed) = (Vec::new(), [0usize; Game::ALL.len()], false);
    let mut readers: Vec<String> = Vec::new();
    in_order(
        &numbered,
        options,
        progress,
        (size_of_input, name_of_input),
        one,
        |(_, input), report| {
            progress.report(Event::Unpacked(&report));
            if report.is_unknown {
                out.unknown.add(report.kind);
                return;
            }
            let Some(entry) = entry(input, &report) else {
                failed = true;
                return;
            };
            if let Some(n) = Game::ALL
                .iter()
                .position(|game| Some(*game) == entry.game)
                .and_then(|n| games.get_mut(n))
            {
                *n += 1;
            }
            if entry.same_as.is_none() {
                out.trees += 1;
                readers.extend((entry.format == Format::Reader).then(|| entry.file.clone()));
            }
            files.push(entry);
        },
    );
    for input in &refused {
        let mut report = Unpacked::new(&input.path, &root.join(&input.relative));
        let known = recognised(input, options, &mut report);
        if let Some(e) = known
            .err()
            .or_else(|| refusal(input).map(|e| e.hint("rename it, or leave it out with --exclude")))
        {
            report.fail(input, &e);
            failed |= !report.is_unknown;
        }
        progress.report(Event::Unpacked(&report));
    }
    if files.is_empty() && !failed {
        return Err(none_known(&paths, inputs.len()));
    }
    out.files = files.len();
    let most = games
        .iter()
        .zip(Game::ALL)
        .max_by_key(|(n, _)| **n)
        .filter(|(n, _)| **n > 0)
        .map(|(_, game)| game);
    let source = refit_base::path::canonical(game).map_err(|e| Error::io(game, e))?;
    if let Some(staged) = staged {
        let others = out.unknown.len();
        finish_project(
            staged,
            (root, &source),
            (most, others, files),
            git.then_some(&readers),
            progress,
        )?;
    } else if exists && !disk::edits(root).as_ref().is_ok_and(Vec::is_empty) {
        progress.warn(&format!(
            "{}: it was edited; the folder would be moved aside",
            root.shown()
        ));
    }
    Ok(out)
}

/// The tree of a file in a project that is filled in `folder` and will be at `root`.
pub(super) fn project_tree(
    (input, file, found): (&Input, &Blob, Detection),
    (folder, root): (Option<&Path>, &Path),
    unpacking: Unpacking,
    report: &mut Unpacked,
) -> Result<()> {
    let opened = pipeline::read(file, found)?;
    let sink = folder.map(|folder| DirSink::new(folder.join(&input.relative)));
    let to = sink.as_ref().map(|sink| sink as &dyn Sink);
    let restart = || sink.as_ref().map_or(Ok(()), DirSink::clear);
    fill((input, file, opened), unpacking, to, &restart, report)?;
    to.map_or(Ok(()), |sink| {
        edits::note_source(sink, &input.path, &root.join(&input.relative))
    })
}

/// Makes the tree of one file of the game in a project that does not have it yet, and returns the
/// row for the project's manifest. The file is the original, if the game's own was replaced, and the
/// one that the project came from, if its manifest has the file.
///
/// # Errors
/// If the game does not have the file, or has another edition of it, or if refit does not know its
/// format.
pub fn add_tree(
    project: &Project,
    game: &Path,
    file: &Path,
    unpacking: Unpacking,
    options: &Options,
) -> Result<ProjectFile> {
    check_foreign_path(&project::spelled(file).0)?;
    let in_game = game.join(file);
    let known = project.entry(file);
    let mut found = None;
    for path in [disk::original_path(&in_game), in_game.clone()] {
        if found.is_some() || !path.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
            continue;
        }
        let content = pipeline::load(&path)?;
        let is_it = match known {
            Some(entry) => content.has_sum(&entry.sum)?,
            None => true,
        };
        found = is_it.then_some((path, content));
    }
    let (path, content) = found.ok_or_else(|| {
        Error::say(match known {
            Some(_) => "the game has another edition of this file than the project",
            None => "the game has no such file",
        })
        .in_file(in_game.shown())
        .hint("nothing was written")
    })?;
    let tree = project.root.join(file);
    // Its name and its place are those of the game's file, and not those of the kept copy.
    let input = Input {
        path: in_game,
        relative: file.to_owned(),
        explicit: true,
    };
    let mut report = Unpacked::new(&input.path, &tree);
    let hints = Hints {
        game: known.and_then(|entry| entry.game).or(options.hints.game),
        format: known.map(|entry| entry.format).or(options.hints.format),
    };
    let found = pipeline::recognise(&content, &input.name(), hints)?;
    if found.format == Format::Bikey && is_private_key(&path, &content)? {
        return Err(secret::error().in_file(path.shown()));
    }
    (report.bytes, report.game, report.format) =
        (Some(content.len()), found.game, Some(found.format));
    let opened = pipeline::read(&content, found)?;
    let staged = StagedDir::new(&tree, false)?;
    let sink = staged.sink();
    let restart = || sink.clear();
    fill(
        (&input, &content, opened),
        unpacking,
        Some(&sink),
        &restart,
        &mut report,
    )?;
    edits::note_source(&sink, &input.path, &tree)?;
    staged.commit()?;
    entry(&input, &report).ok_or_else(|| Error::say("this file has no tree").in_file(path.shown()))
}

/// Makes a project of a game that has no trees yet: [`add_tree`] adds each before its first edit.
///
/// # Errors
/// If the folder exists already, or is inside of the game.
pub fn empty_project(game: &Path, root: &Path) -> Result<()> {
    if !game.is_dir() {
        return Err(Error::say("not a folder").in_file(game.shown()));
    }
    let source = refit_base::path::canonical(game).map_err(|e| Error::io(game, e))?;
    let whole = refit_base::path::whole_place(root).map_err(|e| Error::io(root, e))?;
    // It would be taken for a part of the game.
    if whole.starts_with(&source) {
        return Err(Error::say("a project cannot be inside of its game")
            .in_file(root.shown())
            .hint("name a folder beside the game"));
    }
    disk::check_folder(root, false)?;
    finish_project(
        StagedDir::new(root, false)?,
        (root, &source),
        (None, 0, Vec::new()),
        Some(&Vec::new()),
        &crate::Quiet,
    )
}

/// A file that was unpacked, in the manifest of its project; `None` if it has no tree.
pub(super) fn entry(input: &Input, report: &Unpacked) -> Option<ProjectFile> {
    let (None, Some(sum), Some(format)) = (&report.error, report.sum, report.format) else {
        return None;
    };
    let (file, file_hex) = project::spelled(&input.relative);
    let (bytes, game, same_as) = (
        report.bytes.unwrap_or_default(),
        report.game,
        report.same_as.clone(),
    );
    Some(ProjectFile {
        file,
        file_hex,
        bytes,
        sum,
        game,
        format,
        same_as,
    })
}

/// Moves a project, whose trees were filled in `staged`, to its final path.
pub(super) fn finish_project(
    staged: StagedDir,
    (root, source): (&Path, &Path),
    (game, others, files): (Option<Game>, usize, Vec<ProjectFile>),
    git: Option<&Vec<String>>,
    progress: &dyn Progress,
) -> Result<()> {
    let folder = staged.folder();
    let refit = env!("CARGO_PKG_VERSION").to_owned();
    let manifest = Manifest {
        refit,
        project: PROJECT_VERSION,
        game,
        source: String::new(),
        others,
        files,
    };
    write_own(&DirSink::new(&folder), &manifest, git)?;
    project::note_game(&DirSink::new(&folder), &folder, root, source)?;
    progress.replaced(root, &staged.commit()?);
    Ok(())
}

/// Writes the files of a project besides its trees; with git, also settings for git and editors,
/// given the trees of readers.
fn write_own(sink: &DirSink, manifest: &Manifest, git: Option<&Vec<String>>) -> Result<()> {
    let mut list = sums::Sums::default();
    let mut put = |path: &str, text: &str| {
        sink.put(path, text.as_bytes())?;
        list.add(path, FileSum::new(text.as_bytes(), true));
        Ok::<(), Error>(())
    };
    put(&manifest_path(Style::Json), &manifest.to_text(Style::Json)?)?;
    if let Some(readers) = git {
        put(".gitattributes", project::GIT_ATTRIBUTES)?;
        put(".gitignore", project::GIT_IGNORE)?;
        for (path, text) in project::editor_settings(manifest.game, readers) {
            put(&path, &text)?;
        }
    }
    list.put(sink)
}
