//! `refit get`: one member without a tree.

use crate::session::{Originals, Session};
use clap::Args;
use refit_base::{
    path::Shown,
    tree::{
        Form, Style,
        disk::{self, Backup, Replace},
    },
    wire::{Error, Result, steers},
};
use refit_files::pipeline;
use refit_gltf::{self as gltf, import};
use refit_workbench::open;
use std::path::{Path, PathBuf};

/// Extract one member of a file as text, WAV, PNG or glTF
#[derive(Args, Debug)]
pub struct Get {
    /// The file, or `-` for standard input
    file: PathBuf,
    /// The member's name, or #index as `list` shows it
    name: String,
    /// Output file; `-` is standard output
    #[arg(short, long, value_name = "TO", default_value = "-")]
    output: PathBuf,
    /// For glTF: texture packages, or motions for 'mechs; repeatable
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,
    #[command(flatten)]
    spelling: Spelling,
    #[command(flatten)]
    originals: Originals,
}

/// The form in which a member is read or written.
#[derive(Args, Debug)]
pub struct Spelling {
    /// Format of a document
    #[arg(long = "as", value_name = "TEXT", conflicts_with = "raw")]
    pub style: Option<Style>,
    /// The stored bytes
    #[arg(long)]
    pub raw: bool,
}

impl Spelling {
    /// The form for a file, which is the source or the target.
    pub fn form(&self, file: &Path) -> Form {
        match self.raw {
            true => Form::Stored,
            false => Form::Document(
                self.style
                    .or_else(|| Style::of(&file.shown()))
                    .unwrap_or_default(),
            ),
        }
    }
}

impl Get {
    pub fn run(self, session: &Session) -> Result<()> {
        // A glTF file is a view, and no member: a document under its name would look like one.
        let is_view = import::is_gltf(&self.output.shown())
            && !self.spelling.raw
            && !import::is_gltf(&self.name);
        if !is_view && !self.with.is_empty() {
            return Err(Error::say("--with is for glTF")
                .hint("-o NAME.glb gives glTF of a model, a 'mech or a world"));
        }
        let with = self
            .with
            .iter()
            .map(|path| disk::read_named(path))
            .collect::<Result<Vec<_>>>()?;
        let got = open::open_file(&self.file, session.hints()).and_then(|subject| {
            let index = pipeline::find_member(&*subject.model, &self.name);
            if is_view {
                let member = index
                    .ok()
                    .and_then(|index| subject.model.model().members().into_iter().nth(index));
                let name = member.map_or_else(|| self.name.clone(), |member| member.name);
                return gltf::view(&subject.model, &name, &with);
            }
            let index = index?;
            subject
                .model
                .model()
                .get(index, self.spelling.form(&self.output))
        });
        let bytes = got.map_err(|e| e.about(&self.file))?;
        if self.output.as_os_str() == "-" {
            let text = std::str::from_utf8(&bytes).is_ok_and(|text| {
                !text.contains(|c: char| steers(c) && !matches!(c, '\n' | '\r' | '\t' | '\u{feff}'))
            });
            if session.on_terminal() && !text {
                return Err(Error::say(format!(
                    "{:?} is not plain text, so a terminal cannot show it",
                    self.name
                ))
                .hint("name a file with -o"));
            }
            session.bytes(&bytes);
            return Ok(());
        }
        let may = Replace {
            backup: self.originals.chosen().unwrap_or(Backup::Foreign),
            ..Replace::new(session.global.force)
        };
        if let Some(written) = session.write_file(&self.output, &bytes, may)? {
            let unchanged = if written.unchanged {
                " (unchanged)"
            } else {
                ""
            };
            session.tell(format!(
                "{} → {}{unchanged}",
                self.name,
                self.output.shown()
            ));
        }
        Ok(())
    }
}
