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
pub mod proof;
mod ron;
#[cfg(feature = "schemas")]
pub mod schema;
pub mod sums;
pub mod text;

pub use blob::{Blob, DiskFile, MadeBlob, Make, OneByOne};
pub use explain::placed;
pub(crate) use explain::{at as error_at, not_json};
pub use folder::{ByRow, Folder, Later, NullSink, Options, Pieces, Sink, Source, Spelled, TreeReader, TreeWriter};
#[cfg(feature = "disk")]
pub use folder::{DirSink, DirSource};
pub use manifest::{Head, Origin, OtherGame, Sum, TREE_VERSION, manifest_path, other_format, read_head};
#[cfg(feature = "disk")]
pub use manifest::{is_project, is_tree};
pub use names::{UniquePaths, check_foreign_path, check_inside_path, fold, foreign_path};
pub use sums::Sums;
pub use text::{AnyDocument, Document, Form, Packed, Rows, SomeRows, Style};
