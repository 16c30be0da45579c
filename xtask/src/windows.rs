//! `cargo xtask windows`: builds and tests refit for Windows on Debian, under Wine.
//!
//! 1. Installs missing Debian packages (as root): rustc and cargo with the sources of the standard
//!    library, MinGW, LLVM's linker, Wine, ntfs-3g.
//! 2. Builds refit.exe and the test programs for `x86_64-pc-windows-gnu` in `target/windows`,
//!    including the standard library (`toolchain`). The first build takes half an hour on two
//!    processors.
//! 3. Sets up Wine, with features that it lacks (`wine`): random numbers, a disk with streams,
//!    mandatory locks. Prints which features are unavailable.
//! 4. Runs `verify golden`, and checks that the trees of the golden files are the same under Wine
//!    and natively, and can be repacked on the other system (`trees`).
//! 5. Runs the tests (`tests`), including the transcripts of the README. A test that fails beside
//!    others is repeated alone, and so is one that has not ended when a program has printed nothing
//!    for `--patience` seconds (600). Output is kept in `target/windows/logs`.
//!
//! Arguments select: `lib` (the unit tests), `main`, the programs in `roundtrip-tests/tests`
//! (`cases`, `formats`, `golden`, `program`), `trees` for step 4; without any, everything.
//! `--only safety::` selects tests by their names.

mod tests;
mod toolchain;
mod trees;
mod wine;

use crate::{Args, command, root};
use anyhow::{Result, bail, ensure};
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let threads = args
        .value("--threads")?
        .unwrap_or(std::thread::available_parallelism().map_or(2, usize::from));
    // Some tests change every byte of all golden files.
    let patience = Duration::from_secs(args.value("--patience")?.unwrap_or(600));
    let only: Option<String> = args.value("--only")?;
    let no_run = args.flag("--no-run");
    let mut names: Vec<String> = args
        .rest()?
        .iter()
        .map(|name| name.display().to_string())
        .collect();
    let everything = names.is_empty() && only.is_none();
    let trees = everything || names.iter().any(|name| name == "trees");
    names.retain(|name| name != "trees");
    for name in names
        .iter()
        .filter(|name| !["lib", "main"].contains(&name.as_str()))
    {
        let tests = root().join("roundtrip-tests/tests");
        ensure!(
            tests.join(format!("{name}.rs")).is_file()
                || tests.join(name).join("main.rs").is_file(),
            "roundtrip-tests/tests has no program {name}"
        );
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let target = std::path::absolute(target)?;
    let folder = target.join("windows");
    let toolchain = toolchain::prepare(&folder)?;
    let refit = toolchain.program()?;
    let programs = if everything || only.is_some() || !names.is_empty() {
        toolchain.tests(&names)?
    } else {
        Vec::new()
    };
    let here = if trees { Some(native(&target)?) } else { None };
    if no_run {
        println!("{}", refit.display());
        return Ok(());
    }

    let mut wine = wine::start(&folder.join("wine"))?;
    let built: Vec<&Path> = [refit.as_path()]
        .into_iter()
        .chain(programs.iter().map(|program| program.file.as_path()))
        .collect();
    wine.locks(&built)?;
    let refit = wine.copy(&refit)?;
    for without in &wine.without {
        println!("without {without}");
    }
    let mut failed = Vec::new();
    if let Some(here) = here
        && let Err(why) = trees::step(&wine, &here, &refit, &folder.join("trees"))
    {
        println!("trees          FAILED: {why:#}");
        failed.push("trees".to_owned());
    }
    let runs = tests::Tests {
        wine: &wine,
        refit,
        threads,
        patience,
        only,
        logs: folder.join("logs"),
    };
    for program in &programs {
        failed.extend(runs.program(program)?);
    }
    if !failed.is_empty() {
        bail!(
            "{} failed under Wine: {}\nwhat they say is in {}",
            failed.len(),
            failed.join(", "),
            runs.logs.display()
        );
    }
    Ok(())
}

/// The native refit.
fn native(target: &Path) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    command(Command::new(cargo).args([
        "build",
        "--quiet",
        "--package",
        "refit",
        "--package",
        "roundtrip-tests",
        "--bin",
        "refit",
    ]))?;
    Ok(target.join("debug/refit"))
}
