//! Changing a file within its unpacked tree: the documents that the change affects are written
//! again.

use super::{
    batch::{self, Ready},
    edits::{self, EditReport},
    kept::{KeptTree, Texts},
    options::Options,
    progress::Progress,
    repack::finish_above,
};
use bytes::Bytes;
use refit_base::{
    contract::Model,
    tree::{
        self, DirSource, Folder, Form, Head, Sink, Source, Style, Sums, TreeWriter,
        disk::{Backup, Replace},
        is_project, read_head,
        sums::List,
    },
    wire::{Error, Result},
};
use refit_files::{
    file::File,
    pipeline::{self, Hints, Places},
};
use refit_project::{Project, ProjectFile};
use refit_zipper::gamez::Gamez;
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    io,
    path::Path,
};

/// A tree with some other files.
struct Changed<'a> {
    tree: &'a dyn Source,
    files: &'a BTreeMap<String, Bytes>,
    gone: &'a BTreeSet<String>,
}

impl Source for Changed<'_> {
    fn get(&self, path: &str) -> Result<Bytes> {
        match self.files.get(path) {
            Some(bytes) => Ok(bytes.clone()),
            None if self.gone.contains(path) => Err(Error::missing(path)),
            None => self.tree.get(path),
        }
    }
    fn has(&self, path: &str) -> bool {
        self.files.contains_key(path) || self.tree.has(path) && !self.gone.contains(path)
    }
    fn paths(&self) -> Vec<String> {
        let mut paths = self.tree.paths();
        paths.extend(self.files.keys().cloned());
        paths.sort();
        paths.dedup();
        paths.retain(|path| !self.gone.contains(path));
        paths
    }
}

/// A folder for the documents that may have changed.
struct Fresh<'a> {
    folder: Folder,
    /// The paths of the others, without the extension.
    unchanged: &'a HashSet<String>,
}

impl Sink for Fresh<'_> {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.folder.put(path, bytes)
    }
    fn passes_over(&self, stem: &str) -> bool {
        self.unchanged.contains(stem)
    }
    fn options(&self) -> tree::Options {
        tree::Options {
            keep_paths: true,
            ..tree::Options::default()
        }
    }
}

/// Compares what is written with other bytes.
struct Same<'a> {
    rest: &'a [u8],
    is_same: bool,
}

impl io::Write for Same<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.rest.strip_prefix(bytes) {
            Some(rest) => self.rest = rest,
            None => self.is_same = false,
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The tree of a file as it would be unpacked, without the documents that did not change.
fn unpacked(
    file: &dyn Model,
    style: Style,
    head: &Head,
    unchanged: &HashSet<String>,
) -> Result<Folder> {
    let fresh = Fresh {
        folder: Folder::new(),
        unchanged,
    };
    let tree = TreeWriter::new(&fresh, Form::Document(style), head.clone(), false);
    file.unpack(&tree)?;
    drop(tree);
    Ok(fresh.folder)
}

/// The path in the tree for a path that unpacking would use now: the name after the number of a
/// model or of nodes may differ. `None` if the tree has no such document.
pub fn own_path(tree: &DirSource, path: &str) -> Result<Option<String>> {
    if tree.has(path) {
        return Ok(Some(path.to_owned()));
    }
    let Some((folder, file)) = path.rsplit_once('/') else {
        return Ok(None);
    };
    let number = |name: &str| {
        name.split(['-', '.'])
            .next()
            .and_then(|digits| digits.parse::<u64>().ok())
    };
    let end = file.rsplit('.').next();
    let same = |other: &String| {
        let name = other.rsplit('/').next().unwrap_or(other);
        number(name).is_some() && number(name) == number(file) && name.rsplit('.').next() == end
    };
    Ok(if matches!(folder, "models" | "nodes") {
        tree.below(folder)?.into_iter().find(same)
    } else {
        None
    })
}

/// The documents of a world's tree that a change leaves without content: those of removed models
/// and nodes.
fn gone(tree: &DirSource, before: &Gamez, now: &Gamez) -> BTreeSet<String> {
    let still = now.documents();
    let gone = before
        .documents()
        .into_iter()
        .filter(|stem| !still.contains(stem));
    let all = gone.flat_map(|stem| [".json", ".ron", ".bin"].map(|end| format!("{stem}{end}")));
    all.filter(|path| tree.has(path)).collect()
}

/// An error for a file of a project without its own tree, because it shares the tree of an equal
/// file.
pub fn check_own(path: &Path) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    let Some(root) = path.ancestors().skip(1).find(|root| is_project(root)) else {
        return Ok(());
    };
    let project = Project::open(root)?;
    let below = path.strip_prefix(root).unwrap_or(path);
    match project.entry(below) {
        Some(ProjectFile {
            file,
            same_as: Some(first),
            ..
        }) => {
            let hint =
                format!("put it into {first} to change both, or copy that tree to {file} first");
            Err(Error::say(format!(
                "{file} is equal to {first} in this project, and shares its tree"
            ))
            .hint(hint))
        }
        _ => Ok(()),
    }
}

