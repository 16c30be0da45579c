//! What `refit lint` says of a whole game: names across its files.

use super::{names, paths, session::Session, status, subject::Subject};
use refit::{
    index::{
        self, Cache, Digest, Doubt, File, Index, Item, Numbers,
        lints::{self, Misfit},
    },
    project::{Project, ProjectFile},
    roles,
    tree::{DirSource, disk, is_project, read_head},
    wire::Result,
    work::{self, Hints},
};
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

/// A finding, the file that it is about, and whether that was named itself.
pub struct Across {
    /// The file or the tree.
    pub path: PathBuf,
    /// What was found.
    pub misfit: Misfit,
}

/// What a finding is about, wherever it stands now.
fn about(index: &Index, misfit: &Misfit) -> (String, &'static str, String) {
    let file = index.files.get(misfit.file).map(|file| file.relative.clone()).unwrap_or_default();
    (file, misfit.finding.code, misfit.finding.message.clone())
}

/// Works on files beside each other, and hands over in order what becomes of them.
fn in_order<T: Send>(session: &mut Session, items: &[Item], work: impl Fn(&Item) -> T + Sync, mut see: impl FnMut(&Item, T)) {
    session.in_order(
        items,
        |item| item.path.metadata().map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 }),
        |item| item.path.display().to_string(),
        work,
        |_, item, made| see(item, made),
    );
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

/// What a file was: as the project came from it, or as it is kept as `NAME.orig`.
fn was(item: &Item, since: Option<&(&Project, HashMap<String, &ProjectFile>)>) -> Was {
    let Some((project, entries)) = since else {
        let backup = disk::backup_path(&item.path);
        return if backup.is_file() { Was::Other(backup) } else { Was::Same };
    };
    let Some(entry) = entries.get(&roles::fold(&item.relative)) else { return Was::New };
    let is_original = |path: &Path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() == entry.bytes)
            && work::load(path).and_then(|file| file.sha256()).is_ok_and(|sum| sum == entry.sha256)
    };
    let of_it = || read_head(&DirSource::new(&item.path)).is_ok_and(|(_, head)| head.source.sha256.wait() == entry.sha256);
    let same = if item.path.is_dir() {
        // A tree that nobody edited says what its file does.
        of_it() && status::changes(&item.path).is_ok_and(|changes| changes.is_empty())
    } else {
        is_original(&item.path)
    };
    if same {
        return Was::Same;
    }
    let source = project.source().join(&entry.file);
    let places = [disk::backup_path(&item.path), disk::backup_path(&source), source];
    places.into_iter().find(|path| is_original(path)).map_or(Was::Unknown, Was::Other)
}

/// True where there are files to follow names across: where a folder is named, or a project.
pub fn is_wanted(arguments: &[PathBuf]) -> bool {
    arguments.iter().any(|path| path.is_dir() && !paths::is_tree(path))
}

/// The files that names are followed across, read while they are judged by themselves.
pub struct Survey {
    /// In the order of their paths.
    items: Vec<Item>,
    cache: Cache,
    numbers: Numbers,
}

