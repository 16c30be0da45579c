//! `refit anim`: animations the way they were written.

use super::{
    edits,
    session::{Session, count},
    subject,
    unpack::tell_replaced,
};
use clap::{Args, Subcommand};
use refit::{
    anim_source::{
        self, Base, Compiled, Known, Listing, Options, Root, Shelf, Sounds, Sources, Spelling, Stamps, Status, World,
        archive_sources::ROOTS, source::Doc,
    },
    formats::{
        Format,
        anim::{Anim as File, Script},
        gamez::Gamez,
    },
    game::Game,
    lint::{Finding, Severity},
    path::Shown,
    pipeline,
    tree::{
        DirSource, Document, Folder, Head, Origin, Sink, Source, Style,
        disk::{self, Replace, StagedDir},
        read_head, sums,
    },
    wire::{Error, F32, Result, UnixTime},
};
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

/// Edit animations the way they were written: definitions (`.zrd`) and scripts (`.zan`) into animation files, and back
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit anim decompile anim.zbd -o defs
                                 what the file was compiled from, as far as it tells
  refit anim compile defs -o new.zbd --base anim.zbd
                                 a file again; what was not edited stays byte for byte
  refit anim check defs --against anim.zbd
                                 what would change, and what the game would trip over
  refit anim script copter.zan   a script as the frames that Recoil's files hold")]
pub struct Anim {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    Decompile(Decompile),
    Compile(Compile),
    Check(Check),
    Script(ScriptCommand),
}

impl Anim {
    /// Runs the command.
    pub fn run(self, session: &mut Session) -> Result<()> {
        match self.action {
            Action::Decompile(c) => c.run(session),
            Action::Compile(c) => c.run(session),
            Action::Check(c) => c.run(session),
            Action::Script(c) => c.run(session),
        }
    }
}

/// Make definitions of a compiled animation file
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit anim decompile anim.zbd -o defs
  refit anim decompile anim.zbd -o defs --as zrd       text reader files instead of JSON
  refit anim decompile anim.zbd -o defs --defs zrdr.zbd
                                                       where definitions in it give an entry, they are kept as they are
  refit anim decompile zbd/m1/anim.zbd -o defs --defs game
                                                       the definitions that the game's reader archives hold

The folder is a second view of the file, not a copy: `refit anim compile` needs the file as its --base for what no source says. \
What no key can say stands in items called REFIT, which the games never read.")]
struct Decompile {
    /// An animation file, or its unpacked tree
    file: PathBuf,
    /// The folder to make [default: NAME-defs beside the file]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Definitions that are there already: definition files, folders of them, reader archives (packed or not), or a game's folder
    #[arg(long, value_name = "READER", num_args = 1..)]
    defs: Vec<PathBuf>,
    /// The world that the definitions are bound to: a gamez.zbd, or its unpacked tree
    #[arg(long, value_name = "GAMEZ")]
    world: Option<PathBuf>,
    /// How the files are spelled
    #[arg(long = "as", value_name = "SPELLING", default_value = "json")]
    spelling: Spelling,
}

/// Make an animation file of definitions
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit anim compile defs -o new.zbd --base anim.zbd
  refit anim compile m1/anim.zrd common -o anim.zbd --world m1/gamez.zbd
                                 files that anim.zrd names are looked for in common/, too

Over a base, an entry that says the same as before is the base's entry, byte for byte. Without one only Recoil's files can be made: those \
of the other games hold words that no source says.
Exit code 3 when something was found that the game may trip over.")]
struct Compile {
    /// A folder with a root file (anim.zrd, mis_anim.zrd, cam_anim.zrd), root files, a reader archive (packed or not), or a game's folder;
    /// further folders are only looked into
    #[arg(required = true, value_name = "DIR|ROOT")]
    sources: Vec<PathBuf>,
    /// The file to make
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The file that the sources are of, or its unpacked tree
    #[arg(long, value_name = "FILE")]
    base: Option<PathBuf>,
    #[command(flatten)]
    surroundings: Surroundings,
    /// What becomes of the list of source files, whose times Recoil compares
    #[arg(long, value_name = "WHAT", default_value = "keep")]
    stamps: Stamps,
    /// Leave out entries of tables that nothing refers to
    #[arg(long)]
    prune: bool,
    /// A definition whose node the world does not have is an error
    #[arg(long)]
    strict: bool,
}

/// What the definitions live in.
#[derive(Args, Debug, Default)]
struct Surroundings {
    /// The world: a gamez.zbd, or its unpacked tree
    #[arg(long, value_name = "GAMEZ")]
    world: Option<PathBuf>,
    /// The planes, whose nodes follow those of the world (Crimson Skies)
    #[arg(long, value_name = "FILE")]
    planes: Option<PathBuf>,
    /// The list of effects (effects.zrd of Recoil)
    #[arg(long, value_name = "READER")]
    effects: Option<PathBuf>,
    /// The sounds: sounds.zrd, reader archives with one, banks, or a game's folder with all of them
    #[arg(long, value_name = "PATH", num_args = 1..)]
    sounds: Vec<PathBuf>,
}

