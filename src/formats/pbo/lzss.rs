//! The LZSS packing of `Cprs` entries (FORMAT.md): a decoder, and the packers whose choices are known.
//!
//! A packed stream is a list of items, eight to a flag byte: literals, and copies of 3 to 18 bytes from at most 4095
//! bytes back. Many streams give the same content; which one a packer writes depends on how it searches. Where a known
//! packer gives the stored stream, its name is all that a tree must remember, and an edited file is packed in the same
//! way.

use crate::{
    tree::{Blob, OneByOne},
    wire::{Error, Result},
};
use serde::{Deserialize, Serialize};

/// Shortest copy that a pointer can say.
const MIN: usize = 3;
/// Longest copy that a pointer can say.
const MAX: usize = 18;
/// Farthest back that a pointer can say.
const WINDOW: usize = 4095;
/// Bytes before the start of the content that are blanks; farther ones are undefined.
const BLANKS: usize = 4078;

/// A packer whose choices are known. The names say what it prefers among equal matches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Packer {
    /// PBO Manager 3: the oldest match inside the window, blanks before the start, or a repeated tail.
    ThreeWay,
    /// An unknown packer of before 2021: the oldest match, with 18 blanks before the start.
    #[serde(rename = "oldest18")]
    Oldest18,
    /// HEMTT: the nearest match that begins where an earlier item began.
    TokenStarts,
    /// WoozyMasta's tools: the nearest match within 2048 bytes that does not overlap itself.
    #[serde(rename = "newest2048_flat")]
    Newest2048Flat,
    /// The engine's own family: classic LZSS with binary search trees.
    Tree,
    /// The nearest of the longest matches.
    Newest,
    /// No copies at all.
    Literal,
}

impl Packer {
    /// All packers, in the order in which they are tried.
    pub const ALL: [Packer; 7] = [
        Packer::ThreeWay,
        Packer::Oldest18,
        Packer::TokenStarts,
        Packer::Newest2048Flat,
        Packer::Tree,
        Packer::Newest,
        Packer::Literal,
    ];

    /// The name as it stands in trees.
    pub fn name(self) -> &'static str {
        match self {
            Packer::ThreeWay => "three_way",
            Packer::Oldest18 => "oldest18",
            Packer::TokenStarts => "token_starts",
            Packer::Newest2048Flat => "newest2048_flat",
            Packer::Tree => "tree",
            Packer::Newest => "newest",
            Packer::Literal => "literal",
        }
    }
}

/// One item of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// Bytes back, for a copy.
    pub distance: u16,
    /// 3 to 18 for a copy, 1 for a literal.
    pub length: u8,
}

impl Item {
    const LITERAL: Item = Item { distance: 0, length: 1 };

    fn copy(distance: usize, length: usize) -> Item {
        // Callers search within the window: both fit.
        Item { distance: distance as u16 & 0xfff, length: length as u8 }
    }

    fn is_literal(self) -> bool {
        self.length == 1
    }
}

/// The items of a stream. Most are literals, of which only the number is kept: a list of them would be larger than the
/// content.
#[derive(Clone, Debug, Default)]
pub struct Items {
    /// So many literals, then a copy: 12 bits of distance, 4 of its length. [`MANY`] literals are followed by none.
    runs: Vec<(u16, u16)>,
    /// Literals behind the last run.
    literals: u16,
}

/// Literals that fill a run.
const MANY: u16 = u16::MAX;

impl Items {
    fn push(&mut self, item: Item) {
        if !item.is_literal() {
            let copy = item.distance << 4 | u16::from(item.length.wrapping_sub(MIN as u8)) & 0x0f;
            self.runs.push((std::mem::take(&mut self.literals), copy));
            return;
        }
        self.literals += 1;
        if self.literals == MANY {
            self.runs.push((std::mem::take(&mut self.literals), 0));
        }
    }

