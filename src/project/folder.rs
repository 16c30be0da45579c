//! The manifest of a project, its trees and folders of definitions on disk.

use refit_anim_source as anim_source;
use refit_base::{
    Sum,
    format::Format,
    game::Game,
    path::{self, Shown},
    sha256,
    tree::{self, Blob, DirSink, DirSource, Sink, Style, disk, is_project, manifest_path},
    wire::{Error, Result},
};
use refit_zipper::reader::known;
use serde::Deserialize;
use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

/// Version of the project layout that this refit writes. It reads no other version.
pub const PROJECT_VERSION: u32 = 1;

refit_base::record! {
    /// A file of the game.
    #[derive(Eq)]
    #[schemars(rename = "Entry")]
    pub struct ProjectFile {
        /// The file, below the game's folder. Its tree has the same path in the project.
        file: String,
        /// The bytes of that path in hexadecimal, if it is not Unicode.
        file_hex?: String,
        /// Its size when it was unpacked.
        bytes: u64,
        /// Its checksum when it was unpacked: `blake3:` and hexadecimal digits. Earlier versions wrote a SHA-256
        /// under the key `sha256`.
        #[serde(alias = "sha256")]
        sum: Sum,
        /// The game that it was read as, if known.
        game?: Game,
        /// Name of the file's format.
        format: Format,
        /// The file whose tree also has its content; it has no tree itself.
        same_as?: String,
    }
}

refit_base::record! {
    /// The manifest of a project: its `refit.json`.
    #[derive(Eq)]
    pub struct Manifest {
        /// Version of the refit that wrote the project.
        refit: String,
        /// Version of the project layout.
        project: u32,
        /// The game that most of the files belong to.
        game?: Game,
        /// The game's folder on its author's machine, in projects of earlier versions. No longer
        /// written.
        source!: String,
        /// How many files below that folder were not recognised.
        #[serde(default)]
        others: usize,
        /// The files, by their paths.
        files: Vec<ProjectFile>,
    }
}

refit_base::document!(Manifest, "project");

impl ProjectFile {
    /// The path below the game's folder; `None` if it would leave that folder.
    pub fn path(&self) -> Option<PathBuf> {
        let path = match &self.file_hex {
            Some(hex) => PathBuf::from(unhex(hex)?),
            None => PathBuf::from(&self.file),
        };
        let inside = path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
            && !self.file.contains('\\');
        (inside && path.components().next().is_some()).then_some(path)
    }
}

#[cfg(unix)]
fn unhex(hex: &str) -> Option<OsString> {
    let pair = |i: usize| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok();
    let bytes = (0..hex.len())
        .step_by(2)
        .map(pair)
        .collect::<Option<Vec<u8>>>()?;
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn unhex(_: &str) -> Option<OsString> {
    None
}

/// A path as a manifest spells it, and its bytes in hexadecimal if it is not Unicode.
pub fn spelled(path: &Path) -> (String, Option<String>) {
    let parts: Vec<_> = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    let hex = path
        .to_str()
        .is_none()
        .then(|| refit_base::lower_hex(path.as_os_str().as_encoded_bytes()));
    (parts.join("/"), hex)
}

/// A project on disk.
#[derive(Debug)]
pub struct Project {
    /// Its folder.
    pub root: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// The paths of the files, in the order of the manifest.
    paths: Vec<PathBuf>,
    /// For each path, its position in that order.
    places: HashMap<PathBuf, usize>,
    /// The paths that are not Unicode, by their spelling in the manifest.
    odd: HashMap<String, PathBuf>,
}

/// A file of the game to build.
#[derive(Clone, Debug)]
pub struct Work<'a> {
    /// The path of the file below the game's folder.
    pub file: PathBuf,
    /// The path of its tree below the project's folder.
    pub tree: PathBuf,
    /// The file's entry in the manifest; `None` for a tree that was added.
    pub entry: Option<&'a ProjectFile>,
    /// The path of the folder with its animation definitions, below the project's folder.
    pub definitions: Option<PathBuf>,
}

/// A folder of animation definitions in a project.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// The path of the folder below the project's folder.
    pub folder: PathBuf,
    /// The path of the tree of the animation file; `None` if the project has no such file.
    pub tree: Option<PathBuf>,
}

