//! A game's folder as a project: a tree for each of its files, at the same place, and a manifest that says which files they were.
//!
//! `zbd/c1/anim.zbd` of the game is the tree `zbd/c1/anim.zbd/` of the project. Files that are equal byte for byte, and are read the same
//! way, have one tree together, at the place of the first: an edit of it goes into all of them. One that gets a tree of its own, at its
//! own place, is apart from then on.
//!
//! A folder of animation definitions that `refit anim decompile` made may stand anywhere in a project: it is for the animation file that it
//! came from, and its edits go into that file as those of the tree do.

use crate::{
    animdef,
    format::Format,
    game::Game,
    many::{HalfSum, Roll, half_sum, path_bytes, path_of_bytes},
    path::Shown,
    sha256,
    tree::{
        self, Blob, DirSink, DirSource, Document, Rows, Sink, Style, disk, is_project, manifest_path,
        text::{FEWEST, ROWS, around_rows, read_rows, rows_text},
    },
    wire::{Error, Result},
};
use serde::Deserialize;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ffi::OsString,
    io::{Read, Seek, Write},
    path::{Component, Path, PathBuf},
};

/// Version of the layout of projects that this refit writes. It reads no other one.
pub const PROJECT_VERSION: u32 = 1;

crate::record! {
    /// A file of the game.
    #[derive(Eq)]
    #[schemars(rename = "Entry")]
    pub struct ProjectFile {
        /// The file, below the game's folder. Its tree stands at the same place in the project.
        file: String,
        /// The bytes of that path in hexadecimal, where it is not Unicode.
        file_hex?: String,
        /// Its size when it was unpacked.
        bytes: u64,
        /// Its SHA-256 when it was unpacked.
        sha256: String,
        /// The game that it was read as, where that is known.
        game?: Game,
        /// Name of the file's format.
        format: Format,
        /// The file with whose tree it shares its content: it has none of its own.
        same_as?: String,
    }
}

crate::record! {
    /// The manifest of a project: its `refit.json`.
    #[derive(Eq)]
    pub struct Manifest {
        /// Version of the refit that wrote the project.
        refit: String,
        /// Version of the layout of projects.
        project: u32,
        /// The game that most of the files belong to.
        game?: Game,
        /// The game's folder on its author's machine, in projects of earlier versions. It is written no more.
        source!: String,
        /// How many files below that folder were not recognised, and left there.
        #[serde(default)]
        others: usize,
        /// The files, by their paths.
        files: Vec<ProjectFile>,
    }
}

crate::document!(Manifest, "project");

impl ProjectFile {
    /// The path below the game's folder; `None` for one that would leave it.
    pub fn path(&self) -> Option<PathBuf> {
        let path = match &self.file_hex {
            Some(hex) => PathBuf::from(unhex(hex)?),
            None => PathBuf::from(&self.file),
        };
        let inside = path.components().all(|part| matches!(part, Component::Normal(_))) && !self.file.contains('\\');
        (inside && path.components().next().is_some()).then_some(path)
    }
}

