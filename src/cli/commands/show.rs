//! `refit show`: a file as one text.

use crate::{
    line::{ESCAPED, Line, RETURNS, ends_with_returns},
    session::Session,
};
use bytes::Bytes;
use clap::Args;
use refit_base::{
    path::Shown as _,
    tree::{Form, Style},
    wire::{Result, decode_1252, needs_escapes},
};
use refit_diff::{self as diff, Part, PartKind};
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
                Shown::of(part)?.print(session, true);
                return Ok(());
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
            let shown = match diff::is_text(&bytes) {
                true => Shown::text(&bytes),
                false => Shown::Bytes(bytes),
            };
            shown.print(session, true);
            return Ok(());
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
            let shown = Shown::of(part)?;
            if !path.is_empty() {
                session.line(Line::new().text(format!("=== {path}{}", shown.remark())));
            }
            match &shown {
                Shown::Bytes(_) if !path.is_empty() => {}
                _ => shown.print(session, path.is_empty()),
            }
        }
        Ok(())
    }
}

/// A part as it is printed.
enum Shown {
    Text {
        /// The lines, without their ends.
        lines: Vec<String>,
        /// They are printed with escapes.
        escape: bool,
        /// What the lines do not show.
        remarks: Vec<&'static str>,
    },
    Bytes(Bytes),
}

impl Shown {
    fn of(part: &Part) -> Result<Self> {
        Ok(match (part.kind, part.value()?) {
            // JSON has its own escapes.
            (PartKind::Document(_), Some(value)) => Shown::Text {
                lines: diff::laid_out(&value).lines().map(str::to_owned).collect(),
                escape: false,
                remarks: Vec::new(),
            },
            (PartKind::Bytes, _) => Shown::Bytes(part.bytes()?),
            _ => Self::text(&part.bytes()?),
        })
    }

    /// A text, whose encoding and line ends are remarks, so that different texts look different.
    fn text(bytes: &[u8]) -> Self {
        let mut remarks = Vec::new();
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                remarks.push("Windows-1252");
                decode_1252(bytes).into_owned()
            }
        };
        let is_windows = ends_with_returns(&text);
        if is_windows {
            remarks.push(RETURNS);
        }
        if !text.is_empty() && !text.ends_with('\n') {
            remarks.push("no end of the last line");
        }
        let end = if is_windows { "\r\n" } else { "\n" };
        let lines = text.split_inclusive('\n');
        let lines = lines.map(|line| line.strip_suffix(end).unwrap_or(line).to_owned());
        let lines = Vec::from_iter(lines);
        let escape = lines.iter().any(|line| needs_escapes(line));
        if escape {
            remarks.push(ESCAPED);
        }
        Shown::Text {
            lines,
            escape,
            remarks,
        }
    }

    /// What follows the name of the part: for plain files, printed instead of their bytes.
    fn remark(&self) -> String {
        match self {
            Shown::Text { remarks, .. } if remarks.is_empty() => String::new(),
            Shown::Text { remarks, .. } => format!(": {}", remarks.join(", ")),
            Shown::Bytes(bytes) => {
                let what = diff::rows::media(bytes).map_or(String::new(), |what| what + ", ");
                format!(
                    ": {what}{} bytes, sha256 {}",
                    bytes.len(),
                    refit_base::sha256(bytes)
                )
            }
        }
    }

    /// Prints the content; `alone` if no heading has the remarks.
    fn print(&self, session: &Session, alone: bool) {
        match self {
            Shown::Bytes(bytes) => show_bytes(session, bytes),
            Shown::Text {
                lines,
                escape,
                remarks,
            } => {
                for line in lines {
                    session.line(Line::new().content(None, line, *escape));
                }
                if alone && !remarks.is_empty() {
                    session.line(format!("=== {}", remarks.join(", ")));
                }
            }
        }
    }
}

fn show_bytes(session: &Session, bytes: &[u8]) {
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
}
