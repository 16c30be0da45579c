//! LZO1X: a decoder, and the packer of Bohemia's tools, LZO1X-999 at level 8 (FORMAT.md).

use refit_base::wire::{Error, Result, Within, count};

/// The stream ends with this item.
const END: [u8; 3] = [0x11, 0, 0];

/// Unpacks a stream to exactly `size` bytes.
pub fn unpack(packed: &[u8], size: usize) -> Result<Vec<u8>> {
    // A packed byte unpacks to at most 255 bytes.
    if size > packed.len().saturating_mul(256) {
        return Err(Error::say(format!(
            "{} cannot unpack to {size}",
            count(packed.len(), "packed byte")
        )));
    }
    let mut stream = Stream {
        packed: packed.iter(),
        out: Vec::with_capacity(size),
        size,
    };
    stream.unpack()?;
    match (stream.out.len() == size, stream.packed.len()) {
        (true, 0) => Ok(stream.out),
        (true, n) => Err(Error::say(format!(
            "{n} bytes follow the end of the packed stream"
        ))),
        (false, _) => Err(Error::say(format!(
            "the packed stream gives {} of {size} bytes",
            stream.out.len()
        ))),
    }
}

struct Stream<'a> {
    packed: std::slice::Iter<'a, u8>,
    out: Vec<u8>,
    size: usize,
}

impl Stream<'_> {
    fn byte(&mut self) -> Result<usize> {
        self.packed
            .next()
            .map(|b| usize::from(*b))
            .ok_or_else(|| Error::say("the packed stream has no end"))
    }

    /// A number of one or more bytes.
    fn number(&mut self) -> Result<usize> {
        let mut number = 0usize;
        loop {
            match self.byte()? {
                0 => number += 255,
                last => return Ok(number + last),
            }
        }
    }

    fn literals(&mut self, n: usize) -> Result<()> {
        let (run, rest) = self
            .packed
            .as_slice()
            .split_at_checked(n)
            .ok_or_else(|| Error::say("literals after the end of the packed stream"))?;
        self.room(n)?;
        self.out.extend_from_slice(run);
        self.packed = rest.iter();
        Ok(())
    }

    fn room(&self, n: usize) -> Result<()> {
        match n <= self.size - self.out.len() {
            true => Ok(()),
            false => Err(Error::say(format!(
                "the packed stream gives more than {} bytes",
                self.size
            ))),
        }
    }

    fn copy(&mut self, offset: usize, length: usize) -> Result<()> {
        self.room(length)?;
        let from = self
            .out
            .len()
            .checked_sub(offset)
            .ok_or_else(|| Error::say("a copy from before the start"))?;
        // A copy that is longer than its distance repeats what it has copied.
        let mut left = length;
        while left > 0 {
            let n = left.min(self.out.len() - from);
            if n == 0 {
                return Err(Error::say("a copy of nothing"));
            }
            self.out.extend_from_within(from..from + n);
            left -= n;
        }
        Ok(())
    }

    fn unpack(&mut self) -> Result<()> {
        // How many literals came last: 4 for more than 3.
        let mut state = 0;
        if let Some(run) = self.packed.as_slice().first().filter(|first| **first > 17) {
            let run = usize::from(*run) - 17;
            self.byte()?;
            self.literals(run)?;
            state = run.min(4);
        }
        loop {
            let code = self.byte()?;
            let low;
            if code < 16 {
                if state == 0 {
                    let run = if code == 0 {
                        self.number()? + 18
                    } else {
                        code + 3
                    };
                    self.literals(run)?;
                    state = 4;
                    continue;
                }
                let (base, length) = if state == 4 { (0x801, 3) } else { (1, 2) };
                let offset = base + (code >> 2) + (self.byte()? << 2);
                self.copy(offset, length)?;
                low = code;
            } else if code >= 64 {
                let offset = 1 + (code >> 2 & 7) + (self.byte()? << 3);
                self.copy(offset, (code >> 5) + 1)?;
                low = code;
            } else {
                let (mask, far) = if code >= 32 {
                    (31, 0)
                } else {
                    (7, (code & 8) << 11)
                };
                let length = if code & mask == 0 {
                    self.number()? + mask
                } else {
                    code & mask
                };
                low = self.byte()?;
                let near = (low | self.byte()? << 8) >> 2;
                if code < 32 && far + near == 0 {
                    return match code == 17 && low == 0 {
                        true => Ok(()),
                        false => Err(Error::say(
                            "the packed stream has another end mark than 11 00 00",
                        )),
                    };
                }
                let offset = if code >= 32 {
                    near + 1
                } else {
                    far + near + 0x4000
                };
                self.copy(offset, length + 2)?;
            }
            state = low & 3;
            self.literals(state)?;
        }
    }
}

