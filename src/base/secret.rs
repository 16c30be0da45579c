//! Private keys: only their owner may have them. No mod, project, archive or log contains one. This
//! is the one place that says what a private key is.

use crate::wire::{Error, ErrorKind, Result};

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
