//! Mods of a project, and the mods of a game.

use crate::{DOOR, NODES, project, set};
use refit_base::tree::Style;
use refit_mods::{FileOutcome, Prefer};
use refit_session::{AboutMod, GameMods, ModContents, Session};
use refit_workbench::Quiet;
use std::fs;

const CLIP: &str = "nodes[2].data.camera.clip_near";

fn about(name: &str) -> AboutMod {
    AboutMod {
        name: name.to_owned(),
        author: "somebody".to_owned(),
        ..AboutMod::default()
    }
}

/// A mod of one edit, what the edited file is, and what is in the mod.
fn made(name: &str, value: &str) -> (Vec<u8>, Vec<u8>, ModContents) {
    let (dir, root) = project(Style::Json);
    let game = dir.path().join("game");
    // A project of the first edit: it has one tree.
    let young = dir.path().join("young");
    let mut session = Session::begin(&game, &young).unwrap();
    let none = session.make_mod(&about(name), &Quiet).unwrap_err();
    assert!(none.to_string().contains("both are equal"), "{none}");
    session.edit(&set(DOOR, NODES, CLIP, value)).unwrap();
    let (bytes, contents) = session.make_mod(&about(name), &Quiet).unwrap();
    assert!(session.make_mod(&about(" "), &Quiet).is_err());
    // The same edit in a project with all trees makes the same mod.
    let mut whole = Session::open(&root).unwrap();
    whole.edit(&set(DOOR, NODES, CLIP, value)).unwrap();
    let again = whole.make_mod(&about(name), &Quiet).unwrap();
    assert_eq!(again.1, contents);
    session.build(&Quiet).unwrap();
    (bytes, fs::read(game.join(DOOR)).unwrap(), contents)
}

#[test]
fn a_friend_applies_a_mod_and_takes_it_out_again() {
    let (bytes, edited, contents) = made("near", "2");
    assert_eq!(ModContents::of_file(&bytes).unwrap(), contents);
    assert_eq!(
        (contents.about.name.as_str(), contents.changes),
        ("near", 1)
    );
    assert_eq!(contents.files.len(), 1);
    assert_eq!(contents.files[0].path, DOOR);
    assert!(
        contents.files[0].lines[0].contains("clip_near"),
        "{contents:?}"
    );

    let (friend, _) = project(Style::Json);
    let game = friend.path().join("game");
    let pristine = fs::read(game.join(DOOR)).unwrap();
    let mods = GameMods::of(&game);
    assert_eq!(mods.applied().unwrap(), []);
    let plan = mods
        .plan(std::slice::from_ref(&bytes), Prefer::None)
        .unwrap();
    assert_eq!((plan.open, &plan.refused), (0, &None));
    assert_eq!(plan.files[0].outcome, FileOutcome::Changed);
    assert!(
        fs::read(game.join(DOOR)).unwrap() == pristine,
        "a plan writes nothing"
    );
    assert_eq!(mods.apply(&[bytes], Prefer::None, &Quiet).unwrap(), plan);
    assert!(fs::read(game.join(DOOR)).unwrap() == edited);
    let applied = mods.applied().unwrap();
    assert_eq!(applied.len(), 1);
    assert_eq!(
        (applied[0].name.as_str(), applied[0].author.as_str()),
        ("near", "somebody")
    );
    assert_eq!(applied[0].files, [DOOR]);
    let unknown = mods.remove(&["nea".to_owned()], &Quiet).unwrap_err();
    assert!(unknown.to_string().contains("near"), "{unknown}");
    mods.remove(&["near".to_owned()], &Quiet).unwrap();
    assert!(fs::read(game.join(DOOR)).unwrap() == pristine);
    assert_eq!(mods.applied().unwrap(), []);
    assert!(mods.plan(&[b"PK no mod".to_vec()], Prefer::None).is_err());
}

#[test]
fn a_conflict_is_decided_before_anything_is_written() {
    let both = [made("a", "2"), made("b", "3")].map(|made| made.0);
    let (friend, _) = project(Style::Json);
    let game = friend.path().join("game");
    let pristine = fs::read(game.join(DOOR)).unwrap();
    let mods = GameMods::of(&game);
    let plan = mods.plan(&both, Prefer::None).unwrap();
    assert_eq!(plan.open, 1);
    assert!(plan.refused.is_some());
    assert!(plan.files[0].conflicts[0].contains("a has 2"), "{plan:?}");
    assert!(mods.apply(&both, Prefer::None, &Quiet).is_err());
    assert!(fs::read(game.join(DOOR)).unwrap() == pristine);
    let done = mods.apply(&both, Prefer::Last, &Quiet).unwrap();
    assert_eq!(
        (done.open, done.mods),
        (0, vec!["a".to_owned(), "b".to_owned()])
    );
    assert!(fs::read(game.join(DOOR)).unwrap() == made("b", "3").1);
}
