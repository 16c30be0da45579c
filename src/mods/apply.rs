//! What several mods make of a file together.

use super::{
    format::{FileChanges, NewPart, PartEntry, Pieces, StoredChange},
    make::{content, joined, sum},
    merge::{Lists, Merged, Missed, Prefer, resolve},
};
use crate::{
    diff::{Content, PartKind, Tree, Value, delta, lines},
    wire::{Error, Result},
    work::{self, Hints},
};
use bytes::Bytes;
use std::collections::BTreeMap;

/// A mod's changes of a file.
#[derive(Clone, Copy)]
pub struct Patch<'a> {
    /// The position of the mod among all.
    pub by: usize,
    /// What changes.
    pub changes: &'a FileChanges,
    /// The author's plain files.
    pub files: &'a BTreeMap<String, Bytes>,
}

/// A change that did not find its place in this edition of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unplaced {
    /// The mod.
    pub by: usize,
    /// The part of the file.
    pub part: String,
    /// Where in it.
    pub at: String,
    /// Why not.
    pub why: String,
}

/// Two mods that want different things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The part of the file.
    pub part: String,
    /// Where in it.
    pub at: String,
    /// The two mods.
    pub mods: (usize, usize),
    /// What each wants there.
    pub wants: (String, String),
}

/// A file with the changes of all mods.
pub struct Patched {
    /// The file.
    pub bytes: Bytes,
    /// Changes that did not find their place.
    pub unplaced: Vec<Unplaced>,
    /// Conflicts, decided or not.
    pub conflicts: Vec<Conflict>,
}

/// What mods want of a part.
#[derive(Default)]
struct Wanted {
    base: Option<Value>,
    merged: Merged,
    renamed: Option<(String, usize)>,
    gone: Option<usize>,
    new: Option<(Content, usize)>,
    bytes: Option<(Bytes, usize)>,
}

impl Wanted {
    /// What another mod wants of it.
    fn other(&self, by: usize) -> Option<(usize, String)> {
        let told = |bytes: &Bytes| format!("a file of {} bytes", bytes.len());
        if let Some(other) = self.gone.filter(|other| *other != by) {
            return Some((other, "removed".into()));
        }
        if let Some((bytes, other)) = self.bytes.as_ref().filter(|(_, other)| *other != by) {
            return Some((*other, told(bytes)));
        }
        if let Some((content, other)) = self.new.as_ref().filter(|(_, other)| *other != by) {
            return Some((*other, told_content(content)));
        }
        None
    }
}

fn told_content(content: &Content) -> String {
    match content {
        Content::Value(value) => value.compact(),
        Content::Bytes(bytes) => format!("a file of {} bytes", bytes.len()),
    }
}

struct Patching<'a> {
    base: &'a Tree,
    prefer: Prefer,
    wanted: BTreeMap<String, Wanted>,
    whole: Option<(Bytes, usize)>,
    unplaced: Vec<Unplaced>,
    conflicts: Vec<Conflict>,
}

/// A copy with changes, and those that did not find their place.
fn alone(content: Content, changes: &[StoredChange]) -> (Content, Vec<Missed>) {
    let Content::Value(value) = content else { return (content, Vec::new()) };
    let mut lists = Lists::default();
    let (edits, missed) = resolve(&value, changes, &mut lists);
    let mut merged = Merged::default();
    edits.into_iter().for_each(|edit| _ = merged.add(&value, edit, 0, Prefer::Last, &mut lists));
    (Content::Value(merged.made(&value)), missed)
}

/// A copy of a part of the game with changes, or why one of them does not fit. The lines of a text are changed as those of a document.
pub(super) fn changed(content: Content, changes: &[StoredChange]) -> Result<Content, String> {
    let (value, is_text) = match content {
        Content::Bytes(bytes) if changes.is_empty() => return Ok(Content::Bytes(bytes)),
        Content::Bytes(bytes) => (lines(&bytes).ok_or("it is no text that could be changed line by line")?, true),
        Content::Value(value) => (value, false),
    };
    let (content, missed) = alone(Content::Value(value), changes);
    match (missed.first(), content) {
        (Some(missed), _) => Err(format!("{}: {}", missed.at, missed.why)),
        (None, Content::Value(value)) if is_text => {
            joined(&value).map(Content::Bytes).ok_or_else(|| "the lines of a text are no lines".into())
        }
        (None, content) => Ok(content),
    }
}

