//! Paths: one spelling in everything that is stored, hashed or printed, and one whole path for everything on the disk.
//!
//! Windows takes `\` and `/` for the same, and says a whole path in two ways: `C:\x`, and `\\?\C:\x`, which is what it gives for a path that
//! was looked up. The functions on texts know this everywhere, so that they can be tested everywhere.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

/// The path as it is stored and printed: with `/`.
pub fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    if cfg!(windows) { slashed(&text) } else { text }
}

/// [`shown`] behind a path, in the place of [`Path::display`].
pub trait Shown {
    /// As it is stored and printed.
    fn shown(&self) -> String;
}

impl Shown for Path {
    fn shown(&self) -> String {
        shown(self)
    }
}

/// The real path of what is there: [`std::fs::canonicalize`], as people write it.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let found = std::fs::canonicalize(path)?;
    Ok(if cfg!(windows) { plain(&found) } else { found })
}

/// The whole path of what a path names, whether it is there or not: the folders that are there by their real names.
pub fn whole(path: &Path) -> io::Result<PathBuf> {
    if let Ok(found) = canonical(path) {
        return Ok(found);
    }
    let path = std::path::absolute(path)?;
    let found = path.ancestors().skip(1).find_map(|above| Some((canonical(above).ok()?, path.strip_prefix(above).ok()?)));
    let Some((mut out, missing)) = found else { return Ok(path) };
    for part in missing.components() {
        match part {
            Component::ParentDir => _ = out.pop(),
            part => out.push(part),
        }
    }
    Ok(out)
}

/// [`whole`] of the place that a path names: its folder by its real name, its own name as it is, whatever it may lead to.
pub fn whole_place(path: &Path) -> io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match path.file_name() {
        Some(name) => Ok(whole(folder)?.join(name)),
        None => whole(path),
    }
}

/// A path for calls of Windows that end at 260 characters unless they are told the path in its other way: `\\?\C:\…`.
pub fn reachable(path: &Path) -> PathBuf {
    let long = || {
        let whole = std::path::absolute(path).ok()?;
        verbatim(whole.to_str()?)
    };
    if cfg!(windows) { long().map_or_else(|| path.to_owned(), PathBuf::from) } else { path.to_owned() }
}

/// From this length on, with some room for the name of a temporary file behind it, a path is told the other way.
const LONG: usize = 200;

/// `C:\a` as `\\?\C:\a`, `\\server\share` as `\\?\UNC\server\share`; `None` for a path that is short or no whole one, or is said so already.
fn verbatim(text: &str) -> Option<String> {
    let text = text.replace('/', "\\");
    if text.encode_utf16().count() < LONG || text.starts_with(r"\\?\") || text.starts_with(r"\\.\") {
        return None;
    }
    match text.strip_prefix(r"\\") {
        Some(share) => Some(format!(r"\\?\UNC\{share}")),
        None => is_drive(&text).then(|| format!(r"\\?\{text}")),
    }
}

/// True for `C:` and what begins with it.
fn is_drive(text: &str) -> bool {
    let mut chars = text.bytes();
    chars.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && chars.next() == Some(b':')
}

