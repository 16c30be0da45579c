//! What an edit brought in: the findings that the unedited file does not have.
//!
//! To lint a file takes about a third of the time of unpacking it, so `unpack` does not: it only notes where the file lies. The file
//! itself is judged beside the tree when something was edited, and is known by its SHA-256, wherever it is found. Where it is gone,
//! what stands in edited documents is told, but for what is merely unusual, whether it is new or not.

use super::{
    paths,
    session::{Session, count},
    status,
};
use clap::ValueEnum;
use refit::{
    File,
    formats::Format,
    game::Game,
    lint::{self, Finding, Severity},
    path::Shown,
    pipeline::{self, Hints, Places},
    registry,
    tree::{Blob, DirSource, Head, OtherGame, Sink, Source, Sums, disk, manifest_path, other_format, read_head, sums::SUMS},
    wire::{Error, Result},
};
use serde::Serialize;
use std::{
    collections::HashSet,
    path::{Component, Path, PathBuf},
};

/// Where a tree notes the place of the file that it came from, as a path from the tree.
const SOURCE: &str = ".refit/source";

/// Findings of one code that are told; all are counted.
const SHOWN: usize = 20;

/// A finding and where to mend it.
#[derive(Serialize)]
pub struct New {
    /// The code.
    code: &'static str,
    /// What the game makes of it.
    severity: Severity,
    /// The file in the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The place in that file, or in the whole.
    at: String,
    /// What is there.
    message: String,
}

/// What an edit brought in.
pub struct News {
    /// Worst first.
    pub found: Vec<New>,
    /// The unedited file; `None` when it was not at hand.
    original: Option<PathBuf>,
    /// The game that the manifest names, and the one that it named when the tree was made.
    games: Option<(Game, Game)>,
}

/// Notes in a tree where its file lies, unless that is beside the tree, or on another drive.
pub fn note_source(sink: &dyn Sink, file: &Path, tree: &Path) -> Result<()> {
    let full = |path: &Path| refit::path::whole(path).ok();
    let folder = paths::folder_of(tree);
    let from = if folder.as_os_str().is_empty() { full(Path::new(".")) } else { full(&folder) };
    let noted = from.zip(full(file)).and_then(|(from, file)| {
        let same = from.components().zip(file.components()).take_while(|(a, b)| a == b).count();
        let up = from.components().skip(same).count() + 1;
        let beside = up == 1 && file.components().skip(same).count() == 1;
        let shared = file.components().take(same).any(|c| matches!(c, Component::RootDir));
        let steps = file.components().skip(same).map(|c| c.as_os_str().to_str());
        let down = steps.collect::<Option<Vec<&str>>>()?.join("/");
        (shared && !beside).then(|| format!("{}{down}\n", "../".repeat(up)))
    });
    noted.map_or(Ok(()), |text| sink.put(SOURCE, text.as_bytes()))
}

/// The unedited file of a tree: where the tree says, beside the tree or at one of `near`, or kept as NAME.orig there.
pub fn original(tree: &Path, source: &DirSource, head: &Head, near: &[PathBuf]) -> Option<(PathBuf, Blob)> {
    let sum = head.source.sha256.wait();
    let noted = source.get(SOURCE).ok().and_then(|text| {
        let text = String::from_utf8(text.to_vec()).ok()?;
        let path = Path::new(text.lines().next()?);
        // Only downwards and upwards from the tree: a tree of somebody else must not make refit ask another machine for a file.
        let relative = path.components().all(|c| matches!(c, Component::Normal(_) | Component::ParentDir));
        relative.then(|| tree.join(path))
    });
    let beside = paths::file_for(tree, &head.source.file).ok();
    let mut seen = HashSet::new();
    let places = beside.into_iter().chain(near.iter().cloned()).chain(noted).flat_map(|path| [disk::backup_path(&path), path]);
    for path in places.filter(|path| seen.insert(path.clone())) {
        if sum.is_empty() || !path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() == head.source.bytes) {
            continue;
        }
        if let Ok(file) = pipeline::load(&path)
            && file.sha256().is_ok_and(|found| found == sum)
        {
            return Some((path, file));
        }
    }
    None
}

