//! Compares two files: which parts were added, removed, renamed or moved, then field by field.
//!
//! Both files are unpacked in memory, and the parts of the two trees are compared. Every difference
//! is reported; differences that no field shows are reported as bytes.
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

// A derive macro with the name of the real one, which generates nothing.
#[cfg(not(feature = "schemas"))]
extern crate refit_record as schemars;

mod compare;
pub mod config;
pub mod delta;
mod media;
pub mod pairs;
mod path;
pub mod rows;
mod tree;
mod value;

/// The texts of [`Value`]s.
pub use compact_str::CompactString;
pub(crate) use compare::compare_to_show;
pub use compare::{Change, ChangeKind, ItemRef, PathStep, PlacedItem, compare, spelled};
pub use delta::Piece;
pub use media::{difference, picture, sound};
pub use pairs::readable;
pub use path::{Pos, find};
pub use tree::{
    ALL_NODES, CANDIDATES, Comparison, Content, Opened, Part, PartKind, Tree, TreeFiles, is_same,
    is_text, laid_out, lines,
};
pub use value::{Value, check_depth};

use refit_base::wire::Within;
use refit_base::{
    Sum,
    format::Format,
    par,
    tree::{Style, manifest_path},
    wire::Result,
};
use std::collections::{BTreeMap, BTreeSet};

/// A difference between two trees.
pub struct Difference {
    /// The part's old path, or the new path of an added part.
    pub path: String,
    /// The change.
    pub change: PartChange,
}

impl Difference {
    /// The number of differences that it represents: changed fields, moved items, runs of lines or
    /// bytes; at least 1.
    pub fn weight(&self) -> usize {
        let many = |change: &Change| {
            if let ChangeKind::Placed { items, .. } = &change.what {
                items.len()
            } else {
                1
            }
        };
        match &self.change {
            PartChange::Fields { changes, .. } => changes.iter().map(many).sum(),
            PartChange::Lines { old, new } => {
                let lines = similar::TextDiff::from_lines(old.as_str(), new.as_str());
                lines
                    .ops()
                    .iter()
                    .filter(|op| op.tag() != similar::DiffTag::Equal)
                    .count()
                    .max(1)
            }
            PartChange::Hidden { runs, .. } => runs.len().max(1),
            _ => 1,
        }
    }
}

/// How a part of a tree changed.
pub enum PartChange {
    /// It was added.
    Added(Part),
    /// It was removed.
    Removed(Part),
    /// It was renamed or moved. Differences in its content are reported separately.
    Renamed {
        /// The new path.
        to: String,
    },
    /// Fields of a document differ.
    Fields {
        /// The old document.
        old: Value,
        /// The new document.
        new: Value,
        /// The differences.
        changes: Vec<Change>,
        /// The kind of document.
        kind: &'static str,
    },
    /// The lines of a text differ.
    Lines {
        /// The old text.
        old: String,
        /// The new text.
        new: String,
    },
    /// Anything else differs.
    Bytes {
        /// The old part.
        old: Part,
        /// The new part.
        new: Part,
    },
    /// The files differ, but no part of their trees does.
    Hidden {
        /// The differing bytes.
        runs: Vec<Run>,
        /// Size of the old file.
        old: u64,
        /// Size of the new file.
        new: u64,
    },
}

impl PartChange {
    /// True for a part of one of the files only, and for one that has another path.
    fn is_of_one(&self) -> bool {
        matches!(
            self,
            PartChange::Added(_) | PartChange::Removed(_) | PartChange::Renamed { .. }
        )
    }
}

/// A run of bytes that differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Offset in the old file.
    pub at: u64,
    /// The old bytes.
    pub old: Vec<u8>,
    /// The new bytes.
    pub new: Vec<u8>,
}

/// Compares two files. The result is empty if and only if their bytes are equal.
pub fn trees(a: &Tree, b: &Tree) -> Result<Vec<Difference>> {
    let mut out = Vec::new();
    if same(a, b)? {
        return Ok(out);
    }
    if a.format == b.format {
        out = of_parts_alone(a, b)?;
    }
    if out.is_empty() {
        out = trees_of_bytes(a, b)?;
    }
    Ok(out)
}

/// Compares two files as bytes.
fn trees_of_bytes(a: &Tree, b: &Tree) -> Result<Vec<Difference>> {
    Ok(vec![Difference {
        path: String::new(),
        change: hidden(&a.file.bytes()?, &b.file.bytes()?),
    }])
}

