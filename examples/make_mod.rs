//! Makes a mod of an edited copy of a game:
//! `cargo run --example make_mod -- ORIGINAL EDITED MOD.refitmod`.

use refit::{Hints, diff::Tree, mods, pipeline, tree::Replace};
use std::{error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let [original, edited, to]: [String; 3] = std::env::args()
        .skip(1)
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|_| "usage: make_mod ORIGINAL EDITED MOD")?;
    let (original, edited) = (Path::new(&original), Path::new(&edited));
    let mut maker = mods::Maker::new("my mod");
    for entry in walkdir::WalkDir::new(edited).sort_by_file_name() {
        let entry = entry?;
        let below = entry
            .path()
            .strip_prefix(edited)?
            .to_string_lossy()
            .replace('\\', "/");
        if !entry.file_type().is_file() {
            continue;
        }
        let tree = |path: &Path| Tree::of_file(&pipeline::load(path)?, &below, Hints::default());
        let new = tree(entry.path())?;
        match original.join(&below) {
            old if old.is_file() => _ = maker.changed(&below, &tree(&old)?, &new)?,
            _ => maker.added(&below, &new)?,
        }
    }
    mods::save(&maker.finish()?, Path::new(&to), Replace::new(false))?;
    Ok(())
}
