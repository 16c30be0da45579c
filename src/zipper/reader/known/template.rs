//! The smallest valid reader as RON, with a comment for each value.

use super::{
    Any, Each, Example, Key, Keys, KeysAndNamed, KnownReader, Leaf, Pairs, Row, RowAndEach,
    RowAndKeys, Shape, bounds,
};
use std::fmt::Write;

/// A line of a list: a description, what comes before the value, and the value.
type Line<'a> = (String, Option<&'a Key>, Option<&'a Shape>);

impl KnownReader {
    /// The smallest valid one as RON, with a comment for each value, and the keys that it need not
    /// have as comments.
    pub fn text(&self) -> String {
        let mut out = String::new();
        comment(&mut out, 0, &format!("{}: {}.", self.member(), self.about));
        if !self.unknown.is_empty() {
            comment(&mut out, 0, &format!("Not known: {}.", self.unknown));
        }
        if self.is_wrapped {
            let content = (String::new(), None, Some(&self.content));
            list(&mut out, 0, [content].into_iter());
        } else {
            sample(&mut out, 0, &self.content);
        }
        out.push('\n');
        out
    }
}

#[cfg(test)]
impl KnownReader {
    /// A reader with all keys, as RON, and how many numbers and strings its declaration describes.
    pub(in crate::reader) fn whole(&self) -> (String, usize) {
        fn count(shape: &Shape) -> usize {
            let all = |row: &[Shape]| row.iter().map(count).sum::<usize>();
            let keys = |keys: &[Key]| {
                keys.iter()
                    .filter_map(|key| key.value.as_ref().map(count))
                    .sum::<usize>()
            };
            match shape {
                Shape::Leaf(_) => 1,
                Any(_) => 0,
                Row(row) | Each(row) => all(row),
                Keys(list) | Pairs(list) => keys(list),
                RowAndKeys(row, list) => all(row) + keys(list),
                RowAndEach(row, each) => all(row) + all(each),
                // The name itself is not one of the described values.
                KeysAndNamed(list, [_, value]) => keys(list) + count(value),
            }
        }
        let text = inline(&self.content);
        let text = match self.is_wrapped {
            true => format!("[{text}]"),
            false => text,
        };
        (text, count(&self.content))
    }
}

/// Writes lines that begin with `//`.
fn comment(out: &mut String, depth: usize, about: &str) {
    let room = 100_usize.saturating_sub(4 * depth);
    let mut line = String::new();
    for word in about.split_whitespace() {
        if !line.is_empty() && line.len() + word.len() >= room {
            put_line(out, depth, &format!("// {line}"));
            line.clear();
        }
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(word);
    }
    if !line.is_empty() {
        put_line(out, depth, &format!("// {line}"));
    }
}

fn put_line(out: &mut String, depth: usize, line: &str) {
    // Writing into a string cannot fail.
    let _ = writeln!(out, "{:1$}{line}", "", 4 * depth);
}

impl Leaf {
    /// Its description with its unit, its range, and what it may be.
    pub(super) fn full(&self) -> String {
        let mut all = self.about.to_owned();
        let mut add = |more: String| {
            all.push_str(if all.is_empty() { "" } else { ", " });
            all.push_str(&more);
        };
        if !self.unit.is_empty() {
            add(format!("in {}", self.unit));
        }
        if let Some((least, most)) = self.range {
            add(bounds(least, most));
        }
        if self.bytes > 0 {
            add(format!("in at most {} characters", self.bytes));
        }
        if !self.choices.is_empty() {
            let known: Vec<String> = self
                .choices
                .iter()
                .map(|(choice, about)| match *about {
                    "" => (*choice).to_owned(),
                    about => format!("{choice} ({about})"),
                })
                .collect();
            let words = known.join(", ");
            add(match self.letters {
                0 => words,
                letters => format!("{words}; the first {letters} letters count"),
            });
        }
        all
    }
}

impl Shape {
    /// The description of a value for a comment.
    fn comment(&self) -> String {
        match self {
            Shape::Leaf(leaf) => leaf.full(),
            shape => shape.about().to_owned(),
        }
    }

    /// The description of the only value of a list in a list of keys.
    fn alone(&self) -> Option<&Leaf> {
        match self {
            Shape::Leaf(leaf) | Row([Shape::Leaf(leaf)]) => Some(leaf),
            _ => None,
        }
    }
}

