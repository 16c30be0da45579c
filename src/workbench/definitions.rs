//! A folder of definitions that is watched, or that belongs to a project: it is compiled over the
//! file that it came from.

use super::{
    anim_places::{Places, Wanted, compiled_file, is_there, manifest},
    edits,
    open::size_and_sum,
    progress::{Event, Progress},
    surroundings::of_project,
    writer::Writer,
};
use refit_anim_source::{self as anim_source, Again, Base, Compiled, Options, Sources, Status};
use refit_base::{
    Sum,
    contract::Model as _,
    format::Format,
    lint::{Finding, Severity},
    path::Shown,
    tree::{
        DirSource, Head,
        disk::{self, Replace},
    },
    wire::{Error, Result, place, shorten},
};
use refit_diff::Tree;
use refit_files::{
    file::File,
    pipeline::{self, Hints},
};
use refit_mods as mods;
use refit_zipper::anim::Anim;
use std::{
    collections::BTreeSet,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A folder of definitions, and the file that it came from.
pub struct Definitions {
    folder: PathBuf,
    /// The path of that file.
    pub path: PathBuf,
    base: Arc<Base>,
    sum: Sum,
    again: Again,
    /// The last compilation, if it succeeded.
    last: Option<Anim>,
    /// True if only edited files were compiled since the last full compilation.
    unproved: bool,
    /// The world, the sounds and the effects of the project.
    options: Arc<Options>,
    /// The findings of the last compilation.
    findings: Vec<Finding>,
}

impl Definitions {
    /// Opens a folder that `refit anim decompile` made; `None` for anything else. Its compiled file
    /// is at the path noted in the folder, or next to it as `.orig` once it was replaced.
    pub(crate) fn open(folder: &Path) -> Result<Option<Definitions>> {
        let Some(manifest) = manifest(folder) else {
            return Ok(None);
        };
        let path = folder.join(&manifest.base.path);
        let above = path
            .parent()
            .and_then(|above| refit_base::path::canonical(above).ok());
        let path = above
            .zip(path.file_name())
            .map_or_else(|| path.clone(), |(above, name)| above.join(name));
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".orig");
        let original = path.with_file_name(name);
        let mut first = None;
        for at in [&original, &path].into_iter().filter(|path| path.exists()) {
            let (base, sum, bytes) = compiled_file(at, Hints::default())?;
            let wanted = manifest.base.sum;
            if wanted.is_missing() || sum == wanted || disk::has_content(at, bytes, &wanted) {
                return Ok(Some(Self::over(folder, path.clone(), base, sum)));
            }
            first = first.or(Some(at.clone()));
        }
        let what = match first {
            Some(_) => "the file that the definitions came from has changed",
            None => "the file that the definitions came from is missing",
        };
        Err(Error::say(what)
            .in_file(path.shown())
            .hint("put the original back, or decompile the file again"))
    }

    /// True for a folder of definitions that came from a tree.
    pub(crate) fn are_of_a_tree(folder: &Path) -> bool {
        manifest(folder).is_some_and(|manifest| folder.join(&manifest.base.path).is_dir())
    }

    fn over(folder: &Path, path: PathBuf, base: Base, sum: Sum) -> Self {
        Definitions {
            folder: folder.to_owned(),
            path,
            base: Arc::new(base),
            sum,
            again: Again::default(),
            last: None,
            unproved: false,
            options: Arc::default(),
            findings: Vec::new(),
        }
    }

    /// The definitions of a tree in the same project. `tree` is the current model of the tree; if
    /// the tree was edited, too, searches for the file that it came from, also at the places of
    /// `near`.
    fn of_tree(
        folder: &Path,
        path: &Path,
        head: &Head,
        tree: &Anim,
        near: &[PathBuf],
    ) -> Result<Self> {
        let named = |e: Error| e.about(folder).elsewhere();
        let (of, sum) = (
            manifest(folder).map(|manifest| manifest.base.sum),
            head.source.sum.wait(),
        );
        if of != Some(sum) {
            let error = Error::say("the definitions came from another file than the tree");
            return Err(named(error.hint(
                "decompile the tree again: refit anim decompile TREE -o FOLDER",
            )));
        }
        let original = if size_and_sum(tree, sum)?.1 == sum {
            tree.clone()
        } else {
            let found = edits::original(path, &DirSource::new(path), head, near);
            let (at, file) = found.ok_or_else(|| {
                named(
                    Error::say(
                        "the tree was edited as well, and the file that both came from is missing",
                    )
                    .hint("put it back as NAME.orig"),
                )
            })?;
            let hints = Hints {
                game: head.game,
                format: Some(Format::Anim),
            };
            let opened = pipeline::recognise(&file, &at.shown(), hints)
                .and_then(|found| pipeline::read(&file, found))?;
            match opened.model {
                File::Anim(anim) => *anim,
                _ => return Err(Error::say("no animation file").in_file(at.shown())),
            }
        };
        Ok(Self::over(
            folder,
            path.to_owned(),
            Base::new(original)?,
            sum.to_owned(),
        ))
    }

    /// Compiles the edited files, given as paths in the folder, and reuses the last compilation for
    /// the rest; an empty set means all. Returns how the entries differ from the file that they
    /// came from.
    pub(crate) fn compile(&mut self, edited: &BTreeSet<String>) -> Result<(Anim, String)> {
        let all = edited.is_empty() || !edited.iter().all(|path| self.again.edited(0, path));
        if all {
            self.again = Again::default();
        }
        self.last = None;
        let (anim, counts, findings) = compiled(
            &self.folder,
            &self.path,
            &self.base,
            &self.options,
            &mut self.again,
        )?;
        self.findings = findings;
        (self.last, self.unproved) = (Some(anim.clone()), !all);
        Ok((anim, counts))
    }

    /// Compares the last compilation with one of all files, if it was not one; true if both are
    /// equal.
    pub(crate) fn proof(&mut self) -> Option<impl FnOnce() -> Result<bool> + Send + 'static> {
        let (folder, path, base, options) = (
            self.folder.clone(),
            self.path.clone(),
            self.base.clone(),
            self.options.clone(),
        );
        let last = self
            .last
            .clone()
            .filter(|_| std::mem::take(&mut self.unproved))?;
        Some(move || {
            Ok(compiled(&folder, &path, &base, &options, &mut Again::default())?.0 == last)
        })
    }

    /// Compiles the folder and replaces the file, with force also one that another hand changed.
    /// Returns what was written, and how its entries differ from the file that they came from.
    pub(crate) fn build(
        &mut self,
        target: &Path,
        edited: &BTreeSet<String>,
        force: bool,
    ) -> Result<(disk::Written, String)> {
        let (anim, counts) = self.compile(edited)?;
        let bytes = anim.write()?.into();
        // Never put a file in place that refit itself refuses.
        pipeline::open(
            &bytes,
            "anim.zbd",
            Hints {
                game: Some(anim.game),
                format: Some(Format::Anim),
            },
        )?;
        let may = Replace {
            source: Some(self.sum).filter(|sum| !sum.is_missing()),
            ..Replace::new(true)
        };
        let check = |_: u64, sum: Sum| match force {
            true => Ok(()),
            false => Writer::of(target, self.sum, may.by)?.check(target, sum),
        };
        let write = |out: &mut (dyn Write + Send)| out.write_all(&bytes).map_err(Error::stopped);
        let written = disk::write_file_checked(target, may, write, check)?;
        Ok((written, counts))
    }
}