    /// The items, in order.
    pub fn iter(&self) -> impl Iterator<Item = Item> {
        let literals = |n: u16| std::iter::repeat_n(Item::LITERAL, n.into());
        let run = move |(n, copy): &(u16, u16)| {
            let copy = (*n != MANY).then(|| Item::copy((copy >> 4).into(), usize::from(copy & 0x0f) + MIN));
            literals(*n).chain(copy)
        };
        self.runs.iter().flat_map(run).chain(literals(self.literals))
    }
}

/// What an unpacked stream was like.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The unpacked bytes.
    pub content: Vec<u8>,
    /// The items, in order.
    pub items: Items,
    /// The stored check value; `None` for the empty stream of an empty file, which has none.
    pub check: Option<u32>,
    /// Bytes behind the check value.
    pub behind: usize,
    /// Unused bits of the last flag byte that are set.
    pub spare: u8,
    /// Copies that reach beyond the blanks before the start.
    pub undefined: usize,
    /// Copies with a distance of zero.
    pub zero_distance: usize,
    /// The last copy is longer than the content.
    pub cut: bool,
}

/// The check value: the sum of all unpacked bytes, unsigned, modulo 2³².
pub(crate) fn check_value(content: &[u8]) -> u32 {
    // The sum of a chunk fits 32 bits: with a wider sum the compiler would not add many bytes at a time.
    content.chunks(1 << 16).fold(0u32, |sum, chunk| sum.wrapping_add(chunk.iter().map(|b| u32::from(*b)).sum()))
}

/// The check value of textures, with signed bytes: some tools use it here by mistake.
pub(crate) fn signed_check_value(content: &[u8]) -> u32 {
    content.iter().fold(0u32, |sum, b| sum.wrapping_add(i32::from(*b as i8) as u32))
}

/// Unpacks a payload to exactly `original` bytes: an error where it cannot be read, and why where it is no such stream.
pub fn unpack(payload: &Blob, original: u32) -> Result<Result<Stream>> {
    let mut bytes = payload.one_by_one();
    let stream = unpack_bytes(&mut bytes, original);
    bytes.sound()?;
    Ok(stream)
}

fn unpack_bytes(bytes: &mut OneByOne<'_>, original: u32) -> Result<Stream> {
    let (original, packed) = (original as usize, bytes.left());
    // 17 packed bytes give at most 8 × 18: a wild size is refused before anything is reserved for it.
    if original as u64 > packed.saturating_mul(9) {
        return Err(Error::say(format!("{packed} packed bytes cannot unpack to {original}")));
    }
    let mut out = Stream {
        content: Vec::with_capacity(original),
        items: Items::default(),
        check: None,
        behind: 0,
        spare: 0,
        undefined: 0,
        zero_distance: 0,
        cut: false,
    };
    if original == 0 && packed == 0 {
        return Ok(out);
    }
    let short =
        |content: &Vec<u8>| Error::say(format!("the packed bytes end after {} of {original} bytes", content.len()));
    while out.content.len() < original {
        let mut flags = bytes.next().ok_or_else(|| short(&out.content))?;
        for _ in 0..8 {
            if out.content.len() >= original {
                // Bits of the flag byte that no item used.
                out.spare = flags;
                break;
            }
            let literal = flags & 1 != 0;
            flags >>= 1;
            let first = bytes.next().ok_or_else(|| short(&out.content))?;
            if literal {
                out.content.push(first);
                out.items.push(Item::LITERAL);
                continue;
            }
            let second = bytes.next().ok_or_else(|| short(&out.content))?;
            let distance = usize::from(first) | usize::from(second & 0xf0) << 4;
            let length = usize::from(second & 0x0f) + MIN;
            out.items.push(Item::copy(distance, length));
            let left = original - out.content.len();
            out.cut |= length > left;
            copy(&mut out, distance, length.min(left));
        }
    }
    let left = bytes.left();
    let mut check = [0; 4];
    for byte in &mut check {
        *byte = bytes.next().ok_or_else(|| Error::say(format!("{left} bytes are left for the check value")))?;
    }
    out.check = Some(u32::from_le_bytes(check));
    out.behind = usize::try_from(bytes.left()).unwrap_or(usize::MAX);
    Ok(out)
}

