//! Lints of archives.

use super::{Content, Entry, File, Node, Rof, below};
use refit_base::{
    lint::{Code, Lints, codes},
    par,
};
use std::collections::HashMap;

codes! {
    /// The kinds of findings.
    pub(super) CODES:
    ROF_LAYOUT "rof-layout" Unusual [Cs] "unusual order of blocks and data"
        "Known archives have the blocks of all folders first, then the data of all files, without gaps. The layout is \
        kept in the manifest; delete `layout` there to restore the usual one."
        "Measured on crimson.rof and crimptch.rof."
    ROF_SHARED "rof-shared" Unusual [Cs] "files share data"
        "Two records point at the same bytes, or at overlapping bytes. No known archive has such files. The tree keeps \
        them as parts of one file."
        "Measured on crimson.rof and crimptch.rof."
    ROF_ROOT "rof-root" Unusual [Cs] "the root is not a single folder called ASSETS"
        "The root of known archives holds only that folder, and the game's paths begin with it."
        "Measured on crimson.rof and crimptch.rof."
    ROF_NAME "rof-name" Ignores [Cs] "a name that the game cannot find"
        "The game puts the path it looks for into upper case, splits it at backslashes, and compares byte for byte \
        (Crimson Skies, roffile.dll). It never finds an empty name, or one with a lower-case letter, \\ or /."
        "roffile.dll of Crimson Skies puts each part of a path into upper case and compares it byte for byte."
    ROF_NAME_BYTES "rof-name-bytes" Unusual [Cs] "a name that is not plain ASCII"
        "No known archive has one. Upper case for such letters depends on the code page of the system."
        "Measured on crimson.rof and crimptch.rof."
    ROF_DUPLICATE_NAME "rof-duplicate-name" Ignores [Cs] "two entries of a folder share a name"
        "Which one the game finds is not known."
        "roffile.dll of Crimson Skies takes one entry of a name; no shipped folder repeats a name."
    ROF_NAMES "rof-names" Unusual [Cs] "unusual storage of a folder's names"
        "Known archives store the names one after the other in the order of the entries, each with one zero. Here the \
        order differs, names share bytes, or other bytes are between them. The names are kept in the manifest; to \
        rename an entry, delete `names` there."
        "Measured on crimson.rof and crimptch.rof."
    ROF_FLAGS "rof-flags" Unusual [Cs] "unknown flags"
        "Known records have 1 for a folder, 2 for a packed file, 0 for a stored one. refit keeps other bits."
        "roffile.dll of Crimson Skies tests bits 0 and 1."
    ROF_FOLDER_LENGTH "rof-folder-length" Unusual [Cs] "a folder has lengths"
        "In known archives both lengths of a folder are zero. refit keeps them."
        "Measured on crimson.rof and crimptch.rof."
    ROF_LENGTH "rof-length" Differs [Cs] "the unpacked length is wrong"
        "The record gives another length than the unpacked file has. The game reserves the length in the record. refit \
        keeps it until the file is edited."
        "All 418 packed files of crimson.rof unpack to the length in their record."
    ROF_OPAQUE "rof-opaque" Ignores [Cs] "a file marked as packed does not unpack"
        "The zlib stream is missing, truncated or damaged. The game cannot read the file. refit keeps the bytes."
        "All 418 packed files of crimson.rof unpack."
    ROF_BEHIND_STREAM "rof-behind-stream" Unusual [Cs] "trailing bytes after a packed file"
        "Packed files of known archives end with their zlib stream. refit keeps the bytes until the file is edited."
        "All 418 packed files of crimson.rof end with their stream."
    ROF_EMPTY_START "rof-empty-start" Unusual [Cs] "an empty file at an unusual offset"
        "It does not start where the next data begin. This means nothing; refit keeps the offset."
        "Measured on crimson.rof and crimptch.rof."
}

