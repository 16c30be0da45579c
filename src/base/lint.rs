//! Lints: codes, severities, and the collector for findings.
//!
//! A finding never stops a reader. Formats check their models separately from reading and writing.

use crate::{
    game::Game,
    wire::{Mark, marks, shorten},
};
use serde::Serialize;
use std::{collections::HashMap, sync::Arc};

/// The severity of a finding: its effect in the game. Shipped files have no findings above
/// [`Severity::Unusual`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// No known file has it, or few have; harmless as far as is known.
    Unusual,
    /// The game continues, with another effect than intended.
    Differs,
    /// It has no effect in the game, or is never found.
    Ignores,
    /// The game corrupts its memory, crashes or hangs.
    Crashes,
    /// The game does not load the file.
    Refuses,
}

impl Severity {
    /// All severities, mildest first.
    pub const ALL: [Severity; 5] = [
        Severity::Unusual,
        Severity::Differs,
        Severity::Ignores,
        Severity::Crashes,
        Severity::Refuses,
    ];

    /// The printed word.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Unusual => "unusual",
            Severity::Differs => "differs",
            Severity::Ignores => "ignores",
            Severity::Crashes => "crashes",
            Severity::Refuses => "refuses",
        }
    }

    /// One step less severe: for a game in which the effect is likely but unconfirmed.
    fn milder(self) -> Self {
        match self {
            Severity::Unusual | Severity::Differs => Severity::Unusual,
            Severity::Ignores => Severity::Differs,
            Severity::Crashes => Severity::Ignores,
            Severity::Refuses => Severity::Crashes,
        }
    }
}

/// A kind of finding.
#[derive(PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Code {
    /// The printed code, also the argument of `lint --explain`.
    pub code: &'static str,
    /// The meaning and the remedy.
    pub explain: &'static str,
    /// The evidence: code read in an engine, or measurements on shipped files.
    pub fact: &'static str,
    /// The games in which the effect is known; empty if no engine was examined or no game is
    /// concerned.
    pub games: &'static [Game],
    /// The effect in games where it is known: see `Code::severity_in`.
    pub severity: Severity,
    /// One line.
    pub title: &'static str,
}

impl Code {
    /// The severity in this game. If the effect is known only in other games, it is likely here,
    /// too, because their engines are related; it is reported one step milder.
    pub fn severity_in(&self, game: Option<Game>) -> Severity {
        match game {
            Some(game) if !self.games.is_empty() && !self.games.contains(&game.itself()) => {
                self.severity.milder()
            }
            _ => self.severity,
        }
    }
}

/// Declares kinds of findings: a constant for each, and a list of all.
#[macro_export]
macro_rules! codes {
    ($(#[$doc:meta])* $vis:vis $all:ident: $(
        $name:ident $code:literal $severity:ident [$($game:ident)*] $title:literal $explain:literal $fact:literal
    )+) => {
        $(
            #[doc = concat!("A finding: ", $title, ".")]
            $vis const $name: &$crate::lint::Code = &$crate::lint::Code {
                code: $code,
                severity: $crate::lint::Severity::$severity,
                games: &[$($crate::game::Game::$game),*],
                title: $title,
                explain: $explain,
                fact: $fact,
            };
        )+
        $(#[$doc])*
        $vis const $all: &[&$crate::lint::Code] = &[$($name),+];
    };
}
pub use codes;

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The code, see [`Code`].
    pub code: &'static str,
    /// The effect in the game.
    pub severity: Severity,
    /// The place: member and field path.
    pub path: String,
    /// What was found.
    pub message: String,
    /// The name that it is about, if it is about a name: findings of two checks about one name are
    /// one finding.
    #[serde(skip)]
    pub name: Option<String>,
    /// How many more findings of this code this one represents: see [`MOST`].
    #[serde(skip_serializing_if = "crate::wire::is_zero")]
    pub more: usize,
}

