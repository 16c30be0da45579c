//! Sources and sinks for the files of a tree.

use super::{Blob, sums::FileSum};
use crate::wire::Result;
use bytes::Bytes;

/// The user's options for a tree besides its style.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Spend time to make PNG files small.
    pub small_png: bool,
    /// Keep members of PBO archives that could be texts or pictures unconverted.
    pub raw_members: bool,
    /// When pictures of textures in archives are made.
    pub pictures: Pictures,
    /// Members that came from a tree keep the paths that they have there.
    pub keep_paths: bool,
    /// Data stay packed if packing them again takes long: for a proof that writes nothing.
    pub stay_packed: bool,
}

/// When the pictures of textures in archives are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pictures {
    /// With the tree.
    #[default]
    AtOnce,
    /// Each time that one is read, so that not all are in memory together.
    OnDemand,
    /// Never: the textures stay unchanged.
    Never,
}

/// Receives the files of a tree.
pub trait Sink: Sync {
    /// Stores a file. `path` is a safe relative path with `/`.
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()>;
    /// Stores a file that need not be in memory. Returns the checksum of what was stored; `None`
    /// if none is needed.
    fn put_blob(&self, path: &str, blob: &Blob) -> Result<Option<FileSum>> {
        let bytes = blob.bytes()?;
        self.put(path, &bytes)?;
        Ok(self.sums().then(|| FileSum::new(&bytes, false)))
    }
    /// False if the sink discards its input, so that checksums are not needed.
    fn keeps(&self) -> bool {
        true
    }
    /// False if the output is not for editing: checksums, which detect edits, and schemas are not
    /// needed.
    fn sums(&self) -> bool {
        self.keeps()
    }
    /// True for a part of the file whose documents are not needed. `_stem` is the path of its
    /// document without the extension.
    fn passes_over(&self, _stem: &str) -> bool {
        false
    }
    /// True if [`Sink::passes_over`] is true for some part.
    fn passes_some_over(&self) -> bool {
        false
    }
    /// True if the manifest must name the file of a part that is passed over as if it were there: a
    /// part that does not survive the round trip is another file than a document.
    fn judges_passed_over(&self) -> bool {
        false
    }
    /// Passes a note about these files to the user.
    fn note(&self, _text: String) {}
    /// Marks the file at this path as a document of this kind.
    fn document(&self, _path: &str, _kind: &'static str) {}
    /// The user's choices for the tree.
    fn options(&self) -> Options {
        Options::default()
    }
}

/// Provides the files of a tree.
pub trait Source: Sync {
    /// A file's bytes. If it is missing, the error names it.
    fn get(&self, path: &str) -> Result<Bytes>;
    /// A file that need not be in memory.
    fn blob(&self, path: &str) -> Result<Blob> {
        self.get(path).map(Blob::Memory)
    }
    /// True if the file exists.
    fn has(&self, path: &str) -> bool;
    /// All paths, sorted. Includes links and other non-files, which cannot be read.
    fn paths(&self) -> Vec<String>;
    /// The paths that start with `folder` and a slash, sorted. An error if the folder cannot be
    /// listed, for example because it is a link: otherwise its files would seem to be deleted.
    fn below(&self, folder: &str) -> Result<Vec<String>> {
        Ok(only_below(self.paths(), folder))
    }
    /// True if the manifest must name every file of an archive. Otherwise the content of the folder
    /// decides for some archives.
    fn strict(&self) -> bool {
        false
    }
}

pub(super) fn only_below(mut paths: Vec<String>, folder: &str) -> Vec<String> {
    paths.retain(|path| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
    });
    paths
}

/// Discards a tree: for a proof that writes nothing.
pub struct NullSink;
impl Sink for NullSink {
    fn put(&self, _: &str, _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn put_blob(&self, _: &str, _: &Blob) -> Result<Option<FileSum>> {
        Ok(None)
    }
    fn keeps(&self) -> bool {
        false
    }
    fn options(&self) -> Options {
        Options {
            stay_packed: true,
            ..Options::default()
        }
    }
}
