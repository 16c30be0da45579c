//! Replacing one member of a file, and what else a glTF file brings along.

use super::{
    edits::{self, EditReport},
    inside,
    open::{self, Loaded},
    options::Options,
    paths::same_path,
    progress::Progress,
    put_tree,
    repack::{finish_above, signatures},
};
use crate::{
    file::File,
    formats::{
        Format, Members as _,
        sounds::sound::{self, SampleCodec},
        textures::{Fitted, TexturesModel},
    },
    gltf::import::{self, NewPicture, Report},
    path::Shown,
    pipeline,
    tree::{
        Form,
        disk::{self, Backup, By, Replace},
        is_tree,
    },
    wire::{Error, ErrorKind, Result},
};
use bytes::Bytes;
use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

/// Reads a glTF file, which may name files beside it. Errors are about this file.
fn of_gltf(from: &Path, import: impl FnOnce(&import::Source<'_>) -> Result<Report>) -> Result<Report> {
    let file = disk::read_named(from)?;
    let beside = |path: &str| disk::read_beside(from.parent().unwrap_or(Path::new("")), path);
    import(&import::Source { file: &file, beside: &beside }).map_err(|e| e.in_file(from.shown()))
}

/// Puts a glTF file into a member. A motion that does not exist yet is added.
pub fn gltf_into(file: &mut File, name: &str, from: &Path, options: import::Options) -> Result<Report> {
    // A member is also meant by the name of the file that `refit export` makes of it.
    let short = if import::is_gltf(name) { name.rsplit_once('.').map_or(name, |(short, _)| short) } else { name };
    if let File::World(world) = file
        && import::is_whole(world, short)
    {
        return of_gltf(from, |source| import::whole(world, source, options));
    }
    let is_none = |e: &Error| e.kind() == ErrorKind::NoMember;
    let found = match pipeline::find_member(file.model(), name) {
        Err(e) if is_none(&e) && import::takes_motions(file) && !name.starts_with('#') => None,
        Err(e) if is_none(&e) => {
            match pipeline::find_member(file.model(), short).or_else(|_| import::exported(file, short)?.ok_or(e)) {
                Ok(index) => Some(index),
                Err(e) => return Err(e),
            }
        }
        other => Some(other?),
    };
    of_gltf(from, |source| match found {
        Some(index) => import::put(file, index, source, options),
        None => import::add_motion(file, name, source, options),
    })
}

/// Adds the objects of a glTF file below a node of a world, or its animations to an archive of motions.
pub fn import_gltf(into: &mut File, from: &Path, under: Option<&str>, options: import::Options) -> Result<Report> {
    match (under, import::takes_motions(into)) {
        (None, true) => of_gltf(from, |source| import::motions(into, source, options)),
        (Some(_), true) => Err(Error::say("--under is for worlds: motions have no parent node")),
        (Some(under), false) => of_gltf(from, |source| import::add(into, under, source, options)),
        (None, false) => Err(Error::say("--under must name the parent node of the new objects")
            .hint("the documents in nodes/ show the names")),
    }
}

/// The sound in the shape of the one that it replaces, if `encode` asks for that. Without it, warns of another codec.
/// Gives `None` for a member that stays as it is.
pub(crate) fn encoded(
    progress: &dyn Progress,
    file: &File,
    index: usize,
    name: &str,
    new: &[u8],
    encode: bool,
) -> Result<Option<Vec<u8>>> {
    let old = match file {
        File::Archive(bank) if bank.context().format == Format::Sounds => bank.get(index, Form::Stored).ok(),
        _ => None,
    };
    let Some(old) = old.filter(|old| sound::shape(old).is_ok()) else {
        return if encode { Err(Error::say("--encode is for a sound that replaces a sound")) } else { Ok(None) };
    };
    if encode {
        let shaped = sound::like(&Bytes::copy_from_slice(new), &old)?;
        shaped.notes.iter().for_each(|note| progress.warn(&format!("{name}: {note}")));
        return Ok(Some(shaped.file.to_vec()));
    }
    if let (Ok(was), Ok(now)) = (sound::shape(&old), sound::shape(new))
        && was.codec != now.codec
    {
        let codec = if was.codec == SampleCodec::Pcm { "PCM" } else { "ADPCM" };
        progress.warn(&format!("{name}: it was {was} and is now stored as {now} (--encode keeps {codec})"));
    }
    Ok(None)
}

/// What a change of a file beside the one that was named did.
pub(crate) struct Done {
    /// It, for people.
    pub label: String,
    /// What was lost or is doubtful.
    pub notes: Vec<String>,
}

/// A change of a file.
pub(crate) type Alter = dyn Fn(&mut File) -> Result<Done>;

/// A file, or its tree, that is changed together with another one, and not written yet: a texture package that takes
/// the pictures of new textures.
pub(crate) struct Prepared {
    path: PathBuf,
    subject: Loaded,
    bytes: Vec<u8>,
    done: Done,
    alter: Rc<Alter>,
}

impl Prepared {
    /// Changes a file in memory.
    pub(crate) fn new(path: PathBuf, alter: Rc<Alter>, options: &Options) -> Result<Self> {
        let place = |e: Error| e.about(&path);
        let mut subject = open::open(&path, options.hints).map_err(place)?;
        let done = alter(&mut subject.model).map_err(place)?;
        let mut bytes = Vec::new();
        pipeline::write(&*subject.model, &mut bytes).map_err(place)?;
        Ok(Prepared { path, subject, bytes, done, alter })
    }

    /// Writes it.
    pub(crate) fn store(self, options: &Options, progress: &dyn Progress) -> Result<Stored> {
        let Prepared { path, subject, bytes, done: Done { label, notes }, alter } = self;
        notes.iter().for_each(|note| progress.warn(&format!("{}: {note}", path.shown())));
        if subject.file.is_none() {
            let (_, written) = put_tree::change(&path, options, progress, &*alter).map_err(|e| e.about(&path))?;
            let (unchanged, bytes) = (written.is_empty(), bytes.len());
            return Ok(Stored { target: path, label, unchanged, bytes, news: None, notes: Vec::new() });
        }
        store(&path, None, subject, bytes, label, options, progress)
    }
}

/// The texture packages that are named: each, and those below folders. If none is named, those of the world.
pub(crate) fn packages(
    world: &Path,
    named: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    if named.is_empty() {
        out = inside::of_world(world, Format::Textures, options)?;
        if out.is_empty() {
            return Err(inside::none_of_world(world, Format::Textures, "--textures PACKAGE"));
        }
    }
    for path in named {
        let found = inside::meant(path, Format::Textures, options, progress)?;
        if found.is_empty() {
            return Err(Error::say("no texture package in this folder").in_file(path.shown()));
        }
        out.extend(found);
    }
    let mut seen = std::collections::HashSet::new();
    out.retain(|path| seen.insert(same_path(path)));
    Ok(out)
}

/// Puts pictures into a package: gives what became of each.
pub(crate) type Give = dyn Fn(&mut TexturesModel, &Path) -> Result<Vec<Fitted>>;

/// Puts pictures into packages, in memory. Gives those that have any of them.
pub(crate) fn fill(packages: Vec<PathBuf>, give: &Rc<Give>, options: &Options) -> Result<Vec<Prepared>> {
    let one = |path: PathBuf| {
        let (give, at) = (give.clone(), path.clone());
        let alter = move |file: &mut File| {
            let File::Textures(package) = file else { return Err(Error::say("--textures takes a texture package")) };
            let rows = give(package, &at)?;
            let is_unchanged = rows.iter().all(|row| !row.changed);
            let shown = rows.iter().filter(|row| row.changed || is_unchanged);
            let label =
                shown.map(|row| format!("{} ({} × {}, {})", row.name, row.now[0], row.now[1], row.form_and_alpha()));
            let label = label.collect::<Vec<_>>().join(", ");
            let notes = rows.iter().flat_map(|row| row.notes.iter().map(move |note| format!("{}: {note}", row.name)));
            Ok(Done { label, notes: notes.collect() })
        };
        Prepared::new(path, Rc::new(alter), options)
    };
    let filled = packages.into_iter().map(one).collect::<Result<Vec<_>>>()?;
    Ok(filled.into_iter().filter(|package| !package.done.label.is_empty()).collect())
}

/// Puts the pictures of new textures into packages, in memory; nothing where there are none.
pub(crate) fn add_pictures(packages: Vec<PathBuf>, report: &Report, options: &Options) -> Result<Vec<Prepared>> {
    if report.pictures.is_empty() {
        return Ok(Vec::new());
    }
    let pictures = report.pictures.clone();
    let give: Rc<Give> = Rc::new(move |package, _| {
        let one = |picture: &NewPicture| {
            package.add_by_name(&picture.name, &picture.file).map_err(|e| e.within(picture.name.clone()))
        };
        Ok(pictures.iter().map(one).collect::<Result<Vec<_>>>()?.concat())
    });
    fill(packages, &give, options)
}

/// A file that was replaced, or would be.
pub struct Stored {
    /// The file.
    pub target: PathBuf,
    /// What was changed.
    pub label: String,
    /// True if the file has the same bytes as before.
    pub unchanged: bool,
    /// Its size.
    pub bytes: usize,
    /// What the change brought in, with the name of the file that was changed.
    pub news: Option<(String, EditReport)>,
    /// What the file says of itself.
    pub notes: Vec<String>,
}

/// Changes a file or a tree by a glTF file, and the texture packages that take its pictures.
pub struct GltfChange<'a> {
    /// The file or the tree.
    pub into: &'a Path,
    /// The glTF file.
    pub from: &'a Path,
    /// Another file to write.
    pub output: Option<&'a Path>,
    /// Texture packages, and folders with such, that take the pictures. An empty list means those that the game loads
    /// with the world.
    pub textures: Option<&'a [PathBuf]>,
    /// What was changed, for people.
    pub label: &'a str,
}

