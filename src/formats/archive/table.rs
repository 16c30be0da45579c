//! What an archive holds: its members as its table has them, its data as the file has them, and the paths of both in a tree.
//!
//! Archives can have hundreds of thousands of members of a few bytes. A record, a content and a path for each would be many times the
//! archive; so members are read out of their table when they are asked for, and what a rule gives is not remembered.

use super::{ENTRY, Extent, FilePart, MemberLine};
use crate::{
    formats::support::{Faults, layout::Plan},
    game::Game,
    tree::{Blob, UniquePaths},
    wire::{Error, FileTime, Hex, Record, Result, Text, fit},
};
use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{collections::BTreeMap, sync::Arc};

/// The members, in the order of the table. A clone is the same one.
#[derive(Clone, Debug)]
pub(super) enum StoredMembers {
    /// As they stand in a file.
    Table {
        /// The table.
        rows: Blob,
        /// Where each member lies; nothing where each is the piece of its own number.
        places: Arc<[(u32, Option<FilePart>)]>,
        faults: Faults,
    },
    /// One by one.
    Packed(Arc<Packed>),
}

/// The entry of this number in a table.
pub(super) fn entry(table: &[u8], index: usize) -> Option<MemberLine> {
    let at = index.checked_mul(ENTRY as usize)?;
    Some(MemberLine::load(table.get(at..)?.get(..ENTRY as usize)?, Game::Mw, &Extent::default()))
}

/// Entries of a table on disk that are read together.
const WINDOW: u64 = 256;

/// The entries of a table, some at a time: the number of the first, and their bytes.
pub(super) fn windows(table: &Blob) -> impl Iterator<Item = Result<(usize, Bytes)>> {
    let windows = table.len().div_ceil(ENTRY * WINDOW);
    (0..windows).map(move |i| Ok(((i * WINDOW) as usize, table.slice(i * WINDOW * ENTRY, WINDOW * ENTRY)?.bytes()?)))
}

/// The entries of a table.
pub(super) fn entries(table: &Blob) -> impl Iterator<Item = Result<MemberLine>> {
    windows(table).flat_map(|window| {
        let (entries, error) = match window {
            Ok((_, bytes)) => ((0..bytes.len() / ENTRY as usize).filter_map(|i| entry(&bytes, i)).collect(), None),
            Err(error) => (Vec::new(), Some(Err(error))),
        };
        entries.into_iter().map(Ok).chain(error)
    })
}

/// Tables up to this size are read whole: that is faster than a system call for each entry.
const SMALL_TABLE: u64 = 1 << 20;

impl StoredMembers {
    /// Of a table whose parts lie as `plan` says; `None`: each is the piece of its own number.
    pub fn stored(rows: &Blob, plan: Option<&Plan>, lens: impl Iterator<Item = u64>, faults: Faults) -> Result<Self> {
        let rows = if rows.len() <= SMALL_TABLE { rows.bytes()?.into() } else { rows.clone() };
        let mut places = Vec::with_capacity(plan.map_or(0, |plan| plan.places.len()));
        for (place, len) in plan.into_iter().flat_map(|plan| &plan.places).zip(lens) {
            let part = match place.offset {
                Some(offset) => Some(FilePart { offset: fit(offset as usize, "an offset")?, length: fit(len as usize, "a length")? }),
                None => None,
            };
            places.push((fit(place.piece, "a piece")?, part));
        }
        Ok(StoredMembers::Table { rows, places: places.into(), faults })
    }

    /// How many.
    pub fn len(&self) -> usize {
        match self {
            StoredMembers::Table { rows, .. } => (rows.len() / ENTRY) as usize,
            StoredMembers::Packed(packed) => packed.count,
        }
    }

    /// The member of this number.
    pub fn get(&self, index: usize) -> Option<MemberLine> {
        match self {
            StoredMembers::Table { rows, places, faults } => {
                let row = || rows.slice(index as u64 * ENTRY, ENTRY)?.bytes();
                let row = if index < self.len() { faults.or_note(row())? } else { return None };
                Some(placed(entry(&row, 0)?, index, places))
            }
            StoredMembers::Packed(packed) => packed.of_group(index).nth(index % GROUP),
        }
    }

    /// All of them.
    pub fn iter(&self) -> Box<dyn Iterator<Item = MemberLine> + '_> {
        match self {
            StoredMembers::Table { rows, places, faults } => {
                let entries = entries(rows).map_while(|entry| faults.or_note(entry));
                Box::new(entries.enumerate().map(|(i, entry)| placed(entry, i, places)))
            }
            StoredMembers::Packed(packed) => Box::new(packed.of_group(0)),
        }
    }
}

