//! What all commands share: the global options, output, messages, and the final exit code.

use super::{paths::Filter, progress::Progress};
use clap::{Args, ColorChoice};
use refit::{
    detect::Detection,
    formats::Format,
    game::Game,
    lint::Severity,
    wire::{Error, Result},
    work::Hints,
};
use serde::Serialize;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::{BufWriter, IsTerminal, StdoutLock, Write},
    num::NonZeroUsize,
    path::Path,
    process::ExitCode,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
};

/// Options that every command takes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The game, where the content does not tell it: rc, mw, pm, cs
    #[arg(long, global = true, value_name = "GAME", ignore_case = true, hide_possible_values = true)]
    pub game: Option<Game>,
    /// The format, where it is not recognised (see `refit --help`)
    #[arg(long, global = true, value_name = "FORMAT", ignore_case = true, hide_possible_values = true)]
    pub format: Option<Format>,
    /// Replace what exists already; the first original of a file is kept as NAME.orig
    #[arg(long, global = true)]
    pub force: bool,
    /// Do everything except writing
    #[arg(long, global = true)]
    pub dry_run: bool,
    /// Go on with the next file after an error
    #[arg(long, global = true)]
    pub keep_going: bool,
    /// Only files (or members) that match: `*.zbd`, `c1/**`
    #[arg(long, global = true, value_name = "GLOB")]
    pub include: Vec<String>,
    /// No files (or members) that match
    #[arg(long, global = true, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Threads [default: one per processor]
    #[arg(short, long, global = true, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Only errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// More: what is skipped, how a file was recognised
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// One JSON object per line instead of text
    #[arg(long, global = true)]
    pub json: bool,
}

/// How a file fared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Structured, and identical when written again.
    Exact,
    /// Identical, but a typed reader gave up on a member or the whole.
    Raw,
    /// No known format.
    Unrecognised,
    /// Malformed, or something else went wrong.
    Error,
}

/// A member that stayed raw.
#[derive(Clone, Debug, Serialize)]
pub struct Raw {
    /// The member; empty for the whole file.
    pub member: String,
    /// Why.
    pub why: String,
}

/// What `--json` prints of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// As it was given, or found below a folder that was given.
    pub path: String,
    /// The game's two letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<&'static str>,
    /// The format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// How it fared.
    pub status: Status,
    /// Size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// SHA-256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// How many things `lint` finds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<usize>,
    /// What went wrong, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The members that stayed raw, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub raw: Vec<Raw>,
    /// What else the command tells.
    #[serde(flatten)]
    pub more: BTreeMap<&'static str, serde_json::Value>,
}

impl Report {
    /// A report on a file of which nothing is known yet.
    pub fn new(path: &Path) -> Self {
        Report {
            path: path.display().to_string(),
            game: None,
            format: None,
            status: Status::Error,
            bytes: None,
            sha256: None,
            findings: None,
            error: None,
            raw: Vec::new(),
            more: BTreeMap::new(),
        }
    }

    /// The same, failed.
    pub fn failed(mut self, error: impl Into<String>) -> Self {
        self.status = Status::Error;
        self.error = Some(error.into());
        self
    }

    /// Adds what the file was recognised as.
    pub fn detected(&mut self, detection: &Detection) {
        self.game = detection.game.map(Game::code);
        self.format = Some(detection.format);
    }

    /// Adds the outcome of a proof.
    pub fn outcome(&mut self, raw: Vec<(String, String)>) {
        self.status = if raw.is_empty() { Status::Exact } else { Status::Raw };
        self.raw = raw.into_iter().map(|(member, why)| Raw { member, why }).collect();
    }

    /// `pm reader`.
    pub fn kind(&self) -> String {
        match (self.game, self.format) {
            (Some(game), Some(format)) => format!("{game} {format}"),
            (None, Some(format)) => format.to_string(),
            _ => String::new(),
        }
    }
}

/// Colours that are used.
#[derive(Clone, Copy)]
pub enum Paint {
    /// Errors.
    Red,
    /// Warnings and raw files.
    Yellow,
    /// What is well.
    Green,
    /// Headings.
    Bold,
    /// What matters less.
    Dim,
}

struct Output {
    to: BufWriter<StdoutLock<'static>>,
    /// A terminal shows each line at once.
    terminal: bool,
    /// The reader went away, or the first error of another kind.
    ended: Option<std::io::Error>,
}

