//! Opens files and trees.

use refit_base::{
    Sum,
    contract::Model,
    path::Shown,
    secret,
    tree::{Blob, DirSource, disk, is_project, is_tree},
    wire::{Error, Result},
};
use refit_files::{
    detect::Detection,
    file::File,
    pipeline::{self, Hints},
};
use std::{io::Read, path::Path};

/// A file or a tree as a model.
pub struct Loaded {
    /// Its model.
    pub model: File,
    /// The file; `None` for a tree.
    pub file: Option<Blob>,
    /// Format and game.
    pub detection: Detection,
}

/// The name of a file from standard input in its tree.
pub(crate) const STDIN: &str = "stdin";

/// True for `-`, which means standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Loads a file given by the user, which may be a pipe, or standard input for `-`.
pub fn load(path: &Path) -> Result<Blob> {
    loaded(path, pipeline::load)
}

/// [`load`], and `file` loads a regular file.
fn loaded(path: &Path, file: fn(&Path) -> Result<Blob>) -> Result<Blob> {
    if !is_standard_input(path) {
        let special = path
            .metadata()
            .is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
        return if special {
            disk::read_named(path).map(Blob::Memory)
        } else {
            file(path)
        };
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|e| Error::io(Path::new("standard input"), e))?;
    Ok(Blob::Memory(bytes.into()))
}

/// True for a private key, by its name or its content.
pub(crate) fn is_private_key(path: &Path, file: &Blob) -> Result<bool> {
    Ok(secret::is_private_key(
        &path.shown(),
        &file.slice(0, secret::HEAD)?.bytes()?,
    ))
}

/// Loads a file whose content is going to be shown, or to get into another one. Fails for a private
/// key.
pub(crate) fn load_to_share(path: &Path) -> Result<Blob> {
    checked(path, load(path)?)
}

/// [`load_to_share`] for a file that is read once: see [`pipeline::load_once`].
pub(crate) fn load_once_to_share(path: &Path) -> Result<Blob> {
    checked(path, loaded(path, pipeline::load_once)?)
}

fn checked(path: &Path, file: Blob) -> Result<Blob> {
    if is_private_key(path, &file)? {
        Err(secret::error().in_file(path.shown()))
    } else {
        Ok(file)
    }
}

/// Opens a file, standard input or a tree.
pub fn open(path: &Path, hints: Hints) -> Result<Loaded> {
    if is_tree(path) {
        let (head, model) = pipeline::assemble(&DirSource::new(path))?;
        return Ok(Loaded {
            model,
            file: None,
            detection: Detection::of_tree(&head),
        });
    }
    if path.is_dir() {
        return Err(Error::say("a folder, and not an unpacked tree").hint("name a file"));
    }
    let file = load(path)?;
    let opened = pipeline::read(&file, pipeline::recognise(&file, &path.shown(), hints)?)?;
    Ok(Loaded {
        model: opened.model,
        file: Some(file),
        detection: opened.detection,
    })
}

/// Opens a file to read or change one member.
pub fn open_file(path: &Path, hints: Hints) -> Result<Loaded> {
    if is_project(path) {
        return Err(
            Error::say("a project; this command takes one file").hint("name one of its trees")
        );
    }
    if path.is_dir() {
        return Err(Error::say("a folder; this command takes a file")
            .hint("the members of a tree are files already"));
    }
    open(path, hints)
}

/// Size of a model's file, and its checksum to compare with `like`.
pub(crate) fn size_and_sum(model: &dyn Model, like: Sum) -> Result<(u64, Sum)> {
    let mut nowhere = std::io::sink();
    let mut summed = disk::Summed::new(&mut nowhere, like);
    pipeline::write(model, &mut summed)?;
    Ok(summed.end())
}
