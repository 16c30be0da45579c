//! What `refit lint` says of a whole game: names across its files.

use super::{
    names,
    paths::{self, Input, Inputs},
    session::{Listed, Session},
    status,
    subject::Subject,
};
use refit::{
    index::{
        self, Cache, Digest, Digests, Doubt, Doubts, File, Found, Index, Item, Numbers, Roster,
        lints::{self, Misfit},
    },
    many::{HalfSum, half_sum},
    path::Shown,
    project::Project,
    roles,
    tree::{DirSource, disk, is_project, read_head},
    wire::{Result, bytes_of_hex},
    work::{self, Hints},
};
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// A finding, and the file that it is about.
pub struct Across {
    /// The file or the tree.
    pub path: PathBuf,
    /// What was found.
    pub misfit: Misfit,
}

/// What a finding is about, wherever it stands now.
fn about(roster: &Roster, misfit: &Misfit) -> (String, &'static str, String) {
    (roster.relative(misfit.file), misfit.finding.code, misfit.finding.message.clone())
}

/// Works on files beside each other, and hands over in order what becomes of them.
fn in_order<T: Send>(session: &mut Session, items: &Inputs, work: impl Fn(&Item) -> T + Sync, mut see: impl FnMut(&Input, T)) {
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

/// What a project says of its files: size and SHA-256 by half of the sum of the folded path, sorted.
struct Since<'a> {
    project: &'a Project,
    files: Vec<(HalfSum, u64, [u8; 32])>,
}

fn half(relative: &str) -> HalfSum {
    half_sum(Path::new(&roles::fold(relative)))
}

impl<'a> Since<'a> {
    fn new(project: &'a Project) -> Result<Self> {
        let mut files = Vec::new();
        project.each_entry(&mut |_, entry| {
            let sum = bytes_of_hex(&entry.sha256).ok().and_then(|sum| sum.try_into().ok()).unwrap_or_default();
            files.push((half(&entry.file), entry.bytes, sum));
            Ok(())
        })?;
        files.sort_unstable();
        Ok(Since { project, files })
    }
}

/// What a file was: as the project came from it, or as it is kept as `NAME.orig`.
fn was(item: &Item, since: Option<&Since<'_>>) -> Was {
    let Some(Since { project, files }) = since else {
        let backup = disk::backup_path(&item.path);
        return if backup.is_file() { Was::Other(backup) } else { Was::Same };
    };
    let own = half(&item.relative);
    let entry = files.binary_search_by_key(&own, |(half, ..)| *half).ok().and_then(|at| files.get(at));
    let Some((_, bytes, sha256)) = entry else { return Was::New };
    let is_sum = |sum: &str| bytes_of_hex(sum).is_ok_and(|sum| sum == sha256);
    let is_original = |path: &Path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() == *bytes)
            && work::load(path).and_then(|file| file.sha256()).is_ok_and(|sum| is_sum(&sum))
    };
    let of_it = || read_head(&DirSource::new(&item.path)).is_ok_and(|(_, head)| is_sum(head.source.sha256.wait()));
    let same = if item.path.is_dir() {
        // A tree that nobody edited says what its file does.
        of_it() && status::changes(&item.path).is_ok_and(|changes| changes.is_empty())
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
    arguments.iter().any(|path| path.is_dir() && !paths::is_tree(path))
}

/// The files that names are followed across, read while they are judged by themselves.
pub struct Survey {
    /// Further files of the trees of projects: half of the SHA-256 of the tree's path, and where the file stands in the list.
    shared: Vec<(HalfSum, u32)>,
    files: Inputs,
    /// Loose files are looked for here.
    roots: Vec<PathBuf>,
    projects: Vec<PathBuf>,
    cache: Cache,
    numbers: Numbers,
}

/// The folders among some paths that are no projects.
fn roots(arguments: &[PathBuf]) -> Vec<PathBuf> {
    arguments.iter().filter(|path| path.is_dir() && !is_project(path)).cloned().collect()
}

impl Survey {
    /// Of the files of some paths.
    pub fn new(session: &Session, arguments: &[PathBuf]) -> Result<Self> {
        let filter = session.filter()?;
        let (mut shared, mut files) = (Vec::new(), Inputs::default());
        let projects: Vec<PathBuf> = arguments.iter().filter(|path| is_project(path)).cloned().collect();
        for root in &projects {
            Project::open(root)?.each_work(&mut |work| {
                if work.file != work.tree && filter.takes(&work.file) {
                    let path = root.join(&work.tree);
                    shared.push((half_sum(&path), files.len() as u32));
                    files.push(&Input { path, relative: work.file, explicit: false });
                }
                Ok(())
            })?;
        }
        shared.sort_unstable();
        Ok(Survey { shared, files, roots: roots(arguments), projects, cache: names::cache(arguments), numbers: Numbers::default() })
    }

