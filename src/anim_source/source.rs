//! The values of definition files: reader files in any format, as one flat list of tokens.
//!
//! A value is a token, and a list token states where the list ends. So nesting needs no stack, and
//! a file of 40 MB needs two allocations.

use refit_base::{
    tree::{Document, Style},
    wire::{Error, F32, Result, Scanner, Token, TokenKind, Within, count, decode_1252, utf8},
};
use refit_zipper::{
    reader::{ReaderDoc, WalkStep, is_value},
    zrd_text::lexer::{self, Directive, Value, tokens},
};

/// A token. The values of a list follow its token.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tok {
    Int(i32),
    Float(F32),
    /// The range of the text.
    Text(u32, u32),
    /// The end of the list's values.
    List(u32),
}

/// Maximum number of bytes in one hexadecimal text.
const HEX: usize = 100;

/// The values of a reader file.
#[derive(Clone, Default, Debug)]
pub struct Doc {
    toks: Vec<Tok>,
    text: Vec<u8>,
    /// Lists that are being written.
    open: Vec<usize>,
    /// The offset of each value in the file's text, if it has one.
    starts: Vec<u32>,
    /// The offsets of the line ends in that text.
    ends: Vec<u32>,
}

/// A list of values.
#[derive(Clone, Copy)]
pub struct List<'a> {
    doc: &'a Doc,
    from: usize,
    to: usize,
}

/// A value.
#[derive(Clone, Copy)]
pub enum Item<'a> {
    /// An integer.
    Int(i32),
    /// A float.
    Float(F32),
    /// A text.
    Text(&'a [u8]),
    /// A list.
    List(List<'a>),
}

/// The values of a list.
pub struct Items<'a>(List<'a>);

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;
    fn next(&mut self) -> Option<Item<'a>> {
        let List { doc, from, to } = self.0;
        if from >= to {
            return None;
        }
        let item = match *doc.toks.get(from)? {
            Tok::Int(n) => Item::Int(n),
            Tok::Float(f) => Item::Float(f),
            Tok::Text(a, b) => Item::Text(doc.text.within(a as usize..b as usize)),
            Tok::List(end) => {
                self.0.from = end as usize;
                return Some(Item::List(List {
                    doc,
                    from: from + 1,
                    to: end as usize,
                }));
            }
        };
        self.0.from += 1;
        Some(item)
    }
}

impl<'a> List<'a> {
    /// Its values.
    pub fn items(self) -> Items<'a> {
        Items(self)
    }

    /// Its place in its document, as a key for caches.
    pub fn place(self) -> (usize, usize) {
        (self.from, self.to)
    }

    /// Line and column of the list in its file, or of the key before it; `None` if the file is not
    /// text.
    pub fn in_text(self) -> Option<(usize, usize)> {
        let list = self.from.checked_sub(1)?;
        let key = list
            .checked_sub(1)
            .filter(|at| matches!(self.doc.toks.get(*at), Some(Tok::Text(..))));
        let start = *self.doc.starts.get(key.unwrap_or(list))?;
        let line = self.doc.ends.partition_point(|end| *end < start);
        let before = line
            .checked_sub(1)
            .and_then(|line| self.doc.ends.get(line))
            .map_or(0, |end| end + 1);
        Some((line + 1, (start - before) as usize + 1))
    }

    /// Number of its values, including those of nested lists.
    pub fn count(self) -> usize {
        self.to.saturating_sub(self.from)
    }

    /// The values where a key is expected: `a list` or `a number`, one for each.
    pub fn strays(self) -> impl Iterator<Item = &'static str> + use<'a> {
        let mut after_key = false;
        self.items().filter_map(move |item| {
            let behind_key = std::mem::replace(&mut after_key, matches!(item, Item::Text(_)));
            match item {
                Item::Text(_) => None,
                Item::List(_) if behind_key => None,
                Item::List(_) => Some("a list"),
                Item::Int(_) | Item::Float(_) => Some("a number"),
            }
        })
    }

    /// Unwraps lists that contain only one list.
    pub fn unwrapped(self) -> List<'a> {
        let mut list = self;
        loop {
            let mut items = list.items();
            match (items.next(), items.next()) {
                (Some(Item::List(inner)), None) => list = inner,
                _ => return list,
            }
        }
    }

    /// The keys, each with its list; `None` for a bare key. Anything else is skipped.
    pub fn keys(self) -> impl Iterator<Item = (&'a [u8], Option<List<'a>>)> {
        let mut items = self.items();
        std::iter::from_fn(move || {
            let key = items.by_ref().find_map(|item| {
                if let Item::Text(key) = item {
                    Some(key)
                } else {
                    None
                }
            })?;
            let mut behind = Items(items.0);
            let list = if let Some(Item::List(list)) = behind.next() {
                Some(list)
            } else {
                None
            };
            if list.is_some() {
                items = behind;
            }
            Some((key, list))
        })
    }

    /// The first key with this name, with its list.
    pub fn find(self, name: &[u8]) -> Option<Option<List<'a>>> {
        self.keys()
            .find(|(key, _)| *key == name)
            .map(|(_, list)| list)
    }

    /// The texts among its values.
    pub fn texts(self) -> impl Iterator<Item = &'a [u8]> {
        self.items().filter_map(|item| {
            if let Item::Text(text) = item {
                Some(text)
            } else {
                None
            }
        })
    }
}

