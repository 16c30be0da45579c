//! `refit anim`: animations the way they were written.

mod compile;

use crate::{failure::Failure, session::Session};
use clap::Args;
use compile::{Check, Compile};
use refit_base::{
    path::Shown,
    tree::{Style, disk::Replace},
    wire::{F32, Result, count},
};
use refit_workbench::anim;
use std::path::PathBuf;

/// Edit animations as source: compile definitions (`.zrd`) and scripts (`.zan`), or decompile
/// animation files
#[derive(Args, Debug)]
pub struct Anim {
    #[command(subcommand)]
    action: Action,
}

group!(Action {
    Decompile(Decompile),
    Compile(Compile),
    Check(Check),
    Script(ScriptCommand),
});

impl Anim {
    pub fn run(self, session: &Session) -> Result<(), Failure> {
        self.action.run(session)
    }
}

/// Decompile an animation file into definitions
#[derive(Args, Debug)]
#[command(after_help = include_str!("../help/anim-decompile.txt"))]
struct Decompile {
    #[command(flatten)]
    decompile: anim::Decompile,
}

impl Decompile {
    fn run(self, session: &Session) -> Result<()> {
        let made = self.decompile.run(&session.options()?, session)?;
        if session.global.json {
            for [definition, root] in &made.entries {
                session.json(
                    &serde_json::json!({ "definition": definition, "root": root, "status": "equal", "findings": [] }),
                );
            }
        }
        let (file, output) = (self.decompile.file.shown(), self.decompile.output().shown());
        if made.raw > 0 {
            session.warn(format!(
                "{file}: {} kept as bytes (REFIT), because no keys express them",
                count(made.raw, "definition")
            ));
        }
        let own = if made.own > 0 {
            format!(", {} from --defs", count(made.own, "entry"))
        } else {
            String::new()
        };
        let definitions = count(made.entries.len(), "definition");
        session.tell(format!(
            "{file} → {output} ({definitions}{own}{})",
            session.would()
        ));
        Ok(())
    }
}

/// Convert a script (.zan) into Recoil's frames, or frames into a script
#[derive(Args, Debug)]
#[command(after_help = include_str!("../help/anim-script.txt"))]
struct ScriptCommand {
    /// A script or a frames document
    file: PathBuf,
    /// Output file; `-` is standard output
    #[arg(short, long, value_name = "TO", default_value = "-")]
    output: PathBuf,
    /// Frames per second
    #[arg(long, value_name = "N", default_value_t = 30.0)]
    rate: f32,
    /// The object to take from a script that moves several
    #[arg(long, value_name = "NAME")]
    object: Option<String>,
}

impl ScriptCommand {
    fn run(self, session: &Session) -> Result<()> {
        let style = Style::of(&self.output.shown()).unwrap_or_default();
        let text = anim::script(
            &self.file,
            style,
            self.object.as_deref(),
            F32::from(self.rate),
        )?;
        if self.output.as_os_str() == "-" {
            session.bytes(&text);
            return Ok(());
        }
        if session
            .write_file(&self.output, &text, Replace::new(session.global.force))?
            .is_some()
        {
            session.tell(format!("{} → {}", self.file.shown(), self.output.shown()));
        }
        Ok(())
    }
}
