//! Findings in texts of configs that are on disk by themselves: sources of addons.

use super::{
    configs::{Includes, Search, is_text_config},
    open,
    paths::Input,
};
use refit_base::{
    lint::{Finding, Lints, Outside, Unjudged},
    path::Shown,
    tree::Blob,
    wire::{Error, Result},
};
use refit_bohemia::{
    pbo::names,
    rap::{
        Rap, decoded, includes,
        source::{Source, is_read},
    },
};
use refit_files::{
    file::File,
    pipeline::{Hints, addon},
};
use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// Endings of texts that may include others.
const INCLUDING: [&str; 7] = ["cpp", "hpp", "h", "ext", "inc", "sqm", "cfg"];
/// Longest text that is looked at, in bytes.
const LONGEST: u64 = 4 << 20;

/// Judges the texts of configs among some files.
pub(super) struct SourceTexts {
    search: Search,
    /// Texts that others include. Alone they need not be whole.
    parts: HashSet<PathBuf>,
    /// What finds the files that the texts of a folder include.
    folders: Mutex<HashMap<PathBuf, Arc<Includes>>>,
    /// What finds those of texts in archives.
    named: Option<Arc<Includes>>,
    archives: Arc<Archives>,
}

/// The archives among some files, which texts of other archives include from.
struct Archives {
    paths: Vec<PathBuf>,
    /// Opened when a text asks for a file.
    open: OnceLock<Vec<(String, File)>>,
}

impl Archives {
    fn of<'a>(inputs: impl Iterator<Item = &'a Input>) -> Self {
        let is_archive = |path: &&Path| {
            let end = path.extension().unwrap_or_default();
            end.eq_ignore_ascii_case("pbo") && path.is_file()
        };
        let paths = inputs.map(|input| input.path.as_path()).filter(is_archive);
        Archives {
            paths: paths.map(Path::to_owned).collect(),
            open: OnceLock::new(),
        }
    }

    /// Finds and reads a file by its path in the game.
    fn read(&self, name: &str) -> Option<(String, String)> {
        let opened = |path: &PathBuf| {
            let model = open::open(path, Hints::default()).ok()?.model;
            Some((names::stem(&path.shown()).to_owned(), model))
        };
        let all = self
            .open
            .get_or_init(|| self.paths.iter().filter_map(opened).collect());
        let text = all.iter().find_map(|(archive, file)| match file {
            File::Pbo(pbo) => pbo.text_in_game(archive, name),
            _ => None,
        })?;
        Some((name.to_owned(), text))
    }
}

/// The place of a file without links.
fn place(path: &Path) -> PathBuf {
    refit_base::path::canonical(path).unwrap_or_else(|_| path.to_owned())
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().to_ascii_lowercase()
}

/// Reads a text; `None` for another file.
fn text_of(path: &Path) -> Result<Option<String>> {
    let file = Blob::of_file(path)?;
    if file.len() > LONGEST {
        return Ok(None);
    }
    let bytes = file.bytes()?;
    if bytes.contains(&0) {
        return Ok(None);
    }
    Ok(decoded(&bytes).ok().map(|text| text.into_owned()))
}

impl SourceTexts {
    /// The texts among these files. Fails if a folder that the user named is not there.
    pub(super) fn of(inputs: &[Input], search: &Search) -> Result<Self> {
        let named = match search.folders.is_empty() {
            true => None,
            false => Some(Arc::new(Includes::named(search)?)),
        };
        let mut texts = SourceTexts {
            search: search.clone(),
            parts: HashSet::new(),
            folders: Mutex::default(),
            named,
            archives: Arc::new(Archives::of(inputs.iter())),
        };
        if !inputs.iter().any(|input| texts.is_one(input)) {
            return Ok(texts);
        }
        for input in inputs.iter().filter(|input| !input.path.is_dir()) {
            let name = name_of(&input.path);
            let end = name.rsplit_once('.').map_or("", |(_, end)| end);
            // Files that cannot be read are reported when they are linted.
            let Some(Some(text)) = INCLUDING
                .contains(&end)
                .then(|| text_of(&input.path).ok().flatten())
            else {
                continue;
            };
            for name in includes(&text) {
                let name = name.replace('\\', "/");
                if !is_text_config(name.rsplit('/').next().unwrap_or_default()) {
                    continue;
                }
                let found = texts.includes(&input.path)?.find(&input.path, &name);
                let found = found.map(|found| place(&found));
                texts
                    .parts
                    .extend(found.filter(|found| *found != place(&input.path)));
            }
        }
        Ok(texts)
    }

    /// True for the text of a config that a game reads by its name. Hidden folders belong to other
    /// programs.
    pub(super) fn is_one(&self, input: &Input) -> bool {
        let is_hidden = || {
            let parts = input.relative.components();
            parts
                .map(|part| part.as_os_str().to_string_lossy())
                .any(|part| part.starts_with('.') && part.len() > 2)
        };
        is_read(&name_of(&input.path)) && !input.path.is_dir() && (input.explicit || !is_hidden())
    }

    fn includes(&self, text: &Path) -> Result<Arc<Includes>> {
        let folder = text.parent().unwrap_or(Path::new("")).to_owned();
        let known = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&folder) {
            return Ok(found.clone());
        }
        let made = Arc::new(Includes::of(text, &self.search)?);
        known().insert(folder, made.clone());
        Ok(made)
    }

    /// Finds the files that texts in archives include: in the other archives, and in the folders
    /// that the user named.
    pub(super) fn outside(&self) -> Option<Outside> {
        let (named, archives) = (self.named.clone(), self.archives.clone());
        if named.is_none() && archives.paths.is_empty() {
            return None;
        }
        Some(Arc::new(move |name: &str| {
            let named = || named.as_ref().and_then(|named| named.read_named(name));
            archives.read(name).or_else(named)
        }))
    }

    /// Judges a text. `None` for a file that is none.
    pub(super) fn lint(&self, input: &Input) -> Result<Option<(Vec<Finding>, Vec<Unjudged>)>> {
        let path = &input.path;
        let Some(text) = text_of(path)? else {
            return Ok(None);
        };
        let mut lints = Lints::new();
        // A config without patches may be a part of a mission.
        let is_addon = || {
            text.contains("CfgPatches")
                || path
                    .parent()
                    .is_some_and(|at| addon::prefix_of(at).is_some())
        };
        // Without a mission it is text to copy into one.
        let is_mission = || path.with_file_name("mission.sqm").is_file();
        let may_be_part = || match &*name_of(path) {
            "config.cpp" => !is_addon(),
            "description.ext" => !is_mission(),
            _ => false,
        };
        let is_part = !input.explicit && (self.parts.contains(&place(path)) || may_be_part());
        let shown = path.shown();
        let source = Source {
            path: &shown,
            text: &text,
            is_whole: !is_part,
        };
        let left = Cell::new(usize::MAX);
        if Rap::has_directives(&text) {
            let includes = self.includes(path)?;
            let include = |from: &str, name: &str| includes.read(Path::new(from), name);
            let in_game = |file: &str| includes.in_game(Path::new(file));
            source.judge(&left, &include, &in_game, &mut lints);
        } else {
            let include = |_: &str, name: &str| Err(Error::missing(name));
            source.judge(&left, &include, &|_| None, &mut lints);
        }
        let unjudged = std::mem::take(&mut lints.unjudged);
        Ok(Some((lints.finish(), unjudged)))
    }
}
