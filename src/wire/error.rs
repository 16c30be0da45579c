//! Errors: one line that says where and what.

use std::fmt;

/// The result of everything that can fail in refit.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error as a value: file, member and field path, offset, what was found, and what to do next.
///
/// Boxed to one word, so that the happy path stays small.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    file: Option<String>,
    offset: Option<u64>,
    /// Innermost step first; turned round for display.
    path: Vec<String>,
    what: What,
    hint: Option<String>,
}

/// What went wrong.
#[derive(Debug)]
pub enum What {
    /// The bytes end too early.
    Short {
        /// Bytes that the next field needs.
        need: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// A sentence.
    Said(String),
    /// A tree's text does not parse or does not fit its document type.
    Text {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser says.
        message: String,
    },
    /// The operating system refused.
    Io(std::io::Error),
}

impl Error {
    #[cold]
    fn make(what: What) -> Self {
        Error(Box::new(Inner { file: None, offset: None, path: Vec::new(), what, hint: None }))
    }

    /// An error that is a sentence.
    #[cold]
    pub fn say(message: impl Into<String>) -> Self {
        Self::make(What::Said(message.into()))
    }

    /// The bytes end too early: `need` are wanted at `offset`, `left` are there.
    #[cold]
    pub fn short(offset: u64, need: u64, left: u64) -> Self {
        Self::make(What::Short { need, left }).at(offset)
    }

    /// A place in a text and what is wrong there.
    #[cold]
    pub fn text(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self::make(What::Text { line, column, message: message.into() })
    }

    /// An operating system error about `path`.
    #[cold]
    pub fn io(path: &std::path::Path, error: std::io::Error) -> Self {
        Self::stopped(error).in_file(path.display().to_string())
    }

    /// What the output said: the caller knows which file it is.
    #[cold]
    pub fn stopped(error: std::io::Error) -> Self {
        let too_large = error.kind() == std::io::ErrorKind::FileTooLarge;
        let error = Self::make(What::Io(error));
        if too_large { error.hint("more than this file system or a limit, such as `ulimit -f`, allows") } else { error }
    }

    /// Adds the offset in the file, unless a more precise one is known already.
    pub fn at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Adds an outer step of the field path: a field, an index as `[3]`, or a member's name.
    pub fn within(mut self, step: impl Into<String>) -> Self {
        self.0.path.push(step.into());
        self
    }

    /// Names the file, unless an inner one is named already.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.0.file.get_or_insert_with(|| file.into());
        self
    }

    /// Adds what the user can do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint.get_or_insert_with(|| hint.into());
        self
    }

    /// What went wrong, without the place.
    pub fn what(&self) -> &What {
        &self.0.what
    }

    /// The offset in the file, where there is one.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// The field path from the outside in, joined for reading.
    pub fn path(&self) -> String {
        let mut out = String::new();
        for step in self.0.path.iter().rev() {
            if !out.is_empty() && !step.starts_with('[') {
                out.push_str(if out.ends_with(' ') { "" } else { "." });
            }
            out.push_str(step);
        }
        out
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.0;
        if let Some(file) = &inner.file {
            write!(f, "{file}")?;
            if let What::Text { line, column, .. } = inner.what {
                write!(f, ":{line}:{column}")?;
            }
            write!(f, ": ")?;
        } else if let What::Text { line, column, .. } = inner.what {
            write!(f, "line {line}, column {column}: ")?;
        }
        let path = self.path();
        match (path.is_empty(), inner.offset) {
            (false, Some(at)) => write!(f, "{path} at {at:#x}: ")?,
            (false, None) => write!(f, "{path}: ")?,
            (true, Some(at)) => write!(f, "at {at:#x}: ")?,
            (true, None) => {}
        }
        match &inner.what {
            What::Short { need, left: 1 } => write!(f, "needs {need} bytes, 1 is left")?,
            What::Short { need: 1, left } => write!(f, "needs 1 byte, {left} are left")?,
            What::Short { need, left } => write!(f, "needs {need} bytes, {left} are left")?,
            What::Said(message) | What::Text { message, .. } => write!(f, "{message}")?,
            What::Io(error) => write!(f, "{error}")?,
        }
        if let Some(hint) = &inner.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.what {
            What::Io(error) => Some(error),
            _ => None,
        }
    }
}
