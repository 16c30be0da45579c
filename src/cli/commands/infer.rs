//! `refit FILE|TREE…` without a command: what drag and drop does.

use super::{repack::Repack, unpack::Unpack};
use crate::{failure::Failure, session::Session};
use refit_base::{
    path::Shown,
    tree::{DirSource, Head, disk, is_project, is_tree, read_head},
    wire::{Error, Result, did_you_mean},
};
use refit_files::pipeline::addon;
use refit_workbench::paths::{expand, file_for, folder_of, tree_for};
use std::{
    collections::HashSet,
    io::{BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
};

/// Runs the command: files are unpacked next to themselves, trees are packed again. `commands` are
/// the names of the commands.
pub fn run(paths: &[PathBuf], commands: &[&str], session: &Session) -> Result<(), Failure> {
    for path in expand(paths)? {
        let before = session.errors();
        match one(path, commands, session) {
            Err(Failure::Error(e)) => session.error(e),
            done => done?,
        }
        if session.errors() > before && !session.global.keep_going {
            break;
        }
    }
    Ok(())
}

fn one(path: PathBuf, commands: &[&str], session: &Session) -> Result<(), Failure> {
    if is_project(&path) {
        return Repack::plain(path, false).run(session);
    }
    if is_tree(&path) {
        let force = may_replace(&path, session)?;
        return Repack::plain(path, force).run(session);
    }
    if path.is_dir() {
        let hint = match addon::is_source(&path) {
            true => format!(
                "it looks like an addon: `refit repack {} --format pbo` makes a PBO of it",
                path.shown()
            ),
            false => "`refit unpack FOLDER` unpacks every file in it".to_owned(),
        };
        return Err(Error::say("a folder, and not an unpacked tree")
            .hint(hint)
            .about(&path)
            .into());
    }
    match path.symlink_metadata() {
        Err(_) => Err(no_such(&path, commands).into()),
        Ok(_) => {
            let is_again = may_unpack_again(&path, session)?;
            Unpack::plain(path, is_again).run(session)
        }
    }
}

/// Whether the file's tree stands already and may be written again, because nobody edited it.
fn may_unpack_again(file: &Path, session: &Session) -> Result<bool> {
    let tree = tree_for(file, &folder_of(file), &HashSet::new());
    if session.global.force || !is_tree(&tree) {
        return Ok(false);
    }
    match disk::edits(&tree)?.as_slice() {
        [] => Ok(true),
        _ => Err(
            Error::say("the folder exists, and its files have been edited")
                .in_file(tree.shown())
                .hint(format!(
                    "drop the folder to pack it into {}, or rename it to unpack the file again",
                    file.shown()
                )),
        ),
    }
}

/// The path is not a file: it may be a misspelt command, or a misspelt file name.
fn no_such(path: &Path, commands: &[&str]) -> Error {
    let name = path.shown();
    let folder = folder_of(path);
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &folder
    };
    let files: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .take(10_000)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let last = path
        .file_name()
        .and_then(|last| last.to_str())
        .unwrap_or_default();
    let is_word = last == name;
    let near = if is_word {
        did_you_mean(&name, commands.iter().copied())
    } else {
        None
    };
    let near = near.or_else(|| did_you_mean(last, files.iter().map(String::as_str)));
    let what = if is_word {
        "no such command or file"
    } else {
        "there is no such file"
    };
    match near {
        Some(near) => Error::say(format!("{what}; {near}")).in_file(name),
        None => Error::say(what)
            .in_file(name)
            .hint("`refit --help` lists the commands"),
    }
}

/// True for a file that the tree came from, or that refit made of a tree: it can be made again, and
/// its original is kept.
fn is_replaceable(target: &Path, head: &Head) -> bool {
    disk::has_content(target, head.source.bytes, &head.source.sum.wait())
        || disk::current_note(target).is_some_and(|note| note.by.is_empty())
}

/// Whether to replace the game file. Asks if refit does not know the file and somebody can answer.
fn may_replace(tree: &Path, session: &Session) -> Result<bool> {
    let Ok((_, head)) = read_head(&DirSource::new(tree)) else {
        return Ok(false);
    };
    let target = file_for(tree, &head.source.file)?;
    if is_replaceable(&target, &head) {
        return Ok(true);
    }
    if session.global.force
        || session.global.dry_run
        || !target.is_file()
        || !std::io::stdin().is_terminal()
        || !std::io::stderr().is_terminal()
    {
        return Ok(false);
    }
    let name = refit_base::wire::Visible(target.shown());
    let _ = write!(
        std::io::stderr(),
        "Replace {name}? The original is kept as {name}.orig. [y/N] "
    );
    let mut answer = String::new();
    let _ = std::io::stdin().lock().read_line(&mut answer);
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// True if a shell started refit: the console stays open after refit ends.
fn is_shells(variable: impl Fn(&str) -> Option<String>) -> bool {
    let power_shell =
        variable("PSModulePath").is_some_and(|path| path.to_lowercase().contains("\\documents\\"));
    power_shell
        || ["PROMPT", "TERM", "SHLVL", "CI"]
            .into_iter()
            .any(|name| variable(name).is_some())
}

/// True if Explorer opened this console window for refit, and closes it with refit.
///
/// Windows reports the owner of a console only through calls that need `unsafe`. The environment
/// shows it, too: every shell sets variables that Explorer does not.
pub fn is_own_window() -> bool {
    cfg!(windows)
        && !is_shells(variable)
        && std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Keeps a console window open that Explorer opened for refit, so that the user can read the
/// output.
pub fn wait_if_window_closes() {
    // For the tests of refit itself.
    let as_if = cfg!(debug_assertions) && variable("REFIT_AS_IF_WINDOW_CLOSES").is_some();
    if is_own_window() || as_if {
        let _ = write!(std::io::stderr(), "Press Enter to close this window.");
        let _ = std::io::stdin().lock().read_line(&mut String::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_leave_marks_in_the_environment() {
        let with = |set: &[(&str, &str)]| {
            is_shells(|name| {
                set.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| (*value).to_owned())
            })
        };
        let system = (
            "PSModulePath",
            r"C:\Program Files\WindowsPowerShell\Modules;C:\WINDOWS\system32\WindowsPowerShell\v1.0\Modules",
        );
        assert!(!with(&[]) && !with(&[system]));
        assert!(with(&[system, ("PROMPT", "$P$G")]) && with(&[("TERM", "xterm")]));
        assert!(with(&[(
            "PSModulePath",
            r"C:\Users\me\Documents\WindowsPowerShell\Modules"
        )]));
    }
}
