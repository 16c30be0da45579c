//! Findings of an edit: those that the unedited file does not have.
//!
//! Linting a file takes about a third of the time of unpacking it, so `unpack` only notes the path
//! of the file. After an edit, refit lints the original file, wherever it is found; its checksum
//! identifies it. If it is gone, all findings of edited documents are reported, new or not, except
//! those that are merely unusual, with a warning that they may be older.
//!
//! What the edit brought in are the findings that the unedited file does not have
//! (`lint::brought_in`), and what only a comparison shows (`Model::lint_edit`, such as a vertex
//! outside its box). Findings are compared by code, place and message, first exactly, then without
//! positions and counts, because an edit moves what follows it. Unedited files are not judged at
//! all: `repack` recognises them by the checksum of what it wrote. refit looks for the original
//! next to the tree, at the target, at the place that `.refit/source` notes, and at `NAME.orig` of
//! each.

use super::{
    changes::changes,
    paths::{file_for, folder_of},
};
use refit_base::{
    game::Game,
    lint::{self, Finding, Severity},
    path::Shown,
    secret,
    tree::{
        Blob, DirSource, Head, OtherGame, Sink, Source, Style, Sums, disk, manifest_path,
        other_format, read_head,
        sums::{FileSum, List},
    },
    wire::{Error, Result},
};
use refit_files::{
    file::{FORMATS, File},
    pipeline::{self, Hints, Judged, Places},
};
use serde::Serialize;
use std::{
    collections::HashSet,
    path::{Component, Path, PathBuf},
};

/// Where a tree stores the relative path of the file that it came from.
const SOURCE: &str = ".refit/source";

/// A finding that an edit brought in, and where to mend it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EditFinding {
    /// The code.
    pub code: &'static str,
    /// The effect in the game.
    pub severity: Severity,
    /// The file of the tree; `None` for a place in the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The place in the file.
    pub at: String,
    /// What was found.
    pub message: String,
}

/// The effects of an edit.
pub struct EditReport {
    /// Worst first.
    pub found: Vec<EditFinding>,
    /// The unedited file; `None` if it was not available.
    pub original: Option<PathBuf>,
    /// The game in the manifest, and the game when the tree was made.
    pub games: Option<(Game, Game)>,
}

impl EditReport {
    /// An error if the edit brought a private key in.
    pub(crate) fn check_secrets(&self) -> Result<()> {
        match self.found.iter().find(|found| found.code == "pbo-key") {
            Some(found) => {
                let place = found.file.as_deref().unwrap_or(&found.at);
                Err(secret::error().in_file(place))
            }
            None => Ok(()),
        }
    }
}

/// Stores the path of the file in its tree, unless the file is next to the tree or on another
/// drive.
pub(crate) fn note_source(sink: &dyn Sink, file: &Path, tree: &Path) -> Result<()> {
    let full = |path: &Path| refit_base::path::whole(path).ok();
    let folder = folder_of(tree);
    let from = if folder.as_os_str().is_empty() {
        full(Path::new("."))
    } else {
        full(&folder)
    };
    let noted = from.zip(full(file)).and_then(|(from, file)| {
        let same = from
            .components()
            .zip(file.components())
            .take_while(|(a, b)| a == b)
            .count();
        let up = from.components().skip(same).count() + 1;
        let beside = up == 1 && file.components().skip(same).count() == 1;
        let shared = file
            .components()
            .take(same)
            .any(|c| matches!(c, Component::RootDir));
        let steps = file.components().skip(same).map(|c| c.as_os_str().to_str());
        let down = steps.collect::<Option<Vec<&str>>>()?.join("/");
        (shared && !beside).then(|| format!("{}{down}\n", "../".repeat(up)))
    });
    noted.map_or(Ok(()), |text| sink.put(SOURCE, text.as_bytes()))
}