/// What other contents of a tree's files mean: see [`judge`].
pub struct Judged {
    /// The findings that they bring in; `None` if the tree could not be read before.
    pub news: Option<EditReport>,
    /// Why the tree cannot be read, before and with them.
    pub fault: Option<Error>,
}

/// Judges other contents of some of a tree's files, by path; `None` is a removed file. Nothing is
/// written.
///
/// # Errors
/// If the tree can be read now, but not with them, or if refit could not read the file that they
/// make, or if they bring in a private key.
pub fn judge(
    tree: &Path,
    files: &BTreeMap<String, Option<Bytes>>,
    options: &Options,
) -> Result<Judged> {
    let source = DirSource::new(tree);
    let kept = options.kept.as_ref();
    let kept = kept.and_then(|kept| kept.read_with_texts(tree));
    let (mut new, mut gone) = (BTreeMap::new(), BTreeSet::new());
    for (path, bytes) in files {
        match bytes {
            Some(bytes) => _ = new.insert(path.clone(), bytes.clone()),
            None => _ = gone.insert(path.clone()),
        }
    }
    if let Some((before, texts)) = kept {
        return judge_kept((&before, &texts), tree, files, (&new, &gone), options);
    }
    let changed = Changed {
        tree: &source,
        files: &new,
        gone: &gone,
    };
    let before = pipeline::assemble(&source);
    let now = pipeline::assemble(&changed);
    let ((head, now), before) = match (now, before) {
        (Ok(now), Ok((_, before))) => (now, Some(before)),
        (Ok(now), Err(_)) => (now, None),
        (Err(fault), Err(_)) => {
            return Ok(Judged {
                news: None,
                fault: Some(fault),
            });
        }
        (Err(e), Ok(_)) => return Err(e),
    };
    check_readable(&now, &head)?;
    let news = match before {
        Some(before) => {
            let found = edits::of_change(&now, &before, tree, &Places::of(&changed))?;
            found.check_secrets()?;
            Some(found)
        }
        None => None,
    };
    Ok(Judged { news, fault: None })
}

/// [`judge`] of the tree of a world that is kept.
fn judge_kept(
    (before, texts): (&KeptTree, &Texts),
    tree: &Path,
    files: &BTreeMap<String, Option<Bytes>>,
    (new, gone): (&BTreeMap<String, Bytes>, &BTreeSet<String>),
    options: &Options,
) -> Result<Judged> {
    let changed = Changed {
        tree: texts,
        files: new,
        gone,
    };
    let is_changed = |path: &str| files.contains_key(path);
    let (head, now) = pipeline::assemble_again(&before.model, &changed, &is_changed)?;
    let (readable, (was, judged)) = rayon::join(
        || check_readable(&now, &head),
        || rayon::join(|| before.judged(), || pipeline::Judged::of(&now)),
    );
    readable?;
    let (was, judged) = (was?, judged?);
    let found = edits::of_judged(
        (&now, &judged),
        (&before.model, was),
        tree,
        &Places::of(&changed),
    )?;
    found.check_secrets()?;
    if let Some(kept) = &options.kept {
        kept.keep(before.after(files, head, now, Some(judged)).into());
    }
    Ok(Judged {
        news: Some(found),
        fault: None,
    })
}

