//! Searches the names, texts and values of files.

use super::{names, options::Options, progress::Progress, report::Row};
use clap::ValueEnum;
use globset::{GlobBuilder, GlobMatcher};
use refit_base::{
    format::Format,
    naming::NameKind,
    wire::{Error, Result},
};
use refit_index::{File, Name};
use regex::{Regex, RegexBuilder};
use serde::{Serialize, Serializer};
use serde_json::json;
use std::path::PathBuf;

/// What to search for, and where.
#[derive(clap::Args, Debug)]
#[group(skip)]
pub struct Find {
    /// A regular expression, or plain text with --fixed
    pub pattern: String,
    /// A game's folder, a project, files or trees [default: this folder]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only fields that match
    #[arg(long, value_name = "GLOB")]
    pub field: Option<String>,
    /// Only names of one kind (`texture`, `node` …), or only files of one format (`anim`, `reader`
    /// …)
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
    /// Match case
    #[arg(long)]
    pub case: bool,
    /// Treat PATTERN as plain text
    #[arg(long, short = 'F')]
    pub fixed: bool,
}

/// Something that matches.
pub struct Found<'a> {
    /// The file.
    pub file: &'a File,
    /// The document and the path in it.
    pub document: &'a str,
    /// The place in the file.
    pub at: &'a str,
    /// The value found there.
    pub value: &'a str,
    /// The name that it is, if names were searched.
    pub name: Option<&'a Name>,
}

impl Serialize for Found<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let Found {
            file,
            document,
            at,
            value,
            name,
        } = *self;
        let row = [
            ("file", file.relative.as_str().into()),
            ("document", document.into()),
            ("at", at.into()),
            ("value", value.into()),
            ("kind", json!(name.map(|name| name.kind))),
            ("does", json!(name.map(|name| name.does))),
            ("format", file.format.name().into()),
        ];
        Row(&file.path, row.into()).serialize(s)
    }
}

impl Find {
    /// Passes everything that matches to `see`; if that returns false, the search continues with
    /// the next file. Returns the number of files.
    pub fn run(
        &self,
        options: &Options,
        progress: &dyn Progress,
        see: &mut dyn FnMut(&Found<'_>) -> bool,
    ) -> Result<usize> {
        let wanted = Wanted::new(self)?;
        // Numbers of large files are not cached: if the pattern may match one, these files are read
        // again.
        let numbers = wanted.kind.is_none()
            && (self.pattern.contains(|c: char| c.is_ascii_digit())
                || self.pattern.contains("\\d"));
        names::search(&self.paths, numbers, options, progress, |file| {
            wanted.search(&file, see)
        })
    }
}

/// The parsed pattern.
struct Wanted {
    pattern: Regex,
    field: Option<GlobMatcher>,
    kind: Option<NameKind>,
    format: Option<Format>,
    /// Skips bytes in hexadecimal, because a short pattern matches any of them.
    skips_hex: bool,
}

/// True for bytes in hexadecimal (`0x8000f3a0`, `00000000 9a3f0012`), which no person wrote.
fn is_hex(value: &str) -> bool {
    let digits = |text: &str| {
        text.len() >= 8
            && text
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
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
    fn new(find: &Find) -> Result<Self> {
        let text = &find.pattern;
        let pattern = if find.fixed {
            regex::escape(text)
        } else {
            text.clone()
        };
        let pattern = RegexBuilder::new(&pattern)
            .case_insensitive(!find.case)
            .build();
        let pattern = pattern
            .map_err(|e| Error::say(format!("{text:?} is not a regular expression: {e}")))?;
        let field = find.field.as_ref().map(|glob| {
            // Brackets enclose a position, not a choice of letters.
            let glob = glob.replace('[', "\\[").replace(']', "\\]");
            let built = GlobBuilder::new(&glob)
                .literal_separator(false)
                .backslash_escape(true)
                .case_insensitive(true)
                .build();
            built
                .map(|glob| glob.compile_matcher())
                .map_err(|e| Error::say(format!("{glob:?} is not a pattern: {}", e.kind())))
        });
        let (mut kind, mut format) = (None, None);
        if let Some(word) = &find.kind {
            kind = NameKind::from_str(word, true).ok();
            format = Format::value_variants()
                .iter()
                .copied()
                .find(|format| format.name().eq_ignore_ascii_case(word));
            if kind.is_none() && format.is_none() {
                let kinds: Vec<&str> = NameKind::value_variants()
                    .iter()
                    .map(|kind| kind.name())
                    .collect();
                let hint = format!(
                    "kinds are {}; `refit --help` lists the formats",
                    kinds.join(", ")
                );
                return Err(
                    Error::say(format!("{word:?} is neither a kind nor a format")).hint(hint),
                );
            }
        }
        let skips_hex = !text.contains("0x");
        Ok(Wanted {
            pattern,
            field: field.transpose()?,
            kind,
            format,
            skips_hex,
        })
    }

    /// True for a field that is looked in.
    fn is_field(&self, at: &str) -> bool {
        let Some(field) = &self.field else {
            return true;
        };
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
    /// Passes what matches in a file to `see`, until that returns false.
    fn search(&self, file: &File, see: &mut dyn FnMut(&Found<'_>) -> bool) {
        if self.kind.is_none() && self.format.is_some_and(|format| format != file.format) {
            return;
        }
        if self.kind.is_some() && (self.format.is_none() || self.format != Some(file.format)) {
            for name in file
                .content
                .names
                .iter()
                .filter(|name| self.kind == Some(name.kind))
            {
                if self.is_field(&name.at) && self.pattern.is_match(&name.name) {
                    let (document, at, value) = (&name.document, &name.at, &name.name);
                    see(&Found {
                        file,
                        document,
                        at,
                        value,
                        name: Some(name),
                    });
                }
            }
            return;
        }
        file.content.each(&mut |document, at, value| {
            let is_meant = self.pattern.is_match(value)
                && self.is_field(at)
                && !(self.skips_hex && is_hex(value));
            !is_meant
                || see(&Found {
                    file,
                    document,
                    at,
                    value,
                    name: None,
                })
        });
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn bytes_in_hexadecimal_are_known_from_words_and_numbers() {
        for value in ["0x8000f3a0", "00000000 9a3f0012", "9a3f0012cdcdcdcd"] {
            assert!(super::is_hex(value), "{value}");
        }
        for value in [
            "0.75",
            "19990504",
            "deadbeef",
            "0x66",
            "cafe 12345678",
            "wave01",
        ] {
            assert!(!super::is_hex(value), "{value}");
        }
    }
}
