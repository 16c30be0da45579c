//! Adding members to files and trees.

use super::{
    open,
    options::Options,
    progress::Progress,
    put::{self, Stored},
    put_tree,
    repack::finish_above,
};
use crate::{
    file::File,
    path::Shown,
    pipeline,
    tree::{Form, is_tree},
    wire::{Error, Result},
};
use std::path::Path;

/// What became of a file or a tree.
pub enum Added {
    /// The file was written.
    File(Stored),
    /// These files of the tree were written.
    Tree(Vec<String>),
}

/// Adds a member to a file, or to the tree of one: its document and its line in the manifest.
///
/// Returns an error if a member has this name already, or if a file of this format has no members of free names.
pub fn add(
    (into, output): (&Path, Option<&Path>),
    (name, bytes, form): (&str, &[u8], Form),
    options: &Options,
    progress: &dyn Progress,
) -> Result<Added> {
    let change = |file: &mut File| file.model_mut().add_member(name, bytes, form).map(|_| file.notes().to_vec());
    if is_tree(into) {
        if output.is_some() {
            return Err(
                Error::say("-o means nothing where a tree is changed").hint("`refit repack` makes a file of it")
            );
        }
        let (notes, written) = put_tree::change(into, options, progress, change)?;
        notes.iter().for_each(|note| progress.warn(&format!("{}: {note}", into.shown())));
        return Ok(Added::Tree(written));
    }
    finish_above(output.unwrap_or(into), options, progress)?;
    let mut subject = open::open_file(into, options.hints)?;
    for note in change(&mut subject.model)? {
        progress.warn(&format!("{}: {note}", into.shown()));
    }
    let mut written = Vec::new();
    pipeline::write(&*subject.model, &mut written)?;
    put::store(into, output, subject, written, format!("{name} (new)"), options, progress).map(Added::File)
}
