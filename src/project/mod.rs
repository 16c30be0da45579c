//! A game's folder as a project: a tree for each of its files, at the same place, and a manifest that says which files they were.
//!
//! `zbd/c1/anim.zbd` of the game is the tree `zbd/c1/anim.zbd/` of the project. Files that are equal byte for byte, and are read the same
//! way, have one tree together, at the place of the first: an edit of it goes into all of them. One that gets a tree of its own, at its
//! own place, is apart from then on.
//!
//! A folder of animation definitions that `refit anim decompile` made may stand anywhere in a project: it is for the animation file that it
//! came from, and its edits go into that file as those of the tree do.

use crate::{
    anim_source,
    format::Format,
    game::Game,
    path::{self, Shown},
    sha256,
    tree::{self, Blob, DirSink, DirSource, Document, Sink, Style, disk, is_project, manifest_path},
    wire::{Error, Result},
};
use serde::Deserialize;
use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsString,
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

/// A project on disk.
#[derive(Debug)]
pub struct Project {
    /// Its folder.
    pub root: PathBuf,
    /// What it says of itself and of its files.
    pub manifest: Manifest,
    /// The paths of the files, in the order of the manifest.
    paths: Vec<PathBuf>,
    /// Where the file of a path is in that order.
    places: HashMap<PathBuf, usize>,
    /// The paths that are not Unicode, by what they are called.
    odd: HashMap<String, PathBuf>,
}

/// What a file of the game is to be made of.
#[derive(Clone, Debug)]
pub struct Work<'a> {
    /// The file, below the game's folder.
    pub file: PathBuf,
    /// Its tree, below the project's.
    pub tree: PathBuf,
    /// What the manifest says of it; `None` for a tree that was added.
    pub entry: Option<&'a ProjectFile>,
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
    /// The trees, by their paths from there.
    trees: BTreeSet<PathBuf>,
    /// Folders of definitions, and what they say of themselves.
    definitions: Vec<(PathBuf, anim_source::Manifest)>,
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
        Self::read(root, &text).map_err(|e| other_version(&text).unwrap_or(e).in_file(path))
    }

    fn read(root: &Path, text: &Blob) -> Result<Self> {
        let manifest = Manifest::from_blob(text, Style::Json)?;
        if manifest.project != PROJECT_VERSION {
            return Err(version_error(manifest.project, &manifest.refit));
        }
        let (mut paths, mut places, mut odd) = (Vec::new(), HashMap::new(), HashMap::new());
        for (at, entry) in manifest.files.iter().enumerate() {
            let path = entry.path();
            let path =
                path.ok_or_else(|| Error::say(format!("{:?} is not a path below a folder", entry.file)).hint("unpack the game again"))?;
            if places.insert(path.clone(), at).is_some() {
                return Err(Error::say(format!("the manifest lists {:?} twice", entry.file)).hint("delete one of the two rows"));
            }
            if entry.file_hex.is_some() {
                odd.insert(entry.file.clone(), path.clone());
            }
            paths.push(path);
        }
        Ok(Project { root: root.to_owned(), manifest, paths, places, odd })
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
        Some(path::of_bytes(text.strip_suffix(b"\n").unwrap_or(&text)))
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

    /// What the manifest says of each file, in its order, and the file's path.
    pub fn entries(&self) -> impl Iterator<Item = (&PathBuf, &ProjectFile)> {
        self.paths.iter().zip(&self.manifest.files)
    }

    /// What the manifest says of a file.
    pub fn entry(&self, file: &Path) -> Option<&ProjectFile> {
        self.manifest.files.get(*self.places.get(file)?)
    }

    /// The tree of a file that is there: its own, or that of the file that it is equal to.
    fn tree_of(&self, trees: &BTreeSet<PathBuf>, file: &Path, entry: &ProjectFile) -> Option<PathBuf> {
        let first = entry.same_as.as_ref().map(|first| self.odd.get(first).map_or(Path::new(first), PathBuf::as_path));
        let first = first.filter(|first| self.places.contains_key(*first));
        [Some(file), first].into_iter().flatten().find(|tree| trees.contains(*tree)).map(Path::to_owned)
    }

    /// The trees below the project that are there, in the order of their paths.
    pub fn trees(&self) -> Result<Vec<PathBuf>> {
        Ok(self.found()?.trees.into_iter().collect())
    }

    /// The trees below the project, and the folders of definitions that are of one of them.
    pub fn folders(&self) -> Result<Vec<PathBuf>> {
        let Found { trees, definitions } = self.found()?;
        let of_trees = self.of_files(&trees, definitions)?.into_iter().filter(|definitions| definitions.tree.is_some());
        let of_trees: Vec<PathBuf> = of_trees.map(|definitions| definitions.folder).collect();
        Ok(trees.into_iter().chain(of_trees).collect())
    }

    /// The folders of animation definitions below the project, sorted. An error where two of them are of one tree.
    pub fn definitions(&self) -> Result<Vec<Definitions>> {
        let Found { trees, definitions } = self.found()?;
        self.of_files(&trees, definitions)
    }

    /// The trees below the project, and the folders of definitions with what they say of themselves.
    fn found(&self) -> Result<Found> {
        let (mut trees, mut definitions) = (BTreeSet::new(), Vec::new());
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
                match if self.places.contains_key(relative) { None } else { definitions_in(entry.path()) } {
                    Some(manifest) => definitions.push((relative.to_owned(), manifest)),
                    None => _ = trees.insert(relative.to_owned()),
                }
                below.skip_current_dir();
            }
        }
        Ok(Found { trees, definitions })
    }

    /// Which trees folders of definitions are of: that of the file, or the tree, that they were made of, and else of the one file with that
    /// sum. An error where two of them are of one tree.
    fn of_files(&self, trees: &BTreeSet<PathBuf>, found: Vec<(PathBuf, anim_source::Manifest)>) -> Result<Vec<Definitions>> {
        fn sum_of(manifest: &anim_source::Manifest) -> &str {
            &manifest.base.sha256
        }
        let whole = |path: &Path| path::canonical(path).ok();
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
        let mut of_sum: HashMap<&str, BTreeSet<PathBuf>> = found.iter().map(|(_, manifest)| (sum_of(manifest), BTreeSet::new())).collect();
        of_sum.remove("");
        for (file, entry) in self.entries() {
            if let Some(trees_of) = of_sum.get_mut(entry.sha256.as_str()) {
                trees_of.extend(self.tree_of(trees, file, entry));
            }
        }
        let tree_of = |file: &PathBuf| match trees.contains(file) {
            true => Some(file.clone()),
            false => self.tree_of(trees, file, self.entry(file)?),
        };
        let one = |((folder, manifest), files): (&(PathBuf, anim_source::Manifest), &Vec<PathBuf>)| {
            let alone = || of_sum.get(sum_of(manifest)).filter(|trees| trees.len() == 1)?.first().cloned();
            Definitions { folder: folder.clone(), tree: files.iter().find_map(tree_of).or_else(alone) }
        };
        let found: Vec<Definitions> = found.iter().zip(&files).map(one).collect();
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

    /// Every file that the project has to do with and has a tree for: those of the manifest, and the trees that were added, in the
    /// order of their paths.
    pub fn works(&self) -> Result<Vec<Work<'_>>> {
        self.works_and_missing().map(|(works, _)| works)
    }

    /// The same, and what the manifest says of the files whose tree is not there.
    pub fn works_and_missing(&self) -> Result<(Vec<Work<'_>>, Vec<&ProjectFile>)> {
        let Found { trees, definitions } = self.found()?;
        let of_files = self.of_files(&trees, definitions)?.into_iter();
        let of_tree: HashMap<PathBuf, PathBuf> = of_files.filter_map(|definitions| Some((definitions.tree?, definitions.folder))).collect();
        let (mut works, mut missing) = (Vec::new(), Vec::new());
        let made = |tree: PathBuf, file: PathBuf, entry| Work { definitions: of_tree.get(&tree).cloned(), tree, file, entry };
        for (file, entry) in self.entries() {
            match self.tree_of(&trees, file, entry) {
                Some(tree) => works.push(made(tree, file.clone(), Some(entry))),
                None => missing.push(entry),
            }
        }
        let added = trees.iter().filter(|tree| !self.places.contains_key(*tree));
        works.extend(added.map(|tree| made(tree.clone(), tree.clone(), None)));
        works.sort_by(|a, b| a.file.cmp(&b.file));
        Ok((works, missing))
    }
}

