//! The JSON schemas of refit's documents, one file for each kind, written by `cargo xtask schemas`,
//! packed into the program.
//!
//! They are a package, because the library contains them, and packages contain only files of their
//! own folder.

/// Each kind with its file, packed with zlib.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The file `KIND.json` of this folder, packed with zlib. Evaluated at compile time, a kind without
/// a file is an error.
///
/// # Panics
///
/// If there is no such file.
pub const fn packed(kind: &str) -> &'static [u8] {
    let mut i = 0;
    while i < FILES.len() {
        let (name, bytes) = FILES[i];
        if is_same(name.as_bytes(), kind.as_bytes()) {
            return bytes;
        }
        i += 1;
    }
    panic!("schemas/KIND.json is missing: make it as an empty file, then run `cargo xtask schemas`")
}

/// `==` of bytes, which is no constant function.
const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}
