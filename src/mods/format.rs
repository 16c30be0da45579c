//! The stored form of a mod: `mod.json`, one text of changes per changed file, and the author's new
//! files.

use bytes::Bytes;
use refit_base::{
    Sha256,
    contract::{Schema, schema},
    format::Format,
    game::Game,
    tree::{Blob, Document, Style, check_foreign_path, fold},
    wire::{Error, Result, count, utf8},
};
use refit_diff::{Value, check_depth, delta::Piece};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Version of the mod format that this refit writes. It reads no newer version.
pub const MOD_VERSION: u32 = 1;
/// The manifest of a mod.
pub const MANIFEST: &str = "mod.json";

refit_base::record! {
    /// The description of a mod, and its files.
    pub struct ModManifest {
        /// Version of the mod format.
        refitmod: u32,
        /// The mod's name, as used by `refit mod remove`.
        name: String,
        /// The mod's own version.
        version!: String,
        /// The mod's author.
        author!: String,
        /// Its purpose, in one sentence.
        about!: String,
        /// Its licence.
        license!: String,
        /// Version of the refit that made it.
        refit!: String,
        /// The files of the game that it touches, by their path.
        files: Vec<FileEntry>,
        /// The checksums of the new files in the mod that belong to a part of a game's file. Other
        /// new files are the result of their entry in `files`.
        sums*: NewFileSum,
    }
}

refit_base::document!(ModManifest, "mod");

refit_base::record! {
    /// A file of the game that a mod touches.
    pub struct FileEntry {
        /// Its path below the game's folder, with `/`.
        path: String,
        /// The game that it belongs to, if the file shows it.
        game?: Game,
        /// Its format, if known.
        format?: Format,
        /// The file that the mod was made from; a new file has none.
        original?: State,
        /// For a new file: the file of the game that it starts as a copy of. `changes` lists the
        /// differences; without it, the new file is an exact copy.
        base?: Base,
        /// The result of this mod alone; a deleted file has none.
        result?: State,
        /// The text in the mod that says what changes, also from `base`; absent if the file is
        /// deleted, or new as it is.
        changes?: String,
        /// The file in the mod with the content, if the file is new.
        new?: String,
        /// What a new file is made of, if it reuses parts of several files of the game.
        pieces?: Pieces,
    }
}

/// A new file in a mod.
#[derive(Clone, PartialEq, Eq, Debug, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewFileSum {
    /// Its path in the mod.
    pub file: String,
    /// Its SHA-256, as lower-case hexadecimal.
    pub sha256: String,
}

/// A file of the game that a new file starts from.
#[derive(Clone, PartialEq, Eq, Debug, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// Its path below the game's folder, with `/`.
    pub path: String,
    /// The file that the mod was made from.
    pub original: State,
}

refit_base::record! {
    /// A file of the game, or a part of it, that something new is made from.
    #[derive(Eq)]
    pub struct Origin {
        /// The path of the file below the game's folder, with `/`.
        file: String,
        /// SHA-256 of the file.
        sha256: String,
        /// The part of the file's tree; without it, it is the file itself.
        part?: String,
    }
}

/// How a file is identified.
#[derive(Clone, PartialEq, Eq, Debug, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Its size in bytes.
    pub bytes: u64,
    /// Its SHA-256, as lower-case hexadecimal.
    pub sha256: String,
}

impl State {
    /// The state of a file with this content.
    pub fn of(file: &Blob) -> Result<Self> {
        let mut sha256 = Sha256::default();
        file.each(&mut |chunk| {
            sha256.update(chunk);
            Ok(())
        })?;
        Ok(State {
            bytes: file.len(),
            sha256: sha256.hex(),
        })
    }
}

/// The changes of a file.
#[derive(Clone, PartialEq, Debug, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileChanges {
    /// The parts of its tree that change.
    pub parts: Vec<PartEntry>,
}

refit_base::document!(FileChanges, "mod-changes");

