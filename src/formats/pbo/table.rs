//! The files of an archive: its entry table as it is stored, of which entries are read when they are asked for.
//!
//! Archives can have hundreds of thousands of entries of a few bytes. A record, a name and a content for each would be many times the
//! archive; its table is as large as it is, and of one on disk hardly anything is in memory.

use super::{Entry, Label, layout};
use crate::{
    formats::support::Faults,
    game::Game,
    tree::Blob,
    wire::{Error, Reader, Result},
};
use rayon::prelude::*;
use std::{fmt, sync::Arc};

/// The files of an archive, in order.
#[derive(Clone, Debug)]
pub struct Entries(Storage);

#[derive(Clone, Debug)]
enum Storage {
    Listed(Vec<Entry>),
    Table(Arc<Table>),
}

/// Entries that are read together. Where each group begins is remembered, nothing else of them.
pub(super) const GROUP: usize = 128;

/// An entry table and its data.
#[derive(Debug)]
struct Table {
    /// The entries alone.
    rows: Rows,
    /// Where each group of entries begins: in the table, and its data in the data block.
    groups: Vec<(u64, u64)>,
    count: usize,
    /// Bytes of all data together.
    size: u64,
    data: Data,
    faults: Faults,
}

/// The entries of a table, as they are stored.
#[derive(Debug)]
enum Rows {
    /// In one piece.
    Stored(Blob),
    /// Group by group.
    Made(Vec<Box<[u8]>>),
}

/// Gives the content of the file at a position, of a name and a size.
pub(super) type Find = Box<dyn Fn(usize, &Label, u32) -> Result<Blob> + Send + Sync>;

enum Data {
    /// One after the other.
    Block(Blob),
    Each(Find),
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Data::Block(_) => "Block",
            Data::Each(_) => "Each",
        })
    }
}

/// Makes a table of entries, one by one.
#[derive(Default)]
pub(super) struct Builder {
    /// The groups that are full. Each stands alone: a list of all bytes would be moved again and again while it grows.
    full: Vec<Box<[u8]>>,
    /// The group that is not full.
    last: Vec<u8>,
    groups: Groups,
}

/// Notes where groups of entries begin.
#[derive(Default)]
pub(super) struct Groups {
    starts: Vec<(u64, u64)>,
    pub count: usize,
    /// Bytes of data so far.
    pub data: u64,
}

impl Groups {
    /// An entry begins at `at` of the table, and has `size` bytes of data.
    pub fn entry(&mut self, at: u64, size: u32) {
        if self.count.is_multiple_of(GROUP) {
            self.starts.push((at, self.data));
        }
        self.count += 1;
        self.data += u64::from(size);
    }
}

/// Adds an entry to a table as archives have it.
pub(super) fn put_entry(out: &mut Vec<u8>, name: &Label, numbers: [u32; 5]) -> Result<()> {
    if name.0.is_empty() {
        return Err(Error::say("the name is empty, which would end the entry table"));
    }
    name.check("the name")?;
    out.extend(&name.0);
    out.push(0);
    numbers.iter().for_each(|n| out.extend(n.to_le_bytes()));
    Ok(())
}

/// A size as it stands in the table.
pub(super) fn size_of(data: u64) -> Result<u32> {
    u32::try_from(data).map_err(|_| Error::say(format!("the file has {data} bytes; an archive holds files of up to 4 GiB")))
}

impl Builder {
    /// Adds an entry. Its data are found later, by [`Find`].
    pub fn push(&mut self, entry: &Entry) -> Result<()> {
        let step = |e: Error| e.within(format!("[{}]", self.groups.count)).within("entries");
        let size = size_of(entry.data.len()).map_err(step)?;
        if self.groups.count.is_multiple_of(GROUP) && self.groups.count > 0 {
            self.full.push(self.last.as_slice().into());
            self.last.clear();
        }
        put_entry(&mut self.last, &entry.name, [entry.method, entry.original, entry.reserved, entry.time, size]).map_err(step)?;
        // Where it begins is said by its group.
        self.groups.entry(0, size);
        Ok(())
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.groups.count
    }

