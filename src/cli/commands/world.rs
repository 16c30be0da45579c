//! `refit world`: the objects of a world.

mod options;

use crate::cli::{change::print_stored, line::Line, session::Session};
use clap::{Args, Subcommand};
use options::{Target, Textures, To};
use refit::{
    path::Shown,
    wire::{Error, Result},
    workbench::world::{self, Along, Change, Row, Written},
};
use serde_json::json;
use std::path::PathBuf;

/// List, add, copy, move, rename and remove objects of a world, or add ground
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit world list gamez.zbd
  refit world list project/m1                          the world of a mission
  refit world add gamez.zbd tower.glb --at 1024,0,512 --turn 90
  refit world ground gamez.zbd hills.glb
  refit world copy gamez.zbd tower --at 1200,0,512 --name tower2
  refit world copy gamez.zbd tower --from m3/gamez.zbd --at 1200,0,512
  refit world copy m1/gamez.zbd tower --from m3/gamez.zbd --textures --animations
                                       with its textures and animations
  refit world move gamez.zbd '#512' --by 0,10,0
  refit world rename gamez.zbd tower2 gate
  refit world remove gamez.zbd gate

FILE is a world (gamez.zbd, planes.zbd), its unpacked tree, a project or folder with one world, or a mission of a \
project: PROJECT/m1. NODE is a name or a position such as '#512'. New nodes are appended, so existing positions keep \
their meaning. Objects directly below the world go into the cell that the engine would choose. If other files of the \
folder use a name, renaming or removing it needs --force.

--textures adds the pictures of new textures to texture packages, by default to those next to the world or in the \
nearest folder above. They come from the glTF file, or from the packages of the other world. Pictures that a package \
has already are left alone; a different picture of the same name is an error.

Ground uses the coordinates of the world. refit cuts it so that each piece is in one cell and within the game's \
limits. Add properties to the names of materials or objects, or as custom properties: 'mud [soil=QUICKSAND zones=1,2 \
craters=no]'.")]
pub struct World {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// List the nodes as a tree
    List {
        /// The world
        file: PathBuf,
        /// Only this node and its children
        node: Option<String>,
    },
    /// Add the objects of a glTF file
    Add {
        #[command(flatten)]
        target: Target,
        /// The glTF file
        from: PathBuf,
        /// The parent node [default: the world]
        #[arg(long, value_name = "NODE")]
        under: Option<String>,
        #[command(flatten)]
        to: To,
        #[command(flatten)]
        textures: Textures,
    },
    /// Add ground from the meshes of a glTF file, cut at cell lines and at the game's limits
    Ground {
        #[command(flatten)]
        target: Target,
        /// The glTF file
        from: PathBuf,
        /// Prefix for the names of the pieces
        #[arg(long, default_value = "ground")]
        name: String,
        /// Allow craters unless the file says otherwise (Recoil)
        #[arg(long)]
        craters: bool,
        #[command(flatten)]
        textures: Textures,
    },
    /// Copy a node and its children
    Copy {
        #[command(flatten)]
        target: Target,
        /// The node
        node: String,
        /// Copy from this world, including models and materials
        #[arg(long, value_name = "WORLD")]
        from: Option<PathBuf>,
        /// The texture packages of the other world, or their folder; repeatable [default: those next to it]
        #[arg(long, value_name = "PACKAGE|FOLDER", requires_all = ["from", "textures"])]
        from_textures: Vec<PathBuf>,
        /// Copy the animations of the copied nodes to this animation file, or to the one in this folder. Without a
        /// value: to the one that the game loads with the world
        #[arg(long, value_name = "FILE|FOLDER", requires = "from", num_args = 0..=1)]
        animations: Option<Option<PathBuf>>,
        /// The animation file of the other world [default: the one next to it]
        #[arg(long, value_name = "FILE", requires_all = ["from", "animations"])]
        from_animations: Option<PathBuf>,
        /// The parent node [default: that of the original, or the world]
        #[arg(long, value_name = "NODE")]
        under: Option<String>,
        /// The name of the copy
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        to: To,
        #[command(flatten)]
        textures: Textures,
    },
    /// Move or rotate a node
    Move {
        #[command(flatten)]
        target: Target,
        /// The node
        node: String,
        #[command(flatten)]
        to: To,
    },
    /// Rename a node
    Rename {
        #[command(flatten)]
        target: Target,
        /// The node
        node: String,
        /// The new name, at most 35 characters
        name: String,
    },
    /// Remove a node and its children
    Remove {
        #[command(flatten)]
        target: Target,
        /// The node
        node: String,
    },
}

impl World {
    /// Runs the command.
    pub fn run(self, session: &Session) -> Result<()> {
        let mut along = Along::default();
        let (target, change) = match self.action {
            Action::List { file, node } => {
                let rows = world::list(&file, node.as_deref(), &session.options()?, session);
                let rows = rows.map_err(|e| e.about(&file))?;
                rows.iter().for_each(|row| print(session, row));
                return Ok(());
            }
            Action::Add { target, from, under, to, textures } => {
                along.textures = textures.textures;
                (target, Change::Add { from, under, motion: to.motion() })
            }
            Action::Ground { target, from, name, craters, textures } => {
                along.textures = textures.textures;
                (target, Change::Ground { from, name, craters })
            }
            Action::Copy {
                target,
                node,
                from,
                from_textures,
                animations,
                from_animations,
                under,
                name,
                to,
                textures,
            } => {
                let textures = textures.textures;
                along = Along { textures, from_textures, animations, from_animations };
                (target, Change::Copy { node, from, under, name, motion: to.motion() })
            }
            Action::Move { target, node, to } => {
                if to.motion().is_none() {
                    return Err(Error::say("it would stay where it is").hint("--at, --by or --turn says where to"));
                }
                (target, Change::Move { node, motion: to.motion() })
            }
            Action::Rename { target, node, name } => (target, Change::Rename { node, name }),
            Action::Remove { target, node } => (target, Change::Remove { node }),
        };
        let options = target.originals.options(session)?;
        let done = world::change(&target.file, target.output.as_deref(), &change, &along, &options, session)?;
        match done.world {
            Written::File(stored) => print_stored(session, stored),
            Written::Tree(files) => {
                session.tell(format!(
                    "{} → {} ({}{})",
                    done.label,
                    done.path.shown(),
                    files.join(", "),
                    session.would()
                ));
            }
        }
        done.others.into_iter().for_each(|stored| print_stored(session, stored));
        Ok(())
    }
}

fn print(session: &Session, row: &Row) {
    if session.global.json {
        session.json(&json!({
            "slot": row.slot, "name": row.name, "class": row.class, "depth": row.depth, "at": row.at,
            "model": row.model,
        }));
        return;
    }
    let at = row.at.map_or(String::new(), |[x, y, z]| format!(" at {x},{y},{z}"));
    let model = row.model.map_or(String::new(), |model| format!(" model {model}"));
    let (indent, slot) = ("  ".repeat(row.depth.min(40)), row.slot);
    session.line(Line::new().text(format!("{indent}#{slot} {} ({}{model}{at})", row.name, row.class)));
}
