//! Python objects as a document's text.

use crate::error::of_value;
use pyo3::{
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple},
};
use std::fmt::Write;

/// Deeper values are refused: a list that contains itself has no end.
const DEPTH: usize = 100_000;

/// A container that is being written.
enum Open<'py> {
    List(Bound<'py, PyList>, usize),
    /// Pairs of a dictionary, copied: code that runs while its values are written cannot change
    /// them.
    Dict(Bound<'py, PyList>, usize),
}

struct Writer<'py> {
    py: Python<'py>,
    out: String,
    open: Vec<Open<'py>>,
}

/// The text of a value.
pub fn of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut writer = Writer {
        py: value.py(),
        out: String::new(),
        open: Vec::new(),
    };
    writer.value(value)?;
    while let Some(open) = writer.open.last_mut() {
        match open {
            Open::List(list, next) => {
                if *next >= list.len() {
                    writer.out.push(']');
                    writer.open.pop();
                    continue;
                }
                let item = list.get_item(*next)?;
                *next += 1;
                if *next > 1 {
                    writer.out.push_str(", ");
                }
                writer.value(&item)?;
            }
            Open::Dict(pairs, next) => {
                if *next >= pairs.len() {
                    writer.out.push('}');
                    writer.open.pop();
                    continue;
                }
                let (key, item): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
                    pairs.get_item(*next)?.extract()?;
                *next += 1;
                if *next > 1 {
                    writer.out.push_str(", ");
                }
                let Ok(key) = key.cast_into::<PyString>() else {
                    return Err(writer.bad("the keys of a dict in a document are texts"));
                };
                writer.string(&key)?;
                writer.out.push_str(": ");
                writer.value(&item)?;
            }
        }
    }
    Ok(writer.out)
}

impl<'py> Writer<'py> {
    fn bad(&self, what: &str) -> PyErr {
        let mut path = String::new();
        for open in self.open.iter().take(100) {
            match open {
                Open::List(_, next) => _ = write!(path, "[{}]", next.saturating_sub(1)),
                Open::Dict(pairs, next) => {
                    let pair = pairs.get_item(next.saturating_sub(1));
                    let key = pair
                        .and_then(|pair| pair.get_item(0))
                        .map(|key| key.to_string())
                        .unwrap_or_default();
                    let dot = if path.is_empty() { "" } else { "." };
                    path.push_str(dot);
                    path.push_str(&key);
                }
            }
        }
        of_value(self.py, path, what)
    }

    fn string(&mut self, text: &Bound<'py, PyString>) -> PyResult<()> {
        let Ok(text) = text.to_cow() else {
            return Err(self.bad("a text with half a surrogate pair"));
        };
        self.out.push('"');
        let mut plain = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte >= 0x20 && byte != b'"' && byte != b'\\' {
                continue;
            }
            self.out.push_str(text.get(plain..at).unwrap_or_default());
            plain = at + 1;
            match byte {
                b'"' => self.out.push_str("\\\""),
                b'\\' => self.out.push_str("\\\\"),
                _ => _ = write!(self.out, "\\u{byte:04x}"),
            }
        }
        self.out.push_str(text.get(plain..).unwrap_or_default());
        self.out.push('"');
        Ok(())
    }

    fn value(&mut self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        if self.simple(value)? {
            return Ok(());
        }
        // Arrays and numbers of numpy.
        if let Ok(list) = value.call_method0("tolist")
            && self.simple(&list)?
        {
            return Ok(());
        }
        let kind = value
            .get_type()
            .name()
            .map(|name| name.to_string())
            .unwrap_or_default();
        Err(self.bad(&format!(
            "a value of the type {kind}, which no document has (dict, list, str, int, float, bool, None)"
        )))
    }

    fn open(&mut self, open: Open<'py>) -> PyResult<()> {
        self.out.push(if matches!(open, Open::List(..)) {
            '['
        } else {
            '{'
        });
        self.open.push(open);
        if self.open.len() > DEPTH {
            Err(of_value(
                self.py,
                String::new(),
                "a value that contains itself",
            ))
        } else {
            Ok(())
        }
    }

    /// Writes a value of Python itself, or begins to; false for another one.
    fn simple(&mut self, value: &Bound<'py, PyAny>) -> PyResult<bool> {
        if let Ok(number) = value.cast::<PyFloat>() {
            self.float(number.value());
        } else if let Ok(truth) = value.cast::<PyBool>() {
            self.out
                .push_str(if truth.is_true() { "true" } else { "false" });
        } else if let Ok(number) = value.cast::<PyInt>() {
            match number.extract::<i64>() {
                Ok(number) => _ = write!(self.out, "{number}"),
                Err(_) => {
                    let plain = self.py.get_type::<PyInt>().call1((number,))?;
                    // Python cannot convert a number of a million digits to text, either.
                    let Ok(digits) = plain.str() else {
                        return Err(self.bad("an int that is too large"));
                    };
                    self.out.push_str(&digits.to_cow()?);
                }
            }
        } else if let Ok(text) = value.cast::<PyString>() {
            self.string(text)?;
        } else if let Ok(list) = value.cast::<PyList>() {
            self.open(Open::List(list.clone(), 0))?;
        } else if let Ok(dict) = value.cast::<PyDict>() {
            self.open(Open::Dict(dict.items(), 0))?;
        } else if value.is_none() {
            self.out.push_str("null");
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            self.open(Open::List(tuple.to_list(), 0))?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// A finite number as the shortest text that parses to it; any other as the bits of a game's
    /// float, in hexadecimal, as in documents.
    fn float(&mut self, number: f64) {
        if number.is_finite() {
            _ = write!(self.out, "{number:?}");
        } else {
            _ = write!(self.out, "\"{:#010x}\"", (number as f32).to_bits());
        }
    }
}

/// The path of the value that ends at a byte of a text that [`of`] made.
pub fn path_at(text: &str, end: usize) -> String {
    let text = text.get(..end).unwrap_or(text).as_bytes();
    // For each list the position, for each dictionary the last key.
    let mut open: Vec<Result<usize, String>> = Vec::new();
    let (mut at, mut last) = (0, String::new());
    while let Some(byte) = text.get(at).copied() {
        at += 1;
        match byte {
            b'[' => open.push(Ok(0)),
            b'{' => open.push(Err(String::new())),
            // What ends here ended the value.
            b']' | b'}' if at < text.len() => _ = open.pop(),
            b',' => {
                if let Some(Ok(position)) = open.last_mut() {
                    *position += 1;
                }
            }
            b':' => {
                if let Some(Err(key)) = open.last_mut() {
                    key.clone_from(&last);
                }
            }
            b'"' => {
                let start = at;
                while let Some(byte) = text.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                last =
                    String::from_utf8_lossy(text.get(start..at).unwrap_or_default()).into_owned();
                at += 1;
            }
            _ => {}
        }
    }
    let mut path = String::new();
    for step in open.iter().take(100) {
        match step {
            Ok(position) => _ = write!(path, "[{position}]"),
            Err(key) if !key.is_empty() => {
                path.push_str(if path.is_empty() { "" } else { "." });
                path.push_str(key);
            }
            Err(_) => {}
        }
    }
    path
}
