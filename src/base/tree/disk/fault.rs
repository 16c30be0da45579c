//! Fault injection: tests that a disk failure at the worst moment loses no file.

use std::io::Result;

/// Called before every operation that changes the disk.
///
/// In debug builds, the environment variable `REFIT_FAIL_AT` selects an operation, counted from 1:
/// `7` makes it fail, and `7!` ends the program right before it, as if it were killed. Release
/// builds ignore the variable.
pub fn step() -> Result<()> {
    #[cfg(debug_assertions)]
    {
        use std::sync::{
            LazyLock,
            atomic::{AtomicUsize, Ordering::SeqCst},
        };
        static DONE: AtomicUsize = AtomicUsize::new(0);
        static FAIL_AT: LazyLock<Option<(usize, bool)>> = LazyLock::new(|| {
            let wanted = std::env::var("REFIT_FAIL_AT").ok()?;
            let digits = wanted.trim_end_matches('!');
            Some((digits.parse().ok()?, digits.len() < wanted.len()))
        });
        match *FAIL_AT {
            Some((at, ends)) if DONE.fetch_add(1, SeqCst) + 1 == at => {
                if ends {
                    // No destructor runs: the disk stays as it is.
                    std::process::exit(137);
                }
                return Err(std::io::Error::other(
                    "a fault that REFIT_FAIL_AT asked for",
                ));
            }
            _ => {}
        }
    }
    Ok(())
}
