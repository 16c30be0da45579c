//! The mods of a game: which are applied, their combined result, and how refit writes it.

use super::{
    applied::{Applied, AppliedFile, AppliedMod, COPIES, STATE, STATE_VERSION, is_standing},
    apply::{Patch, Patched, base_of, patch},
    bases::{Missing, Shelf, needs_others, resolved},
    conflict::{Conflict, Prefer, Unplaced, Wish},
    format::{Base, FileEntry, Mod},
    new_files::{self, Added},
    pack,
};
use bytes::Bytes;
use refit_base::{
    Sum,
    format::Format,
    par,
    path::Shown,
    tree::{
        Blob, Document, Style, check_inside_path,
        disk::{
            self, Backup, By, Replace, Together, standing,
            together::{self, Recovered},
        },
    },
    wire::{Error, Result, count, place},
};
use refit_files::{game_files, pipeline::Hints};
use serde::Serialize;
use serde_json::{Value, json};
use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

/// A game's folder and the mods that are applied to it.
pub struct ModdedGame {
    root: PathBuf,
    only: Option<String>,
    applied: Applied,
    /// For each path, its position in `applied.files`.
    by_path: HashMap<String, usize>,
    /// The applied mods, in order.
    mods: Vec<(Mod, Prefer)>,
    /// Interrupted work that this run finished.
    pub finished: Option<Recovered>,
}

/// What to do with one file.
struct Step {
    path: String,
    /// The checksum of the current file; `None` if there is no file.
    old: Option<Sum>,
    /// The new content; `None` deletes the file.
    new: Option<Bytes>,
    how: How,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// Keep the first version as `NAME.orig`.
    Game,
    /// Put `NAME.orig` back.
    Restore,
    /// The file belongs to refit or a mod: keep no copy.
    Own,
}

/// The change of a file in a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileOutcome {
    /// It is changed.
    Changed,
    /// It is new.
    Added,
    /// It is deleted.
    Deleted,
    /// It is pristine again.
    Restored,
    /// It does not change.
    Unchanged,
}

/// A file of a plan.
pub struct Planned {
    /// Its path below the game's folder.
    pub path: String,
    /// What happens to it.
    pub outcome: FileOutcome,
    /// Its format, if refit knows it.
    pub format: Option<Format>,
    /// The mods that change it, by their position.
    pub mods: Vec<usize>,
    /// Its new size in bytes.
    pub bytes: Option<u64>,
    /// True if the mods were made from another edition of it.
    pub edition: bool,
    /// Changes that found no place.
    pub unplaced: Vec<Unplaced>,
    /// Number of further unplaced changes that `unplaced` does not list.
    pub more_unplaced: usize,
    /// Conflicts between mods.
    pub conflicts: Vec<Conflict>,
    /// Mods that change this file although the game has no such file.
    pub absent: Vec<usize>,
    /// True if something other than the mods changed the file since they were applied.
    pub foreign: bool,
    step: Option<Step>,
    noted: Option<AppliedFile>,
}

/// The requests of the mods for one file, in their order.
struct Claims<'a> {
    /// The game's file, or the result of the mods that a mod was made behind.
    base: Option<Bytes>,
    /// Its SHA-256, once a mod has asked for it.
    base_sha256: OnceCell<String>,
    patches: Vec<Patch<'a>>,
    /// The content from a mod that replaces the whole file (`None` inside: deletes it), and the
    /// mod's position.
    whole: Option<(Option<Bytes>, usize)>,
    /// The file of the game that the content in `whole` was made from.
    made_from: Option<Base>,
    /// Format and game of the file.
    hints: Hints,
    /// Reads a pristine file of the game.
    read: &'a dyn Fn(&str) -> Result<Option<Bytes>>,
}

impl<'a> Claims<'a> {
    fn is_made_from_base(&self, entry: &FileEntry) -> bool {
        match (&entry.original, &self.base) {
            (Some(was), Some(base)) => {
                was.bytes == base.len() as u64
                    && was.sha256 == *self.base_sha256.get_or_init(|| refit_base::sha256(base))
            }
            (was, base) => was.is_none() && base.is_none(),
        }
    }

    /// Starts again from the result of the mods so far if this entry was made from that: its author
    /// had these mods.
    fn stack(&mut self, entry: &FileEntry, path: &str, planned: &mut Planned) -> Result<()> {
        let is_made_from = |bytes: &Bytes| {
            entry.original.as_ref().is_some_and(|was| {
                was.bytes == bytes.len() as u64 && was.sha256 == refit_base::sha256(bytes)
            })
        };
        if self.is_made_from_base(entry) || entry.original.is_none() {
            return Ok(());
        }
        let result = match &self.whole {
            Some((bytes, _)) => bytes.clone(),
            None if self.patches.is_empty() => None,
            None => {
                let done = patched(self, path, planned)?;
                done.filter(|done| is_made_from(&done.bytes)).map(|done| {
                    planned.take(done.unplaced, done.more, done.conflicts);
                    done.bytes
                })
            }
        };
        if let Some(bytes) = result.filter(is_made_from) {
            (self.base_sha256, self.whole) = (OnceCell::new(), None);
            self.patches.clear();
            self.base = Some(bytes);
        }
        Ok(())
    }