impl Doc {
    /// All values as a list.
    pub fn root(&self) -> List<'_> {
        List {
            doc: self,
            from: 0,
            to: self.toks.len(),
        }
    }

    /// The list at a place.
    pub fn list(&self, (from, to): (usize, usize)) -> List<'_> {
        List {
            doc: self,
            from,
            to: to.min(self.toks.len()),
        }
    }

    /// Appends an integer.
    pub fn int(&mut self, n: i32) {
        self.toks.push(Tok::Int(n));
    }

    /// Appends a float.
    pub fn float(&mut self, f: F32) {
        self.toks.push(Tok::Float(f));
    }

    /// Appends floats.
    pub fn floats<'f>(&mut self, all: impl IntoIterator<Item = &'f F32>) {
        all.into_iter().for_each(|f| self.float(*f));
    }

    /// Appends a float by its bits, as eight hexadecimal digits.
    pub fn bits(&mut self, f: F32) {
        self.text(format!("0x{:08x}", f.bits()).as_bytes());
    }

    /// Appends a text.
    pub fn text(&mut self, text: &[u8]) {
        let from = self.text.len() as u32;
        self.text.extend_from_slice(text);
        self.toks.push(Tok::Text(from, self.text.len() as u32));
    }

    /// Appends bytes as hexadecimal text, split into a list of texts if they are too long for a
    /// text reader file.
    pub fn hex(&mut self, bytes: &[u8]) {
        let text = |bytes: &[u8]| {
            bytes
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        if bytes.len() <= HEX {
            return self.text(text(bytes).as_bytes());
        }
        self.open();
        bytes
            .chunks(HEX)
            .for_each(|bytes| self.text(text(bytes).as_bytes()));
        self.close();
    }

    /// Starts a list.
    pub fn open(&mut self) {
        self.open.push(self.toks.len());
        self.toks.push(Tok::List(0));
    }

    /// Ends the innermost list; false if there is none.
    pub fn close(&mut self) -> bool {
        let end = self.toks.len() as u32;
        match self.open.pop().and_then(|at| self.toks.get_mut(at)) {
            Some(tok) => {
                *tok = Tok::List(end);
                true
            }
            None => false,
        }
    }

    /// Appends a key and starts its list.
    pub fn key(&mut self, key: &str) {
        self.text(key.as_bytes());
        self.open();
    }

    /// Appends a key and its list, whose values `values` appends.
    pub fn with(&mut self, key: &str, values: impl FnOnce(&mut Doc)) {
        self.key(key);
        values(self);
        self.close();
    }

    /// The position of the next value.
    pub fn mark(&self) -> (usize, usize) {
        (self.toks.len(), self.text.len())
    }

    /// Removes everything appended since a mark.
    pub fn back(&mut self, (toks, text): (usize, usize)) {
        self.toks.truncate(toks);
        self.text.truncate(text);
        self.open.retain(|at| *at < toks);
    }

    /// The values since a mark, as a list.
    pub fn since(&self, mark: (usize, usize)) -> List<'_> {
        List {
            doc: self,
            from: mark.0,
            to: self.toks.len(),
        }
    }

    /// Appends the values of a list.
    pub fn copy(&mut self, list: List<'_>) {
        let (from, to) = (list.from, self.toks.len());
        for tok in list.doc.toks.within(from..list.to) {
            match *tok {
                Tok::Text(a, b) => self.text(list.doc.text.within(a as usize..b as usize)),
                Tok::List(end) => self.toks.push(Tok::List((end as usize - from + to) as u32)),
                number => self.toks.push(number),
            }
        }
    }

    /// Reads a file. The extension identifies JSON and RON documents; the content decides between
    /// binary and text reader files.
    pub fn read(bytes: &[u8], name: &str) -> Result<Doc> {
        match Style::of(name) {
            Some(style) => {
                let text = utf8(bytes)?;
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                let mut doc = Doc::of_reader(&ReaderDoc::from_text(text, style)?);
                // The outermost list is not one of the document's values, so drop its offset.
                let mut starts = starts_in(text, style);
                if starts.len() == doc.toks.len() + 1 {
                    starts.remove(0);
                }
                if starts.len() == doc.toks.len() {
                    doc.starts = starts;
                    doc.ends = ends_in(text.as_bytes());
                }
                Ok(doc)
            }
            None if is_value(bytes) => Ok(Doc::of_reader(&ReaderDoc::read(bytes)?)),
            None => Doc::of_text(bytes),
        }
        .map(Doc::closed)
    }

    /// The document without the room for more values: all sources stay in memory.
    fn closed(mut self) -> Doc {
        self.toks.shrink_to_fit();
        self.text.shrink_to_fit();
        self.open = Vec::new();
        self.starts.shrink_to_fit();
        self.ends.shrink_to_fit();
        self
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        self.toks.len()
    }

    /// The values of a reader document.
    pub fn of_reader(doc: &ReaderDoc) -> Doc {
        let mut out = Doc::default();
        doc.walk(|step| match step {
            WalkStep::Int(n) => out.int(n),
            WalkStep::Float(f) => out.float(f),
            WalkStep::Text(text) => out.text(text),
            WalkStep::Open(_) => out.open(),
            WalkStep::Close => {
                out.close();
            }
        });
        out
    }

    fn of_text(bytes: &[u8]) -> Result<Doc> {
        let mut out = Doc::default();
        // No names are defined. For each open condition, whether its branch is read.
        let mut conditions: Vec<bool> = Vec::new();
        let line = |at: usize| bytes.within(..at).iter().filter(|b| **b == b'\n').count() + 1;
        for (at, token) in tokens(bytes) {
            let before = out.toks.len();
            match token {
                lexer::Token::Directive(Directive::Ifdef(_)) => conditions.push(false),
                lexer::Token::Directive(Directive::Else) => conditions
                    .iter_mut()
                    .last()
                    .into_iter()
                    .for_each(|read| *read = !*read),
                lexer::Token::Directive(Directive::Endif) => {
                    conditions.pop();
                }
                lexer::Token::Directive(Directive::Other(_)) => {}
                _ if conditions.contains(&false) => {}
                lexer::Token::Open => out.open(),
                lexer::Token::Close if !out.close() => {
                    return Err(Error::text(
                        line(at),
                        1,
                        "a closing parenthesis without a list",
                    ));
                }
                lexer::Token::Close => {}
                lexer::Token::Word(word) => match word.value() {
                    Value::Int(n, _) => out.int(n),
                    Value::Float(f, _) => out.float(F32::from(f)),
                    Value::Text => out.text(&word.text),
                },
            }
            if out.toks.len() > before {
                out.starts.push(u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
        match out.open.len() {
            0 => {
                out.ends = ends_in(bytes);
                Ok(out)
            }
            n => {
                let what = format!("the text ends inside {}", count(n, "list"));
                Err(Error::text(line(bytes.len()), 1, what).hint("a `)` is missing"))
            }
        }
    }

    /// The values as a reader document, the content of a binary `.zrd`.
    pub fn to_reader(&self) -> Result<ReaderDoc> {
        let mut out = Vec::with_capacity(self.toks.len() * 8 + self.text.len() + 8);
        let words = |out: &mut Vec<u8>, tag: u32, word: u32| {
            out.extend_from_slice(&tag.to_le_bytes());
            out.extend_from_slice(&word.to_le_bytes());
        };
        // A list counts its own values, not those of nested lists, and one more. The file is the
        // outermost list.
        let length = |list: List<'_>| u32::try_from(list.items().count() + 1).unwrap_or(u32::MAX);
        words(&mut out, 4, length(self.root()));
        for (at, tok) in self.toks.iter().enumerate() {
            match *tok {
                Tok::Int(n) => words(&mut out, 1, n.cast_unsigned()),
                Tok::Float(f) => words(&mut out, 2, f.bits()),
                Tok::Text(a, b) => {
                    words(&mut out, 3, b.saturating_sub(a));
                    out.extend_from_slice(self.text.within(a as usize..b as usize));
                }
                Tok::List(end) => words(&mut out, 4, length(self.list((at + 1, end as usize)))),
            }
        }
        ReaderDoc::read(&out)
    }

    /// A text `.zrd`: one key per line, with nested lists indented.
    pub fn to_zrd(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut ends: Vec<u32> = Vec::new();
        let mut fresh = true;
        for (at, tok) in (0u32..).zip(&self.toks) {
            while ends.last() == Some(&at) {
                ends.pop();
                out.extend_from_slice(b" )");
                fresh = false;
            }
            // A key starts a line.
            let key = matches!(
                (tok, self.toks.get(at as usize + 1)),
                (Tok::Text(..), Some(Tok::List(_)))
            );
            if (key || matches!(tok, Tok::List(_)) && fresh) && !out.is_empty() {
                out.extend_from_slice(b"\r\n");
                out.extend(std::iter::repeat_n(b' ', 2 * ends.len()));
            } else if !out.is_empty() {
                out.push(b' ');
            }
            fresh = false;
            match *tok {
                Tok::Int(n) => out.extend_from_slice(n.to_string().as_bytes()),
                Tok::Float(f) if f.get().is_finite() => {
                    out.extend_from_slice(format!("{:?}", f.get()).as_bytes())
                }
                Tok::Float(f) => {
                    return Err(Error::say(format!(
                        "a text reader file cannot express the float {f:?}"
                    ))
                    .hint("use --as json"));
                }
                Tok::Text(a, b) => {
                    let text = self.text.within(a as usize..b as usize);
                    if text.iter().any(|b| matches!(b, b'"' | 0)) || text.len() > 250 {
                        return Err(Error::say(format!(
                            "a text reader file cannot express {:?}",
                            decode_1252(text)
                        ))
                        .hint("use --as json"));
                    }
                    let plain = !text.is_empty()
                        && text
                            .iter()
                            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'*'));
                    let word = plain
                        && !text
                            .first()
                            .is_some_and(|b| b.is_ascii_digit() || *b == b'.');
                    match word {
                        true => out.extend_from_slice(text),
                        false => [&b"\""[..], text, b"\""]
                            .iter()
                            .for_each(|part| out.extend_from_slice(part)),
                    }
                }
                Tok::List(end) => {
                    out.push(b'(');
                    ends.push(end);
                    fresh = true;
                }
            }
        }
        ends.iter().for_each(|_| out.extend_from_slice(b" )"));
        out.extend_from_slice(b"\r\n");
        Ok(out)
    }
}

