//! Errors: one line that states where and what.

use super::visible::Visible;
use crate::path::{ACCESS_DENIED, is_held, shown};
use crate::wire::Within;
use std::{borrow::Cow, fmt, io, path::Path};

/// The result of everything that can fail in refit.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error: file, member and field path, offset, what is wrong, and what to do next.
///
/// Boxed to one word, so that `Result` stays small.
#[derive(Clone, Debug)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    file: Option<String>,
    offset: Option<u64>,
    /// Set if it does not follow from `what`.
    kind: Option<ErrorKind>,
    /// Innermost step first; reversed for display.
    path: Vec<String>,
    what: Cause,
    hint: Option<String>,
    /// Line and column of the field in a text file.
    place: Option<(usize, usize)>,
    /// The error that `what` puts into context.
    cause: Option<Error>,
}

/// The kind of an error, for programs that react to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// refit knows no format for these bytes.
    Unrecognised,
    /// refit knows the format but does not support the requested operation.
    Unsupported,
    /// The bytes end too early.
    Truncated,
    /// Bytes, a document or a value are invalid.
    Invalid,
    /// The request exceeds a limit of the file or the game.
    Limit,
    /// A text does not parse or does not fit its document type. [`Error::place`] has line and
    /// column.
    Syntax,
    /// A tree lacks a file that its manifest names.
    Missing,
    /// The file has no such member, or the member has no such form.
    NoMember,
    /// The operating system returned an error.
    Io,
    /// A bug in refit; please report it.
    Internal,
}

/// What went wrong.
#[derive(Debug)]
pub enum Cause {
    /// The bytes end too early.
    Short {
        /// Number of bytes that the next field needs.
        need: u64,
        /// Number of bytes left.
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
        /// The parser's message.
        message: String,
    },
    /// The operating system returned an error.
    Io(io::Error),
    /// A tree lacks a file that its manifest names.
    Missing,
}

impl Error {
    #[cold]
    fn make(what: Cause) -> Self {
        Error(Box::new(Inner {
            file: None,
            offset: None,
            kind: None,
            path: Vec::new(),
            what,
            hint: None,
            place: None,
            cause: None,
        }))
    }

    /// An error with this message.
    #[cold]
    pub fn say(message: impl Into<String>) -> Self {
        Self::make(Cause::Said(message.into()))
    }

    /// The bytes end too early: `need` are required at `offset`, `left` are available.
    #[cold]
    pub fn short(offset: u64, need: u64, left: u64) -> Self {
        Self::make(Cause::Short { need, left }).at(offset)
    }

    /// An error at a place in a text.
    #[cold]
    pub fn text(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self::make(Cause::Text {
            line,
            column,
            message: message.into(),
        })
    }

    /// A tree lacks this file.
    #[cold]
    pub fn missing(file: impl Into<String>) -> Self {
        Self::make(Cause::Missing).in_file(file)
    }

    /// An operating system error about `path`.
    #[cold]
    pub fn io(path: &Path, error: io::Error) -> Self {
        Self::stopped(error).in_file(shown(path))
    }

    /// An I/O error of a file that the caller adds.
    #[cold]
    pub fn stopped(error: io::Error) -> Self {
        Self::stopped_on(cfg!(windows), error)
    }

    fn stopped_on(windows: bool, error: io::Error) -> Self {
        let too_large = error.kind() == io::ErrorKind::FileTooLarge;
        let hint = match error.raw_os_error() {
            _ if too_large => {
                Some("more than this file system or a limit, such as `ulimit -f`, allows")
            }
            code @ Some(ACCESS_DENIED) if is_held(code, windows) => Some(
                "another program has it open, or you may not write there: close the game or the editor, or leave the \
                folder",
            ),
            code if is_held(code, windows) => Some(
                "another program has it open: close the game or the editor, or leave the folder, and try again",
            ),
            _ => None,
        };
        let error = Self::make(Cause::Io(error));
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    /// Adds a sentence before the error:
    /// `a damaged PBO: pixels at 0x8: needs 4 bytes, but 2 are left`. Keeps kind and offset.
    pub fn context(self, sentence: impl Into<String>) -> Self {
        let mut error = Self::say(sentence);
        error.0.cause = Some(self);
        error
    }

    /// Marks the named file as not part of the file being processed, so that [`Error::about`] adds
    /// the latter.
    pub fn elsewhere(self) -> Self {
        if self.file().is_some() {
            self.context("")
        } else {
            self
        }
    }

    /// Names the file or folder being processed. If the error already names a file, that file is
    /// either inside this folder or elsewhere; in the second case both are named.
    pub fn about(self, path: &Path) -> Self {
        let name = shown(path);
        match self.file() {
            None if self.to_string().starts_with(&name) => self,
            None => self.in_file(name),
            Some(file) if is_below(file, path) => {
                let whole = format!("{}/{file}", name.trim_end_matches('/'));
                self.renamed(whole)
            }
            Some(file) if file.starts_with(&name) => self,
            Some(_) => self.context("").in_file(name),
        }
    }

    /// True if another program has the file or folder open, which only Windows reports.
    pub(crate) fn is_held_on(&self, windows: bool) -> bool {
        matches!(self.what(), Cause::Io(e) if is_held(e.raw_os_error(), windows))
    }

    /// Adds the offset in the file, unless the error has one.
    pub fn at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Adds an outer step of the field path: a field, an index as `[3]`, or a member's name.
    #[cold]
    pub fn within(mut self, step: impl Into<String>) -> Self {
        let step = step.into();
        // A value without a name (a newtype) adds no step.
        if !step.is_empty() {
            self.0.path.push(step);
        }
        self
    }

    /// Names the file, unless the error names one.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.0.file.get_or_insert_with(|| file.into());
        self
    }