impl Survey {
    /// Of the files of some paths.
    pub fn new(session: &Session, arguments: &[PathBuf]) -> Result<Self> {
        let mut items = names::items(arguments, session)?;
        items.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Survey { items, cache: names::cache(arguments), numbers: Numbers::default() })
    }

    /// The names of a file that is open, as numbers; of each file of the game that it stands for.
    pub fn read(&self, path: &Path, subject: &Subject, hints: Hints) -> Vec<Digest> {
        let read = |item| index::opened(item, subject.file.as_ref(), &*subject.model, &subject.detection, hints, &self.cache);
        let from = self.items.partition_point(|item| item.path.as_path() < path);
        let items = self.items.iter().skip(from).take_while(|item| item.path == path);
        items.filter_map(|item| read(item).ok()).map(|file| self.numbers.digest(file)).collect()
    }

    /// Tells what does not fit across files that were read, file by file: names that may not are read again.
    pub fn judge(
        self,
        session: &mut Session,
        mut digests: Vec<Digest>,
        arguments: &[PathBuf],
        mut tell: impl FnMut(&mut Session, &Path, Vec<Misfit>),
    ) {
        let Survey { items, cache, numbers } = self;
        drop(items);
        digests.sort_by(|a, b| a.file.relative.cmp(&b.file.relative));
        let doubt = numbers.doubt(&digests);
        let mut files: Vec<File> = digests.into_iter().map(|digest| digest.file).collect();
        let hints = session.hints();
        let again = |file: &File, doubt: &Doubt| {
            let mut file = names_of(&Item { path: file.path.clone(), relative: file.relative.clone() }, hints, &cache)?;
            numbers.keep(&mut file, doubt);
            Some(file)
        };
        // What hides others stands in the index; the others are judged one by one.
        for (file, doubt) in files.iter_mut().zip(&doubt) {
            if let Some(whole) = doubt.as_ref().filter(|doubt| doubt.hides).and_then(|doubt| again(file, doubt)) {
                *file = whole;
            }
        }
        let index = Index::new(files);
        let wanted: Vec<(usize, &File, Option<&Doubt>)> = index
            .files
            .iter()
            .zip(&doubt)
            .enumerate()
            .map(|(at, (file, doubt))| (at, file, doubt.as_ref().filter(|doubt| !doubt.hides)))
            .filter(|(_, file, doubt)| doubt.is_some() || !file.content.names.is_empty())
            .collect();
        let roots: Vec<&PathBuf> = arguments.iter().filter(|path| path.is_dir() && !is_project(path)).collect();
        let judge = index.judge();
        session.in_order(
            &wanted,
            |(_, file, _)| file.path.metadata().map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 }),
            |(_, file, _)| file.path.display().to_string(),
            |(_, file, doubt)| doubt.and_then(|doubt| again(file, doubt)),
            |session, (at, file, _), read| {
                let file = read.as_ref().unwrap_or(file);
                let mut found = judge.of_file(*at, file);
                found.extend(roots.iter().flat_map(|root| lints::loose_scripts(*at, file, root)));
                if !found.is_empty() {
                    tell(session, &file.path, found);
                }
            },
        );
    }
}

fn misfits(index: &Index, arguments: &[PathBuf]) -> Vec<Misfit> {
    let mut found = index.misfits();
    for root in arguments.iter().filter(|path| path.is_dir() && !is_project(path)) {
        found.extend(index.loose_scripts(root));
    }
    found
}

fn placed(index: &Index, found: Vec<Misfit>) -> Vec<Across> {
    let path = |misfit: &Misfit| index.files.get(misfit.file).map(|file| file.path.clone());
    found.into_iter().filter_map(|misfit| Some(Across { path: path(&misfit)?, misfit })).collect()
}

/// What edits of the files of some paths brought in that does not fit across them.
pub fn brought_in(session: &mut Session, arguments: &[PathBuf], since: Option<&Path>) -> Result<Vec<Across>> {
    if !is_wanted(arguments) {
        return Ok(Vec::new());
    }
    let items = names::items(arguments, session)?;
    let cache = names::cache(arguments);
    let hints = session.hints();
    let project = since.map(Project::open).transpose()?;
    // A project that is judged by itself is compared with what it came from.
    let project = match (project, arguments) {
        (None, [root]) if is_project(root) => Some(Project::open(root)?),
        (project, _) => project,
    };
    let since = project.as_ref().map(|project| {
        let entries = project.manifest.files.iter().map(|entry| (roles::fold(&entry.file), entry)).collect::<HashMap<_, _>>();
        (project, entries)
    });
    let (mut unedited, mut edited) = (Vec::new(), Vec::new());
    let mut unknown = Vec::new();
    in_order(
        session,
        &items,
        |item| was(item, since.as_ref()),
        |item, was| match was {
            Was::Same => unedited.push(item.clone()),
            Was::Unknown => {
                unknown.push(item.path.clone());
                unedited.push(item.clone());
            }
            was => edited.push((item.clone(), was)),
        },
    );
    for path in unknown {
        session.warn(format!("{}: what it was before is not at hand, it is taken for unedited", path.display()));
    }
    let (mut new, mut old) = (Vec::new(), Vec::new());
    for (item, was) in &edited {
        new.extend(names_of(item, hints, &cache));
        if let Was::Other(path) = was {
            old.extend(names_of(&Item { path: path.clone(), relative: item.relative.clone() }, hints, &cache));
        }
    }
    // Of all other files only what an edited one may have to do with matters.
    let all = new.iter().chain(&old).flat_map(|file| &file.content.names);
    let met: HashSet<String> = all.map(|name| index::coarse(&name.name)).collect();
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
    let (old, index) = (Index::new(old), Index::new(new));
    let mut found = misfits(&index, arguments);
    let known: HashSet<_> = old.misfits().iter().map(|misfit| about(&old, misfit)).collect();
    found.retain(|misfit| !known.contains(&about(&index, misfit)));
    found.extend(index.changed_bindings(&old));
    Ok(placed(&index, found))
}
