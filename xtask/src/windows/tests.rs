//! Runs the test programs under Wine, except tests that cannot pass there.

use super::{
    toolchain::Program,
    wine::{Ended, Wine, windows},
};
use anyhow::{Context, Result, ensure};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Tests that cannot run under Wine 8 only because of features that it lacks: the program, the
/// test, the reason. They run on Windows.
const NOT_UNDER_WINE: &[(&str, &str, &str)] = &[
    ("program", "kills::a_project_is_watched_as_a_whole", SUB),
    (
        "program",
        "kills::a_killed_watch_is_continued_by_the_next",
        SUB,
    ),
    ("program", "kills::watch_follows_a_recreated_folder", SUB),
    (
        "program",
        "kills::watch_replaces_what_another_hand_wrote_only_with_force",
        SUB,
    ),
    (
        "program",
        "kills::watch_finds_trees_that_are_added_later",
        SUB,
    ),
    (
        "program",
        "definitions::a_watched_project_takes_in_what_appears_and_lets_go_what_disappears",
        SUB,
    ),
    (
        "refit_base",
        "tree::blob::tests::a_file_that_changes_is_noticed",
        OPEN,
    ),
    (
        "refit_base",
        "tree::disk::together::tests::no_journal_causes_the_loss_of_a_file",
        MADE,
    ),
    (
        "refit_base",
        "tree::disk::together::tests::a_journal_is_bound_to_its_folder",
        MADE,
    ),
    (
        "formats",
        "library::the_library_alone_has_no_crate_of_a_command_line",
        NOT_THERE,
    ),
    (
        "formats",
        "fresh::every_format_and_game_from_a_folder_and_back",
        NOT_THERE,
    ),
    (
        "program",
        "mods::git_is_configured_to_show_files_and_ignore_originals",
        NOT_THERE,
    ),
];
const SUB: &str = "Wine 8 tells of no change in a subfolder of a folder that is watched";
const OPEN: &str = "Wine 8 does not rename a file over one that is open (POSIX semantics)";
const MADE: &str = "to Wine 8 a folder was made when something in it was changed last";
const NOT_THERE: &str = "it starts a program (cargo, git) that is here for this system only";

/// The configuration of a test run.
pub struct Tests<'a> {
    /// The Wine environment.
    pub wine: &'a Wine,
    /// The tested program.
    pub refit: PathBuf,
    /// Number of tests run in parallel.
    pub threads: usize,
    /// Maximum time without output.
    pub patience: Duration,
    /// Run only tests whose name contains this.
    pub only: Option<String>,
    /// The folder for the tests' output.
    pub logs: PathBuf,
}

/// The results in libtest's output.
#[derive(Default, Debug, PartialEq)]
struct Results {
    passed: BTreeSet<String>,
    failed: BTreeSet<String>,
    ignored: BTreeSet<String>,
}

/// Parses `test NAME ... ok`, `FAILED`, `ignored`.
fn parse(out: &str) -> Results {
    let mut said = Results::default();
    for line in out.lines() {
        let Some((name, result)) = line
            .strip_prefix("test ")
            .and_then(|line| line.split_once(" ... "))
        else {
            continue;
        };
        let name = name.trim_end();
        let name = name
            .strip_suffix(" - should panic")
            .unwrap_or(name)
            .to_owned();
        match result {
            "ok" => said.passed.insert(name),
            "FAILED" => said.failed.insert(name),
            result if result.starts_with("ignored") => said.ignored.insert(name),
            _ => false,
        };
    }
    said
}

