//! Bytes that need not be in memory: a slice, a range of a file on disk, or bytes that can be
//! recomputed at any time.

#[cfg(feature = "disk")]
use super::inside;
#[cfg(feature = "disk")]
#[cfg(feature = "disk")]
use crate::path::Shown;
use crate::{
    Sum, Summing,
    wire::{Error, Result, Within},
};
use bytes::Bytes;
use std::{fs::File, sync::Arc};
#[cfg(feature = "disk")]
use std::{
    fs::Metadata,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Bytes in memory, a range of a file that is read on demand, or bytes that are computed on demand.
///
/// Archives store their members as blobs: slices if the archive was read from memory, and places on
/// disk if it was assembled from a folder or read from a path. [`crate::contract::Model::write_to`]
/// copies them through a bounded buffer.
#[derive(Clone, Debug)]
pub enum Blob {
    /// In memory.
    Memory(Bytes),
    /// On disk, or computed.
    Lazy(LazyBlob),
}

/// Bytes that are not in memory. A separate type makes [`Blob`] smaller.
#[derive(Clone, Debug)]
pub enum LazyBlob {
    Disk {
        file: Arc<DiskFile>,
        /// Offset of the bytes in the file.
        at: u64,
        /// Number of bytes.
        len: u64,
    },
    /// Computed from other bytes on each use.
    Made(Arc<MadeBlob>),
}

#[cfg(feature = "disk")]
/// A file on disk that blobs refer to.
#[derive(Debug)]
pub struct DiskFile {
    place: DiskAccess,
    len: u64,
    modified: Option<SystemTime>,
}

#[cfg(feature = "disk")]
/// How to access a file on disk.
#[derive(Debug)]
enum DiskAccess {
    /// Open; the path is for messages.
    Open(File, PathBuf),
    /// Opened for each use, so that thousands of files do not need thousands of handles; see
    /// [`inside::open`].
    Below(Arc<Path>, Box<Path>),
}

/// Bytes computed from other bytes, such as the unpacked content of packed ones.
pub struct MadeBlob {
    of: Blob,
    len: u64,
    make: Make,
}

/// The output for a file: any [`std::io::Write`], or a comparison with another file.
pub trait ByteSink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]) -> Result<()>;
    /// Takes the bytes of several blobs, in order.
    fn put_blobs(&mut self, blobs: &mut dyn Iterator<Item = &Blob>) -> Result<()>;
}

impl<W: std::io::Write> ByteSink for W {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(Error::stopped)
    }
    fn put_blobs(&mut self, blobs: &mut dyn Iterator<Item = &Blob>) -> Result<()> {
        Blob::each_of(blobs, &mut |bytes| self.put(bytes))
    }
}

/// Computes bytes from other bytes. The number is the length of the result.
pub type Make = fn(&Blob, u64) -> Result<Bytes>;

impl std::fmt::Debug for MadeBlob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes made of {:?}", self.len, self.of)
    }
}

#[cfg(feature = "disk")]
/// Files up to this size are read at once: their paths would need as much memory.
const SMALL: u64 = 256;

/// How many bytes of a file to pass on at a time.
const CHUNK: u64 = 1 << 18;

/// A file on disk, which does not exist without the feature `disk`.
#[cfg(not(feature = "disk"))]
#[derive(Debug)]
pub enum DiskFile {}

#[cfg(not(feature = "disk"))]
impl DiskFile {
    fn with<T>(&self, _: impl FnOnce(&File) -> std::io::Result<T>) -> Result<T> {
        match *self {}
    }
    fn check_unchanged(&self) -> Result<()> {
        match *self {}
    }
}

#[cfg(feature = "disk")]
impl DiskFile {
    /// An error if the file was written since it was opened.
    fn check_unchanged(&self) -> Result<()> {
        let meta = self.with(|file| file.metadata())?;
        match meta.len() == self.len && meta.modified().ok() == self.modified {
            true => Ok(()),
            false => {
                Err(Error::say("the file changed while it was read").in_file(self.path().shown()))
            }
        }
    }

