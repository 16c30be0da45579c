//! What mods want of the same value, and changes that have no place in this edition of a game.

/// Which of two mods wins if both change the same value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "lowercase")
)]
pub enum Prefer {
    /// None: it is a conflict.
    #[default]
    #[cfg_attr(feature = "cli", value(skip))]
    None,
    /// The one that is named first.
    First,
    /// The one that is named last.
    Last,
}

/// What a mod makes of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wish {
    /// Position of the mod.
    pub by: usize,
    /// Its change, for display.
    pub shown: String,
}

impl Wish {
    pub fn new(by: usize, shown: impl Into<String>) -> Self {
        Wish {
            by,
            shown: shown.into(),
        }
    }
}

/// Two mods that change the same value in different ways.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The part of the file; empty in a document alone, and for the whole file.
    pub part: String,
    /// The path of the value within the part; empty for the whole part.
    pub at: String,
    /// Positions of the two mods.
    pub mods: (usize, usize),
    /// The change that each mod makes, for display.
    pub wants: (String, String),
    /// Which mod wins, as set by the later mod.
    pub decided: Prefer,
}

impl Conflict {
    pub(super) fn new(earlier: Wish, later: Wish, decided: Prefer) -> Self {
        Conflict {
            part: String::new(),
            at: String::new(),
            mods: (earlier.by, later.by),
            wants: (earlier.shown, later.shown),
            decided,
        }
    }

    pub(super) fn at(self, at: impl Into<String>) -> Self {
        let at = at.into();
        Conflict { at, ..self }
    }

    pub(super) fn in_part(self, part: impl Into<String>) -> Self {
        let part = part.into();
        Conflict { part, ..self }
    }

    /// Records the conflict. True if the later mod wins.
    pub(super) fn decide(self, conflicts: &mut Vec<Conflict>) -> bool {
        let wins = self.decided == Prefer::Last;
        conflicts.push(self);
        wins
    }

    /// True if the user has not decided the conflict.
    pub fn is_open(&self) -> bool {
        self.decided == Prefer::None
    }
}

/// A change whose place does not exist in this edition of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unplaced {
    /// Position of the mod.
    pub by: usize,
    /// The part of the file; empty in a document alone, and for the whole file.
    pub part: String,
    /// The path of the value within the part; empty for the whole part.
    pub at: String,
    /// Why the place was not found.
    pub why: String,
}

impl Unplaced {
    pub(super) fn new(at: impl Into<String>, why: impl Into<String>) -> Self {
        Unplaced {
            by: 0,
            part: String::new(),
            at: at.into(),
            why: why.into(),
        }
    }

    /// A change of the whole file.
    pub(super) fn whole(by: usize, why: &str) -> Self {
        Unplaced::new("", why).of(by, "")
    }

    /// The same change, of this mod and in this part.
    pub(super) fn of(self, by: usize, part: &str) -> Self {
        let part = part.to_owned();
        Unplaced { by, part, ..self }
    }
}
