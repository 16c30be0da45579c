//! `refit restore`: puts pristine files back.

use super::{
    paths,
    session::{Session, about, count},
};
use clap::Args;
use refit::{
    tree::disk,
    wire::{Error, Result},
};
use std::path::{Path, PathBuf};

/// Put the pristine NAME.orig back, over the file that refit changed
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit restore zbd/reader.zbd
  refit restore C:\\Games\\MW3    every file below it that has an original")]
pub struct Restore {
    /// Files, or folders with files at any depth
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

/// The file that an original belongs to; `None` when the path is no original.
fn original_of(path: &Path) -> Option<PathBuf> {
    (path.extension()? == "orig").then(|| path.with_extension(""))
}

impl Restore {
    /// Runs the command.
    pub fn run(self, session: &mut Session) -> Result<()> {
        let filter = session.filter()?;
        let mut restored = 0;
        for path in paths::expand(&self.paths)? {
            let files = if path.is_dir() {
                let below = paths::files(&[path], &filter)?;
                below.iter().filter_map(|input| original_of(&input.path)).collect()
            } else {
                vec![original_of(&path).unwrap_or(path)]
            };
            for file in files {
                let backup = disk::backup_path(&file);
                let done = match backup.symlink_metadata() {
                    Err(_) => Err(Error::say(format!("there is no {}", backup.display())).hint("refit has not replaced this file")),
                    Ok(_) if session.global.dry_run => Ok(()),
                    Ok(_) => disk::restore(&file),
                };
                match done {
                    Ok(()) => {
                        restored += 1;
                        if session.global.json {
                            session.json(&serde_json::json!({ "path": file.display().to_string(), "status": "restored" }));
                        }
                        session.tell(format!("{} → {}", backup.display(), file.display()));
                    }
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
        if restored != 1 {
            session.tell(format!("{} {would}", count(restored, "file")));
        }
        Ok(())
    }
}
