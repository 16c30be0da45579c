//! What refit knows as its own: the SHA-256 of a file that it wrote, or kept as an original, noted with the file.
//!
//! The note is an extended attribute (on Windows a second stream) of the file itself: nobody sees it, it arrives in the same
//! rename as the file, and a tree or an archive from elsewhere cannot bring it along. Where the file system has no such thing,
//! a file `.refit-written` in the same folder lists the sums, as `sha256sum` prints them, and goes when it has nothing to say.
//!
//! A note only counts while the content has its sum. One that was lost on the way (a copy, an archive) makes refit keep a file
//! that it need not have kept, never the other way round.
//!
//! Behind the sum a note says who wrote the file ([`By`]) and, of a file that was not there before, its place: such a file has no
//! original, and `restore` deletes it. A folder that was made for such files is noted, too, and goes with the last of them.

use super::{fault, held, parent};
use std::{
    ffi::OsStr,
    fs,
    io::{Result, Write},
    path::Path,
};

/// Who writes a file: what one of them wrote, another one does not replace without keeping it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum By<'a> {
    /// A tree, or whatever else can make it again.
    #[default]
    Tree,
    /// An edit in place, which is nowhere else.
    Edit,
    /// The mods of a game.
    Mods,
    /// The project with this name for itself.
    Project(&'a str),
}

impl By<'_> {
    /// The word of a note; none for what can be made again.
    pub fn word(self) -> String {
        match self {
            By::Tree => String::new(),
            By::Edit => "edit".into(),
            By::Mods => "mods".into(),
            By::Project(id) => format!("project-{id}"),
        }
    }
}

/// What a note of a file says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Note {
    /// The sum of the file when it was written.
    pub sum: String,
    /// Who wrote it: the word of a [`By`].
    pub by: String,
    /// Where refit put it, where nothing was before.
    added: Option<String>,
}

impl Note {
    /// What is noted of a file; `None` for one of which nothing is.
    pub fn of(path: &Path) -> Option<Note> {
        let text = NoteMark::Written.attached(path).or_else(|| NoteMark::listed(path))?;
        let mut note = Note::default();
        for (i, word) in text.split(' ').enumerate() {
            match (i, word.strip_prefix('+')) {
                (0, _) => note.sum = word.to_owned(),
                (_, Some(place)) => note.added = Some(place.to_owned()),
                (_, None) => note.by = word.to_owned(),
            }
        }
        Some(note)
    }

    /// The text of a note. `added` is the place of a file that was not there before, below the folder that it was put into.
    pub fn text(sum: &str, by: By<'_>, added: Option<&str>) -> String {
        let mut text = sum.to_owned();
        for word in [by.word(), added.map(|place| format!("+{place}")).unwrap_or_default()] {
            if !word.is_empty() {
                text = format!("{text} {word}");
            }
        }
        text
    }

    /// The place of a file that refit put where nothing was; `None` for every other file, and for one that was moved or copied since.
    pub fn added(&self, path: &Path) -> Option<&str> {
        let place = self.added.as_deref()?;
        let depth = place.split_once('.')?.0.parse().ok()?;
        (place_of(path, depth) == place).then_some(place)
    }
}

/// How a note spells the place of a file: the number of the last steps of its path that count, and a sum of them.
pub fn place_of(path: &Path, depth: usize) -> String {
    let steps: Vec<&OsStr> = path.iter().collect();
    let last = steps.get(steps.len().saturating_sub(depth)..).unwrap_or_default();
    let mut sum = crate::sha256(&last.iter().map(|step| step.as_encoded_bytes()).collect::<Vec<_>>().join(&b'/'));
    sum.truncate(16);
    format!("{depth}.{sum}")
}

/// Notes that a folder was made for a file that was not there before.
pub fn note_made(folder: &Path) {
    if !NoteMark::Written.attach(folder, MADE) {
        NoteMark::list(folder, MADE);
    }
}

/// True for a folder of which that is noted.
pub fn is_made(folder: &Path) -> bool {
    NoteMark::Written.fits(folder, MADE)
}

/// What a note of a folder says.
const MADE: &str = "made";

/// What a note says. Two words, so that an original which somebody renamed by hand does not pass for what refit wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoteMark {
    /// refit wrote the file.
    Written,
    /// refit keeps the file as an original of another one.
    Original,
    /// refit wrote the file as the journal of work in its folder: nobody else's is followed.
    Journal,
}

/// Name of the list where there are no attributes.
pub const LIST: &str = ".refit-written";

/// A list that is longer than this was not made by refit.
const LONGEST: u64 = 1 << 20;

