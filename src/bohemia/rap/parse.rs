//! Reads the text of a config: `config.cpp`, without a preprocessor.
//!
//! Hand-written text is read as Bohemia's compiler does: an unquoted value is an integer if all of
//! it is one, otherwise a float if all of it is one, otherwise a text.

use super::{
    arithmetic,
    foreign::foreign_byte,
    model::{ArrayItem, Config, ConfigClass, ConfigEntry, ConfigValue, DEEPEST, EntryContent},
    print::{CP1252, Encoding, expression_end},
};
use bytes::Bytes;
use refit_base::wire::{Error, ErrorKind, F32, Result, Within, bytes_of_hex, encode_1252};

/// Most notes about one text.
const NOTED: usize = 20;
/// How many enumerators before one its value may name.
const NEAR: usize = 1000;

/// The meaning of a refit comment for the next token.
#[derive(Clone, PartialEq, Debug)]
enum Mark {
    /// `x`: the bytes of a text.
    Text(Vec<u8>),
    /// `v`: the bytes of an expression.
    Expression(Vec<u8>),
    /// `n`: the bytes of a name.
    Name(Vec<u8>),
    /// `f`: the bits of a float.
    Float(u32),
    /// `i64`: an integer of 64 bits.
    Long,
    /// `add`: the flag of an array.
    Flag(u32),
}

impl Mark {
    fn of(comment: &str) -> Option<Mark> {
        if comment == "i64" {
            return Some(Mark::Long);
        }
        let (key, value) = comment.split_once('=')?;
        if key == "add" {
            return value.parse().ok().map(Mark::Flag);
        }
        let bytes = || bytes_of_hex(value).ok();
        match key {
            "x" => bytes().map(Mark::Text),
            "v" => bytes().map(Mark::Expression),
            "n" => bytes().map(Mark::Name),
            "f" if value.len() == 8 => u32::from_str_radix(value, 16).ok().map(Mark::Float),
            _ => None,
        }
    }

    /// The token that it must precede.
    fn expected(&self) -> &'static str {
        match self {
            Mark::Text(_) | Mark::Expression(_) => "an empty text, \"\"",
            Mark::Name(_) => "the name _",
            Mark::Float(_) => "0.0",
            Mark::Long => "an integer",
            Mark::Flag(_) => "+=",
        }
    }
}

/// True for the inside of a comment that has a meaning for refit.
pub fn is_mark(comment: &str) -> bool {
    Mark::of(comment).is_some()
}

/// What a text that a person wrote says besides its entries: lines of the text, from 1, and notes.
pub type Notes = Vec<(usize, String)>;

/// Reads the text of a tree: it says exactly what is in a binary file.
pub fn parse(text: String) -> Result<Config> {
    read(text, false, false).map(|(config, _)| config)
}

/// Reads a text that a person wrote, after the preprocessor: characters that stand for bytes are
/// written as these bytes, and if it `computes`, constant arithmetic is computed.
pub fn parse_source(text: String, computes: bool) -> Result<(Config, Notes)> {
    read(text, true, computes)
}

fn read(text: String, is_source: bool, computes: bool) -> Result<(Config, Notes)> {
    let file = Bytes::from(text);
    let text = std::str::from_utf8(&file).unwrap_or_default();
    let first = text
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
        .lines()
        .next()
        .unwrap_or_default();
    let encoding = if first.trim_end() == CP1252 {
        Encoding::Cp1252
    } else {
        Encoding::Utf8
    };
    let at = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut parser = Parser {
        file: &file,
        text,
        at,
        mark: None,
        skipped: None,
        encoding,
        is_source,
        computes,
        notes: Notes::new(),
    };
    let config = parser.file()?;
    Ok((config, parser.notes))
}

struct Parser<'t> {
    file: &'t Bytes,
    text: &'t str,
    at: usize,
    /// The mark directly before the next token, and its place.
    mark: Option<(usize, Mark)>,
    /// Where the last comments ended: skipping again there keeps the mark.
    skipped: Option<usize>,
    encoding: Encoding,
    /// A person wrote the text.
    is_source: bool,
    /// `__EVAL` of constants is computed.
    computes: bool,
    notes: Notes,
}

/// A class whose end was not reached.
struct Open {
    class: usize,
    at: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.within(self.at..)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[cold]
    fn error(&self, at: usize, message: impl Into<String>) -> Error {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Error::text(
            memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1,
            line.chars().count() + 1,
            message,
        )
    }

