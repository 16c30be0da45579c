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