    /// A mod changes the file.
    fn change(&mut self, entry: &FileEntry, patch: Patch<'a>, planned: &mut Planned) {
        if self.base.is_none() {
            planned.absent.push(patch.by);
            planned
                .unplaced
                .push(Unplaced::whole(patch.by, "the game has no such file"));
            return;
        }
        if self.is_made_from_base(entry) {
            self.hints = Hints {
                game: entry.game,
                format: entry.format,
            };
        } else {
            planned.edition = true;
        }
        if let Some((content, by)) = &self.whole {
            if !planned.wins(
                Wish::new(*by, described(content)),
                Wish::new(patch.by, "changed"),
                patch.prefer,
            ) {
                return;
            }
            self.whole = None;
        }
        self.patches.push(patch);
    }

    /// Two mods add the file with different content: merges what they changed in the same file of
    /// the game, or records each value that differs. False if neither is possible.
    fn join(
        &mut self,
        entry: &FileEntry,
        added: [Added<'_>; 2],
        prefer: Prefer,
        planned: &mut Planned,
    ) -> Result<bool> {
        let (path, hints) = (
            entry.path.as_str(),
            Hints {
                game: entry.game,
                format: entry.format,
            },
        );
        let common = match (&self.made_from, &entry.base) {
            (Some(first), Some(second)) if first == second => (self.read)(&second.path)?,
            _ => None,
        };
        let [_, later] = added;
        let merged = common.and_then(|base| new_files::merged(path, hints, &base, added, prefer));
        if let Some(done) = merged {
            planned.take(done.unplaced, done.more, done.conflicts);
            self.whole = Some((Some(done.bytes), later.by));
            return Ok(true);
        }
        let conflicts = new_files::differing(path, hints, added, prefer);
        if conflicts.is_empty() {
            return Ok(false);
        }
        planned.take(Vec::new(), 0, conflicts);
        if prefer == Prefer::Last {
            self.whole = Some((Some(later.bytes.clone()), later.by));
            self.made_from = entry.base.clone();
        }
        Ok(true)
    }

    /// A mod adds, replaces or deletes the file.
    fn replace(
        &mut self,
        entry: &FileEntry,
        bytes: Option<Bytes>,
        (by, prefer): (usize, Prefer),
        planned: &mut Planned,
    ) -> Result<()> {
        if self.base.is_some() && bytes.is_some() && bytes != self.base {
            planned
                .unplaced
                .push(Unplaced::whole(by, "the game already has such a file"));
            return Ok(());
        }
        if bytes.is_none() && !self.is_made_from_base(entry) {
            planned.unplaced.push(Unplaced::whole(
                by,
                "it is another edition, so it is not deleted",
            ));
            return Ok(());
        }
        if let (Some((Some(first), earlier)), None, Some(second)) =
            (self.whole.clone(), self.patches.last(), &bytes)
            && first != *second
        {
            let added = [
                Added {
                    bytes: &first,
                    by: earlier,
                },
                Added { bytes: second, by },
            ];
            if self.join(entry, added, prefer, planned)? {
                return Ok(());
            }
        }
        let earlier = match (&self.whole, self.patches.last()) {
            (Some((content, _)), None) if *content == bytes => return Ok(()),
            (Some((content, by)), None) => Some(Wish::new(*by, described(content))),
            (Some((_, by)), Some(_)) => Some(Wish::new(*by, "changed")),
            (None, last) => last.map(|patch| Wish::new(patch.by, "changed")),
        };
        if let Some(earlier) = earlier {
            if !planned.wins(earlier, Wish::new(by, described(&bytes)), prefer) {
                return Ok(());
            }
            self.patches.clear();
        }
        self.whole = Some((bytes, by));
        self.made_from = entry.base.clone();
        Ok(())
    }
}

/// The file with the changes of the mods so far; `None` if there is none.
fn patched(claims: &Claims<'_>, path: &str, planned: &mut Planned) -> Result<Option<Patched>> {
    let Some(base) = &claims.base else {
        return Ok(None);
    };
    let of_parts = |file: &Bytes, patches: &[Patch<'_>]| {
        base_of(&Blob::Memory(file.clone()), path, claims.hints, patches)
    };
    let tree = of_parts(base, &claims.patches)?;
    planned.format = tree.format;
    let missed = |done: &Patched| done.unplaced.len() + done.more;
    let done = patch(&tree, &claims.patches)?;
    if missed(&done) == 0 {
        return Ok(Some(done));
    }
    // A mod may have been made in a game with the mods before it: its old values are their new
    // ones.
    for at in 1..claims.patches.len() {
        let (Some(first), Some(rest)) = (claims.patches.get(..at), claims.patches.get(at..)) else {
            continue;
        };
        let mut first = patch(&tree, first)?;
        let behind = of_parts(&first.bytes, rest)?;
        let Ok(rest) = patch(&behind, rest) else {
            continue;
        };
        if missed(&first) + missed(&rest) < missed(&done) && done.conflicts.is_empty() {
            first.unplaced.extend(rest.unplaced);
            first.conflicts.extend(rest.conflicts);
            (first.bytes, first.more) = (rest.bytes, first.more + rest.more);
            return Ok(Some(first));
        }
    }
    Ok(Some(done))
}

/// Describes the result of a mod for a whole file.
fn described(bytes: &Option<Bytes>) -> String {
    bytes.as_ref().map_or("deleted".to_owned(), |bytes| {
        format!("a file of {} bytes", bytes.len())
    })
}

/// A file that is made again from the pristine one.
pub(super) struct Made {
    /// Its content; `None` if the mods delete it.
    pub bytes: Option<Bytes>,
    /// The undecided conflicts, in sentences.
    pub conflicts: Vec<String>,
    /// The changes without a place: the position of their mod, and a sentence.
    pub unplaced: Vec<(usize, String)>,
    /// The number of further changes without a place.
    pub more: usize,
}

/// Those parts of a mod that change the `wanted` entries of its manifest.
fn only(a_mod: &Mod, wanted: &[usize]) -> Mod {
    let mut out = a_mod.clone();
    let mut at = 0..;
    out.manifest
        .files
        .retain(|_| at.next().is_some_and(|at| wanted.contains(&at)));
    let mut at = 0..;
    out.changes
        .retain(|_| at.next().is_some_and(|at| wanted.contains(&at)));
    out
}

/// What applying or removing mods would do.
pub struct Plan {
    /// The names of the mods, in order.
    pub names: Vec<String>,
    /// The files.
    pub files: Vec<Planned>,
    mods: Vec<(Mod, Prefer)>,
}

impl Planned {
    /// A file that mods touch, before their changes, with those that lack what they are made of.
    fn new(path: &str, touched: &[(usize, usize)], missing: &[(usize, Missing)]) -> Self {
        let missing = missing
            .iter()
            .filter(|(by, missed)| touched.contains(&(*by, missed.file)));
        let unplaced = missing.map(|(by, missed)| Unplaced {
            by: *by,
            ..missed.what.clone()
        });
        Planned {
            path: path.to_owned(),
            outcome: FileOutcome::Unchanged,
            format: None,
            mods: touched.iter().map(|(by, _)| *by).collect(),
            bytes: None,
            edition: false,
            unplaced: unplaced.collect(),
            more_unplaced: 0,
            conflicts: Vec::new(),
            absent: Vec::new(),
            foreign: false,
            step: None,
            noted: None,
        }
    }

