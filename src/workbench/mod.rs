//! The commands of refit as functions, for any program: open and find files, unpack a game, repack
//! it, restore it, compile definitions, and watch a tree.
//!
//! Each function takes its inputs, [`Options`], and a [`Progress`] for reports, and returns what it
//! did. Nothing here prints. Changes to several files are planned first and then carried out: all
//! or none.

pub mod add;
pub mod anim;
pub(crate) mod anim_places;
pub(crate) mod banks;
pub(crate) mod batch;
pub(crate) mod changes;
mod configs;
pub mod definitions;
pub(crate) mod describe;
pub mod edit;
pub mod edits;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod files;
#[cfg(feature = "cli")]
pub(crate) mod find;
pub mod fresh;
pub(crate) mod git;
pub(crate) mod inside;
pub mod lint;
pub(crate) mod listing;
pub mod mission;
pub mod mods;
pub(crate) mod names;
pub mod open;
mod options;
pub mod originals;
pub(crate) mod outcome;
mod parallel;
pub(crate) mod paths;
pub mod play;
pub(crate) mod progress;
pub mod project;
pub mod put;
pub(crate) mod put_family;
pub(crate) mod put_tree;
pub(crate) mod refs;
pub mod repack;
pub(crate) mod report;
pub mod restore;
pub mod save;
pub(crate) mod sides;
pub(crate) mod sign;
pub(crate) mod surroundings;
pub(crate) mod totals;
pub(crate) mod unknown_files;
pub mod unpack;
pub(crate) mod verify;
#[cfg(feature = "watch")]
pub mod watch;
pub mod world;
mod world_along;
mod world_anims;

pub(crate) use options::{Filter, Outputs};
pub use options::{Options, glob};
pub(crate) use parallel::in_order;
pub(crate) use paths::Input;
pub(crate) use progress::Task;
pub use progress::{Event, Progress, Quiet};
pub use surroundings::Surroundings;