#[cfg(unix)]
fn unhex(hex: &str) -> Option<OsString> {
    let pair = |i: usize| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok();
    let bytes = (0..hex.len()).step_by(2).map(pair).collect::<Option<Vec<u8>>>()?;
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn unhex(_: &str) -> Option<OsString> {
    None
}

/// A path below a game's folder, as a manifest spells it, and its bytes in hexadecimal where it is not Unicode.
pub fn spelled(path: &Path) -> (String, Option<String>) {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let hex = path.to_str().is_none().then(|| crate::lower_hex(path.as_os_str().as_encoded_bytes()));
    (parts.join("/"), hex)
}

impl Rows for Manifest {
    type Row = ProjectFile;
    const LIST: &'static str = "files";
    fn rows(&mut self) -> &mut Vec<ProjectFile> {
        &mut self.files
    }
}

/// A project on disk. It may be of very many files: what its manifest says of them is read when it is asked for.
#[derive(Debug)]
pub struct Project {
    /// Its folder.
    pub root: PathBuf,
    /// What it says of itself, without its files.
    pub manifest: Manifest,
    /// The whole manifest.
    text: Blob,
    /// The paths of the files: half of the SHA-256 of each, sorted.
    known: Vec<HalfSum>,
    /// What paths that are not Unicode are called.
    odd: HashMap<String, PathBuf>,
    /// The files stand in the order of their paths.
    is_sorted: bool,
}

/// What a file of the game is to be made of.
#[derive(Clone, Debug)]
pub struct Work {
    /// The file, below the game's folder.
    pub file: PathBuf,
    /// Its tree, below the project's.
    pub tree: PathBuf,
    /// What the manifest says of it; `None` for a tree that was added.
    pub entry: Option<ProjectFile>,
    /// The folder of the definitions that are edits of it, too, below the project's.
    pub definitions: Option<PathBuf>,
}

/// A folder of animation definitions in a project.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// The folder, below the project's.
    pub folder: PathBuf,
    /// The tree of the file that they came from, below the project's; `None` where the project has no such file.
    pub tree: Option<PathBuf>,
}

/// What is below a project.
struct Found {
    trees: Trees,
    /// Folders of definitions, and what they say of themselves.
    definitions: Vec<(PathBuf, animdef::Manifest)>,
}

/// The trees below a project, by their paths from there, in order.
#[derive(Default)]
struct Trees {
    paths: Roll,
    halves: Vec<HalfSum>,
}

impl Trees {
    fn has(&self, path: &Path) -> bool {
        self.halves.binary_search(&half_sum(path)).is_ok()
    }

    fn iter(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.paths.iter().map(|path| path_of_bytes(&path))
    }
}

impl Project {
    /// Reads a project's manifest.
    pub fn open(root: &Path) -> Result<Self> {
        let path = manifest_path(Style::Json);
        let source = DirSource::new(root);
        let text: Blob = tree::Source::blob(&source, &path)?;
        if !is_project(root) {
            return Err(Error::say("not a project: `refit unpack GAME -o PROJECT` makes one").in_file(root.shown()));
        }
        Self::read(root, text.clone()).map_err(|e| other_version(&text).unwrap_or(e).in_file(path))
    }

    fn read(root: &Path, text: Blob) -> Result<Self> {
        let (manifest, mut rows) = read_rows::<Manifest>(text.clone(), Style::Json)?;
        if manifest.project != PROJECT_VERSION {
            return Err(version_error(manifest.project, &manifest.refit));
        }
        let mut project = Project { root: root.to_owned(), manifest, text, known: Vec::new(), odd: HashMap::new(), is_sorted: true };
        let mut before = PathBuf::new();
        while let Some(some) = rows() {
            for entry in some? {
                let path = entry
                    .path()
                    .ok_or_else(|| Error::say(format!("{:?} is not a path below a folder", entry.file)).hint("unpack the game again"))?;
                project.known.push(half_sum(&path));
                project.is_sorted &= before < path;
                if entry.file_hex.is_some() {
                    project.odd.insert(entry.file, path.clone());
                }
                before = path;
            }
        }
        project.known.sort_unstable();
        if let Some(twice) =
            project.known.windows(2).find_map(|pair| if pair.first() == pair.last() { pair.first().copied() } else { None })
        {
            let mut name = String::new();
            project.each_entry(&mut |path, entry| {
                if half_sum(&path) == twice {
                    name = entry.file;
                }
                Ok(())
            })?;
            return Err(Error::say(format!("the manifest lists {name:?} twice")).hint("delete one of the two rows"));
        }
        Ok(project)
    }

