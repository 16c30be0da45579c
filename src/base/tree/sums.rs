//! `.refit/blake3`: the checksums of a tree's files when it was unpacked.
//!
//! Each line has a BLAKE3 sum and a path. A blank before the path marks a text, whose line endings
//! do not count, and `*` marks bytes, as in the lists of `sha256sum`. Only refit reads the list.
//! Without SHA instructions in the processor, BLAKE3 is several times as fast as SHA-256. Trees of
//! older versions have `.refit/sha256`, the same list with SHA-256 sums.

use super::{Blob, Sink, Source};
use crate::{Sum, wire::Result};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

/// The path of the list in a tree.
pub const SUMS: &str = ".refit/blake3";

/// The path of the list in trees of older versions.
const OLD_SUMS: &str = ".refit/sha256";

/// A list of checksums as it is stored.
#[derive(Clone, Debug)]
pub struct List {
    lines: Blob,
    /// True for a list of an older version.
    is_old: bool,
}

impl List {
    /// The list of a tree.
    ///
    /// # Errors
    /// It cannot be read; if it is missing, the error names [`SUMS`].
    pub fn of(tree: &dyn Source) -> Result<Self> {
        let is_old = !tree.has(SUMS) && tree.has(OLD_SUMS);
        let path = if is_old { OLD_SUMS } else { SUMS };
        tree.blob(path).map(|lines| List { lines, is_old })
    }

    /// True if this `.refit` folder on disk has a list, readable or not.
    #[cfg(feature = "disk")]
    pub(crate) fn is_in(own: &std::path::Path) -> bool {
        [SUMS, OLD_SUMS]
            .into_iter()
            .filter_map(|path| path.strip_prefix(".refit/"))
            .any(|name| own.join(name).symlink_metadata().is_ok())
    }
}

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
    sum: Sum,
    /// If true, line endings and a byte order mark do not count.
    text: bool,
}

impl FileSum {
    /// Of a file's bytes, or of a text, in which line ends do not count.
    pub fn new(bytes: &[u8], text: bool) -> Self {
        FileSum {
            sum: Sum::of(bytes),
            text,
        }
    }

    /// Of a file that need not be in memory, in which line ends count.
    pub fn of_file(file: &Blob) -> Result<Self> {
        file.sum().map(Self::from)
    }

    /// The checksum of the content as it was written.
    pub fn exact(&self) -> &Sum {
        &self.sum
    }

    /// True if the content has not changed.
    pub fn fits(&self, bytes: &[u8]) -> bool {
        self.sum.fits(bytes) || (self.text && self.sum.fits(&plain_lines(bytes)))
    }

    /// Like [`FileSum::fits`], for a file that need not be in memory.
    pub fn fits_file(&self, file: &Blob) -> Result<bool> {
        Ok(file.has_sum(&self.sum)? || (self.text && self.fits(&file.bytes()?)))
    }
}