/// Copies byte by byte: a copy that is longer than its distance repeats the pattern, and before the start are blanks.
fn copy(out: &mut Stream, distance: usize, length: usize) {
    let content = &mut out.content;
    let pos = content.len();
    out.undefined += usize::from(distance > pos + BLANKS);
    out.zero_distance += usize::from(distance == 0);
    // A ring decoder reads a distance of zero as one of 4096.
    let distance = if distance == 0 { WINDOW + 1 } else { distance };
    if distance >= length
        && let Some(start) = pos.checked_sub(distance)
    {
        content.extend_from_within(start..start + length);
        return;
    }
    for i in 0..length {
        let byte = (pos + i).checked_sub(distance).and_then(|s| content.get(s)).copied().unwrap_or(b' ');
        content.push(byte);
    }
}

/// Spells items as packed bytes.
struct Encoder<'a> {
    content: &'a [u8],
    out: Vec<u8>,
    flags_at: usize,
    bit: u32,
    pos: usize,
}

impl<'a> Encoder<'a> {
    fn new(content: &'a [u8]) -> Self {
        Encoder { content, out: Vec::with_capacity(content.len() / 2 + 16), flags_at: 0, bit: 8, pos: 0 }
    }

    fn push(&mut self, item: Item) {
        if self.bit == 8 {
            self.bit = 0;
            self.flags_at = self.out.len();
            self.out.push(0);
        }
        if item.is_literal() {
            if let Some(flags) = self.out.get_mut(self.flags_at) {
                *flags |= 1 << self.bit;
            }
            self.out.extend(self.content.get(self.pos));
        } else {
            let high = (item.distance >> 4) as u8 & 0xf0;
            self.out.extend([item.distance as u8, high | item.length.wrapping_sub(MIN as u8) & 0x0f]);
        }
        self.pos += usize::from(item.length);
        self.bit += 1;
    }

    fn finish(mut self) -> Vec<u8> {
        self.out.extend(check_value(self.content).to_le_bytes());
        self.out
    }
}

/// Packs content the way `packer` does.
pub fn pack(packer: Packer, content: &[u8]) -> Vec<u8> {
    let mut out = Encoder::new(content);
    parse(packer, content, usize::MAX, |item| {
        out.push(item);
        true
    });
    out.finish()
}

/// All packers that give these very items, in the order in which they are tried.
pub fn identify(stream: &Stream) -> Vec<Packer> {
    // So that a hostile archive cannot make the search slow: ordinary content needs a fraction of it.
    let steps = stream.content.len().saturating_mul(400).saturating_add(1 << 20);
    let gives = |packer: &Packer| {
        let mut stored = stream.items.iter();
        let done = parse(*packer, &stream.content, steps, |item| stored.next() == Some(item));
        done && stored.next().is_none()
    };
    Packer::ALL.into_iter().filter(gives).collect()
}

/// The packer that the others of these streams speak for: short files look the same from many.
pub fn usual<'a>(found: impl IntoIterator<Item = &'a Vec<Packer>>) -> Option<Packer> {
    let mut votes = [0usize; Packer::ALL.len()];
    for packers in found {
        for (vote, _) in votes.iter_mut().zip(Packer::ALL).filter(|(_, packer)| packers.contains(packer)) {
            *vote += 1;
        }
    }
    let most = votes.iter().copied().max().filter(|most| *most > 0)?;
    Packer::ALL.into_iter().zip(votes).find(|(_, vote)| *vote == most).map(|(packer, _)| packer)
}

/// One of the packers that give a stream: the archive's usual one where it is among them. Where none does, the usual
/// one, or the engine's own.
pub fn choose(found: &[Packer], usual: Option<Packer>) -> Packer {
    match usual {
        Some(usual) if found.is_empty() || found.contains(&usual) => usual,
        _ => found.first().copied().unwrap_or(Packer::Tree),
    }
}

