//! What is unusual in a file: codes, severities, and the collector.
//!
//! A lint never stops a reader. Formats judge their models here, apart from reading and writing.

use crate::wire::marks;
use serde::Serialize;

/// How much a finding matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Unusual, harmless as far as is known.
    Note,
    /// The game may misread it.
    Warning,
    /// The game will refuse or misread it.
    Error,
}

/// A kind of finding.
pub struct Code {
    /// What is printed and what `lint --explain` takes.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// One line.
    pub title: &'static str,
    /// What it means and what to do.
    pub explain: &'static str,
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The code, see [`Code`].
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// The place: member and field path.
    pub path: String,
    /// What is there.
    pub message: String,
}

/// Collects findings along a path.
#[derive(Default)]
pub struct Lints {
    path: Vec<String>,
    /// What was found so far.
    pub found: Vec<Finding>,
}

impl Lints {
    /// An empty collector.
    pub fn new() -> Self {
        Self::default()
    }

    /// Judges a part under a step of the path.
    pub fn at(&mut self, step: impl Into<String>, judge: impl FnOnce(&mut Lints)) {
        self.path.push(step.into());
        judge(self);
        self.path.pop();
    }

    /// A finding of `code` unless `ok`. A code that [`CODES`] does not list is a bug that a test finds.
    pub fn check(&mut self, ok: bool, code: &'static str, say: impl FnOnce() -> String) {
        if !ok {
            self.say(code, say());
        }
    }

    /// A finding of `code`.
    pub fn say(&mut self, code: &'static str, message: impl Into<String>) {
        let severity = find(code).map_or(Severity::Warning, |c| c.severity);
        self.found.push(Finding { code, severity, path: join(&self.path), message: message.into() });
    }

    /// The oddities that a model carries: present `Odd`s, tails, numbers that are not finite, unknown values and flags.
    pub fn model<T: Serialize + ?Sized>(&mut self, model: &T) {
        for (path, mark, value) in marks(model) {
            self.at(path, |lints| lints.say(mark.code(), value));
        }
    }
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

/// The kind of finding with this code.
pub fn find(code: &str) -> Option<&'static Code> {
    codes().find(|c| c.code == code)
}

/// All kinds of findings: the general ones, then each format's.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    CODES.iter().chain(crate::formats::lint_codes())
}

/// The kinds of findings that any format can have.
pub const CODES: &[Code] = &[
    Code {
        code: "odd-value",
        severity: Severity::Note,
        title: "a constant or derived field disagrees with its rule",
        explain: "Every known file has the value that the rule gives. The file's own value is kept in the tree and written back; \
                  delete the field from the tree to return to the rule.",
    },
    Code {
        code: "text-tail",
        severity: Severity::Note,
        title: "bytes stand behind the end of a text",
        explain: "The field holds other bytes behind its terminating zero: usually stale memory of the program that wrote the file. \
                  The games ignore them; they are kept.",
    },
    Code {
        code: "not-finite",
        severity: Severity::Warning,
        title: "a number is not finite",
        explain: "A NaN or an infinity, shown by its bits. No known file of a game has one in a meaningful place.",
    },
    Code {
        code: "unknown-value",
        severity: Severity::Note,
        title: "a value outside the known set",
        explain: "The field is an enumeration, and this number is not one of the values known to refit. It is kept.",
    },
    Code {
        code: "unknown-flag",
        severity: Severity::Note,
        title: "flag bits without a name",
        explain: "The field is a set of flags, and these bits are not known to refit. They are kept.",
    },
    Code {
        code: "extra-bytes",
        severity: Severity::Note,
        title: "bytes that the typed form cannot say",
        explain: "A field that is switched off, or padding, is not empty. The bytes are kept beside the typed form (`extra`).",
    },
    Code {
        code: "raw-member",
        severity: Severity::Warning,
        title: "a member could not be read and stays raw",
        explain: "The member's own structure does not hold. It is unpacked as plain bytes and written back unchanged.",
    },
];
