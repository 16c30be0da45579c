//! Notes on refit's own files: the checksum of a file that refit wrote or kept as an original,
//! stored with the file.
//!
//! A note is an extended attribute of the file (on Windows an alternate stream). It is invisible,
//! takes effect with the rename that puts the file in place, and cannot come with a tree or archive
//! from elsewhere. On file systems without attributes, a file `.refit-written` in the same folder
//! lists the checksums and the names; it is deleted when it is empty.
//!
//! A note only counts while the file still has that checksum. If a note is lost (by copying or
//! archiving), refit keeps a file unnecessarily; it never loses one.
//!
//! After the checksum, a note states who wrote the file ([`By`]) and, for a file that did not exist
//! before, its place: such a file has no original, and `restore` deletes it. Folders made for such
//! files have a note, too, and are removed with the last file.

use super::{fault, held, paths::parent};
use crate::wire::Within;
use crate::{Sum, tree::blob::Blob};
use std::{
    ffi::OsStr,
    fs,
    io::{Result, Write},
    path::Path,
};

/// Who writes a file. A writer keeps a copy before it replaces a file of another writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum By<'a> {
    /// A tree, or anything else that can write the file again.
    #[default]
    Tree,
    /// An edit in place, which exists nowhere else.
    Edit,
    /// The mods of a game.
    Mods,
    /// The project with this identifier.
    Project(&'a str),
}

impl By<'_> {
    /// The word in a note; empty for a file that can be written again.
    pub fn word(self) -> String {
        match self {
            By::Tree => String::new(),
            By::Edit => "edit".into(),
            By::Mods => "mods".into(),
            By::Project(id) => format!("project-{id}"),
        }
    }
}

/// A note on a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Note {
    /// The file's checksum when it was written.
    pub sum: Sum,
    /// Who wrote it: the word of a [`By`].
    pub by: String,
    /// The place of a file that did not exist before.
    added: Option<String>,
}

impl Note {
    /// The note on a file, if there is one.
    pub fn of(path: &Path) -> Option<Note> {
        let text = NoteMark::Written
            .attached(path)
            .or_else(|| NoteMark::listed(path))?;
        let mut note = Note::default();
        for (i, word) in text.split(' ').enumerate() {
            match (i, word.strip_prefix('+')) {
                (0, _) => note.sum = Sum::parse(word),
                (_, Some(place)) => note.added = Some(place.to_owned()),
                (_, None) => note.by = word.to_owned(),
            }
        }
        Some(note)
    }

    /// The text of a note. `added` is the place of a file that did not exist before, below the
    /// folder into which it was written.
    pub fn text(sum: Sum, by: By<'_>, added: Option<&str>) -> String {
        let mut text = sum.to_string();
        for word in [
            by.word(),
            added.map(|place| format!("+{place}")).unwrap_or_default(),
        ] {
            if !word.is_empty() {
                text = format!("{text} {word}");
            }
        }
        text
    }

    /// The place of a file that did not exist before refit wrote it; `None` for any other file, and
    /// if the file was moved or copied since.
    pub fn added(&self, path: &Path) -> Option<&str> {
        let place = self.added.as_deref()?;
        let depth = place.split_once('.')?.0.parse().ok()?;
        (place_of(path, depth) == place).then_some(place)
    }
}

/// The place of a file in a note: the number of trailing components of its path, and a checksum of
/// these.
pub fn place_of(path: &Path, depth: usize) -> String {
    let steps: Vec<&OsStr> = path.iter().collect();
    let last = steps.within(steps.len().saturating_sub(depth)..);
    let mut sum = crate::sha256(
        &last
            .iter()
            .map(|step| step.as_encoded_bytes())
            .collect::<Vec<_>>()
            .join(&b'/'),
    );
    sum.truncate(16);
    format!("{depth}.{sum}")
}

/// Notes that a folder was made for a file that did not exist before.
pub fn note_made(folder: &Path) {
    if !NoteMark::Written.attach(folder, MADE) {
        NoteMark::list(folder, MADE);
    }
}

