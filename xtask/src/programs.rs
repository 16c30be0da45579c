//! `cargo xtask bench --against OLD`: runs two builds of the program alternately on the same files,
//! as whole processes, to detect a loss of speed early.

use crate::{
    synthetic::{self, Footer},
    typical,
};
use anyhow::{Context, Result, ensure};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Number of runs of each program; the median counts.
const RUNS: usize = 5;

/// The measured commands: name and arguments. `FILE` is the file, `TREE` its tree, `OUT` a path
/// that does not exist before each run.
const WORK: [(&str, &[&str]); 4] = [
    ("unpack", &["unpack", "FILE", "-o", "OUT"]),
    (
        "unpack --no-proof",
        &["unpack", "FILE", "--no-proof", "-o", "OUT"],
    ),
    ("repack", &["repack", "TREE", "-o", "OUT"]),
    ("verify --via bytes", &["verify", "--via", "bytes", "FILE"]),
];

/// Compares the times of two programs on these files, or on generated files of the size of shipped
/// ones.
pub fn compare(old: &Path, new: &Path, small: bool, files: &[PathBuf]) -> Result<()> {
    // A folder in memory if the system has one, to exclude the speed of the disk.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)?
    } else {
        tempfile::tempdir()?
    };
    let found =
        |program: &Path| fs::canonicalize(program).with_context(|| program.display().to_string());
    let (old, new) = (found(old)?, found(new)?);
    let mut subjects = Vec::new();
    for (name, bytes) in if files.is_empty() {
        generated(small)
    } else {
        Vec::new()
    } {
        let path = folder.path().join(name);
        fs::write(&path, bytes)?;
        subjects.push(path);
    }
    for file in files {
        subjects.push(fs::canonicalize(file).with_context(|| file.display().to_string())?);
    }
    println!(
        "{}\nagainst {}; medians of {RUNS} runs by turns, in milliseconds\n",
        new.display(),
        old.display()
    );
    println!(
        "{:<20} {:>8}  {:<20} {:>8} {:>8} {:>7}",
        "file", "MB", "command", "old", "new", "new/old"
    );
    for file in &subjects {
        let mb = fs::metadata(file)?.len() as f64 / 1e6;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // Each has its own tree: an older program may write another version.
        let trees = [
            (&old, folder.path().join("old")),
            (&new, folder.path().join("new")),
        ];
        for (program, tree) in &trees {
            run(
                program,
                &["unpack", "FILE", "--no-proof", "-o", "OUT"],
                file,
                tree,
                tree,
            )?;
        }
        for (what, line) in WORK {
            let mut times = [Vec::new(), Vec::new()];
            for _ in 0..RUNS {
                for ((program, tree), times) in trees.iter().zip(&mut times) {
                    let out = folder.path().join("out");
                    times.push(run(program, line, file, tree, &out)?);
                    remove(&out)?;
                }
            }
            let [old, new] = times.map(|mut times| {
                times.sort();
                times
                    .get(RUNS / 2)
                    .copied()
                    .unwrap_or_default()
                    .as_secs_f64()
                    * 1e3
            });
            println!(
                "{name:<20} {mb:>8.1}  {what:<20} {old:>8.0} {new:>8.0} {:>6.0}%",
                new / old * 100.0
            );
        }
        for (_, tree) in &trees {
            remove(tree)?;
        }
    }
    Ok(())
}

/// Runs a program and returns its time.
fn run(program: &Path, line: &[&str], file: &Path, tree: &Path, out: &Path) -> Result<Duration> {
    let mut command = Command::new(program);
    for word in line {
        match *word {
            "FILE" => command.arg(file),
            "TREE" => command.arg(tree),
            "OUT" => command.arg(out),
            word => command.arg(word),
        };
    }
    let began = Instant::now();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| program.display().to_string())?;
    let took = began.elapsed();
    // 3: done, with findings.
    ensure!(
        matches!(output.status.code(), Some(0 | 3)),
        "{command:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(took)
}

fn remove(path: &Path) -> Result<()> {
    if path.is_dir() {
        fs::remove_dir_all(path)?;
    } else if path.exists() {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Names and bytes.
fn generated(small: bool) -> Vec<(String, Vec<u8>)> {
    let mb = |n: usize| if small { n * 20_000 } else { n * 1_000_000 };
    let each = typical::recoil_animations(2).len() - typical::recoil_animations(1).len();
    // Larger than shipped ones, so that the work counts and not the start of a process.
    let (scale, faces, mechs, images) = if small {
        (100, 6, 12, 60)
    } else {
        (1, 60, 120, 600)
    };
    let made = [
        (
            "anim.zbd",
            typical::recoil_animations((mb(40) / each).clamp(1, 32_000)),
        ),
        ("soundsL.zbd", synthetic::sounds(mb(80))),
        ("motion.zbd", synthetic::motion(mb(12), Footer::One)),
        ("reader.zbd", synthetic::reader(mb(3), Footer::One)),
        (
            "gamez.zbd",
            typical::worlds::world(typical::worlds::Game::Pm, scale, faces),
        ),
        ("mechlib.zbd", typical::files::mechs(2, mechs, faces as u32)),
        (
            "texture.zbd",
            typical::files::mech_textures(true, images, 8),
        ),
    ];
    made.into_iter()
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn failed_runs_are_not_measured() {
        let out = std::env::temp_dir().join("refit-is-never-written");
        assert!(
            run(
                Path::new("/bin/true"),
                &["FILE"],
                Path::new("a"),
                Path::new("b"),
                &out
            )
            .is_ok()
        );
        let error = run(
            Path::new("/bin/false"),
            &["FILE", "OUT"],
            Path::new("a"),
            Path::new("b"),
            &out,
        )
        .unwrap_err();
        assert!(error.to_string().contains("\"a\""), "{error}");
    }
}
