//! The tokens of a document's text, JSON or RON, each with its position.
//!
//! All of refit's parsers of such texts use this scanner. It accepts any text, even damaged ones,
//! never fails and needs no stack: the parser reports what is wrong with a token.

use crate::wire::{Items, Within};
use std::{borrow::Cow, ops::Range};

/// The two spellings of a tree's documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "lowercase")
)]
pub enum Style {
    /// JSON: editors complete and check it.
    #[default]
    Json,
    /// RON: Rusty Object Notation.
    Ron,
}

impl Style {
    /// The file extension.
    pub fn ext(self) -> &'static str {
        match self {
            Style::Json => "json",
            Style::Ron => "ron",
        }
    }

    /// The style of a file, by the extension of its name.
    pub fn of(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "json" => Some(Style::Json),
            "ron" => Some(Style::Ron),
            _ => None,
        }
    }
}

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
    /// `,`.
    Comma,
    /// `:`.
    Colon,
    /// `"…"`, in RON also `r#"…"#` and `'x'`.
    Text,
    /// A text or a comment without an end. A text of JSON ends with its line, others with the
    /// document.
    Unclosed,
    /// A number or a name.
    Word,
    /// A character that begins no other token.
    Other,
}

/// A piece of a document's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'t> {
    /// Its kind.
    pub kind: TokenKind,
    /// Its spelling, including quotes.
    pub text: &'t str,
    /// Its first byte.
    pub at: usize,
    /// The brackets around it. A bracket is not inside of itself.
    pub depth: usize,
}

impl<'t> Token<'t> {
    /// The byte after it.
    pub fn end(&self) -> usize {
        self.at + self.text.len()
    }

    /// The decoded value. The error is the position of an escape that the style does not have.
    pub fn value(&self, style: Style) -> Result<Cow<'t, str>, Range<usize>> {
        let raw = self.text.starts_with('r');
        let text = if raw {
            self.text.trim_matches(['r', '#'])
        } else {
            self.text
        };
        let inside = text
            .get(1..text.len().saturating_sub(1))
            .unwrap_or_default();
        let Some(mut next) = memchr::memchr(b'\\', inside.as_bytes()).filter(|_| !raw) else {
            return Ok(inside.into());
        };
        let (mut out, mut rest) = (String::with_capacity(inside.len()), inside);
        loop {
            let (plain, behind) = rest.split_at_checked(next).unwrap_or((rest, ""));
            out.push_str(plain);
            let Some(behind) = behind.strip_prefix('\\') else {
                return Ok(out.into());
            };
            let at = self.at + inside.len() - behind.len();
            let (c, length) = escape(behind, style);
            out.push(c.ok_or(at..at + 1 + length)?);
            rest = behind.get(length..).unwrap_or_default();
            next = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        }
    }
}

/// The character of an escape, without its backslash, and the bytes of the escape.
fn escape(text: &str, style: Style) -> (Option<char>, usize) {
    let hex = |range: Range<usize>| {
        let digits = text
            .get(range)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let known = |c| (Some(c), 1);
    match (text.bytes().next(), style) {
        (Some(b @ (b'"' | b'\\' | b'/')), _) | (Some(b @ b'\''), Style::Ron) => known(b.into()),
        (Some(b'n'), _) => known('\n'),
        (Some(b'r'), _) => known('\r'),
        (Some(b't'), _) => known('\t'),
        (Some(b'b'), Style::Json) => known('\x08'),
        (Some(b'f'), Style::Json) => known('\x0c'),
        (Some(b'0'), Style::Ron) => known('\0'),
        (Some(b'x'), Style::Ron) => (hex(1..3).and_then(char::from_u32), 3),
        (Some(b'u'), Style::Ron) => match text
            .find('}')
            .filter(|end| *end <= 8 && text.starts_with("u{"))
        {
            Some(end) => (hex(2..end).and_then(char::from_u32), end + 1),
            None => (None, 1),
        },
        (Some(b'u'), Style::Json) => {
            let low = || {
                hex(7..11)
                    .filter(|low| text.get(5..7) == Some("\\u") && (0xdc00..0xe000).contains(low))
            };
            match (hex(1..5), low()) {
                (Some(high @ 0xd800..0xdc00), Some(low)) => (
                    char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)),
                    11,
                ),
                (code, _) => (code.and_then(char::from_u32), 5),
            }
        }
        _ => (None, text.chars().next().map_or(0, char::len_utf8)),
    }
}

