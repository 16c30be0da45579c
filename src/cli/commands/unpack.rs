//! `refit unpack`: a file becomes a tree.

use crate::cli::{
    project,
    report::{Report, Status},
    session::Session,
};
use clap::Args;
use refit::{
    path::Shown,
    pipeline::{self, How, Outcome},
    tree::{
        Blob, Options, Pieces, Sink, Style,
        disk::{self, Change, Replaced, StagedDir},
        is_tree, sums,
    },
    wire::{Cause, Error, Result, count},
    workbench::{
        Input, Task, edits, files, open,
        unknown_files::{self, UnknownFiles},
    },
};
use std::{
    collections::{HashMap, HashSet},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// Make an editable tree of a file
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit unpack reader.zbd                  into reader/
  refit unpack reader.zbd -o mod --as ron  into mod/, as RON
  refit unpack *.zbd -o trees              into trees/NAME/ each
  refit unpack C:\\Games\\MW3 -o mymod     a project: a tree for every file of the game

Without -o the tree stands beside its file: reader.zbd becomes reader/, or reader.zbd.tree/ where another thing is called reader. \
Before anything is written, refit proves in memory that the tree gives the very same file again. Below a folder, unpacked trees and \
originals (NAME.orig) are passed over.

A folder with -o becomes a project: mymod/zbd/c1/anim.zbd/ is the tree of zbd/c1/anim.zbd. Files that are equal byte for byte have one \
tree together. `refit status mymod` tells what was edited, `refit repack mymod` puts that into the game, all of it or nothing.")]
pub struct Unpack {
    /// Files, or `-` for standard input; a folder stands for every recognised file below it
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The tree's folder; with several files the folder that gets a tree for each
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Spelling of the documents
    #[arg(long = "as", value_name = "TEXT", default_value = "json")]
    pub style: Style,
    /// Prove only bytes → model → bytes, not through the text
    #[arg(long)]
    pub no_proof: bool,
    /// Take time to make the PNGs of texture packages small
    #[arg(long)]
    pub small_png: bool,
    /// With a project: tell git what to leave alone (.gitattributes) and what to leave out (.gitignore), and editors the schema of
    /// readers (.vscode/settings.json)
    #[arg(long)]
    pub git: bool,
}

/// A tree that is counted, and perhaps written.
pub struct Counted<'a> {
    /// Where it is written to.
    pub to: Option<&'a dyn Sink>,
    /// How it is written.
    pub options: Options,
    /// Files so far.
    pub files: AtomicUsize,
}

impl Counted<'_> {
    /// Counts what is not of refit's own.
    fn count(&self, path: &str) {
        if !path.starts_with(".refit/") && path != sums::GIT_ATTRIBUTES.0 {
            self.files.fetch_add(1, Relaxed);
        }
    }
}

impl Sink for Counted<'_> {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.count(path);
        self.to.map_or(Ok(()), |to| to.put(path, bytes))
    }
    fn put_blob(&self, path: &str, blob: &Blob) -> Result<String> {
        self.count(path);
        self.to.map_or(Ok(String::new()), |to| to.put_blob(path, blob))
    }
    fn put_pieces(&self, path: &str, write: Pieces<'_>) -> Result<String> {
        self.count(path);
        self.to.map_or(Ok(String::new()), |to| to.put_pieces(path, write))
    }
    fn keeps(&self) -> bool {
        self.to.is_some()
    }
    fn options(&self) -> Options {
        self.options
    }
}

impl Unpack {
    /// The command as the form without a verb uses it.
    pub fn plain(file: PathBuf) -> Self {
        Unpack { files: vec![file], output: None, style: Style::Json, no_proof: false, small_png: false, git: false }
    }

