//! `refit sign`: signs archives.

use crate::session::{Originals, Session};
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Result, count},
};
use refit_workbench::{Input, in_order, sign};
use std::path::PathBuf;

/// Sign PBO archives
#[derive(Args, Debug)]
pub struct Sign {
    /// Archives, or folders that contain archives
    #[arg(required = true, value_name = "FILE.pbo")]
    files: Vec<PathBuf>,
    /// The private key
    #[arg(long, value_name = "NAME.biprivatekey")]
    key: PathBuf,
    /// Version of the signatures: 2 for Arma 2, 3 for Arma 3 and DayZ
    #[arg(long, value_name = "2|3", default_value = "3", value_parser = clap::value_parser!(u32).range(2..=3))]
    version: u32,
    #[command(flatten)]
    originals: Originals,
}

impl Sign {
    pub fn run(self, session: &Session) -> Result<()> {
        let options = self.originals.options(session)?;
        let key = sign::private_key(&self.key)?;
        let archives = sign::archives(&self.files, &options, session)?;
        let mut signed = 0;
        let sign = |input: &Input| sign::sign(input, &key, self.version, &options, session);
        in_order(
            &archives,
            &options,
            session,
            (Input::size, Input::name),
            sign,
            |input, done| match done {
                Ok(signature) => {
                    signed += 1;
                    let signature = signature.shown();
                    if session.global.json {
                        session.row(
                            &input.path,
                            [
                                ("signature", signature.into()),
                                ("version", self.version.into()),
                            ],
                        );
                    } else {
                        let would = if session.global.dry_run {
                            " (not written: dry run)"
                        } else {
                            ""
                        };
                        session.tell(format!("{} → {signature}{would}", input.name()));
                    }
                }
                Err(e) => session.error(e),
            },
        );
        if archives.len() > 1 {
            session.tell(format!(
                "{} of {} signed",
                signed,
                count(archives.len(), "archive")
            ));
        }
        Ok(())
    }
}