impl Surroundings {
    /// What the sources' own archives say where nothing is named.
    fn of_shelf(&self, options: &mut Options, places: &Places) -> Result<()> {
        let doc = |bare| places.shelf.as_ref().map_or(Ok(None), |shelf| shelf.doc(bare));
        if self.effects.is_none()
            && let Some(doc) = doc("effects.zrd")?
        {
            options.effects = Some(anim_source::effects(&doc).into_iter().collect()).filter(|all: &HashSet<_>| !all.is_empty());
        }
        if self.sounds.is_empty()
            && let Some(doc) = doc("sounds.zrd")?
        {
            let mut sounds = Sounds::default();
            anim_source::sounds(&doc).iter().for_each(|name| sounds.add(name));
            options.sounds = Some(sounds).filter(|all| !all.is_empty());
        }
        Ok(())
    }

    fn options(&self, session: &Session) -> Result<Options> {
        let mut options = Options { game: session.global.game, ..Options::default() };
        match (&self.world, &self.planes) {
            (Some(path), planes) => options.world = Some(world(path, planes.as_deref())?),
            (None, Some(_)) => return Err(Error::say("--planes without --world").hint("the planes' nodes follow those of a world")),
            (None, None) => {}
        }
        if let Some(path) = &self.effects {
            let doc = Doc::read(&disk::read_named(path)?, &path.shown()).map_err(|e| e.in_file(path.shown()))?;
            let names = anim_source::effects(&doc);
            if names.is_empty() {
                return Err(Error::say("no list of EFFECTS in it").in_file(path.shown()));
            }
            options.effects = Some(names.into_iter().collect());
        }
        if !self.sounds.is_empty() {
            let mut all = Sounds::default();
            self.sounds.iter().try_for_each(|path| add_sounds(path, &mut all))?;
            options.sounds = Some(all);
        }
        Ok(options)
    }
}

/// What the definitions of a tree of a project live in: the world of the tree's folder, or of one of the folders of the files `near`, and
/// the sounds and effects of the project. What cannot be read is said where it is packed itself.
pub fn of_project(project: &Path, tree: &Path, near: &[PathBuf]) -> Options {
    let beside = |file: &Path, wanted: &str| {
        let folder = file.parent()?;
        Some(folder.join(names_in(folder).into_iter().find(|name| name.eq_ignore_ascii_case(wanted))?))
    };
    let mut files = std::iter::once(tree).chain(near.iter().map(PathBuf::as_path));
    let found = files.find_map(|file| Some((file, beside(file, "gamez.zbd")?)));
    let planes = found.as_ref().and_then(|(file, _)| beside(file.parent()?, "planes.zbd"));
    let world = found.and_then(|(_, path)| world(&path, planes.as_deref()).or_else(|_| world(&path, None)).ok());
    let mut sounds = Sounds::default();
    let _ = add_sounds(project, &mut sounds);
    let mut archives = Vec::new();
    archives_below(project, 0, &["zrdr", "reader"], &mut archives);
    let effects = |archive: &PathBuf| {
        let members = refit::formats::archive::members(&reader_archive(archive).ok()??).ok()?;
        let (name, bytes) = members.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("effects.zrd"))?;
        Some(anim_source::effects(&Doc::read(&bytes, &name).ok()?))
    };
    let effects: HashSet<Vec<u8>> = archives.iter().filter_map(effects).flatten().collect();
    Options {
        world,
        sounds: Some(sounds).filter(|all| !all.is_empty()),
        effects: Some(effects).filter(|all| !all.is_empty()),
        ..Options::default()
    }
}

/// Adds the samples that a list declares, the members of a bank, or those of all lists and banks below a folder.
fn add_sounds(path: &Path, all: &mut Sounds) -> Result<()> {
    let named = |e: Error| e.about(path);
    let mut files = vec![path.to_owned()];
    let is_folder = path.is_dir() && !super::paths::is_tree(path);
    if is_folder {
        files.clear();
        archives_below(path, 0, &["zrdr", "reader", "sounds"], &mut files);
    }
    let mut found = 0;
    for file in &files {
        let names = sounds_of(file)?;
        found += names.len();
        names.iter().for_each(|name| all.add(name));
    }
    match found {
        0 => Err(named(Error::say("no sound in it").hint("sounds.zrd, an archive with one, a bank, or a game's folder"))),
        _ => Ok(()),
    }
}

