//! The repository's own tasks, run as `cargo xtask TASK`.

pub mod api;
pub mod bench;
pub mod browser;
pub mod damage;
#[cfg(unix)]
pub mod debian;
pub mod dist;
pub mod engine;
pub mod figures;
pub mod findings;
pub mod floats;
pub mod formats;
pub mod fuzz;
pub mod golden;
pub mod imports;
pub mod installation;
pub mod manifests;
pub mod mcp;
pub mod mech3ax;
pub mod page;
mod play;
pub mod programs;
pub mod python;
pub mod schemas;
pub mod sequences;
pub mod stage;
pub mod synthetic;
pub mod trip;
pub mod typical;
pub mod web;
#[cfg(unix)]
pub mod windows;

use anyhow::{Context, Result, bail, ensure};
use std::{
    path::{Path, PathBuf},
    process::Command,
    str::FromStr,
};

/// A task: name, arguments, help text, and function.
pub struct Task {
    /// `cargo xtask NAME`.
    pub name: &'static str,
    /// Its arguments, as shown in the help.
    pub usage: &'static str,
    /// One line.
    pub help: &'static str,
    run: fn(Args) -> Result<()>,
}

/// All tasks.
pub const TASKS: &[Task] = &[
    Task {
        name: "ci",
        usage: "",
        help: "everything that a change must pass, as .ci/run",
        run: ci,
    },
    Task {
        name: "schemas",
        usage: "[--check]",
        help: "write schemas/ from the document types, and the list of the tools of `refit mcp`",
        run: schemas::task,
    },
    Task {
        name: "api",
        usage: "[--check]",
        help: "write docs/api.txt, the public items of the library, from the source",
        run: api::task,
    },
    Task {
        name: "view",
        usage: "[--check]",
        help: "bundle the page of `refit view`, or compare the bundle with its sources (needs Node)",
        run: page::view,
    },
    Task {
        name: "browser",
        usage: "[--game G] [--only SUITE] [--screenshots] [--write DIR] | --web [--site FOLDER] | --plays [GAME]… \
            [--pictures FOLDER]",
        help: "try the page of `refit view` on games made for it, and measure it on a large world (needs Node and\n\
            \x20              Chromium); --screenshots: of those games, into docs/images; --write: the games alone;\n\
            \x20              --web: drop the golden files onto the page without a server, a new one or that of\n\
            \x20              --site; --plays: play animations",
        run: browser::task,
    },
    Task {
        name: "web",
        usage: "[-o DIR]",
        help: "the page without a server, for any web server: refit as WebAssembly (needs the target \
            wasm32-unknown-unknown, or Debian)",
        run: web::task,
    },
    Task {
        name: "formats",
        usage: "[--check]",
        help: "write the tables in src/*/*/FORMAT.md from the declarations",
        run: formats::task,
    },
    Task {
        name: "findings",
        usage: "[--check]",
        help: "write docs/findings.md, all kinds of findings with an example from the cases",
        run: findings::task,
    },
    Task {
        name: "golden",
        usage: "[--check]",
        help: "write the golden files that `typical` makes, and SHA256SUMS of every folder in golden/",
        run: golden::task,
    },
    Task {
        name: "fuzz",
        usage: "[--runs N] [--format NAME] [--seed N] [--run N] [--from DIR]",
        help: "mutate golden files and trees, look for a broken promise (use --profile proofs)",
        run: fuzz::task,
    },
    Task {
        name: "damage",
        usage: "[--format NAME] [--via bytes|json|ron] [--every N] [--all]",
        help: "cut golden files at every length, change each of their bytes in 4 ways or all 255 (use --profile \
            proofs)",
        run: damage::task,
    },
    Task {
        name: "floats",
        usage: "[--text json|ron|reader] [--sample N] [--jobs N]",
        help: "all 2^32 floats through the texts (use --release)",
        run: floats::task,
    },
    Task {
        name: "bench",
        usage: "[--small] [--imports] [--against OLD [--refit NEW]] [FILE…]",
        help: "speed of every format, beside a memory copy and SHA-256; --imports: of models, pictures and sounds in \
            (use --release);\n               --against: of two built programs as whole processes (NEW: \
            target/dist/refit)",
        run: bench::task,
    },
    Task {
        name: "typical",
        usage: "[--scale N] DIR",
        help: "files with the proportions of real ones, of all formats, into a folder",
        run: typical::task,
    },
    Task {
        name: "installation",
        usage: "[--large] [--files N] [--bytes N] DIR",
        help: "a synthetic game's folder for figures: 200 files and 100 MB, or 20,000 and 1 GB",
        run: installation::task,
    },
    Task {
        name: "figures",
        usage: "[--games] [--edits] [--files N] [--bytes N] [--edited BYTES] [--single BYTES] [--refit PROGRAM] DIR",
        help: "time and memory of the program on a whole game and on edits of large files (use --release)",
        run: figures::task,
    },
    Task {
        name: "sequences",
        usage: "[--seed N] [--steps N]",
        help: "what people do with a game, drawn at random, until something is lost; --seed plays one sequence again",
        run: sequences::task,
    },
    Task {
        name: "engine",
        usage: "--program PATH [--worlds N] [--readers N] [--mutants N] [--seed S]",
        help: "worlds, readers and damaged worlds through Recoil's own reader: a program that is not part of this\n\
            \x20              repository (see CONTRIBUTING.md)",
        run: engine::task,
    },
    Task {
        name: "dist",
        usage: "",
        help: "a release archive for this machine in target/archives, of the profile `dist`",
        run: dist::task,
    },
    Task {
        name: "manifests",
        usage: "--repository PAGE -o DIR SHA256SUMS",
        help: "the files of a release for Homebrew and winget, to submit there",
        run: manifests::task,
    },
    Task {
        name: "python",
        usage: "[--python PROGRAM] [--wheel | --figures [--refit PROGRAM]]",
        help: "build the Python package and run its tests, mypy and stubtest (needs Python 3.10 and, the first time,\n\
            \x20              the network); --wheel: only build it; --figures: its speed beside the program's",
        run: python::task,
    },
    Task {
        name: "blender",
        usage: "[--python PROGRAM] [--use WHEEL] [--test [--bpy VERSION]]",
        help: "make the add-on for Blender, with its wheel, as a zip; --test: run its tests in Blender as a module\n\
            \x20              (needs Python 3.11 and the network: 350 MB; for --bpy 5.3.0, --python python3.13)",
        run: python::blender,
    },
    Task {
        name: "mcp",
        usage: "[--python PROGRAM] | --random N [--seed N]",
        help: "stories of the book through `refit mcp` with the public client libraries of JavaScript and Python,\n\
            \x20              compared with the commands (needs Node, Python 3.10 and, the first time, the network);\n\
            \x20              --random: random calls (use --release)",
        run: mcp::task,
    },
    Task {
        name: "mech3ax",
        usage: "[--original WORLD] WORLD…",
        help: "read worlds as mech3ax does, one line of JSON each: what it would refuse; with --original: what it\n\
            \x20              would refuse only now, and the parts that changed",
        run: mech3ax::task,
    },
    #[cfg(unix)]
    Task {
        name: "windows",
        usage: "[--threads N] [--only NAME] [--patience SECONDS] [--no-run] [lib|main|trees|TEST…]",
        help: "build for Windows on Debian, and run the tests under Wine; installs packages (as root)",
        run: windows::task,
    },
];

