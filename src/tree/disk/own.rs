//! What refit knows as its own: the SHA-256 of a file that it wrote, or kept as an original, noted with the file.
//!
//! The note is an extended attribute (on Windows a second stream) of the file itself: nobody sees it, it arrives in the same
//! rename as the file, and a tree or an archive from elsewhere cannot bring it along. Where the file system has no such thing,
//! a file `.refit-written` in the same folder lists the sums, as `sha256sum` prints them, and goes when it has nothing to say.
//!
//! A note only counts while the content has its sum. One that was lost on the way (a copy, an archive) makes refit keep a file
//! that it need not have kept, never the other way round.

use super::{fault, held, parent};
use std::{
    fs,
    io::{Result, Write},
    path::Path,
};

/// What a note says. Two words, so that an original which somebody renamed by hand does not pass for what refit wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoteMark {
    /// refit wrote the file.
    Written,
    /// refit keeps the file as an original of another one.
    Original,
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
    fn name(self) -> &'static str {
        match self {
            NoteMark::Written => "user.refit.written",
            NoteMark::Original => "user.refit.original",
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

    /// Notes the sum on the file. False where the file system cannot: then [`NoteMark::list`] does when the file is in place.
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
        fault::step().and_then(|()| set()).is_ok()
    }

    fn attached(self, path: &Path) -> Option<String> {
        #[cfg(unix)]
        let value = xattr::get(path, self.name()).ok().flatten()?;
        #[cfg(not(unix))]
        let value = fs::read(self.stream(path)).ok()?;
        String::from_utf8(value).ok()
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
        let listed = || {
            let name = listed_name(path)?;
            read_list(parent(path)).into_iter().find(|(_, other)| other == name).map(|(sum, _)| sum)
        };
        self.attached(path).is_some_and(|noted| noted == sum) || listed().is_some_and(|noted| noted == sum)
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
