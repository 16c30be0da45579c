//! Runs a program, prints the most memory that it had, in bytes, and ends with its exit code.
//!
//! The kernel counts for a process what its parent had when it was started, too, and a process of
//! tests has a lot; this program has next to nothing.

#[cfg(target_os = "linux")]
fn main() -> anyhow::Result<std::process::ExitCode> {
    use anyhow::Context;
    use nix::sys::resource::{UsageWho, getrusage};
    use std::process::{Command, Stdio};
    let mut words = std::env::args_os().skip(1);
    let status = Command::new(words.next().context("a program is needed")?)
        .args(words)
        .stdout(Stdio::null())
        .status()?;
    println!("{}", getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss() * 1024);
    let code = status.code().context("a signal has ended the program")?;
    Ok(u8::try_from(code)?.into())
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("only Linux tells how much memory a program had");
}
