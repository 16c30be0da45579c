//! Exports for viewing and editing made from models of several formats, and their import: worlds and 'mechs as glTF.
//!
//! Exports that need only their own model are in the format's module ([`crate::formats::Export`]).

pub mod import;
mod mechs;
pub(crate) mod packed;
mod scene;
mod worlds;

use crate::{file::File, formats::Format, tree::Sink, wire::Result};
use bytes::Bytes;

/// Exports a file to `out`, with textures and motions from the files `with`. Returns the paths.
pub fn export(file: &File, with: &[Bytes], out: &dyn Sink) -> Result<Vec<String>> {
    match file {
        File::World(world) => worlds::export(world, with, out),
        File::Archive(archive) if archive.context().format == Format::Mechlib => {
            mechs::export(&archive.stored()?, archive.context(), with, out)
        }
        _ => file.model().export(out),
    }
}
