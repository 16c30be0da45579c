//! Lints of archives.

use super::{Content, Entry, File, Node, Rof, below};
use crate::{
    lint::{Code, Lints, codes},
    par,
};
use std::collections::HashMap;

codes! {
    /// The kinds of findings.
    pub(super) CODES:
    ROF_LAYOUT "rof-layout" Unusual [Cs] "blocks and data do not follow each other as usual"
        "Known archives have the blocks of all folders first, then the data of all files, without a gap. The layout is \
        kept in the manifest; delete `layout` there to have it as usual."
        "Measured on crimson.rof and crimptch.rof."
    ROF_SHARED "rof-shared" Unusual [Cs] "files share data"
        "Two records point at the same bytes, or at bytes that overlap. No known archive has such files. They are kept \
        as parts of one file in the tree."
        "Measured on crimson.rof and crimptch.rof."
    ROF_ROOT "rof-root" Unusual [Cs] "the root is not one folder called ASSETS"
        "The root of known archives holds that folder and nothing else; the game's paths begin with it."
        "Measured on crimson.rof and crimptch.rof."
    ROF_NAME "rof-name" Ignores [Cs] "a name that the game cannot find"
        "The game puts what it looks for into upper case, cuts it at back slashes, and compares byte for byte (Crimson \
        Skies, roffile.dll): a name with a small letter, with \\ or / in it, or without a letter is never found."
        "roffile.dll of Crimson Skies puts each piece of a request into upper case and compares it byte for byte."
    ROF_NAME_BYTES "rof-name-bytes" Unusual [Cs] "a name that is not plain ASCII"
        "No known archive has one. What is upper case for such letters depends on the code page of the system."
        "Measured on crimson.rof and crimptch.rof."
    ROF_DUPLICATE_NAME "rof-duplicate-name" Ignores [Cs] "two entries of a folder have the same name"
        "Which of them the game finds is not known."
        "roffile.dll of Crimson Skies takes one entry of a name; no shipped folder has a name twice."
    ROF_NAMES "rof-names" Unusual [Cs] "the names of a folder are not stored as usual"
        "Known archives have the names one behind the other in the order of the entries, each with one zero. Here they \
        are in another order, share bytes, or have others between them. They are kept in the manifest; to rename an \
        entry, delete `names` there."
        "Measured on crimson.rof and crimptch.rof."
    ROF_FLAGS "rof-flags" Unusual [Cs] "flags without a known meaning"
        "Known records have 1 for a folder, 2 for a packed file, 0 for a stored one. Other bits are kept."
        "roffile.dll of Crimson Skies tests bits 0 and 1."
    ROF_FOLDER_LENGTH "rof-folder-length" Unusual [Cs] "a folder has lengths"
        "Both are zero in known archives. They are kept."
        "Measured on crimson.rof and crimptch.rof."
    ROF_LENGTH "rof-length" Differs [Cs] "the unpacked length is not that of the file"
        "The record says another length than the file has once it is unpacked. The game reserves what the record says. \
        It is kept until the file is edited."
        "All 418 packed files of crimson.rof unpack to the length of their record."
    ROF_OPAQUE "rof-opaque" Ignores [Cs] "a file is marked as packed, but does not unpack"
        "The zlib stream is missing, cut or damaged. refit keeps the bytes; the game cannot read the \
        file."
        "All 418 packed files of crimson.rof unpack."
    ROF_BEHIND_STREAM "rof-behind-stream" Unusual [Cs] "bytes stand behind the end of a packed file"
        "Packed files of known archives end with their zlib stream. The bytes are kept until the file is edited."
        "All 418 packed files of crimson.rof end with their stream."
    ROF_EMPTY_START "rof-empty-start" Unusual [Cs] "a file without bytes is at an unusual offset"
        "Its start is not where the next data begin. It means nothing, and is kept."
        "Measured on crimson.rof and crimptch.rof."
}

/// Checks an archive.
pub(super) fn lint(rof: &Rof, lints: &mut Lints) {
    lints.check(rof.is_regular(), ROF_LAYOUT, || {
        format!("{} blocks and {} files lie in {} pieces", rof.folders.len(), rof.files().len(), rof.pieces.len())
    });
    let root = rof.folders.first().map(|f| f.entries.as_slice()).unwrap_or_default();
    let usual = matches!(root, [one] if one.name.0 == b"ASSETS" && matches!(one.node, Node::Folder { .. }));
    lints.check(usual, ROF_ROOT, || {
        let names: Vec<String> = root.iter().take(4).map(|e| e.name.text().into_owned()).collect();
        format!("{} entries: {}{}", root.len(), names.join(", "), if root.len() > 4 { ", …" } else { "" })
    });
    let owners = rof.owners();
    // Check the data of all files in parallel.
    let files = rof.files();
    let judged: HashMap<(usize, usize), Vec<(&'static Code, String)>> =
        par::map(&files, |_, (at, _, entry, file)| (*at, judge(rof, entry, file))).into_iter().collect();
    let mut paths = vec![String::new(); rof.folders.len()];
    let mut seen: Vec<HashMap<&[u8], usize>> = vec![HashMap::new(); rof.folders.len()];
    lints.check(rof.folders.first().is_none_or(|f| f.names.is_none()), ROF_NAMES, || "those of the root".to_owned());
    for at in rof.walk() {
        let Some(entry) = rof.entry(at) else { continue };
        let path = below(paths.get(at.0).map(String::as_str).unwrap_or_default(), &entry.name);
        lints.at(path.clone(), |lints| {
            let name = &entry.name.0;
            let found = !name.is_empty() && !name.iter().any(|b| b.is_ascii_lowercase() || matches!(b, b'\\' | b'/'));
            lints.check(found, ROF_NAME, || format!("{:?}", entry.name));
            lints.check(name.is_ascii(), ROF_NAME_BYTES, || format!("{:?}", entry.name));
            if let Some(first) = seen.get_mut(at.0).and_then(|seen| seen.insert(name, at.1)) {
                lints.say(ROF_DUPLICATE_NAME, format!("entry {first} of the folder has it too"));
            }
            lints.check(entry.flags == 0, ROF_FLAGS, || format!("{:#x}", entry.flags));
            match &entry.node {
                Node::Folder { index, stored } => {
                    lints.check(entry.decoded == 0 && *stored == 0, ROF_FOLDER_LENGTH, || {
                        format!("{} and {stored}", entry.decoded)
                    });
                    let pool = rof.folders.get(*index).and_then(|f| f.names.as_ref());
                    lints.check(pool.is_none(), ROF_NAMES, || "those of the folder's entries".to_owned());
                }
                Node::File(file) => {
                    let shared = file.part.is_some() || owners.get(file.piece).is_some_and(|n| *n > 1);
                    lints.check(!shared, ROF_SHARED, || "its data are not its own".to_owned());
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
            out.push((ROF_LENGTH, format!("{} is stored, the file has {len} bytes", entry.decoded)));
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
