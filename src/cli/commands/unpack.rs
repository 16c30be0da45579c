//! `refit unpack`: a file becomes a tree, and a game a project.

use crate::{failure::Failure, session::Session};
use clap::Args;
use refit_base::{
    path::Shown,
    tree::{Style, is_tree},
    wire::count,
};
use refit_files::pipeline::How;
use refit_workbench::{
    open::is_standard_input,
    unpack::{self, Unpacking},
};
use std::path::PathBuf;

/// glibc returns the end of an arena to the system once 128 kB of it are free, only to ask for it
/// again for the next text: a twentieth of the time of many texts. Freeing a larger block raises
/// that bound to twice its size. (With 4 MB, an archive of 50,000 members needs 5 MB more.) Other
/// commands write few texts.
fn keep_what_is_freed() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 19)));
}

/// Unpack a file into an editable tree, or a game into a project
#[derive(Args, Debug, Default)]
pub struct Unpack {
    /// Files, folders of files, or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The tree's folder; for several files, the folder for their trees
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Format of the documents
    #[arg(long = "as", value_name = "TEXT", default_value = "json")]
    style: Style,
    /// Prove only bytes → model → bytes, without the text (faster)
    #[arg(long)]
    no_proof: bool,
    /// Compress the PNGs of texture packages harder (slower)
    #[arg(long)]
    small_png: bool,
    /// Leave configs and textures in PBO archives in binary form
    #[arg(long)]
    raw_members: bool,
    /// For a project: also write .gitattributes, .gitignore and the schemas' setting for VS Code
    /// (.vscode/settings.json)
    #[arg(long)]
    git: bool,
    /// The tree may be written again.
    #[arg(skip)]
    is_again: bool,
}

impl Unpack {
    /// The command as the form without a verb uses it. With `is_again` it replaces the file's tree.
    pub fn plain(file: PathBuf, is_again: bool) -> Self {
        Unpack {
            files: vec![file],
            is_again,
            ..Self::default()
        }
    }

    pub fn run(self, session: &Session) -> Result<(), Failure> {
        keep_what_is_freed();
        let Unpack {
            small_png,
            raw_members,
            ..
        } = self;
        let unpacking = Unpacking {
            how: How {
                style: self.style,
                proof: !self.no_proof,
            },
            small_png,
            raw_members,
        };
        let mut options = session.options()?;
        options.force |= self.is_again;
        if let ([folder], Some(root)) = (self.files.as_slice(), &self.output)
            && folder.is_dir()
            && !is_tree(folder)
        {
            let done = unpack::project(folder, root, unpacking, self.git, &options, session)?;
            let shared = done.files - done.trees;
            let shared = if shared > 0 {
                format!(" ({shared} equal to another one)")
            } else {
                String::new()
            };
            let would = session.would();
            let (files, trees) = (count(done.files, "file"), count(done.trees, "tree"));
            session.tell(format!(
                "{}: a project of {files}, {trees}{shared}{would}",
                root.shown()
            ));
            done.unknown
                .summary()
                .into_iter()
                .for_each(|summary| session.tell(summary));
            return Ok(());
        }
        if self.git {
            return Failure::usage(
                "--git belongs to a project: `refit unpack GAME -o PROJECT --git`",
            );
        }
        if self.output.is_none() && self.files.iter().any(|file| is_standard_input(file)) {
            return Failure::usage("a tree of standard input needs a name: give one with -o");
        }
        let unknown = unpack::files(
            &self.files,
            self.output.as_deref(),
            unpacking,
            &options,
            session,
        )?;
        unknown
            .summary()
            .into_iter()
            .for_each(|summary| session.tell(summary));
        Ok(())
    }
}
