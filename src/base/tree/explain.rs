//! Rewords parser errors so that they help, and finds the place of a field in a document's text.
//!
//! Only error paths use this module: it reads the text again, and slowly.

use super::Style;
use crate::wire::{Error, Scanner, TokenKind, Within, did_you_mean};

/// Rewords the error of a JSON parser. `line` and `column` are the parser's; the column counts
/// bytes.
#[cold]
pub(super) fn json(text: &str, line: usize, column: usize, message: &str) -> Error {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let here = text.within(at..);
    let scan = scan(text, Style::Json, at);
    if message.starts_with("control character") {
        if let Some((open, false)) = scan.inside {
            return error_at(
                text,
                open,
                "the quote that opens here is not closed on its line",
            )
            .hint("a line end in a text is written \\n");
        }
        let c = here.chars().next().unwrap_or_default();
        return error_at(
            text,
            at,
            format!(
                "the character {} is not escaped in a text",
                c.escape_default()
            ),
        )
        .hint(format!("write \\u{:04x}", u32::from(c)));
    }
    if let Some((message, hint)) = scan.inside.is_none().then(|| not_json(here)).flatten() {
        return error_at(text, at, Words(message.to_owned(), hint.map(str::to_owned)));
    }
    if message == "trailing characters"
        && let Some(counted) = scan
            .open
            .last()
            .and_then(|open| too_many(text, Style::Json, open, at))
    {
        return error_at(text, at, counted);
    }
    if message.starts_with("EOF while parsing") {
        return match scan.open.last() {
            Some(open) => {
                let (line, _) = line_and_column(text, open.at);
                error_at(
                    text,
                    at,
                    format!(
                        "the text ends here, but the {:?} of line {line} is not closed",
                        open.bracket
                    ),
                )
                .hint("was the file cut off?")
            }
            None => error_at(text, at, "the text ends where a value is expected"),
        };
    }
    error_at(text, at, in_words(message))
}

/// The error and hint for a comment or a single quote where a JSON value should start.
pub fn not_json(here: &str) -> Option<(&'static str, Option<&'static str>)> {
    let comment = ["//", "/*", "#"]
        .iter()
        .any(|start| here.starts_with(start));
    let hint = "delete it; a record's `note` can contain any text";
    match here.starts_with('\'') {
        true => Some(("text is written in double quotes: \"…\"", None)),
        false => comment.then_some(("JSON has no comments", Some(hint))),
    }
}

/// An error at a byte of a text.
#[cold]
pub fn at(text: &str, at: usize, message: impl Into<String>) -> Error {
    error_at(text, at, message.into())
}

/// Rewords an error of the model about the value at a byte of a RON text.
#[cold]
pub(super) fn ron(text: &str, at: usize, message: &str) -> Error {
    let counted = || {
        too_many(
            text,
            Style::Ron,
            scan(text, Style::Ron, at).open.last()?,
            at,
        )
    };
    match counted().filter(|_| message == "trailing characters") {
        Some(counted) => error_at(text, at, counted),
        None => error_at(text, at, in_words(message)),
    }
}

/// A message and its hint.
struct Words(String, Option<String>);

impl From<&str> for Words {
    fn from(text: &str) -> Self {
        Words(text.to_owned(), None)
    }
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Words(text, None)
    }
}

/// An error at a byte of a text.
fn error_at(text: &str, at: usize, words: impl Into<Words>) -> Error {
    let (line, column) = line_and_column(text, at);
    error(line, column, words)
}

fn error(line: usize, column: usize, words: impl Into<Words>) -> Error {
    let Words(message, hint) = words.into();
    let error = Error::text(line, column, message);
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Line and column of a byte, both from 1. Columns count characters.
fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_finite)
}

fn unquoted(word: &str) -> String {
    format!("write {word}, without quotes")
}

