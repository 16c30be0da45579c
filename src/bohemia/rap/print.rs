//! Prints a raP file as the text that people edit: `config.cpp`.
//!
//! Comments of the form `/*x=…*/` mark what this language cannot express (FORMAT.md). Other
//! programs skip them.

use super::{
    binary::shown,
    model::{ArrayItem, Config, ConfigClass, ConfigEntry, ConfigValue, EntryContent},
};
use bytes::Bytes;
use refit_base::wire::{F32, decode_1252, hex_of};
use std::{borrow::Cow, fmt::Write};

/// The first line of a text whose strings are Windows-1252 in the binary file.
pub const CP1252: &str = "// encoding cp1252";
/// Lines are broken before this column.
const WIDTH: usize = 110;
/// Deepest indentation, in tabs: a file of nested classes does not become a text of blanks.
const INDENT: usize = 40;

/// How the texts of a file are encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Utf8,
    Cp1252,
}

impl Encoding {
    /// UTF-8 if all texts are valid, otherwise Windows-1252 if it has a character for all bytes.
    pub fn of(config: &Config) -> Encoding {
        let (mut utf8, mut cp1252) = (true, true);
        each_text(config, &mut |text| {
            utf8 &= std::str::from_utf8(text).is_ok();
            cp1252 &= !text
                .iter()
                .any(|b| matches!(b, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d));
        });
        if !utf8 && cp1252 {
            Encoding::Cp1252
        } else {
            Encoding::Utf8
        }
    }

    /// True for a text that can be written in quotes.
    pub fn can_print(self, text: &[u8]) -> bool {
        self.quotable(text).is_some()
    }

    /// A text that can be written in quotes, as characters.
    fn quotable(self, text: &[u8]) -> Option<Cow<'_, str>> {
        let control = |c: char| c.is_control() && !matches!(c, '\t' | '\n');
        self.decode(text).filter(|text| !text.contains(control))
    }

    /// A text as characters; `None` if it is invalid.
    fn decode(self, text: &[u8]) -> Option<Cow<'_, str>> {
        match self {
            Encoding::Utf8 => std::str::from_utf8(text).ok().map(Cow::Borrowed),
            Encoding::Cp1252 => Some(decode_1252(text)),
        }
    }
}

/// Passes all texts and expressions of a file to `see`.
fn each_text(config: &Config, see: &mut dyn FnMut(&[u8])) {
    let mut value = |value: &ConfigValue| {
        if let ConfigValue::Text(text) | ConfigValue::Expression(text) = value {
            see(text);
        }
    };
    for entry in config.classes.iter().flat_map(|class| &class.entries) {
        match &entry.content {
            EntryContent::Value(v) => value(v),
            EntryContent::Array(items) | EntryContent::Changed(_, items) => {
                each_value(items, &mut value)
            }
            EntryContent::Class(_) | EntryContent::External | EntryContent::Deleted => {}
        }
    }
}

/// Passes all values of an array, also those of arrays in it, to `see`.
pub fn each_value<'a>(items: &'a [ArrayItem], see: &mut dyn FnMut(&'a ConfigValue)) {
    let mut open = vec![items.iter()];
    while let Some(items) = open.last_mut() {
        match items.next() {
            None => {
                open.pop();
            }
            Some(ArrayItem::Value(value)) => see(value),
            Some(ArrayItem::Array(items)) => open.push(items.iter()),
        }
    }
}

/// True for a name that needs no mark.
pub fn is_plain_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
        && !matches!(name, b"class" | b"delete" | b"enum" | b"__EXEC")
}

/// The text of a file.
pub fn print(config: &Config) -> String {
    let mut out = Printer {
        text: String::new(),
        encoding: Encoding::of(config),
    };
    if out.encoding == Encoding::Cp1252 {
        out.text.push_str(CP1252);
        out.text.push('\n');
    }
    let mut open = vec![config.entries(0).iter()];
    while let Some(entries) = open.last_mut() {
        let Some(entry) = entries.next() else {
            open.pop();
            if !open.is_empty() {
                out.indent(open.len() - 1);
                out.text.push_str("};\n");
            }
            continue;
        };
        let depth = open.len() - 1;
        out.indent(depth);
        if let EntryContent::Class(class) = entry.content {
            let class = config.classes.get(class);
            out.class(&entry.name, class);
            match class.filter(|class| !class.entries.is_empty()) {
                Some(class) => {
                    out.text.push_str(" {\n");
                    open.push(class.entries.iter());
                }
                None => out.text.push_str(" {};\n"),
            }
        } else {
            out.entry(entry, depth);
        }
    }
    out.enums(&config.enums);
    out.text
}

struct Printer {
    text: String,
    encoding: Encoding,
}

impl Printer {
    fn indent(&mut self, depth: usize) {
        self.text
            .extend(std::iter::repeat_n('\t', depth.min(INDENT)));
    }

    fn mark(&mut self, letter: char, bytes: &[u8]) {
        let _ = write!(self.text, "/*{letter}={}*/ ", hex_of(bytes));
    }

    fn name(&mut self, name: &[u8]) {
        if is_plain_name(name) {
            self.text.push_str(&shown(name));
        } else {
            self.mark('n', name);
            self.text.push('_');
        }
    }

    fn class(&mut self, name: &[u8], class: Option<&ConfigClass>) {
        self.text.push_str("class ");
        self.name(name);
        if let Some(class) = class.filter(|class| !class.base.is_empty()) {
            self.text.push_str(": ");
            self.name(&class.base);
        }
    }

