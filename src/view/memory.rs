//! Files in memory for [`View`]: what a person drops onto a page.
//!
//! A file is read on demand, so only displayed files take memory.

use super::{self as view, Content, Entry, SeeFinding, Stamp, Storage, View};
use bytes::Bytes;
use refit_base::{
    path::{is_hidden, is_litter, original_of},
    tree::{Blob, Source, Sums, is_of_project, read_head, sums::List},
    wire::{Error, Result},
};
use refit_diff::{self as diff, Comparison};
use refit_files::pipeline::{self, Hints};
use refit_index as index;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A file that is given.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its path below the dropped folder, with `/`.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Named itself, and not found in a folder: then it is listed even if refit does not know it.
    pub is_named: bool,
}

/// Reads the given file at a position.
type Read = Box<dyn Fn(usize) -> Result<Bytes> + Send + Sync>;

/// All files, by path.
struct Memory {
    /// Their positions and sizes.
    files: BTreeMap<String, (usize, u64)>,
    read: Read,
    /// All of them form one tree.
    is_tree: bool,
}

impl Memory {
    fn get(&self, path: &str) -> Result<Bytes> {
        let (number, _) = self.files.get(path).ok_or_else(|| Error::missing(path))?;
        (self.read)(*number)
    }

    /// The paths below a folder, which is empty or ends with a slash.
    fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a String> {
        let from = self
            .files
            .range::<str, _>((Bound::Included(folder), Bound::Unbounded));
        from.map(|(path, _)| path)
            .take_while(move |path| path.starts_with(folder))
    }
}

/// A folder of the given files, as a tree.
struct Below {
    files: Arc<Memory>,
    /// Empty, or with a slash at the end.
    folder: String,
}

impl Below {
    fn whole(&self, path: &str) -> String {
        format!("{}{path}", self.folder)
    }
}

impl Source for Below {
    fn get(&self, path: &str) -> Result<Bytes> {
        self.files
            .get(&self.whole(path))
            .map_err(|e| match self.has(path) {
                true => e,
                false => Error::missing(path),
            })
    }
    fn has(&self, path: &str) -> bool {
        self.files.files.contains_key(&self.whole(path))
    }
    fn paths(&self) -> Vec<String> {
        self.files
            .below(&self.folder)
            .filter_map(|path| path.strip_prefix(&self.folder).map(str::to_owned))
            .collect()
    }
    fn below(&self, folder: &str) -> Result<Vec<String>> {
        let below = self.whole(&format!("{folder}/"));
        let found = self.files.below(&below);
        Ok(found
            .filter_map(|path| path.strip_prefix(&self.folder).map(str::to_owned))
            .collect())
    }
}

/// True for a tree that was edited, or that may have been.
fn may_be_edited(tree: &dyn Source) -> bool {
    let Ok(mut before) = List::of(tree).and_then(|list| Sums::read(&list)) else {
        return true;
    };
    let is_other = |path: &String| match before.remove(path) {
        Some(sum) => !tree
            .blob(path)
            .and_then(|file| sum.fits_file(&file))
            .unwrap_or(false),
        None => !path.starts_with(".refit/") && !is_hidden(path),
    };
    tree.paths().iter().any(is_other) || before.paths().next().is_some()
}

/// The folders above a path, from the outermost: empty, or with a slash at the end.
fn above(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at + 1);
    std::iter::once(0)
        .chain(ends)
        .filter_map(|end| path.get(..end))
}

/// Folders that are not searched file by file: empty, or with a slash at the end.
struct Found {
    trees: BTreeSet<String>,
    /// Projects, and views that refit exported: files in them that belong to no tree are skipped.
    passed: BTreeSet<String>,
}

impl Found {
    fn new(files: &Memory) -> Self {
        let (mut trees, mut passed) = (BTreeSet::new(), BTreeSet::new());
        for path in files.files.keys() {
            if let Some(folder) = path.strip_suffix(".refit/export") {
                passed.insert(folder.to_owned());
                continue;
            }
            let (folder, name) = path
                .rsplit_once('/')
                .map_or(("", path.as_str()), |(folder, name)| (folder, name));
            if !matches!(name, "refit.json" | "refit.ron") {
                continue;
            }
            let folder = if folder.is_empty() {
                String::new()
            } else {
                format!("{folder}/")
            };
            match name == "refit.json" && files.get(path).is_ok_and(|text| is_of_project(&*text)) {
                true => passed.insert(folder),
                false => trees.insert(folder),
            };
        }
        // Of trees in trees, the outer one has the files.
        let is_outer = |tree: &&String| {
            above(tree).find(|outer| trees.contains(*outer)) == Some(tree.as_str())
        };
        Found {
            trees: trees.iter().filter(is_outer).cloned().collect(),
            passed,
        }
    }

