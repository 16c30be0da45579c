//! Finds content that a mod copied from other files of the game, and replaces it with a reference
//! to that file.
//!
//! The mod's content is cut into blocks, and every file of the game is searched for them once:
//! first as it is stored, then, if blocks are left over, part by part. Memory is bounded by the
//! size of the mod and of the game's largest file.

use super::{
    apply::changed,
    changes::{entry, texts_of},
    conflict::Unplaced,
    content::{Stop, content, cut, made_of, sum, weight},
    difference::{proved, replay},
    documents::Documents,
    format::{
        Base, FileChanges, FileEntry, Held, Item, Made, Mod, NewPart, Origin, PartEntry, Pieces,
        State, StoredChange,
    },
    merge::{Lists, follow},
};
use bytes::Bytes;
use refit_base::{
    format::Format,
    par,
    tree::{Blob, Document, Style},
    wire::{Error, Items, Result, Within, did_you_mean},
};
use refit_diff::{self as diff, Content, Part, PartKind, Tree, Value, delta};
use refit_files::pipeline::{self, Hints};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

/// The files of a game.
pub trait Originals: Sync {
    /// Their paths, with `/`, in order.
    fn paths(&self) -> Vec<String>;
    /// The content of one file.
    fn file(&self, path: &str) -> Result<Blob>;
}

impl Originals for BTreeMap<String, Blob> {
    fn paths(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
    fn file(&self, path: &str) -> Result<Blob> {
        self.get(path).cloned().ok_or_else(|| Error::missing(path))
    }
}

/// Block size of the search, in bytes.
const BLOCK: usize = 32;
/// Equal runs of at least this length are copies, not coincidence. Each contains a whole block.
pub const RUN: usize = 2 * BLOCK;
/// Minimum number of different bytes in a block and in a run. Fewer, such as zeros, prove nothing.
const TELLING: (usize, usize) = (4, 8);
/// How many copies of one block to try.
const TRIED: usize = 8;
/// How many files of the game one part may refer to.
const SOURCES: usize = 16;

/// A pseudo-random number for each byte value.
const GEAR: [u32; 256] = {
    let mut out = [0; 256];
    let mut i = 0;
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    while i < out.len() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out[i] = (state >> 16) as u32;
        i += 1;
    }
    out
};

/// Adds a byte to the rolling hash of the last [`BLOCK`] bytes; older bytes are shifted out.
fn rolled(hash: u32, byte: u8) -> u32 {
    (hash << 1).wrapping_add(GEAR.item(usize::from(byte)))
}

fn different(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    bytes
        .iter()
        .for_each(|b| _ = seen.get_mut(usize::from(*b)).map(|seen| *seen = true));
    seen.iter().filter(|seen| **seen).count()
}

/// Some byte strings and the blocks in them.
struct Blocks<'a> {
    fresh: Vec<&'a [u8]>,
    /// For each byte string, the number of its first block.
    from: Vec<usize>,
    first: HashMap<u32, u32>,
    next: Vec<u32>,
    /// A Bloom filter of the block hashes, by their upper 20 bits.
    filter: Vec<u64>,
    /// The blocks with enough different bytes to identify a copy.
    telling: Bits,
    count: usize,
}

const NONE: u32 = u32::MAX;

impl<'a> Blocks<'a> {
    fn of(fresh: Vec<&'a [u8]>) -> Self {
        let (filter, telling) = (vec![0; 1 << 14], Bits::default());
        let mut out = Blocks {
            fresh,
            from: Vec::new(),
            first: HashMap::new(),
            next: Vec::new(),
            filter,
            telling,
            count: 0,
        };
        for bytes in &out.fresh {
            out.from.push(out.count);
            for block in bytes.chunks_exact(BLOCK) {
                out.next.push(NONE);
                if different(block) >= TELLING.0 {
                    out.telling.set(out.count);
                    let hash = block.iter().fold(0, |hash, byte| rolled(hash, *byte));
                    if let Some(bits) = out.filter.get_mut((hash >> 18) as usize) {
                        *bits |= 1 << (hash >> 12 & 63);
                    }
                    // Insert at the head of the chain: the last copy of a block is found first.
                    let before = out.first.insert(hash, out.count as u32);
                    if let (Some(before), Some(next)) = (before, out.next.last_mut()) {
                        *next = before;
                    }
                }
                out.count += 1;
            }
        }
        out
    }

    /// The blocks that occur in `bytes` within runs of at least [`RUN`] bytes, as one bit per
    /// block.
    fn in_bytes(&self, bytes: &[u8]) -> Bits {
        let mut found = Bits::default();
        let mut hash = 0;
        for (at, byte) in bytes.iter().enumerate() {
            hash = rolled(hash, *byte);
            if self
                .filter
                .get((hash >> 18) as usize)
                .is_none_or(|bits| bits >> (hash >> 12 & 63) & 1 == 0)
                || at + 1 < BLOCK
            {
                continue;
            }
            let mut block = self.first.get(&hash).copied().unwrap_or(NONE);
            for _ in 0..TRIED {
                if block == NONE {
                    break;
                }
                if !found.has(block as usize) {
                    self.run(block as usize, bytes, at + 1 - BLOCK, &mut found);
                }
                block = self.next.get(block as usize).copied().unwrap_or(NONE);
            }
        }
        found
    }

    /// Does the same for a file, reading one window at a time.
    fn in_file(&self, file: &Blob) -> Result<Bits> {
        if file.len() <= WINDOW {
            return Ok(self.in_bytes(&file.bytes()?));
        }
        let mut found = Bits::default();
        let mut at = 0;
        while at < file.len() {
            // Windows overlap, so that each run is long enough in one of them.
            let bytes = file.slice(at, WINDOW + 2 * RUN as u64)?.bytes()?;
            found.add(&self.in_bytes(&bytes));
            at += WINDOW;
        }
        Ok(found)
    }