/// The tokens of a text, with a look at the next one. Comments of RON are skipped.
#[derive(Clone)]
pub struct Scanner<'t> {
    text: &'t str,
    style: Style,
    /// The byte after `ahead`, and the brackets around it.
    end: usize,
    depth: usize,
    ahead: Option<Token<'t>>,
}

impl<'t> Scanner<'t> {
    /// The tokens from the start of a text.
    pub fn new(text: &'t str, style: Style) -> Self {
        let mut scanner = Scanner {
            text,
            style,
            end: 0,
            depth: 0,
            ahead: None,
        };
        scanner.advance();
        scanner
    }

    /// The next token, which stays the next one.
    pub fn peek(&self) -> Option<Token<'t>> {
        self.ahead
    }

    /// The token after the next one.
    pub fn second(&self) -> Option<Token<'t>> {
        let mut scanner = self.clone();
        scanner.advance();
        scanner.ahead
    }

    /// Takes the next token if it is spelled like this. Inlined, because comparing with a known
    /// byte needs no call.
    #[inline(always)]
    pub fn eat(&mut self, spelled: &str) -> bool {
        let found = self.ahead.is_some_and(|token| token.text == spelled);
        if found {
            self.advance();
        }
        found
    }

    /// The first byte of the next token, or the end of the text.
    pub fn at(&self) -> usize {
        self.ahead.map_or(self.text.len(), |token| token.at)
    }

    /// Moves to a byte at or before the start of the next token.
    pub fn go(&mut self, at: usize) {
        self.end = at;
        self.advance();
    }

    fn rest(&self) -> &'t str {
        self.text.within(self.end..)
    }

    /// Skips blanks and comments. True at a comment without an end.
    fn skip(&mut self) -> bool {
        let (bytes, ron) = (self.text.as_bytes(), self.style == Style::Ron);
        loop {
            match bytes.get(self.end) {
                Some(b' ' | b'\n' | b'\r' | b'\t' | b'\x0c') => self.end += 1,
                Some(b'/') if ron => match bytes.get(self.end + 1) {
                    Some(b'/') => {
                        let rest = self.rest();
                        self.end += memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                    }
                    Some(b'*') => match comment(self.rest()) {
                        Some(length) => self.end += length,
                        None => return true,
                    },
                    _ => return false,
                },
                // The other blanks that Unicode knows.
                Some(b'\x0b' | 128..) if ron => {
                    match self.rest().chars().next().filter(|c| c.is_whitespace()) {
                        Some(blank) => self.end += blank.len_utf8(),
                        None => return false,
                    }
                }
                _ => return false,
            }
        }
    }

    /// Reads the token after the next one, which becomes the next one.
    pub fn advance(&mut self) {
        let endless = self.skip();
        let rest = self.rest();
        let ron = self.style == Style::Ron;
        let Some(first) = rest.as_bytes().first() else {
            self.ahead = None;
            return;
        };
        let (kind, length) = match first {
            _ if endless => (TokenKind::Unclosed, rest.len()),
            b'[' | b'{' | b'(' => (TokenKind::Open, 1),
            b']' | b'}' | b')' => (TokenKind::Close, 1),
            b',' => (TokenKind::Comma, 1),
            b':' => (TokenKind::Colon, 1),
            b'"' => quoted(rest, self.style),
            b'\'' if ron => {
                character(rest).map_or((TokenKind::Other, 1), |length| (TokenKind::Text, length))
            }
            b'r' if ron => raw(rest).unwrap_or_else(|| word(rest)),
            _ => word(rest),
        };
        let text = rest.get(..length).unwrap_or(rest);
        self.depth = self
            .depth
            .saturating_sub(usize::from(kind == TokenKind::Close));
        self.ahead = Some(Token {
            kind,
            text,
            at: self.end,
            depth: self.depth,
        });
        self.depth += usize::from(kind == TokenKind::Open);
        self.end += text.len();
    }
}

