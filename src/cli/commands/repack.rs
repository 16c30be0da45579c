//! `refit repack`: a tree becomes a file.

mod new;

use crate::{
    events::{print_bank, print_project},
    failure::Failure,
    session::{Originals, Session},
};
use clap::Args;
use new::New;
use refit_base::{
    format::Format,
    path::Shown,
    tree::{disk::Backup, is_project},
    wire::Result,
};
use refit_project::Project;
use refit_workbench::{
    Options, banks,
    fresh::NewPlain,
    paths, project,
    repack::{NewFile, Target, trees},
};
use std::path::{Path, PathBuf};

/// Pack a tree into its file, or the edited trees of a project into the game
#[derive(Args, Debug, Default)]
pub struct Repack {
    /// Trees or a project
    #[arg(required = true, value_name = "TREE|PROJECT")]
    trees: Vec<PathBuf>,
    /// Output file, or a folder for it (existing, or with a slash at the end); for a project the
    /// game's folder
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// PBO: refuse files that are missing from the manifest, and manifest lines without a file
    #[arg(long)]
    strict: bool,
    /// What becomes of what is replaced
    #[command(flatten)]
    originals: Originals,
    #[command(flatten)]
    new: New,
    /// Replace the file, as with `--force`.
    #[arg(skip)]
    force: bool,
}

impl Repack {
    /// The command as the form without a verb uses it; `force` replaces the file.
    pub fn plain(tree: PathBuf, force: bool) -> Self {
        Repack {
            trees: vec![tree],
            force,
            ..Self::default()
        }
    }

    pub fn run(self, session: &Session) -> Result<(), Failure> {
        let (new, text) = (
            session.global.format == Some(Format::Pbo),
            session.global.format == Some(Format::Rap),
        );
        if !new && (self.new.is_given() || self.new.has_prefix() && !text) {
            return Failure::usage(
                "--prefix, --property, --compress and --variant need --format pbo, which makes a new archive",
            );
        }
        if self.new.has_folders() && !text {
            return Failure::usage("-I needs --format rap, which compiles the text of a config");
        }
        let paths = paths::expand(&self.trees)?;
        match (&self.new.like, session.global.format) {
            (Some(like), Some(Format::Sounds)) if banks::declares(like) => {
                let [folder] = paths.as_slice() else {
                    return Failure::usage(
                        "--like takes one folder when it makes \
                    banks",
                    );
                };
                let options = Options {
                    backup: self.originals.chosen(),
                    ..session.options()?
                };
                let made = banks::make(folder, like, self.output.as_deref(), &options, session)?;
                made.iter()
                    .for_each(|bank| print_bank(session, folder, like, bank));
                return Ok(());
            }
            (Some(_), None) => {
                return Failure::usage("--like is for a new file: give its --format");
            }
            _ => {}
        }
        let backup = Some(self.originals.chosen().unwrap_or(Backup::Foreign));
        let force = self.force || session.global.force;
        let options = Options {
            strict: self.strict,
            backup,
            force,
            ..session.options()?
        };
        if let [root] = paths.as_slice()
            && is_project(root)
        {
            return Ok(repack_project(
                root,
                self.output.as_deref(),
                &options,
                session,
            )?);
        }
        if let Some(root) = paths.iter().find(|tree| is_project(tree)) {
            return Failure::usage(format!(
                "{} is a project: repack it by itself",
                root.shown()
            ));
        }
        let target = Target::of(self.output.as_deref());
        if paths.len() > 1 && matches!(target, Target::File(_)) {
            return Failure::usage(
                "several trees need a folder after -o: an existing one, or a name that ends with a slash",
            );
        }
        let (game, like) = (session.global.game, self.new.like.clone());
        let search = self.new.search();
        let new = match session.global.format {
            Some(Format::Pbo) => Some(NewFile::Archive(self.new.archive(&session.global.exclude)?)),
            format => format.map(|format| {
                NewFile::Plain(NewPlain {
                    format,
                    game,
                    like,
                    search,
                })
            }),
        };
        trees(&paths, &target, new.as_ref(), &options, session);
        Ok(())
    }
}

/// Puts the edits of a project into the game.
fn repack_project(
    root: &Path,
    game: Option<&Path>,
    options: &Options,
    session: &Session,
) -> Result<()> {
    let project = Project::open(root)?;
    let game = game.map_or_else(|| project.game("-o"), |game| Ok(game.to_owned()))?;
    let done = project::repack(&project, &game, options, session)?;
    print_project(session, &game, &done, options.dry_run);
    Ok(())
}