    fn path(&self) -> &Path {
        match &self.place {
            DiskAccess::Open(_, path) => path,
            DiskAccess::Below(_, path) => path,
        }
    }

    fn io(&self, e: std::io::Error) -> Error {
        match e.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                Error::say("the file became shorter while it was read").in_file(self.path().shown())
            }
            _ => Error::io(self.path(), e),
        }
    }

    /// Calls `work` with the open file.
    fn with<T>(&self, work: impl FnOnce(&File) -> std::io::Result<T>) -> Result<T> {
        match &self.place {
            DiskAccess::Open(file, _) => work(file),
            DiskAccess::Below(root, path) => {
                let opened = inside::open(root, path)?;
                opened
                    .ok_or_else(|| ErrorKind::NotFound.into())
                    .and_then(|(file, _)| work(&file))
            }
        }
        .map_err(|e| self.io(e))
    }
}

/// Reads at a position, independent of other readers of the same file.
pub(super) fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> std::io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, buffer, at);
    #[cfg(windows)]
    {
        use std::os::windows::fs::FileExt;
        let (mut rest, mut at) = (buffer, at);
        while !rest.is_empty() {
            match file.seek_read(rest, at)? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                n => {
                    rest = rest.within_mut(n..);
                    at += n as u64;
                }
            }
        }
        Ok(())
    }
    #[cfg(not(any(unix, windows)))]
    {
        let _ = (file, buffer, at);
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

impl Blob {
    #[cfg(feature = "disk")]
    /// A whole regular file on disk, not a link. It is opened for each use.
    pub fn of_file(path: &Path) -> Result<Self> {
        let (folder, name) = match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) if !folder.as_os_str().is_empty() => {
                (folder, Path::new(name))
            }
            _ => (Path::new("."), path),
        };
        Self::below(&folder.into(), name)?
            .ok_or_else(|| Error::io(path, ErrorKind::NotFound.into()))
    }

    #[cfg(feature = "disk")]
    /// A whole regular file below a folder, with no link in its path. It is opened for each use, or
    /// read now if it is small. `None` if there is no such file.
    pub(super) fn below(root: &Arc<Path>, path: &Path) -> Result<Option<Self>> {
        let Some((mut file, meta)) = inside::open(root, path)? else {
            return Ok(None);
        };
        if meta.len() <= SMALL {
            let mut bytes = Vec::with_capacity(meta.len() as usize);
            file.read_to_end(&mut bytes)
                .map_err(|e| Error::io(path, e))?;
            return Ok(Some(Blob::Memory(bytes.into())));
        }
        Ok(Some(Self::whole(
            DiskAccess::Below(Arc::clone(root), path.into()),
            &meta,
        )))
    }

    #[cfg(feature = "disk")]
    /// A whole file on disk, opened once: a file that replaces it later is not read. `None` for
    /// anything but a regular file, because for example a pipe can be read only once.
    pub fn open(path: &Path) -> Result<Option<Self>> {
        let io = |e| Error::io(path, e);
        // Check before opening: opening a pipe would consume its content.
        if !path.metadata().map_err(io)?.is_file() {
            return Ok(None);
        }
        let (handle, meta) = inside::open_regular(path).map_err(io)?;
        Ok(Some(Self::whole(
            DiskAccess::Open(handle, path.to_owned()),
            &meta,
        )))
    }

    /// A whole file on disk.
    #[cfg(feature = "disk")]
    fn whole(place: DiskAccess, meta: &Metadata) -> Self {
        let (len, modified) = (meta.len(), meta.modified().ok());
        Blob::Lazy(LazyBlob::Disk {
            file: Arc::new(DiskFile {
                place,
                len,
                modified,
            }),
            at: 0,
            len,
        })
    }

    /// A whole file that is open, read through this handle. If it is locked, Windows refuses reads
    /// through any other handle.
    #[cfg(feature = "disk")]
    pub fn of_open(file: &File, path: &Path) -> Result<Self> {
        let io = |e| Error::io(path, e);
        let meta = file.metadata().map_err(io)?;
        let place = DiskAccess::Open(file.try_clone().map_err(io)?, path.to_owned());
        Ok(Self::whole(place, &meta))
    }

    /// `len` bytes that `make` computes from `of` on demand.
    pub fn made(of: Blob, len: u64, make: Make) -> Self {
        Blob::Lazy(LazyBlob::Made(Arc::new(MadeBlob { of, len, make })))
    }

    /// The source of a blob from [`Blob::made`].
    pub fn made_of(&self) -> Option<&Blob> {
        match self {
            Blob::Lazy(LazyBlob::Made(made)) => Some(&made.of),
            _ => None,
        }
    }

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        match self {
            Blob::Memory(bytes) => bytes.len() as u64,
            Blob::Lazy(LazyBlob::Disk { len, .. }) => *len,
            Blob::Lazy(LazyBlob::Made(made)) => made.len,
        }
    }

    /// True if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All bytes in memory.
    pub fn bytes(&self) -> Result<Bytes> {
        match self {
            Blob::Memory(bytes) => Ok(bytes.clone()),
            Blob::Lazy(LazyBlob::Disk { file, at, len }) => {
                let n = usize::try_from(*len).map_err(|_| {
                    Error::say(format!(
                        "{len} bytes are more than this computer can address"
                    ))
                })?;
                let mut out = vec![0; n];
                file.with(|file| read_exact_at(file, &mut out, *at))?;
                Ok(out.into())
            }
            Blob::Lazy(LazyBlob::Made(made)) => match (made.make)(&made.of, made.len)? {
                bytes if bytes.len() as u64 == made.len => Ok(bytes),
                _ => Err(Error::say("a file changed while it was read")),
            },
        }
    }

    /// A part of these bytes, truncated at their end.
    pub fn slice(&self, from: u64, most: u64) -> Result<Blob> {
        let from = from.min(self.len());
        let most = most.min(self.len() - from);
        Ok(match self {
            Blob::Memory(bytes) => Blob::Memory(bytes.slice(from as usize..(from + most) as usize)),
            Blob::Lazy(LazyBlob::Disk { file, at, .. }) => Blob::Lazy(LazyBlob::Disk {
                file: Arc::clone(file),
                at: at + from,
                len: most,
            }),
            Blob::Lazy(LazyBlob::Made(_)) => return Blob::Memory(self.bytes()?).slice(from, most),
        })
    }

    /// Passes all bytes to `take` in order: memory as one slice, a file in bounded chunks.
    pub fn each(&self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let (file, at, len) = match self {
            Blob::Memory(bytes) => return take(bytes),
            Blob::Lazy(LazyBlob::Disk { file, at, len }) => (file, at, len),
            Blob::Lazy(LazyBlob::Made(_)) => return take(&self.bytes()?),
        };
        let mut buffer = vec![0; usize::try_from((*len).min(CHUNK)).unwrap_or_default()];
        let (mut at, mut left) = (*at, *len);
        let mut taken = Ok(());
        file.with(|file| {
            while left > 0 && taken.is_ok() {
                let want = left.min(CHUNK);
                let chunk = buffer.within_mut(..want as usize);
                read_exact_at(file, chunk, at)?;
                (at, left) = (at + want, left - want);
                taken = take(chunk);
            }
            Ok(())
        })?;
        taken
    }

    /// Passes the bytes of several blobs to `take`, in order; reads neighbours in a file together.
    pub fn each_of<'a>(
        blobs: impl IntoIterator<Item = &'a Blob>,
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut run = Blob::default();
        for blob in blobs {
            match (&mut run, blob) {
                (
                    Blob::Lazy(LazyBlob::Disk { file, at, len }),
                    Blob::Lazy(LazyBlob::Disk {
                        file: next,
                        at: from,
                        len: more,
                    }),
                ) if Arc::ptr_eq(file, next) && *at + *len == *from => {
                    *len += more;
                }
                (_, Blob::Lazy(LazyBlob::Disk { .. })) => {
                    std::mem::replace(&mut run, blob.clone()).each(take)?
                }
                _ => {
                    std::mem::take(&mut run).each(take)?;
                    blob.each(take)?;
                }
            }
        }
        run.each(take)
    }

    /// Replaces the content of `buffer` by `len` bytes from offset `at`, or fewer at the end of the
    /// blob.
    pub fn read_into(&self, at: u64, len: usize, buffer: &mut Vec<u8>) -> Result<()> {
        match self.slice(at, len as u64)? {
            Blob::Lazy(LazyBlob::Disk { file, at, len }) => {
                buffer.resize(usize::try_from(len).unwrap_or_default(), 0);
                file.with(|file| read_exact_at(file, buffer, at))
            }
            other => {
                buffer.clear();
                other.each(&mut |chunk| {
                    buffer.extend_from_slice(chunk);
                    Ok(())
                })
            }
        }
    }

    /// Where these bytes are in `file`, if they are a part of it, in the same memory or file on
    /// disk: then there is nothing to compare.
    pub fn place_in(&self, file: &Blob) -> Option<u64> {
        let at = match (self, file) {
            (Blob::Memory(part), Blob::Memory(whole)) => {
                (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)? as u64
            }
            (
                Blob::Lazy(LazyBlob::Disk { file: part, at, .. }),
                Blob::Lazy(LazyBlob::Disk {
                    file: whole,
                    at: from,
                    ..
                }),
            ) if Arc::ptr_eq(part, whole) => at.checked_sub(*from)?,
            _ => return None,
        };
        (at.checked_add(self.len())? <= file.len()).then_some(at)
    }

    /// True if both are the same bytes of one file, or in the same memory.
    pub(crate) fn is_same(&self, other: &Blob) -> bool {
        self.len() == other.len() && self.place_in(other) == Some(0)
    }

    /// True if the content equals `bytes`.
    pub fn is(&self, bytes: &[u8]) -> Result<bool> {
        if self.len() != bytes.len() as u64 {
            return Ok(false);
        }
        let (mut rest, mut same) = (bytes, true);
        self.each(&mut |chunk| {
            let (first, behind) = rest.split_at_checked(chunk.len()).unwrap_or((rest, &[]));
            rest = behind;
            same &= first == chunk;
            Ok(())
        })?;
        Ok(same)
    }

    /// The checksum for refit's own records.
    pub fn sum(&self) -> Result<Sum> {
        self.summed(Summing::default())
    }

    fn summed(&self, mut sum: Summing) -> Result<Sum> {
        self.each(&mut |chunk| {
            sum.update(chunk);
            Ok(())
        })?;
        Ok(sum.end())
    }

    /// True if the content has this checksum, also if a record of an earlier version has it.
    pub fn has_sum(&self, sum: &Sum) -> Result<bool> {
        Ok(!sum.is_missing() && self.summed(Summing::like(*sum))? == *sum)
    }

    /// SHA-256, as lower-case hexadecimal, for people and other tools.
    pub fn sha256(&self) -> Result<String> {
        let mut sum = crate::Sha256::default();
        self.each(&mut |chunk| {
            sum.update(chunk);
            Ok(())
        })?;
        Ok(sum.hex())
    }

    /// An error if the file on disk was written since [`Blob::open`], because then its parts may
    /// not belong together.
    pub fn check_unchanged(&self) -> Result<()> {
        match self {
            Blob::Lazy(LazyBlob::Disk { file, .. }) => file.check_unchanged(),
            _ => Ok(()),
        }
    }
}