/// Maximum number of findings listed per code and file. Further ones are only counted: a file of a
/// few megabytes can cause millions.
pub const MOST: usize = 10_000;

/// Maximum length of a finding's message, in bytes.
const MESSAGE: usize = 1000;

/// A part of a file that could not be judged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Unjudged {
    /// The part: a member, or empty for the whole file.
    pub path: String,
    /// What was missing.
    pub why: String,
}

/// Finds a file that a text includes and its own archive does not have, by the name that the text
/// gives it. Returns its path and its text.
pub type Outside = Arc<dyn Fn(&str) -> Option<(String, String)> + Send + Sync>;

/// Collects findings, each with its path.
#[derive(Default)]
pub struct Lints {
    path: Vec<String>,
    game: Option<Game>,
    counts: HashMap<&'static str, (&'static Code, usize)>,
    /// How many more times [`MOST`] findings are listed.
    times: usize,
    /// The findings so far.
    pub found: Vec<Finding>,
    /// What could not be judged. This is no finding.
    pub unjudged: Vec<Unjudged>,
    outside: Option<Outside>,
}

impl Lints {
    /// An empty collector.
    pub fn new() -> Self {
        Self::default()
    }

    /// A collector for comparisons, which lists far more: an unlisted finding would look like an
    /// absent one.
    pub fn to_compare() -> Self {
        Lints {
            times: 19,
            ..Self::default()
        }
    }

    /// An empty collector of the same kind, for a part that another thread checks; see
    /// [`Lints::adopt`].
    pub fn for_part(&self) -> Self {
        Lints {
            game: self.game,
            times: self.times,
            outside: self.outside.clone(),
            ..Self::default()
        }
    }

    /// Takes the findings of a part, with its path before theirs.
    pub fn adopt(&mut self, part: Lints) {
        let most = MOST * (1 + self.times);
        for finding in part.found {
            let Some((code, _)) = part.counts.get(finding.code) else {
                continue;
            };
            if self.counts(code) {
                self.path.push(finding.path);
                let path = join(&self.path);
                self.path.pop();
                self.found.push(Finding { path, ..finding });
            }
        }
        for one in part.unjudged {
            self.path.push(one.path);
            self.cannot_judge(one.why);
            self.path.pop();
        }
        for (code, n) in part.counts.into_values() {
            self.counts.entry(code.code).or_insert((code, 0)).1 += n.saturating_sub(most);
        }
    }

    /// Sets the game of the file, if known.
    pub fn of_game(&mut self, game: Option<Game>) {
        self.game = game;
    }

    /// The game set by [`Lints::of_game`].
    pub fn game(&self) -> Option<Game> {
        self.game
    }

    /// A collector for texts that may include files which `outside` finds.
    pub fn with_outside(outside: Option<Outside>) -> Self {
        Lints {
            outside,
            ..Self::default()
        }
    }

    /// What finds included files: see [`Lints::with_outside`].
    pub fn outside(&self) -> Option<Outside> {
        self.outside.clone()
    }

    /// Notes that the current part could not be judged, and why.
    pub fn cannot_judge(&mut self, why: impl Into<String>) {
        if self.unjudged.len() < MOST {
            self.unjudged.push(Unjudged {
                path: join(&self.path),
                why: shorten(&why.into(), MESSAGE).into_owned(),
            });
        }
    }

    /// Runs checks with one more step in the path.
    pub fn at(&mut self, step: impl Into<String>, judge: impl FnOnce(&mut Lints)) {
        self.path.push(step.into());
        judge(self);
        self.path.pop();
    }

    /// Reports a finding of `code` unless `ok`.
    pub fn check(&mut self, ok: bool, code: &'static Code, say: impl FnOnce() -> String) {
        if !ok && self.counts(code) {
            self.list(code, &say(), None);
        }
    }

    /// Reports a finding of `code`.
    pub fn say(&mut self, code: &'static Code, message: impl Into<String>) {
        if self.counts(code) {
            self.list(code, &message.into(), None);
        }
    }