/// True for a folder with such a note.
pub fn is_made(folder: &Path) -> bool {
    NoteMark::Written.noted(folder).as_deref() == Some(MADE)
}

/// The note on such a folder.
const MADE: &str = "made";

/// The kinds of notes. `Written` and `Original` differ, so that an original that the user renamed
/// is not mistaken for a file that refit wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoteMark {
    /// refit wrote the file.
    Written,
    /// refit keeps the file as the original of another one.
    Original,
    /// refit wrote the file as the journal for its folder. refit follows no other journal.
    Journal,
}

/// Name of the list on file systems without attributes.
pub const LIST: &str = ".refit-written";

/// refit writes no longer list.
const LONGEST: u64 = 1 << 20;

#[cfg(test)]
thread_local! {
    /// Simulates a file system without attributes.
    pub static WITHOUT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

impl NoteMark {
    /// The entry of a file in the list of its folder.
    fn listed(path: &Path) -> Option<String> {
        let name = listed_name(path)?;
        read_list(parent(path))
            .into_iter()
            .find(|(_, other)| other == name)
            .map(|(sum, _)| sum)
    }

    fn name(self) -> &'static str {
        match self {
            NoteMark::Written => "user.refit.written",
            NoteMark::Original => "user.refit.original",
            NoteMark::Journal => "user.refit.journal",
        }
    }

    /// The alternate stream on Windows: `FILE:STREAM`.
    #[cfg(not(unix))]
    fn stream(self, path: &Path) -> std::path::PathBuf {
        // Include the folder: `a:` alone would be a drive.
        let mut name = parent(path)
            .join(path.file_name().unwrap_or_default())
            .into_os_string();
        name.push(":");
        name.push(self.name());
        name.into()
    }

    /// Attaches a note to the file. Returns false if the file system cannot, after removing any
    /// older or partial note; then use [`NoteMark::list`] once the file is in place.
    pub fn attach(self, path: &Path, text: &str) -> bool {
        #[cfg(test)]
        if WITHOUT.get() {
            return false;
        }
        let set = || {
            #[cfg(unix)]
            return xattr::set(path, self.name(), text.as_bytes());
            #[cfg(not(unix))]
            return fs::write(self.stream(path), text);
        };
        fault::step()
            .and_then(|()| set())
            .inspect_err(|_| self.detach(path))
            .is_ok()
    }

    /// The note attached to the file itself, which cannot come from an archive.
    pub fn attached(self, path: &Path) -> Option<String> {
        #[cfg(test)]
        if WITHOUT.get() {
            return None;
        }
        #[cfg(unix)]
        let value = xattr::get(path, self.name()).ok().flatten()?;
        #[cfg(not(unix))]
        let value = fs::read(self.stream(path)).ok()?;
        // The write of an empty note was interrupted: use the list instead.
        String::from_utf8(value)
            .ok()
            .filter(|text| !text.is_empty())
    }

    fn detach(self, path: &Path) {
        #[cfg(unix)]
        let _ = xattr::remove(path, self.name());
        #[cfg(not(unix))]
        let _ = held::remove_file(&self.stream(path));
    }

    /// Adds a note to the list next to the file, unless the file is gone: a run that finishes an
    /// interrupted one notes an original that somebody may have deleted. Errors are ignored,
    /// because a missing note loses nothing.
    pub fn list(path: &Path, text: &str) {
        let Some(name) = listed_name(path).filter(|_| path.symlink_metadata().is_ok()) else {
            return;
        };
        let folder = parent(path);
        let mut lines: Vec<(String, String)> = read_list(folder);
        lines.retain(|(_, other)| other != name && folder.join(other).symlink_metadata().is_ok());
        lines.push((text.to_owned(), name.to_owned()));
        let _ = write_list(folder, &lines);
    }

    /// The note on a file, attached or in the list.
    pub fn noted(self, path: &Path) -> Option<String> {
        self.attached(path).or_else(|| Self::listed(path))
    }

    /// True if there is a note on the file, whatever its content is now.
    pub fn is_there(self, path: &Path) -> bool {
        self.noted(path).is_some()
    }

    /// Attaches a note to a file that is in place, or adds it to the list.
    pub fn note(self, path: &Path, text: &str) {
        if !self.attach(path, text) {
            Self::list(path, text);
        }
    }

    /// True if refit noted this checksum, which is that of the file now.
    pub fn fits(self, path: &Path, sum: Sum) -> bool {
        let is_it = |text: String| {
            let noted = Sum::parse(text.split(' ').next().unwrap_or_default());
            is_sum_of(path, sum, noted)
        };
        self.attached(path).is_some_and(is_it) || Self::listed(path).is_some_and(is_it)
    }

    /// Like [`NoteMark::fits`] for an attached note only, which cannot come from an archive or
    /// copy.
    pub fn is_attached(self, path: &Path, sum: Sum) -> bool {
        self.attached(path)
            .is_some_and(|noted| is_sum_of(path, sum, Sum::parse(&noted)))
    }
}

