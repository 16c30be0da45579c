//! Splits a text reader file into tokens as MechWarrior 3 does.
//!
//! The rules were read in the machine code of version 1.2 (disassembly published with the
//! `mechwarrior3-windows-fix` project, 0x5562a0 to 0x5578e8). Version 1.0, Pirate's Moon and
//! Crimson Skies were not examined; Recoil cannot read text at all. An older reference (the zlisp
//! project) differs in four points, in which refit follows the engine: a string ends at its closing
//! quote, an integer that is too large is clamped, floats have exponents, and a comment may be
//! inside a token.
//!
//! The engine reads a file twice. First it counts parentheses ([`balance`]), and treats an
//! unbalanced file as missing. Then it reads the values ([`lex`]); the file itself is the outermost
//! list, so a file `( … )` is a list that contains one list.

use std::borrow::Cow;

/// Maximum length of a token in bytes: the engine's buffer has 256.
pub const LONGEST_TOKEN: usize = 255;

/// A token of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token<'a> {
    /// `(`
    Open,
    /// `)`
    Close,
    /// A number or a string.
    Word(Word<'a>),
    /// A word that begins with `#`: a condition, or one that the engine drops.
    Directive(Directive<'a>),
}

/// A number or a string, as the engine stores it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word<'a> {
    /// Its bytes without quotes and comments, up to the end of its first quoted part.
    pub text: Cow<'a, [u8]>,
    /// True if it has a quote: then it is a string, whatever it looks like.
    pub quoted: bool,
}

/// A word that begins with `#`. It extends to the next white space, including parentheses and
/// quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Directive<'a> {
    /// `#ifdef NAME`: the following text is read only if the name is defined. It is unknown where
    /// names are defined.
    Ifdef(&'a [u8]),
    /// `#else`
    Else,
    /// `#endif`
    Endif,
    /// Any other: the engine drops this word.
    Other(&'a [u8]),
}

/// An effect in the engine that the author of a token hardly intended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slip {
    /// A comment inside a token: it includes its line end, so the next line continues the token.
    Joined,
    /// This many bytes follow the closing quote of a token, and are dropped.
    BehindQuote(usize),
    /// The token ends at the end of the file, and is dropped.
    AtEnd,
    /// The closing quote is missing.
    OpenQuote,
    /// The token is longer than the buffer; with a quote in it, the engine overruns the buffer.
    TooLong {
        /// Its length.
        bytes: usize,
        /// True if it has a quote.
        quoted: bool,
    },
    /// A byte above 0x7f outside of quotes: the engine looks it up in its white space table with a
    /// negative index.
    HighByte(u8),
}

/// The tokens of a text and the slips in them, with offsets.
#[derive(Default, Debug)]
pub struct Lexed<'a> {
    /// The tokens.
    pub tokens: Vec<(usize, Token<'a>)>,
    /// The slips, each at the byte that causes it.
    pub slips: Vec<(usize, Slip)>,
}

/// White space in the engine: `isspace` of C for ASCII, including vertical tab and form feed.
pub fn is_space(b: u8) -> bool {
    matches!(b, b'\t'..=b'\r' | b' ')
}

fn ends_token(b: u8) -> bool {
    is_space(b) || matches!(b, b'(' | b')')
}

/// The position of the next matching byte, or the end.
fn find(text: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> usize {
    text.get(from..)
        .and_then(|rest| rest.iter().position(|b| wanted(*b)))
        .map_or(text.len(), |n| from + n)
}

/// The position after a comment including its line end. A CR alone does not end it here.
fn behind_comment(text: &[u8], at: usize) -> usize {
    (find(text, at, |b| b == b'\n') + 1).min(text.len())
}

/// Splits a text into tokens. Both branches of conditions are included, because the defined names
/// are unknown.
pub fn lex(text: &[u8]) -> Lexed<'_> {
    let mut out = Lexed::default();
    let mut at = 0;
    while let Some(next) = step(text, at, &mut out) {
        at = next;
    }
    out
}

/// An iterator over the tokens of a text with their offsets, so that those of a large text need not
/// all be in memory.
pub fn tokens(text: &[u8]) -> impl Iterator<Item = (usize, Token<'_>)> {
    let mut out = Lexed::default();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            // A step finds at most one.
            if let Some(token) = out.tokens.pop() {
                return Some(token);
            }
            out.slips.clear();
            at = step(text, at, &mut out)?;
        }
    })
}

