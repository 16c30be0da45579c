//! `refit info`: what a file is.

use super::{
    paths,
    session::{Line, Paint, Report, Session, Status, about},
    subject,
    wrap::wrap,
};
use clap::Args;
use refit::{
    formats::Format,
    wire::{Result, visible},
    work::{self, Via, addon},
};
use std::path::PathBuf;

/// Tell what a file is: game, format, version, counts, checksum
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit info reader.zbd
  refit info --json *.zbd")]
pub struct Info {
    /// Files, or `-` for standard input; a folder stands for every recognised file below it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// A report, and the lines for people.
type Told = (Report, Vec<(String, String)>);

fn one(session: &Session, input: &paths::Input) -> Told {
    let mut report = Report::new(&input.path);
    let mut lines = Vec::new();
    match fill(session, input, &mut report, &mut lines) {
        Ok(()) => (report, lines),
        Err(e) => (report.failed(about(&input.path, &e)), lines),
    }
}

fn fill(session: &Session, input: &paths::Input, report: &mut Report, lines: &mut Vec<(String, String)>) -> Result<()> {
    let file = subject::load(&input.path)?;
    let name = input.name();
    let sum = file.sha256()?;
    report.bytes = Some(file.len());
    report.sha256 = Some(sum.clone());
    let mut line = |key: &str, value: String| lines.push((key.to_owned(), value));
    let detection = work::recognise(&file, &name, session.hints())?;
    report.detected(&detection);
    report.more.insert("evidence", detection.evidence.clone().into());
    if detection.game.is_some() || detection.format != Format::Pbo {
        line("game", detection.game.map_or("unknown".into(), |g| format!("{g} ({})", g.code())));
    }
    line("format", detection.format.to_string());
    line("evidence", detection.evidence.clone());
    line("size", super::session::count(file.len() as usize, "byte"));
    line("sha-256", sum);
    let opened = work::read(&file, detection)?;
    let mut info = serde_json::Map::new();
    for (key, value) in opened.model.info() {
        let key_text = key.replace('_', " ");
        match &value {
            // A long list stands one item a line.
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
    let findings = work::lint(&*opened.model).len();
    report.findings = Some(findings);
    let outcome = work::prove(&file, &name, &opened, Via::Bytes)?;
    report.outcome(outcome.raw);
    line("findings", if findings == 0 { "none".into() } else { format!("{findings} (refit lint {name})") });
    line(
        "round trip",
        match (report.status, report.raw.as_slice()) {
            (Status::Raw, [raw]) if raw.member.is_empty() => format!("the file stays raw: {}", raw.why),
            (Status::Raw, raw) => format!("exact, {} kept raw", super::session::count(raw.len(), "member")),
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
        Value::Object(map) => map.iter().map(|(k, v)| format!("{k} {}", spell(v))).collect::<Vec<_>>().join(", "),
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

/// A long value on several lines, below each other, where a terminal has so many columns.
fn fold(value: &str, indent: usize, columns: Option<usize>, all: bool) -> Vec<String> {
    let mut lines = wrap(value, columns.map(|columns| columns.saturating_sub(indent).max(NARROW)));
    let more = if all { 0 } else { lines.len().saturating_sub(LINES) };
    if more > 0 {
        lines.truncate(LINES);
        lines.push(format!("… (--verbose: {})", super::session::count(more, "more line")));
    }
    lines
}

impl Info {
    /// Runs the command.
    pub fn run(self, session: &mut Session) -> Result<()> {
        let inputs = paths::files(&self.files, session)?;
        let mut known = 0;
        let progress = session.progress(0);
        for input in &inputs {
            progress.say(input.name());
            let (report, lines) = one(session, input);
            if report.format.is_none() && !input.explicit {
                session.detail(report.error.as_deref().unwrap_or_default());
                continue;
            }
            known += 1;
            progress.aside(|| {
                if session.global.json {
                    session.json(&report);
                } else if report.format.is_some() {
                    if known > 1 {
                        session.line("");
                    }
                    session.line(Line::new().paint(Paint::Bold, &report.path));
                    let width = lines.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
                    for (key, value) in &lines {
                        let lines = fold(&visible(value), width + 4, session.columns(), session.global.verbose);
                        for (i, line) in lines.iter().enumerate() {
                            session.line(format!("  {:width$}  {}", if i == 0 { key.as_str() } else { "" }, line.trim_end()));
                        }
                    }
                }
                if let Some(error) = &report.error {
                    session.error(error);
                }
            });
            if session.closed() {
                break;
            }
        }
        if known == 0 {
            return Err(paths::none_known(&self.files, inputs.len()));
        }
        Ok(())
    }
}