/// The game that a manifest named before somebody edited it. Where documents fit two games, nothing else would tell of a slip.
fn other_game(source: &DirSource, head: &Head, original: Option<&(PathBuf, Blob)>) -> Option<Game> {
    let named = head.game?;
    let (style, _) = read_head(source).ok()?;
    let manifest = manifest_path(style);
    let was = Sums::find(&source.blob(SUMS).ok()?, &manifest).ok()??;
    if was.fits_file(&source.blob(&manifest).ok()?).ok()? {
        return None;
    }
    let others = Game::ALL.into_iter().filter(|game| *game != named);
    let as_it_was = |game: &Game| OtherGame::new(source, style, *game)?.get(&manifest).ok().map(|text| was.fits(&text));
    others.clone().find(|game| as_it_was(game) == Some(true)).or_else(|| {
        // More than the game was edited: the file tells, where it is at hand and leaves no doubt.
        let (path, file) = original?;
        let hints = Hints { game: None, format: Some(head.format) };
        let found = pipeline::recognise(file, &path.shown(), hints).ok().filter(|found| found.certain)?;
        found.game.filter(|game| *game != named)
    })
}

/// An error where a manifest names another format than that of the file which the tree was made of: its content would be packed as what
/// it is not. `hint` says what does so all the same.
pub fn check_format(tree: &Path, source: &DirSource, head: &Head, hint: &str) -> Result<()> {
    let was = || {
        let (style, _) = read_head(source).ok()?;
        let manifest = manifest_path(style);
        let was = Sums::find(&source.blob(SUMS).ok()?, &manifest).ok()??;
        if was.fits_file(&source.blob(&manifest).ok()?).ok()? {
            return None;
        }
        other_format(source, style, head, &was, Format::value_variants()).or_else(|| {
            // More than the format was edited: the file tells, where it is at hand and leaves no doubt.
            let (path, file) = original(tree, source, head, &[])?;
            let found = pipeline::recognise(&file, &path.shown(), Hints::default()).ok().filter(|found| found.certain)?;
            (found.format != head.format).then_some(found.format)
        })
    };
    match was() {
        Some(was) => Err(Error::say(format!(
            "the manifest says \"format\": \"{}\", but the tree was made of a file of the format {}",
            head.format.name(),
            was.name()
        ))
        .hint(format!("write \"{}\" again; if it is meant, {hint}", was.name()))),
        None => Ok(()),
    }
}

fn read_as(file: &Blob, path: &Path, head: &Head, game: Option<Game>) -> Result<File> {
    let hints = Hints { game, format: Some(head.format) };
    Ok(pipeline::read(file, pipeline::recognise(file, &path.shown(), hints)?)?.model)
}

/// What the edits of a tree brought in; `near` are places where its file may lie.
pub fn of_tree(tree: &Path, head: &Head, now: &File, near: &[PathBuf]) -> Result<News> {
    let source = DirSource::new(tree);
    let places = Places::of(&source);
    let original = original(tree, &source, head, near);
    let other = other_game(&source, head, original.as_ref());
    let games = head.game.zip(other);
    if let Some((path, file)) = original
        && let Ok(before) = read_as(&file, &path, head, other.or(head.game))
    {
        let found = pipeline::lint_edit(now, &before)?.into_iter().map(|f| New::of(f, &places)).collect();
        return Ok(News { found, original: Some(path), games });
    }
    let edited = status::changes(tree).unwrap_or_default();
    let mut all = now.lint()?;
    lint::worst_first(&mut all);
    let is_edited = |file: &str| match file.strip_suffix('/') {
        None => edited.iter().any(|(path, _)| path == file),
        Some(_) => edited.iter().any(|(path, _)| path.starts_with(file)),
    };
    let of_edits = |finding: &Finding| match places.find(&finding.path) {
        // What is unusual is old, as a rule. What refers to something may be wrong because of any edit.
        _ if finding.severity == Severity::Unusual => false,
        _ if finding.code == "gamez-dangling" => true,
        Some((file, _)) => is_edited(file),
        None => places.is_empty() || edited.iter().any(|(path, _)| path.starts_with("refit.")),
    };
    let found = if edited.is_empty() { Vec::new() } else { all.into_iter().filter(of_edits).map(|f| New::of(f, &places)).collect() };
    Ok(News { found, original: None, games })
}

