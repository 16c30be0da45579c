//! Converts RON to the equivalent JSON.
//!
//! Models are read from JSON only: a second set of readers would add a third to the program's size and build time. RON
//! text shows without a model what is a record, a list, a variant or a plain value: `(a: 1)` is `{"a":1}`, `(1, 2)` and
//! `[1, 2]` are `[1,2]`, `Move(by: 1)` is `{"Move":{"by":1}}`, `Stop` is `"Stop"`, `Some(1)` and `(1)` are `1`. RON's
//! byte strings have no JSON equivalent, and no document uses them.

use crate::wire::{Error, Result};

/// Maximum nesting depth of a document in RON, counting records, lists and variants. No model comes near it. Values of
/// reader files, which may be arbitrarily deep, have a parser of their own.
pub(super) const DEPTH: usize = 250;

/// Converts a RON text to JSON on one line.
pub(super) fn to_json(ron: &str) -> Result<String> {
    let mut turn = Turn::new(ron, usize::MAX);
    turn.document()?;
    Ok(turn.json)
}

/// The offset in a RON text for offset `in_json` in the JSON that [`to_json`] made of it. Errors in the JSON are
/// reported at this place.
pub(super) fn place(ron: &str, in_json: usize) -> usize {
    let mut turn = Turn::new(ron, in_json);
    // The same text was converted without an error before.
    let _ = turn.document();
    turn.found
}

/// The kinds of open brackets.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    /// `[`
    List,
    /// `{`
    Map,
    /// `(` before a field.
    Record,
    /// `(` before a value, with the offset of its `[` in the JSON: a single value is written without brackets.
    Tuple(usize),
}

impl Open {
    /// The bracket that closes it.
    fn close(self) -> char {
        match self {
            Open::List => ']',
            Open::Map => '}',
            Open::Record | Open::Tuple(_) => ')',
        }
    }
}

/// An open bracket.
struct OpenBracket {
    open: Open,
    /// It contains the content of a variant: the JSON brace around the variant closes with it.
    variant: bool,
    /// Number of values so far.
    items: usize,
}

struct Turn<'t> {
    ron: &'t str,
    at: usize,
    json: String,
    stack: Vec<OpenBracket>,
    /// The JSON offset to look up, and the RON offset of the last piece at or before it.
    wanted: usize,
    found: usize,
}

impl<'t> Turn<'t> {
    fn new(ron: &'t str, wanted: usize) -> Self {
        Turn { ron, at: 0, json: String::with_capacity(ron.len()), stack: Vec::new(), wanted, found: 0 }
    }

    #[cold]
    fn fault(&self, at: usize, message: impl Into<String>) -> Error {
        super::explain::at(self.ron, at, message)
    }

    #[cold]
    fn unexpected(&self, wanted: &str) -> Error {
        match self.rest().chars().next() {
            Some(c) => self.fault(self.at, format!("expected {wanted}, found {c:?}")),
            None => self.fault(self.at, format!("expected {wanted}, found the end of the text")),
        }
    }