    /// The next character for a message.
    fn seen(&self) -> String {
        match self.rest().chars().next() {
            None => "the end of the file".into(),
            Some(c) => match foreign_byte(c).filter(|_| self.is_source) {
                Some(byte) => format!("the byte {byte:#04x}"),
                None => format!("{c:?}"),
            },
        }
    }

    #[cold]
    fn expected(&self, what: &str) -> Error {
        let error = self.error(self.at, format!("expected {what}, found {}", self.seen()));
        match self.peek() {
            Some(b'#') => {
                error.hint("refit has no preprocessor here: write the entries themselves")
            }
            _ => error,
        }
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Result<()> {
        if self.skipped == Some(self.at) {
            return Ok(());
        }
        self.mark = None;
        loop {
            let rest = self.rest();
            let start = self.at;
            match rest.as_bytes() {
                [b'/', b'/', ..] => {
                    self.at += memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())
                }
                [b'/', b'*', ..] => {
                    let inside = rest.within(2..);
                    let Some(end) = inside.find("*/") else {
                        return Err(self.error(start, "the comment has no end"));
                    };
                    self.mark = Mark::of(inside.within(..end)).map(|mark| (start, mark));
                    self.at += end + 4;
                }
                [b, ..] if b.is_ascii_whitespace() || *b == 0x0b => self.at += 1,
                // Files that were joined keep their marks.
                [0xef, 0xbb, 0xbf, ..] if self.is_source => self.at += 3,
                _ => {
                    self.skipped = Some(self.at);
                    return Ok(());
                }
            }
        }
    }

    /// Skips blanks of the line.
    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes a byte if it is the next token.
    fn take(&mut self, byte: u8) -> Result<bool> {
        self.skip()?;
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        Ok(found)
    }

    fn file(&mut self) -> Result<Config> {
        let mut config = Config::default();
        let mut open = vec![Open { class: 0, at: 0 }];
        loop {
            self.skip()?;
            match self.peek() {
                None => break,
                Some(b';') => self.at += 1,
                Some(b'}') => {
                    if open.len() == 1 {
                        return Err(self.error(self.at, "} without a class that it ends"));
                    }
                    self.at += 1;
                    open.pop();
                }
                Some(_) => {
                    let class = open.last().map_or(0, |open| open.class);
                    self.statement(&mut config, class, &mut open)?;
                }
            }
        }
        match open.as_slice() {
            [_, .., last] => Err(self.error(last.at, "the class has no end: a } is missing")),
            _ => Ok(config),
        }
    }

    fn statement(&mut self, config: &mut Config, class: usize, open: &mut Vec<Open>) -> Result<()> {
        let at = self.at;
        let marked = matches!(self.mark, Some((_, Mark::Name(_))));
        let name = self.name()?;
        let content = match &*name {
            b"class" if !marked => {
                self.skip()?;
                let name = self.name()?;
                if self.take(b';')? {
                    add(config, class, name, EntryContent::External);
                    return Ok(());
                }
                let mut base = Bytes::new();
                if self.take(b':')? {
                    self.skip()?;
                    base = self.name()?;
                }
                if !self.take(b'{')? {
                    return Err(self.expected(if base.is_empty() { "{, : or ;" } else { "{" }));
                }
                if open.len() > DEEPEST {
                    return Err(self.error(
                        at,
                        format!("classes are nested more than {DEEPEST} levels deep"),
                    ));
                }
                let new = config.classes.len();
                config.classes.push(ConfigClass {
                    base,
                    entries: Vec::new(),
                });
                open.push(Open { class: new, at });
                add(config, class, name, EntryContent::Class(new));
                return Ok(());
            }
            b"delete" if !marked => {
                self.skip()?;
                let name = self.name()?;
                self.end()?;
                add(config, class, name, EntryContent::Deleted);
                return Ok(());
            }
            b"enum" if !marked => return self.enums(config),
            b"import" if !marked && self.is_source && self.is_import()? => {
                let name = self.import()?;
                add(config, class, name, EntryContent::External);
                return Ok(());
            }
            b"__EXEC" if !marked => {
                let what = "__EXEC runs when a config is compiled, and refit does not run it";
                return Err(self.error(at, what).of_kind(ErrorKind::Limit));
            }
            _ => self.content()?,
        };
        add(config, class, name, content);
        Ok(())
    }