/// True when a payload of `len` bytes that is no packed stream seems to be one by chance: its check value is wrong, and
/// so are its sizes.
pub(crate) fn is_chance(stream: &Stream, len: u64) -> bool {
    let wrong = |check| check != check_value(&stream.content) && check != signed_check_value(&stream.content);
    stream.check.is_some_and(wrong) && (stream.behind > 0 || stream.content.len() as u64 == len)
}

/// True when `payload`, which unpacked to `stream`, is spelled as [`pack`] spells: then every packer that gives its
/// items gives these very bytes.
pub fn is_regular(stream: &Stream, payload: &Blob) -> Result<bool> {
    let mut out = Encoder { content: &stream.content, ..Encoder::new(&[]) };
    let mut at = 0;
    // Some groups at a time: the packed bytes need not stand in memory.
    for item in stream.items.iter() {
        if out.bit == 8 && out.out.len() >= 1 << 15 {
            if !payload.slice(at, out.out.len() as u64)?.is(&out.out)? {
                return Ok(false);
            }
            at += out.out.len() as u64;
            out.out.clear();
        }
        out.push(item);
    }
    payload.slice(at, u64::MAX)?.is(&out.finish())
}

/// Gives the items that `packer` chooses to `take`, which can stop it. False when it was stopped or ran out of steps.
fn parse(packer: Packer, content: &[u8], steps: usize, mut take: impl FnMut(Item) -> bool) -> bool {
    match packer {
        Packer::ThreeWay => three_way(content, steps, &mut take),
        Packer::Oldest18 => oldest18(content, steps, &mut take),
        Packer::TokenStarts => nearest(content, WINDOW, true, true, steps, &mut take),
        Packer::Newest2048Flat => nearest(content, 2048, false, false, steps, &mut take),
        Packer::Newest => nearest(content, WINDOW, true, false, steps, &mut take),
        Packer::Literal => content.iter().all(|_| take(Item::LITERAL)),
        Packer::Tree => Trees::new(content).parse(steps, &mut take),
    }
}

/// How many bytes at `a` and `b` are equal, at most `most`.
fn run(text: &[u8], a: usize, b: usize, most: usize) -> usize {
    let (a, b) = (text.get(a..).unwrap_or_default(), text.get(b..).unwrap_or_default());
    a.iter().zip(b).take(most).take_while(|(a, b)| a == b).count()
}

const NONE: u32 = u32::MAX;

/// The positions of the last 4096 bytes at which the same three bytes stand, from the oldest on or from the newest
/// back.
struct Chains<'a> {
    text: &'a [u8],
    oldest: Vec<u32>,
    newest: Vec<u32>,
    /// Per position in the ring: the next newer and the next older of the same three bytes.
    newer: Vec<u32>,
    older: Vec<u32>,
}

impl<'a> Chains<'a> {
    fn new(text: &'a [u8]) -> Self {
        // Entries are u32: larger contents do not exist, their size field has 32 bits.
        Chains {
            text,
            oldest: vec![NONE; 1 << 12],
            newest: vec![NONE; 1 << 12],
            newer: vec![NONE; 1 << 12],
            older: vec![NONE; 1 << 12],
        }
    }

    fn key(&self, at: usize) -> Option<usize> {
        let [a, b, c] = *self.text.get(at..)?.first_chunk()?;
        let word = u32::from(a) | u32::from(b) << 8 | u32::from(c) << 16;
        Some((word.wrapping_mul(0x9e37_79b1) >> 20) as usize)
    }

    fn get(list: &[u32], i: usize) -> u32 {
        list.get(i & 0xfff).copied().unwrap_or(NONE)
    }

    fn set(list: &mut [u32], i: usize, value: u32) {
        if let Some(slot) = list.get_mut(i & 0xfff) {
            *slot = value;
        }
    }

