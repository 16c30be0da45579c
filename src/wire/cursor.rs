//! The cursor over a file's bytes and the writer that mirrors it.

use super::{Error, F32, Notation, Plain, Result, Role, Trace};
use crate::game::Game;
use smallvec::SmallVec;

/// A cursor over bytes. Offsets in errors are offsets in the file, also in a part of it.
#[derive(Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    pos: usize,
    base: u64,
    trace: Option<&'a dyn Trace>,
    /// The game whose layout is read.
    pub game: Game,
}

impl<'a> Reader<'a> {
    /// A cursor at the start of `bytes`, which stand at the start of their file.
    pub fn new(bytes: &'a [u8], game: Game) -> Self {
        Reader { bytes, pos: 0, base: 0, trace: None, game }
    }

    /// A cursor over a part of a file that begins at `base` in it.
    pub fn based(bytes: &'a [u8], base: u64, game: Game) -> Self {
        Reader { bytes, pos: 0, base, trace: None, game }
    }

    /// The same, taking note of everything that is read by name.
    pub fn traced(mut self, trace: Option<&'a dyn Trace>) -> Self {
        self.trace = trace;
        self
    }

    /// What takes note, where something does.
    pub fn trace(&self) -> Option<&'a dyn Trace> {
        self.trace
    }

    /// A cursor over `bytes`, which were taken from this one and begin at `base` in the file.
    pub fn inner<'b>(&self, bytes: &'b [u8], base: u64) -> Reader<'b>
    where
        'a: 'b,
    {
        Reader { bytes, pos: 0, base, trace: self.trace, game: self.game }
    }

    /// Reads a part of the file: its name is a step of the path in errors and in `explain`.
    pub fn within<T>(&mut self, step: &str, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if let Some(trace) = self.trace {
            trace.enter(step);
        }
        let done = read(self);
        if let Some(trace) = self.trace {
            trace.leave();
        }
        done.map_err(|e| e.within(step))
    }

    /// [`Reader::within`] for an item of a list.
    pub fn item<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if let Some(trace) = self.trace {
            trace.enter(&format!("[{index}]"));
        }
        let done = read(self);
        if let Some(trace) = self.trace {
            trace.leave();
        }
        done.map_err(|e| e.within(format!("[{index}]")))
    }

    /// A step of the path in `explain` alone: where errors say the place in another way.
    pub fn note_within<T>(&mut self, step: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let Some(trace) = self.trace else { return read(self) };
        trace.enter(step);
        let done = read(self);
        trace.leave();
        done
    }

    /// A document of the tree: what is read stands in it.
    pub fn document<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.within(&format!("{name} › "), read)
    }

    /// Takes note of the last `size` bytes that were taken.
    pub fn note(&self, size: usize, name: &str, kind: Notation, role: Role) {
        if let Some(trace) = self.trace {
            trace.note(self.offset().saturating_sub(size as u64), size as u64, name, kind, role);
        }
    }

    /// The next `n` bytes under a name: counted in 64 bits, so that a wild count is an error.
    pub fn bytes(&mut self, n: u64, name: &str, kind: Notation, role: Role) -> Result<&'a [u8]> {
        let taken = self.take_many(n, 1).map_err(|e| e.within(name))?;
        self.note(taken.len(), name, kind, role);
        Ok(taken)
    }

    /// A text up to the zero byte that ends it.
    pub fn c_text(&mut self, name: &str, role: Role) -> Result<&'a [u8]> {
        let end = memchr::memchr(0, self.peek(self.left()));
        let Some(end) = end else {
            return Err(self.error("the text has no end: the file ends before a zero byte").within(name));
        };
        let text = self.take(end)?;
        self.take(1)?;
        self.note(end + 1, name, Notation::Text, role);
        Ok(text)
    }

    /// One value of a fixed size that is no property of the tree: a count, an offset, a constant.
    pub fn hidden<T: Plain>(&mut self, name: &str, role: Role) -> Result<T> {
        let value = self.get().map_err(|e| e.within(name))?;
        self.note(T::SIZE, name, T::KIND, role);
        Ok(value)
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

    /// A structure whose fields stand one after the other, each noted by its name.
    pub fn plain<T: Plain>(&mut self) -> Result<T> {
        let (mut at, value) = (self.offset(), self.get()?);
        if let (Some(trace), Notation::Fields(fields)) = (self.trace, T::KIND) {
            for (name, size, kind) in fields {
                trace.note(at, *size as u64, name, *kind, Role::Value);
                at += *size as u64;
            }
        }
        Ok(value)
    }

    /// Everything that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        self.pos = self.bytes.len();
        rest
    }

    /// Everything that is left, under a name.
    pub fn rest_as(&mut self, name: &str, role: Role) -> &'a [u8] {
        let rest = self.rest();
        self.note(rest.len(), name, Notation::Bytes, role);
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
        self.hidden(name, Role::Value)
    }

    /// A u32.
    pub fn u32(&mut self) -> Result<u32> {
        self.get()
    }

    /// A thing of known layout; errors name it.
    pub fn part<T: Encode>(&mut self, name: &str) -> Result<T> {
        self.within(name, T::read)
    }

    /// `n` things of known layout in a row. Grows as it reads, so a wild count cannot reserve memory.
    pub fn list<T: Encode>(&mut self, n: usize, name: &str) -> Result<Vec<T>> {
        self.within(name, |r| {
            let mut out = Vec::with_capacity(n.min(r.left() / size_of::<T>().max(1) + 1));
            for i in 0..n {
                out.push(r.item(i, T::read)?);
            }
            Ok(out)
        })
    }

    /// `n` plain values in a row, at the speed of a memory copy.
    pub fn plains<T: Plain>(&mut self, n: u64, name: &str) -> Result<Vec<T>> {
        Ok(self.row::<T>(n, name)?.chunks_exact(T::SIZE.max(1)).map(T::get).collect())
    }

    /// The bytes of `n` plain values.
    fn row<T: Plain>(&mut self, n: u64, name: &str) -> Result<&'a [u8]> {
        let bytes = self.take_many(n, T::SIZE as u64).map_err(|e| e.within(name))?;
        self.note(bytes.len(), name, const { Notation::List(&T::KIND, T::SIZE) }, Role::Value);
        Ok(bytes)
    }

    /// [`Reader::plains`] where there are usually not more than `N`: those need no memory of their own.
    pub fn few<T: Plain, const N: usize>(&mut self, n: u64, name: &str) -> Result<SmallVec<[T; N]>>
    where
        [T; N]: smallvec::Array<Item = T>,
    {
        Ok(self.row::<T>(n, name)?.chunks_exact(T::SIZE.max(1)).map(T::get).collect())
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
    pub fn list<T: Encode>(&mut self, list: &[T], name: &str) -> Result<()> {
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
pub trait Encode: Sized {
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

impl Encode for F32 {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        r.get()
    }
    fn write(&self, w: &mut Writer) -> Result<()> {
        w.put(self);
        Ok(())
    }
}