    /// The parts of a tree that contain some of the blocks, with these blocks.
    fn in_parts<'t>(
        &self,
        tree: &'t Tree,
        is_wanted: impl Fn(&str, &Part) -> bool,
    ) -> Result<Vec<(&'t String, &'t Part, Bits)>> {
        let parts: Vec<(&String, &Part)> = tree
            .parts
            .iter()
            .filter(|(path, part)| is_wanted(path, part))
            .collect();
        let hits = par::try_map(&parts, |_, (_, part)| {
            let mut all = Bits::default();
            for (_, file) in &part.files {
                all.add(&self.in_file(file)?);
            }
            Ok::<_, Error>(all)
        })?;
        let found = parts
            .into_iter()
            .zip(hits)
            .filter(|(_, bits)| !bits.is_empty());
        Ok(found
            .map(|((path, part), bits)| (path, part, bits))
            .collect())
    }

    /// Reports each document of a file's tree that contains some of the blocks, verbatim or without
    /// blanks.
    fn in_documents(
        &self,
        tree: &Tree,
        file: &str,
        mut take: impl FnMut(&Place, &Bits),
    ) -> Result<()> {
        let parts: Vec<(&String, &Part)> = tree
            .parts
            .iter()
            .filter(|(_, part)| part.kind != PartKind::Bytes)
            .collect();
        let hits = par::try_map(&parts, |_, (_, part)| {
            let mut all = Bits::default();
            if let PartKind::Document(_) = part.kind {
                for (_, file) in &part.files {
                    let text = file.bytes()?;
                    all.add(&self.in_bytes(&text));
                    all.add(&self.in_bytes(&without_blanks(&text)));
                }
            } else if let Some(value) = part.value()? {
                all = self.in_bytes(value.compact().as_bytes());
            }
            Ok::<_, Error>(all)
        })?;
        for ((path, _), bits) in parts
            .into_iter()
            .zip(hits)
            .filter(|(_, bits)| !bits.is_empty())
        {
            take(&(file.to_owned(), Some(path.clone())), &bits);
        }
        Ok(())
    }

    /// True if identifying blocks are still missing from `found`.
    fn is_open(&self, of: usize, found: &Found) -> bool {
        // One block may span the border of two pieces.
        self.blocks(of)
            .filter(|block| self.telling.has(*block) && !found.first.contains_key(block))
            .count()
            > 1
    }

    /// Marks the blocks of the run around `block`, if the run is long enough.
    fn run(&self, block: usize, bytes: &[u8], place: usize, found: &mut Bits) {
        let of = self.from.partition_point(|from| *from <= block) - 1;
        let (Some(fresh), Some(from)) = (self.fresh.get(of), self.from.get(of)) else {
            return;
        };
        let at = (block - from) * BLOCK;
        let common = |a: &[u8], b: &[u8]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let ahead = common(fresh.within(at..), bytes.within(place..));
        if ahead < BLOCK {
            return;
        }
        let back = fresh
            .iter()
            .take(at)
            .rev()
            .zip(bytes.iter().take(place).rev())
            .take_while(|(a, b)| a == b)
            .count();
        let run = at - back..at + ahead;
        if run.len() < RUN || different(fresh.get(run.clone()).unwrap_or_default()) < TELLING.1 {
            return;
        }
        (run.start.div_ceil(BLOCK)..run.end / BLOCK).for_each(|block| found.set(from + block));
    }

    fn blocks(&self, of: usize) -> std::ops::Range<usize> {
        let from = self.from.get(of).copied().unwrap_or(self.count);
        from..self.from.get(of + 1).copied().unwrap_or(self.count)
    }
}

/// JSON without the blanks between its values.
fn without_blanks(json: &[u8]) -> Vec<u8> {
    let (mut is_text, mut is_escaped) = (false, false);
    let mut out = json.to_vec();
    out.retain(|byte| {
        let keep = is_text || !byte.is_ascii_whitespace();
        is_text ^= *byte == b'"' && !is_escaped;
        is_escaped = is_text && *byte == b'\\' && !is_escaped;
        keep
    });
    out
}

/// A set of numbers.
#[derive(Default, Clone)]
struct Bits(Vec<u64>);

impl Bits {
    fn has(&self, at: usize) -> bool {
        self.0
            .get(at / 64)
            .is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }
    fn set(&mut self, at: usize) {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        if let Some(bits) = self.0.get_mut(at / 64) {
            *bits |= 1 << (at % 64);
        }
    }
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    fn add(&mut self, other: &Bits) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0
            .iter_mut()
            .zip(&other.0)
            .for_each(|(own, bits)| *own |= bits);
    }
}

/// A file of the game, or a part of its tree.
type Place = (String, Option<String>);

/// Where in the game the blocks of a byte string occur.
#[derive(Clone, Default)]
struct Found {
    /// The place with the most blocks, their number, and the blocks.
    best: Option<(Place, usize, Bits)>,
    /// For each block, the first place that has it, as an index into `places`.
    first: HashMap<usize, u32>,
    places: Vec<Place>,
}

impl Found {
    fn take(&mut self, place: &Place, bits: &Bits, range: std::ops::Range<usize>) {
        let mut many = 0;
        let mut number = None;
        for block in range.clone().filter(|block| bits.has(*block)) {
            many += 1;
            self.first.entry(block).or_insert_with(|| {
                *number.get_or_insert_with(|| {
                    self.places.push(place.clone());
                    self.places.len() as u32 - 1
                })
            });
        }
        if many > 0 && self.best.as_ref().is_none_or(|(_, most, _)| many > *most) {
            let mut own = Bits::default();
            range
                .filter(|block| bits.has(*block))
                .for_each(|block| own.set(block));
            self.best = Some((place.clone(), many, own));
        }
    }

    /// The places that together contain all blocks found: the one with the most blocks first, then
    /// those with the rest.
    fn sources(&self) -> Vec<Place> {
        let Some((best, _, bits)) = &self.best else {
            return Vec::new();
        };
        let mut rest: BTreeMap<u32, usize> = BTreeMap::new();
        self.first
            .iter()
            .filter(|(block, _)| !bits.has(**block))
            .for_each(|(_, place)| *rest.entry(*place).or_default() += 1);
        let mut rest: Vec<(u32, usize)> = rest.into_iter().collect();
        rest.sort_by_cached_key(|(place, many)| (std::cmp::Reverse(*many), *place));
        let others = rest
            .into_iter()
            .filter_map(|(place, _)| self.places.get(place as usize))
            .filter(|place| *place != best);
        std::iter::once(best)
            .chain(others)
            .take(SOURCES)
            .cloned()
            .collect()
    }
}

/// How many files to search at the same time.
const AT_ONCE: usize = 8;
/// How many bytes of a file to search at a time.
const WINDOW: u64 = 16 << 20;
/// Only the members of larger archives are searched. A reference to the whole archive would require
/// all of it in memory.
const LARGE: u64 = 64 << 20;

/// True for a large file that refit can take apart.
fn is_large_archive(file: &Blob, path: &str) -> bool {
    file.len() > LARGE
        && pipeline::recognise(file.clone(), path, Hints::default())
            .is_ok_and(|found| found.format != Format::Raw)
}