    /// Reports a finding of `code` about a name.
    pub fn say_of(&mut self, code: &'static Code, name: &str, message: impl Into<String>) {
        if self.counts(code) {
            self.list(code, &message.into(), Some(name.to_owned()));
        }
    }

    /// Counts a finding; false if there are too many of its code to list it.
    fn counts(&mut self, code: &'static Code) -> bool {
        let (_, count) = self.counts.entry(code.code).or_insert((code, 0));
        *count += 1;
        *count <= MOST * (1 + self.times)
    }

    fn list(&mut self, code: &'static Code, message: &str, name: Option<String>) {
        let message = shorten(message, MESSAGE).into_owned();
        let (code, severity) = (code.code, code.severity_in(self.game));
        self.found.push(Finding {
            code,
            severity,
            path: join(&self.path),
            message,
            name,
            more: 0,
        });
    }

    /// The findings. If there were too many with a code, its last finding gives the number of
    /// further ones.
    pub fn finish(mut self) -> Vec<Finding> {
        let mut more: Vec<_> = self
            .counts
            .into_values()
            .map(|(code, n)| (code, n.saturating_sub(MOST)))
            .collect();
        more.retain(|(_, more)| *more > 0);
        more.sort_by_key(|(code, _)| code.code);
        for (code, more) in more {
            let message = format!("{more} more, not listed");
            let (code, severity) = (code.code, code.severity_in(self.game));
            self.found.push(Finding {
                code,
                severity,
                path: String::new(),
                message,
                name: None,
                more: more - 1,
            });
        }
        self.found
    }

    /// Reports the oddities in a model: `Derived` fields that are present, tails, numbers that are
    /// not finite, unknown values and flags.
    pub fn model<T: Serialize + ?Sized>(&mut self, model: &T) {
        for (path, mark, value) in marks(model) {
            self.at(path, |lints| lints.say(of_mark(mark), value));
        }
    }
}

/// The findings of `now` that were not in `before`, worst first.
///
/// Each finding of `before` cancels one of `now`. An edit shifts whatever follows it, so findings
/// match not only if code, path and message are equal: paths may differ in list positions if names
/// and messages agree, and numbers in a message may differ if the path agrees.
pub fn brought_in(before: &[Finding], now: Vec<Finding>) -> Vec<Finding> {
    type Key = fn(&Finding) -> (String, String);
    // From equal to similar, so that similar findings do not take the place of equal ones.
    const ALIKE: [Key; 4] = [
        |f| (f.path.clone(), f.message.clone()),
        |f| (without_positions(&f.path, false), f.message.clone()),
        |f| (f.path.clone(), without_numbers(&f.message)),
        |f| {
            (
                without_positions(&f.path, true),
                without_numbers(&f.message),
            )
        },
    ];
    let mut before: Vec<&Finding> = before.iter().collect();
    let mut now = now;
    for key in ALIKE {
        let mut answered: HashMap<(&str, (String, String)), Vec<&Finding>> = HashMap::new();
        for finding in before.drain(..) {
            answered
                .entry((finding.code, key(finding)))
                .or_default()
                .push(finding);
        }
        now.retain(|finding| {
            answered
                .get_mut(&(finding.code, key(finding)))
                .and_then(Vec::pop)
                .is_none()
        });
        if now.is_empty() {
            break;
        }
        before = answered.into_values().flatten().collect();
    }
    worst_first(&mut now);
    now
}

/// Sorts findings for display: worst first, grouped by code.
pub fn worst_first(found: &mut [Finding]) {
    found.sort_by(|a, b| b.severity.cmp(&a.severity).then_with(|| a.code.cmp(b.code)));
}

