//! `refit export`: one-way views for people and other programs.

use crate::cli::session::Session;
use clap::Args;
use refit::{
    File,
    path::Shown,
    tree::{
        Sink,
        disk::{self, StagedDir},
    },
    wire::{Error, Result, count},
    workbench::{Filter, Progress, open},
};
use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// Export to formats that other programs read: worlds, models and 'mechs as glTF, textures as contact sheets, messages
/// as PO and CSV
#[derive(Args, Debug)]
pub struct Export {
    /// A file or a tree
    file: PathBuf,
    /// Output folder
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Texture packages, or motions for 'mechs; repeatable
    #[arg(long, value_name = "FILE", visible_alias = "textures")]
    with: Vec<PathBuf>,
}

/// A folder of views, and notes about them.
struct Noted<'a> {
    to: &'a dyn Sink,
    notes: &'a Mutex<Vec<String>>,
    filter: &'a Filter,
}

impl Sink for Noted<'_> {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        if self.filter.takes(Path::new(path)) { self.to.put(path, bytes) } else { Ok(()) }
    }
    fn passes_over(&self, stem: &str) -> bool {
        !self.filter.takes(Path::new(&format!("{stem}.glb")))
    }
    fn note(&self, text: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }
}

impl Export {
    pub fn run(self, session: &Session) -> Result<()> {
        let force = session.global.force;
        let with = self.with.iter().map(|path| disk::read_named(path)).collect::<Result<Vec<_>>>()?;
        disk::check_folder(&self.output, force)?;
        let (notes, options) = (Mutex::default(), session.options()?);
        let filter = &options.filter;
        let export = |model: &File, to: &dyn Sink| {
            let mut written = refit::gltf::export(model, &with, &Noted { to, notes: &notes, filter })?;
            written.retain(|path| filter.takes(Path::new(path)));
            match written.is_empty() && filter.is_given() {
                true => Err(Error::say(format!("no export of this file {}", filter.description()))),
                false => Ok(written),
            }
        };
        let done = open::open(&self.file, session.hints()).and_then(|subject| {
            if session.global.dry_run {
                return export(&subject.model, &refit::tree::NullSink);
            }
            let staged = StagedDir::new(&self.output, force)?;
            let sink = staged.sink();
            let written = export(&subject.model, &sink)?;
            // Marks the folder as refit's own, so that --force may replace it.
            sink.put(".refit/export", self.file.shown().as_bytes())?;
            session.replaced(&self.output, &staged.commit()?);
            Ok(written)
        });
        let written = done.map_err(|e| e.about(&self.file))?;
        for note in notes.into_inner().unwrap_or_else(PoisonError::into_inner) {
            session.warn(format!("{}: {note}", self.file.shown()));
        }
        for name in &written {
            if session.global.json {
                session.row(&self.file, &[("file", name.as_str().into())]);
            }
        }
        let what = match written.as_slice() {
            few @ ([_] | [_, _] | [_, _, _]) => few.join(", "),
            many => count(many.len(), "file"),
        };
        session.tell(format!("{} → {} ({what}{})", self.file.shown(), self.output.shown(), session.would()));
        Ok(())
    }
}
