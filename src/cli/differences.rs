//! Prints the differences between two files.

use super::{
    line::{Line, Paint},
    session::Session,
};
use refit::{
    diff::{self, Change, ChangeKind, Comparison, Difference, Part, PartChange, PlacedItem, Value, rows},
    path::Shown,
    tree::disk::Replace,
    wire::{Result, count, hex_of, shorten, size},
};
use serde_json::json;
use similar::TextDiff;
use std::{collections::BTreeSet, path::Path};

/// Longest value that is shown whole.
const LONGEST: usize = 200;
/// Lines of hexadecimal that are shown of bytes.
const RUNS: usize = 20;

fn short(value: &Value) -> String {
    shorten(&value.compact(), LONGEST).into_owned()
}

/// How differences are printed.
pub struct Differences<'a> {
    /// Only how much differs, a line for each part.
    pub stat: bool,
    /// Where pictures of what differs in pictures go.
    pub output: Option<&'a Path>,
}

impl Differences<'_> {
    /// Prints the differences in a file; false if there are none. `sides` are its paths, if they are not below
    /// folders.
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
                let kind = if a.format == b.format { b.kind() } else { format!("{} → {}", a.kind(), b.kind()) };
                let name = sides.map_or_else(|| name.to_owned(), |(a, b)| format!("{} → {}", a.shown(), b.shown()));
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
            PartChange::Added(part) => session
                .tell(Line::new().text("  ").paint(Paint::Green, "+").text(format!(" {path}{}", described(part)))),
            PartChange::Removed(part) => {
                session.tell(Line::new().text("  ").paint(Paint::Red, "-").text(format!(" {path}{}", described(part))))
            }
            PartChange::Renamed { to } => {
                session.tell(Line::new().text("  ").paint(Paint::Yellow, ">").text(format!(" {path} → {to}")))
            }
            PartChange::Fields { old, new, kind, .. } if *kind == "reader" => {
                unified(session, path, &diff::laid_out(old), &diff::laid_out(new));
            }
            PartChange::Fields { old, new, changes, kind } => {
                for remark in shapes(kind, old, new) {
                    session.tell(format!("  {path}: {remark}"));
                }
                for change in changes {
                    for line in fields(change) {
                        session.tell(format!("  {path}: {line}"));
                    }
                }
            }
            PartChange::Lines { old, new } => unified(session, path, old, new),
            PartChange::Bytes { old, new } => {
                for line in rows::bytes(old, new) {
                    session.tell(if path.is_empty() { format!("  {line}") } else { format!("  {path}: {line}") });
                }
            }
            PartChange::Hidden { runs, old, new } => {
                session.tell(format!("  bytes that no field shows differ ({old} → {new})"));
                for line in run_lines(runs) {
                    session.tell(format!("  {line}"));
                }
            }
        }
    }
}

fn run_lines(runs: &[diff::Run]) -> Vec<String> {
    let mut out: Vec<String> = runs
        .iter()
        .take(RUNS)
        .map(|run| format!("0x{:x}: {} → {}", run.at, nothing(&hex_of(&run.old)), nothing(&hex_of(&run.new))))
        .collect();
    if runs.len() > RUNS {
        out.push(format!("… and {} more", count(runs.len() - RUNS, "place")));
    }
    out
}

fn nothing(hex: &str) -> &str {
    if hex.is_empty() { "nothing" } else { hex }
}

fn described(part: &Part) -> String {
    let bytes = part.bytes().unwrap_or_default();
    let what = diff::picture(&bytes)
        .map(|picture| picture.summary())
        .or_else(|| diff::sound(&bytes).map(|sound| format!("{}, {}", sound.kind, sound.detail)));
    what.map_or_else(|| format!(" ({})", size(part.len())), |what| format!(" ({what}, {})", size(part.len())))
}

