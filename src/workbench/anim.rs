//! Animations compiled, decompiled and checked, with the names of their game.

use super::{
    anim_places::{Places, Wanted, compiled_file, is_there, manifest},
    edits::{self, EditReport},
    options::Options,
    progress::Progress,
    surroundings::{Surroundings, world},
};
use bytes::Bytes;
use refit_anim_source::{
    self as anim_source, Base, Compiled, Decompiled, Known, Root, Sources, Spelling, Stamps, script,
};
use refit_base::{
    format::Format,
    game::Game,
    path::Shown,
    tree::{
        DirSource, Document, Folder, Head, Origin, Sink, Style,
        disk::{self, StagedDir},
        is_tree, read_head, sums,
    },
    wire::{Error, F32, Result, UnixTime, count, decode_1252, encode_1252, utf8},
};
use refit_files::pipeline::{self, Hints};
use refit_zipper::anim::{Anim, Script, header::SIGNATURE};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// What to decompile.
#[derive(Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args), group(skip))]
pub struct Decompile {
    /// An animation file, or its unpacked tree
    pub file: PathBuf,
    /// The folder to make [default: NAME-defs beside the file]
    #[cfg_attr(feature = "cli", arg(short, long, value_name = "DIR"))]
    pub output: Option<PathBuf>,
    /// Definitions that are there already: definition files, folders of them, reader archives
    /// (packed or not), or a game's folder
    #[cfg_attr(feature = "cli", arg(long, value_name = "READER", num_args = 1..))]
    pub defs: Vec<PathBuf>,
    /// The world that the definitions are bound to: a gamez.zbd, or its unpacked tree
    #[cfg_attr(feature = "cli", arg(long, value_name = "GAMEZ"))]
    pub world: Option<PathBuf>,
    /// How the files are spelled
    #[cfg_attr(
        feature = "cli",
        arg(long = "as", value_name = "SPELLING", default_value = "json")
    )]
    pub spelling: Spelling,
}

impl Decompile {
    /// The folder that it makes.
    pub fn output(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| {
            let stem = self
                .file
                .file_stem()
                .map_or_else(|| "anim".into(), |stem| stem.to_string_lossy().into_owned());
            self.file.with_file_name(format!("{stem}-defs"))
        })
    }

    /// Makes a folder of definitions.
    pub fn run(&self, options: &Options, progress: &dyn Progress) -> Result<Decompiled> {
        let (file, output) = (&self.file, &self.output());
        disk::check_folder(output, options.force)?;
        let (base, sum, bytes) = compiled_file(file, options.hints)?;
        let name = file
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let head = Head::new(
            Some(base.anim.game),
            Format::Anim,
            Origin {
                file: name,
                bytes,
                sum: sum.into(),
            },
        );
        let world = self
            .world
            .as_ref()
            .map(|path| world(path, None))
            .transpose()?;
        let wanted = Wanted {
            path: file,
            base: &base,
        };
        let places = if self.defs.is_empty() {
            None
        } else {
            Some(Places::of(&self.defs, Some(wanted))?)
        };
        let sources = places
            .as_ref()
            .map(|places| Sources::read(places.roots(), &places.start, &is_there))
            .transpose()?;
        let gravity = base.anim.header.info.gravity.unwrap_or(F32::from(-9.8));
        let known = sources
            .as_ref()
            .map(|sources| Known::new(sources, &base, world.as_ref(), gravity));
        let into = relative(output, file);
        let known = known.as_ref();
        let made = |put: &mut dyn FnMut(String, Bytes) -> Result<()>| {
            anim_source::decompile_to(&base, head, &into, self.spelling, known, put)
        };
        if options.dry_run {
            return made(&mut |_, _| Ok(()));
        }
        let staged = StagedDir::new(output, options.force)?;
        let sink = staged.sink();
        // The hashes of the written files later show which were edited.
        let mut written = sums::Sums::default();
        let made = made(&mut |path, bytes| {
            sink.put(&path, &bytes)?;
            written.add(&path, sums::FileSum::new(&bytes, true));
            Ok(())
        })?;
        written.put(&sink)?;
        progress.replaced(output, &staged.commit()?);
        Ok(made)
    }
}

