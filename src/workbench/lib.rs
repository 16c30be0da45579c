//! The commands of refit as functions, for any program: open and find files, unpack a game, repack
//! it, restore it, compile definitions, and watch a tree.
//!
//! Each function takes its inputs, [`Options`], and a [`Progress`] for reports, and returns what it
//! did. Nothing here prints. Changes to several files are planned first and then carried out: all
//! or none.
// Parts that only `watch` uses.
#![cfg_attr(not(feature = "watch"), allow(dead_code))]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub mod add;
pub mod addon_build;
pub mod addon_sources;
pub mod anim;
pub(crate) mod anim_places;
pub mod banks;
pub(crate) mod batch;
pub mod changes;
pub mod configs;
pub mod definition_source;
pub mod definitions;
pub mod describe;
pub mod edit;
pub mod editions;
pub mod edits;
pub mod explain;
pub mod export;
pub mod files;
#[cfg(feature = "cli")]
pub mod find;
pub mod fresh;
pub mod game_report;
pub mod git;
pub(crate) mod inside;
pub mod kept;
pub mod lint;
mod lint_sources;
pub mod listing;
pub mod mission;
pub mod mods;
pub mod names;
pub mod open;
mod options;
pub mod originals;
pub mod outcome;
mod parallel;
pub mod paths;
pub mod play;
pub(crate) mod progress;
pub mod project;
pub mod put;
pub mod put_family;
pub mod put_tree;
pub mod refs;
pub mod repack;
pub mod report;
pub mod restore;
pub mod save;
pub mod sides;
pub mod sign;
pub(crate) mod surroundings;
pub(crate) mod totals;
pub(crate) mod unknown_files;
pub mod unpack;
pub mod verify;
#[cfg(feature = "watch")]
pub mod watch;
pub mod world;
mod world_along;
mod world_anims;
mod writer;
mod writes;

pub use options::{Filter, IndexCache, Options, Outputs, glob};
pub use parallel::in_order;
pub use paths::Input;
pub use progress::{Event, Progress, Quiet, Task};
pub use surroundings::Surroundings;
pub use writes::{FileWrite, Writes};