/// The sounds that one file has.
fn sounds_of(path: &Path) -> Result<Vec<Vec<u8>>> {
    let named = |e: Error| e.about(path);
    let is_archive = path.is_dir() || path.extension().is_some_and(|end| end.eq_ignore_ascii_case("zbd"));
    if !is_archive {
        let doc = Doc::read(&disk::read(path)?, &path.shown()).map_err(named)?;
        return Ok(anim_source::sounds(&doc));
    }
    let subject = subject::open(path, pipeline::Hints::default()).map_err(named)?;
    let refit::File::Archive(archive) = &subject.model else { return Ok(Vec::new()) };
    match archive.context().format {
        Format::Sounds => {
            let mut names = Vec::new();
            subject.model.each_member(&mut |member| names.push(member.name.into_bytes())).map_err(named)?;
            Ok(names)
        }
        Format::Reader => {
            let members = refit::formats::archive::members(&archive_bytes(&subject).map_err(named)?).map_err(named)?;
            let list = members.iter().find(|(name, _)| name.eq_ignore_ascii_case("sounds.zrd"));
            list.map_or(Ok(Vec::new()), |(name, bytes)| Ok(anim_source::sounds(&Doc::read(bytes, name).map_err(named)?)))
        }
        _ => Ok(Vec::new()),
    }
}

/// The bytes of an archive, or of the one that an unpacked tree is of.
fn archive_bytes(subject: &subject::Subject) -> Result<bytes::Bytes> {
    match &subject.file {
        Some(file) => file.bytes(),
        None => {
            let mut bytes = Vec::new();
            pipeline::write(&*subject.model, &mut bytes)?;
            Ok(bytes.into())
        }
    }
}

/// A world's nodes, and behind them those of the planes.
fn world(path: &Path, planes: Option<&Path>) -> Result<World> {
    let one = |path: &Path| -> Result<Box<Gamez>> {
        let named = |e: Error| e.about(path);
        // The game that the user names is that of the animations; a world tells its own.
        let subject = subject::open(path, pipeline::Hints::default()).map_err(named)?;
        match subject.model {
            refit::File::World(world) => Ok(world),
            _ => Err(named(Error::say("no world").hint("a gamez.zbd, or its unpacked tree"))),
        }
    };
    let (world, planes) = (one(path)?, planes.map(one).transpose()?);
    Ok(World::of_files(&[Some(&*world), planes.as_deref()].into_iter().flatten().collect::<Vec<_>>()))
}

/// A compiled file, and its SHA-256 where it is a file.
pub fn compiled_file(path: &Path, hints: pipeline::Hints) -> Result<(Base, String, u64)> {
    let named = |e: Error| e.about(path);
    let subject = subject::open(path, hints).map_err(named)?;
    let (sum, bytes) = match &subject.file {
        Some(file) => (file.sha256()?, file.len()),
        None => match read_head(&DirSource::new(path)) {
            Ok((_, head)) => (head.source.sha256.wait().to_owned(), head.source.bytes),
            Err(_) => (String::new(), 0),
        },
    };
    let refit::File::Anim(anim) = subject.model else {
        return Err(named(Error::say("no animation file").hint("anim.zbd, cam_anim.zbd or mis_anim.zbd")));
    };
    Ok((Base::new(*anim).map_err(named)?, sum, bytes))
}

/// How deep a game's folder is searched for archives.
const DEEPEST: usize = 8;

/// What definitions are read from, and the root files among what the user named.
pub struct Places {
    /// Folders on disk.
    folders: Vec<(PathBuf, DirSource)>,
    /// The members of archives.
    shelf: Option<Shelf>,
    /// Root files: the number of a folder, behind the last that of the shelf, and a path there.
    pub start: Vec<(usize, String)>,
}

/// What the root file is wanted for, where a folder of archives has several.
#[derive(Clone, Copy)]
pub struct Wanted<'w> {
    /// The compiled file.
    pub path: &'w Path,
    /// It, opened.
    pub base: &'w Base,
}

/// An archive with definitions: its folder on disk, and its root files on the shelf.
struct Packed {
    folder: PathBuf,
    roots: Vec<String>,
}

