//! Bytes that need not stand in memory: a slice, or a range of a file on disk.

use crate::wire::{Error, Result};
use bytes::Bytes;
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
    sync::Arc,
};

/// Bytes in memory, or a range of a file that is read when it is needed.
///
/// Archives hold their members so: one that was read from memory holds slices of it, one that is assembled from a folder or
/// read from a path holds where the bytes are, and [`crate::formats::Model::write_to`] copies them through a bounded buffer.
#[derive(Clone, Debug)]
pub enum Blob {
    /// In memory.
    Memory(Bytes),
    /// On disk.
    Disk {
        /// The file. It is opened for each use, so that thousands of blobs do not hold thousands of handles.
        path: Arc<Path>,
        /// Where the bytes begin in it.
        at: u64,
        /// How many they are.
        len: u64,
    },
}

/// Bytes that a disk blob hands over at a time.
const CHUNK: u64 = 1 << 18;

impl Blob {
    /// A whole file on disk: a regular one, and not a link to one.
    pub fn of_file(path: &Path) -> Result<Self> {
        let meta = path.symlink_metadata().map_err(|e| Error::io(path, e))?;
        if !meta.is_file() {
            return Err(Error::say("not a regular file").in_file(path.display().to_string()));
        }
        Ok(Blob::Disk { path: path.into(), at: 0, len: meta.len() })
    }

    /// How many bytes.
    pub fn len(&self) -> u64 {
        match self {
            Blob::Memory(bytes) => bytes.len() as u64,
            Blob::Disk { len, .. } => *len,
        }
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All bytes, in memory.
    pub fn bytes(&self) -> Result<Bytes> {
        match self {
            Blob::Memory(bytes) => Ok(bytes.clone()),
            Blob::Disk { len, .. } => {
                let mut out = Vec::with_capacity(usize::try_from(*len).unwrap_or_default());
                self.each(&mut |chunk| {
                    out.extend_from_slice(chunk);
                    Ok(())
                })?;
                Ok(out.into())
            }
        }
    }

    /// Hands all bytes to `take`, in order and in pieces: the whole slice of memory at once, a file in bounded chunks.
    pub fn each(&self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let (path, at, len) = match self {
            Blob::Memory(bytes) => return take(bytes),
            Blob::Disk { path, at, len } => (path, *at, *len),
        };
        let io = |e| Error::io(path, e);
        let mut file = File::open(path).map_err(io)?;
        if at > 0 {
            file.seek(SeekFrom::Start(at)).map_err(io)?;
        }
        let mut buffer = vec![0; usize::try_from(len.min(CHUNK)).unwrap_or_default()];
        let mut left = len;
        while left > 0 {
            let want = usize::try_from(left.min(CHUNK)).unwrap_or_default();
            let chunk = buffer.get_mut(..want).unwrap_or_default();
            file.read_exact(chunk).map_err(|e| match e.kind() {
                std::io::ErrorKind::UnexpectedEof => {
                    Error::say("the file became shorter while it was read").in_file(path.display().to_string())
                }
                _ => io(e),
            })?;
            take(chunk)?;
            left -= want as u64;
        }
        Ok(())
    }
}

impl Default for Blob {
    fn default() -> Self {
        Blob::Memory(Bytes::new())
    }
}

impl From<Bytes> for Blob {
    fn from(bytes: Bytes) -> Self {
        Blob::Memory(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_a_file_is_its_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let content: Vec<u8> = (0..700_000u32).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let whole = Blob::of_file(&path).unwrap();
        assert_eq!(whole.bytes().unwrap(), content);
        let part = Blob::Disk { path: path.as_path().into(), at: 17, len: 600_000 };
        assert_eq!(part.bytes().unwrap(), content[17..600_017]);
        let cut = Blob::Disk { path: path.as_path().into(), at: 1, len: 700_000 };
        assert!(cut.bytes().unwrap_err().to_string().contains("shorter"));
        assert!(Blob::of_file(dir.path()).is_err());
    }
}
