//! The structure of a message DLL: tables of texts and the key table (FORMAT.md). Only positions
//! are kept: the texts stay in the file.

use super::{
    image::{Id, Leaf, MESSAGE_TABLE, PeImage, Resources, STRING},
    pages::page_of,
};
use refit_base::{
    game::Game,
    plain,
    wire::{Error, Plain, Reader, Result},
};
use std::{collections::HashMap, ops::Range};

/// The parts of a DLL.
#[derive(Clone, Debug)]
pub struct Dll {
    /// Headers and sections.
    pub image: PeImage,
    /// The resource directory.
    pub resources: Resources,
    /// The tables of texts: one for each message table, one for all string blocks of a language.
    pub tables: Vec<TextTable>,
    /// The key table; empty if there is none.
    pub keys: Vec<MessageKey>,
    /// Bytes before the key table in `.data`; `None` without keys.
    pub keys_at: Option<usize>,
    /// Pairs of id and index into `keys`, sorted by id.
    by_id: Vec<(u32, u32)>,
    /// Exported names.
    pub exports: Vec<String>,
    /// RT_STRING resources without ids: the name is a text, or a number out of range.
    pub nameless: Vec<usize>,
}

/// The two kinds of tables.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Kind")]
pub enum TableKind {
    /// A message table: Recoil, MechWarrior 3, Pirate's Moon.
    MessageTable,
    /// String blocks: Crimson Skies.
    StringTable,
}

/// A table of texts.
#[derive(Clone, Debug)]
pub struct TextTable {
    /// Its kind.
    pub kind: TableKind,
    /// The name of a message table's resource, usually 1.
    pub name: Option<Id>,
    /// The language identifier, if the resource has one.
    pub language: Option<u32>,
    /// The code page of the language.
    pub page: u16,
    /// Indices of its resources.
    pub leaves: Vec<usize>,
    /// Runs of ids in the order of the table: the blocks of a message table, or the string
    /// resources.
    pub blocks: Vec<Block>,
    /// The texts, in order of the blocks. Empty strings of a string table are missing ids and are
    /// not listed.
    pub entries: Vec<TextEntry>,
}

/// A run of ids.
#[derive(Clone, Debug)]
pub struct Block {
    /// Index of its resource.
    pub leaf: usize,
    /// First id.
    pub low: u32,
    /// Last id; less than `low` for an empty block of a message table.
    pub high: u32,
    /// The range of its texts in the table's entries.
    pub entries: Range<usize>,
    /// Number of strings in a string resource: 16 if complete.
    pub strings: u32,
    /// Number of bytes after the last string.
    pub tail: usize,
    /// Offset of a message block's entries from the start of the table.
    pub offset: u32,
}

/// The position of a text.
#[derive(Clone, Debug)]
pub struct TextEntry {
    /// Its id.
    pub id: u32,
    /// Ordinal among the texts with this id, from 1.
    pub occurrence: u32,
    /// The range of a message's whole entry with its header, or of a string's units.
    pub at: Range<usize>,
}

/// A row of the key table.
#[derive(Clone, Debug)]
pub struct MessageKey {
    /// The range of the key's bytes, without the terminator.
    pub name: Range<usize>,
    /// The id of the key.
    pub id: u32,
}

plain! {
    /// A row of a message table's block table.
    pub struct BlockRow { low: u32, high: u32, offset: u32 }
}

/// Maximum length of a key. The longest key of the games has a few dozen characters.
const LONGEST_KEY: usize = 4096;
/// Possible sizes of the part of the section that start-up code uses before the key table
/// (FORMAT.md).
const SKIPS: [usize; 2] = [16, 48];
/// The highest number of a string resource whose ids fit 32 bits. Windows itself uses 16.
const HIGHEST_BLOCK: u32 = 1 << 28;

/// Range of plausible link times in Unix time, and the date that separates the two games.
const YEAR_1999: u32 = 915_148_800;
const SEPTEMBER_1999: u32 = 936_144_000;
const YEAR_2001: u32 = 978_307_200;