/// The unedited file of a tree: at the stored path, next to the tree or at one of `near`, or kept
/// as NAME.orig there.
pub(crate) fn original(
    tree: &Path,
    source: &DirSource,
    head: &Head,
    near: &[PathBuf],
) -> Option<(PathBuf, Blob)> {
    let sum = head.source.sum.wait();
    let noted = source.get(SOURCE).ok().and_then(|text| {
        let text = String::from_utf8(text.to_vec()).ok()?;
        let path = Path::new(text.lines().next()?);
        // Only downwards and upwards from the tree: a tree from somebody else must not make refit
        // contact another machine.
        let relative = path
            .components()
            .all(|c| matches!(c, Component::Normal(_) | Component::ParentDir));
        relative.then(|| tree.join(path))
    });
    let beside = file_for(tree, &head.source.file).ok();
    let mut seen = HashSet::new();
    let places = beside
        .into_iter()
        .chain(near.iter().cloned())
        .chain(noted)
        .flat_map(|path| [disk::original_path(&path), path]);
    for path in places.filter(|path| seen.insert(path.clone())) {
        if sum.is_missing()
            || !path
                .metadata()
                .is_ok_and(|meta| meta.is_file() && meta.len() == head.source.bytes)
        {
            continue;
        }
        if let Ok(file) = pipeline::load(&path)
            && file.has_sum(&sum).unwrap_or_default()
        {
            return Some((path, file));
        }
    }
    None
}

/// The spelling of a manifest that was edited, its path, and its sum before that.
fn edited_manifest(source: &DirSource) -> Option<(Style, String, FileSum)> {
    let (style, _) = read_head(source).ok()?;
    let manifest = manifest_path(style);
    let was = Sums::find(&List::of(source).ok()?, &manifest).ok()??;
    (!was.fits_file(&source.blob(&manifest).ok()?).ok()?).then_some((style, manifest, was))
}

/// The game that a manifest named before it was edited. If documents fit two games, nothing else
/// reveals a mistake.
fn other_game(source: &DirSource, head: &Head, original: Option<&(PathBuf, Blob)>) -> Option<Game> {
    let named = head.game?;
    let (style, manifest, was) = edited_manifest(source)?;
    let others = Game::ALL.into_iter().filter(|game| *game != named);
    let as_it_was = |game: &Game| {
        OtherGame::new(source, style, *game)?
            .get(&manifest)
            .ok()
            .map(|text| was.fits(&text))
    };
    others
        .clone()
        .find(|game| as_it_was(game) == Some(true))
        .or_else(|| {
            // More than the game was edited: the file decides, if it is available and unambiguous.
            let (path, file) = original?;
            let hints = Hints {
                game: None,
                format: Some(head.format),
            };
            let found = pipeline::recognise(file, &path.shown(), hints)
                .ok()
                .filter(|found| found.certain)?;
            found.game.filter(|game| *game != named)
        })
}

/// An error if the manifest's format is not that of the file from which the tree was made: its
/// content would be packed as another format. `hint` says how to do it anyway.
pub(crate) fn check_format(tree: &Path, source: &DirSource, head: &Head, hint: &str) -> Result<()> {
    let was = || {
        let (style, _, was) = edited_manifest(source)?;
        other_format(source, style, head, &was, FORMATS).or_else(|| {
            // More than the format was edited: the file decides, if it is available and
            // unambiguous.
            let (path, file) = original(tree, source, head, &[])?;
            let found = pipeline::recognise(&file, &path.shown(), Hints::default())
                .ok()
                .filter(|found| found.certain)?;
            (found.format != head.format).then_some(found.format)
        })
    };
    match was() {
        Some(was) => Err(Error::say(format!(
            "the manifest says \"format\": \"{}\", but the tree was unpacked from a file of the format {}",
            head.format.name(),
            was.name()
        ))
        .hint(format!("write \"{}\" again; if you intended it, {hint}", was.name()))),
        None => Ok(()),
    }
}

fn read_as(file: &Blob, path: &Path, head: &Head, game: Option<Game>) -> Result<File> {
    let hints = Hints {
        game,
        format: Some(head.format),
    };
    Ok(pipeline::read(file, pipeline::recognise(file, &path.shown(), hints)?)?.model)
}

