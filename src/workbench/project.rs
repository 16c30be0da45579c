//! Projects: their edits, and the files of the game that are built from these.

use super::{
    changes::changes,
    definitions::OfTree,
    options::Options,
    outcome::Repacked,
    parallel::in_order,
    progress::{Event, Progress, Task},
    repack::{Placing, ReadTree, finish_above, write},
    writer::Writer,
};
use refit_base::{
    Sum,
    format::Format,
    lint::Finding,
    path::Shown,
    tree::{
        DirSource, Head, Source, Style, check_foreign_path,
        disk::{self, Backup, By, Change, Note, Original, Replace, Together},
    },
    wire::{Error, Result, count},
};
use refit_files::{
    file::File,
    game_files::fold,
    pipeline::{self, Hints},
};
use refit_mods::{AppliedMods, HeldFile, OnTop};
use refit_project::{self as project, Project, Work};
use refit_zipper::anim::Anim;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    path::{Path, PathBuf},
};

/// The edited trees of a project, and the edited folders of definitions that belong to them, with
/// the edits; an error if these are unknown.
type Edited = BTreeMap<PathBuf, Result<Vec<(String, Change)>>>;

fn edited(project: &Project, options: &Options, progress: &dyn Progress) -> Result<Edited> {
    let folders = project.folders()?;
    let mut out = Edited::new();
    let look = |folder: &PathBuf| changes(&project.root.join(folder));
    in_order(
        &folders,
        options,
        progress,
        (|_: &PathBuf| 1, |folder: &PathBuf| folder.shown()),
        look,
        |folder, changes| {
            if !changes.as_ref().is_ok_and(Vec::is_empty) {
                out.insert(folder.clone(), changes);
            }
        },
    );
    Ok(out)
}

/// Warns of folders of definitions that belong to no file of the project.
pub(crate) fn report_strays(project: &Project, progress: &dyn Progress) -> Result<()> {
    for stray in project
        .definitions()?
        .iter()
        .filter(|definitions| definitions.tree.is_none())
    {
        progress.warn(&format!(
            "{}: definitions of no file of the project; decompile one of its trees (refit anim decompile TREE -o \
            FOLDER)",
            project.root.join(&stray.folder).shown()
        ));
    }
    Ok(())
}

