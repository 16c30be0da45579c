//! Trees into files.

use super::{
    edits,
    fresh::{self, NewPlain, ending},
    open::size_and_sum,
    options::{Options, Outputs},
    outcome::Repacked,
    paths::{file_for, folder_of, plain_name, same_path},
    progress::{Event, Progress, Task},
};
use bytes::Bytes;
use refit_base::{
    Sum,
    contract::{Followed, Model},
    format::Format,
    par,
    path::{Shown, is_hidden},
    secret,
    tree::{
        Blob, DirSource, Head, Source, Style,
        disk::{self, Backup, By, Replace, Together, Written, together},
        fold, is_project, is_tree, read_head,
        sums::{List, Sums, listed},
    },
    wire::{Cause, Error, Result},
};
use refit_bohemia::pbo::{build, litter};
use refit_files::{
    file::File,
    pipeline::{self, addon},
    registry,
};
use refit_project::Project;
use std::{
    cell::Cell,
    collections::{BTreeSet, HashMap, HashSet},
    ffi::OsString,
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Containers up to this size are read again when they were edited.
const READ_AGAIN: u64 = 64 << 20;

/// The output path for a tree.
#[derive(Clone, Debug, Default)]
pub enum Target {
    /// Next to the tree, under its own name.
    #[default]
    Beside,
    /// Into this folder, under its own name.
    Into(PathBuf),
    /// This file.
    File(PathBuf),
}

impl Target {
    /// Interprets a path: a folder if there is one, or if the path ends with a slash; otherwise a
    /// file.
    pub fn of(output: Option<&Path>) -> Self {
        match output {
            None => Target::Beside,
            Some(output)
                if output.is_dir() || output.shown().ends_with(std::path::is_separator) =>
            {
                Target::Into(output.to_owned())
            }
            Some(output) => Target::File(output.to_owned()),
        }
    }

    /// The file of a tree.
    pub fn file(&self, tree: &Path, head: &Head) -> Result<PathBuf> {
        let name = &head.source.file;
        Ok(match self {
            Target::Beside => beside(tree, file_for(tree, name)?)?,
            Target::Into(folder) => folder.join(plain_name(name)?),
            Target::File(file) => file.clone(),
        })
    }

    /// The binary config of a text: `config.cpp` becomes `config.bin`.
    fn config(&self, text: &Path) -> Result<PathBuf> {
        let is_cpp = text
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("cpp"));
        self.made_of(text, is_cpp.then_some("bin"), ["binary config", "text"])
    }

    /// The output path for another file, with a new extension; `what` both are.
    fn made_of(&self, from: &Path, end: Option<&str>, [new, old]: [&str; 2]) -> Result<PathBuf> {
        let name = || {
            let name = Path::new(from.file_name()?);
            Some(end.map_or_else(|| name.to_owned(), |end| name.with_extension(end)))
        };
        let unnamed =
            || Error::say(format!("the {new} needs a name")).hint("name the file with -o");
        let file = match self {
            Target::Beside => from.with_file_name(name().ok_or_else(unnamed)?),
            Target::Into(into) => into.join(name().ok_or_else(unnamed)?),
            Target::File(file) => file.clone(),
        };
        if same_path(&file) == same_path(from) {
            return Err(Error::say(format!("the {new} would replace its {old}"))
                .hint("name another file with -o"));
        }
        Ok(file)
    }

    /// The output path for something that is not a tree.
    fn plain(&self, from: &Path, new: &NewPlain) -> Result<PathBuf> {
        match (from.is_file(), new.format) {
            (true, Format::Rap) => self.config(from),
            (true, Format::Paa) => self.made_of(from, Some("paa"), ["texture", "picture"]),
            (true, format) => self.made_of(from, ending(format, new.game), ["file", "source"]),
            (false, format) => self.of_folder(from, ending(format, new.game)),
        }
    }

    /// The archive for a folder that is not a tree.
    fn archive(&self, folder: &Path) -> Result<PathBuf> {
        self.of_folder(folder, Some("pbo"))
    }

    /// The file of a folder, with the end of its name.
    fn of_folder(&self, folder: &Path, end: Option<&str>) -> Result<PathBuf> {
        let name = || -> Result<OsString> {
            let full = refit_base::path::canonical(folder).map_err(|e| Error::io(folder, e))?;
            let mut name = full
                .file_name()
                .ok_or_else(|| Error::say("the folder has no name").hint("name the file with -o"))?
                .to_owned();
            if let Some(end) = end {
                name.push(".");
                name.push(end);
            }
            Ok(name)
        };
        Ok(match self {
            Target::Beside => folder_of(folder).join(name()?),
            Target::Into(into) => into.join(name()?),
            Target::File(file) => file.clone(),
        })
    }
}