/// The contents of a project's folder.
struct Found {
    trees: BTreeSet<PathBuf>,
    /// The paths and manifests of the folders with definitions.
    definitions: Vec<(PathBuf, anim_source::Manifest)>,
}

impl Project {
    /// Reads a project's manifest.
    pub fn open(root: &Path) -> Result<Self> {
        let path = manifest_path(Style::Json);
        if !is_project(root) {
            return Err(
                Error::say("not a project: `refit unpack GAME -o PROJECT` makes one")
                    .in_file(root.shown()),
            );
        }
        let text: Blob = tree::Source::blob(&DirSource::new(root), &path)?;
        Self::read(root, &text).map_err(|e| other_version(&text).unwrap_or(e).in_file(path))
    }

    fn read(root: &Path, file: &Blob) -> Result<Self> {
        let manifest: Manifest = tree::text::of_bytes(&file.bytes()?, Style::Json)?;
        if manifest.project != PROJECT_VERSION {
            return Err(version_error(manifest.project, &manifest.refit));
        }
        let (mut paths, mut places, mut odd) = (Vec::new(), HashMap::new(), HashMap::new());
        for (at, entry) in manifest.files.iter().enumerate() {
            let path = entry.path();
            let path = path.ok_or_else(|| {
                Error::say(format!("{:?} is not a path below a folder", entry.file))
                    .hint("unpack the game again")
            })?;
            if places.insert(path.clone(), at).is_some() {
                return Err(
                    Error::say(format!("the manifest lists {:?} twice", entry.file))
                        .hint("delete one of the two rows"),
                );
            }
            if entry.file_hex.is_some() {
                odd.insert(entry.file.clone(), path.clone());
            }
            paths.push(path);
        }
        Ok(Project {
            root: root.to_owned(),
            manifest,
            paths,
            places,
            odd,
        })
    }

    /// The game's folder that the project came from, as recorded on this machine. Ignores what a
    /// project from another machine claims.
    pub fn source(&self) -> Option<PathBuf> {
        let read = |path: &str| tree::Source::get(&DirSource::new(&self.root), path).ok();
        let text = read(SOURCE)?;
        let sum = Sum::of(&text);
        if !disk::is_noted_as_own(&self.root.join(SOURCE), sum) {
            // On disks without file attributes, a second file proves that the record was made here.
            let here = self.root.join(HERE);
            let own = read(HERE)?;
            if disk::note_as_own(&here, sum)
                || own != here_of(&self.root, &sha256(&text))?.as_bytes()
            {
                return None;
            }
        }
        Some(path::of_bytes(text.strip_suffix(b"\n").unwrap_or(&text)))
    }

    /// Like [`Project::source`], with an error if the folder is unknown or missing. `option` is the
    /// option that names it.
    pub fn game(&self, option: &str) -> Result<PathBuf> {
        let hint = format!("name the game's folder with {option}");
        match self.source() {
            Some(game) if game.is_dir() => Ok(game),
            Some(game) => Err(Error::say("the game folder of this project is missing")
                .in_file(game.shown())
                .hint(hint)),
            None => {
                let says = match self.manifest.source.as_str() {
                    "" => String::new(),
                    says => {
                        format!(" (its manifest says {says:?}, which may be another machine's)")
                    }
                };
                let what =
                    format!("the game folder of this project is not known on this machine{says}");
                Err(Error::say(what).in_file(self.root.shown()).hint(hint))
            }
        }
    }

    /// The identifier of this project, if it has ever built anything.
    pub fn known_name(&self) -> Option<String> {
        let known = tree::Source::get(&DirSource::new(&self.root), ID)
            .ok()
            .and_then(|id| String::from_utf8(id.to_vec()).ok());
        let plain = |id: &str| {
            (!id.is_empty() && id.len() <= 64 && id.bytes().all(|b| b.is_ascii_hexdigit()))
                .then(|| id.to_owned())
        };
        known.and_then(|id| plain(id.trim_end()))
    }