/// A member of a table beside where it lies.
fn placed(mut entry: MemberLine, index: usize, places: &[(u32, Option<FilePart>)]) -> MemberLine {
    (entry.piece, entry.part) = places.get(index).map_or((index, None), |(piece, part)| (*piece as usize, *part));
    entry
}

/// Members that say no more than they must: most have a short name and nothing else.
#[derive(Default, Debug)]
pub(super) struct Packed {
    /// The groups that are full. Each stands alone: a list of all bytes would be moved again and again while it grows.
    groups: Vec<Box<[u8]>>,
    /// The group that is not full.
    last: Vec<u8>,
    count: usize,
}

/// Packed members that are looked through for one of them.
const GROUP: usize = 64;

/// What a packed member has.
mod has {
    pub const FLAGS: u8 = 1;
    pub const COMMENT: u8 = 2;
    /// The comment is the name.
    pub const SAME: u8 = 4;
    pub const TIME: u8 = 8;
    /// A piece of another number than its own.
    pub const PIECE: u8 = 16;
    pub const PART: u8 = 32;
}

/// The length of a text that is stored as the whole field.
const WHOLE: u8 = u8::MAX;

impl Packed {
    /// Adds a member.
    pub fn push(&mut self, slot: &MemberLine) {
        let index = self.count;
        if index.is_multiple_of(GROUP) && index > 0 {
            self.groups.push(self.last.as_slice().into());
            self.last.clear();
        }
        self.count += 1;
        let (same, blank) = (slot.comment == slot.name, slot.comment.is_blank());
        let mut mask = 0;
        for (bit, set) in [
            (has::FLAGS, slot.flags.0 != 0),
            (has::COMMENT, !same && !blank),
            (has::SAME, same),
            (has::TIME, slot.time != FileTime(0)),
            (has::PIECE, slot.piece != index),
            (has::PART, slot.part.is_some()),
        ] {
            mask |= if set { bit } else { 0 };
        }
        self.last.push(mask);
        self.put_text(&slot.name);
        if mask & has::FLAGS != 0 {
            self.last.extend(slot.flags.0.to_le_bytes());
        }
        if mask & has::COMMENT != 0 {
            self.put_text(&slot.comment);
        }
        if mask & has::TIME != 0 {
            self.last.extend(slot.time.0.to_le_bytes());
        }
        if mask & has::PIECE != 0 {
            self.last.extend((slot.piece as u64).to_le_bytes());
        }
        if let Some(FilePart { offset, length }) = slot.part {
            self.last.extend([offset, length].map(u32::to_le_bytes).as_flattened());
        }
    }

    fn put_text(&mut self, text: &Text<64>) {
        use crate::wire::Plain;
        if text.is_regular() {
            self.last.push(text.bytes().len() as u8);
            self.last.extend_from_slice(text.bytes());
        } else {
            let mut field = [0; 64];
            text.put(&mut field);
            self.last.push(WHOLE);
            self.last.extend(field);
        }
    }

    /// The members from the first of the group on that this one is in.
    fn of_group(&self, index: usize) -> impl Iterator<Item = MemberLine> + '_ {
        let first = index / GROUP;
        let groups = self.groups.iter().map(|group| &**group).chain([self.last.as_slice()]).skip(first);
        let numbers = (first * GROUP..self.count).step_by(GROUP);
        numbers.zip(groups).flat_map(|(from, mut rest)| {
            let all = from..self.count.min(from + GROUP);
            all.map_while(move |i| slot(&mut rest, i))
        })
    }
}

/// Takes a packed member from the beginning of `rest`.
fn slot(rest: &mut &[u8], index: usize) -> Option<MemberLine> {
    let [mask] = *take::<1>(rest)?;
    let name = text(rest)?;
    let has = |bit: u8| mask & bit != 0;
    let flags = if has(has::FLAGS) { Hex(u32::from_le_bytes(*take(rest)?)) } else { Hex(0) };
    let comment = match (has(has::COMMENT), has(has::SAME)) {
        (true, _) => text(rest)?,
        (false, true) => name,
        (false, false) => Text::default(),
    };
    let time = if has(has::TIME) { FileTime(u64::from_le_bytes(*take(rest)?)) } else { FileTime(0) };
    let piece = if has(has::PIECE) { u64::from_le_bytes(*take(rest)?) as usize } else { index };
    let mut word = || take(rest).copied().map(u32::from_le_bytes);
    let part = if has(has::PART) { Some(FilePart { offset: word()?, length: word()? }) } else { None };
    Some(MemberLine { name, flags, comment, time, piece, part, ..MemberLine::default() })
}