/// Searches the stored bytes of a game's files.
fn search_files(blocks: &Blocks<'_>, game: &dyn Originals, found: &mut [Found]) -> Result<()> {
    for paths in game.paths().chunks(AT_ONCE) {
        let hits = par::try_map(paths, |_, path| {
            let file = game.file(path)?;
            if is_large_archive(&file, path) {
                Ok::<_, Error>(Bits::default())
            } else {
                blocks.in_file(&file)
            }
        })?;
        for (path, bits) in paths.iter().zip(hits).filter(|(_, bits)| !bits.is_empty()) {
            let place = (path.clone(), None);
            found
                .iter_mut()
                .enumerate()
                .for_each(|(of, found)| found.take(&place, &bits, blocks.blocks(of)));
        }
    }
    Ok(())
}

/// Searches the parts of those files of a game whose format is in `formats`, and of large archives,
/// for the values of changes, too.
fn search_parts(
    blocks: &Blocks<'_>,
    game: &dyn Originals,
    known: &BTreeMap<String, Hints>,
    formats: &BTreeSet<Format>,
    found: &mut [Found],
    values: &mut Values<'_>,
) -> Result<()> {
    for path in game.paths() {
        let file = game.file(&path)?;
        let hints = known.get(&path).copied().unwrap_or_default();
        let format = pipeline::recognise(file.clone(), &path, hints).map(|found| found.format);
        if !format.is_ok_and(|format| {
            formats.contains(&format) || file.len() > LARGE && format != Format::Raw
        }) {
            continue;
        }
        let tree = Tree::of_file(&file, &path, hints)?;
        for (part, _, bits) in
            blocks.in_parts(&tree, |path, part| !path.is_empty() && !part.is_manifest())?
        {
            let place = (path.clone(), Some(part.clone()));
            found
                .iter_mut()
                .enumerate()
                .for_each(|(of, found)| found.take(&place, &bits, blocks.blocks(of)));
        }
        values.search(&tree, &path, 0..values.found.len())?;
    }
    Ok(())
}

/// The content of a place of the game, and its reference.
struct Source {
    origin: Origin,
    content: Bytes,
}

/// The files of a game that were read last.
pub struct Shelf<'a> {
    file: &'a dyn Fn(&str) -> Result<Option<Bytes>>,
    last: Vec<Read>,
    /// How many bytes may still be built from these files, and the files that are already counted.
    room: delta::Room,
    counted: BTreeSet<String>,
    /// The game and format of files, if known.
    hints: BTreeMap<String, Hints>,
}

/// A file, and its tree once it is needed.
struct Read {
    path: String,
    bytes: Bytes,
    tree: Option<Arc<Tree>>,
}

/// How many files to keep.
const KEPT: usize = 3;

impl<'a> Shelf<'a> {
    /// Reads files with this function.
    pub fn new(file: &'a dyn Fn(&str) -> Result<Option<Bytes>>) -> Self {
        Shelf {
            file,
            last: Vec::new(),
            room: delta::Room::of(0),
            counted: BTreeSet::new(),
            hints: BTreeMap::new(),
        }
    }

    fn bytes(&mut self, path: &str) -> Result<Option<Bytes>> {
        if let Some(at) = self.last.iter().position(|read| read.path == path) {
            let read = self.last.remove(at);
            let bytes = read.bytes.clone();
            self.last.push(read);
            return Ok(Some(bytes));
        }
        let bytes = (self.file)(path)?;
        if let Some(bytes) = bytes
            .as_ref()
            .filter(|_| self.counted.insert(path.to_owned()))
        {
            self.room.grow(bytes.len() as u64);
        }
        if self.last.len() == KEPT {
            self.last.remove(0);
        }
        self.last.extend(bytes.clone().map(|bytes| Read {
            path: path.to_owned(),
            bytes,
            tree: None,
        }));
        Ok(bytes)
    }

    fn tree(&mut self, path: &str) -> Result<Option<Arc<Tree>>> {
        let Some(bytes) = self.bytes(path)? else {
            return Ok(None);
        };
        let Some(read) = self.last.last_mut() else {
            return Ok(None);
        };
        if read.tree.is_none() {
            let hints = self.hints.get(path).copied().unwrap_or_default();
            read.tree = Some(Arc::new(Tree::of_file(&Blob::Memory(bytes), path, hints)?));
        }
        Ok(read.tree.clone())
    }

    /// The value of a part of a file, if both exist.
    fn value(&mut self, file: &str, part: &str) -> Result<Option<Value>> {
        let tree = self.tree(file)?;
        Ok(tree
            .as_ref()
            .and_then(|tree| tree.parts.get(part))
            .map(Part::value)
            .transpose()?
            .flatten())
    }

    fn held(&mut self, place: &Place) -> Result<Option<Source>> {
        let (file, part) = place;
        let Some(bytes) = self.bytes(file)? else {
            return Ok(None);
        };
        let origin = Origin {
            file: file.clone(),
            sha256: refit_base::sha256(&bytes),
            part: part.clone(),
        };
        let content = match part {
            None => Some(bytes),
            Some(part) => self
                .tree(file)?
                .and_then(|tree| tree.parts.get(part).map(Part::bytes))
                .transpose()?,
        };
        Ok(content.map(|content| Source { origin, content }))
    }

    /// Fails unless the game has the origin's file in the same edition.
    fn check(&mut self, origin: &Origin) -> Result<Bytes, Stop> {
        let name = &origin.file;
        let bytes = self
            .bytes(name)?
            .ok_or_else(|| format!("it is made from {name}, which the game does not have"))?;
        if refit_base::sha256(&bytes) != origin.sha256 {
            return Err(format!("it is made from {name}, which is another edition here").into());
        }
        Ok(bytes)
    }

    fn content(&mut self, origin: &Origin) -> Result<Content, Stop> {
        let bytes = self.check(origin)?;
        let Some(part) = &origin.part else {
            return Ok(Content::Bytes(bytes));
        };
        match self
            .tree(&origin.file)?
            .as_ref()
            .and_then(|tree| tree.parts.get(part))
        {
            Some(part) => Ok(content(part)?),
            None => Err(format!(
                "it is made from {}: {part}, which does not exist",
                origin.file
            )
            .into()),
        }
    }

    /// Builds bytes from pieces of the game and the author's bytes.
    fn joined(&mut self, pieces: &Pieces, files: &BTreeMap<String, Bytes>) -> Result<Bytes, Stop> {
        let mut sources = Vec::new();
        for origin in &pieces.from {
            self.check(origin)?;
            let held = self.held(&(origin.file.clone(), origin.part.clone()))?;
            sources.push(held.map(|held| held.content).ok_or_else(|| {
                format!(
                    "it is made from a part of {} that does not exist",
                    origin.file
                )
            })?);
        }
        let sources: Vec<&[u8]> = sources.iter().map(|bytes| &bytes[..]).collect();
        Ok(made_of(&sources, pieces, files, &self.room)?)
    }
}

