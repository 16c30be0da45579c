//! `refit view`: the game in a browser window.

use crate::session::Session;
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Error, Result, count},
};
use refit_view::{
    self as view,
    server::{Door, Server},
    start,
};
use refit_workbench::{Progress, Quiet};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Show a game, a project or a file in the browser
#[derive(Args, Debug, Default)]
pub struct View {
    /// A game's folder, a project, a tree or a file; without it, the page lets you choose
    #[arg(value_name = "GAME|PROJECT|FILE")]
    path: Option<PathBuf>,
    /// Listen on this port instead of a free one
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print the address instead of opening a browser
    #[arg(long)]
    no_open: bool,
    /// Compare with this folder, file or mod instead of with the originals
    #[arg(long, value_name = "FOLDER|FILE|MOD")]
    against: Option<PathBuf>,
    /// Write the page as static files to this folder, for a web server; this publishes the game's
    /// content
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "no_open", "against"])]
    export: Option<PathBuf>,
}

impl View {
    /// Runs the command until Ctrl-C, or until the page ends it.
    pub fn run(self, session: &Session) -> Result<()> {
        if self.export.is_none() {
            return_what_is_freed();
        }
        let cache = refit_workbench::names::cache_folder();
        let mut shown = match &self.path {
            None if self.export.is_none() && self.against.is_none() => None,
            path => {
                let path = path.as_deref().unwrap_or(Path::new("."));
                if !path.exists() {
                    return Err(Error::missing(path.shown()));
                }
                let against = self.against.as_deref();
                let view = view::View::open(path, against, session.options()?, session)?;
                if let Some(target) = &self.export {
                    return Self::export(&view, path, target, session);
                }
                Some((view, path))
            }
        };
        let mut door = Door::new(self.port)?;
        match &shown {
            Some((_, path)) => {
                start::Recent::new(cache.clone()).add(path);
                self.tell(&path.shown(), &door.url(), session);
            }
            None => self.tell("the start page", &door.url(), session),
        }
        let options = session.options()?;
        let open = move |path: &Path| view::View::open(path, None, options.clone(), &Quiet);
        let open: Arc<start::Open> = Arc::new(open);
        let stop = || session.closed();
        loop {
            let view = match shown.take() {
                Some((view, _)) => view,
                None => match start::choose(&door, cache.clone(), open.clone(), &stop)? {
                    Some(view) => view,
                    None => return Ok(()),
                },
            };
            // The page may go back to the start page.
            match Server::new(view, door)?.run(&stop)? {
                Some(again) => door = again,
                None => return Ok(()),
            }
        }
    }

    /// Writes the page as static files.
    fn export(view: &view::View, path: &Path, target: &Path, session: &Session) -> Result<()> {
        let (written, replaced) = view.export(target, session.global.force, session)?;
        session.replaced(target, &replaced);
        session.tell(format!(
            "{} → {} ({})",
            path.shown(),
            target.shown(),
            count(written, "file")
        ));
        session.warn(format!(
            "anyone who can read {} can read the game's files",
            target.shown()
        ));
        Ok(())
    }

    /// Says where the page is, and opens it.
    fn tell(&self, what: &str, url: &str, session: &Session) {
        if session.global.json {
            session.json(&serde_json::json!({ "status": "serving", "url": url }));
        }
        session.tell(format!("{what} is at {url} (Ctrl-C to stop)"));
        session.flush();
        if !self.no_open
            && let Err(e) = open_browser(url)
        {
            session.warn(format!(
                "cannot open a browser ({e}): open the address yourself"
            ));
        }
    }
}

/// The variable from which glibc's allocator reads its settings when a program starts.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const NAME: &str = "GLIBC_TUNABLES";

/// Opens an address in the user's browser, without the variable that [`return_what_is_freed`] sets.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn open_browser(url: &str) -> std::io::Result<()> {
    use std::{os::unix::process::CommandExt, process::Stdio};
    let mut tried = Err(std::io::ErrorKind::NotFound.into());
    for mut command in open::commands(url) {
        command
            .env_remove(NAME)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // Ctrl-C in the terminal is not for the browser.
        tried = command.process_group(0).spawn().map(|_| ());
        if tried.is_ok() {
            break;
        }
    }
    tried
}

/// Opens an address in the user's browser.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn open_browser(url: &str) -> std::io::Result<()> {
    open::that_detached(url)
}

/// Restarts this program with an allocator that returns freed memory to the system.
///
/// glibc only returns the end of an arena, and small blocks there keep everything before them:
/// blocks that are cached for reuse, and those of ended threads. Without these caches, and with
/// arenas for the threads that work on files plus one for connections, a server does not grow with
/// the number of questions. glibc reads this variable only when a program starts.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn return_what_is_freed() {
    use std::{env, os::unix::process::CommandExt, process::Command};
    const VALUE: &str = "glibc.malloc.arena_max=6:glibc.malloc.mmap_threshold=131072:\
        glibc.malloc.trim_threshold=32768:glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0:\
        glibc.pthread.stack_cache_size=0";
    if env::var_os(NAME).is_some() {
        return;
    }
    if let Ok(program) = env::current_exe() {
        let mut arguments = env::args_os();
        let name = arguments.next().unwrap_or_default();
        // It only returns after a failure; then this process continues and needs more memory.
        let _ = Command::new(program)
            .arg0(name)
            .args(arguments)
            .env(NAME, VALUE)
            .exec();
    }
}

/// The allocators of other systems give freed memory back.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn return_what_is_freed() {}