    /// True for a file that is inspected by itself.
    fn is_file(&self, path: &str, files: &Memory) -> bool {
        let is_unfinished = path
            .split('/')
            .any(|part| part.starts_with(".refit-") && part.ends_with(".tmp"));
        let original_of = original_of(Path::new(path));
        let is_original = original_of.is_some_and(|file| {
            file.to_str()
                .is_some_and(|file| files.files.contains_key(file))
        });
        !(above(path).any(|folder| self.trees.contains(folder) || self.passed.contains(folder))
            || is_unfinished
            || is_original
            || is_litter(Path::new(path)))
    }
}

impl Memory {
    fn content(self: &Arc<Self>, path: &str) -> Result<Content> {
        match !self.is_tree && self.files.contains_key(path) {
            true => self
                .get(path)
                .map(|bytes| Content::File(Blob::Memory(bytes))),
            false => Ok(Content::Tree(Arc::new(self.tree(&format!("{path}/"))))),
        }
    }

    fn tree(self: &Arc<Self>, folder: &str) -> Below {
        Below {
            files: self.clone(),
            folder: if self.is_tree {
                String::new()
            } else {
                folder.to_owned()
            },
        }
    }

    /// The files and trees, in the order of folders and of the names in them.
    fn entries(
        self: &Arc<Self>,
        found: &Found,
        name: &str,
        is_named: impl Fn(&str) -> bool,
    ) -> Vec<Entry> {
        let entry = |path: &str, is_named: bool, is_tree: bool| Entry {
            path: PathBuf::from(path),
            relative: path.to_owned(),
            is_named,
            is_tree,
            format: None,
            game: None,
            bytes: 0,
            why: None,
            edited: false,
            is_gone: false,
            title: None,
        };
        let trees = found.trees.iter().map(|folder| {
            let path = if folder.is_empty() {
                name
            } else {
                folder.trim_end_matches('/')
            };
            Entry {
                edited: may_be_edited(&self.tree(folder)),
                ..entry(path, true, true)
            }
        });
        let files = self
            .files
            .iter()
            .filter(|(path, _)| found.is_file(path, self));
        let files = files.map(|(path, (_, bytes))| {
            let edited = self.files.contains_key(&format!("{path}.orig"));
            Entry {
                bytes: *bytes,
                edited,
                ..entry(path, is_named(path), false)
            }
        });
        let mut entries: Vec<Entry> = trees.chain(files).collect();
        entries.sort_by(|a, b| a.relative.split('/').cmp(b.relative.split('/')));
        entries
    }
}

impl View {
    /// Opens files in memory. `name` is the name of their folder or of the file, `read` returns the
    /// file at a position of the list, and `progress` receives the name of each file and the
    /// fraction of all bytes inspected before it.
    ///
    /// # Errors
    /// refit knows none of the files.
    pub fn of_files(
        name: &str,
        given: Vec<Given>,
        hints: Hints,
        read: Read,
        progress: &mut dyn FnMut(&str, u64, u64),
    ) -> Result<Self> {
        let named: BTreeSet<String> = given
            .iter()
            .filter(|file| file.is_named)
            .map(|file| file.path.clone())
            .collect();
        let is_one = given.len() == 1 && !named.is_empty();
        let files = given
            .into_iter()
            .enumerate()
            .map(|(number, file)| (file.path, (number, file.bytes)))
            .collect();
        let mut memory = Memory {
            files,
            read,
            is_tree: false,
        };
        let of = Found::new(&memory);
        memory.is_tree = of.trees.contains("");
        let memory = Arc::new(memory);
        let entries = memory.entries(&of, name, |path| named.contains(path));
        let total = entries.iter().map(|entry| entry.bytes).sum();
        let (mut found, mut others, mut done) = (Vec::new(), 0, 0);
        for entry in entries {
            progress(&entry.relative, done, total);
            done += entry.bytes;
            let content = memory.content(&entry.relative);
            match entry.recognised(content, hints) {
                Some(entry) => found.push(entry),
                None => others += 1,
            }
        }
        if found.is_empty() {
            let error = Error::say(format!(
                "no file of a known format in {name} ({others} checked)"
            ));
            return Err(error.hint(
                "refit reads files of Recoil, MechWarrior 3, Pirate's Moon, Crimson Skies and PBOs",
            ));
        }
        let what = match (of.passed.contains(""), memory.is_tree || is_one) {
            (true, _) => "project",
            (_, true) => "file",
            _ => "folder",
        };
        let names = (name.to_owned(), name.to_owned());
        Ok(View::new(
            what,
            names,
            hints,
            Box::new(InMemory(memory)),
            found,
            others,
        ))
    }
}

