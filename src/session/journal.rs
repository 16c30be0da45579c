//! The journal of undo of a project: `.refit/undo`.
//!
//! `state.json` names the edit that undo takes back next, and those that redo makes again. Each edit
//! has a number, which no other edit ever gets, and two files: `N.json` describes it, and `N.z` has
//! the contents of its parts before and after it. All of them are written together with the
//! documents of the edit, so the journal fits the documents whenever the program ends.

use bytes::Bytes;
use miniz_oxide::{deflate::compress_to_vec_zlib, inflate::decompress_to_vec_zlib_with_limit};
use refit_base::{
    Sum,
    wire::{Error, Result, Within},
};
use refit_diff::delta::{self, Piece, Room};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The folder of the journal in a project.
pub(crate) const FOLDER: &str = ".refit/undo";
/// Version of the journal.
const VERSION: u32 = 1;
/// Most bytes of a journal: beyond it, the oldest edits can no longer be undone.
pub(crate) const MOST: u64 = 256 << 20;
/// Most bytes of `state.json` and `N.json`.
const LONGEST: u64 = 16 << 20;

/// Which edits can be undone and redone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    version: u32,
    /// The number of the next edit.
    pub next: u64,
    /// The last edit that was not undone.
    pub done: Option<u64>,
    /// The edits that were undone, the last one at the end.
    pub undone: Vec<u64>,
    /// The oldest edit whose files may still be in the journal.
    pub first: u64,
    /// Size of the contents of all edits.
    pub bytes: u64,
}

impl Default for State {
    fn default() -> Self {
        State {
            version: VERSION,
            next: 1,
            done: None,
            undone: Vec::new(),
            first: 1,
            bytes: 0,
        }
    }
}

/// A part with a content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Content {
    pub bytes: u64,
    #[serde(alias = "sha256")]
    pub sum: Sum,
}

/// A part that an edit changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartRecord {
    /// The file of the game.
    pub file: String,
    /// The path in its tree.
    pub part: String,
    /// The content before the edit; none if the edit made the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Content>,
    /// The content after the edit; none if the edit removed the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Content>,
    /// The content after the edit as pieces of the one before, and numbers of new bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pieces: Vec<Piece<u64>>,
}

/// An edit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub number: u64,
    /// The edit before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// When it was made, in seconds since 1970.
    pub time: u64,
    /// What it did, in a sentence.
    pub label: String,
    /// The edit that it takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<u64>,
    /// Size of its contents in the journal.
    pub bytes: u64,
    pub parts: Vec<PartRecord>,
}

/// The contents of a part before and after an edit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Contents {
    pub before: Option<Bytes>,
    pub after: Option<Bytes>,
}

/// A new edit for the journal.
pub(crate) struct NewRecord {
    pub record: Record,
    /// The content of `N.json`.
    pub text: Vec<u8>,
    /// The content of `N.z`.
    pub contents: Vec<u8>,
}

/// The journal of a project.
pub(crate) struct Journal {
    folder: PathBuf,
}

fn damaged(path: &Path, why: &str) -> Error {
    use refit_base::path::Shown;
    Error::say(format!("the journal of undo is damaged: {why}"))
        .in_file(path.shown())
        .hint(
            "the project's documents are not concerned; delete .refit/undo to begin a new journal",
        )
}

impl Journal {
    pub fn new(root: &Path) -> Self {
        Journal {
            folder: root.join(FOLDER),
        }
    }

    pub fn state_path(&self) -> PathBuf {
        self.folder.join("state.json")
    }

    pub fn ignore_path(&self) -> PathBuf {
        self.folder.join(".gitignore")
    }

