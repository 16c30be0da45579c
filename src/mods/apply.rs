//! Applies the changes of several mods to a file.

use super::{
    conflict::{Conflict, Prefer, Unplaced, Wish},
    content::{Stop, content, joined, made_of, sum, weight},
    documents::Documents,
    format::{FileChanges, NewPart, Origin, PartEntry, Pieces, StoredChange},
    merge::{Lists, Merged, resolve},
};
use bytes::Bytes;
use refit_base::{
    Summing,
    lint::MOST,
    tree::{Blob, Source},
    wire::{Error, Result},
};
use refit_diff::{Content, Part, PartKind, Tree, Value, config, delta, lines};
use refit_files::pipeline::{self, Hints};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    io,
    sync::{Mutex, PoisonError},
};

/// One mod's changes to a file.
#[derive(Clone, Copy)]
pub struct Patch<'a> {
    /// The mod's position in the list of mods.
    pub by: usize,
    /// The changes.
    pub changes: &'a FileChanges,
    /// The author's plain files.
    pub files: &'a BTreeMap<String, Bytes>,
    /// Which mod wins if this mod and an earlier one change the same value.
    pub prefer: Prefer,
}

/// A file with the changes of all mods.
pub struct Patched {
    /// The new content.
    pub bytes: Bytes,
    /// Changes without a place: the first [`MOST`] of them.
    pub unplaced: Vec<Unplaced>,
    /// Number of further unplaced changes.
    pub more: usize,
    /// Conflicts, decided or not.
    pub conflicts: Vec<Conflict>,
}

/// The combined changes of all mods to one part.
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
    /// A change of another mod that excludes further changes of this part, if there is one.
    fn other(&self, by: usize) -> Option<Wish> {
        let gone = self.gone.map(|other| Wish::new(other, "removed"));
        let bytes = self
            .bytes
            .as_ref()
            .map(|(bytes, other)| Wish::new(*other, shown(&Content::Bytes(bytes.clone()))));
        let new = self
            .new
            .as_ref()
            .map(|(content, other)| Wish::new(*other, shown(content)));
        [gone, bytes, new]
            .into_iter()
            .flatten()
            .find(|other| other.by != by)
    }
}

fn shown(content: &Content) -> String {
    match content {
        Content::Value(value) => value.compact(),
        Content::Bytes(bytes) => format!("a file of {} bytes", bytes.len()),
    }
}

struct Patching<'a> {
    base: &'a Tree,
    /// SHA-256 of the file, computed on first use.
    sha256: Option<String>,
    documents: Documents,
    /// What is wanted of the parts that are not settled yet.
    wanted: BTreeMap<String, Wanted>,
    /// The settled parts: the file of each, or `None` for one that is removed.
    settled: BTreeMap<String, Option<(String, Bytes)>>,
    /// The new parts, and the mods that they are of.
    added: Vec<(String, usize)>,
    /// Why a part could not be settled. It counts if there is no open conflict.
    fault: Option<Error>,
    whole: Option<(Bytes, usize)>,
    room: delta::Room,
    unplaced: Vec<Unplaced>,
    more: usize,
    conflicts: Vec<Conflict>,
}

/// Applies changes to a copy. Also returns the changes that found no place.
fn alone(
    content: Content,
    changes: &[StoredChange],
    room: &delta::Room,
) -> (Content, Vec<Unplaced>) {
    let Content::Value(value) = content else {
        return (content, Vec::new());
    };
    let mut lists = Lists::default();
    let (edits, missed) = resolve(&value, changes, &mut lists, room);
    let mut merged = Merged::default();
    edits
        .into_iter()
        .for_each(|edit| _ = merged.add(&value, edit, 0, Prefer::Last, &mut lists));
    (Content::Value(merged.made(value)), missed)
}

