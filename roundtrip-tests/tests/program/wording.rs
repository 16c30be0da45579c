//! The output of refit: help of a readable width, and no text of a file that controls the terminal.
//! The messages are in `roundtrip-tests/cases/wording`.

use assert_cmd::assert::Assert;
use refit::pipeline::{self, Hints};
use roundtrip_tests::{
    process::{err, out},
    *,
};
use serde_json::Value;
use std::{fs, path::Path};

fn refit(folder: &Path, arguments: &[&str]) -> Assert {
    process::refit(folder).args(arguments).assert()
}

/// F19: an example that is wider than the help is broken in the middle of a sentence, and so is a
/// paragraph that was broken by hand.
#[test]
fn help_has_lines_of_its_own_width() {
    let dir = tempfile::tempdir().unwrap();
    let help = out(&refit(dir.path(), &["--help"]).code(0));
    let commands = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let names: Vec<&str> = commands
        .filter_map(|line| {
            line.strip_prefix("  ")?
                .split(' ')
                .next()
                .filter(|name| !name.is_empty())
        })
        .collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        let help = out(&refit(dir.path(), &[name, "--help"]).code(0));
        let examples = help
            .lines()
            .skip_while(|line| *line != "Examples:")
            .skip(1)
            .take_while(|line| !line.is_empty());
        for line in examples {
            assert!(
                ["  refit ", "                    "]
                    .iter()
                    .any(|start| line.starts_with(start)),
                "{name}: {line:?}"
            );
        }
        // A line of a paragraph ends before a word that has no room on it.
        for (line, next) in help.lines().zip(help.lines().skip(1)) {
            let prose =
                |line: &str| line.starts_with(|c: char| c.is_alphabetic()) && !line.ends_with(':');
            let word = next.split(' ').next().unwrap_or_default();
            let room = line.chars().count() + 1 + word.chars().count() <= 100;
            assert!(
                !(prose(line) && prose(next) && room && line.len() > 60),
                "{name}: {line:?} goes on with {next:?}"
            );
        }
    }
}

#[test]
fn no_finding_shows_the_memory_form_of_a_value() {
    for case in folders("golden").iter().flat_map(|folder| listed(folder)) {
        let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
        for finding in pipeline::lint(&*opened.model).unwrap() {
            let shown = format!("{}: {}", finding.path, finding.message);
            assert!(
                !["Some(", "None", "Usual(", "Odd("]
                    .iter()
                    .any(|word| shown.contains(word)),
                "{}: {shown}",
                case.path
            );
        }
    }
}

/// Output that a hostile file tries to produce: a forged line, hidden text, other colours,
/// right-to-left text.
const FORGED: &str = "\n\u{1b}[8mexact  game.zbd (mw reader)\u{7f}\u{9b}31m\u{202e}";

/// Checks output: no control character except refit's own line ends and colours, and no forged
/// line.
fn assert_harmless(shown: &str, what: &str) {
    let mut rest = shown.to_owned();
    for code in ["1;31", "33", "32", "1", "2", "0"] {
        rest = rest.replace(&format!("\u{1b}[{code}m"), "");
    }
    let steered: Vec<char> = rest
        .chars()
        .filter(|c| refit::wire::steers(*c) && *c != '\n')
        .collect();
    assert!(steered.is_empty(), "{what}: {steered:?} in {shown:?}");
    assert!(
        !rest
            .lines()
            .any(|line| line.starts_with("exact  game.zbd") || line.starts_with("\\u{1b}[8mexact")),
        "{what}: {shown}"
    );
}

#[test]
fn no_text_of_a_file_controls_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let archive = by_hand::archive(
        &[
            by_hand::member(FORGED, b"raw bytes"),
            by_hand::member("b\x1b]0;title\x07.zrd", &by_hand::int(1)),
        ],
        false,
        None,
    );
    fs::write(dir.path().join("r.zbd"), &archive).unwrap();
    refit(dir.path(), &["unpack", "r.zbd"]).code(0);
    // A manifest of a stranger.
    let manifest = dir.path().join("r/refit.json");
    let mut document: Value =
        serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap();
    document["members"][0]["file"] = FORGED.into();
    document["source"]["file"] = format!("x{FORGED}.zbd").into();
    fs::write(&manifest, document.to_string()).unwrap();
    fs::create_dir(dir.path().join("bad")).unwrap();
    fs::write(
        dir.path().join("bad/refit.json"),
        document
            .to_string()
            .replacen("\"reader\"", &Value::from(FORGED).to_string(), 1),
    )
    .unwrap();
    let lines: [&[&str]; 12] = [
        &["verify", "r.zbd"],
        &["info", "r.zbd"],
        &["info", "-v", "r.zbd"],
        &["list", "r.zbd"],
        &["lint", "--all", "r.zbd"],
        &["repack", "r"],
        &["repack", "r", "-o", "out.zbd"],
        &["repack", "bad"],
        &["status", "r", "bad"],
        &["lint", "r", "bad"],
        &["get", "r.zbd", "nothing"],
        &["get", "r.zbd", FORGED, "-o", "got"],
    ];
    for line in lines {
        for more in [
            &[][..],
            &["--color", "never"],
            &["--color", "always"],
            &["--json"],
        ] {
            let ran = refit(dir.path(), &[line, more].concat());
            assert_harmless(&out(&ran), &format!("{line:?} {more:?}"));
            assert_harmless(&err(&ran), &format!("{line:?} {more:?}"));
            if more == ["--json"] && line[0] != "get" {
                out(&ran).lines().for_each(|row| {
                    drop(
                        serde_json::from_str::<Value>(row)
                            .unwrap_or_else(|e| panic!("{line:?}: {e}: {row}")),
                    )
                });
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn no_name_of_a_file_controls_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let case = golden_file("reader", "reader_ints.zbd");
    let name = format!("a{FORGED}.zbd");
    fs::write(dir.path().join(&name), &case.bytes).unwrap();
    fs::write(dir.path().join(format!("--{FORGED}")), b"x").unwrap();
    fs::write(dir.path().join(format!("no{FORGED}.zbd")), b"nothing").unwrap();
    let tree = format!("a{FORGED}");
    let lines: [&[&str]; 13] = [
        &["verify", "."],
        &["verify", "-v", "."],
        &["info", "."],
        &["lint", "."],
        &["unpack", &name],
        &["status", &tree],
        &["repack", &tree],
        &["repack", &tree, "--force"],
        &["restore", "."],
        &["list", &name],
        &["export", &name, "-o", "view"],
        &[&format!("--{FORGED}")],
        &[&format!("missing{FORGED}")],
    ];
    for line in lines {
        for more in [
            &[][..],
            &["--color", "never"],
            &["--color", "always"],
            &["--json"],
        ] {
            let ran = refit(dir.path(), &[line, more].concat());
            assert_harmless(&out(&ran), &format!("{line:?} {more:?}"));
            assert_harmless(&err(&ran), &format!("{line:?} {more:?}"));
        }
    }
    // JSON contains the name itself.
    let rows = out(&refit(dir.path(), &["verify", &name, "--json"]).code(0));
    let row: Value = serde_json::from_str(rows.trim()).unwrap();
    assert_eq!(row["path"], name.as_str());
    assert!(
        rows.contains("\\u007f\\u009b") && rows.contains("\\u202e"),
        "{rows}"
    );
}