/// Content of the mod that may be copied from the game.
struct Fresh {
    /// The position of the file in the manifest, and of the part in the changes; `None` for a new
    /// file.
    at: (usize, Option<usize>),
    /// The bytes that the mod stores.
    fresh: Bytes,
    /// The whole content of the file or part.
    content: Bytes,
    is_document: bool,
}

/// Content of the edited files, kept until [`settle`] has found what is copied from the game.
#[derive(Default)]
pub struct Making {
    /// New files, by their position in the manifest.
    pub added: Vec<(usize, Blob)>,
    /// The files of the game that new files are stored as changes of, by the new file's path.
    pub bases: BTreeMap<String, String>,
    /// Contents of new and replaced parts, by the file's position and the part's path.
    pub parts: BTreeMap<(usize, String), Part>,
    /// The changed files, by path, with their game and format.
    pub own: BTreeMap<String, (Blob, Hints)>,
}

impl Making {
    /// Records the parts of a file for which the mod stores bytes or a document.
    pub fn note(&mut self, at: usize, changes: &FileChanges, b: &Tree) {
        for part in &changes.parts {
            let is_held = part.pieces.is_some()
                || part
                    .new
                    .as_ref()
                    .is_some_and(|new| !matches!(new, NewPart::Like(_)));
            if part.part.is_empty() && is_held {
                let whole = Part {
                    kind: PartKind::Bytes,
                    files: vec![(String::new(), b.file.clone())],
                };
                self.parts.insert((at, String::new()), whole);
            } else if let Some(own) = b
                .parts
                .get(part.renamed.as_ref().unwrap_or(&part.part))
                .filter(|_| is_held)
            {
                self.parts.insert((at, part.part.clone()), own.clone());
            }
        }
    }
}

/// Replaces content copied from the game with references to the game's files.
pub fn settle(made: &mut Mod, mut making: Making, game: &dyn Originals) -> Result<()> {
    let own = std::mem::take(&mut making.own);
    let read = |path: &str| {
        own.get(path)
            .map_or_else(|| game.file(path), |(file, _)| Ok(file.clone()))
            .and_then(|file| file.bytes())
            .map(Some)
    };
    let mut shelf = Shelf::new(&read);
    shelf.hints = own
        .iter()
        .map(|(path, (_, hints))| (path.clone(), *hints))
        .collect();
    files(made, &mut making, game, &mut shelf)?;
    let texts = made
        .changes
        .iter()
        .map(long_values)
        .collect::<Result<Vec<_>>>()?;
    let blocks = Blocks::of(texts.iter().flatten().map(String::as_bytes).collect());
    let mut values = Values {
        found: vec![Found::default(); texts.len()],
        blocks,
    };
    values.search_own(made, &mut shelf)?;
    parts(made, &making, game, &mut shelf, &mut values)?;
    values.fold(made, &mut shelf)
}

/// The file of the game that an entry changes, or would change if it is new.
fn own_path(entry: &FileEntry) -> &String {
    entry.base.as_ref().map_or(&entry.path, |base| &base.path)
}

/// True for a value that is long enough to contain a run.
fn is_long(value: &Value) -> bool {
    weight(value) >= SHORT as u64
}

/// Shorter values, and shorter pieces of documents, are never searched for.
const SHORT: usize = 32;
/// A shorter piece of a value is not worth the reference.
const ALIKE: u64 = 16;

/// The values of a file's changes that may be copied from documents of the game, as one text
/// without blanks, and the changes as the mod stores them. Both are empty if there are no such
/// values.
fn long_values(changes: &Option<FileChanges>) -> Result<[String; 2]> {
    let Some(changes) = changes else {
        return Ok(Default::default());
    };
    let mut out = String::new();
    let mut put = |text: &str| out.extend([text, "\n"]);
    let mut open: Vec<&StoredChange> = changes
        .parts
        .iter()
        .flat_map(|part| &part.changes)
        .collect();
    let new = changes.parts.iter().filter_map(|part| match &part.new {
        Some(NewPart::Document(value)) => Some(value),
        _ => None,
    });
    new.filter(|value| is_long(value))
        .for_each(|value| put(&value.compact()));
    while let Some(change) = open.pop() {
        change
            .to
            .iter()
            .filter(|value| is_long(value))
            .for_each(|value| put(&value.compact()));
        for piece in &change.text {
            match piece {
                delta::Piece::New(text) if text.len() >= SHORT => put(text),
                _ => {}
            }
        }
        for item in &change.place {
            match item {
                Item::New(value) if is_long(value) => put(&value.compact()),
                Item::Copy { changes, .. } => open.extend(changes),
                _ => {}
            }
        }
    }
    let stored = if out.is_empty() {
        String::new()
    } else {
        changes.to_text(Style::Json)?
    };
    Ok([out, stored])
}

/// The long values of each file's changes, and where in the game they occur.
struct Values<'a> {
    /// The two texts of each file.
    blocks: Blocks<'a>,
    /// For each file.
    found: Vec<Found>,
}

impl Values<'_> {
    /// Searches the documents of a file, for the values of the entries in `of`.
    fn search(&mut self, tree: &Tree, file: &str, of: std::ops::Range<usize>) -> Result<()> {
        let Values { blocks, found } = self;
        blocks.in_documents(tree, file, |place, bits| {
            let found = found.iter_mut().enumerate().take(of.end).skip(of.start);
            found.for_each(|(at, found)| {
                found.take(
                    place,
                    bits,
                    blocks.blocks(2 * at).start..blocks.blocks(2 * at + 1).end,
                );
            });
        })
    }

    /// Searches for the values of each file in the documents of the file itself.
    fn search_own(&mut self, made: &Mod, shelf: &mut Shelf<'_>) -> Result<()> {
        for (at, entry) in made.manifest.files.iter().enumerate() {
            if self.blocks.blocks(2 * at).is_empty() {
                continue;
            }
            if let Some(tree) = shelf.tree(own_path(entry))? {
                self.search(&tree, own_path(entry), at..at + 1)?;
            }
        }
        Ok(())
    }

    /// The formats of the files whose values the files themselves do not explain.
    fn open<'m>(&self, made: &'m Mod) -> impl Iterator<Item = Format> + use<'m, '_> {
        let is_open = |at: &usize| {
            self.found
                .get(*at)
                .is_some_and(|found| self.blocks.is_open(2 * at, found))
        };
        made.manifest
            .files
            .iter()
            .enumerate()
            .filter(move |(at, _)| is_open(at))
            .filter_map(|(_, entry)| entry.format)
    }

    /// Replaces values that contain runs of documents of the game with pieces of these documents.
    fn fold(&self, made: &mut Mod, shelf: &mut Shelf<'_>) -> Result<()> {
        for ((entry, changes), found) in made
            .manifest
            .files
            .iter()
            .zip(&mut made.changes)
            .zip(&self.found)
        {
            let (own, mut held, mut texts) = (own_path(entry), Vec::new(), Vec::new());
            for (file, part) in found.sources() {
                let Some(part) = part else { continue };
                let Some(text) = shelf.value(&file, &part)?.map(|value| value.compact()) else {
                    continue;
                };
                held.push(Held {
                    file: Some(file).filter(|file| file != own),
                    part,
                    was: sum(text.as_bytes()),
                });
                texts.push(text);
            }
            if let (Some(changes), false) = (changes, texts.is_empty()) {
                let known = texts
                    .iter()
                    .map(|text| delta::Known::new(text.as_bytes()))
                    .collect();
                let sources = Sources {
                    known,
                    held,
                    texts: texts.iter().map(String::as_str).collect(),
                };
                changes
                    .parts
                    .iter_mut()
                    .try_for_each(|part| sources.part(part, own, shelf))?;
            }
        }
        Ok(())
    }
}