/// A path without positions in lists and in texts: `nodes[31] door.children[2]` becomes
/// `nodes[] door.children[]`. With `document` the first position stays unless a name follows it: in
/// `models[19].polygons[3]` only the position identifies the model.
fn without_positions(path: &str, document: bool) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    let mut first = true;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (text, number) = rest.split_at(at);
        let end = number
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(number.len());
        let (digits, after) = number.split_at(end);
        out.push_str(text);
        let listed = text.ends_with('[') && after.starts_with(']');
        let tells = document && first && listed && !after.starts_with("] ");
        if tells || !(listed || text.ends_with('#') || text.ends_with("byte ")) {
            out.push_str(digits);
        }
        first &= !listed;
        rest = after;
    }
    out.push_str(rest);
    out
}

fn without_numbers(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn join(steps: &[String]) -> String {
    let mut out = String::new();
    for step in steps.iter().filter(|s| !s.is_empty()) {
        if !out.is_empty() && !step.starts_with('[') {
            out.push('.');
        }
        out.push_str(step);
    }
    out
}

/// The kind of finding for a mark.
pub fn of_mark(mark: Mark) -> &'static Code {
    match mark {
        Mark::Odd => ODD_VALUE,
        Mark::Tail => TEXT_TAIL,
        Mark::NotFinite => NOT_FINITE,
        Mark::UnknownValue => UNKNOWN_VALUE,
        Mark::UnknownFlag => UNKNOWN_FLAG,
        Mark::Extra => EXTRA_BYTES,
    }
}

