//! Trees: folders of editable text, in memory or on disk.
//!
//! This layer knows no file format: it handles documents, plain files, names and manifests.

mod blob;
#[cfg(feature = "disk")]
pub mod disk;
mod explain;
mod folder;
#[cfg(feature = "disk")]
mod inside;
mod manifest;
mod names;
mod placed;
pub mod plain;
pub mod proof;
mod ron;
#[cfg(feature = "schemas")]
pub mod schema;
mod source;
mod style;
pub mod sums;
pub mod text;

pub use blob::{Blob, ByteSink};
#[cfg(feature = "disk")]
pub use disk::{DirSink, DirSource, Replace, write_file};
pub use explain::{at as error_at, not_json};
pub use folder::{CONFIG, Folder, TreeReader, TreeWriter};
pub use manifest::{Head, LaterSum, Origin, OtherGame, TREE_VERSION, is_of_project, manifest_path};
#[cfg(feature = "disk")]
pub use manifest::{is_project, is_tree};
pub use manifest::{other_format, read_head};
pub use names::{UniquePaths, check_foreign_path, check_inside_path, fold, foreign_path, stem};
pub use placed::placed;
pub use source::{NullSink, Options, Pictures, Sink, Source};
pub use style::{Form, Style};
pub use sums::Sums;
pub use text::{AnyDocument, Document, Packed, from_text, to_text};