/// Documents of the game that values may be copied from.
struct Sources<'a> {
    known: Vec<delta::Known<'a>>,
    held: Vec<Held>,
    texts: Vec<&'a str>,
}

impl Sources<'_> {
    /// The value as pieces of the documents, if it contains a run of them.
    fn made(&self, value: &Value) -> Option<Made> {
        let text = value.compact();
        if text.len() < SHORT {
            return None;
        }
        let mut json = delta::of_texts(&self.known.iter().collect::<Vec<_>>(), &text);
        let is_run = |piece: &delta::Piece<String>, least| matches!(piece, delta::Piece::Old(_, many) if *many >= least);
        if !json.iter().any(|piece| is_run(piece, SHORT as u64)) {
            return None;
        }
        let mut at = 0;
        for piece in &mut json {
            match piece {
                delta::Piece::New(new) => at += new.len(),
                delta::Piece::Old(_, many) => {
                    let old = at..at + *many as usize;
                    at = old.end;
                    if !is_run(piece, ALIKE) {
                        *piece = delta::Piece::New(text.get(old)?.to_owned());
                    }
                }
            }
        }
        let (from, texts) = self.only_used(&mut json);
        let same =
            delta::text(&texts, &json, &delta::Room::of(u64::MAX)).is_ok_and(|made| made == text);
        (same && Value::parse(&text).as_ref() == Some(value)).then_some(Made { from, json })
    }

    /// The documents from which the pieces come; the offsets then count through these only. An
    /// edition of the game with another version of one of them cannot use the value.
    fn only_used(&self, json: &mut [delta::Piece<String>]) -> (Vec<Held>, Vec<&str>) {
        let (mut from, mut texts) = (Vec::new(), Vec::new());
        // Where the document begins among all, and among the used ones.
        let (mut start, mut new_start) = (0, 0);
        for (held, text) in self.held.iter().zip(&self.texts) {
            let here = start..start + text.len() as u64;
            start = here.end;
            let mut is_used = false;
            for piece in json.iter_mut() {
                if let delta::Piece::Old(offset, _) = piece
                    && here.contains(offset)
                {
                    *offset = *offset - here.start + new_start;
                    is_used = true;
                }
            }
            if is_used {
                new_start += text.len() as u64;
                from.push(held.clone());
                texts.push(*text);
            }
        }
        (from, texts)
    }

    /// Replaces the values of a part of the file `own` with pieces.
    fn part(&self, part: &mut PartEntry, own: &str, shelf: &mut Shelf<'_>) -> Result<()> {
        if let Some(NewPart::Document(value)) = &part.new {
            part.new = self.made(value).map(NewPart::Made).or(part.new.take());
            return Ok(());
        }
        let (file, old) = match &part.new {
            Some(NewPart::From(Origin {
                file,
                part: Some(old),
                ..
            })) => (file.as_str(), old),
            Some(NewPart::Like(like)) => (own, like),
            _ => (own, &part.part),
        };
        let old = shelf.value(file, old)?;
        self.fold(&mut part.changes, old.as_ref());
        Ok(())
    }

    /// Replaces values with pieces. `old` is the document being changed.
    fn fold(&self, changes: &mut [StoredChange], old: Option<&Value>) {
        let mut all = None;
        let mut lists = Lists::default();
        for change in changes.iter_mut().filter(|change| !change.text.is_empty()) {
            // Examine the whole text: the new pieces in it may come from another document.
            let Some(Value::Text(was)) =
                old.and_then(|old| follow(old, &change.at, &mut lists).ok()?.1)
            else {
                continue;
            };
            let all = all.get_or_insert_with(|| old.map(texts_of).unwrap_or_default());
            let new = delta::text(&[was, all], &change.text, &delta::Room::of(u64::MAX)).ok();
            let is_new = |piece: &delta::Piece<String>| matches!(piece, delta::Piece::New(text) if self.is_of(text));
            if let Some(made) = new
                .filter(|_| change.text.iter().any(is_new))
                .and_then(|new| self.made(&Value::Text(new.into())))
            {
                (change.text, change.texts, change.made) = (Vec::new(), None, Some(made));
            }
        }
        let mut open: Vec<&mut StoredChange> = changes.iter_mut().collect();
        while let Some(change) = open.pop() {
            if let Some(made) = change.to.as_ref().and_then(|value| self.made(value)) {
                (change.to, change.made) = (None, Some(made));
            }
            for item in &mut change.place {
                match item {
                    Item::New(value) => {
                        if let Some(made) = self.made(value) {
                            *item = Item::Made(made);
                        }
                    }
                    Item::Copy { changes, .. } => open.extend(changes),
                    _ => {}
                }
            }
        }
    }

    /// True for a text that contains a run of the documents.
    fn is_of(&self, text: &str) -> bool {
        self.made(&Value::from(text)).is_some()
    }
}