refit_base::record! {
    /// The changes of a part of a file's tree.
    #[derive(Default)]
    pub struct PartEntry {
        /// Its path in the tree; the empty one is the file itself.
        part: String,
        /// The part is new.
        new?: NewPart,
        /// The part is removed; this is its old checksum.
        gone?: String,
        /// The part is renamed to this path.
        renamed?: String,
        /// The changes of a document, or of the lines of a text.
        changes*: StoredChange,
        /// The pieces of a plain file.
        pieces?: Pieces,
    }
}

impl StoredChange {
    /// The number of differences that it represents: 1, or the number of items that it places.
    pub fn weight(&self) -> usize {
        self.place.len().max(1)
    }
}

impl PartEntry {
    /// The file of the mod that it refers to.
    pub fn file(&self) -> Option<&String> {
        match (&self.new, &self.pieces) {
            (Some(NewPart::File(file)), _) => Some(file),
            (Some(NewPart::Pieces(pieces)), _) | (None, Some(pieces)) => pieces.file.as_ref(),
            _ => None,
        }
    }

    /// The parts of the file that the changes use.
    pub(crate) fn used(&self) -> Vec<&str> {
        let mut parts = vec![self.part.as_str()];
        parts.extend(self.renamed.as_deref());
        match (&self.new, &self.pieces) {
            (Some(NewPart::Like(like)), _) => parts.push(like),
            (Some(NewPart::From(origin)), _) => parts.extend(origin.part.as_deref()),
            (Some(NewPart::Pieces(pieces)), _) | (None, Some(pieces)) => {
                parts.extend(pieces.from.iter().filter_map(|from| from.part.as_deref()));
            }
            _ => {}
        }
        let held = self.made_values().into_iter().flat_map(|made| &made.from);
        let own = held.filter(|held| held.file.is_none());
        parts.extend(own.map(|held| held.part.as_str()));
        parts
    }

    /// The other files of the game that it is made from.
    pub(crate) fn origins(&self) -> Vec<&str> {
        let mut files: Vec<&str> = match (&self.new, &self.pieces) {
            (Some(NewPart::From(origin)), _) => vec![&origin.file],
            (Some(NewPart::Pieces(pieces)), _) | (None, Some(pieces)) => {
                pieces.files().map(String::as_str).collect()
            }
            _ => Vec::new(),
        };
        let held = self.made_values().into_iter().flat_map(|made| &made.from);
        files.extend(held.filter_map(|held| held.file.as_deref()));
        files
    }

    /// The values in it that reuse parts of documents.
    pub(super) fn made_values(&self) -> Vec<&Made> {
        let new = if let Some(NewPart::Made(made)) = &self.new {
            Some(made)
        } else {
            None
        };
        new.into_iter()
            .chain(self.changes.iter().flat_map(StoredChange::made_values))
            .collect()
    }

    /// Like [`PartEntry::file`], for renaming.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match (&mut self.new, &mut self.pieces) {
            (Some(NewPart::File(file)), _) => Some(file),
            (Some(NewPart::Pieces(pieces)), _) | (None, Some(pieces)) => pieces.file.as_mut(),
            _ => None,
        }
    }
}

/// A part that the original does not have.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NewPart {
    /// A document.
    Document(Value),
    /// A document that reuses parts of documents of the game.
    Made(Made),
    /// A plain file: its path in the mod.
    File(String),
    /// It starts as a copy of this part of the original; `changes` lists the differences.
    Like(String),
    /// A plain file that reuses parts of the original file: pieces of that file, and new bytes.
    Pieces(Pieces),
    /// It starts as a copy of this part of another file of the game; `changes` lists the
    /// differences.
    From(Origin),
}

