//! The changes that make one file of another, and the proof that they do.

use super::{
    apply::{Patch, Patched, base_of, makes, patch},
    changes::{changes, entry},
    conflict::Prefer,
    content::{cut, sum},
    format::{FileChanges, NewPart, PartEntry, Pieces, StoredChange, StoredStep},
};
use bytes::Bytes;
use refit_base::{
    format::Format,
    tree::{Blob, foreign_path},
    wire::{Error, Result},
};
use refit_diff::{self as diff, Part, PartKind, Tree, Value, delta, pairs};
use refit_files::pipeline::Hints;
use std::collections::BTreeMap;

/// Describes `new` as pieces of `old` and new bytes.
fn pieces(old: &[u8], new: &[u8], file: &str, files: &mut BTreeMap<String, Bytes>) -> Pieces {
    cut(sum(old), delta::ranges(old, new), new, file, files)
}

/// Describes a part as pieces of its old bytes. Includes pieces of the whole file if that saves new
/// bytes, since content copied from another part is not the author's. Pieces of the part alone also
/// fit other editions of the file.
fn pieces_of_all(
    old: &[u8],
    whole: &[u8],
    new: &[u8],
    file: &str,
    files: &mut BTreeMap<String, Bytes>,
) -> Pieces {
    /// A shorter match may be a coincidence.
    const TELLING: u64 = 8;
    let mut own = BTreeMap::new();
    let part = pieces(old, new, file, &mut own);
    let mut own_of_all = BTreeMap::new();
    let mut all = pieces(&[old, whole].concat(), new, file, &mut own_of_all);
    let fresh = |pieces: &Pieces| -> u64 {
        pieces
            .pieces
            .iter()
            .map(|piece| {
                if let delta::Piece::New(many) = piece {
                    *many
                } else {
                    0
                }
            })
            .sum()
    };
    if fresh(&part) < fresh(&all).saturating_add(TELLING) {
        files.append(&mut own);
        return part;
    }
    files.append(&mut own_of_all);
    (all.was, all.whole) = (part.was, Some(sum(whole)));
    all
}

/// The part that a new part was copied from, and the changes.
fn model_of(tree: &Tree, part: &Part) -> Result<Option<(String, Vec<StoredChange>)>> {
    for (path, old) in tree
        .parts
        .iter()
        .filter(|(_, old)| old.kind == part.kind && old.files.len() == 1)
    {
        if !part.is_empty() && old.is(part)? {
            return Ok(Some((path.clone(), Vec::new())));
        }
    }
    let (PartKind::Document(_), Some(new)) = (part.kind, part.value()?) else {
        return Ok(None);
    };
    let mut best: Option<(u32, String, Value)> = None;
    for (path, old) in tree
        .parts
        .iter()
        .filter(|(_, old)| old.kind == part.kind && old.files.len() == 1 && !old.is_manifest())
        .take(diff::CANDIDATES)
    {
        let Some(old) = old.value()? else { continue };
        let alike = pairs::likeness(&old, &new);
        if alike >= 55 && best.as_ref().is_none_or(|(most, ..)| alike > *most) {
            best = Some((alike, path.clone(), old));
        }
    }
    Ok(best.map(|(_, path, old)| (path, diff::compare(&old, &new).iter().map(entry).collect())))
}

/// True for a part that refit derives from other content, such as packed bytes whose unpacked file
/// is in the tree: the mod omits it. Removes changes of such fields from `entry`.
fn follows(format: Option<Format>, entry: &mut PartEntry) -> bool {
    let key = |change: &StoredChange, at: usize, name: &str| {
        matches!(change.at.get(at),
        Some(StoredStep::Key(key)) if key == name)
    };
    match format {
        // The library without its messages.
        Some(Format::Messages) if entry.part == "base.dll" => return true,
        Some(Format::Messages) if entry.part == "refit.json" => {
            entry.changes.retain(|change| !key(change, 0, "base"))
        }
        // Packed bytes whose unpacked file is in the tree: refit packs an edited member again.
        // So is a texture whose picture is in the tree.
        Some(Format::Rof | Format::Pbo)
            if entry.part.starts_with("packed/") || entry.part.starts_with("textures/") =>
        {
            return entry.new.is_none() && entry.renamed.is_none();
        }
        Some(Format::Rof | Format::Pbo) if entry.part == "refit.json" => {
            let is_derived =
                |change: &StoredChange| key(change, 2, "kept") || key(change, 2, "texture");
            entry
                .changes
                .retain(|change| !(key(change, 0, "entries") && is_derived(change)));
        }
        _ => return false,
    }
    entry.changes.is_empty()
        && entry.new.is_none()
        && entry.gone.is_none()
        && entry.renamed.is_none()
        && entry.pieces.is_none()
}

