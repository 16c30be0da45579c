//! `refit show`: a file as one text.

use crate::{line::Line, session::Session};
use clap::Args;
use refit_base::{
    path::Shown,
    tree::{Form, Style},
    wire::Result,
};
use refit_diff::{self as diff, Part, PartKind, Tree};
use refit_files::pipeline::{self, Hints};
use refit_workbench::sides::{Side, side};
use std::path::PathBuf;

/// Print a whole file or one member as text, for pagers and git (see `refit git`)
#[derive(Args, Debug)]
pub struct Show {
    /// A file, a tree, or `-` for standard input
    file: PathBuf,
    /// Only this member: its name, its #index, or its path in the tree
    member: Option<String>,
}

impl Show {
    pub fn run(self, session: &Session) -> Result<()> {
        self.show(session).map_err(|e| e.about(&self.file))
    }

    fn show(&self, session: &Session) -> Result<()> {
        let tree = match side(&self.file, session.hints())? {
            Side::File(tree) => *tree,
            Side::Folder => {
                return Err(
                    refit_base::wire::Error::say("a folder, and not an unpacked tree")
                        .hint("name a file"),
                );
            }
        };
        if let Some(member) = &self.member {
            if let Some(part) = tree
                .parts
                .get(member)
                .or_else(|| tree.parts.get(&format!("{member}.json")))
            {
                return show_part(session, part);
            }
            let hints = Hints {
                game: tree.game,
                format: tree.format,
            };
            let opened = pipeline::read(
                &tree.file,
                pipeline::recognise(tree.file.clone(), &self.file.shown(), hints)?,
            )?;
            let bytes = opened.model.model().get(
                pipeline::find_member(&*opened.model, member)?,
                Form::Document(Style::Json),
            )?;
            return match diff::is_text(&bytes) {
                true => show_text(session, &String::from_utf8_lossy(&bytes)),
                false => show_bytes(session, &bytes),
            };
        }
        session.line(Line::new().text(format!("refit: {}", tree.kind())));
        if let Some(fault) = &tree.fault
            && tree.format.is_none()
        {
            session.line(Line::new().text(format!("kept as bytes: {fault}")));
        }
        for (path, part) in &tree.parts {
            if session.closed() {
                break;
            }
            if !path.is_empty() {
                session.line(Line::new().text(format!("=== {path}{}", remark(&tree, part)?)));
            }
            match part.kind {
                PartKind::Bytes if !path.is_empty() => {}
                _ => show_part(session, part)?,
            }
        }
        Ok(())
    }
}

/// The kind of a plain file, printed instead of its bytes.
fn remark(_tree: &Tree, part: &Part) -> Result<String> {
    if part.kind != PartKind::Bytes {
        return Ok(String::new());
    }
    let bytes = part.bytes()?;
    let what = diff::rows::media(&bytes).map_or(String::new(), |what| what + ", ");
    Ok(format!(
        ": {what}{} bytes, sha256 {}",
        bytes.len(),
        refit_base::sha256(&bytes)
    ))
}

fn show_part(session: &Session, part: &Part) -> Result<()> {
    match (part.kind, part.value()?) {
        (PartKind::Document(_), Some(value)) => show_text(session, &diff::laid_out(&value)),
        (PartKind::Document(_) | PartKind::Text | PartKind::Config, _) => {
            let bytes = part.bytes()?;
            show_text(session, &String::from_utf8_lossy(&bytes))
        }
        (PartKind::Bytes, _) => show_bytes(session, &part.bytes()?),
    }
}

fn show_text(session: &Session, text: &str) -> Result<()> {
    for line in text.lines() {
        session.line(line);
    }
    Ok(())
}

fn show_bytes(session: &Session, bytes: &[u8]) -> Result<()> {
    for (i, row) in bytes.chunks(16).enumerate() {
        if session.closed() {
            break;
        }
        let hex: String = row.iter().map(|byte| format!(" {byte:02x}")).collect();
        let text: String = row
            .iter()
            .map(|byte| {
                if (32..127).contains(byte) {
                    char::from(*byte)
                } else {
                    '.'
                }
            })
            .collect();
        session.line(Line::new().text(format!("{:08x} {hex:<48}  {text}", i * 16)));
    }
    Ok(())
}
