//! Sets up git for the files of games: it compares what `refit show` prints.

use refit_base::{
    path::Shown,
    secret,
    tree::disk::{self, Replace},
    wire::{Error, Result, utf8},
};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The names of files that refit can show. It shows unrecognised ones as bytes.
const PATTERNS: &[&str] = &[
    "*.zbd", "*.zrd", "*.zmap", "*.dll", "*.mw3", "*.rof", "*.pbo", "*.bisign", "*.bikey",
];

/// What does not belong in git: originals that refit keeps, `*.orig` and numbered ones, and private
/// keys.
const IGNORED: &[&str] = &["*.orig", "*.orig.[0-9]*", secret::GLOB];

/// The files of git, and the lines that they need.
pub fn files() -> [(&'static str, Vec<String>); 2] {
    let attributes = PATTERNS
        .iter()
        .map(|pattern| format!("{pattern} -text diff=refit"))
        .collect();
    [
        (".gitattributes", attributes),
        (
            ".gitignore",
            IGNORED.iter().map(|line| (*line).to_owned()).collect(),
        ),
    ]
}

/// Appends the lines that a file lacks; returns their number.
fn add_lines(path: &Path, lines: Vec<String>, dry: bool) -> Result<usize> {
    let old = match disk::read(path) {
        Ok(bytes) => utf8(&bytes)
            .map_err(|e| e.in_file(path.shown()))?
            .to_owned(),
        Err(_) if path.symlink_metadata().is_err() => String::new(),
        Err(e) => return Err(e),
    };
    let missing: Vec<String> = lines
        .into_iter()
        .filter(|line| !old.lines().any(|own| own.trim() == line))
        .collect();
    if !missing.is_empty() && !dry {
        let gap = if old.is_empty() || old.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        let text = format!("{old}{gap}{}\n", missing.join("\n"));
        // Lines are only appended: nothing is lost.
        let may = Replace {
            backup: disk::Backup::Never,
            ..Replace::new(true)
        };
        disk::write_file(path, text.as_bytes(), may)?;
    }
    Ok(missing.len())
}

/// Sets up the repository of the current folder. Returns its files, and how many lines each of them
/// lacked.
pub fn install(dry: bool) -> Result<Vec<(PathBuf, usize)>> {
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args(arguments)
            .output()
            .map_err(|e| Error::say(format!("git cannot be started: {e}")))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        match done.status.success() {
            true => Ok(text(&done.stdout)),
            false => Err(Error::say(format!(
                "git {}: {}",
                arguments.join(" "),
                text(&done.stderr)
            ))),
        }
    };
    let root = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    let mut done = Vec::new();
    for (name, lines) in files() {
        let path = root.join(name);
        let added = add_lines(&path, lines, dry)?;
        done.push((path, added));
    }
    if !dry {
        git(&["config", "diff.refit.textconv", "refit show"])?;
    }
    Ok(done)
}
