//! One picture or one sound into every package or bank that has it: `refit put --family`.

use crate::cli::{
    events::print_news,
    line::Line,
    put_tree,
    report::{ShownPath, about},
    session::{Originals, Session},
};
use bytes::Bytes;
use refit::{
    File,
    formats::{
        Format, Members as _,
        reader::ReaderDoc,
        sounds::{
            banks::{Declarations, Quality},
            sound::{self, SampleCodec, Shaped},
        },
        textures::TexturesModel,
    },
    game::Game,
    path::Shown,
    pipeline,
    tree::{
        DirSource, Document, Form, Style,
        disk::{self, Backup, By, Replace, Together},
        is_tree, read_head,
    },
    wire::{Error, Result, count},
    workbench::{
        Progress, Task,
        edits::{self, EditReport},
        files, open,
        paths::same_path,
    },
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What `put --family` was asked for.
pub struct Asked {
    /// Where the packages and banks lie.
    pub folder: PathBuf,
    /// The picture or the sound.
    pub file: PathBuf,
    /// Its name in the files; that of the file where none was given.
    pub name: Option<String>,
    /// Textures take the picture's size.
    pub own_size: bool,
    /// The smaller versions of a texture stay as they are.
    pub no_smaller: bool,
    /// What declares ceilings.
    pub like: Option<PathBuf>,
}

/// A row of the table: what was done with one member of one file.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    place: ShownPath,
    /// The texture or the sound.
    member: String,
    /// What it was: its size, its shape.
    was: String,
    /// What it is.
    now: String,
    /// The form in which it is stored.
    form: String,
    /// False where it is as it was.
    changed: bool,
    /// What was lost or doubtful.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// What goes into the files.
enum Thing {
    Picture { png: Bytes, own_size: bool, smaller: bool },
    Sound { wav: Bytes, declared: Option<Declarations> },
}

/// What `sounds.zrd` declares: the file itself, the archive that holds it, or its document in a tree.
pub fn declarations(path: &Path) -> Result<Declarations> {
    let what = |e: Error| e.in_file(path.shown());
    let file = disk::read_named(path)?;
    let name = path.shown().to_ascii_lowercase();
    let doc = if name.ends_with(".json") || name.ends_with(".ron") {
        let text = refit::wire::utf8(&file).map_err(what)?;
        ReaderDoc::from_text(text, if name.ends_with(".ron") { Style::Ron } else { Style::Json }).map_err(what)?
    } else {
        let members = refit::formats::archive::members(&file).unwrap_or_default();
        match members.iter().find(|(name, _)| name.eq_ignore_ascii_case("sounds.zrd")) {
            Some((_, payload)) => ReaderDoc::read(payload).map_err(what)?,
            None => ReaderDoc::read(&file).map_err(|e| what(e.context("neither a reader file nor an archive with a member sounds.zrd")))?,
        }
    };
    let declared = Declarations::of(&doc);
    if declared.is_empty() {
        return Err(what(Error::say("it declares no sound").hint("sounds.zrd of the game lists them, each with its WAV file")));
    }
    Ok(declared)
}

impl Thing {
    fn of(asked: &Asked) -> Result<Self> {
        let name = asked.file.shown().to_ascii_lowercase();
        if [".png", ".jpg", ".jpeg"].iter().any(|end| name.ends_with(end)) {
            if asked.like.is_some() {
                return Err(Error::say("--like is for sounds"));
            }
            return Ok(Thing::Picture { png: disk::read_named(&asked.file)?, own_size: asked.own_size, smaller: !asked.no_smaller });
        }
        if name.ends_with(".wav") {
            if asked.own_size || asked.no_smaller {
                return Err(Error::say(format!("--{} is for pictures", if asked.own_size { "own-size" } else { "no-smaller" })));
            }
            let declared = asked.like.as_deref().map(declarations).transpose()?;
            return Ok(Thing::Sound { wav: disk::read_named(&asked.file)?, declared });
        }
        Err(Error::say("--family takes a picture (PNG or JPEG) or a WAV sound").in_file(asked.file.shown()))
    }

    /// The name in the files that is meant by the file's own.
    fn name(&self, file: &Path) -> String {
        let part = match self {
            Thing::Picture { .. } => file.file_stem(),
            Thing::Sound { .. } => file.file_name(),
        };
        part.unwrap_or_default().to_string_lossy().into_owned()
    }

    fn format(&self) -> Format {
        match self {
            Thing::Picture { .. } => Format::Textures,
            Thing::Sound { .. } => Format::Sounds,
        }
    }

    /// Puts it into a model under a name; no rows where the model has none of it.
    fn put(&self, file: &mut File, name: &str, path: &Path) -> Result<Vec<Row>> {
        match self {
            Thing::Picture { png, own_size, smaller } => {
                let File::Textures(package) = file else { return Ok(Vec::new()) };
                let put = if *smaller { TexturesModel::put_with_smaller } else { TexturesModel::put_by_name };
                Ok(put(package, name, png, *own_size)?.into_iter().map(|done| row(path, done)).collect())
            }
            Thing::Sound { wav, declared } => {
                let File::Archive(bank) = file else { return Ok(Vec::new()) };
                let game = bank.context().game;
                let members = bank.members();
                let all = members.iter().enumerate().filter(|(_, m)| m.name.eq_ignore_ascii_case(name));
                let mut rows = Vec::new();
                for (index, member) in all {
                    let old = bank.get(index, Form::Stored)?;
                    let file = path.file_name().unwrap_or_default().to_string_lossy();
                    let shaped: Shaped = match declared {
                        None => sound::like(wav, &old)?,
                        Some(declared) => {
                            let quality = Quality::of_file(&file).ok_or_else(|| {
                                Error::say("the name of this bank does not tell what it is")
                                    .hint("soundsH.zbd, soundsM.zbd and soundsL.zbd are banks")
                            })?;
                            sound::below(wav, declared.ceiling(&member.name, quality), game == Some(Game::Cs))?
                        }
                    };
                    let was = sound::shape(&old).map_or_else(|e| e.to_string(), |shape| shape.to_string());
                    let changed = old != shaped.file;
                    bank.put(index, &shaped.file, Form::Stored)?;
                    rows.push(Row {
                        place: ShownPath::of(path),
                        member: member.name.clone(),
                        was,
                        now: shaped.now.to_string(),
                        form: if shaped.file == *wav { "as it is".into() } else { format!("from {}", shaped.was) },
                        changed,
                        notes: shaped.notes,
                    });
                }
                Ok(rows)
            }
        }
    }
}

/// A PCM file where a bank has ADPCM, and the like: tells of it, or with `encode` gives the file in the old one's shape. Nothing for what
/// is no sound.
pub fn one_sound(session: &Session, file: &File, index: usize, name: &str, new: &[u8], encode: bool) -> Result<Option<Vec<u8>>> {
    let old = match file {
        File::Archive(bank) if bank.context().format == Format::Sounds => bank.get(index, Form::Stored).ok(),
        _ => None,
    };
    let Some(old) = old.filter(|old| sound::shape(old).is_ok()) else {
        return if encode { Err(Error::say("--encode is for a sound that replaces a sound")) } else { Ok(None) };
    };
    if encode {
        let shaped = sound::like(&Bytes::copy_from_slice(new), &old)?;
        shaped.notes.iter().for_each(|note| session.warn(format!("{name}: {note}")));
        return Ok(Some(shaped.file.to_vec()));
    }
    if let (Ok(was), Ok(now)) = (sound::shape(&old), sound::shape(new))
        && was.codec != now.codec
    {
        let codec = if was.codec == SampleCodec::Pcm { "PCM" } else { "ADPCM" };
        session.warn(format!("{name}: it was {was} and is stored as it is now: {now} (--encode makes {codec} of it, as it was)"));
    }
    Ok(None)
}

/// A texture package that takes the pictures of new textures: `--textures`.
pub struct Package {
    path: PathBuf,
    subject: open::Loaded,
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

/// The texture packages that are named: each, and those below folders.
fn packages(session: &Session, named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut out: Vec<PathBuf> = Vec::new();
    for path in named {
        if !path.is_dir() || is_tree(path) {
            out.push(path.clone());
            continue;
        }
        let is_package = |path: &Path| {
            let found = pipeline::load(path).and_then(|blob| pipeline::recognise(&blob, &path.shown(), session.hints()));
            found.is_ok_and(|found| found.format == Format::Textures)
        };
        let files = files::files(std::slice::from_ref(path), &session.options()?, session)?;
        let before = out.len();
        out.extend(files.into_iter().map(|input| input.path).filter(|path| is_package(path)));
        if out.len() == before {
            return Err(Error::say("no texture package is below this folder").in_file(path.shown()));
        }
    }
    let mut seen = std::collections::HashSet::new();
    out.retain(|path| seen.insert(same_path(path)));
    Ok(out)
}

/// Puts the pictures of new textures into packages, in memory; nothing where there are none.
pub fn add_pictures(session: &Session, named: &[PathBuf], report: &refit::gltf::import::Report) -> Result<Vec<Package>> {
    // A wrong package is an error even where there is nothing to put into it.
    let packages = packages(session, named)?;
    if report.pictures.is_empty() {
        return Ok(Vec::new());
    }
    let one = |path: PathBuf| {
        let place = |e: Error| e.about(&path);
        let mut subject = open::open_file(&path, session.hints()).map_err(place)?;
        let File::Textures(textures) = &mut subject.model else { return Err(place(Error::say("--textures takes a texture package"))) };
        let mut rows = Vec::new();
        for picture in &report.pictures {
            let done = textures.add_by_name(&picture.name, &picture.file).map_err(|e| place(e.within(picture.name.clone())))?;
            rows.extend(done.into_iter().map(|done| row(&path, done)));
        }
        let mut bytes = Vec::new();
        pipeline::write(&*subject.model, &mut bytes).map_err(place)?;
        Ok(Package { path, subject, bytes, rows })
    };
    packages.into_iter().map(one).collect()
}

impl Package {
    /// Writes it.
    pub fn store(self, session: &Session, originals: &Originals) -> Result<()> {
        let label = self.rows.iter().map(|row| format!("{} ({}, {})", row.member, row.now, row.form)).collect::<Vec<_>>().join(", ");
        for row in &self.rows {
            row.notes.iter().for_each(|note| session.warn(format!("{}: {}: {note}", row.path(), row.member)));
        }
        crate::cli::commands::put::store(session, &self.path, None, originals, self.subject, self.bytes, &label)
    }
}

fn row(path: &Path, done: refit::formats::textures::Fitted) -> Row {
    Row {
        place: ShownPath::of(path),
        member: done.name,
        was: format!("{} × {}", done.was[0], done.was[1]),
        now: format!("{} × {}", done.now[0], done.now[1]),
        form: match done.alpha {
            "none" => done.form,
            alpha => format!("{}, {alpha} alpha", done.form),
        },
        changed: done.changed,
        notes: done.notes,
    }
}

/// A file with the thing in it.
struct Made {
    path: PathBuf,
    rows: Vec<Row>,
    bytes: Vec<u8>,
    read: String,
    news: Option<EditReport>,
    notes: Vec<String>,
}

/// Puts the thing into one file; `None` where the file has none of it.
fn file(session: &Session, thing: &Thing, name: &str, path: &Path) -> Result<Option<Made>> {
    let blob = pipeline::load(path)?;
    let shown = path.shown();
    let Ok(found) = pipeline::recognise(&blob, &shown, session.hints()) else { return Ok(None) };
    if found.format != thing.format() {
        return Ok(None);
    }
    let mut model = pipeline::read(&blob, found)?.model;
    let rows = thing.put(&mut model, name, path)?;
    if rows.is_empty() {
        return Ok(None);
    }
    let (read, notes) = (blob.sha256()?, model.notes().to_vec());
    if rows.iter().all(|row| !row.changed) {
        return Ok(Some(Made { path: path.to_owned(), rows, bytes: Vec::new(), read, news: None, notes }));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(blob.len()).unwrap_or_default());
    pipeline::write(&*model, &mut bytes)?;
    // What could not be read again is not written.
    let bytes = Bytes::from(bytes);
    pipeline::open(&bytes, &shown, session.hints()).map_err(|e| e.context("with this member it could not be read again"))?;
    let before = pipeline::read(&blob, pipeline::recognise(&blob, &shown, session.hints())?)?.model;
    let news = Some(edits::of_file(&model, &before, path)?);
    Ok(Some(Made { path: path.to_owned(), rows, bytes: bytes.into(), read, news, notes }))
}

fn table(session: &Session, rows: &[Row]) {
    if session.global.json {
        rows.iter().for_each(|row| session.json(row));
        return;
    }
    let wide = |text: &dyn Fn(&Row) -> usize| rows.iter().map(text).max().unwrap_or(0).min(60);
    let [path, member, was, now] = [
        wide(&|row| row.path().chars().count()),
        wide(&|row| row.member.chars().count()),
        wide(&|row| row.was.chars().count()),
        wide(&|row| row.now.chars().count()),
    ];
    for row in rows {
        let form = if row.changed { row.form.clone() } else { format!("{}, unchanged", row.form) };
        let line = format!("{:path$}  {:member$}  {:>was$} → {:now$}  {form}", row.path(), row.member, row.was, row.now);
        session.line(Line::new().text(line.trim_end()));
        row.notes.iter().for_each(|note| session.warn(format!("{}: {}: {note}", row.path(), row.member)));
    }
}

impl Row {
    fn path(&self) -> &str {
        self.place.path()
    }
}

/// Trees below a folder of the format that is meant.
fn trees(folder: &Path, format: Format) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut below = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    while let Some(entry) = below.next() {
        let Ok(entry) = entry else { continue };
        if entry.file_type().is_dir() && is_tree(entry.path()) {
            if read_head(&DirSource::new(entry.path())).is_ok_and(|(_, head)| head.format == format) {
                out.push(entry.into_path());
            }
            below.skip_current_dir();
        }
    }
    out
}

/// Runs the command.
pub fn put(session: &Session, asked: Asked, originals: &Originals) -> Result<()> {
    if !asked.folder.is_dir() {
        return Err(Error::say("--family takes the folder in which the packages and banks lie").in_file(asked.folder.shown()));
    }
    let thing = Thing::of(&asked)?;
    let name = asked.name.clone().unwrap_or_else(|| thing.name(&asked.file));
    let what = asked.file.shown();
    let trees = trees(&asked.folder, thing.format());
    let files = if refit::tree::is_project(&asked.folder) || is_tree(&asked.folder) {
        Vec::new()
    } else {
        match files::files(std::slice::from_ref(&asked.folder), &session.options()?, session) {
            Ok(files) => files,
            Err(_) if !trees.is_empty() => Vec::new(),
            Err(e) => return Err(e),
        }
    };
    let mut made = Vec::new();
    let task = Task::new(session, 0);
    for input in &files {
        task.at(&input.name());
        match file(session, &thing, &name, &input.path) {
            Ok(done) => made.extend(done),
            Err(e) => session.error(about(&input.path, &e)),
        }
    }
    drop(task);
    if session.errors() > 0 {
        session.error(format!("{what}: nothing was written"));
        return Ok(());
    }
    let mut rows: Vec<Row> = Vec::new();
    let backup = |usual| originals.backup(usual);
    if session.global.dry_run {
        for one in made.iter().filter(|one| one.news.is_some()) {
            disk::check_file(&one.path, Replace { force: true, backup: backup(Backup::First), ..Replace::default() })?;
        }
    } else if made.iter().any(|one| one.news.is_some()) {
        let (mut together, recovered) = Together::begin(&asked.folder, "put")?;
        session.recovered(recovered.as_ref());
        let mut kept = Vec::new();
        for one in made.iter().filter(|one| one.news.is_some()) {
            let may = Replace { force: true, backup: backup(Backup::First), read: Some(&one.read), by: By::Edit, ..Replace::default() };
            let write = |out: &mut (dyn std::io::Write + Send)| out.write_all(&one.bytes).map_err(|e| Error::io(&one.path, e));
            let written = together.write(&one.path, may, write, |_, _| Ok(()))?;
            kept.push((one.path.clone(), written.kept));
        }
        together.commit()?;
        kept.iter().for_each(|(path, kept)| session.kept(path, kept.as_ref()));
    }
    // Trees are folders of their own: each is changed whole or not at all.
    for tree in &trees {
        let done = put_tree::run(session, tree, |model| thing.put(model, &name, tree));
        match done {
            Ok((done, _)) => rows.extend(done),
            Err(e) => session.error(about(tree, &e)),
        }
    }
    let mut told = Vec::new();
    for one in made {
        rows.extend(one.rows);
        told.extend(one.news.map(|news| (one.path, news, one.notes)));
    }
    if rows.is_empty() {
        let kind = if thing.format() == Format::Textures { "texture package" } else { "bank of sounds" };
        let looked = files.len() + trees.len();
        return Err(Error::say(format!("no {kind} below {} has {name:?} ({looked} looked at)", asked.folder.shown()))
            .hint("name the texture or the sound behind the file, as `refit list` shows it"));
    }
    table(session, &rows);
    for (path, news, notes) in told {
        print_news(session, &news, &path.shown(), &notes);
    }
    let changed = rows.iter().filter(|row| row.changed).count();
    let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
    session.tell(format!("{what} → {} ({} changed{would})", asked.folder.shown(), count(changed, "member")));
    Ok(())
}
