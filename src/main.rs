//! The `refit` program: parses arguments, calls the library, prints.
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

fn main() -> std::process::ExitCode {
    refit_cli::run()
}
