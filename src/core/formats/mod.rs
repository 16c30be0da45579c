//! The formats: one module each, for all games, with reader and writer side by side.
//!
//! A format is a `Codec` (bytes → model, tree → model) and a [`Model`] (model → bytes, model →
//! tree, lint, info). Formats know nothing of the disk or the command line, and of each other only
//! through [`archive`]'s members.

pub mod aircraft;
pub mod anim;
pub mod archive;
mod contract;
pub mod film;
pub mod foreign;
pub mod gamez;
pub mod interp;
pub mod livery;
pub mod mechlib;
pub mod messages;
pub mod motion;
pub mod paa;
pub mod pbo;
pub mod rap;
pub(crate) mod raw;
pub mod reader;
pub mod rof;
pub(crate) mod savegame;
pub mod sounds;
pub mod support;
pub mod textures;
pub mod tracks;
pub mod zmap;
pub mod zrd_text;

pub use crate::{format::Format, tree::Form};
pub use contract::{*, Context, Documents, Export, Info, Member, Members, Model, Renewable, Schema, schema};
