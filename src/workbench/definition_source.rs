//! The source of one definition of an animation file, edited while its animation plays: what
//! `anim decompile` writes and `anim compile --base` reads, for one entry.

use super::{anim, edits::EditFinding, surroundings::world_beside};
use refit_anim_source::{self as anim_source, Base, CompiledEntry};
use refit_base::{
    game::Game,
    wire::{Error, Result},
};
use refit_zipper::anim::Anim;
use std::path::{Path, PathBuf};

pub use refit_anim_source::EntrySource;

/// The source of the definition `at` of an animation file.
///
/// # Errors
/// If a source cannot express the definition.
pub fn of(anim: &Anim, at: usize) -> Result<EntrySource> {
    anim_source::entry_source(&Base::new(anim.clone())?, at)
}

/// A definition to compile.
pub struct Compiling<'a> {
    /// Its source.
    pub text: &'a str,
    /// Its document, for findings.
    pub part: &'a str,
    /// The tree of the animation file.
    pub tree: &'a Path,
    /// Files that may have the world beside them, if the tree has none: that of the game.
    pub near: &'a [PathBuf],
}

/// Compiles a source over the definition `at` of an animation file, and puts it there. Returns what
/// the compiler found and did not find in the definition as it was; places are `line 12`.
///
/// # Errors
/// Those of the compiler, with line and column, or if no node has the name of the definition.
pub fn put(anim: &mut Anim, at: usize, new: &Compiling<'_>) -> Result<Vec<EditFinding>> {
    let base = Base::new(anim.clone())?;
    let compile = |world| anim_source::compile_entry(&base, at, new.text, world);
    let mut done = compile(None);
    // Names that the file does not have may need the world. Reading it takes a while.
    let needs_world = match &done {
        Ok(done) => done.left_out.is_some(),
        Err(_) => anim.game == Game::Cs,
    };
    if needs_world && let Some(world) = world_beside(new.tree, new.near) {
        done = compile(Some(world));
    }
    let CompiledEntry {
        bytes,
        findings,
        left_out,
    } = done?;
    if let Some(name) = left_out {
        return Err(Error::say(format!(
            "no node is called {name:?}, so the game would not have this animation"
        ))
        .hint("name a node of the world after NAME"));
    }
    let now = anim_source::entry_source(&base, at)?;
    let before = anim_source::compile_entry(&base, at, &now.text, None)?.findings;
    let is_new = |finding: &refit_base::lint::Finding| {
        let is_same = |old: &refit_base::lint::Finding| {
            old.code == finding.code && old.message == finding.message
        };
        !before.iter().any(is_same)
    };
    let found = findings.into_iter().filter(is_new).map(|finding| {
        let mut place = finding.path.split(':').skip(1);
        let line = place.next().and_then(|line| line.parse::<usize>().ok());
        EditFinding {
            code: finding.code,
            severity: finding.severity,
            file: Some(new.part.to_owned()),
            at: line.map_or(finding.path, |line| format!("line {line}")),
            message: finding.message,
        }
    });
    let found = found.collect();
    let own = anim
        .definitions
        .get_mut(at)
        .ok_or_else(|| Error::say("there is no such definition"))?;
    *own = bytes;
    Ok(found)
}

/// True for a finding about an animation file that its sources have, too, with a line.
pub fn is_of_sources(code: &str) -> bool {
    anim::OF_SOURCES.contains(&code)
}