    /// Notes something about the text at a place.
    fn note(&mut self, at: usize, what: String) {
        if self.notes.len() >= NOTED {
            return;
        }
        let before = self.text.as_bytes().within(..at);
        self.notes
            .push((memchr::memchr_iter(b'\n', before).count() + 1, what));
    }

    /// True if the word `import` is no name of a value.
    fn is_import(&mut self) -> Result<bool> {
        self.skip()?;
        Ok(!matches!(self.peek(), Some(b'=' | b'[')))
    }

    /// Reads `NAME from PATH as OTHER;` after `import`. Gives the name that the class has here.
    fn import(&mut self) -> Result<Bytes> {
        let at = self.at;
        let mut name = self.name()?;
        loop {
            if self.take(b';')? {
                break;
            }
            let word = self.name()?;
            self.skip()?;
            match &*word {
                b"as" => name = self.name()?,
                b"from" => loop {
                    self.name()?;
                    if !self.take(b'/')? {
                        break;
                    }
                    self.skip()?;
                },
                _ => return Err(self.expected("from, as or ;")),
            }
        }
        let shown = String::from_utf8_lossy(&name).into_owned();
        self.note(
            at,
            format!(
                "import {shown}: a binary config has no import, so that {shown} is a class of \
                another file in it; the game copies the class only when it reads a text"
            ),
        );
        Ok(name)
    }

    #[cold]
    fn no_number(&self, at: usize, expression: &str, why: &str) -> Error {
        self.error(at, format!("__EVAL({expression}): {why}"))
            .of_kind(ErrorKind::Limit)
    }

    /// The number of an expression that is constant arithmetic; `None` if the game evaluates it.
    fn evaluated(&mut self, at: usize, expression: &str) -> Result<Option<ConfigValue>> {
        match arithmetic::evaluated(expression) {
            Some(Ok(number)) => match self::number(&number) {
                Some(Ok(value)) => Ok(Some(value)),
                Some(Err(why)) => Err(self.no_number(at, expression, why)),
                None => Ok(None),
            },
            Some(Err(why)) => Err(self.no_number(at, expression, &why)),
            None => {
                if let Some(variable) = arithmetic::local_variable(expression) {
                    let what = format!(
                        "__EVAL uses {variable}, which only __EXEC can set, and refit does not \
                        run __EXEC"
                    );
                    return Err(self.error(at, what).of_kind(ErrorKind::Limit));
                }
                Ok(None)
            }
        }
    }

    /// Reads a property or an array after its name.
    fn content(&mut self) -> Result<EntryContent> {
        if !self.take(b'[')? {
            if !self.take(b'=')? {
                return Err(self.expected("= or [] ="));
            }
            let value = self.value(false)?;
            self.end()?;
            return Ok(EntryContent::Value(value));
        }
        if !self.take(b']')? {
            return Err(self.expected("]"));
        }
        self.skip()?;
        let mark = self.mark.take();
        let (flag, length) = match self.rest().as_bytes() {
            [b'=', ..] => (None, 1),
            [b'+', b'=', ..] => (Some(1), 2),
            [b'-', b'=', ..] => (Some(2), 2),
            _ => return Err(self.expected("=, += or -=")),
        };
        let flag = match (mark, flag) {
            (Some((_, Mark::Flag(flag))), Some(1)) => Some(flag),
            (Some((at, mark @ Mark::Flag(_))), _) => return Err(self.misplaced(at, &mark)),
            (_, flag) => flag,
        };
        self.at += length;
        let items = self.items()?;
        // The semicolon after the brackets of an array may be missing, like the one after a class.
        self.take(b';')?;
        Ok(match flag {
            None => EntryContent::Array(items),
            Some(flag) => EntryContent::Changed(flag, items),
        })
    }

    #[cold]
    fn misplaced(&self, at: usize, mark: &Mark) -> Error {
        self.error(
            at,
            format!(
                "this comment of refit belongs in front of {}",
                mark.expected()
            ),
        )
        .hint("delete it to write another value")
    }

