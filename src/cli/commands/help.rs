//! `refit schema`, `refit completions`, `refit man`: information for other programs.

use crate::{command, session::Session};
use clap::Args;
use refit_base::wire::{Error, Result, did_you_mean};
use std::path::PathBuf;

/// Print the JSON schema of a document type, or list the types
#[derive(Args, Debug)]
pub struct Schema {
    /// A document type or a format
    #[arg(value_name = "FORMAT")]
    name: Option<String>,
}

impl Schema {
    pub fn run(self, session: &Session) -> Result<()> {
        let Some(name) = self.name else {
            refit_project::schemas()
                .iter()
                .for_each(|schema| session.line(schema.kind));
            return Ok(());
        };
        match refit_project::schemas_of(&name).as_slice() {
            [] => Err({
                let near = did_you_mean(
                    &name,
                    refit_project::schemas().iter().map(|schema| schema.kind),
                );
                Error::say(format!("no document type or format is called {name:?}"))
                    .hint(near.unwrap_or_else(|| "`refit schema` lists the types".into()))
            }),
            [schema] => {
                session.text(schema.text.text().trim_end());
                Ok(())
            }
            several => {
                let value = |schema: &refit_base::contract::Schema| {
                    Ok((
                        schema.kind.to_owned(),
                        serde_json::from_str(&schema.text.text())?,
                    ))
                };
                let map: serde_json::Result<serde_json::Map<String, serde_json::Value>> =
                    several.iter().map(value).collect();
                let text = map.and_then(|map| serde_json::to_string_pretty(&map));
                session.text(&text.map_err(|e| Error::say(e.to_string()))?);
                Ok(())
            }
        }
    }
}

/// Print a completion script for a shell
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub fn run(self, session: &Session) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command(), "refit", &mut script);
        session.bytes(&script);
        Ok(())
    }
}

/// Print the manual page of refit or of one command
#[derive(Args, Debug)]
pub struct Man {
    /// The command
    command: Option<String>,
    /// Write all pages to this folder
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
}

impl Man {
    pub fn run(self, session: &Session) -> Result<()> {
        let command = command();
        let mut all = command.clone();
        all.build();
        if let Some(folder) = &self.output {
            std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
            return clap_mangen::generate_to(command, folder).map_err(|e| Error::io(folder, e));
        }
        let command = match &self.command {
            None => all,
            Some(name) => {
                let near = |name: &str| {
                    let near =
                        did_you_mean(name, all.get_subcommands().map(clap::Command::get_name));
                    near.unwrap_or_else(|| "`refit --help` lists them".into())
                };
                let found = all.find_subcommand(name).cloned();
                found.ok_or_else(|| {
                    Error::say(format!("no command is called {name:?}")).hint(near(name))
                })?
            }
        };
        let mut page = Vec::new();
        clap_mangen::Man::new(command)
            .render(&mut page)
            .map_err(|e| Error::say(e.to_string()))?;
        session.bytes(&page);
        Ok(())
    }
}
