//! `refit put`: replaces one member without a tree.

use super::{
    edits,
    get::Form,
    repack::signatures,
    session::{Originals, Session, about, size},
    subject,
};
use bytes::Bytes;
use clap::Args;
use refit::{
    tree::{
        Blob,
        disk::{self, Backup, Replace},
    },
    wire::{Error, Result},
    work,
};
use std::{
    io::{IsTerminal, Read},
    path::{Path, PathBuf},
};

/// Replace one member of a file, from a file or standard input
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit put reader.zbd keys.zrd keys.json       a document, as `refit get` gives it
  refit put soundsL.zbd boom.wav < new.wav
  refit put reader.zbd keys.zrd old.bin --raw   the bytes as they are to be stored

The file is replaced whole or not at all. What it was at first is kept as NAME.orig: `refit restore` puts it back.
What the new member brings in that the game will trip over is told; exit code 3 when that is more than a note.")]
pub struct Put {
    /// The file
    file: PathBuf,
    /// The member's name, or #index as `list` shows it
    name: String,
    /// Where from; `-` is standard input. It may only be empty with --force
    #[arg(value_name = "FROM", default_value = "-")]
    from: PathBuf,
    /// Write the changed file here instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
    #[command(flatten)]
    originals: Originals,
}

fn read(from: &Path, session: &Session) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // /dev/stdin and the pipes of a shell have a name, and are empty for the same reasons.
    let is_pipe = from.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) && from != Path::new("/dev/null");
    let what = if from.as_os_str() == "-" {
        let mut stdin = std::io::stdin().lock();
        if stdin.is_terminal() {
            session.detail("reading from the terminal");
        }
        stdin.read_to_end(&mut bytes).map_err(|e| Error::io(Path::new("standard input"), e))?;
        "standard input".to_owned()
    } else {
        bytes = disk::read(from)?.into();
        if !is_pipe {
            return Ok(bytes);
        }
        from.display().to_string()
    };
    if bytes.is_empty() && !session.global.force {
        // A command before the pipe that failed, or no pipe at all.
        let hint = "name a file behind the member, or use --force to put nothing in its place";
        return Err(Error::say(format!("{what} is empty")).hint(hint));
    }
    Ok(bytes)
}

impl Put {
    /// Runs the command.
    pub fn run(self, session: &mut Session) -> Result<()> {
        // A file that will not be replaced is not read either: a pipe would be waited for.
        let special = self.output.is_none() && self.file.exists() && !self.file.is_file() && !self.file.is_dir();
        let refused = if special { disk::check_file(&self.file, Replace::new(true)).err() } else { None };
        let mut subject = match refused.map_or_else(|| subject::open_file(session, &self.file), Err) {
            Ok(subject) => subject,
            Err(e) => {
                session.error(about(&self.file, &e));
                return Ok(());
            }
        };
        let changed = (|| {
            let index = work::find_member(&*subject.model, &self.name)?;
            let new = read(&self.from, session)?;
            let from = if self.from.as_os_str() == "-" { "standard input".into() } else { self.from.display().to_string() };
            subject.model.put(index, &new, self.form.style(&self.from)).map_err(|e| e.in_file(from))?;
            let old = subject.file.as_ref().map_or(0, Blob::len);
            let mut bytes = Vec::with_capacity(usize::try_from(old).unwrap_or_default().saturating_add(new.len()));
            work::write(&*subject.model, &mut bytes)?;
            Ok(bytes)
        })();
        for note in subject.model.notes() {
            session.warn(format!("{}: {note}", self.file.display()));
        }
        let bytes = match changed {
            Ok(bytes) => bytes,
            Err(e) => {
                session.error(about(&self.file, &e));
                return Ok(());
            }
        };
        let bytes = Bytes::from(bytes);
        if let Err(e) = work::open(&bytes, &self.file.display().to_string(), session.hints()) {
            return Err(Error::say(format!("{}: with this member it could not be read again: {e}", self.file.display()))
                .hint("nothing was written"));
        }
        let (same, read) = match &subject.file {
            Some(file) => (file.is(&bytes)?, Some(file.sha256()?)),
            None => (false, None),
        };
        let news = match (&subject.file, same) {
            (Some(file), false) => {
                let before = work::read(file, work::recognise(file, &self.file.display().to_string(), session.hints())?)?.model;
                Some(edits::of_file(&*subject.model, &*before, &self.file))
            }
            _ => None,
        };
        let notes = subject.model.notes().to_vec();
        // A file that is still open cannot be replaced everywhere.
        drop(subject);
        let target = self.output.as_ref().unwrap_or(&self.file);
        // Replacing the file is what this command is for; a file that is only named behind -o is protected as always.
        let in_place = self.output.is_none();
        let may = Replace {
            force: in_place || session.global.force,
            backup: self.originals.backup(if in_place { Backup::First } else { Backup::Foreign }),
            // Another refit or program may have written the file since it was read.
            read: read.as_deref().filter(|_| in_place),
            source: None,
        };
        let mut unchanged = same && in_place;
        if session.global.dry_run {
            disk::check_file(target, may)?;
        } else if !unchanged {
            let written = disk::write_file(target, &bytes, may)?;
            session.kept(target, written.kept.as_ref());
            unchanged = written.unchanged;
            signatures(session, target, same);
        }
        if let Some(news) = news {
            news.tell(session, &self.file.display().to_string(), &notes);
        }
        let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
        let what = if same || unchanged { "unchanged".into() } else { size(bytes.len() as u64) };
        session.tell(format!("{} → {} ({what}{would})", self.name, target.display()));
        Ok(())
    }
}
