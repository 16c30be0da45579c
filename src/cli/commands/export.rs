//! `refit export`: one-way views for people and other programs.

use crate::session::Session;
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Result, count},
};
use refit_workbench::{Progress as _, export::export};
use std::path::PathBuf;

/// Export to formats that other programs read: worlds, models and 'mechs as glTF, textures as
/// contact sheets, messages as PO and CSV
#[derive(Args, Debug)]
pub struct Export {
    /// A file or a tree
    file: PathBuf,
    /// Output folder
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Texture packages, or motions for 'mechs; repeatable
    #[arg(long, value_name = "FILE", visible_alias = "textures")]
    with: Vec<PathBuf>,
}

impl Export {
    pub fn run(self, session: &Session) -> Result<()> {
        let done = export(
            &self.file,
            &self.output,
            &self.with,
            &session.options()?,
            session,
        )?;
        session.notes(&self.file, &done.notes);
        for name in done.files.iter().filter(|_| session.global.json) {
            session.row(&self.file, [("file", name.as_str().into())]);
        }
        let what = match done.files.as_slice() {
            few @ ([_] | [_, _] | [_, _, _]) => few.join(", "),
            many => count(many.len(), "file"),
        };
        session.tell(format!(
            "{} → {} ({what}{})",
            self.file.shown(),
            self.output.shown(),
            session.would()
        ));
        Ok(())
    }
}
