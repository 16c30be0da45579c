//! `refit repack`: a tree becomes a file.

use crate::cli::{
    events::print_repacked,
    failure::Failure,
    report::{Report, Status, size},
    session::{Originals, Session},
};
use clap::Args;
use refit::{
    format::Format,
    formats::{
        pbo::build::{self, Variant},
        sounds::banks::Quality,
    },
    path::Shown,
    project::Project,
    tree::{disk::Backup, is_project},
    wire::{Result, count},
    workbench::{
        Options,
        banks::{self, MadeBank},
        fresh::NewPlain,
        paths, project,
        repack::{NewFile, Target, trees},
    },
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Make the file of a tree again
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit repack reader                     the file that the tree came from, beside the tree
  refit repack reader -o new/reader.zbd
  refit repack reader --force             replaces it and keeps reader.zbd.orig
  refit repack mymod                      a project: all edited trees go into the game, or none
  refit repack mymod -o D:\\Games\\MW3      into another installation
  refit repack addon --format pbo --prefix x/addon --compress \"*.sqf\" --exclude \"*.psd\"
                                          a new archive, addon.pbo, of any folder
  refit repack wavs --format sounds --like zrdr.zbd -o zbd/
                                          three banks from one folder of WAV files
  refit repack readers --format reader --game mw -o reader.zbd
                                          a new file of a plain folder, of any format of the games
  refit repack pictures --format textures --game rc --like rtexture4.zbd
                                          order, flags and alpha as in another file
  refit repack config.cpp --format rap    config.bin: a text with its #include and #define, compiled
  refit repack hut_co.png --format paa    hut_co.paa: a texture of a picture

What an edit brought in that the game will trip over is told, as `refit lint TREE --new` does, and the file is written \
all the same. Exit code 3 when there is such a finding that is more than a note.

A folder without a manifest gives a new file if --format and --game say which: names come from the files, the rest is \
what is usual in that game, and refit reports what it assumed. Reader members are documents or texts (.zrd), scripts \
are texts, sounds WAV, textures PNG, motions documents or glTF, texts documents, PO or CSV (over a DLL, or a new one \
with its keys), animations documents or definitions (.zrd). The result is proved and linted before it is written.

Of a project only trees that were edited are built. A file of the game that neither refit wrote nor the project came \
from was changed by another program: it is replaced with --force only, and kept as NAME.orig.2 and so on.

The folder of an unpacked PBO is its content: files that were added or deleted below files/ are followed, and listed \
with + and -; --strict refuses them. What systems and editors leave is left out (dot-files, *~, *.bak, *.orig, swap \
files); a line in `entries` of the manifest brings such a file in. In other trees the manifest lists the members: a \
new one needs a line there.")]
pub struct Repack {
    /// Trees, or a project
    #[arg(required = true, value_name = "TREE|PROJECT")]
    pub trees: Vec<PathBuf>,
    /// The file to write, or a folder for it (existing, or named with a slash at the end); for a project the game's
    /// folder
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Refuse a tree of a PBO with files that its manifest does not name, or without files that it names
    #[arg(long)]
    strict: bool,
    /// What becomes of what is replaced
    #[command(flatten)]
    pub originals: Originals,
    #[command(flatten)]
    new: New,
    /// Replace the file, as with `--force`.
    #[arg(skip)]
    pub force: bool,
}

/// For a folder that is no tree.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "With --format pbo, for any folder")]
struct New {
    /// The virtual path of the files, with / or \ [default: what a file $PBOPREFIX$ says]
    #[arg(long)]
    prefix: Option<String>,
    /// A further property; repeatable
    #[arg(long = "property", value_name = "KEY=VALUE", value_parser = property)]
    properties: Vec<(String, String)>,
    /// Pack the files that match; repeatable
    #[arg(long, value_name = "GLOB")]
    compress: Vec<String>,
    /// The games it is for
    #[arg(long, value_name = "GAMES")]
    variant: Option<Variant>,
    /// A file to take order, flags, times and comments from. With --format sounds, what declares sounds (sounds.zrd, or
    /// the archive that holds it) makes the three banks of a game: each sound below the rate, bits and channels that it
    /// declares
    #[arg(long, value_name = "FILE", help_heading = "With --format, for a folder without a manifest")]
    like: Option<PathBuf>,
}

fn property(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("a property is written KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

impl New {
    fn is_given(&self) -> bool {
        self.prefix.is_some() || !self.properties.is_empty() || !self.compress.is_empty() || self.variant.is_some()
    }

    fn archive(self, exclude: &[String]) -> build::Options {
        let (exclude, variant) = (exclude.to_vec(), self.variant.unwrap_or_default());
        let New { prefix, properties, compress, .. } = self;
        build::Options { prefix, properties, compress, exclude, variant, time: 0 }
    }
}

impl Repack {
    /// The command as the form without a verb uses it.
    pub fn plain(tree: PathBuf) -> Self {
        Repack {
            trees: vec![tree],
            output: None,
            strict: false,
            originals: Originals::default(),
            new: New::default(),
            force: false,
        }
    }

    pub fn run(self, session: &Session) -> Result<(), Failure> {
        let new = session.global.format == Some(Format::Pbo);
        if self.new.is_given() && !new {
            return Failure::usage(
                "--prefix, --property, --compress and --variant make a new archive: they need --format pbo",
            );
        }
        let paths = paths::expand(&self.trees)?;
        match (&self.new.like, session.global.format) {
            (Some(like), Some(Format::Sounds)) if banks::declares(like) => {
                let [folder] = paths.as_slice() else { return Failure::usage("--like makes banks of one folder") };
                let options = Options { backup: self.originals.chosen(), ..session.options()? };
                let made = banks::make(folder, like, self.output.as_deref(), &options, session)?;
                made.iter().for_each(|bank| print_bank(session, folder, like, bank));
                return Ok(());
            }
            (Some(_), None) => return Failure::usage("--like is for a new file: name its --format"),
            _ => {}
        }
        let backup = Some(self.originals.chosen().unwrap_or(Backup::Foreign));
        let force = self.force || session.global.force;
        let options = Options { strict: self.strict, backup, force, ..session.options()? };
        if let [root] = paths.as_slice()
            && is_project(root)
        {
            return Ok(repack_project(root, self.output.as_deref(), &options, session)?);
        }
        if let Some(root) = paths.iter().find(|tree| is_project(tree)) {
            return Failure::usage(format!("{} is a project: name it alone", root.shown()));
        }
        let target = Target::of(self.output.as_deref());
        if paths.len() > 1 && matches!(target, Target::File(_)) {
            return Failure::usage(
                "several trees need a folder behind -o: an existing one, or a name that ends with a slash",
            );
        }
        let (game, like) = (session.global.game, self.new.like.clone());
        let new = session.global.format.map(|format| match format {
            Format::Pbo => NewFile::Archive(self.new.archive(&session.global.exclude)),
            format => NewFile::Plain(NewPlain { format, game, like }),
        });
        trees(&paths, &target, new.as_ref(), &options, session);
        Ok(())
    }
}

/// Puts what was edited in a project into the game.
fn repack_project(root: &Path, game: Option<&Path>, options: &Options, session: &Session) -> Result<()> {
    let project = Project::open(root)?;
    let game = game.map_or_else(|| project.game("-o"), |game| Ok(game.to_owned()))?;
    let done = project::repack(&project, &game, options, session)?;
    let unchanged = done.built.iter().filter(|tree| tree.unchanged == Some(true)).count();
    done.built.iter().for_each(|tree| print_repacked(session, tree));
    for target in &done.restored {
        let would = if options.dry_run { " would be" } else { "" };
        session.tell(format!("{}{would} the original again: its tree is as it was unpacked", target.shown()));
        if session.global.json {
            let mut report = Report::new(target);
            report.status = Status::Exact;
            report.more.insert("restored", true.into());
            session.json(&report);
        }
    }
    let would = if options.dry_run { "would be put" } else { "put" };
    let left =
        if unchanged > 0 { format!(", {unchanged} of them as the game has them already") } else { String::new() };
    session.tell(format!(
        "{}: {} built{left}, {} {would} in place, {} not edited",
        game.shown(),
        count(done.built.len(), "tree"),
        done.built.len() - unchanged + done.restored.len(),
        done.unedited
    ));
    Ok(())
}

fn print_bank(session: &Session, folder: &Path, like: &Path, MadeBank { quality, path, bank, same, bytes }: &MadeBank) {
    for sound in &bank.sounds {
        let name = &sound.name;
        session.detail(format!("{}: {name}: {} → {}", path.shown(), sound.shaped.was, sound.shaped.now));
        // What is left out of one bank is left out of all of them: one note is enough.
        if *quality == Quality::High {
            sound.shaped.notes.iter().for_each(|note| session.warn(format!("{}: {note}", folder.join(name).shown())));
        }
    }
    if let [first, ..] = bank.missing.as_slice() {
        let all = count(bank.missing.len(), "sound");
        session.warn(format!("{}: {all} that {} declares are not there, such as {first}", path.shown(), like.shown()));
    }
    if let ([first, ..], Quality::High) = (bank.undeclared.as_slice(), quality) {
        let all = count(bank.undeclared.len(), "sound");
        session.warn(format!("{}: {all} that {} does not declare, such as {first}", folder.shown(), like.shown()));
    }
    if session.global.json {
        let row = [
            ("quality", json!(quality)),
            ("sounds", bank.sounds.len().into()),
            ("as_they_are", (*same).into()),
            ("bytes", (*bytes).into()),
            ("missing", bank.missing.as_slice().into()),
            ("undeclared", bank.undeclared.as_slice().into()),
        ];
        session.row(path, &row);
    }
    session.tell(format!(
        "{} → {} ({}, {same} as they are, {}{})",
        folder.shown(),
        path.shown(),
        count(bank.sounds.len(), "sound"),
        size(*bytes as u64),
        session.would()
    ));
}
