//! Describes the changes of a mod, one per line.

use super::{
    conflict::{Conflict, Prefer, Unplaced},
    format::{FileChanges, Item, Mod, NewPart, Origin, PartEntry, Pieces},
    merge::{spelled, spelled_item},
};
use bytes::Bytes;
use refit_base::wire::{Result, count, place, shorten, size};
use refit_diff::{self as diff, delta::Piece, readable};
use serde_json::{Value, json};

/// Most bytes of a path into a document that are shown.
const LONGEST: usize = 200;
/// Most bytes of a new text that are shown.
const TEXT: usize = 600;

/// A new text whole, as JSON; of a very long one the beginning, and how much follows.
fn shown_text(text: &str) -> String {
    let end = (0..=TEXT.min(text.len()))
        .rfind(|at| text.is_char_boundary(*at))
        .unwrap_or_default();
    let (head, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let head = Value::from(head).to_string();
    match rest.chars().count() {
        0 => head,
        more => format!("{head} and {} more", count(more, "character")),
    }
}

/// A new value: a text whole, others shortened.
fn shown_value(value: &diff::Value) -> String {
    match value.text() {
        Some(text) => shown_text(text),
        None => shorten(&value.compact(), 160).into_owned(),
    }
}

impl Conflict {
    /// The conflict in a sentence, with the names of the mods.
    pub fn text(&self, names: &[String], file: &str) -> String {
        let name = |by: usize| names.get(by).map_or("?", String::as_str);
        let who = match self.decided {
            Prefer::None => "conflict",
            Prefer::First => "the first wins",
            Prefer::Last => "the last wins",
        };
        let at = readable(&self.part, &self.at);
        let at = place([file, &self.part, &shorten(&at, LONGEST)]);
        let [first, second] = [&self.wants.0, &self.wants.1].map(|wants| shorten(wants, 120));
        format!(
            "{at}: {who}: {} has {first}, {} has {second}",
            name(self.mods.0),
            name(self.mods.1)
        )
    }

    /// The conflict as a row, with the names of the mods.
    pub fn row(&self, names: &[String]) -> Value {
        let name = |by: usize| names.get(by).map_or("", String::as_str);
        let mods = [name(self.mods.0), name(self.mods.1)];
        json!({ "part": self.part, "at": self.at, "mods": mods, "wants": [self.wants.0, self.wants.1] })
    }
}

impl Unplaced {
    /// The change in a sentence, with the name of its mod.
    pub fn text(&self, names: &[String], file: &str) -> String {
        let name = names.get(self.by).map_or("?", String::as_str);
        let at = readable(&self.part, &self.at);
        let at = place([file, &self.part, &shorten(&at, LONGEST)]);
        format!(
            "{at}: not applied: {} ({name})",
            shorten(&self.why, LONGEST)
        )
    }
}

/// The number of changes of a part.
pub(super) fn weight(part: &PartEntry) -> usize {
    let changes: usize = part
        .changes
        .iter()
        .map(|change| change.place.len().max(1))
        .sum();
    let whole = part.new.is_some()
        || part.gone.is_some()
        || part.pieces.is_some()
        || part.renamed.is_some();
    changes.max(usize::from(whole))
}

/// `zbd/m1/gamez.zbd: models/0001-tower.json`
fn origin_of(origin: &Origin) -> String {
    place([&origin.file, origin.part.as_deref().unwrap_or_default()])
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
    let line = |text: String| {
        if name.is_empty() {
            text
        } else {
            format!("{name}: {text}")
        }
    };
    match &part.new {
        Some(NewPart::Document(value)) => out.push(line(format!("new: {}", shown_value(value)))),
        Some(NewPart::Made(made)) => {
            out.push(line(format!("new: {}", shorten(&made.described(), 160))))
        }
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
            out.push(line(format!(
                "new, from {} with {}",
                origin_of(origin),
                count(part.changes.len(), "change")
            )));
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
        let new: u64 = pieces
            .pieces
            .iter()
            .map(|piece| {
                if let Piece::New(many) = piece {
                    *many
                } else {
                    0
                }
            })
            .sum();
        let from = if pieces.from.is_empty() {
            String::new()
        } else {
            format!("{}; ", parts_of(pieces))
        };
        out.push(line(format!(
            "{from}{} of it are new",
            count(usize::try_from(new).unwrap_or(usize::MAX), "byte")
        )));
    }
    for change in &part.changes {
        let at = shorten(&readable(name, &spelled(&change.at)), LONGEST).into_owned();
        let text = match (&change.to, &change.made) {
            _ if change.gone => "removed".to_owned(),
            (Some(value), _) if change.was.is_none() => {
                format!("added {}", shown_value(value))
            }
            (Some(value), _) => format!("→ {}", shown_value(value)),
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
                format!("→ {}", shown_text(&pieces.concat()))
            }
            (None, None) => {
                let behind = change
                    .after
                    .as_ref()
                    .map_or("at the beginning".to_owned(), |after| {
                        format!("behind {}", spelled_item(after))
                    });
                let items: Vec<String> = change
                    .place
                    .iter()
                    .map(|item| match item {
                        Item::New(value) => shown_value(value),
                        Item::Made(made) => shorten(&made.described(), 160).into_owned(),
                        Item::Move(item) => format!("{} from its place", spelled_item(item)),
                        Item::Copy { of, changes, .. } => {
                            format!(
                                "a copy of {} with {}",
                                spelled_item(of),
                                count(changes.len(), "change")
                            )
                        }
                    })
                    .collect();
                format!("{behind}: {}", items.join(", "))
            }
        };
        out.push(line(if at.is_empty() {
            text
        } else {
            format!("{at} {text}")
        }));
    }
    out
}

