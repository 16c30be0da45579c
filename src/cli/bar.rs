//! Progress bars: on a terminal, after half a second, never in a pipe.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{io::IsTerminal, sync::mpsc, time::Duration};

/// Patience before a bar appears.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar that is shown while this lives.
pub struct Bar {
    bar: ProgressBar,
    /// Dropping the sender ends the thread that shows the bar.
    waiting: Option<(mpsc::Sender<()>, std::thread::JoinHandle<()>)>,
}

impl Bar {
    /// A bar over `total` bytes (0: only a spinner). `wanted` is false with `--quiet`.
    pub fn new(total: u64, wanted: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        if !wanted || !std::io::stderr().is_terminal() {
            return Bar { bar, waiting: None };
        }
        let template = match total {
            0 => "{spinner} {elapsed} {msg}",
            _ => "{spinner} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        let (sender, receiver) = mpsc::channel::<()>();
        let shown = bar.clone();
        let thread = std::thread::spawn(move || {
            if receiver.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                while receiver.recv_timeout(Duration::from_millis(120))
                    == Err(mpsc::RecvTimeoutError::Timeout)
                {
                    shown.tick();
                }
            }
        });
        Bar {
            bar,
            waiting: Some((sender, thread)),
        }
    }

    /// More was done.
    pub fn add(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// Shows the current item.
    pub fn say(&self, what: &str) {
        if self.waiting.is_some() {
            self.bar
                .set_message(refit_base::wire::visible(what).into_owned());
        }
    }

    /// Hides the bar while something else is printed.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.waiting.take() {
            drop(sender);
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