/// Turns new files that resemble a file of the game into changes of that file.
fn files(
    made: &mut Mod,
    making: &mut Making,
    game: &dyn Originals,
    shelf: &mut Shelf<'_>,
) -> Result<()> {
    if making.added.is_empty() && making.bases.is_empty() {
        return Ok(());
    }
    let added = making
        .added
        .iter()
        .map(|(at, file)| Ok((*at, file.bytes()?)))
        .collect::<Result<Vec<_>>>()?;
    let blocks = Blocks::of(added.iter().map(|(_, bytes)| &bytes[..]).collect());
    let mut found = vec![Found::default(); added.len()];
    search_files(&blocks, game, &mut found)?;
    // Compare files of equal size directly: a file too small or too uniform for the search may be a
    // copy, too.
    let mut same: HashMap<u64, Vec<usize>> = HashMap::new();
    added
        .iter()
        .enumerate()
        .filter(|(_, (_, bytes))| !bytes.is_empty())
        .for_each(|(i, (_, b))| same.entry(b.len() as u64).or_default().push(i));
    // A named base counts as a copy: no further search.
    let mut copies = named_bases(made, making, game)?;
    for path in game.paths() {
        let file = game.file(&path)?;
        let Some(like) = same.get(&file.len()) else {
            continue;
        };
        for i in like {
            let Some((_, own)) = added.get(*i).filter(|_| !copies.contains_key(i)) else {
                continue;
            };
            if file.is(own)? {
                copies.insert(*i, path.clone());
            }
        }
    }
    for (i, (at, bytes)) in added.iter().enumerate() {
        let many = blocks.blocks(i).len();
        let best = found.get(i).and_then(|found| found.best.as_ref());
        // A quarter in common: it was made from this file. With less, only where changes of fields
        // are much shorter.
        let is_sure = copies.contains_key(&i) || best.is_some_and(|(_, hits, _)| hits * 4 >= many);
        let Some(path) = copies
            .get(&i)
            .cloned()
            .or_else(|| best.map(|(place, ..)| place.0.clone()))
        else {
            continue;
        };
        let Some(base) = shelf.bytes(&path)? else {
            continue;
        };
        let Some(entry) = made.manifest.files.get(*at).cloned() else {
            continue;
        };
        let mut changes = None;
        let (mut game, mut format) = (entry.game, entry.format);
        if base != *bytes {
            let (a, b, own, own_files) = match from_file(&base, &path, bytes, &entry) {
                Ok(made) if is_sure || is_short(&made, bytes.len()) => made,
                Err(e) if is_sure => return Err(e.in_file(entry.path.as_str())),
                _ => continue,
            };
            (game, format) = (a.game, a.format);
            made.files
                .retain(|path, _| Some(path) != entry.new.as_ref());
            made.files.extend(own_files);
            making.note(*at, &own, &b);
            changes = Some(own);
        } else {
            made.files
                .retain(|path, _| Some(path) != entry.new.as_ref());
        }
        if let (Some(slot), Some(own)) =
            (made.manifest.files.get_mut(*at), made.changes.get_mut(*at))
        {
            (slot.new, slot.game, slot.format) = (None, game, format);
            slot.changes = changes
                .as_ref()
                .map(|_| format!("changes/{}.json", entry.path));
            slot.base = Some(Base {
                path,
                original: State::of(&Blob::Memory(base.clone()))?,
            });
            *own = changes;
        }
    }
    Ok(())
}

/// The bases that are named, by the position of the new file among those that are added.
fn named_bases(
    made: &Mod,
    making: &Making,
    game: &dyn Originals,
) -> Result<HashMap<usize, String>> {
    let mut out = HashMap::new();
    let paths = game.paths();
    for (new, old) in &making.bases {
        let is_it = |(at, _): &(usize, Blob)| {
            made.manifest
                .files
                .get(*at)
                .is_some_and(|entry| entry.path == *new)
        };
        let at = making.added.iter().position(is_it);
        let at = at.ok_or_else(|| {
            Error::say("--base names a file that the mod does not add").in_file(new.as_str())
        })?;
        if !paths.contains(old) {
            let error = Error::say(format!("the game has no file {old} that could be the base"))
                .in_file(new.as_str());
            return Err(
                error.hint(did_you_mean(old, paths.iter().map(String::as_str)).unwrap_or_default())
            );
        }
        out.insert(at, old.clone());
    }
    Ok(out)
}

/// A file as changes of another one: both, the changes, and the author's files in them.
type FromFile = (Tree, Tree, FileChanges, BTreeMap<String, Bytes>);

fn from_file(base: &Bytes, path: &str, bytes: &Bytes, entry: &FileEntry) -> Result<FromFile> {
    let a = Tree::of_file(&Blob::Memory(base.clone()), path, Hints::default())?;
    let b = Tree::of_file(
        &Blob::Memory(bytes.clone()),
        &entry.path,
        Hints {
            game: a.game,
            format: a.format,
        },
    )?;
    let (own, own_files) = proved(&a, &b, &format!("new/{}", entry.path))?;
    Ok((a, b, own, own_files))
}

/// True for changes of fields with less than a quarter of a file's bytes.
fn is_short((_, _, own, files): &FromFile, bytes: usize) -> bool {
    let stored: usize = files.values().map(Bytes::len).sum();
    own.parts.iter().all(|part| !part.part.is_empty())
        && serde_json::to_vec(own).is_ok_and(|text| (text.len() + stored) * 4 < bytes)
}

/// The author's bytes in pieces.
fn fresh_bytes(pieces: &Pieces, files: &BTreeMap<String, Bytes>) -> Result<Bytes> {
    match &pieces.file {
        Some(path) => files.get(path).cloned().ok_or_else(|| Error::missing(path)),
        None => Ok(pieces.inline().unwrap_or_default().into()),
    }
}

/// Everything that the mod stores of files and parts.
fn fresh(made: &Mod, making: &Making) -> Result<Vec<Fresh>> {
    let mut out = Vec::new();
    let whole = |at, content: Bytes, is_document| Fresh {
        at,
        fresh: content.clone(),
        content,
        is_document,
    };
    for (i, (entry, changes)) in made.manifest.files.iter().zip(&made.changes).enumerate() {
        if let Some(new) = &entry.new {
            out.push(whole((i, None), made.file(new)?.clone(), false));
        }
        for (j, part) in changes
            .iter()
            .flat_map(|changes| &changes.parts)
            .enumerate()
        {
            let Some(own) = making.parts.get(&(i, part.part.clone())) else {
                continue;
            };
            let at = (i, Some(j));
            let pieces = match (&part.new, &part.pieces) {
                (Some(NewPart::Document(_)), _) => {
                    out.push(whole(at, own.bytes()?, true));
                    continue;
                }
                (Some(NewPart::File(file)), _) => {
                    out.push(whole(at, made.file(file)?.clone(), false));
                    continue;
                }
                (Some(NewPart::Pieces(pieces)), _) | (None, Some(pieces)) => pieces,
                _ => continue,
            };
            out.push(Fresh {
                at,
                fresh: fresh_bytes(pieces, &made.files)?,
                content: own.bytes()?,
                is_document: false,
            });
        }
    }
    Ok(out)
}