/// Compares an edited tree, whose file is `now`, with the file that it came from; `near` are
/// further places to search for that file.
pub(crate) fn of_tree(
    tree: &Path,
    head: &Head,
    now: &File,
    near: &[PathBuf],
) -> Result<EditReport> {
    let source = DirSource::new(tree);
    let places = Places::of(&source);
    let original = original(tree, &source, head, near);
    let other = other_game(&source, head, original.as_ref());
    let games = head.game.zip(other);
    if let Some((path, file)) = original
        && let Ok(before) = read_as(&file, &path, head, other.or(head.game))
    {
        let found = pipeline::lint_edit(now, &before)?
            .into_iter()
            .map(|f| EditFinding::of(f, &places))
            .collect();
        return Ok(EditReport {
            found,
            original: Some(path),
            games,
        });
    }
    let edited = changes(tree).unwrap_or_default();
    let mut all = now.lint()?;
    lint::worst_first(&mut all);
    let is_edited = |file: &str| match file.strip_suffix('/') {
        None => edited.iter().any(|(path, _)| path == file),
        Some(_) => edited.iter().any(|(path, _)| path.starts_with(file)),
    };
    let of_edits = |finding: &Finding| match places.find(&finding.path) {
        // Unusual things are usually old. A reference may be wrong because of any edit.
        _ if finding.severity == Severity::Unusual => false,
        _ if finding.code == "gamez-dangling" => true,
        Some((file, _)) => is_edited(file),
        None => places.is_empty() || edited.iter().any(|(path, _)| path.starts_with("refit.")),
    };
    let found = if edited.is_empty() {
        Vec::new()
    } else {
        all.into_iter()
            .filter(of_edits)
            .map(|f| EditFinding::of(f, &places))
            .collect()
    };
    Ok(EditReport {
        found,
        original: None,
        games,
    })
}

/// Compares a changed tree, whose documents are at `places`, with its former state `before`.
pub(crate) fn of_change(
    now: &File,
    before: &File,
    tree: &Path,
    places: &Places,
) -> Result<EditReport> {
    let found = pipeline::lint_edit(now, before)?
        .into_iter()
        .map(|f| EditFinding::of(f, places))
        .collect();
    Ok(EditReport {
        found,
        original: Some(tree.to_owned()),
        games: None,
    })
}

/// [`of_change`] of files whose findings are known.
pub(crate) fn of_judged(
    now: (&File, &Judged),
    before: (&File, &Judged),
    tree: &Path,
    places: &Places,
) -> Result<EditReport> {
    let found = pipeline::judged_edit(now, before)?
        .into_iter()
        .map(|f| EditFinding::of(f, places))
        .collect();
    Ok(EditReport {
        found,
        original: Some(tree.to_owned()),
        games: None,
    })
}

/// Compares an edited file with its former state `before`, at `path`.
pub fn of_file(file: &File, before: &File, path: &Path) -> Result<EditReport> {
    let found = pipeline::lint_edit(file, before)?
        .into_iter()
        .map(|f| EditFinding::of(f, &Places::default()))
        .collect();
    Ok(EditReport {
        found,
        original: Some(path.to_owned()),
        games: None,
    })
}

impl EditFinding {
    fn of(finding: Finding, places: &Places) -> Self {
        let Finding {
            code,
            severity,
            path,
            message,
            ..
        } = finding;
        match places.find(&path).filter(|(file, _)| !file.ends_with('/')) {
            Some((file, rest)) => EditFinding {
                code,
                severity,
                file: Some(file.to_owned()),
                at: rest.to_owned(),
                message,
            },
            None => EditFinding {
                code,
                severity,
                file: None,
                at: path,
                message,
            },
        }
    }
}

impl EditReport {
    /// The same without the findings of these codes.
    pub(crate) fn without(mut self, codes: &[&str]) -> Self {
        self.found.retain(|new| !codes.contains(&new.code));
        self
    }
}

impl EditFinding {
    /// The finding as `lint` prints it.
    pub fn finding(self) -> Finding {
        let path = match (self.file, self.at.is_empty()) {
            (Some(file), true) => file,
            (Some(file), false) => format!("{file}: {}", self.at),
            (None, _) => self.at,
        };
        Finding {
            code: self.code,
            severity: self.severity,
            path,
            message: self.message,
            name: None,
            more: 0,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// The path of the file is stored even if the folder of the tree does not exist yet.
    #[test]
    fn the_place_of_the_file_is_stored_before_the_folder_exists() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        std::fs::create_dir_all(real.join("game")).unwrap();
        std::fs::write(real.join("game/a.zbd"), "x").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let tree = refit_base::tree::Folder::default();
        note_source(&tree, &link.join("game/a.zbd"), &link.join("new/zbd/a.zbd")).unwrap();
        assert_eq!(
            tree.get(SOURCE).unwrap(),
            "../../../game/a.zbd\n".as_bytes()
        );
    }
}
