//! Makes foreign text visible on one line: characters that would control a terminal or imitate
//! refit's own output are escaped.

use std::{borrow::Cow, fmt};

/// True for characters that control how text is displayed: control characters (such as line ends,
/// escape, delete and C1), line and paragraph separators, and characters that change the writing
/// direction.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// True for what is escaped. A tab moves nothing but what follows it on its line, and texts of
/// configs are full of them.
fn is_escaped(c: char) -> bool {
    steers(c) && c != '\t'
}

/// Escapes a text from a file, or a file's name, for display as part of a line: each character that
/// [`steers`] becomes an escape such as `\n` or `\u{202e}`, and in such a text each `\` becomes
/// `\\`. Tabs stay.
///
/// Call this for each piece of foreign text when a line is built. A finished line cannot be
/// cleaned, because its own line ends look like foreign ones.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_escaped) {
        Cow::Owned(escaped(text))
    } else {
        Cow::Borrowed(text)
    }
}

/// True if a text of several lines contains what [`visible`] escapes, line ends aside. Then all its
/// lines are printed as [`escaped`], so that different texts look different.
pub fn needs_escapes(text: &str) -> bool {
    text.contains(|c| is_escaped(c) && c != '\n')
}

/// A line with each character that [`steers`] as an escape, and each `\` as `\\`.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_escaped(c) || c == '\\' {
            out.extend(c.escape_default())
        } else {
            out.push(c)
        }
    }
    out
}

/// Displays a value like [`visible`] displays a text.
pub struct Visible<T>(pub T);

impl<T: fmt::Display> fmt::Display for Visible<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.0.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_made_visible() {
        assert_eq!(
            visible("a\n\u{1b}[8mb\u{7f}\u{9b}\u{202e}c"),
            r"a\n\u{1b}[8mb\u{7f}\u{9b}\u{202e}c"
        );
        assert_eq!(escaped(r"a\rb"), r"a\\rb");
        assert!(needs_escapes("a\rb\n") && !needs_escapes("a\\r\tb\n"));
        // A text with an escape looks like no other such text.
        assert_eq!(visible("\\n\n"), r"\\n\n");
        assert_eq!(visible("\tclass A\t{"), "\tclass A\t{");
        assert_eq!(
            visible("C:\\zbd\\größe 日本.zbd"),
            "C:\\zbd\\größe 日本.zbd"
        );
        for c in ('\0'..=char::MAX).filter(|c| c.is_control() && *c != '\t') {
            assert!(!visible(&c.to_string()).contains(c), "{c:?}");
        }
    }
}
