//! Plays animation definitions in their world: what every node, light and sound is at a time.
//!
//! The page of `refit view` plays definitions in TypeScript (`view/page/play`); this module computes the same, and
//! `cargo xtask browser` compares both. The state at a time is a function of the definition and the time: a [`Player`]
//! runs the events from the start to that time, each at its exact moment, without steps.
//!
//! What is known of the engines (owners of Recoil and Crimson Skies read their programs):
//!
//! * A sequence runs its events one after the other. An event with a run time occupies it until the end. The start of
//!   an event is compared with a clock only after the one before it has ended: ANIMATION counts from the start of the
//!   definition, SEQUENCE from the start of the sequence's first event, EVENT from the end of the event before.
//! * The last two clocks begin with the first event. A first event that waits for one of them never starts.
//! * The sequences of a definition run beside each other, in their order. CALL_SEQUENCE starts one that waits for it;
//!   one that comes before its caller in the definition starts a 60th of a second later. STOP_SEQUENCE ends one, and
//!   one that waits cannot be called any more.
//! * LOOP counts, then goes on if the count is reached. A round that takes no time takes a 60th of a second.
//! * IF that does not hold goes to the next ELSEIF, ELSE or ENDIF, whatever is nested between. ELSE and ELSEIF that are
//!   reached otherwise go to the next ENDIF.
//! * At the end, after the reset time, the events of the reset state run. They also run at the start of a mission if a
//!   reset time is given.
//!
//! Decisions where nothing is known: a called animation starts at once and at its own place; one that runs is not
//! started again; velocities that change are integrated exactly, where the games add them up for each picture.

mod events;
mod motion;
mod player;
mod pose;
mod sample;
mod show;
mod shown;
mod stage;

pub use motion::{PartPose, mech_poses};
pub use player::{Happened, Player};
pub use pose::{Pose, V3};
pub use sample::samples;
pub use show::{Assume, Fog, Light, Show, Sounded, State};
pub use shown::why_not;
pub use stage::{Bound, NodeState, Stage, States};