impl<'t> Iterator for Scanner<'t> {
    type Item = Token<'t>;

    #[inline]
    fn next(&mut self) -> Option<Token<'t>> {
        let next = self.ahead;
        self.advance();
        next
    }
}

/// Length of a comment, with the comments inside of it; `None` if it has no end.
fn comment(text: &str) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    loop {
        at += memchr::memchr2(b'*', b'/', text.as_bytes().get(at..)?)?;
        match text.as_bytes().get(at..at + 2)? {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return Some(at);
        }
    }
}

fn quoted(text: &str, style: Style) -> (TokenKind, usize) {
    let bytes = text.as_bytes();
    let mut at = 1;
    let next = |at: usize| {
        let rest = bytes.get(at..)?;
        let found = match style {
            Style::Json => memchr::memchr3(b'"', b'\\', b'\n', rest),
            Style::Ron => memchr::memchr2(b'"', b'\\', rest),
        };
        found.map(|found| at + found)
    };
    while let Some(found) = next(at) {
        at = match bytes.get(found) {
            Some(b'"') => return (TokenKind::Text, found + 1),
            // Without its quote, a text of JSON ends with the line: otherwise the next quote would
            // be taken for it.
            Some(b'\n') => return (TokenKind::Unclosed, found),
            // An escape, unless it is an escaped line end in JSON.
            _ => {
                found + 1 + usize::from(style == Style::Ron || bytes.get(found + 1) != Some(&b'\n'))
            }
        };
    }
    (TokenKind::Unclosed, text.len())
}

/// Length of `'x'` at the beginning of a text.
fn character(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    let c = inside.chars().next().filter(|c| *c != '\'')?;
    let mut length = c.len_utf8();
    if c == '\\' {
        length += inside.get(1..)?.chars().next()?.len_utf8();
        // The digits of `\x41` and `\u{e4}`.
        let digits = inside.get(length..)?;
        length += digits
            .find(|c: char| !c.is_ascii_hexdigit() && !matches!(c, '{' | '}'))
            .unwrap_or(digits.len());
    }
    inside
        .get(length..)?
        .starts_with('\'')
        .then_some(length + 2)
}

/// `r"…"`, `r#"…"#` and so on at the beginning of a text.
fn raw(text: &str) -> Option<(TokenKind, usize)> {
    let marks = text.get(1..)?.bytes().take_while(|b| *b == b'#').count();
    let inside = text.get(1 + marks..)?.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(marks));
    Some(
        match memchr::memmem::find(inside.as_bytes(), end.as_bytes()) {
            Some(found) => (TokenKind::Text, 1 + marks + 1 + found + end.len()),
            None => (TokenKind::Unclosed, text.len()),
        },
    )
}

/// A number or a name. RON's `r#` before a name that is a word of the language belongs to the name.
fn word(text: &str) -> (TokenKind, usize) {
    let length = |text: &str| {
        let ascii = text.bytes().position(|b| !is_word(b)).unwrap_or(text.len());
        match text.as_bytes().get(ascii) {
            Some(128..) => text
                .find(|c: char| !c.is_alphanumeric() && !is_word(c.try_into().unwrap_or(b' ')))
                .unwrap_or(text.len()),
            _ => ascii,
        }
    };
    // Most words are numbers: this comes before any comparison of texts.
    let name = if text.as_bytes().first() == Some(&b'r') {
        text.strip_prefix("r#").map_or(0, length)
    } else {
        0
    };
    match if name > 0 { name + 2 } else { length(text) } {
        0 => (
            TokenKind::Other,
            text.chars().next().map_or(0, char::len_utf8),
        ),
        length => (TokenKind::Word, length),
    }
}

/// The ASCII characters of numbers and names.
const WORD: [bool; 256] = {
    let (mut known, mut byte) = ([false; 256], 0_u8);
    while byte < 128 {
        known[byte as usize] =
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-');
        byte += 1;
    }
    known
};

