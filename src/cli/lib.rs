//! The command line: parses arguments, calls the library, prints.
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

/// The commands of a group, and a call of the one that the user gave.
macro_rules! group {
    ($group:ident { $($command:ident($arguments:ty),)* }) => {
        #[derive(clap::Subcommand, Debug)]
        enum $group {
            $($command($arguments),)*
        }

        impl $group {
            fn run(self, session: &$crate::session::Session) -> Result<(), $crate::failure::Failure> {
                match self {
                    $($group::$command(command) => command.run(session)?,)*
                }
                Ok(())
            }
        }
    };
}

mod bar;
mod change;
mod commands;
mod differences;
mod events;
mod facts;
mod failure;
mod findings;
mod line;
mod session;
mod wrap;

use clap::{CommandFactory, FromArgMatches, Parser, parser::ValueSource};
use commands::{
    add, anim, build, check, diff, edit, explain, export, find, get, git, help, import, infer,
    info, key, lint, list, mcp, mods, new, put, refs, repack, report, restore, show, sign, status,
    undo, unpack, verify, view, watch, world,
};
use failure::Failure;
use refit_base::wire::{steers, visible};
use refit_workbench::Options;
use session::{Global, Session};
use std::{path::PathBuf, process::ExitCode};

fn examples() -> String {
    use clap::ValueEnum;
    let formats: Vec<&str> = refit_base::format::Format::value_variants()
        .iter()
        .map(|format| format.name())
        .collect();
    let games: Vec<String> = refit_base::game::Game::ALL
        .iter()
        .map(|game| format!("{} {game}", game.code()))
        .collect();
    format!(
        include_str!("help/refit.txt"),
        formats = formats.join(" "),
        games = games.join(", ")
    )
}

/// Unpacks the files of Recoil, MechWarrior 3, Pirate's Moon and Crimson Skies, and PBO archives,
/// into editable trees, and packs them again, bit for bit.
#[derive(Parser, Debug)]
#[command(name = "refit", version, after_help = examples(), override_usage = "refit [OPTIONS] COMMAND …\n       refit \
    FILE|TREE…")]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
    /// Without a command: unpack files next to themselves, pack trees
    #[arg(value_name = "FILE|TREE")]
    paths: Vec<PathBuf>,
}

macro_rules! commands {
    ($($name:literal $command:ident($arguments:ty): [$($option:ident)*];)*) => {
        group!(Command { $($command($arguments),)* });

        /// The global options that apply to a command, besides [`ALWAYS`] (its help omits the
        /// others), and the end of its help.
        fn help_of(command: &str) -> Option<(&'static [&'static str], &'static str)> {
            match command {
                $($name => Some((&[$(stringify!($option)),*], include_str!(concat!("help/", $name, ".txt")))),)*
                _ => None,
            }
        }
    };
}

// Each command, and the global options that mean something to it.
commands! {
    "unpack" Unpack(unpack::Unpack): [game format force dry_run keep_going include exclude json];
    "repack" Repack(repack::Repack): [game format force dry_run keep_going exclude json];
    "build" Build(build::Build): [force dry_run exclude json];
    "verify" Verify(verify::Verify): [game format include exclude json];
    "info" Info(info::Info): [game format include exclude json];
    "list" List(list::List): [game format include exclude json];
    "get" Get(get::Get): [game format force dry_run];
    "put" Put(put::Put): [game format force dry_run include exclude json];
    "add" Add(add::Add): [game format force dry_run];
    "edit" Edit(edit::Edit): [game format force dry_run];
    "import" Import(import::Import): [game format force dry_run];
    "new" New(new::New): [game force dry_run];
    "world" World(world::World): [game force dry_run json];
    "lint" Lint(lint::Lint): [game format include exclude json];
    "report" Report(report::Report): [game format force dry_run include exclude json];
    "explain" Explain(explain::Explain): [game format json];
    "refs" Refs(refs::Refs): [game format include exclude json];
    "find" Find(find::Find): [game format include exclude json];
    "show" Show(show::Show): [game format];
    "diff" Diff(diff::Diff): [game format force dry_run include exclude json];
    "git" Git(git::Git): [dry_run];
    "mod" Mod(mods::Mods): [game format force dry_run include exclude json];
    "view" View(view::View): [game format force include exclude json];
    "mcp" Mcp(mcp::Mcp): [];
    "watch" Watch(watch::Watch): [force json];
    "status" Status(status::Status): [json];
    "undo" Undo(undo::Undo): [json];
    "redo" Redo(undo::Redo): [json];
    "changes" Changes(undo::Changes): [json];
    "set" Set(undo::Set): [json];
    "restore" Restore(restore::Restore): [force dry_run keep_going include exclude json];
    "export" Export(export::Export): [game format force dry_run include exclude json];
    "anim" Anim(anim::Anim): [game force dry_run json];
    "key" Key(key::KeyCommand): [force dry_run];
    "sign" Sign(sign::Sign): [force dry_run keep_going include exclude json];
    "check" Check(check::Check): [include exclude json];
    "schema" Schema(help::Schema): [];
    "completions" Completions(help::Completions): [];
    "man" Man(help::Man): [];
}

/// Options of all commands that work on files.
const ALWAYS: [&str; 4] = ["jobs", "quiet", "verbose", "color"];