/// What is new and what was there, put together.
fn made(old: &[u8], pieces: &Pieces, files: &BTreeMap<String, Bytes>) -> Result<Bytes> {
    made_of(&[old], pieces, files)
}

/// What is new and what was in several places, put together.
pub(super) fn made_of(old: &[&[u8]], pieces: &Pieces, files: &BTreeMap<String, Bytes>) -> Result<Bytes> {
    let bad = || Error::say("the pieces of a file do not fit it");
    let inline: Vec<u8>;
    let mut news: &[u8] = match &pieces.file {
        Some(path) => files.get(path).ok_or_else(|| Error::missing(path))?,
        None => {
            inline = pieces.inline().ok_or_else(bad)?;
            &inline
        }
    };
    let mut parts = Vec::new();
    for piece in &pieces.pieces {
        parts.push(match piece {
            delta::Piece::Old(from, many) => delta::Piece::Old(*from, *many),
            delta::Piece::New(many) => {
                let (bytes, rest) = usize::try_from(*many).ok().and_then(|many| news.split_at_checked(many)).ok_or_else(bad)?;
                news = rest;
                delta::Piece::New(bytes)
            }
        });
    }
    delta::joined_of(old, parts.into_iter()).map(Bytes::from).ok_or_else(bad)
}

impl Patching<'_> {
    fn miss(&mut self, by: usize, part: &str, at: &str, why: impl Into<String>) {
        self.unplaced.push(Unplaced { by, part: part.to_owned(), at: at.to_owned(), why: why.into() });
    }

    /// True where this mod's wish counts.
    fn decide(&mut self, part: &str, other: (usize, String), by: usize, wants: String) -> bool {
        self.conflicts.push(Conflict { part: part.to_owned(), at: String::new(), mods: (other.0, by), wants: (other.1, wants) });
        self.prefer == Prefer::Last
    }

    fn part(&mut self, entry: &PartEntry, patch: &Patch<'_>) -> Result<()> {
        let by = patch.by;
        let path = entry.part.as_str();
        let base = self.base.parts.get(path);
        if path.is_empty() && self.base.format.is_some() {
            return self.all(entry, patch);
        }
        if let Some(new) = &entry.new {
            let content = match new {
                NewPart::Document(value) => Content::Value(value.clone()),
                NewPart::File(file) => Content::Bytes(patch.files.get(file).cloned().ok_or_else(|| Error::missing(file))?),
                NewPart::From(origin) => {
                    self.miss(by, path, "", format!("it is made from {}, which is not looked for here", origin.file));
                    return Ok(());
                }
                NewPart::Pieces(pieces) => {
                    let old = self.base.file.bytes()?;
                    if sum(&old) != pieces.was {
                        self.miss(by, path, "", "it holds much of the original file, and that is another edition");
                        return Ok(());
                    }
                    Content::Bytes(made(&old, pieces, patch.files)?)
                }
                NewPart::Like(like) => {
                    let Some(model) = self.base.parts.get(like) else {
                        self.miss(by, path, "", format!("{like}, of which it is a copy, is not there"));
                        return Ok(());
                    };
                    let (content, missed) = alone(content(model)?, &entry.changes);
                    for missed in missed {
                        self.miss(by, path, &missed.at, missed.why);
                    }
                    content
                }
            };
            if base.is_some() {
                self.miss(by, path, "", "there is a part of this name already");
                return Ok(());
            }
            let other = self.wanted.get(path).and_then(|wanted| wanted.new.clone());
            match other {
                Some((other, _)) if other == content => return Ok(()),
                Some((other, mod_)) if !self.decide(path, (mod_, told_content(&other)), by, told_content(&content)) => return Ok(()),
                _ => {}
            }
            self.wanted.entry(path.to_owned()).or_default().new = Some((content, by));
            return Ok(());
        }
        let Some(base) = base else {
            self.miss(by, path, "", "there is no such part");
            return Ok(());
        };
        if let Some(was) = &entry.gone {
            if sum(&base.bytes()?) != *was {
                self.miss(by, path, "", "it is not what it was");
                return Ok(());
            }
            let wanted = self.wanted.entry(path.to_owned()).or_default();
            if wanted.gone.is_some() {
                return Ok(());
            }
            let other = match (wanted.other(by), wanted.merged.is_empty(), &wanted.renamed) {
                (Some(other), ..) => Some(other),
                (None, true, None) => None,
                (None, _, Some((to, other))) => Some((*other, format!("renamed {to}"))),
                (None, false, None) => Some((by.saturating_sub(1), "changed".into())),
            };
            if let Some(other) = other
                && !self.decide(path, other, by, "removed".into())
            {
                return Ok(());
            }
            *self.wanted.entry(path.to_owned()).or_default() = Wanted { gone: Some(by), ..Wanted::default() };
            return Ok(());
        }
        let other = self.wanted.get(path).and_then(|wanted| wanted.gone).filter(|other| *other != by);
        if let Some(other) = other {
            if !self.decide(path, (other, "removed".into()), by, "changed".into()) {
                return Ok(());
            }
            self.wanted.entry(path.to_owned()).or_default().gone = None;
        }
        if let Some(to) = &entry.renamed {
            let other = self.wanted.get(path).and_then(|wanted| wanted.renamed.clone());
            let taken = match other {
                Some((other, _)) if other == *to => true,
                Some((other, mod_)) => !self.decide(path, (mod_, format!("renamed {other}")), by, format!("renamed {to}")),
                None => false,
            };
            if !taken {
                self.wanted.entry(path.to_owned()).or_default().renamed = Some((to.clone(), by));
            }
        }
        if let Some(pieces) = &entry.pieces {
            let old = base.bytes()?;
            if sum(&old) != pieces.was {
                self.miss(by, path, "", "the file is not what it was");
                return Ok(());
            }
            let new = match &pieces.whole {
                None => made(&old, pieces, patch.files)?,
                Some(sum_of_all) => {
                    let whole = self.base.file.bytes()?;
                    if sum(&whole) != *sum_of_all {
                        self.miss(by, path, "", "it holds much of other parts of the original file, and that is another edition");
                        return Ok(());
                    }
                    made_of(&[&old, &whole], pieces, patch.files)?
                }
            };
            let other = self.wanted.get(path).and_then(|wanted| wanted.bytes.clone());
            match other {
                Some((other, _)) if other == new => return Ok(()),
                Some((other, mod_)) => {
                    let told = |bytes: &Bytes| format!("a file of {} bytes, sha256 {}", bytes.len(), sum(bytes));
                    if !self.decide(path, (mod_, told(&other)), by, told(&new)) {
                        return Ok(());
                    }
                }
                None => {}
            }
            self.wanted.entry(path.to_owned()).or_default().bytes = Some((new, by));
        }
        if !entry.changes.is_empty() {
            let wanted = self.wanted.entry(path.to_owned()).or_default();
            if wanted.base.is_none() {
                wanted.base = if base.kind == PartKind::Bytes { None } else { base.value()? };
            }
            let Some(value) = wanted.base.take() else {
                self.miss(by, path, "", "it is no text that could be changed field by field");
                return Ok(());
            };
            let mut lists = Lists::default();
            let (edits, missed) = resolve(&value, &entry.changes, &mut lists);
            let mut clashes = Vec::new();
            for edit in edits {
                clashes.extend(wanted.merged.add(&value, edit, by, self.prefer, &mut lists));
            }
            wanted.base = Some(value);
            self.conflicts.extend(clashes.into_iter().map(|clash| Conflict {
                part: path.to_owned(),
                at: clash.at,
                mods: clash.mods,
                wants: clash.wants,
            }));
            for missed in missed {
                self.miss(by, path, &missed.at, missed.why);
            }
        }
        Ok(())
    }

    /// A change of the bytes of a whole file, of which nobody can tell what they mean.
    fn all(&mut self, entry: &PartEntry, patch: &Patch<'_>) -> Result<()> {
        let Some(pieces) = &entry.pieces else {
            self.miss(patch.by, "", "", "the file is one of fields, and the change is one of a plain file");
            return Ok(());
        };
        let old = self.base.file.bytes()?;
        if sum(&old) != pieces.was {
            self.miss(patch.by, "", "", "the change is one of bytes, and the file is another edition");
            return Ok(());
        }
        let new = made(&old, pieces, patch.files)?;
        if let Some((other, mod_)) = self.whole.clone() {
            if other != new && self.decide("", (mod_, "other bytes".into()), patch.by, "other bytes".into()) {
                self.whole = Some((new, patch.by));
            }
            return Ok(());
        }
        self.whole = Some((new, patch.by));
        Ok(())
    }

    fn bytes(&self) -> Result<Bytes> {
        if let Some((bytes, _)) = &self.whole {
            return Ok(bytes.clone());
        }
        let mut parts: BTreeMap<String, Option<Content>> = BTreeMap::new();
        for (path, wanted) in &self.wanted {
            let part = self.base.parts.get(path);
            if let Some((new, _)) = &wanted.new {
                parts.insert(path.clone(), Some(new.clone()));
                continue;
            }
            let Some(part) = part else { continue };
            if wanted.gone.is_some() {
                parts.insert(path.clone(), None);
                continue;
            }
            let changed = match (&wanted.bytes, &wanted.base) {
                (Some((bytes, _)), _) => Some(Content::Bytes(bytes.clone())),
                (None, Some(base)) if !wanted.merged.is_empty() => {
                    let value = wanted.merged.made(base);
                    Some(match part.kind {
                        PartKind::Text => {
                            Content::Bytes(joined(&value).ok_or_else(|| Error::say("the lines of a text are no lines").in_file(path))?)
                        }
                        _ => Content::Value(value),
                    })
                }
                _ => None,
            };
            match &wanted.renamed {
                Some((to, _)) => {
                    parts.entry(path.clone()).or_insert(None);
                    let content = changed.map_or_else(|| part.bytes().map(Content::Bytes), Ok)?;
                    parts.insert(to.clone(), Some(content));
                }
                None => _ = changed.map(|content| parts.insert(path.clone(), Some(content))),
            }
        }
        if self.base.format.is_none() {
            return match parts.remove("") {
                Some(Some(Content::Bytes(bytes))) => Ok(bytes),
                _ => self.base.file.bytes(),
            };
        }
        if parts.is_empty() {
            return self.base.file.bytes();
        }
        let shelf = self.base.edited(&parts)?;
        work::repack(&shelf).map(|(_, bytes)| bytes.into())
    }
}