    /// The names of a file that is open, as numbers; of each file of the game that it stands for.
    pub fn read(&self, input: &Input, subject: &Subject, hints: Hints) -> Vec<Digest> {
        // A tree of a project stands where its file does.
        let of_project = self.projects.iter().any(|root| root.join(&input.relative) == input.path);
        let own = names::item(&Input { explicit: input.explicit && !of_project, ..input.clone() });
        let half = half_sum(&input.path);
        let from = self.shared.partition_point(|(other, _)| *other < half);
        let others =
            self.shared.iter().skip(from).take_while(|(other, _)| *other == half).filter_map(|(_, at)| self.files.get(*at as usize));
        let items = std::iter::once(own).chain(others.map(|input| names::item(&input)));
        let read = |item| index::opened(&item, subject.file.as_ref(), &*subject.model, &subject.detection, hints, &self.cache).ok();
        let digest = |file: File| {
            let is_loose = self.roots.iter().any(|root| !lints::loose_scripts(&file, root).is_empty());
            self.numbers.digest(file, is_loose)
        };
        items.filter_map(read).map(digest).collect()
    }

    /// Tells what does not fit across files that were read, file by file: names that may not are read again.
    pub fn judge(self, session: &mut Session, digests: Digests, mut tell: impl FnMut(&mut Session, &Path, Vec<Misfit>)) -> Result<()> {
        let Survey { roots, cache, numbers, .. } = self;
        let Found { roster, hiding, mut fates } = digests.found()?;
        let hints = session.hints();
        let again = |(number, doubt): (u32, Doubt)| {
            let mut file = names_of(&Item { path: roster.path(number), relative: roster.relative(number) }, hints, &cache)?;
            file.number = number;
            numbers.keep(&mut file, &doubt);
            Some(file)
        };
        // What hides others stands in the index; the files are judged one by one.
        let index = Index::new((0..hiding.len()).filter_map(|at| again(hiding.get(at)?)).collect());
        let judge = index.judge(&roster);
        loop {
            let doubts = fates.doubts(&judge, AT_A_TIME)?;
            if doubts.is_empty() {
                return Ok(());
            }
            session.in_order(
                &InDoubt { doubts: &doubts, roster: &roster },
                |(path, ..)| path.metadata().map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 }),
                |(path, ..)| path.shown(),
                |(_, at)| doubts.get(*at).and_then(again),
                |session, (path, _), read| {
                    let Some(file) = read else { return };
                    let mut found = judge.of_file(&file);
                    found.extend(roots.iter().flat_map(|root| lints::loose_scripts(&file, root)));
                    if !found.is_empty() {
                        tell(session, path, found);
                    }
                },
            );
        }
    }
}

/// Files that are judged together.
const AT_A_TIME: usize = 4096;

/// The files of which names are in doubt, with their paths.
struct InDoubt<'a> {
    doubts: &'a Doubts,
    roster: &'a Roster,
}

impl Listed for InDoubt<'_> {
    type Item = (PathBuf, usize);

    fn len(&self) -> usize {
        self.doubts.len()
    }
    fn item(&self, at: usize) -> Option<(PathBuf, usize)> {
        let (number, _) = self.doubts.get(at)?;
        Some((self.roster.path(number), at))
    }
}

/// The files as they are, or as they were: all of them in few bytes, and those that have to do with an edit with their names.
#[derive(Default)]
struct Side {
    roster: Roster,
    files: Vec<File>,
}

impl Side {
    fn add(&mut self, mut file: File) {
        self.roster.push(&mut file);
        if !file.content.names.is_empty() {
            self.files.push(file);
        }
    }
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
    let since = project.as_ref().map(Since::new).transpose()?;
    let (mut unedited, mut edited) = (Inputs::default(), Vec::new());
    let mut unknown = Vec::new();
    in_order(
        session,
        &items,
        |item| was(item, since.as_ref()),
        |input, was| match was {
            Was::Same => unedited.push(input),
            Was::Unknown => {
                unknown.push(input.path.clone());
                unedited.push(input);
            }
            was => edited.push((names::item(input), was)),
        },
    );
    drop((items, since));
    for path in unknown {
        session.warn(format!("{}: what it was before is not at hand, it is taken for unedited", path.shown()));
    }
    let (mut new, mut old) = (Side::default(), Side::default());
    for (item, was) in &edited {
        names_of(item, hints, &cache).into_iter().for_each(|file| new.add(file));
        if let Was::Other(path) = was {
            let before = Item { path: path.clone(), relative: item.relative.clone() };
            names_of(&before, hints, &cache).into_iter().for_each(|file| old.add(file));
        }
    }
    // Of all other files only what an edited one may have to do with matters.
    let all = new.files.iter().chain(&old.files).flat_map(|file| &file.content.names);
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
            let Some(file) = file else { return };
            old.add(file.clone());
            new.add(file);
        },
    );
    drop(unedited);
    let (old_index, index) = (Index::new(old.files), Index::new(new.files));
    let mut found = index.misfits(&new.roster);
    let roots = roots(arguments);
    found.extend(index.files.iter().flat_map(|file| roots.iter().flat_map(|root| lints::loose_scripts(file, root))));
    let known: HashSet<_> = old_index.misfits(&old.roster).iter().map(|misfit| about(&old.roster, misfit)).collect();
    found.retain(|misfit| !known.contains(&about(&new.roster, misfit)));
    found.extend(index.changed_bindings(&old_index));
    Ok(found.into_iter().map(|misfit| Across { path: new.roster.path(misfit.file), misfit }).collect())
}
