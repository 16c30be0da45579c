//! `refit put`: replaces one member without a tree.

use crate::cli::{
    commands::get::Spelling,
    events::print_news,
    family, put_tree,
    report::{about, size},
    session::{Originals, Session},
};
use bytes::Bytes;
use clap::Args;
use refit::{
    File,
    gltf::import::{self, Report},
    path::Shown,
    pipeline,
    tree::{
        Blob,
        disk::{self, Backup, By, Replace},
        is_tree,
    },
    wire::{Error, ErrorKind, Result},
    workbench::{
        Progress, edits, open,
        repack::{finish_above, signatures},
    },
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
  refit put gamez.zbd models/0012-door door.glb an exported model that was edited
  refit put gamez models/0012-door door.glb     the same into an unpacked tree
  refit put motion.zbd bw_limp limp.glb         an animation as a motion, new or not
  refit put soundsh.zbd boom.wav new.wav --encode
                                                in the codec and rate of the old sound
  refit put --family zbd/m1 rock1.png           one picture into all packages below zbd/m1
  refit put --family zbd rock1.png --dry-run    shows what would be done
  refit put --family zbd boom.wav --like zrdr.zbd
                                                one sound into every bank

A picture goes into each package that has a texture of its name, in the size and form that the texture has there: palette or 16 bits, \
its kind of alpha; and into the smaller versions of that (NAME_1 with half of its sides, NAME_2 …), scaled. A sound goes into each bank that has it, in the shape that it has there, or with --like below the ceilings of \
sounds.zrd. All files are replaced, or none.

The file is replaced whole or not at all. What it was at first is kept as NAME.orig: `refit restore` puts it back. Problems that the new \
member introduces are reported; exit code 3 if any is more than a note.")]
pub struct Put {
    /// The file; for glTF also an unpacked tree. With --family the picture or the sound
    file: PathBuf,
    /// The member's name, or #index as `list` shows it. With --family the name of the texture or the sound, if not that of the file
    #[arg(required_unless_present = "family")]
    name: Option<String>,
    /// Where from; `-` is standard input. It may only be empty with --force
    #[arg(value_name = "FROM", default_value = "-", conflicts_with = "family")]
    from: PathBuf,
    /// Put a picture or a sound into every package or bank below this folder that has its name
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["output", "merge_polygons", "encode", "raw"])]
    family: Option<PathBuf>,
    /// With --family: textures take the picture's own size
    #[arg(long, requires = "family")]
    own_size: bool,
    /// With --family: the smaller versions of a texture (NAME_1, NAME_2 …) stay as they are
    #[arg(long, requires = "family")]
    no_smaller: bool,
    /// With --family, sounds: keep each bank below what this file declares: sounds.zrd, or the archive that holds it
    #[arg(long, value_name = "SOUNDS.ZRD", requires = "family")]
    like: Option<PathBuf>,
    /// Sounds: store it in the codec, rate, bits and channels of the sound that is replaced, instead of as it is
    #[arg(long)]
    encode: bool,
    /// Write the changed file here instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// glTF: put the pictures (PNG or JPEG) of textures that are new into this texture package, or into all below this folder; may be
    /// repeated
    #[arg(long, value_name = "PACKAGE|FOLDER", conflicts_with = "family")]
    textures: Vec<PathBuf>,
    /// glTF: make polygons of new triangles that lie in one plane
    #[arg(long)]
    merge_polygons: bool,
    /// glTF: let a motion end as it begins
    #[arg(long = "loop", conflicts_with = "family")]
    close: bool,
    #[command(flatten)]
    spelling: Spelling,
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
        bytes = disk::read_named(from)?.into();
        if !is_pipe {
            return Ok(bytes);
        }
        from.shown()
    };
    if bytes.is_empty() && !session.global.force {
        // A command before the pipe that failed, or no pipe at all.
        let hint = "name a file behind the member, or use --force to put nothing in its place";
        return Err(Error::say(format!("{what} is empty")).hint(hint));
    }
    Ok(bytes)
}