/// The slips of a text with their offsets.
pub fn slips(text: &[u8]) -> Vec<(usize, Slip)> {
    let mut out = Lexed::default();
    let mut at = 0;
    while let Some(next) = step(text, at, &mut out) {
        out.tokens.clear();
        at = next;
    }
    out.slips
}

/// Reads white space, a comment or a token, and returns its end. `None` at the end of the text.
fn step<'a>(text: &'a [u8], at: usize, out: &mut Lexed<'a>) -> Option<usize> {
    let b = *text.get(at)?;
    Some(match b {
        b if is_space(b) => at + 1,
        b'(' => {
            out.tokens.push((at, Token::Open));
            at + 1
        }
        b')' => {
            out.tokens.push((at, Token::Close));
            at + 1
        }
        b';' => behind_comment(text, at),
        b'#' => directive(text, at, out),
        _ => word(text, at, out),
    })
}

fn directive<'a>(text: &'a [u8], start: usize, out: &mut Lexed<'a>) -> usize {
    let mut end = find(text, start, is_space);
    let directive = match text.get(start..end).unwrap_or_default() {
        b"#ifdef" => {
            let from = find(text, end, |b| !is_space(b));
            end = find(text, from, is_space);
            Directive::Ifdef(text.get(from..end).unwrap_or_default())
        }
        b"#else" => Directive::Else,
        b"#endif" => Directive::Endif,
        other => Directive::Other(other),
    };
    if end == text.len() && !matches!(directive, Directive::Other(_)) {
        out.slips.push((start, Slip::AtEnd));
    }
    out.tokens.push((start, Token::Directive(directive)));
    end
}

fn word<'a>(text: &'a [u8], start: usize, out: &mut Lexed<'a>) -> usize {
    let mut at = find(text, start, |b| ends_token(b) || matches!(b, b'"' | b';'));
    let plain = text.get(start..at).unwrap_or_default();
    let mut word = Word {
        text: Cow::Borrowed(plain),
        quoted: false,
    };
    // The length in the engine's buffer: everything except quotes and comments, and a zero for each
    // closing quote.
    let mut stored = plain.len();
    let (mut open, mut ended, mut lost) = (false, false, None::<(usize, usize)>);
    let mut high = plain.iter().position(|b| *b >= 0x80).map(|n| start + n);
    while let Some(&b) = text.get(at) {
        match b {
            b'"' => {
                word.quoted = true;
                if open {
                    ended = true;
                    stored += 1;
                }
                open = !open;
            }
            _ if open => {}
            b';' => {
                let next = behind_comment(text, at);
                // The last of several adjacent comments decides.
                if text
                    .get(next)
                    .is_some_and(|b| !ends_token(*b) && *b != b';')
                {
                    out.slips.push((at, Slip::Joined));
                }
                at = next;
                continue;
            }
            b if ends_token(b) => break,
            0x80.. if high.is_none() => high = Some(at),
            _ => {}
        }
        if b != b'"' {
            stored += 1;
            if ended {
                let (from, n) = lost.unwrap_or((at, 0));
                lost = Some((from, n + 1));
            } else {
                word.text.to_mut().push(b);
            }
        }
        at += 1;
    }
    // The zero of the last closing quote is the terminator.
    let bytes = if ended && lost.is_none() {
        word.text.len()
    } else {
        stored
    };
    if bytes > LONGEST_TOKEN {
        out.slips.push((
            start,
            Slip::TooLong {
                bytes,
                quoted: word.quoted,
            },
        ));
    }
    if let Some((at, n)) = lost {
        out.slips.push((at, Slip::BehindQuote(n)));
    }
    if let Some(at) = high {
        out.slips.push((
            at,
            Slip::HighByte(text.get(at).copied().unwrap_or_default()),
        ));
    }
    // Some programs end a text with a zero or 0x1A. The engine drops it, which is fine.
    let mark = matches!(*word.text, [0 | 0x1a]);
    if open {
        out.slips.push((start, Slip::OpenQuote));
    } else if at == text.len() && !mark {
        out.slips.push((start, Slip::AtEnd));
    }
    out.tokens.push((start, Token::Word(word)));
    at
}

