//! Texts of configs in an archive, as the games read them: with the files that they include.

use super::{Entry, Label, Pbo};
use crate::rap::{Rap, decoded, includes, member, source::Source};
use refit_base::{
    format::LFS_POINTER,
    lint::Lints,
    picture::Picture,
    wire::{Error, Result},
};
use std::{
    borrow::Cow,
    cell::Cell,
    collections::{HashMap, HashSet},
};

/// Endings of files that a text of a config may include.
const INCLUDED: [&str; 7] = ["cpp", "hpp", "h", "ext", "inc", "sqm", "rvmat"];
/// Largest included file.
const LARGEST: u64 = 4 << 20;
/// Bytes that the preprocessor looks at for all texts of an archive. Later ones are not judged: thousands of
/// small texts, each of which includes a large one, must not take minutes.
const WORK_OF_ALL: usize = 1 << 28;

/// The texts of an archive, and which of them are parts of others.
pub(super) struct Texts<'a> {
    pbo: &'a Pbo,
    names: HashMap<Vec<u8>, usize>,
    /// The prefix as names are looked up, with a separator behind it.
    prefix: Vec<u8>,
    /// Files that other texts include. Alone they need not be whole.
    parts: HashSet<usize>,
    /// What is left of [`WORK_OF_ALL`].
    left: Cell<usize>,
}

fn ends_as(name: &str, endings: &[&str]) -> bool {
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    endings.iter().any(|e| end.eq_ignore_ascii_case(e))
}

/// The content of a file as text. `None` for other files.
fn text_of(entry: &Entry) -> Result<Option<String>> {
    if entry.data.len() > LARGEST {
        return Ok(None);
    }
    let Some(content) = entry.unpacked()?.filter(|content| content.len() <= LARGEST) else {
        return Ok(None);
    };
    let bytes = content.bytes()?;
    if bytes.contains(&0) {
        return Ok(None);
    }
    Ok(decoded(&bytes).ok().map(Cow::into_owned))
}

impl Pbo {
    /// A text of the archive by its path in the game, which begins with `\`. `archive` is the name
    /// of the archive, in place of a prefix that it does not have.
    pub fn text_in_game(&self, archive: &str, path: &str) -> Option<String> {
        let wanted = Label::from(path).looked_up();
        let prefix = self.property("prefix").map(Label::looked_up);
        let prefix = prefix
            .filter(|prefix| !prefix.is_empty())
            .unwrap_or_else(|| Label::from(archive).looked_up());
        let inside = wanted
            .strip_prefix(b"\\")?
            .strip_prefix(&prefix[..])?
            .strip_prefix(b"\\")?;
        let mut entries = self.entries.iter();
        let entry = entries.rfind(|entry| entry.name.looked_up() == inside)?;
        text_of(entry).ok()?
    }
}

impl<'a> Texts<'a> {
    /// Reads all texts once.
    pub(super) fn of(pbo: &'a Pbo) -> Self {
        // The games use the last of several files with one name.
        let names = pbo
            .entries
            .iter()
            .enumerate()
            .map(|(i, entry)| (entry.name.looked_up(), i))
            .collect();
        let prefix = pbo
            .property("prefix")
            .map(|prefix| [&prefix.looked_up()[..], b"\\"].concat());
        let mut texts = Texts {
            pbo,
            names,
            prefix: prefix.unwrap_or_default(),
            parts: HashSet::new(),
            left: Cell::new(WORK_OF_ALL),
        };
        let may_include = |entry: &&Entry| ends_as(&entry.name.show(), &INCLUDED);
        for entry in pbo.entries.iter().filter(may_include) {
            let Some(Some(text)) = pbo.faults.or_note(text_of(entry)) else {
                continue;
            };
            let parts: Vec<usize> = includes(&text)
                .filter_map(|name| texts.find(&entry.name, name))
                .collect();
            texts.parts.extend(parts);
        }
        texts
    }

    /// The file that a text includes under a name: relative to its folder, or a path in the game
    /// with a leading `\`.
    fn find(&self, from: &Label, name: &str) -> Option<usize> {
        let name = Label::from(name).looked_up();
        if let Some(whole) = name.strip_prefix(b"\\") {
            return self
                .names
                .get(whole.strip_prefix(&self.prefix[..])?)
                .copied();
        }
        let from = from.looked_up();
        let folder = from
            .iter()
            .rposition(|b| *b == b'\\')
            .and_then(|end| from.get(..end))
            .unwrap_or_default();
        let mut path: Vec<&[u8]> = folder
            .split(|b| *b == b'\\')
            .filter(|part| !part.is_empty())
            .collect();
        for part in name.split(|b| *b == b'\\') {
            match part {
                b"" | b"." => {}
                b".." => {
                    path.pop()?;
                }
                part => path.push(part),
            }
        }
        self.names.get(&path.join(&b'\\')).copied()
    }

