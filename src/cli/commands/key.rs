//! `refit key`: keys that sign archives.

use crate::session::Session;
use clap::{Args, Subcommand};
use refit_base::{path::Shown, wire::Result};
use refit_workbench::sign;
use std::path::PathBuf;

/// Create keys for signing PBO archives
#[derive(Args, Debug)]
pub struct KeyCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    New(New),
    Public(Public),
}

/// Create a private and a public key
#[derive(Args, Debug)]
#[command(after_help = include_str!("../help/key-new.txt"))]
struct New {
    /// The name of the signing authority; it becomes part of the signatures' file names
    name: String,
    /// Output folder [default: the current one]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Write the public key that belongs to a private key
#[derive(Args, Debug)]
#[command(after_help = include_str!("../help/key-public.txt"))]
struct Public {
    /// The private key
    #[arg(value_name = "NAME.biprivatekey")]
    key: PathBuf,
    /// Output file or existing folder [default: next to the private key]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl KeyCommand {
    pub fn run(self, session: &Session) -> Result<()> {
        let options = session.options()?;
        let would = if options.dry_run {
            " (not written: dry run)"
        } else {
            ""
        };
        match self.action {
            Action::New(New { name, output }) => {
                let made = sign::new_key(&name, &output.unwrap_or_default(), &options)?;
                let (private, public) = (made.private.shown(), made.public.shown());
                session.tell(format!("{private}{would}: signs archives; keep it secret"));
                session.tell(format!("{public}{would}: for servers and with your mod"));
            }
            Action::Public(Public { key, output }) => {
                let public = sign::public_key(&key, output.as_deref(), &options, session)?;
                session.tell(format!("{} → {}{would}", key.shown(), public.shown()));
            }
        }
        Ok(())
    }
}
