//! `refit mcp`: a server of the Model Context Protocol, with which an agent works on games and
//! projects.
//!
//! [`serve`] reads JSON-RPC messages, one per line, and answers them (`protocol`). Each tool is one
//! struct in `tools`: its fields are the arguments, its comments are what the agent reads. Tools
//! that look ask [`refit_view::View`], the questions of the page; tools that edit use
//! [`refit_session::Session`]. What is written to a game needs a plan (`plans`), and long answers
//! come in pages (`pages`).
//!
//! [`Folders`] are the only places that a tool reads or writes. Besides them, refit looks whether
//! another refit is at work in a folder above, and uses temporary files of the system.
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

// A derive macro with the name of the real one, which generates nothing.
#[cfg(not(feature = "schemas"))]
extern crate refit_record as schemars;

mod desk;
mod folders;
mod pages;
mod place;
mod plans;
mod protocol;
mod tools;

pub use folders::Folders;
pub use protocol::serve;
#[cfg(feature = "schemas")]
pub use tools::declared;