    /// The end of a statement: a semicolon, or the end of the line.
    fn end(&mut self) -> Result<()> {
        self.skip_blanks();
        if matches!(self.peek(), None | Some(b'\n')) || self.rest().starts_with("//") {
            return Ok(());
        }
        match self.take(b';')? {
            true => Ok(()),
            false => Err(self.expected(";")),
        }
    }

    /// A name. White space before it was skipped.
    fn name(&mut self) -> Result<Bytes> {
        let mark = self.mark.take();
        let rest = self.rest().as_bytes();
        let length = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
            .count();
        if length == 0 {
            return Err(self.expected("a name"));
        }
        let name = self.file.slice(self.at..self.at + length);
        self.at += length;
        match mark {
            Some((_, Mark::Name(bytes))) if &*name == b"_" => Ok(bytes.into()),
            Some((at, mark @ Mark::Name(_))) => Err(self.misplaced(at, &mark)),
            _ => Ok(name),
        }
    }

    /// The items of an array. Nested arrays use an explicit stack.
    fn items(&mut self) -> Result<Vec<ArrayItem>> {
        if !self.take(b'{')? {
            return Err(self.expected("{"));
        }
        let mut open: Vec<Vec<ArrayItem>> = vec![Vec::new()];
        loop {
            self.skip()?;
            let mut done = match self.peek() {
                Some(b'}') => true,
                Some(b'{') => {
                    if open.len() >= DEEPEST {
                        return Err(self.error(
                            self.at,
                            format!("arrays are nested more than {DEEPEST} levels deep"),
                        ));
                    }
                    self.at += 1;
                    open.push(Vec::new());
                    continue;
                }
                // An item of nothing before a separator is an empty text.
                Some(b',' | b';') => {
                    if let Some(items) = open.last_mut() {
                        items.push(ArrayItem::Value(ConfigValue::Text(Bytes::new())));
                    }
                    self.behind_item()?
                }
                _ => {
                    let value = self.value(true)?;
                    if let Some(items) = open.last_mut() {
                        items.push(ArrayItem::Value(value));
                    }
                    self.behind_item()?
                }
            };
            while done {
                self.at += 1;
                let Some(items) = open.pop() else {
                    return Ok(Vec::new());
                };
                let Some(outer) = open.last_mut() else {
                    return Ok(items);
                };
                outer.push(ArrayItem::Array(items));
                done = self.behind_item()?;
            }
        }
    }

    /// Takes what separates items; true before the bracket that ends the array.
    fn behind_item(&mut self) -> Result<bool> {
        self.skip()?;
        match self.peek() {
            Some(b',' | b';') => {
                self.at += 1;
                Ok(false)
            }
            Some(b'}') => Ok(true),
            _ => Err(self.expected(", or }")),
        }
    }

    /// A value of a property or of a list.
    fn value(&mut self, in_list: bool) -> Result<ConfigValue> {
        self.skip()?;
        let mark = self
            .mark
            .take()
            .filter(|(_, mark)| !matches!(mark, Mark::Name(_) | Mark::Flag(_)));
        let start = self.at;
        if self.peek() == Some(b'"') {
            let text = self.string()?;
            return match mark {
                None => Ok(ConfigValue::Text(text)),
                Some((_, Mark::Text(bytes))) if text.is_empty() => {
                    Ok(ConfigValue::Text(bytes.into()))
                }
                Some((_, Mark::Expression(bytes))) if text.is_empty() => {
                    Ok(ConfigValue::Expression(bytes.into()))
                }
                Some((at, mark)) => Err(self.misplaced(at, &mark)),
            };
        }
        if let Some(inside) = self
            .rest()
            .strip_prefix("__EVAL")
            .and_then(|rest| rest.trim_start_matches([' ', '\t']).strip_prefix('('))
        {
            let from = self.text.len() - inside.len();
            let Some(end) = expression_end(inside) else {
                return Err(self.error(from - 1, "the bracket has no end"));
            };
            self.at = from + end + 1;
            if mark.is_none()
                && self.computes
                && let Some(value) = self.evaluated(start, inside.within(..end))?
            {
                return Ok(value);
            }
            let text = self.encoded(from, from + end)?;
            return match mark {
                None => Ok(ConfigValue::Expression(text)),
                Some((at, mark)) => Err(self.misplaced(at, &mark)),
            };
        }
        let rest = self.rest();
        // To the games a quote inside a word is a letter like any other.
        let quote_ends = !self.is_source;
        let ends = |b: &u8| {
            matches!(b, b';' | b'{' | b'}' | b'\n')
                || in_list && *b == b','
                || quote_ends && *b == b'"'
        };
        let mut length = rest.bytes().take_while(|b| !ends(b)).count();
        let line = rest.within(..length);
        length = comment_start(line).unwrap_or(length);
        let word = rest.within(..length).trim_end();
        if word.is_empty() {
            return Err(self.expected("a value"));
        }
        self.at += word.len();
        let value = match number(word) {
            Some(value) => value.map_err(|why| self.error(start, format!("{word}: {why}")))?,
            None => ConfigValue::Text(self.encoded(start, start + word.len())?),
        };
        Ok(match (mark, value) {
            (None, value) => value,
            (Some((_, Mark::Long)), ConfigValue::Int(n)) => ConfigValue::Long(n.into()),
            (Some((_, Mark::Long)), value @ ConfigValue::Long(_)) => value,
            (Some((_, Mark::Float(bits))), ConfigValue::Float(f)) if f.bits() == 0 => {
                ConfigValue::Float(F32::from_bits(bits))
            }
            (Some((at, mark)), _) => return Err(self.misplaced(at, &mark)),
        })
    }