/// What a glTF file changed.
pub struct GltfOutcome {
    /// What the import did.
    pub report: Report,
    /// The file; or the files of the tree that were written.
    pub into: Result<Stored, Vec<String>>,
    /// The texture packages.
    pub packages: Vec<Stored>,
}

impl GltfChange<'_> {
    /// The packages with the pictures, in memory. A wrong package is an error even where there is nothing to put into
    /// it.
    fn pictures(&self, report: &Report, options: &Options, progress: &dyn Progress) -> Result<Vec<Prepared>> {
        let Some(named) = self.textures else { return Ok(Vec::new()) };
        add_pictures(packages(self.into, named, options, progress)?, report, options)
    }

    /// Makes the change, and writes what it changed.
    ///
    /// # Errors
    /// The glTF file or a package cannot be read, or does not fit; then nothing is written.
    pub fn run(
        &self,
        options: &Options,
        progress: &dyn Progress,
        change: impl FnOnce(&mut File) -> Result<Report>,
    ) -> Result<GltfOutcome> {
        let about = |e: Error| e.about(self.into);
        if is_tree(self.into) {
            if self.output.is_some() {
                return Err(Error::say("-o has no effect on a tree").hint("`refit repack` makes a file of the tree"));
            }
            let is_of_gltf = |e: &Error| e.file() == Some(self.from.shown().as_str());
            // A package that does not take a picture stops it before the tree is written.
            let mut packages = Ok(Vec::new());
            let change = |file: &mut File| {
                let report = change(file)?;
                packages = self.pictures(&report, options, progress);
                if packages.is_ok() { Ok(report) } else { Err(Error::say("the pictures have no place")) }
            };
            let done = put_tree::change(self.into, options, progress, change);
            let packages = packages?;
            let (report, written) = done.map_err(|e| if is_of_gltf(&e) { e } else { about(e) })?;
            return Ok(GltfOutcome { report, into: Err(written), packages: store_all(packages, options, progress)? });
        }
        let mut subject = open_to_change(self.into, self.output, options, progress).map_err(about)?;
        let report = change(&mut subject.model);
        for note in subject.model.notes() {
            progress.warn(&format!("{}: {note}", self.into.shown()));
        }
        let report = report.map_err(about)?;
        let mut bytes = Vec::new();
        pipeline::write(&*subject.model, &mut bytes).map_err(about)?;
        let packages = self.pictures(&report, options, progress)?;
        let stored = store(self.into, self.output, subject, bytes, self.label.to_owned(), options, progress)?;
        Ok(GltfOutcome { report, into: Ok(stored), packages: store_all(packages, options, progress)? })
    }
}