    /// An entry, except a class with a body.
    fn entry(&mut self, entry: &ConfigEntry, depth: usize) {
        match &entry.content {
            EntryContent::Class(_) => {}
            EntryContent::External => {
                self.text.push_str("class ");
                self.name(&entry.name);
            }
            EntryContent::Deleted => {
                self.text.push_str("delete ");
                self.name(&entry.name);
            }
            EntryContent::Value(value) => {
                self.name(&entry.name);
                self.text.push_str(" = ");
                self.value(value);
            }
            EntryContent::Array(items) => {
                self.name(&entry.name);
                self.text.push_str("[] = ");
                self.items(items, depth);
            }
            EntryContent::Changed(flag, items) => {
                self.name(&entry.name);
                match flag {
                    1 => self.text.push_str("[] += "),
                    2 => self.text.push_str("[] -= "),
                    flag => {
                        let _ = write!(self.text, "[] /*add={flag}*/ += ");
                    }
                }
                self.items(items, depth);
            }
        }
        self.text.push_str(";\n");
    }

    fn value(&mut self, value: &ConfigValue) {
        match value {
            ConfigValue::Int(n) => {
                let _ = write!(self.text, "{n}");
            }
            ConfigValue::Long(n) => {
                if i32::try_from(*n).is_ok() {
                    self.text.push_str("/*i64*/ ");
                }
                let _ = write!(self.text, "{n}");
            }
            ConfigValue::Float(f) => self.float(*f),
            ConfigValue::Text(text) => self.string(text),
            ConfigValue::Expression(text) => {
                match self.encoding.decode(text).filter(|text| is_balanced(text)) {
                    Some(plain) => {
                        let _ = write!(self.text, "__EVAL({plain})");
                    }
                    None => {
                        self.mark('v', text);
                        self.text.push_str("\"\"");
                    }
                }
            }
        }
    }

    /// The shortest digits that give the same bits, with the exponent of C: `1e-05`.
    fn float(&mut self, f: F32) {
        if !f.get().is_finite() {
            let _ = write!(self.text, "/*f={:08x}*/ 0.0", f.bits());
            return;
        }
        let plain = format!("{:?}", f.get());
        let Some((digits, exponent)) = plain.split_once('e') else {
            return self.text.push_str(&plain);
        };
        let (sign, exponent) = exponent
            .strip_prefix('-')
            .map_or(('+', exponent), |exponent| ('-', exponent));
        let _ = write!(self.text, "{digits}e{sign}{exponent:0>2}");
    }

    fn string(&mut self, bytes: &[u8]) {
        match self.encoding.quotable(bytes) {
            Some(text) => {
                self.text.push('"');
                for c in text.chars() {
                    match c {
                        '"' => self.text.push_str("\"\""),
                        '\n' => self.text.push_str("\" \\n \""),
                        c => self.text.push(c),
                    }
                }
                self.text.push('"');
            }
            None => {
                self.mark('x', bytes);
                self.text.push_str("\"\"");
            }
        }
    }

    /// An array on one line, or, if that is too long, with one item per line.
    fn items(&mut self, items: &[ArrayItem], depth: usize) {
        let start = self.text.len();
        let line = self.text.rfind('\n').map_or(0, |at| at + 1);
        self.flat(items);
        let long = self
            .text
            .get(line..)
            .is_some_and(|line| line.chars().count() > WIDTH);
        if !long || items.is_empty() {
            return;
        }
        self.text.truncate(start);
        self.text.push_str("{\n");
        for (i, item) in items.iter().enumerate() {
            self.indent(depth + 1);
            match item {
                ArrayItem::Value(value) => self.value(value),
                ArrayItem::Array(items) => self.flat(items),
            }
            self.text
                .push_str(if i + 1 == items.len() { "\n" } else { ",\n" });
        }
        self.indent(depth);
        self.text.push('}');
    }

    /// An array on one line.
    fn flat(&mut self, items: &[ArrayItem]) {
        self.text.push('{');
        let mut open = vec![items.iter()];
        while let Some(items) = open.last_mut() {
            let Some(item) = items.next() else {
                open.pop();
                self.text.push('}');
                continue;
            };
            if !self.text.ends_with('{') {
                self.text.push_str(", ");
            }
            match item {
                ArrayItem::Value(value) => self.value(value),
                ArrayItem::Array(items) => {
                    self.text.push('{');
                    open.push(items.iter());
                }
            }
        }
    }

    fn enums(&mut self, enums: &[(Bytes, i32)]) {
        if enums.is_empty() {
            return;
        }
        self.text.push_str("enum {");
        for (i, (name, value)) in enums.iter().enumerate() {
            self.text.push_str(if i == 0 { "\n\t" } else { ",\n\t" });
            if !name.is_empty() {
                self.name(name);
                self.text.push(' ');
            }
            let _ = write!(self.text, "= {value}");
        }
        self.text.push_str("\n};\n");
    }
}

/// True for an expression that can be written between the brackets of `__EVAL(…)`: it ends with the
/// bracket that closes the first one, and contains nothing that would be a comment.
fn is_balanced(text: &str) -> bool {
    let comment = text.contains("//") || text.contains("/*");
    expression_end(&format!("{text})")) == Some(text.len())
        && !comment
        && !text.contains(char::is_control)
}

/// The position of the bracket that ends an expression, whose opening bracket is before `text`.
pub fn expression_end(text: &str) -> Option<usize> {
    let (mut depth, mut quoted) = (0usize, false);
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' => depth += 1,
            b')' if depth == 0 => return Some(at),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}