fn compiled(
    folder: &PathBuf,
    path: &Path,
    base: &Base,
    options: &Options,
    again: &mut Again,
) -> Result<(Anim, String, Vec<Finding>)> {
    let places = Places::of(std::slice::from_ref(folder), Some(Wanted { path, base }))?;
    let sources = Sources::read_again(places.roots(), &places.start, &is_there, again)?;
    let compiled = anim_source::compile_again(&sources, Some(base), options, again)?;
    if let Some(error) = compiled
        .entries
        .iter()
        .find_map(|entry| entry.error.as_ref())
    {
        return Err(Error::say(error.clone()));
    }
    let counts = counts(&compiled);
    let of_entries = compiled.entries.iter().flat_map(|entry| {
        let name = format!("{} ({})", entry.definition, entry.root);
        entry.findings.iter().map(move |finding| Finding {
            path: place([&name, &finding.path]),
            ..finding.clone()
        })
    });
    let findings = compiled
        .findings
        .iter()
        .cloned()
        .chain(of_entries)
        .collect();
    compiled
        .anim
        .map(|anim| (anim, counts, findings))
        .ok_or_else(|| Error::say("nothing was compiled"))
}

/// Reports the findings of compiling a folder of definitions.
pub fn report(progress: &dyn Progress, folder: &Path, findings: &[Finding]) {
    for finding in findings {
        let text = place([&folder.shown(), &finding.path, &finding.message]);
        if finding.severity == Severity::Unusual {
            progress.detail(&text);
        } else {
            progress.report(Event::Finding(
                finding.severity,
                &format!("{text} [{}]", finding.code),
            ));
        }
    }
}

