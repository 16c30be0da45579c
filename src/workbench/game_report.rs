//! A report on a game's files without the game: names, sizes and sums of files, verdicts, codes and
//! places of findings, ranges of unknown numbers.
//!
//! Nothing that a file says gets into a report: places are positions and names of fields
//! (`places`), errors are kinds and offsets, and of values there are only the ranges of numbers
//! whose meaning is unknown (`unknown`).

mod compare;
mod places;
mod unknown;

use super::{
    files,
    lint::{Lint, Linted},
    open,
    options::Options,
    parallel::in_order,
    paths::Input,
    progress::Progress,
    totals::Totals,
    unknown_files,
};
use places::{MemberNames, place};
use refit_base::{
    contract::Model,
    format::Format,
    game::Game,
    lint::{Finding, Severity},
    path::Shown,
    wire::{Error, Result, is_zero},
};
use refit_files::{
    foreign,
    pipeline::{self, Hints, Via},
};
use serde::{Deserialize, Serialize, Serializer};
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};
use unknown::{Collector, UnknownFields};

pub use compare::{ReportDifference, compare};

/// The version of the layout of reports.
pub const VERSION: u32 = 1;

/// Places that are listed for one kind of finding in one file; all findings are counted.
const PLACES_IN_FILE: usize = 5;
/// Places that are listed for one kind of finding in all files.
const PLACES: usize = 100;

/// A report on the files of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GameReport {
    /// The version of this layout.
    pub report: u32,
    /// The version of refit.
    pub refit: String,
    /// The files, in the order of their names.
    pub files: Vec<ReportedFile>,
    /// Sums over all files, by what is counted: `images`.
    pub counts: BTreeMap<String, u64>,
    /// The values of unknown fields, by game and format (`mw gamez`), then by field.
    pub unknown: BTreeMap<String, BTreeMap<String, FieldRange>>,
}

/// A file of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedFile {
    /// Its path below the game's folder, with `/`.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256; absent if it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The game's two letters, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The format, or the kind of a file of another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The format's version in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// What `verify` says.
    pub verdict: ReportVerdict,
    /// The error of a file that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ReportedError>,
    /// The members that are kept raw: their places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raw: Vec<String>,
    /// The findings of `lint`, worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<ReportedFindings>,
    /// How many parts `lint` could not judge.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unjudged: usize,
}

/// The verdict of `verify` on a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportVerdict {
    /// It comes back bit for bit.
    Exact,
    /// It does, but at least one part has no typed form.
    Raw,
    /// It cannot be read.
    Failed,
    /// It belongs to another program.
    #[default]
    Other,
}

impl ReportVerdict {
    /// The verdict as in the report.
    pub fn word(self) -> &'static str {
        match self {
            ReportVerdict::Exact => "exact",
            ReportVerdict::Raw => "raw",
            ReportVerdict::Failed => "failed",
            ReportVerdict::Other => "other",
        }
    }
}

/// An error, without its message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedError {
    /// Its kind: `truncated`, `invalid`.
    pub kind: String,
    /// Its offset in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Its place.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
}

impl ReportedError {
    fn of(error: &Error) -> Self {
        ReportedError {
            kind: format!("{:?}", error.kind()).to_lowercase(),
            at: error.offset(),
            place: place(&error.path(), &MemberNames::default()),
        }
    }
}

/// The findings of one kind in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedFindings {
    /// The code.
    pub code: String,
    /// What the game does.
    pub severity: String,
    /// How many there are.
    pub count: usize,
    /// The places of the first ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
}

/// The values of a field whose meaning is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldRange {
    /// The type of its values, `u32`; `bytes` for anything but numbers: then the values are sizes.
    pub kind: String,
    /// Number of values.
    pub values: u64,
    /// Number of different values, 1,000 at most.
    pub distinct: usize,
    /// The smallest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Number>,
    /// The largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Number>,
    /// How many values are NaN or infinite.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_finite: u64,
}