impl Dll {
    /// Reads a DLL. Returns an error if the structure is damaged, or if there are neither message
    /// tables nor strings.
    pub fn read(file: &[u8]) -> Result<Dll> {
        let image = PeImage::read(file)?;
        let resources = image.resources(file)?;
        let mut tables: Vec<TextTable> = Vec::new();
        let mut strings: HashMap<Option<Id>, usize> = HashMap::new();
        let mut nameless = Vec::new();
        for (i, leaf) in resources.leaves.iter().enumerate() {
            if leaf.shared {
                continue;
            }
            let place =
                |e: Error| e.within(format!("resource {}", super::image::leaf_text(leaf, file)));
            let (name, language, page) = (leaf.name(), leaf.language(), page_of(leaf.language()));
            let (leaves, blocks, entries) = Default::default();
            let table = |kind| TextTable {
                kind,
                name,
                language,
                page,
                leaves,
                blocks,
                entries,
            };
            match leaf.kind() {
                Some(MESSAGE_TABLE) => {
                    let mut table = table(TableKind::MessageTable);
                    table.read_messages(file, i, leaf).map_err(place)?;
                    tables.push(table);
                }
                Some(STRING) => match leaf.name() {
                    Some(Id::Number(number @ 1..=HIGHEST_BLOCK)) => {
                        let at = *strings
                            .entry(leaf.path.get(2).copied().flatten())
                            .or_insert_with(|| {
                                tables.push(table(TableKind::StringTable));
                                tables.len() - 1
                            });
                        if let Some(table) = tables.get_mut(at) {
                            table.read_strings(file, i, leaf, number).map_err(place)?;
                        }
                    }
                    _ => nameless.push(i),
                },
                _ => {}
            }
        }
        if tables.is_empty() && nameless.is_empty() {
            return Err(Error::say(
                "no message table and no strings among its resources: not a DLL of messages",
            ));
        }
        for table in &mut tables {
            table.count_occurrences();
        }
        let exports = image.exports(file);
        let skips: &[usize] = if exports.iter().any(|e| e == "ZLocGetStringID") {
            &SKIPS[1..]
        } else {
            &SKIPS
        };
        let found = skips
            .iter()
            .map(|skip| (*skip, read_keys(file, &image, *skip)))
            .find(|(_, keys)| !keys.is_empty());
        let (keys_at, keys) = found.map_or((None, Vec::new()), |(at, keys)| (Some(at), keys));
        let mut by_id: Vec<(u32, u32)> = keys.iter().zip(0..).map(|(k, i)| (k.id, i)).collect();
        by_id.sort();
        Ok(Dll {
            image,
            resources,
            tables,
            keys,
            keys_at,
            by_id,
            exports,
            nameless,
        })
    }

    /// The keys of an id, in the table's order.
    pub(crate) fn keys_of(&self, id: u32) -> impl Iterator<Item = &MessageKey> {
        let from = self.by_id.partition_point(|(i, _)| *i < id);
        let rows = self
            .by_id
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(move |(i, _)| *i == id);
        rows.filter_map(|(_, k)| self.keys.get(*k as usize))
    }

    /// The first bytes of `.data`, which belong to start-up code.
    pub(crate) fn startup<'a>(&self, file: &'a [u8], bytes: usize) -> &'a [u8] {
        let range = self
            .image
            .data()
            .map(|s| s.raw().start..s.raw().start + s.mapped() as usize)
            .unwrap_or(0..0);
        let data = file.get(range).unwrap_or_default();
        data.get(..bytes).unwrap_or(data)
    }

    /// The game as far as the content shows it, and the evidence.
    ///
    /// MechWarrior 3 (May 1999) and Pirate's Moon (December 1999) have the same structure; a
    /// plausible link time distinguishes them.
    pub fn game(&self, file: &[u8]) -> (Option<Game>, &'static str) {
        let exports = |name: &str| self.exports.iter().any(|e| e == name);
        let messages = self
            .tables
            .iter()
            .any(|t| t.kind == TableKind::MessageTable);
        let zeros = self.startup(file, 16).iter().all(|b| *b == 0);
        if exports("ZLocGetStringID") {
            (Some(Game::Cs), "export ZLocGetStringID")
        } else if !messages {
            (None, "string resources without a key function")
        } else if !exports("ZLocGetID") {
            (None, "a message table without a key function")
        } else if self.keys_at == Some(48) || (self.keys_at.is_none() && !zeros) {
            (
                Some(Game::Rc),
                "export ZLocGetID, a message table, 48 bytes before the keys",
            )
        } else {
            let (mw, pm, either) = (
                "export ZLocGetID, a message table, 16 bytes before the keys, linked before September 1999",
                "export ZLocGetID, a message table, 16 bytes before the keys, linked after August 1999",
                "export ZLocGetID, a message table, 16 bytes before the keys: MechWarrior 3 or Pirate's Moon",
            );
            match self.image.file.time {
                YEAR_1999..SEPTEMBER_1999 => (Some(Game::Mw), mw),
                SEPTEMBER_1999..YEAR_2001 => (Some(Game::Pm), pm),
                _ => (None, either),
            }
        }
    }
}

