//! The text of definitions as values: reader files of every spelling, in one flat list.
//!
//! A value is a token; a list says where it ends. So that no nesting needs a stack, and a file of 40 MB needs two allocations.

use crate::{
    formats::{
        reader::{ReaderDoc, WalkStep, is_value},
        zrd_text::lexer::{Directive, Token, Value, tokens},
    },
    tree::{Document, Style},
    wire::{Error, F32, Result, decode_1252, utf8},
};

/// A value; a list's values stand behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tok {
    Int(i32),
    Float(F32),
    /// Where the text begins and ends.
    Text(u32, u32),
    /// Where the list's last value ends.
    List(u32),
}

/// The most bytes that stand in one text.
const HEX: usize = 100;

/// A reader file's values.
#[derive(Clone, Default, Debug)]
pub struct Doc {
    toks: Vec<Tok>,
    text: Vec<u8>,
    /// Lists that are being written.
    open: Vec<usize>,
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
            Tok::Text(a, b) => Item::Text(doc.text.get(a as usize..b as usize).unwrap_or_default()),
            Tok::List(end) => {
                self.0.from = end as usize;
                return Some(Item::List(List { doc, from: from + 1, to: end as usize }));
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

    /// Where it stands in its document: a key for caches.
    pub fn place(self) -> (usize, usize) {
        (self.from, self.to)
    }

    /// What is inside of lists that hold nothing but one list.
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

    /// Keys and their values: a text and the list behind it, or a bare key. Anything else is skipped.
    pub fn keys(self) -> KeyItems<'a> {
        KeyItems(self)
    }
}

/// The keys of a list.
pub struct KeyItems<'a>(List<'a>);

impl<'a> Iterator for KeyItems<'a> {
    /// A key and its list; `None` for a bare key.
    type Item = (&'a [u8], Option<List<'a>>);
    fn next(&mut self) -> Option<Self::Item> {
        let mut items = Items(self.0);
        loop {
            let Some(item) = items.next() else {
                self.0 = items.0;
                return None;
            };
            let Item::Text(key) = item else { continue };
            // A list behind it belongs to it.
            let mut behind = Items(items.0);
            let values = match behind.next() {
                Some(Item::List(list)) => {
                    items = behind;
                    Some(list)
                }
                _ => None,
            };
            self.0 = items.0;
            return Some((key, values));
        }
    }
}

