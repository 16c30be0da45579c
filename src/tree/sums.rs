//! `.refit/sha256`: what the files of a tree were when it was unpacked.
//!
//! The list is one that `sha256sum --check` reads. Its two marks say what they say there: a blank before a path stands for a
//! text, whose ends of lines are nobody's edit, and `*` for bytes that count one by one.

use super::Blob;
use crate::{sha256, wire::Result};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt::{self, Write},
};

/// Where the list stands in a tree.
pub const SUMS: &str = ".refit/sha256";

/// Git for Windows turns the ends of all lines of what looks like text unless it is told not to.
pub const GIT_ATTRIBUTES: (&str, &str) =
    (".gitattributes", "# Files of a game are bytes: git must leave the ends of their lines alone.\n* -text\n");

/// What a file was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileSum {
    sum: String,
    /// Ends of lines and a byte order mark mean nothing in it.
    text: bool,
}

impl FileSum {
    /// True when the file is what it was.
    pub fn fits(&self, bytes: &[u8]) -> bool {
        sha256(bytes) == self.sum || (self.text && sha256(&plain_lines(bytes)) == self.sum)
    }

    /// The same of a file that need not stand in memory.
    pub fn fits_file(&self, file: &Blob) -> Result<bool> {
        Ok(file.sha256()? == self.sum || (self.text && self.fits(&file.bytes()?)))
    }
}

/// A text as refit writes it: without a byte order mark, and with one character at the end of a line.
fn plain_lines(text: &[u8]) -> Cow<'_, [u8]> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    if !text.contains(&b'\r') {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(line) => {
                out.extend_from_slice(line);
                out.push(b'\n');
            }
            None => out.extend_from_slice(line),
        }
    }
    Cow::Owned(out)
}

/// The files of a tree and what they were, by path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sums(BTreeMap<String, FileSum>);

impl Sums {
    /// Adds a file: its path, the SHA-256 of its bytes, and whether it is a text, which refit reads whatever its line ends are.
    pub fn add(&mut self, path: &str, sum: String, text: bool) {
        self.0.insert(path.to_owned(), FileSum { sum, text });
    }

    /// Reads the list. Lines that are none are passed over.
    pub fn parse(list: &str) -> Self {
        let line = |line: &str| {
            let (sum, path) = line.split_once(' ')?;
            let text = path.starts_with(' ');
            Some((path.strip_prefix([' ', '*'])?.to_owned(), FileSum { sum: sum.to_owned(), text }))
        };
        Sums(list.lines().filter_map(line).collect())
    }

    /// Adds the files of a tree that stands in a folder of this one.
    pub fn merge(&mut self, folder: &str, below: Sums) {
        self.0.extend(below.0.into_iter().map(|(path, sum)| (format!("{folder}/{path}"), sum)));
    }

    /// Takes a file out.
    pub fn remove(&mut self, path: &str) -> Option<FileSum> {
        self.0.remove(path)
    }

    /// True when the list has the file.
    pub fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// The paths, sorted.
    pub fn into_paths(self) -> impl Iterator<Item = String> {
        self.0.into_keys()
    }
}

/// Bytes of a SHA-256.
const SUM: usize = 32;

/// The sums of a tree that is being written. There may be hundreds of thousands of files: all that is kept stands in some blocks of bytes.
#[derive(Default)]
pub struct Written {
    /// For each file the sum's 32 bytes, the mark, the length of the path in four bytes, and the path.
    blocks: Vec<Vec<u8>>,
    files: usize,
}

/// Size of a block that is not that of one long path.
const BLOCK: usize = 1 << 18;