    /// The path in the game of a file that another one includes; `None` if it leads out of it.
    /// Files from elsewhere have such paths already.
    fn in_game(&self, from: &str, name: &str) -> Option<String> {
        const SEPARATORS: [char; 2] = ['\\', '/'];
        let folder = from
            .rsplit_once(SEPARATORS)
            .map_or("", |(folder, _)| folder);
        let prefix = String::from_utf8_lossy(&self.prefix);
        let is_whole = |path: &str| path.starts_with(SEPARATORS);
        let parts: &[&str] = match (is_whole(name), is_whole(from)) {
            (true, _) => &[name],
            (false, true) => &[folder, name],
            (false, false) => &[&prefix, folder, name],
        };
        let mut path = Vec::new();
        for part in parts.iter().flat_map(|part| part.split(SEPARATORS)) {
            match part {
                "" | "." => {}
                ".." => _ = path.pop()?,
                part => path.push(part),
            }
        }
        Some(format!("\\{}", path.join("\\")))
    }

    /// Judges the text of a config, and gives it compiled. Nothing is said of one that is only a
    /// part of another.
    pub(super) fn lint(&self, index: usize, lints: &mut Lints) -> Option<Rap> {
        let entry = self.pbo.entries.get(index)?;
        let name = entry.name.show();
        if !member::may_be_text(&name, &entry.data) || self.parts.contains(&index) {
            return None;
        }
        let text = self.pbo.faults.or_note(text_of(entry))??;
        // Below the root only a config with patches is one of an addon. Others are parts of missions.
        let is_below = name.contains(['\\', '/']);
        let is_part = is_below && ends_as(&name, &["cpp"]) && !text.contains("CfgPatches");
        let source = Source {
            path: &name,
            text: &text,
            is_whole: !is_part,
        };
        let outside = lints.outside();
        let include = |from: &str, name: &str| {
            let missing = || Error::missing(name);
            let own = self
                .find(&Label::from(from), name)
                .and_then(|found| self.pbo.entries.get(found));
            let Some(own) = own else {
                let path = self.in_game(from, name).ok_or_else(missing)?;
                let elsewhere = outside.as_ref().and_then(|find| find(&path));
                return elsewhere.ok_or_else(missing);
            };
            Ok((
                own.name.show().into_owned(),
                text_of(own)?.ok_or_else(missing)?,
            ))
        };
        source.judge(&self.left, &include, &|_| None, lints)
    }
}

/// What a file is instead of what its name says; `None` if it may be that.
pub(super) fn misnamed(entry: &Entry) -> Result<Option<String>> {
    let name = &*entry.name.show();
    if !ends_as(
        name,
        &[
            "paa", "pac", "p3d", "rtm", "wss", "ogg", "wrp", "bin", "jpg", "wav",
        ],
    ) {
        return Ok(None);
    }
    let is_config = ends_as(name, &["bin"]);
    let file = name.rsplit(['\\', '/']).next().unwrap_or(name);
    if is_config && !file.eq_ignore_ascii_case("config.bin") {
        return Ok(None);
    }
    let Some(content) = entry.unpacked()?.filter(|content| !content.is_empty()) else {
        return Ok(None);
    };
    // Only what is certain: a picture or a text where there must be none. Obfuscated files are
    // neither.
    let head = content.slice(0, 4096)?.bytes()?;
    let is_jpeg = head.starts_with(b"\xff\xd8\xff") && ends_as(name, &["jpg"]);
    let is_text = || {
        let control = |b: &u8| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r');
        // The head may end in the middle of a letter.
        !head.iter().any(control) && head.utf8_chunks().count() <= 1
    };
    let what = if head.starts_with(LFS_POINTER) {
        "its content is still in git LFS"
    } else if Picture::is_one(&head) && !is_jpeg {
        "this is a picture, PNG or JPEG"
    } else if !is_text() {
        return Ok(None);
    } else if is_config {
        "this is the text of a config, and not a binary one"
    } else {
        "this is a text"
    };
    Ok(Some(what.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_found_as_the_preprocessor_finds_them() {
        let text = "#include \"a.hpp\"\n  # include <b\\c.hpp> // x\n#define include \"d\"\n#include x\n//#include \"e\"\n";
        assert_eq!(includes(text).collect::<Vec<_>>(), ["a.hpp", "b\\c.hpp"]);
    }

    #[test]
    fn the_texts_of_an_archive_have_one_budget() {
        // One text with a directive, one without; an entry is its name, five numbers, of which the
        // last is its length.
        let files: [(&[u8], &[u8]); 2] = [
            (b"a.rvmat", b"#include \"c.hpp\"\n"),
            (b"b.rvmat", b"x = 1;\n"),
        ];
        let mut archive = Vec::new();
        for (name, text) in files {
            archive.extend([name, &[0; 17], &(text.len() as u32).to_le_bytes()].concat());
        }
        archive.extend([0; 21]);
        archive.extend(files.iter().flat_map(|(_, text)| text.iter()));
        let pbo = Pbo::read(&archive.into()).unwrap();
        let texts = Texts::of(&pbo);
        let spent = |index: usize| {
            let before = texts.left.get();
            texts.lint(index, &mut Lints::new());
            before - texts.left.get()
        };
        // The second text needs no preprocessor.
        let one = spent(0);
        assert!(one > 0);
        assert_eq!((spent(0), spent(1)), (one, 0));
        texts.left.set(one - 1);
        let mut lints = Lints::new();
        texts.lint(0, &mut lints);
        assert_eq!(texts.left.get(), 0);
        assert_eq!(lints.unjudged.len(), 1);
    }
}