const WINDOW: usize = 0xbfff;
const LOOK: usize = 2048;
const CHAIN: usize = 2048;
const GOOD: usize = 32;
const LAZY: usize = 128;
const TRIES: usize = 2;
/// Lengths for which the first candidate is noted.
const NOTED: usize = 34;
const NONE: u32 = u32::MAX;
/// Positions that are remembered: more than the window, and a power of two.
const RING: usize = 1 << 16;
/// Candidates that the packer looks at for each byte, on average. Real textures of more than 100 kB
/// need at most 62, measured; data of few different bytes would need up to [`CHAIN`], which takes
/// minutes.
const STEPS: usize = 128;
/// Candidates that it looks at in any data: less than a second.
const STEPS_AT_LEAST: usize = 1 << 25;
/// Candidates that it looks at in large data: a few seconds. A DXT5 of 4096 × 4096 pixels can have
/// 32 for each byte.
const STEPS_AT_MOST: usize = 1 << 29;

/// A match: `offset` bytes back.
#[derive(Clone, Copy, Default)]
struct Match {
    length: usize,
    offset: usize,
}

/// The result of a search: the match, and the offset of the first candidate of each length, 0
/// without one.
#[derive(Clone, Copy)]
struct Found {
    best: Match,
    first: [usize; NOTED],
}

/// The positions in the window, by their first three and their first two bytes.
struct Dictionary<'a> {
    data: &'a [u8],
    newest: Vec<u32>,
    live: Vec<u32>,
    /// The next older position of the same bucket, for each position of the window.
    older: Vec<u32>,
    /// The length that was found at each of them.
    longest: Vec<u16>,
    pairs: Vec<u32>,
    /// How many candidates may still be looked at.
    steps: usize,
}