impl Written {
    /// Adds a file: its path, the SHA-256 of its bytes in hexadecimal, and whether it is a text.
    pub fn add(&mut self, path: &str, sum: &str, text: bool) {
        let need = SUM + 5 + path.len();
        if self.blocks.last().is_none_or(|block| block.capacity() - block.len() < need) {
            self.blocks.push(Vec::with_capacity(need.max(BLOCK)));
        }
        let Some(block) = self.blocks.last_mut() else { return };
        let digit = |digit: Option<&u8>| digit.and_then(|digit| char::from(*digit).to_digit(16)).unwrap_or_default() as u8;
        let mut digits = sum.as_bytes().chunks(2);
        block.extend((0..SUM).map(|_| digits.next().unwrap_or_default()).map(|pair| digit(pair.first()) << 4 | digit(pair.get(1))));
        block.push(if text { b' ' } else { b'*' });
        block.extend((path.len() as u32).to_le_bytes());
        block.extend_from_slice(path.as_bytes());
        self.files += 1;
    }

    /// Hands out the list in pieces, sorted by path. A file that was written twice stands in it as it was at last.
    pub fn pieces(&self, out: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let line = |(block, at): (u32, u32)| {
            let rest = self.blocks.get(block as usize)?.get(at as usize..)?;
            let (sum, rest) = rest.split_at_checked(SUM)?;
            let (mark, rest) = rest.split_first()?;
            let (len, rest) = rest.split_first_chunk()?;
            Some((rest.get(..u32::from_le_bytes(*len) as usize)?, sum, *mark))
        };
        let mut lines: Vec<(u32, u32)> = Vec::with_capacity(self.files);
        for block in 0..self.blocks.len() as u32 {
            let mut at = 0;
            while let Some((path, ..)) = line((block, at)) {
                lines.push((block, at));
                at += (SUM + 5 + path.len()) as u32;
            }
        }
        let path = |at: &(u32, u32)| line(*at).map(|(path, ..)| path).unwrap_or_default();
        lines.sort_unstable_by(|a, b| path(a).cmp(path(b)).then(a.cmp(b)));
        let mut piece = String::new();
        for (i, at) in lines.iter().enumerate() {
            let Some((this, sum, mark)) = line(*at) else { continue };
            if lines.get(i + 1).is_some_and(|next| path(next) == this) {
                continue;
            }
            let _ = writeln!(piece, "{} {}{}", crate::lower_hex(sum), char::from(mark), String::from_utf8_lossy(this));
            if piece.len() >= 1 << 16 {
                out(piece.as_bytes())?;
                piece.clear();
            }
        }
        out(piece.as_bytes())
    }
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(path, FileSum { sum, text })| writeln!(f, "{sum} {}{path}", if *text { ' ' } else { '*' }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_sums_are_the_list_sorted() {
        let (mut written, mut sums) = (Written::default(), Sums::default());
        let long = "x/".repeat(BLOCK);
        for i in 0..20_000u32 {
            for (path, text) in [(format!("files/{}", i.wrapping_mul(2_654_435_761)), false), (format!("{}.json", i % 7), true)] {
                let sum = sha256(&i.to_le_bytes());
                written.add(&path, &sum, text);
                sums.add(&path, sum, text);
            }
        }
        written.add(&long, &sha256(b""), false);
        sums.add(&long, sha256(b""), false);
        let mut list = Vec::new();
        let mut take = |piece: &[u8]| {
            list.extend_from_slice(piece);
            Ok(())
        };
        written.pieces(&mut take).unwrap();
        assert!(String::from_utf8(list).unwrap() == sums.to_string());
    }

    #[test]
    fn line_ends_of_texts_are_no_edits_and_those_of_other_files_are() {
        let mut sums = Sums::default();
        sums.add("a b.json", sha256(b"[\n1]\n"), true);
        sums.add("x.sqf", sha256(b"1;\n"), false);
        let mut sums = Sums::parse(&sums.to_string());
        let (text, plain) = (sums.remove("a b.json").unwrap(), sums.remove("x.sqf").unwrap());
        for same in ["[\n1]\n", "[\r\n1]\r\n", "\u{feff}[\r\n1]\n"] {
            assert!(text.fits(same.as_bytes()), "{same:?}");
        }
        for other in ["[\n2]\r\n", "[\r1]\n", "[\r\n1]\r\n\n"] {
            assert!(!text.fits(other.as_bytes()), "{other:?}");
        }
        assert!(plain.fits(b"1;\n") && !plain.fits(b"1;\r\n"));
    }
}
