//! `.refit/sha256`: the checksums of a tree's files when it was unpacked.
//!
//! The list has the format of `sha256sum --check`. Its two markers have the same meaning there: a
//! blank before the path marks a text, whose line endings do not count, and `*` marks bytes.

use super::{Blob, Sink};
use crate::{sha256, wire::Result};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

/// The path of the list in a tree.
pub const SUMS: &str = ".refit/sha256";

/// By default, Git for Windows converts the line endings of everything that looks like text.
pub const GIT_ATTRIBUTES: (&str, &str) = (
    ".gitattributes",
    "# Files of a game are bytes: git must leave the ends of their lines alone.\n* -text\n",
);

/// The files of a tree that belong to git: the attributes, and in a tree with private keys
/// `.gitignore`.
pub fn is_of_git(path: &str) -> bool {
    path == GIT_ATTRIBUTES.0 || path == GIT_IGNORE
}

/// The name of the file in which git reads what to leave out.
pub const GIT_IGNORE: &str = ".gitignore";

/// The original checksum of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileSum {
    sum: [u8; SUM],
    /// If true, line endings and a byte order mark do not count.
    text: bool,
}

impl FileSum {
    /// From the SHA-256 of a file's bytes in hexadecimal, and whether it is a text, in which line
    /// ends do not count.
    pub fn new(sum: &str, text: bool) -> Self {
        FileSum {
            sum: bytes_of(sum),
            text,
        }
    }

    /// True if the content has not changed.
    pub fn fits(&self, bytes: &[u8]) -> bool {
        let is = |bytes: &[u8]| sha256(bytes) == crate::lower_hex(&self.sum);
        is(bytes) || (self.text && is(&plain_lines(bytes)))
    }

    /// Like [`FileSum::fits`], for a file that need not be in memory.
    pub fn fits_file(&self, file: &Blob) -> Result<bool> {
        Ok(file.sha256()? == crate::lower_hex(&self.sum)
            || (self.text && self.fits(&file.bytes()?)))
    }
}

/// A text as refit writes it: without a byte order mark, and with LF line endings.
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

/// The original checksums of a tree's files, by path.
#[derive(Default)]
pub struct Sums(BTreeMap<String, FileSum>);

impl Sums {
    /// Parses the list and skips invalid lines.
    pub fn read(list: &Blob) -> Result<Self> {
        Self::read_all([(String::new(), list.clone())])
    }

    /// Parses the lists of several trees inside a folder: for each, the path of its folder (empty
    /// or with a trailing slash) and its list.
    pub(crate) fn read_all(lists: impl IntoIterator<Item = (String, Blob)>) -> Result<Self> {
        let mut files = BTreeMap::new();
        for (folder, list) in lists {
            each_line(&list, &mut |path, sum, text| {
                files.insert(format!("{folder}{path}"), FileSum::new(sum, text));
            })?;
        }
        Ok(Sums(files))
    }

    /// The original checksum of one file.
    pub fn find(list: &Blob, path: &str) -> Result<Option<FileSum>> {
        let mut found = None;
        each_line(list, &mut |listed, sum, text| {
            if listed == path {
                found = Some(FileSum::new(sum, text));
            }
        })?;
        Ok(found)
    }

    /// Removes a file from the list and returns its checksum.
    pub fn remove(&mut self, path: &str) -> Option<FileSum> {
        self.0.remove(path)
    }

    /// True if the list contains the file.
    pub fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// Adds a file: its path, the SHA-256 of its bytes in hexadecimal, and whether it is a text,
    /// whose line endings do not count.
    pub fn add(&mut self, path: &str, sum: &str, text: bool) {
        self.0.insert(path.to_owned(), FileSum::new(sum, text));
    }

    /// Writes the list into a tree.
    pub fn put(&self, tree: &dyn Sink) -> Result<()> {
        put(self.0.iter().map(|(path, sum)| (path.as_str(), sum)), tree)
    }

    /// The paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = String> + '_ {
        self.0.keys().cloned()
    }
}

/// Writes a list of files, sorted by path, into the tree.
pub fn put<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a FileSum)>,
    tree: &dyn Sink,
) -> Result<()> {
    let mut list = String::new();
    for (path, FileSum { sum, text }) in files {
        let _ = writeln!(
            list,
            "{} {}{path}",
            crate::lower_hex(sum),
            if *text { ' ' } else { '*' }
        );
    }
    tree.put(SUMS, list.as_bytes())
}

/// The paths of a list that are `wanted`.
pub fn listed(list: &Blob, wanted: impl Fn(&str) -> bool) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    each_line(list, &mut |path, _, _| {
        if wanted(path) {
            found.insert(path.to_owned());
        }
    })?;
    Ok(found)
}