    fn rest(&self) -> &'t str {
        self.ron.get(self.at..).unwrap_or_default()
    }

    /// Records that the JSON from here on comes from the RON at the cursor.
    fn mark(&mut self) {
        if self.json.len() <= self.wanted {
            self.found = self.at;
        }
    }

    /// Skips blanks and comments.
    fn blank(&mut self) -> Result<()> {
        loop {
            let rest = self.rest().trim_start();
            self.at = self.ron.len() - rest.len();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.comment()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Skips a comment, which may contain others.
    fn comment(&mut self) -> Result<()> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            let rest = self.rest();
            let Some(next) = rest.find(['*', '/']) else { return Err(self.fault(start, "the comment that begins here has no end")) };
            let rest = rest.get(next..).unwrap_or_default();
            self.at += next;
            if rest.starts_with("/*") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with("*/") {
                depth = depth.saturating_sub(1);
                self.at += 2;
            } else {
                self.at += 1;
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Consumes `token` if it comes next.
    fn eat(&mut self, token: char) -> Result<bool> {
        self.blank()?;
        let found = self.rest().starts_with(token);
        self.at += if found { token.len_utf8() } else { 0 };
        Ok(found)
    }

    fn document(&mut self) -> Result<()> {
        self.blank()?;
        while self.rest().starts_with("#![") {
            // Ignore the extensions that a text enables: refit accepts their syntax anyway.
            let end = self.rest().find(']').ok_or_else(|| self.fault(self.at, "the attribute that begins here has no end"))?;
            self.at += end + 1;
            self.blank()?;
        }
        loop {
            self.blank()?;
            self.mark();
            let opened = self.value()?;
            if !opened && self.ended()? {
                break;
            }
        }
        self.blank()?;
        if self.rest().is_empty() { Ok(()) } else { Err(self.unexpected("the end of the text")) }
    }

    /// Reads a value or the start of one. True if the cursor is now inside a bracket.
    fn value(&mut self) -> Result<bool> {
        let rest = self.rest();
        match rest.bytes().next() {
            Some(b'[') => self.open(Open::List, false),
            Some(b'{') => self.open(Open::Map, false),
            Some(b'(') => self.parenthesis(false),
            Some(b'"') => self.string().map(|()| false),
            Some(b'\'') => self.character().map(|()| false),
            Some(b'0'..=b'9' | b'+' | b'-' | b'.') => self.number().map(|()| false),
            Some(b'r') if rest.starts_with("r\"") || rest.starts_with("r#\"") || rest.starts_with("r##") => self.raw().map(|()| false),
            Some(b'b') if rest.starts_with("b\"") || rest.starts_with("b'") || rest.starts_with("br\"") || rest.starts_with("br#") => {
                Err(self.fault(self.at, "a document has no byte strings").hint("bytes are written as text in hexadecimal: \"00ff\""))
            }
            _ => self.word(),
        }
    }

    /// Opens the bracket at the cursor.
    fn open(&mut self, open: Open, variant: bool) -> Result<bool> {
        if self.stack.len() >= DEPTH {
            return Err(self.fault(self.at, format!("nested too deep: a document has less than {DEPTH} levels")));
        }
        self.at += 1;
        self.json.push(match open {
            Open::List | Open::Tuple(_) => '[',
            Open::Map | Open::Record => '{',
        });
        self.stack.push(OpenBracket { open, variant, items: 0 });
        if self.eat(open.close())? {
            self.close();
            return Ok(false);
        }
        self.key()?;
        Ok(true)
    }

    /// Reads the start of a record, a tuple, or a value in parentheses.
    fn parenthesis(&mut self, variant: bool) -> Result<bool> {
        let start = self.at;
        self.at += 1;
        self.blank()?;
        let field = self.rest().starts_with(')') || {
            self.identifier().is_some() && {
                self.blank()?;
                self.rest().starts_with(':')
            }
        };
        self.at = start;
        self.open(if field { Open::Record } else { Open::Tuple(self.json.len()) }, variant)
    }

    /// Closes the innermost bracket, whose closing bracket was just read.
    fn close(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        match frame.open {
            Open::List => self.json.push(']'),
            Open::Map | Open::Record => self.json.push('}'),
            // A bracket around a single value, `(5)`, is just grouping: JSON has the value alone. A blank keeps the
            // offsets equal.
            Open::Tuple(at) if frame.items == 1 => self.json.replace_range(at..at.saturating_add(1), " "),
            Open::Tuple(_) => self.json.push(']'),
        }
        if frame.variant {
            self.json.push('}');
        }
    }

    /// After a value: closes what ends here, or moves to the next value. True at the end of the document.
    fn ended(&mut self) -> Result<bool> {
        loop {
            let Some(frame) = self.stack.last_mut() else { return Ok(true) };
            frame.items += 1;
            let open = frame.open;
            self.blank()?;
            self.mark();
            let comma = self.eat(',')?;
            self.blank()?;
            self.mark();
            if self.eat(open.close())? {
                self.close();
                continue;
            }
            if !comma {
                return Err(self.unexpected(&format!("',' or '{}'", open.close())));
            }
            self.json.push(',');
            self.key()?;
            return Ok(false);
        }
    }

    /// Reads the key before a value, if one is required.
    fn key(&mut self) -> Result<()> {
        let Some(frame) = self.stack.last() else { return Ok(()) };
        let open = frame.open;
        self.blank()?;
        self.mark();
        match open {
            Open::List | Open::Tuple(_) => return Ok(()),
            Open::Record => {
                let name = self.identifier().ok_or_else(|| self.unexpected("the name of a field, or ')'"))?;
                self.quoted(name);
            }
            Open::Map => match self.rest().bytes().next() {
                Some(b'"') => self.string()?,
                Some(b'0'..=b'9' | b'+' | b'-') => {
                    self.json.push('"');
                    self.number()?;
                    self.json.push('"');
                }
                _ => {
                    let name = self.identifier().ok_or_else(|| self.unexpected("a key, or '}'"))?;
                    self.quoted(name);
                }
            },
        }
        if !self.eat(':')? {
            return Err(self.unexpected("':'"));
        }
        self.json.push(':');
        Ok(())
    }

    /// Reads a name: letters, digits and underscores; after `r#` also `.`, `+` and `-`.
    fn identifier(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let raw = rest.strip_prefix("r#");
        let (name, marks): (&str, &[char]) = match raw {
            Some(name) => (name, &['_', '.', '+', '-']),
            None => (rest, &['_']),
        };
        let end = name.find(|c: char| !c.is_alphanumeric() && !marks.contains(&c)).unwrap_or(name.len());
        let name = name.get(..end).filter(|name| raw.is_some() || !name.starts_with(|c: char| c.is_numeric()))?;
        if name.is_empty() {
            return None;
        }
        self.at += (rest.len() - raw.unwrap_or(rest).len()) + end;
        Some(name)
    }

    /// Reads a name: a constant, a variant, or a variant with content.
    fn word(&mut self) -> Result<bool> {
        let start = self.at;
        let Some(name) = self.identifier() else { return Err(self.unexpected("a value")) };
        let plain = !self.ron.get(start..).unwrap_or_default().starts_with("r#");
        match name {
            "true" | "false" if plain => self.json.push_str(name),
            "None" if plain => self.json.push_str("null"),
            "inf" | "NaN" | "inff32" | "NaNf32" | "inff64" | "NaNf64" if plain => return Err(self.not_finite(start)),
            _ => {
                self.blank()?;
                if !self.rest().starts_with('(') {
                    self.quoted(name);
                } else if plain && name == "Some" {
                    return self.parenthesis(false);
                } else {
                    self.json.push('{');
                    self.quoted(name);
                    self.json.push(':');
                    return self.parenthesis(true);
                }
            }
        }
        Ok(false)
    }

    #[cold]
    fn not_finite(&self, at: usize) -> Error {
        self.fault(at, "the number does not fit 32 bits; write its bits as \"0x7f800000\"")
    }

    fn quoted(&mut self, name: &str) {
        self.json.push('"');
        self.json.push_str(name);
        self.json.push('"');
    }

    /// Reads a number and writes it as JSON.
    fn number(&mut self) -> Result<()> {
        let start = self.at;
        let rest = self.rest();
        let end = rest.char_indices().find(|(i, c)| {
            let exponent = rest.get(..*i).is_some_and(|before| before.ends_with(['e', 'E']) && !before.contains(['x', 'X']));
            !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || matches!(c, '+' | '-') && (*i == 0 || exponent))
        });
        let word = rest.get(..end.map_or(rest.len(), |(end, _)| end)).unwrap_or_default();
        let (sign, digits) = match word.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", word.strip_prefix('+').unwrap_or(word)),
        };
        let no_number = || self.fault(start, format!("{word:?} is not a number"));
        if matches!(digits.trim_end_matches("f32").trim_end_matches("f64"), "inf" | "NaN") {
            return Err(self.not_finite(start));
        }
        let radix = [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find_map(|(mark, radix)| Some((digits.strip_prefix(mark)?, radix)));
        let number = match radix {
            Some((digits, radix)) => {
                let digits = digits.replace('_', "");
                let value = u128::from_str_radix(&digits, radix).ok().filter(|_| !digits.starts_with('+')).ok_or_else(no_number)?;
                value.to_string()
            }
            None => {
                const TYPES: [&str; 12] = ["i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128", "f32", "f64"];
                let digits = TYPES.iter().find_map(|name| digits.strip_suffix(name)).unwrap_or(digits).replace('_', "");
                decimal(&digits).ok_or_else(no_number)?
            }
        };
        self.at += word.len();
        self.json.push_str(sign);
        self.json.push_str(&number);
        Ok(())
    }

    /// Writes a character of a text.
    fn character_of_json(&mut self, c: char) {
        match c {
            '"' => self.json.push_str("\\\""),
            '\\' => self.json.push_str("\\\\"),
            '\0'..='\x1f' => self.json.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => self.json.push(c),
        }
    }

    fn string(&mut self) -> Result<()> {
        let start = self.at;
        self.at += 1;
        self.json.push('"');
        loop {
            let rest = self.rest();
            let plain = rest.find(|c: char| matches!(c, '"' | '\\') || c < ' ').unwrap_or(rest.len());
            self.json.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            let c = match self.rest().chars().next() {
                None => return Err(self.fault(start, "the text that begins here has no end")),
                Some('"') => break,
                Some('\\') => self.escape()?,
                Some(c) => {
                    self.at += 1;
                    c
                }
            };
            self.character_of_json(c);
        }
        self.at += 1;
        self.json.push('"');
        Ok(())
    }

    /// Reads an escape sequence. The cursor is at the backslash.
    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        self.at += 1;
        let rest = self.rest();
        let letter = rest.chars().next();
        self.at += letter.map_or(0, char::len_utf8);
        let digits = match letter {
            Some(c @ ('"' | '\\' | '\'' | '/')) => return Ok(c),
            Some('n') => return Ok('\n'),
            Some('r') => return Ok('\r'),
            Some('t') => return Ok('\t'),
            Some('0') => return Ok('\0'),
            Some('x') => {
                self.at += 2;
                rest.get(1..3)
            }
            Some('u') => {
                let inside = rest.strip_prefix("u{").and_then(|rest| rest.split('}').next()).filter(|digits| digits.len() <= 6);
                self.at += inside.map_or(0, |digits| digits.len() + 2);
                inside
            }
            _ => None,
        };
        let code =
            digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit())).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let word = self.ron.get(start..self.at).unwrap_or("\\");
        code.and_then(char::from_u32).ok_or_else(|| self.fault(start, format!("{word} is not an escape")))
    }

    /// `r"…"`, `r#"…"#`, and so on.
    fn raw(&mut self) -> Result<()> {
        let start = self.at;
        let rest = self.rest().strip_prefix('r').unwrap_or_default();
        let marks = rest.len() - rest.trim_start_matches('#').len();
        let end = format!("\"{}", "#".repeat(marks));
        let inside = rest.get(marks..).and_then(|rest| rest.strip_prefix('"')).and_then(|rest| rest.split_once(&end));
        let Some((text, _)) = inside else { return Err(self.fault(start, "the text that begins here has no end")) };
        self.json.push('"');
        text.chars().for_each(|c| self.character_of_json(c));
        self.json.push('"');
        self.at += "r\"".len() + marks + text.len() + end.len();
        Ok(())
    }

    /// `'x'`: a text of one character.
    fn character(&mut self) -> Result<()> {
        let start = self.at;
        self.at += 1;
        let c = match self.rest().chars().next() {
            Some('\\') => self.escape()?,
            Some(c) if c != '\'' => {
                self.at += c.len_utf8();
                c
            }
            _ => return Err(self.fault(start, "a character stands between two quotes: 'x'")),
        };
        if !self.rest().starts_with('\'') {
            return Err(self.fault(start, "a character stands between two quotes: 'x'").hint("a text stands in double quotes: \"…\""));
        }
        self.at += 1;
        self.json.push('"');
        self.character_of_json(c);
        self.json.push('"');
        Ok(())
    }
}