impl Places {
    /// Root files, folders with one, archives, unpacked archives, and folders of archives.
    pub fn of(paths: &[PathBuf], wanted: Option<Wanted<'_>>) -> Result<Places> {
        let mut places = Places { folders: Vec::new(), shelf: None, start: Vec::new() };
        let mut shelf = Shelf::default();
        let mut packed: Vec<Packed> = Vec::new();
        for (i, path) in paths.iter().enumerate() {
            let whole = refit::path::canonical(path).map_err(|e| Error::io(path, e))?;
            let is_folder = whole.is_dir();
            if let Some(bytes) = reader_archive(&whole)? {
                packed.push(shelve(&mut shelf, &bytes, &whole, path)?);
                continue;
            }
            if is_folder && root_in(&whole).is_none() {
                let mut found = Vec::new();
                archives_below(&whole, 0, &["zrdr", "reader"], &mut found);
                for archive in &found {
                    if let Some(bytes) = reader_archive(archive)? {
                        packed.push(shelve(&mut shelf, &bytes, archive, archive)?);
                    }
                }
                if !found.is_empty() {
                    continue;
                }
            }
            let folder = if is_folder { whole.clone() } else { whole.parent().unwrap_or(Path::new("/")).to_owned() };
            let at = match places.folders.iter().position(|(known, _)| *known == folder) {
                Some(at) => at,
                None => {
                    places.folders.push((folder.clone(), DirSource::new(&folder)));
                    places.folders.len() - 1
                }
            };
            if !is_folder {
                let name = whole.file_name().and_then(|name| name.to_str()).ok_or_else(|| Error::say("the name is not Unicode"))?;
                places.start.push((at, name.to_owned()));
            } else if i == 0 {
                let found = root_in(&folder).ok_or_else(|| {
                    Error::say("no root file in it, and no archive with one")
                        .in_file(path.shown())
                        .hint("one of anim.zrd, mis_anim.zrd, cam_anim.zrd")
                })?;
                places.start.push((at, found));
            }
        }
        if !packed.is_empty() {
            if places.start.is_empty() {
                let root = root_of(&shelf, &packed, wanted)?;
                places.start.push((places.folders.len(), root));
            }
            places.shelf = Some(shelf);
        }
        Ok(places)
    }

    /// The folders, and behind them the shelf.
    pub fn roots(&self) -> Vec<Root<'_>> {
        let folders = self.folders.iter().map(|(folder, source)| {
            let below = folder.clone();
            let list: Listing<'_> = Box::new(move |path: &str| names_in(&below.join(path)));
            Root::new(folder.shown(), source as &dyn Source, list)
        });
        folders.chain(self.shelf.iter().map(Root::of_shelf)).collect()
    }
}

/// The root file of a folder.
fn root_in(folder: &Path) -> Option<String> {
    let names = names_in(folder);
    let ends = [".zrd.json", ".zrd.ron", ".zrd", ".json", ".ron"];
    ROOTS
        .iter()
        .flat_map(|stem| ends.iter().map(move |end| format!("{stem}{end}")))
        .find_map(|wanted| names.iter().find(|name| name.eq_ignore_ascii_case(&wanted)).cloned())
}

/// The bytes of a reader archive, or of the one that an unpacked tree is of; `None` for anything else.
fn reader_archive(path: &Path) -> Result<Option<bytes::Bytes>> {
    let named = |e: Error| e.about(path);
    let is_tree = path.is_dir() && manifest(path).is_none() && super::paths::is_tree(path);
    let is_file = path.is_file() && path.extension().is_some_and(|end| end.eq_ignore_ascii_case("zbd"));
    if !is_tree && !is_file {
        return Ok(None);
    }
    let subject = subject::open(path, pipeline::Hints::default()).map_err(named)?;
    if !matches!(&subject.model, refit::File::Archive(archive) if archive.context().format == Format::Reader) {
        return Ok(None);
    }
    archive_bytes(&subject).map(Some).map_err(named)
}

/// Puts an archive's members on the shelf.
fn shelve(shelf: &mut Shelf, bytes: &bytes::Bytes, whole: &Path, said: &Path) -> Result<Packed> {
    let folder = whole.parent().unwrap_or(Path::new("/")).to_owned();
    let name = |path: Option<&std::ffi::OsStr>| path.map_or_else(String::new, |name| name.to_string_lossy().to_lowercase());
    // The archives of all missions lie in the folder that holds those of the missions.
    let above = match name(folder.file_name()) {
        above if above == "zbd" => "common".to_owned(),
        above => above,
    };
    let roots = shelf.add(bytes, &format!("{above}/{}", name(whole.file_stem()))).map_err(|e| e.about(said))?;
    Ok(Packed { folder, roots })
}

/// The archives of a game whose names begin so: packed or unpacked.
fn archives_below(folder: &Path, depth: usize, stems: &[&str], out: &mut Vec<PathBuf>) {
    let mut names = names_in(folder);
    names.sort();
    for name in names {
        let (path, folded) = (folder.join(&name), name.to_lowercase());
        let is_archive = folded.ends_with(".zbd") && stems.iter().any(|stem| folded.starts_with(stem));
        if is_archive && (path.is_file() || super::paths::is_tree(&path)) {
            out.push(path);
        } else if depth < DEEPEST && path.is_dir() && !path.is_symlink() && !super::paths::is_tree(&path) && !name.starts_with('.') {
            archives_below(&path, depth + 1, stems, out);
        }
    }
}

