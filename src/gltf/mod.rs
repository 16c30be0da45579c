//! Exports for viewing and editing made from models of several formats, and their import: worlds and 'mechs as glTF.
//!
//! Exports that need only their own model are in the format's module ([`crate::formats::Export`]).

pub mod import;
mod mechs;
mod scene;
mod worlds;

use crate::{
    formats::{Format, Model, archive::Archive, gamez::Gamez},
    tree::Sink,
    wire::Result,
};
use bytes::Bytes;

/// Exports a file to `out`, with textures and motions from the files `with`. Returns the paths.
pub fn export(model: &dyn Model, with: &[Bytes], out: &dyn Sink) -> Result<Vec<String>> {
    let any: &dyn std::any::Any = model;
    if let Some(world) = any.downcast_ref::<Gamez>() {
        return worlds::export(world, with, out);
    }
    match any.downcast_ref::<Archive>() {
        Some(archive) if archive.context().format == Format::Mechlib => mechs::export(&archive.stored()?, archive.context(), with, out),
        _ => model.export(out),
    }
}