fn text(rest: &mut &[u8]) -> Option<Text<64>> {
    match *take(rest)? {
        [WHOLE] => take(rest).copied().map(Text::from_raw),
        [len] => {
            let (text, behind) = rest.split_at_checked(len.into())?;
            *rest = behind;
            Text::new(text).ok()
        }
    }
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (taken, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(taken)
}

/// The data of an archive, in pieces that follow each other.
#[derive(Clone, Default, Debug)]
pub(super) struct Pieces {
    held: Held,
    faults: Faults,
    /// Those that were replaced.
    edited: BTreeMap<usize, Bytes>,
}

#[derive(Clone, Debug)]
enum Held {
    /// The data of a file, and where each piece ends.
    Region(Blob, Arc<[u64]>),
    Blocks(Arc<Blocks>),
}

impl Default for Held {
    fn default() -> Self {
        Held::Blocks(Arc::default())
    }
}

/// Pieces that came one by one.
#[derive(Default, Debug)]
pub(super) struct Blocks {
    blocks: Vec<Bytes>,
    /// In which block each piece is, and where.
    places: Vec<(u32, u32, u32)>,
    /// Small pieces that are no block yet.
    begun: Vec<u8>,
}

/// Pieces up to this size stand together: alone, each would cost as much again.
const SMALL: usize = 128;

/// Bytes of small pieces that stand together.
const BLOCK: usize = 1 << 16;

impl Blocks {
    /// Adds a piece.
    pub fn push(&mut self, piece: Bytes) -> Result<()> {
        let len: u32 = fit(piece.len(), "a length")?;
        if piece.len() > SMALL {
            self.end_block();
            self.places.push((fit(self.blocks.len(), "the number of pieces")?, 0, len));
            self.blocks.push(piece);
            return Ok(());
        }
        if self.begun.len() + piece.len() > BLOCK {
            self.end_block();
        }
        self.places.push((fit(self.blocks.len(), "the number of pieces")?, self.begun.len() as u32, len));
        self.begun.extend_from_slice(&piece);
        Ok(())
    }

    fn end_block(&mut self) {
        // An empty block is kept as well where pieces without bytes point into it.
        let next = self.blocks.len();
        if self.places.last().is_some_and(|(block, ..)| *block as usize == next) {
            self.blocks.push(Bytes::from(std::mem::take(&mut self.begun).into_boxed_slice()));
        }
    }

    /// The pieces.
    pub fn finish(mut self) -> Pieces {
        self.end_block();
        Pieces { held: Held::Blocks(Arc::new(self)), ..Pieces::default() }
    }
}

impl Pieces {
    /// Of the data of a file, which end where the pieces do.
    pub fn region(data: Blob, ends: Vec<u64>, faults: Faults) -> Self {
        Pieces { held: Held::Region(data, ends.into()), faults, edited: BTreeMap::new() }
    }

    /// How many.
    pub fn len(&self) -> usize {
        match &self.held {
            Held::Region(_, ends) => ends.len(),
            Held::Blocks(blocks) => blocks.places.len(),
        }
    }

    /// The piece of this number.
    pub fn get(&self, index: usize) -> Option<Bytes> {
        if let Some(edited) = self.edited.get(&index) {
            return Some(edited.clone());
        }
        match &self.held {
            Held::Region(data, ends) => {
                let from = start(ends, index)?;
                let len = ends.get(index)?.checked_sub(from)?;
                self.faults.or_note(data.slice(from, len).and_then(|part| part.bytes()))
            }
            Held::Blocks(blocks) => {
                let (block, at, len) = *blocks.places.get(index)?;
                let (from, to) = (at as usize, at as usize + len as usize);
                blocks.blocks.get(block as usize).filter(|block| to <= block.len()).map(|block| block.slice(from..to))
            }
        }
    }

    /// Pieces from `first` on, at least one: no more than `most`, and none behind so many bytes. Never some of them only because one
    /// could not be read.
    pub fn some(&self, first: usize, most: usize, bytes: u64) -> Result<Vec<Bytes>> {
        let (mut out, mut sum) = (Vec::new(), 0);
        for index in (first..self.len()).take(most) {
            if sum >= bytes {
                break;
            }
            let piece = self.get(index);
            let missing = || self.fault().unwrap_or_else(|| Error::say(format!("internal error: no piece {index}")));
            let piece = piece.ok_or_else(missing)?;
            sum += piece.len() as u64;
            out.push(piece);
        }
        Ok(out)
    }

    /// Bytes of a piece; 0 where there is none.
    pub fn len_of(&self, index: usize) -> u64 {
        let stored = match (&self.held, self.edited.get(&index)) {
            (_, Some(edited)) => Some(edited.len() as u64),
            (Held::Region(_, ends), _) => start(ends, index).zip(ends.get(index)).map(|(from, to)| to.saturating_sub(from)),
            (Held::Blocks(blocks), _) => blocks.places.get(index).map(|(.., len)| u64::from(*len)),
        };
        stored.unwrap_or_default()
    }

    /// Bytes of all of them.
    pub fn data_len(&self) -> u64 {
        (0..self.len()).map(|i| self.len_of(i)).sum()
    }

    /// Hands out the bytes of all of them, in order.
    pub fn each(&self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match &self.held {
            Held::Region(data, _) if self.edited.is_empty() => data.each(take),
            _ => self.iter().try_for_each(|piece| take(&piece)),
        }
    }

    /// Takes out why not all was read that is on disk, members' entries or pieces.
    pub fn fault(&self) -> Option<Error> {
        self.faults.take()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Bytes> + '_ {
        (0..self.len()).filter_map(|i| self.get(i))
    }

    /// Replaces a piece.
    pub fn set(&mut self, index: usize, bytes: Bytes) {
        self.edited.insert(index, bytes);
    }
}

/// Where a piece begins, of those that end there.
fn start(ends: &[u64], index: usize) -> Option<u64> {
    index.checked_sub(1).map_or(Some(0), |before| ends.get(before).copied())
}

/// The paths of files, one after the other: hundreds of thousands of strings of their own would be many times as large.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Files {
    text: String,
    ends: Vec<u32>,
}

