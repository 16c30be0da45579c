//! Compares an archive with a signature.

use super::{Key, hashes};
use crate::pbo::{Pbo, Trailer};
use bytes::Bytes;
use refit_base::wire::{Error, Result};
use serde::Serialize;
use std::fmt;

/// Whether one of the three signatures fits an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// The signed hash is the archive's.
    Fits,
    /// The signed hash is another one.
    Differs,
    /// The signature cannot be opened with its key: it is damaged.
    Damaged,
}

/// The result of checking a `.bisign` against an archive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// The authority that signed.
    pub authority: String,
    /// Version of the signature.
    pub version: u32,
    /// The hash of everything.
    pub archive: Fit,
    /// The hash of that and of the names.
    pub names: Fit,
    /// The hash of the files that servers check, and of the names.
    pub files: Fit,
    /// The hash in the archive's own trailer is correct. Otherwise nothing else can be verified.
    pub trailer: bool,
    /// What is wrong with the form of the signature, which the engine reads before any hash: its
    /// key is no public RSA key, or its version is neither 2 nor 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
}

impl Report {
    /// True when the games accept the archive.
    pub fn fits(&self) -> bool {
        self.trailer
            && self.form.is_none()
            && [self.archive, self.names, self.files] == [Fit::Fits; 3]
    }

    /// Why the games refuse the archive:
    /// `does not match, changed after it was signed: the archive`. `None` if it fits.
    pub fn why(&self) -> Option<String> {
        if !self.trailer {
            return Some(
                "the archive's own SHA-1 is missing or wrong, no signature can be verified"
                    .to_owned(),
            );
        }
        if let Some(form) = &self.form {
            return Some(format!("is damaged: {form}"));
        }
        if self.fits() {
            return None;
        }
        // The second hash includes the first one: only if it alone differs were names changed.
        let archive = self.archive == Fit::Differs;
        let names = if archive && self.names == Fit::Differs {
            Fit::Fits
        } else {
            self.names
        };
        let parts = [
            (self.archive, "the archive"),
            (names, "its names"),
            (self.files, "files that servers check or names"),
        ];
        let mut reasons = Vec::new();
        for (fit, what) in [
            (Fit::Differs, "does not match, changed after it was signed"),
            (Fit::Damaged, "damaged, the signature of"),
        ] {
            let list: Vec<&str> = parts
                .iter()
                .filter(|(other, _)| *other == fit)
                .map(|(_, name)| *name)
                .collect();
            if !list.is_empty() {
                reasons.push(format!("{what}: {}", list.join(", ")));
            }
        }
        Some(reasons.join("; "))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "signed by {} (version {}): ",
            self.authority, self.version
        )?;
        match self.why() {
            Some(why) => f.write_str(&why),
            None => f.write_str("matches; any change to the archive invalidates it"),
        }
    }
}

/// Compares an archive with a signature. Fails when either cannot be read.
pub fn check(pbo: &Bytes, bisign: &Bytes) -> Result<Report> {
    check_model(&Pbo::read(pbo)?, &Key::read(bisign)?)
}

/// [`check`] for an archive and a key in memory.
pub fn check_model(pbo: &Pbo, key: &Key) -> Result<Report> {
    let Some(signed) = &key.signed else {
        return Err(Error::say("the file is a key without signatures").hint("expected a .bisign"));
    };
    // Evaluated first: it caches the hash.
    let trailer = matches!(pbo.trailer()?, Trailer::Sha1 { .. });
    let sum = pbo.body_sha1()?;
    let [first, second, third] = signed
        .signatures
        .each_ref()
        .map(|signature| key.open(&signature.0));
    let fit = |opened: Option<hashes::Sum>, hashes: Vec<hashes::Sum>| match opened {
        None => Fit::Damaged,
        Some(opened) if hashes.contains(&opened) => Fit::Fits,
        Some(_) => Fit::Differs,
    };
    let endings = hashes::endings(pbo);
    let chained = |hash: &hashes::Sum| endings.each_ref().map(|ending| hashes::chain(hash, ending));
    let files = match third {
        Some(_) => hashes::files(pbo, signed.version)?,
        None => Vec::new(),
    };
    Ok(Report {
        authority: key.authority.show().into_owned(),
        version: signed.version,
        archive: fit(first, vec![sum]),
        names: fit(second, chained(&sum).to_vec()),
        files: fit(third, files.iter().flat_map(chained).collect()),
        trailer,
        form: key.damage(signed.version),
    })
}

/// Whether a signature, as its file's bytes, is of this archive, in words.
pub fn describe(pbo: &Pbo, bisign: &Bytes) -> Result<String> {
    Ok(check_model(pbo, &Key::read(bisign)?)?.to_string())
}
