//! Describes files, and sums up the files of folders.

use super::{
    editions::{Edition, Marks},
    open,
    options::Options,
    paths::Input,
    report::{Report, Status},
    totals::{self, Totals},
    unknown_files::{self, UnknownFiles},
};
use refit_base::{contract::Info, format::Format, game::Game, path::Shown, wire::Result};
use refit_files::{
    foreign::Foreign,
    game_files::fold,
    pipeline::{self, Hints, addon},
};
use refit_zipper::{film::CONVERT, tracks};
use serde::Serialize;
use std::path::PathBuf;

/// The description of a file.
pub struct Description {
    /// As a report.
    pub report: Report,
    /// What only its format has, in the order in which people read it.
    pub info: Info,
    /// What it is, if refit does not unpack it but describes it: a film, a sound.
    pub other: Option<Foreign>,
    /// Descriptions of the signatures next to a PBO.
    pub signatures: Vec<String>,
}

/// Describes a file.
pub fn describe(input: &Input, hints: Hints) -> Description {
    let (report, info) = (Report::new(&input.path), Info::new());
    let mut made = Description {
        report,
        info,
        other: None,
        signatures: Vec::new(),
    };
    if let Err(e) = made.fill(input, hints) {
        made.report = made.report.not_done(input, &e);
    }
    made
}

impl Description {
    fn fill(&mut self, input: &Input, hints: Hints) -> Result<()> {
        let report = &mut self.report;
        let file = open::load(&input.path)?;
        report.bytes = Some(file.len());
        report.sha256 = Some(file.sha256()?);
        let detection = match pipeline::recognise(&file, &input.name(), hints) {
            Ok(detection) => detection,
            Err(e) => {
                let other = unknown_files::recognise(&input.path, &file);
                report.other = other.as_ref().map(|other| other.kind);
                let Some(other) =
                    other.filter(|other| unknown_files::is_unknown(&e) && other.is_told())
                else {
                    return Err(e);
                };
                report.status = Status::Unrecognised;
                report.note = Some(other.error().about(&input.path).to_string());
                self.info.clone_from(&other.info);
                self.other = Some(other);
                self.add_info();
                return Ok(());
            }
        };
        report.detected(&detection);
        report
            .more
            .insert("evidence", detection.evidence.clone().into());
        report.part(input);
        let opened = pipeline::read(&file, detection)?;
        self.info = opened.model.info();
        self.add_info();
        let report = &mut self.report;
        if report.format == Some(Format::Pbo) {
            self.signatures = addon::describe_signatures(&input.path, &file);
            if !self.signatures.is_empty() {
                report
                    .more
                    .insert("signatures", self.signatures.as_slice().into());
            }
        }
        report.findings = Some(pipeline::lint(&*opened.model)?.len());
        // Proving each part is the task of `verify`, because it takes time.
        let other = pipeline::gives_back(&file, &opened)?;
        report.outcome(
            other
                .map(|why| (String::new(), why.to_string()))
                .into_iter()
                .collect(),
        );
        Ok(())
    }

    fn add_info(&mut self) {
        let info = self
            .info
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()));
        self.report
            .more
            .insert("info", info.collect::<serde_json::Map<_, _>>().into());
    }
}

/// What the files of folders have in common.
#[derive(Default)]
pub struct Folders {
    /// The files of other programs, by their kind.
    others: UnknownFiles,
    old_films: bool,
    games: [usize; Game::ALL.len()],
    totals: Totals,
    marks: Marks,
    /// The user selected some of the files: nothing is known of the others.
    is_part: bool,
}

/// The languages of the tables of messages: `en-US` of `message table 1, en-US, code page 1252`.
fn languages(info: &Info) -> impl Iterator<Item = String> + '_ {
    let is_language = |word: &&str| {
        let parts = word.split_once('-');
        parts.is_some_and(|(language, country)| {
            (2..=3).contains(&language.len())
                && language.bytes().all(|c| c.is_ascii_lowercase())
                && country.bytes().all(|c| c.is_ascii_uppercase())
        })
    };
    info.iter()
        .filter(|(key, _)| *key == "tables")
        .filter_map(|(_, tables)| tables.as_array())
        .flatten()
        .filter_map(|table| table.as_str())
        .filter_map(move |table| table.split(", ").find(is_language))
        .map(str::to_owned)
}

impl Folders {
    /// No file yet, of those that the options select.
    pub fn new(options: &Options) -> Self {
        Folders {
            is_part: options.filter.is_given(),
            ..Folders::default()
        }
    }

    /// One more file, unless the user named it itself.
    pub fn add(&mut self, input: &Input, Description { report, info, .. }: &Description) {
        if input.explicit {
            return;
        }
        self.marks.files.insert(fold(&input.relative.shown()));
        match report.format {
            Some(Format::Gamez) => self.marks.worlds += 1,
            Some(Format::Messages) => self.marks.languages.extend(languages(info)),
            _ => {}
        }
        // A film in a folder is described, and counted as a film.
        if report.status == Status::Unrecognised {
            self.others.add(report.other);
            self.old_films |= info.iter().any(|(key, _)| *key == "convert");
        }
        if report.error.is_some() && report.status == Status::Unrecognised {
            return;
        }
        let games = Game::ALL
            .iter()
            .zip(&mut self.games)
            .filter(|(game, _)| report.game == Some(game.code()));
        games.for_each(|(_, n)| *n += 1);
        self.totals.add(report.format, report.more.get("info"));
    }

    /// The facts about these folders.
    pub fn facts(&self, folders: &[PathBuf]) -> FolderFacts<'_> {
        let games = self.games.iter().zip(Game::ALL);
        let game = games
            .max_by_key(|(n, _)| **n)
            .filter(|(n, _)| **n > 0)
            .map(|(_, game)| game);
        let folders: Vec<String> = folders
            .iter()
            .filter(|path| path.is_dir())
            .map(|path| path.shown())
            .collect();
        FolderFacts {
            game,
            edition: game
                .filter(|_| !self.is_part)
                .and_then(|game| self.marks.edition(game)),
            convert_films: self.old_films.then_some(CONVERT),
            music: game.map(tracks::tell).unwrap_or_default(),
            others: &self.others,
            path: folders.join(", "),
            status: "folder",
            totals: self.totals.rows(game).collect(),
        }
    }
}

/// Facts about folders.
#[derive(Serialize)]
pub struct FolderFacts<'a> {
    /// The game of most files.
    #[serde(skip)]
    pub game: Option<Game>,
    /// The edition, if refit knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<Edition>,
    /// How to convert films that current players do not show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convert_films: Option<&'static str>,
    /// The music that stays on the disc.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub music: Vec<String>,
    /// How many files of other programs there are of each kind.
    #[serde(skip_serializing_if = "UnknownFiles::is_empty")]
    pub others: &'a UnknownFiles,
    path: String,
    status: &'static str,
    /// Totals, next to the counts of owners.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub totals: Vec<totals::Row>,
}

impl FolderFacts<'_> {
    /// True if nothing is known.
    pub fn is_empty(&self) -> bool {
        self.convert_films.is_none()
            && self.edition.is_none()
            && self.music.is_empty()
            && self.others.is_empty()
            && self.totals.is_empty()
    }
}