/// A number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Number {
    /// A whole number; larger ones of 64 bits without a sign are the largest of this type.
    Whole(i64),
    /// An IEEE 754 binary32, finite.
    Fraction(f32),
}

impl Number {
    fn of(value: f32) -> Self {
        Number::Fraction(value)
    }

    /// The value for comparisons.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Whole(n) => n as f64,
            Number::Fraction(n) => f64::from(n),
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Number::Whole(n) => s.serialize_i64(*n),
            Number::Fraction(n) => s.serialize_f32(*n),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Whole(n) => write!(f, "{n}"),
            Number::Fraction(n) => write!(f, "{n:?}"),
        }
    }
}

/// Findings of one code in a file, before their places are made.
struct Found {
    severity: Severity,
    count: usize,
    paths: Vec<String>,
}

/// What lint says of a file.
#[derive(Default)]
struct Judged {
    found: BTreeMap<&'static str, Found>,
    unjudged: usize,
}

impl Judged {
    fn add<'a>(&mut self, findings: impl Iterator<Item = &'a Finding>) {
        for finding in findings {
            let found = self.found.entry(finding.code).or_insert_with(|| Found {
                severity: finding.severity,
                count: 0,
                paths: Vec::new(),
            });
            found.severity = found.severity.max(finding.severity);
            found.count += 1 + finding.more;
            if found.paths.len() < PLACES_IN_FILE {
                found.paths.push(finding.path.clone());
            }
        }
    }

    /// The findings with their places, worst first.
    fn reported(&self, members: &MemberNames) -> Vec<ReportedFindings> {
        let mut all: Vec<(&Severity, ReportedFindings)> = self
            .found
            .iter()
            .map(|(code, found)| {
                let at = found.paths.iter().map(|path| place(path, members));
                let row = ReportedFindings {
                    code: (*code).to_owned(),
                    severity: found.severity.word().to_owned(),
                    count: found.count,
                    at: at.filter(|place| !place.is_empty()).collect(),
                };
                (&found.severity, row)
            })
            .collect();
        all.sort_by(|(a, _), (b, _)| b.cmp(a));
        all.into_iter().map(|(_, row)| row).collect()
    }
}

/// A file's part of a report.
struct Examined {
    file: ReportedFile,
    unknown: UnknownFields,
    format: Option<Format>,
    info: Option<serde_json::Value>,
}

impl GameReport {
    /// Examines the files of a game: a folder, or files. Needs the memory that `verify` needs, and
    /// a few values for each unknown field.
    ///
    /// # Errors
    /// None of the files is known, a path does not exist, or it is a tree or a project.
    pub fn of(paths: &[PathBuf], options: &Options, progress: &dyn Progress) -> Result<Self> {
        let inputs = files::files(paths, options, progress)?;
        let judged = judge(paths, options, progress)?;
        let mut report = GameReport {
            report: VERSION,
            refit: env!("CARGO_PKG_VERSION").to_owned(),
            files: Vec::new(),
            counts: BTreeMap::new(),
            unknown: BTreeMap::new(),
        };
        let mut fields: BTreeMap<String, UnknownFields> = BTreeMap::new();
        let mut totals = Totals::default();
        let mut listed: HashMap<String, usize> = HashMap::new();
        in_order(
            &inputs,
            options,
            progress,
            (Input::size, Input::name),
            |input| examine(input, options.hints, judged.get(&input.path)),
            |_, examined| {
                let Some(mut examined) = examined else { return };
                let file = &mut examined.file;
                for findings in &mut file.findings {
                    let listed = listed.entry(findings.code.clone()).or_default();
                    findings.at.truncate(PLACES.saturating_sub(*listed));
                    *listed += findings.at.len();
                }
                totals.add(examined.format, examined.info.as_ref());
                let key = kind(file);
                fields.entry(key).or_default().merge(examined.unknown);
                report.files.push(examined.file);
            },
        );
        report.unknown = fields
            .iter()
            .map(|(kind, fields)| (kind.clone(), fields.ranges()))
            .filter(|(_, fields)| !fields.is_empty())
            .collect();
        let game = report.game();
        report.counts = totals
            .rows(game)
            .map(|row| (row.what.to_owned(), row.count))
            .collect();
        Ok(report)
    }

