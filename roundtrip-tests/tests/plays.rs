//! What `refit::workbench::play` computes: against values by hand, for the animations of `roundtrip_tests::plays`.

use refit::{
    File,
    workbench::play::{Player, Show, Stage, State, samples, why_not},
};
use roundtrip_tests::plays;
use std::collections::BTreeSet;

const GAMES: [&str; 4] = ["rc", "mw", "pm", "cs"];

fn file(game: &str, name: &str) -> File {
    let files = plays::installation(game);
    let (path, bytes) = files.into_iter().find(|(path, _)| path.ends_with(name)).unwrap();
    File::read(bytes, &path).unwrap()
}

/// Looks at a definition of a game at some times.
fn played(game: &str, name: &str, mut look: impl FnMut(&Stage, &mut dyn FnMut(f64) -> State)) {
    let (world, anim) = (file(game, "gamez.zbd"), file(game, "anim.zbd"));
    let File::Anim(anim) = anim else { panic!("no animations") };
    let stage = Stage::of(&world).unwrap();
    let show = Show::new(&anim, &stage).unwrap();
    let definition = show.definitions().iter().position(|of| of.animation_name.text() == name).unwrap();
    look(&stage, &mut |time| Player::new(&show, definition).at(time));
}

#[test]
fn every_animation_has_samples() {
    for game in GAMES {
        let File::Anim(anim) = file(game, "anim.zbd") else { panic!("no animations") };
        let world = file(game, "gamez.zbd");
        let stage = Stage::of(&world).unwrap();
        let show = Show::new(&anim, &stage).unwrap();
        let (mut moving, mut kinds) = (0, BTreeSet::new());
        for (i, definition) in show.definitions().iter().enumerate() {
            let sampled = samples(&show, i, 100);
            let states = sampled["samples"].as_array().unwrap();
            assert_eq!(states.len(), 100);
            let name = definition.animation_name.text();
            assert!(!sampled["events"].as_array().unwrap().is_empty(), "{game} {name}: nothing happens");
            moving += usize::from(states.iter().any(|state| state != &states[0]));
            for sequence in &definition.sequences {
                kinds.extend(sequence.events.iter().map(|event| (event.body.key(), why_not(&event.body).is_some())));
            }
        }
        println!("{game}: {} animations, {} kinds of events", show.definitions().len(), kinds.len());
        assert!(moving >= 20, "{game}: {moving} animations");
    }
}