/// The definitions of a tree of a project: two views of one file, which receives the edits of both.
pub(crate) struct OfTree {
    /// The folder of the definitions.
    pub folder: PathBuf,
    definitions: Option<Definitions>,
    /// The project's folder.
    project: PathBuf,
}

impl OfTree {
    /// Those in a folder of a project.
    pub(crate) fn new(project: &Path, folder: PathBuf) -> Self {
        OfTree {
            folder,
            definitions: None,
            project: project.to_owned(),
        }
    }

    /// Reports the findings of the last compilation.
    pub(crate) fn report(&self, progress: &dyn Progress) {
        report(progress, &self.folder, self.findings());
    }

    /// The findings of the last compilation.
    pub(crate) fn findings(&self) -> &[Finding] {
        self.definitions
            .as_ref()
            .map_or(&[], |definitions| &definitions.findings)
    }

    /// See [`Definitions::proof`].
    pub(crate) fn proof(&mut self) -> Option<impl FnOnce() -> Result<bool> + Send + 'static> {
        self.definitions.as_mut()?.proof()
    }

    /// Merges the tree, whose model is `file`, with the definitions. `edited` is for
    /// [`Definitions::compile`]. Returns an error if both changed the same thing differently.
    pub(crate) fn with_tree(
        &mut self,
        tree: &Path,
        head: &Head,
        file: &File,
        near: &[PathBuf],
        edited: &BTreeSet<String>,
    ) -> Result<(Anim, String)> {
        let File::Anim(anim) = file else {
            return Err(Error::say("no animation file"));
        };
        let definitions = match &mut self.definitions {
            Some(definitions) => definitions,
            none => {
                let mut made = Definitions::of_tree(&self.folder, tree, head, anim, near)?;
                made.options = Arc::new(of_project(&self.project, tree, near));
                none.insert(made)
            }
        };
        let (compiled, counts) = definitions
            .compile(edited)
            .map_err(|e| e.about(&self.folder).elsewhere())?;
        let original = &definitions.base.anim;
        match original.with_both(anim, &compiled) {
            Some(both) => Ok((both, counts)),
            None => Ok((merged(original, anim, &compiled, &self.folder)?, counts)),
        }
    }
}

/// [`Anim::with_both`] field by field.
fn merged(original: &Anim, tree: &Anim, compiled: &Anim, folder: &Path) -> Result<Anim> {
    /// Number of conflicts to show, and how many characters of each side.
    const SHOWN: (usize, usize) = (5, 100);
    let hints = Hints {
        game: Some(original.game),
        format: Some(Format::Anim),
    };
    let parts = |anim: &Anim| {
        Tree::of_file(
            &refit_base::tree::Blob::Memory(anim.write()?.into()),
            "anim.zbd",
            hints,
        )
    };
    let both = mods::of_both(&parts(original)?, &parts(tree)?, &parts(compiled)?)?;
    let mut conflicts: Vec<String> = both
        .conflicts
        .iter()
        .map(|conflict| {
            let (tree, definitions) = (
                shorten(&conflict.wants.0, SHOWN.1),
                shorten(&conflict.wants.1, SHOWN.1),
            );
            format!(
                "{}: {}: {tree} in the tree, {definitions} in the definitions",
                conflict.part, conflict.at
            )
        })
        .chain(
            both.unplaced
                .iter()
                .map(|missed| format!("{}: {}: {}", missed.part, missed.at, missed.why)),
        )
        .collect();
    if !conflicts.is_empty() {
        let all = conflicts.len();
        conflicts.truncate(SHOWN.0);
        let more = if all > conflicts.len() {
            format!(", and {} more", all - conflicts.len())
        } else {
            String::new()
        };
        return Err(Error::say(format!(
            "the tree and its definitions in {} conflict: {}{more}",
            folder.shown(),
            conflicts.join("; ")
        ))
        .hint("make both agree, or undo one of the edits"));
    }
    Anim::read(&both.bytes, Some(original.game))
}

/// The number of entries with each status: `3 equal, 1 changed`.
pub fn counts(compiled: &Compiled) -> String {
    let all = [
        (Status::Equal, "equal"),
        (Status::Changed, "changed"),
        (Status::New, "new"),
        (Status::Gone, "gone"),
        (Status::Failed, "failed"),
    ];
    let number = |status: Status| {
        compiled
            .entries
            .iter()
            .filter(|entry| entry.status == status)
            .count()
    };
    let mut parts: Vec<String> = all
        .iter()
        .map(|(status, word)| (number(*status), word))
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!("{n} {word}"))
        .collect();
    if parts.is_empty() {
        parts.push("no definitions".into());
    }
    match number(Status::LeftOut) {
        0 => {}
        n => parts.push(format!("{n} left out")),
    }
    parts.join(", ")
}
