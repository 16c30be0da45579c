//! Converts RON to equivalent JSON.
//!
//! Models are only read from JSON: code to read each of them from a second kind of text would be a
//! third of the program and of its build time. The text of RON shows what is a record, a list, a
//! variant or a plain value, so no model is needed: `(a: 1)` is `{"a":1}`, `(1, 2)` and `[1, 2]`
//! are `[1,2]`, `Move(by: 1)` is `{"Move":{"by":1}}`, `Stop` is `"Stop"`, `Some(1)` and `(1)` are
//! `1`. RON's byte strings have no counterpart, and no document has them.

use crate::wire::{Error, Result, Scanner, Style, Token, TokenKind, Within};
use std::fmt::Write;

/// Maximum nesting of a document in RON, counting each record, list and variant. No model comes
/// near it. The values of reader files, which may be nested as deep as their length allows, have a
/// separate parser.
pub(super) const DEPTH: usize = 250;

/// The JSON of a RON text, on one line.
pub(super) fn to_json(ron: &str) -> Result<String> {
    let mut turn = Turn::new(ron, usize::MAX);
    turn.document()?;
    Ok(turn.json)
}

/// The position in a RON text for byte `in_json` of its JSON, so that errors of the JSON point into
/// the RON.
pub(super) fn place(ron: &str, in_json: usize) -> usize {
    let mut turn = Turn::new(ron, in_json);
    // The same text was turned into JSON without an error before, so this cannot fail.
    let _ = turn.document();
    turn.found
}

/// A kind of bracket.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    List,
    Map,
    /// `(` before a field.
    Record,
    /// `(` before a value, and the position of its `[` in the JSON: a single value has no brackets
    /// there.
    Tuple(usize),
}

impl Open {
    /// The bracket that closes it.
    fn close(self) -> &'static str {
        match self {
            Open::List => "]",
            Open::Map => "}",
            Open::Record | Open::Tuple(_) => ")",
        }
    }
}

struct OpenBracket {
    open: Open,
    /// It holds the content of a variant: the brace around the variant in JSON closes together with
    /// it.
    variant: bool,
    /// Number of values so far.
    items: usize,
}

struct Turn<'t> {
    ron: &'t str,
    tokens: Scanner<'t>,
    json: String,
    stack: Vec<OpenBracket>,
    /// The byte of the JSON whose origin is looked for, and the last token of the RON that begins
    /// at it or before it.
    wanted: usize,
    found: usize,
}

impl<'t> Turn<'t> {
    fn new(ron: &'t str, wanted: usize) -> Self {
        let (tokens, json) = (
            Scanner::new(ron, Style::Ron),
            String::with_capacity(ron.len()),
        );
        Turn {
            ron,
            tokens,
            json,
            stack: Vec::new(),
            wanted,
            found: 0,
        }
    }

    #[cold]
    fn fault(&self, at: usize, message: impl Into<String>) -> Error {
        super::explain::at(self.ron, at, message)
    }

    #[cold]
    fn unexpected(&self, wanted: &str) -> Error {
        let at = self.tokens.at();
        let Some(token) = self.tokens.peek() else {
            return self.fault(at, format!("expected {wanted}, found the end of the text"));
        };
        if token.kind == TokenKind::Unclosed {
            let what = if token.text.starts_with('/') {
                "comment"
            } else {
                "text"
            };
            return self.fault(at, format!("the {what} that begins here is not closed"));
        }
        self.fault(
            at,
            format!(
                "expected {wanted}, found {:?}",
                token.text.chars().next().unwrap_or_default()
            ),
        )
    }

    /// Notes that the JSON from here on is made of the next token.
    fn mark(&mut self) {
        if self.json.len() <= self.wanted {
            self.found = self.tokens.at();
        }
    }

    fn document(&mut self) -> Result<()> {
        while let rest = self.ron.within(self.tokens.at()..)
            && rest.starts_with("#![")
        {
            // The extensions that a text requests do not matter: their syntax is always accepted.
            let at = self.tokens.at();
            let end = rest
                .find(']')
                .ok_or_else(|| self.fault(at, "the attribute that begins here is not closed"))?;
            self.tokens.go(at + end + 1);
        }
        loop {
            self.mark();
            let opened = self.value()?;
            if !opened && self.ended()? {
                break;
            }
        }
        if self.tokens.peek().is_none() {
            Ok(())
        } else {
            Err(self.unexpected("the end of the text"))
        }
    }

