//! Adding members to files and trees.

use super::{
    open,
    options::Options,
    progress::Progress,
    put::{self, Written},
    put_tree,
    repack::finish_above,
};
use refit_base::{
    path::Shown,
    secret,
    tree::{Form, is_tree},
    wire::{Error, Result},
};
use refit_files::{file::File, pipeline};
use std::{cell::Cell, path::Path};

/// Adds a member to a file or to its tree: its document and its line in the manifest.
///
/// Returns an error if a member has this name already, or if members of this format have no free
/// names. Errors about the member name `from`, its source; all other errors name the file.
pub fn add(
    (into, output): (&Path, Option<&Path>),
    (name, from, bytes, form): (&str, &Path, &[u8], Form),
    options: &Options,
    progress: &dyn Progress,
) -> Result<Written> {
    secret::check(&from.shown(), bytes)?;
    let in_member = Cell::new(false);
    let change = |file: &mut File| {
        let added = file.model_mut().add_member(name, bytes, form);
        // Only an error in a text has a position in it.
        in_member.set(added.as_ref().is_err_and(|e| e.place().is_some()));
        added.map(|_| file.notes().to_vec())
    };
    let added = if is_tree(into) {
        add_to_tree(into, output, options, progress, change)
    } else {
        add_to_file((into, output), name, options, progress, change)
    };
    added.map_err(|e| {
        if in_member.get() {
            e.in_file(from.shown())
        } else {
            e.about(into)
        }
    })
}

fn add_to_tree(
    into: &Path,
    output: Option<&Path>,
    options: &Options,
    progress: &dyn Progress,
    change: impl FnOnce(&mut File) -> Result<Vec<String>>,
) -> Result<Written> {
    if output.is_some() {
        return Err(Error::say("-o has no effect on a tree").hint(
            "`refit repack` makes a file of the \
            tree",
        ));
    }
    let (notes, written, news) = put_tree::change(into, options, progress, change)?;
    progress.notes(into, &notes);
    let news = news.map(|news| (into.shown(), news));
    Ok(Written::Tree(written, news))
}

fn add_to_file(
    (into, output): (&Path, Option<&Path>),
    name: &str,
    options: &Options,
    progress: &dyn Progress,
    change: impl FnOnce(&mut File) -> Result<Vec<String>>,
) -> Result<Written> {
    finish_above(output.unwrap_or(into), options, progress)?;
    let mut subject = open::open_file(into, options.hints)?;
    progress.notes(into, &change(&mut subject.model)?);
    let mut written = Vec::new();
    pipeline::write(&*subject.model, &mut written)?;
    put::store(
        into,
        output,
        subject,
        written,
        format!("{name} (new)"),
        options,
        progress,
    )
    .map(Written::File)
}
