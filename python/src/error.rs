//! `refit.Error` for an error of the library.

use pyo3::{exceptions::PyRuntimeError, prelude::*, sync::PyOnceLock};
use refit::{Error, ErrorKind};

/// The name of a kind in Python.
fn name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Unrecognised => "unrecognised",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::Truncated => "truncated",
        ErrorKind::Limit => "limit",
        ErrorKind::Syntax => "syntax",
        ErrorKind::Missing => "missing",
        ErrorKind::NoMember => "no_member",
        ErrorKind::Io => "io",
        ErrorKind::Internal => "internal",
        _ => "invalid",
    }
}

fn made(
    py: Python<'_>,
    message: String,
    kind: &str,
    path: String,
    offset: Option<u64>,
    file: Option<&str>,
) -> PyErr {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || {
        Ok(py.import("pyrefit._error")?.getattr("Error")?.unbind())
    });
    match class.and_then(|class| class.bind(py).call1((message, kind, path, offset, file))) {
        Ok(error) => PyErr::from_value(error),
        Err(e) => e,
    }
}

/// `refit.Error` with the kind, path, offset and file of an error.
pub fn raise(py: Python<'_>, e: &Error) -> PyErr {
    made(
        py,
        e.to_string(),
        name(e.kind()),
        e.path(),
        e.offset(),
        e.file(),
    )
}

/// `refit.Error` for a value that no document can contain.
pub fn of_value(py: Python<'_>, path: String, what: &str) -> PyErr {
    let message = if path.is_empty() {
        what.to_owned()
    } else {
        format!("{path}: {what}")
    };
    made(py, message, "invalid", path, None, None)
}

/// The error for a file that was closed.
pub fn closed(py: Python<'_>) -> PyErr {
    made(
        py,
        "the file is closed".to_owned(),
        "closed",
        String::new(),
        None,
        None,
    )
}

/// The error for a thread that could not be started.
pub fn no_thread(e: &std::io::Error) -> PyErr {
    PyRuntimeError::new_err(format!("no thread for the work: {e}"))
}