/// The file next to a tree. In a project the tree itself has this name: only the project knows
/// where the file belongs.
fn beside(tree: &Path, file: PathBuf) -> Result<PathBuf> {
    let project = tree.ancestors().skip(1).find(|above| is_project(above));
    match project.filter(|_| same_path(&file) == same_path(tree)) {
        None => Ok(file),
        Some(project) => {
            let project = match project.as_os_str().is_empty() {
                true => Path::new("."),
                false => project,
            };
            let error = Error::say("it is a tree of a project").in_file(tree.shown());
            Err(error.hint(format!(
                "`refit repack {}` builds its file; or name a file with -o",
                project.shown()
            )))
        }
    }
}

/// The output of `repack` for something that is not a tree.
#[derive(Clone, Debug)]
pub enum NewFile {
    /// A PBO of a folder.
    Archive(build::Options),
    /// A file of any other format.
    Plain(NewPlain),
}

/// A tree on disk that records which files were read.
pub(crate) struct Recording {
    tree: DirSource,
    read: Mutex<HashSet<String>>,
    /// The files that were read, but for those that have no private key in them.
    suspects: Mutex<BTreeSet<String>>,
    /// The output file, if it is inside the tree: it is not part of the tree.
    output: Option<String>,
    strict: bool,
}

impl Source for Recording {
    fn get(&self, path: &str) -> Result<Bytes> {
        let bytes = self.tree.get(path)?;
        // Now they are in the cache of this processor.
        self.note(path, secret::contains_private_key(path, &bytes));
        Ok(bytes)
    }
    fn blob(&self, path: &str) -> Result<Blob> {
        let blob = self.tree.blob(path)?;
        self.note(path, true);
        Ok(blob)
    }
    fn has(&self, path: &str) -> bool {
        self.tree.has(path)
    }
    fn paths(&self) -> Vec<String> {
        self.without_output(self.tree.paths())
    }
    fn below(&self, folder: &str) -> Result<Vec<String>> {
        self.tree
            .below(folder)
            .map(|paths| self.without_output(paths))
    }
    fn strict(&self) -> bool {
        self.strict
    }
}

impl Recording {
    fn without_output(&self, mut paths: Vec<String>) -> Vec<String> {
        paths.retain(|path| !self.is_output(path));
        paths
    }

    fn is_output(&self, path: &str) -> bool {
        self.output
            .as_deref()
            .is_some_and(|output| litter::is_of_archive(path, output))
    }

    fn note(&self, path: &str, is_suspect: bool) {
        if let Ok(mut read) = self.read.lock() {
            read.insert(path.to_owned());
        }
        if is_suspect && let Ok(mut suspects) = self.suspects.lock() {
            suspects.insert(path.to_owned());
        }
    }

    /// Files among `paths` in folders whose content is the list of members: new ones that were
    /// read, and ones that were deleted since the tree was made.
    fn came_and_went(&self, paths: &[String], folders: &[&str]) -> (Vec<String>, Vec<String>) {
        let inside = |path: &str| folders.iter().any(|folder| path.starts_with(folder));
        let Ok(mut gone) = List::of(&self.tree).and_then(|list| listed(&list, inside)) else {
            return Default::default();
        };
        let new: Vec<&String> = paths
            .iter()
            .filter(|path| inside(path) && !gone.remove(*path))
            .collect();
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        (
            new.into_iter()
                .filter(|path| read.contains(*path))
                .cloned()
                .collect(),
            gone.into_iter().collect(),
        )
    }