/// An error if refit could not read the file of a changed tree.
fn check_readable(file: &File, head: &Head) -> Result<()> {
    let bytes = Bytes::from(file.model().write()?);
    check_read(&bytes, head)
}

fn check_read(bytes: &Bytes, head: &Head) -> Result<()> {
    let read = pipeline::open(bytes, &head.source.file, Hints::of_tree(head));
    read.map(drop).map_err(|e| {
        e.context("refit could not read the file with this edit")
            .hint("nothing was written")
    })
}

/// What [`change`] did: the result of the change, the files that were written, and the findings that
/// it brought in.
pub type Done<T> = (T, Vec<String>, Option<EditReport>);

/// Changes the file of a tree, and the tree accordingly: all its documents, or none.
pub fn change<T>(
    path: &Path,
    options: &Options,
    progress: &dyn Progress,
    change: impl FnOnce(&mut File) -> Result<T>,
) -> Result<Done<T>> {
    let plan = plan(path, options, progress, change)?;
    batch::write_beside(
        &[path],
        "change",
        &plan.files.iter().collect::<Vec<_>>(),
        options,
        progress,
    )?;
    Ok((plan.result, plan.names, plan.news))
}

/// What [`change`] would write.
pub(crate) struct Plan<T> {
    /// The result of the change.
    pub(crate) result: T,
    /// The size of the tree's file.
    pub(crate) bytes: usize,
    /// The files in the tree that change.
    pub(crate) names: Vec<String>,
    pub(crate) files: Vec<Ready>,
    /// The findings that the change brings in; `None` if nothing changes.
    pub(crate) news: Option<EditReport>,
    /// The changed file.
    pub(crate) model: File,
    /// The head of the tree's manifest.
    pub(crate) head: Head,
}

