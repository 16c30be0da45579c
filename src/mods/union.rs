//! Combines two mods into one without the game. Both were made from the same files, so equal paths
//! mean the same place.

use super::{
    conflict::{Conflict, Prefer, Wish},
    format::{
        FileChanges, FileEntry, Item, Mod, NewPart, PartEntry, State, StoredChange, StoredStep,
    },
    merge::{spelled, spelled_item, title},
    new_files::{self, Added},
};
use bytes::Bytes;
use refit_base::wire::{Error, Result};
use refit_files::pipeline::Hints;
use std::collections::BTreeMap;

/// Two mods as one.
pub struct Union {
    /// The mod. Undecided conflicts are filled in from the first mod.
    pub made: Mod,
    /// Conflicts between the two mods, each with the path of its file.
    pub conflicts: Vec<(String, Conflict)>,
}

struct Joining {
    prefer: Prefer,
    /// Those of the file at work.
    conflicts: Vec<Conflict>,
}

impl Joining {
    /// Records a conflict. True if the second mod wins.
    fn second_wins(&mut self, part: &str, at: String, [first, second]: [String; 2]) -> bool {
        Conflict::new(Wish::new(0, first), Wish::new(1, second), self.prefer)
            .at(at)
            .in_part(part)
            .decide(&mut self.conflicts)
    }

    /// Adds the second mod's changes to a file.
    fn file(
        &mut self,
        made: &mut Mod,
        entry: FileEntry,
        theirs: Option<FileChanges>,
    ) -> Result<()> {
        let at = made
            .manifest
            .files
            .iter()
            .position(|own| own.path.eq_ignore_ascii_case(&entry.path));
        let slots =
            at.and_then(|at| Some((made.manifest.files.get_mut(at)?, made.changes.get_mut(at)?)));
        let Some((own, mine)) = slots else {
            made.manifest.files.push(entry);
            made.changes.push(theirs);
            return Ok(());
        };
        if own.original != entry.original
            || own.base.is_some() && entry.base.is_some() && own.base != entry.base
        {
            return Err(Error::say("the mods were made from two editions of the file").in_file(entry.path).hint(
                "apply both to a game with `refit mod apply`, and make one mod of the result: `refit mod make GAME -o \
                NEW.refitmod`",
            ));
        }
        match (&*mine, theirs) {
            (Some(mine), Some(theirs)) if *mine == theirs => {}
            (Some(ours), Some(theirs)) => {
                own.result = None;
                *mine = Some(files(self, ours, &theirs));
            }
            // Both mods copy the same file of the game, and at least one of them leaves it
            // unchanged.
            (_, theirs) if own.base.is_some() && own.base == entry.base => {
                if theirs.is_some() {
                    (own.result, own.changes, *mine) =
                        (entry.result, own.changes.take().or(entry.changes), theirs);
                }
            }
            (_, theirs) => {
                let new =
                    |path: &Option<String>| path.as_ref().and_then(|path| made.files.get(path));
                let is_alike = own.base == entry.base && own.pieces == entry.pieces;
                let same = mine.is_none()
                    && theirs.is_none()
                    && new(&own.new) == new(&entry.new)
                    && is_alike;
                let described = |result: &Option<State>| match result {
                    Some(state) => format!("a file of {} bytes", state.bytes),
                    None => "deleted".to_owned(),
                };
                if same {
                    return Ok(());
                }
                let values = match (new(&own.new), new(&entry.new)) {
                    (Some(first), Some(second)) => {
                        let hints = Hints {
                            game: entry.game,
                            format: entry.format,
                        };
                        let added =
                            [(first, 0), (second, 1)].map(|(bytes, by)| Added { bytes, by });
                        new_files::differing(&entry.path, hints, added, self.prefer)
                    }
                    _ => Vec::new(),
                };
                let wins = match values.is_empty() {
                    true => self.second_wins(
                        "",
                        String::new(),
                        [described(&own.result), described(&entry.result)],
                    ),
                    false => self.prefer == Prefer::Last,
                };
                self.conflicts.extend(values);
                if wins {
                    (*own, *mine) = (entry, theirs);
                }
            }
        }
        Ok(())
    }

