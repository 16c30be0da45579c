//! The words of a text reader file, cut as MechWarrior 3 cuts them.
//!
//! The rules are those of the executable of version 1.2, read in its machine code (disassembly published with the
//! `mechwarrior3-windows-fix` project, 0x5562a0 to 0x5578e8). Version 1.0, Pirate's Moon and Crimson Skies were not read; Recoil
//! has no reader of text at all. An older reference (the zlisp project) differs in four places, and the engine counts: a string
//! ends at its closing quote, an integer that is too large is clamped, floats have exponents, and a comment may stand inside a
//! token.
//!
//! The engine reads a file twice. First it counts parentheses ([`balance`]), and a file whose count is not even is treated as
//! missing. Then it reads the values ([`lex`]); the file itself is the outermost list, so that a file `( … )` is a list with one
//! list in it.

use std::borrow::Cow;

/// The most bytes of a token: the engine's buffer has 256.
pub const LONGEST_TOKEN: usize = 255;

/// What a token of the text is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token<'a> {
    /// `(`
    Open,
    /// `)`
    Close,
    /// A number or a string.
    Word(Word<'a>),
    /// A word that begins with `#`: a condition, or a word that the engine drops.
    Directive(Directive<'a>),
}

/// A number or a string, as the engine stores it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word<'a> {
    /// Its bytes without quotes and comments, up to the end of its first quoted part.
    pub text: Cow<'a, [u8]>,
    /// It has a quote, and therefore is a string whatever it looks like.
    pub quoted: bool,
}

/// A word that begins with `#`. It runs to the next white space, past parentheses and quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Directive<'a> {
    /// `#ifdef NAME`: what follows is read only where the name is defined. Who defines names is not known.
    Ifdef(&'a [u8]),
    /// `#else`
    Else,
    /// `#endif`
    Endif,
    /// Any other: the engine drops this one word.
    Other(&'a [u8]),
}

/// What the engine does with a token that its author will hardly have meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slip {
    /// A comment inside a token: the comment's line end goes with it, and the next line continues the token.
    Joined,
    /// So many bytes stand behind the closing quote of a token; they are dropped.
    BehindQuote(usize),
    /// The token touches the end of the file; it is dropped.
    AtEnd,
    /// A quote has no end.
    OpenQuote,
    /// The token has so many bytes, more than the buffer; with a quote in it nothing stops the engine.
    TooLong {
        /// How many.
        bytes: usize,
        /// With a quote.
        quoted: bool,
    },
    /// A byte above 0x7f outside of quotes: the engine asks a table with a negative index whether it is white space.
    HighByte(u8),
}

/// A text's tokens with the offsets where they begin, and what goes wrong in them.
#[derive(Default, Debug)]
pub struct Lexed<'a> {
    /// The tokens.
    pub tokens: Vec<(usize, Token<'a>)>,
    /// The slips, each at the byte that it is about.
    pub slips: Vec<(usize, Slip)>,
}

/// White space of the engine: C's `isspace` of ASCII, vertical tab and form feed among it.
pub fn is_space(b: u8) -> bool {
    matches!(b, b'\t'..=b'\r' | b' ')
}

fn ends_token(b: u8) -> bool {
    is_space(b) || matches!(b, b'(' | b')')
}

/// Where the next byte stands that is one of the wanted, or the end.
fn find(text: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> usize {
    text.get(from..).and_then(|rest| rest.iter().position(|b| wanted(*b))).map_or(text.len(), |n| from + n)
}

/// Behind the line end of a comment, which belongs to the comment. A CR alone does not end it here.
fn behind_comment(text: &[u8], at: usize) -> usize {
    (find(text, at, |b| b == b'\n') + 1).min(text.len())
}

/// Cuts a text into tokens. Both branches of conditions are read, for nobody knows which names are defined.
pub fn lex(text: &[u8]) -> Lexed<'_> {
    let mut out = Lexed::default();
    let mut at = 0;
    while let Some(next) = step(text, at, &mut out) {
        at = next;
    }
    out
}

