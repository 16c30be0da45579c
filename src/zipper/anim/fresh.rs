//! New animation files of plain folders.

use super::{Anim, AnimCodec, AnimManifest, Definition, Script};
use refit_base::{
    contract::Codec,
    game::Game,
    tree::{
        Folder, Form,
        plain::{PlainFolder, in_order_of},
        text::of_bytes,
    },
    wire::{Derived, Error, Result},
};

/// Makes a file of the documents of a folder: scripts are below `scripts/`, all others are
/// definitions.
pub(super) fn anim(folder: &PlainFolder<'_>) -> Result<super::Anim> {
    let game = folder
        .game
        .ok_or_else(|| Error::say("the game of a new animation file is missing"))?;
    let like: Option<AnimManifest> = folder.like()?;
    let documents = folder
        .ending(&[".json", ".ron"])
        .into_iter()
        .map(str::to_owned);
    let (mut scripts, definitions): (Vec<String>, Vec<String>) = documents.partition(|path| {
        path.split('/')
            .rev()
            .nth(1)
            .is_some_and(|inside| inside == "scripts")
    });
    if definitions.is_empty() {
        return Err(
            Error::say("the folder has no documents of definitions").hint(
                "definition sources (.zrd) need anim.zrd beside them; or use `refit anim compile`",
            ),
        );
    }
    // In Recoil and MechWarrior 3 the definitions name their scripts, which are no part of the
    // table.
    if matches!(game, Game::Rc | Game::RcDemo | Game::Mw) {
        scripts.clear();
    }
    let head = folder.head();
    let manifest = match like {
        Some(like) => {
            let stem = |path: &String| {
                path.rsplit_once('.')
                    .map_or(path.as_str(), |(stem, _)| stem)
                    .to_owned()
            };
            let definitions = in_order_of(definitions, stem, like.definitions.iter().map(stem));
            let scripts = in_order_of(scripts, stem, like.scripts.iter().map(stem));
            folder.assume("without the list of source files: the game compares their times");
            AnimManifest::new(
                head,
                like.version,
                like.timestamp,
                like.base_files,
                Vec::new(),
                like.info,
                like.definition_0,
                false,
                definitions,
                scripts,
                like.messages,
                None,
            )
        }
        None => {
            folder.assume(
                "definitions in the order of their files; addresses are empty, gravity is -9.8",
            );
            let (info, definition_0) = (super::header::Info::default(), Default::default());
            let (base, sources, messages) = (Vec::new(), Vec::new(), Vec::new());
            let version = Derived::default();
            let (timestamp, trailing) = (None, None);
            AnimManifest::new(
                head,
                version,
                timestamp,
                base,
                sources,
                info,
                definition_0,
                false,
                definitions,
                scripts,
                messages,
                trailing,
            )
        }
    };
    AnimCodec.assemble(&folder.tree(Folder::new(), manifest)?.reader()?)
}

/// Adds a definition, or a script (PM, CS), under its own name.
pub(super) fn add(anim: &mut Anim, bytes: &[u8], form: Form) -> Result<usize> {
    let Form::Document(style) = form else {
        return Err(Error::say(
            "a definition or a script is added as a document, not as bytes",
        ));
    };
    let definition = match of_bytes::<Definition>(bytes, style) {
        Ok(definition) => definition,
        Err(e) => {
            let Ok(script) = of_bytes::<Script>(bytes, style) else {
                return Err(e);
            };
            if !matches!(anim.game, Game::Pm | Game::Cs) {
                return Err(Error::say(
                    "in this game scripts are part of the definitions that use them",
                ));
            }
            anim.add_script(&script)?;
            return Ok(anim.definitions.len() + anim.scripts.len() - 1);
        }
    };
    anim.add_definition(&definition)
}