    /// Those of `paths` that no part of the tree mentions.
    fn unread(&self, paths: Vec<String>) -> Vec<String> {
        let Ok(read) = self.read.lock() else {
            return Vec::new();
        };
        let (known, mut unread): (Vec<_>, Vec<_>) =
            paths.into_iter().partition(|path| read.contains(path));
        unread.retain(|path| !is_hidden(path));
        if !unread.is_empty() && known.len() < read.len() {
            // A file system that ignores case found the others in another spelling.
            let known: HashSet<_> = known.into_iter().collect();
            let others = read
                .iter()
                .filter(|path| !known.contains(*path) && self.tree.has(path));
            let found: HashSet<String> = others.map(|path| fold(path)).collect();
            unread.retain(|path| !found.contains(&fold(path)));
        }
        unread
    }
}

pub(super) struct ReadTree {
    pub head: Head,
    pub model: File,
    source: Recording,
}

impl ReadTree {
    /// Reads a tree, and reports what is noteworthy about it. `output` is the file to write, if it
    /// is inside the tree.
    pub fn read(
        tree: &Path,
        output: Option<String>,
        options: &Options,
        progress: &dyn Progress,
        report: &mut Repacked,
    ) -> Result<Self> {
        let tree_source = DirSource::new(tree);
        let strict = options.strict;
        let source = Recording {
            tree: tree_source,
            read: Mutex::default(),
            suspects: Mutex::default(),
            output,
            strict,
        };
        let (head, model) = pipeline::assemble(&source).map_err(|e| match is_tree(tree) {
            true => e,
            false => e.hint("--format pbo makes a PBO from any folder"),
        })?;
        if !options.force {
            edits::check_format(tree, &source.tree, &head, "--force packs it anyway")?;
        }
        // Of an addon, a finding tells it.
        if head.format != Format::Pbo {
            let suspects = source.suspects.lock();
            let suspects = suspects.unwrap_or_else(PoisonError::into_inner);
            check_secrets(&source.tree, suspects.iter())?;
        }
        report.notes = model.notes().to_vec();
        if head.format == Format::Pbo {
            report
                .notes
                .extend(addon::empty_folders(&tree.join("files")));
        }
        progress.notes(tree, &report.notes);
        for change in model.followed() {
            match change {
                Followed::Added(file) => report.added.push(file.clone()),
                Followed::Removed(file) => report.removed.push(file.clone()),
            }
        }
        let paths = source.paths();
        if matches!(head.format, Format::Gamez | Format::Planes) {
            (report.added, report.removed) = source.came_and_went(&paths, &["models/", "nodes/"]);
        }
        // The format's own note about such a file is better.
        let is_noted = |path: &String| {
            model.notes().iter().any(|note| {
                note.strip_prefix(path.as_str())
                    .is_some_and(|rest| rest.starts_with(':'))
            })
        };
        for path in source
            .unread(paths)
            .into_iter()
            .filter(|path| !is_noted(path))
        {
            // The folder is the content, and packed bytes belong only to files that were not
            // edited, textures only to pictures: that was reported already.
            let known = ["files/", "packed/", "textures/"];
            if head.format == Format::Pbo && known.iter().any(|folder| path.starts_with(folder)) {
                continue;
            }
            if refit_base::path::original_of(Path::new(&path)).is_some() {
                progress.warn(&format!(
                    "{}: not packed: a copy that was kept of another file; delete it when you do not need it",
                    tree.join(path).shown()
                ));
                continue;
            }
            let is_key = source
                .tree
                .blob(&path)
                .and_then(|file| secret::is_in(&path, &file));
            if is_key.unwrap_or_default() {
                progress.warn(&format!(
                    "{}: not packed: a private key",
                    tree.join(path).shown()
                ));
                continue;
            }
            let line = registry::codec(head.format).line_for(&path, &head);
            let add = line.map_or(String::new(), |line| {
                let style = if source.has("refit.json") {
                    Style::Json
                } else {
                    Style::Ron
                };
                format!(
                    "; to pack it, add {} to `{}` in refit.{}",
                    line.spell(style),
                    line.list,
                    style.ext()
                )
            });
            progress.warn(&format!(
                "{}: not packed, because the manifest does not name it{add}",
                tree.join(path).shown()
            ));
        }
        (report.game, report.format) = (head.game, Some(head.format));
        Ok(ReadTree {
            head,
            model,
            source,
        })
    }
}

