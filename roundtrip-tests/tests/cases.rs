//! The cases in `roundtrip-tests/cases`, each a separate test:
//! `cargo test -p refit -p roundtrip-tests --test cases -- lints/pbo`.

use libtest_mimic::{Arguments, Failed, Trial};
use roundtrip_tests::{cases, process};
use std::path::PathBuf;

fn main() {
    let folder = roundtrip_tests::root().join("roundtrip-tests/cases");
    let files = walkdir::WalkDir::new(&folder)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .map(|entry| entry.into_path());
    let files: Vec<PathBuf> = files
        .filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == "case")
        })
        .collect();
    let trial = |file: &PathBuf| {
        let name = process::shown(
            &file
                .strip_prefix(&folder)
                .unwrap_or(file)
                .with_extension(""),
        );
        let file = file.clone();
        Trial::test(name, move || cases::run(&file).map_err(Failed::from))
    };
    let mut trials: Vec<Trial> = files.iter().map(trial).collect();
    trials.push(Trial::test("every_finding_has_a_case", move || {
        every_finding_has_a_case(&files).map_err(Failed::from)
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}

/// Findings without a case: they need more than a test may use, or are not edits of a file. The
/// unit tests cover them.
const ELSEWHERE: [&str; 5] = [
    "anim-raw",
    "pbo-large",
    "pbo-undefined-pointer",
    "text-id-zero",
    "text-not-in-page",
];

/// A finding is printed as `[CODE]`, or as a text of JSON.
fn every_finding_has_a_case(files: &[PathBuf]) -> Result<(), String> {
    let mut output = String::new();
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
        text.lines()
            .filter(|line| line.starts_with(['>', '!']))
            .for_each(|line| output.push_str(line));
    }
    let is_shown = |code: &str| {
        output.contains(&format!("[{code}]")) || output.contains(&format!("\"code\":\"{code}\""))
    };
    let missing: Vec<&str> = refit::registry::codes()
        .map(|code| code.code)
        .filter(|code| is_shown(code) == ELSEWHERE.contains(code))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "without a case, or in the list of those without and with a case: {missing:?}"
        ))
    }
}
