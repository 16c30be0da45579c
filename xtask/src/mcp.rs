//! `cargo xtask mcp`: stories of the book through `refit mcp` with both public client libraries,
//! which must leave the same bytes as the commands; with `--random N`, random calls.

use crate::{Args, command, python, root};
use anyhow::{Context, Result, bail, ensure};
use roundtrip_tests::{
    mcp::random_calls,
    process::{copy_folder, program, snapshot},
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The client libraries, as their registries name them.
const JAVASCRIPT: &str = "@modelcontextprotocol/sdk@^1.32";
const PYTHON: &str = "mcp>=2.3,<3";

const READER: &str = "zbd/zrdr.zbd";
const WORLD: &str = "zbd/m1/gamez.zbd";

/// Calls of tools with the folders `game` and `work`, and the commands that do the same beside
/// them.
struct Story {
    name: &'static str,
    calls: Vec<(&'static str, Value)>,
    commands: &'static [&'static [&'static str]],
}

fn set(path: &str, value: f64) -> (&'static str, Value) {
    let given = json!({ "folder": "mod", "file": READER, "part": "sounds.zrd.json", "path": path, "value": value });
    ("set", given)
}

/// The stories: of `docs/studio.md`, `docs/mods.md` and `docs/models.md`.
fn stories() -> Vec<Story> {
    let begin = || ("begin", json!({ "game": "game", "project": "work/mod" }));
    let look = |file: &str| ("parts", json!({ "folder": "mod", "file": file }));
    let carry_out = || ("carry_out", json!({ "plan": "$plan" }));
    let build = || [("plan_build", json!({ "folder": "mod" })), carry_out()];
    let far = json!({ "folder": "mod", "file": WORLD, "part": "nodes.json",
        "path": "nodes[camera1].data.camera.clip_far", "value": 3000 });
    let mut studio = vec![
        ("folders", json!({})),
        ("list", json!({ "folder": "game" })),
        ("find", json!({ "folder": "game", "text": "creak" })),
        ("schema", json!({ "kind": "gamez-nodes" })),
        begin(),
        look(WORLD),
        set("SAMPLES › creak › [3]", 0.5),
        ("set", far),
        ("changes", json!({})),
        ("undo", json!({ "number": 1 })),
        ("undo", json!({})),
        ("redo", json!({})),
        ("lint", json!({})),
        ("diff", json!({ "file": WORLD })),
    ];
    studio.extend(build());
    let mut mods = vec![begin(), set("SAMPLES › creak › VOLUME", 0.5)];
    mods.extend([
        (
            "make_mod",
            json!({ "to": "work/quiet.refitmod", "name": "quiet", "author": "Ann" }),
        ),
        ("undo", json!({})),
        set("SAMPLES › thud › VOLUME", 2.0),
        (
            "make_mod",
            json!({ "to": "work/loud.refitmod", "name": "loud", "author": "Bob" }),
        ),
        (
            "plan_mods",
            json!({ "folder": "game", "apply": ["work/quiet.refitmod", "work/loud.refitmod"] }),
        ),
        carry_out(),
        ("mods", json!({ "folder": "game" })),
        (
            "plan_mods",
            json!({ "folder": "game", "remove": ["quiet"] }),
        ),
        carry_out(),
    ]);
    let mut world = vec![
        begin(),
        ("world", json!({ "folder": "mod", "file": WORLD })),
        (
            "world_copy",
            json!({ "folder": "mod", "file": WORLD, "node": "door01", "name": "door02", "by": [5, 0, 0] }),
        ),
        (
            "world_move",
            json!({ "folder": "mod", "file": WORLD, "node": "door02", "turn": 90 }),
        ),
    ];
    world.extend(build());
    vec![
        Story {
            name: "edit, undo and build",
            calls: studio,
            commands: &[
                &["unpack", "-q", "game", "-o", "mod"],
                &[
                    "set",
                    "mod/zbd/m1/gamez.zbd/nodes.json",
                    "nodes[camera1].data.camera.clip_far",
                    "3000",
                ],
                &["repack", "-q", "mod", "-o", "game"],
            ],
        },
        Story {
            name: "make, merge and remove mods",
            calls: mods,
            commands: &[
                &["unpack", "-q", "game", "-o", "mod"],
                &[
                    "set",
                    "mod/zbd/zrdr.zbd/sounds.zrd.json",
                    "SAMPLES › creak › VOLUME",
                    "0.5",
                ],
                &[
                    "mod",
                    "make",
                    "game",
                    "mod",
                    "-o",
                    "quiet.refitmod",
                    "--name",
                    "quiet",
                    "--author",
                    "Ann",
                ],
                &["undo", "mod"],
                &[
                    "set",
                    "mod/zbd/zrdr.zbd/sounds.zrd.json",
                    "SAMPLES › thud › VOLUME",
                    "2.0",
                ],
                &[
                    "mod",
                    "make",
                    "game",
                    "mod",
                    "-o",
                    "loud.refitmod",
                    "--name",
                    "loud",
                    "--author",
                    "Bob",
                ],
                &[
                    "mod",
                    "apply",
                    "quiet.refitmod",
                    "loud.refitmod",
                    "--to",
                    "game",
                ],
                &["mod", "remove", "quiet", "--from", "game"],
            ],
        },
        Story {
            name: "copy and turn an object",
            calls: world,
            commands: &[
                &["unpack", "-q", "game", "-o", "mod"],
                &[
                    "world",
                    "copy",
                    "mod/zbd/m1/gamez.zbd",
                    "door01",
                    "--name",
                    "door02",
                    "--by",
                    "5,0,0",
                ],
                &[
                    "world",
                    "move",
                    "mod/zbd/m1/gamez.zbd",
                    "door02",
                    "--turn",
                    "90",
                ],
                &["repack", "-q", "mod", "-o", "game"],
            ],
        },
    ]
}

/// A client library: how a story is played with it.
struct Library {
    name: &'static str,
    run: Box<dyn Fn(&Path) -> Command>,
}

fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

/// The library of JavaScript, installed into a folder.
fn javascript(target: &Path) -> Result<Library> {
    let folder = target.join("javascript");
    fs::create_dir_all(&folder)?;
    fs::write(
        folder.join("package.json"),
        "{ \"private\": true, \"type\": \"module\" }\n",
    )?;
    let mut install = Command::new(npm());
    install.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]);
    command(install.arg(&folder).arg(JAVASCRIPT)).with_context(|| {
        format!("npm could not install {JAVASCRIPT}: it needs Node and the network")
    })?;
    let script = folder.join("client.mjs");
    fs::copy(root().join("xtask/src/mcp/client.mjs"), &script)?;
    Ok(Library {
        name: "@modelcontextprotocol/sdk",
        run: Box::new(move |story| {
            let mut node = Command::new("node");
            node.arg(&script).arg(story);
            node
        }),
    })
}

/// The library of Python, installed into an environment.
fn python_library(target: &Path, named: Option<PathBuf>) -> Result<Library> {
    let python = python::environment(&target.join("venv"), &python::python(named)?)?;
    python::install(&python, &[PYTHON])?;
    Ok(Library {
        name: "mcp",
        run: Box::new(move |story| {
            let mut run = Command::new(&python);
            run.arg(root().join("xtask/src/mcp/client.py")).arg(story);
            run
        }),
    })
}

/// The game of the book, and an empty folder beside it.
fn stage(place: &Path) -> Result<()> {
    copy_folder(&root().join("docs/example/recoil"), &place.join("game"));
    Ok(fs::create_dir(place.join("work"))?)
}

/// The files of the game, without refit's notes about mods.
fn game(place: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = snapshot(&place.join("game"));
    all.retain(|(file, _)| file.starts_with("zbd/") || file.ends_with(".dll"));
    all
}

/// Plays a story with each library and with the commands, and compares the games.
fn play(story: &Story, libraries: &[Library]) -> Result<()> {
    let by_commands = tempfile::tempdir()?;
    stage(by_commands.path())?;
    for line in story.commands {
        let mut refit = Command::new(program());
        let done = refit.args(*line).current_dir(by_commands.path()).output()?;
        let errors = String::from_utf8_lossy(&done.stderr);
        ensure!(
            matches!(done.status.code(), Some(0 | 3)),
            "refit {}: {errors}",
            line.join(" ")
        );
    }
    let wanted = game(by_commands.path());
    for library in libraries {
        let place = tempfile::tempdir()?;
        stage(place.path())?;
        let unedited = game(place.path());
        ensure!(
            unedited != wanted,
            "{}: the commands change nothing",
            story.name
        );
        let calls: Vec<Value> = story
            .calls
            .iter()
            .map(|(tool, given)| json!({ "tool": tool, "arguments": given }))
            .collect();
        let path = place.path().join("story.json");
        fs::write(&path, Value::from(calls).to_string())?;
        let mut run = (library.run)(&path);
        let folders = ["game", "work"].map(|folder| place.path().join(folder));
        let done = run.arg(program()).args(folders).output();
        let done = done.with_context(|| format!("{run:?}"))?;
        let text =
            [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        ensure!(
            done.status.success(),
            "{}, {}: {}",
            story.name,
            library.name,
            text.concat()
        );
        let made = game(place.path());
        let other = made.iter().find(|file| !wanted.contains(file));
        let other = other.or_else(|| wanted.iter().find(|file| !made.contains(file)));
        if let Some((file, _)) = other {
            bail!(
                "{}, {}: {file} is not what the commands make",
                story.name,
                library.name
            );
        }
        println!(
            "{}: {}: as the commands ({})",
            library.name,
            story.name,
            text[0].trim()
        );
    }
    Ok(())
}

/// Runs `cargo xtask mcp`.
pub fn task(mut args: Args) -> Result<()> {
    let random: Option<usize> = args.value("--random")?;
    let seed: u64 = args.value("--seed")?.unwrap_or(1);
    let named: Option<PathBuf> = args.value("--python")?;
    args.done()?;
    if let Some(calls) = random {
        let place = tempfile::tempdir()?;
        let said = |number: usize| {
            if number > 0 && number.is_multiple_of(1_000) {
                println!("{number} calls");
            }
        };
        let tally = random_calls(place.path(), seed, calls, &said)?;
        println!("{calls} calls from seed {seed}: {tally:?}");
        return Ok(());
    }
    let target = crate::web::target()?.join("mcp");
    let (mut libraries, mut missing) = (Vec::new(), Vec::new());
    for library in [javascript(&target), python_library(&target, named)] {
        match library {
            Ok(library) => libraries.push(library),
            Err(e) => missing.push(format!("{e:#}")),
        }
    }
    for story in stories() {
        play(&story, &libraries)?;
    }
    if !missing.is_empty() {
        bail!(
            "not every client library could be tried:\n{}",
            missing.join("\n")
        );
    }
    Ok(())
}
