//! Sifts files by a search of their bytes for names, before they are read.

use aho_corasick::{AhoCorasick, MatchKind};
use refit_base::{contract::Detection, format::Format, game::Game, naming::coarse, tree::Blob};
use std::collections::HashSet;

/// The smallest field of a name in an animation file, in bytes. A shorter name ends in its field,
/// with a zero.
const SMALLEST: usize = 10;

/// Names to look for, in their [coarse] form.
pub struct Met {
    names: HashSet<String>,
    /// Finds any of the names; `None` if a search of bytes could miss one.
    any: Option<AhoCorasick>,
    /// The same where each name ends with a zero or fills its field.
    ended: Option<AhoCorasick>,
}

impl Met {
    /// These names.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n String>) -> Self {
        let names: HashSet<String> = names.into_iter().map(|name| coarse(name)).collect();
        // The bytes of other letters depend on the code page, and a separator may be either one.
        let is_plain = |name: &String| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_graphic() && byte != b'\\')
        };
        let search = |patterns: Vec<String>| {
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .build(patterns)
                .ok()
        };
        let (mut any, mut ended) = (None, None);
        if names.iter().all(is_plain) {
            any = search(names.iter().cloned().collect());
            let ends = |name: &String| match name.len() < SMALLEST {
                // The form has no extension.
                true => vec![format!("{name}\0"), format!("{name}.")],
                false => vec![name.clone()],
            };
            ended = search(names.iter().flat_map(ends).collect());
        }
        Met { names, any, ended }
    }

    /// The names.
    pub fn names(&self) -> &HashSet<String> {
        &self.names
    }

    /// False only for a file that has none of the names: names stand in animation files as they are.
    pub(crate) fn may_be_in(&self, file: &Blob, detection: &Detection) -> bool {
        let Some(search) = self.search(detection.format, detection.game) else {
            return true;
        };
        // A file that cannot be read is reported when it is indexed.
        file.bytes()
            .map_or(true, |bytes| search.is_match(&bytes[..]))
    }

    /// What finds a file that may have one of the names; `None` if any may.
    fn search(&self, format: Format, game: Option<Game>) -> Option<&AhoCorasick> {
        match (format, game) {
            (Format::Anim, Some(Game::Rc | Game::Mw)) => self.ended.as_ref(),
            // Names in the tables of the later games need not end with a zero.
            (Format::Anim, _) => self.any.as_ref(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_be_in(names: &[&str], bytes: &[u8], game: Game) -> bool {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let met = Met::new(&names);
        let search = met.search(Format::Anim, Some(game));
        search.is_none_or(|search| search.is_match(bytes))
    }

    #[test]
    fn only_files_without_the_names_are_sifted_out() {
        for game in [Game::Rc, Game::Mw, Game::Pm, Game::Cs] {
            assert!(may_be_in(&["door"], b"..DOOR\0..", game));
            assert!(may_be_in(&["door.flt"], b"..Door.FLT\0", game));
            assert!(may_be_in(&["lamp", "door"], b"..door\0", game));
            assert!(may_be_in(&["a_long_door"], b"a_long_door2", game));
            assert!(!may_be_in(&["lamp", "door"], b"..doom\0", game));
            // Such names can be spelled in several ways.
            assert!(may_be_in(&["t\u{fc}r"], b"none", game));
            assert!(may_be_in(&["a/b"], b"none", game));
            assert!(may_be_in(&[".flt"], b"none", game));
        }
        assert!(!may_be_in(&["o7"], b"..o7x", Game::Mw));
        assert!(may_be_in(&["o7"], b"..o7x", Game::Pm));
    }
}
