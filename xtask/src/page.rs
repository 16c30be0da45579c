//! The page of `refit view`: `cargo xtask view` bundles it, `cargo xtask browser` opens it in a real Chromium.
//!
//! Both need Node and npm; nothing else of the project does. The bundle is committed, so that refit builds with Rust
//! alone.

use crate::{Args, root};
use anyhow::{Context, Result, bail, ensure};
use roundtrip_tests::games;
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The sources of the page.
pub(crate) fn folder() -> PathBuf {
    root().join("src/view/page")
}

/// Runs a program in the page's folder.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new(program);
    let status = command.args(arguments).current_dir(folder()).status();
    let status = status.with_context(|| format!("{program} cannot be started: install Node 20 with npm"))?;
    ensure!(status.success(), "{program} {}: {status}", arguments.join(" "));
    Ok(())
}

fn packages() -> Result<()> {
    if folder().join("node_modules/three").is_dir() { Ok(()) } else { run("npm", &["ci", "--no-audit", "--no-fund"]) }
}

/// Runs `cargo xtask view`: bundles the page, or with `--check` compares what is committed with what the sources give.
pub fn view(mut args: Args) -> Result<()> {
    let check = args.flag("--check");
    args.rest()?;
    packages()?;
    run("npm", &["run", "--silent", "check"])?;
    let sums = folder().join("dist/SHA256");
    let before = fs::read_to_string(&sums).unwrap_or_default();
    run("npm", &["run", "--silent", "build"])?;
    let after = fs::read_to_string(&sums)?;
    ensure!(
        !check || before == after,
        "the bundle in src/view/page/dist is not that of the sources: commit the new one"
    );
    Ok(())
}

/// A server that ends with this.
pub(crate) struct Server(Child);

impl Server {
    /// A server of a folder, and its address.
    pub(crate) fn of(game: &Path) -> Result<(Self, String)> {
        let mut command = Command::new(roundtrip_tests::program());
        command.args(["view", "--no-open", "--json"]).arg(game).stdout(Stdio::piped());
        let mut server = Server(command.spawn()?);
        let mut line = String::new();
        BufReader::new(server.0.stdout.take().context("the server has an output")?).read_line(&mut line)?;
        let said: Value = serde_json::from_str(&line)?;
        let url = said["url"].as_str().context("the server names its address")?;
        Ok((server, url.to_owned()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Where Chromium is.
fn chromium() -> Result<PathBuf> {
    let given = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    let found = given.into_iter().chain(usual).find(|path| path.is_file());
    found.context("there is no Chromium: install it (Debian: apt-get install chromium), or name it in CHROMIUM")
}

/// Runs `cargo xtask browser`: opens every file of a small installation of each game.
pub fn browser(mut args: Args) -> Result<()> {
    let (web, plays) = (args.flag("--web"), args.flag("--plays"));
    let (pictures, site) = (args.value::<PathBuf>("--pictures")?, args.value::<PathBuf>("--site")?);
    let named = args.rest()?;
    ensure!(plays || named.is_empty(), "games are named after --plays only");
    ensure!(web || site.is_none(), "--site is the page of --web");
    let named: Vec<&str> = named.iter().filter_map(|game| game.to_str()).collect();
    let all = ["rc", "mw", "pm", "cs"];
    let chromium = chromium()?;
    packages()?;
    if web {
        return crate::web::browser(&chromium, site, pictures);
    }
    if plays {
        let games = if named.is_empty() { &all[..] } else { &named };
        return crate::play::compare(games, &chromium, pictures.as_deref());
    }
    let mut failed = Vec::new();
    for game in all {
        let place = tempfile::tempdir()?;
        let folder = place.path().join(game);
        games::write(&folder, &games::installation(game, &games::names(game)));
        println!("== {game}");
        if let Err(e) = opened(&folder, &chromium) {
            failed.push(format!("{game}: {e}"));
        }
    }
    if let Err(e) = crate::play::compare(&all, &chromium, None) {
        failed.push(e.to_string());
    }
    if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("\n")) }
}

fn opened(game: &Path, chromium: &Path) -> Result<()> {
    let (_server, url) = Server::of(game)?;
    let chromium = chromium.to_str().context("the path of Chromium is Unicode")?;
    run("node", &["dev/test.mjs", &url, chromium])
}
