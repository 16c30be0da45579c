//! The cursor over a file's bytes and the writer that mirrors it.

use super::{Error, F32, Notation, Plain, Result, Role, Trace};
use crate::game::Game;
use crate::wire::Within;
use smallvec::SmallVec;
use std::fmt::Display;

/// A cursor over bytes. Offsets in errors are offsets in the file, even if the cursor only sees a
/// part.
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
    /// A cursor over the start of a file.
    pub fn new(bytes: &'a [u8], game: Game) -> Self {
        Reader {
            bytes,
            pos: 0,
            base: 0,
            trace: None,
            game,
        }
    }

    /// A cursor over a part of a file that starts at offset `base`.
    pub fn based(bytes: &'a [u8], base: u64, game: Game) -> Self {
        Reader {
            bytes,
            pos: 0,
            base,
            trace: None,
            game,
        }
    }

    /// The same cursor with a trace, which receives everything that is read by name.
    pub fn traced(mut self, trace: Option<&'a dyn Trace>) -> Self {
        self.trace = trace;
        self
    }

    /// The trace, if there is one.
    pub fn trace(&self) -> Option<&'a dyn Trace> {
        self.trace
    }

    /// A cursor over `bytes`, taken from this cursor and starting at offset `base` of the file.
    pub fn inner<'b>(&self, bytes: &'b [u8], base: u64) -> Reader<'b>
    where
        'a: 'b,
    {
        Reader {
            bytes,
            pos: 0,
            base,
            trace: self.trace,
            game: self.game,
        }
    }

    /// Reads a part of the file. Its name becomes a step of the path in errors and in `explain`.
    pub fn within<T>(
        &mut self,
        step: &str,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
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
    pub fn item<T>(
        &mut self,
        index: usize,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if let Some(trace) = self.trace {
            trace.enter(&format!("[{index}]"));
        }
        let done = read(self);
        if let Some(trace) = self.trace {
            trace.leave();
        }
        done.map_err(|e| e.within(format!("[{index}]")))
    }

    /// A step of the path in `explain` only, for readers whose errors state the place in another
    /// way.
    pub fn note_within<T>(&mut self, step: impl Display, read: impl FnOnce(&mut Self) -> T) -> T {
        let Some(trace) = self.trace else {
            return read(self);
        };
        trace.enter(&step.to_string());
        let done = read(self);
        trace.leave();
        done
    }

    /// Reads what the tree stores in the document `name`.
    pub fn document<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.within(&format!("{name} › "), read)
    }

    /// Traces the last `size` bytes read.
    #[inline]
    pub fn note(&self, size: usize, name: &str, kind: Notation, role: Role) {
        if let Some(trace) = self.trace {
            self.note_to(trace, size as u64, name, kind, role);
        }
    }

    #[cold]
    fn note_to(&self, trace: &dyn Trace, size: u64, name: &str, kind: Notation, role: Role) {
        trace.note(self.offset().saturating_sub(size), size, name, kind, role);
    }

    /// The next `n` bytes, traced under `name`. `n` is a u64, so that a bogus count is an error.
    pub fn bytes(&mut self, n: u64, name: &str, kind: Notation, role: Role) -> Result<&'a [u8]> {
        let taken = self.take_many(n, 1).map_err(|e| e.within(name))?;
        self.note(taken.len(), name, kind, role);
        Ok(taken)
    }

    /// A text up to the zero byte that ends it.
    pub fn c_text(&mut self, name: &str, role: Role) -> Result<&'a [u8]> {
        let end = memchr::memchr(0, self.peek(self.left()));
        let Some(end) = end else {
            return Err(self
                .error("the text is not terminated: the file ends before a zero byte")
                .within(name));
        };
        let text = self.take(end)?;
        self.take(1)?;
        self.note(end + 1, name, Notation::Text, role);
        Ok(text)
    }

    /// A value of fixed size that is not a field of the tree: a count, an offset, a constant.
    #[inline]
    pub fn hidden<T: Plain>(&mut self, name: &str, role: Role) -> Result<T> {
        let value = self.get().map_err(|e| e.within(name))?;
        self.note(T::SIZE, name, T::KIND, role);
        Ok(value)
    }

    /// The cursor's offset in the file.
    pub fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// The cursor's position in its slice.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Moves to `pos` in the slice; an error if that is outside.
    pub fn seek(&mut self, pos: u64) -> Result<()> {
        match usize::try_from(pos) {
            Ok(pos) if pos <= self.bytes.len() => {
                self.pos = pos;
                Ok(())
            }
            _ => Err(Error::say(format!(
                "points to {pos:#x}, but the data end at {:#x}",
                self.bytes.len()
            ))
            .at(self.offset())),
        }
    }

    /// Number of bytes not read yet.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// True at the end of the slice.
    pub fn is_empty(&self) -> bool {
        self.left() == 0
    }

    /// The next `n` bytes.
    #[inline]
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        match self.bytes.get(self.pos..).and_then(|rest| rest.get(..n)) {
            Some(taken) => {
                self.pos += n;
                Ok(taken)
            }
            None => Err(Error::short(self.offset(), n as u64, self.left() as u64)),
        }
    }

    /// The next `n` items of `each` bytes. Counts in 64 bits, so that a bogus count is an error and
    /// reserves no memory.
    pub fn take_many(&mut self, n: u64, each: u64) -> Result<&'a [u8]> {
        let need = n.saturating_mul(each);
        match usize::try_from(need) {
            Ok(size) if size <= self.left() => self.take(size),
            _ => Err(Error::short(self.offset(), need, self.left() as u64)),
        }
    }

    /// A structure of consecutive fields, each traced by its name.
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

    /// All remaining bytes.
    pub fn rest(&mut self) -> &'a [u8] {
        let rest = self.bytes.within(self.pos..);
        self.pos = self.bytes.len();
        rest
    }

    /// All remaining bytes, traced under `name`.
    pub fn rest_as(&mut self, name: &str, role: Role) -> &'a [u8] {
        let rest = self.rest();
        self.note(rest.len(), name, Notation::Bytes, role);
        rest
    }

    /// The next `n` bytes without moving; fewer at the end.
    pub fn peek(&self, n: usize) -> &'a [u8] {
        let rest = self.bytes.within(self.pos..);
        rest.get(..n).unwrap_or(rest)
    }

    /// A value of fixed size.
    #[inline]
    pub fn get<T: Plain>(&mut self) -> Result<T> {
        Ok(T::get(self.take(T::SIZE)?))
    }

    /// A value of fixed size, named in errors.
    pub fn field<T: Plain>(&mut self, name: &str) -> Result<T> {
        self.hidden(name, Role::Value)
    }

    /// A u32.
    pub fn u32(&mut self) -> Result<u32> {
        self.get()
    }

    /// A value with an [`Encode`] layout, named in errors.
    pub fn part<T: Encode>(&mut self, name: &str) -> Result<T> {
        self.within(name, T::read)
    }

    /// `n` values with an [`Encode`] layout. The list grows as it is read, so a bogus count cannot
    /// reserve memory.
    pub fn list<T: Encode>(&mut self, n: usize, name: &str) -> Result<Vec<T>> {
        self.within(name, |r| {
            let mut out = Vec::with_capacity(n.min(r.left() / size_of::<T>().max(1) + 1));
            for i in 0..n {
                out.push(r.item(i, T::read)?);
            }
            Ok(out)
        })
    }

    /// `n` consecutive plain values, as fast as a memory copy.
    pub fn plains<T: Plain>(&mut self, n: u64, name: &str) -> Result<Vec<T>> {
        Ok(self
            .row::<T>(n, name)?
            .chunks_exact(T::SIZE.max(1))
            .map(T::get)
            .collect())
    }

    /// The bytes of `n` plain values.
    fn row<T: Plain>(&mut self, n: u64, name: &str) -> Result<&'a [u8]> {
        let bytes = self
            .take_many(n, T::SIZE as u64)
            .map_err(|e| e.within(name))?;
        self.note(
            bytes.len(),
            name,
            const { Notation::List(&T::KIND, T::SIZE) },
            Role::Value,
        );
        Ok(bytes)
    }

    /// [`Reader::plains`] for lists that rarely have more than `N` values: up to `N` need no
    /// allocation.
    pub fn few<T: Plain, const N: usize>(&mut self, n: u64, name: &str) -> Result<SmallVec<[T; N]>>
    where
        [T; N]: smallvec::Array<Item = T>,
    {
        Ok(self
            .row::<T>(n, name)?
            .chunks_exact(T::SIZE.max(1))
            .map(T::get)
            .collect())
    }

    /// An error at the cursor.
    #[cold]
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::say(message).at(self.offset())
    }
}