fn unified(session: &Session, path: &str, old: &str, new: &str) {
    let texts = TextDiff::from_lines(old, new);
    session.tell(format!("  {path}:"));
    for hunk in texts.unified_diff().context_radius(2).iter_hunks() {
        session.tell(Line::new().text("    ").paint(Paint::Dim, hunk.header().to_string().trim_end()));
        for change in hunk.iter_changes() {
            let line = change.value();
            let end = if change.missing_newline() { " (no end of line)" } else { "" };
            let text = format!("{}{end}", line.trim_end_matches('\n'));
            session.tell(match change.tag() {
                similar::ChangeTag::Delete => Line::new().text("    ").paint(Paint::Red, format!("-{text}")),
                similar::ChangeTag::Insert => Line::new().text("    ").paint(Paint::Green, format!("+{text}")),
                similar::ChangeTag::Equal => Line::new().text(format!("     {text}")),
            });
        }
    }
}

/// A line for each difference.
fn fields(change: &Change) -> Vec<String> {
    let at = diff::spelled(&change.at);
    let at = if at.is_empty() { String::new() } else { format!("{at}: ") };
    match &change.what {
        ChangeKind::Set { old, new } => vec![format!("{at}{} → {}", short(old), short(new))],
        ChangeKind::Added(value) => vec![format!("{at}added {}", short(value))],
        ChangeKind::Removed(value) => vec![format!("{at}removed {}", short(value))],
        ChangeKind::Placed { after, items, .. } => {
            let behind =
                after.as_ref().map_or("at the beginning".to_owned(), |after| format!("behind {}", after.spelled()));
            items
                .iter()
                .map(|item| match item {
                    PlacedItem::New { index, value } | PlacedItem::Copy { index, value, .. } => {
                        format!("{at}[{index}] added {behind}: {}", short(value))
                    }
                    PlacedItem::Moved { index, from } => {
                        format!("{at}{} moved {behind}, from [{}] to [{index}]", from.spelled(), from.index)
                    }
                })
                .collect()
        }
    }
}

/// How the shape of a model changed: how many of each, and its box.
fn shapes(kind: &str, old: &Value, new: &Value) -> Vec<String> {
    if !kind.contains("model") && !kind.contains("mechlib") {
        return Vec::new();
    }
    let mut out = Vec::new();
    for key in ["vertices", "normals", "polygons", "lights", "morphs"] {
        let many = |value: &Value| match value.field(key) {
            Some(Value::List(items)) => items.len(),
            _ => 0,
        };
        if many(old) != many(new) {
            out.push(format!("{} → {} {key}", many(old), many(new)));
        }
    }
    let (was, is) = (extent(old), extent(new));
    if was != is
        && let (Some(was), Some(is)) = (was, is)
    {
        out.push(format!("the box of its vertices: {was} → {is}"));
    }
    out
}

fn extent(model: &Value) -> Option<String> {
    let Some(Value::List(vertices)) = model.field("vertices") else { return None };
    let mut box_: Option<([f64; 3], [f64; 3])> = None;
    for vertex in vertices {
        let Value::List(numbers) = vertex else { return None };
        let mut point = [0.0; 3];
        for (slot, number) in point.iter_mut().zip(numbers) {
            let Value::Number(number) = number else { return None };
            *slot = number.parse().ok()?;
        }
        let (min, max) = box_.get_or_insert((point, point));
        for ((low, high), at) in min.iter_mut().zip(max.iter_mut()).zip(point) {
            (*low, *high) = (low.min(at), high.max(at));
        }
    }
    box_.map(|(min, max)| format!("{min:?} to {max:?}"))
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
        let PartChange::Bytes { old, new } = &difference.change else { continue };
        let (Some(a), Some(b)) = (diff::picture(&old.bytes()?), diff::picture(&new.bytes()?)) else { continue };
        let plain: String =
            format!("{}-{}", Path::new(name).file_name().unwrap_or_default().to_string_lossy(), difference.path)
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' })
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
