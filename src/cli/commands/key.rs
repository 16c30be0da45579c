//! `refit key`: keys that sign archives.

use crate::cli::session::Session;
use clap::{Args, Subcommand};
use refit::{path::Shown, wire::Result, workbench::sign};
use std::path::PathBuf;

/// Create keys for signing PBO archives
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit key new my_team                     my_team.biprivatekey and my_team.bikey
  refit key public my_team.biprivatekey     my_team.bikey again")]
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
#[command(after_help = "\
Examples:
  refit key new my_team
  refit key new my_team_2 -o ~/keys

NAME.biprivatekey signs archives (`refit sign`): keep it secret, and keep a backup. NAME.bikey is for servers, which \
then accept what you signed. Keys have 1024 bits, like those of Bohemia's tools. refit never overwrites a key, and \
never puts a private key into a mod, a tree or an addon.")]
struct New {
    /// The name of the signing authority; it becomes part of the signatures' file names
    name: String,
    /// Output folder [default: the current one]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Write the public key that belongs to a private key
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit key public my_team.biprivatekey
  refit key public my_team.biprivatekey -o @mymod/keys")]
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
        let would = if options.dry_run { " (not written: dry run)" } else { "" };
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
