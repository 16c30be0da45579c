//! Makes foreign text visible on one line: characters that would control a terminal or imitate refit's own output are
//! escaped.

use std::{borrow::Cow, fmt};

/// True for characters that control how text is displayed: control characters (such as line ends, escape, delete and
/// C1), line and paragraph separators, and characters that change the writing direction.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Escapes a text from a file, or a file's name, for display as part of a line: each character that [`steers`] becomes
/// an escape such as `\n` or `\u{202e}`.
///
/// Call this for each piece of foreign text when a line is built. A finished line cannot be cleaned, because its own
/// line ends look like foreign ones.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(Visible(text).to_string())
}

/// Displays a value like [`visible`] displays a text.
pub struct Visible<T>(pub T);

impl<T: fmt::Display> fmt::Display for Visible<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Write::write_fmt(&mut Escaping(f), format_args!("{}", self.0))
    }
}

struct Escaping<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl fmt::Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(steers) {
            let (plain, tail) = rest.split_at(at);
            self.0.write_str(plain)?;
            let mut chars = tail.chars();
            if let Some(c) = chars.next() {
                write!(self.0, "{}", c.escape_default())?;
            }
            rest = chars.as_str();
        }
        self.0.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_made_visible() {
        assert_eq!(visible("a\n\u{1b}[8mb\u{7f}\u{9b}\u{202e}c"), r"a\n\u{1b}[8mb\u{7f}\u{9b}\u{202e}c");
        assert_eq!(visible("C:\\zbd\\größe 日本.zbd"), "C:\\zbd\\größe 日本.zbd");
        for c in ('\0'..=char::MAX).filter(|c| c.is_control()) {
            assert!(!visible(&c.to_string()).contains(c), "{c:?}");
        }
    }
}
