//! Private keys: only their owner may have them. No mod, project, archive or log contains one. This
//! is the one place that says what a private key is.

use crate::{
    tree::Blob,
    wire::{Error, ErrorKind, Result, Within},
};

/// Ending of the name of a private key.
const ENDING: &str = ".biprivatekey";

/// The names of private keys, for `.gitignore`, which distinguishes upper and lower case.
pub const GLOB: &str = "*.[bB][iI][pP][rR][iI][vV][aA][tT][eE][kK][eE][yY]*";

/// The key blob's header of a private key, behind the name of its authority and a length: kind,
/// version, algorithm, magic.
pub const HEADER: [u8; 12] = *b"\x07\x02\0\0\0\x24\0\0RSA2";

/// Longest name of an authority that is looked behind.
const NAME: usize = 512;

/// How many bytes at the beginning of a file show whether it is a private key.
pub const HEAD: u64 = 1024;

/// True for a private key: by its name, which a backup has too (`me.biprivatekey.bak`), or by its
/// first bytes.
pub fn is_private_key(name: &str, head: &[u8]) -> bool {
    let last = name
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(name)
        .to_ascii_lowercase();
    let content = || {
        let end = head.iter().take(NAME).position(|b| *b == 0)?;
        head.get(end + 5..end + 5 + HEADER.len())
    };
    last.contains(ENDING) || content() == Some(&HEADER)
}

/// True for a file that is a private key, or contains one unpacked: an archive, a text behind a
/// key.
pub fn contains_private_key(name: &str, file: &[u8]) -> bool {
    is_private_key(name, file) || memchr::memmem::find(file, &HEADER).is_some()
}

/// [`contains_private_key`] for a file of any size, which is searched piece by piece.
pub fn is_in(name: &str, file: &Blob) -> Result<bool> {
    if is_private_key(name, &[]) {
        return Ok(true);
    }
    // A header may start in one piece and end in the next.
    const BEFORE: usize = HEADER.len() - 1;
    let (mut before, mut found) = (Vec::new(), false);
    file.each(&mut |piece| {
        let start = piece.within(..BEFORE.min(piece.len()));
        found = found
            || memchr::memmem::find(piece, &HEADER).is_some()
            || memchr::memmem::find(&[&before, start].concat(), &HEADER).is_some();
        let end = piece.len().saturating_sub(BEFORE);
        before.extend_from_slice(piece.within(end..));
        before.drain(..before.len().saturating_sub(BEFORE));
        Ok(())
    })?;
    Ok(found)
}

/// The `.gitignore` of a tree for its files with private keys, by their paths in the tree.
pub(crate) fn git_ignore<'a>(paths: impl IntoIterator<Item = &'a String>) -> String {
    let mut text = String::from("# Private keys, which git must not publish.\n");
    for path in paths {
        text.push('/');
        for c in path.chars() {
            if matches!(c, '\\' | '*' | '?' | '[' | ' ') {
                text.push('\\');
            }
            text.push(c);
        }
        text.push('\n');
    }
    text
}

/// An error for a private key, or a file with one, that would get into a file for others.
pub fn check(name: &str, file: &[u8]) -> Result<()> {
    match contains_private_key(name, file) {
        true => Err(error().in_file(name)),
        false => Ok(()),
    }
}

/// The error for a private key.
pub fn error() -> Error {
    Error::say("a private key, which refit puts into nothing that others get")
        .of_kind(ErrorKind::Unsupported)
        .hint("`refit sign` uses it where it is; `refit key public` makes the file for servers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_keys_are_known_by_name_and_by_content() {
        let key = |header: &[u8]| [b"lab\0\x54\x02\0\0", header, &[0; 100]].concat();
        for name in [
            "me.biprivatekey",
            "a/ME.BIPRIVATEKEY",
            "x\\me.biprivatekey.bak",
            ".me.biprivatekey.swp",
        ] {
            assert!(is_private_key(name, b""), "{name}");
        }
        assert!(is_private_key("notes.txt", &key(&HEADER)));
        let archive = [&[7; 5000][..], &key(&HEADER)].concat();
        assert!(!is_private_key("a.pbo", &archive) && contains_private_key("a.pbo", &archive));
        // On disk it is read in pieces, whose edges may cut the header.
        for before in (65_520..65_540).chain((1 << 20) - 14..(1 << 20) + 2) {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), [&vec![7; before][..], &key(&HEADER)].concat()).unwrap();
            let blob = Blob::open(file.path()).unwrap().unwrap();
            assert!(is_in("a.pbo", &blob).unwrap(), "{before}");
        }
        assert!(!is_in("a.pbo", &Blob::from(bytes::Bytes::from(vec![7; 1 << 17]))).unwrap());
        assert_eq!(
            git_ignore(&["files/a [1].txt".to_owned()]),
            "# Private keys, which git must not publish.\n/files/a\\ \\[1].txt\n"
        );
        assert!(!is_private_key(
            "lab.bikey",
            &key(b"\x06\x02\0\0\0\x24\0\0RSA1")
        ));
        for other in [&b""[..], b"lab", b"lab\0", &[1; 2000], &[0; 8]] {
            assert!(!is_private_key("me.biprivatekey/notes.txt", other));
        }
        assert_eq!(
            check("me.biprivatekey", b"").unwrap_err().kind(),
            ErrorKind::Unsupported
        );
    }
}