impl Files {
    /// Adds a path.
    pub fn push(&mut self, path: &str) -> Result<()> {
        self.text.push_str(path);
        self.ends.push(fit(self.text.len(), "the length of all paths")?);
        Ok(())
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The path of this number.
    pub fn get(&self, index: usize) -> Option<&str> {
        let from = index.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(from as usize..*self.ends.get(index)? as usize)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|i| self.get(i))
    }
}

impl Serialize for Files {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Files {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Paths;
        impl<'de> de::Visitor<'de> for Paths {
            type Value = Files;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of paths")
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut paths: A) -> Result<Files, A::Error> {
                let mut files = Files::default();
                while let Some(path) = paths.next_element::<std::borrow::Cow<'de, str>>()? {
                    files.push(&path).map_err(de::Error::custom)?;
                }
                Ok(files)
            }
        }
        d.deserialize_seq(Paths)
    }
}

#[cfg(feature = "schemas")]
impl schemars::JsonSchema for Files {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Files".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Vec::<String>::json_schema(generator)
    }
}

/// The first member of each piece, and whether all of its members are the whole of it: only then it may be typed.
#[derive(Clone, Default, Debug)]
pub(super) struct Owners(
    /// `None`: each piece has the member of its own number.
    Option<Arc<[(u32, bool)]>>,
);

/// No member.
const NOBODY: u32 = u32::MAX;

impl Owners {
    /// Of `pieces` pieces.
    pub fn of(slots: &StoredMembers, pieces: usize) -> Self {
        if pieces == slots.len() && slots.iter().enumerate().all(|(i, slot)| slot.piece == i && slot.part.is_none()) {
            return Owners(None);
        }
        let mut owners = vec![(NOBODY, true); pieces];
        for (i, slot) in slots.iter().enumerate() {
            if let Some((owner, whole)) = owners.get_mut(slot.piece) {
                *owner = (*owner).min(u32::try_from(i).unwrap_or(NOBODY));
                *whole &= slot.part.is_none();
            }
        }
        Owners(Some(owners.into()))
    }

    /// The member that is first of those that are the whole piece.
    pub fn get(&self, piece: usize) -> Option<usize> {
        match &self.0 {
            None => Some(piece),
            Some(owners) => owners.get(piece).filter(|(owner, whole)| *owner != NOBODY && *whole).map(|(owner, _)| *owner as usize),
        }
    }
}

/// The paths in a tree that were given to pieces, in order.
#[derive(Default)]
pub(super) struct Paths {
    names: UniquePaths,
    /// Those that are not [`plain`].
    others: BTreeMap<usize, Box<str>>,
    gaps: usize,
}

