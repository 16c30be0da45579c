//! The ground of refit: bytes and records ([`wire`]), folders of text and files on disk ([`tree`]),
//! what a format must offer ([`contract`]), and findings ([`lint`]). It knows no format.
//!
//! Programs use the package `refit`, which re-exports what is for them.
//!
//! Words besides those of `ARCHITECTURE.md`: the *payload* is the stored bytes of a member or a
//! file. A *record* is a structure of fixed fields, declared by [`record!`]; its flag word follows
//! from its fields; a *field group* is several of them that share bytes. *Kind* stands never alone
//! in code, because nearly everything has one: `NameKind` is what has a name, `ListKind` which list
//! an index points into, `FileKind` what a foreign file is. A *stored name* is a name field of an
//! animation: its text, and the stale bytes after it; a *stored model* is a model of a world as
//! bytes. A *label* of a PBO is bytes without an encoding. A *frame* is a stretch of time of a script
//! or a motion. A *step* is one of the actions on a file, in order; a path step leads to a value of
//! a document. *Scratch* is memory that one read after another reuses.
// Parts that only files on disk need.
#![cfg_attr(not(feature = "disk"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

// Makes the paths in attributes written by macros the same inside and outside of this crate.
extern crate self as refit_base;
// A derive macro with the name of the real one, which generates nothing.
#[cfg(not(feature = "schemas"))]
extern crate refit_record as schemars;

pub mod contract;
pub mod format;
pub mod game;
pub mod lint;
pub mod naming;
pub mod par;
pub mod path;
pub mod picture;
pub mod secret;
pub mod sheet;
mod sum;
pub mod support;
pub mod tree;
pub mod wire;

pub use refit_record::{Object, record as declare_record};
pub use refit_schemas::packed as packed_schema;
pub use sum::{Sum, Summing};
pub use tree::Style;
pub use wire::error::{Error, ErrorKind, Result};

/// SHA-256 of bytes, as lower-case hexadecimal, for people and other tools. refit's own records
/// have a [`Sum`].
pub fn sha256(bytes: &[u8]) -> String {
    let mut sum = Sha256::default();
    sum.update(bytes);
    sum.hex()
}

/// A SHA-256 computed from pieces.
#[derive(Clone, Default)]
pub struct Sha256(sha2::Sha256);

impl Sha256 {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        sha2::Digest::update(&mut self.0, bytes);
    }
    /// The sum, as lower-case hexadecimal.
    pub fn hex(self) -> String {
        lower_hex(&self.bytes())
    }
    /// The sum as bytes.
    pub fn bytes(self) -> [u8; 32] {
        sha2::Digest::finalize(self.0).into()
    }
}

impl std::io::Write for Sha256 {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Bytes as lower-case hexadecimal.
pub fn lower_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
