//! New files of scripts, of plain folders.

use super::{Interp, InterpCodec, InterpManifest, ScriptLine};
use refit_base::{
    contract::Codec,
    tree::{
        Folder,
        plain::{PlainFolder, as_in, check_names},
    },
    wire::{Error, Result, Text},
};

/// Makes a file from the scripts (`.gw`, `.gs`) of a folder. The name of a script is its path in
/// the folder.
pub(super) fn interp(folder: &PlainFolder<'_>) -> Result<Interp> {
    let like: Option<InterpManifest> = folder.like()?;
    let line = |path: &str| {
        let name: Text<120> = path
            .replace('/', "\\")
            .as_str()
            .try_into()
            .map_err(|e: Error| e.in_file(path))?;
        Ok(ScriptLine {
            name,
            file: path.into(),
            ..ScriptLine::default()
        })
    };
    let mut scripts = folder
        .ending(&[".gw", ".gs"])
        .into_iter()
        .map(line)
        .collect::<Result<Vec<_>>>()?;
    if scripts.is_empty() {
        return Err(Error::say("the folder has no scripts").hint("their names end with .gw or .gs"));
    }
    let key = |line: &ScriptLine| line.name.text().to_lowercase();
    check_names(
        "script",
        scripts
            .iter()
            .map(|script| (script.name.text().into_owned(), &*script.file)),
    )?;
    match &like {
        Some(like) => {
            scripts = as_in(scripts, &like.scripts, key, |script, old| match old {
                Some(old) => (script.name, script.time) = (old.name, old.time),
                None => folder.assume(format!(
                    "{}: after the others, without a time",
                    script.name.text()
                )),
            });
        }
        None => folder.assume("scripts in the order of their names, without times"),
    }
    let manifest = InterpManifest::new(folder.head(), scripts, Vec::new());
    InterpCodec.assemble(&folder.tree(Folder::new(), manifest)?.reader()?)
}