/// Opens a file that is to be changed, after unfinished work above it is finished.
pub(crate) fn open_to_change(
    file: &Path,
    output: Option<&Path>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Loaded> {
    finish_above(output.unwrap_or(file), options, progress)?;
    // A file that will not be replaced is not read either: a pipe would block.
    let special = output.is_none() && file.exists() && !file.is_file() && !file.is_dir();
    if special {
        disk::check_file(file, Replace::new(true))?;
    }
    open::open_file(file, options.hints)
}

pub(crate) fn store_all(packages: Vec<Prepared>, options: &Options, progress: &dyn Progress) -> Result<Vec<Stored>> {
    packages.into_iter().map(|package| package.store(options, progress)).collect()
}

/// Writes a changed file: in place, or as `output`. `label` says what was changed.
pub fn store(
    file: &Path,
    output: Option<&Path>,
    subject: Loaded,
    bytes: Vec<u8>,
    label: String,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Stored> {
    let bytes = Bytes::from(bytes);
    if let Err(e) = pipeline::open(&bytes, &file.shown(), options.hints) {
        let error = e.context("refit could not read the file with this member").in_file(file.shown());
        return Err(error.hint("nothing was written"));
    }
    let (same, read) = match &subject.file {
        Some(old) => (old.is(&bytes)?, Some(old.sha256()?)),
        None => (false, None),
    };
    let news = match (&subject.file, same) {
        (Some(old), false) => {
            let before = pipeline::read(old, pipeline::recognise(old, &file.shown(), options.hints)?)?.model;
            Some((file.shown(), edits::of_file(&subject.model, &before, file)?))
        }
        _ => None,
    };
    let notes = subject.model.notes().to_vec();
    // A file that is still open cannot be replaced everywhere.
    drop(subject);
    let target = output.unwrap_or(file);
    // To replace the file is what the user asked for; another file is protected as always.
    let in_place = output.is_none();
    let may = Replace {
        force: in_place || options.force,
        backup: options.backup_or(if in_place { Backup::First } else { Backup::Foreign }),
        // Another refit or program may have written the file since it was read.
        read: read.as_deref().filter(|_| in_place),
        by: By::Edit,
        ..Replace::default()
    };
    let mut unchanged = same && in_place;
    if options.dry_run {
        disk::check_file(target, may)?;
    } else if !unchanged {
        let written = disk::write_file(target, &bytes, may)?;
        progress.kept(target, written.kept.as_ref());
        unchanged = written.unchanged;
        signatures(target, same, progress);
    }
    Ok(Stored { target: target.to_owned(), label, unchanged: same || unchanged, bytes: bytes.len(), news, notes })
}
