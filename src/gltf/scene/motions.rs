//! Exports motions of a 'mech as animations (../motion/FORMAT.md).
//!
//! A part moves the node of its name; its translations and rotations replace those of the node. The
//! frames are spread evenly over the loop time, with the closing frame at its end. If that does not
//! give increasing times (a loop time of zero or NaN), frames are a second apart, and a note says
//! so.

use super::{
    axes,
    glb::{Glb, Pool},
    json::{Animation, Channel, Curve, Target},
};
use refit_base::wire::F32;
use refit_zipper::motion::{Motion, Part};
use serde_json::json;
use std::collections::{HashMap, HashSet};

/// The frames of a list including the closing one, which is either its own or the first again.
fn keys<T: Copy, U>(
    frames: &Option<Vec<T>>,
    last: Option<T>,
    convert: impl Fn(&T) -> Option<U>,
) -> Option<Option<Vec<U>>> {
    let frames = frames.as_ref()?;
    let last = last.or(frames.first().copied());
    Some(frames.iter().chain(&last).map(convert).collect())
}

/// Strictly increasing times of `count` keys, in seconds; the second value is false if they are not
/// the motion's own.
fn times(motion: &Motion, count: usize) -> (Vec<[f32; 1]>, bool) {
    let step = f64::from(motion.loop_time.get()) / count.saturating_sub(1).max(1) as f64;
    let at = |step: f64| {
        (0..count)
            .map(|i| [(i as f64 * step) as f32])
            .collect::<Vec<_>>()
    };
    let own = at(step);
    let rise = own
        .iter()
        .zip(own.iter().skip(1))
        .all(|([a], [b])| a < b && b.is_finite());
    if rise { (own, true) } else { (at(1.0), false) }
}

/// Adds a motion to the file as an animation. `nodes` maps names to glTF nodes.
pub fn put(name: &str, motion: &Motion, nodes: &HashMap<Vec<u8>, usize>, glb: &mut Glb) {
    let count = 1 + motion
        .parts
        .iter()
        .find_map(Part::frame_count)
        .unwrap_or_default();
    let (times, own) = times(motion, count);
    if !own {
        glb.note(format!(
            "{name}: the loop time is {:?}; its frames are a second apart",
            motion.loop_time
        ));
    }
    let mut animation = Animation {
        name: name.to_owned(),
        ..Animation::default()
    };
    let mut input = None;
    let mut moved = HashSet::new();
    for part in &motion.parts {
        let Some(node) = nodes.get(&part.name.0.to_ascii_lowercase()).copied() else {
            glb.note(format!("{name}: the 'mech has no node {:?}", part.name));
            continue;
        };
        if !moved.insert(node) {
            glb.note(format!(
                "{name}: a second part moves {:?}; it is left out",
                part.name
            ));
            continue;
        }
        let last = part.last.clone().unwrap_or_default();
        let vector = |v: &[F32; 3]| {
            v.iter()
                .all(|x| x.get().is_finite())
                .then(|| v.map(|x| x.get() + 0.0))
        };
        let translations =
            keys(&part.translations, last.translation, axes::point).map(|k| k.map(Keys::Three));
        let rotations =
            keys(&part.rotations, last.rotation, axes::rotation).map(|k| k.map(Keys::Four));
        let scales = keys(&part.scales, last.scale, vector).map(|k| k.map(Keys::Three));
        for (path, keys) in [
            ("translation", translations),
            ("rotation", rotations),
            ("scale", scales),
        ] {
            let Some(keys) = keys else { continue };
            let Some(keys) = keys.filter(|k| k.len() == count) else {
                glb.note(format!(
                    "{name}: the {path} of {:?} is not finite everywhere; it is left out",
                    part.name
                ));
                continue;
            };
            let input = *input.get_or_insert_with(|| glb.floats(Pool::Keys, &times, true));
            let output = keys.put(glb);
            animation.samplers.push(Curve {
                input,
                output,
                interpolation: "LINEAR",
            });
            animation.channels.push(Channel {
                sampler: animation.samplers.len() - 1,
                target: Target { node, path },
            });
        }
    }
    if animation.channels.is_empty() {
        glb.note(format!("{name}: nothing moves"));
    } else {
        animation.extras = Some(json!({ "loop_time": motion.loop_time, "frames": count - 1 }));
        glb.root.animations.push(animation);
    }
}

/// Values of a curve.
enum Keys {
    Three(Vec<[f32; 3]>),
    Four(Vec<[f32; 4]>),
}

impl Keys {
    fn len(&self) -> usize {
        match self {
            Keys::Three(keys) => keys.len(),
            Keys::Four(keys) => keys.len(),
        }
    }
    fn put(&self, glb: &mut Glb) -> usize {
        match self {
            Keys::Three(keys) => glb.floats(Pool::Keys, keys, false),
            Keys::Four(keys) => glb.floats(Pool::Keys, keys, false),
        }
    }
}
