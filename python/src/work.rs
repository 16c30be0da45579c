//! Runs the library without Python's lock. Long work runs in a separate thread, so that Ctrl+C is
//! noticed.

use crate::error::{no_thread, raise};
use pyo3::prelude::*;
use refit::{
    Error, ErrorKind, Result,
    workbench::{Event, Progress},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    time::Duration,
};

/// How often Ctrl+C is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// Stack of the thread, as the program has it.
const STACK: usize = 16 << 20;

/// True after the caller has stopped waiting for the result.
#[derive(Clone, Default)]
pub struct Cancelled(Arc<AtomicBool>);

impl Cancelled {
    /// An error if the work was cancelled.
    pub fn check(&self) -> Result<()> {
        match self.0.load(Ordering::Relaxed) {
            true => Err(Error::say("the work was interrupted")),
            false => Ok(()),
        }
    }
}

/// Turns a panic, which no input should cause, into an error that asks for a report.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let what = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Err(
            Error::say(format!("internal error: {}", what.unwrap_or("no message")))
                .hint("this is a bug in refit, please report it")
                .of_kind(ErrorKind::Internal),
        )
    })
}

/// Runs short work without Python's lock.
pub fn quick<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(|| guarded(work)).map_err(|e| raise(py, &e))
}

/// Runs long work in a thread. Ctrl+C ends the call immediately; the thread ends when it checks
/// `Cancelled`.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Cancelled) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    in_thread(py, true, work)
}

/// [`run`] for work that writes: it is never left half done. Ctrl+C is raised when it is over.
pub fn write<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    in_thread(py, false, |_| work())
}

fn in_thread<T: Send + 'static>(
    py: Python<'_>,
    may_stop: bool,
    work: impl FnOnce(&Cancelled) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let cancelled = Cancelled::default();
    let (send, receive) = channel();
    let inner = cancelled.clone();
    let job = move || {
        // The caller may have stopped waiting.
        let _ = send.send(guarded(|| work(&inner)));
    };
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(job)
        .map_err(|e| no_thread(&e))?;
    let receive = Mutex::new(receive);
    let mut interrupted = None;
    loop {
        let result = py.detach(|| {
            receive
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .recv_timeout(LOOK)
        });
        match result {
            Ok(result) => {
                return interrupted.map_or_else(|| result.map_err(|e| raise(py, &e)), Err);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(raise(
                    py,
                    &Error::say("the thread of the work ended").of_kind(ErrorKind::Internal),
                ));
            }
        }
        if let Err(signal) = py.check_signals() {
            if may_stop {
                cancelled.0.store(true, Ordering::Relaxed);
                return Err(signal);
            }
            interrupted.get_or_insert(signal);
        }
    }
}

/// Reports to a function of Python, `progress(done, total, name)`, and keeps warnings.
pub struct Reporter {
    call: Option<Py<PyAny>>,
    done: AtomicU64,
    total: AtomicU64,
    /// Warnings for the user.
    warnings: Mutex<Vec<String>>,
    /// The exception that the function raised.
    raised: Mutex<Option<PyErr>>,
    /// The first item that failed.
    failed: Mutex<Option<Error>>,
}

impl Reporter {
    /// Reports to a function, if there is one.
    pub fn new(call: Option<Py<PyAny>>) -> Arc<Self> {
        Arc::new(Reporter {
            call,
            done: AtomicU64::default(),
            total: AtomicU64::default(),
            warnings: Mutex::default(),
            raised: Mutex::default(),
            failed: Mutex::default(),
        })
    }

    fn tell(&self, name: &str) {
        let Some(call) = &self.call else { return };
        if lock(&self.raised).is_some() {
            return;
        }
        let (done, total) = (
            self.done.load(Ordering::Relaxed),
            self.total.load(Ordering::Relaxed),
        );
        if let Err(e) = Python::attach(|py| call.call1(py, (done, total, name)).map(drop)) {
            *lock(&self.raised) = Some(e);
        }
    }

    /// The result, unless the function raised something, or an item failed. Warnings become those
    /// of Python.
    pub fn end<T>(&self, py: Python<'_>, result: PyResult<T>) -> PyResult<T> {
        if let Some(raised) = lock(&self.raised).take() {
            return Err(raised);
        }
        if let Some(e) = lock(&self.failed).take() {
            return Err(raise(py, &e));
        }
        for warning in lock(&self.warnings).drain(..) {
            py.import("warnings")?.call_method1("warn", (warning,))?;
        }
        result
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress for Reporter {
    fn report(&self, event: Event<'_>) {
        match event {
            Event::Begin(total) => {
                self.done.store(0, Ordering::Relaxed);
                self.total.store(total, Ordering::Relaxed);
            }
            Event::At(name) => self.tell(name),
            Event::Done(bytes) => {
                self.done.fetch_add(bytes, Ordering::Relaxed);
                self.tell("");
            }
            Event::Warning(text) => lock(&self.warnings).push(text.to_owned()),
            Event::Failed(e) => _ = lock(&self.failed).get_or_insert_with(|| e.clone()),
            Event::Repacked(done) => {
                if let Some(e) = &done.error {
                    lock(&self.failed).get_or_insert_with(|| e.clone());
                }
            }
            Event::Unpacked(done) => {
                if let Some(e) = done.error.as_ref().filter(|_| !done.is_unknown) {
                    lock(&self.failed).get_or_insert_with(|| e.clone());
                }
            }
            _ => {}
        }
    }
}
