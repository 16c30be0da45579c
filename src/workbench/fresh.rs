//! New files of plain folders and of single files, without a manifest.

use super::{
    anim, configs, open,
    options::Options,
    outcome::Repacked,
    paths::same_path,
    progress::{Event, Progress},
    surroundings::Surroundings,
};
use bytes::Bytes;
use refit_anim_source::Stamps;
use refit_base::{
    format::Format,
    game::Game,
    lint::{self, Severity},
    path::{Shown, is_hidden},
    secret,
    tree::{
        Blob, DirSource, Folder, Form, Head, Origin, Source, Style, TreeWriter,
        disk::{self, read_named},
        is_tree,
        plain::PlainFolder,
    },
    wire::{Error, Result},
};
use refit_files::{
    file::File,
    pipeline::{self, Hints, Via, addon},
    registry,
};
use refit_gltf::import;
use std::path::{Path, PathBuf};

/// A new file of something that has no manifest.
#[derive(Clone, Debug)]
pub struct NewPlain {
    /// The format of the file.
    pub format: Format,
    /// The game that the file is for.
    pub game: Option<Game>,
    /// A file to take choices from.
    pub like: Option<PathBuf>,
    /// Where files are that a text of a config includes.
    pub search: configs::Search,
}

/// The usual extension of a format; `None` if it has none.
pub(super) fn ending(format: Format, game: Option<Game>) -> Option<&'static str> {
    Some(match format {
        Format::Archive
        | Format::Sounds
        | Format::Reader
        | Format::Interp
        | Format::Motion
        | Format::Mechlib
        | Format::Gamez
        | Format::Planes
        | Format::Anim
        | Format::Textures => "zbd",
        Format::ZrdBinary | Format::ZrdText => "zrd",
        Format::Messages => "dll",
        Format::Zmap => "zmap",
        Format::Savegame if game == Some(Game::Mw) => "mw3",
        Format::Savegame => "sav",
        Format::Rof => "rof",
        Format::Livery => "bm",
        Format::Pbo => "pbo",
        Format::Paa => "paa",
        Format::Bikey => "bikey",
        Format::Bisign => "bisign",
        Format::Aircraft | Format::Rap | Format::Raw => return None,
    })
}

/// The files of a folder on disk, or one file by its own path.
enum Files {
    Folder(DirSource),
    One(String, Bytes),
}

impl Files {
    fn of(from: &Path) -> Result<Self> {
        if from.is_dir() {
            return Ok(Files::Folder(DirSource::new(from)));
        }
        Ok(Files::One(from.shown(), read_named(from)?))
    }

    /// The paths to use: without leftovers of systems and editors, without the target file, and
    /// without private keys. `warn` gets the paths of those keys.
    fn selected(
        &self,
        from: &Path,
        target: &Path,
        options: &Options,
        warn: &dyn Fn(&str),
    ) -> Result<Vec<String>> {
        let Files::Folder(folder) = self else {
            return Ok(self.paths());
        };
        let own = addon::below(from, target);
        let mut paths = Vec::new();
        folder.each_readable(&mut |path| {
            let left = is_hidden(&path)
                || own.as_ref() == Some(&path)
                || !options.filter.takes(Path::new(&path));
            if left {
                return Ok(());
            }
            let is_secret = folder
                .blob(&path)
                .and_then(|file| secret::is_in(&path, &file));
            // A file that cannot be read is an error when it is packed.
            match is_secret.unwrap_or_else(|_| secret::is_private_key(&path, &[])) {
                true => warn(&path),
                false => paths.push(path),
            }
            Ok(())
        })?;
        Ok(paths)
    }
}

