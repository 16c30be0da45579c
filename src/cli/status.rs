//! `refit status`: what was edited in a tree since it was unpacked.

use super::{
    paths,
    session::{Line, Paint, Session, about, count},
};
use clap::Args;
use refit::{
    sha256,
    tree::{DirSource, Source, read_head},
    wire::{Error, Result},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Tell what was edited in a tree since it was unpacked
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit status reader

Exit code 3 when something was edited, 0 when not.")]
pub struct Status {
    /// Trees
    #[arg(required = true, value_name = "TREE")]
    trees: Vec<PathBuf>,
}

/// Where `unpack` notes the sums.
const SUMS: &str = ".refit/sha256";

/// The files that differ from what `unpack` wrote, and how.
pub fn changes(tree: &Path) -> Result<Vec<(String, &'static str)>> {
    if !tree.is_dir() {
        return Err(std::fs::metadata(tree).err().map_or_else(|| Error::say("not a folder"), |e| Error::io(tree, e)));
    }
    let source = DirSource::new(tree);
    read_head(&source)?;
    let sums = source.get(SUMS).map_err(|e| {
        const WHAT: &str = "the sums of the files when they were unpacked (.refit/sha256)";
        match tree.join(SUMS).symlink_metadata() {
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => Error::say(format!("{WHAT} are missing")),
            _ => Error::say(format!("{WHAT} are unreadable: {e}")),
        }
        .hint("unpack the original file again")
    })?;
    let sums = String::from_utf8_lossy(&sums).into_owned();
    let mut before: BTreeMap<&str, &str> = sums.lines().filter_map(|line| line.split_once("  ")).map(|(sum, path)| (path, sum)).collect();
    let mut out = Vec::new();
    for path in source.paths() {
        let ours = path.starts_with(".refit/");
        match before.remove(path.as_str()) {
            Some(sum) if sha256(&source.get(&path)?) == sum => {}
            Some(_) => out.push((path, "modified")),
            None if ours || paths::is_hidden(&path) => {}
            None => out.push((path, "added")),
        }
    }
    out.extend(before.into_keys().map(|path| (path.to_owned(), "deleted")));
    out.sort();
    Ok(out)
}

impl Status {
    /// Runs the command.
    pub fn run(self, session: &mut Session) -> Result<()> {
        for tree in paths::expand(&self.trees)? {
            let changes = match changes(&tree) {
                Ok(changes) => changes,
                Err(e) => {
                    session.error(about(&tree, &e));
                    continue;
                }
            };
            let name = tree.display().to_string();
            if !changes.is_empty() {
                session.found();
            }
            for (path, status) in &changes {
                if session.global.json {
                    session.json(&serde_json::json!({ "path": name, "file": path, "status": status }));
                    continue;
                }
                let paint = if *status == "deleted" { Paint::Red } else { Paint::Yellow };
                let file = tree.join(path);
                session.tell(Line::new().paint(paint, format!("{status:8}")).text(format!("  {}", file.display())));
            }
            match changes.len() {
                0 => session.tell(format!("{name}: as it was unpacked")),
                n => session.tell(format!("{name}: {} edited", count(n, "file"))),
            }
        }
        Ok(())
    }
}