/// Applies changes to a copy of a part, or returns why one of them cannot be applied. Text files
/// change line by line, documents field by field.
pub(super) fn changed(
    content: Content,
    changes: &[StoredChange],
    room: &delta::Room,
) -> Result<Content, String> {
    let (value, is_text) = match content {
        Content::Bytes(bytes) if changes.is_empty() => return Ok(Content::Bytes(bytes)),
        Content::Bytes(bytes) => (
            lines(&bytes).ok_or("it is not a text that can be changed line by line")?,
            true,
        ),
        Content::Value(value) => (value, false),
    };
    room.take(weight(&value))?;
    let (content, missed) = alone(Content::Value(value), changes, room);
    match (missed.first(), content) {
        (Some(missed), _) => Err(format!("{}: {}", missed.at, missed.why)),
        (None, Content::Value(value)) if is_text => joined(&value)
            .map(Content::Bytes)
            .ok_or_else(|| "the changed lines are not text".into()),
        (None, content) => Ok(content),
    }
}

/// The reason for a part that cannot be made because its origin is another file or another edition
/// of this file.
fn elsewhere(origin: &Origin) -> String {
    format!(
        "it is made from {}, which is not available here, or is another edition",
        origin.file
    )
}

/// The number of bytes that a mod brings along for a file.
fn brought(patch: &Patch<'_>) -> u64 {
    let files: BTreeSet<&String> = patch
        .changes
        .parts
        .iter()
        .filter_map(PartEntry::file)
        .collect();
    let files = files
        .into_iter()
        .filter_map(|file| patch.files.get(file))
        .map(|bytes| bytes.len() as u64);
    let inline = patch
        .changes
        .parts
        .iter()
        .filter_map(|part| match (&part.new, &part.pieces) {
            (Some(NewPart::Pieces(pieces)), _) | (None, Some(pieces)) => {
                Some(pieces.bytes.len() as u64 / 2)
            }
            _ => None,
        });
    files.chain(inline).sum()
}

/// An edited tree that records which of its files are read.
struct Noting<'a> {
    tree: &'a dyn Source,
    read: Mutex<BTreeSet<String>>,
}

impl Source for Noting<'_> {
    fn get(&self, path: &str) -> Result<Bytes> {
        self.blob(path)?.bytes()
    }
    fn blob(&self, path: &str) -> Result<Blob> {
        let blob = self.tree.blob(path)?;
        self.read
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.to_owned());
        Ok(blob)
    }
    fn has(&self, path: &str) -> bool {
        self.tree.has(path)
    }
    fn paths(&self) -> Vec<String> {
        self.tree.paths()
    }
}