/// Rewords a message of serde and adds a hint.
fn in_words(message: &str) -> Words {
    let quoted = ["string \"", "the string \""]
        .iter()
        .find_map(|before| message.split_once(before)?.1.split_once('"'));
    if let Some((word, _)) =
        quoted.filter(|(word, rest)| is_number(word) && !rest.contains("without quotes"))
    {
        return Words(message.to_owned(), Some(unquoted(word)));
    }
    if let Some((found, expected)) = message
        .strip_prefix("invalid length ")
        .and_then(|rest| rest.split_once(", expected "))
        && let Some(wanted) = expected.rsplit_once(' ').map(|(_, n)| n)
        && wanted.parse::<usize>().is_ok()
        && (expected.contains("array") || expected.contains("tuple"))
    {
        return format!(
            "{found} value{}, {wanted} expected",
            if found == "1" { "" } else { "s" }
        )
        .into();
    }
    let unknown = [
        "unknown variant `",
        "unknown field `",
        "unknown flag `",
        "field named `",
        "variant named `",
    ];
    let Some((wanted, rest)) = unknown
        .iter()
        .find_map(|before| message.split_once(before)?.1.split_once('`'))
    else {
        return message.into();
    };
    let Some((_, list)) = rest.split_once("expected") else {
        return message.into();
    };
    // serde puts names in backquotes: every second piece between them is a name.
    let known: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    let what = if message.to_lowercase().contains("field") {
        "field"
    } else if message.contains("flag") {
        "flag"
    } else {
        "value"
    };
    let Some(near) = did_you_mean(wanted, known.iter().copied()) else {
        return format!("there is no {what} {wanted:?}: expected{list}").into();
    };
    Words(
        format!("there is no {what} {wanted:?}: {near}"),
        Some(format!("known: {}", known.join(", "))),
    )
}

/// `4 numbers, 3 expected` for a list or tuple that continues at `at` although it should have
/// ended.
fn too_many(text: &str, style: Style, open: &Open, at: usize) -> Option<String> {
    let close = match open.bracket {
        '[' => ']',
        '(' => ')',
        _ => return None,
    };
    let before = text.get(..at)?.trim_end();
    let expected = open.commas + usize::from(!before.ends_with(','));
    // The parser stopped inside the list; scan to its closing bracket.
    let all = scan(text, style, text.len());
    let whole = all.closed.iter().find(|group| group.at == open.at)?;
    let body = text.get(open.at + 1..whole.end)?;
    let found = whole.commas + usize::from(!body.trim_end().ends_with(','));
    if found <= expected || !text.get(whole.end..)?.starts_with(close) {
        return None;
    }
    let numbers = body
        .split(',')
        .all(|item| is_number(item.trim()) || item.trim().is_empty());
    let what = if numbers { "number" } else { "value" };
    Some(format!(
        "{found} {what}{}, {expected} expected",
        if found == 1 { "" } else { "s" }
    ))
}

/// A bracket.
struct Open {
    at: usize,
    bracket: char,
    /// Number of its commas, without those in nested brackets.
    commas: usize,
    /// The offset of its closing bracket.
    end: usize,
}

/// The surroundings of a place in a text.
struct Scan {
    /// The open brackets around the place.
    open: Vec<Open>,
    /// The brackets closed before it.
    closed: Vec<Open>,
    /// If the place is inside a quoted text, the opening quote and whether the text is closed on
    /// its line.
    inside: Option<(usize, bool)>,
}

/// Scans a text up to a byte, even if it is damaged.
fn scan(text: &str, style: Style, upto: usize) -> Scan {
    let mut out = Scan {
        open: Vec::new(),
        closed: Vec::new(),
        inside: None,
    };
    for token in Scanner::new(text, style).take_while(|token| token.at < upto) {
        let closed = token.kind == TokenKind::Text;
        match token.kind {
            TokenKind::Open => {
                out.open.push(Open {
                    at: token.at,
                    bracket: token.text.chars().next().unwrap_or('['),
                    commas: 0,
                    end: 0,
                });
            }
            TokenKind::Close => out.closed.extend(out.open.pop().map(|group| Open {
                end: token.at,
                ..group
            })),
            TokenKind::Comma => out
                .open
                .last_mut()
                .into_iter()
                .for_each(|group| group.commas += 1),
            TokenKind::Text | TokenKind::Unclosed if !closed || token.end() > upto => {
                out.inside = Some((token.at, closed));
                break;
            }
            _ => {}
        }
    }
    out
}