/// `\\?\C:\a` as `C:\a`, `\\?\UNC\server\share` as `\\server\share`, everything else as it is.
fn stripped(text: &str) -> Option<String> {
    let rest = text.strip_prefix(r"\\?\")?;
    match rest.strip_prefix(r"UNC\") {
        Some(share) => Some(format!(r"\\{share}")),
        None => is_drive(rest).then(|| rest.to_owned()),
    }
}

/// With `/`, and without `\\?\`.
pub fn slashed(text: &str) -> String {
    stripped(text).unwrap_or_else(|| text.to_owned()).replace('\\', "/")
}

/// Without `\\?\`, where the path means the same without it: all its names must be such that Windows leaves alone.
fn plain(path: &Path) -> PathBuf {
    let text = path.to_str().and_then(stripped);
    let usual = |name: &str| unusable(name).is_none() && name != "." && name != "..";
    let same = |text: &String| text.split('\\').all(|name| usual(name) || is_drive(name) && name.len() == 2);
    text.filter(same).map_or_else(|| path.to_owned(), PathBuf::from)
}

/// Why Windows makes no file of this name; `None` where it does. An empty name is none.
pub fn unusable(name: &str) -> Option<String> {
    let stem = name.split('.').next().unwrap_or_default();
    let odd = name.chars().find(|c| matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*' | '/' | '\\') || (*c as u32) < 32);
    match odd {
        _ if is_device(stem) => Some(format!("{} is the name of a device on Windows", stem.trim_end())),
        Some(odd) => Some(format!("no file name may have {odd:?} in it on Windows")),
        None if name.ends_with(['.', ' ']) && name != "." && name != ".." => {
            Some("no file name may end with a dot or a blank on Windows".to_owned())
        }
        None => None,
    }
}

/// Names that Windows gives to devices, whatever the extension.
pub fn is_device(stem: &str) -> bool {
    let stem = stem.trim_end_matches([' ', '.']).to_ascii_uppercase();
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$")
        || stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT")).is_some_and(|n| {
            let mut chars = n.chars();
            matches!((chars.next(), chars.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
        })
}

/// What Windows says of what may not be opened, and of what is open elsewhere and about to be removed.
pub const ACCESS_DENIED: i32 = 5;

/// True for what Windows says of a file or folder that another program has open: access denied, sharing violation, lock violation, and a
/// file that a program has mapped into its memory.
pub fn is_held(code: Option<i32>, windows: bool) -> bool {
    windows && matches!(code, Some(ACCESS_DENIED | 32 | 33 | 1224))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling() {
        for (text, same) in [
            (r"C:\Games\MW3", "C:/Games/MW3"),
            (r"\\?\C:\Games/x", "C:/Games/x"),
            (r"\\?\UNC\server\share\x", "//server/share/x"),
            (r"\\server\share", "//server/share"),
            (r"\\?\Volume{1-2}\x", "//?/Volume{1-2}/x"),
            (r"mod\zbd/c1/x", "mod/zbd/c1/x"),
            ("", ""),
        ] {
            assert_eq!(slashed(text), same);
            assert_eq!(slashed(same), same);
        }
        assert_eq!(shown(Path::new("a/b")), "a/b");
    }

    #[test]
    fn the_other_way_to_say_a_path_goes_where_it_says_nothing_else() {
        for (text, same) in [
            (r"\\?\C:\Games\MW3", r"C:\Games\MW3"),
            (r"\\?\C:\", r"C:\"),
            (r"\\?\UNC\server\share\x", r"\\server\share\x"),
            // Without it, these would be a device, another name, or nothing.
            (r"\\?\C:\a\con.txt", r"\\?\C:\a\con.txt"),
            (r"\\?\C:\a.\x", r"\\?\C:\a.\x"),
            (r"\\?\C:\a/b", r"\\?\C:\a/b"),
            (r"\\?\C:\..\b", r"\\?\C:\..\b"),
            (r"\\?\Volume{1-2}\x", r"\\?\Volume{1-2}\x"),
            (r"C:\x", r"C:\x"),
            ("/usr/x", "/usr/x"),
        ] {
            assert_eq!(plain(Path::new(text)), Path::new(same), "{text}");
        }
    }

    #[test]
    fn long_paths_are_told_the_other_way() {
        let long = "x".repeat(LONG);
        assert_eq!(verbatim(&format!("C:/{long}/y")).unwrap(), format!(r"\\?\C:\{long}\y"));
        assert_eq!(verbatim(&format!(r"\\server\share\{long}")).unwrap(), format!(r"\\?\UNC\server\share\{long}"));
        for other in [r"C:\short", &format!(r"\\?\C:\{long}"), &format!(r"\\.\{long}"), &long] {
            assert_eq!(verbatim(other), None, "{other}");
        }
    }

    #[test]
    fn names_that_windows_does_not_take() {
        for name in ["con", "NUL.txt", "com1", "LPT9.x.y", "a?b", "a:b", "a\"", "a*", "tab\t", "end.", "blank ", "con .txt", "a|b"] {
            assert!(unusable(name).is_some_and(|why| why.contains("Windows")), "{name}");
        }
        for name in ["", "a.zbd", "console", "com", "com10", ".git", "..", "größe Ж日.zbd", "a'b", "x~1"] {
            assert_eq!(unusable(name), None, "{name}");
        }
    }

    #[test]
    fn what_is_not_there_has_a_whole_path_that_begins_as_that_of_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let real = canonical(dir.path()).unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        assert_eq!(whole(&dir.path().join("file")).unwrap(), real.join("file"));
        for (missing, place) in [("x", "x"), ("x/y/z", "x/y/z"), ("x/../y", "y"), ("file/x", "file/x")] {
            assert_eq!(whole(&dir.path().join(missing)).unwrap(), real.join(place));
        }
        assert!(whole(Path::new("none")).unwrap().is_absolute());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(dir.path(), dir.path().join("link")).unwrap();
            assert_eq!(whole(&dir.path().join("link/new/x")).unwrap(), real.join("new/x"));
            assert_eq!(whole_place(&dir.path().join("link/link")).unwrap(), real.join("link"));
        }
    }

    #[test]
    fn what_another_program_holds() {
        assert!([5, 32, 33, 1224].into_iter().all(|code| is_held(Some(code), true) && !is_held(Some(code), false)));
        assert!([None, Some(2), Some(3), Some(183)].into_iter().all(|code| !is_held(code, true)));
    }
}