impl Source for Files {
    fn get(&self, path: &str) -> Result<Bytes> {
        match self {
            Files::Folder(folder) => folder.get(path),
            Files::One(own, bytes) if own == path => Ok(bytes.clone()),
            Files::One(..) => Err(Error::missing(path)),
        }
    }
    fn blob(&self, path: &str) -> Result<Blob> {
        match self {
            Files::Folder(folder) => folder.blob(path),
            Files::One(..) => self.get(path).map(Blob::Memory),
        }
    }
    fn has(&self, path: &str) -> bool {
        match self {
            Files::Folder(folder) => folder.has(path),
            Files::One(own, _) => own == path,
        }
    }
    fn paths(&self) -> Vec<String> {
        match self {
            Files::Folder(folder) => folder.paths(),
            Files::One(own, _) => vec![own.clone()],
        }
    }
}

/// The tree of the file to take choices from.
fn like(new: &NewPlain, path: &Path) -> Result<Folder> {
    let opened = open::open(
        path,
        Hints {
            game: new.game,
            format: None,
        },
    )
    .map_err(|e| e.about(path))?;
    let (format, game) = (opened.detection.format, opened.detection.game);
    if format != new.format {
        return Err(Error::say(format!(
            "it is a file of the format {format}, but the new one is {}",
            new.format
        ))
        .about(path));
    }
    let (folder, head) = (Folder::new(), Head::new(game, format, Origin::default()));
    opened.model.unpack(&TreeWriter::new(
        &folder,
        Form::Document(Style::Json),
        head,
        false,
    ))?;
    Ok(folder)
}

/// Makes the model of a new file, which is going to be written to `target`.
pub(super) fn model(
    from: &Path,
    new: &NewPlain,
    target: &Path,
    options: &Options,
    progress: &dyn Progress,
    report: &mut Repacked,
) -> Result<File> {
    let files = Files::of(from)?;
    let like = new
        .like
        .as_deref()
        .map(|path| like(new, path))
        .transpose()?;
    let name = target
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let warn = |path: &str| {
        progress.warn(&format!(
            "{}: {path}: a private key, which is left out",
            from.shown()
        ))
    };
    let paths = files.selected(from, target, options, &warn)?;
    let includes = match new.format {
        Format::Rap => Some(configs::Includes::of(from, &new.search)?),
        _ => None,
    };
    let include = |file: &str, name: &str| match &includes {
        Some(includes) => includes.read(Path::new(file), name),
        None => Err(Error::missing(name)),
    };
    // A picture's name decides how its texture is packed, and it may be in the name of a folder.
    let name = if new.format == Format::Paa {
        target.shown()
    } else {
        name
    };
    let mut plain = PlainFolder::new(new.format, new.game, &name, &files, paths);
    let in_game = |file: &str| includes.as_ref()?.in_game(Path::new(file));
    (plain.like, plain.include, plain.in_game) = (like.as_ref(), &include, &in_game);
    plain.is_of_tree = new.format == Format::Rap && is_of_tree(from);
    let (mut model, mut left) = match sources(from, new, &plain) {
        Some(sources) => {
            let made = compile(&sources, new, target, &plain)?;
            (
                made,
                plain
                    .unused()
                    .into_iter()
                    .filter(|path| !path.to_lowercase().ends_with(".zrd"))
                    .collect(),
            )
        }
        None => (registry::codec(new.format).fresh(&plain)?, plain.unused()),
    };
    if new.format == Format::Motion {
        left = motions(&mut model, from, left)?;
    }
    if !left.is_empty() && from.is_dir() {
        let (all, some) = (
            left.len(),
            left.iter().take(5).cloned().collect::<Vec<_>>().join(", "),
        );
        let more = if all > 5 {
            format!(" and {} more", all - 5)
        } else {
            String::new()
        };
        progress.warn(&format!(
            "{}: left out, because this format has no use for them: {some}{more}",
            from.shown()
        ));
    }
    report.assumed = plain.assumed();
    report.notes = model.notes().to_vec();
    progress.notes(from, &report.notes);
    Ok(model)
}

/// True for a file in an unpacked tree.
fn is_of_tree(file: &Path) -> bool {
    let whole = refit_base::path::whole(file).unwrap_or_else(|_| file.to_owned());
    whole.ancestors().skip(1).any(is_tree)
}

