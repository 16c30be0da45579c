//! Safe file names for members, valid on Windows, macOS and Linux.

use crate::{
    path::is_device,
    wire::{Error, Result, Within},
};
use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hasher},
};

/// A path of a document or another file of a tree, without its extension.
pub fn stem(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// Assigns every member a unique, safe path below the tree's root. The manifest keeps the true
/// name.
///
/// Only hashes of the paths in use are stored, because archives have hundreds of thousands. If two
/// paths have the same hash, the second gets a number that it does not need.
#[derive(Default)]
pub struct UniquePaths {
    files: HashSet<u64>,
    /// The folders in their first spelling: on systems that ignore case, a second spelling would be
    /// the same folder.
    folders: HashMap<u64, Box<str>>,
    /// The next number for a name that needed one, so that thousands of equal names take linear
    /// time.
    next: HashMap<u64, usize>,
    /// Folders that were renamed because a file already has their name.
    moved: HashMap<u64, String>,
}

/// The hash of a path, after folding as file systems compare paths.
fn key(path: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(fold(path).as_bytes());
    hasher.finish()
}

/// Longest component of a path, in bytes.
const COMPONENT: usize = 100;
/// Longest path, in bytes: leaves room for the target folder within the 260 characters of Windows.
const PATH: usize = 160;

/// True for characters that are invisible or change the reading direction.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// An error if a path leaves its folder.
pub fn check_inside_path(path: &str) -> Result<&str> {
    let bad = |part: &str| {
        matches!(part, "" | "." | "..")
            || part.contains(['\\', ':', '\0'])
            || part.ends_with(['.', ' '])
    };
    match path.split('/').any(bad) {
        true => Err(
            Error::say(format!("{path:?} is not a path below the game's folder"))
                .hint("it is relative, uses / and stays inside"),
        ),
        false => Ok(path),
    }
}

/// Why foreign content may not bring a file or folder of this name; `None` if it may.
fn foreign_part(part: &str) -> Option<&'static str> {
    let folded = fold(part);
    let begins = |with: &[&str]| with.iter().any(|with| folded.starts_with(with));
    if part.chars().any(|c| c.is_control() || is_invisible(c)) {
        Some("it contains invisible characters")
    } else if folded.starts_with('.') {
        Some("it is hidden: names that begin with a dot are reserved for refit, git and the system")
    } else if begins(&[
        "refit-mods",
        "refit.json",
        "refit.ron",
        "refit~",
        "refit-~",
        "git~",
    ]) {
        Some("refit and git keep their own files under such names")
    } else if folded.contains(".orig") {
        Some("originals are kept under such names")
    } else if is_device(part.split('.').next().unwrap_or_default()) {
        Some("Windows has a device of this name")
    } else {
        None
    }
}

/// An error if a path from foreign content, such as a mod or the manifest of a project, leaves the
/// folder or has a name that refit, git or the system uses: journals, notes, originals, hooks,
/// devices.
pub fn check_foreign_path(path: &str) -> Result<&str> {
    check_inside_path(path)?;
    let bad = path
        .split('/')
        .find_map(|part| Some((part, foreign_part(part)?)));
    match bad {
        Some((part, why)) if part == path => {
            Err(Error::say(format!("{path:?} is not allowed here: {why}")))
        }
        Some((part, why)) => Err(Error::say(format!(
            "{path:?} is not allowed here because of {part:?}: {why}"
        ))),
        None => Ok(path),
    }
}

/// A path that passes [`check_foreign_path`]: forbidden components are replaced by hashes.
pub fn foreign_path(path: &str) -> String {
    let part = |part: &str| match check_inside_path(part).is_ok() && foreign_part(part).is_none() {
        true => part.to_owned(),
        false => format!("_{}", crate::sha256(part.as_bytes()).within(..16)),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn component(name: &str) -> String {
    if name.chars().all(|c| c == '.') {
        return "_".repeat(name.len().clamp(1, COMPONENT));
    }
    let mut out: String = name
        .chars()
        .map(|c| match c {
            '<' | '>' | ':' | '"' | '|' | '?' | '*' | '/' | '\\' => '_',
            c if c.is_control() => '_',
            c if is_invisible(c) => '_',
            c => c,
        })
        .collect();
    if out.starts_with(' ') {
        out.replace_range(..1, "_");
    }
    if out.ends_with(['.', ' ']) {
        out.pop();
        out.push('_');
    }
    if is_device(out.split('.').next().unwrap_or_default()) {
        out.insert(0, '_');
    }
    shorten(&out, COMPONENT)
}

/// Replaces the middle of a long name by a hash of the whole.
fn shorten(name: &str, most: usize) -> String {
    if name.len() <= most {
        return name.to_owned();
    }
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
    });
    let floor = |i: usize| {
        (0..=i)
            .rev()
            .find(|i| name.is_char_boundary(*i))
            .unwrap_or(0)
    };
    let head = name.within(..floor(most.saturating_sub(40)));
    let tail = name.within(floor(name.len() - 20)..);
    format!("{head}~{:08x}{}", hash as u32, tail.trim_start_matches(' '))
}

