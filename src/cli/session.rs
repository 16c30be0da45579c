//! State shared by all commands: the global options, output, messages, and the final exit code.

use super::{
    bar::Bar,
    line::{Line, Paint, escaped_json},
};
use clap::{Args, ColorChoice};
use refit_base::{
    format::Format,
    game::Game,
    lint::Severity,
    tree::disk::{self, Backup, Replace, Written},
    wire::Result,
};
use refit_files::pipeline::Hints;
use refit_workbench::{Filter, Options, Outputs, report::Row, save};
use serde::Serialize;
use std::{
    fmt::Display,
    io::{BufWriter, IsTerminal, Stdout, Write},
    num::NonZeroUsize,
    path::Path,
    process::ExitCode,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
};

/// Options that every command takes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The game, if refit cannot tell it from the content: rc, mw, pm, cs
    #[arg(
        long,
        global = true,
        value_name = "GAME",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub game: Option<Game>,
    /// The format, if refit does not recognise it (see `refit --help`)
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub format: Option<Format>,
    /// Replace existing files; the first original is kept as NAME.orig
    #[arg(long, global = true)]
    pub force: bool,
    /// Do everything except writing
    #[arg(long, global = true)]
    pub dry_run: bool,
    /// Continue with the next file after an error
    #[arg(long, global = true)]
    pub keep_going: bool,
    /// Only files or members that match: `*.zbd`, `**/c1/**`
    #[arg(long, global = true, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Skip files or members that match
    #[arg(long, global = true, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Threads [default: one per processor]
    #[arg(short, long, global = true, value_name = "N", value_parser = number_of_threads)]
    pub jobs: Option<NonZeroUsize>,
    /// Print only errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print more: what is skipped, how a file was recognised
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// Print one JSON object per line (paths that are not Unicode are also in `path_hex`, as bytes)
    #[arg(long, global = true)]
    pub json: bool,
}

/// The option of commands that replace files.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Originals {
    /// Do not keep the originals of replaced files
    #[arg(long)]
    no_backup: bool,
}

impl Originals {
    /// The user's choice about replaced files, if it differs from the default.
    pub fn chosen(self) -> Option<Backup> {
        self.no_backup.then_some(Backup::Never)
    }
}

struct Output {
    to: BufWriter<Stdout>,
    /// The reader went away, or the first error of another kind.
    ended: Option<std::io::Error>,
}

/// One run of the program.
pub struct Session {
    /// The global options.
    pub global: Global,
    out: Mutex<Output>,
    /// Standard output is a terminal, which should show each line immediately.
    terminal: bool,
    paint_out: bool,
    paint_err: bool,
    /// The bar of the task that is under way.
    bar: Mutex<Option<Bar>>,
    failed: AtomicBool,
    findings: AtomicBool,
    errors: AtomicUsize,
    /// The outputs of the run, or those of a dry run.
    pub outputs: Arc<Outputs>,
}

fn number_of_threads(text: &str) -> Result<NonZeroUsize, String> {
    let none =
        || "at least one thread is needed; leave out --jobs for one per processor".to_owned();
    NonZeroUsize::new(text.parse::<usize>().map_err(|e| e.to_string())?).ok_or_else(none)
}