/// Reports panics as findings, without Rust's own message. If the profile aborts on panic, prints a
/// note.
fn quiet_panics() {
    if cfg!(panic = "abort") {
        eprintln!(
            "note: a panic ends this build; one of `--profile proofs` goes on, and tells which input it was"
        );
    } else {
        std::panic::set_hook(Box::new(|_| {}));
    }
}

/// Runs the task that the arguments name; without arguments lists all tasks.
pub fn run(args: impl Iterator<Item = String>) -> Result<()> {
    let mut args = Args(args.collect());
    if args.0.is_empty() || args.flag("--help") || args.flag("-h") {
        println!("cargo xtask TASK");
        for task in TASKS {
            println!(
                "  {:<12} {}{}{}",
                task.name,
                task.help,
                if task.usage.is_empty() {
                    ""
                } else {
                    "\n               "
                },
                task.usage
            );
        }
        println!(
            "Heavy tasks: cargo run --release -p xtask -- TASK (fuzz, damage: --profile proofs)"
        );
        return Ok(());
    }
    let name = args.0.remove(0);
    let task = TASKS
        .iter()
        .find(|t| t.name == name)
        .with_context(|| format!("there is no task {name:?}; `cargo xtask` lists them"))?;
    (task.run)(args)
}

/// The arguments of a task, consumed one by one.
pub struct Args(Vec<String>);

impl Args {
    /// Takes a switch; true if it was given.
    pub fn flag(&mut self, name: &str) -> bool {
        let found = self.0.iter().position(|a| a == name);
        found.map(|at| self.0.remove(at)).is_some()
    }

    /// Takes an option and its value.
    pub fn value<T: FromStr<Err: std::fmt::Display>>(&mut self, name: &str) -> Result<Option<T>> {
        let Some(at) = self.0.iter().position(|a| a == name) else {
            return Ok(None);
        };
        self.0.remove(at);
        ensure!(at < self.0.len(), "{name} needs a value");
        let text = self.0.remove(at);
        // Accept 10_000_000, too.
        let value = text
            .parse()
            .or_else(|e| text.replace('_', "").parse().map_err(|_| e));
        value
            .map(Some)
            .map_err(|e| anyhow::anyhow!("{name} {text}: {e}"))
    }

    /// The remaining arguments: paths.
    pub fn rest(self) -> Result<Vec<PathBuf>> {
        if let Some(option) = self.0.iter().find(|a| a.starts_with('-')) {
            bail!("unknown option {option}");
        }
        Ok(self.0.into_iter().map(PathBuf::from).collect())
    }

    /// Returns an error if any arguments remain.
    pub fn done(self) -> Result<()> {
        match self.rest()?.first() {
            Some(extra) => bail!("unexpected {}", extra.display()),
            None => Ok(()),
        }
    }
}

/// The repository's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
}

/// Runs a command in the repository's root; returns an error if it fails.
pub fn command(command: &mut Command) -> Result<()> {
    let status = command
        .current_dir(root())
        .status()
        .with_context(|| format!("{command:?}"))?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(())
}

/// The sorted subfolders of `golden/`: the formats that have golden files.
pub fn golden_folders() -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(root().join("golden")).context("golden")? {
        let path = entry?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

fn ci(args: Args) -> Result<()> {
    args.done()?;
    command(Command::new("sh").arg(".ci/run"))
}
