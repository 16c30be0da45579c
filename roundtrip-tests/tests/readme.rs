//! The console transcripts of the README, run as they stand: whoever follows them sees what they show.
#![cfg(unix)]

use roundtrip_tests::{games, process::program, root};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// A command and what stands below it.
struct Step {
    line: usize,
    command: String,
    output: String,
}

/// The steps of all ```` ```console ```` blocks of a text.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for (i, line) in text.lines().enumerate() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step { line: i + 1, command: command.to_owned(), output: String::new() }),
                (None, Some(step)) => step.output.extend([line, "\n"]),
                (None, None) => panic!("line {} of the README: output without a command", i + 1),
            },
            _ => {}
        }
    }
    steps
}

/// Runs a command in a shell, as a reader would; both outputs come in the order in which they were written.
fn run(folder: &Path, command: &str) -> String {
    let path = format!("{}:{}", program().parent().expect("a folder").display(), std::env::var("PATH").unwrap_or_default());
    let out = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("LC_ALL", "C")
        .env("NO_COLOR", "1")
        .env("REFIT_CACHE", folder.join(".cache"))
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    String::from_utf8(out.stdout).expect("output is UTF-8")
}

#[test]
fn the_transcripts_of_the_readme_are_what_happens() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let steps = steps(&text);
    assert!(steps.len() >= 20, "the README has {} commands", steps.len());
    let dir = tempfile::tempdir().unwrap();
    // "In a clone of this repository": what the transcripts take from it.
    let golden = dir.path().join("golden/reader");
    fs::create_dir_all(&golden).unwrap();
    fs::copy(root().join("golden/reader/mw_zbd_c1_readerm1.zbd"), golden.join("mw_zbd_c1_readerm1.zbd")).unwrap();
    // "A whole game": one that is made by hand.
    games::write(&dir.path().join("recoil"), &games::installation("rc", &games::names("rc")));
    let mut edited = false;
    for step in &steps {
        let found = run(dir.path(), &step.command);
        assert_eq!(found, step.output, "README.md, line {}: $ {}", step.line, step.command);
        // "… change `-2147483648` to `250`, and put `"ADDED", [1, 2.5]` behind `"semi;colon"`, in any editor."
        if step.command == "cat readerm1/zephyr1.zrd.json" {
            let file = dir.path().join("readerm1/zephyr1.zrd.json");
            let before = fs::read_to_string(&file).unwrap();
            let after = before.replace("-2147483648", "250").replace("\"semi;colon\"", "\"semi;colon\", \"ADDED\", [1, 2.5]");
            assert_ne!(before, after);
            fs::write(&file, after).unwrap();
            edited = true;
        }
    }
    assert!(edited, "the README no longer shows the file that its reader edits");
}

#[test]
fn a_transcript_is_taken_apart_into_commands_and_outputs() {
    let text = "```console\n$ a b\none\n\ntwo\n$ c\n```\n$ no\n```\nx\n```\n```console\n$ d\n```\n";
    let found: Vec<(usize, String, String)> = steps(text).into_iter().map(|s| (s.line, s.command, s.output)).collect();
    let step = |line, command: &str, output: &str| (line, command.to_owned(), output.to_owned());
    assert_eq!(found, [step(2, "a b", "one\n\ntwo\n"), step(6, "c", ""), step(13, "d", "")]);
}