/// The root file that is meant, of all on the shelf: the one beside the compiled file, or the one that this lists first.
fn root_of(shelf: &Shelf, packed: &[Packed], wanted: Option<Wanted<'_>>) -> Result<String> {
    let stem = |path: &str| path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default().to_lowercase();
    let mut all: Vec<(&Packed, &String)> = packed.iter().flat_map(|packed| packed.roots.iter().map(move |root| (packed, root))).collect();
    if let Some(Wanted { path, base }) = wanted {
        let named = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().to_lowercase());
        if all.iter().any(|(_, root)| stem(root) == named) {
            all.retain(|(_, root)| stem(root) == named);
        }
        let folder = refit::path::canonical(path).ok().and_then(|path| path.parent().map(Path::to_owned));
        let beside: Vec<_> = all.iter().filter(|(packed, _)| Some(&packed.folder) == folder.as_ref()).copied().collect();
        if let [(_, one)] = beside.as_slice() {
            return Ok((*one).clone());
        }
        // The first file that it lists is its root.
        if let Some(listed) = base.anim.header.source_files.first().and_then(|file| shelf.listed(file.path.bytes())) {
            return Ok(listed);
        }
    }
    all.sort_by_key(|(_, root)| (*root).clone());
    all.dedup_by_key(|(_, root)| (*root).clone());
    match all.as_slice() {
        [(_, one)] => Ok((*one).clone()),
        [] => Err(Error::say("no root file in the archives").hint("one of anim.zrd, mis_anim.zrd, cam_anim.zrd")),
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|(packed, root)| format!("{} of {}", root.rsplit('/').next().unwrap_or_default(), packed.folder.shown()))
                .collect();
            Err(Error::say(format!("several root files: {}", names.join(", "))).hint("name the archive of one mission first"))
        }
    }
}

/// The names in a folder.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

/// True for a path at which there is something, outside of what was named, too.
pub fn is_there(path: &str) -> bool {
    // A name without an extension may stand for a document.
    ["", ".json", ".ron"].iter().any(|end| Path::new(&format!("{path}{end}")).symlink_metadata().is_ok())
}

/// What the manifest of a folder of definitions says of its game and its base.
pub fn manifest(path: &Path) -> Option<anim_source::Manifest> {
    let text = disk::read(&path.join("refit.json")).ok()?;
    anim_source::Manifest::from_text(std::str::from_utf8(&text).ok()?, Style::Json).ok()
}

impl Decompile {
    fn run(self, session: &mut Session) -> Result<()> {
        let force = session.global.force;
        let output = self.output.clone().unwrap_or_else(|| {
            let stem = self.file.file_stem().map_or_else(|| "anim".into(), |stem| stem.to_string_lossy().into_owned());
            self.file.with_file_name(format!("{stem}-defs"))
        });
        disk::check_folder(&output, force)?;
        let (base, sum, bytes) = compiled_file(&self.file, session.hints())?;
        let file = self.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let head = Head::new(Some(base.anim.game), Format::Anim, Origin { file, bytes, sha256: sum.into() });
        let world = self.world.as_ref().map(|path| world(path, None)).transpose()?;
        let wanted = Wanted { path: &self.file, base: &base };
        let places = if self.defs.is_empty() { None } else { Some(Places::of(&self.defs, Some(wanted))?) };
        let sources = places.as_ref().map(|places| Sources::read(places.roots(), &places.start, &is_there)).transpose()?;
        let gravity = base.anim.header.info.gravity.unwrap_or(F32::from(-9.8));
        let known = sources.as_ref().map(|sources| Known::new(sources, &base, world.as_ref(), gravity));
        let path = relative(&output, &self.file);
        let made = anim_source::decompile(&base, head, &path, self.spelling, known.as_ref())?;
        if !session.global.dry_run {
            let staged = StagedDir::new(&output, force)?;
            let sink = staged.sink();
            made.files.iter().try_for_each(|(path, bytes)| sink.put(path, bytes))?;
            // What was written here, so that an edited folder is known for one.
            let mut written = sums::Sums::default();
            made.files.iter().for_each(|(path, bytes)| written.add(path, &refit::sha256(bytes), true));
            written.put(&sink)?;
            tell_replaced(session, &output, &staged.commit()?);
        }
        if session.global.json {
            for [definition, root] in &made.entries {
                session.json(&serde_json::json!({ "definition": definition, "root": root, "status": "equal", "findings": [] }));
            }
        }
        if made.raw > 0 {
            session.warn(format!("{}: {} kept as bytes (REFIT), no keys say them", self.file.shown(), count(made.raw, "definition")));
        }
        let own = if made.own > 0 { format!(", {} as --defs has them", count(made.own, "entry")) } else { String::new() };
        let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
        session.tell(format!("{} → {} ({}{own}{would})", self.file.shown(), output.shown(), count(made.entries.len(), "definition")));
        Ok(())
    }
}