/// Applies the changes of several mods to a file. Conflicts are decided as `prefer` says; where it says nothing, the file stays as it is.
pub fn patch(base: &Tree, patches: &[Patch<'_>], prefer: Prefer) -> Result<Patched> {
    let mut patching = Patching { base, prefer, wanted: BTreeMap::new(), whole: None, unplaced: Vec::new(), conflicts: Vec::new() };
    for patch in patches {
        for entry in &patch.changes.parts {
            patching.part(entry, patch)?;
        }
    }
    if let Some((_, by)) = &patching.whole {
        // One mod replaces the bytes of the whole file: changes of fields by another one have no place to go.
        let by = *by;
        if let Some(other) = patches
            .iter()
            .find(|patch| patch.by != by && !patch.changes.parts.is_empty() && !patch.changes.parts.iter().any(|part| part.part.is_empty()))
        {
            let mods = (other.by.min(by), other.by.max(by));
            let wants =
                if other.by < by { ("its fields changed", "its bytes changed") } else { ("its bytes changed", "its fields changed") };
            patching.conflicts.push(Conflict { part: String::new(), at: String::new(), mods, wants: (wants.0.into(), wants.1.into()) });
            let whole_wins = match prefer {
                Prefer::Last => by > other.by,
                _ => by < other.by,
            };
            if !whole_wins {
                patching.whole = None;
            }
        }
    }
    if prefer == Prefer::None && !patching.conflicts.is_empty() {
        // Conflicts that the user did not decide: the file stays as it is.
        return Ok(Patched { bytes: base.file.bytes()?, unplaced: patching.unplaced, conflicts: patching.conflicts });
    }
    let bytes = patching.bytes()?;
    if let Some(format) = base.format
        && patches.len() > 1
    {
        let hints = Hints { game: base.game, format: Some(format) };
        if let Err(e) = work::open(&bytes, "", hints) {
            // A file that refit cannot read is accepted where one mod alone makes the same: then its author wanted it so.
            let alone = |one: &Patch<'_>| patch(base, &[*one], prefer).is_ok_and(|done| done.bytes == bytes);
            if !patches.iter().any(alone) {
                return Err(Error::say(format!("with these changes the file could not be read again: {e}")).hint("nothing was written"));
            }
        }
    }
    Ok(Patched { bytes, unplaced: patching.unplaced, conflicts: patching.conflicts })
}