/// True if two recorded checksums are those of the same content. They are compared by the file at `path` if an
/// earlier version wrote one of them.
pub fn are_sums_of(path: &Path, a: Sum, b: Sum) -> bool {
    let is_it = |sum| Blob::of_file(path).is_ok_and(|file| file.has_sum(sum).unwrap_or_default());
    a == b || (a.is_sha256() != b.is_sha256() && is_it(&a) && is_it(&b))
}

/// True if a recorded checksum is that of the file at `path`, which has the checksum `now`. The
/// file is read again for a record of an earlier version.
pub fn is_sum_of(path: &Path, now: Sum, recorded: Sum) -> bool {
    now == recorded
        || (recorded.is_sha256()
            && Blob::of_file(path).is_ok_and(|file| file.has_sum(&recorded).unwrap_or_default()))
}

/// Removes a deleted file from the list.
pub fn forget_gone(path: &Path) {
    let folder = parent(path);
    let mut lines = read_list(folder);
    let before = lines.len();
    lines.retain(|(_, name)| Some(name.as_str()) != listed_name(path));
    if lines.len() < before {
        let _ = write_list(folder, &lines);
    }
}

/// Removes all notes on a file and its original.
pub fn forget(path: &Path, backup: &Path) {
    NoteMark::Written.detach(path);
    NoteMark::Original.detach(path);
    let folder = parent(path);
    let mut lines = read_list(folder);
    let before = lines.len();
    lines.retain(|(_, name)| {
        Some(name.as_str()) != listed_name(path) && Some(name.as_str()) != listed_name(backup)
    });
    if lines.len() < before {
        let _ = write_list(folder, &lines);
    }
}

/// The file's name, if a line of the list can contain it.
fn listed_name(path: &Path) -> Option<&str> {
    path.file_name()?
        .to_str()
        .filter(|name| !name.contains(['\n', '\r']))
}

/// The checksums and names in the list of a folder.
fn read_list(folder: &Path) -> Vec<(String, String)> {
    let path = folder.join(LIST);
    if !path
        .symlink_metadata()
        .is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST)
    {
        return Vec::new();
    }
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(sum, name)| (sum.to_owned(), name.to_owned()))
        .collect()
}

fn write_list(folder: &Path, lines: &[(String, String)]) -> Result<()> {
    fault::step()?;
    let path = folder.join(LIST);
    if lines.is_empty() {
        return held::remove_file(&path);
    }
    let mut file = held::new_temporary(folder)?;
    for (sum, name) in lines {
        writeln!(file, "{sum}  {name}")?;
    }
    fault::step()?;
    held::persist(file, &path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_note_that_cannot_be_written_leaves_none() {
        let file = tempfile::NamedTempFile::new().unwrap();
        if !NoteMark::Written.attach(file.path(), "old") {
            return;
        }
        assert_eq!(
            NoteMark::Written.attached(file.path()).as_deref(),
            Some("old")
        );
        // No Linux file system stores an attribute of that length.
        assert!(!NoteMark::Written.attach(file.path(), &"x".repeat(1 << 20)));
        assert_eq!(NoteMark::Written.attached(file.path()), None);
    }
}