/// Collects a file's bytes.
pub struct Writer {
    /// The bytes written so far.
    pub bytes: Vec<u8>,
    /// The game whose layout is written.
    pub game: Game,
}

impl Writer {
    /// An empty writer.
    pub fn new(game: Game) -> Self {
        Writer {
            bytes: Vec::new(),
            game,
        }
    }

    /// An empty writer with room for `size` bytes.
    pub fn with_capacity(game: Game, size: usize) -> Self {
        Writer {
            bytes: Vec::with_capacity(size),
            game,
        }
    }

    /// Number of bytes written so far, which is the offset of the next one.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// True if nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Appends bytes.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a value of fixed size.
    pub fn put<T: Plain>(&mut self, value: &T) {
        let at = self.bytes.len();
        self.bytes.resize(at + T::SIZE, 0);
        if let Some(slot) = self.bytes.get_mut(at..) {
            value.put(slot);
        }
    }

    /// Appends a u32.
    pub fn u32(&mut self, value: u32) {
        self.raw(&value.to_le_bytes());
    }

    /// Appends values with an [`Encode`] layout.
    pub fn list<T: Encode>(&mut self, list: &[T], name: &str) -> Result<()> {
        for (i, item) in list.iter().enumerate() {
            item.write(self)
                .map_err(|e| e.within(format!("[{i}]")).within(name))?;
        }
        Ok(())
    }

