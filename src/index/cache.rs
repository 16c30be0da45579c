//! Caches what refit has read from files: the content by the checksum of the file, and for each path
//! the last known checksum.
//!
//! Only refit uses the cache, and everything in it can be recomputed: entries that cannot be read
//! or written are recomputed.

use super::{Content, Name};
use flate2::{Compression, write::DeflateEncoder};
use refit_base::wire::Within;
use refit_base::{Sum, format::Format, game::Game, tree::disk};
use refit_files::pipeline::Hints;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Version of the cached content. Change it with everything that changes the content read from a
/// file.
const VERSION: &str = concat!("8-", env!("CARGO_PKG_VERSION"));

/// Longest cache file to read, in bytes. refit writes no longer ones.
const LONGEST: u64 = 256 << 20;

/// Identifies a version of a file: its path, its size, and its modification time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stamp {
    path: String,
    bytes: u64,
    /// In nanoseconds since 1970.
    modified: u64,
}

/// The cached facts of a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct CachedFile {
    bytes: u64,
    modified: u64,
    sum: Sum,
    format: Format,
    game: Option<Game>,
}

/// The cached files, by path.
#[derive(Default)]
struct Known {
    files: HashMap<String, CachedFile>,
    /// True if something was added since the list was read.
    is_new: bool,
}

/// A cache folder.
pub struct Cache {
    folder: Option<PathBuf>,
    /// The list of cached files of one root.
    path: PathBuf,
    known: Mutex<Known>,
}

/// A file modified more recently than this is not cached: it may change again with the same
/// timestamp.
const FRESH: Duration = Duration::from_secs(2);

/// Reads a file of the cache.
fn read(path: &Path) -> Option<Vec<u8>> {
    let meta = path.metadata().ok()?;
    if meta.is_file() && meta.len() <= LONGEST {
        std::fs::read(path).ok()
    } else {
        None
    }
}

impl Cache {
    /// No cache: refit reads every file.
    pub fn none() -> Self {
        Cache {
            folder: None,
            path: PathBuf::new(),
            known: Mutex::default(),
        }
    }

    /// Opens the cache in `folder` for the files below `root`.
    pub fn open(folder: PathBuf, root: &Path) -> Self {
        let root = refit_base::path::canonical(root).unwrap_or_else(|_| root.to_owned());
        let name = refit_base::sha256(root.as_os_str().as_encoded_bytes());
        let path = folder.join(format!("files-{}-{VERSION}.json", name.within(..16)));
        let files = read(&path)
            .and_then(|list| serde_json::from_slice(&list).ok())
            .unwrap_or_default();
        Cache {
            folder: Some(folder),
            path,
            known: Mutex::new(Known {
                files,
                is_new: false,
            }),
        }
    }

    /// True if there is a cache.
    pub fn is_open(&self) -> bool {
        self.folder.is_some()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stamp of a file as it is now; `None` if it may change unnoticed, or if the user chose
    /// its game or format.
    pub fn stamp(&self, path: &Path, hints: Hints) -> Option<Stamp> {
        if !self.is_open() || hints.game.is_some() || hints.format.is_some() {
            return None;
        }
        let meta = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let modified = meta.modified().ok()?;
        let old = SystemTime::now()
            .duration_since(modified)
            .is_ok_and(|age| age > FRESH);
        let path = refit_base::path::canonical(path).ok()?.to_str()?.to_owned();
        let modified = modified
            .duration_since(UNIX_EPOCH)
            .ok()?
            .as_nanos()
            .try_into()
            .ok()?;
        old.then_some(Stamp {
            path,
            bytes: meta.len(),
            modified,
        })
    }

    /// The cached content of a file that has not changed since.
    pub fn get(&self, stamp: &Stamp) -> Option<(Format, Option<Game>, Content)> {
        let known = self.known().files.get(&stamp.path).cloned();
        let known =
            known.filter(|known| (known.bytes, known.modified) == (stamp.bytes, stamp.modified))?;
        Some((
            known.format,
            known.game,
            self.of_sum(known.sum, known.format, known.game)?,
        ))
    }

    fn place(&self, sum: Sum, format: Format, game: Option<Game>) -> Option<PathBuf> {
        // The same bytes may be read as another format or game and then have other names, so both
        // are part of the key.
        let game = game.map_or("-", Game::code);
        let sum = sum.hex();
        Some(
            self.folder
                .as_ref()?
                .join(sum.get(..2)?)
                .join(format!("{}-{format}-{game}-{VERSION}", sum.get(2..)?)),
        )
    }

    /// The cached content of a file with this checksum.
    pub(crate) fn of_sum(&self, sum: Sum, format: Format, game: Option<Game>) -> Option<Content> {
        decode(&read(&self.place(sum, format, game)?)?)
    }

    /// Caches the content of a file.
    pub fn put(&self, sum: Sum, format: Format, game: Option<Game>, content: &Content) {
        let Some((path, bytes)) = self.place(sum, format, game).zip(encode(content)) else {
            return;
        };
        let _ = write(&path, &bytes);
    }

    /// Records the checksum of a file.
    pub fn note(&self, stamp: Option<Stamp>, sum: Sum, format: Format, game: Option<Game>) {
        let Some(Stamp {
            path,
            bytes,
            modified,
        }) = stamp
        else {
            return;
        };
        let mut known = self.known();
        known.files.insert(
            path,
            CachedFile {
                bytes,
                modified,
                sum,
                format,
                game,
            },
        );
        known.is_new = true;
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let known = self.known();
        if known.is_new && self.is_open()
            // A list that cannot be written only costs reading the files again.
            && let Ok(list) = serde_json::to_vec(&known.files)
        {
            let _ = write(&self.path, &list);
        }
    }
}

/// Writes a file completely or not at all, because several instances of refit may write it at the
/// same time.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut temp = disk::new_temporary(folder)?;
    temp.as_file_mut().write_all(bytes)?;
    disk::persist(temp, path)
}

