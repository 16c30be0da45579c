//! The commands: each file has the arguments of one, and prints what the workbench gives.

pub mod anim;
pub mod diff;
pub mod explain;
pub mod export;
pub mod find;
pub mod get;
pub mod git;
pub mod help;
pub mod import;
pub mod infer;
pub mod info;
pub mod lint;
pub mod list;
pub mod mods;
pub mod put;
pub mod refs;
pub mod repack;
pub mod restore;
pub mod show;
pub mod status;
pub mod unpack;
pub mod verify;
pub mod view;
pub mod watch;