    /// An identifier of this project, for its records of what it built.
    pub fn own_name(&self) -> String {
        self.known_name().unwrap_or_else(|| {
            let id = new_id();
            let _ = tree::Sink::put(&DirSink::new(&self.root), ID, format!("{id}\n").as_bytes());
            id
        })
    }

    /// The path and manifest entry of each file, in the order of the manifest.
    pub fn entries(&self) -> impl Iterator<Item = (&PathBuf, &ProjectFile)> {
        self.paths.iter().zip(&self.manifest.files)
    }

    /// The manifest entry of a file.
    pub fn entry(&self, file: &Path) -> Option<&ProjectFile> {
        self.manifest.files.get(*self.places.get(file)?)
    }

    /// The existing tree of a file: its own, or that of the file with the same content.
    fn tree_of(
        &self,
        trees: &BTreeSet<PathBuf>,
        file: &Path,
        entry: &ProjectFile,
    ) -> Option<PathBuf> {
        let first = entry.same_as.as_ref().map(|first| {
            self.odd
                .get(first)
                .map_or(Path::new(first), PathBuf::as_path)
        });
        let first = first.filter(|first| self.places.contains_key(*first));
        [Some(file), first]
            .into_iter()
            .flatten()
            .find(|tree| trees.contains(*tree))
            .map(Path::to_owned)
    }

    /// The existing trees in the project, sorted by path.
    pub fn trees(&self) -> Result<Vec<PathBuf>> {
        Ok(self.found()?.trees.into_iter().collect())
    }

    /// The trees in the project, and the folders of definitions that belong to one of them.
    pub fn folders(&self) -> Result<Vec<PathBuf>> {
        let Found { trees, definitions } = self.found()?;
        let of_trees = self
            .of_files(&trees, definitions)?
            .into_iter()
            .filter(|definitions| definitions.tree.is_some());
        let of_trees: Vec<PathBuf> = of_trees.map(|definitions| definitions.folder).collect();
        Ok(trees.into_iter().chain(of_trees).collect())
    }

    /// The folders of animation definitions in the project, sorted. An error if two of them belong
    /// to one tree.
    pub fn definitions(&self) -> Result<Vec<Definitions>> {
        let Found { trees, definitions } = self.found()?;
        self.of_files(&trees, definitions)
    }

    /// The trees in the project, and the folders of definitions with their manifests.
    fn found(&self) -> Result<Found> {
        let (mut trees, mut definitions) = (BTreeSet::new(), Vec::new());
        let mut below = walkdir::WalkDir::new(&self.root)
            .min_depth(1)
            .sort_by_file_name()
            .into_iter();
        while let Some(entry) = below.next() {
            let entry = entry.map_err(|e| {
                let path = e.path().unwrap_or(&self.root).to_owned();
                Error::io(
                    &path,
                    e.into_io_error()
                        .unwrap_or_else(|| std::io::Error::other("a folder contains itself")),
                )
            })?;
            if !entry.file_type().is_dir() {
                continue;
            }
            let relative = entry
                .path()
                .strip_prefix(&self.root)
                .unwrap_or(entry.path());
            let hidden = entry
                .file_name()
                .to_str()
                .is_some_and(|name| name == ".git" || name == ".refit");
            if disk::is_unfinished(entry.path()) || hidden {
                below.skip_current_dir();
            } else if ["refit.json", "refit.ron"]
                .iter()
                .any(|name| entry.path().join(name).is_file())
            {
                match if self.places.contains_key(relative) {
                    None
                } else {
                    definitions_in(entry.path())
                } {
                    Some(manifest) => definitions.push((relative.to_owned(), manifest)),
                    None => _ = trees.insert(relative.to_owned()),
                }
                below.skip_current_dir();
            }
        }
        Ok(Found { trees, definitions })
    }

