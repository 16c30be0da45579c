//! The tree: decompressed files in the folders of the archive, and a manifest with the rest.

use super::{
    Content, Entry, File, FilePart, Folder, Node, PieceContent, Rof,
    layout::{NamePool, ZLIB},
    zlib,
};
use refit_base::{
    Sum, par,
    tree::{Blob, TreeReader, TreeWriter, UniquePaths},
    wire::{Error, Hex, Result, Str, encode_1252},
};
use serde::{Deserialize, Serialize};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet},
};

refit_base::manifest! {
    /// The manifest of a ROF archive. The order of its lines is that of the folders' records, the
    /// folders' blocks and the files' data; lengths and offsets follow.
    pub(crate) struct RofManifest, "rof" {
        /// Present only if the names of the root's entries are not stored one after the other in
        /// order.
        root_names?: NamePool,
        /// The folders and files of the archive.
        entries: Vec<Line>,
        /// Present only if the blocks and data of the archive are not stored in the order of the
        /// lines, or have bytes between them: all of them in the order of the archive.
        layout*: Occupant,
    }
}

refit_base::record! {
    /// A folder or file of the archive: exactly one of `folder` and `file`.
    #[derive(Default)]
    pub struct Line {
        /// The path of a folder, by which other lines name it. Usually the path in the archive,
        /// with `/`.
        folder?: String,
        /// The file in the tree. Usually its path in the archive, with `/`. Two lines may share
        /// one, and then share its data.
        file?: String,
        /// The folder that contains it, if it does not follow from the path.
        #[serde(rename = "in")]
        inside?: String,
        /// The name in the archive, if it does not follow from the path. The game finds only upper
        /// case.
        name?: Str,
        /// The file is packed in the archive.
        zlib!: bool,
        /// The packed bytes of the unedited file.
        kept?: PackedBytes,
        /// The file is marked as packed, but does not unpack: the tree has the stored bytes.
        opaque!: bool,
        /// The unpacked length in the record, if it differs from the file's; for a folder, if it is
        /// not 0.
        decoded?: u32,
        /// The stored length in the record of a folder, if it is not 0.
        stored?: u32,
        /// Offset of an empty file, if it is not the end of the previous file.
        start?: u32,
        /// Present if the stored bytes of the member are only a part of the file in the tree,
        /// because members share bytes.
        part?: FilePart,
        /// Bits of the record without a known meaning.
        flags?: Hex<u32>,
        /// For a folder: present only if the names of its entries are not stored one after the
        /// other in order.
        names?: NamePool,
    }
}

refit_base::record! {
    /// The packed bytes of a file.
    #[schemars(rename = "Kept")]
    pub struct PackedBytes {
        /// The file in the tree with these bytes.
        data: String,
        /// The checksum of the unpacked file that they belong to. An edited file is packed again.
        #[serde(alias = "sha256")]
        sum: Sum,
        /// The unpacked length in the record, if it differs from that of the file.
        decoded?: u32,
    }
}

/// What is stored at a position of the archive.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Place")]
pub enum Occupant {
    /// The block of this folder; the root's is that of the empty path.
    Folder(String),
    /// The stored bytes of this file in the tree. A file that no line names contains bytes between
    /// others.
    File(String),
}

