//! Replaces one member of a file, with further changes that a glTF file requires.

use super::{
    batch::{self, Ready},
    edits::{self, EditReport},
    inside,
    open::{self, Loaded},
    options::Options,
    paths::same_path,
    progress::Progress,
    put_tree,
    repack::{finish_above, signatures},
};
use bytes::Bytes;
use refit_base::{
    contract::Members as _,
    format::Format,
    path::Shown,
    tree::{
        Form,
        disk::{self, Replace},
        is_tree,
    },
    wire::{Error, ErrorKind, Result},
};
use refit_files::{file::File, pipeline};
use refit_gltf::import::{self, NewPicture, Report};
use refit_zipper::{
    sounds::sound::{self, SampleCodec},
    textures::{Fitted, TexturesModel},
};
use std::path::{Path, PathBuf};

/// Reads a glTF file, which may refer to other files next to it. Errors name this file.
fn of_gltf(
    from: &Path,
    import: impl FnOnce(&import::Source<'_>) -> Result<Report>,
) -> Result<Report> {
    let file = disk::read_named(from)?;
    let beside = |path: &str| disk::read_beside(from.parent().unwrap_or(Path::new("")), path);
    import(&import::Source {
        file: &file,
        beside: &beside,
    })
    .map_err(|e| e.in_file(from.shown()))
}

/// Imports a glTF file into a member. A motion that does not exist yet is added.
pub fn gltf_into(
    file: &mut File,
    name: &str,
    from: &Path,
    options: import::Options,
) -> Result<Report> {
    // A member can also be given by the file name that `refit export` uses for it.
    let short = if import::is_gltf(name) {
        name.rsplit_once('.').map_or(name, |(short, _)| short)
    } else {
        name
    };
    if let File::World(world) = file
        && import::is_whole(world, short)
    {
        return of_gltf(from, |source| import::whole(world, source, options));
    }
    let is_none = |e: &Error| e.kind() == ErrorKind::NoMember;
    let found = match pipeline::find_member(file.model(), name) {
        Err(e) if is_none(&e) && import::takes_motions(file) && !name.starts_with('#') => None,
        Err(e) if is_none(&e) => {
            match pipeline::find_member(file.model(), short)
                .or_else(|_| import::exported(file, short)?.ok_or(e))
            {
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

/// Adds the objects of a glTF file below a node of a world, or its animations to an archive of
/// motions.
pub fn import_gltf(
    into: &mut File,
    from: &Path,
    under: Option<&str>,
    options: import::Options,
) -> Result<Report> {
    match (under, import::takes_motions(into)) {
        (None, true) => of_gltf(from, |source| import::motions(into, source, options)),
        (Some(_), true) => Err(Error::say(
            "--under is for worlds: motions have no parent node",
        )),
        (Some(under), false) => of_gltf(from, |source| import::add(into, under, source, options)),
        (None, false) => Err(
            Error::say("--under must name the parent node of the new objects")
                .hint("the documents in nodes/ show the names"),
        ),
    }
}

/// Converts a sound to the format of the one that it replaces, if `encode` requires it. Without it,
/// warns of a different codec. Returns `None` if the member stays unchanged.
pub fn encoded(
    progress: &dyn Progress,
    file: &File,
    index: usize,
    name: &str,
    new: &[u8],
    encode: bool,
) -> Result<Option<Vec<u8>>> {
    let old = match file {
        File::Archive(bank) if bank.context.format == Format::Sounds => {
            bank.get(index, Form::Stored).ok()
        }
        _ => None,
    };
    let Some(old) = old.filter(|old| sound::shape(old).is_ok()) else {
        return if encode {
            Err(Error::say("--encode is for a sound that replaces a sound"))
        } else {
            Ok(None)
        };
    };
    if encode {
        let shaped = sound::like(&Bytes::copy_from_slice(new), &old)?;
        shaped
            .notes
            .iter()
            .for_each(|note| progress.warn(&format!("{name}: {note}")));
        return Ok(Some(shaped.file.to_vec()));
    }
    if let (Ok(was), Ok(now)) = (sound::shape(&old), sound::shape(new))
        && was.codec != now.codec
    {
        let codec = if was.codec == SampleCodec::Pcm {
            "PCM"
        } else {
            "ADPCM"
        };
        progress.warn(&format!(
            "{name}: it was {was} and is now stored as {now} (--encode keeps {codec})"
        ));
    }
    Ok(None)
}

/// A change of an additional file.
#[derive(Default)]
pub(crate) struct Done {
    /// Description of the change, for display.
    pub label: String,
    /// Losses and doubts.
    pub notes: Vec<String>,
}

/// A file or a tree that was changed in memory, but not written yet.
pub(crate) struct Planned {
    /// The file, or the tree.
    path: PathBuf,
    files: Vec<Ready>,
    stored: Stored,
    /// True if the file has the same bytes as before.
    same: bool,
    /// Warnings.
    warnings: Vec<String>,
}

impl Planned {
    /// A tree with changed documents.
    pub(crate) fn of_tree<T>(path: &Path, label: String, plan: put_tree::Plan<T>) -> Self {
        let put_tree::Plan {
            bytes, files, news, ..
        } = plan;
        let (target, same) = (path.to_owned(), files.is_empty());
        let news = news.map(|news| (path.shown(), news));
        let stored = Stored {
            target,
            label,
            unchanged: same,
            bytes,
            news,
        };
        Planned {
            path: path.to_owned(),
            files,
            stored,
            same,
            warnings: Vec::new(),
        }
    }

    /// A file whose new bytes were read back successfully.
    pub(crate) fn of_file(
        file: &Path,
        output: Option<&Path>,
        subject: Loaded,
        bytes: Vec<u8>,
        label: String,
        options: &Options,
    ) -> Result<Self> {
        let bytes = Bytes::from(bytes);
        if let Err(e) = pipeline::open(&bytes, &file.shown(), options.hints) {
            let error = e
                .context("refit could not read the file with this member")
                .in_file(file.shown());
            return Err(error.hint("nothing was written"));
        }
        let (same, read) = match &subject.file {
            Some(old) => (old.is(&bytes)?, Some(old.sum()?)),
            None => (false, None),
        };
        let news = match (&subject.file, same) {
            (Some(old), false) => {
                let before =
                    pipeline::read(old, pipeline::recognise(old, &file.shown(), options.hints)?)?
                        .model;
                let found = edits::of_file(&subject.model, &before, file)?;
                found.check_secrets()?;
                Some((file.shown(), found))
            }
            _ => None,
        };
        // Some systems cannot replace a file that is still open.
        drop(subject);
        let (target, size) = (output.unwrap_or(file), bytes.len());
        // Another program may have written the file since it was read.
        let ready = Ready::edit(
            target,
            bytes,
            read.filter(|_| output.is_none()),
            output.is_none(),
            options,
        );
        let unchanged = same && output.is_none();
        let files = if unchanged && !options.dry_run {
            Vec::new()
        } else {
            vec![ready]
        };
        let stored = Stored {
            target: target.to_owned(),
            label,
            unchanged: same,
            bytes: size,
            news,
        };
        Ok(Planned {
            path: target.to_owned(),
            files,
            stored,
            same,
            warnings: Vec::new(),
        })
    }

    /// The findings that the change brings in.
    pub(crate) fn news(&self) -> Option<&EditReport> {
        self.stored.news.as_ref().map(|(_, news)| news)
    }

    /// Changes a file or a tree.
    pub(crate) fn new(
        path: &Path,
        alter: impl FnOnce(&mut File) -> Result<Done>,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Self> {
        if is_tree(path) {
            let mut plan = put_tree::plan(path, options, progress, alter)?;
            let Done { label, notes } = std::mem::take(&mut plan.result);
            return Ok(Planned {
                warnings: notes,
                ..Self::of_tree(path, label, plan)
            });
        }
        let mut subject = open::open(path, options.hints)?;
        let Done { label, notes } = alter(&mut subject.model)?;
        let mut bytes = Vec::new();
        pipeline::write(&*subject.model, &mut bytes)?;
        Ok(Planned {
            warnings: notes,
            ..Self::of_file(path, None, subject, bytes, label, options)?
        })
    }
}

/// Writes a changed file or tree together with the files that it needs: all or none.
pub(crate) fn write(
    main: Planned,
    others: Vec<Planned>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(Stored, Vec<Stored>)> {
    let all = || std::iter::once(&main).chain(&others);
    for Planned { path, warnings, .. } in all() {
        progress.notes(path, warnings);
    }
    let places: Vec<&Path> = all().map(|one| one.path.as_path()).collect();
    let files: Vec<&Ready> = all().flat_map(|one| &one.files).collect();
    let mut written =
        batch::write_beside(&places, "change", &files, options, progress)?.into_iter();
    let mut stored = |Planned {
                          files,
                          mut stored,
                          same,
                          ..
                      }: Planned| {
        let own: Vec<_> = written.by_ref().take(files.len()).collect();
        if !own.is_empty() {
            stored.unchanged |= own.iter().all(|file| file.unchanged);
            signatures(&stored.target, same, progress);
        }
        stored
    };
    Ok((stored(main), others.into_iter().map(stored).collect()))
}

/// The given texture packages: each, and those below folders. If none is given, those of the world.
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
            return Err(inside::none_of_world(
                world,
                Format::Textures,
                "--textures PACKAGE",
            ));
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

/// Puts pictures into a package: returns the result for each.
pub(crate) type Give<'a> = dyn Fn(&mut TexturesModel, &Path) -> Result<Vec<Fitted>> + 'a;

/// Puts pictures into packages, in memory. Returns the packages that have any of them.
pub(crate) fn fill(
    packages: &[PathBuf],
    give: &Give<'_>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Planned>> {
    let one = |path: &PathBuf| {
        let alter = |file: &mut File| {
            let File::Textures(package) = file else {
                return Err(Error::say("--textures takes a texture package"));
            };
            let rows = give(package, path)?;
            let is_unchanged = rows.iter().all(|row| !row.changed);
            let shown = rows.iter().filter(|row| row.changed || is_unchanged);
            let label = shown.map(|row| {
                format!(
                    "{} ({} × {}, {})",
                    row.name,
                    row.now[0],
                    row.now[1],
                    row.form_and_alpha()
                )
            });
            let label = label.collect::<Vec<_>>().join(", ");
            let notes = rows.iter().flat_map(|row| {
                row.notes
                    .iter()
                    .map(move |note| format!("{}: {note}", row.name))
            });
            Ok(Done {
                label,
                notes: notes.collect(),
            })
        };
        Planned::new(path, alter, options, progress).map_err(|e| e.about(path))
    };
    let filled = packages.iter().map(one).collect::<Result<Vec<_>>>()?;
    Ok(filled
        .into_iter()
        .filter(|package| !package.stored.label.is_empty())
        .collect())
}

/// Puts the pictures of new textures into packages, in memory; does nothing if there are none.
pub(crate) fn add_pictures(
    packages: &[PathBuf],
    report: &Report,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Planned>> {
    if report.pictures.is_empty() {
        return Ok(Vec::new());
    }
    let give = |package: &mut TexturesModel, _: &Path| {
        let one = |picture: &NewPicture| {
            package
                .add_by_name(&picture.name, &picture.file)
                .map_err(|e| e.within(picture.name.clone()))
        };
        Ok(report
            .pictures
            .iter()
            .map(one)
            .collect::<Result<Vec<_>>>()?
            .concat())
    };
    fill(packages, &give, options, progress)
}

/// A file that was replaced, or would be.
pub struct Stored {
    /// The file.
    pub target: PathBuf,
    /// Description of the change.
    pub label: String,
    /// True if the file has the same bytes as before.
    pub unchanged: bool,
    /// Its size.
    pub bytes: usize,
    /// The effects of the change, with the name of the changed file.
    pub news: Option<(String, EditReport)>,
}

/// What a change wrote.
pub enum Written {
    /// The file.
    File(Stored),
    /// These files of the tree, and the effects of the change, with the name of the tree.
    Tree(Vec<String>, Option<(String, EditReport)>),
}

/// Changes a file or a tree by a glTF file, and the texture packages that take its pictures.
pub struct GltfChange<'a> {
    /// The file or the tree.
    pub into: &'a Path,
    /// The glTF file.
    pub from: &'a Path,
    /// Another file to write.
    pub output: Option<&'a Path>,
    /// Texture packages, and folders with such, that receive the pictures. An empty list means
    /// those that the game loads with the world.
    pub textures: Option<&'a [PathBuf]>,
    /// Description of the change, for display.
    pub label: &'a str,
}

/// The result of importing a glTF file.
pub struct GltfOutcome {
    /// The report of the import.
    pub report: Report,
    /// The file or the tree.
    pub into: Written,
    /// The texture packages.
    pub packages: Vec<Stored>,
}

impl GltfChange<'_> {
    /// The packages with the pictures, in memory. A wrong package is an error even if there is
    /// nothing to put into it.
    fn pictures(
        &self,
        report: &Report,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Vec<Planned>> {
        let Some(named) = self.textures else {
            return Ok(Vec::new());
        };
        add_pictures(
            &packages(self.into, named, options, progress)?,
            report,
            options,
            progress,
        )
    }

    /// Makes the change, and writes the changed files.
    ///
    /// # Errors
    /// The glTF file or a package cannot be read or used; then nothing is written.
    pub fn run(
        &self,
        options: &Options,
        progress: &dyn Progress,
        change: impl FnOnce(&mut File) -> Result<Report>,
    ) -> Result<GltfOutcome> {
        let about = |e: Error| e.about(self.into);
        if is_tree(self.into) {
            if self.output.is_some() {
                return Err(Error::say("-o has no effect on a tree")
                    .hint("`refit repack` makes a file of the tree"));
            }
            let is_of_gltf = |e: &Error| e.file() == Some(self.from.shown().as_str());
            let mut plan = put_tree::plan(self.into, options, progress, change)
                .map_err(|e| if is_of_gltf(&e) { e } else { about(e) })?;
            let packages = self.pictures(&plan.result, options, progress)?;
            let (report, names) = (
                std::mem::take(&mut plan.result),
                std::mem::take(&mut plan.names),
            );
            let tree = Planned::of_tree(self.into, String::new(), plan);
            let (stored, packages) = write(tree, packages, options, progress)?;
            return Ok(GltfOutcome {
                report,
                into: Written::Tree(names, stored.news),
                packages,
            });
        }
        let mut subject =
            open_to_change(self.into, self.output, options, progress).map_err(about)?;
        let report = change(&mut subject.model);
        progress.notes(self.into, subject.model.notes());
        let report = report.map_err(about)?;
        let mut bytes = Vec::new();
        pipeline::write(&*subject.model, &mut bytes).map_err(about)?;
        let packages = self.pictures(&report, options, progress)?;
        let file = Planned::of_file(
            self.into,
            self.output,
            subject,
            bytes,
            self.label.to_owned(),
            options,
        )?;
        let (stored, packages) = write(file, packages, options, progress)?;
        Ok(GltfOutcome {
            report,
            into: Written::File(stored),
            packages,
        })
    }
}

/// Finishes interrupted work in the folders above, and opens a file to change it.
pub fn open_to_change(
    file: &Path,
    output: Option<&Path>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Loaded> {
    finish_above(output.unwrap_or(file), options, progress)?;
    // A file that cannot be replaced is not read, either: a pipe would block.
    let special = output.is_none() && file.exists() && !file.is_file() && !file.is_dir();
    if special {
        disk::check_file(file, Replace::new(true))?;
    }
    open::open_file(file, options.hints)
}

/// Writes a changed file: in place, or as `output`. `label` describes the change.
pub fn store(
    file: &Path,
    output: Option<&Path>,
    subject: Loaded,
    bytes: Vec<u8>,
    label: String,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Stored> {
    let planned = Planned::of_file(file, output, subject, bytes, label, options)?;
    Ok(write(planned, Vec::new(), options, progress)?.0)
}
