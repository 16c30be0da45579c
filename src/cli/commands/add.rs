//! `refit add`: a new member of a file or a tree.

use crate::{
    change::{by_gltf, print_written, read},
    commands::get::Spelling,
    session::{Originals, Session},
};
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Error, Result},
};
use refit_files::pipeline;
use refit_gltf::import;
use refit_workbench::{add::add, put};
use std::path::{Path, PathBuf};

/// Add a member to a file or an unpacked tree: a reader file, a sound, a texture, a script, a
/// motion, a text
#[derive(Args, Debug)]
pub struct Add {
    /// The file, or its unpacked tree
    file: PathBuf,
    /// The name of the new member, or without FROM the file to add under its own name
    name: String,
    /// Input file; `-` is standard input
    from: Option<PathBuf>,
    /// Write the result to this file instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    spelling: Spelling,
    #[command(flatten)]
    originals: Originals,
}

impl Add {
    /// Runs the command.
    pub fn run(self, session: &Session) -> Result<()> {
        let options = self.originals.options(session)?;
        let own = || {
            Path::new(&self.name)
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        let (name, from) = match &self.from {
            Some(from) => (self.name.clone(), from.clone()),
            None => (
                own().unwrap_or_else(|| self.name.clone()),
                PathBuf::from(&self.name),
            ),
        };
        if import::is_gltf(&from.shown()) && !self.spelling.raw {
            let (output, label) = (self.output.as_deref(), &name);
            let change = put::GltfChange {
                into: &self.file,
                from: &from,
                output,
                textures: None,
                label,
            };
            return by_gltf(
                &change,
                session,
                &options,
                |file| match pipeline::find_member(file.model(), &name) {
                    Ok(_) => Err(
                        Error::say(format!("a member named {name:?} already exists"))
                            .hint("`refit put` replaces a member"),
                    ),
                    Err(_) => put::gltf_into(file, &name, &from, import::Options::default()),
                },
            );
        }
        let bytes = read(&from, session)?;
        let (into, form) = (
            (self.file.as_path(), self.output.as_deref()),
            self.spelling.form(&from),
        );
        let added = add(into, (&name, &from, &bytes, form), &options, session)?;
        print_written(session, &self.file, &name, added);
        Ok(())
    }
}