impl TextTable {
    fn read_messages(&mut self, file: &[u8], leaf_index: usize, leaf: &Leaf) -> Result<()> {
        self.leaves.push(leaf_index);
        let data = file.get(leaf.data.clone()).unwrap_or_default();
        let mut r = Reader::based(data, leaf.data.start as u64, Game::Mw);
        let count = r.field::<u32>("block count")?;
        let rows: Vec<BlockRow> = r.plains(count.into(), "blocks")?;
        // Limits on the entries of the whole table and on their size: blocks may share entries, but
        // not without limit.
        let (mut most, mut bytes) = ((data.len() / 4) as u64, 0usize);
        for (i, row) in rows.iter().enumerate() {
            let first = self.entries.len();
            let place = |e: Error| e.within(format!("blocks[{i}]"));
            if row.low <= row.high {
                let n = u64::from(row.high - row.low) + 1;
                most = most.checked_sub(n).ok_or_else(|| {
                    let (low, high) = (row.low, row.high);
                    let why = format!(
                        "ids {low} to {high} are more than {} bytes of entries can hold",
                        data.len()
                    );
                    place(Error::say(why).at((leaf.data.start + 4 + i * BlockRow::SIZE) as u64))
                })?;
                r.seek(row.offset.into()).map_err(place)?;
                for id in row.low..=row.high {
                    let place = |e: Error| place(e.within(format!("message {id}")));
                    let at = r.pos();
                    let length = usize::from(r.get::<u16>().map_err(place)?);
                    if length < 4 {
                        let why = format!(
                            "the entry's length is {length}, but its header alone has 4 bytes"
                        );
                        return Err(place(Error::say(why).at((leaf.data.start + at) as u64)));
                    }
                    r.take(length - 2).map_err(place)?;
                    bytes += length;
                    if bytes > data.len().saturating_mul(4) {
                        return Err(place(r.error("the blocks share their entries many times")));
                    }
                    let at = leaf.data.start + at;
                    self.entries.push(TextEntry {
                        id,
                        occurrence: 1,
                        at: at..at + length,
                    });
                }
            }
            let (BlockRow { low, high, offset }, entries) = (*row, first..self.entries.len());
            self.blocks.push(Block {
                leaf: leaf_index,
                low,
                high,
                entries,
                strings: 0,
                tail: 0,
                offset,
            });
        }
        Ok(())
    }

    fn read_strings(
        &mut self,
        file: &[u8],
        leaf_index: usize,
        leaf: &Leaf,
        number: u32,
    ) -> Result<()> {
        self.leaves.push(leaf_index);
        let data = file.get(leaf.data.clone()).unwrap_or_default();
        let mut r = Reader::based(data, leaf.data.start as u64, Game::Cs);
        let low = (number - 1) * 16;
        let first = self.entries.len();
        let mut strings = 0;
        // A truncated resource that ends between two strings has fewer of them.
        while strings < 16 && !r.is_empty() {
            let id = low + strings;
            let place = |e: Error| e.within(format!("string {id}"));
            let units = r.get::<u16>().map_err(place)?;
            let at = leaf.data.start + r.pos();
            let bytes = r.take_many(units.into(), 2).map_err(place)?;
            if units > 0 {
                self.entries.push(TextEntry {
                    id,
                    occurrence: 1,
                    at: at..at + bytes.len(),
                });
            }
            strings += 1;
        }
        let (entries, tail) = (first..self.entries.len(), r.left());
        self.blocks.push(Block {
            leaf: leaf_index,
            low,
            high: low + 15,
            entries,
            strings,
            tail,
            offset: 0,
        });
        Ok(())
    }

    /// Numbers the texts that have the same id.
    fn count_occurrences(&mut self) {
        if self
            .entries
            .iter()
            .zip(self.entries.iter().skip(1))
            .all(|(a, b)| a.id < b.id)
        {
            return;
        }
        let mut counts: HashMap<u32, u32> = HashMap::with_capacity(self.entries.len());
        for entry in &mut self.entries {
            let count = counts.entry(entry.id).or_default();
            *count += 1;
            entry.occurrence = *count;
        }
    }
}

/// Reads rows as long as they are valid: the table has neither a count nor an end mark (FORMAT.md).
fn read_keys(file: &[u8], image: &PeImage, skip: usize) -> Vec<MessageKey> {
    let Some(section) = image.data() else {
        return Vec::new();
    };
    let raw = section.raw();
    let data = file
        .get(raw.start..raw.start + section.mapped() as usize)
        .unwrap_or_default();
    let base = image.optional.image_base.wrapping_add(section.address);
    let mut keys = Vec::new();
    let mut budget = data.len().saturating_mul(2);
    for (i, row) in data
        .get(skip..)
        .unwrap_or_default()
        .chunks_exact(8)
        .enumerate()
    {
        let (address, id) = row.split_at(4);
        let at = u32::get(address).wrapping_sub(base) as usize;
        let text = data
            .get(at..)
            .filter(|_| at >= skip + (i + 1) * 8)
            .unwrap_or_default();
        let Some(end) = text
            .iter()
            .take(LONGEST_KEY.min(budget))
            .position(|b| *b == 0)
        else {
            break;
        };
        budget -= end;
        keys.push(MessageKey {
            name: raw.start + at..raw.start + at + end,
            id: u32::get(id),
        });
    }
    keys
}
