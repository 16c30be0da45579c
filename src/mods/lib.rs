//! Mods: the changes that an author made to the files of a game, without the game's own content.
//!
//! A mod is made by comparing two states of a game and stores only the changes. It is applied to
//! the pristine files, together with other mods. Changes to different values merge; changes to the
//! same value are a conflict.
// Parts that only files on disk need.
#![cfg_attr(not(feature = "disk"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

// A derive macro with the name of the real one, which generates nothing.
#[cfg(not(feature = "schemas"))]
extern crate refit_record as schemars;

#[cfg(feature = "disk")]
mod applied;
mod apply;
mod bases;
mod changes;
mod conflict;
mod content;
mod describe;
mod difference;
mod documents;
mod format;
#[cfg(feature = "disk")]
mod game;
mod make;
mod merge;
mod new_files;
#[cfg(feature = "disk")]
mod on_top;
#[cfg(feature = "disk")]
mod pack;
mod union;

#[cfg(feature = "disk")]
pub use applied::{Applied, AppliedMod as AppliedEntry, AppliedMods, HeldFile, STATE};
#[cfg(feature = "disk")]
pub use applied::{forget_restored, remove_copies};
pub use apply::{Patch, Patched, base_of, patch};
pub use bases::Originals;
pub use conflict::{Conflict, Prefer};
pub use describe::{compare, lines_of};
pub use difference::of_both;
pub use format::{
    Base, FileChanges, FileEntry, Item, MANIFEST, Made, Mod, Origin, PartEntry, Pieces,
};
#[cfg(feature = "disk")]
pub use game::{FileOutcome, Planned};
#[cfg(feature = "disk")]
pub use game::{ModdedGame, Plan};
pub use make::Maker;
pub use merge::merged;
#[cfg(feature = "disk")]
pub use on_top::OnTop;

#[cfg(feature = "disk")]
pub use pack::unpack;
#[cfg(feature = "disk")]
pub use pack::{from_zip, load, save, to_zip};
pub use union::union;

/// Document types of mods, for `schemas/`.
pub fn schemas() -> Vec<refit_base::contract::Schema> {
    #[cfg(feature = "disk")]
    let applied = Some(refit_base::contract::schema::<Applied>());
    #[cfg(not(feature = "disk"))]
    let applied = None;
    format::schemas().into_iter().chain(applied).collect()
}