    /// The game's folder that the project came from, as it was noted on this machine. What a project from elsewhere says is not believed.
    pub fn source(&self) -> Option<PathBuf> {
        let read = |path: &str| tree::Source::get(&DirSource::new(&self.root), path).ok();
        let text = read(SOURCE)?;
        let sum = sha256(&text);
        if !disk::is_noted_as_own(&self.root.join(SOURCE), &sum) {
            // Where the disk notes nothing of files, the place of the project is known to nobody else.
            let here = self.root.join(HERE);
            let own = read(HERE)?;
            if disk::note_as_own(&here, "here") || own != here_of(&self.root, &sum)?.as_bytes() {
                return None;
            }
        }
        Some(path_of_bytes(text.strip_suffix(b"\n").unwrap_or(&text)))
    }

    /// The same; an error that says what to do where it is not known, or not there.
    pub fn game(&self, option: &str) -> Result<PathBuf> {
        let hint = format!("name the game's folder with {option}");
        match self.source() {
            Some(game) if game.is_dir() => Ok(game),
            Some(game) => Err(Error::say("the game's folder that the project came from is not there").in_file(game.shown()).hint(hint)),
            None => {
                let says = match self.manifest.source.as_str() {
                    "" => String::new(),
                    says => format!(" (its manifest says {says:?}, which may be another machine's)"),
                };
                let what = format!("where the game of this project is on this machine is not known{says}");
                Err(Error::say(what).in_file(self.root.shown()).hint(hint))
            }
        }
    }

    /// What the project calls itself where it notes what it built.
    pub fn own_name(&self) -> String {
        let known = tree::Source::get(&DirSource::new(&self.root), ID).ok().and_then(|id| String::from_utf8(id.to_vec()).ok());
        let plain = |id: &str| (!id.is_empty() && id.len() <= 64 && id.bytes().all(|b| b.is_ascii_hexdigit())).then(|| id.to_owned());
        known.and_then(|id| plain(id.trim_end())).unwrap_or_else(|| {
            let id = new_id();
            let _ = tree::Sink::put(&DirSink::new(&self.root), ID, format!("{id}\n").as_bytes());
            id
        })
    }

    /// Hands out what the manifest says of each file, in its order, with the file's path, until an error.
    pub fn each_entry(&self, see: &mut dyn FnMut(PathBuf, ProjectFile) -> Result<()>) -> Result<()> {
        let about = |e: Error| e.in_file(manifest_path(Style::Json));
        let (_, mut rows) = read_rows::<Manifest>(self.text.clone(), Style::Json).map_err(about)?;
        while let Some(some) = rows() {
            for entry in some.map_err(about)? {
                if let Some(path) = entry.path() {
                    see(path, entry)?;
                }
            }
        }
        Ok(())
    }