    /// Makes `at` findable. Positions come in ascending order; those more than 4095 back are forgotten.
    fn insert(&mut self, at: usize) {
        let Some(key) = self.key(at) else { return };
        let last = Self::get(&self.newest, key);
        Self::set(&mut self.older, at, last);
        Self::set(&mut self.newer, at, NONE);
        if last != NONE && last as usize + WINDOW >= at {
            Self::set(&mut self.newer, last as usize, at as u32);
        } else {
            Self::set(&mut self.oldest, key, at as u32);
        }
        Self::set(&mut self.newest, key, at as u32);
    }

    /// Forgets `at`, the oldest position of all, before its place in the ring is used again.
    fn forget(&mut self, at: usize) {
        if let Some(key) = self.key(at)
            && Self::get(&self.oldest, key) == at as u32
        {
            let next = Self::get(&self.newer, at);
            Self::set(&mut self.oldest, key, next);
        }
    }

    /// From the newest back, as far as `most` bytes before `pos`.
    fn back(&self, pos: usize, most: usize) -> impl Iterator<Item = usize> {
        let mut next = self.key(pos).map_or(NONE, |key| Self::get(&self.newest, key));
        let mut below = pos;
        std::iter::from_fn(move || {
            let at = next as usize;
            if next == NONE || at >= below || at + most < pos {
                return None;
            }
            below = at;
            next = Self::get(&self.older, at);
            Some(at)
        })
    }

    /// From the oldest on.
    fn forth(&self, pos: usize) -> impl Iterator<Item = usize> {
        let mut next = self.key(pos).map_or(NONE, |key| Self::get(&self.oldest, key));
        std::iter::from_fn(move || {
            let at = next as usize;
            if next == NONE || at >= pos {
                return None;
            }
            next = Self::get(&self.newer, at);
            Some(at)
        })
    }
}

/// The nearest of the longest matches; `starts`: only where an earlier item began.
fn nearest(
    text: &[u8],
    window: usize,
    overlap: bool,
    starts: bool,
    mut steps: usize,
    take: &mut dyn FnMut(Item) -> bool,
) -> bool {
    let mut chains = Chains::new(text);
    let mut pos = 0;
    while pos < text.len() {
        let most = MAX.min(text.len() - pos);
        let (mut length, mut distance) = (0, 0);
        for at in chains.back(pos, window) {
            let back = pos - at;
            let found = run(text, at, pos, if overlap { most } else { most.min(back) });
            steps = steps.saturating_sub(found + 1);
            if found > length {
                (length, distance) = (found, back);
                if length == most {
                    break;
                }
            }
        }
        if steps == 0 || !take(if length < MIN { Item::LITERAL } else { Item::copy(distance, length) }) {
            return false;
        }
        let length = if length < MIN { 1 } else { length };
        chains.insert(pos);
        if !starts {
            (pos + 1..pos + length).for_each(|at| chains.insert(at));
        }
        pos += length;
    }
    true
}

/// Blanks stand before the text; the oldest of the longest matches; the first byte is always a literal.
fn oldest18(content: &[u8], mut steps: usize, take: &mut dyn FnMut(Item) -> bool) -> bool {
    let mut text = vec![b' '; MAX];
    text.extend_from_slice(content);
    let mut chains = Chains::new(&text);
    (0..MAX).for_each(|at| chains.insert(at));
    let mut pos = MAX;
    while pos < text.len() {
        let most = MAX.min(text.len() - pos);
        let (mut length, mut distance) = (0, 0);
        if pos > MAX {
            for at in chains.forth(pos) {
                let found = run(&text, at, pos, most);
                steps = steps.saturating_sub(found + 1);
                if found > length {
                    (length, distance) = (found, pos - at);
                    if length == most {
                        break;
                    }
                }
            }
        }
        if steps == 0 || !take(if length < MIN { Item::LITERAL } else { Item::copy(distance, length) }) {
            return false;
        }
        for _ in 0..if length < MIN { 1 } else { length } {
            if let Some(gone) = pos.checked_sub(WINDOW) {
                chains.forget(gone);
            }
            chains.insert(pos);
            pos += 1;
        }
    }
    true
}