/// An error if one of these files of a tree is a private key, which would get into the file. One
/// that was in the file when it was unpacked stays in it.
pub(super) fn check_secrets<'a>(
    tree: &DirSource,
    paths: impl IntoIterator<Item = &'a String>,
) -> Result<()> {
    let paths: Vec<&String> = paths.into_iter().collect();
    let with_key = par::try_map(&paths, |_, path| match tree.blob(path) {
        Ok(file) if secret::is_in(path, &file)? => Ok(Some((*path, file))),
        _ => Ok(None),
    })?;
    let mut sums = None;
    for (path, file) in with_key.into_iter().flatten() {
        let sums = sums.get_or_insert_with(|| {
            List::of(tree)
                .and_then(|list| Sums::read(&list))
                .unwrap_or_default()
        });
        let is_known = match sums.remove(path) {
            Some(sum) => sum.fits_file(&file)?,
            None => false,
        };
        if !is_known {
            return Err(secret::error().in_file(path.as_str()));
        }
    }
    Ok(())
}

/// How a file is put in place.
pub(super) enum Placing<'a> {
    /// Not at all.
    Dry,
    /// Immediately.
    Alone,
    /// With others, when they are all written.
    With(&'a mut Together),
}

/// Writes the file of a tree or a new archive, with the permissions of `may`, unless `check`
/// refuses its checksum. `report` receives what was written, and the effects of the edits.
pub(super) fn write(
    (model, tree): (&File, Option<(&ReadTree, &Path)>),
    target: &Path,
    may: Replace<'_>,
    check: &dyn Fn(Sum) -> Result<()>,
    placing: Placing<'_>,
    progress: &dyn Progress,
    report: &mut Repacked,
) -> Result<()> {
    // Errors of the target's disk get no file name before they arrive here; all others are about
    // the tree.
    let of_tree = Cell::new(false);
    let explained = |e: Error| match tree {
        Some((tree, _)) if e.file().is_some() || !matches!(e.what(), Cause::Io(_)) => {
            of_tree.set(true);
            pipeline::explained(&tree.source, e)
        }
        _ => e,
    };
    let write =
        |out: &mut (dyn Write + Send)| pipeline::write(model.model(), out).map_err(explained);
    let source = may.source;
    let mut news = None;
    let mut check = |bytes: u64, sum: Sum| {
        check(sum)?;
        let Some((read, tree)) = tree else {
            return Ok(());
        };
        of_tree.set(true);
        check_readable(model.model(), &read.head, bytes, sum)?;
        if source != Some(sum) {
            let found = edits::of_tree(tree, &read.head, model, &[target.to_owned()])?;
            found.check_secrets()?;
            news = Some(found);
        }
        of_tree.set(false);
        Ok(())
    };
    let is_dry = matches!(placing, Placing::Dry);
    let written = match placing {
        Placing::With(together) => together.write(target, may, write, check),
        Placing::Alone => disk::write_file_checked(target, may, write, check),
        Placing::Dry => disk::check_file(target, may).and_then(|_| {
            let (bytes, sum) =
                size_and_sum(model.model(), source.unwrap_or_default()).map_err(explained)?;
            check(bytes, sum)?;
            let unchanged = pipeline::load(target)
                .and_then(|file| file.has_sum(&sum))
                .unwrap_or_default();
            Ok(Written {
                bytes,
                sum,
                unchanged,
                kept: None,
            })
        }),
    };
    // The path of the target is whole: it must not seem to be one below the tree.
    let written = written.map_err(|e| if of_tree.get() { e } else { e.elsewhere() })?;
    progress.kept(target, written.kept.as_ref());
    report.kept = written.kept.map(|kept| kept.path);
    report.unchanged = (!is_dry || report.staged).then_some(written.unchanged);
    report.bytes = Some(written.bytes);
    report.identical = tree.map(|_| source == Some(written.sum));
    // It was compared with the file that is now kept.
    if let (
        Some(edits::EditReport {
            original: Some(original),
            ..
        }),
        Some(kept),
    ) = (&mut news, &report.kept)
        && same_path(original) == same_path(target)
    {
        original.clone_from(kept);
    }
    report.news = news;
    report.sum = Some(written.sum);
    Ok(())
}