    /// The entries.
    pub fn finish(mut self, find: Find) -> Entries {
        self.full.push(self.last.into());
        Entries::table(Rows::Made(self.full), self.groups, Data::Each(find))
    }
}

impl Entries {
    /// Of a list.
    pub(super) fn listed(entries: Vec<Entry>) -> Self {
        Entries(Storage::Listed(entries))
    }

    /// Of a table and the data block behind it.
    pub(super) fn stored(bytes: Blob, groups: Groups, data: Blob) -> Self {
        Self::table(Rows::Stored(bytes), groups, Data::Block(data))
    }

    fn table(rows: Rows, groups: Groups, data: Data) -> Self {
        let Groups { mut starts, count, data: size } = groups;
        starts.shrink_to_fit();
        Entries(Storage::Table(Arc::new(Table { rows, groups: starts, count, size, data, faults: Faults::default() })))
    }

    /// How many.
    pub fn len(&self) -> usize {
        match &self.0 {
            Storage::Listed(entries) => entries.len(),
            Storage::Table(table) => table.count,
        }
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all files together.
    pub(super) fn data_len(&self) -> u64 {
        match &self.0 {
            Storage::Listed(entries) => entries.iter().map(|entry| entry.data.len()).sum(),
            Storage::Table(table) => table.size,
        }
    }

    /// The entry at a position. Fails where the archive is on disk and cannot be read.
    pub fn get(&self, index: usize) -> Result<Option<Entry>> {
        match &self.0 {
            Storage::Listed(entries) => Ok(entries.get(index).cloned()),
            Storage::Table(table) => {
                let mut found = None;
                table.group(index / GROUP, &mut |i, name, numbers, at| {
                    if i == index {
                        found = Some(table.entry(i, name, numbers, at)?);
                    }
                    Ok(i < index)
                })?;
                Ok(found)
            }
        }
    }

    /// The entry at a position, and others beside it: the position of the first one, and all of them.
    pub(super) fn together_with(&self, index: usize) -> Result<(usize, Vec<Entry>)> {
        Ok((index / GROUP * GROUP, self.group(index / GROUP)?))
    }

    /// All entries in order, each an error where the archive is on disk and cannot be read.
    pub fn iter(&self) -> impl Iterator<Item = Result<Entry>> + '_ {
        (0..self.len().div_ceil(GROUP)).flat_map(|group| {
            let (entries, error) = match self.group(group) {
                Ok(entries) => (entries, None),
                Err(e) => (Vec::new(), Some(Err(e))),
            };
            entries.into_iter().map(Ok).chain(error)
        })
    }

