//! `cargo xtask mech3ax`: reads worlds with `roundtrip_tests::mech3ax`, which shares no code with
//! refit's reader. The tests of the Blender add-on use it to check their edits.

use crate::Args;
use anyhow::{Context, Result, ensure};
use refit::game::Game;
use roundtrip_tests::mech3ax::{self, Parts};
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// A parsed world.
struct World {
    /// What mech3ax would refuse, without the places, and how often.
    faults: BTreeMap<String, usize>,
    parts: Parts,
}

impl World {
    fn read(path: &Path) -> Result<World> {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let game: Game =
            mech3ax::game_of(&bytes).with_context(|| format!("{}: no world", path.display()))?;
        let mut faults = BTreeMap::new();
        for fault in mech3ax::world(&bytes, game) {
            let what = fault
                .split_once(": ")
                .map_or(fault.as_str(), |(_, what)| what);
            *faults.entry(what.to_owned()).or_default() += 1;
        }
        Ok(World {
            faults,
            parts: mech3ax::parts(&bytes, game),
        })
    }
}

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let original: Option<PathBuf> = args.value("--original")?;
    let original = original.map(|path| World::read(&path)).transpose()?;
    let mut refused = 0usize;
    for path in args.rest()? {
        let World { mut faults, parts } = World::read(&path)?;
        let mut row = json!({ "file": path, "parts": parts.len() });
        if let Some(original) = &original {
            faults.retain(|what, count| {
                *count > original.faults.get(what).copied().unwrap_or_default()
            });
            let keys: BTreeSet<_> = parts.keys().chain(original.parts.keys()).collect();
            let changed = keys
                .into_iter()
                .filter(|key| parts.get(key) != original.parts.get(key));
            row["changed"] = changed
                .map(|(kind, number)| format!("{kind} {number}"))
                .collect();
        }
        refused += usize::from(!faults.is_empty());
        row["faults"] = json!(faults);
        println!("{row}");
    }
    ensure!(refused == 0, "mech3ax would refuse {refused} of them");
    Ok(())
}