/// The error for a file that differs nearly everywhere: its changes would take a hundred times as
/// much memory as it has bytes.
fn another_file(most: usize) -> Error {
    Error::say(format!(
        "the edited file differs in more than {most} places: it is another file, not an edit of this one"
    ))
    .hint("a mod consists of edits: leave the file out with --exclude, or start again from the original")
}

/// The changes by part and field, at most `most` of them. `folder` is the folder in the mod for the author's plain files.
fn fine(
    a: &Tree,
    b: &Tree,
    folder: &str,
    most: usize,
    files: &mut BTreeMap<String, Bytes>,
) -> Result<Vec<PartEntry>> {
    let (mut out, mut left) = (Vec::new(), most);
    let mut count = |weight: usize| match left.checked_sub(weight) {
        Some(rest) => {
            left = rest;
            Ok(())
        }
        None => Err(another_file(most)),
    };
    let renamed = diff::renamed(&a.parts, &b.parts)?;
    for (path, old) in &a.parts {
        let to = renamed.get(path);
        let Some(new) = b.parts.get(to.unwrap_or(path)) else {
            out.push(PartEntry {
                part: path.clone(),
                gone: Some(sum(&old.bytes()?)),
                ..PartEntry::default()
            });
            continue;
        };
        let mut entry = PartEntry {
            part: path.clone(),
            renamed: to.cloned(),
            ..PartEntry::default()
        };
        if !old.is(new)? {
            let values = match (old.kind, new.kind) {
                (PartKind::Bytes, _) | (_, PartKind::Bytes) => None,
                (a, b) if a != b => None,
                _ => old.value()?.zip(new.value()?),
            };
            match values {
                Some((old, new)) => {
                    entry.changes = changes(&old, &new);
                    count(entry.changes.iter().map(StoredChange::weight).sum())?;
                }
                None => {
                    let (whole, file) = (a.file.bytes()?, inside(folder, path));
                    entry.pieces = Some(pieces_of_all(
                        &old.bytes()?,
                        &whole,
                        &new.bytes()?,
                        &file,
                        files,
                    ));
                }
            }
        }
        if entry.renamed.is_some() || !entry.changes.is_empty() || entry.pieces.is_some() {
            out.push(entry);
        }
    }
    let news: Vec<&String> = renamed.values().collect();
    for (path, part) in b
        .parts
        .iter()
        .filter(|(path, _)| !a.parts.contains_key(*path) && !news.contains(path))
    {
        let mut entry = PartEntry {
            part: path.clone(),
            ..PartEntry::default()
        };
        entry.new = Some(match (model_of(a, part)?, part.kind, part.value()?) {
            (Some((like, changes)), ..) => {
                entry.changes = changes;
                NewPart::Like(like)
            }
            (None, PartKind::Document(_), Some(value)) => NewPart::Document(value),
            _ => {
                let (file, bytes) = (inside(folder, path), part.bytes()?);
                let mut own = BTreeMap::new();
                let pieces = pieces(&a.file.bytes()?, &bytes, &file, &mut own);
                let old: u64 = pieces
                    .pieces
                    .iter()
                    .map(|piece| {
                        if let delta::Piece::Old(_, many) = piece {
                            *many
                        } else {
                            0
                        }
                    })
                    .sum();
                // If less than a quarter comes from the game's file, that is a common header rather
                // than an edit: keep the new file whole.
                if old * 4 >= bytes.len() as u64 && old > 0 {
                    files.append(&mut own);
                    NewPart::Pieces(pieces)
                } else {
                    files.insert(file.clone(), bytes);
                    NewPart::File(file)
                }
            }
        });
        out.push(entry);
    }
    Ok(out)
}

fn inside(folder: &str, part: &str) -> String {
    if part.is_empty() {
        format!("{folder}.new")
    } else {
        format!("{folder}/{}", foreign_path(part))
    }
}

