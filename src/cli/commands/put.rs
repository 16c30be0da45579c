//! `refit put`: replaces one member without a tree.

use crate::cli::{
    commands::get::Spelling,
    events::print_news,
    line::Line,
    report::{about, size},
    session::{Originals, Session},
};
use clap::Args;
use refit::{
    File,
    gltf::import::{self, Report},
    path::Shown,
    pipeline,
    tree::{
        Blob,
        disk::{self, Replace},
        is_tree,
    },
    wire::{Error, Result, count},
    workbench::{
        Options,
        add::{Added, add},
        open,
        put::{self, Package, Stored},
        put_family::{PutFamily, PutMember},
        put_tree,
        repack::finish_above,
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

A picture goes into each package that has a texture of its name, in the size and form that the texture has there: \
palette or 16 bits, its kind of alpha; and into the smaller versions of that (NAME_1 with half of its sides, NAME_2 \
…), scaled. A sound goes into each bank that has it, in the shape that it has there, or with --like below the ceilings \
of sounds.zrd. All files are replaced, or none.

The file is replaced whole or not at all. What it was at first is kept as NAME.orig: `refit restore` puts it back. \
Problems that the new member introduces are reported; exit code 3 if any is more than a note.")]
pub struct Put {
    /// The file; for glTF also an unpacked tree. With --family the picture or the sound
    file: PathBuf,
    /// The member's name, or #index as `list` shows it. With --family the name of the texture or the sound, if not that
    /// of the file
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
    /// The member is new: as `refit add`
    #[arg(long, conflicts_with_all = ["family", "encode", "merge_polygons", "textures"])]
    new: bool,
    /// Sounds: store it in the codec, rate, bits and channels of the sound that is replaced, instead of as it is
    #[arg(long)]
    encode: bool,
    /// Write the changed file here instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// glTF: put the pictures (PNG or JPEG) of textures that are new into this texture package, or into all below this
    /// folder; may be repeated
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

pub fn read(from: &Path, session: &Session) -> Result<Vec<u8>> {
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
        let hint = "name a file after the member, or use --force to replace it with nothing";
        return Err(Error::say(format!("{what} is empty")).hint(hint));
    }
    Ok(bytes)
}

/// What an import did; the pictures of new textures went into so many packages.
fn print_report(session: &Session, from: &Path, report: &Report, packages: usize) {
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
                "{}: the texture {name:?} has to be in the texture packages, too (--textures PACKAGE puts its picture \
                there)",
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

impl Originals {
    /// The options of the run, with what the user wants to keep of replaced files.
    pub fn options(&self, session: &Session) -> Result<Options> {
        Ok(Options { backup: self.chosen(), ..session.options()? })
    }
}

/// Changes a file or a tree by a glTF file, and the texture packages that take its pictures; reports what was done.
pub struct GltfChange<'a> {
    /// The file or the tree.
    pub into: &'a Path,
    /// The glTF file.
    pub from: &'a Path,
    /// Another file to write.
    pub output: Option<&'a Path>,
    /// Texture packages.
    pub textures: &'a [PathBuf],
    /// What the line about the result begins with.
    pub label: &'a str,
}

impl GltfChange<'_> {
    pub fn run(
        &self,
        session: &Session,
        options: &Options,
        change: impl FnOnce(&mut File) -> Result<Report>,
    ) -> Result<()> {
        if is_tree(self.into) {
            if self.output.is_some() {
                return Err(
                    Error::say("-o means nothing where a tree is changed").hint("`refit repack` makes a file of it")
                );
            }
            match put_tree::change(self.into, options, session, change) {
                Ok((report, written)) => {
                    let packages = put::add_pictures(self.textures, &report, options, session)?;
                    print_report(session, self.from, &report, packages.len());
                    let files = if written.is_empty() { "unchanged".to_owned() } else { written.join(", ") };
                    session.tell(format!("{} → {} ({files}{})", self.label, self.into.shown(), session.would()));
                    return store_packages(session, packages, options);
                }
                Err(e) if e.file() == Some(self.from.shown().as_str()) => session.error(e.to_string()),
                Err(e) => session.error(about(self.into, &e)),
            }
            return Ok(());
        }
        let opened = open_to_change(session, self.into, self.output, options);
        let changed = opened.and_then(|mut subject| {
            let report = change(&mut subject.model);
            for note in subject.model.notes() {
                session.warn(format!("{}: {note}", self.into.shown()));
            }
            let report = report?;
            let mut bytes = Vec::new();
            pipeline::write(&*subject.model, &mut bytes)?;
            Ok((subject, report, bytes))
        });
        match changed {
            Ok((subject, report, bytes)) => {
                let packages = put::add_pictures(self.textures, &report, options, session)?;
                print_report(session, self.from, &report, packages.len());
                print_stored(
                    session,
                    put::store(self.into, self.output, subject, bytes, self.label.to_owned(), options, session)?,
                );
                store_packages(session, packages, options)
            }
            Err(e) => {
                session.error(about(self.into, &e));
                Ok(())
            }
        }
    }
}

/// Opens a file that is to be changed, after unfinished work above it is finished.
fn open_to_change(session: &Session, file: &Path, output: Option<&Path>, options: &Options) -> Result<open::Loaded> {
    finish_above(output.unwrap_or(file), options, session)?;
    // A file that will not be replaced is not read either: a pipe would block.
    let special = output.is_none() && file.exists() && !file.is_file() && !file.is_dir();
    if special {
        disk::check_file(file, Replace::new(true))?;
    }
    open::open_file(file, options.hints)
}

/// Reports a member that was added.
pub fn print_added(session: &Session, file: &Path, name: &str, added: Added) {
    match added {
        Added::File(stored) => print_stored(session, stored),
        Added::Tree(files) => {
            session.tell(format!("{name} → {} ({}{})", file.shown(), files.join(", "), session.would()));
        }
    }
}

fn store_packages(session: &Session, packages: Vec<Package>, options: &Options) -> Result<()> {
    packages
        .into_iter()
        .try_for_each(|package| package.store(options, session).map(|stored| print_stored(session, stored)))
}

pub fn print_stored(session: &Session, Stored { target, label, unchanged, bytes, news, notes }: Stored) {
    if let Some((name, news)) = news {
        print_news(session, &news, &name, &notes);
    }
    let what = if unchanged { "unchanged".into() } else { size(bytes as u64) };
    session.tell(format!("{label} → {} ({what}{})", target.shown(), session.would()));
}

impl Put {
    pub fn run(mut self, session: &Session) -> Result<()> {
        if let Some(folder) = self.family.take() {
            let (own_size, no_smaller) = (self.own_size, self.no_smaller);
            let what = PutFamily { folder, file: self.file, name: self.name, own_size, no_smaller, like: self.like };
            return put_family(session, &what, &self.originals);
        }
        if let Err(e) = put_tree::check_own(&self.file) {
            session.error(about(&self.file, &e));
            return Ok(());
        }
        let name = self.name.take().unwrap_or_default();
        let (options, output) = (self.originals.options(session)?, self.output.as_deref());
        if self.new && (self.spelling.raw || !import::is_gltf(&self.from.shown())) {
            let (bytes, form) = (read(&self.from, session)?, self.spelling.form(&self.from));
            let added = add((&self.file, output), (&name, &bytes, form), &options, session);
            print_added(session, &self.file, &name, added.map_err(|e| e.about(&self.file))?);
            return Ok(());
        }
        if import::is_gltf(&self.from.shown()) && !self.spelling.raw {
            let how = import::Options { merge_polygons: self.merge_polygons, close_motions: self.close };
            let change =
                GltfChange { into: &self.file, from: &self.from, output, textures: &self.textures, label: &name };
            return change.run(session, &options, |file| put::gltf_into(file, &name, &self.from, how));
        }
        let changed = open_to_change(session, &self.file, output, &options).and_then(|mut subject| {
            let bytes = self.member(session, &mut subject, &name);
            for note in subject.model.notes() {
                session.warn(format!("{}: {note}", self.file.shown()));
            }
            Ok((subject, bytes?))
        });
        match changed {
            Ok((subject, bytes)) => {
                print_stored(session, put::store(&self.file, output, subject, bytes, name, &options, session)?)
            }
            Err(e) => session.error(about(&self.file, &e)),
        }
        Ok(())
    }

    /// Puts the new member into a file, and encodes the file.
    fn member(&self, session: &Session, subject: &mut open::Loaded, name: &str) -> Result<Vec<u8>> {
        let index = pipeline::find_member(&*subject.model, name)?;
        let mut new = read(&self.from, session)?;
        let from = if self.from.as_os_str() == "-" { "standard input".into() } else { self.from.shown() };
        let encoded = put::encoded(session, &subject.model, index, name, &new, self.encode);
        if let Some(encoded) = encoded.map_err(|e| e.in_file(from.clone()))? {
            new = encoded;
        }
        subject.model.model_mut().put(index, &new, self.spelling.form(&self.from)).map_err(|e| e.in_file(from))?;
        let old = subject.file.as_ref().map_or(0, Blob::len);
        let mut bytes = Vec::with_capacity(usize::try_from(old).unwrap_or_default().saturating_add(new.len()));
        pipeline::write(&*subject.model, &mut bytes)?;
        Ok(bytes)
    }
}

fn put_family(session: &Session, what: &PutFamily, originals: &Originals) -> Result<()> {
    let shown = what.file.shown();
    let Some(done) = what.run(&originals.options(session)?, session)? else {
        session.error(format!("{shown}: nothing was written"));
        return Ok(());
    };
    table(session, &done.members);
    for (path, news, notes) in &done.news {
        print_news(session, news, &path.shown(), notes);
    }
    let changed = done.members.iter().filter(|member| member.changed).count();
    session.tell(format!(
        "{shown} → {} ({} changed{})",
        what.folder.shown(),
        count(changed, "member"),
        session.would()
    ));
    Ok(())
}

fn table(session: &Session, members: &[PutMember]) {
    if session.global.json {
        for PutMember { path, member, was, now, form, changed, notes } in members {
            let [member, was, now, form] = [member, was, now, form].map(|text| text.as_str().into());
            let notes = Some(notes.as_slice()).filter(|notes| !notes.is_empty()).into();
            let row = [("member", member), ("was", was), ("now", now), ("form", form), ("changed", (*changed).into())];
            session.row(path, &[&row[..], &[("notes", notes)]].concat());
        }
        return;
    }
    let wide = |text: &dyn Fn(&PutMember) -> usize| members.iter().map(text).max().unwrap_or(0).min(60);
    let [path, member, was, now] = [
        wide(&|row| row.path.shown().chars().count()),
        wide(&|row| row.member.chars().count()),
        wide(&|row| row.was.chars().count()),
        wide(&|row| row.now.chars().count()),
    ];
    for row in members {
        let form = if row.changed { row.form.clone() } else { format!("{}, unchanged", row.form) };
        let line =
            format!("{:path$}  {:member$}  {:>was$} → {:now$}  {form}", row.path.shown(), row.member, row.was, row.now);
        session.line(Line::new().text(line.trim_end()));
        row.notes.iter().for_each(|note| session.warn(format!("{}: {}: {note}", row.path.shown(), row.member)));
    }
}
