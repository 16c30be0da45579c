//! Positions and rotations over time: changes at constant rates, and the frames of scripts.

use refit_base::{game::Game, wire::F32};
use refit_zipper::{
    anim::{Frame, Linear, Script, Spline},
    gamez::classes::rotation_rows,
};

/// Three numbers.
pub type V3 = [f64; 3];

/// How a node is placed in its parent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pose {
    /// Metres.
    pub translation: V3,
    /// Angles about x, y, z in radians.
    pub angles: V3,
    /// Factors along x, y, z.
    pub scale: V3,
    /// The images of x, y and z: rotation and scale.
    pub rows: [f64; 9],
}

impl Pose {
    /// Turns the node to these angles.
    pub fn turn(&mut self, angles: V3) {
        self.angles = angles;
        self.rows = rows(angles, self.scale);
    }

    /// Sets the factors, and keeps the angles.
    pub(crate) fn grow(&mut self, scale: V3) {
        self.scale = scale;
        self.rows = rows(self.angles, scale);
    }

    /// Rotates the node by a quaternion; one without a direction changes nothing.
    fn face(&mut self, q: [f64; 4]) {
        let Some(turned) = rows_of(q) else { return };
        self.angles = angles_of(&turned);
        self.rows = scaled(turned, self.scale);
    }

    /// Places the node by the frames of a script at this time.
    pub fn follow(&mut self, script: &Script, game: Game, time: f64) {
        let splines = has_splines(script, game);
        for frame in &script.frames {
            let [start, end] = frame.time.map(|v| f64::from(v.get()));
            // A NaN start is never reached.
            if time
                .partial_cmp(&start)
                .is_none_or(std::cmp::Ordering::is_lt)
            {
                break;
            }
            self.frame(frame, (time - start).min((end - start).max(0.0)), splines);
        }
    }

    fn frame(&mut self, frame: &Frame, time: f64, splines: bool) {
        if let Some(part) = &frame.translate {
            self.translation = linear(part, time, splines);
        }
        if let Some(part) = &frame.scale {
            self.scale = linear(part, time, splines);
            self.rows = rows(self.angles, self.scale);
        }
        if let Some(part) = &frame.rotate {
            let half = match part.spline.filter(|_| splines) {
                Some(spline) => cubic(&spline, time),
                None => part.rate.map(|rate| f64::from(rate.get()) * time),
            };
            self.face(times(exp(half), part.base.map(|v| f64::from(v.get()))));
        }
    }
}

/// True if the game uses the cubics of a script's frames, not its rates. Measured in Crimson Skies;
/// Pirate's Moon has the same flag; MechWarrior 3 has none, and its rates are the mean slopes of
/// its cubics.
pub fn has_splines(script: &Script, game: Game) -> bool {
    matches!(game, Game::Pm | Game::Cs) && script.spline_interpolation.is_some_and(|on| on.0 != 0)
}

fn linear(part: &Linear, time: f64, splines: bool) -> V3 {
    match part.spline.filter(|_| splines) {
        Some(spline) => cubic(&spline, time),
        None => std::array::from_fn(|i| {
            f64::from(part.base[i].get()) + f64::from(part.rate[i].get()) * time
        }),
    }
}

/// Each axis has its value and three coefficients in ascending powers.
fn cubic(spline: &Spline, time: f64) -> V3 {
    spline.map(|row| {
        let [value, one, two, three] = row.map(|v| f64::from(v.get()));
        ((three * time + two) * time + one) * time + value
    })
}

/// The game's own matrix of angles and factors, with its rounding.
pub fn rows(angles: V3, scale: V3) -> [f64; 9] {
    let narrow = |v: V3| v.map(|v| F32::from(v as f32));
    rotation_rows(narrow(angles), narrow(scale)).map(|v| f64::from(v.get()))
}

/// The rotation by a vector of half angles: w, x, y, z.
fn exp(half: V3) -> [f64; 4] {
    let [x, y, z] = half;
    let angle = (x * x + y * y + z * z).sqrt();
    if angle == 0.0 {
        return [1.0, 0.0, 0.0, 0.0];
    }
    let k = angle.sin() / angle;
    [angle.cos(), x * k, y * k, z * k]
}

/// First `b`, then `a`.
fn times([a, b, c, d]: [f64; 4], [e, f, g, h]: [f64; 4]) -> [f64; 4] {
    [
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    ]
}

/// The rows of a quaternion's rotation; `None` if it has no direction.
pub fn rows_of(q: [f64; 4]) -> Option<[f64; 9]> {
    let length = q.iter().map(|v| v * v).sum::<f64>().sqrt();
    if !(length.is_finite() && length > 1e-12) {
        return None;
    }
    let [w, x, y, z] = q.map(|v| v / length);
    Some([
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y + w * z),
        2.0 * (x * z - w * y),
        2.0 * (x * y - w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z + w * x),
        2.0 * (x * z + w * y),
        2.0 * (y * z - w * x),
        1.0 - 2.0 * (x * x + y * y),
    ])
}

fn scaled(rows: [f64; 9], scale: V3) -> [f64; 9] {
    std::array::from_fn(|i| rows[i] * scale[i / 3])
}

/// The angles whose rotation has these rows: about z, then x, then y.
pub fn angles_of(rows: &[f64; 9]) -> V3 {
    [
        (-rows[7]).clamp(-1.0, 1.0).asin(),
        rows[6].atan2(rows[8]),
        rows[1].atan2(rows[4]),
    ]
}

/// A transform below another one: three rows, then the translation.
pub fn below(parent: &[f64; 12], child: &[f64; 12]) -> [f64; 12] {
    let mut out = [0.0; 12];
    for (i, out) in out.iter_mut().enumerate() {
        let (row, k) = (i / 3 * 3, i % 3);
        *out = child[row] * parent[k]
            + child[row + 1] * parent[3 + k]
            + child[row + 2] * parent[6 + k];
        if row == 9 {
            *out += parent[9 + k];
        }
    }
    out
}
