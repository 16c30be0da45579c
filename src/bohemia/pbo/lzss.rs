//! The LZSS packing of `Cprs` entries (FORMAT.md): a decoder, and the packers whose match selection
//! is known.
//!
//! A packed stream is a list of items, eight per flag byte: literals, and copies of 3 to 18 bytes
//! from at most 4095 bytes back. Many streams decode to the same content; which one a packer writes
//! depends on its search. If a known packer reproduces the stored stream, the tree only needs its
//! name, and an edited file is packed in the same way.

use bytes::Bytes;
use refit_base::{
    tree::Blob,
    wire::{Error, Items, Plain, Result, Within, count},
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Shortest copy that a pointer can encode.
const MIN: usize = 3;
/// Longest copy that a pointer can encode.
const MAX: usize = 18;
/// Largest distance that a pointer can encode.
const WINDOW: usize = 4095;
/// Bytes before the start of the content that are blanks; farther ones are undefined.
const BLANKS: usize = 4078;

/// A packer whose match selection is known. The names say which of several equal matches it
/// prefers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Packer {
    /// PBO Manager 3: the oldest match inside the window, blanks before the start, or a repeated
    /// tail.
    ThreeWay,
    /// An unknown packer of before 2021: the oldest match, with 18 blanks before the start.
    #[serde(rename = "oldest18")]
    Oldest18,
    /// HEMTT: the nearest match that begins at the start of an earlier item.
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
    const LITERAL: Item = Item {
        distance: 0,
        length: 1,
    };

    fn copy(distance: usize, length: usize) -> Item {
        // Callers search within the window: both fit.
        Item {
            distance: distance as u16 & 0xfff,
            length: length as u8,
        }
    }

    fn is_literal(self) -> bool {
        self.length == 1
    }
}

/// Properties of an unpacked stream.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// The unpacked bytes.
    pub content: Vec<u8>,
    /// The packed bytes.
    pub payload: Bytes,
    /// The stored checksum; `None` for the empty stream of an empty file.
    pub check: Option<u32>,
    /// Bytes after the check value.
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
    // The sum of a chunk fits 32 bits: with a wider sum the compiler would not add many bytes at a
    // time.
    content.chunks(1 << 16).fold(0u32, |sum, chunk| {
        sum.wrapping_add(chunk.iter().map(|b| u32::from(*b)).sum())
    })
}

/// The check value of textures, with signed bytes: some tools use it here by mistake.
pub(crate) fn signed_check_value(content: &[u8]) -> u32 {
    content
        .iter()
        .fold(0u32, |sum, b| sum.wrapping_add(i32::from(*b as i8) as u32))
}

/// Reads packed bytes item by item.
struct Decoder<'a> {
    rest: &'a [u8],
    /// Flags of the next items, below a bit that marks their end.
    flags: u16,
}

impl<'a> Decoder<'a> {
    fn new(payload: &'a [u8]) -> Self {
        Decoder {
            rest: payload,
            flags: 1,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// The next item, and the byte of a literal.
    fn item(&mut self) -> Option<(Item, u8)> {
        if self.flags == 1 {
            self.flags = 0x100 | u16::from(self.byte()?);
        }
        let literal = self.flags & 1 != 0;
        self.flags >>= 1;
        let first = self.byte()?;
        if literal {
            return Some((Item::LITERAL, first));
        }
        let second = self.byte()?;
        let distance = usize::from(first) | usize::from(second & 0xf0) << 4;
        Some((Item::copy(distance, usize::from(second & 0x0f) + MIN), 0))
    }
}

/// Unpacks a payload to exactly `original` bytes. The outer error is a failed read; the inner one
/// says why the payload is not such a stream.
pub fn unpack(payload: &Blob, original: u32) -> Result<Result<Stream>> {
    // 17 packed bytes give at most 8 × 18: a wild size is refused before anything is reserved for
    // it.
    if u64::from(original) > payload.len().saturating_mul(9) {
        return Ok(Err(Error::say(format!(
            "{} cannot unpack to {original}",
            count(
                usize::try_from(payload.len()).unwrap_or(usize::MAX),
                "packed byte"
            )
        ))));
    }
    Ok(unpack_bytes(payload.bytes()?, original as usize))
}

fn unpack_bytes(payload: Bytes, original: usize) -> Result<Stream> {
    let content = Vec::with_capacity(original);
    let mut out = Stream {
        content,
        payload: payload.clone(),
        ..Stream::default()
    };
    if original == 0 && payload.is_empty() {
        return Ok(out);
    }
    let mut packed = Decoder::new(&payload);
    while out.content.len() < original {
        let left = original - out.content.len();
        let Some((item, byte)) = packed.item() else {
            let done = out.content.len();
            return Err(Error::say(format!(
                "the packed bytes end after {done} of {original} bytes"
            )));
        };
        if item.is_literal() {
            out.content.push(byte);
            continue;
        }
        let length = usize::from(item.length);
        out.cut |= length > left;
        copy(&mut out, item.distance.into(), length.min(left));
    }
    // Bits of the last flag byte that no item used.
    out.spare = (packed.flags & !(1 << packed.flags.ilog2())) as u8;
    let Some((check, behind)) = packed.rest.split_first_chunk::<4>() else {
        return Err(Error::say(format!(
            "{} bytes are left for the checksum",
            packed.rest.len()
        )));
    };
    (out.check, out.behind) = (Some(u32::get(check)), behind.len());
    Ok(out)
}

/// Copies byte by byte: a copy that is longer than its distance repeats the pattern, and before the
/// start are blanks.
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
        let byte = (pos + i)
            .checked_sub(distance)
            .and_then(|s| content.get(s))
            .copied()
            .unwrap_or(b' ');
        content.push(byte);
    }
}

