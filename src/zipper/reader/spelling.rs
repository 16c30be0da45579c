//! The text of reader values, both ways.
//!
//! A value can be nested as deep as it is long, so nothing here needs a stack.

use super::{FLOAT, INT, LIST, ReaderDoc, STRING, WalkStep};
use refit_base::{
    tree::{Style, error_at, not_json, text::Line},
    wire::{
        Error, Plain, Result, Scanner, Token, TokenKind, Within, decode_1252, encode_1252, hex_of,
        hex_word,
    },
};

/// The text of a value.
pub(super) fn to_text(doc: &ReaderDoc, style: Style) -> String {
    let [open, close, quote] = if style == Style::Json {
        ["{ ", " }", "\""]
    } else {
        ["(", ")", ""]
    };
    let mut line = Line::begin();
    if !doc.trailing.is_empty() {
        line.open(open);
        line.value(true);
        line.text += &format!("{quote}value{quote}: ");
    }
    let mut first = true;
    doc.walk(|step| {
        if !matches!(step, WalkStep::Close) {
            line.value(first);
        }
        first = matches!(step, WalkStep::Open(_));
        match step {
            WalkStep::Int(n) => line.text += &n.to_string(),
            WalkStep::Float(f) if f.get().is_finite() => {
                line.text += ryu::Buffer::new().format_finite(f.get())
            }
            WalkStep::Float(f) => {
                line.open(open);
                line.value(true);
                line.text += &format!("{quote}float{quote}: \"{:#010x}\"", f.bits());
                line.close(close, true);
            }
            WalkStep::Text(text) => string(&mut line, text, style),
            WalkStep::Open(_) => line.open("["),
            WalkStep::Close => line.close("]", false),
        }
    });
    if !doc.trailing.is_empty() {
        line.value(false);
        line.text += &format!("{quote}trailing{quote}: \"{}\"", hex_of(&doc.trailing));
        line.close(close, true);
    }
    line.end().lay_out(true)
}