    /// Runs the command.
    pub fn run(self, session: &Session) -> Result<()> {
        if let ([folder], Some(project)) = (self.files.as_slice(), &self.output)
            && folder.is_dir()
            && !is_tree(folder)
        {
            return project::unpack(&self, session, folder, project);
        }
        if self.git {
            crate::cli::usage("--git belongs to a project: `refit unpack GAME -o PROJECT --git`");
        }
        let inputs = files::files(&self.files, &session.options()?, session)?;
        let standard_input = inputs.iter().any(|input| open::is_standard_input(&input.path));
        if standard_input && self.output.is_none() {
            crate::cli::usage("a tree of standard input has no place of its own: name it with -o");
        }
        let (mut known, mut others) = (0, UnknownFiles::default());
        let mut targets = Targets::new(&inputs, self.output.as_deref(), &self.files);
        let task = Task::new(session, if inputs.len() > 1 { inputs.iter().map(|input| input.size()).sum() } else { 0 });
        for input in &inputs {
            task.at(&input.name());
            let target = targets.of(input);
            let report = self.one(session, input, &target);
            let failed = report.error.is_some();
            if report.status != Status::Unrecognised {
                known += 1;
            } else {
                others.add(report.other);
            }
            task.done(input.size());
            (self.tell(session, &target, report));
            if failed && input.explicit && !session.global.keep_going {
                break;
            }
        }
        if known == 0 {
            return Err(files::none_known(&self.files, inputs.len()));
        }
        if let Some(said) = others.summary() {
            session.tell(said);
        }
        Ok(())
    }

    /// Tells how a file fared.
    pub fn tell(&self, session: &Session, target: &Path, report: Report) {
        let skipped = report.status == Status::Unrecognised;
        if let Some(error) = &report.error {
            match skipped {
                true => session.detail(error),
                false => session.error(error),
            }
        } else {
            let files = report.more.get("files").and_then(|n| n.as_u64()).unwrap_or(0);
            let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
            session.tell(format!("{} → {} ({}, {}{would})", report.path, target.shown(), report.kind(), count(files as usize, "file")));
            for raw in &report.raw {
                let member = if raw.member.is_empty() { "the whole file" } else { &raw.member };
                session.warn(format!("{}: {member} stays raw: {}", report.path, raw.why));
            }
        }
        if session.global.json && !skipped {
            session.json(&report);
            session.flush();
        }
    }

    fn one(&self, session: &Session, input: &Input, target: &Path) -> Report {
        let mut report = Report::new(&input.path);
        let done = self.write(session, input, target, &mut report);
        match done {
            Ok(outcome) => {
                report.outcome(outcome.raw);
                report.also("tree", "tree_hex", target);
                report
            }
            Err((e, true)) => report.not_done(input, &e),
            Err((e, false)) => report.failed(e.to_string()),
        }
    }

    /// The error's flag: the file is to be named in front of it.
    fn write(&self, session: &Session, input: &Input, target: &Path, report: &mut Report) -> Result<Outcome, (Error, bool)> {
        let (of_file, of_target) = (|e| (e, true), |e| (e, false));
        let file = open::load(&input.path).map_err(of_file)?;
        let name = if open::is_standard_input(&input.path) { open::STDIN.to_owned() } else { input.name() };
        let hints = session.hints();
        report.bytes = Some(file.len());
        let detection = pipeline::recognise(&file, &name, hints).map_err(|e| {
            report.other = unknown_files::recognise(&input.path, &file).map(|other| other.kind);
            of_file(e)
        })?;
        report.detected(&detection);
        session.detail(format!("{name}: {}", detection.evidence));
        // Games are read from discs too.
        let elsewhere = |e: Error| match e.what() {
            Cause::Io(io) if self.output.is_none() && matches!(io.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied) => {
                of_target(e.hint("-o DIR puts the tree elsewhere"))
            }
            _ => of_target(e),
        };
        let exists = disk::check_folder(target, session.global.force).map_err(of_target)?;
        session.claim(target).map_err(of_target)?;
        let opened = pipeline::read(&file, detection).map_err(of_file)?;
        let staged = if session.global.dry_run { None } else { Some(StagedDir::new(target, session.global.force).map_err(elsewhere)?) };
        let folder = staged.as_ref().map(StagedDir::sink);
        let options = Options { small_png: self.small_png };
        let sink = Counted { to: folder.as_ref().map(|folder| folder as &dyn Sink), options, files: AtomicUsize::new(0) };
        let restart = || {
            sink.files.store(0, Relaxed);
            folder.as_ref().map_or(Ok(()), |folder| folder.clear())
        };
        let how = How { style: self.style, proof: !self.no_proof };
        let outcome = pipeline::unpack_opened(&file, &name, opened, how, &sink, &restart).map_err(of_file)?;
        report.sha256 = session.global.json.then(|| outcome.sha256.clone());
        edits::note_source(&sink, &input.path, target).map_err(of_target)?;
        if let Some(staged) = staged {
            let replaced = staged.commit().map_err(of_target)?;
            if let Some(aside) = &replaced.aside {
                report.more.insert("aside", as_named(target, aside).shown().into());
            }
            tell_replaced(session, target, &replaced);
        } else if exists {
            let edits = disk::edits(target);
            if !edits.as_ref().is_ok_and(Vec::is_empty) {
                session.warn(format!("{}: {}; the folder would be moved aside", target.shown(), edited(&edits)));
            }
        }
        report.more.insert("files", sink.files.into_inner().into());
        Ok(outcome)
    }
}