    pub fn record_path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number}.json"))
    }

    pub fn contents_path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number}.z"))
    }

    fn read<T: for<'de> Deserialize<'de>>(&self, path: &Path) -> Result<Option<T>> {
        let meta = match path.symlink_metadata() {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io(path, e)),
            Ok(meta) => meta,
        };
        if !meta.is_file() || meta.len() > LONGEST {
            return Err(damaged(path, "it is no file of refit"));
        }
        let bytes = refit_base::tree::disk::read(path)?;
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|e| damaged(path, &e.to_string()))
    }

    /// The current state.
    pub fn state(&self) -> Result<State> {
        let path = self.state_path();
        let state: State = self.read(&path)?.unwrap_or_default();
        let known = |number: &u64| *number < state.next && *number >= state.first.min(state.next);
        match state {
            State { version, .. } if version != VERSION => {
                Err(damaged(&path, &format!("it has the version {version}")))
            }
            State { ref undone, .. } if !undone.iter().all(known) => {
                Err(damaged(&path, "it names edits that do not exist"))
            }
            State {
                done: Some(done), ..
            } if done >= state.next => Err(damaged(&path, "it names an edit that does not exist")),
            state => Ok(state),
        }
    }

    /// An edit; `None` if the journal no longer has it.
    pub fn record(&self, number: u64) -> Result<Option<Record>> {
        let path = self.record_path(number);
        let record: Option<Record> = self.read(&path)?;
        match record {
            Some(record) if record.number != number => Err(damaged(&path, "it is another edit")),
            // The chain of edits ends, whatever the file says.
            Some(record) if record.before.is_some_and(|before| before >= number) => {
                Err(damaged(&path, "it comes before itself"))
            }
            record => Ok(record),
        }
    }

    /// The contents of the parts of an edit.
    pub fn contents(&self, record: &Record) -> Result<Vec<Contents>> {
        let path = self.contents_path(record.number);
        let wrong = || damaged(&path, "a content is not what its checksum says");
        let new = |part: &PartRecord| -> u64 {
            let news = part.pieces.iter().map(|piece| match piece {
                Piece::New(bytes) => *bytes,
                Piece::Old(..) => 0,
            });
            news.fold(0, u64::saturating_add)
        };
        let sizes = record.parts.iter().map(|part| {
            let before = part.before.as_ref().map_or(0, |content| content.bytes);
            before.saturating_add(new(part))
        });
        let size = sizes.fold(0, u64::saturating_add);
        let packed = refit_base::tree::disk::read(&path)?;
        let limit = usize::try_from(size).map_err(|_| wrong())?;
        let all = decompress_to_vec_zlib_with_limit(&packed, limit).map_err(|_| wrong())?;
        if all.len() as u64 != size {
            return Err(wrong());
        }
        let all = Bytes::from(all);
        let mut at = 0usize;
        let mut take = |bytes: u64| -> Result<Bytes> {
            let end = usize::try_from(bytes)
                .ok()
                .and_then(|bytes| at.checked_add(bytes))
                .filter(|end| *end <= all.len())
                .ok_or_else(wrong)?;
            let taken = all.slice(at..end);
            at = end;
            Ok(taken)
        };
        let room = Room::of(size);
        let mut out = Vec::new();
        for part in &record.parts {
            let before = part
                .before
                .as_ref()
                .map(|content| take(content.bytes))
                .transpose()?;
            let mut pieces = Vec::new();
            for piece in &part.pieces {
                pieces.push(match piece {
                    Piece::Old(from, many) => Piece::Old(*from, *many),
                    Piece::New(bytes) => Piece::New(take(*bytes)?),
                });
            }
            let after = match &part.after {
                None => None,
                Some(_) => {
                    let pieces = pieces.iter().map(|piece| match piece {
                        Piece::Old(from, many) => Piece::Old(*from, *many),
                        Piece::New(bytes) => Piece::New(&bytes[..]),
                    });
                    let old = before.clone().unwrap_or_default();
                    let joined = delta::joined_of(&[&old], pieces, &room);
                    Some(Bytes::from(joined.map_err(|_| wrong())?))
                }
            };
            let fits = |content: &Option<Content>, bytes: &Option<Bytes>| match (content, bytes) {
                (Some(content), Some(bytes)) => content.sum.fits(bytes),
                (None, None) => true,
                _ => false,
            };
            if !fits(&part.before, &before) || !fits(&part.after, &after) {
                return Err(wrong());
            }
            out.push(Contents { before, after });
        }
        Ok(out)
    }
}