impl Tests<'_> {
    fn run(&self, folder: &Path, program: &Path, arguments: &[&str]) -> Result<Ended> {
        let mut command = self.wine.command(program);
        command.current_dir(folder).args(arguments);
        command.env("REFIT_BIN", windows(&self.refit));
        command.env("REFIT_ONE_SEQUENCE_IN", "8");
        // Snapshots are found relative to the repository's root, and never written here.
        command
            .env("INSTA_WORKSPACE_ROOT", windows(crate::root()))
            .env("INSTA_UPDATE", "no");
        self.wine.run(&mut command, self.patience)
    }

    /// Runs the tests of a program, and repeats failed ones alone. Returns those that fail again.
    pub fn program(&self, program: &Program) -> Result<Vec<String>> {
        let began = Instant::now();
        let file = &self.wine.copy(&program.file)?;
        let listed = self.run(&program.folder, file, &["--list", "--format", "terse"])?;
        ensure!(
            listed.code == Some(0),
            "{} does not start: {:?}\n{}{}",
            program.name,
            listed.code,
            listed.out,
            listed.err
        );
        let all: BTreeSet<&str> = listed
            .out
            .lines()
            .filter_map(|line| line.strip_suffix(": test"))
            .collect();
        let left_out: BTreeMap<&str, &str> = NOT_UNDER_WINE
            .iter()
            .filter(|(of, ..)| *of == program.name)
            .map(|(_, test, why)| (*test, *why))
            .collect();
        for test in left_out.keys() {
            ensure!(
                all.contains(test),
                "{}: there is no test {test}; take it off the list in xtask/src/windows/tests.rs",
                program.name
            );
        }
        let wanted = |test: &str| {
            self.only
                .as_ref()
                .is_none_or(|only| test.contains(only.as_str()))
                && !left_out.contains_key(test)
        };
        let wanted: BTreeSet<&str> = all.iter().copied().filter(|test| wanted(test)).collect();
        let threads = self.threads.to_string();
        let mut arguments = vec!["--test-threads", &threads];
        if let Some(only) = &self.only {
            arguments.push(only);
        }
        for test in left_out.keys() {
            arguments.extend(["--skip", test]);
        }
        let together = self.run(&program.folder, file, &arguments)?;
        let said = parse(&together.out);
        let mut log = format!("{}\n{}\n", together.out, together.err);
        let mut failed = Vec::new();
        let mut alone = Vec::new();
        for test in wanted
            .iter()
            .filter(|test| !said.passed.contains(**test) && !said.ignored.contains(**test))
        {
            let again = self.run(
                &program.folder,
                file,
                &["--exact", test, "--test-threads", "1"],
            )?;
            log.push_str(&format!(
                "\n== {test}, alone: {:?} after {:.1} s\n{}\n{}\n",
                again.code,
                again.time.as_secs_f64(),
                again.out,
                again.err
            ));
            match again.code {
                Some(0) => alone.push(*test),
                Some(_) => failed.push((*test).to_owned()),
                None => failed.push(format!(
                    "{test} (not ended after {} s)",
                    self.patience.as_secs()
                )),
            }
        }
        // It is large.
        fs::remove_file(file)?;
        fs::create_dir_all(&self.logs)?;
        fs::write(self.logs.join(format!("{}.log", program.name)), log).context("logs")?;
        let mut line = format!(
            "{:<14} {:>4} passed",
            program.name,
            wanted.len() - failed.len() - said.ignored.len()
        );
        if !said.ignored.is_empty() {
            line.push_str(&format!(", {} ignored", said.ignored.len()));
        }
        if !alone.is_empty() {
            line.push_str(&format!(
                ", {} of them only alone ({})",
                alone.len(),
                alone.join(", ")
            ));
        }
        println!(
            "{line}, {} failed, {:.1} s",
            failed.len(),
            began.elapsed().as_secs_f64()
        );
        for (test, why) in &left_out {
            println!("    not run: {test}: {why}");
        }
        for test in &failed {
            println!("    FAILED: {test}");
        }
        Ok(failed
            .into_iter()
            .map(|test| format!("{}::{test}", program.name))
            .collect())
    }
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn results_are_read() {
        let found = parse(
            "running 4 tests\ntest a::b ... ok\ntest c - should panic ... ok\ntest d ... FAILED\ntest e ... ignored, \
            long\ntest f ... ",
        );
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(
            found,
            Results {
                passed: set(&["a::b", "c"]),
                failed: set(&["d"]),
                ignored: set(&["e"])
            }
        );
    }
}
