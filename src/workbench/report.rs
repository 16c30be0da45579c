//! How a file fared, for programs: what `--json` prints of it.

use super::{
    Input,
    outcome::{Repacked, Unpacked},
    unknown_files,
};
use refit_base::{format::Format, game::Game, path::Shown, wire::Error};
use refit_files::{detect::Detection, foreign, game_files};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// How a file fared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Structured, and identical when written again.
    Exact,
    /// Identical, but a typed reader gave up on a member or the whole.
    Raw,
    /// No known format.
    Unrecognised,
    /// Malformed, or something else went wrong.
    #[default]
    Error,
}

/// A member that stayed raw.
#[derive(Clone, Debug, Serialize)]
pub struct Raw {
    /// The member; empty for the whole file.
    pub member: String,
    /// The reason.
    pub why: String,
}

/// How a file fared, and what is known about it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// As given by the user, or found below a given folder.
    pub path: String,
    /// The path's bytes in hexadecimal, if the path is not Unicode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The game's two letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<&'static str>,
    /// The format, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// How it fared.
    pub status: Status,
    /// Its role in the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<game_files::RoleInGame>,
    /// What it is when it is not recognised.
    #[serde(rename = "kind", skip_serializing_if = "Option::is_none")]
    pub other: Option<foreign::FileKind>,
    /// Size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// SHA-256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// How many things `lint` finds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<usize>,
    /// What went wrong, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why nothing was done, if that is not a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The members that stayed raw, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub raw: Vec<Raw>,
    /// Further facts of the command.
    #[serde(flatten)]
    pub more: BTreeMap<&'static str, serde_json::Value>,
}

impl Report {
    /// A report on a file before anything is known about it.
    pub fn new(path: &Path) -> Self {
        Report {
            path: path.shown(),
            path_hex: path_hex(path),
            ..Self::default()
        }
    }

    /// What became of a tree that was packed.
    pub fn of_repacked(tree: &Repacked) -> Self {
        let mut report = Report::new(&tree.tree);
        (report.game, report.format) = (tree.game.map(Game::code), tree.format);
        report.bytes = tree.bytes;
        for (key, files) in [
            ("added", &tree.added),
            ("removed", &tree.removed),
            ("signatures", &tree.signatures),
            ("assumed", &tree.assumed),
            ("mods", &tree.mods),
        ] {
            if !files.is_empty() {
                report.more.insert(key, files.as_slice().into());
            }
        }
        for (key, value) in [("identical", tree.identical), ("unchanged", tree.unchanged)] {
            report.more.extend(value.map(|value| (key, value.into())));
        }
        if let Some(file) = &tree.file {
            report.status = Status::Exact;
            report.also("file", "file_hex", file);
        }
        report
            .more
            .extend(tree.kept.as_ref().map(|kept| ("kept", kept.shown().into())));
        report.more.extend(
            tree.definitions
                .as_ref()
                .map(|counts| ("definitions", counts.as_str().into())),
        );
        if let Some(news) = tree.news.as_ref().filter(|news| !news.found.is_empty()) {
            report.more.insert(
                "new_findings",
                serde_json::to_value(&news.found).unwrap_or_default(),
            );
        }
        match &tree.error {
            Some(error) => report.failed(error),
            None => report,
        }
    }

    /// What became of a file that was unpacked.
    pub fn of_unpacked(file: &Unpacked) -> Self {
        let mut report = Report::new(&file.file);
        (report.game, report.format, report.other, report.bytes) = (
            file.game.map(Game::code),
            file.format,
            file.kind,
            file.bytes,
        );
        report.more.extend(
            file.aside
                .as_ref()
                .map(|aside| ("aside", aside.shown().into())),
        );
        match (&file.error, &file.same_as) {
            (Some(error), _) => report = report.failed(error),
            (None, Some(first)) => {
                report.status = Status::Exact;
                report.more.insert("same_as", first.as_str().into());
            }
            (None, None) => {
                report.outcome(file.raw.clone());
                report.also("tree", "tree_hex", &file.tree);
                report.more.insert("files", file.files.into());
            }
        }
        report
    }

    /// Adds a further path; `hex` is the key of its bytes.
    pub fn also(&mut self, key: &'static str, hex: &'static str, path: &Path) {
        self.more.insert(key, path.shown().into());
        if let Some(bytes) = path_hex(path) {
            self.more.insert(hex, bytes.into());
        }
    }

    /// The same, failed.
    pub fn failed(mut self, error: impl ToString) -> Self {
        self.status = Status::Error;
        self.error = Some(error.to_string());
        self
    }

    /// The same after an error: skipped if the file was found below a folder and belongs to another
    /// program, otherwise failed.
    pub fn not_done(self, input: &Input, error: &Error) -> Self {
        let skipped = !input.explicit && unknown_files::is_unknown(error);
        let mut report = self.failed(error.clone().about(&input.path));
        if skipped {
            report.status = Status::Unrecognised;
        }
        report
    }

    /// Adds the result of recognition.
    pub fn detected(&mut self, detection: &Detection) {
        self.game = detection.game.map(Game::code);
        self.format = Some(detection.format);
    }

    /// Adds the role of the file, derived from its path: below a folder from the folders in
    /// between, otherwise from its whole path starting with the game's folder `zbd`.
    pub fn part(&mut self, input: &Input) -> Option<String> {
        let game = Game::ALL
            .into_iter()
            .find(|game| Some(game.code()) == self.game);
        let path = if input.explicit {
            std::path::absolute(&input.path).ok()?
        } else {
            input.relative.clone()
        };
        // Outside of a game's folder, the folders around a file have no meaning.
        let in_game = path
            .components()
            .any(|part| part.as_os_str().eq_ignore_ascii_case("zbd"));
        let path = if input.explicit && !in_game {
            PathBuf::from(path.file_name()?)
        } else {
            path
        };
        let role = game_files::part(&path.shown(), self.format?, game);
        self.role = role.filter(|role| in_game || !input.explicit || !role.depends_on_place());
        self.role.as_ref().map(game_files::RoleInGame::said)
    }

    /// Adds the outcome of a proof.
    pub fn outcome(&mut self, raw: Vec<(String, String)>) {
        self.status = if raw.is_empty() {
            Status::Exact
        } else {
            Status::Raw
        };
        self.raw = raw
            .into_iter()
            .map(|(member, why)| Raw { member, why })
            .collect();
    }

    /// `pm reader`.
    pub fn kind(&self) -> String {
        match (self.game, self.format) {
            (Some(game), Some(format)) => format!("{game} {format}"),
            (None, Some(format)) => format.to_string(),
            _ => self
                .other
                .map(foreign::FileKind::name)
                .unwrap_or_default()
                .to_owned(),
        }
    }
}

/// A row about a file: its path, then further values in this order, without those that are null.
pub struct Row<'a>(pub &'a Path, pub Vec<(&'static str, serde_json::Value)>);

impl Serialize for Row<'_> {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let path = [
            ("path", Some(self.0.shown())),
            ("path_hex", path_hex(self.0)),
        ];
        let path = path
            .into_iter()
            .filter_map(|(key, text)| Some((key, serde_json::Value::from(text?))));
        s.collect_map(path.chain(self.1.iter().filter(|(_, value)| !value.is_null()).cloned()))
    }
}

/// The bytes of a path in hexadecimal, if it is not Unicode; on Windows in WTF-8.
pub fn path_hex(path: &Path) -> Option<String> {
    let bytes = path.as_os_str().as_encoded_bytes();
    path.to_str()
        .is_none()
        .then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
