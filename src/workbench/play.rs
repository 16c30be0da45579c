//! Plays animation definitions in their world: the state of every node, light and sound at a time.
//!
//! The page of `refit view` plays definitions in TypeScript (`view/page/play`); this module
//! computes the same, and `cargo xtask browser` compares both. The state at a time is a function of
//! the definition and the time: a [`Player`] runs the events from the start to that time, each at
//! its exact moment, without steps.
//!
//! Known facts about the engines (owners of Recoil and Crimson Skies read their programs):
//!
//! * A sequence runs its events one after another. An event with a run time occupies the sequence
//!   until it ends. The start of an event is compared with a clock only after the one before it has
//!   ended: ANIMATION counts from the start of the definition, SEQUENCE from the start of the
//!   sequence's first event, EVENT from the end of the event before.
//! * The last two clocks begin with the first event. A first event that waits for one of them never
//!   starts.
//! * The sequences of a definition run in parallel, in their order. CALL_SEQUENCE starts one that
//!   waits for a call; one that comes before its caller in the definition starts a 60th of a second
//!   later. STOP_SEQUENCE ends one; a waiting one can then not be called any more.
//! * LOOP counts, and ends when the count is reached. A round without duration takes a 60th of a
//!   second.
//! * IF whose condition is false continues at the next ELSEIF, ELSE or ENDIF, regardless of
//!   nesting. ELSE and ELSEIF that are reached otherwise continue at the next ENDIF.
//! * At the end, after the reset time, the events of the reset state run. They also run at the
//!   start of a mission if a reset time is given.
//!
//! Decisions where nothing is known: a called animation starts immediately and in its own position;
//! a running one is not started again; changing velocities are integrated exactly, where the games
//! add them up frame by frame. started again; velocities that change are integrated exactly, where
//! the games add them up for each picture.

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
