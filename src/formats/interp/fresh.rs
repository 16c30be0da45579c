//! New files of scripts, of plain folders.

use super::{Interp, InterpCodec, InterpManifest, ScriptLine};
use crate::tree::plain::{PlainFolder, in_order_of};
use crate::{
    formats::Codec,
    tree::Folder,
    wire::{Error, Result, Text},
};
use std::collections::HashMap;

/// Makes a file from the scripts (`.gw`, `.gs`) of a folder. The name of a script is its path in the folder.
pub(super) fn interp(folder: &PlainFolder<'_>) -> Result<Interp> {
    let like: Option<InterpManifest> = folder.like()?;
    let line = |path: &str| {
        let name: Text<120> = path.replace('/', "\\").as_str().try_into().map_err(|e: Error| e.in_file(path))?;
        Ok(ScriptLine { name, file: path.to_owned(), ..ScriptLine::default() })
    };
    let mut scripts = folder.ending(&[".gw", ".gs"]).into_iter().map(line).collect::<Result<Vec<_>>>()?;
    if scripts.is_empty() {
        return Err(Error::say("the folder has no scripts").hint("their names end with .gw or .gs"));
    }
    let key = |line: &ScriptLine| line.name.text().to_lowercase();
    let mut seen: HashMap<String, &str> = HashMap::new();
    for script in &scripts {
        if let Some(first) = seen.insert(key(script), &script.file) {
            return Err(Error::say(format!("{first} and {} have the same name to the game", script.file)));
        }
    }
    match &like {
        Some(like) => {
            scripts = in_order_of(scripts, key, like.scripts.iter().map(key));
            let known: HashMap<String, &ScriptLine> = like.scripts.iter().map(|line| (key(line), line)).collect();
            for script in &mut scripts {
                match known.get(&key(script)) {
                    Some(old) => (script.name, script.time) = (old.name, old.time),
                    None => folder.assume(format!("{}: after the others, without a time", script.name.text())),
                }
            }
        }
        None => folder.assume("scripts in the order of their names, without times"),
    }
    let manifest = InterpManifest::new(folder.head(), scripts, Vec::new());
    InterpCodec.assemble(&folder.tree(Folder::new(), manifest)?.reader()?)
}
