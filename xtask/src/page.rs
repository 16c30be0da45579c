//! The page of `refit view`: its sources, its server, and `cargo xtask view`, which bundles it.
//!
//! It needs Node and npm; no other part of the project does. The bundle is committed, so that refit
//! builds with Rust alone.

use crate::{Args, root};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The sources of the page.
pub(crate) fn folder() -> PathBuf {
    root().join("src/page")
}

/// Runs a program in the page's folder.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new(program);
    let status = command.args(arguments).current_dir(folder()).status();
    let status =
        status.with_context(|| format!("{program} cannot be started: install Node 20 with npm"))?;
    ensure!(
        status.success(),
        "{program} {:.300}: {status}",
        arguments.join(" ")
    );
    Ok(())
}

/// Installs the packages of the page, if they are not there.
pub(crate) fn packages() -> Result<()> {
    if folder().join("node_modules/prettier").is_dir() {
        Ok(())
    } else {
        run("npm", &["ci", "--no-audit", "--no-fund"])
    }
}

/// Runs `cargo xtask view`: bundles the page, or with `--check` compares the committed bundle with
/// its sources.
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
        "the bundle in src/page/dist does not match the sources: commit the new one"
    );
    Ok(())
}

/// A server that ends with this.
pub(crate) struct Server {
    /// The process.
    pub child: Child,
    /// The address that it said.
    pub url: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// A server of a folder, and its address.
    pub(crate) fn of(game: &Path) -> Result<(Self, String)> {
        let server = Self::start(program(), None, game, &[])?;
        let url = server.url.clone();
        Ok((server, url))
    }

    /// Starts a server with its own cache at a place, and with further arguments.
    pub(crate) fn start(
        program: PathBuf,
        place: Option<&Path>,
        game: &Path,
        more: &[&str],
    ) -> Result<Self> {
        let mut command = Command::new(program);
        command
            .args(["view", "--no-open", "--json"])
            .arg(game)
            .args(more);
        if let Some(place) = place {
            command.env("REFIT_CACHE", place.join("cache"));
            command.env("REFIT_BLENDER", place.join("blender"));
        }
        Self::of_command(command)
    }

    /// Starts a server that begins with the start page, in a folder and with a cache of its own.
    pub(crate) fn begin(program: PathBuf, folder: &Path, cache: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command
            .args(["view", "--no-open", "--json"])
            .current_dir(folder)
            .env("REFIT_CACHE", cache);
        Self::of_command(command)
    }

    fn of_command(mut command: Command) -> Result<Self> {
        command.stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("the server has an output")?)
            .read_line(&mut line)?;
        let said: Value =
            serde_json::from_str(&line).with_context(|| format!("the server said {line:?}"))?;
        let url = said["url"]
            .as_str()
            .context("the server names its address")?
            .to_owned();
        Ok(Server { child, url })
    }
}

/// The program that is tried: `REFIT`, or the one of the tests.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("REFIT").map_or_else(|| roundtrip_tests::program().to_owned(), PathBuf::from)
}