/// Of a file in which line ends count.
impl From<Sum> for FileSum {
    fn from(sum: Sum) -> Self {
        FileSum { sum, text: false }
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
    pub fn read(list: &List) -> Result<Self> {
        Self::read_all([(String::new(), list.clone())])
    }

    /// Parses the lists of several trees inside a folder: for each, the path of its folder (empty
    /// or with a trailing slash) and its list.
    pub(crate) fn read_all(lists: impl IntoIterator<Item = (String, List)>) -> Result<Self> {
        let mut files = BTreeMap::new();
        for (folder, list) in lists {
            each_line(&list, &mut |path, sum| {
                files.insert(format!("{folder}{path}"), sum);
            })?;
        }
        Ok(Sums(files))
    }

    /// The original checksum of one file.
    pub fn find(list: &List, path: &str) -> Result<Option<FileSum>> {
        let mut found = None;
        each_line(list, &mut |listed, sum| {
            if listed == path {
                found = Some(sum);
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

    /// Adds a file.
    pub fn add(&mut self, path: &str, sum: FileSum) {
        self.0.insert(path.to_owned(), sum);
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
    for (path, FileSum { sum, text, .. }) in files {
        let _ = writeln!(
            list,
            "{} {}{path}",
            sum.hex(),
            if *text { ' ' } else { '*' }
        );
    }
    tree.put(SUMS, list.as_bytes())
}

/// The paths of a list that are `wanted`.
pub fn listed(list: &List, wanted: impl Fn(&str) -> bool) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    each_line(list, &mut |path, _| {
        if wanted(path) {
            found.insert(path.to_owned());
        }
    })?;
    Ok(found)
}

/// Passes the lines of a list to `see`: path and checksum.
fn each_line(list: &List, see: &mut dyn FnMut(&str, FileSum)) -> Result<()> {
    let mut take = |line: &[u8]| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
        let Some((sum, path)) = line.split_once(' ') else {
            return;
        };
        if let Some(plain) = path.strip_prefix([' ', '*']) {
            let sum = FileSum {
                sum: match list.is_old {
                    true => Sum::parse(sum),
                    false => Sum::from_blake3(sum),
                },
                text: path.starts_with(' '),
            };
            see(plain, sum);
        }
    };
    // A line may start in one piece and end in the next.
    let mut begun: Vec<u8> = Vec::new();
    list.lines.each(&mut |piece| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha256;

    fn list_of(lines: impl Into<Blob>, is_old: bool) -> List {
        List {
            lines: lines.into(),
            is_old,
        }
    }

    #[test]
    fn written_checksums_are_sorted_and_survive_the_round_trip() {
        let (mut written, mut sums) = (Sums::default(), BTreeMap::new());
        let long = "x/".repeat(4 << 20);
        let files = (0..20_000u32).flat_map(|i| {
            let sum = |text| FileSum::new(&i.to_le_bytes(), text);
            [
                (
                    format!("files/{}", i.wrapping_mul(2_654_435_761)),
                    sum(false),
                ),
                (format!("d{}/x/{i}", i % 23), sum(i % 2 == 0)),
                (format!("{}.json", i % 7), sum(true)),
            ]
        });
        for (path, sum) in files.chain([(long, FileSum::new(b"", false))]) {
            written.add(&path, sum.clone());
            sums.insert(path, sum);
        }
        let folder = crate::tree::Folder::new();
        written.put(&folder).unwrap();
        let list = crate::tree::Source::get(&folder, SUMS).unwrap().to_vec();
        let lines = sums.iter().map(|(path, sum)| {
            let mark = if sum.text { ' ' } else { '*' };
            format!("{} {mark}{path}\n", sum.sum.hex())
        });
        assert!(String::from_utf8(list.clone()).unwrap() == lines.collect::<String>());

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("list");
        std::fs::write(&path, &list).unwrap();
        let (on_disk, in_memory) = (
            Blob::open(&path).unwrap().unwrap(),
            Blob::from(bytes::Bytes::from(list)),
        );
        for list in [on_disk, in_memory].map(|lines| list_of(lines, false)) {
            let mut read = Sums::read(&list).unwrap();
            assert!(read.paths().eq(sums.keys().cloned()));
            for (i, (path, sum)) in sums.iter().enumerate() {
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
                assert!(
                    found.as_ref() == Some(sum)
                        && (one.is_none() || one == found)
                        && !read.has(path)
                        && read.remove(path).is_none()
                );
            }
            assert!(read.paths().next().is_none());
            assert!(!read.has("0.jso") && Sums::find(&list, "0.jso").unwrap().is_none());
        }
    }

    /// Trees that an older version unpacked are still recognised, and their edits.
    #[test]
    fn lists_of_older_versions_are_read() {
        let tree = crate::tree::Folder::new();
        let line = format!("{} *a.wav\n", sha256(b"RIFF"));
        crate::tree::Sink::put(&tree, OLD_SUMS, line.as_bytes()).unwrap();
        let sums = || Sums::read(&List::of(&tree).unwrap()).unwrap();
        let was = sums().remove("a.wav").unwrap();
        assert!(was.fits(b"RIFF") && !was.fits(b"RIFX"));
        let now = Sums(BTreeMap::from([(
            "a.wav".into(),
            FileSum::new(b"RIFX", false),
        )]));
        now.put(&tree).unwrap();
        assert!(sums().remove("a.wav").unwrap().fits(b"RIFX"));
    }

    #[test]
    fn an_invalid_checksum_matches_no_file() {
        let sum = sha256(b"");
        let list = format!(
            "{sum}0  a\r\n{}  b\nzz{}  c\n\n{sum}\n{sum} d\n{sum}  e f",
            &sum[1..],
            &sum[2..]
        );
        let mut sums = Sums::read(&list_of(bytes::Bytes::from(list), true)).unwrap();
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
        let mut sums = Sums::read(&list_of(bytes::Bytes::from(list), true)).unwrap();
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