    /// Appends plain values.
    pub fn plains<T: Plain>(&mut self, list: &[T]) {
        let at = self.bytes.len();
        self.bytes.resize(at + T::SIZE * list.len(), 0);
        let slots = self.bytes.within_mut(at..).chunks_exact_mut(T::SIZE.max(1));
        for (value, slot) in list.iter().zip(slots) {
            value.put(slot);
        }
    }

    /// The current position as a 32-bit offset; an error above 4 GiB.
    pub fn offset(&self) -> Result<u32> {
        fit(self.bytes.len(), "an offset")
    }
}

/// A value with a fixed layout. Reader and writer are always declared together.
pub trait Encode: Sized {
    /// Reads a value at the cursor. Fails only on wrong framing.
    fn read(r: &mut Reader<'_>) -> Result<Self>;
    /// Appends the bytes that `read` reads.
    fn write(&self, w: &mut Writer) -> Result<()>;
}

/// Converts a count or size to the type of its field. Too large a count is an error and does not
/// wrap.
///
/// ```
/// assert_eq!(refit_base::wire::fit::<u8>(255, "a count").ok(), Some(255u8));
/// assert!(refit_base::wire::fit::<u8>(256, "a count").is_err());
/// ```
pub fn fit<T: TryFrom<usize>>(n: usize, what: &str) -> Result<T> {
    T::try_from(n).map_err(|_| {
        Error::say(format!(
            "{what} is {n}, more than its {}-byte field can hold",
            size_of::<T>()
        ))
    })
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
