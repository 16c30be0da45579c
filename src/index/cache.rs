//! What was read of files, kept for the next time: by the SHA-256 of a file, and which file had that sum when it was looked at last.
//!
//! Nothing here is worth anything to anybody but refit, and nothing is lost with it: whatever cannot be read or written is made anew. The
//! list of files stands on disk in the order of its paths, and is looked up there: a game may have very many.

use super::{Content, Name};
use crate::{
    format::Format,
    game::Game,
    many::Sorter,
    registry,
    tree::{Blob, disk},
    work::Hints,
};
use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Changes with everything that would make refit read something else out of the same file.
const VERSION: &str = concat!("4-", env!("CARGO_PKG_VERSION"));

/// Kept content that is longer is not read: refit writes no such.
const LONGEST: u64 = 256 << 20;

/// A path, as the first half of its SHA-256: there may be many thousands.
type PathSum = [u8; 16];

/// Which file was looked at: its path, its size, and when it was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    path: PathSum,
    bytes: u64,
    /// In nanoseconds since 1970.
    modified: u64,
}

/// A line of the list of files: the sum of the path, size, time, the sum of the content, format, and the game with 0 for none. Numbers stand
/// with their highest byte first.
const ROW: usize = 16 + 8 + 8 + 32 + 2;
type Row = [u8; ROW];

/// Lines that are looked through at a time.
const LINES: usize = 64;

/// What is known of a file.
struct CachedFile {
    bytes: u64,
    modified: u64,
    sum: [u8; 32],
    format: Format,
    game: Option<Game>,
}

impl CachedFile {
    fn row(&self, path: &PathSum) -> Row {
        let kind = [self.format as u8, self.game.map_or(0, |game| game as u8 + 1)];
        let numbers = [self.bytes, self.modified].into_iter().flat_map(u64::to_be_bytes);
        let mut row = [0; ROW];
        row.iter_mut().zip(path.iter().copied().chain(numbers).chain(self.sum).chain(kind)).for_each(|(to, from)| *to = from);
        row
    }

    fn of(row: &[u8]) -> Option<Self> {
        let (_, rest) = row.split_first_chunk::<16>()?;
        let (bytes, rest) = rest.split_first_chunk()?;
        let (modified, rest) = rest.split_first_chunk()?;
        let (sum, rest) = rest.split_first_chunk()?;
        let [format, game] = rest else { return None };
        let format = registry::formats().find(|one| *one as u8 == *format)?;
        let game = match game {
            0 => None,
            game => Some(*Game::ALL.iter().find(|one| **one as u8 + 1 == *game)?),
        };
        Some(CachedFile { bytes: u64::from_be_bytes(*bytes), modified: u64::from_be_bytes(*modified), sum: *sum, format, game })
    }
}

/// The list of files as it stands on disk.
#[derive(Default)]
struct List {
    file: Option<Blob>,
    /// The paths of the first of each [`LINES`] lines.
    firsts: Vec<PathSum>,
}

impl List {
    fn open(path: &Path) -> Option<Self> {
        let file = Blob::open(path).ok().flatten().filter(|file| file.len() % ROW as u64 == 0)?;
        let mut list = List { firsts: Vec::new(), file: None };
        let mut at = 0;
        while at < file.len() {
            list.firsts.push(*file.slice(at, 16).ok()?.bytes().ok()?.first_chunk()?);
            at += (ROW * LINES) as u64;
        }
        list.file = Some(file);
        Some(list)
    }

    fn find(&self, path: &PathSum) -> Option<CachedFile> {
        let at = self.firsts.partition_point(|first| first <= path).checked_sub(1)?;
        let lines = self.file.as_ref()?.slice((at * LINES * ROW) as u64, (LINES * ROW) as u64).ok()?.bytes().ok()?;
        CachedFile::of(lines.chunks_exact(ROW).find(|row| row.starts_with(path))?)
    }

    /// All lines, in order.
    fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        let step = (ROW * LINES) as u64;
        (0..self.firsts.len() as u64)
            .map_while(move |at| self.file.as_ref()?.slice(at * step, step).ok()?.bytes().ok())
            .flat_map(|lines| lines.chunks_exact(ROW).filter_map(|row| row.try_into().ok()).collect::<Vec<Row>>())
    }
}

/// A folder of what was read before.
pub struct Cache {
    folder: Option<PathBuf>,
    /// The list of files that were looked at, for one root: where it stands, and what stood there.
    path: PathBuf,
    list: List,
    /// Its new lines; `None` while there is none.
    new: Mutex<Option<Sorter<ROW>>>,
}