/// What an edit of a file brought in that was `before`, which lies at `path`.
pub fn of_file(file: &File, before: &File, path: &Path) -> Result<News> {
    let found = pipeline::lint_edit(file, before)?.into_iter().map(|f| New::of(f, &Places::default())).collect();
    Ok(News { found, original: Some(path.to_owned()), games: None })
}

impl New {
    fn of(finding: Finding, places: &Places) -> Self {
        let Finding { code, severity, path, message, more: _ } = finding;
        match places.find(&path).filter(|(file, _)| !file.ends_with('/')) {
            Some((file, rest)) => New { code, severity, file: Some(file.to_owned()), at: rest.to_owned(), message },
            None => New { code, severity, file: None, at: path, message },
        }
    }
}

impl News {
    /// The same without the findings of these codes.
    pub fn without(mut self, codes: &[&str]) -> Self {
        self.found.retain(|new| !codes.contains(&new.code));
        self
    }

    /// Tells what was compared with, or that nothing was, and that the game is another one.
    pub fn tell_original(&self, session: &Session, name: &str) {
        if let Some((now, was)) = self.games {
            session.warn(format!(
                "{name}: the manifest says \"game\": \"{}\", but the tree was made of a file of {was}: it is packed and judged as one of \
                 {now} (if that is not meant, write \"{}\" again)",
                now.code(),
                was.code()
            ));
        }
        match &self.original {
            Some(path) => session.detail(format!("{name}: compared with {}", path.shown())),
            None if self.found.is_empty() => {}
            None => session.warn(format!(
                "{name}: the file that it was unpacked from is not at hand; what follows stands in edited files, and may be older than the edits"
            )),
        }
    }

    /// Tells the findings, and what the game makes of them. `told` are the notes that were told already.
    pub fn tell(&self, session: &Session, name: &str, told: &[String]) {
        self.tell_original(session, name);
        for group in self.found.chunk_by(|a, b| a.code == b.code) {
            let new: Vec<&New> = group.iter().filter(|new| !new.is_among(told)).collect();
            if let (true, Some(code)) = (new.is_empty(), group.first().and_then(|new| registry::find_code(new.code))) {
                session.finding(Severity::Unusual, format!("{}: {}", code.code, code.explain), None);
            }
            for (i, new) in new.iter().take(SHOWN).enumerate() {
                let explain = if i == 0 { registry::find_code(new.code).map(|code| code.explain) } else { None };
                session.finding(new.severity, format!("{}{} [{}]", new.place(name), new.message, new.code), explain);
            }
            if let (more @ 1.., Some(new)) = (new.len().saturating_sub(SHOWN), new.first()) {
                let all = format!("{name}: … and {} more [{}] (`refit lint --new --all` shows them)", count(more, "finding"), new.code);
                session.finding(new.severity, all, None);
            }
        }
        if self.found.iter().any(|new| new.severity > Severity::Unusual) {
            session.found();
        }
    }
}

impl New {
    fn is_among(&self, told: &[String]) -> bool {
        told.iter().any(|note| note.contains(&self.message) && note.ends_with(&format!("({})", self.code)))
    }

    /// `TREE/models/0019-door.json: polygons[3]: `
    fn place(&self, name: &str) -> String {
        let mut out = match &self.file {
            Some(file) => Path::new(name).join(file).shown(),
            None => name.to_owned(),
        };
        if !self.at.is_empty() {
            out = format!("{out}: {}", self.at);
        }
        out + ": "
    }

    /// The finding as `lint` prints it.
    pub fn finding(self) -> Finding {
        let path = match (self.file, self.at.is_empty()) {
            (Some(file), true) => file,
            (Some(file), false) => format!("{file}: {}", self.at),
            (None, _) => self.at,
        };
        Finding { code: self.code, severity: self.severity, path, message: self.message, more: 0 }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Where the folder of the tree is not there yet, the place of its file is found all the same.
    #[test]
    fn the_place_of_the_file_is_noted_before_the_folder_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        std::fs::create_dir_all(real.join("game")).unwrap();
        std::fs::write(real.join("game/a.zbd"), "x").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let tree = refit::tree::Folder::default();
        note_source(&tree, &link.join("game/a.zbd"), &link.join("new/zbd/a.zbd")).unwrap();
        assert_eq!(tree.get(SOURCE).unwrap(), "../../../game/a.zbd\n".as_bytes());
    }
}
