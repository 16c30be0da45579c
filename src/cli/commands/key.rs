//! `refit key`: keys that sign archives.

use crate::cli::session::Session;
use clap::{Args, Subcommand};
use refit::{path::Shown, wire::Result, workbench::sign};
use std::path::PathBuf;

/// Make the keys that sign PBO archives
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

/// Make a private and a public key
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit key new my_team
  refit key new my_team_2 -o ~/keys

NAME.biprivatekey signs (`refit sign`): keep it secret, and keep a copy. NAME.bikey is for servers, which accept what \
the private key signed. The keys have 1024 bits, as those of the games' own tools. refit replaces no key, and writes \
no private key into a mod, a tree or the source of an addon.")]
struct New {
    /// The name of the authority that signs: a part of the signatures' file names
    name: String,
    /// The folder to write to [default: this one]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Make the public key of a private key
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit key public my_team.biprivatekey
  refit key public my_team.biprivatekey -o @mymod/keys")]
struct Public {
    /// The private key
    #[arg(value_name = "NAME.biprivatekey")]
    key: PathBuf,
    /// The file to write, or an existing folder for it [default: beside the private key]
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
