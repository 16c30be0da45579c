//! refit: a bit-perfect round-trip converter and modding tool for the files of Recoil, MechWarrior 3, Pirate's Moon and
//! Crimson Skies, and for Bohemia's PBO archives.
//!
//! Layers, each knowing only those before it: [`wire`] (bytes and fields), [`tree`] (folders of text), [`formats`] (models),
//! [`registry`] and [`detect`] (which formats there are), [`work`] (open, unpack, repack, verify). See `ARCHITECTURE.md`.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

// So that the paths which macros write into attributes are the same inside and outside of this crate.
extern crate self as refit;

pub mod detect;
pub mod diff;
pub mod format;
pub mod formats;
pub mod game;
pub mod lint;
pub mod mods;
pub mod registry;
pub mod tree;
pub mod views;
pub mod wire;
pub mod work;

pub use refit_record::record;

/// SHA-256 of bytes, as lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    let mut sum = Sha256::default();
    sum.update(bytes);
    sum.hex()
}

/// SHA-256 of bytes that come in pieces.
#[derive(Default)]
pub struct Sha256(sha2::Sha256);

impl Sha256 {
    /// More bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        sha2::Digest::update(&mut self.0, bytes);
    }
    /// The sum, as lower-case hexadecimal.
    pub fn hex(self) -> String {
        lower_hex(&sha2::Digest::finalize(self.0))
    }
}

/// Bytes as lower-case hexadecimal.
pub(crate) fn lower_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
