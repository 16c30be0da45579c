//! The formats of refit: files as models, models as folders of text, and back.
//!
//! Programs use the package `refit`. It re-exports everything here that is for them, and adds glTF,
//! sources of animations, projects, mods and the workbench. Items that only `refit` needs are
//! hidden from the documentation. There are two packages so that the compiler reads the upper one
//! while it optimises this one, and so that a change of the upper one leaves this one built.
// Parts that only files on disk need.
#![cfg_attr(not(feature = "disk"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

// Makes the paths in attributes written by macros the same inside and outside of this crate.
extern crate self as refit;
// A derive macro with the name of the real one, which generates nothing.
#[cfg(not(feature = "schemas"))]
extern crate refit_record as schemars;

pub mod detect;
#[doc(hidden)]
pub mod file;
pub mod format;
pub mod formats;
pub mod game;
pub mod lint;
pub mod naming;
#[doc(hidden)]
pub mod order;
#[doc(hidden)]
pub mod par;
#[doc(hidden)]
pub mod path;
pub mod pipeline;
pub mod registry;
/// What no output contains: private keys.
pub mod secret;
pub mod tree;
pub mod wire;

pub use file::File;
pub use pipeline::{Hints, MemberId, Outcome, Via, explain_bytes as explain, verify};
#[doc(hidden)]
pub use refit_record::{Object, record as declare_record};
#[doc(hidden)]
pub use refit_schemas::schema as packed_schema;
pub use tree::Style;
pub use wire::error::{Error, ErrorKind, Result};

/// SHA-256 of bytes, as lower-case hexadecimal.
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
    /// The sum.
    pub fn bytes(self) -> [u8; 32] {
        sha2::Digest::finalize(self.0).into()
    }
}

/// Bytes as lower-case hexadecimal.
#[doc(hidden)]
pub fn lower_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
