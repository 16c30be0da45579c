//! A game's folder as a project: one tree for each file, at the same path, and a manifest that
//! lists the files.
//!
//! The game's file `zbd/c1/anim.zbd` becomes the tree `zbd/c1/anim.zbd/` of the project. Files with
//! the same bytes that are read the same way share one tree, at the path of the first: an edit of
//! it applies to all of them. A file that gets a tree at its own path is separate from then on.
//!
//! A folder of animation definitions (from `refit anim decompile`) may be anywhere in a project. It
//! belongs to the animation file that it came from, and edits in it apply to that file like edits
//! of its tree.
// Parts that only files on disk need.
#![cfg_attr(not(feature = "disk"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

// A derive macro with the name of the real one, which generates nothing.
#[cfg(not(feature = "schemas"))]
extern crate refit_record as schemars;

mod documents;
#[cfg(feature = "disk")]
mod folder;

pub use documents::{schemas, schemas_of};
#[cfg(feature = "disk")]
pub use folder::*;