    /// The new content, if the file is changed or new.
    pub fn content(&self) -> Option<&Bytes> {
        self.step.as_ref()?.new.as_ref()
    }

    /// Adds what a step of the mods could not place, and its conflicts.
    fn take(&mut self, unplaced: Vec<Unplaced>, more: usize, conflicts: Vec<Conflict>) {
        self.unplaced.extend(unplaced);
        self.more_unplaced += more;
        self.conflicts.extend(conflicts);
    }

    /// Adds a conflict over the whole file. True if the later mod wins.
    fn wins(&mut self, earlier: Wish, later: Wish, decided: Prefer) -> bool {
        Conflict::new(earlier, later, decided).decide(&mut self.conflicts)
    }
}

impl Plan {
    /// Number of undecided conflicts.
    pub fn open_conflicts(&self) -> usize {
        self.files
            .iter()
            .flat_map(|file| &file.conflicts)
            .filter(|conflict| conflict.is_open())
            .count()
    }

    /// Mods whose files are all missing.
    pub fn absent(&self) -> Vec<&str> {
        let files = |by: usize| {
            self.files
                .iter()
                .filter(move |file| file.mods.contains(&by))
        };
        let names = self.names.iter().enumerate();
        let absent = |by: usize| {
            files(by).next().is_some() && files(by).all(|file| file.absent.contains(&by))
        };
        names
            .filter(|(by, _)| absent(*by))
            .map(|(_, name)| name.as_str())
            .collect()
    }

    /// An error if the plan must not be carried out: there are undecided conflicts, `game` has none
    /// of the files of a mod, or with `strict` something does not fit this edition.
    pub fn check(&self, game: &Path, strict: bool) -> Result<()> {
        let open = self.open_conflicts();
        if open > 0 {
            return Err(
                Error::say(format!("{}: nothing was written", count(open, "conflict")))
                    .hint("use --prefer first or last to choose the winner"),
            );
        }
        if let Some(name) = self.absent().first() {
            return Err(Error::say(format!(
                "none of the files of {name} are in {}; nothing was written",
                game.shown()
            ))
            .hint("is it the folder of the game that the mod is for?"));
        }
        match strict && (self.unplaced() > 0 || self.files.iter().any(|file| file.edition)) {
            true => Err(Error::say(
                "a file is another edition, and --strict was given; nothing was written",
            )),
            false => Ok(()),
        }
    }

