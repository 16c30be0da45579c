//! What all commands share: the global options, output, messages, and the final exit code.

use super::{paths::Filter, progress::Progress};
use clap::{Args, ColorChoice};
use refit::{
    detect::Detection,
    formats::{Format, foreign},
    game::Game,
    lint::Severity,
    path::Shown,
    pipeline::Hints,
    tree::disk::{self, Backup, KeptCopy},
    wire::{Error, Result, steers, visible},
};
use serde::Serialize;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
    io::{BufWriter, IsTerminal, StdoutLock, Write},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
};

pub use refit::wire::count;

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
    /// Only files (or members) that match: `*.zbd`, `**/c1/**`
    #[arg(long, global = true, value_name = "GLOB")]
    pub include: Vec<String>,
    /// No files (or members) that match
    #[arg(long, global = true, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Threads [default: one per processor]
    #[arg(short, long, global = true, value_name = "N", value_parser = number_of_threads)]
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
    /// One JSON object per line instead of text (a path that is not Unicode stands in `path_hex` too, as bytes)
    #[arg(long, global = true)]
    pub json: bool,
}

/// The option of commands that replace files.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Originals {
    /// Keep nothing of what is replaced
    #[arg(long)]
    no_backup: bool,
}

impl Originals {
    /// What becomes of a file that is replaced: `usual`, unless the user wants otherwise.
    pub fn backup(self, usual: Backup) -> Backup {
        if self.no_backup { Backup::Never } else { usual }
    }
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
    /// The path's bytes in hexadecimal, where it is not Unicode and `path` cannot say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The game's two letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<&'static str>,
    /// The format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// How it fared.
    pub status: Status,
    /// What it is for in its game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<refit::game_files::RoleInGame>,
    /// What it is when it is not recognised.
    #[serde(rename = "kind", skip_serializing_if = "Option::is_none")]
    pub other: Option<foreign::FileKind>,
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
    /// Why nothing was done, where that is no failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
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
            path: path.shown(),
            path_hex: path_hex(path),
            game: None,
            format: None,
            status: Status::Error,
            role: None,
            other: None,
            bytes: None,
            sha256: None,
            findings: None,
            error: None,
            note: None,
            raw: Vec::new(),
            more: BTreeMap::new(),
        }
    }

    /// Adds a further path; `hex` is the key of its bytes.
    pub fn also(&mut self, key: &'static str, hex: &'static str, path: &Path) {
        self.more.insert(key, path.shown().into());
        if let Some(bytes) = path_hex(path) {
            self.more.insert(hex, bytes.into());
        }
    }

    /// The same, failed.
    pub fn failed(mut self, error: impl Into<String>) -> Self {
        self.status = Status::Error;
        self.error = Some(error.into());
        self
    }

    /// The same after an error: skipped where the file was found below a folder and belongs to another program, else failed.
    pub fn not_done(self, input: &super::paths::Input, error: &Error) -> Self {
        let skipped = !input.explicit && super::others::is_other(error);
        let mut report = self.failed(about(&input.path, error));
        if skipped {
            report.status = Status::Unrecognised;
        }
        report
    }

    /// Adds what the file was recognised as.
    pub fn detected(&mut self, detection: &Detection) {
        self.game = detection.game.map(Game::code);
        self.format = Some(detection.format);
    }

    /// Adds what the file is for, by its place: below a folder by the folders in between, else by its whole path from the game's folder `zbd` on.
    pub fn part(&mut self, input: &super::paths::Input) -> Option<String> {
        let game = Game::ALL.into_iter().find(|game| Some(game.code()) == self.game);
        let path = if input.explicit { std::path::absolute(&input.path).ok()? } else { input.relative.clone() };
        // Outside of a game's folder, the folders around a file say nothing about it.
        let in_game = path.components().any(|part| part.as_os_str().eq_ignore_ascii_case("zbd"));
        let path = if input.explicit && !in_game { PathBuf::from(path.file_name()?) } else { path };
        let role = refit::game_files::part(&path.shown(), self.format?, game);
        self.role = role.filter(|role| in_game || !input.explicit || !role.depends_on_place());
        self.role.as_ref().map(refit::game_files::RoleInGame::said)
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

impl Paint {
    /// The colour of a finding.
    pub fn of(severity: Severity) -> Self {
        match severity {
            Severity::Refuses | Severity::Crashes => Paint::Red,
            Severity::Ignores | Severity::Differs => Paint::Yellow,
            Severity::Unusual => Paint::Dim,
        }
    }
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
    outputs: Mutex<HashSet<PathBuf>>,
}

/// One spelling for a path, whether there is something or not.
pub fn same_path(path: &Path) -> PathBuf {
    let path = refit::path::whole(path).unwrap_or_else(|_| path.to_owned());
    // These systems take names for equal that differ only in case.
    if cfg!(any(windows, target_os = "macos")) { PathBuf::from(path.to_string_lossy().to_lowercase()) } else { path }
}

/// How many threads work where the user asks for so many. More than a few for each processor only wait for each other.
pub fn threads(asked: Option<NonZeroUsize>) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.map_or(processors, |asked| asked.get().min(4 * processors))
}

