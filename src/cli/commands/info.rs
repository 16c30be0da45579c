//! `refit info`: describes a file.

use crate::cli::{
    facts::{one, print, print_folders},
    report::Status,
    session::Session,
};
use clap::Args;
use refit::{
    game::Game,
    tree::is_tree,
    wire::Result,
    workbench::{Task, files, totals::Totals, unknown_files::UnknownFiles},
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
        let inputs = files::files(&self.files, &session.options()?, session)?;
        let (mut known, mut printed) = (0, 0);
        let (mut others, mut old_films, mut games) = (UnknownFiles::default(), false, [0usize; Game::ALL.len()]);
        let mut totals = Totals::default();
        let task = Task::new(session, 0);
        for input in &inputs {
            task.at(&input.name());
            let (report, lines) = one(session, input);
            // A film in a folder is described, and counted as a film.
            if !input.explicit && report.status == Status::Unrecognised {
                others.add(report.other);
                old_films |= lines.iter().any(|(key, _)| key == "convert");
            }
            if report.error.is_some() && report.status == Status::Unrecognised {
                session.detail(report.error.as_deref().unwrap_or_default());
                continue;
            }
            if let Some(n) =
                Game::ALL.iter().position(|game| report.game == Some(game.code())).and_then(|n| games.get_mut(n))
            {
                *n += usize::from(!input.explicit);
            }
            if !input.explicit {
                totals.add(report.format, report.more.get("info"));
            }
            known += usize::from(input.explicit || report.status != Status::Unrecognised);
            printed += 1;
            print(session, &report, &lines, printed > 1);
        }
        if known == 0 {
            return Err(files::none_known(&self.files, inputs.len()));
        }
        let most = games.iter().zip(Game::ALL).max_by_key(|(n, _)| **n).filter(|(n, _)| **n > 0).map(|(_, game)| game);
        if self.files.iter().any(|path| path.is_dir() && !is_tree(path)) {
            print_folders(session, &self.files, &others, old_films, most, &totals);
        }
        Ok(())
    }
}
