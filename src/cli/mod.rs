//! The command line: parses arguments, calls the library, prints.

mod edits;
mod export;
mod get;
mod help;
mod infer;
mod info;
mod lint;
mod list;
mod paths;
mod progress;
mod put;
mod repack;
mod restore;
mod session;
mod status;
mod subject;
mod unpack;
mod verify;

use clap::{CommandFactory, Parser, Subcommand};
use refit::wire::{Result, steers, visible};
use session::{Global, Session};
use std::{path::PathBuf, process::ExitCode};

fn examples() -> String {
    use clap::ValueEnum;
    let formats: Vec<&str> = refit::formats::Format::value_variants().iter().map(|format| format.name()).collect();
    let games: Vec<String> = refit::game::Game::ALL.iter().map(|game| format!("{} {game}", game.code())).collect();
    format!(
        "\
Examples:
  refit unpack reader.zbd            an editable tree in the folder reader/
  refit repack reader -o new.zbd     a file again, bit for bit
  refit verify C:\\Games\\MW3          proves the round trip of every file, writes nothing
  refit reader.zbd                   the same as `refit unpack reader.zbd` (drag and drop)

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done with findings (lint, status).
Formats: {}.
Games: {}.",
        formats.join(" "),
        games.join(", ")
    )
}

/// Unpacks the files of Recoil, MechWarrior 3, Pirate's Moon and Crimson Skies, and PBO archives, into trees that can be edited,
/// and packs them again, bit for bit.
#[derive(Parser, Debug)]
#[command(name = "refit", version, after_help = examples(), override_usage = "refit [OPTIONS] COMMAND …\n       refit FILE|TREE…")]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
    /// Without a command: files are unpacked beside themselves, trees are packed again
    #[arg(value_name = "FILE|TREE")]
    paths: Vec<PathBuf>,
}

#[derive(Subcommand, Debug)]
enum Command {
    Unpack(unpack::Unpack),
    Repack(repack::Repack),
    Verify(verify::Verify),
    Info(info::Info),
    List(list::List),
    Get(get::Get),
    Put(put::Put),
    Lint(lint::Lint),
    Status(status::Status),
    Restore(restore::Restore),
    Export(export::Export),
    Schema(help::Schema),
    Completions(help::Completions),
    Man(help::Man),
}

/// The program.
pub fn run() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|e| wrong_usage(e));
    if cli.global.jobs.is_some() {
        let _ = rayon::ThreadPoolBuilder::new().num_threads(session::threads(cli.global.jobs)).build_global();
    }
    // Ctrl-C takes the unfinished files along. Without a handler it works too, only less tidily.
    let _ = ctrlc::set_handler(|| {
        refit::tree::disk::abandon();
        std::process::exit(130);
    });
    // A limit on file sizes (`ulimit -f`) ends the program, unless somebody listens: then it is an error of the write that met it,
    // and what was begun is removed as always.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Default::default());
    let mut session = Session::new(cli.global);
    let done = match cli.command {
        Some(_) if !cli.paths.is_empty() => usage("a file name stands before the command"),
        Some(command) => command.run(&mut session),
        None if cli.paths.is_empty() => {
            let _ = Cli::command().print_help();
            return ExitCode::from(2);
        }
        None => infer::run(&cli.paths, &mut session),
    };
    if let Err(e) = done {
        session.error(e.to_string());
    }
    session.finish()
}

impl Command {
    fn run(self, session: &mut Session) -> Result<()> {
        match self {
            Command::Unpack(c) => c.run(session),
            Command::Repack(c) => c.run(session),
            Command::Verify(c) => c.run(session),
            Command::Info(c) => c.run(session),
            Command::List(c) => c.run(session),
            Command::Get(c) => c.run(session),
            Command::Put(c) => c.run(session),
            Command::Lint(c) => c.run(session),
            Command::Status(c) => c.run(session),
            Command::Restore(c) => c.run(session),
            Command::Export(c) => c.run(session),
            Command::Schema(c) => c.run(session),
            Command::Completions(c) => c.run(session),
            Command::Man(c) => c.run(session),
        }
    }
}

/// Ends the program with the help, the version, or what is wrong with the arguments. Wildcards make arguments of file names: what
/// would steer a terminal in one is shown instead.
fn wrong_usage(error: clap::Error) -> ! {
    let harmless: Vec<String> = std::env::args_os().map(|argument| visible(&argument.to_string_lossy()).into_owned()).collect();
    if std::env::args_os().any(|argument| argument.to_string_lossy().contains(steers))
        && let Err(error) = Cli::try_parse_from(harmless)
    {
        error.exit();
    }
    error.exit()
}

/// Ends the program with the exit code for wrong usage.
pub fn usage(message: &str) -> ! {
    Cli::command().error(clap::error::ErrorKind::ArgumentConflict, message).exit()
}