fn number_of_threads(text: &str) -> Result<NonZeroUsize, String> {
    let none = || "at least one thread is needed; leave out --jobs for one per processor".to_owned();
    NonZeroUsize::new(text.parse::<usize>().map_err(|e| e.to_string())?).ok_or_else(none)
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
            outputs: Mutex::default(),
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
        threads(self.global.jobs)
    }

    /// True when standard output is a terminal.
    pub fn on_terminal(&self) -> bool {
        self.out.terminal
    }

    /// Columns of the terminal that shows standard output; `None` for a pipe or a file.
    pub fn columns(&self) -> Option<usize> {
        let known = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        // Less would be a line for each word.
        self.out.terminal.then(|| known().unwrap_or(100).max(20))
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
    pub fn line(&mut self, line: impl Into<Line>) {
        let line = line.into().painted(self.paint_out);
        self.whole(line.as_bytes());
    }

    /// Text of refit's own, of any number of lines, to standard output.
    pub fn text(&mut self, text: &str) {
        self.whole(text.as_bytes());
    }

    fn whole(&mut self, line: &[u8]) {
        self.bytes(line);
        self.bytes(b"\n");
        if self.out.terminal {
            self.flush();
        }
    }

    /// A line to standard output, not with `--quiet` and not with `--json`.
    pub fn tell(&mut self, line: impl Into<Line>) {
        if !self.global.quiet && !self.global.json {
            self.line(line);
        }
    }

    /// An object to standard output.
    pub fn json<T: Serialize>(&mut self, value: &T) {
        match serde_json::to_string(value) {
            Ok(text) => self.whole(escaped_json(&text).as_bytes()),
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

    /// One line to standard error.
    fn message(&self, paint: Paint, word: &str, text: &str) {
        let line = Line::new().paint(paint, word).text(": ").text(text);
        let _ = writeln!(std::io::stderr().lock(), "{}", line.painted(self.paint_err));
    }

    /// Reports an error; the run fails.
    pub fn error(&self, text: impl AsRef<str>) {
        self.failed.store(true, Relaxed);
        self.errors.fetch_add(1, Relaxed);
        self.message(Paint::Red, "error", text.as_ref());
    }

    /// An error after which the run goes on as if nothing had been: what was to be done is tried again.
    pub fn error_for_now(&self, text: impl AsRef<str>) {
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
        self.message(Paint::of(severity), severity.word(), text.as_ref());
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

    /// Tells what was kept of a file that was replaced, where the user may not expect it.
    pub fn kept(&self, target: &Path, kept: Option<&KeptCopy>) {
        let Some(kept) = kept else { return };
        let text = format!("{}: what stood there is kept as {}", target.shown(), kept.path.shown());
        match kept.foreign {
            true => self.warn(format!("{text}, for it is not what this wrote there before, nor the file that the new one was made of")),
            false => self.detail(text),
        }
    }

    /// An error when the run has written, or would have written, to this path before: one of two outputs would be lost.
    pub fn claim(&self, target: &Path) -> Result<()> {
        let mut claimed = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        match claimed.insert(same_path(target)) {
            true => Ok(()),
            false => Err(Error::say("two outputs of this run would be the same file")
                .in_file(target.shown())
                .hint("give one of them another name with -o")),
        }
    }

    /// Ends the run.
    pub fn finish(mut self) -> ExitCode {
        for remark in disk::remarks() {
            self.warn(remark);
        }
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

    /// Works on all items in parallel and hands the results over in order, while a bar shows how far it is. A closed
    /// standard output does not end the work: what is written to disk is complete, and the exit code is that of all items.
    ///
    /// These are threads of their own and not the pool of the formats: a thread of that pool that waits for parts of one
    /// file would begin another whole file in between, and hold both. Items are begun as long as those that are not yet
    /// handed over are few, and not much larger together than the largest one.
    pub fn in_order<I: Sync, T: Send>(
        &mut self,
        items: &[I],
        size: impl Fn(&I) -> u64,
        name: impl Fn(&I) -> String,
        work: impl Fn(&I) -> T + Sync,
        mut emit: impl FnMut(&mut Session, &I, T),
    ) {
        /// Bytes that may always be worked on at a time, and the most items.
        const BYTES: u64 = 32 << 20;
        const ITEMS: usize = 256;
        let sized: Vec<(&I, u64)> = items.iter().map(|item| (item, size(item))).collect();
        let most = sized.iter().map(|(_, size)| *size).max().unwrap_or_default().max(BYTES);
        let progress = self.progress(sized.iter().fold(0, |total, (_, size)| total.saturating_add(*size)));
        let (begin, begun) = mpsc::channel::<(usize, &I)>();
        let (done, results) = mpsc::channel();
        let begun = Mutex::new(begun);
        std::thread::scope(|scope| {
            for _ in 0..self.jobs().min(items.len()) {
                let (begun, done, work) = (&begun, done.clone(), &work);
                let spawned = std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, move || {
                    let next = || begun.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
                    while let Some((index, item)) = next() {
                        if done.send((index, work(item))).is_err() {
                            break;
                        }
                    }
                });
                if let Err(e) = spawned {
                    self.error(format!("no thread: {e}"));
                }
            }
            drop(done);
            // Moved here: the threads end when this does, after an error too.
            let begin = begin;
            let mut waiting = BTreeMap::new();
            let mut coming = sized.iter().enumerate().peekable();
            let mut held = 0u64;
            for (due, (item, size)) in sized.iter().enumerate() {
                let fits = |held: u64, index: usize, size: u64| index == due || index - due < ITEMS && held.saturating_add(size) <= most;
                while let Some((index, (item, size))) = coming.next_if(|(index, (_, size))| fits(held, *index, *size)) {
                    held = held.saturating_add(*size);
                    let _ = begin.send((index, *item));
                }
                progress.say(name(item));
                let result = loop {
                    if let Some(result) = waiting.remove(&due) {
                        break result;
                    }
                    let Ok((index, result)) = results.recv() else { return };
                    waiting.insert(index, result);
                };
                progress.add(*size);
                progress.aside(|| emit(self, item, result));
                held = held.saturating_sub(*size);
            }
        });
    }
}

/// One line of output. Its pieces may come from files: as a piece is added, what would steer a terminal in it becomes visible,
/// line ends too. So the only line end and the only colours of a line are refit's own.
#[derive(Default)]
pub struct Line(Vec<(Option<Paint>, String)>);

impl Line {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a piece of text behind it.
    pub fn text(mut self, text: impl AsRef<str>) -> Self {
        self.0.push((None, visible(text.as_ref()).into_owned()));
        self
    }

    /// With a piece of text in a colour behind it.
    pub fn paint(mut self, paint: Paint, text: impl AsRef<str>) -> Self {
        self.0.push((Some(paint), visible(text.as_ref()).into_owned()));
        self
    }

    fn painted(&self, on: bool) -> String {
        self.0.iter().map(|(paint, text)| paint.map_or_else(|| text.clone(), |paint| painted(on, paint, text))).collect()
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Line::new().text(text)
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Line::new().text(text)
    }
}

/// JSON in which what would steer a terminal is escaped, as the control characters below U+0020 are in any JSON.
fn escaped_json(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if steers(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
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

/// A path in what `--json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct ShownPath {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
}

impl ShownPath {
    /// Of a path.
    pub fn of(path: &Path) -> Self {
        ShownPath { path: path.shown(), path_hex: path_hex(path) }
    }

    /// As it is printed.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// The bytes of a path in hexadecimal, where it is not Unicode; on Windows in WTF-8.
pub fn path_hex(path: &Path) -> Option<String> {
    let bytes = path.as_os_str().as_encoded_bytes();
    path.to_str().is_none().then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// An error's line that names the file that was worked on: see [`Error::about`].
pub fn about(path: &Path, error: &Error) -> String {
    error.clone().about(path).to_string()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_obeys_its_own_colours_only() {
        let line = Line::new().paint(Paint::Green, "exact").text("  a\u{1b}[8m\nb");
        assert_eq!(line.painted(true), "\u{1b}[32mexact\u{1b}[0m  a\\u{1b}[8m\\nb");
        assert_eq!(line.painted(false), "exact  a\\u{1b}[8m\\nb");
    }

    #[test]
    fn json_keeps_its_values_when_it_is_escaped() {
        let value = "a\u{7f}\u{9b}\u{202e}\u{2028}é日";
        let text = serde_json::to_string(value).unwrap();
        let escaped = escaped_json(&text);
        assert!(!escaped.contains(steers) && escaped.contains("é日"), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), value);
    }
}
