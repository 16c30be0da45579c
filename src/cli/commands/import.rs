//! `refit import`: the meshes of a glTF file become new objects of a world, its animations become
//! motions.

use crate::{
    change::by_gltf,
    session::{Originals, Session},
};
use clap::Args;
use refit_base::{path::Shown, wire::Result};
use refit_gltf::import::Options;
use refit_workbench::{
    put::{self, import_gltf},
    put_tree, world,
};
use std::path::PathBuf;

/// Import a glTF file into a world as new objects, or its animations as 'mech motions
#[derive(Args, Debug)]
pub struct Import {
    /// The glTF file: .glb or .gltf
    file: PathBuf,
    /// The world: gamez.zbd, planes.zbd; or motion.zbd; or an unpacked tree of one
    #[arg(long, value_name = "FILE|TREE")]
    into: PathBuf,
    /// Worlds: the parent of the new objects, by name or #position
    #[arg(long, value_name = "NODE")]
    under: Option<String>,
    /// Write the result to this file instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Add the pictures (PNG or JPEG) of new textures to this texture package, or to every package
    /// below this folder; repeatable. Without a value (then write the option last): to the packages
    /// that the game loads with the world
    #[arg(long, value_name = "PACKAGE|FOLDER", num_args = 0..=1)]
    textures: Option<Vec<PathBuf>>,
    /// Merge triangles that lie in one plane into polygons
    #[arg(long)]
    merge_polygons: bool,
    /// Motions: end with the first frame, so that they loop
    #[arg(long = "loop")]
    close: bool,
    #[command(flatten)]
    originals: Originals,
}

impl Import {
    pub fn run(self, session: &Session) -> Result<()> {
        put_tree::check_own(&self.into).map_err(|e| e.about(&self.into))?;
        let options = self.originals.options(session)?;
        let into = match self.under {
            Some(_) => world::path_of(&self.into, &options, session)?,
            None => self.into.clone(),
        };
        let how = Options {
            merge_polygons: self.merge_polygons,
            close_motions: self.close,
        };
        let (output, label) = (self.output.as_deref(), &self.file.shown());
        let change = put::GltfChange {
            into: &into,
            from: &self.file,
            output,
            textures: self.textures.as_deref(),
            label,
        };
        by_gltf(&change, session, &options, |into| {
            import_gltf(into, &self.file, self.under.as_deref(), how)
        })
    }
}
