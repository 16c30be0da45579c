//! Writes all files: next to the target first, synced, then renamed.
//!
//! **What may be replaced** is decided here and nowhere else, at the last moment, while refit has
//! the lock of the folder (`disk/turn`):
//!
//! - Nothing that exists is replaced without `force`. Only regular files are replaced; if the path
//!   is a link, the file that it leads to.
//! - A file that already has the new content is left alone.
//! - A file that changed since it was read, or since the work began, is not replaced: another
//!   program wrote it.
//! - Before the first replacement, a file is kept as `NAME.orig`, next to the file and not next to
//!   a link to it, unless refit wrote it (see `disk/own`). `NAME.orig` is a regular file, never a
//!   target and never replaced.
//! - Later, a file is replaced without a copy if refit wrote it or if it equals `NAME.orig`.
//!   Anything else, such as the output of a patch, is kept as `NAME.orig.2`, `.3` and so on. So is
//!   a file that another writer of refit wrote (an edit in place, mods, or a project); see [`By`].
//! - If another program has left a file under the name `NAME.orig`, the first original is kept
//!   under one of these further names, and its note says so: see [`original_path`].
//! - A file that refit added to a game has no `NAME.orig`: `restore` deletes it.
//! - A folder is replaced only if refit made it. If anything in it was edited, added or deleted
//!   since, it is moved aside to `NAME.old`.

mod backup;
mod edited;
mod fault;
mod folder;
mod held;
mod live;
mod made;
mod originals;
mod own;
mod paths;
mod read;
mod rule;
mod seen;
mod staged;
#[cfg(test)]
mod tests;
pub mod together;
mod turn;
mod write;

pub use super::inside::open_regular;
pub use backup::{backup_path, is_first, original_path};
pub use edited::{Change, edits};
pub use fault::step;
pub use folder::{DirSink, DirSource};
pub use held::{new_temporary, patiently, patiently_for, persist};
pub use live::abandon;
pub use made::{is_left_empty, remove_left_empty, sweep};
pub use originals::{KeptCopy, Original, keep_copy, original};
pub use own::{By, Note, are_sums_of, is_sum_of};
pub use read::{read, read_beside, read_named, walk_error};
pub use rule::{Backup, Replace, is_added};
pub use seen::{current_note, has_content, is_noted_as_own, note_as_own, own_note, standing};
pub use staged::{Replaced, StagedDir, check_folder};
pub use together::Together;
pub use turn::{is_left_behind, is_unfinished, note_unfinished, remarks};
pub use write::{Summed, Written, check_file, write_file, write_file_checked, write_file_with};
