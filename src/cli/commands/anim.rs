//! `refit anim`: animations the way they were written.

use super::unpack::tell_replaced;
use crate::cli::{events::print_news, session::Session};
use clap::{Args, Subcommand};
use refit::{
    anim_source::{self, Base, Compiled, Known, Options, Root, Sources, Spelling, Stamps, Status},
    format::Format,
    formats::anim::{Anim as File, Script},
    game::Game,
    lint::{Finding, Severity},
    path::Shown,
    pipeline,
    tree::{
        DirSource, Document, Folder, Head, Origin, Sink, Style,
        disk::{self, Replace, StagedDir},
        is_tree, read_head, sums,
    },
    wire::{Error, F32, Result, UnixTime, count},
    workbench::{
        Progress,
        anim_places::{Places, Wanted, compiled_file, is_there, manifest},
        definitions::counts,
        edits,
        surroundings::{Surroundings, world},
    },
};
use std::{
    collections::HashMap,
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
    pub fn run(self, session: &Session) -> Result<()> {
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
    surroundings: SurroundingsArgs,
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
struct SurroundingsArgs {
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

impl SurroundingsArgs {
    fn paths(&self) -> Surroundings {
        let SurroundingsArgs { world, planes, effects, sounds } = self;
        Surroundings { world: world.clone(), planes: planes.clone(), effects: effects.clone(), sounds: sounds.clone() }
    }
}

impl Decompile {
    fn run(self, session: &Session) -> Result<()> {
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
fn tell(session: &Session, compiled: &Compiled, against: bool, made: bool) -> bool {
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
fn tell_new(session: &Session, name: &Path, anim: &File, base: Option<&Base>) -> Result<()> {
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
        print_news(session, &edits::of_file(anim, before, name)?.without(&TOLD), &name.shown(), &[]);
    }
    Ok(())
}

impl Compile {
    fn run(self, session: &Session) -> Result<()> {
        let may = Replace::new(session.global.force);
        disk::check_file(&self.output, may)?;
        let surroundings = self.surroundings.paths();
        let mut options = surroundings.options(session.global.game)?;
        (options.stamps, options.prune, options.strict) = (self.stamps, self.prune, self.strict);
        let own = self.sources.first().filter(|path| path.is_dir()).and_then(|path| manifest(path));
        let base = self.base.as_ref().map(|path| compiled_file(path, session.hints())).transpose()?.map(|(base, ..)| base);
        let wanted = self.base.as_ref().zip(base.as_ref()).map(|(path, base)| Wanted { path, base });
        if base.is_none() && options.game.is_none() {
            options.game = own.as_ref().and_then(|own| own.game);
        }
        let places = Places::of(&self.sources, wanted)?;
        surroundings.of_shelf(&mut options, &places)?;
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
            let time = places.folders().find_map(|folder| folder.join(&path).metadata().ok()?.modified().ok())?;
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
    surroundings: SurroundingsArgs,
    /// The file to compare with, or its unpacked tree
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

impl Check {
    fn run(self, session: &Session) -> Result<()> {
        let surroundings = self.surroundings.paths();
        let mut options = Options { all: true, left_out: true, ..surroundings.options(session.global.game)? };
        let mut base = self.against.as_ref().map(|path| compiled_file(path, session.hints())).transpose()?.map(|(base, ..)| base);
        let first = self.sources.first().map(PathBuf::as_path).unwrap_or(Path::new(""));
        let own = manifest(first);
        let is_anim = || read_head(&DirSource::new(first)).is_ok_and(|(_, head)| head.format == Format::Anim);
        let is_compiled = own.is_none() && (is_tree(first) && is_anim() || first.is_file() && is_animation(first));
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
            surroundings.of_shelf(&mut options, &places)?;
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
    fn run(self, session: &Session) -> Result<()> {
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