/// Replaces runs of the game in new parts and files with pieces of the game, and searches the game
/// for the values that the changed files do not explain.
fn parts(
    made: &mut Mod,
    making: &Making,
    game: &dyn Originals,
    shelf: &mut Shelf<'_>,
    values: &mut Values<'_>,
) -> Result<()> {
    let mut fresh = fresh(made, making)?;
    fresh.retain(|fresh| fresh.fresh.len() >= RUN);
    let blocks = Blocks::of(fresh.iter().map(|fresh| &fresh.fresh[..]).collect());
    let mut found = vec![Found::default(); fresh.len()];
    if !fresh.is_empty() {
        search_files(&blocks, game, &mut found)?;
    }
    // Content that no file stores verbatim may be in a part: a document, a picture, or something
    // packed.
    let is_open = |i: usize| found.get(i).is_some_and(|found| blocks.is_open(i, found));
    let open: Vec<&Fresh> = fresh
        .iter()
        .enumerate()
        .filter(|(i, _)| is_open(*i))
        .map(|(_, fresh)| fresh)
        .collect();
    let of_file = |fresh: &&Fresh| {
        made.manifest
            .files
            .get(fresh.at.0)
            .and_then(|entry| entry.format)
    };
    let mut formats: BTreeSet<Format> = open.iter().filter_map(of_file).collect();
    if open.iter().any(|fresh| !fresh.is_document) {
        formats.extend([Format::Pbo, Format::Rof, Format::Textures]);
    }
    formats.extend(values.open(made));
    if !formats.is_empty() || !open.is_empty() {
        search_parts(&blocks, game, &shelf.hints, &formats, &mut found, values)?;
    }
    for (i, (fresh, found)) in fresh.iter().zip(&found).enumerate() {
        if fresh.is_document {
            let Some((place, hits, _)) = &found.best else {
                continue;
            };
            if hits * 3 >= blocks.blocks(i).len() {
                document(made, making, fresh, place, shelf)?;
            }
        } else if found.best.is_some() {
            bytes(made, fresh, &found.sources(), shelf)?;
        }
    }
    Ok(())
}

/// Turns a new document that resembles one of the game into changes of that document.
fn document(
    made: &mut Mod,
    making: &Making,
    fresh: &Fresh,
    place: &Place,
    shelf: &mut Shelf<'_>,
) -> Result<()> {
    let (Some(held), Some(path)) = (shelf.held(place)?, &place.1) else {
        return Ok(());
    };
    let Some(tree) = shelf.tree(&place.0)? else {
        return Ok(());
    };
    let Some(slot) = part_of(made, fresh.at) else {
        return Ok(());
    };
    let own = making.parts.get(&(fresh.at.0, slot.part.clone()));
    let (Some(old), Some(new)) = (tree.parts.get(path), own) else {
        return Ok(());
    };
    if old.kind != new.kind {
        return Ok(());
    }
    let (kept, old) = (content(old)?, old.value()?);
    if let (Some(old), Some(new)) = (old, new.value()?) {
        let changes: Vec<StoredChange> = diff::compare(&old, &new).iter().map(entry).collect();
        if changed(kept, &changes, &delta::Room::of(u64::MAX))
            .is_ok_and(|made| made == Content::Value(new))
        {
            (slot.changes, slot.new) = (changes, Some(NewPart::From(held.origin)));
        }
    }
    Ok(())
}

fn part_of(made: &mut Mod, at: (usize, Option<usize>)) -> Option<&mut PartEntry> {
    made.changes.get_mut(at.0)?.as_mut()?.parts.get_mut(at.1?)
}

/// Replaces runs of the game in a plain file with pieces.
fn bytes(made: &mut Mod, fresh: &Fresh, sources: &[Place], shelf: &mut Shelf<'_>) -> Result<()> {
    let Some(file) = made.manifest.files.get(fresh.at.0) else {
        return Ok(());
    };
    let own_file = file
        .original
        .is_some()
        .then(|| file.path.clone())
        .or_else(|| file.base.as_ref().map(|base| base.path.clone()));
    let (path, new) = (file.path.clone(), file.new.clone());
    let mut places: Vec<Place> = Vec::new();
    let mut was = String::new();
    let mut stem = format!("new/{path}");
    if let Some(slot) = part_of(made, fresh.at) {
        if !slot.part.is_empty() {
            stem = format!("{stem}/{}", slot.part);
        } else {
            stem = format!("{stem}.new");
        }
        if let (Some(file), Some(pieces)) = (&own_file, &slot.pieces) {
            was = pieces.was.clone();
            places.push((
                file.clone(),
                Some(slot.part.clone()).filter(|part| !part.is_empty()),
            ));
        }
        let whole = slot
            .pieces
            .as_ref()
            .is_some_and(|pieces| pieces.whole.is_some());
        if let (Some(file), true) = (
            &own_file,
            whole || matches!(slot.new, Some(NewPart::Pieces(_))),
        ) {
            places.push((file.clone(), None));
        }
    }
    places.extend(
        sources
            .iter()
            .filter(|place| !places.contains(place))
            .cloned()
            .collect::<Vec<_>>(),
    );
    let mut held = Vec::new();
    for place in &places {
        held.extend(shelf.held(place)?);
    }
    let known: Vec<delta::Known<'_>> = held
        .iter()
        .map(|held| delta::Known::new(&held.content))
        .collect();
    let known: Vec<&delta::Known<'_>> = known.iter().collect();
    let ranges = delta::ranges_of(&known, &fresh.content);
    let slot = part_of(made, fresh.at);
    let old = match &slot {
        Some(slot) => slot.file().cloned(),
        None => new,
    };
    let mut files = BTreeMap::new();
    let mut pieces = cut(
        was,
        ranges,
        &fresh.content,
        old.as_ref().unwrap_or(&stem),
        &mut files,
    );
    let contents: Vec<&[u8]> = held.iter().map(|held| &held.content[..]).collect();
    if made_of(&contents, &pieces, &files, &delta::Room::of(u64::MAX))
        .is_ok_and(|made| made != fresh.content)
    {
        return Err(Error::say("internal error: pieces do not give the file")
            .hint("this is a bug in refit, please report it"));
    }
    pieces.from = held.into_iter().map(|held| held.origin).collect();
    match slot {
        Some(slot) if slot.new.is_some() => slot.new = Some(NewPart::Pieces(pieces)),
        Some(slot) => slot.pieces = Some(pieces),
        None => {
            if let Some(entry) = made.manifest.files.get_mut(fresh.at.0) {
                entry.new = None;
                entry.pieces = Some(pieces);
            }
        }
    }
    old.map(|old| made.files.remove(&old));
    made.files.extend(files);
    Ok(())
}

/// A file of a mod that cannot be made from this game.
pub struct Missing {
    /// Its position in the manifest.
    pub file: usize,
    /// What cannot be made, and why.
    pub what: Unplaced,
}

