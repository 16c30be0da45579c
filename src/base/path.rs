//! Paths: one spelling for everything stored, hashed or printed, and absolute paths for disk
//! access.
//!
//! Windows accepts `\` and `/`, and has two forms of absolute paths: `C:\x`, and `\\?\C:\x`, which
//! it returns when it resolves a path. The functions on text implement this on all platforms, so
//! that they can be tested everywhere.

use std::{
    borrow::Cow,
    io,
    path::{Component, Path, PathBuf},
};

/// The path with `/`, for storing and printing.
pub fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    if cfg!(windows) { slashed(&text) } else { text }
}

/// [`shown`] as a method, instead of [`Path::display`].
pub trait Shown {
    /// The path with `/`, for storing and printing.
    fn shown(&self) -> String;
}

impl Shown for Path {
    fn shown(&self) -> String {
        shown(self)
    }
}

/// [`std::fs::canonicalize`] in the usual spelling.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let found = std::fs::canonicalize(path)?;
    Ok(if cfg!(windows) { plain(&found) } else { found })
}

/// The absolute path of an existing or new file, with the real names of the existing folders.
pub fn whole(path: &Path) -> io::Result<PathBuf> {
    if let Ok(found) = canonical(path) {
        return Ok(found);
    }
    let path = std::path::absolute(path)?;
    let found = path
        .ancestors()
        .skip(1)
        .find_map(|above| Some((canonical(above).ok()?, path.strip_prefix(above).ok()?)));
    let Some((mut out, missing)) = found else {
        return Ok(path);
    };
    for part in missing.components() {
        match part {
            Component::ParentDir => _ = out.pop(),
            part => out.push(part),
        }
    }
    Ok(out)
}

/// The absolute path of a directory entry: [`whole`] for its folder, but its own name is not
/// resolved if it is a link.
pub fn whole_place(path: &Path) -> io::Result<PathBuf> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    match path.file_name() {
        Some(name) => Ok(whole(folder)?.join(name)),
        None => whole(path),
    }
}

/// A path for Windows functions with a limit of 260 characters, which does not apply to the form
/// `\\?\C:\…`.
pub fn reachable(path: &Path) -> PathBuf {
    let long = || {
        let whole = std::path::absolute(path).ok()?;
        verbatim(whole.to_str()?)
    };
    if cfg!(windows) {
        long().map_or_else(|| path.to_owned(), PathBuf::from)
    } else {
        path.to_owned()
    }
}

/// Paths from this length on use the long form; leaves room for a suffix for the name of a
/// temporary file.
const LONG: usize = 200;

/// `C:\a` as `\\?\C:\a`, `\\server\share` as `\\?\UNC\server\share`; `None` for a path that is
/// short, relative, or in this form already.
fn verbatim(text: &str) -> Option<String> {
    let text = text.replace('/', "\\");
    if text.encode_utf16().count() < LONG || text.starts_with(r"\\?\") || text.starts_with(r"\\.\")
    {
        return None;
    }
    match text.strip_prefix(r"\\") {
        Some(share) => Some(format!(r"\\?\UNC\{share}")),
        None => is_drive(&text).then(|| format!(r"\\?\{text}")),
    }
}

/// True for `C:` and anything that begins with it.
fn is_drive(text: &str) -> bool {
    let mut chars = text.bytes();
    chars
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic())
        && chars.next() == Some(b':')
}