impl Patching<'_> {
    fn miss(&mut self, missed: Unplaced) {
        match self.unplaced.len() < MOST {
            true => self.unplaced.push(missed),
            false => self.more += 1,
        }
    }

    /// Records a conflict. True if this mod wins.
    fn decide(
        &mut self,
        part: &str,
        other: Wish,
        patch: &Patch<'_>,
        wants: impl Into<String>,
    ) -> bool {
        Conflict::new(other, Wish::new(patch.by, wants), patch.prefer)
            .in_part(part)
            .decide(&mut self.conflicts)
    }

    /// Records a conflict if another mod makes another change. True if this mod's change is new and
    /// wins.
    fn wins<T: PartialEq>(
        &mut self,
        part: &str,
        other: Option<(T, usize)>,
        new: &T,
        patch: &Patch<'_>,
        shown: impl Fn(&T) -> String,
    ) -> bool {
        match other {
            Some((other, _)) if other == *new => false,
            Some((other, by)) => self.decide(part, Wish::new(by, shown(&other)), patch, shown(new)),
            None => true,
        }
    }

    /// Builds bytes from pieces of `old` or of the origins that the pieces name, which must be this
    /// file or its parts.
    fn joined(&mut self, pieces: &Pieces, old: &Bytes, patch: &Patch<'_>) -> Result<Bytes, Stop> {
        let mut sources = Vec::new();
        for origin in &pieces.from {
            let part = match &origin.part {
                _ if !self.is_own(origin)? => None,
                None => Some(self.base.file.bytes()?),
                Some(part) => self.base.parts.get(part).map(Part::bytes).transpose()?,
            };
            sources.push(part.ok_or_else(|| elsewhere(origin))?);
        }
        if pieces.from.is_empty() {
            sources.push(old.clone());
            if let Some(was) = &pieces.whole {
                let whole = self.base.file.bytes()?;
                if sum(&whole) != *was {
                    return Err(
                        "it reuses other parts of the original file, which is another edition here"
                            .into(),
                    );
                }
                sources.push(whole);
            }
        }
        let sources: Vec<&[u8]> = sources.iter().map(|bytes| &bytes[..]).collect();
        Ok(made_of(&sources, pieces, patch.files, &self.room)?)
    }

    /// True if the origin is the file being changed.
    fn is_own(&mut self, origin: &Origin) -> Result<bool> {
        if self.sha256.is_none() {
            self.sha256 = Some(refit_base::sha256(&self.base.file.bytes()?));
        }
        Ok(self.sha256.as_ref() == Some(&origin.sha256))
    }

    /// Applies the changes of one part. Reports those that find no place.
    fn part(&mut self, entry: &PartEntry, patch: &Patch<'_>) -> Result<()> {
        let mut entry = Cow::Borrowed(entry);
        if !entry.made_values().is_empty() {
            let base = self.base;
            self.documents.read(&entry, |held| match &held.file {
                // Other files of the game are read before.
                Some(_) => Ok(None),
                None => Ok(base
                    .parts
                    .get(&held.part)
                    .map(Part::value)
                    .transpose()?
                    .flatten()),
            })?;
            let missed = self
                .documents
                .unfold(&mut entry.to_mut().changes, &self.room);
            missed
                .into_iter()
                .for_each(|missed| self.miss(missed.of(patch.by, &entry.part)));
        }
        let entry = &*entry;
        let base = self.base.parts.get(&entry.part);
        let done = match (&entry.new, base, &entry.gone) {
            _ if entry.part.is_empty() && self.base.format.is_some() => self.all(entry, patch),
            (Some(new), ..) => self.add(new, entry, patch),
            (None, None, _) => Err("there is no such part".into()),
            (None, Some(base), Some(was)) => self.remove(base, was, &entry.part, patch),
            (None, Some(base), None) => self.change(base, entry, patch),
        };
        match done {
            Err(Stop::Misfit(why)) => {
                self.miss(Unplaced::new("", why).of(patch.by, &entry.part));
            }
            Err(Stop::Failed(e)) => return Err(e),
            Ok(()) => {}
        }
        Ok(())
    }

    fn content(
        &mut self,
        new: &NewPart,
        entry: &PartEntry,
        patch: &Patch<'_>,
    ) -> Result<Content, Stop> {
        Ok(match new {
            NewPart::Document(value) => Content::Value(value.clone()),
            NewPart::Made(made) => Content::Value(self.documents.value(made, &self.room)?),
            NewPart::File(file) => {
                let bytes = patch
                    .files
                    .get(file)
                    .cloned()
                    .ok_or_else(|| Error::missing(file))?;
                self.room.take(bytes.len() as u64).map_err(Error::say)?;
                Content::Bytes(bytes)
            }
            NewPart::From(origin) => match origin
                .part
                .as_ref()
                .and_then(|part| self.base.parts.get(part))
            {
                Some(part) if self.is_own(origin)? => {
                    changed(content(part)?, &entry.changes, &self.room)?
                }
                _ => return Err(elsewhere(origin).into()),
            },
            NewPart::Pieces(pieces) => {
                let old = self.base.file.bytes()?;
                if pieces.from.is_empty() && sum(&old) != pieces.was {
                    return Err(
                        "it reuses parts of the original file, which is another edition here"
                            .into(),
                    );
                }
                Content::Bytes(self.joined(pieces, &old, patch)?)
            }
            NewPart::Like(like) => {
                let model = self.base.parts.get(like);
                let content = content(
                    model.ok_or_else(|| format!("it is a copy of {like}, which does not exist"))?,
                )?;
                let size = match &content {
                    Content::Value(value) => weight(value),
                    Content::Bytes(bytes) => bytes.len() as u64,
                };
                self.room.take(size).map_err(Error::say)?;
                let (content, missed) = alone(content, &entry.changes, &self.room);
                missed
                    .into_iter()
                    .for_each(|missed| self.miss(missed.of(patch.by, &entry.part)));
                content
            }
        })
    }

    fn add(&mut self, new: &NewPart, entry: &PartEntry, patch: &Patch<'_>) -> Result<(), Stop> {
        let (path, content) = (entry.part.as_str(), self.content(new, entry, patch)?);
        if self.base.has(path) {
            return Err("a part of this name already exists".into());
        }
        let other = self.wanted.get(path).and_then(|wanted| wanted.new.clone());
        if self.wins(path, other, &content, patch, shown) {
            self.wanted.entry(path.to_owned()).or_default().new = Some((content, patch.by));
        }
        Ok(())
    }

    /// Removes a part.
    fn remove(
        &mut self,
        base: &Part,
        was: &str,
        path: &str,
        patch: &Patch<'_>,
    ) -> Result<(), Stop> {
        if sum(&base.bytes()?) != was {
            return Err("it has changed".into());
        }
        let by = patch.by;
        let wanted = self.wanted.entry(path.to_owned()).or_default();
        if wanted.gone.is_some() {
            return Ok(());
        }
        let other = match (wanted.other(by), wanted.merged.is_empty(), &wanted.renamed) {
            (Some(other), ..) => Some(other),
            (None, true, None) => None,
            (None, _, Some((to, other))) => Some(Wish::new(*other, format!("renamed {to}"))),
            (None, false, None) => Some(Wish::new(by.saturating_sub(1), "changed")),
        };
        if other.is_none_or(|other| self.decide(path, other, patch, "removed")) {
            self.wanted.insert(
                path.to_owned(),
                Wanted {
                    gone: Some(by),
                    ..Wanted::default()
                },
            );
        }
        Ok(())
    }

    /// Renames a part and changes its content.
    fn change(&mut self, base: &Part, entry: &PartEntry, patch: &Patch<'_>) -> Result<(), Stop> {
        let (path, by) = (entry.part.as_str(), patch.by);
        if let Some(other) = self
            .wanted
            .get(path)
            .and_then(|wanted| wanted.gone)
            .filter(|other| *other != by)
        {
            if !self.decide(path, Wish::new(other, "removed"), patch, "changed") {
                return Ok(());
            }
            self.wanted.entry(path.to_owned()).or_default().gone = None;
        }
        if let Some(to) = &entry.renamed {
            let other = self
                .wanted
                .get(path)
                .and_then(|wanted| wanted.renamed.clone());
            if self.wins(path, other, to, patch, |to| format!("renamed {to}")) {
                self.wanted.entry(path.to_owned()).or_default().renamed = Some((to.clone(), by));
            }
        }
        if let Some(pieces) = &entry.pieces {
            let old = base.bytes()?;
            if sum(&old) != pieces.was {
                return Err("the file has changed".into());
            }
            let new = self.joined(pieces, &old, patch)?;
            let other = self
                .wanted
                .get(path)
                .and_then(|wanted| wanted.bytes.clone());
            let shown =
                |bytes: &Bytes| format!("a file of {} bytes, sha256 {}", bytes.len(), sum(bytes));
            if !self.wins(path, other, &new, patch, shown) {
                return Ok(());
            }
            self.wanted.entry(path.to_owned()).or_default().bytes = Some((new, by));
        }
        if entry.changes.is_empty() {
            return Ok(());
        }
        let wanted = self.wanted.entry(path.to_owned()).or_default();
        if wanted.base.is_none() {
            wanted.base = if base.kind == PartKind::Bytes {
                None
            } else {
                base.value()?
            };
        }
        let value = wanted
            .base
            .take()
            .ok_or("it is not a text that can be changed field by field")?;
        let mut lists = Lists::default();
        let (edits, missed) = resolve(&value, &entry.changes, &mut lists, &self.room);
        for edit in edits {
            let conflicts = wanted
                .merged
                .add(&value, edit, by, patch.prefer, &mut lists);
            let conflicts = conflicts.into_iter().map(|conflict| conflict.in_part(path));
            self.conflicts.extend(conflicts);
        }
        wanted.base = Some(value);
        missed
            .into_iter()
            .for_each(|missed| self.miss(missed.of(by, path)));
        Ok(())
    }

    /// Applies a change to the bytes of the whole file, without knowing their meaning.
    fn all(&mut self, entry: &PartEntry, patch: &Patch<'_>) -> Result<(), Stop> {
        let pieces = entry
            .pieces
            .as_ref()
            .ok_or("the change is for a plain file, but this file has fields")?;
        let old = self.base.file.bytes()?;
        if sum(&old) != pieces.was {
            return Err("the change is for bytes, but the file is another edition".into());
        }
        let new = self.joined(pieces, &old, patch)?;
        if self.wins("", self.whole.clone(), &new, patch, |_| {
            "other bytes".into()
        }) {
            self.whole = Some((new, patch.by));
        }
        Ok(())
    }

    /// Makes the text of a part that all mods have changed. Its values are not needed any more, and
    /// take many times the memory of the text.
    fn settle(&mut self, path: &str) {
        let is_open = self.fault.is_some() || self.conflicts.iter().any(Conflict::is_open);
        let Some(wanted) = self.wanted.remove(path).filter(|_| !is_open) else {
            return;
        };
        if let Err(e) = self.settled(path, wanted) {
            self.fault = Some(e);
        }
    }

    fn settled(&mut self, path: &str, wanted: Wanted) -> Result<()> {
        let file = |path: &str, content| self.base.file_of(path, content).map(Some);
        if let Some((new, by)) = wanted.new {
            self.settled.insert(path.to_owned(), file(path, new)?);
            self.added.push((path.to_owned(), by));
            return Ok(());
        }
        let Some(part) = self.base.parts.get(path) else {
            return Ok(());
        };
        if wanted.gone.is_some() {
            self.settled.insert(path.to_owned(), None);
            return Ok(());
        }
        let changed = match (wanted.bytes, wanted.base) {
            (Some((bytes, _)), _) => Some(Content::Bytes(bytes)),
            (None, Some(base)) if !wanted.merged.is_empty() => {
                let value = wanted.merged.made(base);
                Some(match part.kind {
                    PartKind::Text => Content::Bytes(joined(&value).ok_or_else(|| {
                        Error::say("the changed lines are not text").in_file(path)
                    })?),
                    PartKind::Config => {
                        Content::Bytes(config::to_text(&value).map_err(|e| e.in_file(path))?.into())
                    }
                    _ => Content::Value(value),
                })
            }
            _ => None,
        };
        match (wanted.renamed, changed) {
            (Some((to, _)), changed) => {
                let content = changed.map_or_else(|| part.bytes().map(Content::Bytes), Ok)?;
                let new = file(&to, content)?;
                self.settled.entry(path.to_owned()).or_insert(None);
                self.settled.insert(to, new);
            }
            (None, Some(content)) => {
                self.settled.insert(path.to_owned(), file(path, content)?);
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Writes the file with all changes.
    fn write(&mut self, out: &mut dyn io::Write) -> Result<()> {
        let written = |bytes: &Blob, out: &mut dyn io::Write| {
            bytes.each(&mut |chunk| out.write_all(chunk).map_err(Error::stopped))
        };
        if let Some((bytes, _)) = self.whole.take() {
            return written(&bytes.into(), out);
        }
        if let Some(e) = self.fault.take() {
            return Err(e);
        }
        let settled = std::mem::take(&mut self.settled);
        if self.base.format.is_none() {
            return match settled.into_iter().next() {
                Some((path, Some((_, bytes)))) if path.is_empty() => written(&bytes.into(), out),
                _ => written(&self.base.file, out),
            };
        }
        if settled.is_empty() {
            return written(&self.base.file, out);
        }
        let edited = self.base.edited(settled);
        let noting = Noting {
            tree: &edited,
            read: Mutex::default(),
        };
        self.base.repack_to(&edited, &noting, out)?;
        let read = noting
            .read
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let dropped = std::mem::take(&mut self.added);
        for (path, by) in dropped.into_iter().filter(|(path, _)| !read.contains(path)) {
            let why = "it is new, but no manifest lists it, so it is not in the file";
            self.miss(Unplaced::new("", why).of(by, &path));
        }
        Ok(())
    }

    /// The result with this content; changes without a place and conflicts are in the order of the mods.
    fn into_patched(self, bytes: Bytes) -> Patched {
        let Patching {
            mut unplaced,
            more,
            mut conflicts,
            ..
        } = self;
        unplaced.sort_by_key(|missed| missed.by);
        conflicts.sort_by_key(|conflict| conflict.mods.1);
        Patched {
            bytes,
            unplaced,
            more,
            conflicts,
        }
    }
}

/// The file that mods change, with the parts that they use; the others are left out if the format
/// allows it.
///
/// # Errors
/// The file cannot be read from the disk.
pub fn base_of(file: &Blob, path: &str, hints: Hints, patches: &[Patch<'_>]) -> Result<Tree> {
    let parts = patches.iter().flat_map(|patch| &patch.changes.parts);
    Tree::of_parts(
        file,
        path,
        hints,
        &parts.flat_map(PartEntry::used).collect(),
    )
}

/// The changes of several mods, part by part, until their texts.
fn patching<'a>(base: &'a Tree, patches: &[Patch<'_>]) -> Result<Patching<'a>> {
    let room = delta::Room::of(
        patches
            .iter()
            .map(brought)
            .fold(base.file.len(), u64::saturating_add),
    );
    let mut patching = Patching {
        base,
        sha256: None,
        documents: Documents::default(),
        wanted: BTreeMap::new(),
        settled: BTreeMap::new(),
        added: Vec::new(),
        fault: None,
        whole: None,
        room,
        unplaced: Vec::new(),
        more: 0,
        conflicts: Vec::new(),
    };
    let mut by_part: BTreeMap<&str, Vec<(&Patch<'_>, &PartEntry)>> = BTreeMap::new();
    for patch in patches {
        for entry in &patch.changes.parts {
            by_part
                .entry(entry.part.as_str())
                .or_default()
                .push((patch, entry));
        }
    }
    for (path, entries) in by_part {
        for (patch, entry) in entries {
            patching.part(entry, patch)?;
        }
        patching.settle(path);
    }
    Ok(patching)
}

/// True if the changes of one mod to `base` make exactly `wanted`. Unlike [`patch`], it does not keep
/// what it makes.
pub(super) fn makes(base: &Tree, patch: Patch<'_>, wanted: &Blob) -> Result<bool> {
    let mut patching = patching(base, &[patch])?;
    let mut sum = Summing::default();
    patching.write(&mut sum)?;
    let is_whole = patching.unplaced.is_empty() && patching.conflicts.is_empty();
    Ok(is_whole && wanted.has_sum(&sum.end())?)
}

/// Applies the changes of several mods to a file. For each conflict, the preference of the later
/// mod decides. Returns the file unchanged if any conflict is undecided.
pub fn patch(base: &Tree, patches: &[Patch<'_>]) -> Result<Patched> {
    let mut patching = patching(base, patches)?;
    if let Some((_, by)) = &patching.whole {
        // One mod replaces the bytes of the whole file, so another mod's changes of fields cannot
        // be applied.
        let by = *by;
        if let Some(other) = patches.iter().find(|patch| {
            patch.by != by
                && !patch.changes.parts.is_empty()
                && !patch.changes.parts.iter().any(|part| part.part.is_empty())
        }) {
            let mut wishes = [
                Wish::new(other.by, "its fields changed"),
                Wish::new(by, "its bytes changed"),
            ];
            wishes.sort_by_key(|wish| wish.by);
            let [earlier, later] = wishes;
            let decided = patches
                .iter()
                .find(|patch| patch.by == later.by)
                .map_or(Prefer::None, |later| later.prefer);
            let is_later = later.by == by;
            let later_wins = Conflict::new(earlier, later, decided).decide(&mut patching.conflicts);
            if later_wins != is_later {
                patching.whole = None;
            }
        }
    }
    if patching.conflicts.iter().any(Conflict::is_open) {
        // Undecided conflicts: return the file unchanged.
        return Ok(patching.into_patched(base.file.bytes()?));
    }
    // With room to grow, since a vector that is full doubles.
    let room = base.file.len().saturating_add(base.file.len() / 4);
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or_default());
    patching.write(&mut bytes)?;
    let bytes = Bytes::from(bytes);
    if let Some(format) = base.format
        && patches.len() > 1
    {
        let hints = Hints {
            game: base.game,
            format: Some(format),
        };
        if let Err(e) = pipeline::open(&bytes, "", hints) {
            // refit accepts an unreadable file if one mod alone makes the same file: its author
            // intended it.
            let alone =
                |one: &Patch<'_>| patch(base, &[*one]).is_ok_and(|done| done.bytes == bytes);
            if !patches.iter().any(alone) {
                return Err(e
                    .context("refit could not read the file with these changes")
                    .hint("nothing was written"));
            }
        }
    }
    Ok(patching.into_patched(bytes))
}