codes! {
    /// The kinds of findings that any format can have.
    pub CODES:
    ODD_VALUE "odd-value" Unusual [] "a constant or derived field disagrees with its rule"
        "Every known file has the value that the rule gives. The tree keeps the file's own value, and refit writes it \
        back. Delete the field from the tree to return to the rule."
        "The files on which the rule was found; no loader is known to check it."
    TEXT_TAIL "text-tail" Unusual [] "bytes after the end of a text"
        "The field has other bytes after its terminating zero, usually stale memory of the program that wrote the \
        file. The games ignore them; refit keeps them."
        "Shipped files of all games have such bytes: texts were copied into memory that was not cleared."
    NOT_FINITE "not-finite" Unusual [] "a number is not finite"
        "A NaN or an infinity, shown as its bits. No known file of a game has one in a meaningful field."
        "Unused vectors in events of MechWarrior 3 and one script frame of Crimson Skies hold NaN in shipped files."
    UNKNOWN_VALUE "unknown-value" Unusual [] "a value outside the known set"
        "The field is an enumeration, and refit does not know this number. refit keeps it."
        "Not in the values measured on shipped files; no loader is known to check it."
    UNKNOWN_FLAG "unknown-flag" Unusual [] "unnamed flag bits"
        "The field is a set of flags, and refit does not know these bits. refit keeps them."
        "Not in the flags measured on shipped files; no loader is known to check it."
    EXTRA_BYTES "extra-bytes" Unusual [] "bytes that no field of the tree expresses"
        "A field that is switched off, or padding, is not empty. The tree keeps the bytes beside the other fields \
        (`extra`)."
        "Shipped files have such remnants; the engines read only what the flags switch on."
    RAW_MEMBER "raw-member" Differs [] "a member that cannot be read stays raw"
        "The member's own structure is invalid. refit unpacks it as plain bytes and writes it back unchanged."
        "The loaders of Recoil and MechWarrior 3 follow the structure and check no length, so they misread an invalid \
        one."
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &'static str, path: &str, message: &str) -> Finding {
        Finding {
            code,
            severity: Severity::Unusual,
            path: path.into(),
            message: message.into(),
            name: None,
            more: 0,
        }
    }

    #[test]
    fn places_are_compared_without_positions() {
        assert_eq!(
            without_positions("nodes[31] door2.children[2]", false),
            "nodes[] door2.children[]"
        );
        assert_eq!(
            without_positions("nodes[31] door2.children[2]", true),
            "nodes[] door2.children[]"
        );
        assert_eq!(
            without_positions("models[19].polygons[3]", true),
            "models[19].polygons[]"
        );
        assert_eq!(without_positions("byte 71", true), "byte ");
        assert_eq!(without_positions("#7 quartz0.zrd", true), "# quartz0.zrd");
    }

    #[test]
    fn a_finding_is_old_when_only_positions_and_counts_moved() {
        let before = [
            found("corners", "models[2].polygons[3]", "vertex 40 of 38"),
            found("corners", "models[2].polygons[4]", "vertex 41 of 38"),
            found("odd", "nodes[5] door.flags", "7"),
            found("call", "definitions[1] a.events[0]", "no sequence \"x\""),
        ];
        let now = vec![
            found("corners", "models[2].polygons[2]", "vertex 40 of 37"),
            found("corners", "models[2].polygons[3]", "vertex 41 of 37"),
            found("odd", "nodes[4] door.flags", "7"),
            found("call", "definitions[2] a.events[3]", "no sequence \"x\""),
        ];
        assert!(brought_in(&before, now).is_empty());
    }

    #[test]
    fn findings_are_counted_and_distinguished_by_names() {
        let before = [found(
            "call",
            "definitions[1] a.events[0]",
            "no sequence \"x\"",
        )];
        let now = vec![
            found("call", "definitions[1] a.events[0]", "no sequence \"x\""),
            found("call", "definitions[1] a.events[1]", "no sequence \"x\""),
            found("call", "definitions[1] a.events[2]", "no sequence \"y\""),
            found("call", "definitions[2] b.events[0]", "no sequence \"x\""),
        ];
        let new: Vec<String> = brought_in(&before, now)
            .into_iter()
            .map(|f| f.path)
            .collect();
        assert_eq!(
            new,
            [
                "definitions[1] a.events[1]",
                "definitions[1] a.events[2]",
                "definitions[2] b.events[0]"
            ]
        );
        // A repaired finding does not hide a new one elsewhere.
        let mended = brought_in(
            &before,
            vec![found(
                "call",
                "definitions[1] a.events[0]",
                "no sequence \"y\"",
            )],
        );
        assert_eq!(mended.len(), 1);
    }

    #[test]
    fn findings_known_from_other_games_are_milder() {
        const KNOWN: &Code = &Code {
            code: "x",
            severity: Severity::Refuses,
            games: &[Game::Rc],
            title: "",
            explain: "",
            fact: "",
        };
        let severity = |game| {
            let mut lints = Lints::new();
            lints.of_game(game);
            lints.say(KNOWN, "");
            lints.found.first().map(|f| f.severity)
        };
        assert_eq!(severity(None), Some(Severity::Refuses));
        assert_eq!(severity(Some(Game::Rc)), Some(Severity::Refuses));
        assert_eq!(severity(Some(Game::RcDemo)), Some(Severity::Refuses));
        assert_eq!(severity(Some(Game::Mw)), Some(Severity::Crashes));
        assert!(Severity::ALL.is_sorted(), "the worst comes last");
        assert!(Severity::ALL.iter().all(|s| s.milder() <= *s));
    }

    #[test]
    fn findings_beyond_the_limit_are_counted() {
        let mut lints = Lints::new();
        for i in 0..MOST + 5 {
            lints.at(format!("[{i}]"), |lints| {
                lints.check(false, NOT_FINITE, || "NaN".into())
            });
        }
        lints.say(ODD_VALUE, "x".repeat(1_000_000));
        let found = lints.finish();
        assert_eq!(found.len(), MOST + 2);
        assert_eq!(found.iter().map(|f| 1 + f.more).sum::<usize>(), MOST + 6);
        assert_eq!(
            found.last().map(|f| (f.code, f.message.as_str(), f.more)),
            Some(("not-finite", "5 more, not listed", 4))
        );
        assert!(found.iter().all(|f| f.message.len() <= MESSAGE + 3));
    }
}