    /// Replaces the name of the file by a better one, for example with its extension.
    pub(crate) fn renamed(mut self, file: impl Into<String>) -> Self {
        self.0.file = Some(file.into());
        self
    }

    /// Adds the line and column of the field in the file, from 1.
    pub fn placed(mut self, line: usize, column: usize) -> Self {
        self.0.place.get_or_insert((line, column));
        self
    }

    /// The file, if known.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// Line and column in the file, if known.
    pub fn place(&self) -> Option<(usize, usize)> {
        match self.0.what {
            Cause::Text { line, column, .. } => Some((line, column)),
            _ => self.0.place,
        }
    }

    /// The steps of the field path, outermost first.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        self.0.path.iter().rev().map(String::as_str)
    }

    /// Adds advice for the user.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint.get_or_insert_with(|| hint.into());
        self
    }

    /// Sets the kind of an error that is not [`ErrorKind::Invalid`].
    pub fn of_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = Some(kind);
        self
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        let of_cause = self.0.cause.as_ref().map(Error::kind);
        self.0.kind.or(of_cause).unwrap_or(match self.0.what {
            Cause::Short { .. } => ErrorKind::Truncated,
            Cause::Said(_) => ErrorKind::Invalid,
            Cause::Text { .. } => ErrorKind::Syntax,
            Cause::Io(_) => ErrorKind::Io,
            Cause::Missing => ErrorKind::Missing,
        })
    }

    /// What went wrong, without the place.
    pub fn what(&self) -> &Cause {
        &self.0.what
    }

    /// The offset in the file, if known.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset.or_else(|| self.0.cause.as_ref()?.offset())
    }

    /// The field path for display, outermost step first. The middle of a very long path is omitted.
    pub fn path(&self) -> String {
        let mut out = String::new();
        for step in self.0.path.iter().rev() {
            if !out.is_empty() && !step.starts_with('[') {
                out.push_str(if out.ends_with(' ') { "" } else { "." });
            }
            out.push_str(step);
        }
        shorten(&out, 300).into_owned()
    }
}

/// Longest message to display, in bytes. A list of all names that are valid at a place fits.
const SHOWN: usize = 2000;

/// A number of things for messages: `1 file`, `2,000 files`.
pub fn count(n: usize, one: &str) -> String {
    let digits = n.to_string();
    let mut grouped = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(c);
    }
    match n {
        1 => format!("1 {one}"),
        _ => format!("{grouped} {}", plural(one)),
    }
}

/// The plural of a regular English word: `keys`, `entries`, `matches`.
pub(crate) fn plural(one: &str) -> String {
    let is_vowel = |stem: &str| stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    match one.strip_suffix('y') {
        Some(stem) if !is_vowel(stem) => format!("{stem}ies"),
        _ if ["s", "x", "ch", "sh"].iter().any(|end| one.ends_with(end)) => format!("{one}es"),
        _ => format!("{one}s"),
    }
}

/// `1.4 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..=9_999 => count(bytes as usize, "byte"),
        10_000..=999_999 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..=999_999_999 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

/// A place for display, from the outside in: `zbd/anim.zbd: defs/door.json: sequences[0]`, without
/// empty parts.
pub fn place<const N: usize>(parts: [&str; N]) -> String {
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(": ")
}

/// The start and end of a text longer than `most` bytes: files and trees may contain megabytes,
/// error messages must not.
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let (mut head, mut tail) = (most - most / 4, text.len() - most / 4);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}…{}", text.within(..head), text.within(tail..)).into()
}

impl fmt::Display for Error {
    /// One line, in which control characters of foreign text are escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Visible(Line(self)), f)
    }
}