/// An error if refit itself would refuse an edited file of this size and sum.
fn check_readable(model: &dyn Model, head: &Head, bytes: u64, sum: Sum) -> Result<()> {
    // A large container is not read again: its members are not inspected, and it may be larger than
    // memory.
    let contains = matches!(head.format, Format::Pbo | Format::Sounds | Format::Archive);
    if sum != head.source.sum.wait() && (bytes <= READ_AGAIN || !contains) {
        pipeline::check_readable(model, head)
    } else {
        Ok(())
    }
}

/// Reports whether the signatures next to a new PBO still match; `same` if the PBO did not change.
pub(crate) fn signatures(target: &Path, same: bool, progress: &dyn Progress) -> Vec<String> {
    // Looking into the folder for each of thousands of other files would take the square of the time.
    let may_be_signed = target.extension().is_some_and(|end| {
        let end = end.to_string_lossy().to_ascii_lowercase();
        matches!(&*end, "pbo" | "ebo" | "xbo" | "ifa")
    });
    if !may_be_signed || addon::signatures_beside(target).is_empty() {
        return Vec::new();
    }
    let signatures = match pipeline::load(target) {
        Ok(file) => addon::describe_signatures(target, &file),
        Err(e) => vec![e.to_string()],
    };
    for signature in &signatures {
        let text = format!("signature {signature}");
        // An original that was put back fits its signature again.
        if same || signature.contains(": matches; ") {
            progress.detail(&text)
        } else {
            progress.warn(&text)
        }
    }
    signatures
}

pub(crate) fn project_above(folder: &Path) -> Option<PathBuf> {
    let whole = refit_base::path::canonical(folder).ok()?;
    whole
        .ancestors()
        .skip(1)
        .find(|above| is_project(above))
        .map(Path::to_owned)
}

/// Finishes or undoes interrupted work of another refit in the folder of a file or a tree, or above
/// it: before a file is replaced, because otherwise the work would be finished later, over the new
/// file; before a tree is read, because it may have only some of the new documents.
pub(crate) fn finish_above(
    target: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<()> {
    if let Some(folder) = together::unfinished_above(target).filter(|_| !options.dry_run) {
        progress.recovered(together::recover(&folder)?.as_ref());
    }
    Ok(())
}

/// Builds the files of trees, and new archives of other folders if `new` says how. Reports each
/// with [`Event::Repacked`] as soon as it is done; an error ends the work, unless
/// [`Options::keep_going`] is set. Nothing is done if two trees have the same output file.
pub fn trees(
    trees: &[PathBuf],
    target: &Target,
    new: Option<&NewFile>,
    options: &Options,
    progress: &dyn Progress,
) {
    if trees.len() > 1 && has_same_targets(trees, target, progress) {
        return;
    }
    let repack = Trees {
        target,
        new,
        options,
        progress,
        outputs: options.outputs(),
    };
    let task = Task::new(progress, 0);
    for tree in trees {
        task.at(&tree.shown());
        let mut report = Repacked::new(tree);
        report.error = repack.one(tree, &mut report).err().map(|e| e.about(tree));
        progress.report(Event::Repacked(&report));
        if report.error.is_some() && !options.keep_going {
            break;
        }
    }
}

/// True, with errors, if trees would be packed into the same file: only the last would be left.
fn has_same_targets(trees: &[PathBuf], target: &Target, progress: &dyn Progress) -> bool {
    let mut targets: HashMap<PathBuf, &PathBuf> = HashMap::new();
    let mut found = false;
    for tree in trees {
        // Errors in a tree are reported when it is packed.
        let Ok((_, head)) = read_head(&DirSource::new(tree)) else {
            continue;
        };
        let Ok(file) = target.file(tree, &head) else {
            continue;
        };
        if let Some(first) = targets.insert(same_path(&file), tree) {
            found = true;
            let error = Error::say(format!(
                "both {} and {} would be packed into it",
                first.shown(),
                tree.shown()
            ));
            let error =
                error.hint("nothing was written; pack one of them under another name with -o");
            progress.report(Event::Failed(&error.about(&file)));
        }
    }
    found
}

struct Trees<'a> {
    target: &'a Target,
    new: Option<&'a NewFile>,
    options: &'a Options,
    progress: &'a dyn Progress,
    outputs: Arc<Outputs>,
}

