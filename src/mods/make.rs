//! Makes a mod from two states of a game: only the changes.

use super::{
    bases::{Making, Originals, Shelf, needs_others, resolved, settle},
    difference::{not_made, proved_within},
    format::{FileChanges, FileEntry, MOD_VERSION, Mod, ModManifest, State},
};
use refit_base::wire::Result;
use refit_diff::{self as diff, Tree, delta};
use refit_files::pipeline::Hints;
use std::collections::BTreeMap;

/// A file of at least this many bytes is large, see [`Maker::at_most`].
const LARGE: u64 = 4 << 20;

/// Collects the content of a mod, file by file.
pub struct Maker {
    made: Mod,
    making: Making,
    /// The most differences of a file that an edit may have.
    most: usize,
}

impl Maker {
    /// A mod without files.
    pub fn new(name: &str) -> Self {
        let manifest = ModManifest {
            refitmod: MOD_VERSION,
            name: name.to_owned(),
            version: String::new(),
            author: String::new(),
            about: String::new(),
            license: String::new(),
            refit: env!("CARGO_PKG_VERSION").to_owned(),
            files: Vec::new(),
            sums: Vec::new(),
        };
        Maker {
            made: Mod {
                manifest,
                changes: Vec::new(),
                files: BTreeMap::new(),
            },
            making: Making::default(),
            most: usize::MAX,
        }
    }

    /// Refuses large files that differ in more than `most` places: that is another file and no edit.
    #[must_use]
    pub fn at_most(self, most: usize) -> Self {
        Maker { most, ..self }
    }

    /// The mod's description, for the caller to fill in.
    pub fn about(&mut self) -> &mut ModManifest {
        &mut self.made.manifest
    }

    fn push(&mut self, entry: FileEntry, changes: Option<FileChanges>) {
        self.made.manifest.files.push(entry);
        self.made.changes.push(changes);
    }

    fn entry(path: &str, tree: &Tree) -> FileEntry {
        FileEntry {
            path: path.to_owned(),
            game: tree.game,
            format: tree.format,
            original: None,
            base: None,
            result: None,
            changes: None,
            new: None,
            pieces: None,
        }
    }

    /// Adds a file in two states. False if they are equal: the mod does not contain it.
    pub fn changed(&mut self, path: &str, a: &Tree, b: &Tree) -> Result<bool> {
        if diff::is_same(&a.file, &b.file)? {
            return Ok(false);
        }
        // Smaller files cannot have as many differences.
        let most = match a.file.len().min(b.file.len()) {
            ..LARGE => usize::MAX,
            _ => self.most,
        };
        let folder = format!("new/{path}");
        let (changes, files) = proved_within(a, b, &folder, most).map_err(|e| e.in_file(path))?;
        self.made.files.extend(files);
        let text = format!("changes/{path}.json");
        let entry = FileEntry {
            original: Some(State::of(&a.file)?),
            result: Some(State::of(&b.file)?),
            changes: Some(text),
            ..Self::entry(path, a)
        };
        self.making.note(self.made.changes.len(), &changes, b);
        self.making.own.insert(
            path.to_owned(),
            (
                a.file.clone(),
                Hints {
                    game: a.game,
                    format: a.format,
                },
            ),
        );
        a.file.check_unchanged()?;
        b.file.check_unchanged()?;
        self.push(entry, Some(changes));
        Ok(true)
    }

    /// Adds a file that the original does not have.
    pub fn added(&mut self, path: &str, b: &Tree) -> Result<()> {
        let bytes = b.file.bytes()?;
        let file = format!("new/{path}");
        let entry = FileEntry {
            result: Some(State::of(&b.file)?),
            new: Some(file.clone()),
            ..Self::entry(path, b)
        };
        self.made.files.insert(file, bytes);
        self.making
            .added
            .push((self.made.changes.len(), b.file.clone()));
        self.push(entry, None);
        Ok(())
    }

    /// Stores the added file `new` as changes to `old`, a file of the game, instead of to the most
    /// similar one. [`Maker::finish_with`] returns an error if the mod does not add `new`, or the
    /// game does not have `old`.
    pub fn base(&mut self, new: &str, old: &str) {
        self.making.bases.insert(new.to_owned(), old.to_owned());
    }

    /// Adds the deletion of a file.
    pub fn removed(&mut self, path: &str, a: &Tree) -> Result<()> {
        let entry = FileEntry {
            original: Some(State::of(&a.file)?),
            ..Self::entry(path, a)
        };
        self.push(entry, None);
        Ok(())
    }

    /// Finishes the mod, without content copied from the files that it changes. If more files of
    /// the game are available, use [`Maker::finish_with`], which searches all of them.
    pub fn finish(self) -> Result<Mod> {
        let own = self
            .making
            .own
            .iter()
            .map(|(path, (file, _))| (path.clone(), file.clone()))
            .collect::<BTreeMap<_, _>>();
        self.finish_with(&own)
    }

    /// Finishes the mod, without content copied from any of these files: it refers to the file
    /// instead. Proves that mod and files together reproduce the author's files.
    pub fn finish_with(self, originals: &dyn Originals) -> Result<Mod> {
        let Maker {
            mut made, making, ..
        } = self;
        let whole = made.clone();
        settle(&mut made, making, originals)?;
        if needs_others(&made) {
            let read = |path: &str| originals.file(path).and_then(|file| file.bytes()).map(Some);
            let again = resolved(&made, &mut Shelf::new(&read));
            let (again, missing) = again.map_err(|e| match e.to_string() {
                why if why.contains(delta::Room::NONE_LEFT) => {
                    not_made(&why).in_file(e.file().unwrap_or_default())
                }
                _ => e,
            })?;
            if let Some(missing) = missing.first() {
                let file = made
                    .manifest
                    .files
                    .get(missing.file)
                    .map_or("", |entry| entry.path.as_str());
                return Err(not_made(&missing.what.why).in_file(file));
            }
            for (entry, (is, was)) in made
                .manifest
                .files
                .iter()
                .zip(again.manifest.files.iter().zip(&whole.manifest.files))
            {
                let held =
                    |a_mod: &Mod, entry: &FileEntry| a_mod.files.get(entry.new.as_ref()?).cloned();
                if entry.original.is_none() && held(&again, is) != held(&whole, was) {
                    return Err(
                        not_made("the copies from the game do not give the new file")
                            .in_file(entry.path.clone()),
                    );
                }
            }
        }
        Ok(made)
    }
}
