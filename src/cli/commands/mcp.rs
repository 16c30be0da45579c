//! `refit mcp`: a server for agents.

use crate::session::Session;
use clap::Args;
use refit_base::wire::Result;
use refit_mcp::{Folders, serve};
use std::path::PathBuf;

/// Serve games and projects to an agent, over the Model Context Protocol
#[derive(Args, Debug)]
pub struct Mcp {
    /// Games, projects and folders of files that the agent may use; nothing else is read or written
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Offer only tools that write nothing
    #[arg(long)]
    read_only: bool,
}

impl Mcp {
    /// Runs the command until standard input ends.
    pub fn run(self, _: &Session) -> Result<()> {
        let folders = Folders::open(&self.folders)?;
        let input = std::io::stdin().lock();
        serve(folders, self.read_only, input, std::io::stdout())
    }
}