/// A relative path from a folder to a file if possible, otherwise the whole path.
fn relative(folder: &Path, file: &Path) -> String {
    let folder = refit_base::path::whole(folder).unwrap_or_else(|_| folder.to_owned());
    let file = refit_base::path::whole_place(file).unwrap_or_else(|_| file.to_owned());
    let same = folder
        .components()
        .zip(file.components())
        .take_while(|(a, b)| a == b)
        .count();
    if same == 0 {
        return refit_base::path::shown(&file);
    }
    let up = folder.components().count() - same;
    let rest: Vec<String> = file
        .components()
        .skip(same)
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let ups = std::iter::repeat_n("..".to_owned(), up);
    ups.chain(rest).collect::<Vec<_>>().join("/")
}

/// What to compile.
#[derive(Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args), group(skip))]
pub struct Compile {
    /// A folder with a root file (anim.zrd, mis_anim.zrd, cam_anim.zrd), root files, a reader
    /// archive (packed or not), or a game's folder; further folders are only looked into
    #[cfg_attr(feature = "cli", arg(required = true, value_name = "DIR|ROOT"))]
    pub sources: Vec<PathBuf>,
    /// The file that the sources are of, or its unpacked tree
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub base: Option<PathBuf>,
    /// The world, sounds and effects to which the definitions refer.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub surroundings: Surroundings,
    /// What becomes of the list of source files, whose times Recoil compares
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "WHAT", default_value = "keep")
    )]
    pub stamps: Stamps,
    /// Leave out entries of tables that nothing refers to
    #[cfg_attr(feature = "cli", arg(long))]
    pub prune: bool,
    /// A definition whose node the world does not have is an error
    #[cfg_attr(feature = "cli", arg(long))]
    pub strict: bool,
}

/// The result of a compilation.
pub struct Compilation {
    /// The file and the findings, entry by entry.
    pub compiled: Compiled,
    /// Findings of the file that its base does not have; `None` if nothing was edited.
    pub news: Option<EditReport>,
    /// Contents of a new file that no source determines.
    pub notes: Vec<&'static str>,
}

/// The same, for a file without a base.
const NEW_FILE: &str = "a new file: addresses of the studio's machine and words that the engine computes have their \
    usual values; whether the game accepts a file that the studio did not make is not proved";
/// The same of Pirate's Moon alone.
const NEW_TIME: &str = "a new file: the time of compilation is 0";

impl Compilation {
    /// The bytes of the file, which was read again.
    pub fn bytes(&self) -> Result<Bytes> {
        let Some(anim) = &self.compiled.anim else {
            return Err(Error::say("nothing was compiled"));
        };
        let mut bytes = Vec::new();
        pipeline::write(anim, &mut bytes)?;
        let bytes = Bytes::from(bytes);
        // Never put a file in place that refit itself refuses.
        pipeline::open(
            &bytes,
            "anim.zbd",
            Hints {
                game: Some(anim.game),
                format: Some(Format::Anim),
            },
        )?;
        Ok(bytes)
    }
}