/// A line for each change of a mod, by file.
pub fn lines_of(a_mod: &Mod) -> Vec<(String, Vec<String>)> {
    let files = a_mod.manifest.files.iter().zip(&a_mod.changes);
    files
        .map(|(entry, changes)| {
            let of_all = |changes: &FileChanges| changes.parts.iter().map(weight).sum::<usize>();
            let lines = match (changes, &entry.base) {
                (None, Some(base)) => vec![format!("new: a copy of {}", base.path)],
                (Some(changes), Some(base)) => {
                    let head = format!(
                        "new, from {} with {}",
                        base.path,
                        count(of_all(changes), "change")
                    );
                    std::iter::once(head)
                        .chain(changes.parts.iter().flat_map(part_lines))
                        .collect()
                }
                (Some(changes), None) => changes.parts.iter().flat_map(part_lines).collect(),
                (None, None) => vec![match (&entry.pieces, &entry.new, &entry.result) {
                    (Some(pieces), ..) => format!("new, {}", parts_of(pieces)),
                    (None, Some(_), Some(state)) => {
                        format!("new ({}, sha256 {})", size(state.bytes), state.sha256)
                    }
                    (None, Some(_), None) => "new".to_owned(),
                    (None, None, _) => "deleted".to_owned(),
                }],
            };
            (entry.path.clone(), lines)
        })
        .collect()
}

/// How two mods differ: lines that only the first has (`false`), and lines that only the second has
/// (`true`).
pub fn compare(a: &Mod, b: &Mod) -> Result<Vec<(bool, String)>> {
    let (mut old, mut new) = (shown(a), shown(b));
    if a != b && old == new {
        // The part that these lines do not show.
        (old, new) = (content(a)?, content(b)?);
    }
    let texts = similar::TextDiff::from_lines(&old, &new);
    let changes = texts
        .iter_all_changes()
        .filter(|change| change.tag() != similar::ChangeTag::Equal);
    let line = |change: similar::Change<&str>| {
        (
            change.tag() == similar::ChangeTag::Insert,
            change.value().trim_end_matches('\n').to_owned(),
        )
    };
    Ok(changes.map(line).collect())
}

/// What a mod says about itself, and its changes.
fn shown(a_mod: &Mod) -> String {
    let about = &a_mod.manifest;
    let head = [
        ("name", &about.name),
        ("version", &about.version),
        ("author", &about.author),
        ("about", &about.about),
        ("license", &about.license),
    ];
    let head = head
        .into_iter()
        .map(|(key, value)| format!("{key}: {value}\n"));
    let of_file = |(path, lines): (String, Vec<String>)| {
        lines
            .into_iter()
            .map(|line| format!("{path}: {line}\n"))
            .collect::<String>()
    };
    head.chain(lines_of(a_mod).into_iter().map(of_file))
        .collect()
}

/// The files of a mod: texts by their lines, others by their sums.
fn content(a_mod: &Mod) -> Result<String> {
    let of_file = |(path, bytes): (String, Bytes)| match std::str::from_utf8(&bytes) {
        Ok(text) if path.ends_with(".json") => text
            .lines()
            .map(|line| format!("{path}: {line}\n"))
            .collect(),
        _ => format!(
            "{path}: {} bytes, sha256 {}\n",
            bytes.len(),
            refit_base::sha256(&bytes)
        ),
    };
    Ok(a_mod.to_files()?.into_iter().map(of_file).collect())
}

impl Mod {
    /// The number of its changes.
    pub fn weight(&self) -> usize {
        self.changes
            .iter()
            .flatten()
            .flat_map(|changes| &changes.parts)
            .map(weight)
            .sum()
    }
}
