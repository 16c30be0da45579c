//! Which events can be played, and why others cannot.

use refit_zipper::anim::{Body, events::ObjectMotion};

/// The reason why the page does not show an event; `None` for one that it shows. Keep in sync with
/// `page/play/shown.ts`.
pub fn why_not(body: &Body) -> Option<&'static str> {
    match body {
        Body::Effect(_) => Some("the game makes effects of effects.zrd"),
        Body::ObjectMotion(motion) => flight(motion),
        Body::ObjectMotionFromTo(event) if event.morph.is_some() => Some("the scene has no morphs"),
        Body::ObjectConnector(_) | Body::CallObjectConnector(_) => {
            Some("how the game stretches objects between points is not known")
        }
        Body::CameraState(_) | Body::CameraFromTo(_) => Some("the page has its own camera"),
        Body::Callback(_) => Some("the game's code decides what happens"),
        Body::FbfxCsinwaveFromTo(_) => Some("how the wave bends the picture is not known"),
        Body::ShowMessage(_) => Some("the message is not shown"),
        Body::DetonateWeapon(_) => Some("the game makes explosions"),
        Body::PufferState(_) => Some("the game makes smoke and fire, at random"),
        Body::SoundAdjust(_) => Some("its values are not known"),
        Body::Raw(_) => Some("the event is not known"),
        _ => None,
    }
}

/// The reason why a motion is not shown: its start or end depends on the running game.
fn flight(motion: &ObjectMotion) -> Option<&'static str> {
    let fall = motion.gravity.is_some();
    let free =
        motion.gravity_no_altitude && motion.run_time.is_some() && motion.translation.is_some();
    if motion.translation_range_min.is_some() || motion.translation_range_max.is_some() {
        Some("the game launches it at random")
    } else if motion.impact_force {
        Some("it flies off in the direction of what hit it")
    } else if motion.forward_rotation_distance.is_some() || motion.forward_rotation_time.is_some() {
        Some("how it rolls in the direction of its movement is not known")
    } else if fall && (motion.gravity_complex || motion.gravity_do_intersections || !free) {
        Some("it falls until it meets the ground")
    } else if motion.morph.is_some() {
        Some("the scene has no morphs")
    } else {
        None
    }
}