/// Packs content the way `packer` does, with the sum that the archive's reader compares.
pub fn pack(packer: Packer, content: &[u8]) -> Vec<u8> {
    let mut out = pack_items(packer, content);
    out.extend(check_value(content).to_le_bytes());
    out
}

/// [`pack`] without the sum.
pub(crate) fn pack_items(packer: Packer, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() / 2 + 16);
    let whole = pack_groups(packer, content, |group| {
        out.extend_from_slice(group);
        true
    });
    debug_assert!(whole, "nothing stopped it");
    out
}

/// True if [`pack_items`] gives these very bytes. It stops where they begin to differ.
pub(crate) fn gives(packer: Packer, content: &[u8], items: &[u8]) -> bool {
    let mut rest = items;
    let whole = pack_groups(packer, content, |group| {
        rest.strip_prefix(group).is_some_and(|behind| {
            rest = behind;
            true
        })
    });
    whole && rest.is_empty()
}

/// Passes the items that `packer` selects to `take` as they are stored: in groups of eight, each
/// after its flags. `take` can stop it; false if it did.
fn pack_groups(packer: Packer, content: &[u8], mut take: impl FnMut(&[u8]) -> bool) -> bool {
    let mut group = Vec::with_capacity(1 + 2 * 8);
    let (mut pos, mut bit) = (0, 0);
    group.push(0);
    let whole = parse(packer, content, usize::MAX, |item| {
        if bit == 8 {
            if !take(&group) {
                return false;
            }
            bit = 0;
            group.clear();
            group.push(0);
        }
        if item.is_literal() {
            if let Some(flags) = group.first_mut() {
                *flags |= 1 << bit;
            }
            group.extend(content.get(pos));
        } else {
            let high = (item.distance >> 4) as u8 & 0xf0;
            group.extend([
                item.distance as u8,
                high | item.length.wrapping_sub(MIN as u8) & 0x0f,
            ]);
        }
        pos += usize::from(item.length);
        bit += 1;
        true
    });
    whole && (bit == 0 || take(&group))
}

/// All packers that give these very items, in the order in which they are tried.
pub fn identify(stream: &Stream) -> Vec<Packer> {
    // Limits the time that a hostile archive can take. Ordinary content needs a fraction of it.
    let steps = stream
        .content
        .len()
        .saturating_mul(400)
        .saturating_add(1 << 20);
    let gives = |packer: &Packer| {
        let mut stored = Decoder::new(&stream.payload);
        parse(*packer, &stream.content, steps, |item| {
            stored.item().is_some_and(|(found, _)| found == item)
        })
    };
    Packer::ALL.into_iter().filter(gives).collect()
}

/// The most common packer of these streams: several packers produce the same stream for short
/// files.
pub fn usual<'a>(found: impl IntoIterator<Item = &'a Vec<Packer>>) -> Option<Packer> {
    let mut votes = [0usize; Packer::ALL.len()];
    for packers in found {
        for (vote, _) in votes
            .iter_mut()
            .zip(Packer::ALL)
            .filter(|(_, packer)| packers.contains(packer))
        {
            *vote += 1;
        }
    }
    let most = votes.iter().copied().max().filter(|most| *most > 0)?;
    Packer::ALL
        .into_iter()
        .zip(votes)
        .find(|(_, vote)| *vote == most)
        .map(|(packer, _)| packer)
}

