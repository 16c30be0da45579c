//! What `refit::workbench::play` computes: against values by hand, for the animations of
//! `roundtrip_tests::plays`.

use refit::{
    File,
    workbench::play::{NodeState, Player, Show, Stage, State, mech_poses, samples, why_not},
};
use roundtrip_tests::plays;
use std::collections::BTreeSet;

const GAMES: [&str; 4] = ["rc", "mw", "pm", "cs"];

fn file(game: &str, name: &str) -> File {
    let files = plays::installation(game);
    let (path, bytes) = files
        .into_iter()
        .find(|(path, _)| path.ends_with(name))
        .unwrap();
    File::read(bytes, &path).unwrap()
}

/// Looks at a definition of a game.
fn played(game: &str, name: &str, look: impl for<'s> FnOnce(&dyn Fn(f64) -> Seen<'s>)) {
    let (world, anim) = (file(game, "gamez.zbd"), file(game, "anim.zbd"));
    let File::Anim(anim) = anim else {
        panic!("no animations")
    };
    let stage = Stage::of(&world).unwrap();
    let show = Show::new(&anim, &stage).unwrap();
    let definition = show
        .definitions()
        .iter()
        .position(|of| of.animation_name.text() == name)
        .unwrap();
    look(&|time| Seen {
        state: Player::new(&show, definition).at(time),
        stage: &stage,
    });
}

/// A state, queried by node names.
struct Seen<'a> {
    state: State,
    stage: &'a Stage,
}

impl Seen<'_> {
    fn row(&self, name: &str) -> usize {
        (0..self.stage.len())
            .find(|row| self.stage.name(*row) == name)
            .unwrap()
    }
    fn node(&self, name: &str) -> &NodeState {
        self.stage.state(&self.state.nodes, self.row(name)).unwrap()
    }
    fn active(&self, name: &str) -> bool {
        self.node(name).active
    }
    fn place(&self, name: &str) -> [f64; 3] {
        self.node(name).pose.translation
    }
    /// The angles about x, y, z.
    fn angles(&self, name: &str) -> [f64; 3] {
        self.node(name).pose.angles
    }
    fn rows(&self, name: &str) -> [f64; 9] {
        self.node(name).pose.rows
    }
    /// The transform of a node in the world: the images of the axes, and the position.
    fn world(&self, name: &str) -> [f64; 12] {
        self.stage.world(&self.state.nodes, self.row(name))
    }
}