impl Default for Blob {
    fn default() -> Self {
        Blob::Memory(Bytes::new())
    }
}

/// Equal if the contents are. What cannot be read equals nothing.
impl PartialEq for Blob {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .bytes()
                .and_then(|own| other.is(&own))
                .is_ok_and(|same| same)
    }
}

impl From<Bytes> for Blob {
    fn from(bytes: Bytes) -> Self {
        Blob::Memory(bytes)
    }
}

impl From<&Bytes> for Blob {
    fn from(bytes: &Bytes) -> Self {
        Blob::Memory(bytes.clone())
    }
}

impl From<&Blob> for Blob {
    fn from(blob: &Blob) -> Self {
        blob.clone()
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
        for whole in [
            Blob::of_file(&path).unwrap(),
            Blob::open(&path).unwrap().unwrap(),
            Blob::from(Bytes::from(content.clone())),
        ] {
            assert_eq!(whole.bytes().unwrap(), content);
            assert_eq!(whole.sha256().unwrap(), crate::sha256(&content));
            let part = whole.slice(17, 600_000).unwrap();
            assert_eq!(part.bytes().unwrap(), content[17..600_017]);
            assert_eq!(
                part.slice(5, u64::MAX).unwrap().bytes().unwrap(),
                content[22..600_017]
            );
            assert!(
                part.is(&content[17..600_017]).unwrap() && !part.is(&content[..600_000]).unwrap()
            );
            assert!(whole.slice(800_000, 1).unwrap().is_empty());
            let mut back = Vec::new();
            let take = &mut |chunk: &[u8]| {
                back.extend_from_slice(chunk);
                Ok(())
            };
            part.each(take).unwrap();
            assert!(back == content[17..600_017]);
            let parts = [(0, 5), (5, 0), (5, 300_000), (17, 3), (20, 600_000), (0, 1)];
            let blobs = parts.map(|(at, len)| whole.slice(at, len).unwrap());
            let mut together = Vec::new();
            Blob::each_of(&blobs, &mut |chunk| {
                together.extend_from_slice(chunk);
                Ok(())
            })
            .unwrap();
            assert!(
                together
                    == parts
                        .map(|(at, len)| &content[at as usize..(at + len) as usize])
                        .concat()
            );
        }
        assert!(Blob::of_file(dir.path()).is_err());
        assert!(Blob::open(dir.path()).unwrap().is_none());
    }

