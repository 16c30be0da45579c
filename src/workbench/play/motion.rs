//! Motions of 'mechs: the pose of each part at a time.

use super::pose::{Pose, V3, angles_of, rows_of};
use refit_zipper::motion::{Motion, Part};

/// The place of a part in its parent.
#[derive(Clone, PartialEq, Debug)]
pub struct PartPose {
    /// The node that moves.
    pub name: String,
    /// Metres, if the motion has translations.
    pub translation: Option<V3>,
    /// The images of x, y and z, if the motion has rotations.
    pub rows: Option<[f64; 9]>,
    /// Factors, if the motion has scales.
    pub scale: Option<V3>,
}

impl PartPose {
    /// Places a node.
    pub fn place(&self, pose: &mut Pose) {
        pose.translation = self.translation.unwrap_or(pose.translation);
        pose.scale = self.scale.unwrap_or(pose.scale);
        let turned = self
            .rows
            .unwrap_or_else(|| super::pose::rows(pose.angles, [1.0; 3]));
        pose.angles = angles_of(&turned);
        pose.rows = std::array::from_fn(|i| turned[i] * pose.scale[i / 3]);
    }
}

/// The parts of a motion at a time; it repeats after its loop time. The frames are spread evenly
/// over the loop time, with the closing frame at its end, as in the glTF export. Between frames,
/// translations change evenly and rotations by the shortest way; the games' own way is not known.
pub fn mech_poses(motion: &Motion, time: f64) -> Vec<PartPose> {
    let count = motion
        .parts
        .iter()
        .find_map(Part::frame_count)
        .unwrap_or_default();
    let length = f64::from(motion.loop_time.get());
    // Without a loop time, a frame takes a second, as in the export.
    let length = if length > 0.0 && length.is_finite() {
        length
    } else {
        count as f64
    };
    let whole = if length > 0.0 {
        (time / length).rem_euclid(1.0) * count as f64
    } else {
        0.0
    };
    let (frame, share) = (whole.floor(), whole - whole.floor());
    let frame = frame as usize;
    motion
        .parts
        .iter()
        .map(|part| part_at(part, frame, share))
        .collect()
}

/// The values of a frame and of the next one; the closing one is its own or the first again.
fn around<T: Copy>(frames: Option<&Vec<T>>, last: Option<T>, frame: usize) -> Option<(T, T)> {
    let frames = frames?;
    let at = |i: usize| frames.get(i).copied();
    let now = at(frame).or(last)?;
    Some((
        now,
        at(frame.saturating_add(1))
            .or(last)
            .or(at(0))
            .unwrap_or(now),
    ))
}

fn part_at(part: &Part, frame: usize, share: f64) -> PartPose {
    let last = part.last.as_ref();
    let mixed = |frames: Option<&Vec<[refit_base::wire::F32; 3]>>,
                 last: Option<[refit_base::wire::F32; 3]>|
     -> Option<V3> {
        let (a, b) = around(frames, last, frame)?;
        let (a, b) = (a.map(|v| f64::from(v.get())), b.map(|v| f64::from(v.get())));
        Some(std::array::from_fn(|i| a[i] + (b[i] - a[i]) * share))
    };
    let turned = around(
        part.rotations.as_ref(),
        last.and_then(|last| last.rotation),
        frame,
    );
    PartPose {
        name: part.name.text().into_owned(),
        translation: mixed(
            part.translations.as_ref(),
            last.and_then(|last| last.translation),
        ),
        rows: turned.and_then(|(a, b)| {
            rows_of(slerp(
                a.map(|v| f64::from(v.get())),
                b.map(|v| f64::from(v.get())),
                share,
            ))
        }),
        scale: mixed(part.scales.as_ref(), last.and_then(|last| last.scale)),
    }
}

/// Between two rotations, by the shortest way.
fn slerp(a: [f64; 4], b: [f64; 4], share: f64) -> [f64; 4] {
    let dot: f64 = (0..4).map(|i| a[i] * b[i]).sum();
    let sign = if dot < 0.0 { -1.0 } else { 1.0 };
    let cosine = dot.abs().min(1.0);
    let angle = cosine.acos();
    let (from, to) = if angle < 1e-6 {
        (1.0 - share, share)
    } else {
        (
            ((1.0 - share) * angle).sin() / angle.sin(),
            (share * angle).sin() / angle.sin(),
        )
    };
    std::array::from_fn(|i| a[i] * from + b[i] * sign * to)
}