/// Changes the file of a tree in memory.
pub(crate) fn plan<T>(
    path: &Path,
    options: &Options,
    progress: &dyn Progress,
    change: impl FnOnce(&mut File) -> Result<T>,
) -> Result<Plan<T>> {
    finish_above(path, options, progress)?;
    let source = DirSource::new(path);
    let (style, head) = read_head(&source)?;
    let kept = options.kept.as_ref();
    let kept = kept.and_then(|kept| kept.read_with_texts(path));
    let mut model = match kept.as_ref().map(|(tree, _)| &*tree.model) {
        Some(File::World(world)) => File::World(world.clone()),
        _ => pipeline::assemble(&source)?.1,
    };
    let all = HashSet::new();
    // A world reports which documents a change leaves alone: they need no printing.
    let own = match &model {
        File::World(world) if kept.is_none() => Some(File::World(world.clone())),
        _ => None,
    };
    let first = kept.as_ref().map(|(tree, _)| &*tree.model);
    let first = first.or(own.as_ref());
    let before = match first {
        Some(_) => None,
        None => Some(unpacked(model.model(), style, &head, &all)?),
    };
    let result = change(&mut model)?;
    let (unchanged, before) = match (before, first, &model) {
        (Some(before), ..) => (all, before),
        (None, Some(File::World(first)), File::World(world)) => {
            let unchanged = world.unchanged(first);
            let before = unpacked(&**first, style, &head, &unchanged)?;
            (unchanged, before)
        }
        (None, Some(first), _) => (HashSet::new(), unpacked(first.model(), style, &head, &all)?),
        (None, None, _) => (HashSet::new(), Folder::new()),
    };
    let after = unpacked(model.model(), style, &head, &unchanged)?;
    let mut files = BTreeMap::new();
    for name in after.paths() {
        let now = after.get(&name)?;
        if name.starts_with(".refit/") || before.get(&name).is_ok_and(|was| was == now) {
            continue;
        }
        let own = own_path(&source, &name)?.or_else(|| (!before.has(&name)).then(|| name.clone()));
        let own = own.ok_or_else(|| {
            Error::say(format!(
                "{name} would change, but the tree has no such file"
            ))
            .hint("repack the tree, and put it into the file")
        })?;
        files.insert(own, now);
    }
    // The tree with the new files must give the changed file: its documents may have been divided
    // in another way by hand.
    let gone = match (first, &model) {
        (Some(File::World(before)), File::World(world)) => gone(&source, before, world),
        _ => BTreeSet::new(),
    };
    let changed = Changed {
        tree: match &kept {
            Some((_, texts)) => texts,
            None => &source,
        },
        files: &files,
        gone: &gone,
    };
    let again = match first {
        Some(first) => {
            pipeline::assemble_again(first, &changed, &|path| files.contains_key(path))?.1
        }
        None => pipeline::assemble(&changed)?.1,
    };
    let bytes = Bytes::from(model.write()?);
    let is_changed = !files.is_empty() || !gone.is_empty();
    let prove = || -> Result<()> {
        let mut same = Same {
            rest: &bytes,
            is_same: true,
        };
        pipeline::write(again.model(), &mut same)?;
        if !same.is_same || !same.rest.is_empty() {
            return Err(Error::say(
                "the documents of this tree are not divided as refit divides them",
            )
            .hint("repack the tree, and put it into the file"));
        }
        // The caller who writes the files need not judge them again.
        match options.writes.is_some() && is_changed {
            true => check_read(&bytes, &head),
            false => Ok(()),
        }
    };
    let judge = || -> Result<Option<(EditReport, Option<pipeline::Judged>)>> {
        if !is_changed {
            return Ok(None);
        }
        let places = Places::of(&changed);
        let (found, judged) = match (&kept, first) {
            (Some((tree, _)), _) => {
                let (was, now) = rayon::join(|| tree.judged(), || pipeline::Judged::of(&again));
                let (was, now) = (was?, now?);
                let found = edits::of_judged((&again, &now), (&tree.model, was), path, &places)?;
                (found, Some(now))
            }
            (None, Some(first)) => (edits::of_change(&model, first, path, &places)?, None),
            (None, None) => {
                let before = pipeline::assemble(&source)?.1;
                let found = edits::of_change(&again, &before, path, &places)?;
                found.check_secrets()?;
                (found, None)
            }
        };
        Ok(Some((found, judged)))
    };
    // Neither needs the other.
    let (judged, proved) = rayon::join(judge, prove);
    let (news, judged) = judged?.unzip();
    proved?;
    if let (Some(writes), Some(news)) = (&options.writes, &news) {
        writes.judged(path, news.found.clone());
    }
    if let (Some(store), Some((tree, _))) = (&options.kept, &kept) {
        let written = files.iter();
        let mut all: BTreeMap<String, Option<Bytes>> = written
            .map(|(path, bytes)| (path.clone(), Some(bytes.clone())))
            .collect();
        all.extend(gone.iter().map(|path| (path.clone(), None)));
        store.keep(
            tree.after(&all, head.clone(), again, judged.flatten())
                .into(),
        );
    }
    let mut sums = List::of(&source)
        .and_then(|list| Sums::read(&list))
        .unwrap_or_default();
    let (mut names, mut ready) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        // A file that was not edited since it was unpacked is not kept: it is in the file that the
        // tree came from.
        let as_unpacked = sums
            .remove(&name)
            .is_some_and(|sum| source.get(&name).is_ok_and(|text| sum.fits(&text)));
        let backup = if as_unpacked {
            Backup::Never
        } else {
            Backup::Foreign
        };
        let may = Replace {
            backup,
            ..Replace::new(true)
        };
        ready.push(Ready {
            target: path.join(&name),
            bytes,
            may,
            read: None,
            gone: false,
        });
        names.push(name);
    }
    for name in gone {
        let as_unpacked = sums
            .remove(&name)
            .is_some_and(|sum| source.get(&name).is_ok_and(|text| sum.fits(&text)));
        let backup = if as_unpacked {
            Backup::Never
        } else {
            Backup::Foreign
        };
        ready.push(Ready::remove(
            path.join(&name),
            Replace {
                backup,
                ..Replace::new(true)
            },
        ));
        names.push(format!("{name} removed"));
    }
    Ok(Plan {
        result,
        bytes: bytes.len(),
        names,
        files: ready,
        news,
        model,
        head,
    })
}