    /// Reads a value, or its beginning: true if the next token is inside of it.
    fn value(&mut self) -> Result<bool> {
        let unexpected = |turn: &Self| Err(turn.unexpected("a value"));
        let Some(token) = self.tokens.peek() else {
            return unexpected(self);
        };
        let quote = self
            .ron
            .get(token.end()..)
            .is_some_and(|rest| rest.starts_with(['"', '\'', '#']));
        match (token.kind, token.text) {
            (TokenKind::Open, "[") => return self.open(Open::List, false),
            (TokenKind::Open, "{") => return self.open(Open::Map, false),
            (TokenKind::Open, _) => return self.parenthesis(false),
            (TokenKind::Text, _) => self.text(token)?,
            (TokenKind::Word, "b" | "br") if quote => {
                let error = self.fault(token.at, "a document has no byte strings");
                return Err(error.hint("bytes are written as text in hexadecimal: \"00ff\""));
            }
            (TokenKind::Word, word)
                if word
                    .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) =>
            {
                self.number(token)?;
            }
            (TokenKind::Word, _) => return self.word(token),
            (TokenKind::Other, "'") => {
                let error = self.fault(token.at, "a character is written between two quotes: 'x'");
                return Err(error.hint("a text is written in double quotes: \"…\""));
            }
            _ => return unexpected(self),
        }
        self.tokens.next();
        Ok(false)
    }

    /// Opens a bracket that is the next token.
    fn open(&mut self, open: Open, variant: bool) -> Result<bool> {
        if self.stack.len() >= DEPTH {
            return Err(self.fault(
                self.tokens.at(),
                format!("nested too deep: a document has less than {DEPTH} levels"),
            ));
        }
        self.tokens.next();
        self.json.push(match open {
            Open::List | Open::Tuple(_) => '[',
            Open::Map | Open::Record => '{',
        });
        self.stack.push(OpenBracket {
            open,
            variant,
            items: 0,
        });
        if self.tokens.eat(open.close()) {
            self.close();
            return Ok(false);
        }
        self.key()?;
        Ok(true)
    }

    /// A record, a tuple, or a value in parentheses.
    fn parenthesis(&mut self, variant: bool) -> Result<bool> {
        let mut inside = self.tokens.clone();
        inside.next();
        let field = inside.peek().is_some_and(|token| {
            token.text == ")"
                || name(token).is_some()
                    && inside
                        .second()
                        .is_some_and(|token| token.kind == TokenKind::Colon)
        });
        self.open(
            if field {
                Open::Record
            } else {
                Open::Tuple(self.json.len())
            },
            variant,
        )
    }

    /// Closes the innermost bracket; its closing one was read.
    fn close(&mut self) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        match frame.open {
            Open::List => self.json.push(']'),
            Open::Map | Open::Record => self.json.push('}'),
            // `(5)` is only a bracket around one value in RON: JSON has the value alone, and a
            // blank keeps the places equal.
            Open::Tuple(at) if frame.items == 1 => {
                self.json.replace_range(at..at.saturating_add(1), " ")
            }
            Open::Tuple(_) => self.json.push(']'),
        }
        if frame.variant {
            self.json.push('}');
        }
    }

    /// After a value: closes finished containers, or moves to the next value. True at the end of
    /// the outermost one.
    fn ended(&mut self) -> Result<bool> {
        loop {
            let Some(frame) = self.stack.last_mut() else {
                return Ok(true);
            };
            frame.items += 1;
            let close = frame.open.close();
            self.mark();
            let comma = self.tokens.eat(",");
            self.mark();
            if self.tokens.eat(close) {
                self.close();
                continue;
            }
            if !comma {
                return Err(self.unexpected(&format!("',' or '{close}'")));
            }
            self.json.push(',');
            self.key()?;
            return Ok(false);
        }
    }

    /// The key before a value, if one is required.
    fn key(&mut self) -> Result<()> {
        let Some(frame) = self.stack.last() else {
            return Ok(());
        };
        let open = frame.open;
        self.mark();
        let wanted = match open {
            Open::List | Open::Tuple(_) => return Ok(()),
            Open::Record => "the name of a field, or ')'",
            Open::Map => "a key, or '}'",
        };
        let token = self.tokens.peek().ok_or_else(|| self.unexpected(wanted))?;
        match (token.kind, name(token)) {
            (_, Some(name)) => self.quoted(name),
            (TokenKind::Text, _) if open == Open::Map => self.text(token)?,
            (TokenKind::Word, _) if open == Open::Map => {
                self.json.push('"');
                self.number(token)?;
                self.json.push('"');
            }
            _ => return Err(self.unexpected(wanted)),
        }
        self.tokens.next();
        if !self.tokens.eat(":") {
            return Err(self.unexpected("':'"));
        }
        self.json.push(':');
        Ok(())
    }

    /// A name: a constant, a variant, or a variant with a value.
    fn word(&mut self, token: Token<'t>) -> Result<bool> {
        let Some(name) = name(token) else {
            return Err(self.fault(
                token.at,
                format!("{:?} is neither a number nor a name", token.text),
            ));
        };
        self.tokens.next();
        match token.text {
            "true" | "false" => self.json.push_str(name),
            "None" => self.json.push_str("null"),
            "inf" | "NaN" | "inff32" | "NaNf32" | "inff64" | "NaNf64" => {
                return Err(self.not_finite(token.at));
            }
            _ if self.tokens.peek().is_none_or(|token| token.text != "(") => self.quoted(name),
            "Some" => return self.parenthesis(false),
            _ => {
                self.json.push('{');
                self.quoted(name);
                self.json.push(':');
                return self.parenthesis(true);
            }
        }
        Ok(false)
    }

    #[cold]
    fn not_finite(&self, at: usize) -> Error {
        self.fault(
            at,
            "the number does not fit 32 bits; write its bits as \"0x7f800000\"",
        )
    }

    /// A number, in the spelling of JSON.
    fn number(&mut self, token: Token<'t>) -> Result<()> {
        let word = token.text;
        let (sign, digits) = match word.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", word.strip_prefix('+').unwrap_or(word)),
        };
        let no_number = || self.fault(token.at, format!("{word:?} is not a number"));
        if matches!(
            digits.trim_end_matches("f32").trim_end_matches("f64"),
            "inf" | "NaN"
        ) {
            return Err(self.not_finite(token.at));
        }
        let radix = [("0x", 16), ("0o", 8), ("0b", 2)].into_iter();
        let number = match radix
            .filter_map(|(mark, radix)| Some((digits.strip_prefix(mark)?, radix)))
            .next()
        {
            Some((digits, radix)) => {
                let digits = digits.replace('_', "");
                let value = u128::from_str_radix(&digits, radix)
                    .ok()
                    .filter(|_| !digits.starts_with('+'));
                value.ok_or_else(no_number)?.to_string()
            }
            None => {
                const TYPES: [&str; 12] = [
                    "i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128", "f32",
                    "f64",
                ];
                let digits = TYPES
                    .iter()
                    .find_map(|name| digits.strip_suffix(name))
                    .unwrap_or(digits)
                    .replace('_', "");
                decimal(&digits).ok_or_else(no_number)?
            }
        };
        self.json.push_str(sign);
        self.json.push_str(&number);
        Ok(())
    }

    fn text(&mut self, token: Token<'t>) -> Result<()> {
        let text = token.value(Style::Ron).map_err(|place| {
            let word = self.ron.get(place.clone()).unwrap_or("\\");
            self.fault(place.start, format!("{word} is not an escape"))
        })?;
        self.quoted(&text);
        Ok(())
    }

    fn quoted(&mut self, text: &str) {
        self.json.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => self.json.extend(['\\', c]),
                // Writing into a string cannot fail.
                '\0'..='\x1f' => _ = write!(self.json, "\\u{:04x}", u32::from(c)),
                _ => self.json.push(c),
            }
        }
        self.json.push('"');
    }
}