#[cfg(test)]
thread_local! {
    /// A file system without attributes.
    pub static WITHOUT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

impl NoteMark {
    /// What the list beside a file says of it.
    fn listed(path: &Path) -> Option<String> {
        let name = listed_name(path)?;
        read_list(parent(path)).into_iter().find(|(_, other)| other == name).map(|(sum, _)| sum)
    }

    fn name(self) -> &'static str {
        match self {
            NoteMark::Written => "user.refit.written",
            NoteMark::Original => "user.refit.original",
            NoteMark::Journal => "user.refit.journal",
        }
    }

    /// Where Windows keeps it: `FILE:STREAM`.
    #[cfg(not(unix))]
    fn stream(self, path: &Path) -> std::path::PathBuf {
        // With its folder: `a:` alone would be a drive.
        let mut name = parent(path).join(path.file_name().unwrap_or_default()).into_os_string();
        name.push(":");
        name.push(self.name());
        name.into()
    }

    /// Notes the sum on the file. False where the file system cannot: then no note is left on it, neither an older one nor the beginning of
    /// this one, and [`NoteMark::list`] does when the file is in place.
    pub fn attach(self, path: &Path, sum: &str) -> bool {
        #[cfg(test)]
        if WITHOUT.get() {
            return false;
        }
        let set = || {
            #[cfg(unix)]
            return xattr::set(path, self.name(), sum.as_bytes());
            #[cfg(not(unix))]
            return fs::write(self.stream(path), sum);
        };
        fault::step().and_then(|()| set()).inspect_err(|_| self.detach(path)).is_ok()
    }

    /// The sum that is noted on the file itself, which no archive brings along.
    pub fn attached(self, path: &Path) -> Option<String> {
        #[cfg(test)]
        if WITHOUT.get() {
            return None;
        }
        #[cfg(unix)]
        let value = xattr::get(path, self.name()).ok().flatten()?;
        #[cfg(not(unix))]
        let value = fs::read(self.stream(path)).ok()?;
        // An empty note was cut off while it was written: then the list of the folder counts.
        String::from_utf8(value).ok().filter(|text| !text.is_empty())
    }

    fn detach(self, path: &Path) {
        #[cfg(unix)]
        let _ = xattr::remove(path, self.name());
        #[cfg(not(unix))]
        let _ = held::remove_file(&self.stream(path));
    }

    /// Notes the sum in the list beside the file. Nothing is lost without the note, so an error is none.
    pub fn list(path: &Path, sum: &str) {
        let Some(name) = listed_name(path) else { return };
        let folder = parent(path);
        let mut lines: Vec<(String, String)> = read_list(folder);
        lines.retain(|(_, other)| other != name && folder.join(other).symlink_metadata().is_ok());
        lines.push((sum.to_owned(), name.to_owned()));
        let _ = write_list(folder, &lines);
    }

    /// True when refit noted this sum of the file.
    pub fn fits(self, path: &Path, sum: &str) -> bool {
        let is_it = |noted: String| noted.split(' ').next() == Some(sum);
        self.attached(path).is_some_and(is_it) || Self::listed(path).is_some_and(is_it)
    }

    /// The same of a note that is attached to the file: no archive and no copy from elsewhere brings one.
    pub fn is_attached(self, path: &Path, sum: &str) -> bool {
        self.attached(path).is_some_and(|noted| noted == sum)
    }
}

/// Forgets what the list says of a file that is no longer there.
pub fn forget_gone(path: &Path) {
    let folder = parent(path);
    let mut lines = read_list(folder);
    let before = lines.len();
    lines.retain(|(_, name)| Some(name.as_str()) != listed_name(path));
    if lines.len() < before {
        let _ = write_list(folder, &lines);
    }
}

/// Forgets what was noted of a file and of its original: it is as if refit had never been here.
pub fn forget(path: &Path, backup: &Path) {
    NoteMark::Written.detach(path);
    NoteMark::Original.detach(path);
    let folder = parent(path);
    let mut lines = read_list(folder);
    let before = lines.len();
    lines.retain(|(_, name)| Some(name.as_str()) != listed_name(path) && Some(name.as_str()) != listed_name(backup));
    if lines.len() < before {
        let _ = write_list(folder, &lines);
    }
}

/// The file's name, where a line of the list can hold it.
fn listed_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str().filter(|name| !name.contains(['\n', '\r']))
}

/// Sums and names.
fn read_list(folder: &Path) -> Vec<(String, String)> {
    let path = folder.join(LIST);
    if !path.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST) {
        return Vec::new();
    }
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| line.split_once("  ")).map(|(sum, name)| (sum.to_owned(), name.to_owned())).collect()
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
        assert_eq!(NoteMark::Written.attached(file.path()).as_deref(), Some("old"));
        // No file system of Linux keeps an attribute of that length.
        assert!(!NoteMark::Written.attach(file.path(), &"x".repeat(1 << 20)));
        assert_eq!(NoteMark::Written.attached(file.path()), None);
    }
}
