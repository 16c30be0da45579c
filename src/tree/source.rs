//! Where the files of a tree come from and go to.

use super::Blob;
use crate::wire::Result;
use bytes::Bytes;

/// The user's choices for a tree besides its style.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Spend time to make PNG files small.
    pub small_png: bool,
}

/// A function that passes the pieces of a file, in order, to its argument.
pub type Pieces<'a> = &'a mut dyn FnMut(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;

/// Receives the files of a tree.
pub trait Sink: Sync {
    /// Stores a file. `path` is a safe relative path with `/`.
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()>;
    /// Stores a file that need not be in memory. Returns the SHA-256 of what was stored, as lower-case hexadecimal.
    fn put_blob(&self, path: &str, blob: &Blob) -> Result<String> {
        let bytes = blob.bytes()?;
        self.put(path, &bytes)?;
        Ok(crate::sha256(&bytes))
    }
    /// Stores a file that comes in pieces. Returns the SHA-256 of what was stored, as lower-case hexadecimal.
    fn put_pieces(&self, path: &str, write: Pieces<'_>) -> Result<String> {
        let mut bytes = Vec::new();
        write(&mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        self.put(path, &bytes)?;
        Ok(crate::sha256(&bytes))
    }
    /// False if the sink discards what is stored, so that checksums are not needed.
    fn keeps(&self) -> bool {
        true
    }
    /// False if the checksums of the stored files are not needed to detect edits.
    fn sums(&self) -> bool {
        self.keeps()
    }
    /// True for a part of the file whose documents are not needed. `_stem` is the path of its document without the
    /// extension.
    fn passes_over(&self, _stem: &str) -> bool {
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

/// Opens a file of a tree that was examined before; see [`Source::later`].
pub type Later = Box<dyn Fn(&str, u64) -> Result<Blob> + Send + Sync>;

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
    /// The paths that start with `folder` and a slash, sorted. An error if the folder cannot be listed, for example
    /// because it is a link: otherwise its files would seem to be deleted.
    fn below(&self, folder: &str) -> Result<Vec<String>> {
        Ok(only_below(self.paths(), folder))
    }
    /// Passes [`Source::paths`] to `see` one by one, in any order: there may be hundreds of thousands.
    fn each_path(&self, see: &mut dyn FnMut(String)) {
        self.paths().into_iter().for_each(see);
    }
    /// Passes [`Source::below`] to `see` one by one, in any order. After an error, ignore what was passed before.
    fn each_below(&self, folder: &str, see: &mut dyn FnMut(String)) -> Result<()> {
        self.below(folder)?.into_iter().for_each(see);
        Ok(())
    }
    /// A function that opens files by path and size without examining them again. `None` if [`Source::blob`] costs
    /// nothing.
    fn later(&self) -> Option<Later> {
        None
    }
    /// True if the manifest must name every file of an archive. Otherwise the content of the folder decides for some
    /// archives.
    fn strict(&self) -> bool {
        false
    }
}

/// The paths below a folder.
pub(super) fn only_below(mut paths: Vec<String>, folder: &str) -> Vec<String> {
    paths.retain(|path| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
    paths
}

/// Discards a tree: for a proof that writes nothing.
pub struct NullSink;
impl Sink for NullSink {
    fn put(&self, _: &str, _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn put_blob(&self, _: &str, _: &Blob) -> Result<String> {
        Ok(String::new())
    }
    fn put_pieces(&self, _: &str, _: Pieces<'_>) -> Result<String> {
        Ok(String::new())
    }
    fn keeps(&self) -> bool {
        false
    }
}