/// What stands beside a target, by a path that begins as the target's does.
fn as_named(target: &Path, beside: &Path) -> PathBuf {
    match (target.file_name(), beside.file_name()) {
        (Some(_), Some(name)) => target.with_file_name(name),
        _ => beside.to_owned(),
    }
}

/// Tells what became of a folder that was replaced, where it is not simply gone.
pub fn tell_replaced(session: &Session, target: &Path, replaced: &Replaced) {
    if let (Some(aside), Some(edits)) = (&replaced.aside, &replaced.edits) {
        session.warn(format!("{}: {}; the old folder is now {}", target.shown(), edited(edits), as_named(target, aside).shown()));
    }
    if let Some((path, why)) = &replaced.left {
        session.warn(format!("{}: the old folder could not be removed whole, the rest is {}: {why}", target.shown(), path.shown()));
    }
}

/// `2 files edited since refit wrote them: a.json (modified), b.txt (added)`.
fn edited(edits: &Result<Vec<(String, Change)>>) -> String {
    const SHOWN: usize = 10;
    match edits {
        Err(e) => format!("what was edited is not known: {e}"),
        Ok(edits) => {
            let shown: Vec<String> = edits.iter().take(SHOWN).map(|(path, change)| format!("{path} ({change})")).collect();
            let more = if edits.len() > SHOWN { ", …" } else { "" };
            format!("{} edited since refit wrote it: {}{more}", count(edits.len(), "file"), shown.join(", "))
        }
    }
}

/// Where each file's tree goes.
struct Targets<'a> {
    output: Option<&'a Path>,
    /// There is one file, and the output is its tree.
    alone: bool,
    taken: HashSet<PathBuf>,
    /// The places below the folders that were named, and how many files have them.
    places: HashMap<PathBuf, usize>,
}

impl<'a> Targets<'a> {
    fn new(inputs: &[Input], output: Option<&'a Path>, arguments: &[PathBuf]) -> Self {
        let alone = inputs.len() == 1 && !arguments.iter().any(|path| path.is_dir());
        let mut places = HashMap::new();
        // Only files of several arguments may have one place.
        for input in inputs.iter().filter(|_| output.is_some() && arguments.len() > 1) {
            *places.entry(input.relative.clone()).or_default() += 1;
        }
        Targets { output, alone, taken: HashSet::new(), places }
    }

    fn of(&mut self, input: &Input) -> PathBuf {
        let folder = match self.output {
            None => files::folder_of(&input.path),
            Some(output) if self.alone => return output.to_owned(),
            Some(output) => {
                // `c1/reader.zbd c2/reader.zbd` keep the folders in which they differ.
                let unique = self.places.get(&input.relative).is_none_or(|n| *n == 1);
                let place = if unique {
                    input.relative.clone()
                } else {
                    input.path.components().filter(|c| matches!(c, std::path::Component::Normal(_))).collect()
                };
                output.join(files::folder_of(&place))
            }
        };
        let target = files::tree_for(&input.path, &folder, &self.taken);
        self.taken.insert(target.clone());
        target
    }
}