/// One run of the program.
pub struct Session {
    /// The global options.
    pub global: Global,
    out: Output,
    paint_out: bool,
    paint_err: bool,
    failed: AtomicBool,
    findings: AtomicBool,
    errors: AtomicUsize,
}

fn colors(choice: ColorChoice, terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let unset = |name| std::env::var_os(name).is_none_or(|v| v.is_empty());
            // Old Windows consoles print escapes instead of obeying them; new terminals announce themselves.
            let obeys =
                if cfg!(windows) { !unset("WT_SESSION") || !unset("TERM") } else { std::env::var_os("TERM").is_none_or(|t| t != "dumb") };
            terminal && obeys && unset("NO_COLOR")
        }
    }
}

impl Session {
    /// Prepares a run.
    pub fn new(global: Global) -> Self {
        let stdout = std::io::stdout();
        let terminal = stdout.is_terminal();
        Session {
            paint_out: colors(global.color, terminal),
            paint_err: colors(global.color, std::io::stderr().is_terminal()),
            out: Output { to: BufWriter::with_capacity(1 << 16, stdout.lock()), terminal, ended: None },
            global,
            failed: AtomicBool::new(false),
            findings: AtomicBool::new(false),
            errors: AtomicUsize::new(0),
        }
    }

    /// What the user says about the files.
    pub fn hints(&self) -> Hints {
        Hints { game: self.global.game, format: self.global.format }
    }

    /// `--include` and `--exclude`.
    pub fn filter(&self) -> Result<Filter> {
        Filter::new(&self.global.include, &self.global.exclude)
    }

    /// A progress bar over `total` bytes.
    pub fn progress(&self, total: u64) -> Progress {
        Progress::new(total, !self.global.quiet)
    }

    /// How many threads work on files.
    pub fn jobs(&self) -> usize {
        self.global.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    /// True when standard output is a terminal.
    pub fn on_terminal(&self) -> bool {
        self.out.terminal
    }

    /// True when nobody reads the output any more.
    pub fn closed(&self) -> bool {
        self.out.ended.is_some()
    }

    /// Bytes to standard output. A reader that went away is a quiet end; other errors are told at the end.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if self.out.ended.is_none()
            && let Err(e) = self.out.to.write_all(bytes)
        {
            self.out.ended = Some(e);
        }
    }

    /// A line to standard output.
    pub fn line(&mut self, line: impl AsRef<str>) {
        self.whole(harmless(line.as_ref()).as_bytes());
    }

    fn whole(&mut self, line: &[u8]) {
        self.bytes(line);
        self.bytes(b"\n");
        if self.out.terminal {
            self.flush();
        }
    }

    /// A line to standard output, not with `--quiet` and not with `--json`.
    pub fn tell(&mut self, line: impl AsRef<str>) {
        if !self.global.quiet && !self.global.json {
            self.line(line);
        }
    }

    /// An object to standard output.
    pub fn json<T: Serialize>(&mut self, value: &T) {
        match serde_json::to_string(value) {
            Ok(text) => self.whole(text.as_bytes()),
            Err(e) => self.error(e.to_string()),
        }
    }

    /// Gives out what is buffered.
    pub fn flush(&mut self) {
        if self.out.ended.is_none()
            && let Err(e) = self.out.to.flush()
        {
            self.out.ended = Some(e);
        }
    }

    /// Text for standard output in a colour.
    pub fn paint(&self, paint: Paint, text: &str) -> String {
        painted(self.paint_out, paint, text)
    }

    fn message(&self, paint: Paint, word: &str, text: &str) {
        let word = painted(self.paint_err, paint, word);
        let _ = writeln!(std::io::stderr().lock(), "{word}: {}", harmless(text));
    }

    /// Reports an error; the run fails.
    pub fn error(&self, text: impl AsRef<str>) {
        self.failed.store(true, Relaxed);
        self.errors.fetch_add(1, Relaxed);
        self.message(Paint::Red, "error", text.as_ref());
    }

    /// The run fails; the error is told elsewhere.
    pub fn fail(&self) {
        self.failed.store(true, Relaxed);
    }

    /// How many errors were reported.
    pub fn errors(&self) -> usize {
        self.errors.load(Relaxed)
    }

    /// There are findings.
    pub fn found(&self) {
        self.findings.store(true, Relaxed);
    }

    /// Something the user should know.
    pub fn warn(&self, text: impl AsRef<str>) {
        if !self.global.quiet {
            self.message(Paint::Yellow, "warning", text.as_ref());
        }
    }