/// A path from a folder to a file, where there is one; else the whole path.
fn relative(folder: &Path, file: &Path) -> String {
    let folder = refit::path::whole(folder).unwrap_or_else(|_| folder.to_owned());
    let file = refit::path::whole_place(file).unwrap_or_else(|_| file.to_owned());
    let same = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    if same == 0 {
        return refit::path::shown(&file);
    }
    let up = folder.components().count() - same;
    let rest: Vec<String> = file.components().skip(same).map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let ups = std::iter::repeat_n("..".to_owned(), up);
    ups.chain(rest).collect::<Vec<_>>().join("/")
}

/// Tells what became of the entries; true where all were compiled. What has no room is an error where a file is `made`, else a finding.
fn tell(session: &mut Session, compiled: &Compiled, against: bool, made: bool) -> bool {
    let say = |session: &Session, place: &str, finding: &Finding| {
        let path = if finding.path.is_empty() { String::new() } else { format!("{}: ", finding.path) };
        if finding.severity == Severity::Unusual {
            session.detail(format!("{path}{place}{}", finding.message));
        } else {
            session.finding(finding.severity, format!("{path}{place}{} [{}]", finding.message, finding.code), None);
        }
    };
    let mut failed = 0;
    for finding in &compiled.findings {
        say(session, "", finding);
    }
    let mut good = true;
    for entry in &compiled.entries {
        let name = format!("{} ({}): ", entry.definition, entry.root);
        let is_limit = |finding: &&Finding| finding.code == anim_source::LIMIT.code;
        for finding in entry.findings.iter().filter(|finding| !made || !is_limit(finding)) {
            say(session, &name, finding);
        }
        if let Some(error) = &entry.error {
            good = false;
            if made || !entry.findings.iter().any(|finding| is_limit(&finding)) {
                failed += 1;
                if failed <= ERRORS {
                    session.error(error);
                }
            }
        }
        if session.global.json {
            session.json(entry);
        } else if against && !matches!(entry.status, Status::Equal | Status::Failed | Status::LeftOut) {
            let word = match entry.status {
                Status::New => "new",
                Status::Gone => "gone",
                _ => "changed",
            };
            session.tell(format!("{word:8} {} ({})", entry.definition, entry.root));
        }
    }
    if failed > ERRORS {
        session.error(format!("… and {} could not be compiled either", count(failed - ERRORS, "definition")));
    }
    if compiled.has_findings() {
        session.found();
    }
    good
}

/// Errors that are told one by one: a pattern makes thousands of one mistake.
const ERRORS: usize = 20;

/// Tells in a line which definitions make no entry, where that is no finding: missions share definitions.
fn tell_left_out(session: &Session, compiled: &Compiled) {
    let left_out: Vec<&anim_source::EntryReport> = compiled.entries.iter().filter(|entry| entry.status == Status::LeftOut).collect();
    let Some(first) = left_out.first().and_then(|entry| entry.findings.first()) else { return };
    let more = match left_out.len() - 1 {
        0 => String::new(),
        n => format!(", and {} more", count(n, "definition")),
    };
    session.warn(format!("{}: {}{more} (-v tells each, --strict makes errors of them)", first.path, first.message));
}

/// Findings of a compiled file that were told of its sources already, or that are not of one file.
const TOLD: [&str; 3] = ["anim-call", "anim-no-sequence", "anim-limit"];

/// Tells what the compiled file has that the game will trip over, and its base did not have.
fn tell_new(session: &mut Session, name: &Path, anim: &File, base: Option<&Base>) -> Result<()> {
    let empty = || File { definitions: Vec::new(), ..anim.clone() };
    let none;
    let before = match base {
        Some(base) => &base.anim,
        None => {
            none = empty();
            &none
        }
    };
    if anim != before {
        edits::of_file(&anim.clone().into(), &before.clone().into(), name)?.without(&TOLD).tell(session, &name.shown(), &[]);
    }
    Ok(())
}

/// How many entries stand how.
pub fn counts(compiled: &Compiled) -> String {
    let all =
        [(Status::Equal, "equal"), (Status::Changed, "changed"), (Status::New, "new"), (Status::Gone, "gone"), (Status::Failed, "failed")];
    let number = |status: Status| compiled.entries.iter().filter(|entry| entry.status == status).count();
    let mut parts: Vec<String> =
        all.iter().map(|(status, word)| (number(*status), word)).filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    if parts.is_empty() {
        parts.push("no definitions".into());
    }
    match number(Status::LeftOut) {
        0 => {}
        n => parts.push(format!("{n} left out")),
    }
    parts.join(", ")
}