/// Line and column, from 1, of the value at a field path, following the path as far as the text
/// does. If `quoted` is set, returns the text in that value that ends with it. `None` if not even
/// the first step is found and `quoted` is not unique. Skips steps that are not in the text, such
/// as the document's name.
pub(super) fn locate<'s>(
    text: &str,
    style: Style,
    steps: impl Iterator<Item = &'s str>,
    quoted: &str,
) -> Option<(usize, usize)> {
    let found = find(text, style, steps);
    let value = found.clone().unwrap_or(0..text.len());
    let needle = format!("{quoted}\"");
    let inside = text.get(value.clone()).unwrap_or_default();
    let mut hits = inside.match_indices(&needle).map(|(at, _)| at);
    let hit = if quoted.is_empty() { None } else { hits.next() };
    let at = match (hit, found) {
        (Some(hit), Some(_)) => value.start + inside.get(..hit)?.rfind('"').unwrap_or(hit),
        (Some(hit), None) if hits.next().is_none() => inside.get(..hit)?.rfind('"').unwrap_or(hit),
        (_, found) => found?.start,
    };
    Some(line_and_column(text, at))
}

/// The place of the value to which a field path leads: as deep as the text follows the path.
pub(super) fn find<'s>(
    text: &str,
    style: Style,
    steps: impl Iterator<Item = &'s str>,
) -> Option<std::ops::Range<usize>> {
    let mut found = None;
    let mut here = Scanner::new(text, style);
    for step in steps.flat_map(split) {
        let mut inner = here.clone();
        if enter(&mut inner, &step).is_some() {
            here = inner.clone();
            found = Some(inner);
        }
    }
    let mut value = found?;
    let first = value.peek()?;
    let mut end = first.end();
    while let Some(token) = value.next() {
        end = token.end();
        // The name of a variant comes before its bracket.
        let goes_on = match token.kind {
            TokenKind::Open => true,
            TokenKind::Word => value.peek().is_some_and(|next| next.text == "("),
            _ => false,
        };
        if token.depth <= first.depth && !goes_on {
            break;
        }
    }
    Some(first.at..end)
}