/// The name in a word: letters, digits and underscores; also `.`, `+` and `-` after `r#`.
fn name(token: Token<'_>) -> Option<&str> {
    let name = token
        .text
        .strip_prefix("r#")
        .filter(|_| token.kind == TokenKind::Word);
    let plain =
        |text: &str| !text.contains(['.', '+', '-']) && !text.starts_with(|c: char| c.is_numeric());
    name.or(Some(token.text).filter(|text| token.kind == TokenKind::Word && plain(text)))
}

/// Digits in JSON's form: at least one before and after a point, no leading zero.
fn decimal(digits: &str) -> Option<String> {
    let (mantissa, exponent) = digits
        .split_once(['e', 'E'])
        .map_or((digits, None), |(mantissa, exponent)| {
            (mantissa, Some(exponent))
        });
    let (whole, part) = mantissa
        .split_once('.')
        .map_or((mantissa, None), |(whole, part)| (whole, Some(part)));
    let all = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let exponent_is_right = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['+', '-']).unwrap_or(e);
        !e.is_empty() && all(e)
    });
    if !all(whole)
        || !part.is_none_or(all)
        || !exponent_is_right
        || (whole.is_empty() && part.is_none_or(str::is_empty))
    {
        return None;
    }
    let trimmed = whole.trim_start_matches('0');
    let mut out = if trimmed.is_empty() { "0" } else { trimmed }.to_owned();
    if let Some(part) = part {
        out.push('.');
        out.push_str(if part.is_empty() { "0" } else { part });
    }
    if let Some(exponent) = exponent {
        out.push('e');
        out.push_str(exponent);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::cases;

    fn json(ron: &str) -> String {
        to_json(ron)
            .unwrap_or_else(|e| panic!("{ron}: {e}"))
            .replace(' ', "")
    }

    #[test]
    fn each_ron_spelling_has_its_json() {
        for (ron, expected) in cases::<(String, String)>(include_str!("tests/ron-spellings.json")) {
            assert_eq!(json(&ron), expected.replace(' ', ""), "{ron}");
            assert!(
                serde_json::from_str::<serde_json::Value>(&to_json(&ron).unwrap()).is_ok(),
                "{ron}"
            );
        }
    }

    #[test]
    fn invalid_ron_is_refused_at_its_place() {
        for (ron, line, column, said) in
            cases::<(String, usize, usize, String)>(include_str!("tests/ron-refused.json"))
        {
            let e = to_json(&ron).map(|_| ()).expect_err(&ron);
            assert_eq!(e.place(), Some((line, column)), "{ron}: {e}");
            assert!(e.to_string().contains(&said), "{ron}: {e}");
        }
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(to_json(&deep(DEPTH)).is_ok());
        assert!(
            to_json(&deep(DEPTH + 1))
                .unwrap_err()
                .to_string()
                .contains("nested too deep")
        );
        assert!(
            to_json(&"(".repeat(300_000))
                .unwrap_err()
                .to_string()
                .contains("nested too deep")
        );
    }

    /// Truncated and changed texts are refused or become JSON.
    #[test]
    fn the_output_is_json() {
        let text = "(a: Some(1), b: [Move(by: -0.5), Stop, (1, 2)], c: {\"k\\u{e4}\": 'x'}, d: r#\"q\"#, /* e */ f: ())";
        let is_json = |text: &str| {
            if let Ok(json) = to_json(text) {
                assert!(
                    serde_json::from_str::<serde::de::IgnoredAny>(&json).is_ok(),
                    "{text}\n{json}"
                );
            }
        };
        for at in 0..text.len() {
            is_json(&text[..at]);
            for piece in [
                "(", ")", "[", "]", "{", "}", ",", ":", "\"", "'", "\\", "#", "0", "-", "r", "b",
                "x", "/*", "*/", "//", " ",
            ] {
                is_json(&format!("{}{piece}{}", &text[..at], &text[at..]));
                is_json(&format!("{}{piece}{}", &text[..at], &text[at + 1..]));
            }
        }
    }

    #[test]
    fn positions_in_the_json_map_to_the_ron() {
        let ron = "(first: 1,\n second: Move((by: \"x\")), third: (1, 2))";
        let json = to_json(ron).unwrap();
        for piece in ["1,", "\"x\"", "\"second\"", "{\"Move\""] {
            let at = place(ron, json.find(piece).unwrap());
            let stem = piece.trim_matches(['"', '{', ',']);
            assert!(
                ron[at..].trim_start_matches('"').starts_with(stem),
                "{piece}: {}",
                &ron[at..]
            );
        }
    }
}