/// PBO Manager 3: the oldest match that lies wholly in the window; else blanks before the start; else the repeated
/// tail.
fn three_way(text: &[u8], mut steps: usize, take: &mut dyn FnMut(Item) -> bool) -> bool {
    let mut chains = Chains::new(text);
    let mut pos = 0;
    while pos < text.len() {
        let most = MAX.min(text.len() - pos);
        let mut best = Item::LITERAL;
        if most >= MIN {
            let (mut length, mut distance) = (0, 0);
            for at in chains.forth(pos) {
                let found = run(text, at, pos, most.min(pos - at));
                steps = steps.saturating_sub(found + 1);
                if found > length {
                    (length, distance) = (found, pos - at);
                    if length == most {
                        break;
                    }
                }
            }
            if length < most {
                let ahead = text.get(pos..pos + most).unwrap_or_default();
                let blanks = match pos {
                    0..4077 => ahead.iter().take_while(|b| **b == b' ').count(),
                    _ => 0,
                };
                let (mut tail, mut period) = (0, 0);
                for p in 1..pos.min(WINDOW).min(most) {
                    let repeated = text.get(pos - p..pos).unwrap_or_default();
                    let found = repeated.iter().cycle().zip(ahead).take_while(|(a, b)| a == b).count();
                    steps = steps.saturating_sub(found + 1);
                    if found > tail {
                        (tail, period) = (found, p);
                    }
                }
                if length >= blanks && length >= tail {
                } else if blanks >= tail {
                    (length, distance) = (blanks, pos + blanks);
                } else {
                    (length, distance) = (tail, period);
                }
            }
            if length >= MIN {
                best = Item::copy(distance, length);
            }
        }
        if steps == 0 || !take(best) {
            return false;
        }
        for _ in 0..best.length {
            if let Some(gone) = pos.checked_sub(WINDOW) {
                chains.forget(gone);
            }
            chains.insert(pos);
            pos += 1;
        }
    }
    true
}

/// Slots of the ring.
const RING: usize = 4096;
/// No node.
const NIL: usize = RING;

/// Classic LZSS: a ring, and one binary search tree per first byte over the strings in it.
struct Trees<'a> {
    content: &'a [u8],
    /// The ring; its first 17 slots are mirrored behind it, so that a string is one slice.
    ring: [u8; RING + MAX - 1],
    left: [u16; RING + 1],
    /// Behind the nodes stand the roots, one per first byte.
    right: [u16; RING + 257],
    parent: [u16; RING + 1],
    found: usize,
    length: usize,
    steps: usize,
}

impl<'a> Trees<'a> {
    fn new(content: &'a [u8]) -> Box<Self> {
        let nil = NIL as u16;
        let mut ring = [0; RING + MAX - 1];
        for slot in ring.iter_mut().take(BLANKS) {
            *slot = b' ';
        }
        Box::new(Trees {
            content,
            ring,
            left: [nil; RING + 1],
            right: [nil; RING + 257],
            parent: [nil; RING + 1],
            found: 0,
            length: 0,
            steps: 0,
        })
    }

    fn at(list: &[u16], i: usize) -> usize {
        list.get(i).copied().map_or(NIL, usize::from)
    }

    fn set(list: &mut [u16], i: usize, node: usize) {
        if let Some(slot) = list.get_mut(i) {
            *slot = node as u16;
        }
    }

    fn string(&self, node: usize) -> &[u8] {
        self.ring.get(node..node + MAX).unwrap_or_default()
    }

    /// Puts `node` in the place of `old` below its parent.
    fn replace(&mut self, old: usize, node: usize) {
        let parent = Self::at(&self.parent, old);
        Self::set(&mut self.parent, node, parent);
        if Self::at(&self.right, parent) == old {
            Self::set(&mut self.right, parent, node);
        } else {
            Self::set(&mut self.left, parent, node);
        }
    }

