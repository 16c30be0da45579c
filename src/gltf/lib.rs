//! Exports for viewing and editing made from models of several formats, and their import: worlds
//! and 'mechs as glTF.
//!
//! Exports that need only their own model are in the format's module ([`refit_base::contract::Export`]).
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub mod import;
mod mechs;
pub mod packed;
mod scene;
mod worlds;

use bytes::Bytes;
use refit_base::{
    format::Format,
    tree::{Folder, Sink, Source as _},
    wire::{Error, Result},
};
use refit_files::{file::File, pipeline};

/// The one export with this name.
struct Only<'a> {
    name: &'a str,
    found: Folder,
}

impl Sink for Only<'_> {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.found.put(path, bytes)
    }
    fn passes_over(&self, stem: &str) -> bool {
        !stem.eq_ignore_ascii_case(self.name)
    }
}

/// One model, 'mech, plane or whole world as glTF: what [`export`] writes as `NAME.glb`, and a
/// member by its name.
///
/// Returns an error if nothing of this name is shown as glTF.
pub fn view(file: &File, name: &str, with: &[Bytes]) -> Result<Bytes> {
    let is_model = |end: &str| ["flt", "zrd", "glb"].contains(&end.to_ascii_lowercase().as_str());
    let short = name
        .rsplit_once('.')
        .filter(|(_, end)| is_model(end))
        .map_or(name, |(short, _)| short);
    let only = Only {
        name: short,
        found: Folder::new(),
    };
    if matches!(file, File::World(_)) || file.archive_of(Format::Mechlib).is_some() {
        export(file, with, &only)?;
    }
    match only.found.paths().first() {
        Some(path) => only.found.get(path),
        None => Err(Error::say(format!("{name:?} cannot be shown as glTF"))
            .hint("`refit export FILE -o DIR` makes all glTF files of a file, under the names to use here")),
    }
}

/// Collects the names of exports without writing them.
#[derive(Default)]
struct Names(std::sync::Mutex<Vec<String>>);

impl Sink for Names {
    fn put(&self, _: &str, _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn passes_over(&self, stem: &str) -> bool {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .push(stem.to_owned());
        true
    }
}

/// The names that [`view`] accepts for a file: worlds first, then models; or 'mechs and their
/// motions. A name may have nothing to show.
pub fn views(file: &File, with: &[Bytes]) -> Result<Vec<String>> {
    let names = Names::default();
    if matches!(file, File::World(_)) || file.archive_of(Format::Mechlib).is_some() {
        export(file, with, &names)?;
    }
    let mut names = names.0.into_inner().unwrap_or_default();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names.sort_by_cached_key(|name| name.starts_with("models/"));
    Ok(names)
}

/// Exports a file to `out`, with textures and motions from the files `with`. Returns the paths.
/// What `out` passes over is left out.
pub fn export(file: &File, with: &[Bytes], out: &dyn Sink) -> Result<Vec<String>> {
    match file {
        File::World(world) => worlds::export(world, with, out),
        File::Archive(archive) if archive.context.format == Format::Mechlib => {
            mechs::export(&archive.stored()?, &archive.context, with, out)
        }
        _ => file.model().export(out),
    }
}

/// Nodes, triangles and materials of a world, of planes, of 'mechs or of a model, packed for
/// programs that draw them; `src/view/PROTOCOL.md` describes the layout. `name` is stored with it.
pub fn packed_scene(file: &File, name: &str) -> Result<Vec<u8>> {
    pipeline::guarded(|| packed::scene(file, name, packed::Extent::default()))
}
