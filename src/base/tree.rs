//! Trees: folders of editable text, in memory or on disk.
//!
//! This layer knows no file format: it handles documents, plain files, names and manifests.

mod blob;
#[cfg(feature = "disk")]
#[doc(hidden)]
pub mod disk;
mod explain;
mod folder;
#[cfg(feature = "disk")]
mod inside;
mod manifest;
mod names;
mod placed;
#[doc(hidden)]
pub mod plain;
pub mod proof;
mod ron;
#[cfg(feature = "schemas")]
#[doc(hidden)]
pub mod schema;
mod source;
mod style;
#[doc(hidden)]
pub mod sums;
#[doc(hidden)]
pub mod text;

pub use blob::{Blob, ByteSink};
#[cfg(feature = "disk")]
pub use disk::{DirSink, DirSource, Replace, write_file};
pub use explain::{at as error_at, not_json};
#[doc(hidden)]
pub use folder::{CONFIG, TreeReader};
pub use folder::{Folder, TreeWriter};
pub use manifest::{Head, Origin, TREE_VERSION};
#[doc(hidden)]
pub use manifest::{OtherGame, Sum, is_of_project, manifest_path};
#[cfg(feature = "disk")]
#[doc(hidden)]
pub use manifest::{is_project, is_tree};
#[doc(hidden)]
pub use manifest::{other_format, read_head};
#[doc(hidden)]
pub use names::{UniquePaths, check_foreign_path};
#[doc(hidden)]
pub use names::{check_inside_path, fold, foreign_path};
pub use placed::placed;
#[doc(hidden)]
pub use source::{NullSink, Options, Pictures};
pub use source::{Sink, Source};
pub use style::{Form, Style};
#[doc(hidden)]
pub use sums::Sums;
pub use text::AnyDocument;
pub use text::{Document, Packed, from_text, to_text};
