//! The cursor over a file's bytes and the writer that mirrors it.

use super::{Error, F32, Plain, Result};
use crate::game::Game;
use smallvec::SmallVec;

/// A cursor over bytes. Offsets in errors are offsets in the file, also in a part of it.
#[derive(Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    pos: usize,
    base: u64,
    /// The game whose layout is read.
    pub game: Game,
}

impl<'a> Reader<'a> {
    /// A cursor at the start of `bytes`, which stand at the start of their file.
    pub fn new(bytes: &'a [u8], game: Game) -> Self {
        Reader { bytes, pos: 0, base: 0, game }
    }

    /// A cursor over a part of a file that begins at `base` in it.
    pub fn based(bytes: &'a [u8], base: u64, game: Game) -> Self {
        Reader { bytes, pos: 0, base, game }
    }

    /// Where the cursor stands in the file.
    pub fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// Where the cursor stands in the slice it was made of.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Moves to `pos` in the slice; an error when that is outside.
    pub fn seek(&mut self, pos: u64) -> Result<()> {
        match usize::try_from(pos) {
            Ok(pos) if pos <= self.bytes.len() => {
                self.pos = pos;
                Ok(())
            }
            _ => Err(Error::say(format!("points to {pos:#x}, the data end at {:#x}", self.bytes.len())).at(self.offset())),
        }
    }

    /// Bytes not read yet.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// True at the end.
    pub fn is_empty(&self) -> bool {
        self.left() == 0
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        match self.bytes.get(self.pos..).and_then(|rest| rest.get(..n)) {
            Some(taken) => {
                self.pos += n;
                Ok(taken)
            }
            None => Err(Error::short(self.offset(), n as u64, self.left() as u64)),
        }
    }

    /// The next `n` items of `each` bytes, counted in 64 bits so that a wild count is an error and nothing is reserved for it.
    pub fn take_many(&mut self, n: u64, each: u64) -> Result<&'a [u8]> {
        let need = n.saturating_mul(each);
        match usize::try_from(need) {
            Ok(size) if size <= self.left() => self.take(size),
            _ => Err(Error::short(self.offset(), need, self.left() as u64)),
        }
    }

    /// Everything that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        self.pos = self.bytes.len();
        rest
    }

    /// The next bytes without moving; fewer than `n` at the end.
    pub fn peek(&self, n: usize) -> &'a [u8] {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        rest.get(..n).unwrap_or(rest)
    }

    /// One value of a fixed size.
    pub fn get<T: Plain>(&mut self) -> Result<T> {
        Ok(T::get(self.take(T::SIZE)?))
    }

    /// One value of a fixed size; errors name it.
    pub fn field<T: Plain>(&mut self, name: &str) -> Result<T> {
        self.get().map_err(|e| e.within(name))
    }

    /// A u32.
    pub fn u32(&mut self) -> Result<u32> {
        self.get()
    }

    /// A thing of known layout; errors name it.
    pub fn part<T: Wire>(&mut self, name: &str) -> Result<T> {
        T::read(self).map_err(|e| e.within(name))
    }

    /// `n` things of known layout in a row. Grows as it reads, so a wild count cannot reserve memory.
    pub fn list<T: Wire>(&mut self, n: usize, name: &str) -> Result<Vec<T>> {
        let mut out = Vec::with_capacity(n.min(self.left() / size_of::<T>().max(1) + 1));
        for i in 0..n {
            out.push(T::read(self).map_err(|e| e.within(format!("[{i}]")).within(name))?);
        }
        Ok(out)
    }

    /// `n` plain values in a row, at the speed of a memory copy.
    pub fn plains<T: Plain>(&mut self, n: u64, name: &str) -> Result<Vec<T>> {
        let bytes = self.take_many(n, T::SIZE as u64).map_err(|e| e.within(name))?;
        Ok(bytes.chunks_exact(T::SIZE.max(1)).map(T::get).collect())
    }

    /// [`Reader::plains`] where there are usually not more than `N`: those need no memory of their own.
    pub fn few<T: Plain, const N: usize>(&mut self, n: u64, name: &str) -> Result<SmallVec<[T; N]>>
    where
        [T; N]: smallvec::Array<Item = T>,
    {
        let bytes = self.take_many(n, T::SIZE as u64).map_err(|e| e.within(name))?;
        Ok(bytes.chunks_exact(T::SIZE.max(1)).map(T::get).collect())
    }

    /// An error at the cursor.
    #[cold]
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::say(message).at(self.offset())
    }
}

/// Collects a file's bytes.
pub struct Writer {
    /// What was written so far.
    pub bytes: Vec<u8>,
    /// The game whose layout is written.
    pub game: Game,
}

impl Writer {
    /// An empty writer.
    pub fn new(game: Game) -> Self {
        Writer { bytes: Vec::new(), game }
    }

    /// An empty writer with room for `size` bytes.
    pub fn with_capacity(game: Game, size: usize) -> Self {
        Writer { bytes: Vec::with_capacity(size), game }
    }

    /// Bytes written so far: the offset of what comes next.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// True when nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Raw bytes.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// One value of a fixed size.
    pub fn put<T: Plain>(&mut self, value: &T) {
        let at = self.bytes.len();
        self.bytes.resize(at + T::SIZE, 0);
        if let Some(slot) = self.bytes.get_mut(at..) {
            value.put(slot);
        }
    }

    /// A u32.
    pub fn u32(&mut self, value: u32) {
        self.raw(&value.to_le_bytes());
    }

    /// Things of known layout in a row.
    pub fn list<T: Wire>(&mut self, list: &[T], name: &str) -> Result<()> {
        for (i, item) in list.iter().enumerate() {
            item.write(self).map_err(|e| e.within(format!("[{i}]")).within(name))?;
        }
        Ok(())
    }

    /// Plain values in a row.
    pub fn plains<T: Plain>(&mut self, list: &[T]) {
        let at = self.bytes.len();
        self.bytes.resize(at + T::SIZE * list.len(), 0);
        let slots = self.bytes.get_mut(at..).unwrap_or_default().chunks_exact_mut(T::SIZE.max(1));
        for (value, slot) in list.iter().zip(slots) {
            value.put(slot);
        }
    }

    /// The position of what comes next as a 32-bit offset; an error above 4 GiB.
    pub fn offset(&self) -> Result<u32> {
        fit(self.bytes.len(), "an offset")
    }
}

/// A thing of known layout: read and write are always written together.
pub trait Wire: Sized {
    /// Reads one from the cursor. Fails on framing only.
    fn read(r: &mut Reader<'_>) -> Result<Self>;
    /// Appends the bytes that `read` reads.
    fn write(&self, w: &mut Writer) -> Result<()>;
}

/// Counts and sizes that must fit a field: a list too long for its count field is an error, not a wrap.
///
/// ```
/// assert_eq!(refit::wire::fit::<u8>(255, "a count").ok(), Some(255u8));
/// assert!(refit::wire::fit::<u8>(256, "a count").is_err());
/// ```
pub fn fit<T: TryFrom<usize>>(n: usize, what: &str) -> Result<T> {
    T::try_from(n).map_err(|_| Error::say(format!("{what} is {n}, more than its {}-byte field can hold", size_of::<T>())))
}

impl Wire for F32 {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        r.get()
    }
    fn write(&self, w: &mut Writer) -> Result<()> {
        w.put(self);
        Ok(())
    }
}
