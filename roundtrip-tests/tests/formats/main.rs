//! Files of every format in the library: facts of the references, edits with bytes made by hand,
//! glTF, and limits.
//!
//! One program, because each program contains the whole library: forty of them take gigabytes and
//! minutes.

mod anim;
mod archive;
mod bounds;
mod differences;
mod documents;
mod edits;
mod explain;
mod fresh;
mod gamez;
mod gltf;
mod ground;
mod import;
mod import_kinds;
mod khronos;
mod library;
mod merging;
mod messages;
mod motions;
mod names;
mod paa;
mod pbo;
mod plays;
mod real_text;
mod renewals;
mod rof;
mod savegame;
mod textures;
mod world_verbs;
mod worlds;
