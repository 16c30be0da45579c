//! `refit repack`: a tree becomes a file.

use super::{
    paths,
    session::{Report, Session, Status, about, size},
};
use bytes::Bytes;
use clap::Args;
use refit::{
    Sha256,
    game::Game,
    tree::{Blob, DirSource, Source, disk},
    wire::{Error, Result},
    work,
};
use std::{
    collections::HashSet,
    io::Write,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// Make the file of a tree again
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit repack reader                     the file that the tree came from, beside the tree
  refit repack reader -o new/reader.zbd
  refit repack reader --force             replaces it; the first original is kept as reader.zbd.orig (see `refit restore`)")]
pub struct Repack {
    /// Trees
    #[arg(required = true, value_name = "TREE")]
    pub trees: Vec<PathBuf>,
    /// The file to write, or a folder for it (existing, or named with a slash at the end)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Files up to this size are compared with the original's SHA-256 without being asked.
const SUMMED: u64 = 64 << 20;

/// A tree on disk that remembers what was read of it.
struct Recording {
    tree: DirSource,
    read: Mutex<HashSet<String>>,
}

impl Source for Recording {
    fn get(&self, path: &str) -> Result<Bytes> {
        let bytes = self.tree.get(path)?;
        self.note(path);
        Ok(bytes)
    }
    fn blob(&self, path: &str) -> Result<Blob> {
        let blob = self.tree.blob(path)?;
        self.note(path);
        Ok(blob)
    }
    fn has(&self, path: &str) -> bool {
        self.tree.has(path)
    }
    fn paths(&self) -> Vec<String> {
        self.tree.paths()
    }
}

impl Recording {
    fn note(&self, path: &str) {
        if let Ok(mut read) = self.read.lock() {
            read.insert(path.to_owned());
        }
    }

    /// Files that no part of the tree mentions.
    fn unread(&self) -> Vec<String> {
        let Ok(read) = self.read.lock() else { return Vec::new() };
        self.tree.paths().into_iter().filter(|path| !read.contains(path) && !paths::is_hidden(path)).collect()
    }
}

impl Repack {
    /// The command as the form without a verb uses it.
    pub fn plain(tree: PathBuf) -> Self {
        Repack { trees: vec![tree], output: None }
    }

    /// Runs the command.
    pub fn run(self, session: &mut Session) -> Result<()> {
        let trees = paths::expand(&self.trees)?;
        let into_folder = self.output.as_ref().is_some_and(|o| o.is_dir() || o.display().to_string().ends_with(std::path::is_separator));
        if trees.len() > 1 && self.output.is_some() && !into_folder {
            super::usage("several trees need a folder behind -o: an existing one, or a name that ends with a slash");
        }
        let progress = session.progress(0);
        for tree in &trees {
            progress.say(tree.display().to_string());
            let mut report = Report::new(tree);
            if let Err(e) = self.one(session, tree, into_folder, &mut report) {
                report = report.failed(about(tree, &e));
            }
            let failed = report.error.is_some();
            progress.aside(|| tell(session, report));
            if failed && !session.global.keep_going {
                break;
            }
        }
        Ok(())
    }

    fn one(&self, session: &Session, tree: &Path, into_folder: bool, report: &mut Report) -> Result<()> {
        if !tree.is_dir() {
            let io = std::fs::metadata(tree).err().map(|e| Error::io(tree, e));
            return Err(
                io.unwrap_or_else(|| Error::say("not a folder; repack takes an unpacked tree").hint("to unpack a file: refit unpack FILE"))
            );
        }
        let source = Recording { tree: DirSource::new(tree), read: Mutex::default() };
        let (head, model) = work::assemble(&source)?;
        let target = match &self.output {
            Some(folder) if into_folder => folder.join(paths::plain_name(&head.source.file)?),
            Some(file) => file.clone(),
            None => paths::file_for(tree, &head.source.file)?,
        };
        for note in model.notes() {
            session.warn(format!("{}: {note}", tree.display()));
        }
        for path in source.unread() {
            session.warn(format!("{}: the manifest does not name it, it is not packed", tree.join(path).display()));
        }
        report.game = head.game.map(Game::code);
        report.format = Some(head.format);
        report.status = Status::Exact;
        report.more.insert("file", target.display().to_string().into());
        let mut bytes = 0;
        // A sum of a large file would take as long as the file: only where it is asked for.
        let mut sum = (session.global.json || head.source.bytes <= SUMMED).then(Sha256::default);
        let written = match session.global.dry_run {
            true => disk::check_file(&target, session.global.force)
                .and_then(|_| work::write(&*model, &mut Summed { to: &mut std::io::sink(), bytes: &mut bytes, sum: &mut sum })),
            false => disk::write_file_with(&target, session.global.force, |out| {
                work::write(&*model, &mut Summed { to: out, bytes: &mut bytes, sum: &mut sum })
            }),
        };
        written?;
        report.bytes = Some(bytes);
        report.sha256 = sum.map(Sha256::hex);
        report.more.insert("identical", report.sha256.as_ref().map(|sum| *sum == head.source.sha256).into());
        Ok(())
    }
}

/// Counts and sums what goes by.
struct Summed<'a> {
    to: &'a mut dyn Write,
    bytes: &'a mut u64,
    sum: &'a mut Option<Sha256>,
}

impl Write for Summed<'_> {
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        let n = self.to.write(piece)?;
        *self.bytes += n as u64;
        if let Some(sum) = self.sum {
            sum.update(piece.get(..n).unwrap_or(piece));
        }
        Ok(n)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}

fn tell(session: &mut Session, report: Report) {
    if let Some(error) = &report.error {
        session.error(error);
    } else {
        let file = report.more.get("file").and_then(|f| f.as_str()).unwrap_or_default().to_owned();
        let same = if report.more.get("identical") == Some(&true.into()) { ", identical to the original" } else { "" };
        let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
        session.tell(format!("{} → {file} ({}, {}{same}{would})", report.path, report.kind(), size(report.bytes.unwrap_or(0))));
    }
    if session.global.json {
        session.json(&report);
        session.flush();
    }
}
