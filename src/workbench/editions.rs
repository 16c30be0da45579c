//! Known editions of the games. The files that an edition has identify it.
//!
//! No public source has checksums of the files of an edition, so there are none here: counts are
//! those that owners published (see `totals`), and the files of MechWarrior 3 are those that its
//! players describe (<https://terranmechworks.com/mech3doc/versions.html>).

use refit_base::{game::Game, wire::count};
use serde::Serialize;
use std::collections::BTreeSet;

/// An edition of a game that refit knows.
struct Known {
    game: Game,
    name: &'static str,
    /// Ends of paths that all folders of the game have: without them nothing is certain.
    whole: &'static [&'static str],
    /// Ends of paths that this edition has.
    has: &'static [&'static str],
    /// Ends of paths that this edition lacks, and what has them.
    lacks: &'static [&'static str],
    has_them: &'static str,
    /// Number of worlds.
    worlds: Option<usize>,
    /// Number of `.zbd` files of a full installation.
    archives: Option<usize>,
}

/// The maps of MechWarrior 3 that came with its patch 1.2.
const MAPS: &[&str] = &["c3/readermp3.zbd", "c3/readermp4.zbd"];

const NONE: Known = Known {
    game: Game::Rc,
    name: "",
    whole: &[],
    has: &[],
    lacks: &[],
    has_them: "",
    worlds: None,
    archives: None,
};

const KNOWN: &[Known] = &[
    Known {
        name: "the release of 1999",
        worlds: Some(13),
        archives: Some(105),
        ..NONE
    },
    Known {
        name: "the release of 1998",
        worlds: Some(6),
        archives: Some(55),
        ..NONE
    },
    Known {
        game: Game::Mw,
        name: "version 1.2",
        whole: &["c3/gamez.zbd"],
        has: MAPS,
        ..NONE
    },
    Known {
        game: Game::Mw,
        name: "before version 1.2, or Gold Edition without the patch 1.2",
        whole: &["c3/gamez.zbd"],
        lacks: MAPS,
        has_them: "the patch 1.2 adds them",
        ..NONE
    },
    Known {
        game: Game::Cs,
        name: "version 1.0",
        worlds: Some(8),
        archives: Some(184),
        ..NONE
    },
];

/// The edition of a game's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edition {
    /// Its name: `the release of 1999`.
    pub name: &'static str,
    /// What it lacks: files, or a number of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
    /// What has the missing files: `the patch 1.2 adds them`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub has_them: &'static str,
    /// The languages of the game's messages: `en-US`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub languages: BTreeSet<String>,
}

/// What tells editions apart.
#[derive(Default)]
pub(crate) struct Marks {
    /// The paths of all files below the folder, folded.
    pub(crate) files: BTreeSet<String>,
    /// Number of worlds.
    pub(crate) worlds: usize,
    /// The languages of the messages.
    pub(crate) languages: BTreeSet<String>,
}

impl Marks {
    fn has(&self, end: &str) -> bool {
        let is_it = |path: &String| {
            path.strip_suffix(end)
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        self.files.iter().any(is_it)
    }

    /// The edition of a game; `None` if no known one fits.
    pub(crate) fn edition(&self, game: Game) -> Option<Edition> {
        let all = |ends: &[&str]| ends.iter().all(|end| self.has(end));
        let fits = |known: &&Known| {
            known.game == game.itself()
                && all(known.whole)
                && all(known.has)
                && !known.lacks.iter().any(|end| self.has(end))
                && known.worlds.is_none_or(|worlds| worlds == self.worlds)
        };
        let known = KNOWN.iter().find(fits)?;
        let archives = self.files.iter().filter(|path| path.ends_with(".zbd"));
        let archives = archives.count();
        let mut lacks: Vec<String> = known.lacks.iter().map(|end| (*end).to_owned()).collect();
        if let Some(all) = known.archives
            && archives < all
        {
            let missing = all.saturating_sub(archives);
            lacks.push(format!("{missing} of {}", count(all, ".zbd file")));
        }
        Some(Edition {
            name: known.name,
            lacks,
            has_them: known.has_them,
            languages: self.languages.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(files: &[&str], worlds: usize) -> Marks {
        Marks {
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            worlds,
            languages: BTreeSet::new(),
        }
    }

    #[test]
    fn editions_are_told_apart_by_their_files() {
        let gold = marks(&["zbd/c3/gamez.zbd", "zbd/c3/readermp1.zbd"], 1);
        let edition = gold.edition(Game::Mw).unwrap();
        assert_eq!(edition.lacks, ["c3/readermp3.zbd", "c3/readermp4.zbd"]);
        assert_eq!(edition.has_them, "the patch 1.2 adds them");
        let patched = marks(&["c3/gamez.zbd", "c3/readermp3.zbd", "c3/readermp4.zbd"], 1);
        assert_eq!(patched.edition(Game::Mw).unwrap().name, "version 1.2");
        // Half of the patch is no known edition, and neither is a folder without that world.
        let half = marks(&["c3/gamez.zbd", "c3/readermp3.zbd"], 1);
        assert_eq!(half.edition(Game::Mw), None);
        assert_eq!(marks(&["c1/gamez.zbd"], 1).edition(Game::Mw), None);
        // The name is a whole one.
        let other = marks(&["zbd/xc3/gamez.zbd"], 1);
        assert_eq!(other.edition(Game::Mw), None);
    }

    #[test]
    fn releases_of_recoil_differ_in_their_worlds() {
        let files: Vec<String> = (0..55).map(|n| format!("zbd/{n}.zbd")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let whole = marks(&files, 6).edition(Game::Rc).unwrap();
        assert_eq!((whole.name, whole.lacks.len()), ("the release of 1998", 0));
        let part = marks(&files, 13).edition(Game::Rc).unwrap();
        assert_eq!(part.name, "the release of 1999");
        assert_eq!(part.lacks, ["50 of 105 .zbd files"]);
        assert_eq!(marks(&files, 7).edition(Game::Rc), None);
        assert_eq!(marks(&files, 13).edition(Game::Pm), None);
    }
}