fn colors(choice: ColorChoice, terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let unset = |name| std::env::var_os(name).is_none_or(|v| v.is_empty());
            // Old Windows consoles print escapes instead of obeying them; new terminals announce
            // themselves.
            let obeys = if cfg!(windows) {
                !unset("WT_SESSION") || !unset("TERM")
            } else {
                std::env::var_os("TERM").is_none_or(|t| t != "dumb")
            };
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
            out: Mutex::new(Output {
                to: BufWriter::with_capacity(1 << 16, stdout),
                ended: None,
            }),
            terminal,
            bar: Mutex::default(),
            global,
            failed: AtomicBool::new(false),
            findings: AtomicBool::new(false),
            errors: AtomicUsize::new(0),
            outputs: Arc::default(),
        }
    }

    /// Game and format, if given by the user.
    pub fn hints(&self) -> Hints {
        Hints {
            game: self.global.game,
            format: self.global.format,
        }
    }

    /// The user's options for the workbench.
    pub fn options(&self) -> Result<Options> {
        let Global {
            force,
            dry_run,
            keep_going,
            jobs,
            ..
        } = self.global;
        let filter = Filter::new(&self.global.include, &self.global.exclude)?;
        Ok(Options {
            hints: self.hints(),
            filter,
            force,
            dry_run,
            keep_going,
            jobs,
            outputs: Some(self.outputs.clone()),
            ..Options::default()
        })
    }

    /// True if standard output is a terminal.
    pub fn on_terminal(&self) -> bool {
        self.terminal
    }

    /// Columns of the terminal that shows standard output; `None` for a pipe or a file.
    pub fn columns(&self) -> Option<usize> {
        let known = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        // Less would be a line for each word.
        self.terminal.then(|| known().unwrap_or(100).max(20))
    }

    fn out(&self) -> MutexGuard<'_, Output> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if standard output was closed. That does not end the work: files on disk are completed,
    /// and the exit code covers all items.
    pub fn closed(&self) -> bool {
        self.out().ended.is_some()
    }

    /// Writes to standard output. A reader that went away is a quiet end; other errors are reported
    /// at the end.
    fn write(&self, write: impl FnOnce(&mut BufWriter<Stdout>) -> std::io::Result<()>) {
        let Output { to, ended } = &mut *self.out();
        if ended.is_none() {
            *ended = write(to).err();
        }
    }

    /// Bytes to standard output.
    pub fn bytes(&self, bytes: &[u8]) {
        self.write(|to| to.write_all(bytes));
    }

    /// A line to standard output.
    pub fn line(&self, line: impl Into<Line>) {
        self.text(&line.into().painted(self.paint_out));
    }

    /// Text of refit's own, of any number of lines, to standard output.
    pub fn text(&self, text: &str) {
        self.aside(|| {
            self.write(|to| {
                to.write_all(text.as_bytes())
                    .and_then(|()| to.write_all(b"\n"))
            });
            if self.terminal {
                self.flush();
            }
        });
    }

    /// A line to standard output, not with `--quiet` and not with `--json`.
    pub fn tell(&self, line: impl Into<Line>) {
        if !self.global.quiet && !self.global.json {
            self.line(line);
        }
    }

    /// An object to standard output.
    pub fn json<T: Serialize>(&self, value: &T) {
        match serde_json::to_string(value) {
            Ok(text) => self.text(&escaped_json(&text)),
            Err(e) => self.error(e),
        }
    }

    /// A row to standard output: a path, and values in this order, without those that are null.
    pub fn row(&self, path: &Path, values: impl Into<Vec<(&'static str, serde_json::Value)>>) {
        self.json(&Row(path, values.into()));
    }

    /// The verb of a line about a written file in a dry run.
    pub fn would(&self) -> &'static str {
        if self.global.dry_run {
            ", not written (dry run)"
        } else {
            ""
        }
    }

    /// Writes a file, unless this is a dry run, and reports a kept original.
    pub fn write_file(
        &self,
        path: &Path,
        bytes: &[u8],
        may: Replace<'_>,
    ) -> Result<Option<Written>> {
        save::write(path, bytes, may, self.global.dry_run, self)
    }

    /// Prints buffered output.
    pub fn flush(&self) {
        self.write(Write::flush);
    }

    /// Shows the bar of a task of `total` bytes; 0 if that is unknown.
    pub fn show_bar(&self, total: u64) {
        *self.bar() = Some(Bar::new(total, !self.global.quiet));
    }

    /// Removes the bar.
    pub fn hide_bar(&self) {
        let bar = self.bar().take();
        drop(bar);
    }

    /// Changes the bar, if there is one.
    pub fn on_bar(&self, change: impl FnOnce(&Bar)) {
        self.bar().as_ref().map(change);
    }

    fn bar(&self) -> MutexGuard<'_, Option<Bar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints while the bar is out of the way.
    fn aside(&self, print: impl FnOnce()) {
        match &*self.bar() {
            Some(bar) => bar.aside(print),
            None => print(),
        }
    }

    /// One line to standard error.
    fn message(&self, paint: Paint, word: &str, text: &str) {
        let line = Line::new().paint(paint, word).text(": ").text(text);
        self.aside(|| _ = writeln!(std::io::stderr().lock(), "{}", line.painted(self.paint_err)));
    }

    /// Reports an error; the run fails.
    pub fn error(&self, text: impl Display) {
        self.failed.store(true, Relaxed);
        self.errors.fetch_add(1, Relaxed);
        self.message(Paint::Red, "error", &text.to_string());
    }

    /// An error that does not affect the exit code, because the work will be tried again.
    pub fn error_for_now(&self, text: impl AsRef<str>) {
        self.message(Paint::Red, "error", text.as_ref());
    }

    /// The run fails; the error is printed elsewhere.
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

    /// Something that the user must know even with `--quiet`.
    pub fn warn_always(&self, text: impl AsRef<str>) {
        self.message(Paint::Yellow, "warning", text.as_ref());
    }

    /// A finding about an edit, with its explanation.
    pub fn finding(&self, severity: Severity, text: impl AsRef<str>, explain: Option<&str>) {
        if self.global.quiet {
            return;
        }
        self.message(Paint::of(severity), severity.word(), text.as_ref());
        if let Some(explain) = explain {
            self.aside(|| _ = writeln!(std::io::stderr().lock(), "  {explain}"));
        }
    }

    /// Something that only `--verbose` shows.
    pub fn detail(&self, text: impl AsRef<str>) {
        if self.global.verbose {
            self.message(Paint::Dim, "note", text.as_ref());
        }
    }

    /// Ends the run.
    pub fn finish(self) -> ExitCode {
        for remark in disk::remarks() {
            self.warn(remark);
        }
        self.flush();
        if let Some(e) = self.out().ended.take()
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
}
