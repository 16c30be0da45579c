//! Trees: folders of editable text, in memory or on disk.
//!
//! This layer knows no file format: it handles documents, plain files, names and manifests.

mod blob;
#[cfg(feature = "disk")]
pub(crate) mod disk;
mod explain;
mod folder;
#[cfg(feature = "disk")]
mod inside;
mod manifest;
mod names;
mod placed;
pub(crate) mod plain;
pub(crate) mod proof;
mod ron;
#[cfg(feature = "schemas")]
pub(crate) mod schema;
mod source;
mod style;
pub(crate) mod sums;
pub(crate) mod text;

pub use blob::{Blob, ByteSink};
#[cfg(feature = "disk")]
pub use disk::{DirSink, DirSource, Replace, write_file};
pub(crate) use explain::{at as error_at, not_json};
pub(crate) use folder::{CONFIG, TreeReader};
pub use folder::{Folder, TreeWriter};
pub use manifest::{Head, Origin, TREE_VERSION};
pub(crate) use manifest::{OtherGame, Sum, is_of_project, manifest_path};
#[cfg(feature = "disk")]
pub(crate) use manifest::{is_project, is_tree};
pub(crate) use manifest::{other_format, read_head};
pub(crate) use names::{UniquePaths, check_foreign_path};
pub(crate) use names::{check_inside_path, fold, foreign_path};
pub(crate) use placed::placed;
pub(crate) use source::{NullSink, Options, Pictures};
pub use source::{Sink, Source};
pub use style::{Form, Style};
pub(crate) use sums::Sums;
pub(crate) use text::AnyDocument;
pub use text::{Document, Packed, from_text, to_text};