    #[test]
    fn a_file_that_changes_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        std::fs::write(&path, [1; 1000]).unwrap();
        let blob = Blob::open(&path).unwrap().unwrap();
        blob.check_unchanged().unwrap();
        // A file that replaces it is not read.
        std::fs::write(dir.path().join("y"), [2; 10]).unwrap();
        std::fs::rename(dir.path().join("y"), &path).unwrap();
        assert_eq!(blob.bytes().unwrap(), [1; 1000][..]);
        blob.check_unchanged().unwrap();
        let blob = Blob::open(&path).unwrap().unwrap();
        std::fs::write(&path, [2; 9]).unwrap();
        assert!(
            blob.check_unchanged()
                .unwrap_err()
                .to_string()
                .contains("changed")
        );
        assert!(blob.bytes().unwrap_err().to_string().contains("shorter"));
        assert!(
            blob.each(&mut |_| Ok(()))
                .unwrap_err()
                .to_string()
                .contains("shorter")
        );
    }

    #[test]
    fn lazy_bytes_are_created_on_each_use() {
        let double: Make = |blob, len| {
            Ok(blob
                .bytes()?
                .iter()
                .flat_map(|b| [*b; 2])
                .take(len as usize)
                .collect())
        };
        let blob = Blob::made(Bytes::from_static(b"abc").into(), 5, double);
        assert_eq!(
            (blob.len(), blob.bytes().unwrap()),
            (5, Bytes::from_static(b"aabbc"))
        );
        assert_eq!(blob.slice(1, 2).unwrap().bytes().unwrap(), b"ab"[..]);
        assert_eq!(blob.made_of().unwrap().bytes().unwrap(), b"abc"[..]);
    }
}