/// Chooses one of the packers that reproduce a stream: the archive's usual packer if it is one of
/// them. If none does, the usual packer, or the engine's.
pub fn choose(found: &[Packer], usual: Option<Packer>) -> Packer {
    match usual {
        Some(usual) if found.is_empty() || found.contains(&usual) => usual,
        _ => found.first().copied().unwrap_or(Packer::Tree),
    }
}

/// True if a payload of `len` bytes seems to be a packed stream by chance: its checksum is wrong,
/// and so are its sizes.
pub(crate) fn is_chance(stream: &Stream, len: u64) -> bool {
    let wrong = |check| {
        check != check_value(&stream.content) && check != signed_check_value(&stream.content)
    };
    stream.check.is_some_and(wrong) && (stream.behind > 0 || stream.content.len() as u64 == len)
}

/// True if the payload uses the encoding of [`pack`]: then every packer that selects its items
/// writes exactly its bytes.
pub fn is_regular(stream: &Stream) -> bool {
    stream.check == Some(check_value(&stream.content)) && stream.behind == 0 && stream.spare == 0
}

/// Passes the items that `packer` selects to `take`, which can stop it. False if it was stopped or
/// ran out of steps.
fn parse(packer: Packer, content: &[u8], steps: usize, mut take: impl FnMut(Item) -> bool) -> bool {
    let mut nearest = |window: usize, overlap: bool, starts: bool| {
        search(
            content,
            0,
            starts,
            steps,
            &mut take,
            &|chains, pos, most, steps| {
                longest(content, pos, most, overlap, chains.back(pos, window), steps)
            },
        )
    };
    match packer {
        Packer::TokenStarts => nearest(WINDOW, true, true),
        Packer::Newest2048Flat => nearest(2048, false, false),
        Packer::Newest => nearest(WINDOW, true, false),
        Packer::ThreeWay => search(
            content,
            0,
            false,
            steps,
            &mut take,
            &|chains, pos, most, steps| three_way(content, chains, pos, most, steps),
        ),
        Packer::Oldest18 => {
            // Blanks precede the text, and its first byte is always a literal.
            let text = [&[b' '; MAX][..], content].concat();
            search(
                &text,
                MAX,
                false,
                steps,
                &mut take,
                &|chains, pos, most, steps| match pos {
                    MAX => (0, 0),
                    _ => longest(&text, pos, most, true, chains.forth(pos), steps),
                },
            )
        }
        Packer::Literal => content.iter().all(|_| take(Item::LITERAL)),
        Packer::Tree => Trees::new(content).parse(steps, &mut take),
    }
}

/// Length and distance of the copy to make at a position: the positions before it, itself, the
/// longest copy, the steps that are left. A copy that is too short is a literal.
type Choose<'a> = &'a dyn Fn(&Chains<'_>, usize, usize, &mut usize) -> (usize, usize);

/// Passes on the items that `choose` selects for the text after `start`; with `starts`, only allows
/// copies from starts of items.
fn search(
    text: &[u8],
    start: usize,
    starts: bool,
    mut steps: usize,
    take: &mut dyn FnMut(Item) -> bool,
    choose: Choose<'_>,
) -> bool {
    let mut chains = Chains::new(text);
    (0..start).for_each(|at| chains.insert(at));
    let mut pos = start;
    while pos < text.len() {
        let (length, distance) = choose(&chains, pos, MAX.min(text.len() - pos), &mut steps);
        let item = if length < MIN {
            Item::LITERAL
        } else {
            Item::copy(distance, length)
        };
        if steps == 0 || !take(item) {
            return false;
        }
        let end = pos + usize::from(item.length);
        (pos..if starts { pos + 1 } else { end }).for_each(|at| chains.insert(at));
        pos = end;
    }
    true
}

/// The first of the longest matches for the text at `pos`: its length, at most `most`, and its
/// distance.
fn longest(
    text: &[u8],
    pos: usize,
    most: usize,
    overlap: bool,
    places: impl Iterator<Item = usize>,
    steps: &mut usize,
) -> (usize, usize) {
    let (mut length, mut distance) = (0, 0);
    for at in places {
        let back = pos - at;
        let found = run(text, at, pos, if overlap { most } else { most.min(back) });
        *steps = steps.saturating_sub(found + 1);
        if found > length {
            (length, distance) = (found, back);
            if length == most {
                break;
            }
        }
    }
    (length, distance)
}

/// PBO Manager 3: the oldest match that is completely inside the window; otherwise blanks before
/// the start; otherwise the repeated tail.
fn three_way(
    text: &[u8],
    chains: &Chains<'_>,
    pos: usize,
    most: usize,
    steps: &mut usize,
) -> (usize, usize) {
    if most < MIN {
        return (0, 0);
    }
    let (length, distance) = longest(text, pos, most, false, chains.forth(pos), steps);
    if length == most {
        return (length, distance);
    }
    let ahead = text.within(pos..pos + most);
    let blanks = if pos < 4077 {
        ahead.iter().take_while(|b| **b == b' ').count()
    } else {
        0
    };
    let (mut tail, mut period) = (0, 0);
    for p in 1..pos.min(WINDOW).min(most) {
        let repeated = text.within(pos - p..pos);
        let found = repeated
            .iter()
            .cycle()
            .zip(ahead)
            .take_while(|(a, b)| a == b)
            .count();
        *steps = steps.saturating_sub(found + 1);
        if found > tail {
            (tail, period) = (found, p);
        }
    }
    if length >= blanks.max(tail) {
        (length, distance)
    } else if blanks >= tail {
        (blanks, pos + blanks)
    } else {
        (tail, period)
    }
}

/// How many bytes at `a` and `b` are equal, at most `most`.
fn run(text: &[u8], a: usize, b: usize, most: usize) -> usize {
    let (a, b) = (text.within(a..), text.within(b..));
    a.iter()
        .zip(b)
        .take(most)
        .take_while(|(a, b)| a == b)
        .count()
}

/// Earlier positions of the same three bytes.
struct Chains<'a> {
    text: &'a [u8],
    /// By a hash of three bytes: their positions, in order, as far as copies reach. (Positions have
    /// 32 bits, like the size of a file in an archive.)
    places: Vec<VecDeque<u32>>,
}

