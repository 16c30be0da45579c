//! Options shared by the actions: the file, and the position of a node.

use crate::cli::session::Originals;
use clap::Args;
use refit::formats::gamez::edit::Motion;
use std::path::PathBuf;

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
    /// Add the pictures of new textures to this texture package, or to every package below this folder; repeatable.
    /// Without a value: to the packages that the game loads with the world
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
}

fn point(text: &str) -> Result<[f32; 3], String> {
    let numbers: Vec<f32> = text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    let wrong = || "a position is three numbers: 1024,0,-512".to_owned();
    let point: [f32; 3] = numbers.try_into().map_err(|_| wrong())?;
    if text.split(',').count() == 3 && point.iter().all(|n| n.is_finite()) { Ok(point) } else { Err(wrong()) }
}

impl To {
    /// The change of position.
    pub fn motion(&self) -> Motion {
        Motion { at: self.at, by: self.by, turn: self.turn }
    }
}
