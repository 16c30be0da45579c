//! What was read of files, kept for the next time: by the SHA-256 of a file, and which file had that sum when it was looked at last.
//!
//! Nothing here is worth anything to anybody but refit, and nothing is lost with it: whatever cannot be read or written is made again.

use super::{Content, Name};
use crate::{format::Format, game::Game, pipeline::Hints, tree::disk};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Changes with everything that would make refit read something else out of the same file.
const VERSION: &str = concat!("4-", env!("CARGO_PKG_VERSION"));

/// Longer files are not read: refit writes no such.
const LONGEST: u64 = 256 << 20;

/// Which file was looked at: its path, its size, and when it was changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stamp {
    path: String,
    bytes: u64,
    /// In nanoseconds since 1970.
    modified: u64,
}

/// What is known of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct CachedFile {
    bytes: u64,
    modified: u64,
    sum: String,
    format: Format,
    game: Option<Game>,
}

/// The files that were looked at, by their paths.
#[derive(Default)]
struct Known {
    files: HashMap<String, CachedFile>,
    /// Something was added since it was read.
    is_new: bool,
}

/// A folder of what was read before.
pub struct Cache {
    folder: Option<PathBuf>,
    /// The list of files that were looked at, for one root: where it is, and what is in it.
    path: PathBuf,
    known: Mutex<Known>,
}

/// A file that was changed so shortly before it was looked at may change again without a trace.
const FRESH: Duration = Duration::from_secs(2);

/// A file of the cache.
fn read(path: &Path) -> Option<Vec<u8>> {
    let meta = path.metadata().ok()?;
    if meta.is_file() && meta.len() <= LONGEST { std::fs::read(path).ok() } else { None }
}

impl Cache {
    /// No cache: everything is read.
    pub fn none() -> Self {
        Cache { folder: None, path: PathBuf::new(), known: Mutex::default() }
    }

    /// A cache in a folder, for what lies below `root`.
    pub fn open(folder: PathBuf, root: &Path) -> Self {
        let root = crate::path::canonical(root).unwrap_or_else(|_| root.to_owned());
        let name = crate::sha256(root.as_os_str().as_encoded_bytes());
        let path = folder.join(format!("files-{}-{VERSION}.json", name.get(..16).unwrap_or_default()));
        let files = read(&path).and_then(|list| serde_json::from_slice(&list).ok()).unwrap_or_default();
        Cache { folder: Some(folder), path, known: Mutex::new(Known { files, is_new: false }) }
    }

    /// False where nothing is kept.
    pub fn is_open(&self) -> bool {
        self.folder.is_some()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Of a file as it is now; `None` where it may change unnoticed, or where what it is was said by the user.
    pub fn stamp(&self, path: &Path, hints: Hints) -> Option<Stamp> {
        if !self.is_open() || hints.game.is_some() || hints.format.is_some() {
            return None;
        }
        let meta = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let modified = meta.modified().ok()?;
        let old = SystemTime::now().duration_since(modified).is_ok_and(|age| age > FRESH);
        let path = crate::path::canonical(path).ok()?.to_str()?.to_owned();
        let modified = modified.duration_since(UNIX_EPOCH).ok()?.as_nanos().try_into().ok()?;
        old.then_some(Stamp { path, bytes: meta.len(), modified })
    }

    /// What is known of a file that was not changed since.
    pub fn get(&self, stamp: &Stamp) -> Option<(Format, Option<Game>, Content)> {
        let known = self.known().files.get(&stamp.path)?.clone();
        if (known.bytes, known.modified) != (stamp.bytes, stamp.modified) {
            return None;
        }
        Some((known.format, known.game, self.of_sum(&known.sum, known.format, known.game)?))
    }

    fn place(&self, sum: &str, format: Format, game: Option<Game>) -> Option<PathBuf> {
        // The same bytes may be read as another format or game, and then have other names: both are part of the key.
        let game = game.map_or("-", Game::code);
        let sum = Some(sum).filter(|sum| sum.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        Some(self.folder.as_ref()?.join(sum.get(..2)?).join(format!("{}-{format}-{game}-{VERSION}", sum.get(2..)?)))
    }

    /// What a file with this sum says.
    pub fn of_sum(&self, sum: &str, format: Format, game: Option<Game>) -> Option<Content> {
        decode(&read(&self.place(sum, format, game)?)?)
    }

    /// Keeps what a file says.
    pub fn put(&self, sum: &str, format: Format, game: Option<Game>, content: &Content) {
        let Some((path, bytes)) = self.place(sum, format, game).zip(encode(content)) else { return };
        let _ = write(&path, &bytes);
    }

    /// Notes which file it was.
    pub fn note(&self, stamp: Option<Stamp>, sum: &str, format: Format, game: Option<Game>) {
        let Some(Stamp { path, bytes, modified }) = stamp else { return };
        let mut known = self.known();
        known.files.insert(path, CachedFile { bytes, modified, sum: sum.to_owned(), format, game });
        known.is_new = true;
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let known = self.known();
        if known.is_new && self.is_open()
            // What cannot be noted is read again.
            && let Ok(list) = serde_json::to_vec(&known.files)
        {
            let _ = write(&self.path, &list);
        }
    }
}

/// Whole or not at all: several refits may do so at once.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut temp = disk::new_temporary(folder)?;
    std::io::Write::write_all(temp.as_file_mut(), bytes)?;
    disk::persist(temp, path)
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
        cache.note(Some(stamp.clone()), &sum, Format::Anim, None);
        drop(cache);
        let cache = Cache::open(dir.path().join("cache"), dir.path());
        assert_eq!(cache.get(&stamp), Some((Format::Anim, None, content)));
        assert_eq!(cache.get(&Stamp { bytes: 2, ..stamp }), None);
    }
}