    fn part(&mut self, a: &PartEntry, b: &PartEntry) -> PartEntry {
        let mut out = a.clone();
        if a == b {
            return out;
        }
        let described = |entry: &PartEntry| match (&entry.new, &entry.gone, &entry.pieces) {
            (Some(NewPart::Document(value)), ..) => value.compact(),
            (Some(_), ..) => "a new part".to_owned(),
            (_, Some(_), _) => "removed".to_owned(),
            (.., Some(_)) => "other bytes".to_owned(),
            _ => "changed".to_owned(),
        };
        if a.new.is_some()
            || b.new.is_some()
            || a.gone.is_some()
            || b.gone.is_some()
            || a.pieces.is_some()
            || b.pieces.is_some()
        {
            // Both changes can be kept if one mod only renames the part and the other does not
            // rename it.
            let only_renamed = |entry: &PartEntry| {
                *entry
                    == PartEntry {
                        part: entry.part.clone(),
                        renamed: entry.renamed.clone(),
                        ..PartEntry::default()
                    }
            };
            let whole = |entry: &PartEntry| entry.gone.is_some() || entry.new.is_some();
            if only_renamed(b) && !whole(a) && (a.renamed.is_none() || a.renamed == b.renamed) {
                out.renamed = b.renamed.clone();
                return out;
            }
            if only_renamed(a) && !whole(b) && (b.renamed.is_none() || a.renamed == b.renamed) {
                return PartEntry {
                    renamed: a.renamed.clone(),
                    ..b.clone()
                };
            }
            return if self.second_wins(&a.part, String::new(), [described(a), described(b)]) {
                b.clone()
            } else {
                out
            };
        }
        match (&a.renamed, &b.renamed) {
            (Some(x), Some(y))
                if x != y
                    && self.second_wins(
                        &a.part,
                        String::new(),
                        [format!("renamed {x}"), format!("renamed {y}")],
                    ) =>
            {
                out.renamed = Some(y.clone());
            }
            (None, Some(y)) => out.renamed = Some(y.clone()),
            _ => {}
        }
        out.changes = self.entries(&a.part, &a.changes, &b.changes);
        out
    }

    fn entries(&mut self, part: &str, a: &[StoredChange], b: &[StoredChange]) -> Vec<StoredChange> {
        let mut out = a.to_vec();
        for entry in b {
            if out.contains(entry) {
                continue;
            }
            let mut entry = entry.clone();
            let others: Vec<usize> = (0..out.len())
                .filter(|i| out.get(*i).is_some_and(|other| clashes(other, &entry)))
                .collect();
            let mut keep = true;
            let mut lose = Vec::new();
            for i in others {
                let Some(other) = out.get(i) else { continue };
                let at = spelled(&entry.at);
                match self.second_wins(part, at, [described(other), described(&entry)]) {
                    true => lose.push(i),
                    false => keep = false,
                }
            }
            for i in lose.into_iter().rev() {
                out.remove(i);
            }
            if keep {
                // An item that both mods add is kept once.
                let there: Vec<Item> = out
                    .iter()
                    .filter(|other| other.at == entry.at)
                    .flat_map(|other| other.place.clone())
                    .collect();
                let had = !entry.place.is_empty();
                entry.place.retain(|item| {
                    matches!(item, Item::New(value) if title(value).is_none())
                        || !there.contains(item)
                });
                if !had || !entry.place.is_empty() {
                    out.push(entry);
                }
            }
        }
        out
    }
}

fn described(entry: &StoredChange) -> String {
    if entry.gone {
        return "removed".into();
    }
    if !entry.place.is_empty() {
        let items: Vec<String> = entry
            .place
            .iter()
            .map(|item| match item {
                Item::New(value) => value.compact(),
                Item::Made(made) => made.described(),
                Item::Move(place) => format!("{} moved", spelled_item(place)),
                Item::Copy { of, .. } => format!("a copy of {}", spelled_item(of)),
            })
            .collect();
        return items.join(", ");
    }
    match (&entry.to, &entry.made) {
        (Some(value), _) => value.compact(),
        (None, Some(made)) => made.described(),
        (None, None) => "another text".into(),
    }
}

/// True if the two changes exclude each other.
fn clashes(a: &StoredChange, b: &StoredChange) -> bool {
    let whole = |entry: &StoredChange| entry.place.is_empty();
    let below = |at: &[StoredStep], top: &[StoredStep]| at.len() > top.len() && at.starts_with(top);
    if a.at == b.at {
        if whole(a) || whole(b) {
            return a != b;
        }
        // Two changes of one list clash if they move one item to two places, or add two different
        // items with the same name.
        return a.place.iter().any(|x| {
            b.place.iter().any(|y| match (x, y) {
                (Item::Move(x), Item::Move(y)) => x == y && a.after != b.after,
                (Item::New(x), Item::New(y)) => {
                    x != y && title(x).is_some() && title(x) == title(y)
                }
                _ => false,
            })
        });
    }
    // They also clash if one moves an item that the other removes.
    let removes_moved = |list: &StoredChange, item: &StoredChange| {
        item.gone
            && item.at.len() == list.at.len() + 1
            && item.at.starts_with(&list.at)
            && item.at.last().is_some_and(|last| {
                list.place
                    .iter()
                    .any(|placed| matches!(placed, Item::Move(place) if place == last))
            })
    };
    (whole(a) && below(&b.at, &a.at))
        || (whole(b) && below(&a.at, &b.at))
        || removes_moved(a, b)
        || removes_moved(b, a)
}

