//! Safe paths for hostile names (FORMAT.md).

use super::{Label, label::escape};
use refit_base::tree::UniquePaths;
use refit_base::wire::Within;

/// The folder of a tree that contains the files of the archive and nothing else, so that no name
/// can collide with one of refit's.
pub(super) const FILES: &str = "files";

/// A safe, unique path for a name, relative to [`FILES`]; the manifest has the true name if the
/// path differs. The same archive has the same paths on every system. refit puts no file of its own
/// into that folder, so `paths` reserves no names.
pub(super) fn assign(paths: &mut UniquePaths, name: &Label) -> String {
    let parts = name.parts().filter(|part| !part.is_empty()).map(component);
    let wish = parts.collect::<Vec<_>>().join("/");
    paths.assign(if wish.is_empty() { "unnamed" } else { &wish }, "")
}

fn component(part: &[u8]) -> String {
    let text = escape(part, |c| {
        matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*')
    });
    // Windows drops dots and blanks at the end, and a part of dots alone is a way up.
    match text.chars().next_back() {
        Some(last @ ('.' | ' ')) => {
            if text.chars().all(|c| c == '.') {
                return text.replace('.', "%2E");
            }
            let kept = text.within(..text.len() - 1);
            format!("{kept}%{:02X}", u32::from(last))
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_stay_below() {
        let mut paths = UniquePaths::default();
        for (name, expected) in [
            (&b"scripts\\init.sqf"[..], "scripts/init.sqf"),
            (b"../../x", "%2E%2E/%2E%2E/x"),
            (b"C:\\x", "C%3A/x"),
            (b"\\\\server\\share", "server/share"),
            (b"\\", "unnamed"),
            (b"con.sqf", "_con.sqf"),
            (b"a.", "a%2E"),
            (b"a ", "a%20"),
            (b".. \\x", "..%20/x"),
            (b"50%", "50%25"),
            (b"caf\xe9", "caf%E9"),
            (b"a:b", "a%3Ab"),
            ("\u{202e}gpj.exe".as_bytes(), "%E2%80%AEgpj.exe"),
            (b"INIT.sqf", "INIT.sqf"),
            (b"init.sqf", "init~2.sqf"),
            (b"init.sqf\\x", "init.sqf~2/x"),
            ("café".as_bytes(), "café"),
            ("cafe\u{301}".as_bytes(), "cafe\u{301}~2"),
            (b"refit.json", "refit.json"),
        ] {
            assert_eq!(
                assign(&mut paths, &Label(name.into())),
                expected,
                "{name:?}"
            );
        }
        let long = assign(&mut paths, &Label(vec![b'n'; 20_000].into()));
        assert!(long.len() < 200 && assign(&mut paths, &Label(vec![b'n'; 20_001].into())) != long);
        assert!(assign(&mut paths, &Label(b"p\\".repeat(200).into())).len() < 200);
    }
}