impl<'a> Chains<'a> {
    fn new(text: &'a [u8]) -> Self {
        Chains {
            text,
            places: vec![VecDeque::new(); 1 << 12],
        }
    }

    fn key(&self, at: usize) -> Option<usize> {
        let [a, b, c] = *self.text.get(at..)?.first_chunk()?;
        let word = u32::from(a) | u32::from(b) << 8 | u32::from(c) << 16;
        Some((word.wrapping_mul(0x9e37_79b1) >> 20) as usize)
    }

    /// Adds the position `at`. Positions must be added in ascending order.
    fn insert(&mut self, at: usize) {
        let Some(places) = self.key(at).and_then(|key| self.places.get_mut(key)) else {
            return;
        };
        while places
            .front()
            .is_some_and(|first| *first as usize + WINDOW < at)
        {
            places.pop_front();
        }
        places.push_back(at as u32);
    }

    fn of(&self, pos: usize) -> impl DoubleEndedIterator<Item = usize> {
        let places = self.key(pos).and_then(|key| self.places.get(key));
        places.into_iter().flatten().map(|at| *at as usize)
    }

    /// From the newest back, as far as `most` bytes before `pos`.
    fn back(&self, pos: usize, most: usize) -> impl Iterator<Item = usize> {
        self.of(pos).rev().take_while(move |at| at + most >= pos)
    }

    /// From the oldest on.
    fn forth(&self, pos: usize) -> impl Iterator<Item = usize> {
        self.of(pos).skip_while(move |at| at + WINDOW < pos)
    }
}

/// Slots of the ring.
const RING: usize = 4096;
/// No node.
const NIL: usize = RING;

/// A string of the ring in its tree: the children, and the parent.
#[derive(Clone, Copy)]
struct Node {
    children: [u16; 2],
    parent: u16,
}

/// Classic LZSS: a ring, and one binary search tree per first byte over the strings in it.
struct Trees<'a> {
    content: &'a [u8],
    /// The ring; its first 17 slots are repeated after its end, so that a string is one slice.
    ring: [u8; RING + MAX - 1],
    /// The nodes, one per slot; that of [`NIL`] is never looked at. The roots follow them, one per
    /// first byte; they have a right child only.
    nodes: [Node; RING + 257],
    found: usize,
    length: usize,
    steps: usize,
}

const LEFT: usize = 0;
const RIGHT: usize = 1;

impl<'a> Trees<'a> {
    fn new(content: &'a [u8]) -> Box<Self> {
        let mut ring = [0; RING + MAX - 1];
        ring.iter_mut().take(BLANKS).for_each(|slot| *slot = b' ');
        let none = Node {
            children: [NIL as u16; 2],
            parent: NIL as u16,
        };
        Box::new(Trees {
            content,
            ring,
            nodes: [none; RING + 257],
            found: 0,
            length: 0,
            steps: 0,
        })
    }