/// The files that a project added to a game and whose trees it no longer has, by their paths in the
/// game. What the game had before is never among them.
fn left_over(project: &Project, game: &Path, works: &[Work<'_>]) -> Vec<PathBuf> {
    let Some(id) = project.known_name() else {
        return Vec::new();
    };
    let by = By::Project(&id).word();
    let known: BTreeSet<&Path> = works.iter().map(|work| work.file.as_path()).collect();
    let mut out = Vec::new();
    let below = walkdir::WalkDir::new(game).min_depth(1).sort_by_file_name();
    let is_own = |name: &std::ffi::OsStr| name == ".git" || name == ".refit";
    for entry in below
        .into_iter()
        .filter_entry(|entry| !is_own(entry.file_name()))
        .filter_map(Result::ok)
    {
        let path = entry.path();
        let Ok(file) = path.strip_prefix(game) else {
            continue;
        };
        if entry.file_type().is_file()
            && !known.contains(file)
            && Note::of(path).is_some_and(|note| note.by == by)
            && disk::is_added(path)
        {
            out.push(file.to_owned());
        }
    }
    out
}

/// The edits in a project.
pub struct Edits {
    /// Paths below the project, and their changes; a whole tree that was added or deleted has a
    /// path that ends with a slash.
    pub files: Vec<(String, Change)>,
    /// Those of `files` that the project added to the game: `repack` removes them there.
    pub left: BTreeSet<String>,
    /// The number of trees and folders of definitions that were edited or added.
    pub trees: usize,
    /// For each folder of definitions that was edited: what `repack` finds in it, or why it refuses
    /// it.
    pub definitions: Vec<(PathBuf, Result<Vec<Finding>>)>,
}

impl Edits {
    /// Finds the edits. A tree that cannot be compared is reported with [`Event::Failed`].
    pub fn of(project: &Project, options: &Options, progress: &dyn Progress) -> Result<Self> {
        let (works, missing) = project.works_and_missing()?;
        let left = match project.source() {
            Some(game) if game.is_dir() => left_over(project, &game, &works),
            _ => Vec::new(),
        };
        let added: BTreeSet<PathBuf> = works
            .into_iter()
            .filter(|work| work.entry.is_none())
            .map(|work| work.tree)
            .collect();
        report_strays(project, progress)?;
        let mut changes = edited(project, options, progress)?;
        // An added tree is one change, edited or not.
        added.iter().for_each(|tree| {
            _ = changes
                .entry(tree.clone())
                .or_insert_with(|| Ok(Vec::new()))
        });
        let (mut files, mut trees) = (Vec::new(), 0);
        for (tree, changes) in &changes {
            let name = project::spelled(tree).0;
            match changes {
                Err(e) => {
                    progress.report(Event::Failed(&e.clone().about(&project.root.join(tree))))
                }
                Ok(_) if added.contains(tree) => {
                    trees += 1;
                    files.push((name + "/", Change::Added));
                }
                Ok(changes) => {
                    trees += usize::from(!changes.is_empty());
                    files.extend(
                        changes
                            .iter()
                            .map(|(file, change)| (format!("{name}/{file}"), *change)),
                    );
                }
            }
        }
        // A file that shares its tree is not missing with it.
        let gone = missing.iter().filter(|entry| entry.same_as.is_none());
        let gone = gone.filter(|entry| entry.path().is_none_or(|file| !left.contains(&file)));
        files.extend(gone.map(|entry| (format!("{}/", entry.file), Change::Deleted)));
        let left = left.iter().map(|file| project::spelled(file).0 + "/");
        let left = BTreeSet::from_iter(left);
        files.extend(left.iter().map(|file| (file.clone(), Change::Deleted)));
        files.sort_by_cached_key(|(file, change)| (file.clone(), change.to_string()));
        let is_edited = |folder: &Path| {
            Ok(changes
                .get(folder)
                .is_some_and(|changes| changes.as_ref().is_ok_and(|list| !list.is_empty())))
        };
        let definitions = compile_edited(project, options, &is_edited)?;
        let findings = |one: Compiled| (one.folder, one.made.map(|(_, _, findings)| findings));
        let definitions = definitions.into_iter().map(findings).collect();
        if let Some(game) = project.source() {
            disk::note_unfinished(&game);
        }
        Ok(Edits {
            files,
            left,
            trees,
            definitions,
        })
    }
}

/// An animation file of a project as [`repack`] builds it from its tree and edited definitions.
pub(crate) struct Compiled {
    /// The folder of the definitions.
    pub folder: PathBuf,
    pub tree: PathBuf,
    /// The file, and the findings of compiling it; or the reason why [`repack`] refuses the
    /// definitions.
    pub made: Result<(Head, Anim, Vec<Finding>)>,
}

/// Compiles the edited definitions of a project, as [`repack`] does. `is_edited` filters the
/// folders, by their paths in the project.
pub(crate) fn compile_edited(
    project: &Project,
    options: &Options,
    is_edited: &dyn Fn(&Path) -> Result<bool>,
) -> Result<Vec<Compiled>> {
    let game = project.source();
    let mut out = Vec::new();
    for work in project.works()? {
        // Files that share a tree share its definitions.
        let Some(folder) = work
            .definitions
            .filter(|_| work.file == work.tree && options.filter.takes(&work.file))
        else {
            continue;
        };
        let (tree, place) = (project.root.join(&work.tree), project.root.join(&folder));
        let made = (|| {
            if !is_edited(&folder)? {
                return Ok(None);
            }
            let (head, model) = pipeline::assemble(&DirSource::new(&tree))?;
            let near = Vec::from_iter(game.as_ref().map(|game| game.join(&work.file)));
            let mut definitions = OfTree::new(&project.root, place.clone());
            let (both, _) = definitions.with_tree(&tree, &head, &model, &near, &BTreeSet::new())?;
            Ok(Some((head, both, definitions.findings().to_vec())))
        })();
        if let Some(made) = made.map_err(|e: Error| e.about(&tree)).transpose() {
            out.push(Compiled {
                folder: place,
                tree,
                made,
            });
        }
    }
    Ok(out)
}

/// An error for a file that the game does not have, and that a project may not bring into it.
pub(crate) fn check_new(file: &Path, format: Format, force: bool) -> Result<()> {
    let name = project::spelled(file).0;
    check_foreign_path(&name)?;
    if format == Format::Raw && !force {
        return Err(Error::say(
            "a new file of no known format, which repack does not add to the game by default",
        )
        .in_file(name)
        .hint("--force adds it; a mod can add it too"));
    }
    Ok(())
}

/// The changes in a game.
pub struct Outcome {
    /// The trees that were built.
    pub built: Vec<Repacked>,
    /// Files whose edits were taken back in the project: they are the originals again.
    pub restored: Vec<PathBuf>,
    /// Files whose edits were taken back in the project: they are what the mods made again.
    pub of_mods: Vec<PathBuf>,
    /// Files that the project had added, and that were removed with their trees.
    pub removed: Vec<PathBuf>,
    /// The number of files that were not edited.
    pub unedited: usize,
}

/// The change of a file of the game.
enum Step {
    /// It stays.
    Leave,
    /// Restore the original.
    Restore(Original),
    /// Restore the result of the mods.
    OfMods(HeldFile),
    /// Build it from its tree, and from these definitions if they were edited.
    Build {
        definitions: Option<PathBuf>,
        held: Option<HeldFile>,
    },
}

/// A project that is being put into a game.
struct Repack<'a> {
    project: &'a Project,
    game: &'a Path,
    by: By<'a>,
    changes: Edited,
    options: &'a Options,
    progress: &'a dyn Progress,
    together: Option<Together>,
    /// True if the game is not what the project came from: unedited files that it lacks are left
    /// out, and edited ones are additions.
    is_other: bool,
}