impl NewRecord {
    /// The files of an edit. `parts` are file, part and contents.
    pub fn new(
        number: u64,
        before: Option<u64>,
        label: String,
        reverts: Option<u64>,
        parts: &[(String, String, Contents)],
    ) -> Result<Self> {
        let mut contents = Vec::new();
        let content = |bytes: &Option<Bytes>| {
            bytes.as_ref().map(|bytes| Content {
                bytes: bytes.len() as u64,
                sum: Sum::of(bytes),
            })
        };
        let mut records = Vec::new();
        for (file, part, own) in parts {
            let old = own.before.clone().unwrap_or_default();
            let new = own.after.clone().unwrap_or_default();
            contents.extend_from_slice(&old);
            let mut ranges = delta::ranges(&old, &new);
            // Pieces must not ask for more bytes than a reader grants to their size.
            if new.len() / 4 > old.len() {
                ranges = vec![Piece::New(0..new.len())];
            }
            let mut pieces = Vec::new();
            for piece in ranges {
                pieces.push(match piece {
                    Piece::Old(from, many) => Piece::Old(from, many),
                    Piece::New(range) => {
                        let new = new.within(range);
                        contents.extend_from_slice(new);
                        Piece::New(new.len() as u64)
                    }
                });
            }
            records.push(PartRecord {
                file: file.clone(),
                part: part.clone(),
                before: content(&own.before),
                after: content(&own.after),
                pieces: if own.after.is_some() {
                    pieces
                } else {
                    Vec::new()
                },
            });
        }
        let contents = compress_to_vec_zlib(&contents, 6);
        let since = std::time::SystemTime::now()
            .duration_since(std::time::SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let record = Record {
            number,
            before,
            time: since.as_secs(),
            label,
            reverts,
            bytes: contents.len() as u64,
            parts: records,
        };
        let text = serde_json::to_vec(&record).map_err(|e| Error::say(e.to_string()))?;
        Ok(NewRecord {
            record,
            text,
            contents,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(before: Option<&str>, after: Option<&str>) -> Contents {
        let bytes = |text: Option<&str>| text.map(|text| Bytes::copy_from_slice(text.as_bytes()));
        Contents {
            before: bytes(before),
            after: bytes(after),
        }
    }

    fn written(parts: &[Contents]) -> (tempfile::TempDir, Journal, Record) {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path());
        std::fs::create_dir_all(dir.path().join(FOLDER)).unwrap();
        let parts: Vec<_> = parts
            .iter()
            .enumerate()
            .map(|(i, own)| ("a.zbd".to_owned(), format!("{i}.json"), own.clone()))
            .collect();
        let new = NewRecord::new(3, Some(1), "x".into(), None, &parts).unwrap();
        std::fs::write(journal.record_path(3), &new.text).unwrap();
        std::fs::write(journal.contents_path(3), &new.contents).unwrap();
        (dir, journal, new.record)
    }

    #[test]
    fn contents_survive() {
        let long = "one two three four five six seven ".repeat(50);
        let other = long.replacen("four", "4", 7);
        let parts = [
            contents(Some(&long), Some(&other)),
            contents(None, Some("new")),
            contents(Some("old"), None),
            contents(Some(""), Some("x")),
            contents(Some("x"), Some("")),
        ];
        let (_dir, journal, record) = written(&parts);
        let read = journal.record(3).unwrap().unwrap();
        assert_eq!(read, record);
        assert_eq!(journal.contents(&read).unwrap(), parts);
        assert!(record.bytes < 300, "{}", record.bytes);
        assert_eq!(journal.record(4).unwrap(), None);
    }

    /// A damaged journal is an error that says so, and never another content.
    #[test]
    fn damage_is_noticed() {
        let part = contents(Some("{ \"a\": 1 }"), Some("{ \"a\": 2 }"));
        let (_dir, journal, record) = written(std::slice::from_ref(&part));
        let path = journal.contents_path(3);
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut other = whole.clone();
            other[at] ^= 0x10;
            std::fs::write(&path, &other).unwrap();
            if let Ok(read) = journal.contents(&record) {
                assert_eq!(read, std::slice::from_ref(&part), "{at}");
            }
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(journal.contents(&record).is_err());
        }
        for text in ["", "[]", "{}", "{\"number\":4}"] {
            std::fs::write(journal.record_path(3), text).unwrap();
            assert!(
                journal
                    .record(3)
                    .unwrap_err()
                    .to_string()
                    .contains("journal")
            );
        }
        for (text, ok) in [
            (
                "{\"version\":1,\"next\":4,\"done\":3,\"undone\":[],\"first\":1,\"bytes\":5}",
                true,
            ),
            (
                "{\"version\":2,\"next\":4,\"done\":3,\"undone\":[],\"first\":1,\"bytes\":5}",
                false,
            ),
            (
                "{\"version\":1,\"next\":4,\"done\":4,\"undone\":[],\"first\":1,\"bytes\":5}",
                false,
            ),
            (
                "{\"version\":1,\"next\":4,\"done\":3,\"undone\":[9],\"first\":1,\"bytes\":5}",
                false,
            ),
        ] {
            std::fs::write(journal.state_path(), text).unwrap();
            assert_eq!(journal.state().is_ok(), ok, "{text}");
        }
    }
}