/// Puts a glTF file into a member; a motion that is not there yet becomes one.
fn gltf_into(file: &mut File, name: &str, from: &Path, options: import::Options) -> Result<Report> {
    let gltf = disk::read_named(from)?;
    let folder = from.parent().unwrap_or(Path::new(""));
    let beside = |path: &str| disk::read_beside(folder, path);
    let source = import::Source { file: &gltf, beside: &beside };
    // A member is also meant by the name of the file that `refit export` makes of it.
    let short = if import::is_gltf(name) { name.rsplit_once('.').map_or(name, |(short, _)| short) } else { name };
    let is_none = |e: &Error| e.kind() == ErrorKind::NoMember;
    let found = match pipeline::find_member(file.model(), name) {
        Err(e) if is_none(&e) && import::takes_motions(file) && !name.starts_with('#') => None,
        Err(e) if is_none(&e) => match pipeline::find_member(file.model(), short).or_else(|_| import::exported(file, short)?.ok_or(e)) {
            Ok(index) => Some(index),
            Err(e) => return Err(e),
        },
        other => Some(other?),
    };
    let done = match found {
        Some(index) => import::put(file, index, &source, options),
        None => import::add_motion(file, name, &source, options),
    };
    done.map_err(|e| e.in_file(from.shown()))
}

/// An error of a change of a tree: about the file that goes in, or about the tree.
pub fn tell_in_tree(session: &Session, tree: &Path, from: &Path, e: &Error) {
    let of_file = e.file() == Some(from.shown().as_str());
    session.error(if of_file { e.to_string() } else { about(tree, e) });
}

/// What an import did; the pictures of new textures went into so many packages.
pub fn tell_gltf(session: &Session, from: &Path, report: &Report, packages: usize) {
    for note in &report.notes {
        session.warn(format!("{}: {note}", from.shown()));
    }
    for name in &report.textures {
        let shown = report.pictures.iter().any(|picture| picture.name == *name);
        if !shown {
            session.warn(format!(
                "{}: the texture {name:?} has to be in the texture packages, too, and the file has no picture of it",
                from.shown()
            ));
        } else if packages == 0 {
            session.warn(format!(
                "{}: the texture {name:?} has to be in the texture packages, too (--textures PACKAGE puts its picture there)",
                from.shown()
            ));
        }
    }
    for lost in &report.lost {
        session.warn(format!("{}: {lost}", from.shown()));
    }
    if !report.lost.is_empty() {
        session.found();
    }
    for (what, n) in &report.defaults {
        session.tell(format!("{}: {what}: {n}", from.shown()));
    }
    session.tell(format!("{}: {}", from.shown(), report.tell()));
}

impl Put {
    fn options(&self) -> import::Options {
        import::Options { merge_polygons: self.merge_polygons, close_motions: self.close }
    }

