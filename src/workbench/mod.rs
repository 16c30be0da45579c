//! What the commands of refit do, for any program: open and find files, unpack a game, repack it, restore it, compile definitions, and
//! watch a tree.
//!
//! Each function takes what to work on, [`Options`], and a [`Progress`] that it reports to, and returns what it did. Nothing here prints.
//! What changes several files is planned first and carried out then: all of it, or nothing.

pub mod anim;
pub(crate) mod anim_places;
pub(crate) mod changes;
pub mod definitions;
pub mod edits;
pub(crate) mod files;
pub(crate) mod names;
pub mod open;
mod options;
pub(crate) mod outcome;
mod parallel;
pub(crate) mod paths;
pub(crate) mod progress;
pub mod project;
pub mod repack;
pub mod restore;
pub(crate) mod surroundings;
pub(crate) mod totals;
pub(crate) mod unknown_files;
pub mod unpack;
#[cfg(feature = "watch")]
pub mod watch;

pub use options::{Filter, Options, Outputs};
pub(crate) use parallel::in_order;
pub use paths::Input;
pub use progress::{Event, Progress, Quiet, Task};
pub use surroundings::Surroundings;