    /// What the manifest says of a file.
    pub fn entry(&self, file: &Path) -> Result<Option<ProjectFile>> {
        let mut found = None;
        if self.is_known(file) {
            self.each_entry(&mut |path, entry| {
                if path == file {
                    found.get_or_insert(entry);
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    fn is_known(&self, file: &Path) -> bool {
        self.known.binary_search(&half_sum(file)).is_ok()
    }

    /// The path of a file that another one is equal to.
    fn first_of(&self, entry: &ProjectFile) -> Option<PathBuf> {
        let first = entry.same_as.as_ref()?;
        let path = self.odd.get(first).cloned().unwrap_or_else(|| PathBuf::from(first));
        self.is_known(&path).then_some(path)
    }

    /// The trees below the project that are there, in the order of their paths.
    pub fn each_tree(&self, see: &mut dyn FnMut(PathBuf)) -> Result<()> {
        self.found()?.trees.iter().for_each(see);
        Ok(())
    }

    /// Hands out the trees below the project, and the folders of definitions that are of one of them.
    pub fn each_folder(&self, see: &mut dyn FnMut(PathBuf)) -> Result<()> {
        let Found { trees, definitions } = self.found()?;
        trees.iter().for_each(&mut *see);
        let of_trees = self.of_files(&trees, definitions)?.into_iter().filter(|definitions| definitions.tree.is_some());
        of_trees.for_each(|definitions| see(definitions.folder));
        Ok(())
    }

    /// The folders of animation definitions below the project, sorted. An error where two of them are of one tree.
    pub fn definitions(&self) -> Result<Vec<Definitions>> {
        let Found { trees, definitions } = self.found()?;
        self.of_files(&trees, definitions)
    }

    /// The trees below the project, and the folders of definitions with what they say of themselves.
    fn found(&self) -> Result<Found> {
        let (mut trees, mut definitions) = (Trees::default(), Vec::new());
        let mut below = walkdir::WalkDir::new(&self.root).min_depth(1).sort_by_file_name().into_iter();
        while let Some(entry) = below.next() {
            let entry = entry.map_err(|e| {
                let path = e.path().unwrap_or(&self.root).to_owned();
                Error::io(&path, e.into_io_error().unwrap_or_else(|| std::io::Error::other("a folder holds itself")))
            })?;
            if !entry.file_type().is_dir() {
                continue;
            }
            let relative = entry.path().strip_prefix(&self.root).unwrap_or(entry.path());
            let hidden = entry.file_name().to_str().is_some_and(|name| name == ".git" || name == ".refit");
            if disk::is_unfinished(entry.path()) || hidden {
                below.skip_current_dir();
            } else if ["refit.json", "refit.ron"].iter().any(|name| entry.path().join(name).is_file()) {
                match if self.is_known(relative) { None } else { definitions_in(entry.path()) } {
                    Some(manifest) => definitions.push((relative.to_owned(), manifest)),
                    None => {
                        trees.paths.push(&path_bytes(relative));
                        trees.halves.push(half_sum(relative));
                    }
                }
                below.skip_current_dir();
            }
        }
        trees.halves.sort_unstable();
        Ok(Found { trees, definitions })
    }

    /// Which trees folders of definitions are of: that of the file, or the tree, that they were made of, and else of the one file with that
    /// sum. An error where two of them are of one tree.
    fn of_files(&self, trees: &Trees, found: Vec<(PathBuf, animdef::Manifest)>) -> Result<Vec<Definitions>> {
        let whole = |path: &Path| crate::path::canonical(path).ok();
        let (root, game) = (whole(&self.root), self.source().and_then(|game| whole(&game)));
        // The files that each of them may be of, by their places in the project and in the game.
        let files: Vec<Vec<PathBuf>> = found
            .iter()
            .map(|(folder, manifest)| {
                let base = whole(&self.root.join(folder).join(&manifest.base.path));
                let inside = |above: &Option<PathBuf>| base.as_ref()?.strip_prefix(above.as_ref()?).ok().map(Path::to_owned);
                [inside(&root), inside(&game)].into_iter().flatten().collect()
            })
            .collect();
        // The trees of those that have none of their own, and of the sums that are asked for.
        let wanted: HashSet<&Path> = files.iter().flatten().filter(|file| !trees.has(file)).map(PathBuf::as_path).collect();
        let sums: HashSet<&str> = found.iter().map(|(_, manifest)| manifest.base.sha256.as_str()).filter(|sum| !sum.is_empty()).collect();
        let (mut firsts, mut of_sum) = (HashMap::new(), HashMap::<String, BTreeSet<PathBuf>>::new());
        if !wanted.is_empty() || !sums.is_empty() {
            self.each_entry(&mut |file, entry| {
                let first = self.first_of(&entry);
                let tree = [Some(&file), first.as_ref()].into_iter().flatten().find(|tree| trees.has(tree)).cloned();
                if let Some(tree) = tree.clone().filter(|_| sums.contains(entry.sha256.as_str())) {
                    of_sum.entry(entry.sha256).or_default().insert(tree);
                }
                if let Some(tree) = tree.filter(|_| wanted.contains(file.as_path())) {
                    firsts.entry(file).or_insert(tree);
                }
                Ok(())
            })?;
        }
        let own_tree = |file: &PathBuf| if trees.has(file) { Some(file.clone()) } else { firsts.get(file).cloned() };
        let one = |((folder, manifest), files): ((PathBuf, animdef::Manifest), &Vec<PathBuf>)| {
            let alone = || of_sum.get(&manifest.base.sha256).filter(|trees| trees.len() == 1)?.first().cloned();
            let tree = files.iter().find_map(own_tree).or_else(alone);
            Definitions { folder, tree }
        };
        let found: Vec<Definitions> = found.into_iter().zip(&files).map(one).collect();
        let mut of_tree: HashMap<&Path, &Path> = HashMap::new();
        for Definitions { folder, tree } in &found {
            if let Some(tree) = tree
                && let Some(other) = of_tree.insert(tree, folder)
            {
                let names = format!("{} and {}", other.shown(), folder.shown());
                return Err(Error::say(format!("two folders of definitions are of {}: {names}", tree.shown()))
                    .hint("move the one that is not meant out of the project"));
            }
        }
        Ok(found)
    }

    /// Hands out every file that the project has to do with and has a tree for, until an error: those of the manifest, and the trees that
    /// were added, in the order of their paths. Gives those of the manifest whose tree is not there.
    pub fn each_work(&self, see: &mut dyn FnMut(Work) -> Result<()>) -> Result<Vec<ProjectFile>> {
        let Found { trees, definitions } = self.found()?;
        let of_files = self.of_files(&trees, definitions)?.into_iter();
        let of_tree: HashMap<PathBuf, PathBuf> = of_files.filter_map(|definitions| Some((definitions.tree?, definitions.folder))).collect();
        let mut missing = Vec::new();
        let made = |tree: PathBuf, file: PathBuf, entry: Option<ProjectFile>| {
            let definitions = of_tree.get(&tree).cloned();
            Work { tree, file, entry, definitions }
        };
        let mut added = trees.iter().filter(|tree| !self.is_known(tree)).peekable();
        let mut unsorted = Vec::new();
        self.each_entry(&mut |file, entry| {
            let first = self.first_of(&entry);
            let tree = [Some(&file), first.as_ref()].into_iter().flatten().find(|tree| trees.has(tree)).cloned();
            let Some(tree) = tree else {
                missing.push(entry);
                return Ok(());
            };
            if !self.is_sorted {
                unsorted.push(made(tree, file, Some(entry)));
                return Ok(());
            }
            while let Some(tree) = added.next_if(|tree| *tree < file) {
                see(made(tree.clone(), tree, None))?;
            }
            see(made(tree, file, Some(entry)))
        })?;
        unsorted.extend(added.map(|tree| made(tree.clone(), tree, None)));
        unsorted.sort_by(|a, b| a.file.cmp(&b.file));
        unsorted.into_iter().try_for_each(see)?;
        Ok(missing)
    }
}

/// Where a project notes the place of its game.
const SOURCE: &str = ".refit/source";
/// Where it notes, on disks that note nothing of files themselves, that it did so at this place.
const HERE: &str = ".refit/here";
/// What it calls itself where it notes what it built.
const ID: &str = ".refit/id";

fn here_of(root: &Path, sum: &str) -> Option<String> {
    let root = crate::path::canonical(root).ok()?;
    Some(sha256(&[&*path_bytes(&root), b"\0", sum.as_bytes()].concat()))
}

fn new_id() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap_or_default();
    // Two threads of one process at the same moment have different places on their stacks.
    let here = std::ptr::from_ref(&since) as usize;
    let mut id = sha256(format!("{} {} {here}", std::process::id(), since.as_nanos()).as_bytes());
    id.truncate(16);
    id
}

/// Notes in a project, which is written into the folder of `sink` and will be at `root`, where its game is on this machine.
pub fn note_game(sink: &DirSink, folder: &Path, root: &Path, game: &Path) -> Result<()> {
    let mut text = path_bytes(game).to_vec();
    text.push(b'\n');
    sink.put(SOURCE, &text)?;
    sink.put(ID, format!("{}\n", new_id()).as_bytes())?;
    let sum = sha256(&text);
    if !disk::note_as_own(&folder.join(SOURCE), &sum) {
        let whole = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let above = whole.parent().and_then(|above| crate::path::canonical(above).ok());
        let root = above.zip(whole.file_name()).map_or(whole.clone(), |(above, name)| above.join(name));
        sink.put(HERE, sha256(&[&*path_bytes(&root), b"\0", sum.as_bytes()].concat()).as_bytes())?;
    }
    Ok(())
}

fn version_error(version: u32, refit: &str) -> Error {
    Error::say(format!("a project of version {version}, made by refit {refit}; this refit reads version {PROJECT_VERSION}"))
        .hint("unpack the game again")
}

/// The error of a manifest of another version, in which other things may stand.
fn other_version(text: &Blob) -> Option<Error> {
    /// What every version must keep, so that a foreign project is refused with the reason.
    #[derive(Deserialize)]
    struct Version {
        refit: String,
        project: u32,
    }
    let bytes = text.bytes().ok()?;
    let text = str::from_utf8(&bytes).ok()?;
    let version: Version = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).ok()?;
    (version.project != PROJECT_VERSION).then(|| version_error(version.project, &version.refit))
}

/// Writes the manifest of a project while its files become known: there may be very many.
pub struct Writing {
    /// The first rows, and those that are not written yet.
    first: Vec<ProjectFile>,
    waiting: Vec<ProjectFile>,
    /// The text of the others, in a file that has no name.
    text: std::fs::File,
    count: usize,
}

impl Writing {
    /// Nothing yet.
    pub fn begin() -> Result<Self> {
        let text = tempfile::tempfile().map_err(|e| Error::io(&std::env::temp_dir(), e))?;
        Ok(Writing { first: Vec::new(), waiting: Vec::new(), text, count: 0 })
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True while there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One more.
    pub fn push(&mut self, entry: ProjectFile) -> Result<()> {
        self.count += 1;
        self.waiting.push(entry);
        // So many stay that they can stand for themselves.
        if self.waiting.len() < ROWS + FEWEST {
            return Ok(());
        }
        let rest = self.waiting.split_off(ROWS);
        let some = std::mem::replace(&mut self.waiting, rest);
        if self.first.is_empty() {
            self.first = some;
            return Ok(());
        }
        self.write(&some)
    }

    fn write(&mut self, rows: &[ProjectFile]) -> Result<()> {
        let text = format!(",\n{}", rows_text::<Manifest>(rows, Style::Json)?);
        self.text.write_all(text.as_bytes()).map_err(|e| Error::io(&std::env::temp_dir(), e))
    }

    /// Writes the manifest: `head` without its files. Gives the SHA-256 of its text.
    pub fn put(mut self, mut head: Manifest, sink: &dyn Sink) -> Result<String> {
        let path = manifest_path(Style::Json);
        if self.first.is_empty() {
            head.files = self.waiting;
            let text = head.to_text(Style::Json)?;
            sink.put(&path, text.as_bytes())?;
            return Ok(sha256(text.as_bytes()));
        }
        let rest = std::mem::take(&mut self.waiting);
        self.write(&rest)?;
        let (before, behind) = around_rows(head, self.first, Style::Json)?;
        let io = |e| Error::io(&std::env::temp_dir(), e);
        let mut text = self.text;
        sink.put_pieces(&path, &mut |out| {
            out(before.as_bytes())?;
            text.rewind().map_err(io)?;
            let mut piece = vec![0; 1 << 16];
            loop {
                match text.read(&mut piece).map_err(io)? {
                    0 => break,
                    n => out(piece.get(..n).unwrap_or_default())?,
                }
            }
            out(behind.as_bytes())
        })
    }
}

/// What a folder says of itself where it is one of animation definitions.
fn definitions_in(folder: &Path) -> Option<animdef::Manifest> {
    let file = tree::Source::blob(&DirSource::new(folder), &manifest_path(Style::Json)).ok()?;
    animdef::Manifest::from_blob(&file, Style::Json).ok()
}

/// What git is told of a project.
pub const GIT_ATTRIBUTES: &str = "\
# Trees of refit: their text keeps its ends of lines, everything else is bytes.
* -text
";

/// Where Visual Studio Code looks for the settings of a folder.
pub const EDITOR_SETTINGS: &str = ".vscode/settings.json";

/// Settings that give reader documents their schema: they are lists, and cannot name it themselves. `readers` are the trees of readers.
pub fn editor_settings(readers: &[String]) -> Option<String> {
    let first = readers.first()?;
    let documents = readers.iter().map(|tree| format!("/{tree}/**/*.json"));
    // What has a schema of its own, and what is for programs.
    let others = ["!**/refit.json".to_owned(), "!**/.refit/**".to_owned()];
    let files: Vec<String> = documents.chain(others).collect();
    let settings = serde_json::json!({
        "json.schemas": [{ "fileMatch": files, "url": format!("./{first}/.refit/reader.schema.json") }],
    });
    Some(format!("{settings:#}\n"))
}

/// What git leaves out of a project.
pub const GIT_IGNORE: &str = "\
# Where the game's files lie is another place for everybody; the index of names is made anew.
**/.refit/source
/.refit/here
/.refit/id
/.refit/index*
.refit-*
*.orig
*.orig.[0-9]*
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Folder, Source};

    /// However many files there are, the manifest is the text that it is when it is written at once.
    #[test]
    fn a_manifest_that_is_written_bit_by_bit_is_the_same_text() {
        let entry = |n: usize| ProjectFile {
            file: format!("zbd/m{}/file{n}.zbd", n / 4),
            file_hex: None,
            bytes: n as u64,
            sha256: sha256(&n.to_le_bytes()),
            game: (!n.is_multiple_of(3)).then_some(Game::Rc),
            format: Format::Reader,
            same_as: (n % 5 == 4).then(|| format!("zbd/m{}/file{}.zbd", n / 4, n - 1)),
        };
        for count in [0, 1, FEWEST, ROWS, ROWS + FEWEST - 1, ROWS + FEWEST, 2 * ROWS + FEWEST, 3 * ROWS + 7] {
            let head = Manifest {
                refit: "1".into(),
                project: PROJECT_VERSION,
                game: Some(Game::Rc),
                source: "/games".into(),
                others: 2,
                files: Vec::new(),
            };
            let whole = Manifest { files: (0..count).map(entry).collect(), ..head.clone() }.to_text(Style::Json).unwrap();
            let mut writing = Writing::begin().unwrap();
            (0..count).for_each(|n| writing.push(entry(n)).unwrap());
            assert_eq!((writing.len(), writing.is_empty()), (count, count == 0));
            let folder = Folder::new();
            let sum = writing.put(head, &folder).unwrap();
            let path = manifest_path(Style::Json);
            assert!(folder.text(&path) == whole && sum == sha256(whole.as_bytes()), "{count}");
            let project = Project::read(Path::new("x"), folder.blob(&path).unwrap()).unwrap();
            let mut found = 0;
            project
                .each_entry(&mut |path, one| {
                    assert!(one == entry(found) && Some(path) == one.path() && project.is_known(&one.path().unwrap()));
                    found += 1;
                    Ok(())
                })
                .unwrap();
            assert_eq!((found, project.manifest.files.len()), (count, 0));
        }
    }
}
