//! Judges texts of configs as people write them, with the files that they include.

use super::{InGame, Include, Rap, foreign::foreign_byte, lints};
use refit_base::{
    contract::Model,
    lint::Lints,
    wire::{Cause, Error, ErrorKind, Result},
};
use std::cell::{Cell, RefCell};

/// Most bytes that the preprocessor looks at for one text.
const WORK: usize = 16 << 20;

/// The text of a config that a person wrote.
pub struct Source<'a> {
    /// Its path, as `include` gets it.
    pub path: &'a str,
    /// The text, which may be [`decoded`](super::decoded).
    pub text: &'a str,
    /// False for a text that may be a part of another one: then nothing is said of its mistakes.
    pub is_whole: bool,
}

impl Source<'_> {
    /// Reports the mistakes of the text, and returns it compiled. Where refit cannot know what the
    /// game reads, it says why ([`Lints::cannot_judge`]): a file that the text includes is not
    /// there, or a value is known only to the game. `left` is how many bytes the preprocessor may
    /// look at for this text and others; it never looks at more than 16 MB for one.
    pub fn judge(
        &self,
        left: &Cell<usize>,
        include: &Include<'_>,
        in_game: &InGame<'_>,
        lints: &mut Lints,
    ) -> Option<Rap> {
        let missing = RefCell::new(None);
        let asked = |from: &str, name: &str| -> Result<(String, String)> {
            let found = include(from, name);
            if found.is_err() {
                missing.borrow_mut().get_or_insert_with(|| name.to_owned());
            }
            found
        };
        let most = left.get().min(WORK);
        let rest = Cell::new(most);
        let done = Rap::compile_with(&rest, self.path, self.text, &asked, in_game, true);
        left.set(left.get().saturating_sub(most - rest.get()));
        let missing = missing.into_inner();
        match done {
            Ok(rap) => {
                // The text asked whether a file is there. In the game it may be.
                if self.is_whole && missing.is_none() {
                    rap.lint(lints);
                }
                return Some(rap);
            }
            Err(_) if !self.is_whole || !is_read(self.path) => {}
            Err(e) => match (missing, e.kind()) {
                (Some(name), _) => {
                    // Bytes of another encoding are private characters here.
                    let shown = |c| match foreign_byte(c) {
                        Some(_) => char::REPLACEMENT_CHARACTER,
                        None => c,
                    };
                    let name: String = name.chars().map(shown).collect();
                    lints.cannot_judge(format!("it includes {name}, which was not found"))
                }
                (None, ErrorKind::Syntax) => lints.say(lints::RAP_SYNTAX, self.placed(&e)),
                (None, _) => lints.cannot_judge(self.placed(&e)),
            },
        }
        None
    }

    /// An error, with its place in this text or another file.
    fn placed(&self, error: &Error) -> String {
        let (Some((line, column)), Cause::Text { message, .. }) = (error.place(), error.what())
        else {
            return error.to_string();
        };
        match error.file().filter(|file| *file != self.path) {
            Some(file) => format!("{file}: line {line}, column {column}: {message}"),
            None => format!("line {line}, column {column}: {message}"),
        }
    }
}

/// True for a text that a game reads by its name; others may never be read.
pub fn is_read(path: &str) -> bool {
    let file = path.rsplit(['\\', '/']).next().unwrap_or(path);
    let file = file.to_ascii_lowercase();
    matches!(&*file, "config.cpp" | "description.ext" | "mission.sqm") || file.ends_with(".rvmat")
}