/// Combines two mods into one, with both authors, descriptions and licences. Its version is empty.
pub fn union(a: &Mod, b: &Mod, prefer: Prefer) -> Result<Union> {
    let mut joining = Joining {
        prefer,
        conflicts: Vec::new(),
    };
    let mut conflicts = Vec::new();
    let mut made = a.clone();
    let mut second = b.clone();
    move_files(&mut second, &add_files(&mut made, &b.files));
    for (entry, changes) in second.manifest.files.into_iter().zip(second.changes) {
        let path = entry.path.clone();
        joining.file(&mut made, entry, changes)?;
        let of_file = joining.conflicts.drain(..);
        conflicts.extend(of_file.map(|conflict| (path.clone(), conflict)));
    }
    drop_unused(&mut made);
    let joined = |a: &str, b: &str, between: &str| match (a, b) {
        (a, b) if a == b || b.is_empty() => a.to_owned(),
        ("", b) => b.to_owned(),
        (a, b) => format!("{a}{between}{b}"),
    };
    let (about, other) = (&mut made.manifest, &b.manifest);
    about.version = String::new();
    about.author = joined(&about.author, &other.author, ", ");
    about.about = joined(&about.about, &other.about, " ");
    about.license = joined(&about.license, &other.license, " AND ");
    about.refit = env!("CARGO_PKG_VERSION").to_owned();
    Ok(Union { made, conflicts })
}

/// Adds the second mod's files, and returns the path that each has now: both authors may have a
/// file with the same name, and if the bytes differ, the second one's is renamed.
fn add_files(made: &mut Mod, files: &BTreeMap<String, Bytes>) -> BTreeMap<String, String> {
    let mut renamed = BTreeMap::new();
    for (path, bytes) in files {
        let mut name = path.clone();
        while made.files.get(&name).is_some_and(|own| own != bytes) {
            name = format!("second/{name}");
        }
        made.files.insert(name.clone(), bytes.clone());
        renamed.insert(path.clone(), name);
    }
    renamed
}

/// Renames the files of a mod to their current names.
fn move_files(second: &mut Mod, renamed: &BTreeMap<String, String>) {
    let entries = second.manifest.files.iter_mut();
    let named = entries.flat_map(|entry| {
        let pieces = entry
            .pieces
            .as_mut()
            .and_then(|pieces| pieces.file.as_mut());
        entry.new.as_mut().into_iter().chain(pieces)
    });
    let parts = second
        .changes
        .iter_mut()
        .flatten()
        .flat_map(|changes| &mut changes.parts);
    for file in named.chain(parts.filter_map(PartEntry::file_mut)) {
        if let Some(name) = renamed.get(file) {
            file.clone_from(name);
        }
    }
}

/// Drops files that no change refers to any more.
fn drop_unused(made: &mut Mod) {
    let mut used: Vec<String> = made
        .manifest
        .files
        .iter()
        .filter_map(|entry| entry.new.clone())
        .collect();
    used.extend(
        made.manifest
            .files
            .iter()
            .filter_map(|entry| entry.pieces.as_ref()?.file.clone()),
    );
    for part in made
        .changes
        .iter()
        .flatten()
        .flat_map(|changes| &changes.parts)
    {
        used.extend(part.file().cloned());
    }
    made.files.retain(|path, _| used.contains(path));
}

fn files(joining: &mut Joining, mine: &FileChanges, theirs: &FileChanges) -> FileChanges {
    let mut parts = mine.parts.clone();
    for part in &theirs.parts {
        let whole = |entry: &PartEntry| entry.part.is_empty() && entry.pieces.is_some();
        // A replacement of the whole file's bytes cannot merge with other changes.
        if parts.iter().any(whole) != whole(part) {
            if joining.second_wins(
                "",
                String::new(),
                ["its bytes or fields changed", "its bytes or fields changed"].map(String::from),
            ) {
                return theirs.clone();
            }
            return mine.clone();
        }
        match parts.iter().position(|own| own.part == part.part) {
            Some(at) => {
                if let Some(own) = parts.get(at).cloned() {
                    let joined = joining.part(&own, part);
                    if let Some(slot) = parts.get_mut(at) {
                        *slot = joined;
                    }
                }
            }
            None => parts.push(part.clone()),
        }
    }
    FileChanges { parts }
}