    /// Runs the command.
    pub fn run(mut self, session: &Session) -> Result<()> {
        if let Some(folder) = self.family.take() {
            let (own_size, no_smaller) = (self.own_size, self.no_smaller);
            let asked = family::Asked { folder, file: self.file, name: self.name, own_size, no_smaller, like: self.like };
            return family::put(session, asked, &self.originals);
        }
        if let Err(e) = put_tree::check_own(&self.file) {
            session.error(about(&self.file, &e));
            return Ok(());
        }
        let name = self.name.take().unwrap_or_default();
        let gltf = refit::gltf::import::is_gltf(&self.from.shown()) && !self.spelling.raw;
        if gltf && is_tree(&self.file) {
            if self.output.is_some() {
                return Err(Error::say("-o means nothing where a tree is changed").hint("`refit repack` makes a file of it"));
            }
            let options = self.options();
            let done = put_tree::run(session, &self.file, |file| gltf_into(file, &name, &self.from, options));
            match done {
                Ok((report, written)) => {
                    let packages = family::add_pictures(session, &self.textures, &report)?;
                    tell_gltf(session, &self.from, &report, packages.len());
                    let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
                    let files = if written.is_empty() { "unchanged".to_owned() } else { written.join(", ") };
                    session.tell(format!("{name} → {} ({files}{would})", self.file.shown()));
                    packages.into_iter().try_for_each(|package| package.store(session, &self.originals))?;
                }
                Err(e) => tell_in_tree(session, &self.file, &self.from, &e),
            }
            return Ok(());
        }
        if let Err(e) = session.options().and_then(|options| finish_above(self.output.as_ref().unwrap_or(&self.file), &options, session)) {
            session.error(about(&self.file, &e));
            return Ok(());
        }
        // A file that will not be replaced is not read either: a pipe would be waited for.
        let special = self.output.is_none() && self.file.exists() && !self.file.is_file() && !self.file.is_dir();
        let refused = if special { disk::check_file(&self.file, Replace::new(true)).err() } else { None };
        let mut subject = match refused.map_or_else(|| open::open_file(&self.file, session.hints()), Err) {
            Ok(subject) => subject,
            Err(e) => {
                session.error(about(&self.file, &e));
                return Ok(());
            }
        };
        let mut report = None;
        let changed = (|| {
            if gltf {
                report = Some(gltf_into(&mut subject.model, &name, &self.from, self.options())?);
                let mut bytes = Vec::new();
                pipeline::write(&*subject.model, &mut bytes)?;
                return Ok(bytes);
            }
            let index = pipeline::find_member(&*subject.model, &name)?;
            let mut new = read(&self.from, session)?;
            let from = if self.from.as_os_str() == "-" { "standard input".into() } else { self.from.shown() };
            if let Some(shaped) =
                family::one_sound(session, &subject.model, index, &name, &new, self.encode).map_err(|e| e.in_file(from.clone()))?
            {
                new = shaped;
            }
            subject.model.model_mut().put(index, &new, self.spelling.form(&self.from)).map_err(|e| e.in_file(from))?;
            let old = subject.file.as_ref().map_or(0, Blob::len);
            let mut bytes = Vec::with_capacity(usize::try_from(old).unwrap_or_default().saturating_add(new.len()));
            pipeline::write(&*subject.model, &mut bytes)?;
            Ok(bytes)
        })();
        for note in subject.model.notes() {
            session.warn(format!("{}: {note}", self.file.shown()));
        }
        let bytes = match changed {
            Ok(bytes) => bytes,
            Err(e) => {
                session.error(about(&self.file, &e));
                return Ok(());
            }
        };
        let mut packages = Vec::new();
        if let Some(report) = &report {
            packages = family::add_pictures(session, &self.textures, report)?;
            tell_gltf(session, &self.from, report, packages.len());
        }
        store(session, &self.file, self.output.as_ref(), &self.originals, subject, bytes, &name)?;
        packages.into_iter().try_for_each(|package| package.store(session, &self.originals))
    }
}

/// Writes a changed file: in place, or where `output` says. `label` is what was changed.
pub fn store(
    session: &Session,
    file: &PathBuf,
    output: Option<&PathBuf>,
    originals: &Originals,
    subject: open::Loaded,
    bytes: Vec<u8>,
    label: &str,
) -> Result<()> {
    let bytes = Bytes::from(bytes);
    if let Err(e) = pipeline::open(&bytes, &file.shown(), session.hints()) {
        let error = e.context("with this member it could not be read again").in_file(file.shown());
        return Err(error.hint("nothing was written"));
    }
    let (same, read) = match &subject.file {
        Some(old) => (old.is(&bytes)?, Some(old.sha256()?)),
        None => (false, None),
    };
    let news = match (&subject.file, same) {
        (Some(old), false) => {
            let before = pipeline::read(old, pipeline::recognise(old, &file.shown(), session.hints())?)?.model;
            Some(edits::of_file(&subject.model, &before, file)?)
        }
        _ => None,
    };
    let notes = subject.model.notes().to_vec();
    // A file that is still open cannot be replaced everywhere.
    drop(subject);
    let target = output.unwrap_or(file);
    // Replacing the file is what this command is for; a file that is only named behind -o is protected as always.
    let in_place = output.is_none();
    let may = Replace {
        force: in_place || session.global.force,
        backup: originals.backup(if in_place { Backup::First } else { Backup::Foreign }),
        // Another refit or program may have written the file since it was read.
        read: read.as_deref().filter(|_| in_place),
        by: By::Edit,
        ..Replace::default()
    };
    let mut unchanged = same && in_place;
    if session.global.dry_run {
        disk::check_file(target, may)?;
    } else if !unchanged {
        let written = disk::write_file(target, &bytes, may)?;
        session.kept(target, written.kept.as_ref());
        unchanged = written.unchanged;
        signatures(target, same, session);
    }
    if let Some(news) = news {
        print_news(session, &news, &file.shown(), &notes);
    }
    let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
    let what = if same || unchanged { "unchanged".into() } else { size(bytes.len() as u64) };
    session.tell(format!("{} → {} ({what}{would})", label, target.shown()));
    Ok(())
}
