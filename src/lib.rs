//! refit: a bit-perfect round-trip converter and modding tool for the files of Recoil, MechWarrior 3, Pirate's Moon and
//! Crimson Skies, and for Bohemia's PBO archives.
//!
//! Four layers, each knowing only the ones below: [`wire`] (bytes and fields), [`formats`] (models), [`tree`] (model ⇄
//! folder), [`work`] (open, unpack, repack, verify). See `ARCHITECTURE.md`.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

// So that the paths which macros write into attributes are the same inside and outside of this crate.
extern crate self as refit;

pub mod detect;
pub mod formats;
pub mod game;
pub mod lint;
pub mod tree;
pub mod wire;
pub mod work;

/// SHA-256 of bytes, as lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    use std::fmt::Write;
    let mut out = String::with_capacity(64);
    for byte in sha2::Sha256::digest(bytes) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
