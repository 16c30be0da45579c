//! `.refit/sha256`: what the files of a tree were when it was unpacked.
//!
//! The list is one that `sha256sum --check` reads. Its two marks say what they say there: a blank before a path stands for a
//! text, whose ends of lines are nobody's edit, and `*` for bytes that count one by one.

use super::Blob;
use crate::{sha256, wire::Result};
use std::{borrow::Cow, collections::BTreeMap, fmt};

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

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(path, FileSum { sum, text })| writeln!(f, "{sum} {}{path}", if *text { ' ' } else { '*' }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