/// `\\?\C:\a` as `C:\a`, `\\?\UNC\server\share` as `\\server\share`; `None` for other paths.
fn stripped(text: &str) -> Option<String> {
    let rest = text.strip_prefix(r"\\?\")?;
    match rest.strip_prefix(r"UNC\") {
        Some(share) => Some(format!(r"\\{share}")),
        None => is_drive(rest).then(|| rest.to_owned()),
    }
}

/// With `/`, and without `\\?\`.
pub fn slashed(text: &str) -> String {
    stripped(text)
        .unwrap_or_else(|| text.to_owned())
        .replace('\\', "/")
}

/// Without `\\?\`, if the meaning stays the same: Windows must not change any of the names.
fn plain(path: &Path) -> PathBuf {
    let text = path.to_str().and_then(stripped);
    let usual = |name: &str| unusable(name).is_none() && name != "." && name != "..";
    let same = |text: &String| {
        text.split('\\')
            .all(|name| usual(name) || is_drive(name) && name.len() == 2)
    };
    text.filter(same)
        .map_or_else(|| path.to_owned(), PathBuf::from)
}

/// Why Windows cannot create a file with this name; `None` if it can. An empty name is invalid.
pub fn unusable(name: &str) -> Option<String> {
    let stem = name.split('.').next().unwrap_or_default();
    let odd = name.chars().find(|c| {
        matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*' | '/' | '\\') || (*c as u32) < 32
    });
    match odd {
        _ if is_device(stem) => Some(format!(
            "{} is the name of a device on Windows",
            stem.trim_end()
        )),
        Some(odd) => Some(format!("no file name may have {odd:?} in it on Windows")),
        None if name.ends_with(['.', ' ']) && name != "." && name != ".." => {
            Some("no file name may end with a dot or a blank on Windows".to_owned())
        }
        None => None,
    }
}

/// True for names of devices in Windows, regardless of the extension.
pub fn is_device(stem: &str) -> bool {
    let stem = stem.trim_end_matches([' ', '.']).to_ascii_uppercase();
    matches!(
        stem.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$"
    ) || stem
        .strip_prefix("COM")
        .or_else(|| stem.strip_prefix("LPT"))
        .is_some_and(|n| {
            let mut chars = n.chars();
            matches!(
                (chars.next(), chars.next()),
                (Some('0'..='9' | '¹' | '²' | '³'), None)
            )
        })
}

/// The error code of Windows for missing permission, and for a file that is open elsewhere and
/// about to be removed.
pub const ACCESS_DENIED: i32 = 5;

/// True for the error codes of Windows for a file or folder that another program has open: access
/// denied, sharing violation, lock violation, and memory-mapped file.
pub fn is_held(code: Option<i32>, windows: bool) -> bool {
    windows && matches!(code, Some(ACCESS_DENIED | 32 | 33 | 1224))
}

/// The bytes of a path, which [`of_bytes`] converts back: with `/` on all systems, and sorted like
/// paths.
pub fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    #[cfg(unix)]
    return Cow::Borrowed(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()));
    #[cfg(windows)]
    return Cow::Owned(slashed_bytes(path.as_os_str().as_encoded_bytes()));
    #[cfg(not(any(unix, windows)))]
    return Cow::Owned(path.to_string_lossy().into_owned().into_bytes());
}

/// Converts bytes to a path.
pub fn of_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    return PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes));
    #[cfg(windows)]
    return match std::str::from_utf8(bytes) {
        Ok(text) => PathBuf::from(text),
        Err(_) => PathBuf::from(
            <std::ffi::OsString as std::os::windows::ffi::OsStringExt>::from_wide(&wide(bytes)),
        ),
    };
    #[cfg(not(any(unix, windows)))]
    return PathBuf::from(String::from_utf8_lossy(bytes).into_owned());
}

/// The bytes of a Windows path with `/`, unless it has the form `\\?\…`, in which only `\`
/// separates names.
#[cfg(any(windows, test))]
fn slashed_bytes(bytes: &[u8]) -> Vec<u8> {
    let verbatim = bytes.starts_with(br"\\?\");
    bytes
        .iter()
        .map(|byte| {
            if *byte == b'\\' && !verbatim {
                b'/'
            } else {
                *byte
            }
        })
        .collect()
}

/// The UTF-16 of a Windows path that is not Unicode: its bytes are UTF-8 that may contain unpaired
/// surrogates.
#[cfg(any(windows, test))]
fn wide(bytes: &[u8]) -> Vec<u16> {
    let (mut out, mut rest) = (Vec::new(), bytes);
    while let Some((first, behind)) = rest.split_first() {
        let (more, mut code) = match first {
            0..0x80 => (0, u32::from(*first)),
            0x80..0xe0 => (1, u32::from(first & 0x1f)),
            0xe0..0xf0 => (2, u32::from(first & 0x0f)),
            _ => (3, u32::from(first & 0x07)),
        };
        let (own, behind) = behind.split_at_checked(more).unwrap_or((behind, &[]));
        own.iter()
            .for_each(|byte| code = code << 6 | u32::from(byte & 0x3f));
        rest = behind;
        match char::from_u32(code) {
            Some(c) => out.extend_from_slice(c.encode_utf16(&mut [0; 2])),
            None => out.push(code as u16),
        }
    }
    out
}

/// A file left by operating systems or editors, or an extra file of refit.
pub fn is_litter(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|n| n.to_str()) else {
        return false;
    };
    let lower = name.to_ascii_lowercase();
    matches!(
        lower.as_str(),
        ".ds_store" | "thumbs.db" | "desktop.ini" | ".gitignore" | ".gitattributes"
    ) || (lower.starts_with(".refit-") && lower.ends_with(".tmp"))
        || lower == ".refit-written"
        || lower.starts_with("._")
        || lower.ends_with('~')
        || lower.ends_with(".swp")
}

/// A file of a tree that no manifest needs to name.
pub fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.')) || is_litter(Path::new(path))
}

