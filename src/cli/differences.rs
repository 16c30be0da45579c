//! Prints the differences between two files.

use super::{
    line::{ESCAPED, Line, Paint, RETURNS, ends_with_returns},
    session::Session,
};
use refit_base::{
    path::Shown,
    tree::disk::Replace,
    wire::{Result, count, needs_escapes, place, size},
};
use refit_diff::{self as diff, Comparison, Difference, PartChange, rows};
use serde_json::json;
use similar::TextDiff;
use std::{borrow::Cow, collections::BTreeSet, path::Path};

/// How differences are printed.
pub struct Differences<'a> {
    /// Only how much differs, a line for each part.
    pub stat: bool,
    /// Where pictures of what differs in pictures go.
    pub output: Option<&'a Path>,
}

impl Differences<'_> {
    /// Prints the differences in a file; false if there are none. `sides` are its paths, if they
    /// are not below folders.
    pub fn file(
        &self,
        session: &Session,
        name: &str,
        sides: Option<(&Path, &Path)>,
        both: &Comparison,
    ) -> Result<bool> {
        let (a, b) = (&both.a, &both.b);
        let (mut many, mut used) = (0, BTreeSet::new());
        let (mut parts, mut changes) = (Vec::new(), Vec::new());
        let mut begun = false;
        both.each(&mut |found| {
            session.found();
            if let Some(folder) = self.output {
                pictures(session, folder, name, &found, &mut used)?;
            }
            let weights: Vec<usize> = found.iter().map(Difference::weight).collect();
            many += weights.iter().sum::<usize>();
            if session.global.json {
                if !self.stat {
                    changes.extend(found.iter().flat_map(rows::of));
                }
                let described = |(d, weight): (&Difference, &usize)| {
                    json!({ "part": d.path, "status": rows::word(&d.change),
                    "differences": weight })
                };
                parts.extend(found.iter().zip(&weights).map(described));
                return Ok(true);
            }
            if !std::mem::replace(&mut begun, true) {
                let kind = if a.format == b.format {
                    b.kind()
                } else {
                    format!("{} → {}", a.kind(), b.kind())
                };
                let name = sides.map_or_else(
                    || name.to_owned(),
                    |(a, b)| format!("{} → {}", a.shown(), b.shown()),
                );
                let sizes = format!(" ({kind}, {} → {})", size(a.file.len()), size(b.file.len()));
                session.tell(Line::new().paint(Paint::Bold, name).text(sizes));
                for (tree, which) in [(a, "the first"), (b, "the second")] {
                    if let (Some(fault), true) = (&tree.fault, a.format != b.format) {
                        session.tell(format!("  {which} is compared as bytes: {fault}"));
                    }
                }
            }
            for (difference, weight) in found.iter().zip(&weights) {
                if session.closed() {
                    return Ok(false);
                }
                self.lines(session, difference, *weight);
            }
            Ok(true)
        })?;
        if session.global.json && (many > 0 || sides.is_some()) {
            let mut object = json!({
                "path": name,
                "status": if many == 0 { "equal" } else { "different" },
                "format": b.format.or(a.format).map(|format| format.name()),
                "game": b.game.or(a.game).map(|game| game.code()),
                "bytes": [a.file.len(), b.file.len()],
                "differences": many,
                "parts": parts,
            });
            if let Some(object) = object.as_object_mut() {
                if let Some((a, b)) = sides {
                    object.insert("a".into(), a.shown().into());
                    object.insert("b".into(), b.shown().into());
                }
                if !self.stat {
                    object.insert("changes".into(), changes.into());
                }
            }
            session.json(&object);
        } else if many > 0 && !session.global.json {
            session.tell(format!("  {}", count(many, "difference")));
        }
        Ok(many > 0)
    }

    fn lines(&self, session: &Session, difference: &Difference, weight: usize) {
        let path = &difference.path;
        if self.stat && !matches!(difference.change, PartChange::Renamed { .. }) {
            let sign = match difference.change {
                PartChange::Added(_) => "+",
                PartChange::Removed(_) => "-",
                _ => "~",
            };
            let name = if path.is_empty() { "bytes" } else { path };
            return session.tell(format!("  {sign} {name}: {}", count(weight, "difference")));
        }
        match &difference.change {
            PartChange::Added(part) | PartChange::Removed(part) => {
                let is_new = matches!(difference.change, PartChange::Added(_));
                let (sign, paint) = if is_new {
                    ("+", Paint::Green)
                } else {
                    ("-", Paint::Red)
                };
                let what = rows::media(&part.bytes().unwrap_or_default())
                    .map_or(String::new(), |what| what + ", ");
                session.tell(
                    Line::new()
                        .text("  ")
                        .paint(paint, sign)
                        .text(format!(" {path} ({what}{})", size(part.len()))),
                );
            }
            PartChange::Renamed { to } => session.tell(
                Line::new()
                    .text("  ")
                    .paint(Paint::Yellow, ">")
                    .text(format!(" {path} → {to}")),
            ),
            PartChange::Fields { old, new, kind, .. } if *kind == "reader" => {
                unified(session, path, &diff::laid_out(old), &diff::laid_out(new));
            }
            PartChange::Lines { old, new } => unified(session, path, old, new),
            _ => {
                let lines = rows::lines(difference);
                lines
                    .iter()
                    .for_each(|line| session.tell(format!("  {}", place([path, line]))));
            }
        }
    }
}