/// The given files.
struct InMemory(Arc<Memory>);

impl InMemory {
    /// The unedited file of a tree or of a file: found by the hash in the tree, or next to it.
    fn original(&self, entry: &Entry) -> Result<String> {
        let has = |path: &String| self.0.files.contains_key(path);
        let mut beside = vec![format!("{}.orig", entry.relative)];
        if let Content::Tree(source) = self.0.content(&entry.relative)? {
            let (_, head) = read_head(&*source)?;
            let folder = entry
                .relative
                .rsplit_once('/')
                .map_or(String::new(), |(folder, _)| format!("{folder}/"));
            let file = format!("{folder}{}", head.source.file);
            beside = vec![format!("{file}.orig"), file];
            let is_it = |path: &&String| {
                self.0
                    .get(path)
                    .is_ok_and(|bytes| head.source.sum.wait().fits(&bytes))
            };
            if let Some(file) = beside.iter().filter(|path| has(path)).find(is_it) {
                return Ok(file.clone());
            }
        }
        beside.into_iter().find(has).ok_or_else(|| {
            Error::say("there is nothing to compare it with")
                .in_file(entry.name())
                .hint("name two files, trees or folders")
        })
    }

    fn side(&self, path: &str, hints: Hints) -> Result<diff::Opened> {
        match self.0.content(path)? {
            Content::Tree(source) => diff::Opened::tree(&*source),
            Content::File(file) => Ok(diff::Opened::file(&file, path, hints)),
        }
    }
}

impl Storage for InMemory {
    fn content(&self, entry: &Entry) -> Result<Content> {
        self.0.content(&entry.relative)
    }

    fn stamp(&self, entry: &Entry) -> Stamp {
        (entry.bytes, None)
    }

    fn is_live(&self) -> bool {
        false
    }

    fn names(&self, view: &View) -> Vec<index::File> {
        let read = |entry: &Entry| {
            let item = index::Item {
                path: entry.path.clone(),
                relative: entry.relative.clone(),
            };
            let loaded = view.load(entry).ok()?;
            let mut file = index::of_model(&item, loaded.model.model(), &loaded.detection).ok()?;
            file.content.forget_values();
            Some(file)
        };
        view.files()
            .iter()
            .filter_map(|(_, entry)| read(entry))
            .collect()
    }

    fn findings(&self, view: &View, see: SeeFinding<'_>) -> Result<()> {
        let files = view.files();
        for (number, entry) in files.iter() {
            match view
                .load(entry)
                .and_then(|loaded| pipeline::lint(loaded.model.model()))
            {
                Ok(mut found) => {
                    refit_base::lint::worst_first(&mut found);
                    found
                        .iter()
                        .for_each(|finding| see(number, view::Found::Finding(finding, None)));
                }
                Err(error) => see(number, view::Found::Damaged(&error)),
            }
        }
        if view.what == "file" {
            return Ok(());
        }
        for (file, mut found) in view
            .index()
            .judge(usize::MAX, None, &|path| self.0.files.contains_key(path))
        {
            let Some(number) = files.number(&file.path) else {
                continue;
            };
            index::lints::worst_first(&mut found);
            for misfit in &found {
                see(
                    number,
                    view::Found::Finding(&misfit.finding, Some((misfit.reaction, &misfit.other))),
                );
            }
        }
        Ok(())
    }

    fn differences(&self, _: &View, entry: &Entry) -> Result<(String, Comparison)> {
        let hints = Hints::default();
        let original = self.original(entry)?;
        let both = Comparison::of(
            self.side(&original, hints)?,
            self.side(&entry.relative, hints)?,
        )?;
        Ok((original, both))
    }

    fn status(&self, view: &View) -> Result<Value> {
        Ok(json!({ "edited": view.edited_rows(), "mods": [] }))
    }
}
