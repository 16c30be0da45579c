//! Animations in source form: compiles definitions and scripts into animation files, and decompiles
//! such files.
//!
//! A compiled file has what the game reads. A source has what a person wrote: one definition for
//! many nodes, degrees, names instead of tables. [`compile`] turns [`Sources`] into the typed form
//! that [`refit_zipper::anim`] reads from files, and [`decompile`] does the reverse. What sources
//! do not contain comes from the base file ([`Base`]); an entry whose source did not change keeps
//! its bytes.
//!
//! Keys and fields are described once, for both directions: `keys`, `events`, `definition`.
//! Comments there describe what a game does with the values.
// Parts that only files on disk need.
#![cfg_attr(not(feature = "disk"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub mod archive_sources;
mod base;
mod carry_over;
mod compile;
mod decompile;
mod definition;
mod events;
mod files;
mod incremental;
mod keys;
mod puffer;
mod report;
mod scope;
pub mod script;
mod single;
pub mod source;
#[cfg(test)]
mod tests;
mod values;
mod world;

pub use archive_sources::Shelf;
pub use base::Base;
pub use compile::{Compiled, Options, Sounds, Stamps, compile, compile_again};
pub use decompile::{Decompiled, Known, Spelling, decompile, decompile_to, effects, sounds};
pub use files::{Listing, Root, Sources};
pub use incremental::Again;
pub use refit_zipper::anim::sources::Manifest;
pub use report::{EntryReport, Status};
pub use single::{CompiledEntry, EntrySource, compile_entry, entry_source};
pub use world::World;

pub use refit_zipper::anim::sources::LIMIT;
use refit_zipper::anim::sources::{
    BITS, CUT, IGNORED, LEFT_OUT, MISSING_ANIMATION, MISSING_EFFECT, MISSING_FILE, MISSING_NODE,
    MISSING_SEQUENCE, MISSING_SOUND, RESET_TIME, UNKNOWN, UNLISTED,
};