/// The file that a mod alone makes of `a`, or `None` if a change does not fit.
pub(crate) fn replay(
    a: &Blob,
    path: &str,
    hints: Hints,
    changes: &FileChanges,
    files: &BTreeMap<String, Bytes>,
) -> Result<Option<Bytes>> {
    let patches = [alone(changes, files)];
    let patched = patch(&base_of(a, path, hints, &patches)?, &patches)?;
    let fits = patched.unplaced.is_empty() && patched.conflicts.is_empty();
    Ok(fits.then_some(patched.bytes))
}

/// The patch of the only mod.
fn alone<'a>(changes: &'a FileChanges, files: &'a BTreeMap<String, Bytes>) -> Patch<'a> {
    Patch {
        by: 0,
        changes,
        files,
        prefer: Prefer::None,
    }
}

/// True if the changes alone make exactly `b` of `a`.
fn is_exact(a: &Tree, b: &Blob, changes: &FileChanges, files: &BTreeMap<String, Bytes>) -> bool {
    makes(a, alone(changes, files), b).unwrap_or_default()
}

/// The changes that turn one file into another, by field if that is exact, otherwise by bytes.
pub(super) fn proved(
    a: &Tree,
    b: &Tree,
    folder: &str,
) -> Result<(FileChanges, BTreeMap<String, Bytes>)> {
    proved_within(a, b, folder, usize::MAX)
}

/// [`proved`], at most `most` changes.
pub(super) fn proved_within(
    a: &Tree,
    b: &Tree,
    folder: &str,
    most: usize,
) -> Result<(FileChanges, BTreeMap<String, Bytes>)> {
    let exact = |changes: &FileChanges, files: &BTreeMap<String, Bytes>| {
        is_exact(a, &b.file, changes, files)
    };
    if a.format == b.format {
        let mut files = BTreeMap::new();
        let all = FileChanges {
            parts: fine(a, b, folder, most, &mut files)?,
        };
        let mut less = all.clone();
        less.parts.retain_mut(|part| !follows(a.format, part));
        if less != all && exact(&less, &files) {
            let used: Vec<String> = less
                .parts
                .iter()
                .filter_map(|part| part.file().cloned())
                .collect();
            files.retain(|path, _| used.contains(path));
            return Ok((less, files));
        }
        if exact(&all, &files) {
            return Ok((all, files));
        }
    }
    // The fields do not reproduce the new file exactly (bytes outside all fields, or an edit with
    // side effects): store pieces of bytes.
    let mut files = BTreeMap::new();
    let pieces = pieces(
        &a.file.bytes()?,
        &b.file.bytes()?,
        &format!("{folder}.new"),
        &mut files,
    );
    let whole = FileChanges {
        parts: vec![PartEntry {
            pieces: Some(pieces),
            ..PartEntry::default()
        }],
    };
    if exact(&whole, &files) {
        return Ok((whole, files));
    }
    let made = patch(a, &[alone(&whole, &files)]);
    let why = made.map_or_else(
        |e| Some(e.to_string()),
        |made| made.unplaced.into_iter().next().map(|missed| missed.why),
    );
    Err(not_made(
        why.as_deref()
            .unwrap_or("the changes do not make the edited file"),
    ))
}

/// The error for a mod that does not reproduce the author's file.
pub(super) fn not_made(why: &str) -> Error {
    if why.contains(delta::Room::NONE_LEFT) {
        let most = delta::Room::TIMES;
        return Error::say(format!(
            "this repeats the game's bytes so often that a mod cannot hold it (at most {most} times are allowed)"
        ))
        .hint("leave the file out with --exclude");
    }
    Error::say(format!("internal error: {why}")).hint("this is a bug in refit, please report it")
}

/// Merges two edits of a file, as if each were a mod.
pub fn of_both(original: &Tree, a: &Tree, b: &Tree) -> Result<Patched> {
    let [of_a, of_b] = [(a, "a"), (b, "b")].map(|(side, name)| proved(original, side, name));
    let (of_a, of_b) = (of_a?, of_b?);
    let patches: Vec<Patch<'_>> = [&of_a, &of_b]
        .into_iter()
        .enumerate()
        .map(|(by, (changes, files))| Patch {
            by,
            changes,
            files,
            prefer: Prefer::None,
        })
        .collect();
    patch(original, &patches)
}