    /// The entries in order, up to the first that cannot be read: that is a [`Entries::fault`].
    pub(super) fn readable(&self) -> impl Iterator<Item = Entry> + '_ {
        self.iter().map_while(|entry| self.or_fault(entry))
    }

    /// What is not there is a [`Entries::fault`].
    pub(super) fn or_fault<T>(&self, result: Result<T>) -> Option<T> {
        match &self.0 {
            Storage::Table(table) => table.faults.or_note(result),
            Storage::Listed(_) => result.ok(),
        }
    }

    /// Takes out why not all entries were seen by those who do not stop at an error.
    pub(super) fn fault(&self) -> Option<Error> {
        match &self.0 {
            Storage::Table(table) => table.faults.take(),
            Storage::Listed(_) => None,
        }
    }

    /// Does something with every entry, in no order, and gives the results in order where they are kept.
    pub(super) fn par_each<T: Send>(&self, work: impl Fn(usize, Entry) -> Result<Option<T>> + Send + Sync) -> Result<Vec<T>> {
        let groups = (0..self.len().div_ceil(GROUP)).into_par_iter();
        let done = groups.map(|group| {
            let entries = self.group(group)?.into_iter().enumerate();
            entries.filter_map(|(i, entry)| work(group * GROUP + i, entry).transpose()).collect::<Result<Vec<T>>>()
        });
        let done: Vec<Vec<T>> = done.filter(|done| !matches!(done, Ok(done) if done.is_empty())).collect::<Result<_>>()?;
        Ok(done.into_iter().flatten().collect())
    }

    /// The entries as a list, to be edited.
    pub(super) fn edit(&mut self) -> Result<&mut Vec<Entry>> {
        if let Storage::Table(_) = &self.0 {
            self.0 = Storage::Listed(self.iter().collect::<Result<_>>()?);
        }
        match &mut self.0 {
            Storage::Listed(entries) => Ok(entries),
            Storage::Table(_) => Err(Error::say("internal error: the entries are no list")),
        }
    }

    /// Hands out the entry table, in pieces.
    pub(super) fn put(&self, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let entries = match &self.0 {
            Storage::Table(table) => {
                return match &table.rows {
                    Rows::Stored(bytes) => bytes.each(put),
                    Rows::Made(groups) => groups.iter().try_for_each(|group| put(group)),
                };
            }
            Storage::Listed(entries) => entries,
        };
        let mut out = Vec::with_capacity(entries.iter().map(|e| e.name.0.len() + 21).sum::<usize>());
        for (i, entry) in entries.iter().enumerate() {
            let step = |e: Error| e.within(format!("[{i}]")).within("entries");
            let size = size_of(entry.data.len());
            let size = if entry.name.0.is_empty() { Ok(size.unwrap_or_default()) } else { size };
            let size = size.map_err(step)?;
            put_entry(&mut out, &entry.name, [entry.method, entry.original, entry.reserved, entry.time, size]).map_err(step)?;
        }
        put(&out)
    }

    /// Hands out the data block, in pieces.
    pub(super) fn put_data(&self, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if let Storage::Table(table) = &self.0
            && let Data::Block(block) = &table.data
        {
            return block.each(put);
        }
        for entry in self.iter() {
            let entry = entry?;
            let mut len = 0;
            entry.data.each(&mut |chunk| {
                len += chunk.len() as u64;
                put(chunk)
            })?;
            if len != entry.data.len() {
                return Err(Error::say("the file changed while it was read").within(entry.name.show()));
            }
        }
        Ok(())
    }

    fn group(&self, group: usize) -> Result<Vec<Entry>> {
        let from = group * GROUP;
        match &self.0 {
            Storage::Listed(entries) => Ok(entries.iter().skip(from).take(GROUP).cloned().collect()),
            Storage::Table(table) => {
                let mut out = Vec::with_capacity(GROUP);
                table.group(group, &mut |i, name, numbers, at| {
                    out.push(table.entry(i, name, numbers, at)?);
                    Ok(true)
                })?;
                Ok(out)
            }
        }
    }
}

/// Sees an entry: its position, its name, its numbers and where its data begin. False ends it.
type See<'a> = &'a mut dyn FnMut(usize, &[u8], [u32; 5], u64) -> Result<bool>;

impl Table {
    fn group(&self, group: usize, see: See<'_>) -> Result<()> {
        let Some(&(from, mut at)) = self.groups.get(group) else { return Ok(()) };
        let stored;
        let bytes: &[u8] = match &self.rows {
            Rows::Stored(bytes) => {
                let to = self.groups.get(group + 1).map_or(bytes.len(), |(to, _)| *to);
                stored = bytes.slice(from, to - from)?.bytes()?;
                &stored
            }
            Rows::Made(groups) => groups.get(group).map(|group| &**group).unwrap_or_default(),
        };
        let mut reader = Reader::new(bytes, Game::Cs);
        for i in (group * GROUP..self.count).take(GROUP) {
            let (name, numbers) = layout::entry(&mut reader)?;
            if !see(i, name, numbers, at)? {
                break;
            }
            let [.., size] = numbers;
            at += u64::from(size);
        }
        Ok(())
    }

    fn entry(&self, index: usize, name: &[u8], numbers: [u32; 5], at: u64) -> Result<Entry> {
        let [method, original, reserved, time, size] = numbers;
        let name = Label(name.to_vec());
        let data = match &self.data {
            Data::Block(block) => block.slice(at, size.into())?,
            Data::Each(find) => find(index, &name, size)?,
        };
        if data.len() != u64::from(size) {
            return Err(Error::say("the file changed while it was read").within(name.show()));
        }
        Ok(Entry { name, method, original, reserved, time, data })
    }
}