/// True if a command's help omits a global option.
fn is_silent(command: &str, option: &str) -> bool {
    help_of(command).is_some_and(|(own, _)| {
        !own.contains(&option) && (own.is_empty() || !ALWAYS.contains(&option))
    })
}

/// The command line. The help of each command has only those global options that apply to it.
pub fn command() -> clap::Command {
    let command = Cli::command();
    let globals: Vec<clap::Arg> = command
        .get_arguments()
        .filter(|arg| arg.is_global_set())
        .cloned()
        .collect();
    command.mut_subcommands(|sub| {
        let name = sub.get_name().to_owned();
        let silent = globals
            .iter()
            .filter(|arg| is_silent(&name, arg.get_id().as_str()));
        // An option that is there already is not handed down.
        let sub = silent.fold(sub, |sub, arg| sub.arg(arg.clone().hide(true)));
        match help_of(&name) {
            Some((_, text)) => sub.after_help(text),
            None => sub,
        }
    })
}

/// Reports options that the command does not use: a user who gave one expects an effect.
fn tell_of_idle_options(matches: &clap::ArgMatches, session: &Session) {
    let Some((name, own)) = matches.subcommand() else {
        return;
    };
    for option in [
        "game",
        "format",
        "force",
        "dry_run",
        "keep_going",
        "include",
        "exclude",
        "json",
    ] {
        if is_silent(name, option) && own.value_source(option) == Some(ValueSource::CommandLine) {
            session.warn(format!(
                "`refit {name}` does not take --{}",
                option.replace('_', "-")
            ));
        }
    }
}

/// Ends the program on a panic as on an error, and removes its unfinished files. No input should
/// cause a panic.
///
/// A build whose panics unwind (`cargo test`, `--profile proofs`) turns them into errors instead:
/// see `pipeline::guarded`. Release builds omit the code for unwinding, which is a fifth of the
/// program and a tenth of its build time.
#[cfg(panic = "abort")]
fn end_at_a_panic() {
    use std::io::Write;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(|place| format!(" at {}:{}", place.file(), place.line()))
            .unwrap_or_default();
        let _ = writeln!(
            std::io::stderr(),
            "error: {}",
            refit_files::pipeline::internal_error(panic.payload(), &place)
        );
        refit_base::tree::disk::abandon();
        infer::wait_if_window_closes();
        std::process::exit(1);
    }));
}

/// The program.
pub fn run() -> ExitCode {
    #[cfg(panic = "abort")]
    end_at_a_panic();
    let matches = command()
        .try_get_matches()
        .unwrap_or_else(|e| wrong_usage(e));
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|e| leave(e));
    if cli.global.jobs.is_some() {
        let _ = rayon::ThreadPoolBuilder::new()
            .num_threads(
                Options {
                    jobs: cli.global.jobs,
                    ..Options::default()
                }
                .threads(),
            )
            .build_global();
    }
    // Ctrl-C takes the unfinished files along. Without a handler it works too, only less tidily.
    let _ = ctrlc::set_handler(|| {
        refit_base::tree::disk::abandon();
        std::process::exit(130);
    });
    // A limit on file sizes (`ulimit -f`) kills the program unless the signal is handled: then the
    // write fails, and unfinished files are removed as usual.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(
        signal_hook::consts::SIGXFSZ,
        std::sync::Arc::<std::sync::atomic::AtomicBool>::default(),
    );
    let session = Session::new(cli.global);
    tell_of_idle_options(&matches, &session);
    let dropped = cli.command.is_none();
    let done = match cli.command {
        Some(_) if !cli.paths.is_empty() => Failure::usage("a file name comes before the command"),
        Some(command) => command.run(&session),
        // A double click on the program.
        None if cli.paths.is_empty() && infer::is_own_window() => {
            view::View::default().run(&session).map_err(Failure::from)
        }
        None if cli.paths.is_empty() => {
            let _ = command().print_help();
            infer::wait_if_window_closes();
            return ExitCode::from(2);
        }
        None => {
            let commands = command();
            let names: Vec<&str> = commands
                .get_subcommands()
                .map(clap::Command::get_name)
                .collect();
            infer::run(&cli.paths, &names, &session)
        }
    };
    match done {
        Ok(()) => {}
        Err(Failure::Usage(message)) => {
            leave(command().error(clap::error::ErrorKind::ArgumentConflict, message))
        }
        Err(Failure::Error(e)) => session.error(e),
    }
    let code = session.finish();
    if dropped {
        infer::wait_if_window_closes();
    }
    code
}

/// Ends the program with the help, the version, or the error in the arguments. Wildcards turn file
/// names into arguments: control characters in them are made visible.
fn wrong_usage(error: clap::Error) -> ! {
    let harmless: Vec<String> = std::env::args_os()
        .map(|argument| visible(&argument.to_string_lossy()).into_owned())
        .collect();
    if std::env::args_os().any(|argument| argument.to_string_lossy().contains(steers))
        && let Err(error) = command().try_get_matches_from(harmless)
    {
        leave(error);
    }
    leave(error)
}

/// Prints the message, which may be the help, and ends the program.
fn leave(error: clap::Error) -> ! {
    let _ = error.print();
    infer::wait_if_window_closes();
    std::process::exit(error.exit_code())
}