/// The differences between the parts of two files of one format, without those that follow from
/// others.
fn of_parts_alone(a: &Tree, b: &Tree) -> Result<Vec<Difference>> {
    let mut out = of_parts(&a.parts, &b.parts)?;
    // Report dependent differences only if there are no others.
    if !out.iter().all(|difference| follows(a, difference)) {
        out.retain(|difference| !follows(a, difference));
        let manifests = out
            .iter_mut()
            .filter(|difference| difference.path == manifest_path(Style::Json));
        for difference in manifests {
            if let PartChange::Fields { changes, .. } = &mut difference.change {
                changes.retain(|change| !follows_by_itself(a, change));
            }
        }
    }
    Ok(out)
}

/// All differences between the parts of two files.
fn of_parts(a: &BTreeMap<String, Part>, b: &BTreeMap<String, Part>) -> Result<Vec<Difference>> {
    let mut out = Vec::new();
    let renamed = renamed(a, b)?;
    let news: BTreeSet<&String> = renamed.values().collect();
    for (path, part) in b
        .iter()
        .filter(|(path, _)| !a.contains_key(*path) && !news.contains(path))
    {
        out.push(Difference {
            path: path.clone(),
            change: PartChange::Added(part.clone()),
        });
    }
    for (path, part) in a
        .iter()
        .filter(|(path, _)| !b.contains_key(*path) && !renamed.contains_key(*path))
    {
        out.push(Difference {
            path: path.clone(),
            change: PartChange::Removed(part.clone()),
        });
    }
    for (path, to) in &renamed {
        out.push(Difference {
            path: path.clone(),
            change: PartChange::Renamed { to: to.clone() },
        });
    }
    let both: Vec<(&String, &Part, &Part)> = a
        .iter()
        .filter_map(|(path, old)| Some((path, old, b.get(renamed.get(path).unwrap_or(path))?)))
        .collect();
    for (found, (path, ..)) in par::try_map(&both, |_, (_, old, new)| part(old, new))?
        .into_iter()
        .zip(&both)
    {
        out.extend(found.map(|change| Difference {
            path: (*path).clone(),
            change,
        }));
    }
    Ok(out)
}

/// True for a difference that follows from others: the base library of a messages file, textures
/// next to their pictures, and the game that refit derived from the file's folder.
fn follows(a: &Tree, difference: &Difference) -> bool {
    match &difference.change {
        PartChange::Bytes { .. } => match a.format {
            Some(Format::Messages) => difference.path == "base.dll",
            // A texture whose picture is in the tree.
            Some(Format::Pbo) => difference.path.starts_with("textures/"),
            _ => false,
        },
        PartChange::Fields { changes, .. } if difference.path == manifest_path(Style::Json) => {
            changes.iter().all(|change| follows_by_itself(a, change))
        }
        _ => false,
    }
}

fn follows_by_itself(a: &Tree, change: &Change) -> bool {
    match change.at.as_slice() {
        [PathStep::Key(key)] if key == "game" => true,
        [PathStep::Key(list), _, PathStep::Key(key), ..] if a.format == Some(Format::Pbo) => {
            list == "entries" && key == "texture"
        }
        [PathStep::Key(key), ..] => key == "base" && a.format == Some(Format::Messages),
        _ => false,
    }
}

fn same(a: &Tree, b: &Tree) -> Result<bool> {
    Ok(a.file.len() == b.file.len() && tree::is_same(&a.file, &b.file)?)
}

/// Compares two parts; `None` if they are equal.
fn part(old: &Part, new: &Part) -> Result<Option<PartChange>> {
    if old.is(new)? {
        return Ok(None);
    }
    Ok(Some(match (old.kind, new.kind) {
        (PartKind::Document(kind), PartKind::Document(_)) => match (old.value()?, new.value()?) {
            (Some(a), Some(b)) => {
                let changes = compare_to_show(&a, &b);
                if changes.is_empty() {
                    return Ok(None);
                }
                PartChange::Fields {
                    old: a,
                    new: b,
                    changes,
                    kind,
                }
            }
            _ => PartChange::Lines {
                old: text_of(old)?,
                new: text_of(new)?,
            },
        },
        (PartKind::Text, PartKind::Text) | (PartKind::Config, PartKind::Config) => {
            PartChange::Lines {
                old: text_of(old)?,
                new: text_of(new)?,
            }
        }
        _ => PartChange::Bytes {
            old: old.clone(),
            new: new.clone(),
        },
    }))
}

fn text_of(part: &Part) -> Result<String> {
    Ok(String::from_utf8_lossy(&part.bytes()?).into_owned())
}

/// Limits for display: bytes per run, and number of runs.
const SHOWN: (usize, usize) = (64, 1000);