    /// Inserts the string at `new` and remembers the first longest match on the way down.
    fn insert(&mut self, new: usize) {
        Self::set(&mut self.left, new, NIL);
        Self::set(&mut self.right, new, NIL);
        self.length = 0;
        let mut node = RING + 1 + usize::from(self.ring.get(new).copied().unwrap_or_default());
        // From a root the way goes right.
        let mut right = true;
        loop {
            let side = if right { Self::at(&self.right, node) } else { Self::at(&self.left, node) };
            if side == NIL {
                Self::set(if right { &mut self.right } else { &mut self.left }, node, new);
                Self::set(&mut self.parent, new, node);
                return;
            }
            node = side;
            let (a, b) = (self.string(new), self.string(node));
            // All 18 bytes are compared, whatever is left of the text.
            let same = a.iter().zip(b).skip(1).take_while(|(a, b)| a == b).count() + 1;
            right = a.get(same) >= b.get(same);
            self.steps = self.steps.saturating_sub(same);
            if same > self.length {
                (self.found, self.length) = (node, same);
                if same >= MAX {
                    break;
                }
            }
        }
        // An equal string: the new node takes its place.
        self.replace(node, new);
        let (left, right) = (Self::at(&self.left, node), Self::at(&self.right, node));
        Self::set(&mut self.left, new, left);
        Self::set(&mut self.right, new, right);
        Self::set(&mut self.parent, left, new);
        Self::set(&mut self.parent, right, new);
        Self::set(&mut self.parent, node, NIL);
    }

    fn remove(&mut self, node: usize) {
        if Self::at(&self.parent, node) == NIL {
            return;
        }
        let (left, right) = (Self::at(&self.left, node), Self::at(&self.right, node));
        let heir = if right == NIL {
            left
        } else if left == NIL {
            right
        } else {
            // The in-order predecessor: the rightmost node of the left branch.
            let mut heir = left;
            while Self::at(&self.right, heir) != NIL {
                heir = Self::at(&self.right, heir);
            }
            if heir != left {
                let (up, below) = (Self::at(&self.parent, heir), Self::at(&self.left, heir));
                Self::set(&mut self.right, up, below);
                Self::set(&mut self.parent, below, up);
                Self::set(&mut self.left, heir, left);
                Self::set(&mut self.parent, left, heir);
            }
            Self::set(&mut self.right, heir, right);
            Self::set(&mut self.parent, right, heir);
            heir
        };
        self.replace(node, heir);
        Self::set(&mut self.parent, node, NIL);
    }

    fn store(&mut self, slot: usize, byte: u8) {
        if let Some(place) = self.ring.get_mut(slot) {
            *place = byte;
        }
        if slot < MAX - 1
            && let Some(place) = self.ring.get_mut(slot + RING)
        {
            *place = byte;
        }
    }