/// The tokens of a text one by one, with their places: those of a large text need not stand in memory together.
pub fn tokens(text: &[u8]) -> impl Iterator<Item = (usize, Token<'_>)> {
    let mut out = Lexed::default();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            // A step finds one at most.
            if let Some(token) = out.tokens.pop() {
                return Some(token);
            }
            out.slips.clear();
            at = step(text, at, &mut out)?;
        }
    })
}

/// Reads on from a place: white space, a comment or a token; gives where that ends. `None` at the end of the text.
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
    let mut word = Word { text: Cow::Borrowed(plain), quoted: false };
    // What the engine puts into its buffer: everything but quotes and comments, and a zero for each closing quote.
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
                // The last of several comments in a row decides.
                if text.get(next).is_some_and(|b| !ends_token(*b) && *b != b';') {
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
    // The zero of the last closing quote stands where the terminator does.
    let bytes = if ended && lost.is_none() { word.text.len() } else { stored };
    if bytes > LONGEST_TOKEN {
        out.slips.push((start, Slip::TooLong { bytes, quoted: word.quoted }));
    }
    if let Some((at, n)) = lost {
        out.slips.push((at, Slip::BehindQuote(n)));
    }
    if let Some(at) = high {
        out.slips.push((at, Slip::HighByte(text.get(at).copied().unwrap_or_default())));
    }
    // Some programs end a text with one zero or 0x1A. That the engine drops it is as it should be.
    let mark = matches!(*word.text, [0 | 0x1a]);
    if open {
        out.slips.push((start, Slip::OpenQuote));
    } else if at == text.len() && !mark {
        out.slips.push((start, Slip::AtEnd));
    }
    out.tokens.push((start, Token::Word(word)));
    at
}

/// The engine's count before it reads anything: `(` less `)`, over the whole file, both branches of conditions included. A file
/// whose count is not 0 is treated as missing.
///
/// Quotes and comments are respected, with one difference to the reading: here a comment ends at a CR too.
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

/// Directives that the engine would meet in this part of a text when it skips it: it then looks at every `#`, also in quotes, in
/// comments and inside words.
pub fn skimmed(text: &[u8], from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
    let part = text.get(from..to).unwrap_or_default();
    part.iter().enumerate().filter(|(_, b)| **b == b'#').map(move |(n, _)| from + n).filter(|at| {
        let end = find(text, *at, is_space);
        matches!(text.get(*at..end), Some(b"#ifdef" | b"#else" | b"#endif"))
    })
}

/// What an unquoted word is to the engine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// An integer: all of the word is digits behind a sign. Out of range it is clamped, which the flag tells.
    Int(i32, bool),
    /// A float, and whether it has an exponent.
    Float(f32, bool),
    /// A string.
    Text,
}

