//! Files of any format: which one it is ([`detect`]), the list of all ([`registry`]), the file as a
//! model ([`File`]), and opening, unpacking, repacking and proving it ([`pipeline`]).
// Parts that only files on disk need.
#![cfg_attr(not(feature = "disk"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

// A derive macro with the name of the real one, which generates nothing.
#[cfg(not(feature = "schemas"))]
extern crate refit_record as schemars;

pub mod detect;
pub mod file;
pub mod foreign;
pub mod game_files;
pub mod pipeline;
pub mod raw;
pub mod registry;

pub use file::File;
pub use pipeline::{Hints, MemberId, Outcome, Via, explain_bytes as explain, verify};
