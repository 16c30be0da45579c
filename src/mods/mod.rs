//! Mods: the changes that an author made to the files of a game, without the game's own content.
//!
//! A mod is made by comparing two states of a game and stores only the changes. It is applied to
//! the pristine files, together with other mods. Changes to different values merge; changes to the
//! same value are a conflict.

#[cfg(feature = "disk")]
mod applied;
mod apply;
mod bases;
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
mod pack;
mod union;

#[cfg(feature = "disk")]
pub(crate) use applied::{AppliedMods, HeldFile};
#[cfg(feature = "disk")]
pub(crate) use applied::{forget_restored, remove_copies};
pub(crate) use apply::Conflict;
pub use apply::{Patch, Patched, patch};
pub use bases::Missing;
pub(crate) use bases::Originals;
pub(crate) use describe::{compare, lines_of};
pub(crate) use difference::of_both;
pub(crate) use format::FileEntry;
pub use format::{Base, FileChanges, Item, Origin, PartEntry, Pieces};
pub use format::{MANIFEST, Made, Mod};
#[cfg(feature = "disk")]
pub(crate) use game::{Applied, FileOutcome, Planned, STATE};
#[cfg(feature = "disk")]
pub use game::{ModdedGame, Plan};
pub use make::Maker;
pub use merge::Prefer;

#[cfg(feature = "disk")]
pub(crate) use pack::unpack;
#[cfg(feature = "disk")]
pub use pack::{from_zip, load, save, to_zip};
pub use union::union;

/// Document types of mods, for `schemas/`.
pub fn schemas() -> Vec<crate::formats::Schema> {
    #[cfg(feature = "disk")]
    let applied = Some(crate::formats::schema::<Applied>());
    #[cfg(not(feature = "disk"))]
    let applied = None;
    format::schemas().into_iter().chain(applied).collect()
}
