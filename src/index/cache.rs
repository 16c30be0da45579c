//! What was read of files, kept for the next time: by the SHA-256 of a file, and which file had that sum when it was looked at last.
//!
//! Nothing here is worth anything to anybody but refit, and nothing is lost with it: whatever cannot be read or written is made anew.

use super::{Content, Name};
use crate::{format::Format, game::Game, work::Hints};
use std::{
    collections::HashMap,
    io::{BufRead, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Changes with everything that would make refit read something else out of the same file.
const VERSION: &str = concat!("3-", env!("CARGO_PKG_VERSION"));

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

#[derive(Clone, Copy)]
struct CachedFile {
    bytes: u64,
    modified: u64,
    sum: [u8; 32],
    format: Format,
    game: Option<Game>,
}

/// A line of the list of files: path and content by their sums, size, time, and what it is.
type Row = (String, u64, u64, String, Format, Option<Game>);

/// A folder of what was read before.
pub struct Cache {
    folder: Option<PathBuf>,
    /// The list of files that were looked at, for one root.
    list: PathBuf,
    known: Mutex<(HashMap<PathSum, CachedFile>, bool)>,
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
        Cache { folder: None, list: PathBuf::new(), known: Mutex::default() }
    }

    /// A cache in a folder, for what lies below `root`.
    pub fn open(folder: PathBuf, root: &Path) -> Self {
        let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let name = crate::sha256(root.as_os_str().as_encoded_bytes());
        let list = folder.join(format!("files-{}-{VERSION}", name.get(..16).unwrap_or_default()));
        let mut known = HashMap::new();
        let lines = std::fs::File::open(&list).map(|file| BufReader::new(file.take(LONGEST)).lines());
        for line in lines.into_iter().flatten().map_while(Result::ok) {
            let Ok((path, bytes, modified, sum, format, game)) = serde_json::from_str::<Row>(&line) else { continue };
            if let (Some(path), Some(sum)) = (unhex(&path), unhex(&sum)) {
                known.insert(path, CachedFile { bytes, modified, sum, format, game });
            }
        }
        Cache { folder: Some(folder), list, known: Mutex::new((known, false)) }
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
        sum.update(std::fs::canonicalize(path).ok()?.as_os_str().as_encoded_bytes());
        let path = unhex(sum.hex().get(..32)?)?;
        let modified = modified.duration_since(UNIX_EPOCH).ok()?.as_nanos().try_into().ok()?;
        old.then_some(Stamp { path, bytes: meta.len(), modified })
    }

    /// What is known of a file that was not changed since.
    pub fn get(&self, stamp: &Stamp) -> Option<(Format, Option<Game>, Content)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).0.get(&stamp.path).copied()?;
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
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.0.insert(path, CachedFile { bytes, modified, sum, format, game });
        known.1 = true;
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let (known, changed) = std::mem::take(&mut *self.known.lock().unwrap_or_else(PoisonError::into_inner));
        if !changed || self.folder.is_none() {
            return;
        }
        let mut paths: Vec<PathSum> = known.keys().copied().collect();
        paths.sort_unstable();
        let rows = paths.iter().filter_map(|path| {
            let CachedFile { bytes, modified, sum, format, game } = known.get(path)?;
            let row: Row = (crate::lower_hex(path), *bytes, *modified, crate::lower_hex(sum), *format, *game);
            serde_json::to_string(&row).ok()
        });
        let _ = write(&self.list, |out| rows.into_iter().try_for_each(|row| writeln!(out, "{row}")));
    }
}

/// Whole or not at all: several refits may do so at once.
fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut temp = tempfile::Builder::new().prefix(".refit-").suffix(".tmp").tempfile_in(folder)?;
    let mut out = BufWriter::new(temp.as_file_mut());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    temp.persist(path).map(drop).map_err(|e| e.error)
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
}
