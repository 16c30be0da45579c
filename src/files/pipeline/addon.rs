//! Addons on disk: builds an archive from a folder, and reads the signatures next to an archive.

use bytes::Bytes;
use refit_base::{
    path::Shown,
    tree::{Blob, is_tree},
    wire::{Error, Result},
};
use refit_bohemia::pbo::{
    Pbo,
    build::{self, Built, Found, Options},
    sign,
};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// Builds an archive from the files below `root` (see [`build::from_files`]). Skips folders of
/// version control, links (which might lead out of the folder), and `output`, the archive to write,
/// with the files that belong to it.
///
/// Fails like [`build::from_files`], and if a folder cannot be read.
pub fn from_folder(root: &Path, options: &Options, output: Option<&Path>) -> Result<Built> {
    if !root.is_dir() {
        return Err(Error::say("there is no such folder").in_file(root.shown()));
    }
    if root.join("refit.json").is_file() || root.join("refit.ron").is_file() {
        return Err(
            Error::say("this is an unpacked tree; its manifest names the file")
                .in_file(root.shown())
                .hint("repack it without a format"),
        );
    }
    let folder = refit_base::path::whole(root).map_err(|e| Error::io(root, e))?;
    if folder.file_name() == Some("files".as_ref())
        && let Some(tree) = folder.parent().filter(|tree| is_tree(tree))
    {
        return Err(Error::say(
            "the files of an unpacked tree: pictures and texts instead of textures and configs",
        )
        .in_file(root.shown())
        .hint(format!("`refit repack {}` makes the archive", tree.shown())));
    }
    let own = output.and_then(|output| below(root, output));
    let files = walkdir::WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .filter_entry(|e| !is_control(e));
    let files = files
        .filter(|file| !file.as_ref().is_ok_and(|file| file.file_type().is_dir()))
        .map(|file| {
            let file = file.map_err(|e| {
                let path = e.path().unwrap_or(root).to_owned();
                Error::io(
                    &path,
                    e.into_io_error()
                        .unwrap_or_else(|| std::io::Error::other("a folder contains itself")),
                )
            })?;
            let path = file.path().strip_prefix(root).unwrap_or(file.path());
            let below = path
                .components()
                .map(|c| c.as_os_str().as_encoded_bytes().to_vec())
                .collect();
            Ok(Found {
                below,
                regular: file.file_type().is_file(),
                place: file.into_path(),
            })
        });
    let mut built = build::from_files(
        files,
        |path: &PathBuf| Blob::of_file(path),
        options,
        own.as_deref(),
    )?;
    built.notes.extend(empty_folders(root));
    Ok(built)
}

/// How many empty folders a note names.
const NAMED: usize = 5;

/// A note on the empty folders below `root`, which an archive cannot hold; `None` without any.
pub fn empty_folders(root: &Path) -> Option<String> {
    let folders = walkdir::WalkDir::new(root)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|e| !is_control(e))
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_dir());
    let is_empty =
        |folder: &Path| std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    let empty: Vec<String> = folders
        .filter(|folder| is_empty(folder.path()))
        .filter_map(|folder| below(root, folder.path()))
        .collect();
    let named = empty.iter().take(NAMED).cloned().collect::<Vec<_>>();
    let more = match empty.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!empty.is_empty()).then(|| {
        format!(
            "empty folders are left out, because an archive has only files: {}{more}",
            named.join(", ")
        )
    })
}

/// The names in a folder. Empty if it cannot be read.
fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok())
}

/// The file by which a folder looks like the source of an addon, or of a mission; `None` for other
/// folders.
pub fn source_mark(root: &Path) -> Option<String> {
    names(root).filter(|name| build::is_mark(name)).min()
}

/// True for a folder that looks like the source of an addon, or of a mission.
pub fn is_source(root: &Path) -> bool {
    source_mark(root).is_some()
}

/// The prefix of the addon whose source is this folder, if a file there says it.
pub fn prefix_of(folder: &Path) -> Option<String> {
    /// Longest text with a prefix, in bytes.
    const LONGEST: u64 = 64 << 10;
    let name = names(folder)
        .filter(|name| build::is_prefix_file(name))
        .min()?;
    let (file, _) = refit_base::tree::disk::open_regular(&folder.join(name)).ok()?;
    let mut text = Vec::new();
    file.take(LONGEST).read_to_end(&mut text).ok()?;
    build::prefix_in(&text)
}

/// True for a folder of version control.
fn is_control(entry: &walkdir::DirEntry) -> bool {
    entry.file_type().is_dir()
        && [".git", ".svn", ".hg"]
            .iter()
            .any(|name| entry.file_name() == *name)
}

/// The path of `file` below `root`, with `/`; `None` if it is elsewhere. The file need not exist.
pub fn below(root: &Path, file: &Path) -> Option<String> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let full = refit_base::path::canonical(folder)
        .ok()?
        .join(file.file_name()?);
    let below = full
        .strip_prefix(refit_base::path::canonical(root).ok()?)
        .ok()?;
    Some(
        below
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/"),
    )
}

/// The signatures next to an archive: `NAME.pbo.AUTHORITY.bisign`, sorted.
pub fn signatures_beside(pbo: &Path) -> Vec<PathBuf> {
    let Some(name) = pbo
        .file_name()
        .map(|n| n.to_string_lossy().to_ascii_lowercase())
    else {
        return Vec::new();
    };
    let folder = pbo
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let ours = |path: &PathBuf| {
        let file = path
            .file_name()
            .map(|n| n.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default();
        file.strip_prefix(&name)
            .is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".bisign"))
    };
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(ours)
        .collect();
    found.sort();
    found
}

/// Largest signature to read. Signatures have about a thousand bytes.
const LARGEST: u64 = 1 << 20;

/// Reads a file that the user did not name. Refuses anything but a regular file: a pipe would
/// block, and a device may be endless.
pub fn read_small(path: &Path) -> Result<Bytes> {
    match Blob::open(path)? {
        Some(file) if file.len() <= LARGEST => file.bytes(),
        Some(file) => Err(Error::say(format!(
            "{} bytes are too many for a signature",
            file.len()
        ))),
        None => Err(Error::say("not a regular file")),
    }
}

/// One line for each signature next to an archive, for `info` and after `repack`.
pub fn describe_signatures(path: &Path, pbo: impl Into<Blob>) -> Vec<String> {
    let model = Pbo::of(&pbo.into());
    let line = |bisign: PathBuf| {
        let name = bisign
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default();
        let report = match (&model, read_small(&bisign)) {
            (Ok(model), Ok(bytes)) => sign::describe(model, &bytes),
            (_, Err(e)) => Err(e),
            (Err(e), _) => Ok(e.to_string()),
        };
        format!("{name}: {}", report.unwrap_or_else(|e| e.to_string()))
    };
    signatures_beside(path).into_iter().map(line).collect()
}