impl Compile {
    /// Compiles the sources. `name` is the file to make.
    pub fn run(&self, name: &Path, hints: Hints) -> Result<Compilation> {
        let mut options = self.surroundings.options(hints.game)?;
        (options.stamps, options.prune, options.strict) = (self.stamps, self.prune, self.strict);
        let own = self
            .sources
            .first()
            .filter(|path| path.is_dir())
            .and_then(|path| manifest(path));
        let base = base(self.base.as_deref(), hints)?;
        let wanted = self
            .base
            .as_ref()
            .zip(base.as_ref())
            .map(|(path, base)| Wanted { path, base });
        if base.is_none() && options.game.is_none() {
            options.game = own.as_ref().and_then(|own| own.game);
        }
        let places = Places::of(&self.sources, wanted)?;
        let sources = read(&places, &self.surroundings, &mut options)?;
        let game = options.game.unwrap_or(Game::Rc);
        let mut notes = Vec::new();
        match (&own, &base) {
            // Contents that no source determines would be lost.
            (Some(own), None) if game.itself() != Game::Rc => {
                let what = "these definitions come from a file, which has words that no source can express";
                return Err(
                    Error::say(what).hint(format!("give that file to --base: {}", own.base.path))
                );
            }
            (None, None) if game.itself() != Game::Rc => {
                notes.push(NEW_FILE);
                notes.extend((game == Game::Pm).then_some(NEW_TIME));
            }
            _ => {}
        }
        let mut compiled = anim_source::compile(&sources, base.as_ref(), &options)?;
        let news = if compiled.has_failed() {
            None
        } else {
            news(&compiled, base.as_ref(), name)?
        };
        if let Some(anim) = compiled
            .anim
            .as_mut()
            .filter(|_| self.stamps == Stamps::Update)
        {
            update(anim, &sources, &places);
        }
        Ok(Compilation {
            compiled,
            news,
            notes,
        })
    }
}

/// Reads the sources, and the declarations in their archives unless others are given.
fn read<'p>(
    places: &'p Places,
    surroundings: &Surroundings,
    options: &mut anim_source::Options,
) -> Result<Sources<'p>> {
    surroundings.of_shelf(options, places)?;
    Sources::read(places.roots(), &places.start, &is_there)
}

fn base(path: Option<&Path>, hints: Hints) -> Result<Option<Base>> {
    path.map(|path| compiled_file(path, hints).map(|(base, ..)| base))
        .transpose()
}

/// Findings of a compiled file that its sources have already, or that are not about one file.
pub(crate) const OF_SOURCES: [&str; 3] = ["anim-call", "anim-no-sequence", "anim-limit"];

fn news(compiled: &Compiled, base: Option<&Base>, name: &Path) -> Result<Option<EditReport>> {
    let Some(anim) = &compiled.anim else {
        return Ok(None);
    };
    let none;
    let before = match base {
        Some(base) => &base.anim,
        None => {
            none = Anim {
                definitions: Vec::new(),
                ..anim.clone()
            };
            &none
        }
    };
    if anim == before {
        return Ok(None);
    }
    edits::of_file(&anim.clone().into(), &before.clone().into(), name)
        .map(|news| Some(news.without(&OF_SOURCES)))
}

/// Sets the times of listed source files to those that the files have now.
fn update(anim: &mut Anim, sources: &Sources<'_>, places: &Places) {
    let times: HashMap<String, u32> = sources
        .paths()
        .into_keys()
        .filter_map(|path| {
            let name = path.rsplit('/').next()?.to_lowercase();
            let name = name
                .strip_suffix(".json")
                .or_else(|| name.strip_suffix(".ron"))
                .unwrap_or(&name)
                .to_owned();
            let time = places
                .folders()
                .find_map(|folder| folder.join(&path).metadata().ok()?.modified().ok())?;
            let seconds = time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
            Some((name, u32::try_from(seconds).ok()?))
        })
        .collect();
    for file in &mut anim.header.source_files {
        let text = file.path.text().to_lowercase();
        if let Some(time) = text
            .rsplit(['/', '\\'])
            .next()
            .and_then(|name| times.get(name))
        {
            file.time = UnixTime(*time);
        }
    }
}

/// What to check.
#[derive(Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args), group(skip))]
pub struct Check {
    /// A folder with definitions, root files, or a compiled file
    #[cfg_attr(feature = "cli", arg(required = true, value_name = "DIR|FILE"))]
    pub sources: Vec<PathBuf>,
    /// The world, sounds and effects to which the definitions refer.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub surroundings: Surroundings,
    /// The file to compare with, or its unpacked tree
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub against: Option<PathBuf>,
}