/// Checks an archive.
pub(super) fn lint(rof: &Rof, lints: &mut Lints) {
    lints.check(rof.is_regular(), ROF_LAYOUT, || {
        format!(
            "{} blocks and {} files are stored in {} pieces",
            rof.folders.len(),
            rof.files().len(),
            rof.pieces.len()
        )
    });
    let root = rof
        .folders
        .first()
        .map(|f| f.entries.as_slice())
        .unwrap_or_default();
    let usual =
        matches!(root, [one] if one.name.0 == b"ASSETS" && matches!(one.node, Node::Folder { .. }));
    lints.check(usual, ROF_ROOT, || {
        let names: Vec<String> = root
            .iter()
            .take(4)
            .map(|e| e.name.text().into_owned())
            .collect();
        format!(
            "{} entries: {}{}",
            root.len(),
            names.join(", "),
            if root.len() > 4 { ", …" } else { "" }
        )
    });
    let owners = rof.owners();
    // Check the data of all files in parallel.
    let files = rof.files();
    let judged: HashMap<(usize, usize), Vec<(&'static Code, String)>> =
        par::map(&files, |_, (at, _, entry, file)| {
            (*at, judge(rof, entry, file))
        })
        .into_iter()
        .collect();
    let mut paths = vec![String::new(); rof.folders.len()];
    let mut seen: Vec<HashMap<&[u8], usize>> = vec![HashMap::new(); rof.folders.len()];
    lints.check(
        rof.folders.first().is_none_or(|f| f.names.is_none()),
        ROF_NAMES,
        || "those of the root".to_owned(),
    );
    for at in rof.walk() {
        let Some(entry) = rof.entry(at) else { continue };
        let path = below(
            paths.get(at.0).map(String::as_str).unwrap_or_default(),
            &entry.name,
        );
        lints.at(path.clone(), |lints| {
            let name = &entry.name.0;
            let found = !name.is_empty()
                && !name
                    .iter()
                    .any(|b| b.is_ascii_lowercase() || matches!(b, b'\\' | b'/'));
            lints.check(found, ROF_NAME, || format!("{:?}", entry.name));
            lints.check(name.is_ascii(), ROF_NAME_BYTES, || {
                format!("{:?}", entry.name)
            });
            if let Some(first) = seen.get_mut(at.0).and_then(|seen| seen.insert(name, at.1)) {
                lints.say(
                    ROF_DUPLICATE_NAME,
                    format!("entry {first} of the folder has it too"),
                );
            }
            lints.check(entry.flags == 0, ROF_FLAGS, || {
                format!("{:#x}", entry.flags)
            });
            match &entry.node {
                Node::Folder { index, stored } => {
                    lints.check(
                        entry.decoded == 0 && *stored == 0,
                        ROF_FOLDER_LENGTH,
                        || format!("{} and {stored}", entry.decoded),
                    );
                    let pool = rof.folders.get(*index).and_then(|f| f.names.as_ref());
                    lints.check(pool.is_none(), ROF_NAMES, || {
                        "those of the folder's entries".to_owned()
                    });
                }
                Node::File(file) => {
                    let shared =
                        file.part.is_some() || owners.get(file.piece).is_some_and(|n| *n > 1);
                    lints.check(!shared, ROF_SHARED, || {
                        "its data are not its own".to_owned()
                    });
                    lints.check(file.start.is_none(), ROF_EMPTY_START, || {
                        format!("{:#x}", file.start.unwrap_or_default())
                    });
                    for (code, message) in judged.get(&at).into_iter().flatten() {
                        lints.say(code, message.clone());
                    }
                }
            }
        });
        if let Node::Folder { index, .. } = entry.node
            && let Some(slot) = paths.get_mut(index)
        {
            *slot = path;
        }
    }
}

/// Checks the data of a file.
fn judge(rof: &Rof, entry: &Entry, file: &File) -> Vec<(&'static Code, String)> {
    let mut out = Vec::new();
    let mut length = |len: u64| {
        if len != u64::from(entry.decoded) {
            out.push((
                ROF_LENGTH,
                format!("{} is stored, but the file has {len} bytes", entry.decoded),
            ));
        }
    };
    match rof.content(entry, file) {
        Ok(Content::Stored) => length(rof.stored(file).map_or(0, |data| data.len())),
        Ok(Content::Packed(stream)) => {
            length(stream.content.len() as u64);
            if stream.behind > 0 {
                out.push((ROF_BEHIND_STREAM, format!("{} bytes", stream.behind)));
            }
        }
        Ok(Content::Opaque(why)) => out.push((ROF_OPAQUE, why)),
        Err(_) => {}
    }
    out
}