fn unified(session: &Session, path: &str, old: &str, new: &str) {
    let (mut old, mut new, mut remarks) = (Cow::from(old), Cow::from(new), Vec::new());
    if ends_with_returns(&old) && ends_with_returns(&new) {
        remarks.push(RETURNS);
        for text in [&mut old, &mut new] {
            *text = text.replace("\r\n", "\n").into();
        }
    }
    let escape = needs_escapes(&old) || needs_escapes(&new);
    if escape {
        remarks.push(ESCAPED);
    }
    let remarks = match remarks.is_empty() {
        true => String::new(),
        false => format!(" ({})", remarks.join(", ")),
    };
    let texts = TextDiff::from_lines(&*old, &*new);
    session.tell(format!("  {path}{remarks}:"));
    for hunk in texts.unified_diff().context_radius(2).iter_hunks() {
        session.tell(
            Line::new()
                .text("    ")
                .paint(Paint::Dim, hunk.header().to_string().trim_end()),
        );
        for change in hunk.iter_changes() {
            let line = change.value();
            let end = if change.missing_newline() {
                " (no end of line)"
            } else {
                ""
            };
            let text = format!("{}{end}", line.trim_end_matches('\n'));
            let (paint, sign) = match change.tag() {
                similar::ChangeTag::Delete => (Some(Paint::Red), '-'),
                similar::ChangeTag::Insert => (Some(Paint::Green), '+'),
                similar::ChangeTag::Equal => (None, ' '),
            };
            let line = Line::new().text("    ");
            session.tell(line.content(paint, format!("{sign}{text}"), escape));
        }
    }
}

/// Writes a picture of what differs in each picture.
fn pictures(
    session: &Session,
    folder: &Path,
    name: &str,
    found: &[Difference],
    used: &mut BTreeSet<String>,
) -> Result<()> {
    for difference in found {
        let PartChange::Bytes { old, new } = &difference.change else {
            continue;
        };
        let (Some(a), Some(b)) = (diff::picture(&old.bytes()?), diff::picture(&new.bytes()?))
        else {
            continue;
        };
        let plain: String = format!(
            "{}-{}",
            Path::new(name)
                .file_name()
                .unwrap_or_default()
                .to_string_lossy(),
            difference.path
        )
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') {
                c
            } else {
                '_'
            }
        })
        .collect();
        let plain = plain.trim_end_matches(".png").to_owned();
        let mut file = format!("{plain}.png");
        let mut n = 2;
        while !used.insert(file.clone()) {
            file = format!("{plain}-{n}.png");
            n += 1;
        }
        let target = folder.join(file);
        let picture = diff::difference(&a, &b)?;
        session.write_file(&target, &picture, Replace::new(session.global.force))?;
        session.tell(format!("{} → {}", difference.path, target.shown()));
    }
    Ok(())
}
