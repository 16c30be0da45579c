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
    tree::{self, Blob, DirSource, Document, Style, disk, is_project, manifest_path},
    wire::{Error, Result},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

/// Version of the layout of projects that this refit writes. It reads no other one.
pub const PROJECT_VERSION: u32 = 1;

/// A file of the game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Entry")]
pub struct ProjectFile {
    /// The file, below the game's folder. Its tree stands at the same place in the project.
    pub file: String,
    /// The bytes of that path in hexadecimal, where it is not Unicode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_hex: Option<String>,
    /// Its size when it was unpacked.
    pub bytes: u64,
    /// Its SHA-256 when it was unpacked.
    pub sha256: String,
    /// The game that it was read as, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<Game>,
    /// Name of the file's format.
    pub format: Format,
    /// The file with whose tree it shares its content: it has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
}

/// The manifest of a project: its `refit.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the refit that wrote the project.
    pub refit: String,
    /// Version of the layout of projects.
    pub project: u32,
    /// The game that most of the files belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<Game>,
    /// The game's folder: `repack` puts what was edited into it, where nothing else is said.
    pub source: String,
    /// How many files below that folder were not recognised, and left there.
    #[serde(default)]
    pub others: usize,
    /// The files, by their paths.
    pub files: Vec<ProjectFile>,
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
    /// What it says of itself.
    pub manifest: Manifest,
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
    trees: Vec<PathBuf>,
    /// Folders of definitions, and what they say of themselves.
    definitions: Vec<(PathBuf, animdef::Manifest)>,
}

impl Project {
    /// Reads a project's manifest.
    pub fn open(root: &Path) -> Result<Self> {
        let path = manifest_path(Style::Json);
        let source = DirSource::new(root);
        let blob: Blob = tree::Source::blob(&source, &path)?;
        if !is_project(root) {
            return Err(Error::say("not a project: `refit unpack GAME -o PROJECT` makes one").in_file(root.display().to_string()));
        }
        /// What every version must keep, so that a foreign project is refused with the reason.
        #[derive(Deserialize)]
        struct Version {
            refit: String,
            project: u32,
        }
        let bytes = blob.bytes()?;
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        let wrong = |e: serde_json::Error| Error::say(e.to_string()).in_file(path.clone());
        let version: Version = serde_json::from_slice(bytes).map_err(wrong)?;
        if version.project != PROJECT_VERSION {
            return Err(Error::say(format!(
                "a project of version {}, made by refit {}; this refit reads version {PROJECT_VERSION}",
                version.project, version.refit
            ))
            .in_file(path.clone())
            .hint("unpack the game again"));
        }
        let manifest = Manifest::from_blob(&blob, Style::Json).map_err(|e| e.in_file(path.clone()))?;
        if let Some(entry) = manifest.files.iter().find(|entry| entry.path().is_none()) {
            let error = Error::say(format!("{:?} is not a path below a folder", entry.file));
            return Err(error.in_file(path).hint("unpack the game again"));
        }
        Ok(Project { root: root.to_owned(), manifest })
    }

    /// The game's folder that the project came from.
    pub fn source(&self) -> PathBuf {
        PathBuf::from(&self.manifest.source)
    }

    /// The trees below the project that are there, sorted.
    pub fn trees(&self) -> Result<Vec<PathBuf>> {
        Ok(self.found()?.trees)
    }

    /// The folders of animation definitions below the project, sorted.
    pub fn definitions(&self) -> Result<Vec<Definitions>> {
        let Found { trees, definitions } = self.found()?;
        let there: HashSet<&Path> = trees.iter().map(PathBuf::as_path).collect();
        Ok(self.of_files(&there, definitions))
    }

    /// The trees below the project, and the folders of definitions with what they say of themselves.
    fn found(&self) -> Result<Found> {
        let known: HashSet<PathBuf> = self.manifest.files.iter().filter_map(ProjectFile::path).collect();
        let (mut trees, mut definitions) = (Vec::new(), Vec::new());
        let mut below = walkdir::WalkDir::new(&self.root).min_depth(1).sort_by_file_name().into_iter();
        while let Some(entry) = below.next() {
            let entry = entry.map_err(|e| {
                let path = e.path().unwrap_or(&self.root).to_owned();
                Error::io(&path, e.into_io_error().unwrap_or_else(|| std::io::Error::other("a folder holds itself")))
            })?;
            if !entry.file_type().is_dir() {
                continue;
            }
            let relative = entry.path().strip_prefix(&self.root).unwrap_or(entry.path()).to_owned();
            let hidden = entry.file_name().to_str().is_some_and(|name| name == ".git" || name == ".refit");
            if disk::is_unfinished(entry.path()) || hidden {
                below.skip_current_dir();
            } else if ["refit.json", "refit.ron"].iter().any(|name| entry.path().join(name).is_file()) {
                below.skip_current_dir();
                match if known.contains(&relative) { None } else { definitions_in(entry.path()) } {
                    Some(manifest) => definitions.push((relative, manifest)),
                    None => trees.push(relative),
                }
            }
        }
        Ok(Found { trees, definitions })
    }

