//! The saves in a folder, as the system reports them.

use notify::{PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use refit_base::{
    path::{Shown, is_hidden},
    wire::{Error, Result},
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

/// A save is done if nothing happens for this time: editors write in several steps.
const QUIET: Duration = Duration::from_millis(15);
/// The same, if the system reported that all files that were written are closed.
const CLOSED: Duration = Duration::from_millis(3);
/// After this time the file is built even if more happens.
const PATIENCE: Duration = Duration::from_millis(300);
/// After this time without a save, partial builds are compared with the whole tree.
const IDLE: Duration = Duration::from_millis(400);

/// What happened to a file of the folder.
enum FileEvent {
    /// It was written, made, renamed or removed.
    Changed(PathBuf),
    /// The same, and its name appeared or disappeared.
    Moved(PathBuf),
    /// The program that wrote it closed it.
    Closed(PathBuf),
}

/// What happened next in a folder.
pub enum Next {
    /// Files were saved.
    Saved(Save),
    /// Nothing, for a while.
    Idle,
    /// The folder is no longer watched.
    Lost,
}

/// Files that were saved together.
pub struct Save {
    /// The time of the first save.
    pub began: Instant,
    pub saved: BTreeSet<PathBuf>,
    /// Those whose names appeared or disappeared.
    pub moved: BTreeSet<PathBuf>,
}

/// The saves in a folder.
pub struct Saves {
    _watcher: Box<dyn Watcher>,
    events: Receiver<FileEvent>,
}

impl Saves {
    /// Watches a folder, every `poll` milliseconds if the system does not report what happens.
    pub fn of(folder: &Path, poll: Option<u64>) -> Result<Self> {
        let (watcher, events) = watcher(folder, poll)?;
        Ok(Saves {
            _watcher: watcher,
            events,
        })
    }

    /// Waits for the next save.
    pub fn next(&self) -> Next {
        let first = loop {
            match self.events.recv_timeout(IDLE) {
                Ok(FileEvent::Closed(_)) => {}
                Ok(first) => break first,
                Err(RecvTimeoutError::Timeout) => return Next::Idle,
                Err(RecvTimeoutError::Disconnected) => return Next::Lost,
            }
        };
        let mut save = Save {
            began: Instant::now(),
            saved: BTreeSet::new(),
            moved: BTreeSet::new(),
        };
        // Files that were written and not closed, as far as the system reports it.
        let mut open = BTreeSet::new();
        let mut see = |event: FileEvent, open: &mut BTreeSet<PathBuf>| {
            let path = match event {
                FileEvent::Closed(path) => {
                    open.remove(&path);
                    return;
                }
                FileEvent::Changed(path) => path,
                FileEvent::Moved(path) => {
                    save.moved.insert(path.clone());
                    path
                }
            };
            open.insert(path.clone());
            save.saved.insert(path);
        };
        see(first, &mut open);
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            match self
                .events
                .recv_timeout(if open.is_empty() { CLOSED } else { QUIET })
            {
                Ok(event) => see(event, &mut open),
                Err(_) => break,
            }
        }
        Next::Saved(save)
    }
}

/// Watches a folder. If the system does not report what happens, the folder is polled.
fn watcher(folder: &Path, poll: Option<u64>) -> Result<(Box<dyn Watcher>, Receiver<FileEvent>)> {
    use notify::event::{AccessKind::Close, AccessMode, EventKind, ModifyKind};
    let (sender, receiver) = channel();
    let tell = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let event_of = match event.kind {
            EventKind::Access(Close(AccessMode::Write)) => FileEvent::Closed,
            // The tree itself is read, too.
            EventKind::Access(_) => return,
            EventKind::Create(_)
            | EventKind::Remove(_)
            | EventKind::Modify(ModifyKind::Name(_)) => FileEvent::Moved,
            _ => FileEvent::Changed,
        };
        event
            .paths
            .into_iter()
            .for_each(|path| _ = sender.send(event_of(path)));
    };
    if poll.is_none()
        && let Ok(mut watcher) = RecommendedWatcher::new(tell.clone(), notify::Config::default())
        && watcher.watch(folder, RecursiveMode::Recursive).is_ok()
    {
        return Ok((Box::new(watcher), receiver));
    }
    let every = Duration::from_millis(poll.unwrap_or(500).max(10));
    let config = notify::Config::default()
        .with_poll_interval(every)
        .with_compare_contents(true);
    let mut looked = PollWatcher::new(tell, config).map_err(unwatchable)?;
    looked
        .watch(folder, RecursiveMode::Recursive)
        .map_err(unwatchable)?;
    Ok((Box::new(looked), receiver))
}

fn unwatchable(e: impl std::fmt::Display) -> Error {
    Error::say(format!("the folder cannot be watched: {e}"))
}

/// True for files that belong to no tree: backups, swap files, refit's own.
fn is_noise(relative: &Path) -> bool {
    let name = relative.file_name().unwrap_or_default().to_string_lossy();
    let backup = [".bak", ".tmp", ".swp", ".swx", ".orig", "~"]
        .iter()
        .any(|end| name.ends_with(end));
    backup
        || name == "4913"
        || name.starts_with('#')
        || relative.to_str().is_none()
        || is_hidden(&relative.shown())
}

/// The files of a folder that were saved, by paths there.
pub fn in_folder(folder: &Path, saved: &BTreeSet<PathBuf>) -> BTreeSet<String> {
    let relative = |path: &PathBuf| {
        let relative = path
            .strip_prefix(folder)
            .ok()
            .filter(|relative| !relative.as_os_str().is_empty() && !is_noise(relative))?;
        (!path.is_dir()).then(|| relative.to_string_lossy().replace('\\', "/"))
    };
    let mut changed: BTreeSet<String> = saved.iter().filter_map(relative).collect();
    // Files that editors create only for a moment are not part of a save.
    if changed.iter().any(|path| folder.join(path).exists()) {
        changed.retain(|path| folder.join(path).exists());
    }
    changed
}