/// A string in quotes, with the characters that no editor shows as escapes.
fn string(line: &mut Line, bytes: &[u8], style: Style) {
    let (text, at) = (decode_1252(bytes), line.text.len());
    line.text.push('"');
    // Nearly all.
    if text
        .bytes()
        .all(|b| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\')
    {
        line.text.push_str(&text);
    } else {
        for c in text.chars() {
            match (c, style) {
                ('"' | '\\', _) => line.text.extend(['\\', c]),
                ('\n', _) => line.text.push_str("\\n"),
                ('\r', _) => line.text.push_str("\\r"),
                ('\t', _) => line.text.push_str("\\t"),
                ('\0'..='\x1f' | '\x7f'..='\u{9f}', Style::Json) => {
                    line.text += &format!("\\u{:04x}", u32::from(c))
                }
                ('\0'..='\x1f' | '\x7f'..='\u{9f}', Style::Ron) => {
                    line.text += &format!("\\u{{{:x}}}", u32::from(c))
                }
                _ => line.text.push(c),
            }
        }
        line.written(at);
    }
    line.text.push('"');
}

/// Strict reading of a value's text.
pub(super) struct Parser<'t> {
    text: &'t str,
    style: Style,
    tokens: Scanner<'t>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, style: Style) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Parser {
            text,
            style,
            tokens: Scanner::new(text, style),
        }
    }

    #[cold]
    fn error(&self, at: usize, message: impl Into<String>) -> Error {
        error_at(self.text, at, message)
    }

    #[cold]
    fn unexpected(&self, wanted: &str) -> Error {
        let at = self.tokens.at();
        let rest = self.text.within(at..);
        if let Some((message, hint)) = not_json(rest).filter(|_| self.style == Style::Json) {
            let error = self.error(at, message);
            return match hint {
                Some(hint) => error.hint(hint),
                None => error,
            };
        }
        if self
            .tokens
            .peek()
            .is_some_and(|token| token.kind == TokenKind::Unclosed)
        {
            return self.open_end(rest, at);
        }
        match rest.chars().next() {
            Some(c) if c.is_alphabetic() => {
                let error = self.error(at, format!("expected {wanted}, found {c:?}"));
                error.hint("is a quote missing before it, or one too many?")
            }
            Some(c) => self.error(at, format!("expected {wanted}, found {c:?}")),
            None => self.error(at, format!("expected {wanted}, found the end of the text")),
        }
    }

    /// The error of a string that has no end on its line.
    #[cold]
    fn open_end(&self, text: &str, at: usize) -> Error {
        self.error(
            at + text.find('\n').unwrap_or(text.len()),
            "the closing quote is missing on this line",
        )
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.tokens.eat(token) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("'{token}'")))
        }
    }

    /// The whole text. `size` is how many bytes are expected.
    pub(super) fn document(mut self, size: usize) -> Result<ReaderDoc> {
        let mut doc = ReaderDoc {
            value: Vec::with_capacity(size),
            trailing: Vec::new(),
        };
        let start = self.tokens.clone();
        let wrapped = self.open_record() && self.root_key("value")?;
        if !wrapped {
            self.tokens = start;
        }
        self.value(&mut doc.value)?;
        if wrapped {
            self.expect(",")?;
            if !self.key("trailing")? {
                return Err(self.unexpected("`trailing`"));
            }
            let at = self.tokens.at();
            doc.trailing = refit_base::wire::bytes_of_hex(&self.string()?)
                .map_err(|e| self.error(at, e.to_string()))?;
            self.close_record()?;
        }
        // A comment at the end may lack its own end.
        match self
            .tokens
            .peek()
            .filter(|token| token.kind != TokenKind::Unclosed || !token.text.starts_with("/*"))
        {
            None => Ok(doc),
            Some(_) => Err(self.unexpected("the end of the text")),
        }
    }

    fn open_record(&mut self) -> bool {
        self.tokens
            .eat(if self.style == Style::Json { "{" } else { "(" })
    }

    fn close_record(&mut self) -> Result<()> {
        if self.style == Style::Ron {
            self.tokens.eat(",");
        }
        self.expect(if self.style == Style::Json { "}" } else { ")" })
    }

    /// Takes this key and its colon if they come next.
    fn key(&mut self, key: &str) -> Result<bool> {
        let Some(token) = self.tokens.peek() else {
            return Ok(false);
        };
        let found = match self.style {
            Style::Json => token.kind == TokenKind::Text && self.value_of(token)? == key,
            Style::Ron => token.text == key,
        };
        if found {
            self.tokens.advance();
            self.expect(":")?;
        }
        Ok(found)
    }

    /// [`Parser::key`] in the outermost record, which may name its schema first.
    fn root_key(&mut self, key: &str) -> Result<bool> {
        if self.style == Style::Json && self.key("$schema")? {
            self.string()?;
            self.tokens.eat(",");
        }
        self.key(key)
    }

    /// One value, appended to `out` in the encoding of the file.
    fn value(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let words = |out: &mut Vec<u8>, words: [u32; 2]| {
            out.extend_from_slice(words.map(u32::to_le_bytes).as_flattened())
        };
        // Where each open list's count is.
        let mut open: Vec<u32> = Vec::new();
        loop {
            let token = self.tokens.peek();
            let mut opened = false;
            match token.map(|token| (token, token.kind, token.text)) {
                Some((_, TokenKind::Open, "[")) => {
                    self.tokens.advance();
                    // The stored count of a list includes the count itself.
                    words(out, [LIST, 1]);
                    open.push(refit_base::wire::fit(out.len() - 4, "the place of a list")?);
                    opened = true;
                }
                Some((token, TokenKind::Text, _)) => {
                    let text = self.string()?;
                    let bytes =
                        encode_1252(&text).map_err(|e| self.error(token.at + 1, e.to_string()))?;
                    words(
                        out,
                        [
                            STRING,
                            refit_base::wire::fit(bytes.len(), "a string's length")?,
                        ],
                    );
                    out.extend_from_slice(&bytes);
                }
                Some((token, TokenKind::Open, _)) => {
                    let float = self.open_record()
                        && if open.is_empty() {
                            self.root_key("float")?
                        } else {
                            self.key("float")?
                        };
                    if !float {
                        let expected = "expected a value; a float by its bits is written { \"float\": \"0x7fc00001\" }";
                        return Err(self.error(token.at, expected));
                    }
                    let at = self.tokens.at();
                    // With its 0x: a reader would take "10" for ten.
                    let text = self.string()?;
                    let bits = text.starts_with("0x").then(|| hex_word(&text)).flatten();
                    let bits = bits.and_then(|bits| u32::try_from(bits).ok());
                    let bits = bits.ok_or_else(|| {
                        self.error(at, "expected the bits of a float as \"0x7fc00001\"")
                    })?;
                    self.close_record()?;
                    words(out, [FLOAT, bits]);
                }
                Some((token, TokenKind::Word, word))
                    if word.starts_with(|c: char| {
                        c.is_ascii_digit() || matches!(c, '-' | '+' | '.')
                    }) =>
                {
                    self.tokens.advance();
                    words(out, self.number(token)?);
                }
                _ => return Err(self.unexpected("a number, a string or a list")),
            }
            // What may come next: an item, a comma and an item, or the ends of lists.
            loop {
                let Some(count_at) = open.last() else {
                    return Ok(());
                };
                let end = if std::mem::take(&mut opened) {
                    self.tokens.eat("]")
                } else {
                    if let Some(slot) = out
                        .get_mut(*count_at as usize..)
                        .and_then(|b| b.first_chunk_mut())
                    {
                        let count = u32::get(slot).checked_add(1);
                        let at = self.tokens.at();
                        *slot = count
                            .ok_or_else(|| self.error(at, "a list of more than 4294967294 items"))?
                            .to_le_bytes();
                    }
                    let comma = self.tokens.eat(",");
                    let end = (!comma || self.style == Style::Ron) && self.tokens.eat("]");
                    if !comma && !end {
                        return Err(self.unexpected("',' or ']'"));
                    }
                    end
                };
                if !end {
                    break;
                }
                open.pop();
            }
        }
    }

    /// The tag and the word of a number.
    fn number(&self, token: Token<'_>) -> Result<[u32; 2]> {
        let (word, digits) = (
            token.text,
            token.text.strip_prefix('-').unwrap_or(token.text),
        );
        if digits.bytes().all(|b| b.is_ascii_digit()) {
            let n = word.parse::<i32>().map_err(|_| {
                self.error(
                    token.at,
                    format!(
                        "{word} does not fit an integer of 32 bits; write {word}.0 for a float"
                    ),
                )
            });
            return n.map(|n| [INT, n as u32]);
        }
        let plain = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits
                .bytes()
                .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
        match word.parse::<f32>() {
            Ok(f) if plain && f.is_finite() => Ok([FLOAT, f.to_bits()]),
            Ok(_) if plain => {
                Err(self.error(token.at, format!("{word} does not fit a float of 32 bits")))
            }
            _ => Err(self.error(token.at, format!("{word:?} is not a number"))),
        }
    }

    /// Takes a string.
    fn string(&mut self) -> Result<std::borrow::Cow<'t, str>> {
        match self
            .tokens
            .peek()
            .filter(|token| token.kind == TokenKind::Text && token.text.starts_with('"'))
        {
            Some(token) => {
                self.tokens.advance();
                self.value_of(token)
            }
            None => Err(self.unexpected("'\"'")),
        }
    }

    /// The value of a string.
    fn value_of(&self, token: Token<'t>) -> Result<std::borrow::Cow<'t, str>> {
        // The scanner ends a text of JSON with its line.
        if self.style == Style::Ron && token.text.contains('\n') {
            return Err(self.open_end(token.text, token.at));
        }
        token.value(self.style).map_err(|place| {
            let word = self.text.get(place.clone()).unwrap_or("\\");
            self.error(place.start, format!("{word} is not an escape"))
        })
    }
}