    /// Which trees folders of definitions are of: that of the file, or the tree, that they were made of, and else of the one file with that
    /// sum.
    fn of_files(&self, trees: &HashSet<&Path>, found: Vec<(PathBuf, animdef::Manifest)>) -> Vec<Definitions> {
        let whole = |path: &Path| std::fs::canonicalize(path).ok();
        let (root, game) = (whole(&self.root), whole(&self.source()));
        let own_tree = |file: &Path| {
            let entry = self.manifest.files.iter().find(|entry| entry.path().as_deref() == Some(file));
            let first = entry.and_then(|entry| entry.same_as.as_deref()).map(PathBuf::from);
            [Some(file.to_owned()), first].into_iter().flatten().find(|tree| trees.contains(tree.as_path()))
        };
        let one = |(folder, manifest): (PathBuf, animdef::Manifest)| {
            let base = whole(&self.root.join(&folder).join(&manifest.base.path));
            let inside = |above: &Option<PathBuf>| base.as_ref()?.strip_prefix(above.as_ref()?).ok().map(Path::to_owned);
            let mut tree = [inside(&root), inside(&game)].into_iter().flatten().find_map(|file| own_tree(&file));
            if tree.is_none() && !manifest.base.sha256.is_empty() {
                let same = self.manifest.files.iter().filter(|entry| entry.sha256 == manifest.base.sha256);
                let mut same: Vec<PathBuf> = same.filter_map(|entry| own_tree(&entry.path()?)).collect();
                same.sort();
                same.dedup();
                tree = same.pop().filter(|_| same.is_empty());
            }
            Definitions { folder, tree }
        };
        found.into_iter().map(one).collect()
    }

    /// Every file that the project has to do with: those of the manifest, whether their tree is there or not, and the trees that were
    /// added. Sorted by path. An error where two folders of definitions are of one tree.
    pub fn work(&self) -> Result<(Vec<Work>, Vec<ProjectFile>)> {
        let Found { trees, definitions } = self.found()?;
        let there: HashSet<&Path> = trees.iter().map(PathBuf::as_path).collect();
        let mut of_tree: HashMap<PathBuf, PathBuf> = HashMap::new();
        for Definitions { folder, tree } in self.of_files(&there, definitions) {
            if let Some(tree) = tree
                && let Some(other) = of_tree.insert(tree.clone(), folder.clone())
            {
                let names = format!("{} and {}", other.display(), folder.display());
                return Err(Error::say(format!("two folders of definitions are of {}: {names}", tree.display()))
                    .hint("move the one that is not meant out of the project"));
            }
        }
        let shared: HashMap<&str, PathBuf> =
            self.manifest.files.iter().filter_map(|entry| Some((entry.file.as_str(), entry.path()?))).collect();
        let (mut work, mut missing) = (Vec::new(), Vec::new());
        let made = |tree: &PathBuf, file: PathBuf, entry: Option<ProjectFile>| {
            let definitions = of_tree.get(tree).cloned();
            Work { tree: tree.clone(), file, entry, definitions }
        };
        for entry in &self.manifest.files {
            let Some(file) = entry.path() else { continue };
            let first = entry.same_as.as_deref().and_then(|first| shared.get(first));
            let tree = [Some(&file), first].into_iter().flatten().find(|tree| there.contains(tree.as_path()));
            match tree.cloned() {
                Some(tree) => work.push(made(&tree, file, Some(entry.clone()))),
                None => missing.push(entry.clone()),
            }
        }
        let known: HashSet<&Path> = shared.values().map(PathBuf::as_path).collect();
        let added = trees.iter().filter(|tree| !known.contains(tree.as_path()));
        work.extend(added.map(|tree| made(tree, tree.clone(), None)));
        work.sort_by(|a, b| a.file.cmp(&b.file));
        Ok((work, missing))
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

/// What git leaves out of a project.
pub const GIT_IGNORE: &str = "\
# Where the game's files lie is another place for everybody; the index of names is made anew.
**/.refit/source
/.refit/index*
.refit-*
*.orig
*.orig.[0-9]*
";
