//! `cargo xtask findings [--check]`: `docs/findings.md`, all kinds of findings, each with a line
//! that a case prints.

use crate::{Args, root};
use anyhow::{Result, ensure};
use refit::{lint::Code, registry};
use std::{collections::BTreeMap, fmt::Write, fs};

/// Where the page is.
const PAGE: &str = "docs/findings.md";

/// Longest example, in characters.
const LONGEST: usize = 160;

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let check = args.flag("--check");
    args.done()?;
    let examples = examples()?;
    let text = page(&examples)?;
    let path = root().join(PAGE);
    // Git may have converted the line ends to those of Windows.
    let old = fs::read_to_string(&path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    if old != text {
        ensure!(!check, "{PAGE} is stale: run `cargo xtask findings`");
        fs::write(&path, &text)?;
        println!("wrote {PAGE}");
    }
    let all: Vec<_> = codes().collect();
    let with = all.iter().filter(|code| examples.contains_key(code.code));
    println!("{} kinds, {} with an example", all.len(), with.count());
    Ok(())
}

fn codes() -> impl Iterator<Item = &'static Code> {
    registry::codes().chain(refit_index::lints::CODES.iter().copied())
}

/// For each code, the shortest of the lines that cases print about it.
fn examples() -> Result<BTreeMap<String, String>> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for entry in walkdir::WalkDir::new(root().join("roundtrip-tests/cases")).sort_by_file_name() {
        let entry = entry?;
        if entry.path().extension().is_none_or(|end| end != "case") {
            continue;
        }
        let text = fs::read_to_string(entry.path())?;
        for line in text.lines().filter_map(|line| line.strip_prefix("> ")) {
            let Some((before, rest)) = line.split_once('[') else {
                continue;
            };
            let Some((code, message)) = rest.split_once("] ") else {
                continue;
            };
            let is_word = |word: &str| refit::lint::Severity::ALL.iter().any(|s| s.word() == word);
            let is_finding = before.split([' ', ':']).any(is_word) && !message.is_empty();
            if !is_finding || message.chars().count() > LONGEST {
                continue;
            }
            let shortest = found.get(code).is_none_or(|old| message.len() < old.len());
            if shortest {
                found.insert(code.to_owned(), message.to_owned());
            }
        }
    }
    Ok(found)
}

fn page(examples: &BTreeMap<String, String>) -> Result<String> {
    let mut out = String::from(
        "# Findings\n\n\
        All kinds of findings that `refit lint` reports. `refit lint --explain CODE` says what the game does, what to\n\
        do, and from where that is known. The examples are what refit prints behind the code, from the cases of its\n\
        tests; [Checks and CI](checks.md#lint) explains the severities.\n\n\
        This page is written by `cargo xtask findings`.\n",
    );
    let mut all: Vec<_> = codes().collect();
    all.sort_by_key(|code| code.code);
    let family = |code: &Code| code.code.split('-').next().unwrap_or_default().to_owned();
    for group in all.chunk_by(|a, b| family(a) == family(b)) {
        let Some(first) = group.first() else { continue };
        write!(out, "\n## {}\n\n", family(first))?;
        out.push_str("| code | severity | what | example |\n|---|---|---|---|\n");
        for code in group {
            let example = examples.get(code.code).map(|text| code_span(text));
            writeln!(
                out,
                "| `{}` | {} | {} | {} |",
                code.code,
                code.severity.word(),
                code.title.replace('|', "\\|"),
                example.unwrap_or_default()
            )?;
        }
    }
    Ok(out)
}

/// A text as code in a cell of a table.
fn code_span(text: &str) -> String {
    let text = text.replace('|', "\\|");
    match text.contains('`') {
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}