/// The engine's check before it reads anything: the number of `(` minus that of `)`, over the whole
/// file, both branches of conditions included. If it is not 0, the file is treated as missing.
///
/// Quotes and comments are respected, with one difference from reading: here a comment ends at a
/// CR, too.
pub fn balance(text: &[u8]) -> i64 {
    let (mut sum, mut at, mut open) = (0, 0, false);
    while let Some(&b) = text.get(at) {
        match b {
            b'"' => open = !open,
            _ if open => {}
            b';' => at = find(text, at, |b| matches!(b, b'\r' | b'\n')),
            b'(' => sum += 1,
            b')' => sum -= 1,
            _ => {}
        }
        at += 1;
    }
    sum
}

/// Directives that the engine would see when it skips this part of a text: it then tests every `#`,
/// even in quotes, in comments and inside words.
pub fn skimmed(text: &[u8], from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
    let part = text.get(from..to).unwrap_or_default();
    part.iter()
        .enumerate()
        .filter(|(_, b)| **b == b'#')
        .map(move |(n, _)| from + n)
        .filter(|at| {
            let end = find(text, *at, is_space);
            matches!(text.get(*at..end), Some(b"#ifdef" | b"#else" | b"#endif"))
        })
}

/// The value of an unquoted word in the engine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// An integer: the whole word is digits after an optional sign. The flag is true if it was out
    /// of range and clamped.
    Int(i32, bool),
    /// A float, and whether it has an exponent.
    Float(f32, bool),
    /// A string.
    Text,
}

