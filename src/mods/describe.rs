//! Describes the changes of a mod, one per line.

use super::{
    format::{FileChanges, Item, Mod, NewPart, Origin, PartEntry, Pieces},
    merge::{spelled, spelled_item},
};
use crate::{
    diff::delta::Piece,
    wire::{count, shorten, size},
};

/// Most bytes of a path into a document that are shown.
const LONGEST: usize = 200;

/// The place of a conflict or a change: `zbd/anim.zbd: defs/door.json: sequences[OPEN]`.
pub fn place(file: &str, part: &str, at: &str) -> String {
    [file, part, at].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

/// The number of changes of a part.
pub(super) fn weight(part: &PartEntry) -> usize {
    let changes: usize = part.changes.iter().map(|change| change.place.len().max(1)).sum();
    let whole = part.new.is_some() || part.gone.is_some() || part.pieces.is_some() || part.renamed.is_some();
    changes.max(usize::from(whole))
}

/// `zbd/m1/gamez.zbd: models/0001-tower.json`
fn origin_of(origin: &Origin) -> String {
    place(&origin.file, origin.part.as_deref().unwrap_or_default(), "")
}

/// `with parts of zbd/m1/gamez.zbd, zbd/m3/gamez.zbd`
fn parts_of(pieces: &Pieces) -> String {
    let names: Vec<String> = pieces.from.iter().map(origin_of).collect();
    format!("with parts of {}", names.join(", "))
}

/// A line for each change of a part.
fn part_lines(part: &PartEntry) -> Vec<String> {
    let mut out = Vec::new();
    let name = &part.part;
    let line = |text: String| if name.is_empty() { text } else { format!("{name}: {text}") };
    match &part.new {
        Some(NewPart::Document(value)) => out.push(line(format!("new: {}", shorten(&value.compact(), 160)))),
        Some(NewPart::Made(made)) => out.push(line(format!("new: {}", shorten(&made.described(), 160)))),
        Some(NewPart::File(file)) => out.push(line(format!("new: {file}"))),
        Some(NewPart::Pieces(pieces)) if pieces.from.is_empty() => {
            out.push(line("new, reuses parts of the original".into()))
        }
        Some(NewPart::Pieces(pieces)) => out.push(line(format!("new, {}", parts_of(pieces)))),
        Some(NewPart::Like(like)) => out.push(line(format!("new, a copy of {like}"))),
        Some(NewPart::From(origin)) if part.changes.is_empty() => {
            out.push(line(format!("new: a copy of {}", origin_of(origin))))
        }
        Some(NewPart::From(origin)) => {
            out.push(line(format!("new, from {} with {}", origin_of(origin), count(part.changes.len(), "change"))));
        }
        None => {}
    }
    if part.gone.is_some() {
        out.push(line("removed".into()));
    }
    if let Some(to) = &part.renamed {
        out.push(line(format!("renamed {to}")));
    }
    if let Some(pieces) = &part.pieces {
        let new: u64 = pieces.pieces.iter().map(|piece| if let Piece::New(many) = piece { *many } else { 0 }).sum();
        let from = if pieces.from.is_empty() { String::new() } else { format!("{}; ", parts_of(pieces)) };
        out.push(line(format!("{from}{} of it are new", count(usize::try_from(new).unwrap_or(usize::MAX), "byte"))));
    }
    for change in &part.changes {
        let at = shorten(&spelled(&change.at), LONGEST).into_owned();
        let text = match (&change.to, &change.made) {
            _ if change.gone => "removed".to_owned(),
            (Some(value), _) if change.was.is_none() => format!("added {}", shorten(&value.compact(), 160)),
            (Some(value), _) => format!("→ {}", shorten(&value.compact(), 160)),
            (None, Some(made)) => format!("→ {}", shorten(&made.described(), 160)),
            (None, None) if !change.text.is_empty() => {
                let pieces: Vec<String> = change
                    .text
                    .iter()
                    .map(|piece| match piece {
                        Piece::Old(..) => "…".to_owned(),
                        Piece::New(text) => text.clone(),
                    })
                    .collect();
                format!("→ {:?}", shorten(&pieces.concat(), 160))
            }
            (None, None) => {
                let behind = change
                    .after
                    .as_ref()
                    .map_or("at the beginning".to_owned(), |after| format!("behind {}", spelled_item(after)));
                let items: Vec<String> = change
                    .place
                    .iter()
                    .map(|item| match item {
                        Item::New(value) => shorten(&value.compact(), 160).into_owned(),
                        Item::Made(made) => shorten(&made.described(), 160).into_owned(),
                        Item::Move(item) => format!("{} from its place", spelled_item(item)),
                        Item::Copy { of, changes, .. } => {
                            format!("a copy of {} with {}", spelled_item(of), count(changes.len(), "change"))
                        }
                    })
                    .collect();
                format!("{behind}: {}", items.join(", "))
            }
        };
        out.push(line(if at.is_empty() { text } else { format!("{at} {text}") }));
    }
    out
}

/// A line for each change of a mod, by file.
pub(crate) fn lines_of(a_mod: &Mod) -> Vec<(String, Vec<String>)> {
    let files = a_mod.manifest.files.iter().zip(&a_mod.changes);
    files
        .map(|(entry, changes)| {
            let of_all = |changes: &FileChanges| changes.parts.iter().map(weight).sum::<usize>();
            let lines = match (changes, &entry.base) {
                (None, Some(base)) => vec![format!("new: a copy of {}", base.path)],
                (Some(changes), Some(base)) => {
                    let head = format!("new, from {} with {}", base.path, count(of_all(changes), "change"));
                    std::iter::once(head).chain(changes.parts.iter().flat_map(part_lines)).collect()
                }
                (Some(changes), None) => changes.parts.iter().flat_map(part_lines).collect(),
                (None, None) => vec![match (&entry.pieces, &entry.new, &entry.result) {
                    (Some(pieces), ..) => format!("new, {}", parts_of(pieces)),
                    (None, Some(_), Some(state)) => format!("new ({}, sha256 {})", size(state.bytes), state.sha256),
                    (None, Some(_), None) => "new".to_owned(),
                    (None, None, _) => "deleted".to_owned(),
                }],
            };
            (entry.path.clone(), lines)
        })
        .collect()
}

impl Mod {
    /// The number of its changes.
    pub fn weight(&self) -> usize {
        self.changes.iter().flatten().flat_map(|changes| &changes.parts).map(weight).sum()
    }
}