    /// A text in quotes, and those that follow it after `\n`.
    fn string(&mut self) -> Result<Bytes> {
        let mut parts: Vec<(usize, usize, &[u8])> = Vec::new();
        loop {
            // The opening quote.
            let quote = self.at;
            self.at += 1;
            loop {
                let start = self.at;
                let rest = self.rest().as_bytes();
                match memchr::memchr2(b'"', b'\n', rest) {
                    Some(end) if rest.get(end) == Some(&b'"') => self.at += end,
                    _ => {
                        return Err(self
                            .error(quote, "the text is not closed on its line")
                            .hint(
                                "a quote in a text is doubled, and a line end is written \" \\n \"",
                            ));
                    }
                }
                self.at += 1;
                if self.peek() != Some(b'"') {
                    parts.push((start, self.at - 1, b""));
                    break;
                }
                self.at += 1;
                parts.push((start, self.at - 1, b""));
            }
            let behind = self.rest();
            let next = behind
                .trim_ascii_start()
                .strip_prefix("\\n")
                .map(str::trim_ascii_start);
            match next.filter(|next| next.starts_with('"')) {
                Some(next) => {
                    if let Some((.., end)) = parts.last_mut() {
                        *end = b"\n";
                    }
                    self.at = self.text.len() - next.len();
                }
                None => break,
            }
        }
        if let [(start, end, _)] = *parts.as_slice() {
            return self.encoded(start, end);
        }
        let mut out = Vec::new();
        for (start, end, behind) in parts {
            out.extend_from_slice(&self.encoded(start, end)?);
            out.extend_from_slice(behind);
        }
        Ok(out.into())
    }

    /// A part of the text in the encoding of the file.
    fn encoded(&self, start: usize, end: usize) -> Result<Bytes> {
        let text = self.text.within(start..end);
        if let Some(at) = memchr::memchr(0, text.as_bytes()) {
            return Err(self.error(start + at, "a text cannot contain a zero byte"));
        }
        if self.is_source && text.contains(|c| foreign_byte(c).is_some()) {
            return self.with_bytes(start, text);
        }
        match self.encoding {
            Encoding::Utf8 if text.is_empty() => Ok(Bytes::new()),
            Encoding::Utf8 => Ok(self.file.slice(start..end)),
            Encoding::Cp1252 => encode_1252(text).map(Bytes::from).map_err(|e| {
                let at = text
                    .char_indices()
                    .find(|(_, c)| encode_1252(c.encode_utf8(&mut [0; 4])).is_err());
                self.error(start + at.map_or(0, |(at, _)| at), e.to_string())
                    .hint("delete the first line of the file to write UTF-8")
            }),
        }
    }

