//! Where animation definitions are read from: folders, reader archives and root files.

use super::open::{self, Loaded};
use refit_anim_source::{self as anim_source, Base, Listing, Root, Shelf, archive_sources::ROOTS};
use refit_base::{
    Sum,
    format::Format,
    path::Shown,
    tree::{DirSource, Document, Source, Style, disk, is_tree, read_head},
    wire::{Error, Result},
};
use refit_files::{
    file::File,
    pipeline::{self, Hints},
};
use std::path::{Path, PathBuf};

/// How deep a game's folder is searched for archives.
const DEEPEST: usize = 8;

/// Where definitions are read from, and the root files among the user's arguments.
pub struct Places {
    /// Folders on disk.
    pub(super) folders: Vec<(PathBuf, DirSource)>,
    /// The members of archives.
    pub(super) shelf: Option<Shelf>,
    /// Root files: the number of a folder, counted after the archives, and a path there.
    pub start: Vec<(usize, String)>,
}

/// Selects the root file if a folder of archives has several.
#[derive(Clone, Copy)]
pub struct Wanted<'w> {
    /// The compiled file.
    pub path: &'w Path,
    /// It, opened.
    pub base: &'w Base,
}

/// An archive with definitions: its folder on disk, and its root files on the shelf.
struct Packed {
    folder: PathBuf,
    roots: Vec<String>,
}

impl Places {
    /// Root files, folders with one, archives, unpacked archives, and folders of archives.
    pub(crate) fn of(paths: &[PathBuf], wanted: Option<Wanted<'_>>) -> Result<Places> {
        let mut places = Places {
            folders: Vec::new(),
            shelf: None,
            start: Vec::new(),
        };
        let mut shelf = Shelf::default();
        let mut packed: Vec<Packed> = Vec::new();
        for (i, path) in paths.iter().enumerate() {
            let whole = refit_base::path::canonical(path).map_err(|e| Error::io(path, e))?;
            let is_folder = whole.is_dir();
            if let Some(bytes) = reader_archive(&whole)? {
                packed.push(shelve(&mut shelf, &bytes, &whole, path)?);
                continue;
            }
            if is_folder && root_in(&whole).is_none() {
                let mut found = Vec::new();
                archives_below(&whole, 0, &["zrdr", "reader"], &mut found);
                for archive in &found {
                    if let Some(bytes) = reader_archive(archive)? {
                        packed.push(shelve(&mut shelf, &bytes, archive, archive)?);
                    }
                }
                if !found.is_empty() {
                    continue;
                }
            }
            let folder = if is_folder {
                whole.clone()
            } else {
                whole.parent().unwrap_or(Path::new("/")).to_owned()
            };
            let at = match places
                .folders
                .iter()
                .position(|(known, _)| *known == folder)
            {
                Some(at) => at,
                None => {
                    places
                        .folders
                        .push((folder.clone(), DirSource::new(&folder)));
                    places.folders.len() - 1
                }
            };
            if !is_folder {
                let name = whole
                    .file_name()
                    .and_then(|name| name.to_str())
                    .ok_or_else(|| Error::say("the name is not Unicode"))?;
                places.start.push((at, name.to_owned()));
            } else if i == 0 {
                let found = root_in(&folder).ok_or_else(|| {
                    Error::say("no root file in it, and no archive with one")
                        .in_file(path.shown())
                        .hint("one of anim.zrd, mis_anim.zrd, cam_anim.zrd")
                })?;
                places.start.push((at, found));
            }
        }
        if !packed.is_empty() {
            if places.start.is_empty() {
                let root = root_of(&shelf, &packed, wanted)?;
                places.start.push((places.folders.len(), root));
            }
            places.shelf = Some(shelf);
        }
        Ok(places)
    }

    /// The folders on disk.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(|(folder, _)| folder.as_path())
    }

    /// The folders, followed by the archives.
    pub fn roots(&self) -> Vec<Root<'_>> {
        let folders = self.folders.iter().map(|(folder, source)| {
            let below = folder.clone();
            let list: Listing<'_> = Box::new(move |path: &str| names_in(&below.join(path)));
            Root::new(folder.shown(), source as &dyn Source, list)
        });
        folders
            .chain(self.shelf.iter().map(Root::of_shelf))
            .collect()
    }
}

/// The root file of a folder.
fn root_in(folder: &Path) -> Option<String> {
    let names = names_in(folder);
    let ends = [".zrd.json", ".zrd.ron", ".zrd", ".json", ".ron"];
    ROOTS
        .iter()
        .flat_map(|stem| ends.iter().map(move |end| format!("{stem}{end}")))
        .find_map(|wanted| {
            names
                .iter()
                .find(|name| name.eq_ignore_ascii_case(&wanted))
                .cloned()
        })
}

/// The bytes of a reader archive, or of the archive of an unpacked tree; `None` for anything else.
pub(super) fn reader_archive(path: &Path) -> Result<Option<bytes::Bytes>> {
    let named = |e: Error| e.about(path);
    let is_tree = path.is_dir() && manifest(path).is_none() && is_tree(path);
    let is_file = path.is_file()
        && path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("zbd"));
    if !is_tree && !is_file {
        return Ok(None);
    }
    let loaded = open::open(path, Hints::default()).map_err(named)?;
    if loaded.model.archive_of(Format::Reader).is_none() {
        return Ok(None);
    }
    archive_bytes(&loaded).map(Some).map_err(named)
}

