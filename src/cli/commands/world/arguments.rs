//! The arguments of `refit world`.

use crate::session::Originals;
use clap::{Args, Subcommand};
use refit_zipper::gamez::edit::Motion;
use std::path::PathBuf;

#[derive(Subcommand, Debug)]
pub enum Action {
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
        /// The texture packages of the other world, or their folder; repeatable [default: those
        /// next to it]
        #[arg(long, value_name = "PACKAGE|FOLDER", requires_all = ["from", "textures"])]
        from_textures: Vec<PathBuf>,
        /// Copy the animations of the copied nodes to this animation file, or to the one in this
        /// folder. Without a value (then write the option last): to the one that the game loads
        /// with the world
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
    /// Put a node below another one, where it is in the world
    Reparent {
        #[command(flatten)]
        target: Target,
        /// The node
        node: String,
        /// Its new parent: an object, a level of detail or the world
        parent: String,
        /// Keep its position, rotation and scale relative to its parent instead of those in the
        /// world
        #[arg(long)]
        local: bool,
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

#[derive(Args, Debug)]
pub struct Target {
    /// The world
    pub file: PathBuf,
    /// Write the result to this file instead
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub originals: Originals,
}

#[derive(Args, Debug)]
pub struct Textures {
    /// Add the pictures of new textures to this texture package, or to every package below this
    /// folder; repeatable. Without a value (then write the option last): to the packages that the
    /// game loads with the world
    #[arg(long, value_name = "PACKAGE|FOLDER", num_args = 0..=1)]
    pub textures: Option<Vec<PathBuf>>,
}

#[derive(Args, Debug)]
pub struct To {
    /// The new position, relative to the parent
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    at: Option<[f32; 3]>,
    /// Move by this much
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    by: Option<[f32; 3]>,
    /// Rotate about the vertical axis, in degrees
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    turn: Option<f32>,
    /// The new scale along its own axes: one factor, or three
    #[arg(long, value_name = "X,Y,Z", value_parser = factors)]
    scale: Option<[f32; 3]>,
}

fn factors(text: &str) -> Result<[f32; 3], String> {
    match text.trim().parse::<f32>() {
        Ok(all) if all.is_finite() => Ok([all; 3]),
        _ => point(text).map_err(|_| "a scale is one factor or three: 2 or 1,2,1".to_owned()),
    }
}

fn point(text: &str) -> Result<[f32; 3], String> {
    let numbers: Vec<f32> = text
        .split(',')
        .filter_map(|number| number.trim().parse().ok())
        .collect();
    let wrong = || "a position is three numbers: 1024,0,-512".to_owned();
    let point: [f32; 3] = numbers.try_into().map_err(|_| wrong())?;
    if text.split(',').count() == 3 && point.iter().all(|n| n.is_finite()) {
        Ok(point)
    } else {
        Err(wrong())
    }
}

impl To {
    /// The change of position.
    pub fn motion(&self) -> Motion {
        Motion {
            at: self.at,
            by: self.by,
            turn: self.turn,
            scale: self.scale,
        }
    }
}
