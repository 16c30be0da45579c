//! What of a game is in a mod: runs of bytes of its files, or of their trees.

use refit::{
    diff::Tree,
    mods::{self, Mod},
    pipeline::Hints,
    tree::Blob,
};
use std::collections::{HashMap, HashSet};

/// Bytes that are looked for at a time: a run of [`RUN`] bytes holds a whole block, wherever it begins.
const BLOCK: usize = 32;
/// A run of so many equal bytes is no accident.
pub const RUN: usize = 64;

/// The blocks of a game's files, as they are stored and as they stand in trees.
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
        let mut out = Original { texts: Vec::new(), blocks: HashMap::new() };
        for (path, bytes) in files {
            let blob = Blob::Memory(bytes.to_vec().into());
            let tree = Tree::of_file(&blob, path, Hints::default()).unwrap();
            out.take(path.to_owned(), bytes.to_vec());
            for (part, content) in
                tree.parts.iter().filter(|(part, content)| !part.is_empty() && !content.is_manifest())
            {
                out.take(format!("{path}: {part}"), content.bytes().unwrap().to_vec());
            }
        }
        out
    }

    fn take(&mut self, name: String, bytes: Vec<u8>) {
        for (i, block) in bytes.as_chunks::<BLOCK>().0.iter().enumerate().filter(|(_, block)| is_telling(*block, 4)) {
            self.blocks.entry(*block).or_insert((self.texts.len(), i * BLOCK));
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

    fn in_bytes(&self, path: &str, bytes: &[u8]) -> Option<String> {
        bytes.windows(BLOCK).enumerate().find_map(|(at, window)| {
            let (text, from) = *self.blocks.get(window)?;
            let (name, original) = &self.texts[text];
            let ahead = original[from..].iter().zip(&bytes[at..]).take_while(|(a, b)| a == b).count();
            let back = original[..from].iter().rev().zip(bytes[..at].iter().rev()).take_while(|(a, b)| a == b).count();
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
