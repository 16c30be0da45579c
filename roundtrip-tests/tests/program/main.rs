//! The program as its users run it: arguments, output, files on disk, whole games, and refit's own
//! texts and layers.

mod addons;
mod anim_sources;
mod cli;
mod definitions;
mod families;
mod folders;
mod installations;
mod kills;
#[cfg(target_os = "linux")]
mod many_files;
mod mcp;
mod mech3ax;
mod mods;
mod projects;
mod readme;
mod report;
mod safety;
mod sequences;
mod view;
mod view_memory;
mod wording;
mod world_places;
