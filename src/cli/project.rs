//! `refit unpack GAME -o PROJECT`.

use super::{
    commands::unpack::{Counted, Unpack, tell_replaced},
    report::{Report, Status},
    session::Session,
};
use refit::{
    detect::Detection,
    format::Format,
    game::Game,
    path::Shown,
    pipeline::{self, Hints, How},
    project::{self, Manifest, PROJECT_VERSION, ProjectFile},
    tree::{
        DirSink, Document, Options, Sink, Style,
        disk::{self, StagedDir},
        manifest_path, sums,
    },
    wire::{Error, Result, count},
    workbench::{
        Input, edits, files, open,
        unknown_files::{self, UnknownFiles},
    },
};
use std::{
    collections::HashMap,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// A file with its number.
type Numbered<'a> = (usize, &'a Input);

/// What a file holds, and what it is read as: files that are equal in both share a tree.
fn content(hints: Hints, input: &Input) -> Option<(String, Format, Option<Game>)> {
    let file = pipeline::load(&input.path).ok()?;
    let Detection { format, game, .. } = pipeline::recognise(&file, &input.name(), hints).ok()?;
    Some((file.sha256().ok()?, format, game))
}

/// For each file that is equal to an earlier one, the first such file.
fn equal<'a>(session: &Session, inputs: &[Numbered<'a>]) -> HashMap<usize, &'a Input> {
    let mut sizes: HashMap<u64, usize> = HashMap::new();
    let sized: Vec<u64> = inputs.iter().map(|(_, input)| input.size()).collect();
    sized.iter().for_each(|size| *sizes.entry(*size).or_default() += 1);
    let candidates = inputs.iter().zip(sized).filter(|(_, size)| sizes.get(size).is_some_and(|many| *many > 1));
    let candidates: Vec<Numbered<'a>> = candidates.map(|(input, _)| *input).collect();
    let (mut firsts, mut same) = (HashMap::new(), HashMap::new());
    let hints = session.hints();
    session.in_order(
        &candidates,
        |(_, input)| input.size(),
        |(_, input)| input.name(),
        |(_, input)| content(hints, input),
        |_, (number, input), content| {
            let Some(content) = content else { return };
            match firsts.get(&content) {
                Some(first) => _ = same.insert(*number, *first),
                None => _ = firsts.insert(content, *input),
            }
        },
    );
    same
}

