//! `refit repack`: a tree becomes a file.

mod new;

use crate::cli::{
    events::{print_bank, print_project},
    failure::Failure,
    session::{Originals, Session},
};
use clap::Args;
use new::New;
use refit::{
    format::Format,
    path::Shown,
    project::Project,
    tree::{disk::Backup, is_project},
    wire::Result,
    workbench::{
        Options, banks,
        fresh::NewPlain,
        paths, project,
        repack::{NewFile, Target, trees},
    },
};
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
    print_project(session, &game, &done, options.dry_run);
    Ok(())
}
