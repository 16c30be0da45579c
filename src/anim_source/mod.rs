//! Animations the way they were written: definitions and scripts are compiled into animation files, and files are decompiled.
//!
//! A compiled file says what every game reads; a source says what a person wrote: one definition for many nodes, degrees, names instead
//! of tables. [`compile`] makes of [`Sources`] the same typed form that [`crate::formats::anim`] reads from files, [`decompile`] goes the
//! other way. What no source says comes from the file that is compiled over ([`Base`]); an entry that says the same as before stays
//! what it was, byte for byte.
//!
//! Keys and fields are described once, for both ways: `keys`, `events`, `definition`. What a game does with the values is told there.

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
mod scope;
pub mod script;
pub mod source;
#[cfg(test)]
mod tests;
mod values;
mod world;

pub use crate::formats::anim::sources::Manifest;
pub use archive_sources::Shelf;
pub use base::Base;
pub use compile::{Compiled, EntryReport, Options, Sounds, Stamps, Status, compile, compile_again};
pub use decompile::{Decompiled, Known, Spelling, decompile, effects, sounds};
pub use files::{Listing, Root, Sources};
pub use incremental::Again;
pub use world::World;

pub use crate::formats::anim::sources::LIMIT;
use crate::formats::anim::sources::{
    BITS, CUT, IGNORED, LEFT_OUT, MISSING_ANIMATION, MISSING_EFFECT, MISSING_FILE, MISSING_NODE, MISSING_SEQUENCE, MISSING_SOUND,
    RESET_TIME, UNKNOWN,
};
