//! `refit repack`: a tree becomes a file.

use super::{
    paths,
    session::{Report, Session, Status, about, size},
};
use bytes::Bytes;
use clap::Args;
use refit::{
    game::Game,
    sha256,
    tree::{DirSource, Source, disk},
    wire::{Error, Result},
    work,
};
use std::{
    collections::HashSet,
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
    /// The file to write, or an existing folder for it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A tree on disk that remembers what was read of it.
struct Recording {
    tree: DirSource,
    read: Mutex<HashSet<String>>,
}

impl Source for Recording {
    fn get(&self, path: &str) -> Result<Bytes> {
        let bytes = self.tree.get(path)?;
        if let Ok(mut read) = self.read.lock() {
            read.insert(path.to_owned());
        }
        Ok(bytes)
    }
    fn has(&self, path: &str) -> bool {
        self.tree.has(path)
    }
    fn paths(&self) -> Vec<String> {
        self.tree.paths()
    }
}

impl Recording {
    /// Files that no part of the tree mentions.
    fn unread(&self) -> Vec<String> {
        let Ok(read) = self.read.lock() else { return Vec::new() };
        let hidden = |path: &str| path.split('/').any(|part| part.starts_with('.')) || paths::is_litter(Path::new(path));
        self.tree.paths().into_iter().filter(|path| !read.contains(path) && !hidden(path)).collect()
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
        let into_folder = self.output.as_ref().is_some_and(|o| o.is_dir());
        if trees.len() > 1 && self.output.is_some() && !into_folder {
            super::usage("several trees need an existing folder behind -o");
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
        let (head, bytes) = work::repack(&source)?;
        let target = match &self.output {
            Some(folder) if into_folder => folder.join(paths::plain_name(&head.source.file)?),
            Some(file) => file.clone(),
            None => paths::file_for(tree, &head.source.file)?,
        };
        for path in source.unread() {
            session.warn(format!("{}: the manifest does not name it, it is not packed", tree.join(path).display()));
        }
        report.bytes = Some(bytes.len() as u64);
        report.game = head.game.map(Game::code);
        report.format = Some(head.format);
        report.status = Status::Exact;
        report.more.insert("file", target.display().to_string().into());
        let (dry, force, json) = (session.global.dry_run, session.global.force, session.global.json);
        let sum = || (bytes.len() as u64 == head.source.bytes || json).then(|| sha256(&bytes));
        let write = || match dry {
            true => disk::check_file(&target, force).map(|_| ()),
            false => disk::write_file(&target, &bytes, force),
        };
        let (written, sum) = rayon::join(write, sum);
        written?;
        report.more.insert("identical", (sum.as_ref() == Some(&head.source.sha256)).into());
        report.sha256 = sum;
        Ok(())
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