/// Encodes and compresses names and values.
fn encode(content: &Content) -> Option<Vec<u8>> {
    // The text of a world is larger than the world: it is never whole in memory.
    let mut text = io::BufWriter::new(DeflateEncoder::new(
        vec![0; size_of::<u64>()],
        Compression::fast(),
    ));
    writeln!(text, "{}", content.is_complete).ok()?;
    serde_json::to_writer(&mut text, &content.names).ok()?;
    write!(text, "\n{}", content.values).ok()?;
    let out = text.into_inner().ok()?;
    let size = out.total_in().to_le_bytes();
    let mut out = out.finish().ok()?;
    out.first_chunk_mut().map(|first| *first = size)?;
    Some(out)
}

fn decode(bytes: &[u8]) -> Option<Content> {
    let (size, packed) = bytes.split_first_chunk()?;
    let size = usize::try_from(u64::from_le_bytes(*size)).ok()?;
    let text =
        miniz_oxide::inflate::decompress_to_vec_with_limit(packed, size.min(1 << 30)).ok()?;
    let mut text = String::from_utf8(text)
        .ok()
        .filter(|text| text.len() == size)?;
    let (complete, rest) = text.split_once('\n')?;
    let (names, values) = rest.split_once('\n')?;
    let names: Vec<Name> = serde_json::from_str(names).ok()?;
    let (is_complete, from) = (complete == "true", text.len() - values.len());
    // Moved, not copied: it may be larger than the file.
    text.drain(..from);
    Some(Content {
        names,
        values: text,
        is_complete,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use refit_base::naming::{Does, NameKind};

    #[test]
    fn cached_entries_are_returned_and_damaged_ones_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let name = Name {
            kind: NameKind::Node,
            does: Does::Uses,
            name: "a\"b".into(),
            document: "d.json".into(),
            at: "x[1]".into(),
        };
        let content = Content {
            names: vec![name],
            values: "\u{1}d.json\nx[1]\ta\"b\n".into(),
            is_complete: true,
        };
        let cache = Cache::open(dir.path().join("cache"), dir.path());
        let sum = Sum::of(b"1");
        assert_eq!(cache.of_sum(sum, Format::Anim, None), None);
        cache.put(sum, Format::Anim, None, &content);
        assert_eq!(cache.of_sum(sum, Format::Anim, None), Some(content.clone()));
        assert_eq!(cache.of_sum(sum, Format::Anim, Some(Game::Rc)), None);
        let bytes = encode(&content).unwrap();
        for cut in 0..bytes.len() {
            assert_eq!(decode(&bytes[..cut]), None, "{cut}");
        }
        let file = dir.path().join("file");
        std::fs::write(&file, "1").unwrap();
        // Just written: it could change again with the same timestamp.
        assert_eq!(cache.stamp(&file, Hints::default()), None);
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        std::fs::File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
        let stamp = cache.stamp(&file, Hints::default()).unwrap();
        cache.note(Some(stamp.clone()), sum, Format::Anim, None);
        drop(cache);
        let cache = Cache::open(dir.path().join("cache"), dir.path());
        assert_eq!(cache.get(&stamp), Some((Format::Anim, None, content)));
        assert_eq!(cache.get(&Stamp { bytes: 2, ..stamp }), None);
    }
}
