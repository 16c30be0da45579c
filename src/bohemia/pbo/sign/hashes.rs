//! The hashes for signatures (FORMAT.md).

use crate::pbo::{Pbo, extension};
use refit_base::wire::{Error, Result};
use sha1::{Digest, Sha1};

/// A SHA-1.
pub(super) type Sum = [u8; 20];

/// The names' hash and the prefix, which the second and the third hash end with: first as refit
/// signs them (sorted), then without repeated names as one tool does it, and in the archive's
/// order.
pub(super) fn endings(pbo: &Pbo) -> [Vec<u8>; 3] {
    let mut prefix = pbo
        .property("prefix")
        .map(|p| p.0.to_vec())
        .unwrap_or_default();
    if !prefix.is_empty() && !prefix.ends_with(b"\\") {
        prefix.push(b'\\');
    }
    let full = pbo.entries.iter().filter(|entry| !entry.data.is_empty());
    let ordered: Vec<Vec<u8>> = full.map(|entry| entry.name.looked_up()).collect();
    let mut sorted = ordered.clone();
    sorted.sort();
    let mut once = sorted.clone();
    once.dedup();
    [sorted, once, ordered].map(|names| {
        let mut ending = Sha1::digest(names.concat()).to_vec();
        ending.extend(&prefix);
        ending
    })
}

/// The hash of a hash and an ending.
pub(super) fn chain(hash: &Sum, ending: &[u8]) -> Sum {
    Sha1::new()
        .chain_update(hash)
        .chain_update(ending)
        .finalize()
        .into()
}

/// Extensions that version 2 does not hash.
const LEFT_OUT: &[&str] = &[
    "paa", "jpg", "p3d", "tga", "rvmat", "lip", "ogg", "wss", "png", "rtm", "pac", "fxy", "wrp",
];
/// Extensions that version 3 hashes in DayZ.
const DAYZ: &[&str] = &["c", "bikb", "ext", "hpp", "cfg", "h", "inc"];
/// Extensions that version 3 hashes in Arma 3.
const ARMA: &[&str] = &[
    "sqf", "inc", "bikb", "ext", "fsm", "sqm", "hpp", "cfg", "sqs", "h", "sqfc",
];
/// Extensions that version 3 hashes: in Arma 3, in its first years, with the additions of one tool,
/// and in DayZ.
const HASHED: [&[&str]; 4] = [
    ARMA,
    &[
        "sqf", "inc", "bikb", "ext", "fsm", "sqm", "hpp", "cfg", "sqs", "h",
    ],
    &[
        "sqf", "inc", "bikb", "ext", "fsm", "sqm", "hpp", "cfg", "sqs", "h", "cpp",
    ],
    DAYZ,
];

/// The hash of the files that `is_checked` chooses by their extension.
fn of_files(pbo: &Pbo, version: u32, is_checked: impl Fn(&str) -> bool) -> Result<Sum> {
    let mut sum = Sha1::new();
    let mut any = false;
    for entry in pbo
        .entries
        .iter()
        .filter(|entry| !entry.data.is_empty() && is_checked(&extension(&entry.name)))
    {
        any = true;
        entry.data.each(&mut |chunk| {
            sum.update(chunk);
            Ok(())
        })?;
    }
    if !any {
        sum.update(if version == 2 { b"nothing" } else { b"gnihton" });
    }
    Ok(sum.finalize().into())
}

/// The hash of the files that the game checks, with each list of extensions that a tool of this
/// version may have used.
pub(super) fn files(pbo: &Pbo, version: u32) -> Result<Vec<Sum>> {
    match version {
        2 => Ok(vec![of_files(pbo, version, |extension| {
            !LEFT_OUT.contains(&extension)
        })?]),
        _ => HASHED
            .iter()
            .map(|list| of_files(pbo, version, |extension| list.contains(&extension)))
            .collect(),
    }
}

/// True for an archive of DayZ: it has scripts of DayZ and none of Arma.
fn is_of_dayz(pbo: &Pbo) -> bool {
    let has = |list: &[&str]| {
        pbo.entries
            .iter()
            .any(|entry| list.contains(&extension(&entry.name).as_str()))
    };
    has(&["c"]) && !has(&["sqf", "sqfc", "sqs", "sqm", "fsm"])
}

/// The three hashes to sign: of the archive, of its names, of the files that the game checks.
pub(super) fn to_sign(pbo: &Pbo, version: u32) -> Result<[Sum; 3]> {
    let archive = pbo.body_sha1()?;
    let files = match version {
        2 => of_files(pbo, version, |extension| !LEFT_OUT.contains(&extension))?,
        3 => {
            let list = if is_of_dayz(pbo) { DAYZ } else { ARMA };
            of_files(pbo, version, |extension| list.contains(&extension))?
        }
        _ => {
            return Err(Error::say(format!(
                "signatures have version 2 or 3, not {version}"
            )));
        }
    };
    let [ending, ..] = endings(pbo);
    Ok([archive, chain(&archive, &ending), chain(&files, &ending)])
}