    /// The game of most files.
    pub fn game(&self) -> Option<Game> {
        let of = |game: &Game| {
            let is = |file: &&ReportedFile| file.game.as_deref() == Some(game.code());
            self.files.iter().filter(is).count()
        };
        Game::ALL
            .into_iter()
            .filter(|game| of(game) > 0)
            .max_by_key(of)
    }

    /// How many files have this verdict.
    pub fn with(&self, verdict: ReportVerdict) -> usize {
        let is = |file: &&ReportedFile| file.verdict == verdict;
        self.files.iter().filter(is).count()
    }

    /// The findings by code, worst first: code, severity, how many there are, and in how many files.
    pub fn findings(&self) -> Vec<(&str, &str, usize, usize)> {
        let mut all: BTreeMap<&str, (&str, usize, usize)> = BTreeMap::new();
        let rank = |word: &str| Severity::ALL.iter().position(|one| one.word() == word);
        for found in self.files.iter().flat_map(|file| &file.findings) {
            let (_, count, files) = all.entry(&found.code).or_insert((&found.severity, 0, 0));
            *count += found.count;
            *files += 1;
        }
        let mut rows: Vec<_> = all
            .into_iter()
            .map(|(code, (severity, count, files))| (code, severity, count, files))
            .collect();
        rows.sort_by_cached_key(|(_, severity, count, _)| {
            std::cmp::Reverse((rank(severity), *count))
        });
        rows
    }

    /// Reads a report.
    ///
    /// # Errors
    /// The file cannot be read, or is no report of this version.
    pub fn load(path: &Path) -> Result<Self> {
        let file = pipeline::load(path)?;
        let wrong = |what: String| {
            Error::say(what)
                .in_file(path.shown())
                .hint("`refit report GAME -o FILE` writes one")
        };
        let report: GameReport = serde_json::from_slice(&file.bytes()?)
            .map_err(|e| wrong(format!("not a report: {e}")))?;
        if report.report == VERSION {
            Ok(report)
        } else {
            Err(wrong(format!(
                "a report of version {}, but this refit reads version {VERSION}",
                report.report
            )))
        }
    }

    /// The report as JSON, with one line for each file and each field.
    ///
    /// # Errors
    /// Never for a report that refit made.
    pub fn to_json(&self) -> Result<String> {
        let mut out = format!(
            "{{\n\"report\": {},\n\"refit\": {},\n\"counts\": {},\n\"files\": [",
            self.report,
            text(&self.refit)?,
            text(&self.counts)?
        );
        for (i, file) in self.files.iter().enumerate() {
            out.push_str(if i == 0 { "\n" } else { ",\n" });
            out.push_str(&text(file)?);
        }
        out.push_str("\n],\n\"unknown\": {");
        for (i, (kind, fields)) in self.unknown.iter().enumerate() {
            out.push_str(if i == 0 { "\n" } else { ",\n" });
            out.push_str(&text(kind)?);
            out.push_str(": {");
            for (i, (field, range)) in fields.iter().enumerate() {
                out.push_str(if i == 0 { "\n" } else { ",\n" });
                out.push_str(&text(field)?);
                out.push_str(": ");
                out.push_str(&text(range)?);
            }
            out.push_str("\n}");
        }
        out.push_str("\n}\n}\n");
        Ok(out)
    }
}

fn text<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::say(e.to_string()))
}