/// The path that a name says, safe or not.
fn plain(name: &Text<64>, suffix: &str) -> String {
    name.text().replace('\\', "/") + suffix
}

/// What a piece becomes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum PieceForm {
    /// A document.
    Typed,
    /// A plain file, in an archive of documents or in another one.
    Plain { among_documents: bool },
}

impl Paths {
    pub fn new() -> Self {
        Paths { names: UniquePaths::new(), ..Paths::default() }
    }

    /// A path for the next piece. `usual` is the suffix of most pieces, which are called so, `ext` that of documents.
    pub fn assign(&mut self, piece: usize, name: Option<&Text<64>>, kind: PieceForm, ext: &str, usual: &str) -> String {
        let mut file = match name {
            Some(name) => self.names.assign(&name.text(), if kind == PieceForm::Typed { ext } else { "" }),
            None => {
                self.gaps += 1;
                self.names.assign(&format!("gaps/{}.bin", self.gaps), "")
            }
        };
        // A plain file must not look like a document: its name gets another ending.
        if kind == (PieceForm::Plain { among_documents: true }) && crate::tree::Style::of(&file).is_some() {
            file = self.names.assign(&file, ".bin");
        }
        if name.is_none_or(|name| plain(name, usual) != file) {
            self.others.insert(piece, file.as_str().into());
        }
        file
    }

    /// The paths alone.
    pub fn finish(self, usual: String) -> Assigned {
        Assigned { others: self.others, usual }
    }
}

/// The paths of pieces.
pub(super) struct Assigned {
    others: BTreeMap<usize, Box<str>>,
    usual: String,
}

impl Assigned {
    /// The path of a piece whose first member is called so.
    pub fn of(&self, piece: usize, name: Option<&Text<64>>) -> String {
        match (self.others.get(&piece), name) {
            (Some(path), _) => path.to_string(),
            (None, Some(name)) => plain(name, &self.usual),
            (None, None) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_members_are_what_they_were() {
        let text = |text: &str| Text::<64>::new(text.as_bytes()).unwrap();
        let mut stale = [0; 64];
        stale[..9].copy_from_slice(b"a.zrd\0old");
        let texts = [text(""), text("a.zrd"), text(&"x".repeat(64)), Text::from_raw(stale), Text::from_raw([0xff; 64])];
        let mut slots = Vec::new();
        for name in texts {
            for comment in texts {
                for (i, flags) in [0, 2, u32::MAX].into_iter().enumerate() {
                    let part = (i == 1).then_some(FilePart { offset: 7, length: u32::MAX });
                    let piece = if i == 2 { 5_000_000_000 } else { slots.len() };
                    let time = FileTime(u64::from(flags) << 30);
                    slots.push(MemberLine { name, flags: Hex(flags), comment, time, piece, part, ..MemberLine::default() });
                }
            }
        }
        let mut packed = Packed::default();
        slots.iter().for_each(|slot| packed.push(slot));
        let packed = StoredMembers::Packed(Arc::new(packed));
        assert_eq!(packed.len(), slots.len());
        assert_eq!(packed.iter().collect::<Vec<_>>(), slots);
        assert!((0..slots.len()).all(|i| packed.get(i).as_ref() == slots.get(i)));
        assert!(packed.get(slots.len()).is_none() && packed.get(slots.len() + GROUP).is_none());
    }

    #[test]
    fn pieces_large_and_small_are_what_they_were() {
        let lens = [0, 1, SMALL, SMALL + 1, 0, 0, 5_000, 3].into_iter().chain((0..2000).map(|i| i % 150)).chain([9_999, 0]);
        let pieces: Vec<Bytes> = lens.enumerate().map(|(i, len)| Bytes::from(vec![i as u8; len])).collect();
        let mut blocks = Blocks::default();
        pieces.iter().for_each(|piece| blocks.push(piece.clone()).unwrap());
        let blocks = blocks.finish();
        let ends = pieces.iter().scan(0, |at, piece| {
            *at += piece.len() as u64;
            Some(*at)
        });
        let region = Pieces::region(Bytes::from(pieces.concat()).into(), ends.collect(), Faults::default());
        for mut held in [blocks, region] {
            assert_eq!(held.len(), pieces.len());
            assert!(held.iter().eq(pieces.iter().cloned()));
            held.set(3, Bytes::from_static(b"new"));
            assert_eq!((held.get(3).unwrap(), held.len_of(3), held.len_of(6)), (Bytes::from_static(b"new"), 3, 5_000));
            assert!(held.get(pieces.len()).is_none());
        }
    }
}