/// Where a project notes the place of its game.
const SOURCE: &str = ".refit/source";
/// Where it notes, on disks that note nothing of files themselves, that it did so at this place.
const HERE: &str = ".refit/here";
/// What it calls itself where it notes what it built.
const ID: &str = ".refit/id";

fn here_of(root: &Path, sum: &str) -> Option<String> {
    let root = path::canonical(root).ok()?;
    Some(sha256(&[&*path::bytes_of(&root), b"\0", sum.as_bytes()].concat()))
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
    let mut text = path::bytes_of(game).to_vec();
    text.push(b'\n');
    sink.put(SOURCE, &text)?;
    sink.put(ID, format!("{}\n", new_id()).as_bytes())?;
    let sum = sha256(&text);
    if !disk::note_as_own(&folder.join(SOURCE), &sum) {
        let whole = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let above = whole.parent().and_then(|above| path::canonical(above).ok());
        let root = above.zip(whole.file_name()).map_or(whole.clone(), |(above, name)| above.join(name));
        sink.put(HERE, sha256(&[&*path::bytes_of(&root), b"\0", sum.as_bytes()].concat()).as_bytes())?;
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

/// What a folder says of itself where it is one of animation definitions.
fn definitions_in(folder: &Path) -> Option<anim_source::Manifest> {
    let file = tree::Source::blob(&DirSource::new(folder), &manifest_path(Style::Json)).ok()?;
    anim_source::Manifest::from_blob(&file, Style::Json).ok()
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
