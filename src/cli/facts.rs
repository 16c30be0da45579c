//! The description of a file, as a report and as lines for people; and the totals of folders.

use super::{
    line::{Line, Paint},
    report::{Report, Status, about},
    session::Session,
    wrap::wrap,
};
use refit::{
    formats::{Format, film::CONVERT, tracks},
    game::Game,
    path::Shown,
    pipeline::{self, addon},
    wire::{Result, count, visible},
    workbench::{
        Input, open,
        totals::{self, Totals},
        unknown_files::{self, UnknownFiles},
    },
};
use std::path::PathBuf;

/// The report of a file, and the same as lines of text.
pub type Described = (Report, Vec<(String, String)>);

/// Describes a file.
pub fn one(session: &Session, input: &Input) -> Described {
    let mut report = Report::new(&input.path);
    let mut lines = Vec::new();
    match fill(session, input, &mut report, &mut lines) {
        Ok(()) => (report, lines),
        Err(e) => (report.not_done(input, &e), lines),
    }
}

fn fill(session: &Session, input: &Input, report: &mut Report, lines: &mut Vec<(String, String)>) -> Result<()> {
    let file = open::load(&input.path)?;
    let name = input.name();
    let sum = file.sha256()?;
    report.bytes = Some(file.len());
    report.sha256 = Some(sum.clone());
    let mut line = |key: &str, value: String| lines.push((key.to_owned(), value));
    let detection = match pipeline::recognise(&file, &name, session.hints()) {
        Ok(detection) => detection,
        Err(e) => {
            let other = unknown_files::recognise(&input.path, &file);
            report.other = other.as_ref().map(|other| other.kind);
            let Some(other) = other.filter(|other| unknown_files::is_unknown(&e) && other.is_told()) else {
                return Err(e);
            };
            report.status = Status::Unrecognised;
            report.note = Some(about(&input.path, &other.error()));
            line("kind", format!("{}, {}", other.kind.name(), other.what));
            line("size", count(file.len() as usize, "byte"));
            line("sha-256", sum);
            let mut info = serde_json::Map::new();
            for (key, value) in other.info {
                line(key, spell(&value));
                info.insert(key.to_owned(), value);
            }
            report.more.insert("info", info.into());
            return Ok(());
        }
    };
    report.detected(&detection);
    report.more.insert("evidence", detection.evidence.clone().into());
    if detection.game.is_some() || detection.format != Format::Pbo {
        line("game", detection.game.map_or("unknown".into(), |g| format!("{g} ({})", g.code())));
    }
    line("format", detection.format.to_string());
    if let Some(part) = report.part(input) {
        line("role", part);
    }
    line("evidence", detection.evidence.clone());
    line("size", count(file.len() as usize, "byte"));
    line("sha-256", sum);
    let opened = pipeline::read(&file, detection)?;
    let mut info = serde_json::Map::new();
    for (key, value) in opened.model.info() {
        let key_text = key.replace('_', " ");
        match &value {
            // A long list has one item per line.
            serde_json::Value::Array(items) if items.len() > 8 => {
                items.iter().enumerate().for_each(|(i, item)| line(if i == 0 { &key_text } else { "" }, spell(item)));
            }
            value => line(&key_text, spell(value)),
        }
        info.insert(key.to_owned(), value);
    }
    report.more.insert("info", info.into());
    if report.format == Some(Format::Pbo) {
        let signatures = addon::describe_signatures(&input.path, &file);
        for signature in &signatures {
            line("signature", signature.clone());
        }
        if !signatures.is_empty() {
            report.more.insert("signatures", signatures.into());
        }
    }
    let findings = pipeline::lint(&*opened.model)?.len();
    report.findings = Some(findings);
    // Proving each part is the task of `verify`, because it takes time.
    let other = pipeline::gives_back(&file, &opened)?;
    report.outcome(other.map(|why| (String::new(), why.to_string())).into_iter().collect());
    line("findings", if findings == 0 { "none".into() } else { format!("{findings} (refit lint {name})") });
    line(
        "round trip",
        match (report.status, report.raw.as_slice()) {
            (Status::Raw, [raw]) if raw.member.is_empty() => format!("the file stays raw: {}", raw.why),
            _ => "exact".into(),
        },
    );
    Ok(())
}

