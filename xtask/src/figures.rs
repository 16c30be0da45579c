//! `cargo xtask figures`: the costs of the program for a whole game and for edits of large files,
//! as a user runs it: time, peak memory of the process, files per second, compared with `cp -r` and
//! `grep -r` on the same files. With `--growth`, how the cost of each verb grows (`growth`).

mod growth;

use crate::{
    Args,
    installation::{self, Size},
    synthetic::{self, Footer},
    typical,
};
use anyhow::{Context, Result, ensure};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant, SystemTime},
};

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let size = Size {
        files: args.value("--files")?.unwrap_or(installation::LARGE.files),
        bytes: args.value("--bytes")?.unwrap_or(installation::LARGE.bytes),
    };
    let edited = args.value("--edited")?.unwrap_or(40_000_000);
    let single = args.value("--single")?.unwrap_or(500_000_000);
    let refit: Option<PathBuf> = args.value("--refit")?;
    let (games, edits) = (args.flag("--games"), args.flag("--edits"));
    let growth = args.flag("--growth");
    let scale = args.value("--scale")?.unwrap_or(1);
    let folders = args.rest()?;
    let [folder] = folders.as_slice() else {
        anyhow::bail!("name a new folder to work in; it is kept at the end")
    };
    let refit = refit.unwrap_or_else(|| {
        crate::root()
            .join("target/release")
            .join(format!("refit{}", std::env::consts::EXE_SUFFIX))
    });
    let refit = fs::canonicalize(&refit)
        .with_context(|| format!("{} (cargo build --release -p refit)", refit.display()))?;
    fs::create_dir(folder).with_context(|| folder.display().to_string())?;
    let bench = Bench {
        folder: fs::canonicalize(folder)?,
        refit,
    };
    if growth {
        return bench.growth(scale);
    }
    if games || !edits {
        bench.game(size)?;
        bench.single(single)?;
    }
    if edits || !games {
        bench.edits(edited)?;
        bench.definitions(edited)?;
        bench.watch(edited)?;
    }
    Ok(())
}

struct Bench {
    folder: PathBuf,
    refit: PathBuf,
}

/// The cost of a run.
struct Took {
    time: Duration,
    /// Processor time, user and system, in seconds.
    cpu: f64,
    /// The peak memory of the process; `None` if the system does not report it.
    peak: Option<u64>,
    code: Option<i32>,
}

/// The peak memory of a process so far, in bytes.
fn peak_of(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(
        line.trim()
            .strip_suffix(" kB")?
            .trim()
            .parse::<u64>()
            .ok()?
            * 1024,
    )
}

fn watched(mut child: Child) -> Result<Took> {
    let (began, mut peak, mut cpu) = (Instant::now(), None, 0.0);
    loop {
        // A finished process has no memory any more.
        peak = peak_of(child.id()).or(peak);
        cpu = growth::cpu_of(child.id()).unwrap_or(cpu);
        if let Some(status) = child.try_wait()? {
            return Ok(Took {
                time: began.elapsed(),
                cpu,
                peak,
                code: status.code(),
            });
        }
        std::thread::sleep(Duration::from_millis(
            if began.elapsed().as_millis() < 200 {
                1
            } else {
                10
            },
        ));
    }
}