impl Word<'_> {
    /// The value: C's `strtol` is tried first, then `strtod`, and each must take the whole word.
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
            // More digits than a number of 64 bits has are out of range too.
            let n = body.iter().fold(0i64, |n, b| n.saturating_mul(10).saturating_add(i64::from(b - b'0')));
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
        // What is left is ASCII, and Rust's spelling but for the letter d.
        let spelled: String = self.text.iter().map(|b| if matches!(b, b'd' | b'D') { 'e' } else { char::from(*b) }).collect();
        spelled.parse::<f64>().map_or(Value::Text, |f| Value::Float(f as f32, exponent))
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
                Token::Word(w) => format!("{}{}", if w.quoted { "'" } else { "" }, String::from_utf8_lossy(&w.text)),
                Token::Directive(d) => format!("{d:?}"),
            })
            .collect()
    }

    fn slips(text: &str) -> Vec<(usize, Slip)> {
        lex(text.as_bytes()).slips
    }

    #[test]
    fn tokens_end_where_the_engine_ends_them() {
        assert_eq!(words("A\tB\x0bC\x0cD\r\nE(F)"), ["A", "B", "C", "D", "E", "(", "F", ")"]);
        assert_eq!(words("abc;note\ndef ghi ; note ) (\n( x;y\n)"), ["abcdef", "ghi", "(", "x", ")"]);
        // A CR does not end a comment, and a comment between tokens joins nothing.
        assert_eq!(words("a ;one\rtwo\nb"), ["a", "b"]);
        assert_eq!(words("KE\"YS\" \"KE\"YS \"K\"\"EYS\" \"\" \"a b)\n\" "), ["'KEYS", "'KE", "'K", "'", "'a b)\n"]);
        assert_eq!(words("a;x\n\"b c\"d;y\n;z\n\"e\" "), ["'ab c"]);
        assert_eq!(
            words("#ifdef A\nx#y #other z #else\t#endif "),
            ["Ifdef([65])", "x#y", "Other([35, 111, 116, 104, 101, 114])", "z", "Else", "Endif"]
        );
    }

    #[test]
    fn what_the_engine_loses_is_found_where_it_is() {
        assert_eq!(slips("a;note\n b ;note\nc\n"), []);
        assert_eq!(slips("a;note\nb\n"), [(1, Slip::Joined)]);
        assert_eq!(slips("\"KE\"YS \"a\" "), [(4, Slip::BehindQuote(2))]);
        assert_eq!(slips("( a ) b"), [(6, Slip::AtEnd)]);
        assert_eq!(slips("( a )\x1a"), []);
        assert_eq!(slips("( a )\0"), []);
        assert_eq!(slips("( a ) b;note"), [(6, Slip::AtEnd)]);
        assert_eq!(slips("( \"a )"), [(2, Slip::OpenQuote)]);
        assert_eq!(slips("#ifdef A\n#endif"), [(9, Slip::AtEnd)]);
        assert_eq!(lex(b"a\xe4\xe5 \"\xe4\" ; \xe4\n").slips, [(1, Slip::HighByte(0xe4))]);
        for (n, found) in [(255, false), (256, true)] {
            let plain = format!("{} ", "x".repeat(n));
            assert_eq!(slips(&plain), if found { vec![(0, Slip::TooLong { bytes: n, quoted: false })] } else { vec![] });
            let quoted = format!("\"{}\" ", "x".repeat(n));
            assert_eq!(slips(&quoted), if found { vec![(0, Slip::TooLong { bytes: n, quoted: true })] } else { vec![] });
        }
    }

    #[test]
    fn parentheses_are_counted_as_before_the_reading() {
        for (text, sum) in [
            ("( a ) )(", 0),
            ("( \")\" ; ) \n", 1),
            ("( ; note \" \n \")\" )", 0),
            // The comment ends at the CR for the count, and not for the reading.
            ("( a ;note\r)", 0),
            ("#ifdef A\n(\n#else\n(\n#endif\n)", 1),
            ("( \" ) ) )", 1),
        ] {
            assert_eq!(balance(text.as_bytes()), sum, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_those_of_the_c_library() {
        let value = |text: &str| Word { text: Cow::Borrowed(text.as_bytes()), quoted: false }.value();
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
        for (text, f, exponent) in
            [(".5", 0.5, false), ("5.", 5.0, false), ("-0.0", -0.0, false), ("1e5", 1e5, true), ("2d3", 2e3, true), ("+1.5D-1", 0.15, true)]
        {
            assert_eq!(value(text), Value::Float(f, exponent), "{text}");
        }
        assert_eq!(value("1e39"), Value::Float(f32::INFINITY, true));
        for text in [".", "-", "+.", "", "0x9c", "1e", "1e+", ".e5", "1.2.3", "inf", "nan", "1_0", "1f"] {
            assert_eq!(value(text), Value::Text, "{text}");
        }
        assert_eq!(Word { text: Cow::Borrowed(b"12"), quoted: true }.value(), Value::Text);
    }
}