/// An error's line before escaping.
struct Line<'a>(&'a Error);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.0.0;
        let file = inner.file.as_deref().map(|file| shorten(file, SHOWN));
        match (file, self.0.place()) {
            (Some(file), Some((line, column))) => write!(f, "{file}:{line}:{column}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            (None, Some((line, column))) => write!(f, "line {line}, column {column}: ")?,
            (None, None) => {}
        }
        let path = self.0.path();
        match (path.is_empty(), inner.offset) {
            (false, Some(at)) => write!(f, "{path} at {at:#x}: ")?,
            (false, None) => write!(f, "{path}: ")?,
            (true, Some(at)) => write!(f, "at {at:#x}: ")?,
            (true, None) => {}
        }
        match &inner.what {
            Cause::Short { need, left: 1 } => write!(f, "needs {need} bytes, but 1 is left")?,
            Cause::Short { need: 1, left } => write!(f, "needs 1 byte, but {left} are left")?,
            Cause::Short { need, left } => write!(f, "needs {need} bytes, but {left} are left")?,
            Cause::Said(message) | Cause::Text { message, .. } => {
                write!(f, "{}", shorten(message, SHOWN))?
            }
            Cause::Io(error) => write!(f, "{error}")?,
            Cause::Missing => write!(f, "the tree has no such file")?,
        }
        if let Some(cause) = &inner.cause {
            let after = if matches!(&inner.what, Cause::Said(sentence) if sentence.is_empty()) {
                ""
            } else {
                ": "
            };
            write!(f, "{after}{}", Line(cause))?;
        }
        if let Some(hint) = &inner.hint {
            write!(f, " ({})", shorten(hint, SHOWN))?;
        }
        Ok(())
    }
}

impl Clone for Cause {
    fn clone(&self) -> Self {
        match self {
            Cause::Short { need, left } => Cause::Short {
                need: *need,
                left: *left,
            },
            Cause::Said(message) => Cause::Said(message.clone()),
            Cause::Text {
                line,
                column,
                message,
            } => Cause::Text {
                line: *line,
                column: *column,
                message: message.clone(),
            },
            Cause::Io(error) => Cause::Io(match error.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code),
                None => io::Error::new(error.kind(), error.to_string()),
            }),
            Cause::Missing => Cause::Missing,
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match (&self.0.cause, &self.0.what) {
            (Some(cause), _) => Some(cause),
            (None, Cause::Io(error)) => Some(error),
            _ => None,
        }
    }
}

/// True for a file of a tree that the error names relative to the tree.
fn is_below(file: &str, folder: &Path) -> bool {
    let file = Path::new(file);
    folder.is_dir()
        && file.is_relative()
        && (!file.starts_with(folder) || folder.join(file).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_held_by_other_programs_have_a_hint() {
        let message = |windows, code| {
            Error::stopped_on(windows, io::Error::from_raw_os_error(code)).to_string()
        };
        for code in [5, 32, 33] {
            assert!(
                message(true, code).contains("another program has it open"),
                "{}",
                message(true, code)
            );
            assert!(!message(false, code).contains("program"));
        }
        assert!(!message(true, 2).contains("program"));
    }

    #[test]
    fn errors_are_bounded_and_keep_both_ends() {
        let long = "€".repeat(1_000_000);
        let e = (0..100_000).fold(Error::say(format!("<{long}>")), |e, i| {
            e.within(format!("[{i}]"))
        });
        let e = e
            .in_file(long.clone())
            .hint(format!("<{long}>"))
            .to_string();
        assert!(e.len() < 3 * SHOWN + 500, "{}", e.len());
        assert!(
            e.contains("[99999][99998]")
                && e.contains("[1][0]: <€")
                && e.contains("€> (<€")
                && e.ends_with("€>)"),
            "{e}"
        );
        assert_eq!(shorten("12345678", 8), "12345678");
        assert_eq!(shorten("123456789", 8), "123456…89");
    }

    #[test]
    fn an_error_in_an_error_keeps_its_kind_and_its_offset() {
        let short = || Error::short(8, 4, 2).within("pixels");
        let e = short()
            .context("a damaged PBO")
            .in_file("a.pbo")
            .hint("was it cut?");
        assert_eq!(
            e.to_string(),
            "a.pbo: a damaged PBO: pixels at 0x8: needs 4 bytes, but 2 are left (was it cut?)"
        );
        assert_eq!((e.kind(), e.offset()), (ErrorKind::Truncated, Some(8)));
        assert_eq!(
            Error::say("none")
                .of_kind(ErrorKind::NoMember)
                .context("")
                .kind(),
            ErrorKind::NoMember
        );

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::write(path.join("refit.json"), "").unwrap();
        let name = shown(path);
        assert_eq!(
            Error::say("wrong").about(path).to_string(),
            format!("{name}: wrong")
        );
        assert_eq!(
            Error::say("wrong")
                .in_file("refit.json")
                .about(path)
                .to_string(),
            format!("{name}/refit.json: wrong")
        );
        // A file that only seems to be below the folder.
        let elsewhere = Error::say("full")
            .in_file("game/a.zbd")
            .of_kind(ErrorKind::Limit)
            .elsewhere()
            .about(path);
        assert_eq!(
            (elsewhere.to_string(), elsewhere.kind()),
            (format!("{name}: game/a.zbd: full"), ErrorKind::Limit)
        );
        // A file that is already named is not named again.
        let io = Error::io(&path.join("x"), io::ErrorKind::NotFound.into()).about(path);
        assert!(
            io.to_string().starts_with(&format!("{name}/x: ")) && io.kind() == ErrorKind::Io,
            "{io}"
        );
    }
}