refit_base::record! {
    /// A plain file as pieces of the old file and new bytes.
    #[derive(Default)]
    pub struct Pieces {
        /// Checksum of the old file, if there was one.
        was!: String,
        /// Checksum of the whole original file, if pieces come from it too; their offsets continue
        /// after the end of the old file.
        whole?: String,
        /// The files of the game that the pieces come from, if not the old file. Offsets count
        /// through all of them, one after the other.
        from*: Origin,
        /// The pieces in order: where a piece of the old file begins and how long it is, or how
        /// many new bytes follow.
        pieces: Vec<Piece<u64>>,
        /// The new bytes in hexadecimal.
        bytes!: String,
        /// The file in the mod with the new bytes, if there are many.
        file?: String,
    }
}

impl Pieces {
    /// The files of the game that the pieces come from.
    pub(crate) fn files(&self) -> impl Iterator<Item = &String> {
        self.from.iter().map(|origin| &origin.file)
    }

    /// The new bytes if they are stored as hexadecimal digits. `None` if these are invalid.
    pub(crate) fn inline(&self) -> Option<Vec<u8>> {
        let digits = self.bytes.as_bytes().chunks(2).map(|pair| {
            std::str::from_utf8(pair)
                .ok()
                .filter(|pair| pair.len() == 2)
        });
        digits
            .map(|pair| u8::from_str_radix(pair?, 16).ok())
            .collect()
    }
}

refit_base::record! {
    /// A change of a document. Paths refer to the original.
    #[derive(Default)]
    #[schemars(rename = "Entry")]
    pub struct StoredChange {
        /// The path from the document's root to the value that changes.
        at: Vec<StoredStep>,
        /// Checksum of the original value; a new field has none.
        was?: String,
        /// The new value.
        #[serde(deserialize_with = "some")]
        to?: Value,
        /// A text that keeps pieces of the old one: where a piece begins and its length in bytes,
        /// or new text.
        text*: Piece<String>,
        /// Checksum of all texts of the document, one after the other, if pieces come from them
        /// too; their offsets continue after the end of the old text.
        texts?: String,
        /// The new value, if it reuses parts of documents of the game.
        made?: Made,
        /// The field or item is removed.
        gone!: bool,
        /// Items that are added to a list or moved within it.
        place*: Item,
        /// The item before them; none at the beginning.
        after?: StoredStep,
        /// The item that followed that one, for another edition of the file.
        before?: StoredStep,
    }
}

impl StoredChange {
    /// The values in it that reuse parts of documents.
    pub(super) fn made_values(&self) -> Vec<&Made> {
        let (mut out, mut open) = (Vec::new(), vec![self]);
        while let Some(change) = open.pop() {
            out.extend(&change.made);
            for item in &change.place {
                match item {
                    Item::Made(made) => out.push(made),
                    Item::Copy { changes, .. } => open.extend(changes),
                    _ => {}
                }
            }
        }
        out
    }
}

/// Reads a field that is present: `null` is a value and differs from a missing field.
fn some<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(d).map(Some)
}

/// A step of a path to a value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Place")]
pub enum StoredStep {
    /// A field of a record.
    Key(String),
    /// An item of a list by its name, and the number of earlier items with that name.
    Named(String, u64),
    /// An item of a list by its position and checksum.
    At(u64, String),
}

/// A value as pieces of documents of the game and new text. Offsets refer to JSON without blanks.
#[derive(Clone, PartialEq, Debug, Default, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The documents that the pieces come from. Offsets count through all of them, one after the
    /// other.
    pub from: Vec<Held>,
    /// The pieces in order: where a piece of the documents begins and its length in bytes, or new
    /// text.
    pub json: Vec<Piece<String>>,
}

impl Made {
    /// The new text in it, for display, with `…` for pieces of documents; without a new word, their
    /// number.
    pub fn described(&self) -> String {
        let (mut text, mut reused) = (String::new(), 0);
        for piece in &self.json {
            match piece {
                Piece::New(new) => text.push_str(new),
                Piece::Old(..) => {
                    reused += 1;
                    if !text.ends_with('…') {
                        text.push('…');
                    }
                }
            }
        }
        if text.contains(char::is_alphanumeric) {
            text
        } else {
            count(reused, "reused part")
        }
    }
}