    fn parse(mut self: Box<Self>, steps: usize, take: &mut dyn FnMut(Item) -> bool) -> bool {
        self.steps = steps;
        let mut input = self.content.iter().copied();
        // `write` is the slot that the next byte of input overwrites, `read` the start of what is encoded.
        let (mut write, mut read) = (0, BLANKS);
        let mut ahead = 0;
        for byte in input.by_ref().take(MAX) {
            self.store(read + ahead, byte);
            ahead += 1;
        }
        if ahead == 0 {
            return true;
        }
        for i in 1..=MAX {
            self.insert(read - i);
        }
        self.insert(read);
        while ahead > 0 {
            let length = self.length.min(ahead);
            let item = if length < MIN { Item::LITERAL } else { Item::copy((read + RING - self.found) % RING, length) };
            if self.steps == 0 || !take(item) {
                return false;
            }
            for _ in 0..item.length {
                self.remove(write);
                match input.next() {
                    Some(byte) => self.store(write, byte),
                    None => ahead -= 1,
                }
                write = (write + 1) % RING;
                read = (read + 1) % RING;
                if ahead > 0 {
                    self.insert(read);
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn items(packer: Packer, text: &str) -> String {
        let mut out = String::new();
        let mut pos = 0;
        parse(packer, text.as_bytes(), usize::MAX, |item| {
            if item.is_literal() {
                out.push(char::from(text.as_bytes()[pos]));
            } else {
                out.push_str(&format!("({},{})", item.distance, item.length));
            }
            pos += usize::from(item.length);
            true
        });
        out
    }

    /// What each packer makes of short texts.
    #[test]
    fn the_references_streams_unpack() {
        for (content, packed) in [
            ("aaaaaaaaaa", "01 61 01 06 CA 03 00 00"),
            ("AB   AB   AB", "03 41 42 05 07 49 02 00 00"),
            ("                   B", "05 20 13 0F 42 A2 02 00 00"),
            ("123456789", "FF 31 32 33 34 35 36 37 38 01 39 DD 01 00 00"),
        ] {
            let payload: Vec<u8> = packed.split(' ').map(|b| u8::from_str_radix(b, 16).unwrap()).collect();
            let blob = |bytes: &[u8]| Blob::from(Bytes::copy_from_slice(bytes));
            let stream = unpack(&blob(&payload), content.len() as u32).unwrap().unwrap();
            assert_eq!(stream.content, content.as_bytes());
            assert!(is_regular(&stream, &blob(&payload)).unwrap(), "{packed}");
            assert!(!is_regular(&stream, &blob(&[&payload[..], &[0]].concat())).unwrap(), "{packed}");
            // Cut anywhere, it is refused.
            for len in 0..payload.len() {
                assert!(unpack(&blob(&payload[..len]), content.len() as u32).unwrap().is_err());
            }
        }
    }

    /// What each packer makes of blanks and repeats.
    #[test]
    fn the_packers_choose_as_the_reference_says() {
        let cat = "the cat the cat the cat sat";
        let blanks = "    ab    ab    abab";
        for (packer, first, second) in [
            (Packer::Tree, "the cat(8,17)sat", "(1,4)ab(6,12)ab"),
            (Packer::Oldest18, "the cat(8,17)sat", " (19,3)ab(6,12)ab"),
            (Packer::ThreeWay, "the cat (8,8)(16,8)sat", "(4,4)ab(6,6)(12,6)ab"),
            (Packer::TokenStarts, "the cat (8,16)sat", " (1,3)ab(6,12)ab"),
            (Packer::Newest2048Flat, "the cat (8,8)(8,8)sat", "    ab(6,6)(6,6)ab"),
        ] {
            assert_eq!(items(packer, cat), first, "{packer:?}");
            assert_eq!(items(packer, blanks), second, "{packer:?}");
        }
    }
    #[test]
    fn long_runs_of_literals_are_counted() {
        for literals in [0, 1, 65_534, 65_535, 65_536, 200_000] {
            let mut content: Vec<u8> = (0..literals as u32).map(|i| (i * 7 + i / 256 * 31 + i / 65536) as u8).collect();
            content.extend_from_slice(b"abcabcabcabc");
            let packed = Blob::from(Bytes::from(pack(Packer::Literal, &content)));
            let stream = unpack(&packed, content.len() as u32).unwrap().unwrap();
            assert!(stream.content == content && stream.items.iter().count() == content.len());
            assert!(stream.items.runs.len() < 5 && is_regular(&stream, &packed).unwrap());
            assert_eq!(identify(&stream), [Packer::Literal]);
            let packed = Blob::from(Bytes::from(pack(Packer::Newest, &content)));
            let stream = unpack(&packed, content.len() as u32).unwrap().unwrap();
            assert!(stream.content == content && is_regular(&stream, &packed).unwrap());
            assert!(identify(&stream).contains(&Packer::Newest));
        }
    }
}
