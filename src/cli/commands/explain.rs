//! `refit explain`: explains every byte of a file.

use crate::cli::{
    explained::{JsonLine, SHOWN, WantedLines, pattern, print},
    session::Session,
};
use clap::Args;
use refit::{
    path::Shown,
    pipeline::{self, Explained},
    tree::Blob,
    wire::{Error, Line, Result},
    workbench::open,
};
use std::path::PathBuf;

/// Show the meaning of every byte of a file
#[derive(Args, Debug)]
pub struct Explain {
    /// A file
    file: PathBuf,
    /// An offset, a range, a member or a path
    #[arg(value_name = "WHERE")]
    place: Option<String>,
    /// Show long payloads in full
    #[arg(long)]
    full: bool,
    /// Print an ImHex pattern instead
    #[arg(long, conflicts_with_all = ["full", "json"])]
    imhex: bool,
}

impl Explain {
    pub fn run(self, session: &Session) -> Result<()> {
        let place = WantedLines::parse(self.place.as_deref())?;
        let name = self.file.shown();
        let about = |e: Error| e.about(&self.file);
        if self.file.is_dir() {
            return Err(about(Error::say("a folder; this command takes a file")));
        }
        let file = open::load(&self.file).map_err(about)?;
        if let WantedLines::Bytes(range) = &place
            && range.start >= file.len()
        {
            return Err(Error::say(format!("{:#x} is beyond the end: the file has {} bytes", range.start, file.len()))
                .in_file(name));
        }
        let hints = session.hints();
        let mut shown = 0u64;
        let mut last = String::new();
        if self.imhex {
            session.line("#pragma endian little");
            session.line("#pragma pattern_limit 100000000");
        }
        let mut sink = |line: Line| {
            if !place.takes(&line) {
                return Ok(());
            }
            shown += 1;
            let size = usize::try_from(line.range.end - line.range.start).unwrap_or(usize::MAX);
            let whole = session.global.json || self.full || size <= 1 << 16;
            let bytes = read(&file, line.range.start, if whole { size } else { SHOWN })?;
            if session.global.json {
                session.json(&JsonLine::new(&line, size, &bytes));
            } else if self.imhex {
                session.line(pattern(&line, size, shown));
            } else {
                print(session, &line, &bytes, size, self.full, &mut last);
            }
            match session.closed() {
                true => Err(std::io::ErrorKind::BrokenPipe.into()),
                false => Ok(()),
            }
        };
        let done = pipeline::explain(&file, &name, hints, place.bytes(), &mut sink);
        match done {
            Err(_) if session.closed() => {}
            Err(e) | Ok(Explained { fault: Some(e) }) => return Err(about(e)),
            Ok(_) if shown == 0 && !session.global.json => {
                let wanted = self.place.as_deref().unwrap_or_default();
                return Err(Error::say(format!("nothing in the file has the path {wanted:?}"))
                    .in_file(name)
                    .hint("`refit list` shows its members, `refit explain` without WHERE all paths"));
            }
            Ok(_) => {}
        }
        Ok(())
    }
}

/// Bytes of the file. A file that disappeared is an error.
fn read(file: &Blob, at: u64, size: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.read_into(at, size, &mut bytes).map_err(|e| std::io::Error::other(e.to_string()))?;
    Ok(bytes)
}