    /// A part of the text in which characters stand for bytes.
    fn with_bytes(&self, start: usize, text: &str) -> Result<Bytes> {
        let mut out = Vec::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            match (foreign_byte(c), self.encoding) {
                (Some(byte), _) => out.push(byte),
                (None, Encoding::Utf8) => {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes())
                }
                (None, Encoding::Cp1252) => out.extend(
                    encode_1252(c.encode_utf8(&mut [0; 4]))
                        .map_err(|e| self.error(start + at, e.to_string()))?,
                ),
            }
        }
        Ok(out.into())
    }

    /// Reads the enumerators after `enum`.
    fn enums(&mut self, config: &mut Config) -> Result<()> {
        self.skip()?;
        if self.peek() != Some(b'{') {
            self.name()?;
        }
        if !self.take(b'{')? {
            return Err(self.expected("{"));
        }
        let mut next = Some(0i32);
        loop {
            if self.take(b'}')? {
                break;
            }
            let start = self.at;
            let name = if self.peek() == Some(b'=') {
                Bytes::new()
            } else {
                self.name()?
            };
            let mut value = next;
            if self.take(b'=')? {
                let given = match self.value(true)? {
                    ConfigValue::Text(text) if self.is_source => {
                        enumerator(config, &text).unwrap_or(ConfigValue::Text(text))
                    }
                    given => given,
                };
                let ConfigValue::Int(given) = given else {
                    return Err(
                        self.error(start, "the value of an enumerator is an integer of 32 bits")
                    );
                };
                value = Some(given);
            } else if name.is_empty() {
                return Err(self.expected("a name"));
            }
            let value = value.ok_or_else(|| {
                self.error(start, "the value of this enumerator is above 32 bits")
            })?;
            next = value.checked_add(1);
            config.enums.push((name, value));
            if self.behind_item()? {
                self.at += 1;
                break;
            }
        }
        self.take(b';').map(|_| ())
    }
}

/// The value of an enumerator that is arithmetic, or the name of an earlier one.
fn enumerator(config: &Config, text: &[u8]) -> Option<ConfigValue> {
    let earlier = config
        .enums
        .iter()
        .rev()
        .take(NEAR)
        .find(|(name, _)| name == text);
    if let Some((_, value)) = earlier {
        return Some(ConfigValue::Int(*value));
    }
    let text = std::str::from_utf8(text).ok()?;
    number(&arithmetic::evaluated(text)?.ok()?)?.ok()
}

/// Where a comment begins in a line, outside of quotes.
fn comment_start(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut is_quoted = false;
    memchr::memchr2_iter(b'"', b'/', bytes).find(|at| {
        if bytes.get(*at) == Some(&b'"') {
            is_quoted = !is_quoted;
            return false;
        }
        !is_quoted && matches!(bytes.get(at + 1), Some(b'/' | b'*'))
    })
}

fn add(config: &mut Config, class: usize, name: Bytes, content: EntryContent) {
    if let Some(class) = config.classes.get_mut(class) {
        class.entries.push(ConfigEntry { name, content });
    }
}

/// The number that an unquoted word is; `None` for a text.
pub fn number(word: &str) -> Option<Result<ConfigValue, &'static str>> {
    let (negative, digits) = match word.as_bytes() {
        [b'-', ..] => (true, word.get(1..)?),
        [b'+', ..] => (false, word.get(1..)?),
        _ => (false, word),
    };
    let all = |text: &str, is: fn(&u8) -> bool| !text.is_empty() && text.bytes().all(|b| is(&b));
    let integer = |digits: &str, radix: u32| {
        let n = i128::from_str_radix(digits, radix)
            .ok()
            .map(|n| if negative { -n } else { n });
        let n = n
            .and_then(|n| i64::try_from(n).ok())
            .ok_or("an integer of more than 64 bits")?;
        Ok(i32::try_from(n).map_or(ConfigValue::Long(n), ConfigValue::Int))
    };
    if all(digits, u8::is_ascii_digit) {
        return Some(integer(digits, 10));
    }
    if let Some(hex) = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
        .filter(|hex| all(hex, u8::is_ascii_hexdigit))
    {
        return Some(integer(hex, 16));
    }
    // Rust also accepts words such as `inf`.
    let float = |text: &str| {
        let is_number = text
            .bytes()
            .all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
        text.parse::<f64>().ok().filter(|_| is_number)
    };
    let finite = |f: f32| {
        if f.is_finite() {
            Ok(ConfigValue::Float(f.into()))
        } else {
            Err("a float above 32 bits")
        }
    };
    if let Some(decibel) = word.strip_prefix("db").and_then(float) {
        return Some(finite(10f64.powf(decibel / 20.0) as f32));
    }
    // Rounded once.
    float(word).and_then(|_| word.parse().ok()).map(finite)
}
