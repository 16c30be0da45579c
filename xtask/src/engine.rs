//! `cargo xtask engine`: gives worlds and readers to a program made of Recoil's own reader and
//! writer, and compares what it says with what refit says.
//!
//! The program is not part of the repository. It is called as
//!
//! - `PROGRAM gamez IN [OUT]`: reads a world, and writes it again;
//! - `PROGRAM zrd FILE`: reads a member of a reader archive, and prints its values.
//!
//! It ends with 0 if it read the file, with 1 if the engine refused it, and otherwise crashed.

mod compare;
mod mutants;
mod readers;
mod worlds;

use crate::{Args, fuzz::Random};
use anyhow::{Context, Result, bail, ensure};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What the engine does with a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Verdict {
    /// It reads the file without complaint.
    Read,
    /// It meets an error and reads on, at a wrong place.
    Stumbled(String),
    /// It does not load the file.
    Refused(String),
    /// It uses memory that is not its own, or does not end.
    Crashed(String),
}

/// The program, and a folder for the files that it reads and writes.
pub(crate) struct Engine {
    program: PathBuf,
    folder: tempfile::TempDir,
}

/// The engine's reader of sounds reports that it is not finished, and reads them.
const UNFINISHED: &str = "sound node data: Must complete software.";

impl Engine {
    fn new(program: Option<PathBuf>) -> Result<Self> {
        let Some(program) = program else {
            bail!(
                "no engine given: cargo xtask engine --program PATH, a program that reads worlds \
                with Recoil's own code (see CONTRIBUTING.md)"
            )
        };
        let program = fs::canonicalize(&program)
            .ok()
            .filter(|path| path.is_file())
            .with_context(|| {
                format!(
                    "{}: no such program; without it there is nothing to check",
                    program.display()
                )
            })?;
        // In memory, if the system has such a folder: short names, and thousands of files.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() {
            tempfile::tempdir_in(memory)?
        } else {
            tempfile::tempdir()?
        };
        Ok(Engine { program, folder })
    }

    /// Runs the program, for at most a few seconds, and lets it write at most 32 MB.
    fn run(&self, words: &[&Path], verb: &str) -> Result<(Option<i32>, String)> {
        let done = Command::new("sh")
            .args([
                "-c",
                "ulimit -t 4 -f 65536 -c 0; exec \"$0\" \"$@\" 2>/dev/null",
            ])
            .arg(&self.program)
            .arg(verb)
            .args(words)
            .stdin(Stdio::null())
            .output()
            .context("sh")?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        Ok((done.status.code(), said))
    }

    /// Lets the engine read a world. Returns the world that its writer makes of it, unless it
    /// refused or crashed.
    pub(crate) fn world(&self, bytes: &[u8], name: &str) -> Result<(Verdict, Option<Vec<u8>>)> {
        let [before, after] =
            ["in", "out"].map(|end| self.folder.path().join(format!("{name}.{end}")));
        fs::write(&before, bytes)?;
        let (code, said) = self.run(&[&before, &after], "gamez")?;
        let written = fs::read(&after).ok();
        for file in [&before, &after] {
            let _ = fs::remove_file(file);
        }
        Ok((verdict(code, &said), written.filter(|_| code == Some(0))))
    }

    /// Lets the engine read a member of a reader archive. Returns the values that it prints.
    pub(crate) fn reader(&self, bytes: &[u8], name: &str) -> Result<(Verdict, String)> {
        let file = self.folder.path().join(name);
        fs::write(&file, bytes)?;
        let (code, said) = self.run(&[&file], "zrd")?;
        let _ = fs::remove_file(&file);
        Ok((verdict(code, &said), said))
    }
}

/// What the engine did, by the end of the program and its messages.
fn verdict(code: Option<i32>, said: &str) -> Verdict {
    let messages = said.lines().filter_map(|line| {
        line.strip_prefix("engine says: ")
            .filter(|line| !line.ends_with(UNFINISHED))
    });
    let first = messages.map(str::to_owned).next();
    match code {
        Some(0) => first.map_or(Verdict::Read, Verdict::Stumbled),
        Some(1) if said.contains("not written:") => Verdict::Crashed("not written".to_owned()),
        Some(1) => Verdict::Refused(first.unwrap_or_else(|| "no reason given".to_owned())),
        _ => Verdict::Crashed(first.unwrap_or_else(|| "without a message".to_owned())),
    }
}

/// One of these.
pub(crate) fn one<T: Copy>(random: &mut Random, all: &[T]) -> Option<T> {
    all.get(random.below(all.len())).copied()
}

/// A folder for the files of this run that need a look.
fn findings() -> PathBuf {
    crate::root().join("target/engine-findings")
}

/// Keeps a file in [`findings`].
pub(crate) fn keep(name: &str, bytes: &[u8]) -> Result<()> {
    fs::create_dir_all(findings())?;
    fs::write(findings().join(name), bytes)?;
    Ok(())
}

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let program: Option<PathBuf> = args.value("--program")?;
    let worlds: usize = args.value("--worlds")?.unwrap_or(200);
    let readers: usize = args.value("--readers")?.unwrap_or(500);
    let mutants: usize = args.value("--mutants")?.unwrap_or(2000);
    let seed: u64 = args.value("--seed")?.unwrap_or(1);
    args.done()?;
    let engine = Engine::new(program)?;
    let mut faults = worlds::golden(&engine)?;
    if worlds > 0 {
        faults.extend(worlds::run(&engine, worlds, seed)?);
    }
    if readers > 0 {
        faults.extend(readers::run(&engine, readers, seed)?);
    }
    if mutants > 0 {
        faults.extend(mutants::run(&engine, mutants, seed)?);
    }
    for fault in &faults {
        println!("{fault}");
    }
    ensure!(
        faults.is_empty(),
        "{} faults; the files are in target/engine-findings",
        faults.len()
    );
    println!("no faults");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_engine_is_told_apart_from_a_fault() {
        let none = Engine::new(None).map(|_| ()).unwrap_err().to_string();
        assert!(none.starts_with("no engine given"), "{none}");
        let away = Engine::new(Some("no/such/program".into()));
        let away = away.map(|_| ()).unwrap_err().to_string();
        assert!(
            away.starts_with("no/such/program: no such program"),
            "{away}"
        );
    }

    #[test]
    fn what_the_program_says_is_understood() {
        let read = "ok nodes 8 models 1 materials 1\nslots nodes 14\n";
        assert_eq!(verdict(Some(0), read), Verdict::Read);
        let sound = format!("engine says: Reading {UNFINISHED}\n{read}");
        assert_eq!(verdict(Some(0), &sound), Verdict::Read);
        let on = format!("engine says: Error reading GameZ Node list.\n{read}");
        let why = "Error reading GameZ Node list.".to_owned();
        assert_eq!(verdict(Some(0), &on), Verdict::Stumbled(why.clone()));
        let refused = format!("engine says: {why}\nrefused: {why}\n");
        assert_eq!(verdict(Some(1), &refused), Verdict::Refused(why));
        let crashed = Verdict::Crashed("without a message".to_owned());
        assert_eq!(verdict(Some(2), "crashed\n"), crashed);
        assert_eq!(verdict(None, ""), crashed);
    }
}