/// Builds the edited files of a project and puts them into the game's folder: all or none.
///
/// # Errors
/// If a tree could not be built, which is reported with [`Event::Repacked`], nothing is changed.
pub fn repack(
    project: &Project,
    game: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Outcome> {
    let id = project.own_name();
    let (works, missing) = project.works_and_missing()?;
    works
        .iter()
        .try_for_each(|work| finish_above(&project.root.join(&work.tree), options, progress))?;
    let (together, recovered) = match options.dry_run {
        true => (None, None),
        false => Together::begin(game, "repack")
            .map(|(together, recovered)| (Some(together), recovered))?,
    };
    progress.recovered(recovered.as_ref());
    report_strays(project, progress)?;
    let changes = edited(project, options, progress)?;
    let mut repack = Repack {
        project,
        game,
        by: By::Project(&id),
        changes,
        options,
        progress,
        together,
        is_other: false,
    };
    let (mut mods, mut failed) = (AppliedMods::default(), 0);
    repack.is_other = repack.is_other_game(&works, &mut mods)?;
    let mut out = Outcome {
        built: Vec::new(),
        restored: Vec::new(),
        of_mods: Vec::new(),
        removed: Vec::new(),
        unedited: 0,
    };
    let left = left_over(project, game, &works);
    let task = Task::new(progress, 0);
    for work in works
        .into_iter()
        .filter(|work| options.filter.takes(&work.file))
    {
        let tree = project.root.join(&work.tree);
        task.at(&tree.shown());
        let mut report = Repacked {
            staged: true,
            ..Repacked::new(&tree)
        };
        let done = repack
            .plan(&work, &mut mods)
            .and_then(|step| repack.carry_out(&work, step, &mut out, &mut report));
        report.error = done.err().map(|e| e.about(&tree));
        failed += usize::from(report.error.is_some());
        if report.file.is_some() || report.error.is_some() {
            progress.report(Event::Repacked(&report));
            out.built.push(report);
        }
    }
    let is_left =
        |entry: &&&project::ProjectFile| entry.path().is_some_and(|file| left.contains(&file));
    let missing = missing.iter().filter(|entry| entry.same_as.is_none());
    for entry in missing.filter(|entry| !is_left(entry)) {
        progress.warn(&format!(
            "{}: the tree is gone; the game's file is left unchanged",
            project.root.join(&entry.file).shown()
        ));
    }
    for file in left.iter().filter(|file| options.filter.takes(file)) {
        repack.take_out(file, &mut mods, &mut out)?;
    }
    drop(task);
    if failed > 0 {
        return Err(Error::say("nothing was put in place").in_file(game.shown()));
    }
    if let Some(together) = repack.together {
        together.commit()?;
        let root = refit_base::path::canonical(game).map_err(|e| Error::io(game, e))?;
        for folder in out.removed.iter().filter_map(|file| file.parent()) {
            if let Ok(folder) = refit_base::path::canonical(folder) {
                disk::remove_left_empty(&folder, &root);
            }
        }
        for report in &mut out.built {
            let target = report.file.clone().unwrap_or_default();
            report.signatures = super::repack::signatures(&target, report.is_same(), progress);
        }
    }
    Ok(out)
}

impl Repack<'_> {
    fn is_edited(&self, folder: &Path, tree: &Path) -> Result<bool> {
        match self.changes.get(folder) {
            Some(Ok(changes)) => Ok(!changes.is_empty()),
            Some(Err(e)) if folder == tree => Err(e.clone().elsewhere()),
            Some(Err(e)) => Err(e.clone().about(&self.project.root.join(folder)).elsewhere()),
            None => Ok(false),
        }
    }

    /// True, with a warning, if the game lacks files of the project, and others are not those that
    /// the project came from: the missing files belong to another state of the game, such as one
    /// with mods.
    fn is_other_game(&self, works: &[Work<'_>], mods: &mut AppliedMods) -> Result<bool> {
        let (mut absent, mut unedited, mut present) = (false, Vec::new(), Vec::new());
        for work in works
            .iter()
            .filter(|work| self.options.filter.takes(&work.file))
        {
            let Some(entry) = work.entry else { continue };
            let folders = [Some(&work.tree), work.definitions.as_ref()];
            let edited = folders
                .into_iter()
                .flatten()
                .any(|folder| self.changes.contains_key(folder));
            let target = self.game.join(&work.file);
            let lacks = target.symlink_metadata().is_err()
                && disk::original_path(&target).symlink_metadata().is_err()
                && mods.of_file(&target)?.is_none();
            absent |= lacks;
            match (lacks, edited) {
                (true, false) => unedited.push(&work.file),
                (false, false) => present.push((target, entry)),
                (_, true) => {}
            }
        }
        if !absent {
            return Ok(false);
        }
        let is_it = |path: &Path, entry: &project::ProjectFile| {
            disk::has_content(path, entry.bytes, &entry.sum)
        };
        let is_other = |(target, entry): &&(PathBuf, &project::ProjectFile)| {
            !is_it(target, entry) && !is_it(&disk::original_path(target), entry)
        };
        let Some((other, _)) = present.iter().find(is_other) else {
            return Ok(false);
        };
        let left = match unedited.first().filter(|_| !self.options.force) {
            Some(first) => format!(
                "; left out {} that it lacks, such as {} (--force adds them)",
                count(unedited.len(), "unedited file"),
                first.shown()
            ),
            None => String::new(),
        };
        let other = other.strip_prefix(self.game).unwrap_or(other).shown();
        self.progress.warn(&format!(
            "{}: not the game that the project came from, because {other} is another file{left}",
            self.game.shown()
        ));
        Ok(true)
    }

    fn plan(&self, work: &Work<'_>, mods: &mut AppliedMods) -> Result<Step> {
        let target = self.game.join(&work.file);
        // Unedited definitions are equal to the file that they came from.
        let definitions = match &work.definitions {
            Some(folder) if self.is_edited(folder, &work.tree)? => {
                Some(self.project.root.join(folder))
            }
            _ => None,
        };
        let edited = self.is_edited(&work.tree, &work.tree)?
            || work.entry.is_none()
            || definitions.is_some();
        let absent = target.symlink_metadata().is_err();
        let held = mods.of_file(&target)?;
        if edited || absent && held.is_none() && (!self.is_other || self.options.force) {
            return Ok(Step::Build { definitions, held });
        }
        // Changes by mods to a file that is not edited here stay, without edits of before.
        Ok(match held {
            Some(held) if self.is_own_build(&target, &held)? => Step::OfMods(held),
            Some(_) => Step::Leave,
            None => self
                .taken_back(work, &target)?
                .map_or(Step::Leave, Step::Restore),
        })
    }

    /// True if the project built the game's file on top of the result of the mods.
    fn is_own_build(&self, target: &Path, held: &HeldFile) -> Result<bool> {
        let now = disk::standing(target)?;
        let is_of_mods = now
            .zip(held.file.written)
            .is_some_and(|(now, written)| disk::is_sum_of(target, now, written));
        let is_own = |note: Note| note.by == self.by.word();
        Ok(!is_of_mods
            && now
                .and_then(|sum| disk::own_note(target, sum))
                .is_some_and(is_own))
    }

    /// The file with the edits of the project and the changes of the mods; `None` if the project
    /// has these already, because it came from the game with the mods.
    fn on_top(
        &self,
        held: &HeldFile,
        target: &Path,
        original: Sum,
        (file, head): (&File, &Head),
    ) -> Result<Option<File>> {
        let is = |path: &Path, listed: Option<Sum>| {
            listed.is_some_and(|listed| disk::are_sums_of(path, listed, original))
        };
        if is(target, held.file.written) {
            return Ok(None);
        }
        let root = &self.project.root;
        if !is(&disk::original_path(target), held.file.original) {
            let name = root.file_name().unwrap_or_default().to_string_lossy();
            let both = format!(
                "make a mod of the project (refit mod make {} -o {name}.refitmod) and apply it (refit mod apply \
                {name}.refitmod --to {})",
                root.shown(),
                held.root.shown()
            );
            return Err(held.refused(target, Some(&both)));
        }
        let mut bytes = Vec::new();
        pipeline::write(file.model(), &mut bytes)?;
        let name = root.file_name().unwrap_or_default().to_string_lossy();
        let hints = Hints::of_tree(head);
        match held.on_top(&name, &bytes.into(), hints)? {
            OnTop::File(bytes) => {
                pipeline::open(&bytes, &target.shown(), hints).map(|opened| Some(opened.model))
            }
            OnTop::Conflicts(texts) => {
                let what = match texts.len() {
                    1 => texts.join(""),
                    n => format!("{}: {}", count(n, "conflict"), texts.join("; ")),
                };
                Err(Error::say(what).hint(format!(
                    "nothing was written; change one of both, or remove the mod: refit mod remove {} --from {}",
                    held.names(),
                    held.root.shown()
                )))
            }
        }
    }

    /// Plans to remove a file that the project added and whose tree it no longer has, unless mods or
    /// another hand changed the file since.
    fn take_out(&mut self, file: &Path, mods: &mut AppliedMods, out: &mut Outcome) -> Result<()> {
        let target = self.game.join(file);
        let is_own = disk::current_note(&target).is_some();
        if mods.of_file(&target)?.is_some() || !is_own && !self.options.force {
            self.progress.warn(&format!(
                "{}: the project added this file and no longer has its tree, but the file was changed since, so it \
                stays; refit restore removes it, and keeps a copy",
                target.shown()
            ));
            return Ok(());
        }
        if let Some(together) = &mut self.together {
            together.remove_added(&target, None)?;
        }
        out.removed.push(target);
        Ok(())
    }

    /// The original, if the game still has an edit that is no longer in the tree.
    fn taken_back(&self, work: &Work<'_>, target: &Path) -> Result<Option<Original>> {
        let Some(entry) = work.entry else {
            return Ok(None);
        };
        let backup = disk::original_path(target);
        let pristine = |path: &Path| -> Result<bool> {
            let meta = path
                .symlink_metadata()
                .ok()
                .filter(|meta| meta.is_file() && meta.len() == entry.bytes);
            Ok(meta.is_some() && pipeline::load(path)?.has_sum(&entry.sum)?)
        };
        let is_edit = backup.is_file() && !pristine(target)? && pristine(&backup)?;
        match is_edit && matches!(Writer::of(target, entry.sum, self.by)?, Writer::Known) {
            true => disk::original(target).map(Some),
            false => Ok(None),
        }
    }

    fn carry_out(
        &mut self,
        work: &Work<'_>,
        step: Step,
        out: &mut Outcome,
        report: &mut Repacked,
    ) -> Result<()> {
        match step {
            Step::Leave => out.unedited += 1,
            Step::Restore(original) => {
                if let Some(together) = &mut self.together {
                    together.restore(&original)?;
                }
                out.restored.push(self.game.join(&work.file));
            }
            Step::OfMods(held) => {
                let target = self.game.join(&work.file);
                let bytes = held.of_mods()?;
                let now = disk::standing(&target)?;
                let may = Replace {
                    read: now,
                    by: By::Mods,
                    ..Replace::new(true)
                };
                if let Some(together) = &mut self.together {
                    let write = |out: &mut (dyn Write + Send)| {
                        out.write_all(&bytes).map_err(Error::stopped)
                    };
                    together.write(&target, may, write, |_, _| Ok(()))?;
                }
                out.of_mods.push(target);
            }
            Step::Build { definitions, held } => {
                self.build(work, definitions, held.as_ref(), report)?
            }
        }
        Ok(())
    }

    /// Warns of edited documents of readers that define animations, if the project has the
    /// compiled file that the game takes them from. `lint --since` says which.
    fn note_definitions(&self, work: &Work<'_>, tree: &Path) -> Result<()> {
        let place = work.file.parent().map(|folder| fold(&folder.shown()));
        let is_compiled = |file: &str| {
            let folded = fold(file);
            let (folder, name) = folded.rsplit_once('/').unwrap_or(("", &folded));
            let below = place.as_deref().is_some_and(|place| {
                let rest = folder.strip_prefix(place);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            below
                && name
                    .strip_suffix("anim.zbd")
                    .is_some_and(|end| matches!(end, "" | "mis_" | "cam_"))
        };
        let Some(compiled) = self
            .project
            .entries()
            .map(|(_, entry)| entry.file.as_str())
            .find(|file| is_compiled(file))
        else {
            return Ok(());
        };
        let source = DirSource::new(tree);
        for (file, change) in changes(tree)? {
            if change == Change::Deleted || Style::of(&file).is_none() {
                continue;
            }
            let text = source.blob(&file)?.bytes()?;
            if String::from_utf8_lossy(&text).contains("\"ANIMATION_NAME\"") {
                self.progress.warn(&format!(
                    "{}: defines animations, which the game takes from {compiled}, not from here; put them into \
                    defs/, as `refit anim decompile` does",
                    tree.join(&file).shown()
                ));
            }
        }
        Ok(())
    }

    /// Builds the file of a tree and its edited definitions as a staging file.
    fn build(
        &mut self,
        work: &Work<'_>,
        definitions: Option<PathBuf>,
        held: Option<&HeldFile>,
        report: &mut Repacked,
    ) -> Result<()> {
        let (options, progress) = (self.options, self.progress);
        let (tree, target) = (report.tree.clone(), self.game.join(&work.file));
        let read = ReadTree::read(&tree, None, options, progress, report)?;
        if read.head.format == Format::Reader {
            self.note_definitions(work, &tree)?;
        }
        let both = match definitions {
            Some(folder) => {
                let mut definitions = OfTree::new(&self.project.root, folder);
                let near = std::slice::from_ref(&target);
                let (both, counts) = definitions.with_tree(
                    &tree,
                    &read.head,
                    &read.model,
                    near,
                    &BTreeSet::new(),
                )?;
                definitions.report(progress);
                report.definitions = Some(counts);
                Some(File::from(both))
            }
            None => None,
        };
        let file = both.as_ref().unwrap_or(&read.model);
        report.file = Some(target.clone());
        let now = disk::standing(&target)?;
        let original = work
            .entry
            .map_or(read.head.source.sum.wait(), |entry| entry.sum);
        let merged = match held {
            Some(held) => self.on_top(held, &target, original, (file, &read.head))?,
            None => None,
        };
        let file = merged.as_ref().unwrap_or(file);
        report.mods = held.map_or_else(Vec::new, |held| held.file.mods.clone());
        let is_of_mods = held.is_some_and(|held| match (held.file.written, now) {
            (Some(written), Some(now)) => disk::is_sum_of(&target, now, written),
            (written, now) => written == now,
        });
        let writer = Writer::of(&target, original, self.by)?;
        if matches!(writer, Writer::None) {
            check_new(&work.file, read.head.format, options.force)?;
        }
        let may = Replace {
            backup: options.backup_or(Backup::Foreign),
            source: Some(original),
            // The result of the mods can be made again: it is not kept.
            read: now.filter(|_| is_of_mods),
            by: self.by,
            // `restore` removes a file that the game does not have.
            adds: (matches!(writer, Writer::None) && (work.entry.is_none() || self.is_other))
                .then_some(work.file.as_path()),
            ..Replace::new(true)
        };
        let check = |sum: Sum| match is_of_mods || options.force {
            true => Ok(()),
            false => writer.check(&target, sum),
        };
        let placing = self.together.as_mut().map_or(Placing::Dry, Placing::With);
        write(
            (file, Some((&read, &tree))),
            &target,
            may,
            &check,
            placing,
            progress,
            report,
        )
    }
}