/// A document of the original file, or of another file of the game.
#[derive(Clone, PartialEq, Eq, Debug, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Document")]
pub struct Held {
    /// The file of the game that contains it, if it is not the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its path in the tree.
    pub part: String,
    /// Its checksum.
    pub was: String,
}

/// An item at its position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Item {
    /// A new one.
    New(Value),
    /// A new one that reuses parts of documents of the game.
    Made(Made),
    /// One that was elsewhere.
    Move(StoredStep),
    /// A copy of an item, with changes whose paths begin at the item.
    Copy {
        /// The copied item of the original.
        of: StoredStep,
        /// Checksum of that item in the original.
        was: String,
        /// The differences.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<StoredChange>,
    },
}

/// A mod in memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Mod {
    /// Its description and the list of its files.
    pub manifest: ModManifest,
    /// For each file in the order of the manifest, its changes; `None` for new and deleted files.
    pub changes: Vec<Option<FileChanges>>,
    /// The author's new plain files, by path.
    pub files: BTreeMap<String, Bytes>,
}

/// Checks that no path repeats and no file is where another path needs a folder, on any file
/// system.
fn check_apart<'a>(paths: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for path in paths {
        check_foreign_path(path)?;
        if seen.insert(fold(path), path).is_some() {
            return Err(Error::say(format!("{path} occurs twice")));
        }
    }
    let clash = |(folded, path): (&String, &&'a str)| {
        let file = folded
            .match_indices('/')
            .find_map(|(at, _)| seen.get(folded.get(..at)?))?;
        Some(((*path).to_owned(), *file))
    };
    match seen.iter().filter_map(clash).min() {
        Some((path, file)) => Err(Error::say(format!(
            "{path} needs a folder, but {file} is a file"
        ))),
        None => Ok(()),
    }
}

fn read<T: Document>(bytes: &[u8], path: &str) -> Result<T> {
    let text = utf8(bytes).map_err(|e| e.in_file(path))?;
    check_depth(text)
        .and_then(|()| T::from_text(text.strip_prefix('\u{feff}').unwrap_or(text), Style::Json))
        .map_err(|e| e.in_file(path))
}

impl Mod {
    /// The files of the mod, by path, as stored in the zip or folder.
    pub fn to_files(&self) -> Result<BTreeMap<String, Bytes>> {
        let mut out = self.files.clone();
        for (entry, changes) in self.manifest.files.iter().zip(&self.changes) {
            if let (Some(path), Some(changes)) = (&entry.changes, changes) {
                out.insert(path.clone(), changes.to_text(Style::Json)?.into());
            }
        }
        let mut manifest = self.manifest.clone();
        let whole: HashSet<&str> = self.whole_files().map(|(path, _)| path).collect();
        let parts = self
            .files
            .iter()
            .filter(|(path, _)| !whole.contains(&***path));
        manifest.sums = parts
            .map(|(path, bytes)| NewFileSum {
                file: path.clone(),
                sha256: refit_base::sha256(bytes),
            })
            .collect();
        out.insert(MANIFEST.to_owned(), manifest.to_text(Style::Json)?.into());
        Ok(out)
    }

    /// The files of the mod that are new files of the game as they are, and what they must be.
    fn whole_files(&self) -> impl Iterator<Item = (&str, &State)> {
        let entries = self.manifest.files.iter().zip(&self.changes);
        entries.filter_map(|(entry, changes)| {
            let is_whole = changes.is_none() && entry.pieces.is_none();
            let path = entry.new.as_deref().filter(|_| is_whole)?;
            Some((path, entry.result.as_ref()?))
        })
    }