/// The bytes of lower-case hexadecimal text.
fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    crate::wire::bytes_of_hex(text).ok()?.try_into().ok()
}

/// A file that was changed so shortly before it was looked at may change again without a trace.
const FRESH: Duration = Duration::from_secs(2);

impl Cache {
    /// No cache: everything is read.
    pub fn none() -> Self {
        Cache { folder: None, path: PathBuf::new(), list: List::default(), new: Mutex::default() }
    }

    /// A cache in a folder, for what lies below `root`.
    pub fn open(folder: PathBuf, root: &Path) -> Self {
        let root = crate::path::canonical(root).unwrap_or_else(|_| root.to_owned());
        let name = crate::sha256(root.as_os_str().as_encoded_bytes());
        let path = folder.join(format!("files-{}-{VERSION}", name.get(..16).unwrap_or_default()));
        Cache { folder: Some(folder), list: List::open(&path).unwrap_or_default(), path, new: Mutex::default() }
    }

    /// False where nothing is kept.
    pub fn is_open(&self) -> bool {
        self.folder.is_some()
    }

    /// Of a file as it is now; `None` where it may change unnoticed, or where what it is was said by the user.
    pub fn stamp(&self, path: &Path, hints: Hints) -> Option<Stamp> {
        if !self.is_open() || hints.game.is_some() || hints.format.is_some() {
            return None;
        }
        let meta = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let modified = meta.modified().ok()?;
        let old = SystemTime::now().duration_since(modified).is_ok_and(|age| age > FRESH);
        let mut sum = crate::Sha256::default();
        sum.update(crate::path::canonical(path).ok()?.as_os_str().as_encoded_bytes());
        let path = sum.half();
        let modified = modified.duration_since(UNIX_EPOCH).ok()?.as_nanos().try_into().ok()?;
        old.then_some(Stamp { path, bytes: meta.len(), modified })
    }

    /// What is known of a file that was not changed since.
    pub fn get(&self, stamp: &Stamp) -> Option<(Format, Option<Game>, Content)> {
        let known = self.list.find(&stamp.path)?;
        if (known.bytes, known.modified) != (stamp.bytes, stamp.modified) {
            return None;
        }
        Some((known.format, known.game, self.of_sum(&crate::lower_hex(&known.sum), known.format, known.game)?))
    }

    fn place(&self, sum: &str, format: Format, game: Option<Game>) -> Option<PathBuf> {
        // The same bytes may be read as another format or game, and then have other names: both are part of the key.
        let game = game.map_or("-", Game::code);
        Some(self.folder.as_ref()?.join(sum.get(..2)?).join(format!("{}-{format}-{game}-{VERSION}", sum.get(2..)?)))
    }

    /// What a file with this sum says.
    pub fn of_sum(&self, sum: &str, format: Format, game: Option<Game>) -> Option<Content> {
        let path = self.place(sum, format, game)?;
        if path.metadata().ok()?.len() > LONGEST {
            return None;
        }
        decode(&std::fs::read(path).ok()?)
    }

    /// Keeps what a file says.
    pub fn put(&self, sum: &str, format: Format, game: Option<Game>, content: &Content) {
        let Some((path, bytes)) = self.place(sum, format, game).zip(encode(content)) else { return };
        let _ = write(&path, |out| out.write_all(&bytes));
    }

    /// Notes which file it was.
    pub fn note(&self, stamp: Option<Stamp>, sum: &str, format: Format, game: Option<Game>) {
        let Some((Stamp { path, bytes, modified }, sum)) = stamp.zip(unhex(sum)) else { return };
        let row = CachedFile { bytes, modified, sum, format, game }.row(&path);
        let mut new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
        // What could not be noted is read again.
        let _ = new.get_or_insert_default().push(row);
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let new = self.new.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(new), Some(_)) = (new.and_then(|new| new.end().ok()), &self.folder) else { return };
        let mut old = self.list.rows().peekable();
        let path = |row: &Row| row.first_chunk::<16>().copied().unwrap_or_default();
        let filled = filled(&self.path, |out| {
            let mut last = None;
            for row in new {
                let row = row.map_err(|e| std::io::Error::other(e.to_string()))?;
                if last == Some(path(&row)) {
                    continue;
                }
                last = Some(path(&row));
                while let Some(before) = old.next_if(|before| path(before) <= path(&row)) {
                    // The new line takes the place of the old one.
                    if path(&before) < path(&row) {
                        out.write_all(&before)?;
                    }
                }
                out.write_all(&row)?;
            }
            old.try_for_each(|row| out.write_all(&row))
        });
        drop(old);
        // Windows replaces no file that is open.
        self.list = List::default();
        let _ = filled.and_then(|temp| disk::persist(temp, &self.path));
    }
}