impl Check {
    /// Compiles the sources, or the decompiled sources of a compiled file, and continues after
    /// errors.
    pub fn run(&self, hints: Hints) -> Result<Compilation> {
        let mut options = anim_source::Options {
            all: true,
            left_out: true,
            ..self.surroundings.options(hints.game)?
        };
        let mut base = base(self.against.as_deref(), hints)?;
        let first = self.sources.first().map_or(Path::new(""), PathBuf::as_path);
        let own = manifest(first);
        let is_anim =
            || read_head(&DirSource::new(first)).is_ok_and(|(_, head)| head.format == Format::Anim);
        let is_compiled = own.is_none()
            && (is_tree(first) && is_anim() || first.is_file() && is_animation(first));
        if own.is_some() && base.is_none() && options.game.is_none() {
            options.game = own.as_ref().and_then(|own| own.game);
        }
        if let (Some(own), None) = (&own, &base)
            && own.game.is_some_and(|game| game.itself() != Game::Rc)
        {
            base = Some(compiled_file(&first.join(&own.base.path), hints)?.0);
        }
        if is_compiled {
            let (file, sum, bytes) = compiled_file(first, hints)?;
            let head = Head::new(
                Some(file.anim.game),
                Format::Anim,
                Origin {
                    file: "anim.zbd".into(),
                    bytes,
                    sum: sum.into(),
                },
            );
            let made = anim_source::decompile(&file, head, "", Spelling::Json, None)?;
            let folder = Folder::new();
            made.files
                .into_iter()
                .for_each(|(path, bytes)| folder.set(&path, bytes));
            let sources = Sources::read(
                vec![Root::of_paths("/", &folder)],
                &[(0, "anim.zrd.json".to_owned())],
                &|_| false,
            )?;
            let compiled =
                anim_source::compile(&sources, Some(base.as_ref().unwrap_or(&file)), &options)?;
            return Ok(Compilation {
                compiled,
                news: None,
                notes: Vec::new(),
            });
        }
        let wanted = self
            .against
            .as_ref()
            .zip(base.as_ref())
            .map(|(path, base)| Wanted { path, base });
        let places = Places::of(&self.sources, wanted)?;
        let sources = read(&places, &self.surroundings, &mut options)?;
        let compiled = anim_source::compile(&sources, base.as_ref(), &options)?;
        let news = news(&compiled, base.as_ref(), first)?;
        Ok(Compilation {
            compiled,
            news,
            notes: Vec::new(),
        })
    }
}

/// True for a file that begins as animation files do.
fn is_animation(path: &Path) -> bool {
    use std::io::Read;
    let mut head = [0; 4];
    disk::open_regular(path)
        .and_then(|(mut file, _)| file.read_exact(&mut head))
        .is_ok()
        && u32::from_le_bytes(head) == SIGNATURE
}

/// Converts a script's text (.zan) into a frames document, spelled as `style`, or a frames document
/// into text. `object` is the one that moves; a text that moves several needs it.
pub fn script(file: &Path, style: Style, object: Option<&str>, rate: F32) -> Result<Vec<u8>> {
    let bytes = disk::read_named(file)?;
    let named = |e: Error| e.about(file);
    let object = |default: &dyn Fn() -> Result<Vec<u8>>| object.map_or_else(default, encode_1252);
    let Some(document) = Style::of(&file.shown()) else {
        let zan = script::Zan::read(&bytes).map_err(named)?;
        let object = object(&|| match zan.objects().as_slice() {
            [one] => Ok(one.to_vec()),
            all => {
                let names: Vec<String> = all
                    .iter()
                    .map(|name| decode_1252(name).into_owned())
                    .collect();
                let error = Error::say(format!(
                    "it moves {}: {}",
                    count(all.len(), "object"),
                    names.join(", ")
                ));
                Err(named(error.hint("choose one with --object")))
            }
        })?;
        let script = script::compile(&zan, &object, rate).map_err(named)?;
        return Ok(script.to_text(style)?.into_bytes());
    };
    let text = utf8(&bytes).map_err(named)?;
    let frames = Script::from_text(text, document).map_err(named)?;
    let object = object(&|| encode_1252("object"))?;
    // The studio's form, or keyframes if no text of poses reproduces the frames.
    let poses = script::decompile(&frames, &object, rate, &script::MOST_TRIALS.into());
    poses
        .or_else(|e| script::keys(&frames, &object, rate).map_err(|_| e))
        .map_err(named)
}