    /// One of its files as a row. `written` says whether the plan is carried out.
    pub fn row(&self, file: &Planned, written: bool) -> Value {
        let unplaced = file.unplaced.iter().map(|missed| {
            json!({ "mod": self.names.get(missed.by), "part": missed.part, "at": missed.at, "why": missed.why })
        });
        json!({
            "path": file.path, "outcome": file.outcome, "format": file.format.map(|format| format.name()),
            "mods": self.names_of(file), "bytes": file.bytes,
            "edition": if file.edition { "another" } else { "the same" },
            "foreign": file.foreign, "written": written,
            "conflicts": file.conflicts.iter().map(|conflict| conflict.row(&self.names)).collect::<Vec<_>>(),
            "unplaced": unplaced.collect::<Vec<_>>(), "more_unplaced": file.more_unplaced,
        })
    }

    /// The names of the mods that change a file.
    pub fn names_of(&self, file: &Planned) -> Vec<&str> {
        file.mods
            .iter()
            .filter_map(|by| self.names.get(*by))
            .map(String::as_str)
            .collect()
    }

    /// Number of changes that found no place.
    pub fn unplaced(&self) -> usize {
        self.files
            .iter()
            .map(|file| file.unplaced.len() + file.more_unplaced)
            .sum()
    }
}

fn by_path(applied: &Applied) -> HashMap<String, usize> {
    // Of several entries with one path, the first wins.
    applied
        .files
        .iter()
        .enumerate()
        .rev()
        .map(|(at, file)| (file.path.clone(), at))
        .collect()
}

fn prefer_of(text: Option<&str>) -> Prefer {
    match text {
        Some("first") => Prefer::First,
        Some("last") => Prefer::Last,
        _ => Prefer::None,
    }
}

/// File name for a mod's copy.
fn copy_name(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') {
                c
            } else {
                '_'
            }
        })
        .take(40)
        .collect();
    let mut sum = refit_base::sha256(name.as_bytes());
    sum.truncate(8);
    format!("{COPIES}/{plain}-{sum}.refitmod")
}

impl ModdedGame {
    /// Opens a game's folder, or the folder of a single file. Finishes an interrupted run first,
    /// unless `look` is set, which only reads.
    pub fn open(to: &Path, look: bool) -> Result<Self> {
        let (root, only) = match to.metadata() {
            Ok(meta) if meta.is_dir() => (to.to_owned(), None),
            Ok(_) => {
                let folder = to
                    .parent()
                    .filter(|folder| !folder.as_os_str().is_empty())
                    .unwrap_or(Path::new("."))
                    .to_owned();
                (
                    folder,
                    Some(
                        to.file_name()
                            .unwrap_or_default()
                            .to_string_lossy()
                            .into_owned(),
                    ),
                )
            }
            Err(e) => return Err(Error::io(to, e)),
        };
        let finished = if look {
            None
        } else {
            together::recover(&root)?
        };
        let none = Applied {
            refitmods: STATE_VERSION,
            refit: String::new(),
            mods: Vec::new(),
            files: Vec::new(),
        };
        let applied = Applied::of(&root)?.unwrap_or(none);
        let mut mods = Vec::new();
        for entry in &applied.mods {
            let copy = root.join(check_inside_path(&entry.file)?);
            let named = |e: Error| e.about(&copy);
            let a_mod = disk::read(&copy)
                .and_then(|bytes| pack::from_zip(&bytes).map_err(named))
                .map_err(|e| {
                    e.hint(format!(
                        "the copy of {} is needed to apply or remove mods",
                        entry.name
                    ))
                })?;
            mods.push((a_mod, prefer_of(entry.prefer.as_deref())));
        }
        let by_path = by_path(&applied);
        Ok(ModdedGame {
            root,
            only,
            applied,
            by_path,
            mods,
            finished,
        })
    }

    /// The path of a file of a plan.
    pub fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// The list of applied mods.
    pub fn applied(&self) -> &Applied {
        &self.applied
    }

    /// The applied mods.
    pub fn mods(&self) -> impl Iterator<Item = &Mod> {
        self.mods.iter().map(|(a_mod, _)| a_mod)
    }

    /// Files that differ from what the mods wrote, and whether refit wrote the current version.
    pub fn changed_since(&self) -> Result<Vec<(String, bool)>> {
        let mut out = Vec::new();
        for file in &self.applied.files {
            let path = self.root.join(check_inside_path(&file.path)?);
            if !is_standing(&path, file.written)? {
                out.push((file.path.clone(), disk::current_note(&path).is_some()));
            }
        }
        Ok(out)
    }