/// Puts an archive's members on the shelf.
fn shelve(shelf: &mut Shelf, bytes: &bytes::Bytes, whole: &Path, shown: &Path) -> Result<Packed> {
    let folder = whole.parent().unwrap_or(Path::new("/")).to_owned();
    let name = |path: Option<&std::ffi::OsStr>| {
        path.map_or_else(String::new, |name| name.to_string_lossy().to_lowercase())
    };
    // The archives shared by all missions are in the folder above those of the missions.
    let above = match name(folder.file_name()) {
        above if above == "zbd" => "common".to_owned(),
        above => above,
    };
    let roots = shelf
        .add(bytes, &format!("{above}/{}", name(whole.file_stem())))
        .map_err(|e| e.about(shown))?;
    Ok(Packed { folder, roots })
}

/// The archives of a game whose names begin so: packed or unpacked.
pub(super) fn archives_below(folder: &Path, depth: usize, stems: &[&str], out: &mut Vec<PathBuf>) {
    let mut names = names_in(folder);
    names.sort();
    for name in names {
        let (path, folded) = (folder.join(&name), name.to_lowercase());
        let is_archive =
            folded.ends_with(".zbd") && stems.iter().any(|stem| folded.starts_with(stem));
        if is_archive && (path.is_file() || is_tree(&path)) {
            out.push(path);
        } else if depth < DEEPEST
            && path.is_dir()
            && !path.is_symlink()
            && !is_tree(&path)
            && !name.starts_with('.')
        {
            archives_below(&path, depth + 1, stems, out);
        }
    }
}

/// Selects a root file among all archives: the one next to the compiled file, or the one that lists
/// it first.
fn root_of(shelf: &Shelf, packed: &[Packed], wanted: Option<Wanted<'_>>) -> Result<String> {
    let stem = |path: &str| {
        path.rsplit('/')
            .next()
            .and_then(|name| name.split('.').next())
            .unwrap_or_default()
            .to_lowercase()
    };
    let mut all: Vec<(&Packed, &String)> = packed
        .iter()
        .flat_map(|packed| packed.roots.iter().map(move |root| (packed, root)))
        .collect();
    if let Some(Wanted { path, base }) = wanted {
        let named = path
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().to_lowercase());
        if all.iter().any(|(_, root)| stem(root) == named) {
            all.retain(|(_, root)| stem(root) == named);
        }
        let folder = refit_base::path::canonical(path)
            .ok()
            .and_then(|path| path.parent().map(Path::to_owned));
        let beside: Vec<_> = all
            .iter()
            .filter(|(packed, _)| Some(&packed.folder) == folder.as_ref())
            .copied()
            .collect();
        if let [(_, one)] = beside.as_slice() {
            return Ok((*one).clone());
        }
        // The first file that it lists is its root.
        if let Some(listed) = base
            .anim
            .header
            .source_files
            .first()
            .and_then(|file| shelf.listed(file.path.bytes()))
        {
            return Ok(listed);
        }
    }
    all.sort_by_cached_key(|(_, root)| (*root).clone());
    all.dedup_by_key(|(_, root)| (*root).clone());
    match all.as_slice() {
        [(_, one)] => Ok((*one).clone()),
        [] => Err(Error::say("no root file in the archives")
            .hint("one of anim.zrd, mis_anim.zrd, cam_anim.zrd")),
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|(packed, root)| {
                    format!(
                        "{} of {}",
                        root.rsplit('/').next().unwrap_or_default(),
                        packed.folder.shown()
                    )
                })
                .collect();
            Err(
                Error::say(format!("several root files: {}", names.join(", ")))
                    .hint("name the archive of one mission first"),
            )
        }
    }
}

pub(super) fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect()
}

/// True if the path exists, even outside of the arguments.
pub fn is_there(path: &str) -> bool {
    // A name without an extension may mean a document.
    ["", ".json", ".ron"].iter().any(|end| {
        Path::new(&format!("{path}{end}"))
            .symlink_metadata()
            .is_ok()
    })
}

/// The game and the base in the manifest of a folder of definitions.
pub fn manifest(path: &Path) -> Option<anim_source::Manifest> {
    let text = disk::read(&path.join("refit.json")).ok()?;
    anim_source::Manifest::from_text(std::str::from_utf8(&text).ok()?, Style::Json).ok()
}

/// A compiled file, its checksum and its size, those of the source for a tree.
pub fn compiled_file(path: &Path, hints: Hints) -> Result<(Base, Sum, u64)> {
    let named = |e: Error| e.about(path);
    let loaded = open::open(path, hints).map_err(named)?;
    let (sum, bytes) = match &loaded.file {
        Some(file) => (file.sum()?, file.len()),
        None => match read_head(&DirSource::new(path)) {
            Ok((_, head)) => (head.source.sum.wait(), head.source.bytes),
            Err(_) => (Sum::default(), 0),
        },
    };
    let File::Anim(anim) = loaded.model else {
        return Err(named(
            Error::say("no animation file").hint("anim.zbd, cam_anim.zbd or mis_anim.zbd"),
        ));
    };
    Ok((Base::new(*anim).map_err(named)?, sum, bytes))
}

/// The bytes of an archive, or of the archive of an unpacked tree.
pub(super) fn archive_bytes(loaded: &Loaded) -> Result<bytes::Bytes> {
    match &loaded.file {
        Some(file) => file.bytes(),
        None => {
            let mut bytes = Vec::new();
            pipeline::write(&*loaded.model, &mut bytes)?;
            Ok(bytes.into())
        }
    }
}