impl Trees<'_> {
    fn one(&self, tree: &Path, report: &mut Repacked) -> Result<()> {
        if let Some(NewFile::Plain(new)) = self.new
            && tree.exists()
            && !is_tree(tree)
        {
            return self.plain(tree, new, report);
        }
        if !tree.is_dir() {
            return Err(match tree.exists() {
                true => Error::say("not a folder; repack takes an unpacked tree")
                    .hint("to unpack a file: refit unpack FILE"),
                false => Error::say("there is no such folder"),
            });
        }
        if let Some(NewFile::Archive(new)) = self.new.filter(|_| !is_tree(tree)) {
            return self.archive(tree, new, report);
        }
        finish_above(tree, self.options, self.progress)?;
        // If the head cannot be read, assembling reports why.
        let target = read_head(&DirSource::new(tree))
            .ok()
            .map(|(_, head)| self.target.file(tree, &head));
        let output = target.and_then(|target| addon::below(tree, &target.ok()?));
        let read = ReadTree::read(tree, output, self.options, self.progress, report)?;
        let target = self.target.file(tree, &read.head)?;
        self.write(&read.model, Some((&read, tree)), &target, report)
    }

    /// A new file of a folder without a manifest, or of a file.
    fn plain(&self, from: &Path, new: &NewPlain, report: &mut Repacked) -> Result<()> {
        let target = self.target.plain(from, new)?;
        fresh::check_target(from, &target)?;
        (report.format, report.game) = (Some(new.format), new.game);
        let model = fresh::model(from, new, &target, self.options, self.progress, report)?;
        if !matches!(new.format, Format::Rap | Format::Paa) {
            fresh::prove(&model, new, &target, self.progress)?;
        }
        self.write(&model, None, &target, report)
    }

    /// A new archive of a folder.
    fn archive(&self, folder: &Path, new: &build::Options, report: &mut Repacked) -> Result<()> {
        let target = self.target.archive(folder)?;
        let built = addon::from_folder(folder, new, Some(&target))?;
        self.progress.notes(folder, &built.notes);
        report.format = Some(Format::Pbo);
        self.write(&built.pbo.into(), None, &target, report)
    }

    fn write(
        &self,
        model: &File,
        tree: Option<(&ReadTree, &Path)>,
        target: &Path,
        report: &mut Repacked,
    ) -> Result<()> {
        let (options, progress) = (self.options, self.progress);
        report.file = Some(target.to_owned());
        self.outputs
            .claim(target)
            .and_then(|()| finish_above(target, options, progress))
            .map_err(Error::elsewhere)?;
        // The project that the tree is in makes the same file.
        let project = tree.and_then(|(_, tree)| project_above(tree));
        let id = project.and_then(|project| Some(Project::open(&project).ok()?.own_name()));
        let may = Replace {
            backup: options.backup_or(Backup::Foreign),
            by: id.as_deref().map_or(By::Tree, By::Project),
            source: tree
                .map(|(tree, _)| tree.head.source.sum.wait())
                .filter(|sum| !sum.is_missing()),
            ..Replace::new(options.force)
        };
        let placing = if options.dry_run {
            Placing::Dry
        } else {
            Placing::Alone
        };
        write(
            (model, tree),
            target,
            may,
            &|_| Ok(()),
            placing,
            progress,
            report,
        )?;
        if !options.dry_run {
            report.signatures = signatures(target, report.is_same(), progress);
        }
        Ok(())
    }
}