fn is_word(byte: u8) -> bool {
    WORD.item(usize::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::cases;
    use TokenKind::{Close, Colon, Comma, Open, Other, Text, Unclosed, Word};

    fn tokens(text: &str, style: Style) -> Vec<(TokenKind, &str)> {
        Scanner::new(text, style)
            .map(|token| (token.kind, token.text))
            .collect()
    }

    #[test]
    fn json_has_tokens() {
        let text = "{ \"a\\\"\": [-1.5e+3, true],\n\"b\": \"\" }";
        let expected = [
            (Open, "{"),
            (Text, "\"a\\\"\""),
            (Colon, ":"),
            (Open, "["),
            (Word, "-1.5e+3"),
            (Comma, ","),
            (Word, "true"),
            (Close, "]"),
            (Comma, ","),
            (Text, "\"b\""),
            (Colon, ":"),
            (Text, "\"\""),
            (Close, "}"),
        ];
        assert_eq!(tokens(text, Style::Json), expected);
        assert_eq!(
            tokens("1 // 'x' #", Style::Json).get(1..3),
            Some(&[(Other, "/"), (Other, "/")][..])
        );
        // A string ends with its line; the rest is scanned again.
        assert_eq!(
            tokens("[\"a, 1\n]", Style::Json),
            [(Open, "["), (Unclosed, "\"a, 1"), (Close, "]")]
        );
        assert_eq!(
            tokens("\"a\\\n]", Style::Json),
            [(Unclosed, "\"a\\"), (Close, "]")]
        );
    }

    #[test]
    fn ron_has_tokens() {
        for (text, expected) in
            cases::<(String, Vec<(String, String)>)>(include_str!("tests/ron-tokens.json"))
        {
            let found = tokens(&text, Style::Ron).into_iter();
            let found: Vec<_> = found
                .map(|(kind, text)| (format!("{kind:?}"), text.to_owned()))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn texts_have_values() {
        for (text, is_ron, expected) in cases::<(String, bool, Result<String, (usize, usize)>)>(
            include_str!("tests/text-values.json"),
        ) {
            let style = if is_ron { Style::Ron } else { Style::Json };
            let value = Scanner::new(&text, style)
                .next()
                .unwrap()
                .value(style)
                .map(Cow::into_owned);
            assert_eq!(value, expected.map_err(|(from, to)| from..to), "{text}");
        }
    }

    #[test]
    fn depth_and_places_follow_the_brackets() {
        let scanner = Scanner::new("[ (a), ] ]", Style::Ron);
        let found: Vec<_> = scanner.map(|token| (token.at, token.depth)).collect();
        assert_eq!(
            found,
            [(0, 0), (2, 1), (3, 2), (4, 1), (5, 1), (7, 0), (9, 0)]
        );
        let deep = "[".repeat(300_000);
        assert_eq!(
            Scanner::new(&deep, Style::Json)
                .last()
                .map(|token| token.depth),
            Some(299_999)
        );
    }

    /// Tokens and the blanks and comments between them cover the whole text, wherever it is cut or
    /// damaged.
    #[test]
    fn any_text_has_tokens() {
        let text = "(a: r#\"x\"#, /* é */ b: 'x', c: [\"\\u{e4}\", -1.5, r#type]) // é";
        let cut = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
        for at in cut {
            for piece in [
                "", "\"", "'", "\\", "/*", "*/", "r#", "#", "\n", "é", "\u{2003}",
            ] {
                let text = format!("{}{piece}{}", &text[..at], &text[at..]);
                for style in [Style::Json, Style::Ron] {
                    let mut end = 0;
                    for token in Scanner::new(&text, style) {
                        assert!(
                            token.at >= end
                                && !token.text.is_empty()
                                && text[token.at..].starts_with(token.text),
                            "{text}"
                        );
                        assert!(
                            style == Style::Ron || text[end..token.at].trim_ascii().is_empty(),
                            "{text}"
                        );
                        end = token.end();
                        let _ = token.value(style);
                    }
                    assert!(
                        style == Style::Ron || text[end..].trim_ascii().is_empty(),
                        "{text}"
                    );
                }
            }
        }
    }
}
