//! Searches mods for data of a game: runs of bytes of its files, or of their trees. All runners of
//! commands check every mod that a command makes ([`check`]).

use crate::folders::snapshot;
use refit::{
    diff::Tree,
    mods::{self, Mod},
    pipeline::Hints,
    project::Project,
    tree::Blob,
};
use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

/// Number of bytes to compare at a time: a run of [`RUN`] bytes contains a whole block, wherever it
/// begins.
const BLOCK: usize = 32;
/// A run of this many equal bytes is not a coincidence.
pub const RUN: usize = 64;

/// The blocks of a game's files, in stored form and in the form of trees.
pub struct Original {
    texts: Vec<(String, Vec<u8>)>,
    blocks: HashMap<[u8; BLOCK], (usize, usize)>,
}

fn is_telling(bytes: &[u8], different: usize) -> bool {
    bytes.iter().collect::<HashSet<_>>().len() >= different
}

impl Original {
    /// Of files by their path.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut out = Original {
            texts: Vec::new(),
            blocks: HashMap::new(),
        };
        for (path, bytes) in files {
            let blob = Blob::Memory(bytes.to_vec().into());
            out.take(path.to_owned(), bytes.to_vec());
            // A file that refit cannot read has no tree.
            let parts = Tree::of_file(&blob, path, Hints::default())
                .map(|tree| tree.parts)
                .unwrap_or_default();
            for (part, content) in parts
                .iter()
                .filter(|(part, content)| !part.is_empty() && !content.is_manifest())
            {
                out.take(format!("{path}: {part}"), content.bytes().unwrap().to_vec());
            }
        }
        out
    }

    /// Blocks of a file, or of all files of a folder, before refit changed them. A project counts
    /// as its game.
    pub fn below(path: &Path) -> Self {
        let game = Project::open(path).and_then(|project| project.game("--game"));
        let path = game.as_deref().unwrap_or(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let files = match path.is_dir() {
            true => snapshot(path),
            false => {
                let kept = path.with_file_name(format!("{name}.orig"));
                let bytes = std::fs::read(if kept.exists() { &kept } else { path })
                    .expect("a file can be read");
                vec![(name.into_owned(), bytes)]
            }
        };
        let names: HashSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let originals = files
            .iter()
            .filter(|(name, _)| !names.contains(&*format!("{name}.orig")));
        Self::of(
            originals.map(|(name, bytes)| {
                (name.strip_suffix(".orig").unwrap_or(name), bytes.as_slice())
            }),
        )
    }

    fn take(&mut self, name: String, bytes: Vec<u8>) {
        for (i, block) in bytes
            .as_chunks::<BLOCK>()
            .0
            .iter()
            .enumerate()
            .filter(|(_, block)| is_telling(*block, 4))
        {
            self.blocks
                .entry(*block)
                .or_insert((self.texts.len(), i * BLOCK));
        }
        self.texts.push((name, bytes));
    }

    /// The first run of the game's in each file of a mod.
    pub fn in_mod(&self, a_mod: &Mod) -> Vec<String> {
        let files = a_mod.to_files().unwrap();
        files
            .iter()
            .filter(|(path, _)| *path != mods::MANIFEST)
            .filter_map(|(path, bytes)| self.in_bytes(path, bytes))
            .collect()
    }

    /// The first run in the bytes, or in bytes written as hexadecimal digits.
    fn in_bytes(&self, path: &str, bytes: &[u8]) -> Option<String> {
        let digits = bytes
            .split(|byte| !byte.is_ascii_hexdigit())
            .filter(|digits| digits.len() >= 2 * RUN);
        let texts = digits
            .filter_map(|digits| refit::wire::bytes_of_hex(std::str::from_utf8(digits).ok()?).ok());
        self.in_plain(path, bytes).or_else(|| {
            texts
                .into_iter()
                .find_map(|text| self.in_plain(path, &text))
        })
    }

    fn in_plain(&self, path: &str, bytes: &[u8]) -> Option<String> {
        bytes.windows(BLOCK).enumerate().find_map(|(at, window)| {
            let (text, from) = *self.blocks.get(window)?;
            let (name, original) = &self.texts[text];
            let ahead = original[from..]
                .iter()
                .zip(&bytes[at..])
                .take_while(|(a, b)| a == b)
                .count();
            let back = original[..from]
                .iter()
                .rev()
                .zip(bytes[..at].iter().rev())
                .take_while(|(a, b)| a == b)
                .count();
            let run = &bytes[at - back..at + ahead];
            let says = run.len() >= RUN && is_telling(run, 8);
            says.then(|| {
                format!(
                    "{path} at {}: {} bytes of {name} at {}: {:?}",
                    at - back,
                    run.len(),
                    from - back,
                    String::from_utf8_lossy(run)
                )
            })
        })
    }
}

/// Searches the mod that a command made: `[refit …] mod make ORIGINAL [EDITED] -o MOD`.
///
/// # Panics
/// The mod contains a run of its original.
pub fn check(folder: &Path, words: &[&str]) {
    let Some(at) = words.windows(2).position(|pair| pair == ["mod", "make"]) else {
        return;
    };
    let (original, out) = (
        words.get(at + 2),
        words
            .iter()
            .position(|word| *word == "-o")
            .map(|o| words[o + 1]),
    );
    if let (Some(original), Some(Ok(made))) =
        (original, out.map(|out| mods::load(&folder.join(out))))
    {
        let found = Original::below(&folder.join(original)).in_mod(&made);
        assert!(
            found.is_empty(),
            "refit {}: the mod holds the game's bytes: {found:#?}",
            words.join(" ")
        );
    }
}
