//! Edits through the session: each kind, drawn at random, and interrupted at every step.

mod edits;
mod model;
mod share;

use refit_base::{path::is_hidden, tree::Style};
use refit_diff::Value;
use refit_files::pipeline::How;
use refit_session::Edit;
use refit_workbench::{Options, Quiet, unpack};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// A world, its document of nodes, and a reader of the example.
pub(crate) const DOOR: &str = "zbd/m1/gamez.zbd";
pub(crate) const NODES: &str = "nodes/00000-00006.json";
pub(crate) const GOALS: &str = "zbd/m1/zrdr.zbd";

pub(crate) fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/example/recoil")
}

/// A copy of the example, and a project of it.
pub(crate) fn project(style: Style) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let game = dir.path().join("game");
    for entry in walkdir::WalkDir::new(example()) {
        let entry = entry.unwrap();
        let to = game.join(entry.path().strip_prefix(example()).unwrap());
        match entry.file_type().is_dir() {
            true => fs::create_dir_all(to).unwrap(),
            false => _ = fs::copy(entry.path(), to).unwrap(),
        }
    }
    let root = dir.path().join("project");
    let how = unpack::Unpacking {
        how: How { style, proof: true },
        ..Default::default()
    };
    unpack::project(&game, &root, how, false, &Options::default(), &Quiet).unwrap();
    (dir, root)
}

/// The documents of a project: everything but refit's own files.
pub(crate) fn documents(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = walkdir::WalkDir::new(root).into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().is_file());
    let relative = |path: &Path| {
        path.strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/")
    };
    files
        .map(|entry| (relative(entry.path()), entry.into_path()))
        .filter(|(name, _)| !is_hidden(name) && !name.contains("/.refit/") && !is_copy(name))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

pub(crate) fn value(text: &str) -> Value {
    Value::parse(text).unwrap()
}

pub(crate) fn set(file: &str, part: &str, path: &str, new: &str) -> Edit {
    Edit::Set {
        file: file.into(),
        part: part.into(),
        path: path.into(),
        value: value(new),
        old: None,
    }
}

/// True for a copy that refit keeps of a document. Only the recovery of an interrupted edit makes
/// one: it trusts no journal.
fn is_copy(name: &str) -> bool {
    name.contains(".orig")
}

/// The copies that refit kept in a project.
pub(crate) fn copies(root: &Path) -> usize {
    let files = walkdir::WalkDir::new(root).into_iter().map(Result::unwrap);
    let names = files.filter_map(|entry| entry.file_name().to_str().map(is_copy));
    names.filter(|is| *is).count()
}