    fn child(&self, side: usize, node: usize) -> usize {
        self.nodes
            .get(node)
            .and_then(|node| node.children.get(side))
            .map_or(NIL, |child| usize::from(*child))
    }

    fn parent(&self, node: usize) -> usize {
        self.nodes
            .get(node)
            .map_or(NIL, |node| usize::from(node.parent))
    }

    fn set_parent(&mut self, node: usize, parent: usize) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.parent = parent as u16;
        }
    }

    /// Makes `node` the child of `parent` on one side.
    fn link(&mut self, side: usize, parent: usize, node: usize) {
        if let Some(slot) = self
            .nodes
            .get_mut(parent)
            .and_then(|parent| parent.children.get_mut(side))
        {
            *slot = node as u16;
        }
        self.set_parent(node, parent);
    }

    /// The string at a slot without its first byte, as numbers that are in the order of strings.
    fn string(&self, node: usize) -> (u128, u8) {
        match self.ring.within(node + 1..).first_chunk::<{ MAX - 1 }>() {
            Some([head @ .., last]) => (u128::from_be_bytes(*head), *last),
            None => (0, 0),
        }
    }

    /// Puts `node` in the place of `old` below its parent, and takes `old` out.
    fn replace(&mut self, old: usize, node: usize) {
        let parent = self.parent(old);
        let side = if self.child(RIGHT, parent) == old {
            RIGHT
        } else {
            LEFT
        };
        self.link(side, parent, node);
        self.set_parent(old, NIL);
    }

    /// Inserts the string at `new` and remembers the first longest match on the way down.
    fn insert(&mut self, new: usize) {
        for side in [LEFT, RIGHT] {
            self.link(side, new, NIL);
        }
        self.length = 0;
        let mut node = RING + 1 + usize::from(self.ring.item(new));
        // A root has only a right child.
        let mut side = RIGHT;
        let a = self.string(new);
        loop {
            let next = self.child(side, node);
            if next == NIL {
                return self.link(side, node, new);
            }
            node = next;
            // All 18 bytes are compared, whatever is left of the text; the first is that of the root.
            let b = self.string(node);
            let same = match (a.0 ^ b.0).leading_zeros() as usize / 8 {
                16 => MAX - usize::from(a.1 != b.1),
                same => same + 1,
            };
            side = if a >= b { RIGHT } else { LEFT };
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
        for side in [LEFT, RIGHT] {
            self.link(side, new, self.child(side, node));
        }
    }

    fn remove(&mut self, node: usize) {
        if self.parent(node) == NIL {
            return;
        }
        let (left, right) = (self.child(LEFT, node), self.child(RIGHT, node));
        let mut heir = if right == NIL { left } else { right };
        if left != NIL && right != NIL {
            // The in-order predecessor: the rightmost node of the left branch.
            heir = left;
            while self.child(RIGHT, heir) != NIL {
                heir = self.child(RIGHT, heir);
            }
            if heir != left {
                self.link(RIGHT, self.parent(heir), self.child(LEFT, heir));
                self.link(LEFT, heir, left);
            }
            self.link(RIGHT, heir, right);
        }
        self.replace(node, heir);
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
        // `write` is the slot that the next input byte overwrites, `read` the start of the text to
        // be encoded.
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
            let item = if length < MIN {
                Item::LITERAL
            } else {
                Item::copy((read + RING - self.found) % RING, length)
            };
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

    /// How each packer encodes blanks and repeats.
    #[test]
    fn the_packers_match_the_reference() {
        let cat = "the cat the cat the cat sat";
        let blanks = "    ab    ab    abab";
        for (packer, first, second) in [
            (Packer::Tree, "the cat(8,17)sat", "(1,4)ab(6,12)ab"),
            (Packer::Oldest18, "the cat(8,17)sat", " (19,3)ab(6,12)ab"),
            (
                Packer::ThreeWay,
                "the cat (8,8)(16,8)sat",
                "(4,4)ab(6,6)(12,6)ab",
            ),
            (Packer::TokenStarts, "the cat (8,16)sat", " (1,3)ab(6,12)ab"),
            (
                Packer::Newest2048Flat,
                "the cat (8,8)(8,8)sat",
                "    ab(6,6)(6,6)ab",
            ),
        ] {
            assert_eq!(items(packer, cat), first, "{packer:?}");
            assert_eq!(items(packer, blanks), second, "{packer:?}");
        }
    }
}