/// `frames[3].x` → `frames`, `[3]`, `x`. Drops what follows an index, such as a name.
fn split(step: &str) -> Vec<String> {
    let mut out = Vec::new();
    for part in step.split('.') {
        let (name, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        if !name.is_empty() {
            out.push(name.trim().to_owned());
        }
        while let Some((index, tail)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            out.push(format!("[{index}]"));
            rest = tail;
        }
    }
    out
}

/// Goes to a key or an index of the value that begins here.
fn enter(tokens: &mut Scanner<'_>, step: &str) -> Option<()> {
    let mut token = tokens.next()?;
    // The name of a variant before its bracket, as RON writes it: `Some(`, `Move(`.
    if token.kind == TokenKind::Word {
        if token.text == step && tokens.peek()?.kind == TokenKind::Open {
            return Some(());
        }
        token = tokens.next()?;
    }
    if token.kind != TokenKind::Open {
        return None;
    }
    match step
        .strip_prefix('[')
        .and_then(|step| step.strip_suffix(']'))
    {
        Some(index) => item(tokens, index.parse().ok()?, token.depth),
        None => key(tokens, step, token.depth, true),
    }
}

/// Goes to the nth value in a bracket of this depth, which was read.
fn item(tokens: &mut Scanner<'_>, n: usize, depth: usize) -> Option<()> {
    let mut commas = 0;
    loop {
        let token = tokens.peek().filter(|token| token.depth > depth)?;
        if commas == n {
            return Some(());
        }
        commas += usize::from(token.kind == TokenKind::Comma && token.depth == depth + 1);
        tokens.next();
    }
}

/// Goes to the value of a key in a bracket of this depth, which was read. `deeper`: or in the
/// bracket that is the only value of that one, as the content of a variant is.
fn key(tokens: &mut Scanner<'_>, key: &str, depth: usize, deeper: bool) -> Option<()> {
    let (mut last, mut keys, mut inner) = ("", 0, None);
    while let Some(token) = tokens.peek().filter(|token| token.depth > depth) {
        tokens.next();
        match token.kind {
            TokenKind::Open if token.depth == depth + 1 && inner.is_none() => {
                inner = Some(tokens.clone())
            }
            TokenKind::Colon if token.depth == depth + 1 => {
                keys += 1;
                if last == key {
                    return tokens.peek().map(|_| ());
                }
            }
            _ => last = token.text.trim_matches('"'),
        }
    }
    // Only one key, followed by a bracket.
    *tokens = inner.filter(|_| deeper && keys <= 1)?;
    self::key(tokens, key, depth + 1, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_in_both_styles() {
        let json = "{\n  \"name\": \"a: {\",\n  \"sequences\": [\n    { \"x\": 1 },\n    { \"events\": [{ \"MOVE\": { \
            \"by\": [1, 2], \"node\": \"no\" } }] }\n  ]\n}\n";
        let find = |steps: &[&str]| locate(json, Style::Json, steps.iter().copied(), "");
        assert_eq!(
            find(&["sequences", "[1]", "events[0]", "MOVE", "node"]),
            Some((5, 52))
        );
        // Steps that are not in this text, such as the document's name, are skipped.
        assert_eq!(
            find(&[
                "defs/a.json",
                "sequences",
                "[1] second",
                "events",
                "[0]",
                "node"
            ]),
            Some((5, 52))
        );
        assert_eq!(find(&["sequences[1].nothing"]), Some((5, 5)));
        assert_eq!(find(&["name"]), Some((2, 11)));
        assert_eq!(find(&["sequences", "[7]"]), Some((3, 16)));
        assert_eq!(find(&["nothing"]), None);
        let quoted =
            |steps: &[&str], quoted| locate(json, Style::Json, steps.iter().copied(), quoted);
        assert_eq!(quoted(&["sequences[1].events"], "no"), Some((5, 52)));
        assert_eq!(quoted(&[], "no"), Some((5, 52)));
        assert_eq!(quoted(&["sequences[0]"], "no"), Some((4, 5)));
        let ron = "(\n  name: \"a\", // nodes: 3\n  sequences: [\n    (x: 1),\n    (events: [Move(by: (1, 2), node: \
            \"no\")])])";
        let find = |steps: &[&str]| locate(ron, Style::Ron, steps.iter().copied(), "");
        assert_eq!(
            find(&["sequences", "[1]", "events[0]", "Move", "node"]),
            Some((5, 38))
        );
        assert_eq!(find(&["sequences[1].events[0].by[1]"]), Some((5, 28)));
    }

    #[test]
    fn damaged_texts_are_read_to_their_end() {
        for text in [
            "",
            "{",
            "\"",
            "[[[",
            "]]]",
            "{\"a\":",
            "{\"a\"",
            "(a:(b:(",
            "\u{feff}é\"é",
            "{\"a\":[1,2",
            "// x",
            "/* x",
        ] {
            for style in [Style::Json, Style::Ron] {
                for at in 0..=text.len() {
                    scan(text, style, at);
                }
                for step in ["a", "[0]", "[1]", "[x]"] {
                    locate(text, style, [step, step].into_iter(), "a");
                }
            }
            json(text, 1, 1, "trailing characters");
            json(text, 9, 900, "control character");
            ron(text, 3, "trailing characters");
        }
    }
}