/// The offsets of the line ends of a text.
fn ends_in(text: &[u8]) -> Vec<u32> {
    memchr::memchr_iter(b'\n', text)
        .map_while(|at| u32::try_from(at).ok())
        .collect()
}

/// The offsets of the values of a document: lists, texts and numbers. A record (a float that is not
/// finite) is one value.
fn starts_in(text: &str, style: Style) -> Vec<u32> {
    // The depth of the record being skipped.
    let mut record = None;
    let is_value = |token: &Token<'_>| {
        if record.is_some() {
            record = record.filter(|depth| token.kind != TokenKind::Close || token.depth != *depth);
            return false;
        }
        record = (token.kind == TokenKind::Open && token.text != "[").then_some(token.depth);
        matches!(
            token.kind,
            TokenKind::Open | TokenKind::Text | TokenKind::Word
        )
    };
    Scanner::new(text, style)
        .filter(is_value)
        .map(|token| u32::try_from(token.at).unwrap_or(u32::MAX))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of the list after a key, in each format.
    #[test]
    fn lists_know_their_lines() {
        let place = |text: &str, name: &str| {
            let doc = Doc::read(text.as_bytes(), name).unwrap();
            let top = doc.root().unwrapped();
            let (_, list) = top.keys().find(|(key, _)| *key == b"HERE").unwrap();
            list.unwrap().in_text()
        };
        assert_eq!(
            place("A ( 1 2.5\n \"x y\" )\n  HERE ( 3 )\n", "a.zrd"),
            Some((3, 3))
        );
        assert_eq!(
            place(
                "[\"A\", [1, -2.5e3,\n \"x \\\" ]y\", { \"float\": \"0x7fc00000\" }],\n  \"HERE\", [3]]",
                "a.json"
            ),
            Some((3, 3))
        );
        assert_eq!(
            place(
                "[\"A\", [1, (float: \"0x7fc00000\")], // a ] remark\n/* \" */ \"HERE\", [3]]",
                "a.ron"
            ),
            Some((2, 9))
        );
        // A text that is not understood has no places, but is still read.
        assert_eq!(
            place(
                "{ \"value\": [\"HERE\", [3]], \"trailing\": \"00\" }",
                "a.json"
            ),
            None
        );
    }
}
