//! One-way views of files for people and other programs, made of models of several formats: worlds and 'mechs as glTF.
//!
//! Views that need nothing but their own model stand with its format ([`crate::formats::Export`]).

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

/// Writes the views of a file into `out`, with the textures and motions of the files `with`; tells what was written.
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