impl Bench {
    fn command(&self, words: &[&str]) -> Command {
        let (program, rest) = words
            .split_first()
            .map_or(("", words), |(first, rest)| (*first, rest));
        let mut command = if program == "refit" {
            Command::new(&self.refit)
        } else {
            Command::new(program)
        };
        command
            .args(rest)
            .current_dir(&self.folder)
            .env("REFIT_CACHE", self.folder.join("cache"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Result<Took> {
        let log = fs::File::create(self.folder.join("log.txt"))?;
        let mut command = self.command(words);
        watched(
            command
                .stdout(log.try_clone()?)
                .stderr(log)
                .spawn()
                .with_context(|| words.join(" "))?,
        )
    }

    /// Runs a command and prints a row; its exit code must be one of `codes`.
    fn row(&self, what: &str, words: &[&str], codes: &[i32], size: Size) -> Result<Duration> {
        let took = self.run(words)?;
        let said = || fs::read_to_string(self.folder.join("log.txt")).unwrap_or_default();
        ensure!(
            took.code.is_some_and(|code| codes.contains(&code)),
            "{}: exit code {:?}\n{}",
            words.join(" "),
            took.code,
            said()
        );
        let seconds = took.time.as_secs_f64().max(1e-6);
        let peak = took
            .peak
            .map_or("?".to_owned(), |peak| format!("{:.0}", peak as f64 / 1e6));
        let (files, bytes) = (
            size.files as f64 / seconds,
            size.bytes as f64 / 1e6 / seconds,
        );
        println!("{what:<44} {seconds:>9.3} s {peak:>7} MB {files:>9.0} files/s {bytes:>8.1} MB/s");
        Ok(took.time)
    }

    fn game(&self, size: Size) -> Result<()> {
        let size = installation::write(&self.folder.join("game"), size)?;
        println!(
            "A game of {} files, {:.1} MB, {} threads",
            size.files,
            size.bytes as f64 / 1e6,
            rayon::current_num_threads()
        );
        // Let the files age: refit does not trust the time of a file that was just written.
        std::thread::sleep(Duration::from_secs(3));
        let word = "nobody_says_this";
        self.row("cp -r GAME COPY", &["cp", "-r", "game", "copy"], &[0], size)?;
        fs::remove_dir_all(self.folder.join("copy"))?;
        self.row(
            "grep -r WORD GAME",
            &["grep", "-r", word, "game"],
            &[1],
            size,
        )?;
        self.row(
            "refit verify GAME",
            &["refit", "verify", "game"],
            &[0],
            size,
        )?;
        self.row(
            "refit lint GAME, nothing kept",
            &["refit", "lint", "game"],
            &[0, 3],
            size,
        )?;
        self.row(
            "refit lint GAME, again",
            &["refit", "lint", "game"],
            &[0, 3],
            size,
        )?;
        fs::remove_dir_all(self.folder.join("cache"))?;
        self.row(
            "refit find WORD GAME, nothing kept",
            &["refit", "find", word, "game"],
            &[1],
            size,
        )?;
        self.row(
            "refit find WORD GAME, again",
            &["refit", "find", word, "game"],
            &[1],
            size,
        )?;
        self.row(
            "refit refs gate00.flt GAME, again",
            &["refit", "refs", "gate00.flt", "game"],
            &[0],
            size,
        )?;
        self.row(
            "refit unpack GAME",
            &["refit", "unpack", "game", "-o", "project"],
            &[0],
            size,
        )?;
        let mut trees = Size { files: 0, bytes: 0 };
        for entry in walkdir::WalkDir::new(self.folder.join("project")) {
            let entry = entry?;
            if entry.file_type().is_file() {
                trees.files += 1;
                trees.bytes += entry.metadata()?.len() as usize;
            }
        }
        println!(
            "Its project: {} files, {:.1} MB",
            trees.files,
            trees.bytes as f64 / 1e6
        );
        self.row(
            "cp -r PROJECT COPY",
            &["cp", "-r", "project", "copy"],
            &[0],
            trees,
        )?;
        fs::remove_dir_all(self.folder.join("copy"))?;
        self.row(
            "grep -r WORD PROJECT",
            &["grep", "-r", word, "project"],
            &[1],
            trees,
        )?;
        self.row(
            "refit find WORD PROJECT, nothing kept",
            &["refit", "find", word, "project"],
            &[1],
            trees,
        )?;
        self.row(
            "refit find WORD PROJECT, again",
            &["refit", "find", word, "project"],
            &[1],
            trees,
        )?;
        self.row(
            "refit status PROJECT",
            &["refit", "status", "project"],
            &[0],
            trees,
        )?;
        fs::write(
            self.folder.join("project/zbd/m1/zrdr.zbd/mission.zrd.json"),
            "[\"MISSION\", \"another\"]\n",
        )?;
        self.row(
            "refit repack PROJECT, one edit",
            &["refit", "repack", "project"],
            &[0, 3],
            size,
        )?;
        self.row(
            "refit restore GAME",
            &["refit", "restore", "game"],
            &[0],
            size,
        )?;
        for folder in ["project", "game", "cache"] {
            fs::remove_dir_all(self.folder.join(folder))?;
        }
        Ok(())
    }

    fn single(&self, bytes: usize) -> Result<()> {
        let file = synthetic::pbo(bytes, false);
        let size = Size {
            files: 1,
            bytes: file.len(),
        };
        fs::create_dir(self.folder.join("one"))?;
        fs::write(self.folder.join("one/large.pbo"), file)?;
        println!(
            "A folder with one file of {:.1} MB",
            size.bytes as f64 / 1e6
        );
        std::thread::sleep(Duration::from_secs(3));
        self.row("cp -r", &["cp", "-r", "one", "copy"], &[0], size)?;
        for (what, line, codes) in [
            ("refit verify", "refit verify one", &[0][..]),
            ("refit lint", "refit lint one", &[0, 3]),
            (
                "refit find, nothing kept",
                "refit find nobody_says_this one",
                &[1],
            ),
            ("refit find, again", "refit find nobody_says_this one", &[1]),
            ("refit unpack", "refit unpack one -o project", &[0]),
            ("refit status", "refit status project", &[0]),
        ] {
            self.row(what, &line.split(' ').collect::<Vec<_>>(), codes, size)?;
        }
        for folder in ["project", "one", "copy", "cache"] {
            fs::remove_dir_all(self.folder.join(folder))?;
        }
        Ok(())
    }

    /// Animations of about this size, in `game/`.
    fn animations(&self, bytes: usize) -> Result<(PathBuf, Size)> {
        let each = typical::recoil_animations(2).len() - typical::recoil_animations(1).len();
        let file = typical::recoil_animations((bytes / each).clamp(1, 32_000));
        let size = Size {
            files: 1,
            bytes: file.len(),
        };
        fs::create_dir_all(self.folder.join("game"))?;
        fs::write(self.folder.join("game/anim.zbd"), file)?;
        self.quiet(&["refit", "unpack", "game/anim.zbd", "-o", "anim", "--force"])?;
        let folder = self.folder.join("anim/defs");
        let mut documents: Vec<PathBuf> = fs::read_dir(folder)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        documents.sort();
        let one = documents
            .get(documents.len() / 2)
            .context("the tree has definitions")?;
        Ok((one.clone(), size))
    }

    fn quiet(&self, words: &[&str]) -> Result<()> {
        let took = self.run(words)?;
        let said = || fs::read_to_string(self.folder.join("log.txt")).unwrap_or_default();
        ensure!(
            matches!(took.code, Some(0 | 3)),
            "{}: {:?}\n{}",
            words.join(" "),
            took.code,
            said()
        );
        Ok(())
    }

    fn edits(&self, bytes: usize) -> Result<()> {
        let (document, size) = self.animations(bytes)?;
        println!(
            "Animations of {:.1} MB, one value edited",
            size.bytes as f64 / 1e6
        );
        edit(&document, 1)?;
        self.quiet(&["refit", "repack", "anim", "-o", "edited.zbd"])?;
        self.row("cp", &["cp", "game/anim.zbd", "copy.zbd"], &[0], size)?;
        self.row("cmp", &["cmp", "game/anim.zbd", "edited.zbd"], &[1], size)?;
        self.row(
            "refit diff FILE FILE",
            &["refit", "diff", "game/anim.zbd", "edited.zbd"],
            &[3],
            size,
        )?;
        self.row(
            "refit diff FILE TREE",
            &["refit", "diff", "game/anim.zbd", "anim"],
            &[3],
            size,
        )?;
        self.row(
            "refit mod make FILE FILE",
            &[
                "refit",
                "mod",
                "make",
                "game/anim.zbd",
                "edited.zbd",
                "-o",
                "one.refitmod",
            ],
            &[0],
            size,
        )?;
        let small = fs::metadata(self.folder.join("one.refitmod"))?.len();
        println!("{:<44} {small:>9} bytes", "the mod");
        self.row(
            "refit mod make FILE TREE",
            &[
                "refit",
                "mod",
                "make",
                "game/anim.zbd",
                "anim",
                "-o",
                "two.refitmod",
            ],
            &[0],
            size,
        )?;
        self.row(
            "refit mod apply",
            &[
                "refit",
                "mod",
                "apply",
                "one.refitmod",
                "--to",
                "game/anim.zbd",
            ],
            &[0],
            size,
        )?;
        ensure!(
            fs::read(self.folder.join("game/anim.zbd"))?
                == fs::read(self.folder.join("edited.zbd"))?,
            "the mod made another file"
        );
        self.row(
            "refit mod remove",
            &["refit", "mod", "remove", "--all", "--from", "game"],
            &[0],
            size,
        )?;
        Ok(())
    }

    /// Animation definitions, compiled with and without their original file.
    fn definitions(&self, bytes: usize) -> Result<()> {
        let (_, size) = self.animations(bytes)?;
        self.row(
            "refit anim decompile",
            &[
                "refit",
                "anim",
                "decompile",
                "game/anim.zbd",
                "-o",
                "defs",
                "--as",
                "zrd",
            ],
            &[0],
            size,
        )?;
        let mut text = Size { files: 0, bytes: 0 };
        for entry in walkdir::WalkDir::new(self.folder.join("defs")) {
            let entry = entry?;
            text.files += usize::from(entry.file_type().is_file());
            text.bytes += if entry.file_type().is_file() {
                entry.metadata()?.len() as usize
            } else {
                0
            };
        }
        println!(
            "Definitions: {} files, {:.1} MB",
            text.files,
            text.bytes as f64 / 1e6
        );
        self.row(
            "refit info FILE, which reads it",
            &["refit", "info", "game/anim.zbd"],
            &[0],
            size,
        )?;
        self.row(
            "refit anim compile",
            &["refit", "anim", "compile", "defs", "-o", "fresh.zbd"],
            &[0, 3],
            text,
        )?;
        let over = [
            "refit",
            "anim",
            "compile",
            "defs",
            "--base",
            "game/anim.zbd",
            "-o",
            "over.zbd",
        ];
        self.row("refit anim compile, over the file", &over, &[0, 3], text)?;
        ensure!(
            fs::read(self.folder.join("game/anim.zbd"))? == fs::read(self.folder.join("over.zbd"))?,
            "the file did not come back"
        );
        Ok(())
    }

    fn watch(&self, bytes: usize) -> Result<()> {
        let (document, size) = self.animations(bytes)?;
        let megabytes = size.bytes as f64 / 1e6;
        self.saves(
            "anim",
            "game/anim.zbd",
            &document,
            &format!("a definition of {megabytes:.1} MB of animations"),
        )?;
        self.quiet(&["refit", "restore", "game/anim.zbd"])?;
        self.quiet(&[
            "refit",
            "anim",
            "decompile",
            "game/anim.zbd",
            "-o",
            "source",
            "--force",
        ])?;
        let source = self.folder.join("source/gate00.flt.zrd.json");
        self.saves(
            "source",
            "game/anim.zbd",
            &source,
            &format!("the source of a definition of {megabytes:.1} MB of animations"),
        )?;
        let file = synthetic::reader(3_000_000, Footer::One);
        let size = file.len();
        fs::write(self.folder.join("game/reader.zbd"), file)?;
        self.quiet(&[
            "refit",
            "unpack",
            "game/reader.zbd",
            "-o",
            "reader",
            "--force",
        ])?;
        let member = self.folder.join("reader/member0007.zrd.json");
        self.saves(
            "reader",
            "game/reader.zbd",
            &member,
            &format!("a member of {:.1} MB of readers", size as f64 / 1e6),
        )
    }

    /// Saves a document repeatedly while it is watched, and measures the time until the file is
    /// replaced.
    fn saves(&self, tree: &str, file: &str, document: &Path, what: &str) -> Result<()> {
        let mut child = self
            .command(&["refit", "watch", tree, "--into", file])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut lines =
            BufReader::new(child.stdout.take().context("the output is a pipe")?).lines();
        let done = (|| {
            while !lines
                .next()
                .context("watch ended")??
                .starts_with("watching")
            {}
            let file = self.folder.join(file);
            let mut times = Vec::new();
            for round in 0..21u32 {
                let before = stamp(&file);
                edit(document, round + 2)?;
                let began = Instant::now();
                while stamp(&file) == before {
                    ensure!(
                        began.elapsed() < Duration::from_secs(60),
                        "{what}: nothing was built"
                    );
                    std::thread::sleep(Duration::from_micros(200));
                }
                times.push(began.elapsed());
                // The first save reads the whole tree, and so does the idle time after some saves.
                std::thread::sleep(Duration::from_millis(if round == 0 { 3000 } else { 100 }));
            }
            let first = times.remove(0);
            times.sort();
            let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
            println!(
                "refit watch, {what}: {:.1} ms from the save to the file in place (best {:.1}, worst {:.1}; the first \
                save {:.1})",
                ms(times.get(times.len() / 2)),
                ms(times.first()),
                ms(times.last()),
                ms(Some(&first)),
            );
            Ok(())
        })();
        let peak = peak_of(child.id());
        child.kill()?;
        child.wait()?;
        if let Some(peak) = peak {
            println!("{:<44} {:>9.0} MB", "its most memory", peak as f64 / 1e6);
        }
        done
    }
}

/// Identifies the current file: it changes with each build.
fn stamp(file: &Path) -> Option<(SystemTime, u64)> {
    let meta = fs::metadata(file).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

/// Changes the first number of a document that has a fraction, or is alone in a list.
fn edit(document: &Path, value: u32) -> Result<()> {
    let text = fs::read_to_string(document).with_context(|| document.display().to_string())?;
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let point = (1..bytes.len())
        .find(|at| bytes.get(*at) == Some(&b'.') && digit(at - 1) && digit(at + 1))
        .context("a number")?;
    let end = (point + 1..bytes.len())
        .find(|at| !digit(*at))
        .unwrap_or(bytes.len());
    let text = format!(
        "{}.{}{}",
        text.get(..point).unwrap_or_default(),
        125 + value * 250,
        text.get(end..).unwrap_or_default()
    );
    fs::write(document, text).with_context(|| document.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_fraction_of_a_document_is_edited() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        fs::write(&path, "{ \"v\": [1, 2.5], \"w\": 3.75 }").unwrap();
        edit(&path, 2).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "{ \"v\": [1, 2.625], \"w\": 3.75 }"
        );
    }
}