/// A number in JSON's form: a digit on each side of the point, and no leading zero. `None` if it is invalid.
fn decimal(digits: &str) -> Option<String> {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).map_or((digits, None), |(mantissa, exponent)| (mantissa, Some(exponent)));
    let (whole, part) = mantissa.split_once('.').map_or((mantissa, None), |(whole, part)| (whole, Some(part)));
    let all = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let exponent_is_right = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['+', '-']).unwrap_or(e);
        !e.is_empty() && all(e)
    });
    if !all(whole) || !part.is_none_or(all) || !exponent_is_right || (whole.is_empty() && part.is_none_or(str::is_empty)) {
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

    fn json(ron: &str) -> String {
        to_json(ron).unwrap_or_else(|e| panic!("{ron}: {e}")).replace(' ', "")
    }

    #[test]
    fn each_spelling_has_its_json() {
        for (ron, expected) in [
            ("()", "{}"),
            ("(a: 1, b: [2, 3,],)", r#"{"a":1,"b":[2,3]}"#),
            ("[]", "[]"),
            ("(1, 2.5)", "[1,2.5]"),
            ("((1, 2), (3, 4),)", "[[1,2],[3,4]]"),
            ("(7)", "7"),
            ("Some((7))", "7"),
            ("Some(None)", "null"),
            ("Stop", r#""Stop""#),
            ("Move(by: 1)", r#"{"Move":{"by":1}}"#),
            ("Move ( (by: 1) )", r#"{"Move":{"by":1}}"#),
            ("Call(\"x\")", r#"{"Call":"x"}"#),
            ("Pair(1, [2])", r#"{"Pair":[1,[2]]}"#),
            ("End()", r#"{"End":{}}"#),
            ("[Stop, Call(\"x\"), Stop]", r#"["Stop",{"Call":"x"},"Stop"]"#),
            ("{\"a\": 1, 12: 2, key: 3}", r#"{"a":1,"12":2,"key":3}"#),
            ("r#gamez-tracks", r#""gamez-tracks""#),
            ("(r#type: r#true)", r#"{"type":"true"}"#),
            ("[true, false, None]", "[true,false,null]"),
            ("[0x1F, -0b11, 0o17, 1_000, +5, 007, 3u8, 12i128]", "[31,-3,15,1000,5,7,3,12]"),
            ("[1., .5, -0.0, 1e3, 2.5E-3, 1_0.0_1, 3.5f32]", "[1.0,0.5,-0.0,1e3,2.5e-3,10.01,3.5]"),
            (r#"["\n\t\r\0\\\"\'\x41\u{e4}/"]"#, "[\"\\u000a\\u0009\\u000d\\u0000\\\\\\\"'A\u{e4}/\"]"),
            ("['x', '\\'', '\"']", r#"["x","'","\""]"#),
            ("[r\"a\\b\", r#\"say \"x\"\"#, r##\"\"#\"##]", r##"["a\\b","say\"x\"","\"#"]"##),
            ("\"two\nlines\"", r#""two\u000alines""#),
            ("// x\n(/* b /* in */ */ a /**/ : 1 // c\n, )/**/", r#"{"a":1}"#),
            ("#![enable(implicit_some)]\n#![enable(unwrap_newtypes)] (a: 1)", r#"{"a":1}"#),
        ] {
            assert_eq!(json(ron), expected.replace(' ', ""), "{ron}");
            assert!(serde_json::from_str::<serde_json::Value>(&to_json(ron).unwrap()).is_ok(), "{ron}");
        }
    }

    #[test]
    fn what_is_not_ron_is_refused_where_it_stands() {
        for (ron, line, column, said) in [
            ("", 1, 1, "found the end of the text"),
            ("(a: 1", 1, 6, "expected ',' or ')', found the end"),
            ("(a: 1 b: 2)", 1, 7, "expected ',' or ')', found 'b'"),
            ("(a: 1,, b: 2)", 1, 7, "name of a field"),
            ("[,]", 1, 2, "expected a value, found ','"),
            ("[1]\n]", 2, 1, "expected the end of the text, found ']'"),
            ("(a 1)", 1, 4, "expected ',' or ')', found '1'"),
            ("(a: 1, b)", 1, 9, "expected ':'"),
            ("{a}", 1, 3, "expected ':'"),
            ("[1}", 1, 3, "expected ',' or ']', found '}'"),
            ("\n \"ab", 2, 2, "has no end"),
            ("\"\\q\"", 1, 2, "\\q is not an escape"),
            ("\"\\u{d800}\"", 1, 2, "not an escape"),
            ("\"\\u{110000000}\"", 1, 2, "not an escape"),
            ("'ab'", 1, 1, "double quotes"),
            ("[1.2.3]", 1, 2, "\"1.2.3\" is not a number"),
            ("[--1]", 1, 2, "is not a number"),
            ("0x", 1, 1, "is not a number"),
            ("0x+1", 1, 1, "is not a number"),
            ("[1e]", 1, 2, "is not a number"),
            ("[inf]", 1, 2, "write its bits"),
            ("[-inf]", 1, 2, "write its bits"),
            ("b\"x\"", 1, 1, "no byte strings"),
            ("/* /* */", 1, 1, "has no end"),
            ("@", 1, 1, "expected a value, found '@'"),
        ] {
            let e = to_json(ron).map(|_| ()).expect_err(ron);
            assert_eq!(e.place(), Some((line, column)), "{ron}: {e}");
            assert!(e.to_string().contains(said), "{ron}: {e}");
        }
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(to_json(&deep(DEPTH)).is_ok());
        assert!(to_json(&deep(DEPTH + 1)).unwrap_err().to_string().contains("nested too deep"));
        assert!(to_json(&"(".repeat(300_000)).unwrap_err().to_string().contains("nested too deep"));
    }

    /// A damaged text is either rejected or converted to valid JSON.
    #[test]
    fn what_comes_out_is_json() {
        let text = "(a: Some(1), b: [Move(by: -0.5), Stop, (1, 2)], c: {\"k\\u{e4}\": 'x'}, d: r#\"q\"#, /* e */ f: ())";
        let is_json = |text: &str| {
            if let Ok(json) = to_json(text) {
                assert!(serde_json::from_str::<serde::de::IgnoredAny>(&json).is_ok(), "{text}\n{json}");
            }
        };
        for at in 0..text.len() {
            is_json(&text[..at]);
            for piece in ["(", ")", "[", "]", "{", "}", ",", ":", "\"", "'", "\\", "#", "0", "-", "r", "b", "x", "/*", "*/", "//", " "] {
                is_json(&format!("{}{piece}{}", &text[..at], &text[at..]));
                is_json(&format!("{}{piece}{}", &text[..at], &text[at + 1..]));
            }
        }
    }

    #[test]
    fn a_place_in_the_json_is_one_in_the_text() {
        let ron = "(first: 1,\n second: Move((by: \"x\")), third: (1, 2))";
        let json = to_json(ron).unwrap();
        for piece in ["1,", "\"x\"", "\"second\"", "{\"Move\""] {
            let at = place(ron, json.find(piece).unwrap());
            let stem = piece.trim_matches(['"', '{', ',']);
            assert!(ron[at..].trim_start_matches('"').starts_with(stem), "{piece}: {}", &ron[at..]);
        }
    }
}