    /// A finding about an edit, and what it means.
    pub fn finding(&self, severity: Severity, text: impl AsRef<str>, explain: Option<&str>) {
        if self.global.quiet {
            return;
        }
        let (paint, word) = match severity {
            Severity::Error => (Paint::Red, "error"),
            Severity::Warning => (Paint::Yellow, "warning"),
            Severity::Note => (Paint::Dim, "note"),
        };
        self.message(paint, word, text.as_ref());
        if let Some(explain) = explain {
            let _ = writeln!(std::io::stderr().lock(), "  {explain}");
        }
    }

    /// Something that `--verbose` tells.
    pub fn detail(&self, text: impl AsRef<str>) {
        if self.global.verbose {
            self.message(Paint::Dim, "note", text.as_ref());
        }
    }

    /// Ends the run.
    pub fn finish(mut self) -> ExitCode {
        self.flush();
        if let Some(e) = self.out.ended.take()
            && e.kind() != std::io::ErrorKind::BrokenPipe
        {
            self.error(format!("standard output: {e}"));
        }
        match (self.failed.into_inner(), self.findings.into_inner()) {
            (true, _) => ExitCode::from(1),
            (false, true) => ExitCode::from(3),
            (false, false) => ExitCode::SUCCESS,
        }
    }

    /// Works on all items in parallel and hands the results over in order, while a bar shows how far it is.
    ///
    /// These are threads of their own and not the pool of the formats: a thread of that pool that waits for parts of one
    /// file would begin another whole file in between, and hold both.
    pub fn in_order<I: Sync, T: Send>(
        &mut self,
        items: &[I],
        size: impl Fn(&I) -> u64,
        name: impl Fn(&I) -> String + Sync,
        work: impl Fn(&I) -> T + Sync,
        mut emit: impl FnMut(&mut Session, &I, T),
    ) {
        let progress = self.progress(items.iter().map(&size).sum());
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let current = Mutex::new(());
        std::thread::scope(|scope| {
            for _ in 0..self.jobs().min(items.len()) {
                let (sender, next, stop, work, name, progress, current) = (sender.clone(), &next, &stop, &work, &name, &progress, &current);
                let spawned = std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, move || {
                    while !stop.load(Relaxed) {
                        let index = next.fetch_add(1, Relaxed);
                        let Some(item) = items.get(index) else { break };
                        if let Ok(_free) = current.try_lock() {
                            progress.say(name(item));
                        }
                        if sender.send((index, work(item))).is_err() {
                            break;
                        }
                    }
                });
                if let Err(e) = spawned {
                    self.error(format!("no thread: {e}"));
                }
            }
            drop(sender);
            let mut waiting = BTreeMap::new();
            let mut due = 0;
            for (index, result) in receiver {
                waiting.insert(index, result);
                while let Some(result) = waiting.remove(&due) {
                    if let Some(item) = items.get(due) {
                        progress.add(size(item));
                        progress.aside(|| emit(self, item, result));
                    }
                    due += 1;
                }
                if self.closed() {
                    stop.store(true, Relaxed);
                }
            }
        });
    }
}

/// Names and texts come from files: characters that would steer a terminal are shown instead of obeyed. Line ends and
/// colours stay.
fn harmless(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c.is_control() && c != '\n') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let is_colour = || {
            let sequence = rest.as_str().strip_prefix('[')?;
            sequence.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').strip_prefix('m')
        };
        match c {
            '\n' => out.push(c),
            '\u{1b}' if is_colour().is_some() => out.push(c),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn painted(on: bool, paint: Paint, text: &str) -> String {
    if !on {
        return text.to_owned();
    }
    let code = match paint {
        Paint::Red => "1;31",
        Paint::Yellow => "33",
        Paint::Green => "32",
        Paint::Bold => "1",
        Paint::Dim => "2",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

/// An error with its file in front, unless it names it already.
pub fn about(path: &Path, error: &Error) -> String {
    let (path, text) = (path.display().to_string(), error.to_string());
    if text.starts_with(&path) { text } else { format!("{path}: {text}") }
}

/// `1 file`, `2 files`.
pub fn count(n: usize, one: &str) -> String {
    let digits = n.to_string();
    let mut grouped = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(c);
    }
    match (n, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{grouped} {stem}ies"),
        _ => format!("{grouped} {one}s"),
    }
}

/// `1.4 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..=9_999 => count(bytes as usize, "byte"),
        10_000..=999_999 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..=999_999_999 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}