/// Folds a path as file systems do that ignore case or normalize Unicode.
pub fn fold(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    use unicode_normalization::UnicodeNormalization;
    path.nfc()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfc()
        .collect()
}

impl UniquePaths {
    /// A table for a new tree. The manifest's names and refit's folder are reserved.
    pub fn new() -> Self {
        let mut names = UniquePaths::default();
        names.files.extend(
            [
                "refit.json",
                "refit.ron",
                super::sums::GIT_ATTRIBUTES.0,
                super::sums::GIT_IGNORE,
                ".refit",
            ]
            .map(key),
        );
        names.folders.insert(key(".refit"), ".refit".into());
        names
    }

    /// Takes a path that is in use, so that no other gets it.
    pub fn take(&mut self, path: &str) {
        self.files.insert(key(path));
    }

    /// A path for a member called `name` with `suffix` (such as `.json`) appended. Folders in the
    /// name stay folders; folders whose names differ only in case are the same folder.
    pub fn assign(&mut self, name: &str, suffix: &str) -> String {
        let mut parts: Vec<String> = name.split(['/', '\\']).map(component).collect();
        let long = parts.len() > 12
            || parts.iter().map(|p| p.len() + 1).sum::<usize>() + suffix.len() > PATH;
        if long {
            parts = vec![
                "long".to_owned(),
                shorten(&component(&name.replace(['/', '\\'], "_")), COMPONENT),
            ];
            if let Some(last) = parts.last_mut() {
                let hash = name
                    .bytes()
                    .fold(5381u32, |h, b| h.wrapping_mul(33) ^ u32::from(b));
                last.insert_str(0, &format!("{hash:08x}-"));
            }
        }
        let file = parts.pop().unwrap_or_else(|| "_".to_owned());
        // Rename a folder if a file already has its name.
        let mut folder = String::new();
        for part in parts {
            let wish = if folder.is_empty() {
                part
            } else {
                format!("{folder}/{part}")
            };
            let folded = key(&wish);
            if !self.files.contains(&folded) {
                folder = self
                    .folders
                    .entry(folded)
                    .or_insert_with(|| wish.into())
                    .to_string();
                continue;
            }
            let files = &self.files;
            let free = |n: &usize| !files.contains(&key(&format!("{wish}~{n}")));
            let path = self
                .moved
                .entry(folded)
                .or_insert_with(|| format!("{wish}~{}", (2..).find(free).unwrap_or_default()))
                .clone();
            folder = self
                .folders
                .entry(key(&path))
                .or_insert_with(|| path.into())
                .to_string();
        }
        let wish = if folder.is_empty() {
            file
        } else {
            format!("{folder}/{file}")
        };
        let wished = key(&wish);
        let mut n = self.next.get(&wished).copied().unwrap_or(1);
        let path = loop {
            let path = if n == 1 {
                format!("{wish}{suffix}")
            } else {
                format!("{}{suffix}", numbered(&wish, n))
            };
            let taken = key(&path);
            if !self.folders.contains_key(&taken) && self.files.insert(taken) {
                break path;
            }
            n += 1;
        };
        // Remember only names that needed a number; the search for others starts at the name
        // itself.
        if n > 1 {
            self.next.insert(wished, n + 1);
        }
        path
    }
}

