//! Animations the way they were written: definitions and scripts are compiled into animation files, and files are decompiled.
//!
//! A compiled file says what every game reads; a source says what a person wrote: one definition for many nodes, degrees, names instead
//! of tables. [`compile`] makes of [`Sources`] the same typed form that [`crate::formats::anim`] reads from files, [`decompile`] goes the
//! other way. What no source says comes from the file that is compiled over ([`Base`]); an entry that says the same as before stays
//! what it was, byte for byte.
//!
//! Keys and fields are described once, for both ways: `keys`, `events`, `definition`. What a game does with the values is told there.

mod base;
mod compile;
mod decompile;
mod definition;
mod events;
mod files;
mod keys;
mod puffer;
mod scope;
pub mod script;
pub mod source;
mod stale;
#[cfg(test)]
mod tests;
mod values;
mod world;

pub use base::Base;
pub use compile::{Compiled, Entry, Options, Stamps, Status, compile};
pub use decompile::{Decompiled, Known, Manifest, Spelling, decompile, effects};
pub use files::{Listing, Root, Sources};
pub use world::World;

use crate::lint::codes;

codes! {
    /// The kinds of findings in sources of animations.
    pub CODES:
    UNKNOWN "animdef-unknown" Warning "a key that means nothing where it stands"
        "The compiler has no use for it and leaves it out, as the studio's tool did: a misspelt key, one of another game, or an event \
                  that nobody knows. Letter case counts."
    IGNORED "animdef-ignored" Note "a key that this event does not have"
        "It is left out, as the studio's tool did. Shipped sources have such keys: `SATURATION` for `SATURATED`, `from_pos` for `FROM_POS`."
    MISSING_FILE "animdef-missing-file" Warning "a definition file is not there"
        "It is skipped, as the studio's tool did: shipped lists name files that were gone. Check the name if it was not meant."
    LEFT_OUT "animdef-left-out" Warning "a definition whose node is not in the world"
        "The world that --world names does not have the node. The file that is compiled over has the entry, which stays as it is; \
                  --strict makes an error of it."
    MISSING_NODE "animdef-missing-node" Warning "a name that the world does not have"
        "Recoil refuses a whole animation file when a root, an object or a node in it is missing in the world."
    MISSING_EFFECT "animdef-missing-effect" Warning "an effect that the list of effects does not have"
        "Recoil refuses a whole animation file when it names an effect that effects.zrd does not list."
    MISSING_SEQUENCE "animdef-missing-sequence" Warning "a sequence that the definition does not have"
        "Calls, stops and bounces name sequences of their own definition."
    MISSING_ANIMATION "animdef-missing-animation" Note "an animation that the sources do not have"
        "Another file of the mission may have it; else the call does nothing."
}