/// A value for people: `a 3, b 4` instead of braces and quotes.
fn spell(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".into(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Array(items) => items.iter().map(spell).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            // `wav, MS ADPCM 3` would look like two items.
            let between = if map.keys().any(|key| key.contains(',')) { "; " } else { ", " };
            map.iter().map(|(k, v)| format!("{k} {}", spell(v))).collect::<Vec<_>>().join(between)
        }
        // Most fractions are stored in four bytes: as many digits as those need, not as eight would.
        Value::Number(number) => match number.as_f64() {
            Some(value) if number.is_f64() && f64::from(value as f32) == value => (value as f32).to_string(),
            _ => number.to_string(),
        },
    }
}

/// Lines of one value on a terminal without `--verbose`.
const LINES: usize = 6;
/// Columns that a value has at least, however long the keys are.
const NARROW: usize = 20;

/// Wraps a long value to the width of a terminal.
fn fold(value: &str, indent: usize, columns: Option<usize>, all: bool) -> Vec<String> {
    let mut lines = wrap(value, columns.map(|columns| columns.saturating_sub(indent).max(NARROW)));
    let more = if all { 0 } else { lines.len().saturating_sub(LINES) };
    if more > 0 {
        lines.truncate(LINES);
        lines.push(format!("… (--verbose: {})", count(more, "more line")));
    }
    lines
}

/// Prints a report for people or as JSON, with a blank line before it if it is not the first.
pub fn print(session: &Session, report: &Report, lines: &[(String, String)], is_next: bool) {
    if session.global.json {
        session.json(report);
    } else if !lines.is_empty() && report.error.is_none() || report.format.is_some() {
        if is_next {
            session.line("");
        }
        session.line(Line::new().paint(Paint::Bold, &report.path));
        let width = lines.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
        for (key, value) in lines {
            let lines = fold(&visible(value), width + 4, session.columns(), session.global.verbose);
            for (i, line) in lines.iter().enumerate() {
                let key = if i == 0 { key.as_str() } else { "" };
                session.line(format!("  {key:width$}  {}", line.trim_end()));
            }
        }
    }
    if let Some(error) = &report.error {
        session.error(error);
    }
}

/// Prints the facts about folders: totals of their files, files of other kinds, how to convert their films, and the
/// music that stays on the disc.
pub fn print_folders(
    session: &Session,
    files: &[PathBuf],
    others: &UnknownFiles,
    old_films: bool,
    game: Option<Game>,
    totals: &Totals,
) {
    let music = game.map(tracks::tell).unwrap_or_default();
    if session.global.json {
        let mut facts = serde_json::Map::new();
        let row = |row: totals::Row| serde_json::json!({ "what": row.what, "count": row.count, "known": row.known });
        let rows: Vec<_> = totals.rows(game).map(row).collect();
        if !rows.is_empty() {
            facts.insert("totals".into(), rows.into());
        }
        if !others.is_empty() {
            facts.insert("others".into(), others.json());
        }
        if old_films {
            facts.insert("convert_films".into(), CONVERT.into());
        }
        if !music.is_empty() {
            facts.insert("music".into(), music.into());
        }
        if !facts.is_empty() {
            let folders: Vec<String> = files.iter().filter(|path| path.is_dir()).map(|path| path.shown()).collect();
            facts.insert("path".into(), folders.join(", ").into());
            facts.insert("status".into(), "folder".into());
            session.json(&serde_json::Value::Object(facts));
        }
        return;
    }
    let rows: Vec<totals::Row> = totals.rows(game).collect();
    if !others.is_empty() || !music.is_empty() || !rows.is_empty() {
        session.tell("");
    }
    if let Some(game) = game.filter(|_| rows.iter().any(|row| row.known.is_some())) {
        session.tell(format!("in all, compared with counts by owners of {game}:"));
    } else if !rows.is_empty() {
        session.tell("in all:");
    }
    let width = rows.iter().map(|row| row.what.len()).max().unwrap_or(0);
    for row in rows {
        let known = row.known.map_or_else(String::new, |known| format!("  ({known})"));
        session.tell(format!("  {:width$}  {}{known}", row.what, row.count));
    }
    if let Some(summary) = others.summary() {
        session.tell(summary);
    }
    if old_films {
        session.tell(format!("for current video players: {CONVERT} (keep the AVI files: the game exits without them)"));
    }
    for (i, line) in music.iter().enumerate() {
        session.tell(format!("{}{line}", if i == 0 { "music on the disc: " } else { "                   " }));
    }
}