impl Key {
    /// Its description, with that of its only value.
    pub(super) fn full(&self) -> String {
        let value = self
            .value
            .as_ref()
            .and_then(Shape::alone)
            .map(Leaf::full)
            .unwrap_or_default();
        match (self.about, value.as_str()) {
            (about, "") => about.to_owned(),
            ("", value) => value.to_owned(),
            (about, value) => format!("{about}: {value}"),
        }
    }
}

fn lines<'a>(row: &'a [Shape]) -> impl Iterator<Item = Line<'a>> {
    row.iter().map(|shape| (shape.comment(), None, Some(shape)))
}

fn key_lines<'a>(keys: &'a [Key]) -> impl Iterator<Item = Line<'a>> {
    keys.iter()
        .map(|key| (key.full(), Some(key), key.value.as_ref()))
}

/// Writes a shape's example, without the end of its line.
fn sample(out: &mut String, depth: usize, shape: &Shape) {
    match shape {
        // A list of numbers in one line, which its key describes.
        shape if shape.alone().is_some() => out.push_str(&inline(shape)),
        Shape::Leaf(_) | Any(_) => out.push_str(&inline(shape)),
        Row(row) | Each(row) => list(out, depth, lines(row)),
        Keys(keys) => list(out, depth, key_lines(keys)),
        Pairs(keys) => {
            out.push_str("[\n");
            for key in *keys {
                comment(out, depth + 1, &key.full());
                let (before, value) =
                    (key.name, key.value.as_ref().map(inline).unwrap_or_default());
                let line = format!("[{before:?}, {value}],");
                put_line(
                    out,
                    depth + 1,
                    &if key.is_optional {
                        format!("// {line}")
                    } else {
                        line
                    },
                );
            }
            let _ = write!(out, "{:1$}]", "", 4 * depth);
        }
        RowAndKeys(row, keys) => list(out, depth, lines(row).chain(key_lines(keys))),
        RowAndEach(row, each) => list(out, depth, lines(row).chain(lines(each))),
        KeysAndNamed(keys, named) => list(out, depth, key_lines(keys).chain(lines(*named))),
    }
}

fn list<'a>(out: &mut String, depth: usize, items: impl Iterator<Item = Line<'a>>) {
    out.push_str("[\n");
    for (about, key, shape) in items {
        comment(out, depth + 1, &about);
        if let Some(key) = key.filter(|key| key.is_optional) {
            let value = key
                .value
                .as_ref()
                .map(|value| format!(" {},", inline(value)));
            comment(
                out,
                depth + 1,
                &format!("{:?},{}", key.name, value.unwrap_or_default()),
            );
            continue;
        }
        let _ = write!(out, "{:1$}", "", 4 * (depth + 1));
        if let Some(key) = key {
            let _ = write!(out, "{:?}, ", key.name);
        }
        if let Some(shape) = shape {
            sample(out, depth + 1, shape);
            out.push(',');
        }
        out.push('\n');
    }
    let _ = write!(out, "{:1$}]", "", 4 * depth);
}

/// A shape's example in one line.
fn inline(shape: &Shape) -> String {
    let of = |row: &[Shape]| -> Vec<String> { row.iter().map(inline).collect() };
    let keys = |keys: &[Key]| -> Vec<String> {
        keys.iter()
            .map(|key| match &key.value {
                Some(value) => format!("{:?}, {}", key.name, inline(value)),
                None => format!("{:?}", key.name),
            })
            .collect()
    };
    let all = match shape {
        Shape::Leaf(leaf) => {
            return match leaf.example {
                Example::Int(n) | Example::Either(n) => n.to_string(),
                Example::Float(x) | Example::Number(x) => format!("{x:?}"),
                Example::Text(text) => format!("{text:?}"),
            };
        }
        Any(_) => Vec::new(),
        Row(row) | Each(row) => of(row),
        Keys(list) => keys(list),
        Pairs(list) => list
            .iter()
            .map(|key| format!("[{}]", keys(std::slice::from_ref(key)).join(", ")))
            .collect(),
        RowAndKeys(row, list) => [of(row), keys(list)].concat(),
        RowAndEach(row, each) => [of(row), of(each)].concat(),
        KeysAndNamed(list, named) => [keys(list), of(*named)].concat(),
    };
    format!("[{}]", all.join(", "))
}