impl Compile {
    fn run(self, session: &mut Session) -> Result<()> {
        let may = Replace::new(session.global.force);
        disk::check_file(&self.output, may)?;
        let mut options = self.surroundings.options(session)?;
        (options.stamps, options.prune, options.strict) = (self.stamps, self.prune, self.strict);
        let own = self.sources.first().filter(|path| path.is_dir()).and_then(|path| manifest(path));
        let base = self.base.as_ref().map(|path| compiled_file(path, session.hints())).transpose()?.map(|(base, ..)| base);
        let wanted = self.base.as_ref().zip(base.as_ref()).map(|(path, base)| Wanted { path, base });
        if base.is_none() && options.game.is_none() {
            options.game = own.as_ref().and_then(|own| own.game);
        }
        let places = Places::of(&self.sources, wanted)?;
        self.surroundings.of_shelf(&mut options, &places)?;
        let sources = Sources::read(places.roots(), &places.start, &is_there)?;
        let mut compiled = anim_source::compile(&sources, base.as_ref(), &options).map_err(|e| match (&own, &base) {
            (Some(own), None) if options.game.is_some_and(|game| game != Game::Rc) => e.hint(format!("the tree is of {}", own.base.path)),
            _ => e,
        })?;
        let good = tell(session, &compiled, base.is_some(), true);
        tell_left_out(session, &compiled);
        if !good {
            return Err(Error::say(format!("{}: not written, {}", self.output.shown(), counts(&compiled))));
        }
        let Some(anim) = &mut compiled.anim else { return Err(Error::say("nothing was compiled")) };
        tell_new(session, &self.output, anim, base.as_ref())?;
        if self.stamps == Stamps::Update {
            update(anim, &sources, &places);
        }
        let mut bytes = Vec::new();
        pipeline::write(&*anim, &mut bytes)?;
        // What refit would refuse itself is not put in place.
        pipeline::open(&bytes.clone().into(), "anim.zbd", pipeline::Hints { game: Some(anim.game), format: Some(Format::Anim) })?;
        if session.global.dry_run {
            disk::check_file(&self.output, may)?;
        } else {
            let written = disk::write_file(&self.output, &bytes, may)?;
            session.kept(&self.output, written.kept.as_ref());
        }
        let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
        let from = self.sources.first().map_or_else(String::new, |path| path.shown());
        session.tell(format!("{from} → {} ({}{would})", self.output.shown(), counts(&compiled)));
        Ok(())
    }
}

/// Sets the times of listed source files to those that the files have now.
fn update(anim: &mut File, sources: &Sources<'_>, places: &Places) {
    let times: HashMap<String, u32> = sources
        .paths()
        .into_keys()
        .filter_map(|path| {
            let name = path.rsplit('/').next()?.to_lowercase();
            let name = name.strip_suffix(".json").or_else(|| name.strip_suffix(".ron")).unwrap_or(&name).to_owned();
            let time = places.folders.iter().find_map(|(folder, _)| folder.join(&path).metadata().ok()?.modified().ok())?;
            let seconds = time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
            Some((name, u32::try_from(seconds).ok()?))
        })
        .collect();
    for file in &mut anim.header.source_files {
        let text = file.path.text().to_lowercase();
        if let Some(time) = text.rsplit(['/', '\\']).next().and_then(|name| times.get(name)) {
            file.time = UnixTime(*time);
        }
    }
}

/// Tell what compiling would change, and what the game would trip over
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit anim check defs --against anim.zbd
  refit anim check anim.zbd --world gamez.zbd    names that the world does not have