/// The game and format of a file: `mw gamez`.
fn kind(file: &ReportedFile) -> String {
    [file.game.as_deref(), file.format.as_deref()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The findings of `lint`, by file.
fn judge(
    paths: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<HashMap<PathBuf, Judged>> {
    let mut all: HashMap<PathBuf, Judged> = HashMap::new();
    let lint = Lint {
        paths: paths.to_owned(),
        ..Lint::default()
    };
    lint.run(options, progress, &mut |input, linted| {
        let found = match linted {
            Linted::Findings(found, unjudged) => {
                if !unjudged.is_empty() {
                    all.entry(input.path.clone()).or_default().unjudged += unjudged.len();
                }
                found
            }
            Linted::Across(found) => found.into_iter().map(|misfit| misfit.finding).collect(),
            Linted::News(_) | Linted::Skipped(..) | Linted::Failed(_) => return,
        };
        if !found.is_empty() {
            all.entry(input.path.clone()).or_default().add(found.iter());
        }
    })?;
    Ok(all)
}

/// Examines a file; `None` for a private key, which belongs into no report.
fn examine(input: &Input, hints: Hints, judged: Option<&Judged>) -> Option<Examined> {
    let mut examined = Examined {
        file: ReportedFile {
            name: input.relative.shown().replace('\\', "/"),
            bytes: input.size(),
            ..ReportedFile::default()
        },
        unknown: UnknownFields::default(),
        format: None,
        info: None,
    };
    match examined.fill(input, hints, judged) {
        Ok(true) => Some(examined),
        Ok(false) => None,
        Err(e) => {
            examined.file.verdict = ReportVerdict::Failed;
            examined.file.error = Some(ReportedError::of(&e));
            Some(examined)
        }
    }
}

impl Examined {
    /// False for a private key.
    fn fill(&mut self, input: &Input, hints: Hints, judged: Option<&Judged>) -> Result<bool> {
        let report = &mut self.file;
        let file = open::load(&input.path)?;
        if open::is_private_key(&input.path, &file)? {
            return Ok(false);
        }
        report.bytes = file.len();
        report.sha256 = Some(file.sha256()?);
        let detection = match pipeline::recognise(&file, &input.name(), hints) {
            Ok(detection) => detection,
            Err(e) if unknown_files::is_unknown(&e) => {
                if foreign::is_texture_list(&file.slice(0, 4)?.bytes()?)
                    && let Some(proof) = foreign::prove(&file.bytes()?)
                {
                    proof?;
                    report.verdict = ReportVerdict::Exact;
                }
                let other = unknown_files::recognise(&input.path, &file);
                report.format = other.map(|other| other.kind.name().to_owned());
                return Ok(true);
            }
            Err(e) => return Err(e),
        };
        report.game = detection.game.map(|game| game.code().to_owned());
        report.format = Some(detection.format.name().to_owned());
        let format = detection.format;
        let collector = Collector::new(&file);
        // What is wrong with a file says the proof.
        _ = pipeline::trace(&file, &detection, &collector);
        let (unknown, fault) = collector.finish();
        self.unknown = unknown;
        if let Some(fault) = fault {
            return Err(fault);
        }
        let opened = pipeline::read(&file, detection)?;
        self.format = Some(format);
        let info = opened.model.info();
        let is_version = |(key, _): &&(&str, serde_json::Value)| *key == "version";
        report.version = info.iter().find(is_version).and_then(|(_, n)| n.as_u64());
        let info = info.into_iter().map(|(key, value)| (key.to_owned(), value));
        self.info = Some(info.collect::<serde_json::Map<_, _>>().into());
        let proved = |opened| pipeline::prove(&file, &input.name(), opened, Via::Json);
        // Names are only needed for places.
        let members = match judged {
            Some(_) => member_names(&*opened.model),
            None => MemberNames::default(),
        };
        if let Some(judged) = judged {
            report.findings = judged.reported(&members);
            report.unjudged = judged.unjudged;
        }
        let raw = proved(opened)?.raw;
        report.verdict = if raw.is_empty() {
            ReportVerdict::Exact
        } else {
            ReportVerdict::Raw
        };
        report.raw = raw
            .iter()
            .take(PLACES)
            .map(|(member, _)| place(member, &members))
            .collect();
        Ok(true)
    }
}

/// The names of a file's members, and those of their documents.
fn member_names(model: &dyn Model) -> MemberNames {
    let members = model.as_members().map(|file| file.members());
    MemberNames::new(members.into_iter().flatten().map(|member| member.name))
}