impl Word<'_> {
    /// The value: C's `strtol` is tried first, then `strtod`, and each must consume the whole word.
    pub fn value(&self) -> Value {
        let digits = |b: &[u8]| b.iter().take_while(|b| b.is_ascii_digit()).count();
        let (sign, body) = match self.text.split_first() {
            Some((b @ (b'+' | b'-'), rest)) => (*b == b'-', rest),
            _ => (false, &*self.text),
        };
        if self.quoted || body.is_empty() {
            return Value::Text;
        }
        let whole = digits(body);
        if whole == body.len() {
            // Numbers that exceed 64 bits are out of range, too.
            let n = body.iter().fold(0i64, |n, b| {
                n.saturating_mul(10).saturating_add(i64::from(b - b'0'))
            });
            let n = if sign { -n } else { n };
            let clamped = n.clamp(i32::MIN.into(), i32::MAX.into());
            return Value::Int(clamped as i32, n != clamped);
        }
        let mut at = whole;
        let mut any = whole > 0;
        if body.get(at) == Some(&b'.') {
            let part = digits(body.get(at + 1..).unwrap_or_default());
            any |= part > 0;
            at += 1 + part;
        }
        let exponent = matches!(body.get(at), Some(b'e' | b'E' | b'd' | b'D'));
        if exponent {
            at += 1 + usize::from(matches!(body.get(at + 1), Some(b'+' | b'-')));
            let part = digits(body.get(at..).unwrap_or_default());
            any &= part > 0;
            at += part;
        }
        if !any || at != body.len() {
            return Value::Text;
        }
        // The rest is ASCII and valid in Rust, except for the letter d.
        let spelled: String = self
            .text
            .iter()
            .map(|b| {
                if matches!(b, b'd' | b'D') {
                    'e'
                } else {
                    char::from(*b)
                }
            })
            .collect();
        spelled
            .parse::<f64>()
            .map_or(Value::Text, |f| Value::Float(f as f32, exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        lex(text.as_bytes())
            .tokens
            .iter()
            .map(|(_, token)| match token {
                Token::Open => "(".into(),
                Token::Close => ")".into(),
                Token::Word(w) => format!(
                    "{}{}",
                    if w.quoted { "'" } else { "" },
                    String::from_utf8_lossy(&w.text)
                ),
                Token::Directive(d) => format!("{d:?}"),
            })
            .collect()
    }

    fn slips(text: &str) -> Vec<(usize, Slip)> {
        lex(text.as_bytes()).slips
    }

    #[test]
    fn tokens_end_where_the_engine_ends_them() {
        assert_eq!(
            words("A\tB\x0bC\x0cD\r\nE(F)"),
            ["A", "B", "C", "D", "E", "(", "F", ")"]
        );
        assert_eq!(
            words("abc;note\ndef ghi ; note ) (\n( x;y\n)"),
            ["abcdef", "ghi", "(", "x", ")"]
        );
        // A CR does not end a comment, and a comment between tokens joins nothing.
        assert_eq!(words("a ;one\rtwo\nb"), ["a", "b"]);
        assert_eq!(
            words("KE\"YS\" \"KE\"YS \"K\"\"EYS\" \"\" \"a b)\n\" "),
            ["'KEYS", "'KE", "'K", "'", "'a b)\n"]
        );
        assert_eq!(words("a;x\n\"b c\"d;y\n;z\n\"e\" "), ["'ab c"]);
        assert_eq!(
            words("#ifdef A\nx#y #other z #else\t#endif "),
            [
                "Ifdef([65])",
                "x#y",
                "Other([35, 111, 116, 104, 101, 114])",
                "z",
                "Else",
                "Endif"
            ]
        );
    }

    #[test]
    fn text_that_the_engine_loses_is_reported_at_its_place() {
        assert_eq!(slips("a;note\n b ;note\nc\n"), []);
        assert_eq!(slips("a;note\nb\n"), [(1, Slip::Joined)]);
        assert_eq!(slips("\"KE\"YS \"a\" "), [(4, Slip::BehindQuote(2))]);
        assert_eq!(slips("( a ) b"), [(6, Slip::AtEnd)]);
        assert_eq!(slips("( a )\x1a"), []);
        assert_eq!(slips("( a )\0"), []);
        assert_eq!(slips("( a ) b;note"), [(6, Slip::AtEnd)]);
        assert_eq!(slips("( \"a )"), [(2, Slip::OpenQuote)]);
        assert_eq!(slips("#ifdef A\n#endif"), [(9, Slip::AtEnd)]);
        assert_eq!(
            lex(b"a\xe4\xe5 \"\xe4\" ; \xe4\n").slips,
            [(1, Slip::HighByte(0xe4))]
        );
        for (n, found) in [(255, false), (256, true)] {
            let plain = format!("{} ", "x".repeat(n));
            assert_eq!(
                slips(&plain),
                if found {
                    vec![(
                        0,
                        Slip::TooLong {
                            bytes: n,
                            quoted: false,
                        },
                    )]
                } else {
                    vec![]
                }
            );
            let quoted = format!("\"{}\" ", "x".repeat(n));
            assert_eq!(
                slips(&quoted),
                if found {
                    vec![(
                        0,
                        Slip::TooLong {
                            bytes: n,
                            quoted: true,
                        },
                    )]
                } else {
                    vec![]
                }
            );
        }
    }

    #[test]
    fn parentheses_are_counted_as_before_the_reading() {
        for (text, sum) in [
            ("( a ) )(", 0),
            ("( \")\" ; ) \n", 1),
            ("( ; note \" \n \")\" )", 0),
            // The comment ends at the CR when counting, but not when reading.
            ("( a ;note\r)", 0),
            ("#ifdef A\n(\n#else\n(\n#endif\n)", 1),
            ("( \" ) ) )", 1),
        ] {
            assert_eq!(balance(text.as_bytes()), sum, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_those_of_the_c_library() {
        let value = |text: &str| {
            Word {
                text: Cow::Borrowed(text.as_bytes()),
                quoted: false,
            }
            .value()
        };
        for (text, n, clamped) in [
            ("007", 7, false),
            ("+1", 1, false),
            ("-0", 0, false),
            ("2147483647", i32::MAX, false),
            ("2147483648", i32::MAX, true),
            ("-2147483648", i32::MIN, false),
            ("-99999999999999999999", i32::MIN, true),
        ] {
            assert_eq!(value(text), Value::Int(n, clamped), "{text}");
        }
        for (text, f, exponent) in [
            (".5", 0.5, false),
            ("5.", 5.0, false),
            ("-0.0", -0.0, false),
            ("1e5", 1e5, true),
            ("2d3", 2e3, true),
            ("+1.5D-1", 0.15, true),
        ] {
            assert_eq!(value(text), Value::Float(f, exponent), "{text}");
        }
        assert_eq!(value("1e39"), Value::Float(f32::INFINITY, true));
        for text in [
            ".", "-", "+.", "", "0x9c", "1e", "1e+", ".e5", "1.2.3", "inf", "nan", "1_0", "1f",
        ] {
            assert_eq!(value(text), Value::Text, "{text}");
        }
        assert_eq!(
            Word {
                text: Cow::Borrowed(b"12"),
                quoted: true
            }
            .value(),
            Value::Text
        );
    }
}