impl Doc {
    /// All of it as a list.
    pub fn root(&self) -> List<'_> {
        List { doc: self, from: 0, to: self.toks.len() }
    }

    /// The list at a place.
    pub fn list(&self, (from, to): (usize, usize)) -> List<'_> {
        List { doc: self, from, to: to.min(self.toks.len()) }
    }

    /// An integer.
    pub fn int(&mut self, n: i32) {
        self.toks.push(Tok::Int(n));
    }

    /// A float.
    pub fn float(&mut self, f: F32) {
        self.toks.push(Tok::Float(f));
    }

    /// A text.
    pub fn text(&mut self, text: &[u8]) {
        let from = self.text.len() as u32;
        self.text.extend_from_slice(text);
        self.toks.push(Tok::Text(from, self.text.len() as u32));
    }

    /// Bytes as hexadecimal text: a list of texts where one would be longer than a text reader file can say.
    pub fn hex(&mut self, bytes: &[u8]) {
        let text = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        if bytes.len() <= HEX {
            return self.text(text(bytes).as_bytes());
        }
        self.open();
        bytes.chunks(HEX).for_each(|bytes| self.text(text(bytes).as_bytes()));
        self.close();
    }

    /// Begins a list.
    pub fn open(&mut self) {
        self.open.push(self.toks.len());
        self.toks.push(Tok::List(0));
    }

    /// Ends the list that was begun last; false when there is none.
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

    /// A key, and the beginning of its list.
    pub fn key(&mut self, key: &str) {
        self.text(key.as_bytes());
        self.open();
    }

    /// A key with what `values` writes into its list.
    pub fn with(&mut self, key: &str, values: impl FnOnce(&mut Doc)) {
        self.key(key);
        values(self);
        self.close();
    }

    /// Where the next value would stand.
    pub fn mark(&self) -> (usize, usize) {
        (self.toks.len(), self.text.len())
    }

    /// Takes back what was written since a mark.
    pub fn back(&mut self, (toks, text): (usize, usize)) {
        self.toks.truncate(toks);
        self.text.truncate(text);
        self.open.retain(|at| *at < toks);
    }

    /// The values since a mark as a list.
    pub fn since(&self, mark: (usize, usize)) -> List<'_> {
        List { doc: self, from: mark.0, to: self.toks.len() }
    }

    /// Adds the values of a list.
    pub fn copy(&mut self, list: List<'_>) {
        // Ends of lists that are being copied, and where they stand here.
        let mut ends: Vec<usize> = Vec::new();
        for at in list.from..list.to {
            while ends.last() == Some(&at) {
                ends.pop();
                self.close();
            }
            match list.doc.toks.get(at).copied() {
                Some(Tok::Int(n)) => self.int(n),
                Some(Tok::Float(f)) => self.float(f),
                Some(Tok::Text(a, b)) => self.text(list.doc.text.get(a as usize..b as usize).unwrap_or_default()),
                Some(Tok::List(end)) => {
                    self.open();
                    ends.push(end as usize);
                }
                None => {}
            }
        }
        for _ in ends {
            self.close();
        }
    }

    /// Reads a file: its name tells documents from reader files, its content binary ones from text.
    pub fn read(bytes: &[u8], name: &str) -> Result<Doc> {
        let doc = match Style::of(name) {
            Some(style) => {
                let text = utf8(bytes)?;
                ReaderDoc::from_text(text.strip_prefix('\u{feff}').unwrap_or(text), style)?
            }
            None if is_value(bytes) => ReaderDoc::read(bytes)?,
            None => return Doc::of_text(bytes),
        };
        Ok(Doc::of_reader(&doc))
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
        // Nobody knows which names are defined: none is. Each is whether its branch is read, and what was read around it.
        let mut conditions: Vec<bool> = Vec::new();
        let line = |at: usize| bytes.get(..at).unwrap_or_default().iter().filter(|b| **b == b'\n').count() + 1;
        for (at, token) in tokens(bytes) {
            match token {
                Token::Directive(Directive::Ifdef(_)) => conditions.push(false),
                Token::Directive(Directive::Else) => conditions.iter_mut().last().into_iter().for_each(|read| *read = !*read),
                Token::Directive(Directive::Endif) => {
                    conditions.pop();
                }
                Token::Directive(Directive::Other(_)) => {}
                _ if conditions.contains(&false) => {}
                Token::Open => out.open(),
                Token::Close if !out.close() => return Err(Error::text(line(at), 1, "a list ends here that never began")),
                Token::Close => {}
                Token::Word(word) => match word.value() {
                    Value::Int(n, _) => out.int(n),
                    Value::Float(f, _) => out.float(F32::from(f)),
                    Value::Text => out.text(&word.text),
                },
            }
        }
        match out.open.len() {
            0 => Ok(out),
            n => Err(Error::text(line(bytes.len()), 1, format!("the text ends inside of {n} lists")).hint("a `)` is missing")),
        }
    }

    /// The reader file's bytes: what a binary `.zrd` holds.
    pub fn to_reader(&self) -> Result<ReaderDoc> {
        // A list counts its own values, not those below.
        let mut counts = vec![0u32; self.toks.len()];
        let mut parents: Vec<(usize, u32)> = Vec::new();
        for (at, tok) in self.toks.iter().enumerate() {
            while parents.last().is_some_and(|(_, end)| *end as usize <= at) {
                parents.pop();
            }
            if let Some(count) = parents.last().and_then(|(parent, _)| counts.get_mut(*parent)) {
                *count += 1;
            }
            if let Tok::List(end) = tok {
                parents.push((at, *end));
            }
        }
        // A file is one value: the list of all.
        let mut parents = 0u32;
        let mut at = 0;
        while let Some(tok) = self.toks.get(at) {
            parents += 1;
            at = if let Tok::List(end) = tok { *end as usize } else { at + 1 };
        }
        let mut out = Vec::with_capacity(self.toks.len() * 8 + self.text.len() + 8);
        let words = |out: &mut Vec<u8>, tag: u32, word: u32| {
            out.extend_from_slice(&tag.to_le_bytes());
            out.extend_from_slice(&word.to_le_bytes());
        };
        words(&mut out, 4, parents + 1);
        for (tok, count) in self.toks.iter().zip(counts) {
            match *tok {
                Tok::Int(n) => words(&mut out, 1, n.cast_unsigned()),
                Tok::Float(f) => words(&mut out, 2, f.bits()),
                Tok::Text(a, b) => {
                    words(&mut out, 3, b.saturating_sub(a));
                    out.extend_from_slice(self.text.get(a as usize..b as usize).unwrap_or_default());
                }
                Tok::List(_) => words(&mut out, 4, count.saturating_add(1)),
            }
        }
        ReaderDoc::read(&out)
    }

    /// A text `.zrd`: one key a line, lists indented.
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
            // A key begins a line.
            let key = matches!((tok, self.toks.get(at as usize + 1)), (Tok::Text(..), Some(Tok::List(_))));
            if (key || matches!(tok, Tok::List(_)) && fresh) && !out.is_empty() {
                out.extend_from_slice(b"\r\n");
                out.extend(std::iter::repeat_n(b' ', 2 * ends.len()));
            } else if !out.is_empty() {
                out.push(b' ');
            }
            fresh = false;
            match *tok {
                Tok::Int(n) => out.extend_from_slice(n.to_string().as_bytes()),
                Tok::Float(f) if f.get().is_finite() => out.extend_from_slice(format!("{:?}", f.get()).as_bytes()),
                Tok::Float(f) => return Err(Error::say(format!("a text reader file cannot say the float {f:?}")).hint("use --as json")),
                Tok::Text(a, b) => {
                    let text = self.text.get(a as usize..b as usize).unwrap_or_default();
                    if text.iter().any(|b| matches!(b, b'"' | 0)) || text.len() > 250 {
                        return Err(Error::say(format!("a text reader file cannot say {:?}", decode_1252(text))).hint("use --as json"));
                    }
                    let plain = !text.is_empty() && text.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'*'));
                    let word = plain && !text.first().is_some_and(|b| b.is_ascii_digit() || *b == b'.');
                    match word {
                        true => out.extend_from_slice(text),
                        false => [&b"\""[..], text, b"\""].iter().for_each(|part| out.extend_from_slice(part)),
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
