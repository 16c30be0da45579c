//! The program as a process, for tests of the command line, and small files for it.

pub use crate::folders::{shown, snapshot};
use crate::{by_hand, leaks};
use anyhow::{Context, Result};
use assert_cmd::{Command, assert::Assert};
use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
    time::Duration,
};

/// The program. Cargo builds it only for tests of its own package, so it is built here, once, with
/// the same profile.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        if let Some(given) = std::env::var_os("REFIT_BIN") {
            return given.into();
        }
        let mut build = std::process::Command::new(env!("CARGO"));
        build.current_dir(crate::root()).args([
            "build",
            "--quiet",
            "--workspace",
            "--bin",
            "refit",
        ]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        assert!(
            build.status().expect("cargo runs").success(),
            "refit does not compile"
        );
        beside_the_tests("refit")
    })
}

/// A program of the workspace: target/debug/deps/cli-… and target/debug/xtask → target/debug/NAME.
fn beside_the_tests(name: &str) -> PathBuf {
    let this = std::env::current_exe().expect("a program is a file");
    let folder = this
        .ancestors()
        .skip(1)
        .find(|folder| !folder.ends_with("deps"))
        .expect("programs are in target/PROFILE");
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The program, to be started in a folder.
pub fn refit(folder: &Path) -> Command {
    let mut command = Command::new(program());
    command
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .timeout(Duration::from_secs(120));
    command
}

/// Splits a line into words as a shell does: `'as written'`, or `"a JSON string"`.
pub fn words(line: &str) -> Result<Vec<String>> {
    let (mut words, mut rest) = (Vec::new(), line.trim_start());
    while !rest.is_empty() {
        let mut word = String::new();
        while let Some(c) = rest.chars().next().filter(|c| *c != ' ') {
            let used = match c {
                '\'' => {
                    let text = rest[1..].split('\'').next().unwrap_or_default();
                    word.push_str(text);
                    text.len() + 2
                }
                '"' => {
                    let mut json = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                    word.push_str(&json.next().transpose()?.unwrap_or_default());
                    json.byte_offset()
                }
                c => {
                    word.push(c);
                    c.len_utf8()
                }
            };
            rest = rest.get(used..).context("a quote is not closed")?;
        }
        words.push(word);
        rest = rest.trim_start();
    }
    Ok(words)
}

/// Runs `refit` with arguments that are separated by blanks.
pub fn run(folder: &Path, line: &str) -> Assert {
    let words: Vec<&str> = line.split(' ').collect();
    let done = refit(folder).args(&words).assert();
    leaks::check(folder, &words);
    done
}

/// The most memory that a run of the program had, in bytes. It must be done, with or without
/// findings.
#[cfg(target_os = "linux")]
pub fn peak(folder: &Path, line: &str) -> u64 {
    peak_with(folder, line, &[0, 3])
}

/// The same for a run that ends with one of these codes.
#[cfg(target_os = "linux")]
pub fn peak_with(folder: &Path, line: &str, codes: &[i32]) -> u64 {
    let done = std::process::Command::new(beside_the_tests("peak"))
        .arg(program())
        .args(line.split(' '))
        .current_dir(folder)
        .env("REFIT_CACHE", folder.join("cache"))
        .output()
        .expect("cargo builds programs of a package for its tests");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.code().is_some_and(|code| codes.contains(&code)),
        "{line:?}: {}: {said}",
        done.status
    );
    let bytes = String::from_utf8_lossy(&done.stdout);
    bytes.trim().parse().expect("a number of bytes")
}

/// Its standard output.
pub fn out(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).expect("output is UTF-8")
}

/// Its standard error.
pub fn err(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).expect("messages are UTF-8")
}

/// A version 1 archive (src/zipper/archive/FORMAT.md): the payloads, a table of 148 bytes an
/// entry, the version, the count.
pub fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    by_hand::archive(
        &members
            .iter()
            .map(|(name, bytes)| by_hand::member(name, bytes))
            .collect::<Vec<_>>(),
        false,
        None,
    )
}

/// A reader list (src/zipper/reader/FORMAT.md): tag 4, the count plus one, then the items;
/// integers are tag 1.
pub fn list(numbers: &[u32]) -> Vec<u8> {
    by_hand::list(
        &numbers
            .iter()
            .map(|n| by_hand::int(*n as i32))
            .collect::<Vec<_>>(),
    )
}

/// The path in a copy at `to` for a path at or below `from`.
fn place_in(to: &Path, from: &Path, path: &Path) -> PathBuf {
    match path.strip_prefix(from) {
        Ok(inside) if inside.as_os_str().is_empty() => to.to_owned(),
        inside => to.join(inside.unwrap_or(path)),
    }
}

/// Copies a folder with everything in it; the target must not exist.
pub fn copy_folder(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from)
        .into_iter()
        .map(|entry| entry.expect("a folder can be read"))
    {
        let place = place_in(to, from, entry.path());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(place).expect("a folder can be made");
        } else {
            std::fs::copy(entry.path(), place).expect("a file can be copied");
        }
    }
}

/// The same with times and notes, as `cp -a` does it.
pub fn copy_with_notes(from: &Path, to: &Path) {
    #[cfg(unix)]
    {
        let done = std::process::Command::new("cp")
            .arg("-a")
            .args([from, to])
            .status()
            .expect("cp starts");
        assert!(done.success(), "cp -a copies it");
    }
    #[cfg(windows)]
    {
        copy_folder(from, to);
        let stream = |path: &Path, name: &str| {
            PathBuf::from(format!("{}:user.refit.{name}", path.display()))
        };
        for entry in walkdir::WalkDir::new(from)
            .into_iter()
            .map(|entry| entry.expect("a folder can be read"))
        {
            let place = place_in(to, from, entry.path());
            for name in ["written", "original", "journal"] {
                // Windows copies it along with a file, Wine does not.
                if let Ok(note) = std::fs::read(stream(entry.path(), name)) {
                    std::fs::write(stream(&place, name), note).expect("a note can be written");
                }
            }
        }
    }
}

/// Makes a link to a file or a folder; false if the system or the user may not make one, as usual
/// on Windows.
pub fn link(to: &str, at: &Path) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(to, at)
        .map(|()| true)
        .expect("a link can be made");
    #[cfg(windows)]
    {
        let to = to.replace('/', "\\");
        let is_folder = at.parent().is_some_and(|folder| folder.join(&to).is_dir());
        let made = if is_folder {
            std::os::windows::fs::symlink_dir(to, at)
        } else {
            std::os::windows::fs::symlink_file(to, at)
        };
        // Wine 8 reports success without making a link.
        return made.is_ok() && at.is_symlink();
    }
}

/// The names in a folder, sorted.
pub fn names(root: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(root).expect("a folder can be read");
    let mut names: Vec<String> = entries
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}
