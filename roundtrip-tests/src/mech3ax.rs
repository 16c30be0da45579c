//! The requirements of mech3ax (github.com/TerranMechworks/mech3ax, 0.6 and 0.7), as independent
//! facts: it stops at the first value that does not occur in a game's own files. The readers here
//! share no code with refit's.
//!
//! Only values that refit chooses are checked; values that it copies from a file stay unchanged.

mod anim;
mod archives;
mod world;

use std::collections::BTreeMap;

pub use anim::anim;
pub use archives::{archive, interp, motion, reader, textures, zmap};
pub use world::{game_of, parts, world};

/// The bytes of each texture, material, model and node of a world, without the places of others in
/// the file.
pub type Parts = BTreeMap<(&'static str, i32), Vec<u8>>;

/// Some bytes of a file, and their position.
#[derive(Clone, Copy)]
struct Record<'a> {
    at: usize,
    bytes: &'a [u8],
}

impl<'a> Record<'a> {
    fn u(self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap())
    }

    fn i(self, at: usize) -> i32 {
        self.u(at) as i32
    }

    fn h(self, at: usize) -> i16 {
        i16::from_le_bytes(self.bytes[at..at + 2].try_into().unwrap())
    }

    fn f(self, at: usize) -> f32 {
        f32::from_bits(self.u(at))
    }

    fn floats<const N: usize>(self, at: usize) -> [f32; N] {
        std::array::from_fn(|n| self.f(at + 4 * n))
    }

    fn is_zero(self, from: usize, to: usize) -> bool {
        self.bytes[from..to].iter().all(|byte| *byte == 0)
    }

    /// The text up to the first zero of a field, if all bytes after it are zero, too.
    fn padded(self, from: usize, to: usize) -> Option<&'a str> {
        let field = &self.bytes[from..to];
        let end = field.iter().position(|byte| *byte == 0)?;
        let text = std::str::from_utf8(&field[..end])
            .ok()
            .filter(|text| text.is_ascii());
        text.filter(|_| self.is_zero(from + end, to))
    }
}

/// Reads a file from its beginning, and notes what mech3ax would refuse.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    faults: Vec<String>,
    parts: Parts,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Reader {
            bytes,
            at: 0,
            faults: Vec::new(),
            parts: Parts::new(),
        }
    }

    /// Notes bytes of a part.
    fn part(&mut self, kind: &'static str, number: i32, bytes: &[u8]) {
        self.parts.entry((kind, number)).or_default().extend(bytes);
    }

    fn take(&mut self, size: usize) -> Record<'a> {
        let record = Record {
            at: self.at,
            bytes: &self.bytes[self.at..self.at + size],
        };
        self.at += size;
        record
    }

    fn words(&mut self, count: usize) -> Vec<u32> {
        let record = self.take(4 * count);
        (0..count).map(|n| record.u(4 * n)).collect()
    }

    fn need(&mut self, is: bool, record: Record<'_>, what: &str) {
        if !is {
            self.faults.push(format!("at {}: {what}", record.at));
        }
    }

    /// Each rule must be true for the record.
    fn all(&mut self, record: Record<'_>, what: &str, rules: &[(&str, bool)]) {
        for (rule, is) in rules {
            self.need(*is, record, &format!("{what}: {rule}"));
        }
    }

    fn end(mut self) -> Vec<String> {
        if self.at != self.bytes.len() {
            self.faults.push(format!("the file goes on at {}", self.at));
        }
        self.faults
    }
}
