//! `refit unpack GAME -o PROJECT`, and what `status` and `repack` do with a project.

use super::{
    definitions::{self, OfTree},
    edits,
    others::{self, Others},
    paths::{self, Input},
    repack::{self, Repack},
    session::{Line, Paint, Report, Session, ShownPath, Status, about, count},
    status, subject,
    unpack::{Counted, Unpack, tell_replaced},
};
use refit::{
    detect::Detection,
    formats::Format,
    game::Game,
    lint::Finding,
    mods::{AppliedMods, HeldFile},
    path::Shown,
    pipeline::{self, Hints, How},
    project::{self, Manifest, PROJECT_VERSION, Project, ProjectFile, Work},
    tree::{
        DirSink, DirSource, Document, Options, Sink, Style, check_foreign_path,
        disk::{self, Backup, By, Note, Replace, StagedDir, Together, together},
        is_project, manifest_path, sums,
    },
    wire::{Cause, Error, Result},
};
use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
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
fn equal<'a>(session: &mut Session, inputs: &[Numbered<'a>]) -> HashMap<usize, &'a Input> {
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
pub fn unpack(command: &Unpack, session: &mut Session, game: &Path, root: &Path) -> Result<()> {
    let inputs = paths::files(&command.files, session)?;
    let dry = session.global.dry_run;
    let exists = disk::check_folder(root, session.global.force)?;
    session.claim(root)?;
    let numbered: Vec<Numbered<'_>> = inputs.iter().enumerate().collect();
    let same = equal(session, &numbered);
    let staged = if dry { None } else { Some(StagedDir::new(root, session.global.force)?) };
    let folder = staged.as_ref().map(StagedDir::folder);
    let mut files = Vec::new();
    let (mut others, mut games) = (Others::default(), [0usize; Game::ALL.len()]);
    let (mut trees, mut skipped) = (0, 0);
    let mut readers: Vec<String> = Vec::new();
    let hints = session.hints();
    let style = How { style: command.style, proof: !command.no_proof };
    let one = |(number, input): &Numbered<'_>| -> Report {
        let mut report = Report::new(&input.path);
        let target = root.join(&input.relative);
        let done = (|| -> Result<()> {
            let file = subject::load(&input.path)?;
            let name = input.name();
            report.bytes = Some(file.len());
            let detection = pipeline::recognise(&file, &name, hints).inspect_err(|_| {
                report.other = others::recognise(&input.path, &file).map(|other| other.kind);
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
        return Err(paths::none_known(&command.files, inputs.len()));
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
    if let Some(said) = others.said() {
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

/// What became of the trees of a project, and of the folders of definitions that belong to them: those that were edited, or of which
/// nobody knows.
type Edited = BTreeMap<PathBuf, Result<Vec<(String, &'static str)>>>;

fn edited(session: &mut Session, project: &Project) -> Result<Edited> {
    let folders = project.folders()?;
    let mut out = Edited::new();
    session.in_order(
        &folders,
        |_| 1,
        |folder| folder.shown(),
        |folder| status::changes(&project.root.join(folder)),
        |_, folder, changes| {
            if !changes.as_ref().is_ok_and(Vec::is_empty) {
                out.insert(folder.clone(), changes);
            }
        },
    );
    Ok(out)
}

/// Tells of folders of definitions that are of no file of the project.
pub fn tell_strays(session: &Session, project: &Project) -> Result<()> {
    for stray in project.definitions()?.iter().filter(|definitions| definitions.tree.is_none()) {
        session.warn(format!(
            "{}: definitions of no file of the project; decompile one of its trees (refit anim decompile TREE -o FOLDER)",
            project.root.join(&stray.folder).shown()
        ));
    }
    Ok(())
}

/// Compiles the definitions of a project that were edited, as `repack` does. Gives what was found in each folder of them, or why
/// `repack` refuses it. `is_edited` is asked for such a folder, below the project.
pub fn compile_edited(
    session: &Session,
    project: &Project,
    is_edited: &dyn Fn(&Path) -> Result<bool>,
) -> Result<Vec<(PathBuf, Result<Vec<Finding>>)>> {
    let (filter, game) = (session.filter()?, project.source());
    let mut out = Vec::new();
    for work in project.works()? {
        // Files that share a tree share its definitions.
        let Some(folder) = work.definitions.filter(|_| work.file == work.tree && filter.takes(&work.file)) else { continue };
        let (tree, place) = (project.root.join(&work.tree), project.root.join(&folder));
        let made = (|| {
            if !is_edited(&folder)? {
                return Ok(None);
            }
            let (head, model) = pipeline::assemble(&DirSource::new(&tree))?;
            let near = Vec::from_iter(game.as_ref().map(|game| game.join(&work.file)));
            let mut definitions = OfTree::new(&project.root, place.clone());
            definitions.with_tree(&tree, &head, &model, &near, &BTreeSet::new())?;
            Ok(Some(definitions.findings().to_vec()))
        })();
        if let Some(made) = made.map_err(|e: Error| e.about(&tree)).transpose() {
            out.push((place, made));
        }
    }
    Ok(out)
}

/// Tells what was edited in a project.
pub fn status(session: &mut Session, root: &Path) -> Result<()> {
    let project = Project::open(root)?;
    let (works, missing) = project.works_and_missing()?;
    let added: BTreeSet<PathBuf> = works.into_iter().filter(|work| work.entry.is_none()).map(|work| work.tree).collect();
    tell_strays(session, &project)?;
    let mut changes = edited(session, &project)?;
    // What was added is told as such, edited or not.
    added.iter().for_each(|tree| _ = changes.entry(tree.clone()).or_insert_with(|| Ok(Vec::new())));
    let place = ShownPath::of(root);
    let mut rows: Vec<(String, &str)> = Vec::new();
    let mut trees = 0;
    for (tree, changes) in &changes {
        let name = project::spelled(tree).0;
        match changes {
            Err(e) => session.error(about(&root.join(tree), e)),
            Ok(_) if added.contains(tree) => {
                trees += 1;
                rows.push((name + "/", "added"));
            }
            Ok(changes) => {
                trees += usize::from(!changes.is_empty());
                rows.extend(changes.iter().map(|(file, status)| (format!("{name}/{file}"), *status)));
            }
        }
    }
    // A file that shares its tree is not missing with it.
    let gone = missing.iter().filter(|entry| entry.same_as.is_none());
    rows.extend(gone.map(|entry| (format!("{}/", entry.file), "deleted")));
    rows.sort();
    if !rows.is_empty() {
        session.found();
    }
    for (file, status) in &rows {
        if session.global.json {
            session.json(&status::Row { place: &place, file, status });
            continue;
        }
        let paint = if *status == "deleted" { Paint::Red } else { Paint::Yellow };
        let why = if status::is_special(&root.join(file)) && !file.ends_with('/') {
            " (a link, a pipe or a device, not a file: repack refuses it)"
        } else if *status == "deleted" && file.ends_with('/') {
            " (the whole tree: repack leaves the game's file as it is)"
        } else {
            ""
        };
        session.tell(Line::new().paint(paint, format!("{status:8}")).text(format!("  {}{why}", root.join(file).shown())));
    }
    match rows.len() {
        0 => session.tell(format!("{}: as it was unpacked", root.shown())),
        n => session.tell(format!("{}: {} edited, in {}", root.shown(), count(n, "file"), count(trees, "tree"))),
    }
    let is_edited = |folder: &Path| Ok(changes.get(folder).is_some_and(|changes| changes.as_ref().is_ok_and(|list| !list.is_empty())));
    for (folder, made) in compile_edited(session, &project, &is_edited)? {
        match made {
            Ok(findings) => definitions::tell(session, &folder, &findings),
            Err(e) => session.error(e.to_string()),
        }
    }
    if let Some(unfinished) = project.source().and_then(|game| together::unfinished_above(&game)) {
        session.warn(format!(
            "{}: a refit was ended while it put files in place there; the next repack or restore finishes or undoes it",
            unfinished.shown()
        ));
    }
    Ok(())
}

/// The project that a folder is in.
pub fn above(folder: &Path) -> Option<PathBuf> {
    let whole = refit::path::canonical(folder).ok()?;
    whole.ancestors().skip(1).find(|above| is_project(above)).map(Path::to_owned)
}

/// Tells what became of work that was ended too early.
pub fn tell_recovered(session: &Session, recovered: Option<&together::Recovered>) {
    if let Some(recovered) = recovered {
        session.warn(recovered.to_string());
    }
}

/// Finishes or undoes what another refit had begun in the folder of a file, or above it, before the file is replaced: it would be done later,
/// over the new one.
pub fn finish_above(session: &Session, target: &Path) -> Result<()> {
    if let Some(folder) = together::unfinished_above(target).filter(|_| !session.global.dry_run) {
        tell_recovered(session, together::recover(&folder)?.as_ref());
    }
    Ok(())
}

/// What a file of the game is, before it is replaced.
pub enum Stands {
    /// Nothing is there.
    Nothing,
    /// The file that the project came from, or the one that was built of it last.
    Known,
    /// refit wrote it, but not for this project.
    Other(Note),
    /// Another program wrote it.
    Foreign,
}

fn stands(target: &Path, entry: Option<&ProjectFile>, by: By<'_>) -> Result<Stands> {
    match target.metadata() {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Stands::Nothing),
        // A pipe would be waited for. That it is none to be replaced is said where it would be.
        Ok(meta) if !meta.is_file() => return Ok(Stands::Foreign),
        _ => {}
    }
    let sum = pipeline::load(target)?.sha256()?;
    if entry.is_some_and(|entry| entry.sha256 == sum) {
        return Ok(Stands::Known);
    }
    Ok(match disk::own_note(target, &sum) {
        Some(note) if note.by == by.word() => Stands::Known,
        Some(note) => Stands::Other(note),
        None => Stands::Foreign,
    })
}

/// An error for a file that a project would bring into a game which does not have it, and that a project may not bring.
pub fn check_new(file: &Path, format: Format, force: bool) -> Result<()> {
    let name = project::spelled(file).0;
    check_foreign_path(&name)?;
    if format == Format::Raw && !force {
        return Err(Error::say("a new file of no known format, which a project does not bring into a game by itself")
            .in_file(name)
            .hint("--force puts it there; a mod can bring it"));
    }
    Ok(())
}

/// Puts what was edited in a project into the game: all of it, or nothing.
pub fn repack(command: &Repack, session: &mut Session, root: &Path) -> Result<()> {
    let project = Project::open(root)?;
    let game = command.output.clone().map_or_else(|| project.game("-o"), Ok)?;
    let id = project.own_name();
    let by = By::Project(&id);
    let mut mods = AppliedMods::default();
    let dry = session.global.dry_run;
    let (mut together, recovered) = match dry {
        true => (None, None),
        false => Together::begin(&game, "repack").map(|(together, recovered)| (Some(together), recovered))?,
    };
    tell_recovered(session, recovered.as_ref());
    let filter = session.filter()?;
    let mut done: Vec<Report> = Vec::new();
    let mut restored: Vec<PathBuf> = Vec::new();
    let mut as_they_were = 0;
    tell_strays(session, &project)?;
    let changes = edited(session, &project)?;
    let progress = session.progress(0);
    let (works, missing) = project.works_and_missing()?;
    for work in works.into_iter().filter(|work| filter.takes(&work.file)) {
        let (tree, target) = (root.join(&work.tree), game.join(&work.file));
        progress.say(tree.shown());
        let mut report = Report::new(&tree);
        let made = (|| -> Result<bool> {
            let is_edited = |folder: &PathBuf| match changes.get(folder) {
                Some(Ok(changes)) => Ok(!changes.is_empty()),
                Some(Err(e)) if *folder == work.tree => Err(e.clone().elsewhere()),
                Some(Err(e)) => Err(e.clone().about(&root.join(folder)).elsewhere()),
                None => Ok(false),
            };
            // Definitions that nobody edited say what the file that they came from says.
            let definitions = match &work.definitions {
                Some(folder) if is_edited(folder)? => Some(root.join(folder)),
                _ => None,
            };
            let edited = is_edited(&work.tree)? || work.entry.is_none() || definitions.is_some();
            let absent = target.symlink_metadata().is_err();
            let held = mods.of_file(&target)?;
            // What mods made of a file that is not edited here stays.
            if !edited && held.is_some() {
                return Ok(false);
            }
            if !edited && !absent {
                return take_back(&work, &target, by, together.as_mut(), &mut restored);
            }
            let into = Target { root, target: &target, by, held: held.as_ref() };
            build(command, session, &work, (&tree, definitions), &into, together.as_mut(), &mut report)?;
            Ok(true)
        })();
        match made {
            Ok(true) => done.push(report),
            Ok(false) => as_they_were += 1,
            Err(e) => progress.aside(|| repack::tell(session, report.failed(about(&tree, &e)))),
        }
    }
    for entry in missing.iter().filter(|entry| entry.same_as.is_none()) {
        session.warn(format!("{}: the tree is gone; the game's file is left as it is", root.join(&entry.file).shown()));
    }
    drop(progress);
    // What takes an edit back is not a tree that was built.
    done.retain(|report| report.more.contains_key("file"));
    if session.errors() > 0 {
        session.error(format!("{}: nothing was put in place", game.shown()));
        return Ok(());
    }
    if let Some(together) = together {
        together.commit()?;
    }
    let built = done.len();
    let unchanged = done.iter().filter(|report| report.more.get("unchanged") == Some(&true.into())).count();
    for mut report in done {
        let target = report.more.get("file").and_then(|file| file.as_str()).map(PathBuf::from).unwrap_or_default();
        let same = [report.more.get("identical"), report.more.get("unchanged")].contains(&Some(&true.into()));
        if !dry {
            let signatures = repack::signatures(session, &target, same);
            if !signatures.is_empty() {
                report.more.insert("signatures", signatures.into());
            }
        }
        repack::tell(session, report);
    }
    for target in &restored {
        let would = if dry { " would be" } else { "" };
        session.tell(format!("{}{would} the original again: its tree is as it was unpacked", target.shown()));
        if session.global.json {
            let mut report = Report::new(target);
            report.status = Status::Exact;
            report.more.insert("restored", true.into());
            session.json(&report);
        }
    }
    let would = if dry { "would be put" } else { "put" };
    let left = if unchanged > 0 { format!(", {unchanged} of them as the game has them already") } else { String::new() };
    session.tell(format!(
        "{}: {} built{left}, {} {would} in place, {} not edited",
        game.shown(),
        count(built, "tree"),
        built - unchanged + restored.len(),
        as_they_were
    ));
    Ok(())
}

/// Where the game still holds an edit that is no longer in the tree, the original is put back. True when it was.
fn take_back(work: &Work<'_>, target: &Path, by: By<'_>, together: Option<&mut Together>, restored: &mut Vec<PathBuf>) -> Result<bool> {
    let Some(entry) = work.entry else { return Ok(false) };
    let backup = disk::backup_path(target);
    let pristine = |path: &Path| -> Result<bool> {
        let meta = path.symlink_metadata().ok().filter(|meta| meta.is_file() && meta.len() == entry.bytes);
        Ok(meta.is_some() && pipeline::load(path)?.sha256()? == entry.sha256)
    };
    if !backup.is_file() || pristine(target)? || !pristine(&backup)? {
        return Ok(false);
    }
    if !matches!(stands(target, Some(entry), by)?, Stands::Known) {
        return Ok(false);
    }
    if let Some(together) = together {
        together.restore(&disk::original(target)?)?;
    }
    restored.push(target.to_owned());
    Ok(true)
}

/// Where a file is put.
struct Target<'a> {
    /// The project.
    root: &'a Path,
    target: &'a Path,
    by: By<'a>,
    /// Mods that change it.
    held: Option<&'a HeldFile>,
}

/// Builds the file of a tree, and of definitions of it that were edited, beside its place.
fn build(
    command: &Repack,
    session: &Session,
    work: &Work<'_>,
    (tree, definitions): (&Path, Option<PathBuf>),
    into: &Target<'_>,
    together: Option<&mut Together>,
    report: &mut Report,
) -> Result<()> {
    let Target { root, target, by, held } = *into;
    let (head, mut model, source) = command.read(session, tree, None, report)?;
    if let Some(folder) = definitions {
        let mut definitions = OfTree::new(root, folder);
        let (both, told) = definitions.with_tree(tree, &head, &model, &[target.to_owned()], &BTreeSet::new())?;
        definitions.tell(session);
        report.more.insert("definitions", told.into());
        model = both.into();
    }
    report.status = Status::Exact;
    report.also("file", "file_hex", target);
    let stands = stands(target, work.entry, by)?;
    if let Stands::Nothing = stands {
        check_new(&work.file, head.format, session.global.force)?;
    }
    let of_tree = Cell::new(false);
    let explained = |e: Error| {
        if e.file().is_some() || !matches!(e.what(), Cause::Io(_)) {
            of_tree.set(true);
            pipeline::explained(&source, e)
        } else {
            e
        }
    };
    let outside = |e: Error| if of_tree.get() { e } else { e.elsewhere() };
    let original = work.entry.map_or(head.source.sha256.wait(), |entry| entry.sha256.as_str());
    let may = Replace { backup: command.originals.backup(Backup::Foreign), source: Some(original), by, ..Replace::new(true) };
    // What the game does not have goes again with `restore`.
    let may = Replace { adds: work.entry.is_none().then_some(work.file.as_path()), ..may };
    // Only what would really replace it matters: the same bytes do not.
    let check = |bytes: u64, sum: &str| {
        let other = || target.metadata().is_ok() && pipeline::load(target).and_then(|file| file.sha256()).is_ok_and(|now| now != sum);
        let refused = match (&stands, held) {
            (_, Some(held)) if held.file.written.as_deref() != Some(sum) => return Err(held.refused(target)),
            (_, Some(_)) | (Stands::Nothing | Stands::Known, None) => None,
            _ if session.global.force || !other() => None,
            (Stands::Foreign, None) => {
                Some("another program changed this file: it is neither what the project came from nor what refit wrote there")
            }
            (Stands::Other(note), None) if note.by == By::Edit.word() => {
                Some("this file was edited in place (refit put, import), and the project does not have that edit")
            }
            (Stands::Other(_), None) => Some("refit wrote this file for another tree, project or mod, not for this project"),
        };
        if let Some(refused) = refused {
            return Err(Error::say(refused)
                .in_file(target.shown())
                .hint("nothing was written; --force replaces it, and keeps its bytes beside it"));
        }
        repack::check(&*model, &head, bytes, sum).inspect_err(|_| of_tree.set(true))
    };
    let (bytes, sum, unchanged) = match together {
        Some(together) => {
            let written = together.write(target, may, |out| pipeline::write(&*model, out).map_err(explained), check).map_err(outside)?;
            session.kept(target, written.kept.as_ref());
            if let Some(kept) = &written.kept {
                report.more.insert("kept", kept.path.shown().into());
            }
            (written.bytes, written.sha256, written.unchanged)
        }
        None => {
            disk::check_file(target, may).map_err(outside)?;
            let mut nowhere = std::io::sink();
            let mut summed = disk::Summed::new(&mut nowhere);
            pipeline::write(&*model, &mut summed).map_err(explained)?;
            let (bytes, sum) = summed.end();
            check(bytes, &sum).map_err(outside)?;
            let now = pipeline::load(target).and_then(|file| file.sha256()).ok();
            let unchanged = now.as_deref() == Some(&sum);
            (bytes, sum, unchanged)
        }
    };
    report.bytes = Some(bytes);
    report.more.insert("unchanged", unchanged.into());
    let identical = sum == original;
    report.more.insert("identical", identical.into());
    report.sha256 = Some(sum);
    if !identical {
        repack::tell_news(session, tree, &head, &model, target, report)?;
    }
    Ok(())
}