/// True if the mod refers to files of the game other than the one being changed.
pub fn needs_others(a_mod: &Mod) -> bool {
    a_mod
        .manifest
        .files
        .iter()
        .zip(&a_mod.changes)
        .any(|(entry, changes)| {
            let has_others = |part: &PartEntry| is_of_others(part, own_sum(entry));
            entry.base.is_some()
                || entry.pieces.is_some()
                || changes
                    .iter()
                    .flat_map(|changes| &changes.parts)
                    .any(has_others)
        })
}

/// SHA-256 of the file that an entry changes.
fn own_sum(entry: &FileEntry) -> Option<&String> {
    entry
        .original
        .as_ref()
        .or(entry.base.as_ref().map(|base| &base.original))
        .map(|state| &state.sha256)
}

/// True if a part is made from files other than the one with this checksum.
fn is_of_others(part: &PartEntry, own: Option<&String>) -> bool {
    (match (&part.new, &part.pieces) {
        (Some(NewPart::From(origin)), _) => Some(&origin.sha256) != own,
        (Some(NewPart::Pieces(pieces)), _) | (_, Some(pieces)) => {
            pieces.from.iter().any(|origin| Some(&origin.sha256) != own)
        }
        _ => false,
    }) || part
        .made_values()
        .iter()
        .any(|made| made.from.iter().any(|held| held.file.is_some()))
}

/// The mod with references to other files of the game resolved: new files and new parts are stored
/// whole. Also returns what cannot be made from this game, which the mod then lacks.
pub fn resolved(a_mod: &Mod, shelf: &mut Shelf<'_>) -> Result<(Mod, Vec<Missing>)> {
    let mut out = a_mod.clone();
    let mut missing = Vec::new();
    let Mod {
        manifest,
        changes,
        files,
    } = &mut out;
    shelf
        .room
        .grow(files.values().map(|bytes| bytes.len() as u64).sum());
    for (i, (entry, changes)) in manifest
        .files
        .iter_mut()
        .zip(changes.iter_mut())
        .enumerate()
    {
        let mut miss = |part: &str, at: String, why: String| {
            missing.push(Missing {
                file: i,
                what: Unplaced::new(at, why).of(0, part),
            })
        };
        let (own, mut documents) = (own_path(entry).clone(), Documents::default());
        shelf.hints.insert(
            own.clone(),
            Hints {
                game: entry.game,
                format: entry.format,
            },
        );
        let mut parts = Vec::new();
        let mut whole = true;
        for (j, mut part) in changes
            .iter_mut()
            .flat_map(|changes| std::mem::take(&mut changes.parts))
            .enumerate()
        {
            let (name, key) = (part.part.clone(), format!("\0{i}/{j}"));
            if !is_of_others(&part, own_sum(entry)) {
                parts.push(part);
                continue;
            }
            documents.read(&part, |held| {
                shelf.value(held.file.as_deref().unwrap_or(&own), &held.part)
            })?;
            let missed = documents.unfold(&mut part.changes, &shelf.room);
            whole &= missed.is_empty();
            missed
                .into_iter()
                .for_each(|missed| miss(&name, missed.at, missed.why));
            match resolved_part(part, key, files, shelf, &documents) {
                Ok(part) => parts.push(part),
                Err(Stop::Misfit(why)) => {
                    whole = false;
                    miss(&name, String::new(), why);
                }
                Err(Stop::Failed(e)) => return Err(e),
            }
        }
        if let Some(changes) = changes {
            changes.parts = parts;
        }
        let made = match (&entry.base, &entry.pieces) {
            (Some(base), _) if whole => from_base(entry, base, changes.as_ref(), files, shelf),
            (Some(_), _) => Err("parts of it cannot be made".into()),
            (None, Some(pieces)) => shelf.joined(pieces, files),
            (None, None) => continue,
        };
        let made = made.and_then(|bytes| match &entry.result {
            Some(result) if result.sha256 != refit_base::sha256(&bytes) => {
                Err("the result is not the file that the mod's author had".into())
            }
            _ => Ok(bytes),
        });
        *changes = None;
        // `base` stays: two mods that copy the same file merge.
        (entry.pieces, entry.changes) = (None, None);
        match made {
            Ok(bytes) => {
                let key = format!("\0{i}");
                files.insert(key.clone(), bytes);
                entry.new = Some(key);
            }
            Err(Stop::Misfit(why)) if whole => miss("", String::new(), why),
            Err(Stop::Misfit(_)) => {}
            Err(Stop::Failed(e)) => return Err(e.in_file(entry.path.as_str())),
        }
    }
    Ok((out, missing))
}

fn from_base(
    entry: &FileEntry,
    base: &Base,
    changes: Option<&FileChanges>,
    files: &BTreeMap<String, Bytes>,
    shelf: &mut Shelf<'_>,
) -> Result<Bytes, Stop> {
    let origin = Origin {
        file: base.path.clone(),
        sha256: base.original.sha256.clone(),
        part: None,
    };
    let mut bytes = shelf.check(&origin)?;
    if let Some(changes) = changes {
        let hints = Hints {
            game: entry.game,
            format: entry.format,
        };
        bytes = replay(&Blob::Memory(bytes), &base.path, hints, changes, files)?
            .ok_or_else(|| format!("the changes do not fit {}", base.path))?;
    }
    shelf.room.take(bytes.len() as u64).map_err(Error::say)?;
    Ok(bytes)
}

fn resolved_part(
    mut part: PartEntry,
    key: String,
    files: &mut BTreeMap<String, Bytes>,
    shelf: &mut Shelf<'_>,
    documents: &Documents,
) -> Result<PartEntry, Stop> {
    if let Some(NewPart::Made(made)) = &part.new {
        part.new = Some(NewPart::Document(documents.value(made, &shelf.room)?));
        return Ok(part);
    }
    if let Some(NewPart::From(origin)) = &part.new {
        let content = shelf.content(origin)?;
        let changes = std::mem::take(&mut part.changes);
        part.new = Some(match changed(content, &changes, &shelf.room)? {
            Content::Value(value) => NewPart::Document(value),
            Content::Bytes(bytes) => {
                files.insert(key.clone(), bytes);
                NewPart::File(key)
            }
        });
        return Ok(part);
    }
    let pieces = match (&part.new, &part.pieces) {
        (Some(NewPart::Pieces(pieces)), _) | (None, Some(pieces)) if !pieces.from.is_empty() => {
            pieces
        }
        _ => return Ok(part),
    };
    let bytes = shelf.joined(pieces, files)?;
    if part.new.is_some() {
        part.new = Some(NewPart::File(key.clone()));
    } else {
        part.pieces = Some(Pieces {
            was: pieces.was.clone(),
            pieces: vec![delta::Piece::New(bytes.len() as u64)],
            file: Some(key.clone()),
            ..Pieces::default()
        });
    }
    files.insert(key, bytes);
    Ok(part)
}