/// A name as one component of a path.
fn safe(name: &Str) -> String {
    UniquePaths::default().assign(&name.text().replace(['/', '\\'], "_"), "")
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// Splits a path into folder and name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Folders deeper than this, or with longer paths, are named by their number, to keep paths short.
const DEEP: usize = 8;
const LONG: usize = 110;

/// A unique path for each folder.
fn folder_ids(rof: &Rof, walk: &[(usize, usize)]) -> Vec<String> {
    let mut ids = vec![String::new(); rof.folders.len()];
    let mut taken: HashSet<String> = HashSet::from([String::new()]);
    for at in walk {
        let Some(Entry {
            name,
            node: Node::Folder { index, .. },
            ..
        }) = rof.entry(*at)
        else {
            continue;
        };
        let mut wish = join(
            ids.get(at.0).map(String::as_str).unwrap_or_default(),
            &safe(name),
        );
        if wish.len() > LONG || wish.matches('/').count() >= DEEP {
            wish = format!("deep/{index}");
        }
        // For names that are equal or differ only in case, append the number of the folder, which
        // is unique.
        if !taken.insert(wish.to_lowercase()) {
            wish = format!("{wish}~{index}");
            while !taken.insert(wish.to_lowercase()) {
                wish.push('_');
            }
        }
        if let Some(slot) = ids.get_mut(*index) {
            *slot = wish;
        }
    }
    ids
}

/// An order of the manifest's lines from which everything else follows: entries of a folder in the
/// order of its records, folders in the order of their blocks, files in that of their data. `None`
/// if these contradict each other. `walk` is the preferred order.
fn order(rof: &Rof, walk: &[(usize, usize)]) -> Option<Vec<usize>> {
    if !rof.is_regular() {
        return None;
    }
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); walk.len()];
    let mut before = vec![0usize; walk.len()];
    let mut folder_line = vec![None; rof.folders.len()];
    let mut first = vec![None; rof.pieces.len()];
    let mut last_sibling: Vec<Option<usize>> = vec![None; rof.folders.len()];
    let mut link = |from: usize, to: usize| {
        if let (Some(list), Some(n)) = (behind.get_mut(from), before.get_mut(to)) {
            list.push(to);
            *n += 1;
        }
    };
    for (line, at) in walk.iter().enumerate() {
        if let Some(last) = last_sibling
            .get_mut(at.0)
            .and_then(|last| last.replace(line))
        {
            link(last, line);
        }
        match &rof.entry(*at)?.node {
            Node::Folder { index, .. } => *folder_line.get_mut(*index)? = Some(line),
            Node::File(file) => match first.get_mut(file.piece)? {
                Some(owner) => link(*owner, line),
                slot => *slot = Some(line),
            },
        }
    }
    let (mut last_block, mut last_data) = (None, None);
    for (piece, owner) in rof.pieces.iter().zip(&first) {
        let (last, line) = match piece {
            PieceContent::Block(folder) => {
                (&mut last_block, folder_line.get(*folder).copied().flatten())
            }
            PieceContent::Data(_) => (&mut last_data, *owner),
        };
        let Some(line) = line else { continue };
        if let Some(last) = last.replace(line) {
            link(last, line);
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> = before
        .iter()
        .enumerate()
        .filter(|(_, n)| **n == 0)
        .map(|(line, _)| Reverse(line))
        .collect();
    let mut out = Vec::with_capacity(walk.len());
    while let Some(Reverse(line)) = ready.pop() {
        out.push(line);
        for next in behind.get(line).into_iter().flatten() {
            if let Some(n) = before.get_mut(*next) {
                *n -= 1;
                if *n == 0 {
                    ready.push(Reverse(*next));
                }
            }
        }
    }
    (out.len() == walk.len()).then_some(out)
}

/// The form of a piece's data in the tree.
#[derive(Clone, Default)]
struct DataForm {
    /// The path of the file.
    path: String,
    /// The path for the compressed bytes, if they are kept.
    packed: String,
    /// True for stored bytes, because several members share them or none uses them.
    raw: bool,
    /// The additional fields in the line of its first owner.
    kept: Option<PackedBytes>,
    opaque: bool,
    decoded: Option<u32>,
}

/// The files of each piece.
fn owners(rof: &Rof, walk: &[(usize, usize)]) -> Vec<Vec<(usize, usize)>> {
    let mut owners: Vec<Vec<(usize, usize)>> = vec![Vec::new(); rof.pieces.len()];
    for at in walk {
        if let Some(Entry {
            node: Node::File(file),
            ..
        }) = rof.entry(*at)
            && let Some(list) = owners.get_mut(file.piece)
        {
            list.push(*at);
        }
    }
    owners
}

/// The form of each piece. Paths are assigned sequentially, so that an archive gives the same ones
/// everywhere.
fn data_forms(
    rof: &Rof,
    walk: &[(usize, usize)],
    ids: &[String],
    owners: &[Vec<(usize, usize)>],
) -> Vec<DataForm> {
    let mut names = UniquePaths::new();
    let mut forms: Vec<DataForm> = vec![DataForm::default(); rof.pieces.len()];
    for at in walk {
        let Some(Entry {
            name,
            node: Node::File(file),
            decoded,
            ..
        }) = rof.entry(*at)
        else {
            continue;
        };
        let (Some(form), Some(owners)) = (forms.get_mut(file.piece), owners.get(file.piece)) else {
            continue;
        };
        if !form.path.is_empty() {
            continue;
        }
        form.raw = owners.iter().any(|owner| match rof.entry(*owner) {
            Some(Entry {
                node: Node::File(other),
                decoded: d,
                ..
            }) => other.part.is_some() || other.zlib != file.zlib || d != decoded,
            _ => true,
        });
        let folder = ids.get(at.0).map(String::as_str).unwrap_or_default();
        let wish = if form.raw {
            "shared.bin".to_owned()
        } else {
            join(folder, &safe(name))
        };
        form.path = names.assign(&wish, "");
    }
    for (piece, form) in rof.pieces.iter().zip(&mut forms) {
        if form.path.is_empty() && matches!(piece, PieceContent::Data(_)) {
            (form.path, form.raw) = (names.assign("gap.bin", ""), true);
        }
        if !form.raw && !form.path.is_empty() {
            form.packed = names.assign(&format!("packed/{}", form.path), ".zlib");
        }
    }
    forms
}

/// Writes the tree of an archive.
pub(super) fn unpack(rof: &Rof, tree: &TreeWriter<'_>) -> Result<()> {
    let walk = rof.walk();
    let ids = folder_ids(rof, &walk);
    let id = |folder: usize| ids.get(folder).map(String::as_str).unwrap_or_default();
    let order = order(rof, &walk);

    let owners = owners(rof, &walk);
    let mut forms = data_forms(rof, &walk, &ids, &owners);
    let work: Vec<_> = forms.iter_mut().zip(&rof.pieces).zip(&owners).collect();
    par::try_map_owned(work, |_, ((form, piece), owners)| {
        let PieceContent::Data(stored) = piece else {
            return Ok(());
        };
        let owner = owners.first().and_then(|owner| rof.entry(*owner));
        match owner {
            Some(entry) if !form.raw => {
                let Node::File(file) = &entry.node else {
                    return Ok(());
                };
                unpack_file(rof, tree, form, stored, entry, file)
                    .map_err(|e| e.within(entry.name.text()))
            }
            _ => tree.blob(&form.path, stored),
        }
    })?;

    let mut seen_pieces = HashSet::new();
    let line = |at: &(usize, usize)| {
        let entry = rof.entry(*at)?;
        let mut line = Line {
            flags: (entry.flags != 0).then_some(Hex(entry.flags)),
            ..Line::default()
        };
        let path = match &entry.node {
            Node::Folder { index, stored } => {
                line.decoded = (entry.decoded != 0).then_some(entry.decoded);
                line.stored = (*stored != 0).then_some(*stored);
                line.names = rof
                    .folders
                    .get(*index)
                    .and_then(|folder| folder.names.clone());
                line.folder = Some(id(*index).to_owned());
                id(*index)
            }
            Node::File(file) => {
                let form = forms.get(file.piece)?;
                (line.zlib, line.opaque, line.start) = (file.zlib, form.opaque, file.start);
                line.decoded = form.decoded;
                if seen_pieces.insert(file.piece) {
                    line.kept = form.kept.clone();
                }
                if form.raw {
                    let len = rof.data(file.piece).map_or(0, Blob::len);
                    line.part = Some(file.part.unwrap_or(FilePart {
                        offset: 0,
                        length: u32::try_from(len).ok()?,
                    }));
                    line.decoded = (line.part.map(|part| part.length) != Some(entry.decoded))
                        .then_some(entry.decoded);
                }
                line.file = Some(form.path.clone());
                form.path.as_str()
            }
        };
        let (folder, name) = split(path);
        line.inside = (folder != id(at.0)).then(|| id(at.0).to_owned());
        line.name =
            (name != entry.name.text() || entry.name.is_empty()).then(|| entry.name.clone());
        Some(line)
    };
    let (lines, places) = match order {
        Some(order) => (
            order
                .iter()
                .filter_map(|i| walk.get(*i))
                .filter_map(line)
                .collect(),
            Vec::new(),
        ),
        None => {
            let place = |(piece, form): (&PieceContent, &DataForm)| match piece {
                PieceContent::Block(folder) => Occupant::Folder(id(*folder).to_owned()),
                PieceContent::Data(_) => Occupant::File(form.path.clone()),
            };
            (
                walk.iter().filter_map(line).collect(),
                rof.pieces.iter().zip(&forms).map(place).collect(),
            )
        }
    };
    let root_names = rof.folders.first().and_then(|root| root.names.clone());
    tree.manifest(RofManifest::new(
        tree.head.clone(),
        root_names,
        lines,
        places,
    ))
}

/// Writes one file, decompressed if possible.
fn unpack_file(
    rof: &Rof,
    tree: &TreeWriter<'_>,
    form: &mut DataForm,
    stored: &Blob,
    entry: &Entry,
    file: &File,
) -> Result<()> {
    let other = |len: u64| (u64::from(entry.decoded) != len).then_some(entry.decoded);
    match rof.content(entry, file)? {
        Content::Packed(stream) => {
            let content = bytes::Bytes::from(stream.content);
            // The round-trip check decompresses it again, so that large archives are not in memory
            // decompressed.
            let made = Blob::made(stored.clone(), content.len() as u64, zlib::again);
            tree.part_file(&form.path, &(&content).into(), made)?;
            tree.blob(&form.packed, stored)?;
            let data = std::mem::take(&mut form.packed);
            form.kept = Some(PackedBytes {
                data,
                sum: Sum::of(&content),
                decoded: other(content.len() as u64),
            });
        }
        content => {
            form.opaque = matches!(content, Content::Opaque(_));
            form.decoded = other(stored.len());
            tree.blob(&form.path, stored)?;
        }
    }
    Ok(())
}

/// A piece read from a tree.
struct LoadedPiece {
    data: Blob,
    /// The default for the unpacked length in its records.
    decoded: u32,
}

fn length(len: u64, path: &str) -> Result<u32> {
    u32::try_from(len)
        .map_err(|_| Error::say("a file in an archive has at most 4 GiB").in_file(path))
}

/// Reads the data of a file; `line` is the first one that names it.
fn load(tree: &TreeReader<'_>, path: &str, line: Option<&Line>) -> Result<LoadedPiece> {
    let data = tree.blob(path)?;
    let decoded = length(data.len(), path)?;
    let Some(line) = line.filter(|line| line.zlib && !line.opaque && line.part.is_none()) else {
        return Ok(LoadedPiece { data, decoded });
    };
    let content = data.bytes()?;
    if let Some(kept) = &line.kept
        && kept.sum.fits(&content)
    {
        return Ok(LoadedPiece {
            data: tree.blob(&kept.data)?,
            decoded: kept.decoded.unwrap_or(decoded),
        });
    }
    Ok(LoadedPiece {
        data: Blob::Memory(zlib::deflate(&content).into()),
        decoded,
    })
}

/// An error in the manifest.
fn wrong(line: &Line, why: impl Into<String>) -> Error {
    let path = line
        .folder
        .as_ref()
        .or(line.file.as_ref())
        .cloned()
        .unwrap_or_default();
    Error::say(why)
        .within(path)
        .within("entries")
        .in_file("refit")
}

/// Checks the fields of each line. Returns the folders by the paths in the lines.
fn check_lines(doc: &RofManifest) -> Result<HashMap<&str, usize>> {
    let mut folders: HashMap<&str, usize> = HashMap::from([("", 0)]);
    for line in &doc.entries {
        let (is_folder, is_file) = (line.folder.is_some(), line.file.is_some());
        let packing = line.zlib || line.opaque || line.kept.is_some();
        let checks = [
            (is_folder == is_file, "a line has either `folder` or `file`"),
            (
                is_folder && (packing || line.part.is_some() || line.start.is_some()),
                "`zlib`, `kept`, `opaque`, `part` and `start` belong to files",
            ),
            (
                is_file && (line.stored.is_some() || line.names.is_some()),
                "`stored` and `names` belong to folders",
            ),
            (
                packing && is_file && !line.zlib,
                "`opaque` and `kept` are only valid with `zlib`",
            ),
        ];
        if let Some((_, why)) = checks.iter().find(|(wrong, _)| *wrong) {
            return Err(wrong(line, *why));
        }
        let index = folders.len();
        if line
            .folder
            .as_ref()
            .is_some_and(|folder| folders.insert(folder, index).is_some())
        {
            return Err(wrong(line, "the folder is listed twice"));
        }
    }
    Ok(folders)
}

/// Assigns to each file the first line that names it, which determines how it is read. Returns the
/// pieces by file.
fn first_lines<'a>(
    doc: &'a RofManifest,
    order: &mut [Ordered<'a>],
) -> Result<HashMap<&'a str, usize>> {
    let mut index: HashMap<&str, usize> = HashMap::new();
    for (i, place) in order.iter().enumerate() {
        if let Ordered::File(path, _) = place {
            index.insert(path, i);
        }
    }
    for line in &doc.entries {
        let piece = line
            .file
            .as_deref()
            .and_then(|file| index.get(file))
            .and_then(|i| order.get_mut(*i));
        let Some(Ordered::File(_, first)) = piece else {
            continue;
        };
        let first = first.get_or_insert(line);
        let form = |line: &Line| (line.zlib, line.opaque, line.part.is_none());
        if form(first) != form(line) && (first.part.is_none() || line.part.is_none()) {
            return Err(
                wrong(line, "two lines with this file contradict each other")
                    .hint("make a copy of the file for one of them"),
            );
        }
    }
    Ok(index)
}

