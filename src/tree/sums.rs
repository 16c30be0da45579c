//! `.refit/sha256`: what the files of a tree were when it was unpacked.
//!
//! The list is one that `sha256sum --check` reads. Its two marks say what they say there: a blank before a path stands for a
//! text, whose ends of lines are nobody's edit, and `*` for bytes that count one by one.

use super::{Blob, Sink};
use crate::{sha256, wire::Result};
use std::{borrow::Cow, cmp::Ordering, collections::VecDeque, fmt::Write};

/// Where the list stands in a tree.
pub const SUMS: &str = ".refit/sha256";

/// Git for Windows turns the ends of all lines of what looks like text unless it is told not to.
pub const GIT_ATTRIBUTES: (&str, &str) =
    (".gitattributes", "# Files of a game are bytes: git must leave the ends of their lines alone.\n* -text\n");

/// What a file was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileSum {
    sum: [u8; SUM],
    /// Ends of lines and a byte order mark mean nothing in it.
    text: bool,
}

impl FileSum {
    /// True when the file is what it was.
    pub fn fits(&self, bytes: &[u8]) -> bool {
        let is = |bytes: &[u8]| sha256(bytes) == crate::lower_hex(&self.sum);
        is(bytes) || (self.text && is(&plain_lines(bytes)))
    }

    /// The same of a file that need not stand in memory.
    pub fn fits_file(&self, file: &Blob) -> Result<bool> {
        Ok(file.sha256()? == crate::lower_hex(&self.sum) || (self.text && self.fits(&file.bytes()?)))
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
#[derive(Default)]
pub struct Sums {
    files: Written,
    /// Where the files stand, sorted by path.
    order: Vec<BlockPlace>,
    /// Those of them that were taken out.
    gone: Vec<bool>,
}

impl Sums {
    /// Reads the list. Lines that are none are passed over.
    pub fn read(list: &Blob) -> Result<Self> {
        Self::read_all([(String::new(), list.clone())])
    }

    /// Reads the lists of trees that stand in folders of one: each folder's path, which is empty or ends with a slash, and its list.
    pub fn read_all(lists: impl IntoIterator<Item = (String, Blob)>) -> Result<Self> {
        let mut files = Written::default();
        for (folder, list) in lists {
            each_line(&list, &mut |path, sum, text| files.add(&format!("{folder}{path}"), sum, text))?;
        }
        let order = files.sorted();
        Ok(Sums { gone: vec![false; order.len()], files, order })
    }

    /// What one file was, as the list says.
    pub fn find(list: &Blob, path: &str) -> Result<Option<FileSum>> {
        let mut found = None;
        each_line(list, &mut |other, sum, text| {
            if other == path {
                found = Some(FileSum { sum: bytes_of(sum), text });
            }
        })?;
        Ok(found)
    }

    fn position(&self, path: &str) -> Option<usize> {
        let at = self.order.binary_search_by(|at| self.files.path(*at).cmp(&Path::of(path.as_bytes()))).ok()?;
        self.gone.get(at).is_some_and(|gone| !gone).then_some(at)
    }

    /// Takes a file out.
    pub fn remove(&mut self, path: &str) -> Option<FileSum> {
        let at = self.position(path)?;
        *self.gone.get_mut(at)? = true;
        let (_, sum, mark) = self.files.line(*self.order.get(at)?)?;
        Some(FileSum { sum: *sum.first_chunk()?, text: mark == b' ' })
    }

    /// True when the list has the file.
    pub fn has(&self, path: &str) -> bool {
        self.position(path).is_some()
    }

    /// The paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = String> + '_ {
        let left = self.order.iter().zip(&self.gone).filter(|(_, gone)| !**gone);
        left.map(|(at, _)| self.files.path(*at).text())
    }
}

/// Hands out the lines of a list: path, sum, and whether it is that of a text.
fn each_line(list: &Blob, see: &mut dyn FnMut(&str, &str, bool)) -> Result<()> {
    let mut take = |line: &[u8]| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
        let Some((sum, path)) = line.split_once(' ') else { return };
        if let Some(plain) = path.strip_prefix([' ', '*']) {
            see(plain, sum, path.starts_with(' '));
        }
    };
    // A line may begin in one piece and end in the next.
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

/// Bytes of a SHA-256.
const SUM: usize = 32;

/// The bytes that a sum in hexadecimal says; what is no sum fits no file.
fn bytes_of(sum: &str) -> [u8; SUM] {
    let digit = |digit: Option<&u8>| char::from(*digit?).to_digit(16).map(|digit| digit as u8);
    let mut out = [0; SUM];
    for (byte, pair) in out.iter_mut().zip(sum.as_bytes().chunks(2)) {
        let Some((high, low)) = digit(pair.first()).zip(digit(pair.get(1))) else { return [0; SUM] };
        *byte = high << 4 | low;
    }
    if sum.len() == 2 * SUM { out } else { [0; SUM] }
}

/// The sums of a tree that is being written. There may be hundreds of thousands of files: all that is kept stands in some blocks of bytes.
#[derive(Default)]
pub struct Written {
    /// Folders and files. A folder: [`FOLDER`], the length of its path in four bytes, and the path with its last slash. A file: its mark, the
    /// sum's 32 bytes, where its folder begins in the block and the length of its name, four bytes each, and the name.
    blocks: Vec<Vec<u8>>,
    files: usize,
    /// Where folders begin in the last block that files were put into lately: threads write into several at a time.
    lately: VecDeque<u32>,
}

/// The mark of a folder.
const FOLDER: u8 = b'/';

/// Folders that are remembered.
const LATELY: usize = 8;

/// Bytes of a folder and of a file without their paths.
const FOLDER_HEAD: usize = 5;
const FILE_HEAD: usize = 1 + SUM + 8;

/// Where a file stands: its block, and where it begins in it.
type BlockPlace = (u32, u32);

/// Size of a block that is not that of one long path. Blocks of this size are mapped apart: smaller ones leave holes between what threads
/// allocate beside them (measured: 6 of 42 MB when an archive of 200,000 files is unpacked).
const BLOCK: usize = 4 << 20;

/// A path: its folder with a slash, or nothing, and its name.
#[derive(Clone, Copy)]
struct Path<'a>(&'a [u8], &'a [u8]);

impl<'a> Path<'a> {
    fn of(path: &'a [u8]) -> Self {
        let slash = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        let (folder, name) = path.split_at_checked(slash).unwrap_or((&[], path));
        Path(folder, name)
    }

