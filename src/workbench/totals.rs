//! Totals over all files of a game's folder, next to the counts that owners of the game published.

use refit_base::{format::Format, game::Game};
use serde::Serialize;
use std::collections::BTreeMap;

/// What to count: the format, the key of `info` (empty: files), and a name for display.
const COUNTED: &[(Format, &str, &str)] = &[
    (Format::Reader, "", "reader archives"),
    (Format::Reader, "members", "readers"),
    (Format::Sounds, "members", "sounds"),
    (Format::Interp, "scripts", "scripts"),
    (Format::Interp, "lines", "lines of scripts"),
    (Format::Interp, "tokens", "words of scripts"),
    (Format::Textures, "", "texture packages"),
    (Format::Textures, "images", "images"),
    (Format::Gamez, "", "worlds"),
    (Format::Gamez, "nodes", "nodes of worlds"),
    (Format::Gamez, "models", "models of worlds"),
    (Format::Gamez, "polygons", "polygons of worlds"),
    (Format::Planes, "nodes", "nodes of planes"),
    (Format::Planes, "models", "models of planes"),
    (Format::Planes, "polygons", "polygons of planes"),
    (Format::Anim, "", "animation files"),
    (Format::Anim, "definitions", "animations"),
    (Format::Anim, "sequences", "sequences"),
    (Format::Anim, "events", "events"),
    (Format::Anim, "scripts", "motion scripts"),
    (Format::Motion, "members", "motions"),
    (Format::Mechlib, "members", "members of mechlib"),
    (Format::Rof, "files", "files in ROF archives"),
];

/// Published counts, with the edition. Unless noted otherwise, Recoil's numbers are those of the
/// releases of 1998 and 1999 together.
const KNOWN: &[(Game, &str, &str)] = &[
    (Game::Rc, "readers", "997 in the release of 1999"),
    (
        Game::Rc,
        "sounds",
        "281 in each of three banks, 16 of them twice",
    ),
    (Game::Rc, "scripts", "122 in each release"),
    (Game::Rc, "images", "52,886 in both releases"),
    (
        Game::Rc,
        "worlds",
        "13 in the release of 1999, 6 in that of 1998",
    ),
    (Game::Rc, "animations", "7,693 in both releases"),
    (Game::Rc, "sequences", "32,575 in both releases"),
    (Game::Rc, "events", "85,460 in both releases"),
    (Game::Mw, "images", "12,255"),
    (Game::Mw, "motions", "258"),
    (
        Game::Mw,
        "members of mechlib",
        "60: 57 'mechs, format, version and materials",
    ),
    (Game::Cs, "reader archives", "62"),
    (Game::Cs, "readers", "1,293"),
    (Game::Cs, "sounds", "5,041: 2,521 and 2,520"),
    (Game::Cs, "scripts", "98"),
    (Game::Cs, "lines of scripts", "5,083"),
    (Game::Cs, "words of scripts", "11,189"),
    (Game::Cs, "texture packages", "49"),
    (Game::Cs, "images", "37,004"),
    (Game::Cs, "worlds", "8"),
    (Game::Cs, "nodes of worlds", "53,303"),
    (Game::Cs, "nodes of planes", "3,317"),
    (Game::Cs, "polygons of worlds", "112,534"),
    (Game::Cs, "polygons of planes", "16,200"),
    (Game::Cs, "animation files", "61"),
    (
        Game::Cs,
        "animations",
        "14,963, without the empty first one of each file",
    ),
    (Game::Cs, "events", "242,391"),
    (Game::Cs, "motion scripts", "1,090"),
    (Game::Cs, "files in ROF archives", "847: 846 and 1"),
];

/// A row: item, count, and published count.
#[derive(Serialize)]
pub struct Row {
    /// How many there are.
    pub count: u64,
    /// The count that owners published for the shipped game.
    pub known: Option<&'static str>,
    /// The counted item.
    pub what: &'static str,
}

/// Sums over files.
#[derive(Default)]
pub struct Totals {
    counts: BTreeMap<usize, u64>,
    files: usize,
}

impl Totals {
    /// Adds the `info` of a file.
    pub fn add(&mut self, format: Option<Format>, info: Option<&serde_json::Value>) {
        self.files += usize::from(format.is_some());
        for (i, (of, key, _)) in COUNTED.iter().enumerate() {
            if Some(*of) == format {
                let n = if key.is_empty() {
                    Some(1)
                } else {
                    info.and_then(|info| info.get(key)?.as_u64())
                };
                *self.counts.entry(i).or_default() += n.unwrap_or(0);
            }
        }
    }

    /// The rows, for the game of most files. None for a single file: `info` already shows its
    /// counts.
    pub fn rows(&self, game: Option<Game>) -> impl Iterator<Item = Row> {
        let counted = if self.files > 1 { COUNTED } else { &[] };
        counted
            .iter()
            .enumerate()
            .filter_map(move |(i, (_, _, what))| {
                let known = KNOWN
                    .iter()
                    .find(|(of, key, _)| Some(*of) == game && key == what)
                    .map(|(_, _, known)| *known);
                Some(Row {
                    count: *self.counts.get(&i)?,
                    known,
                    what,
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_are_summed_and_compared_with_those_of_owners() {
        let mut totals = Totals::default();
        totals.add(
            Some(Format::Reader),
            Some(&json!({ "members": 12, "version": 1 })),
        );
        totals.add(Some(Format::Reader), Some(&json!({ "members": 30 })));
        totals.add(Some(Format::Zmap), Some(&json!({ "members": 7 })));
        totals.add(None, None);
        let mut one = Totals::default();
        one.add(Some(Format::Reader), Some(&json!({ "members": 12 })));
        assert_eq!(one.rows(Some(Game::Cs)).count(), 0);
        let rows: Vec<_> = totals
            .rows(Some(Game::Cs))
            .map(|row| (row.what, row.count, row.known))
            .collect();
        assert_eq!(
            rows,
            [
                ("reader archives", 2, Some("62")),
                ("readers", 42, Some("1,293"))
            ]
        );
        assert!(totals.rows(Some(Game::Pm)).all(|row| row.known.is_none()));
    }

    #[test]
    fn known_counts_are_shown() {
        for (game, what, _) in KNOWN {
            assert!(
                COUNTED.iter().any(|(_, _, counted)| counted == what),
                "{game}: {what}"
            );
        }
    }
}