/// Reads the tree of an archive.
pub(super) fn assemble(tree: &TreeReader<'_>) -> Result<Rof> {
    let doc: RofManifest = tree.manifest()?;
    let folders = check_lines(&doc)?;
    let mut order = pieces(&doc, &folders)?;
    let index = first_lines(&doc, &mut order)?;
    let loaded: Vec<Option<LoadedPiece>> = par::try_map(&order, |_, place| match place {
        Ordered::Folder(_) => Ok(None),
        Ordered::File(path, line) => load(tree, path, *line).map(Some),
    })?;

    let mut rof = Rof {
        folders: vec![Folder::default(); folders.len()],
        pieces: Vec::with_capacity(order.len()),
    };
    for line in &doc.entries {
        let path = line
            .folder
            .as_deref()
            .or(line.file.as_deref())
            .unwrap_or_default();
        let (folder, name) = split(path);
        let inside = line.inside.as_deref().unwrap_or(folder);
        let Some(&parent) = folders.get(inside) else {
            return Err(
                wrong(line, format!("there is no folder {inside:?}")).hint(format!(
                    "add {{ \"folder\": {inside:?} }} to the entries, before this line"
                )),
            );
        };
        let name = match &line.name {
            Some(name) => name.clone(),
            None => Str(encode_1252(name).map_err(|e| wrong(line, e.to_string()))?),
        };
        let flags = line.flags.map_or(0, |f| f.0);
        let (node, decoded) = match line.folder.as_deref() {
            Some(folder) => {
                let index = folders.get(folder).copied().unwrap_or_default();
                if let (Some(slot), Some(names)) = (rof.folders.get_mut(index), &line.names) {
                    slot.names = Some(names.clone());
                }
                (
                    Node::Folder {
                        index,
                        stored: line.stored.unwrap_or(0),
                    },
                    line.decoded.unwrap_or(0),
                )
            }
            None => {
                let piece = index.get(path).copied().unwrap_or_default();
                let Some(data) = loaded.get(piece).and_then(Option::as_ref) else {
                    return Err(wrong(line, "the file is not read"));
                };
                if let Some(part) = line.part {
                    part.check(Some(&data.data))
                        .map_err(|e| wrong(line, e.to_string()))?;
                }
                let decoded = line
                    .decoded
                    .unwrap_or(line.part.map_or(data.decoded, |part| part.length));
                let part = line
                    .part
                    .filter(|part| u64::from(part.length) != data.data.len());
                (
                    Node::File(File {
                        piece,
                        part,
                        zlib: line.zlib,
                        start: line.start,
                    }),
                    decoded,
                )
            }
        };
        let kind = if line.folder.is_some() { 1 } else { 1 | ZLIB };
        if flags & kind != 0 {
            return Err(wrong(
                line,
                format!("the flags {kind:#x} follow from what the line is"),
            ));
        }
        if let Some(folder) = rof.folders.get_mut(parent) {
            folder.entries.push(Entry {
                name,
                flags,
                decoded,
                node,
            });
        }
    }
    if let (Some(root), Some(names)) = (rof.folders.first_mut(), &doc.root_names) {
        root.names = Some(names.clone());
    }
    check_names(&rof, &doc)?;
    if rof.walk().len() < doc.entries.len() {
        return Err(
            Error::say("folders contain themselves, and cannot be reached from the root")
                .within("entries")
                .in_file("refit")
                .hint("check `in` of the folders"),
        );
    }
    rof.pieces = order
        .iter()
        .zip(loaded)
        .map(|(place, loaded)| match place {
            Ordered::Folder(folder) => PieceContent::Block(*folder),
            Ordered::File(..) => PieceContent::Data(loaded.map(|l| l.data).unwrap_or_default()),
        })
        .collect();
    let first = rof.pieces.first();
    let begins = match first {
        Some(PieceContent::Block(folder)) => *folder == 0,
        Some(PieceContent::Data(data)) => data.is_empty(),
        None => false,
    };
    if !doc.layout.is_empty() && !begins {
        let why = "the block of the root is at the beginning of an archive";
        return Err(Error::say(why).within("layout").in_file("refit"));
    }
    Ok(rof)
}