/// Whole or not at all: several refits may do so at once.
fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<()> {
    disk::persist(filled(path, fill)?, path)
}

/// What is to be put in place of a file, beside it.
fn filled(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut temp = disk::new_temporary(folder)?;
    let mut out = BufWriter::new(temp.as_file_mut());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    Ok(temp)
}

/// The two parts one after the other, packed.
fn encode(content: &Content) -> Option<Vec<u8>> {
    let names = serde_json::to_string(&content.names).ok()?;
    let text = format!("{}\n{names}\n{}", content.is_complete, content.values);
    let mut out = (text.len() as u64).to_le_bytes().to_vec();
    out.extend(miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 1));
    Some(out)
}

fn decode(bytes: &[u8]) -> Option<Content> {
    let (size, packed) = bytes.split_first_chunk()?;
    let size = usize::try_from(u64::from_le_bytes(*size)).ok()?;
    let text = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, size.min(1 << 30)).ok()?;
    let text = String::from_utf8(text).ok().filter(|text| text.len() == size)?;
    let (complete, rest) = text.split_once('\n')?;
    let (names, values) = rest.split_once('\n')?;
    let names: Vec<Name> = serde_json::from_str(names).ok()?;
    Some(Content { names, values: values.to_owned(), is_complete: complete == "true" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naming::{Does, NameKind};

    #[test]
    fn what_is_kept_comes_back_and_what_is_damaged_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let name = Name { kind: NameKind::Node, does: Does::Uses, name: "a\"b".into(), document: "d.json".into(), at: "x[1]".into() };
        let content = Content { names: vec![name], values: "\u{1}d.json\nx[1]\ta\"b\n".into(), is_complete: true };
        let cache = Cache::open(dir.path().join("cache"), dir.path());
        let sum = crate::sha256(b"1");
        assert_eq!(cache.of_sum(&sum, Format::Anim, None), None);
        cache.put(&sum, Format::Anim, None, &content);
        assert_eq!(cache.of_sum(&sum, Format::Anim, None), Some(content.clone()));
        assert_eq!(cache.of_sum(&sum, Format::Anim, Some(Game::Rc)), None);
        let bytes = encode(&content).unwrap();
        for cut in 0..bytes.len() {
            assert_eq!(decode(&bytes[..cut]), None, "{cut}");
        }
        let file = dir.path().join("file");
        std::fs::write(&file, "1").unwrap();
        // Just written: it could change again without a trace.
        assert_eq!(cache.stamp(&file, Hints::default()), None);
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(long_ago).unwrap();
        let stamp = cache.stamp(&file, Hints::default()).unwrap();
        cache.note(Some(stamp), &sum, Format::Anim, None);
        drop(cache);
        let cache = Cache::open(dir.path().join("cache"), dir.path());
        assert_eq!(cache.get(&stamp), Some((Format::Anim, None, content)));
        assert_eq!(cache.get(&Stamp { bytes: 2, ..stamp }), None);
    }

    #[test]
    fn the_list_of_files_is_in_order_and_new_lines_take_the_place_of_old_ones() {
        let dir = tempfile::tempdir().unwrap();
        let stamp = |n: u64, bytes| {
            let mut sum = crate::Sha256::default();
            sum.update(&n.to_le_bytes());
            Stamp { path: sum.half(), bytes, modified: n }
        };
        let sum = |n: u64| crate::sha256(&n.to_le_bytes());
        let game = |n: u64| (n % 5 < 4).then(|| Game::ALL[(n % 5) as usize]);
        for round in 0..3u64 {
            let cache = Cache::open(dir.path().to_owned(), dir.path());
            let known =
                |n: u64| cache.list.find(&stamp(n, 0).path).map(|known| (known.bytes, known.modified, known.sum, known.format, known.game));
            for n in 0..1000 * (round + 1) {
                // Of the old ones the even ones were noted once more, with another size.
                let bytes = if n % 2 == 0 { round.saturating_sub(1) } else { n / 1000 };
                let expected = (n < 1000 * round).then(|| (bytes, n, unhex(&sum(n)).unwrap(), Format::Reader, game(n)));
                assert_eq!(known(n), expected, "{round} {n}");
                if n >= 1000 * round || n % 2 == 0 {
                    cache.note(Some(stamp(n, round)), &sum(n), Format::Reader, game(n));
                }
            }
        }
        let rows = List::open(&Cache::open(dir.path().to_owned(), dir.path()).path).unwrap().rows().collect::<Vec<_>>();
        assert!(rows.len() == 3000 && rows.is_sorted());
    }
}