    fn text(self) -> String {
        String::from_utf8_lossy(&[self.0, self.1].concat()).into_owned()
    }
}

impl Ord for Path<'_> {
    /// As the whole paths are.
    fn cmp(&self, other: &Self) -> Ordering {
        match self.0 == other.0 {
            true => self.1.cmp(other.1),
            false => self.0.iter().chain(self.1).cmp(other.0.iter().chain(other.1)),
        }
    }
}

impl PartialOrd for Path<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Path<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Path<'_> {}

/// A number in four bytes, at the beginning of `bytes`.
fn word(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (word, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*word) as usize, rest))
}

/// The path of the folder that begins there in a block.
fn folder_at(block: &[u8], at: u32) -> Option<&[u8]> {
    let (len, rest) = word(block.get(at as usize + 1..)?)?;
    rest.get(..len)
}

impl Written {
    /// Adds a file: its path, the SHA-256 of its bytes in hexadecimal, and whether it is a text, which refit reads whatever its line ends
    /// are.
    pub fn add(&mut self, path: &str, sum: &str, text: bool) {
        let Path(folder, name) = Path::of(path.as_bytes());
        let need = FOLDER_HEAD + FILE_HEAD + path.len();
        if self.blocks.last().is_none_or(|block| block.capacity() - block.len() < need) {
            self.blocks.push(Vec::with_capacity(need.max(BLOCK)));
            self.lately.clear();
        }
        let Some(block) = self.blocks.last_mut() else { return };
        let known = self.lately.iter().copied().find(|at| folder_at(block, *at) == Some(folder));
        let folder_at = known.unwrap_or_else(|| {
            let at = block.len() as u32;
            block.push(FOLDER);
            block.extend((folder.len() as u32).to_le_bytes());
            block.extend_from_slice(folder);
            if self.lately.len() == LATELY {
                self.lately.pop_front();
            }
            self.lately.push_back(at);
            at
        });
        block.push(if text { b' ' } else { b'*' });
        block.extend(bytes_of(sum));
        block.extend(folder_at.to_le_bytes());
        block.extend((name.len() as u32).to_le_bytes());
        block.extend_from_slice(name);
        self.files += 1;
    }

    /// A file: its path, its sum and its mark.
    fn line(&self, (block, at): BlockPlace) -> Option<(Path<'_>, &[u8], u8)> {
        let block = self.blocks.get(block as usize)?;
        let (mark, rest) = block.get(at as usize..)?.split_first()?;
        let (sum, rest) = rest.split_at_checked(SUM)?;
        let (folder, rest) = word(rest)?;
        let (len, rest) = word(rest)?;
        Some((Path(folder_at(block, folder as u32)?, rest.get(..len)?), sum, *mark))
    }

