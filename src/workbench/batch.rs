//! Files that are changed in memory and then written together: all or none.

use super::{options::Options, progress::Progress, writes::FileWrite};
use bytes::Bytes;
use refit_base::{
    Sum,
    path::whole,
    tree::disk::{self, Backup, By, Replace, Together, Written, together::Recovered},
    wire::{Cause, Error, Result},
};
use std::{
    io,
    path::{Path, PathBuf},
};

/// A file that is ready to write.
pub(crate) struct Ready {
    /// The path to write.
    pub(crate) target: PathBuf,
    /// Its bytes.
    pub(crate) bytes: Bytes,
    /// The conditions for replacing a file, without `read`.
    pub(crate) may: Replace<'static>,
    /// The checksum of the file that was read; a file with another one is not replaced.
    pub(crate) read: Option<Sum>,
    /// The file is removed, instead of written.
    pub(crate) gone: bool,
}

impl Ready {
    /// A file that is edited in place, or written to another path.
    pub(crate) fn edit(
        target: &Path,
        bytes: Bytes,
        read: Option<Sum>,
        in_place: bool,
        options: &Options,
    ) -> Self {
        let may = Replace {
            // Replacing the input file is what the user asked for; any other file is protected as
            // usual.
            force: in_place || options.force,
            backup: options.backup_or(if in_place {
                Backup::First
            } else {
                Backup::Foreign
            }),
            by: By::Edit,
            ..Replace::default()
        };
        Ready {
            target: target.to_owned(),
            bytes,
            may,
            read,
            gone: false,
        }
    }

    /// A file to remove.
    pub(crate) fn remove(target: PathBuf, may: Replace<'static>) -> Self {
        Ready {
            target,
            bytes: Bytes::new(),
            may,
            read: None,
            gone: true,
        }
    }

    fn may(&self) -> Replace<'_> {
        Replace {
            read: self.read,
            ..self.may
        }
    }
}

/// The folder that contains all these existing or future paths; `None` if only the root of the file
/// system does.
fn common<'a>(mut paths: impl Iterator<Item = &'a Path>) -> Option<PathBuf> {
    let mut common = whole(paths.next()?).ok()?.parent()?.to_owned();
    for path in paths {
        let path = whole(path).ok()?;
        common = common
            .ancestors()
            .find(|folder| path.starts_with(folder))?
            .to_owned();
    }
    common.parent().is_some().then_some(common)
}

/// Writes files below a folder: all or none. `what` is the command.
pub(crate) fn write(
    folder: &Path,
    what: &str,
    files: &[&Ready],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Written>> {
    if options.dry_run || files.is_empty() {
        return check(files, options);
    }
    let begun = Together::begin(folder, what)?;
    together(begun, files, progress)
}

/// [`write`] in the folder that contains all `places`: the files, or the tree for files of a tree.
/// Without such a folder, or if the user may not write there, the files are written one after
/// another, the first one last, because it needs the others.
pub(crate) fn write_beside(
    places: &[&Path],
    what: &str,
    files: &[&Ready],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Written>> {
    if options.dry_run || files.is_empty() {
        return check(files, options);
    }
    let is_closed = |e: &Error| match e.what() {
        Cause::Io(e) => matches!(
            e.kind(),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
        ),
        _ => false,
    };
    // A file is only removed together with the others.
    let folder = common(places.iter().copied())
        .filter(|_| files.len() > 1 || files.iter().any(|file| file.gone));
    match folder
        .map(|folder| Together::begin(&folder, what))
        .transpose()
    {
        Ok(Some(begun)) => return together(begun, files, progress),
        Err(e) if !is_closed(&e) || files.iter().any(|file| file.gone) => return Err(e),
        Ok(None) | Err(_) => {}
    }
    let mut written = Vec::new();
    for file in files.iter().rev() {
        let done = disk::write_file(&file.target, &file.bytes, file.may())?;
        progress.kept(&file.target, done.kept.as_ref());
        written.insert(0, done);
    }
    Ok(written)
}

/// The checks of a dry run.
fn check(files: &[&Ready], options: &Options) -> Result<Vec<Written>> {
    if let Some(writes) = &options.writes {
        writes.add(files.iter().map(|file| FileWrite {
            path: file.target.clone(),
            bytes: (!file.gone).then(|| file.bytes.clone()),
        }));
    }
    files
        .iter()
        .try_for_each(|file| disk::check_file(&file.target, file.may()).map(|_| ()))?;
    Ok(Vec::new())
}

fn together(
    (mut together, recovered): (Together, Option<Recovered>),
    files: &[&Ready],
    progress: &dyn Progress,
) -> Result<Vec<Written>> {
    progress.recovered(recovered.as_ref());
    let mut written = Vec::new();
    for file in files {
        let Ready {
            target,
            bytes,
            gone,
            ..
        } = file;
        if *gone {
            let kept = together.remove(target, file.may())?;
            written.push(Written {
                kept,
                ..Written::default()
            });
            continue;
        }
        let write = |out: &mut (dyn io::Write + Send)| {
            out.write_all(bytes).map_err(|e| Error::io(target, e))
        };
        written.push(together.write(target, file.may(), write, |_, _| Ok(()))?);
    }
    together.commit()?;
    written
        .iter()
        .zip(files)
        .for_each(|(done, file)| progress.kept(&file.target, done.kept.as_ref()));
    Ok(written)
}
