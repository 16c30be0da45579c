//! glTF 2.0 (`.glb`) of models, worlds and 'mechs, for Blender and other programs.
//!
//! Nothing here reads or writes a game's bytes: worlds and mechlibs provide nodes, models and
//! materials, and get a file. The parts: [`axes`] (space, angles, colours), [`mesh`] (triangles),
//! [`paint`] (materials, textures), [`forest`] (nodes, levels of detail, lights, cameras),
//! [`motions`] (animations). `asset.extras.notes` lists what a file does not show faithfully, such
//! as a polygon with a dangling vertex or a part of a motion without a node; `extras` of nodes,
//! meshes and materials contain their positions in the game's file.

pub(super) mod axes;
mod forest;
mod glb;
pub mod import;
mod json;
mod mesh;
mod motions;
mod paint;
mod with;

pub use axes::{game_point, shown};
pub use forest::{Forest, Grove, Levels};
pub use glb::{Glb, cut};
pub use mesh::{Look, Shape, shape, shape_by_priority};
pub use motions::put as animate;
pub use paint::{Paint, Painter, Palette};
pub use with::With;
