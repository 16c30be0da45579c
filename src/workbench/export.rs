//! Exports files to formats that other programs read.

use super::{
    open,
    options::{Filter, Options},
    progress::Progress,
};
use refit_base::{
    path::Shown,
    tree::{
        NullSink, Sink,
        disk::{self, StagedDir},
    },
    wire::{Error, Result},
};
use refit_files::file::File;
use refit_gltf as gltf;
use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// The result of an export.
pub struct Exported {
    /// Paths of the files.
    pub files: Vec<String>,
    /// What the formats cannot represent.
    pub notes: Vec<String>,
}

/// A folder of views, and notes about them.
struct Noted<'a> {
    to: &'a dyn Sink,
    notes: &'a Mutex<Vec<String>>,
    filter: &'a Filter,
}

impl Sink for Noted<'_> {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        if self.filter.takes(Path::new(path)) {
            self.to.put(path, bytes)
        } else {
            Ok(())
        }
    }
    fn passes_over(&self, stem: &str) -> bool {
        !self.filter.takes(Path::new(&format!("{stem}.glb")))
    }
    fn note(&self, text: String) {
        self.notes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(text);
    }
}

/// Exports a file or a tree to the folder `output`, together with texture packages, or with motions
/// for 'mechs.
pub fn export(
    file: &Path,
    output: &Path,
    with: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Exported> {
    let Options { force, filter, .. } = options;
    let with = with
        .iter()
        .map(|path| disk::read_named(path))
        .collect::<Result<Vec<_>>>()?;
    disk::check_folder(output, *force)?;
    let notes = Mutex::default();
    let export = |model: &File, to: &dyn Sink| {
        let mut written = gltf::export(
            model,
            &with,
            &Noted {
                to,
                notes: &notes,
                filter,
            },
        )?;
        written.retain(|path| filter.takes(Path::new(path)));
        match written.is_empty() && filter.is_given() {
            true => Err(Error::say(format!(
                "no export of this file {}",
                filter.description()
            ))),
            false => Ok(written),
        }
    };
    let done = open::open(file, options.hints).and_then(|subject| {
        if options.dry_run {
            return export(&subject.model, &NullSink);
        }
        let staged = StagedDir::new(output, *force)?;
        let sink = staged.sink();
        let written = export(&subject.model, &sink)?;
        // Marks the folder as refit's own, so that --force may replace it.
        sink.put(".refit/export", file.shown().as_bytes())?;
        progress.replaced(output, &staged.commit()?);
        Ok(written)
    });
    let files = done.map_err(|e| e.about(file))?;
    Ok(Exported {
        files,
        notes: notes.into_inner().unwrap_or_else(PoisonError::into_inner),
    })
}
