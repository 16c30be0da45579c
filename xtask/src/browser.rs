//! `cargo xtask browser`: opens the page in a real Chromium, tries it on a game of each kind, and
//! measures it on a large world.

use crate::{
    Args,
    page::{Server, packages, program, run},
    root,
    stage::{self, scenery::Door},
};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

/// The evenings that are played in a game, by their numbers in `dev/evenings.mjs`.
fn evenings(game: &str) -> &'static [u32] {
    match game {
        "rc" => &[1, 5, 6, 7],
        "mw" => &[2],
        "cs" => &[3],
        _ => &[4],
    }
}

const GAMES: [&str; 4] = ["rc", "mw", "pm", "cs"];

/// The world of the figures: objects, shapes, and textures of 128 kB, which are 63 MB.
const MANY: (usize, usize, usize) = (20_000, 2_000, 480);

/// The program to measure: `REFIT`, or the release build.
fn released() -> Result<PathBuf> {
    if let Some(given) = std::env::var_os("REFIT") {
        return Ok(given.into());
    }
    println!("the release program is built for the figures, the first time in several minutes");
    crate::command(Command::new("cargo").args([
        "build",
        "--quiet",
        "--release",
        "--package",
        "refit",
    ]))?;
    Ok(crate::web::target()?
        .join("release")
        .join(format!("refit{}", std::env::consts::EXE_SUFFIX)))
}

/// The peak memory of a process, in MB; `None` if the system does not report it.
fn memory(process: &Child) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? / 1000.0)
}

/// Where Chromium is.
fn chromium() -> Result<PathBuf> {
    let given = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let usual = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ]
    .map(PathBuf::from);
    let found = given.into_iter().chain(usual).find(|path| path.is_file());
    found.context("there is no Chromium: install it (Debian: apt-get install chromium), or name it in CHROMIUM")
}

/// Runs `cargo xtask browser`: tries the page on a game of each kind, and measures it on a large
/// world.
pub fn task(mut args: Args) -> Result<()> {
    let screenshots = args.flag("--screenshots");
    let write = args.value::<PathBuf>("--write")?;
    let only: Option<String> = args.value("--only")?;
    let game: Option<String> = args.value("--game")?;
    let (web, plays) = (args.flag("--web"), args.flag("--plays"));
    let (pictures, site) = (
        args.value::<PathBuf>("--pictures")?,
        args.value::<PathBuf>("--site")?,
    );
    let named = args.rest()?;
    ensure!(
        plays || named.is_empty(),
        "games are named after --plays only"
    );
    ensure!(web || site.is_none(), "--site is the page of --web");
    let named: Vec<&str> = named.iter().filter_map(|game| game.to_str()).collect();
    if let Some(folder) = write {
        for game in GAMES {
            stage(&folder.join(game), game)?;
        }
        return large(&folder.join("large"));
    }
    let chromium = chromium()?;
    packages()?;
    if web {
        return crate::web::browser(&chromium, site, pictures);
    }
    if plays {
        let games = if named.is_empty() { &GAMES[..] } else { &named };
        return crate::play::compare(games, &chromium, pictures.as_deref());
    }
    let mut failed = Vec::new();
    let chosen = |name: &str| game.as_deref().is_none_or(|game| game == name);
    for name in GAMES.into_iter().filter(|name| chosen(name)) {
        println!("== {name}");
        if let Err(e) = tried(name, &chromium, only.as_deref(), screenshots) {
            failed.push(format!("{name}: {e:#}"));
        }
    }
    if chosen("large") && !screenshots && only.is_none() {
        println!("== a large world");
        if let Err(e) = figures(&chromium) {
            failed.push(format!("a large world: {e:#}"));
        }
    }
    if game.is_none()
        && !screenshots
        && only.is_none()
        && let Err(e) = crate::play::compare(&GAMES, &chromium, None)
    {
        failed.push(e.to_string());
    }
    if failed.is_empty() {
        Ok(())
    } else {
        bail!("{}", failed.join("\n"))
    }
}

/// Writes a game, the same game with another door, and the mod that makes it so.
fn stage(place: &Path, game: &str) -> Result<()> {
    stage::write(&place.join("GAME"), game)?;
    let world = stage::world_path(game);
    let edited = place.join("edited").join(world);
    fs::create_dir_all(edited.parent().context("a file is in a folder")?)?;
    fs::write(&edited, stage::scenery::world(game, Door::New))?;
    let made = Command::new(program())
        .args([
            "mod",
            "make",
            "GAME",
            "edited",
            "--name",
            "new-door",
            "-o",
            "new-door.refitmod",
        ])
        .current_dir(place)
        .output()?;
    ensure!(
        made.status.success(),
        "no mod was made: {}",
        String::from_utf8_lossy(&made.stderr)
    );
    Ok(())
}

/// Runs the tests of the page with this information.
fn test(chromium: &Path, mut about: Value) -> Result<()> {
    about["chromium"] = chromium
        .to_str()
        .context("the path of Chromium is Unicode")?
        .into();
    run("node", &["dev/test.mjs", &about.to_string()])
}