    /// Plans applying further mods. A mod replaces an applied mod of the same name.
    pub fn plan_apply(&self, new: Vec<Mod>, prefer: Prefer) -> Result<Plan> {
        let mut mods: Vec<(Mod, Prefer)> = self.mods.clone();
        for a_mod in new {
            let same = |other: &(Mod, Prefer)| other.0.manifest.name == a_mod.manifest.name;
            match mods.iter().position(same) {
                Some(at) => {
                    if let Some(slot) = mods.get_mut(at) {
                        *slot = (a_mod, prefer);
                    }
                }
                None => mods.push((a_mod, prefer)),
            }
        }
        self.plan(mods)
    }

    /// Plans removing mods.
    pub fn plan_remove(&self, names: &[String]) -> Result<Plan> {
        for name in names {
            if !self.applied.mods.iter().any(|entry| entry.name == *name) {
                let near = refit_base::wire::did_you_mean(
                    name,
                    self.applied.mods.iter().map(|entry| entry.name.as_str()),
                );
                let error = Error::say(format!("no mod called {name:?} is applied"));
                return Err(
                    error.hint(near.unwrap_or_else(|| "`refit mod list` shows them".into()))
                );
            }
        }
        self.plan(
            self.mods
                .iter()
                .filter(|(a_mod, _)| !names.contains(&a_mod.manifest.name))
                .cloned()
                .collect(),
        )
    }

    /// A pristine file of the game that a mod refers to.
    pub(super) fn original(&self, path: &str) -> Result<Option<Bytes>> {
        let mut found = self.pristine(path)?;
        if found.is_none() {
            let all = self.walk()?;
            let other = all.iter().find(|other| other.eq_ignore_ascii_case(path));
            found = other.map(|path| self.pristine(path)).transpose()?.flatten();
        }
        found.as_deref().map(disk::read).transpose()
    }

    /// The path in this game of a file that a mod changes. The spelling may differ, and the file
    /// may not exist.
    fn find(&self, entry: &FileEntry, all: &mut Option<Vec<String>>) -> Result<String> {
        if let Some(only) = &self.only {
            let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
            if name(&entry.path) == only.to_lowercase() {
                return Ok(only.clone());
            }
        }
        let here = |path: &str| {
            self.root.join(path).is_file() || disk::original_path(&self.root.join(path)).is_file()
        };
        if here(&entry.path) || entry.original.is_none() {
            return Ok(entry.path.clone());
        }
        if all.is_none() {
            *all = Some(self.walk()?);
        }
        let all = all.as_deref().unwrap_or_default();
        if let Some(path) = all
            .iter()
            .find(|path| path.eq_ignore_ascii_case(&entry.path))
        {
            return Ok(path.clone());
        }
        // A mod made from a single file stores its name without a folder: find the file by name,
        // and if several match, by checksum.
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let like: Vec<&String> = all
            .iter()
            .filter(|path| name(path) == name(&entry.path))
            .collect();
        let same = |path: &&&String| {
            let pristine = self
                .pristine(path)
                .ok()
                .flatten()
                .and_then(|path| Blob::of_file(&path).ok()?.sha256().ok());
            pristine.is_some()
                && pristine == entry.original.as_ref().map(|state| state.sha256.clone())
        };
        match (like.iter().find(same), like.as_slice()) {
            (Some(path), _) => Ok((**path).clone()),
            (None, [one]) if !entry.path.contains('/') => Ok((*one).clone()),
            (None, [_, _, ..]) if !entry.path.contains('/') => {
                let names: Vec<&str> = like.iter().map(|path| path.as_str()).collect();
                Err(Error::say(format!(
                    "the game has several files of this name: {}",
                    names.join(", ")
                ))
                .in_file(entry.path.clone())
                .hint("give the file itself to --to"))
            }
            _ => Ok(entry.path.clone()),
        }
    }

    fn walk(&self) -> Result<Vec<String>> {
        let mut out = Vec::new();
        for entry in walkdir::WalkDir::new(&self.root)
            .min_depth(1)
            .sort_by_file_name()
        {
            let entry = entry.map_err(disk::walk_error)?;
            let Ok(relative) = entry.path().strip_prefix(&self.root) else {
                continue;
            };
            let parts: Option<Vec<&str>> = relative
                .components()
                .map(|part| part.as_os_str().to_str())
                .collect();
            if let (true, Some(parts)) = (entry.file_type().is_file(), parts)
                && !parts.first().is_some_and(|first| first.starts_with(COPIES))
            {
                out.push(parts.join("/"));
            }
        }
        // A file that a mod deleted still exists as its `.orig`.
        let deleted: Vec<String> = out
            .iter()
            .filter_map(|path| path.strip_suffix(".orig"))
            .map(str::to_owned)
            .collect();
        out.extend(deleted);
        out.sort();
        out.dedup();
        out.retain(|path| !path.ends_with(".orig"));
        Ok(out)
    }