    /// Finds the tree of each folder of definitions: the tree of the file that they were made from,
    /// otherwise the only file with that checksum. An error if two folders belong to one tree.
    fn of_files(
        &self,
        trees: &BTreeSet<PathBuf>,
        found: Vec<(PathBuf, anim_source::Manifest)>,
    ) -> Result<Vec<Definitions>> {
        fn sum_of(manifest: &anim_source::Manifest) -> Sum {
            manifest.base.sum
        }
        let whole = |path: &Path| path::canonical(path).ok();
        let (root, game) = (
            whole(&self.root),
            self.source().and_then(|game| whole(&game)),
        );
        // For each folder, the files that it may belong to, as paths in the project or the game.
        let files: Vec<Vec<PathBuf>> = found
            .iter()
            .map(|(folder, manifest)| {
                let base = whole(&self.root.join(folder).join(&manifest.base.path));
                let inside = |above: &Option<PathBuf>| {
                    base.as_ref()?
                        .strip_prefix(above.as_ref()?)
                        .ok()
                        .map(Path::to_owned)
                };
                [inside(&root), inside(&game)]
                    .into_iter()
                    .flatten()
                    .collect()
            })
            .collect();
        let mut of_sum: HashMap<Sum, BTreeSet<PathBuf>> = found
            .iter()
            .map(|(_, manifest)| (sum_of(manifest), BTreeSet::new()))
            .collect();
        of_sum.remove(&Sum::default());
        for (file, entry) in self.entries() {
            if let Some(trees_of) = of_sum.get_mut(&entry.sum) {
                trees_of.extend(self.tree_of(trees, file, entry));
            }
        }
        let tree_of = |file: &PathBuf| match trees.contains(file) {
            true => Some(file.clone()),
            false => self.tree_of(trees, file, self.entry(file)?),
        };
        let one =
            |((folder, manifest), files): (&(PathBuf, anim_source::Manifest), &Vec<PathBuf>)| {
                let alone = || {
                    of_sum
                        .get(&sum_of(manifest))
                        .filter(|trees| trees.len() == 1)?
                        .first()
                        .cloned()
                };
                Definitions {
                    folder: folder.clone(),
                    tree: files.iter().find_map(tree_of).or_else(alone),
                }
            };
        let found: Vec<Definitions> = found.iter().zip(&files).map(one).collect();
        let mut of_tree: HashMap<&Path, &Path> = HashMap::new();
        for Definitions { folder, tree } in &found {
            if let Some(tree) = tree
                && let Some(other) = of_tree.insert(tree, folder)
            {
                let names = format!("{} and {}", other.shown(), folder.shown());
                return Err(Error::say(format!(
                    "two folders of definitions belong to {}: {names}",
                    tree.shown()
                ))
                .hint("move the wrong one out of the project"));
            }
        }
        Ok(found)
    }

    /// Every file with a tree: those of the manifest and added trees, sorted by path.
    pub fn works(&self) -> Result<Vec<Work<'_>>> {
        self.works_and_missing().map(|(works, _)| works)
    }

    /// Like [`Project::works`], with the manifest entries of files whose tree is missing.
    pub fn works_and_missing(&self) -> Result<(Vec<Work<'_>>, Vec<&ProjectFile>)> {
        let Found { trees, definitions } = self.found()?;
        let of_files = self.of_files(&trees, definitions)?.into_iter();
        let of_tree: HashMap<PathBuf, PathBuf> = of_files
            .filter_map(|definitions| Some((definitions.tree?, definitions.folder)))
            .collect();
        let (mut works, mut missing) = (Vec::new(), Vec::new());
        let made = |tree: PathBuf, file: PathBuf, entry| Work {
            definitions: of_tree.get(&tree).cloned(),
            tree,
            file,
            entry,
        };
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

/// The file in which a project records the place of its game.
const SOURCE: &str = ".refit/source";
/// On disks without file attributes, the proof that [`SOURCE`] was written at this place.
const HERE: &str = ".refit/here";
/// The file with the project's identifier.
const ID: &str = ".refit/id";

fn here_of(root: &Path, sum: &str) -> Option<String> {
    let root = path::canonical(root).ok()?;
    Some(sha256(
        &[&*path::bytes_of(&root), b"\0", sum.as_bytes()].concat(),
    ))
}

fn new_id() -> String {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    // Two threads of one process have different stack addresses, even at the same moment.
    let here = std::ptr::from_ref(&since) as usize;
    let mut id = sha256(format!("{} {} {here}", std::process::id(), since.as_nanos()).as_bytes());
    id.truncate(16);
    id
}

/// Records the place of the game on this machine in a project. The project is written through
/// `sink` into `folder` and will be at `root`.
pub fn note_game(sink: &DirSink, folder: &Path, root: &Path, game: &Path) -> Result<()> {
    let mut text = path::bytes_of(game).to_vec();
    text.push(b'\n');
    sink.put(SOURCE, &text)?;
    sink.put(ID, format!("{}\n", new_id()).as_bytes())?;
    if !disk::note_as_own(&folder.join(SOURCE), Sum::of(&text)) {
        let whole = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let above = whole.parent().and_then(|above| path::canonical(above).ok());
        let root = above
            .zip(whole.file_name())
            .map_or(whole.clone(), |(above, name)| above.join(name));
        sink.put(
            HERE,
            sha256(&[&*path::bytes_of(&root), b"\0", sha256(&text).as_bytes()].concat()).as_bytes(),
        )?;
    }
    Ok(())
}

fn version_error(version: u32, refit: &str) -> Error {
    Error::say(format!(
        "a project of version {version}, made by refit {refit}; this refit reads version {PROJECT_VERSION}"
    ))
    .hint("unpack the game again")
}

/// The error for a manifest of another version, whose other fields may differ.
fn other_version(text: &Blob) -> Option<Error> {
    /// The fields that every version must keep, so that refit can name the reason.
    #[derive(Deserialize)]
    struct Version {
        refit: String,
        project: u32,
    }
    let bytes = text.bytes().ok()?;
    let text = str::from_utf8(&bytes).ok()?;
    let version: Version =
        serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).ok()?;
    (version.project != PROJECT_VERSION).then(|| version_error(version.project, &version.refit))
}