/// Fails unless all numbers are the same up to the fifth decimal.
#[track_caller]
fn near<const N: usize>(found: [f64; N], expected: [f64; N]) {
    let off = found
        .iter()
        .zip(&expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(off < 1e-5, "{found:?} is not {expected:?}");
}

#[test]
fn a_gate_opens_at_its_rate() {
    played("rc", "gate_open", |at| {
        // 1.9 radians in 2.5 seconds.
        near(at(1.0).angles("doorl"), [0.0, -0.76, 0.0]);
        near(at(1.0).angles("doorr"), [0.0, 0.76, 0.0]);
        near(at(2.5).angles("doorl"), [0.0, -1.9, 0.0]);
        near(at(9.0).angles("doorl"), [0.0, -1.9, 0.0]);
        // The gate is turned by 0.25 about y, and the hinge is 4 m to the left of its middle.
        let turned: f64 = 0.25 - 0.76;
        let hinge = [
            128.0 - 4.0 * 0.25f64.cos(),
            0.0,
            128.0 + 4.0 * 0.25f64.sin(),
        ];
        let (s, c) = turned.sin_cos();
        near(
            at(1.0).world("doorl"),
            [
                c, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, c, hinge[0], hinge[1], hinge[2],
            ],
        );
        // Sounds at the start of one sequence and at the end of the other.
        let sounds = at(3.0)
            .state
            .sounds
            .iter()
            .map(|of| (of.time, of.name.clone()))
            .collect::<Vec<_>>();
        assert_eq!(
            sounds,
            [(0.0, "creak".to_owned()), (2.5, "thud".to_owned())]
        );
        assert!(at(2.4).state.sounds.len() == 1);
    });
}

#[test]
fn a_reset_runs_after_its_time() {
    played("rc", "gate_bang", |at| {
        near(at(0.25).angles("doorl"), [0.15, -0.6, 0.05]);
        // 0.5 more at 1.25 s, the other leaf's angles and 0.25 more at 2 s; the reset after 0.75 s
        // begins with a motion of one second.
        near(at(1.5).angles("doorr"), [0.0, 0.5, 0.0]);
        near(at(2.5).angles("doorr"), [0.3, -0.95, 0.1]);
        near(at(3.0).angles("doorl"), [0.0, 0.0, 0.0]);
        near(at(3.7).angles("doorr"), [0.3, -0.95, 0.1]);
        near(at(3.75).angles("doorr"), [0.0, 0.0, 0.0]);
    });
    played("mw", "crate_returns", |at| {
        near(at(1.25).place("crate"), [120.0, 5.0, 140.0]);
        near(at(1.5).place("crate"), [104.0, 0.0, 140.0]);
    });
}

#[test]
fn scripts_follow_their_frames() {
    for game in GAMES {
        played(game, "copter_flight", |at| {
            // 12, 2 and -4 m/s from (110, 18, 150).
            near(at(0.5).place("copter"), [116.0, 19.0, 148.0]);
            // Between two frames the first one's end stays: 0.75 s of -8 and -10 m/s, and of
            // growth.
            near(at(2.4).place("copter"), [128.0, 15.0, 136.5]);
            near(at(2.4).node("copter").pose.scale, [1.3, 1.0, 0.85]);
            // The frame that ends before it begins has its start.
            near(at(4.1).place("copter"), [128.0, 15.0, 130.0]);
            near(at(5.25).place("copter"), [118.0, 17.0, 141.0]);
            near(at(50.0).place("copter"), [110.5, 18.5, 149.25]);
            // A rate of 5 half angles per second turns by 1 radian in 0.1 s, about y; the rotor is
            // 1.2 wide and 0.8 deep.
            let (s, c) = 1.0f64.sin_cos();
            near(
                at(0.1).rows("rotor"),
                [1.2 * c, 0.0, -1.2 * s, 0.0, 1.0, 0.0, 0.8 * s, 0.0, 0.8 * c],
            );
        });
    }
    // Pirate's Moon and Crimson Skies use the cubics: 110 + 6 t + 12 t² - 3 t³.
    for (game, x) in [("mw", 116.0), ("pm", 115.625), ("cs", 115.625)] {
        played(game, "copter_curve", |at| {
            near([at(0.5).place("copter")[0]], [x])
        });
    }
    played("cs", "copter_both", |at| {
        near([at(0.5).place("copter")[0]], [115.625]);
        let (s, c) = 1.0f64.sin_cos();
        near(
            at(0.1).rows("rotor"),
            [1.2 * c, 0.0, -1.2 * s, 0.0, 1.0, 0.0, 0.8 * s, 0.0, 0.8 * c],
        );
    });
}

#[test]
fn loops_count_their_rounds() {
    played("rc", "lift_up", |at| {
        // 3 s up, a second's wait, 2 s down; three times.
        near(at(1.5).place("lift"), [96.0, 4.5, 110.0]);
        near(at(3.9).place("lift"), [96.0, 9.0, 110.0]);
        near(at(5.0).place("lift"), [96.0, 4.5, 110.0]);
        near(at(7.5).place("lift"), [96.0, 4.5, 110.0]);
        near(at(18.5).place("lift"), [96.0, 0.0, 110.0]);
    });
    played("rc", "lift_for_ever", |at| {
        near(at(2000.625).place("lift"), [96.0, 4.5, 110.0])
    });
    played("rc", "poll", |at| {
        // Rounds without duration take a 60th of a second: 30 of them.
        near(at(10.5 / 60.0).place("spare"), [150.0, 11.0 * 0.125, 150.0]);
        near(at(1.0).place("spare"), [150.0, 30.0 * 0.125, 150.0]);
        // 0.1 s for each round until 0.95 s are reached: ten.
        near(at(3.0).angles("spare"), [0.0, 2.5, 0.0]);
    });
    played("rc", "spare_blinks", |at| {
        let shown = |time: f64| at(time).active("spare");
        assert_eq!(
            [0.1, 0.3, 0.6, 0.8, 2.3].map(shown),
            [true, false, true, false, false]
        );
        assert!(shown(2.6), "its state is kept after the loop");
    });
}

#[test]
fn clocks_begin_with_the_first_event() {
    played("rc", "clocks", |at| {
        let seen = |time: f64| (at(time).active("sign"), at(time).active("lamp"));
        assert_eq!(seen(0.9), (true, true));
        // The sequence begins a second after the animation, its clock, too.
        assert_eq!(seen(1.7), (false, true));
        assert_eq!(seen(1.8), (true, true));
        // Events due at 2 s and at 0.5 s come after the motion before them.
        assert_eq!(
            (seen(2.2), seen(2.3), seen(2.4)),
            ((true, true), (false, false), (false, true))
        );
        assert!(
            at(1e6).active("crate"),
            "a first event that waits for its sequence never starts"
        );
    });
}

#[test]
fn sequences_call_and_stop_each_other() {
    played("rc", "sequences", |at| {
        assert!(at(0.4).active("crate") && !at(0.5).active("crate"));
        near(at(0.25).place("lift"), [96.0, 1.0, 110.0]);
        near(at(0.75).place("lift"), [96.0, 3.0, 110.0]);
        // The third comes before its caller: a 60th later.
        assert!(at(1.01).active("sign") && !at(1.02).active("sign"));
        // Stopped after 0.3 s at 1.5 radians per second, and cannot be called again.
        near(at(1.2).angles("crate"), [0.0, 0.3, 0.0]);
        near(at(9.0).angles("crate"), [0.0, 0.45, 0.0]);
        assert!(
            at(9.0).active("mill"),
            "a sequence that stops itself does nothing more"
        );
    });
}

#[test]
fn branches_have_the_targets_of_the_games() {
    played("rc", "branches", |at| {
        let end = at(9.0);
        let active = ["sign", "mill", "lift", "lamp", "spare", "gate", "ground"]
            .map(|name| end.active(name));
        assert_eq!(active, [false, true, true, true, true, true, false]);
        assert!(!at(0.4).active("spare") && at(0.5).active("spare"));
        near(end.node("crate").pose.scale, [2.0, 2.0, 2.0]);
        assert!(at(1.4).active("ground") && !at(1.5).active("ground"));
    });
}

#[test]
fn animations_call_wait_and_stop() {
    played("rc", "calls", |at| {
        // The gate closes in 1.5 + 0.25 + 1.5 s; the lift starts half a second later.
        near(at(3.0).angles("doorr"), [0.0, 1.9 - 1.25 / 1.5 * 1.9, 0.0]);
        near(at(3.75).place("lift"), [96.0, 0.0, 110.0]);
        near(at(3.75 + 0.625).place("lift"), [96.0, 4.5, 110.0]);
        assert!(at(4.0).node("crate").translucent);
        near([at(4.5).node("crate").opacity], [0.6]);
        // Stopped at 6.5 s, after 0.25 s of a second's change from 0.6 to 1.
        near([at(7.0).node("crate").opacity], [0.7]);
        // Invalidated at 8 s: it ends with its round, at 9.75 s, and cannot be called again.
        near(at(9.0).place("lift"), [96.0, 9.0, 110.0]);
        near(at(20.0).place("lift"), [96.0, 0.0, 110.0]);
    });
}

#[test]
fn things_fly_fade_and_carry() {
    played("rc", "mill_turn", |at| {
        near(at(2.0).angles("hub"), [0.1, 0.2, 3.3])
    });
    // 0.5 and 2 · t for two seconds, then 4.5 rad/s until it is stopped at 5 s.
    played("rc", "mill_gust", |at| {
        near(at(1.0).angles("hub"), [0.1, 0.2, 0.3 + 0.5 + 1.0]);
        near(at(3.0).angles("hub"), [0.1, 0.3, 0.3 + 1.0 + 4.0 + 4.5]);
        near(at(9.0).angles("hub"), [0.1, 0.5, 0.3 + 1.0 + 4.0 + 13.5]);
    });
    // 8 m/s up against 4, with a fall that ignores the ground against 7 m/s².
    for (game, fall) in [("rc", 4.0), ("cs", 7.0)] {
        played(game, "crate_throw", |at| {
            near(
                at(1.0).place("crate"),
                [107.0, 8.0 - fall / 2.0, 140.0 - 2.0 + 0.25],
            );
            near(
                at(9.0).place("crate"),
                [110.0, 16.0 - fall * 2.0, 140.0 - 4.0 + 1.0],
            );
            near(at(9.0).node("crate").pose.scale, [1.1, 0.8, 1.7]);
        });
    }
    played("rc", "crate_carried", |at| {
        // It is attached to the lift, a metre above it; then to nothing; then to the drone.
        let [.., x, y, z] = at(1.0).world("crate");
        near([x, y, z], [103.0, 4.0, 110.0]);
        assert!(at(2.25).node("crate").loose && !at(2.6).node("crate").loose);
        assert_eq!(at(3.0).node("crate").parent, Some(at(3.0).row("copter")));
        assert_eq!(
            at(3.0).node("doorl").parent,
            Some(at(3.0).row("gate")),
            "a node has one parent"
        );
    });
    played("rc", "crate_grow", |at| {
        near(at(1.0).node("crate").pose.scale, [1.0, 2.0, 0.75])
    });
    // Recoil writes LINEAR by leaving it out.
    for (game, kind) in [("rc", Some("LINEAR")), ("mw", None)] {
        played(game, "fog_rolls_in", |at| {
            assert_eq!(at(0.4).state.fog.kind, None);
            assert_eq!(
                (at(1.0).state.fog.kind, at(1.0).state.fog.range),
                (kind, Some([40.0, 160.0]))
            );
            assert_eq!(at(3.0).state.fog.kind, Some("OFF"));
        });
    }
    played("rc", "lamp_on", |at| {
        let seen = at(1.0);
        let light = seen.state.lights.values().next().unwrap();
        near(light.range.unwrap(), [5.0, 20.0]);
        near(light.color.unwrap(), [1.0, 0.6, 0.4]);
        assert!(!at(4.5).state.lights.values().next().unwrap().active);
    });
    played("rc", "flash", |at| {
        near(at(0.375).state.screen.unwrap(), [1.0, 0.7, 0.55, 0.4]);
        assert_eq!(at(1.0).state.screen, None);
    });
}

#[test]
fn mechs_walk() {
    let motion = |name: &str| {
        let (_, document) = plays::motions()
            .into_iter()
            .find(|of| of.0 == name)
            .unwrap();
        serde_json::from_value(document).unwrap()
    };
    let walk = motion("wolf_walk");
    let part = |time: f64, name: &str| {
        mech_poses(&walk, time)
            .into_iter()
            .find(|of| of.name == name)
            .unwrap()
    };
    // Eight frames in 1.2 s: frame 2 is at 0.3 s, where a leg is rotated by 0.7 about x.
    let (s, c) = 0.7f64.sin_cos();
    for time in [0.3, 1.5] {
        near(
            part(time, "legl").rows.unwrap(),
            [1.0, 0.0, 0.0, 0.0, c, s, 0.0, -s, c],
        );
    }
    // Between frames 1 and 2 by half of the way.
    let (s, c) = (0.35 * (1.0 + std::f64::consts::FRAC_1_SQRT_2)).sin_cos();
    near(
        part(0.225, "legl").rows.unwrap(),
        [1.0, 0.0, 0.0, 0.0, c, s, 0.0, -s, c],
    );
    near(part(0.15, "hip").translation.unwrap(), [0.0, 6.4, 0.0]);
    // The other motion stores its own closing frame: the last eighth moves there.
    let other = motion("wolf_stumble");
    let gun = |time: f64| {
        mech_poses(&other, time)
            .into_iter()
            .find(|of| of.name == "gun")
            .unwrap()
    };
    let (s, c) = (0.3 * (7.0 * std::f64::consts::FRAC_PI_4).sin() * 0.5 + 0.5).sin_cos();
    near(
        gun(1.2 * 7.5 / 8.0).rows.unwrap(),
        [1.0, 0.0, 0.0, 0.0, c, s, 0.0, -s, c],
    );
}

#[test]
fn every_animation_has_samples() {
    for game in GAMES {
        let File::Anim(anim) = file(game, "anim.zbd") else {
            panic!("no animations")
        };
        let world = file(game, "gamez.zbd");
        let stage = Stage::of(&world).unwrap();
        let show = Show::new(&anim, &stage).unwrap();
        let (mut moving, mut kinds) = (0, BTreeSet::new());
        for (i, definition) in show.definitions().iter().enumerate() {
            let sampled = samples(&show, i, 100);
            let states = sampled["samples"].as_array().unwrap();
            assert_eq!(states.len(), 100);
            let name = definition.animation_name.text();
            assert!(
                !sampled["events"].as_array().unwrap().is_empty(),
                "{game} {name}: nothing happens"
            );
            moving += usize::from(states.iter().any(|state| state != &states[0]));
            for sequence in &definition.sequences {
                kinds.extend(
                    sequence
                        .events
                        .iter()
                        .map(|event| (event.body.key(), why_not(&event.body).is_some())),
                );
            }
        }
        println!(
            "{game}: {} animations, {} kinds of events",
            show.definitions().len(),
            kinds.len()
        );
        assert!(moving >= 20, "{game}: {moving} animations");
    }
}