/// Makes a project of a game's folder.
pub fn unpack(command: &Unpack, session: &Session, game: &Path, root: &Path) -> Result<()> {
    let inputs = files::files(&command.files, &session.options()?, session)?;
    let dry = session.global.dry_run;
    let exists = disk::check_folder(root, session.global.force)?;
    session.claim(root)?;
    let numbered: Vec<Numbered<'_>> = inputs.iter().enumerate().collect();
    let same = equal(session, &numbered);
    let staged = if dry { None } else { Some(StagedDir::new(root, session.global.force)?) };
    let folder = staged.as_ref().map(StagedDir::folder);
    let mut files = Vec::new();
    let (mut others, mut games) = (UnknownFiles::default(), [0usize; Game::ALL.len()]);
    let (mut trees, mut skipped) = (0, 0);
    let mut readers: Vec<String> = Vec::new();
    let hints = session.hints();
    let style = How { style: command.style, proof: !command.no_proof };
    let one = |(number, input): &Numbered<'_>| -> Report {
        let mut report = Report::new(&input.path);
        let target = root.join(&input.relative);
        let done = (|| -> Result<()> {
            let file = open::load(&input.path)?;
            let name = input.name();
            report.bytes = Some(file.len());
            let detection = pipeline::recognise(&file, &name, hints).inspect_err(|_| {
                report.other = unknown_files::recognise(&input.path, &file).map(|other| other.kind);
            })?;
            report.detected(&detection);
            if let Some(first) = same.get(number) {
                report.sha256 = Some(file.sha256()?);
                report.status = Status::Exact;
                report.more.insert("same_as", project::spelled(&first.relative).0.into());
                return Ok(());
            }
            let opened = pipeline::read(&file, detection)?;
            let sink = folder.as_ref().map(|folder| DirSink::new(folder.join(&input.relative)));
            let to = sink.as_ref().map(|sink| sink as &dyn Sink);
            let counted = Counted { to, options: Options { small_png: command.small_png }, files: AtomicUsize::new(0) };
            let restart = || {
                counted.files.store(0, Relaxed);
                sink.as_ref().map_or(Ok(()), DirSink::clear)
            };
            let outcome = pipeline::unpack_opened(&file, &name, opened, style, &counted, &restart)?;
            edits::note_source(&counted, &input.path, &target)?;
            report.sha256 = Some(outcome.sha256);
            report.outcome(outcome.raw);
            report.also("tree", "tree_hex", &target);
            report.more.insert("files", counted.files.into_inner().into());
            Ok(())
        })();
        match done {
            Ok(()) => report,
            Err(e) => report.not_done(input, &e),
        }
    };
    session.in_order(
        &numbered,
        |(_, input)| input.size(),
        |(_, input)| input.name(),
        one,
        |session, (_, input), report| {
            if report.status == Status::Unrecognised {
                others.add(report.other);
                skipped += 1;
                command.tell(session, root, report);
                return;
            }
            if let (None, Some(sha256), Some(format)) = (&report.error, &report.sha256, report.format) {
                let (file, file_hex) = project::spelled(&input.relative);
                let same_as = report.more.get("same_as").and_then(|first| first.as_str()).map(str::to_owned);
                let game = Game::ALL.into_iter().find(|game| Some(game.code()) == report.game);
                if let Some(n) = Game::ALL.iter().position(|one| Some(*one) == game).and_then(|n| games.get_mut(n)) {
                    *n += 1;
                }
                trees += usize::from(same_as.is_none());
                if format == Format::Reader && same_as.is_none() {
                    readers.push(file.clone());
                }
                let (bytes, sha256) = (report.bytes.unwrap_or_default(), sha256.clone());
                files.push(ProjectFile { file, file_hex, bytes, sha256, game, format, same_as });
            }
            match report.more.get("same_as").and_then(|first| first.as_str()) {
                Some(first) if report.error.is_none() => {
                    session.tell(format!("{} is equal to {first}, and shares its tree", report.path));
                    if session.global.json {
                        session.json(&report);
                    }
                }
                _ => command.tell(session, &root.join(&input.relative), report),
            }
        },
    );
    if files.is_empty() && session.errors() == 0 {
        return Err(files::none_known(&command.files, inputs.len()));
    }
    let most = games.iter().zip(Game::ALL).max_by_key(|(n, _)| **n).filter(|(n, _)| **n > 0).map(|(_, game)| game);
    let source = refit::path::canonical(game).map_err(|e| Error::io(game, e))?;
    let total = files.len();
    if let (Some(staged), Some(folder)) = (staged, &folder) {
        let refit = env!("CARGO_PKG_VERSION").to_owned();
        let manifest = Manifest { refit, project: PROJECT_VERSION, game: most, source: String::new(), others: skipped, files };
        write_own(&DirSink::new(folder), &manifest, command.git.then_some(&readers))?;
        project::note_game(&DirSink::new(folder), folder, root, &source)?;
        let replaced = staged.commit()?;
        tell_replaced(session, root, &replaced);
    } else if exists && !disk::edits(root).as_ref().is_ok_and(Vec::is_empty) {
        session.warn(format!("{}: it was edited; the folder would be moved aside", root.shown()));
    }
    let shared = if total > trees { format!(" ({} equal to another one)", total - trees) } else { String::new() };
    let would = if dry { ", not written (dry run)" } else { "" };
    session.tell(format!("{}: a project of {}, {}{shared}{would}", root.shown(), count(total, "file"), count(trees, "tree")));
    if let Some(said) = others.summary() {
        session.tell(said);
    }
    Ok(())
}

/// Writes what a project has besides its trees; with git also what git and editors must know. Those are the trees of readers.
fn write_own(sink: &DirSink, manifest: &Manifest, git: Option<&Vec<String>>) -> Result<()> {
    let mut list = sums::Sums::default();
    let (path, text) = (manifest_path(Style::Json), manifest.to_text(Style::Json)?);
    sink.put(&path, text.as_bytes())?;
    list.add(&path, &refit::sha256(text.as_bytes()), true);
    let settings = git.and_then(|readers| project::editor_settings(readers));
    let own = [(".gitattributes", project::GIT_ATTRIBUTES), (".gitignore", project::GIT_IGNORE)];
    let own = own.into_iter().filter(|_| git.is_some());
    for (path, text) in own.chain(settings.as_deref().map(|text| (project::EDITOR_SETTINGS, text))) {
        sink.put(path, text.as_bytes())?;
        list.add(path, &refit::sha256(text.as_bytes()), true);
    }
    list.put(sink)
}