fn tried(game: &str, chromium: &Path, only: Option<&str>, screenshots: bool) -> Result<()> {
    let place = tempfile::tempdir()?;
    stage(place.path(), game)?;
    let folder = place.path().join("GAME");
    blender(place.path())?;
    let server = Server::start(program(), Some(place.path()), &folder, &[])?;
    let modded = place.path().join("new-door.refitmod");
    let modded = Server::start(
        program(),
        Some(place.path()),
        &folder,
        &["--against", modded.to_str().context("Unicode")?],
    )?;
    let hostile = place.path().join("HOSTILE");
    stage::write_hostile(&hostile, game)?;
    let hostile = Server::start(program(), Some(place.path()), &hostile, &[])?;
    // A game of its own, which is edited.
    let evening = place.path().join("EVENING");
    stage::write(&evening, game)?;
    let edited = Server::start(program(), Some(place.path()), &evening, &[])?;
    let renewed = place.path().join("RENEWED");
    stage::write(&renewed, game)?;
    let renewing = Server::start(program(), Some(place.path()), &renewed, &[])?;
    // Each evening has a game of its own, too.
    let mut servers = Vec::new();
    let mut own_evenings = Vec::new();
    for number in evenings(game) {
        let folder = place.path().join(format!("EVENING{number}"));
        stage::write(&folder, game)?;
        let server = Server::start(program(), Some(place.path()), &folder, &[])?;
        own_evenings.push(json!({
            "number": number, "url": server.url, "folder": folder,
            "project": place.path().join(format!("EVENING{number}-mod")),
        }));
        servers.push(server);
    }
    // Servers without a path, one after the other: what the first ones open, the later ones know.
    let cache = place.path().join("start");
    let starts = (0..3).map(|_| Server::begin(program(), place.path(), &cache));
    let starts = starts.collect::<Result<Vec<_>>>()?;
    let start_urls: Vec<&str> = starts.iter().map(|server| server.url.as_str()).collect();
    let world = stage::world_path(game);
    let shots = screenshots.then(|| root().join("docs/images"));
    let about = json!({
        "url": server.url, "modded": modded.url, "hostile": hostile.url, "game": game, "folder": folder,
        "only": only, "shots": shots,
        "world": world, "edited": place.path().join("edited").join(world), "markup": stage::MARKUP,
        "evening": {
            "url": edited.url, "folder": evening, "project": place.path().join("EVENING-mod"), "refit": program(),
            "model": root().join("docs/example/models/tower.gltf"),
        },
        "renewed": { "url": renewing.url, "project": place.path().join("RENEWED-mod") },
        "start": { "urls": start_urls, "folder": place.path() },
        "evenings": own_evenings, "refit": program(), "golden": root().join("golden"),
    });
    test(chromium, about)
}

/// Writes a program in the place of Blender, which notes that it was started with a file.
fn blender(place: &Path) -> Result<()> {
    let program = place.join("blender");
    fs::write(
        &program,
        "#!/bin/sh\nfor last; do :; done\nprintf '%s' \"$1\" > \"$last.started\"\n",
    )?;
    #[cfg(unix)]
    fs::set_permissions(
        &program,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )?;
    Ok(())
}

/// Writes a game with a large world.
fn large(folder: &Path) -> Result<()> {
    let (objects, shapes, textures) = MANY;
    let mission = folder.join("zbd/c1");
    fs::create_dir_all(&mission)?;
    fs::write(
        mission.join("gamez.zbd"),
        stage::scenery::many(objects, shapes, textures),
    )?;
    fs::write(
        mission.join("rtexture.zbd"),
        stage::pictures::many(textures),
    )?;
    Ok(())
}

/// Measures a large world: time until it is on the screen, a pick, the page after many scenes, and
/// the memory of the server compared with that of `export`.
fn figures(chromium: &Path) -> Result<()> {
    let place = tempfile::tempdir()?;
    let folder = place.path().join("GAME");
    large(&folder)?;
    let refit = released()?;
    let mut failed = Vec::new();
    let mut memories = Vec::new();
    // The world alone, and then all questions of a page, many times.
    for many in [false, true] {
        let server = Server::start(refit.clone(), Some(place.path()), &folder, &[])?;
        let about = json!({ "url": server.url, "large": true, "objects": MANY.0, "many": many });
        failed.extend(test(chromium, about).err().map(|e| e.to_string()));
        memories.push(memory(&server.child));
    }
    // Edits need more memory than looking, and are measured alone.
    let server = Server::start(refit.clone(), Some(place.path()), &folder, &[])?;
    let about = json!({ "url": server.url, "large": true, "edits": true });
    failed.extend(test(chromium, about).err().map(|e| e.to_string()));
    drop(server);
    let mut export = Command::new(&refit)
        .args(["export", "zbd/c1/gamez.zbd", "-o", "../out"])
        .current_dir(&folder)
        .stdout(Stdio::null())
        .spawn()?;
    let mut most = None;
    let status = loop {
        most = memory(&export).or(most);
        if let Some(status) = export.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    ensure!(status.success(), "export: {status}");
    let shown = |mb: Option<f64>| mb.map_or("unknown".to_owned(), |mb| format!("{mb:.0} MB"));
    let [world, all] = memories.as_slice() else {
        bail!("two servers were measured")
    };
    println!(
        "server: {} for the world, {} for all questions; export: {}",
        shown(*world),
        shown(*all),
        shown(most)
    );
    for (what, server) in [("the world", world), ("all questions", all)] {
        if let (Some(server), Some(export)) = (server, most)
            && *server > export
        {
            failed.push(format!(
                "the server needed {server:.0} MB for {what}, and export {export:.0} MB"
            ));
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        bail!("{}", failed.join("\n"))
    }
}
