//! `refit world`: the objects of a world.

mod options;

use crate::cli::{change::print_stored, line::Line, session::Session};
use clap::{Args, Subcommand};
use options::{Target, To};
use refit::{
    path::Shown,
    wire::{Error, Result},
    workbench::world::{self, Change, Row, Written},
};
use serde_json::json;
use std::path::PathBuf;

/// List, add, copy, move, rename and remove the objects of a world, and lay its ground
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit world list gamez.zbd
  refit world add gamez.zbd tower.glb --at 1024,0,512 --turn 90
  refit world ground gamez.zbd hills.glb
  refit world copy gamez.zbd tower --at 1200,0,512 --name tower2
  refit world copy gamez.zbd tower --from m3/gamez.zbd --at 1200,0,512
  refit world move gamez.zbd '#512' --by 0,10,0
  refit world rename gamez.zbd tower2 gate
  refit world remove gamez.zbd gate

FILE is a world (gamez.zbd, planes.zbd) or its unpacked tree. A node is named by its name, or by its position, '#512'. \
New nodes come behind all others, so that no position changes that anything refers to. An object directly below the \
world goes into the cell that the engine would choose. Renaming and removing are refused if other files of the folder \
use the name, unless --force is given.

Ground: positions in the glTF file are those of the world. Each piece lies in one cell and is below the limits of the \
game. Materials and objects say more in their names or in custom properties: 'mud [soil=QUICKSAND zones=1,2 \
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
        /// Only this node, and what is below it
        node: Option<String>,
    },
    /// Add the objects of a glTF file
    Add {
        #[command(flatten)]
        target: Target,
        /// The glTF file
        from: PathBuf,
        /// The node to put them below [default: the world]
        #[arg(long, value_name = "NODE")]
        under: Option<String>,
        #[command(flatten)]
        to: To,
    },
    /// Make the meshes of a glTF file ground: cut at the cells, and divided into models that the game can hold
    Ground {
        #[command(flatten)]
        target: Target,
        /// The glTF file
        from: PathBuf,
        /// What the names of the pieces begin with
        #[arg(long, default_value = "ground")]
        name: String,
        /// Craters may form where the file does not say otherwise (Recoil)
        #[arg(long)]
        craters: bool,
    },
    /// Copy a node with everything below it
    Copy {
        #[command(flatten)]
        target: Target,
        /// The node
        node: String,
        /// Take it from another world, with its models, materials and names of textures
        #[arg(long, value_name = "WORLD")]
        from: Option<PathBuf>,
        /// The node to put it below [default: where the original is, or the world]
        #[arg(long, value_name = "NODE")]
        under: Option<String>,
        /// The name of the copy
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        to: To,
    },
    /// Move or turn a node
    Move {
        #[command(flatten)]
        target: Target,
        /// The node
        node: String,
        #[command(flatten)]
        to: To,
    },
    /// Give a node another name
    Rename {
        #[command(flatten)]
        target: Target,
        /// The node
        node: String,
        /// Its new name, at most 35 characters
        name: String,
    },
    /// Remove a node with everything below it
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
        let (target, change) = match self.action {
            Action::List { file, node } => {
                let rows = world::list(&file, node.as_deref(), &session.options()?).map_err(|e| e.about(&file))?;
                rows.iter().for_each(|row| print(session, row));
                return Ok(());
            }
            Action::Add { target, from, under, to } => (target, Change::Add { from, under, motion: to.motion() }),
            Action::Ground { target, from, name, craters } => (target, Change::Ground { from, name, craters }),
            Action::Copy { target, node, from, under, name, to } => {
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
        let (file, options) = (&target.file, target.originals.options(session)?);
        let done = world::change(file, target.output.as_deref(), &change, &options, session);
        match done.map_err(|e| e.about(file))? {
            (_, Written::File(stored)) => print_stored(session, stored),
            (label, Written::Tree(files)) => {
                session.tell(format!("{label} → {} ({})", file.shown(), files.join(", ")));
            }
        }
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
