//! `refit import`: what a glTF file shows becomes new objects of a world, its animations become motions.

use crate::cli::{
    commands::put::{store, tell_gltf, tell_in_tree},
    family, put_tree,
    report::about,
    session::{Originals, Session},
};
use clap::Args;
use refit::{
    File,
    gltf::import::{self, Options, Report, Source},
    path::Shown,
    pipeline,
    tree::{disk, is_tree},
    wire::{Error, Result},
    workbench::{open, repack::finish_above},
};
use std::path::{Path, PathBuf};

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

Each object of the file becomes a node with its model, below each other as they are there. Materials are found by their names and by those \
of their textures; others are made. New nodes and models stand behind the others, so that what refers to a number still means the same.

An animation becomes the motion that is called as it is, such as bushwacker_walk: it changes that motion, or is a new one where there is \
none. Its nodes are called as the parts of the 'mech. A new motion has as many frames as the animation has keys, where these stand evenly.

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
    /// Put the pictures (PNG or JPEG) of textures that are new into this texture package, or into all below this folder; may be repeated
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
    fn change(&self, into: &mut File) -> Result<Report> {
        let file = disk::read_named(&self.file)?;
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let beside = |path: &str| disk::read_beside(folder, path);
        let options = Options { merge_polygons: self.merge_polygons, close_motions: self.close };
        let source = Source { file: &file, beside: &beside };
        let done = match (&self.under, import::takes_motions(into)) {
            (None, true) => import::motions(into, &source, options),
            (Some(_), true) => return Err(Error::say("--under is for worlds: motions hang on no node")),
            (Some(under), false) => import::add(into, under, &source, options),
            (None, false) => {
                return Err(
                    Error::say("--under has to name the node on which the new objects hang").hint("the documents in nodes/ show the names")
                );
            }
        };
        done.map_err(|e| e.in_file(self.file.shown()))
    }

    /// Runs the command.
    pub fn run(self, session: &Session) -> Result<()> {
        if let Err(e) = put_tree::check_own(&self.into) {
            session.error(about(&self.into, &e));
            return Ok(());
        }
        if is_tree(&self.into) {
            if self.output.is_some() {
                return Err(Error::say("-o means nothing where a tree is changed").hint("`refit repack` makes a file of it"));
            }
            match put_tree::run(session, &self.into, |file| self.change(file)) {
                Ok((report, written)) => {
                    let packages = family::add_pictures(session, &self.textures, &report)?;
                    tell_gltf(session, &self.file, &report, packages.len());
                    let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
                    session.tell(format!("{} → {} ({}{would})", self.file.shown(), self.into.shown(), written.join(", ")));
                    packages.into_iter().try_for_each(|package| package.store(session, &self.originals))?;
                }
                Err(e) => tell_in_tree(session, &self.into, &self.file, &e),
            }
            return Ok(());
        }
        let finished = session.options().and_then(|options| finish_above(self.output.as_ref().unwrap_or(&self.into), &options, session));
        let changed = finished.and_then(|()| open::open_file(&self.into, session.hints())).and_then(|mut subject| {
            let report = self.change(&mut subject.model)?;
            let mut bytes = Vec::new();
            pipeline::write(&*subject.model, &mut bytes)?;
            Ok((subject, report, bytes))
        });
        match changed {
            Ok((subject, report, bytes)) => {
                let packages = family::add_pictures(session, &self.textures, &report)?;
                tell_gltf(session, &self.file, &report, packages.len());
                let what = self.file.shown();
                store(session, &self.into, self.output.as_ref(), &self.originals, subject, bytes, &what)?;
                packages.into_iter().try_for_each(|package| package.store(session, &self.originals))
            }
            Err(e) => {
                session.error(about(&self.into, &e));
                Ok(())
            }
        }
    }
}