    fn path(&self, at: BlockPlace) -> Path<'_> {
        self.line(at).map_or(Path(&[], &[]), |(path, ..)| path)
    }

    /// Where the files stand, sorted by path. Of one that was written twice there is what it was at last.
    fn sorted(&self) -> Vec<BlockPlace> {
        let mut places: Vec<BlockPlace> = Vec::with_capacity(self.files);
        for (block, bytes) in self.blocks.iter().enumerate() {
            let (block, mut at) = (block as u32, 0);
            while let Some(mark) = bytes.get(at as usize) {
                let len = match *mark {
                    FOLDER => FOLDER_HEAD + folder_at(bytes, at).map_or(0, <[u8]>::len),
                    _ => {
                        places.push((block, at));
                        FILE_HEAD + self.path((block, at)).1.len()
                    }
                };
                at += len as u32;
            }
        }
        // A file that was written twice is listed twice. The last one is sorted to the front, since `dedup_by` keeps the first.
        places.sort_unstable_by(|a, b| self.path(*a).cmp(&self.path(*b)).then(b.cmp(a)));
        places.dedup_by(|a, b| self.path(*a) == self.path(*b));
        places
    }

    /// Puts the list into the tree.
    pub fn put(&self, tree: &dyn Sink) -> Result<()> {
        tree.put_pieces(SUMS, &mut |out| self.pieces(out)).map(|_| ())
    }

    /// Hands out the list in pieces, sorted by path.
    pub fn pieces(&self, out: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut piece = String::new();
        for (path, sum, mark) in self.sorted().into_iter().filter_map(|at| self.line(at)) {
            let _ = writeln!(piece, "{} {}{}", crate::lower_hex(sum), char::from(mark), path.text());
            if piece.len() >= 1 << 16 {
                out(piece.as_bytes())?;
                piece.clear();
            }
        }
        out(piece.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn written_sums_are_the_list_sorted_and_are_read_back() {
        let (mut written, mut sums) = (Written::default(), BTreeMap::new());
        let long = "x/".repeat(BLOCK);
        let files = (0..20_000u32).flat_map(|i| {
            let sum = sha256(&i.to_le_bytes());
            let among = (format!("d{}/x/{i}", i % 23), sum.clone(), i % 2 == 0);
            [(format!("files/{}", i.wrapping_mul(2_654_435_761)), sum.clone(), false), among, (format!("{}.json", i % 7), sum, true)]
        });
        for (path, sum, text) in files.chain([(long, sha256(b""), false)]) {
            written.add(&path, &sum, text);
            sums.insert(path, (sum, text));
        }
        let mut list = Vec::new();
        let mut take = |piece: &[u8]| {
            list.extend_from_slice(piece);
            Ok(())
        };
        written.pieces(&mut take).unwrap();
        let lines = sums.iter().map(|(path, (sum, text))| format!("{sum} {}{path}\n", if *text { ' ' } else { '*' }));
        assert!(String::from_utf8(list.clone()).unwrap() == lines.collect::<String>());

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("list");
        std::fs::write(&path, &list).unwrap();
        let (on_disk, in_memory) = (Blob::open(&path).unwrap().unwrap(), Blob::from(bytes::Bytes::from(list)));
        for list in [on_disk, in_memory] {
            let mut read = Sums::read(&list).unwrap();
            assert!(read.paths().eq(sums.keys().cloned()));
            for (i, (path, (sum, text))) in sums.iter().enumerate() {
                let one = if i % 2000 == 0 { Sums::find(&list, path).unwrap() } else { None };
                let found = if read.has(path) { read.remove(path) } else { None };
                let expected = FileSum { sum: bytes_of(sum), text: *text };
                assert!(found == Some(expected) && (one.is_none() || one == found) && !read.has(path) && read.remove(path).is_none());
            }
            assert!(read.paths().next().is_none());
            assert!(!read.has("0.jso") && Sums::find(&list, "0.jso").unwrap().is_none());
        }
    }

    #[test]
    fn what_is_no_sum_fits_no_file() {
        let sum = sha256(b"");
        let list = format!("{sum}0  a\r\n{}  b\nzz{}  c\n\n{sum}\n{sum} d\n{sum}  e f", &sum[1..], &sum[2..]);
        let mut sums = Sums::read(&Blob::from(bytes::Bytes::from(list))).unwrap();
        assert!(sums.paths().eq(["a", "b", "c", "e f"].map(str::to_owned)));
        assert!(["a", "b", "c"].iter().all(|path| !sums.remove(path).unwrap().fits(b"")));
        assert!(sums.remove("e f").unwrap().fits(b""));
    }

    #[test]
    fn line_ends_of_texts_are_no_edits_and_those_of_other_files_are() {
        let list = format!("{}  a b.json\n{} *x.sqf\n", sha256(b"[\n1]\n"), sha256(b"1;\n"));
        let mut sums = Sums::read(&Blob::from(bytes::Bytes::from(list))).unwrap();
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
