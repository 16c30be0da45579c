//! `refit info`: describes a file.

use crate::{
    facts::{print, print_folders},
    session::Session,
};
use clap::Args;
use refit_base::{tree::is_tree, wire::Result};
use refit_workbench::{
    Task,
    describe::{Folders, describe},
    files,
    report::Status,
};
use std::path::PathBuf;

/// Describe a file: game, format, version, counts, checksum
#[derive(Args, Debug)]
pub struct Info {
    /// Files, folders of files, or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Info {
    pub fn run(self, session: &Session) -> Result<()> {
        let options = session.options()?;
        let inputs = files::files(&self.files, &options, session)?;
        let (mut known, mut printed) = (0, 0);
        let mut folders = Folders::new(&options);
        let task = Task::new(session, 0);
        for input in &inputs {
            task.at(&input.name());
            let description = describe(input, session.hints());
            folders.add(input, &description);
            let report = &description.report;
            if report.error.is_some() && report.status == Status::Unrecognised {
                session.detail(report.error.as_deref().unwrap_or_default());
                continue;
            }
            known += usize::from(input.explicit || report.status != Status::Unrecognised);
            printed += 1;
            print(session, &description, printed > 1);
        }
        if known == 0 {
            return Err(files::none_known(&self.files, inputs.len()));
        }
        if self
            .files
            .iter()
            .any(|path| path.is_dir() && !is_tree(path))
        {
            print_folders(session, &folders.facts(&self.files));
        }
        Ok(())
    }
}
