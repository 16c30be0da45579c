//! `refit restore`: puts pristine files back.

use super::{
    paths::{self, Filter},
    session::{Place, Session, about, count},
};
use clap::Args;
use refit::{
    tree::disk::{self, Original},
    wire::{Error, Result},
    work::{self, Hints},
};
use std::path::{Path, PathBuf};

/// Put the pristine NAME.orig back, over the file that refit changed
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit restore zbd/reader.zbd
  refit restore C:\\Games\\MW3    every file below it that has an original
  refit restore C:\\Games\\MW3 --include 'c1/**'

An original that refit neither noted nor recognises is only put back with --force. Links out of a folder are not followed.
What stood in the place of the original and was not written by refit is kept as NAME.orig.2.")]
pub struct Restore {
    /// Files, or folders with files at any depth
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

#[derive(serde::Serialize)]
struct Row {
    #[serde(flatten)]
    place: Place,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

/// The file that an original belongs to; `None` when the path is no original.
fn original_of(path: &Path) -> Option<PathBuf> {
    (path.extension()? == "orig").then(|| path.with_extension(""))
}

/// The files below a folder that have an original there. Links are not followed: what they lead to is not in the folder.
fn below(folder: &Path, filter: &Filter) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(folder).min_depth(1).sort_by_file_name().into_iter().filter_map(|entry| entry.ok()) {
        let Some(file) = original_of(entry.path()).filter(|_| !entry.file_type().is_dir()) else { continue };
        let inside = |path: &Path| path.strip_prefix(folder).map(Path::to_owned).unwrap_or_default();
        let (file_name, original_name) = (inside(&file), inside(entry.path()));
        // People name the game's file as well as the original.
        let meant = filter.takes(&file_name) || filter.takes(&original_name);
        if meant && filter.keeps(&file_name) && filter.keeps(&original_name) {
            found.push(file);
        }
    }
    found
}

/// True for an original that refit made as far as it knows: it noted that it did, or the content is a game's file of such a name.
/// Other programs keep things under `NAME.orig` too.
fn is_ours(original: &Original) -> bool {
    let name = original.file.display().to_string();
    original.noted
        || work::load(&original.backup).and_then(|file| work::recognise(&file, &name, Hints::default())).is_ok_and(|found| {
            let extension = original.file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
            // Text says little by itself: any list in parentheses could be one.
            found.certain || matches!(extension.as_str(), "zbd" | "zrd" | "cfg" | "pbo")
        })
}

impl Restore {
    /// Runs the command.
    pub fn run(self, session: &mut Session) -> Result<()> {
        let filter = session.filter()?;
        let (mut restored, mut left) = (0, 0);
        for path in paths::expand(&self.paths)? {
            let named = !path.is_dir();
            let files = match original_of(&path) {
                // `restore zbd/*` names the originals too. A folder beside a file of its name is refused.
                Some(file) if named || file.is_file() => vec![file],
                None if named => vec![path],
                _ => {
                    let found = below(&path, &filter);
                    if found.is_empty() && filter.is_given() {
                        let what = format!("no file below {} that has an original {}", path.display(), filter.said());
                        session.error(Error::say(what).hint("a pattern is held against NAME and NAME.orig").to_string());
                    } else if found.is_empty() && std::fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_none()) {
                        // A wrong path, as a rule: where there are files and no originals, all is as it should be.
                        session.error(format!("there is no file below {}", path.display()));
                    }
                    found
                }
            };
            for file in files {
                match self.one(session, &file, named) {
                    Ok(true) => restored += 1,
                    Ok(false) => left += 1,
                    Err(e) => {
                        session.error(about(&file, &e));
                        if !session.global.keep_going {
                            return Ok(());
                        }
                    }
                }
            }
        }
        let would = if session.global.dry_run { "would be restored (dry run)" } else { "restored" };
        if restored != 1 || left > 0 {
            let left = if left > 0 { format!(", {left} left alone (see above; --force restores them)") } else { String::new() };
            session.tell(format!("{} {would}{left}", count(restored, "file")));
        }
        Ok(())
    }

    /// Restores a file. False when it was left alone: it was not `named` itself, and nobody knows whether its original is one.
    fn one(&self, session: &mut Session, file: &Path, named: bool) -> Result<bool> {
        if !named && file.is_symlink() {
            session.warn(format!("{}: a link, left alone; name it to restore the file that it leads to", file.display()));
            return Ok(false);
        }
        let original = disk::original(file)?;
        let backup = original.backup.display();
        if !session.global.force && !is_ours(&original) {
            let what = format!("{backup} is not an original that refit knows");
            if named {
                return Err(Error::say(what).hint("another program may have made it; --force puts it back"));
            }
            session.warn(format!("{what}, left alone"));
            return Ok(false);
        }
        let kept = if session.global.dry_run { None } else { original.restore()? };
        let target = original.file.display();
        if let Some(kept) = &kept {
            session.warn(format!("{target}: what stood there was not written by refit, it is kept as {}", kept.display()));
        }
        if session.global.json {
            let kept = kept.map(|kept| kept.display().to_string());
            session.json(&Row { place: Place::of(&original.file), status: "restored", kept });
        }
        session.tell(format!("{backup} → {target}"));
        for later in if session.global.dry_run { Vec::new() } else { original.later() } {
            session.detail(format!("{target}: {} is kept too, of what another program wrote there later", later.display()));
        }
        Ok(true)
    }
}