    /// An error for a new file that is not the one that the mod was made with.
    fn check_sums(&self) -> Result<()> {
        let whole = self
            .whole_files()
            .map(|(path, state)| (path, &state.sha256));
        let parts = self
            .manifest
            .sums
            .iter()
            .map(|sum| (&*sum.file, &sum.sha256));
        for (path, sha256) in whole.chain(parts) {
            if refit_base::sha256(self.file(path)?) != *sha256 {
                return Err(Error::say("damaged: not the file that the mod was made with")
                    .in_file(path)
                    .hint("get the mod again; after an edit by hand, `refit mod make` makes a new one"));
            }
        }
        Ok(())
    }

    /// Reads a mod from its files.
    pub(crate) fn from_files(files: BTreeMap<String, Bytes>) -> Result<Self> {
        Self::from_files_of(files, u64::MAX)
    }

    /// Does the same with a limit on the bytes of text.
    pub(super) fn from_files_of(
        mut files: BTreeMap<String, Bytes>,
        most_text: u64,
    ) -> Result<Self> {
        /// The field that every version must keep.
        #[derive(Deserialize)]
        struct Version {
            refitmod: u32,
        }
        check_apart(files.keys().map(String::as_str))?;
        files
            .iter()
            .try_for_each(|(path, file)| refit_base::secret::check(path, file))?;
        let bytes = files
            .remove(MANIFEST)
            .ok_or_else(|| Error::say(format!("no {MANIFEST} in it: this is not a mod")))?;
        let text = String::from_utf8_lossy(&bytes);
        check_depth(&text)?;
        if let Ok(version) = serde_json::from_str::<Version>(&text)
            && version.refitmod != MOD_VERSION
        {
            return Err(Error::say(format!(
                "a mod of version {}; this refit reads version {MOD_VERSION}",
                version.refitmod
            ))
            .in_file(MANIFEST));
        }
        let manifest: ModManifest = read(&bytes, MANIFEST)?;
        if manifest.name.trim().is_empty() {
            return Err(Error::say("the mod has no name").in_file(MANIFEST));
        }
        let mut changes = Vec::new();
        let mut left = most_text.saturating_sub(bytes.len() as u64);
        check_apart(manifest.files.iter().map(|entry| entry.path.as_str()))
            .map_err(|e| e.in_file(MANIFEST))?;
        for entry in &manifest.files {
            for path in entry
                .base
                .iter()
                .map(|base| &base.path)
                .chain(entry.pieces.iter().flat_map(Pieces::files))
            {
                check_foreign_path(path).map_err(|e| e.in_file(MANIFEST))?;
            }
            changes.push(match &entry.changes {
                Some(path) => {
                    let bytes = files.remove(path).ok_or_else(|| Error::missing(path))?;
                    left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
                        Error::say("its texts unpack to far more than the size of the mod explains")
                            .in_file(path)
                    })?;
                    let changes: FileChanges = read(&bytes, path)?;
                    for file in changes.parts.iter().flat_map(PartEntry::origins) {
                        check_foreign_path(file).map_err(|e| e.in_file(path.as_str()))?;
                    }
                    Some(changes)
                }
                None => None,
            });
        }
        let mut done = Mod {
            manifest,
            changes,
            files,
        };
        done.check_sums()?;
        // They are computed again when the mod is written.
        done.manifest.sums.clear();
        Ok(done)
    }

    /// One of the author's files.
    pub fn file(&self, path: &str) -> Result<&Bytes> {
        self.files.get(path).ok_or_else(|| Error::missing(path))
    }

    /// SHA-256 of the mod's content, independent of how it is packed.
    pub fn sha256(&self) -> Result<String> {
        let mut sum = refit_base::Sha256::default();
        for (path, bytes) in self.to_files()? {
            sum.update(&(path.len() as u64).to_le_bytes());
            sum.update(path.as_bytes());
            sum.update(&(bytes.len() as u64).to_le_bytes());
            sum.update(&bytes);
        }
        Ok(sum.hex())
    }
}

/// Document types of mods, for `schemas/`.
pub fn schemas() -> Vec<Schema> {
    vec![schema::<ModManifest>(), schema::<FileChanges>()]
}