/// `keys.zrd` → `keys~2.zrd`: the number goes before the first dot of the file name.
fn numbered(path: &str, n: usize) -> String {
    let file = path.rfind('/').map_or(0, |i| i + 1);
    let dot = path
        .get(file + 1..)
        .and_then(|rest| rest.find('.'))
        .map_or(path.len(), |i| file + 1 + i);
    let (head, tail) = path.split_at(dot);
    format!("{head}~{n}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::cases;

    #[test]
    fn paths_from_elsewhere_stay_inside() {
        assert!(check_foreign_path("zbd/c1/reader.zbd").is_ok());
        for path in [
            "../x",
            "zbd/.refit-journal",
            "Refit-Mods/a.refitmod",
            ".git/hooks/post-checkout",
            "cfg.ini.orig.2",
        ] {
            assert!(check_foreign_path(path).is_err(), "{path}");
        }
        assert!(check_foreign_path("aux.txt").is_err());
    }

    #[test]
    fn members_get_unique_safe_paths() {
        let mut names = UniquePaths::new();
        for (name, suffix, path) in [
            ("ai\\patrol.zrd", ".json", "ai/patrol.zrd.json"),
            ("AI/patrol.zrd", ".json", "ai/patrol~2.zrd.json"),
            ("../../etc/passwd", "", "__/__/etc/passwd"),
            ("nul.wav", "", "_nul.wav"),
        ] {
            assert_eq!(names.assign(name, suffix), path);
        }
    }

    #[test]
    fn hostile_names_become_safe_ones() {
        let hostile = cases::<String>(include_str!("tests/hostile-names.json"));
        let mut names = UniquePaths::new();
        let mut seen = HashSet::new();
        for name in hostile.iter().chain(hostile.iter()) {
            let path = names.assign(name, "");
            assert!(seen.insert(fold(&path)), "{name:?} → {path:?} twice");
            assert!(
                !path.starts_with('/') && !path.contains('\\') && !path.contains(':'),
                "{path:?}"
            );
            for part in path.split('/') {
                assert!(
                    !part.is_empty()
                        && !part.ends_with(['.', ' '])
                        && !part.chars().any(char::is_control),
                    "{name:?} → {path:?}"
                );
                assert!(!is_device(part.split('.').next().unwrap()), "{path:?}");
            }
            assert!(!matches!(fold(&path).as_str(), "refit.json" | ".refit"));
        }
    }

    #[test]
    fn trusted_names_are_refused_in_foreign_paths() {
        let refused = cases::<String>(include_str!("tests/foreign-paths.json"));
        for path in &refused {
            assert!(check_foreign_path(path).is_err(), "{path:?}");
            assert!(
                check_foreign_path(&foreign_path(path)).is_ok(),
                "{path:?}: {:?}",
                foreign_path(path)
            );
        }
        for path in [
            "zbd/c1/reader.zbd",
            "Readme.txt",
            "com10.zrd",
            "gitarre.wav",
            "refit.txt",
            "original.wav",
            "Tür 1.bmp",
        ] {
            assert_eq!(check_foreign_path(path).unwrap(), path);
            assert_eq!(foreign_path(path), path);
        }
        let error = check_foreign_path("zbd/.refit-journal")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("zbd/.refit-journal") && error.contains("is not allowed here"),
            "{error}"
        );
    }

    #[test]
    fn long_names_are_shortened_and_stay_unique() {
        let mut names = UniquePaths::new();
        let a = names.assign(&format!("{}a.zrd", "x".repeat(300)), ".json");
        let b = names.assign(&format!("{}b.zrd", "x".repeat(300)), ".json");
        assert!(
            a != b && a.len() <= PATH && a.ends_with(".zrd.json"),
            "{a} {b}"
        );
        let deep = names.assign(&"d/".repeat(200), "");
        assert!(deep.len() <= PATH, "{deep}");
    }

    /// On Windows `DATA` and `data` are the same folder, and the tree must be the same everywhere.
    #[test]
    fn a_folder_keeps_its_first_spelling() {
        let mut names = UniquePaths::new();
        assert_eq!(names.assign("DATA\\a.paa", ""), "DATA/a.paa");
        assert_eq!(names.assign("data\\b.paa", ""), "DATA/b.paa");
        assert_eq!(names.assign("Data/Sub/c", ""), "DATA/Sub/c");
        assert_eq!(names.assign("data/SUB/d", ".json"), "DATA/Sub/d.json");
        assert_eq!(names.assign("ÄB/x", ""), "ÄB/x");
        assert_eq!(names.assign("äb/y", ""), "ÄB/y");
        assert_eq!(names.assign("e", ""), "e");
        assert_eq!(names.assign("E/f", ""), "E~2/f");
        assert_eq!(names.assign("e/g", ""), "E~2/g");
    }

    #[test]
    fn files_and_folders_do_not_collide() {
        let mut names = UniquePaths::new();
        assert_eq!(names.assign("a", ""), "a");
        assert_eq!(names.assign("A/b", ""), "A~2/b");
        assert_eq!(names.assign("c/d", ""), "c/d");
        assert_eq!(names.assign("C", ""), "C~2");
    }
}
