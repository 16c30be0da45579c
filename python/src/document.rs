//! A document's text as Python objects, with every bit: a number with a point is a `float`, one
//! without is an `int`, and a float that is not a number stays the text of its bits.

use crate::error::of_value;
use pyo3::{
    prelude::*,
    types::{PyDict, PyFloat, PyInt, PyList, PyString},
};
use std::collections::HashMap;

/// Texts above this size are read without Python's collector of cycles, which would look at all
/// objects again and again.
const LARGE: usize = 1 << 12;

/// A container that is being read.
enum Open<'py, 't> {
    /// A list whose items begin at this position among the values.
    List(usize),
    /// A dictionary and the key of the next value.
    Dict(Bound<'py, PyDict>, Option<&'t str>),
}

struct Reader<'py, 't> {
    py: Python<'py>,
    text: &'t str,
    at: usize,
    /// Keys repeat: each is one object.
    keys: HashMap<&'t str, Bound<'py, PyString>>,
    open: Vec<Open<'py, 't>>,
    values: Vec<Bound<'py, PyAny>>,
}

/// The objects of a JSON text.
pub fn objects<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    if text.len() < LARGE {
        return read(py, text);
    }
    let gc = py.import("gc")?;
    let was: bool = gc.call_method0("isenabled")?.extract()?;
    gc.call_method0("disable")?;
    let read = read(py, text);
    if was {
        gc.call_method0("enable")?;
    }
    read
}

fn read<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let mut reader = Reader {
        py,
        text,
        at: 0,
        keys: HashMap::new(),
        open: Vec::new(),
        values: Vec::new(),
    };
    loop {
        if let Some(whole) = reader.step()? {
            return Ok(whole);
        }
    }
}

impl<'py, 't> Reader<'py, 't> {
    fn bad(&self) -> PyErr {
        of_value(
            self.py,
            String::new(),
            &format!("not JSON at byte {}", self.at),
        )
    }

    /// Reads one token. Returns the whole value when it is complete.
    fn step(&mut self) -> PyResult<Option<Bound<'py, PyAny>>> {
        let bytes = self.text.as_bytes();
        let value = match bytes.get(self.at).copied() {
            Some(b' ' | b'\n' | b'\r' | b'\t' | b',' | b':') => {
                self.at += 1;
                return Ok(None);
            }
            Some(b'{') => {
                self.at += 1;
                self.open.push(Open::Dict(PyDict::new(self.py), None));
                return Ok(None);
            }
            Some(b'[') => {
                self.at += 1;
                self.open.push(Open::List(self.values.len()));
                return Ok(None);
            }
            Some(end @ (b'}' | b']')) => {
                self.at += 1;
                self.close(end == b']')?
            }
            Some(b'"') => {
                let (inside, escaped) = self.string()?;
                if let Some(Open::Dict(_, key @ None)) = self.open.last_mut() {
                    *key = Some(inside);
                    return Ok(None);
                }
                self.text_of(inside, escaped)?.into_any()
            }
            Some(_) => self.word()?,
            None => return Err(self.bad()),
        };
        self.place(value)
    }

    fn close(&mut self, is_list: bool) -> PyResult<Bound<'py, PyAny>> {
        match self.open.pop() {
            Some(Open::List(from)) if is_list => {
                Ok(PyList::new(self.py, self.values.drain(from..))?.into_any())
            }
            Some(Open::Dict(dict, None)) if !is_list => Ok(dict.into_any()),
            _ => Err(self.bad()),
        }
    }

    fn place(&mut self, value: Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let depth = self.open.len();
        match self.open.last_mut() {
            None => return Ok(Some(value)),
            Some(Open::List(_)) => self.values.push(value),
            Some(Open::Dict(dict, key)) => {
                let Some(key) = key.take() else {
                    return Err(of_value(self.py, String::new(), "a value without a key"));
                };
                // refit's own note for editors.
                if key == "$schema" && depth == 1 {
                    return Ok(None);
                }
                let dict = dict.clone();
                let name = match self.keys.get(key) {
                    Some(name) => name.clone(),
                    None => {
                        let name = self.text_of(key, key.contains('\\'))?;
                        self.keys.insert(key, name.clone());
                        name
                    }
                };
                dict.set_item(name, value)?;
            }
        }
        Ok(None)
    }

    /// The text between the quotes, and whether it has escapes.
    fn string(&mut self) -> PyResult<(&'t str, bool)> {
        let start = self.at + 1;
        let (mut end, mut escaped) = (start, false);
        loop {
            let rest = self.text.as_bytes().get(end..).unwrap_or_default();
            let Some(found) = memchr::memchr2(b'"', b'\\', rest) else {
                return Err(self.bad());
            };
            if rest.get(found) == Some(&b'"') {
                end += found;
                break;
            }
            escaped = true;
            end += found + 2;
        }
        self.at = end + 1;
        Ok((self.text.get(start..end).unwrap_or_default(), escaped))
    }

    fn text_of(&self, inside: &str, escaped: bool) -> PyResult<Bound<'py, PyString>> {
        if !escaped {
            return Ok(PyString::new(self.py, inside));
        }
        unescaped(inside)
            .map(|text| PyString::new(self.py, &text))
            .ok_or_else(|| self.bad())
    }

    fn word(&mut self) -> PyResult<Bound<'py, PyAny>> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest
            .bytes()
            .take_while(|b| !matches!(b, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t'))
            .count();
        let word = rest.get(..length).unwrap_or_default();
        let py = self.py;
        let value = match word {
            "true" => true.into_pyobject(py)?.to_owned().into_any(),
            "false" => false.into_pyobject(py)?.to_owned().into_any(),
            "null" => py.None().into_bound(py),
            word if word.contains(['.', 'e', 'E']) => {
                PyFloat::new(py, word.parse().map_err(|_| self.bad())?).into_any()
            }
            word => match word.parse::<i64>() {
                Ok(number) if !word.starts_with('+') => number.into_pyobject(py)?.into_any(),
                Err(_) if word.bytes().all(|b| b == b'-' || b.is_ascii_digit()) => py
                    .get_type::<PyInt>()
                    .call1((word,))
                    .map_err(|_| self.bad())?,
                _ => return Err(self.bad()),
            },
        };
        self.at += length;
        Ok(value)
    }
}

/// A text without its escapes.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at)?);
        let code = rest.get(at + 1..)?;
        let (c, used) = match *code.as_bytes().first()? {
            b'n' => ('\n', 1),
            b'r' => ('\r', 1),
            b't' => ('\t', 1),
            b'b' => ('\u{8}', 1),
            b'f' => ('\u{c}', 1),
            b'u' => {
                let unit = |from: usize| u32::from_str_radix(code.get(from..from + 4)?, 16).ok();
                let high = unit(1)?;
                match high {
                    0xd800..0xdc00 => {
                        let low = unit(7)?.checked_sub(0xdc00)?;
                        (char::from_u32(0x10000 + ((high - 0xd800) << 10) + low)?, 11)
                    }
                    _ => (char::from_u32(high)?, 5),
                }
            }
            other @ (b'"' | b'\\' | b'/') => (char::from(other), 1),
            _ => return None,
        };
        out.push(c);
        rest = code.get(used..)?;
    }
    out.push_str(rest);
    Some(out)
}
