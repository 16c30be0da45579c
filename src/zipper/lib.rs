//! The formats of Zipper Interactive's games (Recoil, MechWarrior 3, Pirate's Moon, Crimson Skies): one
//! module each, for all games, with reader and writer side by side.
//!
//! A format is a `Codec` (bytes → model, tree → model) and a `Model` (model → bytes, model → tree,
//! lint, info): see `refit_base::contract`. Formats know nothing of the disk or the command line,
//! and of each other only through [`archive`]'s members.
// Parts that only files on disk need.
#![cfg_attr(not(feature = "disk"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

// A derive macro with the name of the real one, which generates nothing.
#[cfg(not(feature = "schemas"))]
extern crate refit_record as schemars;

pub mod aircraft;
pub mod anim;
pub mod archive;
pub mod film;
pub mod gamez;
pub mod interp;
pub mod livery;
pub mod mechlib;
pub mod messages;
pub mod motion;
pub mod reader;
pub mod rof;
pub mod savegame;
pub mod sounds;
pub mod textures;
pub mod tracks;
pub mod zmap;
pub mod zrd_text;