fn get<T: Copy + Default>(list: &[T], at: usize) -> T {
    list.get(at).copied().unwrap_or_default()
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

impl<'a> Dictionary<'a> {
    fn new(data: &'a [u8]) -> Self {
        Dictionary {
            data,
            newest: vec![NONE; 1 << 14],
            live: vec![0; 1 << 14],
            older: vec![NONE; RING],
            longest: vec![0; RING],
            pairs: vec![NONE; 1 << 16],
            steps: data
                .len()
                .saturating_mul(STEPS)
                .clamp(STEPS_AT_LEAST, STEPS_AT_MOST),
        }
    }

    /// The bucket of a position. Zeros follow the end.
    fn bucket(&self, at: usize) -> usize {
        let [a, b, c] = [0, 1, 2].map(|i| u32::from(get(self.data, at + i)));
        (0x9f5f_u32.wrapping_mul((((a << 5) ^ b) << 5) ^ c) >> 5 & 0x3fff) as usize
    }

    fn pair(&self, at: usize) -> usize {
        usize::from(u16::from_le_bytes([
            get(self.data, at),
            get(self.data, at + 1),
        ]))
    }

    /// Enters a position into the chains.
    fn enter(&mut self, at: usize, longest: usize) {
        let bucket = self.bucket(at);
        let newest = self.newest.get(bucket).copied().unwrap_or(NONE);
        set(&mut self.older, at % RING, newest);
        set(&mut self.newest, bucket, at as u32);
        if let Some(live) = self.live.get_mut(bucket) {
            *live += 1;
        }
        set(&mut self.longest, at % RING, longest as u16);
    }

    /// The position that is now too far back leaves.
    fn leave(&mut self, at: usize) {
        let Some(gone) = at.checked_sub(WINDOW) else {
            return;
        };
        let bucket = self.bucket(gone);
        if let Some(live) = self.live.get_mut(bucket) {
            *live = live.saturating_sub(1);
        }
        let pair = self.pair(gone);
        if self.pairs.get(pair) == Some(&(gone as u32)) {
            set(&mut self.pairs, pair, NONE);
        }
    }

    fn skip(&mut self, at: usize) {
        self.leave(at);
        self.enter(at, LOOK + 1);
        let pair = self.pair(at);
        set(&mut self.pairs, pair, at as u32);
    }

    /// Searches the longest match, and enters the position.
    fn search(&mut self, at: usize, chain: usize) -> Found {
        let mut found = Found {
            best: Match {
                length: 1,
                offset: 0,
            },
            first: [0; NOTED],
        };
        let look = LOOK.min(self.data.len().saturating_sub(at));
        if look == 0 {
            return found;
        }
        if look >= 2 {
            self.walk(at, look, chain, &mut found);
        }
        self.enter(
            at,
            if look >= 2 {
                found.best.length
            } else {
                LOOK + 1
            },
        );
        self.leave(at);
        let pair = self.pair(at);
        set(&mut self.pairs, pair, at as u32);
        found
    }

    fn walk(&mut self, at: usize, look: usize, chain: usize, found: &mut Found) {
        let last = self.pairs.get(self.pair(at)).copied().unwrap_or(NONE);
        if last == NONE {
            return;
        }
        found.best = Match {
            length: 2,
            offset: at - last as usize,
        };
        set(&mut found.first, 2, found.best.offset);
        let Some(ours) = self.data.get(at..at + look).filter(|_| look >= 3) else {
            return;
        };
        let bucket = self.bucket(at);
        let mut next = self.newest.get(bucket).copied().unwrap_or(NONE);
        for _ in 0..(get(&self.live, bucket) as usize).min(chain) {
            let candidate = next as usize;
            next = self.older.get(candidate % RING).copied().unwrap_or(NONE);
            self.steps = self.steps.saturating_sub(1);
            let Some(theirs) = self.data.get(candidate..candidate + look) else {
                return;
            };
            let length = found.best.length;
            let same = |i: usize| theirs.get(i) == ours.get(i);
            if !(same(length - 1) && same(length) && same(0) && same(1)) {
                continue;
            }
            // The third byte counts as equal, because the bucket is the same.
            let run = ours
                .iter()
                .zip(theirs)
                .skip(3)
                .take_while(|(a, b)| a == b)
                .count()
                + 3;
            let offset = at - candidate;
            if get(&found.first, run) == 0 {
                set(&mut found.first, run, offset);
            }
            if run > length {
                found.best = Match {
                    length: run,
                    offset,
                };
                if run == look || run > usize::from(get(&self.longest, candidate % RING)) {
                    return;
                }
            }
        }
    }
}

impl Found {
    /// A nearer match that is a little shorter and takes fewer bytes.
    fn nearer(&self, of: Match) -> Match {
        let Match { length, offset } = of;
        let noted = |length: usize, most: usize| {
            let offset = get(&self.first, length);
            (offset != 0 && offset <= most).then_some(Match { length, offset })
        };
        if length <= 3 || offset <= 0x800 {
            return of;
        }
        let near = if length <= 9 {
            noted(length - 1, 0x800)
        } else {
            None
        };
        let nearer = || {
            if offset > 0x4000 && length == 10 {
                noted(8, 0x800)
            } else {
                None
            }
        };
        let near4000 = || {
            let is = offset > 0x4000 && length > 9 && length <= NOTED;
            if is { noted(length - 1, 0x4000) } else { None }
        };
        near.or_else(nearer).or_else(near4000).unwrap_or(of)
    }
}

/// Bytes that a match takes after `literals`; 0 if it cannot be encoded.
fn cost(Match { length, offset }: Match, literals: usize) -> usize {
    let long = |most: usize| {
        if length <= most {
            3
        } else {
            4 + (length - most - 1) / 255
        }
    };
    match length {
        0 | 1 => 0,
        2 if offset <= 0x400 && (1..4).contains(&literals) => 2,
        2 => 0,
        3..=8 if offset <= 0x800 => 2,
        3 if offset <= 0xc00 && literals >= 4 => 2,
        _ if offset <= 0x4000 => long(33),
        _ if offset <= WINDOW => long(9),
        _ => 0,
    }
}

/// Appends a number of one or more bytes.
fn put_number(out: &mut Vec<u8>, mut number: usize) {
    while number > 255 {
        out.push(0);
        number -= 255;
    }
    out.push(number as u8);
}

/// Appends literals.
fn put_literals(out: &mut Vec<u8>, run: &[u8]) {
    match run.len() {
        0 => return,
        n @ 1..=238 if out.is_empty() => out.push(17 + n as u8),
        n @ 1..=3 => {
            let at = out.len().wrapping_sub(2);
            if let Some(byte) = out.get_mut(at) {
                *byte |= n as u8;
            }
        }
        n @ 4..=18 => out.push(n as u8 - 3),
        n => {
            out.push(0);
            put_number(out, n - 18);
        }
    }
    out.extend_from_slice(run);
}

/// Appends a match after `literals`.
fn put_match(out: &mut Vec<u8>, Match { length, offset }: Match, literals: usize) {
    let o = offset - 1;
    let short = |o: usize| [(o as u8 & 3) << 2, (o >> 2) as u8];
    if length == 2 {
        out.extend(short(o));
    } else if length <= 8 && offset <= 0x800 {
        out.extend([
            ((length - 1) << 5) as u8 | (o as u8 & 7) << 2,
            (o >> 3) as u8,
        ]);
    } else if length == 3 && offset <= 0xc00 && literals >= 4 {
        out.extend(short(o - 0x800));
    } else {
        let (mark, most, o) = match offset {
            ..=0x4000 => (0x20, 33, o),
            _ => (
                0x10 | ((offset - 0x4000) >> 11 & 8) as u8,
                9,
                offset - 0x4000,
            ),
        };
        if length <= most {
            out.push(mark | (length - 2) as u8);
        } else {
            out.push(mark);
            put_number(out, length - most);
        }
        out.extend([(o << 2) as u8, (o >> 6) as u8]);
    }
}

/// Packs data as LZO1X-999 at level 8 does. `None` if that would take too long.
pub fn pack(data: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(data.len() / 2 + 16);
    let mut dictionary = Dictionary::new(data);
    // `at` was searched and gave `found`; before it `literals` bytes wait.
    let (mut at, mut literals) = (0, 0);
    let mut found = dictionary.search(at, CHAIN);
    let waiting = |at: usize, literals: usize| data.within(at - literals..at);
    while at < data.len() {
        if dictionary.steps == 0 {
            return None;
        }
        let here = found.best;
        let stays_literal = match here.length {
            0 | 1 => true,
            2 => here.offset > 0x400 || literals == 0 || literals >= 4 || out.is_empty(),
            3 => here.offset > 0xc00 && literals >= 4,
            _ => false,
        };
        if stays_literal || out.is_empty() && literals == 0 {
            literals += 1;
            at += 1;
            found = dictionary.search(at, CHAIN);
            continue;
        }
        let here = found.nearer(here);
        let price = cost(here, literals);
        let tries = if here.length >= LAZY {
            0
        } else {
            TRIES.min(price.saturating_sub(1))
        };
        let mut searched = at;
        let mut later = None;
        for ahead in 1..=tries {
            if data.len() - (at + ahead - 1) <= here.length {
                break;
            }
            searched = at + ahead;
            let chain = if here.length >= GOOD {
                CHAIN / 4
            } else {
                CHAIN
            };
            let mut next = dictionary.search(searched, chain);
            if next.best.length < here.length
                || next.best.length == here.length && next.best.offset >= here.offset
            {
                continue;
            }
            next.best = next.nearer(next.best);
            let next_price = cost(next.best, literals + ahead);
            if next_price == 0 {
                continue;
            }
            let short = Match {
                length: ahead,
                offset: here.offset,
            };
            let between = if out.is_empty() {
                0
            } else {
                cost(short, literals)
            };
            let all = literals + ahead;
            let longer_run = match literals {
                0..=3 if all > 3 => 2,
                4..=18 if all > 18 => 1,
                _ => 0,
            };
            let mut gain = (ahead + longer_run + 2 * next_price) as isize - 2 * price as isize;
            if between != 0 {
                gain -= 2 * (ahead as isize - between as isize);
            }
            if next.best.length as isize >= here.length as isize + gain.max(0) {
                later = Some((next, if between != 0 { Some(short) } else { None }));
                break;
            }
        }
        match later {
            Some((next, short)) => {
                match short {
                    Some(short) => {
                        put_literals(&mut out, waiting(at, literals));
                        put_match(&mut out, short, literals);
                        literals = 0;
                    }
                    None => literals += searched - at,
                }
                (at, found) = (searched, next);
            }
            None => {
                put_literals(&mut out, waiting(at, literals));
                put_match(&mut out, here, literals);
                literals = 0;
                let end = at + here.length;
                (searched + 1..end).for_each(|at| dictionary.skip(at));
                at = end;
                found = dictionary.search(at, CHAIN);
            }
        }
    }
    put_literals(&mut out, waiting(data.len(), literals));
    out.extend(END);
    Some(out)
}