fn hidden(a: &[u8], b: &[u8]) -> PartChange {
    let mut runs = Vec::new();
    let mut run = |at: usize, old: &[u8], new: &[u8]| {
        let cut = |bytes: &[u8]| bytes.get(..SHOWN.0).unwrap_or(bytes).to_vec();
        if runs.len() < SHOWN.1 && !(old.is_empty() && new.is_empty()) {
            runs.push(Run {
                at: at as u64,
                old: cut(old),
                new: cut(new),
            });
        }
    };
    if a.len() == b.len() {
        let mut at = 0;
        while at < a.len() {
            let differs = |at: usize| a.get(at) != b.get(at);
            let from = at;
            while at < a.len() && differs(at) {
                at += 1;
            }
            run(from, a.within(from..at), b.within(from..at));
            while at < a.len() && !differs(at) {
                at += 1;
            }
        }
    } else {
        let mut at = 0usize;
        let mut news: &[u8] = &[];
        for piece in delta::ranges(a, b) {
            match piece {
                delta::Piece::New(range) => news = b.within(range),
                delta::Piece::Old(from, many) => {
                    let from = usize::try_from(from).unwrap_or_default();
                    // A piece may come from before the last one.
                    run(at, a.get(at..from).unwrap_or_default(), news);
                    news = &[];
                    at = from + usize::try_from(many).unwrap_or_default();
                }
            }
        }
        run(at, a.within(at..), news);
        if runs.is_empty() {
            runs.push(Run {
                at: a.len().min(b.len()) as u64,
                old: Vec::new(),
                new: Vec::new(),
            });
        }
    }
    PartChange::Hidden {
        runs,
        old: a.len() as u64,
        new: b.len() as u64,
    }
}

/// Maximum number of documents to compare when searching for renamed ones.
const HELD: usize = 200;

/// Renamed parts with their new paths: parts with the same bytes, models with the same position,
/// and documents that are nearly equal.
pub fn renamed(
    a: &BTreeMap<String, Part>,
    b: &BTreeMap<String, Part>,
) -> Result<BTreeMap<String, String>> {
    let mut gone: Vec<(&String, &Part)> = a
        .iter()
        .filter(|(path, _)| !b.contains_key(*path))
        .collect();
    let mut news: Vec<(&String, &Part)> = b
        .iter()
        .filter(|(path, _)| !a.contains_key(*path))
        .collect();
    let mut out = BTreeMap::new();
    if gone.is_empty() || news.is_empty() {
        return Ok(out);
    }
    let mut sums: BTreeMap<(u64, Sum), Vec<&String>> = BTreeMap::new();
    let lengths: BTreeSet<u64> = gone.iter().map(|(_, part)| part.len()).collect();
    for (path, part) in news
        .iter()
        .filter(|(_, part)| lengths.contains(&part.len()) && !part.is_empty())
    {
        sums.entry((part.len(), Sum::of(&part.bytes()?)))
            .or_default()
            .push(path);
    }
    for (path, part) in &gone {
        if let Some(to) = sums
            .get_mut(&(part.len(), Sum::of(&part.bytes()?)))
            .filter(|to| !to.is_empty())
        {
            out.insert((*path).clone(), to.remove(0).clone());
        }
    }
    let settle = |gone: &mut Vec<(&String, &Part)>,
                  news: &mut Vec<(&String, &Part)>,
                  out: &BTreeMap<String, String>| {
        gone.retain(|(path, _)| !out.contains_key(*path));
        let taken: BTreeSet<&String> = out.values().collect();
        news.retain(|(path, _)| !taken.contains(path));
    };
    settle(&mut gone, &mut news, &out);
    // A file with a single text, which has the name of the file.
    if let ([(path, old)], [(to, new)]) = (gone.as_slice(), news.as_slice())
        && a.len() <= 2
        && b.len() <= 2
        && (old.kind, new.kind) == (PartKind::Config, PartKind::Config)
    {
        out.insert((*path).clone(), (*to).clone());
        return Ok(out);
    }
    // A model's position is the number at the start of its path.
    let position = |path: &str| {
        path.strip_prefix("models/")
            .and_then(|name| name.get(..4))
            .map(str::to_owned)
    };
    for (path, _) in &gone {
        if position(path).is_some()
            && let Some((to, _)) = news.iter().find(|(to, _)| position(to) == position(path))
        {
            out.insert((*path).clone(), (*to).clone());
        }
    }
    settle(&mut gone, &mut news, &out);
    if gone.len() > HELD || news.len() > HELD {
        return Ok(out);
    }
    for (path, part) in &gone {
        let Some(old) = part.value()? else { continue };
        let mut best: Option<(u32, &String)> = None;
        for (to, new) in news.iter().filter(|(_, new)| new.kind == part.kind) {
            if out.values().any(|taken| taken == *to) {
                continue;
            }
            let alike = new.value()?.map_or(0, |new| pairs::likeness(&old, &new));
            if alike >= 70 && best.is_none_or(|(most, _)| alike > most) {
                best = Some((alike, to));
            }
        }
        if let Some((_, to)) = best {
            out.insert((*path).clone(), to.clone());
        }
    }
    Ok(out)
}
