//! What `refit find` looks for.

use clap::ValueEnum;
use globset::{GlobBuilder, GlobMatcher};
use refit::{
    format::Format,
    naming::NameKind,
    wire::{Error, Result},
};
use regex::{Regex, RegexBuilder};

/// A search pattern.
pub struct Wanted {
    pub pattern: Regex,
    field: Option<GlobMatcher>,
    pub kind: Option<NameKind>,
    pub format: Option<Format>,
    /// Skips bytes in hexadecimal, because a short pattern matches any of them.
    pub skips_hex: bool,
}

/// True for bytes in hexadecimal (`0x8000f3a0`, `00000000 9a3f0012`), which no person wrote.
pub fn is_hex(value: &str) -> bool {
    let digits = |text: &str| text.len() >= 8 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    match value.strip_prefix("0x") {
        Some(word) => digits(word),
        None => {
            value.contains(|c: char| c.is_ascii_digit())
                && value.split(' ').all(digits)
                && value.contains([' ', 'a', 'b', 'c', 'd', 'e', 'f'])
        }
    }
}

impl Wanted {
    /// Parses the user's arguments: a pattern, which may be plain text and may match case, a field, and a kind.
    pub fn new(text: &str, (fixed, case): (bool, bool), field: Option<&str>, of: Option<&str>) -> Result<Self> {
        let pattern = if fixed { regex::escape(text) } else { text.to_owned() };
        let pattern = RegexBuilder::new(&pattern).case_insensitive(!case).build();
        let pattern = pattern.map_err(|e| Error::say(format!("{text:?} is not a regular expression: {e}")))?;
        let field = field.map(|glob| {
            // Brackets enclose a position, not a choice of letters.
            let glob = glob.replace('[', "\\[").replace(']', "\\]");
            let built =
                GlobBuilder::new(&glob).literal_separator(false).backslash_escape(true).case_insensitive(true).build();
            built
                .map(|glob| glob.compile_matcher())
                .map_err(|e| Error::say(format!("{glob:?} is not a pattern: {}", e.kind())))
        });
        let (mut kind, mut format) = (None, None);
        if let Some(word) = of {
            kind = NameKind::from_str(word, true).ok();
            format = Format::value_variants().iter().copied().find(|format| format.name().eq_ignore_ascii_case(word));
            if kind.is_none() && format.is_none() {
                let kinds: Vec<&str> = NameKind::value_variants().iter().map(|kind| kind.name()).collect();
                let hint = format!("kinds are {}; `refit --help` lists the formats", kinds.join(", "));
                return Err(Error::say(format!("{word:?} is neither a kind nor a format")).hint(hint));
            }
        }
        let skips_hex = !text.contains("0x");
        Ok(Wanted { pattern, field: field.transpose()?, kind, format, skips_hex })
    }

    /// True for a field that is looked in.
    pub fn is_field(&self, at: &str) -> bool {
        let Some(field) = &self.field else { return true };
        if field.is_match(at) {
            return true;
        }
        // `nodes[].name` for `nodes[3].name`.
        let mut shape = String::with_capacity(at.len());
        let mut inside = false;
        for c in at.chars() {
            inside &= c != ']';
            if !inside {
                shape.push(c);
            }
            inside |= c == '[';
        }
        field.is_match(shape)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn bytes_in_hexadecimal_are_known_from_words_and_numbers() {
        for value in ["0x8000f3a0", "00000000 9a3f0012", "9a3f0012cdcdcdcd"] {
            assert!(super::is_hex(value), "{value}");
        }
        for value in ["0.75", "19990504", "deadbeef", "0x66", "cafe 12345678", "wave01"] {
            assert!(!super::is_hex(value), "{value}");
        }
    }
}
