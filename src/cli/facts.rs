//! Prints descriptions of files, and the totals of folders.

use super::{
    line::{Line, Paint},
    session::Session,
    wrap::wrap,
};
use refit_base::{
    format::Format,
    game::Game,
    wire::{count, visible},
};
use refit_workbench::{
    describe::{Description, FolderFacts},
    editions::Edition,
};
use serde_json::Value;

/// The description as lines of a key and a text.
fn lines(
    Description {
        report,
        info,
        other,
        signatures,
    }: &Description,
) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let mut line = |key: &str, value: String| lines.push((key.to_owned(), value));
    if let Some(other) = other {
        line("kind", format!("{}, {}", other.kind.name(), other.what));
    }
    if let Some(format) = report.format {
        let game = Game::ALL
            .into_iter()
            .find(|game| report.game == Some(game.code()));
        if game.is_some() || format != Format::Pbo {
            line(
                "game",
                game.map_or("unknown".into(), |game| format!("{game} ({})", game.code())),
            );
        }
        line("format", format.to_string());
        report
            .role
            .iter()
            .for_each(|role| line("role", role.said()));
        line(
            "evidence",
            report.more.get("evidence").map(spell).unwrap_or_default(),
        );
    }
    if let (Some(bytes), Some(sum), true) = (
        report.bytes,
        &report.sha256,
        other.is_some() || report.format.is_some(),
    ) {
        line("size", count(bytes as usize, "byte"));
        line("sha-256", sum.clone());
    }
    for (key, value) in info {
        let key = if other.is_some() {
            (*key).to_owned()
        } else {
            key.replace('_', " ")
        };
        match value {
            // A long list has one item per line.
            Value::Array(items) if items.len() > 8 && other.is_none() => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(i, item)| line(if i == 0 { &key } else { "" }, spell(item)));
            }
            value => line(&key, spell(value)),
        }
    }
    signatures
        .iter()
        .for_each(|signature| line("signature", signature.clone()));
    if let (Some(findings), None) = (report.findings, &report.error) {
        let many = |n: usize| format!("{n} (refit lint {})", report.path);
        line(
            "findings",
            if findings == 0 {
                "none".into()
            } else {
                many(findings)
            },
        );
        let raw = report.raw.first().filter(|raw| raw.member.is_empty());
        line(
            "round trip",
            raw.map_or("exact".into(), |raw| {
                format!("the file stays raw: {}", raw.why)
            }),
        );
    }
    lines
}

/// A value for people: `a 3, b 4` instead of braces and quotes.
fn spell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".into(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Array(items) => items.iter().map(spell).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            // `wav, MS ADPCM 3` would look like two items.
            let between = if map.keys().any(|key| key.contains(',')) {
                "; "
            } else {
                ", "
            };
            map.iter()
                .map(|(k, v)| format!("{k} {}", spell(v)))
                .collect::<Vec<_>>()
                .join(between)
        }
        // Most fractions are stored in four bytes: as many digits as those need, not as eight
        // would.
        Value::Number(number) => match number.as_f64() {
            Some(value) if number.is_f64() && f64::from(value as f32) == value => {
                (value as f32).to_string()
            }
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
    let mut lines = wrap(
        value,
        columns.map(|columns| columns.saturating_sub(indent).max(NARROW)),
    );
    let more = if all {
        0
    } else {
        lines.len().saturating_sub(LINES)
    };
    if more > 0 {
        lines.truncate(LINES);
        lines.push(format!("… (--verbose: {})", count(more, "more line")));
    }
    lines
}

/// Prints a description for people or as JSON, with a blank line before it if it is not the first.
pub fn print(session: &Session, description: &Description, is_next: bool) {
    let report = &description.report;
    let lines = lines(description);
    if session.global.json {
        session.json(report);
    } else if !lines.is_empty() {
        if is_next {
            session.line("");
        }
        session.line(Line::new().paint(Paint::Bold, &report.path));
        let width = lines
            .iter()
            .map(|(key, _)| key.chars().count())
            .max()
            .unwrap_or(0);
        for (key, value) in lines {
            let lines = fold(
                &visible(&value),
                width + 4,
                session.columns(),
                session.global.verbose,
            );
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

/// `edition: the release of 1999 (en-US); lacks 2 of 105 .zbd files`
fn line_of(edition: &Edition) -> String {
    let languages: Vec<&str> = edition.languages.iter().map(String::as_str).collect();
    let mut line = format!("edition: {}", edition.name);
    if !languages.is_empty() {
        line.push_str(&format!(" ({})", languages.join(", ")));
    }
    if !edition.lacks.is_empty() {
        line.push_str(&format!("; lacks {}", edition.lacks.join(", ")));
    }
    if !edition.has_them.is_empty() {
        line.push_str(&format!(" ({})", edition.has_them));
    }
    line
}

/// Prints the facts about folders: totals of their files, the edition, files of other kinds, how to convert
/// their films, and the music that stays on the disc.
pub fn print_folders(session: &Session, facts: &FolderFacts<'_>) {
    if session.global.json {
        if !facts.is_empty() {
            session.json(facts);
        }
        return;
    }
    let FolderFacts {
        totals: rows,
        music,
        others,
        ..
    } = facts;
    if !others.is_empty() || !music.is_empty() || !rows.is_empty() {
        session.tell("");
    }
    if let Some(game) = facts
        .game
        .filter(|_| rows.iter().any(|row| row.known.is_some()))
    {
        session.tell(format!("in all, compared with counts by owners of {game}:"));
    } else if !rows.is_empty() {
        session.tell("in all:");
    }
    let width = rows.iter().map(|row| row.what.len()).max().unwrap_or(0);
    for row in rows {
        let known = row
            .known
            .map_or_else(String::new, |known| format!("  ({known})"));
        session.tell(format!("  {:width$}  {}{known}", row.what, row.count));
    }
    if let Some(edition) = &facts.edition {
        session.tell(line_of(edition));
    }
    if let Some(summary) = others.summary() {
        session.tell(summary);
    }
    if let Some(convert) = facts.convert_films {
        session.tell(format!(
            "for current video players: {convert} (keep the AVI files: the game exits without them)"
        ));
    }
    for (i, line) in music.iter().enumerate() {
        session.tell(format!(
            "{}{line}",
            if i == 0 {
                "music on the disc: "
            } else {
                "                   "
            }
        ));
    }
}