/// The manifest of a folder of animation definitions; `None` for other folders.
fn definitions_in(folder: &Path) -> Option<anim_source::Manifest> {
    let file = tree::Source::get(&DirSource::new(folder), &manifest_path(Style::Json)).ok()?;
    tree::text::of_bytes(&file, Style::Json).ok()
}

/// The `.gitattributes` of a project.
pub const GIT_ATTRIBUTES: &str = "\
# Trees of refit: their text keeps its ends of lines, everything else is bytes.
* -text
";

/// The settings of Visual Studio Code for a folder.
pub(crate) const EDITOR_SETTINGS: &str = ".vscode/settings.json";

/// Settings that assign schemas to reader documents, which are lists and cannot name them
/// themselves, and the schemas of those that the game looks for by their names: paths and texts.
/// `readers` are the trees of reader files.
pub fn editor_settings(game: Option<Game>, readers: &[String]) -> Vec<(String, String)> {
    let Some(first) = readers.first() else {
        return Vec::new();
    };
    let documents = readers.iter().map(|tree| format!("/{tree}/**/*.json"));
    // Files with their own schema, and files for programs.
    let others = ["!**/refit.json".to_owned(), "!**/.refit/**".to_owned()];
    let all: Vec<String> = documents.chain(others).collect();
    let mut schemas = vec![
        serde_json::json!({ "fileMatch": all, "url": format!("./{first}/.refit/reader.schema.json") }),
    ];
    let mut files = Vec::new();
    for known in game.into_iter().flat_map(known::of_game) {
        let path = format!(".vscode/{}.schema.json", known.name);
        let of = |tree| {
            known
                .documents()
                .map(move |name| format!("/{tree}/**/{name}"))
        };
        let documents: Vec<String> = readers.iter().flat_map(of).collect();
        schemas.push(serde_json::json!({ "fileMatch": documents, "url": format!("./{path}") }));
        files.push((path, format!("{:#}\n", known.schema())));
    }
    files.push((
        EDITOR_SETTINGS.to_owned(),
        format!("{:#}\n", serde_json::json!({ "json.schemas": schemas })),
    ));
    files
}

/// The `.gitignore` of a project.
pub const GIT_IGNORE: &str = "\
# The path of the game differs on every machine; the index of names is built when it is needed.
**/.refit/source
/.refit/here
/.refit/id
/.refit/index*
.refit-*
*.orig
*.orig.[0-9]*
*.[bB][iI][pP][rR][iI][vV][aA][tT][eE][kK][eE][yY]*
";
