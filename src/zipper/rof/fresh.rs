//! New archives of plain folders.

use super::{
    Entry, File, Node, PieceContent, Rof, RofCodec,
    tree::{Line, RofManifest},
    zlib,
};
use refit_base::{
    contract::{Codec, Members},
    tree::{
        Blob, Folder,
        plain::{PlainFolder, check_names},
    },
    wire::{Error, Result, Str, encode_1252, fit},
};
use std::collections::{BTreeSet, HashMap};

/// The folder that the game's paths begin with.
const ROOT: &str = "ASSETS";

/// Pictures and sounds are stored; everything else is packed.
const STORED: [&str; 6] = ["png", "jpg", "jpeg", "wav", "mpg", "avi"];

/// Adds a file to a folder that is there.
pub(super) fn add(rof: &mut Rof, path: &str, bytes: &[u8]) -> Result<usize> {
    let path = path.replace('\\', "/").to_uppercase();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let mut at = 0;
    for part in folder.split('/').filter(|part| !part.is_empty()) {
        let inside = rof
            .folders
            .get(at)
            .into_iter()
            .flat_map(|folder| &folder.entries);
        at = inside
            .filter_map(|entry| {
                if let Node::Folder { index, .. } = entry.node {
                    Some((entry, index))
                } else {
                    None
                }
            })
            .find(|(entry, _)| entry.name.text() == part)
            .map(|(_, index)| index)
            .ok_or_else(|| {
                Error::say(format!("the archive has no folder {part:?}"))
                    .hint("add the file to an existing folder, such as ASSETS/SCRIPTS/NEW.TXT")
            })?;
    }
    let zlib = !STORED.contains(
        &name
            .rsplit_once('.')
            .map_or("", |(_, end)| end)
            .to_lowercase()
            .as_str(),
    );
    let decoded = fit(bytes.len(), "the length of a file")?;
    let data = if zlib {
        zlib::deflate(bytes)
    } else {
        bytes.to_vec()
    };
    let node = Node::File(File {
        piece: rof.pieces.len(),
        part: None,
        zlib,
        start: None,
    });
    let entry = Entry {
        name: Str(encode_1252(name)?),
        flags: 0,
        decoded,
        node,
    };
    let folder = rof
        .folders
        .get_mut(at)
        .ok_or_else(|| Error::say("the archive has no root"))?;
    folder.names = None;
    folder.entries.push(entry);
    rof.pieces
        .push(PieceContent::Data(Blob::Memory(data.into())));
    let row = rof
        .members()
        .iter()
        .position(|member| member.name.replace('\\', "/") == path);
    row.ok_or_else(|| Error::say("the file was not added"))
}

/// Makes an archive of all files of a folder, in its folders. Names are in upper case, as the game
/// looks for them.
pub(super) fn archive(folder: &PlainFolder<'_>) -> Result<Rof> {
    let like: Option<RofManifest> = folder.like()?;
    let known: HashMap<String, &Line> = like
        .iter()
        .flat_map(|like| &like.entries)
        .filter_map(|line| {
            Some((
                line.file.as_ref().or(line.folder.as_ref())?.to_uppercase(),
                line,
            ))
        })
        .collect();
    let paths = folder.paths();
    let below = paths.iter().all(|path| {
        path.split('/')
            .next()
            .is_some_and(|top| top.eq_ignore_ascii_case(ROOT))
    });
    if paths.is_empty() {
        return Err(Error::say("the folder has no files"));
    }
    if !below {
        folder.assume(format!(
            "everything is inside {ROOT}, because the game's paths begin with it"
        ));
    }
    if like.is_none() {
        folder.assume("pictures, films and sounds are stored, all other files are packed");
    }
    check_names(
        "file",
        paths.iter().map(|path| (path.to_uppercase(), *path)),
    )?;
    let mut folders: BTreeSet<String> = BTreeSet::new();
    let mut files = Vec::new();
    for path in &paths {
        let inside = if below {
            (*path).to_owned()
        } else {
            format!("{ROOT}/{path}")
        };
        let name = inside.to_uppercase();
        let end = path
            .rsplit_once('.')
            .map_or("", |(_, end)| end)
            .to_lowercase();
        let zlib = known
            .get(&name)
            .map_or_else(|| !STORED.contains(&end.as_str()), |line| line.zlib);
        for (at, _) in name.match_indices('/') {
            folders.extend(name.get(..at).map(str::to_owned));
        }
        files.push((name, (*path).to_owned(), zlib));
    }
    if paths.iter().any(|path| path.to_uppercase() != *path) {
        folder.assume("names are in upper case, because the game does not find others");
    }
    let line = |path: &str| -> Result<Line> {
        let (inside, name) = path.rsplit_once('/').unwrap_or(("", path));
        let name = Some(Str(encode_1252(name).map_err(|e| e.in_file(path))?));
        Ok(Line {
            inside: Some(inside.to_owned()),
            name,
            ..Line::default()
        })
    };
    // Folders first: the blocks of all folders come before all data.
    let mut lines = Vec::new();
    for path in &folders {
        lines.push(Line {
            folder: Some(path.clone()),
            ..line(path)?
        });
    }
    for (path, file, zlib) in files {
        lines.push(Line {
            file: Some(file),
            zlib,
            ..line(&path)?
        });
    }
    let manifest = RofManifest::new(folder.head(), None, lines, Vec::new());
    RofCodec.assemble(&folder.tree(Folder::new(), manifest)?.reader()?)
}