/// The file of an original: `a.zbd` for `a.zbd.orig` and `a.zbd.orig.2`; `None` if the path is not
/// that of an original.
pub fn original_of(path: &Path) -> Option<PathBuf> {
    let extension = path.extension()?;
    let numbered =
        !extension.is_empty() && extension.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let path = if numbered {
        path.with_extension("")
    } else {
        path.to_owned()
    };
    (path.extension()? == "orig").then(|| path.with_extension(""))
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
    fn the_verbatim_prefix_is_removed_if_it_is_not_needed() {
        for (text, same) in [
            (r"\\?\C:\Games\MW3", r"C:\Games\MW3"),
            (r"\\?\C:\", r"C:\"),
            (r"\\?\UNC\server\share\x", r"\\server\share\x"),
            // Without the prefix, these would be a device, another name, or invalid.
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
    fn long_paths_get_the_verbatim_prefix() {
        let long = "x".repeat(LONG);
        assert_eq!(
            verbatim(&format!("C:/{long}/y")).unwrap(),
            format!(r"\\?\C:\{long}\y")
        );
        assert_eq!(
            verbatim(&format!(r"\\server\share\{long}")).unwrap(),
            format!(r"\\?\UNC\server\share\{long}")
        );
        for other in [
            r"C:\short",
            &format!(r"\\?\C:\{long}"),
            &format!(r"\\.\{long}"),
            &long,
        ] {
            assert_eq!(verbatim(other), None, "{other}");
        }
    }

    #[test]
    fn names_that_windows_refuses() {
        for name in [
            "con", "NUL.txt", "com1", "LPT9.x.y", "a?b", "a:b", "a\"", "a*", "tab\t", "end.",
            "blank ", "con .txt", "a|b",
        ] {
            assert!(
                unusable(name).is_some_and(|why| why.contains("Windows")),
                "{name}"
            );
        }
        for name in [
            "",
            "a.zbd",
            "console",
            "com",
            "com10",
            ".git",
            "..",
            "größe Ж日.zbd",
            "a'b",
            "x~1",
        ] {
            assert_eq!(unusable(name), None, "{name}");
        }
    }

    #[test]
    fn the_absolute_path_of_a_missing_file_begins_with_that_of_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let real = canonical(dir.path()).unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        assert_eq!(whole(&dir.path().join("file")).unwrap(), real.join("file"));
        for (missing, place) in [
            ("x", "x"),
            ("x/y/z", "x/y/z"),
            ("x/../y", "y"),
            ("file/x", "file/x"),
        ] {
            assert_eq!(whole(&dir.path().join(missing)).unwrap(), real.join(place));
        }
        assert!(whole(Path::new("none")).unwrap().is_absolute());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(dir.path(), dir.path().join("link")).unwrap();
            assert_eq!(
                whole(&dir.path().join("link/new/x")).unwrap(),
                real.join("new/x")
            );
            assert_eq!(
                whole_place(&dir.path().join("link/link")).unwrap(),
                real.join("link")
            );
        }
    }

    #[test]
    fn files_held_by_other_programs() {
        assert!(
            [5, 32, 33, 1224]
                .into_iter()
                .all(|code| is_held(Some(code), true) && !is_held(Some(code), false))
        );
        assert!(
            [None, Some(2), Some(3), Some(183)]
                .into_iter()
                .all(|code| !is_held(code, true))
        );
    }

    #[test]
    fn the_bytes_of_a_path_do_not_depend_on_the_separator() {
        assert_eq!(slashed_bytes(br"zbd\c1\x"), b"zbd/c1/x");
        assert_eq!(slashed_bytes(br"mod/zbd\c1"), slashed_bytes(br"mod\zbd/c1"));
        assert_eq!(slashed_bytes(br"\\?\C:\x"), br"\\?\C:\x");
        for text in ["zbd/c1/x", "größe Ж日 \u{1f600}", ""] {
            assert_eq!(
                wide(text.as_bytes()),
                text.encode_utf16().collect::<Vec<u16>>()
            );
        }
        // An unpaired surrogate, as Windows allows it in names.
        assert_eq!(wide(b"a\xed\xa0\xbdb"), [0x61, 0xd83d, 0x62]);
        // Truncated and invalid bytes: any path, but no panic.
        assert_eq!(
            (wide(b"\xe0").len(), wide(b"\xff\xff\xff\xff\xff").len()),
            (1, 2)
        );
        // Sorted like paths, unlike little-endian UTF-16.
        let paths = ["a/Ā", "a/b", "a/ā"].map(PathBuf::from);
        let by = |key: &dyn Fn(&PathBuf) -> Vec<u8>| {
            let mut all = paths.clone();
            all.sort_by_key(key);
            all
        };
        let mut sorted = paths.clone();
        sorted.sort();
        assert_eq!(
            by(&|path| slashed_bytes(path.as_os_str().as_encoded_bytes())),
            sorted
        );
    }

    #[test]
    fn paths_survive_the_round_trip_through_bytes() {
        for path in ["", "a/b c.zbd", "../x", "é/日"] {
            assert_eq!(of_bytes(&bytes_of(Path::new(path))), Path::new(path));
        }
        #[cfg(unix)]
        {
            let odd = of_bytes(b"a/\xff\xfe");
            assert!(odd.to_str().is_none() && &*bytes_of(&odd) == b"a/\xff\xfe");
        }
    }
}
