//! The commands: each file defines the arguments of one command, and prints the results of the
//! workbench.

pub mod add;
pub mod anim;
pub mod build;
pub mod check;
pub mod diff;
pub mod edit;
pub mod explain;
pub mod export;
pub mod find;
pub mod get;
pub mod git;
pub mod help;
pub mod import;
pub mod infer;
pub mod info;
pub mod key;
pub mod lint;
pub mod list;
pub mod mcp;
pub mod mods;
pub mod new;
pub mod put;
pub mod refs;
pub mod repack;
pub mod report;
pub mod restore;
pub mod show;
pub mod sign;
pub mod status;
pub mod undo;
pub mod unpack;
pub mod verify;
pub mod view;
pub mod watch;
pub mod world;