    /// The pristine file: `NAME.orig`, or the file itself if there is no `NAME.orig`.
    fn pristine(&self, path: &str) -> Result<Option<PathBuf>> {
        let file = self.root.join(check_inside_path(path)?);
        if self
            .known(path)
            .is_some_and(|known| known.original.is_none())
        {
            return Ok(None);
        }
        let real = match file.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => {
                refit_base::path::canonical(&file).map_err(|e| Error::io(&file, e))?
            }
            _ => file.clone(),
        };
        Ok(game_files::original_of(&real).or(Some(file).filter(|file| file.is_file())))
    }

    /// The list's entry for a file that mods change.
    fn known(&self, path: &str) -> Option<&AppliedFile> {
        self.by_path
            .get(path)
            .and_then(|at| self.applied.files.get(*at))
    }

    fn plan(&self, mods: Vec<(Mod, Prefer)>) -> Result<Plan> {
        // The entries of the mods, by file.
        let mut touched: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        let mut all = None;
        for (by, (a_mod, _)) in mods.iter().enumerate() {
            for (n, entry) in a_mod.manifest.files.iter().enumerate() {
                touched
                    .entry(self.find(entry, &mut all)?)
                    .or_default()
                    .push((by, n));
            }
        }
        let (whole, missing) = self.resolved(&mods)?;
        let paths: BTreeSet<String> = touched
            .keys()
            .cloned()
            .chain(self.applied.files.iter().map(|file| file.path.clone()))
            .collect();
        let paths: Vec<String> = paths.into_iter().collect();
        let files = par::try_map(&paths, |_, path| {
            self.file(
                path,
                touched.get(path).map(Vec::as_slice).unwrap_or_default(),
                &whole,
                &missing,
            )
            .map_err(|e| match e.file() {
                Some(_) => e,
                None => e.in_file(path.as_str()),
            })
        })?;
        Ok(Plan {
            names: mods
                .iter()
                .map(|(a_mod, _)| a_mod.manifest.name.clone())
                .collect(),
            files,
            mods,
        })
    }

    /// The mods with what they take from other files of the game, and what these lack.
    #[allow(clippy::type_complexity, reason = "it is used twice, and only here")]
    fn resolved(
        &self,
        mods: &[(Mod, Prefer)],
    ) -> Result<(Vec<(Mod, Prefer)>, Vec<(usize, Missing)>)> {
        let read = |path: &str| self.original(path);
        let mut shelf = Shelf::new(&read);
        let (mut whole, mut missing) = (Vec::new(), Vec::new());
        for (by, (a_mod, prefer)) in mods.iter().enumerate() {
            let (a_mod, missed) = if needs_others(a_mod) {
                resolved(a_mod, &mut shelf)?
            } else {
                (a_mod.clone(), Vec::new())
            };
            missing.extend(missed.into_iter().map(|missed| (by, missed)));
            whole.push((a_mod, *prefer));
        }
        Ok((whole, missing))
    }

    /// Makes one file from the pristine one, with the applied mods and a further one. Mods keep
    /// their positions; the further one is the last.
    pub(super) fn made(&self, path: &str, further: Option<Mod>) -> Result<Made> {
        let (mut all, mut mods, mut touched) = (None, Vec::new(), Vec::new());
        for (by, (a_mod, prefer)) in self.mods.iter().enumerate() {
            let mut wanted = Vec::new();
            for (n, entry) in a_mod.manifest.files.iter().enumerate() {
                if self.find(entry, &mut all)? == path {
                    wanted.push(n);
                }
            }
            touched.extend((0..wanted.len()).map(|n| (by, n)));
            mods.push((only(a_mod, &wanted), *prefer));
        }
        if let Some(further) = further {
            touched.extend((0..further.manifest.files.len()).map(|n| (mods.len(), n)));
            mods.push((further, Prefer::None));
        }
        let names: Vec<String> = mods
            .iter()
            .map(|(a_mod, _)| a_mod.manifest.name.clone())
            .collect();
        let (mods, missing) = self.resolved(&mods)?;
        let base = self
            .pristine(path)?
            .as_deref()
            .map(disk::read)
            .transpose()?;
        let mut planned = Planned::new(path, &touched, &missing);
        let bytes = self.wanted(path, &touched, &mods, base.as_ref(), &mut planned)?;
        let open = planned
            .conflicts
            .iter()
            .filter(|conflict| conflict.is_open());
        let unplaced = planned.unplaced.iter();
        Ok(Made {
            bytes,
            conflicts: open.map(|conflict| conflict.text(&names, path)).collect(),
            unplaced: unplaced
                .map(|missed| (missed.by, missed.text(&names, path)))
                .collect(),
            more: planned.more_unplaced,
        })
    }

    fn file(
        &self,
        path: &str,
        touched: &[(usize, usize)],
        mods: &[(Mod, Prefer)],
        missing: &[(usize, Missing)],
    ) -> Result<Planned> {
        let file = self.root.join(check_inside_path(path)?);
        let pristine = self.pristine(path)?;
        let base = pristine.as_deref().map(disk::read).transpose()?;
        let base_sum = base.as_ref().map(|bytes| Sum::of(bytes));
        let now = standing(&file)?;
        let known = self.known(path);
        // A deleted file contains no work that could be lost.
        let is_of_mods = || match known.and_then(|known| known.written) {
            Some(written) => is_standing(&file, Some(written)),
            None => Ok(false),
        };
        let foreign = now.is_some() && now != base_sum && !is_of_mods()?;
        let mut planned = Planned {
            foreign,
            ..Planned::new(path, touched, missing)
        };
        let wanted = self.wanted(path, touched, mods, base.as_ref(), &mut planned)?;
        let wanted_sum = wanted.as_ref().map(|bytes| Sum::of(bytes));
        planned.bytes = wanted.as_ref().map(|bytes| bytes.len() as u64);
        let is_pristine = wanted_sum == base_sum;
        let backed = pristine.as_deref().is_some_and(|pristine| pristine != file);
        let restore = is_pristine && backed;
        planned.outcome = match (&base_sum, &wanted_sum) {
            _ if wanted_sum == now && !restore => FileOutcome::Unchanged,
            _ if is_pristine && base_sum.is_some() => FileOutcome::Restored,
            (None, Some(_)) => FileOutcome::Added,
            (_, None) => FileOutcome::Deleted,
            _ => FileOutcome::Changed,
        };
        if !touched.is_empty() && !is_pristine {
            let names = touched
                .iter()
                .filter_map(|(by, _)| mods.get(*by))
                .map(|(a_mod, _)| a_mod.manifest.name.clone());
            planned.noted = Some(AppliedFile {
                path: path.to_owned(),
                original: base_sum,
                written: wanted_sum,
                mods: names.collect(),
            });
        }
        if planned.outcome != FileOutcome::Unchanged {
            let how = match (restore, &base_sum) {
                (true, _) => How::Restore,
                (false, None) => How::Own,
                (false, Some(_)) => How::Game,
            };
            planned.step = Some(Step {
                path: path.to_owned(),
                old: now,
                new: wanted,
                how,
            });
        }
        Ok(planned)
    }

    /// The content that the mods give a file; `None` if they delete it.
    fn wanted(
        &self,
        path: &str,
        touched: &[(usize, usize)],
        mods: &[(Mod, Prefer)],
        base: Option<&Bytes>,
        planned: &mut Planned,
    ) -> Result<Option<Bytes>> {
        let read = |path: &str| self.original(path);
        let mut claims = Claims {
            base: base.cloned(),
            base_sha256: OnceCell::new(),
            patches: Vec::new(),
            whole: None,
            made_from: None,
            hints: Hints::default(),
            read: &read,
        };
        for (by, n) in touched {
            let Some((a_mod, prefer)) = mods.get(*by) else {
                continue;
            };
            let Some(entry) = a_mod.manifest.files.get(*n) else {
                continue;
            };
            claims.stack(entry, path, planned)?;
            match (a_mod.changes.get(*n).and_then(Option::as_ref), &entry.new) {
                // The file cannot be made from this game, which is reported.
                (None, None) if entry.original.is_none() => {}
                (Some(changes), _) => {
                    claims.change(
                        entry,
                        Patch {
                            by: *by,
                            changes,
                            files: &a_mod.files,
                            prefer: *prefer,
                        },
                        planned,
                    );
                }
                (None, new) => {
                    let bytes = new
                        .as_ref()
                        .map(|new| a_mod.file(new).cloned())
                        .transpose()?;
                    claims.replace(entry, bytes, (*by, *prefer), planned)?;
                }
            }
        }
        if let Some((bytes, _)) = claims.whole {
            return Ok(bytes);
        }
        if claims.patches.is_empty() {
            return Ok(claims.base);
        }
        let done = patched(&claims, path, planned).map_err(|e| match planned.unplaced.first() {
            // Report the missing content: the other changes need it.
            Some(missed) => {
                let error = Error::say(place([&missed.part, &missed.why])).in_file(path);
                error.hint(format!(
                    "the mod's other changes do not fit without it: {e}"
                ))
            }
            None => e,
        })?;
        let Some(done) = done else { return Ok(None) };
        planned.take(done.unplaced, done.more, done.conflicts);
        let patches = claims.patches;
        // A single mod applied to exactly the file it was made from must reproduce the author's
        // file.
        if let ([_], [(by, n)], false, true) = (
            patches.as_slice(),
            touched,
            planned.edition,
            planned.unplaced.is_empty(),
        ) && let Some(result) = mods
            .get(*by)
            .and_then(|(a_mod, _)| a_mod.manifest.files.get(*n)?.result.clone())
            && result.sha256 != refit_base::sha256(&done.bytes)
        {
            return Err(Error::say("the changes do not give the file that the mod's author had")
                .hint("the mod was edited by hand, or another refit made it; `refit mod make` makes it again"));
        }
        Ok(Some(done.bytes))
    }

    /// Carries out a plan, all or nothing. `force` also replaces files that something else changed,
    /// and keeps a copy of them.
    pub fn carry_out(&mut self, plan: Plan, what: &str, force: bool) -> Result<()> {
        if let Some(file) = plan
            .files
            .iter()
            .find(|file| file.foreign && file.step.is_some())
            && !force
        {
            let path = self.root.join(&file.path);
            let what = match disk::current_note(&path).is_some() {
                true => {
                    "the file is neither the original nor the mods' result: refit itself has written it since (put, \
                    repack or watch)"
                }
                false => {
                    "the file is neither the original nor what refit wrote; another program changed it"
                }
            };
            return Err(Error::say(what)
                .in_file(file.path.clone())
                .hint("nothing was written; --force replaces it and keeps a copy as NAME.orig.2"));
        }
        let mut applied = Applied {
            refitmods: STATE_VERSION,
            refit: env!("CARGO_PKG_VERSION").to_owned(),
            mods: Vec::new(),
            files: plan
                .files
                .iter()
                .filter_map(|file| file.noted.clone())
                .collect(),
        };
        let mut own: BTreeMap<String, Option<Bytes>> = self
            .applied
            .mods
            .iter()
            .map(|entry| (entry.file.clone(), None))
            .collect();
        for (a_mod, prefer) in &plan.mods {
            let file = copy_name(&a_mod.manifest.name);
            own.insert(file.clone(), Some(pack::to_zip(a_mod)?.into()));
            applied.mods.push(AppliedMod {
                name: a_mod.manifest.name.clone(),
                version: a_mod.manifest.version.clone(),
                author: a_mod.manifest.author.clone(),
                sha256: a_mod.sha256()?,
                file,
                prefer: match prefer {
                    Prefer::None => None,
                    Prefer::First => Some("first".into()),
                    Prefer::Last => Some("last".into()),
                },
            });
        }
        let state = if applied.mods.is_empty() {
            None
        } else {
            Some(Bytes::from(applied.to_text(Style::Json)?))
        };
        own.insert(STATE.to_owned(), state);
        let foreign: Vec<String> = plan
            .files
            .iter()
            .filter(|file| file.foreign && file.step.is_some())
            .map(|file| file.path.clone())
            .collect();
        let mut steps: Vec<Step> = plan
            .files
            .into_iter()
            .filter_map(|file| file.step)
            .collect();
        for (path, new) in own {
            let old = standing(&self.root.join(&path))?;
            if old != new.as_ref().map(|bytes| Sum::of(bytes)) {
                steps.push(Step {
                    path,
                    old,
                    new,
                    how: How::Own,
                });
            }
        }
        if !steps.is_empty() {
            let (mut together, recovered) = Together::begin(&self.root, what)?;
            if let Some(recovered) = recovered {
                return Err(Error::say(recovered.to_string()).hint("try again"));
            }
            for path in foreign {
                disk::keep_copy(&self.root.join(path))?;
            }
            steps
                .iter()
                .try_for_each(|step| self.step(step, &mut together))?;
            together.commit()?;
        }
        let _ = disk::patiently(|| std::fs::remove_dir(self.root.join(COPIES)));
        self.mods = plan.mods;
        self.by_path = by_path(&applied);
        self.applied = applied;
        Ok(())
    }

    fn step(&self, step: &Step, together: &mut Together) -> Result<()> {
        let path = self.root.join(check_inside_path(&step.path)?);
        if standing(&path)? != step.old {
            return Err(Error::say("the file changed while refit was at work")
                .in_file(step.path.clone())
                .hint("nothing was written; try again"));
        }
        // refit's own files are not files that the mods add to the game.
        let adds = Some(Path::new(&step.path)).filter(|_| !step.path.starts_with(COPIES));
        let all = Replace {
            by: By::Mods,
            adds,
            ..Replace::new(true)
        };
        let may = match step.how {
            // Keep an original even if refit wrote it: the mods started from it.
            How::Game => Replace {
                read: step.old,
                source: step.old,
                ..all
            },
            _ => Replace {
                read: step.old,
                backup: Backup::Never,
                ..all
            },
        };
        match (step.how, &step.new) {
            (How::Restore, _) => together.restore(&disk::original(&path)?).map(|_| ()),
            (_, Some(bytes)) => {
                let write = |out: &mut (dyn std::io::Write + Send)| {
                    out.write_all(bytes).map_err(Error::stopped)
                };
                together.write(&path, may, write, |_, _| Ok(())).map(|_| ())
            }
            (_, None) => together.remove(&path, may).map(|_| ()),
        }
    }
}
