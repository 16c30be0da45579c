//! `refit import`: what a glTF file shows becomes new objects of a world, its animations become motions.

use crate::cli::{
    change::by_gltf,
    report::about,
    session::{Originals, Session},
};
use clap::Args;
use refit::{
    gltf::import::Options,
    path::Shown,
    wire::Result,
    workbench::{
        put::{self, import_gltf},
        put_tree,
    },
};
use std::path::PathBuf;

/// Import a glTF file: as new objects of a world with models and materials, or its animations as motions
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit import tower.glb --into gamez.zbd --under world1
  refit import tower.glb --into gamez.zbd --under '#512' -o new.zbd
  refit import tower.glb --into gamez --under world1      into an unpacked tree
  refit import tower.glb --into gamez.zbd --under world1 --textures rtexture.zbd
                                                          and the pictures of its textures
  refit import tower.glb --into m1/gamez.zbd --under world1 --textures m1
                                                          into all packages below a folder
  refit import walk.glb --into motion.zbd                 each animation as a motion

Each object of the file becomes a node with its model, below each other as they are there. Materials are found by \
their names and by those of their textures; others are made. New nodes and models stand behind the others, so that \
what refers to a number still means the same.

An animation becomes the motion that is called as it is, such as bushwacker_walk: it changes that motion, or is a new \
one where there is none. Its nodes are called as the parts of the 'mech. A new motion has as many frames as the \
animation has keys, where these stand evenly.

To change a model that is there, see `refit put --help`.")]
pub struct Import {
    /// The glTF file: .glb or .gltf
    file: PathBuf,
    /// The world: gamez.zbd, planes.zbd; or motion.zbd; or an unpacked tree of one
    #[arg(long, value_name = "FILE|TREE")]
    into: PathBuf,
    /// Worlds: the node that the new ones hang on: its name, or #position
    #[arg(long, value_name = "NODE")]
    under: Option<String>,
    /// Write the changed file here instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Put the pictures (PNG or JPEG) of textures that are new into this texture package, or into all below this
    /// folder; may be repeated
    #[arg(long, value_name = "PACKAGE|FOLDER")]
    textures: Vec<PathBuf>,
    /// Make polygons of triangles that lie in one plane
    #[arg(long)]
    merge_polygons: bool,
    /// Motions: let them end as they begin
    #[arg(long = "loop")]
    close: bool,
    #[command(flatten)]
    originals: Originals,
}

impl Import {
    pub fn run(self, session: &Session) -> Result<()> {
        if let Err(e) = put_tree::check_own(&self.into) {
            session.error(about(&self.into, &e));
            return Ok(());
        }
        let how = Options { merge_polygons: self.merge_polygons, close_motions: self.close };
        let (output, label) = (self.output.as_deref(), &self.file.shown());
        let change = put::GltfChange { into: &self.into, from: &self.file, output, textures: &self.textures, label };
        by_gltf(&change, session, &self.originals.options(session)?, |into| {
            import_gltf(into, &self.file, self.under.as_deref(), how)
        });
        Ok(())
    }
}