/// Passes the lines of a list to `see`: path, sum in hexadecimal, and whether it is a text.
fn each_line(list: &Blob, see: &mut dyn FnMut(&str, &str, bool)) -> Result<()> {
    let mut take = |line: &[u8]| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
        let Some((sum, path)) = line.split_once(' ') else {
            return;
        };
        if let Some(plain) = path.strip_prefix([' ', '*']) {
            see(plain, sum, path.starts_with(' '));
        }
    };
    // A line may start in one piece and end in the next.
    let mut begun: Vec<u8> = Vec::new();
    list.each(&mut |piece| {
        for line in piece.split_inclusive(|byte| *byte == b'\n') {
            match (line.ends_with(b"\n"), begun.is_empty()) {
                (true, true) => take(line),
                (whole, _) => {
                    begun.extend_from_slice(line);
                    if whole {
                        take(&begun);
                        begun.clear();
                    }
                }
            }
        }
        Ok(())
    })?;
    take(&begun);
    Ok(())
}

/// Size of a SHA-256 in bytes.
const SUM: usize = 32;

/// Decodes a hexadecimal checksum. An invalid one becomes zeros, which match no file.
fn bytes_of(sum: &str) -> [u8; SUM] {
    let digit = |digit: Option<&u8>| char::from(*digit?).to_digit(16).map(|digit| digit as u8);
    let mut out = [0; SUM];
    for (byte, pair) in out.iter_mut().zip(sum.as_bytes().chunks(2)) {
        let Some((high, low)) = digit(pair.first()).zip(digit(pair.get(1))) else {
            return [0; SUM];
        };
        *byte = high << 4 | low;
    }
    if sum.len() == 2 * SUM { out } else { [0; SUM] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_checksums_are_sorted_and_survive_the_round_trip() {
        let (mut written, mut sums) = (Sums::default(), BTreeMap::new());
        let long = "x/".repeat(4 << 20);
        let files = (0..20_000u32).flat_map(|i| {
            let sum = sha256(&i.to_le_bytes());
            let among = (format!("d{}/x/{i}", i % 23), sum.clone(), i % 2 == 0);
            [
                (
                    format!("files/{}", i.wrapping_mul(2_654_435_761)),
                    sum.clone(),
                    false,
                ),
                among,
                (format!("{}.json", i % 7), sum, true),
            ]
        });
        for (path, sum, text) in files.chain([(long, sha256(b""), false)]) {
            written.add(&path, &sum, text);
            sums.insert(path, (sum, text));
        }
        let folder = crate::tree::Folder::new();
        written.put(&folder).unwrap();
        let list = crate::tree::Source::get(&folder, SUMS).unwrap().to_vec();
        let lines = sums
            .iter()
            .map(|(path, (sum, text))| format!("{sum} {}{path}\n", if *text { ' ' } else { '*' }));
        assert!(String::from_utf8(list.clone()).unwrap() == lines.collect::<String>());

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("list");
        std::fs::write(&path, &list).unwrap();
        let (on_disk, in_memory) = (
            Blob::open(&path).unwrap().unwrap(),
            Blob::from(bytes::Bytes::from(list)),
        );
        for list in [on_disk, in_memory] {
            let mut read = Sums::read(&list).unwrap();
            assert!(read.paths().eq(sums.keys().cloned()));
            for (i, (path, (sum, text))) in sums.iter().enumerate() {
                let one = if i % 2000 == 0 {
                    Sums::find(&list, path).unwrap()
                } else {
                    None
                };
                let found = if read.has(path) {
                    read.remove(path)
                } else {
                    None
                };
                let expected = FileSum {
                    sum: bytes_of(sum),
                    text: *text,
                };
                assert!(
                    found == Some(expected)
                        && (one.is_none() || one == found)
                        && !read.has(path)
                        && read.remove(path).is_none()
                );
            }
            assert!(read.paths().next().is_none());
            assert!(!read.has("0.jso") && Sums::find(&list, "0.jso").unwrap().is_none());
        }
    }

    #[test]
    fn an_invalid_checksum_matches_no_file() {
        let sum = sha256(b"");
        let list = format!(
            "{sum}0  a\r\n{}  b\nzz{}  c\n\n{sum}\n{sum} d\n{sum}  e f",
            &sum[1..],
            &sum[2..]
        );
        let mut sums = Sums::read(&Blob::from(bytes::Bytes::from(list))).unwrap();
        assert!(sums.paths().eq(["a", "b", "c", "e f"].map(str::to_owned)));
        assert!(
            ["a", "b", "c"]
                .iter()
                .all(|path| !sums.remove(path).unwrap().fits(b""))
        );
        assert!(sums.remove("e f").unwrap().fits(b""));
    }

    #[test]
    fn line_ends_are_ignored_in_texts_only() {
        let list = format!(
            "{}  a b.json\n{} *x.sqf\n",
            sha256(b"[\n1]\n"),
            sha256(b"1;\n")
        );
        let mut sums = Sums::read(&Blob::from(bytes::Bytes::from(list))).unwrap();
        let (text, plain) = (
            sums.remove("a b.json").unwrap(),
            sums.remove("x.sqf").unwrap(),
        );
        for same in ["[\n1]\n", "[\r\n1]\r\n", "\u{feff}[\r\n1]\n"] {
            assert!(text.fits(same.as_bytes()), "{same:?}");
        }
        for other in ["[\n2]\r\n", "[\r1]\n", "[\r\n1]\r\n\n"] {
            assert!(!text.fits(other.as_bytes()), "{other:?}");
        }
        assert!(plain.fits(b"1;\n") && !plain.fits(b"1;\r\n"));
    }
}