/// The definitions as one writes them, if the folder has no documents of compiled ones.
fn sources(from: &Path, new: &NewPlain, plain: &PlainFolder<'_>) -> Option<PathBuf> {
    let are =
        new.format == Format::Anim && !plain.ending(&[".zrd", ".zrd.json", ".zrd.ron"]).is_empty();
    are.then(|| from.to_owned())
}

/// Compiles definitions.
fn compile(from: &Path, new: &NewPlain, target: &Path, plain: &PlainFolder<'_>) -> Result<File> {
    let (base, stamps) = (
        new.like.clone(),
        if new.like.is_some() {
            Stamps::Keep
        } else {
            Stamps::None
        },
    );
    let surroundings = Surroundings::default();
    let compile = anim::Compile {
        sources: vec![from.to_owned()],
        base,
        surroundings,
        stamps,
        prune: false,
        strict: false,
    };
    let made = compile.run(
        target,
        Hints {
            game: new.game,
            format: None,
        },
    )?;
    if let Some(error) = made
        .compiled
        .entries
        .iter()
        .find_map(|entry| entry.error.clone())
    {
        return Err(Error::say(error));
    }
    plain.assume("no world was given: definitions are bound to the nodes that they name");
    let anim = made
        .compiled
        .anim
        .ok_or_else(|| Error::say("nothing was compiled"))?;
    Ok(anim.into())
}

/// Adds the animations of glTF files as motions. Returns the files that are left.
fn motions(model: &mut File, from: &Path, left: Vec<String>) -> Result<Vec<String>> {
    let (gltf, left): (Vec<String>, Vec<String>) =
        left.into_iter().partition(|path| import::is_gltf(path));
    for path in gltf {
        let full = from.join(&path);
        let folder = full.parent().unwrap_or(Path::new("")).to_owned();
        let beside = |name: &str| disk::read_beside(&folder, name);
        let file = read_named(&full)?;
        import::motions(
            model,
            &import::Source {
                file: &file,
                beside: &beside,
            },
            import::Options::default(),
        )
        .map_err(|e| e.in_file(path))?;
    }
    // Buffers of glTF files are not members.
    Ok(left
        .into_iter()
        .filter(|path| !path.to_lowercase().ends_with(".bin"))
        .collect())
}

/// Proves a new file: its format is recognised, it survives the round trip bit for bit, and it is
/// linted.
pub(super) fn prove(
    model: &File,
    new: &NewPlain,
    target: &Path,
    progress: &dyn Progress,
) -> Result<()> {
    let bytes = Bytes::from(model.write()?);
    let name = target.shown();
    let hints = Hints {
        game: new.game,
        format: Some(new.format),
    };
    match pipeline::open(&bytes, &name, Hints::default()) {
        Ok(found) if found.detection.format != new.format => {
            let seen = found.detection.format;
            progress.warn(&format!(
                "{name}: refit takes its content for {seen}; give the format to open it"
            ));
        }
        Ok(_) => {}
        Err(e) => progress.warn(&format!(
            "{name}: refit does not recognise it by its content: {e}"
        )),
    }
    let outcome = pipeline::verify(&bytes, &name, hints, Via::Json).map_err(|e| {
        e.context("refit could not read the new file")
            .hint("nothing was written")
    })?;
    for (member, why) in &outcome.raw {
        let member = if member.is_empty() {
            "the whole file"
        } else {
            member
        };
        progress.warn(&format!("{name}: {member} stays raw: {why}"));
    }
    let mut found = pipeline::lint(pipeline::open(&bytes, &name, hints)?.model.model())?;
    lint::worst_first(&mut found);
    for finding in found
        .iter()
        .filter(|finding| finding.severity > Severity::Unusual)
    {
        let text = format!(
            "{name}: {}: {} [{}]",
            finding.path, finding.message, finding.code
        );
        progress.report(Event::Finding(finding.severity, &text));
    }
    Ok(())
}

/// The target must not be one of the sources.
pub(super) fn check_target(from: &Path, target: &Path) -> Result<()> {
    if same_path(from) == same_path(target) {
        return Err(
            Error::say("the new file would replace its source").hint("name another file with -o")
        );
    }
    Ok(())
}
