//! Mods: the changes that an author made to the files of a game, without the game's own content.
//!
//! A mod is made by comparing two states of a game and stores only the changes. It is applied to the pristine files,
//! together with other mods. Changes to different values merge; changes to the same value are a conflict.

#[cfg(feature = "disk")]
mod applied;
mod apply;
mod bases;
mod content;
mod describe;
mod difference;
mod format;
#[cfg(feature = "disk")]
mod game;
mod make;
mod merge;
#[cfg(feature = "disk")]
mod pack;
mod union;

#[cfg(feature = "disk")]
pub use applied::{AppliedMods, HeldFile};
#[cfg(feature = "disk")]
pub(crate) use applied::{forget_restored, remove_copies};
pub use apply::{Conflict, Patch, Patched, Unplaced, patch};
pub use bases::{Missing, Originals, Shelf, resolved};
pub(crate) use describe::lines_of;
pub use describe::place;
pub use difference::changes;
pub(crate) use difference::of_both;
pub use format::{
    Base, FileChanges, FileEntry, Held, Item, MANIFEST, MOD_VERSION, Made, Mod, ModManifest, NewPart, Origin, PartEntry, Pieces, State,
    StoredChange, StoredStep,
};
#[cfg(feature = "disk")]
pub use game::{Applied, AppliedFile, AppliedMod, FileOutcome, ModdedGame, Plan, Planned, STATE};
pub use make::Maker;
pub use merge::{Merged, Missed, Prefer, spelled};

#[cfg(feature = "disk")]
pub use pack::{from_zip, is_mod, load, save, to_zip, unpack};
pub use union::{Union, union};

/// Document types of mods, for `schemas/`.
pub fn schemas() -> Vec<crate::formats::Schema> {
    #[cfg(feature = "disk")]
    let applied = Some(crate::formats::schema::<Applied>());
    #[cfg(not(feature = "disk"))]
    let applied = None;
    format::schemas().into_iter().chain(applied).collect()
}