Nothing is written. Exit code 3 when something was found.")]
struct Check {
    /// A folder with definitions, root files, or a compiled file
    #[arg(required = true, value_name = "DIR|FILE")]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    surroundings: Surroundings,
    /// The file to compare with, or its unpacked tree
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

impl Check {
    fn run(self, session: &mut Session) -> Result<()> {
        let mut options = Options { all: true, left_out: true, ..self.surroundings.options(session)? };
        let mut base = self.against.as_ref().map(|path| compiled_file(path, session.hints())).transpose()?.map(|(base, ..)| base);
        let first = self.sources.first().map(PathBuf::as_path).unwrap_or(Path::new(""));
        let own = manifest(first);
        let is_tree = || read_head(&DirSource::new(first)).is_ok_and(|(_, head)| head.format == Format::Anim);
        let is_compiled = own.is_none() && (super::paths::is_tree(first) && is_tree() || first.is_file() && is_animation(first));
        if own.is_some() && base.is_none() && options.game.is_none() {
            options.game = own.as_ref().and_then(|own| own.game);
        }
        if let (Some(own), None) = (&own, &base)
            && own.game.is_some_and(|game| game.itself() != Game::Rc)
        {
            base = Some(compiled_file(&first.join(&own.base.path), session.hints())?.0);
        }
        let compiled = if is_compiled {
            let (file, sum, bytes) = compiled_file(first, session.hints())?;
            let head = Head::new(Some(file.anim.game), Format::Anim, Origin { file: "anim.zbd".into(), bytes, sha256: sum.into() });
            let made = anim_source::decompile(&file, head, "", Spelling::Json, None)?;
            let folder = Folder::new();
            made.files.into_iter().for_each(|(path, bytes)| folder.set(&path, bytes));
            let sources = Sources::read(vec![Root::of_paths("/", &folder)], &[(0, "anim.zrd.json".to_owned())], &|_| false)?;
            anim_source::compile(&sources, Some(base.as_ref().unwrap_or(&file)), &options)?
        } else {
            let wanted = self.against.as_ref().zip(base.as_ref()).map(|(path, base)| Wanted { path, base });
            let places = Places::of(&self.sources, wanted)?;
            self.surroundings.of_shelf(&mut options, &places)?;
            let sources = Sources::read(places.roots(), &places.start, &is_there)?;
            anim_source::compile(&sources, base.as_ref(), &options)?
        };
        tell(session, &compiled, self.against.is_some(), false);
        if let Some(anim) = compiled.anim.as_ref().filter(|_| !is_compiled) {
            tell_new(session, first, anim, base.as_ref())?;
        }
        let found = if compiled.has_findings() { ", with findings" } else { "" };
        session.tell(format!("{}: {}{found}", first.shown(), counts(&compiled)));
        Ok(())
    }
}

/// True for a file that begins as animation files do.
fn is_animation(path: &Path) -> bool {
    use std::io::Read;
    let mut head = [0; 4];
    disk::open_regular(path).and_then(|(mut file, _)| file.read_exact(&mut head)).is_ok()
        && u32::from_le_bytes(head) == refit::formats::anim::header::SIGNATURE
}

/// Make frames of a script's text (.zan), or text of frames (Recoil)
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit anim script copter.zan                       the frames on the terminal
  refit anim script copter.zan --rate 15 -o 3.frames.json
  refit anim script 3.frames.json --rate 15 --object copter01 -o copter.zan

A text has the studio's form (Frame:, Object:, Scaling:, Rotation:, Translation:), or keys: OBJECT door, then lines such as
FRAME 0 POSITION 0 0 0 VELOCITY 1 0 0 ROTATION 1 0 0 0 SPIN 0 0 0 SCALE 1 1 1 GROWTH 0 0 0, where every part may be left out, a rate that is
left out runs to the next key, and frames count from 0. Frames become poses of six decimals where those give them again, else keys; what \
neither says is refused: the frames document is its source then.")]
struct ScriptCommand {
    /// A script, or a frames document
    file: PathBuf,
    /// Where to; `-` is standard output
    #[arg(short, long, value_name = "TO", default_value = "-")]
    output: PathBuf,
    /// Frames per second
    #[arg(long, value_name = "N", default_value_t = 30.0)]
    rate: f32,
    /// The object that moves; needed where a script moves several
    #[arg(long, value_name = "NAME")]
    object: Option<String>,
}

impl ScriptCommand {
    fn run(self, session: &mut Session) -> Result<()> {
        let named = |e: Error| e.about(&self.file);
        let bytes = disk::read_named(&self.file)?;
        let rate = F32::from(self.rate);
        let text: Vec<u8> = match Style::of(&self.file.shown()) {
            None => {
                let zan = anim_source::script::Zan::read(&bytes).map_err(named)?;
                let object = match (&self.object, zan.objects().as_slice()) {
                    (Some(object), _) => refit::wire::encode_1252(object)?,
                    (None, [one]) => one.to_vec(),
                    (None, all) => {
                        let names: Vec<String> = all.iter().map(|name| refit::wire::decode_1252(name).into_owned()).collect();
                        return Err(named(
                            Error::say(format!("it moves {}: {}", count(all.len(), "object"), names.join(", "))).hint("--object names one"),
                        ));
                    }
                };
                let script = anim_source::script::compile(&zan, &object, rate).map_err(named)?;
                script.to_text(Style::of(&self.output.shown()).unwrap_or_default())?.into_bytes()
            }
            Some(style) => {
                let text = refit::wire::utf8(&bytes).map_err(named)?;
                let script = Script::from_text(text, style).map_err(named)?;
                let object = refit::wire::encode_1252(self.object.as_deref().unwrap_or("object"))?;
                // The studio's form, or keys where no text of poses gives the frames again.
                let poses = anim_source::script::decompile(&script, &object, rate, &anim_source::script::MOST_TRIALS.into());
                poses.or_else(|e| anim_source::script::keys(&script, &object, rate).map_err(|_| e)).map_err(named)?
            }
        };
        if self.output.as_os_str() == "-" {
            session.bytes(&text);
            return Ok(());
        }
        let may = Replace::new(session.global.force);
        if session.global.dry_run {
            disk::check_file(&self.output, may)?;
        } else {
            let written = disk::write_file(&self.output, &text, may)?;
            session.kept(&self.output, written.kept.as_ref());
            session.tell(format!("{} → {}", self.file.shown(), self.output.shown()));
        }
        Ok(())
    }
}