/// A piece of the archive to write.
enum Ordered<'a> {
    Folder(usize),
    /// A file, and the first line that names it.
    File(&'a str, Option<&'a Line>),
}

/// The pieces in the order of the archive.
fn pieces<'a>(doc: &'a RofManifest, folders: &HashMap<&'a str, usize>) -> Result<Vec<Ordered<'a>>> {
    let mut out = Vec::new();
    let (mut blocks, mut files) = (HashSet::new(), HashSet::new());
    for place in &doc.layout {
        let e = |why: String| Error::say(why).within("layout").in_file("refit");
        match place {
            Occupant::Folder(path) => {
                let Some(&folder) = folders.get(path.as_str()) else {
                    return Err(e(format!("there is no folder {path:?}")));
                };
                if !blocks.insert(folder) {
                    return Err(e(format!("folder {path:?} is listed twice")));
                }
                out.push(Ordered::Folder(folder));
            }
            Occupant::File(path) => {
                if !files.insert(path.as_str()) {
                    return Err(e(format!("{path:?} is listed twice")));
                }
                out.push(Ordered::File(path, None));
            }
        }
    }
    // Data that the layout does not list, such as that of added files, comes last: folders in their
    // order, then files.
    if blocks.insert(0) {
        out.push(Ordered::Folder(0));
    }
    for line in &doc.entries {
        if let Some(&folder) = line.folder.as_deref().and_then(|path| folders.get(path))
            && blocks.insert(folder)
        {
            out.push(Ordered::Folder(folder));
        }
    }
    for line in &doc.entries {
        if let Some(path) = line.file.as_deref()
            && files.insert(path)
        {
            out.push(Ordered::File(path, None));
        }
    }
    Ok(out)
}

/// Returns an error if names kept as bytes differ from those of the entries.
fn check_names(rof: &Rof, doc: &RofManifest) -> Result<()> {
    let mut paths: Vec<&str> = vec!["the root"];
    paths.extend(doc.entries.iter().filter_map(|line| line.folder.as_deref()));
    for (folder, path) in rof.folders.iter().zip(paths) {
        let Some(names) = &folder.names else { continue };
        let fits = |(entry, place): (&Entry, &[u32; 2])| names.name(*place) == Some(&entry.name.0);
        if names.places.len() != folder.entries.len()
            || !folder.entries.iter().zip(&names.places).all(fits)
        {
            return Err(Error::say("the kept names are not those of the entries")
                .within(path)
                .in_file("refit")
                .hint("delete `names` there (`root_names` for the root) to write them in the order of the entries"));
        }
    }
    Ok(())
}
